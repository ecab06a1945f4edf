//! A burst of mail, worked off at once, comes to what its mails come to one by one: files, answers, ledger. The real binary
//! on a fresh site.

mod support;

use std::collections::BTreeMap;
use support::{Site, plain};

const GAMES: [&str; 4] = ["balkan9", "form7", "priv1", "vac5"];

/// To several games; twice to one; twice from one sender; in one mail to two; to none; with a wrong password and a wrong order.
const MAILS: [(&str, &str); 12] = [
    ("france@example.org", "SIGNON Fbalkan9 le-secret\nA par h\nA mar - spa\nF bre - mao"),
    ("p4@example.org", "JOIN form7 four-word"),
    ("p2@example.org", "SIGNON Rvac5 caviar\nA mos - ukr\nPRESS TO M\nHello.\nENDPRESS"),
    ("gm@example.org", "SIGNON Mpriv1 gm-priv\nDESC\nA quiet game.\nENDDESC"),
    ("england@example.org", "SIGNON Ebalkan9 tea4two\nF lon - nth\nA lvp - yor\nF edi - lon - nth"),
    ("france@example.org", "SIGNON Fbalkan9 le-secret\nA par - bur"),
    ("gm@example.org", "SIGNON Mform7 gm-form\nBROADCAST\nSoon.\nENDBROADCAST\nSIGNOFF\nSIGNON Mvac5 gm-vac\nSTATUS"),
    ("newman@example.com", "LIST"),
    ("italy@example.org", "SIGNON Ibalkan9 pizza\nA rom h"),
    ("italy@example.org", "SIGNON Ibalkan9 pasta&vino\nA rom - apu\nSET WAIT"),
    ("p1@example.org", "SIGNON 1form7 moon\nPRESS TO M\nMe first.\nENDPRESS"),
    ("p2@example.org", "HELP"),
];

/// What a site has come to: files by name, mails, lines of the ledger.
fn outcome(site: &Site) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for game in GAMES {
        for file in ["status", "audit.log", "access", "press"] {
            all.insert(format!("{game}/{file}"), site.file(game, file));
        }
    }
    let mut mails: Vec<String> =
        site.sent().iter().map(|(_, m)| format!("{} to {}: {}\n{}\n", m.notice, m.to, m.subject, m.text)).collect();
    mails.sort();
    all.insert("mails".into(), mails.concat());
    let ledger = std::fs::read_to_string(site.root().join("ledger/2026-11")).expect("the ledger");
    let mut lines: Vec<&str> = ledger.lines().collect();
    lines.sort_unstable();
    all.insert("ledger".into(), lines.join("\n"));
    all
}

#[test]
fn a_burst_comes_to_what_its_mails_come_to_one_by_one() {
    let (one_by_one, at_once) = (Site::of_fixture(), Site::of_fixture());
    let clock = "2026-11-21T09:00:00Z";
    for (from, text) in MAILS {
        one_by_one.deliver(plain(from, "a word", text).as_bytes());
        let spooled = at_once.run(&["deliver", "--clock", clock], plain(from, "a word", text).as_bytes());
        assert!(spooled.status.success());
    }
    assert!(at_once.sent().is_empty(), "nothing is decided yet");
    let worked = at_once.run(&["work", "--clock", clock], b"");
    let said = String::from_utf8_lossy(&worked.stdout).into_owned();
    assert!(said.starts_with("executed 12, dropped 0, held 0, dead 0"), "{said}");
    for site in [&one_by_one, &at_once] {
        assert!(site.run(&["send", "--clock", clock], b"").status.success());
    }
    let (expected, got) = (outcome(&one_by_one), outcome(&at_once));
    for (what, text) in &expected {
        assert_eq!(got.get(what), Some(text), "{what}");
    }
    for (from, _) in MAILS {
        assert!(at_once.sent().iter().any(|(_, mail)| mail.to == from), "{from} has an answer");
    }
    assert!(at_once.file("balkan9", "audit.log").lines().count() >= 4, "{}", at_once.file("balkan9", "audit.log"));
}

/// What a guesser writes waits for his wrong passwords; nobody waits for him (D5).
#[test]
fn a_guesser_holds_up_nobody_else() {
    let site = Site::of_fixture();
    for n in 0..3 {
        site.mail("guesser@example.com", &format!("SIGNON Fbalkan9 word-{n}\nA par h"));
    }
    let clock = "2026-11-21T09:00:00Z";
    for (from, text) in [
        ("guesser@example.com", "SIGNON Fbalkan9 word-3\nA par h"),
        ("guesser@example.com", "SIGNON 1form7 word-4\nSTATUS"),
        ("p1@example.org", "SIGNON 1form7 moon\nPRESS TO M\nHello.\nENDPRESS"),
    ] {
        assert!(site.run(&["deliver", "--clock", clock], plain(from, "a word", text).as_bytes()).status.success());
    }
    let worked = site.run(&["work", "--clock", clock], b"");
    let said = String::from_utf8_lossy(&worked.stdout).into_owned();
    assert!(said.starts_with("executed 1, dropped 0, held 2, dead 0"), "{said}");
}
