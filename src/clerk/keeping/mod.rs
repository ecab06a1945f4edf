//! Keeping a site (operations.md 12): is everything as it was left, can the history be decided again to the same bytes,
//! what can be mended, and how the whole site is put away and fetched back.
//!
//! What it promises: looking changes nothing (but finishes interrupted commits, as every start does); what cannot be
//! mended is named; nothing that is mended is lost, the damaged file stays beside the new one or goes to `dead/`.

mod backup;
mod game;
mod places;
mod repair;
mod replay;
mod restore;
mod site;

pub use backup::{Packed, backup_name};
pub use repair::Step;
pub use restore::{Restored, Wishes, restore};

use super::{Clerk, ClerkError};
use crate::archive::GameName;
use chrono::{DateTime, Utc};
use std::fmt;
use std::path::PathBuf;

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file, below the root: `games/demo/status`.
    pub place: String,
    /// What is wrong and what would be right.
    pub text: String,
    /// `false`: worth knowing, but no damage.
    pub damage: bool,
    /// How it can be mended without anybody's judgement.
    pub remedy: Option<Remedy>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.place, if self.damage { "damage" } else { "note" }, self.text)
    }
}

/// What `repair` may do (OPS-103).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remedy {
    /// Put a status file in the place of one that cannot be used. `faulty`: it can be read and has errors, which may
    /// be somebody's work in progress: only where that game is named.
    Status {
        /// The game.
        game: GameName,
        /// Whether it can be read.
        faulty: bool,
    },
    /// Write the line of the index anew from the game.
    Index(GameName),
    /// Take a line out of the index.
    Unindex(String),
    /// Move a file that cannot be read to `dead/`.
    Bury(PathBuf, String),
    /// Take lines that are none out of a month of the ledger.
    Ledger(String),
    /// Write all pages anew.
    Publish,
}

/// A list of findings while it is made.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn damage(&mut self, place: impl Into<String>, text: impl Into<String>) {
        self.add(place, text, true, None);
    }

    fn note(&mut self, place: impl Into<String>, text: impl Into<String>) {
        self.add(place, text, false, None);
    }

    fn mendable(&mut self, place: impl Into<String>, text: impl Into<String>, remedy: Remedy) {
        self.add(place, text, true, Some(remedy));
    }

    fn add(&mut self, place: impl Into<String>, text: impl Into<String>, damage: bool, remedy: Option<Remedy>) {
        self.0.push(Finding { place: place.into(), text: text.into(), damage, remedy });
    }
}

impl Clerk {
    /// Looks the whole site over (OPS-102). `replay`: decides every phase again, too. Empty: all is well.
    pub fn verify(&self, replay: bool, now: DateTime<Utc>) -> Result<Vec<Finding>, ClerkError> {
        let mut found = Findings::default();
        self.verify_site(&mut found, now)?;
        for game in self.directories()? {
            self.verify_game(&game, replay, &mut found)?;
        }
        self.verify_pages(&mut found, now)?;
        Ok(found.0)
    }
}
