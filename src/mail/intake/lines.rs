//! Physical lines to command lines: what is command, what is press, what is neither (mail-commands.md 1.4, 1.5, 6.1).

use super::text::Physical;
use super::{Flag, Flags, Limits, Refusal};

/// One line for the interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Number of the line in the text of the mail, from 1, for answers.
    pub number: usize,
    /// The text: trimmed outside press, as delivered inside.
    pub text: String,
}

/// Header commands (mail-commands.md 3.1 and 7), synonyms included.
const HEADER_WORDS: [&str; 24] = [
    "SIGNON", "JOIN", "OBSERVE", "OBSERVER", "MONITOR", "TAKEOVER", "RESIGN", "LIST", "SEARCH", "SUMMARY", "HISTORY",
    "MAP", "CREATE", "PURGE", "RENAME", "SIGNOFF", "HELP", "REGISTER", "CONFIRM", "IAMALSO", "WHOAMI", "FORGET",
    "LURK", "WATCH",
];
/// Types of participants whose names, shortened to three letters or more, are header commands too.
const TYPES: [&str; 3] = ["OBSERVER", "MONITOR", "INVESTOR"];
/// Body commands (mail-commands.md 4), for the count of commands.
const BODY_WORDS: [&str; 41] = [
    "PRESS",
    "BROADCAST",
    "ENDPRESS",
    "ENDBROADCAST",
    "CLEAR",
    "PARTIAL",
    "STATUS",
    "SET",
    "VOTE",
    "PROPOSE",
    "WITHDRAW",
    "WHOGAME",
    "OFFICIAL",
    "FORM",
    "ACTIVATE",
    "WAIT",
    "TERMINATE",
    "PROCESS",
    "PROCESS!",
    "PREVIEW",
    "ROLLBACK",
    "ROLLFORWARD",
    "DUMMY",
    "REVIVE",
    "REVEAL",
    "EJECT",
    "PAUSE",
    "RESUME",
    "BECOME",
    "PREFER",
    "NAME:",
    "ZONE:",
    "LANGUAGE:",
    "END",
    "GIVE",
    "LOAN",
    "PHASE",
    "BOUNCE",
    "UNLIST",
    "LISTED",
    "UNLISTED",
];
/// Unrecognised lines tolerated before the first header command.
const MOST_GREETING: usize = 20;

/// The header command a word is, in upper case; types may be shortened.
pub fn header_word(word: &str) -> Option<&'static str> {
    let upper = word.to_ascii_uppercase();
    let exact = HEADER_WORDS.iter().find(|w| **w == upper).copied();
    exact.or_else(|| TYPES.iter().find(|t| upper.len() >= 3 && t.starts_with(&upper)).copied())
}

/// Turns the lines of the text into those of the interpreter.
pub(super) fn command_lines(
    physical: Vec<Physical>,
    limits: &Limits,
    flags: &mut Flags,
    skipped: &mut Vec<Line>,
) -> Result<Vec<Line>, Refusal> {
    let source = without_comments(physical, flags);
    let last_terminator = source.iter().rposition(|l| ends_press(&l.text).is_some());
    let mut out: Vec<Line> = Vec::new();
    let mut commands = 0;
    let mut press = false;
    // From here on a line is known that is no footer: saves looking again.
    let mut noisy = None;
    let mut at = 0;
    while let Some(line) = source.get(at) {
        let here = at;
        at += 1;
        let text = line.text.as_str();
        if press {
            if is_signature(text) && last_terminator.is_none_or(|last| last < here) {
                flags.insert(Flag::Signature);
                break;
            }
            let end = ends_press(text);
            let shown = if end.is_some() { text.trim() } else { text.trim_end() };
            push(&mut out, line.number, shown.to_owned(), limits)?;
            match end {
                Some(End::Message) => break,
                Some(End::Press) => press = false,
                None => {}
            }
            continue;
        }
        let command = blanks(text);
        if command.is_empty() {
            continue;
        }
        if is_quoted(&command) {
            flags.insert(Flag::Quotes);
            continue;
        }
        if is_signature(text) {
            flags.insert(Flag::Signature);
            break;
        }
        if starts_original(&command, source.get(at)) {
            flags.insert(Flag::Quotes);
            break;
        }
        if let Some(taken) = attribution(&command, &source, at) {
            flags.insert(Flag::Quotes);
            at += taken;
            continue;
        }
        if is_footer(&command) && only_tail(&source, at, &mut noisy) {
            flags.insert(Flag::Signature);
            continue;
        }
        let first = first_word(&command);
        if out.is_empty() {
            // VERSION opens many a line that is no command; alone it is one.
            if header_word(first).is_none() && !command.eq_ignore_ascii_case("VERSION") {
                if skipped.len() >= MOST_GREETING {
                    return Ok(Vec::new());
                }
                skipped.push(Line { number: line.number, text: command });
                continue;
            }
            if !skipped.is_empty() {
                flags.insert(Flag::GreetingSkipped);
            }
        }
        if is_command_word(first) {
            commands += 1;
            if commands > limits.commands {
                return Err(Refusal::TooComplex);
            }
        }
        press = matches!(first.to_ascii_uppercase().as_str(), "PRESS" | "BROADCAST");
        let end = matches!(ends_press(&command), Some(End::Message));
        push(&mut out, line.number, command, limits)?;
        if end {
            break;
        }
    }
    while out.last().is_some_and(|l| l.text.trim().is_empty()) {
        out.pop();
    }
    Ok(out)
}

