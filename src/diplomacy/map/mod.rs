//! The board: provinces, locations, powers and the borders between them, as a map file describes them
//! (map-file.md). A [`Map`] is validated and immutable; it is made by the loader from text at one door.
//!
//! [`load`] reads a file by name from a [`Source`]; [`Map::builtin`] gives those that travel in the program;
//! [`Map::with_morphs`] gives the board of a game in a certain phase.

mod build;
pub mod diagnostic;
pub mod draft;
mod dynamic;
mod facts;
pub mod library;
mod load;
mod lookup;
mod names;
mod powers;
mod read;
mod review;
mod seats;
pub mod source;
mod terrain;
pub mod words;

pub use diagnostic::{Diagnostic, LoadError, Severity};
pub use draft::{League, LeagueRule, Spelling};
pub use load::{Loaded, load};
pub use lookup::Question;
pub use source::Source;

use super::phase::{Flow, Phase};
use super::position::Unit;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A province, as an index into [`Map::provinces`] (sorted by code). At most 512 (D13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProvinceId(pub u16);

/// A place where a unit can stand: a province, or a coast of a split province. Index into [`Map::locations`]
/// (sorted by code, so `SPA` < `SPA/NC` < `SPA/SC`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocationId(pub u16);

/// A power of the map, as an index into [`Map::powers`] (sorted by key). At most 64 (D13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PowerId(pub u8);

/// What may stand where (map-file.md 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Terrain {
    /// Fleets only; may convoy.
    Water,
    /// Armies only.
    Land,
    /// Both; convoys only with COASTAL_CONVOY.
    Coast,
    /// Both; may convoy.
    Port,
    /// Nobody.
    Shut,
}

/// The two kinds of unit of the map language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnitKind {
    /// `A`
    Army,
    /// `F`
    Fleet,
}

impl UnitKind {
    /// `A` or `F`.
    pub const fn letter(self) -> char {
        match self {
            UnitKind::Army => 'A',
            UnitKind::Fleet => 'F',
        }
    }
}

/// A province of the board.
#[derive(Clone, Debug)]
pub struct Province {
    /// Three characters, upper case: `SPA`.
    pub code: String,
    /// Name as printed in reports, in title case: `Gulf of Lyon`.
    pub title: String,
    /// Terrain of the province (of the bare entry; coasts share it).
    pub terrain: Terrain,
    /// The location of the bare province.
    pub location: LocationId,
    /// Its coasts, in code order; empty unless split.
    pub coasts: Vec<LocationId>,
    /// Whether it is a supply centre.
    pub center: bool,
}

/// A place: a bare province or one coast.
#[derive(Clone, Debug)]
pub struct Location {
    /// `SPA` or `SPA/NC`.
    pub code: String,
    /// Name as printed: `Spain (north coast)`.
    pub title: String,
    /// The province it belongs to.
    pub province: ProvinceId,
    /// The coast's letters (`NC`), if it is a coast.
    pub coast: Option<String>,
    /// Declared in upper case, so that a fleet may be there if the terrain carries it.
    pub fleets: bool,
    /// Later declarations have higher numbers: a fleet whose province becomes split goes to the coast declared last.
    pub declared: usize,
}

/// One entry of a location's list of neighbours, as the map file spells it (map-file.md 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The place named.
    pub to: LocationId,
    /// Its province.
    pub province: ProvinceId,
    /// Who may cross.
    pub spelling: Spelling,
}

/// Why a border is not an ordinary one (map-file.md 5.4–5.5).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Border {
    /// `*` or `~`: special for strengths and supports (adjudication.md 2).
    pub star: bool,
    /// `~`
    pub tilde: bool,
    /// Letters of the powers whose units may pass; empty: all. `Some(vec![])` never occurs.
    pub only: Option<Vec<char>>,
    /// `:` with no letters: nobody may pass.
    pub closed: bool,
    /// Centres all of which the unit's owner must own (map-file.md 5.5); empty: none.
    pub needs: Vec<ProvinceId>,
}

