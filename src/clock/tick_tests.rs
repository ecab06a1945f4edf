//! What the vectors leave open: reminders over longer intervals, chains of control, order entry, late notices.

use super::*;
use crate::clock::format::parse_stamp;
use proptest::prelude::*;

fn at(stamp: &str) -> DateTime<Utc> {
    parse_stamp(stamp).unwrap().and_utc()
}

const FRANCE: Owing = Owing { power: "FRANCE", seat: Seat::Player };

/// A game in an ordinary movement phase.
pub(in crate::clock) fn game<'a>(timing: &'a Timing, owing: &'a [Owing<'a>], now: &str) -> GameClock<'a> {
    GameClock {
        now: at(now),
        previous_round: None,
        state: GameState::Active,
        held: false,
        errors: false,
        keyword: PhaseKeyword::Phase,
        movement: true,
        deadline: Some(at("202407121200")),
        delay: 0,
        rules: ClockRules::default(),
        timing,
        need: false,
        owing,
        waiting: false,
    }
}

#[test]
fn a_late_round_does_not_swallow_a_reminder() {
    let timing = Timing::default();
    let remind = |now: &str, previous: &str| {
        tick(&GameClock { previous_round: Some(at(previous)), ..game(&timing, &[FRANCE], now) }).action
    };
    assert_eq!(remind("202407120855", "202407120759"), Action::Remind);
    assert_eq!(remind("202407120820", "202407120800"), Action::Idle, "told in the round before");
    assert_eq!(remind("202407120800", "202407120740"), Action::Remind);
    assert_eq!(remind("202407120900", "202407120800"), Action::Idle, "an hour ago counts no more");
    let both: Timing = "WARN 1D,5H,4H".parse().unwrap();
    let late = GameClock { previous_round: Some(at("202407120655")), ..game(&both, &[FRANCE], "202407120750") };
    assert_eq!(tick(&late).warn, Some(Span::hours(5)));
    let round = GameClock { previous_round: Some(at("202407120740")), ..late };
    assert_eq!(tick(&GameClock { now: at("202407120800"), ..round }).warn, Some(Span::hours(4)));
}

