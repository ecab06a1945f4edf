//! The main job on embedded defaults: a whole real game, played by mail through the front door (`chancery demo`).
//!
//! Eight people – a Master and seven players – write raw messages into the spool as any mail server would deliver them and
//! read what the judge mails them; the deadline processor goes by a clock that is passed in. Every phase is compared with
//! the record of the game. What has been done is read from the site itself, and each message has the same Message-ID for
//! ever: the demo can be killed at any moment and started again.

pub mod letters;
pub mod record;

use crate::archive::spool::Envelope;
use crate::archive::{LastRound, Owner};
use crate::clerk::{Clerk, ClerkError, TickOptions};
use crate::clock::round::Schedule;
use crate::diplomacy::map::Map;
use crate::judge::GameState;
use crate::status::{Game, ParticipantKind, PhaseState};
use chrono::{DateTime, Duration, TimeZone, Utc};
use letters::{Writer, message, spell};
use record::Phase;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// Name of the game.
pub const GAME: &str = "demo";
/// The Master's password.
const MASTER_PASSWORD: &str = "heron-demo";

/// A player of the demo.
struct Player {
    name: &'static str,
    address: &'static str,
    password: &'static str,
}

const PLAYERS: [Player; 7] = [
    Player { name: "Ada Ames", address: "ada@player.example", password: "quartz-ada" },
    Player { name: "Bo Lindt", address: "bo@player.example", password: "basalt-bo" },
    Player { name: "Cy Young", address: "cy@player.example", password: "gneiss-cy" },
    Player { name: "Dee Dorn", address: "dee@player.example", password: "marble-dee" },
    Player { name: "Eli East", address: "eli@player.example", password: "flint-eli" },
    Player { name: "Fay Fox", address: "fay@player.example", password: "slate-fay" },
    Player { name: "Gus Gale", address: "gus@player.example", password: "chalk-gus" },
];
const MASTER: Player = Player { name: "Greta Holm", address: "greta@master.example", password: MASTER_PASSWORD };

/// What the playing came to.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Phases processed in this run.
    pub phases: usize,
    /// Messages put into the spool.
    pub mails_in: usize,
    /// Mails that left the judge.
    pub mails_out: usize,
    /// Phases whose position is not the record's.
    pub differences: Vec<String>,
    /// Winners.
    pub victors: Vec<String>,
}

/// Why the game could not be played.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The judge.
    #[error(transparent)]
    Clerk(#[from] ClerkError),
    /// The archive.
    #[error(transparent)]
    Archive(#[from] crate::archive::ArchiveError),
    /// Something did not come as it had to.
    #[error("{0}")]
    Stuck(String),
}

/// The demo at work.
pub struct Demo<'a> {
    clerk: &'a Arc<Clerk>,
    record: Vec<Phase>,
    map: Map,
    summary: Summary,
    say: &'a mut dyn FnMut(&str),
}

