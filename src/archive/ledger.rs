//! What has been done already: keys of processed mail and of reminders, one text file a month (operations.md 6).
//!
//! A line is `<key> <UTC time> <game or -> <outcome>`. Lines are only ever added, within the commit that has the
//! effects they stand for, so a message executed is a message in the ledger. A key counts per game: a message for two
//! games is done in one of them as soon as that game's commit is made. Ask under the lock of that game (or the
//! judge's for `-`): taking the lock finishes a commit that a crash has interrupted, its ledger line included.

use super::error::{ArchiveError, At};
use super::fs;
use super::trace::Trace;
use crate::hex::hex;
use chrono::{DateTime, Duration, Months, NaiveDate, SecondsFormat, Utc};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A repeated message with a Message-ID is a duplicate for so long, unless `mail.in.dedup` says otherwise.
pub const WINDOW: Duration = Duration::days(30);
/// Without a Message-ID, because a player may really send the same words again.
pub const WINDOW_WITHOUT_ID: Duration = Duration::hours(24);
/// Files older than this are removed.
pub const KEEP: Duration = Duration::days(400);

/// What the keys of sign-ons begin with.
const SIGN_ON: &str = "signon:";

/// Longest Message-ID that a key shows as it is.
const LONGEST_ID: usize = 250;

/// The name of something that must happen only once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(String);

impl Key {
    /// The key of a message (OPS-030): Message-ID, sender and the words it was read as.
    pub fn of_mail(message_id: Option<&str>, sender: &str, text: &str) -> Key {
        let id = message_id.map(str::trim).filter(|id| !id.is_empty());
        let id = match id.map(str::to_lowercase) {
            None => "none".to_owned(),
            Some(long) if long.len() > LONGEST_ID => format!("sha256-{}", hex(&Sha256::digest(&long))),
            Some(id) => id,
        };
        let mut words = String::with_capacity(text.len());
        for line in text.lines() {
            words.push_str(line.trim_end());
            words.push('\n');
        }
        let mut sum = hex(&Sha256::digest(words.trim_end()));
        sum.truncate(32);
        Key(format!("{}:{}:{sum}", escape(&id), escape(&sender.trim().to_lowercase())))
    }

    /// The key of a reminder (OPS-082).
    pub fn of_reminder(game: &str, phase: &str, deadline: &str, entry: &str, seat: &str) -> Key {
        let part = |text: &str| escape(text).replace(':', "%3A");
        let (phase, deadline, entry, seat) = (part(phase), part(deadline), part(entry), part(seat));
        Key(format!("reminder:{game}:{phase}:{deadline}:{entry}:{seat}"))
    }

    /// The key of anything else: a word for the kind, and what tells one from another.
    pub fn of(kind: &str, what: &str) -> Key {
        Key(format!("{}:{}", escape(kind), escape(what)))
    }

    /// The key.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The sender in the key of a message.
    fn sender(&self) -> Option<&str> {
        // A Message-ID may hold colons; the hash and an address do not.
        self.0.rsplit(':').nth(1)
    }

    /// How long it counts.
    fn window(&self, with_id: Duration) -> Duration {
        if self.0.starts_with("none:") {
            WINDOW_WITHOUT_ID
        } else if self.0.starts_with("reminder:") {
            // Its deadline is part of it and its moment comes but once: 30 days whatever the configuration says.
            WINDOW
        } else {
            with_id
        }
    }
}

/// Keep a word a word.
fn escape(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut word, c| {
        if c.is_whitespace() || c.is_control() || c == '%' {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|byte| word.push_str(&format!("%{byte:02X}")));
        } else {
            word.push(c);
        }
        word
    })
}

/// A line of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What was done.
    pub key: Key,
    /// When.
    pub time: DateTime<Utc>,
    /// For which game; `None`: for none.
    pub game: Option<String>,
    /// One word: `executed`, `auto`, `sent`, …
    pub outcome: String,
}

