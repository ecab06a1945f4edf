//! People and their places: what WHOAMI lists, and what is left of somebody who asks to be forgotten (mail-commands.md 7;
//! operations.md OPS-104). The real binary on a fresh site.

mod support;

use chancery::judge::registry::Registry;
use chancery::status::{ParticipantKind, PhaseState, Vote};
use support::{Sent, Site};

fn reply(sent: &[Sent]) -> &str {
    sent.iter().find(|s| s.is_reply()).map(|s| s.text.as_str()).unwrap_or_else(|| panic!("no reply: {sent:?}"))
}

/// The code of the N50 among these mails.
fn code(sent: &[Sent]) -> String {
    let mail = sent.iter().find(|s| s.notice == "N50").unwrap_or_else(|| panic!("no N50: {sent:?}"));
    let words: Vec<&str> = mail.text.split_whitespace().collect();
    let at = words.iter().position(|w| *w == "CONFIRM").expect("CONFIRM");
    words[at + 1].to_string()
}

#[test]
fn whoami_lists_the_places_of_its_sender() {
    let site = Site::of_fixture();
    let sent = site.mail("france@example.org", "WHOAMI");
    let wanted = "Your games:\n  balkan9: France, S1901M, deadline Sat 28 Nov 2026 20:00 GMT\n";
    assert!(reply(&sent).contains(wanted), "{}", reply(&sent));
    assert_eq!(reply(&sent).matches("deadline").count(), 1, "his own places alone: {}", reply(&sent));
    let sent = site.mail("p1@example.org", "WHOAMI");
    assert!(reply(&sent).contains("  form7: Power#1, FORMING\n"), "{}", reply(&sent));
    let sent = site.mail("kibitz@example.org", "WHOAMI");
    assert!(reply(&sent).contains("  balkan9: Loudmouth (observer), S1901M, deadline Sat 28 Nov"), "{}", reply(&sent));
    let sent = site.mail("gm@example.org", "WHOAMI");
    assert!(reply(&sent).contains("  balkan9: Master, S1901M, deadline Sat 28 Nov"), "{}", reply(&sent));
    assert!(
        reply(&sent).contains("  vac5: Master, S1901M") && reply(&sent).contains(", waiting\n"),
        "{}",
        reply(&sent)
    );
    let sent = site.mail("newman@example.com", "WHOAMI");
    assert!(reply(&sent).contains("You have no place in a game."), "{}", reply(&sent));
    // Mail that goes elsewhere is no other person, a second address is none either.
    site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nSET ADDRESS office@example.com");
    let sent = site.mail("france@example.org", "WHOAMI\nSIGNOFF");
    assert!(reply(&sent).contains("  balkan9: France"), "{}", reply(&sent));
    let sent = site.mail("france@example.net", "IAMALSO france@example.org");
    site.mail("france@example.org", &format!("CONFIRM {}", code(&sent)));
    let sent = site.mail("france@example.net", "WHOAMI");
    assert!(reply(&sent).contains("  balkan9: France"), "{}", reply(&sent));
}

#[test]
fn whoami_tells_nothing_that_a_blind_game_hides() {
    let site = Site::of_fixture();
    let mut game = site.game("balkan9");
    game.rules.extend(["BLIND", "GREY_PRESS", "HIDE_DUMMIES"].map(String::from));
    site.put(&game, &site.index("balkan9"));
    let sent = site.mail("france@example.org", "WHOAMI");
    assert!(reply(&sent).contains("  balkan9: France, S1901M, deadline"), "{}", reply(&sent));
    for other in ["Austria", "England", "example.com", "Gm", "Kibitz", "A PAR"] {
        assert!(!reply(&sent).contains(other), "{other}: {}", reply(&sent));
    }
}

#[test]
fn whoami_needs_no_register() {
    let site = Site::of_fixture_with(vec![("registry.mode", "\"none\"")]);
    let sent = site.mail("france@example.org", "WHOAMI");
    assert!(reply(&sent).contains("  balkan9: France, S1901M, deadline"), "{}", reply(&sent));
}

