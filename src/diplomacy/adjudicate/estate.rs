//! What a power may build with, and where (adjudication.md 8): its homes and the other sites of the map file,
//! and the counts of tokens that stand for centres.

use super::profile::Profile;
use super::rows::At;
use super::setup::Position;
use crate::diplomacy::map::{Map, PowerId, ProvinceId};
use crate::diplomacy::rules::{Rule, Rules};

/// The rights of one power.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Estate {
    /// Home centres as they are now.
    pub homes: Vec<ProvinceId>,
    /// Home centres as the map gave them (REMOTE_BUILDS).
    pub original_homes: Vec<ProvinceId>,
    /// Factories: sites that the map writes with `+` before the place.
    pub factories: Vec<ProvinceId>,
    /// Partisan sites, with `*` before the place.
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
    /// Who runs it, if it is a dummy that somebody runs.
    pub master: Option<PowerId>,
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
            master: power.control.first().and_then(|key| map.power(key)),
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

/// A board as builds are counted on it: the adjudicator's positions are such, and the boards of order entry.
pub trait Holdings {
    /// Centres a power owns, in code order.
    fn owned(&self, power: PowerId) -> Vec<ProvinceId>;
    /// Where its units stand.
    fn manned(&self, power: PowerId) -> Vec<ProvinceId>;
    /// Whether a province of the map has no unit.
    fn is_vacant(&self, at: ProvinceId) -> bool;
}

impl Holdings for Position {
    fn owned(&self, power: PowerId) -> Vec<ProvinceId> {
        self.centers(power).collect()
    }
    fn manned(&self, power: PowerId) -> Vec<ProvinceId> {
        self.units(power).map(|unit| self.board().province(unit.at)).collect()
    }
    fn is_vacant(&self, at: ProvinceId) -> bool {
        at.index() < self.board().provinces() && self.at(at).is_none()
    }
}

/// What a power owes or may do now.
pub fn due(profile: &Profile, position: &Position, estates: &Estates, power: PowerId) -> Due {
    due_on(&profile.rules, position, estates, power)
}

/// The same on any board.
pub fn due_on(rules: &Rules, board: &impl Holdings, estates: &Estates, power: PowerId) -> Due {
    let none = Estate::default();
    let estate = estates.get(power).unwrap_or(&none);
    let (centers, manned) = (board.owned(power), board.manned(power));
    let need = entitlement(rules, estate, &centers, &manned) - manned.len() as i32;
    if need <= 0 {
        return Due { power, need, count: need, sites: Vec::new(), limit: 0 };
    }
    let sites = sites(rules, board, estates, estate, &centers);
    let spare = sites.iter().filter(|s| estate.alternatives.iter().any(|(a, _)| a == *s)).count();
    let limit = (sites.len() - spare) as u16;
    Due { power, need, count: need.min(i32::from(limit)), sites, limit }
}

/// What every power owes or may do; powers with nothing due are left out.
pub fn all_due(profile: &Profile, position: &Position, estates: &Estates) -> Vec<Due> {
    let powers = (0..position.board().powers() as u8).map(PowerId);
    powers.map(|p| due(profile, position, estates, p)).filter(|d| d.count != 0).collect()
}

/// Units a power may have: its centres and tokens, and reserves and militia while it owns a home.
fn entitlement(rules: &Rules, estate: &Estate, centers: &[ProvinceId], manned: &[ProvinceId]) -> i32 {
    let tokens = i32::from(estate.undetermined) + i32::from(estate.garrison) + i32::from(estate.raised);
    let entitled = centers.len() as i32 + tokens;
    if !estate.homes.iter().any(|home| centers.contains(home)) {
        return entitled;
    }
    let at_home = manned.iter().filter(|at| estate.homes.contains(at)).count() as i32;
    let reserves = if rules.has(Rule::NoReserves) { 0 } else { i32::from(estate.reserves) };
    let militia = if rules.has(Rule::NoMilitia) { 0 } else { i32::from(estate.militia) };
    entitled + reserves + militia.min(at_home)
}

/// Sites in code order; the steps are those of adjudication.md 8.
fn sites(
    rules: &Rules,
    board: &impl Holdings,
    estates: &Estates,
    estate: &Estate,
    centers: &[ProvinceId],
) -> Vec<ProvinceId> {
    let vacant = |p: &ProvinceId| board.is_vacant(*p);
    let mut sites: Vec<ProvinceId> = if estate.undetermined + estate.garrison > 0 {
        let homes = if estate.homes.is_empty() { &estate.original_homes } else { &estate.homes };
        homes.iter().copied().filter(vacant).collect()
    } else {
        let mut sites = base(rules, estates, estate, centers);
        sites.retain(|p| vacant(p) && !estates.is_home(*p, |e| e.undetermined + e.garrison > 0));
        let standing = sites.clone();
        sites.retain(|p| {
            estate.alternatives.iter().filter(|(a, _)| a == p).all(|(_, limits)| {
                let limits = if limits.is_empty() { &estate.homes } else { limits };
                limits.iter().any(|home| home != p && standing.contains(home))
            })
        });
        sites
    };
    if !rules.has(Rule::NoFactories) {
        sites.extend(estate.factories.iter().copied().filter(vacant));
    }
    if estate.raised > 0 && !rules.has(Rule::NoPartisans) {
        sites.extend(estate.partisans.iter().copied().filter(vacant));
    }
    sites.sort_unstable();
    sites.dedup();
    sites
}

