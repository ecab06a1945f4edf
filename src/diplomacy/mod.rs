//! Diplomacy and its variants: maps, orders, adjudication, rules, drawing. A library that would stand alone:
//! nothing here knows the judge, mail or files of a site.

pub mod adjudicate;
pub mod draw;
pub mod geography;
pub mod map;
pub mod notation;
pub mod on_file;
pub mod order;
pub mod orders;
pub mod phase;
pub mod position;
pub mod rules;
pub mod saved_game;
pub mod sight;
