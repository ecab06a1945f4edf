//! A sign-on's body in two passes under one lock (mail-commands.md 4.1): the first reads and checks everything without
//! acting, the second acts in the order written, with one write of the game.

use super::code::{Code, Refusal};
use super::commands::{Block, Command, Item, Line};
use super::decision::{Decision, FileEdit};
use super::press::{self, Official, Press};
use super::reply::{Mark, Reply, masked};
use super::signon::{Rank, SignedOn};
use super::table::{Registry, Secrets, Table, Who};
use super::{acts, orders, process};
use crate::mail::Letter;
use crate::referee::{Acting, Sheet};

/// Who wrote.
#[derive(Clone, Debug, Default)]
pub struct Sender {
    /// Address the judge works with, lower case.
    pub address: String,
    /// Display name.
    pub name: Option<String>,
    /// Message-ID of the message, with angle brackets.
    pub message_id: Option<String>,
}

/// What is handed to every command.
pub struct Tools<'a> {
    /// Who wrote.
    pub sender: &'a Sender,
    /// Passwords.
    pub secrets: &'a dyn Secrets,
    /// People.
    pub registry: &'a dyn Registry,
}

/// What a block makes of a game, and its part of the reply.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What shall be done.
    pub decision: Decision,
    /// What the sender is told.
    pub reply: Reply,
}

/// The state of a decision in the making.
pub struct Desk<'t, 'a> {
    /// The game; commands change it in place.
    pub table: &'t mut Table<'a>,
    /// Letters and file edits so far.
    pub decision: Decision,
    /// The reply so far.
    pub reply: Reply,
    /// Subject set by OFFICIAL.
    pub official: Official,
    /// Phase to be processed at the end.
    pub process: Option<Processing>,
    /// Whether the game may be ready now (orders came in).
    pub ordered: bool,
    /// Whether a vote changed.
    pub voted: bool,
    /// Digests that leave now: they are not collected again.
    pub digests: Vec<Letter>,
}

/// Why a phase is processed at the end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processing {
    /// PROCESS, PROCESS!
    Now,
    /// PREVIEW
    Preview,
}

impl<'t, 'a> Desk<'t, 'a> {
    /// An empty desk over a game.
    pub fn new(table: &'t mut Table<'a>) -> Desk<'t, 'a> {
        let reply = Reply { game: Some(table.game.name.clone()), ..Reply::default() };
        Desk {
            table,
            decision: Decision::default(),
            reply,
            official: Official::default(),
            process: None,
            ordered: false,
            voted: false,
            digests: Vec::new(),
        }
    }

    /// Closes the desk: the decision holds the game if it changed.
    pub fn close(mut self, before: &crate::status::Game, index: &super::IndexLine, audit: String) -> Outcome {
        if self.table.game != *before {
            self.decision.game = Some(self.table.game.clone());
        }
        if self.table.index != *index {
            self.decision.index = Some(self.table.index.clone());
        }
        self.decision.audit = audit;
        super::wants::put_together(&mut self);
        Outcome { decision: self.decision, reply: self.reply }
    }
}

/// An item that passed its own checks.
enum Checked {
    Press(Line, Press),
    Command(Line, Command),
    /// The whole submission, at the place of its last line.
    Orders,
}

/// What the first pass found.
pub struct Plan {
    checked: Vec<Checked>,
    /// Refused commands (press options included).
    wrong: Vec<(Line, Refusal)>,
    order_lines: Vec<Line>,
    sheet: Option<Sheet>,
    trailing: Vec<Line>,
}

impl Plan {
    /// Whether anything at all was refused.
    pub fn has_errors(&self) -> bool {
        !self.wrong.is_empty() || self.sheet.as_ref().is_some_and(|s| s.faulty())
    }
}

