//! The command line: one file a verb. Verbs print and choose exit codes; logic is elsewhere (operations.md 2).

use clap::{Parser, Subcommand};
use std::process::ExitCode;

pub mod adjudicate;
pub mod clock;
pub mod datc;
pub mod mail;
pub mod map;
pub mod map_draw;
pub mod orders;
pub mod status;

/// A play-by-mail judge.
#[derive(Parser, Debug)]
#[command(name = "chancery", version, about)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Positions and orders in, results out (JSON Lines)
    Adjudicate(adjudicate::Args),
    /// Deadlines: next, tick, date, absence, explain, suspend, resume
    Clock(clock::Args),
    /// Run a file of DATC cases
    Datc(datc::Args),
    /// Read one message and say what the judge makes of it
    Mail(mail::Args),
    /// Map files: check, facts, draw
    Map(map::Args),
    /// Order text in, canonical orders or codes out
    Orders(orders::Args),
    /// Status files: check, fmt, json
    Status(status::Args),
}

/// Entry point of the program.
pub fn main() -> ExitCode {
    match Cli::parse().verb {
        Verb::Adjudicate(args) => adjudicate::run(args),
        Verb::Clock(args) => clock::run(args),
        Verb::Datc(args) => datc::run(args),
        Verb::Mail(args) => mail::run(args),
        Verb::Map(args) => map::run(args),
        Verb::Orders(args) => orders::run(args),
        Verb::Status(args) => status::run(args),
    }
}
