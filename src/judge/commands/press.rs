//! Press as written: options, and where its text ends (mail-commands.md 6.1).

use super::Line;
use crate::judge::code::{Code, Refusal, refuse};

/// For whom press is meant, before the names are looked up.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Audience {
    /// BROADCAST, `TO ALL`
    #[default]
    All,
    /// `TO list`: words as typed, upper case
    List(String),
    /// `TO ALL BUT list`, `-list`
    AllBut(String),
}

/// Whom it claims to come from.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Claim {
    /// Nothing said: by the rules of the game.
    #[default]
    Plain,
    /// WHITE
    White,
    /// GREY
    Grey,
    /// FROM power
    From(String),
}

/// The options of a PRESS or BROADCAST line.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PressOptions {
    /// Readers.
    pub to: Audience,
    /// Claimed readers (FAKE TO, FAKE BROADCAST).
    pub fake_to: Option<Audience>,
    /// Claimed sender.
    pub claim: Claim,
    /// No echo.
    pub quiet: bool,
}

/// A block of press.
#[derive(Clone, Debug, PartialEq)]
pub struct PressBlock {
    /// The PRESS or BROADCAST line.
    pub line: Line,
    /// Its options, or what is wrong with them.
    pub options: Result<PressOptions, Refusal>,
    /// The text, trailing blank lines removed.
    pub text: Vec<String>,
}

/// Reads the words after PRESS or BROADCAST.
pub fn options(words: &[&str], broadcast: bool) -> Result<PressOptions, Refusal> {
    let mut options = PressOptions::default();
    let mut to: Option<Audience> = None;
    let mut at = 0;
    let upper: Vec<String> = words.iter().map(|w| w.to_uppercase()).collect();
    while at < upper.len() {
        let word = upper[at].as_str();
        match word {
            "QUIET" if !options.quiet => options.quiet = true,
            "WHITE" if options.claim == Claim::Plain => options.claim = Claim::White,
            "GREY" | "GRAY" if options.claim == Claim::Plain => options.claim = Claim::Grey,
            "FROM" if options.claim == Claim::Plain => {
                at += 1;
                let Some(power) = upper.get(at) else {
                    return refuse(Code::PressSyntax, "FROM needs the name of a power.");
                };
                options.claim = Claim::From(power.clone());
            }
            "FAKE" => {
                at += 1;
                match upper.get(at).map(String::as_str) {
                    Some("FROM") if options.claim == Claim::Plain => {
                        at += 1;
                        let Some(power) = upper.get(at) else {
                            return refuse(Code::PressSyntax, "FAKE FROM needs the name of a power.");
                        };
                        options.claim = Claim::From(power.clone());
                    }
                    Some("BROADCAST") if options.fake_to.is_none() => options.fake_to = Some(Audience::All),
                    Some(other) if options.fake_to.is_none() && (other == "TO" || other.starts_with('+')) => {
                        options.fake_to = Some(audience(&upper, &mut at)?);
                    }
                    _ => {
                        return refuse(
                            Code::PressSyntax,
                            "After FAKE say TO and readers, FROM and a power, or BROADCAST.",
                        );
                    }
                }
            }
            _ if to.is_none() && !broadcast && (word == "TO" || word.starts_with(['+', '-'])) => {
                to = Some(audience(&upper, &mut at)?);
            }
            _ if broadcast && word == "TO" => {
                return refuse(Code::PressSyntax, "A BROADCAST goes to everybody; to choose readers say PRESS TO.");
            }
            _ => {
                return refuse(
                    Code::PressSyntax,
                    format!(
                        "\"{}\" is no option of press, or stands there twice. Say PRESS TO and the readers.",
                        words[at]
                    ),
                );
            }
        }
        at += 1;
    }
    match (to, broadcast) {
        (Some(to), _) => options.to = to,
        (None, true) => options.to = Audience::All,
        (None, false) => return refuse(Code::PressSyntax, "Say for whom it is: PRESS TO FRANCE, or BROADCAST."),
    }
    Ok(options)
}

/// Reads `TO list`, `+ list`, `+list`, `-list`; leaves `at` on its last word. A list goes on while a word ends, or the
/// next begins, with a comma.
fn audience(words: &[String], at: &mut usize) -> Result<Audience, Refusal> {
    let head = &words[*at];
    let but = head.starts_with('-');
    let mut list = head.trim_start_matches(['+', '-']).to_string();
    if head == "TO" {
        list.clear();
    }
    let mut but = but;
    if list.is_empty() {
        *at += 1;
        let Some(next) = words.get(*at) else {
            return refuse(Code::PressSyntax, "The readers are missing: PRESS TO FRANCE,ITALY.");
        };
        list = next.clone();
        if list == "ALL" && words.get(*at + 1).is_some_and(|w| w == "BUT") {
            but = true;
            *at += 2;
            let Some(next) = words.get(*at) else {
                return refuse(Code::PressSyntax, "TO ALL BUT whom?");
            };
            list = next.clone();
        } else if let Some(rest) = list.strip_prefix('-') {
            but = true;
            list = rest.to_string();
        }
    }
    while let Some(next) = words.get(*at + 1) {
        if list.ends_with(',') || next.starts_with(',') {
            list.push_str(next);
            *at += 1;
        } else {
            break;
        }
    }
    let list = list.trim_matches(',').to_string();
    if list == "ALL" && !but {
        return Ok(Audience::All);
    }
    Ok(if but { Audience::AllBut(list) } else { Audience::List(list) })
}

/// How a line stands to the end of press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It is text.
    Text,
    /// It ends the text; `true`: words behind the terminator were dropped.
    Press(bool),
    /// It ends the text and the message.
    Message(bool),
}

/// Whether a line ends press (first word, any case, final punctuation allowed).
pub fn ending(text: &str) -> Ending {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|w| w.trim_end_matches(|c: char| c.is_ascii_punctuation()).to_uppercase())
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["ENDPRESS" | "ENDBROADCAST", rest @ ..] => Ending::Press(rest.iter().any(|w| !w.is_empty())),
        ["SIGNOFF", rest @ ..] => Ending::Message(rest.iter().any(|w| !w.is_empty())),
        ["END", "PRESS" | "BROADCAST"] => Ending::Press(false),
        ["SIGN", "OFF"] => Ending::Message(false),
        _ => Ending::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_options() {
        let read = |s: &str| options(&s.split_whitespace().collect::<Vec<_>>(), false);
        assert_eq!(read("TO EG").map(|o| o.to), Ok(Audience::List("EG".into())));
        assert_eq!(
            read("+ france, italy QUIET").map(|o| (o.to, o.quiet)),
            Ok((Audience::List("FRANCE,ITALY".into()), true))
        );
        assert_eq!(read("to all but f").map(|o| o.to), Ok(Audience::AllBut("F".into())));
        assert_eq!(read("to all").map(|o| o.to), Ok(Audience::All));
        assert!(read("").is_err());
        assert!(read("TO").is_err());
        assert!(read("TO F LOUDLY").is_err());
    }

    #[test]
    fn endings() {
        assert_eq!(ending("endpress."), Ending::Press(false));
        assert_eq!(ending("ENDPRESS thanks"), Ending::Press(true));
        assert_eq!(ending("Let us end press wars"), Ending::Text);
        assert_eq!(ending("End press"), Ending::Press(false));
        assert_eq!(ending("signoff"), Ending::Message(false));
    }
}
