//! How much press one seat may write a day (mail-commands.md 6.4). The count lies beside the status file, so that it
//! survives whatever the program does not; the day is that of the judge's own calendar, in the zone of the house.

use super::code::{Code, Refusal, refuse};
use super::decision::FileEdit;
use super::session::Desk;
use super::table::{Table, Who};

/// The file in the game's directory: a line `date SEAT bytes` for each seat that has written today.
const FILE: &str = "press.day";
/// Bytes of press of one seat in one day.
const PER_DAY: usize = 2 << 20;

fn today(table: &Table) -> String {
    table.now.with_timezone(&table.house.zone).format("%Y-%m-%d").to_string()
}

/// The Master writes as one, whoever signs on as him.
fn key(table: &Table, who: &Who) -> String {
    match who {
        Who::Master | Who::Keeper => "MASTER".into(),
        Who::Seat(n) => table.game.participants[*n].name.clone(),
    }
}

/// Today's counts. Lines of other days count no more; a line nobody can read counts for nobody.
fn counts(table: &Table, file: &str) -> Vec<(String, usize)> {
    let today = today(table);
    let count = |line: &str| match line.split_whitespace().collect::<Vec<_>>().as_slice() {
        [day, seat, bytes] if *day == today => Some((seat.to_string(), bytes.parse().ok()?)),
        _ => None,
    };
    file.lines().filter_map(count).collect()
}

/// What this seat has written today before this message.
pub fn spent(table: &Table, who: &Who) -> usize {
    let file = table.records.file(FILE).unwrap_or_default();
    let key = key(table, who);
    counts(table, &file).into_iter().filter(|(seat, _)| *seat == key).map(|(_, bytes)| bytes).sum()
}

/// Whether so much more may be written today, where so much has been.
pub fn allows(spent: usize, more: usize) -> Result<(), Refusal> {
    if spent.saturating_add(more) <= PER_DAY {
        return Ok(());
    }
    refuse(
        Code::PressSize,
        format!(
            "A seat may write {} MiB of press a day; {} KiB of that are left today, and this has {} KiB. It can be sent \
             again tomorrow, or shorter.",
            PER_DAY >> 20,
            PER_DAY.saturating_sub(spent) >> 10,
            more.div_ceil(1024)
        ),
    )
}

/// Press of so many bytes has been sent.
pub fn note(desk: &mut Desk, who: &Who, bytes: usize) {
    let table = &desk.table;
    // A mail with BECOME writes in two names.
    let written = desk.decision.files.iter().rev().find_map(|edit| match edit {
        FileEdit::Replace(name, text) if name == FILE => Some(text.clone()),
        _ => None,
    });
    let file = written.or_else(|| table.records.file(FILE)).unwrap_or_default();
    let (mut counts, key, today) = (counts(table, &file), key(table, who), today(table));
    match counts.iter_mut().find(|(seat, _)| *seat == key) {
        Some((_, count)) => *count = count.saturating_add(bytes),
        None => counts.push((key, bytes)),
    }
    let text = counts.iter().map(|(seat, count)| format!("{today} {seat} {count}\n")).collect();
    desk.decision.files.retain(|edit| !matches!(edit, FileEdit::Replace(name, _) if name == FILE));
    desk.decision.files.push(FileEdit::Replace(FILE.into(), text));
}
