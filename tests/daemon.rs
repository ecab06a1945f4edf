//! The daemon as it runs: mail in over SMTP and `deliver`, pages over HTTP, two daemons and a cron at once.

use chancery::site::{Beginnings, init};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running daemon; killed when the test is over.
struct Daemon {
    child: Child,
    web: String,
    smtp: String,
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn site(root: &Path) {
    let beginnings = Beginnings {
        id: "TEST".into(),
        address: "judge@judge.example".into(),
        keeper: "keeper@judge.example".into(),
        settings: vec![
            ("registry.mode", "\"none\""),
            ("mail.in.smtp", "\"127.0.0.1:0\""),
            ("web.listen", "\"127.0.0.1:0\""),
        ],
    };
    init(root, &beginnings).expect("a site");
}

/// Starts a daemon and reads from its log where its doors are.
fn start(root: &Path) -> Daemon {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chancery"));
    command.args(["daemon", "--root"]).arg(root);
    started(command)
}

fn started(mut command: Command) -> Daemon {
    let mut child = command
        .env("CHANCERY_LOG", "info")
        .env("NO_COLOR", "1")
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("the daemon starts");
    let mut log = BufReader::new(child.stderr.take().expect("its log"));
    let (mut web, mut smtp) = (String::new(), String::new());
    while web.is_empty() || smtp.is_empty() {
        let mut line = String::new();
        assert!(log.read_line(&mut line).expect("a line") > 0, "the daemon ended before its doors were open");
        let last = line.split_whitespace().last().unwrap_or("").to_string();
        if line.contains("web on ") {
            web = last.trim_start_matches("http://").trim_end_matches('/').to_string();
        } else if line.contains("SMTP on ") {
            smtp = last;
        }
    }
    // Whoever does not read a log must not stop its writer.
    std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
    Daemon { child, web, smtp }
}

fn get(address: &str, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).expect("the web answers");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let status = answer.split_whitespace().nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    (status, answer)
}

/// Hands one message over by SMTP; the last reply must say that it was taken.
fn by_smtp(address: &str, message: &str) {
    let stream = TcpStream::connect(address).expect("the judge listens");
    let mut reader = BufReader::new(stream.try_clone().expect("a handle"));
    let mut writer = stream;
    let mut reply = |expect: &str| {
        let mut line = String::new();
        loop {
            line.clear();
            reader.read_line(&mut line).expect("a reply");
            if line.as_bytes().get(3) != Some(&b'-') {
                break;
            }
        }
        assert!(line.starts_with(expect), "{line}");
    };
    reply("220");
    for (say, expect) in [
        ("EHLO player.example\r\n", "250"),
        ("MAIL FROM:<gm@player.example>\r\n", "250"),
        ("RCPT TO:<judge@judge.example>\r\n", "250"),
        ("DATA\r\n", "354"),
    ] {
        writer.write_all(say.as_bytes()).expect("said");
        reply(expect);
    }
    writer.write_all(message.replace('\n', "\r\n").as_bytes()).expect("the message");
    writer.write_all(b"\r\n.\r\n").expect("its end");
    reply("250");
}

fn deliver(root: &Path, message: &str) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_chancery"))
        .args(["deliver", "--root"])
        .arg(root)
        .stdin(Stdio::piped())
        .spawn()
        .expect("deliver starts");
    child.stdin.take().expect("its input").write_all(message.as_bytes()).expect("the message");
    assert!(child.wait().expect("its end").success());
}

/// Asks until it is so; an event of another process has no clock that could be passed in.
fn wait_for(what: &str, mut so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !so() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{what} did not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Mails that left, as texts.
fn sent(root: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(root.join("mail-out")) else { return Vec::new() };
    let mails = entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "eml"));
    mails.filter_map(|p| std::fs::read_to_string(p).ok()).collect()
}

