//! Crashes at every call of the commit protocol, faults of the disk, processes that run over each other: whatever
//! happens, the end is the undisturbed one (operations.md 7, OPS-047; 18.3, 18.5, 18.16).

mod ground;

use ground::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const CONFIG: &str = "[judge]\nid = \"TEST\"\naddress = \"judge@judge.example\"\nkeepers = [\"keeper@judge.example\"]\n\
                      [registry]\nmode = \"none\"\n[limits]\nmin_free = \"1 MiB\"\n[test]\nallow_clock = true\n";
const SEATS: [(&str, &str); 7] =
    [("A", "ada"), ("B", "bo"), ("C", "cy"), ("D", "dee"), ("E", "eli"), ("F", "fay"), ("G", "gus")];

fn new_site(root: &Path) {
    std::fs::create_dir_all(root).expect("root");
    plant_secret(root);
    std::fs::write(root.join("chancery.toml"), CONFIG).expect("config");
    let output = chancery().arg("init").arg(root).output().expect("init");
    assert!(output.status.success(), "{}", words(&output));
}

/// One call of the program.
#[derive(Clone, Debug)]
enum Step {
    /// A message handed in by a mail server.
    Deliver(String),
    Work,
    Tick,
    Send,
}

/// A step and the time at which it is done.
type Timed = (Step, String);

/// A mail with a Message-ID of its own.
fn letter(id: usize, from: &str, lines: &[&str]) -> String {
    format!(
        "From: <{from}>\r\nTo: judge@judge.example\r\nSubject: mail {id}\r\nMessage-ID: <m{id}@{from}>\r\n\r\n{}\r\n",
        lines.join("\r\n")
    )
}

fn player(name: &str) -> String {
    format!("{name}@player.example")
}

/// Orders for the first phase.
fn opening(power: &str) -> &'static [&'static str] {
    match power {
        "AUSTRIA" => ["A VIE - GAL", "F TRI - ALB", "A BUD - SER"].as_slice(),
        "ENGLAND" => ["F EDI - NWG", "F LON - NTH", "A LVP - EDI"].as_slice(),
        "FRANCE" => ["F BRE - ENG", "A PAR - BUR", "A MAR - SPA"].as_slice(),
        "GERMANY" => ["F KIE - DEN", "A MUN - RUH", "A BER - KIE"].as_slice(),
        "ITALY" => ["F NAP - TYS", "A ROM - TUS", "A VEN H"].as_slice(),
        "RUSSIA" => ["F STP/SC - BOT", "A MOS - UKR", "A WAR - GAL", "F SEV - BLA"].as_slice(),
        _ => ["F ANK - BLA", "A SMY - ANK", "A CON - BUL"].as_slice(),
    }
}

