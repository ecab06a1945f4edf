//! Applying a recorded transaction: the second half of the protocol (OPS-040, step 4). Each operation can be repeated,
//! so that recovery is the same code.
//!
//! All new contents are written and synced before the first of them takes its place – but for mails, which are written
//! in it: whoever reads the outbox leaves alone what a journal file names –, and what has changed is synced
//! once at the end, in parallel: a commit waits for the disk five times (journal, its directory, contents, places,
//! removal), however many files it touches.

use super::error::{ArchiveError, At};
use super::fs::{self, beside};
use super::journal::{Operation, Record};
use super::lock::{IndexLock, Kind, take};
use super::name::{GameName, Owner, SitePath};
use super::{Archive, MAIL_WAIT, index};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Whether effects of the record may be on the disk already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Present {
    No,
    Perhaps,
}

/// Where the content of each Replace and Enqueue of a record lies, in order.
pub(super) type Places = Vec<Place>;

/// Where a content lies.
pub(super) enum Place {
    /// Where it belongs, and was before.
    There,
    /// Where it belongs, and has just been written.
    Written(PathBuf),
    /// In a draft, and where that goes.
    Draft(PathBuf, PathBuf),
}

/// What remains to be done when every operation of some records has had its turn: lines of files that all games share,
/// and what has to be synced.
#[derive(Default)]
pub(super) struct Rest {
    ledger: BTreeMap<String, Vec<String>>,
    index: Vec<(GameName, Option<String>)>,
    files: Vec<(File, PathBuf)>,
    directories: BTreeSet<PathBuf>,
}

