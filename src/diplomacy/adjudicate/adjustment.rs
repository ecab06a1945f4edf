//! The adjustment phase (adjudication.md 8 and 9): builds and removals, and the removals a power leaves to the
//! judge. Without a dialogue, of too many orders the first legal ones count (4.D.4–4.D.6).

use super::board::Board;
use super::estate::{Due, Estate, Estates, due};
use super::profile::{Profile, Removal};
use super::rows::{At, Set};
use super::setup::{Piece, Position};
use crate::diplomacy::map::{PowerId, ProvinceId, UnitKind};
use crate::diplomacy::notation::AdjustOrder;
use crate::diplomacy::position::Unit;

/// Why a line of an adjustment does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalAdjustment {
    /// A build when none is due, or a removal when none is.
    #[error("nothing of that kind is due")]
    NotDue,
    /// More than are due.
    #[error("more than are due")]
    TooMany,
    /// Not a place the power may build in.
    #[error("the power cannot build there")]
    Site,
    /// A second build in one place.
    #[error("one build in a place")]
    Twice,
    /// The unit cannot stand there, or its coast is missing.
    #[error("such a unit cannot stand there")]
    Unit,
    /// No such unit to be removed, or removed already.
    #[error("no such unit of that power")]
    NoSuchUnit,
    /// Builds in an alternative home and all it stands in for.
    #[error("an alternative site needs a free home")]
    Alternative,
    /// An army with a coast (4.B.6).
    #[error("wrong coast")]
    WrongCoast,
}

/// An adjustment phase that takes orders.
pub struct Adjustment<'a> {
    profile: &'a Profile,
    position: &'a Position,
    board: &'a Board,
    estates: &'a Estates,
    due: Vec<Due>,
    accepted: Vec<(PowerId, AdjustOrder)>,
}

/// What came of an adjustment.
#[derive(Clone, Debug)]
pub struct Adjusted {
    /// Builds and removals ordered, waivers too, in the order they were accepted.
    pub ordered: Vec<(PowerId, AdjustOrder)>,
    /// Units removed by the judge, in that order.
    pub automatic: Vec<Piece>,
    /// Builds left unused, by power; powers without are left out.
    pub unused: Vec<(PowerId, u16)>,
    /// The position afterwards.
    pub position: Position,
}

impl<'a> Adjustment<'a> {
    /// Begins the phase: centres have been counted.
    pub fn new(profile: &'a Profile, position: &'a Position, estates: &'a Estates) -> Adjustment<'a> {
        let board: &Board = position.board();
        let due = (0..board.powers() as u8).map(|p| due(profile, position, estates, PowerId(p))).collect();
        Adjustment { profile, position, board, estates, due, accepted: Vec::new() }
    }

    /// What a power owes or may do.
    pub fn due(&self, power: PowerId) -> Option<&Due> {
        self.due.get(power.0 as usize)
    }

    /// Takes one line of a power.
    pub fn order(&mut self, power: PowerId, order: AdjustOrder) -> Result<(), IllegalAdjustment> {
        let due = self.due.get(power.0 as usize).ok_or(IllegalAdjustment::NotDue)?;
        let accepted = match order {
            AdjustOrder::Build(_) | AdjustOrder::Waive if due.count <= 0 => return Err(IllegalAdjustment::NotDue),
            AdjustOrder::Remove(_) if due.count >= 0 => return Err(IllegalAdjustment::NotDue),
            AdjustOrder::Waive => order,
            AdjustOrder::Build(unit) => AdjustOrder::Build(self.build(power, unit)?),
            AdjustOrder::Remove(unit) => AdjustOrder::Remove(self.removal(power, unit)?),
        };
        let counts = |o: &AdjustOrder| !matches!(o, AdjustOrder::Waive);
        let done = self.accepted.iter().filter(|(p, o)| *p == power && counts(o)).count() as i32;
        if counts(&accepted) && done >= due.count.abs() {
            return Err(IllegalAdjustment::TooMany);
        }
        self.accepted.push((power, accepted));
        Ok(())
    }

    fn build(&self, power: PowerId, mut unit: Unit) -> Result<Unit, IllegalAdjustment> {
        if unit.at.index() >= self.board.locations() {
            return Err(IllegalAdjustment::Site);
        }
        let site = self.board.province(unit.at);
        if unit.kind == UnitKind::Army && unit.at != self.board.bare(site) {
            if self.profile.strict_army_coast {
                return Err(IllegalAdjustment::WrongCoast);
            }
            unit.at = self.board.bare(site);
        }
        if !self.due[power.0 as usize].sites.contains(&site) {
            return Err(IllegalAdjustment::Site);
        }
        let mut built: Vec<ProvinceId> = self.builds(power).collect();
        if built.contains(&site) {
            return Err(IllegalAdjustment::Twice);
        }
        if !self.board.may_stand(unit) {
            return Err(IllegalAdjustment::Unit);
        }
        built.push(site);
        let estate = self.estates.get(power);
        let exhausted = |(alternative, limits): &(ProvinceId, Vec<ProvinceId>)| {
            !limits.is_empty() && built.contains(alternative) && limits.iter().all(|l| built.contains(l))
        };
        if estate.is_some_and(|e: &Estate| e.alternatives.iter().any(exhausted)) {
            return Err(IllegalAdjustment::Alternative);
        }
        Ok(unit)
    }

    fn builds(&self, power: PowerId) -> impl Iterator<Item = ProvinceId> + '_ {
        self.accepted.iter().filter(move |(p, _)| *p == power).filter_map(|(_, order)| match order {
            AdjustOrder::Build(unit) => Some(self.board.province(unit.at)),
            _ => None,
        })
    }

