//! The lines of orders: moves and retreats, supports, convoys (map-drawing.md 5.4).

use super::{Line, Orders};
use crate::diplomacy::draw::arrows::{Way, apart};
use crate::diplomacy::draw::art::Point;
use crate::diplomacy::draw::notation::{Act, Mark};
use crate::diplomacy::draw::pen::{Num, cross, put};
use crate::diplomacy::map::{ProvinceId, UnitKind};

impl Orders<'_> {
    pub(super) fn move_arrow(&self, out: &mut String, line: &Line, way: &Way, retreat: bool) {
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

    pub(super) fn support(&self, out: &mut String, line: &Line, start: Point, way: Option<Way>, held: Option<Point>) {
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

    pub(super) fn convoy(&self, out: &mut String, line: &Line, start: Point, from: ProvinceId, to: ProvinceId) {
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
}