/// About thirty messages and three rounds. Who plays which power follows from the secret; each player is asked for
/// by his number while the game forms, and says his orders for all powers' units: those that are not his are refused.
fn script(powers: &BTreeMap<String, String>) -> Vec<Timed> {
    let mut steps: Vec<Timed> = Vec::new();
    let mut id = 0;
    let mut minute = 0;
    let mut at = |minutes: i64| {
        minute += minutes;
        format!("2026-03-02T{:02}:{:02}:00Z", 8 + minute / 60, minute % 60)
    };
    let mut mail = |steps: &mut Vec<Timed>, time: &str, from: &str, lines: &[&str]| {
        id += 1;
        steps.push((Step::Deliver(letter(id, from, lines)), time.to_owned()));
    };
    let time = at(1);
    mail(
        &mut steps,
        &time,
        "master@master.example",
        &["CREATE war heron-word", "TIMING MOVE 2D NEXT 1D", "FORM", "SIGNOFF"],
    );
    mail(&mut steps, &time, "stranger@else.example", &["JOIN nowhere some-word", "SIGNOFF"]);
    mail(&mut steps, &time, "master@master.example", &["CREATE peace dove-word", "FORM", "SIGNOFF"]);
    steps.push((Step::Work, at(1)));
    for (n, (_, name)) in SEATS.iter().enumerate() {
        let time = at(0);
        mail(&mut steps, &time, &player(name), &[&format!("JOIN war word-{name}"), "SIGNOFF"]);
        if n == 3 || n == 6 {
            steps.push((Step::Work, at(1)));
        }
    }
    steps.push((Step::Send, at(0)));
    steps.push((Step::Tick, at(0)));
    let mut again = None;
    for (power, name) in powers {
        let from = format!("{name}@player.example");
        let sign = format!("SIGNON {}@war word-{name}", power.to_lowercase());
        let mut lines = vec![sign.as_str()];
        if power == "ITALY" {
            lines.extend(["BROADCAST", "Is anybody there?", "ENDBROADCAST"]);
        }
        if power == "TURKEY" {
            lines.extend(["PRESS TO R", "Hands off the Black Sea.", "ENDPRESS"]);
        }
        lines.extend(opening(power));
        lines.push("SIGNOFF");
        let time = at(0);
        mail(&mut steps, &time, &from, &lines);
        match power.as_str() {
            // A change of mind, and the same mail by another way.
            "FRANCE" => {
                let time = at(0);
                mail(&mut steps, &time, &from, &[&sign, "F BRE - ENG", "A PAR - PIC", "A MAR - SPA", "SIGNOFF"]);
                again = steps.last().cloned();
            }
            "GERMANY" => {
                mail(&mut steps, &time, &from, &["SIGNON germany@war wrong-word", "A MUN - TYR", "SIGNOFF"]);
                steps.push((Step::Work, at(1)));
            }
            "RUSSIA" => {
                mail(&mut steps, &time, &from, &["LIST", "SIGNOFF"]);
                mail(&mut steps, &time, &from, &["HELP", &sign, "LIST war", "SIGNOFF"]);
                mail(&mut steps, &time, &from, &["This is no command at all."]);
            }
            _ => {}
        }
    }
    steps.extend(again);
    let vacation =
        "From: <cy@player.example>\r\nAuto-Submitted: auto-replied\r\nMessage-ID: <away@x>\r\n\r\nI am away.\r\n";
    steps.push((Step::Deliver(vacation.into()), at(0)));
    let time = at(0);
    mail(
        &mut steps,
        &time,
        "master@master.example",
        &["SIGNON Mwar heron-word", "BROADCAST", "Be quick.", "ENDBROADCAST", "SIGNOFF"],
    );
    steps.push((Step::Work, at(1)));
    steps.push((Step::Send, at(1)));
    steps.push((Step::Tick, at(17)));
    steps.push((Step::Tick, at(20)));
    steps.push((Step::Tick, at(20)));
    steps.push((Step::Send, at(0)));
    let (power, name) = powers.iter().next().expect("powers");
    let time = at(1);
    mail(
        &mut steps,
        &time,
        &player(name),
        &[&format!("SIGNON {}@war word-{name}", power.to_lowercase()), "A SER - BUL", "SIGNOFF"],
    );
    steps.push((Step::Work, at(1)));
    steps
}

/// Who plays what, as the status file says.
fn powers(root: &Path) -> BTreeMap<String, String> {
    let bytes = std::fs::read(root.join("games/war/status")).expect("status");
    let document = chancery::status::Document::parse(&bytes).expect("status");
    let participants = &document.game().participants;
    participants
        .iter()
        .filter_map(|p| Some((p.name.clone(), p.address.first()?.split('@').next()?.to_owned())))
        .collect()
}

/// The script for the site's secret: the first part is played once to see how the lots fall.
fn make_script(place: &Path) -> Vec<Timed> {
    let root = place.join("lots");
    new_site(&root);
    let unknown: BTreeMap<String, String> = BTreeMap::from([("AUSTRIA".into(), "ada".into())]);
    for step in script(&unknown).iter().take_while(|(step, _)| !matches!(step, Step::Send)) {
        assert!(run(&root, step, &[]).status.success());
    }
    let powers = powers(&root);
    assert_eq!(powers.len(), 7, "{powers:?}");
    std::fs::remove_dir_all(root).expect("removed");
    script(&powers)
}

