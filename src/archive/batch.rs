//! Transactions of several games put on the disk together, as a round makes them.
//!
//! Each is what it would be alone: recorded in a journal file of its own, done as a whole or not at all, finished by
//! whoever next takes the lock of its game. Shared are the waits for the disk – five for all of them –, the writing of the
//! index and of the ledger. What goes wrong with one is told of that one.

use super::Archive;
use super::apply::{Present, Rest};
use super::commit::{Compiled, Receipt, blocked};
use super::error::{ArchiveError, At};
use super::lock::OwnerLock;
use super::spare::Spare;
use super::transaction::Transaction;
use std::fs::File;
use std::path::{Path, PathBuf};

/// A transaction on its way.
struct Work {
    made: Compiled,
    /// Its journal file.
    file: File,
    draft: PathBuf,
    path: PathBuf,
}

impl Archive {
    /// Make these transactions happen, each on its own: what [`Archive::commit`] says of one holds for each, and the
    /// outcomes come in the order of the transactions. No two may be of the same owner.
    pub fn commit_all(&self, batch: Vec<(OwnerLock, Transaction)>) -> Vec<Result<Receipt, ArchiveError>> {
        let mut locks = Vec::new();
        let mut wanted = 0;
        let works: Vec<_> = batch
            .into_iter()
            .map(|(lock, transaction)| {
                let work = self.compile(&lock, transaction);
                // Held until all is done.
                locks.push(lock);
                self.draft(work?, &mut wanted)
            })
            .collect();
        let drafts: Vec<(&File, &Path)> = works.iter().flatten().map(|w| (&w.file, w.draft.as_path())).collect();
        self.fs.sync(&drafts);
        let works = self.record_all(works);
        let outcomes = self.apply_all(works);
        drop(locks);
        outcomes
    }

    /// Writes a journal file where nobody takes it for one.
    fn draft(&self, made: Compiled, wanted: &mut u64) -> Result<Work, ArchiveError> {
        let bytes = made.record.encode();
        // Room for the journals and for applying them, doubled.
        let room = wanted.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX).saturating_mul(4));
        self.check_room(room)?;
        let name = made.record.file_name();
        let (draft, path) = (self.layout.journal.join("tmp").join(&name), self.layout.journal.join(&name));
        let written = self.spares.write(&self.fs, &draft, &bytes);
        let file = written.at("write", &draft).inspect_err(|_| remove(&draft))?;
        *wanted = room;
        Ok(Work { made, file, draft, path })
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
                match self.prepare(&work.made.record, Present::No, false, &mut written) {
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
        let journal = &self.layout.journal;
        let mut spares = Vec::new();
        let outcomes = works.into_iter().map(|work| {
            let Work { made, file, path, .. } = work?;
            let gone = self.finish_moving(&made.record).and_then(|()| {
                let taken = self.spares.take_out(&self.fs, file, &path, &journal.join("tmp"));
                taken.at("remove", &path)
            });
            match gone {
                Ok(spare) => spares.extend(spare),
                Err(source) => return Err(blocked(&made.record, source)),
            }
            Ok(made.receipt)
        });
        let outcomes = outcomes.collect();
        match self.fs.sync_directories([journal.as_path()]) {
            Ok(()) => spares.into_iter().for_each(|spare| self.spares.keep(spare)),
            // They are done; a journal file that comes back after a power cut is done once more, to no effect.
            Err(error) => {
                tracing::warn!(%error, "the journal could not be synced");
                spares.into_iter().for_each(Spare::drop);
            }
        }
        outcomes
    }
}

