//! Builds, removals and waives (orders.md 7): what is due, where one may build, and the checks of a line and of a set.

use super::code::{Code, Fault, Remark, Warning};
use super::entry::{Entry, Parsed};
use super::phrase::{Item, Phrase, Spot};
use super::words::Verb;
use super::{Board, OrderContext, a_unit};
use crate::diplomacy::adjudicate::{Due, Estates, Holdings, due_on};
use crate::diplomacy::map::{Map, PowerId, ProvinceId, Terrain, UnitKind};
use crate::diplomacy::position::Unit;
use crate::diplomacy::rules::Rule;

/// A board of order entry, on its map, as builds are counted on it.
struct Entered<'a> {
    map: &'a Map,
    board: &'a Board,
}

impl Holdings for Entered<'_> {
    fn owned(&self, power: PowerId) -> Vec<ProvinceId> {
        self.board.centers_of(power).to_vec()
    }
    fn manned(&self, power: PowerId) -> Vec<ProvinceId> {
        self.board.units_of(power).iter().map(|unit| self.map.province_of(unit.at)).collect()
    }
    fn is_vacant(&self, at: ProvinceId) -> bool {
        self.board.unit_in(self.map, at).is_none()
    }
}

/// What is due to the context's power (adjudication.md 8).
fn entitlement(ctx: &OrderContext<'_>) -> Due {
    let mut estates = Estates::of(ctx.map);
    for (power, estate) in ctx.map.power_ids().zip(&mut estates.0) {
        let tokens = ctx.board.tokens.get(&power).copied().unwrap_or_default();
        estate.homes = ctx.board.homes_of(power).to_vec();
        estate.undetermined = tokens.undetermined;
        estate.garrison = tokens.garrison;
        estate.raised = tokens.partisan;
        estate.claims = tokens.claims;
    }
    due_on(ctx.rules, &Entered { map: ctx.map, board: ctx.board }, &estates, ctx.power)
}

/// Checks one order of an adjustment phase by itself.
pub fn check(ctx: &OrderContext<'_>, phrase: Phrase) -> Result<Parsed, Fault> {
    check_after(ctx, phrase, &[])
}

/// Checks one order after builds in those provinces.
pub fn check_after(ctx: &OrderContext<'_>, phrase: Phrase, built: &[ProvinceId]) -> Result<Parsed, Fault> {
    let right = entitlement(ctx);
    let mut verbs = Vec::new();
    let mut number = None;
    for item in &phrase.rest {
        match item {
            Item::Verb(verb) => verbs.push(*verb),
            Item::Number(n) if number.is_none() && phrase.unit.is_none() => number = Some(*n),
            _ => return Err(bad(&right)),
        }
    }
    let Some((kind, spot)) = &phrase.unit else {
        return match verbs[..] {
            [Verb::Waive] | [Verb::Build, Verb::Waive] | [Verb::Waive, Verb::Build] => waive(ctx, &right, number),
            _ => Err(bad(&right)),
        };
    };
    if phrase.via {
        return Err(bad(&right));
    }
    match verbs[..] {
        [] if right.count < 0 => remove(ctx, &right, *kind, spot),
        [] | [Verb::Build] => build(ctx, &right, *kind, spot, built),
        [Verb::Disband | Verb::Retreat] => remove(ctx, &right, *kind, spot),
        [Verb::Keep | Verb::Hold] => {
            let (unit, remarks) = own_unit(ctx, *kind, spot)?;
            Ok(Parsed::new(ctx.map, Entry::Keep { unit }, remarks))
        }
        _ => Err(bad(&right)),
    }
}

fn waive(ctx: &OrderContext<'_>, right: &Due, number: Option<u32>) -> Result<Parsed, Fault> {
    if right.count < 0 {
        let text = format!("Nothing can be waived: {} must be removed.", units(-right.count));
        return Err(Fault::new(Code::AdjBad, text));
    }
    if number == Some(0) {
        return Err(bad(right));
    }
    let remarks = match right.count {
        0 => vec![Remark::new(Warning::NothingDue, "Nothing is due, so there is nothing to waive.")],
        _ => Vec::new(),
    };
    let number = number.map(|n| n.min(right.count.unsigned_abs()));
    Ok(Parsed::new(ctx.map, Entry::Waive(number), remarks))
}

