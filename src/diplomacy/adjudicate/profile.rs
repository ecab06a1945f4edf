//! Which of the rules that judges differ about hold (adjudication.md 6 and 14): the default profile is the
//! DATC 3.2 choice everywhere, `RULE OLD_JUDGE` the old judge's; single switches let the `choice` outcomes of
//! the DATC file be tried.

use crate::diplomacy::map::PowerId;
use crate::diplomacy::rules::{Rule, Rules};

/// 4.A.2: what becomes of a convoy whose outcome depends on itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paradox {
    /// The convoying fleets in the paradox core hold (default).
    #[default]
    Szykman,
    /// A convoyed army never cuts a support for or against a convoying fleet, not even by dislodging (old judge).
    Absolute1982,
    /// A convoyed army does not cut support of an attack on a fleet of its own route; what then remains: Szykman.
    Rule2000,
    /// Every move in the paradox fails.
    AllHold,
}

/// 4.A.3: when an army goes by convoy to a place it could also walk to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AdjacentConvoy {
    /// With `VIA`, a written path, or a fleet of its own power on a route; no falling back to land (default).
    #[default]
    Intent,
    /// As above; an army whose convoy is broken, or was not ordered, walks.
    IntentOrLand,
    /// Only with `VIA` or a written path.
    Explicit,
    /// Whenever a route was ordered.
    Always,
    /// Whenever a route was ordered and the unit in the destination moves the other way.
    WhenOpposed,
    /// Only with a written path (old judge).
    Written,
}

/// 4.D.8: which centres distances in civil disorder are measured to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Removal {
    /// Those the power owns, every step counting one (default, 2023 rulebook).
    #[default]
    Owned,
    /// Its home centres, owned or not; fleets go along fleet borders (DATC 2.x).
    Homes,
}

/// The switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// 4.A.2
    pub paradox: Paradox,
    /// 4.A.3
    pub adjacent_convoy: AdjacentConvoy,
    /// 4.A.1: a convoy fails as soon as one of its routes is broken (1971).
    pub all_routes: bool,
    /// 4.A.4: a convoyed army cuts the support of an attack on its own origin (Brannan).
    pub brannan: bool,
    /// 4.A.5: no retreat to the place a convoyed attacker came from.
    pub origin_barred: bool,
    /// 4.A.7: a dislodged unit never has an effect on its attacker's province.
    pub dislodged_powerless: bool,
    /// 4.A.6: a convoyed army must write its path.
    pub written_path: bool,
    /// 4.B.5: an order that names the wrong coast of its unit fails.
    pub strict_coast: bool,
    /// 4.B.6: an order that gives an army a coast fails.
    pub strict_army_coast: bool,
    /// 4.E.1: a convoy order on no route without detours counts nevertheless.
    pub needless_convoys: bool,
    /// 3.1: a support of a move that has no convoy from the start is void.
    pub void_without_convoy: bool,
    /// Orders `no convoy` and `disrupted` as the old judge annotates them.
    pub old_marks: bool,
    /// 4.D.8
    pub removal: Removal,
    /// The RULEs in force.
    pub rules: Rules,
    /// Powers that are dummies (DUMMY_FIRE, IMMOBILE_DUMMIES), by [`PowerId`].
    pub dummies: u64,
    /// Dummies without a controller (IMMOBILE_DUMMIES, CD_DUMMIES in retreats), by [`PowerId`].
    pub uncontrolled: u64,
}

impl Profile {
    /// The profile of a game with these rules: OLD_JUDGE or the default.
    pub fn new(rules: Rules) -> Profile {
        let profile = Profile { rules, ..Profile::default() };
        if !rules.has(Rule::OldJudge) {
            return profile;
        }
        Profile {
            paradox: Paradox::Absolute1982,
            adjacent_convoy: AdjacentConvoy::Written,
            origin_barred: true,
            written_path: true,
            strict_coast: true,
            strict_army_coast: true,
            needless_convoys: true,
            void_without_convoy: true,
            old_marks: true,
            ..profile
        }
    }
    /// Whether a RULE is in force.
    pub fn has(&self, rule: Rule) -> bool {
        self.rules.has(rule)
    }
    /// Marks powers as dummies.
    pub fn with_dummies(mut self, dummies: impl IntoIterator<Item = PowerId>) -> Profile {
        self.dummies = dummies.into_iter().fold(self.dummies, |mask, p| mask | 1 << (p.0 & 63));
        self
    }
    /// Marks dummies as played by nobody.
    pub fn with_uncontrolled(mut self, dummies: impl IntoIterator<Item = PowerId>) -> Profile {
        self.uncontrolled = dummies.into_iter().fold(self.uncontrolled, |mask, p| mask | 1 << (p.0 & 63));
        self
    }
    pub(super) fn is_dummy(&self, power: u8) -> bool {
        self.dummies >> (power & 63) & 1 == 1
    }
    pub(super) fn is_uncontrolled(&self, power: u8) -> bool {
        self.uncontrolled >> (power & 63) & 1 == 1
    }
}
