//! The archive: the one room that writes a game.
//!
//! What it promises:
//!
//! * A [`Transaction`] happens as a whole or not at all, whatever dies when. It is recorded in a journal file whose
//!   rename is the commit point, then applied; what a crash interrupts is finished by whoever next takes the lock of
//!   that game, before he sees anything (operations.md 7.1).
//! * Files are replaced by renames, so that a reader who knows nothing of locks always sees a whole file.
//! * Results and the mails about them are stored together; a mail is queued once.
//! * What was done is in the [`ledger`] in the same commit, so a message is executed once.
//! * Different games never wait for each other, except for the moment in which a line of the index or of the ledger is
//!   written; such shared files are changed line by line, so that finishing an old commit never undoes a newer one.
//! * A failed fsync ends the process (OPS-044); a full disk before the commit point changes nothing, after it leaves
//!   the game blocked until there is room (OPS-049).
//!
//! The archive does not know what the bytes mean.

mod apply;
mod audit;
mod batch;
pub mod bundle;
mod commit;
mod error;
pub mod fs;
pub mod history;
pub mod index;
pub mod journal;
pub mod ledger;
mod lock;
mod name;
mod round;
mod spare;
pub mod spool;
mod trace;
mod transaction;

pub use audit::AuditLine;
pub use commit::{Receipt, Recovered};
pub use error::ArchiveError;
pub use fs::Fs;
pub use ledger::{Entry, Key, Ledger};
pub use lock::{
    GameLock, Held, IndexLock, LedgerLock, MAIL_WAIT, OutboxLock, OwnerLock, ReadLock, RoundLock, SpoolLock, WEB_WAIT,
    take_now,
};
pub use name::{GameName, NameError, Owner, SitePath, mail_id};
pub use round::LastRound;
pub use spool::Spool;
pub use trace::{GamesRoom, Trace};
pub use transaction::{Content, Stamp, Transaction};

use crate::site::Layout;
use chrono::{DateTime, Utc};
use error::At;
use lock::{Kind, take};
use spare::Spares;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The games of a site and all that is committed with them.
#[derive(Clone, Debug)]
pub struct Archive {
    layout: Layout,
    fs: Fs,
    min_free: u64,
    spares: Arc<Spares>,
}

impl Archive {
    /// The archive of that site; `min_free` is `limits.min_free` in bytes.
    pub fn new(layout: Layout, fs: Fs, min_free: u64) -> Archive {
        Archive { layout, fs, min_free, spares: Arc::default() }
    }

    /// Where everything is.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The hand that writes.
    pub fn fs(&self) -> &Fs {
        &self.fs
    }

    /// Take the lock of a game, waiting so long at most, and finish what a crash has left of its last commit.
    pub fn lock(&self, game: &GameName, wait: Duration) -> Result<GameLock, ArchiveError> {
        let owner = Owner::Game(game.clone());
        let directory = self.layout.game(game.as_str());
        if !directory.is_dir() {
            self.finish_move(&owner, wait)?;
        }
        let lock = match take(&directory.join(".lock"), Kind::Exclusive, wait) {
            Err(ArchiveError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return Err(ArchiveError::NoSuchGame(game.to_string()));
            }
            file => OwnerLock::new(owner, file?),
        };
        self.recover(&lock, None)?;
        if directory.is_dir() { Ok(lock) } else { Err(ArchiveError::NoSuchGame(game.to_string())) }
    }

    /// Take the lock of the judge itself: registry, scheduler's notes, answers about no game.
    pub fn lock_judge(&self, wait: Duration) -> Result<OwnerLock, ArchiveError> {
        let file = take(&self.layout.registry.join(".lock"), Kind::Exclusive, wait)?;
        let lock = OwnerLock::new(Owner::Judge, file);
        self.recover(&lock, None)?;
        Ok(lock)
    }

    /// Take the locks for a game that is to be made: its own, and the index. Refused if there is such a game.
    ///
    /// The game's directory exists afterwards; as long as it holds nothing but the lock file, there is no game.
    pub fn lock_new(&self, game: &GameName, wait: Duration) -> Result<(GameLock, IndexLock), ArchiveError> {
        let directory = self.layout.game(game.as_str());
        if !directory.is_dir() {
            self.finish_move(&Owner::Game(game.clone()), wait)?;
            self.fs.make_directory(&directory, fs::DIRECTORY).at("make", &directory)?;
        }
        let lock = self.lock(game, wait)?;
        let index = self.lock_index(wait)?;
        self.free_name(game)?;
        Ok((lock, index))
    }

