//! The map loader and the `map` verb against the facts of 44 boards.

use chancery::diplomacy::map::UnitKind::{Army, Fleet};
use chancery::diplomacy::map::library::BuiltIn;
use chancery::diplomacy::map::{Loaded, Map, Question, Source, Terrain, load};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn expected() -> serde_json::Map<String, Value> {
    let text = std::fs::read_to_string(root().join("tests/data/maps/facts.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Every field that differs, one line each.
fn differences(name: &str, want: &Value, got: &Value) -> Vec<String> {
    let empty = serde_json::Map::new();
    let (want, got) = (want.as_object().unwrap_or(&empty), got.as_object().unwrap_or(&empty));
    let keys: std::collections::BTreeSet<&String> = want.keys().chain(got.keys()).collect();
    let mut out = Vec::new();
    for key in keys {
        let (w, g) = (want.get(key), got.get(key));
        if w == g {
            continue;
        }
        match (w, g) {
            (Some(w @ Value::Object(_)), Some(g @ Value::Object(_))) => {
                out.extend(differences(&format!("{name}.{key}"), w, g));
            }
            _ => out.push(format!("{name}.{key}: want {w:?}, got {g:?}")),
        }
    }
    out
}

#[test]
fn our_maps_have_the_facts() {
    let mut wrong = Vec::new();
    for (key, want) in expected() {
        let name = key.split('/').nth(1).unwrap();
        match load(name, &BuiltIn) {
            Ok(loaded) => wrong.extend(differences(&key, &want, &loaded.map.facts(&loaded.diagnostics))),
            Err(e) => wrong.push(format!("{key}: {e}")),
        }
    }
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
}

/// The reference files themselves: `CHANCERY_REFERENCE_MAPS` names a folder with `maps/` and `trials/` in it.
#[test]
fn reference_maps_have_the_facts() {
    let Some(folder) = std::env::var_os("CHANCERY_REFERENCE_MAPS").map(PathBuf::from) else { return };
    let mut wrong = Vec::new();
    for (key, want) in expected() {
        let path = folder.join(format!("{key}.map"));
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match load(&name, &Reference(folder.clone())) {
            Ok(loaded) => wrong.extend(differences(&key, &want, &loaded.map.facts(&loaded.diagnostics))),
            Err(e) => wrong.push(format!("{key}: {e}")),
        }
    }
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
}

/// The reference folders, the trials before the released ones.
struct Reference(PathBuf);

impl Source for Reference {
    fn read(&self, file: &str) -> Option<Vec<u8>> {
        let folders = [self.0.join("trials"), self.0.join("maps")];
        folders.iter().find_map(|f| std::fs::read(f.join(file)).ok())
    }
}

fn chancery(args: &[&str]) -> (i32, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_chancery")).args(args).env_remove("CHANCERY_ROOT").output().unwrap();
    (out.status.code().unwrap(), String::from_utf8(out.stdout).unwrap())
}

/// The three example boards of the language's description.
struct Examples;

impl Source for Examples {
    fn read(&self, file: &str) -> Option<Vec<u8>> {
        std::fs::read(root().join("tests/data/maps/examples").join(file)).ok()
    }
}

fn example(name: &str) -> Loaded {
    load(name, &Examples).unwrap_or_else(|e| panic!("{e}: {:#?}", e.diagnostics))
}

fn number(facts: &Value, key: &str) -> u64 {
    facts[key].as_u64().unwrap_or_else(|| panic!("{key} in {facts}"))
}

#[test]
fn pond() {
    let Loaded { map, diagnostics } = example("pond");
    assert_eq!(diagnostics, []);
    let facts = map.facts(&diagnostics);
    assert_eq!(facts["centres"], serde_json::json!(["ELM", "FEN", "ISL", "OAK"]));
    assert_eq!((number(&facts, "army_pairs"), number(&facts, "fleet_pairs")), (3, 3));
    assert_eq!(facts["powers"]["REEDS"]["letter"], "R");
    assert_eq!(map[map.power("alder").unwrap()].own, "Alderman");
    assert_eq!((map.victory.as_slice(), map.victory_is_default), ([3].as_slice(), false));
    assert_eq!(map.begin.short(), "S1M");
    let isle = map.location("ISL");
    for name in ["the isle", "isl", "isle", "island"] {
        assert_eq!(map.place_named(name), isle, "{name}");
    }
    assert_eq!(map.place_named("lake mere"), map.location("MER"));
    let go = |kind, from: &str, to: &str| {
        map.adjacent(Some(kind), map.location(from).unwrap(), Question::Move, map.location(to).unwrap())
    };
    assert!(!go(Fleet, "FEN", "ELM") && go(Army, "FEN", "ELM") && !go(Army, "ELM", "ISL"));
    assert_eq!(map.review(), []);
}

#[test]
fn cape() {
    let Loaded { map, diagnostics } = example("cape");
    assert_eq!(diagnostics, []);
    let facts = map.facts(&diagnostics);
    for (key, n) in [("n_provinces", 10), ("n_locations", 12), ("army_pairs", 6), ("fleet_pairs", 13)] {
        assert_eq!(number(&facts, key), n, "{key}");
    }
    assert_eq!(facts["centres"], serde_json::json!(["BAY", "CAP", "DUN", "FJO", "HIL", "RIM"]));
    assert_eq!(map.victory, [4]);
    let south = &map[map.power("SOUTHKINGDOM").unwrap()];
    assert_eq!((south.title.as_str(), south.letter, south.reserves), ("SouthKingdom", Some('K'), 1));
    let id = |code: &str| map.province(code).unwrap();
    assert_eq!(south.alternatives, [(id("DUN"), vec![id("CAP")])]);
    assert_eq!(south.hidden, [id("HIL")]);
    assert_eq!(map[map.power("NORTHMEN").unwrap()].factories, [id("ICE")]);
    assert!(!map[id("ICE")].center);
    let border = |from: &str, to: &str| {
        map.army[usize::from(id(from).0)].iter().find(|(p, _)| *p == id(to)).map(|(_, b)| b.clone()).unwrap()
    };
    assert!(border("BAY", "CAP").tilde && border("CAP", "BAY").star);
    assert_eq!(border("HIL", "RIM").only, Some(vec!['N']));
    assert_eq!((border("RIM", "HIL").only, border("RIM", "HIL").needs), (Some(vec!['N']), vec![id("BAY")]));
    let sea = |code: &str| map.location(code).unwrap();
    let closed = map.fleet[usize::from(sea("WRM").0)].iter().find(|(l, _)| *l == sea("CLD")).unwrap();
    assert!(closed.1.closed);
    let mut phase = map.begin.clone();
    let mut walked = Vec::new();
    for _ in 0..9 {
        walked.push(phase.short());
        phase = map.flow.next(&phase).unwrap();
    }
    assert_eq!(walked.join(" "), "A800M A800R A800A A805M A805R A810M A810R A810A A815M");
}

#[test]
fn capelate() {
    let Loaded { map, .. } = example("capelate");
    let facts = map.facts(&[]);
    for (key, n) in [("n_provinces", 9), ("n_locations", 11), ("army_pairs", 5), ("fleet_pairs", 13)] {
        assert_eq!(number(&facts, key), n, "{key}");
    }
    assert_eq!(facts["centres"], serde_json::json!(["BAY", "CAP", "DUN", "FJO", "HIG", "RIM"]));
    assert_eq!(
        facts["special_adjacency"],
        serde_json::json!(["(BAY) RIM>HIG", ": WRM>CLD", "N: HIG>RIM", "N: RIM>HIG"])
    );
    let keys: Vec<&str> = map.powers.iter().map(|p| p.key.as_str()).collect();
    assert_eq!(keys, ["HERMITS", "NORTHMEN", "SULTANATE"]);
    let sultan = &facts["powers"]["SULTANATE"];
    assert_eq!(sultan["homes"], serde_json::json!(["CAP", "DUN", "HIG"]));
    assert_eq!((&sultan["letter"], &sultan["own"]), (&"S".into(), &"SULTANIC".into()));
    assert_eq!(sultan["initial_units"], serde_json::json!(["F CAP/EC"]));
    assert_eq!(map.power("hermits").map(|p| map[p].dummy), Some(true));
    assert_eq!((map.victory.as_slice(), map.art.as_str()), ([4, 5].as_slice(), "capelate"));
    assert_eq!(map.rules, ["BUILD_ANY"]);
    assert_eq!(map.directives["PAYOLA"], ["RULE NO_SAVINGS"]);
    let terrain = |phase: &str, code: &str| {
        let phase = map.flow.parse(phase).unwrap();
        let board = map.with_morphs_from(&[], Some(&phase), &Examples).unwrap().map;
        board[board.province(code).unwrap()].terrain
    };
    assert_eq!(terrain("A800M", "CLD"), Terrain::Water);
    assert_eq!(terrain("A805R", "CLD"), Terrain::Shut);
    assert_eq!(terrain("A825M", "WRM"), Terrain::Water);
    assert_eq!(terrain("A830M", "WRM"), Terrain::Land);
    assert_eq!(terrain("A840A", "WRM"), Terrain::Land);
}

fn morphed(lines: &[&str]) -> Loaded {
    let lines: Vec<String> = lines.iter().map(|l| (*l).to_owned()).collect();
    let standard = Map::builtin("standard").unwrap();
    standard.with_morphs(&lines, None).unwrap_or_else(|e| panic!("{e}"))
}

/// The table of morphs, each alone on the standard board.
#[test]
fn morphs() {
    let facts = |lines: &[&str]| morphed(lines).map.facts(&[]);
    let numbers = |lines: &[&str], keys: &[&str]| -> Vec<u64> {
        let facts = facts(lines);
        keys.iter().map(|k| number(&facts, k)).collect()
    };
    let pairs = ["fleet_pairs", "army_pairs"];
    assert_eq!(numbers(&["AMEND HEL ABUTS BAL", "AMEND BAL ABUTS HEL"], &pairs), [142, 111]);
    assert_eq!(numbers(&["AMEND VEN ABUTS -tus", "AMEND TUS ABUTS -ven"], &pairs), [141, 110]);
    let spain = ["COAST SPA ABUTS GAS MAO MAR POR LYO WES"];
    assert_eq!(numbers(&spain, &["n_locations", "n_names", "army_pairs", "fleet_pairs"]), [80, 80, 111, 139]);
    let board = morphed(&spain).map;
    let whole = board.location("SPA").unwrap();
    assert!(board.location("SPA/NC").is_none() && board.location("SPA/SC").is_none());
    let listed = |board: &Map, from: &str, to: &str| {
        let from = board.location(from).unwrap();
        board.listed(from).iter().any(|l| board[l.to].code.starts_with(to))
    };
    for neighbour in ["GAS", "MAO", "MAR", "POR", "LYO", "WES"] {
        let from = board.location(neighbour).unwrap();
        assert!(board.listed(from).iter().any(|l| l.to == whole), "{neighbour}");
    }
    let keys = ["n_provinces", "n_names", "army_pairs", "fleet_pairs"];
    assert_eq!(numbers(&["DROP SYR"], &keys), [75, 81, 109, 139]);
    let board = morphed(&["DROP SYR"]).map;
    assert!(["ARM", "SMY", "EAS"].iter().all(|from| !listed(&board, from, "SYR")));
    for lines in [&["UNPLAYED ITALY", "UNOWNED NAP ROM VEN"][..], &["UNPLAYED ITALY"]] {
        let facts = facts(lines);
        assert_eq!((number(&facts, "n_powers"), number(&facts, "n_centres")), (6, 34));
        assert_eq!(facts["victory"], serde_json::json!([18]));
    }
    let facts_less = facts(&["RUSSIA -WAR", "UNOWNED -WAR"]);
    assert_eq!((number(&facts_less, "n_centres"), &facts_less["victory"]), (33, &serde_json::json!([17])));
    let unowned = morphed(&["RUSSIA -WAR"]).map;
    let war = unowned.province("WAR").unwrap();
    assert!(unowned[war].center && unowned.unowned.contains(&war));
    let russia = unowned.facts(&[])["powers"]["RUSSIA"].clone();
    assert_eq!(russia["initial_centres"], serde_json::json!(["MOS", "SEV", "STP"]));
    assert!(russia["initial_units"].as_array().unwrap().contains(&"A WAR".into()));
    let flow = morphed(&["FLOW", "FLOW SPRING:MOVEMENT,RETREATS,ADJUSTMENTS"]).map;
    let second = flow.flow.next(&flow.begin).unwrap();
    let third = flow.flow.next(&second).unwrap();
    let fourth = flow.flow.next(&third).unwrap();
    assert_eq!([second.short(), third.short(), fourth.short()], ["S1901R", "S1901A", "S1902M"]);
    let lisbon = morphed(&["POR -> Lisbon = lis por portugal"]).map;
    for name in ["portugal", "por", "lisbon", "LIS"] {
        assert_eq!(lisbon.place_named(name), lisbon.location("LIS"), "{name}");
    }
    assert!(lisbon.province("POR").is_none());
    let gaul = morphed(&["FRANCE -> GAUL (GALLIC)"]);
    assert!(gaul.diagnostics.iter().any(|d| d.text.starts_with("SHARED POWER LETTER: G")));
    let facts = gaul.map.facts(&[]);
    assert_eq!(facts["powers"]["GAUL"]["homes"], serde_json::json!(["BRE", "MAR", "PAR"]));
    assert_eq!(facts["powers"]["GAUL"]["initial_units"], serde_json::json!(["A MAR", "A PAR", "F BRE"]));
    assert_eq!(facts["powers"]["GAUL"]["letter"], "G");
}

#[test]
fn morphs_that_are_refused_or_warned_of() {
    let standard = Map::builtin("standard").unwrap();
    let error = standard.with_morphs(&["AMEND QQQ ABUTS ADR".to_owned()], None).unwrap_err();
    assert!(error.to_string().contains("NO DATA TO \"AMEND\" FOR QQQ"), "{error}");
    assert!(error.to_string().contains("MORPH:1:"), "{error}");
    let twice = morphed(&["AMEND ADR ABUTS ION"]);
    assert!(twice.diagnostics.iter().any(|d| d.text.starts_with("SITES ABUT TWICE: ADR-ION")));
    assert!(morphed(&["RULE BUILD_ANY"]).diagnostics.iter().any(|d| d.text.starts_with("RULE IN A MORPH")));
    // In a map file the homes of a power left out are no centers any more.
    let file = BTreeMap::from([("six.map".to_owned(), "USE standard\nUNPLAYED ITALY\n".to_owned())]);
    let six = load("six", &Both(&file)).unwrap().map.facts(&[]);
    assert_eq!((number(&six, "n_centres"), &six["victory"]), (31, &serde_json::json!([16])));
}

/// A table with the built-in maps behind it.
struct Both<'a>(&'a BTreeMap<String, String>);

impl Source for Both<'_> {
    fn read(&self, file: &str) -> Option<Vec<u8>> {
        self.0.read(file).or_else(|| BuiltIn.read(file))
    }
}

/// The adjacency questions of the language's description.
#[test]
fn adjacency_vectors() {
    let map = Map::builtin("standard").unwrap();
    for (kind, from, question, to, want) in [
        ("A", "MAR", '-', "SPA", true),
        ("F", "GAS", 'S', "SPA", true),
        ("A", "MAR", '-', "SPA/SC", false),
        ("F", "VEN", 'S', "TUS", false),
        ("F", "MAR", '-', "SPA/SC", true),
        ("F", "BOT", 'S', "STP", true),
        ("F", "MAR", '-', "SPA", false),
        ("F", "BOT", 'S', "MOS", false),
        ("F", "MAR", 'S', "SPA", true),
        ("F", "LYO", 'S', "SPA/NC", true),
        ("F", "VEN", '-', "TUS", false),
        ("F", "SPA/NC", 'S', "MAR", false),
        ("A", "VEN", '-', "TUS", true),
        ("F", "SPA/SC", 'S', "GAS", false),
        ("A", "NAP", '-', "ION", false),
        ("F", "GAS", '-', "MAR", false),
        ("A", "NAP", 'C', "ION", true),
        ("A", "MUN", '-', "SWI", false),
        ("F", "CON", '-', "BUL", false),
        ("?", "CON", '-', "BUL", true),
    ] {
        let kind = match kind {
            "A" => Some(Army),
            "F" => Some(Fleet),
            _ => None,
        };
        let question = match question {
            'S' => Question::Support,
            'C' => Question::Convoy,
            _ => Question::Move,
        };
        let at = |code: &str| map.location(code).unwrap();
        assert_eq!(map.adjacent(kind, at(from), question, at(to)), want, "{kind:?} {from} {question:?} {to}");
    }
    let coast = |from: &str, to: &str| {
        map.only_coast(map.location(from).unwrap(), map.province(to).unwrap()).map(|l| map[l].code.clone())
    };
    assert_eq!(coast("GAS", "SPA").as_deref(), Some("SPA/NC"));
    assert_eq!(coast("BAR", "STP").as_deref(), Some("STP/NC"));
    assert_eq!((coast("CON", "BUL"), coast("POR", "SPA"), coast("MAO", "SPA")), (None, None, None));
    let stands = |kind, code: &str| map.location(code).is_some_and(|at| map.may_stand(kind, at));
    assert!(stands(Army, "SPA") && !stands(Fleet, "SPA") && stands(Fleet, "SPA/NC") && !stands(Army, "SPA/NC"));
    assert!(!stands(Fleet, "STP/EC") && !stands(Fleet, "MOS") && !stands(Army, "NTH"));
}

/// A name that is a power and a place is found as either.
#[test]
fn names_with_two_meanings() {
    let map = Map::builtin("minorpower").unwrap();
    assert_eq!(map.place_named("Norway"), map.location("NWY"));
    assert_eq!(map.power_named("norway"), map.power("NORWAY"));
    let void = Map::builtin("void").unwrap();
    for name in ["GULF\\BOTHNIA", "gulf of bothnia", "GULFOFBOTHNIA", "Bothnian"] {
        assert_eq!(void.power_named(name), void.power("GULFOFBOTHNIA"), "{name}");
        assert!(void.power_named(name).is_some(), "{name}");
    }
    let standard = Map::builtin("standard").unwrap();
    for name in ["spa/wc", "south coast of Spain", "Spain (south coast)", "spain sc"] {
        assert_eq!(standard.place_named(name), standard.location("SPA/SC"), "{name}");
    }
    assert_eq!(standard.place_named("St. Petersburg"), standard.location("STP"));
    let dutch = Map::builtin("standard_dutch").unwrap();
    assert_eq!(dutch.place_named("Egeische Zee"), dutch.location("EGE"));
    assert_eq!(dutch.location("BUL/OK").map(|l| dutch[l].title.clone()).as_deref(), Some("Bulgarije (oostkust)"));
}

#[test]
fn the_verb_teaches() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.map");
    let text = "USE standard\nAMEND BAL ABUTS HEL\nAMEND POT ABUTS MAO\nFLOWW SPRING:MOVEMENT\nNOPE -> X\nIsle = isl\nDUMMY ENGALND\n";
    std::fs::write(&path, text).unwrap();
    let path = path.display().to_string();
    let (code, out) = chancery(&["map", "check", &path]);
    assert_eq!(code, 1, "{out}");
    for line in [
        format!("{path}:2: error: ONE-WAY ADJACENCY IN MAP: BAL -> HEL (add BAL to HEL, or :BAL if it is meant)"),
        format!("{path}:3: error: NO DATA TO \"AMEND\" FOR POT (column 7; did you mean BOT?)"),
        format!("{path}:4: warning: SUSPECT POWER LINE: FLOWW (did you mean FLOW?)"),
        format!("{path}:6: warning: NAMED LOCATION NOT ON MAP: ISL"),
        format!("{path}:7: error: NO SUCH POWER: ENGALND (column 7; did you mean ENGLAND?)"),
    ] {
        assert!(out.contains(&line), "{line}\nnot in\n{out}");
    }
    assert!(out.trim_end().ends_with("warnings"), "{out}");
    let (code, out) = chancery(&["map", "check", "standard"]);
    assert_eq!((code, out.as_str()), (0, "0 errors, 0 warnings\n"));
}

