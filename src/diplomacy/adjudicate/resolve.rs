//! The equations of adjudication.md 3, solved on partial information: every decision (does the move succeed, is
//! the support given, does the convoy hold) is unknown, true or false; strengths are intervals; a decision is
//! fixed as soon as the intervals allow and never changes back. What is left at the fixed point is circular and
//! goes to [`super::circular`].
//!
//! Everything lives in one array of small nodes, one a unit, with intrusive lists, so that a usual position is
//! decided in a few passes over two kilobytes.

use super::board::{Board, Crossing, NOBODY, NONE};
use super::chains;
use super::circular;
use super::movement::{Act, Way};
use super::profile::{AdjacentConvoy, Paradox, Profile};
use super::rows::Set;
use super::setup::Position;
use crate::diplomacy::map::UnitKind;
use crate::diplomacy::rules::Rule;

/// Beats nothing (adjudication.md 3.2).
const FAIL: i16 = -9;
/// Below every strength, zero included.
const NOTHING: i16 = -1;

/// What is known of a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Known {
    #[default]
    Open,
    Yes,
    No,
}

impl Known {
    pub(super) fn of(yes: bool) -> Known {
        if yes { Known::Yes } else { Known::No }
    }
}

/// What a unit was ordered to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Doing {
    #[default]
    Hold,
    Move,
    Support,
    Convoy,
}

/// Facts about an order, fixed before anything is decided (or, [`HELD_OUT`], by the paradox rule).
pub(super) mod mark {
    /// The other unit moves by land into this one's place, and this one by land into the other's.
    pub const HEAD_ON: u16 = 1;
    /// The move goes by convoy.
    pub const CONVOYED: u16 = 2;
    /// It crosses a `*` border.
    pub const PASSAGE: u16 = 4;
    /// It crosses a `~` border.
    pub const STRAIT: u16 = 8;
    /// A support or convoy that fits no order.
    pub const VOID: u16 = 16;
    /// A convoy order on no route without detours: as if it had not been given.
    pub const NEEDLESS: u16 = 32;
    /// Held out by the paradox rule.
    pub const HELD_OUT: u16 = 64;
    /// No complete route was ordered.
    pub const NO_ROUTE: u16 = 128;
    /// The path was written.
    pub const WRITTEN: u16 = 256;
    /// The paradox rule decided this order.
    pub const PARADOX: u16 = 512;
    /// Support names a province that holds a convoying fleet (1982).
    pub const GUARDS_CONVOY: u16 = 1024;
}

/// A unit, its order, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Where the unit stands.
    pub at: u16,
    pub prov: u16,
    /// Destination of a move.
    pub dest: u16,
    /// The location moved to.
    pub to: u16,
    /// Unit in the destination when orders were written.
    pub occupant: u16,
    /// Next unit moving to the same destination.
    pub next_mover: u16,
    /// Unit supported or convoyed.
    pub target: u16,
    /// Province a support is directed at, or a convoy leads to.
    pub aim: u16,
    pub first_support: u16,
    pub next_support: u16,
    pub first_convoy: u16,
    pub next_convoy: u16,
    pub marks: u16,
    /// Strength of the unit itself.
    pub own: i16,
    /// Strength with supports, least and most.
    pub low: i16,
    pub high: i16,
    /// The same without supports of the owner of the unit in the destination.
    pub foreign_low: i16,
    pub foreign_high: i16,
    pub power: u8,
    pub fleet: bool,
    pub doing: Doing,
    pub moves: Known,
    pub given: Known,
    pub path: Known,
}

impl Node {
    pub(super) fn is(&self, mark: u16) -> bool {
        self.marks & mark != 0
    }
    /// Whether the unit was ordered to move.
    pub(super) fn goes(&self) -> bool {
        self.doing == Doing::Move
    }
    pub(super) fn open(&self) -> bool {
        match self.doing {
            Doing::Move => self.moves == Known::Open || self.path == Known::Open,
            Doing::Support => self.given == Known::Open,
            _ => false,
        }
    }
}

/// An interval.
#[derive(Clone, Copy)]
pub(super) struct Span(pub i16, pub i16);

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
    fn new(profile: &Profile) -> Rulings {
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
    fn self_harm(&self, power: u8) -> bool {
        self.friendly || self.dummy_fire && self.dummies >> (power & 63) & 1 == 1
    }
}

/// Units of a list threaded through the nodes.
macro_rules! chain {
    ($nodes:expr, $first:expr, $next:ident) => {{
        let nodes = &$nodes;
        let mut at = $first;
        std::iter::from_fn(move || {
            let found = nodes.get(at as usize)?;
            let this = at;
            at = found.$next;
            Some(this)
        })
    }};
}
pub(super) use chain;

