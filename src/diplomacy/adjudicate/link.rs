//! From orders to nodes (adjudication.md 3.1): who moves where, which moves go by convoy and over what, who meets head
//! on, which supports match. Nothing is decided here that could come out otherwise.

use super::board::{Board, Crossing, NOBODY, NONE};
use super::chains;
use super::movement::{Act, Way};
use super::node::{Doing, Known, Node, chain, mark};
use super::profile::{AdjacentConvoy, Profile};
use super::resolve::Solver;
use super::rows::Set;
use super::setup::Position;
use crate::diplomacy::map::UnitKind;
use crate::diplomacy::rules::Rule;

impl Solver {
    /// Makes the nodes; says whether any order may have to do with a convoy.
    pub(super) fn load(&mut self, position: &Position, acts: &[Act]) -> bool {
        let board: &Board = position.board();
        let movers = &mut self.movers;
        movers.clear();
        movers.resize(position.occupant.len(), NONE);
        let mut by_sea = false;
        let units = position.pieces.iter().zip(acts).enumerate();
        self.nodes.clear();
        self.nodes.extend(units.map(|(index, (piece, act))| {
            let mut node = Node {
                at: piece.unit.at.0,
                fleet: piece.unit.kind == UnitKind::Fleet,
                prov: board.province_at(piece.unit.at.0),
                power: piece.power.0,
                ..Node::HOLDS
            };
            match *act {
                Act::Hold => {}
                Act::Move { to, into, land, way } => {
                    node.doing = Doing::Move;
                    node.to = to;
                    node.dest = into;
                    node.moves = Known::Open;
                    let there = position.occupant[into as usize];
                    node.occupant = if there == index as u16 { NONE } else { there };
                    node.next_mover = std::mem::replace(&mut movers[into as usize], index as u16);
                    match (land, way) {
                        (Some(Crossing::Plain), Way::Any) => {}
                        (Some(crossing), Way::Any) => node.cross(crossing),
                        _ => by_sea = true,
                    }
                }
                Act::Support { of, into, .. } => {
                    node.doing = Doing::Support;
                    node.target = of;
                    node.aim = into;
                }
                Act::Convoy { cargo, into, .. } => {
                    node.doing = Doing::Convoy;
                    node.aim = into;
                    node.target = cargo;
                    node.marks = mark::VOID;
                    by_sea = true;
                }
                Act::Void => {
                    node.doing = Doing::Support;
                    node.marks = mark::VOID;
                }
            }
            node
        }));
        by_sea
    }

    /// Decides which moves go by convoy, over what, and which borders the others cross; says whether any does.
    pub(super) fn link_convoys(&mut self, profile: &Profile, board: &Board, acts: &[Act], paths: &[u16]) -> bool {
        for (index, act) in acts.iter().enumerate() {
            let Act::Convoy { cargo, into, needless } = *act else { continue };
            let Some(Act::Move { into: dest, way, .. }) = acts.get(cargo as usize) else {
                self.nodes[index].marks |= if needless { mark::NEEDLESS } else { 0 };
                continue;
            };
            let here = self.nodes[index].prov;
            let written = matches!(*way, Way::Path { first, count }
                if paths[first as usize..first as usize + count as usize].contains(&here));
            if needless && !(written && *dest == into) {
                self.nodes[index].marks |= mark::NEEDLESS;
            } else if *dest == into && (written || !matches!(way, Way::Path { .. })) {
                self.nodes[index].next_convoy = self.nodes[cargo as usize].first_convoy;
                self.nodes[cargo as usize].first_convoy = index as u16;
            }
        }
        let mut any = false;
        for (index, act) in acts.iter().enumerate() {
            let Act::Move { into, land, way, .. } = *act else { continue };
            let node = &self.nodes[index];
            if let (Some(_), Way::Any, NONE) = (land, way, node.first_convoy) {
                continue;
            }
            let by_convoy = match (way, land) {
                (Way::Foot, _) => false,
                (Way::Path { .. } | Way::Via | Way::Sure, _) | (_, None) => true,
                (Way::Any, Some(_)) => self.intends(profile, board, index),
            };
            if !by_convoy {
                let node = &mut self.nodes[index];
                node.cross(land.unwrap_or(Crossing::Plain));
                node.first_convoy = NONE;
                continue;
            }
            any = true;
            let complete = match way {
                Way::Path { first, count } => {
                    let convoys = node.first_convoy;
                    self.nodes[index].marks |= mark::WRITTEN;
                    let path = &paths[first as usize..first as usize + count as usize];
                    path.iter().all(|sea| {
                        chain!(self.nodes, convoys, next_convoy).any(|c| self.nodes[c as usize].prov == *sea)
                    })
                }
                _ if profile.only_written() => false,
                _ => self.route(board, index, Set::default()),
            };
            let landing = self.landing(board, index, into, way, paths);
            let node = &mut self.nodes[index];
            node.marks |= mark::CONVOYED | if complete { 0 } else { mark::NO_ROUTE };
            node.path = match (complete, way) {
                (true, Way::Sure) => Known::Yes,
                (true, _) => Known::Open,
                (false, _) => Known::No,
            };
            if !complete {
                node.moves = Known::No;
            }
            node.cross(landing);
            let mut at = if complete { self.nodes[index].first_convoy } else { NONE };
            while at != NONE {
                self.nodes[at as usize].marks &= !mark::VOID;
                at = self.nodes[at as usize].next_convoy;
            }
        }
        any
    }

