//! A judge in a temporary directory, made from the fixture of the mail vectors; the real binary at work on it; and what it
//! mailed, decoded. Shared by the tests of the mail dialogue.
#![allow(dead_code)]

pub mod balkan;

use chancery::archive::GameName;
use chancery::diplomacy::map::Map;
use chancery::diplomacy::rules::Rules;
use chancery::judge::registry::{Known, Registry};
use chancery::judge::{GameState, IndexLine};
use chancery::referee::Referee;
use chancery::referee::diplomacy::{Compiled, Diplomacy};
use chancery::site::Beginnings;
use chancery::status::{
    Document, Game, Holder, Need, Participant, ParticipantKind, Person, PhaseState, PlayerLine, canonical,
};
use mailparse::MailHeaderMap;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

/// Where the vectors lie.
pub fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mail")
}

/// What the judge said that succeeded.
pub fn said(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What the judge said that wants to be asked again later (exit code 75).
pub fn put_off(output: &Output) -> String {
    ended(output, 75)
}

/// What the judge said that ended with that code.
pub fn ended(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Everybody holds, but for these.
pub fn order(game: &mut Game, but: &[&str]) {
    for n in 0..game.participants.len() {
        let p = &game.participants[n];
        if !p.units.is_empty() && !but.contains(&p.name.as_str()) {
            let (name, orders) = (p.name.clone(), p.units.iter().map(|unit| format!("{unit} H")).collect::<Vec<_>>());
            standard().store(game, &name, &orders);
        }
    }
}

/// Gives a game that deadline, `yyyymmddhhmm`.
pub fn deadline(game: &mut Game, stamp: &str) {
    game.deadline = chrono::NaiveDateTime::parse_from_str(stamp, "%Y%m%d%H%M").ok();
}

/// A file of the vectors, parsed.
pub fn json(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(data().join(name)).expect("vector")).expect("JSON")
}

/// A list of texts.
pub fn texts(value: &Value) -> Vec<String> {
    value.as_array().map(|a| a.iter().filter_map(|v| v.as_str().map(str::to_string)).collect()).unwrap_or_default()
}

/// A mail that left the judge.
#[derive(Clone, Debug)]
pub struct Sent {
    /// Envelope sender.
    pub from: String,
    /// Recipient.
    pub to: String,
    /// X-Chancery-Notice.
    pub notice: String,
    /// Subject, decoded.
    pub subject: String,
    /// Auto-Submitted.
    pub auto: String,
    /// In-Reply-To.
    pub answers: Option<String>,
    /// Text, LF line ends.
    pub text: String,
    /// Header block as it was sent.
    pub head: String,
    /// All bytes.
    pub bytes: Vec<u8>,
}

impl Sent {
    /// The one answer to a message: `reply`, or N12 when it confirms orders.
    pub fn is_reply(&self) -> bool {
        self.auto == "auto-replied" && (self.notice == "reply" || self.notice == "N12")
    }
}

/// A site.
pub struct Site {
    directory: tempfile::TempDir,
    /// The time of the fixture.
    pub now: String,
}

fn person(address: &str, id: usize) -> Person {
    let local = address.split('@').next().unwrap_or("x");
    let mut name = local.to_string();
    name[..1].make_ascii_uppercase();
    Person { id: id.to_string(), addresses: vec![address.to_string()], name: format!("{name}_Tester") }
}

impl Site {
    /// An empty one.
    pub fn empty(settings: Vec<(&'static str, &'static str)>) -> Site {
        let directory = tempfile::tempdir().expect("a directory");
        let mut all = vec![("test.allow_clock", "true"), ("judge.url", "\"https://judge.example\"")];
        all.extend(settings);
        let beginnings = Beginnings {
            id: "CHCY".into(),
            address: "judge@judge.example".into(),
            keeper: "keeper@judge.example".into(),
            settings: all,
        };
        chancery::site::init(&directory.path().join("site"), &beginnings).expect("init");
        // The draw of powers follows from the site's secret: a fixed one gives the same game every time.
        std::fs::write(directory.path().join("site/registry/secret"), [7u8; 32]).expect("secret");
        Site { directory, now: "2026-11-21T09:00:00Z".into() }
    }

    /// The state of fixture.json.
    pub fn of_fixture() -> Site {
        Site::of_fixture_with(Vec::new())
    }

    /// One game of the fixture alone, changed, with the judge's own clock.
    pub fn alone(name: &str, change: impl FnOnce(&mut Game)) -> Site {
        let site = Site::of_fixture();
        let line = site.index(name);
        let mut game = site.game(name);
        game.zone = None;
        change(&mut game);
        std::fs::write(site.root().join("games/status"), "").expect("index");
        site.put(&game, &line);
        site
    }

    /// The same with further settings.
    pub fn of_fixture_with(settings: Vec<(&'static str, &'static str)>) -> Site {
        let fixture = json("fixture.json");
        let mut site = Site::empty(settings);
        site.now = fixture["now"].as_str().expect("now").to_string();
        let registered = texts(&fixture["registered"]);
        let people = registered.iter().enumerate().map(|(n, address)| {
            let person = person(address, 101 + n);
            Known {
                id: 101 + n as u32,
                name: person.name.replace('_', " "),
                addresses: person.addresses,
                zone: None,
                language: None,
                pending: None,
            }
        });
        let registry = Registry { people: people.collect(), ..Registry::default() };
        let file = site.root().join("registry/people.json");
        std::fs::write(file, serde_json::to_vec_pretty(&registry).expect("registry")).expect("registry");
        let id = |address: &str| 101 + registered.iter().position(|a| a == address).unwrap_or(899);
        for (name, spec) in fixture["games"].as_object().expect("games") {
            let (game, index) = build(name, spec, &id);
            site.put(&game, &index);
        }
        site
    }

    /// Its directory.
    pub fn root(&self) -> PathBuf {
        self.directory.path().join("site")
    }

    /// Writes a game and its index line by hand, as a Master with an editor would.
    pub fn put(&self, game: &Game, index: &IndexLine) {
        let directory = self.root().join("games").join(&game.name);
        std::fs::create_dir_all(&directory).expect("game directory");
        std::fs::write(directory.join("status"), canonical(game)).expect("status");
        let file = self.root().join("games/status");
        let mut text = std::fs::read_to_string(&file).unwrap_or_default();
        text = text
            .lines()
            .filter(|l| l.split_whitespace().next() != Some(&game.name))
            .map(|l| format!("{l}\n"))
            .collect();
        std::fs::write(file, format!("{text}{}\n", chancery::status::index::line(index))).expect("index");
    }

    /// A game as its file says.
    pub fn game(&self, name: &str) -> Game {
        let bytes = std::fs::read(self.root().join("games").join(name).join("status")).expect("status");
        Document::parse(&bytes).expect("a status file").game().clone()
    }

    /// A file of a game; empty if there is none.
    pub fn file(&self, game: &str, name: &str) -> String {
        std::fs::read_to_string(self.root().join("games").join(game).join(name)).unwrap_or_default()
    }

    /// Its line in the index.
    pub fn index(&self, name: &str) -> IndexLine {
        let text = std::fs::read_to_string(self.root().join("games/status")).expect("index");
        text.lines().filter_map(chancery::status::index::parse).find(|l| l.name == name).unwrap_or_default()
    }

    /// Runs a verb.
    pub fn run(&self, arguments: &[&str], input: &[u8]) -> std::process::Output {
        self.run_with(arguments, &[], input)
    }

    /// The same with settings in the environment.
    pub fn run_with(&self, arguments: &[&str], settings: &[(&str, &str)], input: &[u8]) -> std::process::Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_chancery"))
            .args(arguments)
            .envs(settings.iter().copied())
            .arg("--root")
            .arg(self.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("chancery");
        child.stdin.take().expect("stdin").write_all(input).expect("stdin");
        child.wait_with_output().expect("chancery ends")
    }

    /// Hands a message in at the front door and lets the judge work.
    pub fn deliver(&self, message: &[u8]) -> Vec<Sent> {
        let now = self.now.clone();
        self.deliver_at(message, &now)
    }

    /// The same at another time.
    pub fn deliver_at(&self, message: &[u8], now: &str) -> Vec<Sent> {
        let before = self.out_names();
        let output = self.run(&["deliver", "--now", "--clock", now], message);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "deliver: {errors}");
        assert!(!errors.contains("panicked"), "{errors}");
        self.sent().into_iter().filter(|(name, _)| !before.contains(name)).map(|(_, mail)| mail).collect()
    }

    /// A plain message from somebody.
    pub fn mail(&self, from: &str, text: &str) -> Vec<Sent> {
        self.deliver(plain(from, "a word", text).as_bytes())
    }

    fn out_names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.root().join("mail-out")).into_iter().flatten();
        let mut names: Vec<String> = entries
            .filter_map(|e| e.ok()?.file_name().into_string().ok())
            .filter(|n| n.ends_with(".eml") && !n.starts_with('.'))
            .collect();
        names.sort();
        names
    }

    /// All that was sent, by file name, in order.
    pub fn sent(&self) -> Vec<(String, Sent)> {
        self.out_names()
            .into_iter()
            .map(|name| {
                let path = self.root().join("mail-out").join(&name);
                let bytes = std::fs::read(&path).expect("a mail");
                let envelope: Value =
                    serde_json::from_str(&std::fs::read_to_string(path.with_extension("json")).expect("envelope"))
                        .expect("JSON");
                (name, read(bytes, &envelope))
            })
            .collect()
    }

    /// How many messages lie in a room of the spool.
    pub fn room(&self, name: &str) -> usize {
        std::fs::read_dir(self.root().join("spool/in").join(name)).map(|d| d.count()).unwrap_or(0)
    }

    /// How many messages were buried.
    pub fn dead(&self) -> usize {
        let entries = std::fs::read_dir(self.root().join("dead")).into_iter().flatten();
        entries.filter(|e| e.as_ref().is_ok_and(|e| e.path().extension().is_some_and(|x| x == "eml"))).count()
    }
}