fn push(out: &mut Vec<Line>, number: usize, text: String, limits: &Limits) -> Result<(), Refusal> {
    if out.len() >= limits.lines {
        return Err(Refusal::TooComplex);
    }
    out.push(Line { number, text });
    Ok(())
}

/// Lines beginning `//` vanish everywhere; lines beginning `\\` are split at the separator that follows.
fn without_comments(physical: Vec<Physical>, flags: &mut Flags) -> Vec<Physical> {
    let mut out = Vec::with_capacity(physical.len());
    for line in physical {
        if line.text.trim_start().starts_with("//") {
            continue;
        }
        let pager = line.text.trim_start().strip_prefix("\\\\").map(str::trim_start);
        let separator = pager.and_then(|p| p.chars().next()).filter(|c| !c.is_alphanumeric());
        match (pager, separator) {
            (Some(rest), Some(separator)) => {
                flags.insert(Flag::Pager);
                for piece in rest.split(separator).skip(1) {
                    if !piece.trim_start().starts_with("//") {
                        out.push(Physical { number: line.number, text: piece.to_owned() });
                    }
                }
            }
            _ => out.push(line),
        }
    }
    out
}

/// How a line ends press text.
enum End {
    /// ENDPRESS, ENDBROADCAST: commands follow.
    Press,
    /// SIGNOFF: nothing follows.
    Message,
}

/// Terminators as first word, whatever follows and whatever punctuation ends them; the two-word forms alone only.
fn ends_press(line: &str) -> Option<End> {
    let word = first_word(line.trim());
    let stripped = word.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    if word.len() <= 20 {
        match stripped.to_ascii_uppercase().as_str() {
            "ENDPRESS" | "ENDBROADCAST" => return Some(End::Press),
            "SIGNOFF" => return Some(End::Message),
            "END" | "SIGN" => {}
            _ => return None,
        }
    }
    let words: Vec<String> = line.split_whitespace().take(3).map(str::to_ascii_uppercase).collect();
    match words.as_slice() {
        [end, what] if end == "END" && (what == "PRESS" || what == "BROADCAST") => Some(End::Press),
        [sign, off] if sign == "SIGN" && off == "OFF" => Some(End::Message),
        _ => None,
    }
}

fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

fn is_command_word(word: &str) -> bool {
    header_word(word).is_some() || BODY_WORDS.contains(&word.to_ascii_uppercase().as_str())
}

/// Tabs made blanks, trimmed at both ends.
fn blanks(line: &str) -> String {
    line.replace('\t', " ").trim().to_owned()
}

