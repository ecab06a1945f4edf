//! Orders on the picture: arrows of moves, dotted lines of supports, rings of convoys, and the signs of what failed
//! (map-drawing.md 5.4).

mod lines;
mod signs;

use super::Shown;
use super::arrows::Way;
use super::art::Point;
use super::notation::{Act, Mark, Told, read, sentence};
use super::paint::Brush;
use super::pen::{Text, put};
use crate::diplomacy::map::{ProvinceId, UnitKind};
use crate::diplomacy::position::Unit;
use std::collections::{BTreeMap, BTreeSet};

struct Line<'a> {
    shown: &'a Shown,
    told: Told,
    /// Where the unit is drawn.
    at: Option<Point>,
    /// The way of a move or retreat.
    way: Option<Way>,
}

impl Line<'_> {
    fn has(&self, marks: &[Mark]) -> bool {
        self.shown.marks.iter().any(|mark| marks.contains(mark))
    }
    fn failed(&self) -> bool {
        self.has(&[Mark::Bounce, Mark::NoConvoy, Mark::Void])
    }
    fn useless(&self) -> bool {
        self.has(&[Mark::Cut, Mark::Void, Mark::Disrupted, Mark::NoConvoy])
    }
}

/// All orders of a picture with their ways found.
pub(super) struct Orders<'a> {
    brush: &'a Brush<'a>,
    lines: Vec<Line<'a>>,
    /// Ways of moves by the province they begin in.
    ways: BTreeMap<ProvinceId, Way>,
}

impl<'a> Orders<'a> {
    pub fn new(brush: &'a Brush<'a>) -> Self {
        let picture = brush.picture;
        let map = picture.map;
        let told: Vec<(&Shown, Told)> = picture.orders.iter().map(|shown| (shown, read(map, &shown.text))).collect();
        let from = |unit: Unit| map.province_of(unit.at);
        let moves: BTreeMap<ProvinceId, ProvinceId> = told
            .iter()
            .filter_map(|(_, told)| match (&told.act, told.unit) {
                (Act::Move { to, .. }, Some(unit)) => Some((from(unit), map.province_of(*to))),
                _ => None,
            })
            .collect();
        let mut orders = Orders { brush, lines: Vec::new(), ways: BTreeMap::new() };
        let carriers: Vec<(ProvinceId, ProvinceId, ProvinceId)> = told
            .iter()
            .filter_map(|(_, told)| match (&told.act, told.unit) {
                (Act::Convoy { from: start, to }, Some(unit)) => Some((from(unit), *start, *to)),
                _ => None,
            })
            .collect();
        let standing: Vec<Point> = picture.units.iter().filter_map(|piece| brush.anchor(piece.unit.at)).collect();
        for (shown, told) in told {
            let at = told.unit.and_then(|unit| match told.act {
                Act::Retreat(_) | Act::Disband if orders.is_dislodged(unit) => brush.aside(unit.at),
                _ => brush.anchor(unit.at),
            });
            let way = match (&told.act, told.unit, at) {
                (Act::Move { to, path, via }, Some(unit), Some(start)) => brush.anchor(*to).map(|end| {
                    let target = map.province_of(*to);
                    let seas = if path.is_empty() {
                        orders.voyage(unit, target, *via, &carriers)
                    } else {
                        path.iter().filter_map(|sea| brush.anchor(map[*sea].location)).collect()
                    };
                    let opposed = moves.get(&target) == Some(&from(unit));
                    if seas.is_empty() {
                        Way::around(start, end, opposed, &standing, 15.0 * brush.scale)
                    } else {
                        Way::Legs([vec![start], seas, vec![end]].concat())
                    }
                }),
                (Act::Retreat(to), _, Some(start)) => {
                    brush.anchor(*to).map(|end| Way::around(start, end, false, &standing, 15.0 * brush.scale))
                }
                _ => None,
            };
            if let (Act::Move { .. }, Some(unit), Some(way)) = (&told.act, told.unit, &way) {
                orders.ways.insert(from(unit), way.clone());
            }
            orders.lines.push(Line { shown, told, at, way });
        }
        orders
    }

