//! The verbs that run a judge: `init`, `work`, `send`, `tick`, `publish`, `daemon`, `config`, `health`.

use super::common::{SiteArgs, exit, fail};
use crate::clerk::{Idle, TickOptions};
use crate::site::{Beginnings, init};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Make a site.
#[derive(clap::Args, Debug)]
pub struct InitArgs {
    /// Its directory.
    dir: PathBuf,
    /// Short identifier of the judge.
    #[arg(long)]
    id: Option<String>,
    /// Mail address of the judge.
    #[arg(long)]
    address: Option<String>,
    /// Mail address of the judgekeeper.
    #[arg(long)]
    keeper: Option<String>,
}

/// `chancery init DIR`
pub fn run_init(args: InitArgs) -> ExitCode {
    crate::site::set_umask();
    let defaults = Beginnings::default();
    let beginnings = Beginnings {
        id: args.id.unwrap_or(defaults.id),
        address: args.address.unwrap_or(defaults.address),
        keeper: args.keeper.unwrap_or(defaults.keeper),
        settings: Vec::new(),
    };
    match init(&args.dir, &beginnings) {
        Ok(made) => {
            println!("{}: {} files and directories made", args.dir.display(), made.len());
            println!(
                "Look into {}/chancery.toml, then say: chancery daemon --root {}",
                args.dir.display(),
                args.dir.display()
            );
            ExitCode::SUCCESS
        }
        Err(error) => fail(exit::FAILED, error),
    }
}

/// Look once into the Maildir and the IMAP folder, if there are any, and work the incoming spool off.
#[derive(clap::Args, Debug)]
pub struct WorkArgs {
    #[command(flatten)]
    site: SiteArgs,
}

/// `chancery work`
pub fn run_work(args: WorkArgs) -> ExitCode {
    with_clerk(&args.site, |clerk, now| {
        for trouble in clerk.fetch() {
            eprintln!("chancery: {trouble}");
        }
        let worked = clerk.work(now)?;
        println!(
            "executed {}, dropped {}, held {}, dead {}",
            worked.executed, worked.dropped, worked.held, worked.dead
        );
        Ok(())
    })
}

/// Try due outgoing mail once.
#[derive(clap::Args, Debug)]
pub struct SendArgs {
    #[command(flatten)]
    site: SiteArgs,
}

/// `chancery send`
pub fn run_send(args: SendArgs) -> ExitCode {
    with_clerk(&args.site, |clerk, now| {
        let round = clerk.send(now)?;
        println!(
            "sent {}, deferred {}, dead {}, waiting {}",
            round.sent.len(),
            round.deferred.len(),
            round.dead.len(),
            round.waiting
        );
        if let Some(reason) = round.stopped {
            println!("sending is stopped: {reason}");
        }
        Ok(())
    })
}

/// Say how the judge is.
#[derive(clap::Args, Debug)]
pub struct HealthArgs {
    #[command(flatten)]
    site: SiteArgs,
}

/// `chancery health`
pub fn run_health(args: HealthArgs) -> ExitCode {
    let mut is_well = true;
    let code = with_clerk(&args.site, |clerk, now| {
        let condition = clerk.condition(now);
        is_well = condition.is_well();
        println!("{}", condition.report());
        Ok(())
    });
    if is_well { code } else { ExitCode::FAILURE }
}

/// One round of the clock over all games.
#[derive(clap::Args, Debug)]
pub struct TickArgs {
    /// One round although the judge was away.
    #[arg(long)]
    no_guard: bool,
    /// Only games that are being played.
    #[arg(long)]
    active: bool,
    /// Only the daily reminders to Masters and keepers.
    #[arg(long)]
    reminders: bool,
    /// Only these games.
    games: Vec<String>,
    #[command(flatten)]
    site: SiteArgs,
}

