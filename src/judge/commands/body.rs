//! What may follow a sign-on (mail-commands.md 4): press, commands, and everything else as order lines.

use super::press::{self, Ending, PressBlock};
use super::{Block, Item, Line, header};
use crate::judge::code::{Code, Refusal, refuse};
use crate::status::Vote;

/// The date words of SET DEADLINE and SET ABSENCE, read by the clock.
pub type SetDate = String;

/// A body command.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Command {
    Status,
    List(Option<String>),
    Summary(Option<String>),
    History { game: Option<String>, from: Option<String>, to: Option<String> },
    Map(Vec<String>),
    Help,
    SetAddress(Option<String>),
    SetPassword(String),
    SetWait(bool),
    SetAbsence(SetDate),
    SetNoAbsence(SetDate),
    SetZone(Option<String>),
    SetNoZone,
    SetStrict(bool),
    SetNotify(Vec<String>),
    SetDeadline(SetDate),
    SetListed(bool),
    Vote(Vote),
    VoteDraw,
    Propose(String),
    WithdrawProposal,
    WhoGame,
    Prefer(String),
    Official(Option<String>),
    Form,
    Activate,
    Wait,
    Terminate,
    Process { force: bool },
    Preview,
    Rollback(Vec<String>),
    Rollforward(Vec<String>),
    Resign(String),
    Dummy(String),
    Revive(String, Option<String>),
    Become(String),
    Reveal,
}

impl Command {
    /// Whether only the Master (or the keeper) may say it.
    pub fn is_masters(&self) -> bool {
        use Command::*;
        matches!(
            self,
            SetListed(_)
                | SetNoAbsence(_)
                | Official(_)
                | Form
                | Activate
                | Wait
                | Terminate
                | Process { .. }
                | Preview
                | Rollback(_)
                | Rollforward(_)
                | Resign(_)
                | Dummy(_)
                | Revive(..)
                | Become(_)
                | Reveal
        )
    }
}

/// Reads the body of `block` from `lines[*at..]`; returns whether the message ends with it.
pub fn read(lines: &[Line], at: &mut usize, block: &mut Block, is_game: &dyn Fn(&str) -> bool) -> bool {
    while let Some(line) = lines.get(*at) {
        let text = line.text.trim();
        if text.is_empty() {
            *at += 1;
            continue;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let word = words[0].to_uppercase();
        match word.as_str() {
            "SIGNOFF" => return true,
            "PRESS" | "BROADCAST" => {
                *at += 1;
                let options = press::options(&words[1..], word == "BROADCAST");
                let end = take_press(lines, at, line.clone(), options, block, is_game);
                if end || block.stops {
                    return true;
                }
                continue;
            }
            "ENDPRESS" | "ENDBROADCAST" => {}
            _ => match command(&word, &words[1..]) {
                Some(Ok(command)) => block.items.push(Item::Command(line.clone(), command)),
                Some(Err(refusal)) => block.items.push(Item::Wrong(line.clone(), refusal)),
                // A second header command ends this sign-on; the words that are also body commands were read above.
                None if header::read(line).is_some() => return false,
                None => block.items.push(Item::Order(line.clone())),
            },
        }
        *at += 1;
    }
    false
}

/// Collects the text of press; returns whether the message ends there.
fn take_press(
    lines: &[Line],
    at: &mut usize,
    line: Line,
    options: Result<press::PressOptions, Refusal>,
    block: &mut Block,
    is_game: &dyn Fn(&str) -> bool,
) -> bool {
    let mut text = Vec::new();
    let mut ends_message = false;
    let mut closed = false;
    // A forgotten ENDPRESS may find the end mark of the next press: what was swallowed counts either way.
    while let Some(next) = lines.get(*at) {
        *at += 1;
        let (end, tail) = match press::ending(&next.text) {
            Ending::Text => {
                text.push(next.text.clone());
                continue;
            }
            Ending::Press(tail) => (false, tail),
            Ending::Message(tail) => (true, tail),
        };
        if tail {
            let sentence = "The words behind the end mark were dropped.".to_string();
            block.warnings.push((next.clone(), Code::TerminatorTail, sentence));
        }
        ends_message = end;
        closed = true;
        break;
    }
    let swallowed = text.iter().find(|t| swallows_header(t, is_game));
    let options = match swallowed {
        Some(_) => {
            block.stops = true;
            refuse(
                Code::PressUnclosed,
                "ENDPRESS is missing: a sign-on further down would have been mailed as part of the press. Nothing was \
                 sent, and nothing behind it was done.",
            )
        }
        None => options,
    };
    while text.last().is_some_and(|t| t.trim().is_empty()) {
        text.pop();
    }
    block.items.push(Item::Press(PressBlock { line, options, text }));
    ends_message || !closed
}

/// A line inside unclosed press that would have handed a password to an opponent (D23).
fn swallows_header(text: &str, is_game: &dyn Fn(&str) -> bool) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    if !(3..=5).contains(&words.len()) {
        return false;
    }
    let word = words[0].to_uppercase();
    if !["CREATE", "RENAME", "PURGE", "SIGNON", "RESIGN", "TAKEOVER", "JOIN", "OBSERVE", "MONITOR"]
        .contains(&word.as_str())
    {
        return false;
    }
    let target = words[1].to_lowercase();
    let behind = target.split_once('@').map(|(_, game)| game.to_string());
    let short = target.chars().next().map(|c| target[c.len_utf8()..].to_string());
    [Some(target), behind, short].into_iter().flatten().any(|game| is_game(&game))
}

