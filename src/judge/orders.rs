//! Order sheets as the judge handles them: whose they are, when they may change, what is confirmed (mail-commands.md 4.1,
//! clock.md 3.1). What an order means is the referee's.

use super::code::{Code, Refusal};
use super::commands::{Block, Item, Line};
use super::post::Circle;
use super::reply::{Mark, Reply, masked};
use super::session::Desk;
use super::signon::{Rank, SignedOn};
use super::table::{Table, Who};
use super::unknown;
use crate::diplomacy::rules::Rule;
use crate::referee::{Acting, Sheet};
use crate::status::{ParticipantKind, PhaseKeyword};

/// Cuts a run of lines off the end of the message that names no place and no power: a farewell (mail-commands.md 5.4).
/// At least one order line must stand before it.
pub fn trailing_text(table: &Table, block: &Block, lines: &mut Vec<Line>) -> Vec<Line> {
    let at_end = |line: &Line| matches!(block.items.last(), Some(Item::Order(last)) if last.number >= line.number);
    let keep = lines.iter().rposition(|l| table.referee.knows_word(&l.text) || is_sheet_word(&l.text));
    match keep {
        Some(keep) if keep + 1 < lines.len() => {
            let behind = lines[keep + 1].number;
            let only_orders = block.items.iter().all(|i| match i {
                Item::Order(_) => true,
                Item::Press(p) => p.line.number < behind,
                Item::Command(l, _) | Item::Wrong(l, _) => l.number < behind,
            });
            if only_orders && at_end(&lines[keep + 1]) { lines.split_off(keep + 1) } else { Vec::new() }
        }
        _ => Vec::new(),
    }
}

fn is_sheet_word(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or("").trim_matches(['(', ')', '[', ']']).to_uppercase();
    ["CLEAR", "NMR", "PARTIAL", "WAIVE", "WAIVED", "W", "PENDING"].contains(&word.as_str())
}

/// Reads the order lines of a sign-on as one submission.
pub fn read(table: &Table, on: &SignedOn, acting: &Acting, lines: &[Line]) -> Sheet {
    let texts: Vec<String> = lines.iter().map(|l| l.text.clone()).collect();
    let refused = |code: &str, sentence: String| Sheet {
        lines: texts
            .iter()
            .enumerate()
            .map(|(n, t)| crate::referee::OrderLine {
                line: n,
                text: t.clone(),
                canonical: Vec::new(),
                refused: Some((code.into(), sentence.clone())),
                warnings: Vec::new(),
            })
            .collect(),
        ..Sheet::default()
    };
    if table.forming() || table.completed() {
        // Words that are neither commands nor orders get the order reader's answer where there is a board to ask.
        let sentence =
            if table.forming() { "The game has not started: there is nothing to order." } else { "The game is over." };
        return refused("E_WORD", format!("{sentence} The line is no command either."));
    }
    if !table.may_order(&on.who) {
        return refused("E_NO_UNITS", "Observers and monitors have no units; the line is no command either.".into());
    }
    if table.game.keyword == PhaseKeyword::Await {
        return refused("R_LOCKED", "The phase is being processed; send the orders again in a minute.".into());
    }
    let mut sheet = table.referee.read_sheet(&table.game, acting, &texts);
    if on.rank == Rank::Own {
        late_rules(table, &mut sheet);
    }
    sheet
}

/// Where a refused line is nearly a command, its verdict says which.
pub fn ask_back(table: &Table, on: &SignedOn, sheet: &mut Sheet) {
    for line in &mut sheet.lines {
        if let Some((_, sentence)) = &mut line.refused
            && let Some(near) = unknown::near_command(table, on, &line.text)
        {
            *sentence = format!("{near} {sentence}");
        }
    }
}

/// What may not change once the deadline is over (clock.md 3.1).
fn late_rules(table: &Table, sheet: &mut Sheet) {
    let past = table.past_deadline() && table.no_vacancy();
    let mut faults = Vec::new();
    for (seat, set) in &sheet.sets {
        let on_file = table.referee.on_file(&table.game, seat);
        if past && set.is_empty() {
            faults.push(("E_LATE_EMPTY", "The deadline is over: orders can no longer be taken back, only replaced."));
        } else if past && table.rule(Rule::NoLateChanges) && !on_file.is_empty() && *set != on_file {
            faults
                .push(("E_LATE_CHANGE", "The deadline is over: in this game orders on file can no longer be changed."));
        } else if table.rule(Rule::MustOrder) && set.is_empty() && !on_file.is_empty() {
            faults.push(("E_MUST_ORDER", "In this game orders once given may be replaced but not taken back."));
        }
    }
    faults.dedup();
    sheet.faults.extend(faults.into_iter().map(|(c, s)| (c.to_string(), s.to_string())));
}

/// Adds the verdict on every order line to the reply.
pub fn report(reply: &mut Reply, lines: &[Line], sheet: &Sheet, stored: bool) {
    for order in &sheet.lines {
        let number = lines.get(order.line).map_or(0, |l| l.number);
        match &order.refused {
            Some((code, sentence)) => reply.detail(number, Mark::Error, masked(&order.text), code, sentence),
            None if stored => reply.note(number, Mark::Ok, shown(&order.text, &order.canonical)),
            None => reply.note(number, Mark::Good, order.text.clone()),
        }
        for (code, sentence) in &order.warnings {
            reply.detail(number, Mark::Warn, order.text.clone(), code, sentence);
        }
    }
    let last = lines.last().map_or(0, |l| l.number);
    for (code, sentence) in &sheet.faults {
        reply.detail(last, Mark::Error, "(the sheet)", code, sentence);
    }
    for (code, sentence) in &sheet.warnings {
        reply.detail(last, Mark::Warn, "(the sheet)", code, sentence);
    }
}

