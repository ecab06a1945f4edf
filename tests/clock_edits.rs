//! A Master's editor and the clock, with the real program: what follows where a rule of time, the deadline or the zone is
//! changed in the status file itself (clock.md 2.1, 4.1, 5; notices.md N32).

mod support;

use chancery::judge::GameState;
use chancery::status::Game;
use support::balkan::{GAME, one_line, stands, tick};
use support::{Sent, Site, deadline, order, plain, said};

const MASTER: &str = "gm@example.org";
const NO_DEADLINE: &str = "NO_DEADLINE";
/// Saturday.
const BEFORE: &str = "2026-11-21T09:20:00Z";
const NOW: &str = "2026-11-21T09:40:00Z";

/// The game alone, as a judge that has seen it before knows it.
fn known_site(change: impl FnOnce(&mut Game)) -> Site {
    let site = Site::alone(GAME, |game| {
        order(game, &["ITALY", "FRANCE"]);
        change(game);
    });
    tick(&site, BEFORE);
    site
}

fn without(game: &mut Game) {
    game.rules.push(NO_DEADLINE.into());
    game.deadline = None;
}

fn edit(site: &Site, change: impl FnOnce(&mut Game)) {
    let mut game = site.game(GAME);
    change(&mut game);
    site.put(&game, &site.index(GAME));
}

fn with_deadlines(game: &mut Game) {
    game.rules.retain(|rule| rule != NO_DEADLINE);
}

fn mails(site: &Site, notice: &str) -> Vec<Sent> {
    said(&site.run(&["send", "--clock", "2026-11-22T12:00:00Z"], b""));
    site.sent().into_iter().map(|(_, mail)| mail).filter(|mail| mail.notice == notice).collect()
}

fn why(site: &Site) -> String {
    one_line(&said(&site.run(&["clock", "explain", GAME, "--clock", NOW], b"")))
}

#[test]
fn where_no_deadline_is_taken_out_a_deadline_is_computed() {
    let site = known_site(without);
    assert_eq!(site.file(GAME, "deadline.txt"), "none\n");
    edit(&site, with_deadlines);
    tick(&site, NOW);
    assert_eq!(stands(&site).as_deref(), Some("202611242000"), "three days on, at 20:00, not doubled");
    let told = mails(&site, "N32");
    assert!(told.len() > 7 && told.iter().all(|mail| mail.subject.contains("Diplomacy deadline changed")), "{told:?}");
    for mail in &told {
        let text = one_line(&mail.text);
        assert!(text.contains("is played with deadlines from now on"), "{text}");
        assert!(text.contains("The deadline is Tuesday 24 November 2026 20:00 GMT."), "{text}");
    }
    assert!(mails(&site, "N38").is_empty(), "nothing was wrong");
    let audit = site.file(GAME, "audit.log");
    assert!(audit.contains("edited by hand: deadline 202611242000, NO_DEADLINE has gone"), "{audit}");
    assert!(why(&site).contains("A movement phase lasts 3 days"), "{}", why(&site));
    tick(&site, "2026-11-21T10:00:00Z");
    assert_eq!(mails(&site, "N32").len(), told.len(), "once");

    // Nothing to go by but the phase before.
    let site = known_site(|game| {
        without(game);
        order(game, &[]);
    });
    tick(&site, "2026-11-21T09:30:00Z");
    assert!(format!("{:?}", site.game(GAME).phase).contains("FALL 1901"));
    std::fs::remove_file(site.root().join("games/balkan9/deadline.txt")).expect("the account");
    edit(&site, with_deadlines);
    tick(&site, NOW);
    assert_eq!(stands(&site).as_deref(), Some("202611242000"));
}

/// A mail that comes before anybody has looked at the edit is done, not kept waiting.
#[test]
fn a_mail_behind_the_edit_finds_the_deadline() {
    let site = known_site(without);
    edit(&site, with_deadlines);
    let mail = plain("italy@example.org", "1", "SIGNON I@balkan9 pasta&vino\nA VEN H\nA ROM H\nF NAP H\nSIGNOFF");
    let sent = site.deliver_at(mail.as_bytes(), NOW);
    let reply = &sent.iter().find(|mail| mail.is_reply()).expect("a reply").text;
    assert!(reply.contains("Deadline: Tuesday 24 November 2026 20:00 GMT"), "{reply}");
    assert!(site.game(GAME).participant("ITALY").is_some_and(|p| p.orders.is_some()));
    assert_eq!(site.room("hold"), 0);
    assert!(sent.iter().any(|mail| mail.notice == "N32"), "{sent:?}");
}

