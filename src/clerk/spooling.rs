//! The spool is worked off (operations.md 6 and 7): the messages in order of arrival, those to different games put on the
//! disk together, so that they wait for it once.
//!
//! What it promises: for every sender and every game the order is that of arrival (OPS-033), because no two of one sender
//! or one game are in a burst; nothing else is committed while messages are aboard, so each sees what it would see if all
//! before it were committed one by one. A message that kills the worker is buried after three tries and never stops the
//! others (OPS-035): whatever was aboard with it is worked off one by one from then on, so that only the guilty is counted.

use super::incoming::Fate;
use super::rounds::{FILES, TOGETHER};
use super::{Clerk, ClerkError, failures};
use crate::archive::spool::{MessageName, Room, Spool};
use crate::archive::{ArchiveError, GameName, OwnerLock, Receipt, Transaction};
use chrono::{DateTime, Utc};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Games stay locked no longer than this while others come aboard: somebody at the web waits two seconds for one.
const PATIENCE: Duration = Duration::from_millis(250);

/// What one working-off of the spool did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Worked {
    /// Messages executed or answered.
    pub executed: usize,
    /// Dropped: automatic mail, loops, duplicates.
    pub dropped: usize,
    /// Kept for later: their game is locked or cannot be read.
    pub held: usize,
    /// Buried.
    pub dead: usize,
}

/// Whose mail waits for the next time, so that nothing overtakes it (OPS-033).
#[derive(Default)]
pub(super) struct Waiting {
    senders: HashSet<String>,
    /// Senders who wait for their wrong passwords, not for a game.
    slowed: HashSet<String>,
    games: HashSet<String>,
}

impl Waiting {
    /// Whether a message has to wait behind an earlier one; then it, too, is waited for.
    pub fn is_behind(&mut self, sender: &str, games: &[&str]) -> bool {
        // Nobody waits behind mail that wrong passwords hold up: they must not stop a game for the others (D5).
        if self.slowed.contains(sender) {
            return true;
        }
        let behind = self.senders.contains(sender) || games.iter().any(|game| self.games.contains(*game));
        if behind {
            self.add(sender, games);
        }
        behind
    }

    /// Further mail of that sender, and to these games, waits.
    pub fn add(&mut self, sender: &str, games: &[&str]) {
        self.senders.insert(sender.to_string());
        self.games.extend(games.iter().map(|game| game.to_string()));
    }

    /// Further mail of that sender waits, and nobody else's.
    pub fn slow(&mut self, sender: &str) {
        self.slowed.insert(sender.to_string());
    }

    /// Further mail to that game waits; its senders' other games need not wait for it.
    pub fn stop(&mut self, game: &str) {
        self.games.insert(game.to_string());
    }
}

/// A message that is decided and waits for its commit; its game stays locked until then.
pub(super) struct Aboard {
    pub name: MessageName,
    pub sender: String,
    pub game: GameName,
    pub lock: OwnerLock,
    pub transaction: Transaction,
    pub now: DateTime<Utc>,
}

/// Messages that are committed together, no two of one game or one sender.
#[derive(Default)]
pub(super) struct Burst {
    aboard: Vec<Aboard>,
    files: usize,
    since: Option<Instant>,
}

impl Burst {
    pub fn is_empty(&self) -> bool {
        self.aboard.is_empty()
    }

    /// Whether a message of that sender is aboard.
    pub fn is_of(&self, sender: &str) -> bool {
        self.aboard.iter().any(|a| a.sender == sender)
    }

    /// Whether a message to that game is aboard.
    pub fn has(&self, game: &str) -> bool {
        self.aboard.iter().any(|a| a.game.as_str() == game)
    }

    fn push(&mut self, aboard: Aboard) {
        self.files += aboard.transaction.files();
        self.since.get_or_insert_with(Instant::now);
        self.aboard.push(aboard);
    }

    fn is_full(&self) -> bool {
        self.aboard.len() >= TOGETHER
            || self.files >= FILES
            || self.since.is_some_and(|since| since.elapsed() >= PATIENCE)
    }
}

