//! The equations of adjudication.md 3, solved on partial information: every decision (does the move succeed, is
//! the support given, does the convoy hold) is unknown, true or false; strengths are intervals; a decision is
//! fixed as soon as the intervals allow and never changes back. What is left at the fixed point is circular and
//! goes to [`super::circular`].
//!
//! Orders become nodes in [`super::link`]; the equations themselves are in [`super::equations`].

use super::board::Board;
use super::circular;
use super::movement::Act;
use super::node::{Doing, Known, Node};
use super::profile::{Paradox, Profile};
use super::setup::Position;
use crate::diplomacy::rules::Rule;

/// Decides positions; keeps its memory.
#[derive(Debug, Default)]
pub(super) struct Solver {
    pub(super) nodes: Vec<Node>,
    /// First unit moving to a province.
    pub(super) movers: Vec<u16>,
    pub(super) worklist: Vec<u16>,
    pub(super) circular: circular::Memory,
    pub(super) rules: Rulings,
}

/// The switches the equations read, unpacked once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rulings {
    pub friendly: bool,
    pub dummy_fire: bool,
    pub dummies: u64,
    pub failed_hold: i16,
    pub weak_convoys: bool,
    pub safe_convoys: bool,
    pub all_routes: bool,
    pub brannan: bool,
    pub powerless: bool,
    pub portage: bool,
    pub paradox: Paradox,
}

impl Rulings {
    pub(super) fn new(profile: &Profile) -> Rulings {
        Rulings {
            friendly: profile.has(Rule::FriendlyFire),
            dummy_fire: profile.has(Rule::DummyFire),
            dummies: profile.dummies,
            failed_hold: if profile.has(Rule::WeakBounces) { 0 } else { 2 },
            weak_convoys: profile.has(Rule::WeakConvoys),
            safe_convoys: profile.has(Rule::SafeConvoys),
            all_routes: profile.all_routes,
            brannan: profile.brannan,
            powerless: profile.dislodged_powerless,
            portage: profile.has(Rule::PortageConvoy) || profile.has(Rule::MultiCoastPortage),
            paradox: profile.paradox,
        }
    }
    /// Whether units of that power harm one another.
    pub(super) fn self_harm(&self, power: u8) -> bool {
        self.friendly || self.dummy_fire && self.dummies >> (power & 63) & 1 == 1
    }
}

impl Solver {
    /// Decides every order.
    pub(super) fn resolve(&mut self, profile: &Profile, position: &Position, acts: &[Act], paths: &[u16]) {
        self.rules = Rulings::new(profile);
        let board: &Board = position.board();
        let by_sea = self.load(position, acts);
        let convoys = by_sea && self.link_convoys(profile, board, acts, paths);
        self.worklist.clear();
        self.link_supports(profile, position, acts, convoys);
        self.link_moves(profile);
        self.propagate(board);
        while !self.worklist.is_empty() {
            self.settle(board);
            self.propagate(board);
        }
    }

    /// Fixes decisions until nothing follows any more; what is open stays on the worklist.
    pub(super) fn propagate(&mut self, board: &Board) {
        loop {
            let mut fixed = false;
            let mut kept = 0;
            for at in 0..self.worklist.len() {
                let index = self.worklist[at];
                fixed |= self.advance(board, index as usize);
                if self.nodes[index as usize].open() {
                    self.worklist[kept] = index;
                    kept += 1;
                }
            }
            self.worklist.truncate(kept);
            if !fixed || kept == 0 {
                return;
            }
        }
    }

    pub(super) fn advance(&mut self, board: &Board, index: usize) -> bool {
        if self.nodes[index].doing == Doing::Support {
            let given = self.judge_support(index);
            if given != Known::Open {
                self.fix_support(index, given);
            }
            return given != Known::Open;
        }
        let mut fixed = false;
        if self.nodes[index].path == Known::Open {
            let path = self.judge_path(board, index);
            self.nodes[index].path = path;
            fixed = path != Known::Open;
        }
        if self.nodes[index].moves == Known::Open {
            let moves = self.judge_move(index);
            self.nodes[index].moves = moves;
            fixed |= moves != Known::Open;
        }
        fixed
    }

    pub(super) fn fix_support(&mut self, index: usize, given: Known) {
        self.nodes[index].given = given;
        let node = self.nodes[index];
        let helped = &self.nodes[node.target as usize];
        let harmless = self.harmless(node.power, helped.occupant);
        let helped = &mut self.nodes[node.target as usize];
        let foreign = if harmless { 0 } else { 2 };
        if given == Known::Yes {
            helped.low += 2;
            helped.foreign_low += foreign;
        } else {
            helped.high -= 2;
            helped.foreign_high -= foreign;
        }
    }
}