impl Rest {
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
        let mut written = Vec::new();
        let places = self.prepare(record, present, moved, &mut written)?;
        self.fs.sync(&written);
        let mut rest = Rest::default();
        self.place(record, places, moved, &mut rest)?;
        self.finish_rest(rest, held, present)?;
        if moved { Ok(()) } else { self.finish_moving(record) }
    }

    /// What a record does last, if it does.
    pub(super) fn finish_moving(&self, record: &Record) -> Result<(), ArchiveError> {
        match record.operations.last() {
            Some(Operation::Move(to)) => self.move_directory(&record.owner, to),
            _ => Ok(()),
        }
    }

    /// Every operation of a record but those that `rest` collects; nothing is synced yet.
    pub(super) fn place(
        &self,
        record: &Record,
        places: Places,
        moved: bool,
        rest: &mut Rest,
    ) -> Result<(), ArchiveError> {
        let mut places = places.into_iter();
        for operation in &record.operations {
            match operation {
                // The directory has moved last of all: its files were done before.
                Operation::Replace(..) | Operation::Append(..) | Operation::Rename(..) | Operation::Remove(_)
                    if moved => {}
                Operation::Replace(..) | Operation::Enqueue(..) => match places.next() {
                    Some(Place::Draft(draft, place)) => {
                        self.fs.rename(&draft, &place).at("rename", &draft)?;
                        rest.entry(&place);
                    }
                    Some(Place::Written(place)) => rest.entry(&place),
                    Some(Place::There) | None => {}
                },
                Operation::Append(path, offset, bytes) => self.append(path, *offset, bytes, rest)?,
                Operation::Rename(from, to) => {
                    let (from, to) = (self.resolve(from)?, self.resolve(to)?);
                    if from.exists() {
                        self.fs.rename(&from, &to).at("rename", &from)?;
                    } else if !to.exists() {
                        tracing::warn!(path = %from.display(), "to be renamed, but gone by another hand");
                    }
                    rest.entry(&from);
                    rest.entry(&to);
                }
                Operation::Remove(path) => {
                    let path = self.resolve(path)?;
                    self.fs.remove(&path).at("remove", &path)?;
                    rest.entry(&path);
                }
                Operation::Ledger(month, line) => rest.ledger.entry(month.clone()).or_default().push(line.clone()),
                Operation::Index(game, line) => rest.index.push((game.clone(), line.clone())),
                Operation::Move(_) => {}
            }
        }
        Ok(())
    }

    /// Writes what all games share, then waits for the disk.
    pub(super) fn finish_rest(
        &self,
        mut rest: Rest,
        held: Option<&IndexLock>,
        present: Present,
    ) -> Result<(), ArchiveError> {
        for (month, lines) in std::mem::take(&mut rest.ledger) {
            self.enter(&month, &lines, present, &mut rest)?;
        }
        if !rest.index.is_empty() {
            self.set_index(&rest.index, held)?;
        }
        let directories = rest.directories.iter().map(PathBuf::as_path);
        self.fs.sync_all(&rest.files, directories).at("open", &self.layout.root)
    }

    /// Write the new contents where no reader looks; what was written has to be synced before it takes its place.
    ///
    /// Whether a mail is in the outbox already is asked only where some of the record may be on the disk: the id of a mail
    /// is drawn from the commit that queues it, so that no other can have brought it there. One that waits to be sent is
    /// written once more: it may be torn, or not on the disk, and as long as its journal file is there nobody touches it.
    pub(super) fn prepare(
        &self,
        record: &Record,
        present: Present,
        moved: bool,
        written: &mut Vec<(File, PathBuf)>,
    ) -> Result<Places, ArchiveError> {
        let mut places = Vec::new();
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
                    let place = self.layout.outbox.join("new").join(&name);
                    if present == Present::No {
                        written.push((self.fs.write(&place, bytes, fs::FILE).at("write", &place)?, place.clone()));
                        places.push(Place::Written(place));
                        continue;
                    }
                    let rooms = ["hold", "done", "dead"];
                    if rooms.iter().any(|room| self.layout.outbox.join(room).join(&name).exists()) {
                        places.push(Place::There);
                        continue;
                    }
                    (self.layout.outbox.join("tmp").join(&name), place, bytes, fs::FILE)
                }
                _ => continue,
            };
            written.push((self.fs.write(&draft, bytes, mode).at("write", &draft)?, draft.clone()));
            places.push(Place::Draft(draft, place));
        }
        Ok(places)
    }

    fn make_parent(&self, path: &SitePath, place: &Path) -> Result<(), ArchiveError> {
        let Some(parent) = place.parent().filter(|parent| !parent.is_dir()) else { return Ok(()) };
        let mode = if path.split().0 == "registry" { fs::SECRET_DIRECTORY } else { fs::DIRECTORY };
        self.fs.make_directory(parent, mode).at("make", parent)?;
        self.fs.sync_directories(parent.parent()).at("open", parent)
    }

    fn append(&self, path: &SitePath, offset: u64, bytes: &[u8], rest: &mut Rest) -> Result<(), ArchiveError> {
        let place = self.resolve(path)?;
        self.make_parent(path, &place)?;
        let file = self.fs.append(&place, offset, bytes, mode(path)).at("append to", &place)?;
        if offset == 0 {
            rest.entry(&place);
        }
        rest.files.push((file, place));
        Ok(())
    }

    /// Put lines into the ledger, each once. The file is shared by all games, so they go to its end, wherever that is
    /// now; what a dead writer has left of a line is cut off, its commit will write it again.
    fn enter(&self, month: &str, lines: &[String], present: Present, rest: &mut Rest) -> Result<(), ArchiveError> {
        let _lock = take(&self.layout.ledger.join(".lock"), Kind::Exclusive, MAIL_WAIT)?;
        let path = self.layout.ledger.join(month);
        let length = fs::length(&path).at("read", &path)?;
        let mut wanted: Vec<&str> = lines.iter().map(String::as_str).collect();
        let end = if present == Present::Perhaps || !ends_with_line(&path, length)? {
            let mut bytes = fs::read(&path).at("read", &path)?.unwrap_or_default();
            // A line without its end is not there.
            bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1));
            wanted.retain(|line| !bytes.split(|&byte| byte == b'\n').any(|there| there == line.as_bytes()));
            if wanted.is_empty() {
                // Written before, but perhaps not synced.
                rest.files.push((File::open(&path).at("open", &path)?, path.clone()));
                rest.entry(&path);
                return Ok(());
            }
            u64::try_from(bytes.len()).unwrap_or(0)
        } else {
            length
        };
        let text: String = wanted.iter().flat_map(|line| [*line, "\n"]).collect();
        let file = self.fs.append(&path, end, text.as_bytes(), fs::FILE).at("append to", &path)?;
        if end == 0 {
            rest.entry(&path);
        }
        rest.files.push((file, path));
        Ok(())
    }

    /// The lines of these games in the index, in one writing.
    fn set_index(&self, lines: &[(GameName, Option<String>)], held: Option<&IndexLock>) -> Result<(), ArchiveError> {
        let _lock = match held {
            Some(_) => None,
            None => Some(self.lock_index(MAIL_WAIT)?),
        };
        let old = self.index()?;
        let changes = lines.iter().map(|(game, line)| (game.as_str(), line.as_deref())).collect();
        let new = index::with_lines(&old, &changes);
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
