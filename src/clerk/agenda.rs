//! The agenda, `cron/agenda`: until when each sleeping game is known to have nothing to do, so that a round need not open
//! it. Every `tick` from cron is a process of its own, so what it has learnt lies in a file.
//!
//! Whoever sleeps was read without fault: when a game is woken, and is still what fell asleep, its file need not be checked
//! again.
//!
//! What it promises: it is a memory, never an authority. An entry counts only while the trace of the status file and the
//! line of the index are those it was made from, and only for the program, the settings and the maps that made it. An
//! agenda that is lost, cut off or of another hand is as good as none: the next round opens every game, and is slower.

use super::{Clerk, ClerkError};
use crate::archive::{GameName, GamesRoom, Trace};
use crate::hex::hex;
use crate::judge::IndexLine;
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What an entry was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark([u8; 12]);

impl Mark {
    /// Of the traces of files and the line of the index.
    pub fn of(traces: &[Trace], line: &IndexLine) -> Mark {
        let mut hash = Sha256::new();
        traces.iter().for_each(|trace| hash.update(trace.bytes()));
        let words = [line.name.as_str(), &line.variant, line.state.word()];
        for word in words.into_iter().chain(crate::status::index::flags(line)) {
            hash.update(word);
            hash.update(" ");
        }
        Mark::cut(hash)
    }

    fn cut(hash: Sha256) -> Mark {
        let mut mark = [0; 12];
        mark.iter_mut().zip(hash.finalize()).for_each(|(to, from)| *to = from);
        Mark(mark)
    }

    /// As digits.
    pub fn write(&self, text: &mut String) {
        crate::hex::write(text, &self.0);
    }

    /// Read them back.
    pub fn parse(text: &str) -> Option<Mark> {
        let mut mark = [0; 12];
        if text.len() != 24 || !text.is_ascii() {
            return None;
        }
        for (n, byte) in mark.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * n..2 * n + 2)?, 16).ok()?;
        }
        Some(Mark(mark))
    }
}

/// A sleeping game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    name: Box<str>,
    /// Seconds since 1970.
    until: i64,
    mark: Mark,
}

/// All of them, by name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Agenda {
    entries: Vec<Entry>,
}

impl Agenda {
    /// Reads an agenda made in that world; anything else is an empty one.
    fn parse(text: &str, world: &str) -> Agenda {
        let read = || {
            let (head, body) = text.split_once('\n')?;
            if head != head_line("agenda", world, body) {
                return None;
            }
            let entry = |line: &str| {
                let mut words = line.split(' ');
                let (name, until) = (words.next()?.into(), words.next()?.parse().ok()?);
                Some(Entry { name, until, mark: Mark::parse(words.next()?)? })
            };
            Some(Agenda { entries: body.lines().map(entry).collect::<Option<_>>()? })
        };
        read().unwrap_or_default()
    }

    fn text(&self, world: &str) -> String {
        let mut body = String::with_capacity(self.entries.len() * 56);
        for entry in &self.entries {
            let _ = write!(body, "{} {} ", entry.name, entry.until);
            entry.mark.write(&mut body);
            body.push('\n');
        }
        format!("{}\n{body}", head_line("agenda", world, &body))
    }

    /// Takes a game onto the agenda; games come in the order of their names.
    pub fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// A reader that is asked for games in the order of their names.
    pub fn in_order(&self) -> InOrder<'_> {
        InOrder { rest: &self.entries }
    }
}

/// See [`Agenda::in_order`].
pub(super) struct InOrder<'a> {
    rest: &'a [Entry],
}

impl Entry {
    /// Whether the game sleeps on now.
    pub fn sleeps(&self, now: DateTime<Utc>) -> bool {
        now.timestamp() < self.until
    }
}

impl<'a> InOrder<'a> {
    /// The entry of that game, if it is still the game that fell asleep.
    pub fn known(&mut self, name: &str, mark: Option<Mark>) -> Option<&'a Entry> {
        while let [first, rest @ ..] = self.rest {
            if &*first.name > name {
                return None;
            }
            self.rest = rest;
            if &*first.name == name {
                return Some(first).filter(|entry| Some(entry.mark) == mark);
            }
        }
        None
    }
}

/// The first line of such a memory: whose it is, of which world, and the sum of the rest.
pub(super) fn head_line(what: &str, world: &str, body: &str) -> String {
    format!("chancery-{what} 1 {world} {}", hex(Sha256::digest(body).iter().take(12)))
}

/// What a verdict depends on besides the game: the program, the settings, the maps.
pub(super) struct World {
    word: String,
    settled: bool,
}

impl World {
    /// In a word.
    pub fn word(&self) -> &str {
        &self.word
    }

    /// Whether a later change of it is sure to show.
    pub fn is_settled(&self) -> bool {
        self.settled
    }
}

/// A game as it is seen before it is opened.
pub(super) struct Glimpse {
    /// What an entry about it is made from; `None`: there is no status file.
    pub mark: Option<Mark>,
    /// Whether a later change of the file is sure to show.
    settled: bool,
}

