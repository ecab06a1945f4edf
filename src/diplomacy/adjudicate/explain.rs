//! Why an order came out as it did, in a player's words. The sentences are read off the decisions and strengths of
//! the resolution itself: nothing is computed twice, and nothing at all unless somebody asks.

use super::board::NONE;
use super::node::{Doing, Known, Node, chain, mark};
use super::resolution::{Fate, Resolution};
use super::rows::At;
use crate::diplomacy::map::{LocationId, ProvinceId};
use crate::diplomacy::notation;
use crate::diplomacy::position::Unit;

/// The reason for a unit's verdict: one line, canonical codes, no full stop. Empty for an index that is no unit.
pub fn explain(resolution: &Resolution, index: usize) -> String {
    if index >= resolution.pieces().len() {
        return String::new();
    }
    let verdict = resolution.verdict(index);
    let order = order(resolution, index);
    let mut text = match verdict.fate {
        Fate::Stands => format!("{order} holds"),
        Fate::Moves => format!("{order} succeeded: {}", won(resolution, index)),
        Fate::Bounces => format!("{order} bounced: {}", bounced(resolution, index)),
        Fate::NoConvoy => format!("{order} has no convoy: {}", stranded(resolution, index)),
        Fate::Given => format!("{order} was given"),
        Fate::Cut => format!("{order} was cut by {}", cutter(resolution, index)),
        Fate::Void => format!("{order} is void: {}", void(resolution, index)),
        Fate::Available => format!("{order} was not disturbed"),
        Fate::Disrupted if verdict.dislodged => format!("{order} failed: the fleet was dislodged"),
        Fate::Disrupted if resolution.node(index).is(mark::HELD_OUT) => {
            format!("{order} failed: it depends on its own outcome (convoy paradox), so the fleet only holds")
        }
        Fate::Disrupted => format!("{order} failed: the fleet was attacked too strongly to convoy"),
        Fate::Needless => format!("{order} is ignored: the fleet is on no route without a detour"),
    };
    if let Some(by) = resolution.dislodger(index) {
        let attacker = resolution.node(by);
        let (attack, hold) = (attacker.low, standing(resolution, index));
        text.push_str(&format!(
            "; dislodged by {}, {} against {}{}",
            order_of(resolution, by),
            units(attack),
            units(hold),
            with(resolution, by)
        ));
    }
    text
}

/// Strengths are kept in half units.
fn units(half: i16) -> String {
    if half % 2 == 0 {
        (half / 2).to_string()
    } else {
        format!("{}½", if half > 1 { (half / 2).to_string() } else { String::new() })
    }
}

fn order(resolution: &Resolution, index: usize) -> String {
    let node = resolution.node(index);
    let text = order_of(resolution, index);
    if node.doing == Doing::Hold { unit(resolution, index) } else { text }
}

fn unit(resolution: &Resolution, index: usize) -> String {
    notation::unit(resolution.board, resolution.pieces()[index].unit)
}

/// The order of a unit, as it was understood.
fn order_of(resolution: &Resolution, index: usize) -> String {
    let board = resolution.board;
    let node = resolution.node(index);
    let subject = unit(resolution, index);
    let helped = |target: u16| {
        resolution
            .pieces()
            .get(target as usize)
            .map(|p: &super::Piece| notation::unit(board, p.unit))
            .unwrap_or_default()
    };
    match node.doing {
        Doing::Hold => format!("{subject} H"),
        Doing::Move => {
            let path = resolution.path(index).iter();
            let path: String = path.map(|sea| format!(" - {}", board.province_code(ProvinceId(*sea)))).collect();
            format!("{subject}{path} - {}", board.code(LocationId(node.to)))
        }
        Doing::Support if node.target == NONE => format!("{subject} S"),
        Doing::Support if node.is(mark::VOID) => match resolution.aim(index) {
            Some(aim) => format!("{subject} S {} - {}", helped(node.target), board.province_code(aim)),
            None => format!("{subject} S {}", helped(node.target)),
        },
        Doing::Support if resolution.node(node.target as usize).goes() => {
            format!("{subject} S {} - {}", helped(node.target), board.province_code(ProvinceId(node.aim)))
        }
        Doing::Support => format!("{subject} S {}", helped(node.target)),
        Doing::Convoy => {
            format!("{subject} C {} - {}", helped(node.target), board.province_code(ProvinceId(node.aim)))
        }
    }
}

/// Who helps: ` (with F GAS)`, and whose help was cut.
fn with(resolution: &Resolution, index: usize) -> String {
    let mut helpers = Vec::new();
    let mut cut = Vec::new();
    for s in chain!(resolution.solver.nodes, resolution.node(index).first_support, next_support) {
        let name = unit(resolution, s as usize);
        if resolution.node(s as usize).given == Known::Yes {
            helpers.push(name);
        } else {
            cut.push(format!("whose support from {name} was cut by {}", cutter(resolution, s as usize)));
        }
    }
    let mut text = String::new();
    if !helpers.is_empty() {
        text.push_str(&format!(" with support from {}", join(&helpers)));
    }
    if !cut.is_empty() {
        text.push_str(&format!(", {}", join(&cut)));
    }
    text
}

