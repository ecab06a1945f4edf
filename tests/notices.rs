//! Mails with maps, threads, wishes and links, and the rarer notices: the real binary on a fresh site (notices.md,
//! operations.md 8.1, mail-commands.md 4 and 8).

mod support;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chancery::clerk::{Clerk, Followed, TickOptions};
use chancery::mail::MailAddress;
use chancery::status::Vote;
use chrono::{DateTime, Utc};
use mailparse::{MailHeaderMap, ParsedMail};
use std::sync::Arc;
use support::{Sent, Site};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

fn find<'s>(sent: &'s [Sent], notice: &str, to: &str) -> &'s Sent {
    let list = || sent.iter().map(|s| (s.notice.as_str(), s.to.as_str())).collect::<Vec<_>>();
    sent.iter()
        .find(|s| s.notice == notice && s.to == to)
        .unwrap_or_else(|| panic!("no {notice} to {to}: {:?}", list()))
}

fn header(sent: &Sent, name: &str) -> Option<String> {
    mailparse::parse_mail(&sent.bytes).expect("a mail").headers.get_first_value(name)
}

fn kinds(sent: &Sent) -> Vec<String> {
    mailparse::parse_mail(&sent.bytes).expect("a mail").parts().map(|p| p.ctype.mimetype.clone()).collect()
}

/// The HTML of a mail and its inlined picture.
fn illustrated(sent: &Sent) -> (String, Vec<u8>) {
    let mail = mailparse::parse_mail(&sent.bytes).expect("a mail");
    let part = |kind: &str| -> Option<&ParsedMail> { mail.parts().find(|p| p.ctype.mimetype == kind) };
    let html = part("text/html").expect("HTML").get_body().expect("text").replace("\r\n", "\n");
    let picture = part("image/png").expect("a picture");
    let id = picture.headers.get_first_value("Content-ID").expect("Content-ID");
    assert!(html.contains(&format!("src=\"cid:{}\"", id.trim_matches(['<', '>']))), "{id}");
    (html, picture.get_body_raw().expect("bytes"))
}

/// What the queue keeps in the place of pictures.
fn drawing_orders(site: &Site) -> Vec<String> {
    let directory = site.root().join("outbox/done");
    let mut orders = Vec::new();
    for entry in std::fs::read_dir(directory).expect("the queue").flatten() {
        let bytes = std::fs::read(entry.path()).expect("a queued mail");
        let at = bytes.windows(2).position(|w| w == b"\n\n").expect("a head") + 2;
        let mail = mailparse::parse_mail(&bytes[at..]).expect("a mail");
        let pictures = mail.parts().filter(|p| p.ctype.mimetype == "image/png");
        orders.extend(pictures.map(|p| String::from_utf8_lossy(&p.get_body_raw().expect("bytes")).into_owned()));
    }
    orders
}