/// A power of the map.
#[derive(Clone, Debug)]
pub struct Power {
    /// Key: upper case, no blanks: `HOLYROMANEMPIRE`.
    pub key: String,
    /// As printed: `Austria`, `Holy Roman Empire`.
    pub title: String,
    /// Own-word as printed: `Austrian`.
    pub own: String,
    /// Letter, if it has one.
    pub letter: Option<char>,
    /// Further short names (2020).
    pub short: Vec<String>,
    /// Home centres, sorted.
    pub homes: Vec<ProvinceId>,
    /// Units at the start, in file order.
    pub units: Vec<Unit>,
    /// Centres owned at the start, sorted.
    pub centers: Vec<ProvinceId>,
    /// Factories (`+`), partisan sites (`*`), hidden homes (`~`).
    pub factories: Vec<ProvinceId>,
    /// Partisan sites (`*`).
    pub partisans: Vec<ProvinceId>,
    /// Hidden homes (`~`).
    pub hidden: Vec<ProvinceId>,
    /// Alternative homes (`@X(H,…)`): the site and the homes it stands in for.
    pub alternatives: Vec<(ProvinceId, Vec<ProvinceId>)>,
    /// Number of `&SC`: builds in owned centres that are no homes, which then become homes.
    pub wild_homes: u16,
    /// Number of `SC!`: builds in vacant homes the power does not own, which it then owns.
    pub owned_builds: u16,
    /// Number of `SC?`: the same without taking ownership.
    pub loose_builds: u16,
    /// RESERVES and MILITIA counts.
    pub reserves: u16,
    /// MILITIA count.
    pub militia: u16,
    /// DUMMY.
    pub dummy: bool,
    /// CONTROL list: keys of the powers (or MASTER) that play it, first is current.
    pub control: Vec<String>,
    /// LEAGUE: powers that may support one another, if restricted.
    pub league: Option<Vec<PowerId>>,
    /// LEAGUE as written: name and behaviour (map-file.md 7.6).
    pub bond: Option<League>,
    /// Key of the power whose flag it flies.
    pub flag: Option<String>,
}

/// What a name means in the map's vocabulary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A place.
    Place(LocationId),
    /// A power, by name or own-word.
    Power(PowerId),
    /// `?` aliases: several places, or a place that is also a power's name.
    Ambiguous(Vec<LocationId>),
}

/// A validated board.
#[derive(Clone, Debug)]
pub struct Map {
    /// File name without `.map`.
    pub name: String,
    /// Art base name (MAP directive), else `name`.
    pub art: String,
    /// TEXTONLY.
    pub text_only: bool,
    /// LANGUAGE of the names, lower case.
    pub language: Option<String>,
    /// FLAGS folders, if the map names any.
    pub flags: Option<Vec<String>>,
    /// Files read, in order.
    pub files: Vec<String>,
    /// Provinces by code.
    pub provinces: Vec<Province>,
    /// Locations by code.
    pub locations: Vec<Location>,
    /// Powers by key.
    pub powers: Vec<Power>,
    /// Unowned centres at the start.
    pub unowned: Vec<ProvinceId>,
    /// Centres needed to win, by year (adjudication.md 11); never empty.
    pub victory: Vec<u16>,
    /// Whether `victory` is the default, floor(centres / 2) + 1.
    pub victory_is_default: bool,
    /// Phase sequence.
    pub flow: Flow,
    /// First phase.
    pub begin: Phase,
    /// Rules for every game on the map, `!x` included, in order.
    pub rules: Vec<String>,
    /// ROTATE line the map brings.
    pub rotate: Option<String>,
    /// Directives by variant (`STANDARD`, `PAYOLA`, …): status-file lines.
    pub directives: BTreeMap<String, Vec<String>>,
    /// NEWHOMES years.
    pub new_homes: Vec<i32>,
    /// NOTIFY addresses.
    pub notify: Vec<String>,
    /// Normalised name (words joined by a blank) to meaning.
    pub vocabulary: BTreeMap<String, Meaning>,
    /// Every name, own-word and short name of the powers, normalised, also those that are a place's name.
    pub power_words: BTreeMap<String, PowerId>,
    /// Words in the longest name of either table.
    pub longest_name: usize,
    /// Army borders by province: neighbours in code order.
    pub army: Vec<Vec<(ProvinceId, Border)>>,
    /// Fleet borders by location: neighbours in code order.
    pub fleet: Vec<Vec<(LocationId, Border)>>,
    /// Every neighbour of either kind, the walls of SHUT places included; for pictures.
    pub contacts: Vec<Vec<ProvinceId>>,
    /// By location, the neighbours as the file lists them.
    lists: Vec<Vec<Listed>>,
    /// What the lines said, morphs and dynamic blocks included.
    draft: Arc<draft::Draft>,
    /// What the file said: morphs and dynamic blocks are executed on top of it.
    origin: Arc<draft::Draft>,
}

