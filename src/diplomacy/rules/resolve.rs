//! From the RULE lines of variant, map and game to the rules in force (rules.md 1.3): the old judge's algorithm,
//! with implications counted by who demands them, so that what a displaced rule demanded goes with it.

use super::relations::{base, home, relation};
use super::{Rule, Rules};
use std::collections::{BTreeSet, VecDeque};
use std::fmt;

/// A rule-variant: the second word of a game's line in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub enum Variant {
    /// Orders.
    #[default]
    Standard,
    /// Orders are bought.
    Payola,
    /// Crystal Ball: orders a turn ahead.
    Xtalball,
}

impl Variant {
    /// Every variant with its word in the index.
    pub const ALL: [(Variant, &'static str); 3] =
        [(Variant::Standard, "standard"), (Variant::Payola, "payola"), (Variant::Xtalball, "xtalball")];

    /// The word in the index.
    pub const fn word(self) -> &'static str {
        match self {
            Variant::Standard => "standard",
            Variant::Payola => "payola",
            Variant::Xtalball => "xtalball",
        }
    }

    /// The variant of that word, any case.
    pub fn named(word: &str) -> Option<Variant> {
        Self::ALL.iter().find(|(_, w)| w.eq_ignore_ascii_case(word)).map(|(v, _)| *v)
    }
}

/// A RULE word that cannot count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No such name.
    Unknown {
        /// As written.
        name: String,
        /// Whether the map said it.
        on_map: bool,
        /// Whether it was to be switched off, which changes nothing.
        negated: bool,
    },
    /// A rule of another variant.
    OtherVariant {
        /// The rule.
        rule: Rule,
        /// Its variant.
        variant: Variant,
        /// Whether the map said it.
        on_map: bool,
    },
    /// PROXY_OK in Payola.
    InvalidInPayola(Rule),
}

impl Fault {
    /// The RULE word it is about.
    pub fn name(&self) -> &str {
        match self {
            Fault::Unknown { name, .. } => name,
            Fault::OtherVariant { rule, .. } | Fault::InvalidInPayola(rule) => rule.name(),
        }
    }

    /// Whether the game can be played all the same.
    pub fn is_harmless(&self) -> bool {
        matches!(self, Fault::Unknown { negated: true, .. })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Unknown { name, .. } => write!(f, "NO SUCH RULE: {name}"),
            Fault::OtherVariant { rule, variant, on_map } => {
                let map = if *on_map { "MAP " } else { "" };
                write!(f, "{map}RULE {} REQUIRES {} VARIANT", rule.name(), variant.word().to_uppercase())
            }
            Fault::InvalidInPayola(rule) => write!(f, "{} RULE IS INVALID IN PAYOLA", rule.name()),
        }
    }
}

/// A rule of the game that a later one switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Displaced {
    /// The rule stated.
    pub rule: Rule,
    /// The one that switched it off.
    pub by: Rule,
}

impl fmt::Display for Displaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RULE {} IS SWITCHED OFF BY RULE {}", self.rule.name(), self.by.name())
    }
}

/// A negation without effect: another rule demands the one negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ineffective {
    /// The rule negated.
    pub rule: Rule,
    /// The rule that forces it.
    pub by: Rule,
}

impl fmt::Display for Ineffective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RULE !{} HAS NO EFFECT: RULE {} FORCES IT", self.rule.name(), self.by.name())
    }
}

/// The outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// The rules in force.
    pub rules: Rules,
    /// Those of them that the game does not state: from the variant, the map, or demanded by another.
    pub derived: Rules,
    /// Rules of the game that others switched off; warnings.
    pub displaced: Vec<Displaced>,
    /// Negations without effect; warnings.
    pub ineffective: Vec<Ineffective>,
    /// Words that do not count.
    pub faults: Vec<Fault>,
}

/// Where a rule comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Variant,
    Map,
    Game,
    /// Forced or defaulted by a rule.
    By(Rule),
}

#[derive(Default)]
struct State {
    /// In order of acceptance, with all who want the rule on.
    accepted: Vec<(Rule, BTreeSet<Source>)>,
    /// Negated by name.
    negated: BTreeSet<Rule>,
    /// (rule, the accepted rule that denies it)
    denied: Vec<(Rule, Rule)>,
    out: Resolved,
}

