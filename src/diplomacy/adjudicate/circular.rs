//! What the fixed point leaves open (adjudication.md 4 and 15): rings of moves, which succeed, and convoys whose
//! outcome depends on themselves. Of the latter every consistent outcome is looked for; one and only one stands,
//! otherwise the paradox rule decides. Works on one closed component of open decisions at a time.

use super::board::{Board, NONE};
use super::node::{Doing, Known, Node, Span, chain, mark};
use super::profile::Paradox;
use super::resolve::Solver;

/// Outcomes tried in one component before it is given to the paradox rule.
const PATIENCE: u32 = 4096;

/// Memory of the search, kept from one position to the next. A decision is numbered `2 unit` (the move, or the
/// support) or `2 unit + 1` (the convoy).
#[derive(Debug, Default)]
pub(super) struct Memory {
    order: Vec<u16>,
    lowest: Vec<u16>,
    waiting: Vec<bool>,
    stack: Vec<u16>,
    calls: Vec<(u16, u32)>,
    edges: Vec<u16>,
    component: Vec<u16>,
    ring: Vec<u16>,
    armies: Vec<u16>,
    saved: Vec<Node>,
    saved_work: Vec<u16>,
    outcome: Vec<Known>,
}

/// Consistent outcomes found so far.
struct Outcomes {
    count: u32,
    tried: u32,
}

impl Solver {
    /// Decides one closed component of what is open.
    pub(super) fn settle(&mut self, board: &Board) {
        let mut component = std::mem::take(&mut self.circular.component);
        let start = self.worklist.first().map(|unit| self.decision_of(*unit));
        self.closed_component(start, &mut component);
        if component.iter().any(|d| d % 2 == 1) {
            self.settle_convoys(board, &component);
        } else {
            self.turn_ring(&component);
        }
        self.circular.component = component;
    }

    fn decision_of(&self, unit: u16) -> u16 {
        let node = &self.nodes[unit as usize];
        let only_path = node.goes() && node.moves != Known::Open;
        unit * 2 + u16::from(only_path)
    }

    fn is_open(&self, decision: u16) -> bool {
        let node = &self.nodes[decision as usize / 2];
        match (node.doing, decision % 2) {
            (Doing::Move, 0) => node.moves == Known::Open,
            (Doing::Move, _) => node.path == Known::Open,
            (Doing::Support, 0) => node.given == Known::Open,
            _ => false,
        }
    }

    /// Circular movement: every move of the ring succeeds.
    fn turn_ring(&mut self, component: &[u16]) {
        let mut turned = false;
        for decision in component {
            let node = &mut self.nodes[*decision as usize / 2];
            if node.goes() && node.moves == Known::Open && decision % 2 == 0 {
                node.moves = Known::Yes;
                turned = true;
            }
        }
        // Supports that wait for one another without a move are given.
        if !turned {
            for decision in component {
                let unit = *decision as usize / 2;
                if self.nodes[unit].doing == Doing::Support && self.nodes[unit].given == Known::Open {
                    self.fix_support(unit, Known::Yes);
                }
            }
        }
    }

    fn settle_convoys(&mut self, board: &Board, component: &[u16]) {
        let mut armies = std::mem::take(&mut self.circular.armies);
        armies.clear();
        armies.extend(component.iter().filter(|d| *d % 2 == 1).map(|d| d / 2));
        armies.sort_unstable();
        let mut found = Outcomes { count: 0, tried: 0 };
        self.explore(board, component, &armies, &mut found);
        if found.count == 1 && found.tried <= PATIENCE {
            for (at, army) in armies.iter().enumerate() {
                self.nodes[*army as usize].path = self.circular.outcome[at];
            }
        } else {
            self.hold_out(component, &armies);
        }
        self.circular.armies = armies;
    }

