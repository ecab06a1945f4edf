//! The canonical text of a game (status-file.md 9): which lines a value becomes, in which order.

use super::lexis::stamp_text;
use super::line::squeeze;
use super::model::{Game, Omniscient, Participant, ParticipantKind, PhaseKeyword, PhaseState, PlayerLine};
use super::slot::{Slot, offer_rank};

/// Slots with their lines, in canonical order; empty ones are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lines(pub Vec<(Slot, Vec<String>)>);

impl Lines {
    /// The lines of one slot.
    pub fn of(&self, slot: Slot) -> &[String] {
        self.0.iter().find(|(s, _)| *s == slot).map_or(&[], |(_, lines)| lines)
    }

    fn add(&mut self, slot: Slot, line: impl AsRef<str>) {
        // One line stays one line, whatever the value holds.
        let line = squeeze(line.as_ref()).into_owned();
        match self.0.last_mut() {
            Some((last, lines)) if *last == slot => lines.push(line),
            _ => self.0.push((slot, vec![line])),
        }
    }

    fn text(&mut self, slot: Slot, key: &str, value: &Option<String>) {
        if let Some(value) = value {
            self.add(slot, format!("{key} {value}"));
        }
    }

    fn list(&mut self, slot: Slot, key: &str, values: &[String], between: &str) {
        if !values.is_empty() {
            self.add(slot, format!("{key} {}", values.join(between)));
        }
    }

    fn flag(&mut self, slot: Slot, key: &str, on: bool) {
        if on {
            self.add(slot, key);
        }
    }

    fn player(&mut self, slot: Slot, key: &str, line: &Option<PlayerLine>) {
        if let Some(line) = line {
            self.add(slot, format!("{key} {line}"));
        }
    }

    /// Up to three lines one by one, more in brackets (status-file.md 3). A line that would close the brackets
    /// keeps them away.
    fn block(&mut self, slot: Slot, key: &str, content: &[String]) {
        let content: Vec<String> = content.iter().map(|l| squeeze(l).into_owned()).filter(|l| !l.is_empty()).collect();
        let end = format!("END {key}");
        if content.len() > 3 && !content.iter().any(|l| l.eq_ignore_ascii_case(&end)) {
            self.add(slot, key);
            content.iter().for_each(|l| self.add(slot, l));
            self.add(slot, end);
        } else {
            content.iter().for_each(|l| self.add(slot, format!("{key} {l}")));
        }
    }
}

fn phase_line(game: &Game) -> Option<String> {
    let keyword = match game.keyword {
        PhaseKeyword::Phase => "PHASE",
        PhaseKeyword::Await => "AWAIT",
        PhaseKeyword::Wait => "WAIT",
        PhaseKeyword::Skip => "SKIP",
    };
    match &game.phase {
        PhaseState::Forming => Some(format!("{keyword} FORMING")),
        PhaseState::Completed => Some(format!("{keyword} COMPLETED")),
        PhaseState::Running(phase) if phase.is_empty() => None,
        PhaseState::Running(phase) => match (&game.skip_slot, game.keyword) {
            (Some(slot), PhaseKeyword::Skip) => {
                let moment = phase.rsplit_once(' ').map_or(phase.as_str(), |(moment, _)| moment);
                Some(format!("{keyword} {moment} {slot}"))
            }
            _ => Some(format!("{keyword} {phase}")),
        },
    }
}

/// The lines of the game block.
pub(crate) fn game_lines(game: &Game) -> Lines {
    let mut out = Lines::default();
    out.flag(Slot::Name, &format!("GAME {}", game.name), !game.name.is_empty());
    if let Some(line) = phase_line(game) {
        out.add(Slot::Phase, line);
    }
    out.text(Slot::Judge, "JUDGE", &game.judge);
    let map = if game.map.is_empty() { "standard" } else { &game.map };
    out.add(Slot::Map, format!("{} {map}", if game.trial { "TRIAL" } else { "MAP" }));
    out.text(Slot::Language, "LANGUAGE", &game.language);
    out.block(Slot::Morph, "MORPH", &game.morph);
    out.player(Slot::Master, "MASTER", &game.master);
    out.list(Slot::MasterAddress, "ADDRESS", &game.address, ",");
    out.text(Slot::MasterPassword, "PASSWORD", &game.password);
    if let Some(tester) = &game.tester {
        out.add(Slot::Tester, format!("TESTER {}", tester.as_deref().unwrap_or_default()));
    }
    out.list(Slot::Groups, "GROUPS", &game.groups, "|");
    out.text(Slot::Start, "START", &game.start);
    out.text(Slot::Finish, "FINISH", &game.finish);
    if let Some(result) = &game.result {
        out.add(Slot::Result, format!("RESULT {} {}", result.phase, result.victors.join(" ")));
    }
    if game.phase != PhaseState::Forming {
        out.list(Slot::Need, "NEED", &game.need.iter().map(ToString::to_string).collect::<Vec<_>>(), " ");
    }
    out.block(Slot::Desc, "DESC", &game.desc);
    out.block(Slot::Title, "NAME", &game.title);
    out.text(Slot::Private, "PRIVATE", &game.private);
    out.text(Slot::Rotate, "ROTATE", &game.rotate);
    game.rules.iter().for_each(|rule| out.add(Slot::Rule, format!("RULE {rule}")));
    game.rules_off.iter().for_each(|rule| out.add(Slot::Rule, format!("RULE !{rule}")));
    game.allow.iter().for_each(|kind| out.add(Slot::Allow, format!("ALLOW {kind}")));
    if let Some(proposal) = &game.proposal {
        out.add(Slot::Proposal, format!("PROPOSAL {} {}", proposal.result, proposal.proposer));
    }
    out.text(Slot::Deadline, "DEADLINE", &game.deadline.as_ref().map(stamp_text));
    out.text(Slot::Zone, "ZONE", &game.zone);
    out.flag(Slot::Delay, &format!("DELAY {}", game.delay), game.delay > 0);
    out.text(Slot::Held, "HELD", &game.held.as_ref().map(stamp_text));
    out.list(Slot::Timing, "TIMING", &game.timing.iter().map(|(k, v)| format!("{k} {v}")).collect::<Vec<_>>(), " ");
    out.list(Slot::Teams, "TEAMS", &game.teams, " ");
    for key in ["TAX", "CAP", "LOCKS"] {
        for (_, value) in game.variant_lines.iter().filter(|(k, _)| k == key) {
            out.add(Slot::GameVariant, format!("{key} {value}"));
        }
    }
    out.text(Slot::Signon, "SIGNON", &game.signon);
    out
}

