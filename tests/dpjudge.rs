//! An old DPjudge site moves in, plays on, and moves out again, with the real program (operations.md 13, OPS-111).

mod support;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::Site;

const NOW: &str = "2026-11-28T09:00:00Z";
/// Every clear password of the old site.
const WORDS: [&str; 8] = ["heron7", "pw-", "quartz", "basalt", "gneiss", "bramble-4", "pw-ff-before", "otter"];

type Files = BTreeMap<String, Vec<u8>>;

/// All plain files below a directory, by relative path.
fn files(root: &Path) -> Files {
    fn walk(root: &Path, at: &Path, all: &mut Files) {
        for entry in std::fs::read_dir(at).unwrap() {
            let entry = entry.unwrap();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                walk(root, &entry.path(), all);
            } else if kind.is_file() {
                let name = entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                all.insert(name, std::fs::read(entry.path()).unwrap());
            }
        }
    }
    let mut all = Files::new();
    walk(root, root, &mut all);
    all
}

/// A copy of the old site, with what git does not keep: a link, and a map that says what ours says.
fn old_site(at: &Path) -> PathBuf {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/dpjudge");
    let old = at.join("old");
    for (name, bytes) in files(&data) {
        let path = old.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let map = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("maps/standard.map")).unwrap();
    std::fs::write(old.join("maps/standard.map"), [b"# as it was in 2017\n", map.as_slice()].concat()).unwrap();
    std::fs::write(old.join("maps/youngstown.politics"), "# a part of a map that came along no more\n").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", old.join("games/hexham/link")).unwrap();
    old
}

fn new_site() -> Site {
    Site::empty(Vec::new())
}

