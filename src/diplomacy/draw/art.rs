//! The empty board as a picture: outlines, borders and anchors of every place (map-drawing.md 2). Art is either
//! geographic, read from `NAME.svg` and `NAME.anchors.json`, or made from the map's graph by [`super::layout`]; the
//! painter cannot tell them apart. Art is plain data and can be stored as JSON.

use super::super::map::{Map, Terrain};
use super::layout;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// A point of the picture.
pub type Point = [f64; 2];

/// What a cell is filled with when nobody owns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Surface {
    /// Sea.
    Water,
    /// Land of the game.
    Land,
    /// Land nobody may enter.
    Shut,
}

/// The outline of a province.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Province code.
    pub code: String,
    /// How it is filled.
    pub surface: Surface,
    /// SVG path data.
    pub path: String,
}

/// Where things of a place are drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spot {
    /// Middle of a unit.
    pub unit: Point,
    /// Middle of a dislodged unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dislodged: Option<Point>,
    /// Supply centre.
    #[serde(default, alias = "center", skip_serializing_if = "Option::is_none")]
    pub centre: Option<Point>,
    /// Middle of the label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Point>,
    /// Font size of the label where it must be smaller than the art's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_size: Option<f64>,
}

/// The empty board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Art {
    /// Width of the box.
    pub width: f64,
    /// Height of the box.
    pub height: f64,
    /// Size of units and marks, 1 being a circle of radius 12.
    pub scale: f64,
    /// Font size of labels.
    pub type_size: f64,
    /// Outlines in code order.
    pub cells: Vec<Cell>,
    /// Land that is no space, as path data.
    pub blanks: Vec<String>,
    /// Water that is no space, as path data.
    pub lakes: Vec<String>,
    /// Borders between seas, path data.
    pub sea_borders: String,
    /// Borders between lands, path data.
    pub land_borders: String,
    /// Coasts, path data.
    pub coasts: String,
    /// Borders nobody crosses, path data.
    pub walls: String,
    /// Adjacencies that are no shared border, from place to place: path data, one a link.
    pub links: Vec<String>,
    /// Adjacencies over a narrow water: path data from shore to shore.
    pub bridges: Vec<String>,
    /// Anchors by location code.
    pub spots: BTreeMap<String, Spot>,
    /// The pairs of provinces the picture shows as adjacent, `ADR-ALB`, sorted.
    pub contacts: Vec<String>,
}

/// Why an art file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ArtError {
    /// Not XML.
    #[error("art is not well-formed SVG: {0}")]
    Svg(String),
    /// The anchors are not the JSON expected.
    #[error("anchors: {0}")]
    Anchors(#[from] serde_json::Error),
    /// A place of the anchors has no outline, or the other way round.
    #[error("art: {0} has an outline or an anchor, but not both")]
    Lacks(String),
}

#[derive(Deserialize)]
struct Anchors {
    viewbox: [f64; 4],
    places: BTreeMap<String, Spot>,
    #[serde(default)]
    contacts: Vec<String>,
}

impl Art {
    /// Reads the two files of an art.
    pub fn read(svg: &str, anchors: &str) -> Result<Art, ArtError> {
        let anchors: Anchors = serde_json::from_str(anchors)?;
        let document = resvg::usvg::roxmltree::Document::parse(svg).map_err(|e| ArtError::Svg(e.to_string()))?;
        let [_, _, width, height] = anchors.viewbox;
        let mut art = Art {
            width,
            height,
            scale: 1.0,
            type_size: 13.0,
            cells: Vec::new(),
            blanks: Vec::new(),
            lakes: Vec::new(),
            sea_borders: String::new(),
            land_borders: String::new(),
            coasts: String::new(),
            walls: String::new(),
            links: Vec::new(),
            bridges: Vec::new(),
            spots: anchors.places,
            contacts: anchors.contacts,
        };
        for node in document.descendants().filter(|node| node.has_tag_name("path")) {
            let path = node.attribute("d").unwrap_or_default().to_string();
            match node.attribute("class").unwrap_or_default() {
                "blank" => art.blanks.push(path),
                "lake" => art.lakes.push(path),
                "sea-border" => art.sea_borders.push_str(&path),
                "land-border" => art.land_borders.push_str(&path),
                "coast-line" => art.coasts.push_str(&path),
                "wall" => art.walls.push_str(&path),
                "bridge" => art.bridges.push(path),
                class => {
                    let Some(code) = node.attribute("id").and_then(|id| id.strip_prefix("p-")) else { continue };
                    let surface = match class {
                        "water" => Surface::Water,
                        "shut" => Surface::Shut,
                        _ => Surface::Land,
                    };
                    art.cells.push(Cell { code: code.to_uppercase(), surface, path });
                }
            }
        }
        art.cells.sort_by(|a, b| a.code.cmp(&b.code));
        let outlined: BTreeSet<&str> = art.cells.iter().map(|cell| cell.code.as_str()).collect();
        let anchored: BTreeSet<&str> = art.spots.keys().map(|code| code.split('/').next().unwrap_or(code)).collect();
        match outlined.symmetric_difference(&anchored).next() {
            Some(code) => Err(ArtError::Lacks((*code).to_string())),
            None => Ok(art),
        }
    }

