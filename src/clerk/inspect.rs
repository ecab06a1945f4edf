//! What the judge makes of a game, for a person at the shell (`chancery inspect`): the status file as it was read, who
//! owes orders, who is late, whether it is ready and why not. It reads, and decides nothing.

use super::{Clerk, ClerkError};
use crate::archive::Owner;
use crate::clock::round::CheckTim;
use crate::judge::table::Table;
use crate::judge::time;
use crate::status::{self, Document, json};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};

impl Clerk {
    /// Everything about a game as one object. Passwords are masked.
    pub fn inspect(&self, name: &str, now: DateTime<Utc>) -> Result<Value, ClerkError> {
        let missing = || ClerkError::Site(format!("there is no game {name}"));
        let game = self.existing(name)?.ok_or_else(missing)?;
        let unread = || ClerkError::Site(format!("games/{name}/status: cannot be read"));
        let loaded = self.load(&game, now)?.ok_or_else(unread)?;
        let table = loaded.table(&self.house, 0, now);
        let document = Document::parse(&loaded.bytes()).map_err(|refused| ClerkError::Site(refused.to_string()))?;
        let rules = table.rules.iter().map(|rule| rule.name());
        let shown = json::json(&document, loaded.game(), rules, loaded.faults(), false);
        let last: Option<CheckTim> = self.note("check.tim")?;
        let reasons = time::unready(&table);
        let index = loaded.index();
        let flags: Vec<&str> = status::index::flags(index).collect();
        let audit = self.archive.recent_audit(&Owner::Game(game.clone()))?;
        let mut out = Map::new();
        out.insert("name".into(), json!(name));
        out.insert("variant".into(), json!(index.variant));
        out.insert("state".into(), json!(index.state.word()));
        out.insert("flags".into(), json!(flags));
        out.insert("phase".into(), json!(table.phase()));
        out.insert("deadline".into(), json!(table.deadline().map(|_| table.deadline_long())));
        out.insert("ready".into(), json!(reasons.is_empty()));
        out.insert("why_not".into(), json!(reasons));
        out.insert("owing".into(), json!(table.referee.owing(&table.game)));
        out.insert("late".into(), json!(late(&table)));
        out.insert("a_round_now".into(), json!(time::verdict_word(&table, last.map(|last| last.time))));
        out.insert("powers".into(), powers(&table));
        out.insert(
            "history".into(),
            json!(self.archive.snapshots(&game)?.iter().map(|s| s.file_name()).collect::<Vec<_>>()),
        );
        out.insert("last_commit".into(), json!(audit.last().map(|line| format!("{} {}", line.seq, line.text))));
        out.insert("edited_by_hand".into(), json!(self.archive.is_hand_edited(&game)?));
        for (key, value) in shown.as_object().into_iter().flatten() {
            out.insert(key.clone(), value.clone());
        }
        Ok(Value::Object(out))
    }
}

/// Late are those who owe orders when the deadline is over.
fn late(table: &Table) -> Vec<String> {
    if table.past_deadline() { time::late(table) } else { Vec::new() }
}

/// The seats with what they have and what is on file.
fn powers(table: &Table) -> Value {
    let owing = table.referee.owing(&table.game);
    let seat = |key: &str| {
        let on_file = table.referee.on_file(&table.game, key);
        let (units, centers) = table.referee.strength(&table.game, key);
        let orders = match (on_file.is_empty(), owing.iter().any(|o| o == key)) {
            (_, true) => "owed",
            (true, false) => "none wanted",
            (false, false) => "on file",
        };
        json!({
            "units": units,
            "centers": centers,
            "orders": orders,
            "on_file": on_file,
            "choices": table.referee.choices(&table.game, key),
        })
    };
    table.referee.seats().iter().map(|s| (s.key.clone(), seat(&s.key))).collect::<Map<String, Value>>().into()
}
