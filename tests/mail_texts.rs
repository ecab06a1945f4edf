//! How the judge's mails read: the results report letter by letter against the example of notices.md 4.4, and snapshots of
//! the mails that people see most.

mod support;

use chancery::referee::Referee;
use support::{Sent, Site, standard};

/// notices.md 4.4: orders in canonical form.
const ORDERS: [(&str, &str); 7] = [
    ("AUSTRIA", "A BUD - SER, A VIE - TRI, F TRI - ALB"),
    ("ENGLAND", "F EDI - NWG, F LON - NTH, A LVP - YOR"),
    ("FRANCE", "F BRE - MAO, A MAR S A PAR - BUR, A PAR - BUR"),
    ("GERMANY", "F KIE - DEN, A BER - KIE, A MUN - BUR"),
    ("ITALY", "F NAP - ION, A ROM - VEN, A VEN - TRI"),
    ("RUSSIA", "A WAR - GAL, A MOS - UKR, F SEV - BLA, F STP/SC - BOT"),
    ("TURKEY", "F ANK - BLA, A CON - BUL, A SMY S F ANK - ARM"),
];

const REPORT: &str = "\
:: Judge: CHCY  Game: balkan9  Variant: standard 
:: Deadline: S1901M Sat 28 Nov 2026 20:00 GMT
:: URL: https://judge.example/game/balkan9

Movement results for Spring of 1901.  (balkan9.S1901M)

Austria: Army Budapest -> Serbia.
Austria: Army Vienna -> Trieste.  (*bounce*)
Austria: Fleet Trieste -> Albania.

England: Fleet Edinburgh -> Norwegian Sea.
England: Fleet London -> North Sea.
England: Army Liverpool -> Yorkshire.

France: Fleet Brest -> Mid-Atlantic Ocean.
France: Army Marseilles SUPPORT Army Paris -> Burgundy.
France: Army Paris -> Burgundy.

Germany: Fleet Kiel -> Denmark.
Germany: Army Berlin -> Kiel.
Germany: Army Munich -> Burgundy.  (*bounce*)

Italy: Fleet Naples -> Ionian Sea.
Italy: Army Rome -> Venice.  (*bounce*)
Italy: Army Venice -> Trieste.  (*bounce*)

Russia: Army Warsaw -> Galicia.
Russia: Army Moscow -> Ukraine.
Russia: Fleet Sevastopol -> Black Sea.  (*bounce*)
Russia: Fleet St Petersburg (south coast) -> Gulf of Bothnia.

Turkey: Fleet Ankara -> Black Sea.  (*bounce*)
Turkey: Army Constantinople -> Bulgaria.
Turkey: Army Smyrna SUPPORT Fleet Ankara -> Armenia.  (*void*)

The next phase of 'balkan9' will be Movement for Fall of 1901.
The deadline for orders will be ";

fn texts(sent: &[Sent], notice: &str, to: &str) -> String {
    let found = sent.iter().find(|s| s.notice == notice && s.to == to);
    let sent = found.unwrap_or_else(|| {
        panic!("no {notice} to {to} among {:?}", sent.iter().map(|s| (&s.notice, &s.to)).collect::<Vec<_>>())
    });
    for line in sent.text.lines() {
        assert!(line.chars().count() <= 78, "{} columns: {line}", line.chars().count());
    }
    format!("To: {}\nSubject: {}\n\n{}", sent.to, sent.subject, sent.text)
}

