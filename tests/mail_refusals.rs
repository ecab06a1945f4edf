//! Every refusal of mail-commands.md 5.3 and 6.3 once, through the real binary: what was written, by whom, in what game,
//! and the code of the answer. A refused mail changes nothing, and no answer shows a password.

mod support;

use chancery::judge::GameState;
use chancery::status::{Game, GameResult, Holder, Omniscient, PhaseState, PlayerLine};
use support::{Sent, Site, plain};

/// A change of the fixture's game before the mail.
type Setting = fn(&mut Game);

fn as_it_is(_: &mut Game) {}

fn dummy(game: &mut Game, power: &str) {
    let seat = game.participants.iter_mut().find(|p| p.name == power).expect("a seat");
    seat.player = Some(PlayerLine { current: Holder::Dummy, earlier: Vec::new() });
    seat.address.clear();
    seat.password = None;
}

macro_rules! rule {
    ($($name:literal),+) => { |game: &mut Game| { $(game.rules.push($name.into());)+ } };
}

const LATE: &str = "202611201200";

fn late(game: &mut Game) {
    game.deadline = chrono::NaiveDateTime::parse_from_str(LATE, "%Y%m%d%H%M").ok();
}

/// Code, game, what is different in it, sender, mail.
const CASES: &[(&str, &str, Setting, &str, &str)] = &[
    ("R_NO_GAME", "balkan9", as_it_is, "france", "SIGNON Fnowhere le-secret\nSTATUS"),
    ("R_BAD_LOGIN", "balkan9", as_it_is, "france", "SIGNON Fbalkan9 not-mine\nSTATUS"),
    ("R_BAD_LOGIN", "balkan9", as_it_is, "france", "SIGNON Xbalkan9 le-secret\nSTATUS"),
    ("R_NO_PASSWORD", "balkan9", as_it_is, "france", "SIGNON Fbalkan9\nSTATUS"),
    ("R_BAD_PASSWORD", "balkan9", as_it_is, "france", "SIGNON Fbalkan9 le-secret\nSET PASSWORD abc"),
    ("R_NOT_REGISTERED", "form7", as_it_is, "who@example.net", "JOIN form7 some-word"),
    ("R_FULL", "balkan9", as_it_is, "zoe@example.com", "JOIN balkan9 some-word"),
    ("R_NO_CHOICE", "form7", as_it_is, "zoe@example.com", "JOIN france@form7 some-word"),
    ("R_NO_POWER", "form7", rule!("POWER_CHOICE"), "zoe@example.com", "JOIN atlantis@form7 some-word"),
    (
        "R_POWER_DUMMY",
        "form7",
        |g| {
            g.rules.push("POWER_CHOICE".into());
            g.morph.push("DUMMY ITALY".into());
        },
        "zoe@example.com",
        "JOIN italy@form7 some-word",
    ),
    (
        "R_POWER_TAKEN",
        "form7",
        |g| {
            g.rules.push("POWER_CHOICE".into());
            g.participants.retain(|p| p.name != "POWER#1");
            let seat = g.participants.iter_mut().find(|p| p.name == "POWER#2").expect("a seat");
            seat.kind = chancery::status::ParticipantKind::Power;
            seat.name = "ITALY".into();
        },
        "zoe@example.com",
        "JOIN italy@form7 some-word",
    ),
    ("R_NOT_INVITED", "form7", |g| g.groups.push("CIRCLE".into()), "zoe@example.com", "JOIN form7 some-word"),
    ("R_ALREADY_PLAYING", "form7", as_it_is, "p1", "JOIN form7 moon"),
    ("R_IS_MASTER", "form7", as_it_is, "gm", "JOIN form7 some-word"),
    ("R_PRIVATE", "form7", |g| g.private = Some("sesame".into()), "zoe@example.com", "JOIN form7 some-word wrong"),
    ("R_SYNTAX", "form7", as_it_is, "zoe@example.com", "JOIN form7 some-word sesame"),
    ("R_BAD_ID", "balkan9", as_it_is, "zoe@example.com", "OBSERVE FARM@balkan9 some-word"),
    ("R_BAD_TYPE", "balkan9", as_it_is, "zoe@example.com", "INVESTOR rich@balkan9 some-word"),
    ("R_NOT_HELD", "vac5", as_it_is, "gm", "SIGNON Mvac5 gm-vac\nRESIGN {vacant}"),
    ("R_MASTER_RESIGN", "balkan9", as_it_is, "gm", "RESIGN Mbalkan9 gm-secret"),
    ("R_NOT_VACANT", "balkan9", as_it_is, "zoe@example.com", "TAKEOVER Fbalkan9 some-word"),
    ("R_BLIND", "balkan9", rule!("BLIND"), "zoe@example.com", "HISTORY balkan9"),
    ("R_NO_MAP", "balkan9", as_it_is, "zoe@example.com", "MAP balkan9 PDF"),
    ("R_MASTER_ONLY", "balkan9", as_it_is, "france", "SIGNON Fbalkan9 le-secret\nPROCESS"),
    ("R_NOT_READY", "balkan9", as_it_is, "gm", "SIGNON Mbalkan9 gm-secret\nPROCESS"),
    ("R_BAD_STATE", "balkan9", as_it_is, "gm", "SIGNON Mbalkan9 gm-secret\nFORM"),
    ("R_BAD_DATE", "balkan9", as_it_is, "gm", "SIGNON Mbalkan9 gm-secret\nSET DEADLINE 35 MAY"),
    ("R_BAD_ABSENCE", "balkan9", as_it_is, "france", "SIGNON Fbalkan9 le-secret\nSET ABSENCE 1 DEC TO 30 DEC"),
    ("R_BAD_ADDRESS", "balkan9", as_it_is, "france", "SIGNON Fbalkan9 le-secret\nSET ADDRESS nobody"),
    ("R_BAD_ZONE", "balkan9", as_it_is, "france", "SIGNON Fbalkan9 le-secret\nSET ZONE Atlantis/Port"),
    ("R_NO_WAIT", "balkan9", late, "france", "SIGNON Fbalkan9 le-secret\nSET WAIT"),
    ("R_NO_VOTE", "balkan9", as_it_is, "kibitz", "SIGNON LOUDMOUTH@balkan9 popcorn\nVOTE DIAS"),
    ("R_BAD_VOTE", "balkan9", as_it_is, "france", "SIGNON Fbalkan9 le-secret\nVOTE 3WAY"),
    ("R_BAD_VOTE", "balkan9", rule!("BLIND"), "france", "SIGNON Fbalkan9 le-secret\nVOTE 7WAY"),
    ("R_BAD_VOTE", "balkan9", rule!("NO_DRAW"), "france", "SIGNON Fbalkan9 le-secret\nVOTE SOLO"),
    ("R_UNKNOWN_SET", "balkan9", as_it_is, "france", "SIGNON Fbalkan9 le-secret\nSET COMMENT hello"),
    (
        "R_LOCKED",
        "balkan9",
        |g| g.keyword = chancery::status::PhaseKeyword::Await,
        "france",
        "SIGNON Fbalkan9 le-secret\nSET WAIT",
    ),
    (
        "R_PRESS_MASTER_ONLY",
        "balkan9",
        rule!("MUTE_OBSERVERS"),
        "kibitz",
        "SIGNON LOUDMOUTH@balkan9 popcorn\nPRESS TO F\nhi\nENDPRESS",
    ),
    (
        "R_PRESS_MASTER_ONLY",
        "balkan9",
        as_it_is,
        "map-bot@example.com",
        "SIGNON MAPBOT@balkan9 bot-pass\nBROADCAST\nhi\nENDPRESS",
    ),
    ("R_PRESS_NOT_NOW", "form7", as_it_is, "p1", "SIGNON 1form7 moon\nPRESS TO 2\nhi\nENDPRESS"),
    ("R_PRESS_NOT_NOW", "form7", rule!("POWER_CHOICE"), "p1", "SIGNON 1form7 moon\nBROADCAST\nhi\nENDPRESS"),
    (
        "R_PRESS_NOT_NOW",
        "balkan9",
        |g| {
            g.phase = PhaseState::Completed;
            g.deadline = None;
            g.result = Some(GameResult { phase: "S1901M".into(), victors: vec!["FRANCE".into()] });
        },
        "france",
        "SIGNON Fbalkan9 le-secret\nPRESS TO E\nhi\nENDPRESS",
    ),
    ("R_PRESS_NONE", "balkan9", rule!("NO_PRESS"), "france", "SIGNON Fbalkan9 le-secret\nPRESS TO E\nhi\nENDPRESS"),
    (
        "R_PRESS_PUBLIC",
        "balkan9",
        rule!("PUBLIC_PRESS"),
        "france",
        "SIGNON Fbalkan9 le-secret\nPRESS TO E\nhi\nENDPRESS",
    ),
    (
        "R_PRESS_BACKSEAT",
        "balkan9",
        rule!("BACKSEAT_PRESS"),
        "france",
        "SIGNON Fbalkan9 le-secret\nBROADCAST\nhi\nENDPRESS",
    ),
    ("R_PRESS_TOUCH", "balkan9", rule!("TOUCH_PRESS"), "france", "SIGNON Fbalkan9 le-secret\nPRESS TO T\nhi\nENDPRESS"),
    // Italy's army at Venice is next to Austria's at Trieste, but in this game they see nothing.
    (
        "R_PRESS_TOUCH",
        "balkan9",
        rule!("TOUCH_PRESS", "MYOPIC"),
        "italy",
        "SIGNON Ibalkan9 pasta&vino\nPRESS TO A\nhi\nENDPRESS",
    ),
    (
        "R_PRESS_TOUCH",
        "balkan9",
        rule!("REMOTE_PRESS"),
        "italy",
        "SIGNON Ibalkan9 pasta&vino\nPRESS TO A\nhi\nENDPRESS",
    ),
    ("R_PRESS_LATE", "balkan9", late, "france", "SIGNON Fbalkan9 le-secret\nPRESS TO E\nhi\nENDPRESS"),
    (
        "R_PRESS_LATE_READER",
        "balkan9",
        |g| {
            late(g);
            g.rules.push("LATE_SEND".into());
            g.rules.push("NO_LATE_RECEIVE".into());
        },
        "france",
        "SIGNON Fbalkan9 le-secret\nPRESS TO E\nhi\nENDPRESS",
    ),
    (
        "R_PRESS_ORDER_FIRST",
        "balkan9",
        rule!("MUST_ORDER"),
        "france",
        "SIGNON Fbalkan9 le-secret\nPRESS TO E\nhi\nENDPRESS",
    ),
    ("R_PRESS_FAKE", "balkan9", as_it_is, "france", "SIGNON Fbalkan9 le-secret\nPRESS TO E FROM ITALY\nhi\nENDPRESS"),
    ("R_PRESS_FAKE", "balkan9", as_it_is, "france", "SIGNON Fbalkan9 le-secret\nPRESS TO E FAKE TO R\nhi\nENDPRESS"),
    (
        "R_PRESS_FAKE_MASTER",
        "balkan9",
        rule!("FAKE_PRESS"),
        "gm",
        "SIGNON Mbalkan9 gm-secret\nPRESS TO E FROM ITALY\nhi\nENDPRESS",
    ),
    (
        "R_PRESS_FAKE_MASTER",
        "balkan9",
        rule!("FAKE_PRESS"),
        "france",
        "SIGNON Fbalkan9 le-secret\nPRESS TO E FAKE TO RM\nhi\nENDPRESS",
    ),
    ("R_PRESS_GREY", "balkan9", as_it_is, "france", "SIGNON Fbalkan9 le-secret\nPRESS TO E GREY\nhi\nENDPRESS"),
    ("R_PRESS_READER", "balkan9", as_it_is, "france", "SIGNON Fbalkan9 le-secret\nPRESS TO F\nhi\nENDPRESS"),
    (
        "R_PRESS_READER",
        "balkan9",
        |g| dummy(g, "TURKEY"),
        "france",
        "SIGNON Fbalkan9 le-secret\nPRESS TO T\nhi\nENDPRESS",
    ),
    ("R_PRESS_READER", "balkan9", as_it_is, "france", "SIGNON Fbalkan9 le-secret\nPRESS TO MAPBOT\nhi\nENDPRESS"),
    ("R_PRESS_SYNTAX", "balkan9", as_it_is, "france", "SIGNON Fbalkan9 le-secret\nPRESS\nhi\nENDPRESS"),
    ("R_PRESS_SYNTAX", "balkan9", as_it_is, "france", "SIGNON Fbalkan9 le-secret\nPRESS TO EE\nhi\nENDPRESS"),
    ("R_PRESS_SYNTAX", "balkan9", as_it_is, "france", "SIGNON Fbalkan9 le-secret\nPRESS TO E LOUDLY\nhi\nENDPRESS"),
    (
        "R_PRESS_UNCLOSED",
        "balkan9",
        as_it_is,
        "france",
        "SIGNON Fbalkan9 le-secret\nPRESS TO E\nhi\nSIGNON Gbalkan9 bier\nA mun h",
    ),
];

