//! The keeper and the clock: outages, suspension, moving deadlines, words that are wrong; and that a round is a function of
//! the games, the round before, and the moment (clock.md 12, operations.md OPS-080 to OPS-085).

mod support;

use chancery::status::{Game, PhaseKeyword};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;
use support::{Site, deadline, put_off, said, standard};

const GAME: &str = "balkan9";

fn at(site: &Site, clock: &str, words: &[&str]) -> Output {
    site.run(&[words, &["--clock", clock]].concat(), b"")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The fixture's running game alone, changed.
fn site_with(change: impl FnOnce(&mut Game)) -> Site {
    Site::alone(GAME, change)
}

fn stands(site: &Site, game: &str) -> String {
    site.game(game).deadline.expect("a deadline").format("%d %H:%M").to_string()
}

fn notices(site: &Site, clock: &str, notice: &str) -> usize {
    said(&at(site, clock, &["send"]));
    site.sent().into_iter().filter(|(_, mail)| mail.notice == notice).count()
}

fn check_tim(site: &Site) -> String {
    std::fs::read_to_string(site.root().join("cron/check.tim")).expect("check.tim")
}

#[test]
fn resuming_swallows_no_reminder() {
    // Four hours before 16:05 is 12:05: after the outage, before the keeper looked.
    let site = site_with(|game| deadline(game, "202611211605"));
    said(&at(&site, "2026-11-21T09:00:00Z", &["tick"]));
    assert!(put_off(&at(&site, "2026-11-21T12:00:00Z", &["tick"])).contains("suspended"));
    said(&at(&site, "2026-11-21T12:13:00Z", &["clock", "resume"]));
    said(&at(&site, "2026-11-21T12:20:00Z", &["tick"]));
    assert_eq!(notices(&site, "2026-11-21T12:20:00Z", "N10"), 7);
}

#[test]
fn a_day_that_began_in_the_outage_has_its_reminders() {
    let site = Site::of_fixture();
    said(&at(&site, "2026-11-21T22:00:00Z", &["tick"]));
    let before = notices(&site, "2026-11-21T22:00:00Z", "N37");
    assert!(put_off(&at(&site, "2026-11-22T04:40:00Z", &["tick"])).contains("suspended"));
    said(&at(&site, "2026-11-22T05:10:00Z", &["clock", "resume"]));
    said(&at(&site, "2026-11-22T05:20:00Z", &["tick"]));
    let told = notices(&site, "2026-11-22T05:20:00Z", "N37");
    assert!(told > before, "Masters of games that form or wait hear of them once a day");
    said(&at(&site, "2026-11-22T05:40:00Z", &["tick"]));
    assert_eq!(notices(&site, "2026-11-22T05:40:00Z", "N37"), told);
}

#[test]
fn where_there_was_no_outage_resuming_changes_nothing() {
    let site = site_with(|game| deadline(game, "202611211015"));
    said(&at(&site, "2026-11-21T10:00:00Z", &["tick"]));
    let before = check_tim(&site);
    let words = said(&at(&site, "2026-11-21T10:14:00Z", &["clock", "resume", "--extend"]));
    assert_eq!(words, "resumed; it was not suspended\n");
    assert_eq!((check_tim(&site), stands(&site, GAME)), (before, "21 10:15".into()));

    // An outage that no round has noticed yet is one; what it has moved is not moved again.
    let now = "2026-11-21T14:00:00Z";
    let words = said(&at(&site, now, &["clock", "resume", "--extend"]));
    assert!(
        words.contains("moved Saturday 21 November 2026 10:15 GMT -> Saturday 21 November 2026 14:20 GMT"),
        "{words}"
    );
    said(&at(&site, "2026-11-21T14:10:00Z", &["clock", "resume", "--extend"]));
    assert_eq!(stands(&site, GAME), "21 14:20");
    assert!(said(&at(&site, "2026-11-21T14:20:00Z", &["tick"])).starts_with("games 1"), "and rounds go on");
}

/// A game that cannot be read does not keep the others suspended: its Master mends it, the keeper moves it then.
#[test]
fn a_damaged_game_does_not_hold_up_the_others() {
    let site = site_with(|game| deadline(game, "202611211015"));
    std::fs::create_dir_all(site.root().join("games/aaa/status")).expect("a directory");
    let index = site.root().join("games/status");
    let lines = std::fs::read_to_string(&index).expect("index");
    std::fs::write(&index, format!("aaa standard active\nzzz standard active\n{lines}")).expect("index");
    let _ = at(&site, "2026-11-21T10:00:00Z", &["tick"]);
    assert!(put_off(&at(&site, "2026-11-21T12:00:00Z", &["tick"])).contains("suspended"));
    let resumed = at(&site, "2026-11-21T12:10:00Z", &["clock", "resume", "--extend"]);
    let words = said(&resumed);
    assert!(words.contains("balkan9: moved") && words.contains("resumed; was suspended"), "{words}");
    let told = errors(&resumed);
    assert!(told.contains("aaa: ") && told.contains("zzz: "), "{told}");
    let advice = "clock extend --from 2026-11-21T10:00:00Z --to 2026-11-21T14:20:00Z --by 130M";
    assert!(told.contains(advice), "what to do when they are mended: {told}");
    assert_eq!(stands(&site, GAME), "21 12:40", "10:15 and 130 minutes, raised to the slot");
    assert!(!site.root().join("cron/suspended").exists());
}

#[test]
fn a_clock_set_back_stops_deadline_work_until_the_keeper_resumes() {
    let site = site_with(|game| deadline(game, "202611210800"));
    said(&at(&site, "2026-11-21T12:00:00Z", &["tick"]));
    let idle = put_off(&at(&site, "2026-11-21T09:00:00Z", &["tick"]));
    assert!(idle.contains("the clock was set back by 180 minutes"), "{idle}");
    said(&at(&site, "2026-11-21T09:05:00Z", &["clock", "resume"]));
    assert!(said(&at(&site, "2026-11-21T09:20:00Z", &["tick"])).starts_with("games 1"));
}

#[test]
fn an_extension_keeps_to_zone_and_grain() {
    // Paris goes back at 01:00 UTC on 25 October 2026: 00:30 and four hours of the sun are 03:30.
    let site = site_with(|game| {
        game.zone = Some("Europe/Paris".into());
        deadline(game, "202610250030");
    });
    let extend = |site: &Site| {
        let words = ["clock", "extend", "--from", "2026-10-24T20:00:00Z", "--to", "2026-10-25T00:00:00Z", "--by", "4H"];
        said(&at(site, "2026-10-24T23:00:00Z", &words))
    };
    extend(&site);
    assert_eq!(stands(&site, GAME), "25 03:40", "raised to the slot");
    let site = site_with(|game| {
        game.zone = Some("Europe/Paris".into());
        game.rules.push("REAL_TIME".into());
        deadline(game, "202610250030");
    });
    let words = extend(&site);
    assert!(words.contains("00:30 CEST -> Sunday 25 October 2026 03:30 CET"), "{words}");
}

#[test]
fn words_that_are_wrong_are_answered_with_what_would_be_right() {
    let site = site_with(|_| {});
    let now = "2026-11-21T10:00:00Z";
    let range = ["--from", "2026-11-21T09:00:00Z", "--to", "2026-11-21T08:00:00Z", "--by", "1H"];
    for (words, right) in [
        (&["clock", "explain", "nosuch"][..], "nosuch"),
        (&["clock", "explain", "../passwd"], "passwd"),
        (&["clock", "extend", "--from", "yesterday", "--to", now, "--by", "1H"], "want an RFC 3339 time, such as"),
        (&["clock", "extend", "--from", now, "--to", now, "--by", "1"], "want digits and M, H, D or W"),
        (&["clock", "extend", "--from", now, "--to", now, "--by", "0H"], "--by above 0"),
        (&[&["clock", "extend"], &range[..]].concat(), "want --from not after --to"),
        (&["clock", "extend", "--from", now], "--to"),
    ] {
        let output = at(&site, now, words);
        assert!(!output.status.success() && errors(&output).contains(right), "{words:?}: {}", errors(&output));
    }
    let output = site.run(&["tick", "--clock", "noon"], b"");
    assert!(errors(&output).contains("want an RFC 3339 time"), "{}", errors(&output));
}

/// All files below a directory, with what they hold.
fn tree(root: &Path, below: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut left = vec![root.join(below)];
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                left.push(path);
            } else {
                let name = path.strip_prefix(root).expect("below").to_string_lossy().into_owned();
                files.insert(name, std::fs::read(&path).expect("a file"));
            }
        }
    }
    files
}

