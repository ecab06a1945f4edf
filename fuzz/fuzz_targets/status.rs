//! Any bytes as a status file: lossless, one canonical rewrite is enough, checks never panic.

#![no_main]

use chancery::diplomacy::geography::examine;
use chancery::diplomacy::map::library::BuiltIn;
use chancery::status::Document;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(mut document) = Document::parse(data) else { return };
    assert_eq!(document.bytes(), data);
    if let Ok(again) = Document::parse(document.canonical().as_bytes()) {
        assert_eq!(again.canonical(), document.canonical());
    }
    // Loading the map takes a hundred times as long as the rest, so not every input is looked at with one.
    if data.len() % 16 == 0 {
        let _ = examine(&document, None, &BuiltIn);
    }
    let mut game = document.game().clone();
    game.delay = 7;
    if document.update(&game).is_ok() {
        assert_eq!(document.game().delay, 7);
    }
});
