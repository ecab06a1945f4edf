//! Art from a map's graph alone (map-drawing.md 4): a planar embedding of as many adjacencies as can be had, a straight
//! drawing of it, cells around its nodes blown up like foam, and places for units, centres and labels in every cell.
//!
//! What it promises: two cells share a border exactly where the map has an adjacency the embedding kept; the others are
//! drawn as links; a border that is no adjacency is drawn as a wall; every label lies inside its cell.

mod foam;
mod hints;
mod place;
mod planar;
mod scatter;
mod spread;
#[cfg(test)]
mod tests;

use super::art::{Art, Cell, Point, Spot, contacts_of, surface};
use super::pen::{Num, line_to, move_to, put};
use crate::diplomacy::map::{Map, Province, Terrain};
use foam::Foam;
pub use hints::Hints;
use planar::{Edge, edge, embed};
use std::collections::{BTreeMap, BTreeSet};

/// Faces with so many corners or more become land that is no space, so that nobody takes its neighbours for adjacent.
const HOLE: usize = 6;
/// Cells get this much room on average.
const ROOM: f64 = 10_500.0;
/// A cell whose inscribed circle is smaller is given more.
const NARROW: f64 = 22.0;
/// Every cell this wide is enough; else other outer faces are tried, so many in all.
const ENOUGH: f64 = 9.0;
const TRIES: usize = 4;
/// A cell narrower than this holds no label that can be read.
const KNOT: f64 = 4.0;
/// A border this long can be seen.
const VISIBLE: f64 = 6.0;

/// Lays a map out. Deterministic; up to a few seconds for hundreds of provinces, so keep the result.
pub fn layout(map: &Map) -> Art {
    layout_with(map, &Hints::builtin(map))
}

/// The same with an author's hints.
pub fn layout_with(map: &Map, hints: &Hints) -> Art {
    let (plan, foam) = Plan::drawn(map, hints);
    foam.map_or_else(|| plan.scattered().0, |foam| plan.finish(&foam))
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
    hints: &'a Hints,
    edges: BTreeSet<Edge>,
    size: [f64; 2],
    faces: Vec<Vec<usize>>,
}

impl<'a> Plan<'a> {
    /// The plan with its cells. Where not all borders can be had, those go first whose places are near each other when
    /// all are scattered by their distances. Where the cells are knotted all the same there are none: the board is no
    /// map of anything.
    fn drawn(map: &'a Map, hints: &'a Hints) -> (Plan<'a>, Option<Foam>) {
        let (edges, nodes) = (graph(map), map.provinces.len());
        let at = scatter::points(nodes, &planar::neighbours(nodes, &edges));
        let plan = Plan::new(map, hints, &scatter::nearness(&at, &edges));
        let foam = plan.foam().filter(|foam| plan.narrowest(foam) >= KNOT);
        (plan, foam)
    }

