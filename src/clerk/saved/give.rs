//! `export`: phases come from the kept status files and `results.jsonl`; of a game of an old judge, from `results`.

use crate::archive::{GameName, MAIL_WAIT, Owner};
use crate::clerk::recalling::{entries, recall};
use crate::clerk::{Clerk, ClerkError, Loaded};
use crate::diplomacy::adjudicate::case::Table;
use crate::diplomacy::rules::Rule;
use crate::diplomacy::saved_game::{COMPLETED, SavedGame, SavedPhase};
use crate::import::saved::{Given, Notes, Past, Paths, TIMES, give, last_phase, messages, moment};
use crate::judge::GameState;
use crate::judge::sight;
use crate::judge::table::Table as Desk;
use crate::referee::diplomacy::Compiled;
use crate::status::PhaseState;
use crate::status::line;
use chrono::{DateTime, Utc};
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What of a game is wanted.
#[derive(Clone, Debug, Default)]
pub struct ExportOptions {
    /// As if it stood in this phase.
    pub until: Option<String>,
    /// Private press too.
    pub press: bool,
}

/// A phase with what it is told from.
struct Kept {
    name: String,
    record: Value,
    /// The status file of its start; `None`: lost.
    loaded: Option<Loaded>,
}

/// Boards, compiled once.
#[derive(Default)]
struct Tables(Vec<(Arc<Compiled>, Arc<Table>)>);

impl Tables {
    fn of(&mut self, loaded: &Loaded) -> Arc<Table> {
        let compiled = loaded.referee().compiled();
        if let Some((_, table)) = self.0.iter().find(|(known, _)| Arc::ptr_eq(known, compiled)) {
            return Arc::clone(table);
        }
        let table = Arc::new(Table::new(compiled.map.clone()));
        self.0.push((Arc::clone(compiled), Arc::clone(&table)));
        table
    }
}

fn site(text: impl Into<String>) -> ClerkError {
    ClerkError::Site(text.into())
}

impl Clerk {
    /// A game as a saved game. The same state gives the same bytes.
    pub fn export_saved(&self, name: &str, options: &ExportOptions) -> Result<(SavedGame, Notes), ClerkError> {
        let game = self.existing(name)?.ok_or_else(|| site(format!("there is no game {name}")))?;
        let _lock = self.archive.lock_shared(&game, MAIL_WAIT)?;
        let Some(content) = self.archive.read(&game, "status")? else {
            return Err(site(format!("there is no game {name}")));
        };
        let current = self.read_as(&game, content)?.filter(|current| current.errors().is_empty());
        let current =
            current.ok_or_else(|| site(format!("the status file of {name} has errors (see chancery verify)")))?;
        let desk = current.table(self.house(), 0, DateTime::<Utc>::MIN_UTC);
        may_be_given(&desk)?;
        let over = desk.completed();

        let mut tables = Tables::default();
        let now = tables.of(&current);
        let mut past = self.past(&game, &desk, &now)?;
        let mut end = current.record_now();
        if !over {
            past.iter_mut().for_each(|kept| conceal(&desk, &mut kept.record));
            sight::conceal_units(&desk, &mut end);
        }
        let mut whole = true;
        if let Some(until) = &options.until {
            let until = until.to_uppercase();
            if let Some(at) = past.iter().position(|kept| kept.name == until) {
                past.truncate(at + 1);
                whole = false;
            } else if desk.phase() != until {
                let first = past.first().map_or_else(|| desk.phase(), |kept| kept.name.clone());
                return Err(site(format!("{name} has no phase {until} (want {first} to {})", desk.phase())));
            }
        }

        let mut paths = Paths::new();
        let mut phases: Vec<SavedPhase> = Vec::new();
        let mut moments = Vec::new();
        let count = past.len();
        for (at, kept) in past.iter().enumerate() {
            let table = kept.loaded.as_ref().map_or_else(|| Arc::clone(&now), |loaded| tables.of(loaded));
            let dues = kept.loaded.as_ref().map(|loaded| loaded.referee().dues(loaded.game())).unwrap_or_default();
            let told = Past { table: &table, record: &kept.record, dues };
            let played = whole || at + 1 < count;
            phases.push(if played { told.played(&mut paths) } else { last_phase(&told, &desk.game) });
            moments.push((kept.name.clone(), moment(&kept.record).filter(|_| played)));
        }
        if whole {
            let dues = if over { Vec::new() } else { current.referee().dues(&desk.game) };
            let mut last = last_phase(&Past { table: &now, record: &end, dues }, &desk.game);
            if last.name == COMPLETED {
                last.state.timestamp = phases.last().and_then(|phase| phase.state.timestamp);
            }
            phases.push(last);
            moments.push((desk.phase(), None));
        }
        let clock = (whole && desk.index.state == GameState::Active).then(|| clock(&desk));
        let given = Given {
            messages: self.messages(&game, &now, options.press, &moments)?,
            game: desk.game.clone(),
            judge: self.house().id.clone(),
            clock,
            phases,
            paths,
            private: options.press && !over,
        };
        Ok(give(given, &now))
    }