/// `chancery tick`
///
/// Ends with 75 where a later round is to do what this one could not (suspended, another one at work, no room), with 1
/// where a game needs a hand.
pub fn run_tick(args: TickArgs) -> ExitCode {
    let mut ended = None;
    let code = with_clerk(&args.site, |clerk, now| {
        let TickArgs { no_guard, active, reminders, games, .. } = &args;
        let options = TickOptions { no_guard: *no_guard, active: *active, reminders: *reminders, games: games.clone() };
        let ticked = clerk.tick(now, &options)?;
        match &ticked.idle {
            Some(why) => println!("nothing done: {why}"),
            None => {
                let (processed, failed) = (ticked.processed.len(), ticked.failed.len());
                println!("games {}, opened {}, processed {processed}, failed {failed}", ticked.games, ticked.opened)
            }
        }
        for (game, phase) in &ticked.processed {
            println!("{game} {phase} processed");
        }
        for (game, why) in &ticked.failed {
            eprintln!("chancery: {game}: {why}");
        }
        ended = match &ticked.idle {
            _ if ticked.is_broken => Some(exit::FAILED),
            Some(Idle::Busy | Idle::Suspended(_) | Idle::SetBack(_)) => Some(exit::LATER),
            Some(Idle::Counted) | None => (!ticked.failed.is_empty()).then_some(exit::LATER),
        };
        Ok(())
    });
    ended.map_or(code, ExitCode::from)
}

/// Write the pages anew.
#[derive(clap::Args, Debug)]
pub struct PublishArgs {
    /// Every game.
    #[arg(long)]
    all: bool,
    /// These games.
    games: Vec<String>,
    #[command(flatten)]
    site: SiteArgs,
}

/// `chancery publish`
pub fn run_publish(args: PublishArgs) -> ExitCode {
    with_clerk(&args.site, |clerk, now| {
        let games = if args.all || args.games.is_empty() { None } else { Some(args.games.as_slice()) };
        let written = clerk.publish_all(games, now)?;
        println!("{written} files written");
        Ok(())
    })
}

/// Opens the site, acts, and turns what went wrong into an exit code.
pub(super) fn with_clerk(
    site: &SiteArgs,
    act: impl FnOnce(&Arc<crate::clerk::Clerk>, chrono::DateTime<chrono::Utc>) -> Result<(), crate::clerk::ClerkError>,
) -> ExitCode {
    let clerk = match site.working("warn") {
        Ok(clerk) => clerk,
        Err(code) => return code,
    };
    let now = match site.now(&clerk.site) {
        Ok(now) => now,
        Err(code) => return code,
    };
    match act(&clerk, now) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is_temporary() => fail(exit::LATER, error),
        Err(error) => fail(exit::FAILED, error),
    }
}

/// Check or show the configuration.
#[derive(clap::Args, Debug)]
pub struct ConfigArgs {
    #[command(subcommand)]
    what: ConfigWhat,
    #[command(flatten)]
    site: SiteArgs,
}

#[derive(clap::Subcommand, Debug, Clone, Copy)]
enum ConfigWhat {
    /// Say whether it can be used.
    Check,
    /// Print every value and where it comes from; secrets are masked.
    Show,
}

/// `chancery config check|show`
pub fn run_config(args: ConfigArgs) -> ExitCode {
    let site = match args.site.site() {
        Ok(site) => site,
        Err(code) => return code,
    };
    match args.what {
        ConfigWhat::Check => {
            tell_idle(&site);
            println!("{}: can be used", site.config_file.display());
        }
        ConfigWhat::Show => {
            for shown in &site.shown {
                let value = shown.value.as_deref().unwrap_or("(off)");
                let idle = shown.idle.map_or(String::new(), |why| format!("; no effect: {why}"));
                println!("{} = {value}   # {:?}{idle}", shown.key, shown.origin);
            }
        }
    }
    ExitCode::SUCCESS
}

/// What the keeper has set and nothing follows from.
fn tell_idle(site: &crate::site::Site) {
    for line in &site.idle {
        eprintln!("chancery: warning: {line}");
    }
}

/// Run everything in one process: mail in, judge, clock, mail out, pages, web.
#[derive(clap::Args, Debug)]
pub struct DaemonArgs {
    #[command(flatten)]
    site: SiteArgs,
}

/// `chancery daemon`
pub fn run_daemon(args: DaemonArgs) -> ExitCode {
    match args.site.working("info") {
        Ok(clerk) => {
            tell_idle(&clerk.site);
            crate::daemon::run(clerk)
        }
        Err(code) => code,
    }
}
