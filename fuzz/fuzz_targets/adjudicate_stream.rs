#![no_main]
//! Any bytes as a case of `chancery adjudicate`: an answer or an error, never a panic.

use chancery::diplomacy::adjudicate::Workspace;
use chancery::diplomacy::adjudicate::case::{Case, Table, play};
use chancery::diplomacy::map::Map;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::new(Map::builtin("standard").expect("the standard map")));

fuzz_target!(|bytes: &[u8]| {
    if let Ok(case) = serde_json::from_slice::<Case>(bytes) {
        let _ = play(&TABLE, &case, &mut Workspace::new());
    }
});
