//! The life of phases: a phase is processed, previewed, or the game ends (clock.md 8). Everything happens on the copy in
//! hand; the archive commits it as one change.

use super::decision::{FileEdit, GameState};
use super::post::with_scene;
use super::rotation;
use super::session::Desk;
use super::sight;
use super::table::Table;
use crate::clock;
use crate::diplomacy::rules::Rule;
use crate::status::{Game, GameResult, PhaseKeyword, PhaseState};
use sha2::{Digest, Sha256};

/// Ends the report of the phase that brought the victory.
pub const GAME_OVER: &str = "\nThe game is over.  Thank you for playing.\n";

/// Why a phase is processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The deadline processor.
    Clock,
    /// PROCESS.
    Master,
    /// Orders came in (REAL_TIME, NO_DEADLINE).
    Orders,
}

/// The seed of a phase. It is filed with the phase, so that a replay repeats what was drawn; the seed of the event it
/// comes from cannot be told from it.
pub fn seed_of(table: &Table) -> u64 {
    let mut hash = Sha256::new();
    hash.update(b"phase");
    hash.update(table.seed.to_le_bytes());
    let bytes: [u8; 32] = hash.finalize().into();
    u64::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]])
}

/// A phase as it was decided again.
#[derive(Clone, Debug)]
pub struct Again {
    /// Its line in `results.jsonl`, without the end.
    pub record: String,
    /// Its entry in `results`.
    pub entry: String,
    /// The game at the start of the next phase.
    pub game: Game,
    /// That phase: `F1901M`, `COMPLETED`.
    pub phase: String,
}

/// Decides a phase again: the table holds the game as `status.<PHASE>` has it, and the moment at which it was processed.
pub fn again(table: &mut Table, seed: u64) -> Result<Again, String> {
    let mut desk = Desk::new(table);
    resolve(&mut desk, seed)?;
    let appended = |to: &str| {
        desk.decision.files.iter().find_map(|file| match file {
            FileEdit::Append(name, text) if name == to => Some(text.clone()),
            _ => None,
        })
    };
    let record = appended("results.jsonl").unwrap_or_default().trim_end().to_owned();
    let entry = appended("results").unwrap_or_default();
    Ok(Again { record, entry, game: table.game.clone(), phase: table.phase() })
}

/// Processes the current phase; a failure is reported in the reply and leaves the game as it was.
pub fn run(desk: &mut Desk, cause: Cause) {
    let before = desk.table.phase();
    let seed = seed_of(desk.table);
    let (files, letters) = (desk.decision.files.len(), desk.decision.letters.len());
    match resolve(desk, seed) {
        Ok(()) => {
            let now = desk.table.phase();
            if cause != Cause::Clock {
                desk.reply.note(
                    0,
                    super::reply::Mark::Ok,
                    format!("{before} has been processed; the game is in {now}"),
                );
            }
        }
        Err(error) => {
            // Nothing is kept or told of a phase that stays.
            desk.decision.files.truncate(files);
            desk.decision.letters.truncate(letters);
            desk.reply.detail(
                0,
                super::reply::Mark::Error,
                "processing",
                "R_INTERNAL",
                &format!("The phase could not be processed: {error}"),
            );
            let text = format!(
                "Game {}, phase {before}: {error}\nThe game keeps its old phase and is tried again.\n",
                desk.table.game.name
            );
            let keepers: Vec<_> = desk
                .table
                .house
                .keepers
                .iter()
                .map(|a| super::post::Recipient { address: a.clone(), seat: None })
                .collect();
            let letters = desk.table.letters(&keepers, "N62", "Diplomacy adjudication error!", &text);
            desk.decision.letters.extend(letters);
            desk.table.game.delay = 3;
        }
    }
}

