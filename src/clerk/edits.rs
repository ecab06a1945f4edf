//! Status files that another hand has changed (OPS-043, OPS-050): a Master with an editor, an import, a repair.
//!
//! What it promises: a valid edit is taken over as it stands – comments and order of lines included – and becomes the
//! base of the next change; clear passwords in it are hashed (D7); its pages are written anew. What it does to the clock
//! follows, and everybody is told (`judge::edited`). An edit with errors stops
//! the game: nothing is processed, Master and keepers get one mail for each state of error with the line quoted, and the
//! mail for the game waits until the file is mended.

use super::{Clerk, ClerkError, Loaded, secrets::PhcSecrets, stamp};
use crate::archive::spool::MessageName;
use crate::archive::{ArchiveError, Content, Entry, GameName, Key, MAIL_WAIT, Stamp, Transaction};
use crate::hex::hex;
use crate::judge::edited::{self, Former};
use crate::judge::session::Sender;
use crate::judge::table::{Secrets, Table};
use crate::judge::{GameState, IndexLine, account};
use crate::mail::intake::Intake;
use crate::mail::{Auto, Letter};
use crate::status::{Diagnostic, Document, Game, HAS_NO_DEADLINE, PhaseState};
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

/// How many committed texts are remembered for `status.backup`.
const REMEMBERED: usize = 256;

/// What a look at a status file found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// It is as the last commit has left it.
    Untouched,
    /// A valid edit, taken over.
    Taken,
    /// An edit with so many errors: the game is stopped.
    Faulty(usize),
}

/// What the clerk keeps in mind about hand edits; all of it can be lost without harm.
#[derive(Default)]
pub(super) struct Memory {
    /// Status files as they were committed or read without a fault, for `status.backup`.
    good: Mutex<HashMap<String, (Stamp, Vec<u8>)>>,
    /// Messages in the hold: the game each waits for, and the faulty file it has seen.
    patient: Mutex<HashMap<MessageName, (GameName, Stamp)>>,
}

impl Memory {
    /// A text that was committed.
    pub fn committed(&self, game: &GameName, bytes: &[u8]) {
        if let Ok(mut good) = self.good.lock() {
            if good.len() >= REMEMBERED {
                good.clear();
            }
            good.insert(game.to_string(), (Stamp::of(bytes), bytes.to_vec()));
        }
    }

    /// A text that was read without a fault: kept unless something is known already.
    pub fn read(&self, game: &GameName, stamp: Stamp, bytes: &[u8]) {
        if let Ok(mut good) = self.good.lock()
            && good.len() < REMEMBERED
        {
            good.entry(game.to_string()).or_insert_with(|| (stamp, bytes.to_vec()));
        }
    }

    fn last(&self, game: &GameName, stamp: &str) -> Option<Vec<u8>> {
        let good = self.good.lock().ok()?;
        good.get(game.as_str()).filter(|(s, _)| s.to_string() == stamp).map(|(_, bytes)| bytes.clone())
    }

    /// Forget what waits for what: everything in the hold is tried once more.
    pub fn lose_patience(&self) {
        if let Ok(mut patient) = self.patient.lock() {
            patient.clear();
        }
    }
}

impl Clerk {
    /// Looks at a status file that may have been edited by hand. Cheap when it was not.
    pub fn look(&self, game: &GameName, now: DateTime<Utc>) -> Result<Sight, ClerkError> {
        let sight = self.look_quietly(game, MAIL_WAIT, now)?;
        if sight != Sight::Untouched {
            self.publish_dirty(now);
        }
        Ok(sight)
    }

