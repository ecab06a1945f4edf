//! Finished phases as objects (saved-game-json.md 1.1), for `results.jsonl`, pages and pictures. Beside its keys each has
//! `after` (units and centres when the phase was over) and `given` (the orders in canonical text).

use super::Diplomacy;
use super::bulletin::{View, knows_center};
use crate::diplomacy::draw;
use crate::diplomacy::map::Map;
use crate::diplomacy::sight::Watch;
use crate::referee::Look;
use crate::status::Game;
use serde_json::{Map as Object, Value, json};
use std::collections::BTreeMap;

/// Orders and results while a phase is being played.
#[derive(Default)]
pub struct Orders {
    canonical: BTreeMap<String, Vec<String>>,
    given: BTreeMap<String, bool>,
    results: Object<String, Value>,
}

impl Orders {
    /// Notes whether a power handed in anything.
    pub fn given(&mut self, power: &str, any: bool) {
        self.given.insert(power.to_string(), any);
    }
    /// Adds an order in canonical text.
    pub fn push(&mut self, power: &str, text: &str) {
        self.canonical.entry(power.to_string()).or_default().push(text.to_string());
    }
    /// Adds the result of a unit.
    pub fn result(&mut self, unit: &str, codes: &[&str]) {
        self.results.insert(unit.to_string(), json!(codes));
    }
    /// Writes them into the phase object.
    pub fn write(self, record: &mut Value) {
        let mut orders = Object::new();
        let mut given = Object::new();
        for (power, any) in &self.given {
            let list = self.canonical.get(power).cloned().unwrap_or_default();
            let said: Vec<String> = list.iter().filter_map(|o| in_record_words(o)).collect();
            orders.insert(power.clone(), if *any { json!(said) } else { Value::Null });
            given.insert(power.clone(), json!(list));
        }
        if let Some(object) = record.as_object_mut() {
            object.insert("orders".into(), Value::Object(orders));
            object.insert("results".into(), Value::Object(self.results));
            object.insert("given".into(), Value::Object(given));
        }
    }
}

/// Canonical text in the words of saved games (saved-game-json.md 2); `None`: left out there.
pub fn in_record_words(order: &str) -> Option<String> {
    if let Some(rest) = order.strip_prefix("RETREAT ") {
        return Some(rest.replace(" - ", " R "));
    }
    if let Some(unit) = order.strip_prefix("DISBAND ").or_else(|| order.strip_prefix("REMOVE ")) {
        return Some(format!("{unit} D"));
    }
    if order == "BUILD WAIVED" {
        return Some("WAIVE".into());
    }
    if let Some(unit) = order.strip_prefix("BUILD ") {
        return Some(format!("{} B", unit.trim_end_matches(" HIDDEN")));
    }
    let words: Vec<&str> = order.split(' ').collect();
    match words.as_slice() {
        [_, _, "P", ..] | [.., "?"] => None,
        // A written path: only its ends are said, and that it goes by convoy.
        [kind, from, "-", rest @ ..] if rest.contains(&"-") => {
            Some(format!("{kind} {from} - {} VIA", rest[rest.len() - 1]))
        }
        _ => Some(order.to_string()),
    }
}

/// The position at the start of the current phase.
pub fn position(referee: &Diplomacy, game: &Game) -> Value {
    let short = super::super::Referee::phase_short(referee, game);
    let mut units = Object::new();
    let mut retreats = Object::new();
    let mut centers = Object::new();
    let mut homes = Object::new();
    for (_, p) in referee.powers(game) {
        let dislodged = p.retreats.iter().map(|(u, _)| format!("*{u}"));
        let list: Vec<String> = p.units.iter().cloned().chain(dislodged).collect();
        units.insert(p.name.clone(), json!(list));
        if !p.retreats.is_empty() {
            let open: Object<String, Value> = p.retreats.iter().map(|(u, to)| (u.clone(), json!(to))).collect();
            retreats.insert(p.name.clone(), Value::Object(open));
        }
        let owned: Vec<&String> = p.owns.iter().filter(|c| !c.starts_with("SC")).collect();
        centers.insert(p.name.clone(), json!(owned));
        homes.insert(p.name.clone(), json!(p.inhabits.clone().unwrap_or_default()));
    }
    let state = json!({ "name": short, "units": units, "retreats": retreats, "centers": centers, "homes": homes });
    json!({ "name": short, "map": referee.map().name, "title": super::report_title(referee, game), "state": state })
}

/// The same as a power sees it in a blind game: its own, and what lies before its eyes.
pub fn position_seen(referee: &Diplomacy, game: &Game, seat: &str) -> Value {
    position(referee, &game_seen(referee, game, seat))
}