    /// The geographic art that comes with the program.
    pub fn builtin(name: &str) -> Option<&'static Art> {
        static STANDARD: OnceLock<Option<Art>> = OnceLock::new();
        let read = || {
            let (svg, anchors) =
                (include_str!("../../../maps/standard.svg"), include_str!("../../../maps/standard.anchors.json"));
            Art::read(svg, anchors).ok()
        };
        (name == "standard").then(|| STANDARD.get_or_init(read).as_ref()).flatten()
    }

    /// The best art for a map: geographic where its contacts are those of a geographic art, whatever its places are
    /// called, else one made from its graph, which takes a while and is worth keeping (up to seconds for hundreds of
    /// provinces).
    ///
    /// A board that morphs or the phase have changed keeps the picture of its map while that can be.
    pub fn for_map(map: &Map) -> Cow<'static, Art> {
        Art::drawn(map, &|map| layout::layout(map))
    }

    /// The same with something else to lay boards out, which may remember.
    pub(super) fn drawn(map: &Map, lay_out: &dyn Fn(&Map) -> Art) -> Cow<'static, Art> {
        if let Some(art) = Art::geographic(map) {
            return art;
        }
        let changed = |base: &Map| contacts_of(base) != contacts_of(map);
        if let Some(base) = map.unchanged().filter(changed) {
            let art = Art::geographic(&base).unwrap_or_else(|| Cow::Owned(lay_out(&base)));
            if let Some(fitted) = art.fitted(map) {
                return Cow::Owned(fitted);
            }
        }
        Cow::Owned(lay_out(map))
    }

    /// Geographic art with exactly the contacts of the map, with the map's codes.
    pub fn geographic(map: &Map) -> Option<Cow<'static, Art>> {
        let art = Art::builtin("standard")?;
        let codes = super::same_graph::renaming(map, art)?;
        let same = codes.iter().all(|(ours, theirs)| ours == theirs);
        let dry = |code: &str| map.province(code).is_some_and(|id| map[id].terrain == Terrain::Shut);
        let walls_as_drawn = art.cells.iter().all(|cell| (cell.surface == Surface::Shut) == dry(&cell.code));
        if same && walls_as_drawn {
            return Some(Cow::Borrowed(art));
        }
        Some(Cow::Owned(art.renamed(map, &codes)))
    }

    /// This art with other codes; `codes` maps the map's province codes to the art's.
    pub(super) fn renamed(&self, map: &Map, codes: &BTreeMap<String, String>) -> Art {
        let mut art = self.clone();
        art.spots.clear();
        let back: BTreeMap<&str, &str> = codes.iter().map(|(ours, theirs)| (theirs.as_str(), ours.as_str())).collect();
        for cell in &mut art.cells {
            if let Some(code) = back.get(cell.code.as_str()) {
                cell.code = (*code).to_string();
            }
            if let Some(province) = map.province(&cell.code).map(|id| &map[id]) {
                cell.surface = surface(province.terrain);
            }
        }
        art.cells.sort_by(|a, b| a.code.cmp(&b.code));
        for (ours, theirs) in codes {
            let Some(province) = map.province(ours).map(|id| &map[id]) else { continue };
            if let Some(spot) = self.spots.get(theirs) {
                art.spots.insert(ours.clone(), spot.clone());
            }
            let coasts: Vec<&Spot> =
                self.spots.range(format!("{theirs}/")..format!("{theirs}0")).map(|(_, spot)| spot).collect();
            for (coast, spot) in province.coasts.iter().zip(coasts) {
                art.spots.insert(map[*coast].code.clone(), spot.clone());
            }
        }
        art.contacts = contacts_of(map);
        art
    }
}

/// How the terrain is filled.
pub fn surface(terrain: Terrain) -> Surface {
    match terrain {
        Terrain::Water => Surface::Water,
        Terrain::Shut => Surface::Shut,
        _ => Surface::Land,
    }
}

/// The contacts of a map as sorted pairs, `ADR-ALB`.
pub fn contacts_of(map: &Map) -> Vec<String> {
    let mut pairs = BTreeSet::new();
    for id in map.province_ids() {
        for other in map.contacts.get(id.0 as usize).into_iter().flatten().filter(|other| **other != id) {
            let (a, b) = (id.min(*other), id.max(*other));
            pairs.insert(format!("{}-{}", map[a].code, map[b].code));
        }
    }
    pairs.into_iter().collect()
}
