//! The account of a deadline: why it is where it is, step by step (clock.md 4). It is written down when the deadline is
//! made, in `deadline.txt` beside the status file, because TIMING, rules and absences may be others by the time somebody
//! asks. The notice of a moved deadline, the reply to SET DEADLINE, the game's page and `clock explain` all show it.
//!
//! The first line of the file names the deadline it is about. Where the status file says another one, somebody wrote
//! that by hand, and the account says so. Of a game that is played without deadlines it says `none`: so the judge knows
//! later that it was. A deadline that nobody can account for has that line alone.

use super::decision::FileEdit;
use super::edited::Former;
use super::table::Table;
use super::time;
use crate::clock::{Step, format};
use crate::diplomacy::rules::Rule;
use chrono::{DateTime, NaiveDateTime, Utc};

/// The file in the game's directory.
pub const FILE: &str = "deadline.txt";
/// Its first line where there are no deadlines (RULE NO_DEADLINE).
const NONE: &str = "none";
/// Behind the deadline in its first line: when it was moved there.
const MOVED: &str = " moved ";

/// The sentences about the present deadline, in order.
pub fn sentences(table: &Table) -> Vec<String> {
    if table.rule(Rule::NoDeadline) {
        return vec![Step::NoDeadline.to_string()];
    }
    let Some(deadline) = table.game.deadline else { return vec!["There is no deadline now.".into()] };
    known(table).unwrap_or_else(|| vec![by_hand(table, deadline)])
}

fn by_hand(table: &Table, deadline: NaiveDateTime) -> String {
    format!("The deadline was written into the status file by hand: {}.", time::long(deadline, table.zone()))
}

/// The account of the present deadline, if one was kept.
fn known(table: &Table) -> Option<Vec<String>> {
    let deadline = table.game.deadline?;
    let filed = || {
        let file = table.records.file(FILE)?;
        let mut lines = file.lines().map(str::to_owned);
        of(&lines.next()?, table, deadline).map(|_| lines.collect())
    };
    table.account.clone().or_else(filed).filter(|lines: &Vec<String>| !lines.is_empty())
}

/// What the game's page says: nothing where no account was kept.
pub fn for_page(table: &Table) -> String {
    known(table).unwrap_or_default().join(" ")
}

/// All of it as one paragraph.
pub fn paragraph(table: &Table) -> String {
    sentences(table).join(" ")
}

/// A deadline was computed in these steps: a new account.
pub(super) fn computed(table: &mut Table, steps: &[Step]) {
    let silent = table.rule(Rule::SilentAbsences);
    let tell = |step: &Step| match step {
        // Only the Master and the absentee know the period.
        Step::Absent { to, .. } if silent => {
            format!("An absence lies there: on to {}.", to.format("%A %-d %B %Y %H:%M"))
        }
        step => step.to_string(),
    };
    table.account = Some(steps.iter().map(tell).collect());
    table.moved = None;
}

/// The game is played without deadlines: so says its account.
pub(super) fn computed_none(table: &mut Table) {
    table.account = Some(vec![Step::NoDeadline.to_string()]);
    table.moved = None;
}

/// Nothing is known about how the present deadline came about: that it stands is filed all the same.
pub(super) fn unexplained(table: &mut Table) {
    table.account = table.game.deadline.map(|_| Vec::new());
    table.moved = None;
}

/// Somebody has written the present deadline into the status file: a new account.
pub(super) fn written(table: &mut Table) {
    let Some(deadline) = table.game.deadline else { return };
    table.account = Some(vec![by_hand(table, deadline)]);
    table.moved = Some(table.now);
}

/// The deadline comes to lie elsewhere, by somebody's word: the account goes on.
pub(super) fn moved(table: &mut Table, by: &str, to: NaiveDateTime) {
    let mut lines = sentences(table);
    let (zone, old) = (table.zone(), table.deadline());
    let from = old.map_or(String::new(), |old| format!(" from {}", time::long(old, zone)));
    let now = format::long(&table.now.with_timezone(&zone));
    lines.push(format!("On {now} {} moved it{from} to {}.", uncapped(by), time::long(to, zone)));
    table.account = Some(lines);
    table.game.deadline = Some(to);
    table.moved = Some(table.now);
}

/// The game's clock is now that of another zone, and the digits stay: the account goes on.
pub(super) fn moved_zone(table: &mut Table, by: &str, zone: String) {
    let mut lines = sentences(table);
    table.game.zone = Some(zone);
    let now = format::long(&table.now.with_timezone(&table.zone()));
    let clock = table.zone();
    lines.push(format!(
        "On {now} {} set the game's clock to {clock}: that makes it {}.",
        uncapped(by),
        table.deadline_long()
    ));
    table.account = Some(lines);
    table.moved = Some(table.now);
}

/// When the present deadline was last moved, if it was.
pub fn moved_at(table: &Table) -> Option<DateTime<Utc>> {
    let file = table.records.file(FILE)?;
    let time = of(file.lines().next()?, table, table.game.deadline?)?.to_owned();
    DateTime::parse_from_rfc3339(time.strip_prefix(MOVED)?).ok().map(|time| time.with_timezone(&Utc))
}

/// What the account on file is about, whatever the status file says now.
pub fn filed(table: &Table) -> Former {
    let Some(file) = table.records.file(FILE) else { return Former::Unknown };
    let mut words = file.lines().next().unwrap_or_default().split(' ');
    match (words.next(), words.next()) {
        (Some(NONE), None) => Former::Without,
        (Some(stamp), Some(zone)) => match (format::parse_stamp(stamp), zone.parse()) {
            (Some(deadline), Ok(zone)) => Former::At(deadline, zone),
            _ => Former::Unknown,
        },
        _ => Former::Unknown,
    }
}

/// What stands behind the head of the account, if that is of this deadline.
fn of<'l>(line: &'l str, table: &Table, deadline: NaiveDateTime) -> Option<&'l str> {
    let rest = line.strip_prefix(&head(table, deadline))?;
    (rest.is_empty() || rest.starts_with(MOVED)).then_some(rest)
}

/// What the commit that makes the deadline has to write.
pub fn edit(table: &Table) -> Option<FileEdit> {
    let lines = table.account.as_ref()?;
    if table.rule(Rule::NoDeadline) {
        return (filed(table) != Former::Without).then(|| FileEdit::Replace(FILE.into(), format!("{NONE}\n")));
    }
    let deadline = table.game.deadline?;
    let moved = table.moved.map_or(String::new(), |time| format!("{MOVED}{}", time.format("%Y-%m-%dT%H:%M:%SZ")));
    let text = lines.iter().fold(head(table, deadline) + &moved, |text, line| text + "\n" + line);
    Some(FileEdit::Replace(FILE.into(), text + "\n"))
}

fn head(table: &Table, deadline: NaiveDateTime) -> String {
    format!("{} {}", format::stamp(deadline), table.zone())
}

/// `the Master`, but `France`.
fn uncapped(by: &str) -> String {
    match by.split_once(' ') {
        Some(("The", rest)) => format!("the {rest}"),
        Some(("A", rest)) => format!("a {rest}"),
        _ => by.to_owned(),
    }
}
