//! Place lines: `[old ->] Long Name = abbr alias…`, and DROP (map-file.md 4 and 5.4).

use super::draft::{Name, Sense};
use super::read::{Line, Reader};
use super::words;
use crate::spelling::nearest;

/// Longest printed name, longest alias, number of aliases (map-file.md 12).
const MAX_LONG: usize = 80;
const MAX_ALIAS: usize = 60;
const MAX_ALIASES: usize = 4096;

impl Reader<'_> {
    /// A line with `=`.
    pub(super) fn place_name(&mut self, line: &Line<'_>) {
        let (left, right) = line.text.split_once('=').unwrap_or((line.text, ""));
        let right = right.split('=').next().unwrap_or_default();
        let mut parts = left.split("->").map(|s| s.split_whitespace().collect::<Vec<_>>().join(" "));
        let (first, second) = (parts.next().unwrap_or_default(), parts.next());
        if parts.next().is_some() {
            return self.error_hint("BAD RENAME DIRECTIVE", "one arrow: OLD -> New Name = new aliases");
        }
        let (old, long) = match second {
            Some(long) => (Some(first), long),
            None => (None, first),
        };
        let mut aliases = right.split_whitespace();
        let Some(written) = aliases.next() else {
            return self.error_hint("NO ABBREVIATION", "three letters after the equals sign: Long Name = abc aliases");
        };
        if long.is_empty() {
            return self.error_hint("BAD ALIASES IN MAP FILE", "a long name before the equals sign");
        }
        let code = written.to_uppercase();
        if !words::is_code(&code) {
            self.about(written).error_hint(
                format!("INVALID LOCATION ABBREVIATION: {code}"),
                "three characters, the first and last a letter or digit; a coast adds / and two: SPA/NC",
            );
            return;
        }
        if words::is_order_word(&code) {
            self.about(written).advise(
                format!("bad-abbreviation {code}"),
                format!("INVALID LOCATION ABBREVIATION: {code}"),
                "it is a word of the order language; the place wins where it can",
            );
        }
        if let Some(old) = old {
            let from = old.to_uppercase();
            if !self.draft.places.contains_key(&from) && !self.draft.names.contains_key(&from) {
                let near = nearest(&from, self.draft.places.keys().map(String::as_str)).map(str::to_owned);
                let text = format!("INVALID RENAME LOCATION: '{from}'");
                match near {
                    Some(near) => self.about(&old).error_hint(text, format!("did you mean {near}?")),
                    None => self.about(&old).error_hint(text, "the abbreviation the place has so far"),
                }
                return;
            }
            if from != code && self.draft.places.contains_key(&code) {
                self.about(written).error_hint(
                    format!("DUPLICATE LOCATION ABBREVIATION: {code}"),
                    "another place has this abbreviation; rename that one first",
                );
                return;
            }
            self.draft.forget_names(|c| c == from);
            if from != code {
                self.draft.rewrite(|c| Some(if c == from { code.clone() } else { c.to_owned() }));
            }
        }
        self.name_place(&code, &long);
        for alias in aliases {
            self.alias(&code, alias);
        }
    }

    fn name_place(&mut self, code: &str, long: &str) {
        let upper = long.to_uppercase();
        if upper.chars().count() > MAX_LONG {
            return self.error(format!("NAME LONGER THAN {MAX_LONG} CHARACTERS: {upper}"));
        }
        let normal = words::normalised(long);
        if normal.chars().count() <= 1 || words::keyword(&upper).is_some() {
            self.about(long).error_hint(
                format!("MAP LOCATION IS RESERVED KEYWORD: {upper}"),
                "a name that is no word of the order language",
            );
            return;
        }
        let sense = Sense::Place(code.to_owned());
        match self.draft.vocabulary.get(&normal) {
            Some(known) if *known != sense => {
                let hint = match known {
                    Sense::Place(other) => format!("{other} has this name"),
                    Sense::Power(key) => format!("{key} is a power; where a place is wanted the place is meant"),
                };
                let power = matches!(known, Sense::Power(_));
                self.about(long).advise(
                    format!("duplicate-name {upper}"),
                    format!("DUPLICATE MAP LOCATION OR POWER: {upper}"),
                    hint,
                );
                if power {
                    self.also_place(&normal, code);
                }
            }
            _ => {
                self.draft.vocabulary.insert(normal, sense);
            }
        }
        let at = self.here();
        self.draft.names.insert(code.to_owned(), Name { long: upper, at });
    }

    fn alias(&mut self, code: &str, written: &str) {
        self.draft.aliases += 1;
        if self.draft.aliases > MAX_ALIASES {
            return self.error(format!("MORE THAN {MAX_ALIASES} ALIASES"));
        }
        let upper = written.to_uppercase();
        if upper.chars().count() > MAX_ALIAS {
            self.about(written).error(format!("ALIAS LONGER THAN {MAX_ALIAS} CHARACTERS: {upper}"));
            return;
        }
        if let Some(open) = written.strip_suffix('?') {
            let key = words::fold(&open.to_uppercase().replace('+', " "));
            let codes = self.draft.ambiguous.entry(key).or_default();
            if !codes.iter().any(|c| c == code) {
                codes.push(code.to_owned());
            }
            return;
        }
        let normal = words::normalised(written);
        if normal.is_empty() {
            return;
        }
        let sense = Sense::Place(code.to_owned());
        match self.draft.vocabulary.get(&normal) {
            Some(known) if *known != sense => {
                let (other, power) = match known {
                    Sense::Place(other) => (format!("it means {other}"), false),
                    Sense::Power(key) => (format!("it means the power {key}"), true),
                };
                self.about(written).advise(
                    format!("duplicate-alias {upper}"),
                    format!("DUPLICATE MAP ALIAS OR POWER: {upper}"),
                    format!("{other} already; write {}? if both are wanted", written.to_lowercase()),
                );
                if power {
                    // The power keeps the word; where only a place can stand it is the place (map-file.md 4.3).
                    self.also_place(&normal, code);
                }
            }
            _ => {
                self.draft.vocabulary.insert(normal, sense);
            }
        }
    }

    /// Enters a second meaning of a power's name.
    fn also_place(&mut self, key: &str, code: &str) {
        let codes = self.draft.contested.entry(key.to_owned()).or_default();
        if !codes.iter().any(|c| c == code) {
            codes.push(code.to_owned());
        }
    }

    /// `DROP X…`: the places, and all that begins with them.
    pub(super) fn drop_places(&mut self, line: &Line<'_>) {
        for word in line.rest(1) {
            let prefix = word.to_uppercase();
            let known = self.draft.places.keys().chain(self.draft.names.keys()).any(|c| c.starts_with(&prefix));
            if !known {
                let near = nearest(&prefix, self.draft.places.keys().map(String::as_str)).map(str::to_owned);
                let hint = near.map_or_else(|| "no place begins so".to_owned(), |n| format!("did you mean {n}?"));
                self.about(word).warn_hint(format!("NOTHING TO DROP: {prefix}"), hint);
                continue;
            }
            self.draft.forget_names(|c| c.starts_with(&prefix));
            self.draft.rewrite(|c| (!c.starts_with(&prefix)).then(|| c.to_owned()));
        }
    }
}
