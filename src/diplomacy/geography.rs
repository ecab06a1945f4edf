//! The board and the rules as the checks of a status file ask for them: one door from a document to a checked game.

use super::map::source::{Source, with_extension};
use super::map::{LoadError, Map, Question, UnitKind, load};
use super::on_file::OnFile;
use super::orders::Lexicon;
use super::phase::{Phase, Step};
use super::position::Unit;
use super::rules::{Resolved, Rule, Variant, resolve};
use crate::spelling::nearest;
use crate::status::check::{Checked, check};
use crate::status::{Diagnostic, Document, Game, Geography, PhaseState, RuleRemark, Ruling, Severity};

impl Map {
    /// The unit a text such as `F STP/SC` means.
    pub fn named_unit(&self, text: &str) -> Option<Unit> {
        let (kind, at) = text.split_once(' ')?;
        let kind = match kind {
            "A" => UnitKind::Army,
            "F" => UnitKind::Fleet,
            _ => return None,
        };
        Some(Unit { kind, at: self.location(at.trim())? })
    }

    /// The same, if it may stand there.
    pub fn unit_of(&self, text: &str) -> Option<Unit> {
        self.named_unit(text).filter(|unit| self.may_stand(unit.kind, unit.at))
    }
}

/// A board as the checks of a status file ask for it.
struct Ground<'a> {
    map: &'a Map,
    /// `None`: no phase of the map's flow is running.
    orders: Option<OnFile<'a>>,
}

impl Geography for Ground<'_> {
    fn powers(&self) -> Vec<&str> {
        self.map.powers.iter().map(|p| p.key.as_str()).collect()
    }

    fn is_dummy(&self, power: &str) -> bool {
        self.map.power(power).is_some_and(|p| self.map[p].dummy)
    }

    fn is_center(&self, code: &str) -> bool {
        self.map.province(code).is_some_and(|p| self.map[p].center)
    }

    fn is_unit(&self, unit: &str) -> bool {
        self.map.unit_of(unit).is_some()
    }

    fn may_retreat(&self, unit: &str, to: &str) -> bool {
        let Some(unit) = self.map.unit_of(unit) else { return false };
        self.map.location(to).is_some_and(|to| self.map.adjacent(Some(unit.kind), unit.at, Question::Move, to))
    }

    fn phase(&self, text: &str) -> Option<String> {
        self.map.flow.parse(text).map(|p| p.to_string())
    }

    fn language(&self) -> &str {
        let of_file = || self.map.name.rsplit_once('_').map(|(_, language)| language);
        self.map.language.as_deref().or_else(of_file).unwrap_or("english")
    }

    fn order_fault(&self, power: &str, order: &str) -> Option<(&'static str, String)> {
        self.orders.as_ref()?.fault(power, order).map(|fault| (fault.code.old_words(), fault.text))
    }

    fn phase_kinds(&self) -> Vec<&str> {
        let mut kinds: Vec<&str> = Vec::new();
        for step in &self.map.flow.steps {
            if let Step::Phase(_, kind) = step
                && !kinds.contains(&kind.as_str())
            {
                kinds.push(kind);
            }
        }
        kinds
    }
}

/// The RULE words a map has for games of a variant: its own and those of its DIRECTIVES (map-file.md 10.1).
pub fn map_rules(map: &Map, variant: Variant) -> Vec<String> {
    let word = variant.word().to_uppercase();
    let directives = map.directives.get(&word).into_iter().flatten();
    let stanza = directives.filter_map(|line| {
        let (key, rest) = line.trim().split_once(char::is_whitespace)?;
        matches!(key.to_uppercase().as_str(), "RULE" | "RULES").then_some(rest)
    });
    let stanza = stanza.flat_map(str::split_whitespace).map(str::to_uppercase);
    let mut rules: Vec<String> = map.rules.clone();
    rules.extend(stanza.filter(|rule| !map.rules.contains(rule)));
    rules
}

/// The rules of a game on a map.
pub fn rules_of(game: &Game, map: Option<&Map>, variant: Variant) -> Resolved {
    let on_map = map.map(|m| map_rules(m, variant)).unwrap_or_default();
    resolve(variant, &on_map, &game.rules, &game.rules_off)
}

/// What the checks want to know of resolved rules.
fn ruling(resolved: &Resolved, variant: Variant) -> Ruling {
    let remark = |rule: &str, severity, text: String| {
        let known = || Rule::ALL.iter().map(|rule| rule.name());
        let near = if known().any(|name| name == rule) { None } else { nearest(rule, known()) };
        let hint = near.map(|name| format!("did you mean {name}?")).unwrap_or_default();
        RuleRemark { rule: rule.to_owned(), severity, text, hint }
    };
    let severity = |harmless| if harmless { Severity::Warning } else { Severity::Error };
    let faults = resolved.faults.iter().map(|f| remark(f.name(), severity(f.is_harmless()), f.to_string()));
    let displaced = resolved.displaced.iter().map(|d| remark(d.rule.name(), Severity::Warning, d.to_string()));
    let ineffective = resolved.ineffective.iter().map(|i| remark(i.rule.name(), Severity::Warning, i.to_string()));
    Ruling {
        variant: variant.word().to_owned(),
        on: resolved.rules.iter().map(|r| r.name().to_owned()).collect(),
        remarks: faults.chain(displaced).chain(ineffective).collect(),
    }
}

