//! The board as the resolver sees it: a [`Map`] compiled once into bit rows and small integer lists, so that
//! nothing on the way from orders to results touches a string or allocates. Special borders (adjudication.md 2)
//! are kept aside and looked up only where a row says that there is one.

use super::rows::{At, Rows, Set};
use crate::diplomacy::map::{Border, LocationId, Map, PowerId, ProvinceId, Terrain, UnitKind};
use crate::diplomacy::position::Unit;

/// No province, location or unit, in the packed tables.
pub(super) const NONE: u16 = u16::MAX;
/// No owner, in the table of centres.
pub(super) const NOBODY: u8 = u8::MAX;

/// How strong an unsupported move over a border is (adjudication.md 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Crossing {
    /// `~`: strength 0, weakest in retreats.
    Strait,
    /// `*`: strength one half.
    Passage,
    /// An ordinary border.
    Plain,
}

impl Crossing {
    /// Strength of the move itself, in half units.
    pub(super) const fn strength(self) -> i16 {
        match self {
            Crossing::Strait => 0,
            Crossing::Passage => 1,
            Crossing::Plain => 2,
        }
    }
}

/// What a border that is not an ordinary one asks of a unit.
#[derive(Clone, Debug)]
struct Special {
    from: u16,
    to: u16,
    crossing: Crossing,
    /// Powers whose units may pass.
    powers: u64,
    /// Centres the unit's owner must hold, all of them.
    needs: Vec<u16>,
}

/// What order checks ask of a location, in one place.
#[derive(Clone, Copy, Debug)]
struct Spot {
    province: u16,
    /// The bare location of its province.
    bare: u16,
    army_stands: bool,
    fleet_stands: bool,
}

/// A compressed list of lists.
#[derive(Clone, Debug, Default)]
struct Lists {
    start: Vec<u32>,
    items: Vec<u16>,
}

impl Lists {
    fn push(&mut self, items: impl IntoIterator<Item = u16>) {
        if self.start.is_empty() {
            self.start.push(0);
        }
        self.items.extend(items);
        self.start.push(self.items.len() as u32);
    }
    fn of(&self, at: u16) -> &[u16] {
        &self.items[self.start[at as usize] as usize..self.start[at as usize + 1] as usize]
    }
}

/// A compiled board. Cheap to share: wrap it in an [`std::sync::Arc`].
#[derive(Clone, Debug)]
pub struct Board {
    name: String,
    codes: Vec<String>,
    titles: Vec<String>,
    powers: Vec<String>,
    power_titles: Vec<String>,
    spots: Vec<Spot>,
    bare: Vec<u16>,
    terrain: Vec<Terrain>,
    center: Vec<bool>,
    centers: Vec<ProvinceId>,
    split: Vec<bool>,
    places: Lists,
    army: Rows,
    fleet: Rows,
    fleet_reach: Rows,
    contact: Rows,
    army_list: Lists,
    fleet_list: Lists,
    army_special: Vec<Special>,
    fleet_special: Vec<Special>,
    leagues: Vec<u64>,
    names: Names,
}

impl Board {
    /// Compiles a map.
    pub fn new(map: &Map) -> Board {
        let provinces = map.provinces.len();
        let locations = map.locations.len();
        let spot = |at: usize| {
            let stands = |kind| map.may_stand(kind, LocationId(at as u16));
            let province = map.locations[at].province;
            Spot {
                province: province.0,
                bare: map[province].location.0,
                army_stands: stands(UnitKind::Army),
                fleet_stands: stands(UnitKind::Fleet),
            }
        };
        let mut places = Lists::default();
        for p in &map.provinces {
            places.push(std::iter::once(p.location.0).chain(p.coasts.iter().map(|c| c.0)));
        }
        let mut board = Board {
            name: map.name.clone(),
            codes: map.locations.iter().map(|l| l.code.clone()).collect(),
            titles: map.locations.iter().map(|l| l.title.clone()).collect(),
            powers: map.powers.iter().map(|p| p.key.clone()).collect(),
            power_titles: map.powers.iter().map(|p| p.title.clone()).collect(),
            bare: map.provinces.iter().map(|p| p.location.0).collect(),
            terrain: map.provinces.iter().map(|p| p.terrain).collect(),
            center: map.provinces.iter().map(|p| p.center).collect(),
            centers: map.province_ids().filter(|p| map[*p].center).collect(),
            split: map.provinces.iter().map(|p| !p.coasts.is_empty()).collect(),
            places,
            army: Rows::new(provinces, provinces),
            fleet: Rows::new(locations, locations),
            fleet_reach: Rows::new(locations, provinces),
            contact: Rows::new(provinces, provinces),
            army_list: Lists::default(),
            fleet_list: Lists::default(),
            army_special: Vec::new(),
            fleet_special: Vec::new(),
            leagues: map
                .powers
                .iter()
                .map(|p| p.league.as_ref().map_or(u64::MAX, |l| l.iter().fold(0, |m, x| m | 1 << (x.0 & 63))))
                .collect(),
            names: Names::new(map),
            spots: (0..locations).map(spot).collect(),
        };
        board.link(map);
        board
    }

