//! A whole submission (orders.md 2, 5.2, 5.4): lines to orders of one or several powers, all or nothing, or PARTIAL.

use super::clean::{clean, pieces, without_comment, without_notes};
use super::code::{Code, Fault, Remark, Warning};
use super::entry::{Entry, Parsed};
use super::{Board, Lexicon, OrderContext, adjustment, check_words, parse_order, phrase, prefix};
use crate::diplomacy::map::{Map, PowerId, ProvinceId};
use crate::diplomacy::order::Order;
use crate::diplomacy::phase::Phase;
use crate::diplomacy::position::Unit;
use crate::diplomacy::rules::{Rule, Rules};
use std::collections::BTreeMap;

/// Who sends a sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signer {
    /// A power, with the powers it controls besides itself (vassals).
    Power(PowerId, Vec<PowerId>),
    /// The Master or the judgekeeper: every power, by prefix.
    Master,
    /// Observers and monitors: none.
    Observer,
}

/// What a sheet is read against.
#[derive(Clone, Copy, Debug)]
pub struct SheetContext<'a> {
    /// The map.
    pub map: &'a Map,
    /// Its names.
    pub lexicon: &'a Lexicon,
    /// The phase.
    pub phase: &'a Phase,
    /// The position.
    pub board: &'a Board,
    /// Rules in force.
    pub rules: &'a Rules,
    /// Who sends it.
    pub signer: &'a Signer,
    /// Powers without a player that are known as such.
    pub dummies: &'a [PowerId],
    /// Powers that are out of the game.
    pub eliminated: &'a [PowerId],
    /// The deadline has passed and no seat is vacant.
    pub late: bool,
    /// Whether PARTIAL is understood (not in Payola and Crystal Ball).
    pub partial_allowed: bool,
}

impl<'a> SheetContext<'a> {
    /// The context of one power's orders.
    pub fn order(&self, power: PowerId) -> OrderContext<'a> {
        OrderContext {
            map: self.map,
            lexicon: self.lexicon,
            phase: self.phase,
            board: self.board,
            rules: self.rules,
            power,
            dummies: self.dummies,
            eliminated: self.eliminated,
        }
    }

    fn controls(&self, power: PowerId) -> bool {
        match self.signer {
            Signer::Power(own, vassals) => *own == power || vassals.contains(&power),
            Signer::Master => true,
            Signer::Observer => false,
        }
    }
}

/// What became of one line, or of one order of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// An order, understood and legal. KEEP has no canonical text.
    Good(Parsed),
    /// NO_CHECK: the words are known; stored as typed.
    Raw(String),
    /// The same order once more.
    Duplicate(Parsed, Remark),
    /// Refused.
    Refused(Fault),
    /// CLEAR.
    Clear,
    /// Forgotten because of a CLEAR below it.
    Forgotten,
}

/// A line of the reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineReport {
    /// Which line of the submission, from 0.
    pub line: usize,
    /// The order as typed.
    pub text: String,
    /// Whose it is, if that could be told.
    pub power: Option<PowerId>,
    /// What became of it.
    pub verdict: Verdict,
}

/// What is on file for a power after a good sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerSheet {
    /// The power.
    pub power: PowerId,
    /// Canonical lines (NO_CHECK: raw), in the order entered; replaces what was on file.
    pub orders: Vec<String>,
    /// The power ended cleared, without orders.
    pub cleared: bool,
    /// Units still without an order.
    pub unordered: Vec<Unit>,
    /// Orders that were not on file before.
    pub changed: Vec<String>,
}

/// What became of a submission.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SheetReport {
    /// It began with PARTIAL.
    pub partial: bool,
    /// Whether anything is to be stored: all or nothing, unless PARTIAL.
    pub accepted: bool,
    /// Line by line.
    pub lines: Vec<LineReport>,
    /// What is wrong with the sheet as a whole.
    pub faults: Vec<Fault>,
    /// Remarks about the sheet as a whole.
    pub remarks: Vec<Remark>,
    /// What to store, by power; empty unless accepted.
    pub stored: Vec<PowerSheet>,
}

