//! Advisory locks (operations.md 7.2). The kernel frees them when their process dies, so no lock is ever stale and
//! lock files are never removed.
//!
//! Order, so that nobody waits in a circle: round, game locks in order of names, index, judge, ledger. A holder of a
//! later one never asks for an earlier one.

use super::error::{ArchiveError, At};
use super::fs::FILE;
use super::name::{GameName, Owner};
use fs2::FileExt;
use rustix::fs::OFlags;
use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long mail waits for a game.
pub const MAIL_WAIT: Duration = Duration::from_secs(60);
/// How long a web request waits.
pub const WEB_WAIT: Duration = Duration::from_secs(2);

/// The right to change what belongs to an [`Owner`]. Freed when dropped.
#[derive(Debug)]
pub struct OwnerLock {
    pub(super) owner: Owner,
    _file: File,
}

/// The lock of one game.
pub type GameLock = OwnerLock;

impl OwnerLock {
    /// Whose it is.
    pub fn owner(&self) -> &Owner {
        &self.owner
    }

    /// The game; `None` for the lock of the judge itself.
    pub fn game(&self) -> Option<&GameName> {
        match &self.owner {
            Owner::Game(game) => Some(game),
            Owner::Judge => None,
        }
    }

    pub(super) fn new(owner: Owner, file: File) -> OwnerLock {
        OwnerLock { owner, _file: file }
    }
}

/// A promise that nobody changes the game while several of its files are read.
#[derive(Debug)]
pub struct ReadLock(#[allow(dead_code)] pub(super) File);

/// The right to change the index of games, and to create, rename and purge.
#[derive(Debug)]
pub struct IndexLock(#[allow(dead_code)] pub(super) File);

/// The right to rewrite a file of the ledger.
#[derive(Debug)]
pub struct LedgerLock(#[allow(dead_code)] pub(super) File);

/// The right to run a round of the scheduler.
#[derive(Debug)]
pub struct RoundLock(#[allow(dead_code)] pub(super) File);

/// The right to send what is in the outbox.
#[derive(Debug)]
pub struct OutboxLock(#[allow(dead_code)] pub(super) File);

/// The right to work off what is in the spool, and to move the dead about.
#[derive(Debug)]
pub struct SpoolLock(#[allow(dead_code)] pub(super) File);

/// Exclusive or shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Exclusive,
    Shared,
}

/// Take the lock on that file, waiting so long at most.
pub(super) fn take(path: &Path, kind: Kind, wait: Duration) -> Result<File, ArchiveError> {
    let begun = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        let file = open(path)?;
        let taken = match kind {
            Kind::Exclusive => file.try_lock_exclusive(),
            Kind::Shared => FileExt::try_lock_shared(&file),
        };
        match taken {
            Ok(()) if same_file(&file, path)? => return Ok(file),
            // The game was renamed or purged while we waited: look again at what is there now.
            Ok(()) => continue,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error).at("lock", path),
        }
        let left = wait.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Err(ArchiveError::Busy(PathBuf::from(path)));
        }
        // flock has no time-out of its own.
        std::thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

fn open(path: &Path) -> Result<File, ArchiveError> {
    let flags = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or(0);
    let mut options = std::fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(FILE).custom_flags(flags);
    options.open(path).at("open", path)
}

fn same_file(file: &File, path: &Path) -> Result<bool, ArchiveError> {
    let held = file.metadata().at("read", path)?;
    match std::fs::symlink_metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (held.dev(), held.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).at("read", path),
    }
}
