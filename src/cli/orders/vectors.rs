//! The JSON of OPS-012: boards, single orders, vectors, and what is answered.

use crate::diplomacy::map::{LocationId, Map, PowerId, ProvinceId, UnitKind, library};
use crate::diplomacy::orders::sheet::OnFile;
use crate::diplomacy::orders::{
    Board, Lexicon, SheetContext, SheetReport, Signer, Verdict, Warning, read_lines, read_sheet,
};
use crate::diplomacy::phase::Phase;
use crate::diplomacy::position::Unit;
use crate::diplomacy::rules::{Rule, Rules};
use serde_json::{Map as Object, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

/// A map with its names.
struct Ground {
    map: Map,
    lexicon: Lexicon,
}

/// A board as an input line gives it.
#[derive(Clone)]
struct Scene {
    ground: Rc<Ground>,
    phase: Phase,
    board: Board,
    controlled_by: BTreeMap<PowerId, PowerId>,
}

/// Reads input lines; keeps maps and named boards.
pub struct Reader {
    map: String,
    root: Option<PathBuf>,
    old_judge: bool,
    grounds: BTreeMap<String, Rc<Ground>>,
    scenes: BTreeMap<String, Scene>,
}

/// What the reading of one vector gave.
struct Outcome {
    scene: Scene,
    report: SheetReport,
    before: OnFile,
}

impl Reader {
    /// A reader with the map of boards that name none.
    pub fn new(map: &str, root: Option<PathBuf>, old_judge: bool) -> Reader {
        Reader { map: map.into(), root, old_judge, grounds: BTreeMap::new(), scenes: BTreeMap::new() }
    }

    /// The answer to an input line; none if it only defines boards.
    pub fn answer(&mut self, line: &str) -> Option<Value> {
        let value: Value = match serde_json::from_str(line) {
            Ok(value) => value,
            Err(error) => return Some(json!({"id": null, "error": format!("bad JSON: {error}")})),
        };
        let id = value.get("id").cloned().unwrap_or(Value::Null);
        let bad = |error: String| Some(json!({"id": id, "error": error}));
        if let Some(boards) = value.get("boards") {
            return self.define(boards).err().and_then(bad);
        }
        let result = match value.get("text") {
            Some(text) => match text.as_str() {
                Some(text) => {
                    let lines: Vec<&str> = text.split('\n').collect();
                    self.read(&value, &lines, false).map(|outcome| short(&outcome))
                }
                None => Err("text is no string".to_string()),
            },
            None => self.vector(&value).map(|outcome| full(&outcome)),
        };
        let mut answer = match result {
            Ok(answer) => answer,
            Err(error) => return bad(error),
        };
        let mut object = Object::new();
        object.insert("id".into(), id);
        object.append(&mut answer);
        Some(Value::Object(object))
    }

    /// Runs a vectors file: for each vector nothing, or the line that tells the difference.
    pub fn check(&mut self, text: &str) -> Result<Vec<Result<(), String>>, String> {
        let file: Value = serde_json::from_str(text).map_err(|e| format!("bad JSON: {e}"))?;
        if let Some(boards) = file.get("boards") {
            self.define(boards)?;
        }
        let vectors = file.get("vectors").and_then(Value::as_array).ok_or("no list \"vectors\"")?;
        let mut results = Vec::new();
        for vector in vectors {
            let id = vector.get("id").and_then(Value::as_str).unwrap_or("?");
            let old = vector.get("old_judge").filter(|_| self.old_judge);
            let want = old.or_else(|| vector.get("expect")).cloned().unwrap_or(Value::Null);
            let got = match self.vector(vector) {
                Ok(outcome) => Value::Object(full(&outcome)),
                Err(error) => json!({"error": error}),
            };
            results.push(if got == want { Ok(()) } else { Err(format!("{id} FAIL want {want} got {got}")) });
        }
        Ok(results)
    }

    fn vector(&mut self, vector: &Value) -> Result<Outcome, String> {
        let lines = strings(vector.get("lines"), "lines")?;
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let set = match vector.get("mode").and_then(Value::as_str) {
            Some("line") | None => false,
            Some("set") => true,
            Some(other) => return Err(format!("unknown mode: {other}")),
        };
        self.read(vector, &lines, set)
    }

    fn read(&mut self, input: &Value, lines: &[&str], set: bool) -> Result<Outcome, String> {
        let scene = match input.get("board") {
            Some(Value::String(name)) => {
                self.scenes.get(name).cloned().ok_or_else(|| format!("unknown board: {name}"))?
            }
            Some(board) => self.scene(board)?,
            None => return Err("no board".into()),
        };
        let map = &scene.ground.map;
        let who = input.get("power").and_then(Value::as_str).ok_or("no power")?;
        let signer = match who {
            "MASTER" | "JUDGEKEEPER" => Signer::Master,
            who => {
                let power = map.power(who).ok_or_else(|| format!("unknown power: {who}"))?;
                let vassals = scene.controlled_by.iter().filter(|(_, by)| **by == power);
                Signer::Power(power, vassals.map(|(vassal, _)| *vassal).collect())
            }
        };
        let mut rules = Rules::none();
        if input.get("rules").is_some() {
            for name in strings(input.get("rules"), "rules")? {
                rules.set(Rule::named(&name).ok_or_else(|| format!("unknown rule: {name}"))?);
            }
        }
        if self.old_judge {
            rules.set(Rule::OldJudge);
        }
        let mut before = OnFile::new();
        for (power, orders) in by_power(map, input.get("on_file"))? {
            before.insert(power, strings(Some(orders), "on_file")?);
        }
        let ctx = SheetContext {
            map,
            lexicon: &scene.ground.lexicon,
            phase: &scene.phase,
            board: &scene.board,
            rules: &rules,
            signer: &signer,
            dummies: &[],
            eliminated: &[],
            late: false,
            partial_allowed: true,
        };
        let report = if set { read_sheet(&ctx, lines, &before) } else { read_lines(&ctx, lines) };
        Ok(Outcome { scene, report, before })
    }

    fn define(&mut self, boards: &Value) -> Result<(), String> {
        for (name, board) in boards.as_object().ok_or("boards is no object")? {
            let scene = self.scene(board).map_err(|error| format!("board {name}: {error}"))?;
            self.scenes.insert(name.clone(), scene);
        }
        Ok(())
    }

    fn ground(&mut self, name: &str) -> Result<Rc<Ground>, String> {
        if let Some(ground) = self.grounds.get(name) {
            return Ok(ground.clone());
        }
        let map = library::open(name, self.root.as_deref()).map_err(|_| format!("unknown map: {name}"))?.map;
        let lexicon = Lexicon::new(&map);
        let ground = Rc::new(Ground { map, lexicon });
        self.grounds.insert(name.to_string(), ground.clone());
        Ok(ground)
    }

    fn scene(&mut self, value: &Value) -> Result<Scene, String> {
        if !value.is_object() {
            return Err("board is neither a name nor an object".into());
        }
        let default = self.map.clone();
        let ground = self.ground(value.get("map").and_then(Value::as_str).unwrap_or(&default))?;
        let map = &ground.map;
        let phase = phase(value.get("phase").and_then(Value::as_str).unwrap_or_default())?;
        let mut board = Board::default();
        for (power, list) in by_power(map, value.get("units"))? {
            let units = strings(Some(list), "units")?;
            let units = units.iter().map(|text| unit(map, power, text)).collect::<Result<_, _>>()?;
            board.units.insert(power, units);
        }
        for (power, list) in by_power(map, value.get("dislodged"))? {
            let mut dislodged = Vec::new();
            for (text, sites) in list.as_object().ok_or("dislodged: no object of units")? {
                let sites = strings(Some(sites), "dislodged")?;
                let sites: Vec<LocationId> = sites
                    .iter()
                    .map(|site| map.location(site).ok_or_else(|| format!("unknown place: {site}")))
                    .collect::<Result<_, _>>()?;
                dislodged.push((unit(map, power, text)?, sites));
            }
            board.dislodged.insert(power, dislodged);
        }
        board.centers = places(map, value.get("centers"))?;
        board.homes = places(map, value.get("homes"))?;
        if value.get("homes").is_none() {
            board.homes = map.power_ids().map(|power| (power, map[power].homes.clone())).collect();
        }
        let mut controlled_by = BTreeMap::new();
        for (vassal, by) in by_power(map, value.get("controlled_by"))? {
            let by = by.as_str().unwrap_or_default();
            controlled_by.insert(vassal, map.power(by).ok_or_else(|| format!("unknown power: {by}"))?);
        }
        Ok(Scene { ground: ground.clone(), phase, board, controlled_by })
    }
}

/// The answer to a line with `text`: canonical orders, or the first error.
fn short(outcome: &Outcome) -> Object<String, Value> {
    let mut answer = Object::new();
    let report = &outcome.report;
    let first = report.lines.iter().find_map(|line| match &line.verdict {
        Verdict::Refused(fault) => Some(fault),
        _ => None,
    });
    if let Some(fault) = first.or(report.faults.first()) {
        answer.insert("error".into(), fault.text.clone().into());
        answer.insert("code".into(), fault.code.name().into());
        return answer;
    }
    let mut orders: Vec<&String> = report.stored.iter().flat_map(|sheet| &sheet.orders).collect();
    let canonical = match orders.as_mut_slice() {
        [one] => json!(one),
        list => json!(list),
    };
    answer.insert("canonical".into(), canonical);
    warnings(&mut answer, &report.warnings());
    answer
}

/// The answer to a vector, in the terms of its `expect`.
fn full(outcome: &Outcome) -> Object<String, Value> {
    let report = &outcome.report;
    let map = &outcome.scene.ground.map;
    let mut answer = Object::new();
    answer.insert("ok".into(), report.accepted.into());
    if report.accepted {
        // What is on file afterwards: powers that the sheet does not mention keep theirs.
        let mut orders: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (power, lines) in &outcome.before {
            orders.insert(&map[*power].key, lines.clone());
        }
        for sheet in &report.stored {
            orders.insert(&map[sheet.power].key, sheet.orders.clone());
        }
        orders.retain(|_, lines| !lines.is_empty());
        orders.values_mut().for_each(|lines| lines.sort_unstable());
        answer.insert("orders".into(), json!(orders));
    }
    let errors: Vec<&str> = report.errors().into_iter().map(|code| code.name()).collect();
    if !errors.is_empty() {
        answer.insert("errors".into(), json!(errors));
    }
    if report.accepted {
        warnings(&mut answer, &report.warnings());
    }
    answer
}

fn warnings(answer: &mut Object<String, Value>, codes: &[Warning]) {
    if !codes.is_empty() {
        let names: Vec<&str> = codes.iter().map(|code| code.name()).collect();
        answer.insert("warnings".into(), json!(names));
    }
}

fn strings(value: Option<&Value>, what: &str) -> Result<Vec<String>, String> {
    let list = value.and_then(Value::as_array).ok_or_else(|| format!("{what} is no list"))?;
    let text = |item: &Value| item.as_str().map(String::from).ok_or_else(|| format!("{what}: {item} is no string"));
    list.iter().map(text).collect()
}

fn by_power<'v>(map: &Map, value: Option<&'v Value>) -> Result<Vec<(PowerId, &'v Value)>, String> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let object = value.as_object().ok_or_else(|| format!("no object by power: {value}"))?;
    let power = |name: &String| map.power(name).ok_or_else(|| format!("unknown power: {name}"));
    object.iter().map(|(name, value)| Ok((power(name)?, value))).collect()
}

