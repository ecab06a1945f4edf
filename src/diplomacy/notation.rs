//! The canonical text of orders (orders.md 1) and the words of recorded games (`A PAR R MAR`, `F DEN D`,
//! `A SEV B`), read and written. This is the exact, fast reader for files and streams; what players write is
//! read by the generous one in `orders/`.
//!
//! Reading is syntax only: whether an order is legal is the adjudicator's question.

use super::adjudicate::Board;
use super::map::{LocationId, UnitKind};
use super::order::{Order, Route};
use super::position::Unit;

/// An order as written: whose unit, and what it shall do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written<T> {
    /// The unit ordered, as named; the place of a fleet may lack its coast.
    pub unit: Unit,
    /// The order; places as named.
    pub order: T,
    /// Whether a coast was written where an order has none: the target of a convoy.
    pub idle_coast: bool,
}

/// What a dislodged unit shall do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetreatOrder {
    /// `RETREAT F DEN - HEL`
    To(LocationId),
    /// `DISBAND F DEN`
    Disband,
}

/// One line of an adjustment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdjustOrder {
    /// `BUILD F STP/NC`
    Build(Unit),
    /// `REMOVE A ARM`
    Remove(Unit),
    /// `BUILD WAIVED`
    Waive,
}

/// A unit, `F SPA/NC`; the coast may be missing or wrong.
pub fn read_unit(board: &Board, text: &str) -> Option<Unit> {
    let mut words = Words::new(text);
    let unit = words.unit(board)?;
    words.end().then_some(unit)
}

/// A movement order.
pub fn read_movement(board: &Board, text: &str) -> Option<Written<Order>> {
    let mut words = Words::new(text);
    let unit = words.unit(board)?;
    let mut idle_coast = false;
    let order = match words.next()? {
        "H" => Order::Hold,
        "-" => {
            let first = words.place(board)?;
            match words.next() {
                None => Order::Move { to: first, route: Route::Any },
                Some("VIA") => Order::Move { to: first, route: Route::Via },
                Some("-") => {
                    let mut path = vec![first];
                    loop {
                        path.push(words.place(board)?);
                        match words.next() {
                            None => break,
                            Some("-") => {}
                            Some(_) => return None,
                        }
                    }
                    let to = path.pop()?;
                    Order::Move { to, route: Route::Path(path.iter().map(|l| board.province(*l)).collect()) }
                }
                Some(_) => return None,
            }
        }
        "S" => {
            let unit = words.unit(board)?;
            match words.next() {
                None | Some("H") => Order::Support { unit, to: None },
                Some("-") => Order::Support { unit, to: Some(words.place(board)?) },
                Some(_) => return None,
            }
        }
        "C" => {
            let cargo = words.unit(board)?;
            if words.next()? != "-" {
                return None;
            }
            let to = words.place(board)?;
            let army = board.province(cargo.at);
            // Only the province counts for a convoy; a kind that cannot be carried makes another order of it.
            if cargo.kind == unit.kind {
                return None;
            }
            idle_coast = to != board.bare(board.province(to));
            Order::Convoy { army, to: board.province(to) }
        }
        _ => return None,
    };
    words.end().then_some(Written { unit, order, idle_coast })
}

/// A retreat.
pub fn read_retreat(board: &Board, text: &str) -> Option<Written<RetreatOrder>> {
    let mut words = Words::new(text);
    let lead = words.peek()?;
    if matches!(lead, "RETREAT" | "DISBAND") {
        words.next();
    }
    let unit = words.unit(board)?;
    let order = match (lead, words.next()) {
        ("DISBAND", None) => RetreatOrder::Disband,
        ("RETREAT", Some("DISBAND" | "D")) => RetreatOrder::Disband,
        ("RETREAT", Some("-" | "R")) => RetreatOrder::To(words.place(board)?),
        ("A" | "F", Some("D" | "DISBAND")) => RetreatOrder::Disband,
        ("A" | "F", Some("R" | "-")) => RetreatOrder::To(words.place(board)?),
        _ => return None,
    };
    words.end().then_some(Written { unit, order, idle_coast: false })
}

