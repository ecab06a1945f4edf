//! The equations (adjudication.md 3.2), each as far as it is known: a strength is an interval, a decision open until the
//! intervals settle it.

use super::board::{Board, NONE};
use super::node::{Known, Node, Span, chain, mark};
use super::profile::Paradox;
use super::resolve::Solver;

/// Beats nothing (adjudication.md 3.2).
const FAIL: i16 = -9;
/// Below every strength, zero included.
const NOTHING: i16 = -1;

impl Solver {
    /// MOVE(u), as far as it is known.
    pub(super) fn judge_move(&self, index: usize) -> Known {
        let node = &self.nodes[index];
        if node.path == Known::No {
            return Known::No;
        }
        let Span(low, high) = self.attack(node);
        let resist = match self.nodes.get(node.occupant as usize) {
            None => Span(NOTHING, NOTHING),
            Some(other) if node.is(mark::HEAD_ON) => Span(other.low, other.high),
            Some(other) => self.hold(other),
        };
        let mut wins = low > resist.1;
        if high <= resist.0 {
            return Known::No;
        }
        let mut at = self.movers[node.dest as usize];
        while at != NONE {
            let rival = &self.nodes[at as usize];
            if at as usize != index {
                let prevent = self.prevent(rival);
                if high <= prevent.0 {
                    return Known::No;
                }
                wins &= low > prevent.1;
            }
            at = rival.next_mover;
        }
        if wins { Known::Yes } else { Known::Open }
    }

    pub(super) fn attack(&self, node: &Node) -> Span {
        let leaves = Span(node.low, node.high);
        let span = match self.nodes.get(node.occupant as usize) {
            None => leaves,
            Some(other) => {
                let spares = !self.rules.self_harm(node.power) || node.is(mark::HEAD_ON);
                let own = other.power == node.power && spares;
                let stays = if own { Span(FAIL, FAIL) } else { Span(node.foreign_low, node.foreign_high) };
                if !other.goes() || node.is(mark::HEAD_ON) {
                    stays
                } else {
                    match other.moves {
                        Known::Yes => leaves,
                        Known::No => stays,
                        Known::Open => Span(stays.0.min(leaves.0), stays.1.max(leaves.1)),
                    }
                }
            }
        };
        if node.path == Known::Open { Span(FAIL, span.1) } else { span }
    }

    /// HOLD of the province a unit stands in.
    pub(super) fn hold(&self, node: &Node) -> Span {
        if !node.goes() {
            return Span(node.low, node.high);
        }
        let failed = if node.is(mark::NO_ROUTE) { 2 } else { self.rules.failed_hold };
        match node.moves {
            Known::Yes => Span(NOTHING, NOTHING),
            Known::No => Span(failed, failed),
            Known::Open => Span(NOTHING, failed),
        }
    }

    pub(super) fn prevent(&self, node: &Node) -> Span {
        let beaten = if node.is(mark::HEAD_ON) {
            self.nodes[node.occupant as usize].moves
        } else if self.rules.powerless {
            self.dislodged_from(node)
        } else {
            Known::No
        };
        match (node.path, beaten) {
            (Known::No, _) | (_, Known::Yes) => Span(NOTHING, NOTHING),
            (Known::Yes, Known::No) => Span(node.low, node.high),
            _ => Span(NOTHING, node.high),
        }
    }

    /// 4.A.7 a: whether a unit is dislodged by one that comes from where it wanted to go.
    pub(super) fn dislodged_from(&self, node: &Node) -> Known {
        let Some(other) = self.nodes.get(node.occupant as usize) else { return Known::No };
        if other.goes() && other.dest == node.prov { other.moves } else { Known::No }
    }

    /// GIVEN(s), as far as it is known.
    pub(super) fn judge_support(&self, index: usize) -> Known {
        let node = &self.nodes[index];
        let mut given = Known::Yes;
        let mut at = self.movers[node.prov as usize];
        while at != NONE {
            let attacker = &self.nodes[at as usize];
            at = attacker.next_mover;
            match self.cuts(node, attacker) {
                Known::Yes => return Known::No,
                Known::Open => given = Known::Open,
                Known::No => {}
            }
        }
        given
    }

    /// Whether a move into a supporter's province cuts its support.
    pub(super) fn cuts(&self, node: &Node, attacker: &Node) -> Known {
        let convoyed = attacker.is(mark::CONVOYED);
        let exempt = convoyed && node.is(mark::GUARDS_CONVOY) && self.rules.paradox == Paradox::Absolute1982;
        if exempt && node.aim != attacker.prov {
            return Known::No;
        }
        let to_move = self.nodes[node.target as usize].goes();
        let own_route = convoyed && to_move && self.rules.paradox == Paradox::Rule2000;
        if own_route && self.aims_at_route(node, attacker) {
            return Known::No;
        }
        let enemy = attacker.power != node.power || self.rules.self_harm(attacker.power);
        if !enemy || attacker.moves == Known::Yes {
            return Known::of(enemy);
        }
        let turned = to_move && attacker.prov == node.aim && !(self.rules.brannan && convoyed);
        if !exempt && !turned && !attacker.is(mark::PASSAGE) {
            match (attacker.path, self.bites(attacker)) {
                (Known::Yes, Known::Yes) => return Known::Yes,
                (Known::No, _) | (_, Known::No) => {}
                _ => return Known::Open,
            }
        }
        attacker.moves
    }

