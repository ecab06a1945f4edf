//! Runs a case of the DATC data (operations.md OPS-011): plays its movement phase, the retreats that follow, or its
//! adjustment, and says what differs first, in the order position, dislodged, legal, result, retreat, adjustment,
//! removals.

use super::case::Table;
use super::{
    Adjusted, Adjustment, Estates, Fate, Piece, Position, Profile, Removal, RetreatFate, Retreats, Setup, Verdict,
    Workspace,
};
use crate::diplomacy::map::PowerId;
use crate::diplomacy::notation::{self, AdjustOrder};
use serde::Deserialize;
use serde_json::{Map as Object, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Supports into split coasts that the old judge always voided, a defect: the DATC result counts.
const COAST_DEFECT: [&str; 7] = ["6.B.4", "6.B.7", "6.B.8", "6.B.9", "6.B.15", "6.D.23", "6.E.11"];
/// Orders the old judge took as void and chancery refuses (6.A.5).
const TAKEN_AS_VOID: [&str; 2] = ["F NTH C A YOR - YOR", "A LVP S A YOR - YOR"];

/// A file of cases.
#[derive(Debug, Deserialize)]
pub struct File {
    /// The cases, in order.
    pub cases: Vec<DatcCase>,
}

/// A case; parts that only some kinds have are kept as JSON.
#[derive(Debug, Deserialize)]
pub struct DatcCase {
    /// `6.A.1`
    pub id: String,
    /// Only in the `-v2` cases: the last version with them.
    #[serde(default)]
    pub until: Option<String>,
    /// `SPRING 1901 MOVEMENT`
    pub phase: String,
    units: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    centers: BTreeMap<String, Vec<String>>,
    /// Orders by power, in the order written.
    pub orders: Object<String, Value>,
    expected: Value,
    #[serde(default)]
    retreat: Option<Value>,
    #[serde(default)]
    choice: Vec<Value>,
    /// What the old judge did.
    #[serde(default)]
    pub dpjudge: Value,
}

/// The first thing that differs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: want {want}, got {got}")]
pub struct Difference {
    /// `position`, `dislodged`, `legal`, `result`, `retreat`, `adjustment`, `removals`, or `case`.
    pub what: &'static str,
    /// What the file says.
    pub want: String,
    /// What came of it.
    pub got: String,
}

pub(super) fn same(what: &'static str, want: &Value, got: &Value) -> Result<(), Difference> {
    if want == got { Ok(()) } else { Err(Difference { what, want: want.to_string(), got: got.to_string() }) }
}

fn malformed(got: impl ToString) -> Difference {
    Difference { what: "case", want: "a case".into(), got: got.to_string() }
}

/// An order played.
#[derive(Clone, Debug)]
pub struct Played {
    /// Its owner.
    pub power: String,
    /// As written.
    pub order: String,
    /// Whether it was possible.
    pub legal: bool,
    /// In the words of the file.
    pub result: &'static str,
    /// Whether the unit lost its place.
    pub dislodged: bool,
    /// Whether it went by convoy.
    pub by_convoy: bool,
    /// Annotations of a results report.
    pub codes: Vec<&'static str>,
}

/// A movement phase played.
pub struct Outcome {
    /// Orders in the order written.
    pub played: Vec<Played>,
    /// The position after the moves.
    pub position: Position,
    /// Dislodged units, in the words of the file.
    pub dislodged: Value,
    /// Vacant provinces closed by a standoff.
    pub contested: Vec<String>,
}

/// Runs a case under a profile made from `base` and compares it with what DATC says.
pub fn check(table: &Table, case: &DatcCase, base: &Profile, memory: &mut Workspace) -> Result<(), Difference> {
    let profile = Profile { removal: if case.until.is_some() { Removal::Homes } else { base.removal }, ..*base };
    if case.phase.ends_with("ADJUSTMENTS") {
        return check_adjustment(table, case, &profile);
    }
    let outcome = play_movement(table, case, &profile, memory, &[])?;
    check_movement(case, &outcome)?;
    match &case.retreat {
        Some(retreat) => check_retreat(&outcome, retreat, &profile),
        None => Ok(()),
    }
}

/// Runs a case as the old judge would and compares it with what the old judge did, its proven defects aside.
pub fn check_old(table: &Table, case: &DatcCase, old: &Profile, memory: &mut Workspace) -> Result<(), Difference> {
    if case.phase.ends_with("ADJUSTMENTS") {
        return check(table, case, old, memory);
    }
    if COAST_DEFECT.contains(&case.id.as_str()) {
        let outcome = play_movement(table, case, old, memory, &moves_as_sent(list(&case.dpjudge, "orders")))?;
        return check_movement(case, &outcome);
    }
    let sent = list(&case.dpjudge, "orders");
    let outcome = play_movement(table, case, old, memory, sent)?;
    let agrees = case.dpjudge["position_agrees"] == true;
    let source = if agrees { &case.expected } else { &case.dpjudge };
    same("position", &source["position"], &position_of(&outcome.position))?;
    let plain = |d: &Value| json!([d["unit"], d.get("retreats").cloned().unwrap_or(json!([]))]);
    let listed = |v: &Value| v.as_array().into_iter().flatten().map(plain).collect::<Vec<_>>();
    same("dislodged", &sorted(listed(&source["dislodged"])), &sorted(listed(&outcome.dislodged)))?;
    for (order, played) in sent.iter().zip(&outcome.played) {
        if TAKEN_AS_VOID.contains(&played.order.as_str()) {
            continue;
        }
        let want: BTreeSet<&str> = list(order, "marks").iter().filter_map(Value::as_str).collect();
        let got: BTreeSet<&str> = played.codes.iter().copied().collect();
        same("result", &json!([played.order, want]), &json!([played.order, got]))?;
    }
    Ok(())
}

/// An outcome the file gives for another option of an issue.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// `4.A.2`
    pub issue: &'a str,
    /// `all-hold`
    pub option: &'a str,
    said: &'a Value,
}