/// Stores sheets and has the Master process the phase.
fn process(site: &Site, sheets: &[(&str, &str)]) -> Vec<Sent> {
    let mut game = site.game("balkan9");
    for (power, orders) in sheets {
        let set: Vec<String> = orders.split(", ").map(str::to_string).collect();
        standard().store(&mut game, power, &set);
    }
    site.put(&game, &site.index("balkan9"));
    // The same words twice are one message.
    let count = site.file("balkan9", "access").lines().count();
    let mail = support::plain("gm@example.org", &format!("{count}"), "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    site.deliver(mail.as_bytes())
}

#[test]
fn the_report_is_that_of_the_specification() {
    let site = Site::of_fixture();
    // In the order of the example.
    let mut game = site.game("balkan9");
    for (power, orders) in ORDERS {
        let units: Vec<String> =
            orders.split(", ").map(|o| o.split_whitespace().take(2).collect::<Vec<_>>().join(" ")).collect();
        let p = game.participant_mut(power).expect("a power");
        assert_eq!(p.units.len(), units.len());
        p.units = units;
    }
    site.put(&game, &site.index("balkan9"));
    let sent = process(&site, &ORDERS);
    let report = sent.iter().find(|s| s.notice == "N17" && s.to == "france@example.org").expect("a report");
    assert_eq!(report.subject, "Diplomacy results balkan9 S1901M");
    let head = report.text.get(..REPORT.len()).unwrap_or(&report.text);
    assert_eq!(head, REPORT);
    // The deadline on file is later than the next one would be: it stays.
    let rest = &report.text[REPORT.len()..];
    assert!(rest.starts_with("Saturday 28 November 2026 20:00 GMT."), "{rest}");
    let tail = rest.split_once('\n').map(|(_, t)| t.trim()).unwrap_or_default();
    assert_eq!(tail, "");
    assert_eq!(sent.iter().filter(|s| s.notice == "N17").count(), 10, "seven powers, observer, monitor, Master");
    assert!(site.file("balkan9", "results").contains(REPORT));
}

#[test]
fn mails_read_well() {
    let site = Site::of_fixture();
    let mut all = String::new();
    let mut show = |title: &str, text: String| all += &format!("=== {title}\n{text}\n");
    let sent = site.mail(
        "france@example.org",
        "SIGNON Fbalkan9 le-secret\nPRESS TO EG\nI will stay out of the Channel if you do.\nENDPRESS\nF bre - mao\nA par - bur\nA mar s par - bur\nSET NOWAIT\nVOTE DIAS",
    );
    show("N12 orders", texts(&sent, "N12", "france@example.org"));
    show("N45 press", texts(&sent, "N45", "england@example.org"));
    show("N45 echo", texts(&sent, "N45", "france@example.org"));
    let sent = site.mail(
        "france@example.org",
        "SIGNON Fbalkan9 le-secret\nPRESS TO EG\nAnother word.\nENDPRESS\nF bre - mao\nA par - lon\nA mar s par - bur\nSET WAIT",
    );
    show("reply with an error", texts(&sent, "N12", "france@example.org"));
    let sent = site.mail("kibitz@example.org", "LIST");
    show("N40 openings", texts(&sent, "N40", "kibitz@example.org"));
    let sent = site.mail("kibitz@example.org", "LIST balkan9");
    show("N41 list", texts(&sent, "N41", "kibitz@example.org"));
    let sent = site.mail("austria@example.org", "RESIGN Abalkan9 walzer");
    show("N22 resignation", texts(&sent, "N22", "france@example.org"));
    show("N21 receipt", texts(&sent, "N21", "austria@example.org"));
    let sent = site.mail("newman@example.com", "TAKEOVER AUSTRIA@balkan9 newpass");
    show("N23 takeover", texts(&sent, "N23", "newman@example.com"));
    show("N24 takeover", texts(&sent, "N24", "france@example.org"));
    let sent = site.mail("zoe@example.com", "JOIN form7 secret7");
    show("N02 welcome", texts(&sent, "reply", "zoe@example.com"));
    show("N03 joined", texts(&sent, "N03", "p1@example.org"));
    let sent = site.mail("gm@example.org", "SIGNON Mform7 gm-form\nACTIVATE");
    show("N05 assignment", texts(&sent, "N05", "zoe@example.com"));
    show("N06 start", texts(&sent, "N06", "gm@example.org"));
    let sent = site.mail("zoe@example.com", "HELP");
    show("help", texts(&sent, "reply", "zoe@example.com"));
    insta::assert_snapshot!("dialogue", all);
}

#[test]
fn reports_read_well() {
    let site = Site::of_fixture();
    let mut all = String::new();
    let mut show = |title: &str, text: String| all += &format!("=== {title}\n{text}\n");
    process(&site, &ORDERS);
    let fall = [
        ("AUSTRIA", "A SER - GRE, A VIE - TRI, F ALB S A SER - GRE"),
        ("ENGLAND", "F NWG S A YOR - NWY, F NTH C A YOR - NWY, A YOR - NWY"),
        ("FRANCE", "F MAO - SPA/SC, A MAR H, A BUR - MUN"),
        ("GERMANY", "F DEN - SWE, A KIE - HOL, A MUN - RUH"),
        ("ITALY", "F ION - TUN, A ROM - APU, A VEN - TYR"),
        ("RUSSIA", "A GAL - RUM, A UKR S A GAL - RUM, F SEV S A GAL - RUM, F BOT - SWE"),
        ("TURKEY", "F ANK - BLA, A BUL - SER, A SMY - CON"),
    ];
    let sent = process(&site, &fall);
    show("N17 fall", texts(&sent, "N17", "france@example.org"));
    let game = site.game("balkan9");
    assert_eq!(game.short_phase(), "W1901A", "{:?}", game.phase);
    let builds =
        [("ENGLAND", "BUILD F LON"), ("FRANCE", "BUILD A PAR"), ("RUSSIA", "BUILD A MOS"), ("GERMANY", "BUILD A BER")];
    let sent = process(&site, &builds);
    show("N17 winter", texts(&sent, "N17", "gm@example.org"));
    let spring = [("FRANCE", "A MUN H"), ("GERMANY", "A RUH - MUN, A BER S A RUH - MUN, A HOL - KIE")];
    let sent = process(&site, &spring);
    show("N17 dislodgement", texts(&sent, "N17", "france@example.org"));
    show("N15 disorder", texts(&sent, "N15", "gm@example.org"));
    let sent = site.mail("kibitz@example.org", "SUMMARY balkan9");
    show("N43 summary", texts(&sent, "N43", "kibitz@example.org"));
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nLIST");
    show("N41 list signed on", texts(&sent, "N41", "france@example.org"));
    let mut late = Site::of_fixture();
    late.now = "2026-11-28T20:10:00Z".into();
    std::fs::write(late.root().join("cron/check.tim"), "").expect("note");
    let output = late.run(&["tick", "--no-guard", "--clock", &late.now], b"");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let sent: Vec<Sent> = late.sent().into_iter().map(|(_, s)| s).collect();
    if sent.iter().any(|s| s.notice == "N13") {
        show("N13 late", texts(&sent, "N13", "france@example.org"));
    }
    insta::assert_snapshot!("reports", all);
}

#[test]
fn back_and_forth_through_the_phases() {
    let site = Site::of_fixture();
    process(&site, &ORDERS);
    process(&site, &[("FRANCE", "F MAO - POR")]);
    let (whole, records) = (site.file("balkan9", "results"), site.file("balkan9", "results.jsonl"));
    let end = site.game("balkan9");
    assert_eq!(end.short_phase(), "W1901A");
    let master = |words: &str| {
        let head = site.file("balkan9", "access").lines().count();
        site.mail("gm@example.org", &format!("SIGNON Mbalkan9 gm-secret\n// {head}\n{words}"))
    };
    // One phase back, without its orders.
    let sent = master("ROLLBACK");
    let notice = sent.iter().find(|s| s.notice == "N34" && s.to == "map-bot@example.com").expect("N34");
    assert!(notice.text.contains("F1901M"), "{}", notice.text);
    let game = site.game("balkan9");
    assert_eq!(game.short_phase(), "F1901M");
    assert!(game.participants.iter().all(|p| p.orders.is_none()));
    assert!(!site.file("balkan9", "results").contains("F1901M") && site.file("balkan9", "results").contains("S1901M"));
    assert_eq!(site.file("balkan9", "results.jsonl").lines().count(), 1);
    // To the first, then forth to where it was: nothing is missing.
    master("ROLLBACK S1901M RESTORE");
    let game = site.game("balkan9");
    assert_eq!(game.short_phase(), "S1901M");
    assert_eq!(standard().on_file(&game, "TURKEY").len(), 3);
    assert!(!site.file("balkan9", "results").contains("S1901M"));
    master("ROLLFORWARD");
    let game = site.game("balkan9");
    assert_eq!(game.short_phase(), "W1901A");
    assert_eq!(
        game.participants.iter().map(|p| &p.units).collect::<Vec<_>>(),
        end.participants.iter().map(|p| &p.units).collect::<Vec<_>>()
    );
    assert_eq!((site.file("balkan9", "results"), site.file("balkan9", "results.jsonl")), (whole, records));
    // Back and processed again: what was is kept as a branch, and no way leads forward to it.
    master("ROLLBACK S1901M RESTORE");
    process(&site, &[]);
    assert_eq!(site.game("balkan9").short_phase(), "F1901M");
    assert!(!site.file("balkan9", "status.F1901M.1").is_empty() && !site.file("balkan9", "status.W1901A.1").is_empty());
    let sent = master("ROLLFORWARD");
    assert!(sent.iter().any(|s| s.text.contains("R_BAD_STATE")), "{sent:?}");
    master("ROLLBACK FORMING");
    let game = site.game("balkan9");
    assert_eq!(game.short_phase(), "FORMING");
    assert_eq!(site.index("balkan9").state.word(), "forming");
    assert!(game.participants.iter().all(|p| p.units.is_empty() && p.password.is_some()));
    // A player may not.
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nROLLFORWARD");
    assert!(sent.iter().any(|s| s.text.contains("R_MASTER_ONLY")));
}

#[test]
fn the_results_name_the_deadline_that_holds_after_a_way_back_and_forth() {
    let mut site = Site::of_fixture();
    process(&site, &ORDERS);
    process(&site, &[]);
    let (whole, end) = (site.file("balkan9", "results"), site.game("balkan9"));
    // A day for builds; three days for the moves that the game goes back to.
    assert_eq!(end.short_phase(), "W1901A");
    let said = |site: &Site, words: &str| {
        let lines = site.file("balkan9", "access").lines().count();
        site.mail("gm@example.org", &format!("SIGNON Mbalkan9 gm-secret\n// {lines}\n{words}"))
    };
    for back in ["ROLLBACK", "ROLLBACK S1901M", "ROLLBACK FORMING", "ROLLBACK\nSET DEADLINE 24 DEC 18:00"] {
        said(&site, back);
        assert_ne!(site.file("balkan9", "results"), whole, "{back}");
        said(&site, "ROLLFORWARD");
        let game = site.game("balkan9");
        assert_eq!((game.short_phase(), game.deadline), (end.short_phase(), end.deadline), "{back}");
        assert_eq!(site.file("balkan9", "results"), whole, "{back}");
    }
    // By halves, too.
    for words in ["ROLLBACK S1901M", "ROLLFORWARD F1901M", "ROLLFORWARD"] {
        said(&site, words);
    }
    assert_eq!(site.file("balkan9", "results"), whole);
    // Weeks later the deadline is another one: that one line says so, and nothing else has changed.
    site.now = "2026-12-14T09:00:00Z".into();
    said(&site, "ROLLBACK S1901M");
    said(&site, "ROLLFORWARD");
    let game = site.game("balkan9");
    assert!(game.deadline > end.deadline, "{:?}", game.deadline);
    let after = site.file("balkan9", "results");
    let changed: Vec<(&str, &str)> = whole.lines().zip(after.lines()).filter(|(a, b)| a != b).collect();
    assert_eq!((changed.len(), after.lines().count()), (1, whole.lines().count()), "{changed:?}");
    assert_eq!(changed[0].1, "The deadline for orders will be Tuesday 15 December 2026 20:00 GMT.");
    assert!(site.file("balkan9", "status").contains("DEADLINE 202612152000"), "{}", site.file("balkan9", "status"));
}

#[test]
fn a_game_is_renamed_and_purged_by_two_mails() {
    let site = Site::of_fixture();
    let token = |sent: &[Sent], words: &str| {
        let text = &sent.iter().find(|s| s.is_reply()).expect("a reply").text;
        let line = text.lines().find(|l| l.trim().starts_with(words)).unwrap_or_else(|| panic!("{text}"));
        line.split_whitespace().last().expect("a token").to_string()
    };
    let sent = site.mail("gm@example.org", "RENAME balkan9 heron gm-secret");
    let word = token(&sent, "RENAME balkan9 heron password");
    assert_eq!(site.game("balkan9").name, "balkan9");
    let sent = site.mail("gm@example.org", "RENAME balkan9 heron gm-secret 0123456789");
    assert!(sent[0].text.contains("R_SYNTAX"), "{}", sent[0].text);
    let sent = site.mail("gm@example.org", &format!("RENAME balkan9 heron gm-secret {word}"));
    assert!(sent.iter().any(|s| s.notice == "N30" && s.to == "france@example.org"), "{sent:?}");
    assert_eq!((site.game("heron").name, site.index("heron").state.word()), ("heron".into(), "active"));
    assert!(site.index("balkan9").name.is_empty() && site.file("balkan9", "status").is_empty());
    let sent = site.mail("france@example.org", "SIGNON Fheron le-secret\nSTATUS");
    assert!(sent.iter().any(|s| s.notice == "N12"));
    let sent = site.mail("gm@example.org", "PURGE heron gm-secret");
    assert!(sent[0].text.contains("R_BAD_STATE"), "{}", sent[0].text);
    let sent = site.mail("gm@example.org", "PURGE priv1 gm-wrong");
    assert!(sent[0].text.contains("R_BAD_LOGIN"), "{}", sent[0].text);
    let sent = site.mail("gm@example.org", "PURGE priv1 gm-priv");
    let word = token(&sent, "PURGE priv1 password");
    let sent = site.mail("gm@example.org", &format!("PURGE priv1 gm-priv {word}"));
    assert!(sent.iter().any(|s| s.notice == "N31"), "{sent:?}");
    assert!(site.index("priv1").name.is_empty() && site.file("priv1", "status").is_empty());
}
