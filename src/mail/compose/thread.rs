//! Roots of threads: results of a game, press of a set of participants (operations.md 8.1 In-Reply-To, References).

use super::{Sender, atom};
use crate::mail::Thread;

/// The root of a thread of that game.
pub fn root(sender: &Sender, game: &str, thread: &Thread) -> String {
    match thread {
        Thread::Game => results_root(sender, game),
        Thread::Press(names) => press_root(sender, game, names),
    }
}

/// `<game.results@host>`
pub fn results_root(sender: &Sender, game: &str) -> String {
    format!("<{}.results@{}>", atom(game), sender.host())
}

/// `<game.press.hash@host>`: the hash is keyed and taken over the participants **as this reader is told them**, so that
/// it links nothing he is not told (OPS-065). Order and case of the names do not matter.
pub fn press_root(sender: &Sender, game: &str, claimed: &[String]) -> String {
    let mut names: Vec<String> = claimed.iter().map(|n| n.to_uppercase()).collect();
    names.sort();
    names.dedup();
    let mut parts = vec![game];
    parts.extend(names.iter().map(String::as_str));
    format!("<{}.press.{}@{}>", atom(game), sender.secret.mark("press", &parts, 16), sender.host())
}
