//! Test cases in the file format of jDip, in which the DATC has been passed around for twenty years: a line-oriented
//! text of `CASE` … `END` blocks.
//!
//! ```text
//! VARIANT_ALL Standard
//! CASE 6.H.10 (what is tested)
//! PRESTATE_SETPHASE Spring 1901, Retreat
//! PRESTATE                      # units: "Germany: A kie"
//! PRESTATE_DISLODGED            # units that lost their place
//! PRESTATE_RESULTS              # retreats: the orders before, "SUCCESS: Germany: A ber-kie"
//! PRESTATE_SUPPLYCENTER_OWNERS  # "Germany: A kie"; the type of the unit says nothing
//! ORDERS
//! POSTSTATE                     # or POSTSTATE_SAME
//! POSTSTATE_DISLODGED
//! END
//! ```
//!
//! [`read`] promises a file of typed cases or the first mistake with its line and column; it never panics. [`check`]
//! plays a case through the same door as everything else and says what differs first.

mod play;
mod read;
mod results;

pub use play::check;
pub use read::read;

use super::case::Table;
use super::setup::Piece;
use crate::diplomacy::map::{PowerId, ProvinceId};
use crate::diplomacy::phase::Phase;

/// A file of cases.
#[derive(Clone, Debug)]
pub struct JdipFile {
    /// The board of `VARIANT_ALL`; the standard one if there is no such line.
    pub table: Table,
    /// The cases, in order.
    pub cases: Vec<JdipCase>,
    /// What was read with a little goodwill.
    pub remarks: Vec<Misread>,
}

/// A case.
#[derive(Clone, Debug)]
pub struct JdipCase {
    /// Everything behind `CASE`.
    pub name: String,
    /// The phase to play; Spring 1901, Movement, if the case does not say.
    pub phase: Phase,
    /// Units on the board.
    pub units: Vec<Piece>,
    /// Units that lost their place.
    pub dislodged: Vec<Piece>,
    /// Orders of the phase before, and whether they succeeded.
    pub results: Vec<Told>,
    /// Owned centres; `None`: as the map gives them.
    pub owners: Option<Vec<(PowerId, ProvinceId)>>,
    /// Orders as written, without the power.
    pub orders: Vec<(PowerId, String)>,
    /// Units afterwards; `None`: as before.
    pub after: Option<Vec<Piece>>,
    /// Units dislodged afterwards.
    pub after_dislodged: Vec<Piece>,
}

impl JdipCase {
    /// The first word of the name, `6.H.10`.
    pub fn id(&self) -> &str {
        self.name.split_whitespace().next().unwrap_or_default().trim_end_matches('.')
    }
}

/// An order of the phase before, with its result, as far as retreats depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Owner and unit, where it stood.
    pub piece: Piece,
    /// What it had been ordered.
    pub deed: Deed,
    /// Whether that succeeded.
    pub success: bool,
}

/// The orders that matter to retreats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// A move; whether `via convoy` was written.
    Move {
        /// Where to.
        to: ProvinceId,
        /// Whether `via convoy` was written.
        via: bool,
    },
    /// A convoy of the army there to that province.
    Convoy {
        /// Where the army stood.
        from: ProvinceId,
        /// Where it was to go.
        to: ProvinceId,
    },
    /// Anything else.
    Other,
}

/// What cannot be understood, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {what}: {text} (want {want})")]
pub struct Misread {
    /// Line, from 1.
    pub line: usize,
    /// Character of the line, from 1.
    pub column: usize,
    /// What is wrong.
    pub what: &'static str,
    /// The text that is wrong.
    pub text: String,
    /// What would be right.
    pub want: String,
}
