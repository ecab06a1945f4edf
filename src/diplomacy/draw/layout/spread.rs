//! Straight-line drawing of an embedded graph: the outer face on a rounded rectangle, every other node at the weighted
//! mean of its neighbours (Tutte), the weights evened out until no part is crowded.

use super::planar::Edge;
use crate::diplomacy::draw::art::Point;
use std::collections::BTreeMap;

/// A triangulated drawing: nodes first as given, then one for each inner face of more than three corners.
pub struct Drawing {
    /// Where the nodes are, within -1 to 1 both ways.
    pub at: Vec<Point>,
}

/// Draws. `outer` is the outer face in order; `inner` the other faces; `extra` tells which of them has a node of its own
/// (numbered from `nodes` on, in order).
pub fn draw(nodes: usize, outer: &[usize], inner: &[Vec<usize>], extra: &[Option<usize>]) -> Drawing {
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
    for round in 0..45 {
        solve(&mut at, &fixed, &weight);
        if round == 44 {
            break;
        }
        let length = |e: &Edge| (at[e.0][0] - at[e.1][0]).hypot(at[e.0][1] - at[e.1][1]);
        let mean = weight.keys().map(length).sum::<f64>() / weight.len().max(1) as f64;
        for (e, w) in &mut weight {
            *w = (w.powf(0.6) * (length(e) / mean).max(1e-9).powf(0.9)).clamp(1e-5, 1e5);
        }
    }
    Drawing { at }
}

/// A point of the rounded rectangle, strictly convex so that no chord runs along it.
fn rim(share: f64) -> Point {
    let angle = share * std::f64::consts::TAU;
    let bulge = |v: f64| v.signum() * v.abs().powf(0.55);
    [bulge(angle.cos()), bulge(angle.sin())]
}

/// Conjugate gradients on the weighted Laplacian of the free nodes, begun at the last positions.
fn solve(at: &mut [Point], fixed: &[bool], weight: &BTreeMap<Edge, f64>) {
    for axis in 0..2 {
        let x: Vec<f64> = at.iter().map(|p| p[axis]).collect();
        let pull = |v: &[f64]| -> Vec<f64> {
            let mut out = vec![0.0; v.len()];
            for (e, w) in weight {
                let d = w * (v[e.0] - v[e.1]);
                out[e.0] += d;
                out[e.1] -= d;
            }
            for (o, f) in out.iter_mut().zip(fixed) {
                if *f {
                    *o = 0.0;
                }
            }
            out
        };
        let mut scale = vec![0.0; x.len()];
        for (e, w) in weight {
            scale[e.0] += w;
            scale[e.1] += w;
        }
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let ease = |r: &[f64]| -> Vec<f64> { r.iter().zip(&scale).map(|(r, s)| r / s.max(1e-12)).collect() };
        let mut x = x;
        let mut rest: Vec<f64> = pull(&x).into_iter().map(|v| -v).collect();
        let mut eased = ease(&rest);
        let mut way = eased.clone();
        let mut size = dot(&rest, &eased);
        for _ in 0..400 {
            if size < 1e-18 {
                break;
            }
            let pulled = pull(&way);
            let step = size / dot(&way, &pulled).max(1e-300);
            for i in 0..x.len() {
                x[i] += step * way[i];
                rest[i] -= step * pulled[i];
            }
            eased = ease(&rest);
            let next = dot(&rest, &eased);
            for i in 0..x.len() {
                way[i] = eased[i] + next / size * way[i];
            }
            size = next;
        }
        for (p, v) in at.iter_mut().zip(x) {
            p[axis] = v;
        }
    }
}
