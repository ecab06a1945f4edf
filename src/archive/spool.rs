//! Incoming mail on its way to the worker (OPS-020, OPS-021, OPS-035).
//!
//! `spool/in/tmp` → `new` → `done`, or `hold` (the game's file has errors), or `dead/` with a `.why` file beside. A
//! message is stored once its name in `new` is on the disk; only then may the bringer be told "yes". Names begin with
//! the time of arrival, so their order is the order of processing; `~1`, `~2` before `.eml` count what has been tried.

use super::check_room;
use super::error::{ArchiveError, At};
use super::fs::{self, Fs};
use crate::hex::hex;
use chrono::{DateTime, Utc};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Put before the envelope's sender.
pub const ENVELOPE_FROM: &str = "X-Chancery-Envelope-From";
/// Put before the envelope's recipient.
pub const ENVELOPE_TO: &str = "X-Chancery-Envelope-To";
/// Says that the message was larger than allowed, and how large it may be; the body is not there.
pub const OVERSIZE: &str = "X-Chancery-Oversize";
/// Header fields that only the judge itself may write.
const OURS: [&str; 3] = [ENVELOPE_FROM, ENVELOPE_TO, OVERSIZE];

/// A message is never dated forward by more than this, whatever name lies in the spool.
const SET_BACK_MICROS: u64 = 3_600_000_000;
/// A message is tried so often (OPS-035).
pub const TRIES: u32 = 3;
/// The header of a truncated message is kept up to this size (operations.md 5.6).
const LONGEST_HEADER: usize = 256 * 1024;

/// Who sent it and to whom, as the bringer says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// Sender; `Some("")` for the empty one.
    pub from: Option<String>,
    /// Recipient.
    pub to: Option<String>,
}

/// Where a message lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// To be worked off.
    New,
    /// Its game's status file has errors.
    Hold,
    /// Worked off.
    Done,
}

impl Room {
    fn name(self) -> &'static str {
        match self {
            Room::New => "new",
            Room::Hold => "hold",
            Room::Done => "done",
        }
    }
}

/// The name of a stored message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageName {
    /// Microseconds since 1970: the time of arrival.
    pub micros: u64,
    /// Process number and random part, `1234.9f8e7d6c`.
    rest: String,
    /// How often it was tried and killed its worker.
    pub tries: u32,
}

impl MessageName {
    /// Read a file name; `None` if it is not the name of a message.
    pub fn parse(file: &str) -> Option<MessageName> {
        let stem = file.strip_suffix(".eml")?;
        let (stem, tries) = match stem.split_once('~') {
            Some((stem, tries)) => (stem, tries.parse().ok()?),
            None => (stem, 0),
        };
        let (micros, rest) = stem.split_once('.')?;
        let good = |b: u8| b.is_ascii_alphanumeric() || b == b'.' || b == b'-' || b == b'_';
        let name = MessageName { micros: micros.parse().ok()?, rest: rest.to_owned(), tries };
        (!rest.is_empty() && rest.bytes().all(good) && name.file_name() == file).then_some(name)
    }

    /// The file name.
    pub fn file_name(&self) -> String {
        let tries = if self.tries == 0 { String::new() } else { format!("~{}", self.tries) };
        format!("{}.{}{tries}.eml", self.micros, self.rest)
    }

    /// When it arrived.
    pub fn arrived(&self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp_micros(i64::try_from(self.micros).ok()?)
    }
}

/// The spool.
#[derive(Clone, Debug)]
pub struct Spool {
    rooms: PathBuf,
    dead: PathBuf,
    fs: Fs,
    min_free: u64,
}

impl Spool {
    /// The spool in these directories.
    pub fn new(spool: &Path, dead: &Path, fs: Fs, min_free: u64) -> Spool {
        Spool { rooms: spool.join("in"), dead: dead.to_owned(), fs, min_free }
    }

