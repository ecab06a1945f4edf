//! A game as it lies in the archive, made ready for the judge: status file read, map found, rules resolved, referee
//! appointed.

use super::{Clerk, ClerkError};
use crate::archive::{ArchiveError, Content, GameName, Stamp};
use crate::diplomacy::draw::Gallery;
use crate::diplomacy::geography;
use crate::diplomacy::map::library::Library;
use crate::diplomacy::map::source::with_extension;
use crate::diplomacy::map::{self, Map, Source as _};
use crate::diplomacy::phase::Phase;
use crate::diplomacy::rules::{Rules, Variant};
use crate::judge::IndexLine;
use crate::judge::commands::Line;
use crate::judge::help;
use crate::judge::lists::{self, Opening};
use crate::judge::table::{House, Records, Table, Who};
use crate::mail::token::Secret;
use crate::referee::Referee;
use crate::referee::diplomacy::{Compiled, Diplomacy};
use crate::site::{Config, Site};
use crate::status::index::derived_state;
use crate::status::line;
use crate::status::{Diagnostic, Document, Game, PhaseState};
use chrono::{DateTime, Utc};
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

/// What the judge is called and allows, from the configuration.
pub(crate) fn house(config: &Config, secret: &Secret) -> House {
    let some = |text: &str| Some(text.to_string()).filter(|t| !t.is_empty());
    House {
        id: config.judge.id.clone(),
        nick: config.judge.nick.clone(),
        address: config.judge.address.clone(),
        url: config.judge.url.trim_end_matches('/').to_string(),
        zone: config.judge.zone,
        keepers: config.judge.keepers.clone(),
        keeper_hash: config.auth.keeper_hash.as_ref().map(|s| s.reveal().to_string()),
        observers: config.judge.observers.clone(),
        create_limit: config.games.create_limit,
        create_limit_per_master: config.games.create_limit_per_master,
        hall_of_fame: some(&config.judge.hall_of_fame),
        openings: some(&config.judge.openings),
        detectives: config.judge.detectives.clone(),
        public_networks: config.abuse.public_networks.clone(),
        access_key: config.privacy.hash_addresses.then(|| secret.clone()),
    }
}

/// The site's own secret, drawn once: seeds and marks follow from it.
pub fn site_secret(site: &Site) -> Result<[u8; 32], ClerkError> {
    let path = site.layout.registry.join("secret");
    let fail = |e: std::io::Error| ClerkError::Site(format!("{}: {e}", path.display()));
    for _ in 0..3 {
        match std::fs::read(&path) {
            Ok(bytes) => {
                return bytes.try_into().map_err(|_| ClerkError::Site(format!("{}: want 32 bytes", path.display())));
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                let mut secret = [0u8; 32];
                getrandom::fill(&mut secret).map_err(|e| ClerkError::Site(e.to_string()))?;
                // Written aside and linked: two processes that start at once agree on one, and none sees half of it.
                let draft = path.with_extension(format!("{}", std::process::id()));
                {
                    use std::io::Write;
                    use std::os::unix::fs::OpenOptionsExt;
                    let mut file = std::fs::OpenOptions::new()
                        .write(true)
                        .create(true)
                        .truncate(true)
                        .mode(0o600)
                        .open(&draft)
                        .map_err(fail)?;
                    file.write_all(&secret).map_err(fail)?;
                    file.sync_all().map_err(fail)?;
                }
                let linked = std::fs::hard_link(&draft, &path);
                std::fs::remove_file(&draft).map_err(fail)?;
                // What is made from it must not outlive it.
                std::fs::File::open(&site.layout.registry).and_then(|room| room.sync_all()).map_err(fail)?;
                match linked {
                    Ok(()) => {}
                    Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                    Err(e) => return Err(fail(e)),
                }
            }
            Err(e) => return Err(fail(e)),
        }
    }
    Err(ClerkError::Site(format!("{}: cannot be made", path.display())))
}

type Shelved = Result<Arc<Compiled>, Vec<String>>;