/// One working-off.
struct Shift<'c> {
    clerk: &'c Clerk,
    spool: Spool,
    worked: Worked,
    waiting: Waiting,
    burst: Burst,
}

impl Clerk {
    /// Works the spool off, in order of arrival.
    pub fn work(&self, now: DateTime<Utc>) -> Result<Worked, ClerkError> {
        failures::watch();
        let spool = self.archive.spool();
        // One worker at a time keeps the order of arrival (OPS-033); a second process finds the lock busy and goes.
        let lock = match self.archive.lock_spool() {
            Ok(lock) => lock,
            Err(ArchiveError::Busy(_)) => return Ok(Worked::default()),
            Err(error) => return Err(error.into()),
        };
        for name in spool.list(Room::Hold)? {
            if self.is_patient(&name)? {
                continue;
            }
            spool.shift(&name, Room::Hold, Room::New)?;
        }
        let names = spool.list(Room::New)?;
        let (worked, waiting, burst) = (Worked::default(), Waiting::default(), Burst::default());
        let mut shift = Shift { clerk: self, spool, worked, waiting, burst };
        let gone = names.iter().enumerate().try_for_each(|(n, name)| {
            // Mails of this message go out behind those of the one before.
            shift.next(name, now + chrono::Duration::microseconds(i64::try_from(n).unwrap_or(0)))
        });
        // What was decided before somebody's trouble is none of it.
        let committed = shift.commit();
        gone.and(committed)?;
        drop(lock);
        self.publish_dirty(now);
        Ok(shift.worked)
    }

    /// Whether anything waits in the spool.
    pub fn has_mail(&self) -> Result<bool, ClerkError> {
        Ok(!self.archive.spool().list(Room::New)?.is_empty())
    }
}

