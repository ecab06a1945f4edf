//! Chancery's adjudicator beside the published crate `diplomacy` 0.2.0 and, if Python has it, the PyPI package
//! `diplomacy` 1.1.2: the same standard-map movement positions, one thread, one run.
//!
//! Two measures. *Resolve*: typed orders in, every verdict known (for the crate: a prepared submission
//! adjudicated). *Phase*: order strings in, the next position with retreats out.

use chancery::diplomacy::adjudicate::case::{Case, Table, position};
use chancery::diplomacy::adjudicate::{Position, Profile, Workspace};
use chancery::diplomacy::map::{Map, PowerId};
use chancery::diplomacy::notation::{self, Written};
use chancery::diplomacy::order::Order;
use cpu_time::ThreadTime;
use diplomacy::UnitPosition;
use diplomacy::geo::{RegionKey, standard_map};
use diplomacy::judge::{MappedMainOrder, Rulebook, Submission, retreat};
use serde_json::Value;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Processor time each measure runs (so that a busy machine does not matter); the best of several rounds counts, for
/// every engine alike.
const ROUND: Duration = Duration::from_millis(700);
const ROUNDS: usize = 5;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Movement cases of the standard map.
fn cases() -> Vec<Case> {
    let mut files = vec![root().join("tests/data/cases/standard.jsonl")];
    let games = std::fs::read_dir(root().join("games")).expect("games");
    files.extend(games.map(|f| f.expect("a file").path()).filter(|p| p.extension().is_some_and(|e| e == "jsonl")));
    files.sort();
    let lines = files.iter().flat_map(|f| {
        let text = std::fs::read_to_string(f).expect("cases");
        text.lines().map(|l| serde_json::from_str::<Value>(l).expect("JSON")).collect::<Vec<_>>()
    });
    lines.filter(|c| c["type"] == "M").map(|c| serde_json::from_value(c).expect("a case")).collect()
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

struct Ours {
    position: Position,
    texts: Vec<(PowerId, String)>,
    orders: Vec<(PowerId, Written<Order>)>,
}

fn ours(cases: &[Case]) -> [f64; 3] {
    let table = Table::new(Map::builtin("standard").expect("the standard map"));
    let profile = Profile::default();
    let mut memory = Workspace::new();
    let prepared: Vec<Ours> = cases
        .iter()
        .map(|case| {
            let position = position(&table, case, false).expect("a position");
            let texts: Vec<(PowerId, String)> = case
                .orders
                .iter()
                .flat_map(|(power, lines)| {
                    let power = table.board.power(power).expect("a power");
                    lines.iter().flatten().map(move |l| (power, l.clone()))
                })
                .collect();
            let read = |(power, text): &(PowerId, String)| {
                (*power, notation::read_movement(&table.board, text).expect("an order"))
            };
            let orders = texts.iter().map(read).collect();
            Ours { position, texts, orders }
        })
        .collect();
    let decide = rate(cases.len(), || {
        for one in &prepared {
            let mut movement = memory.movement(&profile, &one.position);
            for (power, written) in &one.orders {
                let _ = movement.written(*power, written);
            }
            let resolution = movement.resolve();
            black_box(resolution.moved(0));
        }
    });
    let verdicts = rate(cases.len(), || {
        for one in &prepared {
            let mut movement = memory.movement(&profile, &one.position);
            for (power, written) in &one.orders {
                let _ = movement.written(*power, written);
            }
            let resolution = movement.resolve();
            for index in 0..one.position.pieces().len() {
                black_box(resolution.verdict(index));
            }
        }
    });
    let mut next = Position::empty(&table.board);
    let mut destroyed = Vec::new();
    let phase = rate(cases.len(), || {
        for one in &prepared {
            let mut movement = memory.movement(&profile, &one.position);
            for (power, text) in &one.texts {
                if let Some(written) = notation::read_movement(&table.board, text) {
                    let _ = movement.written(*power, &written);
                }
            }
            movement.resolve().advance(&mut next, &mut destroyed);
            black_box(&next);
        }
    });
    [decide, verdicts, phase]
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

fn main() {
    let cases = cases();
    let units: usize = cases.iter().flat_map(|c| c.units.values()).map(Vec::len).sum();
    println!("{} standard-map movement positions, {:.1} units each", cases.len(), units as f64 / cases.len() as f64);
    let [decide, verdicts, phase] = ours(&cases);
    println!(
        "chancery              resolve {decide:>10.0}/s  (all verdicts read {verdicts:.0}/s)  phase {phase:>10.0}/s"
    );
    let [resolve, full] = theirs(&cases);
    println!("crate diplomacy 0.2.0 resolve {resolve:>10.0}/s  phase {full:>10.0}/s");
    println!("                      ratio   {:>10.1}    ratio {:>10.1}", decide / resolve, phase / full);
    match python() {
        Some([resolve, full]) => {
            println!("PyPI diplomacy 1.1.2  resolve {resolve:>10.0}/s  phase {full:>10.0}/s");
            println!("                      ratio   {:>10.1}    ratio {:>10.1}", decide / resolve, phase / full);
        }
        None => println!("PyPI diplomacy 1.1.2  not measured: `pip install diplomacy==1.1.2` in target/venv"),
    }
}
