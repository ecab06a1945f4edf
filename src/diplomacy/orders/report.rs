//! Orders as results reports print them (orders.md 10): board words instead of codes. Every line is a valid order
//! again, so a report can be fed back to a judge; only the coast of a support's target is not shown.

use super::entry::Entry;
use super::geography::Board;
use crate::diplomacy::map::{LocationId, Map, PowerId, ProvinceId, Terrain, UnitKind};
use crate::diplomacy::order::{Order, Route};
use crate::diplomacy::position::Unit;

/// How a movement report is printed.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// `German` before a helped unit of another power; never with SHOW_PHANTOM.
    pub adjectives: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style { adjectives: true }
    }
}

/// A line of the movement report: `Austria: Army Vienna -> Trieste.  (*bounce*)`. `board` is the position in which the
/// orders were given; `notes` in the order in which they are printed.
pub fn movement_line(
    map: &Map,
    board: &Board,
    power: PowerId,
    unit: Unit,
    order: &Order,
    notes: &[&str],
    style: Style,
) -> String {
    let mut text = format!("{}: {}", map[power].title, unit_words(map, unit));
    match order {
        Order::Hold => text.push_str(" HOLD"),
        Order::Move { to, route } => {
            if let Route::Path(seas) = route {
                for sea in seas {
                    text.push_str(&format!(" -> {}", map[*sea].title));
                }
            }
            text.push_str(&format!(" -> {}", map[*to].title));
            if *route == Route::Via {
                text.push_str(" via convoy");
            }
        }
        Order::Support { unit: helped, to } => {
            let adjective = adjective(map, board, power, map.province_of(helped.at), style);
            text.push_str(&format!(" SUPPORT {adjective}{}", unit_words(map, *helped)));
            if let Some(to) = to {
                text.push_str(&format!(" -> {}", map[map.province_of(*to)].title));
            }
        }
        Order::Convoy { army, to } => {
            let cargo = match unit.kind {
                UnitKind::Fleet => "Army",
                UnitKind::Army => "Fleet",
            };
            let adjective = adjective(map, board, power, *army, style);
            text.push_str(&format!(" CONVOY {adjective}{cargo} {} -> {}", map[*army].title, map[*to].title));
        }
        Order::Proxy(to) => text.push_str(&format!(" PROXY {}", map[*to].title)),
    }
    text.push('.');
    text.push_str(&notes_text(notes));
    text
}

/// A line of a NO_CHECK report, as typed: `notes` say why it counts for nothing.
pub fn raw_line(map: &Map, power: PowerId, typed: &str, notes: &[&str]) -> String {
    format!("{}: {}.{}", map[power].title, typed.trim_end_matches('.'), notes_text(notes))
}

/// A line of the retreat or adjustment block, text from column 12: `Austria:    Army Serbia -> Greece.`
pub fn block_line(map: &Map, power: PowerId, entry: &Entry, notes: &[&str]) -> String {
    let text = match entry {
        Entry::Retreat { unit, to } => format!("{} -> {}", unit_words(map, *unit), map[*to].title),
        Entry::Disband { unit } => format!("{} DISBAND", unit_words(map, *unit)),
        Entry::Build { unit, .. } => {
            let what = match unit.kind {
                UnitKind::Army => "an army",
                UnitKind::Fleet => "a fleet",
            };
            format!("Builds {what} in {}", place(map, unit.at))
        }
        Entry::Waive(_) => "Build waived".into(),
        Entry::Remove { unit } => format!("Removes the {} in {}", super::unit_word(unit.kind), place(map, unit.at)),
        Entry::Keep { unit } => format!("Keeps the {} in {}", super::unit_word(unit.kind), place(map, unit.at)),
        Entry::Movement { unit, order, .. } => {
            return movement_line(map, &Board::default(), power, *unit, order, notes, Style::default());
        }
    };
    format!("{}{text}.{}", column(map, power), notes_text(notes))
}

/// `France:     2 unused builds pending.`
pub fn pending_line(map: &Map, power: PowerId, builds: u32) -> String {
    let plural = if builds == 1 { "" } else { "s" };
    format!("{}{builds} unused build{plural} pending.", column(map, power))
}

/// What became of a dislodged unit: `The French army in Munich can retreat to Bohemia or Silesia.` With no retreats:
/// `with no valid retreats was destroyed`, or, where the rules leave it none, `was destroyed`.
pub fn dislodged_line(map: &Map, power: PowerId, unit: Unit, retreats: &[LocationId], by_rule: bool) -> String {
    let who = format!("The {} {} in {}", map[power].own, super::unit_word(unit.kind), map[unit.at].title);
    match retreats {
        _ if by_rule => format!("{who} was destroyed."),
        [] => format!("{who} with no valid retreats was destroyed."),
        list => {
            let names: Vec<&str> = list.iter().map(|at| map[*at].title.as_str()).collect();
            format!("{who} can retreat to {}.", names.join(" or "))
        }
    }
}

/// `Army Vienna`, `Fleet St Petersburg (south coast)`.
pub fn unit_words(map: &Map, unit: Unit) -> String {
    let kind = match unit.kind {
        UnitKind::Army => "Army",
        UnitKind::Fleet => "Fleet",
    };
    format!("{kind} {}", map[unit.at].title)
}

/// The power column, 12 wide.
fn column(map: &Map, power: PowerId) -> String {
    let head = format!("{}:", map[power].title);
    if head.chars().count() < 12 { format!("{head:<12}") } else { format!("{head} ") }
}

fn notes_text(notes: &[&str]) -> String {
    if notes.is_empty() { String::new() } else { format!("  (*{}*)", notes.join(", ")) }
}

fn adjective(map: &Map, board: &Board, power: PowerId, province: ProvinceId, style: Style) -> String {
    match board.unit_in(map, province) {
        Some((owner, _)) if style.adjectives && owner != power => format!("{} ", map[owner].own),
        _ => String::new(),
    }
}

/// `Brest`, `the Aegean Sea`.
fn place(map: &Map, at: LocationId) -> String {
    let title = &map[at].title;
    let water = map[map.province_of(at)].terrain == Terrain::Water;
    if water && !title.starts_with("The ") { format!("the {title}") } else { title.clone() }
}