    /// Take the locks for giving a game another name. Refused if there is a game of that name.
    pub fn lock_rename(
        &self,
        game: &GameName,
        to: &GameName,
        wait: Duration,
    ) -> Result<(GameLock, IndexLock), ArchiveError> {
        let lock = self.lock(game, wait)?;
        let index = self.lock_index(wait)?;
        self.free_name(to)?;
        Ok((lock, index))
    }

    fn free_name(&self, game: &GameName) -> Result<(), ArchiveError> {
        let indexed = self.index()?.lines().filter_map(index::name_of).any(|name| name == game.as_str());
        let directory = self.layout.game(game.as_str());
        if indexed || !fs::names(&directory).at("read", &directory)?.is_empty() {
            return Err(ArchiveError::GameExists(game.to_string()));
        }
        Ok(())
    }

    /// Take a lock for reading several files of a game that belong together.
    pub fn lock_shared(&self, game: &GameName, wait: Duration) -> Result<ReadLock, ArchiveError> {
        let owner = Owner::Game(game.clone());
        loop {
            if !self.pending(&owner)?.is_empty() || !self.layout.game(game.as_str()).is_dir() {
                drop(self.lock(game, wait)?);
            }
            let lock = ReadLock(take(&self.layout.game(game.as_str()).join(".lock"), Kind::Shared, wait)?);
            if self.pending(&owner)?.is_empty() {
                return Ok(lock);
            }
        }
    }

    /// Take the lock of the index: creation, renaming, purging, decisions about the list of games.
    pub fn lock_index(&self, wait: Duration) -> Result<IndexLock, ArchiveError> {
        take(&self.layout.games.join(".lock"), Kind::Exclusive, wait).map(IndexLock)
    }

    /// Take the lock of the scheduler's round; [`ArchiveError::Busy`] if a round is running.
    pub fn lock_round(&self) -> Result<RoundLock, ArchiveError> {
        take(&self.layout.cron.join(".lock"), Kind::Exclusive, Duration::ZERO).map(RoundLock)
    }

    /// Take the lock of the sender; [`ArchiveError::Busy`] if somebody is sending.
    pub fn lock_outbox(&self) -> Result<OutboxLock, ArchiveError> {
        take(&self.layout.outbox.join(".lock"), Kind::Exclusive, Duration::ZERO).map(OutboxLock)
    }

    /// Take the lock of the ledger's files. For repairs: commits take it themselves for the moment of writing a line.
    pub fn lock_ledger(&self) -> Result<LedgerLock, ArchiveError> {
        take(&self.layout.ledger.join(".lock"), Kind::Exclusive, MAIL_WAIT).map(LedgerLock)
    }

    /// Take the lock of the spool; [`ArchiveError::Busy`] if somebody works it off. One worker at a time keeps the order
    /// of arrival (OPS-033).
    pub fn lock_spool(&self) -> Result<SpoolLock, ArchiveError> {
        take(&self.layout.spool.join(".lock"), Kind::Exclusive, Duration::ZERO).map(SpoolLock)
    }

    /// A file of a game as it is now; `None` if it is missing.
    pub fn read(&self, game: &GameName, file: &str) -> Result<Option<Content>, ArchiveError> {
        self.read_site(&SitePath::in_game(game, file)?)
    }

    /// A file of the site as it is now; `None` if it is missing.
    pub fn read_site(&self, path: &SitePath) -> Result<Option<Content>, ArchiveError> {
        let path = self.resolve(path)?;
        Ok(fs::read(&path).at("read", &path)?.map(Content::new))
    }

    /// The text of the index; empty if there is none yet.
    pub fn index(&self) -> Result<String, ArchiveError> {
        let path = self.layout.index();
        let bytes = fs::read(&path).at("read", &path)?.unwrap_or_default();
        Ok(String::from_utf8(bytes).unwrap_or_else(|bad| bad.into_bytes().iter().map(|&b| char::from(b)).collect()))
    }

    /// Names of the game directories that hold a status file, in order.
    pub fn games(&self) -> Result<Vec<GameName>, ArchiveError> {
        let names = fs::names(&self.layout.games).at("read", &self.layout.games)?;
        let games = names.iter().filter_map(|name| GameName::old(name).ok());
        Ok(games.filter(|game| self.has_game(game)).collect())
    }

