//! What the rules of time do to a game, through the front door and with the real binary: who may move a deadline, who may
//! make a phase wait, what becomes of orders that come late, what happens when grace is over (clock.md 2.1, 3.1, 3.2, 6,
//! 7, 9, 11; rules.md 2.9).

mod support;

use chancery::judge::GameState;
use chancery::status::{Game, Holder};
use support::balkan::{FRANCE, GAME, MASTER, mails, one_line, reply, say, site_with, stands, tick};
use support::{Sent, Site, deadline, order, said};

const ITALY: &str = "SIGNON I@balkan9 pasta&vino";
const HOLD: &str = "A VEN H\nA ROM H\nF NAP H";

fn addresses(mails: &[Sent]) -> Vec<&str> {
    mails.iter().map(|mail| mail.to.as_str()).collect()
}

fn phase(site: &Site) -> String {
    format!("{:?}", site.game(GAME).phase)
}

#[test]
fn the_last_orders_process_at_once_where_there_is_nothing_to_wait_for() {
    for rule in ["REAL_TIME", "NO_DEADLINE"] {
        let site = site_with(&[rule], |game| {
            order(game, &["ITALY"]);
            if rule == "NO_DEADLINE" {
                game.deadline = None;
            }
        });
        let sent = say(&site, "italy", "2026-11-21T10:05:00Z", &format!("{ITALY}\n{HOLD}"));
        assert!(phase(&site).contains("FALL 1901"), "{rule}: {}", reply(&sent));
        assert_eq!(stands(&site).is_none(), rule == "NO_DEADLINE");
    }
}

/// PREVIEW: whatever makes a phase ready, it is only previewed, and the Master releases it.
#[test]
fn with_preview_nothing_is_processed_at_once_either() {
    for rule in ["REAL_TIME", "NO_DEADLINE"] {
        let site = site_with(&[rule, "PREVIEW"], |game| {
            order(game, &["ITALY"]);
            if rule == "NO_DEADLINE" {
                game.deadline = None;
            }
        });
        let now = "2026-11-21T10:05:00Z";
        say(&site, "italy", now, &format!("{ITALY}\n{HOLD}"));
        assert!(phase(&site).contains("SPRING 1901"), "{rule}: processed before the Master has seen it");
        assert_eq!(addresses(&mails(&site, now, "N16")), ["gm@example.org"], "{rule}");
        assert_eq!(site.game(GAME).delay, 72);
        tick(&site, "2026-11-21T10:20:00Z");
        assert!(phase(&site).contains("SPRING 1901"));
        say(&site, "gm", "2026-11-21T10:25:00Z", &format!("{MASTER}\nPROCESS"));
        assert!(phase(&site).contains("FALL 1901"), "{rule}");
    }
    let site = site_with(&["PREVIEW"], |game| order(game, &[]));
    assert!(!tick(&site, "2026-11-21T10:20:00Z").contains("S1901M processed"), "the check previews it");
    assert_eq!(addresses(&mails(&site, "2026-11-21T10:20:00Z", "N16")), ["gm@example.org"]);
}

#[test]
fn who_can_make_a_phase_wait() {
    let ask = |rules: &[&str], clock: &str| {
        let site = site_with(rules, |game| deadline(game, "202611211000"));
        let sent = say(&site, "france", clock, &format!("{FRANCE}\nSET WAIT"));
        (reply(&sent), site.game(GAME).participant("FRANCE").is_some_and(|p| p.wait))
    };
    assert!(ask(&[], "2026-11-21T09:30:00Z").1);
    let (late, waits) = ask(&[], "2026-11-21T10:00:00Z");
    assert!(late.contains("R_NO_WAIT") && late.contains("deadline is over") && !waits, "{late}");
    let (at_once, waits) = ask(&["REAL_TIME"], "2026-11-21T09:30:00Z");
    assert!(at_once.contains("R_NO_WAIT") && at_once.contains("REAL_TIME") && !waits, "{at_once}");

    // ALWAYS_WAIT: complete, and yet not before its deadline; PROCESS does not ask.
    let site = site_with(&["ALWAYS_WAIT"], |game| {
        deadline(game, "202611211100");
        order(game, &[]);
    });
    tick(&site, "2026-11-21T10:20:00Z");
    tick(&site, "2026-11-21T10:40:00Z");
    assert!(phase(&site).contains("SPRING 1901"));
    tick(&site, "2026-11-21T11:00:00Z");
    assert!(phase(&site).contains("FALL 1901"));
    say(&site, "gm", "2026-11-21T11:05:00Z", &format!("{MASTER}\nPROCESS!"));
    assert!(phase(&site).contains("SPRING 1902"));
}

