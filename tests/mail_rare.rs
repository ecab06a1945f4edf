//! Notices and settings that a game seldom needs: dismissal, a revoked absence, a forgotten password, failures of the
//! judge itself, wishes for powers, names that are revealed, solitaire, the chain of results, the rate of sending, a full
//! disk (notices.md 2, mail-commands.md 3 and 4, operations.md 8). The real binary on a fresh site.

mod support;

use chancery::clerk::secrets::{Known as KnownSecrets, PhcSecrets};
use chancery::clerk::{Clerk, Followed};
use chancery::judge::GameState;
use chancery::judge::table::Secrets;
use chancery::status::{Omniscient, PhaseState};
use chrono::{DateTime, Duration, Utc};
use mailparse::MailHeaderMap;
use support::{Sent, Site, plain};

fn of<'s>(sent: &'s [Sent], notice: &str) -> Vec<&'s Sent> {
    sent.iter().filter(|s| s.notice == notice).collect()
}

fn to<'s>(sent: &'s [Sent], notice: &str, address: &str) -> &'s Sent {
    let list = || sent.iter().map(|s| (s.notice.as_str(), s.to.as_str())).collect::<Vec<_>>();
    let found = sent.iter().find(|s| s.notice == notice && s.to == address);
    found.unwrap_or_else(|| panic!("no {notice} to {address}: {:?}", list()))
}

fn header(sent: &Sent, name: &str) -> Option<String> {
    mailparse::parse_mail(&sent.bytes).expect("a mail").headers.get_first_value(name)
}