    /// The paradox rule: the convoying fleets in the core hold, and the armies that need them fail.
    fn hold_out(&mut self, component: &[u16], armies: &[u16]) {
        for army in armies {
            let mut at = self.nodes[*army as usize].first_convoy;
            while at != NONE {
                if self.carries(&self.nodes[at as usize]) == Known::Open {
                    self.nodes[at as usize].marks |= mark::HELD_OUT;
                }
                at = self.nodes[at as usize].next_convoy;
            }
        }
        for army in armies {
            let node = &mut self.nodes[*army as usize];
            node.path = Known::No;
            node.moves = Known::No;
            node.marks |= mark::PARADOX;
        }
        if self.rules.paradox == Paradox::AllHold {
            for decision in component.iter().filter(|d| *d % 2 == 0) {
                let node = &mut self.nodes[*decision as usize / 2];
                if node.goes() {
                    node.moves = Known::No;
                    node.marks |= mark::PARADOX;
                }
            }
        }
    }

    /// Tries the convoys of a component both ways and counts the outcomes that agree with the equations.
    fn explore(&mut self, board: &Board, component: &[u16], armies: &[u16], found: &mut Outcomes) {
        found.tried += 1;
        if found.count > 1 || found.tried > PATIENCE {
            return;
        }
        let nodes = self.circular.saved.len();
        let work = self.circular.saved_work.len();
        self.circular.saved.extend_from_slice(&self.nodes);
        self.circular.saved_work.extend_from_slice(&self.worklist);
        self.propagate(board);
        let next = armies.iter().find(|a| self.nodes[**a as usize].path == Known::Open);
        match next {
            _ if !self.consistent(board, armies, false) => {}
            Some(army) => {
                for path in [Known::Yes, Known::No] {
                    let before = (self.nodes[*army as usize], self.worklist.len());
                    self.nodes[*army as usize].path = path;
                    self.explore(board, component, armies, found);
                    self.nodes[*army as usize] = before.0;
                }
            }
            None => {
                self.turn_rings(board, component);
                if self.consistent(board, armies, true) {
                    found.count += 1;
                    self.circular.outcome.clear();
                    for army in armies {
                        let path = self.nodes[*army as usize].path;
                        self.circular.outcome.push(path);
                    }
                }
            }
        }
        self.nodes.copy_from_slice(&self.circular.saved[nodes..]);
        self.circular.saved.truncate(nodes);
        self.worklist.clear();
        self.worklist.extend_from_slice(&self.circular.saved_work[work..]);
        self.circular.saved_work.truncate(work);
    }

    /// Turns the rings that remain in a component once its convoys are assumed.
    fn turn_rings(&mut self, board: &Board, component: &[u16]) {
        let mut ring = std::mem::take(&mut self.circular.ring);
        while let Some(start) = component.iter().copied().find(|d| self.is_open(*d)) {
            self.closed_component(Some(start), &mut ring);
            self.turn_ring(&ring);
            self.propagate(board);
        }
        self.circular.ring = ring;
    }

    /// Whether the convoys assumed are what the rest makes of them, as far as that is known.
    fn consistent(&self, board: &Board, armies: &[u16], finally: bool) -> bool {
        armies.iter().all(|army| {
            let assumed = self.nodes[*army as usize].path;
            let follows = self.judge_path(board, *army as usize);
            assumed == follows || !finally && (assumed == Known::Open || follows == Known::Open)
        })
    }

    /// A strongly connected component of open decisions that waits for nothing outside itself: the first one
    /// that Tarjan's algorithm closes.
    fn closed_component(&mut self, start: Option<u16>, component: &mut Vec<u16>) {
        component.clear();
        let Some(start) = start else { return };
        let mut memory = std::mem::take(&mut self.circular);
        let decisions = self.nodes.len() * 2;
        memory.order.clear();
        memory.order.resize(decisions, NONE);
        memory.lowest.clear();
        memory.lowest.resize(decisions, NONE);
        memory.waiting.clear();
        memory.waiting.resize(decisions, false);
        memory.stack.clear();
        memory.calls.clear();
        memory.edges.clear();
        let mut count = 0;
        memory.enter(self, start, &mut count);
        while let Some((decision, first)) = memory.calls.last().copied() {
            if memory.edges.len() > first as usize {
                let Some(next) = memory.edges.pop() else { break };
                if memory.order[next as usize] == NONE {
                    memory.enter(self, next, &mut count);
                } else if memory.waiting[next as usize] {
                    let low = memory.lowest[decision as usize].min(memory.order[next as usize]);
                    memory.lowest[decision as usize] = low;
                }
                continue;
            }
            if memory.lowest[decision as usize] == memory.order[decision as usize] {
                while let Some(top) = memory.stack.pop() {
                    component.push(top);
                    if top == decision {
                        break;
                    }
                }
                break;
            }
            memory.calls.pop();
            if let Some((parent, _)) = memory.calls.last() {
                let low = memory.lowest[*parent as usize].min(memory.lowest[decision as usize]);
                memory.lowest[*parent as usize] = low;
            }
        }
        component.sort_unstable();
        self.circular = memory;
    }