/// Resolves the rules of a game. `on_map` are the map's rules for the variant, `!NAME` included; `stated` and
/// `negated` the names of the game's RULE lines (aliases resolved).
pub fn resolve(variant: Variant, on_map: &[String], stated: &[String], negated: &[String]) -> Resolved {
    let mut state = State::default();
    let mut queue: VecDeque<(Rule, Source)> = base(variant).iter().map(|r| (*r, Source::Variant)).collect();
    for (names, source) in [(on_map, Source::Map), (stated, Source::Game)] {
        for name in names {
            let (name, off) = name.strip_prefix('!').map_or((name.as_str(), false), |name| (name, true));
            match Rule::named(name) {
                Some(rule) if off => {
                    state.negated.insert(rule);
                }
                Some(rule) => queue.push_back((rule, source)),
                None => state.unknown(name, source == Source::Map, off),
            }
        }
    }
    let mut own = BTreeSet::new();
    for name in negated {
        match Rule::named(name) {
            Some(rule) => {
                own.insert(rule);
            }
            None => state.unknown(name, false, true),
        }
    }
    // A rule the game states outweighs the map's negation of it.
    let said: BTreeSet<Rule> = queue.iter().filter(|(_, s)| *s == Source::Game).map(|(r, _)| *r).collect();
    state.negated.retain(|rule| !said.contains(rule));
    state.negated.extend(&own);
    queue.retain(|(rule, _)| !state.negated.contains(rule));
    state.run(variant, queue);
    state.conclude(variant, &own)
}

impl State {
    fn unknown(&mut self, name: &str, on_map: bool, negated: bool) {
        self.out.faults.push(Fault::Unknown { name: name.to_owned(), on_map, negated });
    }

    fn run(&mut self, variant: Variant, mut queue: VecDeque<(Rule, Source)>) {
        let mut tried: BTreeSet<(Rule, Rule)> = BTreeSet::new();
        loop {
            let Some((rule, source)) = queue.pop_front() else {
                match self.next_default(variant, &mut tried) {
                    Some(item) => queue.push_back(item),
                    None => return,
                }
                continue;
            };
            if let Some((_, sources)) = self.accepted.iter_mut().find(|(r, _)| *r == rule) {
                sources.insert(source);
                continue;
            }
            if let Some(other) = home(rule).filter(|v| *v != variant) {
                let on_map = source == Source::Map;
                self.out.faults.push(Fault::OtherVariant { rule, variant: other, on_map });
                continue;
            }
            // The later statement wins over what was denied before.
            self.denied.retain(|(r, _)| *r != rule);
            self.accepted.push((rule, BTreeSet::from([source])));
            for other in relation(rule).displaces {
                self.denied.push((*other, rule));
                self.displace(*other, rule);
            }
            // Whoever comes first is served first, before the rest of the queue.
            for forced in relation(rule).forces.iter().rev() {
                if home(*forced).is_none_or(|v| v == variant) {
                    queue.push_front((*forced, Source::By(rule)));
                }
            }
        }
    }

    /// The first default of an accepted rule that nothing forbids.
    fn next_default(&self, variant: Variant, tried: &mut BTreeSet<(Rule, Rule)>) -> Option<(Rule, Source)> {
        let pairs = self.accepted.iter().flat_map(|(r, _)| relation(*r).defaults.iter().map(|c| (*r, *c)));
        let found = pairs
            .filter(|(_, c)| home(*c).is_none_or(|v| v == variant))
            .filter(|pair| !tried.contains(pair))
            .find(|(_, c)| !self.negated.contains(c) && !self.denied.iter().any(|(d, _)| d == c))?;
        tried.insert(found);
        Some((found.1, Source::By(found.0)))
    }

    fn displace(&mut self, rule: Rule, by: Rule) {
        let Some(at) = self.accepted.iter().position(|(r, _)| *r == rule) else { return };
        let (_, sources) = self.accepted.remove(at);
        if sources.contains(&Source::Game) {
            self.out.displaced.push(Displaced { rule, by });
        }
        self.release(rule);
    }

    /// What a rule that is gone demanded or denied stands no longer for its sake.
    fn release(&mut self, gone: Rule) {
        self.denied.retain(|(_, by)| *by != gone);
        let mut orphans = Vec::new();
        self.accepted.retain_mut(|(rule, sources)| {
            if sources.remove(&Source::By(gone)) && sources.is_empty() {
                orphans.push(*rule);
                return false;
            }
            true
        });
        orphans.into_iter().for_each(|rule| self.release(rule));
    }