impl Solver {
    /// Decides every order.
    pub(super) fn resolve(&mut self, profile: &Profile, position: &Position, acts: &[Act], paths: &[u16]) {
        self.rules = Rulings::new(profile);
        let board: &Board = position.board();
        self.load(position, acts);
        let convoys = self.link_convoys(profile, board, acts, paths);
        self.link_heads(profile);
        self.link_supports(profile, position, acts, convoys);
        self.fill_worklist();
        self.propagate(board);
        while !self.worklist.is_empty() {
            self.settle(board);
            self.propagate(board);
        }
    }

    fn load(&mut self, position: &Position, acts: &[Act]) {
        let board: &Board = position.board();
        self.movers.clear();
        self.movers.resize(position.occupant.len(), NONE);
        self.nodes.clear();
        self.nodes.reserve(acts.len());
        for (index, (piece, act)) in position.pieces.iter().zip(acts).enumerate() {
            let mut node = Node {
                at: piece.unit.at.0,
                fleet: piece.unit.kind == UnitKind::Fleet,
                prov: board.province_at(piece.unit.at.0),
                dest: NONE,
                to: NONE,
                occupant: NONE,
                next_mover: NONE,
                target: NONE,
                aim: NONE,
                first_support: NONE,
                next_support: NONE,
                first_convoy: NONE,
                next_convoy: NONE,
                marks: 0,
                own: 2,
                low: 2,
                high: 2,
                foreign_low: 2,
                foreign_high: 2,
                power: piece.power.0,
                doing: Doing::Hold,
                moves: Known::No,
                given: Known::No,
                path: Known::Yes,
            };
            match *act {
                Act::Hold => {}
                Act::Move { to, into, .. } => {
                    node.doing = Doing::Move;
                    node.to = to;
                    node.dest = into;
                    node.moves = Known::Open;
                    let there = position.occupant[into as usize];
                    node.occupant = if there == index as u16 { NONE } else { there };
                    let head = &mut self.movers[into as usize];
                    node.next_mover = *head;
                    *head = index as u16;
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
                }
                Act::Void => {
                    node.doing = Doing::Support;
                    node.marks = mark::VOID;
                }
            }
            self.nodes.push(node);
        }
    }

