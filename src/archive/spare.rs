//! Journal files that are done with, kept for the next ones: whoever commits by the dozen would else make and remove a
//! file for each game, and a file system that has just freed many inodes takes long to give out one (ext4 does not give
//! one out again for a minute, and passes it over at every search).
//!
//! What it promises: a file is kept only when its removal from the journal is on the disk, so its content is nobody's any
//! more. A spare lies in `journal/tmp` under a hidden name of its own; anybody may remove it, then the next one is made.

use super::fs::{self, Fs};
use crate::hex::hex;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// So many are kept.
const MOST: usize = 64;
/// Their directory among the drafts: whoever looks for drafts does not have to pass them by.
const DIRECTORY: &str = ".spares";

/// The spares of one archive.
#[derive(Debug, Default)]
pub(super) struct Spares {
    kept: Mutex<Vec<Spare>>,
    has_place: AtomicBool,
}

/// A file that holds nothing of worth.
#[derive(Debug)]
pub(super) struct Spare {
    file: File,
    path: PathBuf,
}

impl Spare {
    /// Let it go.
    pub fn drop(self) {
        drop(std::fs::remove_file(self.path));
    }
}

impl Spares {
    /// Write a journal file anew, without syncing it; in a spare file if there is one.
    pub fn write(&self, fs: &Fs, path: &Path, bytes: &[u8]) -> io::Result<File> {
        while let Some(Spare { mut file, path: place }) = self.take() {
            match fs.rename(&place, path) {
                Ok(()) => return fs.rewrite(&mut file, path, bytes).map(|()| file),
                // Another process has cleared up.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    drop(std::fs::remove_file(&place));
                    return Err(error);
                }
            }
        }
        fs.write(path, bytes, fs::SECRET)
    }

    /// Take a file that is done with out of the journal; `None`: there was none. Once that is on the disk, and not
    /// before, it may be kept.
    pub fn take_out(&self, fs: &Fs, file: File, path: &Path, drafts: &Path) -> io::Result<Option<Spare>> {
        let mut word = [0; 8];
        let drawn = getrandom::fill(&mut word).is_ok();
        if !drawn || self.kept.lock().map_or(true, |kept| kept.len() >= MOST) {
            return fs.remove(path).map(|()| None);
        }
        // Of its own: a spare of another process must never be taken for this one.
        let place = drafts.join(DIRECTORY).join(hex(&word));
        match self.make_place(fs, drafts).and_then(|()| fs.rename(path, &place)) {
            Ok(()) => Ok(Some(Spare { file, path: place })),
            // Another process has cleared up, or whatever it is: it can be done without.
            Err(_) => {
                self.has_place.store(false, Ordering::Relaxed);
                fs.remove(path).map(|()| None)
            }
        }
    }

    fn make_place(&self, fs: &Fs, drafts: &Path) -> io::Result<()> {
        if self.has_place.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        fs.make_directory(&drafts.join(DIRECTORY), fs::SECRET_DIRECTORY)
    }

    /// Keep a file that was taken out.
    pub fn keep(&self, spare: Spare) {
        // What mails it held need not lie about; that it is cut is not needed for anything else.
        drop(spare.file.set_len(0));
        match self.kept.lock() {
            Ok(mut kept) => kept.push(spare),
            Err(_) => spare.drop(),
        }
    }

    fn take(&self) -> Option<Spare> {
        self.kept.lock().ok()?.pop()
    }
}

impl Drop for Spares {
    fn drop(&mut self) {
        let mut directory = None;
        while let Some(spare) = self.take() {
            directory = spare.path.parent().map(Path::to_owned);
            spare.drop();
        }
        // Unless another process has its own there.
        drop(directory.map(std::fs::remove_dir));
    }
}

/// Remove what dead processes have left; that of living ones may go, too.
pub(super) fn clear(drafts: &Path) {
    let directory = drafts.join(DIRECTORY);
    if directory.is_dir()
        && let Err(error) = std::fs::remove_dir_all(&directory)
    {
        tracing::warn!(%error, path = %directory.display(), "cannot be removed");
    }
}
