//! Lines of mail-commands.md and notices.md that are easily got wrong: what one mail does as a whole, who reads which
//! name, and what a receipt says. The real binary on a fresh site.

mod support;

use chancery::judge::{GameState, IndexLine};
use chancery::status::Holder;
use support::{Sent, Site};

fn to<'s>(sent: &'s [Sent], notice: &str, address: &str) -> &'s Sent {
    let list = || sent.iter().map(|s| (s.notice.as_str(), s.to.as_str())).collect::<Vec<_>>();
    let found = sent.iter().find(|s| s.notice == notice && s.to == address);
    found.unwrap_or_else(|| panic!("no {notice} to {address}: {:?}", list()))
}

fn reply(sent: &[Sent]) -> &Sent {
    sent.iter().find(|s| s.is_reply()).expect("a reply")
}

/// Without the line ends of 72 columns.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn with_rules(site: &Site, game: &str, rules: &[&str]) {
    let mut status = site.game(game);
    status.rules.extend(rules.iter().map(|r| r.to_string()));
    site.put(&status, &site.index(game));
}

fn round(site: &Site, now: &str) -> Vec<Sent> {
    let before: Vec<String> = site.sent().into_iter().map(|(name, _)| name).collect();
    for verb in [&["tick", "--no-guard", "--clock", now][..], &["send", "--clock", now][..]] {
        assert!(site.run(verb, b"").status.success());
    }
    site.sent().into_iter().filter(|(name, _)| !before.contains(name)).map(|(_, mail)| mail).collect()
}

#[test]
fn a_second_proposal_stops_the_whole_mail() {
    let site = Site::of_fixture();
    with_rules(&site, "balkan9", &["PROPOSE_DIAS"]);
    site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nPROPOSE DIAS");
    let text = "SIGNON Ebalkan9 tea4two\nSET WAIT\nPROPOSE FRANCE";
    let sent = site.mail("england@example.org", text);
    assert!(reply(&sent).text.contains("R_BAD_VOTE"), "{}", reply(&sent).text);
    let waits = |site: &Site| site.game("balkan9").participants.iter().any(|p| p.name == "ENGLAND" && p.wait);
    assert!(!waits(&site), "nothing of a mail with a wrong command is done");
    // Vetoed first, it may be made: the same mail with one line more.
    let text = "SIGNON Ebalkan9 tea4two\nSET WAIT\nVOTE NO\nPROPOSE FRANCE";
    let sent = site.mail("england@example.org", text);
    assert!(waits(&site), "{}", reply(&sent).text);
    let proposal = site.game("balkan9").proposal.expect("a proposal");
    assert_eq!((proposal.result.as_str(), proposal.proposer.as_str()), ("FRANCE", "ENGLAND"));
    // Two in one mail are one too many.
    let sent = site.mail("england@example.org", "SIGNON Ebalkan9 tea4two\nVOTE NO\nPROPOSE DIAS\nPROPOSE FRANCE");
    assert!(reply(&sent).text.contains("R_BAD_VOTE"), "{}", reply(&sent).text);
    assert_eq!(site.game("balkan9").proposal.map(|p| p.result), Some("FRANCE".into()));
}

#[test]
fn a_proposal_lapses_with_its_winner() {
    let site = Site::of_fixture();
    with_rules(&site, "balkan9", &["PROPOSE_DIAS"]);
    site.mail("england@example.org", "SIGNON Ebalkan9 tea4two\nPROPOSE ITALY");
    let mut game = site.game("balkan9");
    for p in game.participants.iter_mut().filter(|p| p.name == "ITALY") {
        p.owns.clear();
    }
    site.put(&game, &site.index("balkan9"));
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    let told = to(&sent, "N47", "france@example.org");
    assert!(unwrapped(&told.text).contains("can no longer win"), "{}", told.text);
    assert_eq!(site.game("balkan9").proposal, None);
}

#[test]
fn a_preview_and_the_phase_itself_in_one_mail() {
    let site = Site::of_fixture();
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPREVIEW\nPROCESS!");
    let (preview, results) = (to(&sent, "N16", "gm@example.org"), to(&sent, "N17", "gm@example.org"));
    assert_eq!(preview.subject, format!("PREVIEW {}", results.subject));
    assert_eq!(preview.text, results.text, "the preview says what the results say");
    assert_ne!(site.game("balkan9").phase, Site::of_fixture().game("balkan9").phase);
}