impl Map {
    /// The province of that three-letter code (any case).
    pub fn province(&self, code: &str) -> Option<ProvinceId> {
        let code = code.to_uppercase();
        let at = self.provinces.binary_search_by(|p| p.code.as_str().cmp(&code)).ok()?;
        Some(ProvinceId(at as u16))
    }

    /// The location of that code, `SPA` or `SPA/NC` (any case).
    pub fn location(&self, code: &str) -> Option<LocationId> {
        let code = code.to_uppercase();
        let at = self.locations.binary_search_by(|l| l.code.as_str().cmp(&code)).ok()?;
        Some(LocationId(at as u16))
    }

    /// The power of that key (any case).
    pub fn power(&self, key: &str) -> Option<PowerId> {
        let key = key.to_uppercase();
        if let Ok(at) = self.powers.binary_search_by(|p| p.key.as_str().cmp(&key)) {
            return Some(PowerId(at as u8));
        }
        // Keys of the old judge: GULF\\BOTHNIA.
        let key = self.draft.find_power(&key)?;
        self.powers.iter().position(|p| p.key == key).map(|at| PowerId(at as u8))
    }

    /// All powers in key order.
    pub fn power_ids(&self) -> impl Iterator<Item = PowerId> + use<> {
        (0..self.powers.len() as u8).map(PowerId)
    }

    /// All provinces in code order.
    pub fn province_ids(&self) -> impl Iterator<Item = ProvinceId> + use<> {
        (0..self.provinces.len() as u16).map(ProvinceId)
    }

    /// All locations in code order.
    pub fn location_ids(&self) -> impl Iterator<Item = LocationId> + use<> {
        (0..self.locations.len() as u16).map(LocationId)
    }

    /// Province of a location.
    pub fn province_of(&self, at: LocationId) -> ProvinceId {
        self[at].province
    }

    /// Whether that kind of unit may stand there: fleets need the coast of a split province.
    pub fn may_stand(&self, kind: UnitKind, at: LocationId) -> bool {
        let location = &self[at];
        let province = &self[location.province];
        match (kind, province.terrain) {
            (_, Terrain::Shut) => false,
            (UnitKind::Army, Terrain::Water) | (UnitKind::Fleet, Terrain::Land) => false,
            (UnitKind::Army, _) => location.coast.is_none(),
            (UnitKind::Fleet, _) => location.fleets,
        }
    }
}

macro_rules! index {
    ($id:ty, $field:ident, $out:ty) => {
        impl std::ops::Index<$id> for Map {
            type Output = $out;
            fn index(&self, id: $id) -> &$out {
                &self.$field[id.0 as usize]
            }
        }
    };
}
index!(ProvinceId, provinces, Province);
index!(LocationId, locations, Location);
index!(PowerId, powers, Power);
