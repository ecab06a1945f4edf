//! Which way is north, and what an author asks for (map-drawing.md 4, step 7 and `NAME.hints`).

use super::{Plan, spread};
use crate::diplomacy::draw::art::Point;
use crate::diplomacy::map::library::BuiltIn;
use crate::diplomacy::map::{Map, Source as _};

/// What an author says about an automatic picture, read line by line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hints {
    /// Provinces with their place, 0 to 1 from the top left.
    pub at: Vec<(usize, Point)>,
    /// Provinces that are to lie around the rim.
    pub outer: Vec<usize>,
    /// Provinces that only say which way round the picture goes.
    pub near: Vec<(usize, Point)>,
}

impl Hints {
    /// The hints that travel with a built-in map.
    pub fn builtin(map: &Map) -> Hints {
        let mut hints = Hints::default();
        let bytes = BuiltIn.read(&format!("{}.hints", map.name)).unwrap_or_default();
        for line in crate::diplomacy::map::source::decode(bytes).lines().map(str::trim) {
            if !line.is_empty() && !line.starts_with('#') {
                // A place that a morph has taken away has nothing to say.
                let _ = hints.read(map, line);
            }
        }
        hints
    }

    /// Reads `AT PLACE x y`, `NEAR PLACE x y` or `OUTER PLACE …`.
    pub fn read(&mut self, map: &Map, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let place = |word: &str| {
            map.province(word).map(|id| usize::from(id.0)).ok_or_else(|| format!("no place has the code {word}"))
        };
        let share = |word: &str| {
            let number = word.parse::<f64>().ok().filter(|n| (0.0..=1.0).contains(n));
            number.ok_or_else(|| format!("{word} is no number from 0 to 1"))
        };
        let verb = words.first().map(|w| w.to_uppercase()).unwrap_or_default();
        match (verb.as_str(), words.get(1..).unwrap_or_default()) {
            ("AT" | "NEAR", [code, x, y]) => {
                let hint = (place(code)?, [share(x)?, share(y)?]);
                let list = if verb == "AT" { &mut self.at } else { &mut self.near };
                list.retain(|(node, _)| *node != hint.0);
                list.push(hint);
                Ok(())
            }
            ("OUTER", codes @ [_, ..]) => {
                for code in codes {
                    self.outer.push(place(code)?);
                }
                Ok(())
            }
            _ => Err("want AT PLACE x y, NEAR PLACE x y, or OUTER PLACE PLACE …".into()),
        }
    }
}

/// One of the eight quarter turns and mirrors.
fn turn(p: &Point, way: u8) -> Point {
    let p = if way & 4 == 0 { *p } else { [-p[0], p[1]] };
    match way & 3 {
        0 => p,
        1 => [p[1], -p[0]],
        2 => [-p[0], -p[1]],
        _ => [-p[1], p[0]],
    }
}

/// All points turned.
pub fn turned(at: &[Point], way: u8) -> Vec<Point> {
    at.iter().map(|p| turn(p, way)).collect()
}

/// The turn that undoes another.
fn undoing(way: u8) -> u8 {
    let probe = [1.0, 2.0];
    (0..8).find(|back| turn(&turn(&probe, way), *back) == probe).unwrap_or(0)
}

fn compass(word: &str) -> Option<Point> {
    [("N", [0.0, -1.0]), ("S", [0.0, 1.0]), ("E", [1.0, 0.0]), ("W", [-1.0, 0.0])]
        .into_iter()
        .find(|(letter, _)| word.starts_with(letter))
        .map(|(_, direction)| direction)
}

impl Plan<'_> {
    /// Of the eight quarter turns and mirrors, the one that best puts the north coasts and the Northern Seas in the
    /// north, and places of which the author has said where they are, there.
    pub(super) fn turning(&self, at: &[Point]) -> u8 {
        let mut pulls: Vec<(Point, Point, f64)> = Vec::new();
        for (i, location) in self.map.locations.iter().enumerate() {
            let Some(direction) = location.coast.as_deref().filter(|c| c.ends_with('C')).and_then(compass) else {
                continue;
            };
            let Some(home) = at.get(usize::from(location.province.0)) else { continue };
            for (other, _) in self.map.fleet.get(i).into_iter().flatten() {
                let there = usize::from(self.map.province_of(*other).0);
                if let Some(p) = at.get(there) {
                    pulls.push(([p[0] - home[0], p[1] - home[1]], direction, 1.0));
                }
            }
        }
        for (i, province) in self.map.provinces.iter().enumerate() {
            let words = province.title.to_uppercase();
            for word in words.split_whitespace() {
                let known = ["NORTH", "SOUTH", "EAST", "WEST"].iter().any(|w| word.starts_with(w));
                if let (true, Some(direction), Some(p)) = (known, compass(word), at.get(i)) {
                    pulls.push((*p, direction, 0.7));
                }
            }
        }
        for (node, [x, y]) in self.hints.at.iter().chain(&self.hints.near) {
            if let Some(p) = at.get(*node) {
                pulls.push((*p, [2.0 * x - 1.0, 2.0 * y - 1.0], 20.0));
            }
        }
        let score = |way: u8| -> f64 {
            let one = |(p, d, weight): &(Point, Point, f64)| {
                let q = turn(p, way);
                weight * (q[0] * d[0] + q[1] * d[1]) / (q[0].hypot(q[1]) + 0.1)
            };
            pulls.iter().map(one).sum()
        };
        let mut best = 0;
        for way in 1..8 {
            if score(way) > score(best) + 1e-9 {
                best = way;
            }
        }
        best
    }

    /// The drawing with the author's places nailed down: as many of them, in order, as leave it without crossings.
    pub(super) fn pinned(
        &self,
        free: Vec<Point>,
        way: u8,
        provinces: usize,
        outer: &[usize],
        inner: &[Vec<usize>],
        extra: &[Option<usize>],
    ) -> Vec<Point> {
        let back = undoing(way);
        // Within the rim, which is drawn from -1 to 1.
        let place = |[x, y]: Point| turn(&[(2.0 * x - 1.0) * 0.8, (2.0 * y - 1.0) * 0.8], back);
        let (mut pins, mut best): (Vec<(usize, Point)>, Vec<Point>) = (Vec::new(), free);
        for (node, at) in self.hints.at.iter().filter(|(node, _)| !outer.contains(node)) {
            pins.push((*node, place(*at)));
            let drawing = spread::draw(provinces, outer, inner, extra, &pins);
            if spread::upright(&drawing, inner, extra) {
                best = drawing;
            } else {
                pins.pop();
            }
        }
        best
    }
}
