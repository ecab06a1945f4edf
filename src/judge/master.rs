//! The Master's commands (mail-commands.md 4; states: status-file.md 10.4).

use super::account;
use super::acts::{power_named, seat_named};
use super::code::{Code, Refusal, refuse};
use super::commands::Command;
use super::decision::GameState;
use super::post::Circle;
use super::session::{Desk, Tools};
use super::signon::{Rank, SignedOn};
use super::table::{Table, is_dummy, is_vacant};
use super::{beginning, leaving, process, rollback, seats};

/// Pass 1.
pub fn check(table: &Table, on: &SignedOn, command: &Command) -> Result<(), Refusal> {
    let state = table.index.state;
    let keeper = on.rank == Rank::Keeper;
    if table.index.corrupt && !keeper {
        return refuse(Code::BadState, "The judgekeeper has closed this game; nothing is changed.");
    }
    if state == GameState::Completed && !keeper && !matches!(command, Command::Reveal) {
        return refuse(Code::BadState, "The game is over; only the judgekeeper can bring it back.");
    }
    match command {
        // With nobody to wait for it begins.
        Command::Form if table.forming() && table.open_seats() == 0 => may_begin(beginning::check(table)),
        Command::Form if table.forming() => Ok(()),
        Command::Form => refuse(Code::BadState, "A game that has begun forms again only by ROLLBACK FORMING."),
        // Nobody could join so far (status-file.md 10.4).
        Command::Activate if table.forming() && state == GameState::Preparation && table.open_seats() > 0 => {
            refuse(Code::BadState, "Seats are open, and nobody could join yet: FORM lets players in.")
        }
        Command::Activate if table.forming() => may_begin(beginning::check(table)),
        Command::Activate if state != GameState::Active && table.past_deadline() => {
            clock_runs(process::next_deadline(&mut table.clone(), false))
        }
        Command::Process { force } => {
            let stopped = *force && process::is_stopped(table);
            if state != GameState::Active && !stopped || table.forming() {
                return refuse(Code::NotReady, "Only an active game can be processed.");
            }
            if let Some(error) = table.errors.first() {
                return refuse(Code::NotReady, format!("The status file has an error: {error}"));
            }
            if !force && !super::time::with_clock(table, None, |game| game.may_be_processed()) {
                return refuse(Code::NotReady, "Orders are missing. PROCESS! processes with what is in.");
            }
            Ok(())
        }
        Command::Preview if table.forming() => refuse(Code::NotReady, "The game has not begun."),
        Command::Preview if state != GameState::Active && !process::is_stopped(table) => {
            refuse(Code::NotReady, format!("The game is {}; ACTIVATE lets it go on.", state.word()))
        }
        Command::Preview if !table.errors.is_empty() => {
            refuse(Code::NotReady, format!("The status file has an error: {}", table.errors.join("; ")))
        }
        Command::Resign(power) => {
            let n = seat_named(table, power)?;
            let p = &table.game.participants[n];
            if is_vacant(p) || is_dummy(p) { refuse(Code::NotHeld, format!("Nobody holds {power}.")) } else { Ok(()) }
        }
        Command::Dummy(power) => {
            let n = power_named(table, power)?;
            if is_dummy(&table.game.participants[n]) {
                refuse(Code::BadState, format!("{power} is a dummy already."))
            } else {
                Ok(())
            }
        }
        Command::Revive(power, password) => {
            let n = power_named(table, power)?;
            let p = &table.game.participants[n];
            if let Some(password) = password {
                super::signon::new_password(password)?;
            }
            if !(is_vacant(p) || is_dummy(p)) {
                return refuse(Code::BadState, format!("{power} is held by a player."));
            }
            match seats::last_player(p) {
                Some(last) if last.addresses.is_empty() => refuse(
                    Code::BadState,
                    "Its last player has left this judge: leave the seat open for TAKEOVER, or make it a DUMMY.",
                ),
                Some(_) => Ok(()),
                None => refuse(Code::BadState, "That power was never assigned to a player."),
            }
        }
        Command::Become(power) => power_named(table, power).map(|_| ()),
        Command::Rollback(words) => rollback::check_back(table, words),
        Command::Rollforward(words) => rollback::check_forward(table, words),
        Command::Reveal if !table.completed() => refuse(Code::BadState, "The game is not over yet."),
        Command::Reveal if !table.rule(crate::diplomacy::rules::Rule::NoReveal) => {
            refuse(Code::BadState, "The players of this game are named already.")
        }
        _ => Ok(()),
    }
}

