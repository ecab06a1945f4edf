//! Who can get where (map-file.md 5.3, orders.md 5): single steps over the borders of the map, and chains of carriers
//! for convoys.

use crate::diplomacy::map::{Border, LocationId, Map, PowerId, ProvinceId, Terrain, UnitKind};
use crate::diplomacy::position::Unit;
use crate::diplomacy::rules::{Rule, Rules};
use std::collections::{BTreeMap, VecDeque};

/// The position as order entry needs it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Board {
    /// Units on the board, dislodged ones not included.
    pub units: BTreeMap<PowerId, Vec<Unit>>,
    /// Dislodged units with the retreats that the judge published.
    pub dislodged: BTreeMap<PowerId, Vec<(Unit, Vec<LocationId>)>>,
    /// Supply centres owned.
    pub centers: BTreeMap<PowerId, Vec<ProvinceId>>,
    /// Home centres as they are now.
    pub homes: BTreeMap<PowerId, Vec<ProvinceId>>,
    /// Build tokens (`SC!`, `SC?`, `SC*`, `&SC`).
    pub tokens: BTreeMap<PowerId, Tokens>,
}

/// Build tokens of a power (adjudication.md 8). Each of the first three counts as a centre.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// `SC!`: may build in any vacant home and own it then.
    pub undetermined: u16,
    /// `SC?`: may build in any vacant home (GARRISON).
    pub garrison: u16,
    /// `SC*`: may build at partisan sites.
    pub partisan: u16,
    /// `&SC`: may make a non-home centre a home by building there.
    pub claims: u16,
}

impl Board {
    /// The unit in a province and its owner.
    pub fn unit_in(&self, map: &Map, province: ProvinceId) -> Option<(PowerId, Unit)> {
        self.units.iter().find_map(|(power, units)| {
            units.iter().find(|unit| map.province_of(unit.at) == province).map(|unit| (*power, *unit))
        })
    }

    /// Units of a power.
    pub fn units_of(&self, power: PowerId) -> &[Unit] {
        self.units.get(&power).map_or(&[], Vec::as_slice)
    }

    /// Dislodged units of a power.
    pub fn dislodged_of(&self, power: PowerId) -> &[(Unit, Vec<LocationId>)] {
        self.dislodged.get(&power).map_or(&[], Vec::as_slice)
    }

    /// Centres of a power.
    pub fn centers_of(&self, power: PowerId) -> &[ProvinceId] {
        self.centers.get(&power).map_or(&[], Vec::as_slice)
    }

    /// Homes of a power.
    pub fn homes_of(&self, power: PowerId) -> &[ProvinceId] {
        self.homes.get(&power).map_or(&[], Vec::as_slice)
    }
}

/// Questions about the map, under the rules of a game, on a board.
#[derive(Clone, Copy, Debug)]
pub struct Geography<'a> {
    /// The map.
    pub map: &'a Map,
    /// Rules in force.
    pub rules: &'a Rules,
    /// The position.
    pub board: &'a Board,
}

impl<'a> Geography<'a> {
    /// Whether units of that owner may pass a border (map-file.md 5.5); an unknown owner may.
    pub fn passable(&self, border: &Border, owner: Option<PowerId>) -> bool {
        let Some(owner) = owner else { return !border.closed };
        let letter = self.map[owner].letter;
        !border.closed
            && border.only.as_ref().is_none_or(|only| letter.is_some_and(|l| only.contains(&l)))
            && border.needs.iter().all(|center| self.board.centers_of(owner).contains(center))
    }

    /// The border an army crosses in one step by land.
    pub fn army_step(&self, from: ProvinceId, to: ProvinceId) -> Option<&Border> {
        let list = self.map.army.get(usize::from(from.0))?;
        list.iter().find(|(near, _)| *near == to).map(|(_, border)| border)
    }

    /// The border a fleet crosses in one step.
    pub fn fleet_step(&self, from: LocationId, to: LocationId) -> Option<&Border> {
        let list = self.map.fleet.get(usize::from(from.0))?;
        list.iter().find(|(near, _)| *near == to).map(|(_, border)| border)
    }

    /// Whether the unit could walk or sail there in one step.
    pub fn reaches(&self, unit: Unit, to: LocationId, owner: Option<PowerId>) -> bool {
        self.step(unit, to).is_some_and(|border| self.passable(border, owner))
            && self.map.may_stand(unit.kind, self.standing(unit.kind, to))
    }

    /// The border the unit would cross.
    fn step(&self, unit: Unit, to: LocationId) -> Option<&Border> {
        match unit.kind {
            UnitKind::Army => self.army_step(self.map.province_of(unit.at), self.map.province_of(to)),
            UnitKind::Fleet => self.fleet_step(unit.at, to),
        }
    }

