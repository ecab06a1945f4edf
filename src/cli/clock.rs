//! `chancery clock`: deadlines: next, tick, date, absence, explain, suspend, resume.

use std::process::ExitCode;

/// Deadlines: next, tick, date, absence, explain, suspend, resume.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> ExitCode {
    ExitCode::from(2)
}
