//! Places for units, centres and labels inside the cells of a layout (map-drawing.md 3.4).

use crate::diplomacy::draw::art::{Point, Spot};
use crate::diplomacy::map::{LocationId, Map, Terrain};
use std::collections::BTreeMap;

/// Half height of a label against its font size, and half width a character (bold capitals).
const HALF_HEIGHT: f64 = 0.46;
const HALF_WIDTH: f64 = 0.40;
/// Room of a unit.
const UNIT: f64 = 14.0;

/// Half the box of a label.
pub fn label_box(code: &str, size: f64) -> Point {
    [HALF_WIDTH * size * code.chars().count() as f64 + 1.0, HALF_HEIGHT * size]
}

/// Font size of labels, and the smaller ones for cells too narrow for it.
pub const TYPE_SIZE: f64 = 14.0;
const SMALLER: [f64; 7] = [14.0, 12.5, 11.0, 10.0, 9.0, 8.0, 7.0];

/// Spots for every place; a label that does not fit its cell is set smaller.
pub fn place(
    map: &Map,
    rings: &[Vec<Point>],
    shared: &dyn Fn(usize, usize) -> Option<Vec<Point>>,
) -> BTreeMap<String, Spot> {
    let mut spots = BTreeMap::new();
    for (province, ring) in map.provinces.iter().zip(rings) {
        let field = Field::new(ring);
        let fits = |size: &f64| field.fits(label_box(&province.code, *size));
        let size = SMALLER.into_iter().find(fits).unwrap_or(6.0);
        let mut spot = field.spot(label_box(&province.code, size), province.center);
        spot.label_size = (size < TYPE_SIZE).then_some(size);
        spots.insert(province.code.clone(), spot);
    }
    for (i, location) in map.locations.iter().enumerate() {
        if location.coast.is_none() {
            continue;
        }
        if let Some(unit) = shore(map, LocationId(i as u16), rings, shared) {
            spots.insert(
                location.code.clone(),
                Spot { unit, dislodged: None, centre: None, label: None, label_size: None },
            );
        }
    }
    spots
}

/// A coast's unit: on the longest border with a sea of that coast, drawn a little ashore.
fn shore(
    map: &Map,
    coast: LocationId,
    rings: &[Vec<Point>],
    shared: &dyn Fn(usize, usize) -> Option<Vec<Point>>,
) -> Option<Point> {
    let home = usize::from(map.province_of(coast).0);
    let reached = map.fleet.get(usize::from(coast.0))?;
    let seas = reached.iter().map(|(to, _)| map.province_of(*to)).filter(|id| map[*id].terrain == Terrain::Water);
    let others = reached.iter().map(|(to, _)| map.province_of(*to));
    let length = |line: &Vec<Point>| line.windows(2).map(|p| apart(p[0], p[1])).sum::<f64>();
    let border = |id: crate::diplomacy::map::ProvinceId| shared(home, usize::from(id.0));
    let longest = |lines: &mut dyn Iterator<Item = Vec<Point>>| lines.max_by(|a, b| length(a).total_cmp(&length(b)));
    let line = longest(&mut seas.filter_map(border)).or_else(|| longest(&mut others.filter_map(border)))?;
    let middle = *line.get(line.len() / 2)?;
    let ring = rings.get(home)?;
    let centre = ring.iter().fold([0.0, 0.0], |sum, p| [sum[0] + p[0], sum[1] + p[1]]);
    let centre = [centre[0] / ring.len() as f64, centre[1] / ring.len() as f64];
    let away = apart(middle, centre).max(1.0);
    Some([middle[0] + (centre[0] - middle[0]) / away * 6.0, middle[1] + (centre[1] - middle[1]) / away * 6.0])
}

