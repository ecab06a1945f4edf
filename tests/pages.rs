//! Pages of the sample game: what they hold, what they must not hold, and that they are the same every time.

use chancery::diplomacy::map::library::Library;
use chancery::diplomacy::map::load;
use chancery::diplomacy::rules::{Rule, Variant, resolve};
use chancery::judge::table::{House, Records, Table};
use chancery::judge::{GameState, IndexLine};
use chancery::pages::assets;
use chancery::pages::banner::Words;
use chancery::pages::{Card, Facts, MapView, Tree, game_files, site_files};
use chancery::referee::diplomacy::{Compiled, Diplomacy};
use chancery::referee::{Acting, Referee};
use chancery::status::{Document, Game, Holder, Need, PhaseState, Vote};
use chrono::{DateTime, Utc};
use serde_json::Value;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

const SAMPLE: &str = include_str!("../games/france-solo-1908.jsonl");
const PRESS: &str = "\
:: S1901M FRANCE All\nBroadcast message from France in demo:\n\nBonjour <b>à tous</b>.\n\n\
:: S1901M FRANCE ENGLAND\nMessage from France to England in demo:\n\nmarker-private-press\n\n\
:: F1901M ITALY All | TURKEY All\nBroadcast message from Turkey in demo:\n\nmarker-fake-press\n\n\
:: F1901M ITALY All | Somebody All\nBroadcast message in demo:\n\nGuess who.\n\n";

#[derive(Clone)]
struct Filed {
    results: String,
    phases: Vec<Value>,
}

impl Records for Filed {
    fn results(&self) -> String {
        self.results.clone()
    }
    fn phases(&self) -> Vec<Value> {
        self.phases.clone()
    }
}

/// A game played from the record, with a marker in everything secret.
struct Played {
    game: Game,
    referee: Diplomacy,
    rules: chancery::diplomacy::rules::Rules,
    filed: Filed,
    index: IndexLine,
    house: House,
    now: DateTime<Utc>,
}

fn status(rules: &str) -> String {
    let mut text = String::from(
        "GAME demo\nPHASE FORMING\nMAP standard\nMASTER #41|marker-master@example.org|Ada_Lovelace\nADDRESS marker-master2@example.org\nPASSWORD marker-master-password\nDESC A friendly game.\nDESC <script>alert(1)</script>\nZONE Europe/Paris\nTIMING MOVE 3D NEXT 1D AT 20:00\nSTART 8 July 2026\n",
    );
    for rule in rules.split_whitespace() {
        text += &format!("RULE {rule}\n");
    }
    for (n, power) in ["AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY"].iter().enumerate() {
        text += &format!(
            "\nPOWER {power}\nPLAYER #90909{n}|marker-{n}@example.org|Marker-Name_{n}\nADDRESS marker-too-{n}@example.org\nPASSWORD marker-password-{n}\n"
        );
    }
    text
}

fn house() -> House {
    House {
        id: "CHCY".into(),
        nick: "Chancery".into(),
        address: "judge@chancery.example".into(),
        url: "https://chancery.example".into(),
        zone: chrono_tz::Tz::GMT,
        keepers: vec!["marker-keeper@example.org".into()],
        keeper_hash: Some("marker-keeper-hash".into()),
        observers: vec!["marker-observer@example.org".into()],
        create_limit: 0,
        create_limit_per_master: 0,
        hall_of_fame: None,
        openings: None,
        detectives: Vec::new(),
        public_networks: Vec::new(),
        access_key: None,
    }
}

