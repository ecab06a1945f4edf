//! A unit with its order and what is known of it: one small node in one array, threaded by lists of indices, so that a
//! usual position is decided in a few passes over two kilobytes.

use super::board::{Crossing, NOBODY, NONE};

/// What is known of a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Known {
    #[default]
    Open,
    Yes,
    No,
}

impl Known {
    pub(super) fn of(yes: bool) -> Known {
        if yes { Known::Yes } else { Known::No }
    }
}

/// What a unit was ordered to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Doing {
    #[default]
    Hold,
    Move,
    Support,
    Convoy,
}

/// Facts about an order, fixed before anything is decided (or, [`HELD_OUT`], by the paradox rule).
pub(super) mod mark {
    /// The other unit moves by land into this one's place, and this one by land into the other's.
    pub const HEAD_ON: u16 = 1;
    /// The move goes by convoy.
    pub const CONVOYED: u16 = 2;
    /// It crosses a `*` border.
    pub const PASSAGE: u16 = 4;
    /// It crosses a `~` border.
    pub const STRAIT: u16 = 8;
    /// A support or convoy that fits no order.
    pub const VOID: u16 = 16;
    /// A convoy order on no route without detours: as if it had not been given.
    pub const NEEDLESS: u16 = 32;
    /// Held out by the paradox rule.
    pub const HELD_OUT: u16 = 64;
    /// No complete route was ordered.
    pub const NO_ROUTE: u16 = 128;
    /// The path was written.
    pub const WRITTEN: u16 = 256;
    /// The paradox rule decided this order.
    pub const PARADOX: u16 = 512;
    /// Support names a province that holds a convoying fleet (1982).
    pub const GUARDS_CONVOY: u16 = 1024;
}

/// A unit, its order, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Where the unit stands.
    pub at: u16,
    pub prov: u16,
    /// Destination of a move.
    pub dest: u16,
    /// The location moved to.
    pub to: u16,
    /// Unit in the destination when orders were written.
    pub occupant: u16,
    /// Next unit moving to the same destination.
    pub next_mover: u16,
    /// Unit supported or convoyed.
    pub target: u16,
    /// Province a support is directed at, or a convoy leads to.
    pub aim: u16,
    pub first_support: u16,
    pub next_support: u16,
    pub first_convoy: u16,
    pub next_convoy: u16,
    pub marks: u16,
    /// Strength of the unit itself.
    pub own: i16,
    /// Strength with supports, least and most.
    pub low: i16,
    pub high: i16,
    /// The same without supports of the owner of the unit in the destination.
    pub foreign_low: i16,
    pub foreign_high: i16,
    pub power: u8,
    pub fleet: bool,
    pub doing: Doing,
    pub moves: Known,
    pub given: Known,
    pub path: Known,
}

impl Node {
    /// A unit that holds, no power's and nowhere.
    pub(super) const HOLDS: Node = Node {
        at: NONE,
        prov: NONE,
        dest: NONE,
        to: NONE,
        occupant: NONE,
        next_mover: NONE,
        target: NONE,
        aim: NONE,
        first_support: NONE,
        next_support: NONE,
        first_convoy: NONE,
        next_convoy: NONE,
        marks: 0,
        own: 2,
        low: 2,
        high: 2,
        foreign_low: 2,
        foreign_high: 2,
        power: NOBODY,
        fleet: false,
        doing: Doing::Hold,
        moves: Known::No,
        given: Known::No,
        path: Known::Yes,
    };

    /// The move goes over that border; its strength starts from there.
    #[inline]
    pub(super) fn cross(&mut self, crossing: Crossing) {
        let own = crossing.strength();
        (self.own, self.low, self.high, self.foreign_low, self.foreign_high) = (own, own, own, own, own);
        self.marks &= !(mark::PASSAGE | mark::STRAIT);
        self.marks |= match crossing {
            Crossing::Plain => 0,
            Crossing::Passage => mark::PASSAGE,
            Crossing::Strait => mark::STRAIT,
        };
    }
    #[inline]
    pub(super) fn is(&self, mark: u16) -> bool {
        self.marks & mark != 0
    }
    /// Whether the unit was ordered to move.
    pub(super) fn goes(&self) -> bool {
        self.doing == Doing::Move
    }
    pub(super) fn open(&self) -> bool {
        match self.doing {
            Doing::Move => self.moves == Known::Open || self.path == Known::Open,
            Doing::Support => self.given == Known::Open,
            _ => false,
        }
    }
}

/// An interval.
#[derive(Clone, Copy)]
pub(super) struct Span(pub i16, pub i16);

/// Units of a list threaded through the nodes.
macro_rules! chain {
    ($nodes:expr, $first:expr, $next:ident) => {{
        let nodes = &$nodes;
        let mut at = $first;
        std::iter::from_fn(move || {
            let found = nodes.get(at as usize)?;
            let this = at;
            at = found.$next;
            Some(this)
        })
    }};
}
pub(super) use chain;
