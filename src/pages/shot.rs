//! One picture of one game for one viewer (operations.md OPS-014, `map draw GAME`). What the viewer may not know is taken
//! out of the record before it is drawn, by the same rules as on the pages ([`super::redact`]).

use crate::judge::sight::{conceal_builds, hidden_builds, is_blind, position};
use crate::judge::table::{Table, Who};
use serde_json::{Map, Value, json};

/// What is to be shown, and to whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Short name of the phase; `None`: the current one.
    pub phase: Option<String>,
    /// With the orders: of a finished phase all, of the current one those the viewer may see.
    pub orders: bool,
    /// A power (name or letter) or MASTER; `None`: everybody.
    pub viewer: Option<String>,
    /// `light`, `dark` or `print`.
    pub theme: String,
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoShot {
    /// Nothing is on the board.
    #[error("{0} is still forming: nothing stands on the board yet (chancery map draw {1} shows how it begins)")]
    Forming(String, String),
    /// No such phase.
    #[error("{game} has no phase {phase} (it has {known})")]
    Phase {
        /// The game.
        game: String,
        /// What was asked for.
        phase: String,
        /// What there is.
        known: String,
    },
    /// No such power.
    #[error("{0} is nobody in this game (want MASTER or one of {1})")]
    Viewer(String, String),
    /// A blind game has no view for everybody, and of its finished phases none for one power.
    #[error("{0} is blind: until it is over a power sees the board as it is now, and only --viewer MASTER all of it")]
    Blind(String),
    /// The map has no pictures.
    #[error("the map of {0} has no pictures (TEXTONLY)")]
    TextOnly(String),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Eye<'a> {
    Everybody,
    Seat(&'a str),
    Master,
}

/// Draws it.
pub fn shot(table: &Table, wanted: &Wanted) -> Result<String, NoShot> {
    let name = &table.game.name;
    let eye = eye(table, wanted.viewer.as_deref())?;
    let current = table.phase();
    let phase = wanted.phase.as_deref().map_or(current.clone(), str::to_uppercase);
    if is_blind(table) && eye != Eye::Master && phase != current {
        return Err(NoShot::Blind(name.clone()));
    }
    let record = if phase == current { now(table, eye)? } else { past(table, &phase, eye)? };
    let mut look = table.look(wanted.orders);
    look.theme = wanted.theme.clone();
    look.viewer = match eye {
        Eye::Everybody => String::new(),
        Eye::Seat(key) => format!("as {} sees it", table.title_of_key(key)),
        Eye::Master => "as the Master sees it".into(),
    };
    table.referee.picture(&record, &look).ok_or_else(|| NoShot::TextOnly(name.clone()))
}

fn eye<'t>(table: &'t Table, viewer: Option<&str>) -> Result<Eye<'t>, NoShot> {
    let Some(word) = viewer else { return Ok(Eye::Everybody) };
    let upper = word.trim().to_uppercase();
    if upper == "MASTER" {
        return Ok(Eye::Master);
    }
    let seats = table.referee.seats();
    let letter = |c: Option<char>| c.is_some_and(|c| upper == c.to_uppercase().to_string());
    let named = seats.iter().find(|s| s.key == upper || s.title.to_uppercase() == upper);
    match named.or_else(|| seats.iter().find(|s| letter(s.letter))) {
        Some(seat) => Ok(Eye::Seat(&seat.key)),
        None => {
            let all: Vec<&str> = seats.iter().map(|s| s.key.as_str()).collect();
            Err(NoShot::Viewer(word.to_string(), all.join(", ")))
        }
    }
}

/// Whether the secrets of a seat are the viewer's own.
fn own(table: &Table, eye: Eye, seat: &str) -> bool {
    match eye {
        Eye::Everybody => false,
        Eye::Master => true,
        Eye::Seat(key) => {
            let rules = |(_, p): (usize, &crate::status::Participant)| p.control.first().is_some_and(|by| by == key);
            key == seat || table.participant(seat).is_some_and(rules)
        }
    }
}

/// The position now, with the orders on file that the viewer may see.
fn now(table: &Table, eye: Eye) -> Result<Value, NoShot> {
    if table.forming() {
        let map = table.referee.board().to_string();
        return Err(NoShot::Forming(table.game.name.clone(), map));
    }
    let who = match eye {
        Eye::Everybody => None,
        Eye::Master => Some(Who::Master),
        Eye::Seat(key) => table.participant(key).map(|(n, _)| Who::Seat(n)),
    };
    let mut record = position(table, who.as_ref()).ok_or_else(|| NoShot::Blind(table.game.name.clone()))?;
    let mut given = Map::new();
    for seat in table.referee.seats() {
        if own(table, eye, &seat.key) {
            given.insert(seat.key.clone(), json!(table.referee.on_file(&table.game, &seat.key)));
        }
    }
    if let Some(object) = record.as_object_mut() {
        object.insert("given".into(), Value::Object(given));
    }
    Ok(record)
}

/// A finished phase; what was built hidden stays so for others while the game goes on.
fn past(table: &Table, phase: &str, eye: Eye) -> Result<Value, NoShot> {
    let records = table.records.phases();
    let name = |record: &Value| record.get("name").and_then(Value::as_str).unwrap_or("").to_string();
    let Some(mut record) = records.iter().find(|r| name(r) == phase).cloned() else {
        let mut known: Vec<String> = records.iter().map(name).collect();
        known.push(table.phase());
        let known = match known.as_slice() {
            [first, .., last] if known.len() > 6 => format!("{first} to {last}"),
            _ => known.join(", "),
        };
        return Err(NoShot::Phase { game: table.game.name.clone(), phase: phase.to_string(), known });
    };
    for seat in table.referee.seats().iter().filter(|s| !table.completed() && !own(table, eye, &s.key)) {
        let hidden = hidden_builds(&record, &seat.key);
        conceal_builds(&mut record, &seat.key, &hidden);
    }
    Ok(record)
}
