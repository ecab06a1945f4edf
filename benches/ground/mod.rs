//! The movement phases of the standard map in `tests/data/cases` and `games`, ready to be adjudicated: the ground that
//! the bench, the comparison with other engines and the test of allocations share.

use chancery::diplomacy::adjudicate::case::{Case, Table, position};
use chancery::diplomacy::adjudicate::{Dislodged, Movement, Position, Profile, Workspace};
use chancery::diplomacy::map::{Map, PowerId};
use chancery::diplomacy::notation::{self, Written};
use chancery::diplomacy::order::Order;
use std::path::{Path, PathBuf};

/// A position and its orders, as text and as read.
pub struct Prepared {
    pub position: Position,
    pub texts: Vec<(PowerId, String)>,
    pub orders: Vec<(PowerId, Written<Order>)>,
}

pub fn table() -> Table {
    Table::new(Map::builtin("standard").expect("the standard map"))
}

/// The movement phases below a checkout, in a fixed order.
pub fn cases(root: &Path) -> Vec<Case> {
    let mut files = vec![root.join("tests/data/cases/standard.jsonl")];
    let games = std::fs::read_dir(root.join("games")).expect("games");
    let games = games.map(|file| file.expect("a file").path());
    files.extend(games.filter(|path: &PathBuf| path.extension().is_some_and(|e| e == "jsonl")));
    files.sort();
    let read = |file: &PathBuf| std::fs::read_to_string(file).expect("cases");
    let texts: Vec<String> = files.iter().map(read).collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    lines.map(|line| serde_json::from_str::<Case>(line).expect("a case")).filter(|c| c.phase.ends_with('M')).collect()
}

pub fn prepare(table: &Table, cases: &[Case]) -> Vec<Prepared> {
    let one = |case: &Case| {
        let power = |key: &String| table.board.power(key).expect("a power");
        let lines = case.orders.iter().flat_map(|(key, lines)| lines.iter().flatten().map(move |l| (key, l)));
        let texts: Vec<(PowerId, String)> = lines.map(|(key, line)| (power(key), line.clone())).collect();
        let read = |(p, t): &(PowerId, String)| (*p, notation::read_movement(&table.board, t).expect("an order"));
        let orders = texts.iter().map(read).collect();
        Prepared { position: position(table, case, false).expect("a position"), texts, orders }
    };
    cases.iter().map(one).collect()
}

impl Prepared {
    /// A phase with the typed orders given.
    pub fn ordered<'a>(&'a self, profile: &'a Profile, memory: &'a mut Workspace) -> Movement<'a> {
        let mut movement = memory.movement(profile, &self.position);
        for (power, written) in &self.orders {
            let _ = movement.written(*power, written);
        }
        movement
    }

    /// Order strings in, the next position with retreats out.
    pub fn phase(
        &self,
        table: &Table,
        profile: &Profile,
        memory: &mut Workspace,
        (next, destroyed): &mut (Position, Vec<Dislodged>),
    ) {
        let mut movement = memory.movement(profile, &self.position);
        for (power, text) in &self.texts {
            if let Some(written) = notation::read_movement(&table.board, text) {
                let _ = movement.written(*power, &written);
            }
        }
        movement.resolve().advance(next, destroyed);
    }
}
