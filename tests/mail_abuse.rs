//! What a stranger, an opponent, a broken program or another judge may send: nothing is lost, nothing fails, nothing goes
//! round, no secret leaves.

mod support;

use support::{Sent, Site, plain};

const PASSWORDS: [&str; 9] =
    ["le-secret", "walzer", "tea4two", "pasta&vino", "hali7", "gm-secret", "caviar", "sunrise", "popcorn"];

fn no_secrets(sent: &[Sent]) {
    for mail in sent {
        let bytes = String::from_utf8_lossy(&mail.bytes);
        for secret in PASSWORDS {
            assert!(!mail.text.contains(secret) && !bytes.contains(secret), "{secret} in {}", mail.text);
        }
    }
}

fn one_reply(sent: &[Sent]) -> &Sent {
    let replies: Vec<&Sent> = sent.iter().filter(|s| s.is_reply()).collect();
    assert_eq!(replies.len(), 1, "{sent:?}");
    replies[0]
}

#[test]
fn words_without_a_command() {
    let site = Site::of_fixture();
    let sent = site.mail("france@example.org", "Dear judge,\nwhat a nice day.");
    assert!(one_reply(&sent).text.contains("R_NO_COMMAND"));
    assert!(site.mail("victim@example.net", "Dear judge,\nwhat a nice day.").is_empty());
    assert!(site.mail("victim@example.net", "").is_empty());
    assert_eq!((site.room("new"), site.room("hold"), site.dead()), (0, 0, 0));
}

#[test]
fn unknown_game_and_private_game() {
    let site = Site::of_fixture();
    let sent = site.mail("france@example.org", "SIGNON Fnowhere le-secret\nA PAR H");
    assert!(one_reply(&sent).text.contains("R_NO_GAME"));
    no_secrets(&sent);
    let sent = site.mail("kibitz@example.org", "LIST priv1");
    assert!(one_reply(&sent).text.contains("R_BAD_LOGIN"), "a private game is not shown");
    let sent = site.mail("kibitz@example.org", "SIGNON F../../etc/passwd le-secret");
    assert!(one_reply(&sent).text.contains("R_NO_GAME"));
}

#[test]
fn an_order_for_the_unit_of_another() {
    let site = Site::of_fixture();
    let before = site.game("balkan9");
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nA MUN - RUH\nA PAR - BUR");
    let reply = one_reply(&sent);
    assert!(reply.text.contains("ERROR A MUN - RUH"), "{}", reply.text);
    let orders = |g: &chancery::status::Game| g.participants.iter().map(|p| p.orders.clone()).collect::<Vec<_>>();
    assert_eq!(orders(&before), orders(&site.game("balkan9")));
    no_secrets(&sent);
}

#[test]
fn wrong_passwords_slow_the_guesser_and_nobody_else() {
    let mut site = Site::of_fixture();
    let guess = |site: &Site, n: usize| {
        let text = plain("kibitz@example.org", &format!("try {n}"), &format!("SIGNON Fbalkan9 guess{n}"));
        site.deliver(text.as_bytes())
    };
    for n in 0..3 {
        assert!(one_reply(&guess(&site, n)).text.contains("R_BAD_LOGIN"), "{n}");
    }
    // The fourth waits in the spool; it is not lost.
    assert!(guess(&site, 3).is_empty());
    assert_eq!((site.room("new"), site.room("hold")), (0, 1));
    // The player himself is not kept waiting by what others do.
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nA PAR H\nA MAR H\nF BRE H");
    assert!(sent.iter().any(|s| s.notice == "N12" && s.to == "france@example.org"));
    let other = plain("eve@example.net", "me too", "SIGNON Fbalkan9 le-secret\nA PAR - BUR");
    site.deliver(other.as_bytes());
    assert_eq!(site.room("hold"), 1, "the right password of the player has cleared the pause of the seat");
    // A minute later the message is looked at.
    site.now = "2026-11-21T09:01:30Z".into();
    site.run(&["deliver", "--now", "--clock", &site.now], plain("x@example.net", "", "").as_bytes());
    assert_eq!((site.room("new"), site.room("hold")), (0, 0));
    // Ten within an hour: the Master hears of it once.
    let mut minute = 2;
    for n in 4..16 {
        site.now = format!("2026-11-21T09:{minute:02}:59Z");
        minute += 2;
        guess(&site, n);
    }
    let alarms = site.sent().into_iter().filter(|(_, s)| s.notice == "N36").count();
    assert_eq!(alarms, 1);
    let all: Vec<Sent> = site.sent().into_iter().map(|(_, s)| s).collect();
    no_secrets(&all);
}

