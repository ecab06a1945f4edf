//! The durable queue of outgoing mail: file format (OPS-060), folders, and what a person may do to an entry.
//! Sending is in [`worker`]. The commit journal creates `new/<id>.msg` itself, with [`Queued::encode`], and in its place:
//! as long as a journal file names a mail, its commit is not finished and the mail perhaps not whole, so nobody sees it.

pub mod worker;

use crate::archive::journal::Record;
use crate::mail::Letter;
use crate::mail::compose::Composed;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// First line of a queue file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Queue id, also the file's name.
    pub id: String,
    /// Envelope sender; empty is the null sender.
    pub from: String,
    /// Envelope recipients; one in every file chancery writes.
    pub to: Vec<String>,
    /// Game it is about.
    #[serde(default)]
    pub game: Option<String>,
    /// Notice number or `reply`.
    #[serde(default)]
    pub kind: String,
    /// When queued.
    pub created: DateTime<Utc>,
    /// Not to be tried earlier.
    pub not_before: DateTime<Utc>,
    /// Attempts made.
    #[serde(default)]
    pub tries: u32,
    /// What the last attempt said.
    #[serde(default)]
    pub last_error: Option<String>,
    /// Senseless afterwards (a reminder whose deadline has passed): dropped (OPS-063).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<DateTime<Utc>>,
}

/// A queue file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queued {
    /// Its first line.
    pub head: Head,
    /// The message, CRLF.
    pub message: Vec<u8>,
}

/// Why bytes are no queue file.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// The first line is no JSON object with the fields of OPS-060.
    #[error("first line of the queue file: {0}")]
    Head(#[from] serde_json::Error),
    /// No empty line between the first line and the message.
    #[error("a queue file has an empty line behind its first line")]
    Separator,
    /// The id cannot be a file name.
    #[error("{0:?} is no queue id: 1 to 64 of a-z 0-9 - .")]
    Id(String),
}

/// A new queue id: names sort by time. Microseconds of the clock, a number within the event, random characters: enough
/// of them that no two mails of one moment have one name, because of such two only one would be queued.
pub fn make_id(now: DateTime<Utc>, number: u16, token: &str) -> String {
    let tail: String = token.chars().filter(char::is_ascii_alphanumeric).take(12).collect();
    format!("{:016}-{number:04x}{}", now.timestamp_micros().max(0), tail.to_ascii_lowercase())
}

/// When an id was made, if [`make_id`] did: its mail was queued then, or is taken for queued later ([`Queue::retry`]).
fn made_at(id: &str) -> Option<DateTime<Utc>> {
    let digits =
        id.get(..16).filter(|d| d.bytes().all(|b| b.is_ascii_digit()) && id.as_bytes().get(16) == Some(&b'-'))?;
    DateTime::from_timestamp_micros(digits.parse().ok()?)
}

/// Whether a text may name a queue file.
pub fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len())
        && !id.starts_with('.')
        && id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.')
}

impl Queued {
    /// The entry for a composed letter.
    pub fn new(mail: Composed, letter: &Letter, now: DateTime<Utc>, expires: Option<DateTime<Utc>>) -> Queued {
        let head = Head {
            id: mail.id,
            from: mail.from,
            to: vec![mail.to],
            game: letter.game.clone(),
            kind: letter.notice.clone(),
            created: now,
            not_before: now,
            tries: 0,
            last_error: None,
            expires,
        };
        Queued { head, message: mail.bytes }
    }

    /// The bytes of the file.
    pub fn encode(&self) -> Vec<u8> {
        // A struct of strings, numbers and times always serialises.
        let mut bytes = serde_json::to_vec(&self.head).unwrap_or_default();
        bytes.extend_from_slice(b"\n\n");
        bytes.extend_from_slice(&self.message);
        bytes
    }

