//! Orders as they are once understood, and their canonical text (orders.md 1, D17): the one language that status
//! files, confirmations and the adjudicator share.

use super::code::Remark;
use crate::diplomacy::map::{LocationId, Map, UnitKind};
use crate::diplomacy::order::{Order, Route};
use crate::diplomacy::position::Unit;

/// An order, understood and legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A movement-phase order.
    Movement {
        /// The unit ordered.
        unit: Unit,
        /// What it does.
        order: Order,
        /// SIGNAL_SUPPORT: a support known to be void, kept as a signal.
        signal: bool,
        /// FICTIONAL_OK: the type of the supported unit was left open; [`Order::Support`] then holds a guess.
        untyped: bool,
    },
    /// A dislodged unit moves.
    Retreat {
        /// The unit.
        unit: Unit,
        /// Where it goes.
        to: LocationId,
    },
    /// A dislodged unit gives up.
    Disband {
        /// The unit.
        unit: Unit,
    },
    /// A new unit.
    Build {
        /// The unit.
        unit: Unit,
        /// Not announced (HIDE_BUILDS, hidden homes).
        hidden: bool,
    },
    /// So many unused builds; `None` where no number was given.
    Waive(Option<u32>),
    /// A unit is taken off the board.
    Remove {
        /// The unit.
        unit: Unit,
    },
    /// A unit is not to be removed; has no effect but consistency.
    Keep {
        /// The unit.
        unit: Unit,
    },
}

/// An order with its canonical text and what the judge remarks about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The order.
    pub entry: Entry,
    /// Canonical text; empty for KEEP, which is not stored.
    pub canonical: String,
    /// Remarks (coasts dropped or corrected).
    pub remarks: Vec<Remark>,
}

impl Parsed {
    /// An order with its text made.
    pub fn new(map: &Map, entry: Entry, remarks: Vec<Remark>) -> Parsed {
        let canonical = entry.canonical(map);
        Parsed { entry, canonical, remarks }
    }
}

/// `F STP/SC`
pub fn unit_text(map: &Map, unit: Unit) -> String {
    format!("{} {}", unit.kind.letter(), map[unit.at].code)
}

impl Entry {
    /// The unit ordered; a waive has none.
    pub fn unit(&self) -> Option<Unit> {
        match self {
            Entry::Movement { unit, .. }
            | Entry::Retreat { unit, .. }
            | Entry::Disband { unit }
            | Entry::Build { unit, .. }
            | Entry::Remove { unit }
            | Entry::Keep { unit } => Some(*unit),
            Entry::Waive(_) => None,
        }
    }

    /// The canonical text (orders.md 1). A waive is one line, whatever its number.
    pub fn canonical(&self, map: &Map) -> String {
        let text = |unit: &Unit| unit_text(map, *unit);
        match self {
            Entry::Movement { unit, order, signal, untyped } => movement_text(map, *unit, order, *signal, *untyped),
            Entry::Retreat { unit, to } => format!("RETREAT {} - {}", text(unit), map[*to].code),
            Entry::Disband { unit } => format!("DISBAND {}", text(unit)),
            Entry::Build { unit, hidden } => format!("BUILD {}{}", text(unit), if *hidden { " HIDDEN" } else { "" }),
            Entry::Waive(_) => "BUILD WAIVED".into(),
            Entry::Remove { unit } => format!("REMOVE {}", text(unit)),
            Entry::Keep { .. } => String::new(),
        }
    }
}

/// The canonical text of a movement-phase order, as the adjudicator's types have it.
pub fn order_text(map: &Map, unit: Unit, order: &Order) -> String {
    movement_text(map, unit, order, false, false)
}