    /// Where a unit of that kind would stand: armies on the bare province.
    pub fn standing(&self, kind: UnitKind, at: LocationId) -> LocationId {
        match kind {
            UnitKind::Army => self.map[self.map.province_of(at)].location,
            UnitKind::Fleet => at,
        }
    }

    /// The places of a province where a unit of that kind can stand.
    pub fn berths(&self, kind: UnitKind, province: ProvinceId) -> Vec<LocationId> {
        let facts = &self.map[province];
        let all = std::iter::once(&facts.location).chain(&facts.coasts);
        all.copied().filter(|at| self.map.may_stand(kind, *at)).collect()
    }

    /// Everything the unit can reach in one step.
    pub fn reach(&self, unit: Unit, owner: Option<PowerId>) -> Vec<LocationId> {
        match unit.kind {
            UnitKind::Army => {
                let list = self.map.army.get(usize::from(self.map.province_of(unit.at).0));
                let all = list.into_iter().flatten().map(|(near, _)| self.map[*near].location);
                all.filter(|to| self.reaches(unit, *to, owner)).collect()
            }
            UnitKind::Fleet => {
                let list = self.map.fleet.get(usize::from(unit.at.0));
                let all = list.into_iter().flatten().map(|(near, _)| *near);
                all.filter(|to| self.reaches(unit, *to, owner)).collect()
            }
        }
    }

    /// Whether the unit could lend support into a province: coasts of the target do not matter, `*` and `~` do.
    pub fn supports_into(&self, unit: Unit, to: ProvinceId, owner: Option<PowerId>) -> bool {
        self.berths(unit.kind, to).into_iter().any(|at| {
            self.reaches(unit, at, owner) && self.step(unit, at).is_some_and(|border| !border.star && !border.tilde)
        })
    }

    /// Whether a province is a coast from which and to which convoys go.
    pub fn is_coastal(&self, province: ProvinceId) -> bool {
        matches!(self.map[province].terrain, Terrain::Coast | Terrain::Port)
    }

    /// Whether something can be carried through that province: fleets carry armies over water and in ports; armies carry fleets
    /// (PORTAGE_CONVOY) over land and coasts.
    pub fn carries(&self, carrier: UnitKind, province: ProvinceId) -> bool {
        match (carrier, self.map[province].terrain) {
            (_, Terrain::Shut) | (UnitKind::Fleet, Terrain::Land) | (UnitKind::Army, Terrain::Water) => false,
            (UnitKind::Fleet, Terrain::Coast) => self.rules.has(Rule::CoastalConvoy),
            _ => true,
        }
    }

    /// Whether a step of a convoy leads from one province to the next: sailable for fleets, walkable for armies.
    pub fn convoy_step(&self, carrier: UnitKind, from: ProvinceId, to: ProvinceId) -> bool {
        let places = |p: ProvinceId| -> Vec<LocationId> {
            std::iter::once(self.map[p].location).chain(self.map[p].coasts.iter().copied()).collect()
        };
        self.touches(carrier, &places(from), &places(to))
    }

    /// Whether some of these places is next to some of those.
    fn touches(&self, carrier: UnitKind, these: &[LocationId], those: &[LocationId]) -> bool {
        these.iter().any(|a| {
            those.iter().any(|b| match carrier {
                UnitKind::Fleet => self.fleet_step(*a, *b).is_some_and(|border| !border.closed),
                UnitKind::Army => self
                    .army_step(self.map.province_of(*a), self.map.province_of(*b))
                    .is_some_and(|border| !border.closed),
            })
        })
    }

    /// The carriers that could form a chain: the units on the board, or (FICTIONAL_OK) whatever may be there.
    pub fn chain(&self, carrier: UnitKind) -> Chain<'a> {
        let mut nodes: Vec<(ProvinceId, Vec<LocationId>)> = Vec::new();
        if self.rules.has(Rule::FictionalOk) {
            let all = self.map.province_ids().filter(|p| self.carries(carrier, *p));
            nodes.extend(all.map(|p| (p, self.berths(carrier, p))));
        } else {
            let all = self.board.units.values().flatten().filter(|unit| unit.kind == carrier);
            let placed = all.map(|unit| (self.map.province_of(unit.at), vec![unit.at]));
            nodes.extend(placed.filter(|(province, _)| self.carries(carrier, *province)));
        }
        Chain { geography: *self, carrier, nodes }
    }
}

/// Possible carriers on a board.
pub struct Chain<'a> {
    geography: Geography<'a>,
    carrier: UnitKind,
    nodes: Vec<(ProvinceId, Vec<LocationId>)>,
}