#[test]
fn players_may_lengthen_a_deadline_where_the_rules_say_so() {
    let now = "2026-11-21T09:30:00Z";
    let ask = |site: &Site, who: &str, lines: &str| reply(&say(site, who, now, lines));
    let site = site_with(&[], |_| {});
    assert!(ask(&site, "france", &format!("{FRANCE}\nSET DEADLINE 30 NOV 20:00")).contains("R_MASTER_ONLY"));

    let site = site_with(&["PLAYER_DEADLINES"], |game| game.delay = 2);
    let shorter = ask(&site, "france", &format!("{FRANCE}\nSET DEADLINE 27 NOV 20:00"));
    assert!(shorter.contains("Only the Master may shorten a deadline"), "{shorter}");
    assert!(shorter.contains("It is Saturday 28 November 2026 20:00 GMT now"), "{shorter}");
    assert_eq!(stands(&site).as_deref(), Some("202611282000"));
    let observer = ask(&site, "kibitz", "SIGNON LOUDMOUTH@balkan9 popcorn\nSET DEADLINE 30 NOV 20:00");
    assert!(observer.contains("R_MASTER_ONLY"), "{observer}");
    let later = ask(&site, "france", &format!("{FRANCE}\nSET DEADLINE 30 NOV 20:05"));
    assert!(later.contains("the deadline is Monday 30 November 2026 20:20 GMT"), "raised to the slot: {later}");
    assert_eq!((stands(&site).as_deref(), site.game(GAME).delay), (Some("202611302020"), 0));
    let told = mails(&site, now, "N32");
    assert!(told.len() > 7 && told.iter().all(|m| m.text.contains("France has changed the deadline")), "{told:?}");

    let more = ask(&site, "italy", &format!("{ITALY}\nSET DEADLINE +1D"));
    assert!(more.contains("the deadline is Tuesday 1 December 2026 20:20 GMT"), "{more}");
    assert!(ask(&site, "italy", &format!("{ITALY}\nSET DEADLINE +1X")).contains("SET DEADLINE 4 JAN 20:00, or +1D"));

    let site = site_with(&["PLAYER_DEADLINES", "HIDE_EXTENDERS"], |_| {});
    ask(&site, "france", &format!("{FRANCE}\nSET DEADLINE 30 NOV 20:00"));
    let told = mails(&site, now, "N32");
    assert!(told.iter().all(|m| m.text.contains("A power has changed the deadline") && !m.text.contains("France")));
    let why = said(&site.run(&["clock", "explain", GAME, "--clock", now], b""));
    assert!(why.contains("a power moved it from") && !why.contains("France"), "{why}");

    let site = site_with(&["NO_DEADLINE"], |game| game.deadline = None);
    let none = ask(&site, "gm", &format!("{MASTER}\nSET DEADLINE 30 NOV 20:00"));
    assert!(none.contains("No deadlines can be set in this game. It plays without (RULE NO_DEADLINE)."), "{none}");
}

