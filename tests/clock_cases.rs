//! Statements of clock.md where several rules meet, with the real binary: zones of readers, the hour that happens twice,
//! dummies of the Master's, seats that are filled again, a suspension said twice.

mod support;

use chancery::clerk::{Clerk, People};
use chancery::judge::commands::{self, Line};
use chancery::judge::session::{Sender, Tools};
use chancery::judge::{GameState, by_mail};
use chancery::status::{Game, Holder, Omniscient, PhaseState};
use support::balkan::{FRANCE, GAME, MASTER, mails, one_line, reply, say, site_with, stands, tick};
use support::{Sent, Site, deadline, order, put_off, said};

/// New York goes back from 02:00 to 01:00 on 1 November 2026, at 06:00 UTC.
#[test]
fn set_deadline_in_the_hour_that_happens_twice() {
    let site = site_with(&[], |game| {
        game.zone = Some("America/New_York".into());
        deadline(game, "202611010500");
    });
    let ask = |clock: &str, line: &str| reply(&say(&site, "gm", clock, &format!("{MASTER}\n{line}")));
    // 01:50, the first time round.
    let answer = ask("2026-11-01T05:50:20Z", "SET DEADLINE 1 NOV 2026 01:20");
    assert!(answer.contains("the deadline is Sunday 1 November 2026 01:20 EST"), "{answer}");
    let answer = ask("2026-11-01T05:51:00Z", "SET DEADLINE 01:40");
    assert!(answer.contains("the deadline is Sunday 1 November 2026 01:40 EST"), "{answer}");
    // The second time.
    let answer = ask("2026-11-01T06:30:00Z", "SET DEADLINE 1 NOV 2026 01:20");
    assert!(answer.contains("DEADLINE has already past: Sunday 1 November 2026 01:20 EST"), "{answer}");
    let answer = ask("2026-11-01T06:31:00Z", "SET DEADLINE 01:20");
    assert!(answer.contains("the deadline is Monday 2 November 2026 01:20 EST"), "{answer}");
}

/// A deadline by a reader's own clock is the same moment, whatever his clock does in that hour.
#[test]
fn a_readers_own_time_is_the_same_moment() {
    let site = site_with(&[], |game| {
        let france = game.participants.iter_mut().find(|p| p.name == "FRANCE").expect("France");
        france.zone = Some("America/New_York".into());
    });
    for (time, own) in [("05:20", "01:20 EDT"), ("06:20", "01:20 EST"), ("07:20", "02:20 EST")] {
        say(&site, "gm", &format!("2026-10-31T{time}:00Z"), &format!("{MASTER}\nSET DEADLINE 1 NOV {time}"));
        let told = mails(&site, "2026-10-31T12:00:00Z", "N32");
        let gmt = format!("The new deadline is Sunday 1 November 2026 {time} GMT");
        let shown = format!("{gmt} (Sunday 1 November 2026 {own}).");
        let of = |to: &str, words: &str| told.iter().any(|m| m.to == to && one_line(&m.text).contains(words));
        assert!(of("france@example.org", &shown), "{time}: {told:?}");
        assert!(of("italy@example.org", &format!("{gmt}.")), "in the game's zone alone");
    }
}

/// A deadline that NO_DEADLINE has left behind is named nowhere, even before anybody has looked at the edit.
#[test]
fn without_deadlines_none_is_named() {
    let site = site_with(&["NO_DEADLINE"], |game| deadline(game, "202611211000"));
    let sent = say(&site, "france", "2026-11-21T11:00:00Z", &format!("{FRANCE}\nLIST"));
    assert!(sent.iter().any(|mail| mail.text.contains(":: Deadline: S1901M none")), "{sent:?}");
    assert!(sent.iter().all(|mail| !mail.text.contains("21 Nov 2026 10:00")), "{sent:?}");
    // SOLITAIRE brings the rule with it.
    let site = site_with(&["SOLITAIRE"], |game| game.deadline = None);
    let sent = say(&site, "gm", "2026-11-21T11:00:00Z", &format!("{MASTER}\nLIST balkan9"));
    assert!(sent.iter().any(|mail| mail.text.contains("Deadlines: none")), "{sent:?}");
}