    fn new(map: &'a Map, hints: &'a Hints, worth: &BTreeMap<Edge, usize>) -> Plan<'a> {
        let nodes = map.provinces.len();
        let faces = if nodes >= 3 { embed(nodes, worth) } else { Vec::new() };
        let width = (nodes as f64 * ROOM * 4.0 / 3.0).sqrt().max(1600.0).round();
        Plan { map, hints, edges: worth.keys().copied().collect(), size: [width, (width * 0.75).round()], faces }
    }

    /// Radius of the circle that the narrowest cell holds.
    fn narrowest(&self, foam: &Foam) -> f64 {
        let widths = (0..self.map.provinces.len()).map(|cell| place::inscribed(&foam.outline(cell)));
        widths.fold(f64::MAX, f64::min)
    }

    fn wet(&self, node: usize) -> bool {
        self.map.provinces.get(node).is_some_and(|p| p.terrain == Terrain::Water)
    }

    /// The relaxed cells: provinces first, then the holes. The longest face with the most water lies outside; where that
    /// leaves a knot of cells too small to hold anything, others are tried and the widest drawing is taken.
    fn foam(&self) -> Option<Foam> {
        let faces = &self.faces;
        let worth = |face: &Vec<usize>| face.iter().map(|n| if self.wet(*n) { 3 } else { 2 }).sum::<usize>();
        let mut order: Vec<usize> = (0..faces.len()).collect();
        let hinted = |face: &Vec<usize>| face.iter().filter(|n| self.hints.outer.contains(n)).count();
        let rank = |f: &usize| faces.get(*f).map(|face| (hinted(face), worth(face)));
        order.sort_by_key(|f| (std::cmp::Reverse(rank(f)), *f));
        let mut best: Option<(f64, Foam)> = None;
        for outer in order.into_iter().take(TRIES) {
            let Some(foam) = self.foam_within(outer) else { continue };
            let least = self.narrowest(&foam);
            if best.as_ref().is_none_or(|(width, _)| least > *width) {
                best = Some((least, foam));
            }
            // What the author has chosen is not bettered by another choice.
            if least >= ENOUGH || !self.hints.outer.is_empty() {
                break;
            }
        }
        best.map(|(_, foam)| foam)
    }

    /// The relaxed cells with that face outside.
    fn foam_within(&self, outer_at: usize) -> Option<Foam> {
        let provinces = self.map.provinces.len();
        let faces = &self.faces;
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
        let free = spread::draw(provinces, &outer, &inner, &extra, &[]);
        let way = self.turning(&free);
        let turned = hints::turned(&self.pinned(free, way, provinces, &outer, &inner, &extra), way);
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
        for round in 0..300 {
            let push = if round < 220 { 0.75 } else { 0.5 };
            let step = foam.relax(&wanted, push, 0.16);
            calm = if step < 0.8 { calm + 1 } else { 0 };
            if calm > 5 {
                break;
            }
        }
        for round in 0..20 {
            let (narrow, most, push) = if round < 8 { (NARROW, 2.2, 0.8) } else { (ENOUGH, 6.0, 1.0) };
            let is_thin = |cell: &usize| place::narrower(&foam.outline(*cell), narrow);
            let thin: Vec<usize> = (0..provinces).filter(is_thin).collect();
            if thin.is_empty() && round >= 8 {
                break;
            }
            for cell in &thin {
                wanted[*cell] = (wanted[*cell] * 1.3).min(room * most).max(wanted[*cell]);
            }
            for _ in 0..if thin.is_empty() { 0 } else { 50 } {
                foam.relax(&wanted, push, 0.1);
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

    /// What is drawn from place to place: refused edges, and those whose border came out too short to be seen.
    fn links(&self, foam: &Foam) -> Vec<Edge> {
        self.open().filter(|e| foam.length(*e) < VISIBLE).collect()
    }

    fn finish(&self, foam: &Foam) -> Art {
        let provinces = self.map.provinces.len();
        let mut lines = Lines::default();
        for (key, border) in &foam.borders {
            let path = border_path(&border.iter().map(|c| foam.at[*c]).collect::<Vec<_>>());
            lines.of(self, *key, provinces, !self.edges.contains(key)).push_str(&path);
        }
        let rings: Vec<Vec<Point>> = (0..provinces).map(|i| foam.outline(i)).collect();
        let shared = |a: usize, b: usize| -> Option<Vec<Point>> {
            Some(foam.borders.get(&edge(a, b))?.iter().map(|c| foam.at[*c]).collect())
        };
        let spots = place::place(self.map, &rings, &shared);
        let outline = |i: usize| ring_path(foam, i);
        let blanks = (provinces..foam.rings.len()).map(outline).collect();
        self.art(&outline, blanks, lines, self.links(foam), spots)
    }

    /// Boards that no embedding serves: regions around scattered points, every adjacency that is no shared border a link,
    /// every shared border that is no adjacency a wall.
    fn scattered(&self) -> (Art, scatter::Regions) {
        let map = self.map;
        let nodes = map.provinces.len();
        let spread = scatter::points(nodes, &planar::neighbours(nodes, &self.edges));
        let spread = hints::turned(&spread, self.turning(&spread));
        let [w, h] = self.size;
        let at = spread.iter().map(|p| [w / 2.0 * (1.0 + 0.88 * p[0]), h / 2.0 * (1.0 + 0.88 * p[1])]).collect();
        let regions = scatter::regions(at, self.size);
        let shared = |a: usize, b: usize| regions.borders.get(&edge(a, b)).map(|border| border.to_vec());
        let spots = place::place(map, &regions.rings, &shared);
        let mut lines = Lines::default();
        for (key, border) in &regions.borders {
            lines.of(self, *key, nodes, !self.edges.contains(key)).push_str(&border_path(border));
        }
        let seen = scatter::touching(&regions, VISIBLE);
        let far = self.open().filter(|e| !seen.contains(e)).collect();
        let outline = |i: usize| super::pen::polygon(&regions.rings[i]);
        (self.art(&outline, Vec::new(), lines, far, spots), regions)
    }

    /// Adjacencies that somebody may use: contacts of impassable land say nothing.
    fn open(&self) -> impl Iterator<Item = Edge> + '_ {
        let shut = |node: usize| self.map.provinces.get(node).is_some_and(|p| p.terrain == Terrain::Shut);
        self.edges.iter().copied().filter(move |(a, b)| !shut(*a) && !shut(*b))
    }

    fn art(
        &self,
        outline: &dyn Fn(usize) -> String,
        blanks: Vec<String>,
        lines: Lines,
        links: Vec<Edge>,
        spots: BTreeMap<String, Spot>,
    ) -> Art {
        let map = self.map;
        let unit = |i: usize| map.provinces.get(i).and_then(|p| spots.get(&p.code)).map(|spot| spot.unit);
        let links = links.into_iter().filter_map(|(a, b)| Some(link_path(unit(a)?, unit(b)?))).collect();
        let cell =
            |(i, p): (usize, &Province)| Cell { code: p.code.clone(), surface: surface(p.terrain), path: outline(i) };
        Art {
            width: self.size[0],
            height: self.size[1],
            scale: 1.0,
            type_size: place::TYPE_SIZE,
            cells: map.provinces.iter().enumerate().map(cell).collect(),
            blanks,
            lakes: Vec::new(),
            sea_borders: lines.seas,
            land_borders: lines.lands,
            coasts: lines.coasts,
            walls: lines.walls,
            links,
            bridges: Vec::new(),
            spots,
            contacts: contacts_of(map),
        }
    }
}

/// Borders by kind, as path data.
#[derive(Default)]
struct Lines {
    seas: String,
    lands: String,
    coasts: String,
    walls: String,
}

impl Lines {
    /// The line that a border belongs to; nodes from `holes` on are land that is no space.
    fn of(&mut self, plan: &Plan, key: Edge, holes: usize, wall: bool) -> &mut String {
        if key.1 >= holes {
            &mut self.coasts
        } else if wall {
            &mut self.walls
        } else {
            match (plan.wet(key.0), plan.wet(key.1)) {
                (true, true) => &mut self.seas,
                (false, false) => &mut self.lands,
                _ => &mut self.coasts,
            }
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
    let Some(start) = ring.iter().position(|c| foam.ends_border(*c)) else {
        return super::pen::polygon(&ring.iter().map(|c| foam.at[*c]).collect::<Vec<_>>());
    };
    let mut path = String::new();
    move_to(&mut path, foam.at[ring[start]]);
    let mut stretch = vec![foam.at[ring[start]]];
    for k in 1..=ring.len() {
        let corner = ring[(start + k) % ring.len()];
        stretch.push(foam.at[corner]);
        if foam.ends_border(corner) || foam.is_frame_corner(corner) {
            push_border(&mut path, &stretch);
            stretch = vec![foam.at[corner]];
        }
    }
    path.push('z');
    path
}

/// A link from unit to unit, bowed a little so that it is not taken for a border.
pub fn link_path(a: Point, b: Point) -> String {
    super::arrows::Way::bent(a, b, 0.05).trimmed(17.0, 17.0).path()
}
