//! The sending worker: due mails in order, retries, dead letters, the stop (OPS-062, OPS-063). Time and chance are
//! passed in.

use super::{Folder, Head, Queue};
use crate::archive::take_now;
use crate::mail::transport::{Failure, Outgoing, Transport};
use chrono::{DateTime, Duration, Utc};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Where mail really goes (`mail.out.redirect_all`).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Redirect {
    /// To its recipient.
    #[default]
    Off,
    /// All of it to one address.
    To(String),
    /// Nowhere: counts as sent.
    Nowhere,
}

/// Keys `mail.out.*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Pauses after the first, second … failure; the last one repeats.
    pub retry: Vec<Duration>,
    /// Older mail is given up.
    pub give_up: Duration,
    /// How long a deferred mail holds later ones of the same person and game.
    pub keep_order: Duration,
    /// How long sent mail is kept.
    pub keep_done: Duration,
    /// Connections at the same time.
    pub concurrency: usize,
    /// Kinds of which only the newest to a person about a game is sent.
    pub overtaken: Vec<String>,
    /// Redirection.
    pub redirect: Redirect,
    /// Most mails in a time; none: as fast as they go.
    pub rate: Option<Pace>,
}

/// So many mails in a time (`mail.out.rate`): all of them at once, then as they come free one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// How many.
    pub count: u32,
    /// In how long.
    pub per: Duration,
}

impl Pace {
    /// How many may go now, and until when the next so many have used it up. `busy` is what the last ones left behind.
    fn allows(&self, busy: Option<DateTime<Utc>>, now: DateTime<Utc>) -> usize {
        let free = self.begin(busy, now);
        let pause = self.pause().num_microseconds().unwrap_or(i64::MAX);
        let left = (now + self.per - free).num_microseconds().unwrap_or(0);
        usize::try_from(left / pause.max(1)).unwrap_or(0).min(self.count as usize)
    }

    fn after(&self, busy: Option<DateTime<Utc>>, now: DateTime<Utc>, tried: usize) -> DateTime<Utc> {
        self.begin(busy, now) + self.pause() * i32::try_from(tried).unwrap_or(i32::MAX)
    }

    fn pause(&self) -> Duration {
        self.per / i32::try_from(self.count.max(1)).unwrap_or(i32::MAX)
    }

    /// A clock that was set back must not stop everything.
    fn begin(&self, busy: Option<DateTime<Utc>>, now: DateTime<Utc>) -> DateTime<Utc> {
        busy.map_or(now, |busy| busy.clamp(now, now + self.per))
    }
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            retry: [1, 5, 15, 30, 60, 120, 240].map(Duration::minutes).to_vec(),
            give_up: Duration::days(5),
            keep_order: Duration::hours(1),
            keep_done: Duration::days(7),
            concurrency: 4,
            overtaken: vec!["N32".to_owned()],
            redirect: Redirect::Off,
            rate: None,
        }
    }
}

impl Policy {
    /// The pause after `tries` failures; `chance` in 0..1 spreads it by ±10 %.
    pub fn pause(&self, tries: u32, chance: f64) -> Duration {
        let at = usize::try_from(tries.saturating_sub(1)).unwrap_or(usize::MAX).min(self.retry.len().saturating_sub(1));
        let pause = self.retry.get(at).copied().unwrap_or_else(|| Duration::minutes(5));
        let factor = 0.9 + 0.2 * chance.clamp(0.0, 1.0);
        Duration::milliseconds((pause.num_milliseconds() as f64 * factor) as i64)
    }
}

/// What one round did.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Round {
    /// Another process is sending: nothing was done.
    pub busy: bool,
    /// Ids handed over.
    pub sent: Vec<String>,
    /// To be tried again.
    pub deferred: Vec<Head>,
    /// Given up: refused for the recipient, or too old. `last_error` says why.
    pub dead: Vec<Head>,
    /// Senseless by now, not sent.
    pub dropped: Vec<Head>,
    /// Not due, or waiting behind an earlier one.
    pub waiting: usize,
    /// Files that are no queue files, moved to `dead/`, and files that could not be read now, left where they are.
    pub damaged: Vec<super::Damaged>,
    /// Why all sending is stopped.
    pub stopped: Option<String>,
}

impl Round {
    /// Whether any file of the queue is not where it was.
    fn has_moved(&self) -> bool {
        let lists = [&self.deferred, &self.dead, &self.dropped];
        let buried = self.damaged.iter().any(|file| file.for_good);
        self.stopped.is_some() || buried || !(self.sent.is_empty() && lists.iter().all(|list| list.is_empty()))
    }
}