#[test]
fn a_name_has_two_words_where_the_keeper_wants_that() {
    for (asked, names) in [("true", [("Zoe", false), ("Zoe Zorn", true)]), ("false", [("7oe", false), ("Zoe", true)])] {
        let site = Site::of_fixture_with(vec![("registry.two_word_names", asked)]);
        for (name, good) in names {
            let sent = site.mail("new@example.com", &format!("REGISTER\nName: {name}\nEND"));
            assert_eq!(reply(&sent).contains("R_SYNTAX"), !good, "{asked}, {name}: {}", reply(&sent));
            assert_eq!(reply(&sent).contains("in two words"), !good && asked == "true", "{}", reply(&sent));
            if good {
                let sent = site.mail("new@example.com", &format!("CONFIRM {}", code(&sent)));
                assert!(!reply(&sent).contains("R_"), "{}", reply(&sent));
                let sent = site.mail("new@example.com", "WHOAMI");
                assert!(reply(&sent).contains(name), "{}", reply(&sent));
            }
        }
    }
}

/// balkan9 plays a phase and ends in a draw.
fn ended(site: &Site) {
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    ended_now(site);
}

/// balkan9 ends in a draw.
fn ended_now(site: &Site) -> Vec<Sent> {
    let mut game = site.game("balkan9");
    for p in game.participants.iter_mut().filter(|p| p.name != "FRANCE") {
        p.vote = (p.kind == ParticipantKind::Power).then_some(Vote::Dias);
    }
    site.put(&game, &site.index("balkan9"));
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nVOTE DIAS");
    assert_eq!(site.game("balkan9").phase, PhaseState::Completed);
    sent
}

/// Every file below a directory, with its text.
fn texts(directory: &std::path::Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(texts(&path));
        } else {
            let text = String::from_utf8_lossy(&std::fs::read(&path).expect("a file")).to_lowercase();
            all.push((path.display().to_string(), text));
        }
    }
    all
}

#[test]
fn who_is_forgotten_stays_so_from_site_to_site() {
    let site = Site::of_fixture();
    ended(&site);
    let word = code(&site.mail("france@example.org", "FORGET ME\nSIGNOFF"));
    site.mail("france@example.org", &format!("CONFIRM {word}"));
    let old = site.root().join("old");
    let next = Site::empty(Vec::new());
    for (site, verb) in [(&site, "export-dpjudge"), (&next, "import-dpjudge")] {
        let done = site.run(&[verb, old.to_str().expect("a path"), "--clock", &site.now], b"");
        let said = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(said[0].contains("balkan9"), "{verb}: {said:?}");
    }
    assert!(chancery::status::canonical(&next.game("balkan9")).contains("PLAYER #103||former_player\n"));
    let people = std::fs::read(next.root().join("registry/people.json")).expect("people");
    let people: Registry = serde_json::from_slice(&people).expect("a registry");
    assert!(people.people.iter().any(|known| known.id == 102) && people.people.iter().all(|known| known.id != 103));
    assert!(people.people.iter().all(|known| !known.addresses.is_empty()), "{people:?}");
    assert!(people.gone >= 103, "{people:?}");
}

#[test]
fn who_is_forgotten_is_not_even_a_hash() {
    let site = Site::of_fixture_with(vec![("privacy.hash_addresses", "true")]);
    ended(&site);
    let log = || site.file("balkan9", "access");
    assert!(log().contains(" FRANCE ok") && !log().contains(" #103 FRANCE"), "{}", log());
    let word = code(&site.mail("france@example.org", "FORGET ME\nSIGNOFF"));
    site.mail("france@example.org", &format!("CONFIRM {word}"));
    let of_france = log();
    let mut of_france = of_france.lines().filter(|line| line.contains(" FRANCE ok")).peekable();
    assert!(of_france.peek().is_some() && of_france.all(|line| line.contains(" #103 FRANCE ok")), "{}", log());
}

