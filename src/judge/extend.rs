//! A deadline moved because the judge was away (clock.md 12, OPS-084): which games are concerned, and what they are told.

use super::GameState;
use super::master::move_deadline;
use super::session::{Desk, Outcome};
use super::table::Table;
use super::time;
use crate::clock::{Extension, Grain};
use chrono::NaiveDateTime;

/// Moves the deadline of an active game that lies within the extension, and announces it (N32); where it was before.
/// `None`: this game is not concerned.
pub fn extend(table: &mut Table, extension: &Extension) -> Option<(NaiveDateTime, Outcome)> {
    if table.index.state != GameState::Active {
        return None;
    }
    let (game, index) = (table.game.clone(), table.index.clone());
    let old = table.deadline()?;
    let new = extension.apply(old, table.zone(), grain(table))?;
    let mut desk = Desk::new(table);
    move_deadline(&mut desk, "The judgekeeper", new);
    let audit = format!("deadline {} -> {}", crate::clock::format::stamp(old), crate::clock::format::stamp(new));
    Some((old, desk.close(&game, &index, audit)))
}

/// Whether the game's deadlines keep to slots (clock.md 4.2 step 2).
pub(super) fn grain(table: &Table) -> Grain {
    let timing = time::timing(&table.game);
    let (span, _) = timing.delay(&table.referee.phase_kind(&table.game));
    let exact = time::clock_rules(&table.rules).real_time || span.elapsed() < Grain::Slot.length();
    if exact { Grain::Exact } else { Grain::Slot }
}
