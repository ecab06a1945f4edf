//! The old site on the disk: the directory `games` with what stands around it, or that directory alone. Reads only;
//! links are not followed.

use super::{Finding, Left, What};
use crate::archive::fs;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Files by name; those of a directory as `directory/name`.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Why an old site is not read.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// Neither kind of directory.
    #[error("{}: no site of a DPjudge (want a directory with games/status in it, or the directory games itself)", .0.display())]
    NoSite(PathBuf),
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

fn at(path: &Path) -> impl Fn(io::Error) -> TreeError {
    let path = path.to_owned();
    move |source| TreeError::Io { path: path.clone(), source }
}

/// A map or what lies beside one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapFile {
    /// `maps` or `trial`, as the room is called here.
    pub room: &'static str,
    /// As the folder is called there.
    pub folder: &'static str,
    /// File name.
    pub name: String,
    /// Content.
    pub bytes: Vec<u8>,
}

/// An old site.
#[derive(Clone, Debug)]
pub struct OldSite {
    root: PathBuf,
    whole: bool,
}

/// Folders of maps there and here; the old program wrote `trials` (D29).
const FOLDERS: [(&str, &str); 3] = [("maps", "maps"), ("trials", "trial"), ("trial", "trial")];

impl OldSite {
    /// Looks at a directory.
    pub fn open(root: &Path) -> Result<OldSite, TreeError> {
        let whole = root.join("games").is_dir();
        if !whole && !root.join("status").is_file() {
            return Err(TreeError::NoSite(root.to_owned()));
        }
        let root = root.canonicalize().map_err(at(root))?;
        Ok(OldSite { root, whole })
    }

    /// The directory of the games.
    pub fn games_directory(&self) -> PathBuf {
        if self.whole { self.root.join("games") } else { self.root.clone() }
    }

    /// The bytes of the index; empty if there is none.
    pub fn index(&self) -> Result<Vec<u8>, TreeError> {
        let path = self.games_directory().join("status");
        fs::read(&path).map(Option::unwrap_or_default).map_err(at(&path))
    }

    /// `host.py`.
    pub fn host(&self) -> Result<Option<Vec<u8>>, TreeError> {
        let path = self.root.join("host.py");
        if self.whole { fs::read(&path).map_err(at(&path)) } else { Ok(None) }
    }

    /// When the old judge worked last: the time of `log/check.tim`.
    pub fn last_round(&self) -> Option<SystemTime> {
        std::fs::metadata(self.root.join("log/check.tim")).ok().filter(|_| self.whole)?.modified().ok()
    }

    /// Names of the directories that hold a status file; everything else there, and beside it, is a finding.
    pub fn games(&self) -> Result<(Vec<String>, Vec<Finding>), TreeError> {
        let mut findings = Vec::new();
        if self.whole {
            let known = ["games", "host.py"].into_iter().chain(FOLDERS.iter().map(|(folder, _)| *folder));
            let known: Vec<&str> = known.collect();
            for (name, _) in entries(&self.root)?.into_iter().filter(|(name, _)| !known.contains(&name.as_str())) {
                findings.push(Finding::new(name, What::Left(Left::Beside)));
            }
        }
        let directory = self.games_directory();
        let mut games = Vec::new();
        for (name, kind) in entries(&directory)? {
            let left = match kind {
                Kind::File if name == "status" => continue,
                Kind::Directory if directory.join(&name).join("status").is_file() => {
                    games.push(name);
                    continue;
                }
                Kind::Other => Left::NotAFile,
                Kind::File | Kind::Directory => Left::NoGame,
            };
            findings.push(Finding::new(format!("games/{name}"), What::Left(left)));
        }
        Ok((games, findings))
    }

    /// All files of a game.
    pub fn game(&self, name: &str) -> Result<(Files, Vec<Finding>), TreeError> {
        read_game(&self.games_directory().join(name), &format!("games/{name}"))
    }

    /// Maps and what lies beside them.
    pub fn maps(&self) -> Result<(Vec<MapFile>, Vec<Finding>), TreeError> {
        let mut maps = Vec::new();
        let mut findings = Vec::new();
        for (folder, room) in FOLDERS.into_iter().filter(|_| self.whole) {
            let directory = self.root.join(folder);
            if !directory.is_dir() {
                continue;
            }
            for (name, kind) in entries(&directory)? {
                let path = directory.join(&name);
                match kind {
                    Kind::File => {
                        let bytes = fs::read(&path).map_err(at(&path))?.unwrap_or_default();
                        maps.push(MapFile { room, folder, name, bytes });
                    }
                    _ => findings.push(Finding::new(format!("{folder}/{name}"), What::Left(Left::NotAFile))),
                }
            }
        }
        Ok((maps, findings))
    }
}

/// All files of the directory of a game, those of its directories too. What is deeper, or no file, is a finding.
pub fn read_game(directory: &Path, place: &str) -> Result<(Files, Vec<Finding>), TreeError> {
    let mut files = Files::new();
    let mut findings = Vec::new();
    let mut read = |name: &str| -> Result<(), TreeError> {
        let path = directory.join(name);
        let bytes = fs::read(&path).map_err(at(&path))?.unwrap_or_default();
        files.insert(name.to_owned(), bytes);
        Ok(())
    };
    for (name, kind) in entries(directory)? {
        match kind {
            Kind::File => read(&name)?,
            Kind::Other => findings.push(Finding::new(format!("{place}/{name}"), What::Left(Left::NotAFile))),
            Kind::Directory => {
                for (inner, kind) in entries(&directory.join(&name))? {
                    let inner = format!("{name}/{inner}");
                    let left = match kind {
                        Kind::File => {
                            read(&inner)?;
                            continue;
                        }
                        Kind::Directory => Left::TooDeep,
                        Kind::Other => Left::NotAFile,
                    };
                    findings.push(Finding::new(format!("{place}/{inner}"), What::Left(left)));
                }
            }
        }
    }
    Ok((files, findings))
}

enum Kind {
    File,
    Directory,
    /// A link, a device, or something with a name that is no text.
    Other,
}

/// Entries of a directory, in order of names.
fn entries(directory: &Path) -> Result<Vec<(String, Kind)>, TreeError> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(at(directory))? {
        let entry = entry.map_err(at(directory))?;
        let kind = entry.file_type().map_err(at(&entry.path()))?;
        let name = entry.file_name();
        let kind = match name.to_str() {
            Some(_) if kind.is_file() => Kind::File,
            Some(_) if kind.is_dir() => Kind::Directory,
            _ => Kind::Other,
        };
        all.push((name.to_string_lossy().into_owned(), kind));
    }
    all.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(all)
}
