//! Whole games as JSON, in the format that the Python `diplomacy` package and the programs around it exchange
//! (saved-game-json.md): reading, checking against a map, replaying, writing. Text in, text out; no files.
//!
//! Writing keeps the order of powers, units and phases as they are given, so that one state has one text.

mod lines;
mod ordered;
mod words;

pub use lines::nth_object;
pub use ordered::Ordered;
pub use words::{Exported, export_order, import_order};

use super::adjudicate::Workspace;
use super::adjudicate::case::{self, Answer, ByPower, Case, CaseError, OpenRetreats, Table};
use super::map::{Map, Question};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Longest text of one game (saved-game-json.md 5).
pub const LONGEST: usize = 64 << 20;
/// Most phases of one game.
pub const MOST_PHASES: usize = 2000;
/// Name of the phase that ends a finished game.
pub const COMPLETED: &str = "COMPLETED";

/// A whole game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedGame {
    /// Game name.
    pub id: String,
    /// Map name.
    pub map: String,
    /// RULE names.
    #[serde(default)]
    pub rules: Vec<String>,
    /// Every phase, oldest first; the last is not yet processed, or `COMPLETED`.
    pub phases: Vec<SavedPhase>,
    /// What only chancery writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chancery: Option<Extra>,
}

/// A phase: the position at its start, the orders given in it, what came of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedPhase {
    /// `S1901M`, or `COMPLETED`.
    pub name: String,
    /// The position at the start.
    pub state: State,
    /// Orders; `null`: none were given.
    #[serde(default)]
    pub orders: Ordered<Option<Vec<String>>>,
    /// Codes by unit.
    #[serde(default)]
    pub results: Ordered<Vec<String>>,
    /// Press.
    #[serde(default)]
    pub messages: Vec<Message>,
}

/// A position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The phase again.
    pub name: String,
    /// Units; dislodged ones with a star in front.
    pub units: Ordered<Vec<String>>,
    /// Open retreats.
    #[serde(default)]
    pub retreats: Ordered<Ordered<Vec<String>>>,
    /// Owned centres.
    pub centers: Ordered<Vec<String>>,
    /// Home centres; missing: the map's.
    #[serde(default, skip_serializing_if = "Ordered::is_empty")]
    pub homes: Ordered<Vec<String>>,
    /// Builds and removals due.
    #[serde(default, skip_serializing_if = "Ordered::is_empty")]
    pub builds: Ordered<Builds>,
    /// On the winners, in `COMPLETED`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Microseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
}

/// What is due in an adjustment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Builds {
    /// Builds, or removals as a negative number.
    pub count: i32,
    /// Sites.
    #[serde(default)]
    pub homes: Vec<String>,
}

/// A press message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// A power, or `SYSTEM`.
    pub sender: String,
    /// A power, or `GLOBAL`.
    pub recipient: String,
    /// Microseconds since 1970, unique in a game.
    pub time_sent: i64,
    /// The phase.
    pub phase: String,
    /// The text.
    pub message: String,
}

/// What only chancery writes; readers but us ignore it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extra {
    /// 1
    pub format: u32,
    /// Judge.
    #[serde(default)]
    pub judge: String,
    /// RFC 3339.
    #[serde(default)]
    pub deadline: Option<String>,
    /// Time zone.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub zone: String,
    /// TIMING.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub timing: String,
    /// Last phase and winners.
    #[serde(default)]
    pub result: Option<Vec<String>>,
    /// Written convoy paths: the canonical order by phase and unit.
    #[serde(default)]
    pub paths: BTreeMap<String, BTreeMap<String, String>>,
    /// Whether private press is contained.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
}

/// Why a saved game cannot be used: where, and what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SavedError {
    /// Not the JSON of a game.
    #[error("bad JSON: {0}")]
    Json(String),
    /// Too much of something.
    #[error("{0}")]
    Limit(String),
    /// A place of the game that is wrong.
    #[error("{place}: {what}")]
    Content {
        /// `phases[3].state.units.FRANCE`
        place: String,
        /// What is wrong there.
        what: String,
    },
}

impl SavedError {
    fn at(place: impl Into<String>, what: impl ToString) -> SavedError {
        SavedError::Content { place: place.into(), what: what.to_string() }
    }
}

impl SavedGame {
    /// Reads one game. An empty code, as some write for success, is none.
    pub fn read(text: &str) -> Result<SavedGame, SavedError> {
        if text.len() > LONGEST {
            return Err(SavedError::Limit(format!("{} bytes are more than {LONGEST}", text.len())));
        }
        let mut game: SavedGame = serde_json::from_str(text).map_err(|e| SavedError::Json(e.to_string()))?;
        if game.phases.len() > MOST_PHASES {
            return Err(SavedError::Limit(format!("{} phases are more than {MOST_PHASES}", game.phases.len())));
        }
        for (_, codes) in game.phases.iter_mut().flat_map(|phase| &mut phase.results.0) {
            codes.retain(|code| !code.is_empty());
        }
        Ok(game)
    }

