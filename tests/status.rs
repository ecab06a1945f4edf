//! Status files: the worked examples and acceptance checks of status-file.md 11, properties of reading and
//! writing, and the verbs of `chancery status`.

use chancery::diplomacy::geography::examine;
use chancery::diplomacy::map::library::BuiltIn;
use chancery::diplomacy::rules::Variant;
use chancery::status::{Document, Game, Holder, ParticipantKind, PhaseState, Severity, canonical};

const EXAMPLES: [&str; 7] = ["lantern", "hexham", "ridley", "willow", "beacon", "tandem", "summit"];

fn path(name: &str) -> String {
    format!("{}/tests/data/status/{name}.status", env!("CARGO_MANIFEST_DIR"))
}

fn text(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap()
}

fn parse(text: &str) -> Document {
    Document::parse(text.as_bytes()).unwrap()
}

fn errors(document: &Document) -> Vec<&str> {
    let errors = document.diagnostics().iter().filter(|d| d.severity == Severity::Error);
    errors.map(|d| d.text.as_str()).collect()
}

fn player(game: &Game, name: &str) -> String {
    game.participant(name).unwrap().player.as_ref().unwrap().to_string()
}

fn needs(game: &Game) -> String {
    game.need.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// 11.8, check 1.
#[test]
fn examples_are_clean_and_canonical() {
    for name in EXAMPLES {
        let text = text(name);
        let document = parse(&text);
        assert_eq!(document.diagnostics(), [], "{name}");
        assert_eq!(document.text(), text, "{name}");
        assert_eq!(document.canonical(), text, "{name}");
        assert_eq!(canonical(document.game()), text, "{name}");
    }
}

#[test]
fn the_model_of_an_example() {
    let document = parse(&text("ridley"));
    let game = document.game();
    assert_eq!(game.name, "ridley");
    assert_eq!(game.phase, PhaseState::Running("FALL 1902 RETREATS".into()));
    assert_eq!(game.short_phase(), "F1902R");
    let germany = game.participant("GERMANY").unwrap();
    assert_eq!(germany.retreats, [("A MUN".to_string(), vec!["BOH".into(), "RUH".into(), "TYR".into()])]);
    assert_eq!(germany.adjust, ["RETREAT A MUN - RUH"]);
    assert_eq!(germany.units.len(), 5);
    let lantern = parse(&text("lantern"));
    let kinds: Vec<_> = lantern.game().participants.iter().map(|p| p.kind.clone()).collect();
    assert_eq!(
        kinds,
        [ParticipantKind::Power, ParticipantKind::Waiting, ParticipantKind::Other("OBSERVER".to_string())]
    );
}

/// Check 2: what keeps its case is as typed, all else means the same in lower case.
#[test]
fn lower_case_file() {
    let upper = text("hexham");
    let mut in_desc = false;
    let lower: Vec<String> = upper
        .lines()
        .map(|line| {
            let key = line.split(' ').next().unwrap();
            let kept = ["PASSWORD", "MASTER", "PLAYER", "ADDRESS", "START", "MSG"].contains(&key);
            let rest = line.strip_prefix(key).unwrap();
            let content = in_desc && line != "END DESC";
            in_desc = line == "DESC" || content;
            match (kept, content) {
                (true, _) => format!("{}{rest}", key.to_lowercase()),
                (_, true) => line.to_string(),
                _ => line.to_lowercase(),
            }
        })
        .collect();
    let document = parse(&(lower.join("\n") + "\n"));
    assert_eq!(document.diagnostics(), []);
    assert_eq!(document.game(), parse(&upper).game());
    assert_eq!(document.canonical(), upper);
}

/// Check 4.
#[test]
fn unknown_lines_are_kept() {
    let with = text("hexham").replace("RULE NO_DIAS\n", "RULE NO_DIAS\nFROBNICATE   3\n");
    let mut document = parse(&with);
    assert_eq!(errors(&document), ["UNRECOGNIZED GAME DATA: FROBNICATE 3"]);
    let finding = &document.diagnostics()[0];
    assert_eq!((finding.line, finding.column), (15, 1));
    let mut game = document.game().clone();
    game.delay = 3;
    document.update(&game).unwrap();
    assert!(document.text().contains("\nFROBNICATE   3\n"));
    assert!(document.canonical().contains("\nFROBNICATE   3\n\nAUSTRIA\n"));
}

/// Check 5.
#[test]
fn second_deadline() {
    let document = parse(&text("hexham").replace("ZONE Europe/Paris\n", "DEADLINE 202501010000\nZONE Europe/Paris\n"));
    assert_eq!(errors(&document), ["TWO DEADLINES"]);
    assert_eq!(document.game().deadline, parse(&text("hexham")).game().deadline);
    assert!(document.canonical().contains("DEADLINE 202501010000\n\nAUSTRIA"));
}

/// Check 6.
#[test]
fn old_disband() {
    let document = parse(&text("ridley").replace("RETREAT A MUN - RUH", "RETREAT A MUN DISBAND"));
    assert_eq!(document.diagnostics(), []);
    assert_eq!(document.game().participant("GERMANY").unwrap().adjust, ["DISBAND A MUN"]);
    assert!(document.canonical().contains("\nDISBAND A MUN\n"));
}

/// Checks 8 and 9.
#[test]
fn takeover() {
    let beacon = parse(&text("beacon")).game().clone();
    let mut game = beacon.clone();
    assert!(game.take_over("GERMANY", "#210|hh@play.example|Hal_Hart".parse().unwrap(), None));
    assert_eq!(player(&game, "GERMANY"), "#210|hh@play.example|Hal_Hart F1903M #204|gg@play.example|Gus_Gale");
    assert_eq!(needs(&game), "");
    let mut game = beacon.clone();
    assert!(game.take_over("GERMANY", "#204|gg@play.example|Gus_Gale".parse().unwrap(), None));
    assert_eq!(player(&game, "GERMANY"), "#204|gg@play.example|Gus_Gale");
    let mut game = beacon;
    assert!(game.revive("GERMANY", None).unwrap());
    assert_eq!(player(&game, "GERMANY"), "#204|gg@play.example|Gus_Gale");
}

/// Check 10.
#[test]
fn resignation() {
    let mut document = parse(&text("hexham"));
    let mut game = document.game().clone();
    assert!(game.resign("FRANCE", false));
    assert_eq!(player(&game, "FRANCE"), "RESIGNED S1901M #203|ff@play.example|Fay_Fox");
    assert_eq!(needs(&game), "FRANCE-(3/3)");
    document.update(&game).unwrap();
    assert_eq!(document.game(), &game);
    let want = text("hexham").replace("START 5 July 2024\n", "START 5 July 2024\nNEED FRANCE-(3/3)\n").replace(
        "PLAYER #203|ff@play.example|Fay_Fox\nADDRESS ff@play.example\nPASSWORD pw-ff\n",
        "PLAYER RESIGNED S1901M #203|ff@play.example|Fay_Fox\n",
    );
    assert_eq!(document.text(), want);
}

/// Check 11.
#[test]
fn resignation_after_takeover() {
    let mut game = parse(&text("beacon")).game().clone();
    assert!(game.resign("FRANCE", false));
    let want = "RESIGNED F1903M #209|finn@travel.example|Finn_New S1902R #203|ff@play.example|Fay_Fox";
    assert_eq!(player(&game, "FRANCE"), want);
    assert_eq!(needs(&game), "GERMANY-(2/3) FRANCE-(7/7)");
}

/// Check 12.
#[test]
fn dummy() {
    let mut game = parse(&text("beacon")).game().clone();
    assert!(game.dummy("GERMANY"));
    assert_eq!(player(&game, "GERMANY"), "DUMMY F1903M #204|gg@play.example|Gus_Gale");
    assert_eq!(needs(&game), "");
    assert!(matches!(game.participant("ITALY").unwrap().player.as_ref().unwrap().current, Holder::Dummy));
}

// ---- with the board ----------------------------------------------------------------------------------------------

fn examined(text: &str) -> Vec<String> {
    examined_as(text, None)
}

fn examined_as(text: &str, variant: Option<Variant>) -> Vec<String> {
    let found = examine(&parse(text), variant, &BuiltIn);
    found.checked.diagnostics.iter().map(|d| format!("{}: {}", d.severity, d.text)).collect()
}

/// Check 1, with the board and rules.
#[test]
fn examples_fit_the_board() {
    for name in EXAMPLES {
        let found = examine(&parse(&text(name)), None, &BuiltIn);
        let owing = |d: &&chancery::status::Diagnostic| !d.text.starts_with("UNIT LEFT UNORDERED");
        assert_eq!(
            found.checked.diagnostics.iter().filter(owing).count(),
            0,
            "{name}: {:?}",
            found.checked.diagnostics
        );
        assert!(found.map.is_some());
    }
}

/// Check 3.
#[test]
fn empty_line_in_the_game_block() {
    let found = examined(&text("hexham").replace("RULE NO_DIAS", "\nRULE NO_DIAS"));
    assert_eq!(found, ["error: GAME HAS NO DEADLINE!", "error: NOT A POWER DECLARATION: RULE NO_DIAS"]);
}

/// Check 7.
#[test]
fn order_of_another_phase() {
    let found = examined(&text("willow").replace("BUILD F LON", "RETREAT A MUN - RUH"));
    assert_eq!(found, ["error: IMPROPER ORDER TYPE: RETREAT A MUN - RUH"]);
}

/// The error strings of status-file.md 8, each from one change of an example.
#[test]
fn error_strings() {
    let game = |line: &str| ("hexham", "RULE NO_DIAS".to_owned(), format!("RULE NO_DIAS\n{line}"));
    let swap = |file: &'static str, from: &str, to: &str| (file, from.to_owned(), to.to_owned());
    let cases = [
        (game("FROBNICATE 3"), "UNRECOGNIZED GAME DATA: FROBNICATE 3"),
        (swap("hexham", "VOTE SOLO\nMSG", "HELLO WORLD\nVOTE SOLO\nMSG"), "UNRECOGNIZED POWER DATA: HELLO WORLD"),
        (swap("hexham", "TURKEY\nPLAYER", "ATLANTIS\nPLAYER"), "NOT A POWER DECLARATION: ATLANTIS"),
        (swap("hexham", "TURKEY\nPLAYER", "OBSERVER FRANCE\nPLAYER"), "NOT A POWER DECLARATION: OBSERVER FRANCE"),
        (game("DELAY 73"), "BAD DELAY COUNT: 73"),
        (game("DELAY 0"), "BAD DELAY COUNT: 0"),
        (swap("hexham", "Europe/Paris", "Mars/Phobos"), "BAD TIME ZONE: Mars/Phobos"),
        (game("RULE FLYING_PIGS"), "NO SUCH RULE: FLYING_PIGS"),
        (game("RULE FLAT_TAX"), "RULE FLAT_TAX REQUIRES PAYOLA VARIANT"),
        (game("TIMING WARN"), "BAD TIMING"),
        (swap("hexham", "NEXT 1D", "NEXT 1X"), "BAD NEXT IN TIMING: 1X"),
        (swap("hexham", "NEXT 1D", "NEXT 0D"), "BAD NEXT IN TIMING: 0D"),
        (swap("hexham", "AT 20:00", "AT 25:00"), "BAD AT IN TIMING: 25:00"),
        (game("TIMING DAYS -------"), "BAD DAYS IN TIMING: -------"),
        (game("TIMING DAYS MTWTFSS"), "BAD DAYS IN TIMING: MTWTFSS"),
        (game("TIMING FUDGE 1D"), "BAD FUDGE IN TIMING: 1D"),
        (game("TIMING NEXT 1D"), "TWO NEXT SPECS IN TIMING"),
        (game("MAP standard"), "TWO MAP STATEMENTS"),
        (swap("hexham", "MAP standard", "MAP nosuchmap"), "MAP FILE NOT FOUND: nosuchmap.map"),
        (swap("hexham", "DEADLINE 202407122000\n", ""), "GAME HAS NO DEADLINE!"),
        (swap("hexham", "DEADLINE 202407122000", "DEADLINE 20241331"), "BAD DEADLINE: 20241331"),
        (swap("hexham", "PHASE SPRING 1901 MOVEMENT\n", ""), "NO PHASE SPECIFIED"),
        (swap("hexham", "SPRING 1901 MOVEMENT", "SPRING 1901 BANQUET"), "BAD PHASE (NOT IN FLOW)"),
        (swap("hexham", "SPRING 1901 MOVEMENT", "SPRING 19x1 MOVEMENT"), "NON-NUMERIC YEAR IN PHASE"),
        (game("PHASE FORMING"), "TWO AWAIT/PHASE/WAIT STATEMENTS"),
        (game("RESULT W1908A ENGLAND"), "RESULT WHILE PHASE NOT COMPLETED YET"),
        (swap("summit", "RESULT W1908A ENGLAND RUSSIA\n", ""), "COMPLETED WITHOUT RESULT"),
        (swap("tandem", "PROPOSAL DIAS FRANCE", "PROPOSAL DIAS"), "BAD PROPOSAL"),
        (swap("tandem", "RULE PROPOSE_DIAS\n", ""), "BAD PROPOSAL"),
        (swap("tandem", "ROTATE BEFORE MOVE", "ROTATE SOMETIMES MOVE"), "BAD CONTROL ROTATION"),
        (swap("tandem", "ROTATE BEFORE MOVE", "ROTATE BEFORE LUNCH"), "BAD CONTROL ROTATION"),
        (swap("lantern", "PRIVATE OAKTREE", "PRIVATE OAK TREE"), "INVALID PRIVATE STATEMENT"),
        (swap("hexham", "OWNS BER KIE MUN", "OWNS BER KIE PAR"), "PAR ALREADY OWNED"),
        (swap("hexham", "OWNS BER KIE MUN", "OWNS BER KIE QQQ"), "BAD OWNED CENTER: QQQ"),
        (swap("hexham", "A BER\n", "A PAR\n"), "TWO UNITS AT LOCATION: GERMANY: A PAR"),
        (swap("hexham", "A PAR\n", "F PAR\n"), "INVALID UNIT: FRANCE: F PAR"),
        (swap("hexham", "#204|", "#203|"), "FRANCE AND GERMANY HAVE THE SAME ID"),
        (swap("hexham", "#204|", "#101|"), "THE MASTER HAS THE SAME ID AS GERMANY"),
        (swap("hexham", "PLAYER #203|ff@play.example|Fay_Fox\n", ""), "NO PLAYER DATA FOR FRANCE"),
        (swap("hexham", "PLAYER #203|ff@play.example|Fay_Fox", "PLAYER #203"), "BAD PLAYER DATA FOR FRANCE"),
        (swap("hexham", "ADDRESS ff@play.example", "ADDRESS ff@play"), "BAD ADDRESS FOR FRANCE"),
        (swap("hexham", "PASSWORD pw-ff", "PASSWORD pw ff"), "BAD PASSWORD: pw ff"),
        (swap("hexham", "PASSWORD pw-ff", "PASSWORD pw-ff\nPASSWORD x"), "TWO PASSWORDS FOR FRANCE"),
        (swap("tandem", "CONTROL FRANCE", "CONTROL NOBODY"), "BAD CONTROL FOR ITALY"),
        (swap("hexham", "VOTE SOLO\nMSG", "VOTE MAYBE\nMSG"), "BAD VOTE FOR TURKEY"),
        (swap("hexham", "VOTE SOLO\nMSG", "VOTE 8WAY\nMSG"), "BAD VOTE FOR TURKEY"),
        (swap("hexham", "A LVP - YOR", "DANCE"), "BAD ORDER: DANCE"),
        (swap("hexham", "A LVP - YOR", "F EDI H"), "UNIT REORDERED: F EDI"),
        (swap("hexham", "A LVP - YOR", "A MAR - SPA"), "ORDER TO NON-EXISTENT UNIT: A MAR"),
        (swap("hexham", "A LVP\nORDERS", "A LVP\nBUILD A LON\nORDERS"), "ORDERS FOUND FOR PHASE NOT CURRENT"),
        (swap("willow", "BUILD A BUD", "REMOVE F ALB"), "MIXED ORDER TYPES: REMOVE F ALB"),
        (swap("willow", "BUILD A BUD", "BUILD A VIE"), "DUPLICATE ORDER: BUILD A VIE"),
        (swap("willow", "REMOVE A RUH", "REMOVE A MUN"), "BAD REMOVE FOR GERMANY: REMOVE A MUN"),
        (swap("ridley", "RETREAT A MUN - RUH", "RETREAT A MUN - SIL"), "BAD RETREAT FOR GERMANY: RETREAT A MUN - SIL"),
        (swap("ridley", "--> BOH RUH TYR", "--> BOH LON TYR"), "INVALID RETREAT: A MUN - LON"),
        (swap("hexham", "DESC\n", "NAME\n"), "UNTERMINATED NAME BLOCK"),
        (swap("hexham", "SPRING 1901 MOVEMENT", "S1901X"), "BAD YEAR IN GAME PHASE"),
        (game("LANGUAGE Latin"), "MAP LANGUAGE IS ENGLISH, NOT LATIN"),
        (game("LANGUAGE english\nLANGUAGE english"), "TWO LANGUAGE STATEMENTS"),
        (swap("hexham", "PHASE SPRING 1901 MOVEMENT", "SKIP SPRING 1901"), "SKIP REQUIRES SEASON, YEAR AND LOCK"),
        (swap("hexham", "PHASE SPRING 1901 MOVEMENT", "SKIP SPRING 1901 OFTEN"), "UNKNOWN SKIP LOCK: OFTEN"),
        (game("SKIP SPRING 1901 LATER"), "TWO AWAIT/PHASE/WAIT/SKIP STATEMENTS"),
        (game("LOCKS 2\nLOCKS 3"), "TWO LOCKS STATEMENTS"),
        (game("LOCKS 7"), "LOCKS SHOULD BE A NUMBER BETWEEN 2 AND 6"),
        (game("TAX -1"), "BAD TAX: -1"),
        (game("CAP 0"), "BAD CAP: 0"),
        (game("DELAY 2\nDELAY 3"), "TWO DELAYS"),
        (game("ZONE GMT"), "TWO TIME ZONES"),
        (game("MASTER #9|x@y.example|X"), "TWO MASTER STATEMENTS"),
        (game("ADDRESS x@y.example"), "TWO MASTER ADDRESSES"),
        (game("PASSWORD other"), "TWO MASTER PASSWORDS"),
        (game("TESTER\nTESTER"), "TWO TESTER STATEMENTS"),
        (game("START today"), "TWO START STATEMENTS"),
        (swap("summit", "FINISH 3 July 2024", "FINISH today\nFINISH 3 July 2024"), "TWO FINISH STATEMENTS"),
        (swap("tandem", "PROPOSAL DIAS FRANCE", "PROPOSAL DIAS FRANCE\nPROPOSAL DIAS ITALY"), "TWO PROPOSALS"),
        (game("ROTATE\nROTATE"), "TWO ROTATE STATEMENTS"),
        (game("JUDGE here\nJUDGE there"), "TWO JUDGE STATEMENTS"),
        (game("SIGNON a\nSIGNON b"), "TWO SIGNON STATEMENTS"),
        (swap("hexham", "MASTER #101|greta@gm.example|Greta_Holm\n", ""), "NO MASTER SPECIFIED"),
        (swap("hexham", "ADDRESS greta@gm.example", "ADDRESS greta"), "BAD MASTER ADDRESS: greta"),
        (game("TIMING WARN 1X"), "BAD WARN IN TIMING: 1X"),
        (game("TIMING GRACE 1"), "BAD GRACE IN TIMING: 1"),
        (game("TIMING START 2D"), "BAD START IN TIMING: 2D"),
        (game("TIMING NOT 20241301"), "BAD NOT IN TIMING: 20241301"),
        (game("TIMING RETREAT 0H"), "BAD RETREAT IN TIMING: 0H"),
        (swap("hexham", "PLAYER #203|ff@play.example|Fay_Fox", "PLAYER"), "NO PLAYER DATA"),
        (swap("hexham", "ADDRESS ff@", "PLAYER DUMMY\nADDRESS ff@"), "TWO PLAYERS FOR FRANCE"),
        (swap("hexham", "ADDRESS ff@play.example", "ADDRESS"), "NO ADDRESS DATA"),
        (swap("hexham", "PASSWORD pw-ff", "ADDRESS x@y.example"), "TWO ADDRESSES FOR FRANCE"),
        (
            swap("tandem", "CONTROL FRANCE RUSSIA TURKEY AUSTRIA ENGLAND GERMANY", "CONTROL"),
            "INVALID CONTROL FOR ITALY",
        ),
        (swap("tandem", "INHABITS NAP", "CONTROL MASTER\nINHABITS NAP"), "TWO CONTROLS FOR ITALY"),
        (swap("tandem", "INHABITS NAP", "PASSWORD x\nINHABITS NAP"), "TWO PASSWORDS FOR ITALY"),
        (swap("hexham", "PASSWORD pw-ff", "PASSWORD pw-ff\nCONTROL MASTER"), "TWO CONTROLS FOR FRANCE"),
        (swap("hexham", "MSG", "OMNISCIENT\nOMNISCIENT!\nMSG"), "DOUBLE OMNISCIENT?"),
        (swap("hexham", "MSG", "VOTE LOSS\nMSG"), "TWO VOTES FOR TURKEY"),
        (swap("hexham", "MSG", "SEES QQQ\nMSG"), "BAD SEEN CENTER: QQQ"),
        (swap("hexham", "MSG", "FUNDS\nMSG"), "NO FUNDS DATA"),
        (swap("hexham", "MSG", "FUNDS much\nMSG"), "BAD FUNDS: MUCH"),
        (swap("hexham", "MSG", "FUNDS $3 $4\nMSG"), "DUPLICATE FUND TYPE: $"),
        (swap("ridley", "DISBAND A BUL", "DISBAND F BLA"), "BAD DISBAND FOR TURKEY: DISBAND F BLA"),
        (swap("willow", "BUILD F LON", "BUILD A MUN"), "BAD BUILD FOR ENGLAND: BUILD A MUN"),
        (swap("hexham", "GAME hexham\n", ""), "NOT A GAME DECLARATION: PHASE SPRING 1901 MOVEMENT"),
    ];
    for ((file, from, to), want) in cases {
        let source = text(file);
        assert!(source.contains(&from), "{file}: {from}");
        let found = examined(&source.replacen(&from, &to, 1));
        assert!(found.contains(&format!("error: {want}")), "want {want}, got {found:?}");
    }
}

/// Where each finding points, and what it says would be right: the line, the column of the word, the cure.
#[test]
fn findings_point_at_the_word_and_name_the_cure() {
    let cases = [
        ("RULE NO_DIAS", "RULE NO_DAIS", "14: error: NO SUCH RULE: NO_DAIS (column 6; did you mean NO_DIAS?)"),
        (
            "RULE NO_DIAS",
            "RULE NO_DIAS\nDELAY 73",
            "15: error: BAD DELAY COUNT: 73 (column 7; a whole number from 1 to 72)",
        ),
        (
            "OWNS BER KIE MUN",
            "OWNS BER QQQ MUN",
            "67: error: BAD OWNED CENTER: QQQ (column 10; a supply centre of the map)",
        ),
        (
            "OWNS BER KIE MUN",
            "OWNS BER PAR\nOWNS KIE QQZ",
            "68: error: BAD OWNED CENTER: QQZ (column 10; a supply centre of the map)",
        ),
        ("VOTE SOLO\nMSG", "VOTE 8WAY\nMSG", "104: error: BAD VOTE FOR TURKEY (column 6; at most 7WAY)"),
        ("A BER\n", "A LEGION\n", "69: error: INVALID UNIT: GERMANY: A LEGION"),
        (
            "A LVP - YOR",
            "A LVP - MUN",
            "48: error: UNIT CANNOT MOVE INTO DESTINATION: A LVP - MUN (A LVP cannot move to MUN",
        ),
        ("A LVP - YOR", "A MAR - SPA", "48: error: ORDER TO NON-EXISTENT UNIT: A MAR (one of F EDI, F LON, A LVP)"),
        (
            "DEADLINE 202407122000\n",
            "",
            "1: error: GAME HAS NO DEADLINE! (a line DEADLINE yyyymmddhhmm, or RULE NO_DEADLINE)",
        ),
    ];
    for (from, to, want) in cases {
        let source = text("hexham");
        assert!(source.contains(from), "{from}");
        let found = examine(&parse(&source.replacen(from, to, 1)), None, &BuiltIn).checked.diagnostics;
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert!(found.iter().any(|line| line.starts_with(want)), "want {want}, got {found:#?}");
    }
}

/// Orders that could not be entered: what the old judge said of each (status-file.md 6, orders.md 5).
#[test]
fn orders_that_cannot_be() {
    let cases = [
        ("A LVP - MUN", "UNIT CANNOT MOVE INTO DESTINATION"),
        ("A LVP - NTH", "UNIT CANNOT MOVE INTO DESTINATION"),
        ("A LVP - LVP", "MOVING UNIT MAY NOT RETURN"),
        ("A LVP - QQQ", "UNRECOGNIZED DATA"),
        ("A LVP S A LVP", "UNIT CANNOT SUPPORT ITSELF"),
        ("A LVP S A MUN - YOR", "SUPPORTED UNIT CANNOT REACH DESTINATION"),
        ("A LVP S F LON - NTH", "UNIT CANNOT DELIVER SUPPORT TO DESTINATION"),
        ("A LVP S A PIC - BEL", "RECIPIENT DOES NOT EXIST"),
        ("A LVP S F MUN", "ORDER INCLUDES INVALID UNIT"),
        ("A LVP C A PAR - LON", "CONVOY ORDER FOR IMPROPER UNIT"),
    ];
    for (order, words) in cases {
        let file = text("hexham").replace("A LVP - YOR", order);
        let found: Vec<String> = examined(&file).into_iter().filter(|d| d.starts_with("error")).collect();
        assert_eq!(found, [format!("error: {words}: {order}")]);
    }
    // The rules of the game decide what could be entered.
    let signal = text("hexham").replace("A LVP - YOR", "A LVP S F LON - NTH ?");
    assert!(examined(&signal).iter().any(|d| d.starts_with("error")));
    let signal = signal.replace("RULE NO_DIAS", "RULE SIGNAL_SUPPORT");
    assert!(!examined(&signal).iter().any(|d| d.starts_with("error")), "{:?}", examined(&signal));
    let raw = text("hexham").replace("A LVP - YOR", "A LVP - MUN").replace("RULE NO_DIAS", "RULE NO_CHECK");
    assert!(!examined(&raw).iter().any(|d| d.starts_with("error")), "{:?}", examined(&raw));
}

/// LANGUAGE takes `NAME_language.map` where a site has it; that file may name another language of its own.
#[test]
fn the_map_of_a_language() {
    let site = tempfile::tempdir().unwrap();
    std::fs::create_dir(site.path().join("maps")).unwrap();
    let map = site.path().join("maps/standard_german.map");
    let game = site.path().join("status");
    std::fs::write(&game, text("hexham").replace("MAP standard\n", "LANGUAGE German\nMAP standard\n")).unwrap();
    let (root, game) = (site.path().to_str().unwrap(), game.to_str().unwrap());
    for (content, errors) in [("USE standard.map\n", 0), ("USE standard.map\nLANGUAGE latin\n", 1)] {
        std::fs::write(&map, content).unwrap();
        let (_, out) = chancery(&["status", "check", game, "--root", root]);
        assert!(out.ends_with(&format!("{errors} errors, 0 warnings\n")), "{out}");
        assert_eq!(out.contains("3: error: MAP LANGUAGE IS LATIN, NOT GERMAN"), errors == 1, "{out}");
    }
}

#[test]
fn too_many_players() {
    let mut file = text("lantern");
    for n in 2..=7 {
        file.push_str(&format!("\nPOWER POWER#{n}\nPLAYER #5{n}|p{n}@play.example|P_{n}\n"));
    }
    assert_eq!(examined(&file), ["error: THERE IS 1 MORE PLAYER THAN THERE ARE POSITIONS AVAILABLE"]);
    file.push_str("\nPOWER POWER#8\nPLAYER #58|p8@play.example|P_8\n");
    assert_eq!(examined(&file), ["error: THERE ARE 2 MORE PLAYERS THAN THERE ARE POSITIONS AVAILABLE"]);
}

#[test]
fn accepted_without_error() {
    let short = text("hexham").replace("SPRING 1901 MOVEMENT", "s1901m").replace("AT 20:00", "GRACE 0H");
    let document = parse(&short.replace("START", "NEED\nSTART"));
    let found = examine(&document, None, &BuiltIn);
    assert!(!found.checked.has_errors(), "{:?}", found.checked.diagnostics);
    assert_eq!(found.checked.game.phase, PhaseState::Running("SPRING 1901 MOVEMENT".into()));
}

#[test]
fn warnings() {
    let with = |line: &str| text("hexham").replace("RULE NO_DIAS", &format!("RULE NO_DIAS\n{line}"));
    let cases = [
        ("# a comment", "warning: COMMENT KEPT"),
        ("RULE BLIND", "warning: RULE NO_DIAS IS SWITCHED OFF BY RULE BLIND"),
        ("RULE SHOW_PHANTOM !FICTIONAL_OK", "warning: RULE !FICTIONAL_OK HAS NO EFFECT: RULE SHOW_PHANTOM FORCES IT"),
        ("RULE FLEX_SETUP", "warning: RULE FLEX_SETUP IS NOW BLANK_BOARD"),
        ("VICTORY 20", "warning: OLD LINE TAKEN AS MORPH: VICTORY 20"),
        ("TIMING SKIP", "warning: SKIP IN TIMING TAKEN AS RULE JUMP_OFF_DAYS"),
        ("TIMING BRUNCH 1D", "warning: UNKNOWN KEY IN TIMING: BRUNCH"),
    ];
    for (line, want) in cases {
        let found = examined(&with(line));
        assert!(found.contains(&want.to_owned()), "want {want}, got {found:?}");
        assert!(found.iter().all(|f| f.starts_with("warning")), "{found:?}");
    }
}

#[test]
fn variants_have_their_own_lines() {
    let payola = text("hexham")
        .replace("TIMING", "TAX 3\nTIMING")
        .replace(
            "F EDI\nF LON\nA LVP\nORDERS\nF EDI - NTH\nF LON - ENG\nA LVP - YOR\n",
            concat!(
                "FUNDS $34 12E\nF EDI\nF LON\nA LVP\n",
                "ELECT E:F\nSENT FRANCE\nACCEPT AEF\n5 F EDI - NTH % to the sea\nF LON - ENG | H\n% a remark\n"
            ),
        )
        .replace("ORDERS\nA BUD - SER\nA VIE - TRI\nF TRI - ALB\n", "")
        .replace("ORDERS\nA WAR - UKR\nA MOS S A WAR - UKR\nF SEV - BLA\nF STP/SC - BOT\n", "");
    let document = parse(&payola);
    assert_eq!(document.diagnostics(), []);
    assert_eq!(document.canonical().matches("TAX 3").count(), 1);
    assert_eq!(document.game().participant("ENGLAND").unwrap().variant_lines.len(), 6);
    assert_eq!(examined(&payola), Vec::<String>::new());
    assert!(!examined_as(&payola, Some(Variant::Standard)).is_empty());

    let crystal = text("hexham").replace("\nORDERS\n", "\nSOONER\n").replace("PHASE SPRING 1901", "SKIP SPRING 1901");
    let document = parse(&crystal);
    assert_eq!(document.game().participant("AUSTRIA").unwrap().lists[0].0, "SOONER");
    assert!(document.canonical().contains("SKIP SPRING 1901 LATER\n"));
    assert!(!examined(&crystal).iter().any(|d| d.starts_with("error")), "{:?}", examined(&crystal));
}

// ---- the program -------------------------------------------------------------------------------------------------

fn chancery(args: &[&str]) -> (i32, String) {
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_chancery")).args(args).output().unwrap();
    (out.status.code().unwrap(), String::from_utf8(out.stdout).unwrap())
}

#[test]
fn verbs() {
    let (code, out) = chancery(&["status", "check", &path("ridley")]);
    assert_eq!((code, out.as_str()), (0, "0 errors, 0 warnings\n"));
    let (code, out) = chancery(&["status", "fmt", &path("tandem")]);
    assert_eq!((code, out), (0, text("tandem")));

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("status");
    let broken = text("hexham").replace("DEADLINE 202407122000", "DEADLINE 20240712\nDELAY 73").replace('\n', "\r\n");
    std::fs::write(&file, broken).unwrap();
    let name = file.to_str().unwrap();
    let (code, out) = chancery(&["status", "check", name]);
    assert_eq!(code, 1);
    assert!(out.contains(&format!("{name}:15: warning: DEADLINE 20240712 TAKEN AS 202407120000")), "{out}");
    assert!(out.contains(&format!("{name}:16: error: BAD DELAY COUNT: 73")), "{out}");
    assert!(out.ends_with("1 errors, 1 warnings\n"), "{out}");
    let (code, out) = chancery(&["status", "fmt", name]);
    assert_eq!(code, 0);
    assert!(out.contains("DELAY 73\n\nAUSTRIA\n"), "{out}");
    assert_eq!(chancery(&["status", "fmt", &format!("{name}.none")]).0, 1);
    assert_eq!(chancery(&["status", "cook", name]).0, 2);
}

#[test]
fn json() {
    let (code, out) = chancery(&["status", "json", &path("ridley")]);
    assert_eq!(code, 0);
    assert!(!out.contains("heron7") && !out.contains("pw-gg"));
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(value["game"]["game"], "ridley");
    assert_eq!(value["game"]["phase"], "FALL 1902 RETREATS");
    assert_eq!(value["game"]["timing"], serde_json::json!([["NEXT", "1D"], ["MOVE", "2D"]]));
    assert_eq!(value["game"]["password"], "***");
    assert_eq!(value["game"]["rules_effective"], serde_json::json!([]));
    assert!(value["game"].get("zone").is_none());
    let germany = &value["participants"][3];
    assert_eq!(germany["retreats"], serde_json::json!({"A MUN": ["BOH", "RUH", "TYR"]}));
    assert_eq!(germany["adjust"], serde_json::json!(["RETREAT A MUN - RUH"]));
    assert_eq!(value["diagnostics"], serde_json::json!([]));
    let (_, out) = chancery(&["status", "json", "--with-secrets", &path("ridley")]);
    assert!(out.contains("heron7") && out.contains("pw-gg"));
}
