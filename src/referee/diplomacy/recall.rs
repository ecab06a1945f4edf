//! A phase that an old judge played: its record, from the kept status file and the text of its report.

use super::{Diplomacy, record};
use crate::diplomacy::draw::notation::Mark;
use crate::diplomacy::draw::{Picture, results};
use crate::status::Game;
use serde_json::Value;

impl Diplomacy {
    /// The record of a phase as far as report and orders on file tell it. `before` is the game at its start.
    pub fn recall(&self, before: &Game, report: &str) -> Value {
        let mut record = record::position(self, before);
        let letter = self.phase(before).map_or('M', |phase| phase.letter());
        let mut sent = record::Orders::default();
        for (_, p) in self.powers(before) {
            let on_file =
                if letter == 'M' { p.orders.clone() } else { Some(p.adjust.clone()).filter(|a| !a.is_empty()) };
            sent.given(&p.name, on_file.is_some());
            on_file.iter().flatten().for_each(|text| sent.push(&p.name, text));
        }
        let mut picture = Picture::empty(self.map(), &self.compiled.exhibit().art);
        // A report without a line that can be read tells nothing; lines that cannot be read tell nothing either.
        let _ = results::read(&mut picture, report);
        for shown in &picture.orders {
            let unit = record::unit_of(&shown.text);
            if unit == "WAIVED" {
                continue;
            }
            let disbands = letter == 'R' && shown.text.starts_with("DISBAND") && shown.marks.is_empty();
            let marks = shown.marks.iter().filter_map(|mark| code(*mark, letter));
            sent.result(unit, &marks.chain(disbands.then_some("disband")).collect::<Vec<_>>());
        }
        sent.write(&mut record);
        record
    }

    /// Adds to a record what the phase left: the position at the start of the next one.
    pub fn add_outcome(&self, record: &mut Value, after: &Game) {
        record::afterwards(self, record, after);
    }
}

/// The code of a mark; that a dislodged unit had nowhere to go is told by the position.
fn code(mark: Mark, letter: char) -> Option<&'static str> {
    match mark {
        Mark::Destroyed => (letter == 'R').then_some("disband"),
        other => Some(other.word()),
    }
}