/// Maps, loaded once and kept: the same name, morphs and phase blocks give the same board.
pub struct MapShelf {
    root: PathBuf,
    gallery: Gallery,
    shelf: Mutex<HashMap<String, Shelved>>,
}

impl MapShelf {
    /// For a site.
    pub fn new(site: &Site) -> MapShelf {
        MapShelf { root: site.root.clone(), gallery: site.gallery(), shelf: Mutex::new(HashMap::new()) }
    }

    /// The board of a game as it is now, or what is wrong with it.
    pub fn of(&self, game: &Game) -> Shelved {
        let library = Library::of_game(&self.root, game.trial);
        let name = geography::map_name(game, &library);
        let phase = match &game.phase {
            PhaseState::Running(text) => Phase::parse_long(text),
            _ => None,
        };
        // A map file that a judgekeeper changes must be seen: its text is part of the key.
        let text = library.read(&with_extension(&name)).unwrap_or_default();
        let plain = self.shelved(&format!("{}\0{name}\0{}", game.trial, Stamp::of(&text)), || {
            map::load(&name, &library).map(|l| l.map).map_err(|e| e.to_string())
        })?;
        if game.morph.is_empty() && !plain.map.is_dynamic() {
            return Ok(plain);
        }
        let key = format!(
            "{}\0{name}\0{}\0{}\0{:?}",
            game.trial,
            Stamp::of(&text),
            game.morph.join("\n"),
            phase.as_ref().filter(|_| plain.map.is_dynamic())
        );
        self.shelved(&key, || {
            plain.map.with_morphs_from(&game.morph, phase.as_ref(), &library).map(|l| l.map).map_err(|e| e.to_string())
        })
    }

    /// The referee of that board without any rules, for pictures.
    pub fn referee(&self, game: &Game) -> Result<Diplomacy, Vec<String>> {
        self.of(game).map(|compiled| Diplomacy::new(compiled, Rules::default(), "standard"))
    }

    fn shelved(&self, key: &str, load: impl FnOnce() -> Result<Map, String>) -> Shelved {
        if let Ok(shelf) = self.shelf.lock()
            && let Some(found) = shelf.get(key)
        {
            return found.clone();
        }
        let made = load().map(|map| Arc::new(Compiled::shown_by(map, self.gallery.clone()))).map_err(|e| vec![e]);
        if let Ok(mut shelf) = self.shelf.lock() {
            // Morphed boards of finished games need not be kept for ever.
            if shelf.len() > 256 {
                shelf.clear();
            }
            shelf.insert(key.to_string(), made.clone());
        }
        made
    }
}

/// Results of past phases, read from the game's directory when asked for.
#[derive(Clone)]
struct Filed {
    directory: PathBuf,
}

impl Records for Filed {
    fn results(&self) -> String {
        std::fs::read(self.directory.join("results")).map(line::text).unwrap_or_default()
    }
    fn phases(&self) -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(self.directory.join("results.jsonl")).unwrap_or_default();
        text.lines().filter_map(|l| serde_json::from_str(l).ok()).collect()
    }
    fn file(&self, name: &str) -> Option<String> {
        // Names come from the judge, and have no way out of the directory.
        let plain = !name.contains('/') && !name.starts_with('.');
        plain.then(|| std::fs::read(self.directory.join(name)).ok().map(line::text))?
    }
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.directory).into_iter().flatten();
        let mut names: Vec<String> = entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        names
    }
}

/// Whether the file of a game is to be checked against its board and rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Faults {
    Sought,
    /// There are none: just this file was checked before.
    Known,
}

/// A game read from the archive.
pub struct Loaded {
    document: Document,
    content: Content,
    index: IndexLine,
    rules: Rules,
    referee: Diplomacy,
    errors: Vec<String>,
    faults: Vec<Diagnostic>,
    records: Filed,
}

