//! `status.json` and `index.json` for programs (web.md B3). Keys are always there; `null` is "not for you to know".

use super::Frame;
use super::view::{Card, GameView, Scope};
use crate::clock::format::rfc3339;
use serde_json::{Map, Value, json};

/// `game/<game>/status.json`
pub fn game(view: &GameView, frame: &Frame) -> Vec<u8> {
    let card = &view.card;
    let open = card.scope == Scope::Open;
    let base = &frame.base;
    let mut units = Vec::new();
    let mut centers = Map::new();
    for holding in view.position.iter().flat_map(|p| &p.0) {
        let power = view.seats.get(holding.seat).map_or("", |s| s.name.as_str());
        for unit in &holding.units {
            let (kind, place) = unit.split_once(' ').unwrap_or(("", unit));
            units.push(json!({"power": power, "type": kind, "place": place}));
        }
        for center in &holding.centers {
            centers.insert(center.clone(), power.into());
        }
    }
    centers.sort_keys();
    let powers: Vec<Value> = view
        .seats
        .iter()
        .map(|s| json!({"name": s.name, "abbrev": s.abbrev, "seat": s.seat, "centers": s.centers, "units": s.units}))
        .collect();
    let has_board = open && view.position.is_some();
    let document = json!({
        "schema": "chancery.game/1",
        "judge": frame.id,
        "game": card.game,
        "family": "diplomacy",
        "variant": card.variant,
        "map": card.map,
        "state": card.state,
        "private": card.private,
        "phase": {"abbr": card.phase.abbr, "name": card.phase.name, "type": card.phase.kind, "number": if open { json!(view.number) } else { Value::Null }},
        "deadline": card.deadline.as_ref().map(|d| &d.iso),
        "zone": card.zone,
        "locked": card.locked,
        "ready": card.ready,
        "unordered": card.unordered,
        "waiting": card.waiting,
        "late": card.late,
        "powers": powers,
        "units": if has_board { Value::Array(units) } else { Value::Null },
        "centers": if has_board { Value::Object(centers) } else { Value::Null },
        "openings": card.openings,
        "rules": if card.scope == Scope::Unlisted { Value::Null } else { json!(card.rules) },
        "press": if card.scope == Scope::Unlisted { Value::Null } else { json!(card.press) },
        "phases": view.phases.iter().map(|p| p.name.abbr.as_str()).collect::<Vec<_>>(),
        "outcome": card.outcome,
        "seq": card.seq,
        "changed": rfc3339(&card.changed),
        "links": {
            "page": format!("{base}{}", card.url()),
            "feed": format!("{base}{}feed.atom", card.url()),
            "map": view.now.exists().then(|| format!("{base}{}m/now.svg", card.url())),
        },
    });
    bytes(&document)
}

/// `index.json`
pub fn index(cards: &[&Card], frame: &Frame) -> Vec<u8> {
    let games: Vec<Value> = cards
        .iter()
        .map(|c| {
            json!({
                "game": c.game, "variant": c.variant, "map": c.map, "state": c.state, "private": c.private,
                "phase": c.phase.abbr, "deadline": c.deadline.as_ref().map(|d| &d.iso),
                "openings": if c.is_open() { c.places + c.openings.len() } else { 0 }, "seq": c.seq,
            })
        })
        .collect();
    bytes(&json!({"schema": "chancery.index/1", "judge": frame.id, "games": games}))
}

/// JSON as filed: readable, with a newline at the end.
pub fn bytes(value: &Value) -> Vec<u8> {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text.into_bytes()
}