/// Plays so many phases of the sample game.
fn play(rules: &str, phases: usize) -> Played {
    let map = load("standard", &Library::of_site(None)).expect("the map").map;
    let document = Document::parse(status(rules).as_bytes()).expect("a status file");
    let mut game = document.game().clone();
    let resolved = resolve(Variant::Standard, &map.rules, &game.rules, &game.rules_off).rules;
    let referee = Diplomacy::new(Arc::new(Compiled::new(map)), resolved, "standard");
    let mut filed = Filed { results: String::new(), phases: Vec::new() };
    let mut now: DateTime<Utc> = "2026-07-08T18:00:00Z".parse().expect("a time");
    if phases > 0 || rules != "FORMING" {
        referee.begin(&mut game).expect("the game begins");
    }
    for line in SAMPLE.lines().take(phases) {
        let played: Value = serde_json::from_str(line).expect("a phase");
        let orders: BTreeMap<String, Vec<String>> = serde_json::from_value(played["orders"].clone()).expect("orders");
        for (power, mut lines) in orders {
            // Builds not made are waived, units not named hold.
            let due = played["builds"][&power].as_i64().unwrap_or(0);
            while (lines.len() as i64) < due {
                lines.push("WAIVE".into());
            }
            if played["type"] == "M" {
                let units: Vec<String> = serde_json::from_value(played["units"][&power].clone()).unwrap_or_default();
                let named = |lines: &[String], unit: &str| lines.iter().any(|l| l.starts_with(&format!("{unit} ")));
                for unit in units {
                    if !named(&lines, &unit) {
                        lines.push(format!("{unit} H"));
                    }
                }
            }
            let acting = Acting::Seat(power);
            let mut sheet = referee.read_sheet(&game, &acting, &lines);
            if sheet.faulty() {
                // The record lists units that had nowhere to go among the retreats.
                let good =
                    sheet.lines.iter().filter(|l| l.refused.is_none()).map(|l| l.text.clone()).collect::<Vec<_>>();
                sheet = referee.read_sheet(&game, &acting, &good);
            }
            for (seat, set) in sheet.sets {
                referee.store(&mut game, &seat, &set);
            }
        }
        assert_eq!(referee.phase_short(&game), played["phase"]);
        now += chrono::TimeDelta::days(3);
        let done = referee.resolve(&game, 1).expect("a result");
        let mut record = done.record;
        let head = format!("From judge@chancery.example {}\nSubject: Diplomacy results demo\n\n", now.format("%c"));
        filed.results += &format!("{head}{}\n", done.report);
        record["processed"] = now.format("%Y-%m-%dT%H:%M:%SZ").to_string().into();
        record["report"] = done.report.clone().into();
        filed.phases.push(record);
        game = done.game;
        if let Some(victors) = done.victors {
            // As the judge does when a game ends.
            let phase = played["phase"].as_str().expect("a phase").to_string();
            game.result = Some(chancery::status::GameResult { phase, victors });
            game.finish = Some("18 October 2026".into());
            game.phase = PhaseState::Completed;
        }
    }
    let completed = game.phase == PhaseState::Completed;
    if !completed {
        let local = now.naive_utc() + chrono::TimeDelta::days(3);
        game.deadline = Some(local);
    }
    let state = if completed { GameState::Completed } else { GameState::Active };
    let index = IndexLine { name: "demo".into(), variant: "standard".into(), state, ..IndexLine::default() };
    Played { game, referee, rules: resolved, filed, index, house: house(), now }
}

impl Played {
    fn table(&self) -> Table<'_> {
        Table {
            game: self.game.clone(),
            index: self.index.clone(),
            rules: self.rules,
            referee: &self.referee,
            errors: Vec::new(),
            house: &self.house,
            records: Rc::new(self.filed.clone()),
            now: self.now,
            seed: 1,
            account: None,
            moved: None,
        }
    }
    fn tree(&self) -> Tree {
        let created = "2026-07-01T12:00:00Z".parse().ok();
        game_files(&self.table(), &Facts { press: PRESS, seq: 17, created, words: Words::default() }, &|_| false)
    }
    fn card(&self) -> Card {
        self.tree().card.expect("a card")
    }
}

fn text<'t>(tree: &'t Tree, path: &str) -> &'t str {
    let path = format!("game/demo/{path}");
    let (_, bytes) = tree.files.iter().find(|(p, _)| *p == path).unwrap_or_else(|| panic!("no {path}"));
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn has(tree: &Tree, path: &str) -> bool {
    tree.files.iter().any(|(p, _)| *p == format!("game/demo/{path}"))
}

