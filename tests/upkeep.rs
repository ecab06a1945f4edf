//! What the judge writes of itself when it saves a game (status-file.md 2.1 NEED and PRIVATE, 5.2 VOTE), and what it
//! finds wrong in a file that is called by another name, with the real program.

mod support;

use chancery::judge::{GameState, IndexLine};
use chancery::status::{Document, Game, Vote};
use std::io::Write as _;
use std::process::Stdio;
use support::Site;

const MASTER: &str = "greta@gm.example";

/// An example of status-file.md 11, put into a site.
fn site(example: &str, state: GameState, change: impl Fn(String) -> String) -> Site {
    let site = Site::empty(vec![("registry.mode", "\"none\"")]);
    let path = format!("{}/tests/data/status/{example}.status", env!("CARGO_MANIFEST_DIR"));
    let text = change(std::fs::read_to_string(path).unwrap());
    let game = Document::parse(text.as_bytes()).unwrap().game().clone();
    let index = IndexLine { name: game.name.clone(), variant: "standard".into(), state, ..IndexLine::default() };
    site.put(&game, &index);
    site
}

/// Something that makes the judge save: a mail of the Master.
fn save(site: &Site, game: &str) {
    let sent = site.mail(MASTER, &format!("SIGNON M{game} heron7\nSET PASSWORD heron-eight\nSIGNOFF"));
    assert!(!sent.is_empty());
    let password = site.game(game).password.unwrap_or_default();
    assert!(password.starts_with("$argon2"), "{:?}", sent.iter().map(|s| &s.text).collect::<Vec<_>>());
}

fn needs(game: &Game) -> String {
    game.need.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn vote(game: &Game, power: &str) -> Option<Vote> {
    game.participant(power).unwrap().vote
}

#[test]
fn need_has_the_numbers_of_now() {
    let site = site("beacon", GameState::Waiting, |text| text.replace("GERMANY-(2/3)", "GERMANY-(8/9)"));
    save(&site, "beacon");
    assert_eq!(needs(&site.game("beacon")), "GERMANY-(2/3)");
}

#[test]
fn need_is_not_a_masters_to_edit() {
    let site = site("beacon", GameState::Waiting, |text| text);
    save(&site, "beacon");
    let file = site.root().join("games/beacon/status");
    let text = std::fs::read_to_string(&file).unwrap();
    // A round that takes the edit over, and a mail that changes the file.
    std::fs::write(&file, text.replace("NEED GERMANY-(2/3)", "NEED ITALY-(1/1) FRANCE-(7/7)")).unwrap();
    assert!(site.run(&["tick", "--clock", "2026-11-21T09:20:00Z"], b"").status.success());
    assert_eq!(needs(&site.game("beacon")), "GERMANY-(2/3)");
    std::fs::write(&file, text.replace("NEED GERMANY-(2/3)\n", "# nobody?\n")).unwrap();
    site.mail(MASTER, "SIGNON Mbeacon heron-eight\nSET PASSWORD heron-nine\nSIGNOFF");
    assert_eq!(needs(&site.game("beacon")), "GERMANY-(2/3)");
    assert!(site.file("beacon", "status").contains("# nobody?\n"));
}

#[test]
fn who_may_vote_and_has_not_votes_solo() {
    let site = site("hexham", GameState::Active, |text| {
        // Turkey owns nothing any more, and Austria's draw of three is nothing a draw of all survivors knows.
        text.replace("VOTE SOLO\n", "")
            .replace("INHABITS ANK CON SMY\nOWNS ANK CON SMY\n", "VOTE LOSS\nINHABITS ANK CON SMY\n")
            .replace("INHABITS BUD TRI VIE", "VOTE 7WAY\nINHABITS BUD TRI VIE")
            .replace("RULE NO_DIAS\n", "")
    });
    save(&site, "hexham");
    let game = site.game("hexham");
    assert_eq!(vote(&game, "FRANCE"), Some(Vote::Solo));
    assert_eq!(vote(&game, "AUSTRIA"), Some(Vote::Dias));
    assert_eq!(vote(&game, "TURKEY"), None);
}

#[test]
fn proposals_are_answered_not_expected() {
    let site = site("tandem", GameState::Active, |text| text);
    save(&site, "tandem");
    let game = site.game("tandem");
    assert_eq!(vote(&game, "AUSTRIA"), None);
    assert_eq!(vote(&game, "FRANCE"), Some(Vote::Yes));
}

#[test]
fn a_solitaire_game_is_private() {
    let site = site("hexham", GameState::Active, |text| text.replace("RULE NO_DIAS", "RULE SOLITAIRE"));
    save(&site, "hexham");
    assert_eq!(site.game("hexham").private.as_deref(), Some("SOLITAIRE"));
    assert!(site.index("hexham").private);
}

#[test]
fn a_file_that_names_another_game_is_not_processed() {
    let site = site("hexham", GameState::Active, |text| text);
    save(&site, "hexham");
    let file = site.root().join("games/hexham/status");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("GAME hexham", "GAME wexham")).unwrap();
    assert!(site.run(&["tick", "--clock", "2026-11-21T09:20:00Z"], b"").status.success());
    assert!(site.run(&["send", "--clock", "2026-11-21T09:20:00Z"], b"").status.success());
    let told: Vec<String> =
        site.sent().into_iter().filter(|(_, s)| s.subject.contains("ERRORS")).map(|(_, s)| s.text).collect();
    assert!(told.iter().any(|t| t.contains("status:1: GAME NAME MISMATCH")), "{told:?}");
    assert_eq!(site.game("hexham").short_phase(), "S1901M");
}