/// A small sound board, with lines added or changed.
fn checked(lines: &str) -> (i32, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.map");
    let sound = "\
REEDS (REEDISH:R) OAK FEN
A OAK
F FEN
ALDER (ALDERMAN:A) ELM
A ELM
UNOWNED ISL
Oakham = oak
Fenside = fen
Elmstead = elm
The Isle = isl
Mere = mer
LAND  OAK ABUTS ELM FEN
COAST FEN ABUTS MER OAK elm
COAST ELM ABUTS MER OAK fen
COAST ISL ABUTS MER
WATER MER ABUTS ELM FEN ISL
";
    std::fs::write(&path, format!("{sound}{lines}")).unwrap();
    let (code, out) = chancery(&["map", "check", &path.display().to_string()]);
    let folder = format!("{}/", folder.path().display());
    (code, out.lines().map(|line| line.replace(&folder, "")).collect())
}

/// What a lesson must say, and whether it is an error.
fn lesson(lines: &str, code: i32, told: &[&str]) {
    let (got, out) = checked(lines);
    assert_eq!(got, code, "{out:#?}");
    for line in told {
        assert!(out.iter().any(|o| o == line), "{line}\nnot in {out:#?}");
    }
}

#[test]
fn a_sound_board_gets_no_lesson() {
    assert_eq!(checked(""), (0, vec!["0 errors, 0 warnings".to_owned()]));
}

