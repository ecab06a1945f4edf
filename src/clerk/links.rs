//! Links in mails: unsubscribing by one click, choosing a password. A link's token says for whom it was made and is proof
//! enough; what it does is decided by the judge and committed like everything else.

use super::abuse::outcome;
use super::queueing::closing;
use super::secrets::PhcSecrets;
use super::{Clerk, ClerkError};
use crate::archive::{ArchiveError, GameName, Key, MAIL_WAIT};
use crate::judge::session::Outcome;
use crate::judge::table::{Table, Who};
use crate::judge::{passwords, wants};
use crate::mail::token;
use chrono::{DateTime, Utc};

/// What came of following a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Followed {
    /// Done; what was done, in a sentence.
    Done(String),
    /// The token is good, and this is what the link is for (nothing was changed).
    Good(String),
    /// The token is good, but what was sent with it is not: why.
    Refused(String),
    /// Spent, too old, or never ours.
    Unknown,
}

impl Clerk {
    /// RFC 8058: whoever got the mail gets no more of it. `really`: not only looked at.
    pub fn unsubscribe(&self, token: &str, really: bool, now: DateTime<Utc>) -> Result<Followed, ClerkError> {
        let Some(game) = token::unsubscribe_game(token) else { return Ok(Followed::Unknown) };
        let fits = |address: &str| token::unsubscribe_fits(&self.sender.secret, token, address);
        self.follow(game, &["unsubscribe", token], now, |table, _| {
            let Some((outcome, said)) = wants::unsubscribe(table, &fits) else { return (None, Followed::Unknown) };
            match really {
                true => (Some(outcome), Followed::Done(said)),
                false => (None, Followed::Good("Here you can stop the mail that you can do without.".into())),
            }
        })
    }

    /// The link of a REVIVE: a good token and a new password.
    pub fn choose_password(&self, token: &str, new: Option<&str>, now: DateTime<Utc>) -> Result<Followed, ClerkError> {
        let Some((game, seat, until)) = token::password_parts(token) else { return Ok(Followed::Unknown) };
        if now.timestamp() > until {
            return Ok(Followed::Unknown);
        }
        self.follow(game, &["password", token], now, |table, secrets| {
            let found = table.game.participants.iter().position(|p| p.name.eq_ignore_ascii_case(seat));
            let stored = found.and_then(|n| table.game.participants[n].password.clone()).unwrap_or_default();
            let Some(n) = found.filter(|_| token::password_fits(&self.sender.secret, token, &stored)) else {
                return (None, Followed::Unknown);
            };
            let title = table.title(&crate::judge::table::Who::Seat(n));
            let game = table.game.name.clone();
            match new {
                None => (None, Followed::Good(format!("Choose a password for {title} in game {game}."))),
                Some(new) => match passwords::chosen(table, n, new, secrets) {
                    Ok(outcome) => {
                        (Some(outcome), Followed::Done(format!("Your new password for {title} in game {game} holds.")))
                    }
                    Err(refusal) => (None, Followed::Refused(refusal.sentence)),
                },
            }
        })
    }

    /// N51: mails the holder of a seat (`france@demo`) a link to choose a password. What is answered does not tell whether
    /// there is such a seat; of one seat it is done once an hour.
    pub fn forgotten(&self, seat: Option<&str>, now: DateTime<Utc>) -> Result<Followed, ClerkError> {
        let Some(seat) = seat else {
            let what = "Name your seat. A link to choose a new password goes to its address on file.";
            return Ok(Followed::Good(what.into()));
        };
        let said = Followed::Done("If that seat has a player, a link is on its way to the address on file.".into());
        let seat = seat.trim().to_lowercase();
        let Some((seat, game)) = seat.split_once('@') else { return Ok(said) };
        let Some(name) = GameName::old(game).ok().map(|g| self.existing(g.as_str())).transpose()?.flatten() else {
            return Ok(said);
        };
        let lock = self.archive.lock(&name, MAIL_WAIT)?;
        let Some(loaded) = self.load(&name, now)? else { return Ok(said) };
        let hour = now.format("%Y%m%d%H").to_string();
        let seed = self.seed(&["forgotten", game, seat, &hour]);
        let secrets = PhcSecrets::new(&self.known, self.secret, seed);
        let mut table = loaded.table(&self.house, seed, now);
        let Some(Who::Seat(n)) = table.who(&seat.to_uppercase()) else { return Ok(said) };
        let holder = &table.game.participants[n];
        let key = Key::of("forgotten", &format!("{game} {} {hour}", holder.name));
        let played = holder.password.is_some() && !holder.address.is_empty();
        if !played || table.completed() || self.is_done(&key, None, now)? {
            return Ok(said);
        }
        let decision = passwords::forgotten(&mut table, n, &secrets).decision;
        let mut transaction = self.transaction(&name, &loaded, decision, seed, now)?;
        transaction.ledger(&closing(&key, outcome::DONE, now));
        match self.archive.commit(&lock, transaction) {
            Ok(_) => Ok(said),
            Err(error) => Err(error.into()),
        }
    }

    /// Shows the judge the game and commits what it decides.
    fn follow(
        &self,
        game: &str,
        event: &[&str],
        now: DateTime<Utc>,
        decide: impl Fn(&mut Table, &PhcSecrets) -> (Option<Outcome>, Followed),
    ) -> Result<Followed, ClerkError> {
        let Ok(name) = GameName::old(game) else { return Ok(Followed::Unknown) };
        let Some(name) = self.existing(name.as_str())? else { return Ok(Followed::Unknown) };
        let seed = self.seed(event);
        let secrets = PhcSecrets::new(&self.known, self.secret, seed);
        let lock = self.archive.lock(&name, MAIL_WAIT)?;
        for _ in 0..5 {
            let Some(loaded) = self.load(&name, now)? else { return Ok(Followed::Unknown) };
            let mut table = loaded.table(&self.house, seed, now);
            let (outcome, followed) = decide(&mut table, &secrets);
            let Some(Outcome { decision, .. }) = outcome else { return Ok(followed) };
            if decision.game.is_none() {
                // It was so already.
                return Ok(followed);
            }
            let mut transaction = self.transaction(&name, &loaded, decision, seed, now)?;
            transaction.expect("status", loaded.stamp())?;
            match self.archive.commit(&lock, transaction) {
                Ok(_) => return Ok(followed),
                // A hand edit came in between.
                Err(ArchiveError::Changed(_)) => continue,
                Err(error) => return Err(error.into()),
            }
        }
        Err(ClerkError::Site(format!("game {name} is being edited")))
    }
}
