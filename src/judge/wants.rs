//! Mails somebody need not have (notices.md 8.4): the words of NOTIFY, SET NOTIFY by mail, and the one click of
//! List-Unsubscribe (RFC 8058). Players can do without reminders; who only watches can do without everything. DIGEST
//! collects what a watcher gets and mails it once a day.

use super::code::{Code, Refusal, refuse};
use super::decision::{Decision, FileEdit, GameState};
use super::session::{Desk, Outcome};
use super::table::{Table, Who};
use crate::mail::Letter;
use crate::status::{Participant, ParticipantKind};

/// Words of NOTIFY.
pub const WORDS: [&str; 4] = ["RESULTS", "PRESS", "REMINDERS", "DIGEST"];

/// Whether somebody watches without playing: all his mail is optional.
pub fn watches(p: &Participant) -> bool {
    matches!(p.kind, ParticipantKind::Other(_))
}

fn has(p: &Participant, word: &str) -> bool {
    p.notify.as_ref().is_none_or(|words| words.iter().any(|w| w == word))
}

/// Whether that notice goes to that participant.
pub fn wants(p: &Participant, notice: &str) -> bool {
    match notice {
        "N10" | "N11" => has(p, "REMINDERS"),
        // What he did himself he is told in any case.
        "N20" | "N21" | "N23" | "N51" | "digest" => true,
        _ if !watches(p) => true,
        "N45" => has(p, "PRESS"),
        _ => has(p, "RESULTS"),
    }
}

/// Whether his mails are put together to one a day.
fn digests(p: &Participant) -> bool {
    watches(p) && p.notify.as_ref().is_some_and(|words| words.iter().any(|w| w == "DIGEST"))
}

/// SET NOTIFY: the words for the status file; `None`: all mails, the line is not written.
pub fn read(table: &Table, who: &Who, words: &[String]) -> Result<Option<Vec<String>>, Refusal> {
    let Who::Seat(n) = who else {
        return refuse(Code::Syntax, "SET NOTIFY is for players and those who watch; the Master gets every mail.");
    };
    let watcher = table.game.participants.get(*n).is_some_and(watches);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["ALL"] => return Ok(None),
        ["NONE"] if watcher => return Ok(Some(Vec::new())),
        ["NONE"] => return Ok(Some(vec!["RESULTS".into(), "PRESS".into()])),
        [] => {}
        list if list.iter().all(|w| WORDS.contains(w)) => {
            if list.contains(&"DIGEST") && !watcher {
                return refuse(
                    Code::Syntax,
                    "A player's mails come at once; only who watches can have them in one a day.",
                );
            }
            let mut kept: Vec<String> = WORDS.iter().filter(|w| list.contains(w)).map(|w| w.to_string()).collect();
            if !watcher {
                // A player gets these in any case.
                kept.retain(|w| w == "REMINDERS");
                kept.splice(0..0, ["RESULTS".to_string(), "PRESS".to_string()]);
            } else if kept == ["DIGEST"] {
                kept.splice(0..0, ["RESULTS".to_string(), "PRESS".to_string()]);
            }
            return Ok(Some(kept));
        }
        _ => {}
    }
    refuse(Code::Syntax, "Say SET NOTIFY and ALL, NONE, or some of RESULTS, PRESS, REMINDERS, DIGEST.")
}

/// What NOTIFY means, in words.
pub fn describe(p: &Participant) -> String {
    match (&p.notify, watches(p)) {
        (None, _) => "you get every mail".into(),
        (Some(words), false) if words.iter().any(|w| w == "REMINDERS") => "you get every mail".into(),
        (Some(_), false) => "you get every mail but reminders".into(),
        (Some(words), true) => {
            let named: Vec<String> =
                words.iter().filter(|w| *w == "RESULTS" || *w == "PRESS").map(|w| w.to_lowercase()).collect();
            let what = if named.is_empty() { "nothing".to_string() } else { super::post::and_list(&named) };
            let daily = if digests(p) && !named.is_empty() { ", in one mail a day" } else { "" };
            format!("you get {what}{daily}")
        }
    }
}

