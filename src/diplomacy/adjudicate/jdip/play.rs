//! Plays a case of a jDip file and compares.

use super::JdipCase;
use super::results::Before;
use crate::diplomacy::adjudicate::case::{Case, Table, play_alone};
use crate::diplomacy::adjudicate::datc::{Difference, same};
use crate::diplomacy::adjudicate::setup::Piece;
use crate::diplomacy::adjudicate::{Board, Profile, Workspace};
use crate::diplomacy::map::PowerId;
use crate::diplomacy::notation;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Units by power.
type Units = BTreeMap<String, BTreeSet<String>>;

/// Plays a case under a profile and compares it with its POSTSTATE. Units destroyed for want of a retreat may be
/// listed as dislodged or left out: the files do both.
pub fn check(table: &Table, case: &JdipCase, profile: &Profile, memory: &mut Workspace) -> Result<(), Difference> {
    let board: &Board = &table.board;
    let asked = as_case(table, case, profile);
    let played = play_alone(table, &asked, profile, &case.phase, memory);
    let (next, destroyed) =
        played.map_err(|e| Difference { what: "case", want: "a position".into(), got: e.to_string() })?;
    let want = grouped(board, case.after.as_deref().unwrap_or(&case.units).iter().copied());
    same("position", &json!(want), &json!(grouped(board, next.pieces().iter().copied())))?;
    let want = grouped(board, case.after_dislodged.iter().copied());
    let mut got = grouped(board, next.dislodged().iter().map(|d| d.piece));
    for piece in destroyed {
        let (power, unit) = (board.power_key(piece.power), notation::unit(board, piece.unit));
        if want.get(power).is_some_and(|units| units.contains(&unit)) {
            got.entry(power.to_owned()).or_default().insert(unit);
        }
    }
    same("dislodged", &json!(want), &json!(got))
}

fn grouped(board: &Board, pieces: impl Iterator<Item = Piece>) -> Units {
    let mut units = Units::new();
    for piece in pieces {
        let key = board.power_key(piece.power).to_owned();
        units.entry(key).or_default().insert(notation::unit(board, piece.unit));
    }
    units
}

fn as_case(table: &Table, case: &JdipCase, profile: &Profile) -> Case {
    let board: &Board = &table.board;
    let mut asked = Case { phase: case.phase.short(), ..Case::default() };
    let key = |power: PowerId| board.power_key(power).to_owned();
    for piece in &case.units {
        asked.units.entry(key(piece.power)).or_default().push(notation::unit(board, piece.unit));
    }
    let before = Before { board, profile, case };
    for piece in &case.dislodged {
        let open = before.open(*piece).iter().map(|at| board.code(*at).to_owned()).collect();
        let unit = notation::unit(board, piece.unit);
        asked.dislodged.entry(key(piece.power)).or_default().insert(unit, open);
    }
    let initial = || {
        let powers = table.map.power_ids();
        powers.flat_map(|p| table.map[p].centers.iter().map(move |c| (p, *c))).collect::<Vec<_>>()
    };
    for (power, center) in case.owners.clone().unwrap_or_else(initial) {
        asked.centers.entry(key(power)).or_default().push(board.province_code(center).to_owned());
    }
    for (power, order) in &case.orders {
        asked.orders.entry(key(*power)).or_default().get_or_insert_default().push(order.clone());
    }
    asked
}
