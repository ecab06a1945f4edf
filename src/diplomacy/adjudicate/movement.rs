//! A movement phase being collected: orders come in one by one through the door [`Movement::order`], which
//! accepts what could be carried out whatever the others do (orders.md 5, DATC 4.E.1). A unit whose order is
//! refused holds and may be supported in place.

use super::board::{Board, Crossing, NONE};
use super::chains;
use super::fallback;
use super::illegal::Illegal;
use super::profile::{AdjacentConvoy, Profile};
use super::resolution::Resolution;
use super::resolve::Solver;
use super::rows::Set;
use super::setup::{Piece, Position};
use crate::diplomacy::map::{LocationId, PowerId, ProvinceId, Terrain, UnitKind};
use crate::diplomacy::notation::Written;
use crate::diplomacy::order::{Order, Route};
use crate::diplomacy::position::Unit;
use crate::diplomacy::rules::Rule;

/// How a move travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Any,
    Via,
    Path {
        first: u32,
        count: u16,
    },
    /// On foot, whatever was ordered (4.A.3, falling back to land).
    Foot,
    /// By a convoy that is known to hold (the same).
    Sure,
}

/// An order that passed the door, in the resolver's terms.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    Hold,
    Move {
        to: u16,
        into: u16,
        land: Option<Crossing>,
        way: Way,
    },
    /// `into` and `coast` are [`NONE`] for a support to hold, `coast` also where none was named.
    Support {
        of: u16,
        into: u16,
        coast: u16,
    },
    Convoy {
        cargo: u16,
        into: u16,
        needless: bool,
    },
    /// A support (or convoy) that cannot count, whatever happens.
    Void,
}

/// Memory for phases, reused from one to the next: after the first few nothing is allocated any more.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(super) acts: Vec<Act>,
    pub(super) paths: Vec<u16>,
    pub(super) solver: Solver,
}

impl Workspace {
    /// Fresh memory.
    pub fn new() -> Workspace {
        Workspace::default()
    }
    /// Begins a movement phase: every unit holds.
    pub fn movement<'a>(&'a mut self, profile: &'a Profile, position: &'a Position) -> Movement<'a> {
        self.acts.clear();
        self.acts.resize(position.pieces.len(), Act::Hold);
        self.paths.clear();
        Movement { profile, position, board: position.board(), carriers: [None; 2], memory: self }
    }
}

/// A movement phase that takes orders.
pub struct Movement<'a> {
    profile: &'a Profile,
    position: &'a Position,
    board: &'a Board,
    /// Where there are units that may carry armies, and fleets; counted when first asked for.
    carriers: [Option<Set>; 2],
    memory: &'a mut Workspace,
}

impl<'a> Movement<'a> {
    /// Gives an order for a unit of a power and says which of the position's pieces it is. A later order
    /// replaces an earlier one; a refused one leaves what there was.
    pub fn order(&mut self, power: PowerId, unit: Unit, order: &Order) -> Result<usize, Illegal> {
        let (index, piece) = self.unit(power, unit)?;
        let act = self.act(index as u16, piece, order)?;
        self.memory.acts[index] = act;
        Ok(index)
    }

    /// As [`Movement::order`], for an order read from text.
    pub fn written(&mut self, power: PowerId, written: &Written<Order>) -> Result<usize, Illegal> {
        let (index, piece) = self.unit(power, written.unit)?;
        if written.idle_coast && self.profile.strict_army_coast {
            return Err(Illegal::WrongCoast);
        }
        let act = self.act(index as u16, piece, &written.order)?;
        self.memory.acts[index] = act;
        Ok(index)
    }

    /// Lets a unit hold after all.
    pub fn hold(&mut self, index: usize) {
        if let Some(act) = self.memory.acts.get_mut(index) {
            *act = Act::Hold;
        }
    }

    /// Whether an order would be accepted, and for which piece.
    pub fn check(&mut self, power: PowerId, unit: Unit, order: &Order) -> Result<usize, Illegal> {
        let (index, piece) = self.unit(power, unit)?;
        let paths = self.memory.paths.len();
        let act = self.act(index as u16, piece, order);
        self.memory.paths.truncate(paths);
        act.map(|_| index)
    }

