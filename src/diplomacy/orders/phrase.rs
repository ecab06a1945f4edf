//! From words to a phrase (orders.md 3 and 4): classification of the tokens of one order, then the rearrangement that
//! makes near-English into `[type] place rest`.

use super::code::{Code, Fault};
use super::lexicon::Lexicon;
use super::words::{Keyword, Token, Verb, is_result_word, keyword};
use crate::diplomacy::map::{LocationId, Map, PowerId, Terrain, UnitKind};

/// A place as written: one location, or several if its name is ambiguous.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// What the name may mean; never empty.
    pub candidates: Vec<LocationId>,
    /// The name as written, for messages.
    pub text: String,
}

/// An element of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// `A`, `F`
    Type(UnitKind),
    /// A place.
    Place(Spot),
    /// A verb.
    Verb(Verb),
    /// The power a proxy goes to.
    Power(PowerId),
    /// A number (of waives).
    Number(u32),
    /// `FROM`, `OF`
    From,
    /// `VIA` and the like
    Route,
    /// `WITH`
    With,
    /// A move mark.
    Mark,
}

/// One order, its elements in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase {
    /// The unit ordered: its type, if written, and its place.
    pub unit: Option<(Option<UnitKind>, Spot)>,
    /// What stands behind it; without marks.
    pub rest: Vec<Item>,
    /// By convoy, without a path.
    pub via: bool,
}

/// Reads one cleaned piece. `phase` is the letter of the phase's kind.
pub fn read(map: &Map, lexicon: &Lexicon, phase: char, text: &str, need_marks: bool) -> Result<Phrase, Fault> {
    let items = classify(map, lexicon, phase, text)?;
    if need_marks && phase != 'A' {
        check_marks(map, &items)?;
    }
    Ok(arrange(items))
}

/// Turns tokens into items. An unknown word is reported before an unknown coast.
pub fn classify(map: &Map, lexicon: &Lexicon, phase: char, text: &str) -> Result<Vec<Item>, Fault> {
    let mut list = lexicon.tokens(text);
    drop_results(lexicon, &mut list, phase);
    let mut items: Vec<Item> = Vec::new();
    let mut coast_fault = None;
    let mut proxy = false;
    let mut at = 0;
    while let Some(token) = list.get(at) {
        let word = match token {
            Token::Mark => {
                items.push(Item::Mark);
                at += 1;
                continue;
            }
            Token::Tilde => {
                if list[at + 1..].iter().any(|t| matches!(t, Token::Word(_))) && !items.is_empty() {
                    items.push(Item::Route);
                }
                at += 1;
                continue;
            }
            Token::Coast(coast, _) => match lexicon.longest(&list, at) {
                Some(_) => format!("/{coast}"),
                None => {
                    at = leading_coast(map, lexicon, &list, at, &mut items, &mut coast_fault)?;
                    continue;
                }
            },
            Token::Word(word) => word.clone(),
        };
        // `A LON P F`: behind a proxy an initial is a power.
        if proxy && items.iter().any(|i| matches!(i, Item::Place(_))) {
            if let Some(power) = lexicon.initial(&word) {
                items.push(Item::Power(power));
                at += 1;
                continue;
            }
        }
        if let Some((name, end)) = lexicon.longest(&list, at) {
            let is_keyword = end == at + 1 && keyword(&word).is_some();
            if name.places.is_empty() {
                if proxy {
                    items.extend(name.power.map(Item::Power));
                }
                at = end;
                continue;
            }
            if !name.unsure || wants_place(lexicon, &items, &list, end, name.power.is_some(), is_keyword) {
                let mut spot = Spot { candidates: name.places.clone(), text: spelled(&list[at..end]) };
                at = end + behind_place(map, lexicon, &list, end, &mut spot, &mut coast_fault);
                items.push(Item::Place(spot));
                continue;
            }
            if !is_keyword {
                if proxy {
                    items.extend(name.power.map(Item::Power));
                }
                at = end;
                continue;
            }
        }
        at += 1;
        match keyword(&word) {
            Some(Keyword::Type(UnitKind::Army)) if word == "A" && next_is_type(&list, at) => {}
            Some(Keyword::Type(kind)) => items.push(Item::Type(kind)),
            Some(Keyword::Verb(verb)) => {
                proxy |= verb == Verb::Proxy;
                items.push(Item::Verb(verb));
            }
            Some(Keyword::W) if phase == 'R' || (phase == 'A' && list.len() == 1) => {
                items.push(Item::Verb(Verb::Waive))
            }
            Some(Keyword::W) | None => match word.parse::<u32>() {
                Ok(number) if phase == 'A' => items.push(Item::Number(number)),
                _ => return Err(unknown(lexicon, &word)),
            },
            Some(Keyword::Noise) => {}
            Some(Keyword::Mark) => items.push(Item::Mark),
            Some(Keyword::From) => items.push(Item::From),
            Some(Keyword::Route) => items.push(Item::Route),
            Some(Keyword::With) => items.push(Item::With),
        }
    }
    match coast_fault {
        Some(fault) => Err(fault),
        None => Ok(items),
    }
}

