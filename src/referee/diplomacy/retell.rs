//! A phase that was played elsewhere, told again: the record and the report that it would have here, from the orders and
//! results that were filed with it (saved-game-json.md 5). Nothing is decided anew.

use super::bulletin::{Bulletin, View};
use super::{Diplomacy, record, report, tell};
use crate::diplomacy::adjudicate::{Piece, Position, RetreatFate, due};
use crate::diplomacy::map::PowerId;
use crate::diplomacy::notation::{self, AdjustOrder, RetreatOrder};
use crate::diplomacy::order::Order;
use crate::diplomacy::phase::{Flow, Phase};
use crate::diplomacy::position::Unit;
use crate::diplomacy::saved_game::SavedPhase;
use crate::status::{Game, Participant};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What is known of a phase that was played elsewhere.
pub struct Told<'a> {
    /// The game at its start, with the canonical orders.
    pub before: &'a Game,
    /// Orders and results as they were filed.
    pub filed: &'a SavedPhase,
    /// The game at the start of the next phase.
    pub after: &'a Game,
    /// That phase, unless the game was over.
    pub leads_to: Option<&'a str>,
    /// Winners, if this phase brought the victory.
    pub victors: &'a [String],
}

/// The same phase as it would be filed here.
pub struct Retold {
    /// For `results.jsonl`.
    pub record: Value,
    /// Report from its title line to the last line about the position.
    pub report: String,
}

impl Diplomacy {
    /// Tells a phase again. Errors: why the position or the phase cannot be.
    pub fn retell(&self, told: &Told) -> Result<Retold, String> {
        let phase = self.phase(told.before).ok_or("the phase is not one of the map's")?;
        let position = self.position(told.before)?;
        let mut text = tell::title(&told.before.name, &phase);
        match phase.letter() {
            'M' => self.retell_movement(&mut text, told, &position),
            'R' => self.retell_retreats(&mut text, told, &position),
            'A' => self.retell_adjustments(&mut text, told, &position),
            _ => text.all(format!("{} has been completed.\n\n", report::phase_title(&phase))),
        }
        let next = told.leads_to.and_then(|name| self.map().flow.parse_short(name));
        if counts_centers(&self.map().flow, &phase, next.as_ref()) {
            let victors: Vec<PowerId> = told.victors.iter().filter_map(|key| self.map().power(key)).collect();
            let (after, estates) = (self.position(told.after)?, self.estates(told.after));
            let table = report::supply_table(self, &after, &self.profile(told.after), &estates, &victors);
            tell::count(&mut text, self, told.after, table);
        }
        let report = text.finish(self, View::around(self, told.before, told.after).as_ref());
        Ok(Retold { record: self.rerecord(told), report })
    }

    fn retell_movement(&self, text: &mut Bulletin, told: &Told, position: &Position) {
        let map = self.map();
        let board = position.board();
        let mut deeds = BTreeMap::new();
        let mut dislodged = Vec::new();
        for (power, p) in self.powers(told.before) {
            let ordered: Vec<_> =
                p.orders.iter().flatten().filter_map(|text| notation::read_movement(board, text)).collect();
            let later = self.block(told.after, &p.name);
            for (text, unit) in p.units.iter().filter_map(|text| Some((text, map.named_unit(text)?))) {
                let Some(index) = position.at(map.province_of(unit.at)) else { continue };
                let order = ordered.iter().find(|w| map.province_of(w.unit.at) == map.province_of(unit.at));
                let order = order.map_or(Order::Hold, |w| w.order.clone());
                let codes = told.codes(text).to_vec();
                let open = later.and_then(|p| p.retreats.iter().find(|(unit, _)| unit == text));
                if open.is_some() || codes.iter().any(|code| code == "dislodged") {
                    let places = open.into_iter().flat_map(|(_, places)| places).filter_map(|at| map.location(at));
                    dislodged.push((Piece { power, unit }, places.collect()));
                }
                let now = match &order {
                    // A move that came to nothing has a code that says why.
                    Order::Move { to, .. } if codes.is_empty() => Unit { kind: unit.kind, at: *to },
                    _ => unit,
                };
                deeds.insert(index, tell::Deed { order, codes, now });
            }
        }
        tell::movement(text, self, told.before, position, &deeds, dislodged);
    }

