//! What tells, without reading a file, that it is the one that was read before.

use super::error::{ArchiveError, At};
use super::journal::Record;
use super::name::{GameName, Owner};
use super::{Archive, fs};
use rustix::fs::AtFlags;
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The clock of a file system that shows parts of a second ticks at least so often.
const FINE: Duration = Duration::from_millis(50);
/// One that shows whole seconds only (FAT counts in twos).
const COARSE: Duration = Duration::from_secs(2);

/// Identity and times of a file. Every way of changing a file changes its trace – the time of the last change of its
/// inode cannot be set by hand –, except that two changes within one tick of the file system's clock may look alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace {
    device: u64,
    inode: u64,
    length: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

impl Trace {
    /// The trace of a file now; `None` if it is missing. Symbolic links are not followed.
    pub fn of(path: &Path) -> io::Result<Option<Trace>> {
        let data = match std::fs::symlink_metadata(path) {
            Ok(data) => data,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(Some(Trace::known(&data)))
    }

    /// The trace of a file of which this is known.
    pub(super) fn known(data: &Metadata) -> Trace {
        Trace {
            device: data.dev(),
            inode: data.ino(),
            length: data.len(),
            written: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
        }
    }

    /// Whether both are of one file, however it has changed, and it has not become shorter.
    pub(super) fn has_grown_from(&self, before: &Trace) -> bool {
        (self.device, self.inode) == (before.device, before.inode) && self.length >= before.length
    }

    /// Whether the last change is so long ago that a change made at `now` or later shows.
    pub fn is_settled(&self, now: SystemTime) -> bool {
        let (seconds, nanos) = self.changed;
        let tick = if nanos == 0 { COARSE } else { FINE };
        let (Ok(seconds), Ok(nanos)) = (u64::try_from(seconds), u32::try_from(nanos)) else { return false };
        let settled = SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos) + tick);
        settled.is_some_and(|settled| settled < now)
    }

    /// As bytes, for a digest.
    pub fn bytes(&self) -> [u8; 56] {
        let words = [
            self.device.to_le_bytes(),
            self.inode.to_le_bytes(),
            self.length.to_le_bytes(),
            self.written.0.to_le_bytes(),
            self.written.1.to_le_bytes(),
            self.changed.0.to_le_bytes(),
            self.changed.1.to_le_bytes(),
        ];
        let mut bytes = [0; 56];
        bytes.chunks_exact_mut(8).zip(words).for_each(|(to, from)| to.copy_from_slice(&from));
        bytes
    }
}

/// The directory of the games, held open: whoever looks at a hundred thousand of them does not have to find the way to it
/// each time.
#[derive(Debug)]
pub struct GamesRoom {
    directory: File,
    path: PathBuf,
}

impl GamesRoom {
    /// The trace of a game's status file; `None` if it is missing.
    pub fn trace(&self, game: &GameName) -> Result<Option<Trace>, ArchiveError> {
        let inside = format!("{game}/status");
        match rustix::fs::statat(&self.directory, inside.as_str(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(data) => Ok(Some(Trace {
                device: unsigned(data.st_dev),
                inode: unsigned(data.st_ino),
                length: unsigned(data.st_size),
                written: (signed(data.st_mtime), signed(data.st_mtime_nsec)),
                changed: (signed(data.st_ctime), signed(data.st_ctime_nsec)),
            })),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(io::Error::from(error)).at("read", &self.path.join(inside)),
        }
    }
}

/// The numbers of a file have other types on other machines; none of them is out of range.
fn unsigned(number: impl TryInto<u64>) -> u64 {
    number.try_into().unwrap_or(u64::MAX)
}

fn signed(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

impl Archive {
    /// The directory of the games, for a look at many of them.
    pub fn games_room(&self) -> Result<GamesRoom, ArchiveError> {
        let path = self.layout.games.clone();
        Ok(GamesRoom { directory: File::open(&path).at("open", &path)?, path })
    }

    /// The trace of a game's status file; `None` if it is missing.
    pub fn trace(&self, game: &GameName) -> Result<Option<Trace>, ArchiveError> {
        let path = self.layout.game(game.as_str()).join("status");
        Trace::of(&path).at("read", &path)
    }

    /// The trace of the index.
    pub fn index_trace(&self) -> Result<Option<Trace>, ArchiveError> {
        let path = self.layout.index();
        Trace::of(&path).at("read", &path)
    }

    /// Games with a commit that is recorded and not finished.
    pub fn unfinished(&self) -> Result<BTreeSet<GameName>, ArchiveError> {
        let names = fs::names(&self.layout.journal).at("read", &self.layout.journal)?;
        let owners = names.iter().filter_map(|name| Record::parse_file_name(name));
        Ok(owners
            .filter_map(|(owner, _)| match owner {
                Owner::Game(game) => Some(game),
                Owner::Judge => None,
            })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_leaves_a_trace() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("status");
        assert_eq!(Trace::of(&path).unwrap(), None);
        std::fs::write(&path, "one").unwrap();
        let first = Trace::of(&path).unwrap().unwrap();
        assert_eq!(Trace::of(&path).unwrap(), Some(first));
        assert!(!first.is_settled(SystemTime::UNIX_EPOCH), "younger than the one who looks");
        assert!(first.is_settled(SystemTime::now() + Duration::from_secs(3)));
        // The same length, the old time put back: as `cp -p` or an editor's backup may do.
        let draft = path.with_extension("draft");
        std::fs::write(&draft, "two").unwrap();
        let file = std::fs::File::options().write(true).open(&draft).unwrap();
        file.set_modified(std::fs::metadata(&path).unwrap().modified().unwrap()).unwrap();
        std::fs::rename(&draft, &path).unwrap();
        assert_ne!(Trace::of(&path).unwrap(), Some(first));
    }

    #[test]
    fn a_game_has_the_same_trace_from_either_side() {
        let place = tempfile::tempdir().unwrap();
        let layout = crate::site::Layout::plain(place.path());
        let archive = Archive::new(layout, crate::archive::Fs::new(), 0);
        let (ash, elm) = (GameName::new("ash").unwrap(), GameName::new("elm").unwrap());
        std::fs::create_dir_all(place.path().join("games/ash")).unwrap();
        std::fs::write(place.path().join("games/ash/status"), "GAME ash").unwrap();
        let room = archive.games_room().unwrap();
        assert!(room.trace(&ash).unwrap().is_some());
        assert_eq!(room.trace(&ash).unwrap(), archive.trace(&ash).unwrap());
        assert_eq!(room.trace(&elm).unwrap(), None);
        std::fs::write(place.path().join("games/elm"), "no directory").unwrap();
        assert!(room.trace(&elm).is_err() && archive.trace(&elm).is_err());
    }

    #[test]
    fn a_coarse_clock_needs_longer() {
        let trace = |nanos| Trace { device: 1, inode: 1, length: 1, written: (100, 0), changed: (100, nanos) };
        let at = |millis| SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
        assert!(trace(5).is_settled(at(100_100)) && !trace(5).is_settled(at(100_040)));
        assert!(!trace(0).is_settled(at(101_900)) && trace(0).is_settled(at(102_100)));
    }
}