/// Whether the grammar wants a place here, for a name that may be a power or a keyword too (map-file.md 4.3).
fn wants_place(lexicon: &Lexicon, items: &[Item], list: &[Token], end: usize, power: bool, is_keyword: bool) -> bool {
    match items.last() {
        Some(Item::Type(_) | Item::Mark) => true,
        _ if is_keyword => false,
        Some(Item::Place(_)) => true,
        _ if !power => true,
        // `GERMAN F DEN`, `DENMARK KIEL`: a unit follows, so this names its owner.
        _ => match list.get(end) {
            Some(Token::Word(next)) if matches!(keyword(next), Some(Keyword::Type(_))) => false,
            Some(Token::Word(_)) => lexicon.longest(list, end).is_none_or(|(name, _)| name.places.is_empty()),
            _ => true,
        },
    }
}

/// A coast before its place: `SOUTH COAST OF SPAIN`. Returns where to go on.
fn leading_coast(
    map: &Map,
    lexicon: &Lexicon,
    list: &[Token],
    at: usize,
    items: &mut Vec<Item>,
    fault: &mut Option<Fault>,
) -> Result<usize, Fault> {
    let Some(Token::Coast(coast, _)) = list.get(at) else { return Ok(at + 1) };
    let mut next = at + 1;
    while let Some(Token::Word(word)) = list.get(next) {
        if !matches!(keyword(word), Some(Keyword::From | Keyword::Noise)) || lexicon.longest(list, next).is_some() {
            break;
        }
        next += 1;
    }
    let Some((name, end)) = lexicon.longest(list, next).filter(|(name, _)| !name.places.is_empty()) else {
        return Err(unknown(lexicon, coast));
    };
    let mut spot = Spot { candidates: name.places.clone(), text: spelled(&list[next..end]) };
    add_coast(map, lexicon, &mut spot, coast, fault);
    items.push(Item::Place(spot));
    Ok(end)
}

/// What belongs to a place behind its name: a coast, and SEA, OCEAN, … after water. Returns the tokens used.
fn behind_place(
    map: &Map,
    lexicon: &Lexicon,
    list: &[Token],
    at: usize,
    spot: &mut Spot,
    fault: &mut Option<Fault>,
) -> usize {
    let mut used = 0;
    let water = spot.candidates.iter().all(|l| map[map.province_of(*l)].terrain == Terrain::Water);
    if let Some(Token::Word(word)) = list.get(at) {
        let generic = matches!(word.as_str(), "SEA" | "OCEAN" | "BAY" | "BIGHT" | "CHANNEL");
        if water && generic && lexicon.longest(list, at).is_none() {
            used += 1;
        }
    }
    while let Some(Token::Coast(coast, tied)) = list.get(at + used) {
        // An untied coast may belong to the next place: `MAO - SOUTH COAST OF SPAIN` with the mark left out.
        if !tied && matches!(list.get(at + used + 1), Some(Token::Word(w)) if w == "OF") {
            break;
        }
        add_coast(map, lexicon, spot, coast, fault);
        used += 1;
    }
    used
}

/// Joins a place with a coast: an alias of the map (`SPA/WC`) or the coast itself; else notes the fault.
fn add_coast(map: &Map, lexicon: &Lexicon, spot: &mut Spot, coast: &str, fault: &mut Option<Fault>) {
    let joined: Vec<LocationId> = spot
        .candidates
        .iter()
        .filter_map(|at| {
            let code = &map[map.province_of(*at)].code;
            let named = &map[*at];
            match &named.coast {
                Some(own) => (own == coast).then_some(*at),
                None => lexicon.coast(code, coast),
            }
        })
        .collect();
    if joined.is_empty() {
        let province = spot.candidates.first().map(|at| &map[map.province_of(*at)]);
        let text = province.map_or_else(String::new, |province| {
            let coasts: Vec<&str> = province.coasts.iter().map(|l| map[*l].code.as_str()).collect();
            let cure = match coasts.as_slice() {
                [] => format!("{} has only one coast: leave it out", province.title),
                list => format!("Possible: {}", list.join(", ")),
            };
            format!("{} has no coast {coast}. {cure}.", province.title)
        });
        fault.get_or_insert(Fault::new(Code::Coast, text));
    } else {
        spot.candidates = joined;
    }
    spot.text = format!("{}/{coast}", spot.text);
}

fn next_is_type(list: &[Token], at: usize) -> bool {
    matches!(list.get(at), Some(Token::Word(w)) if matches!(w.as_str(), "ARMY" | "FLEET" | "WING"))
}

/// Drops result words at the end, as reports print them, and the mark of a hidden build.
fn drop_results(lexicon: &Lexicon, list: &mut Vec<Token>, phase: char) {
    while let Some(Token::Word(last)) = list.last() {
        let two = matches!(list.len().checked_sub(2).and_then(|n| list.get(n)), Some(Token::Word(w)) if w == "NO");
        let result = is_result_word(last) || (phase == 'A' && last == "HIDDEN");
        if last == "CONVOY" && two {
            list.truncate(list.len() - 2);
        } else if result && lexicon.longest(list, list.len() - 1).is_none() {
            list.pop();
        } else {
            break;
        }
    }
}