/// Pass 1.
pub fn plan(table: &Table, on: &SignedOn, block: &Block, tools: &Tools) -> Plan {
    let mut plan =
        Plan { checked: Vec::new(), wrong: Vec::new(), order_lines: Vec::new(), sheet: None, trailing: Vec::new() };
    let mut votes = 0;
    for item in &block.items {
        match item {
            Item::Wrong(line, refusal) => plan.wrong.push((line.clone(), refusal.clone())),
            Item::Press(press) => match press::check(table, &on.who, press) {
                Ok(checked) => plan.checked.push(Checked::Press(press.line.clone(), checked)),
                Err(refusal) => plan.wrong.push((press.line.clone(), refusal)),
            },
            Item::Command(line, command) => {
                if matches!(command, Command::Vote(_) | Command::VoteDraw) {
                    votes += 1;
                }
                let verdict = if votes > 1 && matches!(command, Command::Vote(_) | Command::VoteDraw) {
                    super::code::refuse(Code::BadVote, "One vote a sign-on.")
                } else {
                    acts::check(table, on, command, tools)
                };
                match verdict {
                    Ok(()) => plan.checked.push(Checked::Command(line.clone(), command.clone())),
                    Err(refusal) => plan.wrong.push((line.clone(), refusal)),
                }
            }
            Item::Order(line) => {
                plan.order_lines.push(line.clone());
                plan.checked.retain(|c| !matches!(c, Checked::Orders));
                plan.checked.push(Checked::Orders);
            }
        }
    }
    plan.trailing = orders::trailing_text(table, block, &mut plan.order_lines);
    if plan.order_lines.is_empty() {
        plan.checked.retain(|c| !matches!(c, Checked::Orders));
    } else {
        let acting = match &on.who {
            Who::Seat(n) => Acting::Seat(table.game.participants[*n].name.clone()),
            Who::Master | Who::Keeper => Acting::Master,
        };
        plan.sheet = Some(orders::read(table, on, &acting, &plan.order_lines));
    }
    plan
}

/// Pass 2: acts, or says why not. `nothing_on_error`: RESIGN, where any error in the body cancels all.
pub fn execute(
    desk: &mut Desk,
    on: &SignedOn,
    block: &Block,
    plan: Plan,
    tools: &Tools,
    nothing_on_error: bool,
) -> bool {
    for (line, code, sentence) in &block.warnings {
        desk.reply.warn(line, *code, sentence);
    }
    for line in &plan.trailing {
        desk.reply.warn(
            line,
            Code::TrailingText,
            "Taken for a farewell and not read, as it names no place and no power.",
        );
    }
    let sheet_bad = plan.sheet.as_ref().is_some_and(|s| !s.accepted());
    let errors = plan.has_errors();
    let all_refused = !plan.wrong.is_empty() || (nothing_on_error && errors);
    for (line, refusal) in &plan.wrong {
        desk.reply.refuse(line, refusal);
    }
    let mut press_sent = false;
    for item in plan.checked {
        match item {
            Checked::Press(line, press) => {
                let what = press.describe(desk.table);
                if all_refused {
                    desk.reply.note(line.number, Mark::Skip, what);
                    continue;
                }
                let (letters, filed) = press::deliver(desk.table, &press, &desk.official);
                desk.decision.letters.extend(letters);
                desk.decision.files.push(FileEdit::Append("press".into(), filed));
                desk.reply.note(line.number, Mark::Ok, what);
                press_sent = true;
            }
            Checked::Command(line, command) => {
                if all_refused || sheet_bad {
                    desk.reply.note(line.number, Mark::Skip, masked(&line.text));
                } else {
                    acts::act(desk, on, &line, &command, tools);
                }
            }
            Checked::Orders => {
                let Some(sheet) = &plan.sheet else { continue };
                let store = !all_refused && !sheet_bad;
                orders::report(&mut desk.reply, &plan.order_lines, sheet, store);
                if store {
                    orders::store(desk, on, sheet);
                }
            }
        }
    }
    let any_order_error = plan.sheet.as_ref().is_some_and(|s| s.faulty());
    if all_refused || sheet_bad {
        let first = desk.reply.entries.iter().filter(|e| e.mark == Mark::Error).map(|e| e.number).min().unwrap_or(0);
        let head = if press_sent { "Press was sent. Nothing else was changed" } else { "Nothing was changed" };
        let mut text = format!("{head}, because of the error in line {first}.");
        if sheet_bad && !all_refused && plan.order_lines.len() > 1 {
            text += "\n(Begin the sheet with the word PARTIAL to store the good lines alone.)";
        }
        desk.reply.paragraphs.push(text);
    } else if any_order_error {
        desk.reply.paragraphs.push("The good lines were stored, the refused ones were not.".into());
    }
    if !plan.order_lines.is_empty() || desk.reply.confirms_orders {
        desk.reply.confirms_orders = true;
        let text = orders::confirmation(desk.table, on);
        desk.reply.paragraphs.push(text);
    }
    !(all_refused || sheet_bad)
}