impl SheetReport {
    /// Distinct error codes in order of first occurrence.
    pub fn errors(&self) -> Vec<Code> {
        let mut codes = Vec::new();
        let lines = self.lines.iter().filter_map(|line| match &line.verdict {
            Verdict::Refused(fault) => Some(fault),
            _ => None,
        });
        for fault in lines.chain(&self.faults) {
            if !codes.contains(&fault.code) {
                codes.push(fault.code);
            }
        }
        codes
    }

    /// Distinct warning codes in order of first occurrence.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut codes = Vec::new();
        for line in &self.lines {
            let (parsed, more) = match &line.verdict {
                Verdict::Good(parsed) => (parsed, None),
                Verdict::Duplicate(parsed, remark) => (parsed, Some(remark)),
                _ => continue,
            };
            codes.extend(parsed.remarks.iter().chain(more).map(|remark| remark.code));
        }
        codes.extend(self.remarks.iter().map(|remark| remark.code));
        let mut seen = Vec::new();
        codes.retain(|code| {
            !seen.contains(code) && {
                seen.push(*code);
                true
            }
        });
        codes
    }
}

/// Orders on file, by power, as stored.
pub type OnFile = BTreeMap<PowerId, Vec<String>>;

/// Reads a whole submission.
pub fn read_sheet(ctx: &SheetContext<'_>, lines: &[&str], on_file: &OnFile) -> SheetReport {
    let mut sheet = Reading::new(ctx, true, on_file);
    let first = lines.iter().position(|line| !without_comment(line).trim().is_empty());
    let is_partial = |at: &usize| lines.get(*at).is_some_and(|line| clean(without_comment(line)).trim() == "PARTIAL");
    if let Some(at) = first.filter(is_partial) {
        sheet.report.partial = true;
        let unfit = ctx.phase.letter() == 'A' || !ctx.partial_allowed || ctx.rules.has(Rule::NoCheck);
        if unfit {
            let text = "No partial sheet here: these orders belong together. Send the whole set without PARTIAL.";
            sheet.report.faults.push(Fault::new(Code::Partial, text));
            return sheet.report;
        }
        sheet.read(lines, at + 1);
    } else {
        sheet.read(lines, 0);
    }
    sheet.conclude()
}

/// Reads lines each by itself: no completeness, no counts, nothing on file.
pub fn read_lines(ctx: &SheetContext<'_>, lines: &[&str]) -> SheetReport {
    let nothing = OnFile::new();
    let mut sheet = Reading::new(ctx, false, &nothing);
    sheet.read(lines, 0);
    sheet.conclude()
}

/// What has been read for one power so far.
#[derive(Default)]
struct Working {
    entries: Vec<Entry>,
    orders: Vec<String>,
    cleared: bool,
}

impl Working {
    fn built(&self, map: &Map) -> Vec<ProvinceId> {
        let builds = self.entries.iter().filter_map(|entry| match entry {
            Entry::Build { unit, .. } => Some(map.province_of(unit.at)),
            _ => None,
        });
        builds.collect()
    }
}

struct Reading<'c> {
    ctx: &'c SheetContext<'c>,
    /// A set, with its set checks; else single lines.
    set: bool,
    /// Something that refuses even a partial sheet.
    fatal: bool,
    on_file: &'c OnFile,
    powers: BTreeMap<PowerId, Working>,
    report: SheetReport,
}

impl<'c> Reading<'c> {
    fn new(ctx: &'c SheetContext<'c>, set: bool, on_file: &'c OnFile) -> Self {
        Reading { ctx, set, fatal: false, on_file, powers: BTreeMap::new(), report: SheetReport::default() }
    }