/// A draft of something that did not happen.
fn remove(draft: &Path) {
    drop(std::fs::remove_file(draft));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{Entry, Fs, GameName, Key, MAIL_WAIT, Stamp, fs};
    use crate::site::Layout;

    const GAMES: [&str; 3] = ["ash", "birch", "cedar"];

    fn archive(root: &Path, fs: Fs) -> Archive {
        let layout = Layout::plain(root);
        for (directory, _) in layout.directories() {
            std::fs::create_dir_all(directory).unwrap();
        }
        for game in GAMES {
            std::fs::create_dir_all(layout.game(game)).unwrap();
            std::fs::write(layout.game(game).join("status"), "old").unwrap();
        }
        Archive::new(layout, fs, 0)
    }

    /// The same change of three games.
    fn batch(archive: &Archive) -> Result<Vec<(OwnerLock, Transaction)>, ArchiveError> {
        let time = chrono::DateTime::UNIX_EPOCH;
        let one = |game: &str| {
            let name = GameName::new(game)?;
            let mut change = Transaction::of_game(&name, "round");
            change.replace("status", "new")?.append("results", "a line\n")?.enqueue(&format!("mail-{game}"), "mail")?;
            change.ledger(&Entry { key: Key::of("test", game), time, game: Some(game.into()), outcome: "sent".into() });
            change.index(&name, format!("{game} standard waiting")).expect("status", Some(Stamp::of(b"old")))?;
            Ok((archive.lock(&name, MAIL_WAIT)?, change))
        };
        GAMES.into_iter().map(one).collect()
    }

    /// What there is of a game's change: none of it, or all of it.
    fn is_done(root: &Path, game: &str) -> bool {
        let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_default();
        let signs = [
            read(&format!("games/{game}/status")) == "new",
            read(&format!("games/{game}/results")) == "a line\n",
            read(&format!("games/{game}/audit.log")).lines().count() == 1,
            read(&format!("outbox/new/mail-{game}.msg")) == "mail",
            read("ledger/1970-01").lines().filter(|line| line.starts_with(&format!("test:{game} "))).count() == 1,
            read("games/status").lines().filter(|line| line.starts_with(&format!("{game} "))).count() == 1,
        ];
        assert!(signs.iter().all(|sign| *sign == signs[0]), "{game}: {signs:?}");
        signs[0]
    }

    /// What stands in the way of one, or of what all share, blocks those it is about until it is gone.
    #[test]
    fn what_is_committed_and_cannot_be_finished_is_finished_later() {
        let one = ("outbox/new/mail-birch.msg", [true, false, true]);
        for (obstacle, expected) in [one, ("games/status", [false; 3])] {
            let place = tempfile::tempdir().unwrap();
            let archive = archive(place.path(), Fs::new());
            let batch = batch(&archive).unwrap();
            let obstacle = place.path().join(obstacle);
            std::fs::create_dir(&obstacle).unwrap();
            let outcomes = archive.commit_all(batch);
            for (outcome, expected) in outcomes.iter().zip(expected) {
                let blocked = matches!(outcome, Err(ArchiveError::Blocked { seq: 1, .. }));
                assert!(outcome.is_ok() == expected && blocked != expected, "{outcomes:?}");
            }
            std::fs::remove_dir(&obstacle).unwrap();
            for game in GAMES {
                drop(archive.lock(&GameName::new(game).unwrap(), MAIL_WAIT).unwrap());
                assert!(is_done(place.path(), game), "{game}");
            }
            assert!(archive.unfinished().unwrap().is_empty());
        }
    }

    /// What a batch has put on the disk, the next writes its journal files in, until somebody clears up.
    #[test]
    fn journal_files_that_are_done_with_are_used_again() {
        use std::os::unix::fs::MetadataExt;
        let place = tempfile::tempdir().unwrap();
        let archive = archive(place.path(), Fs::new());
        let directory = place.path().join("journal/tmp/.spares");
        let spares = || {
            let files =
                fs::names(&directory).unwrap().into_iter().map(|n| std::fs::metadata(directory.join(n)).unwrap());
            let files: Vec<_> = files.collect();
            assert!(files.iter().all(|file| file.len() == 0 && file.mode() & 0o777 == fs::SECRET));
            let mut numbers: Vec<u64> = files.iter().map(MetadataExt::ino).collect();
            numbers.sort_unstable();
            numbers
        };
        let play = |archive: &Archive, text: &str| {
            let one = |game: &&str| {
                let name = GameName::new(game).unwrap();
                let mut change = Transaction::of_game(&name, text);
                change.replace("status", text).unwrap();
                (archive.lock(&name, MAIL_WAIT).unwrap(), change)
            };
            let outcomes = archive.commit_all(GAMES.iter().map(one).collect());
            assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
            for game in GAMES {
                let read = |file: &str| std::fs::read_to_string(place.path().join("games").join(game).join(file));
                assert_eq!(read("status").unwrap(), text);
                assert!(read("audit.log").unwrap().ends_with(&format!("{text}\n")));
            }
            assert!(archive.unfinished().unwrap().is_empty());
        };
        play(&archive, "a long text, longer than all that come behind it");
        let first = spares();
        assert_eq!(first.len(), GAMES.len());
        play(&archive, "short");
        assert_eq!(spares(), first);
        // Another process begins, and takes them for those of a dead one.
        assert!(archive.clone().recover_all().unwrap().is_empty());
        assert!(!directory.exists());
        play(&archive, "shorter");
        play(&archive, "shortest");
        play(&archive, "short");
        assert_eq!(spares().len(), GAMES.len());
        drop(archive);
        assert!(!directory.exists());
    }
}