fn command(root: &Path, (step, time): &Timed) -> Command {
    let mut command = chancery();
    match step {
        Step::Deliver(_) => {
            command.args(["deliver", "--sender", "x@player.example", "--recipient", "judge@judge.example"])
        }
        Step::Work => command.arg("work"),
        Step::Tick => command.arg("tick"),
        Step::Send => command.arg("send"),
    };
    command.args(["--clock", time, "--root"]).arg(root);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(root: &Path, step: &Timed, environment: &[(&str, String)]) -> Output {
    let mut child = command(root, step).envs(environment.iter().cloned()).spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("stdin");
    if let Step::Deliver(message) = &step.0 {
        // A program that dies early does not read it.
        let _ = stdin.write_all(message.as_bytes());
    }
    drop(stdin);
    child.wait_with_output().expect("the program ends")
}

/// What has to be equal: the games, the registry, the published pages, the queued mails, the ledger, what waits.
#[derive(PartialEq)]
struct State {
    files: BTreeMap<String, Vec<u8>>,
    mails: BTreeMap<String, Mail>,
    ledger: Vec<String>,
    leftovers: Vec<String>,
}

fn state(root: &Path) -> State {
    let mut files = BTreeMap::new();
    for room in ["games", "registry", "cron", "web"] {
        files.extend(tree(&root.join(room)).into_iter().map(|(name, bytes)| (format!("{room}/{name}"), bytes)));
    }
    // A memory of what may sleep, made again where it is missing or old: it may differ, its effects may not.
    files.remove("cron/agenda");
    files.remove("cron/cards");
    State { files, mails: queued(root), ledger: ledger(root), leftovers: leftovers(root) }
}

impl State {
    fn difference(&self, got: &State) -> Option<String> {
        let mails =
            |state: &State| state.mails.iter().map(|(id, m)| (id.clone(), m.raw.clone().into_bytes())).collect();
        difference(&self.files, &got.files)
            .or_else(|| difference(&mails(self), &mails(got)))
            .or_else(|| {
                (self.ledger != got.ledger).then(|| format!("ledger: want {:#?}, got {:#?}", self.ledger, got.ledger))
            })
            .or_else(|| (self.leftovers != got.leftovers).then(|| format!("left over: {:?}", got.leftovers)))
    }
}

/// The undisturbed run: before every step a copy of the site, after it what is compared.
struct Undisturbed {
    steps: Vec<Timed>,
    before: Vec<PathBuf>,
    after: Vec<State>,
}

fn undisturbed(place: &Path) -> Undisturbed {
    let steps = make_script(place);
    let root = place.join("undisturbed");
    new_site(&root);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (n, step) in steps.iter().enumerate() {
        let copied = place.join(format!("before.{n}"));
        copy(&root, &copied);
        before.push(copied);
        let output = run(&root, step, &[]);
        assert!(output.status.success(), "{step:?}: {}", words(&output));
        after.push(state(&root));
    }
    let status = std::fs::read_to_string(root.join("games/war/status")).expect("status");
    assert!(status.contains("PHASE FALL 1901 MOVEMENT"), "the script plays a phase:\n{status}");
    assert!(!root.join("games/peace/status").exists() || root.join("games/war/status.S1901M").exists());
    Undisturbed { steps, before, after }
}

/// Disturbs one step with the n-th fault, runs it again to quiescence, and compares. `false`: the step has no n-th call.
fn disturb(run_of: &Undisturbed, place: &Path, at: usize, n: u64, fault: Option<&str>) -> bool {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let root = place.join(format!("disturbed.{}", COUNT.fetch_add(1, Ordering::SeqCst)));
    copy(&run_of.before[at], &root);
    let environment = match fault {
        None => ("CHANCERY_CRASH_AT", n.to_string()),
        Some(error) => ("CHANCERY_FAIL_AT", format!("{n}{error}")),
    };
    let step = &run_of.steps[at];
    let name =
        format!("step {at} ({:?} {}), {} = {}", std::mem::discriminant(&step.0), step.1, environment.0, environment.1);
    let output = run(&root, step, &[environment]);
    let hit = !output.status.success() || fault.is_some();
    if matches!(step.0, Step::Deliver(_)) && fault.is_some() && !output.status.success() {
        assert_eq!(output.status.code(), Some(75), "{name}: {}", words(&output));
        let said = if output.stdout.is_empty() { &output.stderr } else { &output.stdout };
        assert!(
            said.starts_with(b"4.3.0 ") && said.iter().filter(|b| **b == b'\n').count() == 1,
            "{name}: {}",
            words(&output)
        );
    }
    // Again, as a mail server or cron would, to the next step that works something off.
    for (n, step) in run_of.steps.iter().enumerate().skip(at) {
        let output = run(&root, step, &[]);
        assert!(output.status.success(), "{name}, then {step:?}: {}", words(&output));
        if !matches!(step.0, Step::Deliver(_)) {
            if let Some(difference) = run_of.after[n].difference(&state(&root)) {
                let kept = std::env::temp_dir().join("chancery-crash-kept");
                let _ = std::fs::remove_dir_all(&kept);
                copy(&root, &kept);
                panic!("{name}: {difference}\n(kept in {})", kept.display());
            }
            break;
        }
    }
    std::fs::remove_dir_all(&root).expect("removed");
    hit
}

/// Every stride-th call of every step, on all cores.
fn matrix(stride: u32, faults: &[Option<&str>], seed: u64) {
    let place = ground();
    let run_of = undisturbed(place.path());
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    let work: Vec<(usize, u64, Option<&str>)> = (0..run_of.steps.len())
        .flat_map(|at| faults.iter().map(move |fault| (at, *fault)))
        .map(|(at, fault)| (at, u64::from(chance.next_u32() % stride) + 1, fault))
        .collect();
    let next = AtomicUsize::new(0);
    let points = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((at, begin, fault)) = work.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let mut n = *begin;
                    // How many calls a step makes shows when no crash comes any more.
                    while n < 2000 && disturb(&run_of, place.path(), *at, n, None) {
                        points.fetch_add(1, Ordering::SeqCst);
                        if fault.is_some() {
                            disturb(&run_of, place.path(), *at, n, *fault);
                        }
                        n += u64::from(stride);
                    }
                }
            });
        }
    });
    let points = points.load(Ordering::SeqCst);
    println!("{points} points, {} steps", run_of.steps.len());
    assert!(points >= 20, "only {points} points were tried");
}