fn is_quoted(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

/// Exactly `-- ` or `--`.
fn is_signature(line: &str) -> bool {
    line == "-- " || line == "--"
}

/// The line behind which a mail program puts the original of a top-posted answer.
fn starts_original(line: &str, next: Option<&Physical>) -> bool {
    const TITLES: [&str; 9] = [
        "original message",
        "original appointment",
        "ursprüngliche nachricht",
        "originalnachricht",
        "message d'origine",
        "message original",
        "mensaje original",
        "messaggio originale",
        "oorspronkelijk bericht",
    ];
    let lower = line.to_lowercase();
    if lower.starts_with("---") && lower.ends_with("---") {
        let title = lower.trim_matches(['-', ' ']);
        if TITLES.contains(&title) {
            return true;
        }
    }
    if line.len() >= 10 && line.bytes().all(|b| b == b'_') {
        return true;
    }
    let field = |text: &str, names: &[&str]| {
        let text = text.trim().trim_start_matches('*').to_lowercase();
        names.iter().any(|n| text.strip_prefix(n).is_some_and(|r| r.trim_start_matches(['*', ' ']).starts_with(':')))
    };
    field(line, &["from", "von", "de", "da", "van", "från"])
        && next.is_some_and(|n| {
            field(
                &n.text,
                &["sent", "date", "gesendet", "datum", "envoyé", "inviato", "enviado", "verzonden", "skickat"],
            )
        })
}

/// Whether the line introduces a quotation; how many of the next lines belong to it.
fn attribution(line: &str, source: &[Physical], next: usize) -> Option<usize> {
    const FORMS: [(&str, &[&str]); 13] = [
        ("on ", &["wrote:"]),
        ("am ", &["schrieb:", "schrieb"]),
        ("le ", &["a écrit :", "a écrit:", "a écrit\u{2009}:"]),
        ("el ", &["escribió:"]),
        ("il ", &["ha scritto:"]),
        ("em ", &["escreveu:"]),
        ("a ", &["escreveu:"]),
        ("op ", &["schreef"]),
        ("den ", &["skrev", "skrev:"]),
        ("w dniu ", &["pisze:", "napisał(a):", "napisał:", "napisała:"]),
        ("dnia ", &["napisał(a):", "napisał:", "napisała:"]),
        ("", &["kirjoitti:"]),
        ("", &["пишет:", "написал:", "написал(а):"]),
    ];
    let lower = line.to_lowercase();
    let verb = |text: &str, verbs: &[&str]| {
        text.ends_with(':') && verbs.iter().any(|v| text.contains(&format!(" {v}")) || text.starts_with(v))
    };
    for (start, verbs) in FORMS {
        if !lower.starts_with(start) {
            continue;
        }
        if verb(&lower, verbs) {
            return Some(0);
        }
        // Wrapped once: a date or address on the first line, the verb at the end of the second.
        let dated = lower.contains('@') || lower.bytes().any(|b| b.is_ascii_digit());
        let second = source.get(next).map(|l| l.text.trim().to_lowercase()).unwrap_or_default();
        if !start.is_empty() && start != "a " && dated && verb(&second, verbs) {
            return Some(1);
        }
    }
    let quoted_next =
        source.iter().skip(next).take(3).find(|l| !l.text.trim().is_empty()).is_some_and(|l| is_quoted(&l.text));
    (line.ends_with(':') && quoted_next).then_some(0)
}

/// One-line advertisements of mail programs.
fn is_footer(line: &str) -> bool {
    const STARTS: [&str; 19] = [
        "sent from my ",
        "sent from mail for ",
        "sent from outlook",
        "sent from yahoo",
        "sent from proton",
        "sent from samsung",
        "sent via ",
        "sent with ",
        "get outlook for ",
        "download outlook ",
        "von meinem ",
        "gesendet von ",
        "envoyé de mon ",
        "envoyé depuis ",
        "inviato da",
        "enviado desde ",
        "enviado do meu ",
        "verstuurd vanaf ",
        "skickat från min ",
    ];
    let lower = line.to_lowercase();
    STARTS.iter().any(|s| lower.starts_with(s))
        || (lower.starts_with("sendt fra min ") || lower.starts_with("yahoo mail: "))
}

/// Whether nothing but blank lines, quoted lines, further footers and a signature follow.
fn only_tail(source: &[Physical], from: usize, noisy: &mut Option<usize>) -> bool {
    if noisy.is_some_and(|n| n >= from) {
        return false;
    }
    for (at, line) in source.iter().enumerate().skip(from) {
        let text = blanks(&line.text);
        if is_signature(&line.text) || starts_original(&text, source.get(at + 1)) {
            return true;
        }
        let quiet =
            text.is_empty() || is_quoted(&text) || is_footer(&text) || attribution(&text, source, at + 1).is_some();
        if !quiet {
            // The second half of a wrapped attribution is reached only through its first.
            let wrapped =
                at > from && source.get(at - 1).is_some_and(|l| attribution(&blanks(&l.text), source, at) == Some(1));
            if !wrapped {
                *noisy = Some(at);
                return false;
            }
        }
    }
    true
}
