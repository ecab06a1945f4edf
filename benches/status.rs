//! How long a status file takes: reading, editing one value, the canonical rewrite. Throughput is in the file's bytes.

use chancery::diplomacy::geography::examine;
use chancery::diplomacy::map::library::BuiltIn;
use chancery::status::Document;
use divan::counter::BytesCount;
use divan::{Bencher, black_box};

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

/// About 10 KiB: a game with long order lists.
fn file() -> String {
    let base = include_str!("../tests/data/status/hexham.status");
    let lines = (0..).map(|n| format!("MSG Line {n} of a rather talkative Master to his players.\n"));
    let mut extra = String::new();
    for line in lines {
        if base.len() + extra.len() >= 10 << 10 {
            break;
        }
        extra.push_str(&line);
    }
    base.replace("MSG Please", &format!("{extra}MSG Please"))
}

#[divan::bench]
fn parse(bencher: Bencher) {
    let text = file();
    bencher.counter(BytesCount::of_str(&text)).bench(|| Document::parse(black_box(text.as_bytes())));
}

#[divan::bench]
fn update_one_value(bencher: Bencher) {
    let text = file();
    let document = Document::parse(text.as_bytes()).unwrap();
    let mut game = document.game().clone();
    game.delay = 24;
    bencher.counter(BytesCount::of_str(&text)).with_inputs(|| document.clone()).bench_values(|mut document| {
        document.update(black_box(&game)).unwrap();
        document
    });
}

#[divan::bench]
fn canonical(bencher: Bencher) {
    let text = file();
    let document = Document::parse(text.as_bytes()).unwrap();
    bencher.counter(BytesCount::of_str(&text)).bench(|| black_box(&document).canonical());
}

#[divan::bench]
fn with_map_and_rules(bencher: Bencher) {
    let text = file();
    let document = Document::parse(text.as_bytes()).unwrap();
    bencher.counter(BytesCount::of_str(&text)).bench(|| examine(black_box(&document), None, &BuiltIn));
}