    /// The border over which a convoyed army lands: a special one if every route ends in one.
    pub(super) fn landing(&self, board: &Board, index: usize, into: u16, way: Way, paths: &[u16]) -> Crossing {
        let node = &self.nodes[index];
        if self.rules.portage {
            return Crossing::Plain;
        }
        if let Way::Path { first, count } = way {
            let last = paths[first as usize + count as usize - 1];
            return board.landing(last, into, node.power, &[]).unwrap_or(Crossing::Plain);
        }
        chain!(self.nodes, node.first_convoy, next_convoy)
            .filter_map(|c| board.landing(self.nodes[c as usize].prov, into, node.power, &[]))
            .max()
            .unwrap_or(Crossing::Plain)
    }

    /// Whether an army that could walk means to be convoyed (4.A.3).
    pub(super) fn intends(&self, profile: &Profile, board: &Board, index: usize) -> bool {
        let node = &self.nodes[index];
        match profile.adjacent_convoy {
            AdjacentConvoy::Explicit | AdjacentConvoy::Written => false,
            AdjacentConvoy::Always => self.route(board, index, Set::default()),
            AdjacentConvoy::WhenOpposed => {
                let opposed = self.nodes.get(node.occupant as usize).is_some_and(|v| v.goes() && v.dest == node.prov);
                opposed && self.route(board, index, Set::default())
            }
            AdjacentConvoy::Intent | AdjacentConvoy::IntentOrLand => {
                // DATC 6.G.6: the own fleet need not be on the route that is there.
                let own = |c: u16| self.nodes[c as usize].power == node.power;
                chain!(self.nodes, node.first_convoy, next_convoy).any(own) && self.route(board, index, Set::default())
            }
        }
    }

    pub(super) fn crossing<'a>(&self, board: &'a Board, index: usize, over: &'a Set) -> chains::Crossing<'a> {
        let node = &self.nodes[index];
        // A fleet is carried over a written path only, and a written path is never searched for.
        chains::Crossing { board, from: node.prov, to: node.dest, over, portage: false }
    }

    pub(super) fn carriers(&self, index: usize, mut usable: impl FnMut(u16) -> bool) -> Set {
        let mut over = Set::default();
        for carrier in chain!(self.nodes, self.nodes[index].first_convoy, next_convoy) {
            if usable(carrier) {
                over.insert(self.nodes[carrier as usize].prov);
            }
        }
        over
    }

    /// Whether the fleets ordered to convoy a unit make a chain, those in `without` left out.
    pub(super) fn route(&self, board: &Board, index: usize, without: Set) -> bool {
        let over = self.carriers(index, |c| !without.has(self.nodes[c as usize].prov));
        self.crossing(board, index, &over).possible()
    }

    /// Finds the head-to-head battles, and puts the moves that are to be decided on the worklist.
    pub(super) fn link_moves(&mut self, profile: &Profile) {
        let crawl = profile.has(Rule::CoastalCrawl);
        for index in 0..self.nodes.len() {
            let node = &self.nodes[index];
            if !node.goes() {
                continue;
            }
            if node.open() {
                self.worklist.push(index as u16);
            }
            let Some(other) = self.nodes.get(node.occupant as usize) else { continue };
            let meets =
                other.goes() && other.dest == node.prov && !node.is(mark::CONVOYED) && !other.is(mark::CONVOYED);
            if meets && !(crawl && self.slips(index, node.occupant as usize)) {
                self.nodes[index].marks |= mark::HEAD_ON;
            }
        }
    }

    /// COASTAL_CRAWL: whether two fleets pass each other on different coasts.
    pub(super) fn slips(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.nodes[one], &self.nodes[other]);
        one.fleet && other.fleet && (one.to != other.at || other.to != one.at)
    }

    /// Matches supports with the orders they are for, and puts those that may be cut on the worklist.
    pub(super) fn link_supports(&mut self, profile: &Profile, position: &Position, acts: &[Act], convoys: bool) {
        for (index, act) in acts.iter().enumerate() {
            let Act::Support { of, into, coast } = *act else { continue };
            let (power, prov) = (self.nodes[index].power, self.nodes[index].prov);
            let helped = &self.nodes[of as usize];
            let matches = match into {
                NONE => !helped.goes(),
                _ => {
                    let started = !(profile.void_without_convoy && helped.is(mark::NO_ROUTE));
                    helped.goes() && helped.dest == into && (coast == NONE || coast == helped.to) && started
                }
            };
            if !matches {
                self.nodes[index].marks |= mark::VOID;
                continue;
            }
            let aim = if into == NONE { helped.prov } else { into };
            let guards = convoys && {
                let there = position.occupant[aim as usize];
                self.nodes.get(there as usize).is_some_and(|f| f.doing == Doing::Convoy && !f.is(mark::VOID))
            };
            let harmless = self.harmless(power, helped.occupant);
            let unopposed = self.movers[prov as usize] == NONE;
            let helped = &mut self.nodes[of as usize];
            helped.high += 2;
            helped.foreign_high += if harmless { 0 } else { 2 };
            if unopposed {
                helped.low += 2;
                helped.foreign_low += if harmless { 0 } else { 2 };
            }
            let first = std::mem::replace(&mut helped.first_support, index as u16);
            let node = &mut self.nodes[index];
            node.next_support = first;
            node.aim = aim;
            node.given = if unopposed { Known::Yes } else { Known::Open };
            node.marks |= if guards { mark::GUARDS_CONVOY } else { 0 };
            if !unopposed {
                self.worklist.push(index as u16);
            }
        }
    }

    /// Whether a power's support does not count against the unit in the destination, its own.
    pub(super) fn harmless(&self, power: u8, occupant: u16) -> bool {
        let owner = self.nodes.get(occupant as usize).map_or(NOBODY, |v| v.power);
        owner == power && !self.rules.self_harm(power)
    }
}
