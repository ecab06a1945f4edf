//! Draws every built-in map: `cargo run --release --example contact_sheet -- FOLDER`.

use chancery::diplomacy::draw::{Art, Picture, png, svg};
use chancery::diplomacy::map::Map;
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().unwrap_or_else(|| ".".to_string());
    let only: Vec<String> = args.collect();
    for name in Map::builtin_names().into_iter().chain(Map::builtin_trials()) {
        if !only.is_empty() && !only.iter().any(|n| n == name) {
            continue;
        }
        let map = Map::builtin(name).ok_or("a built-in map does not load")?;
        let begun = Instant::now();
        let art = Art::for_map(&map);
        let took = begun.elapsed();
        let text = svg(&Picture::start(&map, &art));
        std::fs::write(Path::new(&folder).join(format!("{name}.png")), png(&text, 1200)?)?;
        println!("{name}: {} places, {} links, type {}, {took:?}", map.provinces.len(), art.links.len(), art.type_size);
    }
    Ok(())
}
