//! What a mail costs on its way through the house. Goals (OPS, issue of the mail room): read, parsed and decided in less
//! than 200 µs; from the spool to a durable commit 300 a second for mails to different games, or within half as much
//! again as the bare fsyncs take; ten thousand queued notices handed to a local relay at 1,000 a second, in flat memory.

use chancery::archive::spool::Envelope;
use chancery::clerk::secrets::{Known, PhcSecrets};
use chancery::clerk::{Clerk, People};
use chancery::judge::session::{Sender, Tools};
use chancery::judge::{by_mail, commands};
use chancery::mail::intake::{Limits, Ourselves, read};
use chancery::mail::queue::{Head, Queued};
use chancery::site::{Beginnings, Site, init};
use chrono::{DateTime, Duration, Utc};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use fs2::FileExt;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use tempfile::TempDir;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

const ORDERS: &[u8] = include_bytes!("../tests/data/mail/01-plain-orders.eml");
const HTML: &[u8] = include_bytes!("../tests/data/mail/37-html-with-quote.eml");
const PARTS: &[u8] = include_bytes!("../tests/data/mail/03-multipart-alternative.eml");

fn we() -> Ourselves {
    Ourselves { addresses: vec!["judge@judge.example".into()], id: Some("CHCY".into()) }
}

fn intake(bytes: &[u8]) -> usize {
    read(black_box(bytes), &we(), &Limits::default()).map_or(0, |read| read.lines.len())
}

#[divan::bench]
fn plain_orders() -> usize {
    intake(ORDERS)
}

#[divan::bench]
fn html_with_quote() -> usize {
    intake(HTML)
}

#[divan::bench]
fn alternative() -> usize {
    intake(PARTS)
}

/// A site with so many games of seven, all begun.
struct House {
    place: TempDir,
    clerk: Clerk,
    now: DateTime<Utc>,
    /// The seat of the first player of each game, and the sheet he writes.
    sheets: Vec<String>,
    sent: i64,
}

impl House {
    fn new(games: usize, settings: Vec<(&'static str, &'static str)>) -> House {
        let place = tempfile::tempdir().expect("a temporary directory");
        let mut all =
            vec![("registry.mode", "\"none\""), ("games.create_limit", "0"), ("games.create_limit_per_master", "0")];
        all.extend(settings);
        init(place.path(), &Beginnings { settings: all, ..Beginnings::default() }).expect("site");
        let (site, _) = Site::open(place.path(), None, true).expect("site");
        let clerk = Clerk::open(site).expect("clerk");
        let now = DateTime::from_timestamp(1_772_438_400, 0).expect("time");
        let mut house = House { place, clerk, now, sheets: Vec::new(), sent: 0 };
        for game in 0..games {
            house.hand_in(
                &format!("m{game}@master.example"),
                &format!("CREATE war{game} heron-word\r\nFORM\r\nSIGNOFF"),
            );
            for n in 0..7 {
                house.hand_in(&format!("p{n}.{game}@player.example"), &format!("JOIN war{game} word-{n}\r\nSIGNOFF"));
            }
        }
        house.work();
        for game in 0..games {
            let name = house.clerk.existing(&format!("war{game}")).expect("game").expect("game");
            let loaded = house.clerk.load(&name, now).expect("game").expect("game");
            let address = format!("p0.{game}@player.example");
            let player = loaded.game().participants.iter().find(|p| p.address.contains(&address)).expect("a seat");
            let orders: Vec<String> = player.units.iter().map(|unit| format!("{unit} H")).collect();
            let seat = player.name.to_lowercase();
            house.sheets.push(format!("SIGNON {seat}@war{game} word-0\r\n{}\r\nSIGNOFF", orders.join("\r\n")));
        }
        house
    }

    fn message(&mut self, from: &str, text: &str) -> Vec<u8> {
        self.sent += 1;
        let (n, to) = (self.sent, &self.clerk.house().address);
        format!("From: <{from}>\r\nTo: {to}\r\nMessage-ID: <b{n}@{from}>\r\nSubject: orders\r\n\r\n{text}\r\n")
            .into_bytes()
    }

    fn hand_in(&mut self, from: &str, text: &str) {
        let message = self.message(from, text);
        let envelope = Envelope { from: Some(from.into()), to: Some(self.clerk.house().address.clone()) };
        self.clerk.archive.spool().store(message.as_slice(), &envelope, 1 << 20, self.clock()).expect("stored");
    }

    fn clock(&self) -> DateTime<Utc> {
        self.now + Duration::seconds(self.sent)
    }

    fn work(&self) -> usize {
        let worked = self.clerk.work(self.clock()).expect("worked");
        assert!(worked.held + worked.dead + worked.dropped == 0, "{worked:?}");
        worked.executed
    }
}

/// The bytes of a mail down to the decision about its game, with nothing read from or written to the disk.
#[divan::bench]
fn orders_read_parsed_and_decided(bencher: Bencher) {
    let mut house = House::new(1, Vec::new());
    let sheet = house.sheets[0].clone();
    let message = house.message("p0.0@player.example", &sheet);
    let name = house.clerk.existing("war0").expect("game").expect("game");
    let loaded = house.clerk.load(&name, house.now).expect("game").expect("game");
    let (known, people) = (Known::default(), People::new(&house.clerk.site));
    let ours = Ourselves { addresses: vec![house.clerk.house().address.clone()], id: None };
    let sender = Sender { address: "p0.0@player.example".into(), name: None, message_id: None };
    bencher.bench_local(|| {
        let mail = read(black_box(&message), &ours, &Limits::default()).expect("read");
        let lines: Vec<commands::Line> =
            mail.lines.iter().map(|l| commands::Line { number: l.number, text: l.text.clone() }).collect();
        let blocks = commands::read(&lines, &|word| word == "war0");
        let secrets = PhcSecrets::new(&known, [7; 32], 7);
        let tools = Tools { sender: &sender, secrets: &secrets, registry: &people };
        let mut table = loaded.table(house.clerk.house(), 7, house.now);
        let outcome = by_mail(&mut table, &blocks[0], &tools);
        assert!(outcome.decision.game.is_some(), "the orders are taken");
        outcome
    });
}

