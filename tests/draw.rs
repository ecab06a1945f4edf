//! Pictures: what is drawn for a phase with every kind of order, the command line, PNG without system fonts
//! (map-drawing.md 7).

mod support;

use chancery::diplomacy::draw::{Art, Picture, Piece, Theme, describe, notation, png, results, svg};
use chancery::diplomacy::map::Map;
use chancery::referee::Referee;
use chancery::status::{Holder, PlayerLine};
use std::process::Command;
use support::{Site, standard as referee};

fn standard() -> Map {
    Map::builtin("standard").expect("the standard map")
}

/// A phase with moves, a bounce, supports good, cut and void, a convoy over two seas, and a dislodgement.
fn busy<'a>(map: &'a Map, art: &'a Art) -> Picture<'a> {
    let mut picture = Picture::empty(map, art);
    picture.title = "sample, S1902M".to_string();
    let orders: &[(&str, &str, &[&str])] = &[
        ("ENGLAND", "A LON - TUN", &[]),
        ("ENGLAND", "F ENG C A LON - TUN", &[]),
        ("ENGLAND", "F MAO C A LON - TUN", &[]),
        ("ENGLAND", "F WES C A LON - TUN", &[]),
        ("FRANCE", "A PAR - BUR", &[]),
        ("FRANCE", "A MAR S A PAR - BUR", &[]),
        ("GERMANY", "A BUR H", &["dislodged"]),
        ("GERMANY", "A MUN S A BUR", &["cut"]),
        ("AUSTRIA", "A TYR - MUN", &["bounce"]),
        ("ITALY", "A VEN S A TRI - VIE", &["void"]),
        ("RUSSIA", "F STP/SC - BOT", &[]),
        ("TURKEY", "F ANK - BLA", &[]),
        ("TURKEY", "F BLA - ANK", &[]),
    ];
    for (power, text, outcome) in orders {
        let power = map.power(power);
        let unit = notation::unit_named(map, text).expect("a unit");
        picture.units.push(Piece { power, unit });
        picture.order(power, text, outcome);
    }
    picture
}