/// A build, removal or waiver.
pub fn read_adjustment(board: &Board, text: &str) -> Option<AdjustOrder> {
    let mut words = Words::new(text);
    let lead = words.peek()?;
    match lead {
        "WAIVE" => {
            words.next();
            return words.end().then_some(AdjustOrder::Waive);
        }
        "BUILD" | "REMOVE" => {
            words.next();
        }
        _ => {}
    }
    if lead == "BUILD" && words.peek() == Some("WAIVED") {
        words.next();
        return words.end().then_some(AdjustOrder::Waive);
    }
    let unit = words.unit(board)?;
    let order = match (lead, words.next()) {
        ("BUILD", None) | ("A" | "F", Some("B")) => AdjustOrder::Build(unit),
        ("REMOVE", None) | ("A" | "F", Some("D")) => AdjustOrder::Remove(unit),
        _ => return None,
    };
    words.end().then_some(order)
}

/// A unit in canonical text.
pub fn unit(board: &Board, unit: Unit) -> String {
    format!("{} {}", unit.kind.letter(), board.code(unit.at))
}

/// A movement order in canonical text.
pub fn movement(board: &Board, at: Unit, order: &Order) -> String {
    let subject = unit(board, at);
    match order {
        Order::Hold => format!("{subject} H"),
        Order::Move { to, route } => {
            let mut text = subject;
            if let Route::Path(path) = route {
                path.iter().for_each(|sea| text = format!("{text} - {}", board.province_code(*sea)));
            }
            let via = if *route == Route::Via { " VIA" } else { "" };
            format!("{text} - {}{via}", board.code(*to))
        }
        Order::Support { unit: helped, to: None } => format!("{subject} S {}", unit(board, *helped)),
        Order::Support { unit: helped, to: Some(to) } => {
            format!("{subject} S {} - {}", unit(board, *helped), board.code(*to))
        }
        Order::Convoy { army, to } => {
            let cargo = if at.kind == UnitKind::Army { 'F' } else { 'A' };
            format!("{subject} C {cargo} {} - {}", board.province_code(*army), board.province_code(*to))
        }
        Order::Proxy(power) => format!("{subject} P {}", board.power_key(*power)),
    }
}

/// A retreat in canonical text.
pub fn retreat(board: &Board, at: Unit, order: RetreatOrder) -> String {
    match order {
        RetreatOrder::To(to) => format!("RETREAT {} - {}", unit(board, at), board.code(to)),
        RetreatOrder::Disband => format!("DISBAND {}", unit(board, at)),
    }
}

/// A line of an adjustment in canonical text.
pub fn adjustment(board: &Board, order: AdjustOrder) -> String {
    match order {
        AdjustOrder::Build(at) => format!("BUILD {}", unit(board, at)),
        AdjustOrder::Remove(at) => format!("REMOVE {}", unit(board, at)),
        AdjustOrder::Waive => "BUILD WAIVED".into(),
    }
}

/// The words of a line, single blanks or more between them.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Words<'a> {
        Words { rest: text.trim() }
    }
    fn peek(&self) -> Option<&'a str> {
        let end = self.rest.bytes().position(|b| b == b' ').unwrap_or(self.rest.len());
        (end > 0).then(|| &self.rest[..end])
    }
    #[allow(clippy::should_implement_trait)]
    fn next(&mut self) -> Option<&'a str> {
        let word = self.peek()?;
        let rest = &self.rest[word.len()..];
        let blanks = rest.bytes().position(|b| b != b' ').unwrap_or(rest.len());
        self.rest = &rest[blanks..];
        Some(word)
    }
    fn unit(&mut self, board: &Board) -> Option<Unit> {
        let kind = match self.next()? {
            "A" => UnitKind::Army,
            "F" => UnitKind::Fleet,
            _ => return None,
        };
        Some(Unit { kind, at: self.place(board)? })
    }
    fn place(&mut self, board: &Board) -> Option<LocationId> {
        board.place(self.next()?)
    }
    fn end(&self) -> bool {
        self.rest.is_empty()
    }
}
