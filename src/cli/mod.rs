//! The command line: one file a verb. Verbs print and choose exit codes; logic is elsewhere (operations.md 2).

use clap::{Parser, Subcommand};
use std::process::ExitCode;

pub mod adjudicate;
pub mod clock;
pub mod common;
pub mod datc;
pub mod deliver;
pub mod demo;
pub mod dpjudge;
pub mod inspect;
pub mod keeping;
pub mod mail;
pub mod map;
pub mod map_draw;
pub mod orders;
pub mod outage;
pub mod queue;
pub mod run;
pub mod saved;
pub mod status;
pub mod stream;
pub mod version;

/// A play-by-mail judge.
#[derive(Parser, Debug)]
#[command(name = "chancery", version, about)]
struct Cli {
    /// How much is logged, whatever the configuration says.
    #[arg(long, global = true, value_name = "LEVEL")]
    log: Option<common::Level>,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Make a site: directories, configuration, samples for mail servers and cron
    Init(run::InitArgs),
    /// Play the sample game by mail, then run the daemon
    Demo(demo::Args),
    /// Run everything in one process: mail, judge, clock, pages, web
    Daemon(run::DaemonArgs),
    /// Take one message from standard input and store it
    Deliver(deliver::Args),
    /// Work the incoming spool off once
    Work(run::WorkArgs),
    /// Try due outgoing mail once
    Send(run::SendArgs),
    /// One round of the clock over all games
    Tick(run::TickArgs),
    /// Say how the judge is, as /healthz does; fails if something is wrong
    Health(run::HealthArgs),
    /// Write pages anew
    Publish(run::PublishArgs),
    /// Check or show the configuration
    Config(run::ConfigArgs),
    /// Games as the judge sees them: who owes orders, who is late, ready or why not
    Inspect(inspect::Args),
    /// Put the whole site away in one file
    Backup(keeping::BackupArgs),
    /// Fetch a backup back: all of it or nothing
    Restore(keeping::RestoreArgs),
    /// Look the whole site over; --replay decides its history again
    Verify(keeping::VerifyArgs),
    /// Mend what verify found and can be mended; --plan only says what that is
    Repair(keeping::RepairArgs),
    /// Work mail off again that was processed since a time; the ledger drops what is done
    Replay(keeping::ReplayArgs),
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
    /// Outgoing mail that waits: list, show, retry, hold, drop, flush
    Queue(queue::Args),
    /// Incoming mail that could not be handled: list, show, retry, drop
    Dead(queue::DeadArgs),
    /// Status files: check, fmt, json
    Status(status::Args),
    /// Write a game as JSON, as the Python package `diplomacy` reads it
    Export(saved::ExportArgs),
    /// Make a game of such a file
    Import(saved::ImportArgs),
    /// Take the games of a DPjudge over
    ImportDpjudge(dpjudge::ImportArgs),
    /// Give the games to a DPjudge
    ExportDpjudge(dpjudge::ExportArgs),
    /// Version of the program and of the time zones in it
    Version,
}

/// Entry point of the program.
pub fn main() -> ExitCode {
    let words = common::options_behind_verb(std::env::args_os());
    let delivers = words.get(1).is_some_and(|verb| verb == "deliver");
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        // A mail server whose configuration has a slip in it must keep the mail, not send it back (OPS-020).
        Err(error) if delivers && error.use_stderr() => return deliver::later(&error.to_string()),
        Err(error) => error.exit(),
    };
    if let Some(level) = cli.log {
        common::log_at(level);
    }
    match cli.verb {
        Verb::Init(args) => run::run_init(args),
        Verb::Demo(args) => demo::run(args),
        Verb::Daemon(args) => run::run_daemon(args),
        Verb::Deliver(args) => deliver::run(args),
        Verb::Work(args) => run::run_work(args),
        Verb::Send(args) => run::run_send(args),
        Verb::Tick(args) => run::run_tick(args),
        Verb::Health(args) => run::run_health(args),
        Verb::Publish(args) => run::run_publish(args),
        Verb::Config(args) => run::run_config(args),
        Verb::Inspect(args) => inspect::run(args),
        Verb::Backup(args) => keeping::backup(args),
        Verb::Restore(args) => keeping::restore(args),
        Verb::Verify(args) => keeping::verify(args),
        Verb::Repair(args) => keeping::repair(args),
        Verb::Replay(args) => keeping::replay(args),
        Verb::Adjudicate(args) => adjudicate::run(args),
        Verb::Clock(args) => clock::run(args),
        Verb::Datc(args) => datc::run(args),
        Verb::Mail(args) => mail::run(args),
        Verb::Map(args) => map::run(args),
        Verb::Orders(args) => orders::run(args),
        Verb::Queue(args) => queue::run(args),
        Verb::Dead(args) => queue::run_dead(args),
        Verb::Status(args) => status::run(args),
        Verb::Export(args) => saved::run_export(args),
        Verb::Import(args) => saved::run_import(args),
        Verb::ImportDpjudge(args) => dpjudge::run_import(args),
        Verb::ExportDpjudge(args) => dpjudge::run_export(args),
        Verb::Version => version::run(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_about_the_site_may_stand_before_the_verb() {
        for line in ["chancery --root /x tick --no-guard", "chancery --log debug --root /x dead retry name"] {
            let words = common::options_behind_verb(line.split(' ').map(std::ffi::OsString::from));
            assert!(Cli::try_parse_from(words).is_ok(), "{line}");
        }
    }
}