    /// The same for somebody who publishes later what has changed, and waits no longer than that for the game.
    pub(super) fn look_quietly(
        &self,
        game: &GameName,
        wait: Duration,
        now: DateTime<Utc>,
    ) -> Result<Sight, ClerkError> {
        if !self.archive.is_hand_edited(game)? {
            return Ok(Sight::Untouched);
        }
        let lock = self.archive.lock(game, wait)?;
        // The editor may save again while we look (OPS-043).
        for _ in 0..5 {
            if !self.archive.is_hand_edited(game)? {
                return Ok(Sight::Untouched);
            }
            let Some(content) = self.archive.read(game, "status")? else { return Ok(Sight::Untouched) };
            let audit = self.archive.recent_audit(lock.owner())?;
            let last = audit.last();
            let seq = self.archive.seq(lock.owner())?;
            let faults = self.faults(game, &content.bytes, now)?;
            let before = last.and_then(|l| l.after.as_deref()).and_then(|s| self.memory.last(game, s));
            let mendable = faults.iter().all(|fault| fault.text == HAS_NO_DEADLINE);
            let taken =
                if mendable { self.takeover(game, seq, before.as_deref(), !faults.is_empty(), now)? } else { None };
            let (mut transaction, sight) = if let Some(taken) = taken {
                (taken, Sight::Taken)
            } else {
                let mark = digest(&faults);
                let told = last.is_some_and(|l| l.text.ends_with(&mark));
                let mut transaction = Transaction::of_game(
                    game,
                    format!("{} edited by hand, {} errors {mark}", stamp(now), faults.len()),
                );
                if !told {
                    self.tell_faults(&mut transaction, game, &content.bytes, before.as_deref(), &faults, seq, now)?;
                }
                (transaction, Sight::Faulty(faults.len()))
            };
            if let Some(before) = before {
                transaction.replace("status.backup", before)?;
            }
            transaction.expect("status", Some(content.stamp))?;
            self.mark(game);
            match self.archive.commit(&lock, transaction) {
                Ok(_) => return Ok(sight),
                Err(ArchiveError::Changed(_)) => continue,
                Err(error) => return Err(error.into()),
            }
        }
        Err(ArchiveError::Changed(self.archive.layout().game(game.as_str()).join("status")).into())
    }

    /// Looks at every game of the site, as at the start of a daemon.
    pub fn look_all(&self, now: DateTime<Utc>) -> Result<(), ClerkError> {
        for game in self.game_names()? {
            if let Err(error) = self.look(&game, now) {
                tracing::warn!(%game, %error, "a status file could not be looked at");
            }
        }
        Ok(())
    }

    /// Errors of a status file with their lines; empty: none.
    fn faults(&self, game: &GameName, bytes: &[u8], now: DateTime<Utc>) -> Result<Vec<Diagnostic>, ClerkError> {
        if let Err(refused) = Document::parse(bytes) {
            return Ok(vec![Diagnostic::error(1, 1, refused.to_string(), "")]);
        }
        let none = || vec![Diagnostic::error(1, 1, "the file cannot be read", "")];
        Ok(match self.load(game, now)? {
            Some(loaded) => loaded.faults().to_vec(),
            None => none(),
        })
    }

    /// The transaction that takes a valid edit over, and draws its consequences. `None`: the game has no deadline, and none
    /// follows from what was there before.
    fn takeover(
        &self,
        game: &GameName,
        seq: u64,
        before: Option<&[u8]>,
        wants_deadline: bool,
        now: DateTime<Utc>,
    ) -> Result<Option<Transaction>, ClerkError> {
        let what = if before.is_some() || seq > 0 { "edited by hand" } else { "taken over" };
        let Some(loaded) = self.load(game, now)? else {
            return Ok(Some(Transaction::of_game(game, format!("{} {what}", stamp(now)))));
        };
        let seed = self.seed(&["edit", game.as_str(), &seq.to_string()]);
        let secrets = PhcSecrets::new(&self.known, self.secret, seed);
        let mut table = loaded.table(&self.house, seed, now);
        let former = self.former(game, &table, before, now)?;
        // Where no deadline is possible the file stays in error.
        let Ok(mut decision) = edited::follow(&mut table, former) else { return Ok(None) };
        if wants_deadline && table.game.deadline.is_none() {
            return Ok(None);
        }
        crate::judge::upkeep::keep_need(&mut table);
        let kept = with_hashes(&table.game, &secrets);
        let mut index = IndexLine { private: kept.private.is_some(), ..loaded.index().clone() };
        // A Master who writes the end of a game himself.
        if loaded.game().phase == PhaseState::Completed {
            index.state = GameState::Completed;
        }
        decision.index = (index != *loaded.index()).then_some(index);
        if kept == *loaded.game() {
            self.memory.committed(game, &loaded.bytes());
        } else {
            decision.game = Some(kept);
        }
        decision.audit = match decision.audit.as_str() {
            "" => what.to_owned(),
            so => format!("{what}: {so}"),
        };
        Ok(Some(self.transaction(game, &loaded, decision, seed, now)?))
    }

