//! TIMING: how a game's deadlines are made (clock.md 2). Read from the pairs of a status file, with the old judge's
//! error texts (status-file.md 8); written back in canonical order.

use super::absence::{self, Absence};
use super::days::Days;
use super::span::{Span, Unit};
use chrono::{NaiveTime, TimeDelta};
use std::fmt;
use std::str::FromStr;

/// The line TIMING, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// AT: times of day at which deadlines fall, in order, no time twice.
    pub at: Vec<NaiveTime>,
    /// FUDGE: how much earlier than a full delay a deadline may fall to meet an AT time.
    pub fudge: Option<Span>,
    /// DAYS
    pub days: Days,
    /// START: when a day of DAYS and of NOT begins, in minutes after midnight.
    pub start: i32,
    /// NEXT: the delay of phases without a key of their own.
    pub next: Option<Span>,
    /// Phase words, upper case, with their delays.
    pub phases: Vec<(String, Span)>,
    /// WARN: how long before the deadline to remind; spans of no length are left out.
    pub warn: Vec<Span>,
    /// GRACE
    pub grace: Option<Span>,
    /// NOT
    pub absences: Vec<Absence>,
    /// SKIP (2017): read as RULE JUMP_OFF_DAYS.
    pub skip: bool,
}

impl Default for Timing {
    fn default() -> Timing {
        Timing {
            at: Vec::new(),
            fudge: None,
            days: Days::default(),
            start: 0,
            next: None,
            phases: Vec::new(),
            warn: vec![Span::hours(4)],
            grace: None,
            absences: Vec::new(),
            skip: false,
        }
    }
}

/// What is wrong with a TIMING line; the texts are those of the old judge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimingError {
    /// A key without value.
    #[error("BAD TIMING")]
    Odd,
    /// A value that does not fit its key.
    #[error("BAD {key} IN TIMING: {value}")]
    Bad {
        /// Key, upper case.
        key: String,
        /// Value, as read.
        value: String,
    },
    /// A key given twice.
    #[error("TWO {0} SPECS IN TIMING")]
    Twice(String),
}

impl TimingError {
    /// What would be right.
    pub fn wanted(&self) -> &'static str {
        match self {
            TimingError::Odd => "pairs of a key and a value",
            TimingError::Twice(_) => "the key once",
            TimingError::Bad { key, .. } => wanted(key),
        }
    }
}

/// What a value of that key should be.
fn wanted(key: &str) -> &'static str {
    match key {
        "AT" => "hh:mm from 0:00 to 23:59, or several with commas between",
        "FUDGE" => "a number from 1 with M or H",
        "DAYS" => "seven characters, each - or the letter of its day in SMTWTFS, at least one letter",
        "START" => "a number with M or H, - before it for the evening before",
        "WARN" => "0, or a number with M, H, D or W, or several with commas between",
        "GRACE" => "0, or a number with M, H, D or W",
        "NOT" => "yyyymmdd, yyyymmdd-yyyymmdd with the earlier day first, -yyyymmdd, or several with commas between",
        "SKIP" => "no value",
        _ => "a number from 1 with M, H, D or W, a century at the most",
    }
}

/// What the value of a key should have been, if the clock cannot use it.
pub fn fault(key: &str, value: &str) -> Option<&'static str> {
    Timing::default().set(key, value).is_none().then(|| wanted(key))
}

/// Where the delay of a phase comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// A phase word of TIMING.
    Key(&'a str),
    /// NEXT.
    Next,
    /// Neither: 3D for movement, 1D otherwise.
    Default,
}

impl Timing {
    /// Reads the pairs of a status file; the first error ends it. See [`Timing::read`] for all of them.
    pub fn from_pairs<K: AsRef<str>, V: AsRef<str>>(pairs: &[(K, V)]) -> Result<Timing, TimingError> {
        let (timing, errors) = Timing::read(pairs);
        errors.into_iter().next().map_or(Ok(timing), Err)
    }

    /// Reads the pairs of a status file, and tells everything that is wrong with them; what is wrong keeps its
    /// default.
    pub fn read<K: AsRef<str>, V: AsRef<str>>(pairs: &[(K, V)]) -> (Timing, Vec<TimingError>) {
        let mut timing = Timing::default();
        let mut errors = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        for (key, value) in pairs {
            let key = key.as_ref().to_uppercase();
            let value = match key.as_str() {
                "DAYS" => value.as_ref().to_owned(),
                _ => value.as_ref().to_uppercase(),
            };
            if key != "NOT" && seen.contains(&key) {
                errors.push(TimingError::Twice(key));
                continue;
            }
            if timing.set(&key, &value).is_none() {
                errors.push(TimingError::Bad { key: key.clone(), value });
            }
            seen.push(key);
        }
        (timing, errors)
    }

