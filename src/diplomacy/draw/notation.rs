//! Orders as the picture reads them: the canonical text of orders.md 1 (and the short forms of saved games), without
//! judging them. What cannot be read is [`Act::Other`] and is written beside the unit.

use super::super::map::{LocationId, Map, ProvinceId, UnitKind};
use super::super::position::Unit;

/// How an order came out, in the words of the results (adjudication.md 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mark {
    /// The move failed against somebody.
    Bounce,
    /// The support was cut.
    Cut,
    /// No use: nothing to support, no such move, an illegal order.
    Void,
    /// No chain of fleets carried the army.
    NoConvoy,
    /// The convoying fleet was dislodged.
    Disrupted,
    /// The unit was dislodged.
    Dislodged,
    /// The unit is gone: no retreat, or it disbanded.
    Destroyed,
}

impl Mark {
    /// Every mark with the word the results print.
    pub const ALL: [(Mark, &'static str); 7] = [
        (Mark::Bounce, "bounce"),
        (Mark::Cut, "cut"),
        (Mark::Void, "void"),
        (Mark::NoConvoy, "no convoy"),
        (Mark::Disrupted, "disrupted"),
        (Mark::Dislodged, "dislodged"),
        (Mark::Destroyed, "destroyed"),
    ];

    /// The mark of that word; `disband`, `disbanded`, `invalid`, `illegal` are understood too.
    pub fn named(word: &str) -> Option<Mark> {
        let word = word.trim().to_lowercase();
        match word.as_str() {
            "disband" | "disbanded" => Some(Mark::Destroyed),
            "invalid" | "illegal" | "unused" => Some(Mark::Void),
            other => Self::ALL.iter().find(|(_, name)| *name == other).map(|(mark, _)| *mark),
        }
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(mark, _)| *mark == self).map_or("", |(_, word)| word)
    }
}

/// What is seen of a unit of which not all is seen (variants.md 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sighting {
    /// It comes from somewhere unseen.
    Arrives,
    /// It is there; what it did is unknown.
    Found,
    /// It goes somewhere unseen.
    Departs,
    /// It was there; what it did is unknown.
    Lost,
}

impl Sighting {
    /// All with their words.
    pub const ALL: [(Sighting, &'static str); 4] = [
        (Sighting::Arrives, "ARRIVES"),
        (Sighting::Found, "FOUND"),
        (Sighting::Departs, "DEPARTS"),
        (Sighting::Lost, "LOST"),
    ];

    /// The sighting of that word.
    pub fn named(word: &str) -> Option<Sighting> {
        Self::ALL.iter().find(|(_, name)| *name == word).map(|(sighting, _)| *sighting)
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(sighting, _)| *sighting == self).map_or("", |(_, word)| word)
    }

    /// Whether the unit is where it is seen when the phase is over, not when it began.
    pub fn comes(self) -> bool {
        matches!(self, Sighting::Arrives | Sighting::Found)
    }
}

/// What a unit, or a power, was told to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Stay.
    Hold,
    /// Go.
    Move {
        /// Where to.
        to: LocationId,
        /// The seas written in between.
        path: Vec<ProvinceId>,
        /// Whether the text says VIA.
        via: bool,
    },
    /// Help.
    Support {
        /// The place of the unit helped.
        at: LocationId,
        /// Where that unit goes; `None`: it stays.
        to: Option<LocationId>,
    },
    /// Carry an army.
    Convoy {
        /// From there.
        from: ProvinceId,
        /// To there.
        to: ProvinceId,
    },
    /// Retreat.
    Retreat(LocationId),
    /// Disband instead of retreating.
    Disband,
    /// Build.
    Build,
    /// Use no build.
    Waive,
    /// Remove.
    Remove,
    /// No order, but what somebody saw of a unit in a blind game.
    Seen(Sighting),
    /// Anything else, as written.
    Other(String),
}

/// An order read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The unit, unless the order has none.
    pub unit: Option<Unit>,
    /// What it is told.
    pub act: Act,
}

fn kind(word: &str) -> Option<UnitKind> {
    match word {
        "A" => Some(UnitKind::Army),
        "F" => Some(UnitKind::Fleet),
        _ => None,
    }
}

/// Reads `A MUN` (a dislodged mark `*` in front is dropped) off the front of the words.
fn unit<'w, 't>(map: &Map, words: &'w [&'t str]) -> Option<(Unit, &'w [&'t str])> {
    let (first, rest) = words.split_first()?;
    let (place, rest) = rest.split_first()?;
    Some((Unit { kind: kind(first.trim_start_matches('*'))?, at: map.location(place)? }, rest))
}

