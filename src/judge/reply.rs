//! The one reply to a message (mail-commands.md 5): line by line what was done and what was not, never a password.

use super::code::{Code, Refusal};
use super::commands::Line;
use serde::{Deserialize, Serialize};

/// Columns of text that is filled: a window of eighty with a quotation mark in front.
const WIDTH: usize = 72;

/// How a line fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    /// Done.
    Ok,
    /// An order that is right by itself, but nothing was stored.
    Good,
    /// Refused.
    Error,
    /// Not done because of another line.
    Skip,
    /// Remark.
    Warn,
}

/// One line of the reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Line number in the message; 0: none.
    pub number: usize,
    /// How it fared.
    pub mark: Mark,
    /// What was written or done, passwords masked.
    pub text: String,
    /// Code and sentence.
    pub detail: Option<(String, String)>,
}

/// What one block adds to the reply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// Game it was about.
    pub game: Option<String>,
    /// Entries in line order.
    pub entries: Vec<Entry>,
    /// Paragraphs behind the entries.
    pub paragraphs: Vec<String>,
    /// Addresses on file that get the same text because the mail came from elsewhere.
    pub copies: Vec<String>,
    /// Whether orders were handed in: the reply then is the confirmation N12.
    pub confirms_orders: bool,
    /// No reply although the message was read (lone SIGNOFF).
    pub silent: bool,
    /// For the log and the ledger: what happened in a word.
    pub outcome: String,
}

impl Reply {
    /// Adds an entry.
    pub fn note(&mut self, number: usize, mark: Mark, text: impl Into<String>) {
        self.entries.push(Entry { number, mark, text: text.into(), detail: None });
    }
    /// Adds an entry with code and sentence.
    pub fn detail(&mut self, number: usize, mark: Mark, text: impl Into<String>, code: &str, sentence: &str) {
        self.entries.push(Entry {
            number,
            mark,
            text: text.into(),
            detail: Some((code.to_string(), sentence.to_string())),
        });
    }
    /// Adds a refusal of a line.
    pub fn refuse(&mut self, line: &Line, refusal: &Refusal) {
        self.detail(line.number, Mark::Error, masked(&line.text), refusal.code.name(), &refusal.sentence);
    }
    /// Adds a warning about a line.
    pub fn warn(&mut self, line: &Line, code: Code, sentence: &str) {
        self.detail(line.number, Mark::Warn, masked(&line.text), code.name(), sentence);
    }
    /// Whether something was refused with that code.
    pub fn refused_as(&self, code: Code) -> bool {
        let is = |e: &Entry| e.mark == Mark::Error && e.detail.as_ref().is_some_and(|(c, _)| c == code.name());
        self.entries.iter().any(is)
    }
    /// Whether anything was refused.
    pub fn has_errors(&self) -> bool {
        self.entries.iter().any(|e| e.mark == Mark::Error)
    }
    /// The text of this block's part.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut entries: Vec<&Entry> = self.entries.iter().collect();
        entries.sort_by_key(|e| e.number);
        for entry in entries {
            let number = if entry.number == 0 { String::new() } else { format!("line {}", entry.number) };
            let mark = match entry.mark {
                Mark::Ok => "ok",
                Mark::Good => "good",
                Mark::Error => "ERROR",
                Mark::Skip => "skip",
                Mark::Warn => "note",
            };
            let tail = if entry.mark == Mark::Good { "   (not stored)" } else { "" };
            let line = format!("{number:<8} {mark:<5} {}{tail}", entry.text);
            out += &super::post::wrap(line.trim_end(), WIDTH, 15);
            out.push('\n');
            if let Some((code, sentence)) = &entry.detail {
                out += &super::post::wrap(&format!("               {code}  {sentence}"), WIDTH, 15);
                out.push('\n');
            }
        }
        for paragraph in &self.paragraphs {
            out.push('\n');
            // Lists keep their lines; prose is filled where it runs too wide.
            for line in paragraph.trim_end().lines() {
                let indent = line.chars().take_while(|c| *c == ' ').count();
                let wide = line.chars().count() > WIDTH;
                out += &if wide { super::post::wrap(line, WIDTH, indent) } else { line.to_string() };
                out.push('\n');
            }
        }
        out
    }
}

/// The whole reply to a message: subject and text.
pub fn compose(parts: &[Reply], subject: &str, house: &super::table::House) -> (String, String) {
    let mut text = String::new();
    for (n, part) in parts.iter().enumerate() {
        if n > 0 {
            text += "\n------------------------------------------------------------\n\n";
        }
        text += &part.text();
    }
    text += &format!(
        "\n{} ({})  {}\nA mail that begins with HELP is answered with all commands.\n",
        house.nick, house.id, house.url
    );
    let game = parts.iter().find_map(|p| p.game.as_deref());
    let tag = match game {
        Some(game) => format!("[{} {game}]", house.id),
        None => format!("[{}]", house.id),
    };
    // A subject that holds a sign-on would carry a password back (mail-commands.md 5.2).
    let clean: String = subject.chars().filter(|c| !c.is_control()).take(120).collect();
    let clean = clean.trim();
    let risky = clean.split_whitespace().any(|w| SECRET_COMMANDS.iter().any(|c| w.eq_ignore_ascii_case(c)));
    let subject = if clean.is_empty() || risky {
        format!("Your mail to the judge {tag}")
    } else if clean.to_ascii_lowercase().starts_with("re:") {
        format!("{clean} {tag}")
    } else {
        format!("Re: {clean} {tag}")
    };
    (subject, text)
}

/// Commands whose line holds a password or a privacy word.
const SECRET_COMMANDS: [&str; 14] = [
    "SIGNON", "JOIN", "OBSERVE", "OBSERVER", "OBS", "WATCH", "MONITOR", "MON", "LURK", "TAKEOVER", "RESIGN", "CREATE",
    "PURGE", "RENAME",
];

/// A command line with every password and privacy word replaced by `****`.
pub fn masked(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let first = words.first().map(|w| w.to_uppercase()).unwrap_or_default();
    let second = words.get(1).map(|w| w.to_uppercase()).unwrap_or_default();
    let from = match first.as_str() {
        "RENAME" => 3,
        "SET" if second == "PASSWORD" => 2,
        "REVIVE" => 2,
        "CONFIRM" => 1,
        "PASSWORD" | "PRIVATE" | "PRIVACY" => 1,
        word if SECRET_COMMANDS.contains(&word) || word == "INVESTOR" || word == "INV" => 2,
        // A slip of the hand must not give a password away.
        _ => match super::unknown::hides_password(line) {
            Some(from) => from,
            None => return line.to_string(),
        },
    };
    if words.len() <= from {
        return line.to_string();
    }
    let mut out = words[..from].join(" ");
    for _ in from..words.len() {
        out += " ****";
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_masked() {
        assert_eq!(masked("SIGNON Fdemo le-secret"), "SIGNON Fdemo ****");
        assert_eq!(masked("join priv1 mypass7 Sesam"), "join priv1 **** ****");
        assert_eq!(masked("set password newone"), "set password ****");
        assert_eq!(masked("A par - bur"), "A par - bur");
        assert_eq!(masked("RENAME a b pw"), "RENAME a b ****");
    }
}
