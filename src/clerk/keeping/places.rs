//! Where a backup is unpacked, and how it takes its place (OPS-101).
//!
//! Everything is made beside the place where it belongs: the site, and each room that the configuration puts elsewhere.
//! A site in one directory takes its place in one rename. Where there are more, the rooms elsewhere go first and the site
//! last; what fails in between is taken back.

use super::ClerkError;
use super::site::at;
use crate::site::{Config, Layout};
use chrono::{DateTime, Utc};
use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

/// One directory that is being made.
struct Place {
    draft: PathBuf,
    place: PathBuf,
    /// Whether something is there already.
    taken: bool,
}

impl Place {
    fn of(place: PathBuf, replace: bool) -> Result<Place, ClerkError> {
        let taken = place.exists() && std::fs::read_dir(&place).map_err(at(&place))?.next().is_some();
        if taken && !replace {
            let text = format!("{}: not empty; --replace puts what is there aside", place.display());
            return Err(ClerkError::Site(text));
        }
        let name = place.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let draft = place.with_file_name(format!(".{name}.{}.restore", std::process::id()));
        if draft.exists() {
            std::fs::remove_dir_all(&draft).map_err(at(&draft))?;
        }
        std::fs::create_dir_all(&draft).map_err(at(&draft))?;
        Ok(Place { draft, place, taken })
    }

    /// Puts the draft in its place; what was there is where the draft was.
    fn swap(&self) -> Result<(), ClerkError> {
        if self.taken { exchange(&self.draft, &self.place) } else { rename(&self.draft, &self.place) }
    }

    fn swap_back(&self) -> Result<(), ClerkError> {
        if self.taken { exchange(&self.draft, &self.place) } else { rename(&self.place, &self.draft) }
    }

    /// Where what was there goes.
    fn aside(&self, now: DateTime<Utc>) -> PathBuf {
        let name = self.place.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        self.place.with_file_name(format!("{name}.before-{}", now.format("%Y%m%dT%H%M%SZ")))
    }
}

/// A site in the making; what has not taken its place is gone with it.
pub(super) struct Places {
    root: PathBuf,
    replace: bool,
    /// The site first.
    all: Vec<Place>,
}

impl Drop for Places {
    fn drop(&mut self) {
        for place in &self.all {
            let _ = std::fs::remove_dir_all(&place.draft);
        }
    }
}

impl Places {
    /// For a site at `root` (absolute). `replace`: what is there may be put aside.
    pub fn new(root: &Path, replace: bool) -> Result<Places, ClerkError> {
        Ok(Places { root: root.to_owned(), replace, all: vec![Place::of(root.to_owned(), replace)?] })
    }

    /// Where the site is unpacked.
    pub fn draft(&self) -> &Path {
        self.all.first().map_or(&self.root, |site| &site.draft)
    }

    /// Makes the directories that the configuration wants; gives where they are now.
    pub(crate) fn lay_out(&mut self, config: &Config) -> Result<Layout, ClerkError> {
        let mut layout = Layout::of(&self.root, config);
        for room in layout.kept_mut() {
            let place = lexical(room);
            *room = match place.strip_prefix(&self.root) {
                Ok(within) => self.draft().join(within),
                Err(_) => self.elsewhere(place)?,
            };
        }
        // The others are not in a backup. Elsewhere they stay what they are.
        for room in layout.passing_mut() {
            if let Ok(within) = lexical(room).strip_prefix(&self.root) {
                *room = self.draft().join(within);
            }
        }
        layout.root = self.draft().to_owned();
        for (directory, mode) in layout.directories() {
            if !directory.is_dir() || directory.starts_with(self.draft()) {
                std::fs::create_dir_all(&directory).map_err(at(&directory))?;
                std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(mode)).map_err(at(&directory))?;
            }
        }
        Ok(layout)
    }

    fn elsewhere(&mut self, place: PathBuf) -> Result<PathBuf, ClerkError> {
        // A link stays; what it leads to is the room.
        let place = place.canonicalize().unwrap_or(place);
        let among = |other: &Place| place.starts_with(&other.place) || other.place.starts_with(&place);
        if let Some(other) = self.all.iter().find(|other| among(other)) {
            let text = format!("{}: lies in one directory with {}", place.display(), other.place.display());
            return Err(ClerkError::Site(text));
        }
        let room = Place::of(place, self.replace)?;
        let draft = room.draft.clone();
        self.all.push(room);
        Ok(draft)
    }

    /// Everything takes its place; gives each place where something was before, and where that is now.
    pub fn take(mut self, now: DateTime<Utc>) -> Result<Vec<(PathBuf, PathBuf)>, ClerkError> {
        for place in &self.all {
            // One call puts everything on the disk that the draft is on.
            let opened = File::open(&place.draft).map_err(at(&place.draft))?;
            rustix::fs::syncfs(&opened).map_err(|error| at(&place.draft)(error.into()))?;
            let aside = place.aside(now);
            if place.taken && aside.exists() {
                return Err(ClerkError::Site(format!("{}: is there already", aside.display())));
            }
        }
        let mut done: Vec<&Place> = Vec::new();
        for place in self.all.iter().rev() {
            if let Err(error) = place.swap() {
                for place in done.into_iter().rev() {
                    if let Err(error) = place.swap_back() {
                        tracing::error!(place = %place.place.display(), %error, "half of a backup has stayed");
                    }
                }
                return Err(error);
            }
            done.push(place);
        }
        let mut asides = Vec::new();
        for place in std::mem::take(&mut self.all) {
            if place.taken {
                let aside = place.aside(now);
                rename(&place.draft, &aside)?;
                asides.push((place.place.clone(), aside));
            }
            let parent = place.place.parent().unwrap_or(Path::new("/"));
            File::open(parent).and_then(|directory| directory.sync_all()).map_err(at(parent))?;
        }
        Ok(asides)
    }
}

/// The path without `.` and `..`.
fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

fn rename(from: &Path, to: &Path) -> Result<(), ClerkError> {
    std::fs::rename(from, to).map_err(at(to))
}

/// Two directories take each other's places at once.
fn exchange(a: &Path, b: &Path) -> Result<(), ClerkError> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).map_err(|error| at(b)(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_as_written() {
        assert_eq!(lexical(Path::new("/srv/site/../games/./x")), Path::new("/srv/games/x"));
        assert_eq!(lexical(Path::new("/../games")), Path::new("/games"));
    }

    #[test]
    fn what_fails_in_between_is_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let site = dir.path().join("site");
        std::fs::create_dir_all(site.join("old")).unwrap();
        let rooms = dir.path().join("rooms");
        std::fs::create_dir_all(rooms.join("games/old")).unwrap();
        let mut places = Places::new(&site, true).unwrap();
        let games = places.elsewhere(rooms.join("games")).unwrap();
        std::fs::create_dir(games.join("new")).unwrap();
        // What was there has gone meanwhile: it cannot be exchanged.
        std::fs::remove_dir_all(&site).unwrap();
        assert!(places.take(DateTime::UNIX_EPOCH).is_err());
        assert!(rooms.join("games/old").is_dir() && !rooms.join("games/new").exists());
        assert_eq!(std::fs::read_dir(&rooms).unwrap().count(), 1, "no draft is left");
    }
}
