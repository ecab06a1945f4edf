//! The lines of orders: straight, bent aside, or through the seas of a convoy (map-drawing.md 5.4).

use super::art::Point;
use super::pen::{line_to, move_to, put};

/// Distance of two points.
pub fn apart(a: Point, b: Point) -> f64 {
    // Not hypot: nothing here is near overflow, and a picture measures tens of thousands of distances.
    let (x, y) = (a[0] - b[0], a[1] - b[1]);
    (x * x + y * y).sqrt()
}

/// Between `a` (0) and `b` (1).
pub fn between(a: Point, b: Point, t: f64) -> Point {
    [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t]
}

/// The way an order takes over the board, from anchor to anchor.
#[derive(Clone, Debug, PartialEq)]
pub enum Way {
    /// A quadratic curve; its middle point is the control point (on the line: straight).
    Bend([Point; 3]),
    /// From place to place; at least two points.
    Legs(Vec<Point>),
}

impl Way {
    /// A straight way.
    pub fn straight(a: Point, b: Point) -> Way {
        Way::Bend([a, between(a, b, 0.5), b])
    }

    /// Bent to its right by that share of its length (negative: to its left).
    pub fn bent(a: Point, b: Point, sag: f64) -> Way {
        let middle = between(a, b, 0.5);
        // y grows downwards, so (-dy, dx) points to the right of the way.
        Way::Bend([a, [middle[0] - (b[1] - a[1]) * sag * 2.0, middle[1] + (b[0] - a[0]) * sag * 2.0], b])
    }

    /// The least bent way from `a` to `b` that passes no obstacle nearer than `room`. Opposed ways both go right.
    pub fn around(a: Point, b: Point, opposed: bool, obstacles: &[Point], room: f64) -> Way {
        const FREE: [f64; 9] = [0.0, 0.1, -0.1, 0.17, -0.17, 0.25, -0.25, 0.35, -0.35];
        const RIGHT: [f64; 4] = [0.12, 0.2, 0.28, 0.36];
        let sags: &[f64] = if opposed { &RIGHT } else { &FREE };
        let others: Vec<Point> =
            obstacles.iter().copied().filter(|o| apart(*o, a) > 1.0 && apart(*o, b) > 1.0).collect();
        let mut best = None;
        for sag in sags {
            let way = Way::bent(a, b, *sag);
            let samples: [Point; 19] = std::array::from_fn(|i| way.at((i + 1) as f64 / 20.0));
            let crowd = others.iter().filter(|o| samples.iter().any(|s| apart(*s, **o) < room)).count();
            if crowd == 0 {
                return way;
            }
            if best.as_ref().is_none_or(|(least, _)| crowd < *least) {
                best = Some((crowd, way));
            }
        }
        best.map_or_else(|| Way::straight(a, b), |(_, way)| way)
    }

    /// The point at that share of the way.
    pub fn at(&self, t: f64) -> Point {
        match self {
            Way::Bend([a, c, b]) => between(between(*a, *c, t), between(*c, *b, t), t),
            Way::Legs(points) => {
                let total = self.length() * t;
                let mut gone = 0.0;
                for pair in points.windows(2) {
                    let leg = apart(pair[0], pair[1]);
                    if gone + leg >= total && leg > 0.0 {
                        return between(pair[0], pair[1], (total - gone) / leg);
                    }
                    gone += leg;
                }
                points.last().copied().unwrap_or_default()
            }
        }
    }

    /// Where supports of it end: the middle, of a convoy the middle of its last leg.
    pub fn joint(&self) -> Point {
        match self {
            Way::Bend(_) => self.at(0.5),
            Way::Legs(points) => match points.as_slice() {
                [.., a, b] => between(*a, *b, 0.5),
                _ => self.at(0.5),
            },
        }
    }