fn build(
    ctx: &OrderContext<'_>,
    right: &Due,
    kind: Option<UnitKind>,
    spot: &Spot,
    built: &[ProvinceId],
) -> Result<Parsed, Fault> {
    let at = ctx.settle(spot, |at| right.sites.contains(&ctx.province(at)))?;
    let mut remarks = Vec::new();
    let at = if kind == Some(UnitKind::Army) { ctx.without_coast(at, &mut remarks)? } else { at };
    let province = ctx.province(at);
    if right.count <= 0 {
        let text = match right.count {
            0 => "No build is due to you.".to_string(),
            n => format!("No build is due to you: {} must be removed.", units(-n)),
        };
        return Err(Fault::new(Code::AdjType, text));
    }
    if !right.sites.contains(&province) {
        let list: Vec<&str> = right.sites.iter().map(|site| ctx.map[*site].code.as_str()).collect();
        let text = format!("You cannot build in {}. Open to you: {}.", ctx.name(province), list.join(", "));
        return Err(Fault::new(Code::BuildSite, text));
    }
    let kind = match kind {
        Some(kind) => kind,
        None if ctx.map[at].coast.is_some() => UnitKind::Fleet,
        None if ctx.map[province].terrain == Terrain::Land => UnitKind::Army,
        None => {
            let text = format!("Army or fleet in {0}? Write BUILD A {0} or BUILD F {0}.", ctx.code(at));
            return Err(Fault::new(Code::AdjBad, text));
        }
    };
    if built.contains(&province) {
        let text = format!("Two builds in {}: only one unit can be built in a place.", ctx.name(province));
        return Err(Fault::new(Code::BuildTwice, text));
    }
    if !ctx.map.may_stand(kind, at) {
        let coasts = ctx.geography().berths(kind, province);
        let text = match coasts.as_slice() {
            [] => format!("{} is no place for {}.", ctx.name(province), a_unit(kind)),
            list => {
                let list: Vec<String> = list.iter().map(|at| format!("BUILD F {}", ctx.code(*at))).collect();
                format!("Name the coast: {}.", list.join(" or "))
            }
        };
        return Err(Fault::new(Code::BuildUnit, text));
    }
    alternatives(ctx, right, province, built)?;
    claims(ctx, province, built)?;
    let hidden = ctx.rules.has(Rule::HideBuilds) || ctx.map[ctx.power].hidden.contains(&province);
    Ok(Parsed::new(ctx.map, Entry::Build { unit: Unit { kind, at }, hidden }, remarks))
}

/// Builds may not use an alternative site and everything it stands in for.
fn alternatives(ctx: &OrderContext<'_>, right: &Due, province: ProvinceId, built: &[ProvinceId]) -> Result<(), Fault> {
    for (site, limits) in &ctx.map[ctx.power].alternatives {
        let limits = if limits.is_empty() { ctx.board.homes_of(ctx.power) } else { limits.as_slice() };
        let open = limits.iter().copied().filter(|limit| right.sites.contains(limit) && limit != site);
        let group: Vec<ProvinceId> = std::iter::once(*site).chain(open).collect();
        let used = |at: &ProvinceId| *at == province || built.contains(at);
        if group.len() > 1 && group.contains(&province) && group.iter().all(used) {
            let names: Vec<&str> = group.iter().map(|at| ctx.map[*at].code.as_str()).collect();
            let text = format!("Builds in all of {}: one of these must stay free.", names.join(", "));
            return Err(Fault::new(Code::BuildAlternative, text));
        }
    }
    Ok(())
}

/// Maps with `&SC`: a build in an owned centre that is no home claims it, so many times.
fn claims(ctx: &OrderContext<'_>, province: ProvinceId, built: &[ProvinceId]) -> Result<(), Fault> {
    let Some(claims) = ctx.board.tokens.get(&ctx.power).map(|tokens| usize::from(tokens.claims)).filter(|n| *n > 0)
    else {
        return Ok(());
    };
    if ctx.rules.has(Rule::BuildAny) {
        return Ok(());
    }
    let facts = &ctx.map[ctx.power];
    let claim = |at: &ProvinceId| {
        !ctx.board.homes_of(ctx.power).contains(at) && !facts.factories.contains(at) && !facts.partisans.contains(at)
    };
    let count = built.iter().chain(std::iter::once(&province)).filter(|at| claim(at)).count();
    if count > claims {
        let text = format!("Only {claims} more of your centres may become a home by a build.");
        return Err(Fault::new(Code::HomeClaim, text));
    }
    Ok(())
}