impl<'a> Demo<'a> {
    /// A demo on that site; `say` gets a line of progress.
    pub fn new(clerk: &'a Arc<Clerk>, say: &'a mut dyn FnMut(&str)) -> Result<Demo<'a>, DemoError> {
        let record = record::read(record::FRANCE_SOLO).map_err(DemoError::Stuck)?;
        let map = Map::builtin("standard").ok_or_else(|| DemoError::Stuck("the standard map is missing".into()))?;
        Ok(Demo { clerk, record, map, summary: Summary::default(), say })
    }

    /// Plays from wherever the site stands to the end of the game.
    pub fn play(mut self) -> Result<Summary, DemoError> {
        let begun = Instant::now();
        // What an interrupted run has left: mail, and a round that had begun.
        self.finish_round()?;
        let now = self.now()?;
        self.clerk.work(now)?;
        self.out(now)?;
        self.open_the_game()?;
        loop {
            let game = self.game()?.ok_or_else(|| DemoError::Stuck("the game is gone".into()))?;
            match &game.phase {
                PhaseState::Completed => {
                    self.summary.victors = game.result.map(|r| r.victors).unwrap_or_default();
                    break;
                }
                PhaseState::Forming => return Err(DemoError::Stuck("the game did not begin".into())),
                PhaseState::Running(_) => self.phase(&game, &begun)?,
            }
        }
        self.compare_end()?;
        Ok(self.summary)
    }

    /// The Master's CREATE and seven JOINs, as far as they are not done.
    fn open_the_game(&mut self) -> Result<(), DemoError> {
        let now = self.now()?;
        if self.game()?.is_none() {
            let lines: Vec<String> = [
                &format!("CREATE {GAME} {MASTER_PASSWORD}"),
                "DESC",
                "A real game of 2022: seven seats, seven and a half years of war,",
                "and a win for France. Its orders are public, its players are not:",
                "here they are played again, one mail a seat and phase.",
                "Watch it with MONITOR you@demo password.",
                "END DESC",
                "TIMING MOVE 2D NEXT 1D AT 20:00 DAYS SMTWTFS",
                "FORM",
                "SIGNOFF",
            ]
            .iter()
            .map(|l| l.to_string())
            .collect();
            self.send(&MASTER, "A new game", "create", &lines, 0, now)?;
            self.clerk.work(now)?;
            self.out(now)?;
        }
        let state =
            |demo: &Demo| -> Result<Option<GameState>, DemoError> { Ok(demo.clerk.book()?.of(GAME).map(|l| l.state)) };
        match state(self)? {
            Some(GameState::Forming) => {}
            Some(_) => return Ok(()),
            None => {
                return Err(DemoError::Stuck(
                    "the game was not made; look into mail-out for the judge's answer".into(),
                ));
            }
        }
        for (n, player) in PLAYERS.iter().enumerate() {
            let mut lines = vec![format!("JOIN {GAME} {}", player.password)];
            if n == 2 {
                lines.extend([
                    "BROADCAST".into(),
                    "Good evening to all from the third chair.".into(),
                    "ENDPRESS".into(),
                ]);
            }
            self.send(player, "joining", &format!("join.{n}"), &lines, n, now)?;
        }
        self.clerk.work(now)?;
        self.out(now)?;
        let open = state(self)? == Some(GameState::Active);
        (self.say)(&format!("The game is open: {} players have joined by mail.", PLAYERS.len()));
        if open { Ok(()) } else { Err(DemoError::Stuck("the game did not begin after seven JOINs".into())) }
    }

    /// One phase: everybody who owes orders writes, then rounds until it is processed.
    fn phase(&mut self, game: &Game, begun: &Instant) -> Result<(), DemoError> {
        let short = game.short_phase();
        let Some(at) = self.record.iter().position(|p| p.phase == short) else {
            return Err(DemoError::Stuck(format!("the record has no phase {short}; the game has left it")));
        };
        let phase = self.record[at].clone();
        if let Some(difference) = difference(game, &phase.units, None) {
            self.summary.differences.push(format!("{short}: {difference}"));
        }
        let (before_in, before_out) = (self.summary.mails_in, self.summary.mails_out);
        let now = self.now()?;
        for (n, (power, _)) in phase.units.iter().enumerate() {
            let sheet = record::sheet(&phase, power);
            let Some((player, seat)) = self.player_of(game, power) else { continue };
            let mut lines = vec![match n % 3 {
                0 => format!("SIGNON {seat}{GAME} {}", player.password),
                1 => format!("signon {}@{GAME} {}", power.to_lowercase(), player.password),
                _ => format!("Signon {seat}{GAME} {}", player.password),
            }];
            let press = press(&short, power, at + n);
            if press.is_empty() && sheet.is_empty() {
                continue;
            }
            lines.extend(press);
            lines.extend(sheet.iter().enumerate().map(|(m, order)| spell(&self.map, order, at + n + m)));
            let subject = if sheet.is_empty() { "a word".to_string() } else { format!("orders {short}") };
            self.send(player, &subject, &format!("{short}.{}", power.to_lowercase()), &lines, at + n, now)?;
        }
        self.clerk.work(now)?;
        self.out(now)?;
        // Complete orders are processed in the round after next; a phase never takes more than its deadline.
        for _ in 0..400 {
            let now = self.next_round()?;
            let ticked = self.clerk.tick(now, &TickOptions::default())?;
            if let Some((_, why)) = ticked.failed.first() {
                return Err(DemoError::Stuck(format!("{short}: {why}")));
            }
            self.out(now)?;
            let next = self.game()?.map(|g| g.short_phase()).unwrap_or_default();
            if next != short {
                self.summary.phases += 1;
                let (mails_in, mails_out) = (self.summary.mails_in - before_in, self.summary.mails_out - before_out);
                (self.say)(&format!(
                    "{short:<8} {mails_in:>2} mails in {mails_out:>3} out   next {next:<9} {:>7.1} s",
                    begun.elapsed().as_secs_f64()
                ));
                return Ok(());
            }
        }
        Err(DemoError::Stuck(format!("{short} was not processed; look into mail-out for the judge's answers")))
    }

    fn compare_end(&mut self) -> Result<(), DemoError> {
        let (Some(game), Some(last)) = (self.game()?, self.record.last()) else { return Ok(()) };
        if let Some(difference) = difference(&game, &last.expected.units, Some(&last.expected.centers)) {
            self.summary.differences.push(format!("end: {difference}"));
        }
        Ok(())
    }

    /// The game as its status file says.
    fn game(&self) -> Result<Option<Game>, DemoError> {
        let Some(name) = self.clerk.existing(GAME)? else { return Ok(None) };
        let loaded = self.clerk.load(&name, DateTime::<Utc>::MIN_UTC)?;
        Ok(loaded.map(|l| l.game().clone()))
    }

    /// Which player holds a power: he was told by mail (N05); who lost that mail asks the status file, as a Master would.
    fn player_of(&self, game: &Game, power: &str) -> Option<(&'static Player, char)> {
        let p = game.participants.iter().find(|p| p.kind == ParticipantKind::Power && p.name == power)?;
        let player = PLAYERS.iter().find(|q| p.address.iter().any(|a| a == q.address))?;
        let letter = self.map.power(power).and_then(|id| self.map[id].letter)?;
        Some((player, letter))
    }

    /// Hands a message in at the front door.
    fn send(
        &mut self,
        from: &Player,
        subject: &str,
        id: &str,
        lines: &[String],
        manner: usize,
        now: DateTime<Utc>,
    ) -> Result<(), DemoError> {
        let to = self.clerk.house().address.clone();
        let date = now.to_rfc2822();
        let writer = Writer {
            from: from.address,
            name: from.name,
            to: &to,
            subject,
            id: &format!("{id}.{GAME}@{}", from.address.rsplit('@').next().unwrap_or("player.example")),
            date: &date,
        };
        let bytes = message(&writer, lines, manner);
        let envelope = Envelope { from: Some(from.address.to_string()), to: Some(to.clone()) };
        let limit = self.clerk.site.config.mail.incoming.max_message_bytes;
        self.clerk.archive.spool().store(bytes.as_slice(), &envelope, limit, now)?;
        self.summary.mails_in += 1;
        Ok(())
    }

    fn out(&mut self, now: DateTime<Utc>) -> Result<(), DemoError> {
        self.summary.mails_out += self.clerk.send(now)?.sent.len();
        Ok(())
    }

    fn last_round(&self) -> Result<Option<LastRound>, DemoError> {
        Ok(self.clerk.archive.last_round()?)
    }

    /// Finishes a round that was interrupted behind the commit of the game: its mark is in the game's log.
    fn finish_round(&mut self) -> Result<(), DemoError> {
        let Some(name) = self.clerk.existing(GAME)? else { return Ok(()) };
        let sched = &self.clerk.site.config.sched;
        let schedule = Schedule { round: sched.round.to_chrono(), guard: sched.guard.to_chrono() };
        let next = self.next_round()?;
        let mark = format!("round {}:", schedule.number(next));
        if self.clerk.archive.recent_audit(&Owner::Game(name))?.iter().any(|line| line.deed().starts_with(&mark)) {
            self.clerk.tick(next, &TickOptions::default())?;
        }
        Ok(())
    }

    /// The demo's time: a minute after the last round.
    fn now(&self) -> Result<DateTime<Utc>, DemoError> {
        Ok(match self.last_round()? {
            Some(last) => last.time + Duration::minutes(1),
            None => beginning(),
        })
    }

    /// The next aligned round.
    fn next_round(&self) -> Result<DateTime<Utc>, DemoError> {
        Ok(match self.last_round()? {
            Some(last) => last.time + Duration::minutes(20),
            None => beginning() + Duration::minutes(20),
        })
    }
}

