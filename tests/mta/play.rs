//! The first two phases of the sample game, played by people who have a mail server: everything they write goes there by
//! SMTP, and what they read is what that server has put into their mailbox.

use crate::programs::{self, Program};
use crate::stage::{JUDGE, ROOT, as_judge, files, sh, wait_for, write};
use chancery::demo::letters::{Writer, message, spell};
use chancery::demo::record::{self, Phase};
use chancery::diplomacy::map::Map;
use chancery::site::{Beginnings, init};
use chancery::status::{Document, Game, ParticipantKind};
use std::path::Path;
use std::process::Child;

/// The players' mail, in one Maildir.
pub const BOX: &str = "/var/mail/players/box";
const MASTER: &str = "greta@player.example";
const PLAYERS: [&str; 7] = ["ada", "bo", "cy", "dee", "eli", "fay", "gus"];

/// Makes the site; the samples lie in its `cron/` afterwards.
pub fn site(settings: &[(&'static str, &'static str)]) {
    let mut all = vec![
        ("registry.mode", "\"none\""),
        ("web.listen", "\"127.0.0.1:0\""),
        ("sched.poll", "\"1s\""),
        ("mail.out.transport", "\"smtp\""),
        ("mail.out.smtp.host", "\"127.0.0.1\""),
        ("mail.out.smtp.tls", "\"none\""),
        // Nobody's patience is tried here.
        ("mail.out.rate", "\"6000/min\""),
    ];
    all.extend(settings);
    let beginnings = Beginnings {
        id: "STAGE".into(),
        address: "judge@judge.example".into(),
        keeper: "keeper@player.example".into(),
        settings: all,
    };
    init(Path::new(ROOT), &beginnings).expect("a site");
    std::fs::write(format!("{ROOT}/registry/secret"), [7u8; 32]).expect("the secret");
    write(&format!("{ROOT}/imap-password"), "let-me-in\n");
    sh(&format!("chown -R {JUDGE}:{JUDGE} {ROOT} && chmod 750 {ROOT}"));
}

/// A running daemon; ended when dropped.
pub struct Daemon(Child);

/// Starts it, as the user judge.
pub fn daemon(environment: &[(&str, &str)]) -> Daemon {
    Daemon(as_judge(&["daemon"], environment))
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The game as it stands on the disk.
pub fn game() -> Option<Game> {
    let bytes = std::fs::read(format!("{ROOT}/games/demo/status")).ok()?;
    Some(Document::parse(&bytes).ok()?.game().clone())
}

/// The phase it is in; empty before it begins.
fn phase() -> String {
    game().map(|g| g.short_phase().to_string()).unwrap_or_default()
}

/// Mail in the players' box that has all these words in it.
pub fn mails(words: &[&str]) -> usize {
    let texts = files(&format!("{BOX}/new")).into_iter().filter_map(|p| std::fs::read(p).ok());
    texts.map(|t| String::from_utf8_lossy(&t).into_owned()).filter(|t| words.iter().all(|w| t.contains(w))).count()
}

/// A message on its way to a server on this machine.
pub struct Mail<'a> {
    pub from: &'a str,
    pub to: &'a str,
    /// What its writer wants to say.
    pub lines: &'a [String],
    pub port: u16,
    /// smtp, lmtp
    pub protocol: &'static str,
    /// Of the Message-ID.
    id: &'a str,
    manner: usize,
}

impl Mail<'_> {
    /// As the writer's mail program puts it.
    pub fn message(&self) -> Vec<u8> {
        let date = chrono::Utc::now().to_rfc2822();
        let id = format!("{}.demo@player.example", self.id);
        let Mail { from, to, .. } = *self;
        message(
            &Writer { from, name: "A Player", to, subject: "a word", id: &id, date: &date },
            self.lines,
            self.manner,
        )
    }
}

/// How mail is sent: a program and the server it talks to.
pub type Route = (Program, u16, &'static str);

/// Everybody's mail programs and what they have sent.
pub struct Writers {
    routes: Vec<Route>,
    /// How many messages.
    pub sent: usize,
}

impl Writers {
    /// The routes are taken in turn.
    pub fn new(routes: &[Route]) -> Writers {
        for (_, port, _) in routes {
            wait_for("the mail server", || std::net::TcpStream::connect(("127.0.0.1", *port)).is_ok());
        }
        Writers { routes: routes.to_vec(), sent: 0 }
    }

    /// Sends one message; the mail server has it when this returns.
    pub fn send(&mut self, from: &str, to: &str, id: &str, lines: &[String], manner: usize) {
        let (program, port, protocol) = self.routes[self.sent % self.routes.len()];
        program(&Mail { from, to, lines, port, protocol, id, manner });
        self.sent += 1;
    }
}

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|l| l.to_string()).collect()
}

/// Plays, with a mail server that takes mail on its usual port.
pub fn two_phases() -> Writers {
    two_phases_by(&[(programs::lettre, 25, "smtp")])
}

