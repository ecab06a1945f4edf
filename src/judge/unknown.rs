//! Lines that are no command: which command they may have meant (`SINGON: did you mean SIGNON?`), and how they are quoted
//! back (mail-commands.md 1.5, 5.2, 5.4). Only what its reader could write in that place is ever proposed.

use super::code::Code;
use super::commands::Line;
use super::registry::Mode;
use super::reply::{Mark, Reply, masked};
use super::signon::SignedOn;
use super::table::{Table, Who};
use crate::diplomacy::rules::Rule;
use crate::spelling::distance;

/// Header commands that hold a password: game and password follow the word.
const WITH_PASSWORD: [&str; 9] =
    ["SIGNON", "JOIN", "OBSERVE", "MONITOR", "TAKEOVER", "RESIGN", "CREATE", "PURGE", "RENAME"];
/// The other header commands, without those of the registry.
const QUESTIONS: [&str; 8] = ["SIGNOFF", "LIST", "SEARCH", "SUMMARY", "HISTORY", "MAP", "HELP", "VERSION"];
/// What everybody may write behind a sign-on.
const FOR_ALL: [&str; 6] = ["PRESS", "BROADCAST", "ENDPRESS", "ENDBROADCAST", "STATUS", "WHOGAME"];
const FOR_MASTER: [&str; 16] = [
    "OFFICIAL",
    "FORM",
    "ACTIVATE",
    "RESUME",
    "WAIT",
    "PAUSE",
    "TERMINATE",
    "PROCESS",
    "PREVIEW",
    "ROLLBACK",
    "ROLLFORWARD",
    "EJECT",
    "DUMMY",
    "REVIVE",
    "BECOME",
    "REVEAL",
];
/// What the judge repeats of a word of somebody else's.
const MOST_SHOWN: usize = 20;
/// Lines quoted back at most (mail-commands.md 5.2).
const MOST_QUOTED: usize = 100;

/// A line and the command it is near to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    typed: String,
    command: String,
}

impl std::fmt::Display for Near {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.typed == self.command {
            return write!(f, "{} stands alone on its line.", self.command);
        }
        write!(f, "{}: did you mean {}?", self.typed, self.command)
    }
}

/// The nearest of these commands; the first of several that are equally near.
pub fn nearest(text: &str, among: &[&str]) -> Option<Near> {
    let words: Vec<String> = text.split_whitespace().take(4).map(str::to_uppercase).collect();
    // Written apart: SIGN ON, I AM ALSO.
    for n in 2..=words.len().min(3) {
        let joined = words[..n].concat();
        if let Some(command) = among.iter().find(|c| **c == joined) {
            return Some(Near { typed: words[..n].join(" "), command: command.to_string() });
        }
    }
    let first = words.first()?;
    let length = first.chars().count();
    let most = match length {
        // Short words are pieces, places and powers.
        0..=3 => return None,
        4..=6 => 1,
        7..=MOST_SHOWN => 2,
        _ => return None,
    };
    let fits = |command: &&&str| !WITH_PASSWORD.contains(*command) || words.len() > 2;
    among
        .iter()
        .filter(fits)
        .map(|command| (distance(first, command.split(' ').next().unwrap_or(command)), command))
        .filter(|(far, _)| *far <= most)
        .min_by_key(|(far, _)| *far)
        .map(|(_, command)| Near { typed: first.clone(), command: command.to_string() })
}

/// Whether a line is nearly a command whose line holds a password: it is never repeated in full.
pub fn hides_password(text: &str) -> Option<usize> {
    let words: Vec<String> = text.split_whitespace().take(3).map(str::to_uppercase).collect();
    let near = |word: &str, command| {
        let length = word.chars().count();
        (4..=MOST_SHOWN).contains(&length) && distance(word, command) <= if length > 6 { 2 } else { 1 }
    };
    match words.as_slice() {
        [set, what, _] if set == "SET" && near(what, "PASSWORD") => Some(2),
        [password, _, ..] if near(password, "PASSWORD") => Some(1),
        [sign, on, _] if WITH_PASSWORD.contains(&format!("{sign}{on}").as_str()) => Some(3),
        [first, _, _] if WITH_PASSWORD.iter().chain(&["REVIVE"]).any(|c| near(first, c)) => Some(2),
        _ => None,
    }
}

