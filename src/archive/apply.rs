//! Applying a recorded transaction: the second half of the protocol (OPS-040, step 4). Each operation can be repeated,
//! so that recovery is the same code.
//!
//! All new contents are written and synced before the first of them takes its place, and what has changed is synced
//! once at the end, in parallel: a commit waits for the disk five times (journal, its directory, contents, places,
//! removal), however many files it touches.

use super::error::{ArchiveError, At};
use super::fs::{self, beside};
use super::journal::{Operation, Record};
use super::lock::{IndexLock, Kind, take};
use super::name::{GameName, Owner, SitePath};
use super::{Archive, MAIL_WAIT, index};
use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Whether effects of the record may be on the disk already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Present {
    No,
    Perhaps,
}

/// What has to be synced at the end.
#[derive(Default)]
struct Unsynced {
    files: Vec<(File, PathBuf)>,
    directories: BTreeSet<PathBuf>,
}

impl Unsynced {
    fn entry(&mut self, path: &Path) {
        self.directories.extend(path.parent().map(Path::to_owned));
    }
}

impl Archive {
    pub(super) fn apply(
        &self,
        record: &Record,
        held: Option<&IndexLock>,
        present: Present,
    ) -> Result<(), ArchiveError> {
        let moved = present == Present::Perhaps && self.has_moved(record)?;
        let mut places = self.prepare(record, moved)?.into_iter();
        let mut unsynced = Unsynced::default();
        for operation in &record.operations {
            match operation {
                // The directory has moved last of all: its files were done before.
                Operation::Replace(..) | Operation::Append(..) | Operation::Rename(..) | Operation::Remove(_)
                    if moved => {}
                Operation::Replace(..) | Operation::Enqueue(..) => {
                    if let Some(Some((draft, place))) = places.next() {
                        self.fs.rename(&draft, &place).at("rename", &draft)?;
                        unsynced.entry(&place);
                    }
                }
                Operation::Append(path, offset, bytes) => self.append(path, *offset, bytes, &mut unsynced)?,
                Operation::Rename(from, to) => {
                    let (from, to) = (self.resolve(from)?, self.resolve(to)?);
                    if from.exists() {
                        self.fs.rename(&from, &to).at("rename", &from)?;
                    } else if !to.exists() {
                        tracing::warn!(path = %from.display(), "to be renamed, but gone by another hand");
                    }
                    unsynced.entry(&from);
                    unsynced.entry(&to);
                }
                Operation::Remove(path) => {
                    let path = self.resolve(path)?;
                    self.fs.remove(&path).at("remove", &path)?;
                    unsynced.entry(&path);
                }
                Operation::Ledger(month, line) => self.enter(month, line, present, &mut unsynced)?,
                Operation::Index(game, line) => self.set_index(game, line.as_deref(), held)?,
                Operation::Move(_) => {}
            }
        }
        self.fs.sync(&unsynced.files);
        self.fs.sync_directories(unsynced.directories.iter().map(PathBuf::as_path)).at("open", &self.layout.root)?;
        match record.operations.last() {
            Some(Operation::Move(to)) if !moved => self.move_directory(&record.owner, to),
            _ => Ok(()),
        }
    }

    /// Write the new contents where no reader looks. Gives for every Replace and Enqueue, in order, where its content
    /// is and where it goes; `None` if it is there already.
    fn prepare(&self, record: &Record, moved: bool) -> Result<Vec<Option<(PathBuf, PathBuf)>>, ArchiveError> {
        let mut places = Vec::new();
        let mut files = Vec::new();
        for (number, operation) in record.operations.iter().enumerate() {
            let (draft, place, bytes, mode) = match operation {
                Operation::Replace(..) if moved => continue,
                Operation::Replace(path, bytes) => {
                    let place = self.resolve(path)?;
                    self.make_parent(path, &place)?;
                    (beside(&place, number), place, bytes, mode(path))
                }
                Operation::Enqueue(id, bytes) => {
                    let name = format!("{id}.msg");
                    // In the order in which the sender moves it.
                    let rooms = ["new", "hold", "done", "dead"];
                    if rooms.iter().any(|room| self.layout.outbox.join(room).join(&name).exists()) {
                        places.push(None);
                        continue;
                    }
                    let draft = self.layout.outbox.join("tmp").join(&name);
                    (draft, self.layout.outbox.join("new").join(&name), bytes, fs::FILE)
                }
                _ => continue,
            };
            files.push((self.fs.write(&draft, bytes, mode).at("write", &draft)?, draft.clone()));
            places.push(Some((draft, place)));
        }
        self.fs.sync(&files);
        Ok(places)
    }