    fn read(&mut self, lines: &[&str], from: usize) {
        let mut current = match self.ctx.signer {
            Signer::Power(own, _) => Some(*own),
            Signer::Master | Signer::Observer => None,
        };
        for (number, line) in lines.iter().enumerate().skip(from) {
            let line = without_notes(without_comment(line));
            if clean(&line).trim().is_empty() {
                continue;
            }
            let (power, rest) = match prefix::split(self.ctx.lexicon, &line) {
                Some((power, rest)) => {
                    let alone = rest.trim().trim_matches(['.', ',', '-', ':']).is_empty();
                    if alone {
                        current = Some(power);
                    }
                    if !self.ctx.controls(power) {
                        self.no_control(number, &line, power);
                        continue;
                    }
                    if alone {
                        continue;
                    }
                    (Some(power), rest)
                }
                // Lines under the name of a power that is not the sender's fall with it.
                None => match current.filter(|power| !self.ctx.controls(*power)) {
                    Some(foreign) => {
                        self.no_control(number, &line, foreign);
                        continue;
                    }
                    None => (current, line.as_str()),
                },
            };
            for piece in pieces(rest, |piece| self.ctx.lexicon.is_one_place(piece)) {
                self.order(number, power, piece.trim());
            }
        }
    }

    fn no_control(&mut self, number: usize, line: &str, power: PowerId) {
        self.fatal = true;
        let title = &self.ctx.map[power].title;
        let fault = match self.ctx.signer {
            Signer::Observer => no_units(),
            _ => Fault::new(Code::NoControl, format!("You do not control {title}: leave its orders out.")),
        };
        self.line(number, line.trim(), None, Verdict::Refused(fault));
    }

    fn line(&mut self, line: usize, text: &str, power: Option<PowerId>, verdict: Verdict) {
        self.report.lines.push(LineReport { line, text: text.to_string(), power, verdict });
    }

    fn order(&mut self, number: usize, power: Option<PowerId>, text: &str) {
        let Some(power) = power else {
            self.fatal = true;
            return self.line(number, text, None, Verdict::Refused(no_units()));
        };
        if prefix::is_clear(text) {
            for line in self.report.lines.iter_mut().filter(|line| line.power == Some(power)) {
                line.verdict = match line.verdict {
                    Verdict::Clear => Verdict::Clear,
                    _ => Verdict::Forgotten,
                };
            }
            self.powers.insert(power, Working { cleared: true, ..Working::default() });
            return self.line(number, text, Some(power), Verdict::Clear);
        }
        let verdict = self.judge(power, text);
        if let Verdict::Refused(fault) = &verdict {
            self.fatal |= fault.code == Code::NotSupported;
        }
        self.line(number, text, Some(power), verdict);
    }

