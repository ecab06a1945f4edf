//! `chancery adjudicate`: positions and orders in, results out (JSON Lines).

use std::process::ExitCode;

/// Positions and orders in, results out (JSON Lines).
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> ExitCode {
    ExitCode::from(2)
}