/// `chancery health` answers like /healthz, and its exit code says whether somebody has to look (OPS-091).
#[test]
fn health_says_what_is_wrong_and_fails() {
    let site = Site::empty(vec![("registry.mode", "\"none\"")]);
    let health = |now: &str| {
        let output = site.run(&["health", "--clock", now], b"");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), report["status"].as_str().unwrap().to_owned(), report["reasons"].to_string())
    };
    assert!(site.run(&["tick", "--clock", "2026-11-21T09:00:00Z"], b"").status.success());
    assert_eq!(health("2026-11-21T09:20:00Z"), (Some(0), "ok".to_owned(), "[]".to_owned()));
    // Two rounds and more without one.
    let (code, status, reasons) = health("2026-11-21T09:41:00Z");
    assert_eq!((code, status.as_str()), (Some(1), "trouble"));
    assert!(reasons.contains("the last round was 41 minutes ago"), "{reasons}");
    assert!(site.run(&["clock", "suspend", "moving house", "--clock", "2026-11-21T09:00:00Z"], b"").status.success());
    std::fs::create_dir_all(site.root().join("outbox/new")).unwrap();
    std::fs::write(site.root().join("outbox/stopped"), "535 no such user\n").unwrap();
    let (code, _, reasons) = health("2026-11-21T09:20:00Z");
    assert!(code == Some(1) && reasons.contains("suspended") && reasons.contains("535 no such user"), "{reasons}");
}

