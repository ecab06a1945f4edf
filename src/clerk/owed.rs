//! What rounds owe, `cron/owed`: games that a round could not check, because their file was locked or faulty or the disk
//! would not take their change. The round is counted all the same, so that one game never looks like an outage; the game
//! is checked later as if that round had not been, and no reminder that fell into it is lost.
//!
//! A line is `<game> since=<time of the last round that did check it, or -> [daily] [soon]`.

use super::ClerkError;
use crate::archive::ArchiveError;
use crate::judge::round::Round;
use chrono::{DateTime, SecondsFormat, Utc};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// What one game has missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Debt {
    /// The last round before those it has missed.
    since: Option<DateTime<Utc>>,
    /// The daily reminders were among it.
    daily: bool,
    /// It need not wait for the next round: what stood in the way may be gone at any moment.
    soon: bool,
}

impl Debt {
    /// The debt of a game that this round was to check.
    pub fn of(round: Round, error: Option<&ClerkError>) -> Debt {
        let soon = error.is_none_or(|error| error.is_temporary() || error.is_in_storing());
        Debt { since: round.previous, daily: round.daily, soon }
    }

    /// The daily reminder of a day that began while the judge was away.
    fn daily(since: DateTime<Utc>) -> Debt {
        Debt { since: Some(since), daily: true, soon: false }
    }
}

/// All debts, by game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Owed(BTreeMap<String, Debt>);

impl Owed {
    /// Whether nothing is owed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes a game down.
    pub fn add(&mut self, game: &str, debt: Debt) {
        self.0.insert(game.to_owned(), debt);
    }

    /// Takes a game down, unless it is owed something already: then that grows by the daily reminder.
    pub fn add_daily(&mut self, game: &str, since: DateTime<Utc>) {
        self.0.entry(game.to_owned()).and_modify(|debt| debt.daily = true).or_insert(Debt::daily(since));
    }

    /// Leaves what a game was owed as it was.
    pub fn keep(&mut self, game: &str, before: &Owed) {
        self.0.extend(before.0.get_key_value(game).map(|(game, debt)| (game.clone(), *debt)));
    }

    /// The round as that game has it: together with those it has missed.
    pub fn with(&self, game: &str, round: Round) -> Round {
        match self.0.get(game) {
            Some(debt) => Round { previous: debt.since, daily: round.daily || debt.daily, ..round },
            None => round,
        }
    }

    /// Debts that can be paid within the same round, and the others.
    pub fn split(self) -> (Vec<String>, Owed) {
        let (soon, later): (BTreeMap<_, _>, _) = self.0.into_iter().partition(|(_, debt)| debt.soon);
        (soon.into_keys().collect(), Owed(later))
    }
}

/// A line that is none.
#[derive(Debug, thiserror::Error)]
#[error("owed: {0} (want <game> since=<RFC 3339 or -> [daily] [soon])")]
pub(super) struct BadOwed(String);

impl FromStr for Owed {
    type Err = BadOwed;

    fn from_str(text: &str) -> Result<Owed, BadOwed> {
        let read = |line: &str| {
            let mut words = line.split_whitespace();
            let game = words.next()?.to_owned();
            let since = match words.next()?.strip_prefix("since=")? {
                "-" => None,
                time => Some(DateTime::parse_from_rfc3339(time).ok()?.to_utc()),
            };
            let mut debt = Debt { since, daily: false, soon: false };
            for word in words {
                match word {
                    "daily" => debt.daily = true,
                    "soon" => debt.soon = true,
                    _ => return None,
                }
            }
            Some((game, debt))
        };
        text.lines().map(|line| read(line).ok_or_else(|| BadOwed(line.to_owned()))).collect::<Result<_, _>>().map(Owed)
    }
}

impl fmt::Display for Owed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (game, Debt { since, daily, soon }) in &self.0 {
            let since = since.map_or("-".to_owned(), |time| time.to_rfc3339_opts(SecondsFormat::Secs, true));
            let word = |said: bool, word: &'static str| if said { word } else { "" };
            writeln!(f, "{game} since={since}{}{}", word(*daily, " daily"), word(*soon, " soon"))?;
        }
        Ok(())
    }
}

impl super::Clerk {
    /// What the rounds before owe.
    pub(super) fn owed(&self) -> Result<Owed, ClerkError> {
        Ok(self.note("owed")?.unwrap_or_default())
    }

    /// Keeps what is owed now.
    pub(super) fn keep_owed(&self, before: &Owed, owed: &Owed) -> Result<(), ArchiveError> {
        match owed {
            same if same == before => Ok(()),
            none if none.is_empty() => self.archive.remove_note("owed"),
            some => self.archive.write_note("owed", some.to_string().as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let time = DateTime::UNIX_EPOCH;
        let mut owed = Owed::default();
        owed.add("ash", Debt { since: Some(time), daily: true, soon: true });
        owed.add("birch", Debt { since: None, daily: false, soon: false });
        let text = owed.to_string();
        assert_eq!(text, "ash since=1970-01-01T00:00:00Z daily soon\nbirch since=-\n");
        assert_eq!(text.parse::<Owed>().expect("read"), owed);
        for bad in ["ash", "ash since=never", "ash since=- weekly"] {
            assert!(bad.parse::<Owed>().is_err(), "{bad}");
        }
        let round = Round { previous: Some(time + chrono::TimeDelta::minutes(20)), daily: false, only_daily: false };
        let of = |game| (owed.with(game, round).previous, owed.with(game, round).daily);
        assert_eq!([of("ash"), of("birch"), of("cedar")], [(Some(time), true), (None, false), (round.previous, false)]);
        let (soon, later) = owed.split();
        assert_eq!((soon, later.to_string().as_str()), (vec!["ash".to_owned()], "birch since=-\n"));
    }
}