/// What may stand on the first line of a mail, by how people are known here.
fn headers(mode: Mode) -> Vec<&'static str> {
    let registry: &[&str] = match mode {
        Mode::Open => &["REGISTER", "CONFIRM", "IAMALSO", "WHOAMI", "FORGET ME"],
        Mode::Closed => &["CONFIRM", "IAMALSO", "WHOAMI", "FORGET ME"],
        Mode::None => &["WHOAMI"],
    };
    [&WITH_PASSWORD[..], &QUESTIONS, registry].concat()
}

/// The command that a line in front of any sign-on may have meant.
pub fn near_header(text: &str, mode: Mode) -> Option<Near> {
    nearest(text, &headers(mode))
}

/// The command that a refused order line behind a sign-on may have meant. Whatever begins like an order is none.
pub fn near_command(table: &Table, on: &SignedOn, text: &str) -> Option<Near> {
    let first = text.split_whitespace().next()?;
    let known = nearest(text, &commands(table, on))?;
    let order = table.referee.knows_word(first) || ["CLEAR", "PARTIAL"].contains(&known.typed.as_str());
    (!order).then_some(known)
}

/// The command that a SET line which is none may have meant.
pub fn near_set(table: &Table, on: &SignedOn, text: &str) -> Option<Near> {
    let (_, rest) = text.trim().split_once(char::is_whitespace)?;
    let near = nearest(rest, &settings(table, on))?;
    Some(Near { typed: format!("SET {}", near.typed), command: format!("SET {}", near.command) })
}

/// What this person may write now.
fn commands(table: &Table, on: &SignedOn) -> Vec<&'static str> {
    let mut words = [&FOR_ALL[..], &QUESTIONS, &WITH_PASSWORD].concat();
    let running = !table.forming() && !table.completed();
    if running && table.may_order(&on.who) {
        words.extend(["CLEAR", "PARTIAL"]);
    }
    if may_vote(table, on) {
        words.push("VOTE");
        if table.rule(Rule::ProposeDias) || table.rule(Rule::HideProposer) {
            words.extend(["PROPOSE", "WITHDRAW PROPOSAL"]);
        }
    }
    match on.who {
        Who::Seat(_) if table.forming() && table.rule(Rule::Preferences) => words.push("PREFER"),
        Who::Seat(_) => {}
        Who::Master | Who::Keeper => words.extend(FOR_MASTER),
    }
    words
}

fn settings(table: &Table, on: &SignedOn) -> Vec<&'static str> {
    let mut words = vec!["ADDRESS", "PASSWORD", "ZONE", "NOZONE"];
    let master = !matches!(on.who, Who::Seat(_));
    if master || !table.rule(Rule::NoAbsences) {
        words.push("ABSENCE");
    }
    if master || (table.rule(Rule::PlayerDeadlines) && table.is_power(&on.who)) {
        words.push("DEADLINE");
    }
    match master {
        true => words.extend(["NOABSENCE", "LISTED", "UNLISTED"]),
        false => words.extend(["STRICT", "NOSTRICT", "NOTIFY"]),
    }
    if table.is_power(&on.who) && !table.forming() && !table.completed() {
        words.extend(["WAIT", "NOWAIT"]);
    }
    if may_vote(table, on) {
        words.extend(["VOTE", "DRAW", "NODRAW", "CONCEDE", "NOCONCEDE"]);
    }
    words
}

fn may_vote(table: &Table, on: &SignedOn) -> bool {
    let Who::Seat(n) = on.who else { return false };
    let running = !table.forming() && !table.completed() && !table.rule(Rule::NoDraw);
    running && table.referee.voters(&table.game).contains(&table.game.participants[n].name)
}

/// The part of a reply about lines around commands that were not read, where one of them is nearly a command; greetings
/// and farewells are passed over in silence.
pub fn skipped(lines: &[Line], mode: Mode) -> Option<Reply> {
    let mut part = Reply { outcome: "refused".into(), ..Reply::default() };
    for line in lines {
        if let Some(near) = near_header(&line.text, mode) {
            part.detail(line.number, Mark::Error, masked(&line.text), Code::NoCommand.name(), &near.to_string());
        }
    }
    if !part.has_errors() {
        return None;
    }
    part.paragraphs.push(format!("These lines were not read:\n{}", quoted(lines)));
    Some(part)
}

