//! Checks m1 to m11 of orders.md 5: steps by land and sea, written paths, convoys without a path.

use super::{Actor, capital};
use crate::diplomacy::map::{LocationId, ProvinceId, Terrain, UnitKind};
use crate::diplomacy::order::{Order, Route};
use crate::diplomacy::orders::code::{Code, Fault, Remark};
use crate::diplomacy::orders::phrase::{Item, Spot};
use crate::diplomacy::orders::{OrderContext, a_unit};
use crate::diplomacy::rules::Rule;

pub(super) fn check(
    ctx: &OrderContext<'_>,
    actor: Actor,
    rest: &[Item],
    via: bool,
    remarks: &mut Vec<Remark>,
) -> Result<Order, Fault> {
    let unit = ctx.unit_text(actor.unit);
    // m1
    if ctx.rules.has(Rule::ImmobileDummies) && ctx.dummies.contains(&actor.owner) {
        let text = format!("{unit} belongs to a power without a player: it may hold, support or convoy, not move.");
        return Err(Fault::new(Code::Immobile, text));
    }
    // m2
    let mut spots: Vec<&Spot> = Vec::new();
    for item in rest {
        let Item::Place(spot) = item else {
            let text = format!("A move is a unit and places: {unit} - place. Write one order per line.");
            return Err(Fault::new(Code::MoveBad, text));
        };
        spots.push(spot);
    }
    let mut chain: Vec<LocationId> = Vec::new();
    for spot in spots {
        let before = chain.last().copied().unwrap_or(actor.unit.at);
        let near = |at: LocationId| {
            ctx.geography().convoy_step(UnitKind::Fleet, ctx.province(before), ctx.province(at))
                || ctx.geography().army_step(ctx.province(before), ctx.province(at)).is_some()
        };
        let mut at = ctx.settle(spot, near)?;
        if actor.unit.kind == UnitKind::Army {
            at = ctx.without_coast(at, remarks)?;
        }
        chain.push(at);
    }
    let Some((to, path)) = chain.split_last() else { return Err(crate::diplomacy::orders::incomplete()) };
    if !path.is_empty() {
        return by_path(ctx, actor, *to, path);
    }
    if via && actor.unit.kind == UnitKind::Fleet {
        return Err(path_unit(ctx, actor));
    }
    directly(ctx, actor, *to, via)
}

fn path_unit(ctx: &OrderContext<'_>, actor: Actor) -> Fault {
    let text =
        format!("{} is a fleet: only armies go by convoy. Name one place next to it.", ctx.unit_text(actor.unit));
    Fault::new(Code::PathUnit, text)
}

/// m3 to m9: several places.
fn by_path(ctx: &OrderContext<'_>, actor: Actor, to: LocationId, path: &[LocationId]) -> Result<Order, Fault> {
    let geography = ctx.geography();
    let unit = ctx.unit_text(actor.unit);
    let start = ctx.province(actor.unit.at);
    let end = ctx.province(to);
    let multi = ctx.rules.has(Rule::MultiCoastPortage);
    let portage = ctx.rules.has(Rule::PortageConvoy) || multi;
    let (carrier, passed) = match actor.unit.kind {
        UnitKind::Army => (UnitKind::Fleet, start == end),
        // A fleet carried by armies may end on another coast of its own province.
        UnitKind::Fleet if portage && geography.is_coastal(start) => (UnitKind::Army, to == actor.unit.at),
        UnitKind::Fleet => return Err(path_unit(ctx, actor)),
    };
    if passed && !ctx.rules.has(Rule::ConvoyBack) {
        return Err(back(ctx, actor));
    }
    if !geography.is_coastal(end) {
        let text = format!("A convoy ends on a coast; {} is none.", ctx.name(end));
        return Err(Fault::new(Code::PathCoast, text));
    }
    let mut before = start;
    let mut used = vec![start];
    for at in path {
        let step = ctx.province(*at);
        if used.contains(&step) && !ctx.rules.has(Rule::ConvoyBack) {
            let text = format!("{} stands twice in the path of {unit}.", ctx.name(step));
            return Err(Fault::new(Code::PathRepeat, text));
        }
        used.push(step);
        step_fits(ctx, carrier, before, step)?;
        if multi && actor.unit.kind == UnitKind::Fleet && (start != end || path.len() > 1) {
            let text = "A fleet is carried only to another coast of its own province, by one army next to it.";
            return Err(Fault::new(Code::PathStep, text));
        }
        if !geography.carries(carrier, step) {
            let text = match carrier {
                UnitKind::Fleet => format!("No fleet can convoy in {}: a path leads over seas.", ctx.name(step)),
                UnitKind::Army => format!("No army can carry a fleet through {}.", ctx.name(step)),
            };
            return Err(Fault::new(Code::PathStep, text));
        }
        let there = ctx.board.unit_in(ctx.map, step).is_some_and(|(_, found)| found.kind == carrier);
        if !there && !ctx.fictional() {
            let text = format!("There is no {} in {}.", super::unit_word(carrier), ctx.name(step));
            return Err(Fault::new(Code::PathNofleet, text));
        }
        before = step;
    }
    step_fits(ctx, carrier, before, end)?;
    if actor.unit.kind == UnitKind::Fleet && !ctx.map.may_stand(UnitKind::Fleet, to) {
        let coasts = geography.berths(UnitKind::Fleet, end);
        let text = format!("Name the coast on which {unit} arrives: {}.", ctx.codes(&coasts));
        return Err(Fault::new(Code::MoveUnreachable, text));
    }
    let path = path.iter().map(|at| ctx.province(*at)).collect();
    Ok(Order::Move { to, route: Route::Path(path) })
}