#[test]
fn lesson_nearest_name() {
    let told = "x.map:17: error: UNKNOWN NEIGHBOUR OF OAK: FEM (did you mean FEN?)";
    lesson("AMEND OAK ABUTS FEM\n", 1, &[told]);
    lesson("REED\nDUMMY REEDZ\n", 1, &["x.map:18: error: NO SUCH POWER: REEDZ (column 7; did you mean REED?)"]);
}

#[test]
fn lesson_one_way_borders() {
    let told = "x.map:17: error: ONE-WAY ADJACENCY IN MAP: OAK -> ISL (add OAK to ISL, or :OAK if it is meant)";
    lesson("AMEND OAK ABUTS isl\n", 1, &[told]);
}

#[test]
fn lesson_islands() {
    let alone = "Rock = roc\nCOAST ROC ABUTS\n";
    lesson(alone, 0, &["x.map:18: warning: PLACE UNREACHABLE: ROC (no list names it so that a unit may enter)"]);
    let pair = "Rock = roc\nPool = poo\nCOAST ROC ABUTS POO\nWATER POO ABUTS ROC\n";
    let told = "no power's units ever get there, by land, sea or convoy";
    lesson(pair, 0, &[&format!("x.map:20: warning: PLACE UNREACHABLE FOR ALL POWERS: POO ({told})")]);
}