/// The heading of a participant.
pub(crate) fn heading(game: &Game, who: &Participant) -> String {
    let heading = match &who.kind {
        ParticipantKind::Power if game.phase == PhaseState::Forming => format!("POWER {}", who.name),
        ParticipantKind::Power => who.name.clone(),
        ParticipantKind::Waiting => format!("POWER {}", who.name),
        ParticipantKind::Other(kind) => format!("{kind} {}", who.name),
    };
    squeeze(&heading).into_owned()
}

/// The lines of a participant block.
pub(crate) fn participant_lines(game: &Game, who: &Participant) -> Lines {
    let mut out = Lines::default();
    out.add(Slot::Heading, heading(game, who));
    out.player(Slot::Player, "PLAYER", &who.player);
    out.list(Slot::Address, "ADDRESS", &who.address, ",");
    out.list(Slot::Control, "CONTROL", &who.control, " ");
    out.text(Slot::Password, "PASSWORD", &who.password);
    out.text(Slot::OwnZone, "ZONE", &who.zone);
    if let Some(words) = &who.notify {
        out.add(Slot::Notify, format!("NOTIFY {}", words.join(" ")));
    }
    out.flag(Slot::Strict, "STRICT", who.strict);
    out.text(Slot::Prefer, "PREFER", &who.prefer);
    match who.omniscient {
        Omniscient::No => {}
        Omniscient::Sees => out.add(Slot::Omniscient, "OMNISCIENT"),
        Omniscient::Hears => out.add(Slot::Omniscient, "OMNISCIENT!"),
    }
    out.flag(Slot::Wait, "WAIT", who.wait);
    out.flag(Slot::Cd, "CD", who.cd);
    out.text(Slot::Vote, "VOTE", &who.vote.map(|v| v.to_string()));
    who.msg.iter().for_each(|line| out.add(Slot::Msg, format!("MSG {line}")));
    if let Some(homes) = &who.inhabits {
        out.add(Slot::Inhabits, format!("INHABITS {}", homes.join(" ")));
    }
    out.list(Slot::Owns, "OWNS", &who.owns, " ");
    out.list(Slot::Sees, "SEES", &who.sees, " ");
    out.list(Slot::Hides, "HIDES", &who.hides, ", ");
    out.text(Slot::Funds, "FUNDS", &who.funds);
    for (unit, places) in &who.retreats {
        out.add(Slot::Retreats, format!("{unit} --> {}", places.join(" ")));
    }
    who.units.iter().for_each(|unit| out.add(Slot::Units, unit));
    who.adjust.iter().for_each(|order| out.add(Slot::Adjust, order));
    let mut offers: Vec<&String> = who.variant_lines.iter().collect();
    offers.sort_by_key(|line| offer_rank(line));
    offers.into_iter().for_each(|line| out.add(Slot::Offers, line));
    for (name, orders) in lists(who) {
        out.add(Slot::Lists, name);
        orders.iter().for_each(|order| out.add(Slot::Lists, order));
    }
    out
}

/// ORDERS and the lists of Crystal Ball.
fn lists(who: &Participant) -> impl Iterator<Item = (&str, &Vec<String>)> {
    let orders = who.orders.iter().map(|list| ("ORDERS", list));
    orders.chain(who.lists.iter().map(|(name, list)| (name.as_str(), list)))
}

/// The canonical text of a game that has no document yet.
pub fn canonical(game: &Game) -> String {
    let mut out = String::new();
    let mut push = |lines: Lines| {
        for line in lines.0.iter().flat_map(|(_, lines)| lines) {
            out.push_str(line);
            out.push('\n');
        }
    };
    push(game_lines(game));
    for who in &game.participants {
        push(Lines(vec![(Slot::Heading, vec![String::new()])]));
        push(participant_lines(game, who));
    }
    out
}

/// Sorts the participants as the judge does when somebody joins, at the start and at each processing: powers by
/// name, then players waiting for one, then other types by type and name (status-file.md 9).
pub fn sort_participants(game: &mut Game) {
    game.participants.sort_by(|a, b| {
        let rank = |p: &Participant| match &p.kind {
            ParticipantKind::Power => (0, String::new()),
            ParticipantKind::Waiting => (1, String::new()),
            ParticipantKind::Other(kind) => (2, kind.clone()),
        };
        let number = |p: &Participant| p.name.strip_prefix("POWER#").and_then(|n| n.parse::<u32>().ok());
        (rank(a), number(a), &a.name).cmp(&(rank(b), number(b), &b.name))
    });
}
