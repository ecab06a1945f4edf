//! A planar embedding of as much of a graph as can be had: the method of Demoucron, Malgrange and Pertuiset, which draws
//! a path of one fragment after another into a face that takes it. Edges that fit no face are refused and become links.

use std::collections::{BTreeMap, BTreeSet};

/// An undirected edge, smaller node first.
pub type Edge = (usize, usize);

/// The edge of two nodes.
pub fn edge(a: usize, b: usize) -> Edge {
    (a.min(b), a.max(b))
}

/// Faces of a planar graph as cycles of nodes; every edge is walked once in either direction.
#[derive(Clone, Debug, Default)]
pub struct Embedding {
    /// The faces.
    pub faces: Vec<Vec<usize>>,
    /// Edges of the graph that are not in it.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests hold the embedding to it"))]
    pub refused: Vec<Edge>,
    /// Edges that were added to hold loosely joined parts together; where they show as a border, it is a wall.
    pub added: Vec<Edge>,
}

/// Neighbours by node.
pub fn neighbours(nodes: usize, edges: &BTreeSet<Edge>) -> Vec<Vec<usize>> {
    let mut near = vec![Vec::new(); nodes];
    for (a, b) in edges {
        near[*a].push(*b);
        near[*b].push(*a);
    }
    near
}

/// Up to so many nodes the refused edges are found by halving, which finds fewer; larger graphs take what the drawing
/// itself stumbles over.
const CAREFUL: usize = 200;

/// Embeds the graph. Refused edges are as few as a greedy search finds: those with few common neighbours go first.
pub fn embed(nodes: usize, edges: &BTreeSet<Edge>) -> Embedding {
    let near = neighbours(nodes, edges);
    let common = |e: &Edge| near[e.0].iter().filter(|n| near[e.1].contains(n)).count();
    let by_worth = |list: &mut Vec<Edge>| list.sort_by_key(|e| (std::cmp::Reverse(common(e)), *e));
    let (mut kept, mut refused) = (edges.clone(), Vec::new());
    if nodes > CAREFUL {
        loop {
            let (Ok((_, dropped)) | Err(dropped)) = attempt(nodes, &kept, &common, false);
            if dropped.is_empty() {
                break;
            }
            for e in dropped {
                kept.remove(&e);
                refused.push(e);
            }
        }
        by_worth(&mut refused);
    } else {
        kept.clear();
        refused = edges.iter().copied().collect();
        by_worth(&mut refused);
    }
    let mut left = Vec::new();
    offer(nodes, &mut kept, &refused, &mut left, &common);
    left.sort_unstable();
    let added = biconnecting(nodes, &kept);
    match attempt(nodes, &kept, &common, true) {
        Ok((faces, _)) => Embedding { faces, refused: left, added },
        Err(_) => Embedding { faces: Vec::new(), refused: left, added },
    }
}

/// Takes in as many of the edges as stay planar, in order: all at once if that goes, else half and half.
fn offer(
    nodes: usize,
    kept: &mut BTreeSet<Edge>,
    edges: &[Edge],
    refused: &mut Vec<Edge>,
    common: &dyn Fn(&Edge) -> usize,
) {
    if edges.is_empty() {
        return;
    }
    kept.extend(edges);
    if attempt(nodes, kept, common, true).is_ok() {
        return;
    }
    for e in edges {
        kept.remove(e);
    }
    if let [one] = edges {
        refused.push(*one);
        return;
    }
    let (first, second) = edges.split_at(edges.len() / 2);
    offer(nodes, kept, first, refused, common);
    offer(nodes, kept, second, refused, common);
}

/// Edges that make the graph connected and free of cut vertices without harming its planarity: parts are joined end to
/// end, and around a cut vertex a neighbour in one block is joined to a neighbour in the next.
fn biconnecting(nodes: usize, edges: &BTreeSet<Edge>) -> Vec<Edge> {
    let mut all = edges.clone();
    let mut added = Vec::new();
    let mut add = |all: &mut BTreeSet<Edge>, e: Edge| {
        if all.insert(e) {
            added.push(e);
        }
    };
    let whole: Vec<usize> = (0..nodes).collect();
    let parts = components(&whole, &neighbours(nodes, &all), None);
    for pair in parts.windows(2) {
        let (Some(a), Some(b)) = (pair[0].first(), pair[1].first()) else { continue };
        add(&mut all, edge(*a, *b));
    }
    let mut near = neighbours(nodes, &all);
    for cut in 0..nodes {
        let others: Vec<usize> = (0..nodes).filter(|n| *n != cut).collect();
        let parts = components(&others, &near, Some(cut));
        let doors: Vec<usize> =
            parts.iter().filter_map(|part| part.iter().copied().find(|n| near[cut].contains(n))).collect();
        if doors.len() > 1 {
            for pair in doors.windows(2) {
                add(&mut all, edge(pair[0], pair[1]));
            }
            near = neighbours(nodes, &all);
        }
    }
    added
}

