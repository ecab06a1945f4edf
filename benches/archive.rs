//! What a commit costs above the bare calls that put the same bytes on the same disk.
//!
//! The bare way writes, syncs and renames each of the five files of a mail with orders (status, access, audit, ledger, a
//! queued mail), one after the other, and is not safe: a power cut between two of them leaves half. A commit is. Several
//! games change each in a thread of its own, as by several processes, or are stored together by one, as in a round; in
//! both cases the file system makes one journal commit of the syncs of many. Beside them stands what the bare syncs cost
//! on this disk, one after the other: as many as a commit has ([`SYNCS`]), of files that were written before.

use chancery::archive::{Archive, Entry, Fs, GameName, Key, Transaction};
use chancery::site::Layout;
use divan::counter::ItemsCount;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

const STATUS: &[u8] = &[b'x'; 4000];
const MAIL: &[u8] = &[b'y'; 1500];

fn sync_directory(path: &Path) {
    File::open(path).unwrap().sync_all().unwrap();
}

/// A file put in its place: beside, fsync, rename, fsync of the directory.
fn replace(directory: &Path, name: &str, bytes: &[u8]) {
    let (draft, place) = (directory.join(format!(".{name}")), directory.join(name));
    let mut file = File::create(&draft).unwrap();
    file.write_all(bytes).unwrap();
    file.sync_data().unwrap();
    std::fs::rename(draft, place).unwrap();
    sync_directory(directory);
}

fn append(directory: &Path, name: &str, line: &[u8]) {
    let mut file = OpenOptions::new().create(true).append(true).open(directory.join(name)).unwrap();
    file.write_all(line).unwrap();
    file.sync_data().unwrap();
}

/// The files of a mail with orders, the bare way.
fn by_hand(root: &Path, game: usize, number: u64) {
    let directory = root.join(format!("games/g{game}"));
    replace(&directory, "status", STATUS);
    append(&directory, "access", b"a line\n");
    append(&directory, "audit.log", b"7 0123456789ab..0123456789ab 2026-11-21T09:29:30Z orders of FRANCE\n");
    append(&root.join("ledger"), "2026-11", b"bench:1 2026-11-21T09:29:30Z demo executed\n");
    replace(&root.join("outbox/new"), &format!("reply-{game}-{number}.msg"), MAIL);
}

/// The same as a transaction.
fn change(game: &GameName, number: u64) -> Transaction {
    let time = chrono::DateTime::from_timestamp(1_795_231_770, 0).unwrap_or_default();
    let entry = Entry {
        key: Key::of("bench", &format!("{game}{number}")),
        time,
        game: Some(game.to_string()),
        outcome: "executed".into(),
    };
    let mut change = Transaction::of_game(game, "orders of FRANCE");
    change.replace("status", STATUS).unwrap().append("access", "a line\n").unwrap();
    change.enqueue(&format!("reply-{game}-{number}"), MAIL).unwrap().ledger(&entry);
    change
}

fn commit(archive: &Archive, game: &GameName, number: u64) {
    let lock = archive.lock(game, Duration::ZERO).unwrap();
    archive.commit(&lock, change(game, number)).unwrap();
}

fn site(root: &Path, games: usize) -> (Archive, Vec<GameName>) {
    let layout = Layout::plain(root);
    for (directory, _) in layout.directories() {
        std::fs::create_dir_all(directory).unwrap();
    }
    let archive = Archive::new(layout, Fs::new(), 0);
    let games: Vec<GameName> = (0..games).map(|n| GameName::new(&format!("g{n}")).unwrap()).collect();
    for game in &games {
        drop(archive.lock_new(game, Duration::ZERO).unwrap());
    }
    (archive, games)
}

const GAMES: [usize; 3] = [1, 4, 16];

/// Games that change at once, each in a thread of its own.
fn at_once(bencher: divan::Bencher, games: usize, change: impl Fn(usize, u64) + Sync) {
    let number = AtomicU64::new(0);
    bencher.counter(ItemsCount::new(games)).bench_local(|| {
        let number = number.fetch_add(1, Ordering::Relaxed);
        std::thread::scope(|scope| {
            for game in 0..games {
                let change = &change;
                scope.spawn(move || change(game, number));
            }
        });
    });
}

#[divan::bench(sample_count = 50, args = GAMES)]
fn five_files_by_hand(bencher: divan::Bencher, games: usize) {
    let dir = tempfile::tempdir().unwrap();
    site(dir.path(), games);
    at_once(bencher, games, |game, number| by_hand(dir.path(), game, number));
}

#[divan::bench(sample_count = 50, args = GAMES)]
fn five_files_in_a_commit(bencher: divan::Bencher, games: usize) {
    let dir = tempfile::tempdir().unwrap();
    let (archive, names) = site(dir.path(), games);
    at_once(bencher, games, |game, number| commit(&archive, &names[game], number));
}

/// All of them by one hand, in one group.
#[divan::bench(sample_count = 50, args = GAMES)]
fn five_files_in_a_commit_together(bencher: divan::Bencher, games: usize) {
    let dir = tempfile::tempdir().unwrap();
    let (archive, names) = site(dir.path(), games);
    let number = AtomicU64::new(0);
    bencher.counter(ItemsCount::new(games)).bench_local(|| {
        let number = number.fetch_add(1, Ordering::Relaxed);
        let locked = |game: &GameName| (archive.lock(game, Duration::ZERO).unwrap(), change(game, number));
        for done in archive.commit_all(names.iter().map(locked).collect()) {
            done.expect("stored");
        }
    });
}

/// One after the other by one hand, each in a commit of its own.
#[divan::bench(sample_count = 50, args = GAMES)]
fn five_files_in_a_commit_each(bencher: divan::Bencher, games: usize) {
    let dir = tempfile::tempdir().unwrap();
    let (archive, names) = site(dir.path(), games);
    let number = AtomicU64::new(0);
    bencher.counter(ItemsCount::new(games)).bench_local(|| {
        let number = number.fetch_add(1, Ordering::Relaxed);
        names.iter().for_each(|game| commit(&archive, game, number));
    });
}

/// How many syncs the commit of one game has: journal file, journal; status, mail; access, audit, ledger, the game's
/// directory, the outbox; journal.
const SYNCS: usize = 10;

/// What so many syncs cost here, one after the other.
#[divan::bench(sample_count = 50)]
fn ten_fsyncs(bencher: divan::Bencher) {
    let dir = tempfile::tempdir().unwrap();
    let mut files: Vec<File> = (0..SYNCS).map(|n| File::create(dir.path().join(format!("file{n}"))).unwrap()).collect();
    bencher.bench_local(|| {
        for file in &mut files {
            file.write_all(STATUS).unwrap();
            file.sync_data().unwrap();
        }
    });
}
