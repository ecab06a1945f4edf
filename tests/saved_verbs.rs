//! Games go out of a site as saved games and come in again, with the real program (saved-game-json.md 3 to 5).

mod ground;
mod support;

use chancery::status::{GameResult, Omniscient, Person, PhaseState, PlayerLine};
use ground::{chancery, ground, plant_secret, words};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use support::Site;

const NOW: &str = "2026-11-28T09:00:00Z";

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn parsed(output: &Output) -> Value {
    assert!(output.status.success(), "{}", words(output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn import(site: &Site, game: &str, more: &[&str]) -> Output {
    let mut arguments = vec!["import", "-", "--clock", NOW];
    arguments.extend(more);
    site.run(&arguments, game.as_bytes())
}

fn export(site: &Site, more: &[&str]) -> Output {
    let mut arguments = vec!["export"];
    arguments.extend(more);
    site.run(&arguments, b"")
}

/// Nothing is to be found by `verify`.
fn sound(site: &Site) {
    let looked = site.run(&["verify", "--clock", NOW], b"");
    assert!(looked.status.success(), "{}", words(&looked));
    let said = stdout(&looked);
    assert!(!said.contains("damage") && !said.contains("note"), "{said}");
}

/// Four phases of a small war, as another program might have written them: no homes, no times, an empty code, an order that
/// is none, and stars.
fn foreign() -> Value {
    let powers = ["AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY"];
    let phase = |name: &str, units: Value, retreats: Value, centers: Value, orders: Value, results: Value| {
        let mut all = (json!({}), json!({}), json!({}), json!({}));
        for power in powers {
            let list = |from: &Value| from.get(power).cloned().unwrap_or_else(|| json!([]));
            all.0[power] = list(&units);
            all.1[power] = retreats.get(power).cloned().unwrap_or_else(|| json!({}));
            all.2[power] = list(&centers);
            all.3[power] = orders.get(power).cloned().unwrap_or(Value::Null);
        }
        json!({"name": name, "state": {"name": name, "units": all.0, "retreats": all.1, "centers": all.2},
               "orders": all.3, "results": results, "messages": []})
    };
    let centers = json!({"FRANCE": ["BRE", "MAR", "PAR"], "GERMANY": ["BER", "KIE", "MUN"], "ENGLAND": ["LON"]});
    let later = json!({"FRANCE": ["BRE", "MAR", "PAR", "MUN"], "GERMANY": ["BER", "KIE"], "ENGLAND": ["LON"]});
    json!({"id": "Small War", "map": "standard", "rules": ["NO_PRESS", "IGNORE_ERRORS"], "phases": [
        phase("F1901M",
            json!({"FRANCE": ["A BUR", "A RUH", "F BRE"], "GERMANY": ["A MUN", "A BER"], "ENGLAND": ["A LON", "F NTH"]}),
            json!({}), centers.clone(),
            json!({"FRANCE": ["A BUR - MUN", "A RUH S A BUR - MUN", "F BRE - ATLANTIS"], "GERMANY": ["A MUN H"],
                   "ENGLAND": ["A LON - NWY VIA", "F NTH C A LON - NWY"]}),
            json!({"A BUR": [], "A RUH": [""], "F BRE": ["void"], "A MUN": ["dislodged"], "A BER": [], "A LON": [],
                   "F NTH": []})),
        phase("F1901R",
            json!({"FRANCE": ["A MUN", "A RUH", "F BRE"], "GERMANY": ["A BER", "*A MUN"], "ENGLAND": ["A NWY", "F NTH"]}),
            json!({"GERMANY": {"A MUN": ["BOH", "KIE", "SIL", "TYR"]}}), centers,
            json!({"GERMANY": ["A MUN R TYR"]}), json!({"A MUN": []})),
        phase("W1901A",
            json!({"FRANCE": ["A MUN", "A RUH", "F BRE"], "GERMANY": ["A BER", "A TYR"], "ENGLAND": ["A NWY", "F NTH"]}),
            json!({}), {
                let mut centers = later.clone();
                centers["ENGLAND"] = json!(["LON", "NWY"]);
                centers
            },
            json!({"FRANCE": ["A PAR B"]}), json!({"A PAR": []})),
        phase("S1902M",
            json!({"FRANCE": ["A MUN", "A RUH", "F BRE", "A PAR"], "GERMANY": ["A BER", "A TYR"],
                   "ENGLAND": ["A NWY", "F NTH"]}),
            json!({}), {
                let mut centers = later;
                centers["ENGLAND"] = json!(["LON", "NWY"]);
                centers
            },
            json!({}), json!({})),
    ]})
}

#[test]
fn a_game_of_another_program_comes_in_and_goes_out() {
    let site = Site::empty(Vec::new());
    let game = foreign();
    let done = import(&site, &game.to_string(), &["--verify", "--master", "mira@example.org|Mira Hall"]);
    assert!(done.status.success(), "{}", words(&done));
    assert_eq!(stdout(&done), "small-war: 4 phases, last S1902M\n");
    assert_eq!(stderr(&done), "import: note: rule IGNORE_ERRORS is of the Python package only; it is left out\n");
    assert_eq!(site.index("small-war").state.word(), "waiting");
    let here = site.game("small-war");
    assert_eq!(here.phase, PhaseState::Running("SPRING 1902 MOVEMENT".into()));
    assert_eq!(here.rules, ["NO_PRESS"]);
    let line = here.master.as_ref().expect("a Master").to_string();
    assert!(line.ends_with("mira@example.org|Mira_Hall"), "{line}");
    assert!(here.participants.len() == 7 && here.participants.iter().all(|p| p.is_dummy() && p.address.is_empty()));
    assert!(here.deadline.is_some());
    sound(&site);
    let replayed = site.run(&["verify", "--replay", "--clock", NOW], b"");
    assert!(replayed.status.success(), "{}", words(&replayed));

    // The human results are what a judge would have written.
    let results = site.file("small-war", "results");
    for line in [
        "Subject: Diplomacy results small-war F1901M",
        "France: Army Burgundy -> Munich.\n",
        "France: Fleet Brest HOLD.  (*void*)",
        "Germany: Army Munich HOLD.  (*dislodged*)",
        "The German army in Munich can retreat to Bohemia or Kiel or Silesia or\nTyrolia.",
        "France: Army Ruhr SUPPORT Army Burgundy -> Munich.\n",
        "The next phase of 'small-war' will be Retreats for Fall of 1901.",
        "Germany:    Army Munich -> Tyrolia.",
        "Ownership of supply centers:",
        "France:     Builds an army in Paris.",
        "England:     2 Supply centers,  2 Units:",
    ] {
        assert!(results.contains(line), "{line}\n-- not in --\n{results}");
    }

    // What went in comes out, with what every reader may expect beside it.
    let back = parsed(&export(&site, &["small-war"]));
    for (want, got) in game["phases"].as_array().unwrap().iter().zip(back["phases"].as_array().unwrap()) {
        assert_eq!(want["name"], got["name"]);
        assert_eq!(want["orders"], got["orders"], "{}", want["name"]);
        for part in ["units", "retreats", "centers"] {
            assert_eq!(want["state"][part], got["state"][part], "{} {part}", want["name"]);
        }
        assert!(got["state"]["homes"]["FRANCE"] == json!(["BRE", "MAR", "PAR"]), "{got}");
        assert!(got["state"].get("timestamp").is_none(), "{got}");
    }
    assert_eq!(back["phases"][0]["results"]["A RUH"], json!([]));
    assert_eq!(back["phases"][2]["state"]["builds"]["FRANCE"], json!({"count": 1, "homes": ["MAR", "PAR"]}));
    assert_eq!(back["phases"][2]["state"]["builds"]["ENGLAND"], json!({"count": 0, "homes": []}));
    let again = import(&site, &back.to_string(), &["--as", "twin"]);
    assert!(again.status.success(), "{}", words(&again));
    assert_eq!(
        stdout(&export(&site, &["twin"])),
        stdout(&export(&site, &["small-war"])).replacen("small-war", "twin", 1)
    );
}

#[test]
fn what_is_wrong_is_said_where_and_nothing_is_made() {
    let site = Site::empty(Vec::new());
    let before = ground::tree(&site.root());
    let good = foreign();
    let wrong = |change: &dyn Fn(&mut Value), more: &[&str], want: &str| {
        let mut game = good.clone();
        change(&mut game);
        let refused = import(&site, &game.to_string(), more);
        assert_eq!((refused.status.code(), stdout(&refused)), (Some(1), String::new()), "{}", words(&refused));
        let said = stderr(&refused);
        let last = said.lines().last().unwrap_or_default();
        assert_eq!(last, format!("import: {want}"));
        assert_eq!(ground::tree(&site.root()), before, "{want}");
    };
    let bad_unit = |game: &mut Value| game["phases"][3]["state"]["units"]["FRANCE"][2] = json!("A BRS");
    wrong(&bad_unit, &[], "phases[3].state.units.FRANCE: INVALID UNIT: A BRS");
    wrong(
        &|g| g["phases"][1]["state"]["retreats"]["GERMANY"]["A MUN"][0] = json!("PAR"),
        &[],
        "phases[1].state.retreats.GERMANY: INVALID RETREAT: A MUN - PAR",
    );
    wrong(
        &|g| g["phases"][1]["state"]["centers"]["ITALY"] = json!(["RUH"]),
        &[],
        "phases[1].state.centers.ITALY: INVALID CENTER: RUH",
    );
    wrong(&|g| g["phases"][1]["name"] = json!("X1901M"), &[], "phases[1].name: bad phase: X1901M");
    wrong(&|g| g["phases"][2]["name"] = json!("S1901M"), &[], "phases[2].name: S1901M cannot follow F1901R");
    wrong(&|g| g["map"] = json!("../standard"), &[], "map: unknown map: ../standard");
    wrong(
        &|g| g["rules"][0] = json!("FREEZE"),
        &[],
        "rules[0]: unknown rule: FREEZE (--ignore-unknown-rules leaves it out)",
    );
    wrong(
        &|g| g["id"] = json!("status"),
        &[],
        "id: 'status' cannot be the name of a game (want 1 to 32 lower-case letters, digits, '_' or '-', first a letter or a digit)",
    );
    wrong(&|_| {}, &["--state", "completed"], "--state: the last phase is S1902M: the game cannot be completed");
    wrong(&|_| {}, &["--line", "2"], "there is no object 2 in the input, only 1");
    wrong(&|g| g["phases"] = json!([]), &[], "phases: empty");
    let heading = json!(["void\nSubject: Diplomacy results small-war S1999M"]);
    wrong(
        &|g| g["phases"][0]["results"]["A BUR"] = heading.clone(),
        &[],
        "phases[0].results.A BUR: a code with a control character",
    );
    let without_turkey = |game: &mut Value| {
        for phase in game["phases"].as_array_mut().unwrap() {
            phase["orders"].as_object_mut().unwrap().remove("TURKEY");
            for part in ["units", "retreats", "centers"] {
                phase["state"][part].as_object_mut().unwrap().remove("TURKEY");
            }
        }
    };
    wrong(&without_turkey, &[], "map: the map standard has TURKEY, which is not in the game");
    wrong(&|g| g["phases"] = json!(vec![g["phases"][0].clone(); 2001]), &[], "2001 phases are more than 2000");
    let mut long = br#"{"id": ""#.to_vec();
    long.resize((64 << 20) + 1, b'a');
    let refused = site.run(&["import", "-"], &long);
    assert_eq!(stderr(&refused), "import: object 1 has more than 67108864 bytes\n");
    let refused = import(&site, "not a game", &[]);
    assert_eq!(stderr(&refused), "import: bad JSON: line 1: want an object, got 'n'\n");
    assert_eq!(site.run(&["import", "-", "--master", "mira"], b"{}").status.code(), Some(2));

    // The rule can be left out, the second of several games be taken; a name is taken once.
    let mut rules = good.clone();
    rules["rules"][0] = json!("FREEZE");
    let several = format!("{rules}\n{good}\n");
    let done = import(&site, &several, &["--ignore-unknown-rules", "--as", "one"]);
    assert!(
        done.status.success() && stderr(&done).contains("note: unknown rule FREEZE is left out"),
        "{}",
        words(&done)
    );
    let done = import(&site, &several, &["--line", "2", "--old-judge", "--state", "preparation"]);
    assert!(done.status.success(), "{}", words(&done));
    assert_eq!(site.game("small-war").rules, ["NO_PRESS", "OLD_JUDGE"]);
    assert_eq!(site.index("small-war").state.word(), "preparation");
    let refused = import(&site, &several, &["--as", "one"]);
    assert_eq!(stderr(&refused), "import: there is a game one here; choose another name (--as)\n");
    sound(&site);
}

#[test]
fn verify_tells_the_first_difference_and_keeps_what_was_filed() {
    let site = Site::empty(Vec::new());
    let mut game = foreign();
    game["phases"][2]["state"]["units"]["GERMANY"] = json!(["A BER", "A BOH"]);
    game["phases"][3]["state"]["units"]["GERMANY"] = json!(["A BER", "A BOH"]);
    let done = import(&site, &game.to_string(), &["--verify"]);
    assert!(done.status.success(), "{}", words(&done));
    let said = stderr(&done);
    assert!(said.contains("import: warning: phases[1] F1901R: units of GERMANY"), "{said}");
    let back = parsed(&export(&site, &["small-war"]));
    assert_eq!(back["phases"][2]["state"]["units"]["GERMANY"], json!(["A BER", "A BOH"]));
    sound(&site);
    // Deciding again differs, which is no damage of this site's.
    let replayed = site.run(&["verify", "--replay", "--clock", NOW], b"");
    assert!(replayed.status.success(), "{}", words(&replayed));
    let said = stdout(&replayed);
    assert!(said.contains("note: F1901R was played elsewhere and is decided otherwise here"), "{said}");
}

/// Press of all kinds.
const PRESS: &str = "\
:: S1901M FRANCE All\nBroadcast message from France in balkan9:\n\nBonjour.\n\n\
:: S1901M FRANCE ENGLAND\nMessage from France to England in balkan9:\n\nprivate-1\n\n\
:: S1901M ITALY All | Somebody All\nBroadcast message in balkan9:\n\ngrey-2\n\n\
:: S1901M ITALY ENGLAND | TURKEY ENGLAND\nMessage from Turkey to England in balkan9:\n\nfalse-3\n";

#[test]
fn a_running_game_keeps_its_secrets() {
    let site = Site::of_fixture();
    let mut game = site.game("balkan9");
    let france = game.participants.iter_mut().find(|p| p.name == "FRANCE").unwrap();
    france.orders = Some(vec!["A PAR - BUR".into(), "A MAR S A PAR - BUR".into(), "F BRE - ENG".into()]);
    game.timing = vec![("NEXT".into(), "1D".into()), ("NOT".into(), "20261201-20261205".into())];
    game.rules = vec!["EAVESDROP".into(), "FAKE_PRESS".into()];
    site.put(&game, &site.index("balkan9"));
    std::fs::write(site.root().join("games/balkan9/press"), PRESS).unwrap();
    let output = export(&site, &["balkan9"]);
    let text = stdout(&output);
    let saved = parsed(&output);
    let phase = &saved["phases"][0];
    assert_eq!((saved["phases"].as_array().unwrap().len(), &phase["name"]), (1, &json!("S1901M")));
    assert!(phase["orders"].as_object().unwrap().values().all(Value::is_null), "{text}");
    assert_eq!(phase["results"], json!({}));
    assert_eq!(phase["messages"].as_array().unwrap().len(), 1);
    assert_eq!(phase["messages"][0]["message"], "Bonjour.");
    assert_eq!(saved["rules"], json!(["FAKE_PRESS"]));
    assert_eq!(saved["chancery"]["timing"], "NEXT 1D");
    assert!(saved["chancery"]["deadline"].is_string() && saved["chancery"].get("private").is_none());
    let mut secrets = vec!["private-1", "grey-2", "false-3", "EAVESDROP", "20261201", "BUR", "PASSWORD", "argon2"];
    let passwords: Vec<String> = game.participants.iter().filter_map(|p| p.password.clone()).collect();
    let people: Vec<&Person> = game.participants.iter().filter_map(|p| p.player.as_ref()?.person()).collect();
    secrets.extend(passwords.iter().map(String::as_str));
    secrets.extend(people.iter().flat_map(|p| p.addresses.iter().map(String::as_str).chain([p.name.as_str()])));
    secrets.extend(game.password.as_deref());
    assert!(people.len() > 3 && passwords.len() > 3);
    for secret in secrets {
        assert!(!text.contains(secret), "{secret} in {text}");
    }

    // Private press of a running game is marked, and goes out as it was shown.
    let private = parsed(&export(&site, &["balkan9", "--press"]));
    assert_eq!(private["chancery"]["private"], true);
    let said: Vec<(&str, &str)> = private["phases"][0]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (m["sender"].as_str().unwrap(), m["recipient"].as_str().unwrap()))
        .collect();
    assert_eq!(said, [("FRANCE", "GLOBAL"), ("FRANCE", "ENGLAND"), ("SYSTEM", "GLOBAL"), ("TURKEY", "ENGLAND")]);

    // What it becomes elsewhere: the same, but for the clock, which is set there.
    let done = import(&site, &private.to_string(), &["--as", "twin"]);
    assert!(done.status.success(), "{}", words(&done));
    let mut twin = parsed(&export(&site, &["twin", "--press"]));
    for key in ["deadline", "zone", "timing"] {
        twin["chancery"][key] = private["chancery"][key].clone();
    }
    twin["id"] = json!("balkan9");
    assert_eq!(twin, private);
    assert!(site.game("twin").participants.iter().all(|p| p.omniscient == Omniscient::No && p.password.is_none()));
}

#[test]
fn blind_and_unbegun_games_do_not_go_out() {
    let site = Site::of_fixture();
    let refused = |name: &str, want: &str| {
        let output = export(&site, &[name]);
        assert_eq!((output.status.code(), stdout(&output)), (Some(1), String::new()));
        assert_eq!(stderr(&output), format!("export: {want}\n"));
    };
    refused("form7", "game has not begun");
    refused("nowhere", "there is no game nowhere");
    let (mut game, index) = (site.game("balkan9"), site.index("balkan9"));
    game.rules.push("BLIND".into());
    site.put(&game, &index);
    refused("balkan9", "game is running and BLIND");
    // When it is over everybody may know.
    game.phase = PhaseState::Completed;
    game.deadline = None;
    game.result = Some(GameResult { phase: "S1901M".into(), victors: vec!["FRANCE".into(), "ITALY".into()] });
    site.put(&game, &chancery::judge::IndexLine { state: chancery::judge::GameState::Completed, ..index.clone() });
    let saved = parsed(&export(&site, &["balkan9"]));
    assert_eq!(saved["chancery"]["result"], json!(["S1901M", "FRANCE", "ITALY"]));
    assert_eq!(saved["phases"][0]["state"]["note"], "Draw between: FRANCE, ITALY");
    let done = import(&site, &saved.to_string(), &["--as", "twin"]);
    assert_eq!(stdout(&done), "twin: 1 phases, last COMPLETED\n", "{}", words(&done));
    assert_eq!(site.game("twin").result, game.result);
    assert_eq!(site.index("twin").state.word(), "completed");
    let twin = stdout(&export(&site, &["twin"])).replacen("twin", "balkan9", 1);
    assert_eq!(twin, format!("{saved}\n"));
    site.put(&site.game("vac5"), &chancery::judge::IndexLine { variant: "payola".into(), ..site.index("vac5") });
    refused("vac5", "game is running and Payola");
}

/// A game that an old judge played has its results in words only.
#[test]
fn a_game_of_an_old_judge_goes_out() {
    let site = Site::empty(Vec::new());
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/dpjudge");
    let taken = site.run(&["import-dpjudge", data.to_str().unwrap(), "--only", "hexham", "--clock", NOW], b"");
    assert!(taken.status.success(), "{}", words(&taken));
    let saved = parsed(&export(&site, &["hexham"]));
    let phase = &saved["phases"][0];
    assert_eq!(phase["name"], "S1901M");
    assert_eq!(phase["orders"]["AUSTRIA"], json!(["A BUD - SER", "A VIE - TRI", "F TRI - ALB"]));
    assert_eq!(phase["results"]["A BUD"], json!([]));
    assert_eq!(phase["state"]["timestamp"], 1_795_809_612_000_000_i64);
    let text = saved.to_string();
    assert!(!text.contains("play.example") && !text.contains("pw-") && !text.contains("Ames"), "{text}");
}

fn python() -> Option<PathBuf> {
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/venv/bin/python3");
    let named = std::env::var_os("CHANCERY_PYTHON").map(PathBuf::from);
    let has = |p: &PathBuf| {
        let tried = Command::new(p).args(["-c", "import diplomacy.utils.export"]).stderr(Stdio::null()).output();
        tried.is_ok_and(|out| out.status.success())
    };
    named.into_iter().chain([venv, "python3".into()]).find(has)
}

/// The parts of a report that follow from the game alone, not from the house and its clock.
fn deeds(results: &str, game: &str) -> Vec<String> {
    let ours = |line: &&str| {
        let of_house = ["From ", ":: ", "The deadline for orders"].iter().any(|head| line.starts_with(head));
        !of_house
    };
    let text = results.replace(&format!("{game}."), "GAME.").replace(&format!("'{game}'"), "'GAME'");
    let text = text.replace(&format!("results {game} "), "results GAME ");
    let all: Vec<&str> = text.lines().filter(ours).collect();
    let whole = all.join("\n");
    let entries = whole.split("Subject: ").filter(|entry| entry.starts_with("Diplomacy results"));
    entries.map(|entry| entry.trim_end().to_owned()).collect()
}

#[test]
fn the_sample_game_goes_out_and_comes_back() {
    let place = ground();
    let root = place.path().join("site");
    plant_secret(&root);
    let played = chancery().args(["demo", "--once", "--root"]).arg(&root).output().expect("the program starts");
    assert!(played.status.success(), "{}", words(&played));
    let run = |arguments: &[&str]| chancery().args(arguments).arg("--root").arg(&root).output().expect("it starts");
    let file = |game: &str, name: &str| std::fs::read_to_string(root.join("games").join(game).join(name)).unwrap();

    let first = run(&["export", "demo"]);
    let text = stdout(&first);
    assert_eq!(text, stdout(&run(&["export", "demo"])), "the same state, the same bytes");
    let saved = parsed(&first);
    assert_eq!(saved["phases"].as_array().unwrap().len(), 35);
    assert_eq!(saved["phases"][34]["name"], "COMPLETED");
    assert_eq!(saved["phases"][34]["state"]["note"], "Victory by: FRANCE");
    assert_eq!(saved["chancery"]["result"][1], "FRANCE");
    let pretty = run(&["export", "demo", "--pretty"]);
    assert!(stdout(&pretty).lines().count() > 1000);
    assert_eq!(parsed(&pretty), saved);

    // Nothing of people: neither addresses nor names nor passwords.
    for word in ["player.example", "master.example", "Ames", "Holm", "Gale", "quartz-ada", "heron-demo", "argon2"] {
        assert!(!text.contains(word), "{word}");
    }

    // It comes in as another game, which goes out as the same.
    std::fs::write(place.path().join("demo.json"), &text).unwrap();
    let path = place.path().join("demo.json");
    let path = path.to_str().unwrap();
    let done = run(&["import", path, "--as", "again", "--verify"]);
    assert!(done.status.success(), "{}", words(&done));
    assert_eq!((stdout(&done).as_str(), stderr(&done).as_str()), ("again: 35 phases, last COMPLETED\n", ""));
    assert_eq!(stdout(&run(&["export", "again"])), text.replacen("\"id\":\"demo\"", "\"id\":\"again\"", 1));

    // Its reports are the judge's own words, phase by phase.
    let (want, got) = (deeds(&file("demo", "results"), "demo"), deeds(&file("again", "results"), "again"));
    assert_eq!(want.len(), 34);
    for (want, got) in want.iter().zip(&got) {
        assert_eq!(want, got);
    }
    assert_eq!(want.len(), got.len());
    for status in ["status.S1901M", "status.F1905M"] {
        let orders = |game: &str| -> Vec<String> {
            let text = file(game, status);
            text.lines()
                .filter(|l| l.contains(" - ") || l.contains(" S ") || l.contains(" H"))
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(orders("demo"), orders("again"), "{status}");
    }
    for verify in [&["verify"][..], &["verify", "--replay"]] {
        let looked = run(verify);
        assert!(looked.status.success(), "{}", words(&looked));
        assert!(!stdout(&looked).contains("games/again"), "{}", words(&looked));
    }
    assert!(root.join("web/game/again/index.html").exists());

    // A part of it is a running game: the last phase has no orders, and no winner is told.
    let part = run(&["export", "demo", "--until", "F1905M"]);
    let half = parsed(&part);
    let last = half["phases"].as_array().unwrap().last().unwrap();
    assert_eq!(last["name"], "F1905M");
    assert!(last["orders"].as_object().unwrap().values().all(Value::is_null) && last["results"] == json!({}));
    assert_eq!(half["chancery"]["result"], Value::Null);
    std::fs::write(place.path().join("half.json"), stdout(&part)).unwrap();
    let path = place.path().join("half.json");
    let done = run(&["import", path.to_str().unwrap(), "--as", "half", "--verify"]);
    assert!(done.status.success() && stderr(&done).is_empty(), "{}", words(&done));
    assert_eq!(stdout(&run(&["export", "half"])), stdout(&part).replacen("\"id\":\"demo\"", "\"id\":\"half\"", 1));
    let refused = run(&["export", "demo", "--until", "S1999M"]);
    assert_eq!(stderr(&refused), "export: demo has no phase S1999M (want S1901M to COMPLETED)\n");

    // The package that the format comes from loads it and replays it.
    let Some(python) = python() else {
        let skipped = "the Python package `diplomacy` is not installed (sh tests/setup.sh installs it in target/venv)";
        assert!(std::env::var_os("CI").is_none(), "{skipped}");
        eprintln!("not replayed there: {skipped}");
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/replay.py");
    let replayed = Command::new(python).arg(script).arg(place.path().join("demo.json")).output().unwrap();
    assert!(replayed.status.success(), "{}", words(&replayed));
    assert_eq!(stdout(&replayed).trim(), "34");
}

/// What that package saves comes in without a difference, and goes out with the same play.
#[test]
fn a_game_of_the_python_package_comes_in() {
    let Some(python) = python() else {
        assert!(std::env::var_os("CI").is_none(), "the Python package `diplomacy` is not installed");
        eprintln!("skipped: the Python package `diplomacy` is not installed");
        return;
    };
    let site = Site::empty(Vec::new());
    let file = site.root().join("../played.json");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/play.py");
    let played = Command::new(python).arg(script).arg(&file).output().unwrap();
    assert!(played.status.success(), "{}", words(&played));
    let text = std::fs::read_to_string(&file).unwrap();
    let game: Value = serde_json::from_str(&text).unwrap();
    let done = import(&site, &text, &["--verify"]);
    assert!(done.status.success() && stderr(&done).is_empty(), "{}", words(&done));
    assert_eq!(stdout(&done), "played-elsewhere: 4 phases, last S1902M\n");
    sound(&site);
    let back = parsed(&export(&site, &["played-elsewhere"]));
    for (at, want) in game["phases"].as_array().unwrap().iter().enumerate() {
        let got = &back["phases"][at];
        for part in ["units", "retreats", "centers", "homes", "builds"] {
            assert_eq!(want["state"][part], got["state"][part], "{} {part}", want["name"]);
        }
        if at < 3 {
            assert_eq!((&want["orders"], &want["state"]["timestamp"]), (&got["orders"], &got["state"]["timestamp"]));
        }
    }
    assert_eq!(back["phases"][0]["results"]["A MAR"], json!(["bounce"]));
}

/// The Master that nobody names is the judgekeeper.
#[test]
fn without_a_master_the_judgekeeper_is_it() {
    let site = Site::empty(Vec::new());
    let done = import(&site, &foreign().to_string(), &["--as", "mine"]);
    assert!(done.status.success(), "{}", words(&done));
    let game = site.game("mine");
    assert_eq!(game.address, ["keeper@judge.example"]);
    assert!(game.master.as_ref().and_then(PlayerLine::person).is_some());
    assert!(game.password.is_none());
}

/// Dummies that the map gives to others are theirs in a game that comes in, as in one that begins here.
#[test]
fn who_runs_a_dummy_of_the_map_runs_it_in_an_imported_game() {
    let site = Site::empty(Vec::new());
    let map = "USE standard\nDUMMY AUSTRIA\nAUSTRIA\nCONTROL FRANCE ITALY\n";
    std::fs::write(site.root().join("maps/ours.map"), map).expect("a map");
    let mut game = foreign();
    game["map"] = json!("ours");
    let done = import(&site, &game.to_string(), &["--as", "mine", "--master", "gm@example.org|Greta"]);
    assert!(done.status.success(), "{}", words(&done));
    let phases: Vec<&str> =
        game["phases"].as_array().into_iter().flatten().filter_map(|phase| phase["name"].as_str()).collect();
    let copies = phases.iter().take(phases.len() - 1).map(|phase| format!("status.{phase}"));
    for file in copies.chain(["status".to_owned()]) {
        let text = site.file("mine", &file);
        assert_eq!(text.matches("CONTROL FRANCE ITALY\n").count(), 1, "{file}: {text}");
    }
    sound(&site);
}

/// A game that was ended by agreement in the phase after the last one that was played, with a written path.
fn drawn() -> Value {
    let mut game = foreign();
    game["phases"][3]["name"] = json!("COMPLETED");
    game["phases"][3]["state"]["name"] = json!("COMPLETED");
    game["chancery"] = json!({
        "format": 1,
        "result": ["S1902M", "FRANCE", "ENGLAND"],
        "paths": {"F1901M": {"A LON": "A LON - NTH - NWY"}},
    });
    game
}

#[test]
fn a_draw_and_a_written_path_come_along() {
    let site = Site::empty(Vec::new());
    let done = import(&site, &drawn().to_string(), &["--verify"]);
    assert!(done.status.success() && !stderr(&done).contains("warning"), "{}", words(&done));
    assert_eq!(stdout(&done), "small-war: 4 phases, last COMPLETED\n");
    assert!(site.file("small-war", "status.F1901M").contains("\nA LON - NTH - NWY\n"));
    let result = site.game("small-war").result.expect("a result");
    assert_eq!((result.phase.as_str(), result.victors.join(" ").as_str()), ("S1902M", "FRANCE ENGLAND"));
    let results = site.file("small-war", "results");
    assert!(results.contains("The next phase of 'small-war' will be Movement for Spring of 1902."), "{results}");
    assert!(!results.contains("The game is over"), "{results}");
    let saved = parsed(&export(&site, &["small-war"]));
    assert_eq!(saved["chancery"]["result"], json!(["S1902M", "FRANCE", "ENGLAND"]));
    assert_eq!(saved["chancery"]["paths"], json!({"F1901M": {"A LON": "A LON - NTH - NWY"}}));
    assert_eq!(saved["phases"][0]["orders"]["ENGLAND"][0], "A LON - NWY VIA");
    assert_eq!(saved["phases"][3]["state"]["note"], "Draw between: FRANCE, ENGLAND");
    sound(&site);
    // Without a result of ours, the note tells who it was.
    let mut elsewhere = drawn();
    elsewhere.as_object_mut().unwrap().remove("chancery");
    elsewhere["phases"][3]["state"]["note"] = json!("Draw between Russia and Turkey.");
    let done = import(&site, &elsewhere.to_string(), &["--as", "noted"]);
    assert!(done.status.success(), "{}", words(&done));
    assert_eq!(site.game("noted").result.expect("a result").victors, ["RUSSIA", "TURKEY"]);
}

/// What a power built unseen is in no file while the game goes on (HIDE_BUILDS).
#[test]
fn hidden_units_stay_hidden_until_the_end() {
    let site = Site::of_fixture();
    let (mut game, index) = (site.game("balkan9"), site.index("balkan9"));
    game.rules = vec!["HIDE_BUILDS".into()];
    let france = game.participants.iter_mut().find(|p| p.name == "FRANCE").unwrap();
    france.hides = vec!["A PAR".into()];
    site.put(&game, &index);
    let saved = parsed(&export(&site, &["balkan9"]));
    assert_eq!(saved["phases"][0]["state"]["units"]["FRANCE"], json!(["F BRE", "A MAR"]));
    game.phase = PhaseState::Completed;
    game.deadline = None;
    game.result = Some(GameResult { phase: "S1901M".into(), victors: vec!["FRANCE".into()] });
    site.put(&game, &chancery::judge::IndexLine { state: chancery::judge::GameState::Completed, ..index });
    let saved = parsed(&export(&site, &["balkan9"]));
    assert_eq!(saved["phases"][0]["state"]["units"]["FRANCE"], json!(["F BRE", "A MAR", "A PAR"]));
}

/// Whatever dies when, there is a whole game or none.
#[test]
fn an_import_happens_as_a_whole_or_not_at_all() {
    let (mut made, mut none) = (0, 0);
    for at in (1..).step_by(2) {
        let site = Site::empty(Vec::new());
        let file = site.root().join("../war.json");
        std::fs::write(&file, foreign().to_string()).unwrap();
        let output = chancery()
            .args(["import", file.to_str().unwrap(), "--clock", NOW, "--root"])
            .arg(site.root())
            .env("CHANCERY_CRASH_AT", at.to_string())
            .output()
            .unwrap();
        let out = export(&site, &["small-war"]);
        let looked = site.run(&["publish", "--clock", NOW], b"");
        assert!(looked.status.success(), "{}", words(&looked));
        sound(&site);
        match out.status.success() {
            true => {
                assert_eq!(parsed(&out)["phases"].as_array().unwrap().len(), 4, "stopped at {at}");
                made += 1;
            }
            false => {
                assert_eq!(stderr(&out), "export: there is no game small-war\n", "stopped at {at}");
                none += 1;
            }
        }
        if output.status.success() {
            break;
        }
    }
    assert!(made > 2 && none > 2, "{made} made, {none} not");
}