fn json(tree: &Tree) -> Value {
    serde_json::from_str(text(tree, "status.json")).expect("JSON")
}

/// Writes a tree for the eye: `PAGES_OUT=dir cargo test --test pages write_`.
#[test]
fn write_for_the_eye() {
    let Some(out) = std::env::var_os("PAGES_OUT") else { return };
    let out = std::path::PathBuf::from(out);
    let map = load("standard", &Library::of_site(None)).expect("the map").map;
    let active = play("POWER_CHOICE LIST_UNORDERED", 7);
    let mut cards = vec![active.card()];
    let mut files = active.tree().files;
    for (name, mut played) in
        [("salamis", play("NO_PRESS", 34)), ("jena", play("BLIND", 3)), ("cannae", play("GREY_PRESS", 5))]
    {
        played.game.name = name.into();
        if name == "cannae" {
            played.index.state = GameState::Waiting;
            played.game.need = vec![Need { power: "TURKEY".into(), units: Some(4), centers: Some(4) }];
        }
        cards.push(played.card());
        files.extend(played.tree().files);
    }
    files.extend(site_files(&cards, &[MapView::of(&map, None)], &house(), Words::default()));
    for (path, bytes) in files {
        let path = out.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, bytes).expect("written");
    }
}

/// A page without the hashes of the style sheet and the script, which are not what a snapshot is about.
fn plain(page: &str) -> String {
    [assets::CSS, assets::JS, assets::ICON]
        .iter()
        .fold(page.to_string(), |page, asset| page.replace(&assets::name(asset), "-"))
}

#[test]
fn snapshots() {
    let played = play("POWER_CHOICE", 3);
    let tree = played.tree();
    insta::assert_snapshot!("game_page", plain(text(&tree, "index.html")));
    insta::assert_snapshot!("phase_page", plain(text(&tree, "p/F1901M.html")));
    insta::assert_snapshot!("status_json", text(&tree, "status.json"));
    let site = site_files(&[played.card()], &[], &house(), Words::default());
    let index = site.iter().find(|(p, _)| p == "index.html").expect("an index");
    insta::assert_snapshot!("index_page", plain(std::str::from_utf8(&index.1).expect("UTF-8")));
}

#[test]
fn nothing_secret_reaches_a_page() {
    let cases: &[(&str, usize)] = &[
        ("POWER_CHOICE", 0),
        ("POWER_CHOICE LIST_UNORDERED", 3),
        ("BLIND", 3),
        ("HIDE_BUILDS EAVESDROP", 4),
        ("NO_REVEAL", 34),
        ("HIDE_DUMMIES HIDE_LATE_POWERS", 2),
    ];
    for (rules, phases) in cases {
        let mut played = play(rules, *phases);
        played.game.private = Some("marker-privacy-word".into());
        played.game.tester = Some(Some("marker-tester@example.org".into()));
        played.game.groups = vec!["marker-group".into()];
        for (n, p) in played.game.participants.iter_mut().enumerate() {
            p.orders = Some(vec![format!("A MARKER-ORDER - {n}")]);
            p.adjust = vec![format!("BUILD A MARKER-BUILD-{n}")];
            p.prefer = Some("marker-prefer".into());
            p.msg = vec!["marker-msg".into()];
            p.vote = Some(Vote::Dias);
            p.variant_lines = vec!["marker-offer".into()];
            p.notify = Some(vec!["marker-notify".into()]);
            p.funds = Some("marker-funds".into());
            p.control = Vec::new();
        }
        for scope in ["open", "private", "unlisted"] {
            played.game.private = (scope == "private").then(|| "marker-privacy-word".into());
            played.index.unlisted = scope == "unlisted";
            let tree = played.tree();
            let mut files = tree.files.clone();
            files.extend(site_files(&[played.card()], &[], &played.house, Words::default()));
            for (path, bytes) in files {
                let page = String::from_utf8_lossy(&bytes).to_lowercase();
                assert!(!page.contains("90909"), "{rules}, {scope}: {path} holds a registry number");
                assert!(!page.contains("marker"), "{rules}, {scope}: {path} holds a secret: {}", {
                    let at = page.find("marker").unwrap_or(0);
                    page.get(at.saturating_sub(60)..at + 40).unwrap_or("").to_string()
                });
                assert!(
                    !page.contains("rule/eavesdrop") && !page.contains(">eavesdrop<") || path == "rules.html",
                    "{path}"
                );
            }
        }
    }
}

