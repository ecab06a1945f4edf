//! Lines about who plays: dummies, teams, leagues, powers left out (map-file.md 7.5 to 7.7).

use super::draft::{HomeKind, League, LeagueRule};
use super::read::{Line, Local, Reader};

impl Reader<'_> {
    pub(super) fn dummy(&mut self, line: &Line<'_>, current: Option<String>, local: &mut Local) {
        let upper: Vec<String> = line.rest(1).iter().map(|w| w.to_uppercase()).collect();
        let named = match upper.first().map(String::as_str) {
            None if line.word(0).eq_ignore_ascii_case("DUMMIES") => {
                return self.error_hint("DUMMIES REQUIRES LIST OF POWERS", "DUMMIES and names, or ALL");
            }
            None => {
                match current.and_then(|key| self.draft.powers.get_mut(&key)) {
                    Some(power) => {
                        power.dummy = true;
                        power.vouched = true;
                    }
                    None => self.error_hint("DUMMY BEFORE POWER", "name the power on a line of its own first"),
                }
                return;
            }
            Some("ALL") => match upper.get(1).map(String::as_str) {
                None => self.draft.powers.keys().cloned().collect(),
                Some("EXCEPT") => {
                    let spared = self.power_list(line.rest(3), true);
                    if spared.is_empty() {
                        return self.error("NO POWER AFTER DUMMY ALL EXCEPT");
                    }
                    for power in self.draft.powers.values_mut() {
                        power.dummy = false;
                    }
                    self.draft.powers.keys().filter(|k| !spared.contains(k)).cloned().collect()
                }
                Some(_) => return self.error_hint("NO EXCEPT AFTER DUMMY ALL", "DUMMY ALL EXCEPT and names"),
            },
            Some(_) => self.power_list(line.rest(1), true),
        };
        local.power = None;
        for key in named {
            if let Some(power) = self.draft.powers.get_mut(&key) {
                power.dummy = true;
            }
        }
    }

    /// `TEAM A-B-C D-E`: the first of each plays the others.
    pub(super) fn teams(&mut self, line: &Line<'_>) {
        let text = line.rest(1).join(" ");
        let mut joined = String::new();
        for c in text.chars() {
            if c == '-' {
                joined.truncate(joined.trim_end().len());
            } else if c == ' ' && joined.ends_with('-') {
                continue;
            }
            joined.push(c);
        }
        for team in joined.split_whitespace() {
            let names: Vec<&str> = team.split('-').collect();
            if names.iter().any(|n| n.is_empty()) {
                self.error_hint("TOO MANY HYPHENS IN TEAMS LINE", "TEAM LEADER-FOLLOWER-FOLLOWER");
                continue;
            }
            let mut keys = Vec::new();
            for name in names {
                match self.draft.find_power(name) {
                    Some(key) => keys.push(key),
                    None => {
                        let text = format!("CONTROLLED POWER {} IS NOT A MAP POWER", name.to_uppercase());
                        self.unknown_power(name, text);
                    }
                }
            }
            let Some((leader, rest)) = keys.split_first() else { continue };
            for key in rest {
                if let Some(power) = self.draft.powers.get_mut(key) {
                    power.dummy = true;
                    power.control = vec![leader.clone()];
                }
            }
        }
    }

    pub(super) fn league(&mut self, line: &Line<'_>, key: &str) {
        let upper: Vec<String> = line.rest(1).iter().map(|w| w.to_uppercase()).collect();
        let (name, rule) = match upper.as_slice() {
            [name] => (name, LeagueRule::Label),
            [name, strict] if strict == "STRICT" => (name, LeagueRule::Strict),
            [_, strict, ..] if strict == "STRICT" => {
                return self.error_hint("BAD STRICT LEAGUE", "nothing follows STRICT");
            }
            [name, benign, friends @ ..] if benign == "BENIGN" => (name, LeagueRule::Benign(friends.to_vec())),
            _ => {
                return self
                    .error_hint("BAD LEAGUE BEHAVIOR", "LEAGUE name, LEAGUE name STRICT or LEAGUE name BENIGN …");
            }
        };
        let Some(power) = self.draft.powers.get_mut(key) else { return };
        if power.league.is_some() {
            return self.error(format!("POWER IN MULTIPLE LEAGUES: {key}"));
        }
        power.league = Some(League { name: name.clone(), rule });
    }

    pub(super) fn unplayed(&mut self, line: &Line<'_>, current: Option<String>) {
        let upper: Vec<String> = line.rest(1).iter().map(|w| w.to_uppercase()).collect();
        let gone = match upper.first().map(String::as_str) {
            None => match current {
                Some(key) => vec![key],
                None => return self.error_hint("UNPLAYED BEFORE POWER", "UNPLAYED and the powers to leave out"),
            },
            Some("ALL") if upper.len() == 1 => self.draft.powers.keys().cloned().collect(),
            Some("ALL") => {
                let spared = self.power_list(line.rest(3), true);
                if upper.get(1).map(String::as_str) != Some("EXCEPT") || spared.is_empty() {
                    return self.error_hint("NO EXCEPT AFTER UNPLAYED ALL", "UNPLAYED ALL EXCEPT and names");
                }
                self.draft.powers.keys().filter(|k| !spared.contains(k)).cloned().collect()
            }
            Some(_) => {
                let mut keys = Vec::new();
                for word in line.rest(1).iter().map(|w| w.trim_matches(',')).filter(|w| !w.is_empty()) {
                    match self.draft.find_power(word) {
                        Some(key) => keys.push(key),
                        None => {
                            self.unknown_power(word, format!("NO SUCH POWER TO REMOVE: {}", word.to_uppercase()));
                        }
                    }
                }
                keys
            }
        };
        for key in gone {
            let Some(power) = self.draft.powers.remove(&key) else { continue };
            self.draft.forget_power_names(&key);
            if self.morphing {
                // In a running game the seat goes, its centres stay on the board (map-file.md 10.4).
                let homes = power.homes.into_iter().filter(|h| h.kind == HomeKind::Plain).map(|h| h.code);
                for code in homes.chain(power.owns.into_iter().flatten()) {
                    if !self.draft.unowned.contains(&code) {
                        self.draft.unowned.push(code);
                    }
                }
            }
        }
    }
}
