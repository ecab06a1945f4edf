//! A backup fetched back (OPS-101): all of it or nothing. It is unpacked beside the place, held against its manifest,
//! made ready – interrupted commits finished, outgoing mail held, the clock suspended – and only then takes the place
//! ([`super::places`]).

use super::places::Places;
use super::site::at;
use super::{Clerk, ClerkError};
use crate::archive::bundle::{self, Summary};
use crate::archive::{Archive, ArchiveError, GameName, Owner, fs};
use crate::clock::round::{CheckTim, Suspension};
use crate::mail::queue::{Folder, Queue};
use crate::site::{Beginnings, Layout, Site};
use chrono::{DateTime, Utc};
use std::path::{Path, PathBuf};

/// How a backup is fetched back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Queued mail may be sent although it perhaps was.
    pub send_queued: bool,
    /// A site that is there is put aside.
    pub replace: bool,
}

/// What was fetched back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// What the backup says of itself.
    pub summary: Summary,
    /// Mails that are held.
    pub held: usize,
    /// Where the site is that was there before.
    pub aside: Option<PathBuf>,
    /// What the site before had and this one has not, and what else the keeper should know.
    pub remarks: Vec<String>,
}

/// Fetches a backup back as the site `root`. `from`: the file, or a directory whose newest backup is taken.
pub fn restore(from: &Path, root: &Path, wishes: &Wishes, now: DateTime<Utc>) -> Result<Restored, ClerkError> {
    let file = if from.is_dir() { newest(from)? } else { from.to_owned() };
    let root = std::path::absolute(root).map_err(at(root))?;
    let mut places = Places::new(&root, wishes.replace)?;
    let (summary, layout) = fill(&file, &mut places)?;
    let mut remarks = Vec::new();
    for (owner, done) in Archive::new(layout.clone(), fs::Fs::from_env(), 0).recover_all()? {
        match done {
            Ok(()) => remarks.push(format!("{owner}: an interrupted commit was finished")),
            Err(error) => remarks.push(format!("{owner}: {error}")),
        }
    }
    let held = if wishes.send_queued { 0 } else { hold(&layout)? };
    suspend(&layout, &summary, now)?;
    let lost = missing(&root, &layout, &summary);
    let mut aside = None;
    for (place, old) in places.take(now)? {
        if place == root {
            remarks.extend(lost.iter().cloned());
            aside = Some(old);
        } else {
            remarks.push(format!("{}: what was there is {} now", place.display(), old.display()));
        }
    }
    // The samples name the place: they are made, not put away.
    crate::site::init(&root, &Beginnings::default()).map_err(|error| ClerkError::Site(error.to_string()))?;
    Ok(Restored { summary, held, aside, remarks })
}

/// The newest backup in a directory: their names sort by time.
fn newest(directory: &Path) -> Result<PathBuf, ClerkError> {
    let mut names = fs::names(directory).map_err(at(directory))?;
    names.retain(|name| name.starts_with("chancery-") && (name.ends_with(".tar.gz") || name.ends_with(".tar")));
    let time = |name: &String| name.rsplit('-').next().unwrap_or_default().to_owned();
    let none = || ClerkError::Site(format!("{}: no backup is here", directory.display()));
    names.into_iter().max_by_key(time).map(|name| directory.join(name)).ok_or_else(none)
}

/// Unpacks into empty directories. The configuration comes first and says where everything belongs.
fn fill(file: &Path, places: &mut Places) -> Result<(Summary, Layout), ClerkError> {
    let files = fs::Fs::from_env();
    let mut layout: Option<Layout> = None;
    let mut refused: Option<ClerkError> = None;
    let unpacked = bundle::unpack(file, |path, bytes| {
        let damaged = |why: String| ArchiveError::Damaged { path: file.to_owned(), why };
        let place = match (&layout, path) {
            (None, "chancery.toml") => places.draft().join(path),
            (None, _) => return Err(damaged("its first file is not chancery.toml".into())),
            (Some(layout), _) => place_of(layout, path).ok_or_else(|| damaged(format!("{path}: belongs nowhere")))?,
        };
        let io = |source| ArchiveError::Io { action: "write", path: place.clone(), source };
        if let Some(parent) = place.parent() {
            std::fs::create_dir_all(parent).map_err(io)?;
        }
        let mode = if bundle::is_secret(path) { fs::SECRET } else { fs::FILE };
        files.write(&place, &bytes, mode).map_err(io)?;
        if layout.is_none() {
            let site = Site::configured(places.draft(), None).map_err(|error| ClerkError::Site(error.to_string()));
            layout = match site.and_then(|site| places.lay_out(&site.config)) {
                Ok(layout) => Some(layout),
                Err(error) => {
                    let why = error.to_string();
                    refused = Some(error);
                    return Err(damaged(why));
                }
            };
        }
        Ok(())
    });
    match (unpacked, refused, layout) {
        (Ok(summary), None, Some(layout)) => Ok((summary, layout)),
        (_, Some(error), _) => Err(error),
        (Err(error), ..) => Err(error.into()),
        (Ok(_), None, None) => Err(ClerkError::Site(format!("{}: there is nothing in it", file.display()))),
    }
}

