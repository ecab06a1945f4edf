//! Pictures of the board (map-drawing.md): pure functions from a position, its orders and the map's art to SVG text and
//! PNG bytes. Same input, same bytes: no clock, no randomness, sorted iteration, coordinates rounded to 0.1.
//!
//! ```text
//! Art::for_map(&map) ──┐
//! Picture { … } ───────┴─▶ svg(&picture) ─▶ png(&svg, 1000)
//! ```

mod arrows;
pub mod art;
pub mod gallery;
mod inset;
pub mod layout;
pub mod notation;
mod orders;
mod paint;
pub mod palette;
mod pen;
mod raster;
pub mod results;
mod same_graph;

pub use art::Art;
pub use gallery::Gallery;
pub use notation::Mark;
pub use palette::{Colour, Theme};
pub use raster::{PngError, png};

use super::map::{Map, PowerId, ProvinceId};
use super::position::Unit;
use std::collections::{BTreeMap, BTreeSet};

/// A unit on the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Whose it is; `None`: the viewer does not know.
    pub power: Option<PowerId>,
    /// The unit.
    pub unit: Unit,
}

/// An order on the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Who gave it; `None`: unknown.
    pub power: Option<PowerId>,
    /// Canonical text (orders.md 1).
    pub text: String,
    /// How it came out; empty: it succeeded, or nothing is known yet.
    pub marks: Vec<Mark>,
}

/// Everything one picture shows. Begin with [`Picture::empty`] or [`Picture::start`] and fill in.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    /// The board.
    pub map: &'a Map,
    /// Its art.
    pub art: &'a Art,
    /// Printed above the board and given as the picture's name; empty: no title line.
    pub title: String,
    /// Units.
    pub units: Vec<Piece>,
    /// Dislodged units that have yet to retreat.
    pub dislodged: Vec<Piece>,
    /// Who owns which supply centre.
    pub owners: Vec<(ProvinceId, PowerId)>,
    /// Orders and outcomes.
    pub orders: Vec<Shown>,
    /// Whose view it is, in words (`as Austria sees it`); empty: everybody's.
    pub viewer: String,
    /// Colours.
    pub theme: Theme,
    /// A panel with the powers, their letters and counts of units and centres.
    pub legend: bool,
    /// Powers nobody plays: their units are hatched.
    pub dummies: BTreeSet<PowerId>,
    /// Powers that another power plays, with that other: their units wear a ring of its colour.
    pub rulers: BTreeMap<PowerId, PowerId>,
    /// Colours that are not the usual ones.
    pub colours: BTreeMap<PowerId, Colour>,
}

impl<'a> Picture<'a> {
    /// The empty board. Who is a dummy, and whose, is what the map says.
    pub fn empty(map: &'a Map, art: &'a Art) -> Self {
        let ruler = |id: PowerId| map[id].control.first().and_then(|key| map.power(key));
        Picture {
            map,
            art,
            title: String::new(),
            units: Vec::new(),
            dislodged: Vec::new(),
            owners: Vec::new(),
            orders: Vec::new(),
            viewer: String::new(),
            theme: Theme::Light,
            legend: false,
            dummies: map.power_ids().filter(|id| map[*id].dummy).collect(),
            rulers: map.power_ids().filter_map(|id| Some((id, ruler(id)?))).collect(),
            colours: BTreeMap::new(),
        }
    }

    /// The map's starting position.
    pub fn start(map: &'a Map, art: &'a Art) -> Self {
        let mut picture = Picture::empty(map, art);
        picture.title = format!("{}, {}", map.name, map.begin);
        for id in map.power_ids() {
            picture.units.extend(map[id].units.iter().map(|unit| Piece { power: Some(id), unit: *unit }));
            picture.owners.extend(map[id].centers.iter().map(|center| (*center, id)));
        }
        picture
    }

    /// Adds an order as text with the words of its outcome (`bounce`, `cut`, …); unknown words are left out.
    pub fn order(&mut self, power: Option<PowerId>, text: &str, outcome: &[&str]) {
        let marks = outcome.iter().filter_map(|word| Mark::named(word)).collect();
        self.orders.push(Shown { power, text: text.to_string(), marks });
    }
}

/// Draws the picture as SVG text.
pub fn svg(picture: &Picture) -> String {
    paint::paint(picture)
}

/// The picture in words: one sentence a power. It is the `<desc>` of the SVG and fit for `alt`.
pub fn describe(picture: &Picture) -> String {
    paint::describe(picture)
}