    /// Reads the bytes of a file.
    pub fn decode(bytes: &[u8]) -> Result<Queued, FormatError> {
        let end = bytes.iter().position(|&b| b == b'\n').unwrap_or(bytes.len());
        let head: Head = serde_json::from_slice(bytes.get(..end).unwrap_or_default())?;
        if !is_id(&head.id) {
            return Err(FormatError::Id(head.id));
        }
        let rest = bytes.get(end + 1..).unwrap_or_default();
        let message = rest.strip_prefix(b"\n").or_else(|| rest.strip_prefix(b"\r\n")).ok_or(FormatError::Separator)?;
        Ok(Queued { head, message: message.to_vec() })
    }
}

/// Folders of the outbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folder {
    /// To be sent.
    New,
    /// Sent, kept a week.
    Done,
    /// Held by hand.
    Hold,
    /// Given up.
    Dead,
}

impl Folder {
    /// Directory name.
    pub fn name(self) -> &'static str {
        match self {
            Folder::New => "new",
            Folder::Done => "done",
            Folder::Hold => "hold",
            Folder::Dead => "dead",
        }
    }
}

/// A file of the queue that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// Its path.
    pub path: PathBuf,
    /// What is wrong.
    pub why: String,
    /// It was read and is no queue file. Otherwise it could not be read now (too many open files, say), which passes.
    pub for_good: bool,
}

/// What waits to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// So many mails.
    pub count: usize,
    /// Since when the oldest does.
    pub oldest: Option<DateTime<Utc>>,
}

/// The outbox of a site.
#[derive(Clone, Debug)]
pub struct Queue {
    root: PathBuf,
    journal: PathBuf,
}

/// File whose existence stops all sending: an error about us (OPS-062).
const STOPPED: &str = "stopped";
const EXTENSION: &str = ".msg";
/// File that says until when the rate is used up. Not durable: after a crash a burst may follow a burst.
const BUSY: &str = "busy";

impl Queue {
    /// Opens `outbox/`, creating its folders; `journal` is the directory of the commits that are not finished.
    pub fn open(root: impl Into<PathBuf>, journal: impl Into<PathBuf>) -> io::Result<Queue> {
        let (root, journal) = (root.into(), journal.into());
        for folder in ["tmp", "new", "done", "hold", "dead"] {
            fs::create_dir_all(root.join(folder))?;
        }
        Ok(Queue { root, journal })
    }

    /// Its directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Path of an entry.
    pub fn path(&self, folder: Folder, id: &str) -> PathBuf {
        self.root.join(folder.name()).join(format!("{id}{EXTENSION}"))
    }