fn address(from: &str) -> String {
    if from.contains('@') { from.to_string() } else { format!("{from}@example.org") }
}

#[test]
fn each_refusal_has_its_code_and_changes_nothing() {
    let secrets = ["le-secret", "gm-secret", "not-mine", "some-word", "moon", "popcorn", "bot-pass", "gm-vac"];
    let mut wrong = Vec::new();
    for (code, name, setting, from, text) in CASES {
        let site = Site::of_fixture();
        let mut game = site.game(name);
        setting(&mut game);
        let mut index = site.index(name);
        if game.phase == PhaseState::Completed {
            index.state = GameState::Completed;
        }
        index.private = game.private.is_some();
        site.put(&game, &index);
        let text = match game.need.first() {
            Some(need) => text.replace("{vacant}", &need.power),
            None => text.to_string(),
        };
        let kept = (site.file(name, "status"), site.file(name, "press"));
        let sent = site.mail(&address(from), &text);
        let answers: Vec<&Sent> = sent.iter().filter(|s| s.is_reply() && s.to == address(from)).collect();
        let said = answers.first().map(|s| s.text.as_str()).unwrap_or_default();
        let there = said.split(|c: char| c.is_whitespace()).any(|word| word == *code);
        // Passwords are hashed at the first save; nothing else may differ.
        let same = |now: &str, before: &str| {
            let lines =
                |t: &str| t.lines().filter(|l| !l.starts_with("PASSWORD")).map(str::to_owned).collect::<Vec<_>>();
            lines(now) == lines(before)
        };
        let unchanged = same(&site.file(name, "status"), &kept.0) && site.file(name, "press") == kept.1;
        let told = secrets.iter().any(|secret| said.contains(secret));
        if answers.len() != 1 || !there || !unchanged || told || sent.iter().any(|s| s.notice == "N45") {
            wrong.push(format!("{code}: {text:?} in {name}: changed {} told {told}\n{said}", !unchanged));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), CASES.len(), wrong.join("\n\n"));
}

