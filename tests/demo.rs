//! The main job with the real binary: the sample game played by mail is the recorded game, phase by phase and mail by
//! mail; and killed again and again at any moment it comes to the same end (operations.md 7.3, OPS-047).

mod ground;

use chancery::status::{Document, Game, Participant, ParticipantKind, PhaseState};
use ground::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, Weak};
use tempfile::TempDir;

const RECORD: &str = include_str!("../games/france-solo-1908.jsonl");
/// What must never be seen: the passwords that the players of the demo use.
const PASSWORDS: [&str; 8] =
    ["heron-demo", "quartz-ada", "basalt-bo", "gneiss-cy", "marble-dee", "flint-eli", "slate-fay", "chalk-gus"];
const PEOPLE: [&str; 8] = [
    "greta@master.example",
    "ada@player.example",
    "bo@player.example",
    "cy@player.example",
    "dee@player.example",
    "eli@player.example",
    "fay@player.example",
    "gus@player.example",
];

fn record() -> Vec<Value> {
    RECORD.lines().map(|line| serde_json::from_str(line).expect("the record can be read")).collect()
}

/// A game that nobody disturbed. Tests that run at the same time share it; the last one clears it away.
struct Undisturbed(TempDir);

impl Undisturbed {
    fn get() -> Arc<Undisturbed> {
        static SHARED: Mutex<Weak<Undisturbed>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().expect("no test fails while it plays");
        if let Some(there) = shared.upgrade() {
            return there;
        }
        let place = ground();
        let root = place.path().join("site");
        plant_secret(&root);
        let output = chancery().args(["demo", "--once", "--root"]).arg(&root).output().expect("the program starts");
        assert!(output.status.success(), "{}", words(&output));
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("34 phases") && said.contains("won by FRANCE"), "{said}");
        let played = Arc::new(Undisturbed(place));
        *shared = Arc::downgrade(&played);
        played
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("site")
    }
}

