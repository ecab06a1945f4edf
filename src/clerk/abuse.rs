//! What one sender may ask of the judge: rates (mail-commands.md 1.2 step 7, OPS-071) and the growing pause after wrong
//! passwords (D5). Nothing is counted anywhere but in the ledger: what was done is there anyway, and it survives.

use super::games::has_address;
use super::queueing::Asked;
use super::{Clerk, ClerkError};
use crate::archive::ledger::Entry as LedgerEntry;
use crate::archive::{Entry, Key, Transaction};
use crate::judge::commands::{Block, Header};
use crate::judge::table::{Table, Who};
use crate::mail::Letter;
use crate::status::Game;
use chrono::{DateTime, Duration, Utc};

/// Messages of one sender within an hour, and answers about errors within a day.
const MESSAGES_AN_HOUR: usize = 60;
const ERRORS_A_DAY: usize = 30;
/// Answers to somebody the judge does not know.
const STRANGER_AN_HOUR: usize = 5;
const STRANGER_A_DAY: usize = 20;
/// Failures for one seat within an hour that the Master hears of.
const ALARM: usize = 10;
/// Longest pause, in seconds.
const LONGEST_PAUSE: i64 = 60;

/// Whether a message may be looked at now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// Yes.
    Yes(Voice),
    /// Over a limit; the sender is told this once.
    Tell,
    /// Over a limit, and told already.
    No,
}

/// Whether the sender of a message is answered. OPS-071 limits the answers to somebody the judge does not know, not what
/// he may do: whoever has a password is heard from any address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Voice {
    /// He is.
    #[default]
    Full,
    /// For the last time for a while, and told so.
    Last,
    /// What he sends is done, and only the addresses on file are told.
    Mute,
}

/// Outcomes of the line that closes a message.
pub(super) mod outcome {
    /// Nothing was refused.
    pub const DONE: &str = "done";
    /// Something was, and the reply said so.
    pub const ERRORS: &str = "errors";
    /// Over a limit, and told.
    pub const RATE: &str = "rate";
    /// Done, and the sender, a stranger, was not answered.
    pub const MUTE: &str = "mute";
}

/// The pause after so many failures in a row.
fn pause(failures: usize) -> Duration {
    let seconds = match failures {
        0..=2 => 0,
        n => 1i64.checked_shl((n - 3).min(8) as u32).unwrap_or(LONGEST_PAUSE).min(LONGEST_PAUSE),
    };
    Duration::seconds(seconds)
}

/// Failures in a row among these moments (`true`: failed), and the last of them. An hour without one, or a success,
/// begins anew.
fn in_a_row(attempts: impl Iterator<Item = (DateTime<Utc>, bool)>) -> (usize, Option<DateTime<Utc>>) {
    attempts.fold((0, None), |(count, last), (time, failed)| match (failed, last) {
        (false, _) => (0, None),
        (true, Some(last)) if time - last >= Duration::hours(1) => (1, Some(time)),
        (true, _) => (count + 1, Some(time)),
    })
}

/// A sign-on in the ledger: `signon:game/seat|sender`.
fn sign_on_key(game: &str, seat: &str, sender: &str) -> Key {
    Key::of("signon", &format!("{game}/{seat}|{sender}"))
}

/// Seat and game of a header that gives a password.
pub(super) fn claimed(header: &Header) -> Option<(&str, &str)> {
    match header {
        Header::SignOn { seat, game, .. } | Header::Resign { seat, game, .. } => Some((seat, game)),
        Header::TakeOver { seat, game, .. } if seat == "M" || seat == "MASTER" => Some((seat, game)),
        Header::Purge { game, .. } | Header::Rename { game, .. } => Some(("M", game)),
        _ => None,
    }
}

