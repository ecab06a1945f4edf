//! ROLLBACK and ROLLFORWARD (mail-commands.md 4, status-file.md 10.1 and 10.4, operations.md 14): a game goes back to a phase
//! that was processed, and forth again while nothing has been processed in between. Everything is one decision: status,
//! renames, the cut results, the notice. Nothing is deleted: what is rolled back stays as `status.<phase>.0`, and becomes a
//! numbered branch when the game is processed again.

use super::code::{Code, Refusal, refuse};
use super::decision::{FileEdit, GameState};
use super::post::{Circle, and_list, with_scene};
use super::process;
use super::session::Desk;
use super::sight;
use super::table::Table;
use crate::status::{Document, Game, Participant, ParticipantKind, PhaseKeyword, PhaseState};

/// What was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Asked {
    phase: Option<String>,
    orders: bool,
    settings: bool,
}

fn read(words: &[String]) -> Result<Asked, Refusal> {
    let mut asked = Asked::default();
    for word in words {
        match word.as_str() {
            "RESTORE" | "RECOVER" => asked.orders = true,
            "FULL" => asked.settings = true,
            phase if asked.phase.is_none() => asked.phase = Some(phase.to_string()),
            _ => return refuse(Code::Syntax, "Say ROLLBACK, perhaps a phase like S1901M, RESTORE and FULL."),
        }
    }
    Ok(asked)
}

/// Short names of the phases in these records, in the order they were processed.
fn phases_of(lines: &str) -> Vec<String> {
    let name = |line: &str| {
        let record: serde_json::Value = serde_json::from_str(line).ok()?;
        record["name"].as_str().map(str::to_string)
    };
    lines.lines().filter_map(name).collect()
}

fn text(table: &Table, name: &str) -> String {
    table.records.file(name).unwrap_or_default()
}

/// Phases that were processed and whose status is kept, oldest first.
fn processed(table: &Table) -> Vec<String> {
    let mut phases = phases_of(&text(table, "results.jsonl"));
    phases.retain(|p| table.records.file(&format!("status.{p}")).is_some());
    phases
}

/// Phases that were rolled back, oldest first; the last is the one the game stood in.
fn undone(table: &Table) -> Vec<String> {
    let kept = |p: &String| table.records.file(&format!("status.{p}.0")).is_some();
    let mut phases = phases_of(&text(table, "results.jsonl.0"));
    let stood = text(table, "rollback.0").trim().to_string();
    if !stood.is_empty() && !phases.contains(&stood) {
        phases.push(stood);
    }
    phases.retain(kept);
    phases
}

fn sound(table: &Table) -> Result<(), Refusal> {
    if table.game.keyword == PhaseKeyword::Await {
        return refuse(Code::Locked, "The phase is being processed.");
    }
    match table.errors.first() {
        Some(error) => refuse(Code::BadState, format!("The status file has an error: {error}")),
        None => Ok(()),
    }
}

/// Where ROLLBACK would lead; `None`: to FORMING.
fn target_back(table: &Table, asked: &Asked) -> Result<Option<String>, Refusal> {
    sound(table)?;
    if table.forming() {
        return refuse(Code::BadState, "The game has not begun: there is nothing to go back to.");
    }
    let processed = processed(table);
    match &asked.phase {
        Some(word) if word == "FORMING" => Ok(None),
        Some(word) if processed.contains(word) => Ok(Some(word.clone())),
        Some(word) => refuse(Code::BadState, format!("{word} is no phase that this game can go back to.")),
        None => match processed.last() {
            Some(last) => Ok(Some(last.clone())),
            None => refuse(Code::BadState, "No phase has been processed yet; ROLLBACK FORMING goes back to the start."),
        },
    }
}

fn target_forward(table: &Table, asked: &Asked) -> Result<String, Refusal> {
    sound(table)?;
    let undone = undone(table);
    match &asked.phase {
        Some(word) if undone.contains(word) => Ok(word.clone()),
        Some(word) => refuse(Code::BadState, format!("{word} is no phase that was rolled back.")),
        None => match undone.last() {
            Some(last) => Ok(last.clone()),
            None => refuse(Code::BadState, "Nothing was rolled back, or the game was processed since."),
        },
    }
}

/// Pass 1 of ROLLBACK.
pub fn check_back(table: &Table, words: &[String]) -> Result<(), Refusal> {
    target_back(table, &read(words)?).map(|_| ())
}

/// Pass 1 of ROLLFORWARD.
pub fn check_forward(table: &Table, words: &[String]) -> Result<(), Refusal> {
    target_forward(table, &read(words)?).map(|_| ())
}

