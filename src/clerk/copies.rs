//! Copies of what a game's mail announces, in its file `mail`, for hosts that want them (`judge.copy_mail`).
//!
//! An announcement is what the judge itself writes to several people: results, starts, deadlines, reminders. Press and
//! answers are none. Whom it went to is told as a number, for the file outlives many an address.

use crate::mail::{Auto, Letter};
use chrono::{DateTime, Utc};
use std::fmt::Write as _;

/// The announcements among these letters, each text once; empty: none.
pub(super) fn of(letters: &[Letter], now: DateTime<Utc>) -> String {
    let mut told: Vec<(&Letter, usize)> = Vec::new();
    for letter in letters.iter().filter(|letter| letter.bulk && letter.auto == Auto::Generated) {
        match told.iter_mut().find(|(first, _)| (&first.subject, &first.text) == (&letter.subject, &letter.text)) {
            Some((_, count)) => *count += 1,
            None => told.push((letter, 1)),
        }
    }
    let mut out = String::new();
    for (letter, count) in told {
        let people = if count == 1 { "one person".into() } else { format!("{count} people") };
        let text = letter.text.trim_end();
        let _ = write!(out, "== {} {} to {people}: {}\n\n{text}\n\n", super::stamp(now), letter.notice, letter.subject);
    }
    out
}
