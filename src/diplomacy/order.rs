//! Orders as the rules see them: typed, validated against a map. Their text is in `orders/` (what players
//! write) and `notation` (the canonical form of orders.md 1).

use super::map::{LocationId, PowerId, ProvinceId};
use super::position::Unit;

/// How a moving army wishes to travel (D2).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Route {
    /// By land where possible, else by any chain of convoying fleets.
    #[default]
    Any,
    /// ` VIA`: by convoy although it could walk.
    Via,
    /// Over exactly these seas, in order.
    Path(Vec<ProvinceId>),
}

/// A movement-phase order of one unit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// `H`
    Hold,
    /// `- DEST`
    Move {
        /// A fleet's target carries the coast where split.
        to: LocationId,
        /// Route.
        route: Route,
    },
    /// `S unit`, `S unit - DEST`
    Support {
        /// The unit supported, as on the board.
        unit: Unit,
        /// Destination; a coast only if the player named one for a fleet.
        to: Option<LocationId>,
    },
    /// `C A x - y`
    Convoy {
        /// Where the army stands.
        army: ProvinceId,
        /// Where it goes.
        to: ProvinceId,
    },
    /// `P POWER` (PROXY_OK)
    Proxy(PowerId),
}
