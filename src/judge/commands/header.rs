//! Header commands: the first line of a block (mail-commands.md 3.1).

use super::Line;
use crate::judge::code::{Code, Refusal, refuse};

/// How a sender names a seat: `F`, `FRANCE`, `2`, `POWER#2`, `M`, `LOUDMOUTH` (upper case, not yet looked up).
pub type SeatName = String;

/// A header command; its fields are the words of its line.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Header {
    /// SIGNON
    SignOn { seat: SeatName, game: String, password: String },
    /// JOIN
    Join { power: Option<SeatName>, game: String, password: String, privacy: Option<String> },
    /// OBSERVE, MONITOR or another player type
    Enrol { kind: String, name: SeatName, game: String, password: String, privacy: Option<String> },
    /// TAKEOVER
    TakeOver { seat: SeatName, game: String, password: String, privacy: Option<String> },
    /// RESIGN
    Resign { seat: SeatName, game: String, password: String },
    /// CREATE with its status-file lines
    Create { game: String, password: String, variant: String, lines: Vec<Line> },
    /// PURGE
    Purge { game: String, password: String, token: Option<String> },
    /// RENAME
    Rename { game: String, new: String, password: String, token: Option<String> },
    /// LIST [game]
    List { game: Option<String> },
    /// SEARCH words
    Search { words: Vec<String> },
    /// SUMMARY game
    Summary { game: String },
    /// HISTORY game [phase [phase]]
    History { game: String, from: Option<String>, to: Option<String> },
    /// MAP game [type] [phase]
    Map { game: String, words: Vec<String> },
    /// HELP [topic]
    Help { topic: Option<String> },
    /// REGISTER … END
    Register { lines: Vec<Line> },
    /// CONFIRM code
    Confirm { code: String },
    /// IAMALSO address
    IAmAlso { address: String },
    /// WHOAMI
    WhoAmI,
    /// FORGET ME
    Forget,
    /// VERSION
    Version,
}

impl Header {
    /// Whether body commands may follow.
    pub fn has_body(&self) -> bool {
        matches!(
            self,
            Header::SignOn { .. }
                | Header::Join { .. }
                | Header::Enrol { .. }
                | Header::TakeOver { .. }
                | Header::Resign { .. }
        )
    }
    /// The game it is about, if one.
    pub fn game(&self) -> Option<&str> {
        use Header::*;
        match self {
            SignOn { game, .. }
            | Join { game, .. }
            | Enrol { game, .. }
            | TakeOver { game, .. }
            | Resign { game, .. } => Some(game),
            Create { game, .. } | Purge { game, .. } | Rename { game, .. } | Summary { game } => Some(game),
            History { game, .. } | Map { game, .. } => Some(game),
            List { game } => game.as_deref(),
            _ => None,
        }
    }
}

/// Player types that open an Enrol command; synonyms of nJudge users included.
const TYPES: [(&str, &str); 9] = [
    ("OBSERVE", "OBSERVER"),
    ("OBSERVER", "OBSERVER"),
    ("OBS", "OBSERVER"),
    ("WATCH", "OBSERVER"),
    ("MONITOR", "MONITOR"),
    ("MON", "MONITOR"),
    ("LURK", "MONITOR"),
    ("INVESTOR", "INVESTOR"),
    ("INV", "INVESTOR"),
];

/// Reads a header line; `None`: it is none.
pub fn read(line: &Line) -> Option<Result<Header, Refusal>> {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let (word, rest) = words.split_first()?;
    let word = word.to_uppercase();
    if let Some((_, kind)) = TYPES.iter().find(|(w, _)| *w == word) {
        return Some(enrol(kind, rest));
    }
    Some(match word.as_str() {
        "SIGNON" | "SIGN-ON" => signon(rest),
        "JOIN" => join(rest),
        "TAKEOVER" => takeover(rest),
        "RESIGN" => resign(rest),
        "CREATE" => create(rest),
        "PURGE" => purge(rest),
        "RENAME" => rename(rest),
        "LIST" => match rest {
            [] => Ok(Header::List { game: None }),
            [game] => Ok(Header::List { game: Some(game.to_lowercase()) }),
            _ => refuse(Code::Syntax, "Say LIST alone, or LIST and one game."),
        },
        "SEARCH" => Ok(Header::Search { words: rest.iter().map(|w| w.to_lowercase()).collect() }),
        "SUMMARY" => match rest {
            [game] => Ok(Header::Summary { game: game.to_lowercase() }),
            _ => refuse(Code::Syntax, "Say SUMMARY and one game."),
        },
        "HISTORY" => match rest {
            [game] => Ok(Header::History { game: game.to_lowercase(), from: None, to: None }),
            [game, a] => Ok(Header::History {
                game: game.to_lowercase(),
                from: Some(a.to_uppercase()),
                to: Some(a.to_uppercase()),
            }),
            [game, a, b] => Ok(Header::History {
                game: game.to_lowercase(),
                from: Some(a.to_uppercase()),
                to: Some(b.to_uppercase()),
            }),
            _ => {
                refuse(Code::Syntax, "Say HISTORY, one game, and perhaps one phase or two: HISTORY demo S1901M F1902M.")
            }
        },
        "MAP" => match rest {
            [game, words @ ..] => {
                Ok(Header::Map { game: game.to_lowercase(), words: words.iter().map(|w| w.to_uppercase()).collect() })
            }
            _ => refuse(Code::Syntax, "Say MAP and one game."),
        },
        "HELP" => Ok(Header::Help { topic: rest.first().map(|w| w.to_uppercase()) }),
        "VERSION" if rest.is_empty() => Ok(Header::Version),
        "REGISTER" => Ok(Header::Register { lines: Vec::new() }),
        "CONFIRM" => match rest {
            [code] => Ok(Header::Confirm { code: code.to_string() }),
            _ => refuse(Code::Syntax, "Say CONFIRM and the code from the mail."),
        },
        "IAMALSO" => match rest {
            [address] => Ok(Header::IAmAlso { address: address.to_lowercase() }),
            _ => refuse(Code::Syntax, "Say IAMALSO and your other address."),
        },
        "WHOAMI" if rest.is_empty() => Ok(Header::WhoAmI),
        "FORGET" if rest.len() == 1 && rest[0].eq_ignore_ascii_case("me") => Ok(Header::Forget),
        _ => return None,
    })
}

