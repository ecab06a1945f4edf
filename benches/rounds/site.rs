//! Rounds over a site of 100,000 games. Divan measures time; here CPU time, memory and opened files count, and a round
//! cannot be repeated without making the site anew, so the numbers are taken once and printed.

use chancery::archive::Stamp;
use chancery::clerk::{Clerk, TickOptions};
use chancery::site::{Beginnings, Site, init};
use chrono::{DateTime, TimeDelta, Utc};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A status file with seven players, three of whom have ordered.
const GAME: &str = include_str!("../../tests/data/status/hexham.status");
/// A hash of the usual form; nobody signs on here.
const HASH: &str =
    "PASSWORD $argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI";

/// The round that finds all games asleep.
fn start() -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_867_200, 0).unwrap_or_default()
}

/// What the games are like.
#[derive(Clone, Copy)]
struct Kind {
    /// In hours from the start.
    deadline: i64,
    delay: u8,
    /// Everybody has ordered.
    ordered: bool,
    /// Somebody wants the deadline to be waited for.
    waits: bool,
}

const SLEEPING: Kind = Kind { deadline: 60, delay: 0, ordered: false, waits: true };

fn status(name: &str, kind: Kind) -> String {
    let deadline = (start() + TimeDelta::hours(kind.deadline)).format("%Y%m%d%H%M");
    let mut text = String::new();
    let mut idle: Vec<&str> = Vec::new();
    for line in GAME.lines().chain([""]) {
        match line.split(' ').next().unwrap_or_default() {
            "A" | "F" if !text.ends_with("ORDERS\n") && !line.contains(" - ") => {
                idle.push(line);
                text.push_str(line);
            }
            "ORDERS" => {
                idle.clear();
                text.push_str(line);
            }
            "WAIT" if !kind.waits => continue,
            "" if kind.ordered && !idle.is_empty() => {
                text.push_str("ORDERS\n");
                idle.drain(..).for_each(|unit| text.push_str(&format!("{unit} H\n")));
            }
            "GAME" => text.push_str(&format!("GAME {name}")),
            "PASSWORD" => text.push_str(HASH),
            "DEADLINE" => text.push_str(&format!("DEADLINE {deadline}")),
            "ZONE" if kind.delay > 0 => text.push_str(&format!("DELAY {}", kind.delay)),
            "ZONE" => continue,
            _ => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

fn put(games: &Path, name: &str, kind: Kind) -> std::io::Result<()> {
    let (directory, text) = (games.join(name), status(name, kind));
    std::fs::create_dir_all(&directory)?;
    std::fs::write(directory.join("status"), &text)?;
    let audit = format!("1 -..{} 2026-11-01T00:00:00Z taken over\n", Stamp::of(text.as_bytes()));
    std::fs::write(directory.join("audit.log"), audit)
}

/// CPU time of this process, all threads, user and system.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 = after.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// Largest resident size since [`forget_peak`], in MiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|word| word.parse::<u64>().ok()).map_or(0, |kib| kib / 1024)
}

fn forget_peak() {
    // Where the kernel does not know it, the peak of the whole run is shown, which is no smaller.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn open(root: &Path) -> Arc<Clerk> {
    let (site, _) = Site::open(root, None, true).expect("site");
    Arc::new(Clerk::open(site).expect("clerk"))
}

/// One round, as a `tick` from cron runs it: from opening the site to the last commit.
fn round(root: &Path, what: &str, now: DateTime<Utc>) {
    forget_peak();
    let (cpu_before, begun) = (cpu(), Instant::now());
    let ticked = open(root).round(now, &TickOptions::default()).expect("round");
    let (cpu, wall) = (cpu() - cpu_before, begun.elapsed());
    assert!(ticked.idle.is_none() && ticked.failed.is_empty(), "{ticked:?}");
    println!(
        "{what:<44} games {:>6} opened {:>6} processed {:>4}  CPU {:>6.2} s  wall {:>6.2} s  peak {:>4} MiB",
        ticked.games,
        ticked.opened,
        ticked.processed.len(),
        cpu.as_secs_f64(),
        wall.as_secs_f64(),
        peak()
    );
}

/// All of them.
pub fn rounds() {
    let count: usize = std::env::var("CHANCERY_GAMES").ok().and_then(|n| n.parse().ok()).unwrap_or(100_000);
    let place = tempfile::tempdir().expect("a temporary directory");
    let root = place.path().join("site");
    let beginnings = Beginnings { settings: vec![("registry.mode", "\"none\"")], ..Beginnings::default() };
    init(&root, &beginnings).expect("site");
    let name = |n: usize| format!("game{n:06}");
    let games = root.join("games");
    let mut index = String::new();
    for n in 0..count {
        put(&games, &name(n), SLEEPING).expect("a game");
        index.push_str(&format!("{:>32} standard active\n", name(n)));
    }
    std::fs::write(games.join("status"), index).expect("index");

    println!("\nrounds over {count} games");
    let at = |rounds: i32| start() + TimeDelta::minutes(20) * rounds;
    round(&root, "nothing known of any game", at(0));
    round(&root, "all asleep", at(1));
    let change = |kind: Kind| {
        for n in (0..count).step_by(100) {
            put(&games, &name(n), kind).expect("a game");
        }
    };
    change(Kind { delay: 9, ..SLEEPING });
    round(&root, "1 in 100: DELAY is counted down", at(2));
    // The others have not changed since the round before: their moment comes while they sleep.
    let asleep = |what: &str, kind: Kind, rounds: i32| {
        change(kind);
        open(&root).round(at(rounds - 1), &TickOptions::default()).expect("round");
        round(&root, what, at(rounds));
    };
    asleep("1 in 100: reminders are mailed", Kind { deadline: 6, ..SLEEPING }, 6);
    asleep("1 in 100: late notices are mailed", Kind { deadline: 3, ..SLEEPING }, 9);
    asleep("1 in 100: deadlines, phases are processed", Kind { deadline: 4, ordered: true, ..SLEEPING }, 12);
    change(Kind { deadline: 5, ordered: true, waits: false, ..SLEEPING });
    round(&root, "1 in 100: last orders, phases are processed", at(13));
}
