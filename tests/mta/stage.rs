//! Where a real mail system runs: a root file system of its own in memory, in private namespaces. The test starts itself
//! again in there; when that ends, all its processes and files are gone, whatever happened.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest a test may take.
const LIMIT: Duration = Duration::from_secs(400);
/// Where the judge lives, as the samples have it.
pub const ROOT: &str = "/var/lib/chancery";
/// The user that owns it.
pub const JUDGE: u32 = 42_000;

/// Who is on a stage.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cast {
    /// Many users and root: mail systems that change users.
    Many,
    /// The user judge alone, without any rights: whoever runs the tests can play that.
    One,
}

/// Plays `inside` on a stage with these packages (folders that tests/mta/fetch.sh has filled). `test` is the name of the
/// test that calls.
pub fn on_stage(test: &str, packages: &[&str], cast: Cast, inside: impl FnOnce()) {
    if std::env::var_os("CHANCERY_STAGE").is_some() {
        return inside();
    }
    if let Err(why) = play(test, packages, cast) {
        // Not through the macros: the harness keeps what they write to itself.
        let _ = writeln!(std::io::stderr(), "tests/mta.rs: {test} skipped: {why}");
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{test}: {why}; nothing is skipped where CI=true");
    }
}

/// `Err`: why it cannot be played here.
fn play(test: &str, packages: &[&str], cast: Cast) -> Result<(), String> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().ok_or("there is no target directory")?;
    let mut folders = Vec::new();
    for package in packages {
        let folder = target.join("mta").join(package);
        if !folder.join("complete").exists() {
            return Err(format!("{} is missing, sh tests/mta/fetch.sh makes it", folder.display()));
        }
        folders.push(folder);
    }
    let unshare = unshare(cast)?;
    let scratch = tempfile::tempdir().map_err(|e| e.to_string())?;
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let beside = program.parent().map(Path::to_owned).unwrap_or_default();
    let list = |paths: &[PathBuf]| paths.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(":");
    let mut child = Command::new(unshare[0])
        .args(&unshare[1..])
        .arg("sh")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mta/stage.sh"))
        .arg(if cast == Cast::One { "one" } else { "many" })
        .args([scratch.path(), Path::new(env!("CARGO_BIN_EXE_chancery"))])
        .args([list(&[beside, env!("CARGO_MANIFEST_DIR").into()]), list(&folders)])
        .arg(&program)
        .args(["--exact", test, "--nocapture"])
        .stdin(Stdio::null())
        // Its own group: a signal for the terminal does not tear the stage down half.
        .process_group(0)
        .spawn()
        .map_err(|e| format!("unshare: {e}"))?;
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break status;
        }
        if begun.elapsed() > LIMIT {
            // With it everything on the stage dies.
            let _ = child.kill();
            let _ = child.wait();
            panic!("{test} did not end within {LIMIT:?}");
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(status.success(), "{test}: {status}; what happened is written above");
    Ok(())
}

/// The command that makes the namespaces here.
fn unshare(cast: Cast) -> Result<Vec<&'static str>, String> {
    const NAMESPACES: [&str; 5] = ["--mount", "--net", "--pid", "--fork", "--kill-child"];
    // Root, or a range of users that root has given to whoever runs this; one user of one's own is less.
    let many: &[&[&str]] = &[&["unshare"], &["sudo", "-n", "unshare"], &["unshare", "--map-root-user", "--map-auto"]];
    let one: &[&[&str]] = &[&["unshare", "--map-root-user"], &["sudo", "-n", "unshare", "--map-root-user"]];
    let mut troubles = Vec::new();
    for way in if cast == Cast::One { one } else { many } {
        let words: Vec<&str> = way.iter().chain(&NAMESPACES).copied().collect();
        let tried = Command::new(words[0]).args(&words[1..]).args(["mount", "-t", "tmpfs", "tmpfs", "/mnt"]).output();
        match tried {
            Ok(output) if output.status.success() => return Ok(words),
            Ok(output) => {
                troubles.push(format!("{}: {}", way.join(" "), String::from_utf8_lossy(&output.stderr).trim()))
            }
            Err(error) => troubles.push(format!("{}: {error}", way.join(" "))),
        }
    }
    let cure = match cast {
        Cast::Many => {
            "it needs root, sudo without a password, or the package uidmap and lines in /etc/subuid and /etc/subgid"
        }
        Cast::One => "it needs a kernel that lets users make namespaces",
    };
    Err(format!("no private namespaces here: {cure} ({})", troubles.join("; ")))
}

/// A user and a group of that name on the stage.
pub fn user(name: &str, id: u32, home: &str) {
    append("/etc/passwd", &format!("{name}:x:{id}:{id}::{home}:/bin/sh\n"));
    group(name, id);
}

/// A group.
pub fn group(name: &str, id: u32) {
    append("/etc/group", &format!("{name}:x:{id}:\n"));
}

/// Adds to a file of the stage.
pub fn append(file: &str, text: &str) {
    let mut open = std::fs::OpenOptions::new().append(true).create(true).open(file).expect(file);
    open.write_all(text.as_bytes()).expect(file);
}

/// Writes a file of the stage.
pub fn write(file: &str, text: &str) {
    std::fs::write(file, text).expect(file);
}

/// Runs a command to its end.
pub fn sh(command: &str) {
    let status = Command::new("sh").args(["-euc", command]).status().expect("sh");
    assert!(status.success(), "{command}: {status}");
}

/// A command of the judge, as the user judge; its log and errors go to a file.
pub fn as_judge(words: &[&str], environment: &[(&str, &str)]) -> Child {
    let log = std::fs::OpenOptions::new().append(true).create(true).open("/var/log/chancery.log").expect("a log");
    let mut command = Command::new("/usr/bin/chancery");
    command.args(words).args(["--root", ROOT]).envs(environment.iter().copied()).env("NO_COLOR", "1");
    command.uid(JUDGE).gid(JUDGE).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    command.spawn().expect("chancery starts")
}

/// Asks until it is so; programs that run by themselves have no clock that could be passed in.
pub fn wait_for(what: &str, mut so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !so() {
        if begun.elapsed() > Duration::from_secs(120) {
            for log in
                ["/var/log/chancery.log", "/var/log/postfix.log", "/var/log/exim4/mainlog", "/var/log/dovecot.log"]
            {
                let text = std::fs::read_to_string(log).unwrap_or_default();
                let tail: Vec<&str> = text.lines().rev().take(40).collect();
                eprintln!("== {log}\n{}", tail.into_iter().rev().collect::<Vec<_>>().join("\n"));
            }
            panic!("{what} did not come");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Files in a directory.
pub fn files(directory: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|e| e.path());
    entries.filter(|p| p.is_file()).collect()
}