#[test]
fn a_header_is_on_every_page_and_a_banner_until_its_last_day_is_over() {
    let site = Site::of_fixture_with(vec![
        ("web.banner", "\"We move on <b>3 December</b>. <a href=\\\"https://new.example/\\\">There</a> & <blink>\""),
        ("web.banner_until", "\"2026-11-29\""),
        ("web.header", "\"A judge of the <em>Tuesday</em> club <script>\""),
        ("judge.zone", "\"America/New_York\""),
    ]);
    let run = |verb: &[&str], now: &str| {
        let output = site.run(&[verb, &["--clock", now]].concat(), b"");
        assert!(output.status.success(), "{verb:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let web = |path: &str| std::fs::read_to_string(site.root().join("web").join(path)).expect(path);
    run(&["tick", "--no-guard"], "2026-11-21T09:00:00Z");
    run(&["publish", "--all"], "2026-11-21T09:00:00Z");
    let head = "<aside class=\"head\" aria-label=\"About this site\"><div class=\"wrap\">\
                A judge of the <em>Tuesday</em> club &lt;script&gt;</div></aside>\n<header";
    let said = "We move on <b>3 December</b>. <a href=\"https://new.example/\">There</a> &amp; &lt;blink&gt;";
    for page in ["index.html", "openings.html", "rules.html", "game/balkan9/index.html", "game/balkan9/press.html"] {
        let text = web(page);
        assert!(text.contains(said) && text.contains("/banner.css\""), "{page}: {text}");
        assert!(text.contains(head), "{page}: {text}");
    }
    assert!(!web("404.html").contains("We move"), "it is no news where nothing is");
    assert!(web("404.html").contains(head), "but whose site it is");
    // Its last day is the one of the house: it is not over there before five in the morning, GMT.
    for (now, shown) in [
        ("2026-11-21T09:20:00Z", true),
        ("2026-11-30T04:59:59Z", true),
        ("2026-11-30T05:00:00Z", false),
        ("2027-03-01T09:00:00Z", false),
    ] {
        run(&["tick", "--no-guard"], now);
        let wanted = if shown { ".banner{display:block}\n" } else { ".banner{display:none}\n" };
        assert_eq!(web("banner.css"), wanted, "{now}");
    }
    // Nothing of the kind where nothing is to be said.
    let quiet = Site::of_fixture();
    assert!(quiet.run(&["publish", "--all", "--clock", &quiet.now], b"").status.success());
    let page = std::fs::read_to_string(quiet.root().join("web/index.html")).expect("a page");
    assert!(!page.contains("banner") && !page.contains("<aside class=\"head\""), "{page}");
    assert!(!quiet.root().join("web/banner.css").exists());
}

#[test]
fn the_log_is_as_the_configuration_wants_it() {
    let log = |settings: &[(&'static str, &'static str)]| {
        let site = Site::of_fixture_with(settings.to_vec());
        let mail = support::plain("list@example.org", "news", "SIGNON Fbalkan9 le-secret").replacen(
            "From:",
            "Precedence: bulk\nFrom:",
            1,
        );
        assert!(site.run(&["deliver", "--clock", &site.now], mail.as_bytes()).status.success());
        let output = site.run(&["work", "--clock", &site.now], b"");
        assert!(output.status.success());
        String::from_utf8(output.stderr).expect("text")
    };
    assert_eq!(log(&[]), "", "a verb says what is wrong, and no more");
    assert_eq!(log(&[("log.level", "\"error\"")]), "");
    let text = log(&[("log.level", "\"info\"")]);
    assert!(text.contains("INFO") && text.contains("dropped") && text.lines().count() == 1, "{text}");
    let json = log(&[("log.level", "\"debug\""), ("log.format", "\"json\"")]);
    let lines: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect();
    let dropped = |line: &&serde_json::Value| line["fields"]["message"].as_str().is_some_and(|m| m.ends_with(".eml"));
    let told = lines.iter().find(dropped).unwrap_or_else(|| panic!("{json}"));
    assert_eq!(told["level"], "INFO");
}

#[test]
fn the_command_line_has_the_last_word_on_the_log() {
    let site = Site::of_fixture_with(vec![("log.level", "\"error\"")]);
    let errors = |before: &[&str], verb: &[&str], mail: &str| {
        let at = ["--root", &site.root().display().to_string(), "--clock", &site.now].map(str::to_owned);
        let words: Vec<String> = before.iter().chain(verb).map(|word| (*word).to_owned()).chain(at).collect();
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_chancery"));
        child
            .args(words)
            .env("CHANCERY_LOG", "error")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = child.spawn().expect("chancery");
        child.stdin.take().expect("stdin").write_all(mail.as_bytes()).expect("stdin");
        let output = child.wait_with_output().expect("chancery ends");
        (output.status.code(), String::from_utf8(output.stderr).expect("text"))
    };
    let listed = |n: usize| {
        let mail = support::plain("list@example.org", &n.to_string(), "SIGNON Fbalkan9 le-secret");
        mail.replacen("From:", "Precedence: bulk\nFrom:", 1)
    };
    assert_eq!(errors(&[], &["deliver", "--now"], &listed(0)), (Some(0), String::new()));
    for (n, (before, behind)) in
        [(&["--log", "info"][..], &[][..]), (&[], &["--log", "info"]), (&["--log=info"], &[])].into_iter().enumerate()
    {
        let verb = [&["deliver", "--now"], behind].concat();
        let (code, said) = errors(before, &verb, &listed(n + 1));
        assert!(code == Some(0) && said.contains("INFO") && said.contains("dropped"), "{before:?} {behind:?}: {said}");
    }
    assert_eq!(errors(&["--log", "warn"], &["deliver", "--now"], &listed(9)), (Some(0), String::new()));
    // A slip is wrong usage, but a mail server keeps its mail.
    let (code, said) = errors(&["--log", "loud"], &["work"], "");
    assert!(code == Some(2) && said.contains("trace"), "{said}");
    assert_eq!(errors(&["--log", "loud"], &["deliver"], &listed(10)).0, Some(75));
    // Verbs without a site know the option as well.
    let plain = |words: &[&str]| std::process::Command::new(env!("CARGO_BIN_EXE_chancery")).args(words).output();
    assert!(plain(&["--log", "warn", "version"]).expect("chancery").status.success());
}

#[test]
fn no_key_is_taken_in_silence_that_governs_nothing() {
    let site = Site::of_fixture_with(vec![("web.insecure_cookies", "true")]);
    let run = |verb: &[&str]| {
        let output = site.run(verb, b"");
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text"))
    };
    let [said, warned] = run(&["config", "check"]);
    assert!(said.contains("can be used") && warned.contains("web.insecure_cookies has no effect: "), "{said}{warned}");
    let [shown, _] = run(&["config", "show"]);
    let of_it = |line: &&str| line.starts_with("web.insecure_cookies = true") && line.contains("no effect");
    assert_eq!(shown.lines().filter(of_it).count(), 1, "{shown}");
    assert!(run(&["health"])[0].contains("web.insecure_cookies has no effect"));
    let quiet = Site::of_fixture();
    assert_eq!(quiet.run(&["config", "check"], b"").stderr, b"", "what is not set needs no word");
}

#[test]
fn lines_in_latin_1_are_read_in_every_file_made_for_people() {
    // As an editor of those days, or the old judge, leaves them (OPS-004).
    let site = Site::of_fixture();
    site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nBROADCAST\n\u{e9}t\u{e9}, caf\u{e9}\nENDPRESS");
    site.mail("inn@road.example", "SIGNON Fbalkan9 le-secret\nSTATUS");
    for file in ["press", "access"] {
        let path = site.root().join("games/balkan9").join(file);
        let text = std::fs::read_to_string(&path).expect("a file");
        let own = if file == "access" { format!("by hand \u{e9}\n{text}") } else { text };
        let latin: Vec<u8> = own.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1")).collect();
        assert!(std::str::from_utf8(&latin).is_err());
        std::fs::write(path, latin).expect("a file");
    }
    assert!(site.run(&["publish", "--all", "--clock", &site.now], b"").status.success());
    let page = std::fs::read_to_string(site.root().join("web/game/balkan9/press.html")).expect("a page");
    assert!(page.contains("\u{e9}t\u{e9}, caf\u{e9}"), "{page}");
    let sent = site.mail("inn@road.example", "SIGNON Ebalkan9 tea4two\nSTATUS");
    assert!(sent.iter().any(|s| s.notice == "N36"), "the log of sign-ons counts as ever: {sent:?}");
}