#[test]
fn a_date_that_is_none_is_answered_with_what_would_be_right() {
    let site = site_with(&[], |_| {});
    let now = "2026-11-21T09:30:00Z";
    let ask = |lines: &str| reply(&say(&site, "gm", now, &format!("{MASTER}\n{lines}")));
    for (line, right) in [
        ("SET DEADLINE", "SET DEADLINE 4 JAN 20:00"),
        ("SET DEADLINE SOON", "SET DEADLINE 4 JAN 20:00"),
        ("SET DEADLINE MON 28 NOV 2026", "a weekday has to be that of the date"),
        ("SET DEADLINE 30 FEB 2027", "SET DEADLINE 4 JAN 20:00"),
        ("SET DEADLINE 20 NOV 2026 20:00", "Now it is Saturday 21 November 2026 09:30 GMT"),
        ("SET ABSENCE", "SET ABSENCE 24 DEC TO 2 JAN"),
        ("SET ABSENCE SOON", "SET ABSENCE 24 DEC TO 2 JAN"),
        ("SET ABSENCE 24 DEC TO", "SET ABSENCE 24 DEC TO 2 JAN"),
        ("SET ABSENCE 5 DEC TO 2 DEC 2026", "end in the future, and after its beginning"),
        ("SET ABSENCE 5 DEC 10:00 TO 5 DEC 10:00", "a later end, or the day alone"),
        ("SET ZONE Mars/Phobos", "Europe/Paris or GMT"),
    ] {
        let answer = ask(line);
        assert!(answer.contains(right), "{line}: {answer}");
    }
    let long = reply(&say(&site, "france", now, &format!("{FRANCE}\nSET ABSENCE 1 DEC TO 30 DEC")));
    assert!(long.contains("14 days at the most"), "{long}");
    assert_eq!(stands(&site).as_deref(), Some("202611282000"), "nothing was changed");
}

/// A line DEADLINE that somebody has left in a game that plays without counts for nothing.
#[test]
fn without_deadlines_a_line_left_behind_counts_for_nothing() {
    let site = site_with(&["NO_DEADLINE"], |game| {
        deadline(game, "202611211000");
        order(game, &["ITALY", "FRANCE"]);
    });
    let now = "2026-11-21T11:00:00Z";
    tick(&site, now);
    assert!(mails(&site, now, "N13").is_empty(), "nobody is ever late");
    let waits = reply(&say(&site, "france", now, &format!("{FRANCE}\nSET WAIT")));
    assert!(!waits.contains("R_NO_WAIT"), "{waits}");
    let moved = said(&site.run(
        &[
            "clock",
            "extend",
            "--from",
            "2026-11-21T09:00:00Z",
            "--to",
            "2026-11-21T12:00:00Z",
            "--by",
            "1D",
            "--clock",
            now,
        ],
        b"",
    ));
    assert_eq!(moved, "", "there is no deadline to be moved");
    let page = std::fs::read_to_string(site.root().join("web/game/balkan9/index.html")).expect("page");
    assert!(!page.contains("21 November 2026 10:00"), "the page shows none");
    let why = said(&site.run(&["clock", "explain", GAME, "--clock", now], b""));
    assert!(why.contains("It has no deadline now.") && why.contains("(RULE NO_DEADLINE)"), "{why}");
}

/// What may still be ordered after the deadline (clock.md 3.1).
#[test]
fn orders_after_the_deadline() {
    let after = "2026-11-21T10:05:00Z";
    let ask = |rules: &[&str], sheet: &str| {
        let site = site_with(rules, |game| {
            deadline(game, "202611211000");
            order(game, &["FRANCE"]);
        });
        (reply(&say(&site, "italy", after, &format!("{ITALY}\n{sheet}"))), site)
    };
    let changed = |site: &Site| format!("{:?}", site.game(GAME).participant("ITALY").map(|p| p.orders.clone()));
    let (answer, site) = ask(&[], "A VEN - TYR\nA ROM H\nF NAP H");
    assert!(changed(&site).contains("TYR"), "changes are allowed: {answer}");
    let (answer, site) = ask(&["NO_LATE_CHANGES"], "A VEN - TYR\nA ROM H\nF NAP H");
    assert!(answer.contains("E_LATE_CHANGE") && !changed(&site).contains("TYR"), "{answer}");
    let (answer, site) = ask(&["CIVIL_DISORDER"], "A VEN - TYR\nA ROM H\nF NAP H");
    assert!(answer.contains("E_LATE_CHANGE") && !changed(&site).contains("TYR"), "switched on by it: {answer}");
    // First orders are taken, however late, and the next check processes.
    let site = site_with(&["NO_LATE_CHANGES"], |game| {
        deadline(game, "202611211000");
        order(game, &["ITALY"]);
        game.delay = 24;
    });
    let answer = reply(&say(&site, "italy", after, &format!("{ITALY}\n{HOLD}")));
    assert_eq!(site.game(GAME).delay, 0, "{answer}");
    assert!(tick(&site, "2026-11-21T10:20:00Z").contains("S1901M processed"));
    // Before it they leave 20 to 40 minutes for second thoughts.
    let site = site_with(&[], |game| order(game, &["ITALY"]));
    say(&site, "italy", after, &format!("{ITALY}\n{HOLD}"));
    assert_eq!(site.game(GAME).delay, 1);
    assert!(!tick(&site, "2026-11-21T10:20:00Z").contains("processed 1"));
    assert!(tick(&site, "2026-11-21T10:40:00Z").contains("S1901M processed"));
}

