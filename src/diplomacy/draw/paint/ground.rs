//! The ground of the picture: patterns, seas, lands, borders and links, names, supply centres (map-drawing.md 5.2).

use super::Brush;
use crate::diplomacy::draw::art::{Cell, Point, Surface};
use crate::diplomacy::draw::palette::{Colour, Theme};
use crate::diplomacy::draw::pen::{Num, Text, put};
use crate::diplomacy::map::{PowerId, ProvinceId};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn definitions(out: &mut String, brush: &Brush) {
    let (art, scheme, id) = (brush.picture.art, &brush.scheme, &brush.id);
    put!(*out, "<defs>");
    put!(*out, "<clipPath id=\"f{id}\"><rect width=\"{}\" height=\"{}\"/></clipPath>", Num(art.width), Num(art.height));
    put!(
        *out,
        "<pattern id=\"h{id}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><path d=\"M0 0v8\" stroke=\"{}\" stroke-width=\"4\"/></pattern>",
        scheme.hatch
    );
    if !brush.picture.dummies.is_empty() {
        put!(
            *out,
            "<pattern id=\"u{id}\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate(45)\"><path d=\"M0 0v4\" stroke=\"#777777\" stroke-width=\"2.4\"/></pattern>"
        );
    }
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

pub(super) fn hatch(brush: &Brush, power: PowerId) -> Option<usize> {
    let dye = brush.dye(Some(power));
    match brush.picture.theme {
        Theme::Print => Some(dye.rank % HATCHES.len()),
        _ => dye.hatch.map(usize::from),
    }
}

/// Seas, lands, borders and links.
pub(super) fn board(out: &mut String, brush: &Brush) {
    let (picture, scheme, art, id) = (brush.picture, &brush.scheme, brush.picture.art, &brush.id);
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

pub(super) fn labels(out: &mut String, brush: &Brush) {
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
    // On hatches names need a rim.
    let halo = match brush.picture.theme {
        Theme::Print => format!(" stroke=\"{}\" paint-order=\"stroke\"", scheme.paper),
        _ => String::new(),
    };
    put!(
        *out,
        "<g class=\"labels\" font-weight=\"bold\" fill=\"{}\"{halo} stroke-linejoin=\"round\" stroke-width=\"3\">\n",
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

pub(super) fn centres(out: &mut String, brush: &Brush) {
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
