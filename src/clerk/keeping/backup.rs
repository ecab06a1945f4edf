//! A site put away while it is at work (OPS-100).
//!
//! What makes the copy whole: mail is not worked off meanwhile (it is taken and waits), so that what the ledger calls
//! done is done in the games; each game is read under its own lock, with its line of the index. Messages are read before
//! games and ledger, the outbox behind them: what comes in between is at most a mail that is queued twice under one
//! name, or one that is worked off again and found in the ledger.

use super::site::at;
use super::{Clerk, ClerkError};
use crate::archive::bundle::{Bundle, Summary};
use crate::archive::{ArchiveError, GameName, MAIL_WAIT, SpoolLock, fs, index};
use crate::site::Origin;
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, HashMap};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A backup that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Where it is.
    pub file: PathBuf,
    /// What is in it.
    pub summary: Summary,
    /// What was left out, or is not as it should be.
    pub remarks: Vec<String>,
}

/// The name of a backup in a directory of backups: names sort by time.
pub fn backup_name(id: &str, now: DateTime<Utc>) -> String {
    let id: String = id.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("chancery-{}-{}.tar.gz", id.to_lowercase(), now.format("%Y%m%dT%H%M%SZ"))
}

struct Packer<'a> {
    clerk: &'a Clerk,
    bundle: Bundle,
    remarks: Vec<String>,
    /// Which index file it was, and its lines.
    index: Option<((u64, i64), HashMap<String, String>)>,
}

impl Clerk {
    /// Puts the site away in `to`: a file, or a directory in which the backup gets a name with the time in it.
    pub fn backup(&self, to: &Path, with_secrets: bool, now: DateTime<Utc>) -> Result<Packed, ClerkError> {
        let file = if to.is_dir() { to.join(backup_name(&self.site.config.judge.id, now)) } else { to.to_owned() };
        let spool = self.wait_for_spool()?;
        let bundle = Bundle::create(&file, now)?;
        let mut packer = Packer { clerk: self, bundle, remarks: Vec::new(), index: None };
        let layout = &self.site.layout;
        packer.configuration(with_secrets)?;
        for (room, path) in [("maps", &layout.maps), ("trial", &layout.trial)] {
            packer.directory(room, path, 3)?;
        }
        for part in ["new", "hold", "done"] {
            packer.directory(&format!("spool/in/{part}"), &layout.spool.join("in").join(part), 1)?;
        }
        packer.directory("dead", &layout.dead, 1)?;
        packer.registry(with_secrets)?;
        let mut lines = BTreeMap::new();
        for game in self.directories()? {
            if let Some(line) = packer.game(&game)? {
                lines.insert(game, line);
            }
        }
        let text = lines.values().fold(String::new(), |text, line| text + line + "\n");
        packer.bundle.add("games/status", text.as_bytes())?;
        for part in ["new", "hold", "done", "dead"] {
            packer.directory(&format!("outbox/{part}"), &layout.outbox.join(part), 1)?;
        }
        packer.directory("ledger", &layout.ledger, 1)?;
        for note in ["check.tim", "suspended"] {
            packer.file(&format!("cron/{note}"), &layout.cron.join(note))?;
        }
        drop(spool);
        let Packer { bundle, remarks, .. } = packer;
        Ok(Packed { file, summary: bundle.close()?, remarks })
    }

    /// The right to work mail off, so that nobody does.
    fn wait_for_spool(&self) -> Result<SpoolLock, ClerkError> {
        let begun = Instant::now();
        loop {
            match self.archive.lock_spool() {
                Err(ArchiveError::Busy(_)) if begun.elapsed() < MAIL_WAIT => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                other => return Ok(other?),
            }
        }
    }
}