    /// First lines of all entries of a folder in order of creation, and the files that are none.
    pub fn list(&self, folder: Folder) -> io::Result<(Vec<Head>, Vec<Damaged>)> {
        let mut heads = Vec::new();
        let mut damaged = Vec::new();
        let entries: Vec<_> = fs::read_dir(self.root.join(folder.name()))?.collect::<io::Result<_>>()?;
        // Behind the look at the folder: of what is there, whatever no journal file names now is whole.
        let unfinished = if folder == Folder::New { self.unfinished()? } else { HashSet::new() };
        for entry in entries {
            let path = entry.path();
            let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            let Some(id) = name.strip_suffix(EXTENSION).filter(|_| !name.starts_with('.')) else { continue };
            if unfinished.contains(id) {
                continue;
            }
            match read_head(&path) {
                Ok(head) if head.id == id => heads.push(head),
                Ok(head) => {
                    let why = format!("the file names itself {:?}", head.id);
                    damaged.push(Damaged { path, why, for_good: true });
                }
                // Gone meanwhile: another process was quicker.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    let for_good = error.kind() == io::ErrorKind::InvalidData;
                    damaged.push(Damaged { path, why: error.to_string(), for_good });
                }
            }
        }
        heads.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
        damaged.sort_by(|a, b| a.path.cmp(&b.path));
        Ok((heads, damaged))
    }

    /// Mails of commits that are not finished.
    fn unfinished(&self) -> io::Result<HashSet<String>> {
        let entries = match fs::read_dir(&self.journal) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HashSet::new()),
            entries => entries?,
        };
        let mut ids = HashSet::new();
        for entry in entries {
            let entry = entry?;
            if entry.file_name().to_str().and_then(Record::parse_file_name).is_none() {
                continue;
            }
            let bytes = match fs::read(entry.path()) {
                // Finished meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                bytes => bytes?,
            };
            match Record::decode(&bytes) {
                Ok(record) => ids.extend(record.into_mails()),
                Err(error) => tracing::warn!(path = %entry.path().display(), %error, "journal file"),
            }
        }
        Ok(ids)
    }

    /// How many entries a folder has, without a look at them.
    pub fn count(&self, folder: Folder) -> io::Result<usize> {
        let names = fs::read_dir(self.root.join(folder.name()))?.flatten().map(|entry| entry.file_name());
        Ok(names.filter(|n| n.to_str().is_some_and(|n| n.ends_with(EXTENSION) && !n.starts_with('.'))).count())
    }

    /// How many mails wait to be sent, and since when the oldest does. Of a long queue only few are looked into: an id
    /// says since when its mail can wait at the longest ([`make_id`]).
    pub fn waiting(&self) -> io::Result<Waiting> {
        let mut ids = Vec::new();
        for entry in fs::read_dir(self.root.join(Folder::New.name()))? {
            let name = entry?.file_name();
            if let Some(id) = name.to_str().and_then(|n| n.strip_suffix(EXTENSION)).filter(|id| is_id(id)) {
                ids.push((made_at(id), id.to_owned()));
            }
        }
        ids.sort();
        let mut oldest: Option<DateTime<Utc>> = None;
        for (made, id) in &ids {
            if oldest.is_some_and(|oldest| made.is_some_and(|made| oldest <= made)) {
                break;
            }
            // Gone meanwhile, or no queue file, of which sending tells: the others wait as long as they do.
            if let Ok(head) = read_head(&self.path(Folder::New, id)) {
                oldest = Some(oldest.map_or(head.created, |oldest| oldest.min(head.created)));
            }
        }
        Ok(Waiting { count: ids.len(), oldest })
    }

    /// Until when the rate is used up.
    fn busy(&self) -> Option<DateTime<Utc>> {
        let text = fs::read_to_string(self.root.join(BUSY)).ok()?;
        DateTime::from_timestamp_micros(text.trim().parse().ok()?)
    }

    fn set_busy(&self, until: DateTime<Utc>) -> io::Result<()> {
        let temporary = self.root.join("tmp").join(BUSY);
        fs::write(&temporary, until.timestamp_micros().to_string())?;
        fs::rename(temporary, self.root.join(BUSY))
    }

    /// One entry.
    pub fn load(&self, folder: Folder, id: &str) -> io::Result<Queued> {
        let bytes = fs::read(self.path(folder, checked(id)?))?;
        Queued::decode(&bytes).map_err(invalid)
    }

    /// The folder an entry is in.
    pub fn find(&self, id: &str) -> Option<Folder> {
        let folders = [Folder::New, Folder::Hold, Folder::Dead, Folder::Done];
        is_id(id).then(|| folders.into_iter().find(|f| self.path(*f, id).exists())).flatten()
    }

    /// Puts an entry into `new/` unless it is, or was, anywhere in the queue; durable when it returns.
    pub fn enqueue(&self, entry: &Queued) -> io::Result<()> {
        if self.find(checked(&entry.head.id)?).is_some() {
            return Ok(());
        }
        self.store(Folder::New, entry)?;
        self.sync()
    }

    /// Writes an entry by rename, without the directory's fsync.
    fn store(&self, folder: Folder, entry: &Queued) -> io::Result<()> {
        let temporary = self.root.join("tmp").join(format!("{}{EXTENSION}", checked(&entry.head.id)?));
        let mut file = File::create(&temporary)?;
        file.write_all(&entry.encode())?;
        file.sync_all()?;
        fs::rename(&temporary, self.path(folder, &entry.head.id))
    }

    /// Makes the renames durable.
    pub fn sync(&self) -> io::Result<()> {
        for folder in [Folder::New, Folder::Done, Folder::Hold, Folder::Dead] {
            File::open(self.root.join(folder.name()))?.sync_all()?;
        }
        Ok(())
    }

    /// Rewrites the entry in its new folder, then removes the old file.
    fn transfer(&self, entry: &Queued, from: Folder, to: Folder) -> io::Result<()> {
        self.store(to, entry)?;
        if from != to {
            fs::remove_file(self.path(from, &entry.head.id))?;
        }
        Ok(())
    }

    /// Tries a held, dead or waiting entry again from now.
    pub fn retry(&self, id: &str, now: DateTime<Utc>) -> io::Result<()> {
        let (folder, mut entry) = self.take(id, &[Folder::New, Folder::Hold, Folder::Dead])?;
        if folder == Folder::Dead {
            // A fresh start, or it would be given up again at once.
            entry.head.created = now;
            entry.head.tries = 0;
        }
        entry.head.not_before = now;
        self.transfer(&entry, folder, Folder::New)?;
        self.sync()
    }

    /// Holds a waiting entry until [`Queue::retry`] or [`Queue::flush`].
    pub fn hold(&self, id: &str) -> io::Result<()> {
        let (folder, entry) = self.take(id, &[Folder::New])?;
        self.transfer(&entry, folder, Folder::Hold)?;
        self.sync()
    }

    /// Removes a waiting, held or dead entry for good.
    pub fn drop_entry(&self, id: &str) -> io::Result<()> {
        let (folder, entry) = self.take(id, &[Folder::New, Folder::Hold, Folder::Dead])?;
        fs::remove_file(self.path(folder, &entry.head.id))?;
        self.sync()
    }

    /// Makes every waiting and held entry due now, and takes away the stop. Returns how many.
    pub fn flush(&self, now: DateTime<Utc>) -> io::Result<usize> {
        self.release()?;
        let mut count = 0;
        for folder in [Folder::New, Folder::Hold] {
            for head in self.list(folder)?.0 {
                let mut entry = self.load(folder, &head.id)?;
                entry.head.not_before = now;
                self.transfer(&entry, folder, Folder::New)?;
                count += 1;
            }
        }
        self.sync()?;
        Ok(count)
    }

    fn take(&self, id: &str, folders: &[Folder]) -> io::Result<(Folder, Queued)> {
        let id = checked(id)?;
        for folder in folders {
            if self.path(*folder, id).exists() && (*folder != Folder::New || !self.unfinished()?.contains(id)) {
                return self.load(*folder, id).map(|entry| (*folder, entry));
            }
        }
        Err(io::Error::new(io::ErrorKind::NotFound, format!("no mail {id} is waiting here")))
    }

    /// Stops all sending, with the reason; nothing is thrown away (OPS-062).
    pub fn stop(&self, reason: &str) -> io::Result<()> {
        let temporary = self.root.join("tmp").join(STOPPED);
        fs::write(&temporary, reason)?;
        fs::rename(temporary, self.root.join(STOPPED))
    }

    /// Why nothing is sent at present.
    pub fn stopped(&self) -> Option<String> {
        fs::read_to_string(self.root.join(STOPPED)).ok()
    }

    /// Ends the stop.
    pub fn release(&self) -> io::Result<()> {
        match fs::remove_file(self.root.join(STOPPED)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Removes sent mail older than `keep` (by the time it was sent). Returns how many.
    pub fn prune(&self, now: DateTime<Utc>, keep: chrono::Duration) -> io::Result<usize> {
        let mut count = 0;
        for entry in fs::read_dir(self.root.join(Folder::Done.name()))? {
            let entry = entry?;
            let sent: DateTime<Utc> = entry.metadata()?.modified()?.into();
            if now - sent > keep {
                fs::remove_file(entry.path())?;
                count += 1;
            }
        }
        Ok(count)
    }
}

fn read_head(path: &Path) -> io::Result<Head> {
    let mut line = Vec::new();
    BufReader::new(File::open(path)?).take(1 << 20).read_until(b'\n', &mut line)?;
    let head: Head = serde_json::from_slice(&line).map_err(invalid)?;
    if head.to.is_empty() { Err(invalid("no recipient")) } else { Ok(head) }
}

fn checked(id: &str) -> io::Result<&str> {
    if is_id(id) { Ok(id) } else { Err(io::Error::new(io::ErrorKind::InvalidInput, FormatError::Id(id.to_owned()))) }
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
