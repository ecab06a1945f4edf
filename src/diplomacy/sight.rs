//! What one power sees of the board in a blind game (variants.md 4.1): its eyes, and what their rules let them tell.
//!
//! A province is seen from an eye in it, and from an eye in any province into which some unit standing in it could lend
//! support. Whoever asks says where the eyes are; this page knows nothing of games.

use super::map::{LocationId, Map, ProvinceId, UnitKind};
use super::position::Unit;
use super::rules::{Rule, Rules};

/// Which centres are eyes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posts {
    /// Home centres.
    Homes,
    /// Owned centres (OWN_SCS_SEE).
    Owned,
    /// None (NO_SCS_SEE).
    None,
}

/// The sight of a game, by its rules (rules.md 2.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    /// Which centres are eyes.
    pub posts: Posts,
    /// Whether units are eyes.
    pub units: bool,
    /// UNITS_SEE_SAME (`true`) or UNITS_SEE_OTHER (`false`): the units a unit sees.
    pub same: Option<bool>,
    /// Whether foreign units are shown at all.
    pub foreign_units: bool,
    /// Whether the ownership of foreign centres is: always, when seen, never.
    pub foreign_centers: Foreign,
}

/// When foreign things are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// To all.
    Always,
    /// To who sees them.
    Seen,
    /// To nobody.
    Never,
}

impl Watch {
    /// As the rules have it.
    pub fn of(rules: &Rules) -> Watch {
        let has = |rule| rules.has(rule);
        Watch {
            posts: match () {
                () if has(Rule::NoScsSee) => Posts::None,
                () if has(Rule::OwnScsSee) => Posts::Owned,
                () => Posts::Homes,
            },
            units: !has(Rule::NoUnitsSee),
            same: match () {
                () if has(Rule::UnitsSeeSame) => Some(true),
                () if has(Rule::UnitsSeeOther) => Some(false),
                () => None,
            },
            foreign_units: !has(Rule::SeeNoUnits),
            foreign_centers: match () {
                () if has(Rule::SeeAllScs) => Foreign::Always,
                () if has(Rule::SeeNoScs) => Foreign::Never,
                () => Foreign::Seen,
            },
        }
    }
}

/// The provinces one power sees at one moment, by what is to be seen there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Eyes {
    armies: Vec<bool>,
    fleets: Vec<bool>,
    centers: Vec<bool>,
}

impl Eyes {
    /// The eyes of a power that has these units (those of its vassals too) and these centres as posts.
    pub fn new(map: &Map, watch: &Watch, units: &[Unit], posts: &[ProvinceId]) -> Eyes {
        let blank = vec![false; map.provinces.len()];
        let mut eyes = Eyes { armies: blank.clone(), fleets: blank.clone(), centers: blank };
        for unit in units.iter().filter(|_| watch.units) {
            let other = |kind| watch.same.is_none_or(|same| same == (unit.kind == kind));
            let seen = seen_from(map, map.province_of(unit.at));
            for province in &seen {
                eyes.armies[usize::from(province.0)] |= other(UnitKind::Army);
                eyes.fleets[usize::from(province.0)] |= other(UnitKind::Fleet);
                eyes.centers[usize::from(province.0)] = true;
            }
        }
        for post in posts.iter().filter(|_| watch.posts != Posts::None) {
            for province in seen_from(map, *post) {
                // Where units see by kind, centres see no units.
                eyes.armies[usize::from(province.0)] |= watch.same.is_none();
                eyes.fleets[usize::from(province.0)] |= watch.same.is_none();
                eyes.centers[usize::from(province.0)] = true;
            }
        }
        eyes
    }

    /// Whether a unit of that kind in that province is seen.
    pub fn see(&self, kind: UnitKind, at: ProvinceId) -> bool {
        let seen = match kind {
            UnitKind::Army => &self.armies,
            UnitKind::Fleet => &self.fleets,
        };
        seen.get(usize::from(at.0)).copied().unwrap_or(false)
    }

