//! Art from a map's graph alone (map-drawing.md 4): a planar embedding of as many adjacencies as can be had, a straight
//! drawing of it, cells around its nodes blown up like foam, and places for units, centres and labels in every cell.
//!
//! What it promises: two cells share a border exactly where the map has an adjacency the embedding kept; the others are
//! drawn as links; a border that is no adjacency is drawn as a wall; every label lies inside its cell.

mod foam;
mod place;
mod planar;
mod spread;
#[cfg(test)]
mod tests;

use super::art::{Art, Cell, Point, contacts_of, surface};
use super::pen::{Num, line_to, move_to, put};
use crate::diplomacy::map::{Map, Terrain};
use foam::Foam;
use planar::{Edge, edge, embed};
use std::collections::{BTreeMap, BTreeSet};

/// Faces with so many corners or more become land that is no space, so that nobody takes its neighbours for adjacent.
const HOLE: usize = 6;
/// Cells get this much room on average.
const ROOM: f64 = 10_500.0;
/// A cell whose inscribed circle is smaller is given more.
const NARROW: f64 = 22.0;
/// A border this long can be seen.
const VISIBLE: f64 = 6.0;

/// Lays a map out. Deterministic; up to a few seconds for hundreds of provinces, so keep the result.
pub fn layout(map: &Map) -> Art {
    let plan = Plan::new(map);
    plan.foam().map_or_else(|| plan.strips(), |foam| plan.finish(&foam))
}

/// All unordered adjacent pairs.
fn graph(map: &Map) -> BTreeSet<Edge> {
    let near = |id: usize| map.contacts.get(id).into_iter().flatten().map(|other| usize::from(other.0));
    (0..map.provinces.len())
        .flat_map(|id| near(id).filter(move |other| *other != id).map(move |o| edge(id, o)))
        .collect()
}

struct Plan<'a> {
    map: &'a Map,
    edges: BTreeSet<Edge>,
    size: [f64; 2],
    embedding: planar::Embedding,
}

