//! `chancery orders`: order text in, canonical orders or codes out.

use std::process::ExitCode;

/// Order text in, canonical orders or codes out.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> ExitCode {
    ExitCode::from(2)
}
