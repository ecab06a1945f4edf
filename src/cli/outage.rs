//! `chancery clock suspend|resume|extend|explain`: the clock of a site (operations.md 2.1, clock.md 12, OPS-084).

use super::common::{SiteArgs, moment};
use super::run::with_clerk;
use crate::clerk::{ClerkError, Extended};
use crate::clock::{Extension, Span};
use chrono::{DateTime, Utc};
use std::process::ExitCode;

/// Stop all deadline work.
#[derive(clap::Args, Debug)]
pub struct SuspendArgs {
    /// Why; the pages and the keepers see it.
    reason: Vec<String>,
    #[command(flatten)]
    site: SiteArgs,
}

/// Go on.
#[derive(clap::Args, Debug)]
pub struct ResumeArgs {
    /// First move the deadlines that fell into the outage, or come too soon after it.
    #[arg(long)]
    extend: bool,
    /// Only say what would be done.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    site: SiteArgs,
}

/// Move deadlines.
#[derive(clap::Args, Debug)]
pub struct ExtendArgs {
    /// Deadlines from here on (RFC 3339) ...
    #[arg(long, value_name = "T", value_parser = moment)]
    from: DateTime<Utc>,
    /// ... to here, both included ...
    #[arg(long, value_name = "T", value_parser = moment)]
    to: DateTime<Utc>,
    /// ... come so much later: 20M, 6H, 2D, 1W.
    #[arg(long, value_name = "D")]
    by: Span,
    /// Only say what would be done.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    site: SiteArgs,
}

/// Explain a deadline.
#[derive(clap::Args, Debug)]
pub struct ExplainArgs {
    /// The game.
    game: String,
    #[command(flatten)]
    site: SiteArgs,
}

/// `chancery clock suspend`
pub fn suspend(args: SuspendArgs) -> ExitCode {
    with_clerk(&args.site, |clerk, now| {
        let reason = if args.reason.is_empty() { "ordered by the keeper".into() } else { args.reason.join(" ") };
        println!("suspended: {}", clerk.suspend(&reason, now)?);
        Ok(())
    })
}

/// `chancery clock resume`
pub fn resume(args: ResumeArgs) -> ExitCode {
    with_clerk(&args.site, |clerk, now| {
        let resumed = clerk.resume(args.extend, args.dry_run, now)?;
        say(&resumed.extended, args.dry_run)?;
        if let Some(extension) = resumed.extension
            && !resumed.extended.damaged.is_empty()
        {
            let time = |moment: DateTime<Utc>| moment.format("%Y-%m-%dT%H:%M:%SZ").to_string();
            eprintln!(
                "chancery: when these are mended: chancery clock extend --from {} --to {} --by {}M",
                time(extension.from),
                time(extension.to),
                extension.by.num_minutes()
            );
        }
        match resumed.suspension {
            _ if args.dry_run => {}
            Some(suspension) => println!("resumed; was suspended: {suspension}"),
            None => println!("resumed; it was not suspended"),
        }
        Ok(())
    })
}

/// `chancery clock extend`
pub fn extend(args: ExtendArgs) -> ExitCode {
    with_clerk(&args.site, |clerk, now| {
        let extension = Extension { from: args.from, to: args.to, by: args.by.elapsed() };
        let extended = clerk.extend(&extension, args.dry_run, now)?;
        say(&extended, args.dry_run)?;
        // Here nobody waits for the others.
        whole(extended.damaged.len())
    })
}

/// `chancery clock explain`
pub fn explain(args: ExplainArgs) -> ExitCode {
    with_clerk(&args.site, |clerk, now| {
        print!("{}", clerk.explain_deadline(&args.game, now)?);
        Ok(())
    })
}

fn say(extended: &Extended, dry: bool) -> Result<(), ClerkError> {
    let verb = if dry { "would move" } else { "moved" };
    for moved in &extended.moved {
        println!("{}: {verb} {} -> {}", moved.game, moved.from, moved.to);
    }
    for game in &extended.before {
        println!("{game}: moved before");
    }
    for (game, why) in extended.failed.iter().chain(&extended.damaged) {
        eprintln!("chancery: {game}: {why}");
    }
    whole(extended.failed.len())
}

fn whole(failed: usize) -> Result<(), ClerkError> {
    match failed {
        0 => Ok(()),
        n => Err(ClerkError::Site(format!("{n} games could not be moved; run it again"))),
    }
}