    fn removal(&self, power: PowerId, unit: Unit) -> Result<Unit, IllegalAdjustment> {
        let wrong = Err(IllegalAdjustment::NoSuchUnit);
        if unit.at.index() >= self.board.locations() {
            return wrong;
        }
        let province = self.board.province(unit.at);
        let Some(index) = self.position.at(province) else { return wrong };
        let piece = self.position.pieces()[index];
        let named = unit.at != self.board.bare(province) && unit.at != piece.unit.at;
        let strict = self.profile.strict_coast && unit.kind == UnitKind::Fleet
            || self.profile.strict_army_coast && unit.kind == UnitKind::Army;
        let gone = self.accepted.contains(&(power, AdjustOrder::Remove(piece.unit)));
        if piece.power != power || piece.unit.kind != unit.kind || gone || named && strict {
            return wrong;
        }
        Ok(piece.unit)
    }

    /// Builds and removes; what is missing of the removals the judge chooses.
    pub fn resolve(self) -> Adjusted {
        let mut next = self.position.clone();
        for (power, order) in &self.accepted {
            match order {
                AdjustOrder::Build(unit) => {
                    next.place(Piece { power: *power, unit: *unit });
                }
                AdjustOrder::Remove(unit) => next.lift(self.board.province(unit.at)),
                AdjustOrder::Waive => {}
            }
        }
        let mut automatic = Vec::new();
        let mut unused = Vec::new();
        for due in &self.due {
            let mine = self.accepted.iter().filter(|(p, o)| *p == due.power && *o != AdjustOrder::Waive).count();
            let left = (due.count.unsigned_abs() as usize).saturating_sub(mine);
            if due.count < 0 {
                let homes = self.estates.get(due.power).map_or(&[][..], |e| &e.homes);
                automatic.extend(removals(self.profile.removal, &next, due.power, homes, left));
            } else if left > 0 {
                unused.push((due.power, left as u16));
            }
        }
        for piece in &automatic {
            next.lift(self.board.province(piece.unit.at));
        }
        Adjusted { ordered: self.accepted, automatic, unused, position: next }
    }
}

/// The units the judge removes for a power (D4): the farthest from its centres first, fleets before armies, then
/// by the full name of the place.
pub fn removals(rule: Removal, position: &Position, power: PowerId, homes: &[ProvinceId], count: usize) -> Vec<Piece> {
    let board: &Board = position.board();
    let goals: Vec<ProvinceId> = match rule {
        Removal::Owned => position.centers(power).collect(),
        Removal::Homes => homes.to_vec(),
    };
    let mut units: Vec<(usize, Unit)> = position
        .units(power)
        .map(|unit| (distance(board, unit, &goals, rule == Removal::Homes && unit.kind == UnitKind::Fleet), unit))
        .collect();
    let name = |unit: &Unit| board.province_title(board.province(unit.at));
    units.sort_by(|(far, one), (near, other)| {
        let fleet = |unit: &Unit| unit.kind == UnitKind::Army;
        near.cmp(far).then(fleet(one).cmp(&fleet(other))).then_with(|| name(one).cmp(name(other)))
    });
    units.into_iter().take(count).map(|(_, unit)| Piece { power, unit }).collect()
}

/// Steps from a unit to the nearest of some provinces; unreachable counts as farthest.
fn distance(board: &Board, unit: Unit, goals: &[ProvinceId], by_sea: bool) -> usize {
    let mut aims = Set::default();
    goals.iter().for_each(|g| aims.insert(g.0));
    let mut seen = vec![false; board.locations()];
    let mut edge = vec![if by_sea { unit.at.0 } else { board.bare(board.province(unit.at)).0 }];
    let mut steps = 0;
    while !edge.is_empty() {
        if edge.iter().any(|at| aims.has(board.province_at(*at))) {
            return steps;
        }
        steps += 1;
        let mut next = Vec::new();
        for at in &edge {
            let mut visit = |to: u16| {
                if !std::mem::replace(&mut seen[to as usize], true) {
                    next.push(to);
                }
            };
            if by_sea {
                board.steps(UnitKind::Fleet, *at).for_each(visit);
            } else {
                board.any_neighbour(board.province_at(*at), |to| visit(board.bare(ProvinceId(to)).0));
            }
        }
        edge = next;
    }
    usize::MAX
}
