//! Status files: the worked examples and acceptance checks of status-file.md 11, properties of reading and
//! writing, and the verbs of `chancery status`.

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
