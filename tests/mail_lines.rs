//! Lines of mail-commands.md and notices.md that are easily got wrong: what one mail does as a whole, who reads which
//! name, and what a receipt says. The real binary on a fresh site.

mod support;

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