fn movement_text(map: &Map, unit: Unit, order: &Order, signal: bool, untyped: bool) -> String {
    let own = unit_text(map, unit);
    match order {
        Order::Hold => format!("{own} H"),
        Order::Move { to, route } => {
            let path = match route {
                Route::Path(seas) => seas.iter().map(|sea| format!(" - {}", map[*sea].code)).collect(),
                Route::Any | Route::Via => String::new(),
            };
            let via = if *route == Route::Via { " VIA" } else { "" };
            format!("{own}{path} - {}{via}", map[*to].code)
        }
        Order::Support { unit: helped, to } => {
            let helped = if untyped { map[helped.at].code.clone() } else { unit_text(map, *helped) };
            let to = to.map_or_else(String::new, |to| format!(" - {}", map[to].code));
            format!("{own} S {helped}{to}{}", if signal { " ?" } else { "" })
        }
        Order::Convoy { army, to } => {
            // Armies carry only fleets (PORTAGE_CONVOY), fleets only armies.
            let cargo = match unit.kind {
                UnitKind::Fleet => 'A',
                UnitKind::Army => 'F',
            };
            format!("{own} C {cargo} {} - {}", map[*army].code, map[*to].code)
        }
        Order::Proxy(power) => format!("{own} P {}", map[*power].key),
    }
}

impl Entry {
    /// Reads canonical text as stored, without checks: for the adjudicator and for reports. What players write goes
    /// through [`super::parse_order`].
    pub fn from_canonical(map: &Map, text: &str) -> Option<Entry> {
        let words: Vec<&str> = text.split_whitespace().collect();
        Some(match words.as_slice() {
            ["BUILD", "WAIVED"] => Entry::Waive(None),
            ["BUILD", unit @ ..] => {
                let (unit, hidden) = match unit {
                    [unit @ .., "HIDDEN"] => (unit, true),
                    unit => (unit, false),
                };
                Entry::Build { unit: read_unit(map, unit)?, hidden }
            }
            ["REMOVE", unit @ ..] => Entry::Remove { unit: read_unit(map, unit)? },
            ["DISBAND", unit @ ..] | ["RETREAT", unit @ .., "DISBAND"] => {
                Entry::Disband { unit: read_unit(map, unit)? }
            }
            ["RETREAT", kind, at, "-", to] => {
                Entry::Retreat { unit: read_unit(map, &[kind, at])?, to: map.location(to)? }
            }
            [kind, at, rest @ ..] => read_movement(map, read_unit(map, &[kind, at])?, rest)?,
            _ => return None,
        })
    }
}

fn read_unit(map: &Map, words: &[&str]) -> Option<Unit> {
    let (kind, at) = match words {
        ["A", at] => (UnitKind::Army, at),
        ["F", at] => (UnitKind::Fleet, at),
        _ => return None,
    };
    Some(Unit { kind, at: map.location(at)? })
}

fn read_movement(map: &Map, unit: Unit, words: &[&str]) -> Option<Entry> {
    let (words, signal) = match words {
        [words @ .., "?"] => (words, true),
        words => (words, false),
    };
    let mut untyped = false;
    let order = match words {
        ["H"] => Order::Hold,
        ["P", power] => Order::Proxy(map.power(power)?),
        ["S", "A" | "F"] => return None,
        ["S", kind @ ("A" | "F"), at] => Order::Support { unit: read_unit(map, &[kind, at])?, to: None },
        ["S", kind @ ("A" | "F"), at, "-", to] => {
            Order::Support { unit: read_unit(map, &[kind, at])?, to: Some(map.location(to)?) }
        }
        ["S", at, rest @ ..] => {
            untyped = true;
            let at = map.location(at)?;
            let kind = if map.may_stand(UnitKind::Army, at) { UnitKind::Army } else { UnitKind::Fleet };
            let to = match rest {
                [] => None,
                ["-", to] => Some(map.location(to)?),
                _ => return None,
            };
            Order::Support { unit: Unit { kind, at }, to }
        }
        ["C", "A" | "F", army, "-", to] => Order::Convoy { army: map.province(army)?, to: map.province(to)? },
        ["-", ..] => {
            let (words, via) = match words {
                [words @ .., "VIA"] => (words, true),
                words => (words, false),
            };
            let mut places = Vec::new();
            for step in words.chunks(2) {
                let ["-", place] = step else { return None };
                places.push(map.location(place)?);
            }
            let (to, path) = places.split_last()?;
            let route = match (path, via) {
                ([], false) => Route::Any,
                ([], true) => Route::Via,
                (path, _) => Route::Path(path.iter().map(|at| map.province_of(*at)).collect()),
            };
            Order::Move { to: *to, route }
        }
        _ => return None,
    };
    Some(Entry::Movement { unit, order, signal, untyped })
}
