//! Recording a transaction: the first half of the protocol, up to the commit point (OPS-040, steps 1 to 3).

use super::apply::Present;
use super::audit::AuditLine;
use super::error::{ArchiveError, At};
use super::journal::{JournalError, Operation, Record};
use super::lock::{IndexLock, OwnerLock};
use super::name::{Owner, SitePath};
use super::transaction::{Edit, MoveTo, Stamp, Transaction};
use super::{Archive, fs};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::PathBuf;

/// A commit that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Its number.
    pub seq: u64,
    /// Stamp of the status file before.
    pub before: Option<Stamp>,
    /// And after.
    pub after: Option<Stamp>,
}

/// A transaction turned into a record.
pub(super) struct Compiled {
    pub record: Record,
    /// What it was computed from.
    pub expected: Vec<(SitePath, Option<Stamp>)>,
    pub receipt: Receipt,
}

/// Committed, and to be applied by whoever next takes the lock.
pub(super) fn blocked(record: &Record, source: ArchiveError) -> ArchiveError {
    tracing::error!(owner = %record.owner, record.seq, error = %source, "commit recorded but not finished");
    ArchiveError::Blocked { owner: record.owner.clone(), seq: record.seq, source: Box::new(source) }
}

/// An owner with an interrupted commit, and whether it could be finished.
pub type Recovered = (Owner, Result<(), ArchiveError>);

impl Archive {
    /// Make a transaction happen.
    ///
    /// * [`ArchiveError::Changed`]: nothing was done; read again, compute again (at most five times, OPS-043).
    /// * [`ArchiveError::Blocked`]: it is committed and will be applied by whoever next takes the lock.
    /// * Any other error: nothing was done.
    pub fn commit(&self, lock: &OwnerLock, transaction: Transaction) -> Result<Receipt, ArchiveError> {
        self.commit_holding(lock, None, transaction)
    }

    /// The same for a caller who holds the lock of the index.
    pub fn commit_indexed(
        &self,
        lock: &OwnerLock,
        index: &IndexLock,
        transaction: Transaction,
    ) -> Result<Receipt, ArchiveError> {
        self.commit_holding(lock, Some(index), transaction)
    }

    fn commit_holding(
        &self,
        lock: &OwnerLock,
        index: Option<&IndexLock>,
        transaction: Transaction,
    ) -> Result<Receipt, ArchiveError> {
        let Compiled { record, expected, receipt } = self.compile(lock, transaction)?;
        let path = self.record(&record, &expected)?;
        let finished = self.apply(&record, index, Present::No).and_then(|()| self.forget(&path));
        finished.map(|()| receipt).map_err(|source| blocked(&record, source))
    }

    /// What a transaction comes to, as the files are now.
    pub(super) fn compile(&self, lock: &OwnerLock, transaction: Transaction) -> Result<Compiled, ArchiveError> {
        if transaction.game() != lock.game() {
            return Err(ArchiveError::Damaged {
                path: self.layout.journal.clone(),
                why: format!("a transaction of another owner than the lock's, {}", lock.owner),
            });
        }
        let owner = lock.owner.clone();
        let log = self.log_end(&owner)?;
        let seq = log.last.as_ref().map_or(0, |line| line.seq) + 1;
        let before = self.status_stamp(&owner, &transaction.expected)?;
        let mut operations = self.plan(&transaction.edits)?;
        let after = stamp_after(&operations, &owner, before);
        operations.push(log.append(&owner, &AuditLine::write(seq, before, after, &transaction.audit))?);
        operations.extend(transaction.ledger.into_iter().map(|(month, line)| Operation::Ledger(month, line)));
        operations.extend(transaction.mails.into_iter().map(|(id, bytes)| Operation::Enqueue(id, bytes)));
        operations.extend(transaction.index.into_iter().map(|edit| Operation::Index(edit.game, edit.line)));
        operations.extend(match transaction.move_to {
            Some(MoveTo::Game(game)) => Some(Operation::Move(SitePath::new(&format!("games/{game}"))?)),
            Some(MoveTo::Trash(name)) => Some(Operation::Move(SitePath::new(&format!("trash/{name}"))?)),
            None => None,
        });
        let (record, receipt) = (Record { owner, seq, operations }, Receipt { seq, before, after });
        Ok(Compiled { record, expected: transaction.expected, receipt })
    }

