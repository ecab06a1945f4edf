//! Pictures of games that somebody at the site asks for.

use super::{Clerk, ClerkError};
use crate::pages::shot::{Wanted, shot};
use chrono::{DateTime, Utc};

impl Clerk {
    /// A picture of a game as SVG; `None`: there is no such game.
    pub fn picture(&self, name: &str, wanted: &Wanted, now: DateTime<Utc>) -> Result<Option<String>, ClerkError> {
        let Some(game) = self.existing(name)? else { return Ok(None) };
        let Some(loaded) = self.load(&game, now)? else {
            return Err(ClerkError::Site(format!("{name}: its status file cannot be read (chancery status check)")));
        };
        let table = loaded.table(&self.house, 0, now);
        shot(&table, wanted).map(Some).map_err(|why| ClerkError::Site(why.to_string()))
    }
}