/// Reads a body command; `None`: it is none.
fn command(word: &str, rest: &[&str]) -> Option<Result<Command, Refusal>> {
    let upper: Vec<String> = rest.iter().map(|w| w.to_uppercase()).collect();
    let upper: Vec<&str> = upper.iter().map(String::as_str).collect();
    let joined = rest.join(" ");
    let one_power = |make: fn(String) -> Command| match upper.as_slice() {
        [power] => Ok(make(power.to_string())),
        _ => refuse(Code::Syntax, format!("Say {word} and one power.")),
    };
    Some(match word {
        "STATUS" if rest.is_empty() => Ok(Command::Status),
        "LIST" => one_game(rest).map(Command::List),
        "SUMMARY" => one_game(rest).map(Command::Summary),
        "HISTORY" => history(rest),
        "MAP" => Ok(Command::Map(upper.iter().map(|w| w.to_string()).collect())),
        "HELP" => Ok(Command::Help),
        "WHOGAME" if rest.is_empty() => Ok(Command::WhoGame),
        "SET" => return set(rest, &upper),
        "UNSET" => refuse(Code::UnknownSet, "UNSET is not understood; ask the Master to edit the rules."),
        "VOTE" => vote(&upper),
        "PROPOSE" => match upper.as_slice() {
            ["DIAS" | "DRAW"] => Ok(Command::Propose("DIAS".into())),
            ["CONCEDE", power] | [power] => Ok(Command::Propose(power.to_string())),
            _ => refuse(Code::Syntax, "Say PROPOSE DIAS, or PROPOSE and the power that shall win."),
        },
        "WITHDRAW" => match upper.as_slice() {
            ["PROPOSAL"] => Ok(Command::WithdrawProposal),
            _ => refuse(Code::Syntax, "To leave the game send RESIGN; to take a proposal back say WITHDRAW PROPOSAL."),
        },
        "PREFER" => match upper.as_slice() {
            [letters] => Ok(Command::Prefer(letters.to_string())),
            _ => refuse(Code::Syntax, "Say PREFER and the letters of the powers in the order you like them."),
        },
        "OFFICIAL" => Ok(Command::Official(if joined.is_empty() {
            None
        } else {
            Some(joined.chars().filter(|c| !c.is_control()).take(60).collect())
        })),
        "FORM" if rest.is_empty() => Ok(Command::Form),
        "ACTIVATE" | "RESUME" if rest.is_empty() => Ok(Command::Activate),
        "WAIT" | "PAUSE" if rest.is_empty() => Ok(Command::Wait),
        "TERMINATE" if rest.is_empty() => Ok(Command::Terminate),
        "PROCESS" if rest.is_empty() => Ok(Command::Process { force: false }),
        "PROCESS!" if rest.is_empty() => Ok(Command::Process { force: true }),
        "PREVIEW" | "PREDICT" if rest.is_empty() => Ok(Command::Preview),
        "ROLLBACK" => Ok(Command::Rollback(upper.iter().map(|w| w.to_string()).collect())),
        "ROLLFORWARD" => Ok(Command::Rollforward(upper.iter().map(|w| w.to_string()).collect())),
        // With a password it is the header command RESIGN of another sign-on.
        "RESIGN" | "EJECT" if rest.len() <= 1 => one_power(Command::Resign),
        "DUMMY" => one_power(Command::Dummy),
        "BECOME" => one_power(Command::Become),
        "REVIVE" => match (upper.as_slice(), rest) {
            ([power], _) => Ok(Command::Revive(power.to_string(), None)),
            ([power, _], [_, password]) => Ok(Command::Revive(power.to_string(), Some(password.to_string()))),
            _ => refuse(Code::Syntax, "Say REVIVE, a power, and perhaps a password."),
        },
        "REVEAL" if rest.is_empty() => Ok(Command::Reveal),
        "IF" | "PHASE" if !rest.is_empty() => {
            refuse(Code::Syntax, "Orders for later phases and conditional orders are not kept by this judge.")
        }
        _ => return None,
    })
}

/// The game may be named, or not: it is that of the sign-on.
fn one_game(rest: &[&str]) -> Result<Option<String>, Refusal> {
    match rest {
        [] => Ok(None),
        [game] => Ok(Some(game.to_lowercase())),
        _ => refuse(Code::Syntax, "After a sign-on the word stands alone, or with the name of that game."),
    }
}

/// `HISTORY [game [phase [phase]]]`.
fn history(rest: &[&str]) -> Result<Command, Refusal> {
    let game = rest.first().map(|word| word.to_lowercase());
    let phase = |n: usize| rest.get(n).map(|word| word.to_uppercase());
    match rest.len() {
        0..=3 => Ok(Command::History { game, from: phase(1), to: phase(2) }),
        _ => refuse(Code::Syntax, "Say HISTORY, the game, and perhaps one phase or two: HISTORY demo S1901M F1902M."),
    }
}