fn import(site: &Site, old: &Path, more: &[&str]) -> Output {
    let mut arguments = vec!["import-dpjudge", old.to_str().unwrap(), "--clock", NOW];
    arguments.extend(more);
    site.run(&arguments, b"")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The status file with its passwords made alike: the one thing that changes on every way.
fn masked(name: &str, bytes: &[u8]) -> Vec<u8> {
    let lines = bytes.split_inclusive(|b| *b == b'\n');
    let is_status = name.rsplit('/').next().is_some_and(|file| file.starts_with("status"));
    let mask =
        |line: &[u8]| if is_status && line.starts_with(b"PASSWORD ") { b"PASSWORD\n".to_vec() } else { line.to_vec() };
    lines.flat_map(mask).collect()
}

fn all_masked(root: &Path) -> Files {
    files(root).into_iter().map(|(name, bytes)| (name.clone(), masked(&name, &bytes))).collect()
}

/// The index as words, one list a game.
fn index(bytes: &[u8]) -> Vec<Vec<String>> {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
    let mut all: Vec<Vec<String>> = text.lines().map(words).filter(|line: &Vec<String>| !line.is_empty()).collect();
    all.sort();
    all
}

/// What a site holds that an import may change.
fn state(site: &Site) -> Files {
    let mut all = files(&site.root());
    all.retain(|name, _| !name.ends_with(".lock"));
    all
}

#[test]
fn an_old_site_moves_in_plays_on_and_moves_out() {
    let dir = tempfile::tempdir().unwrap();
    let old = old_site(dir.path());
    let site = new_site();

    // Only looking changes nothing, and says the same.
    let before = state(&site);
    let looked = import(&site, &old, &["--dry-run"]);
    assert!(looked.status.success(), "{}", text(&looked));
    assert_eq!(state(&site), before);

    let done = import(&site, &old, &[]);
    let said = text(&done);
    assert!(done.status.success(), "{said}");
    let printed = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(printed(&looked).replace("would be taken over", "taken over"), printed(&done));
    for line in [
        "hexham: taken over, active, 10 files",
        "ridley: taken over, active, 1 files",
        "6 games taken over, 0 before, 0 refused",
        "maps/pond.map: taken over",
        "maps/pond.ps: taken over",
        "trial/cape.map: taken over",
        "note: maps/standard.map: says the same as the map in the program, which is used",
        "note: maps/youngstown.politics: only maps are made of it that the program has",
        "note: games/hexham/status: RULE OLD_JUDGE added: the game goes on as it began",
        "note: games/status (gyre): the index says 'error'; by its PHASE the game is active",
        "note: games/status (ridley): not in the index; by its PHASE the game is active",
        "note: host.py: for chancery.toml: games.create_limit = 12",
        "lost: games/status: 'ghost standard active': there is no directory of that game",
        "lost: games/hexham/press: line 4: UTF-8 before; the way back writes Latin-1",
        "lost: games/hexham/access: 2 passwords blanked",
        "lost: games/hexham/old notes.txt: 'games/hexham/old notes.txt' cannot be the name of a file",
        "lost: games/hexham/link: neither a plain file nor a directory",
        "lost: games/README: it holds no status file: no game",
        "lost: games/attic: it holds no status file: no game",
        "lost: bin: beside games, maps and host.py",
        "lost: host.py: 'gameDir = hostDir + '/games'' has no place in chancery.toml",
        "broken: games/gyre/status: 3 errors; the game stands still until they are mended",
        "broken: games/gyre/status: line 9: perhaps a clear password",
    ] {
        assert!(said.contains(line), "{line}\n-- not in --\n{said}");
    }

    // Every game is what it was, under the rule of the old judge where it had begun; only the broken one has errors.
    for game in ["hexham", "summit", "lantern", "gyre", "mere", "ridley"] {
        let file = site.root().join("games").join(game).join("status");
        let checked = site.run(&["status", "check", file.to_str().unwrap()], b"");
        let found = text(&checked);
        assert_eq!(checked.status.success(), game != "gyre", "{found}");
        let errors = found.lines().filter_map(|line| line.split_once(": error: ")).map(|(_, error)| error);
        for error in errors {
            assert!(said.contains(error), "{error}\n-- not in --\n{said}");
        }
        let begun = !["lantern", "mere"].contains(&game);
        assert_eq!(site.game(game).rules.iter().any(|rule| rule == "OLD_JUDGE"), begun, "{game}");
    }
    assert!(site.file("hexham", "status.S1901M").contains("RULE OLD_JUDGE"));
    assert_eq!(site.index("summit").other, ["golden"]);
    assert!(site.file("hexham", "status").contains("Renée_Noël"));
    assert!(
        site.file("hexham", "press").contains("Où vont vos armées?") && site.file("hexham", "press").contains("Süden")
    );
    // The same word of a seat is one hash in all copies.
    let password = |file: &str| {
        let text = site.file("hexham", file);
        let block = text.split("\n\n").find(|block| block.starts_with("ENGLAND")).unwrap_or_default().to_owned();
        block.lines().find(|line| line.starts_with("PASSWORD")).map(str::to_owned)
    };
    assert!(password("status").is_some_and(|line| line.starts_with("PASSWORD $argon2id$")));
    assert_eq!(password("status"), password("status.S1901M"));

    // What was played is on record as the old judge reported it, fits what follows, and has its page and its pictures.
    let record: serde_json::Value = serde_json::from_str(site.file("hexham", "results.jsonl").trim()).unwrap();
    assert_eq!((&record["name"], &record["recalled"]), (&"S1901M".into(), &true.into()));
    assert_eq!(record["processed"], "2026-11-27T20:00:12Z");
    assert_eq!(record["orders"]["AUSTRIA"], serde_json::json!(["A BUD - SER", "A VIE - TRI", "F TRI - ALB"]));
    assert_eq!(record["after"]["units"]["AUSTRIA"], serde_json::json!(["A SER", "A TRI", "F ALB"]));
    assert!(record["report"].as_str().is_some_and(|text| text.starts_with(":: Judge: OLDJ") && text.contains("HOLD.")));
    let verified = text(&site.run(&["verify", "--replay"], b""));
    assert!(!verified.contains("S1901M"), "{verified}");

    // No old password is left in clear, but the one that was pointed at; modes as everywhere.
    for (name, bytes) in files(&site.root()) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        for word in WORDS {
            assert!(!text.contains(word), "{word} in {name}");
        }
        if name.starts_with("games/hexham") {
            let mode = std::fs::metadata(site.root().join(&name)).unwrap().permissions().mode() & 0o777;
            assert!(mode == 0o640 || name.ends_with(".lock"), "{name}: {mode:o}");
        }
    }
    assert!(site.file("gyre", "status").contains("PASSWORD heron-eight"));

    // Its people are known, and nothing is processed before the keeper has looked.
    let people = std::fs::read_to_string(site.root().join("registry/people.json")).unwrap();
    assert!(people.contains("Renée Noël") && people.contains("bo@play.example"), "{people}");
    assert!(site.root().join("cron/suspended").exists());
    let ticked = text(&site.run(&["tick", "--clock", NOW], b""));
    assert!(ticked.contains("suspended"), "{ticked}");

    // A second time nothing happens.
    let before = state(&site);
    let again = import(&site, &old, &[]);
    assert!(
        again.status.success() && text(&again).contains("0 games taken over, 6 before, 0 refused"),
        "{}",
        text(&again)
    );
    assert_eq!(state(&site), before);

    // The way out: what is not as it was has been named.
    let out = dir.path().join("out");
    let given = site.run(&["export-dpjudge", out.to_str().unwrap()], b"");
    let said = text(&given);
    assert!(given.status.success(), "{said}");
    for line in [
        "note: games/hexham/status: RULE OLD_JUDGE taken out",
        "lost: games/hexham/status: 8 passwords set anew",
        "lost: games/hexham/audit.log: the log of the commits of one site",
        "lost: chancery.toml: of this judge alone",
        "6 games written to",
    ] {
        assert!(said.contains(line), "{line}\n-- not in --\n{said}");
    }
    assert!(!said.contains("golden"), "the flag of another judge goes along");
    let (was, mut is) = (all_masked(&old), all_masked(&out));
    for (name, bytes) in &was {
        let given = is.remove(name);
        match name.as_str() {
            // Listed by the import as left behind.
            "games/README"
            | "games/attic/old.txt"
            | "games/hexham/old notes.txt"
            | "bin/mail"
            | "log/check.tim"
            | "host.py"
            | "maps/standard.map"
            | "maps/youngstown.politics" => assert_eq!(given, None, "{name}"),
            "games/status" => {
                let mut lines = index(bytes);
                lines.retain(|line| line[0] != "ghost");
                lines.push(["ridley", "standard", "active"].map(str::to_owned).to_vec());
                lines.iter_mut().filter(|line| line[0] == "gyre").for_each(|line| line[2] = "active".to_owned());
                lines.sort();
                assert_eq!(index(&given.unwrap()), lines);
            }
            "games/hexham/access" => {
                let blanked = String::from_utf8(bytes.clone()).unwrap().replace("pw-ff", "***").replace("pw-rr", "***");
                assert_eq!(given.unwrap(), blanked.as_bytes());
            }
            "games/hexham/press" => {
                let latin1 = String::from_utf8_lossy(&given.unwrap()).into_owned();
                assert_eq!(latin1, String::from_utf8_lossy(bytes).replace("ü", "\u{fffd}"));
            }
            _ => assert_eq!(given.as_deref(), Some(bytes.as_slice()), "{name}"),
        }
    }
    let records = is.remove("games/hexham/results.jsonl").unwrap();
    assert_eq!(records, site.file("hexham", "results.jsonl").as_bytes());
    assert_eq!(is, Files::new(), "nothing else that was not there");
    let refused = site.run(&["export-dpjudge", out.to_str().unwrap()], b"");
    assert!(!refused.status.success() && text(&refused).contains("new or empty"), "{}", text(&refused));

    // What was given moves in again as the same games.
    let second = new_site();
    let moved = import(&second, &out, &[]);
    assert!(moved.status.success(), "{}", text(&moved));
    let games = |site: &Site| -> Files {
        let mut all = all_masked(&site.root().join("games"));
        all.retain(|name, _| !name.ends_with("audit.log") && !name.ends_with(".lock"));
        all
    };
    assert_eq!(games(&second), games(&site));

    // The old password plays; where it was set anew, the new one does.
    let new = std::fs::read(out.join("games/hexham/status")).unwrap();
    let new = new.iter().map(|b| char::from(*b)).collect::<String>();
    let block = new.split("\n\n").find(|block| block.starts_with("FRANCE")).unwrap();
    let word = block.lines().find_map(|line| line.strip_prefix("PASSWORD ")).unwrap();
    for (site, right, wrong) in [(&site, "PW-FF", word), (&second, word, "pw-ff")] {
        // Whoever guesses wrong waits for a moment.
        for (password, accepted, at) in [(wrong, false, NOW), (right, true, "2026-11-28T09:10:00Z")] {
            let body = format!("SIGNON Fhexham {password}\nF BRE - ENG\nA MAR S A PAR - BUR\nA PAR - BUR\nSIGNOFF");
            let sent = site.deliver_at(support::plain("ff@play.example", password, &body).as_bytes(), at);
            let orders = site.game("hexham").participant("FRANCE").and_then(|who| who.orders.clone());
            assert_eq!(orders.is_some(), accepted, "{sent:#?}");
        }
    }
    // Played on, it is still the game that was taken over.
    let again = text(&import(&site, &old, &[]));
    assert!(again.contains("hexham: taken over before"), "{again}");
    assert!(site.file("hexham", "status").contains("A PAR - BUR"));
}

