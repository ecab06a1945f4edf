//! What a commit costs above the bare calls that put the same bytes on the disk.
//!
//! The bare way writes, syncs and renames one status file, syncs its directory, and is not safe for more than one
//! file; a commit changes five (status, access, audit, ledger, a queued mail) together.

use chancery::archive::{Archive, Entry, Fs, GameName, Key, Transaction};
use chancery::site::Layout;
use std::io::Write;
use std::time::Duration;

fn main() {
    divan::main();
}

const STATUS: &[u8] = &[b'x'; 4000];

#[divan::bench(sample_count = 50)]
fn one_file_by_hand(bencher: divan::Bencher) {
    let dir = tempfile::tempdir().unwrap();
    bencher.bench_local(|| {
        let (draft, place) = (dir.path().join("draft"), dir.path().join("status"));
        let mut file = std::fs::File::create(&draft).unwrap();
        file.write_all(STATUS).unwrap();
        file.sync_data().unwrap();
        std::fs::rename(draft, place).unwrap();
        std::fs::File::open(dir.path()).unwrap().sync_all().unwrap();
    });
}

#[divan::bench(sample_count = 50)]
fn five_files_in_a_commit(bencher: divan::Bencher) {
    let dir = tempfile::tempdir().unwrap();
    let layout = Layout::plain(dir.path());
    for (directory, _) in layout.directories() {
        std::fs::create_dir_all(directory).unwrap();
    }
    let archive = Archive::new(layout, Fs::new(), 0);
    let game = GameName::new("demo").unwrap();
    drop(archive.lock_new(&game, Duration::ZERO).unwrap());
    let mut number = 0u64;
    bencher.bench_local(|| {
        number += 1;
        let time = chrono::DateTime::from_timestamp(1_795_231_770, 0).unwrap_or_default();
        let entry = Entry {
            key: Key::of("bench", &number.to_string()),
            time,
            game: Some("demo".into()),
            outcome: "executed".into(),
        };
        let mut change = Transaction::of_game(&game, "orders of FRANCE");
        change.replace("status", STATUS).unwrap().append("access", "a line\n").unwrap();
        change.enqueue(&format!("reply-{number}"), vec![b'y'; 1500]).unwrap().ledger(&entry);
        let lock = archive.lock(&game, Duration::ZERO).unwrap();
        archive.commit(&lock, change).unwrap()
    });
}