impl Loaded {
    /// The status.
    pub fn game(&self) -> &Game {
        self.document.game()
    }
    /// The index line.
    pub fn index(&self) -> &IndexLine {
        &self.index
    }
    /// Stamp of the status file as it was read.
    pub fn stamp(&self) -> Option<Stamp> {
        Some(self.content.stamp)
    }
    /// The status file as it was read.
    pub fn bytes(&self) -> Vec<u8> {
        self.content.bytes.clone()
    }
    /// Faults of the status file.
    pub fn errors(&self) -> &[String] {
        &self.errors
    }
    /// The same with what they are about.
    pub fn faults(&self) -> &[Diagnostic] {
        &self.faults
    }
    /// The GAME line has to name the game's directory (status-file.md 2.1). A kept copy may bear an older name.
    fn check_name(&mut self, game: &GameName) {
        let written = &self.game().name;
        if written.is_empty() || written.eq_ignore_ascii_case(game.as_str()) {
            return;
        }
        let fault = Diagnostic::error(self.document.game_line(), 1, "GAME NAME MISMATCH", format!("GAME {game}"));
        self.errors.insert(0, fault.to_string());
        self.faults.insert(0, fault);
    }
    /// Why the position cannot be, if it cannot.
    pub fn position_fault(&self) -> Option<String> {
        self.referee.position_fault(self.game())
    }
    /// The phase: `S1901M`, `FORMING`, `COMPLETED`.
    pub fn short_phase(&self) -> String {
        self.referee.phase_short(self.game())
    }
    /// The referee.
    pub(super) fn referee(&self) -> &Diplomacy {
        &self.referee
    }
    /// The position now, as records of phases have it.
    pub fn record_now(&self) -> serde_json::Value {
        self.referee.record_now(self.game())
    }
    /// The status file with the lines changed that differ; clear passwords are hashed by whoever made `next`.
    pub fn rewritten(&self, next: &Game) -> Result<Vec<u8>, ClerkError> {
        let text = self.document.updated(next).map_err(|e| ClerkError::Site(e.to_string()))?;
        Ok(text.into_bytes())
    }
    /// The game for the judge.
    pub fn table<'a>(&'a self, house: &'a House, seed: u64, now: DateTime<Utc>) -> Table<'a> {
        Table {
            game: self.game().clone(),
            index: self.index.clone(),
            rules: self.rules,
            referee: &self.referee,
            errors: self.errors.clone(),
            house,
            records: Rc::new(self.records.clone()),
            now,
            seed,
            account: None,
            moved: None,
        }
    }
}

impl Clerk {
    /// Names of all games.
    pub fn game_names(&self) -> Result<Vec<GameName>, ClerkError> {
        Ok(self.archive.games()?)
    }

