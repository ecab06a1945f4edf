//! One phase of a game as data: a position and orders as text in, results and the next position as text out
//! (operations.md OPS-010). Orders are read one by one; one that cannot be read or is illegal is ignored and
//! listed, and the phase is played with the rest.

use super::calendar::{Season, advance, goal, scores, short};
use super::wording::{Line, Reader};
use super::{
    Adjustment, Board, Dislodged, Estates, Fate, Piece, Position, Profile, RetreatFate, Retreats, Setup, SetupError,
    Workspace, all_due,
};
use crate::diplomacy::map::{Map, PowerId};
use crate::diplomacy::notation::{self, AdjustOrder, RetreatOrder};
use crate::diplomacy::order::Order;
use crate::diplomacy::orders::Lexicon;
use crate::diplomacy::phase::Phase;
use crate::diplomacy::rules::{Rule, Rules};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// Lists of texts by power.
pub type ByPower = BTreeMap<String, Vec<String>>;
/// Retreats of dislodged units, by power and unit.
pub type OpenRetreats = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// What is asked.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Case {
    /// Map name.
    #[serde(default)]
    pub map: Option<String>,
    /// Short form of the phase.
    pub phase: String,
    /// Centres needed to win; else the map's.
    #[serde(default)]
    pub victory: Option<u16>,
    /// RULE names.
    #[serde(default)]
    pub rules: Vec<String>,
    /// Units, dislodged ones not included.
    #[serde(default)]
    pub units: ByPower,
    /// Dislodged units and their retreats.
    #[serde(default)]
    pub dislodged: OpenRetreats,
    /// Owned centres.
    #[serde(default)]
    pub centers: ByPower,
    /// Orders; `null`: none.
    #[serde(default)]
    pub orders: BTreeMap<String, Option<Vec<String>>>,
}

/// What came of it.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct Answer {
    /// Codes by unit.
    pub results: BTreeMap<String, Vec<&'static str>>,
    /// Short form of the next phase, or `COMPLETED`.
    pub next_phase: String,
    /// Units, by power; every power is listed.
    pub units: ByPower,
    /// Dislodged units and their retreats.
    pub dislodged: OpenRetreats,
    /// Centres, by power; every power is listed.
    pub centers: ByPower,
    /// Builds (positive) and removals due, if an adjustment is next.
    pub builds: BTreeMap<String, i32>,
    /// Dislodged units with nowhere to go.
    pub destroyed: Vec<String>,
    /// Orders ignored.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub illegal: ByPower,
}

/// Why a case cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaseError {
    /// Not a phase of the map.
    #[error("bad phase: {0}")]
    Phase(String),
    /// Not the name of a RULE.
    #[error("unknown rule: {0}")]
    Rule(String),
    /// The position is none.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// A map and its compiled board.
#[derive(Clone, Debug)]
pub struct Table {
    /// The map.
    pub map: Arc<Map>,
    /// Compiled.
    pub board: Arc<Board>,
    /// Its names, made when first needed.
    lexicon: Arc<OnceLock<Lexicon>>,
}

impl Table {
    /// Compiles a map.
    pub fn new(map: Map) -> Table {
        Table { board: Arc::new(Board::new(&map)), map: Arc::new(map), lexicon: Arc::default() }
    }
    /// The names of the map, for the generous reader of orders.
    pub(super) fn lexicon(&self) -> &Lexicon {
        self.lexicon.get_or_init(|| Lexicon::new(&self.map))
    }
}

/// The rules of those names.
pub fn rules_named<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Rules, CaseError> {
    names
        .into_iter()
        .filter(|n| !n.is_empty())
        .map(|n| Rule::named(n).ok_or_else(|| CaseError::Rule(n.into())))
        .collect()
}

/// The position of a case.
pub fn position(table: &Table, case: &Case, hibernating: bool) -> Result<Position, SetupError> {
    let board = &table.board;
    let mut setup = Setup::new().hibernating(hibernating);
    for (power, units) in &case.units {
        for unit in units {
            setup.read_unit(board, power, unit)?;
        }
        // A power without units must be known too.
        if board.power(power).is_none() {
            return Err(SetupError::UnknownPower(power.clone()));
        }
    }
    for (power, units) in &case.dislodged {
        for (unit, open) in units {
            setup.read_dislodged(board, power, unit, open.iter().map(String::as_str))?;
        }
    }
    for (power, centers) in &case.centers {
        for center in centers {
            setup.read_center(board, power, center)?;
        }
    }
    if let Some(power) = case.orders.keys().find(|p| board.power(p).is_none()) {
        return Err(SetupError::UnknownPower(power.clone()));
    }
    Position::new(board, &setup)
}

