//! Verbs that work on a site, with the real binary: the clock after an outage, the queue, dead mail (operations.md 2.1).

mod support;

use std::process::Output;
use support::{Site, put_off};

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn at(site: &Site, clock: &str, words: &[&str]) -> Output {
    site.run(&[words, &["--clock", clock]].concat(), b"")
}

/// An active game of the fixture with its deadline put here.
fn site_with_deadline(stamp: &str) -> (Site, String) {
    let site = Site::of_fixture();
    let index = std::fs::read_to_string(site.root().join("games/status")).expect("index");
    let lines = index.lines().filter_map(chancery::status::index::parse);
    let line = lines.into_iter().find(|l| l.state == chancery::judge::GameState::Active).expect("an active game");
    let mut game = site.game(&line.name);
    game.zone = None;
    game.timing.clear();
    game.deadline = chrono::NaiveDateTime::parse_from_str(stamp, "%Y%m%d%H%M").ok();
    site.put(&game, &line);
    (site, line.name)
}

fn deadline(site: &Site, game: &str) -> String {
    site.game(game).deadline.map(|d| d.format("%Y%m%d%H%M").to_string()).unwrap_or_default()
}

#[test]
fn an_outage_is_made_good_once() {
    let (site, game) = site_with_deadline("202611280900");
    std::fs::create_dir_all(site.root().join("cron")).expect("cron");
    let last = "round=1 time=2026-11-28T08:40:00Z\n";
    std::fs::write(site.root().join("cron/check.tim"), last).expect("check.tim");
    said(&at(&site, "2026-11-28T10:00:00Z", &["clock", "suspend", "the", "machine", "moves"]));
    let note = std::fs::read_to_string(site.root().join("cron/suspended")).expect("suspended");
    assert_eq!(note, "since=2026-11-28T08:40:00Z at=2026-11-28T10:00:00Z reason=the machine moves\n");
    assert!(put_off(&at(&site, "2026-11-28T10:20:00Z", &["tick"])).contains("nothing done: suspended"));

    let now = "2026-11-28T10:45:00Z";
    let dry = said(&at(&site, now, &["clock", "resume", "--extend", "--dry-run"]));
    assert!(dry.contains(&format!("{game}: would move Saturday 28 November 2026 09:00")), "{dry}");
    assert_eq!(deadline(&site, &game), "202611280900", "a dry run changes nothing");
    assert!(site.root().join("cron/suspended").exists());

    said(&at(&site, now, &["clock", "resume", "--extend"]));
    assert_eq!(deadline(&site, &game), "202611281120");
    assert!(!site.root().join("cron/suspended").exists());
    said(&at(&site, now, &["send"]));
    let told = site.sent().into_iter().filter(|(_, mail)| mail.notice == "N32").count();
    assert!(told > 1, "the players are told: {told}");

    // A crash before the note was removed: the second run moves nothing again.
    std::fs::write(site.root().join("cron/suspended"), note).expect("suspended");
    let again = said(&at(&site, "2026-11-28T10:50:00Z", &["clock", "resume", "--extend"]));
    assert!(again.contains(&format!("{game}: moved before")), "{again}");
    assert_eq!(deadline(&site, &game), "202611281120");
    let round = said(&at(&site, "2026-11-28T11:00:00Z", &["tick"]));
    assert!(!round.contains("nothing done"), "the guard counts from resuming: {round}");
}

#[test]
fn deadlines_moved_by_hand() {
    let (site, game) = site_with_deadline("202611280900");
    let extend = |from: &str, by: &str| {
        let words = ["clock", "extend", "--from", from, "--to", "2026-11-29T00:00:00Z", "--by", by];
        at(&site, "2026-11-27T00:00:00Z", &words)
    };
    assert_eq!(said(&extend("2026-11-28T09:01:00Z", "1D")), "", "the deadline is before");
    assert!(!extend("2026-11-30T00:00:00Z", "1D").status.success(), "from is after to");
    said(&extend("2026-11-28T09:00:00Z", "1D"));
    assert_eq!(deadline(&site, &game), "202611290900");
    let words = said(&at(&site, "2026-11-27T00:00:00Z", &["clock", "explain", &game]));
    assert!(words.contains("Its deadline is Sunday 29 November 2026 09:00"), "{words}");
    assert!(words.contains("A movement phase lasts 3 days"), "{words}");
    assert!(!at(&site, "2026-11-27T00:00:00Z", &["clock", "explain", "nosuch"]).status.success());
}

#[test]
fn the_queue_by_hand() {
    let (site, _) = site_with_deadline("202611280900");
    let now = "2026-11-27T00:00:00Z";
    let extend = ["clock", "extend", "--from", now, "--to", "2026-11-29T00:00:00Z", "--by", "1D"];
    said(&at(&site, now, &extend));
    let lines = said(&at(&site, now, &["queue", "list"]));
    assert!(lines.lines().count() > 1 && lines.lines().all(|l| l.starts_with("new ") && l.contains("N32")), "{lines}");
    let ids: Vec<&str> = lines.lines().filter_map(|l| l.split_whitespace().nth(1)).collect();
    assert!(said(&at(&site, now, &["queue", "show", ids[0]])).contains("Diplomacy deadline changed"));
    said(&at(&site, now, &["queue", "hold", ids[0]]));
    said(&at(&site, now, &["queue", "drop", ids[1]]));
    let lines = said(&at(&site, now, &["queue", "list"]));
    assert!(lines.contains(&format!("hold {}", ids[0])) && !lines.contains(ids[1]), "{lines}");
    assert!(said(&at(&site, now, &["queue", "flush"])).contains(&format!("{} due now", ids.len() - 1)));
    assert!(!at(&site, now, &["queue", "retry", "../../chancery"]).status.success(), "no way out of the outbox");
    assert!(!at(&site, now, &["queue", "show", ids[1]]).status.success());
}

#[test]
fn dead_mail_and_versions() {
    let site = Site::of_fixture();
    let name = "1795770000000000.1.abcdef.eml";
    std::fs::write(site.root().join("dead").join(name), b"From: a@b.example\n\nhello\n").expect("dead");
    std::fs::write(site.root().join("dead").join(name).with_extension("why"), b"tried thrice\n").expect("why");
    let now = "2026-11-27T00:00:00Z";
    assert_eq!(said(&at(&site, now, &["dead", "list"])), format!("{name} tried thrice\n"));
    assert!(said(&at(&site, now, &["dead", "show", name])).contains("hello"));
    said(&at(&site, now, &["dead", "retry", name]));
    assert_eq!((site.dead(), site.room("new")), (0, 1));
    assert!(!at(&site, now, &["dead", "drop", name]).status.success());
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_chancery")).arg("version").output().expect("version");
    assert!(said(&output).contains("time zones 20"));
}