#[test]
fn lesson_centres_nobody_can_take() {
    let cut = "UNOWNED HIL\nHill = hil\nDale = dal\nLAND HIL ABUTS DAL\nLAND DAL ABUTS HIL\n";
    let told = "no power's units ever get there, by land, sea or convoy";
    lesson(cut, 0, &[&format!("x.map:20: warning: CENTER UNREACHABLE FOR ALL POWERS: HIL ({told})")]);
    let alone = "UNOWNED HIL\nHill = hil\nLAND HIL ABUTS\n";
    lesson(alone, 0, &["x.map:19: warning: CENTER UNREACHABLE: HIL (no list names it so that a unit may enter)"]);
}

#[test]
fn lesson_clashing_names() {
    // `The Oak-Ham` and `Oakham` are different; `elmstead` and `The Elmstead` are one name when normalised.
    let place = "The Elmstead = fak\nLAND FAK ABUTS OAK\nAMEND OAK ABUTS FAK\n";
    lesson(
        place,
        0,
        &["x.map:17: warning: DUPLICATE MAP LOCATION OR POWER: THE ELMSTEAD (column 1; ELM has this name)"],
    );
    let alias = "Fakeham = fak oakham\nLAND FAK ABUTS OAK\nAMEND OAK ABUTS FAK\n";
    let told =
        "DUPLICATE MAP ALIAS OR POWER: OAKHAM (column 15; it means OAK already; write oakham? if both are wanted)";
    lesson(alias, 0, &[&format!("x.map:17: warning: {told}")]);
    let power = "ELMSTEAD (ELMISH:E) FEN\n";
    let (_, out) = checked(power);
    assert!(out.iter().any(|l| l.starts_with("x.map:17: warning: DUPLICATE POWER OR LOCATION: ELMSTEAD")), "{out:#?}");
    let letter = "REEDS (REEDISH:A)\n";
    let (_, out) = checked(letter);
    assert!(out.iter().any(|l| l.contains("warning: SHARED POWER LETTER: A: ALDER, REEDS")), "{out:#?}");
}

