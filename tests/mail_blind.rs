//! A blind game (variants.md 4, rules.md 2.8): what a power does not see is in no mail to it, in no picture of one, and on
//! no page. The real binary plays; every mail is searched in all its parts, and the queue's notes of what to draw.

mod support;

use chancery::diplomacy::map::{Map, ProvinceId, UnitKind};
use chancery::diplomacy::orders::{Board, Geography};
use chancery::diplomacy::position::Unit;
use chancery::diplomacy::rules::{Rule, Rules};
use chancery::judge::sight::shown_to;
use chancery::referee::Referee;
use chancery::referee::diplomacy::{Compiled, Diplomacy};
use chancery::status::Game;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use support::{Sent, Site};

fn blind(rules: &[&str]) -> Site {
    let site = Site::of_fixture();
    let mut game = site.game("balkan9");
    game.rules = rules.iter().map(|r| r.to_string()).collect();
    site.put(&game, &site.index("balkan9"));
    site
}

/// Everything of a mail that could tell something: header fields and every part, decoded.
fn all_of(sent: &Sent) -> String {
    let mail = mailparse::parse_mail(&sent.bytes).expect("a mail");
    let mut text = sent.head.clone();
    for part in mail.parts() {
        text += &part.headers.iter().map(|h| h.get_value() + "\n").collect::<String>();
        text += &String::from_utf8_lossy(&part.get_body_raw().expect("a body"));
    }
    text
}

/// What the queue draws for each address.
fn drawn(site: &Site) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(site.root().join("outbox/done")).expect("the queue").flatten() {
        let bytes = std::fs::read(entry.path()).expect("a queued mail");
        let at = bytes.windows(2).position(|w| w == b"\n\n").expect("a head") + 2;
        let head: Value = serde_json::from_slice(&bytes[..at - 2]).expect("an envelope");
        let mail = mailparse::parse_mail(&bytes[at..]).expect("a mail");
        for part in mail.parts().filter(|p| p.ctype.mimetype == "image/png") {
            let order = part.get_body_raw().expect("bytes");
            let from = order.iter().position(|b| *b == b'{').expect("JSON");
            let to = head["to"][0].as_str().expect("to").to_string();
            found.push((to, serde_json::from_slice(&order[from..]).expect("JSON")));
        }
    }
    found
}

/// The published tree, as one text.
fn published(directory: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        text += &match path.is_dir() {
            true => published(&path),
            false => String::from_utf8_lossy(&std::fs::read(&path).expect("a page")).into_owned(),
        };
    }
    text
}

fn to<'s>(sent: &'s [Sent], notice: &str, address: &str) -> &'s Sent {
    let address = format!("{address}@example.org");
    sent.iter().find(|s| s.notice == notice && s.to == address).unwrap_or_else(|| panic!("no {notice} to {address}"))
}

/// Everybody orders; the Master processes.
fn opening(site: &Site) -> Vec<Sent> {
    for (from, text) in [
        ("france", "SIGNON Fbalkan9 le-secret\nF bre - mao\nA par - bur\nA mar s A par - bur"),
        ("germany", "SIGNON Gbalkan9 bier\nA mun - bur\nA ber - kie\nF kie - den"),
        ("england", "SIGNON Ebalkan9 tea4two\nF lon - nth\nF edi - nwg\nA lvp - yor"),
        ("turkey", "SIGNON Tbalkan9 hali7\nA con - bul\nA smy - arm\nF ank - bla"),
        ("russia", "SIGNON Rbalkan9 vodka\nA mos - ukr\nA war - gal\nF sev - bla\nF stp/sc - bot"),
        ("austria", "SIGNON Abalkan9 walzer\nA vie - gal\nA bud - ser\nF tri - alb"),
        ("italy", "SIGNON Ibalkan9 pasta&vino\nA ven h\nA rom - apu\nF nap - ion"),
    ] {
        let sent = site.mail(&format!("{from}@example.org"), text);
        assert!(!to(&sent, "N12", from).text.contains("ERROR"), "{}", to(&sent, "N12", from).text);
    }
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!")
}