#[test]
fn a_clash_names_both_and_the_others_move_in() {
    let dir = tempfile::tempdir().unwrap();
    let old = old_site(dir.path());
    std::fs::create_dir(old.join("games/Grand.Prix")).unwrap();
    std::fs::copy(old.join("games/summit/status"), old.join("games/Grand.Prix/status")).unwrap();
    let site = new_site();
    let mine = site.root().join("games/hexham");
    std::fs::create_dir(&mine).unwrap();
    std::fs::write(mine.join("status"), "GAME hexham\nPHASE FORMING\n").unwrap();
    std::fs::write(site.root().join("maps/pond.map"), "# another pond\n").unwrap();
    let people = r#"{"people":[{"id":201,"name":"Otto Orff","addresses":["otto@play.example"]}]}"#;
    std::fs::write(site.root().join("registry/people.json"), people).unwrap();

    let done = import(&site, &old, &[]);
    let said = text(&done);
    assert_eq!(done.status.code(), Some(1), "{said}");
    let theirs = old.canonicalize().unwrap().join("games/hexham");
    for line in [
        format!("refused: games/hexham: {} and {} have one name", theirs.display(), mine.display()),
        "refused: games/Grand.Prix: 'Grand.Prix' cannot be the name of a game".to_owned(),
        "refused: maps/pond.map: maps/pond.map of the old site and maps/pond.map of this one have one name".to_owned(),
        "refused: registry: one number for two people: #201|aa@play.example|".to_owned(),
        "5 games taken over, 0 before, 2 refused".to_owned(),
    ] {
        assert!(said.contains(&line), "{line}\n-- not in --\n{said}");
    }
    assert_eq!(site.file("hexham", "status"), "GAME hexham\nPHASE FORMING\n");
    assert!(site.file("summit", "EOG").contains("à tous"));

    // Named alone, a game comes alone; a name that is not there is an error.
    let second = new_site();
    let done = text(&import(&second, &old.join("games"), &["--only", "lantern"]));
    assert!(done.contains("1 games taken over"), "{done}");
    assert!(second.file("summit", "status").is_empty() && !second.file("lantern", "status").is_empty());
    assert!(!import(&second, &old, &["--only", "nessie"]).status.success());
    let nowhere = import(&second, dir.path(), &[]);
    assert!(!nowhere.status.success() && text(&nowhere).contains("no site of a DPjudge"), "{}", text(&nowhere));
}