#[test]
fn the_new_master_says_more_in_the_same_mail() {
    let site = Site::of_fixture();
    let sent = site.mail("newman@example.com", "TAKEOVER M@balkan9 gm-secret\nWAIT\nBROADCAST\nHere I am.\nENDPRESS");
    assert_eq!(site.index("balkan9").state.word(), "waiting", "{}", reply(&sent).text);
    assert!(to(&sent, "N45", "france@example.org").text.contains("Here I am."));
    assert!(site.file("balkan9", "access").contains("newman@example.com MASTER ok"));
}

#[test]
fn what_a_sign_on_asks_about_is_its_own_game() {
    let site = Site::of_fixture();
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nSET WAIT\nLIST form7");
    assert!(reply(&sent).text.contains("R_SYNTAX"), "{}", reply(&sent).text);
    assert!(!sent.iter().any(|s| s.notice == "N41"));
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nLIST balkan9");
    assert_eq!(to(&sent, "N41", "france@example.org").subject, "List of game balkan9");
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nHISTORY balkan9 S1901M");
    let history = &to(&sent, "N42", "france@example.org").text;
    assert!(history.contains("Diplomacy results balkan9 S1901M"), "{history}");
    assert!(!history.contains("Diplomacy results balkan9 F1901M"), "{history}");
}

#[test]
fn orders_the_master_gives_are_confirmed_to_the_player() {
    let site = Site::of_fixture();
    let sent = site.mail("gm@example.org", "SIGNON Fbalkan9 gm-secret\nA par h\nA mar h\nF bre h");
    let copy = to(&sent, "N12", "france@example.org");
    assert!(copy.text.contains("A PAR H") && copy.text.contains("the Master's password"), "{}", copy.text);
    assert!(copy.text.contains("[end of the orders]"), "{}", copy.text);
    // A look at them is no news to him.
    let sent = site.mail("gm@example.org", "SIGNON Fbalkan9 gm-secret\nSTATUS");
    assert!(!sent.iter().any(|s| s.to == "france@example.org"));
}

#[test]
fn who_is_late_reads_his_own_names_where_they_are_hidden() {
    let site = Site::of_fixture();
    with_rules(&site, "balkan9", &["HIDE_LATE_POWERS"]);
    let mut game = site.game("balkan9");
    for p in game.participants.iter_mut().filter(|p| p.name == "ITALY") {
        p.control = vec!["FRANCE".into()];
        p.password = None;
        p.address.clear();
        p.player = Some(chancery::status::PlayerLine { current: chancery::status::Holder::Dummy, earlier: Vec::new() });
    }
    site.put(&game, &site.index("balkan9"));
    site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nA par h\nA mar h\nF bre h");
    let sent = round(&site, "2026-11-28T20:20:00Z");
    let text = &to(&sent, "N13", "france@example.org").text;
    assert!(text.contains("Late Power:       Italy\n"), "{text}");
    let text = &to(&sent, "N13", "austria@example.org").text;
    assert!(text.contains("Late Power:       Austria\n") && !text.contains("Italy"), "{text}");
}

#[test]
fn a_receipt_says_who_did_it() {
    let site = Site::of_fixture();
    let sent = site.mail("france@example.org", "RESIGN Fbalkan9 le-secret");
    assert!(unwrapped(&to(&sent, "N21", "france@example.org").text).contains("you have resigned"));
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nRESIGN ITALY");
    assert!(unwrapped(&to(&sent, "N21", "italy@example.org").text).contains("resigned by the Master"));
}