impl Entry {
    /// The line without its end.
    pub fn line(&self) -> String {
        let time = self.time.to_rfc3339_opts(SecondsFormat::Secs, true);
        format!("{} {time} {} {}", self.key.0, escape(self.game.as_deref().unwrap_or("-")), escape(&self.outcome))
    }

    /// Read a line; `None` if it is none.
    pub fn parse(line: &str) -> Option<Entry> {
        let mut words = line.split(' ');
        let (key, time, game, outcome) = (words.next()?, words.next()?, words.next()?, words.next()?);
        if key.is_empty() || game.is_empty() || words.next().is_some() {
            return None;
        }
        let time = DateTime::parse_from_rfc3339(time).ok()?.with_timezone(&Utc);
        let game = (game != "-").then(|| game.to_owned());
        Some(Entry { key: Key(key.to_owned()), time, game, outcome: outcome.to_owned() })
    }
}

/// File of that time: `2026-11`.
pub(super) fn month(time: DateTime<Utc>) -> String {
    time.format("%Y-%m").to_string()
}

/// Whether a file name is a month.
pub(super) fn is_month(name: &str) -> bool {
    name.len() == 7 && first_day(name).is_some()
}

fn first_day(month: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(&format!("{month}-01"), "%Y-%m-%d").ok()
}

/// A file of the ledger as it was when it was read, and up to where its whole lines are known.
#[derive(Clone, Copy, Debug)]
struct Known {
    trace: Trace,
    upto: u64,
}

/// The ledger as read. It keeps the keys of the last months in memory and reads on where it stopped.
#[derive(Debug, Default)]
pub struct Ledger {
    directory: PathBuf,
    window: Option<Duration>,
    read: HashMap<String, Known>,
    latest: HashMap<(Key, Option<String>), DateTime<Utc>>,
    recent: Recent,
}

/// How far back [`Ledger::closed_by`] and [`Ledger::sign_ons`] look.
pub const RECENT: Duration = Duration::hours(24);

/// The entries of the last day that rates and pauses are counted from, in the order they were written.
#[derive(Debug, Default)]
struct Recent {
    /// Those about no game, by sender: the lines that close a message.
    closed: HashMap<String, Vec<Entry>>,
    sign_ons: Vec<Entry>,
    /// When those of all senders were last looked through for old ones.
    swept: DateTime<Utc>,
}

impl Recent {
    fn push(&mut self, entry: &Entry) {
        if entry.key.0.starts_with(SIGN_ON) {
            self.sign_ons.push(entry.clone());
        } else if let (None, Some(sender)) = (&entry.game, entry.key.sender()) {
            self.closed.entry(sender.to_owned()).or_default().push(entry.clone());
        }
    }

    fn sweep(&mut self, now: DateTime<Utc>) {
        if now.signed_duration_since(self.swept).abs() < Duration::hours(1) {
            return;
        }
        self.swept = now;
        self.sign_ons.retain(|entry| is_recent(entry, now));
        self.closed.retain(|_, entries| {
            entries.retain(|entry| is_recent(entry, now));
            !entries.is_empty()
        });
    }
}

fn is_recent(entry: &Entry, now: DateTime<Utc>) -> bool {
    now.signed_duration_since(entry.time) < RECENT
}

impl Ledger {
    /// The ledger in that directory; `window` is `mail.in.dedup`.
    pub fn open(directory: &Path, window: Duration) -> Ledger {
        Ledger { directory: directory.to_owned(), window: Some(window), ..Ledger::default() }
    }

    /// Whether the key was used for that game (`None`: without a game) and still counts at `now`.
    pub fn is_done(&mut self, key: &Key, game: Option<&str>, now: DateTime<Utc>) -> Result<bool, ArchiveError> {
        self.refresh(now)?;
        let window = key.window(self.window.unwrap_or(WINDOW));
        let used = self.latest.get(&(key.clone(), game.map(str::to_owned)));
        // A clock that was set back makes entries of the future: they count.
        Ok(used.is_some_and(|&time| now.signed_duration_since(time) < window))
    }

