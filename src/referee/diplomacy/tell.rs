//! The part of a results report that tells what became of orders (notices.md 4.1): one set of words, whether the phase
//! was played a moment ago or is told again from a record ([`super::retell`]).

use super::{Diplomacy, report};
use crate::diplomacy::adjudicate::{Piece, Position, RetreatFate};
use crate::diplomacy::map::{LocationId, Map, PowerId};
use crate::diplomacy::notation::AdjustOrder;
use crate::diplomacy::order::Order;
use crate::diplomacy::orders::{self, Entry};
use crate::diplomacy::position::Unit;
use crate::diplomacy::rules::Rule;
use crate::status::Game;
use std::collections::BTreeMap;

/// What a unit was ordered, and the codes of what came of it.
pub struct Deed {
    pub order: Order,
    pub codes: Vec<String>,
}

/// A movement phase: every unit with its order, then who was dislodged (no places: and is lost). `deeds` are by the
/// number of the piece in the position.
pub fn movement(
    referee: &Diplomacy,
    game: &Game,
    position: &Position,
    deeds: &BTreeMap<usize, Deed>,
    mut dislodged: Vec<(Piece, Vec<LocationId>)>,
) -> String {
    let map = referee.map();
    let entry_board = referee.entry_board(game);
    let style = orders::report::Style { adjectives: !referee.rules.has(Rule::ShowPhantom) };
    let mut text = String::new();
    for (power, p) in referee.powers(game) {
        if p.units.is_empty() {
            continue;
        }
        // What was built hidden comes out at the head of its power's results (HIDE_BUILDS, rules.md 2.8).
        for unit in p.hides.iter().filter_map(|text| map.named_unit(text)) {
            text += &format!("{}: {} FOUND.\n", map[power].title, orders::report::unit_words(map, unit));
        }
        for unit in p.units.iter().filter_map(|text| map.named_unit(text)) {
            let Some(deed) = position.at(map.province_of(unit.at)).and_then(|index| deeds.get(&index)) else {
                continue;
            };
            let codes: Vec<&str> = deed.codes.iter().map(String::as_str).collect();
            text += &orders::report::movement_line(map, &entry_board, power, unit, &deed.order, &codes, style);
            text.push('\n');
        }
        text.push('\n');
    }
    if !dislodged.is_empty() {
        text += "\nThe following units were dislodged:\n\n";
        dislodged.sort_by_key(|(piece, _)| *piece);
        for (piece, places) in dislodged {
            let line = orders::report::dislodged_line(map, piece.power, piece.unit, &places, false);
            text += &crate::judge::post::wrap(&line, 75, 0);
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// A unit that had to retreat.
pub fn retreat(map: &Map, piece: Piece, fate: RetreatFate) -> String {
    let unit = piece.unit;
    let (entry, notes): (Entry, &[&str]) = match fate {
        RetreatFate::Retreats(to) => (Entry::Retreat { unit, to }, &[]),
        RetreatFate::Bounces(to) => (Entry::Retreat { unit, to }, &["bounce", "destroyed"]),
        RetreatFate::Disbands => (Entry::Disband { unit }, &[]),
    };
    orders::report::block_line(map, piece.power, &entry, notes) + "\n"
}

/// What a power built and removed, and how many builds it left.
pub fn adjustment(map: &Map, power: PowerId, done: &[AdjustOrder], hidden: &[Unit], pending: u16) -> String {
    let mut text = String::new();
    for order in done {
        let entry = match order {
            AdjustOrder::Build(unit) if hidden.contains(unit) => {
                text += &format!("{}Build hidden.\n", report::column(&map[power].title));
                continue;
            }
            AdjustOrder::Build(unit) => Entry::Build { unit: *unit, hidden: false },
            AdjustOrder::Remove(unit) => Entry::Remove { unit: *unit },
            AdjustOrder::Waive => Entry::Waive(None),
        };
        text += &orders::report::block_line(map, power, &entry, &[]);
        text.push('\n');
    }
    if pending > 0 {
        text += &orders::report::pending_line(map, power, u32::from(pending));
        text.push('\n');
    }
    text
}
