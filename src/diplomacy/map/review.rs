//! What an author should know about a board that loads: places nobody reaches, centres nobody can take
//! (map-file.md 11). Not asked when games run: it only matters to somebody who draws a map.

use super::diagnostic::{Diagnostic, Severity};
use super::{Map, ProvinceId, Terrain, UnitKind};
use std::collections::BTreeSet;

impl Map {
    /// Warnings about the shape of the board.
    pub fn review(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let by_army = self.reached(UnitKind::Army);
        let by_fleet = self.reached(UnitKind::Fleet);
        for id in self.province_ids() {
            let province = &self[id];
            if province.terrain == Terrain::Shut {
                continue;
            }
            let enterable = self.enters(UnitKind::Army, id) || self.enters(UnitKind::Fleet, id) || self.landing(id);
            let word = if province.center { "CENTER" } else { "PLACE" };
            if !enterable {
                found.push(self.remark(
                    id,
                    format!("{word} UNREACHABLE: {}", province.code),
                    "no list names it so that a unit may enter",
                ));
            } else if !by_army.contains(&id) && !by_fleet.contains(&id) {
                let hint = "no power's units ever get there, by land, sea or convoy";
                found.push(self.remark(id, format!("{word} UNREACHABLE FOR ALL POWERS: {}", province.code), hint));
            } else if province.center && !by_army.contains(&id) && province.terrain == Terrain::Land {
                let hint = "armies walk there from nowhere, and none can land";
                found.push(self.remark(id, format!("CENTER NOBODY CAN TAKE: {}", province.code), hint));
            }
        }
        found
    }

    fn remark(&self, id: ProvinceId, text: String, hint: &str) -> Diagnostic {
        let code = &self[id].code;
        let (file, line) = self.draft.places.get(code).map_or_else(|| (self.name.clone(), 0), |p| p.at.clone());
        let hint = Some(hint.to_owned());
        Diagnostic { severity: Severity::Warning, file, line, column: 0, text, hint, advisory: None }
    }

    /// Whether an army may come ashore there.
    fn landing(&self, id: ProvinceId) -> bool {
        let coast = matches!(self[id].terrain, Terrain::Coast | Terrain::Port);
        coast && self.contacts_of(id).any(|c| matches!(self[c].terrain, Terrain::Water | Terrain::Port))
    }

    fn contacts_of(&self, id: ProvinceId) -> impl Iterator<Item = ProvinceId> {
        self.contacts.get(usize::from(id.0)).into_iter().flatten().copied()
    }

    /// Provinces that units of a kind can come to, starting from where units of it stand or any may be built. An army
    /// that lands somewhere makes no fleet there.
    fn reached(&self, kind: UnitKind) -> BTreeSet<ProvinceId> {
        let starts = self.powers.iter().flat_map(|p| {
            let units = p.units.iter().filter(|u| u.kind == kind).map(|u| self.province_of(u.at));
            units.chain(p.homes.iter().copied()).chain(p.factories.iter().copied()).chain(p.partisans.iter().copied())
        });
        let mut open: Vec<ProvinceId> = starts.chain(self.built_anywhere()).collect();
        let mut seen: BTreeSet<ProvinceId> = open.iter().copied().collect();
        while let Some(at) = open.pop() {
            let mut next: Vec<ProvinceId> = Vec::new();
            if kind == UnitKind::Fleet {
                for location in std::iter::once(self[at].location).chain(self[at].coasts.iter().copied()) {
                    let sail = self.fleet.get(usize::from(location.0)).into_iter().flatten();
                    next.extend(sail.map(|(to, _)| self.province_of(*to)));
                }
            } else {
                next.extend(self.army.get(usize::from(at.0)).into_iter().flatten().map(|(to, _)| *to));
                if self.landing(at) {
                    // By convoy from any coast to any other: rough, but what is out of reach even so is truly so.
                    next.extend(self.province_ids().filter(|p| self.landing(*p)));
                }
            }
            next.retain(|p| seen.insert(*p));
            open.extend(next);
        }
        seen
    }

    /// With BUILD_ANY every owned centre is a place to build; those unowned at the start must be reached first.
    fn built_anywhere(&self) -> impl Iterator<Item = ProvinceId> {
        self.powers.iter().flat_map(|p| p.centers.iter().copied())
    }
}