#[test]
fn many_guesses_in_one_mail() {
    let site = Site::of_fixture();
    let text: String = (0..60).map(|n| format!("SIGNON Gbalkan9 guess{n}\nA BER H\n")).collect();
    let sent = site.mail("kibitz@example.org", &format!("{text}SIGNON Gbalkan9 bier\nA MUN H\n"));
    let reply = one_reply(&sent);
    assert_eq!(reply.text.matches("R_BAD_LOGIN").count(), 3, "{}", reply.text);
    assert!(!reply.text.contains("guess"), "{}", reply.text);
    assert!(site.game("balkan9").participant("GERMANY").expect("Germany").orders.is_none());
}

#[test]
fn huge_and_broken_mail() {
    let site = Site::of_fixture();
    let huge = plain("france@example.org", "big", &"x".repeat(79).repeat(66_000));
    assert!(huge.len() > 5_000_000);
    assert!(one_reply(&site.deliver(huge.as_bytes())).text.contains("R_TOO_LARGE"));
    let multipart = std::fs::read(support::data().join("03-multipart-alternative.eml")).expect("vector");
    for cut in (0..multipart.len()).step_by(multipart.len() / 12) {
        no_secrets(&site.deliver(&multipart[..cut]));
    }
    let encrypted = "From: france@example.org\nTo: judge@judge.example\nMessage-ID: <e@x>\nMIME-Version: 1.0\n\
                     Content-Type: multipart/encrypted; protocol=\"application/pgp-encrypted\"; boundary=b\n\n--b\n\
                     Content-Type: application/pgp-encrypted\n\nVersion: 1\n\n--b--\n";
    assert!(one_reply(&site.deliver(encrypted.as_bytes())).text.contains("R_UNREADABLE"));
    assert_eq!((site.room("new"), site.room("hold")), (0, 0));
}

#[test]
fn a_forged_sender_is_told_to_the_player() {
    let site = Site::of_fixture();
    let sent = site.mail("thief@example.net", "SIGNON Fbalkan9 le-secret\nA PAR - PIC\nA MAR H\nF BRE H");
    let copy = sent.iter().find(|s| s.to == "france@example.org" && s.is_reply()).expect("a copy to the player");
    assert!(copy.text.contains("thief@example.net"), "{}", copy.text);
    no_secrets(&sent);
}

#[test]
fn nothing_breaks_a_header() {
    let site = Site::of_fixture();
    let evil = "From: =?utf-8?Q?a=0D=0ABcc:_all=40example.net?= <france@example.org>\nTo: judge@judge.example\n\
                Subject: =?utf-8?Q?x=0D=0ABcc:_all=40example.net?=\nMessage-ID: <h1@x>\n\n\
                SIGNON Mbalkan9 gm-secret\nOFFICIAL news\u{2028}Bcc: all@example.net\rX-Evil: 1\nBROADCAST\nhello\n\
                From france@example.org\n.\n:: S1901M FRANCE All\nENDPRESS\n";
    let sent = site.deliver(evil.as_bytes());
    assert!(sent.len() > 5);
    for mail in &sent {
        for line in mail.head.lines() {
            let lower = line.to_lowercase();
            assert!(!lower.starts_with("bcc:") && !lower.starts_with("x-evil:"), "{}", mail.head);
        }
        assert!(!mail.to.contains("all@example.net"));
    }
    let filed = site.file("balkan9", "press");
    assert_eq!(filed.lines().filter(|l| l.starts_with(":: ")).count(), 1, "{filed}");
    let sent = site.mail("carol@example.com", "OBSERVE a\u{0}b@balkan9 secret9\n");
    assert!(sent.iter().all(|s| s.is_reply()), "{sent:?}");
    let sent = site.mail("carol@example.com", "OBSERVE FRANCE@balkan9 secret9\n");
    assert!(one_reply(&sent).text.contains("R_BAD_ID"));
    let sent =
        site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nSET ADDRESS a@b.example\u{b}Bcc:x@y.example\n");
    assert!(one_reply(&sent).text.contains("R_BAD_ADDRESS"), "{}", one_reply(&sent).text);
}

