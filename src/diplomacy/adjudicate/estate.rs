//! What a power may build with, and where (adjudication.md 8): its homes and the other sites of the map file,
//! and the counts of tokens that stand for centres.

use super::profile::Profile;
use super::rows::At;
use super::setup::Position;
use crate::diplomacy::map::{Map, PowerId, ProvinceId};
use crate::diplomacy::rules::Rule;

/// The rights of one power.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Estate {
    /// Home centres as they are now.
    pub homes: Vec<ProvinceId>,
    /// Home centres as the map gave them (REMOTE_BUILDS).
    pub original_homes: Vec<ProvinceId>,
    /// Factories (`+XXX`).
    pub factories: Vec<ProvinceId>,
    /// Partisan sites (`*XXX`).
    pub partisans: Vec<ProvinceId>,
    /// Sites that may stand in for homes, with the homes they stand in for; empty: any own home.
    pub alternatives: Vec<(ProvinceId, Vec<ProvinceId>)>,
    /// Units beyond the centres.
    pub reserves: u16,
    /// Units beyond the centres, as long as others stand on home centres.
    pub militia: u16,
    /// `SC!`: undetermined homes.
    pub undetermined: u16,
    /// `SC?`: garrison rights.
    pub garrison: u16,
    /// `SC*`: partisans raised.
    pub raised: u16,
    /// `&SC`: homes still to be declared.
    pub claims: u16,
}

/// The rights of every power, by [`PowerId`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Estates(pub Vec<Estate>);

impl Estates {
    /// As the map gives them.
    pub fn of(map: &Map) -> Estates {
        let estate = |power: &crate::diplomacy::map::Power| Estate {
            homes: power.homes.clone(),
            original_homes: power.homes.clone(),
            factories: power.factories.clone(),
            partisans: power.partisans.clone(),
            alternatives: power.alternatives.clone(),
            reserves: power.reserves,
            militia: power.militia,
            ..Estate::default()
        };
        Estates(map.powers.iter().map(estate).collect())
    }
    /// Of one power.
    pub fn get(&self, power: PowerId) -> Option<&Estate> {
        self.0.get(power.0 as usize)
    }
    /// Whether a province is a home of anybody who has the right; `by` picks the estates that count.
    fn is_home(&self, at: ProvinceId, by: impl Fn(&Estate) -> bool) -> bool {
        self.0.iter().any(|e| by(e) && e.homes.contains(&at))
    }
}

/// What a power owes or may do in an adjustment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The power.
    pub power: PowerId,
    /// Units it may have, less those it has.
    pub need: i32,
    /// Builds it may make (`need` limited by its sites), or removals it must make as a negative number.
    pub count: i32,
    /// Provinces it may build in; empty when nothing may be built.
    pub sites: Vec<ProvinceId>,
    /// How many builds the sites allow (an alternative home stands in for another, it adds none).
    pub limit: u16,
}

/// What a power owes or may do now.
pub fn due(profile: &Profile, position: &Position, estates: &Estates, power: PowerId) -> Due {
    let none = Estate::default();
    let estate = estates.get(power).unwrap_or(&none);
    let need = entitlement(profile, position, estate, power) - position.units(power).count() as i32;
    if need <= 0 {
        return Due { power, need, count: need, sites: Vec::new(), limit: 0 };
    }
    let sites = sites(profile, position, estates, power);
    let spare = sites.iter().filter(|s| estate.alternatives.iter().any(|(a, _)| a == *s)).count();
    let limit = (sites.len() - spare) as u16;
    Due { power, need, count: need.min(i32::from(limit)), sites, limit }
}

/// What every power owes or may do; powers with nothing due are left out.
pub fn all_due(profile: &Profile, position: &Position, estates: &Estates) -> Vec<Due> {
    let powers = (0..position.board().powers() as u8).map(PowerId);
    powers.map(|p| due(profile, position, estates, p)).filter(|d| d.count != 0).collect()
}

fn entitlement(profile: &Profile, position: &Position, estate: &Estate, power: PowerId) -> i32 {
    let tokens = i32::from(estate.undetermined) + i32::from(estate.garrison) + i32::from(estate.raised);
    let centers = position.centers(power).count() as i32 + tokens;
    if !estate.homes.iter().any(|h| position.owner(*h) == Some(power)) {
        return centers;
    }
    let at_home = |unit: &crate::diplomacy::position::Unit| estate.homes.contains(&position.board().province(unit.at));
    let reserves = if profile.has(Rule::NoReserves) { 0 } else { i32::from(estate.reserves) };
    let militia = if profile.has(Rule::NoMilitia) { 0 } else { i32::from(estate.militia) };
    centers + reserves + militia.min(position.units(power).filter(at_home).count() as i32)
}

/// Sites in code order; the order of the steps is that of adjudication.md 8.
fn sites(profile: &Profile, position: &Position, estates: &Estates, power: PowerId) -> Vec<ProvinceId> {
    let Some(estate) = estates.get(power) else { return Vec::new() };
    let vacant = |p: &ProvinceId| position.at(*p).is_none();
    let open = |p: &ProvinceId| p.index() < position.board().provinces();
    if estate.undetermined > 0 || estate.garrison > 0 {
        let homes = if estate.homes.is_empty() { &estate.original_homes } else { &estate.homes };
        return homes.iter().copied().filter(open).filter(vacant).collect();
    }
    let unassigned = estates.0.iter().all(|e| e.homes.is_empty());
    let remote = profile.has(Rule::RemoteBuilds);
    if remote && !estate.original_homes.iter().any(|h| position.owner(*h) == Some(power)) {
        return Vec::new();
    }
    let everywhere =
        profile.has(Rule::BuildAny) || remote && !profile.has(Rule::HomeBuilds) || estate.claims > 0 || unassigned;
    let fits = |p: &ProvinceId| {
        everywhere || profile.has(Rule::HomeBuilds) && estates.is_home(*p, |_| true) || estate.homes.contains(p)
    };
    let mut sites: Vec<ProvinceId> = position.centers(power).filter(fits).filter(vacant).collect();
    sites.retain(|p| !estates.is_home(*p, |e| e.undetermined > 0 || e.garrison > 0));
    let stands_in = |p: &ProvinceId| match estate.alternatives.iter().find(|(a, _)| a == p) {
        None => true,
        Some((_, limits)) if limits.is_empty() => sites.iter().any(|s| estate.homes.contains(s) && s != p),
        Some((_, limits)) => limits.iter().any(|l| sites.contains(l)),
    };
    let mut kept: Vec<ProvinceId> = sites.iter().copied().filter(stands_in).collect();
    let owned = |a: &ProvinceId| position.owner(*a) == Some(power) || !position.board().is_center(*a);
    let alternatives = estate.alternatives.iter().map(|(a, _)| *a);
    kept.extend(
        alternatives.filter(open).filter(vacant).filter(owned).filter(stands_in).filter(|a| !sites.contains(a)),
    );
    if !profile.has(Rule::NoFactories) {
        kept.extend(estate.factories.iter().copied().filter(open).filter(vacant));
    }
    if estate.raised > 0 && !profile.has(Rule::NoPartisans) {
        kept.extend(estate.partisans.iter().copied().filter(open).filter(vacant));
    }
    kept.sort_unstable();
    kept.dedup();
    kept
}