/// Whether a header gives a password or a code, and may so be more than a question of somebody unknown.
pub(super) fn may_act(header: &Header) -> bool {
    match header {
        Header::SignOn { .. }
        | Header::Resign { .. }
        | Header::TakeOver { .. }
        | Header::Join { .. }
        | Header::Enrol { .. }
        | Header::Create { .. }
        | Header::Purge { .. }
        | Header::Rename { .. }
        | Header::Confirm { .. } => true,
        Header::List { .. }
        | Header::Search { .. }
        | Header::Summary { .. }
        | Header::History { .. }
        | Header::Map { .. }
        | Header::Help { .. }
        | Header::Version
        | Header::Register { .. }
        | Header::IAmAlso { .. }
        | Header::WhoAmI
        | Header::Forget => false,
    }
}

/// One name for a seat, however it was written.
pub(super) fn seat_word(table: &Table, seat: &str) -> String {
    table.who(seat).map_or_else(|| seat.to_string(), |who| table.title(&who)).replace(['/', '|'], "_")
}

impl Clerk {
    /// Rates of one sender, whose message is about these games.
    pub(super) fn admission(&self, sender: &str, games: &[&str], now: DateTime<Utc>) -> Result<Admission, ClerkError> {
        let closed = self.ledger().closed_by(sender, now)?;
        let hour = |e: &&LedgerEntry| now - e.time < Duration::hours(1);
        let within_hour = closed.iter().filter(hour).count();
        let errors = closed.iter().filter(|e| e.outcome == outcome::ERRORS).count();
        // Only answers count against a stranger: he is heard again as soon as the first of them is an hour old.
        let answered: Vec<&LedgerEntry> = closed.iter().filter(|e| e.outcome != outcome::MUTE).collect();
        let lately = answered.iter().copied().filter(hour).count();
        let left = STRANGER_AN_HOUR.saturating_sub(lately).min(STRANGER_A_DAY.saturating_sub(answered.len()));
        // Whether somebody is known can cost a look at every game: asked only when it matters, and who writes to his own
        // game is found in that one.
        let is_stranger =
            left <= 1 && !self.house.is_keeper(sender) && !self.is_in(games, sender)? && !self.is_known(sender)?;
        let voice = match left {
            0 if is_stranger => Voice::Mute,
            1 if is_stranger => Voice::Last,
            _ => Voice::Full,
        };
        if within_hour >= MESSAGES_AN_HOUR || errors >= ERRORS_A_DAY {
            // Once in the period: within the hour, or within the day when errors are what was too many.
            let told = closed.iter().filter(|e| e.outcome == outcome::RATE);
            let told = if errors >= ERRORS_A_DAY { told.count() } else { told.filter(hour).count() };
            return Ok(if told == 0 && voice != Voice::Mute { Admission::Tell } else { Admission::No });
        }
        Ok(Admission::Yes(voice))
    }

