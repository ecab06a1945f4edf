//! Dates as people write them in SET DEADLINE and SET ABSENCE (clock.md 6 and 7): `[weekday] [day [month [year]]]
//! [AT] [hh:mm]`, what is missing being filled so that the result is the first such moment not before another. Moments
//! are compared, not digits: in the hour that clocks repeat in autumn a time is the later of two moments (clock.md 5),
//! and lies ahead although the wall clock, the first time round, shows more.

use super::absence::YEARS;
use super::format::{long, minute};
use super::rules::ClockRules;
use super::slot::Grain;
use super::span::Span;
use super::timing::parse_time;
use super::zone::{local, resolve};
use chrono::{DateTime, Datelike, Days, Months, NaiveDate, NaiveDateTime, NaiveTime, Utc, Weekday};
use chrono_tz::Tz;

/// A day of February 29 comes again after this many years at the latest.
const YEARS_AHEAD: i32 = 8;

/// Why a deadline is not set; the texts are those of the old judge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeadlineRefusal {
    /// NO_DEADLINE.
    #[error("No deadlines can be set in this game")]
    NoDeadline,
    /// Without PLAYER_DEADLINES.
    #[error("Only the Master can SET DEADLINE")]
    MasterOnly,
    /// Forming or completed.
    #[error("DEADLINE cannot be set on an inactive game")]
    Inactive,
    /// Not a date.
    #[error("Bad DEADLINE specified")]
    Bad,
    /// Before now; the date in words.
    #[error("DEADLINE has already past: {0}")]
    Past(String),
    /// A player may only lengthen.
    #[error("Only the Master may shorten a deadline")]
    Shortened,
}

/// The parts of a date that were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    weekday: Option<Weekday>,
    day: Option<u32>,
    month: Option<u32>,
    year: Option<i32>,
    pub(crate) time: Option<NaiveTime>,
}

impl Parts {
    /// Reads a date; `None`: it is none.
    pub(crate) fn read(text: &str) -> Option<Parts> {
        let mut parts = Parts::default();
        let mut words = text.split([' ', '\t', ',']).filter(|word| !word.is_empty()).peekable();
        words.peek()?;
        parts.weekday = words.next_if_map_opt(weekday);
        parts.day = words.next_if_map_opt(|word| number(word, 1..=2));
        if parts.day.is_some() {
            parts.month = words.next_if_map_opt(month);
        }
        if parts.month.is_some() {
            parts.year = words.next_if_map_opt(year);
        }
        let at = words.next_if(|word| word.eq_ignore_ascii_case("AT")).is_some();
        parts.time = words.next_if_map_opt(parse_time);
        let complete = words.next().is_none() && !(at && parts.time.is_none());
        complete.then_some(parts)
    }

    /// The first such moment, from `today` on, that lies `ahead`; a full date as it is. A date without time is at
    /// `default`.
    pub(crate) fn first_from(
        &self,
        today: NaiveDate,
        default: NaiveTime,
        ahead: impl Fn(NaiveDateTime) -> bool,
    ) -> Option<NaiveDateTime> {
        let time = self.time.unwrap_or(default);
        let ahead = |day: &NaiveDate| ahead(day.and_time(time));
        let day = match (self.day, self.month, self.year) {
            (Some(day), Some(month), Some(year)) => NaiveDate::from_ymd_opt(year, month, day),
            (Some(day), Some(month), None) => (today.year()..=today.year() + YEARS_AHEAD)
                .filter_map(|year| NaiveDate::from_ymd_opt(year, month, day))
                .find(ahead),
            (Some(day), None, _) => (0..=12)
                .filter_map(|months| today.with_day(1)?.checked_add_months(Months::new(months))?.with_day(day))
                .find(ahead),
            (None, ..) => (0..=7)
                .filter_map(|days| today.checked_add_days(Days::new(days)))
                .filter(|day| self.weekday.is_none_or(|weekday| day.weekday() == weekday))
                .find(ahead),
        }?;
        let consistent = self.weekday.is_none_or(|weekday| day.weekday() == weekday);
        (consistent && YEARS.contains(&day.year())).then(|| day.and_time(time))
    }
}

/// `Peekable::next_if` that also keeps what it found.
trait NextIfMap<'a> {
    fn next_if_map_opt<T>(&mut self, read: impl FnOnce(&'a str) -> Option<T>) -> Option<T>;
}

impl<'a, I: Iterator<Item = &'a str>> NextIfMap<'a> for std::iter::Peekable<I> {
    fn next_if_map_opt<T>(&mut self, read: impl FnOnce(&'a str) -> Option<T>) -> Option<T> {
        let found = read(self.peek().copied()?)?;
        self.next();
        Some(found)
    }
}

fn number(word: &str, digits: std::ops::RangeInclusive<usize>) -> Option<u32> {
    let fits = digits.contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit());
    fits.then(|| word.parse().ok()).flatten()
}

