//! `chancery backup`, `restore`, `verify`, `repair`, `replay` (operations.md 12).

use super::common::{SiteArgs, exit, fail, start_log};
use super::run::with_clerk;
use crate::clerk::keeping::{self, Wishes};
use crate::clerk::{Clerk, ClerkError};
use crate::site::{LogFormat, Site};
use chrono::{DateTime, Utc};
use std::path::PathBuf;
use std::process::ExitCode;

/// Put the whole site away in one file.
#[derive(clap::Args, Debug)]
pub struct BackupArgs {
    /// The file (.tar, or .tar.gz), or a directory of backups.
    to: PathBuf,
    /// With the site's secret and the passwords of the configuration.
    #[arg(long)]
    with_secrets: bool,
    #[command(flatten)]
    site: SiteArgs,
}

/// `chancery backup`
pub fn backup(args: BackupArgs) -> ExitCode {
    with_clerk(&args.site, |clerk, now| {
        let packed = clerk.backup(&args.to, args.with_secrets, now)?;
        for remark in &packed.remarks {
            eprintln!("chancery: {remark}");
        }
        println!("{}: {} files, {} bytes", packed.file.display(), packed.summary.files, packed.summary.bytes);
        Ok(())
    })
}

/// Fetch a backup back.
#[derive(clap::Args, Debug)]
pub struct RestoreArgs {
    /// The file, or a directory whose newest backup is taken.
    from: PathBuf,
    /// Send the mail that waited in the backup; else it is held, since it was perhaps sent.
    #[arg(long)]
    send_queued: bool,
    /// Put a site that is there aside.
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    site: SiteArgs,
}

/// `chancery restore`
pub fn restore(args: RestoreArgs) -> ExitCode {
    start_log("warn", LogFormat::Text);
    crate::site::set_umask();
    let wishes = Wishes { send_queued: args.send_queued, replace: args.replace };
    let restored = match keeping::restore(&args.from, &args.site.root, &wishes, Utc::now()) {
        Ok(restored) => restored,
        Err(error) => return fail(exit::FAILED, error),
    };
    let (summary, root) = (&restored.summary, args.site.root.display());
    let time = summary.time.format("%Y-%m-%dT%H:%M:%SZ");
    println!("{root}: the backup of {time}: {} files, {} bytes", summary.files, summary.bytes);
    if let Some(aside) = &restored.aside {
        println!("{}: what was there before", aside.display());
    }
    if restored.held > 0 {
        println!("{} mails are held: chancery queue list, queue flush", restored.held);
    }
    for remark in &restored.remarks {
        println!("{remark}");
    }
    let from = restored.aside.map(|aside| format!(" --from {}", aside.display())).unwrap_or_default();
    println!("mail that came after the backup: chancery replay --since {time}{from}");
    println!("the clock is suspended: chancery clock resume --extend");
    // Pages are derived, and not in a backup.
    match args.site.working("warn").map(|clerk| clerk.publish_all(None, Utc::now())) {
        Ok(Ok(_)) => ExitCode::SUCCESS,
        Ok(Err(error)) => fail(exit::FAILED, format!("restored, but not published: {error}")),
        Err(code) => code,
    }
}

/// Look the whole site over.
#[derive(clap::Args, Debug)]
pub struct VerifyArgs {
    /// Decide every phase again and compare it with what was filed.
    #[arg(long)]
    replay: bool,
    /// Only what concerns these games.
    games: Vec<String>,
    #[command(flatten)]
    site: SiteArgs,
}

/// `chancery verify`
pub fn verify(args: VerifyArgs) -> ExitCode {
    with_clerk(&args.site, |clerk, now| {
        let mut found = clerk.verify(args.replay, now)?;
        let concerns = |place: &str| {
            let of = |game: &String| [format!("games/{game}/"), format!("web/game/{game}/")];
            args.games.is_empty() || args.games.iter().flat_map(of).any(|prefix| place.starts_with(&prefix))
        };
        found.retain(|finding| concerns(&finding.place));
        found.iter().for_each(|finding| println!("{finding}"));
        match found.iter().filter(|finding| finding.damage).count() {
            0 => {
                println!("sound");
                Ok(())
            }
            damaged => {
                Err(ClerkError::Site(format!("{damaged} damaged; chancery repair --plan says what can be mended")))
            }
        }
    })
}

/// Mend what can be mended.
#[derive(clap::Args, Debug)]
pub struct RepairArgs {
    /// Only say what would be done.
    #[arg(long)]
    plan: bool,
    /// Games whose status files are to be restored although they can be read and merely have errors.
    games: Vec<String>,
    #[command(flatten)]
    site: SiteArgs,
}

/// `chancery repair`
pub fn repair(args: RepairArgs) -> ExitCode {
    with_clerk(&args.site, |clerk, now| {
        // What was mended may bring to light what it hid: a restored game needs its line in the index.
        for _ in 0..3 {
            let steps = clerk.plan_repair(&args.games, now)?;
            for step in &steps {
                println!("{}{}", if step.possible { "" } else { "cannot be mended: " }, step.words);
            }
            let possible: Vec<_> = steps.into_iter().filter(|step| step.possible).collect();
            if args.plan || possible.is_empty() {
                break;
            }
            for step in &possible {
                clerk.mend(step, now)?;
            }
        }
        if args.plan { Ok(()) } else { left(clerk, now) }
    })
}

/// What a repair could not mend.
fn left(clerk: &Clerk, now: DateTime<Utc>) -> Result<(), ClerkError> {
    let left: Vec<_> = clerk.verify(false, now)?.into_iter().filter(|finding| finding.damage).collect();
    left.iter().for_each(|finding| println!("{finding}"));
    match left.len() {
        0 => {
            println!("sound");
            Ok(())
        }
        n => Err(ClerkError::Site(format!("{n} damaged; that is for you to mend, or to fetch from a backup"))),
    }
}

/// Put processed mail back to be worked off.
#[derive(clap::Args, Debug)]
pub struct ReplayArgs {
    /// Mail that arrived from here on (RFC 3339).
    #[arg(long, value_name = "T", value_parser = super::common::moment)]
    since: DateTime<Utc>,
    /// Take it from the spool of this site (the one that `restore --replace` put aside).
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
    #[command(flatten)]
    site: SiteArgs,
}

/// `chancery replay`
pub fn replay(args: ReplayArgs) -> ExitCode {
    with_clerk(&args.site, |clerk, now| {
        let other = args.from.as_deref().map(|root| Site::configured(root, None)).transpose();
        let other = other.map_err(|error| ClerkError::Site(error.to_string()))?;
        println!("{} messages to be worked off again", clerk.replay_mail(args.since, other.as_ref())?);
        let worked = clerk.work(now)?;
        println!(
            "executed {}, dropped {}, held {}, dead {}",
            worked.executed, worked.dropped, worked.held, worked.dead
        );
        Ok(())
    })
}