/// Distance of a point from a stretch.
fn to_side(p: Point, a: Point, b: Point) -> f64 {
    let d = [b[0] - a[0], b[1] - a[1]];
    let t = ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / (d[0] * d[0] + d[1] * d[1]).max(1e-9);
    let t = t.clamp(0.0, 1.0);
    apart(p, [a[0] + d[0] * t, a[1] + d[1] * t])
}

fn apart(a: Point, b: Point) -> f64 {
    ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
}

/// Whether a box lies inside an outline.
#[cfg(test)]
pub fn inside(ring: &[Point], at: Point, half: Point) -> bool {
    Field { ring: ring.to_vec(), points: Vec::new() }.box_room(at, half) >= 0.0
}

/// Radius of the largest circle in an outline, near enough: of those around the points of a fine grid.
pub fn inscribed(ring: &[Point]) -> f64 {
    let field = Field { ring: ring.to_vec(), points: Vec::new() };
    let better = |best: f64, p: Point| field.room_beyond(p, best).unwrap_or(best);
    grid(ring).filter(|p| field.holds(*p)).fold(0.0, better)
}

/// Whether no circle of that radius lies in an outline, near enough.
pub fn narrower(ring: &[Point], radius: f64) -> bool {
    let field = Field { ring: ring.to_vec(), points: Vec::new() };
    let roomy = |p: &Point| field.room_beyond(*p, radius).is_some() && field.holds(*p);
    // Few points settle it for most outlines; every point is asked before one is called narrow.
    !grid(ring).step_by(7).any(|p| roomy(&p)) && !grid(ring).any(|p| roomy(&p))
}

/// Some nine hundred points over the box of an outline.
fn grid(ring: &[Point]) -> impl Iterator<Item = Point> + use<> {
    let bound = |axis: usize, pick: fn(f64, f64) -> f64, from: f64| ring.iter().fold(from, |m, p| pick(m, p[axis]));
    let (x0, x1) = (bound(0, f64::min, f64::MAX), bound(0, f64::max, f64::MIN));
    let (y0, y1) = (bound(1, f64::min, f64::MAX), bound(1, f64::max, f64::MIN));
    let step = (((x1 - x0) * (y1 - y0)).max(1.0) / 900.0).sqrt().max(1.5);
    let count = |from: f64, to: f64| ((to - from) / step - 0.5).ceil().max(0.0) as usize;
    let (columns, rows) = (count(x0, x1), count(y0, y1));
    let at = move |from: f64, n: usize| from + step * (n as f64 + 0.5);
    (0..rows).flat_map(move |row| (0..columns).map(move |column| [at(x0, column), at(y0, row)]))
}

/// Points of a cell with their distance to its border.
struct Field {
    ring: Vec<Point>,
    points: Vec<(Point, f64)>,
}

impl Field {
    fn new(ring: &[Point]) -> Field {
        let mut field = Field { ring: ring.to_vec(), points: Vec::new() };
        let inside: Vec<Point> = grid(ring).filter(|p| field.holds(*p)).collect();
        field.points = inside.into_iter().map(|p| (p, field.clearance(p))).collect();
        if field.points.is_empty() {
            let n = ring.len().max(1) as f64;
            let sum = ring.iter().fold([0.0, 0.0], |s, p| [s[0] + p[0], s[1] + p[1]]);
            field.points.push(([sum[0] / n, sum[1] / n], 0.0));
        }
        field
    }

