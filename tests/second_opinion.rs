//! The fast resolver against the slow one on random positions of every built-in map, with the invariants of
//! adjudication.md 16. `CHANCERY_POSITIONS=10000000 cargo test --release --test second_opinion` for a long run.

mod opinion;

use chancery::diplomacy::adjudicate::case::Table;
use chancery::diplomacy::adjudicate::{Fate, Position, Profile, Workspace};
use chancery::diplomacy::map::Map;
use chancery::diplomacy::notation;
use chancery::diplomacy::order::Order;
use chancery::diplomacy::rules::{Rule, Rules};
use opinion::random::{Dice, scene};
use opinion::{Judge, Opinion};
use proptest::prelude::*;
use std::sync::LazyLock;

static TABLES: LazyLock<Vec<Table>> =
    LazyLock::new(|| Map::builtin_names().into_iter().filter_map(Map::builtin).map(Table::new).collect());

fn table(dice: &mut Dice) -> &'static Table {
    // Half of the positions on the standard map, which everybody knows.
    let standard = TABLES.iter().find(|t| t.map.name == "standard").unwrap();
    if dice.chance(50) { standard } else { dice.pick(&TABLES).unwrap() }
}

fn profile(old: bool) -> Profile {
    Profile::new(old.then_some(Rule::OldJudge).into_iter().collect::<Rules>())
}

/// Gives the orders; those refused become holds.
fn accept(profile: &Profile, position: &Position, orders: &mut [Order], memory: &mut Workspace) {
    let mut movement = memory.movement(profile, position);
    for (piece, order) in position.pieces().iter().zip(orders.iter_mut()) {
        if movement.check(piece.power, piece.unit, order).is_err() {
            *order = Order::Hold;
        }
    }
}

fn fast(profile: &Profile, position: &Position, orders: &[Order], memory: &mut Workspace) -> (Opinion, Vec<Fate>) {
    let mut movement = memory.movement(profile, position);
    for (piece, order) in position.pieces().iter().zip(orders) {
        movement.order(piece.power, piece.unit, order).unwrap();
    }
    let resolution = movement.resolve();
    let verdicts: Vec<_> = (0..orders.len()).map(|u| resolution.verdict(u)).collect();
    let opinion = Opinion {
        moved: verdicts.iter().map(|v| v.fate == Fate::Moves).collect(),
        given: verdicts.iter().map(|v| v.fate == Fate::Given).collect(),
        path: verdicts.iter().map(|v| matches!(v.fate, Fate::Moves | Fate::Bounces)).collect(),
        dislodged: verdicts.iter().map(|v| v.dislodged).collect(),
    };
    let (next, destroyed) = resolution.outcome();
    invariants(profile, position, &resolution, &next, destroyed.len());
    (opinion, verdicts.iter().map(|v| v.fate).collect())
}

/// adjudication.md 16: 2, 3, 4, 11.
fn invariants(
    profile: &Profile,
    position: &Position,
    resolution: &chancery::diplomacy::adjudicate::Resolution,
    next: &Position,
    destroyed: usize,
) {
    let board = position.board();
    assert_eq!(position.pieces().len(), next.pieces().len() + next.dislodged().len() + destroyed);
    let contested: Vec<_> = resolution.contested().collect();
    for unit in next.dislodged() {
        for place in next.retreats(unit) {
            let province = board.province(*place);
            assert!(next.at(province).is_none() && !contested.contains(&province));
            let barred = !unit.by_convoy || profile.origin_barred;
            assert!(!(barred && unit.attacker == Some(province)));
        }
    }
    for index in 0..position.pieces().len() {
        if let Some(by) = resolution.dislodger(index) {
            assert_ne!(position.pieces()[by].power, position.pieces()[index].power);
        }
    }
}

fn show(table: &Table, position: &Position, orders: &[Order]) -> String {
    let lines = position.pieces().iter().zip(orders).map(|(piece, order)| {
        format!("{} {}", table.board.power_key(piece.power), notation::movement(&table.board, piece.unit, order))
    });
    format!("{}\n{}", table.map.name, lines.collect::<Vec<_>>().join("\n"))
}

/// Compares one position; says whether the slow judge could enumerate it.
fn compare(seed: u64, memory: &mut Workspace) -> bool {
    let mut dice = Dice(seed);
    let table = table(&mut dice);
    let old = dice.chance(25);
    let profile = profile(old);
    let (position, mut orders) = scene(table, &mut dice);
    accept(&profile, &position, &mut orders, memory);
    let Some(slow) = Judge::new(&table.map, &position, &orders, old).decide() else { return false };
    let (quick, _) = fast(&profile, &position, &orders, memory);
    assert!(
        quick == slow,
        "seed {seed}, old {old}, {}\nfast {quick:?}\nslow {slow:?}",
        show(table, &position, &orders)
    );
    true
}

#[test]
fn the_slow_judge_agrees() {
    let wanted = std::env::var("CHANCERY_POSITIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(4000u64);
    let start = std::env::var("CHANCERY_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1u64);
    let mut memory = Workspace::new();
    let mut skipped = 0u64;
    for seed in start..start + wanted {
        skipped += u64::from(!compare(seed, &mut memory));
    }
    println!("{wanted} positions compared, {skipped} of them too entangled for the slow judge");
    assert!(skipped * 100 <= wanted);
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