#[test]
fn mail_in_over_smtp_comes_out_as_pages_and_answers() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path().join("site");
    site(&root);
    let mut daemon = start(&root);
    by_smtp(
        &daemon.smtp,
        "From: GM <gm@player.example>\nTo: judge@judge.example\nMessage-ID: <1@player.example>\n\nCREATE spring master-word\nFORM\n",
    );
    wait_for("the game's page", || get(&daemon.web, "/game/spring/").0 == 200);
    deliver(
        &root,
        "From: Ana <ana@player.example>\nTo: judge@judge.example\nMessage-ID: <2@player.example>\n\nJOIN spring ana-word\n",
    );
    wait_for("the answer to a JOIN", || {
        sent(&root).iter().any(|m| m.contains("To: ana@player.example") && m.contains("Power#1"))
    });
    assert!(sent(&root).iter().all(|m| !m.contains("ana-word") && !m.contains("master-word")), "a password in a mail");
    let (status, answer) = get(&daemon.web, "/openings.txt");
    assert_eq!(status, 200);
    assert!(answer.contains("JOIN spring password"), "{answer}");
    assert_eq!(get(&daemon.web, "/../chancery.toml").0, 404);
    assert!(get(&daemon.web, "/healthz").1.contains("\"status\""));
    // SIGTERM ends it with its work done.
    let pid = rustix::process::Pid::from_raw(daemon.child.id() as i32).expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("a signal");
    assert!(daemon.child.wait().expect("its end").success());
}

#[test]
fn the_command_line_says_how_much_the_daemon_logs() {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path().join("site");
    site(&root);
    let log = |options: &[&str], mail: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chancery"));
        command.args(["daemon", "--root"]).arg(&root).args(options).env_remove("CHANCERY_LOG");
        let child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the daemon starts");
        let mut daemon = Daemon { child, web: String::new(), smtp: String::new() };
        let before = sent(&root).len();
        deliver(&root, mail);
        wait_for("an answer", || sent(&root).len() > before);
        daemon.child.kill().expect("it is stopped");
        let mut said = String::new();
        daemon.child.stderr.take().expect("its log").read_to_string(&mut said).expect("text");
        said
    };
    let mail = |n: usize| {
        format!("From: keeper@judge.example\nTo: judge@judge.example\nSubject: {n}\nMessage-ID: <{n}@x>\n\nHELP\n")
    };
    assert!(log(&[], &mail(0)).contains("web on "), "unset, it is info");
    assert_eq!(log(&["--log", "error"], &mail(1)), "");
    let file = root.join("chancery.toml");
    let text = std::fs::read_to_string(&file).expect("the configuration");
    std::fs::write(&file, text.replace("#level = \"info\"", "level = \"error\"")).expect("the configuration");
    assert_eq!(log(&[], &mail(2)), "", "as the configuration says");
    assert!(log(&["--log", "info"], &mail(3)).contains("web on "));
}

#[test]
fn two_daemons_and_a_cron_do_nothing_twice() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path().join("site");
    site(&root);
    let daemons = [start(&root), start(&root)];
    let create = |n: usize| {
        format!(
            "From: GM{n} <gm{n}@player.example>\nTo: judge@judge.example\nMessage-ID: <c{n}@player.example>\n\nCREATE game{n} master-word\nFORM\n"
        )
    };
    for n in 0..8 {
        // The same message by both ways in, as a mail server that lost a reply would do it.
        by_smtp(&daemons[n % 2].smtp, &create(n));
        deliver(&root, &create(n));
        let cron = Command::new(env!("CARGO_BIN_EXE_chancery")).args(["tick", "--root"]).arg(&root).output();
        assert!(cron.expect("tick runs").status.success());
    }
    let answers = |n: usize| {
        let to = format!("To: gm{n}@player.example");
        sent(&root).iter().filter(|m| m.contains(&to) && m.contains("Auto-Submitted: auto-replied")).count()
    };
    wait_for("eight answers", || (0..8).all(|n| answers(n) >= 1));
    wait_for("an empty spool", || std::fs::read_dir(root.join("spool/in/new")).is_ok_and(|mut d| d.next().is_none()));
    wait_for("an empty outbox", || std::fs::read_dir(root.join("outbox/new")).is_ok_and(|mut d| d.next().is_none()));
    for n in 0..8 {
        assert_eq!(answers(n), 1, "game{n}: one message, one answer");
    }
    let index = std::fs::read_to_string(root.join("games/status")).expect("the index");
    assert_eq!(index.lines().filter(|l| l.contains("forming")).count(), 8, "{index}");
}

/// The samples that `init` leaves, with the site's own place in them.
fn samples(root: &Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(root.join("cron")).expect("samples").flatten();
    entries.filter_map(|e| Some((e.file_name().into_string().ok()?, std::fs::read_to_string(e.path()).ok()?))).collect()
}