/// A unit as text, `A MUN`.
pub fn unit_named(map: &Map, text: &str) -> Option<Unit> {
    let words: Vec<&str> = text.split_whitespace().collect();
    unit(map, &words).map(|(unit, _)| unit)
}

fn act(map: &Map, words: &[&str]) -> Option<Act> {
    let place = |word: &str| map.location(word);
    match words {
        [] | ["H"] => Some(Act::Hold),
        ["-", legs @ ..] => {
            let via = legs.last() == Some(&"VIA");
            let mut stops = Vec::new();
            for leg in legs.iter().filter(|word| !matches!(**word, "-" | "VIA")) {
                stops.push(place(leg)?);
            }
            let to = stops.pop()?;
            Some(Act::Move { to, path: stops.into_iter().map(|at| map.province_of(at)).collect(), via })
        }
        ["S", rest @ ..] => {
            let (helped, rest) = unit(map, rest)?;
            let rest = rest.strip_suffix(&["?"]).unwrap_or(rest);
            let to = match rest {
                [] | ["H"] => None,
                [.., last] => Some(place(last)?),
            };
            Some(Act::Support { at: helped.at, to })
        }
        ["C", rest @ ..] => {
            let (army, rest) = unit(map, rest)?;
            let to = place(rest.last()?)?;
            Some(Act::Convoy { from: map.province_of(army.at), to: map.province_of(to) })
        }
        ["R", to] => Some(Act::Retreat(place(to)?)),
        ["D" | "DISBAND"] => Some(Act::Disband),
        ["B"] => Some(Act::Build),
        [word] => Sighting::named(word).map(Act::Seen),
        _ => None,
    }
}

/// Reads an order. Never fails: what it does not know is [`Act::Other`].
pub fn read(map: &Map, text: &str) -> Told {
    let upper = text.trim().to_uppercase();
    let words: Vec<&str> = upper.split_whitespace().collect();
    let other = || Act::Other(text.trim().to_string());
    match words.as_slice() {
        ["BUILD", "WAIVED"] | ["WAIVE", ..] => Told { unit: None, act: Act::Waive },
        [verb @ ("BUILD" | "REMOVE" | "DISBAND" | "RETREAT"), rest @ ..] => match unit(map, rest) {
            None => Told { unit: None, act: other() },
            Some((who, rest)) => {
                let act = match (*verb, rest) {
                    ("BUILD", _) => Act::Build,
                    ("REMOVE", _) => Act::Remove,
                    ("RETREAT", ["-", to]) => map.location(to).map_or_else(other, Act::Retreat),
                    _ => Act::Disband,
                };
                Told { unit: Some(who), act }
            }
        },
        words => match unit(map, words) {
            None => Told { unit: None, act: other() },
            Some((who, rest)) => Told { unit: Some(who), act: act(map, rest).unwrap_or_else(other) },
        },
    }
}

/// A unit in words: `Army Munich`, `Fleet St Petersburg (south coast)`.
pub fn unit_words(map: &Map, unit: Unit) -> String {
    let kind = match unit.kind {
        UnitKind::Army => "Army",
        UnitKind::Fleet => "Fleet",
    };
    format!("{kind} {}", map[unit.at].title)
}

/// The order as a sentence of the results (notices.md 4), without the power.
pub fn sentence(map: &Map, told: &Told, marks: &[Mark]) -> String {
    let who = told.unit.map(|unit| unit_words(map, unit)).unwrap_or_default();
    let text = match &told.act {
        Act::Hold => format!("{who} HOLD."),
        Act::Move { to, path, .. } => {
            let seas: String = path.iter().map(|sea| format!(" -> {}", map[*sea].title)).collect();
            format!("{who}{seas} -> {}.", map[*to].title)
        }
        Act::Support { at, to } => match to {
            None => format!("{who} SUPPORT {}.", map[*at].title),
            Some(to) => format!("{who} SUPPORT {} -> {}.", map[*at].title, map[*to].title),
        },
        Act::Convoy { from, to } => format!("{who} CONVOY Army {} -> {}.", map[*from].title, map[*to].title),
        Act::Retreat(to) => format!("{who} retreats to {}.", map[*to].title),
        Act::Disband => format!("{who} disbands."),
        Act::Build => format!("Builds {who}."),
        Act::Waive => "Build waived.".to_string(),
        Act::Remove => format!("Removes {who}."),
        Act::Seen(sighting) => format!("{who} {}.", sighting.word()),
        Act::Other(text) => format!("{text}."),
    };
    if marks.is_empty() {
        return text;
    }
    let words: Vec<&str> = marks.iter().map(|mark| mark.word()).collect();
    format!("{text} (*{}*)", words.join(", "))
}
