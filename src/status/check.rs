//! The checks that need a board and rules (status-file.md 2.1, 4–6, 8).

use super::diagnostic::{Diagnostic, Severity};
use super::document::{BlockKind, Document};
use super::geography::{Geography, Ruling};
use super::lexis::is_unit;
use super::line::{column, squeeze, trimmed, words};
use super::model::{Game, Holder, Participant, ParticipantKind, PhaseKeyword, PhaseState, Vote};
use super::slot::{Role, Slot, offer_rank};
use super::timing::RESERVED;
use std::collections::{BTreeMap, BTreeSet};

/// A running game with neither DEADLINE nor NO_DEADLINE. Where that rule has just been taken out of the file, the judge
/// computes a deadline instead (clock.md 4.1).
pub const HAS_NO_DEADLINE: &str = "GAME HAS NO DEADLINE!";

/// A game with all that is to be said about its file.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The typed view, the phase in its long form.
    pub game: Game,
    /// Findings of grammar and checks, in file order.
    pub diagnostics: Vec<Diagnostic>,
}

impl Checked {
    /// Whether the game must not be processed.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Checks a file against its board (`None`: it could not be loaded, then nothing that needs it is checked) and rules.
pub fn check(document: &Document, board: Option<&dyn Geography>, ruling: &Ruling) -> Checked {
    let mut check = Check { document, game: document.game().clone(), board, ruling, out: Vec::new(), mute: Vec::new() };
    check.game_block();
    check.participants();
    let Check { game, mut out, mute, .. } = check;
    let muted = |d: &Diagnostic| mute.iter().any(|lines: &std::ops::Range<usize>| lines.contains(&d.line));
    out.extend(document.diagnostics().iter().filter(|d| !muted(d)).cloned());
    out.sort_by_key(|d| d.line);
    Checked { game, diagnostics: out }
}

/// The province of a place: what stands before the coast.
fn province(place: &str) -> &str {
    place.split('/').next().unwrap_or(place)
}

/// The place of a unit.
fn place(unit: &str) -> &str {
    unit.split_once(' ').map_or(unit, |(_, place)| place)
}

/// Where the last word of a text stands in a line.
fn last_word(line: &str, text: &str) -> Option<usize> {
    let last = words(text).last()?.1;
    words(line).find(|(_, word)| word.eq_ignore_ascii_case(last)).map(|(byte, _)| byte)
}

struct Check<'a> {
    document: &'a Document,
    game: Game,
    board: Option<&'a dyn Geography>,
    ruling: &'a Ruling,
    out: Vec<Diagnostic>,
    /// Lines (from 1) of blocks that are no participants after all: nothing more is said about them.
    mute: Vec<std::ops::Range<usize>>,
}

