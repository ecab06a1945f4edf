//! The history decided again: every phase from its kept copy, at the moment and with the seed that were filed, has to
//! give the same record and the same report, byte for byte (OPS-102).
//!
//! What a report says of the house – the judge's id and address, the URL – is taken from the filed one: a judge may
//! have moved since. Everything else follows from the copy, the map and the program.

use super::game::{Filed, board, differing, reported_phase};
use super::{Clerk, ClerkError, Findings};
use crate::archive::GameName;
use crate::clerk::Loaded;
use crate::judge::process::{self, Again};
use crate::judge::table::House;
use crate::status::line;
use serde_json::Value;

impl Clerk {
    /// Decides every filed phase again and tells the first difference of each.
    pub(super) fn replay(
        &self,
        game: &GameName,
        current: &Loaded,
        filed: &[Filed],
        found: &mut Findings,
    ) -> Result<(), ClerkError> {
        let results = self.archive.read(game, "results")?.map(|content| content.bytes).unwrap_or_default();
        let results = line::text(results);
        for (at, phase) in filed.iter().enumerate() {
            let place = format!("games/{game}/results.jsonl");
            let again = match self.again(game, phase) {
                Ok(Some(again)) => again,
                // Told as a missing or damaged copy.
                Ok(None) => continue,
                Err(ClerkError::Site(why)) if is_from_elsewhere(&phase.record) => {
                    found
                        .note(place, format!("{} was played elsewhere and cannot be decided here: {why}", phase.phase));
                    continue;
                }
                Err(ClerkError::Site(why)) => {
                    found.damage(place, format!("{} cannot be decided again: {why}", phase.phase));
                    continue;
                }
                Err(error) => return Err(error),
            };
            if is_from_elsewhere(&phase.record) {
                // By whatever rules it was played; what was filed stays.
                let now: Value = serde_json::from_str(&again.record).unwrap_or_default();
                let (filed, here) = (board(&phase.record["after"]), board(&now["after"]));
                if filed != here {
                    let text = format!("{} was played elsewhere and is decided otherwise here", phase.phase);
                    found.note(place, format!("{text}: {}", differing(&filed, &here)));
                }
                continue;
            }
            if again.record != phase.line {
                let now: Value = serde_json::from_str(&again.record).unwrap_or_default();
                let difference =
                    first_difference("", &phase.record, &now).unwrap_or_else(|| "order of its keys".into());
                found.damage(place, format!("{} is decided otherwise now: {difference}", phase.phase));
            }
            // The line in front names the judge's address.
            let entry = again.entry.split_once('\n').map_or("", |(_, rest)| rest);
            if !undated(&results).contains(&undated(entry))
                && results.lines().any(|line| reported_phase(line) == Some(&phase.phase))
            {
                found.damage(
                    format!("games/{game}/results"),
                    format!("the report of {} is not the one that is decided now", phase.phase),
                );
            }
            let leads_to = again.phase;
            let follows = filed.get(at + 1).map_or_else(|| current.short_phase(), |next| next.phase.clone());
            // A game that was ended by agreement is completed in the phase it was in.
            let ended = at + 1 == filed.len() && follows == "COMPLETED";
            if leads_to != follows && !ended {
                let text = format!("{} leads to {leads_to}, but {follows} follows", phase.phase);
                found.damage(format!("games/{game}/status.{}", phase.phase), text);
            }
        }
        Ok(())
    }

    /// One phase, decided again; `None`: its copy is missing or cannot be read.
    pub(super) fn again(&self, game: &GameName, phase: &Filed) -> Result<Option<Again>, ClerkError> {
        let Some(content) = self.archive.read(game, &format!("status.{}", phase.phase))? else { return Ok(None) };
        let Some(loaded) = self.read_as(game, content)? else { return Ok(None) };
        let house = house_of(self.house(), phase.record["report"].as_str().unwrap_or_default());
        let seed = phase.record["seed"].as_str().and_then(|seed| u64::from_str_radix(seed, 16).ok()).unwrap_or(0);
        let mut table = loaded.table(&house, 0, phase.processed);
        process::again(&mut table, seed).map(Some).map_err(ClerkError::Site)
    }

    /// The position and phase that the last filed phase left, as a status file with the players of then.
    pub(super) fn successor(&self, game: &GameName, phase: &Filed) -> Result<Option<Vec<u8>>, ClerkError> {
        let Some(content) = self.archive.read(game, &format!("status.{}", phase.phase))? else { return Ok(None) };
        let Some(loaded) = self.read_as(game, content)? else { return Ok(None) };
        let Some(again) = self.again(game, phase)? else { return Ok(None) };
        let after: Value = serde_json::from_str(&again.record).unwrap_or_default();
        // What is decided otherwise than it was reported is nothing to go on with.
        if board(&after["after"]) != board(&phase.record["after"]) {
            return Ok(None);
        }
        loaded.rewritten(&again.game).map(Some)
    }
}

/// Whether the phase was played elsewhere: its record was told from a saved game, or recalled from an old judge's report.
fn is_from_elsewhere(record: &Value) -> bool {
    ["imported", "recalled"].iter().any(|mark| record[mark] == true)
}

/// Reports without their deadline, which is corrected when it is moved (notices.md 4.6).
fn undated(reports: &str) -> String {
    reports.lines().filter(|line| !line.starts_with(process::DEADLINE_LINE)).map(|line| format!("{line}\n")).collect()
}

/// The house as a filed report names it.
fn house_of(house: &House, report: &str) -> House {
    let mut house = house.clone();
    for line in report.lines().take(6) {
        if let Some((id, _)) = line.strip_prefix(":: Judge: ").and_then(|rest| rest.split_once("  Game: ")) {
            house.id = id.to_owned();
        }
        if let Some((url, _)) = line.strip_prefix(":: URL: ").and_then(|rest| rest.rsplit_once("/game/")) {
            house.url = url.to_owned();
        }
    }
    house
}

/// Where two records differ first, in words.
fn first_difference(path: &str, filed: &Value, now: &Value) -> Option<String> {
    match (filed, now) {
        (a, b) if a == b => None,
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            let null = Value::Null;
            keys.into_iter().find_map(|key| {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                first_difference(&path, a.get(key).unwrap_or(&null), b.get(key).unwrap_or(&null))
            })
        }
        (Value::String(a), Value::String(b)) if a.contains('\n') => {
            let (mut a, mut b) = (a.lines(), b.lines());
            for line in 1.. {
                match (a.next(), b.next()) {
                    (None, None) => return Some(format!("{path}: line ends")),
                    (a, b) if a != b => {
                        let words = |line: Option<&str>| line.map_or_else(|| "nothing".into(), |l| format!("'{l}'"));
                        return Some(format!("{path}:{line}: filed {}, now {}", words(a), words(b)));
                    }
                    _ => {}
                }
            }
            None
        }
        (a, b) => Some(format!("{path}: filed {a}, now {b}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_difference_is_named_where_it_is() {
        let filed = json!({"name": "S1901M", "after": {"units": {"FRANCE": ["A PAR"]}}, "report": "one\ntwo\n"});
        assert_eq!(first_difference("", &filed, &filed), None);
        let mut now = filed.clone();
        now["after"]["units"]["FRANCE"] = json!(["A BUR"]);
        let told = first_difference("", &filed, &now).unwrap_or_default();
        assert_eq!(told, "after.units.FRANCE: filed [\"A PAR\"], now [\"A BUR\"]");
        let mut now = filed.clone();
        now["report"] = json!("one\nthree\n");
        assert_eq!(first_difference("", &filed, &now).as_deref(), Some("report:2: filed 'two', now 'three'"));
    }
}