/// ROLLBACK.
pub fn back(desk: &mut Desk, words: &[String]) -> Result<String, Refusal> {
    let asked = read(words)?;
    let target = target_back(desk.table, &asked)?;
    let from = desk.table.phase();
    let kept = processed(desk.table);
    let at = target.as_ref().and_then(|t| kept.iter().position(|p| p == t)).unwrap_or(0);
    let gone = &kept[at..];
    match &target {
        Some(phase) => restore(desk, &format!("status.{phase}"), &asked)?,
        None => forming(desk.table),
    }
    let files = &mut desk.decision.files;
    let again = desk.table.records.file("rollback.0").is_some();
    if again {
        // A second ROLLBACK: the state that ROLLFORWARD leads back to is there already.
        files.push(FileEdit::KeepStatus("status.rollback".into()));
    } else {
        files.push(FileEdit::KeepStatus(format!("status.{from}.0")));
        files.push(FileEdit::Replace("rollback.0".into(), format!("{from}\n")));
        files.push(FileEdit::Replace("results.0".into(), text(desk.table, "results")));
        files.push(FileEdit::Replace("results.jsonl.0".into(), text(desk.table, "results.jsonl")));
    }
    for phase in gone {
        files.push(FileEdit::Rename(format!("status.{phase}"), format!("status.{phase}.0")));
    }
    cut(desk, target.as_deref(), "results", "results.jsonl");
    settle(desk, target.is_none())?;
    let orders = if asked.orders { "The orders of that phase are on file again." } else { "No orders are on file." };
    tell(desk, "Diplomacy rollback notice", "rolled back", &and_list(gone), orders);
    Ok(format!("the game is in {} again", desk.table.phase()))
}

/// ROLLFORWARD.
pub fn forward(desk: &mut Desk, words: &[String]) -> Result<String, Refusal> {
    let asked = read(words)?;
    let target = target_forward(desk.table, &asked)?;
    let undone = undone(desk.table);
    let at = undone.iter().position(|p| *p == target).unwrap_or(0);
    // Going forward undoes a mistake: the orders come back with the phase.
    restore(desk, &format!("status.{target}.0"), &Asked { orders: true, ..asked })?;
    for phase in &undone[..at] {
        desk.decision.files.push(FileEdit::Rename(format!("status.{phase}.0"), format!("status.{phase}")));
    }
    let all = at + 1 == undone.len();
    // Half-way the copy is still wanted: going further forward makes it a copy of the line that is played.
    if all {
        desk.decision.files.push(FileEdit::Remove(format!("status.{target}.0")));
    }
    if all {
        // The results are whole again; should the deadline have become another one, their last line about it is corrected.
        let results = desk.table.records.file("results.0");
        let files = &mut desk.decision.files;
        if let Some(results) = results {
            files.push(FileEdit::Replace("results".into(), results));
            files.push(FileEdit::Remove("results.0".into()));
        }
        files.push(FileEdit::Rename("results.jsonl.0".into(), "results.jsonl".into()));
        files.push(FileEdit::Remove("rollback.0".into()));
    } else {
        cut(desk, Some(&target), "results.0", "results.jsonl.0");
    }
    settle(desk, false)?;
    tell(
        desk,
        "Diplomacy rollforward notice",
        "rolled forward",
        &target,
        "The orders of that phase are on file again.",
    );
    Ok(format!("the game is in {} again", desk.table.phase()))
}

/// Before a phase is processed: what was rolled back can no longer be rolled forward and becomes a numbered branch.
pub fn branch_off(desk: &mut Desk) {
    let names = desk.table.records.names();
    let mut edits = Vec::new();
    for name in names.iter().filter(|n| n.ends_with(".0")) {
        let stem = name.trim_end_matches(".0");
        let next = (1..).find(|n| !names.contains(&format!("{stem}.{n}"))).unwrap_or(1);
        edits.push(match stem {
            "rollback" => FileEdit::Remove(name.clone()),
            _ => FileEdit::Rename(name.clone(), format!("{stem}.{next}")),
        });
    }
    desk.decision.files.extend(edits);
}

/// The board of a kept status over the players of today.
fn restore(desk: &mut Desk, name: &str, asked: &Asked) -> Result<(), Refusal> {
    let Some(kept) = desk.table.records.file(name) else {
        return refuse(Code::BadState, format!("The file {name} is missing."));
    };
    let Ok(document) = Document::parse(kept.as_bytes()) else {
        return refuse(Code::BadState, format!("The file {name} cannot be read."));
    };
    if document.has_errors() {
        return refuse(Code::BadState, format!("The file {name} has errors."));
    }
    let old = document.game();
    let game = &mut desk.table.game;
    game.phase = old.phase.clone();
    game.keyword = old.keyword;
    game.skip_slot = old.skip_slot.clone();
    game.morph = old.morph.clone();
    game.variant_lines = old.variant_lines.clone();
    if asked.settings {
        game.rules = old.rules.clone();
        game.rules_off = old.rules_off.clone();
        game.timing = old.timing.clone();
        game.zone = old.zone.clone();
    }
    for seat in &old.participants {
        if seat.kind != ParticipantKind::Power {
            continue;
        }
        match game.participants.iter_mut().find(|p| p.name == seat.name) {
            Some(p) => board(p, seat),
            None => game.participants.push(seat.clone()),
        }
    }
    if !asked.orders {
        without_orders(game);
    }
    fresh(game);
    game.start = old.start.clone();
    // The deadline from which the next one is reckoned (clock.md 4.1).
    game.deadline = old.deadline;
    if old.phase == PhaseState::Completed {
        (game.result, game.finish) = (old.result.clone(), old.finish.clone());
        game.deadline = None;
    }
    Ok(())
}

