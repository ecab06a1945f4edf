//! Units and positions.

use super::map::{LocationId, UnitKind};

/// A unit on the board. An army stands on the bare location of its province, a fleet on a coast where the
/// province is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Unit {
    /// Army or fleet.
    pub kind: UnitKind,
    /// Where it stands.
    pub at: LocationId,
}
