//! The retreat phase (adjudication.md 7): units that lost their place go where nobody else goes, or are lost.

use super::board::{Board, Crossing};
use super::illegal::Illegal;
use super::profile::Profile;
use super::rows::At;
use super::setup::{Piece, Position};
use crate::diplomacy::map::{LocationId, PowerId, UnitKind};
use crate::diplomacy::notation::RetreatOrder;
use crate::diplomacy::position::Unit;

/// What became of a dislodged unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetreatFate {
    /// It stands there now.
    Retreats(LocationId),
    /// Somebody else went there too: it is lost.
    Bounces(LocationId),
    /// It was disbanded, by order or for want of one.
    Disbands,
}

impl RetreatFate {
    /// Annotations as in a record of a game.
    pub fn codes(self) -> &'static [&'static str] {
        match self {
            RetreatFate::Retreats(_) => &[],
            RetreatFate::Bounces(_) => &["bounce", "disband"],
            RetreatFate::Disbands => &["disband"],
        }
    }
}

/// A retreat phase that takes orders; a unit without one is disbanded.
pub struct Retreats<'a> {
    profile: &'a Profile,
    position: &'a Position,
    board: &'a Board,
    orders: Vec<Option<LocationId>>,
}

impl<'a> Retreats<'a> {
    /// Begins the phase.
    pub fn new(profile: &'a Profile, position: &'a Position) -> Retreats<'a> {
        Retreats { profile, position, board: position.board(), orders: vec![None; position.dislodged().len()] }
    }

    /// Gives an order for a dislodged unit and says which of [`Position::dislodged`] it is.
    pub fn order(&mut self, power: PowerId, unit: Unit, order: RetreatOrder) -> Result<usize, Illegal> {
        let index = self.unit(power, unit)?;
        self.orders[index] = match order {
            RetreatOrder::Disband => None,
            RetreatOrder::To(to) => Some(self.target(index, to)?),
        };
        Ok(index)
    }

    /// Which of the dislodged units an order for that unit would be for.
    pub fn find(&self, power: PowerId, unit: Unit) -> Result<usize, Illegal> {
        self.unit(power, unit)
    }

    fn unit(&self, power: PowerId, unit: Unit) -> Result<usize, Illegal> {
        if unit.at.index() >= self.board.locations() {
            return Err(Illegal::NoSuchUnit);
        }
        let province = self.board.province(unit.at);
        let same = |piece: &Piece| {
            piece.power == power && piece.unit.kind == unit.kind && self.board.province(piece.unit.at) == province
        };
        let index = self.position.dislodged().iter().position(|d| same(&d.piece)).ok_or(Illegal::NoSuchUnit)?;
        let there = self.position.dislodged()[index].piece.unit;
        let strict = match unit.kind {
            UnitKind::Army => self.profile.strict_army_coast,
            UnitKind::Fleet => self.profile.strict_coast,
        };
        if unit.at != self.board.bare(province) && unit.at != there.at && strict {
            return Err(Illegal::WrongCoast);
        }
        Ok(index)
    }

    /// The open retreat that is meant; the province is enough where only one of its coasts is open.
    fn target(&self, index: usize, to: LocationId) -> Result<LocationId, Illegal> {
        if to.index() >= self.board.locations() {
            return Err(Illegal::Unreachable);
        }
        let unit = &self.position.dislodged()[index];
        let open = self.position.retreats(unit);
        let bare = self.board.bare(self.board.province(to));
        let army = unit.piece.unit.kind == UnitKind::Army;
        if army && to != bare && self.profile.strict_army_coast {
            return Err(Illegal::WrongCoast);
        }
        let to = if army { bare } else { to };
        if open.contains(&to) {
            return Ok(to);
        }
        let mut coasts = open.iter().filter(|l| to == bare && self.board.bare(self.board.province(**l)) == bare);
        match (coasts.next(), coasts.next()) {
            (Some(only), None) => Ok(*only),
            _ => Err(Illegal::Unreachable),
        }
    }

    /// Every unit's fate, in the order of [`Position::dislodged`], and the position afterwards.
    pub fn resolve(&self) -> (Vec<RetreatFate>, Position) {
        let mut next = self.position.clone();
        next.dislodged.clear();
        next.retreats.clear();
        let fates: Vec<RetreatFate> = (0..self.orders.len()).map(|index| self.fate(index)).collect();
        for (unit, fate) in self.position.dislodged().iter().zip(&fates) {
            if let RetreatFate::Retreats(at) = *fate {
                next.place(Piece { unit: Unit { at, ..unit.piece.unit }, ..unit.piece });
            }
        }
        (fates, next)
    }

    /// Of several units to one place those over the weakest border are lost first, all of a class together.
    fn fate(&self, index: usize) -> RetreatFate {
        let Some(to) = self.orders[index] else { return RetreatFate::Disbands };
        let province = self.board.province(to);
        let others =
            || (0..self.orders.len()).filter(|i| self.orders[*i].is_some_and(|o| self.board.province(o) == province));
        if self.position.at(province).is_some() {
            return RetreatFate::Bounces(to);
        }
        let mut left = others().count();
        for class in [Crossing::Strait, Crossing::Passage] {
            let weak = others().filter(|i| self.crossing(*i) == class).count();
            if left > 1 && weak > 0 {
                if self.crossing(index) == class {
                    return RetreatFate::Bounces(to);
                }
                left -= weak;
            }
        }
        if left > 1 { RetreatFate::Bounces(to) } else { RetreatFate::Retreats(to) }
    }

    fn crossing(&self, index: usize) -> Crossing {
        let piece = self.position.dislodged()[index].piece;
        let Some(to) = self.orders[index] else { return Crossing::Plain };
        let step = self.board.step(piece.unit.kind, piece.unit.at.0, to.0, piece.power.0, &self.position.owners);
        step.unwrap_or(Crossing::Plain)
    }
}