/// Plays a phase with the rules of the case.
pub fn play(table: &Table, case: &Case, memory: &mut Workspace) -> Result<Answer, CaseError> {
    let profile = Profile::new(rules_named(case.rules.iter().map(String::as_str))?);
    play_with(table, case, &profile, memory)
}

/// Plays a phase under a profile.
pub fn play_with(table: &Table, case: &Case, profile: &Profile, memory: &mut Workspace) -> Result<Answer, CaseError> {
    let phase = table.map.flow.parse_short(&case.phase).ok_or_else(|| CaseError::Phase(case.phase.clone()))?;
    let position = position(table, case, profile.has(Rule::Hibernate))?;
    let mut round = Round::new(table, case, profile, &position, &phase);
    let next = round.play(memory).ok_or_else(|| CaseError::Phase(case.phase.clone()))?;
    Ok(round.finish(next))
}

/// Plays one phase and stops before what follows it: the next position, and the units with no retreat.
pub(super) fn play_alone(
    table: &Table,
    case: &Case,
    profile: &Profile,
    phase: &Phase,
    memory: &mut Workspace,
) -> Result<(Position, Vec<Piece>), CaseError> {
    let position = position(table, case, profile.has(Rule::Hibernate))?;
    let mut round = Round::new(table, case, profile, &position, phase);
    let next = round.play(memory).ok_or_else(|| CaseError::Phase(case.phase.clone()))?;
    Ok((next, round.destroyed))
}

/// A phase being played.
struct Round<'a> {
    table: &'a Table,
    profile: &'a Profile,
    case: &'a Case,
    position: &'a Position,
    phase: &'a Phase,
    estates: Estates,
    answer: Answer,
    destroyed: Vec<Piece>,
}

