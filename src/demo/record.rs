//! The record of a real game: who ordered what, phase by phase (`games/*.jsonl`, one phase a line).

use serde::Deserialize;
use std::collections::BTreeMap;

/// The game the demo plays: seven people and a program in 2022, won by France in 1908.
pub const FRANCE_SOLO: &str = include_str!("../../games/france-solo-1908.jsonl");

/// One phase.
#[derive(Clone, Debug, Deserialize)]
pub struct Phase {
    /// `S1901M`
    pub phase: String,
    /// Units at its start, without dislodged ones.
    pub units: BTreeMap<String, Vec<String>>,
    /// Dislodged units with their retreats; with none, such a unit is lost at once here, and only listed in the record.
    #[serde(default)]
    pub dislodged: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// Orders given, in the words of the record.
    pub orders: BTreeMap<String, Vec<String>>,
    /// Builds (> 0) and removals (< 0) due.
    #[serde(default)]
    pub builds: BTreeMap<String, i32>,
    /// The position afterwards.
    pub expected: Expected,
}

/// What the position must be afterwards.
#[derive(Clone, Debug, Deserialize)]
pub struct Expected {
    /// Phase played next, or `COMPLETED`.
    pub next_phase: String,
    /// Units at its start.
    pub units: BTreeMap<String, Vec<String>>,
    /// Centres owned.
    pub centers: BTreeMap<String, Vec<String>>,
}

/// Reads a record.
pub fn read(text: &str) -> Result<Vec<Phase>, String> {
    text.lines()
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty())
        .map(|(n, line)| serde_json::from_str(line).map_err(|e| format!("line {}: {e}", n + 1)))
        .collect()
}

/// The orders of a power as lines a player would write, in canonical wording of the record; builds not made are waived.
pub fn sheet(phase: &Phase, power: &str) -> Vec<String> {
    let mut lines = phase.orders.get(power).cloned().unwrap_or_default();
    if phase.phase.ends_with('A') {
        let due = phase.builds.get(power).copied().unwrap_or(0);
        while (lines.len() as i32) < due {
            lines.push("WAIVE".into());
        }
    }
    if phase.phase.ends_with('R') {
        let open = |line: &String| {
            let units = phase.dislodged.get(power);
            units.is_some_and(|u| u.iter().any(|(unit, to)| line.starts_with(&format!("{unit} ")) && !to.is_empty()))
        };
        lines.retain(open);
    }
    if phase.phase.ends_with('M') {
        for unit in phase.units.get(power).into_iter().flatten() {
            if !lines.iter().any(|l| l.starts_with(&format!("{unit} "))) {
                lines.push(format!("{unit} H"));
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_game_is_complete() {
        let phases = read(FRANCE_SOLO).expect("the record is readable");
        assert_eq!(phases.len(), 34);
        assert_eq!(phases[0].phase, "S1901M");
        assert!(phases.windows(2).all(|w| w[0].expected.next_phase == w[1].phase));
        assert_eq!(phases[33].expected.next_phase, "COMPLETED");
    }
}
