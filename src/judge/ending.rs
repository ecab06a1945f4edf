//! The end of a game: everybody is told (N18), the summary is filed and goes to the hall of fame (N19).

use super::decision::FileEdit;
use super::lists;
use super::post::{Circle, Recipient, and_list, with_scene, wrap};
use super::process::file_report;
use super::session::Desk;
use super::sight;
use crate::diplomacy::rules::Rule;
use serde_json::Value;

/// The file that tells of a game that is over.
pub const SUMMARY: &str = "summary";

/// Tells of the end; `how` says who has it, `last` is the phase that was played just now and is in no file yet.
pub fn announce(desk: &mut Desk, how: &str, last: Option<&Value>) {
    let name = desk.table.game.name.clone();
    let text = format!("{}\n{}\n\nCongratulations on a game well-played.\n", desk.table.header(), wrap(how, 72, 0));
    let to = desk.table.circle(Circle::Everyone);
    let subject = format!("Diplomacy game '{name}' complete");
    let letters = desk.table.letters(&to, "N18", &subject, &text);
    desk.decision.letters.extend(with_scene(letters, sight::scene_now(desk.table)));
    file_report(desk, &subject, &text);
    let mut records = desk.table.records.phases();
    records.extend(last.cloned());
    let summary = summarise(desk, &records);
    if !desk.table.rule(Rule::NoReveal) {
        fame(desk, &summary);
    }
}

/// `Game 'x' has been won by …`
pub fn victory(desk: &Desk, victors: &[String]) -> String {
    let names: Vec<String> = victors.iter().map(|k| desk.table.title_of_key(k)).collect();
    format!("Game '{}' has been won by {}.", desk.table.game.name, and_list(&names))
}

/// Files the summary of the phases played (clock.md 8, row 13). With NO_REVEAL it names no player, and fame waits for REVEAL.
pub fn summarise(desk: &mut Desk, records: &[Value]) -> String {
    let text = lists::summary_text(desk.table, records, None);
    desk.decision.files.push(FileEdit::Replace(SUMMARY.into(), text.clone()));
    text
}

/// N19 to the hall of fame; a game without players of its own is nobody's fame.
pub fn fame(desk: &mut Desk, text: &str) {
    let table = &desk.table;
    if table.game.tester.is_some() || table.rule(Rule::Solitaire) {
        return;
    }
    let Some(hall) = table.house.hall_of_fame.clone() else { return };
    let solo = table.game.result.as_ref().is_some_and(|r| r.victors.len() == 1);
    let subject = format!("HoF: {} in {}", if solo { "Victory" } else { "Draw" }, table.game.name);
    let letters = table.letters(&[Recipient { address: hall, seat: None }], "N19", &subject, text);
    desk.decision.letters.extend(letters);
}
