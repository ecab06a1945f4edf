//! Hears of status files that another program has written (OPS-043, OPS-081).
//!
//! What it promises: `changed` is called with the name of a game some moments after its `status` was written, whether the
//! editor wrote in place or renamed a draft over it; not before the file has been quiet for [`QUIET`], so that half a file
//! is not judged. Our own commits are reported, too: the caller knows them by their stamp.

use crate::archive::GameName;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// So long nothing may have happened to a file before it is read.
pub const QUIET: Duration = Duration::from_millis(300);

/// A running watch; dropping it ends it.
pub struct Edits {
    watcher: Option<RecommendedWatcher>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Edits {
    fn drop(&mut self) {
        // Without the watcher the channel is closed, and the thread ends.
        self.watcher = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The game whose status file that is.
fn game_of(games: &Path, path: &Path) -> Option<GameName> {
    let mut parts = path.strip_prefix(games).ok()?.components();
    let name = parts.next()?.as_os_str().to_str()?;
    let file = parts.next()?.as_os_str().to_str()?;
    (file == "status" && parts.next().is_none()).then(|| GameName::old(name).ok()).flatten()
}

/// Watches `games`.
pub fn watch(games: &Path, mut changed: impl FnMut(&GameName) + Send + 'static) -> notify::Result<Edits> {
    let (sender, receiver) = channel::<PathBuf>();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        if matches!(event.kind, EventKind::Create(_) | EventKind::Modify(_)) {
            for path in event.paths {
                // The receiver is gone only when the watch is being dropped.
                let _ = sender.send(path);
            }
        }
    })?;
    // Events carry the real path.
    let games = games.canonicalize().map_err(notify::Error::io)?;
    watcher.watch(&games, RecursiveMode::Recursive)?;
    let thread = std::thread::spawn(move || {
        let mut pending: BTreeMap<GameName, Instant> = BTreeMap::new();
        loop {
            let next = pending.values().min().map(|due| due.saturating_duration_since(Instant::now()));
            match receiver.recv_timeout(next.unwrap_or(Duration::from_secs(3600))) {
                Ok(path) => {
                    if let Some(game) = game_of(&games, &path) {
                        pending.insert(game, Instant::now() + QUIET);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let now = Instant::now();
            let due: Vec<GameName> = pending.iter().filter(|(_, at)| **at <= now).map(|(g, _)| g.clone()).collect();
            for game in due {
                pending.remove(&game);
                changed(&game);
            }
        }
    });
    Ok(Edits { watcher: Some(watcher), thread: Some(thread) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saving_in_place_and_by_rename_is_heard() {
        let dir = tempfile::tempdir().unwrap();
        let game = dir.path().join("demo");
        std::fs::create_dir(&game).unwrap();
        let (sender, heard) = channel();
        let edits = watch(dir.path(), move |game| sender.send(game.to_string()).unwrap_or_default()).unwrap();
        let wait = || heard.recv_timeout(Duration::from_secs(20)).unwrap();
        std::fs::write(game.join("status"), "GAME demo\n").unwrap();
        assert_eq!(wait(), "demo");
        std::fs::write(game.join("draft~"), "GAME demo\nPHASE FORMING\n").unwrap();
        std::fs::rename(game.join("draft~"), game.join("status")).unwrap();
        assert_eq!(wait(), "demo");
        drop(edits);
        assert_eq!(game_of(Path::new("/g"), Path::new("/g/status")), None, "the index is no game");
    }
}