impl Glimpse {
    /// Looks at a game from outside.
    pub fn of(games: &GamesRoom, game: &GameName, line: &IndexLine) -> Result<Glimpse, ClerkError> {
        let trace = games.trace(game)?;
        let settled = trace.is_some_and(|trace| trace.is_settled(SystemTime::now()));
        Ok(Glimpse { mark: trace.map(|trace| Mark::of(&[trace], line)), settled })
    }
}

impl Clerk {
    /// What an entry about a game would be made from now; `None`: there is no status file, or no line of the index.
    pub(super) fn mark_of(&self, game: &GameName) -> Result<Option<Mark>, ClerkError> {
        let (trace, book) = (self.archive.trace(game)?, self.book()?);
        Ok(trace.zip(book.of(game.as_str())).map(|(trace, line)| Mark::of(&[trace], line)))
    }

    /// The agenda that the round before has left.
    pub(super) fn agenda(&self, world: &World) -> Agenda {
        match std::fs::read_to_string(self.agenda_path()) {
            Ok(text) => Agenda::parse(&text, &world.word),
            Err(error) => {
                if error.kind() != std::io::ErrorKind::NotFound {
                    tracing::warn!(%error, "the agenda cannot be read: every game is opened");
                }
                Agenda::default()
            }
        }
    }

    /// Leaves it for the next. Not synced: what a crash makes of it is seen by its sum.
    pub(super) fn keep_agenda(&self, agenda: &Agenda, world: &World) {
        if !world.settled {
            return;
        }
        let path = self.agenda_path();
        let draft = path.with_file_name(".agenda");
        let text = agenda.text(&world.word);
        if let Err(error) = std::fs::write(&draft, text).and_then(|()| std::fs::rename(&draft, &path)) {
            tracing::warn!(%error, "the agenda cannot be kept: the next round opens every game");
        }
    }

    fn agenda_path(&self) -> PathBuf {
        self.site.layout.cron.join("agenda")
    }

    /// The world as it is now.
    pub(super) fn world(&self) -> World {
        let now = SystemTime::now();
        let mut settled = true;
        let mut hash = Sha256::new();
        hash.update(env!("CARGO_PKG_VERSION"));
        hash.update(chrono_tz::IANA_TZDB_VERSION);
        let mut look = |path: &Path| {
            hash.update(path.as_os_str().as_encoded_bytes());
            if let Ok(Some(trace)) = Trace::of(path) {
                hash.update(trace.bytes());
                settled &= trace.is_settled(now);
            }
        };
        if let Ok(program) = std::env::current_exe() {
            look(&program);
        }
        look(&self.site.config_file);
        for folder in ["maps", "trial"].map(|name| self.site.root.join(name)) {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
            files.sort();
            files.iter().for_each(|file| look(file));
        }
        let mut word = String::new();
        Mark::cut(hash).write(&mut word);
        World { word, settled }
    }
}

impl Glimpse {
    /// The entry for a game that was opened after this glimpse and found asleep until then.
    pub fn entry(&self, name: &str, until: DateTime<Utc>) -> Option<Entry> {
        let mark = self.mark.filter(|_| self.settled)?;
        Some(Entry { name: name.into(), until: until.timestamp(), mark })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, until: i64, mark: u8) -> Entry {
        Entry { name: name.into(), until, mark: Mark([mark; 12]) }
    }

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    #[test]
    fn an_agenda_is_read_as_it_was_written_or_not_at_all() {
        let agenda = Agenda { entries: vec![entry("ash", 100, 1), entry("birch", i64::MAX, 0xfe)] };
        let text = agenda.text("w");
        assert_eq!(Agenda::parse(&text, "w"), agenda);
        assert_eq!(Agenda::parse(&text, "another world"), Agenda::default());
        for cut in 0..text.len() {
            assert_eq!(Agenda::parse(&text[..cut], "w"), Agenda::default(), "cut at {cut}");
        }
        let forged = text.replace("ash 100", "ash 900");
        assert_eq!(Agenda::parse(&forged, "w"), Agenda::default(), "changed by another hand");
    }

    #[test]
    fn a_sleeper_is_known_by_its_mark_and_only_until_its_moment() {
        let agenda = Agenda { entries: vec![entry("ash", 100, 1), entry("birch", 50, 2), entry("elm", 100, 3)] };
        let mark = |n| Some(Mark([n; 12]));
        let mut order = agenda.in_order();
        assert!(order.known("alder", mark(1)).is_none(), "not on it");
        assert!(order.known("ash", mark(1)).is_some_and(|entry| entry.sleeps(at(99))));
        assert!(order.known("birch", mark(2)).is_some_and(|entry| !entry.sleeps(at(50))), "its moment has come");
        assert!(order.known("cedar", mark(2)).is_none());
        assert!(order.known("elm", mark(1)).is_none(), "another file, or another line of the index");
        assert!(agenda.in_order().known("elm", None).is_none(), "no file at all");
        assert!(agenda.in_order().known("elm", mark(3)).is_some(), "games between may be missing");
    }
}
