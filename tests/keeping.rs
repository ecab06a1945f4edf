//! Keeping a site with the real binary: its history decided again, every kind of damage found and mended or named, the
//! whole put away and fetched back (operations.md 12, 18.14).

mod ground;

use chancery::status::{Document, Game};
use ground::*;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

const CONFIG: &str = "[judge]\nid = \"TEST\"\naddress = \"judge@judge.example\"\nkeepers = [\"keeper@judge.example\"]\n\
                      [registry]\nmode = \"none\"\n[limits]\nmin_free = \"1 MiB\"\n[test]\nallow_clock = true\n\
                      [mail.out.smtp]\npassword = \"hunter2\"\n";
const NAMES: [&str; 7] = ["ada", "bo", "cy", "dee", "eli", "fay", "gus"];
const NOON: &str = "2026-03-02T12:00:00Z";

/// Runs a verb on a site.
fn run(root: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = chancery();
    command.args(arguments).arg("--root").arg(root);
    if !matches!(arguments[0], "restore" | "init") {
        command.args(["--clock", NOON]);
    }
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    // A program that wants no input does not read it.
    let _ = child.stdin.take().expect("stdin").write_all(input.as_bytes());
    child.wait_with_output().expect("ends")
}

fn good(root: &Path, arguments: &[&str]) -> String {
    let output = run(root, arguments, "");
    assert!(output.status.success(), "{arguments:?}: {}", words(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What a verb says that has to fail.
fn bad(root: &Path, arguments: &[&str]) -> String {
    let output = run(root, arguments, "");
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", words(&output));
    words(&output)
}

fn mail(root: &Path, id: &str, from: &str, lines: &[String]) {
    let message = letter(id, from, lines);
    let output = run(root, &["deliver", "--now"], &message);
    assert!(output.status.success(), "{}", words(&output));
}

fn letter(id: &str, from: &str, lines: &[String]) -> String {
    format!(
        "From: <{from}>\r\nTo: judge@judge.example\r\nMessage-ID: <{id}@{from}>\r\n\r\n{}\r\nSIGNOFF\r\n",
        lines.join("\r\n")
    )
}

fn game(root: &Path) -> Game {
    let bytes = std::fs::read(root.join("games/war/status")).expect("status");
    Document::parse(&bytes).expect("a status file").game().clone()
}

/// One mail with the orders of every power: these, and holding for the rest.
fn orders(root: &Path, id: &str, special: &[(&str, &[&str])]) {
    let game = game(root);
    let movement = game.phase_letter() == Some('M');
    let mut lines = Vec::new();
    for p in &game.participants {
        let own = special.iter().find(|(power, _)| *power == p.name).map(|(_, orders)| *orders);
        let list: Vec<String> = match own {
            Some(orders) => orders.iter().map(|o| (*o).to_string()).collect(),
            None if movement => p.units.iter().map(|u| format!("{u} H")).collect(),
            None => continue,
        };
        let name = p.address[0].split('@').next().expect("a name");
        lines.push(format!("SIGNON {}@war word-{name}", p.name.to_lowercase()));
        lines.extend(list);
    }
    mail(root, id, "ada@player.example", &lines);
}

/// A site with a game of four phases – a dislodged unit, a build and a removal among them – processed in the very mails
/// that brought the last orders, and a game that forms.
fn played() -> &'static Path {
    static SITE: OnceLock<TempDir> = OnceLock::new();
    let ground = SITE.get_or_init(|| {
        let ground = ground();
        let root = ground.path().join("site");
        plant_secret(&root);
        std::fs::write(root.join("chancery.toml"), CONFIG).expect("config");
        assert!(chancery().arg("init").arg(&root).output().expect("init").status.success());
        let lines = |lines: &[&str]| lines.iter().map(|l| (*l).to_string()).collect::<Vec<_>>();
        let master = "master@master.example";
        mail(&root, "c1", master, &lines(&["CREATE war heron-word", "RULE NO_DEADLINE", "DESC For keeping.", "FORM"]));
        mail(&root, "c2", master, &lines(&["CREATE peace dove-word", "FORM"]));
        for name in NAMES {
            let from = format!("{name}@player.example");
            mail(&root, "join", &from, &[format!("JOIN war word-{name}")]);
        }
        assert_eq!(game(&root).short_phase(), "S1901M");
        orders(&root, "p1", &[("AUSTRIA", &["A VIE - TYR", "A BUD - TRI", "F TRI - ADR"])]);
        assert_eq!(game(&root).short_phase(), "F1901M");
        let siege = ["A TYR - VEN", "A TRI S A TYR - VEN", "F ADR S A TYR - VEN"];
        orders(&root, "p2", &[("AUSTRIA", &siege)]);
        assert_eq!(game(&root).short_phase(), "F1901R");
        orders(&root, "p3", &[("ITALY", &["RETREAT A VEN - PIE"])]);
        assert_eq!(game(&root).short_phase(), "W1901A");
        orders(&root, "p4", &[("AUSTRIA", &["BUILD A VIE"]), ("ITALY", &["REMOVE F NAP"])]);
        assert_eq!(game(&root).short_phase(), "S1902M");
        orders(&root, "p5", &[("TURKEY", &["F ANK - BLA", "A CON H", "A SMY H"]), ("FRANCE", &[])]);
        good(&root, &["send"]);
        ground
    });
    Box::leak(ground.path().join("site").into_boxed_path())
}

/// A copy of that site to be spoilt.
fn copied() -> (TempDir, PathBuf) {
    let ground = ground();
    let root = ground.path().join("site");
    copy(played(), &root);
    (ground, root)
}

fn edit(root: &Path, file: &str, change: impl FnOnce(String) -> String) {
    let path = root.join(file);
    let old = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{file}: {e}"));
    let new = change(old.clone());
    assert_ne!(new, old, "{file}: nothing to change");
    std::fs::write(path, new).expect("written");
}

fn put(root: &Path, from: &str, to: &str) {
    std::fs::copy(root.join(from), root.join(to)).expect("copied");
}

#[test]
fn the_history_is_decided_again_to_the_same_bytes() {
    let (_ground, root) = copied();
    let said = good(&root, &["verify", "--replay"]);
    assert!(said.ends_with("sound\n") && !said.contains("damage"), "{said}");
    // The copies hold the orders of the mail that had the phase processed.
    let kept = std::fs::read_to_string(root.join("games/war/status.F1901M")).expect("copy");
    assert!(kept.contains("A TRI S A TYR - VEN") && kept.matches("\nORDERS\n").count() == 7, "{kept}");

    // A judge may move: what a report says of the house is the house's of then.
    edit(&root, "chancery.toml", |text| text.replace("[judge]", "[judge]\nurl = \"https://new.example\""));
    good(&root, &["publish", "--all"]);
    assert!(good(&root, &["verify", "--replay"]).ends_with("sound\n"));

    // A copy that says something else than what was played: only a replay sees it.
    edit(&root, "games/war/status.F1901M", |text| text.replace("F ADR S A TYR - VEN", "F ADR H"));
    good(&root, &["verify"]);
    let said = bad(&root, &["verify", "--replay"]);
    assert!(said.contains("results.jsonl: damage: F1901M is decided otherwise now: "), "{said}");
    assert!(!said.contains("S1901M is decided") && !said.contains("W1901A is decided"), "{said}");
    assert!(bad(&root, &["verify", "--replay", "war"]).contains("F1901M"));
    good(&root, &["verify", "--replay", "peace"]);
}

#[test]
fn history_stays_whole_back_and_forth() {
    let (_ground, root) = copied();
    let whole = tree(&root.join("games/war"));
    let steps = [
        ("ROLLBACK", "W1901A"),
        ("ROLLFORWARD", "S1902M"),
        ("ROLLBACK F1901M", "F1901M"),
        ("ROLLFORWARD F1901R", "F1901R"),
        ("ROLLFORWARD", "S1902M"),
        ("ROLLBACK S1901M RESTORE", "S1901M"),
        ("ROLLFORWARD W1901A", "W1901A"),
        ("ROLLBACK FORMING", "FORMING"),
        ("ROLLFORWARD", "S1902M"),
    ];
    for (n, (command, phase)) in steps.into_iter().enumerate() {
        let lines = ["SIGNON Mwar heron-word".to_owned(), command.to_owned()];
        mail(&root, &format!("back{n}"), "master@master.example", &lines);
        assert_eq!(game(&root).short_phase(), phase, "{command}");
        let said = good(&root, &["verify", "--replay"]);
        assert!(said.ends_with("sound\n"), "{command}: {said}");
    }
    let after = tree(&root.join("games/war"));
    for (name, bytes) in whole.iter().filter(|(name, _)| name.starts_with("results") || name.starts_with("status.")) {
        assert!(after.get(name) == Some(bytes), "{name} is as it was");
    }
}

#[test]
fn a_report_that_was_changed_is_found() {
    let (_ground, root) = copied();
    // Behind the report of the start there is that of the first phase.
    edit(&root, "games/war/results", |text| {
        let (start, rest) = text.split_once("results war S1901M").expect("the first phase");
        format!("{start}results war S1901M{}", rest.replacen("Army Venice", "Army Vienna", 1))
    });
    let said = bad(&root, &["verify", "--replay"]);
    assert!(said.contains("games/war/results: damage: the report of "), "{said}");
}

/// What becomes of a damage in a repair.
enum End {
    /// All is well again.
    Mended,
    /// Nothing can be done without a person; repair says so.
    Named,
}

#[test]
fn every_damage_is_found_and_mended_or_named() {
    use End::{Mended, Named};
    type Spoil = fn(&Path);
    let cases: Vec<(&str, Spoil, &str, End)> = vec![
        (
            "a line of the index is lost",
            |root| {
                edit(root, "games/status", |t| {
                    t.lines().filter(|l| !l.contains("war")).map(|l| format!("{l}\n")).collect()
                })
            },
            "games/status: damage: game war has no line",
            Mended,
        ),
        (
            "a line of the index for nothing",
            |root| edit(root, "games/status", |t| format!("{t}    ghost standard active\n")),
            "damage: there is no game ghost",
            Mended,
        ),
        (
            "a line of the index that says nothing",
            |root| edit(root, "games/status", |t| t.replace("war standard active", "war standard dreaming")),
            "damage: war: no line of an index",
            Mended,
        ),
        (
            "two lines for a game",
            |root| edit(root, "games/status", |t| format!("{t}    war standard active\n")),
            "damage: war has a second line",
            Mended,
        ),
        (
            "state and phase disagree",
            |root| edit(root, "games/status", |t| t.replace("war standard active", "war standard forming")),
            "STATE AND PHASE DISAGREE: war is forming",
            Mended,
        ),
        (
            "the status file is gone",
            |root| std::fs::remove_file(root.join("games/war/status")).expect("removed"),
            "games/war/status: damage: missing",
            Mended,
        ),
        (
            "the status file is full of zeros",
            |root| std::fs::write(root.join("games/war/status"), [0u8; 4096]).expect("written"),
            "games/war/status: damage: no status file",
            Mended,
        ),
        (
            "the status file is endless",
            |root| std::fs::write(root.join("games/war/status"), vec![b'x'; 2 << 20]).expect("written"),
            "games/war/status: damage: cannot be read: file has 2097152 bytes",
            Mended,
        ),
        (
            "the status file is older than the results",
            |root| put(root, "games/war/status.F1901R", "games/war/status"),
            "damage: stands in F1901R, which was processed already",
            Mended,
        ),
        (
            "a status file with an error",
            |root| edit(root, "games/war/status", |t| t.replace("\nA TRI\n", "\nA XYZ\n")),
            "damage: INVALID UNIT: AUSTRIA: A XYZ",
            Named,
        ),
        (
            "a kept copy is gone",
            |root| std::fs::remove_file(root.join("games/war/status.F1901R")).expect("removed"),
            "games/war/status.F1901R: damage: missing, though the phase was processed",
            Named,
        ),
        (
            "a kept copy is another's",
            |root| put(root, "games/war/status.S1901M", "games/war/status.W1901A"),
            "games/war/status.W1901A: damage: is of S1901M",
            Named,
        ),
        (
            "a kept copy is torn",
            |root| std::fs::write(root.join("games/war/status.S1901M"), "").expect("written"),
            "games/war/status.S1901M: damage: no status file",
            Named,
        ),
        (
            "a record is torn",
            |root| edit(root, "games/war/results.jsonl", |t| t.replacen("{\"name\"", "{\"na", 1)),
            "games/war/results.jsonl:1: damage: no record of a phase",
            Named,
        ),
        (
            "a report is gone",
            |root| std::fs::write(root.join("games/war/results"), "").expect("written"),
            "games/war/results: damage: S1901M is missing",
            Named,
        ),
        (
            "a commit is missing in the log",
            |root| {
                edit(root, "games/war/audit.log", |t| {
                    t.lines().filter(|l| !l.starts_with("3 ")).map(|l| format!("{l}\n")).collect()
                })
            },
            "games/war/audit.log: damage: commit 4 follows commit 2",
            Named,
        ),
        (
            "a queued mail is no mail",
            |root| std::fs::write(root.join("outbox/new/1-2.msg"), "nothing").expect("written"),
            "outbox/new/1-2.msg: damage: cannot be read as a queued mail",
            Mended,
        ),
        (
            "a sent mail is cut short",
            |root| {
                let name = names(&root.join("outbox/done")).remove(0);
                edit(root, &format!("outbox/done/{name}"), |t| t.lines().next().expect("a head").to_owned());
            },
            "damage: cannot be read as a queued mail: a queue file has an empty line",
            Mended,
        ),
        (
            "a line of the ledger is torn",
            |root| {
                let name = names(&root.join("ledger")).remove(0);
                edit(root, &format!("ledger/{name}"), |t| format!("half a li\n{t}"));
            },
            ":1: damage: no line of the ledger",
            Mended,
        ),
        (
            "a page was changed",
            |root| edit(root, "web/index.html", |t| format!("{t}<!-- x -->")),
            "web/index.html: damage: not what would be published now",
            Mended,
        ),
        (
            "a page is of no game",
            |root| {
                std::fs::create_dir_all(root.join("web/game/ghost")).expect("made");
                std::fs::write(root.join("web/game/ghost/index.html"), "x").expect("written");
            },
            "web/game/ghost: damage: not what would be published now",
            Mended,
        ),
        (
            "the registry is torn",
            |root| std::fs::write(root.join("registry/people.json"), "{\"people\":").expect("written"),
            "registry/people.json: damage: cannot be read",
            Named,
        ),
        (
            "the note of the last round is torn",
            |root| std::fs::write(root.join("cron/check.tim"), "round=").expect("written"),
            "cron/check.tim: damage: ",
            Named,
        ),
        (
            "a journal of another version",
            |root| std::fs::write(root.join("journal/war.99.txn"), "chancery-txn 9 war 99 0 x\n").expect("written"),
            "journal: damage: war: ",
            Named,
        ),
    ];
    for (name, spoil, found, end) in cases {
        let (_ground, root) = copied();
        good(&root, &["verify"]);
        spoil(&root);
        let said = bad(&root, &["verify"]);
        assert!(said.contains(found), "{name}: {said}");
        let before = tree(&root);
        let plan = good(&root, &["repair", "--plan"]);
        assert_eq!(difference(&before, &tree(&root)), None, "{name}: a plan changes nothing");
        match end {
            Mended => {
                assert!(!plan.is_empty(), "{name}");
                let mended = good(&root, &["repair"]);
                assert!(mended.starts_with(&plan) && mended.ends_with("sound\n"), "{name}: {plan}---\n{mended}");
                let said = good(&root, &["verify", "--replay"]);
                assert!(said.ends_with("sound\n"), "{name}: {said}");
                assert_eq!(good(&root, &["repair"]), "sound\n", "{name}: nothing is left");
            }
            Named => assert!(bad(&root, &["repair"]).contains(found), "{name}"),
        }
    }
}

#[test]
fn a_status_file_is_restored_and_its_master_told() {
    let (_ground, root) = copied();
    let before = game(&root);
    std::fs::write(root.join("games/war/status"), [0u8; 512]).expect("written");
    let plan = good(&root, &["repair", "--plan"]);
    assert!(plan.contains("games/war/status: written anew from status.W1901A, decided again"), "{plan}");
    good(&root, &["repair"]);
    let after = game(&root);
    assert_eq!(after.phase, before.phase);
    for (was, is) in before.participants.iter().zip(&after.participants) {
        assert_eq!((&was.name, &was.units, &was.owns, &was.password), (&is.name, &is.units, &is.owns, &is.password));
    }
    assert_eq!(std::fs::read(root.join("games/war/status.damaged")).expect("kept"), [0u8; 512]);
    let index = std::fs::read_to_string(root.join("games/status")).expect("index");
    assert!(index.contains("war standard waiting"), "{index}");
    good(&root, &["send"]);
    let told: Vec<String> =
        sent(&root).into_values().filter(|m| m.subject.contains("repaired")).map(|m| m.to).collect();
    assert_eq!(told.len(), 2, "{told:?}");

    // Errors are a Master's to mend, unless the keeper names the game; a backup made before an edit is better.
    let (_ground, root) = copied();
    let good_text = std::fs::read(root.join("games/war/status")).expect("status");
    std::fs::write(root.join("games/war/status.backup"), &good_text).expect("backup");
    edit(&root, "games/war/status", |t| t.replace("\nA TRI\n", "\nA XYZ\n"));
    assert_eq!(good(&root, &["repair", "--plan"]), "");
    let mended = good(&root, &["repair", "war"]);
    assert!(mended.contains("written anew from status.backup"), "{mended}");
    assert_eq!(std::fs::read(root.join("games/war/status")).expect("status"), good_text);
}

#[test]
fn a_game_that_disagrees_with_the_index_is_left_alone() {
    let (_ground, root) = copied();
    edit(&root, "games/status", |t| t.replace("peace standard forming", "peace standard active"));
    let output = run(&root, &["tick"], "");
    assert!(words(&output).contains("peace: STATE AND PHASE DISAGREE: active, FORMING"), "{}", words(&output));
    good(&root, &["repair"]);
    let index = std::fs::read_to_string(root.join("games/status")).expect("index");
    assert!(index.contains("peace standard preparation"), "{index}");
}

#[test]
fn a_hand_edit_is_no_damage() {
    let (_ground, root) = copied();
    edit(&root, "games/war/status", |t| t.replace("DESC For keeping.", "DESC For keeping well."));
    let said = good(&root, &["verify", "--replay"]);
    assert!(said.contains("games/war/status: note: changed by another hand"), "{said}");
    // A position set up by its Master is a note, too, before and after it is taken over.
    edit(&root, "games/war/status", |t| t.replace("\nA PIE", "\nA TUS"));
    let note = "games/war/status: note: is not the position that W1901A left: ITALY units";
    assert!(good(&root, &["verify", "--replay"]).contains(note));
    good(&root, &["tick"]);
    assert!(good(&root, &["verify", "--replay"]).contains(note));
}

#[test]
fn questions_to_games() {
    let (_ground, root) = copied();
    let all = good(&root, &["inspect"]);
    assert_eq!(all.lines().count(), 2);
    assert!(all.contains("S1902M    orders are owed by"), "{all}");
    let war = good(&root, &["inspect", "war"]);
    assert!(
        war.starts_with("war active, standard, S1902M\n") && war.contains("ready        no: orders are owed by"),
        "{war}"
    );
    assert!(war.contains("TURKEY        3 units  3 centres  orders on file\n"), "{war}");
    assert_eq!(good(&root, &["inspect", "war", "participants.italy.units"]), "A ROM\nA PIE\n");
    assert_eq!(good(&root, &["inspect", "war", "powers.AUSTRIA.centers"]), "4\n");
    assert_eq!(good(&root, &["inspect", "war", "participants.ITALY.password"]), "***\n");
    let output = run(&root, &["inspect", "-"], "war phase\npeace state\n\nnosuch\nwar owing.0\n");
    assert!(output.status.success());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(said.lines().take(3).collect::<Vec<_>>(), ["S1902M", "forming", "there is no game nosuch"], "{said}");
    let value: serde_json::Value = serde_json::from_str(&good(&root, &["inspect", "war", "--json"])).expect("JSON");
    assert_eq!(value["ready"], false);
    assert!(bad(&root, &["inspect", "war", "nothing"]).contains("there is no 'nothing' here"));
    assert!(bad(&root, &["inspect", "nosuch"]).contains("there is no game nosuch"));
    assert!(!good(&root, &["inspect", "war", "--json"]).contains("argon2"));
}

/// Everything a backup has to hold, of a site as it lies there.
fn kept_of(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for room in ["games", "registry", "ledger", "spool/in/done", "maps", "trial", "outbox"] {
        files.extend(tree(&root.join(room)).into_iter().map(|(name, bytes)| (format!("{room}/{name}"), bytes)));
    }
    files
}

#[test]
fn a_site_is_put_away_and_fetched_back() {
    let (ground, root) = copied();
    let backups = ground.path().join("backups");
    std::fs::create_dir(&backups).expect("made");
    let said = good(&root, &["backup", backups.to_str().expect("a path"), "--with-secrets"]);
    assert!(said.contains("chancery-test-20260302T120000Z.tar.gz: "), "{said}");
    let there = ground.path().join("there");
    let said = good(&there, &["restore", backups.to_str().expect("a path")]);
    assert!(said.contains("the clock is suspended") && said.contains("replay --since 2026-03-02T12:00:00Z"), "{said}");
    assert_eq!(difference(&kept_of(&root), &kept_of(&there)), None);
    assert_eq!(std::fs::read(root.join("chancery.toml")).ok(), std::fs::read(there.join("chancery.toml")).ok());
    let said = good(&there, &["verify", "--replay"]);
    assert!(said.contains("no deadlines are processed") && said.ends_with("sound\n"), "{said}");
    let tick = run(&there, &["tick"], "");
    let said = String::from_utf8_lossy(&tick.stdout);
    assert!(tick.status.code() == Some(75) && said.contains("nothing done: suspended"), "{}", words(&tick));
    use std::os::unix::fs::PermissionsExt;
    for (file, mode) in
        [("chancery.toml", 0o600), ("registry/secret", 0o600), ("registry", 0o700), ("games/war/status", 0o640)]
    {
        let there = std::fs::metadata(there.join(file)).expect("mode").permissions().mode() & 0o777;
        assert_eq!(there, mode, "{file}");
    }
    // What is there is not overwritten.
    let before = tree(&there);
    assert!(bad(&there, &["restore", backups.to_str().expect("a path")]).contains("not empty; --replace"));
    assert_eq!(difference(&before, &tree(&there)), None);
}

/// Rooms that the configuration puts elsewhere go where they belong, and what was there goes aside.
#[test]
fn rooms_elsewhere_are_fetched_back_too() {
    let (ground, root) = copied();
    let rooms = ground.path().join("rooms");
    std::fs::create_dir_all(rooms.join("www")).expect("made");
    for room in ["games", "registry", "outbox"] {
        std::fs::rename(root.join(room), rooms.join(room)).expect("moved");
    }
    std::fs::write(rooms.join("www/notes.txt"), "not ours").expect("written");
    let paths = format!(
        "\n[paths]\ngames = \"{0}/games\"\nregistry = \"../rooms/registry\"\noutbox = \"{0}/outbox\"\n\
         web = \"{0}/www\"\nlog = \"{0}/log\"\n",
        rooms.display()
    );
    let config = std::fs::read_to_string(root.join("chancery.toml")).expect("config");
    std::fs::write(root.join("chancery.toml"), config + &paths).expect("config");
    let file = ground.path().join("away.tar");
    good(&root, &["backup", file.to_str().expect("a path"), "--with-secrets"]);
    let before = tree(&rooms.join("games"));
    let restore = ["restore", file.to_str().expect("a path")];
    assert!(bad(&root, &restore).contains("not empty; --replace"));

    // The site itself is lost, its rooms are not: nothing is overwritten unasked.
    std::fs::remove_dir_all(&root).expect("lost");
    let said = bad(&root, &restore);
    assert!(said.contains("rooms/games: not empty; --replace"), "{said}");
    assert!(!root.exists() && tree(&rooms.join("games")) == before);

    // They are as they are: put aside. What no backup holds stays.
    std::fs::write(rooms.join("games/war/status"), "scribble").expect("written");
    let said = good(&root, &["restore", file.to_str().expect("a path"), "--replace"]);
    let asides: Vec<String> = names(&rooms).into_iter().filter(|name| name.contains(".before-")).collect();
    assert_eq!(asides.len(), 3, "{asides:?}");
    assert!(asides.iter().all(|aside| said.contains(aside.as_str())), "{said}");
    assert_eq!(tree(&rooms.join("games")), before);
    assert_eq!(std::fs::read_to_string(rooms.join("www/notes.txt")).ok().as_deref(), Some("not ours"));
    assert!(rooms.join("www/index.html").is_file() && rooms.join("log").is_dir(), "published");
    assert!(good(&root, &["verify", "--replay"]).ends_with("sound\n"));

    // All of it is lost.
    std::fs::remove_dir_all(&root).expect("lost");
    std::fs::remove_dir_all(&rooms).expect("lost");
    good(&root, &restore);
    assert_eq!(tree(&rooms.join("games")), before);
    assert!(names(&rooms).iter().all(|name| !name.starts_with('.') && !name.contains("before")), "{:?}", names(&rooms));
    assert!(good(&root, &["verify", "--replay"]).ends_with("sound\n"));
}

#[test]
fn secrets_stay_at_home() {
    let (ground, root) = copied();
    let file = ground.path().join("away.tar");
    let output = run(&root, &["backup", file.to_str().expect("a path")], "");
    assert!(output.status.success(), "{}", words(&output));
    assert!(words(&output).contains("mail.out.smtp.password: left out"), "{}", words(&output));
    let bytes = std::fs::read(&file).expect("backup");
    assert!(!bytes.windows(7).any(|w| w == b"hunter2") && !bytes.windows(32).any(|w| w == SECRET));
    let there = ground.path().join("there");
    good(&there, &["restore", file.to_str().expect("a path")]);
    let config = std::fs::read_to_string(there.join("chancery.toml")).expect("config");
    assert!(config.contains("# password = … (left out of the backup)"), "{config}");
    assert!(good(&there, &["verify", "--replay"]).ends_with("sound\n"), "a replay needs no secret");
}

/// Where the second file of a tar begins: the size of the first is told in octal.
fn end_of_first(tar: &[u8]) -> usize {
    let digits: String = tar[124..135].iter().map(|b| char::from(*b)).collect();
    512 + usize::from_str_radix(&digits, 8).expect("a size").div_ceil(512) * 512
}

#[test]
fn a_spoilt_backup_is_refused_as_a_whole() {
    let (ground, root) = copied();
    let file = ground.path().join("away.tar");
    good(&root, &["backup", file.to_str().expect("a path")]);
    let whole = std::fs::read(&file).expect("backup");
    let there = ground.path().join("there");
    let mut flipped = whole.clone();
    let at = whole.windows(9).position(|w| w == b"GAME war\n").expect("the status file");
    flipped[at + 5] = b'x';
    let newer: Vec<u8> = {
        let at = whole.windows(17).position(|w| w == b"chancery-backup 1").expect("the manifest");
        let mut newer = whole.clone();
        newer[at + 16] = b'2';
        newer
    };
    for (name, bytes, why) in [
        ("cut within a file", &whole[..at + 5], "no backup, or not all of it"),
        ("cut between two files", &whole[..end_of_first(&whole)], "not written to its end"),
        ("flipped", flipped.as_slice(), "is not what was put away"),
        ("newer", newer.as_slice(), "of another version"),
        ("nothing", b"".as_slice(), ""),
        ("no archive", b"hello".as_slice(), "no backup"),
    ] {
        std::fs::write(&file, bytes).expect("written");
        let said = bad(&there, &["restore", file.to_str().expect("a path")]);
        assert!(said.contains(why), "{name}: {said}");
        assert!(!there.exists(), "{name}: nothing is left");
        let left: Vec<_> =
            std::fs::read_dir(ground.path()).expect("ground").map(|e| e.expect("entry").file_name()).collect();
        assert_eq!(left.len(), 2, "{name}: {left:?}");
    }
}

/// Mail comes in and is worked off while the site is put away; what came later is fed again from the site that was put
/// aside, and nothing is done twice (18.14).
#[test]
fn a_backup_of_a_busy_site_is_whole() {
    let (ground, root) = copied();
    let file = ground.path().join("busy.tar");
    let over = AtomicBool::new(false);
    let game = game(&root);
    let turkey = game.participant("TURKEY").expect("TURKEY");
    let name = turkey.address[0].split('@').next().expect("a name").to_owned();
    let press = |n: usize| {
        let lines =
            [format!("SIGNON turkey@war word-{name}"), "PRESS TO M".into(), format!("Word {n}."), "ENDPRESS".into()];
        letter(&format!("busy{n}"), &turkey.address[0], &lines)
    };
    let count = 8;
    std::thread::scope(|scope| {
        let (over, root) = (&over, &root);
        scope.spawn(move || {
            while !over.load(Ordering::SeqCst) {
                assert!(run(root, &["work"], "").status.success());
            }
        });
        let backup = scope.spawn(|| good(root, &["backup", file.to_str().expect("a path"), "--with-secrets"]));
        for n in 0..count {
            assert!(run(root, &["deliver"], &press(n)).status.success());
        }
        backup.join().expect("the backup");
        over.store(true, Ordering::SeqCst);
    });
    good(&root, &["work"]);
    let said = good(&root, &["restore", file.to_str().expect("a path"), "--replace"]);
    let aside = names(ground.path()).into_iter().find(|name| name.starts_with("site.before-")).expect("put aside");
    let found = good(&root, &["verify", "--replay"]);
    assert!(found.ends_with("sound\n"), "{found}");
    good(&root, &["work"]);
    // The test's clock stands still while messages are stamped by it, so all of them are "since" then.
    let aside = ground.path().join(aside);
    good(&root, &["replay", "--since", NOON, "--from", aside.to_str().expect("a path")]);
    let all = std::fs::read_to_string(root.join("games/war/press")).expect("press");
    for n in 0..count {
        assert_eq!(all.matches(&format!("\nWord {n}.\n")).count(), 1, "word {n} of {count}; {said}");
    }
    assert_eq!(
        leftovers(&root).into_iter().filter(|l| !l.starts_with("outbox/hold")).collect::<Vec<_>>(),
        Vec::<String>::new()
    );
    assert!(good(&root, &["verify", "--replay"]).ends_with("sound\n"));
}
