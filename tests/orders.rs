//! The order vectors through the real program, both profiles; properties of the parser; printing and reading back.

use chancery::diplomacy::map::{Map, PowerId};
use chancery::diplomacy::order::Order;
use chancery::diplomacy::orders::report::{Style, block_line, movement_line, pending_line};
use chancery::diplomacy::orders::sheet::OnFile;
use chancery::diplomacy::orders::{
    Board, Code, Entry, Lexicon, OrderContext, SheetContext, SheetReport, Signer, Verdict, Warning, parse_order,
    read_sheet,
};
use chancery::diplomacy::phase::Phase;
use chancery::diplomacy::rules::{Rule, Rules};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

fn data(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn parse(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_chancery"))
        .args(["orders", "parse"])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn all_vectors_pass_in_both_profiles() {
    for mode in [&[][..], &["--old-judge"]] {
        let file = data("orders/parse-vectors.json");
        let output = parse(&[mode, &["--check", &file]].concat(), "");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "263 passed, 0 failed\n");
        assert!(output.status.success());
    }
}

#[test]
fn a_failed_check_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("v.json");
    let vectors = json!({"boards": {"b": {"phase": "S1901M", "units": {"AUSTRIA": ["A VIE"]}}},
        "vectors": [{"id": "X1", "board": "b", "power": "AUSTRIA", "lines": ["vie h"], "expect": {"ok": false}}]});
    std::fs::write(&file, vectors.to_string()).unwrap();
    let output = parse(&["--check", file.to_str().unwrap()], "");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("X1 FAIL want {\"ok\":false} got {"), "{text}");
    assert!(text.ends_with("0 passed, 1 failed\n"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_stream_answers_line_by_line() {
    let input = concat!(
        "{\"boards\":{\"b\":{\"phase\":\"S1901M\",\"units\":{\"AUSTRIA\":[\"A VIE\",\"A BUD\"]}}}}\n\n",
        "{\"id\":1,\"board\":\"b\",\"power\":\"AUSTRIA\",\"text\":\"vie gal\"}\n",
        "{\"id\":2,\"board\":\"b\",\"power\":\"AUSTRIA\",\"text\":\"vie gal\\nbud h\"}\n",
        "{\"id\":3,\"board\":\"b\",\"power\":\"AUSTRIA\",\"text\":\"vie - vienn\"}\n",
        "{\"id\":4,\"board\":\"c\",\"power\":\"AUSTRIA\",\"text\":\"vie gal\"}\n",
        "no json\n",
        "{\"id\":5,\"board\":\"b\",\"power\":\"AUSTRIA\",\"mode\":\"set\",\"lines\":[\"vie h\"]}\n",
    );
    let output = parse(&[], input);
    assert!(output.status.success());
    let answers: Vec<Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(answers[0], json!({"id": 1, "canonical": "A VIE - GAL"}));
    assert_eq!(answers[1], json!({"id": 2, "canonical": ["A VIE - GAL", "A BUD H"]}));
    assert_eq!(answers[2]["code"], "E_WORD");
    let error = answers[2]["error"].as_str().unwrap();
    assert!(error.contains("\"VIENN\"") && error.contains("VIENNA"), "{error}");
    assert_eq!(answers[3], json!({"id": 4, "error": "unknown board: c"}));
    assert_eq!(answers[4]["id"], Value::Null);
    assert_eq!(answers[5], json!({"id": 5, "ok": false, "errors": ["E_UNORDERED"]}));
    assert_eq!(answers.len(), 6);
}

/// The standard map, its names, and boards of the vectors file.
struct Table {
    map: Map,
    lexicon: Lexicon,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let map = Map::builtin("standard").unwrap();
    let lexicon = Lexicon::new(&map);
    Table { map, lexicon }
});

fn unit(text: &str) -> chancery::diplomacy::position::Unit {
    match Entry::from_canonical(&TABLE.map, &format!("{text} H")) {
        Some(Entry::Movement { unit, .. }) => unit,
        other => panic!("{text}: {other:?}"),
    }
}

fn power(name: &str) -> PowerId {
    TABLE.map.power(name).unwrap()
}

/// Units by power from a table of text, homes as on the map, centres the homes.
fn board(units: &[(&str, &[&str])]) -> Board {
    let mut board = Board::default();
    for id in TABLE.map.power_ids() {
        board.units.insert(id, Vec::new());
        board.homes.insert(id, TABLE.map[id].homes.clone());
        board.centers.insert(id, TABLE.map[id].homes.clone());
    }
    for (name, list) in units {
        board.units.insert(power(name), list.iter().map(|text| unit(text)).collect());
    }
    board
}

fn start() -> Board {
    let mut start = board(&[]);
    for id in TABLE.map.power_ids() {
        start.units.insert(id, TABLE.map[id].units.clone());
    }
    start
}

fn phase(kind: &str) -> Phase {
    Phase { season: "SPRING".into(), year: 1901, kind: kind.into() }
}

fn rules(list: &[Rule]) -> Rules {
    list.iter().copied().collect()
}

/// Reads a sheet in a game as it comes.
struct Sheet<'a> {
    board: Board,
    kind: &'a str,
    rules: Rules,
    signer: Signer,
    late: bool,
    on_file: OnFile,
}

