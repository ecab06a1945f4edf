//! Where pictures of boards come from at a site: art and colours that lie beside its maps (map-drawing.md 2, 5.3, 4), and
//! automatic layouts made once and kept by their content, so that nobody waits for one twice.
//!
//! | file | what |
//! |---|---|
//! | `NAME.svg` and `NAME.anchors.json` | the empty board (NAME as the map's MAP line says, else its own) |
//! | `NAME.colors` | lines `POWER #rrggbb` |
//! | `NAME.hints` | for the automatic layout: `AT PLACE x y` (0 to 1 from the top left) nails a place down, `OUTER PLACE PLACE …` says what lies around the rim, `NEAR PLACE x y` only which way round the picture goes |
//!
//! A file that cannot be used is left alone and told of; a picture comes out in any case.

use super::art::{Art, Surface, contacts_of};
use super::layout::{Hints, layout_with};
use super::palette::Colour;
use crate::diplomacy::map::{Map, PowerId};
use crate::hex::hex;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Layouts kept by an older program are not used again once this number has changed.
const EDITION: u32 = 2;

/// The folders of a site.
#[derive(Clone, Debug, Default)]
pub struct Gallery {
    folders: Vec<PathBuf>,
    cache: Option<PathBuf>,
}

/// How a map is shown.
#[derive(Clone, Debug)]
pub struct Exhibit {
    /// The empty board.
    pub art: Cow<'static, Art>,
    /// Colours of the judge's own.
    pub colours: BTreeMap<PowerId, Colour>,
    /// Files that could not be used, and why.
    pub remarks: Vec<String>,
}

impl Gallery {
    /// These folders in order; layouts are kept in `cache`, if there is one.
    pub fn new(folders: Vec<PathBuf>, cache: Option<PathBuf>) -> Gallery {
        Gallery { folders, cache }
    }

    /// The folder of a map file.
    pub fn beside(folder: &Path) -> Gallery {
        Gallery { folders: vec![folder.to_owned()], cache: None }
    }

    /// Art and colours of a map.
    pub fn show(&self, map: &Map) -> Exhibit {
        let mut remarks = Vec::new();
        let hints = self.hints(map, &mut remarks);
        let own = self.own_art(map, &mut remarks).map(Cow::Owned);
        let art = own.unwrap_or_else(|| Art::drawn(map, &|map| self.laid_out(map, &hints)));
        let colours = self.colours(map, &mut remarks);
        Exhibit { art, colours, remarks }
    }

    /// The text of `NAME.extension`, with where it lies.
    fn text(&self, name: &str, extension: &str) -> Option<(PathBuf, String)> {
        let file = format!("{name}.{extension}");
        if !crate::diplomacy::map::source::is_file_name(&file) {
            return None;
        }
        let paths = self.folders.iter().map(|folder| folder.join(&file));
        paths.into_iter().find_map(|path| std::fs::read_to_string(&path).ok().map(|text| (path, text)))
    }

    /// Art that lies beside the map.
    fn own_art(&self, map: &Map, remarks: &mut Vec<String>) -> Option<Art> {
        let (path, svg) = self.text(&map.art, "svg")?;
        let told = path.display();
        let Some((_, anchors)) = self.text(&map.art, "anchors.json") else {
            remarks.push(format!("{told}: there is no {}.anchors.json beside it", map.art));
            return None;
        };
        let art = match Art::read(&svg, &anchors) {
            Ok(art) => plain(art, map),
            Err(why) => {
                remarks.push(format!("{told}: {why}"));
                return None;
            }
        };
        let here = |cell: &&super::art::Cell| map.province(&cell.code).is_none() && map.unchanged().is_none();
        for cell in art.cells.iter().filter(here) {
            remarks.push(format!("{told}: p-{} is no place of the map", cell.code.to_lowercase()));
        }
        let outside = |p: [f64; 2]| p[0] < 0.0 || p[1] < 0.0 || p[0] > art.width || p[1] > art.height;
        if let Some((code, _)) = art.spots.iter().find(|(_, spot)| outside(spot.unit)) {
            remarks.push(format!("{told}: the unit of {code} stands outside the picture"));
        }
        let fitted = art.fitted(map);
        if fitted.is_none() {
            remarks.push(format!("{told}: more than three places of the map are not in it"));
        }
        fitted
    }

