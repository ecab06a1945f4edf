//! The judge: seats, sign-on, commands, press, lateness, the life of phases. A pure function of
//! (game, event, now, seed) to a [`Decision`]; no files, no sockets, no HTML, no system clock.

pub mod decision;

pub use decision::*;