/// One click: whoever has that address gets no more mail about the game that he can do without. What was done, in words;
/// `None`: nobody here has the address.
pub fn unsubscribe(table: &mut Table, fits: &dyn Fn(&str) -> bool) -> Option<(Outcome, String)> {
    let (before, index) = (table.game.clone(), table.index.clone());
    let seats: Vec<usize> = (0..table.game.participants.len())
        .filter(|n| table.addresses(&table.game.participants[*n]).iter().any(|a| fits(a)))
        .collect();
    if seats.is_empty() {
        return None;
    }
    let mut said = Vec::new();
    for n in seats {
        let title = table.title(&Who::Seat(n));
        let p = &mut table.game.participants[n];
        if watches(p) {
            p.notify = Some(Vec::new());
            said.push(format!("No more mail about game {} goes to {title}.", before.name));
        } else {
            p.notify = Some(vec!["RESULTS".into(), "PRESS".into()]);
            said.push(format!(
                "No more reminders about game {} go to {title}. Results and what else a player must know still do.",
                before.name
            ));
        }
    }
    let audit = "unsubscribed by a link".to_string();
    Some((Desk::new(table).close(&before, &index, audit), said.join("\n")))
}

/// The file that holds what a watcher will be mailed.
fn file(p: &Participant) -> String {
    // Names are words, but what they are made of is the author's: a file name is safe.
    let name: String =
        p.name
            .bytes()
            .map(|b| {
                if b.is_ascii_alphanumeric() {
                    (b.to_ascii_lowercase() as char).to_string()
                } else {
                    format!("_{b:02x}")
                }
            })
            .collect();
    format!("digest.{name}")
}

/// The letters of a decision to those who want one a day are kept in the game; when it is over, all goes out at once.
pub fn put_together(desk: &mut Desk) {
    if desk.table.game.participants.iter().any(digests) {
        let over = desk.table.completed() || desk.table.index.state == GameState::Terminated;
        if over {
            send_digests(desk);
        } else {
            collect(desk.table, &mut desk.decision);
        }
    }
    desk.decision.letters.splice(0..0, std::mem::take(&mut desk.digests));
}

fn collect(table: &Table, decision: &mut Decision) {
    let readers: Vec<&Participant> = table.game.participants.iter().filter(|p| digests(p)).collect();
    let mut edits = Vec::new();
    decision.letters.retain(|letter| {
        let reader = readers.iter().find(|p| {
            letter.optional && table.addresses(p).first().is_some_and(|a| a.eq_ignore_ascii_case(&letter.to))
        });
        if let Some(p) = reader {
            edits.push(FileEdit::Append(file(p), entry(letter)));
        }
        reader.is_none()
    });
    decision.files.extend(edits);
}

fn entry(letter: &Letter) -> String {
    format!(
        "{}\n{}\n\n{}\n\n",
        letter.subject,
        "-".repeat(letter.subject.chars().count().min(72)),
        letter.text.trim_end()
    )
}

/// Once a day: what has been collected goes out.
pub fn send_digests(desk: &mut Desk) {
    let table = &desk.table;
    let mut letters = Vec::new();
    let mut edits = Vec::new();
    for (n, p) in table.game.participants.iter().enumerate() {
        let Some(text) = table.records.file(&file(p)).filter(|t| !t.trim().is_empty()) else { continue };
        let to: Vec<_> = table.recipients(&[n]).into_iter().take(1).collect();
        let text = format!("What has happened in game {} since the last digest:\n\n{text}", table.game.name);
        letters.extend(table.letters(&to, "digest", "Diplomacy digest", &text));
        edits.push(FileEdit::Remove(file(p)));
    }
    desk.digests = letters;
    desk.decision.files.extend(edits);
}
