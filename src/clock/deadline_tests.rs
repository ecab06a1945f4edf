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
    let timing: Timing = "NEXT 2D SKIP".parse().unwrap();
    let first = Query { first: true, ..query(&timing, "202407121000", Tz::GMT) };
    assert_eq!(next_deadline(&first).unwrap().local.map(stamp).unwrap(), "202407181000", "doubled: four playing days");
    assert_eq!(counted("NEXT 72H", "202407121000"), "202407151000", "hours are not counted so");
    assert_eq!(
        counted("NEXT 1D START 12H", "202407131000"),
        "202407161000",
        "Saturday morning is still Friday, Tuesday morning Monday"
    );
}

/// FUDGE is capped by half the gap it falls into, of each gap of an uneven list by its own (clock.md 4.4).
#[test]
fn fudge_between_uneven_at_times() {
    let aimed = |fudge: &str, now: &str| computed(&format!("NEXT 1D AT 06:00,22:00 {fudge}"), now, Tz::GMT);
    // Thursday, between 06:00 and 22:00: sixteen hours, eight at the most.
    assert_eq!(aimed("FUDGE 20H", "202407101400"), "202407110600");
    assert_eq!(aimed("FUDGE 20H", "202407101401"), "202407112200");
    assert_eq!(aimed("FUDGE 7H", "202407101301"), "202407112200");
    // Between 22:00 and 06:00 of Friday: eight hours, four at the most.
    assert_eq!(aimed("FUDGE 20H", "202407110200"), "202407112200");
    assert_eq!(aimed("FUDGE 20H", "202407110201"), "202407120600");
    assert_eq!(aimed("FUDGE 1M", "202407101020"), "202407112200", "never less than a slot: 06:00 is 4 h 20 min back");
    assert_eq!(aimed("FUDGE 1M", "202407100620"), "202407110600");
    assert_eq!(aimed("FUDGE 1M", "202407100621"), "202407112200");
}

/// Whether slots count is asked of the delay before it is doubled (clock.md 4.2).
#[test]
fn a_short_delay_stays_exact_when_doubled() {
    let timing: Timing = "NEXT 15M".parse().unwrap();
    let first = Query { first: true, ..query(&timing, "202407081007", Tz::GMT) };
    assert_eq!(next_deadline(&first).unwrap().local.map(stamp).unwrap(), "202407081037");
}

/// An absence that ends in the hour that happens twice ends with the later one; until then it is not dropped.
#[test]
fn an_absence_is_over_when_its_moment_is() {
    let timing: Timing = "NEXT 1D DAYS SMTWTFS NOT 202411030100-202411030110".parse().unwrap();
    let left = |now: &str| next_deadline(&query(&timing, now, Tz::America__New_York)).unwrap().absences.len();
    assert_eq!(left("202411030550"), 1, "01:50, the first time round: 01:30 comes once more");
    assert_eq!(left("202411030629"), 1);
    assert_eq!(left("202411030630"), 0);
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
    // Lord Howe goes back from 02:00 to 01:30: the slot 01:20 lies before both half hours, the slot 01:40 means the second.
    let lord_howe = |timing: &str, now: &str| computed(timing, now, Tz::Australia__Lord_Howe);
    assert_eq!(lord_howe("NEXT 20M DAYS SMTWTFS", "202404061500"), "202404070140");
    assert_eq!(lord_howe("NEXT 1H DAYS SMTWTFS", "202404061400"), "202404070140", "an hour is not cut to 20 minutes");
    assert_eq!(
        lord_howe("NEXT 1H DAYS SMTWTFS", "202404061359"),
        "202404070140",
        "that hour, too, by half an hour later"
    );
    assert_eq!(lord_howe("NEXT 30M DAYS SMTWTFS", "202404061359"), "202404070120", "before the change nothing is odd");
}

#[test]
fn odd_zones() {
    let at = |timing: &str, now: &str, zone| computed(&format!("{timing} DAYS SMTWTFS"), now, zone);
    // Samoa had no 30 December 2011: its noon is the midnight after it, a day on from the 28th is the 29th, two the 31st.
    assert_eq!(at("NEXT 1D AT 12:00", "201112292000", Tz::Pacific__Apia), "201112311200");
    assert_eq!(at("NEXT 1D", "201112282300", Tz::Pacific__Apia), "201112291300");
    assert_eq!(at("NEXT 2D", "201112282300", Tz::Pacific__Apia), "201112311300");
    assert_eq!(at("NEXT 1D NOT 20111231", "201112292300", Tz::Pacific__Apia), "201201011300");
    // Offsets of three quarters of an hour: slots are those of the wall clock, and 02:45 springs to 03:45.
    assert_eq!(at("NEXT 2H", "202502211207", Tz::Asia__Kathmandu), "202502211940");
    assert_eq!(at("NEXT 1H AT 3:00", "202409281300", Tz::Pacific__Chatham), "202409290345");
    // Morocco goes back for Ramadan and forward after it.
    assert_eq!(at("NEXT 24H AT 2:20", "202502220120", Tz::Africa__Casablanca), "202502230220");
    let twice = query_utc("NEXT 24H AT 2:20 DAYS SMTWTFS", "202502220120", Tz::Africa__Casablanca);
    assert_eq!(twice, "202502230220", "the second of both, an hour later by the sun");
    assert_eq!(at("NEXT 24H AT 2:20", "202504050220", Tz::Africa__Casablanca), "202504060300", "no such time that day");
}

