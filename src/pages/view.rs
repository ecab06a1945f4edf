//! What a stranger may know of a game: the only things that pages are made of. Nothing here holds an address, a
//! password, an order of the phase being played or press between players; [`super::redact`] alone fills these in.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize};

/// How much of a game is shown (web.md WEB-010, WEB-011, D8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Everything that is public in an ordinary game.
    Open,
    /// A blind game that is not over: phase, clock, settings, number of players.
    Blind,
    /// A private game: header, clock, settings and openings.
    Private,
    /// An unlisted game: name, state, phase and deadline.
    Unlisted,
}

/// A phase by its names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseName {
    /// `F1901M`, `FORMING`, `COMPLETED`.
    pub abbr: String,
    /// `Fall 1901 Movement`.
    pub name: String,
    /// `M`, `R`, `A`; empty when there is none.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A moment of the game's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// RFC 3339 with the game's offset.
    pub iso: String,
    /// `Saturday 28 November 2026 20:00 GMT`.
    pub long: String,
    /// `Sat 28 Nov 2026 20:00 GMT`.
    pub short: String,
}

/// A part of the readiness line (web.md A2.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ready {
    /// `owe-named`, …
    pub code: &'static str,
    /// The sentence.
    pub text: String,
    /// Titles of the powers named, empty when none is.
    pub powers: Vec<String>,
}

/// A list of powers that may be hidden: `None` is "not for you to know", an empty list is "none".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// How many.
    pub count: Option<usize>,
    /// Their keys.
    pub powers: Option<Vec<String>>,
}

/// Who asked to wait.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// Whether anybody did; always public.
    pub any: bool,
    /// Their keys.
    pub powers: Option<Vec<String>>,
}

/// A seat somebody may take over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vacancy {
    /// Key.
    pub power: String,
    /// As printed.
    #[serde(skip)]
    pub title: String,
    /// Units, if they may be known.
    pub units: Option<u16>,
    /// Centres, if they may be known.
    pub centers: Option<u16>,
}

impl Vacancy {
    /// `Turkey (4/4)`, `Turkey (?/?)`.
    pub fn words(&self) -> String {
        match (self.units, self.centers) {
            (Some(units), Some(centers)) => format!("{} ({units}/{centers})", self.title),
            _ => format!("{} (?/?)", self.title),
        }
    }
}

/// How the game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Last phase played.
    pub phase: String,
    /// Keys.
    pub winners: Vec<String>,
    /// `solo`, `draw`, `concession`.
    #[serde(deserialize_with = "known")]
    pub kind: Word,
    /// `Solo victory by France in F1908M`.
    #[serde(skip)]
    pub words: String,
}

/// A game in lists, and the head of its page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Card {
    /// Name.
    pub game: String,
    /// Rule variant.
    pub variant: String,
    /// Board.
    pub map: String,
    /// Word of the index.
    #[serde(deserialize_with = "known")]
    pub state: Word,
    /// How much is shown.
    pub scope: Scope,
    /// Whether it is private.
    pub private: bool,
    /// Whether it stands in lists (not unlisted, in preparation or given up).
    pub listed: bool,
    /// Phase.
    pub phase: PhaseName,
    /// Deadline of a running game.
    pub deadline: Option<Moment>,
    /// Why it is where it is; empty: not to be told.
    #[serde(skip)]
    pub why: String,
    /// Canonical zone name.
    pub zone: String,
    /// The Master's public name.
    pub master: Option<String>,
    /// DESC.
    pub description: Vec<String>,
    /// NAME.
    pub origin: Vec<String>,
    /// The Master stopped the clock.
    pub locked: bool,
    /// Everything is in and nobody waits.
    pub ready: bool,
    /// The readiness line; it stands on the game's own page only.
    #[serde(skip_deserializing)]
    pub readiness: Vec<Ready>,
    /// Who owes orders.
    pub unordered: Told,
    /// Who waits for the deadline.
    pub waiting: Waiting,
    /// Who is late.
    pub late: Told,
    /// Vacant seats.
    pub openings: Vec<Vacancy>,
    /// Free places while the game forms.
    pub places: usize,
    /// Whether a joiner may name his power.
    pub power_choice: bool,
    /// Press in words: `Fake, Private.`
    pub press: String,
    /// Press in letters: `W-P-`.
    pub press_letters: String,
    /// Whether there is no press at all.
    pub gunboat: bool,
    /// Rules to show.
    pub rules: Vec<String>,
    /// Deadlines in words.
    pub timing: String,
    /// Players in the game.
    pub players: usize,
    /// START.
    pub start: Option<String>,
    /// FINISH.
    pub finish: Option<String>,
    /// The end.
    pub outcome: Option<Outcome>,
    /// Number of the last committed change.
    pub seq: u64,
    /// Time of it.
    pub changed: DateTime<Utc>,
    /// When the game was made.
    pub created: Option<DateTime<Utc>>,
}

/// One of [`WORDS`].
pub type Word = &'static str;

/// The words of a card that are a choice of few.
const WORDS: [Word; 9] =
    ["preparation", "forming", "active", "waiting", "completed", "terminated", "solo", "draw", "concession"];

