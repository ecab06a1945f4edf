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