impl Sheet<'_> {
    fn of(who: &str) -> Sheet<'static> {
        Sheet {
            board: start(),
            kind: "MOVEMENT",
            rules: Rules::none(),
            signer: Signer::Power(power(who), Vec::new()),
            late: false,
            on_file: OnFile::new(),
        }
    }

    fn read(&self, lines: &[&str]) -> SheetReport {
        let phase = phase(self.kind);
        let ctx = SheetContext {
            map: &TABLE.map,
            lexicon: &TABLE.lexicon,
            phase: &phase,
            board: &self.board,
            rules: &self.rules,
            signer: &self.signer,
            dummies: &[],
            eliminated: &[],
            late: self.late,
            partial_allowed: true,
        };
        read_sheet(&ctx, lines, &self.on_file)
    }

    fn file(mut self, who: &str, orders: &[&str]) -> Self {
        self.on_file.insert(power(who), orders.iter().map(|o| o.to_string()).collect());
        self
    }
}

fn one(board: &Board, kind: &str, who: &str, set: &[Rule], text: &str) -> Result<String, Code> {
    let phase = phase(kind);
    let rules = rules(set);
    let ctx = OrderContext {
        map: &TABLE.map,
        lexicon: &TABLE.lexicon,
        phase: &phase,
        board,
        rules: &rules,
        power: power(who),
        dummies: &[],
        eliminated: &[],
    };
    parse_order(&ctx, text).map(|parsed| parsed.canonical).map_err(|fault| fault.code)
}

#[test]
fn sentences_name_the_cure() {
    let report = Sheet::of("FRANCE").read(&["F BRE - PAR"]);
    let Verdict::Refused(fault) = &report.lines[0].verdict else { panic!("{report:?}") };
    assert_eq!(fault.text, "F BRE cannot move to PAR: Paris is inland. A fleet at BRE can go to ENG, GAS, MAO, PIC.");
}

#[test]
fn the_master_names_powers_and_observers_have_none() {
    let mut sheet = Sheet::of("FRANCE");
    sheet.signer = Signer::Master;
    assert_eq!(sheet.read(&["A VIE H"]).errors(), [Code::NoUnits]);
    let report = sheet.read(&["[AUSTRIA]", "A VIE H", "A BUD H; F TRI H"]);
    assert!(report.accepted, "{report:?}");
    assert_eq!(report.stored[0].power, power("AUSTRIA"));
    sheet.signer = Signer::Observer;
    assert_eq!(sheet.read(&["A VIE H"]).errors(), [Code::NoUnits]);
    assert_eq!(sheet.read(&["[AUSTRIA] A VIE H"]).errors(), [Code::NoUnits]);
}

