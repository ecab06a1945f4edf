//! Maps of an old site: which must come along, and what the others find here already (OPS-111, 4).

use super::tree::MapFile;
use super::{Left, What};
use crate::archive::SitePath;
use crate::diplomacy::map::library::BuiltIn;
use crate::diplomacy::map::source::with_extension;
use crate::diplomacy::map::{Loaded, Map, Source, load};

/// The maps of an old site, the rooms of this one behind them.
pub struct OldMaps<'a> {
    /// Files of the old site.
    pub old: &'a [MapFile],
    /// Whether trial maps come first, or are not seen at all.
    pub trial: bool,
    /// This site, the program behind it.
    pub here: &'a dyn Source,
}

impl Source for OldMaps<'_> {
    fn read(&self, file: &str) -> Option<Vec<u8>> {
        let rooms: &[&str] = if self.trial { &["trial", "maps"] } else { &["maps"] };
        let find = |room: &&str| self.old.iter().find(|old| old.room == *room && old.name == file);
        rooms.iter().find_map(find).map(|old| old.bytes.clone()).or_else(|| self.here.read(file))
    }

    fn label(&self, file: &str) -> String {
        match self.old.iter().find(|old| old.name == file) {
            Some(old) => format!("{}/{file}", old.folder),
            None => self.here.label(file),
        }
    }
}

/// What becomes of a file beside the maps: whether it is taken, and what there is to say. `here`: the file of that name
/// in the room of this site.
pub fn judge(file: &MapFile, source: &OldMaps, here: Option<&[u8]>) -> (bool, Option<What>) {
    let place = format!("{}/{}", file.room, file.name);
    if let Err(error) = SitePath::new(&place) {
        return (false, Some(What::Left(Left::Name(error))));
    }
    match here {
        Some(bytes) if bytes == file.bytes => return (false, None),
        Some(_) => {
            let theirs = format!("{}/{} of the old site", file.folder, file.name);
            return (false, Some(What::Clash { theirs, ours: format!("{place} of this one") }));
        }
        None => {}
    }
    if BuiltIn.read(&file.name).is_some_and(|bytes| bytes == file.bytes) {
        return (false, Some(What::SameMap));
    }
    let Some(name) = file.name.strip_suffix(".map") else { return (true, None) };
    match load(name, source) {
        Err(error) => {
            let errors = error.diagnostics.iter().map(|d| format!("{}:{}: {}", d.file, d.line, d.text)).collect();
            (true, Some(What::MapErrors(errors)))
        }
        Ok(old) => {
            let ours = BuiltIn.read(&with_extension(name)).and_then(|_| load(name, &BuiltIn).ok());
            if ours.is_some_and(|ours| says_all(&ours, &old)) { (false, Some(What::SameMap)) } else { (true, None) }
        }
    }
}

/// Whether a game on `old` is the same game on `ours`: equal facts and borders, and every name known.
fn says_all(ours: &Loaded, old: &Loaded) -> bool {
    let facts = |loaded: &Loaded| {
        let mut facts = loaded.map.facts(&[]);
        if let Some(object) = facts.as_object_mut() {
            // How it was written, not what it says.
            for key in ["files", "art", "diagnostics", "n_names", "n_ambiguous"] {
                object.remove(key);
            }
        }
        facts
    };
    let borders = |map: &Map| format!("{:?} {:?} {:?}", map.army, map.fleet, map.unowned);
    let codes = |map: &Map| -> Vec<String> {
        let provinces = map.provinces.iter().map(|p| format!("{:?}", p.code));
        provinces.chain(map.locations.iter().map(|l| format!("{:?}", l.code))).collect()
    };
    let (map, there) = (&ours.map, &old.map);
    codes(map) == codes(there)
        && facts(ours) == facts(old)
        && borders(map) == borders(there)
        && there.rotate == map.rotate
        && there.vocabulary.iter().all(|(name, meaning)| {
            map.vocabulary.get(name).is_some_and(|ours| format!("{ours:?}") == format!("{meaning:?}"))
        })
}
