//! What follows for a game's clock from a status file that its Master has edited (clock.md 4.1, 10; notices.md N32):
//! where NO_DEADLINE has gone a deadline is computed, where it has come the old one goes, and a deadline that has come
//! to lie elsewhere is announced, like every other. What the edit itself says stays as it is written.

use super::account;
use super::decision::{Decision, GameState};
use super::post::{Circle, wrap};
use super::process;
use super::session::Desk;
use super::table::Table;
use crate::clock::format;
use crate::diplomacy::rules::Rule;
use crate::status::PhaseState;
use chrono::NaiveDateTime;
use chrono_tz::Tz;

/// The clock of a game as its players were last told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Former {
    /// Nothing is known.
    Unknown,
    /// It was played without deadlines.
    Without,
    /// That was its deadline.
    At(NaiveDateTime, Tz),
}

impl Former {
    /// As the game stands now.
    pub fn of(table: &Table) -> Former {
        match table.game.deadline {
            _ if !is_running(table) => Former::Unknown,
            _ if table.rule(Rule::NoDeadline) => Former::Without,
            Some(deadline) => Former::At(deadline, table.zone()),
            None => Former::Unknown,
        }
    }
}

/// Whether the file says another clock than its players were told of: an edit that nobody has looked at.
pub fn is_news(table: &Table) -> bool {
    let filed = account::filed(table);
    is_running(table) && filed != Former::Unknown && filed != Former::of(table)
}

/// Draws the consequences, and tells everybody; the audit line says what they were. An error: no deadline is possible.
pub fn follow(table: &mut Table, former: Former) -> Result<Decision, String> {
    if !is_running(table) {
        return Ok(Decision::default());
    }
    let without = table.rule(Rule::NoDeadline);
    let ahead = table.game.deadline.is_some() && !table.past_deadline();
    let mut desk = Desk::new(table);
    match former {
        _ if without => dropped(&mut desk, former),
        // A deadline that he wrote himself, as he took the rule back, is his word.
        Former::Without if ahead => {
            account::written(desk.table);
            again_with(&mut desk);
        }
        Former::Without => {
            process::next_deadline(desk.table, false)?;
            again_with(&mut desk);
        }
        Former::At(deadline, zone)
            if desk.table.game.deadline.is_some_and(|new| new != deadline || desk.table.zone() != zone) =>
        {
            account::written(desk.table);
            desk.decision.audit = format!("{}, another deadline", stands(desk.table));
            if is_played(desk.table) {
                super::master::announce_deadline(&mut desk, "The Master");
            }
        }
        // From now on it is known, whoever looks next.
        Former::Unknown => account::unexplained(desk.table),
        Former::At(..) => {}
    }
    desk.decision.files.extend(account::edit(desk.table));
    super::wants::put_together(&mut desk);
    Ok(desk.decision)
}

/// NO_DEADLINE (clock.md 4.2 step 1).
fn dropped(desk: &mut Desk, former: Former) {
    account::computed_none(desk.table);
    if desk.table.game.deadline.take().is_some() {
        desk.decision.audit = "the deadline dropped (NO_DEADLINE)".into();
    }
    if matches!(former, Former::At(..)) {
        // A countdown to the old one means nothing any more.
        desk.table.game.delay = 0;
        let game = &desk.table.game.name;
        let text = format!("The Master has taken the deadlines out of game {game}, {}.", desk.table.phase());
        tell(desk, &text);
    }
}

/// NO_DEADLINE has gone.
fn again_with(desk: &mut Desk) {
    desk.decision.audit = format!("{}, NO_DEADLINE has gone", stands(desk.table));
    let text = format!(
        "Game {}, {}, is played with deadlines from now on.\n\nThe deadline is {}.",
        desk.table.game.name,
        desk.table.phase(),
        desk.table.deadline_long()
    );
    tell(desk, &text);
}

/// N32, with the account.
fn tell(desk: &mut Desk, text: &str) {
    if !is_played(desk.table) {
        return;
    }
    let text = format!("{text}\n\n{}\n", wrap(&account::paragraph(desk.table), 70, 0));
    let letters = desk.table.letters(&desk.table.circle(Circle::Everyone), "N32", "Diplomacy deadline changed", &text);
    desk.decision.letters.extend(letters);
}

fn stands(table: &Table) -> String {
    table.game.deadline.map_or(String::new(), |deadline| format!("deadline {}", format::stamp(deadline)))
}

fn is_running(table: &Table) -> bool {
    matches!(&table.game.phase, PhaseState::Running(_))
}

/// Somebody plays it, or will again.
fn is_played(table: &Table) -> bool {
    matches!(table.index.state, GameState::Active | GameState::Waiting)
}
