//! Coming from an old DPjudge site, and going back to one (operations.md 13, OPS-111): what becomes of each file.
//!
//! What it promises: conversions are pure and say what they did. Whatever cannot be carried, or not exactly, is a
//! [`Finding`] that names the file; nothing is left out without one. What was taken over and is given back unchanged
//! has the bytes it came with, except where a finding said otherwise.
//!
//! [`tree`] reads the old site; locks and commits are the clerk's. [`saved`] is the road for single games of any origin:
//! saved games as JSON.

mod access;
mod finding;
pub mod game;
pub mod give;
pub mod host;
pub mod index;
pub mod maps;
pub mod people;
pub mod saved;
mod status;
mod text;
pub mod tree;

pub use finding::{Finding, Left, Weight, What};
