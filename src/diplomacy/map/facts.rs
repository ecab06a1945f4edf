//! The facts of a board as one JSON object, the form in which programs compare their readings of a map file
//! (operations.md OPS-014). Counts are of the board as the file describes it, without morphs or dynamic blocks.

use super::draft::{HomeKind, LeagueRule, When};
use super::{Diagnostic, Map, Terrain, UnitKind, words};
use crate::diplomacy::phase::Step;
use serde_json::{Map as Object, Value, json};
use std::collections::{BTreeMap, BTreeSet};

impl Map {
    /// The facts, keys sorted. `diagnostics` are the remarks the loader made.
    pub fn facts(&self, diagnostics: &[Diagnostic]) -> Value {
        let army = pairs(self.army.iter().enumerate().map(|(from, list)| {
            let to = list.iter().filter(|(_, b)| !b.closed).map(|(to, _)| usize::from(to.0)).collect();
            (from, to)
        }));
        let fleet = pairs(self.fleet.iter().enumerate().map(|(from, list)| {
            let to = list.iter().filter(|(_, b)| !b.closed).map(|(to, _)| usize::from(to.0)).collect();
            (from, to)
        }));
        let terrain = |t: Terrain| self.provinces.iter().filter(|p| p.terrain == t).count();
        let centres: Vec<&str> = self.provinces.iter().filter(|p| p.center).map(|p| p.code.as_str()).collect();
        let coasts = self.locations.iter().filter(|l| l.coast.is_some()).count();
        let split = self.provinces.iter().filter(|p| !p.coasts.is_empty()).count();
        let advisories: Vec<&str> = diagnostics.iter().filter_map(|d| d.advisory.as_deref()).collect();
        let mut facts: BTreeMap<&str, Value> = BTreeMap::from([
            ("army_pairs", json!(army.pairs)),
            ("army_pairs_directed", json!(army.directed)),
            ("art", json!(self.art)),
            ("n_centres", json!(centres.len())),
            ("centres", json!(centres)),
            ("diagnostics", json!(advisories)),
            ("files", json!(self.files)),
            ("first_phase", json!(self.begin.to_string())),
            ("fleet_pairs", json!(fleet.pairs)),
            ("fleet_pairs_directed", json!(fleet.directed)),
            ("n_ambiguous", json!(self.draft.ambiguous.len())),
            (
                "n_by_terrain",
                json!({
                    "coast": terrain(Terrain::Coast),
                    "land": terrain(Terrain::Land),
                    "port": terrain(Terrain::Port),
                    "shut": terrain(Terrain::Shut),
                    "water": terrain(Terrain::Water),
                }),
            ),
            ("n_coasts", json!(coasts)),
            ("n_locations", json!(self.locations.len())),
            ("n_names", json!(self.draft.names.len())),
            ("n_powers", json!(self.powers.len())),
            ("n_provinces", json!(self.provinces.len())),
            ("n_split_coast_provinces", json!(split)),
            ("one_way_army", json!(one_way(&army.lonely, |i| self.provinces.get(i).map(|p| p.code.as_str())))),
            ("one_way_fleet", json!(one_way(&fleet.lonely, |i| self.locations.get(i).map(|l| l.code.as_str())))),
            ("powers", self.power_facts()),
            ("rules", json!(self.rules)),
            ("sequence", json!(self.flow.steps.iter().map(Step::to_string).collect::<Vec<_>>())),
            ("victory", json!(self.victory)),
            ("victory_is_default", json!(self.victory_is_default)),
            ("year_sign", json!(self.flow.year_sign())),
        ]);
        let mut add = |key: &'static str, object: Object<String, Value>| {
            if !object.is_empty() {
                facts.insert(key, Value::Object(object));
            }
        };
        add(
            "alternative",
            self.home_facts(|kind| match kind {
                HomeKind::Alternative(limits) => Some(limits.as_slice()),
                _ => None,
            }),
        );
        add("factory", self.site_facts(&HomeKind::Factory));
        add("partisan", self.site_facts(&HomeKind::Partisan));
        add("directives", self.directives.iter().map(|(k, v)| (k.clone(), json!(v))).collect());
        add("dynamic", self.dynamic_facts());
        add("leagues", self.league_facts());
        let special = self.special_facts();
        if !special.is_empty() {
            facts.insert("special_adjacency", json!(special));
        }
        if !self.new_homes.is_empty() {
            let years: Vec<String> = self.new_homes.iter().map(ToString::to_string).collect();
            facts.insert("newhomes", json!(years));
        }
        Value::Object(facts.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
    }

