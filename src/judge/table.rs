//! A game as the judge sees it while it decides: the status file's typed view, the index line, the referee, the rules in
//! force, and the settings of the house. Everything is handed in; nothing is read here.

use super::decision::IndexLine;
use crate::diplomacy::rules::{Rule, Rules};
use crate::mail::token::Secret;
use crate::referee::{Look, Referee, Seat};
use crate::status::{Game, Holder, Participant, ParticipantKind, Person, PhaseState};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use std::rc::Rc;

/// How the judge knows people (operations.md 4, `registry.mode`).
pub trait Registry {
    /// The person behind an address, if the judge knows one (in mode `none`: everybody).
    fn person(&self, address: &str, display_name: Option<&str>) -> Option<Person>;
    /// The groups that the judgekeeper has put that person into, for games with a GROUPS line.
    fn groups(&self, address: &str) -> Vec<String>;
}

/// Passwords: hashing needs salt, so it is handed in (D7).
pub trait Secrets {
    /// Whether the given word is the stored one (clear or PHC), case ignored, in constant time.
    fn verify(&self, stored: &str, given: &str) -> bool;
    /// A salted hash in PHC form.
    fn hash(&self, given: &str) -> String;
    /// The token of a link by which that seat can be given a new password until then, once.
    fn link(&self, game: &str, seat: &str, until: DateTime<Utc>, stored: &str) -> String;
}

/// What the judge is called and allows.
#[derive(Clone, Debug)]
pub struct House {
    /// `CHCY`
    pub id: String,
    /// Name in texts.
    pub nick: String,
    /// Mail address.
    pub address: String,
    /// Public URL without trailing slash.
    pub url: String,
    /// Zone of games that name none.
    pub zone: Tz,
    /// Addresses of the keepers.
    pub keepers: Vec<String>,
    /// PHC string of the keeper's password.
    pub keeper_hash: Option<String>,
    /// Told of every new game.
    pub observers: Vec<String>,
    /// Limits of CREATE; 0 = none.
    pub create_limit: usize,
    /// The same for one Master.
    pub create_limit_per_master: usize,
    /// Hall of fame robot.
    pub hall_of_fame: Option<String>,
    /// Openings list robot.
    pub openings: Option<String>,
    /// Also told of suspicious sign-ons.
    pub detectives: Vec<String>,
    /// Mail domains of which two addresses are never the same place.
    pub public_networks: Vec<String>,
    /// If access logs are to keep no addresses: what their hashes are made with.
    pub access_key: Option<Secret>,
}

impl House {
    /// How access logs call somebody with that address: by it, or by its hash, always the same.
    pub fn origin(&self, address: &str) -> String {
        match &self.access_key {
            Some(key) => format!("#{}", key.mark("access", &[&address.to_ascii_lowercase()], 16)),
            None => address.to_string(),
        }
    }

    /// Whether that is the address of a keeper.
    pub fn is_keeper(&self, address: &str) -> bool {
        self.keepers.iter().any(|keeper| keeper.eq_ignore_ascii_case(address))
    }
}

/// Files of the game that some commands show.
pub trait Records {
    /// The `results` file.
    fn results(&self) -> String;
    /// `results.jsonl`, parsed.
    fn phases(&self) -> Vec<serde_json::Value>;
    /// A file of the game's directory, if it is there.
    fn file(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }
    /// Names of the files there.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Everything about one game that a decision may depend on, besides the event.
#[derive(Clone)]
pub struct Table<'a> {
    /// The status file.
    pub game: Game,
    /// The index line.
    pub index: IndexLine,
    /// Rules in force.
    pub rules: Rules,
    /// The game's family.
    pub referee: &'a dyn Referee,
    /// Faults of the status file; a game with any is not processed.
    pub errors: Vec<String>,
    /// The house.
    pub house: &'a House,
    /// Past results.
    pub records: Rc<dyn Records + 'a>,
    /// Now.
    pub now: DateTime<Utc>,
    /// Seed for what is drawn at random.
    pub seed: u64,
    /// The account of the deadline, once this decision has made or moved it ([`super::account`]).
    pub account: Option<Vec<String>>,
    /// When the deadline was moved, if it was in this decision.
    pub moved: Option<DateTime<Utc>>,
}

