//! What a site keeps about people, and how long (operations.md 4 `privacy.*`, `judge.copy_mail`; WEB-043), with the real
//! program.

mod support;

use support::Site;

const FRANCE: &str = "SIGNON Fbalkan9 le-secret\nSTATUS";

fn tick(site: &Site, now: &str) {
    let output = site.run(&["tick", "--no-guard", "--clock", now], b"");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn access_logs_keep_hashes_where_the_host_wants_no_addresses() {
    let site = Site::of_fixture_with(vec![("privacy.hash_addresses", "true")]);
    site.mail("France@example.org", FRANCE);
    site.mail("inn@road.example", FRANCE);
    site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nSET WAIT");
    let log = site.file("balkan9", "access");
    assert!(!log.contains('@') && !log.contains("example"), "{log}");
    let words: Vec<&str> = log.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(words.len(), 3, "{log}");
    assert!(words[0] == words[2] && words[0] != words[1] && words[0].starts_with('#'), "{log}");
    // Two powers from one place are noticed all the same.
    let hints = |sent: Vec<support::Sent>| sent.iter().filter(|s| s.notice == "N36").count();
    assert_eq!(hints(site.mail("inn@road.example", "SIGNON Ebalkan9 tea4two\nSTATUS")), 1);
    let plain = Site::of_fixture();
    plain.mail("france@example.org", FRANCE);
    assert!(plain.file("balkan9", "access").contains(" france@example.org FRANCE ok\n"));
}

#[test]
fn old_lines_of_access_logs_go() {
    let site = Site::of_fixture_with(vec![("privacy.access_days", "10")]);
    let old = "Mon Jul  8 20:31:05 2024 gate.example FRANCE ***\n";
    std::fs::write(site.root().join("games/balkan9/access"), old).expect("a log");
    site.mail("france@example.org", FRANCE);
    tick(&site, "2026-11-21T09:20:00Z");
    let lines = || site.file("balkan9", "access").lines().count();
    assert_eq!(lines(), 2, "once a day is enough");
    tick(&site, "2026-11-22T09:20:00Z");
    assert_eq!(lines(), 1, "{}", site.file("balkan9", "access"));
    tick(&site, "2026-12-01T08:40:00Z");
    assert_eq!(lines(), 1, "not before its time");
    tick(&site, "2026-12-02T09:20:00Z");
    assert_eq!(lines(), 0);
    assert!(site.file("balkan9", "audit.log").contains("sign-ons older than 10 days cut"));
}

/// A site that is run from cron has no daemon to clear up: its rounds do.
#[test]
fn done_and_sent_mail_goes_without_a_daemon() {
    let site = Site::of_fixture_with(vec![("mail.in.keep_done", "\"3d\"")]);
    site.mail("france@example.org", FRANCE);
    let count = |room: &str| std::fs::read_dir(site.root().join(room)).expect("a room").count();
    let kept = || [count("spool/in/done"), count("outbox/done")].map(|n| n > 0);
    tick(&site, "2026-11-22T09:20:00Z");
    assert_eq!(kept(), [true, true]);
    tick(&site, "2026-11-25T09:20:00Z");
    assert_eq!(kept(), [false, true]);
    tick(&site, "2026-11-29T09:20:00Z");
    assert_eq!(kept(), [false, false]);
}

#[test]
fn announcements_are_copied_where_the_host_wants_it() {
    let announce = |site: &Site| {
        site.mail("gm@example.org", "SIGNON Mbalkan9 gm-secret\nSET DEADLINE +1D");
        site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nPRESS TO E\npsst, a secret\nENDPRESS");
        site.file("balkan9", "mail")
    };
    assert_eq!(announce(&Site::of_fixture()), "");
    let site = Site::of_fixture_with(vec![("judge.copy_mail", "true")]);
    let sent =
        |site: &Site| site.sent().into_iter().map(|(_, s)| s).filter(|s| s.head.contains("Precedence: bulk")).count();
    let file = announce(&site);
    let to: Vec<&str> = file.lines().filter(|line| line.starts_with("== ")).collect();
    assert_eq!(to.len(), 1, "{file}");
    assert!(to[0].contains(&format!(" to {} people: Diplomacy", sent(&site))) && sent(&site) > 3, "{file}");
    assert!(!file.contains("psst") && !file.contains('@'), "{file}");
    tick(&site, "2026-11-23T23:40:00Z");
    assert!(site.file("balkan9", "mail").starts_with(&file), "it grows and nothing else");
}