/// Pass 2: commands of this page.
pub fn act(desk: &mut Desk, on: &SignedOn, command: &Command, tools: &Tools) -> Result<String, Refusal> {
    let _ = on;
    match command {
        Command::Form => {
            if desk.table.open_seats() == 0 {
                return begin(desk);
            }
            state(desk, GameState::Forming)
        }
        Command::Activate => {
            if desk.table.forming() {
                return begin(desk);
            }
            if desk.table.index.state != GameState::Active && desk.table.past_deadline() {
                clock_runs(process::next_deadline(desk.table, false))?;
                process::correct_report(desk);
            }
            state(desk, GameState::Active)
        }
        Command::Wait => state(desk, GameState::Waiting),
        Command::Terminate => state(desk, GameState::Terminated),
        Command::Resign(power) => {
            let n = seat_named(desk.table, power)?;
            leaving::resign(desk, n, leaving::By::Master);
            Ok("the seat is vacant".into())
        }
        Command::Dummy(power) => {
            let n = power_named(desk.table, power)?;
            leaving::dummy(desk, n);
            Ok("nobody plays it now".into())
        }
        Command::Revive(power, password) => {
            let n = power_named(desk.table, power)?;
            super::passwords::revive(desk, n, password.as_deref(), tools);
            Ok("given back to its last player".into())
        }
        Command::Rollback(words) => rollback::back(desk, words),
        Command::Rollforward(words) => rollback::forward(desk, words),
        Command::Reveal => reveal(desk),
        _ => refuse(Code::Syntax, "That cannot be done here."),
    }
}

/// REVEAL: the players of a finished game are named to all (N19).
fn reveal(desk: &mut Desk) -> Result<String, Refusal> {
    desk.table.game.rules.retain(|r| r != "NO_REVEAL");
    desk.table.rules.unset(crate::diplomacy::rules::Rule::NoReveal);
    let records = desk.table.records.phases();
    let text = super::ending::summarise(desk, &records);
    super::ending::fame(desk, &text);
    let to = desk.table.circle(Circle::Everyone);
    let subject = format!("Summary of game {}", desk.table.game.name);
    let letters = desk.table.letters(&to, "N19", &subject, &text);
    desk.decision.letters.extend(letters);
    Ok("the players are named; the summary is on its way to all".into())
}

fn begin(desk: &mut Desk) -> Result<String, Refusal> {
    may_begin(beginning::begin(desk)).map(|()| "the game has begun".into())
}

fn may_begin(begun: Result<(), String>) -> Result<(), Refusal> {
    begun.or_else(|reason| refuse(Code::BadState, format!("The game cannot begin: {reason}")))
}

fn clock_runs(set: Result<(), String>) -> Result<(), Refusal> {
    set.or_else(|reason| refuse(Code::BadState, format!("The clock cannot be set: {reason}")))
}

fn state(desk: &mut Desk, to: GameState) -> Result<String, Refusal> {
    if desk.table.index.state == to {
        return Ok(format!("the game is {} already", to.word()));
    }
    put_into(desk, to);
    Ok(format!("the game is {}", to.word()))
}

/// Another state; all are told (N35).
pub fn put_into(desk: &mut Desk, to: GameState) {
    desk.table.index.state = to;
    let text = format!(
        "Game {} is now {}.\n{}",
        desk.table.game.name,
        to.word(),
        match to {
            GameState::Active => format!("The deadline is {}.\n", desk.table.deadline_long()),
            GameState::Waiting => "Its clock stands still until the Master starts it again.\n".into(),
            _ => String::new(),
        }
    );
    let subject = format!("Diplomacy game {} {}", desk.table.game.name, to.word());
    let letters = desk.table.letters(&desk.table.circle(Circle::Everyone), "N35", &subject, &text);
    desk.decision.letters.extend(letters);
}

/// The deadline comes to lie elsewhere, by the word of somebody; all are told. A countdown to the old one means nothing
/// any more.
pub fn move_deadline(desk: &mut Desk, by: &str, to: chrono::NaiveDateTime) {
    account::moved(desk.table, by, to);
    desk.table.game.delay = 0;
    announce_deadline(desk, by);
}

/// N32.
pub fn announce_deadline(desk: &mut Desk, by: &str) {
    process::correct_report(desk);
    let (game, account) = (&desk.table.game.name, super::post::wrap(&account::paragraph(desk.table), 70, 0));
    let text = match desk.table.deadline() {
        Some(_) => format!(
            "{by} has changed the deadline of game {game}, {}.\n\nThe new deadline is {}.\n\n{account}\n",
            desk.table.phase(),
            desk.table.deadline_long(),
        ),
        None => format!("{by} has set the clock of game {game} to {}.\n\n{account}\n", desk.table.zone()),
    };
    let letters = desk.table.letters(&desk.table.circle(Circle::Everyone), "N32", "Diplomacy deadline changed", &text);
    desk.decision.letters.extend(letters);
}