#[test]
fn when_grace_is_over() {
    let late = |rules: &[&str], grace: &str| {
        site_with(rules, |game| {
            deadline(game, "202611211000");
            game.timing.push(("GRACE".into(), grace.into()));
            order(game, &["ITALY"]);
        })
    };
    let text_of = |site: &Site, clock: &str| {
        let told = mails(site, clock, "N13");
        one_line(&told.iter().find(|m| m.to == "italy@example.org").expect("a late notice").text)
    };
    // Dismissal: announced, then done, and not a check too early.
    let site = late(&[], "2H");
    tick(&site, "2026-11-21T10:00:00Z");
    let told = text_of(&site, "2026-11-21T10:00:00Z");
    assert!(told.contains("Players who are still late 2 hours after the deadline are dismissed."), "{told}");
    tick(&site, "2026-11-21T11:40:00Z");
    assert_eq!(site.index(GAME).state, GameState::Active);
    tick(&site, "2026-11-21T12:00:00Z");
    let game = site.game(GAME);
    assert_eq!((site.index(GAME).state, game.delay), (GameState::Waiting, 0));
    let italy = game.participant("ITALY").expect("Italy");
    assert!(matches!(italy.player.as_ref().map(|p| &p.current), Some(Holder::Resigned)) && italy.password.is_none());
    assert!(game.need.iter().any(|need| need.power == "ITALY"));
    assert!(game.participant("FRANCE").is_some_and(|p| p.orders.is_some()), "orders that were entered stay");
    // While somebody is needed nothing is enforced.
    tick(&site, "2026-11-22T12:00:00Z");
    assert_eq!(site.game(GAME).need.len(), 1);

    // Civil disorder: the phase goes on with holds, at the end of grace or at the deadline itself.
    for (grace, before, then) in
        [("2H", "2026-11-21T11:40:00Z", "2026-11-21T12:00:00Z"), ("0", "2026-11-21T09:40:00Z", "2026-11-21T10:00:00Z")]
    {
        let site = late(&["CIVIL_DISORDER"], grace);
        assert!(!tick(&site, before).contains("S1901M processed"), "GRACE {grace}");
        assert!(tick(&site, then).contains("S1901M processed"), "GRACE {grace}");
        let disorder = mails(&site, then, "N15");
        assert_eq!(addresses(&disorder), ["gm@example.org"], "GRACE {grace}");
        assert_eq!(site.index(GAME).state, GameState::Active);
    }
    // Nobody late: a complete game is processed, not stopped.
    let site = site_with(&["ALWAYS_WAIT"], |game| {
        deadline(game, "202611211000");
        game.timing.push(("GRACE".into(), "0H".into()));
        order(game, &[]);
    });
    assert!(tick(&site, "2026-11-21T10:00:00Z").contains("S1901M processed"));
}

