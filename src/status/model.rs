//! The typed view of a status file: one struct for the game block, one a participant. Values that belong to a
//! family of games (units, orders) are kept as their canonical text; the referee reads them.

use chrono::NaiveDateTime;

/// Which word opens the phase line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum PhaseKeyword {
    /// The usual one.
    #[default]
    Phase,
    /// Written by the old judge while it adjudicated; never by chancery.
    Await,
    /// The Master must process it.
    Wait,
    /// Crystal Ball.
    Skip,
}

/// Where a game stands.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum PhaseState {
    /// Not started.
    #[default]
    Forming,
    /// Over.
    Completed,
    /// A running phase: `SPRING 1901 MOVEMENT` (long form, upper case).
    Running(String),
}

/// A person as the judge writes him: `#id|address[,address]|First_Last`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Person {
    /// Registry number without `#`; empty, or `NO-ID`.
    pub id: String,
    /// Registered addresses.
    pub addresses: Vec<String>,
    /// Name with underscores.
    pub name: String,
}

/// Who sits in a seat now, or did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A person.
    Person(Person),
    /// Vacant.
    Resigned,
    /// Played by nobody, or by its controller.
    Dummy,
}

/// A PLAYER or MASTER line: newest first, each earlier holder with the phase in which the newer took over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerLine {
    /// The holder now.
    pub current: Holder,
    /// (phase in which the newer took over, the one before).
    pub earlier: Vec<(String, Holder)>,
}

/// A vote (adjudication.md 12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    /// Wants to win alone.
    Solo,
    /// Concedes.
    Loss,
    /// Draw including all survivors.
    Dias,
    /// Draw of at most n.
    Way(u8),
    /// For the running proposal.
    Yes,
    /// Against it.
    No,
}

/// A NEED word: an abandoned power with its units and centres then (`None`: `?`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// Power key.
    pub power: String,
    /// Units.
    pub units: Option<u16>,
    /// Centres.
    pub centers: Option<u16>,
}

/// The end of a game: RESULT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// Short form of the last phase played.
    pub phase: String,
    /// Winners: one = solo or concession, several = draw.
    pub victors: Vec<String>,
}

/// PROPOSAL: `DIAS` or a power, and who proposed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// `DIAS` or a power key.
    pub result: String,
    /// Power key.
    pub proposer: String,
}

/// The game block and its participants.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Game {
    /// GAME
    pub name: String,
    /// PHASE, AWAIT, WAIT, SKIP
    pub keyword: PhaseKeyword,
    /// The phase, long form.
    pub phase: PhaseState,
    /// SKIP season year SLOT: the slot.
    pub skip_slot: Option<String>,
    /// JUDGE (legacy)
    pub judge: Option<String>,
    /// MAP or TRIAL
    pub map: String,
    /// Whether it was written TRIAL.
    pub trial: bool,
    /// LANGUAGE
    pub language: Option<String>,
    /// MORPH lines
    pub morph: Vec<String>,
    /// MASTER
    pub master: Option<PlayerLine>,
    /// ADDRESS of the Master
    pub address: Vec<String>,
    /// PASSWORD of the Master: clear, or a PHC string
    pub password: Option<String>,
    /// TESTER: `Some(None)` = mail goes nowhere
    pub tester: Option<Option<String>>,
    /// GROUPS
    pub groups: Vec<String>,
    /// START
    pub start: Option<String>,
    /// FINISH
    pub finish: Option<String>,
    /// RESULT
    pub result: Option<GameResult>,
    /// NEED
    pub need: Vec<Need>,
    /// DESC
    pub desc: Vec<String>,
    /// NAME
    pub title: Vec<String>,
    /// PRIVATE
    pub private: Option<String>,
    /// ROTATE words after the keyword
    pub rotate: Option<String>,
    /// RULE, positive, in order, as written (aliases resolved)
    pub rules: Vec<String>,
    /// RULE !x
    pub rules_off: Vec<String>,
    /// ALLOW
    pub allow: Vec<String>,
    /// PROPOSAL
    pub proposal: Option<Proposal>,
    /// DEADLINE: wall clock in the game's zone
    pub deadline: Option<NaiveDateTime>,
    /// ZONE (canonical name); none = GMT
    pub zone: Option<String>,
    /// DELAY
    pub delay: u8,
    /// HELD since
    pub held: Option<NaiveDateTime>,
    /// TIMING pairs in the order read
    pub timing: Vec<(String, String)>,
    /// TEAMS words
    pub teams: Vec<String>,
    /// Variant lines of the game block (TAX, CAP, LOCKS): key, rest
    pub variant_lines: Vec<(String, String)>,
    /// SIGNON (legacy)
    pub signon: Option<String>,
    /// Participants in file order
    pub participants: Vec<Participant>,
}

/// What a participant is.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum ParticipantKind {
    /// A power of the map (heading with or without the word POWER: `written_power`).
    #[default]
    Power,
    /// `POWER POWER#n`: joined, power not assigned yet. The number is in the name.
    Waiting,
    /// OBSERVER, MONITOR or an ALLOWed type (upper case).
    Other(String),
}

/// How much an observer sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Omniscient {
    /// What anybody sees.
    #[default]
    No,
    /// Everything but the Master page.
    Sees,
    /// `OMNISCIENT!`: also a copy of all press.
    Hears,
}

/// A participant block.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Participant {
    /// Power, waiting player, or other type.
    pub kind: ParticipantKind,
    /// Power key, `POWER#2`, or a free name (upper case).
    pub name: String,
    /// PLAYER
    pub player: Option<PlayerLine>,
    /// ADDRESS
    pub address: Vec<String>,
    /// PASSWORD: clear, or a PHC string
    pub password: Option<String>,
    /// CONTROL: first is current
    pub control: Vec<String>,
    /// ZONE
    pub zone: Option<String>,
    /// NOTIFY words; none: all mails
    pub notify: Option<Vec<String>>,
    /// STRICT
    pub strict: bool,
    /// PREFER
    pub prefer: Option<String>,
    /// OMNISCIENT
    pub omniscient: Omniscient,
    /// WAIT
    pub wait: bool,
    /// CD
    pub cd: bool,
    /// VOTE
    pub vote: Option<Vote>,
    /// MSG
    pub msg: Vec<String>,
    /// INHABITS; none = the map's homes
    pub inhabits: Option<Vec<String>>,
    /// OWNS: centres, and tokens `SC!`, `SC?`, `SC*`
    pub owns: Vec<String>,
    /// SEES
    pub sees: Vec<String>,
    /// HIDES
    pub hides: Vec<String>,
    /// FUNDS
    pub funds: Option<String>,
    /// Dislodged units and where they may go
    pub retreats: Vec<(String, Vec<String>)>,
    /// Units in place, file order
    pub units: Vec<String>,
    /// RETREAT, DISBAND, BUILD, REMOVE lines, canonical
    pub adjust: Vec<String>,
    /// ORDERS list; `None`: no such line
    pub orders: Option<Vec<String>>,
    /// Lists of other names (Crystal Ball)
    pub lists: Vec<(String, Vec<String>)>,
    /// Payola lines (ACCEPT, SENT, ELECT, STATE, offers), verbatim
    pub variant_lines: Vec<String>,
}