#[test]
fn exemptions() {
    let rules = |names: &[&'static str]| ClockRules::from_names(names.iter().copied());
    let (before, past) = (Standing { past: false, over: false }, Standing { past: true, over: false });
    let over = Standing { past: true, over: true };
    let vassal = |controller| Seat::Vassal("FRANCE", controller);
    let civil_disorder = rules(&["CIVIL_DISORDER"]);
    let cd_dummies = rules(&["CD_DUMMIES"]);
    assert!(is_late(Seat::Dummy, ClockRules::default(), over));
    assert!(is_late(Seat::Dummy, civil_disorder, before) && !is_late(Seat::Dummy, civil_disorder, past));
    assert!(!is_late(Seat::Dummy, cd_dummies, before));
    assert!(is_late(vassal(Controller::Player), cd_dummies, past));
    assert!(!is_late(vassal(Controller::Player), cd_dummies, over));
    assert!(!is_late(vassal(Controller::Dummy), cd_dummies, before), "its controller is exempt");
    assert!(is_late(vassal(Controller::Resigned), civil_disorder, past));
    assert!(is_late(Seat::Resigned, civil_disorder, over));
    assert!(is_late(Seat::Player, civil_disorder, past) && !is_late(Seat::Player, civil_disorder, over));
}

#[test]
fn dismissal_names_controllers_once() {
    let timing: Timing = "GRACE 1D".parse().unwrap();
    let vassal = |power| Owing { power, seat: Seat::Vassal("FRANCE", Controller::Player) };
    let owing = [vassal("ITALY"), FRANCE, vassal("TURKEY")];
    let verdict = tick(&game(&timing, &owing, "202407131200"));
    assert_eq!((verdict.action, verdict.dismissed), (Action::Dismiss, vec!["FRANCE"]));
    assert_eq!(verdict.late, ["ITALY", "FRANCE", "TURKEY"]);
}

/// The Master has no seat to lose: for a dummy of his the game stops.
#[test]
fn nobody_is_dismissed_for_a_dummy_of_the_masters() {
    let timing: Timing = "GRACE 0".parse().unwrap();
    let owing = [Owing { power: "ITALY", seat: Seat::Vassal("MASTER", Controller::Master) }, FRANCE];
    let verdict = tick(&game(&timing, &owing, "202407121200"));
    assert_eq!((verdict.late, verdict.dismissed), (vec!["ITALY", "FRANCE"], vec!["FRANCE"]));
    let verdict = tick(&game(&timing, &owing[..1], "202407121200"));
    assert_eq!((verdict.action, verdict.state, verdict.dismissed), (Action::Dismiss, GameState::Waiting, vec![]));
    let rules = ClockRules { civil_disorder: true, ..ClockRules::default() };
    let verdict = tick(&GameClock { rules, ..game(&timing, &owing, "202407121200") });
    assert_eq!(verdict.action, Action::Process, "in civil disorder it holds like any other");
}

/// A phase that its Master processes, without a deadline: the clock never does.
#[test]
fn a_wait_phase_without_deadline_stays() {
    let timing = Timing::default();
    let rules = ClockRules { no_deadline: true, ..ClockRules::default() };
    let stays = GameClock {
        rules,
        keyword: PhaseKeyword::Wait,
        deadline: Some(at("202407010000")),
        ..game(&timing, &[], "202407121200")
    };
    assert_eq!(tick(&stays).action, Action::Idle);
    assert_eq!(after_entry(&stays), AfterEntry::Keep);
    assert!(stays.may_be_processed(), "he himself may");
}

/// A dummy excused by CD_DUMMIES is not dismissed for the vacant seat beside it, which nobody can lose.
#[test]
fn nobody_is_dismissed_from_a_vacant_seat() {
    let timing: Timing = "GRACE 0".parse().unwrap();
    let owing = [Owing { power: "A", seat: Seat::Dummy }, Owing { power: "B", seat: Seat::Resigned }];
    let rules = ClockRules { cd_dummies: true, ..ClockRules::default() };
    let late = game(&timing, &owing, "202407121200");
    let verdict = tick(&GameClock { rules, ..late });
    assert_eq!((verdict.action, verdict.late, verdict.dismissed), (Action::Dismiss, vec!["B"], vec![]));
}

#[test]
fn order_entry() {
    let timing = Timing::default();
    let complete = game(&timing, &[], "202407110000");
    assert_eq!(after_entry(&complete), AfterEntry::Delay(1));
    assert_eq!(after_entry(&GameClock { now: at("202407121200"), delay: 20, ..complete }), AfterEntry::Delay(0));
    assert_eq!(after_entry(&GameClock { waiting: true, ..complete }), AfterEntry::Keep);
    assert_eq!(after_entry(&GameClock { owing: &[FRANCE], ..complete }), AfterEntry::Keep);
    let real_time = ClockRules { real_time: true, ..ClockRules::default() };
    assert_eq!(after_entry(&GameClock { rules: real_time, ..complete }), AfterEntry::Process);
    let none = ClockRules { no_deadline: true, ..ClockRules::default() };
    assert_eq!(after_entry(&GameClock { rules: none, deadline: None, ..complete }), AfterEntry::Process);
    let previewed = ClockRules { preview: true, ..real_time };
    assert_eq!(after_entry(&GameClock { rules: previewed, ..complete }), AfterEntry::Preview, "the Master releases it");
    let slow = ClockRules { preview: true, ..ClockRules::default() };
    assert_eq!(after_entry(&GameClock { rules: slow, ..complete }), AfterEntry::Delay(1), "the check previews it");
}

#[test]
fn process_by_the_master() {
    let timing = Timing::default();
    let missing = game(&timing, &[FRANCE], "202407110000");
    assert!(!missing.may_be_processed());
    let rules = ClockRules { civil_disorder: true, ..ClockRules::default() };
    assert!(GameClock { rules, ..missing }.may_be_processed());
    assert!(!GameClock { rules, errors: true, ..missing }.may_be_processed());
    assert!(GameClock { waiting: true, delay: 5, owing: &[], ..missing }.may_be_processed());
    // CD_DUMMIES alone excuses a dummy under control only when grace is over.
    let timing: Timing = "GRACE 1D".parse().unwrap();
    let vassal = [Owing { power: "ITALY", seat: Seat::Vassal("FRANCE", Controller::Player) }];
    let rules = ClockRules { cd_dummies: true, ..ClockRules::default() };
    let early = GameClock { rules, ..game(&timing, &vassal, "202407110000") };
    assert!(!early.may_be_processed(), "its controller still has time");
    assert!(GameClock { now: at("202407131200"), ..early }.may_be_processed());
    let both = ClockRules { civil_disorder: true, ..rules };
    assert!(GameClock { rules: both, ..early }.may_be_processed());
}

#[test]
fn late_notices() {
    let deadline = at("202407121200");
    let audience = |now: &str| late_audience(at(now), deadline);
    assert_eq!(audience("202407121440"), LateAudience { everybody: true, master: true });
    assert_eq!(audience("202407122020"), LateAudience { everybody: false, master: false });
    assert_eq!(audience("202407131240"), LateAudience { everybody: false, master: true });
    // However long the rounds stood still in between: never twice in a day, and not for ever never.
    for gap in 1..200 {
        let mut day = None;
        let mut told = 0;
        for n in 0..200 {
            let now = deadline + TimeDelta::minutes(500 * n + if n > 2 { gap * 20 } else { 0 });
            let LateAudience { everybody, master } = late_audience(now, deadline);
            if master && !everybody {
                assert!(day.replace((now - deadline).num_days()).is_none_or(|day| day < (now - deadline).num_days()));
                told += 1;
            }
        }
        assert!(told >= 66, "{told} of 69 days with a gap of {gap}");
    }
    let timing: Timing = "GRACE 2D".parse().unwrap();
    let words = penalty_words(penalty(ClockRules::default(), &timing).unwrap());
    assert_eq!(words, "Players who are still late 2 days after the deadline are dismissed.");
    assert_eq!(penalty(ClockRules::default(), &Timing::default()), None);
}

/// The checks of an afternoon: the last orders come in, 20 to 40 minutes later the phase is processed
/// (the worked example of operations.md 10).
#[test]
fn worked_example() {
    let timing = Timing::default();
    let entered = GameClock { deadline: Some(at("202407121800")), ..game(&timing, &[], "202407121005") };
    assert_eq!(after_entry(&entered), AfterEntry::Delay(1));
    let first = tick(&GameClock { now: at("202407121020"), delay: 1, ..entered });
    assert_eq!((first.action, first.delay), (Action::Delay, 0));
    let second = tick(&GameClock { now: at("202407121040"), delay: first.delay, ..entered });
    assert_eq!(second.action, Action::Process);
}

proptest! {
    /// Whatever the game: DELAY never grows but for notices and previews, only active games change, and nobody who
    /// owes nothing is dismissed.
    #[test]
    fn lawful(
        minutes in -3000i64..6000, previous in proptest::option::of(0i64..200), delay in 0u8..=72, need: bool,
        waiting: bool, movement: bool, state in 0usize..6, keyword in 0usize..4, switches: [bool; 8],
        seats in proptest::collection::vec(0usize..5, 0..4), has_deadline: bool,
        timing in prop_oneof![Just(""), Just("GRACE 1D"), Just("WARN 1D,6H GRACE 0"), Just("WARN 0")],
    ) {
        let timing: Timing = timing.parse().unwrap();
        let deadline = at("202407121200");
        let now = deadline + TimeDelta::minutes(minutes);
        let seat = [
            Seat::Player, Seat::Dummy, Seat::Resigned,
            Seat::Vassal("X", Controller::Player), Seat::Vassal("X", Controller::Dummy),
        ];
        let names = ["A", "B", "C", "D"];
        let owing: Vec<Owing> =
            seats.iter().zip(names).map(|(s, power)| Owing { power, seat: seat[*s] }).collect();
        let rules = ClockRules {
            no_deadline: switches[0], real_time: switches[1], always_wait: switches[2], no_minor_wait: switches[3],
            civil_disorder: switches[4], cd_dummies: switches[5], civil_preview: switches[6], preview: switches[7],
            ..ClockRules::default()
        };
        let game = GameClock {
            now, previous_round: previous.map(|p| now - TimeDelta::minutes(p)),
            state: GameState::ALL[state].0, held: false, errors: false,
            keyword: [PhaseKeyword::Phase, PhaseKeyword::Await, PhaseKeyword::Wait, PhaseKeyword::Skip][keyword],
            movement, deadline: has_deadline.then_some(deadline), delay, rules, timing: &timing, need,
            owing: &owing, waiting,
        };
        let verdict = tick(&game);
        prop_assert_eq!(&verdict, &tick(&game));
        if game.state != GameState::Active {
            prop_assert_eq!((verdict.action, verdict.state, verdict.delay), (Action::Ignore, game.state, delay));
        }
        let may_rise = matches!(verdict.action, Action::LateNotice | Action::Preview);
        prop_assert!(may_rise || verdict.delay <= delay);
        prop_assert!(verdict.delay <= 72);
        // Late powers whose seat is vacant have nobody to dismiss; exempt ones are not late at all.
        let occupied = |owing: &&Owing| owing.seat != Seat::Resigned && verdict.late.contains(&owing.power);
        let somebody = verdict.action == Action::Dismiss && owing.iter().any(|owing| occupied(&owing));
        prop_assert_eq!(verdict.dismissed.is_empty(), !somebody);
        // What players may rely on, said without the clock's own words.
        let past = has_deadline && !rules.no_deadline && minutes >= 0;
        let grace = match (timing.grace, rules.civil_disorder) {
            (Some(span), _) => Some(span.minutes()),
            (None, true) => Some(0),
            (None, false) => None,
        };
        let over = past && !need && grace.is_some_and(|grace| minutes >= grace);
        let held = game.keyword == PhaseKeyword::Wait
            || waiting && !rules.real_time
            || rules.always_wait && (movement || !rules.no_minor_wait);
        let counted_down = delay == 0 || over && !rules.civil_preview;
        match verdict.action {
            Action::Process => {
                prop_assert!(verdict.late.is_empty() && counted_down && !rules.preview);
                prop_assert!(past || !held, "nothing that is held is processed before its deadline");
            }
            Action::Preview => prop_assert!(rules.preview || rules.civil_preview && over),
            Action::Dismiss => prop_assert!(over && counted_down && !rules.civil_preview && !verdict.late.is_empty()),
            Action::LateNotice => prop_assert!(past && delay == 0 && !verdict.late.is_empty()),
            Action::Remind => prop_assert!(minutes < 0 && verdict.warn.is_some()),
            Action::Delay => prop_assert!(delay > 0 && verdict.delay == delay - 1 && (!over || rules.civil_preview)),
            Action::Idle => prop_assert!(delay == 0 && !past, "after the deadline something is always done"),
            Action::Ignore => {}
        }
        if rules.no_deadline || !has_deadline {
            prop_assert!(!matches!(verdict.action, Action::Dismiss | Action::LateNotice | Action::Remind));
        }
    }
}
