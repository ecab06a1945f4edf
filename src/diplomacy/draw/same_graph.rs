//! Whether a map is an art's board under other names: the contact graphs must be the same, place for place. Codes that
//! are the same on both sides are believed first; what is left is told apart by colour refinement.

use super::super::map::{Map, Terrain};
use super::art::{Art, Surface, contacts_of};
use std::collections::{BTreeMap, BTreeSet};

/// The map's province codes with the art's, if the contact graphs agree.
pub fn renaming(map: &Map, art: &Art) -> Option<BTreeMap<String, String>> {
    let ours = contacts_of(map);
    if map.provinces.len() != art.cells.len() || ours.len() != art.contacts.len() {
        return None;
    }
    let wet = |code: &str| map.province(code).is_some_and(|id| map[id].terrain == Terrain::Water);
    let fits = art.cells.iter().all(|cell| (cell.surface == Surface::Water) == wet(&cell.code));
    if fits && ours == art.contacts && art.cells.iter().all(|cell| map.province(&cell.code).is_some()) {
        return Some(map.provinces.iter().map(|p| (p.code.clone(), p.code.clone())).collect());
    }
    let mine = Graph::new(map.provinces.iter().map(|p| (p.code.as_str(), p.terrain == Terrain::Water)), &ours)?;
    let theirs = Graph::new(art.cells.iter().map(|c| (c.code.as_str(), c.surface == Surface::Water)), &art.contacts)?;
    let (a, b) = (mine.refined(), theirs.refined());
    let by_colour: BTreeMap<u64, &str> = b.iter().zip(&theirs.codes).map(|(colour, code)| (*colour, *code)).collect();
    if by_colour.len() != b.len() {
        return None;
    }
    let codes: BTreeMap<String, String> = a
        .iter()
        .zip(&mine.codes)
        .map(|(colour, code)| Some(((*code).to_string(), (*by_colour.get(colour)?).to_string())))
        .collect::<Option<_>>()?;
    let used: BTreeSet<&String> = codes.values().collect();
    let kept = ours.iter().all(|pair| {
        let named = pair.split_once('-').and_then(|(x, y)| Some((codes.get(x)?, codes.get(y)?)));
        named.is_some_and(|(x, y)| {
            let (x, y) = (x.min(y), x.max(y));
            art.contacts.binary_search(&format!("{x}-{y}")).is_ok()
        })
    });
    (used.len() == codes.len() && kept).then_some(codes)
}

struct Graph<'a> {
    codes: Vec<&'a str>,
    wet: Vec<bool>,
    near: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    fn new(nodes: impl Iterator<Item = (&'a str, bool)>, contacts: &[String]) -> Option<Graph<'a>> {
        let (codes, wet): (Vec<&str>, Vec<bool>) = nodes.unzip();
        let mut near = vec![Vec::new(); codes.len()];
        for pair in contacts {
            let (a, b) = pair.split_once('-')?;
            let (a, b) = (codes.binary_search(&a).ok()?, codes.binary_search(&b).ok()?);
            near[a].push(b);
            near[b].push(a);
        }
        Some(Graph { codes, wet, near })
    }

    /// Colours that only depend on the shape of the graph, refined as often as there are nodes (at most 40 times).
    fn refined(&self) -> Vec<u64> {
        let mut colours: Vec<u64> = self.wet.iter().map(|wet| u64::from(*wet) + 1).collect();
        for _ in 0..self.codes.len().min(40) {
            colours = (0..colours.len())
                .map(|node| {
                    let mut around: Vec<u64> = self.near[node].iter().map(|other| colours[*other]).collect();
                    around.sort_unstable();
                    around.into_iter().fold(stir(colours[node]), |sum, colour| stir(sum ^ stir(colour)))
                })
                .collect();
        }
        colours
    }
}

/// A fixed mixing function (the finish of splitmix64).
fn stir(value: u64) -> u64 {
    let value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}