#[test]
fn the_verb_prints_facts() {
    let expected = expected();
    for name in ["standard", "void"] {
        let (code, out) = chancery(&["map", "facts", name]);
        assert_eq!(code, 0);
        assert_eq!(serde_json::from_str::<Value>(&out).unwrap(), expected[&format!("maps/{name}")]);
    }
    let (code, _) = chancery(&["map", "facts", "no-such-map"]);
    assert_eq!(code, 1);
}

/// Lines made of the language's own words reach deeper than arbitrary bytes.
fn line() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "AMEND",
        "COAST",
        "LAND",
        "WATER",
        "SHUT",
        "SPA",
        "spa",
        "SPA/NC",
        "Spa",
        "-SPA",
        "MAO",
        "ABUTS",
        "->",
        "=",
        "~",
        "*",
        "EI:NAF",
        ":SKA",
        "AEG(CON,SMY)",
        "USE",
        "MAP",
        "standard",
        "FLOW",
        "SPRING:MOVEMENT",
        "NEWYEAR:-1",
        "NEWYEAR",
        "IFYEARDIV:2=1",
        "BEGIN",
        "SPRING",
        "1901",
        "MOVEMENT",
        "AUSTRIA",
        "(Own:L)",
        "@CAL(NYO)",
        "+ICE",
        "&SC",
        "UNOWNED",
        "HOMES",
        "OWNS",
        "SC!",
        "A",
        "F",
        "DUMMY",
        "ALL",
        "EXCEPT",
        "TEAM",
        "A-B-C",
        "LEAGUE",
        "STRICT",
        "UNPLAYED",
        "DROP",
        "VICTORY",
        "18",
        "IN",
        "FROM",
        "S1904M",
        "START",
        ":",
        "DIRECTIVES",
        "PAYOLA",
        "END",
        "RULE",
        "ß",
        "É",
        "(",
        ")",
    ]);
    prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn any_bytes_are_a_board_or_a_refusal(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let text = chancery::diplomacy::map::source::decode(bytes);
        let file = BTreeMap::from([("x.map".to_owned(), text)]);
        let _ = load("x", &Both(&file));
    }

    #[test]
    fn any_lines_are_a_board_or_a_refusal(lines in prop::collection::vec(line(), 0..12), base: bool) {
        let mut text = if base { "USE standard\n".to_owned() } else { String::new() };
        text.push_str(&lines.join("\n"));
        let file = BTreeMap::from([("x.map".to_owned(), text)]);
        if let Ok(loaded) = load("x", &Both(&file)) {
            let map = loaded.map;
            let _ = (map.facts(&loaded.diagnostics), map.review());
            let mut phase = map.begin.clone();
            for _ in 0..6 {
                let _ = map.with_morphs(&lines, Some(&phase));
                let Some(next) = map.flow.next(&phase) else { break };
                prop_assert_eq!(map.flow.parse(&next.to_string()), Some(next.clone()));
                phase = next;
            }
        }
    }

    /// Whatever way a name is written, normalising it again changes nothing.
    #[test]
    fn normalising_is_idempotent(text in "[A-Za-z .()/-]{0,30}") {
        use chancery::diplomacy::map::words::normalised;
        let once = normalised(&text);
        let again = normalised(&once);
        prop_assert_eq!(normalised(&again), again);
    }
}