impl Check<'_> {
    // ---- where ---------------------------------------------------------------------------------------------------

    /// The line (from 0) of a slot in a block: the one that gives exactly this text if there is one, else the first of
    /// the slot that has its last word, else the first of the slot, else the heading; and whether it is of the slot.
    fn line(&self, who: Option<usize>, slot: Slot, given: &str) -> (usize, bool) {
        let kind = who.map_or(BlockKind::Game, BlockKind::Participant);
        let blocks = self.document.blocks.iter().filter(|b| b.kind == kind);
        let lines: Vec<usize> = blocks.flat_map(|b| b.lines.clone()).collect();
        let roles = &self.document.roles;
        let text = |at: usize| self.document.lines[at].text.as_str();
        let find = |wanted: &dyn Fn(usize, &Role) -> bool| lines.iter().copied().find(|at| wanted(*at, &roles[*at]));
        let of_slot = |_: usize, role: &Role| role.slots().contains(&slot);
        let exact = find(&|at, role| of_slot(at, role) && role.gives(text(at)).iter().any(|g| g == given));
        let with_word = || find(&|at, role| of_slot(at, role) && last_word(text(at), given).is_some());
        let head = || find(&|_, role| role.slots().iter().any(|s| matches!(s, Slot::Heading | Slot::Name)));
        match exact.or_else(with_word).or_else(|| find(&of_slot)) {
            Some(at) => (at, true),
            None => (head().or_else(|| lines.first().copied()).unwrap_or(0), false),
        }
    }

    /// Notes a finding about what a line of a slot gives: where that text, or its last word, stands; else where the
    /// line's value begins; about something absent, at the head of its block.
    fn say(&mut self, who: Option<usize>, slot: Slot, given: &str, severity: Severity, text: String, hint: &str) {
        let (at, there) = self.line(who, slot, given);
        let line = self.document.lines.get(at).map_or("", |l| l.text.as_str());
        // What is wrong as a whole begins where the line does; of RULE NAME it is the name.
        let whole = slot != Slot::Rule && trimmed(line).eq_ignore_ascii_case(given);
        let byte = if !there || whole {
            None
        } else {
            last_word(line, given).or_else(|| words(line).nth(1).map(|(byte, _)| byte))
        };
        let column = byte.map_or(1, |byte| column(line, byte));
        self.out.push(Diagnostic { line: at + 1, column, severity, text, hint: hint.to_owned() });
    }

    fn error(&mut self, who: Option<usize>, slot: Slot, text: impl Into<String>, hint: &str) {
        self.say(who, slot, "", Severity::Error, text.into(), hint);
    }

    // ---- the game block ------------------------------------------------------------------------------------------

    fn game_block(&mut self) {
        self.phase();
        self.rules();
        let running = matches!(&self.game.phase, PhaseState::Running(p) if !p.is_empty());
        if running && self.game.deadline.is_none() && !self.ruling.has("NO_DEADLINE") {
            let hint = "a line DEADLINE yyyymmddhhmm, or RULE NO_DEADLINE";
            self.error(None, Slot::Deadline, HAS_NO_DEADLINE, hint);
        }
        for (key, value) in self.game.variant_lines.clone() {
            let variant = if key == "LOCKS" { "xtalball" } else { "payola" };
            if self.ruling.variant != variant {
                let line = format!("{key} {value}");
                let text = format!("UNRECOGNIZED GAME DATA: {line}");
                let hint = format!("only in variant {variant}");
                self.say(None, Slot::GameVariant, &line, Severity::Error, text, &hint);
            }
        }
        if let Some(proposal) = self.game.proposal.clone() {
            let power = |key: &str| self.board.is_none_or(|b| b.is_power(key));
            let known = (proposal.result == "DIAS" || power(&proposal.result)) && power(&proposal.proposer);
            if !known || !self.ruling.has("PROPOSE_DIAS") {
                let hint = "DIAS or a power, then a power, under RULE PROPOSE_DIAS";
                self.error(None, Slot::Proposal, "BAD PROPOSAL", hint);
            }
        }
        if let Some(board) = self.board {
            let spoken = self.game.language.as_ref().map(|language| language.to_lowercase());
            if let Some(wanted) = spoken.filter(|language| language != board.language()) {
                let text = format!("MAP LANGUAGE IS {}, NOT {}", board.language(), wanted).to_uppercase();
                let hint = format!("a map file {}_{wanted}.map, or no LANGUAGE line", self.game.map);
                self.error(None, Slot::Language, text, &hint);
            }
            self.flow_words(board);
            self.seats(board);
        }
        self.same_persons();
    }

    fn phase(&mut self) {
        let skips = self.game.keyword == PhaseKeyword::Skip;
        if skips && self.ruling.variant != "xtalball" {
            let hint = "SKIP belongs to variant xtalball";
            self.say(None, Slot::Phase, "", Severity::Warning, "SKIP READ AS PHASE".to_owned(), hint);
            self.game.keyword = PhaseKeyword::Phase;
            self.game.skip_slot = None;
        }
        let (PhaseState::Running(text), Some(board)) = (&self.game.phase, self.board) else { return };
        if text.is_empty() {
            return;
        }
        let line = self.line(None, Slot::Phase, "").0 + 1;
        match board.phase(text) {
            Some(long) => self.game.phase = PhaseState::Running(long),
            // The grammar has said something about this line already.
            None if self.document.diagnostics().iter().any(|d| d.line == line && d.is_error()) => {}
            // A short form that cannot be written out has no year to count from the map's first.
            None if !text.contains(' ') => {
                self.error(None, Slot::Phase, "BAD YEAR IN GAME PHASE", "the short form of a phase of the map's flow")
            }
            None => self.error(None, Slot::Phase, "BAD PHASE (NOT IN FLOW)", "a phase of the map's flow"),
        }
    }

    fn rules(&mut self) {
        for remark in &self.ruling.remarks {
            let off = format!("RULE !{}", remark.rule);
            let on = format!("RULE {}", remark.rule);
            let given = if self.game.rules.contains(&remark.rule) { on } else { off };
            self.say(None, Slot::Rule, &given, remark.severity, remark.text.clone(), &remark.hint);
        }
    }

    /// Words of TIMING and ROTATE that mean kinds of phase.
    fn flow_words(&mut self, board: &dyn Geography) {
        let kinds = board.phase_kinds();
        for (key, _) in self.game.timing.clone() {
            if !RESERVED.contains(&key.as_str()) && !kinds.iter().any(|k| k.starts_with(&key)) {
                let hint = format!("{}, or the beginning of {}", RESERVED.join(", "), kinds.join(", "));
                let text = format!("UNKNOWN KEY IN TIMING: {key}");
                self.say(None, Slot::Timing, "", Severity::Warning, text, &hint);
            }
        }
        let words = self.game.rotate.clone().unwrap_or_default();
        let words: Vec<&str> = words.split(' ').collect();
        let initial = |w: &&str| w.chars().next();
        if words.iter().skip(1).step_by(2).any(|w| !kinds.iter().any(|k| initial(k) == initial(w))) {
            self.error(None, Slot::Rotate, "BAD CONTROL ROTATION", &format!("a kind of {}", kinds.join(", ")));
        }
    }

    /// More players than seats.
    fn seats(&mut self, board: &dyn Geography) {
        let is_player = |p: &&Participant| {
            matches!(p.kind, ParticipantKind::Power | ParticipantKind::Waiting) && !p.is_dummy() && p.control.is_empty()
        };
        let players = self.game.participants.iter().filter(is_player).count();
        let dummy = |power: &&str| {
            board.is_dummy(power) || self.game.participant(power).is_some_and(|p| p.is_dummy() || !p.control.is_empty())
        };
        let seats = board.powers().iter().filter(|p| !dummy(p)).count();
        if players > seats && self.game.phase == PhaseState::Forming {
            let text = match players - seats {
                1 => "THERE IS 1 MORE PLAYER THAN THERE ARE POSITIONS AVAILABLE".to_owned(),
                n => format!("THERE ARE {n} MORE PLAYERS THAN THERE ARE POSITIONS AVAILABLE"),
            };
            self.error(None, Slot::Name, text, &format!("at most {seats} players"));
        }
    }

    /// The same number in two seats.
    fn same_persons(&mut self) {
        fn number(line: Option<&super::model::PlayerLine>) -> Option<String> {
            let Some(Holder::Person(person)) = line.map(|l| &l.current) else { return None };
            let numbered = !person.id.is_empty() && person.id.bytes().all(|b| b.is_ascii_digit());
            numbered.then(|| person.id.clone())
        }
        let master = number(self.game.master.as_ref());
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        for (at, who) in self.game.participants.clone().into_iter().enumerate() {
            let Some(id) = number(who.player.as_ref()) else { continue };
            if Some(&id) == master.as_ref() {
                let text = format!("THE MASTER HAS THE SAME ID AS {}", who.name);
                self.error(Some(at), Slot::Player, text, "each person once");
            }
            match seen.get(&id) {
                Some(first) => {
                    let text = format!("{first} AND {} HAVE THE SAME ID", who.name);
                    self.error(Some(at), Slot::Player, text, "each person once");
                }
                None => {
                    seen.insert(id, who.name);
                }
            }
        }
    }

    // ---- participants --------------------------------------------------------------------------------------------

    fn participants(&mut self) {
        let mut owners: BTreeSet<String> = BTreeSet::new();
        let mut standing: BTreeSet<String> = BTreeSet::new();
        for (at, who) in self.game.participants.clone().iter().enumerate() {
            if self.is_no_participant(at, who) {
                continue;
            }
            self.player(at, who);
            self.variant_lines(at, who);
            if let Some(board) = self.board {
                self.possessions(board, at, who, &mut owners);
                self.units(board, at, who, &mut standing);
            }
            self.adjust(at, who);
            self.orders(at, who);
        }
    }

    fn is_no_participant(&mut self, at: usize, who: &Participant) -> bool {
        let Some(board) = self.board else { return false };
        let good = match &who.kind {
            ParticipantKind::Power => board.is_power(&who.name),
            ParticipantKind::Waiting => self.game.phase == PhaseState::Forming,
            ParticipantKind::Other(_) => !board.is_power(&who.name),
        };
        if !good {
            let (line, _) = self.line(Some(at), Slot::Heading, "");
            let heading = self.document.lines.get(line).map(|l| squeeze(&l.text)).unwrap_or_default();
            self.error(Some(at), Slot::Heading, format!("NOT A POWER DECLARATION: {heading}"), "a power of the map");
            let blocks = self.document.blocks.iter().filter(|b| b.kind == BlockKind::Participant(at));
            self.mute.extend(blocks.map(|b| b.lines.start + 1..b.lines.end + 1));
        }
        !good
    }

    fn player(&mut self, at: usize, who: &Participant) {
        let refused = self.document.unknown_lines(Some(at)).iter().any(|l| l.to_uppercase().starts_with("PLAYER"));
        if who.player.is_none() && who.control.is_empty() && who.kind == ParticipantKind::Power && !refused {
            self.error(Some(at), Slot::Player, format!("NO PLAYER DATA FOR {}", who.name), "a PLAYER line");
        }
        let Some(board) = self.board else { return };
        if who.control.iter().any(|c| c != "MASTER" && !board.is_power(c)) {
            self.error(
                Some(at),
                Slot::Control,
                format!("BAD CONTROL FOR {}", who.name),
                "powers of the map, or MASTER",
            );
        }
        if matches!(who.vote, Some(Vote::Way(n)) if usize::from(n) > board.powers().len()) {
            let hint = format!("at most {}WAY", board.powers().len());
            self.error(Some(at), Slot::Vote, format!("BAD VOTE FOR {}", who.name), &hint);
        }
    }

    /// Lines that belong to another variant.
    fn variant_lines(&mut self, at: usize, who: &Participant) {
        let variant = self.ruling.variant.as_str();
        let mut foreign: Vec<(Slot, String, String)> = Vec::new();
        if variant != "payola" {
            for line in &who.variant_lines {
                let unit = offer_rank(line) == Some(4) && line.to_uppercase().starts_with(['A', 'F']);
                let text = if unit {
                    format!("INVALID UNIT: {}: {line}", who.name)
                } else {
                    format!("UNRECOGNIZED POWER DATA: {line}")
                };
                foreign.push((Slot::Offers, line.clone(), text));
            }
        }
        let mut list = |name: &str| {
            foreign.push((Slot::Lists, name.to_owned(), format!("UNRECOGNIZED POWER DATA: {name}")));
        };
        if variant != "xtalball" {
            who.lists.iter().for_each(|(name, _)| list(name));
        }
        if variant != "standard" && who.orders.is_some() {
            list("ORDERS");
        }
        for (slot, given, text) in foreign {
            let hint = format!("no such line in variant {}", self.ruling.variant);
            self.say(Some(at), slot, &given, Severity::Error, text, &hint);
        }
    }

    fn possessions(&mut self, board: &dyn Geography, at: usize, who: &Participant, owners: &mut BTreeSet<String>) {
        for center in who.centers() {
            if !board.is_center(center) {
                let text = format!("BAD OWNED CENTER: {center}");
                self.say(Some(at), Slot::Owns, center, Severity::Error, text, "a supply centre of the map");
            } else if !owners.insert(center.to_owned()) {
                let text = format!("{center} ALREADY OWNED");
                self.say(Some(at), Slot::Owns, center, Severity::Error, text, "one owner");
            }
        }
        for center in who.sees.iter().filter(|c| !board.is_center(c)) {
            let text = format!("BAD SEEN CENTER: {center}");
            self.say(Some(at), Slot::Sees, center, Severity::Error, text, "a supply centre of the map");
        }
    }

    fn units(&mut self, board: &dyn Geography, at: usize, who: &Participant, standing: &mut BTreeSet<String>) {
        let mut bad = |given: String, slot: Slot, text: String, hint: &str| {
            self.say(Some(at), slot, &given, Severity::Error, text, hint);
        };
        for unit in &who.units {
            if !board.is_unit(unit) {
                let text = format!("INVALID UNIT: {}: {unit}", who.name);
                bad(unit.clone(), Slot::Units, text, "a place of the map where such a unit may stand");
            } else if !standing.insert(province(place(unit)).to_owned()) {
                let text = format!("TWO UNITS AT LOCATION: {}: {unit}", who.name);
                bad(unit.clone(), Slot::Units, text, "one unit a province");
            }
        }
        for (unit, places) in &who.retreats {
            let line = squeeze(&format!("{unit} --> {}", places.join(" "))).into_owned();
            if !board.is_unit(unit) {
                let text = format!("INVALID UNIT: {}: {unit}", who.name);
                bad(line, Slot::Retreats, text, "a place of the map where such a unit may stand");
                continue;
            }
            for to in places.iter().filter(|to| !board.may_retreat(unit, to)) {
                let text = format!("INVALID RETREAT: {unit} - {to}");
                bad(line.clone(), Slot::Retreats, text, "a place next to the unit");
            }
        }
    }

    fn adjust(&mut self, at: usize, who: &Participant) {
        let mut seen = BTreeSet::new();
        let mut kind = None;
        for order in &who.adjust {
            let (word, rest) = order.split_once(' ').unwrap_or((order, ""));
            let fits = match self.game.phase_letter() {
                Some('R') => matches!(word, "RETREAT" | "DISBAND"),
                Some('A') => matches!(word, "BUILD" | "REMOVE"),
                _ => {
                    let text = "ORDERS FOUND FOR PHASE NOT CURRENT".to_owned();
                    let hint = "such orders belong to retreats and adjustments";
                    self.say(Some(at), Slot::Adjust, order, Severity::Error, text, hint);
                    return;
                }
            };
            let unit = rest.split_once(" - ").map_or(rest, |(unit, _)| unit).trim_end_matches(" HIDDEN");
            let text = if !fits {
                Some(format!("IMPROPER ORDER TYPE: {order}"))
            } else if matches!(word, "BUILD" | "REMOVE") && kind.is_some_and(|k| k != word) {
                Some(format!("MIXED ORDER TYPES: {order}"))
            } else if unit != "WAIVED" && !seen.insert(province(place(unit)).to_owned()) {
                Some(format!("DUPLICATE ORDER: {order}"))
            } else {
                self.bad_adjustment(who, word, unit, order)
            };
            kind = kind.or(Some(word));
            if let Some(text) = text {
                self.say(Some(at), Slot::Adjust, order, Severity::Error, text, "orders of this phase for own units");
            }
        }
    }

    fn bad_adjustment(&self, who: &Participant, word: &str, unit: &str, order: &str) -> Option<String> {
        let dislodged = who.retreats.iter().find(|(u, _)| u == unit);
        let good = match word {
            "RETREAT" => {
                let to = order.split_once(" - ").map_or("", |(_, to)| to);
                dislodged.is_some_and(|(_, places)| places.iter().any(|p| p == to))
            }
            "DISBAND" => dislodged.is_some(),
            "REMOVE" => who.units.iter().any(|u| u == unit),
            _ => unit == "WAIVED" || self.board.is_none_or(|b| b.order_fault(&who.name, order).is_none()),
        };
        (!good).then(|| format!("BAD {word} FOR {}: {order}", who.name))
    }

    /// The order list of the standard variant.
    fn orders(&mut self, at: usize, who: &Participant) {
        let Some(orders) = &who.orders else { return };
        if self.ruling.variant != "standard" || self.ruling.has("NO_CHECK") {
            return;
        }
        if self.game.phase_letter().is_some_and(|letter| letter != 'M') {
            let text = "ORDERS FOUND FOR PHASE NOT CURRENT".to_owned();
            self.say(Some(at), Slot::Lists, "ORDERS", Severity::Error, text, "orders belong to movement phases");
            return;
        }
        let any = ["ORDER_ANY", "PROXY_OK", "FICTIONAL_OK"].iter().any(|rule| self.ruling.has(rule));
        let mut ordered = BTreeSet::new();
        for order in orders {
            let unit: String = order.splitn(3, ' ').take(2).collect::<Vec<_>>().join(" ");
            let (text, hint) = if !is_unit(&unit) || !order.contains(&format!("{unit} ")) {
                (format!("BAD ORDER: {order}"), "a unit and what it does, such as A PAR - BUR or F BRE H".to_owned())
            } else if !any && !who.units.contains(&unit) {
                (format!("ORDER TO NON-EXISTENT UNIT: {unit}"), format!("one of {}", who.units.join(", ")))
            } else if !ordered.insert(unit.clone()) {
                (format!("UNIT REORDERED: {unit}"), "one order for each own unit".to_owned())
            } else if let Some((words, cure)) = self.board.and_then(|b| b.order_fault(&who.name, order)) {
                (format!("{words}: {order}"), cure)
            } else {
                continue;
            };
            self.say(Some(at), Slot::Lists, order, Severity::Error, text, &hint);
        }
        if self.ruling.has("DEFAULT_UNORDERED") {
            return;
        }
        for unit in who.units.iter().filter(|u| !ordered.contains(*u)) {
            let text = format!("UNIT LEFT UNORDERED: {}, {unit}", who.name);
            self.say(Some(at), Slot::Lists, "ORDERS", Severity::Warning, text, "the power still owes orders");
        }
    }
}