#[test]
fn a_deadline_that_the_master_writes_himself_is_his_word() {
    let site = known_site(without);
    edit(&site, |game| {
        with_deadlines(game);
        deadline(game, "202611221800");
    });
    tick(&site, NOW);
    assert_eq!(stands(&site).as_deref(), Some("202611221800"), "sooner than TIMING has it, and yet");
    let told = mails(&site, "N32");
    assert!(told.len() > 7 && told.iter().all(|mail| mail.text.contains("Sunday 22 November 2026 18:00 GMT")));

    // One that is over is none.
    let site = known_site(without);
    edit(&site, |game| {
        with_deadlines(game);
        deadline(game, "202611201800");
    });
    tick(&site, NOW);
    assert_eq!(stands(&site).as_deref(), Some("202611242000"));
}

#[test]
fn a_game_with_neither_rule_nor_deadline_stays_in_error() {
    let faulty = |site: &Site| {
        tick(site, NOW);
        assert_eq!(stands(site), None);
        let told = mails(site, "N38");
        assert!(told.iter().any(|mail| mail.to == MASTER && mail.text.contains("GAME HAS NO DEADLINE!")), "{told:?}");
        assert!(mails(site, "N32").is_empty());
    };
    // The line was deleted by mistake.
    let site = known_site(|_| {});
    edit(&site, |game| game.deadline = None);
    faulty(&site);
    // It was played with deadlines the phase before.
    let site = known_site(|game| order(game, &[]));
    edit(&site, |game| game.deadline = None);
    faulty(&site);
    // Nothing is known of it.
    faulty(&Site::alone(GAME, |game| game.deadline = None));
    // More playing days than the clock counts: no deadline is possible.
    let site = known_site(without);
    edit(&site, |game| {
        with_deadlines(game);
        game.rules.push("JUMP_OFF_DAYS".into());
        game.timing.push(("MOVE".into(), "5000D".into()));
    });
    faulty(&site);
    // Mended, the rule has gone all the same.
    edit(&site, |game| game.timing.retain(|(key, _)| key != "MOVE"));
    tick(&site, "2026-11-21T10:00:00Z");
    assert_eq!(stands(&site).as_deref(), Some("202611242000"));
}

#[test]
fn where_no_deadline_is_written_in_the_deadline_goes() {
    let site = known_site(|game| {
        deadline(game, "202611211000");
        game.delay = 5;
    });
    tick(&site, BEFORE);
    edit(&site, |game| game.rules.push(NO_DEADLINE.into()));
    tick(&site, NOW);
    let game = site.game(GAME);
    assert_eq!((game.deadline, game.delay), (None, 0));
    assert_eq!(site.file(GAME, "deadline.txt"), "none\n");
    let told = mails(&site, "N32");
    assert!(told.len() > 7, "{told:?}");
    for mail in &told {
        let text = one_line(&mail.text);
        assert!(text.contains("The Master has taken the deadlines out of game balkan9, S1901M."), "{text}");
        assert!(text.contains("This game has no deadlines (RULE NO_DEADLINE)."), "{text}");
    }
    // And back.
    edit(&site, with_deadlines);
    tick(&site, "2026-11-21T10:00:00Z");
    assert_eq!(stands(&site).as_deref(), Some("202611242000"));
}

/// The same where a mail is done before anybody has looked.
#[test]
fn a_mail_behind_no_deadline_finds_none() {
    let site = known_site(|game| deadline(game, "202611211000"));
    edit(&site, |game| game.rules.push(NO_DEADLINE.into()));
    let mail = plain("italy@example.org", "1", "SIGNON I@balkan9 pasta&vino\nA VEN H\nA ROM H\nF NAP H\nSIGNOFF");
    site.deliver_at(mail.as_bytes(), NOW);
    assert!(site.game(GAME).participant("ITALY").is_some_and(|p| p.orders.is_some()));
    assert_eq!((stands(&site), site.file(GAME, "deadline.txt")), (None, "none\n".to_owned()));
    assert!(mails(&site, "N32").len() > 7, "all are told, as if a round had looked");
    edit(&site, with_deadlines);
    tick(&site, "2026-11-21T10:20:00Z");
    assert_eq!(stands(&site).as_deref(), Some("202611242000"), "not the one that was over");
}

