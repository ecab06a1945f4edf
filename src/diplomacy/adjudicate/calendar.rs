//! What comes after a phase (adjudication.md 10, 11 and 13; map-file.md 9): the order of phases, the count of
//! centres when an adjustment is entered, victory, and which phases are skipped.

use super::estate::{Due, Estates, all_due};
use super::profile::Profile;
use super::setup::Position;
use crate::diplomacy::map::{Map, PowerId, ProvinceId};
use crate::diplomacy::phase::{Flow, Phase};
use crate::diplomacy::rules::{Rule, Rules};

/// The short form with a year of four digits at least, as in records of games.
pub fn short(phase: &Phase) -> String {
    let first = |s: &str| s.chars().next().unwrap_or('?');
    format!("{}{:04}{}", first(&phase.season), phase.year, first(&phase.kind))
}

/// A centre that changed hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The centre.
    pub center: ProvinceId,
    /// Who had it.
    pub from: Option<PowerId>,
    /// Who has it now.
    pub to: PowerId,
}

/// Gives every centre to the power whose unit stands on it; one with nobody on it stays. If nobody owns anything
/// yet, every power owns its homes first. `spares(owner, taker)`: vassals leave centres of their own (VASSAL_DUMMIES).
pub fn count_centers(
    position: &mut Position,
    estates: &Estates,
    spares: impl Fn(PowerId, PowerId) -> bool,
) -> Vec<Capture> {
    let board = position.board().clone();
    if board.centers().iter().all(|c| position.owner(*c).is_none()) {
        for (power, estate) in estates.0.iter().enumerate() {
            estate.homes.iter().for_each(|h| position.set_owner(*h, Some(PowerId(power as u8))));
        }
    }
    let mut captures = Vec::new();
    for center in board.centers() {
        let Some(index) = position.at(*center) else { continue };
        let to = position.pieces()[index].power;
        let from = position.owner(*center);
        if from != Some(to) && !from.is_some_and(|owner| spares(owner, to)) {
            position.set_owner(*center, Some(to));
            captures.push(Capture { center: *center, from, to });
        }
    }
    captures
}

/// With whom a power wins: a dummy under TEAM_VICTORY with its master, everybody else alone.
pub fn wins_with(profile: &Profile, estates: &Estates, power: PowerId) -> PowerId {
    let master = estates.get(power).and_then(|estate| estate.master);
    master.filter(|_| profile.has(Rule::TeamVictory)).unwrap_or(power)
}

/// Scores for victory, by power (adjudication.md 11): centres owned, or under VICTORY_HOMES homes of others, which neither its
/// own are nor those of dummies that it runs. Under TEAM_VICTORY what a dummy scores is its master's.
pub fn scores(profile: &Profile, position: &Position, estates: &Estates) -> Vec<u16> {
    let ours = |power: PowerId, at: usize| at == usize::from(power.0) || estates.0[at].master == Some(power);
    let foreign = |power: PowerId, center: &ProvinceId| {
        let mut homes = (0..estates.0.len()).filter(|at| estates.0[*at].homes.contains(center)).peekable();
        homes.peek().is_some() && !homes.any(|at| ours(power, at))
    };
    let homes = profile.has(Rule::VictoryHomes);
    let mut scores = vec![0; position.board().powers()];
    for power in (0..position.board().powers() as u8).map(PowerId) {
        let scorer = wins_with(profile, estates, power);
        let counted = position.centers(power).filter(|c| !homes || foreign(scorer, c)).count() as u16;
        if let Some(score) = scores.get_mut(usize::from(scorer.0)) {
            *score += counted;
        }
    }
    scores
}

/// Who has won (adjudication.md 11): `goal` reached, ahead of everybody, and more than a year before.
pub fn victors(profile: &Profile, scores: &[u16], last: &[u16], goal: u16) -> Vec<PowerId> {
    let best = scores.iter().copied().max().unwrap_or(0);
    let alone = scores.iter().filter(|s| **s == best).count() == 1;
    let wins = |at: &usize| {
        let (score, before) = (scores[*at], last.get(*at).copied().unwrap_or(0));
        let grown =
            if profile.has(Rule::HoldWin) { before >= goal } else { profile.has(Rule::VictoryHomes) || score > before };
        score >= goal && grown && (profile.has(Rule::SharedVictory) || score == best && alone)
    };
    (0..scores.len()).filter(wins).map(|at| PowerId(at as u8)).collect()
}

/// Centres needed, after that many adjustment rounds were played.
pub fn goal(map: &Map, profile: &Profile, rounds: usize) -> u16 {
    match goals(map, profile.rules).as_slice() {
        [] => u16::MAX,
        goals => goals.get(rounds).or(goals.last()).copied().unwrap_or(u16::MAX),
    }
}

/// The map's VICTORY list; where it has none, more than half of the centres, or under VICTORY_HOMES more than half of the
/// homes that are not a power's own (rules.md 2.10, map-file.md 8).
pub fn goals(map: &Map, rules: Rules) -> Vec<u16> {
    if !(map.victory_is_default && rules.has(Rule::VictoryHomes)) {
        return map.victory.clone();
    }
    let with_homes = map.powers.iter().filter(|p| !p.homes.is_empty()).count();
    let homes =
        map.province_ids().filter(|at| map[*at].center && map.powers.iter().any(|p| p.homes.contains(at))).count();
    let half = (homes * with_homes.saturating_sub(1)).checked_div(2 * with_homes).unwrap_or(0);
    vec![u16::try_from(half + 1).unwrap_or(u16::MAX)]
}

/// Where a game stands after a phase.
#[derive(Clone, Debug, Default)]
pub struct Advance {
    /// The phase to be played next; `None`: the game is over, or the flow does not go on.
    pub phase: Option<Phase>,
    /// Who has won.
    pub victors: Vec<PowerId>,
    /// Centres that changed hands, if they were counted.
    pub captures: Vec<Capture>,
    /// Whether centres were counted on the way.
    pub counted: bool,
    /// What is due, if an adjustment is next.
    pub due: Vec<Due>,
}

/// What an advance needs to know beside the position.
pub struct Season<'a> {
    /// Switches and rules.
    pub profile: &'a Profile,
    /// Order of phases.
    pub flow: &'a Flow,
    /// Homes and other rights.
    pub estates: &'a Estates,
    /// Scores at the count before.
    pub last: &'a [u16],
    /// Centres needed to win.
    pub goal: u16,
}

/// Goes on from a phase that was played: skips retreats of nobody and adjustments of nothing, counts centres on
/// entering an adjustment, and stops at a victory or at the first phase that has to be played.
pub fn advance(season: &Season, position: &mut Position, played: &Phase) -> Advance {
    let mut advance = Advance::default();
    let mut phase = played.clone();
    for _ in 0..=season.flow.steps.len() {
        let Some(next) = season.flow.next(&phase) else { return advance };
        phase = next;
        match phase.kind.as_str() {
            "RETREATS" if position.dislodged().is_empty() => continue,
            "ADJUSTMENTS" => {
                advance.counted = true;
                advance.captures.extend(count_centers(position, season.estates, |_, _| false));
                let scores = scores(season.profile, position, season.estates);
                advance.victors = victors(season.profile, &scores, season.last, season.goal);
                if !advance.victors.is_empty() {
                    return advance;
                }
                advance.due = all_due(season.profile, position, season.estates);
                if advance.due.is_empty() {
                    continue;
                }
            }
            _ => {}
        }
        advance.phase = Some(phase);
        return advance;
    }
    advance
}
