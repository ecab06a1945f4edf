//! A long comparison of the fast resolver with the slow one of the tests: `opinions COUNT [SEED]`. The same positions
//! as `tests/second_opinion.rs`, in release mode.

#[path = "../../../../tests/opinion/mod.rs"]
mod opinion;

use opinion::compare::{Tally, compare};

fn main() {
    let mut numbers = std::env::args().skip(1).map(|n| n.parse::<u64>().expect("a number"));
    let (count, seed) = (numbers.next().unwrap_or(1_000_000), numbers.next().unwrap_or(1));
    let mut tally = Tally::default();
    let mut memory = chancery::diplomacy::adjudicate::Workspace::new();
    for at in 0..count {
        compare(seed + at, &mut memory, &mut tally);
        if (at + 1) % 1_000_000 == 0 {
            println!("{} positions: {tally:?}", at + 1);
        }
    }
    println!("{count} positions from seed {seed}, no difference: {tally:?}");
}
