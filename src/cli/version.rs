//! `chancery version`: what this program is (operations.md 2.1).

use std::process::ExitCode;

/// Runs the verb.
pub fn run() -> ExitCode {
    println!("chancery {}", env!("CARGO_PKG_VERSION"));
    println!("journal format {}", crate::archive::journal::VERSION);
    println!("time zones {}", chrono_tz::IANA_TZDB_VERSION);
    ExitCode::SUCCESS
}