/// A dummy that the Master orders is late when grace ends: he has no seat to lose, and the game waits for him.
#[test]
fn for_a_dummy_of_the_masters_nobody_is_dismissed() {
    let site = site_with(&[], |game| {
        deadline(game, "202611211000");
        game.timing.push(("GRACE".into(), "1H".into()));
        order(game, &["ITALY"]);
        let italy = game.participants.iter_mut().find(|p| p.name == "ITALY").expect("Italy");
        italy.control = vec!["MASTER".into()];
        italy.password = None;
        italy.address.clear();
        if let Some(line) = &mut italy.player {
            line.current = Holder::Dummy;
        }
    });
    tick(&site, "2026-11-21T10:00:00Z");
    tick(&site, "2026-11-21T11:00:00Z");
    let now = "2026-11-21T11:00:00Z";
    assert_eq!(site.index(GAME).state, GameState::Waiting);
    assert!(mails(&site, now, "N14").is_empty());
    let told = mails(&site, now, "N35");
    assert!(told.len() > 7 && told.iter().all(|m| m.text.contains("Game balkan9 is now waiting.")), "{told:?}");
    assert!(site.game(GAME).need.is_empty());
}

/// One reminder a mailbox, naming all its powers; those of nobody's go to the Master. Late notices go to the late under
/// another subject than to the others, and an omniscient observer has one, too (clock.md 10).
#[test]
fn a_controller_is_reminded_once_of_all_its_powers() {
    let site = site_with(&[], |game| {
        deadline(game, "202611211400");
        order(game, &["FRANCE", "ITALY", "TURKEY"]);
        for (name, control) in [("ITALY", Some("FRANCE")), ("TURKEY", None)] {
            let dummy = game.participants.iter_mut().find(|p| p.name == name).expect("a power");
            dummy.control = control.into_iter().map(str::to_owned).collect();
            dummy.password = None;
            dummy.address.clear();
            if let Some(line) = &mut dummy.player {
                line.current = Holder::Dummy;
            }
        }
        let observer = game.participants.iter_mut().find(|p| p.name == "LOUDMOUTH").expect("an observer");
        observer.omniscient = Omniscient::Sees;
    });
    let lines = |sent: &[Sent], words: &str| {
        let mut found: Vec<(String, String)> = Vec::new();
        for mail in sent {
            let line = mail.text.lines().find(|line| line.starts_with(words)).unwrap_or_default();
            found.push((mail.to.clone(), line.to_owned()));
        }
        found.sort();
        found
    };
    let now = "2026-11-21T10:00:00Z";
    tick(&site, now);
    let due = |to: &str, powers: &str| (to.to_owned(), format!("Orders are due from {powers}."));
    assert_eq!(
        lines(&mails(&site, now, "N10"), "Orders are due"),
        [due("france@example.org", "France and Italy"), due("gm@example.org", "Turkey")]
    );
    let now = "2026-11-21T14:00:00Z";
    tick(&site, now);
    let told = mails(&site, now, "N13");
    let subjects = |to: &str| -> Vec<&str> {
        told.iter().filter(|m| m.to == to).map(|m| m.subject.trim_end_matches(" (balkan9)")).collect()
    };
    assert_eq!(subjects("france@example.org"), ["Diplomacy deadline missed"]);
    for other in ["england@example.org", "gm@example.org", "kibitz@example.org"] {
        assert_eq!(subjects(other), ["Diplomacy late notice"], "{other}");
    }
    assert!(lines(&told, "Late Powers:").iter().all(|(_, line)| line.ends_with("France, Italy, Turkey")), "{told:?}");
}

/// When the last vacant power is filled the game goes on, and has its time anew, but never less than it had (clock.md 4.1,
/// 11).
#[test]
fn a_seat_that_is_filled_gives_the_game_its_time() {
    let vacant = |stamp: &str| {
        let site = site_with(&[], |game| deadline(game, stamp));
        say(&site, "gm", "2026-11-21T09:05:00Z", &format!("{MASTER}\nRESIGN ITALY"));
        assert_eq!((site.index(GAME).state, site.game(GAME).need.len()), (GameState::Waiting, 1));
        site
    };
    let now = "2026-11-24T09:10:00Z";
    let filled = |site: &Site, who: &str, lines: &str| {
        let sent = say(site, who, now, lines);
        assert_eq!(site.index(GAME).state, GameState::Active, "{}", reply(&sent));
        stands(site)
    };
    for (who, lines) in [
        ("newman@example.com", "TAKEOVER I@balkan9 a-new-word".to_owned()),
        ("gm", format!("{MASTER}\nREVIVE ITALY")),
        ("gm", format!("{MASTER}\nDUMMY ITALY")),
    ] {
        let site = vacant("202611231200");
        // It was over meanwhile, and nobody was late.
        tick(&site, "2026-11-24T09:00:00Z");
        assert!(mails(&site, now, "N13").is_empty());
        assert_eq!(filled(&site, who, &lines).as_deref(), Some("202611272000"), "{lines}");
        let site = vacant("202612051200");
        assert_eq!(filled(&site, who, &lines).as_deref(), Some("202612051200"), "{lines}: never earlier");
    }
}