impl<'a> Plan<'a> {
    fn new(map: &'a Map) -> Plan<'a> {
        let edges = graph(map);
        let nodes = map.provinces.len();
        let embedding = if nodes >= 3 { embed(nodes, &edges) } else { planar::Embedding::default() };
        let width = (nodes as f64 * ROOM * 4.0 / 3.0).sqrt().max(1600.0).round();
        Plan { map, edges, size: [width, (width * 0.75).round()], embedding }
    }

    fn wet(&self, node: usize) -> bool {
        self.map.provinces.get(node).is_some_and(|p| p.terrain == Terrain::Water)
    }

    /// The relaxed cells: provinces first, then the holes.
    fn foam(&self) -> Option<Foam> {
        let provinces = self.map.provinces.len();
        let faces = &self.embedding.faces;
        let worth = |face: &Vec<usize>| face.iter().map(|n| if self.wet(*n) { 3 } else { 2 }).sum::<usize>();
        let outer_at = (0..faces.len()).max_by_key(|f| (faces.get(*f).map(worth), std::cmp::Reverse(*f)))?;
        let outer: Vec<usize> = faces.get(outer_at)?.iter().rev().copied().collect();
        let inner: Vec<Vec<usize>> =
            faces.iter().enumerate().filter(|(f, _)| *f != outer_at).map(|(_, face)| face.clone()).collect();
        let mut next = provinces;
        let extra: Vec<Option<usize>> = inner
            .iter()
            .map(|face| {
                (face.len() > 3).then(|| {
                    next += 1;
                    next - 1
                })
            })
            .collect();
        let drawing = spread::draw(provinces, &outer, &inner, &extra);
        let turned = self.turned(&drawing.at);
        let (w, h) = (self.size[0], self.size[1]);
        let at: Vec<Point> =
            turned.iter().map(|p| [w / 2.0 * (1.0 + 0.86 * p[0]), h / 2.0 * (1.0 + 0.86 * p[1])]).collect();
        // Holes become nodes of their own, numbered after the provinces; smaller faces are points.
        let mut cells_at: Vec<Point> = at.iter().take(provinces).copied().collect();
        let mut pieces: Vec<(Vec<usize>, Point)> = Vec::new();
        for (face, own) in inner.iter().zip(&extra) {
            let middle = match own {
                Some(own) => *at.get(*own)?,
                None => mean(face.iter().filter_map(|n| at.get(*n))),
            };
            if face.len() < HOLE {
                pieces.push((face.clone(), middle));
                continue;
            }
            let hole = cells_at.len();
            cells_at.push(middle);
            for (i, a) in face.iter().enumerate() {
                let b = face[(i + 1) % face.len()];
                pieces.push((vec![*a, b, hole], mean([*at.get(*a)?, *at.get(b)?, middle].iter())));
            }
        }
        let holes = cells_at.len() - provinces;
        let mut foam = Foam::new(&cells_at, &outer, &pieces, self.size)?;
        if !foam.sound() {
            return None;
        }
        let mut wanted = self.wanted(provinces, holes, &outer);
        let room = self.size[0] * self.size[1] / (provinces + holes).max(1) as f64;
        let mut calm = 0;
        for round in 0..420 {
            let push = if round < 300 { 0.75 } else { 0.5 };
            let step = foam.relax(&wanted, push, 0.16);
            calm = if step < 0.8 { calm + 1 } else { 0 };
            if calm > 5 {
                break;
            }
        }
        for _ in 0..8 {
            let thin: Vec<usize> =
                (0..provinces).filter(|cell| place::inscribed(&foam.outline(*cell)) < NARROW).collect();
            if thin.is_empty() {
                break;
            }
            for cell in thin {
                wanted[cell] = (wanted[cell] * 1.3).min(room * 2.2);
            }
            for _ in 0..50 {
                foam.relax(&wanted, 0.8, 0.1);
            }
        }
        foam.refine();
        for _ in 0..60 {
            foam.relax(&wanted, 0.7, 0.14);
        }
        for _ in 0..60 {
            if foam.shortest() > 8.0 {
                break;
            }
            foam.relax(&wanted, 0.25, 0.04);
        }
        foam.sound().then_some(foam)
    }

    /// How large each cell should be.
    fn wanted(&self, provinces: usize, holes: usize, outer: &[usize]) -> Vec<f64> {
        let mut shares: Vec<f64> = self
            .map
            .provinces
            .iter()
            .map(|p| match p.terrain {
                Terrain::Water => 1.15,
                _ if p.center => 1.0,
                _ => 0.85,
            })
            .collect();
        for node in outer {
            if let Some(share) = shares.get_mut(*node) {
                *share *= 1.25;
            }
        }
        shares.resize(provinces, 1.0);
        shares.extend(std::iter::repeat_n(0.3, holes));
        let all: f64 = shares.iter().sum();
        shares.iter().map(|share| share / all * self.size[0] * self.size[1]).collect()
    }

    /// Of the eight quarter turns and mirrors, the one that best puts the north coasts and the Northern Seas in the north.
    fn turned(&self, at: &[Point]) -> Vec<Point> {
        let turn = |p: &Point, way: u8| -> Point {
            let p = if way & 4 == 0 { *p } else { [-p[0], p[1]] };
            match way & 3 {
                0 => p,
                1 => [p[1], -p[0]],
                2 => [-p[0], -p[1]],
                _ => [-p[1], p[0]],
            }
        };
        let compass = |word: &str| -> Option<Point> {
            [("N", [0.0, -1.0]), ("S", [0.0, 1.0]), ("E", [1.0, 0.0]), ("W", [-1.0, 0.0])]
                .into_iter()
                .find(|(letter, _)| word.starts_with(letter))
                .map(|(_, direction)| direction)
        };
        let mut hints: Vec<(Point, Point, f64)> = Vec::new();
        for (i, location) in self.map.locations.iter().enumerate() {
            let Some(direction) = location.coast.as_deref().filter(|c| c.ends_with('C')).and_then(compass) else {
                continue;
            };
            let Some(home) = at.get(usize::from(location.province.0)) else { continue };
            for (other, _) in self.map.fleet.get(i).into_iter().flatten() {
                let there = usize::from(self.map.province_of(*other).0);
                if let Some(p) = at.get(there) {
                    hints.push(([p[0] - home[0], p[1] - home[1]], direction, 1.0));
                }
            }
        }
        for (i, province) in self.map.provinces.iter().enumerate() {
            let words = province.title.to_uppercase();
            for word in words.split_whitespace() {
                let known = ["NORTH", "SOUTH", "EAST", "WEST"].iter().any(|w| word.starts_with(w));
                if let (true, Some(direction), Some(p)) = (known, compass(word), at.get(i)) {
                    hints.push((*p, direction, 0.7));
                }
            }
        }
        let score = |way: u8| -> f64 {
            let one = |(p, d, weight): &(Point, Point, f64)| {
                let q = turn(p, way);
                weight * (q[0] * d[0] + q[1] * d[1]) / (q[0].hypot(q[1]) + 0.1)
            };
            hints.iter().map(one).sum()
        };
        let mut best = 0;
        for way in 1..8 {
            if score(way) > score(best) + 1e-9 {
                best = way;
            }
        }
        at.iter().map(|p| turn(p, best)).collect()
    }

    /// What is drawn from place to place: the refused edges, and those whose border came out too short to be seen.
    /// Contacts of impassable land say nothing.
    fn links(&self, foam: &Foam) -> Vec<Edge> {
        let shut = |node: usize| self.map.provinces.get(node).is_some_and(|p| p.terrain == Terrain::Shut);
        let short = self.edges.iter().filter(|e| foam.length(**e) < VISIBLE);
        short.copied().filter(|(a, b)| !shut(*a) && !shut(*b)).collect()
    }

    fn finish(&self, foam: &Foam) -> Art {
        let map = self.map;
        let provinces = map.provinces.len();
        let outline = |cell: usize| ring_path(foam, cell);
        let added: BTreeSet<Edge> = self.embedding.added.iter().copied().collect();
        let (mut seas, mut lands, mut coasts, mut walls) = (String::new(), String::new(), String::new(), String::new());
        for (key, border) in &foam.borders {
            let path = border_path(&border.iter().map(|c| foam.at[*c]).collect::<Vec<_>>());
            let hole = key.1 >= provinces;
            let line: &mut String = if added.contains(key) && !self.edges.contains(key) {
                &mut walls
            } else if hole || self.wet(key.0) != self.wet(key.1) {
                &mut coasts
            } else if self.wet(key.0) {
                &mut seas
            } else {
                &mut lands
            };
            line.push_str(&path);
        }
        let cells: Vec<Cell> = map
            .provinces
            .iter()
            .enumerate()
            .map(|(i, p)| Cell { code: p.code.clone(), surface: surface(p.terrain), path: outline(i) })
            .collect();
        let rings: Vec<Vec<Point>> =
            (0..provinces).map(|i| foam.rings[i].iter().map(|c| foam.at[*c]).collect()).collect();
        let shared = |a: usize, b: usize| -> Option<Vec<Point>> {
            Some(foam.borders.get(&edge(a, b))?.iter().map(|c| foam.at[*c]).collect())
        };
        let spots = place::place(map, &rings, &shared);
        let links = self.links(foam).into_iter().filter_map(|(a, b)| {
            let spot = |i: &usize| map.provinces.get(*i).and_then(|p| spots.get(&p.code)).map(|s| s.unit);
            Some(link_path(spot(&a)?, spot(&b)?))
        });
        Art {
            width: self.size[0],
            height: self.size[1],
            scale: 1.0,
            type_size: place::TYPE_SIZE,
            links: links.collect(),
            bridges: Vec::new(),
            blanks: (provinces..foam.rings.len()).map(outline).collect(),
            lakes: Vec::new(),
            sea_borders: seas,
            land_borders: lands,
            coasts,
            walls,
            contacts: contacts_of(map),
            cells,
            spots,
        }
    }

    /// Boards too small for an embedding, or one that could not be drawn: strips side by side, every adjacency that is no
    /// shared edge a link, every shared edge that is no adjacency a wall.
    fn strips(&self) -> Art {
        let map = self.map;
        let count = map.provinces.len().max(1);
        let columns = (count as f64).sqrt().ceil() as usize;
        let rows = count.div_ceil(columns);
        let (w, h) = (self.size[0] / columns as f64, self.size[1] / rows as f64);
        let corner = |i: usize| -> Point { [w * (i % columns) as f64, h * (i / columns) as f64] };
        let ring = |i: usize| -> Vec<Point> {
            let [x, y] = corner(i);
            vec![[x, y], [x + w, y], [x + w, y + h], [x, y + h]]
        };
        let rings: Vec<Vec<Point>> = (0..map.provinces.len()).map(ring).collect();
        let beside = |a: usize, b: usize| -> Option<Vec<Point>> {
            let (a, b) = (a.min(b), a.max(b));
            let [x, y] = corner(b);
            if b == a + 1 && b % columns != 0 {
                Some(vec![[x, y], [x, y + h]])
            } else {
                (b == a + columns).then(|| vec![[x, y], [x + w, y]])
            }
        };
        let spots = place::place(map, &rings, &beside);
        let (mut seas, mut lands, mut coasts, mut walls) = (String::new(), String::new(), String::new(), String::new());
        let mut links = Vec::new();
        for b in 0..map.provinces.len() {
            for a in 0..b {
                let joined = self.edges.contains(&(a, b));
                match beside(a, b) {
                    Some(line) => {
                        let to = match (joined, self.wet(a), self.wet(b)) {
                            (false, _, _) => &mut walls,
                            (true, true, true) => &mut seas,
                            (true, false, false) => &mut lands,
                            _ => &mut coasts,
                        };
                        to.push_str(&border_path(&line));
                    }
                    None if joined => {
                        let spot = |i: usize| spots.get(&map.provinces[i].code).map(|s| s.unit);
                        links.extend(spot(a).zip(spot(b)).map(|(p, q)| link_path(p, q)));
                    }
                    None => {}
                }
            }
        }
        let cells = map.provinces.iter().zip(&rings).map(|(p, ring)| Cell {
            code: p.code.clone(),
            surface: surface(p.terrain),
            path: super::pen::polygon(ring),
        });
        Art {
            width: self.size[0],
            height: self.size[1],
            scale: 1.0,
            type_size: place::TYPE_SIZE,
            cells: cells.collect(),
            blanks: Vec::new(),
            lakes: Vec::new(),
            sea_borders: seas,
            land_borders: lands,
            coasts,
            walls,
            links,
            bridges: Vec::new(),
            spots,
            contacts: contacts_of(map),
        }
    }
}

fn mean<'p>(points: impl Iterator<Item = &'p Point>) -> Point {
    let (mut sum, mut count) = ([0.0, 0.0], 0.0_f64);
    for p in points {
        sum = [sum[0] + p[0], sum[1] + p[1]];
        count += 1.0;
    }
    [sum[0] / count.max(1.0), sum[1] / count.max(1.0)]
}