    /// Write the journal file; its rename is the commit point.
    fn record(&self, record: &Record, expected: &[(SitePath, Option<Stamp>)]) -> Result<PathBuf, ArchiveError> {
        let bytes = record.encode();
        // Room for the journal and for applying it, doubled.
        self.check_room(u64::try_from(bytes.len()).unwrap_or(u64::MAX).saturating_mul(4))?;
        let name = record.file_name();
        let (draft, path) = (self.layout.journal.join("tmp").join(&name), self.layout.journal.join(&name));
        let drop_draft = || drop(std::fs::remove_file(&draft));
        let file = self.fs.write(&draft, &bytes, fs::SECRET).at("write", &draft).inspect_err(|_| drop_draft())?;
        self.fs.sync(&[(file, draft.clone())]);
        for (expected, stamp) in expected {
            if self.read_site(expected)?.map(|content| content.stamp) != *stamp {
                drop_draft();
                return Err(ArchiveError::Changed(self.resolve(expected)?));
            }
        }
        // Opened first: behind the rename nothing but the disk itself may fail.
        let journal = &self.layout.journal;
        let opened = std::fs::File::open(journal).at("open", journal).inspect_err(|_| drop_draft())?;
        self.fs.rename(&draft, &path).at("rename", &draft).inspect_err(|_| drop_draft())?;
        self.fs.sync_opened(&[(opened, journal.clone())]);
        Ok(path)
    }

    /// Remove the journal file of a commit that is done.
    pub(super) fn forget(&self, path: &std::path::Path) -> Result<(), ArchiveError> {
        self.fs.remove(path).at("remove", path)?;
        self.fs.sync_directories([self.layout.journal.as_path()]).at("open", &self.layout.journal)
    }

    /// Journal files of that owner, oldest first.
    pub(super) fn pending(&self, owner: &Owner) -> Result<Vec<(u64, PathBuf)>, ArchiveError> {
        let names = fs::names(&self.layout.journal).at("read", &self.layout.journal)?;
        let mut pending: Vec<(u64, PathBuf)> = names
            .iter()
            .filter_map(|name| Some((Record::parse_file_name(name)?, self.layout.journal.join(name))))
            .filter(|((whose, _), _)| whose == owner)
            .map(|((_, seq), path)| (seq, path))
            .collect();
        pending.sort();
        Ok(pending)
    }

    /// Finish what a crash has interrupted. The caller holds the owner's lock, or the index lock where the game's
    /// directory (and with it the lock) has gone elsewhere.
    pub(super) fn recover(&self, lock: &OwnerLock, index: Option<&IndexLock>) -> Result<(), ArchiveError> {
        self.drop_drafts(&lock.owner)?;
        self.finish(&lock.owner, index)
    }

    fn finish(&self, owner: &Owner, index: Option<&IndexLock>) -> Result<(), ArchiveError> {
        for (seq, path) in self.pending(owner)? {
            let Some(bytes) = fs::read(&path).at("read", &path)? else { continue };
            match Record::decode(&bytes) {
                Ok(record) => {
                    tracing::warn!(%owner, seq, "finishing an interrupted commit");
                    let blocked =
                        |source| ArchiveError::Blocked { owner: owner.clone(), seq, source: Box::new(source) };
                    self.apply(&record, index, Present::Perhaps).and_then(|()| self.forget(&path)).map_err(blocked)?;
                }
                Err(error @ JournalError::Incomplete) => {
                    tracing::error!(path = %path.display(), %error, "journal file was never committed: removed");
                    self.forget(&path)?;
                }
                Err(error) => return Err(ArchiveError::Damaged { path, why: error.to_string() }),
            }
        }
        Ok(())
    }

