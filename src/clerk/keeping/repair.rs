//! Mending what `verify` found and nobody need think about (OPS-103): first the plan, then its steps.
//!
//! A status file that cannot be used is replaced by the newest thing that agrees with the results: `status.backup` if it
//! is of the phase that is to be played, else what the last processed phase, decided again, leads to. The game waits
//! then (index state `waiting`), because orders handed in since are gone: its Master is told, and says ACTIVATE.

use super::game::{board, is_torn};
use super::site::at;
use super::{Clerk, ClerkError, Findings, Remedy};
use crate::archive::{Content, Entry, GameName, MAIL_WAIT, Transaction, fs};
use crate::clerk::stamp;
use crate::judge::{GameState, IndexLine};
use crate::mail::Letter;
use crate::status::Document;
use crate::status::index::derived_state;
use chrono::{DateTime, Utc};
use std::path::Path;

/// One step of a repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it mends.
    pub remedy: Remedy,
    /// What it does, or why nothing can be done.
    pub words: String,
    /// Whether it can be done.
    pub possible: bool,
}

/// Something to put in the place of a status file.
struct Copy {
    /// Where it is from, for people.
    from: String,
    bytes: Vec<u8>,
}

impl Clerk {
    /// What a repair would do now. Status files that can be read and have errors are left to their Masters unless the
    /// game is named.
    pub fn plan_repair(&self, named: &[String], now: DateTime<Utc>) -> Result<Vec<Step>, ClerkError> {
        let mut remedies: Vec<Remedy> = self.verify(false, now)?.into_iter().filter_map(|f| f.remedy).collect();
        remedies.sort();
        remedies.dedup();
        let wanted = |remedy: &Remedy| match remedy {
            Remedy::Status { game, faulty } => !faulty || named.iter().any(|name| name == game.as_str()),
            _ => true,
        };
        remedies.into_iter().filter(wanted).map(|remedy| self.step(remedy)).collect()
    }

    fn step(&self, remedy: Remedy) -> Result<Step, ClerkError> {
        let mut possible = true;
        let words = match &remedy {
            Remedy::Status { game, .. } => match self.good_copy(game)? {
                Some(copy) => format!(
                    "games/{game}/status: written anew from {}; what is there now is kept as status.damaged; the game waits for its Master",
                    copy.from
                ),
                None => {
                    possible = false;
                    format!("games/{game}/status: no copy agrees with the results; fetch the game from a backup")
                }
            },
            Remedy::Index(game) => format!("games/status: the line of {game} written anew from the game"),
            Remedy::Unindex(name) => format!("games/status: the line of {name} taken out"),
            Remedy::Bury(path, _) => {
                let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
                format!("{}: moved to dead/{name}", self.below(path))
            }
            Remedy::Ledger(month) => format!("ledger/{month}: lines that are none moved to dead/ledger.{month}"),
            Remedy::Publish => "web: every page written anew".into(),
        };
        Ok(Step { remedy, words, possible })
    }

    /// Does one step of a plan.
    pub fn mend(&self, step: &Step, now: DateTime<Utc>) -> Result<(), ClerkError> {
        match &step.remedy {
            Remedy::Status { game, .. } => self.mend_status(game, now),
            Remedy::Index(game) => self.mend_index(game, now),
            Remedy::Unindex(name) => {
                let lock = self.archive.lock_judge(MAIL_WAIT)?;
                let mut transaction = Transaction::of_judge(format!("{} repair: {name} leaves the index", stamp(now)));
                match GameName::old(name) {
                    Ok(game) => transaction.unindex(&game),
                    // No name of a game: no transaction can name it.
                    Err(_) => return self.strike_line(name),
                };
                self.archive.commit(&lock, transaction)?;
                Ok(())
            }
            Remedy::Bury(path, why) => self.bury(path, why),
            Remedy::Ledger(month) => self.mend_ledger(month),
            Remedy::Publish => self.publish_all(None, now).map(|_| ()),
        }
    }

    /// The newest thing that can be put in the place of a game's status file.
    fn good_copy(&self, game: &GameName) -> Result<Option<Copy>, ClerkError> {
        let filed = self.filed(game, &mut Findings::default())?;
        let backup = self.archive.read(game, "status.backup")?;
        if let Some(content) = backup.filter(is_sound) {
            let bytes = content.bytes.clone();
            if let Some(copy) = self.read_as(game, content)?.filter(|copy| copy.faults().is_empty()) {
                let played = filed.iter().any(|f| f.phase == copy.short_phase());
                let follows =
                    filed.last().is_none_or(|f| board(&f.record["after"]) == board(&copy.record_now()["state"]));
                if !played && follows && copy.position_fault().is_none() {
                    return Ok(Some(Copy { from: "status.backup".into(), bytes }));
                }
            }
        }
        let Some(last) = filed.last() else { return Ok(None) };
        let from = format!("status.{}, decided again", last.phase);
        Ok(self.successor(game, last)?.map(|bytes| Copy { from, bytes }))
    }