#[test]
fn reminders_come_at_each_warning_to_those_who_owe_orders() {
    let site = site_with(&[], |game| {
        deadline(game, "202611221200");
        game.timing.push(("WARN".into(), "1D,90M,0".into()));
        order(game, &["ITALY", "FRANCE"]);
    });
    let reminded = |clock: &str| {
        tick(&site, clock);
        mails(&site, clock, "N10").len()
    };
    assert_eq!(reminded("2026-11-21T11:40:00Z"), 0);
    assert_eq!(reminded("2026-11-21T12:00:00Z"), 2, "a day before");
    let first = mails(&site, "2026-11-21T12:00:00Z", "N10");
    assert!(
        first.iter().all(|m| one_line(&m.text).contains("Sunday 22 November 2026 12:00 GMT")),
        "the deadline with its zone"
    );
    assert_eq!(addresses(&first), ["france@example.org", "italy@example.org"]);
    assert_eq!(reminded("2026-11-21T12:20:00Z"), 2);
    say(&site, "italy", "2026-11-21T13:00:00Z", &format!("{ITALY}\n{HOLD}"));
    assert_eq!(reminded("2026-11-22T10:20:00Z"), 2);
    assert_eq!(reminded("2026-11-22T10:40:00Z"), 3, "90 minutes before, and only France still owes orders");
    assert_eq!(
        mails(&site, "2026-11-22T10:40:00Z", "N10").last().map(|m| m.to.clone()).as_deref(),
        Some("france@example.org")
    );
    assert_eq!(reminded("2026-11-22T11:00:00Z"), 3);
}

/// `clock explain` in words: what a round would do now, and why no more.
#[test]
fn what_a_round_would_do_now() {
    let would = |rules: &[&str], clock: &str, change: &dyn Fn(&mut Game)| {
        let site = site_with(rules, |game| {
            deadline(game, "202611211200");
            change(game);
        });
        let words = one_line(&said(&site.run(&["clock", "explain", GAME, "--clock", clock], b"")));
        let begin = words.find("A round now would ").expect("a sentence") + "A round now would ".len();
        words[begin..].split(". A deadline").next().expect("a sentence").to_owned()
    };
    let (early, late) = ("2026-11-21T07:00:00Z", "2026-11-21T12:00:00Z");
    let but_italy = |game: &mut Game| order(game, &["ITALY"]);
    let grace = |game: &mut Game| {
        but_italy(game);
        game.timing.push(("GRACE".into(), "0".into()));
    };
    assert_eq!(would(&[], early, &but_italy), "do nothing: orders are owed by ITALY");
    assert_eq!(would(&["ALWAYS_WAIT"], early, &|game| order(game, &[])), "do nothing: it waits for the deadline");
    assert_eq!(would(&[], "2026-11-21T08:00:00Z", &but_italy), "remind Italy");
    assert_eq!(would(&[], early, &|game| order(game, &[])), "process the phase");
    assert_eq!(would(&["PREVIEW"], early, &|game| order(game, &[])), "send the Master a preview of the results");
    assert_eq!(would(&[], late, &but_italy), "send late notices about Italy");
    assert_eq!(would(&[], late, &grace), "take their seats from Italy");
    assert_eq!(would(&["CIVIL_DISORDER"], late, &grace), "process the phase");
    let stop = would(&["CIVIL_PREVIEW"], late, &grace);
    assert_eq!(stop, "stop the game, for Italy, and send the Master a preview");
    assert_eq!(would(&[], early, &|game| game.delay = 3), "pass over the game, as 2 more will (DELAY)");
    let held = |game: &mut Game| {
        order(game, &[]);
        game.held = game.deadline;
    };
    assert_eq!(would(&[], early, &held), "leave the game alone: it is held");
}

