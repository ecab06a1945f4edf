//! Taking an old DPjudge site over (operations.md 13, OPS-111). The conversions are `import`'s; here are the locks and
//! the commits: one for the maps, one for the people, one a game. Run again, it does what was not done, and nothing
//! twice: the audit line of a game that was taken over names the bytes it came from.

use super::recalling::{Recalled, played_phase};
use super::{Clerk, ClerkError, secrets::PhcSecrets, stamp};
use crate::archive::{ArchiveError, GameName, MAIL_WAIT, Owner, SitePath, Transaction};
use crate::diplomacy::geography::examine;
use crate::diplomacy::map::library::Library;
use crate::diplomacy::rules::Variant;
use crate::import::game::{OldGame, TakenGame};
use crate::import::index;
use crate::import::maps::{self, OldMaps};
use crate::import::tree::{MapFile, OldSite, TreeError};
use crate::import::{Finding, What, host, people};
use crate::judge::table::Secrets;
use crate::status::{Diagnostic, Document, Person};
use chrono::{DateTime, Utc};
use std::collections::{HashMap, HashSet};

/// What is to be taken.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// Only say what would be done.
    pub dry_run: bool,
    /// Only these games; empty: all.
    pub only: Vec<String>,
}

/// What became of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Import {
    /// Taken over, in that state, with so many files.
    Taken {
        /// State in the index.
        state: &'static str,
        /// Number of files.
        files: usize,
    },
    /// Taken over before from the same bytes; as what it is known now.
    Before(String),
    /// Not taken; a finding says why.
    Refused,
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Every game, by its name there.
    pub games: Vec<(String, Import)>,
    /// Maps and what lies beside them, as they are called here.
    pub maps: Vec<String>,
    /// Numbers of people entered.
    pub people: Vec<u32>,
    /// All that is to be said.
    pub findings: Vec<Finding>,
}

impl From<TreeError> for ClerkError {
    fn from(error: TreeError) -> ClerkError {
        ClerkError::Site(error.to_string())
    }
}

/// The word in the audit line of a game that was taken over.
fn mark(digest: &str) -> String {
    format!("[dpjudge {digest}]")
}

/// Where the settings of the old judge are put.
const SETTINGS: &str = "registry/host.toml";

impl Clerk {
    /// Takes over what is there and not here yet.
    pub fn import_dpjudge(
        &self,
        old: &OldSite,
        options: &ImportOptions,
        now: DateTime<Utc>,
    ) -> Result<Imported, ClerkError> {
        let mut done = Imported::default();
        let (lines, findings) = index::read(&old.index()?);
        done.findings.extend(findings);
        let (names, findings) = old.games()?;
        done.findings.extend(findings);
        let nowhere = lines.iter().filter(|(name, _)| !names.contains(name));
        done.findings.extend(nowhere.map(|(_, old)| {
            let line = crate::status::index::line(&old.line);
            Finding::new(index::PLACE, What::Nowhere(line.trim().to_owned()))
        }));
        let wanted = |name: &String| options.only.is_empty() || options.only.contains(name);
        if let Some(name) = options.only.iter().find(|name| !names.contains(name)) {
            return Err(ClerkError::Site(format!("{}: no game {name}", old.games_directory().display())));
        }

        let (maps, findings) = old.maps()?;
        done.findings.extend(findings);
        let mut rest = names.into_iter().filter(wanted);
        let known = self.taken_before()?;
        // What is new is looked for first, so that a repetition leaves the clock and the registry alone.
        let mut fresh = Vec::new();
        let mut newcomers = Vec::new();
        for name in rest.by_ref() {
            let (files, findings) = old.game(&name)?;
            let game = OldGame { name: &name, files: &files, line: lines.get(&name) };
            let digest = game.digest();
            if let Some(here) = known.get(&mark(&digest)) {
                done.games.push((name, Import::Before(here.clone())));
                continue;
            }
            done.findings.extend(findings);
            match self.may_be_taken(old, &game)? {
                Ok(here) => {
                    newcomers.extend(game.people());
                    fresh.push((name, here, digest));
                }
                Err(what) => {
                    done.findings.push(Finding::new(format!("games/{name}"), what));
                    done.games.push((name, Import::Refused));
                }
            }
        }

        if !options.dry_run && !fresh.is_empty() {
            self.suspend_for(old, now)?;
        }
        let maps = self.take_maps(maps, options, &mut done, now)?;
        if let Some(text) = old.host()? {
            self.take_settings(&text, options, &mut done, now)?;
        }
        self.take_people(newcomers, options, &mut done, now)?;
        for (name, here, digest) in fresh {
            let (files, _) = old.game(&name)?;
            let game = OldGame { name: &name, files: &files, line: lines.get(&name) };
            // It may have changed since it was looked at: then it is another game, and this run has not judged it.
            let outcome = if game.digest() == digest {
                self.take_game(old, &game, &here, &digest, &maps, options, &mut done.findings, now)?
            } else {
                let why = "changed while it was read; is the old judge still running?".to_owned();
                done.findings.push(Finding::new(format!("games/{name}"), What::Failed(why)));
                Import::Refused
            };
            done.games.push((name, outcome));
        }
        done.games.sort_by(|(a, _), (b, _)| a.cmp(b));
        if !options.dry_run {
            self.publish_dirty(now);
        }
        Ok(done)
    }