/// The boards no old judge had: standard geography, every centre on the board, each power with its standard start.
#[test]
fn duels_on_the_standard_board() {
    let standard = Map::builtin("standard").unwrap().facts(&[]);
    for (name, powers) in [
        ("france-austria", &["AUSTRIA", "FRANCE"][..]),
        ("germany-italy", &["GERMANY", "ITALY"]),
        ("france-germany-austria", &["AUSTRIA", "FRANCE", "GERMANY"]),
    ] {
        let facts = Map::builtin(name).unwrap().facts(&[]);
        let keys: Vec<&String> = facts["powers"].as_object().unwrap().keys().collect();
        assert_eq!(keys, powers);
        for power in powers {
            assert_eq!(facts["powers"][power], standard["powers"][power]);
        }
        for key in ["centres", "victory", "army_pairs", "fleet_pairs", "n_locations", "first_phase", "art"] {
            assert_eq!(facts[key], standard[key], "{name} {key}");
        }
    }
}

/// The guide's board is what the guide says, and so is its mistake.
#[test]
fn the_guide_is_true() {
    let guide = std::fs::read_to_string(root().join("docs/variants.md")).unwrap();
    let blocks: Vec<&str> = guide.split("```\n").skip(1).step_by(2).collect();
    let of = |start: &str| *blocks.iter().find(|b| b.starts_with(start)).unwrap();
    let text = [of("# straits.map"), of("Harbour  ="), of("WATER GAL")].join("\n");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("straits.map");
    std::fs::write(&path, &text).unwrap();
    let shown = path.display().to_string();
    assert_eq!(chancery(&["map", "check", &shown]), (0, "0 errors, 0 warnings\n".to_owned()));
    std::fs::write(&path, text.replace(" KEY DUN\nCOAST", " KEY\nCOAST")).unwrap();
    let told = of("$ chancery map check trial/straits.map\ntrial").split_once('\n').unwrap().1;
    assert_eq!(chancery(&["map", "check", &shown]), (1, told.replace("trial/straits.map", &shown)));
}