impl DatcCase {
    /// The outcomes under other options.
    pub fn choices(&self) -> impl Iterator<Item = Choice<'_>> {
        self.choice
            .iter()
            .filter_map(|said| Some(Choice { issue: said["issue"].as_str()?, option: said["option"].as_str()?, said }))
    }
}

/// Runs a case under a profile with one option chosen, and compares it with the outcome the file gives for that.
pub fn check_choice(
    table: &Table,
    case: &DatcCase,
    choice: Choice,
    profile: &Profile,
    memory: &mut Workspace,
) -> Result<(), Difference> {
    let said = choice.said;
    if case.phase.ends_with("ADJUSTMENTS") {
        let (adjusted, _) = play_adjustment(table, case, profile)?;
        same("position", &said["position"], &position_of(&adjusted.position))?;
        return same("removals", &said["automatic_removals"], &removed(&table.board, &adjusted.automatic));
    }
    let outcome = play_movement(table, case, profile, memory, &along(case, choice))?;
    if choice.issue == "4.A.5" {
        // What differs is the retreat phase.
        let retreat = case.retreat.as_ref().ok_or_else(|| malformed("no retreat"))?;
        let (results, next) = play_retreat(&outcome, retreat, profile)?;
        for changed in list(said, "changed_results") {
            let got = results.iter().find(|r| r[0] == changed["order"]).map_or(&Value::Null, |r| &r[1]);
            same("retreat", &changed["result"], got)?;
        }
        return same("position", &said["position"], &position_of(&next));
    }
    same("position", &said["position"], &position_of(&outcome.position))?;
    let plain = |d: &Value| json!([d["unit"], d.get("retreats").cloned().unwrap_or(json!([]))]);
    let listed = |v: &Value| sorted(v.as_array().into_iter().flatten().map(plain).collect());
    same("dislodged", &listed(&said["dislodged"]), &listed(&outcome.dislodged))
}

/// The orders with the path that an option of 4.A.6 writes out.
fn along(case: &DatcCase, choice: Choice) -> Vec<Value> {
    let Some(sea) = choice.option.strip_prefix("path-given-through-") else { return Vec::new() };
    let orders = case.orders.values().filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    let changed = |order: &str| list(choice.said, "changed_results").iter().any(|c| c["order"] == order);
    let written = orders.map(|order| match order.split_once(" - ") {
        Some((unit, to)) if changed(order) => json!({ "sent_as": format!("{unit} - {sea} - {to}") }),
        _ => Value::Null,
    });
    written.collect()
}

/// The orders as sent, but supports as written: the old judge refused their coasts.
fn moves_as_sent(sent: &[Value]) -> Vec<Value> {
    let support = |order: &Value| order["order"].as_str().is_some_and(|o| o.contains(" S "));
    sent.iter().map(|order| if support(order) { Value::Null } else { order.clone() }).collect()
}

