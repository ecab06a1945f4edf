//! Powers and centres of the board: homes, units, sites, leagues, restricted borders, with their checks (map-file.md 7,
//! 11).

use super::{Builder, tidy};
use crate::diplomacy::map::diagnostic::{Diagnostic, Severity};
use crate::diplomacy::map::draft::{DraftPower, HomeKind, LeagueRule};
use crate::diplomacy::map::words;
use crate::diplomacy::map::{LocationId, Map, Power, PowerId, ProvinceId, Terrain, UnitKind};
use crate::diplomacy::position::Unit;
use crate::spelling::{distance, nearest};
use std::collections::{BTreeMap, BTreeSet};

impl Builder<'_> {
    pub(super) fn powers(&mut self, map: &mut Map) {
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
        let near = nearest(key, crate::diplomacy::map::read::DIRECTIVES.iter().copied());
        let near = near.filter(|n| distance(key, n) == 1);
        let empty = power.homes.is_empty() && power.units.is_empty() && power.owns.is_none() && !power.vouched;
        if near.is_some() || empty {
            let hint =
                near.map_or_else(|| "it has no homes, centers or units".to_owned(), |n| format!("did you mean {n}?"));
            self.warn(&power.at, format!("SUSPECT POWER LINE: {key}"), hint);
        }
    }

    pub(super) fn leagues(&mut self, map: &mut Map) {
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

    pub(super) fn shared_letters(&mut self, map: &Map) {
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

    pub(super) fn centers(&mut self, map: &mut Map) {
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
    pub(super) fn alternatives_and_sites(&mut self, map: &Map) {
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

    pub(super) fn restrictions(&mut self, map: &mut Map) {
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
}
