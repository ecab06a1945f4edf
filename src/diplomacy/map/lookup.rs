//! Questions to the board: what a name means, and who is next to whom (map-file.md 4.3 and 5.3).

use super::draft::Spelling;
use super::{Listed, LocationId, Map, Meaning, PowerId, ProvinceId, Terrain, UnitKind, build, words};
use crate::spelling::near;

/// What a unit wants at a neighbouring place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Move or retreat there.
    Move,
    /// Support something there.
    Support,
    /// Embark there, or be put ashore there.
    Convoy,
}

impl Map {
    /// The meaning of the longest run of words (as [`words::normalise`] gives them) at the beginning of `words`, and
    /// how many words it takes. A coast word after a place is joined with it where the place has that coast.
    pub fn lookup(&self, words: &[impl AsRef<str>]) -> Option<(Meaning, usize)> {
        for length in (1..=self.longest_name.min(words.len())).rev() {
            let run: Vec<&str> = words.get(..length)?.iter().map(AsRef::as_ref).collect();
            let Some(meaning) = self.vocabulary.get(&run.join(" ")) else { continue };
            let coast = words.get(length).map(AsRef::as_ref).and_then(|w| w.strip_prefix('/'));
            if let (Meaning::Place(at), Some(coast)) = (meaning, coast)
                && let Some(joined) = self.location(&format!("{}/{coast}", self[self.province_of(*at)].code))
            {
                return Some((Meaning::Place(joined), length + 1));
            }
            return Some((meaning.clone(), length));
        }
        // North coast of Spain.
        let (first, rest) = words.split_first()?;
        let coast = first.as_ref().strip_prefix('/')?;
        let (mark, rest) = rest.split_first()?;
        let (meaning, used) = self.lookup(rest).filter(|_| mark.as_ref() == "\\")?;
        let Meaning::Place(at) = meaning else { return None };
        let joined = self.location(&format!("{}/{coast}", self[self.province_of(at)].code))?;
        Some((Meaning::Place(joined), used + 2))
    }

    /// The place a text names, the whole text and without ambiguity.
    pub fn place_named(&self, text: &str) -> Option<LocationId> {
        let words = words::normalise(text);
        match self.lookup(&words)? {
            (Meaning::Place(at), used) if used == words.len() => Some(at),
            (Meaning::Ambiguous(all), used) if used == words.len() && all.len() == 1 => all.first().copied(),
            _ => None,
        }
    }

    /// The power a text names: name, own-word, short name or key of either generation, also one that is a place's
    /// name too.
    pub fn power_named(&self, text: &str) -> Option<PowerId> {
        self.power_words.get(&words::normalised(text)).copied().or_else(|| self.power(&words::power_key(text)))
    }

    /// The power with that letter; `None` when two share it.
    pub fn power_of_letter(&self, letter: char) -> Option<PowerId> {
        let upper = letter.to_uppercase().next().unwrap_or(letter);
        let mut found = self.power_ids().filter(|p| self[*p].letter == Some(upper));
        found.next().filter(|_| found.next().is_none())
    }

    /// A known name near a mistyped one: up to three, the nearest first.
    pub fn suggestions(&self, word: &str) -> Vec<&str> {
        let word = words::normalised(word);
        near(&word, self.vocabulary.keys().map(String::as_str))
    }

    /// The neighbours as the file lists them.
    pub fn listed(&self, at: LocationId) -> &[Listed] {
        self.lists.get(usize::from(at.0)).map_or(&[], Vec::as_slice)
    }

    /// Whether that unit at `from` may do that at `to`, owner restrictions apart (map-file.md 5.3). `None` for the
    /// unit asks for one of unknown kind.
    pub fn adjacent(&self, kind: Option<UnitKind>, from: LocationId, question: Question, to: LocationId) -> bool {
        let mut to = to;
        if self[to].coast.is_some() {
            if question == Question::Support {
                to = self[self.province_of(to)].location;
            } else if kind == Some(UnitKind::Army) {
                return false;
            }
        }
        let place = &self[to];
        let terrain = self[place.province].terrain;
        let matches = |l: &&Listed| if place.coast.is_some() { l.to == to } else { l.province == place.province };
        let Some(entry) = self.listed(from).iter().find(matches) else { return false };
        match kind {
            _ if terrain == Terrain::Shut => false,
            None => true,
            Some(UnitKind::Fleet) => {
                terrain != Terrain::Land
                    && entry.spelling != Spelling::Army
                    && (place.fleets || question == Question::Support)
            }
            Some(UnitKind::Army) => {
                question == Question::Convoy || (terrain != Terrain::Water && build::on_foot(entry.spelling))
            }
        }
    }

    /// The coast a fleet move to a bare split province must mean: the only one in the list of `from` (map-file.md 5.3).
    pub fn only_coast(&self, from: LocationId, to: ProvinceId) -> Option<LocationId> {
        let mut coasts = self.listed(from).iter().filter(|l| l.province == to && self[l.to].coast.is_some());
        let first = coasts.next()?;
        coasts.next().is_none().then_some(first.to)
    }

    pub(super) fn army_walks(&self, from: ProvinceId, to: ProvinceId) -> bool {
        let (here, there) = (self[from].location, self[to].location);
        let stands = self.may_stand(UnitKind::Army, here) && self.may_stand(UnitKind::Army, there);
        from != to && stands && self.adjacent(Some(UnitKind::Army), here, Question::Move, there)
    }

    pub(super) fn fleet_sails(&self, from: LocationId, to: LocationId) -> bool {
        let stands = self.may_stand(UnitKind::Fleet, from) && self.may_stand(UnitKind::Fleet, to);
        stands && self.adjacent(Some(UnitKind::Fleet), from, Question::Move, to)
    }
}