#[test]
fn names_after_the_end() {
    let open = play("POWER_CHOICE", 34);
    assert!(open.game.phase == PhaseState::Completed);
    let tree = open.tree();
    assert!(text(&tree, "summary.html").contains("Marker-Name 2"));
    assert_eq!(json(&tree)["outcome"]["kind"], "solo");
    assert_eq!(json(&tree)["outcome"]["winners"][0], "FRANCE");
    assert!(!text(&play("NO_REVEAL", 34).tree(), "summary.html").contains("Marker-Name"));
}

#[test]
fn private_unlisted_and_blind_games_show_little() {
    let mut played = play("POWER_CHOICE", 3);
    played.game.private = Some("word".into());
    let closed = |tree: &Tree| {
        let page = text(tree, "index.html");
        for id in ["map", "position", "results", "press"] {
            assert!(!page.contains(&format!("id=\"{id}\"")), "{id}");
        }
        for path in ["p/S1901M.html", "results.txt", "press.html", "m/now.svg", "summary.html"] {
            assert!(!has(tree, path), "{path}");
        }
        let status = json(tree);
        assert!(status["units"].is_null() && status["centers"].is_null());
        assert_eq!(status["phases"], serde_json::json!([]));
    };
    closed(&played.tree());
    assert!(text(&played.tree(), "index.html").contains("id=\"settings\""));
    played.index.unlisted = true;
    closed(&played.tree());
    let page = played.tree();
    assert!(text(&page, "index.html").contains("content=\"noindex\""));
    assert!(!text(&page, "index.html").contains("id=\"settings\""));
    let site = site_files(&[played.card()], &[], &played.house, Words::default());
    assert!(site.iter().all(|(_, bytes)| !String::from_utf8_lossy(bytes).contains("/game/demo")));
    let mut blind = play("BLIND", 3);
    closed(&blind.tree());
    blind.index.state = GameState::Preparation;
    assert!(blind.tree().files.is_empty());
}

#[test]
fn readiness_tells_no_more_than_the_rules_allow() {
    let secret = json(&play("POWER_CHOICE", 1).tree());
    assert!(secret["unordered"]["count"].is_null() && secret["unordered"]["powers"].is_null());
    let public = play("LIST_UNORDERED", 1);
    assert_eq!(json(&public.tree())["unordered"]["count"], 7);
    assert!(text(&public.tree(), "index.html").contains("data-ready=\"owe-named\""));
    let mut late = play("HIDE_LATE_POWERS", 1);
    late.game.deadline = Some(late.now.naive_utc() - chrono::TimeDelta::days(1));
    assert!(json(&late.tree())["late"]["powers"].is_null());
    let page = late.tree();
    assert!(text(&page, "index.html").contains("data-ready=\"late-some\""));
    let mut waiting = play("POWER_CHOICE", 3);
    waiting.game.need = vec![Need { power: "TURKEY".into(), units: Some(4), centers: Some(4) }];
    waiting.index.state = GameState::Waiting;
    let page = waiting.tree();
    assert!(text(&page, "index.html").contains("TAKEOVER turkey@demo yourPassword"));
    let list = site_files(&[waiting.card()], &[], &waiting.house, Words::default());
    let openings = list.iter().find(|(p, _)| p == "openings.txt").expect("a list");
    insta::assert_snapshot!("openings_txt", String::from_utf8_lossy(&openings.1));
}

