//! What a mail costs: from the spool to a durable commit with its replies queued, the same without the disk, and the
//! bare fsyncs that such a commit has to wait for.

use chancery::archive::spool::Envelope;
use chancery::clerk::Clerk;
use chancery::mail::intake::{self, Limits, Ourselves};
use chancery::site::{Beginnings, Site, init};
use chrono::{DateTime, Duration, Utc};
use divan::{Bencher, black_box};
use std::cell::Cell;
use std::io::Write;
use tempfile::TempDir;

fn main() {
    divan::main();
}

/// A site with a game of seven; every call hands a sheet of orders in.
struct Bench {
    _place: TempDir,
    clerk: Clerk,
    now: DateTime<Utc>,
    mails: Cell<i64>,
    seat: String,
    orders: Vec<String>,
}

impl Bench {
    fn new() -> Bench {
        let place = tempfile::tempdir().expect("a temporary directory");
        let beginnings = Beginnings { settings: vec![("registry.mode", "\"none\"")], ..Beginnings::default() };
        init(place.path(), &beginnings).expect("site");
        let (site, _) = Site::open(place.path(), None, true).expect("site");
        let clerk = Clerk::open(site).expect("clerk");
        let now = DateTime::from_timestamp(1_772_438_400, 0).expect("time");
        let mut bench =
            Bench { _place: place, clerk, now, mails: Cell::new(0), seat: String::new(), orders: Vec::new() };
        bench.hand_in("m@master.example", "CREATE war heron-word\r\nFORM\r\nSIGNOFF");
        for n in 0..7 {
            bench.hand_in(&format!("p{n}@player.example"), &format!("JOIN war word-{n}\r\nSIGNOFF"));
        }
        bench.work();
        let name = bench.clerk.existing("war").expect("game").expect("game");
        let loaded = bench.clerk.load(&name, now).expect("game").expect("game");
        let player = loaded.game().participants.iter().find(|p| p.address.iter().any(|a| a == "p0@player.example"));
        let player = player.expect("the player has a seat");
        bench.seat = player.name.clone();
        bench.orders = player.units.iter().map(|unit| format!("{unit} H")).collect();
        bench
    }

    fn orders(&self) -> String {
        format!("SIGNON {}@war word-0\r\n{}\r\nSIGNOFF", self.seat.to_lowercase(), self.orders.join("\r\n"))
    }

    fn message(&self, from: &str, text: &str) -> Vec<u8> {
        let n = self.mails.get() + 1;
        self.mails.set(n);
        let to = &self.clerk.house().address;
        format!("From: <{from}>\r\nTo: {to}\r\nMessage-ID: <b{n}@{from}>\r\nSubject: orders\r\n\r\n{text}\r\n")
            .into_bytes()
    }

    fn hand_in(&self, from: &str, text: &str) {
        let envelope = Envelope { from: Some(from.into()), to: Some(self.clerk.house().address.clone()) };
        let message = self.message(from, text);
        self.clerk.archive.spool().store(message.as_slice(), &envelope, 1 << 20, self.clock()).expect("stored");
    }

    fn clock(&self) -> DateTime<Utc> {
        self.now + Duration::seconds(self.mails.get())
    }

    fn work(&self) {
        let worked = self.clerk.work(self.clock()).expect("worked");
        assert!(worked.executed > 0 && worked.held + worked.dead + worked.dropped == 0, "{worked:?}");
    }
}

/// One mail of orders: stored in the spool before, then read, executed, committed durably, its reply queued.
#[divan::bench(sample_count = 50, sample_size = 1)]
fn orders_mail_from_spool_to_commit(bencher: Bencher) {
    let bench = Bench::new();
    bencher.with_inputs(|| bench.hand_in("p0@player.example", &bench.orders())).bench_local_values(|()| bench.work());
}

/// Reading the same mail down to its command lines, without the disk.
#[divan::bench]
fn orders_mail_read(bencher: Bencher) {
    let bench = Bench::new();
    let message = bench.message("p0@player.example", &bench.orders());
    let we = Ourselves { addresses: vec![bench.clerk.house().address.clone()], id: None };
    let limits = Limits::default();
    bencher.bench_local(|| intake::read(black_box(&message), &we, &limits).expect("read"));
}

/// The bare disk: as many writes with fsync, one after the other, as a commit waits for (journal, its directory,
/// contents, places, removal).
#[divan::bench(sample_count = 50, sample_size = 1)]
fn five_bare_fsyncs(bencher: Bencher) {
    let place = tempfile::tempdir().expect("a temporary directory");
    let mut file = std::fs::File::create(place.path().join("file")).expect("file");
    bencher.bench_local(|| {
        for _ in 0..5 {
            file.write_all(&[b'x'; 1024]).expect("written");
            file.sync_all().expect("synced");
        }
    });
}

/// The sample game from the first mail to the last, 34 phases on a new site.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn the_sample_game(bencher: Bencher) {
    bencher.with_inputs(|| tempfile::tempdir().expect("a temporary directory")).bench_local_values(|place| {
        let beginnings = Beginnings { settings: vec![("registry.mode", "\"none\"")], ..Beginnings::default() };
        init(place.path(), &beginnings).expect("site");
        let (site, _) = Site::open(place.path(), None, true).expect("site");
        let clerk = std::sync::Arc::new(Clerk::open(site).expect("clerk"));
        let mut quiet = |_: &str| ();
        let summary =
            chancery::demo::Demo::new(&clerk, &mut quiet).and_then(chancery::demo::Demo::play).expect("played");
        assert_eq!((summary.phases, summary.differences.len()), (34, 0));
        place
    });
}