#[test]
fn our_own_mail_never_comes_back_as_work() {
    let site = Site::of_fixture();
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 wrong\nA PAR H");
    let reply = one_reply(&sent).clone();
    // Bounced to us, forwarded to us, or sent on by another judge under its own name.
    assert!(site.deliver(&reply.bytes).is_empty());
    let text = String::from_utf8(reply.bytes.clone()).expect("UTF-8");
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for line in &mut lines {
        if line.starts_with("From:") {
            *line = "From: other judge <judge@other.example>".into();
        }
        if line.starts_with("Reply-To:") {
            *line = "Reply-To: judge@other.example".into();
        }
    }
    assert!(site.deliver(lines.join("\n").as_bytes()).is_empty(), "two judges do not write to each other");
    // Without any mark it is a mail without a command.
    let bare: Vec<String> = reply.text.lines().map(|l| format!("> {l}")).collect();
    let sent = site.mail("france@example.org", &bare.join("\n"));
    assert!(sent.iter().all(|s| s.text.contains("R_NO_COMMAND")), "{sent:?}");
    let sent = site.mail("someone@other.example", &reply.text);
    assert!(sent.is_empty(), "{sent:?}");
    let vacation = format!(
        "From: italy@example.org\nTo: judge@judge.example\nSubject: Re: x\nMessage-ID: <v@x>\nPrecedence: junk\n\n{}",
        "SIGNON Ibalkan9 pasta&vino\nA VEN H"
    );
    assert!(site.deliver(vacation.as_bytes()).is_empty());
    assert!(site.game("balkan9").participant("ITALY").expect("Italy").orders.is_none());
}

#[test]
fn ten_thousand_mails_from_one_address() {
    let site = Site::of_fixture();
    // Put into the spool as a mail server would, worked off in one go.
    for n in 0..10_000 {
        let text = plain("france@example.org", &format!("again {n}"), "SIGNON Fbalkan9 le-secret\nSET WAIT\n");
        let name = format!("{}.1.{n:08x}.eml", 1_795_251_600_000_000u64 + n);
        std::fs::write(site.root().join("spool/in/new").join(name), text).expect("spool");
    }
    site.deliver(plain("england@example.org", "mine", "SIGNON Ebalkan9 tea4two\nF LON H\nF EDI H\nA LVP H").as_bytes());
    let sent: Vec<Sent> = site.sent().into_iter().map(|(_, s)| s).collect();
    let to_france = sent.iter().filter(|s| s.to == "france@example.org").count();
    assert_eq!(to_france, 61, "sixty answers and one word about the limit");
    assert_eq!(sent.iter().filter(|s| s.text.contains("R_RATE")).count(), 1);
    assert!(sent.iter().any(|s| s.to == "england@example.org" && s.notice == "N12"), "others are served");
    assert_eq!((site.room("new"), site.room("done")), (0, 10_001));
    no_secrets(&sent);
}

#[test]
fn strangers_get_five_answers_an_hour() {
    let site = Site::of_fixture();
    for n in 0..9 {
        site.deliver(plain("eve@example.net", &format!("{n}"), "HELP").as_bytes());
    }
    assert_eq!(site.sent().len(), 5);
    // The judgekeeper, of whom no register need know, is none.
    for n in 0..9 {
        site.deliver(plain("Keeper@judge.example", &format!("{n}"), "HELP").as_bytes());
    }
    assert_eq!(site.sent().len(), 5 + 9);
}