/// The game without what that power does not see of the board.
pub fn game_seen(referee: &Diplomacy, game: &Game, seat: &str) -> Game {
    let map = referee.map();
    let view = View::of(referee, game);
    let foreign_units = Watch::of(&referee.rules).foreign_units;
    let mut seen = game.clone();
    for p in &mut seen.participants {
        let Some(power) = map.power(&p.name) else { continue };
        let reader = map.power(seat);
        if reader.is_some_and(|reader| view.owns(power, reader)) {
            continue;
        }
        let shows = |text: &String| {
            let unit = map.named_unit(text).filter(|_| foreign_units && !p.hides.contains(text));
            let at = unit.zip(reader);
            at.is_some_and(|(unit, reader)| view.eyes(reader).see(unit.kind, map.province_of(unit.at)))
        };
        let units = p.units.iter().filter(|u| shows(u)).cloned().collect();
        let retreats = p.retreats.iter().filter(|(u, _)| shows(u)).map(|(u, _)| (u.clone(), Vec::new())).collect();
        let knows = |code: &String| {
            let center = map.province(code).zip(reader);
            center.is_some_and(|(center, reader)| knows_center(referee, game, &view, reader, center))
        };
        let owns = p.owns.iter().filter(|c| knows(c)).cloned().collect();
        (p.units, p.retreats, p.owns) = (units, retreats, owns);
        p.inhabits = None;
    }
    seen
}

/// Adds units and centres after the phase.
pub fn afterwards(referee: &Diplomacy, record: &mut Value, next: &Game) {
    let after = position(referee, next);
    if let Some(object) = record.as_object_mut() {
        object.insert("after".into(), after.get("state").cloned().unwrap_or(Value::Null));
    }
}

/// A list of strings in an object of lists.
fn strings(value: Option<&Value>) -> Vec<String> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(|v| v.as_str().map(str::to_string)).collect()
}

/// The codes of a power's supply centres.
type Centres = Vec<String>;

/// Centres by power after each year, in blocks of ten years, and the Calhamer index (notices.md 6).
pub fn summary(referee: &Diplomacy, game: &Game, records: &[Value]) -> Option<String> {
    let map = referee.map();
    let mut years: BTreeMap<i32, Vec<Option<Centres>>> = BTreeMap::new();
    for record in records {
        let name = record.get("name").and_then(Value::as_str).unwrap_or("");
        let Ok(year) = name.chars().filter(|c| c.is_ascii_digit()).collect::<String>().parse::<i32>() else { continue };
        let after = record.get("after").and_then(|a| a.get("centers"));
        // What a record does not tell its reader (a blind game) is not known.
        let owned = map.power_ids().map(|p| after.and_then(|a| a.get(&map[p].key)).map(|list| strings(Some(list))));
        years.insert(year, owned.collect());
    }
    if years.is_empty() || game.participants.is_empty() {
        return None;
    }
    let mut text = String::from("Centers by year:\n\n");
    let all: Vec<(i32, Vec<Option<Centres>>)> = years.into_iter().collect();
    for block in all.chunks(10) {
        text += &format!("{:<12}", "");
        for (year, _) in block {
            text += &format!(" {year:>5}");
        }
        text.push('\n');
        for power in map.power_ids() {
            text += &super::report::column(&map[power].title);
            for (_, owned) in block {
                text += &match owned.get(power.0 as usize).and_then(Option::as_ref).map(Vec::len) {
                    None => format!(" {:>5}", "?"),
                    Some(0) => format!(" {:>5}", "-"),
                    Some(count) => format!(" {count:>5}"),
                };
            }
            text.push('\n');
        }
        text += &super::report::column("Index");
        for (_, owned) in block {
            let Some(owned) = owned.iter().map(Option::as_ref).collect::<Option<Vec<&Centres>>>() else {
                text += &format!(" {:>5}", "?");
                continue;
            };
            let survivors = owned.iter().filter(|centres| !centres.is_empty()).count().max(1);
            let squares: usize = owned.iter().map(|centres| centres.len() * centres.len()).sum();
            text += &format!(" {:>5}", squares / survivors);
        }
        text += "\n\n";
    }
    text += &owners(map, &all);
    Some(text)
}

/// Centres side by side in the matrix of owners: their codes stand in two staggered rows.
const ABREAST: usize = 34;

