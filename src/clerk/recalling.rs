//! Phases that an old judge played, as records (`results.jsonl`): the positions and orders of the kept copies, with what
//! its reports say became of them. Nothing is decided anew.

use super::games::Loaded;
use super::{Clerk, ClerkError};
use crate::archive::{Content, GameName};
use crate::status::lexis::is_short_phase;
use crate::status::line;
use chrono::{DateTime, NaiveDateTime, SecondsFormat, Utc};
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What could be made of the phases of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Recalled {
    /// Lines of `results.jsonl`, in the order of play.
    pub records: String,
    /// Phases of which there is a kept copy, but no record can be made.
    pub without: Vec<String>,
}

/// An entry of a `results` file.
pub(super) type Entry = (Option<NaiveDateTime>, String);

/// The phase whose kept copy a file is.
pub(super) fn played_phase(file: &str) -> Option<&str> {
    file.strip_prefix("status.").filter(|phase| is_short_phase(phase))
}

impl Clerk {
    /// The played phases of a game with these files. `now` stands for times that were not filed.
    pub(super) fn recalled(
        &self,
        game: &GameName,
        files: &[(String, Vec<u8>)],
        now: DateTime<Utc>,
    ) -> Result<Recalled, ClerkError> {
        let mut recalled = Recalled::default();
        let mut stages: Vec<(String, Loaded)> = Vec::new();
        for (file, bytes) in files {
            let Some(phase) = played_phase(file) else { continue };
            match self.read_as(game, Content::new(bytes.clone()))? {
                Some(loaded) if loaded.errors().is_empty() && loaded.short_phase() == phase => {
                    stages.push((phase.to_owned(), loaded));
                }
                _ => recalled.without.push(phase.to_owned()),
            }
        }
        stages.sort_by(|(a, loaded), (b, _)| {
            let flow = &loaded.referee().compiled().map.flow;
            match (flow.parse_short(a), flow.parse_short(b)) {
                (Some(a), Some(b)) => flow.compare(&a, &b),
                _ => Ordering::Equal,
            }
        });
        let file = |name: &str| files.iter().find(|(file, _)| file == name).map(|(_, bytes)| bytes.clone());
        let entries = entries(&line::text(file("results").unwrap_or_default()));
        let current = self.read_as(game, Content::new(file("status").unwrap_or_default()))?;
        for (at, (phase, before)) in stages.iter().enumerate() {
            let after = stages.get(at + 1).map(|(_, next)| next).or(current.as_ref());
            let (Some(entry), Some(after)) = (entries.get(phase), after) else {
                recalled.without.push(phase.clone());
                continue;
            };
            let mut record = recall(before, entry, Some(now));
            before.referee().add_outcome(&mut record, after.game());
            recalled.records += &format!("{record}\n");
        }
        recalled.without.sort();
        Ok(recalled)
    }
}

/// A phase as a record. Without a time in its entry it is of the time `or`, and called undated.
pub(super) fn recall(before: &Loaded, (time, report): &Entry, or: Option<DateTime<Utc>>) -> Value {
    let mut record = before.referee().recall(before.game(), report);
    if let Some(object) = record.as_object_mut() {
        if let Some(time) = time.map(|time| time.and_utc()).or(or) {
            object.insert("processed".into(), time.to_rfc3339_opts(SecondsFormat::AutoSi, true).into());
        }
        if time.is_none() {
            object.insert("undated".into(), true.into());
        }
        object.insert("recalled".into(), true.into());
        object.insert("report".into(), report.trim_start_matches('\n').into());
    }
    record
}

/// When each phase was processed, and its report, by the entries of a `results` file (status-file.md 10.2).
pub(super) fn entries(results: &str) -> BTreeMap<String, Entry> {
    let mut all = BTreeMap::new();
    let mut time = None;
    let mut open: Option<(String, Entry)> = None;
    let mut close = |entry: Option<(String, Entry)>| {
        if let Some((phase, entry)) = entry {
            all.insert(phase, entry);
        }
    };
    for line in results.lines() {
        if let Some(head) = line.strip_prefix("From ") {
            close(open.take());
            let stamp = head.split_once(' ').map_or("", |(_, stamp)| stamp.trim());
            time = NaiveDateTime::parse_from_str(stamp, "%a %b %e %H:%M:%S %Y").ok();
        } else if let (None, Some(subject)) = (&open, line.strip_prefix("Subject: Diplomacy results ")) {
            let phase = subject.split_whitespace().last().unwrap_or_default().to_owned();
            open = Some((phase, (time, String::new())));
        } else if let Some((_, (_, text))) = &mut open {
            text.push_str(line);
            text.push('\n');
        }
    }
    close(open);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_results_are_told_apart() {
        let text = "From judge@x Thu Jul 11 20:00:00 2024\nSubject: Diplomacy game x starting\n\nHello.\n\n\
                    From judge@x Fri Jul 12 20:00:05 2024\nSubject: Diplomacy results x S1901M\n\nFrance: Army Paris HOLD.\n";
        let found = entries(text);
        let (time, report) = &found["S1901M"];
        assert_eq!(time.map(|t| t.to_string()).as_deref(), Some("2024-07-12 20:00:05"));
        assert_eq!(report, "\nFrance: Army Paris HOLD.\n");
        assert_eq!(found.len(), 1);
    }
}