#[test]
fn each_power_reads_its_own_results() {
    let site = blind(&["BLIND"]);
    let sent = opening(&site);
    let body = |who: &str| to(&sent, "N17", who).text.clone();
    insta::assert_snapshot!("blind_results_germany", body("germany"));
    // France: its home at Paris and Marseilles see Burgundy, not Munich; nothing east of that.
    let france = body("france");
    assert!(france.contains("France: Army Paris -> Burgundy."), "{france}");
    for secret in ["Berlin", "Denmark", "Vienna", "Galicia", "Black Sea", "Ankara", "Austria:", "Turkey:", "Russia:"] {
        for mail in sent.iter().filter(|s| s.to == "france@example.org") {
            assert!(!all_of(mail).contains(secret), "{secret} in {}:\n{}", mail.notice, mail.text);
        }
    }
    // Turkey sees who comes to the Black Sea's shores, and bounces there.
    let turkey = body("turkey");
    assert!(turkey.contains("Turkey: Fleet Ankara -> Black Sea.  (*bounce*)"), "{turkey}");
    for secret in ["Burgundy", "Yorkshire", "North Sea", "England:", "France:", "Germany:", "Italy:"] {
        assert!(!all_of(to(&sent, "N17", "turkey")).contains(secret), "{secret}:\n{turkey}");
    }
    // The Master reads all of it, once; who only watches reads that it has happened.
    let master = body("gm");
    assert!(
        ["Army Paris -> Burgundy", "Fleet Ankara -> Black Sea", "Fleet London -> North Sea"]
            .iter()
            .all(|l| master.contains(l))
    );
    assert!(!master.contains("SHOW") && !master.contains("ARRIVES") && !master.contains("FOUND"), "{master}");
    for watcher in ["kibitz@example.org", "map-bot@example.com"] {
        let mail = sent.iter().find(|s| s.notice == "N17" && s.to == watcher).expect("results");
        assert!(mail.text.contains("Movement results for Spring of 1901") && mail.text.contains("next phase"));
        assert!(!["Army", "Fleet", "image/png"].iter().any(|word| all_of(mail).contains(word)), "{}", mail.text);
    }
    // One subject, one thread for all; and no mail has marks.
    assert!(sent.iter().filter(|s| s.notice == "N17").all(|s| s.subject == "Diplomacy results balkan9 S1901M"));
    assert!(sent.iter().all(|s| !s.text.contains("SHOW ")));
    assert!(site.file("balkan9", "results").contains("\nSHOW "), "the file keeps them");
}

#[test]
fn pictures_show_what_the_eyes_see() {
    let site = blind(&["BLIND"]);
    opening(&site);
    let pictures = drawn(&site);
    let of = |who: &str| {
        let address = format!("{who}@example.org");
        let mut own = pictures.iter().filter(|(to, order)| *to == address && order["record"]["name"] == "F1901M");
        own.next().map(|(_, order)| order.clone()).unwrap_or_else(|| panic!("no picture for {who}"))
    };
    let france = of("france");
    assert_eq!(france["viewer"], "as France sees it");
    let units = &france["record"]["state"]["units"];
    assert_eq!(units["FRANCE"].as_array().expect("units").len(), 3);
    assert_eq!(units["GERMANY"], serde_json::json!(["A MUN"]), "from Burgundy: {units}");
    assert_eq!(units["TURKEY"], serde_json::json!([]));
    assert!(!france.to_string().contains("F BLA") && !france.to_string().contains("A SER"), "{france}");
    let all =
        pictures.iter().find(|(to, order)| to == "gm@example.org" && order["orders"] == true).expect("the Master's");
    assert!(all.1.to_string().contains("A CON - BUL"));
    assert!(pictures.iter().all(|(to, _)| !to.starts_with("kibitz") && !to.starts_with("map-bot")));
}

#[test]
fn what_a_power_asks_for_is_its_own_view() {
    let site = blind(&["BLIND"]);
    opening(&site);
    let sent =
        site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nHISTORY\nSUMMARY\nLIST\nMAP\nSTATUS\nWHOGAME");
    let maps =
        drawn(&site).into_iter().filter(|(to, _)| to == "france@example.org").map(|(_, order)| order.to_string());
    assert!(maps.filter(|map| !map.contains("S1901M")).all(|map| !map.contains("A SER")));
    // A picture has the names of all places.
    for mail in sent.iter().filter(|s| s.to == "france@example.org" && s.notice != "N44") {
        let text = all_of(mail);
        // The start of the map is no secret: HISTORY begins with it.
        let text = text.split("Movement results").last().expect("a text").to_owned();
        for secret in ["Serbia", "Bulgaria", "Galicia", "Black Sea", "North Sea", "SHOW "] {
            assert!(!text.contains(secret), "{secret} in {}:\n{text}", mail.notice);
        }
    }
    assert!(to(&sent, "N42", "france").text.contains("Army Paris -> Burgundy"));
    assert!(to(&sent, "N41", "france").text.contains("Germany:    Army Munich."));
    let own = to(&sent, "N43", "france").text.clone();
    let row = |power: &str| {
        own.lines().find(|l| l.starts_with(power)).map(|l| l.split_whitespace().last().unwrap_or("").to_string())
    };
    assert_eq!(
        (row("France:"), row("Germany:"), row("Index:")),
        (Some("3".into()), Some("?".into()), Some("?".into()))
    );
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nHISTORY\nSUMMARY\nLIST");
    assert!(to(&sent, "N42", "gm").text.contains("Army Constantinople -> Bulgaria"));
    assert!(to(&sent, "N43", "gm").text.lines().any(|l| l.starts_with("Turkey:") && l.ends_with(" 3")));
    assert!(to(&sent, "N41", "gm").text.contains("Turkey:     Army Bulgaria."));
    // Who watches, and strangers.
    let sent = site.mail("kibitz@example.org", "OBSERVE");
    assert!(sent.iter().all(|s| !s.text.contains("Bulgaria")));
    let sent = site.mail("kibitz@example.org", "SIGNON LOUDMOUTH@balkan9 popcorn\nHISTORY\nSUMMARY\nLIST");
    let text = to(&sent, "N42", "kibitz").text.clone();
    assert!(!text.split("Movement results").last().expect("a text").contains("Army"), "{text}");
    assert!(!to(&sent, "N41", "kibitz").text.contains("Army") && !to(&sent, "N43", "kibitz").text.contains(" 3\n"));
    let sent = site.mail("kibitz@example.org", "HISTORY balkan9\nSUMMARY balkan9\nLIST balkan9");
    assert!(sent.iter().all(|s| s.text.contains("R_BLIND") && !s.text.contains("Army")), "{sent:?}");
}