    /// Its length, near enough.
    pub fn length(&self) -> f64 {
        match self {
            Way::Bend(_) => {
                (0..16).map(|i| apart(self.at(f64::from(i) / 16.0), self.at(f64::from(i + 1) / 16.0))).sum()
            }
            Way::Legs(points) => points.windows(2).map(|pair| apart(pair[0], pair[1])).sum(),
        }
    }

    /// This way without so much at its beginning and end (at most a third of it at either).
    pub fn trimmed(&self, start: f64, end: f64) -> Way {
        let length = self.length().max(0.1);
        let (t0, t1) = ((start / length).min(0.34), 1.0 - (end / length).min(0.34));
        match self {
            Way::Bend([a, c, b]) => {
                let control = between(between(*a, *c, t0), between(*c, *b, t0), t1);
                Way::Bend([self.at(t0), control, self.at(t1)])
            }
            Way::Legs(points) => {
                let mut kept = vec![self.at(t0)];
                let mut gone = 0.0;
                for pair in points.windows(2) {
                    gone += apart(pair[0], pair[1]);
                    if gone > t0 * length && gone < t1 * length {
                        kept.push(pair[1]);
                    }
                }
                kept.push(self.at(t1));
                Way::Legs(kept)
            }
        }
    }

    /// As path data.
    pub fn path(&self) -> String {
        let mut path = String::new();
        match self {
            Way::Bend([a, c, b]) => {
                move_to(&mut path, *a);
                if apart(*c, between(*a, *b, 0.5)) < 0.5 {
                    line_to(&mut path, *b);
                } else {
                    use super::pen::Num;
                    put!(path, "Q{} {} {} {}", Num(c[0]), Num(c[1]), Num(b[0]), Num(b[1]));
                }
            }
            Way::Legs(points) => {
                for (i, p) in points.iter().enumerate() {
                    if i == 0 { move_to(&mut path, *p) } else { line_to(&mut path, *p) }
                }
            }
        }
        path
    }

    /// Unit vector in which it arrives.
    pub fn heading(&self) -> Point {
        let (a, b) = match self {
            Way::Bend([_, c, b]) => (*c, *b),
            Way::Legs(points) => match points.as_slice() {
                [.., a, b] => (*a, *b),
                _ => return [1.0, 0.0],
            },
        };
        let length = apart(a, b).max(0.001);
        [(b[0] - a[0]) / length, (b[1] - a[1]) / length]
    }

    /// The triangle at its end, as path data: tip first.
    pub fn head(&self, long: f64, wide: f64) -> String {
        let tip = self.at(1.0);
        let [dx, dy] = self.heading();
        let foot = [tip[0] - dx * long, tip[1] - dy * long];
        let side = [-dy * wide / 2.0, dx * wide / 2.0];
        super::pen::polygon(&[tip, [foot[0] + side[0], foot[1] + side[1]], [foot[0] - side[0], foot[1] - side[1]]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposed_ways_part() {
        let (a, b) = ([0.0, 0.0], [100.0, 0.0]);
        let there = Way::around(a, b, true, &[], 14.0).at(0.5);
        let back = Way::around(b, a, true, &[], 14.0).at(0.5);
        assert!(there[1] > 5.0 && back[1] < -5.0, "{there:?} {back:?}");
    }

    #[test]
    fn a_unit_between_is_passed_by() {
        let way = Way::around([0.0, 0.0], [200.0, 0.0], false, &[[100.0, 0.0]], 14.0);
        assert!(apart(way.at(0.5), [100.0, 0.0]) >= 14.0);
    }

    #[test]
    fn legs_keep_their_corners() {
        let way = Way::Legs(vec![[0.0, 0.0], [100.0, 0.0], [100.0, 100.0]]);
        assert_eq!(way.at(0.5), [100.0, 0.0]);
        assert_eq!(way.trimmed(10.0, 10.0).path(), "M10 0L100 0L100 90");
        assert_eq!(way.joint(), [100.0, 50.0]);
    }
}
