//! The file-system calls of the commit protocol and of the spool, in one place.
//!
//! Everything that changes a disk goes through [`Fs`], so that a test can stop the program before any one of these
//! calls (`CHANCERY_CRASH_AT=<n>`, OPS-047) or make one fail (`CHANCERY_FAIL_AT=<n>:<ENOSPC|EIO>`, `<n>+:` for that
//! one and all later ones). The environment is read once, when the [`Fs`] is made; without it a call costs one test
//! of an empty option. Calls that only read are not counted: a crash at a read is a crash before the next change.
//!
//! A failed fsync ends the process at once (OPS-044): the kernel may have dropped the dirty pages and will report
//! success the next time, so memory and disk can no longer be trusted to agree.

use rustix::fs::OFlags;
use rustix::io::Errno;
use std::borrow::Borrow;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Mode of directories (decision D7).
pub const DIRECTORY: u32 = 0o750;
/// Mode of files.
pub const FILE: u32 = 0o640;
/// Mode of files that hold secrets.
pub const SECRET: u32 = 0o600;
/// Mode of directories that hold secrets.
pub const SECRET_DIRECTORY: u32 = 0o700;

/// From so many files on the whole file system is synced instead of each of them.
const MANY: usize = 24;

/// Exit status after a failed fsync: `EX_TEMPFAIL`, which every mailer takes as "later".
const TEMPORARY_FAILURE: i32 = 75;

/// One change of the disk, as recorded by [`Fs::recording`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A file was cut to this length, being created if it was missing.
    Cut(PathBuf, u64),
    /// Bytes written at an offset.
    Write(PathBuf, u64, Vec<u8>),
    /// A file's content is now on the disk.
    Sync(PathBuf),
    /// A directory's entries are now on the disk.
    SyncDirectory(PathBuf),
    /// Renamed.
    Rename(PathBuf, PathBuf),
    /// Removed.
    Remove(PathBuf),
    /// Directory made.
    MakeDirectory(PathBuf),
}

/// The hand that writes. Cheap to clone; clones share the count of calls.
#[derive(Clone, Debug, Default)]
pub struct Fs {
    switch: Option<Arc<Switch>>,
}

#[derive(Debug, Default)]
struct Switch {
    calls: AtomicU64,
    crash_at: Option<u64>,
    fail_at: Option<Fault>,
    record: Option<Mutex<Vec<Change>>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fault {
    from: u64,
    for_good: bool,
    error: Errno,
}

impl Fault {
    /// `<n>:<ERROR>` or `<n>+:<ERROR>`.
    fn parse(text: &str) -> Option<Fault> {
        let (number, error) = text.split_once(':')?;
        let (number, for_good) = number.strip_suffix('+').map_or((number, false), |n| (n, true));
        let error = match error {
            "ENOSPC" => Errno::NOSPC,
            "EIO" => Errno::IO,
            "EDQUOT" => Errno::DQUOT,
            "EROFS" => Errno::ROFS,
            "EMFILE" => Errno::MFILE,
            _ => return None,
        };
        Some(Fault { from: number.parse().ok()?, for_good, error })
    }
}

impl Fs {
    /// No faults.
    pub fn new() -> Fs {
        Fs::default()
    }

    /// Faults as the environment asks for.
    pub fn from_env() -> Fs {
        let crash_at = std::env::var("CHANCERY_CRASH_AT").ok().and_then(|n| n.parse().ok());
        let fail_at = std::env::var("CHANCERY_FAIL_AT").ok().and_then(|text| Fault::parse(&text));
        if crash_at.is_none() && fail_at.is_none() {
            return Fs::default();
        }
        Fs { switch: Some(Arc::new(Switch { crash_at, fail_at, ..Switch::default() })) }
    }

    /// An [`Fs`] whose calls fail as `CHANCERY_FAIL_AT` would make them; `None` if the text is not understood.
    pub fn failing(text: &str) -> Option<Fs> {
        let fail_at = Some(Fault::parse(text)?);
        Some(Fs { switch: Some(Arc::new(Switch { fail_at, ..Switch::default() })) })
    }

    /// An [`Fs`] that keeps a list of its changes, for tests that lose what was not synced (OPS-048).
    pub fn recording() -> Fs {
        Fs { switch: Some(Arc::new(Switch { record: Some(Mutex::default()), ..Switch::default() })) }
    }

    /// Changes recorded so far.
    pub fn changes(&self) -> Vec<Change> {
        let record = self.switch.as_ref().and_then(|switch| switch.record.as_ref());
        record.map(|list| list.lock().map(|list| list.clone()).unwrap_or_default()).unwrap_or_default()
    }

    /// Number of calls so far; 0 when nothing is watched.
    pub fn calls(&self) -> u64 {
        self.switch.as_ref().map_or(0, |switch| switch.calls.load(Ordering::Relaxed))
    }

