//! Pages follow the games (web.md B4). A marker is made before a change is committed and removed when its pages are
//! written; so whatever dies in between, the game is published again. Publishing never undoes or delays a commit.

use super::{Clerk, ClerkError};
use crate::archive::{GameName, Owner};
use crate::diplomacy::draw::{self, Picture};
use crate::diplomacy::map::Map;
use crate::pages::{self, Card, Facts, MapView, Tree};
use chrono::{DateTime, Utc};
use fs2::FileExt;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What lists show of every game, and the pages of maps: kept between publications.
#[derive(Default)]
pub struct Shelf {
    cards: Mutex<BTreeMap<String, Card>>,
    maps: Mutex<BTreeMap<String, MapView>>,
}

impl Clerk {
    /// Notes that a game's pages have to be written; cheap, done before its commit.
    pub(super) fn mark(&self, game: &GameName) {
        let marker = self.marker(game.as_str());
        if !marker.exists()
            && let Err(error) = fs::create_dir_all(self.markers()).and_then(|()| fs::write(&marker, b""))
        {
            tracing::warn!(%game, %error, "no marker for publishing");
        }
    }

    fn markers(&self) -> PathBuf {
        self.site.layout.web.join(".dirty")
    }

    fn marker(&self, game: &str) -> PathBuf {
        self.markers().join(game)
    }

    /// Publishes the games that have changed; errors are logged, the markers stay.
    pub fn publish_dirty(&self, now: DateTime<Utc>) {
        let Ok(entries) = fs::read_dir(self.markers()) else { return };
        let mut games: Vec<String> = entries.flatten().filter_map(|e| e.file_name().into_string().ok()).collect();
        games.sort();
        if !games.is_empty()
            && let Err(error) = self.publish_all(Some(&games), now)
        {
            tracing::warn!(%error, "publishing");
        }
    }

    /// Publishes these games, or all of them from nothing; gives the number of files written.
    pub fn publish_all(&self, games: Option<&[String]>, now: DateTime<Utc>) -> Result<usize, ClerkError> {
        let web = &self.site.layout.web;
        let fail = |e: io::Error| ClerkError::Site(format!("{}: {e}", web.display()));
        fs::create_dir_all(web).map_err(fail)?;
        let lock =
            fs::OpenOptions::new().create(true).truncate(false).write(true).open(web.join(".lock")).map_err(fail)?;
        if lock.try_lock_exclusive().is_err() {
            // Somebody publishes; the markers are his too.
            return Ok(0);
        }
        let anew = games.is_none();
        let names: Vec<String> = match games {
            Some(games) => games.to_vec(),
            None => self.game_names()?.iter().map(|g| g.to_string()).collect(),
        };
        let mut written = 0;
        for name in &names {
            // The marker goes first: a change that comes while we write makes a new one.
            match fs::remove_file(self.marker(name)) {
                Ok(()) => {}
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => return Err(fail(e)),
            }
            match self.publish_game(name, anew, now) {
                Ok(count) => written += count,
                Err(error) => {
                    if let Ok(game) = GameName::old(name) {
                        self.mark(&game);
                    }
                    tracing::warn!(game = name, %error, "publishing");
                }
            }
        }
        written += self.publish_site(now)?;
        Ok(written)
    }

    fn publish_game(&self, name: &str, anew: bool, now: DateTime<Utc>) -> Result<usize, ClerkError> {
        let web = self.site.layout.web.clone();
        let own = web.join("game").join(name);
        let Some(tree) = self.tree(name, anew, now)? else {
            // The game is gone, or cannot be read: nothing of it stays where there was a purge.
            if self.existing(name)?.is_none() {
                if let Ok(mut cards) = self.shelf.cards.lock() {
                    cards.remove(name);
                }
                let _ = fs::remove_dir_all(&own);
            }
            return Ok(0);
        };
        let mut written = 0;
        let mut wanted: BTreeSet<PathBuf> = tree.kept.iter().map(|k| web.join(k)).collect();
        for (path, bytes) in &tree.files {
            let path = web.join(path);
            written +=
                usize::from(write(&path, bytes).map_err(|e| ClerkError::Site(format!("{}: {e}", path.display())))?);
            wanted.insert(path);
        }
        // Files no longer wanted: phases rolled back, a game that became private.
        sweep(&own, &wanted);
        if let (Some(card), Ok(mut cards)) = (tree.card, self.shelf.cards.lock()) {
            cards.insert(name.to_string(), card);
        }
        Ok(written)
    }