    /// Whether there is a game of that name: a directory that holds a status file.
    pub fn has_game(&self, game: &GameName) -> bool {
        self.layout.game(game.as_str()).join("status").is_file()
    }

    /// Names of the files of a game, dot files left out, in order.
    pub fn files(&self, game: &GameName) -> Result<Vec<String>, ArchiveError> {
        let directory = self.layout.game(game.as_str());
        fs::names(&directory).at("read", &directory)
    }

    /// Whether the game's status file is not what the last commit has left: edited by hand (OPS-043).
    /// A game without a commit of ours counts as edited.
    pub fn is_hand_edited(&self, game: &GameName) -> Result<bool, ArchiveError> {
        let now = self.read(game, "status")?.map(|content| content.stamp.to_string());
        let left = self.last_audit(&Owner::Game(game.clone()))?.and_then(|line| line.after);
        Ok(now != left)
    }

    /// The number of the last commit; 0 if there was none.
    pub fn seq(&self, owner: &Owner) -> Result<u64, ArchiveError> {
        Ok(self.last_audit(owner)?.map_or(0, |line| line.seq))
    }

    /// The ledger; `window` is `mail.in.dedup`.
    pub fn ledger(&self, window: chrono::Duration) -> Ledger {
        Ledger::open(&self.layout.ledger, window)
    }

    /// The spool of incoming mail.
    pub fn spool(&self) -> Spool {
        Spool::new(&self.layout.spool, &self.layout.dead, self.fs.clone(), self.min_free)
    }

    /// Remove what has been kept long enough: purged games after 30 days, ledger files after 400 (OPS-104).
    /// Gives the paths that are gone.
    pub fn expire(&self, now: DateTime<Utc>) -> Result<Vec<PathBuf>, ArchiveError> {
        let mut gone = Vec::new();
        for name in fs::names(&self.layout.trash).at("read", &self.layout.trash)? {
            let time = name
                .rsplit_once('.')
                .and_then(|(_, time)| chrono::NaiveDateTime::parse_from_str(time, "%Y%m%dT%H%M%SZ").ok());
            if time.is_some_and(|time| now.signed_duration_since(time.and_utc()).num_days() >= 30) {
                let path = self.layout.trash.join(name);
                self.fs.remove_tree(&path).at("remove", &path)?;
                gone.push(path);
            }
        }
        for month in ledger::months(&self.layout.ledger)? {
            if ledger::is_expired(&month, now) {
                let path = self.layout.ledger.join(month);
                self.fs.remove(&path).at("remove", &path)?;
                gone.push(path);
            }
        }
        Ok(gone)
    }

    /// Replace a small file of the scheduler on its own, durably (`suspended`).
    pub fn write_note(&self, name: &str, bytes: &[u8]) -> Result<(), ArchiveError> {
        let path = self.note(name)?;
        self.fs.replace(&path, bytes, fs::FILE).at("write", &path)
    }

    /// A small file of the scheduler.
    pub fn read_note(&self, name: &str) -> Result<Option<Vec<u8>>, ArchiveError> {
        let path = self.note(name)?;
        fs::read(&path).at("read", &path)
    }

    /// Remove a small file of the scheduler.
    pub fn remove_note(&self, name: &str) -> Result<(), ArchiveError> {
        let path = self.note(name)?;
        self.fs.remove(&path).at("remove", &path)?;
        self.fs.sync_directories(path.parent()).at("open", &path)
    }

    fn note(&self, name: &str) -> Result<PathBuf, ArchiveError> {
        self.resolve(&SitePath::new(&format!("cron/{name}"))?)
    }

    /// Where a path of the site is on the disk.
    pub fn resolve(&self, path: &SitePath) -> Result<PathBuf, ArchiveError> {
        let (room, rest) = path.split();
        let room = self.layout.room(room).ok_or_else(|| NameError::File(path.to_string()))?;
        Ok(room.join(rest))
    }

    /// Fail if less than `bytes` above the reserve are free (OPS-049).
    pub fn check_room(&self, bytes: u64) -> Result<(), ArchiveError> {
        check_room(&self.layout.root, bytes.saturating_add(self.min_free))
    }
}

fn check_room(path: &Path, wanted: u64) -> Result<(), ArchiveError> {
    let free = fs2::available_space(path).at("look for free room in", path)?;
    if free < wanted { Err(ArchiveError::NoRoom { free, wanted }) } else { Ok(()) }
}
