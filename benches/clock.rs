//! How long the clock takes: the next deadline (goal: under 5 µs), one check of a game that has nothing to do, and whole
//! rounds over a large site (goal: under 1 s of CPU and 200 MiB when all games sleep, under 2 s when one in a hundred is
//! due). `CHANCERY_GAMES=n` makes the site smaller or larger.

#[path = "rounds/site.rs"]
mod site;

use chancery::clock::{ClockRules, GameClock, Query, Timing, explain_deadline, next_deadline, tick};
use chancery::judge::GameState;
use chancery::status::PhaseKeyword;
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use divan::black_box;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let filters: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if filters.iter().any(|word| word != "rounds") || filters.is_empty() {
        divan::main();
    }
    if filters.is_empty() || filters.iter().any(|word| word == "rounds") {
        site::rounds();
    }
}

const TIMINGS: [&str; 3] = [
    "",
    "NEXT 1D MOVE 3D AT 20:00",
    "NEXT 1D MOVE 2D AT 08:00,20:00 FUDGE 2H START -2H NOT 20261201-20261207,20261224",
];

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_867_200, 0).unwrap_or_default()
}

fn query(timing: &Timing) -> Query<'_> {
    let (rules, zone) = (ClockRules::default(), Tz::Europe__Paris);
    Query { now: now(), zone, timing, phase: "MOVEMENT", rules, first: false, previous: None }
}

#[divan::bench(args = TIMINGS)]
fn next(bencher: divan::Bencher, timing: &str) {
    let timing: Timing = timing.parse().unwrap_or_default();
    bencher.bench(|| next_deadline(black_box(&query(&timing))));
}

#[divan::bench(args = TIMINGS)]
fn explained(bencher: divan::Bencher, timing: &str) {
    let timing: Timing = timing.parse().unwrap_or_default();
    bencher.bench(|| explain_deadline(black_box(&query(&timing))));
}

#[divan::bench(args = TIMINGS)]
fn parse_timing(timing: &str) -> Result<Timing, chancery::clock::TimingError> {
    black_box(timing).parse()
}

#[divan::bench]
fn idle_check(bencher: divan::Bencher) {
    let timing = Timing::default();
    let game = GameClock {
        now: now(),
        previous_round: Some(now() - TimeDelta::minutes(20)),
        state: GameState::Active,
        held: false,
        errors: false,
        keyword: PhaseKeyword::Phase,
        movement: true,
        deadline: Some(now() + TimeDelta::days(1)),
        delay: 0,
        rules: ClockRules::default(),
        timing: &timing,
        need: false,
        owing: &[],
        waiting: true,
    };
    bencher.bench(|| tick(black_box(&game)));
}
