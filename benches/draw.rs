//! How long a picture takes: the standard map with 34 orders as SVG, as PNG, and the layout of a map without art.

use chancery::diplomacy::draw::{Art, Picture, layout::layout, png, svg};
use chancery::diplomacy::map::{Map, PowerId};

fn main() {
    divan::main();
}

/// The board with 34 units, each with an order to the first place it can reach.
fn picture<'a>(map: &'a Map, art: &'a Art) -> Picture<'a> {
    let mut picture = Picture::start(map, art);
    let homes: Vec<_> = map.provinces.iter().filter(|p| p.center).collect();
    picture.units.clear();
    for (i, province) in homes.iter().enumerate() {
        let power = PowerId((i % map.powers.len()) as u8);
        let id = map.province_of(province.location);
        let Some((to, _)) = map.army[id.0 as usize].first() else { continue };
        let unit = chancery::diplomacy::position::Unit {
            kind: chancery::diplomacy::map::UnitKind::Army,
            at: province.location,
        };
        picture.units.push(chancery::diplomacy::draw::Piece { power: Some(power), unit });
        let outcome: &[&str] = if i % 3 == 0 { &["bounce"] } else { &[] };
        picture.order(Some(power), &format!("A {} - {}", province.code, map[*to].code), outcome);
    }
    picture
}

#[divan::bench]
fn standard_svg(bencher: divan::Bencher) {
    let Some(map) = Map::builtin("standard") else { return };
    let art = Art::for_map(&map);
    let picture = picture(&map, &art);
    bencher.bench(|| svg(&picture));
}

#[divan::bench(sample_count = 20)]
fn standard_png(bencher: divan::Bencher) {
    let Some(map) = Map::builtin("standard") else { return };
    let art = Art::for_map(&map);
    let text = svg(&picture(&map, &art));
    bencher.bench(|| png(&text, 1000));
}

#[divan::bench(args = ["hundred", "modern", "imperial"], sample_count = 1, sample_size = 1)]
fn automatic_layout(bencher: divan::Bencher, name: &str) {
    let Some(map) = Map::builtin(name) else { return };
    bencher.bench(|| layout(&map));
}
