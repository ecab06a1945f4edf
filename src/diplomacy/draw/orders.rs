//! Orders on the picture: arrows of moves, dotted lines of supports, rings of convoys, and the signs of what failed
//! (map-drawing.md 5.4).

use super::Shown;
use super::arrows::{Way, apart};
use super::art::Point;
use super::notation::{Act, Mark, Told, read, sentence};
use super::paint::{Brush, gone};
use super::pen::{Num, Text, cross, put, star};
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

    fn move_arrow(&self, out: &mut String, line: &Line, way: &Way, retreat: bool) {
        let (s, scheme) = (self.brush.scale, &self.brush.scheme);
        let colour = if retreat { scheme.red } else { self.brush.stroke(line.shown.power) };
        let map = self.brush.picture.map;
        let target = match &line.told.act {
            Act::Move { to, .. } | Act::Retreat(to) => Some(map.province_of(*to)),
            _ => None,
        };
        let taken = target.is_some_and(|to| self.standing_at(to).is_some());
        let fleet = line.told.unit.is_some_and(|unit| unit.kind == UnitKind::Fleet);
        let way = way.trimmed(if fleet { 16.0 } else { 13.0 } * s, if taken { 20.0 } else { 8.0 } * s);
        let head = way.head(15.0 * s, 14.0 * s);
        let shaft = way.trimmed(0.0, 11.0 * s).path();
        let dash = if line.failed() {
            format!(" stroke-dasharray=\"{} {}\"", Num(9.0 * s), Num(5.0 * s))
        } else {
            String::new()
        };
        let class = match (retreat, line.failed()) {
            (true, _) => "retreat",
            (false, true) => "move failed",
            (false, false) => "move",
        };
        self.open(out, class, line);
        let wide = |w: f64| Num(w * s);
        let (glow, dark) = (scheme.glow, scheme.line);
        put!(*out, "<path d=\"{shaft}\" stroke=\"{glow}\" stroke-width=\"{}\" opacity=\"0.75\"/>", wide(7.6));
        put!(*out, "<path d=\"{head}\" stroke=\"{glow}\" stroke-width=\"{}\" opacity=\"0.75\"/>", wide(4.0));
        put!(*out, "<path d=\"{shaft}\" stroke=\"{dark}\" stroke-width=\"{}\"{dash}/>", wide(5.4));
        put!(*out, "<path d=\"{head}\" fill=\"{colour}\" stroke=\"{dark}\" stroke-width=\"{}\"/>", wide(1.2));
        put!(*out, "<path d=\"{shaft}\" stroke=\"{colour}\" stroke-width=\"{}\"{dash}/>", wide(3.4));
        if retreat {
            let second = way.trimmed(0.0, 11.0 * s).head(15.0 * s, 14.0 * s);
            put!(*out, "<path d=\"{second}\" fill=\"{colour}\" stroke=\"{dark}\" stroke-width=\"{}\"/>", wide(1.2));
        }
        if let Way::Legs(points) = &way {
            for at in points.iter().skip(1).take(points.len().saturating_sub(2)) {
                let [x, y] = *at;
                let wave = format!(
                    "M{} {}q{h} -{u} {w} 0t{w} 0t{w} 0t{w} 0",
                    Num(x - 16.0 * s),
                    Num(y + 16.0 * s),
                    h = Num(4.0 * s),
                    u = Num(6.0 * s),
                    w = Num(8.0 * s)
                );
                put!(*out, "<path d=\"{wave}\" stroke=\"{colour}\" stroke-width=\"{}\"/>", wide(2.2));
            }
        }
        if line.failed() || (retreat && line.has(&[Mark::Destroyed])) {
            let at = way.at(0.72);
            put!(*out, "<path d=\"{0}\" stroke=\"{glow}\" stroke-width=\"{1}\"/>", cross(at, 6.0 * s), wide(5.6));
            put!(
                *out,
                "<path class=\"cross\" d=\"{0}\" stroke=\"{2}\" stroke-width=\"{1}\"/>",
                cross(at, 6.0 * s),
                wide(3.2),
                scheme.red
            );
        }
        out.push_str("</g>\n");
    }

    fn support(&self, out: &mut String, line: &Line, start: Point, way: Option<Way>, held: Option<Point>) {
        let (s, scheme) = (self.brush.scale, &self.brush.scheme);
        let colour = self.brush.stroke(line.shown.power);
        let useless = line.useless();
        let (end, ring) = match (&way, held) {
            (Some(way), _) => (way.joint(), 5.0 * s),
            (None, Some(at)) => (at, 18.5 * s),
            (None, None) => return,
        };
        let class = if useless { "support useless" } else { "support" };
        self.open(out, class, line);
        if useless {
            out.push_str("<g opacity=\"0.7\">");
        }
        let path = Way::straight(start, end).trimmed(13.0 * s, ring).path();
        let dots = format!("stroke-dasharray=\"{} {}\"", Num(0.1), Num(5.2 * s));
        put!(
            *out,
            "<path d=\"{path}\" stroke=\"{}\" stroke-width=\"{}\" opacity=\"0.75\"/>",
            scheme.glow,
            Num(5.6 * s)
        );
        put!(
            *out,
            "<path d=\"{path}\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\" {dots}/>",
            scheme.line,
            Num(4.6 * s)
        );
        put!(
            *out,
            "<path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"{}\" stroke-linecap=\"round\" {dots}/>",
            Num(3.2 * s)
        );
        let (x, y) = (Num(end[0]), Num(end[1]));
        if way.is_some() {
            put!(
                *out,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"{colour}\" stroke=\"{}\" stroke-width=\"{}\"/>",
                Num(5.0 * s),
                scheme.line,
                Num(1.3 * s)
            );
        } else {
            put!(
                *out,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\" {dots}/>",
                Num(ring),
                scheme.line,
                Num(4.6 * s)
            );
            put!(
                *out,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" stroke=\"{colour}\" stroke-width=\"{}\" stroke-linecap=\"round\" {dots}/>",
                Num(ring),
                Num(3.2 * s)
            );
        }
        if useless {
            out.push_str("</g>");
            let way = Way::straight(start, end).trimmed(13.0 * s, ring);
            self.bar(out, way.at(0.55), way.heading());
        }
        out.push_str("</g>\n");
    }

    /// A red bar across a line.
    fn bar(&self, out: &mut String, at: Point, heading: Point) {
        let (s, scheme) = (self.brush.scale, &self.brush.scheme);
        let half = [-heading[1] * 8.0 * s, heading[0] * 8.0 * s];
        let path = Way::straight([at[0] - half[0], at[1] - half[1]], [at[0] + half[0], at[1] + half[1]]).path();
        put!(*out, "<path d=\"{path}\" stroke=\"{}\" stroke-width=\"{}\"/>", scheme.glow, Num(6.0 * s));
        put!(*out, "<path class=\"bar\" d=\"{path}\" stroke=\"{}\" stroke-width=\"{}\"/>", scheme.red, Num(3.6 * s));
    }

    fn convoy(&self, out: &mut String, line: &Line, start: Point, from: ProvinceId, to: ProvinceId) {
        let (s, scheme, map) = (self.brush.scale, &self.brush.scheme, self.brush.picture.map);
        let colour = self.brush.stroke(line.shown.power);
        let useless = line.useless();
        self.open(out, if useless { "convoy useless" } else { "convoy" }, line);
        let (x, y) = (Num(start[0]), Num(start[1]));
        let dash = format!("stroke-dasharray=\"{} {}\"", Num(8.0 * s), Num(4.0 * s));
        let radius = 22.0 * s;
        put!(
            *out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" stroke=\"{}\" stroke-width=\"{}\" opacity=\"0.75\"/>",
            Num(radius),
            scheme.glow,
            Num(5.4 * s)
        );
        put!(
            *out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" stroke=\"{}\" stroke-width=\"{}\" {dash}/>",
            Num(radius),
            scheme.line,
            Num(4.0 * s)
        );
        put!(
            *out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" stroke=\"{colour}\" stroke-width=\"{}\" {dash}/>",
            Num(radius),
            Num(2.6 * s)
        );
        let carried = match self.ways.get(&from) {
            Some(Way::Legs(points)) => points.iter().any(|p| apart(*p, start) < 1.0),
            _ => false,
        };
        if !carried {
            let ends = self.brush.anchor(map[from].location).zip(self.brush.anchor(map[to].location));
            let joint = self.ways.get(&from).map(Way::joint).or(ends.map(|(a, b)| Way::straight(a, b).joint()));
            if let Some(joint) = joint {
                let path = Way::straight(start, joint).trimmed(radius, 2.0).path();
                put!(*out, "<path d=\"{path}\" stroke=\"{}\" stroke-width=\"{}\" {dash}/>", scheme.line, Num(3.6 * s));
                put!(*out, "<path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"{}\" {dash}/>", Num(2.2 * s));
            }
        }
        if useless {
            self.bar(out, [start[0] + radius * 0.71, start[1] - radius * 0.71], [0.71, -0.71]);
        }
        out.push_str("</g>\n");
    }

    /// A star where moves bounced, once a province.
    fn bounces(&self, out: &mut String) {
        let (s, scheme, map) = (self.brush.scale, &self.brush.scheme, self.brush.picture.map);
        let contested: BTreeSet<ProvinceId> = self
            .lines
            .iter()
            .filter(|line| line.has(&[Mark::Bounce]))
            .filter_map(|line| match &line.told.act {
                Act::Move { to, .. } | Act::Retreat(to) => Some(map.province_of(*to)),
                _ => None,
            })
            .collect();
        for province in contested {
            let Some(anchor) = self.brush.anchor(map[province].location) else { continue };
            let taken = self.standing_at(province);
            let at = taken.map_or(anchor, |unit| [unit[0] + 14.0 * s, unit[1] - 14.0 * s]);
            put!(
                *out,
                "<path class=\"bounce\" d=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"><title>Bounce in {}</title></path>\n",
                star(at, 9.0 * s),
                scheme.glow,
                scheme.red,
                Num(2.0 * s),
                Text(&map[province].title)
            );
        }
    }

    /// What lies above the units: builds, removals, disbandings, dislodgements, waived builds, orders of no known kind.
    pub fn paint_signs(&self, out: &mut String) {
        if self.lines.is_empty() {
            return;
        }
        put!(*out, "<g class=\"signs\" fill=\"none\">\n");
        for line in &self.lines {
            self.sign(out, line);
        }
        out.push_str("</g>\n");
    }

    fn sign(&self, out: &mut String, line: &Line) {
        let (s, scheme, map) = (self.brush.scale, &self.brush.scheme, self.brush.picture.map);
        let (glow, red) = (scheme.glow, scheme.red);
        let crossed = |out: &mut String, at: Point| {
            put!(*out, "<path d=\"{}\" stroke=\"{glow}\" stroke-width=\"{}\"/>", gone(at, s), Num(6.0 * s));
            put!(
                *out,
                "<path class=\"cross\" d=\"{}\" stroke=\"{red}\" stroke-width=\"{}\"/>",
                gone(at, s),
                Num(3.6 * s)
            );
        };
        match (&line.told.act, line.at) {
            (Act::Build, Some(at)) => {
                let Some(unit) = line.told.unit else { return };
                self.open(out, "build", line);
                let ring = format!("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"", Num(at[0]), Num(at[1]), Num(22.0 * s));
                put!(
                    *out,
                    "{ring} fill=\"{glow}\" fill-opacity=\"0.6\" stroke=\"{glow}\" stroke-width=\"{}\"/>",
                    Num(6.0 * s)
                );
                put!(
                    *out,
                    "{ring} stroke=\"{}\" stroke-width=\"{}\" stroke-dasharray=\"{} {}\"/>",
                    self.brush.stroke(line.shown.power),
                    Num(3.4 * s),
                    Num(6.0 * s),
                    Num(3.0 * s)
                );
                out.push_str("<g font-weight=\"bold\">");
                self.brush.unit(out, at, line.shown.power, unit.kind, false);
                out.push_str("</g></g>\n");
            }
            (Act::Remove | Act::Disband, Some(at)) => {
                let class = if line.told.act == Act::Remove { "remove" } else { "disband" };
                self.open(out, class, line);
                crossed(out, at);
                out.push_str("</g>\n");
            }
            (Act::Waive, _) => {
                let home = line.shown.power.and_then(|id| map[id].homes.first().copied());
                let Some([x, y]) = home.and_then(|home| self.brush.anchor(map[home].location)) else { return };
                self.open(out, "waive", line);
                let ring = format!("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"", Num(x), Num(y), Num(20.0 * s));
                put!(*out, "{ring} stroke=\"{glow}\" stroke-width=\"{}\"/>", Num(5.0 * s));
                put!(
                    *out,
                    "{ring} stroke=\"{}\" stroke-width=\"{}\"/>",
                    self.brush.stroke(line.shown.power),
                    Num(2.6 * s)
                );
                put!(
                    *out,
                    "<path d=\"M{} {}h{}\" stroke=\"{}\" stroke-width=\"{}\"/></g>\n",
                    Num(x + 14.0 * s),
                    Num(y - 14.0 * s),
                    Num(12.0 * s),
                    scheme.line,
                    Num(3.0 * s)
                );
            }
            (Act::Other(text), Some([x, y])) => {
                self.open(out, "other", line);
                put!(
                    *out,
                    "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\" stroke=\"{glow}\" stroke-width=\"3\" paint-order=\"stroke\">{}</text></g>\n",
                    Num(x),
                    Num(y + 27.0 * s),
                    Num(11.0 * s),
                    scheme.text,
                    Text(text)
                );
            }
            _ => {}
        }
        if let Some(at) = line.at {
            if line.has(&[Mark::Dislodged, Mark::Destroyed])
                && !matches!(line.told.act, Act::Disband | Act::Remove | Act::Retreat(_))
            {
                put!(
                    *out,
                    "<circle class=\"dislodged\" cx=\"{}\" cy=\"{}\" r=\"{}\" stroke=\"{red}\" stroke-width=\"{}\" stroke-dasharray=\"{} {}\"/>\n",
                    Num(at[0]),
                    Num(at[1]),
                    Num(16.5 * s),
                    Num(3.4 * s),
                    Num(5.0 * s),
                    Num(3.0 * s)
                );
                if line.has(&[Mark::Destroyed]) {
                    crossed(out, at);
                    out.push('\n');
                }
            }
        }
    }
}
