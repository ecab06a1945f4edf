//! A Maildir somebody delivers into (OPS-025): notified by the kernel, rescanned every minute because notifications
//! get lost and mail comes while we are down.

use super::{Incoming, Store};
use notify::event::ModifyKind;
use notify::{Event, EventKind, RecursiveMode, Watcher};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Makes the Maildir where there is none yet: the mail server may not have delivered anything so far.
pub fn make(maildir: &Path) -> io::Result<()> {
    ["tmp", "new", "cur"].iter().try_for_each(|part| fs::create_dir_all(maildir.join(part)))
}

/// Reads and removes everything in `new/`, oldest name first. Returns how many were taken, and the first trouble.
/// A message is removed only after the store has it; one that vanishes meanwhile is no error.
pub fn scan(maildir: &Path, max_bytes: usize, store: &Store) -> io::Result<usize> {
    let new = maildir.join("new");
    let mut names = Vec::new();
    for entry in fs::read_dir(&new)? {
        let entry = entry?;
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        // Regular files only: no links planted by others.
        if !hidden && entry.file_type()?.is_file() {
            names.push(entry.path());
        }
    }
    names.sort();
    let mut taken = 0;
    let mut trouble = None;
    for path in names {
        match take(&path, max_bytes, store) {
            Ok(()) => taken += 1,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => trouble = trouble.or(Some(error)),
        }
    }
    if taken > 0 {
        File::open(&new)?.sync_all()?;
    }
    trouble.map_or(Ok(taken), Err)
}

fn take(path: &Path, max_bytes: usize, store: &Store) -> io::Result<()> {
    let flags = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let mut bytes = Vec::new();
    // One byte more than allowed shows the spool that it is too large.
    let most = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    file.take(most).read_to_end(&mut bytes)?;
    store(&Incoming { from: None, to: None, bytes: &bytes })?;
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Watches until `stop` is set (looked at every second): takes what is there, then whatever comes. `trouble` is told
/// of errors; the watch goes on.
pub fn watch(
    maildir: &Path,
    max_bytes: usize,
    store: &Store,
    rescan: Duration,
    stop: &AtomicBool,
    trouble: &mut dyn FnMut(&io::Error),
) -> io::Result<()> {
    make(maildir)?;
    let (sender, events) = mpsc::channel();
    // Creation, hard links and renames count; our own reading makes events too and must not.
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        let arrival =
            event.map_or(true, |e| matches!(e.kind, EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_))));
        if arrival {
            // The receiver is gone only when the watch has ended.
            let _ = sender.send(());
        }
    })
    .map_err(io::Error::other)?;
    watcher.watch(&maildir.join("new"), RecursiveMode::NonRecursive).map_err(io::Error::other)?;
    let mut waited = rescan;
    let step = Duration::from_secs(1).min(rescan);
    let mut due = true;
    while !stop.load(Ordering::SeqCst) {
        if due || waited >= rescan {
            if let Err(error) = scan(maildir, max_bytes, store) {
                trouble(&error);
            }
            waited = Duration::ZERO;
        }
        due = events.recv_timeout(step).is_ok();
        // One scan for a burst, our own removals included.
        while events.try_recv().is_ok() {}
        waited += step;
    }
    Ok(())
}