    /// Whether the key was used for any game, or without one (a message that is a repetition as a whole).
    pub fn is_known(&mut self, key: &Key, now: DateTime<Utc>) -> Result<bool, ArchiveError> {
        self.refresh(now)?;
        let window = key.window(self.window.unwrap_or(WINDOW));
        Ok(self.latest.iter().any(|((used, _), &time)| used == key && now.signed_duration_since(time) < window))
    }

    /// The lines of the last day that close a message of that sender, in the order they were written.
    pub fn closed_by(&mut self, sender: &str, now: DateTime<Utc>) -> Result<Vec<Entry>, ArchiveError> {
        self.refresh(now)?;
        let entries = self.recent.closed.get(sender).into_iter().flatten();
        Ok(entries.filter(|entry| is_recent(entry, now)).cloned().collect())
    }

    /// The sign-ons of the last day that were noted, in the order they were written.
    pub fn sign_ons(&mut self, now: DateTime<Utc>) -> Result<Vec<Entry>, ArchiveError> {
        self.refresh(now)?;
        Ok(self.recent.sign_ons.iter().filter(|entry| is_recent(entry, now)).cloned().collect())
    }

    /// Read what was added since the last time.
    fn refresh(&mut self, now: DateTime<Utc>) -> Result<(), ArchiveError> {
        let window = self.window.unwrap_or(WINDOW).max(WINDOW);
        let oldest = month(now.checked_sub_signed(window).unwrap_or(now));
        let mut names = months(&self.directory)?;
        names.retain(|name| *name >= oldest);
        if !self.read_on(&names, now)? {
            // Another hand has put something else there: what was read of it counts no more. Seen is that by a new file, a
            // shorter one, or a line that ends no longer where it did.
            self.read.clear();
            self.latest.clear();
            self.recent = Recent::default();
            self.read_on(&names, now)?;
        }
        self.recent.sweep(now);
        Ok(())
    }

    /// Reads the new lines of these files; `false`: the known ones are no longer those of one of them.
    fn read_on(&mut self, names: &[String], now: DateTime<Utc>) -> Result<bool, ArchiveError> {
        for name in names {
            let path = self.directory.join(name);
            let known = self.read.get(name).copied();
            let seen = Trace::of(&path).at("read", &path)?;
            if seen.is_none() || known.map(|known| known.trace) == seen {
                continue;
            }
            let Some(mut file) = fs::open(&path).at("read", &path)? else { continue };
            let trace = Trace::known(&file.metadata().at("read", &path)?);
            let known = known.unwrap_or(Known { trace, upto: 0 });
            if !trace.has_grown_from(&known.trace) {
                return Ok(false);
            }
            let mut new = Vec::new();
            // The end of the last line that is known is looked at, too.
            let from = known.upto.saturating_sub(1);
            file.seek(SeekFrom::Start(from)).and_then(|_| file.read_to_end(&mut new)).at("read", &path)?;
            if known.upto > 0 && new.first() != Some(&b'\n') {
                return Ok(false);
            }
            let whole = new.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            for entry in entries(new.get(..whole).unwrap_or_default()) {
                if is_recent(&entry, now) {
                    self.recent.push(&entry);
                }
                let time = self.latest.entry((entry.key, entry.game)).or_insert(entry.time);
                *time = (*time).max(entry.time);
            }
            let upto = from + u64::try_from(whole).unwrap_or(0);
            self.read.insert(name.clone(), Known { trace, upto });
        }
        Ok(true)
    }
}

/// The entries of a file, lines that are none left out.
pub fn entries(bytes: &[u8]) -> impl Iterator<Item = Entry> {
    bytes.split(|&byte| byte == b'\n').filter_map(|line| Entry::parse(std::str::from_utf8(line).ok()?))
}

