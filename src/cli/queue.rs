//! `chancery queue` and `chancery dead`: mail that waits to go out, and mail that came in and could not be handled
//! (operations.md 2.1). Nothing is changed while a sender, or a worker, is at work.

use super::common::SiteArgs;
use super::run::with_clerk;
use crate::archive::spool::MessageName;
use crate::clerk::ClerkError;
use crate::mail::queue::{Folder, Queue};
use chrono::SecondsFormat;
use std::io::Write;
use std::process::ExitCode;

/// Outgoing mail.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    what: What,
    #[command(flatten)]
    site: SiteArgs,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Every mail that waits, is held, or was given up
    List,
    /// One mail as it lies there
    Show {
        /// Its id.
        id: String,
    },
    /// Try a waiting, held or given-up mail again
    Retry {
        /// Its id.
        id: String,
    },
    /// Keep a waiting mail back
    Hold {
        /// Its id.
        id: String,
    },
    /// Throw a mail away
    Drop {
        /// Its id.
        id: String,
    },
    /// Make every waiting and held mail due now; sending that was stopped goes on
    Flush,
}

/// `chancery queue`
pub fn run(args: Args) -> ExitCode {
    with_clerk(&args.site, |clerk, now| {
        let queue = clerk.queue().map_err(outbox)?;
        match &args.what {
            What::List => return list(&queue),
            What::Show { id } => {
                let folder = queue.find(id).ok_or_else(|| ClerkError::Site(format!("no mail {id} is here")))?;
                return print(&queue.load(folder, id).map_err(outbox)?.encode());
            }
            _ => {}
        }
        let _lock = clerk.archive.lock_outbox()?;
        match &args.what {
            What::List | What::Show { .. } => {}
            What::Retry { id } => queue.retry(id, now).map_err(outbox)?,
            What::Hold { id } => queue.hold(id).map_err(outbox)?,
            What::Drop { id } => queue.drop_entry(id).map_err(outbox)?,
            What::Flush => println!("{} due now", queue.flush(now).map_err(outbox)?),
        }
        Ok(())
    })
}

fn list(queue: &Queue) -> Result<(), ClerkError> {
    for folder in [Folder::New, Folder::Hold, Folder::Dead] {
        let (heads, damaged) = queue.list(folder).map_err(outbox)?;
        for head in heads {
            let created = head.created.to_rfc3339_opts(SecondsFormat::Secs, true);
            let (game, error) = (head.game.as_deref().unwrap_or("-"), head.last_error.as_deref().unwrap_or(""));
            let line = format!(
                "{:<4} {} {created} {} {game} {} tries={} {error}",
                folder.name(),
                head.id,
                head.kind,
                head.to.join(","),
                head.tries
            );
            println!("{}", line.trim_end());
        }
        for bad in damaged {
            eprintln!("chancery: {}: {}", bad.path.display(), bad.why);
        }
    }
    if let Some(reason) = queue.stopped() {
        println!("sending is stopped: {}", reason.trim());
    }
    Ok(())
}

fn outbox(error: std::io::Error) -> ClerkError {
    ClerkError::Site(format!("outbox: {error}"))
}

fn print(bytes: &[u8]) -> Result<(), ClerkError> {
    std::io::stdout().write_all(bytes).map_err(|e| ClerkError::Site(format!("standard output: {e}")))
}

/// Incoming mail that could not be handled.
#[derive(clap::Args, Debug)]
pub struct DeadArgs {
    #[command(subcommand)]
    what: DeadWhat,
    #[command(flatten)]
    site: SiteArgs,
}

#[derive(clap::Subcommand, Debug)]
enum DeadWhat {
    /// Every one, and why
    List,
    /// One message and why it is here
    Show {
        /// Its file name.
        name: String,
    },
    /// Back into the spool
    Retry {
        /// Its file name.
        name: String,
    },
    /// Throw it away
    Drop {
        /// Its file name.
        name: String,
    },
}

/// `chancery dead`
pub fn run_dead(args: DeadArgs) -> ExitCode {
    with_clerk(&args.site, |clerk, _| {
        let spool = clerk.archive.spool();
        let find = |wanted: &str| -> Result<(MessageName, String), ClerkError> {
            let there = spool.dead()?.into_iter().find(|(name, _)| name.file_name() == wanted);
            there.ok_or_else(|| ClerkError::Site(format!("no dead mail {wanted} is here")))
        };
        match &args.what {
            DeadWhat::List => {
                for (name, why) in spool.dead()? {
                    println!("{} {}", name.file_name(), why.trim().replace('\n', "; "));
                }
            }
            DeadWhat::Show { name } => {
                let (name, why) = find(name)?;
                eprintln!("{}", why.trim());
                let path = clerk.site.layout.dead.join(name.file_name());
                let bytes = std::fs::read(&path).map_err(|e| ClerkError::Site(format!("{}: {e}", path.display())))?;
                print(&bytes)?;
            }
            DeadWhat::Retry { name } | DeadWhat::Drop { name } => {
                // A worker that buries it at this moment, or has just taken it up, must not be surprised.
                let _lock = clerk.archive.lock_spool()?;
                let name = &find(name)?.0;
                if matches!(args.what, DeadWhat::Retry { .. }) { spool.revive(name)? } else { spool.drop_dead(name)? }
            }
        }
        Ok(())
    })
}
