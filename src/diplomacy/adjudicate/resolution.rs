//! What came of a movement phase: a verdict for every unit, where it stands now, who lost its place and where it
//! may retreat (adjudication.md 5 and 7).

use super::board::{Board, NONE};
use super::movement::{Act, Way};
use super::node::{Doing, Known, Node, chain, mark};
use super::profile::Profile;
use super::resolve::Solver;
use super::setup::{Dislodged, Piece, Position};
use crate::diplomacy::map::{LocationId, ProvinceId};
use crate::diplomacy::position::Unit;
use crate::diplomacy::rules::Rule;

/// What became of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fate {
    /// A hold.
    Stands,
    /// A move that arrived.
    Moves,
    /// A move that had a way and was not strong enough, or may not dislodge.
    Bounces,
    /// A move without an unbroken convoy.
    NoConvoy,
    /// A support that counted.
    Given,
    /// A support that was cut.
    Cut,
    /// A support or convoy that fits no order.
    Void,
    /// A convoy that could be used.
    Available,
    /// A convoy that was broken: the fleet is dislodged, or held out by the paradox rule.
    Disrupted,
    /// A convoy order on no route without detours (D24): ignored, the unit holds.
    Needless,
}

/// What became of a unit in a movement phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Verdict {
    /// Its order's fate.
    pub fate: Fate,
    /// Whether it lost its place.
    pub dislodged: bool,
    /// Whether a move goes by convoy.
    pub by_convoy: bool,
    /// A support of a unit whose convoy failed, as the old judge annotates it.
    no_convoy: bool,
}

impl Verdict {
    /// The annotations of a results report, in order (adjudication.md 5).
    pub fn codes(self) -> impl Iterator<Item = &'static str> {
        let code = match self.fate {
            Fate::Bounces => Some("bounce"),
            Fate::NoConvoy => Some("no convoy"),
            _ if self.no_convoy => Some("no convoy"),
            Fate::Cut => Some("cut"),
            Fate::Void | Fate::Needless => Some("void"),
            Fate::Disrupted if !self.dislodged => Some("disrupted"),
            _ => None,
        };
        code.into_iter().chain(self.dislodged.then_some("dislodged"))
    }
    /// Whether the order did what it said.
    pub fn succeeded(self) -> bool {
        !self.no_convoy && matches!(self.fate, Fate::Stands | Fate::Moves | Fate::Given | Fate::Available)
    }
}

/// The outcome of a movement phase; it reads the workspace it came from.
pub struct Resolution<'a> {
    pub(super) profile: &'a Profile,
    pub(super) position: &'a Position,
    pub(super) board: &'a Board,
    pub(super) acts: &'a [Act],
    pub(super) paths: &'a [u16],
    pub(super) solver: &'a Solver,
}