fn known<'de, D: Deserializer<'de>>(from: D) -> Result<Word, D::Error> {
    let word = String::deserialize(from)?;
    let found = WORDS.into_iter().find(|known| *known == word);
    found.ok_or_else(|| serde::de::Error::custom(format!("{word}: not a word of a card")))
}

impl Card {
    /// `/game/demo/`.
    pub fn url(&self) -> String {
        format!("/game/{}/", self.game)
    }
    /// Whether anybody can join or take over.
    pub fn is_open(&self) -> bool {
        self.scope != Scope::Unlisted && (self.places > 0 || !self.openings.is_empty())
    }
    /// Name of the state as a heading says it.
    pub fn state_title(&self) -> String {
        crate::judge::table::title_case(self.state)
    }
    /// Whether the game is being played.
    pub fn running(&self) -> bool {
        matches!(self.state, "active" | "waiting")
    }
    /// Year in which it was made, for feed names.
    pub fn year(&self) -> i32 {
        use chrono::Datelike;
        self.created.unwrap_or(self.changed).year()
    }
    /// Year in which it ended.
    pub fn ended(&self) -> Option<i32> {
        self.finish.as_deref()?.split_whitespace().last()?.parse().ok()
    }
}

/// A seat on the game page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeatView {
    /// Key.
    pub name: String,
    /// As printed.
    pub title: String,
    /// Letter.
    pub abbrev: Option<char>,
    /// Rank of its colour.
    pub colour: usize,
    /// `played`, `vacant`, `dummy`, `controlled`, `eliminated`; hidden: `None`.
    pub seat: Option<&'static str>,
    /// Title of the power that plays it.
    pub controller: Option<String>,
    /// Centres.
    pub centers: Option<usize>,
    /// Units.
    pub units: Option<usize>,
    /// Who played it, once that is public.
    pub person: Option<String>,
}

/// What a power has on the board.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Holding {
    /// Index of the seat.
    pub seat: usize,
    /// `A VIE`; dislodged ones are not here.
    pub units: Vec<String>,
    /// Centres by code.
    pub centers: Vec<String>,
    /// Dislodged units and where they may go.
    pub retreats: Vec<(String, Vec<String>)>,
}

/// The board, power by power.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Position(pub Vec<Holding>);

/// What became of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// Done.
    Done,
    /// Failed.
    Failed,
    /// The unit was dislodged or destroyed.
    Lost,
}

/// An order with its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OrderView {
    /// Canonical text.
    pub text: String,
    /// What became of it.
    pub fate: Fate,
    /// In words: `moved`, `bounced`.
    pub words: String,
}

/// The orders of a power in a finished phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PowerOrders {
    /// Index of the seat.
    pub seat: usize,
    /// Whether it sent anything.
    pub sent: bool,
    /// Orders.
    pub orders: Vec<OrderView>,
}

/// A picture of the board.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Picture {
    /// The game has none.
    #[default]
    None,
    /// It lies in the tree already.
    Filed,
    /// It is to be written.
    Drawn(String),
}

impl Picture {
    /// Whether a page may point at it.
    pub fn exists(&self) -> bool {
        *self != Picture::None
    }
}

/// A finished phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PhaseView {
    /// Names.
    pub name: PhaseName,
    /// `Movement for Spring of 1901`.
    pub title: String,
    /// File name part.
    pub slug: String,
    /// Orders and outcomes.
    pub orders: Vec<PowerOrders>,
    /// The board at its start.
    pub before: Position,
    /// The board when it was over.
    pub after: Position,
    /// The report as it was mailed.
    pub report: String,
    /// RFC 3339, UTC.
    pub processed: Option<String>,
    /// Position at the start.
    pub picture: Picture,
    /// The same with the orders.
    pub moves: Picture,
    /// Its page lies in the tree already and has not changed.
    pub filed: bool,
}

/// A broadcast whose sender is shown openly or anonymous.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Broadcast {
    /// Phase in which it was sent.
    pub phase: String,
    /// Sender as printed; `None`: anonymous.
    pub from: Option<String>,
    /// Text.
    pub text: String,
}

/// Everything about one game that pages show.
#[derive(Clone, Debug, Serialize)]
pub struct GameView {
    /// Head, clock, settings, openings.
    pub card: Card,
    /// Number of the phase, counted from 1.
    pub number: usize,
    /// Seats of the rules; names only unless the scope is open.
    pub seats: Vec<SeatView>,
    /// The board.
    pub position: Option<Position>,
    /// Picture of it.
    pub now: Picture,
    /// Finished phases, oldest first.
    pub phases: Vec<PhaseView>,
    /// Broadcasts, oldest first.
    pub broadcasts: Vec<Broadcast>,
    /// The `results` file.
    pub results: Option<String>,
    /// Year by year, when the game is over.
    pub summary: Option<String>,
    /// Whether who played what is public.
    pub revealed: bool,
}

/// File name part of a phase: any character outside `A–Za–z0–9` is `~hh` a byte (web.md B2).
pub fn slug(abbr: &str) -> String {
    let mut out = String::new();
    for byte in abbr.bytes() {
        if byte.is_ascii_alphanumeric() {
            out.push(byte as char);
        } else {
            out += &format!("~{byte:02x}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_file_names() {
        assert_eq!(slug("S1901M"), "S1901M");
        assert_eq!(slug("../É"), "~2e~2e~2f~c3~89");
    }
}