#[test]
fn lateness_and_must_order() {
    let before = ["A VIE H", "A BUD H", "F TRI H"];
    let mut sheet = Sheet::of("AUSTRIA").file("AUSTRIA", &before);
    sheet.rules = rules(&[Rule::NoLateChanges]);
    sheet.late = true;
    assert_eq!(sheet.read(&["A VIE - GAL", "A BUD H", "F TRI H"]).errors(), [Code::LateChange]);
    assert!(sheet.read(&["F TRI H", "A BUD H", "A VIE H"]).accepted, "the same set is no change");
    assert_eq!(sheet.read(&["PARTIAL", "A VIE - GAL"]).errors(), [Code::LateChange]);
    sheet.rules = Rules::none();
    assert_eq!(sheet.read(&["CLEAR"]).errors(), [Code::LateEmpty]);
    sheet.late = false;
    assert!(sheet.read(&["CLEAR"]).stored[0].cleared);
    sheet.rules = rules(&[Rule::MustOrder]);
    assert_eq!(sheet.read(&["CLEAR"]).errors(), [Code::MustOrder]);
}

#[test]
fn partial_sheets_keep_what_is_on_file() {
    let sheet = Sheet::of("AUSTRIA").file("AUSTRIA", &["A VIE H", "A BUD H"]);
    let report = sheet.read(&["partial", "A VIE - GAL", "A VIE - BOH", "A BUD - MUN"]);
    assert!(report.accepted && report.partial);
    assert_eq!(report.stored[0].orders, ["A VIE - GAL", "A BUD H"]);
    assert_eq!(report.stored[0].changed, ["A VIE - GAL"]);
    assert_eq!(report.errors(), [Code::Reordered, Code::MoveUnreachable]);
    assert_eq!(report.warnings(), [Warning::Unordered]);
    assert_eq!(report.stored[0].unordered, [unit("F TRI")]);
    let report = sheet.read(&["PARTIAL", "CLEAR", "A VIE - GAL"]);
    assert_eq!(report.stored[0].orders, ["A VIE - GAL"]);
}

#[test]
fn later_orders_are_refused_loudly() {
    let report = Sheet::of("AUSTRIA").read(&["PARTIAL", "A VIE H", "IF A VIE"]);
    assert!(!report.accepted);
    assert_eq!(report.errors(), [Code::NotSupported]);
}

#[test]
fn no_check_stores_what_was_typed() {
    let mut sheet = Sheet::of("AUSTRIA");
    sheet.rules = rules(&[Rule::NoCheck, Rule::DefaultUnordered]);
    let report = sheet.read(&["Vienna to London % aside", "A VIE - GAL"]);
    assert_eq!(report.stored[0].orders, ["Vienna to London", "A VIE - GAL"]);
    assert_eq!(sheet.read(&["Vienna"]).errors(), [Code::Incomplete]);
    assert_eq!(sheet.read(&["Vienna to Foo"]).errors(), [Code::Word]);
}

#[test]
fn proxies_and_own_orders_share_a_list() {
    let mut sheet = Sheet::of("AUSTRIA");
    sheet.rules = rules(&[Rule::ProxyOk]);
    let report = sheet.read(&["A VIE P ITALY", "A VIE H", "A BUD H", "F TRI H"]);
    assert!(report.accepted, "{report:?}");
}

#[test]
fn fictional_games_do_not_tell() {
    let fiction = &[Rule::FictionalOk];
    let at_start = start();
    let empty = board(&[("AUSTRIA", &["A VIE"])]);
    for text in
        ["A VIE S A TYR", "A VIE S A MUN - TYR", "A MUN H", "A VIE S MUN - BOH", "F VIE H", "A LON - NWY", "VIE H"]
    {
        let with = one(&at_start, "MOVEMENT", "AUSTRIA", fiction, text);
        let without = one(&empty, "MOVEMENT", "AUSTRIA", fiction, text);
        assert_eq!(with, without, "{text}");
    }
    assert_eq!(one(&empty, "MOVEMENT", "AUSTRIA", fiction, "A LON - NWY").as_deref(), Ok("A LON - NWY"));
}

