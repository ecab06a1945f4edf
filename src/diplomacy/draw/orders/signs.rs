//! Signs of orders at one place: bounces, builds, removals, disbandings, dislodgements, waived builds, orders of no known
//! kind (map-drawing.md 5.1, 5.4).

use super::{Line, Orders};
use crate::diplomacy::draw::arrows::{Way, apart};
use crate::diplomacy::draw::art::Point;
use crate::diplomacy::draw::notation::{Act, Mark, Sighting};
use crate::diplomacy::draw::pen::{Num, Text, cross, put, star};
use crate::diplomacy::map::{PowerId, ProvinceId};
use crate::diplomacy::position::Unit;
use std::collections::BTreeSet;

impl Orders<'_> {
    /// A star where moves bounced, once a province.
    pub(super) fn bounces(&self, out: &mut String) {
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
            put!(*out, "<path d=\"{}\" stroke=\"{glow}\" stroke-width=\"{}\"/>", cross(at, 13.0 * s), Num(6.0 * s));
            put!(
                *out,
                "<path class=\"cross\" d=\"{}\" stroke=\"{red}\" stroke-width=\"{}\"/>",
                cross(at, 13.0 * s),
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
            (Act::Seen(sighting), Some(at)) => {
                let Some(unit) = line.told.unit else { return };
                self.open(out, "seen", line);
                self.sighting(out, *sighting, at, line.shown.power, unit);
                out.push_str("</g>\n");
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

    /// A unit of which not all is seen: a short arrow from or to a grey `?`, or a dotted ring with one.
    fn sighting(&self, out: &mut String, sighting: Sighting, at: Point, power: Option<PowerId>, unit: Unit) {
        let (s, scheme) = (self.brush.scale, &self.brush.scheme);
        let taken = self.standing_at(self.brush.picture.map.province_of(unit.at)).is_some();
        // One that comes stands beside the unit that was there before.
        let at = if taken && sighting.comes() { self.brush.aside(unit.at).unwrap_or(at) } else { at };
        let grey = scheme.sea_name;
        let far = self.free_spot(at, 40.0 * s);
        match sighting {
            Sighting::Arrives | Sighting::Departs => {
                let way = if sighting.comes() { Way::straight(far, at) } else { Way::straight(at, far) };
                let way = way.trimmed(10.0 * s, 12.0 * s);
                let (shaft, head) = (way.trimmed(0.0, 7.0 * s).path(), way.head(10.0 * s, 10.0 * s));
                put!(*out, "<path d=\"{shaft}\" stroke=\"{}\" stroke-width=\"{}\"/>", scheme.glow, Num(6.0 * s));
                put!(*out, "<path d=\"{shaft}\" stroke=\"{grey}\" stroke-width=\"{}\"/>", Num(3.0 * s));
                put!(*out, "<path d=\"{head}\" fill=\"{grey}\" stroke=\"{}\"/>", scheme.glow);
            }
            Sighting::Found | Sighting::Lost => {
                put!(
                    *out,
                    "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" stroke=\"{grey}\" stroke-width=\"{}\" \
                     stroke-dasharray=\"2 4\"/>",
                    Num(at[0]),
                    Num(at[1]),
                    Num(20.0 * s),
                    Num(2.6 * s)
                );
            }
        }
        let mark = match sighting {
            Sighting::Arrives | Sighting::Departs => far,
            Sighting::Found | Sighting::Lost => self.free_spot(at, 21.0 * s),
        };
        put!(
            *out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" stroke=\"{grey}\" stroke-width=\"{}\"/>\
             <text x=\"{}\" y=\"{}\" font-size=\"{}\" font-weight=\"bold\" fill=\"{grey}\">?</text>",
            Num(mark[0]),
            Num(mark[1]),
            Num(8.0 * s),
            scheme.ground,
            Num(1.6 * s),
            Num(mark[0]),
            Num(mark[1] + 4.4 * s),
            Num(12.0 * s)
        );
        if sighting.comes() {
            out.push_str("<g font-weight=\"bold\">");
            self.brush.unit(out, at, power, unit.kind, false);
            out.push_str("</g>");
        }
    }

    /// Of eight points at that distance, the one farthest from other units and names, within the frame.
    fn free_spot(&self, at: Point, distance: f64) -> Point {
        let (picture, brush) = (self.brush.picture, self.brush);
        let units = picture.units.iter().filter_map(|piece| brush.anchor(piece.unit.at));
        let names = picture.art.spots.values().filter_map(|spot| spot.label);
        let others: Vec<Point> = units.chain(names).collect();
        let room = |p: &Point| {
            let edge = p[0].min(p[1]).min(picture.art.width - p[0]).min(picture.art.height - p[1]);
            others.iter().filter(|o| apart(**o, at) > 1.0).map(|o| apart(*o, *p)).fold(edge + 20.0, f64::min)
        };
        let around = (0..8).map(|i| {
            let (sin, cos) = (f64::from(i) * std::f64::consts::FRAC_PI_4 - 2.4).sin_cos();
            [at[0] + distance * cos, at[1] + distance * sin]
        });
        around.max_by(|a, b| room(a).total_cmp(&room(b))).unwrap_or(at)
    }
}