/// A border as curves through the middles of its stretches; its ends stay.
fn push_border(path: &mut String, points: &[Point]) {
    let middle = |a: Point, b: Point| [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0];
    if let [a, b, ..] = points {
        if points.len() > 2 {
            line_to(path, middle(*a, *b));
        }
    }
    for three in points.windows(3) {
        let end = middle(three[1], three[2]);
        put!(*path, "Q{} {} {} {}", Num(three[1][0]), Num(three[1][1]), Num(end[0]), Num(end[1]));
    }
    if let Some(last) = points.last() {
        line_to(path, *last);
    }
}

fn border_path(points: &[Point]) -> String {
    let mut path = String::new();
    if let Some(first) = points.first() {
        move_to(&mut path, *first);
    }
    push_border(&mut path, points);
    path
}

/// A cell's outline, border by border, so that neighbours share their curves.
fn ring_path(foam: &Foam, cell: usize) -> String {
    let ring = &foam.rings[cell];
    let ends: BTreeMap<usize, ()> =
        foam.borders.values().flat_map(|b| [b.first(), b.last()]).flatten().map(|c| (*c, ())).collect();
    let Some(start) = ring.iter().position(|c| ends.contains_key(c)) else {
        return super::pen::polygon(&ring.iter().map(|c| foam.at[*c]).collect::<Vec<_>>());
    };
    let mut path = String::new();
    move_to(&mut path, foam.at[ring[start]]);
    let mut stretch = vec![foam.at[ring[start]]];
    for k in 1..=ring.len() {
        let corner = ring[(start + k) % ring.len()];
        stretch.push(foam.at[corner]);
        if ends.contains_key(&corner) || foam.is_frame_corner(corner) {
            push_border(&mut path, &stretch);
            stretch = vec![foam.at[corner]];
        }
    }
    path.push('z');
    path
}

/// A link from unit to unit, bowed a little so that it is not taken for a border.
fn link_path(a: Point, b: Point) -> String {
    super::arrows::Way::bent(a, b, 0.05).trimmed(17.0, 17.0).path()
}
