//! Maps in mails: whom a map's NOTIFY lines tell of games (map-file.md 3, notices.md N01 and N30), and the marks of
//! dummies and vassals in the pictures that are mailed (map-drawing.md 5, rules.md HIDE_DUMMIES). The real binary.

mod support;

use chancery::status::{Holder, PlayerLine};
use support::{Sent, Site};

const AUTHOR: &str = "author@maps.example";

fn told(sent: &[Sent], notice: &str) -> Vec<String> {
    let mut to: Vec<String> = sent.iter().filter(|s| s.notice == notice).map(|s| s.to.clone()).collect();
    to.sort();
    to
}

/// A site with a released map and one on trial whose author wants to hear of games.
fn with_maps(wish: Option<&'static str>) -> Site {
    let mut settings = vec![("judge.observers", "[\"crier@judge.example\"]")];
    settings.extend(wish.map(|wish| ("judge.notify_maps", wish)));
    let site = Site::of_fixture_with(settings);
    for (room, name) in [("maps", "settled"), ("trial", "draft")] {
        let text = format!("USE standard\nNOTIFY {AUTHOR}\n");
        std::fs::write(site.root().join(room).join(format!("{name}.map")), text).expect("a map");
    }
    site
}

#[test]
fn the_addresses_of_a_map_are_told_where_the_keeper_allows_it() {
    // Setting; who hears of a game on the released map, on the one on trial.
    let keeper = "keeper@judge.example";
    let crier = "crier@judge.example";
    let all = vec![AUTHOR, crier, keeper];
    for (wish, released, trial) in [
        (None, vec![crier], all.clone()),
        (Some("\"trial\""), vec![crier], all.clone()),
        (Some("\"all\""), all.clone(), all.clone()),
        (Some("\"none\""), vec![crier], vec![crier]),
    ] {
        let site = with_maps(wish);
        let sent = site.mail("zoe@example.com", "CREATE heron my-secret\nMAP settled\nFORM");
        assert_eq!(told(&sent, "N01"), released, "{wish:?}, released");
        let sent = site.mail("zoe@example.com", "CREATE stork my-secret\nTRIAL draft\nFORM");
        assert_eq!(told(&sent, "N01"), trial, "{wish:?}, on trial");
        let note = sent.iter().find(|s| s.notice == "N01").expect("a note");
        assert!(
            note.text.contains("https://judge.example/game/stork/") && note.text.contains("draft"),
            "{}",
            note.text
        );
        // The new name of the game too (N30): the second mail does it.
        let sent = site.mail("zoe@example.com", "RENAME stork crane my-secret");
        assert_eq!(told(&sent, "N30"), Vec::<String>::new());
        let text = &sent[0].text;
        let line = text.lines().find(|l| l.trim().starts_with("RENAME stork crane password")).expect("the token");
        let token = line.split_whitespace().last().expect("the token");
        let sent = site.mail("zoe@example.com", &format!("RENAME stork crane my-secret {token}"));
        let heard = told(&sent, "N30");
        assert!(heard.contains(&"zoe@example.com".to_string()), "the Master: {heard:?}");
        assert_eq!(heard.contains(&AUTHOR.to_string()), trial.contains(&AUTHOR), "{wish:?}: {heard:?}");
    }
}

#[test]
fn nobody_outside_hears_of_what_one_plays_alone() {
    let site = with_maps(Some("\"all\""));
    let sent = site.mail("zoe@example.com", "CREATE alone my-secret\nTRIAL draft\nRULE SOLITAIRE\nFORM");
    assert_eq!(told(&sent, "N01"), Vec::<String>::new(), "{sent:?}");
    assert_eq!(site.index("alone").state.word(), "active");
}

/// The marks in the SVG that a MAP mail has attached: units and shields of dummies, rings of vassals.
fn marks(sent: &[Sent]) -> (usize, usize) {
    let letter = sent.iter().find(|s| s.notice == "N44").unwrap_or_else(|| panic!("no map: {sent:?}"));
    let mail = mailparse::parse_mail(&letter.bytes).expect("a mail");
    let svg = mail.parts().find(|p| p.ctype.mimetype == "image/svg+xml").expect("an SVG").get_body().expect("its text");
    (svg.matches("class=\"dummy\"").count(), svg.matches("class=\"ruled\"").count())
}