    /// The game of that name, if there is one.
    pub fn existing(&self, name: &str) -> Result<Option<GameName>, ClerkError> {
        let Ok(game) = GameName::old(name) else { return Ok(None) };
        match self.archive.read(&game, "status") {
            Ok(Some(_)) => Ok(Some(game)),
            Ok(None) | Err(ArchiveError::NoSuchGame(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads a game. `None`: its status file has faults that leave nothing to work with; its mail waits (OPS-050).
    pub fn load(&self, game: &GameName, _now: DateTime<Utc>) -> Result<Option<Loaded>, ClerkError> {
        let Some(content) = self.archive.read(game, "status")? else { return Ok(None) };
        self.load_from(game, content)
    }

    /// The same from a status file that has been read.
    pub(super) fn load_from(&self, game: &GameName, content: Content) -> Result<Option<Loaded>, ClerkError> {
        let mut loaded = self.read_as(game, content)?;
        if let Some(loaded) = &mut loaded {
            loaded.check_name(game);
        }
        self.remember(game, loaded.as_ref());
        Ok(loaded)
    }

    /// The same from one that is known to be without fault.
    pub(super) fn load_sound(&self, game: &GameName, content: Content) -> Result<Option<Loaded>, ClerkError> {
        let loaded = self.read(game, content, Faults::Known)?;
        self.remember(game, loaded.as_ref());
        Ok(loaded)
    }

    fn remember(&self, game: &GameName, loaded: Option<&Loaded>) {
        if let Some(loaded) = loaded.filter(|loaded| loaded.errors.is_empty()) {
            self.memory.read(game, loaded.content.stamp, &loaded.content.bytes);
        }
    }

    /// The game as these bytes have it: its status file, or a kept copy. `None`: nothing to work with.
    pub(super) fn read_as(&self, game: &GameName, content: Content) -> Result<Option<Loaded>, ClerkError> {
        self.read(game, content, Faults::Sought)
    }

    fn read(&self, game: &GameName, content: Content, look: Faults) -> Result<Option<Loaded>, ClerkError> {
        let Ok(document) = Document::parse(&content.bytes) else { return Ok(None) };
        let index = self.book()?.of(game.as_str()).cloned().unwrap_or_else(|| IndexLine {
            name: game.to_string(),
            variant: "standard".into(),
            state: derived_state(document.game()),
            ..IndexLine::default()
        });
        let mut faults: Vec<Diagnostic> = document.diagnostics().iter().filter(|d| d.is_error()).cloned().collect();
        let compiled = match self.maps.of(document.game()) {
            Ok(compiled) => compiled,
            Err(reasons) => {
                let line = document.line_giving(&format!("MAP {}", document.game().map));
                faults.extend(reasons.into_iter().map(|reason| Diagnostic::error(line, 1, reason, "")));
                // Without a board there is no referee: the game is in error until the map can be read.
                let mut plain = Game { name: document.game().name.clone(), map: "standard".into(), ..Game::default() };
                plain.phase = PhaseState::Forming;
                match self.maps.of(&plain) {
                    Ok(compiled) => compiled,
                    Err(_) => return Ok(None),
                }
            }
        };
        let variant = variant_of(&index.variant);
        let resolved = geography::rules_of(document.game(), Some(&compiled.map), variant);
        if look == Faults::Sought {
            let board = Some((&compiled.map, compiled.lexicon()));
            // The check repeats what the grammar has found.
            let further = geography::checked(&document, board, &resolved, variant).diagnostics;
            for fault in further.into_iter().filter(Diagnostic::is_error) {
                if !faults.contains(&fault) {
                    faults.push(fault);
                }
            }
            faults.sort_by_key(|d| d.line);
        } else {
            debug_assert!(
                !geography::checked(&document, Some((&compiled.map, compiled.lexicon())), &resolved, variant)
                    .has_errors(),
                "{game} was taken for sound"
            );
        }
        let errors: Vec<String> = faults.iter().map(|d| d.to_string()).collect();
        let referee = Diplomacy::new(compiled, resolved.rules, &index.variant);
        let records = Filed { directory: self.archive.layout().game(game.as_str()) };
        Ok(Some(Loaded { document, content, index, rules: resolved.rules, referee, errors, faults, records }))
    }

    /// Reads the lines of a CREATE as a status file; faults carry the line numbers of the mail.
    pub(super) fn read_lines(&self, name: &str, variant: &str, lines: &[Line]) -> (Game, Vec<(usize, String)>) {
        let head = format!("GAME {name}\nPHASE FORMING\n");
        let text: String = lines.iter().map(|l| format!("{}\n", l.text)).collect();
        let document = match Document::parse(format!("{head}{text}").as_bytes()) {
            Ok(document) => document,
            Err(refused) => return (Game::default(), vec![(0, refused.to_string())]),
        };
        let number = |at: usize| at.checked_sub(3).and_then(|n| lines.get(n)).map_or(0, |l| l.number);
        // The Master and his password are not in the lines; the judge adds them.
        let missing = |text: &str| text.contains("NO MASTER SPECIFIED");
        let mut faults: Vec<(usize, String)> = document
            .diagnostics()
            .iter()
            .filter(|d| d.is_error() && !missing(&d.text))
            .map(|d| (number(d.line), d.text.clone()))
            .collect();
        let game = document.game().clone();
        match self.maps.of(&game) {
            Ok(compiled) => {
                let resolved = geography::rules_of(&game, Some(&compiled.map), variant_of(variant));
                faults.extend(resolved.faults.iter().filter(|f| !f.is_harmless()).map(|e| (0, e.to_string())));
            }
            Err(errors) => faults.extend(errors.into_iter().map(|e| (0, e))),
        }
        (game, faults)
    }

    /// Games that look for players, or those that a search asks for.
    pub(super) fn openings(
        &self,
        search: Option<&lists::Search>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Opening>, ClerkError> {
        let mut openings = Vec::new();
        for line in self.book()?.lines() {
            let game = GameName::old(&line.name)?;
            let Some(loaded) = self.load(&game, now)? else { continue };
            let wanted = match search {
                Some(search) => search.finds(line, loaded.game(), !loaded.errors().is_empty()),
                None => lists::is_opening(line, loaded.game()),
            };
            if !wanted {
                continue;
            }
            let table = loaded.table(&self.house, 0, now);
            openings.push(Opening {
                phase: table.referee.phase_short(&table.game),
                open: table.open_seats(),
                master: table.master_name(),
                game: loaded.game().clone(),
                index: line.clone(),
            });
        }
        Ok(openings)
    }

    /// Whether the judge knows an address: registered, or with a place in a game.
    pub(super) fn is_known(&self, address: &str) -> Result<bool, ClerkError> {
        Ok(self.people.is_registered(address) || self.has_place(address, |_| true)?)
    }

    /// Where an address stands in its games that are not over, for HELP; of very many only the first.
    pub(super) fn standings(&self, address: &str, now: DateTime<Utc>) -> Result<Vec<String>, ClerkError> {
        const MOST: usize = 6;
        let mut standings = Vec::new();
        for name in self.game_names()? {
            let Some(content) = self.archive.read(&name, "status")? else { continue };
            let Ok(document) = Document::parse(&content.bytes) else { continue };
            let game = document.game();
            let all = game.address.iter().chain(game.participants.iter().flat_map(|p| &p.address));
            if game.phase == PhaseState::Completed || !all.clone().any(|a| a.eq_ignore_ascii_case(address)) {
                continue;
            }
            let Some(loaded) = self.load(&name, now)? else { continue };
            let table = loaded.table(&self.house, 0, now);
            let is = |list: &[String]| list.iter().any(|a| a.eq_ignore_ascii_case(address));
            let seats = table.game.participants.iter().enumerate().filter(|(_, p)| is(&p.address));
            let seats = seats.map(|(n, _)| Who::Seat(n));
            let master = is(&table.game.address).then_some(Who::Master);
            standings.extend(master.into_iter().chain(seats).map(|who| help::standing(&table, &who)));
            if standings.len() >= MOST {
                break;
            }
        }
        Ok(standings)
    }

    /// Whether the address has a place in one of these games.
    pub(super) fn is_in(&self, games: &[&str], address: &str) -> Result<bool, ClerkError> {
        for game in games {
            if let Ok(game) = GameName::old(game)
                && self.has_place_in(&game, address, |_| true)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn has_place(&self, address: &str, counts: impl Fn(&Game) -> bool) -> Result<bool, ClerkError> {
        for game in self.game_names()? {
            if self.has_place_in(&game, address, &counts)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn has_place_in(&self, game: &GameName, address: &str, counts: impl Fn(&Game) -> bool) -> Result<bool, ClerkError> {
        let Some(content) = self.archive.read(game, "status")? else { return Ok(false) };
        let Ok(document) = Document::parse(&content.bytes) else { return Ok(false) };
        Ok(counts(document.game()) && has_address(document.game(), address))
    }
}

/// Whether somebody with that address has a place in a game.
pub(super) fn has_address(game: &Game, address: &str) -> bool {
    let mut all = game.address.iter().chain(game.participants.iter().flat_map(|p| &p.address));
    all.any(|a| a.eq_ignore_ascii_case(address))
}

/// The rule variant of an index line; one that is not known is played as standard and shown as an error elsewhere.
fn variant_of(word: &str) -> Variant {
    Variant::named(word).unwrap_or_default()
}