fn join(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn won(resolution: &Resolution, index: usize) -> String {
    let node = resolution.node(index);
    let strength = units(node.low);
    let rivals: Vec<String> = rivals(resolution, index).map(|r| order_of(resolution, r)).collect();
    let Some(other) = opponent(resolution, index) else {
        let place = resolution.board.province_code(ProvinceId(node.dest));
        return if rivals.is_empty() {
            format!("nobody stood in its way to {place}")
        } else {
            format!("{strength}{}, stronger than {}", with(resolution, index), join(&rivals))
        };
    };
    if resolution.moved(other) {
        return format!("{} moved out of the way", unit(resolution, other));
    }
    let resist = units(standing(resolution, other));
    format!("{strength} against {resist} of {}{}", unit(resolution, other), with(resolution, index))
}

fn bounced(resolution: &Resolution, index: usize) -> String {
    let node = resolution.node(index);
    let rules = &resolution.solver.rules;
    if let Some(other) = opponent(resolution, index) {
        let them = resolution.node(other);
        let stays = !resolution.moved(other) || node.is(mark::HEAD_ON);
        if stays && them.power == node.power && !(rules.friendly || rules.dummy_fire) {
            return format!("{} of the same power was in the way", unit(resolution, other));
        }
        let resist = if node.is(mark::HEAD_ON) { them.low } else { standing(resolution, other) };
        if stays && node.foreign_low <= resist {
            let excluded = node.low - node.foreign_low;
            let note = if excluded > 0 { " (support of the defender's own power does not count)" } else { "" };
            let meeting = if node.is(mark::HEAD_ON) { " head to head" } else { "" };
            return format!(
                "{} against {}{meeting} from {}{}{note}{}",
                units(node.foreign_low),
                units(resist),
                unit(resolution, other),
                with(resolution, other),
                lost_help(resolution, index),
            );
        }
    }
    let strongest = rivals(resolution, index).max_by_key(|r| resolution.node(*r).low);
    match strongest {
        Some(rival) => format!(
            "{} against {} from {}{}{}",
            units(node.low),
            units(resolution.node(rival).low),
            order_of(resolution, rival),
            with(resolution, rival),
            lost_help(resolution, index),
        ),
        None => "it was not strong enough".into(),
    }
}

/// `; support from F GAS was cut by …`
fn lost_help(resolution: &Resolution, index: usize) -> String {
    let cut: Vec<String> = chain!(resolution.solver.nodes, resolution.node(index).first_support, next_support)
        .map(usize::from)
        .filter(|s| resolution.node(*s).given == Known::No)
        .map(|s| format!("support from {} was cut by {}", unit(resolution, s), cutter(resolution, s)))
        .collect();
    if cut.is_empty() { String::new() } else { format!("; {}", join(&cut)) }
}

fn opponent(resolution: &Resolution, index: usize) -> Option<usize> {
    let there = resolution.node(index).occupant;
    (there != NONE).then_some(there as usize)
}

/// Other moves to the same place that had a way.
fn rivals<'a>(resolution: &'a Resolution, index: usize) -> impl Iterator<Item = usize> + 'a {
    let head = resolution.solver.movers[resolution.node(index).dest as usize];
    chain!(resolution.solver.nodes, head, next_mover)
        .map(usize::from)
        .filter(move |r| *r != index && resolution.node(*r).path == Known::Yes)
}

/// Strength with which a unit that stays holds its place.
fn standing(resolution: &Resolution, index: usize) -> i16 {
    let node: &Node = resolution.node(index);
    match (node.goes(), node.is(mark::NO_ROUTE)) {
        (false, _) => node.low,
        (true, true) => 2,
        (true, false) => resolution.solver.rules.failed_hold,
    }
}

fn cutter(resolution: &Resolution, index: usize) -> String {
    let node = resolution.node(index);
    let attackers = || chain!(resolution.solver.nodes, resolution.solver.movers[node.prov as usize], next_mover);
    let cuts = |x: &u16| resolution.solver.cuts(node, resolution.node(*x as usize)) == Known::Yes;
    attackers().find(cuts).map_or_else(|| "an attack".into(), |x| order_of(resolution, x as usize))
}

fn stranded(resolution: &Resolution, index: usize) -> String {
    let node = resolution.node(index);
    if node.is(mark::NO_ROUTE) {
        return "no complete chain of fleets was ordered to convoy it".into();
    }
    if node.is(mark::PARADOX) {
        return "its convoy depends on its own outcome (convoy paradox)".into();
    }
    let lost: Vec<String> = chain!(resolution.solver.nodes, node.first_convoy, next_convoy)
        .map(usize::from)
        .filter(|c| resolution.solver.carries(resolution.node(*c)) == Known::No)
        .map(|c| match resolution.dislodger(c) {
            Some(by) => format!("{} was dislodged by {}", unit(resolution, c), order_of(resolution, by)),
            None => format!("{} was kept from convoying", unit(resolution, c)),
        })
        .collect();
    if lost.is_empty() { "the chain of fleets was broken".into() } else { join(&lost) }
}

fn void(resolution: &Resolution, index: usize) -> String {
    let node = resolution.node(index);
    let Some(helped) = resolution.pieces().get(node.target as usize) else {
        return "it can help nobody".into();
    };
    let name = notation::unit(resolution.board, Unit { ..helped.unit });
    let target = resolution.node(node.target as usize);
    match node.doing {
        Doing::Convoy if target.goes() && target.dest == node.aim && target.is(mark::NO_ROUTE) => {
            "the chain of fleets is not complete".into()
        }
        Doing::Convoy if target.goes() && target.dest == node.aim && target.is(mark::WRITTEN) => {
            format!("{name} goes by another route")
        }
        Doing::Convoy if target.goes() && target.dest == node.aim => format!("{name} goes by land"),
        _ => format!("the order was {}", order_of(resolution, node.target as usize)),
    }
}

impl Resolution<'_> {
    /// The province a support to move was written for.
    fn aim(&self, index: usize) -> Option<ProvinceId> {
        let aim = ProvinceId(self.node(index).aim);
        (aim.index() < self.board.provinces()).then_some(aim)
    }
}