    fn conclude(mut self, variant: Variant, negated: &BTreeSet<Rule>) -> Resolved {
        if variant == Variant::Payola && self.accepted.iter().any(|(r, _)| *r == Rule::ProxyOk) {
            self.out.faults.push(Fault::InvalidInPayola(Rule::ProxyOk));
        }
        // A rule that came back later was not displaced in the end.
        let accepted: Rules = self.accepted.iter().map(|(r, _)| *r).collect();
        self.out.displaced.retain(|d| !accepted.has(d.rule));
        for (rule, sources) in &self.accepted {
            self.out.rules.set(*rule);
            if !sources.contains(&Source::Game) {
                self.out.derived.set(*rule);
            }
            // Of several, one the game states is named.
            let forcers = sources.iter().filter_map(|s| match s {
                Source::By(by) => Some(*by),
                _ => None,
            });
            let is_stated = |by: &Rule| self.accepted.iter().any(|(r, s)| r == by && s.contains(&Source::Game));
            let forcer = forcers.clone().find(is_stated).or_else(|| forcers.clone().next());
            if let (true, Some(by)) = (negated.contains(rule), forcer) {
                self.out.ineffective.push(Ineffective { rule: *rule, by });
            }
        }
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &str) -> Vec<String> {
        list.split_whitespace().map(str::to_owned).collect()
    }

    fn run(variant: Variant, map: &str, rules: &str) -> Resolved {
        let (off, on): (Vec<String>, Vec<String>) = names(rules).into_iter().partition(|r| r.starts_with('!'));
        let off: Vec<String> = off.iter().map(|r| r[1..].to_owned()).collect();
        resolve(variant, &names(map), &on, &off)
    }

    fn set(rules: &Rules) -> String {
        let mut all: Vec<&str> = rules.iter().map(Rule::name).collect();
        all.sort_unstable();
        all.join(" ")
    }

    fn sorted(list: &str) -> String {
        let mut all = names(list);
        all.sort_unstable();
        all.join(" ")
    }

    const BLIND: &str = "FICTIONAL_OK HIDE_ABSENTEES HIDE_LATE_POWERS SHOW_PHANTOM SILENT_ABSENCES";

    /// The table of rules.md 1.3, with chancery's counting and corrections.
    #[test]
    fn the_table() {
        let blind = format!("BLIND HIDE_DUMMIES {BLIND}");
        let myopic = format!("MYOPIC SEE_NO_SCS SEE_NO_UNITS NO_UNITS_SEE NO_SCS_SEE {blind}");
        let table: &[(&str, &str)] = &[
            ("NO_PRESS PUBLIC_PRESS", "PUBLIC_PRESS"),
            ("PUBLIC_PRESS NO_PRESS", "NO_PRESS SILENT_ABSENCES"),
            ("BUILD_ANY HOME_BUILDS", "HOME_BUILDS"),
            ("REAL_TIME ALWAYS_WAIT", "ALWAYS_WAIT"),
            ("CIVIL_DISORDER CIVIL_PREVIEW", "CIVIL_PREVIEW"),
            ("CIVIL_DISORDER", "CIVIL_DISORDER CD_DUMMIES NO_LATE_CHANGES"),
            ("CIVIL_DISORDER LATE_CHANGES", "CIVIL_DISORDER CD_DUMMIES LATE_CHANGES"),
            ("CIVIL_DISORDER NO_DEADLINE", "CIVIL_DISORDER CD_DUMMIES NO_DEADLINE"),
            ("NO_DIAS BLIND", &blind),
            ("BLIND NO_DIAS", "NO_DIAS"),
            ("BLIND !HIDE_DUMMIES", &blind.replace("HIDE_DUMMIES ", "")),
            ("MYOPIC", &myopic),
            ("SMART_CD", "SMART_CD CD_RETREATS CD_BUILDS CD_SUPPORTS CIVIL_DISORDER CD_DUMMIES NO_LATE_CHANGES"),
            ("VASSAL_DUMMIES", "VASSAL_DUMMIES CD_DUMMIES CD_BUILDS TEAM_VICTORY"),
        ];
        for (given, want) in table {
            assert_eq!(set(&run(Variant::Standard, "", given).rules), sorted(want), "{given}");
        }
    }