impl<'a> Round<'a> {
    fn new(
        table: &'a Table,
        case: &'a Case,
        profile: &'a Profile,
        position: &'a Position,
        phase: &'a Phase,
    ) -> Round<'a> {
        let estates = Estates::of(&table.map);
        Round { table, profile, case, position, phase, estates, answer: Answer::default(), destroyed: Vec::new() }
    }

    /// Plays the phase; `None` if it is not one of the three kinds.
    fn play(&mut self, memory: &mut Workspace) -> Option<Position> {
        match self.phase.letter() {
            'M' => Some(self.movement(memory)),
            'R' => Some(self.retreats()),
            'A' => Some(self.adjustment()),
            _ => None,
        }
    }

    fn board(&self) -> &Board {
        &self.table.board
    }

    fn unit(&self, piece: Piece) -> String {
        notation::unit(self.board(), piece.unit)
    }

    /// Reads every line and hands each of its orders to `take`, which says whether it counts; a line that is not
    /// understood or has an order that does not count is listed as illegal.
    fn each_order(&mut self, mut take: impl FnMut(PowerId, Line) -> bool) {
        let reader = Reader::new(self.table, self.position, self.phase, &self.profile.rules, &self.estates);
        for (key, lines) in &self.case.orders {
            let Some(power) = self.table.board.power(key) else { continue };
            for text in lines.iter().flatten() {
                let (orders, mut whole) = reader.read_order(power, text);
                for order in orders {
                    whole &= matches!(order, Line::Nothing) || take(power, order);
                }
                if !whole {
                    self.answer.illegal.entry(key.clone()).or_default().push(text.clone());
                }
            }
        }
    }

    fn movement(&mut self, memory: &mut Workspace) -> Position {
        let mut movement = memory.movement(self.profile, self.position);
        let mut ordered: BTreeMap<usize, Order> = BTreeMap::new();
        self.each_order(|power, line| {
            let Line::Movement(written) = line else { return false };
            let Ok(index) = movement.find(power, written.unit) else { return false };
            // The first order of a unit stands; a second, different one is refused (orders.md 5.2).
            if let Some(first) = ordered.get(&index) {
                return *first == written.order;
            }
            let accepted = movement.written(power, &written).is_ok();
            if accepted {
                ordered.insert(index, written.order);
            }
            accepted
        });
        let resolution = movement.resolve();
        let (next, destroyed) = resolution.outcome();
        for (index, piece) in self.position.pieces().iter().enumerate() {
            let codes = resolution.verdict(index).codes().collect();
            self.answer.results.insert(self.unit(*piece), codes);
        }
        self.list_needless(&resolution);
        self.destroyed = destroyed.iter().map(|d| d.piece).collect();
        next
    }

    /// Convoy orders on no route without detours pass the door and are ignored afterwards (D24).
    fn list_needless(&mut self, resolution: &super::Resolution) {
        for (index, piece) in self.position.pieces().iter().enumerate() {
            if resolution.verdict(index).fate != Fate::Needless {
                continue;
            }
            let key = self.board().power_key(piece.power).to_owned();
            let lines = self.case.orders.get(&key).into_iter().flatten().flatten();
            let mine = |text: &&String| {
                notation::read_movement(self.board(), text)
                    .is_some_and(|w| self.position.at(self.board().province(w.unit.at)) == Some(index))
            };
            if let Some(text) = lines.into_iter().find(mine) {
                self.answer.illegal.entry(key).or_default().push(text.clone());
            }
        }
    }

    fn retreats(&mut self) -> Position {
        let mut retreats = Retreats::new(self.profile, self.position);
        let mut ordered: BTreeMap<usize, RetreatOrder> = BTreeMap::new();
        self.each_order(|power, line| {
            let Line::Retreat(written) = line else { return false };
            let Ok(index) = retreats.find(power, written.unit) else { return false };
            if let Some(first) = ordered.get(&index) {
                return *first == written.order;
            }
            let accepted = retreats.order(power, written.unit, written.order).is_ok();
            if accepted {
                ordered.insert(index, written.order);
            }
            accepted
        });
        let (fates, next) = retreats.resolve();
        for (unit, fate) in self.position.dislodged().iter().zip(fates) {
            let codes = RetreatFate::codes(fate).to_vec();
            self.answer.results.insert(self.unit(unit.piece), codes);
        }
        next
    }

    fn adjustment(&mut self) -> Position {
        let estates = self.estates.clone();
        let mut adjustment = Adjustment::new(self.profile, self.position, &estates);
        self.each_order(|power, line| {
            let Line::Adjustment(order) = line else { return false };
            adjustment.order(power, order).is_ok()
        });
        let adjusted = adjustment.resolve();
        for (_, order) in &adjusted.ordered {
            if let AdjustOrder::Build(unit) | AdjustOrder::Remove(unit) = order {
                let text = notation::unit(self.board(), *unit);
                self.answer.results.insert(text, Vec::new());
            }
        }
        for piece in &adjusted.automatic {
            self.answer.results.insert(self.unit(*piece), Vec::new());
        }
        adjusted.position
    }

    /// Goes on to the next phase that has to be played, and writes the position down.
    fn finish(mut self, mut next: Position) -> Answer {
        let last = scores(self.profile, self.position, &self.estates);
        let season = Season {
            profile: self.profile,
            flow: &self.table.map.flow,
            estates: &self.estates,
            last: &last,
            goal: self.case.victory.unwrap_or_else(|| {
                let years = (self.phase.year - self.table.map.begin.year).unsigned_abs() as usize;
                goal(&self.table.map, self.profile, years)
            }),
        };
        let went = advance(&season, &mut next, self.phase);
        self.answer.next_phase = match &went.phase {
            Some(phase) if went.victors.is_empty() => short(phase),
            _ => "COMPLETED".into(),
        };
        // At a victory what would have been due is recorded too.
        if !went.victors.is_empty() || went.phase.as_ref().is_some_and(|p| p.kind == "ADJUSTMENTS") {
            let due = all_due(self.profile, &next, &self.estates);
            self.answer.builds = due.iter().map(|d| (self.board().power_key(d.power).to_owned(), d.count)).collect();
        }
        self.answer.units = by_power(&next, |power| texts(&next, next.units(power)));
        let centers = |power| next.centers(power).map(|c| next.board().province_code(c).to_owned()).collect();
        self.answer.centers = by_power(&next, centers);
        self.answer.dislodged = open_retreats(&next, next.dislodged());
        self.answer.destroyed = self.destroyed.iter().map(|piece| self.unit(*piece)).collect();
        self.answer.destroyed.sort_unstable();
        self.answer
    }
}

fn by_power(position: &Position, list: impl Fn(PowerId) -> Vec<String>) -> ByPower {
    let powers = (0..position.board().powers() as u8).map(PowerId);
    powers.map(|p| (position.board().power_key(p).to_owned(), list(p))).collect()
}

fn texts(position: &Position, units: impl Iterator<Item = crate::diplomacy::position::Unit>) -> Vec<String> {
    units.map(|u| notation::unit(position.board(), u)).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Dislodged units of a position and their retreats, as text.
pub fn open_retreats(position: &Position, units: &[Dislodged]) -> OpenRetreats {
    let board = position.board();
    let mut open = OpenRetreats::new();
    for unit in units {
        let places = position.retreats(unit).iter().map(|l| board.code(*l).to_owned()).collect();
        let key = board.power_key(unit.piece.power).to_owned();
        open.entry(key).or_default().insert(notation::unit(board, unit.piece.unit), places);
    }
    open
}