    /// The pages of a game as they are to be.
    fn tree(&self, name: &str, anew: bool, now: DateTime<Utc>) -> Result<Option<Tree>, ClerkError> {
        let Ok(game) = GameName::old(name) else { return Ok(None) };
        if self.existing(name)?.is_none() {
            return Ok(None);
        }
        let Some(loaded) = self.load(&game, now)? else { return Ok(None) };
        let audit = self.archive.audit(&Owner::Game(game.clone()))?;
        let moment = |line: Option<&crate::archive::AuditLine>| {
            let word = line?.text.split_whitespace().next()?;
            DateTime::parse_from_rfc3339(word).ok().map(|t| t.to_utc())
        };
        // Pages go by the time of the game's last change, so that the same archive gives the same pages.
        let changed = moment(audit.last()).unwrap_or_default();
        let table = loaded.table(&self.house, 0, changed);
        let press = self
            .archive
            .read(&game, "press")?
            .map(|c| String::from_utf8_lossy(&c.bytes).into_owned())
            .unwrap_or_default();
        let facts = Facts { press: &press, seq: audit.last().map_or(0, |l| l.seq), created: moment(audit.first()) };
        let web = &self.site.layout.web;
        // A phase that is played never changes, unless the game was rolled back, which makes it dirty as a whole.
        let have = |path: &str| !anew && web.join(path).is_file();
        Ok(Some(pages::game_files(&table, &facts, &have)))
    }

    /// Index, openings, feeds, reference pages.
    fn publish_site(&self, now: DateTime<Utc>) -> Result<usize, ClerkError> {
        self.fill_cards(now)?;
        let cards: Vec<Card> = self.shelf.cards.lock().map(|c| c.values().cloned().collect()).unwrap_or_default();
        let mut names: BTreeSet<String> = cards.iter().map(|c| c.map.clone()).collect();
        names.insert("standard".into());
        let maps: Vec<MapView> = names.iter().filter_map(|n| self.map_view(n)).collect();
        let web = &self.site.layout.web;
        let mut written = 0;
        for (path, bytes) in pages::site_files(&cards, &maps, &self.house) {
            let path = web.join(path);
            written +=
                usize::from(write(&path, &bytes).map_err(|e| ClerkError::Site(format!("{}: {e}", path.display())))?);
        }
        Ok(written)
    }

    /// Cards of games that were not published by this process.
    fn fill_cards(&self, now: DateTime<Utc>) -> Result<(), ClerkError> {
        for line in self.index()? {
            let known = self.shelf.cards.lock().is_ok_and(|cards| cards.contains_key(&line.name));
            if known {
                continue;
            }
            let Some(tree) = self.tree(&line.name, false, now)? else { continue };
            if let (Some(card), Ok(mut cards)) = (tree.card, self.shelf.cards.lock()) {
                cards.insert(line.name, card);
            }
        }
        Ok(())
    }

    fn map_view(&self, name: &str) -> Option<MapView> {
        if let Some(found) = self.shelf.maps.lock().ok()?.get(name) {
            return Some(found.clone());
        }
        let library = crate::diplomacy::map::library::Library::of_site(Some(&self.site.root));
        let map: Map = crate::diplomacy::map::load(name, &library).ok()?.map;
        let picture = (!map.text_only).then(|| {
            let shown = self.site.gallery().show(&map);
            for remark in &shown.remarks {
                tracing::warn!(map = name, remark, "a picture");
            }
            let mut picture = Picture::start(&map, &shown.art);
            picture.colours = shown.colours;
            draw::svg(&picture)
        });
        let view = MapView::of(&map, picture);
        self.shelf.maps.lock().ok()?.insert(name.to_string(), view.clone());
        Some(view)
    }
}

/// Writes a file through a temporary name beside it; whether it was written: one that is the same already is left alone.
fn write(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(false);
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let draft = path.with_file_name(format!(
        ".{}.{}",
        path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
        std::process::id()
    ));
    fs::write(&draft, bytes)?;
    fs::rename(&draft, path)?;
    Ok(true)
}

/// Removes files under a directory that are not wanted.
fn sweep(directory: &Path, wanted: &BTreeSet<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            sweep(&path, wanted);
        } else if !wanted.contains(&path) {
            // A file that cannot be removed is tried again at the next change.
            let _ = fs::remove_file(&path);
        }
    }
}
