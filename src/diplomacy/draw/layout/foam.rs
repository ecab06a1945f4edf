//! Cells around the nodes of a drawing, blown up like foam: borders pull themselves short, crowded cells push, and no
//! step is taken that would make an outline cross itself, so neighbours stay neighbours.

use super::planar::{Edge, edge};
use crate::diplomacy::draw::art::Point;
use std::collections::BTreeMap;

/// What holds a corner.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hold {
    Free,
    /// On the frame: may slide along x (`true`) or y.
    Slides(bool),
    /// A corner of the frame.
    Fast,
}

/// The cells: corners shared by all, outlines as rings of corners.
pub struct Foam {
    pub at: Vec<Point>,
    hold: Vec<Hold>,
    /// By cell.
    pub rings: Vec<Vec<usize>>,
    /// Corners of each border from end to end, by its two cells.
    pub borders: BTreeMap<Edge, Vec<usize>>,
    /// Where each corner occurs: cell and place in its ring.
    uses: Vec<Vec<usize>>,
    /// By corner: the other ends of the borders that end there.
    facing: Vec<Vec<usize>>,
    size: [f64; 2],
}

/// Borders shorter than this push their ends apart.
const SHORTEST: f64 = 26.0;
/// Turns sharper than this may only get blunter.
const FOLD: f64 = 0.985;

impl Foam {
    /// The cells of a drawing: through the middles of faces and edges. `node_at` in picture coordinates, `outer` the
    /// outer face, `inner` the others with their middles.
    pub fn new(node_at: &[Point], outer: &[usize], inner: &[(Vec<usize>, Point)], size: [f64; 2]) -> Option<Foam> {
        let mut foam = Foam {
            at: inner.iter().map(|(_, middle)| *middle).collect(),
            hold: vec![Hold::Free; inner.len()],
            rings: Vec::new(),
            borders: BTreeMap::new(),
            uses: Vec::new(),
            facing: Vec::new(),
            size,
        };
        // The face to the left of every directed edge.
        let mut left: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (f, (face, _)) in inner.iter().enumerate() {
            for (i, a) in face.iter().enumerate() {
                left.insert((*a, face[(i + 1) % face.len()]), f);
            }
        }
        let mut rim_at: BTreeMap<Edge, usize> = BTreeMap::new();
        for (i, a) in outer.iter().enumerate() {
            let b = outer[(i + 1) % outer.len()];
            let middle = [(node_at[*a][0] + node_at[b][0]) / 2.0, (node_at[*a][1] + node_at[b][1]) / 2.0];
            let (point, along_x) = foam.onto_frame(middle);
            rim_at.insert(edge(*a, b), foam.corner(point, Hold::Slides(along_x)));
        }
        let mut edges: Vec<Edge> = left.keys().map(|(a, b)| edge(*a, *b)).collect();
        edges.sort_unstable();
        edges.dedup();
        for e in edges {
            let (a, b) = e;
            let middle = [(node_at[a][0] + node_at[b][0]) / 2.0, (node_at[a][1] + node_at[b][1]) / 2.0];
            let ends = (left.get(&(a, b)), left.get(&(b, a)));
            let (one, two) = match ends {
                (Some(one), Some(two)) => (*one, *two),
                (Some(one), None) | (None, Some(one)) => (*one, *rim_at.get(&e)?),
                (None, None) => return None,
            };
            let mid = foam.corner(middle, Hold::Free);
            foam.borders.insert(e, vec![one, mid, two]);
        }
        let corners: Vec<usize> = [[0.0, 0.0], [size[0], 0.0], size, [0.0, size[1]]]
            .into_iter()
            .map(|p| foam.corner(p, Hold::Fast))
            .collect();
        for node in 0..node_at.len() {
            let ring = foam.ring(node, &left, inner, &rim_at, &corners)?;
            foam.rings.push(ring);
        }
        foam.index();
        Some(foam)
    }

    fn corner(&mut self, at: Point, hold: Hold) -> usize {
        self.at.push(at);
        self.hold.push(hold);
        self.at.len() - 1
    }