    /// Decides every order.
    pub fn resolve(self) -> Resolution<'a> {
        let Workspace { acts, paths, solver } = self.memory;
        fallback::resolve(solver, self.profile, self.position, acts, paths);
        Resolution::new(self.profile, self.position, acts, paths, solver)
    }

    /// Which of the position's pieces an order for that unit would be for.
    pub fn find(&self, power: PowerId, unit: Unit) -> Result<usize, Illegal> {
        self.unit(power, unit).map(|(index, _)| index)
    }

    fn unit(&self, power: PowerId, unit: Unit) -> Result<(usize, Piece), Illegal> {
        let (index, piece) = self.standing(unit, Illegal::NoSuchUnit)?;
        if piece.power == power { Ok((index, piece)) } else { Err(Illegal::NoSuchUnit) }
    }

    /// The unit on the board that is meant: of that kind, in that province, its coast unnamed, right or corrected.
    #[inline]
    fn standing(&self, unit: Unit, missing: Illegal) -> Result<(usize, Piece), Illegal> {
        let (province, bare) = self.board.whereabouts(unit.at).ok_or(missing)?;
        let index = self.position.occupant[province as usize] as usize;
        let piece = *self.position.pieces.get(index).ok_or(missing)?;
        let there = piece.unit;
        if there.kind != unit.kind {
            return Err(missing);
        }
        let wrong = there.at != unit.at && unit.at != bare;
        let strict = || match unit.kind {
            UnitKind::Army => self.profile.strict_army_coast,
            UnitKind::Fleet => self.profile.strict_coast,
        };
        if wrong && strict() {
            return Err(if missing == Illegal::NoSuchUnit { Illegal::WrongCoast } else { missing });
        }
        Ok((index, piece))
    }

    fn act(&mut self, index: u16, piece: Piece, order: &Order) -> Result<Act, Illegal> {
        if matches!(order, Order::Hold) {
            return Ok(Act::Hold);
        }
        if !self.board.may_stand(piece.unit) {
            let signal = matches!(order, Order::Support { .. }) && self.profile.has(Rule::SignalSupport);
            return if signal { Ok(Act::Void) } else { Err(Illegal::Shut) };
        }
        match order {
            Order::Hold => Ok(Act::Hold),
            Order::Move { to, route } => self.march(piece, *to, route),
            Order::Support { unit, to } => self.support(index, piece, *unit, *to),
            Order::Convoy { army, to } => self.convoy(piece, army.0, to.0),
            Order::Proxy(_) => Err(Illegal::Proxy),
        }
    }

    fn march(&mut self, piece: Piece, to: LocationId, route: &Route) -> Result<Act, Illegal> {
        let (board, kind, from) = (self.board, piece.unit.kind, piece.unit.at.0);
        let home = board.province_at(from);
        let (into, bare) = board.whereabouts(to).ok_or(Illegal::Unreachable)?;
        if self.profile.has(Rule::ImmobileDummies) && self.profile.is_dummy(piece.power.0) {
            return Err(Illegal::Immobile);
        }
        let to = self.target(piece, to, into, bare)?;
        if let Route::Path(path) = route {
            return self.path(piece, to, path.iter().map(|p| p.0));
        }
        if into == home {
            return Err(Illegal::Return);
        }
        let owners = &self.position.owners;
        if kind == UnitKind::Fleet {
            let land = board.sail(from, to, piece.power.0, owners);
            return match (land, route) {
                (_, Route::Via) => Err(Illegal::Path),
                (Some(_), _) => Ok(Act::Move { to, into, land, way: Way::Any }),
                (None, _) => Err(Illegal::Unreachable),
            };
        }
        let land = board.walk(home, into, piece.power.0, owners);
        let via = *route == Route::Via;
        if land.is_none() || via {
            let wrong = if land.is_none() { Illegal::Unreachable } else { Illegal::Path };
            if !(board.is_shore(home) && board.is_shore(into)) {
                return Err(wrong);
            }
            if self.profile.written_path {
                return Err(Illegal::PathRequired);
            }
            if !self.chain(kind, home, into, NONE, piece.power.0) {
                return Err(wrong);
            }
        }
        let way = if via && land.is_some() { Way::Via } else { Way::Any };
        Ok(Act::Move { to, into, land, way })
    }

    /// The place a move goes to: an army's without coast, a fleet's with the only one it can reach.
    fn target(&self, piece: Piece, to: LocationId, into: u16, bare: LocationId) -> Result<u16, Illegal> {
        let board = self.board;
        match piece.unit.kind {
            UnitKind::Army if to != bare && self.profile.strict_army_coast => Err(Illegal::WrongCoast),
            UnitKind::Army => Ok(bare.0),
            UnitKind::Fleet if to == bare && board.is_split(ProvinceId(into)) => {
                let (from, power, owners) = (piece.unit.at.0, piece.power.0, &self.position.owners);
                let reach = |t: &u16| board.sail(from, *t, power, owners).is_some();
                let mut coasts = board.places(into).iter().copied().filter(reach);
                match (coasts.next(), coasts.next()) {
                    (Some(only), None) => Ok(only),
                    _ => Err(Illegal::Unreachable),
                }
            }
            UnitKind::Fleet => Ok(to.0),
        }
    }

    fn path(&mut self, piece: Piece, to: u16, path: impl Iterator<Item = u16>) -> Result<Act, Illegal> {
        let (board, kind, from) = (self.board, piece.unit.kind, piece.unit.at.0);
        let (home, into) = (board.province_at(from), board.province_at(to));
        let rules = self.profile;
        let inner = rules.has(Rule::MultiCoastPortage) && kind == UnitKind::Fleet && home == into;
        let portage = kind == UnitKind::Fleet && (rules.has(Rule::PortageConvoy) || inner);
        if kind == UnitKind::Fleet && !portage {
            return Err(Illegal::Path);
        }
        let back = rules.has(Rule::ConvoyBack);
        if into == home && !back && !inner {
            return Err(Illegal::Return);
        }
        if !board.is_shore(into) || !board.may_stand(Unit { kind, at: LocationId(to) }) {
            return Err(Illegal::Path);
        }
        let first = self.memory.paths.len();
        let mut last = home;
        for sea in path {
            let used = sea == home || sea == into || self.memory.paths[first..].contains(&sea);
            let carrier = sea < board.provinces() as u16 && self.may_carry(kind, sea);
            let step = carrier && if portage { board.army_touches(last, sea) } else { board.touches(last, sea) };
            let there = step && (self.carrier_at(kind, sea) || rules.has(Rule::FictionalOk));
            if used && !back || !there {
                self.memory.paths.truncate(first);
                return Err(Illegal::Path);
            }
            self.memory.paths.push(sea);
            last = sea;
        }
        let count = (self.memory.paths.len() - first) as u16;
        let lands = count > 0 && if portage { board.army_touches(last, into) } else { board.touches(last, into) };
        if !lands {
            self.memory.paths.truncate(first);
            return Err(Illegal::Path);
        }
        let missing = self.memory.paths[first..].iter().any(|sea| !self.carrier_at(kind, *sea));
        if missing && !rules.has(Rule::ShowPhantom) {
            // FICTIONAL_OK: an army led over a fleet that is not there holds.
            self.memory.paths.truncate(first);
            return Ok(Act::Hold);
        }
        let land = board.step(kind, from, to, piece.power.0, &self.position.owners);
        Ok(Act::Move { to, into, land, way: Way::Path { first: first as u32, count } })
    }

    fn support(&mut self, index: u16, piece: Piece, helped: Unit, to: Option<LocationId>) -> Result<Act, Illegal> {
        match self.support_strictly(index, piece, helped, to) {
            Err(Illegal::SupportUnreachable | Illegal::SupportDelivery | Illegal::League)
                if self.profile.has(Rule::SignalSupport) =>
            {
                Ok(Act::Void)
            }
            Err(Illegal::Recipient) if self.profile.has(Rule::ShowPhantom) => Ok(Act::Void),
            Err(Illegal::Recipient) if self.profile.has(Rule::FictionalOk) => Ok(Act::Hold),
            other => other,
        }
    }

    fn support_strictly(
        &mut self,
        index: u16,
        piece: Piece,
        helped: Unit,
        to: Option<LocationId>,
    ) -> Result<Act, Illegal> {
        let board = self.board;
        let (of, helped) = self.standing(helped, Illegal::Recipient)?;
        let of = of as u16;
        if of == index {
            return Err(Illegal::SupportSelf);
        }
        let home = board.province_at(helped.unit.at.0);
        let (kind, at, power, owners) = (piece.unit.kind, piece.unit.at.0, piece.power.0, &self.position.owners);
        let Some(to) = to else {
            if !board.supports_into(kind, at, home, power, owners) {
                return Err(Illegal::SupportDelivery);
            }
            self.league(piece.power, helped.power)?;
            return Ok(Act::Support { of, into: NONE, coast: NONE });
        };
        let (into, bare) = board.whereabouts(to).ok_or(Illegal::SupportUnreachable)?;
        let mut coast = if to == bare { NONE } else { to.0 };
        let inner = helped.unit.kind == UnitKind::Fleet && self.profile.has(Rule::MultiCoastPortage);
        if into == home && !inner {
            return Err(Illegal::SupportUnreachable);
        }
        let reach = |t: u16| board.sail(helped.unit.at.0, t, helped.power.0, owners).is_some();
        let reaches = match helped.unit.kind {
            UnitKind::Army => {
                if coast != NONE && self.profile.strict_army_coast {
                    return Err(Illegal::WrongCoast);
                }
                coast = NONE;
                board.walk(home, into, helped.power.0, owners).is_some()
                    || board.is_shore(home)
                        && board.is_shore(into)
                        && self.chain(UnitKind::Army, home, into, board.province_at(at), helped.power.0)
            }
            UnitKind::Fleet if self.profile.has(Rule::PortageConvoy) || inner => true,
            UnitKind::Fleet if coast != NONE => reach(coast),
            UnitKind::Fleet => board.places(into).iter().any(|t| reach(*t)),
        };
        if !reaches {
            return Err(Illegal::SupportUnreachable);
        }
        if !board.supports_into(kind, at, into, power, owners) {
            return Err(Illegal::SupportDelivery);
        }
        self.league(piece.power, helped.power)?;
        Ok(Act::Support { of, into, coast })
    }

    fn convoy(&mut self, piece: Piece, from: u16, into: u16) -> Result<Act, Illegal> {
        let board = self.board;
        if from as usize >= board.provinces() || into as usize >= board.provinces() {
            return Err(Illegal::ConvoyImpossible);
        }
        let at = board.province_at(piece.unit.at.0);
        let cargo_kind = match piece.unit.kind {
            UnitKind::Fleet => UnitKind::Army,
            UnitKind::Army => UnitKind::Fleet,
        };
        if !self.may_carry(cargo_kind, at) {
            return Err(Illegal::ConvoyUnit);
        }
        let cargo = self.position.occupant[from as usize];
        let helped = self.position.pieces.get(cargo as usize).filter(|p| p.unit.kind == cargo_kind);
        let Some(helped) = helped else {
            return match self.profile {
                p if p.has(Rule::ShowPhantom) => Ok(Act::Void),
                p if p.has(Rule::FictionalOk) => Ok(Act::Hold),
                _ => Err(Illegal::Recipient),
            };
        };
        let inner = cargo_kind == UnitKind::Fleet && self.profile.has(Rule::MultiCoastPortage);
        if !board.is_shore(from) || !board.is_shore(into) || into == from && !inner {
            return Err(Illegal::ConvoyImpossible);
        }
        self.league(piece.power, helped.power)?;
        let portage = cargo_kind == UnitKind::Fleet;
        let mut over = *self.carriers(cargo_kind);
        over.remove(from);
        over.remove(into);
        let chain = chains::Crossing { board, from, to: into, over: &over, portage };
        let possible = if self.profile.has(Rule::ConvoyBack) { chain.possible() } else { chain.possible_through(at) };
        if !possible {
            return Err(Illegal::ConvoyImpossible);
        }
        let needless = !self.profile.needless_convoys && !chain.needed(at);
        Ok(Act::Convoy { cargo, into, needless })
    }

    fn league(&self, power: PowerId, other: PowerId) -> Result<(), Illegal> {
        let free = self.profile.has(Rule::FictionalOk) || self.board.allied(power.0, other.0);
        if free { Ok(()) } else { Err(Illegal::League) }
    }

    /// Whether a place can carry cargo of that kind at all.
    fn may_carry(&self, cargo: UnitKind, at: u16) -> bool {
        match cargo {
            UnitKind::Army => self.board.is_sea_lane(at, self.profile.has(Rule::CoastalConvoy)),
            UnitKind::Fleet => {
                let on = self.profile.has(Rule::PortageConvoy) || self.profile.has(Rule::MultiCoastPortage);
                on && !matches!(self.board.terrain(ProvinceId(at)), Terrain::Water | Terrain::Shut)
            }
        }
    }

    /// Whether a unit that can carry such cargo stands there.
    fn carrier_at(&self, cargo: UnitKind, at: u16) -> bool {
        let there = self.position.occupant[at as usize];
        self.position.pieces.get(there as usize).is_some_and(|p| p.unit.kind != cargo)
    }

    fn carriers(&mut self, cargo: UnitKind) -> &Set {
        let slot = usize::from(cargo == UnitKind::Fleet);
        let found = self.carriers[slot].unwrap_or_else(|| {
            let mut set = Set::default();
            for piece in self.position.pieces.iter().filter(|p| p.unit.kind != cargo) {
                let at = self.board.province_at(piece.unit.at.0);
                if self.may_carry(cargo, at) && self.board.may_stand(piece.unit) {
                    set.insert(at);
                }
            }
            set
        });
        self.carriers[slot].insert(found)
    }

    /// Whether units on the board could convoy there, that one left out.
    fn chain(&mut self, cargo: UnitKind, from: u16, to: u16, without: u16, _power: u8) -> bool {
        let board = self.board;
        let mut over = *self.carriers(cargo);
        over.remove(from);
        over.remove(to);
        if without != NONE {
            over.remove(without);
        }
        chains::Crossing { board, from, to, over: &over, portage: cargo == UnitKind::Fleet }.possible()
    }
}

impl Profile {
    /// Whether a convoy has to be written out to be one.
    pub(super) fn only_written(&self) -> bool {
        self.adjacent_convoy == AdjacentConvoy::Written
    }
}