/// When the demo's game begins.
fn beginning() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2025, 9, 1, 18, 0, 0).single().unwrap_or_default()
}

/// The first difference between the game and the record, if there is one.
fn difference(
    game: &Game,
    units: &BTreeMap<String, Vec<String>>,
    centers: Option<&BTreeMap<String, Vec<String>>>,
) -> Option<String> {
    let sorted = |list: &[String]| {
        let mut list = list.to_vec();
        list.sort();
        list
    };
    for (power, want) in units {
        let p = game.participants.iter().find(|p| p.kind == ParticipantKind::Power && p.name == *power)?;
        if sorted(&p.units) != sorted(want) {
            return Some(format!("units of {power}: {:?}, the record has {:?}", sorted(&p.units), sorted(want)));
        }
        if let Some(want) = centers.and_then(|c| c.get(power))
            && sorted(&p.owns) != sorted(want)
        {
            return Some(format!("centers of {power}: {:?}, the record has {:?}", sorted(&p.owns), sorted(want)));
        }
    }
    None
}

/// What a player has to say in some phases: private notes, broadcasts.
fn press(phase: &str, power: &str, turn: usize) -> Vec<String> {
    const NOTES: [&str; 6] = [
        "Shall we keep the border quiet for another year?",
        "I read the last results twice. That was well played.",
        "You can count on me in the south; please say what you need.",
        "No hard feelings about the bounce. It will not happen again.",
        "Whoever is growing fastest should worry us both.",
        "I would rather have you as a neighbour than as a memory.",
    ];
    if !phase.ends_with('M') {
        return Vec::new();
    }
    let text = NOTES[turn % NOTES.len()].to_string();
    match turn % 5 {
        0 => vec!["BROADCAST".into(), text, format!("-- {}", power.to_lowercase()), "ENDBROADCAST".into()],
        2 => vec!["PRESS TO M".into(), text, "ENDPRESS".into()],
        _ => Vec::new(),
    }
}
