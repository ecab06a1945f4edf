//! The painter: layers from the sea up to the dislodged units (map-drawing.md 5).

use super::art::{Cell, Point, Surface};
use super::notation::unit_words;
use super::orders::Orders;
use super::palette::{Colour, Dye, Scheme, Theme, dyes};
use super::pen::{Num, Text, cross, polygon, put};
use super::{Picture, Piece};
use crate::diplomacy::map::{LocationId, PowerId, ProvinceId, UnitKind};
use crate::diplomacy::position::Unit;
use std::collections::{BTreeMap, BTreeSet};

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
}

impl<'a> Brush<'a> {
    fn new(picture: &'a Picture<'a>) -> Self {
        let scheme = picture.theme.scheme();
        let mut dyes = dyes(picture.map);
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
        Brush { picture, scheme, dyes, scale: picture.art.scale }
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
        let (line, dash) = if dislodged {
            (self.scheme.red, " stroke-dasharray=\"4 2\"")
        } else if power.is_some_and(|id| self.picture.map[id].dummy) {
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
        put!(*out, "{shape} fill=\"{glow}\" stroke=\"{glow}\" stroke-width=\"{}\"/>", Num((width + 2.4) * s));
        put!(*out, "{shape} fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"{}\"{dash}/>", Num(width * s));
        let drop = if kind == UnitKind::Army { 5.0 } else { 4.6 };
        put!(
            *out,
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\">{}</text>",
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
    let id = fingerprint(&[&picture.title, &picture.viewer, &picture.map.name]);
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
    definitions(&mut out, &brush, &id);
    put!(
        out,
        "<rect x=\"0\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
        Num(-top),
        Num(art.width + side),
        Num(art.height + top),
        brush.scheme.ground
    );
    put!(out, "<g clip-path=\"url(#f{id})\">\n");
    board(&mut out, &brush, &id);
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
        legend(&mut out, &brush, &id);
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

fn definitions(out: &mut String, brush: &Brush, id: &str) {
    let (art, scheme) = (brush.picture.art, &brush.scheme);
    put!(*out, "<defs>");
    put!(*out, "<clipPath id=\"f{id}\"><rect width=\"{}\" height=\"{}\"/></clipPath>", Num(art.width), Num(art.height));
    put!(
        *out,
        "<pattern id=\"h{id}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><path d=\"M0 0v8\" stroke=\"{}\" stroke-width=\"4\"/></pattern>",
        scheme.hatch
    );
    for rank in hatches(brush) {
        let (turn, gap, dots) = HATCHES[rank % HATCHES.len()];
        let ink = if brush.picture.theme == Theme::Dark { Colour(0xEE, 0xEE, 0xEE) } else { Colour(0x22, 0x22, 0x22) };
        let mark = if dots {
            format!("<circle cx=\"{0}\" cy=\"{0}\" r=\"1.5\" fill=\"{ink}\"/>", Num(gap / 2.0))
        } else {
            format!("<path d=\"M0 0v{}\" stroke=\"{ink}\" stroke-width=\"1.6\"/>", Num(gap))
        };
        put!(
            *out,
            "<pattern id=\"k{id}-{rank}\" width=\"{0}\" height=\"{0}\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate({turn})\" opacity=\"0.5\">{mark}</pattern>",
            Num(gap)
        );
    }
    put!(*out, "<path id=\"c{id}\" d=\"{}\"/></defs>\n", art.coasts);
}

/// Hatches of tints: turn, distance, dots instead of lines.
const HATCHES: [(u16, f64, bool); 12] = [
    (30, 11.0, false),
    (120, 11.0, false),
    (0, 9.0, true),
    (75, 7.0, false),
    (165, 7.0, false),
    (45, 14.0, true),
    (0, 16.0, false),
    (90, 16.0, false),
    (20, 6.0, true),
    (45, 20.0, false),
    (135, 20.0, false),
    (100, 5.0, false),
];

/// Which hatches the picture needs: those of owned provinces whose owner has one.
fn hatches(brush: &Brush) -> BTreeSet<usize> {
    let owners = brush.picture.owners.iter().map(|(_, power)| *power);
    owners.filter_map(|power| hatch(brush, power)).collect()
}

fn hatch(brush: &Brush, power: PowerId) -> Option<usize> {
    let dye = brush.dye(Some(power));
    match brush.picture.theme {
        Theme::Print => Some(dye.rank % HATCHES.len()),
        _ => dye.hatch.map(usize::from),
    }
}

/// Seas, lands, borders and links.
fn board(out: &mut String, brush: &Brush, id: &str) {
    let (picture, scheme, art) = (brush.picture, &brush.scheme, brush.picture.art);
    let owner: BTreeMap<ProvinceId, PowerId> = picture.owners.iter().copied().collect();
    let owner_of = |cell: &Cell| picture.map.province(&cell.code).and_then(|id| owner.get(&id).copied());
    let wet = |cell: &&Cell| cell.surface == Surface::Water;
    put!(*out, "<g class=\"seas\" fill=\"{}\">\n", scheme.sea);
    put!(*out, "<rect width=\"{}\" height=\"{}\"/>\n", Num(art.width), Num(art.height));
    for cell in art.cells.iter().filter(wet) {
        outline(out, brush, cell, "", None);
    }
    for path in &art.lakes {
        put!(*out, "<path d=\"{path}\"/>\n");
    }
    out.push_str("</g>\n");
    put!(
        *out,
        "<path class=\"sea-border\" d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" \
         stroke-linecap=\"round\"/>\n",
        art.sea_borders,
        scheme.sea_border
    );
    for (tone, width) in scheme.shore.iter().zip([15, 7]) {
        put!(
            *out,
            "<use href=\"#c{id}\" fill=\"none\" stroke=\"{tone}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>\n"
        );
    }
    put!(*out, "<g class=\"lands\" fill=\"{}\" stroke-linejoin=\"round\">\n", scheme.land);
    for path in &art.blanks {
        put!(*out, "<path d=\"{path}\" fill=\"{}\"/>", scheme.blank);
    }
    for cell in art.cells.iter().filter(|cell| !wet(cell)) {
        let known = picture.map.province(&cell.code).is_some();
        let owner = owner_of(cell);
        let fill = match owner {
            _ if cell.surface == Surface::Shut || !known => Some(scheme.blank),
            Some(power) => Some(brush.dye(Some(power)).fill.mix(scheme.paper, scheme.tint)),
            None => None,
        };
        outline(out, brush, cell, "", fill);
        if cell.surface == Surface::Shut || !known {
            put!(*out, "<path d=\"{}\" fill=\"url(#h{id})\"/>\n", cell.path);
        } else if let Some(rank) = owner.and_then(|power| hatch(brush, power)) {
            put!(*out, "<path d=\"{}\" fill=\"url(#k{id}-{rank})\"/>\n", cell.path);
        }
    }
    out.push_str("</g>\n");
    let line = |out: &mut String, class: &str, path: &str, colour: Colour, width: f64| {
        if !path.is_empty() {
            put!(
                *out,
                "<path class=\"{class}\" d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{}\" \
                 stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n",
                Num(width)
            );
        }
    };
    line(out, "land-border", &art.land_borders, scheme.land_border, 1.3);
    put!(
        *out,
        "<use href=\"#c{id}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" stroke-linejoin=\"round\"/>\n",
        scheme.coast
    );
    line(out, "wall", &art.walls, scheme.red, 3.4);
    for bridge in &art.bridges {
        line(out, "bridge-bed", bridge, scheme.land_border, 6.0);
        line(out, "bridge", bridge, scheme.land, 3.0);
    }
    for link in &art.links {
        line(out, "link-bed", link, scheme.glow, 4.4);
        put!(
            *out,
            "<path class=\"link\" d=\"{link}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" \
             stroke-dasharray=\"7 4\"/>\n",
            scheme.land_border
        );
    }
}

fn outline(out: &mut String, brush: &Brush, cell: &Cell, extra: &str, fill: Option<Colour>) {
    put!(*out, "<path id=\"p-{}\"{extra} d=\"{}\"", cell.code.to_lowercase(), cell.path);
    if let Some(fill) = fill {
        put!(*out, " fill=\"{fill}\"");
    }
    let map = brush.picture.map;
    match map.province(&cell.code) {
        None => out.push_str("/>\n"),
        Some(id) => {
            let owner = brush.picture.owners.iter().find(|(center, _)| *center == id);
            put!(*out, "><title>{}", Text(&map[id].title));
            if let Some((_, power)) = owner {
                put!(*out, " ({})", Text(&map[*power].title));
            }
            out.push_str("</title></path>\n");
        }
    }
}

fn labels(out: &mut String, brush: &Brush) {
    let (map, art, scheme) = (brush.picture.map, brush.picture.art, &brush.scheme);
    let text = |out: &mut String, at: Point, size: f64, word: &str, attributes: &str| {
        put!(
            *out,
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\"{attributes}>{}</text>\n",
            Num(at[0]),
            Num(at[1] + size * 0.36),
            Num(size),
            Text(word)
        );
    };
    put!(
        *out,
        "<g class=\"labels\" font-weight=\"bold\" fill=\"{}\" stroke-linejoin=\"round\" stroke-width=\"3\">\n",
        scheme.land_name
    );
    for cell in &art.cells {
        let Some(spot) = art.spots.get(&cell.code) else { continue };
        let (Some(label), size) = (spot.label, spot.label_size.unwrap_or(art.type_size)) else { continue };
        if map.province(&cell.code).is_none() {
            continue;
        }
        if cell.surface == Surface::Water {
            let ink = format!(" fill=\"{}\"", scheme.sea_name);
            text(out, label, size, &cell.code, &ink);
        } else {
            text(out, label, size, &cell.code, "");
        }
    }
    put!(*out, "</g>\n<g class=\"coasts\" fill=\"{}\">\n", scheme.sea_name);
    for location in &map.locations {
        if let (Some(coast), Some(spot)) = (&location.coast, art.spots.get(&location.code)) {
            let at = spot.label.unwrap_or(spot.unit);
            text(out, at, art.type_size * 0.85, &coast.to_lowercase(), "");
        }
    }
    out.push_str("</g>\n");
}

fn centres(out: &mut String, brush: &Brush) {
    let (picture, s) = (brush.picture, brush.scale);
    let owner: BTreeMap<ProvinceId, PowerId> = picture.owners.iter().copied().collect();
    put!(*out, "<g class=\"centres\" stroke=\"{}\" stroke-width=\"{}\">\n", brush.scheme.line, Num(1.4 * s));
    for id in picture.map.province_ids().filter(|id| picture.map[*id].center) {
        let province = &picture.map[id];
        let Some(at) = picture.art.spots.get(&province.code).and_then(|spot| spot.centre) else {
            continue;
        };
        let power = owner.get(&id).copied();
        let (x, y, fill) = (Num(at[0]), Num(at[1]), brush.dye(power).fill);
        let whose = power.map_or("unowned", |id| picture.map[id].title.as_str());
        put!(
            *out,
            "<g><title>{}: supply centre, {}</title><circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"{fill}\"/>\
             <circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"{}\" stroke=\"none\"/></g>\n",
            Text(&province.title),
            Text(whose),
            Num(6.0 * s),
            Num(2.0 * s),
            brush.dye(power).ink
        );
    }
    out.push_str("</g>\n");
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

fn heading(out: &mut String, brush: &Brush) {
    let picture = brush.picture;
    let ink = brush.scheme.text;
    put!(
        *out,
        "<text x=\"14\" y=\"{}\" font-size=\"25\" font-weight=\"bold\" text-anchor=\"start\" fill=\"{ink}\">{}</text>\n",
        Num(-TITLE * 0.3),
        Text(&picture.title)
    );
    if !picture.viewer.is_empty() {
        put!(
            *out,
            "<text x=\"{}\" y=\"{}\" font-size=\"19\" text-anchor=\"end\" fill=\"{ink}\">{}</text>\n",
            Num(picture.art.width - 14.0),
            Num(-TITLE * 0.3),
            Text(&picture.viewer)
        );
    }
}

/// The panel at the right: symbol, name, units and centres of every power that has any.
fn legend(out: &mut String, brush: &Brush, id: &str) {
    let (picture, ink) = (brush.picture, brush.scheme.text);
    let rows: Vec<PowerId> = picture.map.power_ids().filter(|power| count(picture, *power) != (0, 0)).collect();
    let step = (picture.art.height / (rows.len() as f64 + 1.5)).min(42.0);
    let left = picture.art.width + 20.0;
    put!(*out, "<g class=\"legend\" font-size=\"{}\" fill=\"{ink}\">\n", Num((step * 0.5).min(19.0)));
    put!(
        *out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" font-size=\"14\">units / centres</text>\n",
        Num(left + LEGEND - 40.0),
        Num(step * 0.6)
    );
    for (row, power) in rows.into_iter().enumerate() {
        let y = step * (row as f64 + 1.3);
        let dye = brush.dye(Some(power));
        let tint = dye.fill.mix(brush.scheme.paper, brush.scheme.tint.max(0.001));
        let (units, centres) = count(picture, power);
        let swatch = format!(
            "x=\"{}\" y=\"{}\" width=\"44\" height=\"{}\"",
            Num(left - 6.0),
            Num(y - step * 0.42),
            Num(step * 0.84)
        );
        put!(*out, "<rect {swatch} fill=\"{tint}\"/>");
        if let Some(rank) = hatch(brush, power).filter(|_| centres > 0) {
            put!(*out, "<rect {swatch} fill=\"url(#k{id}-{rank})\"/>");
        }
        out.push_str("<g font-weight=\"bold\">");
        let small = Brush { picture, scheme: brush.scheme, dyes: brush.dyes.clone(), scale: (step / 42.0).min(1.0) };
        small.unit(out, [left + 16.0, y], Some(power), UnitKind::Army, false);
        put!(
            *out,
            "</g><text x=\"{}\" y=\"{}\" text-anchor=\"start\">{}</text>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{units} / {centres}</text>\n",
            Num(left + 48.0),
            Num(y + 6.0),
            Text(&picture.map[power].title),
            Num(left + LEGEND - 40.0),
            Num(y + 6.0)
        );
    }
    out.push_str("</g>\n");
}

/// Units (dislodged ones too) and centres of a power.
fn count(picture: &Picture, power: PowerId) -> (usize, usize) {
    let mine = |piece: &&Piece| piece.power == Some(power);
    let units = picture.units.iter().chain(&picture.dislodged).filter(mine).count();
    (units, picture.owners.iter().filter(|(_, owner)| *owner == power).count())
}

/// One sentence a power: `Austria: armies Budapest, Vienna; fleet Trieste; 3 centres.`
pub(super) fn describe(picture: &Picture) -> String {
    let map = picture.map;
    let places = |units: &[Unit], kind: UnitKind, one: &str, many: &str| {
        let names: Vec<&str> = units.iter().filter(|u| u.kind == kind).map(|u| map[u.at].title.as_str()).collect();
        match names.len() {
            0 => None,
            1 => Some(format!("{one} {}", names.join(", "))),
            _ => Some(format!("{many} {}", names.join(", "))),
        }
    };
    let mut sentences = Vec::new();
    let unknown = picture.units.iter().any(|piece| piece.power.is_none());
    let powers = map.power_ids().map(Some).chain(unknown.then_some(None));
    for power in powers {
        let mine = |pieces: &[Piece]| -> Vec<Unit> {
            pieces.iter().filter(|piece| piece.power == power).map(|piece| piece.unit).collect()
        };
        let (units, gone) = (mine(&picture.units), mine(&picture.dislodged));
        let centres = power.map_or(0, |id| count(picture, id).1);
        let mut parts: Vec<String> = Vec::new();
        parts.extend(places(&units, UnitKind::Army, "army", "armies"));
        parts.extend(places(&units, UnitKind::Fleet, "fleet", "fleets"));
        let retreating: Vec<&str> = gone.iter().map(|u| map[u.at].title.as_str()).collect();
        if !retreating.is_empty() {
            parts.push(format!("dislodged {}", retreating.join(", ")));
        }
        if parts.is_empty() && centres == 0 {
            continue;
        }
        if !picture.owners.is_empty() {
            parts.push(if centres == 1 { "1 centre".to_string() } else { format!("{centres} centres") });
        }
        let name = power.map_or("Unknown power", |id| map[id].title.as_str());
        sentences.push(format!("{name}: {}.", parts.join("; ")));
    }
    if sentences.is_empty() { "An empty board.".to_string() } else { sentences.join(" ") }
}

/// Bars over a unit that is gone.
pub(super) fn gone(at: Point, s: f64) -> String {
    cross(at, 13.0 * s)
}