    /// From the middle of the picture through the point onto the frame; whether that side runs along x.
    fn onto_frame(&self, p: Point) -> (Point, bool) {
        let (w, h) = (self.size[0], self.size[1]);
        let d = [p[0] - w / 2.0, p[1] - h / 2.0];
        let (sx, sy) = (w / 2.0 / d[0].abs().max(1e-9), h / 2.0 / d[1].abs().max(1e-9));
        let s = sx.min(sy);
        let on = [w / 2.0 + d[0] * s, h / 2.0 + d[1] * s];
        // never in the frame's own corner
        if sy < sx {
            ([on[0].clamp(30.0, w - 30.0), on[1]], true)
        } else {
            ([on[0], on[1].clamp(30.0, h - 30.0)], false)
        }
    }

    /// How far around the frame a point is, clockwise from the top left.
    fn around(&self, p: Point) -> f64 {
        let (w, h) = (self.size[0], self.size[1]);
        if p[1] <= 0.5 {
            p[0]
        } else if p[0] >= w - 0.5 {
            w + p[1]
        } else if p[1] >= h - 0.5 {
            w + h + (w - p[0])
        } else {
            2.0 * w + h + (h - p[1])
        }
    }

    /// The outline of a node's cell, from border to border.
    fn ring(
        &self,
        node: usize,
        left: &BTreeMap<(usize, usize), usize>,
        inner: &[(Vec<usize>, Point)],
        rim_at: &BTreeMap<Edge, usize>,
        corners: &[usize],
    ) -> Option<Vec<usize>> {
        // Start behind the rim if the node is on it: at the outgoing edge that has no face on its right.
        let out: Vec<usize> = left.range((node, 0)..(node + 1, 0)).map(|((_, to), _)| *to).collect();
        let start = out.iter().copied().find(|to| !left.contains_key(&(*to, node))).or(out.first().copied())?;
        let on_rim = !left.contains_key(&(start, node));
        let mut ring = Vec::new();
        let mut to = start;
        if on_rim {
            ring.push(*rim_at.get(&edge(node, to))?);
            ring.push(*self.borders.get(&edge(node, to))?.get(1)?);
        }
        loop {
            let face = *left.get(&(node, to))?;
            ring.push(face);
            let cycle = &inner.get(face)?.0;
            let here = cycle.iter().position(|n| *n == node)?;
            let before = cycle[(here + cycle.len() - 1) % cycle.len()];
            ring.push(*self.borders.get(&edge(node, before))?.get(1)?);
            if !left.contains_key(&(node, before)) {
                let end = *rim_at.get(&edge(node, before))?;
                ring.push(end);
                self.along_frame(&mut ring, end, *rim_at.get(&edge(node, start))?, corners);
                return Some(ring);
            }
            if before == start {
                return Some(ring);
            }
            to = before;
            if ring.len() > 4 * left.len() {
                return None;
            }
        }
    }

    /// The frame's corners passed on the shorter way from one point of the frame to another.
    fn along_frame(&self, ring: &mut Vec<usize>, from: usize, to: usize, corners: &[usize]) {
        let whole = 2.0 * (self.size[0] + self.size[1]);
        let (a, b) = (self.around(self.at[from]), self.around(self.at[to]));
        let ahead = (b - a).rem_euclid(whole);
        let forward = ahead <= whole / 2.0;
        let mut passed: Vec<(f64, usize)> = corners
            .iter()
            .map(|c| {
                let gone = (self.around(self.at[*c]) - a).rem_euclid(whole);
                (if forward { gone } else { whole - gone }, *c)
            })
            .filter(|(gone, _)| *gone < if forward { ahead } else { whole - ahead })
            .collect();
        passed.sort_by(|x, y| x.0.total_cmp(&y.0));
        ring.extend(passed.into_iter().map(|(_, c)| c));
    }

    fn index(&mut self) {
        self.uses = vec![Vec::new(); self.at.len()];
        for (cell, ring) in self.rings.iter().enumerate() {
            for corner in ring {
                self.uses[*corner].push(cell);
            }
        }
        self.facing = vec![Vec::new(); self.at.len()];
        for border in self.borders.values() {
            if let (Some(a), Some(b)) = (border.first(), border.last()) {
                self.facing[*a].push(*b);
                self.facing[*b].push(*a);
            }
        }
    }

    /// Whether a corner is one of the frame's four.
    pub fn is_frame_corner(&self, corner: usize) -> bool {
        self.hold.get(corner) == Some(&Hold::Fast)
    }

    /// Whether a border ends at that corner.
    pub fn ends_border(&self, corner: usize) -> bool {
        self.facing.get(corner).is_some_and(|others| !others.is_empty())
    }

