//! What comes after a phase (adjudication.md 10, 11 and 13; map-file.md 9): the order of phases, the count of
//! centres when an adjustment is entered, victory, and which phases are skipped.

use super::estate::{Due, Estates, all_due};
use super::profile::Profile;
use super::setup::Position;
use crate::diplomacy::map::{Map, PowerId, ProvinceId};
use crate::diplomacy::phase::{Flow, Phase, Step};
use crate::diplomacy::rules::Rule;

/// The phase after one, empty phases not skipped; `None` if the flow has no phases, or does not know this one.
pub fn following(flow: &Flow, phase: &Phase) -> Option<Phase> {
    let here = |step: &Step| matches!(step, Step::Phase(s, k) if *s == phase.season && *k == phase.kind);
    let mut at = flow.steps.iter().position(here)? + 1;
    let mut year = phase.year;
    // An IFYEARDIV may send us round several times, once a year it does not fit.
    for _ in 0..flow.steps.len() * 2000 {
        if at >= flow.steps.len() {
            at = 0;
        }
        match &flow.steps[at] {
            Step::NewYear(years) => year = year.checked_add(*years)?,
            Step::IfYearDiv(divisor, rest) => {
                if *divisor <= 0 || year.rem_euclid(*divisor) != *rest {
                    at = 0;
                    continue;
                }
            }
            Step::Phase(season, kind) => return Some(Phase { season: season.clone(), year, kind: kind.clone() }),
        }
        at += 1;
    }
    None
}

/// The phase of a short form (`S1901M`), by the first step of the flow with those letters.
pub fn phase_of(flow: &Flow, short: &str) -> Option<Phase> {
    let mut letters = short.chars();
    let season = letters.next()?;
    let kind = letters.next_back()?;
    let digits = letters.as_str();
    if digits.is_empty() || digits.len() > 6 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let year = digits.parse().ok()?;
    flow.steps.iter().find_map(|step| match step {
        Step::Phase(s, k) if s.starts_with(season) && k.starts_with(kind) => {
            Some(Phase { season: s.clone(), year, kind: k.clone() })
        }
        _ => None,
    })
}

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

/// Scores for victory, by power: centres owned, or under VICTORY_HOMES homes of others.
pub fn scores(profile: &Profile, position: &Position, estates: &Estates) -> Vec<u16> {
    let powers = (0..position.board().powers() as u8).map(PowerId);
    let foreign = |power: PowerId, center: &ProvinceId| {
        let others = estates.0.iter().enumerate().filter(|(at, _)| *at != power.0 as usize);
        others.map(|(_, e)| e).any(|e| e.homes.contains(center))
    };
    let homes = profile.has(Rule::VictoryHomes);
    powers.map(|p| position.centers(p).filter(|c| !homes || foreign(p, c)).count() as u16).collect()
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
pub fn goal(map: &Map, rounds: usize) -> u16 {
    map.victory.get(rounds).or(map.victory.last()).copied().unwrap_or(u16::MAX)
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
        let Some(next) = following(season.flow, &phase) else { return advance };
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