    /// Whether the owner of a centre is seen.
    pub fn see_center(&self, at: ProvinceId) -> bool {
        self.centers.get(usize::from(at.0)).copied().unwrap_or(false)
    }
}

/// The province itself, and those from which some unit could support into it: coasts and owners do not matter.
fn seen_from(map: &Map, eye: ProvinceId) -> Vec<ProvinceId> {
    let supports =
        |from: ProvinceId| {
            let army = map.may_stand(UnitKind::Army, map[from].location)
                && map.may_stand(UnitKind::Army, map[eye].location)
                && map.army.get(usize::from(from.0)).into_iter().flatten().any(|(to, b)| *to == eye && plain(b));
            let berths = std::iter::once(&map[from].location).chain(&map[from].coasts);
            let sails =
                |at: &LocationId| {
                    map.may_stand(UnitKind::Fleet, *at)
                        && map.fleet.get(usize::from(at.0)).into_iter().flatten().any(|(to, b)| {
                            map.province_of(*to) == eye && map.may_stand(UnitKind::Fleet, *to) && plain(b)
                        })
                };
            army || berths.into_iter().any(sails)
        };
    map.province_ids().filter(|p| *p == eye || supports(*p)).collect()
}

/// A border over which support is given.
fn plain(border: &super::map::Border) -> bool {
    !border.closed && !border.star && !border.tilde
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(rules: &[Rule], units: &[&str], posts: &[&str]) -> (Map, Eyes) {
        let map = Map::builtin("standard").expect("the standard map");
        let rules = rules.iter().copied().collect();
        let unit = |text: &&str| Unit {
            kind: if text.starts_with('A') { UnitKind::Army } else { UnitKind::Fleet },
            at: map.location(&text[2..]).expect("a place"),
        };
        let units: Vec<Unit> = units.iter().map(unit).collect();
        let posts: Vec<ProvinceId> = posts.iter().map(|p| map.province(p).expect("a place")).collect();
        let eyes = Eyes::new(&map, &Watch::of(&rules), &units, &posts);
        (map, eyes)
    }

    fn at(map: &Map, code: &str) -> ProvinceId {
        map.province(code).expect("a place")
    }

    #[test]
    fn an_eye_sees_whence_support_could_come() {
        let (map, eyes) = seen(&[], &["F WES"], &["LON"]);
        let sees = |code| eyes.see(UnitKind::Fleet, at(&map, code));
        // Whatever the coast (F WES sees F SPA/NC).
        assert!(sees("WES") && sees("SPA") && sees("TUN") && sees("MAO"));
        assert!(sees("ENG") && sees("WAL") && !sees("BRE") && !sees("PAR"));
        // An army at sea never is, but a province is not asked what stands in it.
        assert!(eyes.see(UnitKind::Army, at(&map, "YOR")) && !eyes.see(UnitKind::Army, at(&map, "MUN")));
    }

    #[test]
    fn rules_narrow_the_sight() {
        let (map, eyes) = seen(&[Rule::UnitsSeeSame], &["F WES"], &["LON"]);
        assert!(eyes.see(UnitKind::Fleet, at(&map, "SPA")) && !eyes.see(UnitKind::Army, at(&map, "SPA")));
        assert!(!eyes.see(UnitKind::Fleet, at(&map, "ENG")), "then centres see no units");
        assert!(eyes.see_center(at(&map, "SPA")) && eyes.see_center(at(&map, "LON")));
        let (map, eyes) = seen(&[Rule::UnitsSeeOther], &["F WES"], &[]);
        assert!(!eyes.see(UnitKind::Fleet, at(&map, "SPA")) && eyes.see(UnitKind::Army, at(&map, "SPA")));
        let (map, eyes) = seen(&[Rule::NoUnitsSee, Rule::NoScsSee], &["F WES"], &["LON"]);
        assert!(map.province_ids().all(|p| !eyes.see(UnitKind::Fleet, p) && !eyes.see_center(p)));
    }
}
