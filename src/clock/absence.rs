//! Absences: the items of TIMING NOT, during which no deadline may fall (clock.md 6).

use super::slot::Grain;
use chrono::{Months, NaiveDate, NaiveDateTime, TimeDelta};
use std::fmt;
use std::str::FromStr;

/// Years a date may have.
pub const YEARS: std::ops::RangeInclusive<i32> = 1970..=2200;

/// How exactly a stamp is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// `yyyymm`
    Month,
    /// `yyyymmdd`
    Day,
    /// `yyyymmddhh`
    Hour,
    /// `yyyymmddhhmm`
    Minute,
}

impl Precision {
    /// Months and days move with START, hours and minutes do not.
    pub fn is_calendar(self) -> bool {
        matches!(self, Precision::Month | Precision::Day)
    }
}

/// A point or stretch of local time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp {
    at: NaiveDateTime,
    precision: Precision,
}

impl Stamp {
    /// A whole day.
    pub fn day(day: NaiveDate) -> Stamp {
        Stamp { at: day.into(), precision: Precision::Day }
    }
    /// A minute.
    pub fn minute(at: NaiveDateTime) -> Stamp {
        Stamp { at, precision: Precision::Minute }
    }
    /// Its beginning.
    pub fn start(self) -> NaiveDateTime {
        self.at
    }
    /// How exactly it is written.
    pub fn precision(self) -> Precision {
        self.precision
    }
    /// The first moment after it: a minute lasts one slot, or a minute where deadlines are exact.
    pub fn end(self, grain: Grain) -> NaiveDateTime {
        let end = match self.precision {
            Precision::Month => self.at.checked_add_months(Months::new(1)),
            Precision::Day => self.at.checked_add_signed(TimeDelta::days(1)),
            Precision::Hour => self.at.checked_add_signed(TimeDelta::hours(1)),
            Precision::Minute => self.at.checked_add_signed(grain.length()),
        };
        end.unwrap_or(self.at)
    }
}

impl FromStr for Stamp {
    type Err = BadAbsence;

    fn from_str(text: &str) -> Result<Stamp, BadAbsence> {
        let bad = || BadAbsence(text.to_owned());
        if !text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(bad());
        }
        let precision = match text.len() {
            6 => Precision::Month,
            8 => Precision::Day,
            10 => Precision::Hour,
            12 => Precision::Minute,
            _ => return Err(bad()),
        };
        let part = |from: usize, length: usize, or: u32| match text.get(from..from + length) {
            Some(digits) => digits.parse::<u32>().ok(),
            None => Some(or),
        };
        let read = || {
            let year = i32::try_from(part(0, 4, 0)?).ok().filter(|year| YEARS.contains(year))?;
            let day = NaiveDate::from_ymd_opt(year, part(4, 2, 1)?, part(6, 2, 1)?)?;
            day.and_hms_opt(part(8, 2, 0)?, part(10, 2, 0)?, 0)
        };
        read().map(|at| Stamp { at, precision }).ok_or_else(bad)
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = match self.precision {
            Precision::Month => "%Y%m",
            Precision::Day => "%Y%m%d",
            Precision::Hour => "%Y%m%d%H",
            Precision::Minute => "%Y%m%d%H%M",
        };
        write!(f, "{}", self.at.format(form))
    }
}

/// An item of NOT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Absence {
    /// `20240831`
    Only(Stamp),
    /// `20240920-20240927`, both included
    Between(Stamp, Stamp),
    /// `-20020812`: from the beginning of time
    Until(Stamp),
}

/// The text is no absence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an absence: {0} (want yyyymmdd, yyyymmdd-yyyymmdd or -yyyymmdd; also yyyymm, yyyymmddhh, yyyymmddhhmm)")]
pub struct BadAbsence(pub String);

impl Absence {
    /// The stamp with which it ends.
    pub fn last(self) -> Stamp {
        match self {
            Absence::Only(stamp) | Absence::Between(_, stamp) | Absence::Until(stamp) => stamp,
        }
    }

    /// Whether it is made of whole days or months.
    pub fn is_calendar(self) -> bool {
        let start = match self {
            Absence::Between(start, _) => start.precision.is_calendar(),
            Absence::Only(_) | Absence::Until(_) => true,
        };
        start && self.last().precision.is_calendar()
    }

    /// Whether that moment of the wall clock lies in it.
    pub fn covers(self, at: NaiveDateTime) -> bool {
        let begun = match self {
            Absence::Only(stamp) | Absence::Between(stamp, _) => stamp.start() <= at,
            Absence::Until(_) => true,
        };
        begun && at < self.last().end(Grain::Exact)
    }