    /// Count a call: crash or fail if it is the chosen one. `torn` is done before a crash.
    fn step(&self, torn: impl FnOnce()) -> io::Result<()> {
        let Some(switch) = &self.switch else { return Ok(()) };
        let number = switch.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if switch.crash_at == Some(number) {
            torn();
            std::process::abort();
        }
        match switch.fail_at {
            Some(fault) if number == fault.from || (fault.for_good && number > fault.from) => Err(fault.error.into()),
            _ => Ok(()),
        }
    }

    fn note(&self, change: impl FnOnce() -> Change) {
        if let Some(record) = self.switch.as_ref().and_then(|switch| switch.record.as_ref())
            && let Ok(mut list) = record.lock()
        {
            list.push(change());
        }
    }

    /// Write a whole file anew, without syncing it.
    pub fn write(&self, path: &Path, bytes: &[u8], mode: u32) -> io::Result<File> {
        self.step(|| ())?;
        let mut file = options(mode).write(true).create(true).truncate(true).open(path)?;
        self.note(|| Change::Cut(path.to_owned(), 0));
        self.write_out(&mut file, path, 0, bytes)?;
        Ok(file)
    }

    /// Write a whole file anew through a handle, over what it holds, without syncing it; `path` is where it lies now.
    pub fn rewrite(&self, file: &mut File, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.write_out(file, path, 0, bytes)?;
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if file.metadata()?.len() > length {
            self.step(|| ())?;
            file.set_len(length)?;
            self.note(|| Change::Cut(path.to_owned(), length));
        }
        Ok(())
    }

    /// Write a file that must not be there yet, without syncing it.
    pub fn create(&self, path: &Path, bytes: &[u8], mode: u32) -> io::Result<File> {
        self.step(|| ())?;
        let mut file = options(mode).write(true).create_new(true).open(path)?;
        self.note(|| Change::Cut(path.to_owned(), 0));
        self.write_out(&mut file, path, 0, bytes)?;
        Ok(file)
    }

    /// Make the file end with `bytes` beginning at `offset`, whatever it held from there on, without syncing it.
    /// A file that is shorter than `offset` is written at its end.
    pub fn append(&self, path: &Path, offset: u64, bytes: &[u8], mode: u32) -> io::Result<File> {
        self.step(|| ())?;
        let mut file = options(mode).write(true).create(true).truncate(false).open(path)?;
        let length = file.metadata()?.len();
        if length > offset {
            self.step(|| ())?;
            file.set_len(offset)?;
        }
        let offset = offset.min(length);
        self.note(|| Change::Cut(path.to_owned(), offset));
        self.write_out(&mut file, path, offset, bytes)?;
        Ok(file)
    }

    fn write_out(&self, file: &mut File, path: &Path, offset: u64, bytes: &[u8]) -> io::Result<()> {
        file.seek(SeekFrom::Start(offset))?;
        self.step(|| {
            // A crash in the middle of a write leaves a part of it.
            if let Some(half) = bytes.get(..bytes.len() / 2) {
                let _ = file.try_clone().and_then(|mut file| file.write_all(half));
            }
        })?;
        file.write_all(bytes)?;
        self.note(|| Change::Write(path.to_owned(), offset, bytes.to_owned()));
        Ok(())
    }

    /// Put files on the disk, or end the process.
    pub fn sync<F: Borrow<File> + Sync, P: AsRef<Path> + Sync>(&self, files: &[(F, P)]) {
        self.sync_together(files, &[]);
    }

    /// Put the entries of directories on the disk, or end the process. A directory that is missing has no entries;
    /// one that cannot be opened is an error.
    pub fn sync_directories<'a>(&self, paths: impl IntoIterator<Item = &'a Path>) -> io::Result<()> {
        self.sync_all(&[], paths)
    }

