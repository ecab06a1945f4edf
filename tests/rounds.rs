//! Rounds of the clock over a site, with the real binary: who is opened and who sleeps, what a round does in which order,
//! failures, outages, and why a deadline is where it is (clock.md 3, 4, 8 to 12; operations.md 10).

mod support;

use chancery::status::{Game, Holder, PhaseKeyword, PlayerLine};
use std::process::Output;
use support::{Sent, Site, deadline, ended, order, plain, put_off, said};

const GAME: &str = "balkan9";

fn at(site: &Site, clock: &str, words: &[&str]) -> Output {
    site.run(&[words, &["--clock", clock]].concat(), b"")
}

fn tick(site: &Site, clock: &str) -> String {
    said(&at(site, clock, &["tick", "--no-guard"]))
}

/// A number out of what `tick` says: `games 4, opened 0, processed 0, failed 0`.
fn number(said: &str, word: &str) -> usize {
    let mut words = said.split([' ', ',', '\n']);
    words.find(|w| *w == word).and_then(|_| words.next()?.parse().ok()).unwrap_or_else(|| panic!("no {word}: {said}"))
}

/// The fixture's running game alone, changed.
fn site_with(change: impl FnOnce(&mut Game)) -> Site {
    Site::alone(GAME, change)
}

fn mails(site: &Site, clock: &str, notice: &str) -> Vec<Sent> {
    said(&at(site, clock, &["send"]));
    site.sent().into_iter().map(|(_, mail)| mail).filter(|mail| mail.notice == notice).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The twentieth minutes of 21 November 2026 from ten o'clock on, and of the days after.
fn round(n: u32) -> String {
    let minutes = n * 20;
    format!("2026-11-{:02}T{:02}:{:02}:00Z", 21 + (600 + minutes) / 1440, (600 + minutes) / 60 % 24, minutes % 60)
}

/// Rounds until every game sleeps: a file that was written just now is opened once more. The number of the last round.
fn to_sleep(site: &Site, from: u32) -> u32 {
    for n in from..from + 40 {
        if number(&tick(site, &round(n)), "opened") == 0 {
            return n;
        }
    }
    panic!("the games do not fall asleep");
}

#[test]
fn a_game_that_sleeps_is_opened_only_when_touched_or_due() {
    let site = site_with(|game| deadline(game, "202611282000"));
    let status = site.root().join("games").join(GAME).join("status");
    let opened = |clock: String| number(&tick(&site, &clock), "opened");
    let n = to_sleep(&site, 0);

    // A hand edit in place, of the same length.
    let text = std::fs::read_to_string(&status).expect("status");
    std::fs::write(&status, text.replace("A game for the tests.", "A game for a tester.")).expect("an edit");
    assert_eq!(opened(round(n + 1)), 1, "touched");
    assert!(site.file(GAME, "audit.log").contains("edited by hand"), "{}", site.file(GAME, "audit.log"));
    let n = to_sleep(&site, n + 2);

    // The keeper's line about it.
    let index = site.root().join("games/status");
    let line = std::fs::read_to_string(&index).expect("index");
    std::fs::write(&index, line.replace("active", "active suspect")).expect("index");
    assert_eq!(opened(round(n + 1)), 1, "another line of the index");
    let n = to_sleep(&site, n + 2);

    // An agenda that is lost, or not one.
    let agenda = site.root().join("cron/agenda");
    let good = std::fs::read_to_string(&agenda).expect("the agenda");
    std::fs::remove_file(&agenda).expect("lost");
    assert_eq!(opened(round(n + 1)), 1, "nothing is known of any game");
    assert_eq!(std::fs::read_to_string(&agenda).expect("the agenda"), good, "learnt again");
    std::fs::write(&agenda, good.replace(GAME, "balkan8")).expect("another hand");
    assert_eq!(opened(round(n + 2)), 1, "not our words");
    // A map of the keeper's may change what an order means.
    std::fs::write(site.root().join("maps/isle.map"), "BEGIN SPRING 1901 MOVEMENT\n").expect("a map");
    assert_eq!(opened(round(n + 3)), 1, "another world");
    to_sleep(&site, n + 4);

    // Two hours before the reminder (4 hours before the deadline), and at its moment.
    assert_eq!(opened("2026-11-28T14:00:00Z".into()), 0);
    assert_eq!(mails(&site, "2026-11-28T14:00:00Z", "N10").len(), 0);
    assert_eq!(opened("2026-11-28T16:00:00Z".into()), 1, "a reminder is due");
    assert_eq!(mails(&site, "2026-11-28T16:00:00Z", "N10").len(), 7);
    // Who is asked for by name is opened.
    assert_eq!(number(&said(&at(&site, "2026-11-28T16:20:00Z", &["tick", "--no-guard", GAME])), "opened"), 1);
}

#[test]
fn a_reminder_is_mailed_once_whatever_becomes_of_the_notes() {
    let site = site_with(|game| deadline(game, "202611282000"));
    tick(&site, "2026-11-28T15:40:00Z");
    tick(&site, "2026-11-28T16:00:00Z");
    assert_eq!(mails(&site, "2026-11-28T16:01:00Z", "N10").len(), 7);
    // As a backup of the notes would have it: the moment lies between the rounds once more.
    std::fs::write(site.root().join("cron/check.tim"), "round=1 time=2026-11-28T15:59:00Z\n").expect("check.tim");
    tick(&site, "2026-11-28T16:20:00Z");
    assert_eq!(mails(&site, "2026-11-28T16:21:00Z", "N10").len(), 7);
}

#[test]
fn a_game_that_a_round_could_not_check_loses_no_reminder() {
    use fs2::FileExt;
    // Whatever stands in the way at the moment of the reminder, and whether it is gone within the round or later.
    for (locked, clock) in
        [(true, "2026-11-28T16:05:00Z"), (true, "2026-11-28T16:20:00Z"), (false, "2026-11-28T16:05:00Z")]
    {
        let site = site_with(|game| deadline(game, "202611282000"));
        tick(&site, "2026-11-28T15:40:00Z");
        let before = mails(&site, "2026-11-28T15:41:00Z", "N10").len();
        if locked {
            let lock = std::fs::File::create(site.root().join("games").join(GAME).join(".lock")).expect("a lock file");
            lock.lock_exclusive().expect("the lock");
            tick(&site, "2026-11-28T16:00:00Z");
        } else {
            // Its journal cannot be written.
            let drafts = site.root().join("journal/tmp");
            std::fs::rename(&drafts, site.root().join("journal/away")).expect("renamed");
            let round = at(&site, "2026-11-28T16:00:00Z", &["tick", "--no-guard"]);
            assert_eq!(number(&ended(&round, 1), "failed"), 1);
            std::fs::rename(site.root().join("journal/away"), &drafts).expect("renamed");
        }
        assert_eq!(mails(&site, "2026-11-28T16:01:00Z", "N10").len(), before, "not mailed yet");
        let owed = std::fs::read_to_string(site.root().join("cron/owed")).expect("what is owed");
        assert_eq!(owed, format!("{GAME} since=2026-11-28T15:40:00Z soon\n"));
        let again = tick(&site, clock);
        assert_eq!((number(&again, "games"), number(&again, "opened")), (1, 1), "{again}");
        assert_eq!(mails(&site, "2026-11-28T16:21:00Z", "N10").len(), before + 7, "mailed by {clock}");
        assert!(!site.root().join("cron/owed").exists(), "nothing is owed any more");
        assert!(tick(&site, clock).contains("counted already"));
    }
}

/// A forming game is looked at once a day only: the round that makes up for a missed one is none of the day's first.
#[test]
fn a_forming_game_that_was_locked_has_its_daily_reminder_later() {
    use fs2::FileExt;
    let site = Site::of_fixture();
    let reminded = || site.file("form7", "audit.log").contains("reminders");
    let lock = std::fs::File::create(site.root().join("games/form7/.lock")).expect("a lock file");
    lock.lock_exclusive().expect("the lock");
    // The fixture was not written by the judge: before it is checked, it has to be taken over.
    tick(&site, "2026-11-22T00:00:00Z");
    assert!(!reminded());
    drop(lock);
    // Neither asleep nor forgotten where only what is played is looked at.
    said(&at(&site, "2026-11-22T00:05:00Z", &["tick", "--active"]));
    assert!(!reminded() && site.root().join("cron/owed").exists());
    tick(&site, "2026-11-22T00:10:00Z");
    assert!(reminded(), "{}", site.file("form7", "audit.log"));
    assert!(!site.root().join("cron/owed").exists());
}

/// A round that died between its last commit and the pages, and was counted.
#[test]
fn pages_that_a_round_has_left_are_made_by_the_next_tick() {
    let site = site_with(|game| deadline(game, "202611282000"));
    tick(&site, &round(0));
    let (mark, page) =
        (site.root().join("web/.dirty").join(GAME), site.root().join("web/game").join(GAME).join("index.html"));
    std::fs::write(&mark, "").expect("a mark");
    assert!(tick(&site, &round(0)).contains("counted already"));
    assert!(!mark.exists() && page.exists(), "{}", page.display());
}

#[test]
fn one_games_failure_never_stops_the_others() {
    let site = site_with(|game| {
        deadline(game, "202611211000");
        order(game, &["ITALY"]);
    });
    // Its status "file" cannot be read at all.
    std::fs::create_dir_all(site.root().join("games/aaa/status")).expect("a directory");
    let index = site.root().join("games/status");
    let lines = std::fs::read_to_string(&index).expect("index");
    std::fs::write(&index, format!("aaa standard active\nzzz standard active\n{lines}")).expect("index");
    for n in 0..3 {
        let round = at(&site, &round(n), &["tick"]);
        let text = ended(&round, 1);
        assert_eq!(number(&text, "games"), 3, "{text}");
        assert!(number(&text, "failed") >= 1, "{text}");
        assert!(String::from_utf8_lossy(&round.stderr).contains("aaa"), "it is said which");
    }
    assert_eq!(
        mails(&site, &round(3), "N13").iter().filter(|m| m.to == "italy@example.org").count(),
        1,
        "Italy is late"
    );
    let told: Vec<Sent> = mails(&site, &round(3), "N62");
    assert_eq!(told.iter().filter(|m| m.text.contains("Game aaa")).count(), 1, "once for an error: {told:?}");
    assert!(told.iter().all(|m| m.to == "keeper@judge.example"));
}

#[test]
fn control_goes_round_with_the_phases() {
    let control = |site: &Site| site.game(GAME).participant("ITALY").expect("Italy").control.join(" ");
    for (words, after) in [
        ("BEFORE M", "FRANCE AUSTRIA"),
        ("AFTER M", "FRANCE AUSTRIA"),
        ("FOR M", "FRANCE AUSTRIA"),
        ("", "FRANCE AUSTRIA"),
        ("AFTER R", "AUSTRIA FRANCE"),
        ("BEFORE R", "AUSTRIA FRANCE"),
    ] {
        let site = site_with(|game| {
            deadline(game, "202611211000");
            order(game, &[]);
            game.rotate = Some(words.into());
            let italy = game.participants.iter_mut().find(|p| p.name == "ITALY").expect("Italy");
            (italy.address, italy.password) = Default::default();
            italy.player = Some(PlayerLine { current: Holder::Dummy, earlier: Vec::new() });
            italy.control = vec!["AUSTRIA".into(), "FRANCE".into()];
        });
        let text = tick(&site, &round(0));
        assert!(text.contains("S1901M processed"), "{words}: {text}");
        assert_eq!(control(&site), after, "ROTATE {words}");
    }
}

/// A file that never answers, as on a dead network drive.
fn hang(path: &std::path::Path) {
    std::fs::remove_file(path).expect("the file");
    assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

#[test]
fn a_game_that_hangs_is_given_up_and_the_others_go_on() {
    let site = site_with(|game| {
        deadline(game, "202611211000");
        order(game, &[]);
    });
    // One before and one behind it in the round; that one's file lets nobody finish reading.
    for name in ["aaa", "hung", "zzz"] {
        let mut game = site.game(GAME);
        game.name = name.into();
        site.put(&game, &chancery::judge::IndexLine { name: name.into(), ..site.index(GAME) });
    }
    let hung = site.root().join("games/hung/status");
    hang(&hung);
    let tick = |clock: String| {
        let env = [("CHANCERY_SCHED_LIMIT", "5s")];
        let output = site.run_with(&["tick", "--no-guard", "--clock", &clock], &env, b"");
        (ended(&output, 1), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (text, why) = tick(round(0));
    for name in ["aaa", GAME, "zzz"] {
        assert!(text.contains(&format!("{name} S1901M processed")), "{text}");
        let page = site.root().join(format!("web/game/{name}/index.html"));
        assert!(std::fs::read_to_string(page).expect("page").contains("Fall"), "{name} is published");
    }
    assert_eq!((number(&text, "processed"), number(&text, "failed")), (3, 1), "{text}");
    assert!(why.contains("hung: its check took longer than 5 s and was given up"), "{why}");
    assert_eq!(number(&tick(round(1)).0, "failed"), 1);
    let told = mails(&site, &round(1), "N62");
    assert_eq!(told.iter().filter(|m| m.text.contains("Game hung")).count(), 1, "once for an error: {told:?}");
}

#[test]
fn pages_say_that_the_judge_was_away_until_the_keeper_resumes() {
    let site = site_with(|game| deadline(game, "202611282000"));
    let notice = || std::fs::read_to_string(site.root().join("web/notice.css")).expect("the notice");
    let away = "The judge was away; deadlines are being reviewed.";
    tick(&site, &round(0));
    assert!(!notice().contains(away));
    let page = std::fs::read_to_string(site.root().join("web/game/balkan9/index.html")).expect("page");
    assert!(page.contains("/notice.css\"") && page.contains("<p class=\"notice\""), "pages have a place for it");
    assert!(put_off(&at(&site, &round(9), &["tick"])).contains("suspended"));
    assert!(notice().contains(away));
    said(&at(&site, &round(9), &["clock", "resume"]));
    assert!(!notice().contains(away));
    said(&at(&site, &round(10), &["clock", "suspend", "repairs"]));
    assert!(notice().contains(away));
}

#[test]
fn a_processed_phase_has_its_effects_in_their_order() {
    let site = site_with(|game| {
        deadline(game, "202611211000");
        game.rules.push("CIVIL_DISORDER".into());
        game.delay = 2;
        order(game, &["ITALY"]);
        game.participants[0].wait = true;
    });
    let before = site.game(GAME);
    let text = tick(&site, &round(0));
    assert!(text.contains(&format!("{GAME} S1901M processed")), "{text}");
    // Rows 2 to 4: the state with its orders is kept, DELAY and WAIT are gone, AWAIT was never written.
    let kept = chancery::status::Document::parse(site.file(GAME, "status.S1901M").as_bytes()).expect("kept");
    assert_eq!(kept.game().participant("FRANCE").map(|p| &p.orders), before.participant("FRANCE").map(|p| &p.orders));
    assert!(kept.game().participant("FRANCE").is_some_and(|p| p.orders.is_some()));
    let after = site.game(GAME);
    assert_eq!((after.delay, after.keyword), (0, PhaseKeyword::Phase));
    assert!(after.participants.iter().all(|p| !p.wait && p.orders.is_none()));
    // Rows 8, 9 and 11.
    assert!(after.deadline > before.deadline);
    let results = site.file(GAME, "results");
    let place = |words: &str| results.find(words).unwrap_or_else(|| panic!("no {words:?} in {results}"));
    let next = place("The next phase of 'balkan9' will be Movement for Fall of 1901.");
    assert!(
        place("Subject: Diplomacy results balkan9 S1901M") < next && next < place("The deadline for orders will be")
    );
    assert_eq!(site.file(GAME, "results.jsonl").lines().count(), 1);
    // Row 1 before row 11, in one commit.
    let queue = said(&at(&site, &round(0), &["queue", "list"]));
    let notices: Vec<&str> = queue.lines().filter_map(|l| l.split_whitespace().find(|w| w.starts_with('N'))).collect();
    let (disorder, report) = (notices.iter().position(|n| *n == "N15"), notices.iter().position(|n| *n == "N17"));
    assert!(disorder.is_some() && disorder < report, "{queue}");
    let disorder = mails(&site, &round(0), "N15");
    assert!(disorder.iter().any(|m| m.to == "gm@example.org" && m.text.contains("Italy")), "{disorder:?}");
    let audit = site.file(GAME, "audit.log");
    assert_eq!(audit.lines().filter(|l| l.contains("process")).count(), 1, "{audit}");
    // The page is that of the new phase.
    let page = std::fs::read_to_string(site.root().join("web/game/balkan9/index.html")).expect("page");
    assert!(page.contains("Fall") && page.contains("1901"), "the page shows the new phase");
}

#[test]
fn rounds_are_counted_as_in_the_worked_example() {
    let site = site_with(|game| {
        deadline(game, "202611210700");
        game.delay = 24;
    });
    let delay = |clock: &str| {
        tick(&site, &format!("2026-11-21T{clock}:00Z"));
        site.game(GAME).delay
    };
    assert_eq!(delay("08:20"), 23);
    assert_eq!(delay("08:25"), 23, "twice in one round counts once");
    assert_eq!(delay("08:40"), 22);
    // Down until 09:40: not longer than the guard, and what was missed is not made up for.
    let guarded = said(&at(&site, "2026-11-21T09:40:00Z", &["tick"]));
    assert!(guarded.starts_with("games "), "{guarded}");
    assert_eq!(site.game(GAME).delay, 21);

    // Longer than the guard: nothing is done, the keeper is told once which deadlines fell into it.
    let mut game = site.game(GAME);
    deadline(&mut game, "202611211000");
    site.put(&game, &site.index(GAME));
    for clock in ["2026-11-21T10:45:00Z", "2026-11-21T11:00:00Z"] {
        let idle = put_off(&at(&site, clock, &["tick"]));
        assert!(idle.contains("nothing done: suspended"), "{idle}");
    }
    assert_eq!(site.game(GAME).delay, 21);
    let told = mails(&site, "2026-11-21T11:01:00Z", "N63");
    assert_eq!(told.len(), 1);
    assert!(told[0].text.contains("balkan9: Saturday 21 November 2026 10:00 GMT"), "{}", told[0].text);
    let words = said(&at(&site, "2026-11-21T11:02:00Z", &["clock", "explain", GAME]));
    assert!(words.contains("All deadline work is suspended: since=2026-11-21T09:40:00Z"), "{words}");
    assert_eq!(delay("11:05"), 20, "one round regardless");
    assert!(put_off(&at(&site, "2026-11-21T11:20:00Z", &["tick"])).contains("nothing done: suspended"));
    said(&at(&site, "2026-11-21T11:21:00Z", &["clock", "resume"]));
    said(&at(&site, "2026-11-21T11:40:00Z", &["tick"]));
    assert_eq!(site.game(GAME).delay, 19);
}

#[test]
fn late_notices_tell_everybody_first_and_the_master_once_a_day() {
    let site = site_with(|game| {
        deadline(game, "202611211000");
        order(game, &["ITALY"]);
    });
    let mut seen = 0;
    let mut notice = |clock: &str| {
        let mut game = site.game(GAME);
        game.delay = 0;
        site.put(&game, &site.index(GAME));
        tick(&site, clock);
        assert_eq!(site.game(GAME).delay, 24, "at {clock}");
        let all = mails(&site, clock, "N13");
        let fresh: Vec<String> = all[seen..].iter().map(|m| format!("{} {}", m.to, m.subject)).collect();
        seen = all.len();
        (fresh.len(), fresh.iter().any(|m| m.starts_with("gm@")), fresh.iter().filter(|m| m.contains("missed")).count())
    };
    let (all, master, late) = notice("2026-11-21T10:00:00Z");
    assert!(all >= 8 && master && late == 1, "everybody, and Italy that it has missed it");
    assert_eq!(notice("2026-11-21T18:20:00Z"), (1, false, 1));
    assert_eq!(notice("2026-11-22T02:40:00Z"), (1, false, 1));
    assert_eq!(notice("2026-11-22T11:00:00Z"), (2, true, 1));
}

#[test]
fn a_wait_phase_reminds_its_master_and_goes_on_at_the_deadline() {
    let site = site_with(|game| {
        deadline(game, "202611211400");
        game.keyword = PhaseKeyword::Wait;
        order(game, &[]);
    });
    tick(&site, &round(0));
    let told = mails(&site, &round(0), "N10");
    assert_eq!(told.iter().map(|m| m.to.as_str()).collect::<Vec<_>>(), ["gm@example.org"], "{told:?}");
    assert!(!tick(&site, "2026-11-21T13:40:00Z").contains("S1901M processed"));
    assert!(tick(&site, "2026-11-21T14:00:00Z").contains("S1901M processed"));
}

#[test]
fn after_a_civil_preview_the_last_orders_let_the_game_go_on() {
    let stopped = || {
        let site = site_with(|game| {
            deadline(game, "202611211000");
            game.rules.push("CIVIL_PREVIEW".into());
            game.timing.push(("GRACE".into(), "0H".into()));
            order(game, &["ITALY"]);
        });
        tick(&site, &round(0));
        assert_eq!(site.index(GAME).state, chancery::judge::GameState::Waiting);
        assert_eq!(
            mails(&site, &round(0), "N16").iter().map(|m| m.to.as_str()).collect::<Vec<_>>(),
            ["gm@example.org"]
        );
        assert!(!tick(&site, &round(1)).contains("processed 1"));
        site
    };
    let site = stopped();
    let orders = "SIGNON I@balkan9 pasta&vino\nA VEN H\nA ROM H\nF NAP H\nSIGNOFF";
    let replies = site.deliver_at(plain("italy@example.org", "orders", orders).as_bytes(), "2026-11-21T10:25:00Z");
    assert_eq!(site.index(GAME).state, chancery::judge::GameState::Active, "{replies:?}");
    assert!(tick(&site, &round(2)).contains("S1901M processed"));

    let site = stopped();
    let now = "2026-11-21T10:25:00Z";
    let word = |text: &str| plain("gm@example.org", "go on", &format!("SIGNON M@balkan9 gm-secret\n{text}\nSIGNOFF"));
    site.deliver_at(word("PROCESS").as_bytes(), now);
    assert!(site.file(GAME, "status.S1901M").is_empty(), "orders are missing");
    site.deliver_at(word("PROCESS!").as_bytes(), now);
    assert!(!site.file(GAME, "status.S1901M").is_empty(), "processed with what is in");
    assert_eq!(site.index(GAME).state, chancery::judge::GameState::Active);
}

#[test]
fn everybody_is_told_the_same_of_why_a_deadline_is_where_it_is() {
    let site = site_with(|game| {
        deadline(game, "202611211000");
        game.timing =
            vec![("NEXT".into(), "1D".into()), ("AT".into(), "20:00".into()), ("NOT".into(), "20261123".into())];
        order(game, &[]);
    });
    let by_hand = said(&at(&site, &round(0), &["clock", "explain", GAME]));
    assert!(by_hand.contains("written into the status file by hand: Saturday 21 November 2026 10:00 GMT"), "{by_hand}");
    tick(&site, &round(0));
    let words = one_line(&said(&at(&site, &round(0), &["clock", "explain", GAME])));
    // Saturday 10:00, a day on, at 20:00; Sunday has no deadlines, on Monday somebody is absent.
    for step in
        ["A movement phase lasts 1 day (NEXT 1D).", "No deadline of a movement phase falls on a", "Somebody is absent"]
    {
        assert!(words.contains(step), "{step}: {words}");
    }
    assert!(words.contains("The deadline is Tuesday 24 November 2026 20:00 GMT."), "{words}");

    let sheet = "SIGNON M@balkan9 gm-secret\nSET DEADLINE 25 NOV 12:00\nSIGNOFF";
    site.deliver_at(plain("gm@example.org", "later", sheet).as_bytes(), "2026-11-21T10:05:00Z");
    let account = site.file(GAME, "deadline.txt");
    let (head, account) = account.split_once('\n').expect("an account");
    let paragraph = one_line(account);
    assert_eq!(head, "202611251200 GMT moved 2026-11-21T10:05:00Z");
    let moved = "On Saturday 21 November 2026 10:05 GMT the Master moved it from Tuesday 24 November 2026 20:00 GMT to Wednesday 25 November 2026 12:00 GMT.";
    assert!(paragraph.contains("(NEXT 1D).") && paragraph.ends_with(moved), "{paragraph}");
    let explained = one_line(&said(&at(&site, "2026-11-21T10:06:00Z", &["clock", "explain", GAME])));
    assert!(explained.contains(&paragraph), "{explained}");
    let page = std::fs::read_to_string(site.root().join("web/game/balkan9/index.html")).expect("page");
    assert!(page.contains(&paragraph), "the page says the same");
    let notices = mails(&site, "2026-11-21T10:06:00Z", "N32");
    assert!(notices.len() > 7 && notices.iter().all(|m| one_line(&m.text).contains(&paragraph)), "{notices:?}");
    let reply =
        site.sent().into_iter().map(|(_, m)| m).rfind(|m| m.is_reply() && m.to == "gm@example.org").expect("a reply");
    assert!(one_line(&reply.text).contains(&paragraph), "{}", reply.text);

    // An edit by hand makes another deadline, of which the account knows nothing.
    let mut game = site.game(GAME);
    deadline(&mut game, "202611261200");
    site.put(&game, &site.index(GAME));
    let words = said(&at(&site, "2026-11-21T10:10:00Z", &["clock", "explain", GAME]));
    assert!(words.contains("by hand: Thursday 26 November 2026 12:00 GMT"), "{words}");
}

#[test]
fn a_first_deadline_is_doubled_and_says_so() {
    let mut site = Site::empty(vec![("registry.mode", "\"none\"")]);
    site.now = "2026-11-16T10:00:00Z".into();
    site.mail("gm@example.org", "CREATE pair gm-secret\nFORM\nSIGNOFF");
    for n in 0..7 {
        site.mail(&format!("p{n}@example.org"), &format!("JOIN pair word-{n}\nSIGNOFF"));
    }
    let words = one_line(&said(&at(&site, &site.now, &["clock", "explain", "pair"])));
    assert!(
        words.contains("A movement phase lasts 3 days (the usual delay), doubled for the first deadline."),
        "{words}"
    );
    assert!(words.contains("The deadline is Monday 23 November 2026 10:00"), "{words}");
}

#[test]
fn an_extension_is_known_by_the_deadline_it_made() {
    let site = site_with(|game| deadline(game, "202611280900"));
    let now = "2026-11-27T00:00:00Z";
    let extend = || {
        let words = ["clock", "extend", "--from", "2026-11-28T00:00:00Z", "--to", "2026-11-30T00:00:00Z", "--by", "1D"];
        said(&at(&site, now, &words))
    };
    assert!(extend().contains("moved Saturday 28 November 2026 09:00 GMT -> Sunday 29 November 2026 09:00 GMT"));
    // Months of mail behind it: more than the end of the log that is looked at elsewhere.
    let log = site.root().join("games").join(GAME).join("audit.log");
    let mut audit = std::fs::read_to_string(&log).expect("audit.log");
    let last = audit.lines().last().expect("a line").to_owned();
    let (seq, rest) = last.split_once(' ').expect("a number");
    let stamp = rest.split(' ').next().and_then(|s| s.split_once("..")).map(|(_, after)| after).expect("stamps");
    let seq: u64 = seq.parse().expect("a number");
    for n in 1..2000 {
        audit += &format!("{} {stamp}..{stamp} 2026-11-27T00:00:00Z mail of france@example.org\n", seq + n);
    }
    std::fs::write(&log, audit).expect("audit.log");
    assert_eq!(extend(), format!("{GAME}: moved before\n"));
    assert_eq!(site.game(GAME).deadline.map(|d| d.format("%d %H:%M").to_string()).as_deref(), Some("29 09:00"));

    // The Master sets another one that lies in the outage: that one was not moved before.
    let sheet = "SIGNON M@balkan9 gm-secret\nSET DEADLINE 28 NOV 12:00\nSIGNOFF";
    site.deliver_at(plain("gm@example.org", "back", sheet).as_bytes(), now);
    assert!(extend().contains("moved Saturday 28 November 2026 12:00 GMT -> Sunday 29 November 2026 12:00 GMT"));
    assert_eq!(extend(), format!("{GAME}: moved before\n"));
    let words = one_line(&said(&at(&site, now, &["clock", "explain", GAME])));
    assert!(words.contains("the judgekeeper moved it from Saturday 28 November 2026 12:00 GMT"), "{words}");
}

#[test]
fn reminders_alone_and_active_games_alone() {
    let site = Site::of_fixture();
    let forming = |notices: Vec<Sent>| notices.iter().filter(|m| m.notice == "N37").count();
    let text = said(&at(&site, &round(0), &["tick", "--active"]));
    assert!(text.starts_with("games "), "{text}");
    assert_eq!(forming(mails(&site, &round(0), "N37")), 0, "only games that are played");
    let count = site.game(GAME).delay;
    said(&at(&site, "2026-11-21T10:05:00Z", &["tick", "--reminders"]));
    let reminded = forming(mails(&site, "2026-11-21T10:05:00Z", "N37"));
    assert!(reminded > 0, "Masters of games that form or wait");
    assert_eq!(site.game(GAME).delay, count, "no game is checked");
    said(&at(&site, "2026-11-21T10:06:00Z", &["tick", "--reminders"]));
    assert_eq!(forming(mails(&site, "2026-11-21T10:06:00Z", "N37")), reminded, "not twice in one round");
}
