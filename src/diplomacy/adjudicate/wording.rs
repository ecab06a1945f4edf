//! Order lines of a case: the canonical text and the words of records are read exactly and fast; whatever else a
//! player may write goes through the generous reader of `orders/`, whose tables are made only when first needed.

use super::case::Table;
use super::estate::Estates;
use super::setup::Position;
use crate::diplomacy::map::PowerId;
use crate::diplomacy::notation::{self, AdjustOrder, RetreatOrder, Written};
use crate::diplomacy::order::Order;
use crate::diplomacy::orders::{self, Entry, SheetContext, Signer, Verdict};
use crate::diplomacy::phase::Phase;
use crate::diplomacy::rules::Rules;
use std::cell::OnceCell;

/// An order as read, by the kind of phase.
#[derive(Clone, Debug)]
pub(super) enum Line {
    Movement(Written<Order>),
    Retreat(Written<RetreatOrder>),
    Adjustment(AdjustOrder),
    /// Understood, without effect: KEEP, CLEAR.
    Nothing,
}

/// Reads the order lines of one phase.
pub(super) struct Reader<'a> {
    pub table: &'a Table,
    pub position: &'a Position,
    pub phase: &'a Phase,
    pub rules: &'a Rules,
    pub estates: &'a Estates,
    board: OnceCell<orders::Board>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        table: &'a Table,
        position: &'a Position,
        phase: &'a Phase,
        rules: &'a Rules,
        estates: &'a Estates,
    ) -> Reader<'a> {
        Reader { table, position, phase, rules, estates, board: OnceCell::new() }
    }

    /// The orders of a line, and whether every part of it was understood.
    pub(super) fn read_order(&self, power: PowerId, text: &str) -> (Vec<Line>, bool) {
        let board = &self.table.board;
        let exact = match self.phase.letter() {
            'M' => notation::read_movement(board, text).map(Line::Movement),
            'R' => notation::read_retreat(board, text).map(Line::Retreat),
            _ => notation::read_adjustment(board, text).map(Line::Adjustment),
        };
        match exact {
            Some(line) => (vec![line], true),
            None => self.generously(power, text),
        }
    }

    fn generously(&self, power: PowerId, text: &str) -> (Vec<Line>, bool) {
        let signer = Signer::Power(power, Vec::new());
        let context = SheetContext {
            map: &self.table.map,
            lexicon: self.table.lexicon(),
            phase: self.phase,
            board: self.board.get_or_init(|| self.order_board()),
            rules: self.rules,
            signer: &signer,
            dummies: &[],
            eliminated: &[],
            late: false,
            partial_allowed: false,
        };
        let report = orders::read_lines(&context, &[text]);
        let mut lines = Vec::new();
        let mut whole = report.faults.is_empty() && !report.lines.is_empty();
        for line in report.lines {
            match line.verdict {
                Verdict::Good(parsed) | Verdict::Duplicate(parsed, _) => lines.push(typed(parsed.entry)),
                Verdict::Clear | Verdict::Forgotten => lines.push(Line::Nothing),
                Verdict::Raw(_) | Verdict::Refused(_) => whole = false,
            }
        }
        (lines, whole)
    }

    fn order_board(&self) -> orders::Board {
        let mut board = orders::Board::default();
        for power in (0..self.table.board.powers() as u8).map(PowerId) {
            board.units.insert(power, self.position.units(power).collect());
            let mine = self.position.dislodged().iter().filter(|d| d.piece.power == power);
            let open = mine.map(|d| (d.piece.unit, self.position.retreats(d).to_vec()));
            board.dislodged.insert(power, open.collect());
            board.centers.insert(power, self.position.centers(power).collect());
            let homes = self.estates.get(power).map(|e| e.homes.clone());
            board.homes.insert(power, homes.unwrap_or_default());
        }
        board
    }
}

fn typed(entry: Entry) -> Line {
    match entry {
        Entry::Movement { unit, order, .. } => Line::Movement(Written { unit, order, idle_coast: false }),
        Entry::Retreat { unit, to } => Line::Retreat(Written { unit, order: RetreatOrder::To(to), idle_coast: false }),
        Entry::Disband { unit } => Line::Retreat(Written { unit, order: RetreatOrder::Disband, idle_coast: false }),
        Entry::Build { unit, .. } => Line::Adjustment(AdjustOrder::Build(unit)),
        Entry::Remove { unit } => Line::Adjustment(AdjustOrder::Remove(unit)),
        Entry::Waive(_) => Line::Adjustment(AdjustOrder::Waive),
        Entry::Keep { .. } => Line::Nothing,
    }
}