/// Somebody in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// The Master.
    Master,
    /// The judgekeeper.
    Keeper,
    /// A participant, by index.
    Seat(usize),
}

impl Table<'_> {
    /// Whether a rule is in force.
    pub fn rule(&self, rule: Rule) -> bool {
        self.rules.has(rule)
    }

    /// The game's zone: its own, else the house's default for new games is written at creation, so GMT.
    pub fn zone(&self) -> Tz {
        self.game.zone.as_deref().and_then(|z| z.parse().ok()).unwrap_or(Tz::GMT)
    }

    /// Now on the wall clock of the game.
    pub fn local_now(&self) -> chrono::NaiveDateTime {
        self.now.with_timezone(&self.zone()).naive_local()
    }

    /// Whether the game waits for players.
    pub fn forming(&self) -> bool {
        self.game.phase == PhaseState::Forming
    }

    /// Whether it is over.
    pub fn completed(&self) -> bool {
        self.game.phase == PhaseState::Completed
    }

    /// Short phase: `S1901M`, `FORMING`, `COMPLETED`.
    pub fn phase(&self) -> String {
        self.referee.phase_short(&self.game)
    }

    /// How its pictures are drawn: who is a dummy and whose, unless that is hidden.
    pub fn look(&self, orders: bool) -> Look {
        let mut look = Look::plain(orders);
        if self.rule(Rule::HideDummies) && !self.completed() {
            return look;
        }
        for p in self.game.participants.iter().filter(|p| p.kind == ParticipantKind::Power) {
            match p.control.first() {
                Some(by) => look.rulers.push((p.name.clone(), by.clone())),
                None if is_dummy(p) => look.dummies.push(p.name.clone()),
                None => {}
            }
        }
        look
    }

    /// The seat of the rules behind a participant.
    pub fn seat_of(&self, participant: &Participant) -> Option<&Seat> {
        match participant.kind {
            ParticipantKind::Power => self.referee.seats().iter().find(|s| s.key == participant.name),
            _ => None,
        }
    }

    /// Whether a participant plays a seat of the rules (not a waiting player, observer or monitor).
    pub fn is_power(&self, who: &Who) -> bool {
        match who {
            Who::Seat(n) => self.game.participants.get(*n).is_some_and(|p| p.kind == ParticipantKind::Power),
            _ => false,
        }
    }

    /// The participant of that exact name.
    pub fn participant(&self, name: &str) -> Option<(usize, &Participant)> {
        self.game.participants.iter().enumerate().find(|(_, p)| p.name == name)
    }

    /// Index of the participant of that exact name.
    pub fn seat_index(&self, name: &str) -> Option<usize> {
        self.participant(name).map(|(n, _)| n)
    }

    /// Who is meant by a seat name (mail-commands.md 2): full name, letter, digits of a waiting player, M, JK.
    pub fn who(&self, name: &str) -> Option<Who> {
        let name = name.trim_start_matches('_');
        match name {
            "M" | "MASTER" => return Some(Who::Master),
            "JK" | "JUDGEKEEPER" => return Some(Who::Keeper),
            _ => {}
        }
        if let Some(n) = self.seat_index(name) {
            return Some(Who::Seat(n));
        }
        if !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()) {
            return self.seat_index(&format!("POWER#{name}")).map(Who::Seat);
        }
        let seat = self.rule_seat(name)?;
        self.seat_index(&seat.key).map(Who::Seat)
    }

    /// The seat of the rules with that name, letter or short name.
    pub fn rule_seat(&self, name: &str) -> Option<&Seat> {
        let plain: String = name.chars().filter(|c| !c.is_whitespace() && *c != '+').collect();
        let seats = self.referee.seats();
        seats.iter().find(|s| s.key == plain).or_else(|| {
            let mut chars = name.chars();
            match (chars.next(), chars.next()) {
                (Some(letter), None) => seats.iter().find(|s| s.letter == Some(letter)),
                _ => seats.iter().find(|s| s.short.iter().any(|w| w == name)),
            }
        })
    }

    /// Name as printed: `Austria`, `Power#3`, `Loudmouth`, `Master`.
    pub fn title(&self, who: &Who) -> String {
        match who {
            Who::Master => "Master".into(),
            Who::Keeper => "Judgekeeper".into(),
            Who::Seat(n) => self.game.participants.get(*n).map(|p| self.title_of(p)).unwrap_or_default(),
        }
    }

    /// Name of a participant as printed.
    pub fn title_of(&self, participant: &Participant) -> String {
        match self.seat_of(participant) {
            Some(seat) => seat.title.clone(),
            None => title_case(&participant.name),
        }
    }

    /// Title of a seat key.
    pub fn title_of_key(&self, key: &str) -> String {
        self.referee.seats().iter().find(|s| s.key == key).map(|s| s.title.clone()).unwrap_or_else(|| title_case(key))
    }

    /// Addresses of whoever answers for a participant: his own, or his controller's.
    pub fn addresses(&self, participant: &Participant) -> Vec<String> {
        if !participant.address.is_empty() {
            return participant.address.clone();
        }
        if let Some(controller) = participant.control.first() {
            return match self.participant(controller) {
                Some((_, p)) if !p.address.is_empty() => p.address.clone(),
                _ if controller == "MASTER" => self.master_addresses(),
                _ => Vec::new(),
            };
        }
        match &participant.player {
            Some(line) => match &line.current {
                Holder::Person(person) => person.addresses.clone(),
                _ => Vec::new(),
            },
            None => Vec::new(),
        }
    }

    /// Addresses of the Master.
    pub fn master_addresses(&self) -> Vec<String> {
        if !self.game.address.is_empty() {
            return self.game.address.clone();
        }
        match self.game.master.as_ref().map(|m| &m.current) {
            Some(Holder::Person(person)) => person.addresses.clone(),
            _ => Vec::new(),
        }
    }

    /// Public name of the Master.
    pub fn master_name(&self) -> String {
        match self.game.master.as_ref().map(|m| &m.current) {
            Some(Holder::Person(person)) if !person.name.is_empty() => person.name.replace('_', " "),
            _ => "the Master".into(),
        }
    }

    /// Seats of the rules that no player has taken while the game forms.
    pub fn open_seats(&self) -> usize {
        let seats = self.referee.seats().iter().filter(|s| !s.dummy).count();
        let taken = self
            .game
            .participants
            .iter()
            .filter(|p| match p.kind {
                ParticipantKind::Waiting => true,
                ParticipantKind::Power => self.seat_of(p).is_some_and(|s| !s.dummy),
                ParticipantKind::Other(_) => false,
            })
            .count();
        seats.saturating_sub(taken)
    }

    /// Whether no seat is vacant.
    pub fn no_vacancy(&self) -> bool {
        self.game.need.is_empty()
    }

    /// Whether there is a deadline and it is over.
    pub fn past_deadline(&self) -> bool {
        self.deadline().is_some_and(|d| self.deadline_utc(d) <= self.now)
    }

    /// The deadline that counts: a line that NO_DEADLINE has left behind does not.
    pub fn deadline(&self) -> Option<chrono::NaiveDateTime> {
        self.game.deadline.filter(|_| !self.rule(Rule::NoDeadline))
    }

    /// The moment of a wall-clock stamp in the game's zone.
    pub fn deadline_utc(&self, local: chrono::NaiveDateTime) -> DateTime<Utc> {
        super::time::to_utc(local, self.zone())
    }

    /// `game phase` page of the game.
    pub fn game_url(&self) -> String {
        format!("{}/game/{}", self.house.url.trim_end_matches('/'), self.game.name)
    }
}

/// `POWER#3` → `Power#3`, `LOUD_MOUTH` → `Loud_Mouth`.
pub fn title_case(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut start = true;
    for c in word.chars() {
        if start {
            out.extend(c.to_uppercase());
        } else {
            out.extend(c.to_lowercase());
        }
        start = !c.is_alphanumeric();
    }
    out
}

/// Whether a participant is vacant.
pub fn is_vacant(participant: &Participant) -> bool {
    matches!(participant.player.as_ref().map(|l| &l.current), Some(Holder::Resigned))
}

/// Whether a participant is a dummy.
pub fn is_dummy(participant: &Participant) -> bool {
    matches!(participant.player.as_ref().map(|l| &l.current), Some(Holder::Dummy))
}

/// The person holding a seat.
pub fn person(participant: &Participant) -> Option<&Person> {
    match participant.player.as_ref().map(|l| &l.current) {
        Some(Holder::Person(person)) => Some(person),
        _ => None,
    }
}
