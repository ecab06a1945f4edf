//! The `press` file of a game as messages of a saved game, and back (saved-game-json.md 1.3, 3).
//!
//! The file has no times. Times of messages that came with a saved game are kept beside it ([`TIMES`]); the others are
//! laid just before the moment in which their phase was processed, so that the same file gives the same messages.

use crate::diplomacy::map::Map;
use crate::diplomacy::saved_game::Message;
use crate::judge::post::and_list;

/// The file with the times of the first entries of `press`, a line each, in microseconds since 1970.
pub const TIMES: &str = "press.times";
/// Who the Master is in the `press` file.
pub const MASTER: &str = "MASTER";
/// The Master, and the judge, in a saved game.
const SYSTEM: &str = "SYSTEM";
/// Everybody in a saved game.
const GLOBAL: &str = "GLOBAL";

/// An entry of the `press` file, as it was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// Number in the file, from 0.
    number: usize,
    phase: String,
    /// `None`: anonymous.
    from: Option<String>,
    /// Whether it was sent under that name, to those readers.
    open: bool,
    /// Empty: to all.
    to: Vec<String>,
    text: String,
}

/// Reads the file; entries begin with `:: phase SENDER reader… [| claimed-sender claimed-reader…]`, their second line is
/// the headline of the mail.
fn entries(file: &str) -> Vec<Entry> {
    let mut all: Vec<(Option<Entry>, Vec<&str>)> = Vec::new();
    for line in file.lines() {
        match line.strip_prefix(":: ") {
            Some(head) => all.push((entry(head, all.len()), Vec::new())),
            None => {
                if let Some((_, lines)) = all.last_mut() {
                    lines.push(line);
                }
            }
        }
    }
    let whole = |(entry, lines): (Option<Entry>, Vec<&str>)| {
        let text = lines.get(1..).unwrap_or_default().join("\n").trim_matches('\n').to_owned();
        entry.map(|entry| Entry { text, ..entry }).filter(|entry| !entry.text.is_empty())
    };
    all.into_iter().filter_map(whole).collect()
}

fn entry(head: &str, number: usize) -> Option<Entry> {
    let (truth, claim) = match head.split_once('|') {
        Some((truth, claim)) => (truth, Some(claim)),
        None => (head, None),
    };
    let all = |words: &[&str]| matches!(words, [one] if one.eq_ignore_ascii_case("ALL"));
    let readers = |words: &[&str]| match all(words) {
        true => Vec::new(),
        false => words.iter().map(|w| (*w).to_owned()).collect(),
    };
    let truth: Vec<&str> = truth.split_whitespace().collect();
    let [phase, sender, to @ ..] = truth.as_slice() else { return None };
    let phase = (*phase).to_owned();
    let entry =
        Entry { number, phase, from: Some((*sender).to_owned()), open: true, to: readers(to), text: String::new() };
    let Some(claim) = claim else { return Some(entry) };
    let claim: Vec<&str> = claim.split_whitespace().collect();
    let [shown, shown_to @ ..] = claim.as_slice() else { return None };
    let from = (!shown.eq_ignore_ascii_case("SOMEBODY")).then(|| (*shown).to_owned());
    let open = from.as_deref() == Some(*sender) && all(to) == all(shown_to);
    Some(Entry { from, open, to: readers(shown_to), ..entry })
}

/// The messages of a game, one a reader, by phase: broadcasts with an openly shown sender, or all press as it was shown.
/// `moments` are the phases with the microsecond at which each was processed; the last has none yet. `begun`: no message
/// is older.
pub fn messages(
    map: &Map,
    file: &str,
    times: &str,
    private: bool,
    begun: i64,
    moments: &[(String, Option<i64>)],
) -> Vec<(String, Message)> {
    let times: Vec<i64> = times.lines().map_while(|line| line.trim().parse().ok()).collect();
    let shown =
        |key: &str| if key == MASTER { Some(SYSTEM.to_owned()) } else { map.power(key).map(|_| key.to_owned()) };
    let mut all: Vec<(String, Message, Option<i64>)> = Vec::new();
    for entry in entries(file) {
        if !(private || entry.open && entry.to.is_empty()) {
            continue;
        }
        // Observers, and players who had no power yet, are nobody here.
        let Some(sender) = entry.from.as_deref().map_or(Some(SYSTEM.to_owned()), shown) else { continue };
        let readers: Vec<String> = match entry.to.as_slice() {
            [] => vec![GLOBAL.to_owned()],
            some => some.iter().filter(|key| map.power(key).is_some()).cloned().collect(),
        };
        for recipient in readers {
            let (sender, text) = (sender.clone(), entry.text.clone());
            let message = Message { sender, recipient, time_sent: 0, phase: String::new(), message: text };
            all.push((entry.phase.clone(), message, times.get(entry.number).copied()));
        }
    }
    let mut out = Vec::new();
    let mut latest = begun;
    for (phase, moment) in moments {
        let mine: Vec<_> = all.iter().filter(|(of, _, _)| of == phase).collect();
        for (at, (of, message, known)) in mine.iter().enumerate() {
            let before_end = moment.map(|moment| moment.saturating_sub((mine.len() - at) as i64));
            let time_sent = known.or(before_end).unwrap_or(latest).max(latest.saturating_add(1));
            latest = time_sent;
            out.push((of.clone(), Message { time_sent, ..message.clone() }));
        }
        latest = latest.max(moment.unwrap_or(latest));
    }
    out
}

