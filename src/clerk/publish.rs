//! Pages follow the games (web.md B4). A marker is made before a change is committed and removed when its pages are
//! written; so whatever dies in between, the game is published again. Publishing never undoes or delays a commit.

use super::cards::Cards;
use super::{Clerk, ClerkError};
use crate::archive::{ArchiveError, GameName, WEB_WAIT, take_now};
use crate::diplomacy::draw::{self, Picture};
use crate::diplomacy::map::Map;
use crate::pages::banner::Words;
use crate::pages::{self, Card, MapView, Tree};
use crate::status::line;
use chrono::{DateTime, NaiveDate, Utc};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What lists show of every game, and the pages of maps: kept between publications.
#[derive(Default)]
pub struct Shelf {
    pub(super) cards: Cards,
    maps: Mutex<BTreeMap<String, MapView>>,
}

impl Clerk {
    /// Notes that a game's pages have to be written; cheap, done before its commit.
    pub(super) fn mark(&self, game: &GameName) {
        let marker = self.marker(game.as_str());
        let make = || fs::OpenOptions::new().create(true).append(true).open(&marker).map(drop);
        let made = match make() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(self.markers()).and_then(|()| make())
            }
            made => made,
        };
        if let Err(error) = made {
            tracing::warn!(%game, %error, "no marker for publishing");
        }
    }

    pub(super) fn markers(&self) -> PathBuf {
        self.site.layout.web.join(".dirty")
    }

    fn marker(&self, game: &str) -> PathBuf {
        self.markers().join(game)
    }

    /// Publishes the games that have changed; errors are logged, the markers stay.
    pub fn publish_dirty(&self, now: DateTime<Utc>) {
        self.publish_banner(now);
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
        let Some(_lock) = take_now(&web.join(".lock")).map_err(fail)? else {
            // Somebody publishes; the markers are his too.
            return Ok(0);
        };
        let anew = games.is_none();
        let names: Vec<String> = match games {
            Some(games) => games.to_vec(),
            None => self.game_names()?.iter().map(|g| g.to_string()).collect(),
        };
        let mut written = 0;
        for name in &names {
            // Its check hangs, or is under way: the marker stays.
            if self.at_hand.has(name) {
                continue;
            }
            // A commit that is under way, or that a fault has interrupted, comes first: its marker is there already,
            // and must not be taken away for what was before it.
            let lock = match GameName::old(name).map(|game| self.archive.lock_shared(&game, WEB_WAIT)) {
                Ok(Ok(lock)) => Some(lock),
                // Purged, renamed, or never a game of ours.
                Err(_) | Ok(Err(ArchiveError::NoSuchGame(_))) => None,
                Ok(Err(error)) => {
                    tracing::warn!(game = name, %error, "to be published later");
                    if let Ok(game) = GameName::old(name) {
                        self.mark(&game);
                    }
                    continue;
                }
            };
            // The marker goes first: a change that comes while we write makes a new one.
            match fs::remove_file(self.marker(name)) {
                Ok(()) => {}
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => return Err(fail(e)),
            }
            // Whoever commits from now on marks it again; a round need not wait for pictures.
            drop(lock);
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
        if anew {
            // Pages of games that are not there any more.
            for name in self.strays()? {
                let _ = fs::remove_dir_all(web.join("game").join(name));
            }
        }
        written += self.publish_site(now)?;
        Ok(written)
    }

    /// Directories of pages that belong to no game.
    fn strays(&self) -> Result<Vec<String>, ClerkError> {
        let games: BTreeSet<String> = self.game_names()?.iter().map(ToString::to_string).collect();
        let there = fs::read_dir(self.site.layout.web.join("game")).into_iter().flatten().flatten();
        let names = there.filter_map(|entry| entry.file_name().into_string().ok());
        Ok(names.filter(|name| !games.contains(name)).collect())
    }

    fn publish_game(&self, name: &str, anew: bool, now: DateTime<Utc>) -> Result<usize, ClerkError> {
        let web = self.site.layout.web.clone();
        let own = web.join("game").join(name);
        let Some(tree) = self.tree(name, anew, now)? else {
            // The game is gone, or cannot be read: nothing of it stays where there was a purge.
            if self.existing(name)?.is_none() {
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
        Ok(written)
    }

    /// The pages of a game as they are to be.
    fn tree(&self, name: &str, anew: bool, now: DateTime<Utc>) -> Result<Option<Tree>, ClerkError> {
        let Ok(game) = GameName::old(name) else { return Ok(None) };
        let Some((loaded, faced)) = self.faced(&game, now)? else { return Ok(None) };
        let table = loaded.table(&self.house, 0, faced.changed);
        let press = self.archive.read(&game, "press")?.map(|c| line::text(c.bytes)).unwrap_or_default();
        let (header, banner) = self.said();
        let words = Words { header: &header, banner: &banner };
        let facts = pages::Facts { words, ..faced.facts(&press) };
        let web = &self.site.layout.web;
        // A phase that is played never changes, unless the game was rolled back, which makes it dirty as a whole.
        let have = |path: &str| !anew && web.join(path).is_file();
        Ok(Some(pages::game_files(&table, &facts, &have)))
    }

    /// Index, openings, feeds, reference pages.
    fn publish_site(&self, now: DateTime<Utc>) -> Result<usize, ClerkError> {
        let cards = self.cards(now)?;
        let web = &self.site.layout.web;
        let mut written = 0;
        for (path, bytes) in self.site_pages(&cards, now) {
            let path = web.join(path);
            written +=
                usize::from(write(&path, &bytes).map_err(|e| ClerkError::Site(format!("{}: {e}", path.display())))?);
        }
        Ok(written)
    }

    fn site_pages(&self, cards: &[Card], now: DateTime<Utc>) -> Vec<(String, Vec<u8>)> {
        let mut names: BTreeSet<String> = cards.iter().map(|c| c.map.clone()).collect();
        names.insert("standard".into());
        let maps: Vec<MapView> = names.iter().filter_map(|n| self.map_view(n)).collect();
        let (header, banner) = self.said();
        let mut files = pages::site_files(cards, &maps, &self.house, Words { header: &header, banner: &banner });
        let (notice, bytes) = self.notice_page();
        files.retain(|(path, _)| *path != notice);
        files.push((notice, bytes));
        files.extend(self.banner_sheet(now));
        files
    }

    /// What the keeper says on every page, as HTML: at the head, and for news.
    fn said(&self) -> (String, String) {
        let web = &self.site.config.web;
        (pages::banner::html(&web.header), pages::banner::html(&web.banner))
    }

    /// Shows the banner until the end of its last day, in the zone of the house; nothing where there is none.
    fn banner_sheet(&self, now: DateTime<Utc>) -> Option<(String, Vec<u8>)> {
        let web = &self.site.config.web;
        let last = NaiveDate::parse_from_str(&web.banner_until, "%Y-%m-%d").ok();
        let shown = last.is_none_or(|last| now.with_timezone(&self.house.zone).date_naive() <= last);
        (!web.banner.trim().is_empty()).then(|| (pages::banner::SHEET.into(), pages::banner::sheet(shown)))
    }

    /// Takes the banner off all pages when its last day is over; tried again in the next round.
    fn publish_banner(&self, now: DateTime<Utc>) {
        if let Some((path, bytes)) = self.banner_sheet(now)
            && let Err(error) = write(&self.site.layout.web.join(path), &bytes)
        {
            tracing::warn!(%error, "publishing");
        }
    }

    /// What every page says while deadlines are not processed.
    fn notice_page(&self) -> (String, Vec<u8>) {
        let away = self.archive.read_note("suspended").is_ok_and(|note| note.is_some());
        (pages::assets::NOTICE.into(), pages::assets::notice(away))
    }

    /// Tells visitors that deadline work has stopped, or goes on again (OPS-084); tried again in the next round.
    pub(super) fn publish_notice(&self) {
        let (path, bytes) = self.notice_page();
        if let Err(error) = write(&self.site.layout.web.join(path), &bytes) {
            tracing::warn!(%error, "publishing");
        }
    }

    /// Pages that are not what would be published now, below `web/`; those of games that wait to be published left out.
    pub(super) fn stale_pages(&self, now: DateTime<Utc>) -> Result<Vec<String>, ClerkError> {
        let web = &self.site.layout.web;
        let mut stale: Vec<String> = self.strays()?.into_iter().map(|name| format!("game/{name}")).collect();
        let mut cards = Vec::new();
        let mut whole = true;
        let differs = |path: &str, bytes: &[u8]| !fs::read(web.join(path)).is_ok_and(|old| old == bytes);
        for game in self.game_names()? {
            // An edit is published when it is taken over.
            let waits = self.marker(game.as_str()).exists() || self.archive.is_hand_edited(&game)?;
            let Some(tree) = self.tree(game.as_str(), true, now)? else {
                // The lists show it as it was when it could be read.
                whole = false;
                continue;
            };
            whole &= !waits;
            let own = web.join("game").join(game.as_str());
            let wanted: BTreeSet<PathBuf> = tree.files.iter().map(|(path, _)| web.join(path)).collect();
            if !waits {
                stale.extend(tree.files.iter().filter(|(path, bytes)| differs(path, bytes)).map(|(p, _)| p.clone()));
                let mut there = Vec::new();
                list(&own, &mut there);
                let surplus = there.iter().filter(|path| !wanted.contains(*path));
                stale.extend(surplus.filter_map(|p| Some(p.strip_prefix(web).ok()?.display().to_string())));
            }
            cards.extend(tree.card);
        }
        if whole {
            let files = self.site_pages(&cards, now);
            stale.extend(files.into_iter().filter(|(path, bytes)| differs(path, bytes)).map(|(path, _)| path));
        }
        Ok(stale)
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

/// Every file under a directory.
fn list(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { list(&path, files) } else { files.push(path) }
    }
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