    fn is_dislodged(&self, unit: Unit) -> bool {
        self.brush.picture.dislodged.iter().any(|piece| piece.unit == unit)
    }

    /// The anchors of the fleets that carry the army, in order: the shortest chain among those ordered to. Empty when it
    /// walks, or when nobody carries it.
    fn voyage(
        &self,
        army: Unit,
        to: ProvinceId,
        via: bool,
        carriers: &[(ProvinceId, ProvinceId, ProvinceId)],
    ) -> Vec<Point> {
        let map = self.brush.picture.map;
        let from = map.province_of(army.at);
        let near = |a: ProvinceId| map.contacts.get(a.0 as usize).into_iter().flatten().copied();
        let walks = map.army.get(from.0 as usize).is_some_and(|list| list.iter().any(|(id, _)| *id == to));
        if army.kind != UnitKind::Army || (walks && !via) {
            return Vec::new();
        }
        let fleets: BTreeSet<ProvinceId> =
            carriers.iter().filter(|(_, a, b)| (*a, *b) == (from, to)).map(|(fleet, _, _)| *fleet).collect();
        let mut before: BTreeMap<ProvinceId, ProvinceId> = BTreeMap::new();
        let mut queue: Vec<ProvinceId> = near(from).filter(|id| fleets.contains(id)).collect();
        for id in &queue {
            before.insert(*id, from);
        }
        let mut next = 0;
        while let Some(sea) = queue.get(next).copied() {
            next += 1;
            if near(sea).any(|id| id == to) {
                let mut chain = vec![sea];
                while let Some(earlier) = chain.last().and_then(|id| before.get(id)).filter(|id| **id != from) {
                    chain.push(*earlier);
                }
                return chain
                    .iter()
                    .rev()
                    .filter_map(|id| {
                        let fleet = self.brush.picture.units.iter().find(|p| map.province_of(p.unit.at) == *id);
                        self.brush.anchor(fleet.map_or(map[*id].location, |piece| piece.unit.at))
                    })
                    .collect();
            }
            for id in near(sea).filter(|id| fleets.contains(id)) {
                if id != from && !before.contains_key(&id) {
                    before.insert(id, sea);
                    queue.push(id);
                }
            }
        }
        Vec::new()
    }

    fn open(&self, out: &mut String, class: &str, line: &Line) {
        let who = self.brush.name(line.shown.power);
        let text = sentence(self.brush.picture.map, &line.told, &line.shown.marks);
        put!(*out, "<g class=\"order {class}\"><title>{}: {}</title>", Text(who), Text(&text));
    }

    /// Supports and convoys below, moves above; then what stands at one place.
    pub fn paint(&self, out: &mut String) {
        if self.lines.is_empty() {
            return;
        }
        put!(*out, "<g class=\"orders\" fill=\"none\" stroke-linejoin=\"round\">\n");
        for line in &self.lines {
            match (&line.told.act, line.at) {
                (Act::Support { at, to }, Some(start)) => {
                    let map = self.brush.picture.map;
                    let helped = map.province_of(*at);
                    let way = to.and_then(|to| match self.ways.get(&helped) {
                        Some(way) => Some(way.clone()),
                        None => Some(Way::straight(self.brush.anchor(*at)?, self.brush.anchor(to)?)),
                    });
                    self.support(out, line, start, way, self.standing_at(helped).or(self.brush.anchor(*at)));
                }
                (Act::Convoy { from, to }, Some(start)) => self.convoy(out, line, start, *from, *to),
                _ => {}
            }
        }
        for line in &self.lines {
            if let Some(way) = &line.way {
                let retreat = matches!(line.told.act, Act::Retreat(_));
                self.move_arrow(out, line, way, retreat);
            }
        }
        self.bounces(out);
        out.push_str("</g>\n");
    }

    fn standing_at(&self, province: ProvinceId) -> Option<Point> {
        let (picture, map) = (self.brush.picture, self.brush.picture.map);
        let piece = picture.units.iter().find(|piece| map.province_of(piece.unit.at) == province)?;
        self.brush.anchor(piece.unit.at)
    }
}