/// The files of the ledger, oldest first.
pub fn months(directory: &Path) -> Result<Vec<String>, ArchiveError> {
    let mut names = fs::names(directory).at("read", directory)?;
    names.retain(|name| is_month(name));
    Ok(names)
}

/// Whether a whole month lies further back than [`KEEP`].
pub(super) fn is_expired(month: &str, now: DateTime<Utc>) -> bool {
    let end = first_day(month).and_then(|day| day.checked_add_months(Months::new(1)));
    let oldest = now.checked_sub_signed(KEEP).map(|time| time.date_naive());
    matches!((end, oldest), (Some(end), Some(oldest)) if end <= oldest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(text: &str) -> DateTime<Utc> {
        DateTime::parse_from_rfc3339(text).unwrap().with_timezone(&Utc)
    }

    #[test]
    fn a_key_is_identity_sender_and_words() {
        let key = Key::of_mail(Some("<A1@Example.ORG>"), "Ann@Example.org", "SIGNON f  \r\nA PAR H\r\n\r\n");
        let same = Key::of_mail(Some("<a1@example.org>"), "ann@example.org", "SIGNON f\nA PAR H\n");
        assert_eq!(key, same);
        assert!(key.as_str().starts_with("<a1@example.org>:ann@example.org:"), "{key:?}");
        assert_ne!(key, Key::of_mail(Some("<a1@example.org>"), "ann@example.org", "SIGNON f\nA PAR - BUR\n"));
        assert!(Key::of_mail(None, "a b@x", "").as_str().starts_with("none:a%20b@x:"));
        assert!(Key::of_mail(Some(&"x".repeat(4000)), "a@b", "").as_str().len() < 200);
        assert_eq!(
            Key::of_reminder("demo", "S1901M", "20261121T2340", "1:30", "FRANCE").as_str(),
            "reminder:demo:S1901M:20261121T2340:1%3A30:FRANCE"
        );
    }

    #[test]
    fn a_key_counts_for_its_window_and_its_game() {
        let dir = tempfile::tempdir().unwrap();
        let with = Key::of_mail(Some("<1@x>"), "a@b", "x");
        let without = Key::of_mail(None, "a@b", "x");
        let reminder = Key::of_reminder("demo", "S1901M", "d", "e", "FRANCE");
        let time = at("2026-10-30T12:00:00Z");
        let mut text = String::new();
        for key in [&with, &without, &reminder] {
            let entry = Entry { key: key.clone(), time, game: Some("demo".into()), outcome: "executed".into() };
            text += &(entry.line() + "\nnot a line of the ledger\n");
        }
        std::fs::write(dir.path().join("2026-10"), text).unwrap();
        let mut ledger = Ledger::open(dir.path(), WINDOW);
        let mut done = |key: &Key, game: Option<&str>, now: &str| ledger.is_done(key, game, at(now)).unwrap();
        assert!(done(&with, Some("demo"), "2026-11-29T11:59:59Z"));
        assert!(!done(&with, Some("demo"), "2026-11-29T12:00:00Z"));
        assert!(!done(&with, Some("other"), "2026-10-30T12:00:00Z"));
        assert!(!done(&with, None, "2026-10-30T12:00:00Z"));
        assert!(done(&without, Some("demo"), "2026-10-31T11:59:59Z"));
        assert!(!done(&without, Some("demo"), "2026-10-31T12:00:00Z"));
        assert!(done(&reminder, Some("demo"), "2026-11-15T00:00:00Z"));
    }

    /// A ledger that is read on while other processes write it, and a message of each sender in it.
    struct Written {
        dir: tempfile::TempDir,
        ledger: Ledger,
    }

    impl Written {
        fn new() -> Written {
            let dir = tempfile::tempdir().unwrap();
            let ledger = Ledger::open(dir.path(), WINDOW);
            Written { dir, ledger }
        }

        fn path(&self) -> PathBuf {
            self.dir.path().join("2026-11")
        }

        fn line(sender: &str) -> String {
            let key = Key::of_mail(Some("<1@x>"), sender, "x");
            Entry { key, time: at("2026-11-21T12:00:00Z"), game: None, outcome: "done".into() }.line() + "\n"
        }

        fn append(&self, bytes: &str) {
            use std::io::Write;
            let mut file = std::fs::File::options().create(true).append(true).open(self.path()).unwrap();
            file.write_all(bytes.as_bytes()).unwrap();
        }

        /// Of these senders, those whose message is done, and that one line each says so.
        fn known(&mut self, senders: &str) -> String {
            let now = at("2026-11-21T13:00:00Z");
            let mut known = String::new();
            for sender in senders.chars() {
                let name = sender.to_string();
                let done = self.ledger.is_done(&Key::of_mail(Some("<1@x>"), &name, "x"), None, now).unwrap();
                let lines = self.ledger.closed_by(&name, now).unwrap();
                assert_eq!(lines.len(), usize::from(done), "{lines:?}");
                known.extend(done.then_some(sender));
            }
            known
        }
    }

    #[test]
    fn what_others_add_is_read_on_and_half_a_line_waits_for_its_end() {
        let mut written = Written::new();
        assert_eq!(written.known("ab"), "");
        written.append(&Written::line("a"));
        assert_eq!(written.known("ab"), "a");
        let line = Written::line("b");
        let (half, rest) = line.split_at(line.len() - 4);
        written.append(half);
        assert_eq!(written.known("ab"), "a");
        // A dead writer's part is cut off before the next line.
        let whole = std::fs::read(written.path()).unwrap().len() - half.len();
        let file = std::fs::File::options().write(true).open(written.path()).unwrap();
        file.set_len(whole as u64).unwrap();
        assert_eq!(written.known("abc"), "a");
        written.append(&(Written::line("c") + half));
        assert_eq!(written.known("abc"), "ac");
        written.append(rest);
        assert_eq!(written.known("abc"), "abc");
    }

    #[test]
    fn a_ledger_that_another_hand_has_rewritten_is_read_anew() {
        let line = Written::line;
        for new in [line("c"), line("c") + &line("d"), line("c") + &line("d") + &line("e"), String::new()] {
            for in_place in [true, false] {
                let mut written = Written::new();
                written.append(&(line("a") + &line("b")));
                assert_eq!(written.known("abcde"), "ab");
                // So that no line ends where one did.
                let text = new.replacen("done", "done-by-hand", 1);
                if in_place {
                    std::fs::write(written.path(), &text).unwrap();
                } else {
                    let draft = written.path().with_extension("draft");
                    std::fs::write(&draft, &text).unwrap();
                    std::fs::rename(draft, written.path()).unwrap();
                }
                let expected: String = "cde".chars().filter(|c| text.contains(&format!(":{c}:"))).collect();
                assert_eq!(written.known("abcde"), expected, "{text}");
                written.append(&line("a"));
                assert_eq!(written.known("abcde"), format!("a{expected}"));
            }
        }
    }

    #[test]
    fn months_expire_after_400_days() {
        assert!(!is_expired("2025-10", at("2026-11-21T00:00:00Z")));
        assert!(is_expired("2025-09", at("2026-11-21T00:00:00Z")));
        assert!(!is_month("2025-13") && !is_month("x") && !is_month("../2025"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            entries(&bytes).for_each(drop);
        }

        #[test]
        fn what_is_written_is_read(id in ".{0,300}", sender in ".{0,40}", text in ".{0,40}", outcome in "\\PC{1,9}") {
            let entry = Entry {
                key: Key::of_mail(Some(&id), &sender, &text),
                time: at("2026-11-21T03:29:30Z"),
                game: None,
                outcome: outcome.split_whitespace().collect(),
            };
            let back = Entry::parse(&entry.line());
            prop_assert_eq!(back.map(|b| b.key), Some(entry.key));
        }
    }
}