#[test]
fn who_is_forgotten_stays_a_former_player_of_finished_games() {
    let site = Site::of_fixture();
    let summary = |site: &Site| site.file("balkan9", "summary");
    // While he plays there is no code, and none that came before is worth anything.
    let sent = site.mail("france@example.org", "FORGET ME");
    assert!(reply(&sent).contains("R_BAD_STATE") && !sent.iter().any(|s| s.notice == "N50"), "{}", reply(&sent));
    ended(&site);
    assert!(summary(&site).contains("France Tester"), "{}", summary(&site));
    assert!(site.file("balkan9", "access").contains("france@example.org"));
    let word = code(&site.mail("france@example.org", "FORGET ME\nSIGNOFF"));
    assert!(summary(&site).contains("France Tester"), "not before the code");
    let sent = site.mail("france@example.org", &format!("CONFIRM {word}"));
    assert!(reply(&sent).contains("your entry is erased"), "{}", reply(&sent));

    let seat = site.game("balkan9").participants.into_iter().find(|p| p.name == "FRANCE").expect("France");
    let line = chancery::status::canonical(&site.game("balkan9"));
    assert!(line.contains("PLAYER #103||former_player\n"), "{line}");
    assert!(seat.address.is_empty() && seat.password.is_none());
    assert!(
        summary(&site).contains("former player") && !summary(&site).contains("France Tester"),
        "{}",
        summary(&site)
    );
    assert!(site.file("balkan9", "access").contains(" #103 FRANCE ok"), "{}", site.file("balkan9", "access"));
    // The others stay, and so does the game: its page, its list and its files are sound.
    assert!(summary(&site).contains("England Tester"));
    let sent = site.mail("england@example.org", "LIST balkan9");
    let list = &sent.iter().find(|s| s.notice == "N41").expect("N41").text;
    assert!(list.contains("former player") && !list.contains("France Tester"), "{list}");
    assert!(site.run(&["tick", "--no-guard", "--clock", &site.now], b"").status.success());
    let verified = site.run(&["verify"], b"");
    let said = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert!(verified.status.success(), "{said}{}", String::from_utf8_lossy(&verified.stderr));
    // Neither name nor address is left in the games, on the pages or in the registry. Press is left to the judgekeeper.
    for place in ["games", "web", "registry"] {
        for (file, text) in texts(&site.root().join(place)) {
            let press = file.ends_with("/press") || file.ends_with("audit.log");
            assert!(press || !text.contains("france tester") && !text.contains("france_tester"), "{file}: {text}");
            assert!(press || !text.contains("france@example.org"), "{file}: {text}");
        }
    }
    // He is a stranger now, and nobody else gets his number.
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nBROADCAST\nhi\nENDPRESS");
    assert!(!sent.iter().any(|s| s.notice == "N45"), "{sent:?}");
}

#[test]
fn who_left_a_game_that_goes_on_is_forgotten_there_too() {
    let site = Site::of_fixture_with(vec![("judge.hall_of_fame", "\"hall@judge.example\"")]);
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    site.mail("austria@example.org", "RESIGN Abalkan9 walzer");
    site.mail("newman@example.com", "TAKEOVER Abalkan9 newman-word");
    site.mail("italy@example.org", "RESIGN Ibalkan9 pasta&vino");
    for name in ["austria", "italy"] {
        let from = format!("{name}@example.org");
        let word = code(&site.mail(&from, "FORGET ME"));
        let sent = site.mail(&from, &format!("CONFIRM {word}"));
        assert!(reply(&sent).contains("your entry is erased"), "{}", reply(&sent));
    }
    let status = site.file("balkan9", "status");
    assert!(status.contains("#101||former_player") && !status.contains("Italy_Tester"), "{status}");
    // Nobody can be asked back who is not known any more.
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nREVIVE ITALY");
    assert!(reply(&sent).contains("R_BAD_STATE") && reply(&sent).contains("TAKEOVER"), "{}", reply(&sent));
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nDUMMY ITALY");
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!\nSIGNOFF");
    assert_eq!(site.game("balkan9").short_phase(), "S1902M");
    // When the game ends, neither what is filed nor what is mailed knows them.
    let mails = ended_now(&site);
    let fame = mails.iter().find(|m| m.notice == "N19").expect("N19");
    assert!(fame.text.contains("former player") && fame.text.contains("Newman Tester"), "{}", fame.text);
    for mail in &mails {
        assert!(!mail.text.contains("Italy Tester") && !mail.text.contains("Austria Tester"), "{}", mail.text);
    }
    assert!(site.run(&["tick", "--no-guard", "--clock", &site.now], b"").status.success());
    for place in ["games", "web", "registry"] {
        for (file, text) in texts(&site.root().join(place)) {
            let left = file.ends_with("/press") || file.ends_with("audit.log");
            for word in ["italy tester", "italy_tester", "italy@example.org", "austria_tester", "austria@example.org"] {
                assert!(left || !text.contains(word), "{file}: {word} in {text}");
            }
        }
    }
    let verified = site.run(&["verify", "--replay"], b"");
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn a_number_is_given_once() {
    let site = Site::of_fixture();
    // The last one in the registry goes; the next one comes.
    let word = code(&site.mail("newman@example.com", "FORGET ME"));
    site.mail("newman@example.com", &format!("CONFIRM {word}"));
    let word = code(&site.mail("max@example.net", "REGISTER\nName: Max Muster\nEND"));
    let sent = site.mail("max@example.net", &format!("CONFIRM {word}"));
    assert!(reply(&sent).contains("you are registered as #116 Max Muster"), "{}", reply(&sent));
}