#[test]
fn what_is_too_much_is_refused_by_size() {
    let site = Site::of_fixture();
    let long = "A line of press that is rather long, and says little.\n".repeat(450);
    let sent = site.mail("france@example.org", &format!("SIGNON Fbalkan9 le-secret\nPRESS TO E\n{long}ENDPRESS"));
    assert!(sent[0].text.contains("R_PRESS_SIZE") && sent.iter().all(|s| s.notice != "N45"), "{}", sent[0].text);
    let huge = plain("france@example.org", "x", &format!("SIGNON Fbalkan9 le-secret\n{}", "x".repeat(1_100_000)));
    let sent = site.deliver(huge.as_bytes());
    assert!(sent[0].text.contains("R_TOO_LARGE"), "{}", sent[0].text);
    let many: String = (0..6000).map(|n| format!("LIST balkan{n}\n")).collect();
    let sent = site.mail("france@example.org", &many);
    assert!(sent[0].text.contains("R_TOO_COMPLEX"), "{}", sent[0].text);
    let sent = site.mail("france@example.org", "Dear judge,\nplease move my army.\nYours");
    assert!(sent[0].text.contains("R_NO_COMMAND"), "{}", sent[0].text);
    let encrypted = "From: france@example.org\nTo: judge@judge.example\nMessage-ID: <e@x>\nMIME-Version: 1.0\n\
                     Content-Type: multipart/encrypted; boundary=b\n\n--b\nContent-Type: application/pgp-encrypted\n\n\
                     Version: 1\n--b--\n";
    let sent = site.deliver(encrypted.as_bytes());
    assert!(sent[0].text.contains("R_UNREADABLE"), "{}", sent[0].text);
}