/// Tries every due mail once, at most `budget` of them. `chance` gives numbers in 0..1.
pub fn send_due(
    queue: &Queue,
    transport: &dyn Transport,
    policy: &Policy,
    now: DateTime<Utc>,
    budget: usize,
    chance: &mut (dyn FnMut() -> f64 + Send),
) -> io::Result<Round> {
    let Some(_lock) = take_now(&queue.root().join(".lock"))? else {
        return Ok(Round { busy: true, ..Round::default() });
    };
    if let Some(reason) = queue.stopped() {
        let waiting = queue.list(Folder::New)?.0.len();
        return Ok(Round { stopped: Some(reason), waiting, ..Round::default() });
    }
    let busy = policy.rate.and_then(|_| queue.busy());
    let budget = policy.rate.map_or(budget, |pace| budget.min(pace.allows(busy, now)));
    if budget == 0 {
        return Ok(Round { waiting: queue.count(Folder::New)?, ..Round::default() });
    }
    let (heads, damaged) = queue.list(Folder::New)?;
    for file in damaged.iter().filter(|file| file.for_good) {
        let name = file.path.file_name().unwrap_or_default();
        fs::rename(&file.path, queue.root().join(Folder::Dead.name()).join(name))?;
    }
    let run = Run {
        queue,
        transport,
        policy,
        now,
        budget: AtomicUsize::new(budget),
        halted: AtomicBool::new(false),
        chance: Mutex::new(chance),
        round: Mutex::new(Round { damaged, ..Round::default() }),
        failed: Mutex::new(None),
    };
    run.lanes(heads);
    let tried = budget - run.budget.load(Ordering::SeqCst);
    if let Some(pace) = policy.rate.filter(|_| tried > 0) {
        queue.set_busy(pace.after(busy, now, tried))?;
    }
    if let Some(error) = run.failed.into_inner().unwrap_or_else(|e| e.into_inner()) {
        return Err(error);
    }
    let round = run.round.into_inner().unwrap_or_else(|e| e.into_inner());
    if round.has_moved() {
        queue.sync()?;
    }
    Ok(round)
}

struct Run<'a> {
    queue: &'a Queue,
    transport: &'a dyn Transport,
    policy: &'a Policy,
    now: DateTime<Utc>,
    budget: AtomicUsize,
    halted: AtomicBool,
    chance: Mutex<&'a mut (dyn FnMut() -> f64 + Send)>,
    round: Mutex<Round>,
    failed: Mutex<Option<io::Error>>,
}

/// One person, one game.
fn key(head: &Head) -> (String, String) {
    (head.to.join(",").to_lowercase(), head.game.clone().unwrap_or_default())
}

