//! Checks s1 to s8 of orders.md 5, and SIGNAL_SUPPORT (5.1).

use super::{Actor, capital, league_allows, league_fault};
use crate::diplomacy::map::{LocationId, PowerId, UnitKind};
use crate::diplomacy::order::Order;
use crate::diplomacy::orders::code::{Code, Fault, Remark};
use crate::diplomacy::orders::phrase::{Item, Spot};
use crate::diplomacy::orders::words::Verb;
use crate::diplomacy::orders::{OrderContext, a_unit};
use crate::diplomacy::position::Unit;
use crate::diplomacy::rules::Rule;

/// A support that passed.
pub(super) struct Given {
    pub order: Order,
    pub signal: bool,
    pub untyped: bool,
}

/// The unit helped, as far as it is known.
struct Helped {
    unit: Unit,
    owner: Option<PowerId>,
    untyped: bool,
}

pub(super) fn check(
    ctx: &OrderContext<'_>,
    actor: Actor,
    rest: &[Item],
    remarks: &mut Vec<Remark>,
    shut: bool,
) -> Result<Given, Fault> {
    let (kind, spot, target) = shape(ctx, actor, rest)?;
    let at = ctx.settle(spot, |at| ctx.board.unit_in(ctx.map, ctx.province(at)).is_some())?;
    let mut helped = named(ctx, kind, at, remarks)?;
    let reachable = |to: LocationId| {
        let berths = std::iter::once(to).chain(ctx.geography().berths(helped.unit.kind, ctx.province(to)));
        berths.into_iter().any(|to| ctx.geography().reaches(helped.unit, to, helped.owner))
    };
    let mut to = target.map(|target| ctx.settle(target, reachable)).transpose()?;
    if let Some(place) = to {
        if ctx.map[place].coast.is_some() && helped.unit.kind == UnitKind::Army && !helped.untyped {
            to = Some(ctx.without_coast(place, remarks)?);
        }
    }
    let signals = ctx.rules.has(Rule::SignalSupport);
    // The checks that SIGNAL_SUPPORT forgives; the first to fail makes the support a signal.
    let mut impossible: Option<Fault> = None;
    if shut {
        let text = format!("{} is closed: {} may only hold.", ctx.code(actor.unit.at), ctx.unit_text(actor.unit));
        forgive(signals, &mut impossible, Fault::new(Code::Shut, text))?;
    }
    if let Some(to) = to {
        if helped.untyped && !ctx.may_be(helped.unit.kind, to) {
            // The type is open: take the one that fits.
            let other = if helped.unit.kind == UnitKind::Army { UnitKind::Fleet } else { UnitKind::Army };
            if ctx.may_be(other, to) && ctx.may_be(other, helped.unit.at) {
                helped.unit.kind = other;
            }
        }
        if !ctx.may_be(helped.unit.kind, to) {
            let text = format!("{} cannot go to {}.", capital(a_unit(helped.unit.kind)), ctx.name(ctx.province(to)));
            forgive(signals, &mut impossible, Fault::new(Code::InvalidDest, text))?;
        }
    }
    exists(ctx, &mut helped, at, remarks)?;
    if ctx.province(helped.unit.at) == ctx.province(actor.unit.at) {
        return Err(Fault::new(Code::SupportSelf, "A unit cannot support itself: let it hold (H) or support another."));
    }
    if let Some(to) = to.filter(|_| impossible.is_none()) {
        if !can_reach(ctx, actor, &helped, to) {
            forgive(signals, &mut impossible, unreachable(ctx, &helped, to))?;
        }
    }
    let into = ctx.province(to.unwrap_or(helped.unit.at));
    if impossible.is_none() && !ctx.geography().supports_into(actor.unit, into, Some(actor.owner)) {
        let reach = ctx.geography().reach(actor.unit, Some(actor.owner));
        let unit = ctx.unit_text(actor.unit);
        let text = format!("{unit} cannot help in {}. It can support into {}.", ctx.name(into), ctx.codes(&reach));
        forgive(signals, &mut impossible, Fault::new(Code::SupportDeliver, text))?;
    }
    if impossible.is_none() && !league_allows(ctx, actor.owner, helped.owner, to.map(|to| ctx.province(to))) {
        forgive(signals, &mut impossible, league_fault(ctx, actor.owner, helped.owner))?;
    }
    let order = Order::Support { unit: helped.unit, to };
    Ok(Given { order, signal: impossible.is_some(), untyped: helped.untyped })
}

/// s1: `[type] place [place]`, an `H` behind it is dropped.
#[allow(clippy::type_complexity)]
fn shape<'a>(
    ctx: &OrderContext<'_>,
    actor: Actor,
    rest: &'a [Item],
) -> Result<(Option<UnitKind>, &'a Spot, Option<&'a Spot>), Fault> {
    let (kind, rest) = match rest {
        [Item::Type(kind), rest @ ..] => (Some(*kind), rest),
        rest => (None, rest),
    };
    match rest {
        [Item::Place(spot)] | [Item::Place(spot), Item::Verb(Verb::Hold)] => Ok((kind, spot, None)),
        [Item::Place(spot), Item::Place(target)] => Ok((kind, spot, Some(target))),
        _ => {
            let unit = ctx.unit_text(actor.unit);
            let text = format!(
                "Name the one unit that {unit} supports, and where that unit goes if it moves: {unit} S A VIE, or \
                 {unit} S A VIE - GAL. One order a line."
            );
            Err(Fault::new(Code::SupportBad, text))
        }
    }
}

