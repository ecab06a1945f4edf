//! A phase is played: the orders on file go to the adjudicator, its answer becomes the next game and the report.

use super::bulletin::{self, Bulletin, View};
use super::{Diplomacy, Resolution, record, report, tell};
use crate::diplomacy::adjudicate::{
    Adjustment, Estates, Position, Profile, RetreatFate, Retreats, Season, Workspace, advance, goal, scores,
};
use crate::diplomacy::map::{PowerId, ProvinceId};
use crate::diplomacy::notation::{self, AdjustOrder, RetreatOrder};
use crate::diplomacy::order::Order;
use crate::diplomacy::orders;
use crate::diplomacy::phase::Phase;
use crate::diplomacy::position::Unit;
use crate::diplomacy::rules::Rule;
use crate::status::{Game, ParticipantKind, PhaseState};
use std::collections::BTreeMap;

/// Resolves the current phase. The seed is for what stays random (CD_BUILDS, CD_RETREATS, CD_SUPPORTS).
pub fn resolve(referee: &Diplomacy, game: &Game, _seed: u64) -> Result<Resolution, String> {
    let phase = referee.phase(game).ok_or("the phase is not one of the map's")?;
    let position = referee.position(game)?;
    let mut play = Play {
        referee,
        game,
        phase: phase.clone(),
        profile: referee.profile(game),
        estates: referee.estates(game),
        next: game.clone(),
        text: tell::title(&game.name, &phase),
        record: record::position(referee, game),
    };
    for p in &mut play.next.participants {
        p.orders = None;
        p.adjust.clear();
    }
    let after = match phase.letter() {
        'M' => play.movement(&position),
        'R' => play.retreats(&position),
        'A' => play.adjustments(&position),
        _ => {
            play.text.all(format!("{} has been completed.\n\n", report::phase_title(&phase)));
            position.clone()
        }
    };
    play.finish(&position, after)
}

struct Play<'a> {
    referee: &'a Diplomacy,
    game: &'a Game,
    phase: Phase,
    profile: Profile,
    estates: Estates,
    next: Game,
    text: Bulletin,
    record: serde_json::Value,
}

