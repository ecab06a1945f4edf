//! One round of the clock over all games (operations.md 10): the guard, the lock, each game by itself. A game that the
//! agenda knows to sleep, and that nobody has touched since, is not opened.

use super::agenda::Agenda;
use super::{Clerk, ClerkError, stamp};
use crate::archive::{ArchiveError, Entry, GameName, Key, MAIL_WAIT, Stamp, Transaction};
use crate::clock::format;
use crate::clock::round::{CheckTim, Permit, Schedule, Suspension, first_of_day, permit};
use crate::judge::GameState;
use crate::judge::round::{self, Round};
use crate::judge::session::Outcome;
use crate::mail::Letter;
use chrono::{DateTime, Utc};
use std::time::Duration;

/// How a round is run.
#[derive(Clone, Debug, Default)]
pub struct TickOptions {
    /// One round regardless of an outage.
    pub no_guard: bool,
    /// Only active games: no reminder about one that is not played.
    pub active: bool,
    /// Only the daily reminders: no game is checked, and no round counted.
    pub reminders: bool,
    /// Only these games.
    pub games: Vec<String>,
}

/// What a round did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ticked {
    /// Games that the round was about.
    pub games: usize,
    /// Those of them whose files were opened; the others sleep.
    pub opened: usize,
    /// Phases processed: game and phase.
    pub processed: Vec<(String, String)>,
    /// Games that could not be checked, and why.
    pub failed: Vec<(String, String)>,
    /// Why the round did nothing, if so.
    pub idle: Option<String>,
}

/// What a check of a game came to.
enum Checked {
    /// A phase was processed, or something else was done, or somebody was at it.
    Awake(Option<String>),
    /// There is nothing to do until then, unless the game changes.
    Asleep(DateTime<Utc>),
}

impl Clerk {
    /// One round, and the pages of what it has changed.
    pub fn tick(&self, now: DateTime<Utc>, options: &TickOptions) -> Result<Ticked, ClerkError> {
        let ticked = self.round(now, options)?;
        if ticked.idle.is_none() {
            self.publish_dirty(now);
        }
        Ok(ticked)
    }

    /// One round.
    pub fn round(&self, now: DateTime<Utc>, options: &TickOptions) -> Result<Ticked, ClerkError> {
        let mut ticked = Ticked::default();
        let lock = match self.archive.lock_round() {
            Ok(lock) => lock,
            Err(ArchiveError::Busy(_)) => {
                ticked.idle = Some("another round is running".into());
                return Ok(ticked);
            }
            Err(error) => return Err(error.into()),
        };
        let last: Option<CheckTim> = self.note("check.tim")?;
        let suspended: Option<Suspension> = self.note("suspended")?;
        let sched = &self.site.config.sched;
        let schedule = Schedule { round: sched.round.to_chrono(), guard: sched.guard.to_chrono() };
        let next = match permit(&schedule, last.as_ref(), suspended.as_ref(), now, options.no_guard) {
            Permit::Run(next) => next,
            Permit::Counted if options.reminders => CheckTim { round: schedule.number(now), time: now },
            Permit::Counted => {
                ticked.idle = Some("this round was counted already".into());
                return Ok(ticked);
            }
            Permit::Suspended => {
                ticked.idle = Some("suspended: chancery clock resume".into());
                return Ok(ticked);
            }
            Permit::SetBack(by) => {
                ticked.idle = Some(format!("the clock was set back by {} minutes", by.num_minutes()));
                return Ok(ticked);
            }
            Permit::Outage(suspension) => {
                self.tell_outage(&suspension, now)?;
                ticked.idle = Some(format!("suspended: {}", suspension.reason));
                return Ok(ticked);
            }
        };
        let previous = last.map(|l| l.time);
        let daily = options.reminders || first_of_day(previous, now);
        let round = Round { previous, daily, only_daily: options.reminders };
        let everything = options.games.is_empty() && !options.reminders;
        let (world, book, unfinished) = (self.world(), self.book()?, self.archive.unfinished()?);
        // Who asks for a game by name wants it looked at.
        let before = if everything { self.agenda(&world) } else { Agenda::default() };
        let (mut sleepers, mut after) = (before.in_order(), Agenda::default());
        let daily = daily && !options.active;
        for line in book.lines().iter().filter(|line| worth_checking(line.state, daily)) {
            let name = line.name.as_str();
            if !options.games.is_empty() && !options.games.contains(&line.name) {
                continue;
            }
            ticked.games += 1;
            let checked = GameName::old(name).map_err(ClerkError::from).and_then(|game| {
                let glimpse = self.glimpse(&game, line)?;
                if let Some(entry) = sleepers.sleeping(name, glimpse.mark, now)
                    && !unfinished.contains(&game)
                {
                    after.push(entry.clone());
                    return Ok(None);
                }
                ticked.opened += 1;
                let checked = self.check_apart(&game, next.round, round, now)?;
                if let Checked::Asleep(until) = checked
                    && let Some(entry) = glimpse.entry(name, until)
                {
                    after.push(entry);
                }
                Ok(Some(checked))
            });
            match checked {
                Ok(Some(Checked::Awake(Some(phase)))) => ticked.processed.push((line.name.clone(), phase)),
                Ok(_) => {}
                Err(error) => {
                    tracing::error!(game = name, %error, "round");
                    let why = error.to_string();
                    // Of a full or failing disk the log and the exit code tell: a mail would have to be stored, too.
                    if !error.is_temporary()
                        && !error.is_in_storing()
                        && let Err(error) = self.tell_failure(name, &why, now)
                    {
                        tracing::error!(game = name, %error, "the keeper could not be told");
                    }
                    ticked.failed.push((line.name.clone(), why));
                }
            }
        }
        if everything {
            self.archive.write_note("check.tim", format!("{next}\n").as_bytes())?;
            if after != before {
                self.keep_agenda(&after, &world);
            }
        }
        drop(lock);
        if let Err(error) = self.warn_of_outbox(now) {
            tracing::warn!(%error, "the outbox could not be looked at");
        }
        Ok(ticked)
    }