#[test]
fn a_crash_at_any_call_changes_nothing_in_the_end() {
    matrix(if soak() { 1 } else { 29 }, &[None], 47);
}

#[test]
fn a_disk_that_fails_at_any_call_changes_nothing_in_the_end() {
    matrix(if soak() { 5 } else { 127 }, &[Some(":ENOSPC"), Some("+:ENOSPC"), Some(":EIO")], 48);
}

/// Several processes of every kind on one site, as cron, mail servers and impatient people start them.
#[test]
fn processes_that_run_over_each_other_do_everything_once() {
    let place = ground();
    let steps = make_script(place.path());
    let root = place.path().join("crowded");
    new_site(&root);
    let joined = 1 + steps.iter().position(|(step, _)| matches!(step, Step::Send)).expect("a Send");
    for step in &steps[..joined] {
        assert!(run(&root, step, &[]).status.success());
    }
    let before = ledger(&root).len();
    let rounds = if soak() { 40 } else { 8 };
    let time = "2026-03-02T08:50:00Z".to_owned();
    let powers = powers(&root);
    let places: BTreeMap<&str, &str> = BTreeMap::from([
        ("AUSTRIA", "A VIE"),
        ("ENGLAND", "A LVP"),
        ("FRANCE", "A PAR"),
        ("GERMANY", "A BER"),
        ("ITALY", "A ROM"),
        ("RUSSIA", "A MOS"),
        ("TURKEY", "A SMY"),
    ]);
    let goals: BTreeMap<&str, [&str; 2]> = BTreeMap::from([
        ("AUSTRIA", ["GAL", "TYR"]),
        ("ENGLAND", ["YOR", "WAL"]),
        ("FRANCE", ["PIC", "GAS"]),
        ("GERMANY", ["PRU", "SIL"]),
        ("ITALY", ["TUS", "APU"]),
        ("RUSSIA", ["UKR", "LVN"]),
        ("TURKEY", ["ARM", "SYR"]),
    ]);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for kind in [Step::Work, Step::Work, Step::Tick, Step::Send] {
            let (over, root, time) = (&over, &root, &time);
            scope.spawn(move || {
                while !over.load(Ordering::SeqCst) {
                    let output = run(root, &(kind.clone(), time.clone()), &[]);
                    assert!(output.status.success(), "{kind:?}: {}", words(&output));
                }
            });
        }
        for round in 0..rounds {
            for (n, (power, name)) in powers.iter().enumerate() {
                let sign = format!("SIGNON {}@war word-{name}", power.to_lowercase());
                let order = format!("{} - {}", places[power.as_str()], goals[power.as_str()][round % 2]);
                let say = format!("This is word {round} of {power}.");
                let mut lines = vec![sign.as_str(), order.as_str()];
                lines.extend(opening(power).iter().filter(|line| !line.starts_with(places[power.as_str()])));
                lines.extend(["PRESS TO M", &say, "ENDPRESS", "SIGNOFF"]);
                let message = letter(1000 + round * 10 + n, &player(name), &lines);
                let step = (Step::Deliver(message), time.clone());
                assert!(run(&root, &step, &[]).status.success());
                if (round + n) % 3 == 0 {
                    // The same mail by another way.
                    assert!(run(&root, &step, &[]).status.success());
                }
            }
        }
        over.store(true, Ordering::SeqCst);
    });
    for kind in [Step::Work, Step::Send] {
        assert!(run(&root, &(kind, time.clone()), &[]).status.success());
    }
    assert_eq!(leftovers(&root), Vec::<String>::new());
    let lines = ledger(&root);
    assert_eq!(lines.len() - before, rounds * 7 * 2, "every mail is done once");
    assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), lines.len());
    let mails = sent(&root);
    assert_eq!(queued(&root).len(), mails.len());
    let press = std::fs::read_to_string(root.join("games/war/press")).expect("press");
    let status = std::fs::read_to_string(root.join("games/war/status")).expect("status");
    for (n, (power, name)) in powers.iter().enumerate() {
        let said: Vec<usize> = (0..rounds)
            .map(|round| {
                let words = format!("This is word {round} of {power}.");
                assert_eq!(press.matches(&words).count(), 1, "{words}");
                let id = format!("<m{}@{}>", 1000 + round * 10 + n, player(name));
                let answers = mails.values().filter(|m| m.raw.contains(&format!("In-Reply-To: {id}")));
                assert_eq!(answers.count(), 1, "one answer to {id}");
                press.find(&words).expect("press")
            })
            .collect();
        assert!(said.is_sorted(), "{power}: in the order of sending");
        let last = format!("{} - {}", places[power.as_str()], goals[power.as_str()][(rounds - 1) % 2]);
        assert!(status.contains(&last), "{power}: the last order counts, {last}\n{status}");
    }
    let audit = std::fs::read_to_string(root.join("games/war/audit.log")).expect("audit");
    let numbers: Vec<u64> = audit.lines().filter_map(|l| l.split(' ').next()?.parse().ok()).collect();
    assert!(numbers.iter().enumerate().all(|(n, seq)| *seq == n as u64 + 1), "{audit}");
    let rounds: Vec<&str> = audit
        .lines()
        .filter_map(|l| l.split_once(" round ").map(|(_, round)| round.split(':').next().unwrap_or(round)))
        .collect();
    assert_eq!(rounds.iter().collect::<BTreeSet<_>>().len(), rounds.len(), "no round twice:\n{audit}");
}