/// A plain message.
pub fn plain(from: &str, subject: &str, text: &str) -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hash = DefaultHasher::new();
    (from, subject, text).hash(&mut hash);
    format!(
        "From: {from}\nTo: judge@judge.example\nSubject: {subject}\nMessage-ID: <{:x}@test.example>\n\n{text}\n",
        hash.finish()
    )
}

fn read(bytes: Vec<u8>, envelope: &Value) -> Sent {
    let mail = mailparse::parse_mail(&bytes).expect("our own mail can be read");
    let header = |name: &str| mail.headers.get_first_value(name).unwrap_or_default();
    let first_text = |mail: &mailparse::ParsedMail| -> String {
        let mut parts = mail.parts();
        parts
            .find(|p| p.ctype.mimetype == "text/plain" && p.subparts.is_empty())
            .and_then(|p| p.get_body().ok())
            .unwrap_or_default()
            .replace("\r\n", "\n")
    };
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or(bytes.len());
    Sent {
        from: envelope["from"].as_str().unwrap_or_default().to_string(),
        to: header("To").trim_matches(['<', '>']).to_lowercase(),
        notice: header("X-Chancery-Notice"),
        subject: header("Subject"),
        auto: header("Auto-Submitted"),
        answers: mail.headers.get_first_value("In-Reply-To"),
        text: first_text(&mail),
        head: String::from_utf8_lossy(&bytes[..end]).into_owned(),
        bytes: bytes.clone(),
    }
}