/// Plays.
pub fn two_phases_by(routes: &[Route]) -> Writers {
    let record = record::read(record::FRANCE_SOLO).expect("the record");
    let mut writers = Writers::new(routes);
    let create = ["CREATE demo heron-demo", "DESC", "By real mail.", "END DESC", "RULE NO_DEADLINE", "FORM", "SIGNOFF"];
    writers.send(MASTER, "judge@judge.example", "create", &lines(&create), 0);
    // The answer has gone all the way round.
    wait_for("the answer to CREATE", || mails(&[MASTER, "Auto-Submitted: auto-replied"]) > 0);
    for (n, name) in PLAYERS.iter().enumerate() {
        let join = lines(&[&format!("JOIN demo pw-{name}-1901")]);
        writers.send(&format!("{name}@player.example"), "judge@judge.example", &format!("join.{name}"), &join, n);
    }
    wait_for("the first phase", || phase() == "S1901M");
    for played in &record[..2] {
        assert_eq!(phase(), played.phase);
        for (n, (power, orders)) in sheets(played).iter().enumerate() {
            // Mail to the address of the game needs no other name for it; both ways lead in.
            let to = if n % 2 == 0 { "judge@judge.example" } else { "judge+demo@judge.example" };
            let id = format!("{}.{power}", played.phase);
            writers.send(&player(power), to, &id, orders, n);
        }
        wait_for("the next phase", || phase() == played.expected.next_phase);
        compare(played);
        let subject = format!("Subject: Diplomacy results demo {}", played.phase);
        for name in PLAYERS.iter().chain(&["greta"]) {
            let to = format!("To: {name}@player.example");
            let other = format!("To: <{name}@player.example>");
            wait_for(&format!("{subject} to {name}"), || mails(&[&subject, &to]) + mails(&[&subject, &other]) == 1);
        }
    }
    settled(&writers);
    quiet();
    writers
}

/// Everything that was sent has been worked off, and nothing lies anywhere.
pub fn settled(writers: &Writers) {
    let mut looks = 0;
    wait_for("the last message", || {
        // Postfix on a busy machine can pass over a deferred message that is just on its way back: a keeper would ask for
        // another run of its queue.
        looks += 1;
        if looks % 250 == 0 {
            sh("if command -v postqueue >/dev/null; then postqueue -f || true; fi");
        }
        files(&format!("{ROOT}/spool/in/done")).len() >= writers.sent
    });
    assert_eq!(files(&format!("{ROOT}/spool/in/done")).len(), writers.sent, "each message came once");
    for room in ["spool/in/new", "spool/in/hold", "dead", "outbox/dead"] {
        assert_eq!(files(&format!("{ROOT}/{room}")), Vec::<std::path::PathBuf>::new(), "{room}");
    }
}

/// All that the judge has sent is in the players' box.
fn quiet() {
    let texts = |folder: &str| files(&format!("{ROOT}/outbox/{folder}")).into_iter().map(std::fs::read);
    wait_for("the judge's last mail", || {
        // What was overtaken by something newer is filed without having been sent.
        let gone = texts("done").flatten().filter(|t| !String::from_utf8_lossy(t).contains("\"not sent:")).count();
        texts("new").count() == 0 && files(&format!("{BOX}/new")).len() == gone
    });
}

/// The first sheet once more, as a mail server sends it that did not hear our yes: it is dropped without a word.
pub fn once_more(writers: &mut Writers) {
    writers.routes.truncate(1);
    let record = record::read(record::FRANCE_SOLO).expect("the record");
    let before = mails(&["Auto-Submitted: auto-replied"]);
    let (power, orders) = sheets(&record[0]).remove(0);
    writers.send(&player(&power), "judge@judge.example", &format!("S1901M.{power}"), &orders, 0);
    settled(writers);
    quiet();
    assert_eq!(mails(&["Auto-Submitted: auto-replied"]), before, "a repetition is not answered");
}

/// A message that comes while the judge cannot take mail: the mail server keeps it (`waits`), and after `mend` it is
/// answered once.
pub fn kept<T>(writers: &mut Writers, waits: impl FnMut() -> bool, mend: impl FnOnce() -> T) -> T {
    let replies = mails(&["Auto-Submitted: auto-replied"]);
    writers.send("ada@player.example", "judge@judge.example", "help", &lines(&["HELP"]), 0);
    wait_for("the mail that is kept", waits);
    let mended = mend();
    settled(writers);
    wait_for("its answer", || mails(&["Auto-Submitted: auto-replied"]) > replies);
    quiet();
    assert_eq!(mails(&["Auto-Submitted: auto-replied"]), replies + 1);
    mended
}

/// Who plays that power.
fn player(power: &str) -> String {
    let game = game().expect("the game");
    let seat = game.participants.iter().find(|p| p.kind == ParticipantKind::Power && p.name == power);
    seat.and_then(|p| p.address.first()).expect("a player").clone()
}

/// What everybody writes in a phase, each in another spelling.
fn sheets(phase: &Phase) -> Vec<(String, Vec<String>)> {
    let map = Map::builtin("standard").expect("the standard map");
    let sheet = |(n, power): (usize, &String)| {
        let player = player(power);
        let name = player.split('@').next().unwrap_or_default().to_string();
        let mut lines = vec![format!("SIGNON {}@demo pw-{name}-1901", power.to_lowercase())];
        lines.extend(record::sheet(phase, power).iter().enumerate().map(|(m, order)| spell(&map, order, n + m)));
        (power.clone(), lines)
    };
    phase.units.keys().enumerate().map(sheet).collect()
}

/// The position after a phase is that of the record.
fn compare(played: &Phase) {
    let sorted = |list: &[String]| {
        let mut list = list.to_vec();
        list.sort();
        list
    };
    let game = game().expect("the game");
    for (power, units) in &played.expected.units {
        let seat = game.participants.iter().find(|p| p.name == *power).expect("a seat");
        assert_eq!(sorted(&seat.units), sorted(units), "after {}: {power}", played.phase);
    }
}
