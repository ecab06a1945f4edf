//! The one seam to a family of games: what a seat may order, who owes orders, how a phase resolves, what each viewer
//! may see, how it is reported. A referee answers in the judge's words (seats, sheets, reports), so that mail, pages,
//! deadlines, votes, press and roll back work for every family without a line of theirs.

pub mod diplomacy;

use crate::status::Game;
use std::collections::BTreeMap;

/// A seat of the game as the rules define it: on a map, a power.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Name in the status file: `AUSTRIA`.
    pub key: String,
    /// As printed: `Austria`.
    pub title: String,
    /// Letter that stands for it in sign-ons and press lists.
    pub letter: Option<char>,
    /// Further short names.
    pub short: Vec<String>,
    /// Played by nobody.
    pub dummy: bool,
    /// Keys of those who play it when it is a controlled dummy; first is current.
    pub control: Vec<String>,
}

/// What became of one order line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderLine {
    /// Index of the line in the sheet handed over.
    pub line: usize,
    /// As typed.
    pub text: String,
    /// Canonical text, if it is an order and legal; several when one line held several.
    pub canonical: Vec<String>,
    /// Code and sentence if refused.
    pub refused: Option<(String, String)>,
    /// Codes and sentences of warnings.
    pub warnings: Vec<(String, String)>,
}

/// What the referee makes of an order sheet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    /// Every line, in order.
    pub lines: Vec<OrderLine>,
    /// Faults of the sheet as a whole.
    pub faults: Vec<(String, String)>,
    /// Warnings about the sheet as a whole.
    pub warnings: Vec<(String, String)>,
    /// The complete set of each seat that changes, canonical; empty: nothing on file afterwards. To be stored only when
    /// [`Sheet::accepted`].
    pub sets: BTreeMap<String, Vec<String>>,
    /// A PARTIAL sheet: good lines count although others are refused (D12).
    pub partial: bool,
}

impl Sheet {
    /// Whether any line or the whole was refused.
    pub fn faulty(&self) -> bool {
        !self.faults.is_empty() || self.lines.iter().any(|l| l.refused.is_some())
    }
    /// Whether the sets are to be stored.
    pub fn accepted(&self) -> bool {
        !self.faulty() || (self.partial && self.faults.is_empty() && self.lines.iter().any(|l| !l.canonical.is_empty()))
    }
}

/// Who hands over a sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acting {
    /// The holder of a seat; he also orders for the seats he controls.
    Seat(String),
    /// The Master or the keeper: any seat, named by prefix.
    Master,
}

/// What a resolved phase leads to.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// The game at the start of the next phase, its clock untouched; phase COMPLETED when over.
    pub game: Game,
    /// Report from its title line to the last line about the position (notices.md 4.1, 1–6); where not everybody may
    /// read all of it, with `SHOW` lines (variants.md 4.3).
    pub report: String,
    /// Winners, if the game is over.
    pub victors: Option<Vec<String>>,
    /// The phase as an object of saved-game-json.md, for `results.jsonl`.
    pub record: serde_json::Value,
}

/// How a picture is wanted, and what it may tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// With the orders of the record and their outcomes.
    pub orders: bool,
    /// `light`, `dark` or `print`; anything else is light.
    pub theme: String,
    /// Whose view it is, in words; empty: everybody's.
    pub viewer: String,
    /// Seats nobody plays.
    pub dummies: Vec<String>,
    /// Seats that somebody else plays, with the seat that plays them.
    pub rulers: Vec<(String, String)>,
}

impl Look {
    /// The plain picture, with or without orders.
    pub fn plain(orders: bool) -> Look {
        Look { orders, ..Look::default() }
    }
}

/// A family of games, set up for one game.
pub trait Referee: Send + Sync {
    /// The rule variant, as in the index: `standard`.
    fn variant(&self) -> &str;
    /// The seats, by key.
    fn seats(&self) -> &[Seat];
    /// Sets a forming game up for its first phase: units, centres, phase. `assigned` maps waiting players to seats is
    /// already done by the judge. Errors: why it cannot begin.
    fn begin(&self, game: &mut Game) -> Result<(), String>;
    /// Short form of the current phase: `S1901M`; `FORMING`, `COMPLETED`.
    fn phase_short(&self, game: &Game) -> String;
    /// The word of the current phase's kind, for TIMING: `MOVEMENT`.
    fn phase_kind(&self, game: &Game) -> String;
    /// ROTATE words that the board brings, for games that say nothing of it.
    fn rotation(&self) -> Option<&str> {
        None
    }
    /// `Movement for Fall of 1901`, for texts.
    fn phase_title(&self, game: &Game) -> String;
    /// What wins, in words: `18 centres`.
    fn goal(&self) -> Option<String>;
    /// Whether the judge can resolve this phase; otherwise the Master processes it (WAIT).
    fn resolvable(&self, game: &Game) -> bool;
    /// Seats that owe orders now, by key (clock.md 9).
    fn owing(&self, game: &Game) -> Vec<String>;
    /// Reads a sheet; changes nothing.
    fn read_sheet(&self, game: &Game, acting: &Acting, lines: &[String]) -> Sheet;
    /// Puts a canonical set on file; empty: none.
    fn store(&self, game: &mut Game, seat: &str, orders: &[String]);
    /// What is on file for a seat, canonical.
    fn on_file(&self, game: &Game, seat: &str) -> Vec<String>;
    /// Resolves the current phase; orders that are missing are defaulted. Pure: same game and seed, same bytes.
    fn resolve(&self, game: &Game, seed: u64) -> Result<Resolution, String>;
    /// Whether the seat is out of the game.
    fn eliminated(&self, game: &Game, seat: &str) -> bool;
    /// Units and centres of a seat, for NEED and openings.
    fn strength(&self, game: &Game, seat: &str) -> (u16, u16);
    /// Seats that may vote (adjudication.md 12).
    fn voters(&self, game: &Game) -> Vec<String>;
    /// Starting position for the mail that opens a game (N06): units, then ownership.
    fn position_report(&self, game: &Game) -> String;
    /// The same as that seat knows it in a game of hidden information.
    fn position_report_seen(&self, game: &Game, seat: &str) -> String;
    /// Year-by-year table for SUMMARY from the records of finished phases; `?` where they do not
    /// tell.
    fn summary(&self, game: &Game, records: &[serde_json::Value]) -> Option<String>;
    /// Whether the two seats' pieces touch (TOUCH_PRESS).
    fn touch(&self, game: &Game, a: &str, b: &str) -> bool;
    /// What this seat may write now, for HELP and confirmations: one line per piece.
    fn choices(&self, game: &Game, seat: &str) -> Vec<String>;
    /// Whether a word is a name (place or seat) of the game, for cutting farewell lines (mail-commands.md 5.4).
    fn knows_word(&self, text: &str) -> bool;
    /// Picture of the position of a record, as SVG.
    fn picture(&self, record: &serde_json::Value, look: &Look) -> Option<String>;
    /// Whether there is a picture of the board at all.
    fn is_drawn(&self) -> bool;
    /// Name of the board, for headers: `standard`.
    fn board(&self) -> &str;
    /// The position now as a record without orders, for pictures and `results.jsonl`.
    fn record_now(&self, game: &Game) -> serde_json::Value;
    /// The same as that seat sees it in a game of hidden information: nothing, for one that plays nothing.
    fn record_seen(&self, game: &Game, seat: &str) -> serde_json::Value;
}
