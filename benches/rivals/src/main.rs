//! Chancery's adjudicator beside the published crate `diplomacy` 0.2.0 and, if Python has it, the PyPI package
//! `diplomacy` 1.1.2: the same standard-map movement positions, one thread, one run.
//!
//! Two measures. *Resolve*: typed orders in, every verdict known (for the crate: a prepared submission
//! adjudicated). *Phase*: order strings in, the next position with retreats out.

use chancery::diplomacy::adjudicate::case::Case;
use chancery::diplomacy::adjudicate::{Position, Profile, Workspace};
use cpu_time::ThreadTime;
use diplomacy::UnitPosition;
use diplomacy::geo::{RegionKey, standard_map};
use diplomacy::judge::{MappedMainOrder, Rulebook, Submission, retreat};
use ground::Prepared;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[path = "../../ground/mod.rs"]
mod ground;

/// Processor time each measure runs (so that a busy machine does not matter); the best of several rounds counts, for
/// every engine alike.
const ROUND: Duration = Duration::from_millis(700);
const ROUNDS: usize = 5;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Things done a second: whole passes over all positions, best round.
fn rate(positions: usize, mut pass: impl FnMut()) -> f64 {
    pass();
    let mut best: f64 = 0.0;
    for _ in 0..ROUNDS {
        let start = ThreadTime::now();
        let mut passes = 0;
        while start.elapsed() < ROUND {
            pass();
            passes += 1;
        }
        best = best.max((passes * positions) as f64 / start.elapsed().as_secs_f64());
    }
    best
}

/// Decisions, all verdicts, whole phases; one after the other.
fn ours(cases: &[Case]) -> [f64; 3] {
    let table = ground::table();
    let profile = Profile::default();
    let mut memory = Workspace::new();
    let prepared = ground::prepare(&table, cases);
    let decide = rate(cases.len(), || decide(&prepared, &profile, &mut memory));
    let verdicts = rate(cases.len(), || {
        for one in &prepared {
            let resolution = one.ordered(&profile, &mut memory).resolve();
            for index in 0..one.position.pieces().len() {
                black_box(resolution.verdict(index));
            }
        }
    });
    let mut out = (Position::empty(&table.board), Vec::new());
    let phase = rate(cases.len(), || {
        for one in &prepared {
            one.phase(&table, &profile, &mut memory, &mut out);
            black_box(&out);
        }
    });
    [decide, verdicts, phase]
}

fn decide(prepared: &[Prepared], profile: &Profile, memory: &mut Workspace) {
    for one in prepared {
        black_box(one.ordered(profile, memory).resolve().moved(0));
    }
}

/// Decisions a second of processor time of each of two threads at work together.
fn together(cases: &[Case]) -> f64 {
    let table = ground::table();
    let prepared = ground::prepare(&table, cases);
    let one = || {
        let (profile, mut memory) = (Profile::default(), Workspace::new());
        rate(cases.len(), || decide(&prepared, &profile, &mut memory))
    };
    std::thread::scope(|scope| {
        let threads = [scope.spawn(one), scope.spawn(one)];
        threads.into_iter().map(|t| t.join().expect("a thread")).sum()
    })
}

/// An order in the crate's words.
fn translate(power: &str, text: &str) -> String {
    let place = |w: &str| match w.split_once('/') {
        Some((p, c)) => format!("{}({})", p.to_lowercase(), c.to_lowercase()),
        None => w.to_lowercase(),
    };
    let words = text.split(' ').enumerate().map(|(at, word)| match (at, word) {
        (_, "-") => "->".into(),
        (2, "H") => "holds".into(),
        (2, "S") => "supports".into(),
        (2, "C") => "convoys".into(),
        (_, "VIA") => "via convoy".into(),
        (_, "A" | "F") => word.to_owned(),
        (_, word) => place(word),
    });
    format!("{}: {}", &power[..3], words.collect::<Vec<String>>().join(" "))
}

struct Theirs {
    start: Vec<UnitPosition<'static, RegionKey>>,
    texts: Vec<String>,
    orders: Vec<MappedMainOrder>,
}

fn theirs(cases: &[Case]) -> [f64; 2] {
    let prepared: Vec<Theirs> = cases
        .iter()
        .map(|case| {
            let units = case.units.iter().flat_map(|(power, units)| {
                units.iter().map(move |u| translate(power, u).parse().expect("a unit of the crate"))
            });
            let texts: Vec<String> = case
                .orders
                .iter()
                .flat_map(|(power, lines)| lines.iter().flatten().map(move |l| translate(power, l)))
                .collect();
            let orders = texts.iter().map(|t| t.parse().unwrap_or_else(|e| panic!("{t}: {e}"))).collect();
            Theirs { start: units.collect(), texts, orders }
        })
        .collect();
    let map = standard_map();
    let submissions: Vec<Submission> =
        prepared.iter().map(|one| Submission::new(map, &one.start, one.orders.clone())).collect();
    let resolve = rate(cases.len(), || {
        for submission in &submissions {
            black_box(submission.adjudicate(Rulebook::default()));
        }
    });
    let phase = rate(cases.len(), || {
        for one in &prepared {
            let orders = one.texts.iter().filter_map(|t| t.parse().ok()).collect();
            let submission = Submission::new(map, &one.start, orders);
            let outcome = submission.adjudicate(Rulebook::default());
            black_box(retreat::Start::new(&outcome));
        }
    });
    [resolve, phase]
}

/// The Python engine, in a process of its own; `None` if it is not there.
fn python() -> Option<[f64; 2]> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("engine.py");
    let venv = root().join("target/venv/bin/python3");
    let named = std::env::var_os("CHANCERY_PYTHON").map(PathBuf::from);
    let python = named.unwrap_or(if venv.exists() { venv } else { "python3".into() });
    let out = std::process::Command::new(python).arg(script).arg(root()).output().ok()?;
    let text = String::from_utf8(out.stdout).ok()?;
    let mut rates = text.split_whitespace().map(|w| w.parse::<f64>().ok());
    Some([rates.next()??, rates.next()??])
}

fn row(engine: &str, [resolve, phase]: [f64; 2], ours: [f64; 2]) {
    let (ahead, ahead_phase) = (ours[0] / resolve, ours[1] / phase);
    println!("{engine:<23} {resolve:>11.0} {ahead:>8.1} {phase:>11.0} {ahead_phase:>8.1}");
}

fn main() {
    let cases = ground::cases(&root());
    let units: usize = cases.iter().flat_map(|c| c.units.values()).map(Vec::len).sum();
    println!("{} standard-map movement positions, {:.1} units each", cases.len(), units as f64 / cases.len() as f64);
    println!("{:<23} {:>11} {:>8} {:>11} {:>8}", "engine", "resolved/s", "we: x", "phases/s", "we: x");
    let [decide, verdicts, phase] = ours(&cases);
    row("chancery", [decide, phase], [decide, phase]);
    row("crate diplomacy 0.2.0", theirs(&cases), [decide, phase]);
    match python() {
        Some(rates) => row("PyPI diplomacy 1.1.2", rates, [decide, phase]),
        None => println!("PyPI diplomacy 1.1.2    not measured: sh tests/saved_games.sh installs it"),
    }
    println!("chancery, all verdicts read: {verdicts:.0}/s");
    let both = together(&cases);
    println!("chancery, two threads: {both:.0}/s, {:.2} times one", both / decide);
}