#[test]
fn who_else_reads_press_and_orders() {
    let site = Site::of_fixture();
    let mut game = site.game("balkan9");
    for rule in ["EAVESDROP", "BROADCAST_ORDERS", "ALWAYS_CONFIRM"] {
        game.rules.push(rule.into());
    }
    for p in game.participants.iter_mut().filter(|p| p.name == "LOUDMOUTH") {
        p.omniscient = Omniscient::Hears;
    }
    site.put(&game, &site.index("balkan9"));
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nPRESS TO ALL BUT EAR\nhello\nENDPRESS");
    let mut readers: Vec<&str> = sent.iter().filter(|s| s.notice == "N45").map(|s| s.to.as_str()).collect();
    readers.sort_unstable();
    let wanted = ["france", "germany", "gm", "italy", "kibitz", "turkey"].map(address);
    assert_eq!(readers, wanted.iter().map(String::as_str).collect::<Vec<_>>());
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nF bre h\nA par h\nA mar h");
    let orders: Vec<&Sent> = sent.iter().filter(|s| s.notice == "N12" && s.text.contains("  A PAR H\n")).collect();
    let readers: Vec<&str> = orders.iter().map(|s| s.to.as_str()).collect();
    assert_eq!(readers.iter().filter(|to| **to == "france@example.org").count(), 1, "{readers:?}");
    assert!(orders.iter().any(|s| s.subject == "Diplomacy orders balkan9 S1901M"), "{:?}", orders[0].subject);
    for who in ["england@example.org", "gm@example.org", "kibitz@example.org"] {
        assert!(readers.contains(&who), "BROADCAST_ORDERS: {readers:?}");
    }
    // A gunboat: who gives himself away is warned.
    let site = Site::of_fixture();
    let mut game = site.game("balkan9");
    game.rules.push("WHITE_GREY".into());
    site.put(&game, &site.index("balkan9"));
    let text = "SIGNON Fbalkan9 le-secret\nPRESS TO E GREY\nwrite to france@example.org\nENDPRESS";
    let sent = site.mail("france@example.org", text);
    assert!(sent.iter().any(|s| s.to == "france@example.org" && s.text.contains("W_IDENTITY")), "{sent:?}");
}