/// `[a-z0-9][a-z0-9_-]{0,31}` (mail-commands.md 2).
pub fn is_game_name(name: &str) -> bool {
    name.len() <= 32
        && name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-')
}

fn game_name(word: &str) -> Result<String, Refusal> {
    let name = word.to_lowercase();
    if is_game_name(&name) {
        Ok(name)
    } else {
        refuse(Code::NoGame, "A game's name has 1 to 32 letters, digits, _ and -, and begins with a letter or a digit.")
    }
}

/// `Fgame` or `powerid@game`; a leading `_` of internal names is optional.
fn seat_and_game(word: &str) -> Result<(SeatName, String), Refusal> {
    let (seat, game) = match word.split_once('@') {
        Some((seat, game)) => (seat.trim_start_matches('_'), game),
        None => match word.chars().next() {
            Some(first) => word.split_at(first.len_utf8()),
            None => ("", ""),
        },
    };
    if seat.is_empty() || game.is_empty() {
        return refuse(
            Code::NoPower,
            "Name the power and the game: SIGNON Fdemo password, or SIGNON FRANCE@demo password.",
        );
    }
    Ok((seat.to_uppercase(), game_name(game)?))
}

/// An old habit: a password that swallowed the SIGNOFF of the next line (mail-commands.md 2).
fn password(word: &str) -> String {
    let cut = word.len().saturating_sub(7);
    match word.get(cut..) {
        Some(tail) if cut > 0 && tail.eq_ignore_ascii_case("SIGNOFF") => word[..cut].to_string(),
        _ => word.to_string(),
    }
}

fn signon(rest: &[&str]) -> Result<Header, Refusal> {
    if let Some(game) = rest.first().and_then(|w| w.strip_prefix('?')) {
        // nJudge's way into a game (mail-commands.md 9).
        let mut words = vec![game];
        words.extend_from_slice(&rest[1..]);
        return join(&words);
    }
    match rest {
        [seat, pw] => {
            let (seat, game) = seat_and_game(seat)?;
            Ok(Header::SignOn { seat, game, password: password(pw) })
        }
        [_] => refuse(Code::NoPassword, "The password is missing: SIGNON Fdemo password."),
        _ => refuse(Code::Syntax, "Say SIGNON, power and game in one word, and the password: SIGNON Fdemo password."),
    }
}

fn join(rest: &[&str]) -> Result<Header, Refusal> {
    let (target, pw, privacy) = match rest {
        [target, pw] => (target, pw, None),
        [target, pw, word] => (target, pw, Some(word.to_uppercase())),
        [_] => return refuse(Code::NoPassword, "Choose a password: JOIN demo password."),
        _ => return refuse(Code::Syntax, "Say JOIN, the game and a password of your choice: JOIN demo password."),
    };
    let (power, game) = match target.split_once('@') {
        Some((power, game)) => (Some(power.to_uppercase()), game),
        None => (None, *target),
    };
    Ok(Header::Join { power, game: game_name(game)?, password: password(pw), privacy })
}

fn enrol(kind: &str, rest: &[&str]) -> Result<Header, Refusal> {
    let (target, pw, privacy) = match rest {
        [target, pw] => (target, pw, None),
        [target, pw, word] => (target, pw, Some(word.to_uppercase())),
        _ => {
            return refuse(
                Code::Syntax,
                format!("Say {kind}, a name and the game, and a password: OBSERVE owl@demo password."),
            );
        }
    };
    let Some((name, game)) = target.split_once('@') else {
        return refuse(
            Code::BadId,
            "Choose a name for yourself and write it before the game: OBSERVE owl@demo password.",
        );
    };
    Ok(Header::Enrol {
        kind: kind.to_string(),
        name: name.to_uppercase(),
        game: game_name(game)?,
        password: password(pw),
        privacy,
    })
}