#[test]
fn the_same_game_gives_the_same_bytes_and_old_pages_are_kept() {
    let played = play("POWER_CHOICE", 6);
    assert_eq!(played.tree().files, played.tree().files);
    let table = played.table();
    let facts = Facts { press: PRESS, seq: 17, created: None, words: Words::default() };
    let whole = game_files(&table, &facts, &|_| false);
    let again = game_files(&table, &facts, &|path| whole.files.iter().any(|(p, _)| p == path));
    assert!(again.kept.iter().any(|p| p == "game/demo/p/S1901M.html"));
    assert!(!again.files.iter().any(|(p, _)| p == "game/demo/p/S1901M.html"));
    assert!(again.files.iter().any(|(p, _)| p.ends_with("index.html")));
    let names = |tree: &Tree| {
        let mut all: Vec<String> = tree.files.iter().map(|(p, _)| p.clone()).chain(tree.kept.clone()).collect();
        all.sort();
        all
    };
    assert_eq!(names(&whole), names(&again));
}

#[test]
fn pages_hold_no_inline_script_or_style_and_escape_text() {
    let played = play("POWER_CHOICE", 6);
    let mut files = played.tree().files;
    files.extend(site_files(&[played.card()], &[], &played.house, Words::default()));
    for (path, bytes) in files.iter().filter(|(p, _)| p.ends_with(".html")) {
        let page = std::str::from_utf8(bytes).expect("UTF-8");
        for bad in [" style=", "<style", " onclick", " onload", "javascript:", "<script>"] {
            assert!(!page.contains(bad), "{path}: {bad}");
        }
        for script in page.match_indices("<script").map(|(at, _)| &page[at..]) {
            assert!(script.starts_with("<script src=\"/assets/"), "{path}");
        }
        assert_eq!(page.matches("<h1").count(), 1, "{path}");
        assert!(page.len() < 60 * 1024 || path.starts_with("maps/") || path == "rules.html", "{path}: {}", page.len());
    }
    let tree = played.tree();
    assert!(!text(&tree, "index.html").contains("<script>alert"));
    assert!(text(&tree, "press.html").contains("Bonjour &#60;b&#62;"), "{}", text(&tree, "press.html"));
}

#[test]
fn links_of_the_site_lead_somewhere() {
    let played = play("POWER_CHOICE", 6);
    let map = load("standard", &Library::of_site(None)).expect("the map").map;
    let mut files = played.tree().files;
    files.extend(site_files(&[played.card()], &[MapView::of(&map, None)], &played.house, Words::default()));
    let pages: BTreeMap<String, String> =
        files.into_iter().map(|(p, b)| (p, String::from_utf8_lossy(&b).into_owned())).collect();
    for (path, page) in pages.iter().filter(|(p, _)| p.ends_with(".html")) {
        for rest in page.split("href=\"/").skip(1).chain(page.split("src=\"/").skip(1)) {
            let link = rest.split('"').next().unwrap_or("");
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file =
                if file.is_empty() || file.ends_with('/') { format!("{file}index.html") } else { file.to_string() };
            let target = pages.get(&file).unwrap_or_else(|| panic!("{path} leads to /{link}, which is not there"));
            assert!(anchor.is_empty() || target.contains(&format!("id=\"{anchor}\"")), "{path}: no anchor in /{link}");
        }
    }
}

#[test]
fn every_rule_has_its_anchor() {
    let site = site_files(&[], &[], &house(), Words::default());
    let rules = site.iter().find(|(p, _)| p == "rules.html").expect("rules");
    let page = String::from_utf8_lossy(&rules.1);
    for rule in Rule::ALL {
        assert!(page.contains(&format!("id=\"{}\"", rule.name())), "{}", rule.name());
    }
}

#[test]
fn a_vacant_seat_is_told_and_a_hidden_dummy_is_not() {
    let mut played = play("HIDE_DUMMIES", 2);
    for p in played.game.participants.iter_mut().take(1) {
        if let Some(line) = &mut p.player {
            line.current = Holder::Dummy;
        }
    }
    assert_eq!(json(&played.tree())["powers"][0]["seat"], "played");
    let mut played = play("POWER_CHOICE", 2);
    for p in played.game.participants.iter_mut().take(1) {
        if let Some(line) = &mut p.player {
            line.current = Holder::Dummy;
        }
    }
    assert_eq!(json(&played.tree())["powers"][0]["seat"], "dummy");
}
