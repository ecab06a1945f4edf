//! What the judge writes of itself whenever a game is saved (status-file.md 2.1, 5.2): the NEED line follows from who has
//! resigned and what he left, a power that has said nothing votes SOLO, a solitaire game is private, and a game without
//! deadlines has none (clock.md 4.2).

use super::table::{Table, is_vacant};
use super::votes;
use crate::diplomacy::rules::Rule;
use crate::status::{Need, ParticipantKind, PhaseState};

/// Brings a game that is about to be saved in step with itself. Done twice it changes nothing more.
pub fn keep(table: &mut Table) {
    if table.rule(Rule::Solitaire) && table.game.private.is_none() {
        table.game.private = Some("SOLITAIRE".into());
        table.index.private = true;
    }
    keep_need(table);
    if matches!(table.game.phase, PhaseState::Running(_)) {
        votes::write_out(table);
        if table.rule(Rule::NoDeadline) {
            super::account::computed_none(table);
            table.game.deadline = None;
        }
    }
}

/// Of a file that a Master has edited: whatever he made of NEED, it is the judge's to write.
pub fn keep_need(table: &mut Table) {
    if matches!(table.game.phase, PhaseState::Running(_)) {
        table.game.need = needs(table);
    }
}

/// One word for each abandoned power that is still in the game, with what it has now: those that were there in their
/// order, then those whose word is missing.
fn needs(table: &Table) -> Vec<Need> {
    let game = &table.game;
    let hidden = table.rule(Rule::Blind);
    let abandoned = |key: &str| {
        let seat = game.participants.iter().find(|p| p.kind == ParticipantKind::Power && p.name == key);
        seat.is_some_and(is_vacant) && !table.referee.eliminated(game, key)
    };
    let mut keys: Vec<&str> = Vec::new();
    for key in game.need.iter().map(|n| &n.power).chain(game.participants.iter().map(|p| &p.name)) {
        if !keys.contains(&key.as_str()) && abandoned(key) {
            keys.push(key);
        }
    }
    let need = |key: &str| {
        let (units, centers) = table.referee.strength(game, key);
        let known = |n: u16| (!hidden).then_some(n);
        Need { power: key.to_owned(), units: known(units), centers: known(centers) }
    };
    keys.into_iter().map(need).collect()
}
