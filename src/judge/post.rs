//! Who gets a mail, and the form all mails share (notices.md 1).

use super::sight;
use super::table::{Table, Who, is_dummy, is_vacant};
use super::wants;
use crate::diplomacy::rules::Rule;
use crate::mail::{Letter, Scene, Thread};
use crate::status::{Omniscient, Participant, ParticipantKind};
use std::sync::Arc;

/// Circles of recipients (notices.md 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Circle {
    /// Every power and observer with an address, and the Master.
    All,
    /// The same and monitors.
    Everyone,
}

/// One mailbox that is written to, and for whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient {
    /// Mail address.
    pub address: String,
    /// Index of the participant; `None`: the Master or somebody outside.
    pub seat: Option<usize>,
}

fn is_monitor(p: &Participant) -> bool {
    p.kind == ParticipantKind::Other("MONITOR".into())
}

/// Adds a recipient unless the address is there.
fn add(list: &mut Vec<Recipient>, address: &str, seat: Option<usize>) {
    if !address.is_empty() && !list.iter().any(|r| r.address.eq_ignore_ascii_case(address)) {
        list.push(Recipient { address: address.to_string(), seat });
    }
}

impl Table<'_> {
    /// The recipients of a circle, each address once.
    pub fn circle(&self, circle: Circle) -> Vec<Recipient> {
        let mut list = Vec::new();
        for (n, p) in self.game.participants.iter().enumerate() {
            if (is_monitor(p) && circle == Circle::All) || is_vacant(p) {
                continue;
            }
            for address in self.addresses(p) {
                add(&mut list, &address, Some(n));
            }
        }
        for address in self.master_addresses() {
            add(&mut list, &address, None);
        }
        list
    }

    /// The same where not everybody is told the same: an address once for each name under which it reads.
    pub fn everyone_apart(&self) -> Vec<Recipient> {
        let mut list: Vec<(Recipient, Option<String>)> = Vec::new();
        let seats = self.game.participants.iter().enumerate().filter(|(_, p)| !is_vacant(p));
        let seats = seats.map(|(n, p)| (Some(n), self.addresses(p)));
        for (seat, addresses) in seats.chain([(None, self.master_addresses())]) {
            let name = sight::reads_as(self, &seat.map_or(Who::Master, Who::Seat)).map(str::to_string);
            for address in addresses.into_iter().filter(|a| !a.is_empty()) {
                if !list.iter().any(|(r, known)| r.address.eq_ignore_ascii_case(&address) && *known == name) {
                    list.push((Recipient { address, seat }, name.clone()));
                }
            }
        }
        list.into_iter().map(|(recipient, _)| recipient).collect()
    }

    /// Recipients for chosen participants.
    pub fn recipients(&self, seats: &[usize]) -> Vec<Recipient> {
        let mut list = Vec::new();
        for n in seats {
            if let Some(p) = self.game.participants.get(*n) {
                for address in self.addresses(p) {
                    add(&mut list, &address, Some(*n));
                }
            }
        }
        list
    }

    /// The Master's mailboxes.
    pub fn master_recipients(&self) -> Vec<Recipient> {
        let mut list = Vec::new();
        for address in self.master_addresses() {
            add(&mut list, &address, None);
        }
        list
    }

    /// Those who see everything: the Master, and who watches with open eyes.
    pub fn overseers(&self) -> Vec<Recipient> {
        let mut list = self.master_recipients();
        for (n, p) in self.game.participants.iter().enumerate().filter(|(_, p)| p.omniscient != Omniscient::No) {
            for address in self.addresses(p) {
                add(&mut list, &address, Some(n));
            }
        }
        list
    }

    /// Participants that play a seat and are neither dummy nor vacant.
    pub fn players(&self) -> Vec<usize> {
        let plays = |p: &Participant| p.kind == ParticipantKind::Power && !is_dummy(p) && !is_vacant(p);
        self.game.participants.iter().enumerate().filter(|(_, p)| plays(p)).map(|(n, _)| n).collect()
    }

    /// The same mail to several mailboxes, one letter each.
    pub fn letters(&self, to: &[Recipient], notice: &str, subject: &str, text: &str) -> Vec<Letter> {
        // TESTER: all mail of this game goes to one address, or nowhere (status-file.md 2.1).
        let tester;
        let to = match &self.game.tester {
            None => to,
            Some(None) => &[],
            Some(Some(_)) if to.is_empty() => to,
            Some(Some(address)) => {
                tester = [Recipient { address: address.clone(), seat: None }];
                &tester
            }
        };
        // A Master who plays alone, or wants no reports (rules.md 2.4 IGNORE_RESULTS).
        let ignores =
            self.game.tester.is_none() && matches!(notice, "N17" | "N18" | "N34") && self.rule(Rule::IgnoreResults);
        let reminds = matches!(notice, "N10" | "N11");
        let seat = |r: &Recipient| r.seat.and_then(|n| self.game.participants.get(n));
        let fixed = FIXED.contains(&notice);
        let text_for = |r: &Recipient| match seat(r).and_then(|p| p.zone.as_deref()) {
            _ if fixed => text.to_string(),
            Some(zone) => fill(&self.with_own_time(text, zone)),
            None => fill(text),
        };
        to.iter()
            .filter(|r| !(ignores && r.seat.is_none()))
            .filter(|r| seat(r).is_none_or(|p| wants::wants(p, notice)))
            .map(|r| Letter {
                to: r.address.clone(),
                game: Some(self.game.name.clone()),
                phase: Some(self.phase()),
                notice: notice.to_string(),
                subject: subject_line(subject, &self.game.name),
                text: text_for(r),
                bulk: to.len() > 1,
                thread: Some(Thread::Game),
                // A reminder of what is over.
                expires: self.deadline().filter(|_| reminds).map(|deadline| self.deadline_utc(deadline)),
                optional: seat(r).is_some_and(wants::watches) || reminds,
                ..Letter::default()
            })
            .collect()
    }

    /// The deadline in the reader's own zone behind that of the game (notices.md 1).
    fn with_own_time(&self, text: &str, zone: &str) -> String {
        let (Some(deadline), Ok(zone)) = (self.deadline(), crate::clock::zone::named(zone)) else {
            return text.to_string();
        };
        // The moment itself: his digits may be those of an hour that happens twice.
        let own = crate::clock::format::long(&self.deadline_utc(deadline).with_timezone(&zone));
        let said = self.deadline_long();
        if own == said { text.to_string() } else { text.replace(&said, &format!("{said} ({own})")) }
    }

    /// The three lines before results, lists, confirmations and reminders (notices.md 1). The deadline is that of the
    /// phase named.
    pub fn header(&self) -> String {
        let phase = match self.phase() {
            // Old mapping programs know winter adjustments by this name only.
            w if w.starts_with('W') && w.ends_with('A') => format!("F{}B", &w[1..w.len() - 1]),
            other => other,
        };
        let mut text = format!(
            ":: Judge: {}  Game: {}  Variant: {} {}\n",
            self.house.id,
            self.game.name,
            self.referee.board(),
            if self.referee.variant() == "standard" { "" } else { self.referee.variant() },
        );
        match self.deadline() {
            Some(deadline) if !self.completed() => {
                text += &format!(":: Deadline: {phase} {}\n", super::time::short(deadline, self.zone()));
            }
            _ => text += &format!(":: Deadline: {phase} none\n"),
        }
        text + &format!(":: URL: {}\n", self.game_url())
    }

    /// The deadline in words, or that there is none.
    pub fn deadline_long(&self) -> String {
        match self.deadline() {
            Some(deadline) => super::time::long(deadline, self.zone()),
            None => "none".into(),
        }
    }
}