/// R_NO_COMMAND: what a mail has to begin with, what its lines may have meant, and the lines themselves.
pub fn no_command(lines: &[Line], mode: Mode) -> Reply {
    let mut part = Reply { outcome: "unread".into(), ..Reply::default() };
    let sentence = "The mail holds no command. It has to begin with a line like SIGNON Fgame password, or HELP. The \
                    subject is never read.";
    part.detail(0, Mark::Error, "your mail", Code::NoCommand.name(), sentence);
    for line in lines {
        if let Some(near) = near_header(&line.text, mode) {
            part.detail(line.number, Mark::Error, masked(&line.text), Code::NoCommand.name(), &near.to_string());
        }
    }
    if !lines.is_empty() {
        part.paragraphs.push(format!("It was not read:\n{}", quoted(lines)));
    }
    part
}

/// Lines as a quotation: mailed back they are nobody's commands.
fn quoted(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines.iter().take(MOST_QUOTED) {
        for piece in super::post::wrap(&masked(&line.text), 70, 0).lines() {
            text += &format!("> {piece}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(text: &str) -> Option<String> {
        near_header(text, Mode::Open).map(|near| near.to_string())
    }

    #[test]
    fn a_slip_of_the_hand_is_seen_through() {
        let wanted = |typed: &str, command: &str| Some(format!("{typed}: did you mean {command}?"));
        assert_eq!(meant("SINGON Fdemo secret"), wanted("SINGON", "SIGNON"));
        assert_eq!(meant("sign on Fdemo secret"), wanted("SIGN ON", "SIGNON"));
        assert_eq!(meant("i am also old@example.org"), wanted("I AM ALSO", "IAMALSO"));
        assert_eq!(meant("histroy demo"), wanted("HISTROY", "HISTORY"));
        assert_eq!(meant("REGSITER"), wanted("REGSITER", "REGISTER"));
        assert_eq!(meant("Help!"), wanted("HELP!", "HELP"));
        assert_eq!(meant("forget"), wanted("FORGET", "FORGET ME"));
        assert_eq!(meant("WHOAMI please"), Some("WHOAMI stands alone on its line.".into()));
    }

    #[test]
    fn letters_are_no_commands() {
        for line in ["Dear judge,", "Hello", "please move my army", "Kind regards", "John", "Giulia", "Thanks, Bob", ""]
        {
            assert_eq!(meant(line), None, "{line}");
        }
        assert_eq!(near_header("REGSITER", Mode::None), None, "nobody registers there");
        let long = "SIGNON".repeat(20_000);
        assert_eq!(meant(&long), None);
    }

    #[test]
    fn words_of_orders_are_no_commands() {
        let all = [&FOR_ALL[..], &QUESTIONS, &WITH_PASSWORD, &FOR_MASTER, &["VOTE", "PROPOSE", "PREFER"]].concat();
        let words = "HOLD HOLDS MOVE MOVES SUPPORT SUPPORTS CONVOY CONVOYS RETREAT RETREATS DISBAND DISBANDS BUILD BUILDS \
                     REMOVE REMOVES WAIVE WAIVED ARMY FLEET PROXY GIVE LOAN BOUNCE STAND";
        for word in words.split_whitespace() {
            assert_eq!(nearest(&format!("{word} A PAR"), &all), None, "{word}");
        }
    }

    #[test]
    fn a_misspelt_password_line_is_masked() {
        assert_eq!(masked("SINGON Fdemo le-secret"), "SINGON Fdemo ****");
        assert_eq!(masked("Sign on Fdemo le-secret"), "Sign on Fdemo ****");
        assert_eq!(masked("SET PASWORD newone"), "SET PASWORD ****");
        assert_eq!(masked("JION demo mypass word"), "JION demo **** ****");
        assert_eq!(masked("A par - bur"), "A par - bur");
        assert_eq!(masked("SET WIAT"), "SET WIAT");
        assert_eq!(masked("Dear judge, hello"), "Dear judge, hello");
    }

    #[test]
    fn what_is_quoted_is_nobodys_command() {
        let lines = Line::all(["SINGON Fdemo le-secret", "A par - bur"]);
        let part = no_command(&lines, Mode::Open);
        let text = part.text();
        assert!(text.contains("> SINGON Fdemo ****\n> A par - bur\n"), "{text}");
        assert!(text.contains("did you mean SIGNON?") && !text.contains("le-secret"), "{text}");
    }
}
