//! Maps that travel in the program, and the folders of a site in front of them.

use super::source::{Source, is_file_name, with_extension};
use super::{LoadError, Loaded, Map, load};
use std::path::{Path, PathBuf};

/// File names with the bytes they had when the program was built.
macro_rules! embedded {
    ($folder:literal: $($file:literal,)*) => {
        &[$(($file, include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $folder, "/", $file)))),*]
    };
}

const RELEASED: &[(&str, &[u8])] = embedded![
    "maps":
    "1897.map",
    "1898.map",
    "1900.map",
    "aberration.map",
    "ambition.map",
    "ancmed.hints",
    "ancmed.map",
    "brazilian.map",
    "britain.map",
    "canton.map",
    "chaos.map",
    "chromatic.map",
    "classical.map",
    "crowded.map",
    "empire-up.map",
    "empire.map",
    "fiveman.hints",
    "fiveman.map",
    "fleetrome.map",
    "france-austria.map",
    "france-germany-austria.map",
    "germany-italy.map",
    "hundred.map",
    "imperial.geography",
    "imperial.hints",
    "imperial.locations",
    "imperial.map",
    "imperial.military",
    "imperial.politics",
    "loeb9.map",
    "milan.map",
    "minorpower.map",
    "modern-up.map",
    "modern.map",
    "pure.map",
    "renaissance.map",
    "sailho.map",
    "sengoku.hints",
    "sengoku.map",
    "shiftaround.map",
    "shiftleft.map",
    "shiftright.map",
    "slovenia.map",
    "standard.geography",
    "standard.map",
    "standard.military",
    "standard.politics",
    "v8.map",
    "vassal.map",
    "void.map",
    "youngstown.geography",
    "youngstown.locations",
    "youngstown.map",
    "youngstown.military",
    "youngstown.politics",
    "zeus.map",
];

const TRIAL: &[(&str, &[u8])] = embedded![
    "trial":
    "azov.map",
    "midi.map",
    "standard_dutch.map",
    "standard_french.map",
    "standard_german.map",
    "standard_glhetg.map",
];

/// The maps in the program: released ones and trials, with all they use and the hints for their pictures.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn;

impl Source for BuiltIn {
    fn read(&self, file: &str) -> Option<Vec<u8>> {
        let mut all = RELEASED.iter().chain(TRIAL);
        all.find(|(name, _)| *name == file).map(|(_, bytes)| bytes.to_vec())
    }

    fn label(&self, file: &str) -> String {
        let folder = if TRIAL.iter().any(|(name, _)| *name == file) { "trial" } else { "maps" };
        format!("{folder}/{file}")
    }
}

/// Folders in order, the built-in maps behind them.
#[derive(Clone, Debug, Default)]
pub struct Library {
    folders: Vec<PathBuf>,
}

impl Library {
    /// The maps of a site: `<root>/maps`, then (for a trial map first) `<root>/trial` (operations.md 2.2).
    pub fn of_site(root: Option<&Path>) -> Library {
        Library { folders: root.map(|r| vec![r.join("maps"), r.join("trial")]).unwrap_or_default() }
    }

    /// The maps a game may use: a game by MAP sees the released ones only, one by TRIAL both, its own folder first
    /// (map-file.md 1).
    pub fn of_game(root: &Path, trial: bool) -> Library {
        let maps = root.join("maps");
        Library { folders: if trial { vec![root.join("trial"), maps] } else { vec![maps] } }
    }

    /// A folder, the built-in maps behind it.
    pub fn beside(folder: &Path) -> Library {
        Library { folders: vec![folder.to_owned()] }
    }

    fn find(&self, file: &str) -> Option<PathBuf> {
        if !is_file_name(file) {
            return None;
        }
        self.folders.iter().map(|folder| folder.join(file)).find(|path| path.is_file())
    }
}

impl Source for Library {
    fn read(&self, file: &str) -> Option<Vec<u8>> {
        match self.find(file) {
            // A file that is there but cannot be read is a file that is not there: the loader says which.
            Some(path) => std::fs::read(path).ok(),
            None => BuiltIn.read(file),
        }
    }

    fn label(&self, file: &str) -> String {
        let here = || {
            let known = BuiltIn.read(file).is_some();
            self.folders.first().filter(|_| !known).map(|folder| folder.join(file).display().to_string())
        };
        self.find(file).map(|path| path.display().to_string()).or_else(here).unwrap_or_else(|| BuiltIn.label(file))
    }
}

/// Loads what an argument of the command line means: with a `/` or ending in `.map` a file, whose includes are looked
/// for beside it; else a name, in the site's folders and then among the built-in maps (operations.md 2.2).
pub fn open(argument: &str, root: Option<&Path>) -> Result<Loaded, LoadError> {
    if argument.contains('/') || argument.ends_with(".map") {
        let path = Path::new(argument);
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        return load(&name, &Library::beside(folder));
    }
    load(argument, &Library::of_site(root))
}

fn names(table: &[(&'static str, &[u8])]) -> Vec<&'static str> {
    table.iter().filter_map(|(file, _)| file.strip_suffix(".map")).collect()
}

impl Map {
    /// Names of the released maps in the program, sorted.
    pub fn builtin_names() -> Vec<&'static str> {
        names(RELEASED)
    }

    /// Names of the trial maps in the program, sorted.
    pub fn builtin_trials() -> Vec<&'static str> {
        names(TRIAL)
    }

    /// A map that travels in the program, a trial map too.
    pub fn builtin(name: &str) -> Option<Map> {
        BuiltIn.read(&with_extension(name))?;
        load(name, &BuiltIn).ok().map(|loaded| loaded.map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folders_is_embedded() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for (folder, table) in [("maps", RELEASED), ("trial", TRIAL)] {
            let mut on_disk: Vec<String> = std::fs::read_dir(root.join(folder))
                .unwrap()
                .map(|e| e.unwrap().file_name().into_string().unwrap())
                .filter(|n| {
                    [".map", ".geography", ".locations", ".politics", ".military", ".hints"]
                        .iter()
                        .any(|e| n.ends_with(e))
                })
                .collect();
            on_disk.sort();
            let embedded: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
            assert_eq!(embedded, on_disk, "{folder}");
        }
    }

    #[test]
    fn every_builtin_loads() {
        for name in Map::builtin_names().into_iter().chain(Map::builtin_trials()) {
            if let Err(e) = load(name, &BuiltIn) {
                panic!("{e}\n{:#?}", e.diagnostics);
            }
        }
    }
}
