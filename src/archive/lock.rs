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
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long mail waits for a game.
pub const MAIL_WAIT: Duration = Duration::from_secs(60);
/// How long a web request waits.
pub const WEB_WAIT: Duration = Duration::from_secs(2);

/// A lock that is held. Freed when dropped, and at once: a program that is being started at that moment has inherited
/// the file, so that merely closing ours would leave the lock with it until it runs.
#[derive(Debug)]
pub struct Held(File);

impl Drop for Held {
    fn drop(&mut self) {
        // Should it fail, closing the file frees the lock a little later.
        let _ = FileExt::unlock(&self.0);
    }
}

/// Takes the exclusive lock on that file, which is created where there is none, unless somebody has it.
pub fn take_now(path: &Path) -> io::Result<Option<Held>> {
    attempt(File::options().create(true).truncate(false).write(true).open(path)?, Kind::Exclusive)
}

/// The lock on an open file; `None`: somebody has it.
fn attempt(file: File, kind: Kind) -> io::Result<Option<Held>> {
    let taken = match kind {
        Kind::Exclusive => file.try_lock_exclusive(),
        Kind::Shared => FileExt::try_lock_shared(&file),
    };
    match taken {
        Ok(()) => Ok(Some(Held(file))),
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}

/// The right to change what belongs to an [`Owner`]. Freed when dropped.
#[derive(Debug)]
pub struct OwnerLock {
    pub(super) owner: Owner,
    _held: Held,
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

    pub(super) fn new(owner: Owner, held: Held) -> OwnerLock {
        OwnerLock { owner, _held: held }
    }
}

/// A promise that nobody changes the game while several of its files are read.
#[derive(Debug)]
pub struct ReadLock(#[allow(dead_code)] pub(super) Held);

/// The right to change the index of games, and to create, rename and purge.
#[derive(Debug)]
pub struct IndexLock(#[allow(dead_code)] pub(super) Held);

/// The right to rewrite a file of the ledger.
#[derive(Debug)]
pub struct LedgerLock(#[allow(dead_code)] pub(super) Held);

/// The right to run a round of the scheduler.
#[derive(Debug)]
pub struct RoundLock(#[allow(dead_code)] pub(super) Held);

/// The right to send what is in the outbox.
#[derive(Debug)]
pub struct OutboxLock(#[allow(dead_code)] pub(super) Held);

/// The right to work off what is in the spool, and to move the dead about.
#[derive(Debug)]
pub struct SpoolLock(#[allow(dead_code)] pub(super) Held);

/// Exclusive or shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Exclusive,
    Shared,
}

/// Take the lock on that file, waiting so long at most.
pub(super) fn take(path: &Path, kind: Kind, wait: Duration) -> Result<Held, ArchiveError> {
    let begun = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match attempt(open(path)?, kind) {
            Ok(Some(held)) if same_file(&held.0, path)? => return Ok(held),
            // The game was renamed or purged while we waited: look again at what is there now.
            Ok(Some(_)) => continue,
            Ok(None) => {}
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_let_go_is_free_though_another_process_still_has_the_file() {
        let directory = tempfile::tempdir().expect("directory");
        let path = directory.path().join(".lock");
        let held = take_now(&path).expect("open").expect("free");
        assert!(take_now(&path).expect("open").is_none());
        // What a program that is being started inherits: the same open file.
        let inherited = held.0.try_clone().expect("duplicate");
        drop(held);
        assert!(take_now(&path).expect("open").is_some());
        drop(inherited);
    }
}