/// Plays the movement phase of a case. `sent`: entries with the orders in the form they were sent in.
pub fn play_movement(
    table: &Table,
    case: &DatcCase,
    profile: &Profile,
    memory: &mut Workspace,
    sent: &[Value],
) -> Result<Outcome, Difference> {
    let board = &table.board;
    let position = read_position(table, &case.units, &case.centers)?;
    let mut movement = memory.movement(profile, &position);
    let mut lines = Vec::new();
    let mut ordered: BTreeMap<usize, String> = BTreeMap::new();
    for (power, orders) in &case.orders {
        let owner = board.power(power).ok_or_else(|| malformed(power))?;
        for order in orders.as_array().into_iter().flatten().filter_map(Value::as_str) {
            let form = sent.get(lines.len()).and_then(|s| s["sent_as"].as_str()).unwrap_or(order);
            let read = notation::read_movement(board, form);
            let index = read.as_ref().and_then(|w| movement.find(owner, w.unit).ok());
            let again = index.is_some_and(|i| ordered.get(&i).is_some_and(|o| o != form));
            let accepted = !again && read.is_some_and(|w| movement.written(owner, &w).is_ok());
            let stands = notation::read_movement(board, order).map(|w| w.unit);
            let index = index.or_else(|| stands.and_then(|u| movement.find(owner, u).ok()));
            if let (true, Some(index)) = (accepted, index) {
                ordered.insert(index, form.to_owned());
            }
            lines.push((power.clone(), order.to_owned(), accepted, index));
        }
    }
    let resolution = movement.resolve();
    let (next, destroyed) = resolution.outcome();
    let played = lines.into_iter().map(|(power, order, accepted, index)| {
        let verdict = index.map(|i| resolution.verdict(i));
        played(power, order, accepted, verdict)
    });
    let played = played.collect();
    let gone = destroyed.iter().map(|d| (d, true));
    let dislodged = next.dislodged().iter().map(|d| (d, false)).chain(gone).map(|(unit, destroyed)| {
        json!({
            "power": board.power_key(unit.piece.power),
            "unit": notation::unit(board, unit.piece.unit),
            "attacker": unit.attacker.map(|p| board.province_code(p)),
            "by_convoy": unit.by_convoy,
            "retreats": next.retreats(unit).iter().map(|l| board.code(*l)).collect::<Vec<_>>(),
            "destroyed": destroyed,
        })
    });
    let dislodged = sorted(dislodged.collect());
    let contested = resolution.contested().map(|p| board.province_code(p).to_owned()).collect();
    Ok(Outcome { played, dislodged, contested, position: next })
}

fn played(power: String, order: String, accepted: bool, verdict: Option<Verdict>) -> Played {
    let fate = verdict.map(|v| v.fate);
    let legal = accepted && fate != Some(Fate::Needless);
    Played {
        power,
        order,
        legal,
        result: fate.filter(|_| legal).map_or("illegal", word),
        dislodged: verdict.is_some_and(|v| v.dislodged),
        by_convoy: verdict.is_some_and(|v| v.by_convoy),
        codes: match verdict {
            Some(v) if accepted => v.codes().collect(),
            Some(v) if v.dislodged => vec!["dislodged"],
            _ => Vec::new(),
        },
    }
}

fn word(fate: Fate) -> &'static str {
    match fate {
        Fate::Stands => "stands",
        Fate::Moves => "succeeds",
        Fate::Bounces => "bounces",
        Fate::NoConvoy => "no-convoy",
        Fate::Given => "given",
        Fate::Cut => "cut",
        Fate::Void => "void",
        Fate::Available => "available",
        Fate::Disrupted => "disrupted",
        Fate::Needless => "illegal",
    }
}

fn check_movement(case: &DatcCase, outcome: &Outcome) -> Result<(), Difference> {
    let expected = &case.expected;
    same("position", &expected["position"], &position_of(&outcome.position))?;
    let dislodged = sorted(list(expected, "dislodged").to_vec());
    same("dislodged", &dislodged, &outcome.dislodged)?;
    same("dislodged", &expected["contested"], &json!(outcome.contested))?;
    let results = list(expected, "results");
    for (want, got) in results.iter().zip(&outcome.played) {
        same("legal", &json!([want["order"], want["legal"]]), &json!([got.order, got.legal]))?;
    }
    for (want, got) in results.iter().zip(&outcome.played) {
        let flag = |key: &str| want[key] == true;
        let wanted = json!([want["order"], want["result"], flag("dislodged"), flag("by_convoy")]);
        same("result", &wanted, &json!([got.order, got.result, got.dislodged, got.by_convoy]))?;
    }
    Ok(())
}

fn check_retreat(outcome: &Outcome, retreat: &Value, profile: &Profile) -> Result<(), Difference> {
    let board = outcome.position.board();
    let open = list(retreat, "dislodged").iter().map(|d| json!([d["unit"], d["retreats"]])).collect();
    let mine = outcome.position.dislodged().iter().map(|d| {
        let places: Vec<_> = outcome.position.retreats(d).iter().map(|l| board.code(*l)).collect();
        json!([notation::unit(board, d.piece.unit), places])
    });
    same("retreat", &sorted(open), &sorted(mine.collect()))?;
    let (lines, next) = play_retreat(outcome, retreat, profile)?;
    let results = list(&retreat["expected"], "results");
    for (want, got) in results.iter().zip(&lines) {
        same("retreat", &json!([want["order"], want["result"], want["legal"]]), got)?;
    }
    same("retreat", &retreat["expected"]["position"], &position_of(&next))
}