/// Who owned which centre after which year: the owner's letter, `.` where there was none, `?` where the reader does not
/// know.
fn owners(map: &Map, all: &[(i32, Vec<Option<Centres>>)]) -> String {
    let centers: Vec<&str> = map.provinces.iter().filter(|p| p.center).map(|p| p.code.as_str()).collect();
    let mut text = String::from("Owners by year:\n");
    for block in centers.chunks(ABREAST) {
        let row = |odd: usize| block.iter().skip(odd).step_by(2).map(|code| format!("{code:<4}")).collect::<String>();
        text += &format!("\n      {}\n", row(0).trim_end());
        if block.len() > 1 {
            text += &format!("        {}\n", row(1).trim_end());
        }
        for (year, owned) in all {
            let mut line = format!("{year:<6}");
            for center in block {
                line.push(owner(map, owned, center));
                line.push(' ');
            }
            text += &format!("{}\n", line.trim_end());
        }
    }
    text
}

fn owner(map: &Map, owned: &[Option<Centres>], center: &str) -> char {
    let has = |list: &Option<Centres>| list.as_ref().is_some_and(|list| list.iter().any(|c| c == center));
    match map.power_ids().find(|p| owned.get(p.0 as usize).is_some_and(has)) {
        Some(power) => map[power].letter.unwrap_or('*'),
        None if owned.iter().any(Option::is_none) => '?',
        None => '.',
    }
}

/// A picture of the position at the start of the record's phase, with its orders and their outcomes if asked for.
pub fn picture(referee: &Diplomacy, record: &Value, look: &Look) -> Option<String> {
    let map = referee.map();
    if map.text_only {
        return None;
    }
    let exhibit = referee.compiled.exhibit();
    let mut picture = draw::Picture::empty(map, &exhibit.art);
    picture.colours = exhibit.colours.clone();
    let name = record.get("name").and_then(Value::as_str).unwrap_or("");
    let title = record.get("title").and_then(Value::as_str).unwrap_or(name);
    picture.title = title.to_string();
    picture.legend = true;
    picture.theme = draw::Theme::named(&look.theme).unwrap_or_default();
    picture.viewer = look.viewer.clone();
    picture.dummies = look.dummies.iter().filter_map(|key| map.power(key)).collect();
    picture.rulers = look.rulers.iter().filter_map(|(key, by)| Some((map.power(key)?, map.power(by)?))).collect();
    let state = record.get("state")?;
    let results = record.get("results");
    for power in map.power_ids() {
        let key = &map[power].key;
        for text in strings(state.get("units").and_then(|u| u.get(key))) {
            let (list, plain) = match text.strip_prefix('*') {
                Some(plain) => (&mut picture.dislodged, plain),
                None => (&mut picture.units, text.as_str()),
            };
            if let Some(unit) = map.named_unit(plain) {
                list.push(draw::Piece { power: Some(power), unit });
            }
        }
        for code in strings(state.get("centers").and_then(|c| c.get(key))) {
            if let Some(center) = map.province(&code) {
                picture.owners.push((center, power));
            }
        }
        if look.orders {
            for order in strings(record.get("given").and_then(|g| g.get(key))) {
                let outcome = strings(results.and_then(|r| r.get(unit_of(&order))));
                let words: Vec<&str> = outcome.iter().map(String::as_str).collect();
                picture.order(Some(power), &order, &words);
            }
        }
    }
    Some(draw::svg(&picture))
}

/// The unit a canonical order is for: `RETREAT A MUN - RUH`, `A PAR - BUR` → `A MUN`, `A PAR`.
pub(super) fn unit_of(order: &str) -> &str {
    let rest =
        ["RETREAT ", "DISBAND ", "BUILD ", "REMOVE "].iter().find_map(|w| order.strip_prefix(w)).unwrap_or(order);
    let end = rest.match_indices(' ').nth(1).map_or(rest.len(), |(at, _)| at);
    &rest[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_saved_games() {
        let said = |o: &str| in_record_words(o);
        assert_eq!(said("RETREAT A MUN - RUH").as_deref(), Some("A MUN R RUH"));
        assert_eq!(said("DISBAND A MUN").as_deref(), Some("A MUN D"));
        assert_eq!(said("BUILD F STP/NC").as_deref(), Some("F STP/NC B"));
        assert_eq!(said("A LON - NTH - NWY").as_deref(), Some("A LON - NWY VIA"));
        assert_eq!(said("A VIE P ITALY"), None);
        assert_eq!(unit_of("RETREAT F STP/SC - BOT"), "F STP/SC");
        assert_eq!(unit_of("BUILD WAIVED"), "WAIVED");
        assert_eq!(unit_of("A PAR H"), "A PAR");
    }
}
