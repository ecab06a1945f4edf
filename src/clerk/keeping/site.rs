//! What belongs to no single game: index, journal, queues, ledger, registry, the scheduler's notes, the published tree.

use super::{Clerk, ClerkError, Findings, Remedy};
use crate::archive::fs::names;
use crate::archive::{ArchiveError, Entry, GameName, index, ledger};
use crate::clock::round::{CheckTim, Suspension};
use crate::judge::registry::Registry;
use crate::mail::queue::Folder;
use crate::status::{Document, Game, PhaseState};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

impl Clerk {
    /// Directories under `games/` that hold more than a lock file.
    pub(super) fn directories(&self) -> Result<Vec<GameName>, ClerkError> {
        let games = &self.site.layout.games;
        let all = names(games).map_err(at(games))?.into_iter().filter_map(|name| GameName::old(&name).ok());
        Ok(all.filter(|game| self.archive.files(game).is_ok_and(|files| !files.is_empty())).collect())
    }

    pub(super) fn verify_site(&self, found: &mut Findings, now: DateTime<Utc>) -> Result<(), ClerkError> {
        self.verify_journal(found)?;
        self.verify_index(found)?;
        self.verify_queues(found)?;
        self.verify_ledger(found)?;
        self.verify_registry(found)?;
        self.verify_notes(found, now);
        Ok(())
    }

    /// Commits that could not be finished, and files that are none.
    fn verify_journal(&self, found: &mut Findings) -> Result<(), ClerkError> {
        for (owner, done) in self.archive.recover_all()? {
            if let Err(error) = done {
                match error {
                    ArchiveError::Busy(_) => found.note("journal", format!("{owner}: being written just now")),
                    error => found.damage("journal", format!("{owner}: {error}")),
                }
            }
        }
        let journal = &self.site.layout.journal;
        for name in names(journal).map_err(at(journal))? {
            if name != "tmp" && crate::archive::journal::Record::parse_file_name(&name).is_none() {
                found.note(format!("journal/{name}"), "no journal file (want GAME.NUMBER.txn)");
            }
        }
        Ok(())
    }

    /// Index and directories agree (status-file.md 10.3).
    fn verify_index(&self, found: &mut Findings) -> Result<(), ClerkError> {
        let text = self.archive.index()?;
        let place = |line: usize| format!("games/status:{}", line + 1);
        let mut seen = BTreeSet::new();
        for (number, line) in text.lines().enumerate() {
            let Some(name) = index::name_of(line) else { continue };
            let game = GameName::old(&name).ok().filter(|game| self.existing(game.as_str()).is_ok_and(|g| g.is_some()));
            if !seen.insert(name.clone()) {
                let remedy = game.map_or(Remedy::Unindex(name.clone()), Remedy::Index);
                found.mendable(place(number), format!("{name} has a second line"), remedy);
                continue;
            }
            let Some(game) = game else {
                // A directory whose status file is gone is told where it lies.
                if !self.site.layout.game(&name).is_dir() || GameName::old(&name).is_err() {
                    found.mendable(place(number), format!("there is no game {name}"), Remedy::Unindex(name));
                }
                continue;
            };
            let Some(parsed) = crate::status::index::parse(line) else {
                let text = format!("{name}: no line of an index (want: game variant state)");
                found.mendable(place(number), text, Remedy::Index(game));
                continue;
            };
            let content = self.archive.read(&game, "status")?.map(|content| content.bytes).unwrap_or_default();
            let Ok(document) = Document::parse(&content) else { continue };
            let view = document.game();
            if !document.has_errors() && !parsed.state.agrees(view) {
                let text = format!("STATE AND PHASE DISAGREE: {name} is {}, {}", parsed.state.word(), phase_word(view));
                found.mendable(place(number), text, Remedy::Index(game));
            } else if parsed.private != view.private.is_some() {
                let text = format!("{name}: the flag private is not what the status file says");
                found.mendable(place(number), text, Remedy::Index(game));
            }
        }
        for game in self.game_names()? {
            if !seen.contains(game.as_str()) {
                found.mendable("games/status", format!("game {game} has no line"), Remedy::Index(game));
            }
        }
        Ok(())
    }