    /// JSON on many lines, for reading.
    pub fn write_pretty(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// One line of JSON.
    pub fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Checks everything against the map: names and order of phases, powers, units, centres, homes, retreats.
    pub fn check(&self, table: &Table) -> Result<(), SavedError> {
        if self.id.is_empty() {
            return Err(SavedError::at("id", "empty"));
        }
        if self.phases.is_empty() {
            return Err(SavedError::at("phases", "empty"));
        }
        let flow = &table.map.flow;
        let mut before = None;
        for (at, phase) in self.phases.iter().enumerate() {
            let place = format!("phases[{at}]");
            let last = at + 1 == self.phases.len();
            if phase.name != COMPLETED || !last {
                let Some(this) = flow.parse_short(&phase.name) else {
                    return Err(SavedError::at(format!("{place}.name"), format!("bad phase: {}", phase.name)));
                };
                if before.as_ref().is_some_and(|before| flow.compare(before, &this) != Ordering::Less) {
                    let text = format!("{} cannot follow {}", phase.name, self.phases[at - 1].name);
                    return Err(SavedError::at(format!("{place}.name"), text));
                }
                before = Some(this);
            }
            phase.state.check(table, &format!("{place}.state"))?;
            // Codes are printed in reports, where a line that looks like a heading would be taken for one.
            let printable = |code: &String| !code.contains(char::is_control);
            if let Some((unit, _)) = phase.results.0.iter().find(|(_, codes)| !codes.iter().all(printable)) {
                let place = format!("{place}.results.{}", unit.escape_debug());
                return Err(SavedError::at(place, "a code with a control character"));
            }
            for (power, _) in &phase.orders.0 {
                if table.board.power(power).is_none() {
                    return Err(SavedError::at(format!("{place}.orders"), format!("unknown power: {power}")));
                }
            }
        }
        self.check_powers(table)?;
        self.check_result(table)
    }

    /// Every power of the map has to be somewhere in the game: else it was played on another map of that name.
    fn check_powers(&self, table: &Table) -> Result<(), SavedError> {
        let mut named: BTreeSet<&str> = BTreeSet::new();
        for phase in &self.phases {
            let keys = phase.state.units.0.iter().map(|(k, _)| k).chain(phase.state.centers.0.iter().map(|(k, _)| k));
            named.extend(keys.chain(phase.orders.0.iter().map(|(k, _)| k)).map(String::as_str));
        }
        match table.map.powers.iter().find(|p| !named.contains(p.key.as_str())) {
            Some(power) => {
                let text = format!("the map {} has {}, which is not in the game", self.map, power.key);
                Err(SavedError::at("map", text))
            }
            None => Ok(()),
        }
    }

    fn check_result(&self, table: &Table) -> Result<(), SavedError> {
        let Some(result) = self.chancery.as_ref().and_then(|c| c.result.as_ref()) else { return Ok(()) };
        match result.split_first() {
            Some((phase, victors)) if table.map.flow.parse_short(phase).is_some() && !victors.is_empty() => {
                match victors.iter().find(|v| table.board.power(v).is_none()) {
                    Some(power) => Err(SavedError::at("chancery.result", format!("unknown power: {power}"))),
                    None => Ok(()),
                }
            }
            _ => Err(SavedError::at("chancery.result", "want the last phase and the winners")),
        }
    }

    /// The case a phase asks the adjudicator, written paths restored; `None` for the unprocessed end.
    pub fn case(&self, index: usize) -> Option<Case> {
        let phase = self.phases.get(index).filter(|_| index + 1 < self.phases.len())?;
        let paths = self.chancery.as_ref().and_then(|c| c.paths.get(&phase.name));
        let restore = |text: &String| {
            let unit = text.splitn(3, ' ').take(2).collect::<Vec<_>>().join(" ");
            let written = paths.and_then(|p| p.get(&unit)).filter(|w| ends_alike(w, text));
            written.unwrap_or(text).clone()
        };
        let orders = phase
            .orders
            .0
            .iter()
            .map(|(power, lines)| (power.clone(), lines.as_ref().map(|lines| lines.iter().map(restore).collect())));
        Some(Case {
            map: Some(self.map.clone()),
            phase: phase.name.clone(),
            victory: None,
            rules: Vec::new(),
            units: phase.state.standing(),
            dislodged: phase.state.open_retreats(),
            centers: phase.state.centers.0.iter().cloned().collect(),
            orders: orders.collect(),
        })
    }

    /// Adjudicates every processed phase anew and says where the record first differs.
    pub fn verify(&self, table: &Table, rules: &[String], memory: &mut Workspace) -> Result<Option<String>, CaseError> {
        for at in 0..self.phases.len() {
            let Some(mut case) = self.case(at) else { break };
            case.rules = rules.to_vec();
            let answer = case::play(table, &case, memory)?;
            if let Some(difference) = self.phases[at + 1].differs(&answer) {
                return Ok(Some(format!("phases[{at}] {}: {difference}", case.phase)));
            }
        }
        Ok(None)
    }
}

/// Whether a written path is of the same move as an order: the same last place.
fn ends_alike(written: &str, text: &str) -> bool {
    let last = |t: &str| t.trim_end_matches(" VIA").rsplit(' ').next().unwrap_or_default().to_owned();
    last(written) == last(text)
}

impl SavedPhase {
    /// Makes a phase from what the adjudicator was asked and answered (`None`: not yet processed). `canonical`
    /// orders become the words of the format; written paths are returned for [`Extra::paths`].
    pub fn of(table: &Table, case: &Case, answer: Option<&Answer>) -> (SavedPhase, BTreeMap<String, String>) {
        let letter = case.phase.chars().last().unwrap_or('M');
        let mut paths = BTreeMap::new();
        let powers: Vec<&String> = table.map.powers.iter().map(|p| &p.key).collect();
        let orders = powers.iter().map(|power| {
            let lines = case.orders.get(*power).and_then(Option::as_ref).map(|lines| {
                let mut texts = Vec::new();
                for line in lines {
                    let Some(order) = export_order(table, letter, line) else { continue };
                    if let Some((unit, path)) = order.path {
                        paths.insert(unit, path);
                    }
                    texts.push(order.text);
                }
                texts
            });
            ((*power).clone(), lines)
        });
        let orders = orders.collect();
        let results = answer.map(|a| {
            a.results
                .iter()
                .map(|(unit, codes)| (unit.clone(), codes.iter().map(|c| (*c).to_owned()).collect()))
                .collect()
        });
        let state = State::of(&table.map, &case.phase, &case.units, &case.dislodged, &case.centers);
        let phase = SavedPhase {
            name: case.phase.clone(),
            state,
            orders,
            results: results.unwrap_or_default(),
            messages: Vec::new(),
        };
        (phase, paths)
    }

