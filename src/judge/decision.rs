//! What the judge wants done: data that can be printed, snapshotted and replayed.

use crate::mail::Letter;
use crate::status::{Game, PhaseState};

/// State of a game in the index (status-file.md 10.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum GameState {
    /// Being set up by its Master.
    #[default]
    Preparation,
    /// Open for players.
    Forming,
    /// Being played.
    Active,
    /// A seat is vacant, or the Master stopped it.
    Waiting,
    /// Over.
    Completed,
    /// Given up.
    Terminated,
}

impl GameState {
    /// Every state with its word in the index.
    pub const ALL: [(GameState, &'static str); 6] = [
        (GameState::Preparation, "preparation"),
        (GameState::Forming, "forming"),
        (GameState::Active, "active"),
        (GameState::Waiting, "waiting"),
        (GameState::Completed, "completed"),
        (GameState::Terminated, "terminated"),
    ];
    /// The word in the index.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(s, _)| *s == self).map_or("", |(_, w)| w)
    }
    /// Whether it goes with the phase of the status file (status-file.md 10.3, 10.4). A Master may set a running phase up
    /// while the game is in preparation.
    pub fn agrees(self, game: &Game) -> bool {
        use GameState::{Active, Completed, Forming, Preparation, Terminated, Waiting};
        match &game.phase {
            PhaseState::Forming => matches!(self, Preparation | Forming | Waiting | Terminated),
            PhaseState::Running(_) => matches!(self, Preparation | Active | Waiting | Terminated),
            PhaseState::Completed => self == Completed,
        }
    }
    /// The state of that word (lower case).
    pub fn named(word: &str) -> Option<GameState> {
        Self::ALL.iter().find(|(_, w)| *w == word).map(|(s, _)| *s)
    }
}

/// A line of the index of games: everything about a game that is not in its status file.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct IndexLine {
    /// Game name.
    pub name: String,
    /// `standard`, `payola`, `xtalball`
    pub variant: String,
    /// State.
    pub state: GameState,
    /// `private`
    pub private: bool,
    /// `unlisted`
    pub unlisted: bool,
    /// `suspect`
    pub suspect: bool,
    /// `corrupt`
    pub corrupt: bool,
    /// `held`
    pub held: bool,
    /// Flags of another judge or of a later version, kept for it.
    pub other: Vec<String>,
}

/// A change to a file beside the status file.
#[derive(Clone, Debug, PartialEq)]
pub enum FileEdit {
    /// Append text to a file of the game directory (`results`, `press`, `results.jsonl`, `access`).
    Append(String, String),
    /// Replace it.
    Replace(String, String),
    /// Keep the status file as it was before this decision under this name (`status.rollback`).
    KeepStatus(String),
    /// Keep the status file as it would be with this game under this name: `status.S1901M` has the orders of the very
    /// mail that made the phase be processed (status-file.md 10.1).
    KeepGame(String, Box<Game>),
    /// Rename within the game directory.
    Rename(String, String),
    /// Remove.
    Remove(String),
}

/// What one event makes of one game.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    /// The game afterwards; `None`: unchanged.
    pub game: Option<Game>,
    /// Its index line afterwards; `None`: unchanged.
    pub index: Option<IndexLine>,
    /// Changes of other files, in order.
    pub files: Vec<FileEdit>,
    /// Mails, in order (notices.md 8.2).
    pub letters: Vec<Letter>,
    /// One line for `audit.log`: who did what.
    pub audit: String,
}