    fn sides(&self) -> impl Iterator<Item = (Point, Point)> + '_ {
        let n = self.ring.len();
        (0..n).map(move |i| (self.ring[i], self.ring[(i + 1) % n]))
    }

    fn holds(&self, p: Point) -> bool {
        self.sides().filter(|(a, b)| (a[1] > p[1]) != (b[1] > p[1])).fold(false, |odd, (a, b)| {
            let x = a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
            odd != (x > p[0])
        })
    }

    fn clearance(&self, p: Point) -> f64 {
        self.sides().map(|(a, b)| to_side(p, a, b)).fold(f64::MAX, f64::min)
    }

    /// The clearance if it is no less than that.
    fn room_beyond(&self, p: Point, least: f64) -> Option<f64> {
        let mut clear = f64::MAX;
        for (a, b) in self.sides() {
            clear = clear.min(to_side(p, a, b));
            if clear < least {
                return None;
            }
        }
        Some(clear)
    }

    /// Clearance of a box from the border; negative if it does not lie inside.
    fn box_room(&self, at: Point, half: Point) -> f64 {
        let mut least = f64::MAX;
        for i in -3..=3 {
            let share = f64::from(i) / 3.0;
            for p in [
                [at[0] + half[0] * share, at[1] - half[1]],
                [at[0] + half[0] * share, at[1] + half[1]],
                [at[0] - half[0], at[1] + half[1] * share],
                [at[0] + half[0], at[1] + half[1] * share],
            ] {
                if !self.holds(p) {
                    return -1.0;
                }
                least = least.min(self.clearance(p));
            }
        }
        least
    }

    fn fits(&self, half: Point) -> bool {
        let worth = |(_, clear): &&(Point, f64)| *clear >= half[1];
        self.points.iter().filter(worth).any(|(p, _)| self.box_room(*p, half) >= 1.0)
    }

    /// The best of a list by score.
    fn best(list: impl Iterator<Item = (Point, f64)>) -> Option<Point> {
        list.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(p, _)| p)
    }

    fn spot(&self, half: Point, center: bool) -> Spot {
        let area = self.points.len() as f64;
        let middle = self.points.iter().fold([0.0, 0.0], |s, (p, _)| [s[0] + p[0] / area, s[1] + p[1] / area]);
        // The unit where there is room, a little below the middle; the label where it is clear of the unit.
        let unit = Self::best(self.points.iter().map(|(p, clear)| {
            let off = apart(*p, [middle[0], middle[1] + 7.0]);
            (*p, clear.min(26.0) * 1.5 - 0.12 * off)
        }))
        .unwrap_or(middle);
        let label = Self::best(self.points.iter().filter(|(_, clear)| *clear >= half[1] * 0.8).map(|(p, _)| {
            let room = self.box_room(*p, half);
            let gap = ((p[0] - unit[0]).abs() - half[0] - UNIT - 3.0).max((p[1] - unit[1]).abs() - half[1] - UNIT);
            let above = if p[1] < unit[1] { 1.0 } else { 0.0 };
            let score = if room < 1.0 { -200.0 + room } else { room.min(6.0) };
            (*p, score + gap.clamp(-20.0, 4.0) * 2.0 + above - 0.05 * apart(*p, unit))
        }))
        .unwrap_or(middle);
        let centre = center.then(|| {
            Self::best(self.points.iter().map(|(p, clear)| {
                let from_label = ((p[0] - label[0]).abs() - half[0] - 7.0).max((p[1] - label[1]).abs() - half[1] - 7.0);
                let from_unit = apart(*p, unit) - UNIT - 12.0;
                let free = from_label.min(from_unit).clamp(-20.0, 3.0);
                (*p, clear.min(10.0) + free * 2.0 - 0.05 * apart(*p, unit))
            }))
            .unwrap_or(middle)
        });
        let around = (0..8).map(|i| {
            let angle = 0.7 + f64::from(i) * std::f64::consts::FRAC_PI_4;
            let p = [unit[0] + 18.0 * angle.cos(), unit[1] + 18.0 * angle.sin()];
            let room = if self.holds(p) { self.clearance(p).min(14.0) } else { -20.0 };
            (p, room + apart(p, label).min(22.0) * 0.5)
        });
        let dislodged = Self::best(around);
        let round = |p: Point| [(p[0] * 10.0).round() / 10.0, (p[1] * 10.0).round() / 10.0];
        Spot {
            unit: round(unit),
            dislodged: dislodged.map(round),
            centre: centre.map(round),
            label: Some(round(label)),
            label_size: None,
        }
    }
}
