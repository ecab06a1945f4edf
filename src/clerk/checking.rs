//! One game in a round of the clock: looked at, read and decided under its lock, up to the transaction that the round
//! commits with others. Each game is apart (OPS-083): neither a panic nor a hang in one stops the others.

use super::agenda::Mark;
use super::hand::Hand;
use super::{Clerk, ClerkError};
use crate::archive::{ArchiveError, AuditLine, Content, Entry, GameName, Key, OwnerLock, Stamp, Transaction};
use crate::clock::format;
use crate::judge::round::{self, Round};
use crate::judge::session::Outcome;
use crate::mail::Letter;
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a check of a game came to.
pub(super) enum Checked {
    /// Nothing to be done about it here: it was done before, or is no game any more.
    Awake,
    /// Somebody else is at it.
    Busy,
    /// There is nothing to do until then, unless the game changes.
    Asleep(DateTime<Utc>),
    /// Something is to be committed.
    Decided(Box<Decided>),
}

/// A game that was decided; it stays locked until its change is committed.
pub(super) struct Decided {
    pub game: GameName,
    pub lock: OwnerLock,
    pub transaction: Transaction,
    /// The phase that is over with it.
    pub processed: Option<String>,
    /// The round as the game has it.
    pub round: Round,
}

/// A game that was taken to hand.
struct Taken {
    lock: OwnerLock,
    /// The status file; `None`: there is none.
    content: Option<Content>,
    /// The last lines of the log.
    audit: Vec<AuditLine>,
}

impl Taken {
    /// Whether the status file is what the last commit has left (OPS-043).
    fn is_as_left(&self) -> bool {
        let now = self.content.as_ref().map(|content| content.stamp.to_string());
        now == self.audit.last().and_then(|line| line.after.clone())
    }
}

/// Games that are being checked now; those that stay here hang.
#[derive(Default)]
pub(super) struct AtHand(Mutex<BTreeSet<String>>);

impl AtHand {
    fn games(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Whether that game is being checked.
    pub fn has(&self, game: &str) -> bool {
        self.games().contains(game)
    }
}

/// The checks of one round.
pub(super) struct Checks {
    clerk: Arc<Clerk>,
    hand: Hand<(GameName, Round, Option<Mark>), Result<Checked, ClerkError>>,
}

impl Checks {
    /// Those of the round of that number.
    pub fn new(clerk: &Arc<Clerk>, number: i64, now: DateTime<Utc>) -> Checks {
        let checker = Arc::clone(clerk);
        let hand = Hand::new(move |(game, round, sound): (GameName, Round, Option<Mark>)| {
            let check = std::panic::AssertUnwindSafe(|| checker.check(&game, number, round, sound, now));
            let checked = std::panic::catch_unwind(check)
                .unwrap_or_else(|_| Err(ClerkError::Site("the judge failed over this game".into())));
            checker.at_hand.games().remove(game.as_str());
            checked
        });
        Checks { clerk: Arc::clone(clerk), hand }
    }

    /// Checks a game; `meanwhile` is called when that takes long. `sound`: so marked, its file is known to be without fault.
    pub fn check(
        &mut self,
        game: &GameName,
        round: Round,
        sound: Option<Mark>,
        meanwhile: impl FnOnce(),
    ) -> Result<Checked, ClerkError> {
        if !self.clerk.at_hand.games().insert(game.to_string()) {
            return Err(ClerkError::Site("the check of an earlier round still hangs over this game".into()));
        }
        let limit = self.clerk.site.config.sched.limit.0;
        self.hand.does((game.clone(), round, sound), limit, meanwhile).unwrap_or_else(|| {
            Err(ClerkError::Site(format!("its check took longer than {} s and was given up", limit.as_secs())))
        })
    }
}

impl Clerk {
    /// What a round does about one game. The audit line says which round it was: where an interrupted round is run again,
    /// no game is counted twice (OPS-080).
    fn check(
        &self,
        game: &GameName,
        number: i64,
        round: Round,
        sound: Option<Mark>,
        now: DateTime<Utc>,
    ) -> Result<Checked, ClerkError> {
        let Some(Taken { lock, content, audit }) = self.take_up(game, now)? else { return Ok(Checked::Busy) };
        let Some(content) = content else { return Ok(Checked::Awake) };
        // The mark is looked at after the file was read: if it is the same, so was the file.
        let sound = sound.is_some() && sound == self.mark_of(game)?;
        let loaded = if sound { self.load_sound(game, content)? } else { self.load_from(game, content)? };
        let Some(loaded) = loaded else { return Ok(Checked::Awake) };
        // Asked under the lock: somebody who commits writes both (status-file.md 10.3).
        if !loaded.index().state.agrees(loaded.game()) {
            let text = format!(
                "STATE AND PHASE DISAGREE: {}, {}; chancery repair mends the index",
                loaded.index().state.word(),
                loaded.short_phase()
            );
            return Err(ClerkError::Site(text));
        }
        let seq = audit.last().map_or(0, |line| line.seq);
        let seed = self.seed(&["round", game.as_str(), &seq.to_string()]);
        let mut table = loaded.table(&self.house, seed, now);
        let before = table.phase();
        let outlook = round::outlook(&table, round);
        let warning = outlook.warning.map(|span| span.to_string()).unwrap_or_default();
        let deadline = table.game.deadline.map(format::stamp).unwrap_or_default();
        let Outcome { mut decision, reply } = round::check(&mut table, round);
        let told = self.untold(game, [&before, &deadline, &warning], &mut decision.letters, now)?;
        if decision.game.is_none()
            && decision.index.is_none()
            && decision.letters.is_empty()
            && decision.files.is_empty()
        {
            return Ok(outlook.rest_until.map_or(Checked::Awake, Checked::Asleep));
        }
        let mark = if round.only_daily { format!("reminders {number}:") } else { format!("round {number}:") };
        if audit.iter().any(|line| line.deed().starts_with(&mark)) {
            return Ok(Checked::Awake);
        }
        let did = decision.audit.strip_prefix("round: ").unwrap_or("reminders");
        decision.audit = format!("{mark} {did}");
        let processed = decision.game.is_some() && reply.outcome == "process";
        let mut transaction = self.transaction(game, &loaded, decision, seed, now)?;
        for entry in &told {
            transaction.ledger(entry);
        }
        transaction.expect("status", loaded.stamp())?;
        let processed = processed.then_some(before);
        Ok(Checked::Decided(Box::new(Decided { game: game.clone(), lock, transaction, processed, round })))
    }

    /// Takes a game to hand: locked, and read as its last commit has left it; what was edited by hand is looked at first.
    /// `None`: somebody else has it.
    fn take_up(&self, game: &GameName, now: DateTime<Utc>) -> Result<Option<Taken>, ClerkError> {
        let at_once = || -> Result<Option<Taken>, ClerkError> {
            let lock = match self.archive.lock(game, Duration::ZERO) {
                Err(ArchiveError::Busy(_)) => return Ok(None),
                lock => lock?,
            };
            let (content, audit) = (self.archive.read(game, "status")?, self.archive.recent_audit(lock.owner())?);
            Ok(Some(Taken { lock, content, audit }))
        };
        match at_once()? {
            Some(taken) if !taken.is_as_left() => {
                drop(taken);
                match self.look_quietly(game, Duration::ZERO, now) {
                    Ok(_) => at_once(),
                    Err(error) if error.is_temporary() => Ok(None),
                    Err(error) => Err(error),
                }
            }
            taken => Ok(taken),
        }
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
}
