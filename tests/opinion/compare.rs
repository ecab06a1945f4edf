//! Comparing the two judges on a position made from a seed, and the invariants of adjudication.md 16.

use super::random::{Dice, scene};
use super::{Judge, Opinion};
use chancery::diplomacy::adjudicate::case::Table;
use chancery::diplomacy::adjudicate::{Fate, Position, Profile, Workspace};
use chancery::diplomacy::map::Map;
use chancery::diplomacy::notation;
use chancery::diplomacy::order::Order;
use chancery::diplomacy::rules::{Rule, Rules};
use std::sync::LazyLock;

/// What was met on the way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub positions: u64,
    pub units: u64,
    pub moved: u64,
    pub dislodged: u64,
    pub cut: u64,
    pub convoyed: u64,
    pub broken_convoys: u64,
    pub circular: u64,
    pub paradoxes: u64,
    /// Too entangled for the slow judge.
    pub skipped: u64,
}

static TABLES: LazyLock<Vec<Table>> =
    LazyLock::new(|| Map::builtin_names().into_iter().filter_map(Map::builtin).map(Table::new).collect());

pub fn table(dice: &mut Dice) -> &'static Table {
    // Half of the positions on the standard map, which everybody knows.
    let standard = TABLES.iter().find(|t| t.map.name == "standard").unwrap();
    if dice.chance(50) { standard } else { dice.pick(&TABLES).unwrap() }
}

pub fn profile(old: bool) -> Profile {
    Profile::new(old.then_some(Rule::OldJudge).into_iter().collect::<Rules>())
}

/// Gives the orders; those refused become holds.
pub fn accept(profile: &Profile, position: &Position, orders: &mut [Order], memory: &mut Workspace) {
    let mut movement = memory.movement(profile, position);
    for (piece, order) in position.pieces().iter().zip(orders.iter_mut()) {
        if movement.check(piece.power, piece.unit, order).is_err() {
            *order = Order::Hold;
        }
    }
}

pub fn fast(profile: &Profile, position: &Position, orders: &[Order], memory: &mut Workspace) -> (Opinion, Vec<Fate>) {
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

/// Compares one position; a difference is a panic that says where.
pub fn compare(seed: u64, memory: &mut Workspace, tally: &mut Tally) {
    let mut dice = Dice(seed);
    let table = table(&mut dice);
    let old = dice.chance(25);
    let profile = profile(old);
    let (position, mut orders) = scene(table, &mut dice);
    accept(&profile, &position, &mut orders, memory);
    tally.positions += 1;
    let Some((slow, cores)) = Judge::new(&table.map, &position, &orders, old).decide() else {
        tally.skipped += 1;
        return;
    };
    let (quick, fates) = fast(&profile, &position, &orders, memory);
    assert!(
        quick == slow,
        "seed {seed}, old {old}, {}\nfast {quick:?}\nslow {slow:?}",
        show(table, &position, &orders)
    );
    let count = |fate: Fate| fates.iter().filter(|f| **f == fate).count() as u64;
    tally.units += fates.len() as u64;
    tally.moved += count(Fate::Moves);
    tally.dislodged += slow.dislodged.iter().filter(|d| **d).count() as u64;
    tally.cut += count(Fate::Cut);
    tally.convoyed += cores.convoyed;
    tally.broken_convoys += count(Fate::NoConvoy);
    tally.circular += cores.circular;
    tally.paradoxes += cores.paradoxes;
}
