//! What the checks of a status file need to know of a game's board and rules, without knowing either.

use super::diagnostic::Severity;
use std::collections::BTreeSet;

/// Questions about the board. Texts are upper case; a place is `PAR` or `SPA/NC`, a unit `F SPA/NC`.
pub trait Geography {
    /// Keys of the powers, sorted.
    fn powers(&self) -> Vec<&str>;
    /// Whether the map makes that power a dummy.
    fn is_dummy(&self, power: &str) -> bool;
    /// Whether a province is a supply centre.
    fn is_center(&self, code: &str) -> bool;
    /// Whether such a unit may stand where it says.
    fn is_unit(&self, unit: &str) -> bool;
    /// Whether a unit may move to a place, so that it may be a retreat.
    fn may_retreat(&self, unit: &str, to: &str) -> bool;
    /// The long form of a phase of the flow, given long or short.
    fn phase(&self, text: &str) -> Option<String>;
    /// The language of the board's names, lower case.
    fn language(&self) -> &str;
    /// What is said against an order on file for a power of that board: in the old judge's words, and a sentence that
    /// says what would be right.
    fn order_fault(&self, power: &str, order: &str) -> Option<(&'static str, String)>;
    /// The kinds of phase of the flow: `MOVEMENT`, `RETREATS`, …
    fn phase_kinds(&self) -> Vec<&str>;

    /// Whether there is such a power.
    fn is_power(&self, key: &str) -> bool {
        self.powers().contains(&key)
    }
}

/// A remark about one RULE word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleRemark {
    /// The word, without `!`.
    pub rule: String,
    /// Severity.
    pub severity: Severity,
    /// What to say.
    pub text: String,
    /// What would be right; may be empty.
    pub hint: String,
}

/// What the rules of the game's family say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ruling {
    /// `standard`, `payola`, `xtalball`
    pub variant: String,
    /// Names of the rules in force.
    pub on: BTreeSet<String>,
    /// What is wrong with RULE words.
    pub remarks: Vec<RuleRemark>,
}

impl Ruling {
    /// Whether a rule is in force.
    pub fn has(&self, rule: &str) -> bool {
        self.on.contains(rule)
    }
}