    /// The open decisions a decision waits for.
    fn waits_for(&self, decision: u16, edges: &mut Vec<u16>) {
        let unit = decision as usize / 2;
        let node = &self.nodes[unit];
        let first = edges.len();
        if decision % 2 == 1 {
            self.convoy_waits_for(node, edges);
        } else if node.doing == Doing::Support {
            for at in chain!(self.nodes, self.movers[node.prov as usize], next_mover) {
                let attacker = &self.nodes[at as usize];
                if self.cuts(node, attacker) == Known::Open {
                    edges.extend([at * 2, at * 2 + 1]);
                    if attacker.is(mark::STRAIT) {
                        self.supports_of(attacker, edges);
                    }
                }
            }
        } else {
            self.move_waits_for(unit, edges);
        }
        let mut kept = first;
        for at in first..edges.len() {
            let edge = edges[at];
            if self.is_open(edge) {
                edges[kept] = edge;
                kept += 1;
            }
        }
        edges.truncate(kept);
    }

    fn move_waits_for(&self, unit: usize, edges: &mut Vec<u16>) {
        let node = &self.nodes[unit];
        let Span(low, _) = self.attack(node);
        edges.push(unit as u16 * 2 + 1);
        self.supports_of(node, edges);
        if let Some(other) = self.nodes.get(node.occupant as usize) {
            if other.goes() && !node.is(mark::HEAD_ON) {
                edges.push(node.occupant * 2);
            } else {
                self.supports_of(other, edges);
            }
        }
        for at in chain!(self.nodes, self.movers[node.dest as usize], next_mover) {
            let rival = &self.nodes[at as usize];
            if at as usize == unit || low > self.prevent(rival).1 {
                continue;
            }
            edges.push(at * 2 + 1);
            self.supports_of(rival, edges);
            if rival.occupant != NONE && (rival.is(mark::HEAD_ON) || self.rules.powerless) {
                edges.push(rival.occupant * 2);
            }
        }
    }

    fn convoy_waits_for(&self, node: &Node, edges: &mut Vec<u16>) {
        for carrier in chain!(self.nodes, node.first_convoy, next_convoy) {
            let fleet = &self.nodes[carrier as usize];
            if self.carries(fleet) != Known::Open {
                continue;
            }
            for at in chain!(self.nodes, self.movers[fleet.prov as usize], next_mover) {
                edges.push(at * 2);
                if self.rules.weak_convoys || self.rules.safe_convoys {
                    edges.push(at * 2 + 1);
                    self.supports_of(&self.nodes[at as usize], edges);
                    self.supports_of(fleet, edges);
                }
            }
        }
    }

    fn supports_of(&self, node: &Node, edges: &mut Vec<u16>) {
        edges.extend(chain!(self.nodes, node.first_support, next_support).map(|s| s * 2));
    }
}

impl Memory {
    fn enter(&mut self, solver: &Solver, decision: u16, count: &mut u16) {
        self.order[decision as usize] = *count;
        self.lowest[decision as usize] = *count;
        *count += 1;
        self.waiting[decision as usize] = true;
        self.stack.push(decision);
        self.calls.push((decision, self.edges.len() as u32));
        solver.waits_for(decision, &mut self.edges);
    }
}