/// s2: a unit of that type can stand there; a missing type is read off the board.
fn named(
    ctx: &OrderContext<'_>,
    kind: Option<UnitKind>,
    at: LocationId,
    remarks: &mut Vec<Remark>,
) -> Result<Helped, Fault> {
    let found = ctx.board.unit_in(ctx.map, ctx.province(at)).filter(|_| !ctx.fictional());
    let (kind, untyped) = match (kind, found) {
        (Some(kind), _) => (kind, false),
        (None, Some((_, unit))) => (unit.kind, false),
        (None, None) if ctx.fictional() => {
            let army = ctx.map[at].coast.is_none() && ctx.may_be(UnitKind::Army, at);
            (if army { UnitKind::Army } else { UnitKind::Fleet }, army && ctx.may_be(UnitKind::Fleet, at))
        }
        (None, None) => return Err(missing(ctx, at)),
    };
    let at = if kind == UnitKind::Army { ctx.without_coast(at, remarks)? } else { at };
    let trapped = found.is_some_and(|(_, unit)| unit.kind == kind);
    if !ctx.may_be(kind, at) && !trapped {
        let text = format!("{} cannot stand in {}.", capital(a_unit(kind)), ctx.name(ctx.province(at)));
        return Err(Fault::new(Code::InvalidUnit, text));
    }
    let owner = found.map(|(owner, _)| owner);
    Ok(Helped { unit: Unit { kind, at }, owner, untyped })
}

/// s4: the unit exists now; its coast comes from the board.
fn exists(ctx: &OrderContext<'_>, helped: &mut Helped, at: LocationId, remarks: &mut Vec<Remark>) -> Result<(), Fault> {
    if ctx.fictional() {
        let own = ctx.board.units_of(ctx.power).iter().find(|unit| ctx.province(unit.at) == ctx.province(at));
        if let Some(own) = own.filter(|own| own.kind == helped.unit.kind && ctx.map[at].coast.is_none()) {
            helped.unit.at = own.at;
        }
        return Ok(());
    }
    let found = ctx.board.unit_in(ctx.map, ctx.province(at));
    let Some((_, unit)) = found.filter(|(_, unit)| unit.kind == helped.unit.kind) else {
        return Err(missing(ctx, at));
    };
    if unit.kind == UnitKind::Fleet {
        let correct = ctx.real_coast(at, unit, remarks);
        correct.ok_or_else(|| {
            let text = format!("The fleet is in {}: write {}.", ctx.code(unit.at), ctx.unit_text(unit));
            Fault::new(Code::Recipient, text)
        })?;
    }
    helped.unit = unit;
    Ok(())
}

fn missing(ctx: &OrderContext<'_>, at: LocationId) -> Fault {
    let text = match ctx.board.unit_in(ctx.map, ctx.province(at)) {
        Some((_, unit)) => format!("The unit there is {}.", ctx.unit_text(unit)),
        None => format!("There is no unit in {} to support.", ctx.name(ctx.province(at))),
    };
    Fault::new(Code::Recipient, text)
}

/// s6: the unit helped can get there, directly or (an army) over fleets other than the supporter.
fn can_reach(ctx: &OrderContext<'_>, actor: Actor, helped: &Helped, to: LocationId) -> bool {
    let geography = ctx.geography();
    let (from, target) = (ctx.province(helped.unit.at), ctx.province(to));
    let kinds = if helped.untyped { vec![UnitKind::Army, UnitKind::Fleet] } else { vec![helped.unit.kind] };
    kinds.into_iter().any(|kind| {
        let starts =
            if ctx.map.may_stand(kind, helped.unit.at) { vec![helped.unit.at] } else { geography.berths(kind, from) };
        let goals = match (kind, &ctx.map[to].coast) {
            (UnitKind::Fleet, Some(_)) => vec![to],
            _ => geography.berths(kind, target),
        };
        let direct = starts.iter().any(|start| {
            let unit = Unit { kind, at: *start };
            goals.iter().any(|goal| geography.reaches(unit, *goal, helped.owner))
        });
        let carrier = match kind {
            UnitKind::Army => Some(UnitKind::Fleet),
            UnitKind::Fleet => ctx.rules.has(Rule::PortageConvoy).then_some(UnitKind::Army),
        };
        let coasts = geography.is_coastal(from) && geography.is_coastal(target);
        let around = from == target && kind == UnitKind::Fleet && ctx.map[target].coasts.len() > 1;
        let supporter = Some(ctx.province(actor.unit.at));
        (from != target && direct)
            || carrier.is_some_and(|carrier| {
                (from != target || around) && coasts && geography.chain(carrier).links(from, target, supporter)
            })
    })
}

fn unreachable(ctx: &OrderContext<'_>, helped: &Helped, to: LocationId) -> Fault {
    let unit = ctx.unit_text(helped.unit);
    let text = if ctx.province(to) == ctx.province(helped.unit.at) {
        format!("{unit} is in {} already; to support it there write S {unit}.", ctx.name(ctx.province(to)))
    } else {
        let reach = ctx.geography().reach(helped.unit, helped.owner);
        format!("{unit} cannot get to {}. It can go to {}.", ctx.code(to), ctx.codes(&reach))
    };
    Fault::new(Code::SupportUnreachable, text)
}

fn forgive(signals: bool, impossible: &mut Option<Fault>, fault: Fault) -> Result<(), Fault> {
    if !signals {
        return Err(fault);
    }
    impossible.get_or_insert(fault);
    Ok(())
}