fn takeover(rest: &[&str]) -> Result<Header, Refusal> {
    let (target, pw, privacy) = match rest {
        [target, pw] => (target, pw, None),
        [target, pw, word] => (target, pw, Some(word.to_uppercase())),
        [_] => return refuse(Code::NoPassword, "Choose a password: TAKEOVER FRANCE@demo password."),
        _ => return refuse(Code::Syntax, "Say TAKEOVER, power and game, and a password of your choice."),
    };
    let (seat, game) = seat_and_game(target)?;
    Ok(Header::TakeOver { seat, game, password: password(pw), privacy })
}

fn resign(rest: &[&str]) -> Result<Header, Refusal> {
    match rest {
        [seat, pw] => {
            let (seat, game) = seat_and_game(seat)?;
            Ok(Header::Resign { seat, game, password: password(pw) })
        }
        [_] => refuse(Code::NoPassword, "The password is missing: RESIGN Fdemo password."),
        _ => refuse(Code::Syntax, "Say RESIGN, power and game in one word, and the password."),
    }
}

fn create(rest: &[&str]) -> Result<Header, Refusal> {
    let (game, pw, variant) = match rest {
        [game, pw] => (game, pw, "standard".to_string()),
        [game, pw, variant] => (game, pw, variant.to_lowercase()),
        [_] => return refuse(Code::NoPassword, "Choose a Master password: CREATE demo password."),
        _ => return refuse(Code::Syntax, "Say CREATE, a name for the game, a Master password, and perhaps a variant."),
    };
    Ok(Header::Create { game: game_name(game)?, password: password(pw), variant, lines: Vec::new() })
}

fn purge(rest: &[&str]) -> Result<Header, Refusal> {
    match rest {
        [game, pw] => Ok(Header::Purge { game: game_name(game)?, password: password(pw), token: None }),
        [game, pw, token] => {
            Ok(Header::Purge { game: game_name(game)?, password: password(pw), token: Some(token.to_string()) })
        }
        _ => refuse(Code::Syntax, "Say PURGE, the game and the Master password."),
    }
}

fn rename(rest: &[&str]) -> Result<Header, Refusal> {
    let (game, new, pw, token) = match rest {
        [game, new, pw] => (game, new, pw, None),
        [game, new, pw, token] => (game, new, pw, Some(token.to_string())),
        _ => return refuse(Code::Syntax, "Say RENAME, the game, its new name and the Master password."),
    };
    Ok(Header::Rename { game: game_name(game)?, new: game_name(new)?, password: password(pw), token })
}

/// How many of these lines belong to a CREATE, and whether the message ends there. Words inside bracketed blocks
/// (DESC … END DESC) are text; outside, SIGNOFF ends the message and a further header command ends the block.
pub fn create_lines(lines: &[Line]) -> (usize, bool) {
    let mut open: Option<String> = None;
    for (n, line) in lines.iter().enumerate() {
        let words: Vec<String> = line.text.split_whitespace().map(str::to_uppercase).collect();
        match (&open, words.as_slice()) {
            (Some(key), [end, word]) if end == "END" && word == key => open = None,
            (Some(_), _) => {}
            (None, [word]) if ["DESC", "DESCRIPTION", "NAME", "MORPH"].contains(&word.as_str()) => {
                open = Some(word.clone());
            }
            (None, [word, ..]) if word == "SIGNOFF" => return (n, true),
            // MAP is a status-file line here; other header words end the block.
            (None, [word, ..])
                if ["CREATE", "SIGNON", "JOIN", "TAKEOVER", "RESIGN", "RENAME", "PURGE"].contains(&word.as_str()) =>
            {
                return (n, false);
            }
            _ => {}
        }
    }
    (lines.len(), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Option<Result<Header, Refusal>> {
        read(&Line { number: 1, text: text.into() })
    }

    #[test]
    fn signon_takes_the_letter_off_the_game() {
        let wanted = Header::SignOn { seat: "F".into(), game: "fgame".into(), password: "Pw".into() };
        assert_eq!(one("signon Ffgame Pw"), Some(Ok(wanted)));
        let wanted = Header::SignOn { seat: "FRANCE".into(), game: "demo".into(), password: "x".into() };
        assert_eq!(one("SIGNON france@demo x"), Some(Ok(wanted)));
    }

    #[test]
    fn a_swallowed_signoff_is_cut_from_the_password() {
        let Some(Ok(Header::SignOn { password, .. })) = one("SIGNON Fdemo secretSIGNOFF") else { panic!("no sign-on") };
        assert_eq!(password, "secret");
        let Some(Ok(Header::SignOn { password, .. })) = one("SIGNON Fdemo signoff") else { panic!("no sign-on") };
        assert_eq!(password, "signoff");
    }

    #[test]
    fn words_that_open_nothing() {
        assert_eq!(one("Dear judge, hello there"), None);
        assert!(one("JOIN demo").is_some_and(|r| r.is_err_and(|e| e.code == Code::NoPassword)));
        assert!(one("SIGNON F@de/../mo x").is_some_and(|r| r.is_err()));
    }
}
