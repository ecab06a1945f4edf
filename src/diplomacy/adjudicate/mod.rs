//! Adjudication: a validated position and orders in; every order's verdict, the new position, retreats, builds
//! and the next phase out (adjudication.md). It stands alone: it knows maps, rules and nothing of the judge.
//!
//! What a referee calls, in the order of a year:
//!
//! | step | call |
//! |---|---|
//! | once a map | [`Board::new`], shared in an `Arc`; [`Estates::of`] for homes and other rights |
//! | once a game | [`Profile::new`] from its rules, [`Profile::with_dummies`] |
//! | a board from text | [`Setup::read_unit`], [`Setup::read_dislodged`], [`Setup::read_center`], then [`Position::new`] |
//! | movement | [`Workspace::movement`], [`Movement::order`] for each order, [`Movement::resolve`] |
//! | its results | [`Resolution::verdict`] with [`Verdict::codes`], [`Resolution::outcome`], [`explain()`] |
//! | retreats open | [`Position::dislodged`], [`Position::retreats`] (in code order) |
//! | retreats | [`Retreats::new`], [`Retreats::order`], [`Retreats::resolve`] |
//! | what comes next | [`advance()`]: skipping, [`count_centers`], [`victors`], builds due |
//! | adjustments | [`due()`] or [`all_due`], [`Adjustment::new`], [`Adjustment::order`], [`Adjustment::resolve`] |
//! | civil disorder | units hold, dislodged ones disband, builds lapse; [`removals`] for missing removals |
//!
//! [`case`] plays a whole phase from text to text, [`datc`] runs the DATC data, [`jdip`] reads
//! and runs cases in the older format of jDip.
//!
//! Orders pass a door: what could not be carried out whatever the others do is refused as [`Illegal`], and its unit
//! holds. Nothing a caller passes can panic; what is wrong about a board is a [`SetupError`].
//!
//! Nothing is allocated on the way from orders to the next position once a [`Workspace`] is warm and the position
//! written to ([`Resolution::advance`]) has been used before.

mod adjustment;
mod board;
mod calendar;
pub mod case;
mod chains;
mod choice;
mod circular;
pub mod datc;
mod equations;
mod estate;
mod explain;
mod fallback;
mod illegal;
pub mod jdip;
mod link;
mod movement;
mod node;
mod profile;
mod resolution;
mod resolve;
mod retreat;
mod rows;
mod setup;
mod wording;

pub use adjustment::{Adjusted, Adjustment, IllegalAdjustment, removals};
pub use board::{Board, Crossing};
pub use calendar::{Advance, Capture, Season, advance, count_centers, goal, goals, scores, short, victors, wins_with};
pub use choice::UnknownChoice;
pub use estate::{Due, Estate, Estates, Holdings, all_due, due, due_on};
pub use explain::explain;
pub use illegal::Illegal;
pub use movement::{Movement, Workspace};
pub use profile::{AdjacentConvoy, Paradox, Profile, Removal};
pub use resolution::{Fate, Resolution, Verdict};
pub use retreat::{RetreatFate, Retreats};
pub use setup::{Dislodged, Piece, Position, Setup, SetupError};