/// m7
fn step_fits(ctx: &OrderContext<'_>, carrier: UnitKind, from: ProvinceId, to: ProvinceId) -> Result<(), Fault> {
    if ctx.geography().convoy_step(carrier, from, to) {
        return Ok(());
    }
    let how = match carrier {
        UnitKind::Fleet => "by sea",
        UnitKind::Army => "by land",
    };
    let text = format!("There is no way {how} from {} to {}.", ctx.name(from), ctx.name(to));
    Err(Fault::new(Code::MoveUnreachable, text))
}

fn back(ctx: &OrderContext<'_>, actor: Actor) -> Fault {
    let unit = ctx.unit_text(actor.unit);
    Fault::new(Code::MoveReturn, format!("{unit} is there already: to stay where it is, it holds ({unit} H)."))
}

/// m4, m10, m11: one place.
fn directly(ctx: &OrderContext<'_>, actor: Actor, to: LocationId, via: bool) -> Result<Order, Fault> {
    let geography = ctx.geography();
    let (from, target) = (ctx.province(actor.unit.at), ctx.province(to));
    if from == target {
        return Err(back(ctx, actor));
    }
    let Actor { unit, owner } = actor;
    let mut to = to;
    if unit.kind == UnitKind::Fleet && ctx.map[to].coast.is_none() && !ctx.map[target].coasts.is_empty() {
        let reached: Vec<LocationId> = geography
            .berths(UnitKind::Fleet, target)
            .into_iter()
            .filter(|berth| geography.reaches(unit, *berth, Some(owner)))
            .collect();
        match reached[..] {
            [only] => to = only,
            [] => {}
            _ => {
                let name = ctx.unit_text(unit);
                let text = format!("{name} can reach more than one coast: write {name} - {}.", join_or(ctx, &reached));
                return Err(Fault::new(Code::MoveUnreachable, text));
            }
        }
    }
    let walks = geography.reaches(unit, to, Some(owner));
    if walks && !via {
        return Ok(Order::Move { to, route: Route::Any });
    }
    if unit.kind == UnitKind::Fleet {
        return Err(unreachable(ctx, actor, to));
    }
    let coasts = geography.is_coastal(from) && geography.is_coastal(target);
    if !coasts {
        if via {
            let inland = if geography.is_coastal(from) { target } else { from };
            let text = format!("A convoy goes from coast to coast; {} is none.", ctx.name(inland));
            return Err(Fault::new(Code::PathCoast, text));
        }
        return Err(unreachable(ctx, actor, to));
    }
    if ctx.old() {
        let name = ctx.unit_text(unit);
        let text = format!(
            "{name} gets there only by convoy, and in this game a convoyed army names its path: {name} - sea - {}.",
            ctx.code(to)
        );
        return Err(Fault::new(Code::PathRequired, text));
    }
    if geography.chain(UnitKind::Fleet).links(from, target, None) {
        let route = if walks { Route::Via } else { Route::Any };
        return Ok(Order::Move { to, route });
    }
    if walks {
        let text =
            format!("No chain of fleets leads from {} to {}: leave VIA out to walk.", ctx.name(from), ctx.name(target));
        return Err(Fault::new(Code::PathNofleet, text));
    }
    Err(unreachable(ctx, actor, to))
}

fn join_or(ctx: &OrderContext<'_>, list: &[LocationId]) -> String {
    list.iter().map(|at| ctx.code(*at)).collect::<Vec<_>>().join(" or ")
}

/// Why a place is out of reach, and what is within.
fn unreachable(ctx: &OrderContext<'_>, actor: Actor, to: LocationId) -> Fault {
    let geography = ctx.geography();
    let unit = actor.unit;
    let target = ctx.province(to);
    let coasts = geography.berths(UnitKind::Fleet, target);
    let why = match (unit.kind, ctx.map[target].terrain) {
        (_, Terrain::Shut) => format!(": {} is closed", ctx.name(target)),
        (UnitKind::Fleet, Terrain::Land) => format!(": {} is inland", ctx.name(target)),
        (UnitKind::Army, Terrain::Water) => format!(": {} is a sea", ctx.name(target)),
        (UnitKind::Army, _) if geography.is_coastal(target) && geography.is_coastal(ctx.province(unit.at)) => {
            ": it is no neighbour, and no chain of fleets leads there".into()
        }
        (UnitKind::Fleet, _)
            if coasts.len() > 1 && coasts.iter().any(|c| geography.reaches(unit, *c, Some(actor.owner))) =>
        {
            let near: Vec<LocationId> =
                coasts.into_iter().filter(|c| geography.reaches(unit, *c, Some(actor.owner))).collect();
            format!(", only to {}", join_or(ctx, &near))
        }
        _ => String::new(),
    };
    let reach = geography.reach(unit, Some(actor.owner));
    let text = format!(
        "{} cannot move to {}{why}. {} at {} can go to {}.",
        ctx.unit_text(unit),
        ctx.code(to),
        capital(a_unit(unit.kind)),
        ctx.code(unit.at),
        ctx.codes(&reach)
    );
    Fault::new(Code::MoveUnreachable, text)
}