const GAMES: usize = 60;

/// A mail of orders to each of many games: read from the spool, decided, committed durably, its reply queued. The pages
/// are left to whoever holds their lock.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn spool_to_commit(bencher: Bencher) {
    let house = House::new(GAMES, Vec::new());
    let publisher = std::fs::File::create(house.clerk.site.layout.web.join(".lock")).expect("the pages' lock");
    publisher.lock_exclusive().expect("nobody publishes");
    mails_to_all(bencher, house);
}

/// The same with the pages of all games written afterwards.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn spool_to_commit_and_pages(bencher: Bencher) {
    mails_to_all(bencher, House::new(GAMES, Vec::new()));
}

fn mails_to_all(bencher: Bencher, house: House) {
    let house = std::cell::RefCell::new(house);
    bencher
        .counter(ItemsCount::new(GAMES))
        .with_inputs(|| {
            let mut house = house.borrow_mut();
            for game in 0..GAMES {
                let sheet = house.sheets[game].clone();
                house.hand_in(&format!("p0.{game}@player.example"), &sheet);
            }
        })
        .bench_local_values(|()| {
            let before = processor();
            assert_eq!(house.borrow().work(), GAMES);
            eprintln!("  {:?} of the processor for {GAMES} mails", processor() - before);
        });
}

/// The bare disk: as many appends with fsync as those commits wait for, one after the other.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn bare_fsyncs_of_as_many_commits(bencher: Bencher) {
    let place = tempfile::tempdir().expect("a temporary directory");
    let mut file = std::fs::File::create(place.path().join("file")).expect("file");
    bencher.counter(ItemsCount::new(GAMES)).bench_local(|| {
        for _ in 0..GAMES * 5 {
            file.write_all(&[b'x'; 1024]).expect("written");
            file.sync_all().expect("synced");
        }
    });
}

const NOTICES: usize = 10_000;

/// Ten thousand notices of a round, queued, to a relay on this machine; resident memory before and at its highest.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn queue_to_local_relay(bencher: Bencher) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("a port").port().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(|| swallow(stream));
        }
    });
    let port: &'static str = port.leak();
    let settings = vec![
        ("mail.out.transport", "\"smtp\""),
        ("mail.out.smtp.host", "\"127.0.0.1\""),
        ("mail.out.smtp.tls", "\"none\""),
        ("mail.out.rate", "\"1000000/s\""),
        ("mail.out.smtp.port", port),
    ];
    let house = House::new(0, settings);
    let message =
        format!("To: <x@player.example>\r\nSubject: results\r\n\r\n{}", "A line of a report.\r\n".repeat(200));
    bencher
        .counter(ItemsCount::new(NOTICES))
        .with_inputs(|| {
            for n in 0..NOTICES {
                let id = format!("{:016}-{n:04x}", house.now.timestamp_micros());
                let head = Head {
                    id: id.clone(),
                    from: "judge@localhost.localdomain".into(),
                    to: vec![format!("p{}@player.example", n % 700)],
                    game: Some(format!("war{}", n / 7 % 100)),
                    kind: "N17".into(),
                    created: house.now,
                    not_before: house.now,
                    tries: 0,
                    last_error: None,
                    expires: None,
                };
                let bytes = Queued { head, message: message.clone().into_bytes() }.encode();
                std::fs::write(house.place.path().join(format!("outbox/new/{id}.msg")), bytes).expect("queued");
            }
            memory("VmRSS")
        })
        .bench_local_values(|before| {
            let (mut sent, begun) = (0, processor());
            while sent < NOTICES {
                let round = house.clerk.send(house.now).expect("sent");
                assert!(!round.sent.is_empty(), "{round:?}");
                sent += round.sent.len();
            }
            let (most, time) = (memory("VmHWM"), processor() - begun);
            eprintln!(
                "  resident: {before} KiB before, {most} KiB at most; {time:?} of the processor, the relay's included"
            );
        });
}

/// Time that the processor has spent on this process, whatever else the machine does meanwhile; in hundredths of a second.
fn processor() -> std::time::Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<u64> =
        stat.rsplit(") ").next().unwrap_or("").split(' ').skip(11).take(2).flat_map(str::parse).collect();
    std::time::Duration::from_millis(fields.iter().sum::<u64>() * 10)
}

fn memory(what: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix(what)?.split_whitespace().nth(1)?.parse().ok());
    line.unwrap_or(0)
}

/// A relay that takes everything.
fn swallow(stream: TcpStream) {
    let mut answer = stream.try_clone().expect("a handle");
    let mut lines = BufReader::new(stream);
    let (mut line, mut data) = (Vec::new(), false);
    if answer.write_all(b"220 sink\r\n").is_err() {
        return;
    }
    while lines.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
        let reply: &[u8] = if data {
            data = line != b".\r\n";
            if data { b"" } else { b"250 taken\r\n" }
        } else if line.starts_with(b"DATA") {
            data = true;
            b"354 go on\r\n"
        } else {
            b"250 sink\r\n"
        };
        line.clear();
        if !reply.is_empty() && answer.write_all(reply).is_err() {
            return;
        }
    }
}
