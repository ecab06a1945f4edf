//! `chancery status`: status files: check, fmt, json.

use std::process::ExitCode;

/// Status files: check, fmt, json.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> ExitCode {
    ExitCode::from(2)
}
