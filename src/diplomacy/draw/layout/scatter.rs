//! Boards that are no map of anything (too many crossings), or too small for an embedding: points spread so that
//! distances go with steps on the board (stress majorisation), every place the region nearest to its point.

use super::planar::Edge;
use crate::diplomacy::draw::art::Point;
use std::collections::{BTreeMap, BTreeSet};

/// Points within -1 to 1, by stress majorisation of the graph's distances.
pub fn points(nodes: usize, near: &[Vec<usize>]) -> Vec<Point> {
    let far = nodes as f64;
    let steps: Vec<Vec<f64>> = (0..nodes)
        .map(|from| {
            let mut gone = vec![far; nodes];
            gone[from] = 0.0;
            let (mut queue, mut next) = (vec![from], 0);
            while let Some(at) = queue.get(next).copied() {
                next += 1;
                for to in &near[at] {
                    if gone[*to] >= far && *to != from {
                        gone[*to] = gone[at] + 1.0;
                        queue.push(*to);
                    }
                }
            }
            let most = gone.iter().copied().filter(|d| *d < far).fold(1.0, f64::max);
            gone.into_iter().map(|d| if d < far { d } else { most + 1.0 }).collect()
        })
        .collect();
    // The sunflower: evenly spread, and no two in a line.
    let mut at: Vec<Point> = (0..nodes)
        .map(|i| {
            let (angle, radius) = (i as f64 * 2.399_963, (i as f64 + 0.5).sqrt());
            [radius * angle.cos(), radius * angle.sin()]
        })
        .collect();
    for _ in 0..200 {
        let before = at.clone();
        for i in 0..nodes {
            let (mut sum, mut all) = ([0.0, 0.0], 0.0);
            for j in (0..nodes).filter(|j| *j != i) {
                let d = steps[i][j];
                let (dx, dy) = (before[i][0] - before[j][0], before[i][1] - before[j][1]);
                let share = d / dx.hypot(dy).max(1e-6);
                let weight = 1.0 / (d * d);
                sum[0] += weight * (before[j][0] + dx * share);
                sum[1] += weight * (before[j][1] + dy * share);
                all += weight;
            }
            if all > 0.0 {
                at[i] = [sum[0] / all, sum[1] / all];
            }
        }
    }
    for axis in 0..2 {
        let (low, high) = at.iter().fold((f64::MAX, f64::MIN), |(low, high), p| (low.min(p[axis]), high.max(p[axis])));
        for p in &mut at {
            p[axis] = if high > low { (p[axis] - low) / (high - low) * 2.0 - 1.0 } else { 0.0 };
        }
    }
    at
}

/// Edges with their worth, the shorter between the points the higher.
pub fn nearness(at: &[Point], edges: &BTreeSet<Edge>) -> BTreeMap<Edge, usize> {
    let long = |e: &Edge| (at[e.0][0] - at[e.1][0]).hypot(at[e.0][1] - at[e.1][1]);
    edges.iter().map(|e| (*e, (1e6 * (4.0 - long(e))).max(0.0) as usize)).collect()
}

/// Regions of a picture: their outlines, and the straight borders of those that touch.
pub struct Regions {
    /// By node.
    pub rings: Vec<Vec<Point>>,
    /// By pair of nodes.
    pub borders: BTreeMap<Edge, [Point; 2]>,
}

/// Regions nearest to the points, evened out by moving each point towards the middle of its region.
pub fn regions(mut at: Vec<Point>, size: [f64; 2]) -> Regions {
    for round in 0..60 {
        let regions = nearest(&at, size);
        if round == 59 {
            return regions;
        }
        for (p, ring) in at.iter_mut().zip(&regions.rings) {
            let middle = centroid(ring).unwrap_or(*p);
            *p = [p[0] + (middle[0] - p[0]) * 0.6, p[1] + (middle[1] - p[1]) * 0.6];
        }
    }
    nearest(&at, size)
}

fn centroid(ring: &[Point]) -> Option<Point> {
    let (mut area, mut sum) = (0.0, [0.0, 0.0]);
    for (i, a) in ring.iter().enumerate() {
        let b = ring[(i + 1) % ring.len()];
        let cut = a[0] * b[1] - b[0] * a[1];
        area += cut;
        sum = [sum[0] + (a[0] + b[0]) * cut, sum[1] + (a[1] + b[1]) * cut];
    }
    (area.abs() > 1e-9).then(|| [sum[0] / (3.0 * area), sum[1] / (3.0 * area)])
}

/// Every region is the frame, cut by the middle line between its point and each other.
fn nearest(at: &[Point], size: [f64; 2]) -> Regions {
    let frame = [[0.0, 0.0], [size[0], 0.0], size, [0.0, size[1]]];
    let mut regions = Regions { rings: Vec::new(), borders: BTreeMap::new() };
    for (i, p) in at.iter().enumerate() {
        // Corners, each with the node behind the side that begins there.
        let mut ring: Vec<(Point, Option<usize>)> = frame.iter().map(|c| (*c, None)).collect();
        for (j, q) in at.iter().enumerate().filter(|(j, _)| *j != i) {
            let (middle, way) = ([(p[0] + q[0]) / 2.0, (p[1] + q[1]) / 2.0], [q[0] - p[0], q[1] - p[1]]);
            let beyond = |c: Point| (c[0] - middle[0]) * way[0] + (c[1] - middle[1]) * way[1];
            let mut kept = Vec::new();
            for (k, (a, side)) in ring.iter().enumerate() {
                let (b, _) = ring[(k + 1) % ring.len()];
                let (da, db) = (beyond(*a), beyond(b));
                let meet = || [a[0] + (b[0] - a[0]) * da / (da - db), a[1] + (b[1] - a[1]) * da / (da - db)];
                match (da <= 0.0, db <= 0.0) {
                    (true, true) => kept.push((*a, *side)),
                    (true, false) => kept.extend([(*a, *side), (meet(), Some(j))]),
                    (false, true) => kept.push((meet(), *side)),
                    (false, false) => {}
                }
            }
            ring = kept;
        }
        for (k, (a, side)) in ring.iter().enumerate() {
            let (b, _) = ring[(k + 1) % ring.len()];
            if let Some(j) = side.filter(|j| *j > i && (a[0] - b[0]).hypot(a[1] - b[1]) > 0.5) {
                regions.borders.insert((i, j), [*a, b]);
            }
        }
        regions.rings.push(ring.into_iter().map(|(c, _)| c).collect());
    }
    regions
}

/// Pairs that touch long enough to be seen.
pub fn touching(regions: &Regions, visible: f64) -> BTreeSet<Edge> {
    let long = |[a, b]: &[Point; 2]| (a[0] - b[0]).hypot(a[1] - b[1]) >= visible;
    regions.borders.iter().filter(|(_, border)| long(border)).map(|(e, _)| *e).collect()
}
