//! Draws every built-in map, and contact sheets of them: `cargo run --release --example contact_sheet -- FOLDER [MAP...]`
//! writes `FOLDER/MAP.png` and `FOLDER/maps-N.png`. The sheets in `docs/` are made so.

use base64::Engine;
use chancery::diplomacy::draw::{Art, Picture, png, svg};
use chancery::diplomacy::map::Map;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

/// Maps on a sheet: two in a row, four rows.
const ON_A_SHEET: usize = 8;
const WIDTH: f64 = 800.0;
const CAPTION: f64 = 34.0;

/// A map's picture on a sheet.
struct Tile {
    caption: String,
    png: Vec<u8>,
    height: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().unwrap_or_else(|| ".".to_string());
    let only: Vec<String> = args.collect();
    let mut tiles = Vec::new();
    for name in Map::builtin_names().into_iter().chain(Map::builtin_trials()) {
        if !only.is_empty() && !only.iter().any(|n| n == name) {
            continue;
        }
        let map = Map::builtin(name).ok_or("a built-in map does not load")?;
        let begun = Instant::now();
        let art = Art::for_map(&map);
        let took = begun.elapsed();
        let text = svg(&Picture::start(&map, &art));
        std::fs::write(Path::new(&folder).join(format!("{name}.png")), png(&text, 1600)?)?;
        let tile = png(&text, WIDTH as u32)?;
        let height = f64::from(u32::from_be_bytes(tile[20..24].try_into()?));
        let caption = format!("{name}: {} provinces, {} powers", map.provinces.len(), map.powers.len());
        tiles.push(Tile { caption, png: tile, height });
        println!("{name}: {} places, {} links, type {}, {took:?}", map.provinces.len(), art.links.len(), art.type_size);
    }
    for (at, sheet) in tiles.chunks(ON_A_SHEET).enumerate() {
        let (text, width) = put_together(sheet);
        std::fs::write(Path::new(&folder).join(format!("maps-{}.png", at + 1)), png(&text, width)?)?;
    }
    Ok(())
}

/// A sheet as SVG, and its width.
fn put_together(tiles: &[Tile]) -> (String, u32) {
    let (mut body, mut y) = (String::new(), 0.0);
    for row in tiles.chunks(2) {
        for (column, tile) in row.iter().enumerate() {
            let x = column as f64 * (WIDTH + 10.0);
            let data = base64::engine::general_purpose::STANDARD.encode(&tile.png);
            let _ = write!(
                body,
                r##"<text x="{}" y="{}" font-size="20" font-family="sans-serif" fill="#222">{}</text><image x="{x}" y="{}" width="{WIDTH}" height="{}" href="data:image/png;base64,{data}"/>"##,
                x + 6.0,
                y + CAPTION - 10.0,
                tile.caption,
                y + CAPTION,
                tile.height,
            );
        }
        y += CAPTION + row.iter().map(|tile| tile.height).fold(0.0, f64::max) + 6.0;
    }
    let width = 2.0 * WIDTH + 10.0;
    let sheet = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y}" viewBox="0 0 {width} {y}"><rect width="{width}" height="{y}" fill="#fff"/>{body}</svg>"##
    );
    (sheet, width as u32)
}
