//! The painter: layers from the sea up to the dislodged units (map-drawing.md 5).

mod ground;
mod panel;
mod words;

pub(super) use words::describe;

use super::Picture;
use super::art::Point;
use super::notation::unit_words;
use super::orders::Orders;
use super::palette::{Colour, Dye, Scheme, Theme, dyes};
use super::pen::{Num, Text, polygon, put};
use crate::diplomacy::map::{LocationId, PowerId, UnitKind};
use ground::{board, centres, definitions, labels};
use panel::{heading, legend};

const FONT: &str = "DejaVu Sans, Noto Sans, Arial, sans-serif";
/// Height of the title line and width of the legend, in units of the text size 1.
const TITLE: f64 = 46.0;
const LEGEND: f64 = 300.0;

/// What the painter and the orders share: the picture, its colours, its anchors.
pub(super) struct Brush<'a> {
    pub picture: &'a Picture<'a>,
    pub scheme: Scheme,
    pub dyes: Vec<Dye>,
    pub scale: f64,
    /// Ends every id of this picture.
    pub id: String,
}

impl<'a> Brush<'a> {
    fn new(picture: &'a Picture<'a>) -> Self {
        let scheme = picture.theme.scheme();
        let mut dyes = dyes(picture.map);
        for (power, fill) in &picture.colours {
            if let Some(dye) = dyes.get_mut(power.0 as usize) {
                *dye = Dye { fill: *fill, ink: fill.ink(), ..*dye };
            }
        }
        if picture.theme == Theme::Print {
            for dye in &mut dyes {
                *dye = Dye { fill: Colour(255, 255, 255), ink: Colour(0, 0, 0), ..*dye };
            }
        }
        if picture.theme == Theme::Dark {
            // A dark power would drown in unowned land.
            for dye in dyes.iter_mut().filter(|dye| dye.fill.luminance() < 0.1) {
                let fill = dye.fill.mix(Colour(255, 255, 255), 0.5);
                *dye = Dye { fill, ink: fill.ink(), ..*dye };
            }
        }
        let id = fingerprint(&[&picture.title, &picture.viewer, &picture.map.name]);
        Brush { picture, scheme, dyes, scale: picture.art.scale, id }
    }

    fn dye(&self, power: Option<PowerId>) -> Dye {
        let unknown = Dye { fill: Colour(255, 255, 255), ink: Colour(0, 0, 0), hatch: None, rank: 0 };
        power.and_then(|id| self.dyes.get(id.0 as usize)).copied().unwrap_or(unknown)
    }

    /// Colour of the lines of a power's orders.
    pub fn stroke(&self, power: Option<PowerId>) -> Colour {
        match (self.picture.theme, power) {
            (Theme::Print, _) => self.scheme.line,
            (_, None) => Colour(0x77, 0x77, 0x77),
            (_, some) => self.dye(some).fill,
        }
    }

    /// The name as printed, or `Somebody`.
    pub fn name(&self, power: Option<PowerId>) -> &'a str {
        power.map_or("Somebody", |id| self.picture.map[id].title.as_str())
    }

    fn letter(&self, power: Option<PowerId>) -> char {
        let Some(id) = power else { return '?' };
        let power = &self.picture.map[id];
        power.letter.or_else(|| power.title.chars().next()).unwrap_or('?')
    }

    /// Where a unit at that place is drawn; coasts the art lacks fall back to their province.
    pub fn anchor(&self, at: LocationId) -> Option<Point> {
        let map = self.picture.map;
        let spots = &self.picture.art.spots;
        let spot = spots.get(&map[at].code).or_else(|| spots.get(&map[map.province_of(at)].code));
        spot.map(|spot| spot.unit)
    }

    /// Where a dislodged unit is drawn.
    pub fn aside(&self, at: LocationId) -> Option<Point> {
        let map = self.picture.map;
        let spots = &self.picture.art.spots;
        let spot = spots.get(&map[at].code).or_else(|| spots.get(&map[map.province_of(at)].code))?;
        Some(spot.dislodged.unwrap_or([spot.unit[0] + 11.0 * self.scale, spot.unit[1] + 13.0 * self.scale]))
    }

    /// The symbol of a unit: a disc for armies, a hull for fleets, with the power's letter.
    pub fn unit(&self, out: &mut String, at: Point, power: Option<PowerId>, kind: UnitKind, dislodged: bool) {
        let (dye, s) = (self.dye(power), self.scale);
        let dummy = power.is_some_and(|id| self.picture.dummies.contains(&id));
        let ruler = power.and_then(|id| self.picture.rulers.get(&id)).copied();
        let (line, dash) = if dislodged {
            (self.scheme.red, " stroke-dasharray=\"4 2\"")
        } else if dummy {
            (Colour(0x77, 0x77, 0x77), "")
        } else {
            (self.scheme.line, "")
        };
        let width = if dislodged { 3.0 } else { 1.6 };
        let shape = match kind {
            UnitKind::Army => {
                format!("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"", Num(at[0]), Num(at[1]), Num(12.0 * s))
            }
            UnitKind::Fleet => format!("<path d=\"{}\"", hull(at, s)),
        };
        let (glow, fill) = (self.scheme.glow, dye.fill);
        if let Some(ruler) = ruler {
            let (ring, edge) = (self.dye(Some(ruler)).fill, self.scheme.line);
            put!(*out, "{shape} fill=\"none\" stroke=\"{edge}\" stroke-width=\"{}\"/>", Num(11.6 * s));
            put!(*out, "{shape} class=\"ruled\" fill=\"none\" stroke=\"{ring}\" stroke-width=\"{}\"/>", Num(9.4 * s));
        }
        put!(*out, "{shape} fill=\"{glow}\" stroke=\"{glow}\" stroke-width=\"{}\"/>", Num((width + 2.4) * s));
        put!(*out, "{shape} fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"{}\"{dash}/>", Num(width * s));
        let mut halo = String::new();
        if dummy {
            put!(*out, "{shape} class=\"dummy\" fill=\"url(#u{})\"/>", self.id);
            put!(halo, " stroke=\"{fill}\" stroke-width=\"{}\" paint-order=\"stroke\"", Num(3.0 * s));
        }
        let drop = if kind == UnitKind::Army { 5.0 } else { 4.6 };
        put!(
            *out,
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"{halo}>{}</text>",
            Num(at[0]),
            Num(at[1] + drop * s),
            Num(14.0 * s),
            dye.ink,
            Text(self.letter(power).encode_utf8(&mut [0; 4]))
        );
    }
}