    fn retell_retreats(&self, text: &mut Bulletin, told: &Told, position: &Position) {
        let (map, board) = (self.map(), position.board());
        for piece in position.dislodged().iter().map(|d| d.piece) {
            let unit = notation::unit(board, piece.unit);
            let lines = self.block(told.before, &map[piece.power].key).into_iter().flat_map(|p| &p.adjust);
            let mut orders = lines.filter_map(|line| notation::read_retreat(board, line));
            let to = orders.find(|w| w.unit == piece.unit).and_then(|w| match w.order {
                RetreatOrder::To(to) => Some(to),
                RetreatOrder::Disband => None,
            });
            let codes = told.codes(&unit);
            let fate = match to {
                Some(to) if codes.iter().any(|code| code == "bounce") => RetreatFate::Bounces(to),
                Some(to) if !codes.iter().any(|code| code == "disband") => RetreatFate::Retreats(to),
                _ => RetreatFate::Disbands,
            };
            tell::retreat(text, map, piece, fate);
        }
        tell::standing(text, self, told.before);
        text.gap();
    }

    fn retell_adjustments(&self, text: &mut Bulletin, told: &Told, position: &Position) {
        let map = self.map();
        let board = position.board();
        for power in map.power_ids() {
            let Some(p) = self.block(told.before, &map[power].key) else { continue };
            let standing = |unit: &String| self.block(told.after, &p.name).is_some_and(|p| p.units.contains(unit));
            let took_place = |order: &AdjustOrder| match order {
                AdjustOrder::Build(unit) => standing(&notation::unit(board, *unit)),
                AdjustOrder::Remove(unit) => !standing(&notation::unit(board, *unit)),
                AdjustOrder::Waive => true,
            };
            let ordered = p.adjust.iter().filter_map(|line| notation::read_adjustment(board, line));
            let mut done: Vec<AdjustOrder> = ordered.filter(took_place).collect();
            let built = done.iter().filter(|o| !matches!(o, AdjustOrder::Remove(_))).count();
            // What nobody ordered was removed by the rules; the results tell in which order.
            let gone = told.filed.results.0.iter().map(|(unit, _)| unit).chain(&p.units);
            for unit in gone.filter(|unit| p.units.contains(unit) && !standing(unit)) {
                let removal = notation::read_unit(board, unit).map(AdjustOrder::Remove);
                done.extend(removal.filter(|removal| !done.contains(removal)));
            }
            let due = due(&self.profile(told.before), position, &self.estates(told.before), power).count.max(0);
            let pending = u16::try_from(due).unwrap_or(0).saturating_sub(u16::try_from(built).unwrap_or(u16::MAX));
            tell::adjustment(text, map, power, &done, &[], pending);
        }
        text.gap();
    }

    /// The record: position, canonical orders and results, with the orders as they were filed.
    fn rerecord(&self, told: &Told) -> Value {
        let mut record = record::position(self, told.before);
        let mut sent = record::Orders::default();
        for (_, p) in self.powers(told.before) {
            let filed = told.filed.orders.get(&p.name).and_then(Option::as_ref);
            sent.given(&p.name, filed.is_some());
            on_file(p).for_each(|text| sent.push(&p.name, text));
        }
        for (unit, codes) in &told.filed.results.0 {
            sent.result(unit, &codes.iter().map(String::as_str).collect::<Vec<_>>());
        }
        sent.write(&mut record);
        for (power, lines) in record["orders"].as_object_mut().into_iter().flatten() {
            *lines = json!(told.filed.orders.get(power).and_then(Option::as_ref));
        }
        record::afterwards(self, &mut record, told.after);
        record
    }

    /// What each power may build or has to remove, with the sites, in map order.
    pub fn dues(&self, game: &Game) -> Vec<(String, i32, Vec<String>)> {
        let Ok(position) = self.position(game) else { return Vec::new() };
        let (profile, estates) = (self.profile(game), self.estates(game));
        let of = |power: PowerId| {
            let due = due(&profile, &position, &estates, power);
            let sites = if due.count > 0 { due.sites } else { Vec::new() };
            (self.map()[power].key.clone(), due.count, sites.iter().map(|s| self.map()[*s].code.clone()).collect())
        };
        self.map().power_ids().map(of).collect()
    }
}

impl Told<'_> {
    fn codes(&self, unit: &str) -> &[String] {
        self.filed.results.get(unit).map_or(&[], Vec::as_slice)
    }
}

fn on_file(p: &Participant) -> impl Iterator<Item = &String> {
    p.orders.iter().flatten().chain(&p.adjust)
}

/// Whether centres are counted between a phase and the one that followed (`None`: the game was won).
fn counts_centers(flow: &Flow, phase: &Phase, next: Option<&Phase>) -> bool {
    let mut at = phase.clone();
    for _ in 0..=flow.steps.len() {
        let Some(step) = flow.next(&at) else { return false };
        if step.kind == "ADJUSTMENTS" {
            return true;
        }
        if Some(&step) == next || (next.is_none() && step.letter() == 'M') {
            return false;
        }
        at = step;
    }
    false
}