    fn link(&mut self, map: &Map) {
        let letters = |border: &Border| match &border.only {
            None => u64::MAX,
            Some(only) => map
                .powers
                .iter()
                .enumerate()
                .filter(|(_, p)| p.letter.is_some_and(|l| only.contains(&l)))
                .fold(0, |mask, (at, _)| mask | 1 << (at & 63)),
        };
        let special = |from: u16, to: u16, border: &Border| {
            let crossing = match (border.tilde, border.star) {
                (true, _) => Crossing::Strait,
                (_, true) => Crossing::Passage,
                _ => Crossing::Plain,
            };
            let plain = crossing == Crossing::Plain && border.only.is_none() && border.needs.is_empty();
            (!plain).then(|| Special {
                from,
                to,
                crossing,
                powers: letters(border),
                needs: border.needs.iter().map(|p| p.0).collect(),
            })
        };
        for (at, neighbours) in map.army.iter().enumerate() {
            let mut list = Vec::new();
            for (to, border) in neighbours {
                let stands = self.spots[self.bare[to.index()] as usize].army_stands;
                if border.closed || !stands || list.contains(&to.0) {
                    continue;
                }
                list.push(to.0);
                self.army.set(at as u16, to.0);
                self.army_special.extend(special(at as u16, to.0, border));
            }
            self.army_list.push(list);
        }
        for (at, neighbours) in map.fleet.iter().enumerate() {
            let mut list = Vec::new();
            for (to, border) in neighbours {
                if border.closed || !self.spots[to.index()].fleet_stands || list.contains(&to.0) {
                    continue;
                }
                list.push(to.0);
                let (from, into) = (self.spots[at].province, self.spots[to.index()].province);
                self.fleet.set(at as u16, to.0);
                self.fleet_reach.set(at as u16, into);
                self.contact.set(from, into);
                self.fleet_special.extend(special(at as u16, to.0, border));
            }
            self.fleet_list.push(list);
        }
        self.army_special.sort_by_key(|s| (s.from, s.to));
        self.fleet_special.sort_by_key(|s| (s.from, s.to));
    }

