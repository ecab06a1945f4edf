//! A sign-on's body in two passes under one lock (mail-commands.md 4.1): the first reads and checks everything without
//! acting, the second acts in the order written, with one write of the game.

use super::code::{Code, Refusal, refuse};
use super::commands::{Block, Command, Item, Line};
use super::decision::{Decision, FileEdit};
use super::pending::seeing;
use super::press::{self, Official, Press};
use super::reply::{Mark, Reply, masked};
use super::signon::{Rank, SignedOn};
use super::table::{Registry, Secrets, Table, Who};
use super::{acts, orders, process, quota, unknown};
use crate::mail::Letter;
use crate::referee::{Acting, Sheet};
use crate::status::Vote;

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
    /// Whether a preview is wanted at the end, before anything is processed.
    pub preview: bool,
    /// Whether the phase is processed at the end (PROCESS, PROCESS!).
    pub process: bool,
    /// What stands behind PROCESS: said of the phase that follows.
    pub behind: Vec<(SignedOn, Line, Command)>,
    /// Whether the game may be ready now (orders came in).
    pub ordered: bool,
    /// Whether a vote changed.
    pub voted: bool,
    /// Digests that leave now: they are not collected again.
    pub digests: Vec<Letter>,
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
            preview: false,
            process: false,
            behind: Vec::new(),
            ordered: false,
            voted: false,
            digests: Vec::new(),
        }
    }

    /// Closes the desk: the decision holds the game if it changed.
    pub fn close(mut self, before: &crate::status::Game, index: &super::IndexLine, audit: String) -> Outcome {
        if self.table.game != *before {
            super::upkeep::keep(self.table);
            self.decision.game = Some(self.table.game.clone());
        }
        if self.table.index != *index {
            self.decision.index = Some(self.table.index.clone());
        }
        self.decision.files.extend(super::account::edit(self.table));
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
    /// Lines taken for a farewell, and the command that one may have been meant for.
    trailing: Vec<(Option<unknown::Near>, Line)>,
    /// The other half of a message with BECOME has a refused command: nothing of this one is done either.
    halted: bool,
    /// The other half has a refused sheet: nothing but press of this one.
    held: bool,
}

impl Plan {
    fn sheet_refused(&self) -> bool {
        self.sheet.as_ref().is_some_and(|s| !s.accepted())
    }

    /// Whether anything at all was refused.
    pub fn has_errors(&self) -> bool {
        !self.wrong.is_empty() || self.sheet.as_ref().is_some_and(|s| s.faulty())
    }
}

