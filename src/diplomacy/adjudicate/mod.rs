//! Adjudication: a validated position and orders in; every order's verdict, the new position, retreats, builds
//! and the next phase out (adjudication.md). It stands alone: it knows maps, rules and nothing of the judge.
//!
//! ```text
//! Map ──Board::new──▶ Board (compiled once, shared)
//! Setup ──Position::new──▶ Position            typed errors at the one door
//! Workspace::movement(profile, position) ──▶ Movement::order… ──▶ resolve() ──▶ Resolution
//!                                             an illegal order is refused and its unit holds
//! Resolution::advance ──▶ the position after the moves, with retreats
//! ```
//!
//! Nothing is allocated on the way from orders to the next position once a [`Workspace`] is warm.

mod adjustment;
mod board;
mod calendar;
pub mod case;
mod chains;
mod circular;
pub mod datc;
mod estate;
mod movement;
mod profile;
mod resolution;
mod resolve;
mod retreat;
mod rows;
mod setup;

pub use adjustment::{Adjusted, Adjustment, IllegalAdjustment, removals};
pub use board::{Board, Crossing};
pub use calendar::{Advance, Capture, Season, advance, count_centers, goal, scores, short, victors};
pub use estate::{Due, Estate, Estates, all_due, due};
pub use movement::{Illegal, Movement, Workspace};
pub use profile::{AdjacentConvoy, Paradox, Profile, Removal};
pub use resolution::{Fate, Resolution, Verdict};
pub use retreat::{RetreatFate, Retreats};
pub use setup::{Dislodged, Piece, Position, Setup, SetupError};