    /// Name of the map.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Number of provinces.
    pub fn provinces(&self) -> usize {
        self.bare.len()
    }
    /// Number of locations.
    pub fn locations(&self) -> usize {
        self.codes.len()
    }
    /// Number of powers.
    pub fn powers(&self) -> usize {
        self.powers.len()
    }
    /// Key of a power, `FRANCE`.
    pub fn power_key(&self, power: PowerId) -> &str {
        self.powers.get(power.0 as usize).map_or("", String::as_str)
    }
    /// A power as printed, `France`.
    pub fn power_title(&self, power: PowerId) -> &str {
        self.power_titles.get(power.0 as usize).map_or("", String::as_str)
    }
    /// The power of that key, upper case.
    pub fn power(&self, key: &str) -> Option<PowerId> {
        self.powers.iter().position(|k| k == key).map(|at| PowerId(at as u8))
    }
    /// Code of a place, `SPA/NC`.
    pub fn code(&self, at: LocationId) -> &str {
        self.codes.get(at.index()).map_or("", String::as_str)
    }
    /// Code of a province, `SPA`.
    pub fn province_code(&self, at: ProvinceId) -> &str {
        self.bare.get(at.index()).map_or("", |l| &self.codes[*l as usize])
    }
    /// Name of a province as printed.
    pub fn province_title(&self, at: ProvinceId) -> &str {
        self.bare.get(at.index()).map_or("", |l| &self.titles[*l as usize])
    }
    /// Name of a place as printed.
    pub fn title(&self, at: LocationId) -> &str {
        self.titles.get(at.index()).map_or("", String::as_str)
    }
    /// The place of that code, upper case, with or without coast.
    pub fn place(&self, code: &str) -> Option<LocationId> {
        self.names.find(code.as_bytes()).map(LocationId)
    }
    /// The supply centres, in code order.
    pub fn centers(&self) -> &[ProvinceId] {
        &self.centers
    }
    /// Whether a province is a supply centre.
    pub fn is_center(&self, at: ProvinceId) -> bool {
        self.center.get(at.index()).copied().unwrap_or(false)
    }
    /// The province of a place of this board.
    pub fn province(&self, at: LocationId) -> ProvinceId {
        ProvinceId(self.province_at(at.0))
    }
    /// The bare location of a province.
    pub fn bare(&self, at: ProvinceId) -> LocationId {
        LocationId(self.bare[at.index()])
    }
    /// Terrain of a province.
    pub fn terrain(&self, at: ProvinceId) -> Terrain {
        self.terrain[at.index()]
    }
    /// Whether that kind of unit may stand at a place of this board.
    pub fn may_stand(&self, unit: Unit) -> bool {
        self.spots.get(unit.at.index()).is_some_and(|spot| match unit.kind {
            UnitKind::Army => spot.army_stands,
            UnitKind::Fleet => spot.fleet_stands,
        })
    }
    /// Whether the province has coasts.
    pub fn is_split(&self, at: ProvinceId) -> bool {
        self.split[at.index()]
    }
    /// Every location of a province: the bare one, then its coasts.
    pub(super) fn places(&self, province: u16) -> &[u16] {
        self.places.of(province)
    }
    #[inline]
    pub(super) fn province_at(&self, location: u16) -> u16 {
        self.spots.get(location as usize).map_or(0, |spot| spot.province)
    }
    /// The province of a location and its bare location; `None`: there is no such location.
    #[inline]
    pub(super) fn whereabouts(&self, at: LocationId) -> Option<(u16, LocationId)> {
        self.spots.get(at.index()).map(|spot| (spot.province, LocationId(spot.bare)))
    }
    /// Whether armies may embark or land there: COAST or PORT.
    pub(super) fn is_shore(&self, province: u16) -> bool {
        matches!(self.terrain[province as usize], Terrain::Coast | Terrain::Port)
    }
    /// Whether a fleet there may convoy.
    pub(super) fn is_sea_lane(&self, province: u16, coastal: bool) -> bool {
        match self.terrain[province as usize] {
            Terrain::Water | Terrain::Port => true,
            Terrain::Coast => coastal,
            _ => false,
        }
    }
    /// Provinces that touch a province for convoys, in the direction of travel.
    pub(super) fn contacts(&self, from: u16) -> &[u64] {
        self.contact.row(from)
    }
    /// Provinces an army could step to.
    pub(super) fn army_row(&self, from: u16) -> &[u64] {
        self.army.row(from)
    }
    pub(super) fn touches(&self, from: u16, to: u16) -> bool {
        self.contact.has(from, to)
    }
    /// Whether any unit whatever could go from one province to the other in one step.
    pub(super) fn army_touches(&self, from: u16, to: u16) -> bool {
        self.army.has(from, to)
    }
    /// Provinces a unit at a place lists as neighbours, for its kind, owners aside.
    pub(super) fn neighbours(&self, kind: UnitKind, at: u16) -> &[u16] {
        match kind {
            UnitKind::Army => self.army_list.of(self.province_at(at)),
            UnitKind::Fleet => self.fleet_list.of(at),
        }
    }
    /// Places a unit could step to, as locations, in code order.
    pub(super) fn steps<'a>(&'a self, kind: UnitKind, at: u16) -> impl Iterator<Item = u16> + 'a {
        let bare = kind == UnitKind::Army;
        self.neighbours(kind, at).iter().map(move |to| if bare { self.bare[*to as usize] } else { *to })
    }
    /// The border a unit of that power would cross in one step between two places; `None`: it cannot.
    pub(super) fn step(&self, kind: UnitKind, from: u16, to: u16, power: u8, owners: &[u8]) -> Option<Crossing> {
        match kind {
            UnitKind::Army => self.walk(self.province_at(from), self.province_at(to), power, owners),
            UnitKind::Fleet => self.sail(from, to, power, owners),
        }
    }
    /// The border an army of that power would cross in one step between two provinces.
    #[inline]
    pub(super) fn walk(&self, from: u16, to: u16, power: u8, owners: &[u8]) -> Option<Crossing> {
        if !self.army.has(from, to) {
            return None;
        }
        if self.army_special.is_empty() {
            return Some(Crossing::Plain);
        }
        passing(&self.army_special, from, to, power, owners)
    }
    /// The border a fleet of that power would cross in one step between two places.
    #[inline]
    pub(super) fn sail(&self, from: u16, to: u16, power: u8, owners: &[u8]) -> Option<Crossing> {
        if !self.fleet.has(from, to) {
            return None;
        }
        if self.fleet_special.is_empty() {
            return Some(Crossing::Plain);
        }
        passing(&self.fleet_special, from, to, power, owners)
    }
    /// Whether a unit could support an action in a province: it could step there, to any coast, over an
    /// ordinary border (orders.md 5, s7).
    pub(super) fn supports_into(&self, kind: UnitKind, at: u16, into: u16, power: u8, owners: &[u8]) -> bool {
        let plain = |to| self.sail(at, to, power, owners) == Some(Crossing::Plain);
        match kind {
            UnitKind::Army => self.walk(self.province_at(at), into, power, owners) == Some(Crossing::Plain),
            UnitKind::Fleet if !self.fleet_reach.has(at, into) => false,
            UnitKind::Fleet if self.fleet_special.is_empty() => true,
            UnitKind::Fleet => self.places(into).iter().any(|to| plain(*to)),
        }
    }
    /// The border a landing army crosses: a special one if every fleet border between the two provinces is.
    pub(super) fn landing(&self, from: u16, to: u16, power: u8, owners: &[u8]) -> Option<Crossing> {
        if self.fleet_special.is_empty() {
            return self.touches(from, to).then_some(Crossing::Plain);
        }
        let steps = self.places(from).iter().flat_map(|f| self.places(to).iter().map(move |t| (*f, *t)));
        steps.filter_map(|(f, t)| self.step(UnitKind::Fleet, f, t, power, owners)).max()
    }
    /// Whether powers of this league may help that one.
    pub(super) fn allied(&self, power: u8, other: u8) -> bool {
        power == other || self.leagues.get(power as usize).is_none_or(|mask| mask >> (other & 63) & 1 == 1)
    }
    /// Steps between provinces over any border, walls aside, for the distances of civil disorder.
    pub(super) fn any_neighbour(&self, from: u16, mut visit: impl FnMut(u16)) {
        let mut seen = Set::default();
        let mut once = |to: u16| {
            if !seen.has(to) {
                seen.insert(to);
                visit(to);
            }
        };
        self.army_list.of(from).iter().for_each(|to| once(*to));
        for place in self.places(from) {
            self.fleet_list.of(*place).iter().for_each(|to| once(self.province_at(*to)));
        }
    }
}