    /// The clock of the game before it was edited: as the text of the last commit has it, if that is remembered, else as
    /// the account of its deadline says, else whether the phase before was played without any.
    fn former(
        &self,
        game: &GameName,
        table: &Table,
        before: Option<&[u8]>,
        now: DateTime<Utc>,
    ) -> Result<Former, ClerkError> {
        let of = |bytes: Vec<u8>| -> Result<Former, ClerkError> {
            let loaded = self.read_as(game, Content::new(bytes))?;
            Ok(loaded.map_or(Former::Unknown, |loaded| Former::of(&loaded.table(&self.house, 0, now))))
        };
        if let Some(before) = before {
            return of(before.to_vec());
        }
        let filed = account::filed(table);
        if filed != Former::Unknown {
            return Ok(filed);
        }
        let newest = self.archive.snapshots(game)?.into_iter().rev().find(|s| s.branch.is_none());
        let Some(content) = newest.map(|s| self.archive.read(game, &s.file_name())).transpose()?.flatten() else {
            return Ok(Former::Unknown);
        };
        Ok(match of(content.bytes)? {
            Former::Without => Former::Without,
            // The deadline of a phase that is over.
            Former::At(..) | Former::Unknown => Former::Unknown,
        })
    }

    /// N38, at once: what is wrong, where, and what would be right.
    #[allow(clippy::too_many_arguments)]
    fn tell_faults(
        &self,
        transaction: &mut Transaction,
        game: &GameName,
        bytes: &[u8],
        before: Option<&[u8]>,
        faults: &[Diagnostic],
        seq: u64,
        now: DateTime<Utc>,
    ) -> Result<(), ClerkError> {
        let mut to = self.house.keepers.clone();
        for text in [Some(bytes), before].into_iter().flatten() {
            if let Ok(document) = Document::parse(text) {
                to.extend(masters(document.game()));
            }
        }
        let mut text = format!(
            "The status file of game {game} was edited and has errors now. Until it is mended nothing is processed,\nand mail for the game waits.\n\n"
        );
        let lines: Vec<String> = String::from_utf8_lossy(bytes).lines().map(str::to_string).collect();
        for fault in faults {
            text.push_str(&format!("games/{game}/status:{}: {}\n", fault.line, fault.text));
            if let Some(line) = fault.line.checked_sub(1).and_then(|n| lines.get(n)) {
                text.push_str(&format!("    > {}\n", quoted(line)));
            }
            if !fault.hint.is_empty() {
                text.push_str(&format!("    want {}\n", fault.hint));
            }
            text.push('\n');
        }
        match self.last_good(game, before)? {
            Some(file) => text.push_str(&format!("The last good copy is games/{game}/{file}.\n")),
            None => text.push_str("There is no older copy of it.\n"),
        }
        text.push_str(&format!("{}/game/{game}/\n", self.house.url));
        let mut told: Vec<String> = Vec::new();
        for to in to {
            if told.iter().any(|t| t.eq_ignore_ascii_case(&to)) {
                continue;
            }
            let letter = Letter {
                to: to.clone(),
                game: Some(game.to_string()),
                notice: "N38".into(),
                subject: format!("Diplomacy ERRORS ({game})"),
                text: text.clone(),
                ..Letter::default()
            };
            let event = ["faults", game.as_str(), &seq.to_string(), &told.len().to_string()];
            self.enqueue(transaction, &letter, &event, now)?;
            told.push(to);
        }
        Ok(())
    }

    /// The newest copy that can be put back.
    fn last_good(&self, game: &GameName, before: Option<&[u8]>) -> Result<Option<String>, ClerkError> {
        if before.is_some() {
            return Ok(Some("status.backup".into()));
        }
        let snapshots = self.archive.snapshots(game)?;
        let newest = snapshots.iter().rev().find(|s| s.branch.is_none()).map(|s| s.file_name());
        Ok(newest)
    }