/// Where a file of a backup belongs.
fn place_of(layout: &Layout, path: &str) -> Option<PathBuf> {
    let (room, rest) = path.split_once('/')?;
    let room = match room {
        "games" => &layout.games,
        "maps" => &layout.maps,
        "trial" => &layout.trial,
        "registry" => &layout.registry,
        "ledger" => &layout.ledger,
        "spool" => &layout.spool,
        "outbox" => &layout.outbox,
        "journal" => &layout.journal,
        "cron" => &layout.cron,
        "dead" => &layout.dead,
        _ => return None,
    };
    Some(room.join(rest))
}

/// What waited to be sent was perhaps sent since (OPS-101).
fn hold(layout: &Layout) -> Result<usize, ClerkError> {
    let queue = Queue::open(&layout.outbox, &layout.journal).map_err(at(&layout.outbox))?;
    let (heads, _) = queue.list(Folder::New).map_err(at(&layout.outbox))?;
    for head in &heads {
        let (from, to) = (queue.path(Folder::New, &head.id), queue.path(Folder::Hold, &head.id));
        std::fs::rename(&from, to).map_err(at(&from))?;
    }
    Ok(heads.len())
}

/// No deadline is processed before the keeper has looked (OPS-084).
fn suspend(layout: &Layout, summary: &Summary, now: DateTime<Utc>) -> Result<(), ClerkError> {
    let path = layout.cron.join("check.tim");
    let last = std::fs::read_to_string(path).ok().and_then(|text| text.trim().parse::<CheckTim>().ok());
    let since = last.map_or(summary.time, |last| last.time).min(now);
    let reason = format!("restored from the backup of {}", crate::clerk::stamp(summary.time));
    let text = format!("{}\n", Suspension { since, at: now, reason });
    let path = layout.cron.join("suspended");
    std::fs::write(&path, text).map_err(at(&path))
}

/// What the site in the place has and the backup has not.
fn missing(root: &Path, restored: &Layout, summary: &Summary) -> Vec<String> {
    let Ok(site) = Site::configured(root, None) else {
        return vec!["what was there before cannot be read as a site; nothing is compared".into()];
    };
    let before = site.archive();
    let after = Archive::new(restored.clone(), fs::Fs::default(), 0);
    let mut remarks = Vec::new();
    for game in before.games().unwrap_or_default() {
        let owner = Owner::Game(game.clone());
        let (had, has) = (before.seq(&owner).unwrap_or(0), after.seq(&owner).unwrap_or(0));
        if !has_game(&after, &game) {
            remarks.push(format!("game {game} is not in the backup"));
        } else if had > has {
            remarks.push(format!("game {game}: commits {} to {had} came after the backup", has + 1));
        }
    }
    let spool = before.spool();
    let rooms =
        [crate::archive::spool::Room::New, crate::archive::spool::Room::Hold, crate::archive::spool::Room::Done];
    let names = rooms.into_iter().flat_map(|room| spool.list(room).unwrap_or_default());
    let since = names.filter(|name| name.arrived().is_some_and(|time| time >= summary.time)).count();
    if since > 0 {
        remarks.push(format!("{since} messages came after the backup"));
    }
    remarks
}

fn has_game(archive: &Archive, game: &GameName) -> bool {
    archive.layout().game(game.as_str()).join("status").is_file()
}

impl Clerk {
    /// Puts processed messages that arrived since then back to be worked off (`chancery replay`); the ledger drops those
    /// that are done. `other`: taken from the spool of that site. Gives how many.
    pub fn replay_mail(&self, since: DateTime<Utc>, other: Option<&Site>) -> Result<usize, ClerkError> {
        use crate::archive::spool::Room;
        let spool = self.archive.spool();
        let mut count = 0;
        match other {
            None => {
                for name in spool.list(Room::Done)? {
                    if name.arrived().is_some_and(|time| time >= since) {
                        spool.shift(&name, Room::Done, Room::New)?;
                        count += 1;
                    }
                }
            }
            Some(site) => {
                let from = site.archive().spool();
                for room in [Room::New, Room::Hold, Room::Done] {
                    for name in from.list(room)? {
                        let late = name.arrived().is_some_and(|time| time >= since);
                        if let Some(bytes) = from.read(room, &name)?.filter(|_| late) {
                            let place = spool.path(Room::New, &name);
                            self.archive.fs().replace(&place, &bytes, fs::FILE).map_err(at(&place))?;
                            count += 1;
                        }
                    }
                }
            }
        }
        Ok(count)
    }
}
