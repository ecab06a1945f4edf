//! Who is allowed to speak as whom (mail-commands.md 2 and 3.2).

use super::code::{Code, Refusal, refuse};
use super::table::{Secrets, Table, Who};
use crate::status::ParticipantKind;

/// With what right somebody acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// The holder of the seat.
    Own,
    /// The Master's password.
    Master,
    /// The judgekeeper's.
    Keeper,
}

/// A successful sign-on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedOn {
    /// In whose name.
    pub who: Who,
    /// With what right.
    pub rank: Rank,
}

/// One answer for an unknown seat and a wrong password, so that neither is betrayed.
fn bad_login<T>(table: &Table) -> Result<T, Refusal> {
    refuse(
        Code::BadLogin,
        format!(
            "The power and the password do not fit together in game {}. Check both; the password is never shown.",
            table.game.name
        ),
    )
}

/// Checks a seat name and a password.
pub fn sign_on(table: &Table, seat: &str, password: &str, secrets: &dyn Secrets) -> Result<SignedOn, Refusal> {
    let who = table.who(seat);
    let is = |stored: &Option<String>| stored.as_deref().is_some_and(|s| secrets.verify(s, password));
    // The seat's own password first: it is the usual case, and each comparison costs time.
    if let Some(Who::Seat(n)) = &who
        && is(&table.game.participants[*n].password)
    {
        return Ok(SignedOn { who: Who::Seat(*n), rank: Rank::Own });
    }
    if who != Some(Who::Keeper) && is(&table.game.password) {
        return match who {
            Some(who) => Ok(SignedOn { who, rank: Rank::Master }),
            None => bad_login(table),
        };
    }
    if is(&table.house.keeper_hash) {
        return match who {
            Some(who) => Ok(SignedOn { who, rank: Rank::Keeper }),
            None => bad_login(table),
        };
    }
    bad_login(table)
}

/// Old rule of both generations: a new password is one word of 6 to 64 characters without `<` and `>`.
pub fn new_password(password: &str) -> Result<(), Refusal> {
    let length = password.chars().count();
    if !(6..=64).contains(&length) || password.contains(['<', '>']) || password.chars().any(char::is_control) {
        return refuse(Code::BadPassword, "A password has 6 to 64 characters, no blanks, and neither < nor >.");
    }
    Ok(())
}

/// Names for observers and monitors (mail-commands.md 3.4): not an id in use, not M or JK, no `POWER#`, and not readable
/// as a list of initials.
pub fn new_id(table: &Table, name: &str) -> Result<(), Refusal> {
    let bad = || {
        refuse(
            Code::BadId,
            format!("{name} cannot be your name here: it is taken, or could be read as powers. Choose another word."),
        )
    };
    let odd = name.is_empty() || name.len() > 32 || !name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    if odd || ["M", "MASTER", "JK", "JUDGEKEEPER", "ALL"].contains(&name) || name.starts_with("POWER#") {
        return bad();
    }
    if table.rule_seat(name).is_some() {
        return bad();
    }
    let letters: Vec<char> = name.chars().collect();
    let is_initial = |c: &char| *c == 'M' || table.referee.seats().iter().any(|s| s.letter == Some(*c));
    let distinct = letters.iter().enumerate().all(|(n, c)| !letters[..n].contains(c));
    if distinct && letters.iter().all(is_initial) {
        return bad();
    }
    Ok(())
}

impl Table<'_> {
    /// Whether the participant plays a power that may be ordered.
    pub fn may_order(&self, who: &Who) -> bool {
        match who {
            Who::Master | Who::Keeper => true,
            Who::Seat(n) => self.game.participants[*n].kind == ParticipantKind::Power,
        }
    }
}