impl Packer<'_> {
    /// One file; one that is gone meanwhile is no loss, a link is nothing of ours.
    fn file(&mut self, name: &str, path: &Path) -> Result<(), ClerkError> {
        match std::fs::symlink_metadata(path) {
            Ok(data) if data.is_file() => {}
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(at(path)(error)),
        }
        if let Some(bytes) = fs::read(path).map_err(at(path))? {
            self.bundle.add(name, &bytes)?;
        }
        Ok(())
    }

    /// The files of a directory, those of its directories too, so many deep.
    fn directory(&mut self, name: &str, path: &Path, depth: usize) -> Result<(), ClerkError> {
        for entry in fs::names(path).map_err(at(path))? {
            let (name, path) = (format!("{name}/{entry}"), path.join(&entry));
            if !path.is_dir() || path.is_symlink() {
                self.file(&name, &path)?;
            } else if depth > 1 {
                self.directory(&name, &path, depth - 1)?;
            }
        }
        Ok(())
    }

    /// The configuration; without secrets the lines that hold them are made comments.
    fn configuration(&mut self, with_secrets: bool) -> Result<(), ClerkError> {
        let file = &self.clerk.site.config_file;
        let text = std::fs::read_to_string(file).map_err(at(file))?;
        // `config show` masks what is secret.
        let shown: Vec<_> = self.clerk.site.shown.iter().filter(|s| s.value.as_deref() == Some("***")).collect();
        let mut lines = Vec::new();
        for shown in &shown {
            match &shown.origin {
                Origin::File(path) => {
                    self.remarks.push(format!("{}: the file {} is not in it", shown.key, path.display()))
                }
                Origin::Environment(name) => self.remarks.push(format!("{}: comes from {name}, not in it", shown.key)),
                Origin::Line(line) if !with_secrets => {
                    lines.push(*line);
                    self.remarks.push(format!("{}: left out (--with-secrets)", shown.key));
                }
                _ => {}
            }
        }
        let mut kept = String::new();
        for (number, line) in text.split_inclusive('\n').enumerate() {
            if !lines.contains(&(number + 1)) {
                kept.push_str(line);
            } else {
                let key = line.split('=').next().unwrap_or_default().trim();
                kept.push_str(&format!("# {key} = … (left out of the backup)\n"));
            }
        }
        Ok(self.bundle.add("chancery.toml", kept.as_bytes())?)
    }

    fn registry(&mut self, with_secrets: bool) -> Result<(), ClerkError> {
        let _lock = self.clerk.archive.lock_judge(MAIL_WAIT)?;
        let registry = &self.clerk.site.layout.registry;
        for name in fs::names(registry).map_err(at(registry))? {
            // The site's own secret: without it a new one is drawn.
            if with_secrets || name != "secret" {
                self.file(&format!("registry/{name}"), &registry.join(&name))?;
            }
        }
        if !with_secrets {
            self.remarks.push("registry/secret: left out (--with-secrets)".into());
        }
        Ok(())
    }

    /// A game under its lock; its line of the index. A game that is blocked is taken as it lies, with its journal.
    fn game(&mut self, game: &GameName) -> Result<Option<String>, ClerkError> {
        let lock = match self.clerk.archive.lock_shared(game, MAIL_WAIT) {
            Ok(lock) => Some(lock),
            // Purged or renamed meanwhile.
            Err(ArchiveError::NoSuchGame(_)) => return Ok(None),
            Err(error @ ArchiveError::Busy(_)) => return Err(error.into()),
            Err(error) => {
                self.remarks.push(format!("games/{game}: taken as it lies, with its journal: {error}"));
                None
            }
        };
        if lock.is_none() {
            let journal = &self.clerk.site.layout.journal;
            for name in fs::names(journal).map_err(at(journal))? {
                if name.strip_prefix(game.as_str()).is_some_and(|rest| rest.starts_with('.')) {
                    self.file(&format!("journal/{name}"), &journal.join(&name))?;
                }
            }
        }
        self.directory(&format!("games/{game}"), &self.clerk.site.layout.game(game.as_str()), 3)?;
        Ok(self.lines()?.get(game.as_str()).cloned())
    }

    /// The index by name, read again only when another one has taken its place.
    fn lines(&mut self) -> Result<&HashMap<String, String>, ClerkError> {
        let path = self.clerk.site.layout.index();
        let place = std::fs::metadata(&path).map(|data| (data.ino(), data.mtime_nsec())).unwrap_or_default();
        if self.index.as_ref().is_none_or(|(read, _)| *read != place) {
            let text = self.clerk.archive.index()?;
            let lines = text.lines().filter_map(|line| Some((index::name_of(line)?, line.to_owned()))).collect();
            self.index = Some((place, lines));
        }
        Ok(&self.index.get_or_insert_default().1)
    }
}
