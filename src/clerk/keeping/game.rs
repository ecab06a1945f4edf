//! One game: its status file, its kept copies, its history, and whether they make one chain.

use super::{Clerk, ClerkError, Findings, Remedy};
use crate::archive::{ArchiveError, AuditLine, GameName, MAIL_WAIT, Owner};
use crate::clerk::Loaded;
use crate::status::Document;
use crate::status::line;
use chrono::{DateTime, Utc};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A processed phase as `results.jsonl` has it.
pub(super) struct Filed {
    /// The line.
    pub line: String,
    /// The same, read.
    pub record: Value,
    /// `S1901M`
    pub phase: String,
    /// When it was processed.
    pub processed: DateTime<Utc>,
}

impl Clerk {
    pub(super) fn verify_game(&self, game: &GameName, replay: bool, found: &mut Findings) -> Result<(), ClerkError> {
        // Several files that belong together are read under one lock.
        let _lock = match self.archive.lock_shared(game, MAIL_WAIT) {
            Ok(lock) => Some(lock),
            Err(ArchiveError::Busy(_)) => {
                found.note(format!("games/{game}"), "somebody is at work on it; look again");
                return Ok(());
            }
            // Told with the journal; the files can be looked at all the same.
            Err(_) => None,
        };
        let audit = self.archive.audit(&Owner::Game(game.clone()))?;
        let current = self.verify_status(game, &audit, found)?;
        verify_audit(game, &audit, found);
        let filed = self.filed(game, found)?;
        self.verify_copies(game, &filed, found)?;
        let Some(current) = current else { return Ok(()) };
        self.verify_chain(game, &current, &filed, &audit, found)?;
        if replay {
            self.replay(game, &current, &filed, found)?;
        }
        Ok(())
    }

    /// The status file; `None`: nothing can be told of the game.
    fn verify_status(
        &self,
        game: &GameName,
        audit: &[AuditLine],
        found: &mut Findings,
    ) -> Result<Option<Loaded>, ClerkError> {
        let place = format!("games/{game}/status");
        let lost = Remedy::Status { game: game.clone(), faulty: false };
        let Some(content) = self.archive.read(game, "status")? else {
            found.mendable(place, "missing, but there are other files of the game", lost);
            return Ok(None);
        };
        match Document::parse(&content.bytes) {
            Err(refused) => {
                found.mendable(place, format!("cannot be read: {refused}"), lost);
                return Ok(None);
            }
            Ok(document) if is_torn(&document) => {
                found.mendable(place, "no status file (want GAME in its first line)", lost);
                return Ok(None);
            }
            Ok(document) if document.bytes() != content.bytes => {
                found.damage(place.clone(), "does not write back to the same bytes");
            }
            Ok(_) => {}
        }
        let stamp = content.stamp.to_string();
        let Some(loaded) = self.read_as(game, content)? else { return Ok(None) };
        if audit.last().and_then(|line| line.after.as_deref()) != Some(stamp.as_str()) {
            found.note(place.clone(), "changed by another hand since the last commit, and not taken over yet");
        }
        let board = loaded.position_fault();
        for fault in loaded.faults() {
            let remedy = Remedy::Status { game: game.clone(), faulty: true };
            found.mendable(format!("{place}:{}", fault.line), fault.text.clone(), remedy);
        }
        if let Some(fault) = board.filter(|_| loaded.faults().is_empty()) {
            found.damage(place, format!("the position cannot be: {fault}"));
        }
        Ok(Some(loaded))
    }

    /// The processed phases in order.
    pub(super) fn filed(&self, game: &GameName, found: &mut Findings) -> Result<Vec<Filed>, ClerkError> {
        let bytes = self.archive.read(game, "results.jsonl")?.map(|content| content.bytes).unwrap_or_default();
        let mut filed: Vec<Filed> = Vec::new();
        for (number, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            let place = format!("games/{game}/results.jsonl:{}", number + 1);
            let record: Value = match serde_json::from_str(line) {
                Ok(record) => record,
                Err(error) => {
                    found.damage(place, format!("no record of a phase: {error}"));
                    continue;
                }
            };
            let processed = record["processed"].as_str().and_then(|t| DateTime::parse_from_rfc3339(t).ok());
            let (Some(phase), Some(processed)) = (record["name"].as_str().map(str::to_owned), processed) else {
                found.damage(place, "no record of a phase: name or processed is missing");
                continue;
            };
            if filed.iter().any(|f| f.phase == phase) {
                found.damage(place, format!("{phase} was processed twice"));
                continue;
            }
            filed.push(Filed { line: line.to_owned(), record, phase, processed: processed.to_utc() });
        }
        Ok(filed)
    }

