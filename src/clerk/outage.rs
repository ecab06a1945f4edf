//! The keeper's answer to an outage (clock.md 12, OPS-084): suspend, resume, and move the deadlines that fell into it.
//! Each game is moved in a commit of its own; run again after a crash, none is moved twice.

use super::{Clerk, ClerkError, Loaded, stamp};
use crate::archive::{ArchiveError, GameName, MAIL_WAIT, Owner, Transaction};
use crate::clock::format::parse_stamp;
use crate::clock::{CheckTim, Extension, Schedule, Suspension, first_of_day};
use crate::judge::{GameState, account, extend, time};
use chrono::{DateTime, TimeDelta, Utc};

/// A deadline that was, or would be, moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Game.
    pub game: String,
    /// The deadline before, in words.
    pub from: String,
    /// The deadline after.
    pub to: String,
}

/// What an extension did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extended {
    /// Deadlines moved.
    pub moved: Vec<Moved>,
    /// Games that this very extension had moved before.
    pub before: Vec<String>,
    /// Games that could not be moved now, and why.
    pub failed: Vec<(String, String)>,
    /// Games that cannot be read, or are at odds with themselves, and why: the clock does nothing with them anyway.
    pub damaged: Vec<(String, String)>,
}

/// What resuming did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resumed {
    /// The suspension that ended; `None`: there was none.
    pub suspension: Option<Suspension>,
    /// The extension, if there was an outage and one was asked for.
    pub extension: Option<Extension>,
    /// Deadlines, with `--extend`.
    pub extended: Extended,
}

impl Clerk {
    /// Stops deadline work. Returns the suspension in force: an earlier one stays, since the outage is counted from it.
    pub fn suspend(&self, reason: &str, now: DateTime<Utc>) -> Result<Suspension, ClerkError> {
        self.suspend_since(reason, None, now)
    }