/// From nothing to a running game by the guide's own words: its map, its mails, its commands.
#[test]
fn the_guide_ends_in_a_running_game() {
    use std::io::Write;
    let guide = std::fs::read_to_string(root().join("docs/variants.md")).unwrap();
    let blocks: Vec<&str> = guide.split("```\n").skip(1).step_by(2).collect();
    let of = |start: &str| *blocks.iter().find(|b| b.contains(start)).unwrap_or_else(|| panic!("{start}"));
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let run = |args: &[&str], input: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_chancery"))
            .args(args)
            .env_remove("CHANCERY_ROOT")
            .current_dir(here)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let out = child.wait_with_output().unwrap();
        assert!(out.status.success(), "{args:?}");
        String::from_utf8(out.stdout).unwrap()
    };
    let command = |line: &str, input: &str| {
        let line = line.strip_prefix("$ chancery ").unwrap().split(" < ").next().unwrap();
        run(&line.split_whitespace().collect::<Vec<_>>(), input)
    };
    std::fs::create_dir(here.join("trial")).unwrap();
    let text = [of("# straits.map"), of("Harbour  ="), of("WATER GAL")].join("\n");
    std::fs::write(here.join("trial/straits.map"), text).unwrap();
    std::fs::write(here.join("trial/straits.hints"), of("NEAR GAL")).unwrap();
    command(of("-o straits.svg").trim(), "");
    assert!(std::fs::read_to_string(here.join("straits.svg")).unwrap().starts_with("<svg "));
    let steps: Vec<&str> = of("chancery init").lines().collect();
    command(steps[0], "");
    std::fs::copy(here.join("trial/straits.map"), here.join("site/trial/straits.map")).unwrap();
    command(steps[2], of("REGISTER"));
    let mails = || {
        let files = std::fs::read_dir(here.join("site/mail-out")).unwrap();
        let bytes = files.map(|f| std::fs::read(f.unwrap().path()).unwrap());
        bytes.map(|b| String::from_utf8_lossy(&b).into_owned()).collect::<Vec<_>>().join("\n")
    };
    let sent = mails();
    let code = sent.split("\n    CONFIRM ").nth(1).unwrap().split_whitespace().next().unwrap();
    command(steps[2], &of("CREATE night").replace("the-code", code));
    command(steps[2], of("Harbours: F HAR - GAL"));
    command(steps[2], of("HISTORY"));
    assert!(mails().contains("Harbours: Fleet Harbour -> Gale Sea.  (*bounce*)"), "{}", mails());
    command(of("draw night").trim(), "");
    let drawn = std::fs::read_to_string(here.join("spring.svg")).unwrap();
    assert_eq!(drawn.matches("class=\"order move failed\"").count(), 2);
    assert!(drawn.contains("class=\"bounce\""));
    // The board changes under the game by the lines of its status file.
    let status = here.join("site/games/night/status");
    let before = std::fs::read_to_string(&status).unwrap();
    std::fs::write(&status, before.replacen("TRIAL straits\n", &format!("TRIAL straits\n{}", of("MORPH AMEND")), 1))
        .unwrap();
    let now = run(&["map", "draw", "night", "--root", "site"], "");
    assert_eq!(now.matches("class=\"link\"").count(), 1, "the new border is a link on the old picture");
}