    /// Store what `message` gives, at most `limit` bytes of it. When this returns, the message will survive anything
    /// but the loss of the disk. `now` orders it among the others.
    pub fn store(
        &self,
        message: impl Read,
        envelope: &Envelope,
        limit: u64,
        now: DateTime<Utc>,
    ) -> Result<MessageName, ArchiveError> {
        let tmp = self.rooms.join("tmp");
        let mut bytes = Vec::new();
        let mut message = message.take(limit.saturating_add(1));
        message.read_to_end(&mut bytes).at("read the message into", &tmp)?;
        let oversize = u64::try_from(bytes.len()).is_ok_and(|length| length > limit);
        let text = dress(&bytes, envelope, oversize.then_some(limit));
        check_room(&self.rooms, self.min_free.saturating_add(u64::try_from(text.len()).unwrap_or(u64::MAX)))?;
        let mut random = [0u8; 6];
        let failed = |error| ArchiveError::Io {
            action: "draw a name in",
            path: tmp.clone(),
            source: std::io::Error::other(format!("no random numbers: {error}")),
        };
        getrandom::fill(&mut random).map_err(failed)?;
        let name = MessageName {
            micros: self.behind_all(u64::try_from(now.timestamp_micros()).unwrap_or(0))?,
            rest: format!("{}.{}", std::process::id(), hex(&random)),
            tries: 0,
        };
        let (draft, place) = (tmp.join(name.file_name()), self.path(Room::New, &name));
        let drop_draft = || drop(std::fs::remove_file(&draft));
        let file = self.fs.create(&draft, &text, fs::FILE).at("write", &draft).inspect_err(|_| drop_draft())?;
        self.fs.sync(&[(file, draft.clone())]);
        self.fs.rename(&draft, &place).at("rename", &draft).inspect_err(|_| drop_draft())?;
        self.fs.sync_directories(place.parent()).at("open", &place)?;
        Ok(name)
    }

    /// A moment behind all that waits, so that messages of one moment, or of a clock set back a little, keep the order
    /// in which they came.
    fn behind_all(&self, micros: u64) -> Result<u64, ArchiveError> {
        let mut newest = micros;
        for room in [Room::New, Room::Hold] {
            let last = self.list(room)?.last().map_or(0, |name| name.micros);
            if (newest..newest.saturating_add(SET_BACK_MICROS)).contains(&last) {
                newest = last + 1;
            }
        }
        Ok(newest)
    }

    /// The messages in a room in the order of their arrival.
    pub fn list(&self, room: Room) -> Result<Vec<MessageName>, ArchiveError> {
        let directory = self.rooms.join(room.name());
        let names = fs::names(&directory).at("read", &directory)?;
        let mut names: Vec<MessageName> = names.iter().filter_map(|name| MessageName::parse(name)).collect();
        names.sort();
        Ok(names)
    }

    /// Names in `new` that are no names of messages; nothing will ever work them off.
    pub fn strangers(&self) -> Result<Vec<String>, ArchiveError> {
        let directory = self.rooms.join("new");
        let mut names = fs::names(&directory).at("read", &directory)?;
        names.retain(|name| MessageName::parse(name).is_none());
        Ok(names)
    }

    /// Where a message is.
    pub fn path(&self, room: Room, name: &MessageName) -> PathBuf {
        self.rooms.join(room.name()).join(name.file_name())
    }

    /// A stored message; `None` if it is gone.
    pub fn read(&self, room: Room, name: &MessageName) -> Result<Option<Vec<u8>>, ArchiveError> {
        let path = self.path(room, name);
        fs::read(&path).at("read", &path)
    }

    /// Count a try before the message is looked at; `None` when it had all its tries: it belongs to the dead. The
    /// count is taken back with [`Spool::untry`] when the worker has survived without finishing.
    pub fn begin(&self, name: &MessageName) -> Result<Option<MessageName>, ArchiveError> {
        if name.tries >= TRIES {
            return Ok(None);
        }
        let next = MessageName { tries: name.tries + 1, ..name.clone() };
        self.rename(&self.path(Room::New, name), &self.path(Room::New, &next))?;
        Ok(Some(next))
    }

