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
pub mod mail;
pub mod map;
pub mod map_draw;
pub mod orders;
pub mod outage;
pub mod queue;
pub mod run;
pub mod status;
pub mod stream;
pub mod version;

/// A play-by-mail judge.
#[derive(Parser, Debug)]
#[command(name = "chancery", version, about)]
struct Cli {
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
    /// Write pages anew
    Publish(run::PublishArgs),
    /// Check or show the configuration
    Config(run::ConfigArgs),
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
    /// Take the games of a DPjudge over
    ImportDpjudge(dpjudge::ImportArgs),
    /// Give the games to a DPjudge
    ExportDpjudge(dpjudge::ExportArgs),
    /// Version of the program and of the time zones in it
    Version,
}

/// Entry point of the program.
pub fn main() -> ExitCode {
    match Cli::parse().verb {
        Verb::Init(args) => run::run_init(args),
        Verb::Demo(args) => demo::run(args),
        Verb::Daemon(args) => run::run_daemon(args),
        Verb::Deliver(args) => deliver::run(args),
        Verb::Work(args) => run::run_work(args),
        Verb::Send(args) => run::run_send(args),
        Verb::Tick(args) => run::run_tick(args),
        Verb::Publish(args) => run::run_publish(args),
        Verb::Config(args) => run::run_config(args),
        Verb::Adjudicate(args) => adjudicate::run(args),
        Verb::Clock(args) => clock::run(args),
        Verb::Datc(args) => datc::run(args),
        Verb::Mail(args) => mail::run(args),
        Verb::Map(args) => map::run(args),
        Verb::Orders(args) => orders::run(args),
        Verb::Queue(args) => queue::run(args),
        Verb::Dead(args) => queue::run_dead(args),
        Verb::Status(args) => status::run(args),
        Verb::ImportDpjudge(args) => dpjudge::run_import(args),
        Verb::ExportDpjudge(args) => dpjudge::run_export(args),
        Verb::Version => version::run(),
    }
}
