//! Moments as text: `yyyymmddhhmm` stamps in files, long and short forms in mails and pages (notices.md 1, clock.md 5).

use chrono::{DateTime, NaiveDate, NaiveDateTime, Timelike};
use chrono_tz::Tz;

/// `Saturday 28 November 2026 20:00 GMT`; the label is the zone's abbreviation at that moment.
pub fn long(moment: &DateTime<Tz>) -> String {
    moment.format("%A %-d %B %Y %H:%M %Z").to_string()
}

/// `Sat 28 Nov 2026 20:00 GMT`.
pub fn short(moment: &DateTime<Tz>) -> String {
    moment.format("%a %-d %b %Y %H:%M %Z").to_string()
}

/// `8 July 2024`, as START and FINISH have it.
pub fn date(day: NaiveDate) -> String {
    day.format("%-d %B %Y").to_string()
}

/// `202611282000`.
pub fn stamp(local: NaiveDateTime) -> String {
    local.format("%Y%m%d%H%M").to_string()
}

/// A stamp of exactly twelve digits; `None` for anything else, and for a date that does not exist.
pub fn parse_stamp(text: &str) -> Option<NaiveDateTime> {
    if text.len() != 12 || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let part = |from: usize, to: usize| text.get(from..to).and_then(|digits| digits.parse::<u32>().ok());
    let year = i32::try_from(part(0, 4)?).ok()?;
    NaiveDate::from_ymd_opt(year, part(4, 6)?, part(6, 8)?)?.and_hms_opt(part(8, 10)?, part(10, 12)?, 0)
}

/// `2024-07-15T12:40:00Z`.
pub fn rfc3339<Z: chrono::TimeZone>(moment: &DateTime<Z>) -> String {
    moment.to_utc().format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Cut to the whole minute (clock.md 1: seconds never matter).
pub(crate) fn minute(local: NaiveDateTime) -> NaiveDateTime {
    local.with_second(0).and_then(|t| t.with_nanosecond(0)).unwrap_or(local)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::zone;

    #[test]
    fn forms() {
        let local = parse_stamp("202611282000").unwrap();
        assert_eq!(long(&zone::resolve(Tz::GMT, local)), "Saturday 28 November 2026 20:00 GMT");
        assert_eq!(short(&zone::resolve(Tz::GMT, local)), "Sat 28 Nov 2026 20:00 GMT");
        let tokyo = zone::resolve(Tz::Asia__Tokyo, parse_stamp("201509012000").unwrap());
        assert_eq!(long(&tokyo), "Tuesday 1 September 2015 20:00 JST");
        assert_eq!(short(&tokyo), "Tue 1 Sep 2015 20:00 JST");
        assert_eq!(date(NaiveDate::from_ymd_opt(2024, 7, 8).unwrap()), "8 July 2024");
        assert_eq!(stamp(local), "202611282000");
        for bad in ["20261128200", "2026112820000", "202613282000", "202602302000", "202611282460", "2026é1282000"] {
            assert_eq!(parse_stamp(bad), None, "{bad}");
        }
    }
}
