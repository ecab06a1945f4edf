//! A game of this site as a saved game (saved-game-json.md 3).

use crate::diplomacy::adjudicate::case::Table;
use crate::diplomacy::adjudicate::short;
use crate::diplomacy::rules::Rule;
use crate::diplomacy::saved_game::{
    Builds, COMPLETED, Extra, Message, Ordered, SavedGame, SavedPhase, State, export_order,
};
use crate::status::Game;
use chrono::DateTime;
use serde_json::Value;
use std::collections::BTreeMap;

/// A phase as the archive has it.
pub struct Past<'a> {
    /// The board in that phase.
    pub table: &'a Table,
    /// The record: as in `results.jsonl`, or of the position alone.
    pub record: &'a Value,
    /// Builds and removals due, by power.
    pub dues: Vec<(String, i32, Vec<String>)>,
}

/// What is to be said of the whole game.
pub struct Given {
    /// The game as it is now: name, map, rules, result.
    pub game: Game,
    /// Identification of the judge.
    pub judge: String,
    /// The clock, if it runs: the deadline in RFC 3339, zone and TIMING.
    pub clock: Option<(Option<String>, String, String)>,
    /// Phases that were played, and the one that is being played, or COMPLETED.
    pub phases: Vec<SavedPhase>,
    /// Written convoy paths.
    pub paths: Paths,
    /// Messages, by phase as the archive writes it.
    pub messages: Vec<(String, Message)>,
    /// Whether private press of a running game is among them.
    pub private: bool,
}

/// The canonical order by phase and unit.
pub type Paths = BTreeMap<String, BTreeMap<String, String>>;

/// What could not be carried.
pub type Notes = Vec<String>;

/// What stands in the place of a build that nobody may know of yet.
const CONCEALED: &str = "BUILD HIDDEN";

/// The name a phase has in saved games: the year has four digits at least.
fn name_of(table: &Table, name: &str) -> String {
    table.map.flow.parse_short(name).map_or_else(|| name.to_owned(), |phase| short(&phase))
}

/// The microsecond at which the phase of a record was processed, if that is known.
pub fn moment(record: &Value) -> Option<i64> {
    let processed = record["processed"].as_str().filter(|_| record["undated"] != true)?;
    DateTime::parse_from_rfc3339(processed).ok().map(|time| time.timestamp_micros())
}

impl Past<'_> {
    /// A phase that was played.
    pub fn played(&self, paths: &mut Paths) -> SavedPhase {
        let mut phase = self.position();
        let letter = phase.name.chars().last().unwrap_or('M');
        let mut written = BTreeMap::new();
        let imported = self.record["imported"] == true;
        phase.orders = self.by_power(|key| {
            let given = strings(&self.record["given"][key]);
            let exported = given.iter().filter(|text| *text != CONCEALED).filter_map(|text| {
                let exported = export_order(self.table, letter, text.trim_end_matches(" HIDDEN"))?;
                written.extend(exported.path);
                Some(exported.text)
            });
            let exported: Vec<String> = exported.collect();
            let filed = &self.record["orders"][key];
            // What came with a saved game is in its words already, and may be no order at all.
            filed.is_array().then(|| if imported { strings(filed) } else { exported })
        });
        let results = self.record["results"].as_object().into_iter().flatten();
        phase.results = results.map(|(unit, codes)| (unit.clone(), strings(codes))).collect();
        phase.state.timestamp = moment(self.record);
        if !written.is_empty() {
            paths.insert(phase.name.clone(), written);
        }
        phase
    }

    /// The phase that is being played: nobody may know the orders.
    pub fn current(&self) -> SavedPhase {
        let mut phase = self.position();
        phase.orders = self.by_power(|_| None);
        phase
    }

    fn position(&self) -> SavedPhase {
        let name = name_of(self.table, self.record["name"].as_str().unwrap_or_default());
        let state = &self.record["state"];
        let list = |part: &str| self.by_power(|key| strings(&state[part][key]));
        let open = |key: &str| {
            let units = state["retreats"][key].as_object().into_iter().flatten();
            units.map(|(unit, places)| (unit.clone(), strings(places))).collect()
        };
        let due = |key: &str| {
            let due = self.dues.iter().find(|(power, _, _)| name.ends_with('A') && power == key);
            due.map_or_else(Builds::default, |(_, count, homes)| Builds { count: *count, homes: homes.clone() })
        };
        let state = State {
            name: name.clone(),
            units: list("units"),
            retreats: self.by_power(open),
            centers: list("centers"),
            homes: list("homes"),
            builds: self.by_power(due),
            ..State::default()
        };
        SavedPhase { name, state, ..SavedPhase::default() }
    }

    /// Something of every power, in map order.
    fn by_power<V>(&self, mut of: impl FnMut(&str) -> V) -> Ordered<V> {
        self.table.map.powers.iter().map(|power| (power.key.clone(), of(&power.key))).collect()
    }
}

/// The position where a game ends, or where the giving does.
pub fn last_phase(past: &Past, game: &Game) -> SavedPhase {
    let mut phase = past.current();
    if phase.name == COMPLETED {
        let victors = game.result.as_ref().map(|result| result.victors.as_slice()).unwrap_or_default();
        phase.state.note = match victors {
            [] => String::new(),
            [one] => format!("Victory by: {one}"),
            several => format!("Draw between: {}", several.join(", ")),
        };
    }
    phase
}

/// The saved game.
pub fn give(given: Given, table: &Table) -> (SavedGame, Notes) {
    let game = given.game;
    let over = given.phases.last().is_some_and(|phase| phase.name == COMPLETED);
    // EAVESDROP is nobody's to know while the game goes on (rules.md 2.3).
    let told = |rule: &&String| over || *rule != Rule::Eavesdrop.name();
    let mut notes = Vec::new();
    if !game.morph.is_empty() {
        notes.push(format!("MORPH lines are not carried: the board is not quite the map {}", game.map));
    }
    let mut phases = given.phases;
    for phase in &mut phases {
        let mine = given.messages.iter().filter(|(of, _)| name_of(table, of) == phase.name);
        phase.messages = mine.map(|(_, m)| Message { phase: phase.name.clone(), ..m.clone() }).collect();
    }
    let result =
        game.result.as_ref().filter(|_| over).map(|result| {
            std::iter::once(name_of(table, &result.phase)).chain(result.victors.iter().cloned()).collect()
        });
    let (deadline, zone, timing) = given.clock.unwrap_or_default();
    let extra = Extra {
        format: 1,
        judge: given.judge,
        deadline,
        zone,
        timing,
        result,
        paths: given.paths,
        private: given.private,
    };
    let rules = game.rules.iter().filter(told).cloned().collect();
    (SavedGame { id: game.name, map: game.map, rules, phases, chancery: Some(extra) }, notes)
}

/// A list of strings.
fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}