fn deliver(root: &Path, message: &str) -> Output {
    run(root, &(Step::Deliver(message.to_owned()), "2026-03-02T08:00:00Z".to_owned()), &[])
}

fn assert_later(output: &Output) {
    assert_eq!(output.status.code(), Some(75), "{}", words(output));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.starts_with("4.3.0 ") && said.trim_end().lines().count() == 1, "{}", words(output));
}

/// Whatever is wrong, a mail server hears "later" and keeps the mail.
#[test]
fn a_mail_that_cannot_be_stored_comes_later() {
    let place = ground();
    let root = place.path().join("site");
    new_site(&root);
    let message = letter(1, "ada@player.example", &["HELP"]);
    let tmp = root.join("spool/in/tmp");
    std::fs::remove_dir(&tmp).expect("tmp");
    assert_later(&deliver(&root, &message));
    std::fs::write(&tmp, "").expect("a file in its place");
    assert_later(&deliver(&root, &message));
    std::fs::remove_file(&tmp).expect("removed");
    std::fs::create_dir(&tmp).expect("tmp");
    // What else is wrong in the configuration is no reason to refuse mail.
    std::fs::write(root.join("chancery.toml"), "[judge\nnothing").expect("config");
    assert!(deliver(&root, &message).status.success());
    assert_eq!(names(&root.join("spool/in/new")).len(), 1);
}

