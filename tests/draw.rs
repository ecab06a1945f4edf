//! Pictures: what is drawn for a phase with every kind of order, the command line, PNG without system fonts
//! (map-drawing.md 7).

use chancery::diplomacy::draw::{Art, Picture, Piece, Theme, describe, notation, png, svg};
use chancery::diplomacy::map::Map;
use std::process::Command;

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
