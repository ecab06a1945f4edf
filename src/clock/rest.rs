//! How long a game has nothing to do: until when no round comes to anything as long as nobody touches the game. What
//! lets a round pass over a hundred thousand sleeping games without opening them.

use super::tick::{Action, GameClock, tick};
use chrono::{DateTime, TimeDelta, Utc};

/// The moment before which every round leaves this game alone, if it stays as it is; the far end of time if only a
/// change of the game can wake it. `None`: the very next round may do something, or the game is in error, which is
/// told every day.
pub fn rest_until(game: &GameClock) -> Option<DateTime<Utc>> {
    if game.errors {
        return None;
    }
    match tick(game).action {
        Action::Ignore => Some(DateTime::<Utc>::MAX_UTC),
        Action::Idle => Some(next_moment(game)),
        _ => None,
    }
}

/// An idle game is before its deadline or has none, and wakes at the first of its WARN moments or at the deadline. A
/// WARN moment that has come has had its round.
fn next_moment(game: &GameClock) -> DateTime<Utc> {
    let Some(deadline) = game.deadline() else { return DateTime::<Utc>::MAX_UTC };
    let warnings = game.timing.warn.iter().map(|span| span.elapsed());
    warnings
        .chain([TimeDelta::zero()])
        .filter_map(|before| deadline.checked_sub_signed(before))
        .filter(|moment| *moment > game.now)
        .min()
        .unwrap_or(deadline)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{ClockRules, Controller, Owing, Seat, Timing};
    use crate::judge::GameState;
    use crate::status::PhaseKeyword;
    use proptest::prelude::*;

    const SEATS: [Seat; 4] = [Seat::Player, Seat::Dummy, Seat::Resigned, Seat::Vassal("FRANCE", Controller::Player)];
    const RULES: [&str; 9] = [
        "REAL_TIME",
        "NO_DEADLINE",
        "ALWAYS_WAIT",
        "NO_MINOR_WAIT",
        "CIVIL_DISORDER",
        "CD_DUMMIES",
        "CIVIL_PREVIEW",
        "PREVIEW",
        "NO_PRESS",
    ];
    const KEYWORDS: [PhaseKeyword; 3] = [PhaseKeyword::Phase, PhaseKeyword::Wait, PhaseKeyword::Await];
    const STATES: [GameState; 3] = [GameState::Active, GameState::Active, GameState::Waiting];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(3000)))]

        /// Whatever the game: in every later round before that moment nothing happens, however the rounds in between
        /// fell; and where it says "at once", or the moment has come, nothing is promised.
        #[test]
        fn nothing_happens_before_it(
            deadline in proptest::option::of(-3000i64..6000), warn in proptest::collection::vec(0i64..3000, 0..4),
            previous in proptest::option::of(0i64..100), seats in proptest::collection::vec(0usize..4, 0..3),
            rules in proptest::collection::vec(0usize..9, 0..4), keyword in 0usize..3, state in 0usize..3,
            delay in 0u8..2, held: bool, waiting: bool, movement: bool, need: bool,
            later in 1i64..8000, gap in 1i64..90,
        ) {
            let now = DateTime::from_timestamp(1_795_867_200, 0).unwrap();
            let minutes = TimeDelta::minutes;
            let words: Vec<String> = warn.iter().map(|m| format!("{m}M")).collect();
            let timing: Timing = match words.is_empty() {
                true => Timing::default(),
                false => format!("WARN {}", words.join(",")).parse().unwrap(),
            };
            let owing: Vec<Owing> = seats.iter().map(|n| Owing { power: "ITALY", seat: SEATS[*n] }).collect();
            let game = GameClock {
                now,
                previous_round: previous.map(|ago| now - minutes(ago)),
                state: STATES[state],
                held,
                errors: false,
                keyword: KEYWORDS[keyword],
                movement,
                deadline: deadline.map(|m| now + minutes(m)),
                delay,
                rules: ClockRules::from_names(rules.iter().map(|n| RULES[*n])),
                timing: &timing,
                need,
                owing: &owing,
                waiting,
            };
            let Some(until) = rest_until(&game) else { return Ok(()) };
            prop_assert!(until > now);
            let t = now + minutes(later);
            // The round before that one was this, or one between.
            let before = (t - minutes(gap)).max(now);
            if t < until {
                let verdict = tick(&GameClock { now: t, previous_round: Some(before), ..game });
                prop_assert!(matches!(verdict.action, Action::Idle | Action::Ignore), "{:?} at {t}", verdict.action);
            }
        }
    }

    #[test]
    fn moments() {
        let now = DateTime::from_timestamp(1_795_867_200, 0).unwrap();
        let timing: Timing = "WARN 1D,4H".parse().unwrap();
        let owing = [Owing { power: "FRANCE", seat: Seat::Player }];
        let deadline = Some(now + TimeDelta::days(2));
        let game = GameClock { deadline, ..crate::clock::tick::tests::game(&timing, &owing, "202611281200") };
        assert_eq!(game.now, now);
        assert_eq!(rest_until(&game), Some(now + TimeDelta::days(1)), "the first warning");
        let deadline = Some(now + TimeDelta::hours(5));
        assert_eq!(rest_until(&GameClock { deadline, ..game }), Some(now + TimeDelta::hours(1)), "the second");
        let deadline = Some(now + TimeDelta::hours(3));
        assert_eq!(rest_until(&GameClock { deadline, ..game }), deadline);
        assert_eq!(rest_until(&GameClock { deadline: None, ..game }), Some(DateTime::<Utc>::MAX_UTC));
        assert_eq!(rest_until(&GameClock { held: true, ..game }), Some(DateTime::<Utc>::MAX_UTC));
        assert_eq!(rest_until(&GameClock { delay: 1, ..game }), None, "counted down every round");
        assert_eq!(rest_until(&GameClock { owing: &[], ..game }), None, "complete: to be processed");
        assert_eq!(rest_until(&GameClock { errors: true, ..game }), None);
        assert_eq!(rest_until(&GameClock { deadline: Some(now), ..game }), None);
    }
}
