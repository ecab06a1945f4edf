//! Checks c1 to c8 of orders.md 5.

use super::{Actor, capital, league_allows, league_fault};
use crate::diplomacy::map::UnitKind;
use crate::diplomacy::order::Order;
use crate::diplomacy::orders::code::{Code, Fault, Remark};
use crate::diplomacy::orders::phrase::Item;
use crate::diplomacy::orders::{OrderContext, a_unit};
use crate::diplomacy::rules::Rule;

pub(super) fn check(
    ctx: &OrderContext<'_>,
    actor: Actor,
    rest: &[Item],
    remarks: &mut Vec<Remark>,
) -> Result<Order, Fault> {
    let geography = ctx.geography();
    let unit = ctx.unit_text(actor.unit);
    let cargo_kind = match actor.unit.kind {
        UnitKind::Fleet => UnitKind::Army,
        UnitKind::Army => UnitKind::Fleet,
    };
    let (kind, rest) = match rest {
        [Item::Type(kind), rest @ ..] => (*kind, rest),
        // A type left out: an army if a fleet convoys.
        rest => (cargo_kind, rest),
    };
    let example = || {
        let text = format!("Name the army and where it goes: {unit} C A LON - BEL.");
        Fault::new(Code::ConvoyBad, text)
    };
    // c1
    let [Item::Place(spot), rest @ ..] = rest else { return Err(example()) };
    let exists = |province| ctx.board.unit_in(ctx.map, province).is_some_and(|(_, found)| found.kind == kind);
    let at = ctx.settle(spot, |at| exists(ctx.province(at)))?;
    let at = if kind == UnitKind::Army { ctx.without_coast(at, remarks)? } else { at };
    let from = ctx.province(at);
    // c2
    if !ctx.may_be(kind, at) {
        let text = format!("{} cannot stand in {}.", capital(a_unit(kind)), ctx.name(from));
        return Err(Fault::new(Code::InvalidUnit, text));
    }
    // c3
    let portage = ctx.rules.has(Rule::PortageConvoy) || ctx.rules.has(Rule::MultiCoastPortage);
    let able = match actor.unit.kind {
        UnitKind::Fleet => geography.carries(UnitKind::Fleet, ctx.province(actor.unit.at)),
        UnitKind::Army => portage,
    };
    if !able {
        let text = match actor.unit.kind {
            UnitKind::Army => "Only fleets convoy.".to_string(),
            UnitKind::Fleet => format!("{unit} is on a coast: only fleets at sea convoy."),
        };
        return Err(Fault::new(Code::ConvoyUnit, text));
    }
    // c4
    if !ctx.fictional() && !exists(from) {
        let text = match ctx.board.unit_in(ctx.map, from) {
            Some((_, found)) => format!("The unit in {} is {}.", ctx.name(from), ctx.unit_text(found)),
            None => format!("There is no unit in {} to convoy.", ctx.name(from)),
        };
        return Err(Fault::new(Code::Recipient, text));
    }
    // c5
    if kind != cargo_kind || !geography.is_coastal(from) {
        let text = match kind == cargo_kind {
            true => format!("{} has no coast: no convoy can start there.", ctx.name(from)),
            false => format!("{unit} convoys {} only.", if cargo_kind == UnitKind::Army { "armies" } else { "fleets" }),
        };
        return Err(Fault::new(Code::ConvoyCargo, text));
    }
    // c6
    let [Item::Place(target)] = rest else { return Err(example()) };
    let to = ctx.settle(target, |to| geography.is_coastal(ctx.province(to)))?;
    let to = if kind == UnitKind::Army { ctx.without_coast(to, remarks)? } else { to };
    let to = ctx.province(to);
    // c7
    let back = ctx.rules.has(Rule::ConvoyBack) || (kind == UnitKind::Fleet && ctx.map[to].coasts.len() > 1);
    if !geography.is_coastal(to) || (to == from && !back) {
        let text = match to == from {
            true => format!("The army is in {} already.", ctx.name(to)),
            false => format!("A convoy cannot end in {}: it is no coast.", ctx.name(to)),
        };
        return Err(Fault::new(Code::ConvoyDest, text));
    }
    // c8
    let by = ctx.province(actor.unit.at);
    if !geography.chain(actor.unit.kind).links_through(from, to, by) {
        let text = format!(
            "No chain of {} with {unit} leads from {} to {}.",
            if actor.unit.kind == UnitKind::Fleet { "fleets" } else { "armies" },
            ctx.name(from),
            ctx.name(to)
        );
        return Err(Fault::new(Code::ConvoyImpossible, text));
    }
    let owner = ctx.board.unit_in(ctx.map, from).map(|(owner, _)| owner);
    if !league_allows(ctx, actor.owner, owner, Some(to)) {
        return Err(league_fault(ctx, actor.owner, owner));
    }
    Ok(Order::Convoy { army: from, to })
}
