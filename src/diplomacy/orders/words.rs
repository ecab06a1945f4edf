//! The words of the order language (orders.md 3.1, 3.2, 3.4): from cleaned text to tokens, and what each keyword
//! means.

use crate::diplomacy::map::UnitKind;

/// What a unit is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// `H`
    Hold,
    /// `S`
    Support,
    /// `C`
    Convoy,
    /// `P`
    Proxy,
    /// `R`
    Retreat,
    /// `B`
    Build,
    /// `D`
    Disband,
    /// `V`
    Waive,
    /// `K`
    Keep,
}

/// What a word of the table means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
    /// A unit type.
    Type(UnitKind),
    /// A verb.
    Verb(Verb),
    /// Dropped.
    Noise,
    /// Dropped, but counts as a move mark (NEED_MOVE_MARKS).
    Mark,
    /// `FROM`, `OF`
    From,
    /// `VIA`, `BY`, `THROUGH`, `OVER`
    Route,
    /// `WITH`
    With,
    /// `W`: a wing (which no map has) or a waive, by phase.
    W,
}

/// The keyword table.
pub fn keyword(word: &str) -> Option<Keyword> {
    use Keyword::*;
    Some(match word {
        "A" | "ARMY" => Type(UnitKind::Army),
        "F" | "FLEET" => Type(UnitKind::Fleet),
        "W" | "WING" => W,
        "H" | "HOLD" | "HOLDS" | "HOLDING" | "STAND" | "STANDS" => Verb(self::Verb::Hold),
        "S" | "SUPPORT" | "SUPPORTS" | "SUPPORTING" => Verb(self::Verb::Support),
        "C" | "CONVOY" | "CONVOYS" | "CONVOYING" | "TRANSPORT" | "TRANSPORTS" => Verb(self::Verb::Convoy),
        "P" | "PROXY" | "PROXIES" | "PROXYING" => Verb(self::Verb::Proxy),
        "R" | "RETREAT" | "RETREATS" | "RETREATING" => Verb(self::Verb::Retreat),
        "B" | "BUILD" | "BUILDS" | "BUILDING" | "RAISE" | "RAISES" | "RAISING" => Verb(self::Verb::Build),
        "D" | "DISBAND" | "DISBANDS" | "DISBANDING" | "REMOVE" | "REMOVES" | "REMOVING" => Verb(self::Verb::Disband),
        "V" | "WAIVE" | "WAIVES" | "WAIVED" | "WAIVING" | "PENDING" => Verb(self::Verb::Waive),
        "K" | "KEEP" | "KEEPS" | "KEEPING" => Verb(self::Verb::Keep),
        "TO" | "M" | "ATTACK" | "ATTACKS" | "ATTACKING" => Mark,
        "THE" | "AN" | "MOVE" | "MOVES" | "MOVING" | "IS" | "WILL" | "IN" | "AT" | "ON" | "AND" | "GO" | "GOES"
        | "GOING" | "UNUSED" | "ORDER" | "ORDERS" | "RESULT" | "RESULTS" => Noise,
        "FROM" | "OF" => From,
        "VIA" | "BY" | "THROUGH" | "OVER" => Route,
        "WITH" => With,
        _ => return None,
    })
}

/// Words of a report that may stand at the end of an order, without their brackets and stars.
pub fn is_result_word(word: &str) -> bool {
    matches!(word, "BOUNCE" | "CUT" | "VOID" | "DISLODGED" | "DESTROYED")
}

/// A piece of a cleaned line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// Letters and digits.
    Word(String),
    /// `-`, `=`, `>` and their combinations.
    Mark,
    /// `~`
    Tilde,
    /// A coast: its letters, and whether slash or brackets tie it to the place before.
    Coast(String, bool),
}

enum Raw {
    Word(String),
    Mark,
    Tilde,
    Slash,
    Open,
    Close,
}