#[test]
fn an_omniscient_observer_sees_all_and_two_seats_of_one_address_see_their_own() {
    let site = blind(&["BLIND"]);
    let mut game = site.game("balkan9");
    for p in &mut game.participants {
        match p.name.as_str() {
            "LOUDMOUTH" => p.omniscient = chancery::status::Omniscient::Sees,
            "ITALY" => p.address = vec!["turkey@example.org".into()],
            _ => {}
        }
    }
    site.put(&game, &site.index("balkan9"));
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    assert_eq!(to(&sent, "N17", "kibitz").text, to(&sent, "N17", "gm").text);
    let both: Vec<&Sent> = sent.iter().filter(|s| s.notice == "N17" && s.to == "turkey@example.org").collect();
    let about = |power: &str| both.iter().filter(|s| s.text.contains(&format!("{power}: "))).count();
    assert_eq!((both.len(), about("Turkey"), about("Italy")), (2, 1, 1));
}

#[test]
fn no_page_of_a_blind_game_tells_of_the_board() {
    let site = blind(&["BLIND", "PUBLIC_PRESS"]);
    opening(&site);
    let tree = published(&site.root().join("web/game/balkan9"));
    assert!(tree.contains("balkan9") && tree.contains("F1901M"), "there are pages");
    for secret in ["Army Paris", "Burgundy", "A BUR", "Black Sea", "results.txt", "gallery", "SHOW "] {
        assert!(!tree.contains(secret), "{secret}");
    }
    // When it is over all may be seen.
    let mut game = site.game("balkan9");
    let draw = |p: &mut chancery::status::Participant| p.vote = Some(chancery::status::Vote::Dias);
    game.participants.iter_mut().filter(|p| p.kind == chancery::status::ParticipantKind::Power).for_each(draw);
    game.participants.iter_mut().filter(|p| p.name == "TURKEY").for_each(|p| p.vote = None);
    site.put(&game, &site.index("balkan9"));
    site.mail("turkey@example.org", "SIGNON Tbalkan9 hali7\nVOTE DIAS");
    assert_eq!(site.game("balkan9").phase, chancery::status::PhaseState::Completed);
    let tree = published(&site.root().join("web/game/balkan9"));
    assert!(tree.contains("Army Constantinople -&gt; Bulgaria") || tree.contains("Army Constantinople -> Bulgaria"));
    assert!(!tree.contains("SHOW ") && !tree.contains("ARRIVES."), "without marks, and each line once");
    let sent = site.mail("someone@example.org", "HISTORY balkan9");
    assert!(sent.iter().all(|s| !s.text.contains("SHOW ")));
}

#[test]
fn a_reply_does_not_tell_whether_a_foreign_unit_is_there() {
    // What is said of an order must be the same wherever the others stand.
    let said = |munich: bool| {
        let site = blind(&["BLIND"]);
        if !munich {
            let mut game = site.game("balkan9");
            game.participants.iter_mut().filter(|p| p.name == "GERMANY").for_each(|p| p.units = vec!["F KIE".into()]);
            game.participants.iter_mut().filter(|p| p.name == "ENGLAND").for_each(|p| p.units.clear());
            site.put(&game, &site.index("balkan9"));
        }
        let orders = "A par - bur\nA mar s A mun - bur\nF bre s F lon - eng";
        let sent = site.mail("france@example.org", &format!("SIGNON Fbalkan9 le-secret\n{orders}"));
        let help = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nHELP");
        let words =
            |s: &[Sent]| s.iter().filter(|s| s.to == "france@example.org").map(|s| s.text.clone()).collect::<String>();
        words(&sent) + &words(&help)
    };
    assert_eq!(said(true), said(false));
    assert!(said(true).contains("A MAR S A MUN - BUR"), "{}", said(true));
}

