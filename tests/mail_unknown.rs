//! Lines that are no command: quoted back with the nearest command that their writer could have used there
//! (mail-commands.md 1.5, 5.2, 5.4). The real binary on a fresh site.

mod support;

use chancery::status::ParticipantKind;
use support::{Sent, Site};

fn reply(sent: &[Sent]) -> &Sent {
    sent.iter().find(|s| s.is_reply()).unwrap_or_else(|| panic!("no reply: {sent:?}"))
}

/// Without the line ends of 72 columns.
fn unwrapped(sent: &[Sent]) -> String {
    reply(sent).text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_misspelt_sign_on_is_quoted_back_without_its_password() {
    let site = Site::of_fixture();
    let sent = site.mail("france@example.org", "SINGON Fbalkan9 le-secret\nA par - bur\nSET WAIT");
    let text = &reply(&sent).text;
    assert!(text.contains("R_NO_COMMAND"), "{text}");
    assert!(text.contains("line 1   ERROR SINGON Fbalkan9 ****\n"), "{text}");
    assert!(text.contains("SINGON: did you mean SIGNON?"), "{text}");
    assert!(text.contains("\n> SINGON Fbalkan9 ****\n> A par - bur\n> SET WAIT\n"), "{text}");
    assert!(!text.contains("le-secret"), "{text}");
    // What is far from everything is quoted without a guess.
    let sent = site.mail("france@example.org", "Dear judge,\nplease move my army.");
    let text = &reply(&sent).text;
    assert!(text.contains("\n> Dear judge,\n> please move my army.\n") && !text.contains("did you mean"), "{text}");
}

#[test]
fn what_was_passed_over_in_front_of_a_command_is_told_where_it_looks_like_one() {
    let site = Site::of_fixture();
    // The first sign-on of two is misspelt: its orders are not lost in silence, the second is done.
    let text = "SINGON Fbalkan9 le-secret\nA par h\nSIGNON Ebalkan9 tea4two\nSET WAIT";
    let sent = site.mail("england@example.org", text);
    let text = &reply(&sent).text;
    assert!(text.contains("SINGON: did you mean SIGNON?") && !text.contains("le-secret"), "{text}");
    assert!(text.contains("> A par h\n"), "{text}");
    assert!(site.game("balkan9").participants.iter().any(|p| p.name == "ENGLAND" && p.wait), "{text}");
    // A greeting is passed over.
    let sent = site.mail("england@example.org", "Hello judge,\nhow are you?\nSIGNON Ebalkan9 tea4two\nSET NOWAIT");
    assert!(!reply(&sent).text.contains("Hello"), "{}", reply(&sent).text);
    // Behind a question nothing else can stand.
    let sent = site.mail("england@example.org", "HELP PRESS\nHISTROY balkan9\nThanks, Emma");
    let text = &reply(&sent).text;
    assert!(text.contains("HISTROY: did you mean HISTORY?"), "{text}");
    assert!(!sent.iter().any(|s| s.notice == "N42"));
    // LIST is answered by a mail of its own, and by that alone.
    let sent = site.mail("england@example.org", "LIST\nThanks, Emma");
    assert_eq!(sent.iter().map(|s| s.notice.as_str()).collect::<Vec<_>>(), ["N40"]);
    let sent = site.mail("england@example.org", "LIST\nSUMARY balkan9");
    assert!(reply(&sent).text.contains("SUMARY: did you mean SUMMARY?") && sent.iter().any(|s| s.notice == "N40"));
}

#[test]
fn behind_a_sign_on_the_verdict_stays_and_says_what_was_meant() {
    let site = Site::of_fixture();
    let before = site.file("balkan9", "status");
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nPERSS TO E\nhello\nENDPRESS\nA par h");
    let text = unwrapped(&sent);
    assert!(text.contains("E_WORD PERSS: did you mean PRESS?"), "{text}");
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nSET WIAT\nSET PASWORD new-secret");
    let text = unwrapped(&sent);
    assert!(text.contains("R_UNKNOWN_SET SET WIAT: did you mean SET WAIT?"), "{text}");
    assert!(text.contains("SET PASWORD: did you mean SET PASSWORD?") && !text.contains("new-secret"), "{text}");
    // Another sign-on further down: its password is not repeated either.
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nA par h\nSINGON Ebalkan9 tea4two\nF edi h");
    let text = unwrapped(&sent);
    assert!(text.contains("SINGON: did you mean SIGNON?") && !text.contains("tea4two"), "{text}");
    // An order that is wrong is an order.
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nA par - lon\nF bre - pai");
    assert!(!reply(&sent).text.contains("did you mean"), "{}", reply(&sent).text);
    // As the last line it may be a farewell, and is told what it is near to all the same.
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nA par h\nF bre h\nA mar h\nSTAUTS");
    let text = unwrapped(&sent);
    assert!(text.contains("W_TRAILING_TEXT STAUTS: did you mean STATUS?"), "{text}");
    assert_ne!(site.file("balkan9", "status"), before, "the orders are stored");
}

#[test]
fn nobody_is_offered_what_he_cannot_use() {
    let site = Site::of_fixture();
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nPROCES\nA par h");
    assert!(!reply(&sent).text.contains("PROCESS"), "{}", reply(&sent).text);
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCES\nA par h");
    assert!(reply(&sent).text.contains("PROCES: did you mean PROCESS?"), "{}", reply(&sent).text);
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nSET DEADLNE 4 JAN");
    let text = unwrapped(&sent);
    assert!(text.contains("R_UNKNOWN_SET SET knows"), "{text}");
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nSET DEADLNE 4 JAN");
    assert!(reply(&sent).text.contains("SET DEADLNE: did you mean SET DEADLINE?"), "{}", reply(&sent).text);
    // Proposals are for games with the rule; votes for those who have one.
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nPROPSE DIAS\nA par h");
    assert!(!reply(&sent).text.contains("PROPOSE"), "{}", reply(&sent).text);
    let sent = site.mail("kibitz@example.org", "SIGNON LOUDMOUTH@balkan9 popcorn\nVOET DIAS");
    assert!(!reply(&sent).text.contains("did you mean"), "{}", reply(&sent).text);
    let mut game = site.game("balkan9");
    game.rules.push("PROPOSE_DIAS".into());
    site.put(&game, &site.index("balkan9"));
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nPROPSE DIAS\nA par h\nA mar h");
    assert!(reply(&sent).text.contains("PROPSE: did you mean PROPOSE?"), "{}", reply(&sent).text);
    // In a game that forms there is no board to ask, and commands all the same.
    let waiting = site.game("form7").participants.into_iter().find(|p| p.kind == ParticipantKind::Waiting);
    assert!(waiting.is_some());
    let sent = site.mail("p1@example.org", "SIGNON 1form7 moon\nBRODCAST\nhello\nENDBROADCAST");
    assert!(reply(&sent).text.contains("BRODCAST: did you mean BROADCAST?"), "{}", reply(&sent).text);
}

#[test]
fn the_registry_is_offered_where_there_is_one() {
    let site = Site::of_fixture();
    let sent = site.mail("zoe@example.com", "REGSITER\nName: Zoe Zorn\nEND");
    assert!(reply(&sent).text.contains("REGSITER: did you mean REGISTER?"), "{}", reply(&sent).text);
    let sent = site.mail("zoe@example.com", "WHO AM I");
    assert!(reply(&sent).text.contains("WHO AM I: did you mean WHOAMI?"), "{}", reply(&sent).text);
    let site = Site::of_fixture_with(vec![("registry.mode", "\"none\"")]);
    let sent = site.mail("france@example.org", "REGSITER\nName: Zoe Zorn\nEND");
    assert!(!reply(&sent).text.contains("did you mean"), "{}", reply(&sent).text);
    assert!(reply(&sent).text.contains("> REGSITER\n"), "{}", reply(&sent).text);
}
