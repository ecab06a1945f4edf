//! The clerk: takes what comes in (mail, the round of the clock), shows the judge the game, has the archive commit the
//! decision, and only then tells mail and pages. The one place where rooms meet; it decides nothing itself.

mod abuse;
mod agenda;
mod asking;
mod book;
mod bounces;
mod cards;
mod checking;
mod copies;
mod edits;
mod export;
mod failures;
mod fetching;
mod forgetting;
mod games;
mod hand;
mod import;
mod incoming;
mod inspect;
pub mod keeping;
mod links;
mod moving;
mod outage;
mod outgoing;
mod owed;
mod people;
mod picture;
mod pictures;
mod publish;
mod queueing;
mod recalling;
mod retention;
mod rounds;
mod saved;
pub mod secrets;
mod spooling;
mod tend;
mod vouching;

pub use book::Book;
pub use edits::{Sight, with_hashes};
pub use export::Exported;
pub use games::{Loaded, MapShelf};
pub use import::{Import, ImportOptions, Imported};
pub use links::Followed;
pub use outage::{Extended, Moved, Resumed};
pub use people::People;
pub use rounds::{Idle, TickOptions, Ticked};
pub use saved::{ExportOptions, ImportWishes, SavedImport};
pub use spooling::Worked;
pub use tend::Condition;

use crate::archive::{Archive, ArchiveError, Key, Ledger};
use crate::judge::table::House;
use crate::mail::compose::Sender;
use crate::mail::intake::{Limits, Ourselves};
use crate::site::Site;
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use std::sync::{Mutex, MutexGuard};

/// What can go wrong around the judge.
#[derive(Debug, thiserror::Error)]
pub enum ClerkError {
    /// The archive.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A name that the archive does not take.
    #[error(transparent)]
    Name(#[from] crate::archive::NameError),
    /// Something in the site cannot be used.
    #[error("{0}")]
    Site(String),
}

impl ClerkError {
    /// Whether trying again later may help.
    pub fn is_temporary(&self) -> bool {
        matches!(self, ClerkError::Archive(error) if error.is_temporary())
    }

    /// Whether the disk is to blame, not the game that was at hand.
    pub fn is_in_storing(&self) -> bool {
        matches!(self, ClerkError::Archive(error) if error.is_in_storing())
    }
}

/// A judge at work on one site.
pub struct Clerk {
    /// The site.
    pub site: Site,
    /// The one room that writes.
    pub archive: Archive,
    /// Kept open: it reads on where it stopped.
    ledger: Mutex<Ledger>,
    house: House,
    people: People,
    maps: MapShelf,
    known: secrets::Known,
    secret: [u8; 32],
    sender: Sender,
    we: Ourselves,
    limits: Limits,
    shelf: publish::Shelf,
    memory: edits::Memory,
    pictures: pictures::Pictures,
    book: book::Kept,
    at_hand: checking::AtHand,
}

impl Clerk {
    /// Opens a site; finishes what a crash has left.
    pub fn open(site: Site) -> Result<Clerk, ClerkError> {
        let archive = site.archive();
        let ledger = Mutex::new(archive.ledger(site.config.mail.incoming.dedup.to_chrono()));
        let secret = games::site_secret(&site)?;
        let config = &site.config;
        let sender = queueing::sender(config, &secret)?;
        let house = games::house(config, &sender.secret);
        let addresses = std::iter::once(&config.judge.address).chain(&config.judge.aliases).cloned().collect();
        let we = Ourselves { addresses, id: Some(config.judge.id.clone()) };
        let limits = Limits { message: config.mail.incoming.max_message_bytes as usize, ..Limits::default() };
        let people = People::new(&site);
        let maps = MapShelf::new(&site);
        for (owner, done) in archive.recover_all()? {
            if let Err(error) = done {
                tracing::error!(owner = %owner.word(), %error, "a commit could not be finished yet");
            }
        }
        Ok(Clerk {
            site,
            archive,
            ledger,
            house,
            people,
            maps,
            known: secrets::Known::default(),
            secret,
            sender,
            we,
            limits,
            shelf: publish::Shelf::default(),
            memory: edits::Memory::default(),
            pictures: pictures::Pictures::default(),
            book: book::Kept::default(),
            at_hand: checking::AtHand::default(),
        })
    }

    /// The house, as the judge knows it.
    pub fn house(&self) -> &House {
        &self.house
    }

    /// Whether the ledger has that key, for that block of a message (`None`: the whole of it).
    fn is_done(&self, key: &Key, block: Option<&str>, now: DateTime<Utc>) -> Result<bool, ArchiveError> {
        self.ledger().is_done(key, block, now)
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        // What a panic has left of the ledger's memory is what it had read.
        self.ledger.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The seed of an event: the same event has the same seed, nobody outside can foresee it.
    fn seed(&self, event: &[&str]) -> u64 {
        let mut hash = Sha256::new();
        hash.update(self.secret);
        for part in event {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let bytes: [u8; 32] = hash.finalize().into();
        u64::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]])
    }
}

/// Stamp of a moment in logs.
fn stamp(now: DateTime<Utc>) -> String {
    now.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}
