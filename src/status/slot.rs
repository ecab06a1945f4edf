//! The places of a block in canonical order (status-file.md 9). Every line of a file belongs to one or none; the
//! writer fills them, the reader finds them, an edit replaces one.

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
    One { slot: Slot, gives: Option<String> },
    /// The same for several slots, or several lines of the writer.
    Many { slots: Vec<Slot>, gives: Vec<String> },
    /// Not understood, or refused: kept as it is.
    Unknown,
}

impl Role {
    /// A line that alone decides its slot.
    pub fn of(slot: Slot) -> Role {
        Role::One { slot, gives: None }
    }

    /// A line of a slot that adds up.
    pub fn giving(slot: Slot, gives: impl IntoIterator<Item = String>) -> Role {
        let mut gives = gives.into_iter();
        match (gives.next(), gives.next()) {
            (first, None) => Role::One { slot, gives: first },
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

    /// What it gives.
    pub fn gives(&self) -> &[String] {
        match self {
            Role::One { gives, .. } => gives.as_slice(),
            Role::Many { gives, .. } => gives,
            _ => &[],
        }
    }
}

/// The names that open an order list: ORDERS and the slots of Crystal Ball (variants.md 3.1).
pub(crate) const LISTS: [&str; 7] = ["ORDERS", "SOONEST", "SOONER", "SOON", "LATE", "LATER", "LATEST"];

/// Rank of a Payola line in canonical order: ELECT, SENT, ACCEPT, STATE, offers; `None` if it is none.
pub(crate) fn offer_rank(line: &str) -> Option<u8> {
    let mut words = line.split_whitespace();
    let first = words.next()?.to_uppercase();
    match first.as_str() {
        "ELECT" => Some(0),
        "SENT" => Some(1),
        "ACCEPT" => Some(2),
        "STATE" => Some(3),
        "A" | "F" if words.nth(1).is_some() => Some(4),
        word if word.starts_with(|c: char| c.is_ascii_digit() || c == '%') => Some(4),
        _ => None,
    }
}