fn query_utc(timing: &str, now: &str, zone: Tz) -> String {
    let timing: Timing = timing.parse().unwrap();
    stamp(next_deadline(&query(&timing, now, zone)).unwrap().utc.unwrap().naive_utc())
}

/// An absence is a stretch of the wall clock: it is as long as its digits say, whatever the clocks do in it.
#[test]
fn absences_over_a_clock_change() {
    let paris = |timing: &str, now: &str| computed(&format!("{timing} DAYS SMTWTFS"), now, Tz::Europe__Paris);
    // The night of 31 March 2024 has no hour from two to three, that of 27 October has two of them.
    assert_eq!(paris("NEXT 1H NOT 202403310130-202403310320", "202403302350"), "202404010140", "the next 01:40");
    assert_eq!(paris("NEXT 10M NOT 202403310130-202403310230", "202403310045"), "202403310300", "its end is left out");
    assert_eq!(paris("NEXT 10M NOT 2024102702", "202410262355"), "202410270300", "both hours are absent");
    assert_eq!(paris("NEXT 1D NOT 20240330-20240331", "202403291430"), "202404011520");
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
        "A retreat phase lasts 1 day (NEXT 1D). From Wednesday 10 July 2024 12:00 CEST that leads to Thursday 11 July \
         2024 12:00 CEST. The next AT time is Thursday 11 July 2024 12:00 CEST. Somebody is absent (11 July 2024 to 12 \
         July 2024): on to Saturday 13 July 2024 12:00. No deadline falls on a Saturday (DAYS -MTWTF-): on to Monday \
         15 July 2024. The deadline is Monday 15 July 2024 12:00 CEST."
    );
    let plain = next_deadline(&query(&timing, "202407101000", Tz::Europe__Paris)).unwrap();
    assert_eq!((plain.local, plain.steps.len()), (deadline.local, 0));
}

/// Each step in words: what was done, by which key or rule, and what came of it.
#[test]
fn every_step_in_words() {
    let told = |timing: &str, now: &str, change: &dyn Fn(&mut Query)| {
        let timing: Timing = timing.parse().unwrap();
        let mut query = query(&timing, now, Tz::Europe__Paris);
        change(&mut query);
        sentences(&explain_deadline(&query).unwrap().steps)
    };
    let plain = |_: &mut Query| {};
    for (timing, now, change, words) in [
        ("", "202407100800", &plain as &dyn Fn(&mut Query), "A retreat phase lasts 1 day (the usual delay)."),
        ("M 2D", "202407100800", &|q| q.phase = "MOVEMENT", "A movement phase lasts 2 days (M 2D)."),
        ("", "202407100800", &|q| q.phase = "ADJUSTMENTS", "An adjustment phase lasts 1 day (the usual delay)."),
        ("INC 36H", "202407100800", &|q| q.phase = "INCOME", "An income phase lasts 36 hours (INC 36H)."),
        ("NEXT 1D", "202407100800", &|q| q.first = true, "lasts 1 day (NEXT 1D), doubled for the first deadline."),
        (
            "NEXT 5H AT 8:00,20:00",
            "202407100605",
            &plain,
            "AT does not apply: its times are 12 hours apart, more than twice",
        ),
        ("NEXT 1D AT 12:00", "202407101000", &plain, "The next AT time is Thursday 11 July 2024 12:00 CEST."),
        (
            "NEXT 1D AT 12:00",
            "202407101700",
            &plain,
            "That is at most 8 hours (FUDGE) past an AT time, so Thursday 11 July",
        ),
        (
            "NEXT 1D AT 12:00",
            "202407101801",
            &plain,
            "more than 8 hours (FUDGE) past the AT time Thursday 11 July 2024 12:00 CEST",
        ),
        ("NEXT 1H", "202407101039", &plain, "Deadlines fall on :00, :20 or :40: Wednesday 10 July 2024 13:20 CEST."),
        (
            "NEXT 2D",
            "202407110800",
            &|q| q.phase = "MOVEMENT",
            "No deadline of a movement phase falls on a Saturday (DAYS -MTWTF-): on to Monday 15 July 2024.",
        ),
        (
            "NEXT 1D NOT 202408",
            "202407310800",
            &plain,
            "Somebody is absent (August 2024): on to Sunday 1 September 2024 10:00.",
        ),
        (
            "NEXT 1D AT 11:41",
            "202407100900",
            &plain,
            "so it is the next: Thursday 11 July 2024 12:00 CEST. Deadlines fall on :00, :20 or :40: Thursday 11 July 2024 12:00",
        ),
        (
            "NEXT 1D AT 2:20 DAYS SMTWTFS",
            "202603280100",
            &plain,
            "The clocks go forward and 29 March 2026 02:20 does not exist: Sunday 29 March 2026 03:00 CEST instead.",
        ),
        (
            "NEXT 1D",
            "202407100800",
            &|q| q.previous = parse_stamp("202407121000"),
            "would be before the deadline already set, Friday 12 July 2024 10:00 CEST, which stays.",
        ),
        (
            "NEXT 3D SKIP",
            "202407120800",
            &plain,
            "3 playing days on (JUMP_OFF_DAYS) is Wednesday 17 July 2024 10:00 CEST.",
        ),
        ("", "202407100800", &|q| q.rules.no_deadline = true, "This game has no deadlines (RULE NO_DEADLINE)."),
    ] {
        let said = told(timing, now, change);
        assert!(said.contains(words), "{timing}: {said}");
    }
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
    /// From the first minute of 2000 to the last of 2060.
    fn moment()(minute in 15_778_080i64..47_862_720) -> DateTime<Utc> {
        DateTime::from_timestamp(minute * 60, 0).unwrap()
    }
}

