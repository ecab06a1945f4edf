//! The registry of a site: its file, read once and again after every change.

use crate::judge::commands::{Header, Line};
use crate::judge::registry::{self, Known, Mode, Registry, Terms};
use crate::judge::reply::Reply;
use crate::judge::session::Sender;
use crate::judge::table::{self, House};
use crate::mail::Letter;
use crate::site::Site;
use crate::site::config::RegistryMode;
use crate::status::Person;
use chrono::{DateTime, Utc};
use std::path::PathBuf;
use std::sync::RwLock;

/// Who is known here.
pub struct People {
    terms: Terms,
    file: PathBuf,
    registry: RwLock<Registry>,
}

impl People {
    /// Reads the registry of a site.
    pub fn new(site: &Site) -> People {
        let mode = match site.config.registry.mode {
            RegistryMode::Open => Mode::Open,
            RegistryMode::Closed => Mode::Closed,
            RegistryMode::None => Mode::None,
        };
        let terms = Terms { mode, two_words: site.config.registry.two_word_names };
        let people = People { terms, file: site.layout.registry.join("people.json"), registry: RwLock::default() };
        people.reload();
        people
    }

    /// How people are known here.
    pub fn mode(&self) -> Mode {
        self.terms.mode
    }

    /// Reads the file again.
    pub fn reload(&self) {
        let read = match std::fs::read(&self.file) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| e.to_string()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Registry::default()),
            Err(error) => Err(error.to_string()),
        };
        match read {
            Ok(fresh) => {
                if let Ok(mut registry) = self.registry.write() {
                    *registry = fresh;
                }
            }
            // What was read before stays in force; nobody is forgotten because a file is damaged.
            Err(error) => tracing::error!(file = %self.file.display(), error, "the registry cannot be read"),
        }
    }

    /// Whether that address is registered.
    pub fn is_registered(&self, address: &str) -> bool {
        self.registry.read().is_ok_and(|r| r.find(address).is_some())
    }

    /// The person with that address; where no register is kept, the address itself.
    pub fn known(&self, address: &str) -> Option<Known> {
        let nameless = || Known {
            id: 0,
            name: String::new(),
            addresses: vec![address.to_string()],
            zone: None,
            language: None,
            pending: None,
        };
        let found = self.registry.read().ok()?.find(address).cloned();
        found.or_else(|| (self.mode() == Mode::None).then(nameless))
    }

    /// Who is erased when that code is confirmed.
    pub fn leaving(&self, code: &str, address: &str, now: DateTime<Utc>) -> Option<Known> {
        self.registry.read().ok()?.leaving(code, address, now).cloned()
    }

    /// Whether mail to that address comes back (operations.md 9).
    pub fn is_bouncing(&self, address: &str) -> bool {
        self.registry.read().is_ok_and(|r| r.is_bouncing(address))
    }

    /// Whether any mail to that address has come back.
    pub fn has_bounced(&self, address: &str) -> bool {
        self.registry.read().is_ok_and(|r| r.bounces.contains_key(&address.to_lowercase()))
    }

    /// A change of the file: what `change` gives, and the new bytes if anything changed.
    pub fn changed<R>(&self, change: impl FnOnce(&mut Registry) -> R) -> (R, Option<Vec<u8>>) {
        self.reload();
        let before = self.registry.read().map(|r| r.clone()).unwrap_or_default();
        let mut after = before.clone();
        let given = change(&mut after);
        let file = (after != before).then(|| serde_json::to_vec_pretty(&after).unwrap_or_default());
        (given, file)
    }

    /// A registry command: the reply, mails, and the new file if it changed.
    #[allow(clippy::too_many_arguments)]
    pub fn command(
        &self,
        header: &Header,
        line: &Line,
        from: &Sender,
        house: &House,
        playing: bool,
        now: DateTime<Utc>,
        seed: u64,
    ) -> (Reply, Vec<Letter>, Option<Vec<u8>>) {
        self.reload();
        let before = self.registry.read().map(|r| r.clone()).unwrap_or_default();
        let mut after = before.clone();
        let (reply, letters) = registry::command(&mut after, self.terms, header, line, from, house, playing, now, seed);
        let file = (after != before).then(|| serde_json::to_vec_pretty(&after).unwrap_or_default());
        (reply, letters, file)
    }
}

impl table::Registry for People {
    fn person(&self, address: &str, display_name: Option<&str>) -> Option<Person> {
        self.registry.read().ok()?.person(self.mode(), address, display_name)
    }

    fn groups(&self, address: &str) -> Vec<String> {
        self.registry.read().map(|registry| registry.groups_of(address)).unwrap_or_default()
    }
}