    /// The automatic layout, from the cache if it has been made before.
    fn laid_out(&self, map: &Map, hints: &Hints) -> Art {
        let file = self.cache.as_ref().map(|folder| folder.join(format!("{}.json", fingerprint(map, hints))));
        let kept = file.as_ref().and_then(|file| std::fs::read(file).ok());
        if let Some(art) = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            return art;
        }
        let art = layout_with(map, hints);
        if let (Some(file), Ok(bytes)) = (file, serde_json::to_vec(&art)) {
            // A layout that cannot be kept is made again the next time.
            let _ = keep(&file, &bytes);
        }
        art
    }

    fn hints(&self, map: &Map, remarks: &mut Vec<String>) -> Hints {
        let Some((path, text)) = self.text(&map.name, "hints") else { return Hints::builtin(map) };
        let mut hints = Hints::default();
        for (number, line) in lines(&text) {
            if let Err(why) = hints.read(map, line) {
                remarks.push(format!("{}:{number}: {why}", path.display()));
            }
        }
        hints
    }

    fn colours(&self, map: &Map, remarks: &mut Vec<String>) -> BTreeMap<PowerId, Colour> {
        let mut colours = BTreeMap::new();
        let Some((path, text)) = self.text(&map.name, "colors") else { return colours };
        for (number, line) in lines(&text) {
            let read = line.rsplit_once([' ', '\t']).ok_or("want POWER #rrggbb".to_string()).and_then(|(name, hex)| {
                let power = map.power(name.trim()).or_else(|| map.power_named(name.trim()));
                let power = power.ok_or_else(|| format!("no power is called {}", name.trim()))?;
                Ok((power, Colour::parse(hex.trim()).ok_or_else(|| format!("{hex} is no colour: want #rrggbb"))?))
            });
            match read {
                Ok((power, colour)) => {
                    colours.insert(power, colour);
                }
                Err(why) => remarks.push(format!("{}:{number}: {why}", path.display())),
            }
        }
        colours
    }
}

/// Fills in what an art need not say: without lines of its own every outline is one, and without contacts it shows all
/// that its map had.
fn plain(mut art: Art, map: &Map) -> Art {
    if art.coasts.is_empty() && art.land_borders.is_empty() && art.sea_borders.is_empty() {
        for cell in &art.cells {
            let lines = if cell.surface == Surface::Water { &mut art.sea_borders } else { &mut art.coasts };
            lines.push_str(&cell.path);
        }
    }
    if art.contacts.is_empty() {
        let base = map.unchanged();
        let known = |pair: &String| {
            pair.split_once('-').is_some_and(|(a, b)| [a, b].iter().all(|c| art.spots.contains_key(*c)))
        };
        art.contacts = contacts_of(base.as_ref().unwrap_or(map)).into_iter().filter(known).collect();
    }
    art
}

/// Lines that say something, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(n, line)| (n + 1, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// What a layout follows from, as a file name.
fn fingerprint(map: &Map, hints: &Hints) -> String {
    let mut hash = Sha256::new();
    let mut say = |text: String| hash.update(text.as_bytes());
    say(format!("{EDITION}\n{hints:?}\n"));
    for (province, near) in map.provinces.iter().zip(&map.contacts) {
        say(format!("{} {:?} {} {} {near:?}\n", province.code, province.terrain, province.center, province.title));
    }
    for (location, near) in map.locations.iter().zip(&map.fleet) {
        say(format!("{} {:?}\n", location.code, near.iter().map(|(to, _)| to).collect::<Vec<_>>()));
    }
    for pair in contacts_of(map) {
        say(pair);
    }
    hex(hash.finalize().iter().take(16))
}

