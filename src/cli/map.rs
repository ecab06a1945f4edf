//! `chancery map`: map files: check, facts, draw.

use std::process::ExitCode;

/// Map files: check, facts, draw.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> ExitCode {
    ExitCode::from(2)
}