fn spelled(list: &[Token]) -> String {
    let words = list.iter().filter_map(|token| match token {
        Token::Word(word) => Some(word.clone()),
        Token::Coast(coast, _) => Some(format!("/{coast}")),
        Token::Mark | Token::Tilde => None,
    });
    words.collect::<Vec<_>>().join(" ").replace(" /", "/")
}

fn unknown(lexicon: &Lexicon, word: &str) -> Fault {
    let shown: String = word.chars().take(40).collect();
    let near = lexicon.suggestions(word);
    let hint = match near.as_slice() {
        [] => String::new(),
        [one] => format!(" Did you mean {one}?"),
        [head @ .., last] => format!(" Did you mean {} or {last}?", head.join(", ")),
    };
    Fault::new(Code::Word, format!("\"{shown}\" is no place, power or order word on this map.{hint}"))
}

/// NEED_MOVE_MARKS (orders.md 3.1).
fn check_marks(map: &Map, items: &[Item]) -> Result<(), Fault> {
    for pair in items.windows(2) {
        if let [Item::Place(a), Item::Place(b)] = pair {
            let code = |spot: &Spot| spot.candidates.first().map_or("", |l| map[*l].code.as_str()).to_string();
            let (a, b) = (code(a), code(b));
            let text = format!("In this game a move needs its mark: write {a} - {b}, or {a} TO {b}.");
            return Err(Fault::new(Code::MoveMark, text));
        }
    }
    Ok(())
}

/// Brings the items into order (orders.md 4, steps 2 to 6).
pub fn arrange(items: Vec<Item>) -> Phrase {
    let mut items: Vec<Item> = items.into_iter().filter(|item| *item != Item::Mark).collect();
    let mut phrase = Phrase::default();
    doer(&mut items);
    sources(&mut items);
    routes(&mut items, &mut phrase.via);
    if let Some(Item::Verb(_)) = items.first() {
        if let Some(place) = items.iter().position(|item| matches!(item, Item::Place(_))) {
            let verb = items.remove(0);
            items.insert(place, verb);
        }
    }
    let mut rest = items.into_iter().peekable();
    let kind = match rest.peek() {
        Some(Item::Type(kind)) => Some(*kind),
        _ => None,
    };
    if kind.is_some() {
        rest.next();
    }
    if let Some(Item::Place(_)) = rest.peek() {
        if let Some(Item::Place(spot)) = rest.next() {
            phrase.unit = Some((kind, spot));
        }
    }
    phrase.rest = rest.collect();
    phrase
}

/// WITH x: x is the unit ordered.
fn doer(items: &mut Vec<Item>) {
    while let Some(with) = items.iter().position(|item| *item == Item::With) {
        items.remove(with);
        let len = unit_length(items, with);
        let unit: Vec<Item> = items.drain(with..with + len).collect();
        items.splice(0..0, unit);
    }
}

/// FROM p, OF p: p goes before the run of places in front of it.
fn sources(items: &mut Vec<Item>) {
    while let Some(from) = items.iter().position(|item| *item == Item::From) {
        items.remove(from);
        let len = unit_length(items, from);
        let mut start = from;
        while start > 0 && matches!(items[start - 1], Item::Place(_)) {
            start -= 1;
        }
        items[start..from + len].rotate_right(len);
        // `army to BEL from A HOL`: one type is enough.
        let double = start.checked_sub(1).map(|before| (items.get(before), items.get(start)));
        if matches!(double, Some((Some(Item::Type(a)), Some(Item::Type(b)))) if a == b) {
            items.remove(start);
        }
    }
}

/// VIA p: p goes between the last two places before it. VIA alone, or VIA CONVOY: by convoy.
fn routes(items: &mut Vec<Item>, via: &mut bool) {
    while let Some(route) = items.iter().position(|item| *item == Item::Route) {
        items.remove(route);
        if let Some(Item::Verb(Verb::Convoy)) = items.get(route) {
            items.remove(route);
            *via = true;
            continue;
        }
        let mut end = route;
        while unit_length(items, end) > 0 {
            if let Some(Item::Type(_)) = items.get(end) {
                items.remove(end);
            }
            end += 1;
        }
        if end == route {
            *via = true;
            continue;
        }
        let before: Vec<usize> = (0..route).filter(|at| matches!(items[*at], Item::Place(_))).collect();
        if let [.., _, last] = before[..] {
            items[last..end].rotate_right(end - route);
            // Rotation carried the items between the last place and the marker along; they stay behind it.
        }
    }
}

/// The length of `[type] place` at a position.
fn unit_length(items: &[Item], at: usize) -> usize {
    match (items.get(at), items.get(at + 1)) {
        (Some(Item::Place(_)), _) => 1,
        (Some(Item::Type(_)), Some(Item::Place(_))) => 2,
        _ => 0,
    }
}
