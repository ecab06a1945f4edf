//! Straight-line drawing of an embedded graph: the outer face on a rounded rectangle, every other node at the weighted
//! mean of its neighbours (Tutte), the weights evened out until no part is crowded.

use super::planar::Edge;
use crate::diplomacy::draw::art::Point;
use std::collections::{BTreeMap, BTreeSet};

/// Draws: where the nodes are, within -1 to 1 both ways; first those given, then one for each inner face of more than
/// three corners. `outer` is the outer face in order; `inner` the other faces; `extra` tells which of them has a node of
/// its own (numbered from `nodes` on, in order). `pins` are nodes whose place is given; those of the outer face stay on it.
pub fn draw(
    nodes: usize,
    outer: &[usize],
    inner: &[Vec<usize>],
    extra: &[Option<usize>],
    pins: &[(usize, Point)],
) -> Vec<Point> {
    let total = nodes + extra.iter().flatten().count();
    let mut weight: BTreeMap<Edge, f64> = BTreeMap::new();
    for (face, own) in inner.iter().zip(extra) {
        for (i, a) in face.iter().enumerate() {
            let b = face[(i + 1) % face.len()];
            weight.insert((*a.min(&b), *a.max(&b)), 1.0);
            if let Some(own) = own {
                weight.insert((*a, *own), 1.0);
            }
        }
    }
    let mut at: Vec<Point> = vec![[0.0, 0.0]; total];
    let mut fixed = vec![false; total];
    for (i, node) in outer.iter().enumerate() {
        fixed[*node] = true;
        at[*node] = rim((i as f64 + 0.5) / outer.len() as f64);
    }
    for (node, place) in pins {
        if !std::mem::replace(&mut fixed[*node], true) {
            at[*node] = *place;
        }
    }
    let triangles = triangles(inner, extra);
    solve(&mut at, &fixed, &weight);
    for round in 0..ROUNDS {
        let length = |e: &Edge| (at[e.0][0] - at[e.1][0]).hypot(at[e.0][1] - at[e.1][1]);
        if round < ROUNDS / 3 {
            let mean = weight.keys().map(length).sum::<f64>() / weight.len().max(1) as f64;
            for (e, w) in &mut weight {
                *w = (w.powf(0.6) * (length(e) / mean).max(1e-9).powf(0.9)).clamp(1e-6, 1e6);
            }
        } else {
            // Nodes with little room around them let go of their neighbours, those with much pull.
            let mut room = vec![0.0; total];
            for [a, b, c] in &triangles {
                let area = (at[*b][0] - at[*a][0]) * (at[*c][1] - at[*a][1])
                    - (at[*c][0] - at[*a][0]) * (at[*b][1] - at[*a][1]);
                for node in [a, b, c] {
                    room[*node] += area.abs() / 6.0;
                }
            }
            let mean = room.iter().sum::<f64>() / nodes as f64;
            let want = |node: usize| if node < nodes { mean } else { mean * 0.4 };
            let pull: Vec<f64> = (0..total).map(|n| (room[n] / want(n)).clamp(1e-6, 1e4).powf(0.22)).collect();
            for (e, w) in &mut weight {
                *w = (*w * pull[e.0] * pull[e.1]).clamp(1e-12, 1e12);
            }
        }
        solve(&mut at, &fixed, &weight);
    }
    at
}

/// Faces as triangles: those with more corners around their own node.
fn triangles(inner: &[Vec<usize>], extra: &[Option<usize>]) -> Vec<[usize; 3]> {
    inner
        .iter()
        .zip(extra)
        .flat_map(|(face, own)| {
            let sides = (0..face.len()).map(|i| (face[i], face[(i + 1) % face.len()]));
            match (own, face.as_slice()) {
                (Some(own), _) => sides.map(|(a, b)| [a, b, *own]).collect(),
                (None, [a, b, c]) => vec![[*a, *b, *c]],
                _ => Vec::new(),
            }
        })
        .collect()
}

/// Whether no part of a drawing is turned over, so that no lines cross.
pub fn upright(at: &[Point], inner: &[Vec<usize>], extra: &[Option<usize>]) -> bool {
    let area = |[a, b, c]: [usize; 3]| {
        (at[b][0] - at[a][0]) * (at[c][1] - at[a][1]) - (at[c][0] - at[a][0]) * (at[b][1] - at[a][1])
    };
    let areas: Vec<f64> = triangles(inner, extra).into_iter().map(area).collect();
    areas.iter().all(|a| *a > 1e-9) || areas.iter().all(|a| *a < -1e-9)
}

/// Rounds of evening out: a third by length of edges, the rest by room around nodes.
const ROUNDS: usize = 90;

/// A point of the rounded rectangle, strictly convex so that no chord runs along it.
fn rim(share: f64) -> Point {
    let angle = share * std::f64::consts::TAU;
    let bulge = |v: f64| v.signum() * v.abs().powf(0.55);
    [bulge(angle.cos()), bulge(angle.sin())]
}

/// Puts every free node at the weighted mean of its neighbours, exactly: nodes are taken out one by one, the fewest
/// neighbours first, each leaving its pull to its neighbours in pairs (star to mesh), then put back in reverse. Nothing
/// is ever subtracted, so weights many powers of ten apart do no harm.
fn solve(at: &mut [Point], fixed: &[bool], weight: &BTreeMap<Edge, f64>) {
    let mut pulls: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); at.len()];
    for (e, w) in weight {
        pulls[e.0].insert(e.1, *w);
        pulls[e.1].insert(e.0, *w);
    }
    let mut waiting: BTreeSet<(usize, usize)> =
        (0..at.len()).filter(|n| !fixed[*n]).map(|n| (pulls[n].len(), n)).collect();
    let mut taken: Vec<(usize, Vec<(usize, f64)>)> = Vec::new();
    while let Some((_, node)) = waiting.pop_first() {
        let around: Vec<(usize, f64)> = std::mem::take(&mut pulls[node]).into_iter().collect();
        let all: f64 = around.iter().map(|(_, w)| w).sum();
        for (i, (a, w)) in around.iter().enumerate() {
            let before = pulls[*a].len();
            pulls[*a].remove(&node);
            for (j, (b, v)) in around.iter().enumerate() {
                if i != j {
                    *pulls[*a].entry(*b).or_default() += w * v / all;
                }
            }
            if !fixed[*a] {
                waiting.remove(&(before, *a));
                waiting.insert((pulls[*a].len(), *a));
            }
        }
        taken.push((node, around));
    }
    for (node, around) in taken.into_iter().rev() {
        let all: f64 = around.iter().map(|(_, w)| w).sum();
        if all > 0.0 {
            at[node] = [0, 1].map(|axis| around.iter().map(|(n, w)| w * at[*n][axis]).sum::<f64>() / all);
        }
    }
}
