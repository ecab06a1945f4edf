//! Properties of the next deadline, over every zone of the tz database and the years 2000 to 2060, and what the
//! vectors leave open.

use super::*;
use crate::clock::format::{parse_stamp, stamp};
use crate::clock::sentences;
use chrono::Timelike;
use chrono_tz::TZ_VARIANTS;
use proptest::prelude::*;

fn at(text: &str) -> DateTime<Utc> {
    parse_stamp(text).unwrap().and_utc()
}

fn query<'a>(timing: &'a Timing, now: &str, zone: Tz) -> Query<'a> {
    let rules = ClockRules::default();
    Query { now: at(now), zone, timing, phase: "RETREATS", rules, first: false, previous: None }
}

fn computed(timing: &str, now: &str, zone: Tz) -> String {
    let timing: Timing = timing.parse().unwrap();
    next_deadline(&query(&timing, now, zone)).unwrap().local.map(stamp).unwrap()
}

#[test]
fn playing_days() {
    let counted = |timing: &str, now: &str| computed(&format!("{timing} SKIP"), now, Tz::GMT);
    assert_eq!(counted("NEXT 3D", "202407121000"), "202407171000", "Friday: Monday, Tuesday, Wednesday");
    assert_eq!(counted("NEXT 3D", "202407131000"), "202407181000", "Saturday counts as Monday");
    assert_eq!(counted("NEXT 3D", "202407151000"), "202407181000");
    assert_eq!(counted("NEXT 3D NOT 20240716", "202407151000"), "202407191000", "an absence is no playing day");
    assert_eq!(counted("NEXT 72H", "202407121000"), "202407151000", "hours are not counted so");
    assert_eq!(
        counted("NEXT 1D START 12H", "202407131000"),
        "202407161000",
        "Saturday morning is still Friday, Tuesday morning Monday"
    );
}

#[test]
fn a_gap_that_ends_on_a_forbidden_day() {
    // In Greenland the hour from 23:00 on Saturday 28 March 2026 is left out; it ends on Sunday, no day for deadlines.
    // The time of day is kept for Monday.
    let timing = "NEXT 24H DAYS -MTWT-S";
    assert_eq!(computed(timing, "202603270100", Tz::America__Nuuk), "202603302300");
}

#[test]
fn cutting_down_in_the_repeated_half_hour() {
    // Lord Howe goes back from 02:00 to 01:30: the slot 01:20 lies before both half hours.
    let now = "202404061500";
    let timing: Timing = "NEXT 20M DAYS SMTWTFS".parse().unwrap();
    let deadline = next_deadline(&query(&timing, now, Tz::Australia__Lord_Howe)).unwrap();
    assert!(deadline.utc.unwrap() > at(now));
}

#[test]
fn no_day_at_all() {
    let timing: Timing = "NEXT 1D DAYS ---W--- NOT 20240101-22001231".parse().unwrap();
    let late = next_deadline(&query(&timing, "202407121000", Tz::GMT)).unwrap();
    assert_eq!(late.local.map(stamp).as_deref(), Some("220101071000"));
    let every: Vec<String> = (0..4100)
        .map(|week| {
            let day = parse_stamp("202407170000").unwrap() + TimeDelta::weeks(week);
            day.format("%Y%m%d").to_string()
        })
        .collect();
    let timing: Timing = format!("NEXT 1D DAYS ---W--- NOT {}", every.join(",")).parse().unwrap();
    let error = next_deadline(&query(&timing, "202407121000", Tz::GMT)).unwrap_err();
    assert_eq!(error.to_string(), "NO POSSIBLE DEADLINE");
}

#[test]
fn explained() {
    let timing: Timing = "NEXT 1D AT 12:00 NOT 20240711-20240712".parse().unwrap();
    let deadline = explain_deadline(&query(&timing, "202407101000", Tz::Europe__Paris)).unwrap();
    assert_eq!(
        sentences(&deadline.steps),
        "A retreats phase lasts 1 day (NEXT 1D). From Wednesday 10 July 2024 12:00 CEST that leads to Thursday 11 July \
         2024 12:00 CEST. The next AT time is Thursday 11 July 2024 12:00 CEST. Somebody is absent (11 July 2024 to 12 \
         July 2024): on to Saturday 13 July 2024 12:00. No deadline falls on a Saturday (DAYS -MTWTF-): on to Monday \
         15 July 2024. The deadline is Monday 15 July 2024 12:00 CEST."
    );
    let plain = next_deadline(&query(&timing, "202407101000", Tz::Europe__Paris)).unwrap();
    assert_eq!((plain.local, plain.steps.len()), (deadline.local, 0));
}

prop_compose! {
    fn span()(count in 1u32..200, unit in prop_oneof![Just('M'), Just('H')]) -> String { format!("{count}{unit}") }
}