    fn judge(&mut self, power: PowerId, text: &str) -> Verdict {
        let ctx = self.ctx.order(power);
        let working = self.powers.entry(power).or_default();
        if ctx.rules.has(Rule::NoCheck) && !matches!(ctx.phase.letter(), 'R' | 'A') {
            return match check_words(&ctx, text) {
                Ok(()) => {
                    working.orders.push(text.to_string());
                    Verdict::Raw(text.to_string())
                }
                Err(fault) => Verdict::Refused(fault),
            };
        }
        let parsed = if self.set && ctx.phase.letter() == 'A' {
            let cleaned = clean(text);
            super::advance_order(&ctx, &cleaned)
                .and_then(|()| phrase::read(ctx.map, ctx.lexicon, 'A', &cleaned, false))
                .and_then(|phrase| adjustment::check_after(&ctx, phrase, &working.built(ctx.map)))
                .and_then(|parsed| adjustment::clash(&ctx, &working.entries, &parsed.entry).map(|()| parsed))
        } else {
            parse_order(&ctx, text)
        };
        let parsed = match parsed {
            Ok(parsed) => parsed,
            Err(fault) => return Verdict::Refused(fault),
        };
        if self.set && ctx.phase.letter() != 'A' {
            for earlier in &working.entries {
                if earlier.unit() != parsed.entry.unit() || proxied_apart(earlier, &parsed.entry) {
                    continue;
                }
                let before = earlier.canonical(ctx.map);
                if before == parsed.canonical {
                    let text = format!("{before} stands twice.");
                    return Verdict::Duplicate(parsed, Remark::new(Warning::Duplicate, text));
                }
                let text = format!("{} has another order above: {before}. Leave one of them out.", unit_of(&before));
                return Verdict::Refused(Fault::new(Code::Reordered, text));
            }
        }
        let frozen = self.report.partial && self.ctx.late && ctx.rules.has(Rule::NoLateChanges);
        let before = self.on_file.get(&power).map_or(&[][..], Vec::as_slice);
        let unit = unit_of(&parsed.canonical);
        if frozen && !before.contains(&parsed.canonical) && before.iter().any(|old| unit_of(old) == unit) {
            let text = format!("The deadline has passed: the order of {unit} cannot be changed any more.");
            return Verdict::Refused(Fault::new(Code::LateChange, text));
        }
        let times = match parsed.entry {
            Entry::Keep { .. } => 0,
            Entry::Waive(_) if self.set => 0,
            Entry::Waive(number) => number.unwrap_or(1) as usize,
            _ => 1,
        };
        working.orders.extend(std::iter::repeat_n(parsed.canonical.clone(), times));
        working.entries.push(parsed.entry.clone());
        Verdict::Good(parsed)
    }

    fn conclude(mut self) -> SheetReport {
        let refused = self.report.lines.iter().any(|line| matches!(line.verdict, Verdict::Refused(_)));
        let good = self.report.lines.iter().any(|line| {
            matches!(line.verdict, Verdict::Good(_) | Verdict::Raw(_) | Verdict::Duplicate(..) | Verdict::Clear)
        });
        if self.fatal || (refused && !(self.report.partial && good)) {
            return self.report;
        }
        if !self.set {
            let powers = std::mem::take(&mut self.powers);
            self.report.stored = powers.into_iter().map(|(power, working)| plain(power, working)).collect();
            self.report.accepted = true;
            return self.report;
        }
        let powers = std::mem::take(&mut self.powers);
        for (power, working) in powers {
            let before = self.on_file.get(&power).map_or(&[][..], Vec::as_slice);
            self.settle(power, working, before);
        }
        self.report.accepted = self.report.faults.is_empty();
        if !self.report.accepted {
            self.report.stored.clear();
        }
        self.report
    }

    /// The set checks of one power.
    fn settle(&mut self, power: PowerId, working: Working, before: &[String]) {
        let ctx = self.ctx.order(power);
        let rules = ctx.rules;
        let phase = ctx.phase.letter();
        let touched =
            self.report.lines.iter().any(|line| {
                line.power == Some(power) && !matches!(line.verdict, Verdict::Refused(_) | Verdict::Forgotten)
            });
        if !touched {
            return;
        }
        let ended_clear = working.cleared && working.entries.is_empty() && working.orders.is_empty();
        let mut orders = working.orders;
        let mut fault = None;
        if phase == 'A' && !ended_clear {
            match adjustment::settle_set(&ctx, &working.entries) {
                Ok(lines) => orders = lines,
                Err(error) => fault = Some(error),
            }
        }
        if self.report.partial {
            orders = merge(if working.cleared { &[] } else { before }, orders);
        } else if rules.has(Rule::NoLateChanges) && self.ctx.late && !before.is_empty() && !same_set(before, &orders) {
            let text = "The deadline has passed: orders on file cannot be changed any more.";
            fault = fault.or(Some(Fault::new(Code::LateChange, text)));
        }
        let unordered = match phase {
            'A' => Vec::new(),
            _ => missing(&ctx, &orders),
        };
        let lenient = phase != 'R' && (rules.has(Rule::DefaultUnordered) || rules.has(Rule::NoCheck));
        if !unordered.is_empty() && !ended_clear && !lenient {
            let list: Vec<String> = unordered.iter().map(|unit| ctx.unit_text(*unit)).collect();
            if self.report.partial {
                let text = format!("Still without an order: {}.", list.join(", "));
                self.report.remarks.push(Remark::new(Warning::Unordered, text));
            } else {
                let text = format!(
                    "No order for {}. Send the whole set again with {}, or begin the sheet with PARTIAL.",
                    list.join(", "),
                    if list.len() == 1 { "it" } else { "them" }
                );
                fault = fault.or(Some(Fault::new(Code::Unordered, text)));
            }
        }
        if orders.is_empty() && ended_clear {
            if rules.has(Rule::MustOrder) && !before.is_empty() {
                let text = "In this game orders on file can be replaced, not taken back.";
                fault = fault.or(Some(Fault::new(Code::MustOrder, text)));
            } else if self.ctx.late {
                let text = "The deadline has passed: without orders you would be late.";
                fault = fault.or(Some(Fault::new(Code::LateEmpty, text)));
            }
        }
        self.report.faults.extend(fault);
        let changed = orders.iter().filter(|order| !before.contains(order)).cloned().collect();
        self.report.stored.push(PowerSheet { power, orders, cleared: ended_clear, unordered, changed });
    }
}