#[test]
fn portages() {
    let board = board(&[("FRANCE", &["F MAR", "A GAS", "A BUR"]), ("RUSSIA", &["F STP/SC", "A MOS"])]);
    let portage = &[Rule::PortageConvoy];
    let order = |who, rules: &[Rule], text| one(&board, "MOVEMENT", who, rules, text);
    assert_eq!(order("FRANCE", portage, "F MAR - GAS - BRE").as_deref(), Ok("F MAR - GAS - BRE"));
    assert_eq!(order("FRANCE", portage, "A GAS C F MAR - BRE").as_deref(), Ok("A GAS C F MAR - BRE"));
    assert_eq!(order("FRANCE", &[], "F MAR - GAS - BRE"), Err(Code::PathUnit));
    assert_eq!(order("FRANCE", &[], "A GAS C F MAR - BRE"), Err(Code::ConvoyUnit));
    let multi = &[Rule::MultiCoastPortage];
    assert_eq!(order("RUSSIA", multi, "F STP/SC - MOS - STP/NC").as_deref(), Ok("F STP/SC - MOS - STP/NC"));
    assert_eq!(order("RUSSIA", multi, "A MOS C F STP - STP").as_deref(), Ok("A MOS C F STP - STP"));
    assert_eq!(order("FRANCE", multi, "F MAR - GAS - BRE"), Err(Code::PathStep));
}

#[test]
fn other_wordings() {
    let start = start();
    let order = |who, text: &str| one(&start, "MOVEMENT", who, &[], text);
    let same: &[(&str, &str, &str)] = &[
        ("AUSTRIA", "move from VIE to GAL", "A VIE - GAL"),
        ("AUSTRIA", "move to GAL from VIE", "A VIE - GAL"),
        ("AUSTRIA", "F TRI - Venise (bounce)", "E_WORD"),
        ("AUSTRIA", "A VIE - TYR bounce", "A VIE - TYR"),
        ("GERMANY", "army Berlin will move to Köl", "E_WORD"),
        ("GERMANY", "fleet kiel to the helgoland bight", "F KIE - HEL"),
        ("ENGLAND", "F London - English Channel", "F LON - ENG"),
        ("RUSSIA", "F St.Petersburg/sc - BOT", "F STP/SC - BOT"),
    ];
    for (who, text, want) in same {
        let got = order(who, text).unwrap_or_else(|code| code.name().to_string());
        assert_eq!(got, *want, "{text}");
    }
}

#[test]
fn names_of_every_built_in_map_read_back() {
    for name in Map::builtin_names() {
        let map = Map::builtin(name).unwrap();
        let lexicon = Lexicon::new(&map);
        for location in &map.locations {
            for text in [&location.code, &location.title] {
                let list = lexicon.tokens(&chancery::diplomacy::orders::clean::clean(text));
                let found = lexicon.longest(&list, 0);
                let Some((found, end)) = found else { panic!("{name}: {text} is unknown") };
                assert_eq!(end, list.len(), "{name}: {text}");
                let codes: Vec<&str> = found.places.iter().map(|at| map[*at].code.as_str()).collect();
                assert!(codes.contains(&location.code.as_str()), "{name}: {text} is {codes:?}");
            }
        }
    }
}

/// The sets of orders that both DATC and this reader call legal are the same.
#[test]
fn datc_orders_are_legal_or_not_as_datc_says() {
    let file: Value = serde_json::from_str(&std::fs::read_to_string(data("datc/datc.json")).unwrap()).unwrap();
    let mut count = 0;
    for case in file["cases"].as_array().unwrap() {
        if !case["phase"].as_str().unwrap().ends_with("MOVEMENT") {
            continue;
        }
        let mut board = Board::default();
        for (name, units) in case["units"].as_object().unwrap() {
            let units = units.as_array().unwrap().iter().map(|text| unit(text.as_str().unwrap())).collect();
            board.units.insert(power(name), units);
        }
        for result in case["expected"]["results"].as_array().into_iter().flatten() {
            let (text, who) = (result["order"].as_str().unwrap(), result["power"].as_str().unwrap());
            let got = one(&board, "MOVEMENT", who, &[], text);
            // A needless convoy is found out by the adjudicator (D24).
            let want = result["legal"].as_bool().unwrap() || case["id"] == "6.G.19";
            assert_eq!(got.is_ok(), want, "{}: {text}: {got:?}", case["id"]);
            count += 1;
        }
    }
    assert!(count > 500, "{count}");
}