/// The first clock change of a zone after a moment and up to another, to the minute.
fn change_after(zone: Tz, from: DateTime<Utc>, to: DateTime<Utc>) -> Option<DateTime<Utc>> {
    use chrono::Offset;
    let offset = |moment: DateTime<Utc>| moment.with_timezone(&zone).offset().fix();
    let (mut before, step) = (from, TimeDelta::days(5));
    while offset(before) == offset(before + step) {
        before += step;
        if before >= to {
            return None;
        }
    }
    let mut after = before + step;
    while after - before > TimeDelta::minutes(1) {
        let middle = before + TimeDelta::minutes((after - before).num_minutes() / 2);
        if offset(middle) == offset(before) { before = middle } else { after = middle }
    }
    Some(after)
}

/// A moment near a clock change of the zone, where there is one in the year after.
fn near_change(zone: Tz, from: DateTime<Utc>, minutes: i64) -> DateTime<Utc> {
    let change = change_after(zone, from, from + TimeDelta::days(366));
    change.unwrap_or(from) + TimeDelta::minutes(minutes)
}

/// How much sooner than the delay a deadline may come: less than a slot, or as far back as FUDGE reaches.
fn most_early(timing: &Timing, span: Span, grain: Grain) -> TimeDelta {
    let fudge = match (timing.at.is_empty(), timing.fudge) {
        (true, _) => TimeDelta::zero(),
        (_, Some(fudge)) => fudge.elapsed(),
        // A third of the longest time from one AT to the next, on a day of 25 hours.
        (_, None) if span.unit().is_calendar() => TimeDelta::minutes(25 * 60 / 3),
        _ => TimeDelta::zero(),
    };
    match (timing.at.is_empty(), grain) {
        (true, Grain::Exact) => TimeDelta::zero(),
        (true, Grain::Slot) => TimeDelta::minutes(19),
        (false, Grain::Exact) => fudge.max(TimeDelta::minutes(1)),
        (false, Grain::Slot) => fudge.max(TimeDelta::minutes(20)),
    }
}