    /// Takes one pair; `None`: the value does not fit.
    fn set(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "AT" => {
                self.at = value.split(',').map(parse_time).collect::<Option<_>>()?;
                self.at.sort_unstable();
                self.at.dedup();
            }
            "FUDGE" => self.fudge = Some(positive(value).filter(|span| !span.unit().is_calendar())?),
            "DAYS" => self.days = value.parse().ok()?,
            "START" => self.start = parse_start(value)?,
            "NEXT" => self.next = Some(positive(value)?),
            "WARN" => {
                let spans: Vec<Span> = value.split(',').map(span_or_zero).collect::<Option<_>>()?;
                self.warn = spans.into_iter().filter(|span| !span.is_zero()).collect();
            }
            "GRACE" => self.grace = Some(span_or_zero(value)?),
            "NOT" => self.absences.extend(absence::parse_list(value).ok()?),
            "SKIP" => {
                if !value.is_empty() {
                    return None;
                }
                self.skip = true;
            }
            word => self.phases.push((word.to_owned(), positive(value)?)),
        }
        Some(())
    }

    /// The delay of a phase of this kind (`MOVEMENT`, third word of the phase): the longest phase word that begins
    /// it, else NEXT, else 3D for movement and 1D for the rest.
    pub fn delay(&self, kind: &str) -> (Span, Source<'_>) {
        let begins = |word: &str| {
            kind.len() >= word.len() && kind.as_bytes()[..word.len()].eq_ignore_ascii_case(word.as_bytes())
        };
        let longest = self.phases.iter().filter(|(word, _)| begins(word)).max_by_key(|(word, _)| word.len());
        match (longest, self.next) {
            (Some((word, span)), _) => (*span, Source::Key(word)),
            (None, Some(span)) => (span, Source::Next),
            (None, None) => (Span::days(if is_movement(kind) { 3 } else { 1 }), Source::Default),
        }
    }

    /// Phase words that begin no phase of the map's flow: worth a warning.
    pub fn idle_words<'a>(&'a self, kinds: &'a [&str]) -> impl Iterator<Item = &'a str> {
        let begins = |word: &str| kinds.iter().any(|kind| kind.to_uppercase().starts_with(word));
        self.phases.iter().map(|(word, _)| word.as_str()).filter(move |word| !begins(word))
    }

    /// START as a length of time.
    pub fn start(&self) -> TimeDelta {
        TimeDelta::minutes(i64::from(self.start))
    }

    /// The pairs in canonical order (status-file.md 9); what has its default is left out.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        let mut put = |key: &str, value: String| pairs.push((key.to_owned(), value));
        if let Some(next) = self.next {
            put("NEXT", next.to_string());
        }
        for (word, span) in &self.phases {
            put(word, span.to_string());
        }
        if !self.at.is_empty() {
            put("AT", joined(self.at.iter().map(|at| at.format("%H:%M"))));
        }
        if let Some(fudge) = self.fudge {
            put("FUDGE", fudge.to_string());
        }
        if self.days != Days::default() {
            put("DAYS", self.days.to_string());
        }
        if self.start != 0 {
            let (count, unit) = if self.start % 60 == 0 { (self.start / 60, 'H') } else { (self.start, 'M') };
            put("START", format!("{count}{unit}"));
        }
        if self.warn != Timing::default().warn {
            put("WARN", if self.warn.is_empty() { "0H".to_owned() } else { joined(self.warn.iter()) });
        }
        if let Some(grace) = self.grace {
            put("GRACE", grace.to_string());
        }
        if let Some(not) = absence::list_text(&self.absences) {
            put("NOT", not);
        }
        if self.skip {
            put("SKIP", String::new());
        }
        pairs
    }
}

/// Whether a phase kind is a movement phase: its first letter decides (status-file.md 2.1, PHASE).
pub fn is_movement(kind: &str) -> bool {
    kind.starts_with(['M', 'm'])
}

fn joined<T: fmt::Display>(items: impl Iterator<Item = T>) -> String {
    items.map(|item| item.to_string()).collect::<Vec<_>>().join(",")
}

fn positive(value: &str) -> Option<Span> {
    value.parse::<Span>().ok().filter(|span| !span.is_zero())
}

/// WARN and GRACE also take a bare `0` (clock.md 2).
fn span_or_zero(value: &str) -> Option<Span> {
    if value == "0" { Span::new(0, Unit::Hour) } else { value.parse().ok() }
}

fn parse_start(value: &str) -> Option<i32> {
    let (sign, digits) = match value.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, value),
    };
    let span = digits.parse::<Span>().ok().filter(|span| !span.unit().is_calendar())?;
    i32::try_from(span.minutes()).ok().map(|minutes| sign * minutes)
}

/// `hh:mm`, single digits allowed.
pub(crate) fn parse_time(text: &str) -> Option<NaiveTime> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |digits: &str| {
        let fits = (1..=2).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        fits.then(|| digits.parse::<u32>().ok()).flatten()
    };
    NaiveTime::from_hms_opt(number(hours)?, number(minutes)?, 0)
}