    /// A move over a strait cuts only with a support of its own.
    pub(super) fn bites(&self, attacker: &Node) -> Known {
        match (attacker.is(mark::STRAIT), attacker.low > attacker.own, attacker.high > attacker.own) {
            (false, ..) | (_, true, _) => Known::Yes,
            (_, _, true) => Known::Open,
            _ => Known::No,
        }
    }

    /// Whether a support is for an attack on a fleet of this army's route.
    pub(super) fn aims_at_route(&self, node: &Node, attacker: &Node) -> bool {
        chain!(self.nodes, attacker.first_convoy, next_convoy).any(|c| self.nodes[c as usize].prov == node.aim)
    }

    /// PATH(u), as far as it is known.
    pub(super) fn judge_path(&self, board: &Board, index: usize) -> Known {
        let node = &self.nodes[index];
        if node.is(mark::NO_ROUTE) {
            return Known::No;
        }
        let (mut all, mut any_lost) = (true, false);
        for carrier in chain!(self.nodes, node.first_convoy, next_convoy) {
            if self.rules.all_routes && !node.is(mark::WRITTEN) && !self.on_route(board, index, carrier) {
                continue;
            }
            let safe = self.carries(&self.nodes[carrier as usize]);
            all &= safe == Known::Yes;
            any_lost |= safe == Known::No;
        }
        if all {
            return Known::Yes;
        }
        if node.is(mark::WRITTEN) || self.rules.all_routes {
            return if any_lost { Known::No } else { Known::Open };
        }
        let safe = self.carriers(index, |c| self.carries(&self.nodes[c as usize]) == Known::Yes);
        if self.crossing(board, index, &safe).possible() {
            return Known::Yes;
        }
        let hopeful = self.carriers(index, |c| self.carries(&self.nodes[c as usize]) != Known::No);
        if self.crossing(board, index, &hopeful).possible() { Known::Open } else { Known::No }
    }

    pub(super) fn on_route(&self, board: &Board, index: usize, carrier: u16) -> bool {
        let over = self.carriers(index, |_| true);
        self.crossing(board, index, &over).possible_through(self.nodes[carrier as usize].prov)
    }

    /// Whether a convoying unit does its work: neither dislodged nor held out.
    pub(super) fn carries(&self, node: &Node) -> Known {
        if node.is(mark::HELD_OUT) {
            return Known::No;
        }
        let mut works = Known::Yes;
        for at in chain!(self.nodes, self.movers[node.prov as usize], next_mover) {
            let attacker = &self.nodes[at as usize];
            match (attacker.moves, self.weakens(node, attacker)) {
                (Known::Yes, _) | (_, Known::Yes) => return Known::No,
                (Known::Open, _) | (_, Known::Open) => works = Known::Open,
                (Known::No, Known::No) => {}
            }
        }
        match (works, self.rules.safe_convoys) {
            (Known::Yes, true) => self.unbeleaguered(node),
            _ => works,
        }
    }

    /// WEAK_CONVOYS: whether an attack that does not dislodge the fleet still stops its convoy.
    pub(super) fn weakens(&self, node: &Node, attacker: &Node) -> Known {
        if !self.rules.weak_convoys || attacker.power == node.power || attacker.path == Known::No {
            return Known::No;
        }
        if attacker.high < node.low {
            Known::No
        } else if attacker.path == Known::Yes && attacker.low >= node.high {
            Known::Yes
        } else {
            Known::Open
        }
    }

    /// SAFE_CONVOYS: whether no two strongest attackers, not all of the fleet's owner, tie above it.
    pub(super) fn unbeleaguered(&self, node: &Node) -> Known {
        let attackers =
            || chain!(self.nodes, self.movers[node.prov as usize], next_mover).map(|a| &self.nodes[a as usize]);
        if attackers().all(|a| a.path == Known::No || a.high <= node.low) {
            return Known::Yes;
        }
        if node.low != node.high || attackers().any(|a| a.path == Known::Open || a.low != a.high) {
            return Known::Open;
        }
        let fit = || attackers().filter(|a| a.path == Known::Yes && a.low > node.low);
        let best = fit().map(|a| a.low).max().unwrap_or(NOTHING);
        let tied = fit().filter(|a| a.low == best).count() > 1;
        let foreign = fit().filter(|a| a.low == best).any(|a| a.power != node.power);
        Known::of(!(tied && foreign))
    }
}