#[test]
fn an_import_that_died_is_finished_by_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let old = old_site(dir.path());
    let whole = new_site();
    assert!(import(&whole, &old, &[]).status.success());
    let kept = |site: &Site| -> Files {
        let mut all = state(site);
        // Whether the maps or the people came first is told by the log of the judge; pages follow from the games.
        // The samples in cron/ name the site's own place.
        all.retain(|name, _| !name.starts_with("web/") && (!name.starts_with("cron/") || name == "cron/suspended"));
        all
    };
    let wanted = kept(&whole);
    let mut died = 0;
    for at in [1, 6, 12, 20, 30, 45, 70] {
        let site = new_site();
        let child = Command::new(env!("CARGO_BIN_EXE_chancery"))
            .args(["import-dpjudge", old.to_str().unwrap(), "--clock", NOW, "--root"])
            .arg(site.root())
            .env("CHANCERY_CRASH_AT", at.to_string())
            .output()
            .unwrap();
        died += usize::from(!child.status.success());
        let done = import(&site, &old, &[]);
        assert!(done.status.success(), "at {at}: {}", text(&done));
        let got = kept(&site);
        for (name, bytes) in &wanted {
            let here = got.get(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            assert_eq!(here.as_deref(), Some(&*String::from_utf8_lossy(bytes)), "at {at}: {name}");
        }
        assert_eq!(got.len(), wanted.len(), "at {at}: {:?}", got.keys());
    }
    assert!(died >= 5, "died only {died} times");
}