    /// Decides which moves go by convoy, over what, and which borders the others cross; says whether any does.
    fn link_convoys(&mut self, profile: &Profile, board: &Board, acts: &[Act], paths: &[u16]) -> bool {
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
            let node = self.nodes[index];
            if let (Some(crossing), Way::Any, NONE) = (land, way, node.first_convoy) {
                self.cross(index, crossing);
                continue;
            }
            let by_convoy = match (way, land) {
                (Way::Path { .. }, _) | (_, None) => true,
                (Way::Via, _) => {
                    profile.adjacent_convoy != AdjacentConvoy::IntentOrLand || self.route(board, index, Set::default())
                }
                (Way::Any, Some(_)) => self.intends(profile, board, index),
            };
            if !by_convoy {
                self.cross(index, land.unwrap_or(Crossing::Plain));
                self.nodes[index].first_convoy = NONE;
                continue;
            }
            any = true;
            let complete = match way {
                Way::Path { first, count } => {
                    self.nodes[index].marks |= mark::WRITTEN;
                    let path = &paths[first as usize..first as usize + count as usize];
                    path.iter().all(|sea| {
                        chain!(self.nodes, node.first_convoy, next_convoy).any(|c| self.nodes[c as usize].prov == *sea)
                    })
                }
                _ if profile.only_written() => false,
                _ => self.route(board, index, Set::default()),
            };
            let landing = self.landing(board, index, into, way, paths);
            let node = &mut self.nodes[index];
            node.marks |= mark::CONVOYED | if complete { 0 } else { mark::NO_ROUTE };
            node.path = if complete { Known::Open } else { Known::No };
            if !complete {
                node.moves = Known::No;
            }
            self.cross(index, landing);
            let mut at = if complete { self.nodes[index].first_convoy } else { NONE };
            while at != NONE {
                self.nodes[at as usize].marks &= !mark::VOID;
                at = self.nodes[at as usize].next_convoy;
            }
        }
        any
    }

    /// The border over which a convoyed army lands: a special one if every route ends in one.
    fn landing(&self, board: &Board, index: usize, into: u16, way: Way, paths: &[u16]) -> Crossing {
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

    fn cross(&mut self, index: usize, crossing: Crossing) {
        let node = &mut self.nodes[index];
        node.own = crossing.strength();
        node.marks |= match crossing {
            Crossing::Plain => 0,
            Crossing::Passage => mark::PASSAGE,
            Crossing::Strait => mark::STRAIT,
        };
    }

    /// Whether an army that could walk means to be convoyed (4.A.3).
    fn intends(&self, profile: &Profile, board: &Board, index: usize) -> bool {
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

    fn crossing<'a>(&self, board: &'a Board, index: usize, over: &'a Set) -> chains::Crossing<'a> {
        let node = &self.nodes[index];
        // A fleet is carried over a written path only, and a written path is never searched for.
        chains::Crossing { board, from: node.prov, to: node.dest, over, portage: false }
    }

    fn carriers(&self, index: usize, mut usable: impl FnMut(u16) -> bool) -> Set {
        let mut over = Set::default();
        for carrier in chain!(self.nodes, self.nodes[index].first_convoy, next_convoy) {
            if usable(carrier) {
                over.insert(self.nodes[carrier as usize].prov);
            }
        }
        over
    }

    /// Whether the fleets ordered to convoy a unit make a chain, those in `without` left out.
    fn route(&self, board: &Board, index: usize, without: Set) -> bool {
        let over = self.carriers(index, |c| !without.has(self.nodes[c as usize].prov));
        self.crossing(board, index, &over).possible()
    }

    /// Finds the head-to-head battles.
    fn link_heads(&mut self, profile: &Profile) {
        let crawl = profile.has(Rule::CoastalCrawl);
        for index in 0..self.nodes.len() {
            let node = self.nodes[index];
            let Some(other) = self.nodes.get(node.occupant as usize) else { continue };
            let meets =
                other.goes() && other.dest == node.prov && !node.is(mark::CONVOYED) && !other.is(mark::CONVOYED);
            if meets && !(crawl && self.slips(index, node.occupant as usize)) {
                self.nodes[index].marks |= mark::HEAD_ON;
            }
        }
    }

    /// COASTAL_CRAWL: whether two fleets pass each other on different coasts.
    fn slips(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.nodes[one], &self.nodes[other]);
        one.fleet && other.fleet && (one.to != other.at || other.to != one.at)
    }

    /// Matches supports with the orders they are for, and opens the decisions about them.
    fn link_supports(&mut self, profile: &Profile, position: &Position, acts: &[Act], convoys: bool) {
        for (index, act) in acts.iter().enumerate() {
            let Act::Support { of, into, coast } = *act else { continue };
            let node = self.nodes[index];
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
            let harmless = self.harmless(node.power, helped.occupant);
            let unopposed = self.movers[node.prov as usize] == NONE;
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
        }
        // Strengths start from the unit's own.
        for node in &mut self.nodes {
            let less = 2 - node.own;
            node.low -= less;
            node.high -= less;
            node.foreign_low -= less;
            node.foreign_high -= less;
        }
    }

    /// Whether a power's support does not count against the unit in the destination, its own.
    fn harmless(&self, power: u8, occupant: u16) -> bool {
        let owner = self.nodes.get(occupant as usize).map_or(NOBODY, |v| v.power);
        owner == power && !self.rules.self_harm(power)
    }

    fn fill_worklist(&mut self) {
        self.worklist.clear();
        let supports = self.nodes.iter().enumerate().filter(|(_, n)| n.doing == Doing::Support && n.open());
        self.worklist.extend(supports.map(|(at, _)| at as u16));
        let moves = self.nodes.iter().enumerate().filter(|(_, n)| n.goes() && n.open());
        self.worklist.extend(moves.map(|(at, _)| at as u16));
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

    fn advance(&mut self, board: &Board, index: usize) -> bool {
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
    fn dislodged_from(&self, node: &Node) -> Known {
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
    fn bites(&self, attacker: &Node) -> Known {
        match (attacker.is(mark::STRAIT), attacker.low > attacker.own, attacker.high > attacker.own) {
            (false, ..) | (_, true, _) => Known::Yes,
            (_, _, true) => Known::Open,
            _ => Known::No,
        }
    }

    /// Whether a support is for an attack on a fleet of this army's route.
    fn aims_at_route(&self, node: &Node, attacker: &Node) -> bool {
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

    fn on_route(&self, board: &Board, index: usize, carrier: u16) -> bool {
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
    fn weakens(&self, node: &Node, attacker: &Node) -> Known {
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
    fn unbeleaguered(&self, node: &Node) -> Known {
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