#[test]
fn a_player_on_the_road_loses_no_orders() {
    let mut site = Site::of_fixture();
    let orders = ["A PAR H", "A PAR - BUR", "A PAR - PIC", "A PAR - GAS", "A PAR - BRE", "A PAR S A MAR - BUR"];
    let road = "hotel@example.net";
    let mut sent = Vec::new();
    for (n, order) in orders.iter().cycle().take(9).enumerate() {
        let text = format!("SIGNON Fbalkan9 le-secret\n{order}\nA MAR H\nF BRE H\nLIST balkan9");
        sent = site.deliver(plain(road, &format!("{n}"), &text).as_bytes());
        let filed = site.game("balkan9").participant("FRANCE").expect("France").orders.clone().expect("orders");
        assert!(filed.iter().any(|filed| filed == order), "{n}: {filed:?}");
        let to = |address: &str| sent.iter().filter(|s| s.to == address && s.is_reply()).collect::<Vec<_>>();
        assert_eq!(to("france@example.org").len(), 1, "{n}: the address on file is told each time");
        assert_eq!(to(road).len(), usize::from(n < 5), "{n}");
        let last =
            |s: &&&Sent| s.text.split_whitespace().collect::<Vec<_>>().join(" ").contains("does not answer it again");
        assert_eq!(to(road).iter().filter(last).count(), usize::from(n == 4), "{n}");
    }
    assert!(sent.iter().all(|s| s.to != road), "no letter that LIST asks for either: {sent:?}");
    // What needs no password is no more than its answer, and wrong passwords are counted as ever.
    assert!(site.deliver(plain(road, "help", "HELP").as_bytes()).is_empty());
    for n in 0..4 {
        assert!(site.deliver(plain(road, &format!("guess {n}"), "SIGNON Gbalkan9 guess").as_bytes()).is_empty());
    }
    assert_eq!(site.room("hold"), 1, "the fourth guess waits");
    // An hour after the answers there are answers again, whatever came in between.
    site.now = "2026-11-21T10:00:01Z".into();
    let sent = site.deliver(plain(road, "later", "SIGNON Fbalkan9 le-secret\nA PAR H\nA MAR H\nF BRE H").as_bytes());
    assert!(sent.iter().any(|s| s.to == road && s.is_reply()), "{sent:?}");
}

#[test]
fn three_bounces_are_told_once() {
    let mut site = Site::of_fixture();
    let report =
        String::from_utf8(std::fs::read(support::data().join("13-bounce-dsn.eml")).expect("vector")).expect("text");
    for n in 0..5 {
        site.now = format!("2026-11-2{n}T10:00:00Z");
        site.deliver(report.replace("<m13@", &format!("<m13.{n}@")).as_bytes());
    }
    let sent: Vec<Sent> = site.sent().into_iter().map(|(_, s)| s).collect();
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!((sent[0].notice.as_str(), sent[0].to.as_str()), ("N60", "gm@example.org"));
    assert!(sent[0].text.contains("Italy") && !sent[0].text.contains("italy@example.org"));
    // A word from the player clears the count.
    site.mail("italy@example.org", "SIGNON Ibalkan9 pasta&vino\nSTATUS");
    let people = std::fs::read_to_string(site.root().join("registry/people.json")).expect("people");
    assert!(!people.contains("bounces"), "{people}");
}

#[test]
fn clear_passwords_are_hashed_at_the_next_save() {
    let site = Site::of_fixture();
    site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nSET WAIT");
    let game = site.game("balkan9");
    let passwords = game.participants.iter().map(|p| &p.password).chain([&game.password]);
    assert!(passwords.flatten().all(|p| p.starts_with("$argon2id$")));
    let sent = site.mail("england@example.org", "SIGNON EBALKAN9 TEA4TWO\nSTATUS");
    assert!(sent.iter().any(|s| s.notice == "N12"));
}
