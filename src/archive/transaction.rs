//! What is to change together: a list of operations that is built first, recorded whole, then applied
//! (operations.md 7.1, OPS-040).

use super::name::{GameName, NameError, SitePath, mail_id};
use crate::hex::hex;
use sha2::{Digest, Sha256};
use std::fmt;

/// Content of a file in short: the first twelve hex digits of its SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp([u8; 6]);

impl Stamp {
    /// The stamp of that content.
    pub fn of(bytes: &[u8]) -> Stamp {
        let mut stamp = [0; 6];
        stamp.iter_mut().zip(Sha256::digest(bytes)).for_each(|(to, from)| *to = from);
        Stamp(stamp)
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// All of it.
    pub bytes: Vec<u8>,
    /// Its stamp.
    pub stamp: Stamp,
}

impl Content {
    /// Stamp these bytes.
    pub fn new(bytes: Vec<u8>) -> Content {
        Content { stamp: Stamp::of(&bytes), bytes }
    }
}

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    Replace(SitePath, Vec<u8>),
    Append(SitePath, Vec<u8>),
    Rename(SitePath, SitePath),
    Remove(SitePath),
}

/// A line of the index of games; `None`: the game leaves the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IndexEdit {
    pub game: GameName,
    pub line: Option<String>,
}

/// Operations that happen together or not at all.
///
/// A transaction belongs to one game, or to the judge. Files of a game are named as they are in its directory
/// (`status`, `notes/FRANCE`), those of the judge by room and name (`registry/people`, `cron/suspended`).
#[derive(Clone, Debug, Default)]
pub struct Transaction {
    game: Option<GameName>,
    pub(super) edits: Vec<Edit>,
    pub(super) mails: Vec<(String, Vec<u8>)>,
    pub(super) ledger: Vec<(String, String)>,
    pub(super) index: Vec<IndexEdit>,
    pub(super) expected: Vec<(SitePath, Option<Stamp>)>,
    pub(super) move_to: Option<MoveTo>,
    pub(super) audit: String,
}

/// Where the whole directory of a game goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MoveTo {
    Game(GameName),
    Trash(String),
}

impl Transaction {
    /// A change of one game. `audit` is the line about it in `audit.log`: who, from where, what.
    pub fn of_game(game: &GameName, audit: impl Into<String>) -> Transaction {
        Transaction { game: Some(game.clone()), audit: audit.into(), ..Transaction::default() }
    }

    /// A change of what belongs to no game.
    pub fn of_judge(audit: impl Into<String>) -> Transaction {
        Transaction { audit: audit.into(), ..Transaction::default() }
    }

    /// The game; `None`: the judge.
    pub fn game(&self) -> Option<&GameName> {
        self.game.as_ref()
    }

    /// How many files it writes at the most: what several transactions put on the disk together are counted by.
    pub fn files(&self) -> usize {
        // The journal and the log are files, too.
        self.edits.len() + self.mails.len() + 2
    }

    fn path(&self, file: &str) -> Result<SitePath, NameError> {
        let path = match &self.game {
            Some(game) => SitePath::in_game(game, file)?,
            None => SitePath::new(file)?,
        };
        let foreign = self.game.is_none() && path.split().0 == "games";
        if foreign || path.as_str().ends_with("/audit.log") {
            return Err(NameError::Reserved(file.to_owned()));
        }
        Ok(path)
    }

    /// Write the file anew.
    pub fn replace(&mut self, file: &str, bytes: impl Into<Vec<u8>>) -> Result<&mut Self, NameError> {
        let path = self.path(file)?;
        self.edits.push(Edit::Replace(path, bytes.into()));
        Ok(self)
    }

    /// Write behind what the file holds.
    pub fn append(&mut self, file: &str, bytes: impl Into<Vec<u8>>) -> Result<&mut Self, NameError> {
        let path = self.path(file)?;
        self.edits.push(Edit::Append(path, bytes.into()));
        Ok(self)
    }

    /// Rename, over a file of that name if there is one.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<&mut Self, NameError> {
        let (from, to) = (self.path(from)?, self.path(to)?);
        self.edits.push(Edit::Rename(from, to));
        Ok(self)
    }

    /// Remove; a missing file is no error.
    pub fn remove(&mut self, file: &str) -> Result<&mut Self, NameError> {
        let path = self.path(file)?;
        self.edits.push(Edit::Remove(path));
        Ok(self)
    }

    /// Put a mail into the outbox. The id is its name there; a mail of that id is never queued twice.
    pub fn enqueue(&mut self, id: &str, bytes: impl Into<Vec<u8>>) -> Result<&mut Self, NameError> {
        self.mails.push((mail_id(id)?.to_owned(), bytes.into()));
        Ok(self)
    }

    /// Write a line into the ledger (OPS-031).
    pub fn ledger(&mut self, entry: &super::ledger::Entry) -> &mut Self {
        self.ledger.push((super::ledger::month(entry.time), entry.line()));
        self
    }

    /// Set the line of a game in the index.
    pub fn index(&mut self, game: &GameName, line: impl Into<String>) -> &mut Self {
        self.index.push(IndexEdit { game: game.clone(), line: Some(one_line(&line.into())) });
        self
    }

    /// Take the line of a game out of the index.
    pub fn unindex(&mut self, game: &GameName) -> &mut Self {
        self.index.push(IndexEdit { game: game.clone(), line: None });
        self
    }

    /// Refuse the commit with [`ArchiveError::Changed`](super::ArchiveError::Changed) if the file is no longer what
    /// was read (OPS-043); `None`: it was missing.
    pub fn expect(&mut self, file: &str, stamp: Option<Stamp>) -> Result<&mut Self, NameError> {
        let path = self.path(file)?;
        self.expected.push((path, stamp));
        Ok(self)
    }

    /// At the end, give the game's directory this name. The caller sets the lines of the index.
    pub fn move_game(&mut self, to: &GameName) -> &mut Self {
        self.move_to = Some(MoveTo::Game(to.clone()));
        self
    }

    /// At the end, move the game's directory to `trash/<game>.<time>`.
    pub fn trash_game(&mut self, time: chrono::DateTime<chrono::Utc>) -> &mut Self {
        let name = self.game.as_ref().map(GameName::to_string).unwrap_or_default();
        self.move_to = Some(MoveTo::Trash(format!("{name}.{}", time.format("%Y%m%dT%H%M%SZ"))));
        self
    }
}

/// Keep a line a line.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim_end().to_owned()
}