/// Splits the text after the word TIMING into pairs, keys in upper case; SKIP stands without value.
pub fn split_pairs(text: &str) -> Result<Vec<(String, String)>, TimingError> {
    let mut words = text.split_whitespace();
    let mut pairs = Vec::new();
    while let Some(key) = words.next() {
        let key = key.to_uppercase();
        let value = match key.as_str() {
            "SKIP" => "",
            _ => words.next().ok_or(TimingError::Odd)?,
        };
        let value = if key == "DAYS" { value.to_owned() } else { value.to_uppercase() };
        pairs.push((key, value));
    }
    Ok(pairs)
}

/// Puts these absences into the pairs of a status file in place of its NOT, every other pair staying where it is.
pub fn set_absences(pairs: &mut Vec<(String, String)>, absences: &[Absence]) {
    let place = pairs.iter().position(|(key, _)| key.eq_ignore_ascii_case("NOT"));
    pairs.retain(|(key, _)| !key.eq_ignore_ascii_case("NOT"));
    if let Some(value) = absence::list_text(absences) {
        pairs.insert(place.unwrap_or(pairs.len()).min(pairs.len()), ("NOT".to_owned(), value));
    }
}

impl FromStr for Timing {
    type Err = TimingError;

    /// The text after the word TIMING.
    fn from_str(text: &str) -> Result<Timing, TimingError> {
        Timing::from_pairs(&split_pairs(text)?)
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (key, value)) in self.to_pairs().iter().enumerate() {
            let blank = if i == 0 { "" } else { " " };
            let between = if value.is_empty() { "" } else { " " };
            write!(f, "{blank}{key}{between}{value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn old_error_texts() {
        for (text, error) in [
            ("NEXT 1X", "BAD NEXT IN TIMING: 1X"),
            ("next 0d", "BAD NEXT IN TIMING: 0D"),
            ("AT 25:00", "BAD AT IN TIMING: 25:00"),
            ("AT 12:60", "BAD AT IN TIMING: 12:60"),
            ("AT 12:00,", "BAD AT IN TIMING: 12:00,"),
            ("DAYS -------", "BAD DAYS IN TIMING: -------"),
            ("DAYS MTWTFSS", "BAD DAYS IN TIMING: MTWTFSS"),
            ("FUDGE 1D", "BAD FUDGE IN TIMING: 1D"),
            ("FUDGE 0H", "BAD FUDGE IN TIMING: 0H"),
            ("START 1D", "BAD START IN TIMING: 1D"),
            ("WARN 4H,", "BAD WARN IN TIMING: 4H,"),
            ("GRACE -1H", "BAD GRACE IN TIMING: -1H"),
            ("NOT 19690101", "BAD NOT IN TIMING: 19690101"),
            ("MOVE 0H", "BAD MOVE IN TIMING: 0H"),
            ("NEXT 1D NEXT 2D", "TWO NEXT SPECS IN TIMING"),
            ("NEXT", "BAD TIMING"),
        ] {
            assert_eq!(text.parse::<Timing>().unwrap_err().to_string(), error);
        }
        let (_, all) = Timing::read(&[("NEXT", "1X"), ("AT", "x")]);
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].wanted(), "a number from 1 with M, H, D or W, a century at the most");
    }

    #[test]
    fn accepted() {
        let timing: Timing =
            "next 1d at 8:5,20:00 days -MTWTfs start -90m warn 0 grace 0 skip move 2d not 202408".parse().unwrap();
        assert_eq!(
            timing.to_string(),
            "NEXT 1D MOVE 2D AT 08:05,20:00 DAYS -MTWTfs START -90M WARN 0H GRACE 0H NOT 202408 SKIP"
        );
        assert_eq!("".parse::<Timing>().unwrap(), Timing::default());
        assert_eq!("NOT 20240101 NOT 20240103".parse::<Timing>().unwrap().absences.len(), 2);
        assert_eq!(timing.idle_words(&["RETREATS"]).collect::<Vec<_>>(), ["MOVE"]);
        assert_eq!(timing.idle_words(&["MOVEMENT"]).count(), 0);
    }

    #[test]
    fn absences_replaced_in_place() {
        let mut pairs = split_pairs("NEXT 1D NOT 20240101 AT 12:00").unwrap();
        set_absences(&mut pairs, &["20250101".parse().unwrap()]);
        assert_eq!(pairs[1], ("NOT".to_owned(), "20250101".to_owned()));
        set_absences(&mut pairs, &[]);
        assert_eq!(pairs.len(), 2);
    }

    proptest! {
        #[test]
        fn reading_never_panics(text in "\\PC*") {
            let _ = text.parse::<Timing>();
        }

        #[test]
        fn written_is_read_back(text in "((NEXT|MOVE|RET|GRACE|WARN|FUDGE|START|AT|DAYS|NOT) [-0-9:,SMTWFHD]{1,9} ){0,4}") {
            if let Ok(timing) = text.parse::<Timing>() {
                prop_assert_eq!(timing.to_string().parse::<Timing>(), Ok(timing));
            }
        }
    }
}
