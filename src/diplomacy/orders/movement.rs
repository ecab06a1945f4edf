//! Checks of movement orders, in the order of orders.md 5: the first that fails gives the code. Supports, convoys and
//! moves are in files of their own.

mod convoy;
mod moves;
mod support;

use super::code::{Code, Fault, Remark};
use super::entry::{Entry, Parsed};
use super::phrase::{Item, Phrase, Spot};
use super::words::Verb;
use super::{OrderContext, a_unit, incomplete, unit_word};
use crate::diplomacy::map::{LeagueRule, LocationId, PowerId, ProvinceId, Terrain, UnitKind};
use crate::diplomacy::order::Order;
use crate::diplomacy::position::Unit;
use crate::diplomacy::rules::Rule;

/// The unit an order is for.
#[derive(Clone, Copy, Debug)]
struct Actor {
    unit: Unit,
    /// Its owner; under FICTIONAL_OK the unit may not exist, then the sender.
    owner: PowerId,
}

/// Checks one order of a movement phase.
pub fn check(ctx: &OrderContext<'_>, phrase: Phrase) -> Result<Parsed, Fault> {
    let Some((kind, spot)) = &phrase.unit else {
        let late = |item: &Item| matches!(item, Item::Verb(Verb::Waive));
        return Err(if phrase.rest.iter().any(late) { wrong_verb(Verb::Waive) } else { incomplete() });
    };
    if phrase.rest.is_empty() {
        return Err(incomplete());
    }
    let mut remarks = Vec::new();
    let actor = actor(ctx, *kind, spot, &mut remarks)?;
    let shut = ctx.map[ctx.province(actor.unit.at)].terrain == Terrain::Shut;
    let (order, signal, untyped) = match phrase.rest.as_slice() {
        [Item::Verb(Verb::Hold), rest @ ..] => {
            if !rest.is_empty() {
                let text = format!("Nothing may follow a hold: {} H.", ctx.unit_text(actor.unit));
                return Err(Fault::new(Code::HoldBad, text));
            }
            (Order::Hold, false, false)
        }
        [Item::Verb(Verb::Support), rest @ ..] => {
            let given = support::check(ctx, actor, rest, &mut remarks, shut)?;
            (given.order, given.signal, given.untyped)
        }
        _ if shut => {
            let text = format!("{} is closed: {} may only hold.", ctx.code(actor.unit.at), ctx.unit_text(actor.unit));
            return Err(Fault::new(Code::Shut, text));
        }
        [Item::Verb(Verb::Convoy), rest @ ..] => (convoy::check(ctx, actor, rest, &mut remarks)?, false, false),
        [Item::Verb(Verb::Proxy), rest @ ..] => (proxy(ctx, rest)?, false, false),
        [Item::Verb(verb), ..] => return Err(wrong_verb(*verb)),
        rest => (moves::check(ctx, actor, rest, phrase.via, &mut remarks)?, false, false),
    };
    Ok(Parsed::new(ctx.map, Entry::Movement { unit: actor.unit, order, signal, untyped }, remarks))
}

/// Check 5: the unit exists, is of that type, and is the sender's.
fn actor(
    ctx: &OrderContext<'_>,
    kind: Option<UnitKind>,
    spot: &Spot,
    remarks: &mut Vec<Remark>,
) -> Result<Actor, Fault> {
    let mine = |at: LocationId| {
        let found = ctx.board.unit_in(ctx.map, ctx.province(at));
        found.is_some_and(|(owner, unit)| owner == ctx.power && kind.is_none_or(|k| k == unit.kind))
    };
    let at = ctx.settle(spot, mine)?;
    if ctx.fictional() {
        return fictional_actor(ctx, kind, at, remarks);
    }
    if kind == Some(UnitKind::Army) && ctx.old() {
        ctx.without_coast(at, &mut Vec::new())?;
    }
    let province = ctx.province(at);
    let Some((owner, unit)) = ctx.board.unit_in(ctx.map, province) else {
        return Err(unorderable(ctx, format!("There is no unit in {}.", ctx.name(province))));
    };
    let anyone = ctx.rules.has(Rule::OrderAny) || ctx.rules.has(Rule::ProxyOk);
    if owner != ctx.power && !anyone {
        let text = format!("The {} in {} is {}.", unit_word(unit.kind), ctx.name(province), ctx.map[owner].own);
        return Err(unorderable(ctx, text));
    }
    if let Some(kind) = kind.filter(|kind| *kind != unit.kind) {
        let text = format!(
            "There is {} in {}, not {}: write {}.",
            a_unit(unit.kind),
            ctx.name(province),
            a_unit(kind),
            ctx.unit_text(unit)
        );
        return Err(Fault::new(Code::Unorderable, text));
    }
    match unit.kind {
        UnitKind::Army => {
            ctx.without_coast(at, remarks)?;
        }
        UnitKind::Fleet => ctx.real_coast(at, unit, remarks).ok_or_else(|| {
            let text = format!("The fleet is in {}: write {}.", ctx.code(unit.at), ctx.unit_text(unit));
            Fault::new(Code::Unorderable, text)
        })?,
    }
    Ok(Actor { unit, owner })
}

