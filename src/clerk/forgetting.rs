//! What a person is in the games of this site: the places that WHOAMI lists, and how they are emptied of him when he asks
//! to be forgotten (mail-commands.md 7, OPS-104).

use super::{Clerk, ClerkError, stamp};
use crate::archive::{GameName, MAIL_WAIT, Transaction};
use crate::judge::forgetting;
use crate::judge::help;
use crate::judge::registry::Known;
use crate::judge::table::Who;
use crate::status::line;
use crate::status::{Document, Game, PhaseState};
use chrono::{DateTime, Utc};

/// Files beside the status file that name people. Press is left to the judgekeeper.
const TEXTS: [&str; 3] = ["summary", "access", "mail"];

impl Clerk {
    /// The places of somebody, a line each.
    pub(super) fn places(&self, who: &Known, now: DateTime<Utc>) -> Result<Vec<String>, ClerkError> {
        let mut places = Vec::new();
        for name in self.games_of(who)? {
            let Some(loaded) = self.load(&name, now)? else { continue };
            let table = loaded.table(&self.house, 0, now);
            let seats = table.game.participants.iter().enumerate().filter(|(_, p)| who.sits(p));
            let seats = seats.map(|(n, _)| Who::Seat(n));
            let master = who.masters(&table.game).then_some(Who::Master);
            places.extend(master.into_iter().chain(seats).map(|who| help::place(&table, &who)));
        }
        Ok(places)
    }

    /// Whether somebody has a place in a game that is not over.
    pub(super) fn plays(&self, who: &Known) -> Result<bool, ClerkError> {
        for name in self.games_of(who)? {
            if self.game_of(&name)?.is_some_and(|(_, game)| game.phase != PhaseState::Completed) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn games_of(&self, who: &Known) -> Result<Vec<GameName>, ClerkError> {
        let mut found = Vec::new();
        for name in self.game_names()? {
            let there = self.game_of(&name)?;
            if there.is_some_and(|(_, game)| who.masters(&game) || game.participants.iter().any(|p| who.sits(p))) {
                found.push(name);
            }
        }
        Ok(found)
    }

    fn game_of(&self, name: &GameName) -> Result<Option<(Document, Game)>, ClerkError> {
        let Some(content) = self.archive.read(name, "status")? else { return Ok(None) };
        let Ok(document) = Document::parse(&content.bytes) else { return Ok(None) };
        let game = document.game().clone();
        Ok(Some((document, game)))
    }

    /// Before a code that erases somebody is confirmed, he goes from the games: he plays in none. Those that are not over
    /// have him among the earlier players of a seat, and nobody would know him any more when they end.
    pub(super) fn empty_places(&self, code: &str, address: &str, now: DateTime<Utc>) -> Result<(), ClerkError> {
        self.people.reload();
        match self.people.leaving(code, address, now) {
            Some(who) if !self.plays(&who)? => self.forget_in_games(&who, now),
            _ => Ok(()),
        }
    }

    /// Makes somebody a former player of every game, each in a commit of its own. Done twice it changes nothing more: the
    /// registry lets go of him only afterwards.
    fn forget_in_games(&self, who: &Known, now: DateTime<Utc>) -> Result<(), ClerkError> {
        self.game_names()?.iter().try_for_each(|name| self.forget_in(name, who, now))
    }

    fn forget_in(&self, name: &GameName, who: &Known, now: DateTime<Utc>) -> Result<(), ClerkError> {
        let lock = self.archive.lock(name, MAIL_WAIT)?;
        let audit = format!("{} #{} is forgotten", stamp(now), who.id);
        let mut transaction = Transaction::of_game(name, audit);
        let mut changed = false;
        for file in self.archive.files(name)? {
            let Some(content) = self.archive.read(name, &file)? else { continue };
            let bytes = if file == "status" || file.starts_with("status.") {
                without(&content.bytes, who)
            } else if TEXTS.contains(&file.as_str()) {
                let text = line::text(content.bytes);
                let mut next = forgetting::in_text(&text, who);
                if self.house.access_key.is_some() {
                    for address in &who.addresses {
                        next = next.replace(&self.house.origin(address), &format!("#{}", who.id));
                    }
                }
                (next != text).then(|| next.into_bytes())
            } else {
                None
            };
            let Some(bytes) = bytes else { continue };
            transaction.expect(&file, Some(content.stamp))?;
            if file == "status" {
                self.memory.committed(name, &bytes);
            }
            transaction.replace(&file, bytes)?;
            changed = true;
        }
        if changed {
            self.mark(name);
            self.archive.commit(&lock, transaction)?;
        }
        Ok(())
    }
}

/// A status file, or a kept copy of one, without him; `None`: he is not in it, or nobody can read it.
fn without(bytes: &[u8], who: &Known) -> Option<Vec<u8>> {
    let mut document = Document::parse(bytes).ok()?;
    let mut game = document.game().clone();
    forgetting::in_game(&mut game, who);
    if game == *document.game() {
        return None;
    }
    document.update(&game).ok()?;
    Some(document.text().into_bytes())
}
