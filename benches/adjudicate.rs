//! The adjudicator alone, on the standard-map movement cases. `benches/rivals` sets it beside other engines.

use chancery::diplomacy::adjudicate::case::{Case, Table, play, position};
use chancery::diplomacy::adjudicate::{Position, Profile, Workspace};
use chancery::diplomacy::map::{Map, PowerId};
use chancery::diplomacy::notation::{self, Written};
use chancery::diplomacy::order::Order;
use divan::Bencher;
use divan::counter::ItemsCount;

struct Prepared {
    position: Position,
    texts: Vec<(PowerId, String)>,
    orders: Vec<(PowerId, Written<Order>)>,
}

fn cases() -> Vec<Case> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/cases/standard.jsonl");
    let text = std::fs::read_to_string(file).expect("cases");
    let cases = text.lines().map(|l| serde_json::from_str::<Case>(l).expect("a case"));
    cases.filter(|c| c.phase.ends_with('M')).collect()
}

fn table() -> Table {
    Table::new(Map::builtin("standard").expect("the standard map"))
}

fn prepare(table: &Table) -> Vec<Prepared> {
    let one = |case: &Case| {
        let texts: Vec<(PowerId, String)> = case
            .orders
            .iter()
            .flat_map(|(power, lines)| {
                let power = table.board.power(power).expect("a power");
                lines.iter().flatten().map(move |l| (power, l.clone()))
            })
            .collect();
        let read = |(p, t): &(PowerId, String)| (*p, notation::read_movement(&table.board, t).expect("an order"));
        let orders = texts.iter().map(read).collect();
        Prepared { position: position(table, case, false).expect("a position"), texts, orders }
    };
    cases().iter().map(one).collect()
}

/// Typed orders in, decisions out.
#[divan::bench]
fn resolve(bencher: Bencher) {
    let prepared = prepare(&table());
    let (profile, mut memory) = (Profile::default(), Workspace::new());
    bencher.counter(ItemsCount::new(prepared.len())).bench_local(|| {
        for one in &prepared {
            let mut movement = memory.movement(&profile, &one.position);
            for (power, written) in &one.orders {
                let _ = movement.written(*power, written);
            }
            divan::black_box(movement.resolve().moved(0));
        }
    });
}

/// Order strings in, the next position with retreats out.
#[divan::bench]
fn phase(bencher: Bencher) {
    let table = table();
    let prepared = prepare(&table);
    let (profile, mut memory) = (Profile::default(), Workspace::new());
    let (mut next, mut destroyed) = (Position::empty(&table.board), Vec::new());
    bencher.counter(ItemsCount::new(prepared.len())).bench_local(|| {
        for one in &prepared {
            let mut movement = memory.movement(&profile, &one.position);
            for (power, text) in &one.texts {
                if let Some(written) = notation::read_movement(&table.board, text) {
                    let _ = movement.written(*power, &written);
                }
            }
            movement.resolve().advance(&mut next, &mut destroyed);
        }
    });
}

/// A whole case, text to text.
#[divan::bench]
fn case(bencher: Bencher) {
    let (table, cases, mut memory) = (table(), cases(), Workspace::new());
    bencher.counter(ItemsCount::new(cases.len())).bench_local(|| {
        for case in &cases {
            divan::black_box(play(&table, case, &mut memory).expect("an answer"));
        }
    });
}

fn main() {
    divan::main();
}
