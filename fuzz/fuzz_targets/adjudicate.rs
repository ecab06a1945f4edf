#![no_main]
//! Random positions from the fuzzer's bytes: the fast resolver against the slow one of the tests, with the invariants.

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/opinion/mod.rs"]
mod opinion;

fuzz_target!(|seed: u64| {
    let mut memory = chancery::diplomacy::adjudicate::Workspace::new();
    opinion::compare::compare(seed, &mut memory, &mut opinion::compare::Tally::default());
});
