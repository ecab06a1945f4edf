//! Games of this site as saved games, and saved games as games of this site (saved-game-json.md 3 to 5).
//!
//! What it promises: pure conversions. Giving is by what the caller has already made fit to be shown; nothing of people
//! is in it. Taking checks everything first and says where something is wrong; orders that a judge would refuse are no
//! error, they are kept as text.

mod game;
mod give;
mod press;
mod rules;
mod take;

pub use game::{Seat, game_name, master};
pub use give::{Given, Notes, Past, Paths, give, last_phase, moment};
pub use press::{MASTER, TIMES, messages};
pub use take::{Stage, Taken, Wishes, take};
