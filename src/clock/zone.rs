//! Time zones: names of the tz database, and what a local time means where clocks change (clock.md 5).

use chrono::{DateTime, MappedLocalTime, NaiveDateTime, TimeDelta, TimeZone, Utc};
use chrono_tz::{TZ_VARIANTS, Tz};
use std::str::FromStr;

/// No zone of the tz database has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("BAD TIME ZONE: {0}")]
pub struct BadZone(pub String);

/// The zone of that name, case ignored; its canonical spelling is [`Tz::name`]. Names are those of the tz database
/// (GMT and UTC among them); labels such as `PDT` that are no names there are refused (status-file.md 2.1, ZONE).
pub fn named(name: &str) -> Result<Tz, BadZone> {
    Tz::from_str(name)
        .ok()
        .or_else(|| TZ_VARIANTS.iter().copied().find(|zone| zone.name().eq_ignore_ascii_case(name)))
        .ok_or_else(|| BadZone(name.to_owned()))
}

/// The moment a local time means: the moment itself where it is unique, the later one where it happens twice, and
/// the first existing moment after it where it does not exist. Durations are thus lengthened by a clock change at
/// most, never shortened.
pub fn resolve(zone: Tz, local: NaiveDateTime) -> DateTime<Tz> {
    match zone.from_local_datetime(&local) {
        MappedLocalTime::Single(moment) => moment,
        MappedLocalTime::Ambiguous(a, b) => a.max(b),
        MappedLocalTime::None => end_of_gap(zone, local),
    }
}

/// The first existing minute after a local time that does not exist. The longest gaps are the calendar days that
/// Pacific islands left out when they crossed the date line.
fn end_of_gap(zone: Tz, local: NaiveDateTime) -> DateTime<Tz> {
    const LONGEST_GAP_MINUTES: i64 = 2 * 24 * 60;
    (1..=LONGEST_GAP_MINUTES)
        .filter_map(|minutes| local.checked_add_signed(TimeDelta::minutes(minutes)))
        .find_map(|later| zone.from_local_datetime(&later).earliest())
        .unwrap_or_else(|| zone.from_utc_datetime(&local))
}

/// The wall clock at a moment.
pub fn local(zone: Tz, moment: DateTime<Utc>) -> NaiveDateTime {
    moment.with_timezone(&zone).naive_local()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveDate;
    use proptest::prelude::*;

    fn at(y: i32, m: u32, d: u32, hh: u32, mm: u32) -> NaiveDateTime {
        NaiveDate::from_ymd_opt(y, m, d).unwrap().and_hms_opt(hh, mm, 0).unwrap()
    }

    #[test]
    fn names() {
        assert_eq!(named("europe/PARIS").unwrap().name(), "Europe/Paris");
        assert_eq!(named("gmt").unwrap().name(), "GMT");
        assert_eq!(named("utc").unwrap().name(), "UTC");
        assert_eq!(named("Mars/Phobos").unwrap_err().to_string(), "BAD TIME ZONE: Mars/Phobos");
        assert!(named("PDT").is_err() && named("").is_err());
    }

    #[test]
    fn gaps_and_overlaps() {
        let new_york = Tz::America__New_York;
        assert_eq!(resolve(new_york, at(2024, 3, 10, 2, 20)).naive_local(), at(2024, 3, 10, 3, 0));
        assert_eq!(resolve(new_york, at(2024, 11, 3, 1, 20)).naive_utc(), at(2024, 11, 3, 6, 20));
        // Samoa left out 30 December 2011 entirely; Lord Howe changes by half an hour.
        assert_eq!(resolve(Tz::Pacific__Apia, at(2011, 12, 30, 0, 0)).naive_local(), at(2011, 12, 31, 0, 0));
        assert_eq!(resolve(Tz::Australia__Lord_Howe, at(2024, 10, 6, 2, 20)).naive_local(), at(2024, 10, 6, 2, 30));
    }

    proptest! {
        #[test]
        fn never_earlier(zone in 0..TZ_VARIANTS.len(), minute in 15_778_080i64..47_335_680) {
            let zone = TZ_VARIANTS[zone];
            let moment = DateTime::from_timestamp(minute * 60, 0).unwrap();
            let wall = local(zone, moment);
            let back = resolve(zone, wall);
            prop_assert!(back >= moment);
            prop_assert_eq!(back.naive_local(), wall);
            let digits = moment.naive_utc();
            prop_assert!(resolve(zone, digits).naive_local() >= digits);
        }
    }
}