prop_compose! {
    fn days()(letters in proptest::collection::vec(0u8..3, 7), always in 0usize..7) -> String {
        "SMTWTFS".chars().zip(letters).enumerate().map(|(i, (letter, form))| match form {
            _ if i == always => letter,
            0 => '-',
            1 => letter.to_ascii_lowercase(),
            _ => letter,
        }).collect()
    }
}

prop_compose! {
    /// TIMING of every kind; absences lie in the weeks after `now`.
    fn timing(now: DateTime<Utc>)(
        next in prop_oneof![span(), (1u32..9).prop_map(|n| format!("{n}D")), Just("1W".to_owned())],
        at in proptest::collection::vec((0u32..24, 0u32..60), 0..4),
        fudge in proptest::option::of(span()),
        days in proptest::option::of(days()),
        start in proptest::option::of(-600i32..600),
        absences in proptest::collection::vec((0i64..15_000, 0i64..15_000, 0usize..4), 0..4),
        skip in proptest::bool::weighted(0.1),
    ) -> String {
        let mut text = format!("NEXT {next}");
        if !at.is_empty() {
            let times: Vec<String> = at.iter().map(|(h, m)| format!("{h}:{m:02}")).collect();
            text += &format!(" AT {}", times.join(","));
        }
        if let Some(fudge) = fudge { text += &format!(" FUDGE {fudge}"); }
        if let Some(days) = days { text += &format!(" DAYS {days}"); }
        if let Some(start) = start { text += &format!(" START {start}M"); }
        for (from, length, form) in absences {
            let form = ["%Y%m%d", "%Y%m%d%H%M", "%Y%m%d%H", "%Y%m"][form];
            let from = now.naive_utc() + TimeDelta::minutes(from);
            text += &format!(" NOT {}-{}", from.format(form), (from + TimeDelta::minutes(length)).format(form));
        }
        if skip { text += " SKIP"; }
        text
    }
}

prop_compose! {
    fn moment()(minute in 15_778_080i64..47_335_680) -> DateTime<Utc> {
        DateTime::from_timestamp(minute * 60, 0).unwrap()
    }
}

/// A moment near a clock change of the zone, where there is one in the year after.
fn near_change(zone: Tz, from: DateTime<Utc>, hours: i64) -> DateTime<Utc> {
    use chrono::Offset;
    let offset = |moment: DateTime<Utc>| moment.with_timezone(&zone).offset().fix();
    let change =
        (0..366).map(|day| from + TimeDelta::days(day)).find(|day| offset(*day) != offset(*day + TimeDelta::days(1)));
    change.unwrap_or(from) + TimeDelta::hours(hours)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(2000)))]

    #[test]
    fn lawful_everywhere(
        (now, timing) in moment().prop_flat_map(|now| (Just(now), timing(now))),
        zone in 0..TZ_VARIANTS.len(), movement: bool, first: bool, real_time: bool, near in proptest::option::of(-30i64..30),
    ) {
        let zone = TZ_VARIANTS[zone];
        let now = near.map_or(now, |hours| near_change(zone, now, hours));
        let timing: Timing = timing.parse().unwrap();
        let rules = ClockRules { real_time, ..ClockRules::default() };
        let phase = if movement { "MOVEMENT" } else { "RETREATS" };
        let query = Query { now, zone, timing: &timing, phase, rules, first, previous: None };
        let deadline = next_deadline(&query).unwrap();
        let (local, utc) = (deadline.local.unwrap(), deadline.utc.unwrap());

        prop_assert!(utc > now, "in the past: {local}");
        prop_assert_eq!(resolve(zone, local).to_utc(), utc, "digits and moment differ");
        let shifted = local - timing.start();
        prop_assert!(timing.days.allow(shifted.weekday(), movement), "forbidden day: {}", local);
        let exact = real_time || timing.delay(phase).0.minutes() < 20;
        let grain = if exact { Grain::Exact } else { Grain::Slot };
        for absence in &timing.absences {
            let (from, to) = absence.block(grain, timing.start());
            prop_assert!(!(from <= shifted && shifted < to), "absent: {local} {absence}");
        }
        // Off the slot only where a clock change of a half hour or of odd minutes ended.
        let before = resolve(zone, local - TimeDelta::minutes(1)).naive_local();
        prop_assert!(exact || local.minute() % 20 == 0 || before == local, "off the slot: {local}");

        let previous = Some(local + TimeDelta::hours(5));
        let kept = next_deadline(&Query { previous, ..query }).unwrap();
        prop_assert!(kept.utc.unwrap() >= utc && kept.utc.unwrap() == resolve(zone, local + TimeDelta::hours(5)).to_utc());
        let told = explain_deadline(&query).unwrap();
        prop_assert_eq!(told.local, deadline.local);
        prop_assert!(sentences(&told.steps).contains("The deadline is"));
    }
}
