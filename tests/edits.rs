//! A Master edits a status file by hand, with the real program at work (OPS-043, OPS-050).

use chancery::status::{Document, PhaseState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Judge {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

impl Judge {
    fn new() -> Judge {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("site");
        let beginnings = chancery::site::Beginnings {
            settings: vec![
                ("registry.mode", "\"none\""),
                ("test.allow_clock", "true"),
                ("limits.min_free", "\"1 MiB\""),
            ],
            ..chancery::site::Beginnings::default()
        };
        chancery::site::init(&root, &beginnings).unwrap();
        Judge { _dir: dir, root }
    }

    fn run(&self, words: &[&str], input: &str, clock: &str) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_chancery"))
            .args(words)
            .args(["--root", self.root.to_str().unwrap(), "--clock", clock])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        assert!(child.wait_with_output().unwrap().status.success(), "{words:?}");
    }

    fn mail(&self, from: &str, id: &str, lines: &[&str], clock: &str) {
        let text = format!(
            "From: {from}\nTo: judge@localhost.localdomain\nMessage-ID: <{id}@player.example>\n\n{}\nSIGNOFF\n",
            lines.join("\n")
        );
        self.run(&["deliver", "--now"], &text, clock);
    }

    fn status(&self) -> PathBuf {
        self.root.join("games/mine/status")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.status()).unwrap()
    }

    /// Mails to that address whose subject holds these words.
    fn mails(&self, to: &str, words: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut names: Vec<PathBuf> =
            std::fs::read_dir(self.root.join("mail-out")).unwrap().flatten().map(|e| e.path()).collect();
        names.sort();
        for path in names.iter().filter(|p| p.extension().is_some_and(|e| e == "eml")) {
            let mail = std::fs::read_to_string(path).unwrap();
            let head = mail.split("\r\n\r\n").next().unwrap_or_default();
            let addressed = head.contains(&format!("To: {to}")) || head.contains(&format!("To: <{to}>"));
            if addressed && head.lines().any(|l| l.starts_with("Subject:") && l.contains(words)) {
                found.push(mail);
            }
        }
        found
    }

    fn held(&self) -> usize {
        std::fs::read_dir(self.root.join("spool/in/hold")).unwrap().count()
    }
}

/// As vi and emacs do it: a draft, renamed over the file.
fn save_by_rename(path: &Path, text: &str) {
    let draft = path.with_file_name("status~");
    std::fs::write(&draft, text).unwrap();
    std::fs::rename(&draft, path).unwrap();
}

const MASTER: &str = "greta@gm.example";
const ANA: &str = "ana@play.example";