    fn verify_queues(&self, found: &mut Findings) -> Result<(), ClerkError> {
        let outbox = &self.site.layout.outbox;
        let queue = self.queue().map_err(at(outbox))?;
        for folder in [Folder::New, Folder::Hold, Folder::Dead, Folder::Done] {
            let (heads, damaged) = queue.list(folder).map_err(at(outbox))?;
            for file in damaged {
                let text = format!("cannot be read as a queued mail: {}", file.why);
                found.mendable(self.below(&file.path), text.clone(), Remedy::Bury(file.path, text));
            }
            for head in heads {
                match queue.load(folder, &head.id) {
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => {
                        let path = queue.path(folder, &head.id);
                        let text = format!("cannot be read as a queued mail: {error}");
                        found.mendable(self.below(&path), text.clone(), Remedy::Bury(path, text));
                    }
                }
            }
        }
        if let Some(reason) = queue.stopped() {
            found.note("outbox/stopped", format!("sending is stopped: {reason}"));
        }
        let spool = self.archive.spool();
        for name in spool.strangers()? {
            found.note(format!("spool/in/new/{name}"), "no message of ours: it is never worked off");
        }
        for (name, why) in spool.dead()? {
            found.note(format!("dead/{}", name.file_name()), format!("could not be handled: {}", why.trim()));
        }
        Ok(())
    }

    fn verify_ledger(&self, found: &mut Findings) -> Result<(), ClerkError> {
        let ledger = &self.site.layout.ledger;
        for name in names(ledger).map_err(at(ledger))? {
            let bytes = match std::fs::read(ledger.join(&name)) {
                Ok(bytes) => bytes,
                Err(error) => {
                    found.damage(format!("ledger/{name}"), error.to_string());
                    continue;
                }
            };
            if !ledger::months(ledger)?.contains(&name) {
                found.note(format!("ledger/{name}"), "no month of the ledger");
                continue;
            }
            for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
                let whole = std::str::from_utf8(line).ok().and_then(Entry::parse).is_some();
                if !line.is_empty() && !whole {
                    let text = "no line of the ledger (want: key time game outcome)";
                    found.mendable(format!("ledger/{name}:{}", number + 1), text, Remedy::Ledger(name.clone()));
                }
            }
        }
        Ok(())
    }

    fn verify_registry(&self, found: &mut Findings) -> Result<(), ClerkError> {
        let file = self.site.layout.registry.join("people.json");
        match std::fs::read(&file) {
            Ok(bytes) => {
                if let Err(error) = serde_json::from_slice::<Registry>(&bytes) {
                    let text = format!("cannot be read: {error}; nobody is known until it is fetched from a backup");
                    found.damage("registry/people.json", text);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => found.damage("registry/people.json", error.to_string()),
        }
        Ok(())
    }

    fn verify_notes(&self, found: &mut Findings, now: DateTime<Utc>) {
        let read = |name: &str| match self.archive.read_note(name) {
            Ok(bytes) => Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned())),
            Err(error) => Err(error.to_string()),
        };
        match read("check.tim")
            .and_then(|text| text.map(|t| t.parse::<CheckTim>().map_err(|e| e.to_string())).transpose())
        {
            Ok(Some(last)) if last.time > now => found.note("cron/check.tim", "the last round lies in the future"),
            Ok(_) => {}
            Err(error) => found.damage("cron/check.tim", format!("{error}; the next round counts as the first")),
        }
        match read("suspended")
            .and_then(|text| text.map(|t| t.parse::<Suspension>().map_err(|e| e.to_string())).transpose())
        {
            Ok(Some(suspension)) => found.note("cron/suspended", format!("no deadlines are processed: {suspension}")),
            Ok(None) => {}
            Err(error) => found.damage("cron/suspended", error),
        }
    }

    /// The published tree is what would be published now.
    pub(super) fn verify_pages(&self, found: &mut Findings, now: DateTime<Utc>) -> Result<(), ClerkError> {
        if !self.site.layout.web.join("index.html").exists() {
            found.note("web", "nothing is published yet (chancery publish --all)");
            return Ok(());
        }
        for page in self.stale_pages(now)? {
            found.mendable(format!("web/{page}"), "not what would be published now", Remedy::Publish);
        }
        Ok(())
    }

    /// A path as findings name it.
    pub(super) fn below(&self, path: &Path) -> String {
        path.strip_prefix(&self.site.root).unwrap_or(path).display().to_string()
    }
}

fn phase_word(game: &Game) -> String {
    match &game.phase {
        PhaseState::Forming => "its PHASE is FORMING".into(),
        PhaseState::Completed => "its PHASE is COMPLETED".into(),
        PhaseState::Running(phase) => format!("its PHASE is {phase}"),
    }
}

pub(super) fn at(path: &Path) -> impl Fn(io::Error) -> ClerkError + '_ {
    move |error| ClerkError::Site(format!("{}: {error}", path.display()))
}
