//! Chains of convoying units between two shores (adjudication.md 3.1, orders.md 5 c8, m10).

use super::board::Board;
use super::rows::Set;

/// Steps after which a search for a route without detours is given up and the convoy taken as needed.
const PATIENCE: u32 = 20_000;

/// Where a chain has to lead, and over which provinces it may.
#[derive(Clone, Copy)]
pub(super) struct Crossing<'a> {
    pub board: &'a Board,
    pub from: u16,
    pub to: u16,
    /// Provinces that may carry; neither end is among them.
    pub over: &'a Set,
    /// Armies carry a fleet over land (PORTAGE_CONVOY).
    pub portage: bool,
}

impl Crossing<'_> {
    fn starts(&self, sea: u16) -> bool {
        self.touches(self.from, sea)
    }
    fn ends(&self, sea: u16) -> bool {
        self.touches(sea, self.to)
    }
    fn touches(&self, from: u16, to: u16) -> bool {
        if self.portage { self.board.army_touches(from, to) } else { self.board.touches(from, to) }
    }
    fn contacts(&self, from: u16) -> &[u64] {
        if self.portage { self.board.army_row(from) } else { self.board.contacts(from) }
    }

    /// Whether some chain leads there.
    pub(super) fn possible(&self) -> bool {
        let mut reached = Set::default();
        reached.grow(self.contacts(self.from), self.over);
        loop {
            let mut grown = false;
            let frontier = reached;
            for sea in frontier.iter() {
                if self.ends(sea) {
                    return true;
                }
                grown |= reached.grow(self.contacts(sea), self.over);
            }
            if !grown {
                return false;
            }
        }
    }

    /// Whether a chain that uses no province twice leads there through `via`.
    pub(super) fn possible_through(&self, via: u16) -> bool {
        if !self.over.has(via) {
            return false;
        }
        if self.starts(via) && self.ends(via) {
            return true;
        }
        let towards = Crossing { to: via, ..*self };
        let onwards = Crossing { from: via, ..*self };
        if !(self.starts(via) || towards.possible()) || !(self.ends(via) || onwards.possible()) {
            return false;
        }
        self.search(via, false)
    }

    /// Whether `via` is on a route none of whose members can be left out.
    pub(super) fn needed(&self, via: u16) -> bool {
        if self.starts(via) && self.ends(via) {
            return self.over.has(via);
        }
        self.search(via, true)
    }

    /// Depth-first search for a chain through `via`; one that would take too long counts as found.
    fn search(&self, via: u16, chordless: bool) -> bool {
        let mut trail = Trail { crossing: self, via, chordless, patience: PATIENCE };
        let found = self.over.iter().filter(|sea| self.starts(*sea)).any(|sea| {
            let mut taken = Set::default();
            taken.insert(sea);
            trail.walk(sea, &taken, &Set::default(), sea == via)
        });
        found || trail.patience == 0
    }
}

/// A chain being tried.
struct Trail<'a, 'b> {
    crossing: &'a Crossing<'b>,
    via: u16,
    chordless: bool,
    patience: u32,
}

impl Trail<'_, '_> {
    /// `near`: provinces that touch an earlier member of the chain; a chain without detours has none of them.
    fn walk(&mut self, at: u16, taken: &Set, near: &Set, met: bool) -> bool {
        if self.patience == 0 {
            return false;
        }
        self.patience -= 1;
        let crossing = self.crossing;
        if crossing.ends(at) && (met || self.chordless) {
            return met;
        }
        let mut follow = Set::default();
        follow.grow(crossing.contacts(at), crossing.over);
        let mut nearer = *near;
        nearer.grow(crossing.contacts(at), crossing.over);
        for sea in follow.iter() {
            if taken.has(sea) || self.chordless && (near.has(sea) || crossing.starts(sea)) {
                continue;
            }
            let mut taken = *taken;
            taken.insert(sea);
            if self.walk(sea, &taken, &nearer, met || sea == self.via) {
                return true;
            }
        }
        false
    }
}
