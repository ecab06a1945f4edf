//! From typed orders to the next position nothing is allocated once the memory is warm: shown by counting.

use chancery::diplomacy::adjudicate::case::{Case, Table, position};
use chancery::diplomacy::adjudicate::{Position, Profile, Workspace};
use chancery::diplomacy::map::{Map, PowerId};
use chancery::diplomacy::notation;

#[test]
fn nothing_is_allocated_when_warm() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/cases/standard.jsonl")).unwrap();
    let table = Table::new(Map::builtin("standard").unwrap());
    let cases: Vec<Case> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let prepared: Vec<(Position, Vec<(PowerId, String)>)> = cases
        .iter()
        .filter(|c| c.phase.ends_with('M'))
        .map(|case| {
            let orders = case.orders.iter().flat_map(|(power, lines)| {
                let power = table.board.power(power).unwrap();
                lines.iter().flatten().map(move |l| (power, l.clone()))
            });
            (position(&table, case, false).unwrap(), orders.collect())
        })
        .collect();
    let profile = Profile::default();
    let mut memory = Workspace::new();
    let mut next = Position::empty(&table.board);
    let mut destroyed = Vec::new();
    let mut pass = || {
        for (position, orders) in &prepared {
            let mut movement = memory.movement(&profile, position);
            for (power, text) in orders {
                let written = notation::read_movement(&table.board, text).unwrap();
                let _ = movement.written(*power, &written);
            }
            let resolution = movement.resolve();
            for index in 0..position.pieces().len() {
                std::hint::black_box(resolution.verdict(index));
            }
            resolution.advance(&mut next, &mut destroyed);
        }
    };
    let cold = allocation_counter::measure(&mut pass);
    assert!(cold.count_total > 0, "the counter counts");
    let warm = allocation_counter::measure(&mut pass);
    assert!(prepared.len() > 300);
    assert_eq!(warm.count_total, 0, "allocations in a warm pass over {} positions", prepared.len());
}
