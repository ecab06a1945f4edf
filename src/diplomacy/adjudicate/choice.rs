//! The options of DATC chapter 4 that have a switch (adjudication.md 14), by the names the DATC data gives them. A
//! game never uses them; they let the other outcomes of the test cases be tried.
//!
//! adjudication.md asks for switches for 4.A.2, 4.A.3, 4.A.5, 4.A.6, 4.B.5, 4.B.6 and 4.D.8; those of 4.A.1, 4.A.4, 4.A.7
//! and 4.E.1 came for the price of a line each. Without a switch are the DPTG form of 4.A.1, Brannan's rule where it also
//! stops the attack on the fleet (6.F.30), and what is settled at the door of orders: 4.B.1 to 4.B.4, 4.C.4, 4.D.4,
//! 4.D.6, and the forms of 4.E.1 that let impossible orders count.

use super::profile::{AdjacentConvoy, Paradox, Profile, Removal};

/// An option nobody made a switch for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no switch for {0} (want ISSUE=OPTION, one of {list})", list = names().join(", "))]
pub struct UnknownChoice(pub String);

type Switch = fn(Profile) -> Profile;

fn adjacent(base: Profile, adjacent_convoy: AdjacentConvoy) -> Profile {
    Profile { adjacent_convoy, ..base }
}

fn paradox(base: Profile, paradox: Paradox) -> Profile {
    Profile { paradox, ..base }
}

/// Issue, option, switch.
const CHOICES: [(&str, &str, Switch); 22] = [
    ("4.A.1", "1971-one-route-suffices-to-disrupt", |p| Profile { all_routes: true, ..p }),
    ("4.A.2", "1971-or-1982", |p| paradox(p, Paradox::Absolute1982)),
    ("4.A.2", "1982", |p| paradox(p, Paradox::Absolute1982)),
    ("4.A.2", "2000", |p| paradox(p, Paradox::Rule2000)),
    ("4.A.2", "all-hold", |p| paradox(p, Paradox::AllHold)),
    ("4.A.2", "rulebooks-1971-1982-2000-2023", |p| paradox(p, Paradox::Absolute1982)),
    ("4.A.3", "1971", |p| adjacent(Profile { needless_convoys: true, ..p }, AdjacentConvoy::WhenOpposed)),
    ("4.A.3", "1971-or-fallback-to-land", |p| adjacent(p, AdjacentConvoy::IntentOrLand)),
    ("4.A.3", "DPTG-explicit-only", |p| adjacent(p, AdjacentConvoy::Explicit)),
    ("4.A.3", "convoy-route-always-preferred", |p| adjacent(p, AdjacentConvoy::Always)),
    ("4.A.3", "convoy-when-opposite-move", |p| adjacent(p, AdjacentConvoy::WhenOpposed)),
    ("4.A.3", "fallback-to-land", |p| adjacent(p, AdjacentConvoy::IntentOrLand)),
    ("4.A.4", "b-brannan-support-is-cut", |p| Profile { brannan: true, ..p }),
    ("4.A.4", "brannan", |p| Profile { brannan: true, ..p }),
    ("4.A.5", "a-origin-of-attacker-barred", |p| Profile { origin_barred: true, ..p }),
    ("4.A.6", "path-given-through-NTH", |p| p),
    ("4.A.6", "c-path-required", |p| Profile { written_path: true, ..p }),
    ("4.A.7", "a-dislodged-never-has-effect-on-attackers-province", |p| Profile { dislodged_powerless: true, ..p }),
    ("4.B.5", "fail", |p| Profile { strict_coast: true, ..p }),
    ("4.B.6", "fail", |p| Profile { strict_army_coast: true, ..p }),
    ("4.D.8", "distance-to-home-centres", |p| Profile { removal: Removal::Homes, ..p }),
    ("4.E.1", "unnecessary-convoy-order-is-legal", |p| Profile { needless_convoys: true, ..p }),
];

fn names() -> Vec<String> {
    CHOICES.iter().map(|(issue, option, _)| format!("{issue}={option}")).collect()
}

impl Profile {
    /// This profile with another option of an issue.
    pub fn choosing(self, issue: &str, option: &str) -> Result<Profile, UnknownChoice> {
        let found = CHOICES.iter().find(|(i, o, _)| *i == issue && *o == option);
        found.map(|(.., switch)| switch(self)).ok_or_else(|| UnknownChoice(format!("{issue}={option}")))
    }
}
