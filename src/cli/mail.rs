//! `chancery mail`: read one message and say what the judge makes of it.

use std::process::ExitCode;

/// Read one message and say what the judge makes of it.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> ExitCode {
    ExitCode::from(2)
}
