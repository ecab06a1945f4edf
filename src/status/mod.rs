//! The status file: text in, a lossless document and a typed view out; edits touch only their lines
//! (status-file.md). Knows no disks, no mail, no rules of a game.

pub mod check;
pub mod diagnostic;
pub mod document;
pub mod geography;
pub mod index;
pub mod json;
pub mod lexis;
pub(crate) mod line;
pub mod model;
mod read;
mod read_game;
mod read_participant;
pub mod seat;
mod slot;
pub mod timing;
pub mod write;

pub use check::{Checked, HAS_NO_DEADLINE, check};
pub use diagnostic::{Diagnostic, Severity};
pub use document::{Document, Refused};
pub use geography::{Geography, RuleRemark, Ruling};
pub use model::*;
pub use write::{canonical, sort_participants};