    /// The phases that were played, in order.
    fn past(&self, game: &GameName, desk: &Desk, now: &Table) -> Result<Vec<Kept>, ClerkError> {
        let mut records: BTreeMap<String, Value> = BTreeMap::new();
        for record in desk.records.phases() {
            if let Some(name) = record["name"].as_str() {
                records.insert(name.to_owned(), record.clone());
            }
        }
        let mut names: Vec<String> = records.keys().cloned().collect();
        let kept = self.archive.snapshots(game)?.into_iter().filter(|copy| copy.branch.is_none());
        names.extend(kept.map(|copy| copy.phase).filter(|name| !records.contains_key(name)));
        let flow = &now.map.flow;
        names.retain(|name| flow.parse_short(name).is_some());
        names.sort_by(|a, b| match (flow.parse_short(a), flow.parse_short(b)) {
            (Some(a), Some(b)) => flow.compare(&a, &b),
            _ => Ordering::Equal,
        });
        let entries = entries(&desk.records.results());
        let mut past = Vec::new();
        for name in names {
            let content = self.archive.read(game, &format!("status.{name}"))?;
            let loaded = content.map(|content| self.read_as(game, content)).transpose()?.flatten();
            let record = match (records.remove(&name), &loaded) {
                (Some(record), _) => record,
                (None, Some(loaded)) => recall(loaded, &entries.get(&name).cloned().unwrap_or_default(), None),
                (None, None) => return Err(site(format!("games/{game}/status.{name} cannot be read"))),
            };
            past.push(Kept { name, record, loaded });
        }
        Ok(past)
    }

    fn messages(
        &self,
        game: &GameName,
        table: &Table,
        private: bool,
        moments: &[(String, Option<i64>)],
    ) -> Result<Vec<(String, crate::diplomacy::saved_game::Message)>, ClerkError> {
        let read = |file| -> Result<String, ClerkError> {
            let bytes = self.archive.read(game, file)?.map(|content| content.bytes).unwrap_or_default();
            Ok(line::text(bytes))
        };
        let (press, times) = (read("press")?, read(TIMES)?);
        let created = || -> Result<Option<i64>, ClerkError> {
            let audit = self.archive.audit(&Owner::Game(game.clone()))?;
            let time = audit.first().and_then(|line| line.text.split(' ').next().map(DateTime::parse_from_rfc3339));
            Ok(time.and_then(Result::ok).map(|time| time.timestamp_micros()))
        };
        // Where times were filed, the game is older than its directory.
        let begun = if times.is_empty() { created()?.unwrap_or(0) } else { 0 };
        Ok(messages(&table.map, &press, &times, private, begun, moments))
    }
}

/// What must not be given away (saved-game-json.md 3).
fn may_be_given(desk: &Desk) -> Result<(), ClerkError> {
    if desk.forming() {
        return Err(site("game has not begun"));
    }
    if desk.completed() {
        return Ok(());
    }
    let hidden = match desk.referee.variant() {
        _ if desk.rule(Rule::Blind) => "BLIND",
        "payola" => "Payola",
        "xtalball" => "Crystal Ball",
        _ => return Ok(()),
    };
    Err(site(format!("game is running and {hidden}")))
}

/// What was built hidden stays so while the game goes on.
fn conceal(desk: &Desk, record: &mut Value) {
    for seat in desk.referee.seats() {
        let hidden = sight::hidden_builds(record, &seat.key);
        sight::conceal_builds(record, &seat.key, &hidden);
    }
}

/// Deadline, zone and TIMING; absences are the players' affair.
fn clock(desk: &Desk) -> (Option<String>, String, String) {
    let running = matches!(desk.game.phase, PhaseState::Running(_));
    let deadline = desk.deadline().filter(|_| running).map(|local| desk.deadline_utc(local).to_rfc3339());
    let timing = desk.game.timing.iter().filter(|(key, _)| key != "NOT").map(|(key, value)| format!("{key} {value}"));
    (deadline, desk.zone().name().to_owned(), timing.collect::<Vec<_>>().join(" "))
}