fn resolve(desk: &mut Desk, seed: u64) -> Result<(), String> {
    let phase = desk.table.phase();
    let header = desk.table.header();
    // Row 1: powers that are about to be defaulted.
    let defaulted: Vec<String> =
        desk.table.referee.owing(&desk.table.game).iter().map(|k| desk.table.title_of_key(k)).collect();
    if !defaulted.is_empty() {
        let text =
            late_table(desk.table, if defaulted.len() == 1 { "Power in CD:" } else { "Powers in CD:" }, &defaulted);
        let letters = desk.table.letters(&desk.table.overseers(), "N15", "Diplomacy CD notice", &text);
        desk.decision.letters.extend(letters);
    }
    super::rollback::branch_off(desk);
    desk.decision.files.push(FileEdit::KeepGame(format!("status.{phase}"), Box::new(desk.table.game.clone())));
    let resolution = desk.table.referee.resolve(&desk.table.game, seed)?;
    let scene = sight::scene_played(desk.table, &resolution.record);
    let blind = sight::is_blind(desk.table);
    let kept = std::mem::replace(&mut desk.table.game, resolution.game);
    let referee = desk.table.referee;
    rotation::after(&mut desk.table.game, referee, &referee.phase_kind(&kept));
    let mut record = resolution.record;
    let game = &mut desk.table.game;
    game.delay = 0;
    if game.keyword == PhaseKeyword::Await {
        game.keyword = PhaseKeyword::Phase;
    }
    for p in &mut game.participants {
        p.wait = false;
        p.cd = false;
    }
    // One blank line before what follows (notices.md 4.4), whatever the report ends with.
    let mut report = format!("{}\n", resolution.report.trim_end());
    match &resolution.victors {
        Some(victors) => {
            complete_at(desk, victors, &phase);
            report += GAME_OVER;
        }
        None => {
            // A phase without a next deadline is not processed at all.
            if let Err(reason) = next_deadline(desk.table, false) {
                desk.table.game = kept;
                return Err(reason);
            }
            if !desk.table.referee.resolvable(&desk.table.game) {
                desk.table.game.keyword = PhaseKeyword::Wait;
            }
            rotation::before(&mut desk.table.game, referee);
            report += &next_phase_lines(desk.table);
        }
    }
    let text = format!("{header}\n{report}");
    if let Some(object) = record.as_object_mut() {
        object.insert("processed".into(), desk.table.now.format("%Y-%m-%dT%H:%M:%SZ").to_string().into());
        object.insert("seed".into(), format!("{seed:016x}").into());
        object.insert("report".into(), text.clone().into());
    }
    let subject = format!("Diplomacy results {} {phase}", desk.table.game.name);
    let mut letters = sight::tell_results(desk.table, blind, &subject, &text, scene);
    let before = last_played(desk.table);
    for letter in &mut letters {
        letter.phase = Some(phase.clone());
        if let Some(link) = &mut letter.link {
            link.seed = format!("{seed:016x}");
            link.before.clone_from(&before);
        }
    }
    desk.decision.letters.extend(letters);
    if resolution.victors.is_none() {
        super::votes::lapse(desk);
    }
    file_report(desk, &subject, &text);
    desk.decision.files.push(FileEdit::Append("results.jsonl".into(), format!("{record}\n")));
    if let Some(victors) = &resolution.victors {
        let how = super::ending::victory(desk, victors);
        super::ending::announce(desk, &how, Some(&record));
    }
    Ok(())
}

/// The phase played before this one, and its seed.
fn last_played(table: &Table) -> Option<(String, String)> {
    let records = table.records.file("results.jsonl")?;
    let last: serde_json::Value = serde_json::from_str(records.lines().next_back()?).ok()?;
    let text = |key: &str| last.get(key).and_then(serde_json::Value::as_str).map(str::to_string);
    Some((text("name")?, text("seed")?))
}

/// `The next phase of 'x' will be …` and the deadline.
pub fn next_phase_lines(table: &Table) -> String {
    let mut text =
        format!("\nThe next phase of '{}' will be {}.\n", table.game.name, table.referee.phase_title(&table.game));
    if table.deadline().is_some() {
        text += &format!("{DEADLINE_LINE}{}.\n", table.deadline_long());
    }
    text
}

/// Sets the deadline of the phase that has just begun (clock.md 4).
pub fn next_deadline(table: &mut Table, first: bool) -> Result<(), String> {
    super::time::set_next_deadline(table, first)
}

/// Appends a report to `results`.
pub fn file_report(desk: &mut Desk, subject: &str, text: &str) {
    let entry = entry(desk.table, subject, text);
    // A corrected file goes on with it.
    let corrected = desk.decision.files.iter_mut().rev().find_map(|edit| match edit {
        FileEdit::Replace(name, text) if name == "results" => Some(text),
        _ => None,
    });
    match corrected {
        Some(text) => *text += &entry,
        None => desk.decision.files.push(FileEdit::Append("results".into(), entry)),
    }
}

/// How a report names the deadline of the phase that follows (notices.md 4.1).
pub const DEADLINE_LINE: &str = "The deadline for orders will be ";

/// The deadline has been moved: the last line of `results` about one says so (notices.md 4.6).
pub fn correct_report(desk: &mut Desk) {
    if desk.table.deadline().is_none() {
        return;
    }
    let line = format!("{DEADLINE_LINE}{}.", desk.table.deadline_long());
    // What this decision itself reports comes last.
    for edit in desk.decision.files.iter_mut().rev() {
        if let FileEdit::Append(name, text) | FileEdit::Replace(name, text) = edit
            && name == "results"
            && let Some(next) = corrected(text, &line)
        {
            *text = next;
            return;
        }
    }
    let filed = desk.table.records.results();
    if let Some(next) = corrected(&filed, &line).filter(|next| *next != filed) {
        desk.decision.files.push(FileEdit::Replace("results".into(), next));
    }
}

fn corrected(text: &str, line: &str) -> Option<String> {
    let at = text.rfind(&format!("\n{DEADLINE_LINE}"))? + 1;
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    Some(format!("{}{line}{}", &text[..at], &text[end..]))
}

/// An entry of `results` with the old head (notices.md 4.6).
pub fn entry(table: &Table, subject: &str, text: &str) -> String {
    let stamp = table.now.format("%a %b %e %H:%M:%S %Y");
    // A line of the text that looks like an entry head must not be taken for one.
    let body: String =
        text.lines().map(|l| if l.starts_with("From ") { format!(">{l}\n") } else { format!("{l}\n") }).collect();
    format!("From {} {stamp}\nSubject: {subject}\n\n{body}\n", table.house.address)
}