fn vote(words: &[&str]) -> Result<Command, Refusal> {
    let word = words.concat().replace('-', "");
    Ok(Command::Vote(match word.as_str() {
        "SOLO" => Vote::Solo,
        "LOSS" => Vote::Loss,
        "DIAS" => Vote::Dias,
        "DRAW" => return Ok(Command::VoteDraw),
        "YES" => Vote::Yes,
        "NO" => Vote::No,
        _ => match word.strip_suffix("WAY").and_then(|n| n.parse().ok()) {
            Some(n) => Vote::Way(n),
            None => return refuse(Code::BadVote, "A vote is SOLO, DIAS, LOSS, YES, NO, or 2WAY, 3WAY and so on."),
        },
    }))
}

/// The SET commands; a SET that is none of them may be an order where SET is a place (the order reader decides).
fn set(rest: &[&str], upper: &[&str]) -> Option<Result<Command, Refusal>> {
    let tail = rest.get(1..).unwrap_or_default().join(" ");
    Some(match upper {
        ["ADDRESS"] => Ok(Command::SetAddress(None)),
        ["ADDRESS", _] => Ok(Command::SetAddress(Some(rest[1].to_string()))),
        ["ADDRESS", ..] => refuse(Code::BadAddress, "Addresses are separated by commas without blanks."),
        ["PASSWORD", _] => Ok(Command::SetPassword(rest[1].to_string())),
        ["PASSWORD", ..] => refuse(Code::BadPassword, "A password is one word of 6 to 64 characters."),
        ["WAIT"] => Ok(Command::SetWait(true)),
        ["NOWAIT"] | ["NO", "WAIT"] => Ok(Command::SetWait(false)),
        ["ABSENCE", ..] => Ok(Command::SetAbsence(tail)),
        ["NOABSENCE", ..] => Ok(Command::SetNoAbsence(tail)),
        ["ZONE"] => Ok(Command::SetZone(None)),
        ["ZONE", _] => Ok(Command::SetZone(Some(rest[1].to_string()))),
        ["NOZONE"] => Ok(Command::SetNoZone),
        ["STRICT"] => Ok(Command::SetStrict(true)),
        ["NOSTRICT"] => Ok(Command::SetStrict(false)),
        ["NOTIFY", words @ ..] => Ok(Command::SetNotify(words.iter().map(|w| w.to_string()).collect())),
        ["DEADLINE", ..] => Ok(Command::SetDeadline(tail)),
        ["LISTED" | "LIST"] => Ok(Command::SetListed(true)),
        ["UNLISTED" | "UNLIST"] => Ok(Command::SetListed(false)),
        ["VOTE", words @ ..] => vote(words),
        ["DRAW"] => Ok(Command::VoteDraw),
        ["NODRAW" | "NOCONCEDE"] | ["NO", "DRAW" | "CONCEDE"] => Ok(Command::Vote(Vote::Solo)),
        ["CONCEDE", ..] => Ok(Command::Vote(Vote::Loss)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::read as read_blocks;
    use super::*;

    fn blocks(text: &str) -> Vec<Block> {
        read_blocks(&Line::all(text.lines()), &|g| g == "demo" || g == "other")
    }

    #[test]
    fn orders_press_and_commands_in_order() {
        let found =
            blocks("SIGNON Fdemo pw\nPRESS TO EG\nhello\n\nENDPRESS\nF bre - mao\nSET NOWAIT\nSIGNOFF\nA par H");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].items.len(), 3);
        assert!(matches!(&found[0].items[0], Item::Press(p) if p.text == ["hello"]));
        assert!(matches!(&found[0].items[1], Item::Order(l) if l.text == "F bre - mao"));
        assert!(matches!(&found[0].items[2], Item::Command(_, Command::SetWait(false))));
    }

    #[test]
    fn a_second_sign_on_ends_the_first() {
        let found = blocks("SIGNON Fdemo pw\nA par H\nSIGNON Rother pw\nA mos H");
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].items.len(), 1);
    }

    #[test]
    fn unclosed_press_before_a_sign_on_stops_everything() {
        let found = blocks("SIGNON Fdemo pw\nPRESS TO E\nhello\nSIGNON Rother secret\nA mos H");
        assert_eq!(found.len(), 1);
        assert!(found[0].stops);
        assert!(
            matches!(&found[0].items[0], Item::Press(p) if p.options.as_ref().is_err_and(|r| r.code == Code::PressUnclosed))
        );
        // Words that name no game are text.
        let found = blocks("SIGNON Fdemo pw\nPRESS TO E\nSignon to this plan\nmore");
        assert!(!found[0].stops);
    }

    #[test]
    fn votes() {
        assert_eq!(vote(&["3", "WAY"]), Ok(Command::Vote(Vote::Way(3))));
        assert_eq!(vote(&["2-WAY"]), Ok(Command::Vote(Vote::Way(2))));
        assert!(vote(&["MAYBE"]).is_err());
    }
}