impl<'a> Resolution<'a> {
    pub(super) fn new(
        profile: &'a Profile,
        position: &'a Position,
        acts: &'a [Act],
        paths: &'a [u16],
        solver: &'a Solver,
    ) -> Resolution<'a> {
        Resolution { profile, position, board: position.board(), acts, paths, solver }
    }

    pub(super) fn node(&self, index: usize) -> &Node {
        &self.solver.nodes[index]
    }

    /// The units that may take an order, as in [`Position::pieces`].
    pub fn pieces(&self) -> &'a [Piece] {
        &self.position.pieces
    }

    /// Whether a unit arrived where it was going.
    pub fn moved(&self, index: usize) -> bool {
        let node = self.node(index);
        node.goes() && node.moves == Known::Yes
    }

    /// Where a unit stands after the moves, should it still stand.
    pub fn place(&self, index: usize) -> LocationId {
        let node = self.node(index);
        if self.moved(index) { LocationId(node.to) } else { self.position.pieces[index].unit.at }
    }

    /// The unit that dislodged this one.
    pub fn dislodger(&self, index: usize) -> Option<usize> {
        if self.moved(index) {
            return None;
        }
        let movers = chain!(self.solver.nodes, self.solver.movers[self.node(index).prov as usize], next_mover);
        let mut arrived = movers.filter(|m| *m as usize != index && self.solver.nodes[*m as usize].moves == Known::Yes);
        arrived.next().map(usize::from)
    }

    /// What became of a unit.
    pub fn verdict(&self, index: usize) -> Verdict {
        let node = self.node(index);
        let dislodged = self.dislodger(index).is_some();
        let by_convoy = node.is(mark::CONVOYED);
        let mut no_convoy = false;
        let fate = match node.doing {
            Doing::Hold => Fate::Stands,
            Doing::Move if node.moves == Known::Yes => Fate::Moves,
            Doing::Move if node.path == Known::No => Fate::NoConvoy,
            Doing::Move => Fate::Bounces,
            _ if node.is(mark::NEEDLESS) => Fate::Needless,
            Doing::Convoy if node.is(mark::VOID) && dislodged && self.declined(node) => Fate::Disrupted,
            _ if node.is(mark::VOID) => Fate::Void,
            Doing::Support => {
                let helped = self.node(node.target as usize);
                no_convoy = self.profile.old_marks && helped.goes() && helped.path == Known::No;
                if node.given == Known::Yes { Fate::Given } else { Fate::Cut }
            }
            Doing::Convoy => {
                if node.is(mark::HELD_OUT) || dislodged || self.stopped(index) {
                    Fate::Disrupted
                } else {
                    Fate::Available
                }
            }
        };
        Verdict { fate, dislodged, by_convoy, no_convoy }
    }

    /// Whether a convoy was ordered rightly but its army walks (6.G.3).
    fn declined(&self, fleet: &Node) -> bool {
        let army = self.node(fleet.target as usize);
        !self.profile.old_marks && army.goes() && army.dest == fleet.aim && !army.is(mark::CONVOYED)
    }

    /// WEAK_CONVOYS, SAFE_CONVOYS: whether a fleet that stays was kept from convoying.
    fn stopped(&self, index: usize) -> bool {
        let rules = &self.solver.rules;
        (rules.weak_convoys || rules.safe_convoys) && self.solver.carries(self.node(index)) == Known::No
    }

    /// Vacant provinces closed to retreats by a standoff, in code order.
    pub fn contested(&self) -> impl Iterator<Item = ProvinceId> + '_ {
        (0..self.board.provinces() as u16).filter(|p| self.is_contested(*p)).map(ProvinceId)
    }

    fn is_contested(&self, province: u16) -> bool {
        let there = self.position.occupant[province as usize];
        if there != NONE && !self.moved(there as usize) {
            return false;
        }
        let mut standoff = false;
        for at in chain!(self.solver.nodes, self.solver.movers[province as usize], next_mover) {
            let node = self.node(at as usize);
            if node.moves == Known::Yes {
                return false;
            }
            let beaten = node.is(mark::HEAD_ON) && self.moved(node.occupant as usize);
            standoff |= node.path == Known::Yes && !beaten && !self.powerless(at as usize);
        }
        standoff
    }

    /// 4.A.7 a: a dislodged unit has no effect on its attacker's province.
    fn powerless(&self, index: usize) -> bool {
        let from = self.dislodger(index).map(|d| self.node(d).prov);
        self.profile.dislodged_powerless && from == Some(self.node(index).dest)
    }

    /// Whether a unit stands in a province after the moves.
    fn is_taken(&self, province: u16) -> bool {
        let there = self.position.occupant[province as usize];
        let stays = there != NONE && !self.moved(there as usize);
        stays
            || chain!(self.solver.nodes, self.solver.movers[province as usize], next_mover)
                .any(|m| self.moved(m as usize))
    }

    /// Dislodged units and their retreats, in the order of the pieces; `f` gets the piece's index, whether it has
    /// any retreat comes out of the list.
    fn retreats_of(&self, index: usize, dislodger: usize, mut open: impl FnMut(LocationId)) {
        let piece = self.position.pieces[index];
        let attacker = self.node(dislodger);
        let barred = !attacker.is(mark::CONVOYED) || self.profile.origin_barred;
        let none = self.profile.has(Rule::NoRetreat)
            || self.profile.has(Rule::ImmobileDummies) && self.profile.is_uncontrolled(piece.power.0)
            || self.profile.has(Rule::CdDummies)
                && !self.profile.has(Rule::CdRetreats)
                && self.profile.is_uncontrolled(piece.power.0);
        if none || !self.board.may_stand(piece.unit) {
            return;
        }
        for to in self.board.steps(piece.unit.kind, piece.unit.at.0) {
            let province = self.board.province_at(to);
            let passes = || {
                let owners = &self.position.owners;
                self.board.step(piece.unit.kind, piece.unit.at.0, to, piece.power.0, owners).is_some()
            };
            let shut = barred && province == attacker.prov || self.is_taken(province) || self.is_contested(province);
            if !shut && passes() {
                open(LocationId(to));
            }
        }
    }

    /// The unit as it lost its place, without its retreats.
    fn casualty(&self, index: usize, dislodger: usize) -> Dislodged {
        let attacker = self.node(dislodger);
        Dislodged {
            piece: self.position.pieces[index],
            attacker: Some(ProvinceId(attacker.prov)),
            by_convoy: attacker.is(mark::CONVOYED),
            first: 0,
            count: 0,
        }
    }

    /// Writes the position after the moves into `next`: units that stand, and dislodged ones with their retreats.
    /// Units with nowhere to go go to `destroyed`. Allocates nothing once both have been used before.
    pub fn advance(&self, next: &mut Position, destroyed: &mut Vec<Dislodged>) {
        next.restart(self.position);
        destroyed.clear();
        for index in 0..self.position.pieces.len() {
            let piece = self.position.pieces[index];
            match self.dislodger(index) {
                None => {
                    next.place(Piece { unit: Unit { kind: piece.unit.kind, at: self.place(index) }, ..piece });
                }
                Some(dislodger) => {
                    let mut unit = self.casualty(index, dislodger);
                    unit.first = next.retreats.len() as u32;
                    self.retreats_of(index, dislodger, |to| next.retreats.push(to));
                    unit.count = (next.retreats.len() - unit.first as usize) as u16;
                    if unit.count == 0 {
                        destroyed.push(unit);
                    } else {
                        next.dislodged.push(unit);
                    }
                }
            }
        }
    }

    /// The position after the moves, and the units destroyed, as fresh values.
    pub fn outcome(&self) -> (Position, Vec<Dislodged>) {
        let mut next = Position::empty(self.position.board());
        let mut destroyed = Vec::new();
        self.advance(&mut next, &mut destroyed);
        (next, destroyed)
    }

    /// Provinces of a written path.
    pub(super) fn path(&self, index: usize) -> &[u16] {
        match self.acts.get(index) {
            Some(Act::Move { way: Way::Path { first, count }, .. }) => {
                &self.paths[*first as usize..*first as usize + *count as usize]
            }
            _ => &[],
        }
    }
}