/// What is promised of every deadline (see the head of deadline.rs).
fn lawful(query: &Query) -> Result<(), TestCaseError> {
    let Query { now, zone, timing, rules, .. } = *query;
    let movement = is_movement(query.phase);
    let deadline = next_deadline(query).unwrap();
    let (local, utc) = (deadline.local.unwrap(), deadline.utc.unwrap());
    let now = minute(now.naive_utc()).and_utc();

    prop_assert!(utc > now, "in the past: {local}");
    prop_assert_eq!(resolve(zone, local).to_utc(), utc, "digits and moment differ");
    let told = explain_deadline(query).unwrap();
    prop_assert_eq!(told.local, deadline.local);
    prop_assert!(sentences(&told.steps).contains("The deadline is"));
    prop_assert_eq!(&next_deadline(query).unwrap(), &deadline, "the same question has the same answer");
    if let Some(previous) = query.previous {
        let previous = resolve(zone, previous).to_utc();
        let computed = next_deadline(&Query { previous: None, ..*query }).unwrap().utc.unwrap();
        prop_assert_eq!(utc, computed.max(previous), "the later of the two");
        if utc != computed {
            return Ok(());
        }
    }
    let shifted = local - timing.start();
    prop_assert!(timing.days.allow(shifted.weekday(), movement), "forbidden day: {}", local);
    let span = timing.delay(query.phase).0;
    let exact = rules.real_time || span.minutes() < 20;
    let grain = if exact { Grain::Exact } else { Grain::Slot };
    for absence in &timing.absences {
        let (from, to) = absence.block(grain, timing.start());
        prop_assert!(!(from <= shifted && shifted < to), "absent: {local} {absence}");
    }
    // Off the slot only where a clock change of a half hour or of odd minutes ended.
    let before = resolve(zone, local - TimeDelta::minutes(1)).naive_local();
    prop_assert!(exact || local.minute() % 20 == 0 || before == local, "off the slot: {local}");
    // Playing days are civil ones.
    if !timing.skip || !span.unit().is_calendar() {
        let doubled = query.first && !rules.no_press && (movement || !rules.ftf_press);
        let delay = span.elapsed() * if doubled { 2 } else { 1 };
        prop_assert!(utc >= now + delay - most_early(timing, span, grain), "too soon: {} {}", utc, utc - now);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(2000)))]

    #[test]
    fn lawful_everywhere(
        (now, timing) in moment().prop_flat_map(|now| (Just(now), timing(now))),
        zone in 0..TZ_VARIANTS.len(), movement: bool, first: bool, real_time: bool, no_press: bool, ftf_press: bool,
        near in proptest::option::of(-1800i64..1800), previous in proptest::option::of(-20_000i64..20_000), second in 0i64..60,
    ) {
        let zone = TZ_VARIANTS[zone];
        let now = near.map_or(now, |minutes| near_change(zone, now, minutes)) + TimeDelta::seconds(second);
        let timing: Timing = timing.parse().unwrap();
        let rules = ClockRules { real_time, no_press, ftf_press, ..ClockRules::default() };
        let phase = if movement { "MOVEMENT" } else { "RETREATS" };
        let previous = previous.map(|minutes| minute(now.naive_utc()) + TimeDelta::minutes(minutes));
        lawful(&Query { now, zone, timing: &timing, phase, rules, first, previous })?;
    }
}

/// Every clock change of every zone in these years, with delays that lead before it, into it and behind it.
#[test]
fn lawful_at_every_clock_change() {
    let (begin, end) = (at("200001010000"), at("206101010000"));
    let aims = [-1500, -90, -61, -45, -30, -20, -1, 0, 10, 59].map(TimeDelta::minutes);
    let mut changes = 0usize;
    for zone in TZ_VARIANTS {
        let mut from = begin;
        while let Some(change) = change_after(zone, from, end).filter(|change| *change < end) {
            from = change;
            changes += 1;
            // The wall clock as it would be without the change: in a gap the time left out, else the one repeated.
            let wall = local(zone, change - TimeDelta::minutes(1)) + TimeDelta::minutes(11);
            let (time, day) = (wall.format("%H:%M"), wall.format("%Y%m%d"));
            let timings = [
                "NEXT 1H DAYS SMTWTFS".to_owned(),
                "NEXT 20M DAYS SMTWTFS".to_owned(),
                "NEXT 7M DAYS SMTWTFS".to_owned(),
                format!("NEXT 1D DAYS SMTWTFS AT {time}"),
                format!("NEXT 24H START 3H AT {time},14:00"),
                format!("NEXT 1D DAYS SmTWTFs NOT {day}"),
                format!("NEXT 2H DAYS SMTWTFS NOT {}-{}", wall.format("%Y%m%d%H%M"), wall.format("%Y%m%d%H%M")),
            ];
            // A part of the combinations at each change, another at the next.
            let turn = changes % 5;
            for (n, aim) in aims.iter().enumerate() {
                let timing: Timing = timings[(changes + n) % timings.len()].parse().unwrap();
                if n % 5 != turn {
                    continue;
                }
                let now = change + *aim - timing.delay("RETREATS").0.elapsed();
                let (rules, previous) = (ClockRules::default(), None);
                let query = Query { now, zone, timing: &timing, phase: "RETREATS", rules, first: false, previous };
                if let Err(error) = lawful(&query) {
                    panic!("{zone} {now} {timing}: {error}");
                }
            }
        }
    }
    assert!(changes > 10_000, "{changes} clock changes: the zones lack their rules");
    let summer = change_after(Tz::Europe__Paris, at("206001010000"), end).map(|change| change.naive_utc());
    assert_eq!(summer.map(stamp).as_deref(), Some("206003280100"), "the last Sunday of March");
}
