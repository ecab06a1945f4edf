//! Orders in the words of saved games and back (saved-game-json.md 2).

use crate::diplomacy::adjudicate::case::Table;
use crate::diplomacy::map::UnitKind;
use crate::diplomacy::notation;
use crate::diplomacy::order::{Order, Route};

/// An order in the words of the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The order.
    pub text: String,
    /// A written path: the unit and its canonical order.
    pub path: Option<(String, String)>,
}

/// A canonical order (or one in the words of the format) in the words of the format; `None` for what they have no
/// words for (proxies, signals). Text that is no order is kept.
pub fn export_order(table: &Table, letter: char, text: &str) -> Option<Exported> {
    let board = &table.board;
    let plain = |text: String| Some(Exported { text, path: None });
    match letter {
        'M' => {
            let Some(written) = notation::read_movement(board, text) else {
                let left_out = text.ends_with(" ?") || text.split(' ').nth(2) == Some("P");
                return if left_out { None } else { plain(text.to_owned()) };
            };
            let Order::Move { to, route } = &written.order else {
                return plain(notation::movement(board, written.unit, &written.order));
            };
            let (from, into) = (board.province(written.unit.at), board.province(*to));
            let walks = table.map.army[from.0 as usize].iter().any(|(p, b)| *p == into && !b.closed);
            let convoyed = written.unit.kind == UnitKind::Army && (*route != Route::Any || !walks);
            let route = if convoyed { Route::Via } else { Route::Any };
            let out = notation::movement(board, written.unit, &Order::Move { to: *to, route });
            let canonical = || (notation::unit(board, written.unit), text.to_owned());
            let path = matches!(written.order, Order::Move { route: Route::Path(_), .. }).then(canonical);
            Some(Exported { text: out, path })
        }
        'R' => plain(match notation::read_retreat(board, text) {
            Some(w) => match w.order {
                notation::RetreatOrder::To(to) => {
                    format!("{} R {}", notation::unit(board, w.unit), board.code(to))
                }
                notation::RetreatOrder::Disband => format!("{} D", notation::unit(board, w.unit)),
            },
            None => text.to_owned(),
        }),
        _ => plain(match notation::read_adjustment(board, text) {
            Some(notation::AdjustOrder::Build(unit)) => format!("{} B", notation::unit(board, unit)),
            Some(notation::AdjustOrder::Remove(unit)) => format!("{} D", notation::unit(board, unit)),
            Some(notation::AdjustOrder::Waive) => "WAIVE".into(),
            None => text.to_owned(),
        }),
    }
}

/// The canonical text of an order in the words of the format; text that is no order is kept.
pub fn import_order(table: &Table, letter: char, text: &str) -> String {
    let board = &table.board;
    let canonical = match letter {
        'M' => notation::read_movement(board, text).map(|mut w| {
            if let Order::Move { to, route: route @ Route::Via } = &mut w.order {
                let (from, into) = (board.province(w.unit.at), board.province(*to));
                if !table.map.army[from.0 as usize].iter().any(|(p, b)| *p == into && !b.closed) {
                    *route = Route::Any;
                }
            }
            notation::movement(board, w.unit, &w.order)
        }),
        'R' => notation::read_retreat(board, text).map(|w| notation::retreat(board, w.unit, w.order)),
        _ => notation::read_adjustment(board, text).map(|o| notation::adjustment(board, o)),
    };
    canonical.unwrap_or_else(|| text.to_owned())
}
