//! Text around the board: the title line, and the panel with the powers (map-drawing.md 5.5).

use super::ground::hatch;
use super::words::count;
use super::{Brush, LEGEND, TITLE};
use crate::diplomacy::draw::pen::{Num, Text, put};
use crate::diplomacy::map::{PowerId, UnitKind};

pub(super) fn heading(out: &mut String, brush: &Brush) {
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
pub(super) fn legend(out: &mut String, brush: &Brush) {
    let (picture, ink, id) = (brush.picture, brush.scheme.text, &brush.id);
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
        let small = Brush { dyes: brush.dyes.clone(), id: id.clone(), scale: (step / 42.0).min(1.0), ..*brush };
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