/// A verb at that time, and the mails that it sent.
fn at(site: &Site, verbs: &[&[&str]], now: &str) -> Vec<Sent> {
    let before: Vec<String> = site.sent().into_iter().map(|(name, _)| name).collect();
    for verb in verbs {
        let output = site.run(&[verb, &["--clock", now][..]].concat(), b"");
        assert!(output.status.success(), "{verb:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    site.sent().into_iter().filter(|(name, _)| !before.contains(name)).map(|(_, mail)| mail).collect()
}

const ROUND: &[&[&str]] = &[&["tick", "--no-guard"], &["send"]];

#[test]
fn who_stays_away_beyond_the_grace_is_dismissed() {
    let site = Site::of_fixture();
    let mut game = site.game("balkan9");
    game.timing.push(("GRACE".into(), "1H".into()));
    site.put(&game, &site.index("balkan9"));
    for (from, text) in [
        ("france", "SIGNON Fbalkan9 le-secret\nF bre h\nA par h\nA mar h"),
        ("germany", "SIGNON Gbalkan9 bier\nA mun h\nA ber h\nF kie h"),
        ("england", "SIGNON Ebalkan9 tea4two\nF lon h\nF edi h\nA lvp h"),
        ("turkey", "SIGNON Tbalkan9 hali7\nA con h\nA smy h\nF ank h"),
        ("russia", "SIGNON Rbalkan9 vodka\nA mos h\nA war h\nF sev h\nF stp/sc h"),
    ] {
        site.mail(&format!("{from}@example.org"), text);
    }
    let mut told = Vec::new();
    // The deadline was at 20:00; the check after the hour of grace.
    for now in ["2026-11-28T20:20:00Z", "2026-11-28T20:40:00Z", "2026-11-28T21:20:00Z"] {
        told.extend(at(&site, ROUND, now));
    }
    let dismissed = of(&told, "N14");
    let mut names: Vec<&str> = dismissed.iter().map(|s| s.to.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names.len(), 10, "seven powers, observer, monitor, Master: {names:?}");
    let text = &dismissed[0].text;
    assert_eq!(dismissed[0].subject, "Diplomacy player dismissal (balkan9)");
    assert!(text.contains("Dismissed Powers: Austria, Italy\n"), "{text}");
    assert!(text.contains("Missed Deadline:  Saturday 28 November 2026 20:00 GMT"), "{text}");
    // Then a receipt each, and all are told of the vacancies.
    assert!(to(&told, "N21", "austria@example.org").text.contains("Austria"));
    assert!(to(&told, "N21", "italy@example.org").text.contains("Italy"));
    assert_eq!(of(&told, "N22").iter().filter(|s| s.to == "france@example.org").count(), 2);
    assert_eq!(site.game("balkan9").need.len(), 2);
    assert_eq!(site.index("balkan9").state, GameState::Waiting);
}

#[test]
fn the_master_revokes_an_absence() {
    let site = Site::of_fixture();
    site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nSET ABSENCE 24 DEC TO 2 JAN");
    site.mail("italy@example.org", "SIGNON Ibalkan9 pasta&vino\nSET ABSENCE 10 JAN");
    let absences = || site.game("balkan9").timing.iter().find(|(key, _)| key == "NOT").map(|(_, value)| value.clone());
    assert_eq!(absences().as_deref(), Some("20261224-20270102,20270110"));
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nSET NOABSENCE 24 DEC");
    assert!(to(&sent, "reply", "france@example.org").text.contains("R_MASTER_ONLY"), "players ask the Master");
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nSET NOABSENCE");
    assert!(to(&sent, "reply", "gm@example.org").text.contains("R_BAD_ABSENCE"), "which of two: {}", sent[0].text);
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nSET NOABSENCE 26 DEC");
    let told = of(&sent, "N33a");
    assert_eq!(told.len(), 10, "all, monitors too");
    assert_eq!(told[0].subject, "Diplomacy absence revoked (balkan9)");
    assert!(told[0].text.replace('\n', " ").contains("24 December 2026 to 2 January 2027"), "{}", told[0].text);
    assert_eq!(absences().as_deref(), Some("20270110"));
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nSET NOABSENCE\nSIGNOFF");
    assert_eq!(absences(), None, "the only one needs no name");
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nSET NOABSENCE 24 DEC");
    assert!(sent[0].text.contains("R_BAD_ABSENCE") && sent[0].text.contains("no absences"), "{}", sent[0].text);
}

#[test]
fn a_forgotten_password_is_chosen_again_by_a_link() {
    let site = Site::of_fixture();
    let (opened, _) = chancery::site::Site::open(&site.root(), None, true).expect("a site");
    let clerk = Clerk::open(opened).expect("a clerk");
    let now: DateTime<Utc> = site.now.parse().expect("a time");
    let ask = |seat: &str, minutes: i64| {
        clerk.forgotten(Some(seat), now + Duration::minutes(minutes)).expect("an answer");
        clerk.send(now + Duration::minutes(minutes)).expect("sent");
        site.sent().into_iter().map(|(_, s)| s).filter(|s| s.notice == "N51").collect::<Vec<_>>()
    };
    assert!(matches!(clerk.forgotten(None, now), Ok(Followed::Good(_))));
    // The same answer whether there is such a seat, and nothing is sent.
    let same = clerk.forgotten(Some("nobody@nowhere"), now).expect("an answer");
    for seat in ["x@balkan9", "nobody@balkan9", "MASTER@balkan9", "france", "@", "../x@balkan9"] {
        assert_eq!(clerk.forgotten(Some(seat), now).expect("an answer"), same, "{seat}");
    }
    let sent = ask("France@balkan9", 0);
    let [mail] = sent.as_slice() else { panic!("one mail: {sent:?}") };
    assert_eq!((mail.to.as_str(), mail.subject.as_str()), ("france@example.org", "DPPD Password Reminder (balkan9)"));
    assert!(!mail.text.contains("le-secret") && !mail.text.contains("argon2"), "{}", mail.text);
    assert_eq!(ask("f@balkan9", 10).len(), 1, "once an hour, whoever asks how often");
    let link = mail.text.split_whitespace().find(|w| w.contains("/password/")).expect("a link");
    let token = link.rsplit('/').next().expect("a token");
    let follow = |new, minutes| clerk.choose_password(token, Some(new), now + Duration::minutes(minutes)).ok();
    assert_eq!(follow("new-word", 61), Some(Followed::Unknown), "an hour is over");
    assert!(matches!(follow("new-word", 59), Some(Followed::Done(_))));
    assert_eq!(follow("third-word", 59), Some(Followed::Unknown), "spent");
    assert_eq!(ask("france@balkan9", 61).len(), 2, "an hour later again");
    drop(clerk);
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 new-word\nSET WAIT");
    assert!(sent[0].text.contains("ok"), "{}", sent[0].text);
}

#[test]
fn a_message_that_kills_the_judge_is_reported_and_never_stops_the_others() {
    let site = Site::of_fixture();
    let text = plain("france@example.org", "orders", "SIGNON Fbalkan9 le-secret\nSET WAIT");
    assert!(site.run(&["deliver", "--clock", &site.now], text.as_bytes()).status.success());
    // What three deaths leave behind: the name counts the tries.
    let new = site.root().join("spool/in/new");
    let entry = std::fs::read_dir(&new).expect("the spool").flatten().next().expect("a message").path();
    let name = entry.file_name().expect("a name").to_string_lossy().replace(".eml", "~3.eml");
    std::fs::rename(&entry, new.join(&name)).expect("renamed");
    let sent = site.mail("italy@example.org", "SIGNON Ibalkan9 pasta&vino\nSET WAIT");
    let report = to(&sent, "N61", "keeper@judge.example");
    assert_eq!(report.subject, "chancery internal error");
    for part in ["2026-11-21", "died three times", &name, "SIGNON Fbalkan9 ****", "balkan9"] {
        assert!(report.text.contains(part), "{part}: {}", report.text);
    }
    assert!(!report.text.contains("le-secret"), "{}", report.text);
    let mail = mailparse::parse_mail(&report.bytes).expect("a mail");
    let attached =
        mail.parts().find(|p| p.get_content_disposition().disposition == mailparse::DispositionType::Attachment);
    let attached = attached.expect("the message").get_body_raw().expect("bytes");
    assert!(String::from_utf8_lossy(&attached).contains("Message-ID: "));
    let reply = to(&sent, "reply", "france@example.org");
    assert!(reply.text.contains("R_INTERNAL") && !reply.text.contains("le-secret"), "{}", reply.text);
    assert_eq!((site.dead(), site.room("new")), (1, 0));
    let game = site.game("balkan9");
    let waits = |key: &str| game.participants.iter().any(|p| p.name == key && p.wait);
    assert!(waits("ITALY") && !waits("FRANCE"), "the other mail was read");
}

#[test]
fn a_phase_that_cannot_be_processed_is_told_to_the_keeper_and_stays() {
    let site = Site::of_fixture();
    let mut game = site.game("balkan9");
    // So many Sundays are beyond the end of time: no deadline can be found for the next phase.
    game.rules.push("JUMP_OFF_DAYS".into());
    game.timing = vec![("NEXT".into(), "9999D".into()), ("DAYS".into(), "S------".into())];
    site.put(&game, &site.index("balkan9"));
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    let report = to(&sent, "N62", "keeper@judge.example");
    assert_eq!(report.subject, "Diplomacy adjudication error! (balkan9)");
    assert!(
        report.text.contains("Game balkan9, phase S1901M") && report.text.contains("tried again"),
        "{}",
        report.text
    );
    assert!(of(&sent, "N17").is_empty(), "no results of a phase that stays");
    assert!(to(&sent, "reply", "gm@example.org").text.contains("could not be processed"));
    assert_eq!(site.game("balkan9").short_phase(), "S1901M");
    assert!(site.file("balkan9", "results.jsonl").is_empty());
}

#[test]
fn wishes_for_powers_are_granted_where_the_rule_asks_for_them() {
    let site = Site::of_fixture();
    let sent = site.mail("p1@example.org", "SIGNON 1form7 moon\nPREFER fergtia");
    let refused = sent.iter().any(|s| s.text.contains("R_SYNTAX"));
    assert!(refused, "not without the rule: {sent:?}");
    let mut game = site.game("form7");
    game.rules.push("PREFERENCES".into());
    game.participants.clear();
    site.put(&game, &site.index("form7"));
    let players = ["austria", "england", "france", "germany", "italy", "russia", "turkey"];
    // Each wants the power before his own in the alphabet; with different first wishes all get them.
    for (n, player) in players.iter().enumerate() {
        let wish = players[(n + 6) % 7].chars().next().expect("a letter");
        let sent = site.mail(&format!("{player}@example.org"), &format!("JOIN form7 {player}-word\nPREFER {wish}"));
        assert!(sent.iter().all(|s| !s.text.contains("R_")), "{sent:?}");
    }
    let game = site.game("form7");
    assert!(matches!(game.phase, PhaseState::Running(_)));
    for (n, player) in players.iter().enumerate() {
        let seat = game.participants.iter().find(|p| p.address == [format!("{player}@example.org")]).expect("a seat");
        assert_eq!(seat.name, players[(n + 6) % 7].to_uppercase());
        assert_eq!(seat.prefer, None, "forgotten when granted");
    }
    let sent = site.mail("france@example.org", "SIGNON ENGLAND@form7 france-word\nPREFER f");
    assert!(sent[0].text.contains("R_SYNTAX"), "too late: {}", sent[0].text);
    // A letter that is no power's.
    let mut game = site.game("form7");
    game.phase = PhaseState::Forming;
    game.participants.clear();
    site.put(&game, &chancery::judge::IndexLine { state: GameState::Forming, ..site.index("form7") });
    let sent = site.mail("france@example.org", "JOIN form7 france-word\nPREFER fxz");
    assert!(sent.iter().any(|s| s.text.contains("R_NO_POWER")), "{sent:?}");
}

#[test]
fn names_are_revealed_when_the_master_says_so() {
    let site = Site::of_fixture_with(vec![("judge.hall_of_fame", "\"hall@judge.example\"")]);
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nREVEAL");
    assert!(sent[0].text.contains("R_BAD_STATE"), "not before the end: {}", sent[0].text);
    let mut game = site.game("balkan9");
    game.rules.push("NO_REVEAL".into());
    for p in game.participants.iter_mut().filter(|p| p.name != "FRANCE") {
        p.vote = (p.kind == chancery::status::ParticipantKind::Power).then_some(chancery::status::Vote::Dias);
    }
    site.put(&game, &site.index("balkan9"));
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nVOTE DIAS");
    assert_eq!(of(&sent, "N18").len(), 10);
    assert!(of(&sent, "N19").is_empty() && !site.file("balkan9", "summary").contains("France Tester"), "not yet");
    let sent = site.mail("kibitz@example.org", "SUMMARY balkan9");
    assert!(!to(&sent, "N43", "kibitz@example.org").text.contains("France Tester"));
    let sent = site.mail("italy@example.org", "SIGNON Ibalkan9 pasta&vino\nREVEAL");
    assert!(sent[0].text.contains("R_MASTER_ONLY"), "{}", sent[0].text);
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nREVEAL\nSIGNOFF");
    assert!(to(&sent, "N19", "hall@judge.example").text.contains("France Tester"));
    assert!(to(&sent, "N19", "turkey@example.org").text.contains("France Tester"), "and the players");
    assert!(site.file("balkan9", "summary").contains("France Tester"));
    assert!(!site.game("balkan9").rules.contains(&"NO_REVEAL".to_string()));
    let sent = site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\n\nREVEAL");
    assert!(sent[0].text.contains("R_BAD_STATE"), "once: {}", sent[0].text);
}

/// A game that the judgekeeper brings back has no summary until it is over again.
#[test]
fn the_summary_goes_and_comes_with_the_end() {
    let hash = PhcSecrets::new(&KnownSecrets::default(), [7; 32], 1).hash("keeper-word");
    let hash: &'static str = format!("\"{hash}\"").leak();
    for rule in [None, Some("NO_REVEAL")] {
        let settings = vec![("judge.hall_of_fame", "\"hall@judge.example\""), ("auth.keeper_hash", hash)];
        let site = Site::of_fixture_with(settings);
        for line in ["", "\n"] {
            site.mail("gm@example.org", &format!("SIGNON Mbalkan9 gm-secret{line}\nPROCESS!"));
        }
        let mut game = site.game("balkan9");
        game.rules.extend(rule.map(String::from));
        for p in game.participants.iter_mut().filter(|p| p.name != "FRANCE") {
            p.vote = (p.kind == chancery::status::ParticipantKind::Power).then_some(chancery::status::Vote::Dias);
        }
        site.put(&game, &site.index("balkan9"));
        site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nVOTE DIAS");
        let filed = || std::fs::read_to_string(site.root().join("games/balkan9/summary")).ok();
        let summary = filed().expect("a summary");
        assert!(
            summary.contains("Centers by year") && summary.contains("France Tester") == rule.is_none(),
            "{summary}"
        );
        let steps = [
            ("ROLLBACK", GameState::Active, false),
            ("ROLLFORWARD", GameState::Completed, true),
            ("ROLLBACK FORMING", GameState::Forming, false),
            ("ROLLFORWARD", GameState::Completed, true),
            ("ROLLBACK S1901M", GameState::Active, false),
            ("ROLLFORWARD F1901M", GameState::Active, false),
            ("ROLLBACK", GameState::Active, false),
            ("ROLLFORWARD", GameState::Completed, true),
        ];
        for (step, (words, state, there)) in steps.into_iter().enumerate() {
            let text = format!("SIGNON Mbalkan9 keeper-word\n// {step}\n{words}");
            let told = site.mail("gm@example.org", &text);
            assert_eq!(site.index("balkan9").state, state, "{words}: {told:?}");
            assert_eq!(filed(), there.then(|| summary.clone()), "{words}, {rule:?}");
            assert!(of(&told, "N19").is_empty(), "fame comes once");
        }
    }
}

#[test]
fn a_game_for_one_begins_with_form_and_mails_its_master_no_results() {
    let site = Site::of_fixture_with(vec![("judge.observers", "[\"crier@judge.example\"]")]);
    let sent = site.mail("zoe@example.com", "CREATE alone1 my-secret\nMAP standard\nRULE SOLITAIRE\nFORM");
    assert!(to(&sent, "reply", "zoe@example.com").text.contains("it is active"), "{sent:?}");
    assert!(of(&sent, "N01").is_empty(), "what somebody plays alone is not announced (notices.md 1)");
    let game = site.game("alone1");
    assert_eq!((game.short_phase().as_str(), site.index("alone1").state), ("S1901M", GameState::Active));
    assert_eq!(game.participants.iter().map(|p| p.units.len()).sum::<usize>(), 22);
    assert!(
        site.file("alone1", "results").contains("alone1 starting") || !site.file("alone1", "start.json").is_empty()
    );
    let orders = "SIGNON Malone1 my-secret\nFRANCE: A par - bur\nPROCESS!";
    let sent = site.mail("zoe@example.com", orders);
    assert!(of(&sent, "N17").is_empty(), "IGNORE_RESULTS: {:?}", sent.iter().map(|s| &s.notice).collect::<Vec<_>>());
    assert_eq!(site.game("alone1").short_phase(), "F1901M", "{sent:?}");
    assert!(site.file("alone1", "results").contains("Army Paris -> Burgundy"));
    // A game with seats to fill waits for players all the same.
    let sent = site.mail("zoe@example.com", "CREATE open1 my-secret\nMAP standard\nFORM");
    assert!(to(&sent, "reply", "zoe@example.com").text.contains("it is forming"));
    assert_eq!(site.index("open1").state, GameState::Forming);
}

#[test]
fn games_are_created_by_those_whom_the_keeper_lets() {
    let (zoe, who, keeper) = ("zoe@example.com", "who@example.net", "Keeper@Judge.example");
    for (by, mode, may, code) in [
        ("\"anyone\"", "\"open\"", vec![zoe], "R_NOT_REGISTERED"),
        ("\"anyone\"", "\"none\"", vec![zoe, who, keeper], ""),
        ("\"registered\"", "\"none\"", vec![zoe], "R_NOT_REGISTERED"),
        ("\"keeper\"", "\"none\"", vec![keeper], "R_BAD_STATE"),
    ] {
        let site = Site::of_fixture_with(vec![("games.create_by", by), ("registry.mode", mode)]);
        for (number, from) in [zoe, who, keeper].into_iter().enumerate() {
            let name = format!("new{number}");
            let sent = site.mail(from, &format!("CREATE {name} my-secret\nMAP standard\nFORM"));
            let text = &sent.iter().find(|s| s.notice == "reply").unwrap_or_else(|| panic!("{sent:?}")).text;
            let made = !site.file(&name, "status").is_empty();
            assert_eq!(made, may.contains(&from), "{by}, {mode}, {from}: {text}");
            assert!(made || text.contains(code), "{by}, {mode}, {from}: {text}");
        }
    }
}

#[test]
fn results_follow_one_upon_the_other() {
    let site = Site::of_fixture();
    let process = || site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    let root = "<balkan9.results@judge.example>";
    let mut before: Option<(String, String)> = None;
    for round in 0..3 {
        let sent = match round {
            0 => process(),
            _ => site.deliver(
                plain("gm@example.org", &format!("again {round}"), "SIGNON Mbalkan9 gm-secret\nPROCESS!").as_bytes(),
            ),
        };
        let ids = ["france@example.org", "kibitz@example.org"].map(|who| {
            let mail = to(&sent, "N17", who);
            let id = header(mail, "Message-ID").expect("an id");
            (id, header(mail, "In-Reply-To"), header(mail, "References").expect("references"))
        });
        assert_ne!(ids[0].0, ids[1].0);
        match &before {
            None => assert_eq!((&ids[0].1, ids[0].2.as_str()), (&None, root)),
            Some((france, kibitz)) => {
                assert_eq!((ids[0].1.as_ref(), &ids[0].2), (Some(france), &format!("{root} {france}")));
                assert_eq!(ids[1].1.as_ref(), Some(kibitz));
            }
        }
        before = Some((ids[0].0.clone(), ids[1].0.clone()));
    }
    // A phase played again after a roll back is another mail.
    let last = before.expect("three phases").0;
    site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nROLLBACK");
    let again = site.deliver(plain("gm@example.org", "once more", "SIGNON Mbalkan9 gm-secret\nPROCESS!").as_bytes());
    assert_ne!(header(to(&again, "N17", "france@example.org"), "Message-ID"), Some(last));
}

#[test]
fn a_full_disk_takes_no_mail() {
    let site = Site::empty(vec![("limits.min_free", "\"900000000 GiB\"")]);
    let text = plain("france@example.org", "orders", "HELP");
    let output = site.run(&["deliver"], text.as_bytes());
    assert_eq!(output.status.code(), Some(75));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.starts_with("4.3.0 ") && said.lines().count() == 1, "{said}");
    assert_eq!(site.room("new"), 0);
    let site = Site::empty(vec![("limits.min_free", "\"1 MiB\"")]);
    assert_eq!(site.run(&["deliver"], text.as_bytes()).status.code(), Some(0));
    assert_eq!(site.room("new"), 1);
}

#[test]
fn reminders_whose_deadline_has_passed_are_not_sent() {
    let site = Site::of_fixture();
    let mut game = site.game("balkan9");
    game.deadline = chrono::NaiveDateTime::parse_from_str("202611241200", "%Y%m%d%H%M").ok();
    for p in &mut game.participants {
        p.omniscient = Omniscient::No;
    }
    site.put(&game, &site.index("balkan9"));
    at(&site, &[&["tick", "--no-guard"]], "2026-11-24T07:40:00Z");
    at(&site, &[&["tick", "--no-guard"]], "2026-11-24T08:00:00Z");
    let queued = |folder: &str| {
        let entries = std::fs::read_dir(site.root().join("outbox").join(folder)).expect("the queue").flatten();
        entries
            .filter(|e| String::from_utf8_lossy(&std::fs::read(e.path()).expect("a mail")).contains("\"kind\":\"N10\""))
            .count()
    };
    assert_eq!(queued("new"), 7);
    // The judge could not send until the deadline was over.
    let sent = at(&site, &[&["send"]], "2026-11-24T12:00:00Z");
    assert!(of(&sent, "N10").is_empty(), "{sent:?}");
    assert_eq!((queued("new"), queued("done")), (0, 7), "kept, but not sent");
}