/// The variant whose lines a file has, for when no index says it: Payola lines, Crystal Ball lines, else standard.
pub fn likely_variant(game: &Game) -> Variant {
    let has = |key: &str| game.variant_lines.iter().any(|(k, _)| k == key);
    let participants = || game.participants.iter();
    if has("TAX") || has("CAP") || participants().any(|p| p.funds.is_some() || !p.variant_lines.is_empty()) {
        Variant::Payola
    } else if has("LOCKS") || game.skip_slot.is_some() || participants().any(|p| !p.lists.is_empty()) {
        Variant::Xtalball
    } else {
        Variant::Standard
    }
}

/// The name of the map file of a game: `NAME_language` where there is one, else `NAME` (map-file.md 10).
pub fn map_name(game: &Game, source: &dyn Source) -> String {
    let of_language = game.language.as_ref().map(|language| format!("{}_{}", game.map, language.to_lowercase()));
    of_language.filter(|name| source.read(&with_extension(name)).is_some()).unwrap_or_else(|| game.map.clone())
}

/// Everything the checks say about a file: its board (`None`: it cannot be loaded) and its rules are known already.
pub fn checked(document: &Document, board: Option<(&Map, &Lexicon)>, rules: &Resolved, variant: Variant) -> Checked {
    let game = document.game();
    let ground = board.map(|(map, lexicon)| {
        let phase = match &game.phase {
            PhaseState::Running(text) => map.flow.parse(text),
            PhaseState::Forming | PhaseState::Completed => None,
        };
        Ground { map, orders: phase.map(|phase| OnFile::new(map, lexicon, &rules.rules, phase, game)) }
    });
    check(document, ground.as_ref().map(|ground| ground as &dyn Geography), &ruling(rules, variant))
}

/// The board of a game: its map with its MORPH lines, as it is in the running phase.
pub fn board_of(game: &Game, source: &dyn Source) -> Result<super::map::Loaded, LoadError> {
    let loaded = load(&map_name(game, source), source)?;
    let phase = match &game.phase {
        PhaseState::Running(text) => loaded.map.flow.parse(text),
        PhaseState::Forming | PhaseState::Completed => None::<Phase>,
    };
    if game.morph.is_empty() && !loaded.map.is_dynamic() {
        return Ok(super::map::Loaded { map: loaded.map, diagnostics: Vec::new() });
    }
    loaded.map.with_morphs_from(&game.morph, phase.as_ref(), source)
}

/// A file, its board and its rules, all checked.
#[derive(Clone, Debug)]
pub struct Examined {
    /// The board; `None`: it cannot be loaded, which is among the findings.
    pub map: Option<Map>,
    /// The rules.
    pub rules: Resolved,
    /// The game and all findings.
    pub checked: Checked,
}

/// Checks a status file against the map it names. `variant`: what the index says; without it the likely one.
pub fn examine(document: &Document, variant: Option<Variant>, source: &dyn Source) -> Examined {
    let game = document.game();
    let variant = variant.unwrap_or_else(|| likely_variant(game));
    let (map, remarks) = match board_of(game, source) {
        Ok(loaded) => (Some(loaded.map), loaded.diagnostics),
        Err(error) => (None, error.diagnostics),
    };
    let rules = rules_of(game, map.as_ref(), variant);
    let lexicon = map.as_ref().map(Lexicon::new);
    let mut checked = checked(document, map.as_ref().zip(lexicon.as_ref()), &rules, variant);
    for remark in remarks {
        let severity = match remark.severity {
            super::map::Severity::Error => Severity::Error,
            super::map::Severity::Warning => Severity::Warning,
        };
        let (line, text) = if remark.file == "MORPH" {
            let morph = remark.line.checked_sub(1).and_then(|n| game.morph.get(n));
            (document.line_giving(morph.map_or("", String::as_str)), remark.text)
        } else if severity == Severity::Error {
            (document.line_giving(&format!("MAP {}", game.map)), remark.text)
        } else {
            continue;
        };
        checked.diagnostics.push(Diagnostic { line, column: 1, severity, text, hint: remark.hint.unwrap_or_default() });
    }
    checked.diagnostics.sort_by_key(|d| d.line);
    Examined { map, rules, checked }
}