fn count(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

#[test]
fn every_order_is_drawn() {
    let map = standard();
    let art = Art::for_map(&map);
    let text = svg(&busy(&map, &art));
    assert_eq!(count(&text, "class=\"order move\""), 5);
    assert_eq!(count(&text, "class=\"order move failed\""), 1);
    assert_eq!(count(&text, "class=\"order support\""), 1);
    assert_eq!(count(&text, "class=\"order support useless\""), 2);
    assert_eq!(count(&text, "class=\"order convoy\""), 3);
    assert_eq!(count(&text, "class=\"bounce\""), 1);
    assert_eq!(count(&text, "class=\"bar\""), 2);
    assert_eq!(count(&text, "class=\"dislodged\""), 1);
    assert_eq!(count(&text, "class=\"unit\""), 13);
    assert!(text.contains("<title>Austria: Army Tyrolia -&gt; Munich. (*bounce*)</title>"));
}

#[test]
fn retreats_and_adjustments_are_drawn() {
    let map = standard();
    let art = Art::for_map(&map);
    let mut picture = Picture::start(&map, &art);
    let germany = map.power("GERMANY");
    let unit = notation::unit_named(&map, "A BUR").expect("a unit");
    picture.dislodged.push(Piece { power: germany, unit });
    for text in ["RETREAT A BUR - RUH", "BUILD F KIE", "REMOVE A MUN", "BUILD WAIVED", "DISBAND A BER"] {
        picture.order(germany, text, &[]);
    }
    let text = svg(&picture);
    for class in ["retreat", "build", "remove", "waive", "disband"] {
        assert_eq!(count(&text, &format!("class=\"order {class}\"")), 1, "{class}");
    }
    assert_eq!(count(&text, "class=\"unit dislodged\""), 1);
}

#[test]
fn the_picture_says_itself_in_words() {
    let map = standard();
    let art = Art::for_map(&map);
    let picture = Picture::start(&map, &art);
    let words = describe(&picture);
    assert!(words.starts_with("Austria: armies Budapest, Vienna; fleet Trieste; 3 centres."), "{words}");
    let text = svg(&picture);
    assert!(text.contains(&words));
    for province in &map.provinces {
        assert!(text.contains(&format!("id=\"p-{}\"", province.code.to_lowercase())), "{}", province.code);
        assert!(text.contains(&format!("<title>{}", province.title)), "{}", province.title);
    }
}

#[test]
fn themes_differ_and_are_well_formed() {
    let map = standard();
    let art = Art::for_map(&map);
    let mut seen = Vec::new();
    for (theme, word) in Theme::ALL {
        let mut picture = busy(&map, &art);
        (picture.theme, picture.legend) = (theme, true);
        let text = svg(&picture);
        assert_eq!(text, svg(&picture), "{word}: same input, same bytes");
        let picture = png(&text, 320).expect("a picture");
        assert!(picture.starts_with(b"\x89PNG"), "{word}");
        assert!(!seen.contains(&text));
        seen.push(text);
    }
}

#[test]
fn a_title_cannot_break_out() {
    let map = standard();
    let art = Art::for_map(&map);
    let mut picture = Picture::start(&map, &art);
    picture.title = "</title><script>&\"'".to_string();
    let text = svg(&picture);
    assert!(!text.contains("<script>"));
    assert!(png(&text, 64).is_ok());
}

#[test]
fn a_mail_picture_is_small() {
    let map = standard();
    let art = Art::for_map(&map);
    let picture = png(&svg(&busy(&map, &art)), 1000).expect("a picture");
    assert!(picture.len() < 150_000, "{} bytes", picture.len());
}

#[test]
fn translations_share_the_geographic_art() {
    for name in ["1897", "britain", "void", "standard_dutch", "standard_glhetg"] {
        let map = Map::builtin(name).unwrap_or_else(|| panic!("{name} does not load"));
        let art = Art::geographic(&map).unwrap_or_else(|| panic!("{name} has no geographic art"));
        for location in &map.locations {
            assert!(art.spots.contains_key(&location.code), "{name}: {}", location.code);
        }
    }
}

#[test]
fn the_command_line_draws() {
    let folder = tempfile::tempdir().expect("a folder");
    let chancery = |args: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_chancery")).args(args).current_dir(folder.path()).output().expect("runs")
    };
    let to_stdout = chancery(&["map", "draw", "standard", "-o", "-"]);
    assert!(to_stdout.status.success());
    assert!(to_stdout.stdout.starts_with(b"<svg "));
    assert!(chancery(&["map", "draw", "standard", "-o", "a.svg"]).status.success());
    assert_eq!(std::fs::read(folder.path().join("a.svg")).expect("written"), to_stdout.stdout);
    assert!(chancery(&["map", "draw", "pure", "-o", "b.png", "--width", "200"]).status.success());
    assert!(std::fs::read(folder.path().join("b.png")).expect("written").starts_with(b"\x89PNG"));
    let wrong = chancery(&["map", "draw", "standard", "-o", "c.gif"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains(".svg or .png"));
}

/// A report as it comes in a mail: quoted, wrapped, with what stands around the orders.
const REPORT: &str = "\
From: judge@example.org
Subject: Diplomacy results balkan9 F1901M

:: Judge: CHCY  Game: balkan9  Variant: standard

Movement results for Fall of 1901.  (balkan9.F1901M)

Austria: Army Vienna -> Trieste.  (*bounce*)
Austria: Fleet Albania SUPPORT Italian Fleet Ionian Sea -> Greece.  (*void*)

England: Army Yorkshire -> North Sea -> Norwegian Sea -> St Petersburg
            (south coast).
England: Fleet North Sea CONVOY Army Yorkshire -> St Petersburg.

France: Army Munich HOLD.  (*dislodged*)
France: Army Atlantis HOLD.

Russia: Army Prussia ARRIVES.
Russia: Fleet Black Sea LOST.

The following units were dislodged:

The French army in Munich with no valid retreats was destroyed.

Ownership of supply centers:

Austria:    Budapest, Trieste, Vienna.
Turkey:     Ankara,
            Constantinople, Smyrna.
Unowned:    Belgium, Holland.

Austria:     3 Supply centers,  3 Units:  Builds   0 units.

The next phase of 'balkan9' will be Adjustments for Winter of 1901.
The deadline for orders will be Monday 30 November 2026 20:00 GMT.
";

#[test]
fn a_results_report_is_drawn() {
    let map = standard();
    let art = Art::for_map(&map);
    let mut picture = Picture::start(&map, &art);
    let puzzles = results::read(&mut picture, REPORT).expect("a report");
    assert_eq!(picture.title, "Movement results for Fall of 1901");
    let orders: Vec<&str> = picture.orders.iter().map(|o| o.text.as_str()).collect();
    assert_eq!(
        orders,
        [
            "A VIE - TRI",
            "F ALB S F ION - GRE",
            "A YOR - NTH - NWG - STP/SC",
            "F NTH C A YOR - STP",
            "A MUN H",
            "A PRU ARRIVES",
            "F BLA LOST",
        ]
    );
    use notation::Mark::{Bounce, Destroyed, Dislodged, Void};
    let marks: Vec<&[notation::Mark]> = picture.orders.iter().map(|o| o.marks.as_slice()).collect();
    assert_eq!((marks[0], marks[1], marks[4]), (&[Bounce][..], &[Void][..], &[Dislodged, Destroyed][..]));
    // The army that arrives was not there before.
    assert_eq!(picture.units.len(), 6);
    assert_eq!(picture.owners.len(), 6);
    let told: Vec<String> = puzzles.iter().map(|p| format!("{}: {}", p.line, p.why)).collect();
    assert_eq!(told, ["16: no place is called Atlantis"]);
    let text = svg(&picture);
    assert_eq!(count(&text, "class=\"order seen\""), 2);
    assert!(text.contains("<title>Russia: Army Prussia ARRIVES.</title>"));
}

#[test]
fn retreats_adjustments_and_positions_are_read() {
    let map = standard();
    let art = Art::for_map(&map);
    let read = |text: &str| {
        let mut picture = Picture::start(&map, &art);
        results::read(&mut picture, text).map(|_| {
            let orders = picture.orders.iter().map(|o| o.text.clone()).collect::<Vec<_>>();
            (orders, picture.units.len(), picture.dislodged.len())
        })
    };
    let retreats = "Retreat orders for Fall of 1901.  (x.F1901R)\n\nFrance:     Army Munich -> Bohemia.\n\
                    Austria:    Army Serbia DISBAND.\n";
    assert_eq!(read(retreats), Ok((vec!["RETREAT A MUN - BOH".into(), "DISBAND A SER".into()], 0, 2)));
    let builds = "Adjustment orders for Winter of 1901.  (x.W1901A)\n\nFrance:     Builds a fleet in Brest.\n\
                  Russia:     Build waived.\nTurkey:     Removes the fleet in the Black Sea.\n\
                  Italy:      1 unused build pending.\n";
    let told = ["BUILD F BRE", "BUILD WAIVED", "REMOVE F BLA"].map(String::from).to_vec();
    assert_eq!(read(builds), Ok((told, 1, 0)));
    assert_eq!(read("Units:\n\nAustria:    Army Budapest.\nAustria:    Fleet Trieste.\n"), Ok((vec![], 2, 0)));
    // Nothing at all is the start; something else is refused.
    assert_eq!(read(" \n"), Ok((vec![], 22, 0)));
    assert_eq!(read("Dear judge, thank you."), Err(results::Nothing));
}

/// Draws a game with these options; what went wrong, if it did.
fn drawn(site: &Site, args: &[&str]) -> Result<String, String> {
    let output = site.run(&[&["map", "draw"], args].concat(), b"");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

#[test]
fn a_game_is_drawn_for_who_looks() {
    let site = Site::of_fixture();
    let mut game = site.game("balkan9");
    referee().store(&mut game, "FRANCE", &["A PAR - BUR".into(), "A MAR S A PAR - BUR".into(), "F BRE H".into()]);
    referee().store(&mut game, "ITALY", &["A VEN - TYR".into()]);
    site.put(&game, &site.index("balkan9"));
    let moves = |args: &[&str]| drawn(&site, args).map(|text| count(&text, "class=\"order move\""));
    // Everybody sees the board, nobody the orders of a phase that is not over, each power its own, the Master all.
    assert_eq!(moves(&["balkan9"]), Ok(0));
    assert_eq!(moves(&["balkan9", "--orders"]), Ok(0));
    assert_eq!(moves(&["balkan9", "--orders", "--viewer", "france"]), Ok(1));
    assert_eq!(moves(&["balkan9", "--orders", "--viewer", "G"]), Ok(0));
    assert_eq!(moves(&["balkan9", "--orders", "--viewer", "MASTER", "--phase", "s1901m"]), Ok(2));
    let text = drawn(&site, &["balkan9", "--viewer", "France", "--theme", "dark"]).expect("a picture");
    assert_eq!(count(&text, "class=\"unit\""), 22);
    assert!(text.contains("as France sees it") && text.contains("#14181D"));
    // What cannot be drawn is said.
    let refused = |args: &[&str]| drawn(&site, args).expect_err("no picture");
    assert!(refused(&["balkan9", "--viewer", "Narnia"]).contains("want MASTER or one of AUSTRIA, ENGLAND"));
    assert!(refused(&["balkan9", "--phase", "F1899M"]).contains("no phase F1899M (it has S1901M)"));
    assert!(refused(&["form7"]).contains("form7 is still forming"));
    assert!(refused(&["nothere", "--orders"]).contains("no such game"));
    assert!(refused(&["nothere"]).contains("nothere.map"));
    game.rules.push("BLIND".into());
    site.put(&game, &site.index("balkan9"));
    assert!(refused(&["balkan9"]).contains("balkan9 is blind"));
    assert!(refused(&["balkan9", "--viewer", "ITALY", "--phase", "F1900M"]).contains("balkan9 is blind"));
    let text = drawn(&site, &["balkan9", "--orders", "--viewer", "ITALY"]).expect("a picture");
    // Its own units, its own order, and nothing far away.
    assert!(text.contains("Army Venice") && !text.contains("Army Moscow"), "its own eyes only");
    assert_eq!(count(&text, "class=\"order move\""), 1);
    assert_eq!(moves(&["balkan9", "--orders", "--viewer", "MASTER"]), Ok(2));
}

#[test]
fn a_finished_phase_is_drawn_with_its_outcomes() {
    let site = Site::of_fixture();
    let mut game = site.game("balkan9");
    referee().store(&mut game, "ITALY", &["A VEN - TRI".into()]);
    referee().store(&mut game, "AUSTRIA", &["A VIE - TRI".into(), "F TRI - ALB".into()]);
    let resolved = referee().resolve(&game, 7).expect("results");
    std::fs::write(site.root().join("games/balkan9/results.jsonl"), format!("{}\n", resolved.record)).expect("filed");
    site.put(&resolved.game, &site.index("balkan9"));
    let past = drawn(&site, &["balkan9", "--phase", "S1901M", "--orders"]).expect("a picture");
    assert_eq!(count(&past, "class=\"order move failed\""), 2);
    assert_eq!(count(&past, "class=\"order move\""), 1);
    assert!(past.contains("class=\"bounce\""));
    let now = drawn(&site, &["balkan9", "--orders"]).expect("a picture");
    assert_eq!((count(&now, "class=\"order "), now.contains("Austria: Fleet Albania")), (0, true));
}

#[test]
fn dummies_are_hatched_and_vassals_ringed() {
    let site = Site::of_fixture();
    let marks = |text: &str| (count(text, "class=\"dummy\""), count(text, "class=\"ruled\""));
    let text = drawn(&site, &["vac5"]).expect("a picture");
    // Five dummies; the panel shows each once more.
    assert_eq!(marks(&text), (5 * 3 + 5, 0));
    let mut game = site.game("vac5");
    for p in game.participants.iter_mut().filter(|p| p.name == "AUSTRIA") {
        p.player = Some(PlayerLine { current: Holder::Dummy, earlier: Vec::new() });
        p.control = vec!["RUSSIA".into()];
    }
    site.put(&game, &site.index("vac5"));
    let text = drawn(&site, &["vac5"]).expect("a picture");
    assert_eq!(marks(&text), (4 * 3 + 4, 3 + 1));
    game.rules.push("HIDE_DUMMIES".into());
    site.put(&game, &site.index("vac5"));
    assert_eq!(marks(&drawn(&site, &["vac5"]).expect("a picture")), (0, 0));
}

#[test]
fn a_site_has_its_own_colours_and_keeps_layouts() {
    let site = Site::empty(Vec::new());
    std::fs::write(site.root().join("maps/hundred.colors"), "FRANCE #123456\nNobody #000000\n").expect("written");
    let output = site.run(&["map", "draw", "hundred"], b"");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("hundred.colors:2: no power is called Nobody"), "{told}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("#123456"));
    assert_eq!(std::fs::read_dir(site.root().join("web/.art")).expect("kept").count(), 1);
}

#[test]
fn a_report_goes_in_on_standard_input() {
    let site = Site::empty(Vec::new());
    let output = site.run(&["map", "draw", "standard", "--results", "-", "-o", "-"], REPORT.as_bytes());
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("-:16: warning: no place is called Atlantis"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Movement results for Fall of 1901"));
    let output = site.run(&["map", "draw", "standard", "--results", "-"], b"Hello.");
    assert_eq!(output.status.code(), Some(1));
}
