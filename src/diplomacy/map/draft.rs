//! The board while the lines of a map file are still being executed: everything by name, nothing checked, so that a
//! later line can still change what an earlier one said. [`super::build`] turns it into a [`super::Map`].

use super::Terrain;
use crate::diplomacy::phase::{Phase, Step};
use std::collections::BTreeMap;

/// What may cross a border by the spelling of its entry (map-file.md 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spelling {
    /// `TUS`: fleets and armies.
    Both,
    /// `tus`: armies.
    Army,
    /// `Tys`: fleets; armies by convoy.
    Ferry,
}

impl Spelling {
    /// Reads the case of a word.
    pub fn of(word: &str) -> Spelling {
        let mut cased = word.chars().filter(|c| c.is_uppercase() || c.is_lowercase());
        match cased.next() {
            Some(c) if c.is_lowercase() => Spelling::Army,
            Some(_) => {
                let rest: Vec<char> = cased.collect();
                if !rest.is_empty() && rest.iter().all(|c| c.is_lowercase()) { Spelling::Ferry } else { Spelling::Both }
            }
            None => Spelling::Both,
        }
    }
}

/// One entry of an ABUTS list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abut {
    /// Upper-case code, `SPA` or `SPA/NC`.
    pub code: String,
    /// Who may cross.
    pub spelling: Spelling,
    /// `*`
    pub star: bool,
    /// `~`
    pub tilde: bool,
    /// Letters before a colon; empty: nobody.
    pub only: Option<String>,
    /// Centres in parentheses.
    pub needs: Vec<String>,
}

/// A place with a terrain line.
#[derive(Clone, Debug)]
pub struct Place {
    /// Declared in lower case: armies only, fleets on its coasts.
    pub lower: bool,
    /// Kind of terrain.
    pub terrain: Terrain,
    /// Its list.
    pub abuts: Vec<Abut>,
    /// Later declarations have higher numbers.
    pub declared: usize,
    /// File and line of the last line about it.
    pub at: (String, usize),
}

/// A place's printed name.
#[derive(Clone, Debug)]
pub struct Name {
    /// Upper case.
    pub long: String,
    /// File and line.
    pub at: (String, usize),
}

/// What a home word says about a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HomeKind {
    /// `PAR`
    Plain,
    /// `+ICE`
    Factory,
    /// `*SIB`
    Partisan,
    /// `@CAL(NYO)`
    Alternative(Vec<String>),
}

/// One home word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// Upper-case province.
    pub code: String,
    /// Its sign.
    pub kind: HomeKind,
    /// `~`
    pub hidden: bool,
}

/// How a league binds its members (map-file.md 7.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeagueRule {
    /// The name alone: a label.
    Label,
    /// No support or convoy for units outside the league.
    Strict,
    /// No support or convoy into a space held by these leagues, for powers outside them.
    Benign(Vec<String>),
}

/// A power's league.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct League {
    /// Its name, upper case.
    pub name: String,
    /// How it binds.
    pub rule: LeagueRule,
}

/// A power, as written so far.
#[derive(Clone, Debug, Default)]
pub struct DraftPower {
    /// Name as written, upper case, with its `+`.
    pub written: String,
    /// Own-word as written; empty when none was given.
    pub own: String,
    /// Letter given in the parentheses.
    pub letter: Option<char>,
    /// Further short names.
    pub short: Vec<String>,
    /// Home words.
    pub homes: Vec<Home>,
    /// Number of `&SC`.
    pub wild: u16,
    /// INHABITS or HOME has been used.
    pub inhabited: bool,
    /// OWNS and CENTERS, if given.
    pub owns: Option<Vec<String>>,
    /// `SC!`
    pub owned_builds: u16,
    /// `SC?`
    pub loose_builds: u16,
    /// Units: letter and code.
    pub units: Vec<(char, String)>,
    /// RESERVES.
    pub reserves: u16,
    /// MILITIA.
    pub militia: u16,
    /// DUMMY.
    pub dummy: bool,
    /// CONTROL, in order.
    pub control: Vec<String>,
    /// LEAGUE.
    pub league: Option<League>,
    /// FLAG.
    pub flag: Option<String>,
    /// Written with parentheses, a letter or any data line: no mistyped keyword.
    pub vouched: bool,
    /// File and line of its first power line.
    pub at: (String, usize),
}

/// What a word of the vocabulary means while the file is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sense {
    /// A place's code.
    Place(String),
    /// A power's key.
    Power(String),
}

/// When a block of lines holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// `IN x`: short form or the beginning of a long one.
    In(String),
    /// `FROM S1904M`: as written, upper case.
    From(String),
}

/// Lines that hold only in some phases (map-file.md 10.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// When.
    pub when: When,
    /// The lines, words joined by single blanks, with file and line.
    pub lines: Vec<(String, (String, usize))>,
}