#[test]
fn what_is_nearly_right_gets_the_word_that_helps() {
    let site = Site::of_fixture();
    let told = |site: &Site, text: &str| {
        let sent = site.mail("newman@example.com", text);
        let reply = sent.iter().find(|s| s.is_reply()).unwrap_or_else(|| panic!("no reply to {text}"));
        reply.text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // The power left out: its letter would be the first of the game. What is in no list is not betrayed.
    let said = told(&site, "SIGNON balkan9 secret12\nA PAR H");
    assert!(said.contains("R_NO_POWER balkan9 is the game;") && said.contains("SIGNON Fbalkan9 password"), "{said}");
    assert!(told(&site, "SIGNON priv1 secret12").contains("R_NO_GAME There is no game riv1"));
    // VERSION is a command where it stands alone, and a word elsewhere.
    assert!(told(&site, "version").contains(concat!("chancery ", env!("CARGO_PKG_VERSION"))));
    assert!(told(&site, "Version 5 of my mail program").contains("R_NO_COMMAND"));
    // Nobody is sent to a register that there is not.
    let site = Site::empty(vec![("registry.mode", "\"none\"")]);
    assert!(told(&site, "FORGET ME").contains("This judge keeps no register"));
    let site = Site::empty(vec![("registry.mode", "\"closed\"")]);
    assert!(told(&site, "WHOAMI").contains("Its keeper registers people"));
}

#[test]
fn pages_of_help_stand_as_they_were_written() {
    let site = Site::of_fixture();
    for (topic, first) in [
        ("PRESS", "  PRESS TO FRANCE"),
        ("JOIN", "  JOIN game password  "),
        ("CREATE", "  CREATE game"),
        ("VOTE", "  VOTE DIAS"),
        ("ABSENCE", "  SET ABSENCE"),
        ("REGISTER", "  REGISTER"),
    ] {
        let sent = site.mail("newman@example.com", &format!("HELP {topic}"));
        let lines: Vec<&str> = sent[0].text.lines().collect();
        assert!(lines[2].starts_with(first), "{:?}", lines[2]);
        assert!(lines.iter().all(|line| line.chars().count() <= 72), "{lines:?}");
    }
}
