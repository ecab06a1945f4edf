//! The archive dies at every single file-system call of a script, is started again, and ends where an undisturbed run
//! ends (OPS-047); the same when all that was not synced is lost (OPS-048). Full disks; two processes on one game.

use chancery::archive::fs::Change;
use chancery::archive::spool::{Envelope, Room};
use chancery::archive::{Archive, ArchiveError, Entry, Fs, GameName, Key, Owner, SitePath, Transaction};
use chancery::site::Layout;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const WAIT: Duration = Duration::from_secs(20);
/// Number of steps of the script.
const STEPS: usize = 27;
/// The steps of several games: the second finds what journal files the first has left.
const TOGETHER: [usize; 2] = [21, 22];

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_231_770, 0).unwrap()
}

fn game(name: &str) -> GameName {
    GameName::new(name).unwrap()
}

/// A directory in memory where there is one: the tests are about order, not about the disk.
fn fresh() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

fn site(root: &Path, fs: Fs) -> Archive {
    let layout = Layout::plain(root);
    for (directory, _) in layout.directories() {
        std::fs::create_dir_all(directory).unwrap();
    }
    Archive::new(layout, fs, 0)
}

/// Step `n` of the script. Like a message, it is in the ledger once it is done and can be begun again until then.
fn step(archive: &Archive, n: usize) -> Result<(), ArchiveError> {
    let key = Key::of("step", &n.to_string());
    let mut ledger = archive.ledger(chancery::archive::ledger::WINDOW);
    let entry = |game: Option<&str>| Entry {
        key: key.clone(),
        time: now(),
        game: game.map(str::to_owned),
        outcome: "executed".into(),
    };
    let name = game(["alpha", "beta", "gamma"][n % 3]);
    let line = |state: &str| format!("{name:>32} standard {state}");
    match n {
        0..=2 => {
            if archive.games()?.contains(&name) {
                return Ok(());
            }
            let (lock, index) = archive.lock_new(&name, WAIT)?;
            let mut made = Transaction::of_game(&name, format!("step {n} create"));
            made.replace("status", format!("GAME {name}\n"))?
                .index(&name, line("forming"))
                .ledger(&entry(Some(name.as_str())));
            made.enqueue(&format!("{n}-created"), "mail")?;
            archive.commit_indexed(&lock, &index, made)?;
        }
        _ if TOGETHER.contains(&n) => {
            // Three games wait for the disk together, as in a round; a crash may leave some of them done.
            let mut due = Vec::new();
            for name in ["alpha", "beta", "gamma"].map(game) {
                match archive.lock(&name, WAIT) {
                    Ok(lock) if ledger.is_done(&key, Some(name.as_str()), now())? => drop(lock),
                    Ok(lock) => due.push((lock, name)),
                    Err(ArchiveError::NoSuchGame(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            let mut commits = Vec::new();
            for (lock, name) in due {
                let name = &name;
                let mut change = Transaction::of_game(name, format!("step {n}"));
                change.replace("status", format!("STEP {n} of {name}\n"))?.append("results", "together\n")?;
                change.enqueue(&format!("{n}-{name}"), "mail")?.ledger(&entry(Some(name.as_str())));
                change.index(name, format!("{name:>32} standard waiting"));
                commits.push((lock, change));
            }
            archive.commit_all(commits).into_iter().try_for_each(|done| done.map(drop))?;
        }
        24 => {
            // alpha becomes omega
            let to = game("omega");
            let (lock, index) = match archive.lock_rename(&name, &to, WAIT) {
                Err(ArchiveError::NoSuchGame(_) | ArchiveError::GameExists(_)) => return Ok(()),
                locks => locks?,
            };
            let mut rename = Transaction::of_game(&name, format!("step {n} rename"));
            rename.replace("status", "GAME omega\n")?.unindex(&name).index(&to, "omega standard active");
            rename.move_game(&to).ledger(&entry(Some(name.as_str())));
            archive.commit_indexed(&lock, &index, rename)?;
        }
        25 => {
            let lock = match archive.lock(&name, WAIT) {
                Err(ArchiveError::NoSuchGame(_)) => return Ok(()),
                lock => lock?,
            };
            let mut purge = Transaction::of_game(&name, format!("step {n} purge"));
            purge.unindex(&name).trash_game(now()).enqueue("25-purged", "mail")?.ledger(&entry(Some(name.as_str())));
            archive.commit(&lock, purge)?;
        }
        26 => {
            let lock = archive.lock_judge(WAIT)?;
            if ledger.is_done(&key, None, now())? {
                return Ok(());
            }
            let mut people = Transaction::of_judge("step 26 registry");
            people.replace("registry/people", "#1|ann@example.org|Ann_Example\n")?.ledger(&entry(None));
            archive.commit(&lock, people)?;
        }
        _ => {
            let lock = archive.lock(&name, WAIT)?;
            if ledger.is_done(&key, Some(name.as_str()), now())? {
                return Ok(());
            }
            let mut change = Transaction::of_game(&name, format!("step {n}"));
            change.ledger(&entry(Some(name.as_str())));
            let status = archive.read(&name, "status")?;
            change.expect("status", status.as_ref().map(|content| content.stamp))?;
            let old = status.map(|content| content.bytes).unwrap_or_default();
            match n % 4 {
                0 => {
                    // A phase: snapshot, results, several mails.
                    change.replace(&format!("status.S{}M", 1900 + n), old.clone())?;
                    change.append("results", format!("results of {n}\n"))?.append("results.jsonl", "{}\n")?;
                    change.enqueue(&format!("{n}-a"), "mail a")?.enqueue(&format!("{n}-b"), "mail b")?;
                }
                1 => {
                    // Names that follow each other round: recorded by their outcome.
                    change.append("results", format!("before {n}\n"))?;
                    change.rename("results", "results.0")?.replace("results", format!("cut at {n}\n"))?;
                    change.append("results", "and on\n")?;
                }
                2 => {
                    change.append("press", format!("press {n}\n"))?.append("press", "more\n")?;
                    change.replace(&format!("notes/seat{n}"), "note\n")?;
                    change.index(&name, line("active"));
                }
                _ => {
                    change.replace("scratch", "x")?.remove("press")?;
                    change.rename("scratch", &format!("kept{n}"))?;
                    change.remove("notes/none")?;
                }
            }
            change.replace("status", [old, format!("STEP {n}\n").into_bytes()].concat())?;
            archive.commit(&lock, change)?;
        }
    }
    Ok(())
}

/// The whole script, with a message spooled at every fifth step.
fn play(archive: &Archive) -> Result<(), ArchiveError> {
    // As every process begins.
    archive.recover_all()?.into_iter().try_for_each(|(_, done)| done)?;
    for n in 0..STEPS {
        if n % 5 == 0 {
            let mail = format!("Subject: {n}\n\nbody\n");
            archive.spool().store(mail.as_bytes(), &Envelope::default(), 1000, now())?;
        }
        // What was finished behind a later rename or purge is not begun again.
        let key = Key::of("step", &n.to_string());
        if TOGETHER.contains(&n) || !archive.ledger(chancery::archive::ledger::WINDOW).is_known(&key, now())? {
            step(archive, n)?;
        }
    }
    Ok(())
}

/// Every file with its content; lines of the ledger are sorted, spooled messages a set of their contents.
fn picture(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if path.is_dir() {
                open.push(path);
            } else if name.starts_with("spool/in/new") {
                files.insert(format!("spool {}", String::from_utf8_lossy(&std::fs::read(&path).unwrap())), Vec::new());
            } else if name.starts_with("ledger/") && !name.ends_with(".lock") {
                let text = String::from_utf8(std::fs::read(&path).unwrap()).unwrap();
                let mut lines: Vec<&str> = text.lines().collect();
                lines.sort_unstable();
                files.insert(name, lines.join("\n").into_bytes());
            } else if name.starts_with("journal/tmp/.spares/") {
                // A living process keeps them for its next commits; nothing is in them.
                assert!(std::fs::read(&path).unwrap().is_empty(), "{name}");
            } else if !name.starts_with("spool/in/tmp") && !name.ends_with(".lock") {
                files.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    files
}

fn compare(got: &BTreeMap<String, Vec<u8>>, want: &BTreeMap<String, Vec<u8>>, what: &str) {
    for name in got.keys().chain(want.keys()) {
        let text = |files: &BTreeMap<String, Vec<u8>>| files.get(name).map(|b| String::from_utf8_lossy(b).into_owned());
        assert_eq!(text(got), text(want), "{what}: {name}");
    }
}

/// Run this test binary again as the program that dies.
fn child(root: &Path, variable: &str, value: &str) -> Option<i32> {
    let mut run = Command::new(std::env::current_exe().unwrap());
    run.args(["--exact", "the_script_in_a_process_of_its_own", "--nocapture"]);
    run.env("CRASH_TEST_ROOT", root).env(variable, value).stdout(Stdio::null()).stderr(Stdio::null());
    run.status().unwrap().code()
}

/// Nothing by itself: the process that [`child`] starts.
#[test]
fn the_script_in_a_process_of_its_own() {
    if let Some(root) = std::env::var_os("CRASH_TEST_ROOT") {
        play(&site(Path::new(&root), Fs::from_env())).unwrap();
    }
}

fn undisturbed() -> (BTreeMap<String, Vec<u8>>, Vec<Change>, PathBuf) {
    let dir = fresh();
    let fs = Fs::recording();
    play(&site(dir.path(), fs.clone())).unwrap();
    (picture(dir.path()), fs.changes(), dir.path().to_owned())
}

#[test]
fn a_crash_at_any_odd_call_changes_nothing_in_the_end() {
    crash_at((1..).step_by(2));
}

#[test]
fn a_crash_at_any_even_call_changes_nothing_in_the_end() {
    crash_at((2..).step_by(2));
}

fn crash_at(calls: impl Iterator<Item = usize>) {
    let (want, _, _) = undisturbed();
    assert!(want.contains_key("games/omega/status") && !want.keys().any(|name| name.starts_with("journal/")));
    let mut crashes = 0;
    for at in calls {
        let dir = fresh();
        if child(dir.path(), "CHANCERY_CRASH_AT", &at.to_string()) == Some(0) {
            break;
        }
        crashes += 1;
        let archive = site(dir.path(), Fs::new());
        for (owner, done) in archive.recover_all().unwrap() {
            done.unwrap_or_else(|error| panic!("crash at {at}: {owner}: {error}"));
        }
        assert!(archive.recover_all().unwrap().is_empty(), "crash at {at}");
        play(&archive).unwrap_or_else(|error| panic!("crash at {at}: {error}"));
        compare(&picture(dir.path()), &want, &format!("crash at {at}"));
    }
    assert!(crashes > 150, "{crashes}");
}

#[test]
fn a_failed_fsync_ends_the_process_and_a_full_disk_does_not() {
    let dir = fresh();
    // The third call syncs the first spooled message.
    assert_eq!(child(dir.path(), "CHANCERY_FAIL_AT", "3:EIO"), Some(75));
    let (want, changes, _) = undisturbed();
    for at in (1..changes.len()).step_by(11) {
        // A failing fsync would end this process: only calls that change something else.
        if matches!(changes.get(at - 1), Some(Change::Sync(_) | Change::SyncDirectory(_))) {
            continue;
        }
        let dir = fresh();
        let code = child(dir.path(), "CHANCERY_FAIL_AT", &format!("{at}:ENOSPC"));
        let archive = site(dir.path(), Fs::new());
        play(&archive).unwrap_or_else(|error| panic!("full at {at} ({code:?}): {error}"));
        compare(&picture(dir.path()), &want, &format!("full at {at}"));
    }
}

#[test]
fn a_full_disk_after_the_commit_point_blocks_one_game_only() {
    let dir = fresh();
    let (alpha, beta) = (game("alpha"), game("beta"));
    let archive = site(dir.path(), Fs::new());
    for name in [&alpha, &beta] {
        let (lock, index) = archive.lock_new(name, WAIT).unwrap();
        let mut made = Transaction::of_game(name, "create");
        made.replace("status", "one\n").unwrap().index(name, name.as_str());
        archive.commit_indexed(&lock, &index, made).unwrap();
    }
    let change = |name: &GameName| {
        let mut change = Transaction::of_game(name, "change");
        change.replace("status", "two\n").unwrap();
        change
    };
    // Journal: open, write, sync, rename, sync; the sixth call is the first of applying.
    let full = Archive::new(Layout::plain(dir.path()), Fs::failing("6+:ENOSPC").unwrap(), 0);
    let error = full.commit(&full.lock(&alpha, WAIT).unwrap(), change(&alpha)).unwrap_err();
    assert!(matches!(error, ArchiveError::Blocked { seq: 2, .. }) && error.is_temporary(), "{error}");
    assert!(matches!(full.lock(&alpha, WAIT), Err(ArchiveError::Blocked { .. })));
    archive.commit(&archive.lock(&beta, WAIT).unwrap(), change(&beta)).unwrap();
    assert_eq!(archive.read(&alpha, "status").unwrap().unwrap().bytes, b"one\n");
    drop(archive.lock(&alpha, WAIT).unwrap());
    assert_eq!(archive.read(&alpha, "status").unwrap().unwrap().bytes, b"two\n");
    assert_eq!(archive.seq(&Owner::Game(alpha.clone())).unwrap(), 2);
    assert!(!archive.is_hand_edited(&alpha).unwrap());
    // Before it nothing is left.
    let full = Archive::new(Layout::plain(dir.path()), Fs::failing("2+:ENOSPC").unwrap(), 0);
    assert!(matches!(full.commit(&full.lock(&alpha, WAIT).unwrap(), change(&alpha)), Err(ArchiveError::Io { .. })));
    assert_eq!(chancery::archive::fs::names(&dir.path().join("journal/tmp")).unwrap(), [""; 0]);
}

#[test]
fn games_that_are_stored_together_fail_apart() {
    let dir = fresh();
    let fs = Fs::recording();
    let archive = site(dir.path(), fs.clone());
    let names = ["alpha", "beta", "gamma"].map(game);
    let mut locks = Vec::new();
    for name in &names {
        let (lock, index) = archive.lock_new(name, WAIT).unwrap();
        let mut made = Transaction::of_game(name, "create");
        made.replace("status", "one\n").unwrap().index(name, name.as_str());
        archive.commit_indexed(&lock, &index, made).unwrap();
        locks.push(lock);
    }
    let stamp = archive.read(&names[0], "status").unwrap().map(|content| content.stamp);
    std::fs::write(dir.path().join("games/beta/status"), "an editor was here\n").unwrap();
    let change = |name: &GameName| {
        let mut change = Transaction::of_game(name, "change");
        change.replace("status", "two\n").unwrap().enqueue(&format!("mail-{name}"), "mail").unwrap();
        change.expect("status", stamp).unwrap();
        change
    };
    let before = fs.changes().len();
    let done = archive.commit_all(locks.into_iter().zip(names.iter().map(change)).collect());
    assert!(matches!(&done[0], Ok(receipt) if receipt.seq == 2), "{done:?}");
    assert!(matches!(&done[1], Err(ArchiveError::Changed(_))), "{done:?}");
    assert!(matches!(&done[2], Ok(receipt) if receipt.seq == 2), "{done:?}");
    for (name, text) in names.iter().zip(["two\n", "an editor was here\n", "two\n"]) {
        assert_eq!(archive.read(name, "status").unwrap().unwrap().bytes, text.as_bytes());
        assert_eq!(dir.path().join(format!("outbox/new/mail-{name}.msg")).exists(), text == "two\n");
    }
    assert_eq!(chancery::archive::fs::names(&dir.path().join("journal/tmp")).unwrap(), [""; 0]);
    assert!(archive.recover_all().unwrap().is_empty());
    // What games share is synced once for all of them.
    let synced = |path: &str| {
        let path = dir.path().join(path);
        fs.changes()[before..].iter().filter(|change| **change == Change::SyncDirectory(path.clone())).count()
    };
    assert_eq!((synced("journal"), synced("outbox/new"), synced("games/alpha")), (2, 1, 1));
}

/// A disk that keeps only what was synced. A rename, a new name and a removal are kept with their directory.
fn lose_the_unsynced(changes: &[Change], from: &Path, to: &Path) {
    let mut files: Vec<(Vec<u8>, Vec<u8>)> = Vec::new(); // (now, synced)
    let mut now: BTreeMap<PathBuf, Option<usize>> = BTreeMap::new(); // None: directory
    let mut kept = now.clone();
    let mut moved_from: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for change in changes {
        match change {
            Change::MakeDirectory(path) => {
                // Made with all above it; that it is kept is the usual case, and an empty directory harms nobody.
                now.insert(path.clone(), None);
                kept.insert(path.clone(), None);
            }
            Change::Cut(path, length) => {
                let number = *now.entry(path.clone()).or_insert_with(|| {
                    files.push(Default::default());
                    Some(files.len() - 1)
                });
                files[number.unwrap()].0.truncate(*length as usize);
            }
            Change::Write(path, offset, bytes) => {
                let file = &mut files[now[path].unwrap()].0;
                file.truncate(*offset as usize);
                file.extend_from_slice(bytes);
            }
            Change::Sync(path) => {
                if let Some(Some(number)) = now.get(path) {
                    let file = &mut files[*number];
                    file.1 = file.0.clone();
                }
            }
            Change::SyncDirectory(path) => {
                let here = |name: &PathBuf| name.parent() == Some(path);
                let gone: Vec<PathBuf> = kept.keys().filter(|n| here(n) && !now.contains_key(*n)).cloned().collect();
                for gone in gone {
                    kept.retain(|name, _| !name.starts_with(&gone));
                }
                for (name, number) in now.iter().filter(|(name, _)| here(name)) {
                    let new_directory = number.is_none() && !kept.contains_key(name);
                    kept.insert(name.clone(), *number);
                    if new_directory {
                        // Moved here as a whole; a directory has but one name.
                        if let Some(old) = moved_from.get(name) {
                            kept.retain(|name, _| !name.starts_with(old));
                        }
                        kept.extend(
                            now.iter().filter(|(below, _)| below.starts_with(name)).map(|(n, f)| (n.clone(), *f)),
                        );
                    }
                }
            }
            Change::Rename(old, new) => {
                moved_from.insert(new.clone(), old.clone());
                let moved: Vec<PathBuf> = now.keys().filter(|name| name.starts_with(old)).cloned().collect();
                for name in moved {
                    let number = now.remove(&name).unwrap();
                    let below = name.strip_prefix(old).unwrap();
                    let place = if below.as_os_str().is_empty() { new.clone() } else { new.join(below) };
                    now.insert(place, number);
                }
            }
            Change::Remove(path) => now.retain(|name, _| !name.starts_with(path)),
        }
    }
    for (name, number) in kept {
        let place = to.join(name.strip_prefix(from).unwrap());
        match number {
            None => std::fs::create_dir_all(place).unwrap(),
            Some(number) => {
                std::fs::create_dir_all(place.parent().unwrap()).unwrap();
                std::fs::write(place, &files[number].1).unwrap();
            }
        }
    }
}

#[test]
fn a_power_cut_at_any_moment_changes_nothing_in_the_end() {
    let (want, changes, from) = undisturbed();
    for cut in 0..=changes.len() {
        // Only these change what is left.
        use Change::{MakeDirectory, Sync, SyncDirectory};
        if !matches!(changes.get(cut.saturating_sub(1)), Some(Sync(_) | SyncDirectory(_) | MakeDirectory(_))) {
            continue;
        }
        let dir = fresh();
        lose_the_unsynced(&changes[..cut], &from, dir.path());
        let archive = site(dir.path(), Fs::new());
        play(&archive).unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
        compare(&picture(dir.path()), &want, &format!("cut at {cut} {:?}", changes.get(cut)));
    }
}

#[test]
fn two_processes_take_turns() {
    const EACH: usize = 40;
    if let Some(root) = std::env::var_os("TURNS_TEST_ROOT") {
        let archive = site(Path::new(&root), Fs::new());
        let mine = std::process::id();
        for n in 0..EACH {
            let name = game(["alpha", "beta"][n % 2]);
            let lock = archive.lock(&name, WAIT).unwrap();
            let old = archive.read(&name, "status").unwrap().unwrap().bytes;
            let count: usize = String::from_utf8(old).unwrap().trim().parse().unwrap();
            let mut change = Transaction::of_game(&name, "count");
            change.replace("status", format!("{}\n", count + 1)).unwrap().append("press", "x\n").unwrap();
            change.index(&name, format!("{name} standard active {}", count + 1));
            let key = Key::of("turn", &format!("{mine}-{n}"));
            let game = Some(name.to_string());
            change.ledger(&Entry { key, time: now(), game, outcome: "executed".into() });
            archive.commit(&lock, change).unwrap();
        }
        return;
    }
    let dir = fresh();
    let archive = site(dir.path(), Fs::new());
    for name in [game("alpha"), game("beta")] {
        let (lock, index) = archive.lock_new(&name, WAIT).unwrap();
        let mut made = Transaction::of_game(&name, "create");
        made.replace("status", "0\n").unwrap().index(&name, name.as_str());
        archive.commit_indexed(&lock, &index, made).unwrap();
        assert!(matches!(archive.lock(&name, Duration::ZERO), Err(ArchiveError::Busy(_))), "held");
        drop((lock, index));
        assert!(matches!(archive.lock_new(&name, WAIT), Err(ArchiveError::GameExists(_))));
    }
    let spawn = || {
        let mut run = Command::new(std::env::current_exe().unwrap());
        run.args(["--exact", "two_processes_take_turns"]).env("TURNS_TEST_ROOT", dir.path()).stdout(Stdio::null());
        run.spawn().unwrap()
    };
    let mut both = [spawn(), spawn()];
    assert!(both.iter_mut().all(|child| child.wait().unwrap().success()));
    for name in [game("alpha"), game("beta")] {
        assert_eq!(archive.read(&name, "status").unwrap().unwrap().bytes, format!("{EACH}\n").into_bytes());
        assert_eq!(archive.seq(&Owner::Game(name.clone())).unwrap(), EACH as u64 + 1);
        let line = format!("{name} standard active {EACH}");
        assert!(archive.index().unwrap().lines().any(|there| there == line));
    }
    let ledger = std::fs::read(dir.path().join("ledger").join(now().format("%Y-%m").to_string())).unwrap();
    assert_eq!(chancery::archive::ledger::entries(&ledger).count(), 2 * EACH);
}

#[test]
fn a_hand_edit_is_seen() {
    let dir = fresh();
    let archive = site(dir.path(), Fs::new());
    let name = game("demo");
    let (lock, index) = archive.lock_new(&name, WAIT).unwrap();
    let mut made = Transaction::of_game(&name, "create");
    made.replace("status", "one\n").unwrap();
    archive.commit_indexed(&lock, &index, made).unwrap();
    assert!(!archive.is_hand_edited(&name).unwrap());
    let read = archive.read(&name, "status").unwrap().unwrap();
    std::fs::write(dir.path().join("games/demo/status"), "by hand\n").unwrap();
    assert!(archive.is_hand_edited(&name).unwrap());
    let mut change = Transaction::of_game(&name, "change");
    change.expect("status", Some(read.stamp)).unwrap().replace("status", "two\n").unwrap();
    assert!(matches!(archive.commit(&lock, change), Err(ArchiveError::Changed(_))));
    assert_eq!(archive.read(&name, "status").unwrap().unwrap().bytes, b"by hand\n");
    assert!(Transaction::of_game(&name, "x").replace("../beta/status", "").is_err());
    assert!(Transaction::of_game(&name, "x").append("audit.log", "").is_err());
    assert!(Transaction::of_judge("x").replace("games/demo/status", "").is_err());
    assert!(SitePath::new("games/demo/status").is_ok());
    assert_eq!(archive.spool().list(Room::New).unwrap(), []);
}
