//! Results reports and positions as judges write them (notices.md 4; this judge, the old one and Ken Lowe's use the same
//! words), read back for a picture: `chancery map draw MAP --results FILE`.

use super::notation::{Mark, Sighting, unit_named};
use super::{Picture, Piece};
use crate::diplomacy::map::{LocationId, Map, PowerId};

/// A report in which nothing was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no unit, order or owner in the words of a judge: want lines like `Austria: Army Vienna -> Trieste.`")]
pub struct Nothing;

/// A line that names a power and a unit but cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

/// What kind of phase the lines are of; decides what `->` means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Movement,
    Retreats,
    Owners,
}

/// Puts what the report says into the picture: units, orders with their outcomes, owners, the title. An empty text leaves
/// the picture as it is, so that it shows what it did before. Gives the lines that could not be read.
pub fn read(picture: &mut Picture, text: &str) -> Result<Vec<Puzzle>, Nothing> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut reader = Reader { picture, part: Part::Movement, puzzles: Vec::new() };
    (reader.picture.units, reader.picture.dislodged) = (Vec::new(), Vec::new());
    (reader.picture.orders, reader.picture.owners) = (Vec::new(), Vec::new());
    for (line, statement) in statements(text) {
        reader.statement(line, &statement);
    }
    let Reader { picture, puzzles, .. } = reader;
    let found = picture.units.len() + picture.dislodged.len() + picture.orders.len() + picture.owners.len();
    if found == 0 && puzzles.is_empty() { Err(Nothing) } else { Ok(puzzles) }
}

/// Lines with those that continue them: marks of quoting go, and a line that begins with a blank belongs to the one
/// above it.
fn statements(text: &str) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start_matches("> ").trim_end();
        match out.last_mut() {
            Some((_, last)) if open && line.starts_with([' ', '\t']) && !line.trim().is_empty() => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => out.push((number + 1, line.trim().to_string())),
        }
        open = !line.trim().is_empty();
    }
    out.retain(|(_, line)| !line.is_empty());
    out
}

struct Reader<'r, 'p> {
    picture: &'r mut Picture<'p>,
    part: Part,
    puzzles: Vec<Puzzle>,
}

impl Reader<'_, '_> {
    fn statement(&mut self, line: usize, text: &str) {
        let map = self.picture.map;
        if let Some(part) = heading(text) {
            self.part = part;
            if part != Part::Owners {
                self.picture.title = text.split("  (").next().unwrap_or(text).trim_end_matches('.').to_string();
            }
            return;
        }
        if let Some(unit) = destroyed(map, text) {
            let lost =
                self.picture.orders.iter_mut().find(|o| o.text == unit || o.text.starts_with(&format!("{unit} ")));
            if let Some(order) = lost {
                order.marks.push(Mark::Destroyed);
            }
            return;
        }
        let Some((name, rest)) = text.split_once(':') else { return };
        let Some(power) = map.power_named(name.trim()) else { return };
        let (rest, marks) = notes(rest.trim());
        if self.part == Part::Owners {
            let list = rest.split(',').map(|name| map.place_named(the(name.trim())));
            // Anything else that begins with a power's name there is the table of counts.
            if let Some(places) = list.collect::<Option<Vec<LocationId>>>() {
                let centers = places.into_iter().map(|at| (map.province_of(at), power));
                self.picture.owners.extend(centers);
                return;
            }
        }
        match order(map, rest, self.part == Part::Retreats) {
            Ok(Some(order)) => self.take(power, &order, &marks),
            Ok(None) => {}
            Err(why) => self.puzzles.push(Puzzle { line, why }),
        }
    }

    fn take(&mut self, power: PowerId, order: &str, marks: &[&str]) {
        let map = self.picture.map;
        let bare = ["RETREAT ", "DISBAND ", "BUILD ", "REMOVE "].iter().find_map(|verb| order.strip_prefix(verb));
        let Some(unit) = unit_named(map, bare.unwrap_or(order)) else {
            return self.picture.order(Some(power), order, marks);
        };
        let piece = Piece { power: Some(power), unit };
        let last = order.rsplit(' ').next().unwrap_or_default();
        if order.starts_with("RETREAT") || order.starts_with("DISBAND") {
            self.picture.dislodged.push(piece);
        } else if !order.starts_with("BUILD") && !Sighting::named(last).is_some_and(Sighting::comes) {
            self.picture.units.push(piece);
        }
        // A unit alone is a position, not an order.
        if order.split(' ').count() > 2 {
            self.picture.order(Some(power), order, marks);
        }
    }
}

fn heading(text: &str) -> Option<Part> {
    let lower = text.to_lowercase();
    if lower.starts_with("ownership of supply cent") {
        Some(Part::Owners)
    } else if lower.starts_with("retreat orders for") || lower.starts_with("retreat results for") {
        Some(Part::Retreats)
    } else if lower.contains(" results for ")
        || lower.contains(" orders for ")
        || lower.starts_with("starting position")
    {
        // A sentence of the orders' deadline is no heading.
        (!lower.contains("deadline")).then_some(Part::Movement)
    } else {
        None
    }
}