/// Everything the lines said.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Map name.
    pub name: String,
    /// MAP.
    pub root: Option<String>,
    /// Files read, in order.
    pub files: Vec<String>,
    /// TEXTONLY.
    pub text_only: bool,
    /// LANGUAGE.
    pub language: Option<String>,
    /// FLAGS.
    pub flags: Option<Vec<String>>,
    /// NOTIFY.
    pub notify: Vec<String>,
    /// Places by code.
    pub places: BTreeMap<String, Place>,
    /// Names by code.
    pub names: BTreeMap<String, Name>,
    /// Normalised names.
    pub vocabulary: BTreeMap<String, Sense>,
    /// `?` aliases: upper-cased, `+` as blank.
    pub ambiguous: BTreeMap<String, Vec<String>>,
    /// Names of places that a power had first: normalised name and codes.
    pub contested: BTreeMap<String, Vec<String>>,
    /// Powers by key.
    pub powers: BTreeMap<String, DraftPower>,
    /// UNOWNED centres.
    pub unowned: Vec<String>,
    /// VICTORY.
    pub victory: Option<Vec<u16>>,
    /// FLOW.
    pub flow: Vec<Step>,
    /// BEGIN.
    pub begin: Option<(Phase, (String, usize))>,
    /// NEWHOMES.
    pub new_homes: Vec<i32>,
    /// RULE.
    pub rules: Vec<String>,
    /// ROTATE.
    pub rotate: Option<String>,
    /// DIRECTIVES by variant.
    pub directives: BTreeMap<String, Vec<String>>,
    /// IN and FROM blocks.
    pub blocks: Vec<Block>,
    /// Aliases entered so far.
    pub aliases: usize,
    /// Counter of terrain declarations.
    pub declarations: usize,
}

impl Draft {
    /// The power a word means, compared by key (both generations of keys) and without accents.
    pub fn find_power(&self, word: &str) -> Option<String> {
        let key = super::words::power_key(word);
        if self.powers.contains_key(&key) {
            return Some(key);
        }
        let old = super::words::old_power_key(word);
        let folded = super::words::fold(&key);
        let same = |(k, p): &(&String, &DraftPower)| {
            super::words::old_power_key(&p.written) == old || super::words::fold(k) == folded || **k == old
        };
        self.powers.iter().find(same).map(|(k, _)| k.clone())
    }

    /// Forgets names and aliases of the places the test picks.
    pub fn forget_names(&mut self, gone: impl Fn(&str) -> bool) {
        self.names.retain(|code, _| !gone(code));
        self.vocabulary.retain(|_, sense| !matches!(sense, Sense::Place(code) if gone(code)));
        for table in [&mut self.ambiguous, &mut self.contested] {
            for codes in table.values_mut() {
                codes.retain(|code| !gone(code));
            }
            table.retain(|_, codes| !codes.is_empty());
        }
    }

    /// Forgets the names of a power.
    pub fn forget_power_names(&mut self, key: &str) {
        self.vocabulary.retain(|_, sense| !matches!(sense, Sense::Power(k) if k == key));
    }

    /// Rewrites every record of places, whatever list they are in. `None` removes the record.
    pub fn rewrite(&mut self, to: impl Fn(&str) -> Option<String>) {
        let places = std::mem::take(&mut self.places);
        for (code, mut place) in places {
            let Some(code) = to(&code) else { continue };
            place.abuts.retain_mut(|abut| match to(&abut.code) {
                Some(code) => {
                    abut.code = code;
                    rewrite_list(&mut abut.needs, &to);
                    true
                }
                None => false,
            });
            self.places.insert(code, place);
        }
        for power in self.powers.values_mut() {
            power.homes.retain_mut(|home| {
                if let HomeKind::Alternative(list) = &mut home.kind {
                    rewrite_list(list, &to);
                }
                to(&home.code).map(|code| home.code = code).is_some()
            });
            if let Some(owns) = &mut power.owns {
                rewrite_list(owns, &to);
            }
            power.units.retain_mut(|(_, code)| to(code).map(|new| *code = new).is_some());
        }
        rewrite_list(&mut self.unowned, &to);
    }
}

fn rewrite_list(list: &mut Vec<String>, to: &impl Fn(&str) -> Option<String>) {
    list.retain_mut(|code| to(code).map(|new| *code = new).is_some());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_tells_who_may_cross() {
        for (word, spelling) in [
            ("TUS", Spelling::Both),
            ("tus", Spelling::Army),
            ("Tys", Spelling::Ferry),
            ("SPA/SC", Spelling::Both),
            ("A1b", Spelling::Ferry),
            ("123", Spelling::Both),
        ] {
            assert_eq!(Spelling::of(word), spelling, "{word}");
        }
    }
}