impl Shift<'_> {
    fn next(&mut self, name: &MessageName, now: DateTime<Utc>) -> Result<(), ClerkError> {
        if name.tries > 0 {
            // The worker has died over it, or beside it: nobody else is to be counted for that.
            self.commit()?;
        }
        let Some(begun) = self.spool.begin(name)? else {
            let why = "the judge died three times over this message";
            self.clerk.report_failure(name, why, now)?;
            self.spool.bury(name, Room::New, why)?;
            self.worked.dead += 1;
            return Ok(());
        };
        self.handle(begun, name.tries > 0, now)
    }

    /// A message whose try is counted. `alone`: it is committed by itself, and nobody is aboard.
    fn handle(&mut self, name: MessageName, alone: bool, now: DateTime<Utc>) -> Result<(), ClerkError> {
        let fate = loop {
            let message = || self.clerk.message(&name, &mut self.waiting, &self.burst, alone, now);
            match catch_unwind(AssertUnwindSafe(message)) {
                Ok(Ok(Fate::Behind)) => {
                    if let Err(error) = self.commit() {
                        self.spool.untry(&name)?;
                        return Err(error);
                    }
                }
                fate => break fate,
            }
        };
        match fate {
            Ok(Ok(Fate::Decided(aboard))) => {
                self.burst.push(*aboard);
                if self.burst.is_full() {
                    self.commit()?;
                }
            }
            // Met above.
            Ok(Ok(Fate::Behind)) => {}
            Ok(Ok(Fate::Executed)) => self.executed(&name)?,
            Ok(Ok(Fate::Dropped(reason))) => {
                tracing::info!(message = %name.file_name(), reason, "dropped");
                self.spool.shift(&name, Room::New, Room::Done)?;
                self.worked.dropped += 1;
            }
            Ok(Ok(Fate::Held)) => {
                self.hold(&name)?;
            }
            Ok(Ok(Fate::Waits(game))) => {
                let name = self.hold(&name)?;
                self.clerk.wait_for(&name, &game)?;
            }
            Ok(Ok(Fate::Quarantined(why))) => {
                self.spool.bury(&name, Room::New, &why)?;
                self.worked.dead += 1;
            }
            Ok(Err(error)) => {
                // Nothing was decided about the message: it stays where it is.
                self.spool.untry(&name)?;
                return Err(error);
            }
            Err(panic) => {
                let why = failures::told(panic.as_ref());
                tracing::error!(message = %name.file_name(), why = why.lines().next(), "the judge failed over a message");
                self.commit()?;
                self.clerk.report_failure(&name, &why, now)?;
                self.spool.bury(&name, Room::New, why.lines().next().unwrap_or_default())?;
                self.worked.dead += 1;
            }
        }
        Ok(())
    }

    fn executed(&mut self, name: &MessageName) -> Result<(), ClerkError> {
        self.spool.shift(name, Room::New, Room::Done)?;
        self.worked.executed += 1;
        Ok(())
    }

    fn hold(&mut self, name: &MessageName) -> Result<MessageName, ClerkError> {
        let name = self.spool.untry(name)?;
        self.worked.held += 1;
        Ok(self.spool.shift(&name, Room::New, Room::Hold)?)
    }

    /// Commits what is aboard. What befalls one message is told of that one; the first error that is about none of them
    /// is returned when all have had their turn.
    fn commit(&mut self) -> Result<(), ClerkError> {
        let Burst { aboard, .. } = std::mem::take(&mut self.burst);
        let (mut batch, mut told) = (Vec::with_capacity(aboard.len()), Vec::with_capacity(aboard.len()));
        for Aboard { name, sender, game, lock, transaction, now } in aboard {
            self.clerk.mark(&game);
            batch.push((lock, transaction));
            told.push((name, sender, game, now));
        }
        if batch.is_empty() {
            return Ok(());
        }
        let Ok(outcomes) = catch_unwind(AssertUnwindSafe(|| self.clerk.archive.commit_all(batch))) else {
            // Over which of them nobody knows. Their tries stay counted: each is alone the next time.
            return Err(ClerkError::Site("the judge failed over a commit of several mails".into()));
        };
        let (mut trouble, mut again) = (Ok(()), Vec::new());
        for ((name, sender, game, now), outcome) in told.into_iter().zip(outcomes) {
            match self.committed(&name, &sender, &game, outcome) {
                Ok(true) => {}
                Ok(false) => again.push((name, now)),
                Err(error) => trouble = trouble.and(Err(error)),
            }
        }
        for (name, now) in again {
            let done = self.handle(name, true, now);
            trouble = trouble.and(done);
        }
        trouble
    }

    /// What a commit means for its message. `false`: somebody has edited the game's file meanwhile, it is decided again on
    /// what stands there now (OPS-043).
    fn committed(
        &mut self,
        name: &MessageName,
        sender: &str,
        game: &GameName,
        outcome: Result<Receipt, ArchiveError>,
    ) -> Result<bool, ClerkError> {
        match outcome {
            Ok(_) => self.executed(name)?,
            Err(ArchiveError::Changed(_)) => return Ok(false),
            // Blocked: recorded, and finished as soon as there is room; then the ledger knows the message.
            Err(ArchiveError::Busy(_) | ArchiveError::Blocked { .. }) => {
                self.waiting.add(sender, &[game.as_str()]);
                self.hold(name)?;
            }
            Err(error) => {
                self.spool.untry(name)?;
                return Err(error.into());
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::Waiting;

    #[test]
    fn nothing_overtakes_what_waits_and_wrong_passwords_stop_nobody_else() {
        let mut waiting = Waiting::default();
        waiting.add("ann", &["ash"]);
        assert!(waiting.is_behind("ann", &["birch"]), "hers");
        assert!(waiting.is_behind("bob", &["birch"]), "behind her second mail, which waits behind her first");
        assert!(waiting.is_behind("bob", &[]) && !waiting.is_behind("cy", &["cedar"]));

        let mut waiting = Waiting::default();
        waiting.slow("guesser");
        assert!(waiting.is_behind("guesser", &["ash"]));
        assert!(!waiting.is_behind("ann", &["ash"]), "a guesser must not stop a game (D5)");

        waiting.stop("elm");
        assert!(waiting.is_behind("ann", &["elm"]) && !waiting.is_behind("bob", &["ash"]));
    }
}