/// What the queue keeps in the place of the picture of a mail: who is a dummy, who rules whom.
fn ordered(site: &Site, notice: &str) -> Vec<String> {
    let mut orders = Vec::new();
    for entry in std::fs::read_dir(site.root().join("outbox/done")).expect("the queue").flatten() {
        let bytes = std::fs::read(entry.path()).expect("a queued mail");
        let at = bytes.windows(2).position(|w| w == b"\n\n").expect("a head") + 2;
        let mail = mailparse::parse_mail(&bytes[at..]).expect("a mail");
        if !String::from_utf8_lossy(&bytes[at..]).contains(&format!("X-Chancery-Notice: {notice}")) {
            continue;
        }
        let pictures = mail.parts().filter(|p| p.ctype.mimetype == "image/png");
        orders.extend(pictures.map(|p| String::from_utf8_lossy(&p.get_body_raw().expect("bytes")).into_owned()));
    }
    orders
}

#[test]
fn mailed_pictures_mark_dummies_and_vassals_unless_they_are_hidden() {
    for hidden in [false, true] {
        let site = Site::of_fixture();
        let mut game = site.game("balkan9");
        for p in &mut game.participants {
            let dummy = PlayerLine { current: Holder::Dummy, earlier: Vec::new() };
            match p.name.as_str() {
                "TURKEY" => (p.player, p.address, p.password) = (Some(dummy), Vec::new(), None),
                "AUSTRIA" => {
                    (p.player, p.address, p.password) = (Some(dummy), Vec::new(), None);
                    p.control = vec!["RUSSIA".into()];
                }
                _ => {}
            }
        }
        if hidden {
            game.rules.push("HIDE_DUMMIES".into());
        }
        site.put(&game, &site.index("balkan9"));
        // Units of Turkey and its line in the panel are hatched; those of Austria have a ring in the colour of Russia.
        let expected = if hidden { (0, 0) } else { (3 + 1, 3 + 1) };
        assert_eq!(marks(&site.mail("kibitz@example.org", "MAP balkan9")), expected, "{hidden}: who watches");
        let sent = site.mail("russia@example.org", "SIGNON Rbalkan9 vodka\nMAP");
        assert_eq!(marks(&sent), expected, "{hidden}: the ruler");
        // The picture in the results is drawn from the same knowledge.
        site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
        let orders = ordered(&site, "N17");
        assert!(orders.len() >= 8, "{} pictures", orders.len());
        for order in orders {
            let scene = &order[order.find('{').expect("an order to draw")..];
            let scene: serde_json::Value = serde_json::from_str(scene).expect("JSON");
            let text = scene.to_string();
            assert_eq!(text.contains(r#""dummies":["TURKEY"]"#), !hidden, "{text}");
            assert_eq!(text.contains(r#""rulers":[["AUSTRIA","RUSSIA"]]"#), !hidden, "{text}");
        }
    }
}

/// A game on a map of the site's, whose Master has begun it. Its powers without players are what the map says, or as he has
/// typed them.
fn begun(map: &str, players: usize, typed: &[&str]) -> Site {
    let site = Site::of_fixture();
    std::fs::write(site.root().join("maps/ours.map"), map).expect("a map");
    let mut game = site.game("form7");
    let seat = game.participants[0].clone();
    game.participants.clear();
    for n in 1..=players {
        let mut seat = chancery::status::Participant { name: format!("POWER#{n}"), ..seat.clone() };
        if let Some(Holder::Person(person)) = seat.player.as_mut().map(|line| &mut line.current) {
            person.id = format!("{}", 200 + n);
        }
        game.participants.push(seat);
    }
    game.map = "ours".into();
    for power in typed {
        game.participants.push(chancery::status::Participant {
            name: power.to_string(),
            kind: chancery::status::ParticipantKind::Power,
            player: Some(PlayerLine { current: Holder::Dummy, earlier: Vec::new() }),
            ..chancery::status::Participant::default()
        });
    }
    site.put(&game, &site.index("form7"));
    let sent = site.mail("gm@example.org", "SIGNON Mform7 gm-form\nACTIVATE");
    assert!(sent.iter().any(|s| s.notice == "N06"), "{:?}", sent.iter().map(|s| &s.text).collect::<Vec<_>>());
    site
}

fn process(site: &Site) -> Vec<Sent> {
    let phase = site.game("form7").short_phase();
    site.mail("gm@example.org", &format!("SIGNON Mform7 gm-form\n// {phase}\nPROCESS!"))
}

#[test]
fn who_runs_a_dummy_of_the_map_changes_with_the_phases() {
    let dummy = "USE standard\nDUMMY AUSTRIA\nAUSTRIA\nCONTROL FRANCE ITALY TURKEY\n";
    let control = |site: &Site| site.game("form7").participant("AUSTRIA").expect("Austria").control.join(" ");
    for (words, turns) in [
        ("ROTATE BEFORE M\n", ["FRANCE ITALY TURKEY", "ITALY TURKEY FRANCE", "TURKEY FRANCE ITALY"]),
        ("ROTATE\n", ["FRANCE ITALY TURKEY", "ITALY TURKEY FRANCE", "TURKEY FRANCE ITALY"]),
        ("ROTATE AFTER M\n", ["FRANCE ITALY TURKEY", "ITALY TURKEY FRANCE", "TURKEY FRANCE ITALY"]),
        ("ROTATE BEFORE R\n", ["FRANCE ITALY TURKEY"; 3]),
        ("", ["FRANCE ITALY TURKEY"; 3]),
    ] {
        let typed: &[&str] = if words.is_empty() { &["AUSTRIA"] } else { &[] };
        let site = begun(&format!("{dummy}{words}"), 6, typed);
        for turn in turns {
            assert_eq!(control(&site), turn, "{words:?} in {}", site.game("form7").short_phase());
            process(&site);
        }
    }
}

#[test]
fn victory_by_homes_has_a_goal_of_its_own_and_dummies_count_for_their_master() {
    // France owns its homes and these of others; a fall without moves is counted.
    let foreign = ["MUN", "BER", "KIE", "LON", "LVP", "EDI", "ROM", "VEN", "NAP", "VIE"];
    let neutral = ["BEL", "HOL", "SPA", "POR", "DEN", "SWE", "NWY", "TUN"];
    let counted = |rules: &[&str], owns: &[&str], dummy: &[&str]| {
        let site = Site::of_fixture();
        let mut game = site.game("balkan9");
        game.rules.extend(rules.iter().map(|r| r.to_string()));
        game.phase = chancery::status::PhaseState::Running("FALL 1901 MOVEMENT".into());
        for p in &mut game.participants {
            p.units.retain(|_| matches!(p.name.as_str(), "FRANCE" | "TURKEY"));
            match p.name.as_str() {
                "FRANCE" => p.owns = owns.iter().map(|c| c.to_string()).collect(),
                "AUSTRIA" => {
                    p.owns = dummy.iter().map(|c| c.to_string()).collect();
                    p.player = Some(PlayerLine { current: Holder::Dummy, earlier: Vec::new() });
                    (p.address, p.password, p.control) = (Vec::new(), None, vec!["FRANCE".into()]);
                }
                name => p.owns.retain(|c| name == "TURKEY" && !owns.contains(&c.as_str())),
            }
        }
        site.put(&game, &site.index("balkan9"));
        let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nLIST\nPROCESS!");
        let list = sent.iter().find(|s| s.notice == "N41").unwrap_or_else(|| panic!("{sent:?}")).text.clone();
        let result = site.game("balkan9").result.map(|r| r.victors.join(" ")).unwrap_or_default();
        let marks = site.file("balkan9", "results").matches("(* VICTORY!! *)").count();
        (list, result, marks)
    };
    let with = |own: &[&'static str], more: &[&'static str]| [own, more].concat();
    let own = ["BRE", "PAR", "MAR"];
    let homes = ["VICTORY_HOMES"];
    let (list, result, _) = counted(&homes, &with(&own, &foreign), &[]);
    assert!(list.contains("Victory: 10 home centres of others\n"), "{list}");
    // Those of its own dummy are none of others': nine.
    assert_eq!(result, "", "Vienna is the dummy's");
    let (_, result, marks) = counted(&homes, &with(&own, &[&foreign[..9], &["MOS"]].concat()), &[]);
    assert_eq!((result.as_str(), marks), ("FRANCE", 1));
    // Neither own homes nor what is nobody's home counts.
    let (_, result, _) = counted(&homes, &with(&own, &[&foreign[..9], &neutral].concat()), &[]);
    assert_eq!(result, "");
    // A team: the dummy's centres are its master's, who has the mark with it.
    let (ours, theirs) = (with(&own, &foreign[..9]), ["VIE", "BUD", "TRI", "BEL", "HOL", "SPA"]);
    let (list, result, marks) = counted(&["TEAM_VICTORY", "HOLD_WIN"], &ours, &theirs);
    assert!(list.contains("Victory: 18 centres\n"), "{list}");
    assert_eq!((result.as_str(), marks), ("FRANCE", 2));
    let (_, result, marks) = counted(&["TEAM_VICTORY", "HOLD_WIN"], &ours, &theirs[..5]);
    assert_eq!((result.as_str(), marks), ("", 0), "seventeen");
    let (_, result, marks) = counted(&["HOLD_WIN"], &ours, &theirs);
    assert_eq!((result.as_str(), marks), ("", 0), "no team");
}