    /// The end of a game.
    pub fn completed(table: &Table, answer: &Answer, note: &str) -> SavedPhase {
        let mut state = State::of(&table.map, COMPLETED, &answer.units, &answer.dislodged, &answer.centers);
        state.note = note.to_owned();
        let orders = table.map.powers.iter().map(|p| (p.key.clone(), None)).collect();
        SavedPhase { name: COMPLETED.into(), state, orders, ..SavedPhase::default() }
    }

    /// The first difference between this phase's position and an answer.
    fn differs(&self, answer: &Answer) -> Option<String> {
        let set = |list: Option<&Vec<String>>| list.into_iter().flatten().cloned().collect::<BTreeSet<String>>();
        // A game may be ended by agreement in any phase.
        if self.name != answer.next_phase && self.name != COMPLETED {
            return Some(format!("next phase {}, adjudicated {}", self.name, answer.next_phase));
        }
        let units = self.state.standing();
        for (power, mine) in &answer.units {
            let (theirs, mine) = (set(units.get(power)), set(Some(mine)));
            if theirs != mine {
                return Some(format!("units of {power} {theirs:?}, adjudicated {mine:?}"));
            }
        }
        for (power, mine) in &answer.centers {
            let (theirs, mine) = (set(self.state.centers.get(power)), set(Some(mine)));
            if theirs != mine {
                return Some(format!("centres of {power} {theirs:?}, adjudicated {mine:?}"));
            }
        }
        let theirs = self.state.open_retreats();
        // A unit with nowhere to go may be recorded as dislodged without retreats, or not at all.
        let sorted = |open: &OpenRetreats| -> BTreeMap<(String, String), BTreeSet<String>> {
            let units = open.iter().flat_map(|(p, units)| units.iter().map(move |(u, l)| (p, u, l)));
            let units = units.filter(|(_, _, l)| !l.is_empty());
            units.map(|(p, u, l)| ((p.clone(), u.clone()), l.iter().cloned().collect())).collect()
        };
        let (theirs, mine) = (sorted(&theirs), sorted(&answer.dislodged));
        (theirs != mine).then(|| format!("retreats {theirs:?}, adjudicated {mine:?}"))
    }
}

impl State {
    /// A position in the words of the format, powers in map order.
    pub fn of(map: &Map, name: &str, units: &ByPower, dislodged: &OpenRetreats, centers: &ByPower) -> State {
        let powers = || map.powers.iter().map(|p| p.key.clone());
        let list = |of: &ByPower, power: &str| of.get(power).cloned().unwrap_or_default();
        let with_stars = |power: String| {
            let stars = dislodged.get(&power).into_iter().flatten().map(|(unit, _)| format!("*{unit}"));
            let all = list(units, &power).into_iter().chain(stars).collect();
            (power, all)
        };
        let open = |power: String| {
            let units = dislodged.get(&power).into_iter().flatten();
            let units = units.map(|(unit, places)| (unit.clone(), places.clone())).collect();
            (power, units)
        };
        let home = |p: &super::map::Power| {
            (p.key.clone(), p.homes.iter().map(|h| map[*h].code.clone()).collect::<Vec<String>>())
        };
        State {
            name: name.to_owned(),
            units: powers().map(with_stars).collect(),
            retreats: powers().map(open).collect(),
            centers: powers().map(|p| (p.clone(), list(centers, &p))).collect(),
            homes: map.powers.iter().map(home).collect(),
            ..State::default()
        }
    }