    /// The same message, after what it made of a game: who has got a place by it is a stranger no longer.
    pub(super) fn heard<'m>(&self, asked: Asked<'m>, game: Option<&Game>) -> Result<Asked<'m>, ClerkError> {
        let address = &asked.from.address;
        let known = asked.voice != Voice::Full
            && (game.is_some_and(|game| has_address(game, address)) || self.is_known(address)?);
        Ok(Asked { voice: if known { Voice::Full } else { asked.voice }, ..asked })
    }

    /// Whether a sign-on of the message has to wait because of wrong passwords before it.
    pub(super) fn must_wait(&self, blocks: &[Block], sender: &str, now: DateTime<Utc>) -> Result<bool, ClerkError> {
        let claims: Vec<(&str, &str)> = blocks.iter().filter_map(|b| claimed(b.header.as_ref().ok()?)).collect();
        if claims.is_empty() {
            return Ok(false);
        }
        let attempts = self.ledger().sign_ons(now)?;
        if attempts.is_empty() {
            return Ok(false);
        }
        let row = |mine: &dyn Fn(&str) -> bool| {
            let chosen = attempts.iter().filter(|e| mine(e.key.as_str()));
            in_a_row(chosen.map(|e| (e.time, e.outcome == "failed")))
        };
        let running =
            |(count, last): (usize, Option<DateTime<Utc>>)| last.is_some_and(|last| now < last + pause(count));
        let tail = format!("|{sender}");
        if running(row(&|key| key.ends_with(&tail))) {
            return Ok(true);
        }
        for (seat, game) in claims {
            let head = format!("signon:{game}/");
            if !attempts.iter().any(|e| e.key.as_str().starts_with(&head)) {
                continue;
            }
            let Some(name) = self.existing(game)? else { continue };
            let Some(loaded) = self.load(&name, now)? else { continue };
            let table = loaded.table(&self.house, 0, now);
            let word = sign_on_key(game, &seat_word(&table, seat), "").as_str().to_string();
            let on_file = match table.who(seat) {
                Some(Who::Seat(n)) => table.addresses(&table.game.participants[n]),
                Some(Who::Master) => table.master_addresses(),
                _ => Vec::new(),
            };
            // Whoever writes from the address on file is not kept waiting by what others do.
            if !on_file.iter().any(|a| a.eq_ignore_ascii_case(sender)) && running(row(&|key| key.starts_with(&word))) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Notes a sign-on with the commit; the tenth failure within an hour is told to the Master.
    pub(super) fn note_sign_on(
        &self,
        transaction: &mut Transaction,
        table: &Table,
        seat: &str,
        sender: &str,
        failed: bool,
        now: DateTime<Utc>,
    ) -> Result<(), ClerkError> {
        let seat = seat_word(table, seat);
        let game = &table.game.name;
        let key = sign_on_key(game, &seat, sender);
        let recent = self.ledger().sign_ons(now)?;
        let of_seat = sign_on_key(game, &seat, "");
        let before: Vec<&LedgerEntry> =
            recent.iter().filter(|e| e.key.as_str().starts_with(of_seat.as_str())).collect();
        let tail = format!("|{sender}");
        let failed_before = |e: &LedgerEntry| e.outcome == "failed" && e.key.as_str().ends_with(&tail);
        // A success is noted only where it clears something: the ledger is not a log of sign-ons.
        if failed || before.iter().any(|e| e.outcome == "failed") || recent.iter().any(failed_before) {
            let word = if failed { "failed" } else { "ok" };
            transaction.ledger(&Entry { key, time: now, game: Some(game.clone()), outcome: word.into() });
        }
        let hour = before.iter().filter(|e| e.outcome == "failed" && now - e.time < Duration::hours(1)).count();
        if failed && hour + 1 == ALARM {
            let text = format!(
                "Within an hour the judge has refused {ALARM} sign-ons as {seat} in game {game}.\nNobody was locked out. \
                 If a player of yours is guessing his own password, help\nhim; if somebody else is, tell the keeper of \
                 this judge.\n"
            );
            for (n, to) in table.master_addresses().into_iter().enumerate() {
                let letter = Letter {
                    to,
                    game: Some(game.clone()),
                    phase: Some(table.phase()),
                    notice: "N36".into(),
                    subject: format!("Diplomacy suspicious activity ({game})"),
                    text: text.clone(),
                    ..Letter::default()
                };
                let moment = super::stamp(now);
                self.enqueue(transaction, &letter, &["alarm", game, &seat, &moment, &(800 + n).to_string()], now)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_grows_to_a_minute() {
        let seconds: Vec<i64> = (0..12).map(|n| pause(n).num_seconds()).collect();
        assert_eq!(seconds, [0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
    }

    #[test]
    fn a_success_or_an_hour_begins_anew() {
        let at = |minutes: i64| DateTime::from_timestamp(minutes * 60, 0).unwrap_or_default();
        assert_eq!(in_a_row([(at(0), true), (at(1), true)].into_iter()).0, 2);
        assert_eq!(in_a_row([(at(0), true), (at(61), true)].into_iter()).0, 1);
        assert_eq!(in_a_row([(at(0), true), (at(1), false), (at(2), true)].into_iter()).0, 1);
    }
}