/// After ROLLBACK and ROLLFORWARD the deadline of the file that comes back is the one before which no new one may fall.
#[test]
fn the_deadline_of_the_phase_that_comes_back_counts_as_the_one_before() {
    let site = site_with(&[], |game| deadline(game, "202612202000"));
    let master = |clock: &str, line: &str| reply(&say(&site, "gm", clock, &format!("{MASTER}\n{line}")));
    master("2026-11-21T09:30:00Z", "PROCESS!");
    assert_eq!(stands(&site).as_deref(), Some("202612202000"), "never earlier");
    master("2026-11-21T09:31:00Z", "SET DEADLINE 1 DEC 2026 20:00");
    assert_eq!(stands(&site).as_deref(), Some("202612012000"), "but by the Master's word");
    let answer = master("2026-11-21T09:32:00Z", "ROLLBACK");
    assert_eq!(stands(&site).as_deref(), Some("202612202000"), "{answer}");
    let answer = master("2026-11-21T09:33:00Z", "ROLLFORWARD");
    assert_eq!(stands(&site).as_deref(), Some("202612012000"), "{answer}");
    // What comes back is over: a full delay from now.
    master("2026-12-21T09:34:00Z", "ROLLBACK");
    assert_eq!(stands(&site).as_deref(), Some("202612242000"));
}

/// After the deadline orders can be replaced, not taken back, unless a seat is vacant (clock.md 3.1).
#[test]
fn orders_are_not_taken_back_after_the_deadline() {
    let clear = |clock: &str, vacant: bool| {
        let site = site_with(&[], |game| {
            deadline(game, "202611211000");
            order(game, &["ITALY"]);
        });
        if vacant {
            say(&site, "gm", "2026-11-21T09:05:00Z", &format!("{MASTER}\nRESIGN ITALY"));
        }
        let answer = reply(&say(&site, "france", clock, &format!("{FRANCE}\nCLEAR")));
        let kept = site.game(GAME).participant("FRANCE").is_some_and(|p| p.orders.is_some());
        (answer, kept)
    };
    let (answer, kept) = clear("2026-11-21T09:50:00Z", false);
    assert!(!kept, "{answer}");
    let (answer, kept) = clear("2026-11-21T10:00:00Z", false);
    assert!(answer.contains("E_LATE_EMPTY") && kept, "{answer}");
    let (answer, kept) = clear("2026-11-21T10:00:00Z", true);
    assert!(!kept, "{answer}");
}

/// SET WAIT is for powers that are still in the game, before the deadline (clock.md 3.1).
#[test]
fn whose_wait_is_refused() {
    let ask = |rules: &[&str], who: &str, seat: &str, change: &dyn Fn(&mut Game)| {
        let site = site_with(rules, |game| change(game));
        reply(&say(&site, who, "2026-11-21T09:30:00Z", &format!("{seat}\nSET WAIT")))
    };
    assert!(ask(&[], "gm", MASTER, &|_| {}).contains("R_NO_WAIT"), "the Master");
    let gone = |game: &mut Game| {
        let france = game.participants.iter_mut().find(|p| p.name == "FRANCE").expect("France");
        france.units.clear();
        france.owns = Default::default();
    };
    assert!(ask(&[], "france", FRANCE, &gone).contains("out of the game"), "who is eliminated");
    let minor = |game: &mut Game| game.phase = PhaseState::Running("WINTER 1901 ADJUSTMENTS".into());
    let refused = ask(&["NO_MINOR_WAIT"], "france", FRANCE, &minor);
    assert!(refused.contains("WAIT is for movement phases"), "{refused}");
    let taken = ask(&[], "france", FRANCE, &minor);
    assert!(taken.contains("ok SET WAIT"), "{taken}");
}