/// The referee of the standard map without rules.
pub fn standard() -> Diplomacy {
    let map = Map::builtin("standard").expect("the standard map");
    Diplomacy::new(Arc::new(Compiled::new(map)), Rules::default(), "standard")
}

fn build(name: &str, spec: &Value, id: &dyn Fn(&str) -> usize) -> (Game, IndexLine) {
    let text = |key: &str| spec[key].as_str().map(str::to_string);
    GameName::new(name).expect("a name");
    let line = |address: &str| Some(PlayerLine::new(person(address, id(address))));
    let master = spec["master"]["address"].as_str().expect("master");
    let mut game = Game {
        name: name.into(),
        map: text("map").expect("map"),
        master: line(master),
        address: vec![master.into()],
        password: spec["master"]["password"].as_str().map(str::to_string),
        rules: texts(&spec["rules"]),
        private: text("private"),
        zone: text("zone").filter(|z| z != "GMT"),
        desc: vec!["A game for the tests.".into()],
        ..Game::default()
    };
    if let Some(timing) = text("timing") {
        let words: Vec<&str> = timing.split_whitespace().collect();
        game.timing = words.chunks(2).map(|w| (w[0].to_string(), w[1].to_string())).collect();
    }
    let forming = text("phase").as_deref() == Some("FORMING");
    let kind = if forming { ParticipantKind::Waiting } else { ParticipantKind::Power };
    let referee = standard();
    let seats: Vec<String> = if forming {
        spec["seats"].as_object().expect("seats").keys().cloned().collect()
    } else {
        referee.seats().iter().map(|s| s.key.clone()).collect()
    };
    for seat in seats {
        let holder = &spec["seats"][&seat];
        let mut p = Participant { kind: kind.clone(), name: seat.clone(), ..Participant::default() };
        match holder {
            Value::Array(pair) => {
                let address = pair[0].as_str().expect("address");
                p.player = line(address);
                p.address = vec![address.into()];
                p.password = pair[1].as_str().map(str::to_string);
            }
            Value::String(word) if word == "vacant" => {
                p.player = Some(PlayerLine {
                    current: Holder::Resigned,
                    earlier: vec![("S1901M".into(), Holder::Person(person("gone@example.net", 77)))],
                });
                game.need.push(Need { power: seat.clone(), units: Some(3), centers: Some(3) });
            }
            _ => p.player = Some(PlayerLine { current: Holder::Dummy, earlier: Vec::new() }),
        }
        game.participants.push(p);
    }
    if !forming {
        referee.begin(&mut game).expect("the game begins");
        game.phase = PhaseState::Running(text("phase").expect("phase"));
        let stamp = text("deadline").expect("deadline");
        game.deadline = Some(chrono::NaiveDateTime::parse_from_str(&stamp, "%Y%m%d%H%M").expect("deadline"));
    }
    for (key, kind) in [("observers", "OBSERVER"), ("monitors", "MONITOR")] {
        for (name, pair) in spec[key].as_object().into_iter().flatten() {
            let address = pair[0].as_str().expect("address");
            game.participants.push(Participant {
                kind: ParticipantKind::Other(kind.into()),
                name: name.clone(),
                player: line(address),
                address: vec![address.into()],
                password: pair[1].as_str().map(str::to_string),
                ..Participant::default()
            });
        }
    }
    let index = IndexLine {
        name: name.into(),
        variant: "standard".into(),
        state: GameState::named(&text("state").expect("state")).expect("state"),
        private: game.private.is_some(),
        ..IndexLine::default()
    };
    (game, index)
}
