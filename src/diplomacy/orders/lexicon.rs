//! The names of a map as the order language looks them up (orders.md 3.3, map-file.md 4): the longest run of words
//! that is a name wins. Built once per map; read-only afterwards.

use super::clean::clean;
use super::words::{Keyword, Token, Verb, keyword, tokens};
use crate::diplomacy::map::{LocationId, Map, Meaning, PowerId, UnitKind};
use crate::spelling::near;
use std::collections::{BTreeSet, HashMap};

/// What a name stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// The places, one unless the map declares the name ambiguous.
    pub places: Vec<LocationId>,
    /// The power of that name or own-word.
    pub power: Option<PowerId>,
    /// Whether the map declares it ambiguous (`?`), or it is both a place and a power.
    pub unsure: bool,
}

/// The vocabulary of a map, in the order language's own normal form.
#[derive(Clone, Debug)]
pub struct Lexicon {
    names: HashMap<String, Name>,
    longest: usize,
    words: BTreeSet<String>,
    coasts: BTreeSet<String>,
    powers: HashMap<String, PowerId>,
    initials: HashMap<String, PowerId>,
}

impl Lexicon {
    /// The names of a map.
    pub fn new(map: &Map) -> Lexicon {
        let coasts: BTreeSet<String> = map.locations.iter().filter_map(|l| l.coast.clone()).collect();
        let mut lexicon = Lexicon {
            names: HashMap::new(),
            longest: 1,
            words: BTreeSet::new(),
            coasts,
            powers: HashMap::new(),
            initials: HashMap::new(),
        };
        for (text, meaning) in &map.vocabulary {
            match meaning {
                Meaning::Place(at) => lexicon.add(text, |name| name.places = vec![*at]),
                Meaning::Power(power) => lexicon.add(text, |name| name.power = Some(*power)),
                Meaning::Ambiguous(places) => lexicon.add(text, |name| {
                    name.places.clone_from(places);
                    name.unsure = true;
                }),
            }
        }
        for (at, location) in map.locations.iter().enumerate() {
            let at = LocationId(at as u16);
            // The code always means its own place: what the judge stores must read back as itself.
            lexicon.add(&location.code, |name| name.places = vec![at]);
            lexicon.add(&location.title, |name| {
                if name.places.is_empty() {
                    name.places = vec![at];
                }
            });
            let spelled = clean(&location.title);
            if spelled.split(' ').next().is_some_and(|first| keyword(first) == Some(Keyword::Noise)) {
                let name = lexicon.names.entry(spelled).or_default();
                if name.places.is_empty() {
                    name.places = vec![at];
                }
            }
            if key(&lexicon.tokens(&clean(&location.title))) == "MID ATLANTIC OCEAN" {
                lexicon.add("MID ATLANTIC", |name| {
                    if name.places.is_empty() {
                        name.places = vec![at];
                    }
                });
            }
        }
        for power in map.power_ids() {
            let facts = &map[power];
            for text in [&facts.title, &facts.key] {
                lexicon.powers.insert(key(&lexicon.tokens(&clean(text))), power);
                lexicon.add(text, |name| name.power = Some(power));
            }
            lexicon.add(&facts.own, |name| {
                if name.places.is_empty() || name.unsure {
                    name.power = name.power.or(Some(power));
                }
            });
            for text in facts.short.iter().cloned().chain(facts.letter.map(String::from)) {
                lexicon.initials.entry(clean(&text)).or_insert(power);
            }
        }
        for name in lexicon.names.values_mut() {
            name.unsure |= name.power.is_some() && !name.places.is_empty();
        }
        lexicon
    }

    fn add(&mut self, text: &str, change: impl FnOnce(&mut Name)) {
        let text = clean(text);
        let list = self.tokens(&text);
        let mut text_key = key(&list);
        if text_key.is_empty() || (text_key.chars().count() == 1 && list.len() == 1 && keyword(text.trim()).is_some()) {
            // A name that is nothing but a keyword (map codes THE, AND, VIA): known by its very letters.
            text_key = text.trim().to_string();
        }
        if text_key.is_empty() {
            return;
        }
        self.longest = self.longest.max(text_key.split(' ').count());
        self.words.extend(text_key.split(' ').filter(|w| w.len() > 2 && !w.starts_with('/')).map(String::from));
        change(self.names.entry(text_key).or_default());
    }

    /// Splits a cleaned text with this map's coasts in mind.
    pub fn tokens(&self, text: &str) -> Vec<Token> {
        tokens(text, |coast| self.coasts.contains(coast))
    }