    /// Put files and the entries of directories on the disk, in one wait.
    pub fn sync_all<'a>(
        &self,
        files: &[(File, PathBuf)],
        directories: impl IntoIterator<Item = &'a Path>,
    ) -> io::Result<()> {
        let mut opened = Vec::new();
        for path in directories {
            match File::open(path) {
                Ok(file) => opened.push((file, path.to_owned())),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        self.sync_together(files, &opened);
        Ok(())
    }

    /// Directories opened before, so that nothing but the disk can fail.
    pub fn sync_opened(&self, directories: &[(File, PathBuf)]) {
        self.sync_together::<File, PathBuf>(&[], directories);
    }

    /// Several are synced at the same time, so that the file system makes one journal commit of them: all are told to
    /// begin writing before the first is waited for. Very many are synced by one call for each file system they lie on.
    /// In order, one by one, where a test counts the calls.
    fn sync_together<F: Borrow<File> + Sync, P: AsRef<Path> + Sync>(
        &self,
        files: &[(F, P)],
        directories: &[(File, PathBuf)],
    ) {
        let file = |(file, path): &(F, P)| match self.step(|| ()).and_then(|()| file.borrow().sync_data()) {
            Err(error) => sync_failed(path.as_ref(), &error),
            Ok(()) => self.note(|| Change::Sync(path.as_ref().to_owned())),
        };
        // Not sync_data: a rename changes nothing that fdatasync promises to keep.
        let directory = |(file, path): &(File, PathBuf)| match self.step(|| ()).and_then(|()| file.sync_all()) {
            Err(error) => sync_failed(path, &error),
            Ok(()) => self.note(|| Change::SyncDirectory(path.to_owned())),
        };
        let count = files.len() + directories.len();
        if count < 2 || self.switch.is_some() {
            files.iter().for_each(file);
            directories.iter().for_each(directory);
            return;
        }
        if count >= MANY {
            let files = files.iter().map(|(file, path)| (file.borrow(), path.as_ref()));
            return sync_devices(files.chain(directories.iter().map(|(file, path)| (file, path.as_path()))));
        }
        for (file, _) in files {
            // Not to be read again soon: the kernel begins to write it. Only a hint, so it may fail.
            let _ = rustix::fs::fadvise(file.borrow(), 0, None, rustix::fs::Advice::DontNeed);
        }
        let (file, directory, part) = (&file, &directory, count.div_ceil(8));
        std::thread::scope(|scope| {
            for files in files.chunks(part) {
                scope.spawn(move || files.iter().for_each(file));
            }
            for directories in directories.chunks(part) {
                scope.spawn(move || directories.iter().for_each(directory));
            }
        });
    }

    /// Rename within the site.
    pub fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(|| ())?;
        std::fs::rename(from, to)?;
        self.note(|| Change::Rename(from.to_owned(), to.to_owned()));
        Ok(())
    }

    /// Remove a file; one that is not there is no error.
    pub fn remove(&self, path: &Path) -> io::Result<()> {
        self.step(|| ())?;
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => {
                self.note(|| Change::Remove(path.to_owned()));
                Ok(())
            }
        }
    }

    /// Remove a directory with all it holds; one that is not there is no error.
    pub fn remove_tree(&self, path: &Path) -> io::Result<()> {
        self.step(|| ())?;
        match std::fs::remove_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => {
                self.note(|| Change::Remove(path.to_owned()));
                Ok(())
            }
        }
    }

    /// Make a directory and those above it; one that is there is no error.
    pub fn make_directory(&self, path: &Path, mode: u32) -> io::Result<()> {
        if path.is_dir() {
            return Ok(());
        }
        self.step(|| ())?;
        std::fs::DirBuilder::new().recursive(true).mode(mode).create(path)?;
        self.note(|| Change::MakeDirectory(path.to_owned()));
        Ok(())
    }

    /// Replace one file on its own, durably: beside it, fsync, rename, fsync of the directory.
    pub fn replace(&self, path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
        let beside = beside(path, 0);
        let written = self.write(&beside, bytes, mode).inspect_err(|_| drop(std::fs::remove_file(&beside)))?;
        self.sync(&[(written, beside.clone())]);
        self.rename(&beside, path)?;
        self.sync_directories(path.parent())
    }
}

/// Sync the file systems on which these lie, each once. An error in writing back any of them is told to a file that was
/// open before.
fn sync_devices<'f>(files: impl Iterator<Item = (&'f File, &'f Path)>) {
    let mut devices = Vec::new();
    for (file, path) in files {
        let synced = file.metadata().and_then(|data| {
            if devices.contains(&data.dev()) {
                return Ok(());
            }
            devices.push(data.dev());
            Ok(rustix::fs::syncfs(file)?)
        });
        if let Err(error) = synced {
            sync_failed(path, &error);
        }
    }
}

/// Open a file for reading; `None` if it is missing. Symbolic links are not followed (operations.md 15, row 24).
pub fn open(path: &Path) -> io::Result<Option<File>> {
    match options(FILE).read(true).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Read a regular file; `None` if it is missing.
pub fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let Some(mut file) = open(path)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Length of a file; 0 if it is missing.
pub fn length(path: &Path) -> io::Result<u64> {
    match std::fs::symlink_metadata(path) {
        Ok(data) => Ok(data.len()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

/// Names of the entries of a directory that begin with no dot, in order; none if it is missing.
pub fn names(path: &Path) -> io::Result<Vec<String>> {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        if let Ok(name) = entry?.file_name().into_string()
            && !name.starts_with('.')
        {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Name beside `path` for the content that will replace it. Fixed, so that a repetition takes the place of what a
/// crash has left; hidden, so that no reader takes it for a file of the game.
pub(super) fn beside(path: &Path, number: usize) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{number}.txn"))
}

fn options(mode: u32) -> OpenOptions {
    let mut options = OpenOptions::new();
    let flags = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or(0);
    options.mode(mode).custom_flags(flags);
    options
}

/// OPS-044. The text begins with `4.3.0`, because a mailer may read the output of `deliver` (operations.md 5.4).
fn sync_failed(path: &Path, error: &io::Error) -> ! {
    tracing::error!(path = %path.display(), %error, "fsync failed: stopping; the journal will be applied at the next start");
    eprintln!("4.3.0 {}: cannot be made durable: {error}; stopping", path.display());
    std::process::exit(TEMPORARY_FAILURE)
}