/// Ends the game by agreement in the current phase.
pub fn complete(desk: &mut Desk, victors: &[String]) {
    let phase = desk.table.phase();
    complete_at(desk, victors, &phase);
}

fn complete_at(desk: &mut Desk, victors: &[String], phase: &str) {
    let finish = clock::format::date(desk.table.local_now().date());
    let game = &mut desk.table.game;
    let mut victors = victors.to_vec();
    victors.sort();
    game.result = Some(GameResult { phase: phase.to_string(), victors });
    game.finish = Some(finish);
    game.phase = PhaseState::Completed;
    game.keyword = PhaseKeyword::Phase;
    game.deadline = None;
    game.delay = 0;
    game.proposal = None;
    game.timing.retain(|(key, _)| key != "NOT");
    for p in &mut game.participants {
        p.wait = false;
        p.cd = false;
        p.orders = None;
        p.adjust.clear();
    }
    desk.table.index.state = GameState::Completed;
}

/// PREVIEW: results to the Master only, nothing stored.
pub fn preview(desk: &mut Desk) {
    let phase = desk.table.phase();
    let seed = seed_of(desk.table);
    match desk.table.referee.resolve(&desk.table.game, seed) {
        Ok(resolution) => {
            let report = sight::shown_to(&resolution.report, Some("MASTER"));
            let header = desk.table.header();
            let text = format!("{header}\n{}\n{}", report.trim_end(), what_follows(desk.table, &resolution));
            let subject = format!("PREVIEW Diplomacy results {} {phase}", desk.table.game.name);
            let scene = sight::scene_played(desk.table, &resolution.record);
            let letters = desk.table.letters(&desk.table.master_recipients(), "N16", &subject, &text);
            desk.decision.letters.extend(with_scene(letters, scene));
            desk.reply.note(0, super::reply::Mark::Ok, format!("preview of {phase} sent to the Master"));
        }
        Err(error) => desk.reply.detail(0, super::reply::Mark::Error, "PREVIEW", "R_INTERNAL", &error),
    }
}

/// The end of the report, as it would be; the game stays as it is.
fn what_follows(table: &mut Table, resolution: &crate::referee::Resolution) -> String {
    if resolution.victors.is_some() {
        return GAME_OVER.to_string();
    }
    let account = (table.account.clone(), table.moved);
    let kept = std::mem::replace(&mut table.game, resolution.game.clone());
    let lines = match next_deadline(table, false) {
        Ok(()) => next_phase_lines(table),
        Err(reason) => format!("\nThe phase cannot be processed like this: {reason}\n"),
    };
    (table.game, (table.account, table.moved)) = (kept, account);
    lines
}

/// Powers that owe orders and are not exempt now (clock.md 9).
pub fn late(table: &Table) -> Vec<String> {
    super::time::late(table)
}

/// Whether CIVIL_PREVIEW has stopped the game at the end of grace: it waits for the last orders, or for PROCESS!
/// (clock.md 3.2).
pub fn is_stopped(table: &Table) -> bool {
    let stopped = table.index.state == GameState::Waiting && table.game.delay > 0 && table.game.need.is_empty();
    stopped && table.rule(Rule::CivilPreview) && table.past_deadline()
}

/// Orders came in: NO_DEADLINE and REAL_TIME games go on at once, others at the round after next (clock.md 3.1).
pub fn after_orders(desk: &mut Desk) {
    if is_stopped(desk.table) && late(desk.table).is_empty() {
        // The next check processes it.
        desk.table.index.state = GameState::Active;
        desk.table.game.delay = 0;
        return;
    }
    match super::time::with_clock(desk.table, None, clock::tick::after_entry) {
        clock::tick::AfterEntry::Process => run(desk, Cause::Orders),
        clock::tick::AfterEntry::Preview => {
            desk.table.game.delay = clock::tick::PREVIEW_DELAY;
            preview(desk);
        }
        clock::tick::AfterEntry::Delay(n) => desk.table.game.delay = n,
        clock::tick::AfterEntry::Keep => {}
    }
}

/// The table of late notices (notices.md 2): labels padded to 18 columns.
pub fn late_table(table: &Table, label: &str, powers: &[String]) -> String {
    let mut text = format!("{:<18}{} ({})\n", "Diplomacy Game:", table.game.name, table.house.id);
    text += &format!(
        "{:<18}{}\n",
        "Current Phase:",
        super::table::title_case(&match &table.game.phase {
            PhaseState::Running(phase) => phase.clone(),
            PhaseState::Forming => "FORMING".into(),
            PhaseState::Completed => "COMPLETED".into(),
        })
    );
    text += &format!(
        "{:<18}{}\n",
        if table.past_deadline() { "Missed Deadline:" } else { "Deadline:" },
        table.deadline_long()
    );
    if !powers.is_empty() {
        text += &super::post::wrap(&format!("{label:<18}{}", powers.join(", ")), 70, 18);
        text.push('\n');
    }
    text
}