    /// Take a try back: the message could not be handled for a reason of ours (a lock, a full disk).
    pub fn untry(&self, name: &MessageName) -> Result<MessageName, ArchiveError> {
        let before = MessageName { tries: name.tries.saturating_sub(1), ..name.clone() };
        self.rename(&self.path(Room::New, name), &self.path(Room::New, &before))?;
        Ok(before)
    }

    /// Move between rooms. The count of tries begins again. Moving what is done need not be durable: a message that
    /// comes back is in the ledger.
    pub fn shift(&self, name: &MessageName, from: Room, to: Room) -> Result<MessageName, ArchiveError> {
        let plain = MessageName { tries: 0, ..name.clone() };
        let place = self.path(to, &plain);
        self.rename(&self.path(from, name), &place)?;
        if to != Room::Done {
            self.fs.sync_directories(place.parent()).at("open", &place)?;
        }
        Ok(plain)
    }

    /// Bury a message that cannot be handled, with the reason beside it.
    pub fn bury(&self, name: &MessageName, from: Room, why: &str) -> Result<PathBuf, ArchiveError> {
        let plain = MessageName { tries: 0, ..name.clone() };
        let place = self.dead.join(plain.file_name());
        let reason = place.with_extension("why");
        self.fs.replace(&reason, why.as_bytes(), fs::FILE).at("write", &reason)?;
        self.rename(&self.path(from, name), &place)?;
        self.fs.sync_directories(place.parent()).at("open", &place)?;
        Ok(place)
    }

    /// The dead in order, each with the reason.
    pub fn dead(&self) -> Result<Vec<(MessageName, String)>, ArchiveError> {
        let names = fs::names(&self.dead).at("read", &self.dead)?;
        let mut dead = Vec::new();
        for name in names.iter().filter_map(|name| MessageName::parse(name)) {
            let reason = self.dead.join(name.file_name()).with_extension("why");
            let why = fs::read(&reason).at("read", &reason)?.unwrap_or_default();
            dead.push((name, String::from_utf8_lossy(&why).into_owned()));
        }
        dead.sort();
        Ok(dead)
    }

    /// Give a dead message another chance.
    pub fn revive(&self, name: &MessageName) -> Result<(), ArchiveError> {
        let place = self.dead.join(name.file_name());
        self.rename(&place, &self.path(Room::New, name))?;
        self.fs.sync_directories([self.rooms.join("new").as_path()]).at("open", &place)?;
        let reason = place.with_extension("why");
        self.fs.remove(&reason).at("remove", &reason)
    }

    /// Remove a dead message.
    pub fn drop_dead(&self, name: &MessageName) -> Result<(), ArchiveError> {
        let place = self.dead.join(name.file_name());
        for path in [place.with_extension("why"), place] {
            self.fs.remove(&path).at("remove", &path)?;
        }
        Ok(())
    }

    /// Remove done messages older than `keep` (`mail.in.keep_done`) and what killed writers have left in `tmp` a day
    /// ago. Gives the number of files removed.
    pub fn expire(&self, now: DateTime<Utc>, keep: chrono::Duration) -> Result<usize, ArchiveError> {
        let mut gone = 0;
        for (room, keep) in [("done", keep), ("tmp", chrono::Duration::days(1))] {
            let directory = self.rooms.join(room);
            for file in fs::names(&directory).at("read", &directory)? {
                let arrived = MessageName::parse(&file).and_then(|name| name.arrived());
                if arrived.is_some_and(|time| now.signed_duration_since(time) > keep) {
                    let path = directory.join(file);
                    self.fs.remove(&path).at("remove", &path)?;
                    gone += 1;
                }
            }
        }
        Ok(gone)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), ArchiveError> {
        self.fs.rename(from, to).at("rename", from)
    }
}