/// The owned centres a power might build in were they all vacant (step 2), its alternative homes among them.
fn base(rules: &Rules, estates: &Estates, estate: &Estate, centers: &[ProvinceId]) -> Vec<ProvinceId> {
    let remote = rules.has(Rule::RemoteBuilds);
    let lost = remote && !estate.original_homes.iter().any(|home| centers.contains(home));
    let unassigned = estates.0.iter().all(|e| e.homes.is_empty());
    let homes_of_all = rules.has(Rule::HomeBuilds);
    let everywhere = rules.has(Rule::BuildAny) || remote && !homes_of_all || estate.claims > 0 || unassigned;
    let fits = |p: &ProvinceId| {
        let among = if homes_of_all { estates.is_home(*p, |_| true) } else { estate.homes.contains(p) };
        let stands_in = || estate.alternatives.iter().any(|(a, _)| a == p);
        !lost && (everywhere || among || stands_in())
    };
    centers.iter().copied().filter(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Provinces 0 to 9; the power is 0, its units stand where `manned` says.
    #[derive(Default)]
    struct Plain {
        owned: Vec<u16>,
        manned: Vec<u16>,
    }

    fn ids(list: &[u16]) -> Vec<ProvinceId> {
        list.iter().copied().map(ProvinceId).collect()
    }

    impl Holdings for Plain {
        fn owned(&self, _: PowerId) -> Vec<ProvinceId> {
            ids(&self.owned)
        }
        fn manned(&self, _: PowerId) -> Vec<ProvinceId> {
            ids(&self.manned)
        }
        fn is_vacant(&self, at: ProvinceId) -> bool {
            !self.manned.contains(&at.0)
        }
    }

    /// Count and sites under some rules.
    fn build(board: &Plain, mine: &Estate, others: &[Estate], rules: &[Rule]) -> (i32, Vec<ProvinceId>) {
        let estates = Estates(std::iter::once(mine).chain(others).cloned().collect());
        let due = due_on(&rules.iter().copied().collect(), board, &estates, PowerId(0));
        (due.count, due.sites)
    }

    #[test]
    fn what_counts_as_a_centre() {
        let mine = Estate { homes: ids(&[1, 2]), reserves: 1, militia: 2, ..Estate::default() };
        let board = Plain { owned: vec![1, 5], manned: vec![2, 5, 6, 7] };
        // Two centres, one in reserve, one of the militia for the unit on a home.
        assert_eq!(build(&board, &mine, &[], &[]).0, 0);
        assert_eq!(build(&board, &mine, &[], &[Rule::NoReserves]).0, -1);
        assert_eq!(build(&board, &mine, &[], &[Rule::NoReserves, Rule::NoMilitia]).0, -2);
        let exiled = Plain { owned: vec![5], ..board };
        assert_eq!(build(&exiled, &mine, &[], &[]).0, -3);
    }

    #[test]
    fn where_it_may_build() {
        let mine = Estate { homes: ids(&[1, 2, 3]), original_homes: ids(&[1, 2, 3]), ..Estate::default() };
        let other = Estate { homes: ids(&[5]), ..Estate::default() };
        let board = Plain { owned: vec![1, 2, 5, 6], manned: vec![2] };
        let others = std::slice::from_ref(&other);
        assert_eq!(build(&board, &mine, others, &[]), (1, ids(&[1])));
        assert_eq!(build(&board, &mine, others, &[Rule::HomeBuilds]), (2, ids(&[1, 5])));
        assert_eq!(build(&board, &mine, others, &[Rule::BuildAny]), (3, ids(&[1, 5, 6])));
        // Not in the home of one who may still take it.
        let guarded = Estate { undetermined: 1, ..other.clone() };
        assert_eq!(build(&board, &mine, &[guarded], &[Rule::BuildAny]), (2, ids(&[1, 6])));
        // REMOTE_BUILDS asks for an original home.
        assert_eq!(build(&board, &mine, others, &[Rule::RemoteBuilds]), (3, ids(&[1, 5, 6])));
        let exiled = Plain { owned: vec![5, 6], manned: vec![] };
        assert_eq!(build(&exiled, &mine, others, &[Rule::RemoteBuilds]), (0, vec![]));
    }

    #[test]
    fn stand_ins_and_other_sites() {
        let mine = Estate {
            homes: ids(&[1, 2]),
            alternatives: vec![(ProvinceId(3), ids(&[1]))],
            factories: ids(&[8]),
            partisans: ids(&[9]),
            ..Estate::default()
        };
        let free = Plain { owned: vec![1, 3, 4], manned: vec![] };
        // The alternative adds a site, not a build.
        assert_eq!(build(&free, &mine, &[], &[Rule::NoFactories]), (1, ids(&[1, 3])));
        // The home it stands in for is taken.
        let taken = Plain { owned: vec![1, 3, 4], manned: vec![1] };
        assert_eq!(build(&taken, &mine, &[], &[]), (1, ids(&[8])));
        let raised = Estate { raised: 1, ..mine.clone() };
        assert_eq!(build(&taken, &raised, &[], &[]), (2, ids(&[8, 9])));
        assert_eq!(build(&taken, &raised, &[], &[Rule::NoPartisans]), (1, ids(&[8])));
        // A garrison builds in any vacant home, owned or not.
        let garrison = Estate { garrison: 1, ..mine };
        assert_eq!(build(&taken, &garrison, &[], &[Rule::NoFactories]), (1, ids(&[2])));
    }
}