/// Splits a cleaned line. `coasts` are the coasts the map has beyond NC, SC, EC and WC.
pub fn tokens(text: &str, coasts: impl Fn(&str) -> bool) -> Vec<Token> {
    let raw = raw_tokens(text);
    let mut out: Vec<Token> = Vec::with_capacity(raw.len());
    let word = |at: usize| match raw.get(at) {
        Some(Raw::Word(w)) => Some(w.as_str()),
        _ => None,
    };
    let mut at = 0;
    while let Some(token) = raw.get(at) {
        match token {
            Raw::Mark => {
                if out.last() != Some(&Token::Mark) {
                    out.push(Token::Mark);
                }
            }
            Raw::Tilde => out.push(Token::Tilde),
            Raw::Close => {}
            Raw::Slash => {
                if let Some(name) = word(at + 1) {
                    at += 1;
                    out.push(Token::Coast(coast(name).unwrap_or(name).to_string(), true));
                    at += usize::from(coast(name).is_some() && word(at + 1) == Some("COAST"));
                }
            }
            Raw::Open => {
                // (SC), (S), (SOUTH), (SOUTH COAST): only behind a word.
                let close = if word(at + 2) == Some("COAST") { at + 3 } else { at + 2 };
                let name = word(at + 1).filter(|_| matches!(raw.get(close), Some(Raw::Close)));
                if let (Some(name), Some(Token::Word(_))) = (name, out.last()) {
                    if let Some(letters) = coast(name).or_else(|| coasts(name).then_some(name)) {
                        out.push(Token::Coast(letters.to_string(), true));
                        at = close;
                    }
                }
            }
            Raw::Word(w) => match coast(w) {
                Some(letters) if w == letters => out.push(Token::Coast(letters.to_string(), false)),
                Some(letters) if w.len() > 1 && word(at + 1) == Some("COAST") => {
                    at += 1;
                    out.push(Token::Coast(letters.to_string(), false));
                }
                _ => out.push(Token::Word(w.clone())),
            },
        }
        at += 1;
    }
    out
}

/// The letters of a coast word.
fn coast(word: &str) -> Option<&'static str> {
    Some(match word {
        "NC" | "N" | "NORTH" => "NC",
        "SC" | "S" | "SOUTH" => "SC",
        "EC" | "E" | "EAST" => "EC",
        "WC" | "W" | "WEST" => "WC",
        _ => return None,
    })
}

fn raw_tokens(text: &str) -> Vec<Raw> {
    let mut out = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        let token = match c {
            '.' | ':' => continue,
            '-' | '=' | '>' => Some(Raw::Mark),
            '~' => Some(Raw::Tilde),
            '/' => Some(Raw::Slash),
            '(' | '[' => Some(Raw::Open),
            ')' | ']' => Some(Raw::Close),
            '+' | ',' | ';' | '!' | '?' | '*' | '|' => None,
            c if c.is_whitespace() => None,
            c => {
                word.push(c);
                continue;
            }
        };
        if !word.is_empty() {
            out.push(Raw::Word(std::mem::take(&mut word)));
        }
        out.extend(token);
    }
    if !word.is_empty() {
        out.push(Raw::Word(word));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coast_of(text: &str) -> Vec<Token> {
        tokens(text, |_| false)
    }

    #[test]
    fn coasts_in_all_spellings() {
        let spain = |tied| vec![Token::Word("SPA".into()), Token::Coast("SC".into(), tied)];
        for text in ["SPA/SC", "SPA(SC)", "SPA [SC]", "SPA/SOUTH COAST", "SPA(SOUTH COAST)", "SPA(S)", "SPA/S"] {
            assert_eq!(coast_of(text), spain(true), "{text}");
        }
        for text in ["SPA SC", "SPA SOUTH COAST"] {
            assert_eq!(coast_of(text), spain(false), "{text}");
        }
        assert_eq!(coast_of("BUL EAST"), [Token::Word("BUL".into()), Token::Word("EAST".into())]);
    }

    #[test]
    fn marks_collapse_and_strays_vanish() {
        assert_eq!(coast_of("VIE-->GAL"), coast_of("VIE = GAL?"));
        assert_eq!(coast_of("(VIE) *"), [Token::Word("VIE".into())]);
    }
}