/// Connected parts of these nodes, walking around `without`.
fn components(nodes: &[usize], near: &[Vec<usize>], without: Option<usize>) -> Vec<Vec<usize>> {
    let mut seen = vec![false; near.len()];
    if let Some(without) = without {
        seen[without] = true;
    }
    let mut parts = Vec::new();
    for start in nodes {
        if std::mem::replace(&mut seen[*start], true) {
            continue;
        }
        let mut part = vec![*start];
        let mut next = 0;
        while let Some(at) = part.get(next).copied() {
            next += 1;
            for n in &near[at] {
                if !std::mem::replace(&mut seen[*n], true) {
                    part.push(*n);
                }
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}

/// A fragment: what hangs together outside the drawn part, with the drawn nodes it touches.
struct Fragment {
    inside: Vec<usize>,
    feet: BTreeSet<usize>,
}

/// Faces, and the edges that had to be left out.
type Drawn = (Vec<Vec<usize>>, Vec<Edge>);

/// Draws what can be drawn: the faces, and the edges that had to be left out; `Err` if leaving an edge out tore the
/// graph so that it must be begun again, or if it is `strict` and any edge would have to be.
fn attempt(
    nodes: usize,
    edges: &BTreeSet<Edge>,
    common: &dyn Fn(&Edge) -> usize,
    strict: bool,
) -> Result<Drawn, Vec<Edge>> {
    let added: BTreeSet<Edge> = biconnecting(nodes, edges).into_iter().collect();
    let mut open: BTreeSet<Edge> = edges.union(&added).copied().collect();
    let near = neighbours(nodes, &open);
    let Some(cycle) = first_cycle(nodes, &near) else { return Ok((vec![(0..nodes).collect()], Vec::new())) };
    let mut drawn = vec![false; nodes];
    for (i, node) in cycle.iter().enumerate() {
        drawn[*node] = true;
        open.remove(&edge(*node, cycle[(i + 1) % cycle.len()]));
    }
    let mut faces = vec![cycle.clone(), cycle.into_iter().rev().collect()];
    let mut dropped = Vec::new();
    while !open.is_empty() {
        let left = neighbours(nodes, &open);
        let fragments = fragments(&left, &drawn);
        let mut by_node: Vec<Vec<usize>> = vec![Vec::new(); nodes];
        for (i, face) in faces.iter().enumerate() {
            for node in face {
                by_node[*node].push(i);
            }
        }
        let admits = |fragment: &Fragment| -> Vec<usize> {
            let mut feet = fragment.feet.iter();
            let Some(first) = feet.next() else { return Vec::new() };
            let mut list = by_node[*first].clone();
            for foot in feet {
                list.retain(|face| by_node[*foot].binary_search(face).is_ok());
            }
            list
        };
        let mut best: Option<(usize, usize, Vec<usize>)> = None;
        for (i, fragment) in fragments.iter().enumerate() {
            let list = admits(fragment);
            if best.as_ref().is_none_or(|(count, _, _)| list.len() < *count) {
                let done = list.len() < 2;
                best = Some((list.len(), i, list));
                if done {
                    break;
                }
            }
        }
        let Some((count, at, list)) = best else { break };
        let fragment = &fragments[at];
        if count == 0 && strict {
            return Err(Vec::new());
        }
        if count == 0 {
            let inside: BTreeSet<usize> = fragment.inside.iter().copied().collect();
            let legs = open.iter().filter(|e| match inside.is_empty() {
                true => fragment.feet.contains(&e.0) && fragment.feet.contains(&e.1),
                false => inside.contains(&e.0) != inside.contains(&e.1),
            });
            let Some(worst) = legs.filter(|e| !added.contains(e)).min_by_key(|e| (common(e), **e)).copied() else {
                // only edges of our own: they may go without loss
                open.retain(|e| !added.contains(e));
                continue;
            };
            dropped.push(worst);
            open.remove(&worst);
            if !inside.is_empty() {
                return Err(dropped);
            }
            continue;
        }
        let path = path_through(fragment, &left);
        let (Some(start), Some(end), Some(face)) = (path.first(), path.last(), list.first()) else { break };
        let old = &faces[*face];
        let (Some(i), Some(j)) = (old.iter().position(|n| n == start), old.iter().position(|n| n == end)) else {
            break;
        };
        let arc = |from: usize, to: usize| -> Vec<usize> {
            let length = (to + old.len() - from) % old.len();
            (0..=length).map(|k| old[(from + k) % old.len()]).collect()
        };
        let middle = &path[1..path.len() - 1];
        let mut one = arc(i, j);
        one.extend(middle.iter().rev());
        let mut two = arc(j, i);
        two.extend(middle);
        for pair in path.windows(2) {
            open.remove(&edge(pair[0], pair[1]));
        }
        for node in &path {
            drawn[*node] = true;
        }
        faces[*face] = one;
        faces.push(two);
    }
    Ok((faces, dropped))
}

/// Some cycle, as long as a walk of depth first finds from node 0.
fn first_cycle(nodes: usize, near: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut parent = vec![usize::MAX; nodes];
    let mut depth = vec![usize::MAX; nodes];
    let mut stack = vec![(0usize, 0usize)];
    if nodes == 0 {
        return None;
    }
    depth[0] = 0;
    while let Some((at, next)) = stack.pop() {
        let Some(to) = near[at].get(next).copied() else { continue };
        stack.push((at, next + 1));
        if depth[to] == usize::MAX {
            depth[to] = depth[at] + 1;
            parent[to] = at;
            stack.push((to, 0));
        } else if depth[to] + 1 < depth[at] {
            let mut cycle = vec![at];
            let mut walk = at;
            while walk != to {
                walk = parent[walk];
                cycle.push(walk);
            }
            return Some(cycle);
        }
    }
    None
}

fn fragments(near: &[Vec<usize>], drawn: &[bool]) -> Vec<Fragment> {
    let nodes = near.len();
    let mut list = Vec::new();
    let mut seen = drawn.to_vec();
    for start in 0..nodes {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let (mut inside, mut feet, mut next) = (vec![start], BTreeSet::new(), 0);
        while let Some(at) = inside.get(next).copied() {
            next += 1;
            for n in &near[at] {
                if drawn[*n] {
                    feet.insert(*n);
                } else if !seen[*n] {
                    seen[*n] = true;
                    inside.push(*n);
                }
            }
        }
        list.push(Fragment { inside, feet });
    }
    for (a, others) in near.iter().enumerate().filter(|(a, _)| drawn[*a]) {
        for b in others.iter().filter(|b| **b > a && drawn[**b]) {
            list.push(Fragment { inside: Vec::new(), feet: BTreeSet::from([a, *b]) });
        }
    }
    list
}

/// The shortest path from the fragment's first foot through its inside to another foot.
fn path_through(fragment: &Fragment, near: &[Vec<usize>]) -> Vec<usize> {
    let feet: Vec<usize> = fragment.feet.iter().copied().collect();
    if fragment.inside.is_empty() {
        return feet;
    }
    let Some(start) = feet.first().copied() else { return Vec::new() };
    let inside: BTreeSet<usize> = fragment.inside.iter().copied().collect();
    let mut before: BTreeMap<usize, usize> = BTreeMap::new();
    let mut queue: Vec<usize> = near[start].iter().copied().filter(|n| inside.contains(n)).collect();
    for n in &queue {
        before.insert(*n, start);
    }
    let mut next = 0;
    while let Some(at) = queue.get(next).copied() {
        next += 1;
        for n in &near[at] {
            if inside.contains(n) {
                if !before.contains_key(n) {
                    before.insert(*n, at);
                    queue.push(*n);
                }
            } else if *n != start && fragment.feet.contains(n) {
                let mut path = vec![*n, at];
                let mut walk = at;
                while let Some(earlier) = before.get(&walk).copied() {
                    path.push(earlier);
                    if earlier == start {
                        break;
                    }
                    walk = earlier;
                }
                path.reverse();
                return path;
            }
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(n: usize) -> BTreeSet<Edge> {
        (0..n).flat_map(|b| (0..b).map(move |a| (a, b))).collect()
    }

    fn euler(nodes: usize, edges: &BTreeSet<Edge>) -> Embedding {
        let e = embed(nodes, edges);
        let drawn = edges.len() - e.refused.len() + e.added.len();
        assert_eq!(e.faces.iter().map(Vec::len).sum::<usize>(), 2 * drawn);
        assert_eq!(nodes + e.faces.len(), drawn + 2, "Euler");
        let mut walked = BTreeSet::new();
        for face in &e.faces {
            for i in 0..face.len() {
                assert!(walked.insert((face[i], face[(i + 1) % face.len()])), "an edge walked twice");
            }
        }
        e
    }

    #[test]
    fn complete_graphs_lose_what_they_must() {
        assert_eq!(euler(4, &complete(4)).refused.len(), 0);
        assert_eq!(euler(5, &complete(5)).refused.len(), 1);
        assert_eq!(euler(7, &complete(7)).refused.len(), 6);
    }

    #[test]
    fn trees_and_islands_are_held_together() {
        let star = BTreeSet::from([(0, 1), (0, 2), (0, 3)]);
        assert_eq!(euler(4, &star).refused.len(), 0);
        let apart = BTreeSet::from([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]);
        assert_eq!(euler(6, &apart).refused.len(), 0);
    }
}
