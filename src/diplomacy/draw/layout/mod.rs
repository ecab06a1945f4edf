//! Art from a map's graph alone: every place a disc on a grid, every adjacency a line.

use super::art::{Art, Cell, Point, Spot, contacts_of, surface};
use super::pen::{Num, line_to, move_to};
use crate::diplomacy::map::Map;
use std::collections::BTreeMap;

/// Lays a map out.
pub fn layout(map: &Map) -> Art {
    let columns = (map.provinces.len() as f64).sqrt().ceil().max(1.0) as usize;
    let step = 1600.0 / columns as f64;
    let at = |i: usize| -> Point {
        let (row, column) = (i / columns, i % columns);
        [step * (column as f64 + 0.5), step * (row as f64 + 0.5)]
    };
    let radius = Num(step * 0.4);
    let mut spots = BTreeMap::new();
    let mut cells = Vec::new();
    for (i, province) in map.provinces.iter().enumerate() {
        let [x, y] = at(i);
        let path = format!(
            "M{} {}a{radius} {radius} 0 1 0 {} 0a{radius} {radius} 0 1 0 -{} 0z",
            Num(x - step * 0.4),
            Num(y),
            Num(step * 0.8),
            Num(step * 0.8)
        );
        cells.push(Cell { code: province.code.clone(), surface: surface(province.terrain), path });
        let label = Some([x, y - step * 0.25]);
        let centre = province.center.then_some([x, y + step * 0.25]);
        spots.insert(province.code.clone(), Spot { unit: [x, y], dislodged: None, centre, label });
    }
    let contacts = contacts_of(map);
    let index = |code: &str| map.province(code).map(|id| at(id.0 as usize));
    let links = contacts.iter().filter_map(|pair| pair.split_once('-')).filter_map(|(a, b)| {
        let mut path = String::new();
        move_to(&mut path, index(a)?);
        line_to(&mut path, index(b)?);
        Some(path)
    });
    Art {
        width: 1600.0,
        height: 1600.0,
        scale: 1.0,
        type_size: 13.0,
        links: links.collect(),
        cells,
        spots,
        contacts,
        blanks: Vec::new(),
        lakes: Vec::new(),
        sea_borders: String::new(),
        land_borders: String::new(),
        coasts: String::new(),
        walls: String::new(),
    }
}