/// Random self-play orders: every one is possible, and prints as a line that reads back as itself.
#[test]
fn reports_read_back() {
    let text = std::fs::read_to_string(data("cases/standard.jsonl")).unwrap();
    let map = &TABLE.map;
    let mut count = 0;
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let kind = match case["type"].as_str().unwrap() {
            "M" => "MOVEMENT",
            "R" => "RETREATS",
            _ => "ADJUSTMENTS",
        };
        let mut board = Board::default();
        for (name, units) in case["units"].as_object().unwrap() {
            let id = power(name);
            board.units.insert(id, units.as_array().unwrap().iter().map(|u| unit(u.as_str().unwrap())).collect());
            board.homes.insert(id, map[id].homes.clone());
            let centers = case["centers"][name].as_array().into_iter().flatten();
            board.centers.insert(id, centers.map(|c| map.province(c.as_str().unwrap()).unwrap()).collect());
            let dislodged = case["dislodged"][name].as_object().into_iter().flatten();
            let sites = |list: &Value| {
                list.as_array().unwrap().iter().map(|at| map.location(at.as_str().unwrap()).unwrap()).collect()
            };
            board.dislodged.insert(id, dislodged.map(|(u, list)| (unit(u), sites(list))).collect());
        }
        for (name, orders) in case["orders"].as_object().unwrap() {
            for order in orders.as_array().unwrap() {
                let order = order.as_str().unwrap();
                let canonical = one(&board, kind, name, &[], order);
                let canonical = canonical.unwrap_or_else(|code| panic!("{}: {order}: {code}", case["id"]));
                assert_eq!(one(&board, kind, name, &[], &canonical).as_ref(), Ok(&canonical), "canonical is stable");
                let entry = Entry::from_canonical(map, &canonical).unwrap();
                assert_eq!(entry.canonical(map), canonical);
                let (line, want) = match &entry {
                    Entry::Movement { unit, order, .. } => {
                        let line = movement_line(
                            map,
                            &board,
                            power(name),
                            *unit,
                            order,
                            &["cut", "dislodged"],
                            Style::default(),
                        );
                        let want = match order {
                            // The coast of a support's target is not printed.
                            Order::Support { to: Some(to), .. } => {
                                let coast = map[*to].coast.as_ref().map_or(String::new(), |c| format!("/{c}"));
                                canonical.strip_suffix(&coast).unwrap().to_string()
                            }
                            _ => canonical.clone(),
                        };
                        (line, want)
                    }
                    entry => (block_line(map, power(name), entry, &[]), canonical.clone()),
                };
                let (_, rest) = line.split_once(':').unwrap();
                assert_eq!(one(&board, kind, name, &[], rest).as_ref(), Ok(&want), "{line}");
                count += 1;
            }
        }
    }
    assert!(count > 3000, "{count}");
}