/// Other rules of time count from the next check on, and move no deadline.
#[test]
fn other_rules_of_time_count_from_the_next_check_on() {
    let complete = || {
        let site = known_site(|game| {
            deadline(game, "202611281815");
            order(game, &[]);
            game.participants.iter_mut().filter(|p| p.name == "FRANCE").for_each(|p| p.wait = true);
        });
        assert!(in_spring(&site), "France waits");
        site
    };
    let then = |site: &Site, clock: &str, change: &dyn Fn(&mut Game)| {
        edit(site, change);
        tick(site, clock);
        assert!(mails(site, "N32").is_empty() && mails(site, "N38").is_empty());
        in_spring(site)
    };
    let rule = |game: &mut Game, rule: &str| game.rules.push(rule.into());
    let site = complete();
    assert!(then(&site, NOW, &|game| rule(game, "ALWAYS_WAIT")));
    assert!(then(&site, "2026-11-21T10:00:00Z", &|game| game.participants.iter_mut().for_each(|p| p.wait = false)));
    assert_eq!(stands(&site).as_deref(), Some("202611281815"));
    assert!(!then(&site, "2026-11-21T10:20:00Z", &|game| game.rules.retain(|rule| rule != "ALWAYS_WAIT")));
    // Nothing waits in a game in real time; without it again the deadline stays off the slot.
    let site = complete();
    assert!(!then(&site, NOW, &|game| rule(game, "REAL_TIME")));
    let (exact, now) = (stands(&site), "2026-11-21T10:00:00Z");
    let unslotted = |game: &mut Game| deadline(game, "202612011807");
    edit(&site, |game| unslotted(game));
    tick(&site, NOW);
    edit(&site, |game| game.rules.retain(|rule| rule != "REAL_TIME"));
    tick(&site, now);
    assert!(exact.is_some() && stands(&site).as_deref() == Some("202612011807"));
    // Nobody has a seat to lose until grace is written in, and it counts from the deadline.
    let site = known_site(|game| deadline(game, "202611210800"));
    edit(&site, |game| game.timing.push(("GRACE".into(), "1H".into())));
    tick(&site, NOW);
    assert_eq!((site.index(GAME).state, site.game(GAME).need.len()), (GameState::Waiting, 2));
}

fn in_spring(site: &Site) -> bool {
    format!("{:?}", site.game(GAME).phase).contains("SPRING 1901")
}

#[test]
fn a_deadline_or_zone_changed_by_hand_is_announced() {
    let site = known_site(|_| {});
    let changed = |clock: &str, words: &str, change: &dyn Fn(&mut Game)| {
        edit(&site, change);
        tick(&site, clock);
        let mut told: Vec<String> = mails(&site, "N32").iter().map(|mail| one_line(&mail.text)).collect();
        told.retain(|text| text.contains(&format!("The new deadline is {words}.")));
        let by = "The Master has changed the deadline of game balkan9, S1901M.";
        assert!(told.iter().all(|text| text.contains(by)), "{told:?}");
        told.len()
    };
    // The account of the deadline is what another process knows it by.
    let set = plain(MASTER, "1", "SIGNON M@balkan9 gm-secret\nSET DEADLINE 29 NOV 20:00\nSIGNOFF");
    site.deliver_at(set.as_bytes(), BEFORE);
    let all = mails(&site, "N32").len();
    let told = changed(NOW, "Monday 30 November 2026 18:00 GMT", &|game| deadline(game, "202611301800"));
    assert_eq!(told, all);
    let told = changed("2026-11-21T10:00:00Z", "Monday 30 November 2026 18:00 JST", &|game| {
        game.zone = Some("Asia/Tokyo".into());
    });
    assert_eq!(told, all);
    // A mail that comes before the round: the edit is announced all the same.
    edit(&site, |game| deadline(game, "202612021800"));
    let vote = plain("italy@example.org", "2", "SIGNON I@balkan9 pasta&vino\nSET WAIT\nSIGNOFF");
    site.deliver_at(vote.as_bytes(), "2026-11-21T10:05:00Z");
    assert!(site.game(GAME).participant("ITALY").is_some_and(|p| p.wait));
    let told = mails(&site, "N32");
    let fourth = "The new deadline is Wednesday 2 December 2026 18:00 JST.";
    assert_eq!(told.iter().filter(|mail| one_line(&mail.text).contains(fourth)).count(), all);
    // Another edit is nobody's business.
    edit(&site, |game| game.desc.push("More words.".into()));
    tick(&site, "2026-11-21T10:20:00Z");
    assert_eq!(mails(&site, "N32").len(), 4 * all);
    // Nor is a game that nobody plays.
    let mut line = site.index(GAME);
    line.state = GameState::Terminated;
    let mut game = site.game(GAME);
    deadline(&mut game, "202612031800");
    site.put(&game, &line);
    said(&site.run(&["tick", "--no-guard", "--clock", "2026-11-22T00:00:00Z"], b""));
    assert_eq!(mails(&site, "N32").len(), 4 * all);
}