fn remove(ctx: &OrderContext<'_>, right: &Due, kind: Option<UnitKind>, spot: &Spot) -> Result<Parsed, Fault> {
    if right.count >= 0 {
        let text = match right.count {
            0 => "No removal is due from you.".to_string(),
            n => format!("No removal is due from you: you may build {}.", units(n)),
        };
        return Err(Fault::new(Code::AdjType, text));
    }
    let (unit, remarks) = own_unit(ctx, kind, spot)?;
    Ok(Parsed::new(ctx.map, Entry::Remove { unit }, remarks))
}

fn own_unit(ctx: &OrderContext<'_>, kind: Option<UnitKind>, spot: &Spot) -> Result<(Unit, Vec<Remark>), Fault> {
    let own = ctx.board.units_of(ctx.power);
    let mut remarks = Vec::new();
    let there = |at| own.iter().find(|u| ctx.province(u.at) == ctx.province(at) && kind.is_none_or(|k| k == u.kind));
    let at = ctx.settle(spot, |at| there(at).is_some())?;
    let missing = || {
        let list: Vec<String> = own.iter().map(|unit| ctx.unit_text(*unit)).collect();
        let text = format!("You have no such unit in {}. Your units: {}.", ctx.code(at), list.join(", "));
        Fault::new(Code::Unorderable, text)
    };
    let unit = *there(at).ok_or_else(missing)?;
    match unit.kind {
        UnitKind::Army => {
            ctx.without_coast(at, &mut remarks)?;
        }
        UnitKind::Fleet => ctx.real_coast(at, unit, &mut remarks).ok_or_else(missing)?,
    }
    Ok((unit, remarks))
}

fn units(n: i32) -> String {
    if n == 1 { "1 unit".into() } else { format!("{n} units") }
}

fn bad(right: &Due) -> Fault {
    let text = match right.count {
        0 => "Nothing is due from you in this phase.".to_string(),
        n if n > 0 => format!("{} may be built: BUILD A place, BUILD F place, or WAIVE.", units(n)),
        n => format!("{} must be removed: REMOVE A place or REMOVE F place.", units(-n)),
    };
    Fault::new(Code::AdjBad, text)
}

/// Checks a line against the lines before it: the same unit twice.
pub fn clash(ctx: &OrderContext<'_>, before: &[Entry], entry: &Entry) -> Result<(), Fault> {
    let (Entry::Remove { unit } | Entry::Keep { unit }) = entry else { return Ok(()) };
    let same = before.iter().any(|earlier| match earlier {
        Entry::Remove { unit: other } | Entry::Keep { unit: other } => {
            // The same KEEP twice says nothing new.
            other == unit && !(matches!(earlier, Entry::Keep { .. }) && matches!(entry, Entry::Keep { .. }))
        }
        _ => false,
    });
    if same {
        let text = format!("{} stands in two lines.", ctx.unit_text(*unit));
        return Err(Fault::new(Code::Reordered, text));
    }
    Ok(())
}

/// The lines to store for a whole set, waives filled in, or why the number is wrong.
pub fn settle_set(ctx: &OrderContext<'_>, entries: &[Entry]) -> Result<Vec<String>, Fault> {
    let right = entitlement(ctx);
    let mut lines: Vec<String> = entries
        .iter()
        .filter(|entry| matches!(entry, Entry::Build { .. } | Entry::Remove { .. }))
        .map(|entry| entry.canonical(ctx.map))
        .collect();
    let waived = entries.iter().any(|entry| matches!(entry, Entry::Waive(_)));
    let unattended = ctx.dummies.contains(&ctx.power) || ctx.rules.has(Rule::Solitaire);
    let due = right.count.unsigned_abs() as usize;
    if right.count > 0 && (waived || unattended) && lines.len() < due {
        lines.resize(due, Entry::Waive(None).canonical(ctx.map));
    }
    if lines.len() == due {
        return Ok(lines);
    }
    let given = lines.len() as i32;
    let text = match right.count {
        n if n > 0 && given < n => {
            format!("{} may be built, {given} ordered: build more, or WAIVE the rest.", units(n))
        }
        n if n > 0 => format!("Only {} may be built, {given} ordered.", units(n)),
        n => format!("{} must be removed, {given} ordered.", units(-n)),
    };
    Err(Fault::new(Code::AdjCount, text))
}
