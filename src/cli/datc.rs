//! `chancery datc`: run a file of DATC cases.

use std::process::ExitCode;

/// Run a file of DATC cases.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> ExitCode {
    ExitCode::from(2)
}