/// Pass 1.
pub fn plan(table: &Table, on: &SignedOn, block: &Block, tools: &Tools) -> Plan {
    let mut plan = Plan {
        checked: Vec::new(),
        wrong: Vec::new(),
        order_lines: Vec::new(),
        sheet: None,
        trailing: Vec::new(),
        halted: false,
        held: false,
    };
    let mut votes = 0;
    // Today's press of this seat, once there is any in this message.
    let mut written = None;
    // VOTE NO and PROPOSE may stand in one message, in that order (mail-commands.md 4.2).
    let mut running = table.game.proposal.is_some();
    let mut processed = false;
    for item in &block.items {
        match item {
            Item::Wrong(line, refusal) => plan.wrong.push((line.clone(), refusal.clone())),
            Item::Press(press) => match press::check(table, &on.who, press).and_then(|checked| {
                let before = *written.get_or_insert_with(|| quota::spent(table, &on.who));
                quota::allows(before, checked.bytes())?;
                written = Some(before + checked.bytes());
                Ok(checked)
            }) {
                Ok(checked) => plan.checked.push(Checked::Press(press.line.clone(), checked)),
                Err(refusal) => plan.wrong.push((press.line.clone(), refusal)),
            },
            Item::Command(line, command) => {
                if matches!(command, Command::Vote(_) | Command::VoteDraw) {
                    votes += 1;
                }
                let verdict = if votes > 1 && matches!(command, Command::Vote(_) | Command::VoteDraw) {
                    refuse(Code::BadVote, "One vote a sign-on.")
                } else {
                    acts::check(table, on, command, tools)
                };
                let verdict = verdict.and_then(|()| match command {
                    Command::Process { .. } if std::mem::replace(&mut processed, true) => {
                        refuse(Code::Syntax, "One PROCESS a mail.")
                    }
                    Command::Rollback(_) | Command::Rollforward(_) if processed => refuse(
                        Code::BadState,
                        "Behind PROCESS that needs a mail of its own, when the phase is processed.",
                    ),
                    Command::Propose(_) if std::mem::replace(&mut running, true) => super::votes::one_runs(),
                    Command::Vote(Vote::No) | Command::WithdrawProposal => {
                        running = false;
                        Ok(())
                    }
                    _ => Ok(()),
                });
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
    let farewell = orders::trailing_text(table, block, &mut plan.order_lines);
    plan.trailing = farewell.into_iter().map(|line| (unknown::near_command(table, on, &line.text), line)).collect();
    let acting = match &on.who {
        Who::Seat(n) => Acting::Seat(table.game.participants[*n].name.clone()),
        Who::Master | Who::Keeper => Acting::Master,
    };
    plan.wrong.extend(orders::unknown_sets(table, on, &acting, &mut plan.order_lines));
    if plan.order_lines.is_empty() {
        plan.checked.retain(|c| !matches!(c, Checked::Orders));
    } else {
        let mut sheet = orders::read(table, on, &acting, &plan.order_lines);
        orders::ask_back(table, on, &mut sheet);
        plan.sheet = Some(sheet);
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
    for (near, line) in &plan.trailing {
        let near = near.as_ref().map(|near| format!("{near} ")).unwrap_or_default();
        let sentence = format!("{near}Taken for a farewell and not read, as it names no place and no power.");
        desk.reply.warn(line, Code::TrailingText, &sentence);
    }
    let sheet_bad = plan.sheet_refused() || plan.held;
    let errors = plan.has_errors();
    let all_refused = !plan.wrong.is_empty() || plan.halted || (nothing_on_error && errors);
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
                quota::note(desk, &on.who, press.bytes());
                desk.reply.note(line.number, Mark::Ok, what);
                press_sent = true;
            }
            Checked::Command(line, command) => {
                if all_refused || sheet_bad {
                    desk.reply.note(line.number, Mark::Skip, masked(&line.text));
                } else if desk.process && !matches!(command, Command::Official(_)) {
                    desk.behind.push((on.clone(), line, command));
                } else {
                    seeing(desk, |desk| acts::act(desk, on, &line, &command, tools));
                }
            }
            Checked::Orders => {
                let Some(sheet) = &plan.sheet else { continue };
                let store = !all_refused && !sheet_bad;
                orders::report(&mut desk.reply, &plan.order_lines, sheet, store);
                if store {
                    orders::store(desk, on, sheet);
                    orders::show_others(desk, on, sheet);
                }
            }
        }
    }
    let any_order_error = plan.sheet.as_ref().is_some_and(|s| s.faulty());
    if (all_refused || sheet_bad) && !errors {
        // The other half says why.
    } else if all_refused || sheet_bad {
        let first = desk.reply.entries.iter().filter(|e| e.mark == Mark::Error).map(|e| e.number).min().unwrap_or(0);
        let head = if press_sent { "Press was sent. Nothing else was changed" } else { "Nothing was changed" };
        let mut text = format!("{head}, because line {first} has an error.");
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

/// What follows the body: votes that end the game, phases that are ready, and what was said behind PROCESS. That was
/// checked of the phase before, and is checked again.
pub fn finish(desk: &mut Desk, tools: &Tools) {
    wind_up(desk);
    let behind = std::mem::take(&mut desk.behind);
    if behind.is_empty() {
        return;
    }
    let ordered = std::mem::take(&mut desk.ordered);
    for (on, line, command) in behind {
        seeing(desk, |desk| match acts::check(desk.table, &on, &command, tools) {
            Ok(()) => acts::act(desk, &on, &line, &command, tools),
            Err(refusal) => desk.reply.refuse(&line, &refusal),
        });
        if desk.process || desk.preview {
            wind_up(desk);
        }
    }
    if desk.voted || desk.ordered {
        wind_up(desk);
    }
    desk.ordered |= ordered;
}

fn wind_up(desk: &mut Desk) {
    if std::mem::take(&mut desk.voted) {
        seeing(desk, super::votes::settle);
    }
    if std::mem::take(&mut desk.preview) {
        process::preview(desk);
    }
    if std::mem::take(&mut desk.process) {
        seeing(desk, |desk| process::run(desk, process::Cause::Master));
    } else if desk.ordered {
        seeing(desk, process::after_orders);
    }
}

/// SIGNON and what follows it.
pub fn signed_on(table: &mut Table, on: &SignedOn, block: &Block, tools: &Tools) -> Outcome {
    let (before, index) = (table.game.clone(), table.index.clone());
    let title = table.title(&on.who);
    let shown = format!("{} ({title})", masked(&block.line.text));
    let (mut desk, done) = match becoming(table, on, block) {
        None => {
            let plan = plan(table, on, block, tools);
            let mut desk = Desk::new(table);
            desk.reply.note(block.line.number, Mark::Ok, shown);
            let done = execute(&mut desk, on, block, plan, tools, false);
            (desk, done)
        }
        Some(becoming) => {
            let mut own = plan(table, on, &becoming.before, tools);
            let mut other = plan(table, &becoming.on, &becoming.behind, tools);
            let wrong = !own.wrong.is_empty() || !other.wrong.is_empty();
            let refused = own.sheet_refused() || other.sheet_refused();
            for plan in [&mut own, &mut other] {
                (plan.halted, plan.held) = (wrong, refused);
            }
            let mut desk = Desk::new(table);
            desk.reply.note(block.line.number, Mark::Ok, shown);
            let done = execute(&mut desk, on, &becoming.before, own, tools, false);
            let player = desk.table.title(&becoming.on.who);
            let mark = if wrong || refused { Mark::Skip } else { Mark::Ok };
            desk.reply.note(
                becoming.line.number,
                mark,
                format!("{}: what follows is said as {player}", becoming.line.text),
            );
            let (entries, paragraphs) = (desk.reply.entries.len(), desk.reply.paragraphs.len());
            let done = execute(&mut desk, &becoming.on, &becoming.behind, other, tools, false) && done;
            if done {
                tell_impersonated(&mut desk, &becoming.on.who, entries, paragraphs);
            }
            (desk, done)
        }
    };
    if done {
        finish(&mut desk, tools);
    }
    note_stranger(&mut desk, on, tools);
    desk.reply.outcome = if done { "executed" } else { "refused" }.into();
    access(&mut desk, on, tools);
    let audit = format!("{} by mail of {}", title, tools.sender.address);
    desk.close(&before, &index, audit)
}

/// A message of the Master that goes on as a power (`BECOME`).
struct Becoming {
    before: Block,
    line: Line,
    on: SignedOn,
    behind: Block,
}

/// Where the Master becomes a power, if he does. Anybody else's BECOME, and a second one, is refused like any command.
fn becoming(table: &Table, on: &SignedOn, block: &Block) -> Option<Becoming> {
    if !matches!(on.who, Who::Master | Who::Keeper) {
        return None;
    }
    let named = |item: &Item| match item {
        Item::Command(line, Command::Become(power)) => Some((line.clone(), acts::power_named(table, power).ok()?)),
        _ => None,
    };
    let (at, (line, n)) = block.items.iter().enumerate().find_map(|(at, item)| Some((at, named(item)?)))?;
    let rank = if on.rank == Rank::Keeper { Rank::Keeper } else { Rank::Master };
    let half = |items: &[Item], warnings| Block { items: items.to_vec(), warnings, ..block.clone() };
    Some(Becoming {
        before: half(&block.items[..at], block.warnings.clone()),
        line,
        on: SignedOn { who: Who::Seat(n), rank },
        behind: half(&block.items[at + 1..], Vec::new()),
    })
}

/// The player reads what was done in his name: the lines of the reply from there on, and nothing of the rest.
fn tell_impersonated(desk: &mut Desk, who: &Who, entries: usize, paragraphs: usize) {
    let Who::Seat(n) = who else { return };
    let said = Reply {
        entries: desk.reply.entries[entries..].to_vec(),
        paragraphs: desk.reply.paragraphs[paragraphs..].to_vec(),
        ..Reply::default()
    };
    let text = format!(
        "The Master of game {} has written as {} in your place. This is what was done:\n\n{}",
        desk.table.game.name,
        desk.table.title(who),
        said.text()
    );
    let own = desk.table.recipients(&[*n]);
    let letters = desk.table.letters(&own, "N12", "Diplomacy orders by the Master", &text);
    desk.decision.letters.extend(letters);
}

/// Two powers of a public game that sign on from one address are named to the Master, once (N36).
fn same_origin(desk: &mut Desk, on: &SignedOn, tools: &Tools) {
    let (Who::Seat(n), Rank::Own) = (&on.who, on.rank) else { return };
    let table = &desk.table;
    let domain = tools.sender.address.rsplit('@').next().unwrap_or_default();
    let public = table.house.public_networks.iter().any(|p| p.eq_ignore_ascii_case(domain));
    if public || table.game.private.is_some() || !table.is_power(&on.who) || table.completed() {
        return;
    }
    let log = table.records.file("access").unwrap_or_default();
    // What was written before hashes were wanted counts, too.
    let origin = table.house.origin(&tools.sender.address);
    let is_here = |word: &str| word == origin || word.eq_ignore_ascii_case(&tools.sender.address);
    let from_here: Vec<&str> = log
        .lines()
        .filter_map(|line| match line.split_whitespace().collect::<Vec<_>>().as_slice() {
            [_, address, seat, "ok"] if is_here(address) => Some(*seat),
            _ => None,
        })
        .collect();
    let own = table.title(&on.who);
    if from_here.iter().any(|seat| seat.eq_ignore_ascii_case(&own)) {
        return;
    }
    let controls = |a: usize, b: usize| {
        let participants = &table.game.participants;
        participants[a].control.iter().any(|c| *c == participants[b].name)
    };
    let mut others: Vec<String> = Vec::new();
    for seat in from_here {
        let found = table.game.participants.iter().position(|p| table.title_of(p).eq_ignore_ascii_case(seat));
        if let Some(m) = found
            && table.is_power(&Who::Seat(m))
            && m != *n
            && !controls(m, *n)
            && !controls(*n, m)
            && !others.contains(&table.title(&Who::Seat(m)))
        {
            others.push(table.title(&Who::Seat(m)));
        }
    }
    if others.is_empty() {
        return;
    }
    let text = format!(
        "Two powers of game {} have signed on from one and the same mail address:\n\n    {}\n\nThat may have a good reason. \
         Nobody else was told.\n",
        table.game.name,
        super::post::and_list(&[std::slice::from_ref(&own), &others].concat())
    );
    let mut to = table.master_recipients();
    to.extend(table.house.detectives.iter().map(|a| super::post::Recipient { address: a.clone(), seat: None }));
    let letters = table.letters(&to, "N36", "Diplomacy suspicious activity", &text);
    desk.decision.letters.extend(letters);
}

/// Access log: who, from where, ok; never a password.
pub fn access(desk: &mut Desk, on: &SignedOn, tools: &Tools) {
    same_origin(desk, on, tools);
    let rank = match on.rank {
        Rank::Own => "",
        Rank::Master => " by the Master",
        Rank::Keeper => " by the judgekeeper",
    };
    let line = format!(
        "{} {} {} ok{rank}\n",
        desk.table.now.format("%Y-%m-%dT%H:%M:%SZ"),
        desk.table.house.origin(&tools.sender.address),
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
    } else if on.rank != Rank::Own && matches!(on.who, Who::Seat(_)) && desk.ordered && !known && !on_file.is_empty() {
        // Orders on file are confirmed to the address on file, whoever gave them (N12).
        desk.reply.paragraphs.push(format!(
            "This was done with the Master's password. {} reads this as well.",
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
