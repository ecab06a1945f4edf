//! Whole games as JSON, in the format that the Python `diplomacy` package and the programs around it exchange
//! (saved-game-json.md): reading, checking against a map, replaying, writing. Text in, text out; no files.
//!
//! Writing keeps the order of powers, units and phases as they are given, so that one state has one text.

use super::adjudicate::Workspace;
use super::adjudicate::case::{self, Answer, ByPower, Case, CaseError, OpenRetreats, Table};
use super::map::{Map, UnitKind};
use super::notation;
use super::order::{Order, Route};
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;

/// Longest text of one game (saved-game-json.md 5).
pub const LONGEST: usize = 64 << 20;
/// Most phases of one game.
pub const MOST_PHASES: usize = 2000;

/// A JSON object in the order it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ordered<V>(pub Vec<(String, V)>);

impl<V> Default for Ordered<V> {
    fn default() -> Self {
        Ordered(Vec::new())
    }
}

impl<V> Ordered<V> {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&V> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<V> FromIterator<(String, V)> for Ordered<V> {
    fn from_iter<T: IntoIterator<Item = (String, V)>>(items: T) -> Self {
        Ordered(items.into_iter().collect())
    }
}

impl<V: Serialize> Serialize for Ordered<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            object.serialize_entry(key, value)?;
        }
        object.end()
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Ordered<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Object<V> {
            type Value = Ordered<V>;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = object.next_entry()? {
                    items.push(item);
                }
                Ok(Ordered(items))
            }
        }
        deserializer.deserialize_map(Object(PhantomData))
    }
}

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
    /// Reads one game.
    pub fn read(text: &str) -> Result<SavedGame, SavedError> {
        if text.len() > LONGEST {
            return Err(SavedError::Limit(format!("{} bytes are more than {LONGEST}", text.len())));
        }
        let game: SavedGame = serde_json::from_str(text).map_err(|e| SavedError::Json(e.to_string()))?;
        if game.phases.len() > MOST_PHASES {
            return Err(SavedError::Limit(format!("{} phases are more than {MOST_PHASES}", game.phases.len())));
        }
        Ok(game)
    }

    /// One line of JSON.
    pub fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Checks everything against the map: names of phases, powers, units, centres, retreats.
    pub fn check(&self, table: &Table) -> Result<(), SavedError> {
        if self.id.is_empty() {
            return Err(SavedError::at("id", "empty"));
        }
        if self.phases.is_empty() {
            return Err(SavedError::at("phases", "empty"));
        }
        for (at, phase) in self.phases.iter().enumerate() {
            let place = format!("phases[{at}]");
            let last = at + 1 == self.phases.len();
            let completed = phase.name == "COMPLETED";
            if completed && !last || !completed && table.map.flow.parse_short(&phase.name).is_none() {
                return Err(SavedError::at(format!("{place}.name"), format!("bad phase: {}", phase.name)));
            }
            phase.state.check(table, &format!("{place}.state"))?;
            for (power, _) in &phase.orders.0 {
                if table.board.power(power).is_none() {
                    return Err(SavedError::at(format!("{place}.orders"), format!("unknown power: {power}")));
                }
            }
        }
        Ok(())
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
        let mut state = State::of(&table.map, "COMPLETED", &answer.units, &answer.dislodged, &answer.centers);
        state.note = note.to_owned();
        let orders = table.map.powers.iter().map(|p| (p.key.clone(), None)).collect();
        SavedPhase { name: "COMPLETED".into(), state, orders, ..SavedPhase::default() }
    }

    /// The first difference between this phase's position and an answer.
    fn differs(&self, answer: &Answer) -> Option<String> {
        let set = |list: Option<&Vec<String>>| list.into_iter().flatten().cloned().collect::<BTreeSet<String>>();
        if self.name != answer.next_phase {
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
            all.dislodged.insert(power, units);
        }
        for (power, centers) in &self.centers.0 {
            known(power, "centers")?;
            let mine = BTreeMap::from([(power.clone(), centers.clone())]);
            only("centers", power, Case { centers: mine, ..Case::default() })?;
            all.centers.insert(power.clone(), centers.clone());
        }
        // What is wrong only between powers: two units in a place, a centre of two.
        case::position(table, &all, false).map(|_| ()).map_err(|e| SavedError::at(place, e))
    }
}

/// An error without the power, which the place names already.
fn short(error: &str, power: &str) -> String {
    error.replacen(&format!(": {power}: "), ": ", 1)
}

/// An order in the words of the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The order.
    pub text: String,
    /// A written path: the unit and its canonical order.
    pub path: Option<(String, String)>,
}

/// A canonical order (or one in the words of the format) in the words of the format; `None` for what they have no
/// words for (proxies, signals). Text that is no order is kept.
pub fn export_order(table: &Table, letter: char, text: &str) -> Option<Exported> {
    let board = &table.board;
    let plain = |text: String| Some(Exported { text, path: None });
    match letter {
        'M' => {
            let Some(written) = notation::read_movement(board, text) else {
                let left_out = text.ends_with(" ?") || text.split(' ').nth(2) == Some("P");
                return if left_out { None } else { plain(text.to_owned()) };
            };
            let Order::Move { to, route } = &written.order else {
                return plain(notation::movement(board, written.unit, &written.order));
            };
            let (from, into) = (board.province(written.unit.at), board.province(*to));
            let walks = table.map.army[from.0 as usize].iter().any(|(p, b)| *p == into && !b.closed);
            let convoyed = written.unit.kind == UnitKind::Army && (*route != Route::Any || !walks);
            let route = if convoyed { Route::Via } else { Route::Any };
            let out = notation::movement(board, written.unit, &Order::Move { to: *to, route });
            let canonical = || (notation::unit(board, written.unit), text.to_owned());
            let path = matches!(written.order, Order::Move { route: Route::Path(_), .. }).then(canonical);
            Some(Exported { text: out, path })
        }
        'R' => plain(match notation::read_retreat(board, text) {
            Some(w) => match w.order {
                notation::RetreatOrder::To(to) => {
                    format!("{} R {}", notation::unit(board, w.unit), board.code(to))
                }
                notation::RetreatOrder::Disband => format!("{} D", notation::unit(board, w.unit)),
            },
            None => text.to_owned(),
        }),
        _ => plain(match notation::read_adjustment(board, text) {
            Some(notation::AdjustOrder::Build(unit)) => format!("{} B", notation::unit(board, unit)),
            Some(notation::AdjustOrder::Remove(unit)) => format!("{} D", notation::unit(board, unit)),
            Some(notation::AdjustOrder::Waive) => "WAIVE".into(),
            None => text.to_owned(),
        }),
    }
}

/// The canonical text of an order in the words of the format; text that is no order is kept.
pub fn import_order(table: &Table, letter: char, text: &str) -> String {
    let board = &table.board;
    let canonical = match letter {
        'M' => notation::read_movement(board, text).map(|mut w| {
            if let Order::Move { to, route: route @ Route::Via } = &mut w.order {
                let (from, into) = (board.province(w.unit.at), board.province(*to));
                if !table.map.army[from.0 as usize].iter().any(|(p, b)| *p == into && !b.closed) {
                    *route = Route::Any;
                }
            }
            notation::movement(board, w.unit, &w.order)
        }),
        'R' => notation::read_retreat(board, text).map(|w| notation::retreat(board, w.unit, w.order)),
        _ => notation::read_adjustment(board, text).map(|o| notation::adjustment(board, o)),
    };
    canonical.unwrap_or_else(|| text.to_owned())
}
