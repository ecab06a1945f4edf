//! A picture kept although the board has changed (map-drawing.md 5.7, map-file.md 10.4): places the art lacks become small
//! cells where there is room, adjacencies it does not show become links, places that are gone stay as land that is no
//! space.

use super::arrows::apart;
use super::art::{Art, Cell, Point, Spot, Surface, contacts_of, surface};
use super::pen::{Num, put};
use crate::diplomacy::map::{Map, Province, ProvinceId};

/// More places than these are not squeezed in: the board is drawn anew.
const MOST: usize = 3;
/// Radius of a small cell.
const RADIUS: f64 = 26.0;

impl Art {
    /// This art for a board that differs in a few places; `None`: it lacks too many, or what is left is not the same
    /// kind of ground.
    pub fn fitted(&self, map: &Map) -> Option<Art> {
        if let Some(codes) = super::same_graph::renaming(map, self) {
            return Some(self.renamed(map, &codes));
        }
        let lacking: Vec<&Province> = map.provinces.iter().filter(|p| !self.spots.contains_key(&p.code)).collect();
        if lacking.len() > MOST || lacking.len() == map.provinces.len() {
            return None;
        }
        let mut art = self.clone();
        for cell in &mut art.cells {
            if let Some(id) = map.province(&cell.code) {
                cell.surface = surface(map[id].terrain);
            }
        }
        let shown = contacts_of(map);
        for pair in shown.iter().filter(|pair| !art.contacts.contains(pair)) {
            let ends = pair.split_once('-').and_then(|(a, b)| Some((art.spots.get(a)?.unit, art.spots.get(b)?.unit)));
            if let Some((a, b)) = ends {
                art.links.push(super::layout::link_path(a, b));
            }
        }
        for province in lacking {
            art.squeeze(map, province);
        }
        art.cells.sort_by(|a, b| a.code.cmp(&b.code));
        art.contacts = shown;
        Some(art)
    }

    /// Puts a small cell as near to its neighbours as there is room, with a link to each.
    fn squeeze(&mut self, map: &Map, province: &Province) {
        let near = map.contacts.get(usize::from(map.province_of(province.location).0)).into_iter().flatten();
        let neighbours: Vec<Point> =
            near.filter_map(|id: &ProvinceId| self.spots.get(&map[*id].code)).map(|spot| spot.unit).collect();
        let count = neighbours.len().max(1) as f64;
        let sum = neighbours.iter().fold([0.0, 0.0], |s, p| [s[0] + p[0], s[1] + p[1]]);
        let wanted = if neighbours.is_empty() {
            [RADIUS * 2.0, self.height - RADIUS * 2.0]
        } else {
            [sum[0] / count, sum[1] / count]
        };
        let taken: Vec<Point> = self.spots.values().flat_map(|s| [Some(s.unit), s.centre, s.label]).flatten().collect();
        let step = RADIUS / 2.0;
        let (columns, rows) = ((self.width / step) as usize, (self.height / step) as usize);
        let all = (4..columns.saturating_sub(3)).flat_map(|x| (4..rows.saturating_sub(3)).map(move |y| (x, y)));
        let at = all
            .map(|(x, y)| [x as f64 * step, y as f64 * step])
            .filter(|p| taken.iter().all(|t| apart(*t, *p) > RADIUS + 16.0))
            .min_by(|a, b| apart(*a, wanted).total_cmp(&apart(*b, wanted)))
            .unwrap_or(wanted);
        let mut path = String::new();
        let (r, left) = (Num(RADIUS), Num(at[0] - RADIUS));
        put!(path, "M{left} {y}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0z", y = Num(at[1]), d = Num(RADIUS * 2.0));
        let ground = surface(province.terrain);
        if ground == Surface::Water {
            self.sea_borders.push_str(&path)
        } else {
            self.coasts.push_str(&path)
        }
        self.cells.push(Cell { code: province.code.clone(), surface: ground, path });
        for (i, end) in neighbours.iter().enumerate() {
            let length = apart(at, *end).max(RADIUS + 1.0);
            let rim = [at[0] + (end[0] - at[0]) * RADIUS / length, at[1] + (end[1] - at[1]) * RADIUS / length];
            self.links.insert(i, super::layout::link_path(rim, *end));
        }
        let spot = |unit: Point| Spot {
            unit,
            dislodged: Some([at[0] + 14.0, at[1] + 18.0]),
            centre: province.center.then_some([at[0] + 17.0, at[1] + 8.0]),
            label: Some([at[0], at[1] - 16.0]),
            label_size: Some(11.0),
        };
        self.spots.insert(province.code.clone(), spot([at[0], at[1] + 4.0]));
        for coast in &province.coasts {
            let mut own = spot([at[0], at[1] + 4.0]);
            (own.label, own.centre) = (None, None);
            self.spots.insert(map[*coast].code.clone(), own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn morphed(lines: &[&str]) -> Map {
        let lines: Vec<String> = lines.iter().map(|l| (*l).to_string()).collect();
        Map::builtin("standard").and_then(|m| m.with_morphs(&lines, None).ok()).map(|l| l.map).expect("a board")
    }

    #[test]
    fn a_new_border_is_a_link_on_the_old_picture() {
        let map = morphed(&["AMEND HEL ABUTS BAL", "AMEND BAL ABUTS HEL"]);
        let (plain, art) = (Art::builtin("standard").expect("art"), Art::for_map(&map));
        assert_eq!(art.cells, plain.cells);
        assert_eq!(art.links.len(), plain.links.len() + 1);
        assert!(art.contacts.contains(&"BAL-HEL".to_string()));
    }

    #[test]
    fn a_new_place_is_squeezed_in() {
        let map = morphed(&[
            "Faroes = far",
            "UNOWNED FAR",
            "COAST FAR ABUTS NWG NAO",
            "AMEND NWG ABUTS FAR",
            "AMEND NAO ABUTS FAR",
        ]);
        let (plain, art) = (Art::builtin("standard").expect("art"), Art::for_map(&map));
        assert_eq!(art.cells.len(), plain.cells.len() + 1);
        assert_eq!(art.links.len(), plain.links.len() + 2);
        let spot = &art.spots["FAR"];
        assert!(spot.centre.is_some() && spot.label.is_some());
        let crowd = plain.spots.values().map(|s| apart(s.unit, spot.unit)).fold(f64::MAX, f64::min);
        assert!(crowd > RADIUS, "{crowd}");
    }

    #[test]
    fn a_place_that_is_gone_stays_as_blank_land() {
        let map = morphed(&["DROP SYR"]);
        let art = Art::for_map(&map);
        assert!(art.cells.iter().any(|cell| cell.code == "SYR"));
        let text = super::super::svg(&super::super::Picture::start(&map, &art));
        assert!(!text.contains("<title>Syria") && text.contains("id=\"p-syr\""));
    }

    #[test]
    fn four_new_places_are_another_board() {
        let mut lines: Vec<String> = Vec::new();
        for code in ["IL1", "IL2", "IL3", "IL4"] {
            lines.push(format!("Isle {code} = {code}"));
            lines.push(format!("COAST {code} ABUTS NWG"));
            lines.push(format!("AMEND NWG ABUTS {code}"));
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let map = morphed(&lines);
        assert!(Art::builtin("standard").expect("art").fitted(&map).is_none());
    }
}
