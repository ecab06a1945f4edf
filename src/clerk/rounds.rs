//! One round of the clock over all games (operations.md 10): the guard, the lock, each game by itself.

use super::{Clerk, ClerkError, stamp};
use crate::archive::{ArchiveError, GameName, MAIL_WAIT, Transaction};
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
    /// Only these games.
    pub games: Vec<String>,
}

/// What a round did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ticked {
    /// Games looked at.
    pub games: usize,
    /// Phases processed: game and phase.
    pub processed: Vec<(String, String)>,
    /// Games that could not be checked, and why.
    pub failed: Vec<(String, String)>,
    /// Why the round did nothing, if so.
    pub idle: Option<String>,
}

impl Clerk {
    /// One round.
    pub fn tick(&self, now: DateTime<Utc>, options: &TickOptions) -> Result<Ticked, ClerkError> {
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
        let round = Round { previous, daily: first_of_day(previous, now) };
        let mut names: Vec<String> =
            self.index()?.into_iter().filter(|l| worth_checking(l.state, round.daily)).map(|l| l.name).collect();
        names.sort();
        for name in names {
            if !options.games.is_empty() && !options.games.contains(&name) {
                continue;
            }
            ticked.games += 1;
            // One game's failure never stops the others (OPS-083).
            let checked =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.check(&name, next.round, round, now)));
            match checked {
                Ok(Ok(Some(phase))) => ticked.processed.push((name, phase)),
                Ok(Ok(None)) => {}
                Ok(Err(error)) => {
                    tracing::error!(game = name, %error, "round");
                    ticked.failed.push((name, error.to_string()));
                }
                Err(_) => {
                    tracing::error!(game = name, "the judge failed over this game");
                    ticked.failed.push((name, "the judge failed".into()));
                }
            }
        }
        if options.games.is_empty() {
            self.archive.write_note("check.tim", format!("{next}\n").as_bytes())?;
        }
        drop(lock);
        if let Err(error) = self.warn_of_outbox(now) {
            tracing::warn!(%error, "the outbox could not be looked at");
        }
        self.publish_dirty(now);
        Ok(ticked)
    }

    /// Checks one game; the phase that was processed, if one was. What a round commits says which round it was: where an
    /// interrupted round is run again, no game is counted twice (OPS-080).
    fn check(&self, name: &str, number: i64, round: Round, now: DateTime<Utc>) -> Result<Option<String>, ClerkError> {
        let game = GameName::old(name)?;
        match self.look(&game, now) {
            Ok(_) => {}
            Err(error) if error.is_temporary() => return Ok(None),
            Err(error) => return Err(error),
        }
        let lock = match self.archive.lock(&game, Duration::ZERO) {
            // Somebody is at it: next round.
            Err(ArchiveError::Busy(_)) => return Ok(None),
            lock => lock?,
        };
        for _ in 0..5 {
            let Some(loaded) = self.load(&game, now)? else { return Ok(None) };
            let seq = self.archive.seq(lock.owner())?;
            let seed = self.seed(&["round", name, &seq.to_string()]);
            let mut table = loaded.table(&self.house, seed, now);
            let before = table.phase();
            let Outcome { mut decision, reply } = round::check(&mut table, round);
            if decision.game.is_none()
                && decision.index.is_none()
                && decision.letters.is_empty()
                && decision.files.is_empty()
            {
                return Ok(None);
            }
            let mark = format!("round {number}:");
            if self.archive.recent_audit(lock.owner())?.iter().any(|line| line.deed().starts_with(&mark)) {
                return Ok(None);
            }
            let did = decision.audit.strip_prefix("round: ").unwrap_or("reminders");
            decision.audit = format!("{mark} {did}");
            let processed = decision.game.is_some() && reply.outcome == "process";
            let mut transaction = self.transaction(&game, &loaded, decision, seed, now)?;
            transaction.expect("status", loaded.stamp())?;
            self.mark(&game);
            match self.archive.commit(&lock, transaction) {
                Ok(_) => {
                    drop(lock);
                    return Ok(processed.then_some(before));
                }
                Err(ArchiveError::Changed(_)) => continue,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
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

    /// N63: one mail to the keepers for an outage, in one commit with the suspension.
    fn tell_outage(&self, suspension: &Suspension, now: DateTime<Utc>) -> Result<(), ClerkError> {
        let mut transaction = Transaction::of_judge("outage noticed");
        transaction.replace("cron/suspended", format!("{suspension}\n"))?;
        for (n, keeper) in self.house.keepers.iter().enumerate() {
            let letter = Letter {
                to: keeper.clone(),
                notice: "N63".into(),
                subject: "JUDGE server outage".into(),
                text: format!(
                    "There was {} at {}.\nDeadlines are not processed until you say  chancery clock resume  (as it is)\nor  chancery clock resume --extend  (deadlines that fell into the outage are moved).\nMail is taken and orders are stored meanwhile.\n",
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