    /// Marks of the games that were taken over, whatever they are called now.
    fn taken_before(&self) -> Result<HashMap<String, String>, ClerkError> {
        let mut known = HashMap::new();
        for game in self.game_names()? {
            for line in self.archive.audit(&Owner::Game(game.clone()))? {
                if let Some(at) = line.text.rfind("[dpjudge ") {
                    known.insert(line.text[at..].to_owned(), game.to_string());
                }
            }
        }
        Ok(known)
    }

    /// Its name here, or why there cannot be one.
    fn may_be_taken(&self, old: &OldSite, game: &OldGame) -> Result<Result<GameName, What>, ClerkError> {
        let name = match game.game_name() {
            Ok(name) => name,
            Err(error) => return Ok(Err(What::Name(error))),
        };
        let there = self.archive.layout().game(name.as_str());
        let indexed = self.book()?.of(name.as_str()).is_some();
        let taken = indexed || !self.archive.files(&name)?.is_empty();
        let theirs = old.games_directory().join(game.name);
        let clash = || What::Clash { theirs: theirs.display().to_string(), ours: there.display().to_string() };
        Ok(if taken { Err(clash()) } else { Ok(name) })
    }

    /// The first round waits until the keeper has looked (OPS-111, 6).
    fn suspend_for(&self, old: &OldSite, now: DateTime<Utc>) -> Result<(), ClerkError> {
        let last = old.last_round().map(DateTime::<Utc>::from);
        self.suspend_since("games of a DPjudge taken over", last, now)?;
        Ok(())
    }

    /// Installs what is new; gives it.
    fn take_maps(
        &self,
        all: Vec<MapFile>,
        options: &ImportOptions,
        done: &mut Imported,
        now: DateTime<Utc>,
    ) -> Result<Vec<MapFile>, ClerkError> {
        let mut transaction = Transaction::of_judge(format!("{} maps of a DPjudge taken over", stamp(now)));
        let mut new = Vec::new();
        for file in &all {
            let trial = file.room == "trial";
            let here = Library::of_game(&self.site.root, trial);
            let source = OldMaps { old: &all, trial, here: &here };
            let place = format!("{}/{}", file.room, file.name);
            let there = match SitePath::new(&place) {
                Ok(path) => self.archive.read_site(&path)?.map(|content| content.bytes),
                Err(_) => None,
            };
            let (taken, what) = maps::judge(file, &source, there.as_deref());
            done.findings.extend(what.map(|what| Finding::new(format!("{}/{}", file.folder, file.name), what)));
            if taken {
                transaction.replace(&place, file.bytes.clone())?;
                done.maps.push(place);
                new.push(file.clone());
            }
        }
        if !options.dry_run && !done.maps.is_empty() {
            let lock = self.archive.lock_judge(MAIL_WAIT)?;
            self.archive.commit(&lock, transaction)?;
        }
        Ok(new)
    }

    fn take_settings(
        &self,
        text: &[u8],
        options: &ImportOptions,
        done: &mut Imported,
        now: DateTime<Utc>,
    ) -> Result<(), ClerkError> {
        let settings = host::read(text, &mut |clear| {
            PhcSecrets::new(&self.known, self.secret, self.seed(&["host.py"])).hash(clear)
        });
        done.findings.extend(settings.findings);
        let there = self.archive.read_site(&SitePath::new(SETTINGS)?)?;
        if options.dry_run || there.is_some_and(|content| content.bytes == settings.toml.as_bytes()) {
            return Ok(());
        }
        let mut transaction = Transaction::of_judge(format!("{} settings of a DPjudge read", stamp(now)));
        transaction.replace(SETTINGS, settings.toml)?;
        let lock = self.archive.lock_judge(MAIL_WAIT)?;
        self.archive.commit(&lock, transaction)?;
        Ok(())
    }