/// Written aside and renamed: a reader finds the whole or nothing.
fn keep(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let draft = file.with_extension(format!("{}", std::process::id()));
    std::fs::write(&draft, bytes)?;
    std::fs::rename(&draft, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder")
    }

    fn hundred() -> Map {
        Map::builtin("hundred").expect("a map")
    }

    #[test]
    fn a_layout_is_made_once() {
        let here = folder();
        let gallery = Gallery::new(Vec::new(), Some(here.path().join("art")));
        let first = gallery.show(&hundred()).art.into_owned();
        let files: Vec<PathBuf> =
            std::fs::read_dir(here.path().join("art")).expect("kept").map(|e| e.expect("file").path()).collect();
        assert_eq!(files.len(), 1);
        // What is read back is what was made: a mark in the file is seen again.
        assert_eq!(gallery.show(&hundred()).art.into_owned(), first);
        let mut marked = first.clone();
        marked.width += 1.0;
        std::fs::write(&files[0], serde_json::to_vec(&marked).expect("JSON")).expect("written");
        assert_eq!(gallery.show(&hundred()).art.into_owned(), marked);
        // Half a file is no layout.
        std::fs::write(&files[0], b"{\"width\"").expect("written");
        assert_eq!(gallery.show(&hundred()).art.into_owned(), first);
    }

    #[test]
    fn colours_beside_the_map() {
        let here = folder();
        let text = "# ours\nFrance #123456\nEngland blue\nNarnia #000000\nTURKEY #ABCDEF\n";
        std::fs::write(here.path().join("standard.colors"), text).expect("written");
        let map = Map::builtin("standard").expect("a map");
        let shown = Gallery::beside(here.path()).show(&map);
        let of = |key: &str| map.power(key).and_then(|id| shown.colours.get(&id)).map(ToString::to_string);
        assert_eq!((of("FRANCE").as_deref(), of("TURKEY").as_deref()), (Some("#123456"), Some("#ABCDEF")));
        assert_eq!(of("ENGLAND"), None);
        let told: Vec<&str> = shown.remarks.iter().filter_map(|r| r.split_once("colors:").map(|(_, r)| r)).collect();
        assert_eq!(told, ["3: blue is no colour: want #rrggbb", "4: no power is called Narnia"]);
    }

    #[test]
    fn art_beside_the_map() {
        let here = folder();
        let map = Map::builtin("pure").expect("a map");
        let (svg, anchors) = drawn(&map);
        std::fs::write(here.path().join("pure.svg"), &svg).expect("written");
        let gallery = Gallery::beside(here.path());
        assert!(gallery.show(&map).remarks.iter().any(|r| r.contains("no pure.anchors.json")));
        std::fs::write(here.path().join("pure.anchors.json"), &anchors).expect("written");
        let shown = gallery.show(&map);
        assert_eq!(shown.remarks, Vec::<String>::new());
        assert_eq!((shown.art.width, shown.art.cells.len()), (700.0, map.provinces.len()));
        assert!(shown.art.links.is_empty() && !shown.art.coasts.is_empty());
        // An art that lacks an outline is told of, and the board is drawn all the same.
        std::fs::write(here.path().join("pure.svg"), svg.replacen("p-", "q-", 1)).expect("written");
        let shown = gallery.show(&map);
        assert_eq!(shown.remarks.len(), 1);
        assert!(shown.art.width > 1000.0);
    }

    /// A row of squares.
    fn drawn(map: &Map) -> (String, String) {
        let mut svg = String::from("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 700 100\">");
        let mut places = Vec::new();
        for (i, province) in map.provinces.iter().enumerate() {
            let x = i * 100;
            svg +=
                &format!("<path class=\"land\" id=\"p-{}\" d=\"M{x} 0h100v100h-100z\"/>", province.code.to_lowercase());
            places.push(format!("\"{}\":{{\"unit\":[{},50]}}", province.code, x + 50));
        }
        (format!("{svg}</svg>"), format!("{{\"viewbox\":[0,0,700,100],\"places\":{{{}}}}}", places.join(",")))
    }
}