/// The same games, rounds and moments come to the same files and the same mails, byte for byte, in whatever order the
/// index names the games and however often a round is tried.
#[test]
fn rounds_are_a_function_of_games_last_round_and_now() {
    let begin = |upside_down: bool| {
        let site = Site::of_fixture();
        let (line, model) = (site.index(GAME), site.game(GAME));
        let put = |name: &str, change: &dyn Fn(&mut Game)| {
            let mut game = Game { name: name.into(), zone: None, ..model.clone() };
            deadline(&mut game, "202611211100");
            change(&mut game);
            let mut line = line.clone();
            line.name = name.into();
            site.put(&game, &line);
        };
        let hold = |game: &mut Game, but: &str| {
            let owed: Vec<_> = game.participants.iter().filter(|p| p.name != but).cloned().collect();
            for p in owed.iter().filter(|p| !p.units.is_empty()) {
                let orders: Vec<String> = p.units.iter().map(|unit| format!("{unit} H")).collect();
                chancery::referee::Referee::store(&standard(), game, &p.name, &orders);
            }
        };
        put("alpha", &|game| hold(game, ""));
        put("bravo", &|game| hold(game, "ITALY"));
        put("delta", &|game| {
            game.timing.push(("GRACE".into(), "20M".into()));
            hold(game, "FRANCE");
        });
        put("echo", &|game| {
            game.rules.extend(["CIVIL_DISORDER".to_owned(), "CD_RETREATS".to_owned()]);
            hold(game, "RUSSIA");
        });
        put("foxtrot", &|game| game.keyword = PhaseKeyword::Wait);
        put("golf", &|game| deadline(game, "202611211500"));
        if upside_down {
            let index = site.root().join("games/status");
            let text = std::fs::read_to_string(&index).expect("index");
            let lines: Vec<&str> = text.lines().rev().collect();
            std::fs::write(index, lines.join("\n") + "\n").expect("index");
        }
        site
    };
    let play = |site: &Site, again: bool| {
        for clock in ["10:40", "11:00", "11:20", "11:40", "12:20"] {
            let clock = format!("2026-11-21T{clock}:00Z");
            said(&at(site, &clock, &["tick"]));
            if again {
                said(&at(site, &clock, &["tick"]));
            }
        }
        let mut files = tree(&site.root(), "games");
        files.extend(tree(&site.root(), "outbox"));
        files.retain(|name, _| !name.ends_with("games/status"));
        files
    };
    let (one, other) = (play(&begin(false), false), play(&begin(true), true));
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&one), names(&other));
    for (name, bytes) in &one {
        assert_eq!(String::from_utf8_lossy(bytes), String::from_utf8_lossy(&other[name]), "{name}");
    }
    let processed = ["alpha", "echo"].map(|game| one.contains_key(&format!("games/{game}/status.S1901M")));
    assert_eq!(processed, [true, true], "{:?}", names(&one));
    assert!(one.keys().filter(|name| name.starts_with("outbox/")).count() > 30, "mails were queued");
}