/// Notices whose text has a form that programs read, or that somebody else has written.
const FIXED: [&str; 8] = ["N06", "N16", "N17", "N18", "N19", "N27", "N45", "digest"];
/// Columns of the others.
const WIDTH: usize = 72;

/// Wraps what is longer than a line; an indent stays.
fn fill(text: &str) -> String {
    let indent = |line: &str| match line.split_once(":  ") {
        // Behind a label the lines stay in its column.
        Some((label, rest)) => label.chars().count() + 3 + rest.chars().take_while(|c| *c == ' ').count(),
        None => line.chars().take_while(|c| *c == ' ').count(),
    };
    let line = |line: &str| match line.chars().count() > WIDTH && !line.starts_with(":: ") {
        true => wrap(line, WIDTH, indent(line)) + "\n",
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Gives letters their picture.
pub fn with_scene(mut letters: Vec<Letter>, scene: Option<Arc<Scene>>) -> Vec<Letter> {
    for letter in &mut letters {
        letter.scene = scene.clone();
    }
    letters
}

/// Every subject names the game: ` (game)` is added unless its name is a word of the subject.
pub fn subject_line(subject: &str, game: &str) -> String {
    let named = subject.split(|c: char| c.is_whitespace() || c == '\'' || c == '(' || c == ')').any(|w| w == game);
    if named { subject.to_string() } else { format!("{subject} ({game})") }
}

/// Wraps words at `width` columns; continuation lines are indented. Hyphenated words stay whole.
pub fn wrap(text: &str, width: usize, indent: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for (n, word) in text.split(' ').enumerate() {
        let length = word.chars().count();
        if n > 0 {
            if column + 1 + length > width {
                out.push('\n');
                out.push_str(&" ".repeat(indent));
                column = indent;
            } else {
                out.push(' ');
                column += 1;
            }
        }
        out.push_str(word);
        column += length;
    }
    out
}

/// `A`, `A and B`, `A, B and C`.
pub fn and_list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_name_the_game_once() {
        assert_eq!(subject_line("Diplomacy results balkan9 S1901M", "balkan9"), "Diplomacy results balkan9 S1901M");
        assert_eq!(subject_line("Diplomacy deadline reminder", "balkan9"), "Diplomacy deadline reminder (balkan9)");
        assert_eq!(subject_line("Diplomacy game 'x' complete", "x"), "Diplomacy game 'x' complete");
    }

    #[test]
    fn long_lines_are_filled_and_tables_stay() {
        let long = "word ".repeat(20);
        assert!(fill(&long).lines().all(|l| l.chars().count() <= WIDTH));
        assert_eq!(
            fill("Label:            a\n    https://x.example/y\n"),
            "Label:            a\n    https://x.example/y\n"
        );
    }

    #[test]
    fn wrapping_keeps_words() {
        assert_eq!(wrap("one two three", 7, 2), "one two\n  three");
    }
}
