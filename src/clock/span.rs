//! Spans of elapsed time as TIMING writes them: digits and a unit, `3D`, `24H`, `30M`, `1W` (clock.md 2).
//!
//! A span is elapsed time: a day is always 24 hours, a week 168 (clock.md 1). The unit is kept, because the
//! default FUDGE depends on it (clock.md 4.4).

use chrono::TimeDelta;
use std::fmt;
use std::str::FromStr;

/// The longest span accepted: a century. Anything longer is a typing error, and would overflow the calendar.
const LONGEST_MINUTES: u64 = 100 * 366 * 24 * 60;

/// The letter after the digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// `M`
    Minute,
    /// `H`
    Hour,
    /// `D`: 24 hours
    Day,
    /// `W`: 168 hours
    Week,
}

impl Unit {
    /// Length in minutes.
    pub const fn minutes(self) -> u32 {
        match self {
            Unit::Minute => 1,
            Unit::Hour => 60,
            Unit::Day => 24 * 60,
            Unit::Week => 7 * 24 * 60,
        }
    }

    /// The letter in a status file.
    pub const fn letter(self) -> char {
        match self {
            Unit::Minute => 'M',
            Unit::Hour => 'H',
            Unit::Day => 'D',
            Unit::Week => 'W',
        }
    }

    /// Days or weeks, as against hours or minutes.
    pub const fn is_calendar(self) -> bool {
        matches!(self, Unit::Day | Unit::Week)
    }

    const fn word(self) -> &'static str {
        match self {
            Unit::Minute => "minute",
            Unit::Hour => "hour",
            Unit::Day => "day",
            Unit::Week => "week",
        }
    }
}

/// A span of elapsed time, never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    count: u32,
    unit: Unit,
}

/// The text is no span.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a span of time: {0} (want digits and M, H, D or W)")]
pub struct BadSpan(pub String);

impl Span {
    /// A span; `None` if it is longer than a century.
    pub fn new(count: u32, unit: Unit) -> Option<Span> {
        (u64::from(count) * u64::from(unit.minutes()) <= LONGEST_MINUTES).then_some(Span { count, unit })
    }

    /// So many hours.
    pub const fn hours(count: u8) -> Span {
        Span { count: count as u32, unit: Unit::Hour }
    }

    /// So many days.
    pub const fn days(count: u8) -> Span {
        Span { count: count as u32, unit: Unit::Day }
    }

    /// The unit it was written in.
    pub const fn unit(self) -> Unit {
        self.unit
    }

    /// Length in minutes.
    pub const fn minutes(self) -> i64 {
        self.count as i64 * self.unit.minutes() as i64
    }

    /// Length in elapsed time.
    pub fn elapsed(self) -> TimeDelta {
        TimeDelta::minutes(self.minutes())
    }

    /// Whether it is of no length.
    pub const fn is_zero(self) -> bool {
        self.count == 0
    }

    /// In words: `3 days`, `1 hour`.
    pub fn words(self) -> String {
        let plural = if self.count == 1 { "" } else { "s" };
        format!("{} {}{plural}", self.count, self.unit.word())
    }
}

/// Any elapsed time in words, in the largest unit that fits exactly: `2 days`, `90 minutes`; beyond two hours with hours,
/// `7 hours 53 minutes`.
pub fn elapsed_words(length: TimeDelta) -> String {
    let minutes = length.num_minutes().max(0);
    let counted = |count: i64, unit: Unit| format!("{count} {}{}", unit.word(), if count == 1 { "" } else { "s" });
    if minutes > 120 && minutes % 60 != 0 {
        return format!("{} {}", counted(minutes / 60, Unit::Hour), counted(minutes % 60, Unit::Minute));
    }
    let unit = [Unit::Week, Unit::Day, Unit::Hour]
        .into_iter()
        .find(|unit| minutes > 0 && minutes % i64::from(unit.minutes()) == 0)
        .unwrap_or(Unit::Minute);
    counted(minutes / i64::from(unit.minutes()), unit)
}

impl FromStr for Span {
    type Err = BadSpan;

    /// Digits and a unit, case ignored.
    fn from_str(text: &str) -> Result<Span, BadSpan> {
        let bad = || BadSpan(text.to_owned());
        let last = text.chars().next_back().ok_or_else(bad)?;
        let unit = match last.to_ascii_uppercase() {
            'M' => Unit::Minute,
            'H' => Unit::Hour,
            'D' => Unit::Day,
            'W' => Unit::Week,
            _ => return Err(bad()),
        };
        let digits = &text[..text.len() - last.len_utf8()];
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(bad());
        }
        let count = digits.parse().map_err(|_| bad())?;
        Span::new(count, unit).ok_or_else(bad)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.count, self.unit.letter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_and_written() {
        for (text, minutes, words) in
            [("3D", 4320, "3 days"), ("24h", 1440, "24 hours"), ("1W", 10080, "1 week"), ("0H", 0, "0 hours")]
        {
            let span: Span = text.parse().unwrap();
            assert_eq!((span.minutes(), span.words().as_str()), (minutes, words));
            assert_eq!(span.to_string(), text.to_uppercase());
        }
        for text in ["", "1X", "D", "-1D", "1", "1 D", "+1D", "99999999999D", "99999999W", "1é"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }

    #[test]
    fn any_length_in_words() {
        assert_eq!(elapsed_words(TimeDelta::minutes(2880)), "2 days");
        assert_eq!(elapsed_words(TimeDelta::minutes(1500)), "25 hours");
        assert_eq!(elapsed_words(TimeDelta::minutes(61)), "61 minutes");
        assert_eq!(elapsed_words(TimeDelta::minutes(473)), "7 hours 53 minutes");
        assert_eq!(elapsed_words(TimeDelta::minutes(181)), "3 hours 1 minute");
        assert_eq!(elapsed_words(TimeDelta::zero()), "0 minutes");
    }
}
