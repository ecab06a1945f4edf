//! Phases that were played elsewhere, filed as if they had been played here (saved-game-json.md 5): the line of
//! `results.jsonl` and the entry of `results`. Nobody is told of them by mail.

use super::process::{GAME_OVER, entry, next_phase_lines};
use super::table::Table;
use chrono::SecondsFormat;
use serde_json::Value;

/// A phase that was played elsewhere, told again by the referee.
pub struct Told {
    /// The record, without what the house adds.
    pub record: Value,
    /// Report from its title line to the last line about the position.
    pub report: String,
    /// Whether it is known when the phase was processed.
    pub dated: bool,
}

/// A phase as it is filed.
pub struct Filed {
    /// Its line in `results.jsonl`.
    pub record: String,
    /// Its entry in `results`.
    pub entry: String,
}

/// Files a phase: `table` is the game at its start, at the moment when it was processed; `next` the same game when the next
/// phase began, or was over.
pub fn file(table: &Table, next: &Table, told: Told, is_end: bool) -> Filed {
    let phase = table.phase();
    let mut report = format!("{}\n", told.report.trim_end());
    report += &if is_end { GAME_OVER.to_owned() } else { next_phase_lines(next) };
    let text = format!("{}\n{report}", table.header());
    let mut record = told.record;
    if let Some(object) = record.as_object_mut() {
        object.insert("processed".into(), table.now.to_rfc3339_opts(SecondsFormat::AutoSi, true).into());
        object.insert("imported".into(), true.into());
        if !told.dated {
            object.insert("undated".into(), true.into());
        }
        object.insert("report".into(), text.clone().into());
    }
    let subject = format!("Diplomacy results {} {phase}", table.game.name);
    Filed { record: format!("{record}\n"), entry: entry(table, &subject, &text) }
}