/// The message as it is stored: envelope lines in front, the sender's own such lines and an mbox line removed, cut to
/// its header when it was too large.
fn dress(message: &[u8], envelope: &Envelope, oversize: Option<u64>) -> Vec<u8> {
    let mut text = Vec::with_capacity(message.len() + 200);
    let mut field = |name: &str, value: &str| {
        // The envelope comes from outside, too: a line stays a line.
        let value: String = value.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
        text.extend_from_slice(format!("{name}: {value}\n").as_bytes());
    };
    if let Some(from) = &envelope.from {
        field(ENVELOPE_FROM, from);
    }
    if let Some(to) = &envelope.to {
        field(ENVELOPE_TO, to);
    }
    if let Some(limit) = oversize {
        field(OVERSIZE, &limit.to_string());
    }
    let mut rest = message;
    if rest.starts_with(b"From ") {
        rest = split_line(rest).1;
    }
    let begin = text.len();
    let mut dropped = false;
    while !rest.is_empty() {
        let (line, behind) = split_line(rest);
        if matches!(line, b"\n" | b"\r\n") {
            break;
        }
        if !line.starts_with(b" ") && !line.starts_with(b"\t") {
            dropped = is_ours(line);
        }
        if !dropped {
            if oversize.is_some() && text.len() - begin + line.len() > LONGEST_HEADER {
                rest = &[];
                break;
            }
            text.extend_from_slice(line);
        }
        rest = behind;
    }
    match oversize {
        Some(_) => {
            if text.last() != Some(&b'\n') {
                text.push(b'\n');
            }
            text.push(b'\n');
        }
        None => text.extend_from_slice(rest),
    }
    text
}

fn is_ours(line: &[u8]) -> bool {
    let name = line.split(|&byte| byte == b':').next().unwrap_or_default().trim_ascii();
    OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours.as_bytes()))
}

