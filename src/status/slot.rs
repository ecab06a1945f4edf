//! The places of a block in canonical order (status-file.md 9). Every line of a file belongs to one or none; the
//! writer fills them, the reader finds them, an edit replaces one.

use super::line::upper;
use std::borrow::Cow;

/// A place in a block. The order of the variants is the canonical order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[rustfmt::skip]
pub(crate) enum Slot {
    // Game block.
    Name, Phase, Judge, Map, Language, Morph, Master, MasterAddress, MasterPassword, Tester, Groups, Start, Finish,
    Result, Need, Desc, Title, Private, Rotate, Rule, Allow, Proposal, Deadline, Zone, Delay, Held, Timing, Teams,
    GameVariant, Signon,
    // Participant block.
    Heading, Player, Address, Control, Password, OwnZone, Notify, Strict, Prefer, Omniscient, Wait, Cd, Vote, Msg,
    Inhabits, Owns, Sees, Hides, Funds, Retreats, Units, Adjust, Offers, Lists,
}

/// What the writer would write for a line alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// The line says all of its slot.
    Nothing,
    /// The line itself: it is as the writer writes it.
    Itself,
    /// Another line.
    Text(String),
}

/// A set of slots.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slots(u64);

impl Slots {
    /// Puts one in; whether it was not there.
    pub fn insert(&mut self, slot: Slot) -> bool {
        let fresh = !self.contains(slot);
        self.0 |= Self::bit(slot);
        fresh
    }

    /// Whether it is there.
    pub fn contains(self, slot: Slot) -> bool {
        self.0 & Self::bit(slot) != 0
    }

    fn bit(slot: Slot) -> u64 {
        const { assert!((Slot::Lists as u32) < u64::BITS) };
        1 << slot as u32
    }
}

/// What a line of the file is.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) enum Role {
    /// Separates blocks.
    #[default]
    Blank,
    /// `# …`
    Comment,
    /// Gives (part of) the value of a slot; `gives` is what the writer would write for this line alone, where lines add
    /// up. Nearly every line is of this kind.
    One { slot: Slot, gives: Given },
    /// The same for several slots, or several lines of the writer.
    Many { slots: Vec<Slot>, gives: Vec<String> },
    /// Not understood, or refused: kept as it is.
    Unknown,
}

impl Role {
    /// A line that alone decides its slot.
    pub fn of(slot: Slot) -> Role {
        Role::One { slot, gives: Given::Nothing }
    }

    /// A line of a slot that adds up.
    pub fn giving(slot: Slot, gives: impl IntoIterator<Item = String>) -> Role {
        let mut gives = gives.into_iter();
        match (gives.next(), gives.next()) {
            (first, None) => Role::One { slot, gives: first.map_or(Given::Nothing, Given::Text) },
            (first, second) => {
                Role::Many { slots: vec![slot], gives: first.into_iter().chain(second).chain(gives).collect() }
            }
        }
    }

    /// The slots it fills.
    pub fn slots(&self) -> &[Slot] {
        match self {
            Role::One { slot, .. } => std::slice::from_ref(slot),
            Role::Many { slots, .. } => slots,
            _ => &[],
        }
    }

    /// What it gives; `line` is the text of its line.
    pub fn gives(&self, line: &str) -> Cow<'_, [String]> {
        match self {
            Role::One { gives: Given::Text(text), .. } => Cow::Borrowed(std::slice::from_ref(text)),
            Role::One { gives: Given::Itself, .. } => Cow::Owned(vec![line.to_owned()]),
            Role::Many { gives, .. } => Cow::Borrowed(gives),
            _ => Cow::Borrowed(&[]),
        }
    }
}

/// The names that open an order list: ORDERS and the slots of Crystal Ball (variants.md 3.1).
pub(crate) const LISTS: [&str; 7] = ["ORDERS", "SOONEST", "SOONER", "SOON", "LATE", "LATER", "LATEST"];

/// Rank of a Payola line in canonical order: ELECT, SENT, ACCEPT, STATE, offers; `None` if it is none.
pub(crate) fn offer_rank(line: &str) -> Option<u8> {
    let mut words = line.split_whitespace();
    let first = upper(words.next()?);
    match first.as_ref() {
        "ELECT" => Some(0),
        "SENT" => Some(1),
        "ACCEPT" => Some(2),
        "STATE" => Some(3),
        "A" | "F" if words.nth(1).is_some() => Some(4),
        word if word.starts_with(|c: char| c.is_ascii_digit() || c == '%') => Some(4),
        _ => None,
    }
}
