//! The part of a results report that tells what became of orders (notices.md 4.1): one set of words, whether the phase
//! was played a moment ago or is told again from a record ([`super::retell`]).

use super::bulletin::{Bulletin, Event, Turn, View, knows_center};
use super::{Diplomacy, report};
use crate::diplomacy::adjudicate::{Piece, Position, RetreatFate};
use crate::diplomacy::map::{LocationId, Map, PowerId};
use crate::diplomacy::notation::AdjustOrder;
use crate::diplomacy::order::Order;
use crate::diplomacy::orders::{self, Entry};
use crate::diplomacy::phase::Phase;
use crate::diplomacy::position::Unit;
use crate::diplomacy::rules::Rule;
use crate::status::Game;
use std::collections::BTreeMap;

/// What a unit was ordered, and the codes of what came of it.
pub struct Deed {
    pub order: Order,
    pub codes: Vec<String>,
    /// Where it stands afterwards; where it stood, if it was dislodged.
    pub now: Unit,
}

/// The title of a report.
pub fn title(game: &str, phase: &Phase) -> Bulletin {
    let mut text = Bulletin::default();
    text.all(report::title(game, phase));
    text.gap();
    text
}

/// A movement phase: every unit with its order, then who was dislodged (no places: and is lost). `deeds` are by the
/// number of the piece in the position.
pub fn movement(
    text: &mut Bulletin,
    referee: &Diplomacy,
    game: &Game,
    position: &Position,
    deeds: &BTreeMap<usize, Deed>,
    mut dislodged: Vec<(Piece, Vec<LocationId>)>,
) {
    let map = referee.map();
    let entry_board = referee.entry_board(game);
    let style = orders::report::Style { adjectives: !referee.rules.has(Rule::ShowPhantom) };
    // It would tell that a foreign unit is not there (orders.md 10).
    let unsaid = if referee.rules.has(Rule::Blind) { "void" } else { "" };
    for (power, p) in referee.powers(game) {
        if p.units.is_empty() {
            continue;
        }
        // What was built hidden comes out at the head of its power's results (HIDE_BUILDS, rules.md 2.8).
        for unit in p.hides.iter().filter_map(|text| map.named_unit(text)) {
            let full = format!("{}: {} FOUND.", map[power].title, orders::report::unit_words(map, unit));
            let turn = Turn::Comes(unit);
            text.event(Event { power, turn, full, block: false, dislodged: false, dislodges: false });
        }
        for unit in p.units.iter().filter_map(|text| map.named_unit(text)) {
            let Some(deed) = position.at(map.province_of(unit.at)).and_then(|index| deeds.get(&index)) else {
                continue;
            };
            let codes: Vec<&str> = deed.codes.iter().map(String::as_str).filter(|code| *code != unsaid).collect();
            let full = orders::report::movement_line(map, &entry_board, power, unit, &deed.order, &codes, style);
            let is = |piece: &Piece, at| map.province_of(piece.unit.at) == map.province_of(at);
            let moved = map.province_of(deed.now.at) != map.province_of(unit.at);
            text.event(Event {
                power,
                turn: Turn::Acts(unit, deed.now),
                full,
                block: false,
                dislodged: dislodged.iter().any(|(piece, _)| piece.power == power && is(piece, unit.at)),
                dislodges: moved && dislodged.iter().any(|(piece, _)| is(piece, deed.now.at)),
            });
        }
        text.gap();
    }
    if !dislodged.is_empty() {
        text.head("\nThe following units were dislodged:\n\n");
        dislodged.sort_by_key(|(piece, _)| *piece);
        for (piece, places) in dislodged {
            let line = orders::report::dislodged_line(map, piece.power, piece.unit, &places, false);
            text.dislodged(piece.power, piece.unit, crate::judge::post::wrap(&line, 75, 0));
        }
        text.gap();
    }
}

/// A unit that had to retreat.
pub fn retreat(text: &mut Bulletin, map: &Map, piece: Piece, fate: RetreatFate) {
    let unit = piece.unit;
    let (entry, notes): (Entry, &[&str]) = match fate {
        RetreatFate::Retreats(to) => (Entry::Retreat { unit, to }, &[]),
        RetreatFate::Bounces(to) => (Entry::Retreat { unit, to }, &["bounce", "destroyed"]),
        RetreatFate::Disbands => (Entry::Disband { unit }, &[]),
    };
    let turn = match fate {
        RetreatFate::Retreats(at) => Turn::Acts(unit, Unit { kind: unit.kind, at }),
        RetreatFate::Bounces(_) | RetreatFate::Disbands => Turn::Goes(unit),
    };
    let full = orders::report::block_line(map, piece.power, &entry, notes);
    text.event(Event { power: piece.power, turn, full, block: true, dislodged: false, dislodges: false });
}

/// Those who did not have to.
pub fn standing(text: &mut Bulletin, referee: &Diplomacy, game: &Game) {
    for (power, p) in referee.powers(game) {
        text.standing(power, p.units.iter().filter_map(|unit| referee.map().named_unit(unit)));
    }
}

/// What a power built and removed, and how many builds it left.
pub fn adjustment(text: &mut Bulletin, map: &Map, power: PowerId, done: &[AdjustOrder], hidden: &[Unit], pending: u16) {
    let line = |entry| orders::report::block_line(map, power, &entry, &[]);
    for order in done {
        let (turn, full) = match order {
            AdjustOrder::Build(unit) if hidden.contains(unit) => {
                text.own(power, format!("{}Build hidden.\n", report::column(&map[power].title)));
                continue;
            }
            AdjustOrder::Waive => {
                text.own(power, line(Entry::Waive(None)) + "\n");
                continue;
            }
            AdjustOrder::Build(unit) => (Turn::Comes(*unit), line(Entry::Build { unit: *unit, hidden: false })),
            AdjustOrder::Remove(unit) => (Turn::Goes(*unit), line(Entry::Remove { unit: *unit })),
        };
        text.event(Event { power, turn, full, block: true, dislodged: false, dislodges: false });
    }
    if pending > 0 {
        text.own(power, orders::report::pending_line(map, power, u32::from(pending)) + "\n");
    }
}

/// The count of centres: who owns what, and how many; `game` is the one after it.
pub fn count(text: &mut Bulletin, referee: &Diplomacy, game: &Game, table: Vec<report::Count>) {
    if !referee.rules.has(Rule::Blind) {
        text.all(report::ownership(referee, game));
        table.into_iter().for_each(|count| text.all(count.line));
        return;
    }
    let view = View::of(referee, game);
    for reader in referee.map().power_ids() {
        let knows = |center| knows_center(referee, game, &view, reader, center);
        text.to(reader, report::ownership_known(referee, game, &knows));
    }
    text.master(report::ownership(referee, game));
    for count in table {
        match count.wins {
            true => text.all(count.line),
            false => text.own(count.power, count.line),
        }
    }
}