#[test]
fn an_edit_is_taken_over_and_a_wrong_one_stops_the_game() {
    let judge = Judge::new();
    judge.mail(MASTER, "1", &["CREATE mine heron-seven", "FORM"], "2026-11-02T10:00:00Z");
    assert!(judge.text().contains("PHASE FORMING"), "{:?}", judge.mails(MASTER, ""));

    // A valid edit, saved by rename: taken over with its comment, the clear password hashed.
    let edited = judge.text().replace("MAP standard", "# ours, please keep\nMAP standard\nDESC caf\u{e9} rules");
    let edited: String = edited
        .lines()
        .map(|l| if l.starts_with("PASSWORD") { "PASSWORD otter-nine\n".to_string() } else { format!("{l}\n") })
        .collect();
    save_by_rename(&judge.status(), &edited);
    judge.mail(ANA, "2", &["JOIN mine basalt-one"], "2026-11-02T10:01:00Z");
    let text = judge.text();
    assert!(text.contains("# ours, please keep\nMAP standard\nDESC café rules\n"), "{text}");
    assert!(!text.contains("otter-nine") && text.contains("PASSWORD $argon2id$"), "{text}");
    assert!(text.contains(ANA), "{text}");
    let page = std::fs::read_to_string(judge.root.join("web/game/mine/index.html")).unwrap();
    assert!(page.contains("café rules"), "the page shows the edit");

    // The first round of the day; the daily list of errors is not what is looked for below.
    judge.run(&["tick"], "", "2026-11-02T10:01:30Z");

    // An error in a line, saved in place: mail waits, Master and keeper are told once, the line is quoted.
    let good = judge.text();
    std::fs::write(judge.status(), good.replacen("PHASE FORMING\n", "PHASE FORMING\nDELAY 73\n", 1)).unwrap();
    let number = good.lines().position(|l| l == "PHASE FORMING").unwrap() + 2;
    judge.mail("bo@play.example", "3", &["JOIN mine gneiss-two"], "2026-11-02T10:02:00Z");
    judge.run(&["work"], "", "2026-11-02T10:03:00Z");
    judge.run(&["tick"], "", "2026-11-02T10:20:00Z");
    judge.run(&["send"], "", "2026-11-02T10:21:00Z");
    assert_eq!(judge.held(), 1);
    assert!(!judge.text().contains("bo@play.example"));
    for to in [MASTER, "keeper@localhost.localdomain"] {
        let told = judge.mails(to, "Diplomacy ERRORS");
        assert_eq!(told.len(), 1, "{to}");
        assert!(told[0].contains(&format!("games/mine/status:{number}: BAD DELAY COUNT: 73")), "{}", told[0]);
        assert!(told[0].contains("> DELAY 73") && told[0].contains("want "), "{}", told[0]);
    }
    let waits = judge.mails("bo@play.example", "");
    assert_eq!(waits.len(), 1, "told once that his mail waits");

    // Put right again: what waited is worked off.
    save_by_rename(&judge.status(), &good);
    judge.run(&["work"], "", "2026-11-02T10:22:00Z");
    assert_eq!(judge.held(), 0);
    assert!(judge.text().contains("bo@play.example"));
    assert!(judge.text().contains("# ours, please keep\nMAP standard\n"));

    // Wrong once more in the same way: that is news again.
    std::fs::write(judge.status(), judge.text().replacen("PHASE FORMING\n", "PHASE FORMING\nDELAY 73\n", 1)).unwrap();
    judge.mail(ANA, "4", &["SIGNON POWER#1@mine basalt-one"], "2026-11-02T10:40:00Z");
    judge.run(&["send"], "", "2026-11-02T10:41:00Z");
    assert_eq!(judge.mails(MASTER, "Diplomacy ERRORS").len(), 2);
}

#[test]
fn comments_and_order_survive_a_hundred_phases() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/status/hexham.status");
    let text = std::fs::read_to_string(path).unwrap();
    // A Master's own order of lines, and his remarks.
    let text = text
        .replace("ZONE Europe/Paris\n", "")
        .replace("MAP standard\n", "# the zone first, please\nZONE Europe/Paris\nMAP standard\n# and so it stays\n")
        .replace("AUSTRIA\n", "AUSTRIA\n# pays for the wine\n");
    let mut document = Document::parse(text.as_bytes()).unwrap();
    for step in 0..100u32 {
        let mut game = document.game().clone();
        let kind = ["SPRING", "FALL"][step as usize % 2];
        game.phase = PhaseState::Running(format!("{kind} {} MOVEMENT", 1901 + step / 2));
        game.delay = (step % 5) as u8;
        game.deadline = game.deadline.map(|d| d + chrono::Duration::days(3));
        for (n, who) in game.participants.iter_mut().enumerate() {
            who.wait = (step as usize + n) % 3 == 0;
            who.units.rotate_left(1);
            who.orders = ((step as usize + n) % 2 == 0).then(|| who.units.iter().map(|u| format!("{u} H")).collect());
        }
        document.update(&game).unwrap();
        assert_eq!(*document.game(), game, "step {step}");
        // As from the disk.
        document = Document::parse(document.text().as_bytes()).unwrap();
        assert!(!document.has_errors(), "step {step}: {:?}", document.diagnostics());
    }
    let text = document.text();
    assert!(text.contains("# the zone first, please\nZONE Europe/Paris\nMAP standard\n# and so it stays\n"), "{text}");
    assert!(text.contains("AUSTRIA\n# pays for the wine\n"), "{text}");
    assert_eq!(text.matches('#').count(), 3 + text.matches("#1").count() + text.matches("#2").count(), "{text}");
}