/// What follows the body: votes that end the game, phases that are ready.
pub fn finish(desk: &mut Desk, tools: &Tools) {
    let _ = tools;
    if desk.voted {
        super::votes::settle(desk);
    }
    match desk.process.take() {
        Some(Processing::Now) => process::run(desk, process::Cause::Master),
        Some(Processing::Preview) => process::preview(desk),
        None if desk.ordered => process::after_orders(desk),
        None => {}
    }
}

/// SIGNON and what follows it.
pub fn signed_on(table: &mut Table, on: &SignedOn, block: &Block, tools: &Tools) -> Outcome {
    let (before, index) = (table.game.clone(), table.index.clone());
    let plan = plan(table, on, block, tools);
    let title = table.title(&on.who);
    let mut desk = Desk::new(table);
    desk.reply.note(block.line.number, Mark::Ok, format!("{} ({title})", masked(&block.line.text)));
    let done = execute(&mut desk, on, block, plan, tools, false);
    if done {
        finish(&mut desk, tools);
    }
    note_stranger(&mut desk, on, tools);
    desk.reply.outcome = if done { "executed" } else { "refused" }.into();
    access(&mut desk, on, tools);
    let audit = format!("{} by mail of {}", title, tools.sender.address);
    desk.close(&before, &index, audit)
}

/// Access log: who, from where, ok; never a password.
pub fn access(desk: &mut Desk, on: &SignedOn, tools: &Tools) {
    let rank = match on.rank {
        Rank::Own => "",
        Rank::Master => " by the Master",
        Rank::Keeper => " by the judgekeeper",
    };
    let line = format!(
        "{} {} {} ok{rank}\n",
        desk.table.now.format("%Y-%m-%dT%H:%M:%SZ"),
        tools.sender.address,
        desk.table.title(&on.who).to_uppercase()
    );
    desk.decision.files.push(FileEdit::Append("access".into(), line));
}

/// A sign-on from an address that is not on file: the address on file reads the same text (mail-commands.md 5.2).
pub fn note_stranger(desk: &mut Desk, on: &SignedOn, tools: &Tools) {
    let on_file = match &on.who {
        Who::Seat(n) => desk.table.game.participants.get(*n).map(|p| desk.table.addresses(p)).unwrap_or_default(),
        Who::Master => desk.table.master_addresses(),
        Who::Keeper => Vec::new(),
    };
    let known = on_file.iter().any(|a| a.eq_ignore_ascii_case(&tools.sender.address));
    if on.rank == Rank::Own && !known && !on_file.is_empty() {
        desk.reply.paragraphs.push(format!(
            "This was sent from {}, which is not the address on file for {}. Both addresses get this mail.",
            tools.sender.address,
            desk.table.title(&on.who)
        ));
        desk.reply.copies = on_file;
    } else if on.rank == Rank::Master && on.who == Who::Master && !known && !on_file.is_empty() {
        desk.reply.paragraphs.push(format!(
            "This was sent from {}, which is not the Master's address on file. Both addresses get this mail.",
            tools.sender.address
        ));
        desk.reply.copies = on_file;
    }
}