fn read_status(root: &Path, file: &str) -> Game {
    let bytes = std::fs::read(root.join("games/demo").join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
    let document = Document::parse(&bytes).unwrap_or_else(|e| panic!("{file}: {e}"));
    let errors: Vec<String> = document.diagnostics().iter().filter(|d| d.is_error()).map(|d| d.to_string()).collect();
    assert!(errors.is_empty(), "{file}: {errors:?}");
    document.game().clone()
}

fn powers(game: &Game) -> impl Iterator<Item = &Participant> {
    game.participants.iter().filter(|p| p.kind == ParticipantKind::Power)
}

fn sorted<S: AsRef<str>>(list: impl IntoIterator<Item = S>) -> Vec<String> {
    let mut list: Vec<String> = list.into_iter().map(|s| s.as_ref().to_owned()).collect();
    list.sort();
    list
}

/// The list of a power in an object of the record.
fn listed(object: &Value, power: &str) -> Vec<String> {
    let list = object.get(power).and_then(Value::as_array).cloned().unwrap_or_default();
    sorted(list.iter().filter_map(Value::as_str))
}

/// The orders on file, in the wording of the record; waived builds are left out there.
fn on_file(p: &Participant) -> Vec<String> {
    let adjusted = p.adjust.iter().filter_map(|line| {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        Some(match word {
            "BUILD" => format!("{rest} B"),
            "REMOVE" | "DISBAND" => format!("{rest} D"),
            "RETREAT" => rest.replace(" - ", " R "),
            _ => return None,
        })
    });
    sorted(p.orders.clone().unwrap_or_default().into_iter().chain(adjusted))
}

/// A supported or convoyed unit without its coast: the record leaves it out, the judge writes it.
fn plain(order: &str) -> String {
    for dash in [" S ", " C "] {
        if let Some((unit, of)) = order.split_once(dash) {
            return format!("{unit}{dash}{}", of.replace("/NC", "").replace("/SC", "").replace("/EC", ""));
        }
    }
    order.to_owned()
}

fn same_position(phase: &str, game: &Game, want: &Value) {
    for p in powers(game) {
        assert_eq!(sorted(&p.units), listed(&want["units"], &p.name), "{phase}: units of {}", p.name);
        let centers = sorted(p.owns.iter().filter(|word| !word.starts_with("SC")));
        assert_eq!(centers, listed(&want["centers"], &p.name), "{phase}: centres of {}", p.name);
        let dislodged = &want["dislodged"][&p.name];
        let want: BTreeMap<String, Vec<String>> = dislodged
            .as_object()
            .map(|units| units.keys().map(|unit| (unit.clone(), listed(dislodged, unit))).collect())
            .unwrap_or_default();
        let got: BTreeMap<String, Vec<String>> =
            p.retreats.iter().map(|(unit, places)| (unit.clone(), sorted(places))).collect();
        // A unit that has nowhere to go is lost at once; the record lists it with no place.
        let want = want.into_iter().filter(|(_, places)| !places.is_empty()).collect::<BTreeMap<_, _>>();
        assert_eq!(got, want, "{phase}: dislodged units of {}", p.name);
    }
    assert_eq!(powers(game).count(), 7);
}

/// Every phase on the disk is the recorded phase.
fn compare_with_record(root: &Path) {
    let record = record();
    assert_eq!(record.len(), 34);
    let snapshots: Vec<String> =
        names(&root.join("games/demo")).into_iter().filter(|name| name.starts_with("status.")).collect();
    assert_eq!(snapshots, sorted(record.iter().map(|p| format!("status.{}", p["phase"].as_str().expect("phase")))));
    let results = std::fs::read_to_string(root.join("games/demo/results.jsonl")).expect("results.jsonl");
    let results: Vec<Value> = results.lines().map(|l| serde_json::from_str(l).expect("a line of results")).collect();
    assert_eq!(results.len(), 34);
    for (want, result) in record.iter().zip(&results) {
        let phase = want["phase"].as_str().expect("phase");
        let game = read_status(root, &format!("status.{phase}"));
        assert_eq!(game.short_phase(), phase);
        same_position(phase, &game, want);
        for p in powers(&game) {
            let submitted = on_file(p);
            let mut due = listed(&want["orders"], &p.name);
            // The way over sea is written only where there is one over land, too.
            for order in due.iter_mut().filter(|order| !submitted.contains(order)) {
                *order = order.strip_suffix(" VIA").unwrap_or(order).to_owned();
            }
            if phase.ends_with('M') {
                let silent = |unit: &&String| !due.iter().any(|order| order.starts_with(&format!("{unit} ")));
                let holds: Vec<String> = p.units.iter().filter(silent).map(|unit| format!("{unit} H")).collect();
                due.extend(holds);
            }
            if phase.ends_with('R') {
                due.retain(|order| p.retreats.iter().any(|(unit, _)| order.starts_with(&format!("{unit} "))));
            }
            let (submitted, due) = (submitted.iter().map(|o| plain(o)), due.iter().map(|o| plain(o)));
            assert_eq!(sorted(submitted), sorted(due), "{phase}: orders of {}", p.name);
        }
        assert_eq!(result["name"], phase);
        let (after, expected) = (&result["after"], &want["expected"]);
        for power in game.participants.iter().map(|p| &p.name) {
            // Units that have to retreat stand there with a star.
            let mut units = listed(&after["units"], power);
            units.retain(|unit| !unit.starts_with('*'));
            assert_eq!(units, listed(&expected["units"], power), "{phase}: after, {power}");
            let centers = (listed(&after["centers"], power), listed(&expected["centers"], power));
            assert_eq!(centers.0, centers.1, "{phase}: centres after, {power}");
        }
        for (unit, marks) in expected["results"].as_object().expect("results") {
            let bounced = |list: &Value| list.as_array().is_some_and(|l| l.iter().any(|m| m == "bounce"));
            assert_eq!(bounced(&result["results"][unit]), bounced(marks), "{phase}: {unit}");
        }
    }
    let end = read_status(root, "status");
    assert_eq!(end.phase, PhaseState::Completed);
    assert_eq!(
        end.result.as_ref().map(|r| (r.phase.as_str(), r.victors.clone())),
        Some(("F1908R", vec!["FRANCE".into()]))
    );
    same_position("end", &end, &record[33]["expected"]);
}

/// A unit in the words of a report, `Army Budapest`, out of the record's `A BUD`.
fn in_words(unit: &str, map: &chancery::diplomacy::map::Map) -> String {
    let (kind, at) = unit.split_once(' ').expect("unit");
    let title = map.location(at).map(|at| map[at].title.clone()).expect("place");
    format!("{} {title}", if kind == "A" { "Army" } else { "Fleet" })
}

/// Everybody has had every result once, in words that can be read back; nothing was sent twice, nothing lies anywhere.
fn compare_mails(root: &Path) {
    let mails = sent(root);
    let map = chancery::diplomacy::map::Map::builtin("standard").expect("map");
    for phase in record() {
        let name = phase["phase"].as_str().expect("phase");
        let subject = format!("Diplomacy results demo {name}");
        let results: Vec<&Mail> = mails.values().filter(|m| m.notice == "N17" && m.subject == subject).collect();
        assert_eq!(sorted(results.iter().map(|m| &m.to)), sorted(PEOPLE), "{name}: one result each");
        let text = results[0].text.replace("\r\n", "\n");
        assert!(results.iter().all(|m| m.text.replace("\r\n", "\n") == text), "{name}: everybody reads the same");
        if name.ends_with('M') {
            // Lines are wrapped: a unit's sentence goes on where the next line is indented.
            let flat = text.replace("\n      ", " ");
            for unit in phase["units"].as_object().expect("units").values().flat_map(|l| l.as_array().expect("list")) {
                let unit = unit.as_str().expect("unit");
                let words = format!(": {} ", in_words(unit, &map));
                let line: Vec<&str> = flat.lines().filter(|line| line.contains(&words)).collect();
                assert_eq!(line.len(), 1, "{name}: {unit} in {text}");
                let marks = line[0].split_once("(*").map_or("", |(_, marks)| marks.trim_end_matches(['*', ')', '.']));
                let marks = sorted(marks.split(", ").filter(|mark| !mark.is_empty()));
                let want = listed(&phase["expected"]["results"], unit);
                // A convoying fleet is not blamed for the army: `no convoy` stands at the army alone.
                let telling = |mark: &&String| matches!(mark.as_str(), "bounce" | "dislodged");
                assert!(marks.iter().filter(telling).eq(want.iter().filter(telling)), "{name}: {}", line[0]);
                assert!(marks.iter().all(|mark| want.contains(mark)), "{name}: {}: {want:?}", line[0]);
            }
        }
    }
    assert_eq!(mails.values().filter(|m| m.notice == "N17").count(), 34 * 8);
    let mut logical = BTreeSet::new();
    for mail in mails.values() {
        // A word said again in a later phase is the same text in another mail; the reply names the mail it answers.
        let answered = mail.raw.lines().find(|l| l.starts_with("In-Reply-To:")).unwrap_or_default().to_owned();
        if !mail.notice.starts_with("N4") {
            let key = (mail.to.clone(), mail.notice.clone(), mail.subject.clone(), mail.text.clone(), answered);
            assert!(logical.insert(key), "twice in other words: {} {}", mail.to, mail.subject);
        }
        let clean = mail.raw.replace("=\r\n", "").replace("=\n", "");
        for password in PASSWORDS {
            assert!(!clean.contains(password), "{} {}: a password", mail.to, mail.subject);
        }
        for other in PEOPLE.iter().filter(|p| **p != mail.to) {
            assert!(!clean.contains(other), "{} {}: the address of {other}", mail.to, mail.subject);
        }
    }
    assert_eq!(queued(root).keys().collect::<Vec<_>>(), mails.keys().collect::<Vec<_>>(), "queued and sent");
    assert_eq!(names(&root.join("outbox/new")), Vec::<String>::new());
    assert_eq!(leftovers(root), Vec::<String>::new());
}

/// Clear passwords are in no file but the mails that brought them; published pages show no address either.
fn compare_secrets(root: &Path) {
    for (name, bytes) in tree(root) {
        if name.starts_with("spool/in/") {
            continue;
        }
        let text = String::from_utf8_lossy(&bytes);
        for password in PASSWORDS {
            assert!(!text.contains(password), "{name} shows a password");
        }
        if name.starts_with("web/") {
            assert!(!text.contains("$argon2"), "{name} shows a hash");
            for person in PEOPLE {
                assert!(!text.contains(person), "{name} shows {person}");
            }
        }
    }
}

#[test]
fn the_sample_game_is_the_recorded_game() {
    let played = Undisturbed::get();
    let root = played.root();
    compare_with_record(&root);
    compare_mails(&root);
    compare_secrets(&root);
}

/// The whole game is decided again from its kept copies, to the same bytes; and the site is as a fresh one would be.
#[test]
fn the_sample_game_is_decided_again() {
    let played = Undisturbed::get();
    let output = chancery().args(["verify", "--replay", "--root"]).arg(played.root()).output().expect("starts");
    assert!(output.status.success(), "{}", words(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "sound\n");
}

/// What an end of game is compared by: the game's files and pages, mails and ledger.
type End = (BTreeMap<String, Vec<u8>>, BTreeMap<String, Mail>, Vec<String>);

fn end(root: &Path) -> End {
    let files = ["games", "web"].into_iter().flat_map(|room| {
        tree(&root.join(room)).into_iter().map(move |(name, bytes)| (format!("{room}/{name}"), bytes))
    });
    (files.collect(), sent(root), ledger(root))
}

/// When to kill.
#[derive(Debug)]
enum Moment {
    /// After so many lines of progress.
    Line(u64),
    /// As soon as there are so many files more in that directory.
    Files(&'static str, u64),
    /// While a commit lies in the journal, the n-th time one is seen.
    Commit(u64),
}

fn moment(chance: &mut ChaCha8Rng) -> Moment {
    let mut up_to = |n: u32| u64::from(chance.next_u32() % n);
    match up_to(5) {
        0 => Moment::Line(up_to(5)),
        1 => Moment::Files("mail-out", up_to(120)),
        2 => Moment::Files("spool/in/done", up_to(20)),
        3 => Moment::Files("outbox/new", 1 + up_to(8)),
        _ => Moment::Commit(1 + up_to(30)),
    }
}

/// Waits for the moment; `false` if the program has ended before it came.
fn wait_for(moment: &Moment, child: &mut Child, root: &Path) -> bool {
    let count = |directory: &str| std::fs::read_dir(root.join(directory)).map_or(0, |entries| entries.count() as u64);
    match moment {
        Moment::Line(n) => {
            let mut lines = BufReader::new(child.stdout.as_mut().expect("stdout")).lines();
            (0..=*n).all(|_| lines.next().is_some_and(|line| line.is_ok()))
        }
        Moment::Files(directory, n) => {
            let (begin, new) = (count(directory), *directory == "outbox/new");
            loop {
                let now = count(directory);
                if if new { now >= *n } else { now >= begin + n } {
                    return true;
                }
                if child.try_wait().expect("child").is_some() {
                    return false;
                }
                std::thread::yield_now();
            }
        }
        Moment::Commit(n) => {
            let (mut seen, mut last) = (0, String::new());
            loop {
                let commit = names(&root.join("journal")).into_iter().find(|name| name.ends_with(".txn"));
                if let Some(commit) = commit.filter(|commit| *commit != last) {
                    (seen, last) = (seen + 1, commit);
                    if seen >= *n {
                        return true;
                    }
                }
                if child.try_wait().expect("child").is_some() {
                    return false;
                }
                std::thread::yield_now();
            }
        }
    }
}

#[test]
fn killed_at_any_moment_the_game_ends_the_same() {
    let kills = if soak() { 200 } else { 20 };
    let want = end(&Undisturbed::get().root());
    let mut chance = ChaCha8Rng::seed_from_u64(1908);
    let mut left = kills;
    while left > 0 {
        let place = ground();
        let root = place.path().join("site");
        plant_secret(&root);
        let mut moments = Vec::new();
        loop {
            let mut command = chancery();
            command.args(["demo", "--once", "--root"]).arg(&root).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut child = command.spawn().expect("the program starts");
            let moment = moment(&mut chance);
            let alive = left > 0 && wait_for(&moment, &mut child, &root);
            if !alive {
                break drop(child.wait_with_output());
            }
            child.kill().expect("kill");
            child.wait().expect("the killed program is gone");
            moments.push(moment);
            left -= 1;
        }
        let output = chancery().args(["demo", "--once", "--root"]).arg(&root).output().expect("the program starts");
        assert!(output.status.success(), "{moments:?}: {}", words(&output));
        println!("{} kills: {moments:?}", moments.len());
        let got = end(&root);
        if let Some(difference) = difference(&want.0, &got.0) {
            panic!("{difference}\nafter {moments:?}, in {}", place.keep().display());
        }
        for (id, mail) in &want.1 {
            assert_eq!(got.1.get(id).map(|m| &m.raw), Some(&mail.raw), "{id} to {}", mail.to);
        }
        assert_eq!(got.1.len(), want.1.len(), "no mail that the undisturbed run has not");
        assert_eq!(got.2, want.2, "the ledger");
        compare_mails(&root);
    }
}