    /// Tells the sender of a message, once, that it waits because the game's file has errors.
    pub(super) fn tell_waiting(
        &self,
        key: &Key,
        mail: &Intake,
        from: &Sender,
        game: &str,
        now: DateTime<Utc>,
    ) -> Result<(), ClerkError> {
        let waits = Key::of("waits", key.as_str());
        let lock = self.archive.lock_judge(MAIL_WAIT)?;
        if self.is_done(&waits, None, now)? {
            return Ok(());
        }
        let mut transaction = Transaction::of_judge(format!("mail of {} waits for game {game}", from.address));
        transaction.ledger(&Entry { key: waits, time: now, game: None, outcome: "held".into() });
        let letter = Letter {
            to: from.address.clone(),
            game: Some(game.to_string()),
            notice: "reply".into(),
            subject: format!("Re: {}", mail.subject),
            text: format!(
                "Your mail about game {game} has arrived and is kept. The file of the game has errors; its Master knows.\nAs soon as they are mended your mail is worked off as if it had come without delay, and you get the answer.\nYou need not send it again.\n"
            ),
            auto: Auto::Replied,
            in_reply_to: mail.message_id.clone(),
            references: mail.thread(),
            ..Letter::default()
        };
        self.enqueue(&mut transaction, &letter, &["waits", key.as_str(), "0"], now)?;
        self.archive.commit(&lock, transaction)?;
        Ok(())
    }

    /// Notes for which game a message in the hold waits.
    pub(super) fn wait_for(&self, name: &MessageName, game: &str) -> Result<(), ClerkError> {
        let game = GameName::old(game)?;
        if let Some(content) = self.archive.read(&game, "status")?
            && let Ok(mut patient) = self.memory.patient.lock()
        {
            patient.insert(name.clone(), (game, content.stamp));
        }
        Ok(())
    }

    /// Whether a message in the hold still has nothing to hope for: its game's file is the one it has seen.
    pub(super) fn is_patient(&self, name: &MessageName) -> Result<bool, ClerkError> {
        let waits = self.memory.patient.lock().ok().and_then(|patient| patient.get(name).cloned());
        let Some((game, seen)) = waits else { return Ok(false) };
        let same = self.archive.read(&game, "status")?.is_some_and(|content| content.stamp == seen);
        if !same && let Ok(mut patient) = self.memory.patient.lock() {
            patient.remove(name);
        }
        Ok(same)
    }

    /// Whether mail for that game has to wait (OPS-050).
    pub(super) fn is_stopped(&self, loaded: &Loaded) -> bool {
        !loaded.errors().is_empty()
    }
}

/// The same game with every clear password hashed (D7, D27).
pub fn with_hashes(game: &Game, secrets: &dyn Secrets) -> Game {
    let mut next = game.clone();
    let all = std::iter::once(&mut next.password).chain(next.participants.iter_mut().map(|p| &mut p.password));
    for password in all.flatten() {
        if !password.starts_with("$argon2") {
            *password = secrets.hash(password);
        }
    }
    next
}

/// Where the Master is reached.
fn masters(game: &Game) -> Vec<String> {
    if !game.address.is_empty() {
        return game.address.clone();
    }
    let person = game.master.as_ref().and_then(|m| m.person());
    person.map(|p| p.addresses.clone()).unwrap_or_default()
}

/// A line for a mail: no password leaves the judge (OPS-073).
fn quoted(line: &str) -> String {
    let word = line.split_whitespace().next().unwrap_or_default();
    if word.eq_ignore_ascii_case("PASSWORD") {
        return "PASSWORD ***".into();
    }
    line.chars().take(200).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A word for a state of error: what is wrong, wherever it stands.
fn digest(faults: &[Diagnostic]) -> String {
    let mut hash = Sha256::new();
    for fault in faults {
        hash.update(fault.text.as_bytes());
        hash.update([0]);
    }
    format!("[{}]", hex(hash.finalize().iter().take(6)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_lines_show_no_password() {
        assert_eq!(quoted("password  heron7 x"), "PASSWORD ***");
        assert_eq!(quoted("DELAY\t73"), "DELAY 73");
    }

    #[test]
    fn a_state_of_error_is_what_is_wrong_not_where() {
        let at = |line, text: &str| Diagnostic::error(line, 1, text, "");
        assert_eq!(digest(&[at(3, "TWO DEADLINES")]), digest(&[at(7, "TWO DEADLINES")]));
        assert_ne!(digest(&[at(3, "TWO DEADLINES")]), digest(&[at(3, "BAD TIMING")]));
    }
}
