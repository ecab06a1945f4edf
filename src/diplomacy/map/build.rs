//! From the draft to the board: indices instead of names, borders instead of lists, and the checks of map-file.md 11.

use super::diagnostic::{Diagnostic, Severity, nearest};
use super::draft::{Abut, Draft, DraftPower, HomeKind, LeagueRule, Sense, Spelling};
use super::terrain::MAX_PROVINCES;
use super::words;
use super::{
    Border, Listed, Location, LocationId, Map, Meaning, Power, PowerId, Province, ProvinceId, Terrain, UnitKind,
};
use crate::diplomacy::phase::{Flow, Phase};
use crate::diplomacy::position::Unit;
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

    fn powers(&mut self, map: &mut Map) {
        let draft = self.draft;
        let mut units_at: BTreeSet<ProvinceId> = BTreeSet::new();
        for (key, power) in &draft.powers {
            let own = if power.own.is_empty() { key } else { &power.own };
            let mut built = Power {
                key: key.clone(),
                title: words::power_title(&power.written),
                own: words::own_title(own),
                letter: power.letter.or_else(|| key.trim_start_matches('_').chars().next()),
                short: power.short.clone(),
                homes: Vec::new(),
                units: Vec::new(),
                centers: Vec::new(),
                factories: Vec::new(),
                partisans: Vec::new(),
                hidden: Vec::new(),
                alternatives: Vec::new(),
                wild_homes: power.wild,
                owned_builds: power.owned_builds,
                loose_builds: power.loose_builds,
                reserves: power.reserves,
                militia: power.militia,
                dummy: power.dummy,
                control: power.control.clone(),
                league: None,
                bond: power.league.clone(),
                flag: power.flag.clone(),
            };
            self.homes_of(map, key, power, &mut built);
            self.units_of(map, key, power, &mut built, &mut units_at);
            if !power.control.is_empty() && !power.dummy {
                self.error(&power.at, format!("CONTROLLED POWER {key} NOT A DUMMY"), "give it a DUMMY line");
            }
            self.suspect(key, power);
            map.powers.push(built);
        }
        if map.powers.len() < 2 {
            let whole = self.whole();
            let text = "MAP DOES NOT SPECIFY AT LEAST TWO POWERS".to_owned();
            let solitaire = map.directives.contains_key("SOLITAIRE") || map.rules.iter().any(|r| r == "SOLITAIRE");
            let severity = if solitaire && map.powers.len() == 1 { Severity::Warning } else { Severity::Error };
            self.say(severity, &whole, text, Some("a power is a line with its name".to_owned()));
        }
        self.leagues(map);
        self.shared_letters(map);
    }

    fn homes_of(&mut self, map: &Map, key: &str, power: &DraftPower, built: &mut Power) {
        for home in &power.homes {
            let Some(id) = map.province(&home.code) else {
                let what = match home.kind {
                    HomeKind::Factory => "FACTORY",
                    HomeKind::Partisan => "PARTISAN SITE",
                    _ => "HOME",
                };
                let hint = self.near(&home.code);
                self.error(&power.at, format!("BAD {what} FOR {key}: {}", home.code), hint);
                continue;
            };
            match &home.kind {
                HomeKind::Plain => built.homes.push(id),
                HomeKind::Factory => built.factories.push(id),
                HomeKind::Partisan => built.partisans.push(id),
                HomeKind::Alternative(limits) => {
                    built.homes.push(id);
                    built.alternatives.push((id, limits.iter().filter_map(|l| map.province(l)).collect()));
                }
            }
            if home.hidden {
                built.hidden.push(id);
            }
        }
        match &power.owns {
            None => built.centers = built.homes.clone(),
            Some(list) => {
                for code in list {
                    match map.province(code) {
                        Some(id) => built.centers.push(id),
                        None => {
                            let hint = self.near(code);
                            self.error(&power.at, format!("BAD INITIAL OWNED CENTER FOR {key}: {code}"), hint);
                        }
                    }
                }
            }
        }
        for list in
            [&mut built.homes, &mut built.centers, &mut built.factories, &mut built.partisans, &mut built.hidden]
        {
            list.sort_unstable();
            list.dedup();
        }
        built.alternatives.sort_unstable();
    }

    fn units_of(
        &mut self,
        map: &Map,
        key: &str,
        power: &DraftPower,
        built: &mut Power,
        taken: &mut BTreeSet<ProvinceId>,
    ) {
        for (letter, code) in &power.units {
            let kind = if *letter == 'A' { UnitKind::Army } else { UnitKind::Fleet };
            match map.location(code).filter(|at| self.may_start(map, kind, *at)) {
                Some(at) if taken.insert(map.province_of(at)) => built.units.push(Unit { kind, at }),
                _ => {
                    let hint = match map.province(code) {
                        None => self.near(code),
                        Some(id) if !map[id].coasts.is_empty() && kind == UnitKind::Fleet => {
                            let coasts: Vec<&str> = map[id].coasts.iter().map(|c| map[*c].code.as_str()).collect();
                            format!("a fleet needs a coast: {}", coasts.join(" or "))
                        }
                        Some(_) => "the terrain does not carry it".to_owned(),
                    };
                    self.error(&power.at, format!("BAD INITIAL UNIT FOR {key}: {letter} {code}"), hint);
                }
            }
        }
    }

    /// With HIBERNATE a unit may wait on a space that is shut.
    fn may_start(&self, map: &Map, kind: UnitKind, at: LocationId) -> bool {
        let shut = map[map.province_of(at)].terrain == Terrain::Shut;
        map.may_stand(kind, at) || (shut && map.rules.iter().any(|r| r == "HIBERNATE"))
    }

    fn suspect(&mut self, key: &str, power: &DraftPower) {
        let near = nearest(key, super::read::DIRECTIVES.iter().copied());
        let near = near.filter(|n| super::diagnostic::distance(key, n) == 1);
        let empty = power.homes.is_empty() && power.units.is_empty() && power.owns.is_none() && !power.vouched;
        if near.is_some() || empty {
            let hint =
                near.map_or_else(|| "it has no homes, centers or units".to_owned(), |n| format!("did you mean {n}?"));
            self.warn(&power.at, format!("SUSPECT POWER LINE: {key}"), hint);
        }
    }

    fn leagues(&mut self, map: &mut Map) {
        let member = |name: &str| -> Vec<PowerId> {
            map.power_ids().filter(|p| map[*p].bond.as_ref().is_some_and(|l| l.name == name)).collect()
        };
        let leagues: Vec<Option<Vec<PowerId>>> = map
            .powers
            .iter()
            .map(|p| p.bond.as_ref().filter(|l| l.rule == LeagueRule::Strict).map(|l| member(&l.name)))
            .collect();
        for (power, league) in map.powers.iter_mut().zip(leagues) {
            power.league = league;
        }
    }

    fn shared_letters(&mut self, map: &Map) {
        let mut by_letter: BTreeMap<char, Vec<&str>> = BTreeMap::new();
        for power in map.powers.iter().filter(|p| !p.dummy) {
            by_letter.entry(power.letter.unwrap_or('?')).or_default().push(&power.key);
        }
        for (letter, keys) in by_letter.into_iter().filter(|(_, keys)| keys.len() > 1) {
            let at = keys.last().and_then(|k| self.draft.powers.get(*k)).map_or_else(|| self.whole(), |p| p.at.clone());
            let text = format!("SHARED POWER LETTER: {letter}: {}", keys.join(", "));
            self.warn(&at, text, "give one of them another: (OwnWord:X)");
        }
    }

    fn centers(&mut self, map: &mut Map) {
        let draft = self.draft;
        let mut centers: BTreeSet<ProvinceId> = BTreeSet::new();
        let mut owner: BTreeMap<ProvinceId, &str> = BTreeMap::new();
        for power in &map.powers {
            centers.extend(power.homes.iter().chain(&power.centers));
            for center in &power.centers {
                if let Some(other) = owner.insert(*center, &power.key)
                    && let Some(at) = draft.powers.get(&power.key).map(|p| p.at.clone())
                {
                    let text = format!("CENTER MULTIPLY OWNED: {}", map[*center].code);
                    let (file, line) = at;
                    let hint = Some(format!("{other} and {} both start with it", power.key));
                    // Shared homes are legal; only what OWNS says twice is a contradiction.
                    let written = draft.powers.get(&power.key).is_some_and(|p| p.owns.is_some())
                        || draft.powers.get(other).is_some_and(|p| p.owns.is_some());
                    let severity = if written { Severity::Error } else { Severity::Warning };
                    self.found.push(Diagnostic { severity, file, line, column: 0, text, hint, advisory: None });
                }
            }
        }
        let homes: BTreeSet<ProvinceId> = map.powers.iter().flat_map(|p| p.homes.iter().copied()).collect();
        let mut unowned: BTreeSet<ProvinceId> = BTreeSet::new();
        for code in &draft.unowned {
            match map.province(code) {
                Some(id) => {
                    centers.insert(id);
                    if !homes.contains(&id) {
                        unowned.insert(id);
                    }
                }
                None => {
                    let whole = self.whole();
                    let hint = self.near(code);
                    self.error(&whole, format!("BAD HOME FOR UNOWNED: {code}"), hint);
                }
            }
        }
        map.unowned = unowned.into_iter().collect();
        for id in &centers {
            if let Some(province) = map.provinces.get_mut(usize::from(id.0)) {
                province.center = true;
            }
        }
        let half = u16::try_from(centers.len() / 2 + 1).unwrap_or(u16::MAX);
        map.victory = draft.victory.clone().unwrap_or_else(|| vec![half]);
        for id in map.province_ids().filter(|p| map[*p].center && map[*p].terrain == Terrain::Water) {
            let whole = self.whole();
            self.warn(&whole, format!("CENTER IN WATER: {}", map[id].code), "only fleets can take it");
        }
    }

    /// Factories, partisan sites and limits of alternative homes (map-file.md 11).
    fn alternatives_and_sites(&mut self, map: &Map) {
        let draft = self.draft;
        let mut sites: BTreeMap<ProvinceId, (&str, &str)> = BTreeMap::new();
        for power in &map.powers {
            let at = draft.powers.get(&power.key).map_or_else(|| self.whole(), |p| p.at.clone());
            for (list, what) in [(&power.factories, "FACTORY"), (&power.partisans, "PARTISAN SITE")] {
                for id in list {
                    let code = &map[*id].code;
                    if map[*id].center {
                        self.error(&at, format!("{what} CANNOT BE SC: {code}"), "it is a supply center elsewhere");
                    }
                    match sites.insert(*id, (what, &power.key)) {
                        Some((other, _)) if other != what => {
                            let text = format!("PARTISAN SITE CANNOT BE FACTORY: {code}");
                            self.error(&at, text, "one or the other");
                        }
                        Some((_, owner)) => {
                            self.error(&at, format!("{what} MULTIPLY OWNED: {code}"), format!("{owner} has it"));
                        }
                        None => {}
                    }
                }
            }
            let Some(written) = draft.powers.get(&power.key) else { continue };
            let plain = |code: &str| written.homes.iter().find(|h| h.code == code).map(|h| h.kind.clone());
            for home in &written.homes {
                let HomeKind::Alternative(limits) = &home.kind else { continue };
                for limit in limits {
                    let prefix =
                        format!("LIMITATION FOR ALTERNATIVE HOME CENTER {} FOR POWER {}", home.code, power.key);
                    match plain(limit) {
                        Some(HomeKind::Plain) => {}
                        Some(HomeKind::Alternative(_)) => {
                            let text = format!("{prefix} CANNOT ITSELF BE ALTERNATIVE HOME CENTER: {limit}");
                            self.error(&at, text, "name an ordinary home");
                        }
                        _ => {
                            let text = format!("{prefix} NOT A HOME CENTER: {limit}");
                            self.error(&at, text, "name an ordinary home of the power");
                        }
                    }
                }
            }
        }
    }

    fn restrictions(&mut self, map: &mut Map) {
        let letters: BTreeSet<char> = map.powers.iter().filter_map(|p| p.letter).collect();
        for (code, place) in &self.draft.places {
            for abut in &place.abuts {
                let pair = format!("{code}-{}", abut.code);
                for letter in abut.only.iter().flat_map(|o| o.chars()).filter(|c| !letters.contains(c)) {
                    let known: String = letters.iter().collect();
                    let text = format!("BAD POWER ABUT RESTRICTION: {letter}: {pair}");
                    self.error(&place.at, text, format!("letters of the powers are {known}"));
                }
                for need in &abut.needs {
                    if map.province(need).is_some_and(|p| !map[p].center) {
                        let text = format!("BAD OWNERSHIP ABUT RESTRICTION: {need}: {pair}");
                        self.error(&place.at, text, format!("{need} is no supply center"));
                    }
                }
            }
        }
        for borders in &mut map.army {
            borders.iter_mut().for_each(|(_, b)| tidy(b));
        }
        for borders in &mut map.fleet {
            borders.iter_mut().for_each(|(_, b)| tidy(b));
        }
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
