//! A planar embedding of as much of a graph as can be had: the method of Demoucron, Malgrange and Pertuiset, which draws
//! a path of one fragment after another into a face that takes it. Edges that fit no face become links.

use std::collections::{BTreeMap, BTreeSet};

/// An undirected edge, smaller node first.
pub type Edge = (usize, usize);

/// The edge of two nodes.
pub fn edge(a: usize, b: usize) -> Edge {
    (a.min(b), a.max(b))
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

/// Embeds as much of the graph as a greedy search finds, edges of most worth first: the faces as cycles of nodes, every
/// edge walked once in either direction. Edges that are added to hold loosely joined parts together may be among them.
pub fn embed(nodes: usize, worth: &BTreeMap<Edge, usize>) -> Vec<Vec<usize>> {
    let mut order: Vec<Edge> = worth.keys().copied().collect();
    order.sort_by_key(|e| (std::cmp::Reverse(worth.get(e)), *e));
    let mut kept = BTreeSet::new();
    offer(nodes, &mut kept, &order);
    faces(nodes, &kept).unwrap_or_default()
}

/// Takes in as many of the edges as stay planar, in order: all at once if that goes, else half and half.
fn offer(nodes: usize, kept: &mut BTreeSet<Edge>, edges: &[Edge]) {
    if edges.is_empty() {
        return;
    }
    kept.extend(edges);
    if faces(nodes, kept).is_some() {
        return;
    }
    for e in edges {
        kept.remove(e);
    }
    if edges.len() == 1 {
        return;
    }
    let (first, second) = edges.split_at(edges.len() / 2);
    offer(nodes, kept, first);
    offer(nodes, kept, second);
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

/// A fragment of more than an edge: what hangs together outside the drawn part, with the drawn nodes it touches.
struct Fragment {
    inside: Vec<usize>,
    feet: BTreeSet<usize>,
}

/// The faces of a planar graph, made biconnected first; `None` if it is not planar.
fn faces(nodes: usize, edges: &BTreeSet<Edge>) -> Option<Vec<Vec<usize>>> {
    let mut open = edges.clone();
    open.extend(biconnecting(nodes, edges));
    let mut left = neighbours(nodes, &open);
    let Some(cycle) = first_cycle(nodes, &left) else {
        return Some(vec![(0..nodes).collect()]);
    };
    let mut close = |left: &mut Vec<Vec<usize>>, a: usize, b: usize| {
        left[a].retain(|n| *n != b);
        left[b].retain(|n| *n != a);
        open.remove(&edge(a, b))
    };
    let mut drawn = vec![false; nodes];
    let mut by_node: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for (i, node) in cycle.iter().enumerate() {
        drawn[*node] = true;
        by_node[*node] = vec![0, 1];
        close(&mut left, *node, cycle[(i + 1) % cycle.len()]);
    }
    let mut faces = vec![cycle.clone(), cycle.into_iter().rev().collect()];
    while let Some((path, face)) = next_path(&left, &drawn, &by_node)? {
        let (start, end) = (path.first()?, path.last()?);
        let old = std::mem::take(&mut faces[face]);
        let (i, j) = (old.iter().position(|n| n == start)?, old.iter().position(|n| n == end)?);
        let arc = |from: usize, to: usize| -> Vec<usize> {
            let length = (to + old.len() - from) % old.len();
            (0..=length).map(|k| old[(from + k) % old.len()]).collect()
        };
        let middle = &path[1..path.len() - 1];
        let (mut one, mut two) = (arc(i, j), arc(j, i));
        // What lies strictly on the second arc leaves the face for the new one.
        for node in &two[1..two.len() - 1] {
            by_node[*node].retain(|f| *f != face);
        }
        one.extend(middle.iter().rev());
        two.extend(middle);
        for node in middle {
            drawn[*node] = true;
            by_node[*node] = vec![face];
        }
        for node in &two {
            by_node[*node].push(faces.len());
        }
        for pair in path.windows(2) {
            close(&mut left, pair[0], pair[1]);
        }
        faces[face] = one;
        faces.push(two);
    }
    Some(faces)
}

/// The next path to draw and the face that takes it: of the fragment that the fewest faces admit. `Some(None)`: all is
/// drawn; `None`: a fragment fits no face.
fn next_path(left: &[Vec<usize>], drawn: &[bool], by_node: &[Vec<usize>]) -> Option<Option<(Vec<usize>, usize)>> {
    let mut best: Option<(usize, usize, usize, usize)> = None;
    for (a, others) in left.iter().enumerate().filter(|(a, _)| drawn[*a]) {
        for b in others.iter().copied().filter(|b| *b > a && drawn[*b]) {
            let mut common = by_node[a].iter().filter(|face| by_node[b].binary_search(face).is_ok());
            let face = *common.next()?;
            let count = 1 + common.count();
            if count == 1 {
                return Some(Some((vec![a, b], face)));
            }
            if best.is_none_or(|(least, ..)| count < least) {
                best = Some((count, a, b, face));
            }
        }
    }
    let fragments = fragments(left, drawn);
    let mut part: Option<(usize, &Fragment, usize)> = None;
    for fragment in &fragments {
        let mut feet = fragment.feet.iter();
        let mut list = by_node[*feet.next()?].clone();
        for foot in feet {
            list.retain(|face| by_node[*foot].binary_search(face).is_ok());
        }
        let face = *list.first()?;
        if part.is_none_or(|(least, ..)| list.len() < least) {
            part = Some((list.len(), fragment, face));
        }
    }
    Some(match (best, part) {
        (Some((count, a, b, face)), part) if part.is_none_or(|(least, ..)| count <= least) => Some((vec![a, b], face)),
        (_, Some((_, fragment, face))) => Some((path_through(fragment, left), face)),
        _ => None,
    })
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
    list
}

/// The shortest path from the fragment's first foot through its inside to another foot.
fn path_through(fragment: &Fragment, near: &[Vec<usize>]) -> Vec<usize> {
    let feet: Vec<usize> = fragment.feet.iter().copied().collect();
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

    /// Checks Euler's formula; the number of edges drawn.
    fn drawn(nodes: usize, edges: &BTreeSet<Edge>) -> usize {
        let faces = embed(nodes, &edges.iter().map(|e| (*e, 0)).collect());
        let mut walked = BTreeSet::new();
        for face in &faces {
            for i in 0..face.len() {
                assert!(walked.insert((face[i], face[(i + 1) % face.len()])), "an edge walked twice");
            }
        }
        let drawn = walked.len() / 2;
        assert_eq!(nodes + faces.len(), drawn + 2, "Euler");
        drawn
    }

    #[test]
    fn complete_graphs_lose_what_they_must() {
        assert_eq!(drawn(4, &complete(4)), 6);
        assert_eq!(drawn(5, &complete(5)), 9);
        assert_eq!(drawn(7, &complete(7)), 15);
    }

    #[test]
    fn trees_and_islands_are_held_together() {
        let star = BTreeSet::from([(0, 1), (0, 2), (0, 3)]);
        assert!(drawn(4, &star) >= 4);
        let apart = BTreeSet::from([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]);
        assert!(drawn(6, &apart) >= 7);
    }
}