/// Two or four digits.
fn year(word: &str) -> Option<i32> {
    match word.len() {
        2 => number(word, 2..=2).map(|year| 2000 + year as i32),
        _ => number(word, 4..=4).map(|year| year as i32),
    }
}

/// A name in full, or its first three letters, case ignored; its place in the list.
fn name(word: &str, names: &[&str]) -> Option<usize> {
    let is = |name: &&str| {
        name.eq_ignore_ascii_case(word) || name.get(..3).is_some_and(|short| short.eq_ignore_ascii_case(word))
    };
    names.iter().position(is)
}

fn weekday(word: &str) -> Option<Weekday> {
    const NAMES: [&str; 7] = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"];
    name(word, &NAMES).and_then(|place| Weekday::try_from(u8::try_from(place).ok()?).ok())
}

fn month(word: &str) -> Option<u32> {
    const NAMES: [&str; 12] = [
        "JANUARY",
        "FEBRUARY",
        "MARCH",
        "APRIL",
        "MAY",
        "JUNE",
        "JULY",
        "AUGUST",
        "SEPTEMBER",
        "OCTOBER",
        "NOVEMBER",
        "DECEMBER",
    ];
    name(word, &NAMES).and_then(|place| u32::try_from(place + 1).ok())
}

/// What a date in SET DEADLINE depends on.
#[derive(Clone, Copy, Debug)]
pub struct DateQuery<'a> {
    /// The current moment.
    pub now: DateTime<Utc>,
    /// Zone of the game.
    pub zone: Tz,
    /// AT of TIMING.
    pub at: &'a [NaiveTime],
    /// The current DEADLINE.
    pub current: Option<NaiveDateTime>,
    /// REAL_TIME.
    pub real_time: bool,
    /// The text after SET DEADLINE.
    pub text: &'a str,
}

/// The deadline that the text of SET DEADLINE means (clock.md 7), raised to the slot, and moved out of a gap: a date, or
/// `+1D`, so much later than it is.
pub fn parse_date(query: &DateQuery) -> Result<NaiveDateTime, DeadlineRefusal> {
    let grain = if query.real_time { Grain::Exact } else { Grain::Slot };
    if let Some(span) = query.text.trim().strip_prefix('+') {
        return later(query, span, grain).ok_or(DeadlineRefusal::Bad);
    }
    let text = without_word(query.text, &["TO", "ON"]);
    let parts = Parts::read(text).ok_or(DeadlineRefusal::Bad)?;
    let default = match query.at {
        [at] => *at,
        [] => NaiveTime::MIN,
        _ => query.current.map_or(NaiveTime::MIN, |current| current.time()),
    };
    let now = whole_minute(query.now);
    let ahead = |wall| resolve(query.zone, wall) >= now;
    let wanted = parts.first_from(local(query.zone, now).date(), default, ahead).ok_or(DeadlineRefusal::Bad)?;
    let moment = resolve(query.zone, grain.ceil(wanted));
    if moment < now { Err(DeadlineRefusal::Past(long(&moment))) } else { Ok(moment.naive_local()) }
}

/// Seconds never matter (clock.md 1).
pub(crate) fn whole_minute(now: DateTime<Utc>) -> DateTime<Utc> {
    minute(now.naive_utc()).and_utc()
}

/// So much elapsed time after the current deadline; after now where that is over.
fn later(query: &DateQuery, span: &str, grain: Grain) -> Option<NaiveDateTime> {
    let span = span.parse::<Span>().ok().filter(|span| !span.is_zero())?;
    let from = resolve(query.zone, query.current?).to_utc().max(whole_minute(query.now));
    let wanted = local(query.zone, from.checked_add_signed(span.elapsed())?);
    let deadline = resolve(query.zone, grain.ceil(wanted)).naive_local();
    YEARS.contains(&deadline.year()).then_some(deadline)
}

/// Who asks for a deadline, and of what game.
#[derive(Clone, Copy, Debug)]
pub struct Asker {
    /// The Master, or the keeper.
    pub master: bool,
    /// The game has begun and is not over.
    pub running: bool,
    /// Effective rules.
    pub rules: ClockRules,
}