    /// The longest name that begins at a token, and where it ends.
    pub fn longest(&self, list: &[Token], at: usize) -> Option<(&Name, usize)> {
        let mut best = None;
        // A keyword of several letters that is a code or an alias of the map (THE), or begins a full name in which it
        // is written out (`The Fetters` on a map with a place THE).
        if let Some(Token::Word(word)) = list.get(at) {
            if word.chars().count() > 1 && keyword(word).is_some() {
                let mut spelled = String::new();
                for (offset, token) in list.iter().enumerate().skip(at).take(self.longest + 1) {
                    let Token::Word(word) = token else { break };
                    spelled.push_str(if offset > at { " " } else { "" });
                    spelled.push_str(word);
                    best = self.names.get(&spelled).map(|name| (name, offset + 1)).or(best);
                }
            }
        }
        let mut text = String::new();
        let mut words = 0;
        for (offset, token) in list.iter().enumerate().skip(at) {
            let Some(form) = form(token) else {
                if words == 0 {
                    break;
                }
                continue;
            };
            words += 1;
            if words > self.longest {
                break;
            }
            if words > 1 {
                text.push(' ');
            }
            text.push_str(&form);
            if words == 1 && text.chars().count() == 1 && keyword(&text).is_some() {
                continue;
            }
            if let Some(name) = self.names.get(&text) {
                best = Some((name, offset + 1));
            }
        }
        best
    }

    /// The place of a province's code with that coast: the map's alias of it, or the location itself.
    pub fn coast(&self, province: &str, coast: &str) -> Option<LocationId> {
        self.names.get(&format!("{province} /{coast}")).and_then(|name| name.places.first().copied())
    }

    /// The power of that full name (cleaned text).
    pub fn power(&self, text: &str) -> Option<PowerId> {
        self.powers.get(&key(&self.tokens(text))).copied()
    }

    /// The power of that initial or short name (cleaned text).
    pub fn initial(&self, text: &str) -> Option<PowerId> {
        self.initials.get(text.trim()).copied()
    }

    /// Whether a full power name is also a place of the map.
    pub fn is_place_too(&self, text: &str) -> bool {
        self.names.get(&key(&self.tokens(text))).is_some_and(|name| !name.places.is_empty())
    }

    /// Whether a piece of text is nothing but one place.
    pub fn is_one_place(&self, piece: &str) -> bool {
        let list = self.tokens(&clean(piece));
        let start = list.iter().position(|t| form(t).is_some()).unwrap_or(0);
        let Some((name, mut end)) = self.longest(&list, start) else { return false };
        if matches!(list.get(end), Some(Token::Coast(..))) {
            end += 1;
        }
        !name.places.is_empty() && list[end.min(list.len())..].iter().all(|t| *t == Token::Mark)
    }

    /// Up to three known words close to an unknown one.
    pub fn suggestions(&self, word: &str) -> Vec<&str> {
        near(word, self.words.iter().map(String::as_str).chain(KEYWORDS.iter().copied()))
    }
}

const KEYWORDS: &[&str] =
    &["ARMY", "FLEET", "HOLD", "SUPPORT", "CONVOY", "RETREAT", "BUILD", "DISBAND", "REMOVE", "WAIVE", "KEEP", "PROXY"];

/// The form in which a token takes part in a name; `None`: it does not.
fn form(token: &Token) -> Option<String> {
    let word = match token {
        Token::Mark | Token::Tilde => return None,
        Token::Coast(coast, _) => return Some(format!("/{coast}")),
        Token::Word(word) => word,
    };
    Some(match keyword(word) {
        None => word.clone(),
        Some(Keyword::Noise | Keyword::Mark | Keyword::Route | Keyword::With) => return None,
        Some(Keyword::From) => "\\".into(),
        Some(Keyword::Type(UnitKind::Army)) => "A".into(),
        Some(Keyword::Type(UnitKind::Fleet)) => "F".into(),
        Some(Keyword::W) => "W".into(),
        Some(Keyword::Verb(verb)) => match verb {
            Verb::Hold => "H",
            Verb::Support => "S",
            Verb::Convoy => "C",
            Verb::Proxy => "P",
            Verb::Retreat => "R",
            Verb::Build => "B",
            Verb::Disband => "D",
            Verb::Waive => "V",
            Verb::Keep => "K",
        }
        .into(),
    })
}

fn key(list: &[Token]) -> String {
    list.iter().filter_map(form).collect::<Vec<_>>().join(" ")
}
