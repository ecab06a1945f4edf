//! From the orders of the phase before, as a case tells them, to the retreats that are open (adjudication.md 7).

use super::{Deed, JdipCase, Told};
use crate::diplomacy::adjudicate::board::{Board, NOBODY};
use crate::diplomacy::adjudicate::profile::Profile;
use crate::diplomacy::adjudicate::rows::At;
use crate::diplomacy::adjudicate::setup::Piece;
use crate::diplomacy::map::{LocationId, ProvinceId, UnitKind};

/// A case of a retreat phase, asked what happened before.
pub(super) struct Before<'a> {
    pub board: &'a Board,
    pub profile: &'a Profile,
    pub case: &'a JdipCase,
}

impl Before<'_> {
    /// Places a dislodged unit may go to, in code order.
    pub(super) fn open(&self, unit: Piece) -> Vec<LocationId> {
        let board = self.board;
        let here = board.province(unit.unit.at);
        let barred = self.attacker(here).filter(|a| self.profile.origin_barred || !self.by_convoy(a));
        let barred = barred.map(|a| board.province(a.piece.unit.at));
        let owners = self.owners();
        let free = |to: &u16| {
            let province = ProvinceId(board.province_at(*to));
            let taken = self.case.units.iter().any(|p| board.province(p.unit.at) == province);
            !taken && barred != Some(province) && !self.contested(province)
        };
        let step = |to: &u16| board.step(unit.unit.kind, unit.unit.at.0, *to, unit.power.0, &owners).is_some();
        board.steps(unit.unit.kind, unit.unit.at.0).filter(free).filter(step).map(LocationId).collect()
    }

    fn owners(&self) -> Vec<u8> {
        let mut owners = vec![NOBODY; self.board.provinces()];
        for (power, center) in self.case.owners.iter().flatten() {
            owners[center.index()] = power.0;
        }
        owners
    }

    /// The unit that arrived in a province.
    fn attacker(&self, province: ProvinceId) -> Option<&Told> {
        self.case
            .results
            .iter()
            .find(|told| told.success && matches!(told.deed, Deed::Move { to, .. } if to == province))
    }

    /// Whether a move went by convoy: it could not walk, or meant not to (4.A.3).
    fn by_convoy(&self, told: &Told) -> bool {
        let Deed::Move { to, via } = told.deed else { return false };
        let own = |other: &&Told| other.piece.power == told.piece.power;
        told.piece.unit.kind == UnitKind::Army
            && (via || !self.walks(told, to) || self.convoys(told, to).filter(own).any(|c| c.success))
    }

    fn walks(&self, told: &Told, to: ProvinceId) -> bool {
        let unit = told.piece.unit;
        let mut steps = self.board.steps(unit.kind, unit.at.0);
        steps.any(|step| ProvinceId(self.board.province_at(step)) == to)
    }

    /// Convoy orders for a move.
    fn convoys(&self, told: &Told, to: ProvinceId) -> impl Iterator<Item = &Told> {
        let from = self.board.province(told.piece.unit.at);
        let wanted = Deed::Convoy { from, to };
        self.case.results.iter().filter(move |other| other.deed == wanted)
    }

    /// Whether a province is vacant after a standoff: of the attacks that failed, those count that had a way, and did
    /// not lose head to head against the unit that dislodged theirs.
    fn contested(&self, province: ProvinceId) -> bool {
        let failed = self.case.results.iter().filter(|told| {
            let Deed::Move { to, .. } = told.deed else { return false };
            let way = || self.walks(told, to) || self.convoys(told, to).any(|c| c.success);
            let beaten = || {
                let here = self.board.province(told.piece.unit.at);
                let winner = self.attacker(here).filter(|a| !self.by_convoy(a) && !self.by_convoy(told));
                winner.is_some_and(|a| self.board.province(a.piece.unit.at) == to)
            };
            !told.success && to == province && way() && !beaten()
        });
        failed.count() > 1
    }
}