    /// The same after an outage that began elsewhere: `last` is a round of another judge, if one is known.
    pub(super) fn suspend_since(
        &self,
        reason: &str,
        last: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Result<Suspension, ClerkError> {
        let _lock = self.archive.lock_round()?;
        if let Some(there) = self.note::<Suspension>("suspended")? {
            return Ok(there);
        }
        let ours: Option<CheckTim> = self.note("check.tim")?;
        let since = ours.map(|ours| ours.time).or(last).map_or(now, |last| last.min(now));
        let suspension = Suspension { since, at: now, reason: reason.to_owned() };
        let mut transaction = Transaction::of_judge(format!("{} suspended: {}", stamp(now), suspension));
        transaction.replace("cron/suspended", format!("{suspension}\n"))?;
        let lock = self.archive.lock_judge(MAIL_WAIT)?;
        self.archive.commit(&lock, transaction)?;
        self.publish_notice();
        Ok(suspension)
    }

    /// Lets deadline work go on, as it is or after moving the deadlines that the outage has hit. While a game could not
    /// be moved the suspension stays, so that nobody is late because of it; only a damaged one does not hold up the
    /// others. Where there was no outage nothing is moved.
    pub fn resume(&self, extending: bool, dry: bool, now: DateTime<Utc>) -> Result<Resumed, ClerkError> {
        let _lock = self.archive.lock_round()?;
        let suspension: Option<Suspension> = self.note("suspended")?;
        let last: Option<CheckTim> = self.note("check.tim")?;
        let sched = &self.site.config.sched;
        let schedule = Schedule { round: sched.round.to_chrono(), guard: sched.guard.to_chrono() };
        // An outage that no round has noticed yet is one, too.
        let unnoticed = last.filter(|last| now - last.time > schedule.guard);
        let since = suspension.as_ref().map(|s| s.since).or(unnoticed.map(|last| last.time));
        let extension = since.filter(|_| extending).map(|since| Extension::after_outage(since, now));
        let mut extended = Extended::default();
        if let Some(extension) = &extension {
            let mark = format!("outage since {}:", stamp(extension.from));
            extended = self.extend_all(extension, &mark, dry, now)?;
        }
        if dry || !extended.failed.is_empty() {
            return Ok(Resumed { suspension, extension, extended });
        }
        // Nothing is to be forgiven where rounds are run as they should be.
        if let Some(last) = last
            && (since.is_some() || last.time > now)
        {
            let resumed = last.resumed(&schedule, now);
            if first_of_day(Some(last.time), now, sched.reminders.0) {
                self.owe_daily(resumed.time)?;
            }
            self.archive.write_note("check.tim", format!("{resumed}\n").as_bytes())?;
        }
        if suspension.is_some() {
            self.archive.remove_note("suspended")?;
            self.publish_notice();
        }
        Ok(Resumed { suspension, extension, extended })
    }

    /// The day began in the outage: its reminders go out with the next round.
    fn owe_daily(&self, since: DateTime<Utc>) -> Result<(), ClerkError> {
        let before = self.owed()?;
        let mut owed = before.clone();
        let over = |state| matches!(state, GameState::Completed | GameState::Terminated);
        self.book()?.lines().iter().filter(|l| !over(l.state)).for_each(|l| owed.add_daily(&l.name, since));
        Ok(self.keep_owed(&before, &owed)?)
    }

    /// Moves deadlines by hand.
    pub fn extend(&self, extension: &Extension, dry: bool, now: DateTime<Utc>) -> Result<Extended, ClerkError> {
        if extension.by <= TimeDelta::zero() || extension.to < extension.from {
            return Err(ClerkError::Site("nothing to extend: want --from not after --to, and --by above 0".into()));
        }
        let _lock = self.archive.lock_round()?;
        let (from, to) = (stamp(extension.from), stamp(extension.to));
        let mark = format!("extension {from} to {to} by {}m:", extension.by.num_minutes());
        self.extend_all(extension, &mark, dry, now)
    }

    fn extend_all(
        &self,
        extension: &Extension,
        mark: &str,
        dry: bool,
        now: DateTime<Utc>,
    ) -> Result<Extended, ClerkError> {
        let mut extended = Extended::default();
        let book = self.book()?;
        for name in book.lines().iter().filter(|l| l.state == GameState::Active).map(|l| l.name.as_str()) {
            if let Err(error) = self.extend_one(name, extension, mark, dry, now, &mut extended) {
                let later = error.is_temporary() || error.is_in_storing();
                let list = if later { &mut extended.failed } else { &mut extended.damaged };
                list.push((name.to_owned(), error.to_string()));
            }
        }
        if !dry {
            self.publish_dirty(now);
        }
        Ok(extended)
    }

    fn extend_one(
        &self,
        name: &str,
        extension: &Extension,
        mark: &str,
        dry: bool,
        now: DateTime<Utc>,
        extended: &mut Extended,
    ) -> Result<(), ClerkError> {
        let game = GameName::old(name)?;
        let lock = self.archive.lock(&game, MAIL_WAIT)?;
        let unreadable = || ClerkError::Site("its status file cannot be read".into());
        let mut tries = 0;
        loop {
            let loaded = self.load(&game, now)?.ok_or_else(unreadable)?;
            if self.was_extended(lock.owner(), &loaded, mark)? {
                extended.before.push(name.to_owned());
                return Ok(());
            }
            let seq = self.archive.seq(lock.owner())?;
            let seed = self.seed(&["extend", name, &seq.to_string()]);
            let mut table = loaded.table(&self.house, seed, now);
            let Some((old, outcome)) = extend::extend(&mut table, extension) else { return Ok(()) };
            let from = time::long(old, table.zone());
            let moved = Moved { game: name.to_owned(), from, to: table.deadline_long() };
            if dry {
                extended.moved.push(moved);
                return Ok(());
            }
            let mut decision = outcome.decision;
            decision.audit = format!("{mark} {}", decision.audit);
            let mut transaction = self.transaction(&game, &loaded, decision, seed, now)?;
            transaction.expect("status", loaded.stamp())?;
            self.mark(&game);
            match self.archive.commit(&lock, transaction) {
                Ok(_) => {
                    extended.moved.push(moved);
                    return Ok(());
                }
                // Somebody edits the file by hand just now.
                Err(ArchiveError::Changed(_)) if tries < 5 => tries += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Whether the deadline that stands is the one that this very extension has made. The deadline of a later phase, or
    /// one that somebody has set since, is another matter: it may lie in the same outage. The mark may be far back in the
    /// log, behind months of mail.
    fn was_extended(&self, owner: &Owner, loaded: &Loaded, mark: &str) -> Result<bool, ClerkError> {
        let log = self.archive.audit(owner)?;
        let made = log.iter().rev().filter(|line| line.deed().starts_with(mark)).find_map(|line| {
            let (_, stamp) = line.text.rsplit_once(" -> ")?;
            parse_stamp(stamp.trim())
        });
        Ok(made.is_some() && made == loaded.game().deadline)
    }

    /// How a game stands with the clock, in sentences (`clock explain`).
    pub fn explain_deadline(&self, name: &str, now: DateTime<Utc>) -> Result<String, ClerkError> {
        let missing = || ClerkError::Site(format!("no game {name} can be read here"));
        let game = self.existing(name)?.ok_or_else(missing)?;
        let loaded = self.load(&game, now)?.ok_or_else(missing)?;
        let table = loaded.table(&self.house, 0, now);
        let last: Option<CheckTim> = self.note("check.tim")?;
        let mut text = format!("Game {name}, {}, {}.\n", table.phase(), table.index.state.word());
        text += &match table.deadline() {
            Some(deadline) => format!("Its deadline is {}.\n", time::long(deadline, table.zone())),
            None => "It has no deadline now.\n".to_owned(),
        };
        text += "\nHow that came about:\n";
        account::sentences(&table).iter().for_each(|sentence| text += &format!("  {sentence}\n"));
        if let Some(suspension) = self.note::<Suspension>("suspended")? {
            text += &format!("\nAll deadline work is suspended: {suspension}\n");
        }
        text += &format!("\nA round now would {}.\n", time::verdict_words(&table, last.map(|l| l.time)));
        text += "\nA deadline set now, for a phase of this kind:\n";
        time::explain_next(&table).iter().for_each(|sentence| text += &format!("  {sentence}\n"));
        Ok(text)
    }
}