    /// Checks one game. Whatever it comes to, the others are checked too (OPS-083).
    fn check_apart(
        &self,
        game: &GameName,
        number: i64,
        round: Round,
        now: DateTime<Utc>,
    ) -> Result<Checked, ClerkError> {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.check(game, number, round, now)))
            .unwrap_or_else(|_| Err(ClerkError::Site("the judge failed over this game".into())))
    }

    /// Checks one game. What a round commits says which round it was: where an interrupted round is run again, no game is
    /// counted twice (OPS-080).
    fn check(&self, game: &GameName, number: i64, round: Round, now: DateTime<Utc>) -> Result<Checked, ClerkError> {
        match self.look(game, now) {
            Ok(_) => {}
            Err(error) if error.is_temporary() => return Ok(Checked::Awake(None)),
            Err(error) => return Err(error),
        }
        let lock = match self.archive.lock(game, Duration::ZERO) {
            // Somebody is at it: next round.
            Err(ArchiveError::Busy(_)) => return Ok(Checked::Awake(None)),
            lock => lock?,
        };
        for _ in 0..5 {
            let Some(loaded) = self.load(game, now)? else { return Ok(Checked::Awake(None)) };
            // Asked under the lock: somebody who commits writes both (status-file.md 10.3).
            if !loaded.index().state.agrees(loaded.game()) {
                let text = format!(
                    "STATE AND PHASE DISAGREE: {}, {}; chancery repair mends the index",
                    loaded.index().state.word(),
                    loaded.short_phase()
                );
                return Err(ClerkError::Site(text));
            }
            let seq = self.archive.seq(lock.owner())?;
            let seed = self.seed(&["round", game.as_str(), &seq.to_string()]);
            let mut table = loaded.table(&self.house, seed, now);
            let before = table.phase();
            let outlook = round::outlook(&table, round);
            let warning = outlook.warning.map(|span| span.to_string()).unwrap_or_default();
            let deadline = table.game.deadline.map(format::stamp).unwrap_or_default();
            let occasion = [before.as_str(), deadline.as_str(), warning.as_str()];
            let Outcome { mut decision, reply } = round::check(&mut table, round);
            let told = self.untold(game, occasion, &mut decision.letters, now)?;
            if decision.game.is_none()
                && decision.index.is_none()
                && decision.letters.is_empty()
                && decision.files.is_empty()
            {
                return Ok(outlook.rest_until.map_or(Checked::Awake(None), Checked::Asleep));
            }
            let mark = if round.only_daily { format!("reminders {number}:") } else { format!("round {number}:") };
            if self.archive.recent_audit(lock.owner())?.iter().any(|line| line.deed().starts_with(&mark)) {
                return Ok(Checked::Awake(None));
            }
            let did = decision.audit.strip_prefix("round: ").unwrap_or("reminders");
            decision.audit = format!("{mark} {did}");
            let processed = decision.game.is_some() && reply.outcome == "process";
            let mut transaction = self.transaction(game, &loaded, decision, seed, now)?;
            for entry in &told {
                transaction.ledger(entry);
            }
            transaction.expect("status", loaded.stamp())?;
            self.mark(game);
            match self.archive.commit(&lock, transaction) {
                Ok(_) => {
                    drop(lock);
                    return Ok(Checked::Awake(processed.then_some(before)));
                }
                Err(ArchiveError::Changed(_)) => continue,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Checked::Awake(None))
    }

    /// Leaves of these letters those that were not sent before: a reminder goes out once for a WARN entry of a deadline
    /// (OPS-082), an error is told the keeper once. What the ledger has to learn about the others.
    fn untold(
        &self,
        game: &GameName,
        [phase, deadline, warning]: [&str; 3],
        letters: &mut Vec<Letter>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Entry>, ClerkError> {
        let (mut told, mut kept) = (Vec::new(), Vec::new());
        for letter in letters.drain(..) {
            let key = match letter.notice.as_str() {
                "N10" => Key::of_reminder(game.as_str(), phase, deadline, warning, &letter.to),
                "N62" => Key::of("failure", &format!("{game}:{}:{}", letter.to, Stamp::of(letter.text.as_bytes()))),
                _ => {
                    kept.push(letter);
                    continue;
                }
            };
            if !self.is_done(&key, Some(game.as_str()), now)? {
                told.push(Entry { key, time: now, game: Some(game.to_string()), outcome: "sent".into() });
                kept.push(letter);
            }
        }
        *letters = kept;
        Ok(told)
    }

    /// N62 about a game that could not be checked: to the keepers, once for each error.
    fn tell_failure(&self, game: &str, why: &str, now: DateTime<Utc>) -> Result<(), ClerkError> {
        let mark = format!("{game}:{}", Stamp::of(why.as_bytes()));
        let key = Key::of("failure", &mark);
        let lock = self.archive.lock_judge(MAIL_WAIT)?;
        if self.is_done(&key, None, now)? {
            return Ok(());
        }
        let mut transaction = Transaction::of_judge(format!("{} game {game} failed in a round", stamp(now)));
        transaction.ledger(&Entry { key, time: now, game: None, outcome: "sent".into() });
        for (n, keeper) in self.house.keepers.iter().enumerate() {
            let letter = Letter {
                to: keeper.clone(),
                game: Some(game.to_owned()),
                notice: "N62".into(),
                subject: format!("Diplomacy adjudication error! ({game})"),
                text: format!(
                    "Game {game} could not be checked at {}:\n\n{why}\n\nIt stays as it is and is tried again in every round; this error is not mailed again.\n",
                    stamp(now)
                ),
                ..Letter::default()
            };
            self.enqueue(&mut transaction, &letter, &["failed", &mark, &n.to_string()], now)?;
        }
        self.archive.commit(&lock, transaction)?;
        Ok(())
    }

    /// A note of the scheduler; one that cannot be read counts as missing, and is told.
    pub(super) fn note<T: std::str::FromStr<Err: std::fmt::Display>>(
        &self,
        name: &str,
    ) -> Result<Option<T>, ClerkError> {
        let Some(bytes) = self.archive.read_note(name)? else { return Ok(None) };
        match String::from_utf8_lossy(&bytes).trim().parse() {
            Ok(note) => Ok(Some(note)),
            Err(error) => {
                tracing::warn!(%error, "a note of the scheduler cannot be read");
                Ok(None)
            }
        }
    }

    /// Active games whose deadline fell into an outage, a line each.
    fn missed(&self, since: DateTime<Utc>, now: DateTime<Utc>) -> Result<Vec<String>, ClerkError> {
        let (book, agenda) = (self.book()?, self.agenda(&self.world()));
        let mut sleepers = agenda.in_order();
        let mut missed = Vec::new();
        for line in book.lines().iter().filter(|line| line.state == GameState::Active) {
            let Ok(game) = GameName::old(&line.name) else { continue };
            // Who sleeps on has no deadline before now.
            let mark = self.glimpse(&game, line).ok().and_then(|glimpse| glimpse.mark);
            if sleepers.sleeping(&line.name, mark, now).is_some() {
                continue;
            }
            // A game that cannot be read now is told about by the round that cannot check it.
            let Ok(Some(loaded)) = self.load(&game, now) else { continue };
            let table = loaded.table(&self.house, 0, now);
            let fell = |deadline| (since..=now).contains(&table.deadline_utc(deadline));
            if table.game.deadline.is_some_and(fell) {
                missed.push(format!("  {game}: {}\n", table.deadline_long()));
            }
        }
        Ok(missed)
    }

    /// N63: one mail to the keepers for an outage, in one commit with the suspension.
    fn tell_outage(&self, suspension: &Suspension, now: DateTime<Utc>) -> Result<(), ClerkError> {
        let missed = self.missed(suspension.since, now)?;
        let hit = match missed.as_slice() {
            [] => "No deadline fell into it.".to_owned(),
            games => format!("Deadlines that fell into it:\n\n{}", games.concat()),
        };
        let mut transaction = Transaction::of_judge("outage noticed");
        transaction.replace("cron/suspended", format!("{suspension}\n"))?;
        for (n, keeper) in self.house.keepers.iter().enumerate() {
            let letter = Letter {
                to: keeper.clone(),
                notice: "N63".into(),
                subject: "JUDGE server outage".into(),
                text: format!(
                    "There was {} at {}.\nDeadlines are not processed until you say  chancery clock resume  (as it is)\nor  chancery clock resume --extend  (deadlines that fell into the outage are moved).\nMail is taken and orders are stored meanwhile.\n\n{hit}\n",
                    suspension.reason,
                    stamp(now)
                ),
                ..Letter::default()
            };
            self.enqueue(&mut transaction, &letter, &["outage", &stamp(suspension.since), &n.to_string()], now)?;
        }
        let lock = self.archive.lock_judge(MAIL_WAIT)?;
        self.archive.commit(&lock, transaction)?;
        Ok(())
    }
}

/// Finished games are not read; forming ones only for the daily reminder.
fn worth_checking(state: GameState, daily: bool) -> bool {
    match state {
        GameState::Active => true,
        GameState::Completed | GameState::Terminated => false,
        _ => daily,
    }
}
