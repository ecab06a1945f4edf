//! The directives of the game block (status-file.md 2). Each gives the role of its line; `None` leaves the line
//! unknown: kept, but without a value.

use super::lexis::{addresses, is_address, is_short_phase, stamp, zone};
use super::line::{head, upper};
use super::model::{Game, GameResult, Holder, Need, PhaseKeyword, PhaseState, PlayerLine, Proposal};
use super::read::Reader;
use super::slot::{LISTS, Role, Slot};
use super::timing;

/// Old names of rules (rules.md 1.1).
const RULE_ALIASES: [(&str, &str); 4] = [
    ("NO_PARTIAL", "PUBLIC_PRESS"),
    ("FLEX_SETUP", "BLANK_BOARD"),
    ("TOUCH_BRIBE", "TOUCH_OFFER"),
    ("REMOTE_BRIBE", "REMOTE_OFFER"),
];

impl Reader<'_> {
    /// Reads one line of the game block; `line` has single blanks, `key` is its first word in upper case.
    pub fn game_line(&mut self, at: usize, key: &str, line: &str) -> Option<Role> {
        let rest = head(line).1;
        let upper = upper(rest);
        let words: Vec<&str> = upper.split_ascii_whitespace().collect();
        match key {
            "GAME" if !self.filled.contains(Slot::Name) => self.name(at, rest),
            "PHASE" | "AWAIT" | "WAIT" | "SKIP" => self.phase(at, key, &words),
            "MAP" | "TRIAL" => self.map(at, key, rest),
            "LANGUAGE" => self.remark(at, rest, Slot::Language, "TWO LANGUAGE STATEMENTS", |game| &mut game.language),
            "MORPH" | "DESC" | "DESCRIPTION" | "NAME" => {
                let (slot, key) = match key {
                    "MORPH" => (Slot::Morph, "MORPH"),
                    "NAME" => (Slot::Title, "NAME"),
                    _ => (Slot::Desc, "DESC"),
                };
                self.text_of(slot).push(rest.to_owned());
                Some(self.giving_text(at, slot, key, rest))
            }
            "FLOW" | "BEGIN" | "VICTORY" | "NEWHOMES" => {
                self.warning(at, 0, format!("OLD LINE TAKEN AS MORPH: {line}"), "MORPH before it");
                let content = format!("{key} {rest}").trim().to_owned();
                self.game.morph.push(content.clone());
                Some(Role::giving(Slot::Morph, [format!("MORPH {content}")]))
            }
            // Once the time of the last processing; kept, and ignored.
            "PROCESSED" => None,
            "MASTER" => self.master(at, rest),
            "ADDRESS" => {
                let list = addresses(rest)
                    .map_err(|e| self.error(at, 1, format!("BAD MASTER ADDRESS: {rest}"), &e.to_string()))
                    .ok()?;
                self.once(at, Slot::MasterAddress, "TWO MASTER ADDRESSES")?;
                self.game.address = list;
                Some(Role::of(Slot::MasterAddress))
            }
            "PASSWORD" => {
                let word = self.password(at, rest)?;
                self.once(at, Slot::MasterPassword, "TWO MASTER PASSWORDS")?;
                self.game.password = Some(word);
                Some(Role::of(Slot::MasterPassword))
            }
            "TESTER" => {
                if !rest.is_empty() && !is_address(rest) {
                    self.error(at, 1, format!("BAD TESTER ADDRESS: {rest}"), "one address, or nothing");
                    return None;
                }
                self.once(at, Slot::Tester, "TWO TESTER STATEMENTS")?;
                self.game.tester = Some(text(rest));
                Some(Role::of(Slot::Tester))
            }
            "GROUPS" => {
                self.game.groups =
                    words.iter().flat_map(|w| w.split('|')).filter(|g| !g.is_empty()).map(owned).collect();
                Some(Role::of(Slot::Groups))
            }
            "START" => self.remark(at, rest, Slot::Start, "TWO START STATEMENTS", |game| &mut game.start),
            "FINISH" => self.remark(at, rest, Slot::Finish, "TWO FINISH STATEMENTS", |game| &mut game.finish),
            "JUDGE" => self.remark(at, rest, Slot::Judge, "TWO JUDGE STATEMENTS", |game| &mut game.judge),
            "SIGNON" => self.remark(at, rest, Slot::Signon, "TWO SIGNON STATEMENTS", |game| &mut game.signon),
            "RESULT" => self.result(at, &words),
            "NEED" => {
                let needs: Result<Vec<Need>, _> = words.iter().map(|w| w.parse()).collect();
                let needs = needs.map_err(|e| self.error(at, 1, format!("BAD NEED: {upper}"), &e.to_string())).ok()?;
                self.game.need.extend(needs);
                Some(Role::of(Slot::Need))
            }
            "PRIVATE" | "PRIVACY" => {
                if words.len() > 1 {
                    self.error(at, 2, "INVALID PRIVATE STATEMENT", "one word, or none for a public game");
                    return None;
                }
                self.game.private = text(&upper);
                Some(Role::of(Slot::Private))
            }
            "ROTATE" => self.rotate(at, &words),
            "RULE" | "RULES" => Some(self.rules(at, &words)),
            "ALLOW" => {
                let types: Vec<&str> =
                    words.into_iter().filter(|w| !["POWER", "OBSERVER", "MONITOR"].contains(w)).collect();
                self.game.allow.extend(types.iter().map(owned));
                Some(Role::giving(Slot::Allow, types.iter().map(|w| format!("ALLOW {w}"))))
            }
            "PROPOSAL" => {
                let [result, proposer] = words.as_slice() else {
                    self.error(at, 0, "BAD PROPOSAL", "DIAS or a power, then the power that proposes it");
                    return None;
                };
                self.once(at, Slot::Proposal, "TWO PROPOSALS")?;
                self.game.proposal = Some(Proposal { result: owned(result), proposer: owned(proposer) });
                Some(Role::of(Slot::Proposal))
            }
            "DEADLINE" | "HELD" => self.deadline(at, key, rest),
            "ZONE" => {
                let Some(name) = zone(rest) else {
                    let hint = "a name of the time-zone database, such as Europe/Paris, or GMT";
                    self.error(at, 1, format!("BAD TIME ZONE: {rest}"), hint);
                    return None;
                };
                self.once(at, Slot::Zone, "TWO TIME ZONES")?;
                self.game.zone = Some(name.to_owned());
                Some(Role::of(Slot::Zone))
            }
            "DELAY" => {
                let Some(count) = rest.parse::<u8>().ok().filter(|n| (1..=72).contains(n)) else {
                    self.error(at, 1, format!("BAD DELAY COUNT: {rest}"), "a whole number from 1 to 72");
                    return None;
                };
                self.once(at, Slot::Delay, "TWO DELAYS")?;
                self.game.delay = count;
                Some(Role::of(Slot::Delay))
            }
            "TIMING" => self.timing(at, rest),
            "TEAM" | "TEAMS" => {
                self.game.teams.extend(words.iter().map(owned));
                Some(Role::of(Slot::Teams))
            }
            "TAX" | "CAP" | "LOCKS" => self.variant_line(at, key, &words),
            _ => {
                self.error(at, 0, format!("UNRECOGNIZED GAME DATA: {line}"), "a directive of the game block");
                None
            }
        }
    }

    /// Marks a slot as filled; a second time is an error.
    fn once(&mut self, at: usize, slot: Slot, twice: &str) -> Option<()> {
        if self.filled.insert(slot) {
            return Some(());
        }
        self.error(at, 0, twice, "one such line; the first counts");
        None
    }

    /// A line of free text, written once. One without text says nothing, and stands in the way of none that does.
    fn remark(
        &mut self,
        at: usize,
        rest: &str,
        slot: Slot,
        twice: &str,
        field: impl Fn(&mut Game) -> &mut Option<String>,
    ) -> Option<Role> {
        if let Some(said) = text(rest) {
            self.once(at, slot, twice)?;
            *field(&mut self.game) = Some(said);
        }
        Some(Role::of(slot))
    }

    fn name(&mut self, at: usize, rest: &str) -> Option<Role> {
        let name = rest.to_lowercase();
        let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
        if name.is_empty() || name.len() > 32 || !name.chars().all(good) || name.starts_with('-') {
            let hint = "at most 32 lower-case letters, digits, _ and -, the first a letter or digit";
            self.error(at, 1, format!("BAD GAME NAME: {rest}"), hint);
        }
        if name.is_empty() {
            // It must not stand in the way of one that says more.
            return None;
        }
        self.filled.insert(Slot::Name);
        self.game.name = name;
        Some(Role::of(Slot::Name))
    }

    fn phase(&mut self, at: usize, key: &str, words: &[&str]) -> Option<Role> {
        let keyword = match key {
            "AWAIT" => PhaseKeyword::Await,
            "WAIT" => PhaseKeyword::Wait,
            "SKIP" => PhaseKeyword::Skip,
            _ => PhaseKeyword::Phase,
        };
        const WANT: &str = "season, year and kind of phase, such as SPRING 1901 MOVEMENT";
        if words.is_empty() {
            // Nothing to keep but the line itself; it must not stand in the way of one that says more.
            self.error(at, 0, "NO PHASE SPECIFIED", WANT);
            return None;
        }
        let skips = keyword == PhaseKeyword::Skip || self.game.keyword == PhaseKeyword::Skip;
        let twice = if skips { "TWO AWAIT/PHASE/WAIT/SKIP STATEMENTS" } else { "TWO AWAIT/PHASE/WAIT STATEMENTS" };
        self.once(at, Slot::Phase, twice)?;
        self.game.keyword = keyword;
        // What follows is kept as the phase even if it is bad: the line must not be lost.
        self.game.phase = match words {
            ["FORMING"] => PhaseState::Forming,
            ["COMPLETED"] => PhaseState::Completed,
            words => PhaseState::Running(words.join(" ")),
        };
        match words {
            ["FORMING" | "COMPLETED"] => {}
            [season, year, last] if keyword == PhaseKeyword::Skip => {
                if !is_year(year) {
                    self.error(at, 2, "NON-NUMERIC YEAR IN PHASE", WANT);
                }
                let slot = if LISTS[1..].contains(last) {
                    Some(*last)
                } else if "MOVEMENT".starts_with(last) {
                    self.warning(at, 3, format!("OLD SKIP LINE TAKEN AS SKIP {season} {year} LATER"), "");
                    Some("LATER")
                } else {
                    self.error(at, 3, format!("UNKNOWN SKIP LOCK: {last}"), "the name of an order list, such as LATER");
                    None
                };
                if let Some(slot) = slot {
                    self.game.skip_slot = Some(owned(slot));
                    self.game.phase = PhaseState::Running(format!("{season} {year} MOVEMENT"));
                }
            }
            _ if keyword == PhaseKeyword::Skip => {
                self.error(at, 0, "SKIP REQUIRES SEASON, YEAR AND LOCK", "such as SKIP FALL 1900 LATER");
            }
            [short] if is_short_phase(short) => {}
            [_, year, _] if is_year(year) => {}
            [_, _, _] => self.error(at, 2, "NON-NUMERIC YEAR IN PHASE", WANT),
            [.., year, _] if words.len() > 3 && is_year(year) => {}
            _ => self.error(at, 1, "BAD PHASE (NOT IN FLOW)", WANT),
        }
        Some(Role::of(Slot::Phase))
    }

    fn map(&mut self, at: usize, key: &str, rest: &str) -> Option<Role> {
        let name = rest.to_lowercase();
        let bad = |c: char| c.is_whitespace() || matches!(c, '/' | '\\' | ':');
        if name.is_empty() || name.len() > 64 || name.starts_with('.') || name.contains(bad) {
            let hint = "the name of a map: no blank, no path, at most 64 characters";
            self.error(at, 1, format!("MAP FILE NOT FOUND: {rest}.map"), hint);
            return None;
        }
        self.once(at, Slot::Map, "TWO MAP STATEMENTS")?;
        self.game.map = name;
        self.game.trial = key == "TRIAL";
        Some(Role::of(Slot::Map))
    }

    fn master(&mut self, at: usize, rest: &str) -> Option<Role> {
        if self.filled.contains(Slot::Master) {
            return self.once(at, Slot::Master, "TWO MASTER STATEMENTS").map(|()| Role::Unknown);
        }
        self.filled.insert(Slot::Master);
        match rest.parse::<PlayerLine>() {
            Ok(line) if matches!(line.current, Holder::Person(_)) => {
                self.game.master = Some(line);
                Some(Role::of(Slot::Master))
            }
            _ => {
                self.error(at, 1, "BAD PLAYER DATA FOR MASTER", "#id|address[,address]|First_Last");
                None
            }
        }
    }

    /// A password: one word without angle brackets.
    pub fn password(&mut self, at: usize, rest: &str) -> Option<String> {
        if rest.is_empty() || rest.contains([' ', '<', '>']) {
            self.error(at, 1, format!("BAD PASSWORD: {rest}"), "one word without < and >");
            return None;
        }
        Some(rest.to_owned())
    }

    fn result(&mut self, at: usize, words: &[&str]) -> Option<Role> {
        let Some((phase, victors)) = words.split_first().filter(|(phase, _)| is_short_phase(phase)) else {
            self.error(at, 1, "BAD RESULT", "the short form of the last phase, then the winners");
            return None;
        };
        let result = self.game.result.get_or_insert_with(|| GameResult { phase: owned(phase), victors: Vec::new() });
        result.victors.extend(victors.iter().map(owned));
        Some(Role::of(Slot::Result))
    }

    fn rotate(&mut self, at: usize, words: &[&str]) -> Option<Role> {
        let pairs = words.chunks(2).all(|p| matches!(p, ["AFTER" | "BEFORE" | "FOR" | "CONTROL", _]));
        if !matches!(words, [] | ["AFTER"] | ["CONTROL"]) && !pairs {
            let hint = "nothing, AFTER, or pairs of AFTER, BEFORE, FOR or CONTROL and a kind of phase";
            self.error(at, 1, "BAD CONTROL ROTATION", hint);
            return None;
        }
        self.once(at, Slot::Rotate, "TWO ROTATE STATEMENTS")?;
        self.game.rotate = Some(words.join(" "));
        Some(Role::of(Slot::Rotate))
    }

    fn rules(&mut self, at: usize, words: &[&str]) -> Role {
        let mut gives = Vec::new();
        for (n, word) in words.iter().enumerate() {
            let (off, name) = word.strip_prefix('!').map_or((false, *word), |name| (true, name));
            let name = match RULE_ALIASES.iter().find(|(old, _)| *old == name) {
                Some((old, new)) => {
                    self.warning(at, n + 1, format!("RULE {old} IS NOW {new}"), "");
                    *new
                }
                None => name,
            };
            if name.is_empty() {
                continue;
            }
            gives.push(format!("RULE {}{name}", if off { "!" } else { "" }));
            let list = if off { &mut self.game.rules_off } else { &mut self.game.rules };
            list.push(owned(name));
        }
        Role::giving(Slot::Rule, gives)
    }

    fn deadline(&mut self, at: usize, key: &str, rest: &str) -> Option<Role> {
        let Some(when) = stamp(rest) else {
            self.error(at, 1, format!("BAD {key}: {rest}"), "want yyyymmddhhmm, a date that exists");
            return None;
        };
        if rest.len() < 12 {
            let text = format!("{key} {rest} TAKEN AS {}", super::lexis::stamp_text(&when));
            self.warning(at, 1, text, "want yyyymmddhhmm");
        }
        if key == "HELD" {
            self.once(at, Slot::Held, "TWO HELD STATEMENTS")?;
            self.game.held = Some(when);
            return Some(Role::of(Slot::Held));
        }
        self.once(at, Slot::Deadline, "TWO DEADLINES")?;
        self.game.deadline = Some(when);
        Some(Role::of(Slot::Deadline))
    }

    /// TIMING (clock.md 2). Bad pairs stay in the list, so that nothing is lost; the clock refuses them too.
    fn timing(&mut self, at: usize, rest: &str) -> Option<Role> {
        let mut slots = vec![Slot::Timing];
        let mut words = rest.split(' ').filter(|w| !w.is_empty()).enumerate();
        let mut pairs: Vec<(usize, String, String)> = Vec::new();
        let mut jump = false;
        while let Some((n, key)) = words.next() {
            let key = key.to_uppercase();
            if key == "SKIP" {
                jump = true;
                continue;
            }
            let Some((_, value)) = words.next() else {
                self.error(at, n + 1, "BAD TIMING", "pairs of a key and a value");
                return None;
            };
            pairs.push((n + 2, key.clone(), timing::stored(&key, value)));
        }
        for (n, key, value) in pairs {
            if let Some(want) = timing::fault(&key, &value) {
                self.error(at, n, format!("BAD {key} IN TIMING: {value}"), want);
            }
            match self.game.timing.iter_mut().find(|(k, _)| *k == key) {
                Some((_, dates)) if key == "NOT" => {
                    dates.push(',');
                    dates.push_str(&value);
                }
                known => {
                    if known.is_some() {
                        self.error(at, n - 1, format!("TWO {key} SPECS IN TIMING"), "each key once; the first counts");
                    }
                    self.game.timing.push((key, value));
                }
            }
        }
        if jump {
            self.warning(at, 1, "SKIP IN TIMING TAKEN AS RULE JUMP_OFF_DAYS", "RULE JUMP_OFF_DAYS");
            self.game.rules.push("JUMP_OFF_DAYS".to_owned());
            slots.push(Slot::Rule);
        }
        Some(Role::Many { slots, gives: Vec::new() })
    }

    fn variant_line(&mut self, at: usize, key: &str, words: &[&str]) -> Option<Role> {
        let number = |w: &str| w.parse::<u32>().ok();
        let good = match (key, words) {
            ("TAX", [value] | [_, value]) => number(value).is_some(),
            ("CAP", [value]) => number(value).is_some_and(|n| n >= 1),
            ("LOCKS", [value]) => number(value).is_some_and(|n| (2..=6).contains(&n)),
            _ => false,
        };
        let value = words.join(" ");
        if !good {
            match key {
                "LOCKS" => self.error(at, 1, "LOCKS SHOULD BE A NUMBER BETWEEN 2 AND 6", ""),
                "CAP" => self.error(at, 1, format!("BAD CAP: {value}"), "a whole number from 1"),
                _ => self.error(at, 1, format!("BAD TAX: {value}"), "a whole number, or a centre and a whole number"),
            }
            return None;
        }
        if key == "LOCKS" && self.game.variant_lines.iter().any(|(k, _)| k == "LOCKS") {
            self.error(at, 0, "TWO LOCKS STATEMENTS", "one such line; the first counts");
            return None;
        }
        self.game.variant_lines.push((owned(key), value.clone()));
        Some(Role::giving(Slot::GameVariant, [format!("{key} {value}")]))
    }
}

fn is_year(word: &str) -> bool {
    word.parse::<i32>().is_ok()
}

fn text(rest: &str) -> Option<String> {
    (!rest.is_empty()).then(|| rest.to_owned())
}

pub(super) fn owned(word: impl AsRef<str>) -> String {
    word.as_ref().to_owned()
}