    #[test]
    fn variants() {
        let payola = "ORDER_ANY NEED_MOVE_MARKS";
        let smart = run(Variant::Payola, "", "SMART_CD");
        assert_eq!(set(&smart.rules), sorted(&format!("{payola} SMART_CD CD_RETREATS CD_BUILDS")));
        let crystal = run(Variant::Xtalball, "", "NO_PROXY");
        assert_eq!(set(&crystal.rules), sorted("FICTIONAL_OK DEFAULT_UNORDERED NO_PROXY"));
        assert_eq!(crystal.displaced, []);
        let proxy = run(Variant::Payola, "", "PROXY_OK");
        assert_eq!(proxy.faults[0].to_string(), "PROXY_OK RULE IS INVALID IN PAYOLA");
        let tax = run(Variant::Standard, "", "FLAT_TAX");
        assert_eq!(tax.faults[0].to_string(), "RULE FLAT_TAX REQUIRES PAYOLA VARIANT");
        assert!(!tax.rules.has(Rule::FlatTax));
        let tax = run(Variant::Standard, "FLAT_TAX", "");
        assert_eq!(tax.faults[0].to_string(), "MAP RULE FLAT_TAX REQUIRES PAYOLA VARIANT");
        let classic = run(Variant::Payola, "", "PAYOLA_CLASSIC !NO_SAVINGS");
        assert_eq!(set(&classic.rules), sorted(&format!("{payola} PAYOLA_CLASSIC FLAT_TAX DIRECT_ONLY ZERO_FOREIGN")));
    }

    #[test]
    fn negation() {
        let forced = run(Variant::Standard, "", "BLIND !FICTIONAL_OK");
        assert!(forced.rules.has(Rule::FictionalOk));
        assert_eq!(forced.ineffective, [Ineffective { rule: Rule::FictionalOk, by: Rule::Blind }]);
        let map = run(Variant::Standard, "BUILD_ANY NO_DRAW CD_DUMMIES", "!NO_DRAW");
        assert_eq!(set(&map.rules), "BUILD_ANY CD_DUMMIES");
        assert_eq!(map.rules, map.derived);
        let vassal = run(Variant::Standard, "VASSAL_DUMMIES !BUILD_ANY", "BUILD_ANY");
        assert!(vassal.rules.has(Rule::BuildAny), "the game outweighs the map");
    }

    #[test]
    fn both_rules_are_named() {
        let out = run(Variant::Standard, "", "NO_PRESS PUBLIC_PRESS");
        assert_eq!(out.displaced[0].to_string(), "RULE NO_PRESS IS SWITCHED OFF BY RULE PUBLIC_PRESS");
        assert_eq!(run(Variant::Standard, "", "FLYING_PIGS").faults[0].to_string(), "NO SUCH RULE: FLYING_PIGS");
        assert!(run(Variant::Standard, "", "!FLYING_PIGS").faults[0].is_harmless());
    }

    /// Shared implications stay as long as anybody demands them, and stated ones for good.
    #[test]
    fn implications_are_counted() {
        let out = run(Variant::Standard, "", "NO_REVEAL BLIND NO_DIAS");
        assert_eq!(set(&out.rules), "HIDE_ABSENTEES NO_DIAS NO_REVEAL");
        let out = run(Variant::Standard, "", "BLIND NO_DIAS SHOW_PHANTOM");
        assert_eq!(set(&out.rules), sorted("NO_DIAS SHOW_PHANTOM FICTIONAL_OK"));
        let out = run(Variant::Standard, "", "SHOW_PHANTOM BLIND NO_DIAS");
        assert_eq!(set(&out.rules), sorted("NO_DIAS SHOW_PHANTOM FICTIONAL_OK"));
    }

    #[test]
    fn each_rule_alone() {
        for rule in Rule::ALL {
            for (variant, _) in Variant::ALL {
                let out = resolve(variant, &[], &[rule.name().to_owned()], &[]);
                let fits = home(*rule).is_none_or(|v| v == variant);
                assert_eq!(out.rules.has(*rule), fits, "{} in {}", rule.name(), variant.word());
                assert_eq!(out.displaced, [], "{}", rule.name());
            }
        }
    }
}