#[test]
fn report_lines_look_as_they_always_did() {
    let map = &TABLE.map;
    let board = start();
    let movement = |who: &str, canonical: &str, notes: &[&str]| match Entry::from_canonical(map, canonical) {
        Some(Entry::Movement { unit, order, .. }) => {
            movement_line(map, &board, power(who), unit, &order, notes, Style::default())
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(movement("AUSTRIA", "A VIE - TRI", &["bounce"]), "Austria: Army Vienna -> Trieste.  (*bounce*)");
    assert_eq!(
        movement("RUSSIA", "F STP/SC - BOT", &[]),
        "Russia: Fleet St Petersburg (south coast) -> Gulf of Bothnia."
    );
    assert_eq!(
        movement("ITALY", "A VEN S F TRI - TYR", &["void"]),
        "Italy: Army Venice SUPPORT Austrian Fleet Trieste -> Tyrolia.  (*void*)"
    );
    assert_eq!(movement("ENGLAND", "A LVP H", &[]), "England: Army Liverpool HOLD.");
    let block = |who: &str, canonical: &str, notes: &[&str]| {
        block_line(map, power(who), &Entry::from_canonical(map, canonical).unwrap(), notes)
    };
    assert_eq!(
        block("AUSTRIA", "RETREAT A SER - GRE", &["bounce", "destroyed"]),
        "Austria:    Army Serbia -> Greece.  (*bounce, destroyed*)"
    );
    assert_eq!(block("AUSTRIA", "DISBAND A SER", &[]), "Austria:    Army Serbia DISBAND.");
    assert_eq!(block("FRANCE", "BUILD F BRE", &[]), "France:     Builds a fleet in Brest.");
    assert_eq!(block("FRANCE", "BUILD WAIVED", &[]), "France:     Build waived.");
    assert_eq!(pending_line(map, power("FRANCE"), 1), "France:     1 unused build pending.");
    assert_eq!(block("TURKEY", "REMOVE F AEG", &[]), "Turkey:     Removes the fleet in the Aegean Sea.");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever is written, the reader answers.
    #[test]
    fn never_panics(text in "(?s).{0,80}", kind in prop::sample::select(vec!["MOVEMENT", "RETREATS", "ADJUSTMENTS"])) {
        let mut sheet = Sheet::of("RUSSIA");
        sheet.kind = kind;
        let lines: Vec<&str> = text.lines().collect();
        let _ = sheet.read(&lines);
    }

    /// Whatever is written in the words of the language, what is understood reads back as itself.
    #[test]
    fn canonical_text_is_stable(
        words in prop::collection::vec(prop::sample::select(vec![
            "A", "F", "VIE", "STP", "stp/nc", "STP(SC)", "BOT", "North Sea", "LON", "NWY", "GAL", "MOS", "TRI", "-", "->", "S",
            "C", "H", "P", "R", "B", "D", "V", "K", "VIA", "FROM", "OF", "WITH", "CONVOY", "Italy", "german", "(", ")",
            "/", "SC", "~", "?", ",", ";", "2", "THE", "TO", "south coast of", "SEA", "[E]", "E:", "CLEAR", "PARTIAL", "\n",
        ]), 0..12),
        kind in prop::sample::select(vec!["MOVEMENT", "RETREATS", "ADJUSTMENTS"]),
        set in prop::sample::subsequence(vec![
            Rule::OldJudge, Rule::FictionalOk, Rule::OrderAny, Rule::ProxyOk, Rule::SignalSupport, Rule::PortageConvoy,
            Rule::CoastalConvoy, Rule::ConvoyBack, Rule::NeedMoveMarks, Rule::BuildAny,
        ], 0..4),
    ) {
        let mut board = board(&[
            ("AUSTRIA", &["A VIE", "F TRI"]), ("RUSSIA", &["F STP/SC", "A MOS", "F BOT"]), ("ENGLAND", &["F NTH", "A LON", "A NWY"]),
        ]);
        let north = TABLE.map.location("NTH").unwrap();
        board.dislodged.insert(power("RUSSIA"), vec![(unit("F NWY"), vec![north])]);
        let text = words.join(" ");
        for who in ["AUSTRIA", "RUSSIA", "ENGLAND"] {
            if let Ok(canonical) = one(&board, kind, who, &set, &text) {
                if !canonical.is_empty() {
                    prop_assert_eq!(one(&board, kind, who, &set, &canonical), Ok(canonical));
                }
            }
        }
        let mut sheet = Sheet::of("RUSSIA");
        sheet.board = board;
        sheet.kind = kind;
        sheet.rules = rules(&set);
        let lines: Vec<&str> = text.lines().collect();
        let report = sheet.read(&lines);
        prop_assert!(report.accepted || report.stored.is_empty());
    }

    /// Cleaning a cleaned text changes nothing.
    #[test]
    fn cleaning_is_idempotent(text in "(?s).{0,60}") {
        let once = chancery::diplomacy::orders::clean::clean(&text);
        prop_assert_eq!(chancery::diplomacy::orders::clean::clean(&once), once);
    }
}