/// A deterministic source of choices.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides.max(1)
    }
}

/// A province a line speaks of: `Germany: Army Munich -> …`.
fn place(map: &Map, line: &str) -> Option<(UnitKind, ProvinceId)> {
    let rest = line.split_once(':')?.1.trim_start();
    let (kind, rest) = match rest.split_once(' ')? {
        ("Army", rest) => (UnitKind::Army, rest),
        ("Fleet", rest) => (UnitKind::Fleet, rest),
        _ => return None,
    };
    let named = map.locations.iter().filter(|l| rest.starts_with(&l.title)).max_by_key(|l| l.title.len())?;
    Some((kind, named.province))
}

/// Whether an eye reaches a province, found out another way: from some berth there some unit could support to the eye.
fn reaches(geography: &Geography, eye: ProvinceId, at: ProvinceId) -> bool {
    eye == at
        || [UnitKind::Army, UnitKind::Fleet].into_iter().any(|kind| {
            let berths = geography.berths(kind, at);
            berths.into_iter().any(|at| geography.supports_into(Unit { kind, at }, eye, None))
        })
}

#[test]
fn nobody_reads_of_a_place_beyond_his_eyes_and_all_views_together_are_the_report() {
    let map = Map::builtin("standard").expect("the standard map");
    let rules = |list: &[Rule]| list.iter().copied().collect::<Rules>();
    let implied = [Rule::FictionalOk, Rule::ShowPhantom];
    let compiled = Arc::new(Compiled::new(map.clone()));
    let open = Diplomacy::new(Arc::clone(&compiled), rules(&implied), "standard");
    let dark = Diplomacy::new(compiled, rules(&[implied[0], implied[1], Rule::Blind]), "standard");
    let mut game = Site::of_fixture().game("balkan9");
    let (board, none) = (Board::default(), Rules::default());
    let geography = Geography { map: &map, rules: &none, board: &board };
    let mut dice = Dice(7);
    let mut glimpses = 0;
    for phase in 0..40 {
        for power in &map.powers {
            let choices = dark.choices(&game, &power.key);
            let orders = choices.iter().filter_map(|line| {
                let (unit, places) = line.split_once(" -> ")?;
                let places: Vec<&str> = places.split(", ").filter(|p| !p.starts_with("or ")).collect();
                let to = places[dice.roll(places.len())];
                Some(match dark.phase_kind(&game).as_str() {
                    "RETREATS" => format!("RETREAT {unit} - {to}"),
                    _ => format!("{unit} - {to}"),
                })
            });
            let orders: Vec<String> = orders.collect();
            if !dark.phase_kind(&game).starts_with('A') {
                dark.store(&mut game, &power.key, &orders);
            }
        }
        let plain = open.resolve(&game, 1).expect("resolved").report;
        let next = dark.resolve(&game, 1).expect("resolved");
        assert_eq!(shown_to(&next.report, Some("MASTER")), plain, "phase {phase}");
        let stands = |game: &Game, key: &str| -> Vec<ProvinceId> {
            let p = game.participants.iter().find(|p| p.name == key).expect("a power");
            let units = p.units.iter().chain(p.retreats.iter().map(|(unit, _)| unit));
            units.map(|u| map.province(u[2..].split('/').next().expect("a place")).expect("a place")).collect()
        };
        for power in &map.powers {
            let mut eyes: Vec<ProvinceId> = [&game, &next.game].iter().flat_map(|g| stands(g, &power.key)).collect();
            eyes.extend(power.homes.iter().copied());
            eyes.extend(power.units.iter().map(|u| map.province_of(u.at)));
            let text = shown_to(&next.report, Some(&power.key));
            for line in text.lines().filter(|l| !l.starts_with(&format!("{}:", power.title))) {
                let Some((_, at)) = place(&map, line) else { continue };
                glimpses += 1;
                assert!(eyes.iter().any(|eye| reaches(&geography, *eye, at)), "{} reads {line}", power.title);
            }
            // Its own lines are all there.
            let own = |text: &str| {
                text.lines()
                    .filter(|l| l.starts_with(&format!("{}:", power.title)))
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            let counts =
                |lines: Vec<String>| lines.into_iter().filter(|l| place(&map, l).is_some()).collect::<Vec<_>>();
            assert_eq!(counts(own(&text)), counts(own(&plain)), "{}", power.title);
        }
        if next.victors.is_some() {
            break;
        }
        game = next.game;
    }
    assert!(glimpses > 300, "{glimpses}");
}
