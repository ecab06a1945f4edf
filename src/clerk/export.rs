//! Giving the games of a site to a DPjudge (operations.md 13, the last paragraph of OPS-111). Each game is read under
//! its lock; the old tree is made beside its place and put there whole, so that half of one is never taken for all.

use super::{Clerk, ClerkError};
use crate::archive::{GameName, MAIL_WAIT};
use crate::import::give::{GivenGame, give};
use crate::import::tree::read_game;
use crate::import::{Finding, Left, What, index};
use crate::judge::IndexLine;
use crate::status::index::derived_state;
use crate::status::{Document, index as line_of};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The old judge works as two users of one group, mail and web; nobody else may read its passwords.
const DIRECTORY: u32 = 0o770;
/// The same for files.
const FILE: u32 = 0o660;

/// What an export did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Every game with the number of its files.
    pub games: Vec<(String, usize)>,
    /// Maps, as the old judge calls them.
    pub maps: Vec<String>,
    /// All that is to be said.
    pub findings: Vec<Finding>,
}

impl Clerk {
    /// Writes all games into a new directory, as a DPjudge keeps them.
    pub fn export_dpjudge(&self, to: &Path) -> Result<Exported, ClerkError> {
        let to = std::path::absolute(to).map_err(|e| failed(to, &e))?;
        let taken = || ClerkError::Site(format!("{}: want a directory that is new or empty", to.display()));
        match std::fs::read_dir(&to).map(|mut entries| entries.next().is_none()) {
            Ok(true) => {}
            Ok(false) => return Err(taken()),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(_) => return Err(taken()),
        }
        let name = to.file_name().ok_or_else(taken)?.to_string_lossy().into_owned();
        let draft = to.with_file_name(format!(".{name}.export"));
        match std::fs::remove_dir_all(&draft) {
            // What an earlier export has left when it died.
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(failed(&draft, &error)),
        }
        let written = self.write_out(&draft);
        if written.is_err() {
            // The error is what matters.
            let _ = std::fs::remove_dir_all(&draft);
        }
        let exported = written?;
        std::fs::rename(&draft, &to).map_err(|e| failed(&to, &e))?;
        if let Some(parent) = to.parent() {
            std::fs::File::open(parent).and_then(|parent| parent.sync_all()).map_err(|e| failed(parent, &e))?;
        }
        Ok(exported)
    }

    fn write_out(&self, draft: &Path) -> Result<Exported, ClerkError> {
        let mut done = Exported::default();
        make(&draft.join("games"))?;
        for (room, folder) in [("maps", "maps"), ("trial", "trials")] {
            let directory = self.site.layout.room(room).map(Path::to_owned).unwrap_or_default();
            for file in crate::archive::fs::names(&directory).map_err(|e| failed(&directory, &e))? {
                let path = directory.join(&file);
                let place = format!("{folder}/{file}");
                match crate::archive::fs::read(&path) {
                    Ok(Some(bytes)) if path.is_file() => {
                        write(&draft.join(&place), &bytes)?;
                        done.maps.push(place);
                    }
                    _ => done.findings.push(Finding::new(format!("{room}/{file}"), What::Left(Left::NotAFile))),
                }
            }
        }
        let mut lines = Vec::new();
        for game in self.game_names()? {
            let (given, said) = self.given(&game, &done.maps)?;
            done.findings.extend(said);
            done.findings.extend(given.findings);
            for (file, bytes) in &given.files {
                write(&draft.join("games").join(game.as_str()).join(file), bytes)?;
            }
            done.games.push((game.to_string(), given.files.len()));
            lines.push(line_of::line(&given.line));
        }
        let index: String = lines.iter().map(|line| format!("{line}\n")).collect();
        write(&draft.join("games/status"), index.as_bytes())?;
        for what in ["chancery.toml", "registry", "ledger", "spool", "outbox"] {
            done.findings.push(Finding::new(what, What::Left(Left::Beside)));
        }
        Ok(done)
    }

    /// A game as the old judge shall have it.
    fn given(&self, game: &GameName, maps: &[String]) -> Result<(GivenGame, Vec<Finding>), ClerkError> {
        let directory = self.archive.layout().game(game.as_str());
        let _lock = self.archive.lock_shared(game, MAIL_WAIT)?;
        let (mut files, mut said) = read_game(&directory, &format!("games/{game}"))?;
        // The lock, and what a crash has left of a file.
        files.retain(|file, _| !file.starts_with('.'));
        let line = self.book()?.of(game.as_str()).cloned().unwrap_or_else(|| {
            let document = files.get("status").and_then(|bytes| Document::parse(bytes).ok());
            let state = document.map(|document| derived_state(document.game())).unwrap_or_default();
            said.push(Finding::new(format!("{} ({game})", index::PLACE), What::Derived { word: None, state }));
            IndexLine { name: game.to_string(), variant: "standard".into(), state, ..IndexLine::default() }
        });
        let has_map = |map: &str| maps.iter().any(|file| file.ends_with(&format!("/{map}.map")));
        // The same hash of the same seat is one word in all copies, now and in every later export.
        let mut anew = |seat: &str, hash: &str| word(self.seed(&["export", game.as_str(), seat, hash]));
        Ok((give(&line, &files, &has_map, &mut anew), said))
    }
}

/// A new password: eight letters and digits, at least two of each, nothing that is read in two ways.
fn word(seed: u64) -> String {
    const LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyz";
    const DIGITS: &[u8] = b"23456789";
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pick = |from: &[u8]| from.get(rng.next_u32() as usize % from.len()).copied().map_or('x', char::from);
    [LETTERS, LETTERS, LETTERS, DIGITS, LETTERS, DIGITS, LETTERS, DIGITS].map(|from| pick(from)).iter().collect()
}

fn failed(path: &Path, error: &std::io::Error) -> ClerkError {
    ClerkError::Site(format!("{}: {error}", path.display()))
}

fn make(directory: &Path) -> Result<(), ClerkError> {
    let fail = |e: std::io::Error| failed(directory, &e);
    let mut missing: Vec<PathBuf> = Vec::new();
    let mut above = Some(directory);
    while let Some(path) = above.filter(|path| !path.is_dir()) {
        missing.push(path.to_owned());
        above = path.parent();
    }
    for path in missing.iter().rev() {
        std::fs::DirBuilder::new().mode(DIRECTORY).create(path).map_err(fail)?;
        // Whatever the umask.
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(DIRECTORY)).map_err(fail)?;
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), ClerkError> {
    use std::io::Write;
    if let Some(parent) = path.parent() {
        make(parent)?;
    }
    let write = || {
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(FILE).open(path)?;
        file.set_permissions(std::fs::Permissions::from_mode(FILE))?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(|e| failed(path, &e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_words_suit_the_old_judge() {
        for seed in 0..200 {
            let word = word(seed);
            let digits = word.bytes().filter(u8::is_ascii_digit).count();
            assert!(word.len() == 8 && digits >= 2 && word.len() - digits >= 2, "{word}");
            assert_eq!(word, super::word(seed));
        }
        assert_ne!(word(1), word(2));
    }
}