    /// Whether a deadline may not fall on that moment of the wall clock because of it.
    pub fn blocks(self, wall: NaiveDateTime, grain: Grain, start: TimeDelta) -> bool {
        let (from, to) = self.block(grain, start);
        wall.checked_sub_signed(start).is_some_and(|shifted| from <= shifted && shifted < to)
    }

    /// The blocked interval, end exclusive, on the wall clock shifted by START: days and months are compared after
    /// the shift, so they are taken as they are; hours and minutes are not, so they are shifted here.
    pub fn block(self, grain: Grain, start: TimeDelta) -> (NaiveDateTime, NaiveDateTime) {
        let shifted = |at: NaiveDateTime, precision: Precision| match precision.is_calendar() {
            true => at,
            false => at.checked_sub_signed(start).unwrap_or(at),
        };
        let from = match self {
            Absence::Only(stamp) | Absence::Between(stamp, _) => shifted(stamp.start(), stamp.precision),
            Absence::Until(_) => NaiveDateTime::MIN,
        };
        (from, shifted(self.last().end(grain), self.last().precision))
    }

    /// In words: `20 July 2024`, `12 July 2024 to 25 July 2024`, `everything to 12 August 2024`.
    pub fn words(self) -> String {
        let stamp = |stamp: Stamp| {
            let form = match stamp.precision {
                Precision::Month => "%B %Y",
                Precision::Day => "%-d %B %Y",
                Precision::Hour | Precision::Minute => "%-d %B %Y %H:%M",
            };
            stamp.at.format(form).to_string()
        };
        match self {
            Absence::Only(only) => stamp(only),
            Absence::Between(from, to) => format!("{} to {}", stamp(from), stamp(to)),
            Absence::Until(to) => format!("everything to {}", stamp(to)),
        }
    }
}

impl FromStr for Absence {
    type Err = BadAbsence;

    fn from_str(text: &str) -> Result<Absence, BadAbsence> {
        let bad = || BadAbsence(text.to_owned());
        let absence = match text.split_once('-') {
            None => Absence::Only(text.parse().map_err(|_| bad())?),
            Some(("", to)) => Absence::Until(to.parse().map_err(|_| bad())?),
            Some((from, to)) => Absence::Between(from.parse().map_err(|_| bad())?, to.parse().map_err(|_| bad())?),
        };
        let (from, to) = absence.block(Grain::Exact, TimeDelta::zero());
        if from < to { Ok(absence) } else { Err(bad()) }
    }
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Absence::Only(only) => only.fmt(f),
            Absence::Between(from, to) => write!(f, "{from}-{to}"),
            Absence::Until(to) => write!(f, "-{to}"),
        }
    }
}

/// A NOT value: items with commas between.
pub fn parse_list(text: &str) -> Result<Vec<Absence>, BadAbsence> {
    text.split(',').map(str::parse).collect()
}

/// The NOT value of these items; `None` if there are none.
pub fn list_text(absences: &[Absence]) -> Option<String> {
    let items: Vec<String> = absences.iter().map(Absence::to_string).collect();
    (!items.is_empty()).then(|| items.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::format::parse_stamp;

    #[test]
    fn intervals() {
        let t = |s| parse_stamp(s).unwrap();
        for (text, from, to) in [
            ("20240831", Some("202408310000"), "202409010000"),
            ("20240920-20240927", Some("202409200000"), "202409280000"),
            ("-20020812", None, "200208130000"),
            ("202408", Some("202408010000"), "202409010000"),
            ("2024091611", Some("202409161100"), "202409161200"),
            ("202407101030-202407101300", Some("202407101030"), "202407101320"),
        ] {
            let absence: Absence = text.parse().unwrap();
            let block = absence.block(Grain::Slot, TimeDelta::zero());
            assert_eq!(block, (from.map_or(NaiveDateTime::MIN, t), t(to)), "{text}");
            assert_eq!(absence.to_string(), text);
        }
    }

    #[test]
    fn a_day_begins_at_start() {
        let t = |s| parse_stamp(s).unwrap();
        let eight = TimeDelta::hours(8);
        let saturday: Absence = "20240713".parse().unwrap();
        assert!(!saturday.blocks(t("202407130740"), Grain::Slot, eight), "that is Friday still");
        assert!(saturday.blocks(t("202407130800"), Grain::Slot, eight));
        assert!(saturday.blocks(t("202407140740"), Grain::Slot, eight));
        let hour: Absence = "202407131000-202407131100".parse().unwrap();
        assert!(
            hour.blocks(t("202407131100"), Grain::Slot, eight) && !hour.blocks(t("202407131120"), Grain::Slot, eight)
        );
    }

    #[test]
    fn refused() {
        for bad in ["", "-", "2024", "20240230", "202413", "2024091624", "20240920-20240901", "19690101", "22010101"] {
            assert!(bad.parse::<Absence>().is_err(), "{bad}");
        }
        assert!(parse_list("20240101,").is_err());
    }
}