impl Play<'_> {
    fn set_units(&mut self, power: PowerId, units: Vec<String>, retreats: Vec<(String, Vec<String>)>) {
        let key = &self.referee.map()[power].key;
        if let Some(p) = self.next.participants.iter_mut().find(|p| p.kind == ParticipantKind::Power && p.name == *key)
        {
            p.units = units;
            p.retreats = retreats;
        }
    }

    /// Movement: orders, verdicts, dislodgements.
    fn movement(&mut self, position: &Position) -> Position {
        let map = self.referee.map();
        let board = position.board().clone();
        let mut workspace = Workspace::new();
        let mut orders_given: BTreeMap<usize, Order> = BTreeMap::new();
        let mut sent = record::Orders::default();
        let resolution = {
            let mut movement = workspace.movement(&self.profile, position);
            for (power, p) in self.referee.powers(self.game) {
                sent.given(&p.name, p.orders.is_some());
                for text in p.orders.iter().flatten() {
                    // Stored orders are canonical; NO_CHECK games keep what was typed, which may be no order at all.
                    let Some(written) = notation::read_movement(&board, text.trim_end_matches(" ?")) else { continue };
                    if let Ok(index) = movement.written(power, &written) {
                        orders_given.insert(index, written.order.clone());
                        sent.push(&p.name, text);
                    }
                }
            }
            movement.resolve()
        };
        let (next, destroyed) = resolution.outcome();
        let mut deeds: BTreeMap<usize, tell::Deed> = BTreeMap::new();
        for (power, p) in self.referee.powers(self.game) {
            if p.units.is_empty() {
                continue;
            }
            let mut units = Vec::new();
            for text in &p.units {
                let Some(unit) = map.named_unit(text) else { continue };
                let Some(index) = position.at(map.province_of(unit.at)) else { continue };
                let verdict = resolution.verdict(index);
                let codes: Vec<&str> = verdict.codes().collect();
                sent.result(text, &codes);
                let order = orders_given.get(&index).cloned().unwrap_or(Order::Hold);
                let at = if verdict.dislodged { unit.at } else { resolution.place(index) };
                let now = Unit { kind: unit.kind, at };
                deeds.insert(index, tell::Deed { order, codes: codes.iter().map(ToString::to_string).collect(), now });
                if !verdict.dislodged {
                    units.push(orders::entry::unit_text(map, now));
                }
            }
            let retreats = next
                .dislodged()
                .iter()
                .filter(|d| d.piece.power == power)
                .map(|d| {
                    let places = next.retreats(d).iter().map(|l| map[*l].code.clone()).collect();
                    (orders::entry::unit_text(map, d.piece.unit), places)
                })
                .collect();
            let key = &map[power].key;
            if let Some(p) =
                self.next.participants.iter_mut().find(|p| p.kind == ParticipantKind::Power && p.name == *key)
            {
                p.units = units;
                p.retreats = retreats;
                p.hides.clear();
            }
        }
        let open = next.dislodged().iter().map(|d| (d.piece, next.retreats(d).to_vec()));
        let dislodged = open.chain(destroyed.iter().map(|d| (d.piece, Vec::new()))).collect();
        tell::movement(&mut self.text, self.referee, self.game, position, &deeds, dislodged);
        sent.write(&mut self.record);
        next
    }

    /// Retreats: each dislodged unit goes, or is lost.
    fn retreats(&mut self, position: &Position) -> Position {
        let map = self.referee.map();
        let board = position.board().clone();
        let mut sent = record::Orders::default();
        let mut phase = Retreats::new(&self.profile, position);
        for (power, p) in self.referee.powers(self.game) {
            sent.given(&p.name, !p.adjust.is_empty());
            for text in &p.adjust {
                if let Some(written) = notation::read_retreat(&board, text)
                    && phase.order(power, written.unit, written.order).is_ok()
                {
                    sent.push(&p.name, text);
                }
            }
        }
        let (fates, next) = phase.resolve();
        for (index, d) in position.dislodged().iter().enumerate() {
            let fate = fates[index];
            sent.result(&orders::entry::unit_text(map, d.piece.unit), fate.codes());
            tell::retreat(&mut self.text, map, d.piece, fate);
        }
        tell::standing(&mut self.text, self.referee, self.game);
        self.text.gap();
        for (power, p) in self.referee.powers(self.game) {
            let mut units = p.units.clone();
            for (index, d) in position.dislodged().iter().enumerate() {
                if d.piece.power == power
                    && let RetreatFate::Retreats(to) = fates[index]
                {
                    units.push(orders::entry::unit_text(map, Unit { kind: d.piece.unit.kind, at: to }));
                }
            }
            self.set_units(power, units, Vec::new());
        }
        sent.write(&mut self.record);
        let _ = RetreatOrder::Disband;
        next
    }

    /// Adjustments: builds and removals, then what is left over.
    fn adjustments(&mut self, position: &Position) -> Position {
        let map = self.referee.map();
        let board = position.board().clone();
        let mut sent = record::Orders::default();
        let mut phase = Adjustment::new(&self.profile, position, &self.estates);
        let mut hidden: Vec<Unit> = Vec::new();
        for (power, p) in self.referee.powers(self.game) {
            sent.given(&p.name, !p.adjust.is_empty());
            for text in &p.adjust {
                let plain = text.trim_end_matches(" HIDDEN");
                let Some(order) = notation::read_adjustment(&board, plain) else { continue };
                if phase.order(power, order).is_ok() {
                    if let (AdjustOrder::Build(unit), true) = (order, plain != text) {
                        hidden.push(unit);
                    }
                    sent.push(&p.name, text);
                }
            }
        }
        let adjusted = phase.resolve();
        let mut unused = adjusted.unused.clone();
        for power in map.power_ids() {
            let ordered = adjusted.ordered.iter().filter(|(p, _)| *p == power).map(|(_, order)| *order);
            let automatic = adjusted.automatic.iter().filter(|p| p.power == power);
            let done: Vec<AdjustOrder> = ordered.chain(automatic.map(|p| AdjustOrder::Remove(p.unit))).collect();
            let only = |wanted: fn(&AdjustOrder) -> Option<Unit>| done.iter().filter_map(wanted).collect();
            let built: Vec<Unit> = only(|o| if let AdjustOrder::Build(unit) = o { Some(*unit) } else { None });
            let removed: Vec<Unit> = only(|o| if let AdjustOrder::Remove(unit) = o { Some(*unit) } else { None });
            let mut pending = 0;
            for unit in built.iter().chain(&removed) {
                sent.result(&orders::entry::unit_text(map, *unit), &[]);
            }
            if let Some(at) = unused.iter().position(|(p, _)| *p == power) {
                let (_, count) = unused.remove(at);
                let waived =
                    adjusted.ordered.iter().filter(|(p, o)| *p == power && *o == AdjustOrder::Waive).count() as u16;
                pending = count.saturating_sub(waived);
            }
            tell::adjustment(&mut self.text, map, power, &done, &hidden, pending);
            if let Some(p) = self.referee.block(self.game, &map[power].key) {
                let staying = p.units.iter().filter_map(|text| map.named_unit(text));
                self.text.standing(power, staying.filter(|unit| !removed.contains(unit)));
            }
            let key = &map[power].key;
            if let Some(p) =
                self.next.participants.iter_mut().find(|p| p.kind == ParticipantKind::Power && p.name == *key)
            {
                let gone: Vec<String> = removed.iter().map(|u| orders::entry::unit_text(map, *u)).collect();
                p.units.retain(|u| !gone.contains(u));
                p.units.extend(built.iter().map(|u| orders::entry::unit_text(map, *u)));
                p.hides.extend(built.iter().filter(|u| hidden.contains(u)).map(|u| orders::entry::unit_text(map, *u)));
                // SC! is consumed by a build, which makes the site an owned centre; SC? and SC* end with the phase.
                for unit in &built {
                    if let Some(token) = p.owns.iter().position(|c| c == "SC!") {
                        p.owns.remove(token);
                        let code = map[map.province_of(unit.at)].code.clone();
                        if !p.owns.contains(&code) {
                            p.owns.push(code);
                        }
                    }
                }
                p.owns.retain(|c| c != "SC?" && c != "SC*");
            }
        }
        self.text.gap();
        sent.write(&mut self.record);
        let mut next = adjusted.position;
        for (power, p) in self.referee.powers(&self.next) {
            for center in p.owns.iter().filter_map(|c| map.province(c)) {
                next.set_owner(center, Some(power));
            }
        }
        next
    }

    /// What comes next: centres counted, victory, the next phase that has to be played.
    fn finish(mut self, before: &Position, mut after: Position) -> Result<Resolution, String> {
        let map = self.referee.map();
        let last = scores(&self.profile, before, &self.estates);
        let season = Season {
            profile: &self.profile,
            flow: &map.flow,
            estates: &self.estates,
            last: &last,
            goal: goal(map, &self.profile, rounds_played(map, &self.phase)),
        };
        let advance = advance(&season, &mut after, &self.phase);
        let table = advance.counted.then(|| {
            self.write_owners(&after);
            self.new_homes(&advance);
            let marked = self.winning_side(&advance.victors);
            report::supply_table(self.referee, &after, &self.profile, &self.estates, &marked)
        });
        if advance.phase.as_ref().is_none_or(|p| p.letter() != 'R') {
            for p in &mut self.next.participants {
                p.retreats.clear();
            }
        }
        record::afterwards(self.referee, &mut self.record, &self.next);
        let text = self.report(table);
        if !advance.victors.is_empty() {
            let victors: Vec<String> = advance.victors.iter().map(|v| map[*v].key.clone()).collect();
            self.next.phase = PhaseState::Completed;
            return Ok(Resolution { game: self.next, report: text, victors: Some(victors), record: self.record });
        }
        let Some(next) = advance.phase else { return Err("the flow of the map leads nowhere".into()) };
        self.next.phase = PhaseState::Running(next.to_string());
        Ok(Resolution { game: self.next, report: text, victors: None, record: self.record })
    }

    /// The text, with the count if there was one. In a blind game what has been seen is written down.
    fn report(&mut self, table: Option<Vec<report::Count>>) -> String {
        let views = View::around(self.referee, self.game, &self.next);
        let mut text = std::mem::take(&mut self.text);
        if let Some([before, after]) = &views {
            bulletin::remember(self.referee, &mut self.next, &[before, after], false);
        }
        let counted = table.is_some();
        if let Some(table) = table {
            tell::count(&mut text, self.referee, &self.next, table);
        }
        if views.is_some() && counted {
            bulletin::remember(self.referee, &mut self.next, &[], true);
        }
        text.finish(self.referee, views.as_ref())
    }

    /// Who bears the mark of victory: with a team its dummies too (TEAM_VICTORY).
    fn winning_side(&self, victors: &[PowerId]) -> Vec<PowerId> {
        let team = self.profile.has(Rule::TeamVictory);
        let side = |power: &PowerId| {
            let master = self.estates.get(*power).and_then(|e| e.master).filter(|_| team);
            victors.contains(power) || master.is_some_and(|master| victors.contains(&master))
        };
        self.referee.map().power_ids().filter(side).collect()
    }

    fn write_owners(&mut self, position: &Position) {
        let map = self.referee.map();
        for power in map.power_ids() {
            let mut centers: Vec<ProvinceId> = position.centers(power).collect();
            centers.sort();
            let key = &map[power].key;
            if let Some(p) =
                self.next.participants.iter_mut().find(|p| p.kind == ParticipantKind::Power && p.name == *key)
            {
                let tokens: Vec<String> = p.owns.iter().filter(|c| c.starts_with("SC")).cloned().collect();
                p.owns = centers.iter().map(|c| map[*c].code.clone()).chain(tokens).collect();
            }
        }
    }

    /// NEWHOMES year: the homes of every power are its centres (adjudication.md 10, 7).
    fn new_homes(&mut self, _advance: &crate::diplomacy::adjudicate::Advance) {
        if self.referee.map().new_homes.contains(&self.phase.year) {
            for p in self.next.participants.iter_mut().filter(|p| p.kind == ParticipantKind::Power) {
                p.inhabits = Some(p.owns.iter().filter(|c| !c.starts_with("SC")).cloned().collect());
            }
        }
    }
}

/// Adjustment rounds from the beginning of the map's calendar up to this phase, for the VICTORY list.
fn rounds_played(map: &crate::diplomacy::map::Map, phase: &Phase) -> usize {
    if map.victory.len() < 2 {
        return 0;
    }
    let mut at = map.begin.clone();
    let mut rounds = 0;
    for _ in 0..20_000 {
        if at == *phase {
            break;
        }
        if at.letter() == 'A' {
            rounds += 1;
        }
        match map.flow.next(&at) {
            Some(next) => at = next,
            None => break,
        }
    }
    rounds
}
