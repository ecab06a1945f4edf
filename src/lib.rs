//! chancery: a play-by-mail judge.
//!
//! One way, front to back: a message, a clock tick, a web form or a hand edit becomes an event;
//! the [`judge`] turns (game, event, now, seed) into a `Decision`; the [`archive`] commits it, and it
//! alone writes a game; only then are mail and pages told.
//!
//! | room | knows | never knows |
//! |---|---|---|
//! | [`status`] | the text of a status file | disks, mail, rules of a game |
//! | [`archive`] | directories, locks, journal, ledger | what the bytes mean |
//! | [`clock`] | civil time, TIMING, deadlines, absences | a game's rules |
//! | [`judge`] | seats, commands, press, the life of phases | files, sockets, HTML, the system clock |
//! | [`referee`] | the seam to a family of games | mail, files |
//! | [`diplomacy`] | maps, orders, adjudication, drawing | the judge |
//! | [`mail`] | messages in, notices out, transports | games |
//! | [`pages`] | state in, HTML, SVG, JSON, Atom out | HTTP |
//! | [`import`] | the files of an old judge, and ours for it | locks, commits |
//! | [`web`] | routes, sessions | rules |
//! | [`cli`] | one file a verb | logic |

pub mod archive;
pub mod clerk;
pub mod cli;

pub mod clock;
pub mod daemon;
pub mod demo;
pub mod diplomacy;
pub mod hex;
pub mod import;
pub mod judge;
pub mod mail;
pub mod pages;
pub mod referee;
pub mod site;
pub mod spelling;
pub mod status;
pub mod web;
