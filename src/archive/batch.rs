//! Transactions of several games put on the disk together, as a round makes them.
//!
//! Each is what it would be alone: recorded in a journal file of its own, done as a whole or not at all, finished by
//! whoever next takes the lock of its game. Shared are the waits for the disk – five for all of them –, the writing of the
//! index and of the ledger. What goes wrong with one is told of that one.

use super::Archive;
use super::apply::{Present, Rest};
use super::commit::{Compiled, Receipt, blocked};
use super::error::{ArchiveError, At};
use super::fs;
use super::lock::OwnerLock;
use super::transaction::Transaction;
use std::fs::File;
use std::path::PathBuf;

/// A transaction on its way.
struct Work {
    made: Compiled,
    draft: PathBuf,
    path: PathBuf,
}

impl Archive {
    /// Make these transactions happen, each on its own: what [`Archive::commit`] says of one holds for each, and the
    /// outcomes come in the order of the transactions. No two may be of the same owner.
    pub fn commit_all(&self, batch: Vec<(OwnerLock, Transaction)>) -> Vec<Result<Receipt, ArchiveError>> {
        let (mut files, mut locks) = (Vec::new(), Vec::new());
        let mut wanted = 0;
        let works: Vec<_> = batch
            .into_iter()
            .map(|(lock, transaction)| {
                let work = self.compile(&lock, transaction);
                // Held until all is done.
                locks.push(lock);
                self.draft(work?, &mut wanted, &mut files)
            })
            .collect();
        self.fs.sync(&files);
        drop(files);
        let works = self.record_all(works);
        let outcomes = self.apply_all(works);
        drop(locks);
        outcomes
    }

    /// Writes a journal file where nobody takes it for one.
    fn draft(&self, made: Compiled, wanted: &mut u64, files: &mut Vec<(File, PathBuf)>) -> Result<Work, ArchiveError> {
        let bytes = made.record.encode();
        // Room for the journals and for applying them, doubled.
        let room = wanted.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX).saturating_mul(4));
        self.check_room(room)?;
        let name = made.record.file_name();
        let (draft, path) = (self.layout.journal.join("tmp").join(&name), self.layout.journal.join(&name));
        let file = self.fs.write(&draft, &bytes, fs::SECRET).at("write", &draft).inspect_err(|_| remove(&draft))?;
        files.push((file, draft.clone()));
        *wanted = room;
        Ok(Work { made, draft, path })
    }

    /// The renames that are the commit points, and the one wait that makes them last.
    fn record_all(&self, works: Vec<Result<Work, ArchiveError>>) -> Vec<Result<Work, ArchiveError>> {
        let journal = &self.layout.journal;
        // Opened first: behind the renames nothing but the disk itself may fail.
        let opened = File::open(journal);
        let record = |work: Work| {
            let take_place = || {
                opened.as_ref().map_err(|e| std::io::Error::from(e.kind())).at("open", journal)?;
                for (expected, stamp) in &work.made.expected {
                    if self.read_site(expected)?.map(|content| content.stamp) != *stamp {
                        return Err(ArchiveError::Changed(self.resolve(expected)?));
                    }
                }
                self.fs.rename(&work.draft, &work.path).at("rename", &work.draft)
            };
            match take_place() {
                Ok(()) => Ok(work),
                Err(error) => {
                    remove(&work.draft);
                    Err(error)
                }
            }
        };
        let works: Vec<_> = works.into_iter().map(|work| work.and_then(record)).collect();
        if let Ok(opened) = opened
            && works.iter().any(Result::is_ok)
        {
            self.fs.sync_opened(&[(opened, journal.clone())]);
        }
        works
    }

    /// The second half: contents, places, shared lines, and the journal files go.
    fn apply_all(&self, works: Vec<Result<Work, ArchiveError>>) -> Vec<Result<Receipt, ArchiveError>> {
        let mut written = Vec::new();
        let works: Vec<_> = works
            .into_iter()
            .map(|work| {
                let work = work?;
                match self.prepare(&work.made.record, false, &mut written) {
                    Ok(places) => Ok((work, places)),
                    Err(source) => Err(blocked(&work.made.record, source)),
                }
            })
            .collect();
        self.fs.sync(&written);
        drop(written);
        let mut rest = Rest::default();
        let mut works: Vec<Result<Work, ArchiveError>> = works
            .into_iter()
            .map(|work| {
                let (work, places) = work?;
                match self.place(&work.made.record, places, false, &mut rest) {
                    Ok(()) => Ok(work),
                    Err(source) => Err(blocked(&work.made.record, source)),
                }
            })
            .collect();
        if let Err(error) = self.finish_rest(rest, None, Present::No) {
            tracing::warn!(%error, "what the games share could not be written for all at once");
            // Each as after a crash: what is there already is left, and whoever cannot be finished is told of.
            for work in &mut works {
                let Ok(there) = work else { continue };
                let applied = self.apply(&there.made.record, None, Present::Perhaps);
                if let Err(source) = applied.and_then(|()| self.forget(&there.path)) {
                    *work = Err(blocked(&there.made.record, source));
                }
            }
            return works.into_iter().map(|work| work.map(|work| work.made.receipt)).collect();
        }
        for work in &mut works {
            let Ok(there) = work else { continue };
            let moved = self.finish_moving(&there.made.record);
            if let Err(source) = moved.and_then(|()| self.fs.remove(&there.path).at("remove", &there.path)) {
                *work = Err(blocked(&there.made.record, source));
            }
        }
        let journal = &self.layout.journal;
        match self.fs.sync_directories([journal.as_path()]) {
            Ok(()) => {}
            // They are done; a journal file that comes back after a power cut is done once more, to no effect.
            Err(error) => tracing::warn!(%error, "the journal could not be synced"),
        }
        works.into_iter().map(|work| work.map(|work| work.made.receipt)).collect()
    }
}

/// A draft of something that did not happen.
fn remove(draft: &std::path::Path) {
    drop(std::fs::remove_file(draft));
}
