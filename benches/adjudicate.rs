//! The adjudicator alone, on the standard-map movement cases. `benches/rivals` sets it beside other engines.

use chancery::diplomacy::adjudicate::case::play;
use chancery::diplomacy::adjudicate::{Position, Profile, Workspace};
use divan::Bencher;
use divan::counter::ItemsCount;
use std::path::Path;

mod ground;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Typed orders in, decisions out.
#[divan::bench]
fn resolve(bencher: Bencher) {
    let prepared = ground::prepare(&ground::table(), &ground::cases(Path::new(ROOT)));
    let (profile, mut memory) = (Profile::default(), Workspace::new());
    bencher.counter(ItemsCount::new(prepared.len())).bench_local(|| {
        for one in &prepared {
            divan::black_box(one.ordered(&profile, &mut memory).resolve().moved(0));
        }
    });
}

/// Order strings in, the next position with retreats out.
#[divan::bench]
fn phase(bencher: Bencher) {
    let table = ground::table();
    let prepared = ground::prepare(&table, &ground::cases(Path::new(ROOT)));
    let (profile, mut memory) = (Profile::default(), Workspace::new());
    let mut out = (Position::empty(&table.board), Vec::new());
    bencher.counter(ItemsCount::new(prepared.len())).bench_local(|| {
        for one in &prepared {
            one.phase(&table, &profile, &mut memory, &mut out);
        }
    });
}

/// A whole case, text to text.
#[divan::bench]
fn case(bencher: Bencher) {
    let (table, cases, mut memory) = (ground::table(), ground::cases(Path::new(ROOT)), Workspace::new());
    bencher.counter(ItemsCount::new(cases.len())).bench_local(|| {
        for case in &cases {
            divan::black_box(play(&table, case, &mut memory).expect("an answer"));
        }
    });
}

fn main() {
    divan::main();
}