#[test]
fn who_watches_is_told_how_it_goes_on() {
    let site = Site::of_fixture();
    let sent = site.mail("newman@example.com", "OBSERVE owl@balkan9 hoot-hoot");
    let text = &reply(&sent).text;
    for words in ["Owl (observer)", "SIGNON OWL@balkan9", "judge@judge.example", "Deadlines: ", "/game/balkan9"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nRESIGN OWL");
    assert!(to(&sent, "N21", "newman@example.com").text.contains("by the Master"), "{sent:?}");
    assert!(!site.game("balkan9").participants.iter().any(|p| p.name == "OWL"));
}

#[test]
fn nobody_is_forgotten_by_a_forged_mail() {
    let site = Site::of_fixture();
    let sent = site.mail("newman@example.com", "FORGET ME");
    let code = to(&sent, "N50", "newman@example.com").text.clone();
    assert!(unwrapped(&code).contains("To have your entry erased"), "nobody sends it for something else: {code}");
    let code = code.split("CONFIRM ").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("a code");
    let known = |site: &Site| {
        let people = std::fs::read_to_string(site.root().join("registry/people.json")).expect("the registry");
        people.contains("newman@example.com")
    };
    assert!(known(&site), "not before the code");
    site.mail("newman@example.com", &format!("CONFIRM {code}"));
    assert!(!known(&site));
}

#[test]
fn a_feigned_name_does_not_matter_where_there_is_no_press() {
    let site = Site::of_fixture();
    with_rules(&site, "balkan9", &["NO_PRESS"]);
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nPRESS TO E FAKE FROM G\nhello\nENDPRESS");
    assert!(reply(&sent).text.contains("R_PRESS_NONE"), "{}", reply(&sent).text);
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nSET STRICT");
    assert!(reply(&sent).text.contains("R_SYNTAX"), "{}", reply(&sent).text);
}

/// Press of so many blocks, each as long as a block may be.
fn chatter(sign_on: &str, blocks: usize, tag: &str) -> String {
    let line = format!("{tag} {}\n", "word after word, ".repeat(60));
    let block = line.repeat(19_900 / line.len());
    let blocks: String = (0..blocks).map(|n| format!("PRESS TO E QUIET\n{n}\n{block}ENDPRESS\n")).collect();
    format!("{sign_on}\n{blocks}")
}

#[test]
fn a_mail_has_twenty_blocks_of_press_at_most() {
    let site = Site::of_fixture();
    let blocks = |n: usize| "PRESS TO E\nhello\nENDPRESS\n".repeat(n);
    let sent = site.mail("france@example.org", &format!("SIGNON Fbalkan9 le-secret\nSET WAIT\n{}", blocks(21)));
    let answer = unwrapped(&reply(&sent).text);
    assert!(answer.contains("R_PRESS_SIZE A mail has at most 20 blocks of press."), "{answer}");
    assert!(sent.iter().all(|s| s.notice != "N45"), "nothing of a mail with a wrong line is done");
    assert!(!site.game("balkan9").participants.iter().any(|p| p.name == "FRANCE" && p.wait));
    let sent = site.mail("france@example.org", &format!("SIGNON Fbalkan9 le-secret\nSET WAIT\n{}", blocks(20)));
    assert_eq!(sent.iter().filter(|s| s.notice == "N45" && s.to == "england@example.org").count(), 20);
    // The limit is that of the mail, whoever signs on in it: what is within it goes out.
    let two = format!("SIGNON Fbalkan9 le-secret\n{}SIGNON Ibalkan9 pasta&vino\n{}", blocks(15), blocks(6));
    let sent = site.mail("france@example.org", &two);
    assert_eq!(sent.iter().filter(|s| s.notice == "N45" && s.to == "england@example.org").count(), 15);
    assert!(reply(&sent).text.contains("R_PRESS_SIZE"), "{}", reply(&sent).text);
}

#[test]
fn a_seat_writes_two_mebibytes_of_press_a_day() {
    let site = Site::of_fixture();
    let france = "SIGNON Fbalkan9 le-secret";
    // Each delivery is a process of its own: the count is no memory.
    for n in 0..5 {
        let sent = site.mail("france@example.org", &chatter(france, 20, &format!("mail {n}")));
        assert!(!reply(&sent).text.contains("ERROR"), "mail {n}: {}", reply(&sent).text);
    }
    let kept = site.file("balkan9", "press");
    let sent = site.mail("france@example.org", &format!("{}SET WAIT\n", chatter(france, 20, "too much")));
    let answer = unwrapped(&reply(&sent).text);
    assert!(answer.contains("R_PRESS_SIZE A seat may write 2 MiB of press a day;"), "{answer}");
    assert!(sent.iter().all(|s| s.notice != "N45"));
    assert!(site.file("balkan9", "press") == kept, "nothing of it is filed");
    assert!(!site.game("balkan9").participants.iter().any(|p| p.name == "FRANCE" && p.wait), "nothing else is done");
    // A short word still fits; another seat has its own day, and so has this one tomorrow.
    let sent = site.mail("france@example.org", &format!("{france}\nPRESS TO E\nin short\nENDPRESS"));
    assert!(to(&sent, "N45", "england@example.org").text.contains("in short"));
    let sent = site.mail("italy@example.org", &chatter("SIGNON Ibalkan9 pasta&vino", 20, "I have not said a word"));
    assert_eq!(sent.iter().filter(|s| s.notice == "N45").count(), 20, "{}", reply(&sent).text);
    let message = support::plain("france@example.org", "again", &chatter(france, 20, "too much"));
    let sent = site.deliver_at(message.as_bytes(), "2026-11-22T09:00:00Z");
    assert_eq!(sent.iter().filter(|s| s.notice == "N45").count(), 20, "{}", reply(&sent).text);
}

#[test]
fn a_summary_tells_who_came_for_whom_and_what_was_played() {
    let site = Site::of_fixture();
    with_rules(&site, "balkan9", &["EAVESDROP", "GREY_PRESS", "NO_MINOR_WAIT"]);
    site.mail("france@example.org", "RESIGN Fbalkan9 le-secret");
    let sent = site.mail("zoe@example.com", "SUMMARY balkan9");
    let text = &to(&sent, "N43", "zoe@example.com").text;
    assert!(text.contains("  France           -\n                   from S1901M: vacant\n"), "{text}");
    // What all own at the start is shown from the start, under the year before.
    assert!(text.contains("Centers by year:\n\n              1900\nAustria:         3\n"), "{text}");
    assert!(text.contains("Russia:          4\nTurkey:          3\nIndex:          10\n"), "{text}");
    site.mail("newman@example.com", "TAKEOVER france@balkan9 new-secret");
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nDUMMY TURKEY\nPROCESS!");
    let sent = site.mail("zoe@example.com", "SUMMARY balkan9\nLIST balkan9");
    let text = &to(&sent, "N43", "zoe@example.com").text;
    assert!(text.contains("  France           -\n                   from S1901M: -\n"), "nobody is named yet: {text}");
    assert!(text.contains("  Turkey           -\n                   from S1901M: dummy\n"), "{text}");
    for line in [
        "Variant: Standard\n",
        "Press: Grey, Private.\n",
        "Rules: GREY_PRESS NO_MINOR_WAIT\n",
        "Deadlines: 3 days for movement, 1 day otherwise, at 20:00\n",
        "Victory: 18 centres\n",
        "Judge: CHCY (",
        "Master: Gm Tester\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 75), "{text}");
    let list = &to(&sent, "N41", "zoe@example.com").text;
    assert!(!list.contains("EAVESDROP") && !text.contains("EAVESDROP"), "that rule is shown to nobody");
    assert!(!list.contains("from S1901M"), "{list}");
    let matrix = "Owners by year:\n\n      \
                  ANK BER BUD CON EDI HOL LON MAR MUN NWY POR RUM SEV SPA SWE TUN VIE\n        \
                  BEL BRE BUL DEN GRE KIE LVP MOS NAP PAR ROM SER SMY STP TRI VEN WAR\n";
    assert!(text.contains(matrix), "{text}");
    assert!(text.contains("\n1900  T . G F A . T . E . . G "), "{text}");
    assert!(!text.contains("\n1901 "), "that year has not been counted: {text}");
    // When it is over they are named.
    let mut game = site.game("balkan9");
    for p in game.participants.iter_mut().filter(|p| p.name != "FRANCE") {
        p.vote = (p.kind == chancery::status::ParticipantKind::Power).then_some(chancery::status::Vote::Dias);
    }
    site.put(&game, &site.index("balkan9"));
    site.mail("newman@example.com", "SIGNON Fbalkan9 new-secret\nVOTE DIAS");
    let sent = site.mail("zoe@example.com", "SUMMARY balkan9\nSIGNOFF");
    let text = &to(&sent, "N43", "zoe@example.com").text;
    let wanted = "  France           France Tester\n                   from S1901M: Newman Tester\n";
    assert!(text.contains(wanted), "{text}");
    assert!(text.contains("\nStarted: ") || text.contains("\nFinished: "), "{text}");
    let named = "Result: Austria, England, France, Germany, Italy, Russia and Turkey in F1901M";
    assert!(unwrapped(text).contains(named), "{text}");
    assert!(text.contains("\n1900  T . G") && text.contains("\n1901  T . G"), "how it ended: {text}");
    let sent = site.mail("gm@example.org", "SIGNON Mform7 gm-form\nSUMMARY");
    assert!(to(&sent, "N43", "gm@example.org").text.contains("No centres have been counted"));
}

#[test]
fn new_passwords_are_long_enough_and_old_ones_are_kept() {
    let site = Site::of_fixture();
    for text in ["JOIN form7 short", "OBSERVE owl@balkan9 hoot", "MONITOR radio@balkan9 psst"] {
        let sent = site.mail("newman@example.com", text);
        assert!(reply(&sent).text.contains("R_BAD_PASSWORD"), "{text}: {}", reply(&sent).text);
    }
    assert_eq!(site.game("form7").participants, Site::of_fixture().game("form7").participants);
    // Who goes from one place to another keeps the password he has, however short.
    let mut game = site.game("form7");
    let mut watcher = game.participants[0].clone();
    (watcher.name, watcher.kind) = ("OWL".into(), chancery::status::ParticipantKind::Other("OBSERVER".into()));
    watcher.player = None;
    (watcher.address, watcher.password) = (vec!["newman@example.com".into()], Some("hoot".into()));
    game.participants.push(watcher);
    site.put(&game, &site.index("form7"));
    let sent = site.mail("newman@example.com", "JOIN form7 hoot");
    assert!(reply(&sent).text.contains("Welcome to game form7"), "{}", reply(&sent).text);
    assert!(!site.game("form7").participants.iter().any(|p| p.name == "OWL"));
}

#[test]
fn a_sign_on_with_a_question_mark_joins_and_says_how_it_is_said_here() {
    let site = Site::of_fixture();
    let sent = site.mail("newman@example.com", "SIGNON ?form7 new-secret");
    let answer = unwrapped(&reply(&sent).text);
    assert!(answer.contains("Welcome to game form7") && answer.contains("was taken for JOIN form7"), "{answer}");
    assert!(!answer.contains("new-secret"), "{answer}");
    let sent = site.mail("zoe@example.com", "JOIN form7 zoes-secret");
    assert!(!reply(&sent).text.contains("was taken for"), "{}", reply(&sent).text);
}

#[test]
fn what_cannot_begin_is_refused_before_anything_is_done() {
    let site = Site::of_fixture();
    let mut game = site.game("form7");
    game.participants.clear();
    site.put(&game, &site.index("form7"));
    let text = "SIGNON Mform7 gm-form\nBROADCAST\nNow it begins.\nENDBROADCAST\nSET UNLISTED\nACTIVATE";
    let sent = site.mail("gm@example.org", text);
    let answer = &reply(&sent).text;
    assert!(answer.contains("R_BAD_STATE") && answer.contains("nobody has joined"), "{answer}");
    assert!(answer.contains("skip  SET UNLISTED"), "{answer}");
    assert!(!sent.iter().any(|s| s.notice == "N45"), "the broadcast is not sent either");
    assert!(!site.index("form7").unlisted);
    assert_eq!(site.game("form7").phase, chancery::status::PhaseState::Forming);
}

#[test]
fn form_is_refused_before_anything_is_done() {
    // A mail that would do more than that.
    let said = |site: &Site, seat: &str, command: &str| {
        let text = format!("SIGNON {seat}\nBROADCAST\nNow it begins.\nENDBROADCAST\nSET UNLISTED\n{command}");
        site.mail("gm@example.org", &text)
    };
    let full = |site: &Site, next: &str, state: GameState| {
        let mut game = site.game("form7");
        let seat = game.participants[0].clone();
        game.participants.clear();
        for n in 1..=7 {
            let mut seat = chancery::status::Participant { name: format!("POWER#{n}"), ..seat.clone() };
            if let Some(Holder::Person(person)) = seat.player.as_mut().map(|line| &mut line.current) {
                person.id = format!("{}", 200 + n);
            }
            game.participants.push(seat);
        }
        game.rules.push("JUMP_OFF_DAYS".into());
        game.timing = vec![("NEXT".into(), next.into())];
        site.put(&game, &IndexLine { state, ..site.index("form7") });
    };
    let refused = |site: &Site, name: &str, sent: &[Sent], why: &str| {
        let answer = &reply(sent).text;
        assert!(answer.contains("R_BAD_STATE") && unwrapped(answer).contains(why), "{why}: {answer}");
        assert!(answer.contains("skip  SET UNLISTED"), "{answer}");
        assert!(!sent.iter().any(|s| s.notice == "N45"), "the broadcast is not sent either");
        assert!(!site.index(name).unlisted);
    };
    // With no seat open FORM begins the game; here no deadline can be found.
    for state in [GameState::Preparation, GameState::Forming, GameState::Terminated] {
        let site = Site::of_fixture();
        full(&site, "5000D", state);
        let sent = said(&site, "Mform7 gm-form", "FORM");
        refused(&site, "form7", &sent, "The game cannot begin");
        assert_eq!((site.index("form7").state, site.game("form7").short_phase()), (state, "FORMING".into()));
    }
    let site = Site::of_fixture();
    full(&site, "1D", GameState::Preparation);
    let sent = said(&site, "Mform7 gm-form", "FORM");
    assert!(sent.iter().any(|s| s.notice == "N06"), "{}", reply(&sent).text);
    assert_eq!(site.game("form7").short_phase(), "S1901M");
    // A running game forms again by ROLLBACK alone, be it in preparation.
    for state in [GameState::Active, GameState::Preparation, GameState::Terminated] {
        let site = Site::of_fixture();
        site.put(&site.game("balkan9"), &IndexLine { state, ..site.index("balkan9") });
        let sent = said(&site, "Mbalkan9 gm-secret", "FORM");
        refused(&site, "balkan9", &sent, "ROLLBACK FORMING");
        assert_eq!(site.index("balkan9").state, state);
    }
    // Nobody could join a game in preparation: it is not begun with its seats empty.
    let site = Site::of_fixture();
    site.put(&site.game("form7"), &IndexLine { state: GameState::Preparation, ..site.index("form7") });
    let sent = said(&site, "Mform7 gm-form", "ACTIVATE");
    refused(&site, "form7", &sent, "FORM lets players in");
    // Where a waiting game has gone back to the start, players may join again.
    site.put(&site.game("form7"), &IndexLine { state: GameState::Waiting, ..site.index("form7") });
    let sent = said(&site, "Mform7 gm-form", "FORM");
    assert_eq!(site.index("form7").state, GameState::Forming, "{}", reply(&sent).text);
}

#[test]
fn what_stands_behind_process_is_said_of_the_next_phase() {
    let site = Site::of_fixture();
    let text = "SIGNON Mbalkan9 gm-secret\nPROCESS!\nSET DEADLINE 24 DEC 18:00\nLIST";
    let sent = site.mail("gm@example.org", text);
    let game = site.game("balkan9");
    assert_eq!(game.short_phase(), "F1901M", "{}", reply(&sent).text);
    let deadline = game.deadline.expect("a deadline").format("%Y%m%d%H%M").to_string();
    assert_eq!(deadline, "202612241800", "{}", reply(&sent).text);
    assert!(to(&sent, "N32", "france@example.org").text.contains("F1901M"));
    assert!(to(&sent, "N41", "gm@example.org").text.contains(":: Deadline: F1901M Thu 24 Dec 2026 18:00 GMT"));
    // The report names the deadline that holds.
    let results = site.file("balkan9", "results");
    let lines: Vec<&str> = results.lines().filter(|l| l.starts_with("The deadline for orders will be")).collect();
    assert_eq!(lines, ["The deadline for orders will be Thursday 24 December 2026 18:00 GMT."]);
    // A preview behind it is one of the phase that follows.
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPREVIEW\nPROCESS!\nPREVIEW");
    let previews: Vec<&str> = sent.iter().filter(|s| s.notice == "N16").map(|s| s.subject.as_str()).collect();
    assert_eq!(previews, ["PREVIEW Diplomacy results balkan9 F1901M", "PREVIEW Diplomacy results balkan9 S1902M"]);
}

#[test]
fn each_line_sees_what_the_lines_before_it_did() {
    let site = Site::of_fixture();
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    // What is reported behind PROCESS has the phase just played, with the deadline that was set behind it.
    let text = "SIGNON Mbalkan9 gm-secret\nPROCESS!\nSET DEADLINE 24 DEC 18:00\nHISTORY\nMAP F1901M\nSUMMARY";
    let sent = site.mail("gm@example.org", text);
    let history = &to(&sent, "N42", "gm@example.org").text;
    for said in ["Diplomacy results balkan9 S1901M", "Diplomacy results balkan9 F1901M", "24 December 2026 18:00 GMT"] {
        assert!(history.contains(said), "{said}: {history}");
    }
    assert_eq!(history.trim_end(), site.file("balkan9", "results").trim_end());
    assert!(to(&sent, "N44", "gm@example.org").text.contains("F1901M"), "{}", reply(&sent).text);
    let summary = to(&sent, "N43", "gm@example.org").text.clone();
    let sent = site.mail("gm@example.org", "SUMMARY balkan9");
    assert_eq!(to(&sent, "N43", "gm@example.org").text, summary);
    // What was rolled back is no more to be read, and is not to be had back once the game goes on from there.
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nROLLBACK F1901M\nHISTORY\nPROCESS!\nHISTORY");
    let histories: Vec<&str> = sent.iter().filter(|s| s.notice == "N42").map(|s| s.text.as_str()).collect();
    assert_eq!(histories.len(), 2, "{}", reply(&sent).text);
    assert!(histories[0].contains("balkan9 S1901M") && !histories[0].contains("balkan9 F1901M"), "{}", histories[0]);
    assert_eq!(histories[1].trim_end(), site.file("balkan9", "results").trim_end());
    assert!(histories[1].contains("balkan9 F1901M"));
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nROLLFORWARD");
    assert!(reply(&sent).text.contains("processed since"), "{}", reply(&sent).text);
    let verified = site.run(&["verify", "--replay"], b"");
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn some_things_have_no_place_behind_process() {
    let site = Site::of_fixture();
    for (behind, code) in [("PROCESS!", "R_SYNTAX"), ("ROLLBACK", "R_BAD_STATE"), ("ROLLFORWARD", "R_BAD_STATE")] {
        let sent = site.mail("gm@example.org", &format!("SIGNON Mbalkan9 gm-secret\nPROCESS!\n{behind}"));
        assert!(reply(&sent).text.contains(code), "{behind}: {}", reply(&sent).text);
        assert_eq!(site.game("balkan9").short_phase(), "S1901M", "{behind}");
    }
}

#[test]
fn a_moved_deadline_corrects_the_last_report() {
    let site = Site::of_fixture();
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!\nSIGNOFF");
    let before = site.file("balkan9", "results");
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nSET DEADLINE 24 DEC 18:00");
    let after = site.file("balkan9", "results");
    let differing: Vec<(&str, &str)> = before.lines().zip(after.lines()).filter(|(a, b)| a != b).collect();
    assert_eq!(differing.len(), 1, "{differing:?}");
    assert_eq!(differing[0].1, "The deadline for orders will be Thursday 24 December 2026 18:00 GMT.");
    assert_eq!(before.lines().count(), after.lines().count());
    assert!(after.trim_end().ends_with(differing[0].1), "the last report, not an earlier one");
    let verified = site.run(&["verify", "--replay"], b"");
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn a_deadline_just_moved_is_no_cause_to_be_reminded() {
    let reminded = |to: &str, check: &str| {
        let site = Site::of_fixture();
        site.mail("gm@example.org", &format!("SIGNON Mbalkan9 gm-secret\nSET DEADLINE 21 NOV {to}"));
        round(&site, check).iter().any(|s| s.notice == "N10")
    };
    // It is nine; the reminder is due four hours before the deadline.
    assert!(!reminded("14:00", "2026-11-21T10:00:00Z"), "moved an hour ago");
    assert!(!reminded("16:40", "2026-11-21T12:40:00Z"), "moved less than four hours ago");
    assert!(reminded("17:00", "2026-11-21T13:00:00Z"), "four hours are enough");
    assert!(reminded("18:00", "2026-11-21T14:00:00Z"));
}

#[test]
fn a_closed_circle_lets_its_members_in() {
    let site = Site::of_fixture();
    let mut game = site.game("form7");
    game.groups = vec!["CLUB".into(), "FRIENDS".into()];
    site.put(&game, &site.index("form7"));
    let sent = site.mail("newman@example.com", "JOIN form7 new-secret");
    assert!(reply(&sent).text.contains("R_NOT_INVITED"), "{}", reply(&sent).text);
    // The judgekeeper writes the circle into the registry.
    let file = site.root().join("registry/people.json");
    let mut registry: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&file).expect("the registry")).expect("JSON");
    registry["groups"] = serde_json::json!({ "Friends": [115], "CLUB": [101] });
    std::fs::write(&file, registry.to_string()).expect("the registry");
    let sent = site.mail("newman@example.com", "JOIN form7 new-secret\nSIGNOFF");
    assert!(reply(&sent).text.contains("Welcome to game form7"), "{}", reply(&sent).text);
    let sent = site.mail("zoe@example.com", "JOIN form7 zoes-secret");
    assert!(reply(&sent).text.contains("R_NOT_INVITED"), "{}", reply(&sent).text);
}