/// `The French army in Munich with no valid retreats was destroyed.` → `A MUN`
fn destroyed(map: &Map, text: &str) -> Option<String> {
    let head = text.strip_prefix("The ")?.trim_end_matches('.').strip_suffix(" was destroyed")?;
    let head = head.strip_suffix(" with no valid retreats").unwrap_or(head);
    let (letter, place) =
        [(" army in ", 'A'), (" fleet in ", 'F')].iter().find_map(|(word, c)| Some((*c, head.split_once(word)?.1)))?;
    Some(format!("{letter} {}", map[map.place_named(the(place))?].code))
}

/// `Army Rome -> Venice.  (*bounce, dislodged*)` → without full stop, and the words.
fn notes(text: &str) -> (&str, Vec<&str>) {
    let (order, words) = match text.split_once("(*") {
        Some((order, words)) => (order, words.split("*)").next().unwrap_or("")),
        None => (text, ""),
    };
    let words = words.split(',').map(str::trim).filter(|w| !w.is_empty()).collect();
    (order.trim().trim_end_matches('.').trim(), words)
}

fn the(name: &str) -> &str {
    name.strip_prefix("the ").unwrap_or(name).trim_end_matches('.')
}

/// Words that end the name of a place.
const VERBS: [&str; 12] = [
    "->",
    "-",
    "HOLD",
    "HOLDS",
    "SUPPORT",
    "SUPPORTS",
    "CONVOY",
    "CONVOYS",
    "DISBAND",
    "DISBANDS",
    "DISBANDED",
    "PROXY",
];

/// An order in canonical text; `None`: the line is none.
fn order(map: &Map, text: &str, retreating: bool) -> Result<Option<String>, String> {
    let lower = text.to_lowercase();
    let place = |name: &str| {
        let found = map.place_named(the(name.trim()));
        found.map(|at| map[at].code.clone()).ok_or_else(|| format!("no place is called {}", name.trim()))
    };
    // `Builds an army in Vienna`, `Removes the fleet in the Black Sea`, `Defaults, removing the army in Vienna`
    for (verb, code) in [("builds a", "BUILD"), ("removes the", "REMOVE"), ("defaults, removing the", "REMOVE")] {
        if lower.starts_with(verb)
            && let Some((letter, at)) =
                [(" army in ", 'A'), (" fleet in ", 'F')].iter().find_map(|(w, c)| Some((*c, lower.find(w)? + w.len())))
        {
            return Ok(Some(format!("{code} {letter} {}", place(text.get(at..).unwrap_or(""))?)));
        }
    }
    if lower.starts_with("build waived") {
        return Ok(Some("BUILD WAIVED".into()));
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some((unit, verb, rest)) = unit_of(map, &words)? else { return Ok(None) };
    let going = |names: &[&str]| -> Result<String, String> {
        let path = names.join(" ");
        let path = path.strip_suffix(" via convoy").map_or((path.as_str(), ""), |path| (path, " VIA"));
        let legs: Result<Vec<String>, String> = path.0.split(" -> ").map(place).collect();
        Ok(format!("{}{}", legs?.join(" - "), path.1))
    };
    Ok(Some(match verb.to_uppercase().as_str() {
        "" => unit,
        "->" | "-" if retreating => format!("RETREAT {unit} - {}", going(rest)?),
        "->" | "-" => format!("{unit} - {}", going(rest)?),
        "HOLD" | "HOLDS" => format!("{unit} H"),
        "DISBAND" | "DISBANDS" | "DISBANDED" => format!("DISBAND {unit}"),
        verb @ ("SUPPORT" | "SUPPORTS" | "CONVOY" | "CONVOYS") => {
            let letter = if verb.starts_with('S') { 'S' } else { 'C' };
            // An adjective may stand before the other unit: `SUPPORT German Army Munich`.
            let from = rest.iter().position(|w| kind(w).is_some()).unwrap_or(0);
            let (helped, _, to) =
                unit_of(map, rest.get(from..).unwrap_or_default())?.ok_or("no unit is supported or convoyed")?;
            let to = if to.is_empty() { String::new() } else { format!(" - {}", going(to)?) };
            format!("{unit} {letter} {helped}{to}")
        }
        verb => match Sighting::named(verb) {
            Some(_) => format!("{unit} {verb}"),
            None => format!("{unit} {verb} {}", rest.join(" ")),
        },
    }))
}

fn kind(word: &str) -> Option<char> {
    match word.to_lowercase().as_str() {
        "army" | "a" => Some('A'),
        "fleet" | "f" => Some('F'),
        _ => None,
    }
}

/// A unit at the front of the words, the verb behind it (may be empty), and what follows that.
type Parts<'w, 't> = (String, &'t str, &'w [&'t str]);

fn unit_of<'w, 't>(map: &Map, words: &'w [&'t str]) -> Result<Option<Parts<'w, 't>>, String> {
    let Some((first, rest)) = words.split_first() else { return Ok(None) };
    let Some(letter) = kind(first) else { return Ok(None) };
    let ends = |word: &&str| {
        let upper = word.to_uppercase();
        VERBS.contains(&upper.as_str()) || Sighting::named(&upper).is_some()
    };
    let end = rest.iter().position(ends).unwrap_or(rest.len());
    let name = rest.get(..end).unwrap_or_default().join(" ");
    let at = map.place_named(the(&name)).ok_or_else(|| format!("no place is called {name}"))?;
    let verb = rest.get(end).copied().unwrap_or_default();
    Ok(Some((format!("{letter} {}", map[at].code), verb, rest.get(end + 1..).unwrap_or_default())))
}
