//! The status file: text in, a lossless document and a typed view out; edits touch only their lines
//! (status-file.md). Knows no disks, no mail, no rules of a game.

pub mod model;

pub use model::*;
