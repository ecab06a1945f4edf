//! From the draft to the board: indices instead of names, borders instead of lists, and the checks of map-file.md 11.

mod powers;

use super::diagnostic::{Diagnostic, Severity};
use super::draft::{Abut, Draft, Sense, Spelling};
use super::terrain::MAX_PROVINCES;
use super::words;
use super::{Border, Listed, Location, LocationId, Map, Meaning, PowerId, Province, ProvinceId, Terrain, UnitKind};
use crate::diplomacy::phase::{Flow, Phase};
use crate::spelling::nearest;
use std::collections::{BTreeMap, BTreeSet};

/// Builds the board of a draft. What cannot be used is left out with a remark, so the board is always sound: every
/// index it holds is one of its own.
pub(super) fn build(draft: &Draft, lenient: bool) -> (Map, Vec<Diagnostic>) {
    let mut builder = Builder { draft, found: Vec::new(), lenient };
    let map = builder.map();
    (map, builder.found)
}

struct Builder<'a> {
    draft: &'a Draft,
    found: Vec<Diagnostic>,
    /// A board in play: what would be an error in a new file is a warning.
    lenient: bool,
}

impl Builder<'_> {
    fn say(&mut self, severity: Severity, at: &(String, usize), text: String, hint: Option<String>) {
        let (file, line) = at.clone();
        self.found.push(Diagnostic { severity, file, line, column: 0, text, hint, advisory: None });
    }

    fn error(&mut self, at: &(String, usize), text: String, hint: impl Into<String>) {
        self.say(Severity::Error, at, text, Some(hint.into()));
    }

    fn warn(&mut self, at: &(String, usize), text: String, hint: impl Into<String>) {
        self.say(Severity::Warning, at, text, Some(hint.into()));
    }

    /// Where a remark about the map as a whole belongs.
    fn whole(&self) -> (String, usize) {
        (self.draft.files.first().cloned().unwrap_or_else(|| self.draft.name.clone()), 0)
    }

    fn near(&self, code: &str) -> String {
        let near = nearest(code, self.draft.places.keys().map(String::as_str));
        near.map_or_else(|| "no place has this abbreviation".to_owned(), |n| format!("did you mean {n}?"))
    }

    fn map(&mut self) -> Map {
        let draft = self.draft;
        let (flow, complaints) = Flow::from_written(&draft.flow);
        let begin_at = draft.begin.as_ref().map_or_else(|| self.whole(), |(_, at)| at.clone());
        let whole = self.whole();
        for complaint in complaints {
            self.error(&whole, complaint, "see the FLOW lines");
        }
        let default = Phase { season: "SPRING".into(), year: 1901, kind: "MOVEMENT".into() };
        let begin = draft.begin.as_ref().map_or(default, |(p, _)| p.clone());
        if !flow.contains(&begin) {
            let steps: Vec<String> = flow.steps.iter().map(ToString::to_string).collect();
            self.error(&begin_at, format!("BAD BEGIN PHASE: {begin}"), format!("the flow is {}", steps.join(", ")));
        }
        let whole_draft = std::sync::Arc::new(draft.clone());
        let mut map = Map {
            name: draft.name.clone(),
            art: draft.root.clone().unwrap_or_else(|| draft.name.clone()),
            text_only: draft.text_only,
            language: draft.language.clone(),
            flags: draft.flags.clone(),
            files: draft.files.clone(),
            provinces: Vec::new(),
            locations: Vec::new(),
            powers: Vec::new(),
            unowned: Vec::new(),
            victory: Vec::new(),
            victory_is_default: draft.victory.is_none(),
            flow,
            begin,
            rules: draft.rules.clone(),
            rotate: draft.rotate.clone(),
            directives: draft.directives.clone(),
            new_homes: draft.new_homes.clone(),
            notify: draft.notify.clone(),
            vocabulary: BTreeMap::new(),
            power_words: BTreeMap::new(),
            longest_name: 1,
            army: Vec::new(),
            fleet: Vec::new(),
            contacts: Vec::new(),
            lists: Vec::new(),
            origin: whole_draft.clone(),
            draft: whole_draft,
        };
        self.places(&mut map);
        self.borders(&mut map);
        self.powers(&mut map);
        self.centers(&mut map);
        self.vocabulary(&mut map);
        self.alternatives_and_sites(&map);
        self.restrictions(&mut map);
        map
    }

    fn places(&mut self, map: &mut Map) {
        let draft = self.draft;
        for (code, name) in &draft.names {
            if !draft.places.contains_key(code) {
                self.warn(&name.at, format!("NAMED LOCATION NOT ON MAP: {code}"), self.near(code));
            }
        }
        for (code, place) in &draft.places {
            if !draft.names.contains_key(code) {
                let hint = format!("Long Name = {}", code.to_lowercase());
                self.warn(&place.at, format!("MAP LOCATION HAS NO FULL NAME: {code}"), hint);
            }
            if code.contains('/') {
                let province = province_code(code);
                if !draft.places.contains_key(province) {
                    let hint = format!("declare {} too, in lower case, for the armies", province.to_lowercase());
                    self.error(&place.at, format!("COAST WITHOUT PROVINCE: {code}"), hint);
                }
                continue;
            }
            if map.provinces.len() >= MAX_PROVINCES {
                if map.provinces.len() == MAX_PROVINCES {
                    self.error(&place.at, format!("MORE THAN {MAX_PROVINCES} PROVINCES"), "D13 sets the bound");
                }
                break;
            }
            map.provinces.push(Province {
                code: code.clone(),
                title: self.title(code),
                terrain: place.terrain,
                location: LocationId(0),
                coasts: Vec::new(),
                center: false,
            });
        }
        for (code, place) in &draft.places {
            let Some(province) = map.province(province_code(code)) else { continue };
            let Ok(index) = u16::try_from(map.locations.len()) else { break };
            let coast = code.split_once('/').map(|(_, c)| c.to_owned());
            let id = LocationId(index);
            if let Some(p) = map.provinces.get_mut(usize::from(province.0)) {
                if coast.is_some() {
                    p.coasts.push(id);
                } else {
                    p.location = id;
                }
            }
            map.locations.push(Location {
                code: code.clone(),
                title: self.title(code),
                province,
                coast,
                fleets: !place.lower,
                declared: place.declared,
            });
        }
    }

    fn title(&self, code: &str) -> String {
        self.draft.names.get(code).map_or_else(|| code.to_owned(), |n| words::title(&n.long))
    }

    /// Reads the lists into borders (map-file.md 5.2 and 5.3).
    fn borders(&mut self, map: &mut Map) {
        let draft = self.draft;
        let mut lists: Vec<Vec<Listed>> = Vec::with_capacity(map.locations.len());
        for location in &map.locations {
            let Some(place) = draft.places.get(&location.code) else { continue };
            let mut list = Vec::with_capacity(place.abuts.len());
            for abut in &place.abuts {
                let to = map.location(&abut.code);
                // A coast that does not exist still names its province for armies.
                let province = map.province(province_code(&abut.code));
                if let (Some(to), Some(province)) = (to, province) {
                    list.push(Listed { to, province, spelling: abut.spelling });
                } else {
                    let text = format!("UNKNOWN NEIGHBOUR OF {}: {}", location.code, abut.code);
                    let hint = self.near(&abut.code);
                    self.error(&place.at, text, hint);
                }
            }
            lists.push(list);
        }
        map.lists = lists;
        let special = self.special(map);
        for from in map.province_ids() {
            let province = &map[from];
            let mut army = Vec::new();
            let mut contacts: BTreeSet<ProvinceId> = BTreeSet::new();
            for at in std::iter::once(province.location).chain(province.coasts.iter().copied()) {
                contacts.extend(map.listed(at).iter().map(|l| l.province));
            }
            for to in map.province_ids() {
                if map.army_walks(from, to) {
                    army.push((to, special.get(&(from, to)).cloned().unwrap_or_default()));
                }
            }
            map.army.push(army);
            contacts.remove(&from);
            map.contacts.push(contacts.into_iter().collect());
        }
        for from in map.location_ids() {
            let mut fleet = Vec::new();
            if map.may_stand(UnitKind::Fleet, from) {
                let here = map.province_of(from);
                let mut reached: Vec<LocationId> = map.listed(from).iter().map(|l| l.to).collect();
                // An entry for a coast also answers for a bare province that is itself a fleet place.
                reached.extend(map.listed(from).iter().map(|l| map[l.province].location));
                reached.sort_unstable();
                reached.dedup();
                for to in reached {
                    let there = map.province_of(to);
                    if here != there && map.fleet_sails(from, to) {
                        fleet.push((to, special.get(&(here, there)).cloned().unwrap_or_default()));
                    }
                }
            }
            map.fleet.push(fleet);
        }
        self.one_way(map);
    }

    /// What is special about the border between two provinces, whatever coasts are named (map-file.md 5.5).
    fn special(&mut self, map: &Map) -> BTreeMap<(ProvinceId, ProvinceId), Border> {
        let mut special: BTreeMap<(ProvinceId, ProvinceId), Border> = BTreeMap::new();
        for (code, place) in &self.draft.places {
            let Some(from) = map.province(province_code(code)) else { continue };
            for abut in &place.abuts {
                let Some(to) = map.province(province_code(&abut.code)) else { continue };
                if !(abut.star || abut.tilde || abut.only.is_some() || !abut.needs.is_empty()) {
                    continue;
                }
                let border = special.entry((from, to)).or_default();
                border.star |= abut.star || abut.tilde;
                border.tilde |= abut.tilde;
                if let Some(only) = &abut.only {
                    if only.is_empty() {
                        border.closed = true;
                    } else {
                        border.only.get_or_insert_default().extend(only.chars());
                    }
                }
                for need in &abut.needs {
                    match map.province(need) {
                        Some(center) => border.needs.push(center),
                        None => {
                            let hint = self.near(need);
                            self.error(&place.at, format!("BAD OWNERSHIP ABUT RESTRICTION: {need}"), hint);
                        }
                    }
                }
            }
        }
        special
    }

    fn one_way(&mut self, map: &Map) {
        for (code, place) in &self.draft.places {
            let Some(from) = map.location(code) else { continue };
            if place.terrain == Terrain::Shut {
                continue;
            }
            for abut in &place.abuts {
                let Some(to) = map.location(&abut.code) else { continue };
                if map[map.province_of(to)].terrain == Terrain::Shut || self.answers(map, from, to, abut) {
                    continue;
                }
                let text = format!("ONE-WAY ADJACENCY IN MAP: {code} -> {}", abut.code);
                let back = Abut { code: code.clone(), ..abut.clone() };
                let hint = format!("add {} to {}, or :{} if it is meant", back.code, abut.code, back.code);
                let severity = if self.lenient { Severity::Warning } else { Severity::Error };
                self.say(severity, &place.at, text, Some(hint));
            }
        }
    }

    /// Whether the list of `to` leads back to `from` for either kind of unit.
    fn answers(&self, map: &Map, from: LocationId, to: LocationId, _abut: &Abut) -> bool {
        let back = map.province_of(from);
        let coast = map[from].coast.is_some();
        map.listed(to).iter().any(|l| if coast { l.to == from } else { l.province == back })
    }

    /// Final names: codes always mean their own place, aliases what they were first given for; a power's name that is
    /// also a place's means the place where one is wanted (map-file.md 4.3).
    fn vocabulary(&mut self, map: &mut Map) {
        let draft = self.draft;
        for (word, sense) in &draft.vocabulary {
            match sense {
                Sense::Place(code) => {
                    if let Some(at) = map.location(code) {
                        map.vocabulary.insert(word.clone(), Meaning::Place(at));
                    }
                }
                Sense::Power(key) => {
                    if let Some(power) = map.power(key) {
                        map.vocabulary.insert(word.clone(), Meaning::Power(power));
                    }
                }
            }
        }
        for (word, codes) in draft.ambiguous.iter().chain(&draft.contested) {
            let mut at: Vec<LocationId> = codes.iter().filter_map(|c| map.location(c)).collect();
            let word = words::normalised(word);
            if let Some(Meaning::Place(known)) = map.vocabulary.get(&word) {
                at.insert(0, *known);
                at.dedup();
            }
            if !at.is_empty() && !word.is_empty() {
                map.vocabulary.insert(word, Meaning::Ambiguous(at));
            }
        }
        for (at, location) in map.locations.iter().enumerate() {
            let Ok(at) = u16::try_from(at) else { break };
            let meaning = Meaning::Place(LocationId(at));
            let spelled = words::fold(&location.code.replace('/', " /"));
            let clash = match map.vocabulary.get(&spelled) {
                Some(Meaning::Place(other)) if other.0 != at => Some(*other),
                _ => None,
            };
            if let Some(other) = clash
                && let Some(place) = draft.places.get(&location.code)
            {
                let text = format!("DUPLICATE MAP ALIAS OR POWER: {}", location.code);
                let hint =
                    format!("an alias of {} too; the abbreviation counts", map.locations[usize::from(other.0)].code);
                self.warn(&place.at, text, hint);
            }
            map.vocabulary.insert(spelled, meaning);
        }
        for (n, power) in map.powers.iter().enumerate() {
            let Ok(n) = u8::try_from(n) else { break };
            let Some(written) = draft.powers.get(&power.key) else { continue };
            let names = [
                written.written.clone(),
                power.key.clone(),
                words::old_power_key(&written.written),
                written.own.clone(),
                power.key.trim_start_matches('_').to_owned(),
                written.written.trim_start_matches('_').to_owned(),
            ];
            for name in names.iter().chain(&power.short).filter(|n| !n.is_empty()) {
                map.power_words.entry(words::normalised(name)).or_insert(PowerId(n));
            }
        }
        let all = map.vocabulary.keys().chain(map.power_words.keys());
        map.longest_name = all.map(|w| w.split(' ').count()).max().unwrap_or(1);
    }
}

/// `SPA` of `SPA/NC`.
pub(super) fn province_code(code: &str) -> &str {
    code.split('/').next().unwrap_or(code)
}

fn tidy(border: &mut Border) {
    if let Some(only) = &mut border.only {
        only.sort_unstable();
        only.dedup();
    }
    border.needs.sort_unstable();
    border.needs.dedup();
}

/// Whether an entry of that spelling lets armies cross on foot.
pub(super) const fn on_foot(spelling: Spelling) -> bool {
    matches!(spelling, Spelling::Both | Spelling::Army)
}