    /// Every kept copy can be read, and is of the phase that its name says.
    fn verify_copies(&self, game: &GameName, filed: &[Filed], found: &mut Findings) -> Result<(), ClerkError> {
        let results = self.archive.read(game, "results")?.map(|content| content.bytes).unwrap_or_default();
        let results = line::text(results);
        let reported: BTreeSet<&str> = results.lines().filter_map(reported_phase).collect();
        let mut kept = BTreeSet::new();
        for copy in self.archive.snapshots(game)? {
            let place = format!("games/{game}/{}", copy.file_name());
            let Some(content) = self.archive.read(game, &copy.file_name())? else { continue };
            if copy.branch.is_none() {
                kept.insert(copy.phase.clone());
            }
            match Document::parse(&content.bytes) {
                Err(refused) => found.damage(place, format!("cannot be read: {refused}")),
                Ok(document) if is_torn(&document) => {
                    found.damage(place, "no status file (want GAME in its first line)");
                }
                Ok(document) if document.has_errors() => {
                    let first = document.diagnostics().iter().find(|d| d.is_error());
                    found.damage(place, format!("has errors: {}", first.map(ToString::to_string).unwrap_or_default()));
                }
                Ok(_) => match self.read_as(game, content)? {
                    Some(loaded) if loaded.short_phase() != copy.phase => {
                        found.damage(place, format!("is of {}", loaded.short_phase()));
                    }
                    _ => {}
                },
            }
            let known = filed.iter().any(|f| f.phase == copy.phase) || reported.contains(copy.phase.as_str());
            if copy.branch.is_none() && !known {
                let text = format!("kept before {} was processed, but there are no results of it", copy.phase);
                found.damage(format!("games/{game}/{}", copy.file_name()), text);
            }
        }
        for phase in filed.iter().map(|f| &f.phase) {
            if !kept.contains(phase) {
                found.damage(format!("games/{game}/status.{phase}"), "missing, though the phase was processed");
            }
            if !reported.contains(phase.as_str()) {
                found.damage(format!("games/{game}/results"), format!("{phase} is missing, though it was processed"));
            }
        }
        Ok(())
    }

    /// What one phase left is what the next one, or the status file, begins with – unless somebody edited it.
    fn verify_chain(
        &self,
        game: &GameName,
        current: &Loaded,
        filed: &[Filed],
        audit: &[AuditLine],
        found: &mut Findings,
    ) -> Result<(), ClerkError> {
        let now = current.short_phase();
        if let Some(again) = filed.iter().find(|f| f.phase == now) {
            let text = format!("stands in {now}, which was processed already, {}", again.processed);
            found.mendable(format!("games/{game}/status"), text, Remedy::Status { game: game.clone(), faulty: false });
            return Ok(());
        }
        for (at, phase) in filed.iter().enumerate() {
            let left = board(&phase.record["after"]);
            let (place, begins, until) = match filed.get(at + 1) {
                Some(next) => (format!("status.{}", next.phase), board(&next.record["state"]), Some(next.processed)),
                None => ("status".into(), board(&current.record_now()["state"]), None),
            };
            if left == begins {
                continue;
            }
            let text = format!("is not the position that {} left: {}", phase.phase, differing(&left, &begins));
            let edited = audit.iter().any(|line| {
                let time = line.text.split(' ').next().and_then(|t| DateTime::parse_from_rfc3339(t).ok());
                let within = time.is_some_and(|t| t >= phase.processed && until.is_none_or(|until| t <= until));
                within && ["edited by hand", "taken over", "repair"].iter().any(|deed| line.deed().starts_with(deed))
            });
            let pending = until.is_none() && self.archive.is_hand_edited(game)?;
            let place = format!("games/{game}/{place}");
            if edited || pending {
                found.note(place, format!("{text}; it was edited by hand"));
            } else {
                found.damage(place, text);
            }
        }
        Ok(())
    }
}

/// Commits are numbered without a gap.
fn verify_audit(game: &GameName, audit: &[AuditLine], found: &mut Findings) {
    for pair in audit.windows(2) {
        if let [before, after] = pair
            && after.seq != before.seq + 1
        {
            let text = format!("commit {} follows commit {}", after.seq, before.seq);
            found.damage(format!("games/{game}/audit.log"), text);
        }
    }
}

/// Whether that is no status file at all: an empty one, zeros after a power cut, something else's text.
pub(super) fn is_torn(document: &Document) -> bool {
    document.game().name.is_empty() && document.game().participants.is_empty()
}

/// The phase of an entry in `results`: the last word of its subject (status-file.md 10.2).
pub(super) fn reported_phase(line: &str) -> Option<&str> {
    line.strip_prefix("Subject: Diplomacy results ")?.split_whitespace().last()
}

/// Units, retreats and centres, in no order.
pub(super) fn board(state: &Value) -> BTreeMap<String, Vec<String>> {
    let mut board = BTreeMap::new();
    for part in ["units", "retreats", "centers"] {
        for (power, list) in state[part].as_object().into_iter().flatten() {
            let mut words: Vec<String> = match list {
                Value::Array(list) => list.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect(),
                Value::Object(map) => map.iter().map(|(unit, to)| format!("{unit} --> {to}")).collect(),
                _ => Vec::new(),
            };
            words.sort();
            if !words.is_empty() {
                board.insert(format!("{power} {part}"), words);
            }
        }
    }
    board
}

pub(super) fn differing(left: &BTreeMap<String, Vec<String>>, right: &BTreeMap<String, Vec<String>>) -> String {
    let none = Vec::new();
    let keys: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let differs = keys.into_iter().find_map(|key| {
        let (l, r) = (left.get(key).unwrap_or(&none), right.get(key).unwrap_or(&none));
        (l != r).then(|| format!("{key}: want {}, got {}", l.join(", "), r.join(", ")))
    });
    differs.unwrap_or_default()
}
