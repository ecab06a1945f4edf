//! Names and paths at the door: what a game may be called and which files a transaction may touch.
//! Nothing that has passed here can leave the site's directories or be taken for an option (operations.md 15, row 10).

use std::fmt;
use thiserror::Error;

/// A name that may not be used, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NameError {
    /// Not a game name.
    #[error(
        "'{0}' cannot be the name of a game (want 1 to 32 lower-case letters, digits, '_' or '-', first a letter or a digit)"
    )]
    Game(String),
    /// Not a file name of the closed alphabet.
    #[error(
        "'{0}' cannot be the name of a file (want letters, digits, '.', '_', '-', '+', not beginning with '.' or '-')"
    )]
    File(String),
    /// The file is written by the commit itself.
    #[error("'{0}' is written by the commit itself")]
    Reserved(String),
    /// Not the name of a queued mail.
    #[error("'{0}' cannot be the id of a mail (want 1 to 128 letters, digits, '.', '_', '-', '+')")]
    Mail(String),
}

/// The name of a game: lower-case letters, digits, `_`, `-`; starting with a letter or digit; at most 32 characters
/// (decision D29, status-file.md 10.3).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GameName(String);

impl GameName {
    /// Check a name for a new game.
    pub fn new(name: &str) -> Result<GameName, NameError> {
        match GameName::old(name) {
            Ok(good) if name.starts_with(|c: char| c.is_ascii_alphanumeric()) => Ok(good),
            _ => Err(NameError::Game(name.to_owned())),
        }
    }

    /// Check the name of an existing game: the old judge allowed `_` in front.
    pub fn old(name: &str) -> Result<GameName, NameError> {
        let letters = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-');
        // `games/status` is the index, so that no game can have its directory there.
        if name.is_empty() || name.len() > 32 || !letters || name.starts_with('-') || name == "status" {
            return Err(NameError::Game(name.to_owned()));
        }
        Ok(GameName(name.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for GameName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whose files a transaction changes: one game's, or those of the judge itself (registry, scheduler's notes, maps).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    /// The judge; written `-` in the journal, which no game can be called.
    Judge,
    /// A game.
    Game(GameName),
}

impl Owner {
    /// The word in names and heads of journal files.
    pub fn word(&self) -> &str {
        match self {
            Owner::Judge => "-",
            Owner::Game(game) => game.as_str(),
        }
    }

    /// The owner of that word.
    pub fn named(word: &str) -> Result<Owner, NameError> {
        if word == "-" { Ok(Owner::Judge) } else { GameName::old(word).map(Owner::Game) }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A file by its place in the site, `games/demo/status`: first a room of the directory layout, then plain names.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SitePath(String);

/// Rooms that transactions may write (operations.md 3). The outbox and the ledger have operations of their own.
const ROOMS: [&str; 7] = ["games", "registry", "cron", "maps", "trial", "trash", "web"];

impl SitePath {
    /// Check a path.
    pub fn new(path: &str) -> Result<SitePath, NameError> {
        let mut parts = path.split('/');
        let room = parts.next().is_some_and(|room| ROOMS.contains(&room));
        let rest: Vec<&str> = parts.collect();
        if !room || rest.is_empty() || rest.len() > 3 || path.len() > 512 || !rest.iter().all(|part| plain(part)) {
            return Err(NameError::File(path.to_owned()));
        }
        Ok(SitePath(path.to_owned()))
    }

    /// A file of a game: `status`, `status.S1901M.0`, `notes/FRANCE`.
    pub fn in_game(game: &GameName, file: &str) -> Result<SitePath, NameError> {
        SitePath::new(&format!("games/{game}/{file}"))
    }

    /// The path.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Room and the rest of the path.
    pub fn split(&self) -> (&str, &str) {
        self.0.split_once('/').unwrap_or((&self.0, ""))
    }
}

impl fmt::Display for SitePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One component of a path: the closed alphabet, no dot file, nothing that looks like an option.
fn plain(part: &str) -> bool {
    let good = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'+');
    !part.is_empty() && part.len() <= 200 && part.bytes().all(good) && !part.starts_with(['.', '-'])
}

/// Check the id of a queued mail.
pub fn mail_id(id: &str) -> Result<&str, NameError> {
    if plain(id) && id.len() <= 128 { Ok(id) } else { Err(NameError::Mail(id.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_named_by_the_closed_alphabet() {
        for good in ["demo", "7up", "a-b_c", "balkan9"] {
            assert!(GameName::new(good).is_ok(), "{good}");
        }
        for bad in ["", "Demo", "-x", "_x", "a/b", "..", "status", "a b", "é", "abcdefghijklmnopqrstuvwxyz0123456"] {
            assert!(GameName::new(bad).is_err(), "{bad}");
        }
        assert!(GameName::old("_old").is_ok());
        assert_eq!(Owner::named("-"), Ok(Owner::Judge));
    }

    #[test]
    fn paths_stay_in_their_rooms() {
        for good in ["games/demo/status.S1901M.0", "games/demo/notes/FRANCE", "registry/people", "cron/check.tim"] {
            assert!(SitePath::new(good).is_ok(), "{good}");
        }
        for bad in [
            "games",
            "games/",
            "games/../x",
            "games//x",
            "/etc/passwd",
            "spool/x",
            "games/demo/.lock",
            "games/a b",
            "games/a/-rf",
        ] {
            assert!(SitePath::new(bad).is_err(), "{bad}");
        }
    }
}