    fn make_parent(&self, path: &SitePath, place: &Path) -> Result<(), ArchiveError> {
        let Some(parent) = place.parent().filter(|parent| !parent.is_dir()) else { return Ok(()) };
        let mode = if path.split().0 == "registry" { fs::SECRET_DIRECTORY } else { fs::DIRECTORY };
        self.fs.make_directory(parent, mode).at("make", parent)?;
        self.fs.sync_directories(parent.parent()).at("open", parent)
    }

    fn append(&self, path: &SitePath, offset: u64, bytes: &[u8], unsynced: &mut Unsynced) -> Result<(), ArchiveError> {
        let place = self.resolve(path)?;
        self.make_parent(path, &place)?;
        let file = self.fs.append(&place, offset, bytes, mode(path)).at("append to", &place)?;
        if offset == 0 {
            unsynced.entry(&place);
        }
        unsynced.files.push((file, place));
        Ok(())
    }

    /// Put a line into the ledger, once. The file is shared by all games, so the line goes to its end, wherever that
    /// is now; what a dead writer has left of a line is cut off, its commit will write it again.
    fn enter(&self, month: &str, line: &str, present: Present, unsynced: &mut Unsynced) -> Result<(), ArchiveError> {
        let _lock = take(&self.layout.ledger.join(".lock"), Kind::Exclusive, MAIL_WAIT)?;
        let path = self.layout.ledger.join(month);
        let length = fs::length(&path).at("read", &path)?;
        let end = if present == Present::Perhaps || !ends_with_line(&path, length)? {
            let mut bytes = fs::read(&path).at("read", &path)?.unwrap_or_default();
            // A line without its end is not there.
            bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1));
            if bytes.split(|&byte| byte == b'\n').any(|there| there == line.as_bytes()) {
                // Written before, but perhaps not synced.
                unsynced.files.push((File::open(&path).at("open", &path)?, path.clone()));
                unsynced.entry(&path);
                return Ok(());
            }
            u64::try_from(bytes.len()).unwrap_or(0)
        } else {
            length
        };
        let file = self.fs.append(&path, end, format!("{line}\n").as_bytes(), fs::FILE).at("append to", &path)?;
        if end == 0 {
            unsynced.entry(&path);
        }
        unsynced.files.push((file, path));
        Ok(())
    }

    fn set_index(&self, game: &GameName, line: Option<&str>, held: Option<&IndexLock>) -> Result<(), ArchiveError> {
        let _lock = match held {
            Some(_) => None,
            None => Some(self.lock_index(MAIL_WAIT)?),
        };
        let old = self.index()?;
        let new = index::with_line(&old, game.as_str(), line);
        let path = self.layout.index();
        if old == new && path.exists() {
            Ok(())
        } else {
            self.fs.replace(&path, new.as_bytes(), fs::FILE).at("write", &path)
        }
    }

    /// Whether the directory of the game has already gone where the record sends it.
    fn has_moved(&self, record: &Record) -> Result<bool, ArchiveError> {
        let (Owner::Game(game), Some(Operation::Move(to))) = (&record.owner, record.operations.last()) else {
            return Ok(false);
        };
        Ok(!self.layout.game(game.as_str()).exists() && self.resolve(to)?.exists())
    }

    fn move_directory(&self, owner: &Owner, to: &SitePath) -> Result<(), ArchiveError> {
        let Owner::Game(game) = owner else { return Ok(()) };
        let (from, to) = (self.layout.game(game.as_str()), self.resolve(to)?);
        if to.is_dir() && fs::names(&to).at("read", &to)?.is_empty() {
            // Nothing but a lock file: somebody thought of a game of that name and was refused.
            self.fs.remove_tree(&to).at("remove", &to)?;
        }
        self.fs.rename(&from, &to).at("rename", &from)?;
        // The new place first: better twice than nowhere.
        self.fs.sync_directories([to.parent(), from.parent()].into_iter().flatten()).at("open", &self.layout.root)
    }
}

/// Files of the registry are secrets (OPS-003).
fn mode(path: &SitePath) -> u32 {
    if path.split().0 == "registry" { fs::SECRET } else { fs::FILE }
}

fn ends_with_line(path: &Path, length: u64) -> Result<bool, ArchiveError> {
    let Some(last) = length.checked_sub(1) else { return Ok(true) };
    let mut byte = [0];
    File::open(path).and_then(|file| file.read_at(&mut byte, last)).at("read", path)?;
    Ok(byte == *b"\n")
}
