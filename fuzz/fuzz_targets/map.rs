//! Any bytes as a map file, and as morphs of the standard board: a board or a refusal, never a panic.

#![no_main]

use chancery::diplomacy::map::library::BuiltIn;
use chancery::diplomacy::map::{Map, Source, load};
use libfuzzer_sys::fuzz_target;

struct Fuzzed<'a>(&'a [u8]);

impl Source for Fuzzed<'_> {
    fn read(&self, file: &str) -> Option<Vec<u8>> {
        if file == "fuzzed.map" { Some(self.0.to_vec()) } else { BuiltIn.read(file) }
    }
}

fuzz_target!(|data: &[u8]| {
    if let Ok(loaded) = load("fuzzed", &Fuzzed(data)) {
        let _ = loaded.map.facts(&loaded.diagnostics);
        let _ = loaded.map.review();
        let mut phase = loaded.map.begin.clone();
        for _ in 0..20 {
            let _ = loaded.map.with_morphs(&[], Some(&phase));
            match loaded.map.flow.next(&phase) {
                Some(next) => phase = next,
                None => break,
            }
        }
    }
    if let (Some(map), Ok(text)) = (Map::builtin("standard"), std::str::from_utf8(data)) {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let _ = map.with_morphs(&lines, None);
    }
});