/// SET DEADLINE as a whole: who may, what date, and whether a player would shorten it.
pub fn set_deadline(asker: Asker, query: &DateQuery) -> Result<NaiveDateTime, DeadlineRefusal> {
    if asker.rules.no_deadline {
        return Err(DeadlineRefusal::NoDeadline);
    }
    if !asker.master && !asker.rules.player_deadlines {
        return Err(DeadlineRefusal::MasterOnly);
    }
    if !asker.running {
        return Err(DeadlineRefusal::Inactive);
    }
    let deadline = parse_date(query)?;
    let shorter = query.current.is_some_and(|current| resolve(query.zone, deadline) < resolve(query.zone, current));
    if shorter && !asker.master { Err(DeadlineRefusal::Shortened) } else { Ok(deadline) }
}

/// The text without one of these words in front.
pub(crate) fn without_word<'a>(text: &'a str, words: &[&str]) -> &'a str {
    let text = text.trim();
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if words.iter().any(|word| word.eq_ignore_ascii_case(first)) { rest.trim_start() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::format::{parse_stamp, stamp};
    use proptest::prelude::*;

    fn query<'a>(text: &'a str, now: &str, at: &'a [NaiveTime]) -> DateQuery<'a> {
        let zone = Tz::Europe__Paris;
        let now = resolve(zone, parse_stamp(now).unwrap()).to_utc();
        DateQuery { now, zone, at, current: None, real_time: false, text }
    }

    /// New York, 3 November 2024: 01:00 to 02:00 happens twice, from 05:00 and from 06:00 UTC on.
    #[test]
    fn the_hour_that_happens_twice() {
        let ask = |text: &str, now: &str, current: Option<&str>, master: bool| {
            let query = DateQuery {
                now: now.parse().unwrap(),
                zone: Tz::America__New_York,
                at: &[],
                current: current.map(|stamp| parse_stamp(stamp).unwrap()),
                real_time: false,
                text,
            };
            let rules = ClockRules { player_deadlines: true, ..ClockRules::default() };
            set_deadline(Asker { master, running: true, rules }, &query).map(stamp).map_err(|e| e.to_string())
        };
        let said = |text: &str, now: &str| ask(text, now, None, true);
        let (first, second) = ("2024-11-03T05:50:00Z", "2024-11-03T06:30:00Z");
        let ok = |stamp: &str| Ok(stamp.to_owned());
        // 01:50, the first time round: 01:20 comes once more, in half an hour.
        for text in ["3 NOV 2024 01:20", "3 NOV 01:20", "3 01:20", "SUN 01:20", "01:20"] {
            assert_eq!(said(text, first), ok("202411030120"), "{text}");
        }
        // 01:30, the second time round: 01:20 is over for good.
        assert_eq!(said("01:20", second), ok("202411040120"));
        assert_eq!(said("SUN 01:20", second), ok("202411100120"));
        let past = said("3 NOV 2024 01:20", second).unwrap_err();
        assert_eq!(past, "DEADLINE has already past: Sunday 3 November 2024 01:20 EST");
        assert_eq!(said("01:40", second), ok("202411030140"));
        // So much later counts from the moment itself.
        assert_eq!(ask("+1H", first, Some("202411030020"), true), ok("202411030200"), "01:50 EST, raised");
        assert_eq!(ask("+20M", second, Some("202411030140"), true), ok("202411030200"));
        // Both digits are those of the later hour.
        assert!(ask("01:20", first, Some("202411030140"), false).unwrap_err().contains("shorten"));
        assert_eq!(ask("01:40", first, Some("202411030120"), false), ok("202411030140"));
    }

    /// 02:00 to 03:00 on 10 March 2024 does not exist there: such a time is 03:00.
    #[test]
    fn the_hour_that_is_left_out() {
        let said = |text: &str, now: &str| {
            let query = DateQuery {
                now: now.parse().unwrap(),
                zone: Tz::America__New_York,
                ..query(text, "202403100000", &[])
            };
            parse_date(&query).map(stamp)
        };
        assert_eq!(said("02:20", "2024-03-10T06:50:00Z").as_deref(), Ok("202403100300"), "at 01:50 EST");
        assert_eq!(said("02:20", "2024-03-10T07:00:00Z").as_deref(), Ok("202403100300"), "at that very moment");
        assert_eq!(said("02:20", "2024-03-10T07:01:00Z").as_deref(), Ok("202403110220"), "at 03:01 EDT");
    }

    #[test]
    fn seconds_never_matter() {
        let now = "2024-07-10T13:00:59Z".parse().unwrap();
        let said = |text| parse_date(&DateQuery { now, ..query(text, "202407101500", &[]) }).map(stamp);
        assert_eq!(said("15:00").as_deref(), Ok("202407101500"), "now, and not tomorrow");
        assert_eq!(said("10 JUL 2024 15:00").as_deref(), Ok("202407101500"));
    }

    #[test]
    fn what_the_vectors_leave_open() {
        let parse = |text: &str, now: &str| parse_date(&query(text, now, &[])).map(stamp);
        assert_eq!(parse("31 18:00", "202402101500").as_deref(), Ok("202403311800"), "no 31 February");
        assert_eq!(parse("29 FEB", "202503011500").as_deref(), Ok("202802290000"));
        assert_eq!(parse("to Friday, 12 July 2024 at 8:05", "202407101500").as_deref(), Ok("202407120820"));
        assert_eq!(parse("31 MAR 02:20", "202403011500").as_deref(), Ok("202403310300"), "no such hour in Paris");
        for bad in ["", "ON", "AT", "AT FRI", "32", "30 FEB 2025", "FRI FRI", "18:00 FRI", "12 2024", "1 JAN 2300", "é"]
        {
            assert_eq!(parse(bad, "202407101500"), Err(DeadlineRefusal::Bad), "{bad}");
        }
        let past = parse("8 AUG 2003 0:00", "202407101500").unwrap_err().to_string();
        assert_eq!(past, "DEADLINE has already past: Friday 8 August 2003 00:00 CEST");
    }

    #[test]
    fn several_at_times() {
        let at = [NaiveTime::from_hms_opt(8, 0, 0).unwrap(), NaiveTime::from_hms_opt(20, 0, 0).unwrap()];
        let mut query = query("FRI", "202407101500", &at);
        assert_eq!(parse_date(&query).map(stamp).as_deref(), Ok("202407120000"));
        query.current = parse_stamp("202407112000");
        assert_eq!(parse_date(&query).map(stamp).as_deref(), Ok("202407122000"));
    }

    #[test]
    fn so_much_later() {
        let said = |text, now, current: Option<&str>| {
            let query = DateQuery { current: current.and_then(parse_stamp), ..query(text, now, &[]) };
            parse_date(&query).map(stamp)
        };
        let current = Some("202407112000");
        assert_eq!(said("+1D", "202407101500", current).as_deref(), Ok("202407122000"));
        assert_eq!(said(" +90m ", "202407101500", current).as_deref(), Ok("202407112140"), "raised to the slot");
        assert_eq!(said("+12H", "202407120805", current).as_deref(), Ok("202407122020"), "over: from now on");
        assert_eq!(said("+1D", "202410251500", Some("202410261200")).as_deref(), Ok("202410271100"), "24 hours");
        for bad in ["+", "+1", "+0H", "+1X", "+-1D", "+1D 20:00", "+99999W"] {
            assert_eq!(said(bad, "202407101500", current), Err(DeadlineRefusal::Bad), "{bad}");
        }
        assert_eq!(said("+1D", "202407101500", None), Err(DeadlineRefusal::Bad), "later than what?");
    }

    #[test]
    fn who_may() {
        let query = DateQuery { current: parse_stamp("202407131200"), ..query("FRI 18:00", "202407101500", &[]) };
        let rules = ClockRules { player_deadlines: true, ..ClockRules::default() };
        let player = Asker { master: false, running: true, rules };
        let said = |asker, query: &DateQuery| set_deadline(asker, query).map_err(|refusal| refusal.to_string());
        assert_eq!(said(player, &query), Err("Only the Master may shorten a deadline".to_owned()));
        assert!(said(player, &DateQuery { text: "SUN", ..query }).is_ok());
        assert!(said(Asker { master: true, ..player }, &query).is_ok());
        let strict = Asker { rules: ClockRules::default(), ..player };
        assert_eq!(said(strict, &query), Err("Only the Master can SET DEADLINE".to_owned()));
        assert!(said(Asker { running: false, ..player }, &query).unwrap_err().ends_with("inactive game"));
        let none = ClockRules { no_deadline: true, ..rules };
        assert_eq!(said(Asker { rules: none, ..player }, &query).unwrap_err(), "No deadlines can be set in this game");
    }

    proptest! {
        #[test]
        fn never_panics_never_past(text in "(\\+[0-9]{1,3}[MHDW]|([A-Za-z]{2,9}|[0-9:]{1,5}| |\\PC){0,6})", minute in 0i64..47_335_680, zone in 0..chrono_tz::TZ_VARIANTS.len()) {
            let now = DateTime::from_timestamp(minute * 60, 0).unwrap();
            let zone = chrono_tz::TZ_VARIANTS[zone];
            let current = Some(local(zone, now));
            let query = DateQuery { now, zone, at: &[], current, real_time: false, text: &text };
            if let Ok(deadline) = parse_date(&query) {
                prop_assert!(resolve(zone, deadline) >= now);
            }
        }
    }
}
