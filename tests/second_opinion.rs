//! The fast resolver against the slow one on random positions of every built-in map, with the invariants of
//! adjudication.md 16. `CHANCERY_POSITIONS=10000000 cargo test --release --test second_opinion` for a long run
//! (or, quicker to build, `cargo run --release --bin opinions 10000000` in `benches/rivals`).
//!
//! Recorded: 10,000,000 positions from seed 1 without a difference (105,559,727 units; 15,883,878 moves made, 2,268,757
//! dislodgements, 4,372,084 supports cut, 2,126,584 convoys arrived and 905,467 broken, 191,558 circular parts, 10,048
//! paradoxes; a quarter of them under OLD_JUDGE).

mod opinion;

use chancery::diplomacy::adjudicate::{Fate, Position, Workspace};
use chancery::diplomacy::order::Order;
use opinion::compare::{Tally, accept, compare, fast, profile, table};
use opinion::random::{Dice, scene};
use proptest::prelude::*;

#[test]
fn the_slow_judge_agrees() {
    let wanted = std::env::var("CHANCERY_POSITIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(4000u64);
    let start = std::env::var("CHANCERY_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1u64);
    let mut memory = Workspace::new();
    let mut tally = Tally::default();
    for seed in start..start + wanted {
        compare(seed, &mut memory, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.skipped * 100 <= wanted);
    // The positions are worth comparing: all that can happen happens.
    assert!(tally.cut > 0 && tally.convoyed > 0 && tally.circular > 0 && tally.paradoxes > 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// adjudication.md 16, 1: the order in which units are listed makes no difference.
    #[test]
    fn permutation(seed in any::<u64>(), turn in 1usize..16) {
        let mut dice = Dice(seed);
        let table = table(&mut dice);
        let profile = profile(false);
        let mut memory = Workspace::new();
        let (position, mut orders) = scene(table, &mut dice);
        accept(&profile, &position, &mut orders, &mut memory);
        let (plain, _) = fast(&profile, &position, &orders, &mut memory);
        let count = orders.len();
        let turned: Vec<usize> = (0..count).map(|u| (u + turn) % count.max(1)).collect();
        let mut setup = chancery::diplomacy::adjudicate::Setup::new();
        for u in &turned {
            setup.unit(position.pieces()[*u].power, position.pieces()[*u].unit);
        }
        let other = Position::new(&table.board, &setup).unwrap();
        let reordered: Vec<Order> = turned.iter().map(|u| orders[*u].clone()).collect();
        let (again, _) = fast(&profile, &other, &reordered, &mut memory);
        for (new, old) in turned.iter().enumerate() {
            prop_assert_eq!(again.moved[new], plain.moved[*old]);
            prop_assert_eq!(again.dislodged[new], plain.dislodged[*old]);
        }
    }

    /// 16, 5: a void order might as well be a hold.
    #[test]
    fn void_orders_do_nothing(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let table = table(&mut dice);
        let profile = profile(false);
        let mut memory = Workspace::new();
        let (position, mut orders) = scene(table, &mut dice);
        accept(&profile, &position, &mut orders, &mut memory);
        let (plain, fates) = fast(&profile, &position, &orders, &mut memory);
        for (order, fate) in orders.iter_mut().zip(&fates) {
            if matches!(fate, Fate::Void | Fate::Needless) {
                *order = Order::Hold;
            }
        }
        let (again, _) = fast(&profile, &position, &orders, &mut memory);
        prop_assert_eq!(again.moved, plain.moved);
        prop_assert_eq!(again.dislodged, plain.dislodged);
    }
}