    /// Length of a border, 0 if there is none.
    pub fn length(&self, border: Edge) -> f64 {
        let corners = self.borders.get(&border).map(Vec::as_slice).unwrap_or_default();
        let long = |c: &[usize]| (self.at[c[0]][0] - self.at[c[1]][0]).hypot(self.at[c[0]][1] - self.at[c[1]][1]);
        corners.windows(2).map(long).sum()
    }

    /// Distance of the ends of the shortest border.
    pub fn shortest(&self) -> f64 {
        let ends =
            self.borders.values().filter_map(|border| Some((self.at[*border.first()?], self.at[*border.last()?])));
        ends.map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).fold(f64::MAX, f64::min)
    }

    /// The outline of a cell.
    pub fn outline(&self, cell: usize) -> Vec<Point> {
        self.rings[cell].iter().map(|corner| self.at[*corner]).collect()
    }

    /// Signed area of a ring.
    pub fn area(&self, cell: usize) -> f64 {
        let ring = &self.rings[cell];
        let mut sum = 0.0;
        for (i, a) in ring.iter().enumerate() {
            let (p, q) = (self.at[*a], self.at[ring[(i + 1) % ring.len()]]);
            sum += p[0] * q[1] - q[0] * p[1];
        }
        sum / 2.0
    }

    /// Cuts every stretch of border in two.
    pub fn refine(&mut self) {
        let mut cut: BTreeMap<Edge, usize> = BTreeMap::new();
        let borders = std::mem::take(&mut self.borders);
        for (key, border) in borders {
            let mut finer = Vec::new();
            for pair in border.windows(2) {
                let (p, q) = (self.at[pair[0]], self.at[pair[1]]);
                let mid = self.corner([(p[0] + q[0]) / 2.0, (p[1] + q[1]) / 2.0], Hold::Free);
                cut.insert(edge(pair[0], pair[1]), mid);
                finer.extend([pair[0], mid]);
            }
            finer.extend(border.last());
            self.borders.insert(key, finer);
        }
        for ring in &mut self.rings {
            let mut finer = Vec::new();
            for (i, a) in ring.iter().enumerate() {
                finer.push(*a);
                finer.extend(cut.get(&edge(*a, ring[(i + 1) % ring.len()])));
            }
            *ring = finer;
        }
        self.index();
    }

    /// One sweep over all corners towards cells of these areas; returns the longest step taken.
    pub fn relax(&mut self, wanted: &[f64], push: f64, pull: f64) -> f64 {
        let turn: Vec<f64> = (0..self.rings.len()).map(|c| self.area(c).signum()).collect();
        let mut area: Vec<f64> = (0..self.rings.len()).map(|c| self.area(c).abs()).collect();
        let mut longest: f64 = 0.0;
        for corner in 0..self.at.len() {
            let hold = self.hold[corner];
            if hold == Hold::Fast {
                continue;
            }
            let here = self.at[corner];
            let (mut force, mut near): (Point, Vec<usize>) = ([0.0, 0.0], Vec::new());
            let mut least = f64::MAX;
            for cell in &self.uses[corner] {
                let ring = &self.rings[*cell];
                let Some(i) = ring.iter().position(|c| *c == corner) else { continue };
                let (before, after) = (ring[(i + ring.len() - 1) % ring.len()], ring[(i + 1) % ring.len()]);
                let (p, q) = (self.at[before], self.at[after]);
                let want = ((wanted[*cell] - area[*cell]) / wanted[*cell]).clamp(-1.0, 1.0);
                let k = push * want * turn[*cell] / 2.0;
                force[0] += k * (q[1] - p[1]);
                force[1] -= k * (q[0] - p[0]);
                for n in [before, after] {
                    if !near.contains(&n) {
                        near.push(n);
                        let o = self.at[n];
                        // the frame itself does not pull
                        if self.hold[n] == Hold::Free || hold == Hold::Free {
                            force[0] += pull * (o[0] - here[0]);
                            force[1] += pull * (o[1] - here[1]);
                        }
                        least = least.min(((o[0] - here[0]).powi(2) + (o[1] - here[1]).powi(2)).sqrt());
                    }
                }
            }
            for other in &self.facing[corner] {
                let o = self.at[*other];
                let gap = ((here[0] - o[0]).powi(2) + (here[1] - o[1]).powi(2)).sqrt();
                if gap < SHORTEST {
                    let k = (SHORTEST - gap) * 0.5 / gap.max(0.05);
                    force[0] += k * (here[0] - o[0]);
                    force[1] += k * (here[1] - o[1]);
                }
            }
            match hold {
                Hold::Slides(true) => force[1] = 0.0,
                Hold::Slides(false) => force[0] = 0.0,
                _ => {}
            }
            let length = force[0].hypot(force[1]);
            let most = (least * 0.6).clamp(0.5, 9.0);
            let mut share = if length > most { most / length } else { 1.0 };
            let fold = self.sharpest(corner).max(FOLD);
            for _ in 0..3 {
                let to = [here[0] + force[0] * share, here[1] + force[1] * share];
                let inside = to[0] > 0.0 && to[1] > 0.0 && to[0] < self.size[0] && to[1] < self.size[1];
                let slid = match hold {
                    Hold::Slides(true) => to[0] > 4.0 && to[0] < self.size[0] - 4.0,
                    Hold::Slides(false) => to[1] > 4.0 && to[1] < self.size[1] - 4.0,
                    _ => inside,
                };
                self.at[corner] = to;
                if slid && self.sharpest(corner) <= fold && self.sound_around(corner, &turn) {
                    longest = longest.max(length * share);
                    break;
                }
                self.at[corner] = here;
                share *= 0.4;
            }
            for cell in &self.uses[corner] {
                area[*cell] = self.area(*cell).abs();
            }
        }
        longest
    }

    /// Whether the outlines at a corner neither cross themselves nor turn over.
    fn sound_around(&self, corner: usize, turn: &[f64]) -> bool {
        self.uses[corner].iter().all(|cell| {
            let ring = &self.rings[*cell];
            let n = ring.len();
            let Some(i) = ring.iter().position(|c| *c == corner) else { return true };
            if self.area(*cell) * turn[*cell] <= 0.0 {
                return false;
            }
            [(i + n - 1) % n, i].into_iter().all(|side| {
                let (a, b) = (self.at[ring[side]], self.at[ring[(side + 1) % n]]);
                (0..n).all(|other| {
                    let next = (other + 1) % n;
                    if other == side || next == side || other == (side + 1) % n {
                        return true;
                    }
                    !crossing(a, b, self.at[ring[other]], self.at[ring[next]])
                })
            })
        })
    }

    /// The sharpest turn of the outlines at a corner and beside it, as a cosine: 1 is a fold.
    fn sharpest(&self, corner: usize) -> f64 {
        let mut most = -1.0_f64;
        for cell in &self.uses[corner] {
            let ring = &self.rings[*cell];
            let n = ring.len();
            let Some(i) = ring.iter().position(|c| *c == corner) else { continue };
            for k in [i + n - 2, i + n - 1, i] {
                let [a, b, c] = [k, k + 1, k + 2].map(|at| self.at[ring[at % n]]);
                let (u, v) = ([a[0] - b[0], a[1] - b[1]], [c[0] - b[0], c[1] - b[1]]);
                let lengths = ((u[0] * u[0] + u[1] * u[1]) * (v[0] * v[0] + v[1] * v[1])).sqrt().max(1e-12);
                most = most.max((u[0] * v[0] + u[1] * v[1]) / lengths);
            }
        }
        most
    }

    /// Whether every outline is free of crossings.
    pub fn sound(&self) -> bool {
        self.rings.iter().all(|ring| self.ring_sound(ring))
    }

    /// Whether an outline is free of crossings.
    pub fn ring_sound(&self, ring: &[usize]) -> bool {
        let n = ring.len();
        let at = |i: usize| self.at[ring[i % n]];
        (0..n).all(|i| (i + 2..n).all(|j| (i == 0 && j == n - 1) || !crossing(at(i), at(i + 1), at(j), at(j + 1))))
    }
}

/// Whether two stretches cross or touch.
fn crossing(a: Point, b: Point, c: Point, d: Point) -> bool {
    let side = |p: Point, q: Point, r: Point| (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
    let (one, two) = (side(a, b, c), side(a, b, d));
    let (three, four) = (side(c, d, a), side(c, d, b));
    one * two <= 0.0 && three * four <= 0.0 && !(one == 0.0 && two == 0.0)
}