/// A file system of 1 MiB, taken down again at the end.
struct Small(PathBuf);

impl Small {
    fn mount(place: &Path) -> Option<Small> {
        let small = place.join("small");
        std::fs::create_dir(&small).ok()?;
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(&small).output().ok()?;
        mounted.status.success().then_some(Small(small))
    }

    fn mode(&self, mode: &str) -> bool {
        let options = format!("remount,{mode}");
        Command::new("mount").args(["-o", &options]).arg(&self.0).status().is_ok_and(|status| status.success())
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// A full disk and a read-only one: nothing is lost, and what was refused is taken when there is room again.
#[test]
fn a_full_disk_loses_nothing() {
    let place = ground();
    let Some(small) = Small::mount(place.path()) else {
        println!("skipped: no file system of 1 MiB can be mounted here (root is needed)");
        return;
    };
    let root = small.0.join("site");
    new_site(&root);
    let config = CONFIG.replace("\"1 MiB\"", "\"16 KiB\"");
    std::fs::write(root.join("chancery.toml"), config).expect("config");
    let time = "2026-03-02T08:00:00Z".to_owned();
    let mut taken = 0;
    let refused = (0..2000).find_map(|n| {
        let message = letter(n, &format!("p{n}@player.example"), &["HELP", &"-".repeat(3000)]);
        let output = deliver(&root, &message);
        if output.status.success() {
            taken += 1;
            None
        } else {
            assert_later(&output);
            Some(message)
        }
    });
    let refused = refused.expect("the disk is full at last");
    assert_eq!(names(&root.join("spool/in/new")).len(), taken, "what was taken is there, what was refused is not");
    assert_eq!(names(&root.join("spool/in/tmp")), Vec::<String>::new());
    // No room for a commit: the mail stays where it is.
    let output = run(&root, &(Step::Work, time.clone()), &[]);
    assert_eq!(output.status.code(), Some(75), "{}", words(&output));
    assert_eq!(names(&root.join("spool/in/new")).len(), taken);
    assert!(small.mode("ro"), "remounted");
    assert_later(&deliver(&root, &refused));
    for step in [Step::Work, Step::Tick, Step::Send] {
        let output = run(&root, &(step.clone(), time.clone()), &[]);
        assert_eq!(output.status.code(), Some(75), "read-only, {step:?}: {}", words(&output));
    }
    assert!(small.mode("rw,size=64m"), "remounted");
    assert!(deliver(&root, &refused).status.success());
    let output = run(&root, &(Step::Work, time), &[]);
    assert!(output.status.success(), "{}", words(&output));
    assert_eq!(queued(&root).len(), taken + 1, "one answer each");
    assert_eq!(leftovers(&root), Vec::<String>::new());
}
