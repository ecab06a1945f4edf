//! Lines about powers: the power line, homes, centres, units, dummies, teams, leagues (map-file.md 7 and 8).

use super::draft::{DraftPower, Home, HomeKind, Sense};
use super::read::{Line, Local, Reader};
use super::words;
use crate::spelling::nearest;

/// Most powers (D13).
const MAX_POWERS: usize = 64;

impl Reader<'_> {
    /// Rows 16 to 29 of the dispatch that are about powers.
    pub(super) fn power_directive(&mut self, keyword: &str, line: &Line<'_>, local: &mut Local) {
        let current = local.power.clone().filter(|k| self.draft.powers.contains_key(k));
        match (keyword, current) {
            ("CENTERS" | "CENTRES" | "UNOWNED" | "NEUTRAL", None) | ("UNOWNED" | "NEUTRAL", Some(_)) => {
                local.power = None;
                self.unowned(line);
            }
            ("DUMMY" | "DUMMIES", current) => self.dummy(line, current, local),
            ("TEAM" | "TEAMS", _) => {
                local.power = None;
                self.teams(line);
            }
            ("UNPLAYED", current) => {
                local.power = None;
                self.unplayed(line, current);
            }
            (
                "FLAG" | "OWNS" | "CENTERS" | "CENTRES" | "INHABITS" | "HOME" | "HOMES" | "UNITS" | "RESERVES"
                | "MILITIA" | "CONTROL" | "LEAGUE" | "A" | "F",
                current,
            ) => match current {
                Some(key) => {
                    self.power_data(keyword, line, &key);
                    if let Some(power) = self.draft.powers.get_mut(&key) {
                        power.vouched = true;
                    }
                }
                None => {
                    let what = if matches!(keyword, "A" | "F") { "UNIT" } else { keyword };
                    self.error_hint(format!("{what} BEFORE POWER"), "name the power on a line of its own first");
                }
            },
            _ => local.power = self.power_line(line),
        }
    }

    /// `[OLD ->] NAME [(OwnWord:L)] [home…]`
    fn power_line(&mut self, line: &Line<'_>) -> Option<String> {
        let (old, rest) = match line.text.split_once("->") {
            Some((old, rest)) => (Some(old.trim()), rest.trim()),
            None => (None, line.text.trim()),
        };
        // The parentheses of the own-word follow the name at once; those of alternative homes come later.
        let name_end = rest.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(rest.len());
        let (name, rest) = rest.split_at_checked(name_end).unwrap_or((rest, ""));
        let rest = rest.trim_start();
        let (own, homes) = match rest.strip_prefix('(') {
            Some(inner) => match inner.split_once(')') {
                Some((own, homes)) => (Some(own), homes),
                None => (Some(inner), ""),
            },
            None => (None, rest),
        };
        let written = name.to_uppercase();
        let key = words::power_key(name);
        if words::normalise(name).is_empty() || key.is_empty() {
            self.about(name).error_hint("POWER NAME IS EMPTY KEYWORD", "a name that is no noise word of orders");
            return None;
        }
        if let Some(old) = old {
            self.rename_power(old, &key, &written)?;
        }
        // A status file may say GULF\BOTHNIA: the same power as GULFOFBOTHNIA.
        let key = if old.is_none() { self.draft.find_power(name).unwrap_or(key) } else { key };
        let is_new = !self.draft.powers.contains_key(&key);
        if is_new {
            if self.draft.powers.len() >= MAX_POWERS {
                self.error(format!("MORE THAN {MAX_POWERS} POWERS"));
                return None;
            }
            let at = self.here();
            let power = DraftPower { written: written.clone(), at, ..DraftPower::default() };
            self.draft.powers.insert(key.clone(), power);
        }
        if is_new || old.is_some() {
            self.learn_power(&key, &written);
        }
        if let Some(own) = own {
            self.own_word(&key, own);
        }
        let homes: Vec<&str> = homes.split_whitespace().collect();
        if !homes.is_empty() {
            if self.draft.powers.get(&key).is_some_and(|p| p.inhabited) {
                self.clear_homes(&key);
            }
            self.homes(&key, &homes);
        }
        if let Some(power) = self.draft.powers.get_mut(&key) {
            power.vouched |= own.is_some() || !homes.is_empty() || !is_new;
        }
        Some(key)
    }

    fn rename_power(&mut self, old: &str, key: &str, written: &str) -> Option<()> {
        let upper = old.to_uppercase();
        if matches!(upper.as_str(), "UNOWNED" | "NEUTRAL" | "CENTERS") {
            self.error("RENAMING UNOWNED DIRECTIVE NOT ALLOWED");
            return None;
        }
        let Some(from) = self.draft.find_power(old) else {
            self.unknown_power(old, format!("RENAMING UNDEFINED POWER {upper}"));
            return None;
        };
        if from != *key && self.draft.powers.contains_key(key) {
            self.error_hint(format!("DUPLICATE POWER: {key}"), "another power has this name");
            return None;
        }
        self.draft.forget_power_names(&from);
        let mut power = self.draft.powers.remove(&from)?;
        written.clone_into(&mut power.written);
        power.own.clear();
        power.letter = None;
        power.short.clear();
        power.vouched = true;
        power.flag.get_or_insert_with(|| from.clone());
        self.draft.powers.insert(key.to_owned(), power);
        for other in self.draft.powers.values_mut() {
            for master in &mut other.control {
                if *master == from {
                    key.clone_into(master);
                }
            }
        }
        Some(())
    }

    /// Enters a power's name in the vocabulary, with the warnings of map-file.md 7.1.
    fn learn_power(&mut self, key: &str, written: &str) {
        let length = words::old_power_key(written).chars().count();
        if matches!(length, 1 | 3) {
            self.about(written).advise(
                format!("power-looks-like-place {key}"),
                format!("POWER NAME CAN BE CONFUSED WITH LOCATION ALIAS OR ORDER TYPE: {key}"),
                "a name of two, or of four and more letters",
            );
        }
        self.power_word(key, words::fold(&words::old_power_key(written)), key.to_owned());
        let normal = words::normalised(written);
        self.draft.vocabulary.entry(normal).or_insert_with(|| Sense::Power(key.to_owned()));
    }

    fn power_word(&mut self, key: &str, word: String, shown: String) {
        let sense = Sense::Power(key.to_owned());
        match self.draft.vocabulary.get(&word) {
            Some(known) if *known != sense => {
                let hint = match known {
                    Sense::Place(code) => format!("{code} has this name; where a place is wanted the place is meant"),
                    Sense::Power(other) => format!("the power {other} has this name"),
                };
                self.advise(format!("power-is-place {shown}"), format!("DUPLICATE POWER OR LOCATION: {shown}"), hint);
            }
            _ => {
                self.draft.vocabulary.insert(word, sense);
            }
        }
    }

    /// `(OwnWord:L:SHORT)`
    fn own_word(&mut self, key: &str, text: &str) {
        let joined: String = text.split_whitespace().collect::<Vec<_>>().join("+");
        let mut parts = joined.split(':');
        let own = parts.next().unwrap_or_default().to_owned();
        let letter = parts.next().map(str::to_uppercase);
        let short: Vec<String> = parts.map(str::to_uppercase).collect();
        let letter = match letter {
            None => None,
            Some(letter) => {
                let mut chars = letter.chars();
                match (chars.next(), chars.next()) {
                    (Some(c), None) if !matches!(c, 'M' | '?') => Some(c),
                    _ => {
                        self.error_hint(
                            format!("ILLEGAL POWER ABBREVIATION: {letter}"),
                            "one character, neither M (the Master) nor ?",
                        );
                        None
                    }
                }
            }
        };
        if !own.is_empty() {
            self.power_word(key, words::normalised(&own), own.to_uppercase());
        }
        if let Some(power) = self.draft.powers.get_mut(key) {
            power.own = own;
            power.letter = letter;
            power.short = short;
        }
    }

    fn power_data(&mut self, keyword: &str, line: &Line<'_>, key: &str) {
        match keyword {
            "FLAG" => self.flag(line, key),
            "INHABITS" => {
                let first = self.draft.powers.get(key).is_some_and(|p| !p.inhabited);
                if first {
                    self.clear_homes(key);
                }
                self.homes(key, line.rest(1));
            }
            "HOME" | "HOMES" => {
                self.clear_homes(key);
                self.homes(key, line.rest(1));
            }
            "OWNS" | "CENTERS" | "CENTRES" => self.owns(keyword != "OWNS", line, key),
            "UNITS" => {
                if let Some(power) = self.draft.powers.get_mut(key) {
                    power.units.clear();
                }
            }
            "RESERVES" | "MILITIA" => self.count(keyword, line, key),
            "CONTROL" => {
                let masters = self.power_list(line.rest(1), false);
                if let Some(power) = self.draft.powers.get_mut(key) {
                    power.control = masters;
                }
            }
            "LEAGUE" => self.league(line, key),
            _ => self.unit(line, key),
        }
    }

    fn flag(&mut self, line: &Line<'_>, key: &str) {
        let [of] = line.rest(1) else { return self.error_hint("INVALID FLAG", "FLAG and one power") };
        let of = words::power_key(of);
        if let Some(power) = self.draft.powers.get_mut(key) {
            power.flag = Some(of);
        }
    }

    fn clear_homes(&mut self, key: &str) {
        if let Some(power) = self.draft.powers.get_mut(key) {
            power.homes.clear();
            power.wild = 0;
            power.inhabited = true;
        }
    }

    /// Home words, with their signs (map-file.md 7.3).
    fn homes(&mut self, key: &str, list: &[&str]) {
        for word in list {
            let signs: String = word.chars().take_while(|c| "-+*~@&".contains(*c)).collect();
            let rest = word.get(signs.len()..).unwrap_or_default();
            let (code, limits) = rest.split_once('(').unwrap_or((rest, ""));
            let code = code.to_uppercase();
            let limits: Vec<String> =
                limits.trim_end_matches(')').split(',').filter(|l| !l.is_empty()).map(str::to_uppercase).collect();
            if code.is_empty() {
                self.about(word).error_hint(format!("BAD HOME FOR {key}: {word}"), "a sign needs a province after it");
                continue;
            }
            let Some(power) = self.draft.powers.get_mut(key) else { return };
            if signs.contains('&') {
                if code == "SC" {
                    power.wild = power.wild.saturating_add(1);
                } else {
                    self.about(word).error_hint(format!("BAD HOME FOR {key}: {word}"), "& stands only in &SC");
                }
                continue;
            }
            let old = power.homes.iter().position(|h| h.code == code).map(|at| power.homes.remove(at));
            if signs.contains('-') {
                if old.is_some_and(|h| h.kind == HomeKind::Plain) && !self.draft.unowned.contains(&code) {
                    self.draft.unowned.push(code);
                }
                continue;
            }
            let kind = if signs.contains('@') {
                HomeKind::Alternative(limits)
            } else if signs.contains('+') {
                HomeKind::Factory
            } else if signs.contains('*') {
                HomeKind::Partisan
            } else {
                HomeKind::Plain
            };
            power.homes.push(Home { code, kind, hidden: signs.contains('~') });
        }
    }

    fn owns(&mut self, replace: bool, line: &Line<'_>, key: &str) {
        let Some(power) = self.draft.powers.get_mut(key) else { return };
        if replace {
            power.owns = None;
            power.owned_builds = 0;
            power.loose_builds = 0;
        }
        let list = power.owns.get_or_insert_default();
        for word in line.rest(1) {
            let code = word.to_uppercase();
            match code.as_str() {
                "SC!" => power.owned_builds = power.owned_builds.saturating_add(1),
                "SC?" => power.loose_builds = power.loose_builds.saturating_add(1),
                _ if list.contains(&code) => {}
                _ => list.push(code),
            }
        }
    }

    /// UNOWNED, NEUTRAL, or CENTERS of nobody (map-file.md 7.2).
    fn unowned(&mut self, line: &Line<'_>) {
        for word in line.rest(1) {
            let code = word.to_uppercase();
            if let Some(gone) = code.strip_prefix('-') {
                self.draft.unowned.retain(|c| c != gone);
                continue;
            }
            match code.chars().next() {
                Some('+') => self.about(word).error(format!("UNOWNED FACTORY: {code}")),
                Some('*') => self.about(word).error(format!("UNOWNED PARTISAN SITE: {code}")),
                _ if self.draft.unowned.contains(&code) => {}
                _ => self.draft.unowned.push(code),
            }
        }
    }

    fn count(&mut self, keyword: &str, line: &Line<'_>, key: &str) {
        let count = match line.rest(1) {
            [] => Some(1),
            [n] => n.parse::<u16>().ok(),
            _ => None,
        };
        let Some(count) = count else {
            return self.error_hint(format!("INVALID {keyword} COUNT"), format!("{keyword} and at most one number"));
        };
        if let Some(power) = self.draft.powers.get_mut(key) {
            if keyword == "MILITIA" {
                power.militia = count;
            } else {
                power.reserves = count;
            }
        }
    }

    fn unit(&mut self, line: &Line<'_>, key: &str) {
        let [kind, code] = line.words.as_slice() else {
            return self.error_hint("INVALID UNIT", "a letter and a place: A PAR, F STP/SC");
        };
        let kind = if kind.eq_ignore_ascii_case("A") { 'A' } else { 'F' };
        let code = code.to_uppercase();
        let province = |c: &str| c.split('/').next().unwrap_or_default().to_owned();
        let at = province(&code);
        for power in self.draft.powers.values_mut() {
            power.units.retain(|(_, c)| province(c) != at);
        }
        if let Some(power) = self.draft.powers.get_mut(key) {
            power.units.push((kind, code));
        }
    }

    /// The powers a list of names means; what is unknown is kept as a key when `strict` is off (a Master, a person).
    pub(super) fn power_list(&mut self, words_: &[&str], strict: bool) -> Vec<String> {
        let mut out = Vec::new();
        for word in words_ {
            let word = word.trim_matches(',');
            if word.is_empty() {
                continue;
            }
            match self.draft.find_power(word) {
                Some(key) => out.push(key),
                None if strict => self.unknown_power(word, format!("NO SUCH POWER: {}", word.to_uppercase())),
                None => out.push(words::power_key(word)),
            }
        }
        out
    }

    pub(super) fn unknown_power(&mut self, word: &str, text: String) {
        let near = nearest(word, self.draft.powers.keys().map(String::as_str)).map(str::to_owned);
        match near {
            Some(near) => self.about(word).error_hint(text, format!("did you mean {near}?")),
            None => {
                let known: Vec<&str> = self.draft.powers.keys().map(String::as_str).collect();
                let hint = if known.is_empty() { "no power is defined yet".to_owned() } else { known.join(", ") };
                self.about(word).error_hint(text, hint);
            }
        }
    }
}