#[test]
fn activate_moves_no_deadline_of_a_game_that_is_played() {
    let site = site_with(&[], |game| deadline(game, "202611211000"));
    let now = "2026-11-21T10:05:00Z";
    let answer = reply(&say(&site, "gm", now, &format!("{MASTER}\nACTIVATE")));
    assert!(answer.contains("active already"), "{answer}");
    assert_eq!(stands(&site).as_deref(), Some("202611211000"));
    let mut line = site.index(GAME);
    line.state = GameState::Waiting;
    site.put(&site.game(GAME), &line);
    let answer = reply(&say(&site, "gm", "2026-11-21T10:06:00Z", &format!("{MASTER}\nACTIVATE")));
    assert_eq!(site.index(GAME).state, GameState::Active, "{answer}");
    assert_eq!(stands(&site).as_deref(), Some("202611242000"), "three days on, at 20:00");
    // What the Master may look at beforehand is a game that is played.
    let mut line = site.index(GAME);
    line.state = GameState::Waiting;
    site.put(&site.game(GAME), &line);
    let answer = reply(&say(&site, "gm", "2026-11-21T10:07:00Z", &format!("{MASTER}\nPREVIEW")));
    assert!(answer.contains("R_NOT_READY"), "{answer}");
}

#[test]
fn another_zone_keeps_the_digits_and_is_announced() {
    let site = site_with(&[], |_| {});
    let now = "2026-11-21T09:30:00Z";
    let zone = |lines: &str| reply(&say(&site, "gm", now, &format!("{MASTER}\n{lines}")));
    assert!(zone("SET ZONE gmt").contains("already"));
    assert!(mails(&site, now, "N32").is_empty());
    zone("SET ZONE asia/tokyo");
    assert_eq!((stands(&site).as_deref(), site.game(GAME).zone.as_deref()), (Some("202611282000"), Some("Asia/Tokyo")));
    let told = mails(&site, now, "N32");
    assert!(told.len() > 7, "{told:?}");
    for mail in &told {
        let text = one_line(&mail.text);
        assert!(text.contains("The new deadline is Saturday 28 November 2026 20:00 JST."), "{text}");
        assert!(text.contains("the Master set the game's clock to Asia/Tokyo"), "{text}");
    }
    // A game that plays without has a clock all the same.
    let site = site_with(&["NO_DEADLINE"], |game| game.deadline = None);
    say(&site, "gm", now, &format!("{MASTER}\nSET ZONE Asia/Tokyo"));
    let told = mails(&site, now, "N32");
    assert!(told.len() > 7 && told.iter().all(|m| m.text.contains("has set the clock of game balkan9 to Asia/Tokyo")));
    assert!(told.iter().all(|m| !m.text.contains("The new deadline is")), "{told:?}");
    // Back to the judge's own, and once more: that is no news.
    let times = ["2026-11-21T09:31:00Z", "2026-11-21T09:32:00Z"].map(|clock| {
        say(&site, "gm", clock, &format!("{MASTER}\nSET NOZONE"));
        mails(&site, clock, "N32").len() / told.len()
    });
    assert_eq!((times, site.game(GAME).zone.as_deref()), ([2, 2], Some("UTC")));
}

#[test]
fn absences_are_told_to_whom_the_rules_let() {
    let now = "2026-11-21T09:30:00Z";
    let told = |rules: &[&str], who: &str, lines: &str| {
        let site = site_with(rules, |_| {});
        let answer = reply(&say(&site, who, now, lines));
        (answer, mails(&site, now, "N33"), site)
    };
    let absence = format!("{FRANCE}\nSET ABSENCE 24 DEC TO 2 JAN");
    let (_, all, site) = told(&[], "france", &absence);
    assert!(all.len() > 7 && all.iter().all(|m| m.text.contains("France will be absent")), "{all:?}");
    assert!(addresses(&all).iter().all(|to| !to.starts_with("map-bot")), "monitors are not told");
    assert!(site.game(GAME).timing.contains(&("NOT".into(), "20261224-20270102".into())));
    assert_eq!(stands(&site).as_deref(), Some("202611282000"), "the deadline stays");
    let (_, hidden, _) = told(&["HIDE_ABSENTEES"], "france", &absence);
    let named: Vec<&str> = hidden.iter().filter(|m| m.text.contains("France will be")).map(|m| m.to.as_str()).collect();
    assert!(hidden.len() > 7 && named == ["gm@example.org"], "{named:?}");
    let (_, silent, _) = told(&["SILENT_ABSENCES"], "france", &absence);
    assert_eq!(addresses(&silent), ["gm@example.org"]);
    let (refused, none, _) = told(&["NO_ABSENCES"], "france", &absence);
    assert!(refused.contains("Only the Master is allowed to SET ABSENCE in this game") && none.is_empty(), "{refused}");
    let (answer, _, site) = told(&["NO_ABSENCES"], "gm", &format!("{MASTER}\nSET ABSENCE 1 DEC TO 30 DEC"));
    assert!(site.game(GAME).timing.iter().any(|(key, _)| key == "NOT"), "{answer}");
}