    /// Commits that were being recorded when their writer died.
    fn drop_drafts(&self, owner: &Owner) -> Result<(), ArchiveError> {
        let drafts = self.layout.journal.join("tmp");
        for name in fs::names(&drafts).at("read", &drafts)? {
            if Record::parse_file_name(&name).is_some_and(|(whose, _)| whose == *owner) {
                let draft = drafts.join(name);
                self.fs.remove(&draft).at("remove", &draft)?;
            }
        }
        Ok(())
    }

    /// Finish a commit of a game whose directory is not where it was: it was about to be renamed or purged.
    pub(super) fn finish_move(&self, owner: &Owner, wait: std::time::Duration) -> Result<(), ArchiveError> {
        if self.pending(owner)?.is_empty() {
            return Ok(());
        }
        let index = self.lock_index(wait)?;
        self.finish(owner, Some(&index))
    }

    /// Finish all interrupted commits, as at the start of a process or after a restore. Owners that are at work or
    /// blocked are left alone; the list says what became of each.
    pub fn recover_all(&self) -> Result<Vec<Recovered>, ArchiveError> {
        let mut owners: Vec<Owner> = fs::names(&self.layout.journal)
            .at("read", &self.layout.journal)?
            .iter()
            .filter_map(|name| Record::parse_file_name(name).map(|(owner, _)| owner))
            .collect();
        owners.sort();
        owners.dedup();
        super::spare::clear(&self.layout.journal.join("tmp"));
        let take = |owner: &Owner| match owner {
            Owner::Judge => self.lock_judge(std::time::Duration::ZERO).map(drop),
            Owner::Game(game) => match self.lock(game, std::time::Duration::ZERO) {
                // Purged or renamed: that was the commit to finish.
                Err(ArchiveError::NoSuchGame(_)) => Ok(()),
                lock => lock.map(drop),
            },
        };
        Ok(owners.into_iter().map(|owner| (owner.clone(), take(&owner))).collect())
    }

    /// Stamp of the status file. What the transaction was computed from is compared with the file before it counts, so
    /// the file is not read for it here.
    fn status_stamp(
        &self,
        owner: &Owner,
        expected: &[(SitePath, Option<Stamp>)],
    ) -> Result<Option<Stamp>, ArchiveError> {
        let Owner::Game(game) = owner else { return Ok(None) };
        let status = format!("games/{game}/status");
        if let Some((_, stamp)) = expected.iter().find(|(path, _)| path.as_str() == status) {
            return Ok(*stamp);
        }
        Ok(self.read(game, "status")?.map(|content| content.stamp))
    }

    /// Turn edits, which follow each other, into operations of which no two touch the same file and each can be
    /// repeated. Where edits do touch the same file, their outcome is recorded instead of themselves.
    fn plan(&self, edits: &[Edit]) -> Result<Vec<Operation>, ArchiveError> {
        let tangled = tangled(edits);
        let mut outcome: Vec<(SitePath, Option<Vec<u8>>)> = Vec::new();
        let mut operations = Vec::new();
        for edit in edits {
            match edit {
                Edit::Rename(from, to) if tangled.contains(from) => {
                    let content = self.content(&outcome, from)?;
                    let content = content.ok_or_else(|| self.missing(from))?;
                    set(&mut outcome, to, Some(content));
                    set(&mut outcome, from, None);
                }
                Edit::Rename(from, to) => {
                    if self.read_site(from)?.is_none() {
                        return Err(self.missing(from));
                    }
                    operations.push(Operation::Rename(from.clone(), to.clone()));
                }
                Edit::Replace(path, bytes) => set(&mut outcome, path, Some(bytes.clone())),
                Edit::Remove(path) => set(&mut outcome, path, None),
                Edit::Append(path, bytes) if tangled.contains(path) => {
                    let mut content = self.content(&outcome, path)?.unwrap_or_default();
                    content.extend_from_slice(bytes);
                    set(&mut outcome, path, Some(content));
                }
                Edit::Append(path, bytes) => {
                    let same = operations.iter_mut().find_map(|operation| match operation {
                        Operation::Append(there, _, content) if there == path => Some(content),
                        _ => None,
                    });
                    match same {
                        Some(content) => content.extend_from_slice(bytes),
                        None => {
                            let real = self.resolve(path)?;
                            let offset = fs::length(&real).at("read", &real)?;
                            operations.push(Operation::Append(path.clone(), offset, bytes.clone()));
                        }
                    }
                }
            }
        }
        operations.extend(outcome.into_iter().map(|(path, content)| match content {
            Some(bytes) => Operation::Replace(path, bytes),
            None => Operation::Remove(path),
        }));
        Ok(operations)
    }

