//! Checks of retreat orders (orders.md 6).

use super::code::{Code, Fault};
use super::entry::{Entry, Parsed};
use super::phrase::{Item, Phrase};
use super::words::Verb;
use super::{OrderContext, incomplete};
use crate::diplomacy::map::{LocationId, UnitKind};
use crate::diplomacy::position::Unit;

/// Checks one order of a retreat phase.
pub fn check(ctx: &OrderContext<'_>, phrase: Phrase) -> Result<Parsed, Fault> {
    let Some((kind, spot)) = &phrase.unit else {
        let verb = phrase.rest.iter().any(|item| matches!(item, Item::Verb(v) if *v != Verb::Retreat));
        return Err(if verb { bad(ctx, None) } else { incomplete() });
    };
    let own = ctx.board.dislodged_of(ctx.power);
    let there = |at: LocationId| {
        let province = ctx.province(at);
        own.iter().find(move |(unit, _)| ctx.province(unit.at) == province && kind.is_none_or(|k| k == unit.kind))
    };
    let at = ctx.settle(spot, |at| there(at).is_some())?;
    let mut remarks = Vec::new();
    if *kind == Some(UnitKind::Army) {
        ctx.without_coast(at, &mut Vec::new())?;
    }
    let Some((unit, options)) = there(at) else {
        return Err(not_retreating(ctx, at));
    };
    match unit.kind {
        UnitKind::Army => {
            ctx.without_coast(at, &mut remarks)?;
        }
        UnitKind::Fleet => ctx.real_coast(at, *unit, &mut remarks).ok_or_else(|| not_retreating(ctx, at))?,
    }
    let unit = *unit;
    // A leading RETREAT may be followed by another verb.
    let mut rest = phrase.rest.as_slice();
    let mut retreat = false;
    while let [Item::Verb(Verb::Retreat), tail @ ..] = rest {
        if retreat && tail.is_empty() {
            break;
        }
        retreat = true;
        rest = tail;
    }
    let to = match rest {
        _ if phrase.via => return Err(bad(ctx, Some(unit))),
        [Item::Verb(Verb::Disband)] => return Ok(Parsed::new(ctx.map, Entry::Disband { unit }, remarks)),
        [] if retreat && ctx.old() => return Ok(Parsed::new(ctx.map, Entry::Disband { unit }, remarks)),
        [Item::Place(to)] => to,
        _ => return Err(bad(ctx, Some(unit))),
    };
    let mut target = ctx.settle(to, |at| options.iter().any(|option| ctx.province(*option) == ctx.province(at)))?;
    if unit.kind == UnitKind::Army {
        target = ctx.without_coast(target, &mut remarks)?;
    } else if ctx.map[target].coast.is_none() && !options.contains(&target) {
        let mut coasts = options.iter().filter(|option| ctx.province(**option) == ctx.province(target));
        if let (Some(only), None) = (coasts.next(), coasts.next()) {
            target = *only;
        }
    }
    if !options.contains(&target) {
        let can = match options.as_slice() {
            [] => "It can only DISBAND".to_string(),
            list => format!("It can go to {}, or DISBAND", ctx.codes(list)),
        };
        let text = format!("{} cannot retreat to {}. {can}.", ctx.unit_text(unit), ctx.code(target));
        return Err(Fault::new(Code::RetreatDest, text));
    }
    Ok(Parsed::new(ctx.map, Entry::Retreat { unit, to: target }, remarks))
}

fn not_retreating(ctx: &OrderContext<'_>, at: LocationId) -> Fault {
    let own: Vec<String> = ctx.board.dislodged_of(ctx.power).iter().map(|(unit, _)| ctx.unit_text(*unit)).collect();
    let who = match own.as_slice() {
        [] => "None of your units has to retreat".to_string(),
        [one] => format!("Your unit that must retreat is {one}"),
        list => format!("Your units that must retreat are {}", list.join(", ")),
    };
    Fault::new(Code::NotRetreating, format!("No such unit of yours was dislodged from {}. {who}.", ctx.code(at)))
}

fn bad(ctx: &OrderContext<'_>, unit: Option<Unit>) -> Fault {
    let text = match unit {
        Some(unit) => {
            let unit = ctx.unit_text(unit);
            format!("Say where {unit} retreats to, or that it disbands: {unit} - place, or {unit} DISBAND.")
        }
        None => "In this phase dislodged units retreat (F DEN - HEL) or disband (F DEN DISBAND); nothing else.".into(),
    };
    Fault::new(Code::RetreatBad, text)
}