/// What was typed, and how it was read where that differs.
fn shown(text: &str, canonical: &[String]) -> String {
    let read = canonical.join("; ");
    if read.is_empty() || read.eq_ignore_ascii_case(text) { text.to_string() } else { format!("{text}   = {read}") }
}

/// SET with a word that is none of its commands, taken out of the lines of the sheet: an order it is only where SET is a
/// place of the map (mail-commands.md 4).
pub fn unknown_sets(table: &Table, on: &SignedOn, acting: &Acting, lines: &mut Vec<Line>) -> Vec<(Line, Refusal)> {
    let is_set = |line: &Line| line.text.split_whitespace().next().is_some_and(|w| w.eq_ignore_ascii_case("SET"));
    let unknown = |line: &Line| is_set(line) && read(table, on, acting, std::slice::from_ref(line)).faulty();
    let found: Vec<Line> = lines.iter().filter(|line| unknown(line)).cloned().collect();
    lines.retain(|line| !found.iter().any(|f| f.number == line.number));
    let refusal = |line: &Line| {
        let near = unknown::near_set(table, on, &line.text).map(|near| format!("{near} ")).unwrap_or_default();
        let sentence = format!(
            "{near}SET knows ADDRESS, PASSWORD, WAIT, NOWAIT, ABSENCE, ZONE, STRICT, NOTIFY, VOTE, DRAW, CONCEDE and, for \
             the Master, DEADLINE, NOABSENCE, LISTED and UNLISTED."
        );
        Refusal { code: Code::UnknownSet, sentence }
    };
    found.into_iter().map(|line| (line.clone(), refusal(&line))).collect()
}

/// N12 to others than the player: the Master under ALWAYS_CONFIRM, all under BROADCAST_ORDERS (rules.md 2.4).
pub fn show_others(desk: &mut Desk, on: &SignedOn, sheet: &Sheet) {
    let table = &desk.table;
    let all = table.rule(Rule::BroadcastOrders);
    if !(all || table.rule(Rule::AlwaysConfirm)) || sheet.sets.is_empty() {
        return;
    }
    let Who::Seat(n) = on.who else { return };
    let own = table.recipients(&[n]);
    let mut to = if all { table.circle(Circle::All) } else { table.master_recipients() };
    to.retain(|r| !own.iter().any(|o| o.address.eq_ignore_ascii_case(&r.address)));
    let subject = format!("Diplomacy orders {} {}", table.game.name, table.phase());
    let text = format!("{}{}\n[end of the orders]\n", table.header(), on_file(table, on, false));
    let letters = table.letters(&to, "N12", &subject, &text);
    desk.decision.letters.extend(letters);
}

/// Puts the sets of an accepted sheet on file.
pub fn store(desk: &mut Desk, on: &SignedOn, sheet: &Sheet) {
    let _ = on;
    for (seat, set) in &sheet.sets {
        desk.table.referee.store(&mut desk.table.game, seat, set);
        if let Some(n) = desk.table.seat_index(seat) {
            desk.table.game.participants[n].cd = false;
        }
    }
    desk.ordered = true;
}

/// The body of N12: orders on file, WAIT, deadline, what is missing.
pub fn confirmation(table: &Table, on: &SignedOn) -> String {
    format!("{}{}\nDeadline: {}\n[end of the orders]\n", table.header(), sets(table, on), table.deadline_long())
}

/// What is on file for the seats that this person orders for.
pub fn sets(table: &Table, on: &SignedOn) -> String {
    on_file(table, on, true)
}

/// The same; `whole`: with what only the player, his controller and the Master may know besides.
fn on_file(table: &Table, on: &SignedOn, whole: bool) -> String {
    let mut text = String::new();
    let seats: Vec<usize> = match &on.who {
        Who::Master | Who::Keeper => {
            (0..table.game.participants.len()).filter(|n| table.is_power(&Who::Seat(*n))).collect()
        }
        Who::Seat(n) => {
            let own = table.game.participants[*n].name.clone();
            let mut list = vec![*n];
            list.extend(
                (0..table.game.participants.len())
                    .filter(|m| table.game.participants[*m].control.first() == Some(&own)),
            );
            list
        }
    };
    let owing = table.referee.owing(&table.game);
    for n in seats {
        let p = &table.game.participants[n];
        if p.kind != ParticipantKind::Power {
            continue;
        }
        let name = table.title_of(p);
        text += &format!("\nCurrent orders for {name}, {}:\n", table.phase());
        let orders = table.referee.on_file(&table.game, &p.name);
        if orders.is_empty() {
            text += "  (None)\n";
        }
        for order in orders {
            text += &format!("  {order}\n");
        }
        if whole && owing.contains(&p.name) {
            text += "  Orders are still due.\n";
        }
        if whole && p.wait {
            text += "  WAIT is set: the phase is not processed before the deadline.\n";
        }
    }
    text
}
