//! How long the intake takes. Goal: an orders mail read in far less than the 200 µs that reading, parsing and deciding
//! may take together.

use chancery::mail::intake::{Limits, Ourselves, read};
use divan::black_box;

fn main() {
    divan::main();
}

const ORDERS: &[u8] = include_bytes!("../tests/data/mail/01-plain-orders.eml");
const HTML: &[u8] = include_bytes!("../tests/data/mail/37-html-with-quote.eml");
const PARTS: &[u8] = include_bytes!("../tests/data/mail/03-multipart-alternative.eml");

fn intake(bytes: &[u8]) -> usize {
    let we = Ourselves { addresses: vec!["judge@judge.example".into()], id: Some("CHCY".into()) };
    read(black_box(bytes), &we, &Limits::default()).map_or(0, |read| read.lines.len())
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