fn later(site: &Site, hours: i64) -> String {
    let now: DateTime<Utc> = site.now.parse().expect("a time");
    (now + chrono::Duration::hours(hours)).format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Runs a round of the clock and the queue at that time.
fn round(site: &Site, now: &str) -> Vec<Sent> {
    let before: Vec<String> = site.sent().into_iter().map(|(name, _)| name).collect();
    for verb in [&["tick", "--no-guard", "--clock", now][..], &["send", "--clock", now]] {
        let output = site.run(verb, b"");
        assert!(output.status.success(), "{verb:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    site.sent().into_iter().filter(|(name, _)| !before.contains(name)).map(|(_, mail)| mail).collect()
}

fn clerk(site: &Site) -> Arc<Clerk> {
    let (opened, _) = chancery::site::Site::open(&site.root(), None, true).expect("a site");
    Arc::new(Clerk::open(opened).expect("a clerk"))
}

#[test]
fn results_carry_the_map_once_drawn_for_all() {
    let site = Site::of_fixture();
    site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nF bre - mao\nA par - bur\nA mar s par - bur");
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    let results: Vec<&Sent> = sent.iter().filter(|s| s.notice == "N17").collect();
    assert_eq!(results.len(), 10);
    let (html, picture) = illustrated(results[0]);
    assert!(picture.starts_with(PNG) && picture.len() < 200_000, "{} bytes", picture.len());
    for one in &results {
        assert_eq!(
            kinds(one),
            ["multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png"],
            "{}",
            one.to
        );
        assert!(illustrated(one) == (html.clone(), picture.clone()), "{} has another picture", one.to);
        assert!(one.text.starts_with(":: Judge: CHCY"), "the plain text comes first");
        assert!(one.text.lines().all(|l| l.chars().count() <= 75), "{}", one.text);
        assert_eq!(header(one, "References").as_deref(), Some("<balkan9.results@judge.example>"));
        assert_eq!(header(one, "List-Id").as_deref(), Some("<balkan9.judge.example>"));
        assert_eq!(one.auto, "auto-generated");
        let id = header(one, "Message-ID").expect("Message-ID");
        assert!(id.starts_with("<balkan9.S1901M.N17.") && id.ends_with("@judge.example>"), "{id}");
        // Only who watches can do without.
        let optional = ["kibitz@example.org", "map-bot@example.com"].contains(&one.to.as_str());
        assert_eq!(header(one, "List-Unsubscribe").is_some(), optional, "{}", one.to);
        assert_eq!(header(one, "List-Unsubscribe-Post").is_some(), optional, "{}", one.to);
    }
    let id = html.split('"').find(|part| part.starts_with("cid:")).expect("cid");
    insta::assert_snapshot!("results_html", html.replace(id, "cid:PICTURE"));
    // The queue holds a few kilobytes a mail, not the picture.
    let orders = drawing_orders(&site);
    assert!(orders.iter().all(|o| o.len() < 8000 && !o.contains("argon2") && !o.contains('@')), "{orders:?}");
    assert!(!String::from_utf8_lossy(&results[0].bytes).contains(&STANDARD.encode(b"\x89chancery scene 1\n")));
}

#[test]
fn other_mails_that_a_map_helps_have_one() {
    let site = Site::of_fixture();
    let sent = site.mail("gm@example.org", "SIGNON Mform7 gm-form\nACTIVATE");
    for (notice, to) in [("N05", "p1@example.org"), ("N06", "gm@example.org")] {
        let (html, picture) = illustrated(find(&sent, notice, to));
        assert!(picture.starts_with(PNG) && html.contains("Movement for Spring of 1901"), "{notice}");
    }
    let sent = site.mail("kibitz@example.org", "LIST balkan9\nMAP balkan9");
    illustrated(find(&sent, "N41", "kibitz@example.org"));
    let map = find(&sent, "N44", "kibitz@example.org");
    illustrated(map);
    assert!(kinds(map).contains(&"image/svg+xml".to_string()));
    let sent = site.mail("kibitz@example.org", "MAP balkan9 F1907M");
    assert!(find(&sent, "reply", "kibitz@example.org").text.contains("R_NO_MAP"));
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    let sent = site.mail("kibitz@example.org", "MAP balkan9 S1901M");
    assert!(find(&sent, "N44", "kibitz@example.org").text.contains("S1901M"));
    // A reminder, four hours before the deadline.
    let mut game = site.game("balkan9");
    game.deadline = chrono::NaiveDateTime::parse_from_str("202611241200", "%Y%m%d%H%M").ok();
    site.put(&game, &site.index("balkan9"));
    // All are told of the new deadline; who has just been told is not reminded.
    round(&site, "2026-11-24T03:40:00Z");
    let sent = round(&site, "2026-11-24T08:00:00Z");
    let reminder = find(&sent, "N10", "france@example.org");
    illustrated(reminder);
    assert!(header(reminder, "List-Unsubscribe").is_some(), "a player can do without reminders");
}

#[test]
fn hidden_builds_are_in_no_picture() {
    let site = Site::of_fixture();
    let mut game = site.game("balkan9");
    game.rules = vec!["HIDE_BUILDS".into()];
    game.phase = chancery::status::PhaseState::Running("WINTER 1901 ADJUSTMENTS".into());
    let p = game.participant_mut("FRANCE").expect("France");
    p.units = vec!["F MAO".into(), "A BUR".into()];
    p.adjust = vec!["BUILD F BRE HIDDEN".into()];
    site.put(&game, &site.index("balkan9"));
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    let report = find(&sent, "N17", "england@example.org");
    assert!(report.text.contains("Build hidden."), "{}", report.text);
    let sent = site.mail("kibitz@example.org", "LIST balkan9\nMAP balkan9");
    let list = find(&sent, "N41", "kibitz@example.org");
    assert!(!list.text.contains("Fleet Brest"), "{}", list.text);
    assert!(!String::from_utf8_lossy(&find(&sent, "N44", "kibitz@example.org").bytes).contains("Fleet Brest"));
    for order in drawing_orders(&site) {
        assert!(!order.contains("F BRE"), "{order}");
    }
    // It comes out with the next movement (the same words again would be the same mail).
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nprocess!");
    let report = find(&sent, "N17", "england@example.org");
    assert!(report.text.contains("\n\nFrance: Fleet Brest FOUND.\nFrance: Fleet Mid"), "{}", report.text);
    assert!(site.game("balkan9").participant_mut("FRANCE").expect("France").hides.is_empty());
}

#[test]
fn press_threads_by_what_its_reader_is_told() {
    let site = Site::of_fixture();
    let mut game = site.game("balkan9");
    game.rules = vec!["WHITE_GREY".into()];
    site.put(&game, &site.index("balkan9"));
    let press = |from: &str, login: &str, options: &str, to: &str| {
        let sent = site.mail(from, &format!("SIGNON {login}\nPRESS {options}\n{from} {options}\nENDPRESS"));
        header(find(&sent, "N45", to), "References").expect("References")
    };
    let there = press("france@example.org", "Fbalkan9 le-secret", "TO E", "england@example.org");
    let back = press("england@example.org", "Ebalkan9 tea4two", "TO F", "france@example.org");
    assert_eq!(there, back, "a letter and its answer are one thread");
    let other = press("france@example.org", "Fbalkan9 le-secret", "TO G", "germany@example.org");
    assert_ne!(there, other);
    let unsigned = press("france@example.org", "Fbalkan9 le-secret", "TO E GREY", "england@example.org");
    assert_ne!(there, unsigned, "unsigned press is not linked with signed");
    let from_italy = press("italy@example.org", "Ibalkan9 pasta&vino", "TO E GREY", "england@example.org");
    assert_eq!(unsigned, from_italy, "nothing tells who wrote it");
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nBROADCAST\nhello\nENDPRESS");
    let broadcast = find(&sent, "N45", "kibitz@example.org");
    assert_eq!(header(broadcast, "List-Id").as_deref(), Some("<balkan9.judge.example>"));
    assert!(header(broadcast, "List-Unsubscribe").is_some());
    assert!(header(find(&sent, "N45", "italy@example.org"), "List-Unsubscribe").is_none());
}

#[test]
fn wishes_are_kept_and_what_must_be_known_is_not_switched_off() {
    let site = Site::of_fixture();
    let text = |sent: &[Sent], to: &str| find(sent, "reply", to).text.clone();
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nSET NOTIFY NONE");
    assert!(text(&sent, "france@example.org").contains("every mail but reminders"));
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nSET NOTIFY DIGEST");
    assert!(text(&sent, "france@example.org").contains("R_SYNTAX"));
    site.mail("kibitz@example.org", "SIGNON LOUDMOUTH@balkan9 popcorn\nSET NOTIFY RESULTS");
    site.mail("map-bot@example.com", "SIGNON MAPBOT@balkan9 bot-pass\nSET NOTIFY NONE");
    assert_eq!(site.game("balkan9").participant_mut("MAPBOT").expect("a monitor").notify, Some(Vec::new()));
    let sent = site.mail("italy@example.org", "SIGNON Ibalkan9 pasta&vino\nBROADCAST\nciao\nENDPRESS");
    assert!(sent.iter().any(|s| s.to == "france@example.org"));
    assert!(sent.iter().all(|s| s.to != "kibitz@example.org"), "no press for him");
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    let results: Vec<&str> = sent.iter().filter(|s| s.notice == "N17").map(|s| s.to.as_str()).collect();
    assert!(results.contains(&"france@example.org") && results.contains(&"kibitz@example.org"), "{results:?}");
    assert!(!results.contains(&"map-bot@example.com"), "{results:?}");
    let mut game = site.game("balkan9");
    game.deadline = chrono::NaiveDateTime::parse_from_str("202611241200", "%Y%m%d%H%M").ok();
    site.put(&game, &site.index("balkan9"));
    // All are told of the new deadline; who has just been told is not reminded.
    round(&site, "2026-11-24T03:40:00Z");
    let sent = round(&site, "2026-11-24T08:00:00Z");
    find(&sent, "N10", "england@example.org");
    assert!(sent.iter().all(|s| s.to != "france@example.org"), "no reminder for France");
    // ALL takes it back.
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nSET NOTIFY ALL");
    assert!(text(&sent, "france@example.org").contains("you get every mail"));
    assert_eq!(site.game("balkan9").participant_mut("FRANCE").expect("France").notify, None);
}

#[test]
fn a_digest_is_one_mail_a_day() {
    let site = Site::of_fixture();
    let sent = site.mail("kibitz@example.org", "SIGNON LOUDMOUTH@balkan9 popcorn\nSET NOTIFY DIGEST");
    assert!(find(&sent, "reply", "kibitz@example.org").text.contains("in one mail"), "{}", sent[0].text);
    for word in ["first", "second"] {
        let text = format!("SIGNON Ibalkan9 pasta&vino\nBROADCAST\nthe {word} word\nENDPRESS");
        let sent = site.mail("italy@example.org", &text);
        assert!(sent.iter().all(|s| s.to != "kibitz@example.org"), "{word}");
        assert!(sent.iter().any(|s| s.to == "france@example.org"));
    }
    let sent = round(&site, &later(&site, 24));
    let digest = find(&sent, "digest", "kibitz@example.org");
    let (first, second) = (digest.text.find("the first word"), digest.text.find("the second word"));
    assert!(first.is_some() && first < second, "{}", digest.text);
    assert!(header(digest, "List-Unsubscribe-Post").is_some());
    assert!(site.file("balkan9", "digest.loudmouth").is_empty());
    let sent = round(&site, &later(&site, 48));
    assert!(sent.iter().all(|s| s.notice != "digest"), "nothing has happened since");
}

#[test]
fn one_click_ends_optional_mail() {
    let site = Site::of_fixture();
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    let link = header(find(&sent, "N17", "kibitz@example.org"), "List-Unsubscribe").expect("a link");
    let token = link.rsplit('/').next().expect("a token").trim_end_matches('>').to_string();
    let clerk = clerk(&site);
    let now: DateTime<Utc> = site.now.parse().expect("a time");
    // A look changes nothing: mail scanners follow links.
    assert!(matches!(clerk.unsubscribe(&token, false, now), Ok(Followed::Good(_))));
    assert_eq!(site.game("balkan9").participant_mut("LOUDMOUTH").expect("an observer").notify, None);
    let answer = chancery::daemon::links(&clerk, move || now)(chancery::web::Link::Unsubscribe(token.clone(), true));
    assert_eq!(answer.0, 200, "{}", String::from_utf8_lossy(&answer.1));
    assert!(String::from_utf8_lossy(&answer.1).contains("No more mail about game balkan9"));
    assert_eq!(site.game("balkan9").participant_mut("LOUDMOUTH").expect("an observer").notify, Some(Vec::new()));
    // Again is no error; a token for somebody else is.
    assert!(matches!(clerk.unsubscribe(&token, true, now), Ok(Followed::Done(_))));
    let forged = token.replace(char::is_numeric, "0");
    assert_eq!(clerk.unsubscribe(&forged, true, now).ok(), Some(Followed::Unknown));
    assert_eq!(clerk.unsubscribe("nogame.00", true, now).ok(), Some(Followed::Unknown));
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nSET DEADLINE 4 DEC 20:00");
    assert!(sent.iter().any(|s| s.notice == "N32" && s.to == "map-bot@example.com"));
    assert!(sent.iter().all(|s| s.to != "kibitz@example.org"));
    // By mail, as RFC 2369 has it: an empty mail to the address in the header.
    let link = header(find(&sent, "N32", "map-bot@example.com"), "List-Unsubscribe").expect("a link");
    let to = link.split("mailto:").nth(1).and_then(|l| l.split('>').next()).expect("an address");
    assert!(MailAddress::parse(to).is_ok(), "{to}");
    let mail = format!("From: map-bot@example.com\nTo: {to}\nMessage-ID: <u1@example.com>\nSubject: unsubscribe\n\n\n");
    let sent = site.deliver(mail.as_bytes());
    assert!(find(&sent, "reply", "map-bot@example.com").text.contains("No more mail"));
    assert_eq!(site.game("balkan9").participant_mut("MAPBOT").expect("a monitor").notify, Some(Vec::new()));
}

#[test]
fn a_revived_player_chooses_his_password_by_a_link_that_works_once() {
    let site = Site::of_fixture();
    site.mail("austria@example.org", "RESIGN Abalkan9 walzer");
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nREVIVE AUSTRIA");
    let welcome = find(&sent, "N23", "austria@example.org");
    assert!(!welcome.text.contains("Your password is"), "{}", welcome.text);
    let link = welcome.text.split_whitespace().find(|w| w.contains("/password/")).expect("a link");
    assert!(link.starts_with("https://judge.example/password/balkan9.austria."), "{link}");
    let token = link.rsplit('/').next().expect("a token").to_string();
    let clerk = clerk(&site);
    let now: DateTime<Utc> = site.now.parse().expect("a time");
    let follow =
        |new: Option<&str>, hours| clerk.choose_password(&token, new, now + chrono::Duration::hours(hours)).ok();
    assert!(matches!(follow(None, 1), Some(Followed::Good(_))));
    assert!(matches!(follow(Some("short"), 1), Some(Followed::Refused(_))));
    assert!(matches!(follow(Some("two words here"), 1), Some(Followed::Refused(_))));
    assert_eq!(follow(Some("new-waltz"), 25), Some(Followed::Unknown), "a day is over");
    assert!(matches!(follow(Some("new-waltz"), 23), Some(Followed::Done(_))));
    assert_eq!(follow(Some("other-waltz"), 23), Some(Followed::Unknown), "spent");
    drop(clerk);
    let sent = site.mail("austria@example.org", "SIGNON Abalkan9 new-waltz\nA vie - tri\nF tri h\nA bud h");
    assert!(find(&sent, "N12", "austria@example.org").text.contains("A VIE - TRI"), "{:?}", sent);
}

#[test]
fn the_master_becomes_a_power_and_its_player_is_told() {
    let site = Site::of_fixture();
    let text = "SIGNON Mbalkan9 gm-secret\nSET DEADLINE 4 DEC 20:00\nBECOME FRANCE\nF bre - mao\nA par - bur\nA mar - spa\nSET WAIT";
    let sent = site.mail("gm@example.org", text);
    let mut game = site.game("balkan9");
    let france = game.participant_mut("FRANCE").expect("France").clone();
    assert_eq!(france.orders.as_deref().map(<[String]>::len), Some(3));
    assert!(france.wait);
    let copy = find(&sent, "N12", "france@example.org");
    assert!(copy.text.contains("A MAR - SPA") && copy.text.contains("SET WAIT"), "{}", copy.text);
    assert!(!copy.text.contains("SET DEADLINE"), "what is not his he does not read: {}", copy.text);
    assert!(sent.iter().any(|s| s.notice == "N32"));
    // One wrong command behind it: nothing of the whole sign-on.
    let text = "SIGNON Mbalkan9 gm-secret\nSET DEADLINE 5 DEC 20:00\nBECOME FRANCE\nSET NOWAIT\nSET ZONE Nowhere/Land";
    let sent = site.mail("gm@example.org", text);
    assert!(site.game("balkan9").participant_mut("FRANCE").expect("France").wait);
    assert!(sent.iter().all(|s| s.notice != "N32" && s.to != "france@example.org"), "{sent:?}");
    assert!(sent[0].text.contains("Nothing was changed, because line 5 has an error"), "{}", sent[0].text);
    // Once a message, and for the Master only.
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nBECOME FRANCE\nBECOME ITALY");
    assert!(sent[0].text.contains("R_MASTER_ONLY"), "{}", sent[0].text);
    let sent = site.mail("italy@example.org", "SIGNON Ibalkan9 pasta&vino\nBECOME FRANCE");
    assert!(sent[0].text.contains("R_MASTER_ONLY"), "{}", sent[0].text);
}

#[test]
fn two_powers_from_one_address_are_named_to_the_master_once() {
    let site = Site::of_fixture_with(vec![("judge.detectives", "[\"eye@judge.example\"]")]);
    site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nSTATUS");
    let sent = site.mail("france@example.org", "SIGNON Abalkan9 walzer\nSTATUS");
    let told = find(&sent, "N36", "gm@example.org");
    assert!(told.text.contains("Austria and France"), "{}", told.text);
    assert!(!told.text.contains("walzer") && !told.text.contains("france@"), "{}", told.text);
    find(&sent, "N36", "eye@judge.example");
    assert_eq!(sent.iter().filter(|s| s.notice == "N36").count(), 2, "no player hears of it");
    let sent = site.mail("france@example.org", "SIGNON Abalkan9 walzer\nSET WAIT");
    assert!(sent.iter().all(|s| s.notice != "N36"), "once");
}

#[test]
fn the_end_is_told_summarised_and_made_famous() {
    let site = Site::of_fixture_with(vec![("judge.hall_of_fame", "\"hall@judge.example\"")]);
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    let mut game = site.game("balkan9");
    for p in game.participants.iter_mut().filter(|p| p.name != "FRANCE") {
        p.vote = (p.kind == chancery::status::ParticipantKind::Power).then_some(Vote::Dias);
    }
    site.put(&game, &site.index("balkan9"));
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nVOTE DIAS");
    let end = find(&sent, "N18", "kibitz@example.org");
    assert!(end.text.contains("draw between Austria"), "{}", end.text);
    illustrated(end);
    let fame = find(&sent, "N19", "hall@judge.example");
    assert_eq!(fame.subject, "HoF: Draw in balkan9");
    assert!(fame.text.contains("Centers by year") && fame.text.contains("France Tester"), "{}", fame.text);
    assert_eq!(site.file("balkan9", "summary").trim_end(), fame.text.trim_end());

    // NO_REVEAL: filed without names, and fame waits for REVEAL.
    let site = Site::of_fixture_with(vec![("judge.hall_of_fame", "\"hall@judge.example\"")]);
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    let mut game = site.game("balkan9");
    game.rules.push("NO_REVEAL".into());
    for p in game.participants.iter_mut().filter(|p| p.name != "FRANCE") {
        p.vote = (p.kind == chancery::status::ParticipantKind::Power).then_some(Vote::Dias);
    }
    site.put(&game, &site.index("balkan9"));
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nVOTE DIAS");
    find(&sent, "N18", "kibitz@example.org");
    assert!(sent.iter().all(|s| s.notice != "N19"));
    let summary = site.file("balkan9", "summary");
    assert!(summary.contains("Centers by year") && !summary.contains("France Tester"), "{summary}");
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nREVEAL");
    assert!(find(&sent, "N19", "hall@judge.example").text.contains("France Tester"));
}

#[test]
fn absences_vacancies_and_a_stuck_outbox_are_told() {
    let site = Site::of_fixture_with(vec![("judge.openings", "\"openings@lists.example\"")]);
    // The deadline is on the 28th.
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nSET ABSENCE 26 NOV TO 30 NOV");
    let warning = find(&sent, "N11", "france@example.org");
    assert!(warning.text.contains("falls into your absence"), "{}", warning.text);
    assert_eq!(sent.iter().filter(|s| s.notice == "N11").count(), 1);
    let sent = site.mail("italy@example.org", "SIGNON Ibalkan9 pasta&vino\nSET ABSENCE 1 DEC TO 3 DEC");
    assert!(sent.iter().all(|s| s.notice != "N11"));
    let sent = site.mail("austria@example.org", "RESIGN Abalkan9 walzer");
    let advert = find(&sent, "N27", "openings@lists.example");
    assert_eq!(advert.subject, "DPjudge openings list (CHCY)");
    assert!(advert.text.contains("TAKEOVER power@balkan9") && advert.text.contains("Austria (3/3)"), "{}", advert.text);
    // A mail that has waited for three hours.
    let clerk = clerk(&site);
    let now: DateTime<Utc> = site.now.parse().expect("a time");
    let hours = |n| now + chrono::Duration::hours(n);
    let options = TickOptions { no_guard: true, ..TickOptions::default() };
    let told = |clerk: &Arc<Clerk>, at| {
        clerk.tick(at, &options).expect("a round");
        let names = std::fs::read_dir(site.root().join("outbox/new")).expect("the queue");
        let texts = names.flatten().map(|e| std::fs::read_to_string(e.path()).unwrap_or_default());
        texts.filter(|t| t.contains("X-Chancery-Notice: N64")).count()
    };
    site.run(&["deliver", "--clock", &site.now], support::plain("kibitz@example.org", "x", "LIST").as_bytes());
    clerk.work(now).expect("work");
    assert_eq!(told(&clerk, hours(1)), 0);
    assert_eq!(told(&clerk, hours(3)), 1);
    assert_eq!(told(&clerk, hours(4)), 1, "once a day");
    assert_eq!(told(&clerk, hours(28)), 2);
}

/// What N64 says, if a round at that time finds that so many mails have waited too long, or that they are too many.
fn told_of_outbox(site: &Site, waiting: usize, age: chrono::Duration) -> Option<String> {
    for n in 0..waiting {
        let mail = support::plain("kibitz@example.org", &format!("question {n}"), "LIST");
        assert!(site.run(&["deliver", "--clock", &site.now], mail.as_bytes()).status.success());
    }
    let clerk = clerk(site);
    let now: DateTime<Utc> = site.now.parse().expect("a time");
    clerk.work(now).expect("work");
    clerk.tick(now + age, &TickOptions { no_guard: true, ..TickOptions::default() }).expect("a round");
    let names = std::fs::read_dir(site.root().join("outbox/new")).expect("the queue");
    let texts = names.flatten().map(|e| std::fs::read_to_string(e.path()).unwrap_or_default());
    let told: Vec<String> = texts.filter(|t| t.contains("X-Chancery-Notice: N64")).collect();
    assert!(told.len() <= 1, "once: {told:?}");
    told.into_iter().next()
}

#[test]
fn a_stuck_outbox_is_told_when_mail_is_too_old_or_too_much() {
    let minutes = chrono::Duration::minutes;
    let seconds = chrono::Duration::seconds;
    // As long as is allowed is not too long; no game is at hand that would mail anything meanwhile.
    let site = |settings: Vec<(&'static str, &'static str)>| Site::empty(settings);
    let aged = |waiting, age| told_of_outbox(&site(vec![("mail.out.warn_after", "\"1h\"")]), waiting, age);
    assert_eq!(aged(1, minutes(60)), None);
    let one = aged(1, minutes(60) + seconds(1)).expect("N64");
    assert!(one.contains(" mail waits ") && !one.contains("mails") && one.contains(" 60 minutes"), "{one}");
    assert!(one.contains("keeper@judge.example") && one.contains("chancery queue list"), "{one}");
    let two = aged(2, minutes(61)).expect("N64");
    assert!(two.contains("2 mails wait ") && two.contains(" 61 minutes"), "{two}");
    assert_eq!(aged(0, minutes(600)), None, "nothing waits");
    // As many as are allowed are not too many.
    let many = |waiting| told_of_outbox(&site(vec![("mail.out.warn_count", "2")]), waiting, minutes(5));
    assert_eq!(many(2), None);
    let three = many(3).expect("N64");
    assert!(three.contains("3 mails wait ") && three.contains(" 5 minutes"), "{three}");
}

#[test]
fn help_is_made_for_whoever_asks() {
    let site = Site::of_fixture();
    site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nF bre - mao\nA par - bur\nA mar s par - bur");
    let sent = site.mail("italy@example.org", "HELP");
    let help = find(&sent, "reply", "italy@example.org").text.clone();
    assert!(help.contains("You are Italy in game balkan9, S1901M."), "{help}");
    assert!(help.contains("3 orders are due by then.") && help.contains("A ROM -> "), "{help}");
    assert!(!help.contains("A PAR -> "), "{help}");
    insta::assert_snapshot!("help_for_italy", help.split("Mail to the judge is read").next().unwrap_or_default());
    let sent = site.mail("france@example.org", "HELP");
    assert!(sent[0].text.contains("Nothing is due from you now; 3 are on file."), "{}", sent[0].text);
    let sent = site.mail("gm@example.org", "HELP");
    assert!(sent[0].text.contains("You are the Master of game vac5"), "{}", sent[0].text);
    let sent = site.mail("p1@example.org", "HELP");
    assert!(sent[0].text.contains("You are Power#1 in game form7, FORMING.\nThe game forms; 4 seats are free."));
    assert!(sent[0].text.contains("SIGNON 1form7 your-password"), "{}", sent[0].text);
    let sent = site.mail("newman@example.com", "HELP");
    assert!(!sent[0].text.contains("You are"), "{}", sent[0].text);
}

#[test]
fn rarer_notices_go_where_the_table_says() {
    let site = Site::of_fixture_with(vec![("judge.observers", "[\"crier@judge.example\"]")]);
    let to = |sent: &[Sent], notice: &str| -> Vec<String> {
        let mut list: Vec<String> = sent.iter().filter(|s| s.notice == notice).map(|s| s.to.clone()).collect();
        list.sort();
        list
    };
    let sent = site.mail("zoe@example.com", "CREATE fresh1 my-secret\nMAP standard\nFORM");
    assert_eq!(to(&sent, "N01"), ["crier@judge.example"]);
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPREVIEW");
    assert_eq!(to(&sent, "N16"), ["gm@example.org"]);
    assert!(find(&sent, "N16", "gm@example.org").subject.starts_with("PREVIEW Diplomacy results balkan9 S1901M"));
    assert_eq!(site.game("balkan9").short_phase(), "S1901M", "nothing was stored");
    let sent = site.mail("kibitz@example.org", "RESIGN LOUDMOUTH@balkan9 popcorn");
    assert_eq!((to(&sent, "N20"), to(&sent, "N22").len()), (vec!["gm@example.org".to_string()], 0));
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nDUMMY TURKEY");
    assert_eq!(to(&sent, "N26").len(), 8, "six powers, monitor, Master");
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nWAIT");
    assert!(find(&sent, "N35", "italy@example.org").subject.contains("waiting"));
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nACTIVATE");
    let sent = site.mail("newman@example.com", "TAKEOVER M@balkan9 gm-secret");
    assert_eq!(
        (to(&sent, "N25"), to(&sent, "N23")),
        (vec!["gm@example.org".into()], vec!["newman@example.com".into()])
    );
    let mut game = site.game("balkan9");
    game.rules.push("PROPOSE_DIAS".into());
    site.put(&game, &site.index("balkan9"));
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nPROPOSE DIAS");
    assert_eq!(to(&sent, "N46").len(), 7, "six voters and the Master");
    assert!(find(&sent, "N46", "england@example.org").text.contains("VOTE YES or VOTE NO"));
    let sent = site.mail("england@example.org", "SIGNON Ebalkan9 tea4two\nVOTE NO");
    assert!(!find(&sent, "N47", "france@example.org").text.contains("England"), "not by whom");
    let sent = site.mail("stranger@example.net", "REGISTER\nName: Some Stranger\nEND");
    assert_eq!(to(&sent, "N50"), ["stranger@example.net"]);
    let mut game = site.game("form7");
    game.rules.push("START_MASTER".into());
    site.put(&game, &site.index("form7"));
    let mut last = Vec::new();
    for from in ["austria", "england", "france", "germany"] {
        last = site.mail(&format!("{from}@example.org"), &format!("JOIN form7 {from}-word"));
    }
    assert_eq!(to(&last, "N04").len(), 8, "seven players and the Master");
    // The daily round: a forming game, and one that is long past its deadline.
    let mut game = site.game("balkan9");
    game.deadline = chrono::NaiveDateTime::parse_from_str("202611101200", "%Y%m%d%H%M").ok();
    site.put(&game, &site.index("balkan9"));
    let sent = round(&site, "2026-11-22T00:00:00Z");
    assert!(to(&sent, "N37").contains(&"gm@example.org".to_string()), "{:?}", to(&sent, "N37"));
    assert!(to(&sent, "N39").contains(&"newman@example.com".to_string()), "{:?}", to(&sent, "N39"));
}

#[test]
fn commands_about_oneself_do_what_they_say() {
    let mut site = Site::of_fixture();
    let mut clock = 0;
    // Each mail a minute after the one before.
    let mut mail = |from: &str, text: &str| {
        clock += 1;
        let now: DateTime<Utc> = "2026-11-21T09:00:00Z".parse().expect("a time");
        site.now = (now + chrono::Duration::minutes(clock)).format("%Y-%m-%dT%H:%M:%SZ").to_string();
        let sent = site.mail(from, text);
        (sent, site.game("balkan9"))
    };
    let france =
        |game: &chancery::status::Game| game.participants.iter().find(|p| p.name == "FRANCE").cloned().expect("France");
    let (_, game) = mail("france@example.org", "SIGNON Fbalkan9 le-secret\nSET ADDRESS me@example.net,two@example.net");
    assert_eq!(france(&game).address, ["me@example.net", "two@example.net"]);
    let (sent, game) = mail("me@example.net", "SIGNON Fbalkan9 le-secret\nSET ADDRESS no-address");
    assert!(sent[0].text.contains("R_BAD_ADDRESS"), "{}", sent[0].text);
    assert_eq!(france(&game).address.len(), 2);
    let (sent, _) = mail("me@example.net", "SIGNON Fbalkan9 le-secret\nSET PASSWORD new-secret");
    assert!(sent.iter().all(|s| !s.text.contains("new-secret")), "{sent:?}");
    let (sent, game) = mail("me@example.net", "SIGNON Fbalkan9 new-secret\nSET ZONE Europe/Paris\nSET STRICT\nWHOGAME");
    assert_eq!((france(&game).zone.as_deref(), france(&game).strict), (Some("Europe/Paris"), true), "{sent:?}");
    let roster = &find(&sent, "reply", "me@example.net").text;
    assert!(roster.contains("Turkey") && !roster.contains("turkey@"), "{roster}");
    let (sent, _) = mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nSET DEADLINE 4 DEC 20:00");
    let told = &find(&sent, "N32", "me@example.net").text;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("20:00 GMT (Friday 4 December 2026 21:00"), "his own time too: {told}");
    assert!(!find(&sent, "N32", "italy@example.org").text.contains("21:00"));
    let (sent, _) = mail("elsewhere@example.net", "SIGNON Fbalkan9 new-secret\nSET WAIT");
    assert!(sent.iter().any(|s| s.text.contains("R_BAD_LOGIN")), "{sent:?}");
    let (_, game) = mail("me@example.net", "SIGNON Fbalkan9 new-secret\nSET NOZONE\nSET NOSTRICT");
    assert_eq!((france(&game).zone, france(&game).strict), (None, false));
    let (sent, _) = mail("kibitz@example.org", "SEARCH active");
    let list = &find(&sent, "N40", "kibitz@example.org").text;
    assert!(list.contains("balkan9") && !list.contains("form7"), "{list}");
    let (sent, _) = mail("kibitz@example.org", "SEARCH nonsense");
    assert!(sent[0].text.contains("R_SYNTAX"));
    let (_, game) = mail("carol@example.com", "OBSERVE eyes@balkan9 my-eyes");
    assert!(game.participants.iter().any(|p| p.name == "EYES"));
    let (sent, _) = mail("carol@example.com", "OBSERVE GER@balkan9 my-eyes");
    assert!(sent[0].text.contains("R_BAD_ID"), "{}", sent[0].text);
    let (_, game) = mail("nobody@example.net", "MONITOR robot@balkan9 robot-word");
    assert!(game.participants.iter().any(|p| p.name == "ROBOT"), "no registration is asked of a monitor");
}

#[test]
fn people_come_join_their_addresses_and_go() {
    let site = Site::of_fixture();
    let code = |sent: &[Sent], to: &str| {
        let text = find(sent, "N50", to).text.clone();
        let words: Vec<&str> = text.split_whitespace().collect();
        let at = words.iter().position(|w| *w == "CONFIRM").expect("CONFIRM");
        words[at + 1].to_string()
    };
    let sent = site.mail("max@example.net", "REGISTER\nName: Max Muster\nEND");
    let word = code(&sent, "max@example.net");
    let sent = site.mail("max@example.net", "WHOAMI");
    assert!(!sent[0].text.contains("Max Muster") || sent[0].text.contains("CONFIRM"), "{}", sent[0].text);
    site.mail("max@example.net", &format!("CONFIRM {word}"));
    let sent = site.mail("max@example.net", "WHOAMI\nSIGNOFF");
    assert!(sent[0].text.contains("Max Muster"), "{}", sent[0].text);
    let sent = site.mail("max@example.com", "IAMALSO max@example.net");
    let word = code(&sent, "max@example.net");
    site.mail("max@example.net", &format!("CONFIRM {word}"));
    let sent = site.mail("max@example.com", "WHOAMI");
    assert!(sent[0].text.contains("Max Muster") && sent[0].text.contains("max@example.net"), "{}", sent[0].text);
    let sent = site.mail("france@example.org", "FORGET ME");
    assert!(!sent[0].text.contains("forgotten"), "who plays is not forgotten: {}", sent[0].text);
    assert!(
        std::fs::read_to_string(site.root().join("registry/people.json")).expect("people").contains("France Tester")
    );
}

#[test]
fn an_outage_is_told_to_the_keeper() {
    let site = Site::of_fixture();
    for (hours, count) in [(0, 0), (3, 1)] {
        let now = later(&site, hours);
        for verb in [&["tick", "--clock", &now][..], &["send", "--clock", &now]] {
            site.run(verb, b"");
        }
        let sent = site.sent();
        let told: Vec<&Sent> =
            sent.iter().map(|(_, s)| s).filter(|s| s.notice == "N63" && s.to == "keeper@judge.example").collect();
        assert_eq!(told.len(), count, "after {hours} hours");
        for mail in told {
            assert_eq!(mail.subject, "CHCY server outage");
            assert!(mail.text.contains("away for 3 hours and 0 minutes"), "{}", mail.text);
            assert!(mail.text.contains("chancery clock resume"), "{}", mail.text);
        }
    }
}