    fn take_people(
        &self,
        newcomers: Vec<Person>,
        options: &ImportOptions,
        done: &mut Imported,
        now: DateTime<Utc>,
    ) -> Result<(), ClerkError> {
        let lock = self.archive.lock_judge(MAIL_WAIT)?;
        let ((findings, entered), file) = self.people.changed(|registry| {
            let before: HashSet<u32> = registry.people.iter().map(|known| known.id).collect();
            let findings = people::enter(registry, newcomers);
            let ids = registry.people.iter().map(|known| known.id);
            (findings, ids.filter(|id| !before.contains(id)).collect::<Vec<u32>>())
        });
        done.findings.extend(findings);
        done.people = entered;
        if let Some(bytes) = file.filter(|_| !options.dry_run) {
            let mut transaction = Transaction::of_judge(format!("{} people of a DPjudge entered", stamp(now)));
            transaction.replace("registry/people.json", bytes)?;
            self.archive.commit(&lock, transaction)?;
            self.people.reload();
        }
        Ok(())
    }

    /// Makes `results.jsonl`, which the old judge did not write, unless chancery has played the game before.
    fn put_on_record(
        &self,
        here: &GameName,
        taken: &mut TakenGame,
        maps: &[MapFile],
        options: &ImportOptions,
        findings: &mut Vec<Finding>,
        now: DateTime<Utc>,
    ) -> Result<(), ClerkError> {
        if taken.files.iter().any(|(file, _)| file == "results.jsonl") {
            return Ok(());
        }
        let recalled = if taken.line.variant == Variant::Standard.word() {
            self.recalled(here, &taken.files, now)?
        } else {
            // Offers, ledgers and lists are not what the records hold.
            let without = taken.files.iter().filter_map(|(file, _)| played_phase(file)).map(str::to_owned).collect();
            Recalled { without, ..Recalled::default() }
        };
        // Maps that would be installed first are not there to read the copies with.
        let readable = !options.dry_run || maps.is_empty();
        if !recalled.without.is_empty() && readable {
            findings.push(Finding::new(format!("games/{here}"), What::NoRecords(recalled.without)));
        }
        if !recalled.records.is_empty() {
            taken.files.push(("results.jsonl".to_owned(), recalled.records.into_bytes()));
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn take_game(
        &self,
        old: &OldSite,
        game: &OldGame,
        here: &GameName,
        digest: &str,
        maps: &[MapFile],
        options: &ImportOptions,
        findings: &mut Vec<Finding>,
        now: DateTime<Utc>,
    ) -> Result<Import, ClerkError> {
        let library = Library::of_site(Some(&self.site.root));
        let source = OldMaps { old: maps, trial: true, here: &library };
        let look = |document: &Document, variant: Option<Variant>| -> Vec<Diagnostic> {
            examine(document, variant, &source).checked.diagnostics
        };
        let secrets = PhcSecrets::new(&self.known, self.secret, self.seed(&["dpjudge", game.name, digest]));
        // The same word of the same seat is one hash in all copies.
        let mut hashes: HashMap<(String, String), String> = HashMap::new();
        let mut hash = |seat: &str, clear: &str| {
            if options.dry_run {
                return "$argon2id$".to_owned();
            }
            hashes.entry((seat.to_owned(), clear.to_owned())).or_insert_with(|| secrets.hash(clear)).clone()
        };
        let mut taken: TakenGame = game.take(&look, &mut hash);
        findings.append(&mut taken.findings);
        self.put_on_record(here, &mut taken, maps, options, findings, now)?;
        let outcome = Import::Taken { state: taken.line.state.word(), files: taken.files.len() };
        if options.dry_run {
            return Ok(outcome);
        }
        let (lock, index) = match self.archive.lock_new(here, MAIL_WAIT) {
            Ok(locks) => locks,
            Err(ArchiveError::GameExists(_)) => {
                let theirs = old.games_directory().join(game.name).display().to_string();
                let ours = self.archive.layout().game(here.as_str()).display().to_string();
                findings.push(Finding::new(format!("games/{}", game.name), What::Clash { theirs, ours }));
                return Ok(Import::Refused);
            }
            Err(error) => return Err(error.into()),
        };
        let audit = format!("{} taken over from {} {}", stamp(now), old.games_directory().display(), mark(digest));
        let mut transaction = Transaction::of_game(here, audit);
        for (file, bytes) in taken.files {
            transaction.replace(&file, bytes)?;
        }
        transaction.index(here, crate::status::index::line(&taken.line));
        self.mark(here);
        self.archive.commit_indexed(&lock, &index, transaction)?;
        Ok(outcome)
    }
}