    fn power_facts(&self) -> Value {
        let mut out: BTreeMap<String, Value> = BTreeMap::new();
        for (power, id) in self.powers.iter().zip(self.power_ids()) {
            let Some(written) = self.draft.powers.get(&self[id].key) else { continue };
            // Keys as the old judge wrote them: GULF\BOTHNIA.
            let key = words::old_power_key(&written.written);
            let codes =
                |list: &[super::ProvinceId]| -> Vec<&str> { list.iter().map(|p| self[*p].code.as_str()).collect() };
            let mut homes = codes(&power.homes);
            homes.extend(std::iter::repeat_n("&SC", usize::from(power.wild_homes)));
            homes.sort_unstable();
            let mut centres = codes(&power.centers);
            centres.extend(std::iter::repeat_n("SC!", usize::from(power.owned_builds)));
            centres.extend(std::iter::repeat_n("SC?", usize::from(power.loose_builds)));
            let mut units: Vec<String> =
                power.units.iter().map(|u| format!("{} {}", u.kind.letter(), self[u.at].code)).collect();
            units.sort();
            let letter = written.letter.or_else(|| key.chars().next()).map(String::from);
            let own = if written.own.is_empty() { &key } else { &written.own };
            let facts = BTreeMap::from([
                ("dummy", json!(power.dummy)),
                ("homes", json!(homes)),
                ("initial_centres", json!(centres)),
                ("initial_units", json!(units)),
                ("letter", json!(letter)),
                ("name", json!(written.written)),
                ("own", json!(own)),
            ]);
            out.insert(key.clone(), json!(facts));
        }
        json!(out)
    }

    /// Home words of one kind by power: each as the site and what limits it.
    fn home_facts(&self, limits: impl Fn(&HomeKind) -> Option<&[String]>) -> Object<String, Value> {
        let mut out = Object::new();
        for (key, power) in &self.draft.powers {
            let mut sites: Vec<Vec<&str>> = Vec::new();
            for home in &power.homes {
                if let Some(limits) = limits(&home.kind) {
                    let site = std::iter::once(home.code.as_str());
                    sites.push(site.chain(limits.iter().map(String::as_str)).collect());
                }
            }
            if !sites.is_empty() {
                out.insert(key.clone(), json!(sites));
            }
        }
        out
    }

    fn site_facts(&self, kind: &HomeKind) -> Object<String, Value> {
        let mut out = Object::new();
        for (key, power) in &self.draft.powers {
            let sites: Vec<&str> = power.homes.iter().filter(|h| h.kind == *kind).map(|h| h.code.as_str()).collect();
            if !sites.is_empty() {
                out.insert(key.clone(), json!(sites));
            }
        }
        out
    }

    fn dynamic_facts(&self) -> Object<String, Value> {
        let mut out: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for block in &self.draft.blocks {
            let key = match &block.when {
                When::In(text) => text.clone(),
                When::From(text) => format!("FROM {text}"),
            };
            out.entry(key).or_default().extend(block.lines.iter().map(|(line, _)| line.as_str()));
        }
        out.into_iter().map(|(k, v)| (k, json!(v))).collect()
    }

    fn league_facts(&self) -> Object<String, Value> {
        let mut out = Object::new();
        for (key, power) in &self.draft.powers {
            let Some(league) = &power.league else { continue };
            let mut words_ = vec![league.name.clone()];
            match &league.rule {
                LeagueRule::Label => {}
                LeagueRule::Strict => words_.push("STRICT".into()),
                LeagueRule::Benign(others) => {
                    words_.push("BENIGN".into());
                    words_.extend(others.iter().cloned());
                }
            }
            out.insert(key.clone(), json!(words_));
        }
        out
    }

    /// Restrictions as `mark FROM>TO`, sorted.
    fn special_facts(&self) -> Vec<String> {
        let mut out = BTreeSet::new();
        for (code, place) in &self.draft.places {
            for abut in &place.abuts {
                let pair = format!("{code}>{}", abut.code);
                let marks = [(abut.tilde, "~"), (abut.star, "*")];
                out.extend(marks.iter().filter(|(set, _)| *set).map(|(_, mark)| format!("{mark} {pair}")));
                if let Some(only) = &abut.only {
                    out.insert(format!("{only}: {pair}"));
                }
                if !abut.needs.is_empty() {
                    out.insert(format!("({}) {pair}", abut.needs.join(",")));
                }
            }
        }
        out.into_iter().collect()
    }

    /// Whether that kind of unit has any way in: used by the checks of unreachable places.
    pub(super) fn enters(&self, kind: UnitKind, at: super::ProvinceId) -> bool {
        match kind {
            UnitKind::Army => self.army.iter().flatten().any(|(to, b)| *to == at && !b.closed),
            UnitKind::Fleet => self.fleet.iter().flatten().any(|(to, b)| self.province_of(*to) == at && !b.closed),
        }
    }
}

struct Pairs {
    pairs: usize,
    directed: usize,
    lonely: Vec<(usize, usize)>,
}

fn pairs(lists: impl Iterator<Item = (usize, Vec<usize>)>) -> Pairs {
    let directed: BTreeSet<(usize, usize)> =
        lists.flat_map(|(a, list)| list.into_iter().map(move |b| (a, b))).collect();
    let unordered: BTreeSet<(usize, usize)> = directed.iter().map(|(a, b)| (*a.min(b), *a.max(b))).collect();
    let lonely = directed.iter().filter(|(a, b)| !directed.contains(&(*b, *a))).copied().collect();
    Pairs { pairs: unordered.len(), directed: directed.len(), lonely }
}

fn one_way<'a>(lonely: &[(usize, usize)], code: impl Fn(usize) -> Option<&'a str>) -> Vec<String> {
    let name = |i: usize| code(i).unwrap_or_default();
    lonely.iter().map(|(a, b)| format!("{}>{}", name(*a), name(*b))).collect()
}
