//! The directives of a participant (status-file.md 5, 6). Lines of every variant are read; which variant may have
//! them is checked elsewhere.

use super::lexis::{addresses, adjustment, fund_kind, is_unit, retreating, zone};
use super::line::{head, squeeze, upper};
use super::model::{Omniscient, PlayerLine, Vote};
use super::read::Reader;
use super::read_game::owned;
use super::slot::{LISTS, Role, Slot, offer_rank};

/// The order list that is open: lines go there until the block ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Open {
    Orders,
    List(usize),
}

impl Reader<'_> {
    /// Reads one line of a participant's block; `line` has single blanks.
    pub fn participant_line(&mut self, at: usize, who: usize, line: &str, open: &mut Option<Open>) -> Option<Role> {
        let (word, typed) = head(line);
        if open.is_none() && word == "MSG" {
            // The longest lines of a file, and nothing in them is wanted in upper case.
            return Some(self.message(at, who, typed));
        }
        let upper = upper(line);
        if LISTS.contains(&upper.as_ref()) {
            *open = Some(self.open_list(who, &upper));
            return Some(self.giving(at, Slot::Lists, &upper));
        }
        let participant = self.game.participants.get_mut(who)?;
        if let Some(open) = open {
            let list = match open {
                Open::Orders => participant.orders.get_or_insert_default(),
                Open::List(n) => &mut participant.lists.get_mut(*n)?.1,
            };
            list.push(owned(&upper));
            return Some(self.giving(at, Slot::Lists, &upper));
        }
        let (key, rest) = head(&upper);
        let words = || rest.split_ascii_whitespace().map(owned);
        match (key, rest.is_empty()) {
            ("PLAYER", true) => self.refuse(at, "NO PLAYER DATA", "a person, RESIGNED or DUMMY"),
            ("PLAYER", false) => {
                let parsed = typed.parse::<PlayerLine>();
                let line = match parsed {
                    Ok(line) => line,
                    Err(e) => {
                        return self.refuse(at, format!("BAD PLAYER DATA FOR {}", self.name_of(who)), &e.to_string());
                    }
                };
                self.only(at, who, Slot::Player, |name| format!("TWO PLAYERS FOR {name}"))?;
                self.game.participants[who].player = Some(line);
                Some(Role::of(Slot::Player))
            }
            ("ADDRESS", true) => self.refuse(at, "NO ADDRESS DATA", "addresses separated by commas"),
            ("ADDRESS", false) => {
                let list = match addresses(typed) {
                    Ok(list) => list,
                    Err(e) => return self.refuse(at, format!("BAD ADDRESS FOR {}", self.name_of(who)), &e.to_string()),
                };
                self.only(at, who, Slot::Address, |name| format!("TWO ADDRESSES FOR {name}"))?;
                self.game.participants[who].address = list;
                Some(Role::of(Slot::Address))
            }
            ("PASSWORD", _) => {
                let word = self.password(at, typed)?;
                let twice = |name: &str| format!("TWO PASSWORDS FOR {name}");
                if self.filled_by[who].contains(Slot::Control) {
                    return self.refuse(at, twice(self.name_of(who)), "PASSWORD or CONTROL, not both");
                }
                self.only(at, who, Slot::Password, twice)?;
                self.game.participants[who].password = Some(word);
                Some(Role::of(Slot::Password))
            }
            ("CONTROL", true) => {
                self.refuse(at, format!("INVALID CONTROL FOR {}", self.name_of(who)), "the controlling powers")
            }
            ("CONTROL", false) => {
                let twice = |name: &str| format!("TWO CONTROLS FOR {name}");
                if self.filled_by[who].contains(Slot::Password) {
                    return self.refuse(at, twice(self.name_of(who)), "PASSWORD or CONTROL, not both");
                }
                self.only(at, who, Slot::Control, twice)?;
                self.game.participants[who].control = words().collect();
                Some(Role::of(Slot::Control))
            }
            ("ZONE", false) => {
                let Some(zone) = zone(typed) else {
                    return self.refuse(at, format!("BAD TIME ZONE: {typed}"), "a name of the time-zone database");
                };
                self.only(at, who, Slot::OwnZone, |name| format!("TWO TIME ZONES FOR {name}"))?;
                self.game.participants[who].zone = Some(owned(zone));
                Some(Role::of(Slot::OwnZone))
            }
            ("NOTIFY", _) => {
                if words().any(|w| !["RESULTS", "PRESS", "REMINDERS", "DIGEST"].contains(&w.as_str())) {
                    return self.refuse(
                        at,
                        format!("BAD NOTIFY FOR {}", self.name_of(who)),
                        "words of RESULTS, PRESS, REMINDERS, DIGEST",
                    );
                }
                self.only(at, who, Slot::Notify, |name| format!("TWO NOTIFY LINES FOR {name}"))?;
                self.game.participants[who].notify = Some(words().collect());
                Some(Role::of(Slot::Notify))
            }
            ("STRICT", true) => {
                self.game.participants[who].strict = true;
                Some(Role::of(Slot::Strict))
            }
            ("PREFER", false) => {
                self.only(at, who, Slot::Prefer, |name| format!("TWO PREFER LINES FOR {name}"))?;
                self.game.participants[who].prefer = Some(owned(rest));
                Some(Role::of(Slot::Prefer))
            }
            ("OMNISCIENT" | "OMNISCIENT!", true) => {
                self.only(at, who, Slot::Omniscient, |_| owned("DOUBLE OMNISCIENT?"))?;
                self.game.participants[who].omniscient =
                    if key.ends_with('!') { Omniscient::Hears } else { Omniscient::Sees };
                Some(Role::of(Slot::Omniscient))
            }
            ("WAIT", true) => {
                self.game.participants[who].wait = true;
                Some(Role::of(Slot::Wait))
            }
            ("CD", true) => {
                self.game.participants[who].cd = true;
                Some(Role::of(Slot::Cd))
            }
            ("VOTE", _) => {
                let vote = match rest.parse::<Vote>() {
                    Ok(vote) => vote,
                    Err(e) => return self.refuse(at, format!("BAD VOTE FOR {}", self.name_of(who)), &e.to_string()),
                };
                self.only(at, who, Slot::Vote, |name| format!("TWO VOTES FOR {name}"))?;
                self.game.participants[who].vote = Some(vote);
                Some(Role::of(Slot::Vote))
            }
            ("MSG", _) => Some(self.message(at, who, typed)),
            ("HOME" | "INHABITS", _) => {
                self.game.participants[who].inhabits = Some(words().collect());
                Some(Role::of(Slot::Inhabits))
            }
            ("OWNS", _) => {
                self.game.participants[who].owns.extend(words());
                Some(Role::of(Slot::Owns))
            }
            ("SEES", _) => {
                self.game.participants[who].sees.extend(words());
                Some(Role::of(Slot::Sees))
            }
            ("HIDES", _) => {
                let units = rest.split(',').map(str::trim).filter(|u| !u.is_empty()).map(owned);
                self.game.participants[who].hides.extend(units);
                Some(Role::of(Slot::Hides))
            }
            ("FUNDS", _) => self.funds(at, who, words().collect()),
            ("RETREAT" | "DISBAND" | "BUILD" | "REMOVE", _) => {
                let spaced = upper.replace("-->", "-").replace('-', " - ");
                let Some(order) = adjustment(&squeeze(&spaced)) else {
                    let hint = "RETREAT unit - place, DISBAND unit, BUILD unit, BUILD WAIVED or REMOVE unit";
                    return self.refuse(at, format!("BAD {key} FOR {}: {upper}", self.name_of(who)), hint);
                };
                let role = self.giving(at, Slot::Adjust, &order);
                self.game.participants[who].adjust.push(order);
                Some(role)
            }
            ("A" | "F", _) if upper.contains("-->") => {
                let spaced = upper.replace("-->", " --> ");
                let spaced = squeeze(&spaced);
                let Some((unit, places)) = retreating(&spaced) else {
                    return self.refuse(
                        at,
                        format!("INVALID UNIT: {}: {upper}", self.name_of(who)),
                        "such as A MUN --> BOH RUH TYR",
                    );
                };
                self.game.participants[who].retreats.push((unit, places));
                Some(self.giving(at, Slot::Retreats, &spaced))
            }
            ("A" | "F", _) if offer_rank(&upper).is_none() => {
                if !is_unit(&upper) {
                    return self.refuse(
                        at,
                        format!("INVALID UNIT: {}: {upper}", self.name_of(who)),
                        "such as A PAR or F STP/SC",
                    );
                }
                self.game.participants[who].units.push(owned(&upper));
                Some(self.giving(at, Slot::Units, &upper))
            }
            _ => match offer_rank(line) {
                Some(rank) => {
                    // The word of a directive is written in upper case, an offer as typed.
                    let text = if rank < 4 { format!("{key} {typed}").trim().to_owned() } else { owned(line) };
                    let role = self.giving(at, Slot::Offers, &text);
                    self.game.participants[who].variant_lines.push(text);
                    Some(role)
                }
                None => self.refuse(at, format!("UNRECOGNIZED POWER DATA: {line}"), "a directive of a participant"),
            },
        }
    }

    fn open_list(&mut self, who: usize, name: &str) -> Open {
        let participant = &mut self.game.participants[who];
        if name == "ORDERS" {
            participant.orders.get_or_insert_default();
            return Open::Orders;
        }
        let known = participant.lists.iter().position(|(n, _)| n == name);
        Open::List(known.unwrap_or_else(|| {
            participant.lists.push((owned(name), Vec::new()));
            participant.lists.len() - 1
        }))
    }

    fn funds(&mut self, at: usize, who: usize, mut funds: Vec<String>) -> Option<Role> {
        if funds.is_empty() {
            return self.refuse(at, "NO FUNDS DATA", "such as $34 12E");
        }
        let mut kinds = std::collections::BTreeSet::new();
        for word in &funds {
            let Some(kind) = fund_kind(word) else {
                return self.refuse(at, format!("BAD FUNDS: {word}"), "such as $34 12E 5+ 2/share");
            };
            if !kinds.insert(kind.clone()) {
                return self.refuse(at, format!("DUPLICATE FUND TYPE: {kind}"), "each kind once");
            }
        }
        let twice = |name: &str| format!("TWO FUNDS FOR {name}");
        self.only(at, who, Slot::Funds, twice)?;
        funds.sort_by_key(|word| fund_kind(word));
        self.game.participants[who].funds = Some(funds.join(" ").replace("/SHARE", "/share"));
        Some(Role::of(Slot::Funds))
    }

    fn refuse(&mut self, at: usize, text: impl Into<String>, hint: &str) -> Option<Role> {
        self.error(at, 0, text, hint);
        None
    }

    fn name_of(&self, who: usize) -> &str {
        self.game.participants.get(who).map_or("", |p| &p.name)
    }

    fn message(&mut self, at: usize, who: usize, text: &str) -> Role {
        if text.is_empty() {
            return Role::of(Slot::Msg);
        }
        self.game.participants[who].msg.push(owned(text));
        self.giving_text(at, Slot::Msg, "MSG", text)
    }

    /// Marks a slot of a participant as filled; a second time is an error, in the words made of his name.
    fn only(&mut self, at: usize, who: usize, slot: Slot, twice: impl FnOnce(&str) -> String) -> Option<()> {
        if self.filled_by.get_mut(who).is_some_and(|filled| filled.insert(slot)) {
            return Some(());
        }
        self.error(at, 0, twice(self.name_of(who)), "one such line; the first counts");
        None
    }
}