/// The words of every command line of the sample that begins with the program.
fn commands(text: &str) -> Vec<Vec<String>> {
    let starts = text.lines().filter(|line| !line.starts_with('#'));
    let parts = starts.flat_map(|line| line.split(';')).filter_map(|part| {
        let at = part.find("/usr/bin/chancery ").map(|n| n + 18).or_else(|| part.find("chancery --").map(|n| n + 9))?;
        Some(part.get(at..)?.split_whitespace().map(str::to_owned).collect())
    });
    parts.collect()
}

#[test]
fn every_command_of_the_samples_for_cron_and_systemd_works() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path().join("site");
    site(&root);
    let mut verbs = Vec::new();
    for (name, text) in samples(&root) {
        if name != "crontab" && !name.ends_with(".service") {
            continue;
        }
        for words in commands(&text) {
            let verb = words.iter().find(|w| !w.starts_with('-') && !w.contains('/')).expect("a verb").clone();
            if verb != "daemon" {
                let output = Command::new(env!("CARGO_BIN_EXE_chancery")).args(&words).output().expect("it starts");
                assert!(output.status.success(), "{name}: {words:?}: {}", String::from_utf8_lossy(&output.stderr));
            }
            verbs.push(verb);
        }
    }
    verbs.sort();
    assert_eq!(verbs, ["daemon", "send", "send", "send", "send", "tick", "tick", "work", "work"]);
}

#[test]
fn the_tools_of_cron_and_systemd_accept_the_samples() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path().join("site");
    site(&root);
    let bench = dir.path().join("units");
    std::fs::create_dir(&bench).expect("a directory");
    let mut units = Vec::new();
    for (name, text) in samples(&root) {
        if [".service", ".timer", ".path"].iter().any(|kind| name.ends_with(kind)) {
            // The tool wants to see the program.
            let text = text.replace("/usr/bin/chancery", env!("CARGO_BIN_EXE_chancery"));
            std::fs::write(bench.join(&name), text).expect("a unit");
            units.push(bench.join(&name));
        }
    }
    assert_eq!(units.len(), 5, "{units:?}");
    match Command::new("systemd-analyze").arg("verify").args(&units).output() {
        Ok(output) => {
            // It warns of what it does not know, and yet says that all is well.
            let words = [output.stdout, output.stderr].concat();
            let words = String::from_utf8_lossy(&words);
            assert!(output.status.success() && words.trim().is_empty(), "systemd-analyze verify: {words}");
            let calendar = Command::new("systemd-analyze").args(["calendar", "*:0/20"]).output().expect("calendar");
            let words = String::from_utf8_lossy(&calendar.stdout);
            assert!(words.contains("*-*-* *:00/20:00"), "minutes 0, 20 and 40: {words}");
        }
        Err(error) => eprintln!("skipped: systemd-analyze verify ({error}); tests/setup.sh installs it"),
    }
    // Debian's crontab checks with -n, that of other systems with -T.
    let crontab = root.join("cron/crontab");
    let tried = ["-n", "-T"].map(|flag| Command::new("crontab").arg(flag).arg(&crontab).output());
    match &tried {
        [Err(error), _] => eprintln!("skipped: crontab -n ({error}); tests/setup.sh installs it"),
        tried => {
            let accepts = |output: &std::io::Result<std::process::Output>| {
                output.as_ref().is_ok_and(|output| output.status.success())
            };
            assert!(tried.iter().any(accepts), "{tried:?}");
        }
    }
}

#[test]
fn systemd_hears_that_the_daemon_is_ready_lives_and_stops() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path().join("site");
    site(&root);
    let door = dir.path().join("notify");
    let manager = std::os::unix::net::UnixDatagram::bind(&door).expect("a socket");
    manager.set_read_timeout(Some(Duration::from_secs(120))).expect("a time-out");
    let hear = || {
        let mut bytes = [0; 64];
        let length = manager.recv(&mut bytes).expect("a word of the daemon");
        String::from_utf8_lossy(&bytes[..length]).into_owned()
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_chancery"));
    command.args(["daemon", "--root"]).arg(&root).env("NOTIFY_SOCKET", &door).env("WATCHDOG_USEC", "300000");
    let mut daemon = started(command);
    assert_eq!(hear(), "READY=1");
    assert_eq!([hear(), hear()], ["WATCHDOG=1", "WATCHDOG=1"]);
    let pid = rustix::process::Pid::from_raw(daemon.child.id() as i32).expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("a signal");
    while hear() != "STOPPING=1" {}
    assert!(daemon.child.wait().expect("its end").success());
}