/// A value that the clock cannot use is an error of the file, never quietly a default: nothing is processed by it, and no
/// absence is lost.
#[test]
fn a_timing_that_the_clock_cannot_use_is_an_error() {
    for (key, value) in [("NEXT", "99999D"), ("GRACE", "200000D"), ("NOT", "20261224-20261201,20270110")] {
        let site = site_with(&[], |game| {
            game.timing = vec![(key.into(), value.into())];
            deadline(game, "202611211000");
            order(game, &[]);
        });
        let now = "2026-11-21T10:00:00Z";
        tick(&site, now);
        assert!(phase(&site).contains("SPRING 1901"), "nothing is processed by a wrong clock");
        let told = mails(&site, now, "N38");
        let error = format!("BAD {key} IN TIMING: {value}");
        assert!(told.iter().any(|m| m.to == "gm@example.org" && one_line(&m.text).contains(&error)), "{told:?}");
        say(&site, "france", now, &format!("{FRANCE}\nSET ABSENCE 5 DEC"));
        assert_eq!(site.game(GAME).timing, [(key.into(), value.into())], "it stays as the Master has written it");
    }
}

/// An old judge that died while it adjudicated has left AWAIT; whoever has the game's lock knows that nobody is at it.
#[test]
fn a_game_left_in_await_goes_on() {
    use chancery::status::PhaseKeyword;
    let left = |stamp: &str| {
        site_with(&[], |game| {
            deadline(game, stamp);
            game.keyword = PhaseKeyword::Await;
            order(game, &[]);
            game.participants.iter_mut().for_each(|p| p.wait = p.name == "FRANCE");
        })
    };
    let site = left("202611211200");
    tick(&site, "2026-11-21T10:00:00Z");
    assert_eq!(site.game(GAME).keyword, PhaseKeyword::Phase);
    assert!(phase(&site).contains("SPRING 1901") && site.file(GAME, "audit.log").contains("AWAIT read as PHASE"));
    let site = left("202611211000");
    assert!(tick(&site, "2026-11-21T10:00:00Z").contains("S1901M processed"));
}

/// A phase that cannot be processed stays as it is: the keeper hears of it once, and it is tried again an hour later.
#[test]
fn a_phase_that_cannot_be_processed_stays() {
    // More playing days than the clock counts.
    let site = site_with(&["JUMP_OFF_DAYS"], |game| {
        deadline(game, "202611211000");
        order(game, &[]);
        game.timing = vec![("NEXT".into(), "5000D".into())];
    });
    let before = site.game(GAME);
    let rounds = ["10:00", "10:20", "10:40", "11:00", "11:20"].map(|clock| format!("2026-11-21T{clock}:00Z"));
    let mut delays = Vec::new();
    for clock in &rounds {
        assert!(!tick(&site, clock).contains("S1901M processed"));
        delays.push(site.game(GAME).delay);
    }
    assert_eq!(delays, [3, 2, 1, 0, 3], "tried again");
    let after = site.game(GAME);
    assert_eq!((after.phase, after.deadline), (before.phase, before.deadline));
    for (was, is) in before.participants.iter().zip(&after.participants) {
        assert_eq!((&was.units, &was.orders), (&is.units, &is.orders), "{}", was.name);
    }
    assert!(site.file(GAME, "results").is_empty() && site.file(GAME, "status.S1901M").is_empty());
    let told = mails(&site, &rounds[4], "N62");
    assert_eq!(addresses(&told), ["keeper@judge.example"], "once for an error");
    assert!(told[0].text.contains("NO POSSIBLE DEADLINE"), "{}", told[0].text);
}