impl Run<'_> {
    /// Spreads the recipients over the connections; what goes to one person stays in one lane, in order.
    fn lanes(&self, heads: Vec<Head>) {
        let newest: HashMap<_, _> = heads
            .iter()
            .filter(|h| self.policy.overtaken.contains(&h.kind))
            .map(|h| ((key(h), h.kind.clone()), h.id.clone()))
            .collect();
        let width = self.policy.concurrency.clamp(1, 64);
        let mut lanes: Vec<Vec<Head>> = (0..width).map(|_| Vec::new()).collect();
        let mut lane_of: HashMap<String, usize> = HashMap::new();
        for head in heads {
            let next = lane_of.len() % width;
            let lane = *lane_of.entry(key(&head).0).or_insert(next);
            if let Some(lane) = lanes.get_mut(lane) {
                lane.push(head);
            }
        }
        lanes.retain(|lane| !lane.is_empty());
        if lanes.len() <= 1 {
            for lane in lanes {
                self.lane(lane, &newest);
            }
            return;
        }
        std::thread::scope(|scope| {
            for lane in lanes {
                scope.spawn(|| self.lane(lane, &newest));
            }
        });
    }

    fn lane(&self, heads: Vec<Head>, newest: &HashMap<((String, String), String), String>) {
        let mut blocked: HashSet<(String, String)> = HashSet::new();
        for head in heads {
            let person = key(&head);
            let overtaken = newest.get(&(person.clone(), head.kind.clone())).is_some_and(|id| *id != head.id);
            let result = if overtaken {
                self.drop_senseless(head, "overtaken by a newer one")
            } else if head.expires.is_some_and(|at| at <= self.now) {
                self.drop_senseless(head, "what it announces has passed")
            } else {
                let behind = blocked.contains(&person) && self.now < head.created + self.policy.keep_order;
                if behind || head.not_before > self.now || self.halted.load(Ordering::SeqCst) || !self.may_try() {
                    blocked.insert(person);
                    self.with_round(|r| r.waiting += 1);
                    continue;
                }
                match self.attempt(head) {
                    Ok(true) => Ok(()),
                    Ok(false) => {
                        blocked.insert(person);
                        Ok(())
                    }
                    Err(error) => Err(error),
                }
            };
            if let Err(error) = result
                && error.kind() != io::ErrorKind::NotFound
            {
                self.halted.store(true, Ordering::SeqCst);
                *self.failed.lock().unwrap_or_else(|e| e.into_inner()) = Some(error);
                return;
            }
        }
    }

    fn may_try(&self) -> bool {
        self.budget.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
    }

    fn with_round(&self, change: impl FnOnce(&mut Round)) {
        change(&mut self.round.lock().unwrap_or_else(|e| e.into_inner()));
    }

    fn drop_senseless(&self, head: Head, why: &str) -> io::Result<()> {
        let mut entry = self.queue.load(Folder::New, &head.id)?;
        entry.head.last_error = Some(format!("not sent: {why}"));
        self.queue.transfer(&entry, Folder::New, Folder::Done)?;
        self.with_round(|r| r.dropped.push(entry.head));
        Ok(())
    }

    /// One attempt; whether the mail has left the queue.
    fn attempt(&self, head: Head) -> io::Result<bool> {
        let mut entry = self.queue.load(Folder::New, &head.id)?;
        let to = match &self.policy.redirect {
            Redirect::Off => entry.head.to.clone(),
            Redirect::To(address) => vec![address.clone()],
            Redirect::Nowhere => Vec::new(),
        };
        let result = if to.is_empty() {
            Ok("redirected to nowhere".to_owned())
        } else {
            let head = &entry.head;
            self.transport.send(&Outgoing {
                id: &head.id,
                from: &head.from,
                to: &to,
                game: head.game.as_deref(),
                kind: &head.kind,
                message: &entry.message,
            })
        };
        match result {
            Ok(_) => {
                let done = self.queue.path(Folder::Done, &head.id);
                fs::rename(self.queue.path(Folder::New, &head.id), &done)?;
                // The age that counts for pruning is that of the sending.
                File::options().write(true).open(&done)?.set_modified(self.now.into())?;
                self.with_round(|r| r.sent.push(head.id));
                Ok(true)
            }
            Err(Failure::Us(reason)) => {
                self.halted.store(true, Ordering::SeqCst);
                self.queue.stop(&reason)?;
                entry.head.last_error = Some(reason.clone());
                self.queue.store(Folder::New, &entry)?;
                self.with_round(|r| {
                    r.stopped = Some(reason);
                    r.waiting += 1;
                });
                Ok(false)
            }
            Err(Failure::Recipient(reason)) => {
                entry.head.tries += 1;
                self.bury(entry, reason)?;
                Ok(true)
            }
            Err(Failure::Later(reason)) => {
                entry.head.tries += 1;
                if self.now - entry.head.created >= self.policy.give_up {
                    self.bury(entry, format!("given up after {} attempts: {reason}", head.tries + 1))?;
                    return Ok(true);
                }
                let chance = (self.chance.lock().unwrap_or_else(|e| e.into_inner()))();
                entry.head.not_before = self.now + self.policy.pause(entry.head.tries, chance);
                entry.head.last_error = Some(reason);
                self.queue.store(Folder::New, &entry)?;
                self.with_round(|r| r.deferred.push(entry.head));
                Ok(false)
            }
        }
    }

    fn bury(&self, mut entry: super::Queued, reason: String) -> io::Result<()> {
        entry.head.last_error = Some(reason);
        self.queue.transfer(&entry, Folder::New, Folder::Dead)?;
        self.with_round(|r| r.dead.push(entry.head));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + seconds, 0).expect("a time")
    }

    #[test]
    fn a_burst_then_one_by_one() {
        let pace = Pace { count: 120, per: Duration::minutes(1) };
        assert_eq!(pace.allows(None, at(0)), 120);
        let busy = Some(pace.after(None, at(0), 120));
        assert_eq!([0, 1, 10, 60, 600].map(|s| pace.allows(busy, at(s))), [0, 2, 20, 120, 120]);
        // The clock was set back a day: it goes on as if the rate had just been used up.
        assert_eq!(pace.allows(busy, at(-86_400)), 0);
        let busy = Some(pace.after(busy, at(-86_400), 0));
        assert_eq!(pace.allows(busy, at(-86_340)), 120);
    }

    proptest! {
        #[test]
        fn never_more_than_twice_the_rate_in_its_time(count in 1u32..500, seconds in 1i64..4000, steps in proptest::collection::vec((0i64..90, 0usize..600), 1..60)) {
            let pace = Pace { count, per: Duration::seconds(seconds) };
            let (mut now, mut busy, mut sent) = (0, None, Vec::new());
            for (step, wanted) in steps {
                now += step;
                let tried = wanted.min(pace.allows(busy, at(now)));
                busy = Some(pace.after(busy, at(now), tried));
                sent.push((now, tried));
            }
            for (from, _) in &sent {
                let within: usize = sent.iter().filter(|(t, _)| (*from..from + seconds).contains(t)).map(|(_, n)| n).sum();
                prop_assert!(within <= 2 * count as usize, "{within} of {count} in {seconds} s");
            }
        }
    }
}