/// Plays the retreats of a case: order, result and whether it was legal, and the position afterwards.
fn play_retreat(outcome: &Outcome, retreat: &Value, profile: &Profile) -> Result<(Vec<Value>, Position), Difference> {
    let board = outcome.position.board();
    let mut phase = Retreats::new(profile, &outcome.position);
    let mut lines: Vec<(String, Option<usize>)> = Vec::new();
    for (power, orders) in retreat["orders"].as_object().into_iter().flatten() {
        let owner = board.power(power).ok_or_else(|| malformed(power))?;
        for order in orders.as_array().into_iter().flatten().filter_map(Value::as_str) {
            let read = notation::read_retreat(board, order);
            let index = read.and_then(|w| phase.order(owner, w.unit, w.order).ok());
            lines.push((order.to_owned(), index));
        }
    }
    let (fates, next) = phase.resolve();
    let told = lines.into_iter().map(|(order, index)| {
        let result = match index.map(|i| fates[i]) {
            None => "illegal",
            Some(RetreatFate::Retreats(_)) => "retreats",
            Some(RetreatFate::Bounces(_)) => "bounces",
            Some(RetreatFate::Disbands) => "disbands",
        };
        json!([order, result, index.is_some()])
    });
    Ok((told.collect(), next))
}

fn check_adjustment(table: &Table, case: &DatcCase, profile: &Profile) -> Result<(), Difference> {
    let (adjusted, lines) = play_adjustment(table, case, profile)?;
    let expected = &case.expected;
    let results = list(expected, "results").iter().map(|r| json!([r["order"], r["legal"], r["result"]]));
    same("position", &expected["position"], &position_of(&adjusted.position))?;
    same("adjustment", &Value::Array(results.collect()), &Value::Array(lines))?;
    same("removals", &expected["automatic_removals"], &removed(&table.board, &adjusted.automatic))
}

/// Plays an adjustment: what came of it, and of every order whether it was legal.
fn play_adjustment(table: &Table, case: &DatcCase, profile: &Profile) -> Result<(Adjusted, Vec<Value>), Difference> {
    let board = &table.board;
    let position = read_position(table, &case.units, &case.centers)?;
    let estates = Estates::of(&table.map);
    let mut phase = Adjustment::new(profile, &position, &estates);
    let mut lines = Vec::new();
    for (power, orders) in &case.orders {
        let owner = board.power(power).ok_or_else(|| malformed(power))?;
        for order in orders.as_array().into_iter().flatten().filter_map(Value::as_str) {
            let legal = adjust(board, &mut phase, owner, order);
            lines.push(json!([order, legal, if legal { "succeeds" } else { "illegal" }]));
        }
    }
    Ok((phase.resolve(), lines))
}

fn removed(board: &super::Board, pieces: &[Piece]) -> Value {
    let told = pieces.iter().map(|p| json!({"power": board.power_key(p.power), "unit": notation::unit(board, p.unit)}));
    Value::Array(told.collect())
}

fn adjust(board: &super::Board, phase: &mut Adjustment, power: PowerId, text: &str) -> bool {
    let read: Option<AdjustOrder> = notation::read_adjustment(board, text);
    read.is_some_and(|order| phase.order(power, order).is_ok())
}

fn read_position(
    table: &Table,
    units: &BTreeMap<String, Vec<String>>,
    centers: &BTreeMap<String, Vec<String>>,
) -> Result<Position, Difference> {
    let board = &table.board;
    let mut setup = Setup::new();
    for (power, texts) in units {
        for text in texts {
            setup.read_unit(board, power, text).map_err(malformed)?;
        }
    }
    for (power, texts) in centers {
        for text in texts {
            setup.read_center(board, power, text).map_err(malformed)?;
        }
    }
    Position::new(board, &setup).map_err(malformed)
}

/// Units by power, powers without units left out.
pub fn position_of(position: &Position) -> Value {
    let board = position.board();
    let mut powers: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for piece in position.pieces() {
        powers.entry(board.power_key(piece.power)).or_default().insert(notation::unit(board, piece.unit));
    }
    json!(powers)
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn sorted(mut values: Vec<Value>) -> Value {
    values.sort_by_key(|v| v.get("unit").unwrap_or(&v[0]).to_string());
    Value::Array(values)
}