/// What stands on the board, and what was ordered.
fn board(p: &mut Participant, old: &Participant) {
    p.inhabits = old.inhabits.clone();
    p.owns = old.owns.clone();
    p.sees = old.sees.clone();
    p.hides = old.hides.clone();
    p.funds = old.funds.clone();
    p.retreats = old.retreats.clone();
    p.units = old.units.clone();
    p.adjust = old.adjust.clone();
    p.orders = old.orders.clone();
    p.lists = old.lists.clone();
    p.variant_lines = old.variant_lines.clone();
}

fn without_orders(game: &mut Game) {
    for p in &mut game.participants {
        p.orders = None;
        p.adjust.clear();
    }
}

/// Nothing of the phases undone is left over.
fn fresh(game: &mut Game) {
    game.result = None;
    game.finish = None;
    game.proposal = None;
    game.delay = 0;
    for p in &mut game.participants {
        (p.wait, p.cd, p.vote) = (false, false, None);
    }
}

/// ROLLBACK FORMING: players keep their powers.
fn forming(table: &mut Table) {
    let game = &mut table.game;
    game.phase = PhaseState::Forming;
    game.keyword = PhaseKeyword::Phase;
    game.skip_slot = None;
    game.start = None;
    game.deadline = None;
    game.morph.retain(|line| !line.starts_with("UNPLAYED "));
    let empty = Participant::default();
    for p in game.participants.iter_mut().filter(|p| p.kind == ParticipantKind::Power) {
        board(p, &empty);
    }
    fresh(game);
}

/// State, clock and deadline afterwards.
fn settle(desk: &mut Desk, to_forming: bool) -> Result<(), Refusal> {
    let waiting = desk.table.index.state == GameState::Waiting;
    desk.table.index.state = match (waiting, to_forming) {
        (true, _) => GameState::Waiting,
        (false, true) => GameState::Forming,
        (false, false) => GameState::Active,
    };
    if desk.table.completed() {
        desk.table.index.state = GameState::Completed;
    }
    if to_forming || desk.table.completed() {
        return Ok(());
    }
    process::next_deadline(desk.table, false)
        .or_else(|reason| refuse(Code::BadState, format!("The clock cannot be set: {reason}")))?;
    process::correct_report(desk);
    Ok(())
}

/// The results before a phase (`None`: before the first, or all of them when going forward).
fn cut(desk: &mut Desk, before: Option<&str>, results: &str, records: &str) {
    let (whole, lines) = (text(desk.table, results), text(desk.table, records));
    let ends = |subject: &str| {
        let subject = subject.trim_end();
        // The last word of the subject is the key (status-file.md 10.2).
        let key = subject.rsplit(' ').next().unwrap_or_default();
        subject.starts_with("Subject: Diplomacy results ") && before == Some(key)
    };
    let mut kept = String::new();
    let mut held = String::new();
    for line in whole.split_inclusive('\n') {
        if line.starts_with("From ") {
            kept += &std::mem::take(&mut held);
            held = line.to_string();
            continue;
        }
        if ends(line) {
            held.clear();
            break;
        }
        kept += &std::mem::take(&mut held);
        kept += line;
    }
    kept += &held;
    let name = |line: &str| phases_of(line).pop();
    let records: String =
        lines.split_inclusive('\n').take_while(|l| before.is_none() || name(l).as_deref() != before).collect();
    let nothing = before.is_none();
    desk.decision.files.push(FileEdit::Replace("results".into(), if nothing { String::new() } else { kept }));
    desk.decision.files.push(FileEdit::Replace("results.jsonl".into(), if nothing { String::new() } else { records }));
}

/// N34.
fn tell(desk: &mut Desk, subject: &str, how: &str, phases: &str, orders: &str) {
    let table = &desk.table;
    let phases = if phases.is_empty() { String::new() } else { format!(" ({phases})") };
    let deadline =
        if table.forming() { String::new() } else { format!("The deadline is {}.\n", table.deadline_long()) };
    let text = format!(
        "The Master has {how} game {}{phases}.\nIt is in {} now. {orders}\n{deadline}",
        table.game.name,
        table.phase()
    );
    let mut text: String = text.lines().map(|l| super::post::wrap(l, 75, 0) + "\n").collect();
    text += &format!("The game's page: {}\n", table.game_url());
    let letters = table.letters(&table.circle(Circle::Everyone), "N34", subject, &text);
    let letters = with_scene(letters, sight::scene_now(table));
    desk.decision.letters.extend(letters);
}
