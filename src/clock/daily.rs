//! The daily reminders: which games their Masters and the keeper hear about once a day (clock.md 12).

use crate::judge::GameState;
use chrono::{DateTime, TimeDelta, Utc};

/// Why a game is mentioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The status file has errors.
    Errors,
    /// Active, more than a week past its deadline.
    Overdue,
    /// Not being played: state, open seats, powers to replace.
    Idle(GameState),
}

/// A mail to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Daily {
    /// What it is about.
    pub reason: Reason,
    /// To the Master of the game.
    pub master: bool,
    /// To the keepers of the judge.
    pub keeper: bool,
}

/// The daily mail about a game, if any.
pub fn daily(
    state: GameState,
    held: bool,
    errors: bool,
    deadline: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Option<Daily> {
    if held || matches!(state, GameState::Completed | GameState::Terminated) {
        return None;
    }
    if errors {
        return Some(Daily { reason: Reason::Errors, master: true, keeper: true });
    }
    let overdue = |weeks| deadline.is_some_and(|deadline| now - deadline > TimeDelta::weeks(weeks));
    match state {
        GameState::Active if overdue(1) => Some(Daily { reason: Reason::Overdue, master: true, keeper: overdue(4) }),
        GameState::Active => None,
        _ => {
            let keeper = state == GameState::Waiting && overdue(8);
            Some(Daily { reason: Reason::Idle(state), master: true, keeper })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let ago = |days| Some(now - TimeDelta::days(days));
        let mails = |state, errors, deadline| daily(state, false, errors, deadline, now).map(|d| (d.master, d.keeper));
        assert_eq!(mails(GameState::Active, true, None), Some((true, true)));
        assert_eq!(mails(GameState::Active, false, ago(7)), None);
        assert_eq!(mails(GameState::Active, false, ago(8)), Some((true, false)));
        assert_eq!(mails(GameState::Active, false, ago(29)), Some((true, true)));
        assert_eq!(mails(GameState::Waiting, false, ago(50)), Some((true, false)));
        assert_eq!(mails(GameState::Waiting, false, ago(57)), Some((true, true)));
        assert_eq!(mails(GameState::Forming, false, None), Some((true, false)));
        assert_eq!(mails(GameState::Completed, true, None), None);
        assert_eq!(daily(GameState::Active, true, true, None, now), None);
    }
}
