//! From typed orders to the next position nothing is allocated once the memory is warm: shown by counting.

use chancery::diplomacy::adjudicate::{Position, Profile, Workspace};
use std::path::Path;

#[path = "../benches/ground/mod.rs"]
mod ground;

#[test]
fn nothing_is_allocated_when_warm() {
    let table = ground::table();
    let prepared = ground::prepare(&table, &ground::cases(Path::new(env!("CARGO_MANIFEST_DIR"))));
    let profile = Profile::default();
    let mut memory = Workspace::new();
    let mut out = (Position::empty(&table.board), Vec::new());
    let mut pass = || {
        for one in &prepared {
            let resolution = one.ordered(&profile, &mut memory).resolve();
            for index in 0..one.position.pieces().len() {
                std::hint::black_box(resolution.verdict(index));
            }
            one.phase(&table, &profile, &mut memory, &mut out);
        }
    };
    let cold = allocation_counter::measure(&mut pass);
    assert!(cold.count_total > 0, "the counter counts");
    let warm = allocation_counter::measure(&mut pass);
    assert!(prepared.len() > 300);
    assert_eq!(warm.count_total, 0, "allocations in a warm pass over {} positions", prepared.len());
}
