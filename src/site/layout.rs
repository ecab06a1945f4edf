//! Where everything is (operations.md 3): the rooms of a site, each under the root unless `paths.*` says otherwise.

use super::config::Config;
use std::path::{Path, PathBuf};

/// The directories of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The site itself.
    pub root: PathBuf,
    /// One directory a game, and the index `status`.
    pub games: PathBuf,
    /// Installed maps.
    pub maps: PathBuf,
    /// Maps on trial.
    pub trial: PathBuf,
    /// The published tree.
    pub web: PathBuf,
    /// Incoming mail: `in/{tmp,new,done,hold}`.
    pub spool: PathBuf,
    /// Outgoing mail: `tmp new done hold dead`.
    pub outbox: PathBuf,
    /// Where the file transport puts messages.
    pub mail_out: PathBuf,
    /// Pending commits.
    pub journal: PathBuf,
    /// Keys of processed mail.
    pub ledger: PathBuf,
    /// People, sessions, tokens, bans.
    pub registry: PathBuf,
    /// The scheduler's notes, sample files.
    pub cron: PathBuf,
    /// Logs.
    pub log: PathBuf,
    /// Purged games.
    pub trash: PathBuf,
    /// Incoming mail that could not be handled.
    pub dead: PathBuf,
    /// Watched Maildir, when `mail.in.maildir` is set.
    pub maildir: Option<PathBuf>,
}

impl Layout {
    /// The layout without a configuration.
    pub fn plain(root: &Path) -> Layout {
        Layout {
            root: root.to_owned(),
            games: root.join("games"),
            maps: root.join("maps"),
            trial: root.join("trial"),
            web: root.join("web"),
            spool: root.join("spool"),
            outbox: root.join("outbox"),
            mail_out: root.join("mail-out"),
            journal: root.join("journal"),
            ledger: root.join("ledger"),
            registry: root.join("registry"),
            cron: root.join("cron"),
            log: root.join("log"),
            trash: root.join("trash"),
            dead: root.join("dead"),
            maildir: None,
        }
    }

    /// The layout of a configured site.
    pub(crate) fn of(root: &Path, config: &Config) -> Layout {
        let paths = &config.paths;
        Layout {
            root: root.to_owned(),
            games: root.join(&paths.games),
            maps: root.join(&paths.maps),
            trial: root.join(&paths.trial),
            web: root.join(&paths.web),
            spool: root.join(&paths.spool),
            outbox: root.join(&paths.outbox),
            mail_out: root.join(&config.mail.out.file.dir),
            journal: root.join(&paths.journal),
            ledger: root.join(&paths.ledger),
            registry: root.join(&paths.registry),
            cron: root.join(&paths.cron),
            log: root.join(&paths.log),
            trash: root.join(&paths.trash),
            dead: root.join(&paths.dead),
            maildir: config.mail.incoming.maildir.as_ref().map(|path| root.join(path)),
        }
    }

    /// The rooms that a backup holds.
    pub fn kept_mut(&mut self) -> [&mut PathBuf; 10] {
        [
            &mut self.games,
            &mut self.maps,
            &mut self.trial,
            &mut self.spool,
            &mut self.outbox,
            &mut self.journal,
            &mut self.ledger,
            &mut self.registry,
            &mut self.cron,
            &mut self.dead,
        ]
    }

    /// The others: what can be made again, or passes through.
    pub fn passing_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        [&mut self.web, &mut self.mail_out, &mut self.log, &mut self.trash].into_iter().chain(&mut self.maildir)
    }

    /// The directory of a game.
    pub fn game(&self, game: &str) -> PathBuf {
        self.games.join(game)
    }

    /// The index of games.
    pub fn index(&self) -> PathBuf {
        self.games.join("status")
    }

    /// The room of that name, as paths in journals write it.
    pub fn room(&self, name: &str) -> Option<&Path> {
        match name {
            "games" => Some(&self.games),
            "maps" => Some(&self.maps),
            "trial" => Some(&self.trial),
            "web" => Some(&self.web),
            "registry" => Some(&self.registry),
            "cron" => Some(&self.cron),
            "trash" => Some(&self.trash),
            _ => None,
        }
    }

    /// Every directory of a site with its mode, in the order in which `init` makes them.
    pub fn directories(&self) -> Vec<(PathBuf, u32)> {
        const OPEN: u32 = 0o750;
        const CLOSED: u32 = 0o700;
        let mut all = vec![(self.root.clone(), OPEN)];
        for room in [&self.games, &self.maps, &self.trial, &self.web, &self.trash, &self.dead, &self.mail_out] {
            all.push((room.clone(), OPEN));
        }
        let queues: [(PathBuf, &[&str]); 3] = [
            (self.spool.join("in"), &["tmp", "new", "done", "hold"]),
            (self.outbox.clone(), &["tmp", "new", "done", "hold", "dead"]),
            (self.journal.clone(), &["tmp"]),
        ];
        all.push((self.spool.clone(), OPEN));
        for (queue, parts) in queues {
            all.push((queue.clone(), OPEN));
            all.extend(parts.iter().map(|part| (queue.join(part), OPEN)));
        }
        all.push((self.ledger.clone(), OPEN));
        all.push((self.registry.clone(), CLOSED));
        all.push((self.cron.clone(), OPEN));
        all.push((self.log.clone(), OPEN));
        if let Some(maildir) = &self.maildir {
            all.push((maildir.clone(), OPEN));
            all.extend(["tmp", "new", "cur"].iter().map(|part| (maildir.join(part), OPEN)));
        }
        all
    }
}