impl Chain<'_> {
    /// Whether some chain leads from one province to another without that province.
    pub fn links(&self, from: ProvinceId, to: ProvinceId, without: Option<ProvinceId>) -> bool {
        let skip = |n: usize| Some(self.nodes[n].0) == without || self.nodes[n].0 == from || self.nodes[n].0 == to;
        let (starts, ends) = (self.ends(from, true), self.ends(to, false));
        let mut seen = vec![false; self.nodes.len()];
        let mut queue: VecDeque<usize> = (0..self.nodes.len()).filter(|n| starts[*n] && !skip(*n)).collect();
        while let Some(n) = queue.pop_front() {
            if std::mem::replace(&mut seen[n], true) {
                continue;
            }
            if ends[n] {
                return true;
            }
            queue.extend((0..self.nodes.len()).filter(|m| !seen[*m] && !skip(*m) && self.linked(n, *m)));
        }
        false
    }

    /// Whether a chain from one province to another leads through that carrier: no carrier twice, or (CONVOY_BACK)
    /// any way at all.
    pub fn links_through(&self, from: ProvinceId, to: ProvinceId, by: ProvinceId) -> bool {
        let Some(by) = self.nodes.iter().position(|(province, _)| *province == by) else { return false };
        let (starts, ends) = (self.ends(from, true), self.ends(to, false));
        let usable: Vec<bool> = self.nodes.iter().map(|(p, _)| *p != from && *p != to).collect();
        if !usable[by] {
            return false;
        }
        if self.geography.rules.has(Rule::ConvoyBack) {
            return self.connected(by, &starts, &usable) && self.connected(by, &ends, &usable);
        }
        // Every carrier is an arriving and a leaving node with room for one between them.
        let count = self.nodes.len();
        let (start, target, sink) = (2 * count, 2 * count + 1, 2 * count + 2);
        let mut network = Network::default();
        network.edge(start, sink);
        network.edge(target, sink);
        for n in (0..count).filter(|n| usable[*n]) {
            network.edge(n, count + n);
            if starts[n] {
                network.edge(count + n, start);
            }
            if ends[n] {
                network.edge(count + n, target);
            }
            for m in (0..count).filter(|m| usable[*m] && self.linked(n, *m)) {
                network.edge(count + n, m);
            }
        }
        network.augment(count + by, sink) && network.augment(count + by, sink)
    }

    /// Whether a carrier is joined to one of those.
    fn connected(&self, by: usize, goal: &[bool], usable: &[bool]) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut queue = VecDeque::from([by]);
        while let Some(n) = queue.pop_front() {
            if std::mem::replace(&mut seen[n], true) {
                continue;
            }
            if goal[n] {
                return true;
            }
            queue.extend((0..seen.len()).filter(|m| !seen[*m] && usable[*m] && self.linked(n, *m)));
        }
        false
    }

    fn ends(&self, province: ProvinceId, first: bool) -> Vec<bool> {
        let map = self.geography.map;
        let places: Vec<LocationId> =
            std::iter::once(map[province].location).chain(map[province].coasts.iter().copied()).collect();
        let touch = |at: &[LocationId]| {
            if first {
                self.geography.touches(self.carrier, &places, at)
            } else {
                self.geography.touches(self.carrier, at, &places)
            }
        };
        self.nodes.iter().map(|(_, at)| touch(at)).collect()
    }

    fn linked(&self, a: usize, b: usize) -> bool {
        a != b
            && (self.geography.touches(self.carrier, &self.nodes[a].1, &self.nodes[b].1)
                || self.geography.touches(self.carrier, &self.nodes[b].1, &self.nodes[a].1))
    }
}

/// Residual capacities of a small network: two ways from one carrier, to the start and to the target, that share no
/// other carrier exist if a flow of two does (Menger).
#[derive(Default)]
struct Network {
    room: BTreeMap<usize, BTreeMap<usize, u8>>,
}

impl Network {
    fn edge(&mut self, from: usize, to: usize) {
        *self.room.entry(from).or_default().entry(to).or_default() += 1;
        self.room.entry(to).or_default().entry(from).or_default();
    }

    /// Sends one unit more along a shortest way, if there is one.
    fn augment(&mut self, source: usize, sink: usize) -> bool {
        let mut parent: BTreeMap<usize, usize> = BTreeMap::new();
        let mut queue = VecDeque::from([source]);
        while let Some(at) = queue.pop_front() {
            for (to, room) in self.room.get(&at).into_iter().flatten() {
                if *room > 0 && *to != source && !parent.contains_key(to) {
                    parent.insert(*to, at);
                    queue.push_back(*to);
                }
            }
        }
        let mut at = sink;
        while at != source {
            let Some(from) = parent.get(&at).copied() else { return false };
            *self.room.entry(from).or_default().entry(at).or_insert(1) -= 1;
            *self.room.entry(at).or_default().entry(from).or_default() += 1;
            at = from;
        }
        true
    }
}
