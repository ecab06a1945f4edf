//! The running game of the fixture, alone, as the tests of the clock play it.

use super::{Sent, Site, plain, said};
use chancery::status::Game;

/// Its name.
pub const GAME: &str = "balkan9";
/// Its Master signs on.
pub const MASTER: &str = "SIGNON M@balkan9 gm-secret";
/// So does France.
pub const FRANCE: &str = "SIGNON F@balkan9 le-secret";

/// One round; what it said.
pub fn tick(site: &Site, clock: &str) -> String {
    said(&site.run(&["tick", "--no-guard", "--clock", clock], b""))
}

/// The fixture's running game alone, changed.
pub fn site_with(rules: &[&str], change: impl FnOnce(&mut Game)) -> Site {
    Site::alone(GAME, |game| {
        game.rules.extend(rules.iter().map(|rule| rule.to_string()));
        change(game);
    })
}

/// Somebody (a local part, or an address) mails these lines; what is mailed then.
pub fn say(site: &Site, who: &str, clock: &str, lines: &str) -> Vec<Sent> {
    let from = if who.contains('@') { who.to_owned() } else { format!("{who}@example.org") };
    site.deliver_at(plain(&from, clock, &format!("{lines}\nSIGNOFF")).as_bytes(), clock)
}

/// Without its line ends.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of the answer, in one line.
pub fn reply(sent: &[Sent]) -> String {
    one_line(&sent.iter().find(|mail| mail.is_reply()).expect("a reply").text)
}

/// All mails of that notice that have left by then.
pub fn mails(site: &Site, clock: &str, notice: &str) -> Vec<Sent> {
    said(&site.run(&["send", "--clock", clock], b""));
    site.sent().into_iter().map(|(_, mail)| mail).filter(|mail| mail.notice == notice).collect()
}

/// The deadline, `yyyymmddhhmm`.
pub fn stands(site: &Site) -> Option<String> {
    site.game(GAME).deadline.map(|deadline| deadline.format("%Y%m%d%H%M").to_string())
}