/// A game in the index without a directory, or without a Master, is left alone, and the others go on (clock.md 3, step 2).
#[test]
fn games_that_cannot_be_loaded_are_passed_over() {
    let site = site_with(&[], |game| order(game, &[]));
    let mut orphan = site.game(GAME);
    orphan.name = "orphan".into();
    orphan.master = None;
    let mut line = site.index(GAME);
    line.name = "orphan".into();
    site.put(&orphan, &line);
    let index = site.root().join("games/status");
    let lines = std::fs::read_to_string(&index).expect("index");
    std::fs::write(&index, format!("aaa standard active\n{lines}")).expect("index");
    let output = site.run(&["tick", "--no-guard", "--clock", "2026-11-21T09:20:00Z"], b"");
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(words.contains("balkan9 S1901M processed"), "{words} {}", String::from_utf8_lossy(&output.stderr));
    let orphan = site.game("orphan");
    assert_eq!((orphan.phase, orphan.delay), (PhaseState::Running("SPRING 1901 MOVEMENT".into()), 0));
}

#[test]
fn a_suspension_said_twice_is_one() {
    let site = site_with(&[], |game| deadline(game, "202611211100"));
    tick(&site, "2026-11-21T10:00:00Z");
    let suspend = |clock: &str, why: &str| said(&site.run(&["clock", "suspend", why, "--clock", clock], b""));
    let first = suspend("2026-11-21T10:10:00Z", "repairs");
    assert!(first.contains("since=2026-11-21T10:00:00Z at=2026-11-21T10:10:00Z reason=repairs"), "{first}");
    assert_eq!(suspend("2026-11-21T10:50:00Z", "more repairs"), first, "the outage is counted from the first");
    assert!(put_off(&site.run(&["tick", "--clock", "2026-11-21T11:00:00Z"], b"")).contains("suspended"));
    let resume = |clock: &str| said(&site.run(&["clock", "resume", "--extend", "--clock", clock], b""));
    let words = resume("2026-11-21T12:00:00Z");
    assert!(
        words.contains("moved Saturday 21 November 2026 11:00 GMT -> Saturday 21 November 2026 13:00 GMT"),
        "{words}"
    );
    assert_eq!(resume("2026-11-21T12:01:00Z"), "resumed; it was not suspended\n");
    assert_eq!(stands(&site).as_deref(), Some("202611211300"));
}

/// PREVIEW is refused while the status file has errors, with what is wrong. By mail that is met only where the file was
/// spoilt after the mail had been let in: else the mail waits (OPS-050).
#[test]
fn no_preview_of_a_game_with_errors() {
    let site = site_with(&[], |_| {});
    let preview = |site: &Site| {
        let (opened, _) = chancery::site::Site::open(&site.root(), None, true).expect("a site");
        let clerk = Clerk::open(opened).expect("a clerk");
        let now = "2026-11-21T09:30:00Z".parse().expect("a time");
        let name = chancery::archive::GameName::new(GAME).expect("a name");
        let loaded = clerk.load(&name, now).expect("the file").expect("a game");
        let mut table = loaded.table(clerk.house(), 0, now);
        let known = chancery::clerk::secrets::Known::default();
        let secrets = chancery::clerk::secrets::PhcSecrets::new(&known, [7; 32], 0);
        let sender = Sender { address: "gm@example.org".into(), ..Sender::default() };
        let registry = People::new(&clerk.site);
        let tools = Tools { sender: &sender, secrets: &secrets, registry: &registry };
        let blocks = commands::read(&Line::all([MASTER, "PREVIEW"]), &|name| name == GAME);
        let outcome = by_mail(&mut table, blocks.first().expect("a block"), &tools);
        let letters = outcome.decision.letters.iter().filter(|letter| letter.notice == "N16").count();
        (letters, format!("{:?}", outcome.reply))
    };
    assert_eq!(preview(&site).0, 1);
    let good = site.file(GAME, "status");
    let path = site.root().join("games/balkan9/status");
    std::fs::write(&path, good.replacen("PHASE SPRING", "DELAY 73\nPHASE SPRING", 1)).expect("status");
    let (letters, refused) = preview(&site);
    assert_eq!(letters, 0);
    assert!(refused.contains("The status file has an error: ") && refused.contains("BAD DELAY COUNT: 73"), "{refused}");

    // At the front door it waits, and is done when the file is mended.
    let now = "2026-11-21T09:30:00Z";
    say(&site, "gm", now, &format!("{MASTER}\nPREVIEW"));
    assert_eq!((site.room("hold"), mails(&site, now, "N16").len()), (1, 0));
    std::fs::write(&path, good).expect("status");
    said(&site.run(&["work", "--clock", "2026-11-21T09:35:00Z"], b""));
    assert_eq!((site.room("hold"), mails(&site, "2026-11-21T09:35:00Z", "N16").len()), (0, 1));
}