    /// Units that stand, by power.
    pub fn standing(&self) -> ByPower {
        let plain = |units: &Vec<String>| units.iter().filter(|u| !u.starts_with('*')).cloned().collect();
        self.units.0.iter().map(|(power, units)| (power.clone(), plain(units))).collect()
    }

    /// Dislodged units with their retreats, by power; powers without are left out.
    pub fn open_retreats(&self) -> OpenRetreats {
        let mut open = OpenRetreats::new();
        for (power, units) in &self.units.0 {
            for unit in units.iter().filter_map(|u| u.strip_prefix('*')) {
                let places = self.retreats.get(power).and_then(|r| r.get(unit)).cloned().unwrap_or_default();
                open.entry(power.clone()).or_default().insert(unit.to_owned(), places);
            }
        }
        // Some writers give the retreats only.
        for (power, units) in &self.retreats.0 {
            for (unit, places) in &units.0 {
                open.entry(power.clone()).or_default().insert(unit.clone(), places.clone());
            }
        }
        open
    }

    fn check(&self, table: &Table, place: &str) -> Result<(), SavedError> {
        let known = |power: &str, part: &str| {
            let unknown = || SavedError::at(format!("{place}.{part}"), format!("unknown power: {power}"));
            table.board.power(power).ok_or_else(unknown)
        };
        let only = |part: &str, power: &str, case: Case| {
            case::position(table, &case, false)
                .map(|_| ())
                .map_err(|e| SavedError::at(format!("{place}.{part}.{power}"), short(&e.to_string(), power)))
        };
        let mut all = Case::default();
        for (power, units) in &self.units.0 {
            known(power, "units")?;
            let plain: Vec<String> = units.iter().filter(|u| !u.starts_with('*')).cloned().collect();
            only("units", power, Case { units: BTreeMap::from([(power.clone(), plain.clone())]), ..Case::default() })?;
            all.units.insert(power.clone(), plain);
        }
        for (power, units) in self.open_retreats() {
            known(&power, "retreats")?;
            let mine = OpenRetreats::from([(power.clone(), units.clone())]);
            only("retreats", &power, Case { dislodged: mine, ..Case::default() })?;
            for (unit, to) in units.iter().flat_map(|(unit, places)| places.iter().map(move |to| (unit, to))) {
                if !may_retreat(&table.map, unit, to) {
                    let text = format!("INVALID RETREAT: {unit} - {to}");
                    return Err(SavedError::at(format!("{place}.retreats.{power}"), text));
                }
            }
            all.dislodged.insert(power, units);
        }
        for (power, centers) in &self.centers.0 {
            known(power, "centers")?;
            let mine = BTreeMap::from([(power.clone(), centers.clone())]);
            only("centers", power, Case { centers: mine, ..Case::default() })?;
            all.centers.insert(power.clone(), centers.clone());
        }
        for (power, homes) in &self.homes.0 {
            known(power, "homes")?;
            if let Some(home) = homes.iter().find(|h| table.map.province(h).is_none_or(|p| table.map[p].code != **h)) {
                return Err(SavedError::at(format!("{place}.homes.{power}"), format!("unknown place: {home}")));
            }
        }
        // What is wrong only between powers: two units in a place, a centre of two.
        case::position(table, &all, false).map(|_| ()).map_err(|e| SavedError::at(place, e))
    }
}

fn may_retreat(map: &Map, unit: &str, to: &str) -> bool {
    let Some(unit) = map.unit_of(unit) else { return false };
    map.location(to).is_some_and(|to| map.adjacent(Some(unit.kind), unit.at, Question::Move, to))
}

/// An error without the power, which the place names already.
fn short(error: &str, power: &str) -> String {
    error.replacen(&format!(": {power}: "), ": ", 1)
}