/// FICTIONAL_OK: any unit that could be; nothing may show whether a foreign one is there (orders.md 4.1).
fn fictional_actor(
    ctx: &OrderContext<'_>,
    kind: Option<UnitKind>,
    at: LocationId,
    remarks: &mut Vec<Remark>,
) -> Result<Actor, Fault> {
    let Some(kind) = kind else {
        let text = format!("In this game the type must be written: A {0} or F {0}.", ctx.code(at));
        return Err(Fault::new(Code::Unorderable, text));
    };
    let mut at = at;
    if kind == UnitKind::Army {
        at = ctx.without_coast(at, remarks)?;
    }
    let own = ctx.board.units_of(ctx.power).iter().find(|u| ctx.province(u.at) == ctx.province(at) && u.kind == kind);
    if let Some(own) = own.filter(|_| ctx.map[at].coast.is_none()) {
        at = own.at;
    }
    if !ctx.map.may_stand(kind, at) && own.is_none_or(|own| own.at != at) {
        let coasts = ctx.geography().berths(kind, ctx.province(at));
        let text = match coasts.as_slice() {
            [] => format!("{} cannot stand in {}.", capital(a_unit(kind)), ctx.name(ctx.province(at))),
            list => format!("Name the coast of the fleet: {}.", ctx.codes(list)),
        };
        return Err(Fault::new(Code::Unorderable, text));
    }
    Ok(Actor { unit: Unit { kind, at }, owner: ctx.power })
}

fn unorderable(ctx: &OrderContext<'_>, text: String) -> Fault {
    let own: Vec<String> = ctx.board.units_of(ctx.power).iter().map(|unit| ctx.unit_text(*unit)).collect();
    let yours = if own.is_empty() { "You have no units".into() } else { format!("Your units are {}", own.join(", ")) };
    Fault::new(Code::Unorderable, format!("{text} {yours}."))
}

fn wrong_verb(verb: Verb) -> Fault {
    let what = match verb {
        Verb::Retreat => "Nobody retreats",
        Verb::Build | Verb::Waive => "Nothing is built",
        _ => "Nothing is disbanded",
    };
    let text = format!("{what} in a movement phase. Units hold (H), move (-), support (S) or convoy (C).");
    Fault::new(Code::Verb, text)
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Checks p1 to p4.
fn proxy(ctx: &OrderContext<'_>, rest: &[Item]) -> Result<Order, Fault> {
    if !ctx.rules.has(Rule::ProxyOk) {
        return Err(Fault::new(Code::ProxyOff, "Proxies are not allowed in this game: order the unit yourself."));
    }
    let [Item::Power(power)] = rest else {
        return Err(Fault::new(Code::ProxyWho, "Name the one power that shall order this unit: A VIE P ITALY."));
    };
    let title = &ctx.map[*power].title;
    if *power == ctx.power {
        return Err(Fault::new(Code::ProxySelf, "A proxy goes to another power; order your own units directly."));
    }
    if ctx.dummies.contains(power) || ctx.eliminated.contains(power) {
        return Err(Fault::new(Code::ProxyPower, format!("{title} has no player who could order the unit.")));
    }
    Ok(Order::Proxy(*power))
}

/// Whether the map's leagues let a unit of `owner` help one of `helped` (map-file.md 7.6): STRICT members help members
/// only; BENIGN ones help no outsider into a place that a unit of a listed league holds.
fn league_allows(ctx: &OrderContext<'_>, owner: PowerId, helped: Option<PowerId>, into: Option<ProvinceId>) -> bool {
    let (Some(helped), false) = (helped, ctx.fictional()) else { return true };
    let league = |power: PowerId| ctx.map[power].bond.as_ref().map(|bond| bond.name.as_str());
    let Some(bond) = ctx.map[owner].bond.as_ref().filter(|_| helped != owner) else { return true };
    match &bond.rule {
        LeagueRule::Label => true,
        LeagueRule::Strict => league(helped) == Some(bond.name.as_str()),
        LeagueRule::Benign(friends) => {
            let friendly = |power| league(power).is_some_and(|l| l == bond.name || friends.iter().any(|f| f == l));
            let holder = into.and_then(|into| ctx.board.unit_in(ctx.map, into)).map(|(holder, _)| holder);
            friendly(helped) || !holder.is_some_and(friendly)
        }
    }
}

fn league_fault(ctx: &OrderContext<'_>, owner: PowerId, helped: Option<PowerId>) -> Fault {
    let (own, other) = (&ctx.map[owner].title, helped.map_or("another power", |p| ctx.map[p].title.as_str()));
    Fault::new(Code::League, format!("The leagues of this map forbid {own} to help {other}."))
}