/// The entry of the `press` file that a message becomes; `None`: its sender or reader is nobody of the map.
pub fn filed(map: &Map, game: &str, phase: &str, message: &Message) -> Option<String> {
    let title = |key: &str| match key {
        SYSTEM => Some("Master".to_owned()),
        _ => map.power(key).map(|power| map[power].title.clone()),
    };
    let key = |key: &str| if key == SYSTEM { MASTER.to_owned() } else { key.to_owned() };
    let from = title(&message.sender)?;
    let (reader, headline) = match message.recipient.as_str() {
        GLOBAL => ("All".to_owned(), format!("Broadcast message from {from} in {game}:")),
        to => (key(to), format!("Message from {from} to {} in {game}:", and_list(&[title(to)?]))),
    };
    let plain = |c: char| !c.is_control() || c == '\n' || c == '\t';
    let text: String = message.message.replace("\r\n", "\n").chars().filter(|c| plain(*c)).collect();
    // A line of the text that looks like an entry head is shifted by a blank.
    let lines = text.trim_matches('\n').lines();
    let text: String = lines.map(|l| if l.starts_with(":: ") { format!(" {l}\n") } else { format!("{l}\n") }).collect();
    Some(format!(":: {phase} {} {reader}\n{headline}\n\n{text}\n", key(&message.sender)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
:: FORMING POWER#3 All\nBroadcast message from Power#3 in x:\n\nGood evening.\n\n\
:: S1901M FRANCE All\nBroadcast message from France in x:\n\nHello, world.\n\n\
:: S1901M FRANCE ENGLAND ITALY\nMessage from France to England and Italy in x:\n\nprivate-1\n\n\
:: S1901M ITALY All | Somebody All\nBroadcast message in x:\n\nGuess who.\n\n\
:: S1901M ITALY All | TURKEY All\nBroadcast message from Turkey in x:\n\nfalse-2\n\n\
:: S1901M ITALY MASTER\nMessage from Italy to Master in x:\n\nprivate-3\n\n\
:: F1901M MASTER All\nBroadcast message from Master in x:\n\nA year more.\n";

    fn moments() -> Vec<(String, Option<i64>)> {
        vec![("S1901M".into(), Some(5_000_000)), ("F1901M".into(), None)]
    }

    #[test]
    fn only_open_broadcasts_unless_asked() {
        let map = Map::builtin("standard").unwrap();
        let said = messages(&map, FILE, "", false, 0, &moments());
        let told: Vec<_> = said.iter().map(|(_, m)| (m.sender.as_str(), m.time_sent, m.message.as_str())).collect();
        assert_eq!(told, [("FRANCE", 4_999_999, "Hello, world."), ("SYSTEM", 5_000_001, "A year more.")]);
        let all = messages(&map, FILE, "7\n7\n8\n9\n", true, 0, &moments());
        let told: Vec<_> = all.iter().map(|(_, m)| (m.sender.as_str(), m.recipient.as_str(), m.time_sent)).collect();
        let want = [
            ("FRANCE", "GLOBAL", 7),
            ("FRANCE", "ENGLAND", 8),
            ("FRANCE", "ITALY", 9),
            ("SYSTEM", "GLOBAL", 10),
            ("TURKEY", "GLOBAL", 4_999_999),
            ("SYSTEM", "GLOBAL", 5_000_001),
        ];
        assert_eq!(told, want);
        assert!(all.iter().all(|(_, m)| m.message != "private-3"));
    }

    #[test]
    fn what_is_filed_is_read_again() {
        let map = Map::builtin("standard").unwrap();
        let message = |sender: &str, recipient: &str, text: &str| Message {
            sender: sender.into(),
            recipient: recipient.into(),
            message: text.into(),
            ..Message::default()
        };
        let text = "One.\n\n:: S1901M FRANCE All\nTwo\u{7}.\r\n";
        let file = filed(&map, "x", "S1901M", &message("ITALY", "ENGLAND", text)).unwrap();
        let read = entries(&file);
        assert_eq!(read.len(), 1, "{file}");
        assert_eq!(read[0].text, "One.\n\n :: S1901M FRANCE All\nTwo.");
        assert_eq!(filed(&map, "x", "S1901M", &message("OBSERVER", "GLOBAL", "x")), None);
    }
}