fn places(map: &Map, value: Option<&Value>) -> Result<BTreeMap<PowerId, Vec<ProvinceId>>, String> {
    let mut out = BTreeMap::new();
    for (power, list) in by_power(map, value)? {
        let names = strings(Some(list), "centers")?;
        let ids = names.iter().map(|name| map.province(name).ok_or_else(|| format!("unknown place: {name}")));
        out.insert(power, ids.collect::<Result<_, _>>()?);
    }
    Ok(out)
}

fn unit(map: &Map, power: PowerId, text: &str) -> Result<Unit, String> {
    let invalid = || format!("INVALID UNIT: {}: {text}", map[power].key);
    let (kind, at) = text.split_once(' ').ok_or_else(invalid)?;
    let kind = match kind {
        "A" => UnitKind::Army,
        "F" => UnitKind::Fleet,
        _ => return Err(invalid()),
    };
    let at = map.location(at).ok_or_else(invalid)?;
    Ok(Unit { kind, at })
}

/// `SPRING 1901 MOVEMENT`, or short `S1901M`.
fn phase(text: &str) -> Result<Phase, String> {
    let bad = || format!("bad phase: {text}");
    let words: Vec<&str> = text.split_whitespace().collect();
    if let [season @ .., year, kind] = words.as_slice() {
        if !season.is_empty() {
            let year = year.parse().map_err(|_| bad())?;
            return Ok(Phase { season: season.join(" ").to_uppercase(), year, kind: kind.to_uppercase() });
        }
    }
    let mut chars = text.chars();
    let (season, kind) = (chars.next().ok_or_else(bad)?, chars.next_back().ok_or_else(bad)?);
    let season = match season {
        'S' => "SPRING",
        'F' => "FALL",
        'W' => "WINTER",
        _ => return Err(bad()),
    };
    let kind = match kind {
        'M' => "MOVEMENT",
        'R' => "RETREATS",
        'A' => "ADJUSTMENTS",
        _ => return Err(bad()),
    };
    let year = chars.as_str().parse().map_err(|_| bad())?;
    Ok(Phase { season: season.into(), year, kind: kind.into() })
}