/// The hull of a fleet.
fn hull(at: Point, s: f64) -> String {
    let [x, y] = at;
    polygon(&[
        [x - 18.0 * s, y - 8.0 * s],
        [x + 18.0 * s, y - 8.0 * s],
        [x + 11.5 * s, y + 9.0 * s],
        [x - 11.5 * s, y + 9.0 * s],
    ])
}

/// The whole picture.
pub(super) fn paint(picture: &Picture) -> String {
    let brush = Brush::new(picture);
    let art = picture.art;
    let top = if picture.title.is_empty() { 0.0 } else { TITLE };
    let side = if picture.legend { LEGEND } else { 0.0 };
    let mut out = String::with_capacity(320_000);
    let id = &brush.id;
    put!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 {} {} {}\" role=\"img\" \
         aria-labelledby=\"t{id} d{id}\" font-family=\"{FONT}\" text-anchor=\"middle\">\n",
        Num(-top),
        Num(art.width + side),
        Num(art.height + top)
    );
    let title = if picture.title.is_empty() { &picture.map.name } else { &picture.title };
    put!(out, "<title id=\"t{id}\">{}</title>\n", Text(title));
    put!(out, "<desc id=\"d{id}\">{}</desc>\n", Text(&describe(picture)));
    definitions(&mut out, &brush);
    put!(
        out,
        "<rect x=\"0\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
        Num(-top),
        Num(art.width + side),
        Num(art.height + top),
        brush.scheme.ground
    );
    put!(out, "<g clip-path=\"url(#f{id})\">\n");
    board(&mut out, &brush);
    labels(&mut out, &brush);
    centres(&mut out, &brush);
    let orders = Orders::new(&brush);
    orders.paint(&mut out);
    units(&mut out, &brush);
    orders.paint_signs(&mut out);
    out.push_str("</g>\n");
    put!(
        out,
        "<rect x=\"0.8\" y=\"0.8\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"/>\n",
        Num(art.width - 1.6),
        Num(art.height - 1.6),
        brush.scheme.coast
    );
    if top > 0.0 {
        heading(&mut out, &brush);
    }
    if picture.legend {
        legend(&mut out, &brush);
    }
    out.push_str("</svg>\n");
    out
}

/// FNV-1a, so that two pictures on one page do not share ids.
fn fingerprint(parts: &[&str]) -> String {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash = bytes.fold(0xCBF2_9CE4_8422_2325_u64, |hash, b| (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01B3));
    format!("{:08x}", hash as u32)
}

fn units(out: &mut String, brush: &Brush) {
    let picture = brush.picture;
    put!(*out, "<g class=\"units\" font-weight=\"bold\">\n");
    for (pieces, dislodged) in [(&picture.units, false), (&picture.dislodged, true)] {
        for piece in pieces {
            let at = if dislodged { brush.aside(piece.unit.at) } else { brush.anchor(piece.unit.at) };
            let Some(at) = at else { continue };
            let class = if dislodged { "unit dislodged" } else { "unit" };
            put!(*out, "<g class=\"{class}\"><title>{}", Text(brush.name(piece.power)));
            put!(*out, ": {}", Text(&unit_words(picture.map, piece.unit)));
            out.push_str(if dislodged { ", dislodged</title>" } else { "</title>" });
            brush.unit(out, at, piece.power, piece.unit.kind, dislodged);
            out.push_str("</g>\n");
        }
    }
    out.push_str("</g>\n");
}