    fn mend_status(&self, game: &GameName, now: DateTime<Utc>) -> Result<(), ClerkError> {
        let lock = self.archive.lock(game, MAIL_WAIT)?;
        let old = self.archive.read(game, "status")?;
        let Some(copy) = self.good_copy(game)? else {
            return Err(ClerkError::Site(format!("games/{game}/status: there is nothing to write it from")));
        };
        let mut transaction = Transaction::of_game(game, format!("{} repair: status from {}", stamp(now), copy.from));
        transaction.expect("status", old.as_ref().map(|content| content.stamp))?;
        if let Some(old) = old {
            transaction.replace("status.damaged", old.bytes)?;
        }
        let Some(restored) = self.read_as(game, Content::new(copy.bytes.clone()))? else {
            return Err(ClerkError::Site(format!("games/{game}/status: {} cannot be read", copy.from)));
        };
        transaction.replace("status", copy.bytes)?;
        let running = !matches!(derived_state(restored.game()), GameState::Completed | GameState::Preparation);
        let state = if running { GameState::Waiting } else { derived_state(restored.game()) };
        let index = self.book()?.of(game.as_str()).cloned();
        let line = IndexLine {
            state,
            private: restored.game().private.is_some(),
            ..index.unwrap_or_else(|| restored.index().clone())
        };
        transaction.index(game, crate::status::index::line(&line));
        let seq = self.archive.seq(lock.owner())?;
        let table = restored.table(self.house(), 0, now);
        let mut to = table.master_addresses();
        to.extend(self.house().keepers.iter().cloned());
        to.dedup();
        for (n, to) in to.into_iter().enumerate() {
            let letter = Letter {
                to,
                game: Some(game.to_string()),
                notice: "N38".into(),
                subject: format!("Diplomacy game {game} repaired"),
                text: format!(
                    "The status file of game {game} was damaged. It has been written anew from {}.\nThe game is in {}; orders that were handed in for this phase are gone.\nIt waits: tell the players, and send ACTIVATE.\n",
                    copy.from,
                    table.phase()
                ),
                ..Letter::default()
            };
            self.enqueue(&mut transaction, &letter, &["repair", game.as_str(), &seq.to_string(), &n.to_string()], now)?;
        }
        self.mark(game);
        self.archive.commit(&lock, transaction)?;
        drop(lock);
        self.publish_dirty(now);
        Ok(())
    }

    /// The line of the index as the game has it; what the game does not say stays.
    fn mend_index(&self, game: &GameName, now: DateTime<Utc>) -> Result<(), ClerkError> {
        let lock = self.archive.lock(game, MAIL_WAIT)?;
        let Some(loaded) = self.load(game, now)? else { return Ok(()) };
        let mut line = loaded.index().clone();
        line.private = loaded.game().private.is_some();
        if !line.state.agrees(loaded.game()) {
            line.state = derived_state(loaded.game());
        }
        let mut transaction = Transaction::of_game(game, format!("{} repair: the line of the index", stamp(now)));
        transaction.index(game, crate::status::index::line(&line));
        self.mark(game);
        self.archive.commit(&lock, transaction)?;
        drop(lock);
        self.publish_dirty(now);
        Ok(())
    }

    /// Takes a line out of the index that cannot be the line of any game.
    fn strike_line(&self, name: &str) -> Result<(), ClerkError> {
        let _lock = self.archive.lock_index(MAIL_WAIT)?;
        let text = crate::archive::index::with_line(&self.archive.index()?, name, None);
        let path = self.site.layout.index();
        self.archive.fs().replace(&path, text.as_bytes(), fs::FILE).map_err(at(&path))
    }

    /// Moves a file to `dead/`, with the reason beside it.
    fn bury(&self, path: &Path, why: &str) -> Result<(), ClerkError> {
        let dead = &self.site.layout.dead;
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let reason = dead.join(format!("{name}.why"));
        let files = self.archive.fs();
        files.replace(&reason, format!("{}: {why}\n", self.below(path)).as_bytes(), fs::FILE).map_err(at(&reason))?;
        files.rename(path, &dead.join(name)).map_err(at(path))?;
        files.sync_directories([Some(dead.as_path()), path.parent()].into_iter().flatten()).map_err(at(dead))
    }

    fn mend_ledger(&self, month: &str) -> Result<(), ClerkError> {
        let _lock = self.archive.lock_ledger()?;
        let path = self.site.layout.ledger.join(month);
        let bytes = std::fs::read(&path).map_err(at(&path))?;
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            let whole = std::str::from_utf8(text).ok().and_then(Entry::parse).is_some();
            if whole { &mut good } else { &mut bad }.extend_from_slice(line);
        }
        let kept = self.site.layout.dead.join(format!("ledger.{month}"));
        self.archive.fs().replace(&kept, &bad, fs::FILE).map_err(at(&kept))?;
        self.archive.fs().replace(&path, &good, fs::FILE).map_err(at(&path))
    }
}

fn is_sound(content: &Content) -> bool {
    Document::parse(&content.bytes).is_ok_and(|document| !is_torn(&document) && !document.has_errors())
}