    fn content(
        &self,
        outcome: &[(SitePath, Option<Vec<u8>>)],
        path: &SitePath,
    ) -> Result<Option<Vec<u8>>, ArchiveError> {
        match outcome.iter().find(|(there, _)| there == path) {
            Some((_, content)) => Ok(content.clone()),
            None => Ok(self.read_site(path)?.map(|content| content.bytes)),
        }
    }

    fn missing(&self, path: &SitePath) -> ArchiveError {
        let path = self.resolve(path).unwrap_or_else(|_| self.layout.root.join(path.as_str()));
        ArchiveError::Io { action: "rename", path, source: io::ErrorKind::NotFound.into() }
    }
}

fn set(outcome: &mut Vec<(SitePath, Option<Vec<u8>>)>, path: &SitePath, content: Option<Vec<u8>>) {
    match outcome.iter_mut().find(|(there, _)| there == path) {
        Some((_, old)) => *old = content,
        None => outcome.push((path.clone(), content)),
    }
}

/// The files that cannot be left to operations of their own: touched more than once, other than by appending only,
/// renamed between directories, and whatever a rename connects with such a file.
fn tangled(edits: &[Edit]) -> HashSet<SitePath> {
    let mut touches: HashMap<&SitePath, (usize, bool)> = HashMap::new();
    let mut touch = |path, appended: bool| {
        let (count, only_appended) = touches.entry(path).or_insert((0, true));
        *count += 1;
        *only_appended &= appended;
    };
    for edit in edits {
        match edit {
            Edit::Append(path, _) => touch(path, true),
            Edit::Replace(path, _) | Edit::Remove(path) => touch(path, false),
            Edit::Rename(from, to) => {
                touch(from, false);
                touch(to, false);
            }
        }
    }
    let twice = touches.iter().filter(|(_, (count, only_appended))| *count > 1 && !only_appended);
    let mut tangled: HashSet<SitePath> = twice.map(|(&path, _)| path.clone()).collect();
    // Half a rename between directories could be lost with the power.
    let parent = |path: &SitePath| path.as_str().rsplit_once('/').map(|(parent, _)| parent.to_owned());
    for edit in edits {
        if let Edit::Rename(from, to) = edit
            && parent(from) != parent(to)
        {
            tangled.insert(from.clone());
        }
    }
    loop {
        let before = tangled.len();
        for edit in edits {
            if let Edit::Rename(from, to) = edit
                && (tangled.contains(from) || tangled.contains(to))
            {
                tangled.extend([from.clone(), to.clone()]);
            }
        }
        if tangled.len() == before {
            return tangled;
        }
    }
}

fn stamp_after(operations: &[Operation], owner: &Owner, before: Option<Stamp>) -> Option<Stamp> {
    let Owner::Game(game) = owner else { return None };
    let status = format!("games/{game}/status");
    operations.iter().fold(before, |stamp, operation| match operation {
        Operation::Replace(path, bytes) if path.as_str() == status => Some(Stamp::of(bytes)),
        Operation::Remove(path) | Operation::Rename(path, _) if path.as_str() == status => None,
        _ => stamp,
    })
}
