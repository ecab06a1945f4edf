//! The promises of the layout, on every map that comes with the program (map-drawing.md 4, 7).

use super::place::{inside, label_box};
use super::scatter::touching;
use super::{Hints, Plan, layout, layout_with};
use crate::diplomacy::draw::art::{Art, Point, contacts_of};
use crate::diplomacy::draw::layout::planar::{Edge, edge};
use crate::diplomacy::map::Map;
use std::collections::BTreeSet;

/// Maps by the shape of their graph: those with the same contacts need one check.
fn boards() -> Vec<Map> {
    let mut seen = BTreeSet::new();
    Map::builtin_names()
        .into_iter()
        .chain(Map::builtin_trials())
        .filter_map(Map::builtin)
        .filter(|map| seen.insert(contacts_of(map)))
        .collect()
}

fn overlap(a: (Point, Point), b: (Point, Point)) -> bool {
    (a.0[0] - b.0[0]).abs() < a.1[0] + b.1[0] && (a.0[1] - b.0[1]).abs() < a.1[1] + b.1[1]
}

fn check(map: &Map) {
    let name = &map.name;
    let hints = Hints::builtin(map);
    let (plan, foam) = Plan::drawn(map, &hints);
    let Some(foam) = foam else { return check_scattered(&plan) };
    let provinces = map.provinces.len();
    assert!(foam.sound(), "{name}: an outline crosses itself");

    let shared: BTreeSet<Edge> = foam.borders.keys().filter(|(_, b)| *b < provinces).copied().collect();
    let walls: BTreeSet<Edge> = shared.difference(&plan.edges).copied().collect();
    for (key, border) in &foam.borders {
        let sides = [key.0, key.1].map(|cell| foam.rings[cell].iter().copied().collect::<BTreeSet<usize>>());
        assert!(
            border.iter().all(|c| sides.iter().all(|side| side.contains(c))),
            "{name}: border {key:?} is not shared"
        );
    }

    let art = plan.finish(&foam);
    let links: BTreeSet<Edge> = plan.links(&foam).into_iter().collect();
    for e in plan.open() {
        assert!(foam.length(e) >= 6.0 || links.contains(&e), "{name}: {e:?} can hardly be seen");
    }
    assert_eq!(art.links.len(), links.len(), "{name}: links");
    assert_eq!(art.walls.matches('M').count(), walls.len(), "{name}: walls");
    let rings: Vec<Vec<Point>> = (0..provinces).map(|i| foam.outline(i)).collect();
    check_places(map, &art, &rings);
}

/// Regions around scattered points: what touches and is no adjacency is a wall, what does not touch and is one a link.
fn check_scattered(plan: &Plan) {
    let (art, regions) = plan.scattered();
    let name = &plan.map.name;
    let seen = touching(&regions, 6.0);
    assert_eq!(art.links.len(), plan.open().filter(|e| !seen.contains(e)).count(), "{name}: links");
    let walls = regions.borders.keys().filter(|e| !plan.edges.contains(e)).count();
    assert_eq!(art.walls.matches('M').count(), walls, "{name}: walls");
    check_places(plan.map, &art, &regions.rings);
}

fn check_places(map: &Map, art: &Art, rings: &[Vec<Point>]) {
    let (name, provinces) = (&map.name, map.provinces.len());
    let mut boxes = Vec::new();
    for (province, ring) in map.provinces.iter().zip(rings) {
        let spot = &art.spots[&province.code];
        let label = spot.label.unwrap_or_else(|| panic!("{name}: {} has no label", province.code));
        let size = spot.label_size.unwrap_or(art.type_size);
        assert!(size >= 7.0, "{name}: {} cannot be read", province.code);
        let half = label_box(&province.code, size);
        assert!(inside(ring, label, half), "{name}: the label of {} leaves its cell", province.code);
        assert!(inside(ring, spot.unit, [3.0, 3.0]), "{name}: the unit of {} leaves its cell", province.code);
        boxes.push((label, half));
    }
    for i in 0..boxes.len() {
        for j in 0..i {
            let codes = (&map.provinces[i].code, &map.provinces[j].code);
            assert!(!overlap(boxes[i], boxes[j]), "{name}: labels of {codes:?}");
        }
    }
    let small = art.spots.values().filter(|spot| spot.label_size.is_some()).count();
    assert!(small * 10 <= provinces, "{name}: {small} labels are small");
}

/// Half of the boards, so that the halves run side by side.
fn check_half(odd: usize) {
    let boards = boards();
    assert!(boards.len() > 15);
    let failed: Vec<&str> = boards
        .iter()
        .skip(odd)
        .step_by(2)
        .filter(|map| std::panic::catch_unwind(|| check(map)).is_err())
        .map(|map| map.name.as_str())
        .collect();
    assert!(failed.is_empty(), "see above: {failed:?}");
}

#[test]
fn every_even_board_keeps_the_promises() {
    check_half(0);
}

#[test]
fn every_odd_board_keeps_the_promises() {
    check_half(1);
}

#[test]
fn two_runs_give_the_same_art() {
    for name in ["hundred", "pure"] {
        let map = Map::builtin(name).unwrap_or_else(|| panic!("{name} does not load"));
        assert_eq!(layout(&map), layout(&map), "{name}");
    }
}

/// Where the unit of a place stands, from 0 to 1.
fn stands(art: &Art, code: &str) -> Point {
    let [x, y] = art.spots[code].unit;
    [x / art.width, y / art.height]
}

#[test]
fn japan_is_not_mirrored() {
    let art = layout(&Map::builtin("sengoku").expect("a board"));
    let (north, south) = (stands(&art, "MUT"), stands(&art, "SAT"));
    assert!(north[0] > south[0] && north[1] < south[1], "{north:?} {south:?}");
}

#[test]
fn an_author_can_steer() {
    let map = Map::builtin("hundred").expect("a board");
    let mut hints = Hints::default();
    for line in ["OUTER ALS CAN LOR", "AT PAR 0.3 0.4", "near SCO 0.9 0.1"] {
        hints.read(&map, line).expect("a hint");
    }
    let art = layout_with(&map, &hints);
    let [x, y] = stands(&art, "PAR");
    let [sx, sy] = stands(&art, "SCO");
    assert!(x < 0.5 && y < 0.6, "Paris at {x} {y}");
    assert!(sx > 0.5 && sy < 0.5, "Scotland at {sx} {sy}");
    assert_ne!(art, layout(&map));
    for line in ["AT PAR 2 0", "AT QQQ 0 0", "OUTER", "UNDER PAR"] {
        assert!(Hints::default().read(&map, line).is_err(), "{line}");
    }
}

/// A place nailed down where lines would cross is let go, and the promises are kept.
#[test]
fn hints_that_cannot_be_kept_are_refused() {
    let map = Map::builtin("hundred").expect("a board");
    let mut hints = Hints::default();
    // Neighbours torn apart, the far ones brought together.
    for line in ["AT PAR 0.05 0.05", "AT ORL 0.95 0.95", "AT DIJ 0.05 0.95", "AT ANJ 0.95 0.05", "AT POI 0.5 0.5"] {
        hints.read(&map, line).expect("a hint");
    }
    let (_, foam) = Plan::drawn(&map, &hints);
    assert!(foam.expect("cells").sound());
}

#[test]
fn edges_are_sorted() {
    assert_eq!(edge(7, 3), (3, 7));
}