/// A line with its end, and the rest.
fn split_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| end + 1);
    bytes.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp_micros(1_795_231_770_000_123).unwrap()
    }

    fn spool() -> (tempfile::TempDir, Spool) {
        let dir = tempfile::tempdir().unwrap();
        for room in ["spool/in/tmp", "spool/in/new", "spool/in/done", "spool/in/hold", "dead"] {
            std::fs::create_dir_all(dir.path().join(room)).unwrap();
        }
        let spool = Spool::new(&dir.path().join("spool"), &dir.path().join("dead"), Fs::new(), 0);
        (dir, spool)
    }

    fn envelope() -> Envelope {
        Envelope { from: Some("ann@example.org".into()), to: Some("judge+demo@judge.example".into()) }
    }

    #[test]
    fn a_message_is_stored_with_its_envelope() {
        let (_dir, spool) = spool();
        let mail = b"From ann Mon Jan 1\nX-chancery-envelope-FROM: evil@x\n\tfolded\nSubject: hi\n\nbody\nX-Chancery-Envelope-To: kept\n";
        let name = spool.store(&mail[..], &envelope(), 1000, now()).unwrap();
        assert_eq!(name.micros, 1_795_231_770_000_123);
        let stored = spool.read(Room::New, &name).unwrap().unwrap();
        assert_eq!(
            String::from_utf8(stored).unwrap(),
            "X-Chancery-Envelope-From: ann@example.org\nX-Chancery-Envelope-To: judge+demo@judge.example\n\
             Subject: hi\n\nbody\nX-Chancery-Envelope-To: kept\n"
        );
        assert_eq!(spool.list(Room::New).unwrap(), [name]);
    }

    #[test]
    fn a_large_message_loses_its_body() {
        let (_dir, spool) = spool();
        let mail = format!("Subject: hi\nX-Chancery-Oversize: 1\n\n{}", "x".repeat(1000));
        let name = spool.store(mail.as_bytes(), &Envelope::default(), 100, now()).unwrap();
        let stored = spool.read(Room::New, &name).unwrap().unwrap();
        assert_eq!(String::from_utf8(stored).unwrap(), "X-Chancery-Oversize: 100\nSubject: hi\n\n");
        let endless = vec![b'x'; 3_000_000];
        let name = spool.store(&endless[..], &Envelope::default(), 100, now()).unwrap();
        assert!(spool.read(Room::New, &name).unwrap().unwrap().len() < LONGEST_HEADER + 100);
    }

    #[test]
    fn tries_are_counted_and_the_dead_are_buried() {
        let (dir, spool) = spool();
        let name = spool.store(&b"Subject: x\n\n"[..], &envelope(), 1000, now()).unwrap();
        let first = spool.begin(&name).unwrap().unwrap();
        assert!(first.file_name().ends_with("~1.eml"), "{}", first.file_name());
        let again = spool.untry(&first).unwrap();
        assert_eq!(again, name);
        let mut tried = again;
        for _ in 0..TRIES {
            tried = spool.begin(&spool.list(Room::New).unwrap()[0]).unwrap().unwrap();
        }
        assert_eq!(spool.begin(&tried).unwrap(), None);
        spool.bury(&tried, Room::New, "panicked: demo\n").unwrap();
        assert_eq!(spool.dead().unwrap(), [(name.clone(), "panicked: demo\n".to_owned())]);
        spool.revive(&name).unwrap();
        assert_eq!(spool.list(Room::New).unwrap(), std::slice::from_ref(&name));
        assert_eq!(std::fs::read_dir(dir.path().join("dead")).unwrap().count(), 0);
        let done = spool.shift(&name, Room::New, Room::Done).unwrap();
        assert_eq!(spool.expire(now() + chrono::Duration::days(34), chrono::Duration::days(35)).unwrap(), 0);
        assert_eq!(spool.expire(now() + chrono::Duration::days(36), chrono::Duration::days(35)).unwrap(), 1);
        assert_eq!(spool.read(Room::Done, &done).unwrap(), None);
    }

    #[test]
    fn a_full_disk_leaves_nothing() {
        let (dir, spool) = spool();
        for call in 1..=2 {
            let failing = Spool { fs: Fs::failing(&format!("{call}:ENOSPC")).unwrap(), ..spool.clone() };
            let error = failing.store(&b"Subject: x\n\n"[..], &envelope(), 1000, now()).unwrap_err();
            assert!(error.is_temporary(), "{error}");
        }
        let reserve = Spool { min_free: u64::MAX / 2, ..spool.clone() };
        let error = reserve.store(&b"Subject: x\n\n"[..], &envelope(), 1000, now()).unwrap_err();
        assert!(matches!(error, ArchiveError::NoRoom { .. }), "{error}");
        assert_eq!(std::fs::read_dir(dir.path().join("spool/in/tmp")).unwrap().count(), 0);
        assert_eq!(spool.list(Room::New).unwrap(), []);
    }

    proptest! {
        #[test]
        fn any_message_is_dressed(bytes in proptest::collection::vec(any::<u8>(), 0..300), cut in any::<bool>()) {
            let text = dress(&bytes, &envelope(), cut.then_some(100));
            prop_assert!(text.starts_with(b"X-Chancery-Envelope-From: ann@example.org\n"));
        }

        #[test]
        fn nobody_forges_an_envelope(value in "[ -~]{0,20}", spaces in " {0,3}") {
            let mail = format!("{ENVELOPE_FROM}{spaces}:{value}\nSubject: x\n\n");
            let text = dress(mail.as_bytes(), &Envelope::default(), None);
            prop_assert_eq!(text, b"Subject: x\n\n");
        }

        #[test]
        fn any_name_is_survived(name in ".{0,40}") {
            if let Some(read) = MessageName::parse(&name) {
                prop_assert_eq!(read.file_name(), name);
            }
        }
    }
}
