//! The map loader and the `map` verb against the facts of 44 boards.

use chancery::diplomacy::map::library::{self, BuiltIn};
use chancery::diplomacy::map::{Map, load};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn expected() -> serde_json::Map<String, Value> {
    let text = std::fs::read_to_string(root().join("tests/data/maps/facts.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Every field that differs, one line each.
fn differences(name: &str, want: &Value, got: &Value) -> Vec<String> {
    let empty = serde_json::Map::new();
    let (want, got) = (want.as_object().unwrap_or(&empty), got.as_object().unwrap_or(&empty));
    let keys: std::collections::BTreeSet<&String> = want.keys().chain(got.keys()).collect();
    let mut out = Vec::new();
    for key in keys {
        let (w, g) = (want.get(key), got.get(key));
        if w == g {
            continue;
        }
        match (w, g) {
            (Some(w @ Value::Object(_)), Some(g @ Value::Object(_))) => {
                out.extend(differences(&format!("{name}.{key}"), w, g));
            }
            _ => out.push(format!("{name}.{key}: want {w:?}, got {g:?}")),
        }
    }
    out
}

#[test]
fn our_maps_have_the_facts() {
    let mut wrong = Vec::new();
    for (key, want) in expected() {
        let name = key.split('/').nth(1).unwrap();
        match load(name, &BuiltIn) {
            Ok(loaded) => wrong.extend(differences(&key, &want, &loaded.map.facts(&loaded.diagnostics))),
            Err(e) => wrong.push(format!("{key}: {e}")),
        }
    }
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
}

/// The reference files themselves: `CHANCERY_REFERENCE_MAPS` names a folder with `maps/` and `trials/` in it.
#[test]
fn reference_maps_have_the_facts() {
    let Some(folder) = std::env::var_os("CHANCERY_REFERENCE_MAPS").map(PathBuf::from) else { return };
    let mut wrong = Vec::new();
    for (key, want) in expected() {
        let path = folder.join(format!("{key}.map"));
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match load(&name, &Reference(folder.clone())) {
            Ok(loaded) => wrong.extend(differences(&key, &want, &loaded.map.facts(&loaded.diagnostics))),
            Err(e) => wrong.push(format!("{key}: {e}")),
        }
    }
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
}

/// The reference folders, the trials before the released ones.
struct Reference(PathBuf);

impl chancery::diplomacy::map::Source for Reference {
    fn read(&self, file: &str) -> Option<Vec<u8>> {
        let folders = [self.0.join("trials"), self.0.join("maps")];
        folders.iter().find_map(|f| std::fs::read(f.join(file)).ok())
    }
}

fn chancery(args: &[&str]) -> (i32, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_chancery")).args(args).env_remove("CHANCERY_ROOT").output().unwrap();
    (out.status.code().unwrap(), String::from_utf8(out.stdout).unwrap())
}