fn no_units() -> Fault {
    Fault::new(
        Code::NoUnits,
        "You have no units of your own here. A Master names the power before its orders: [ENGLAND].",
    )
}

fn plain(power: PowerId, working: Working) -> PowerSheet {
    let changed = working.orders.clone();
    PowerSheet { power, orders: working.orders, cleared: working.cleared, unordered: Vec::new(), changed }
}

/// A proxy and an order of one's own may stand in one list: the later counts (orders.md 8).
fn proxied_apart(a: &Entry, b: &Entry) -> bool {
    let proxy = |entry: &Entry| matches!(entry, Entry::Movement { order: Order::Proxy(_), .. });
    proxy(a) != proxy(b)
}

/// The unit at the head of a canonical line: `RETREAT F DEN - HEL` gives `F DEN`.
pub fn unit_of(line: &str) -> &str {
    let line =
        ["RETREAT ", "DISBAND ", "REMOVE ", "BUILD "].iter().find_map(|verb| line.strip_prefix(verb)).unwrap_or(line);
    let end = line.match_indices(' ').nth(1).map_or(line.len(), |(at, _)| at);
    line.get(..end).unwrap_or(line)
}

/// Good lines replace the order on file of their unit, in its place; the rest stays.
fn merge(before: &[String], new: Vec<String>) -> Vec<String> {
    let mut merged: Vec<String> = Vec::new();
    let mut done: Vec<&str> = Vec::new();
    for old in before {
        let unit = unit_of(old);
        let replacing = new.iter().filter(|order| unit_of(order) == unit);
        if replacing.clone().next().is_none() {
            merged.push(old.clone());
        } else if !done.contains(&unit) {
            done.push(unit);
            merged.extend(replacing.cloned());
        }
    }
    merged.extend(new.iter().filter(|order| !done.contains(&unit_of(order))).cloned());
    merged
}

fn same_set(a: &[String], b: &[String]) -> bool {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    a.sort_unstable();
    b.sort_unstable();
    a == b
}

/// Own units (in retreats: dislodged ones) without a line.
fn missing(ctx: &OrderContext<'_>, orders: &[String]) -> Vec<Unit> {
    let ordered: Vec<&str> = orders.iter().map(|order| unit_of(order)).collect();
    let units: Vec<Unit> = match ctx.phase.letter() {
        'R' => ctx.board.dislodged_of(ctx.power).iter().map(|(unit, _)| *unit).collect(),
        _ => ctx.board.units_of(ctx.power).to_vec(),
    };
    units.into_iter().filter(|unit| !ordered.contains(&ctx.unit_text(*unit).as_str())).collect()
}