/// The crossing of a border that is there, if that power may pass it.
fn passing(specials: &[Special], from: u16, to: u16, power: u8, owners: &[u8]) -> Option<Crossing> {
    let Ok(found) = specials.binary_search_by_key(&(from, to), |s| (s.from, s.to)) else {
        return Some(Crossing::Plain);
    };
    let special = &specials[found];
    let passes = special.powers >> (power & 63) & 1 == 1
        && special.needs.iter().all(|c| owners.get(*c as usize) == Some(&power));
    passes.then_some(special.crossing)
}

/// Codes to locations, by open addressing on the packed bytes.
#[derive(Clone, Debug)]
struct Names {
    mask: usize,
    slots: Vec<(u64, u16)>,
}

impl Names {
    fn new(map: &Map) -> Names {
        let size = (map.locations.len() * 4).next_power_of_two().max(16);
        let mut names = Names { mask: size - 1, slots: vec![(0, NONE); size] };
        for (at, location) in map.locations.iter().enumerate() {
            let Some(key) = pack(location.code.as_bytes()) else { continue };
            let mut slot = names.slot(key);
            while names.slots[slot].1 != NONE {
                slot = (slot + 1) & names.mask;
            }
            names.slots[slot] = (key, at as u16);
        }
        names
    }
    fn slot(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize & self.mask
    }
    fn find(&self, code: &[u8]) -> Option<u16> {
        let key = pack(code)?;
        let mut slot = self.slot(key);
        loop {
            match self.slots[slot] {
                (_, NONE) => return None,
                (found, at) if found == key => return Some(at),
                _ => slot = (slot + 1) & self.mask,
            }
        }
    }
}

/// Up to eight bytes as one number.
fn pack(code: &[u8]) -> Option<u64> {
    (!code.is_empty() && code.len() <= 8).then(|| code.iter().fold(0, |key, byte| key << 8 | u64::from(*byte)))
}
