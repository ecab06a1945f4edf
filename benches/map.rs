//! How long a map file takes to become a board. Goal: the largest one, imperial, in under 10 ms.

use chancery::diplomacy::map::library::BuiltIn;
use chancery::diplomacy::map::{Map, load};
use chancery::diplomacy::phase::Phase;

fn main() {
    divan::main();
}

/// File to board, includes and checks too.
#[divan::bench(args = ["standard", "vassal", "zeus", "imperial"])]
fn load_builtin(name: &str) -> usize {
    load(name, &BuiltIn).map_or(0, |loaded| loaded.map.locations.len())
}

/// A game's board of one phase, with a morph.
#[divan::bench]
fn morph_standard(bencher: divan::Bencher<'_, '_>) {
    let Some(map) = Map::builtin("standard") else { return };
    let morphs = ["UNPLAYED ITALY".to_owned()];
    let phase: Phase = map.begin.clone();
    bencher.bench(|| map.with_morphs(&morphs, Some(&phase)));
}

/// Name look-up, as the order reader does it.
#[divan::bench]
fn look_up_names(bencher: divan::Bencher<'_, '_>) {
    let Some(map) = Map::builtin("standard") else { return };
    bencher.bench(|| ["north atlantic ocean", "spa/sc", "gulf of bothnia", "mun"].map(|n| map.place_named(n)));
}
