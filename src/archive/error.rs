//! What can go wrong in the archive, and whether trying again may help.

use super::name::{NameError, Owner};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// An archive call that did not do what was asked.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// There is no directory of that game.
    #[error("there is no game '{0}'")]
    NoSuchGame(String),
    /// A game of that name is there already.
    #[error("there is a game '{0}' already")]
    GameExists(String),
    /// Somebody else holds the lock.
    #[error("{}: locked by another process; try again", .0.display())]
    Busy(PathBuf),
    /// A commit is recorded but could not be applied; it will be finished before anything else is done (OPS-049).
    #[error("{owner}: commit {seq} is recorded and will be finished when possible: {source}")]
    Blocked {
        /// Whose commit.
        owner: Owner,
        /// Its number.
        seq: u64,
        /// Why it could not be finished now.
        source: Box<ArchiveError>,
    },
    /// Not enough room to begin a commit or to take a message.
    #[error("only {free} bytes are free, {wanted} are wanted (limits.min_free included)")]
    NoRoom {
        /// Free now.
        free: u64,
        /// Needed.
        wanted: u64,
    },
    /// A file was changed by somebody else since it was read (OPS-043): compute again.
    #[error("{}: changed by another hand since it was read", .0.display())]
    Changed(PathBuf),
    /// A file of the archive does not say what it should.
    #[error("{}: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong and what would be right.
        why: String,
    },
    /// A name that is refused.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// `read`, `write`, `rename`, …
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl ArchiveError {
    /// Whether the same call may succeed later: exit 75, not 1.
    pub fn is_temporary(&self) -> bool {
        match self {
            ArchiveError::Busy(_)
            | ArchiveError::Blocked { .. }
            | ArchiveError::NoRoom { .. }
            | ArchiveError::Changed(_) => true,
            ArchiveError::Io { source, .. } => {
                use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
                const TOO_MANY_FILES: [Option<i32>; 2] =
                    [Some(rustix::io::Errno::MFILE.raw_os_error()), Some(rustix::io::Errno::NFILE.raw_os_error())];
                matches!(source.kind(), StorageFull | QuotaExceeded | ReadOnlyFilesystem)
                    || TOO_MANY_FILES.contains(&source.raw_os_error())
            }
            _ => false,
        }
    }

    /// Whether something could not be stored: a trouble of the disk, whatever game was to be written.
    pub fn is_in_storing(&self) -> bool {
        match self {
            ArchiveError::Io { action, .. } => !matches!(*action, "read" | "open"),
            ArchiveError::Blocked { .. } | ArchiveError::NoRoom { .. } => true,
            _ => false,
        }
    }
}

/// Name the action and the file of a refused call.
pub(super) trait At<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, ArchiveError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, ArchiveError> {
        self.map_err(|source| ArchiveError::Io { action, path: path.to_owned(), source })
    }
}
