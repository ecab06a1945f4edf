//! `chancery deliver`: takes one message on stdin and stores it durably. Returns 0 or 75, never anything else (OPS-020):
//! 75 is the one status that all mail servers take as "later".

use super::common::SiteArgs;
use crate::archive::Fs;
use crate::archive::spool::{Envelope, Spool};
use crate::site::spool_only;
use chrono::{DateTime, Utc};
use std::process::ExitCode;

/// Take one message from stdin.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Envelope sender; empty for none.
    #[arg(long, allow_hyphen_values = true)]
    sender: Option<String>,
    /// Envelope recipient.
    #[arg(long, allow_hyphen_values = true)]
    recipient: Option<String>,
    /// What stands behind the + of the recipient.
    #[arg(long, allow_hyphen_values = true)]
    extension: Option<String>,
    /// Take the envelope from SENDER, RECIPIENT, EXTENSION, LOCAL_PART_SUFFIX, ORIGINAL_RECIPIENT.
    #[arg(long)]
    from_env: bool,
    /// Work the spool off and send what is due, too.
    #[arg(long)]
    now: bool,
    #[command(flatten)]
    site: SiteArgs,
}

/// Runs the verb; whatever happens inside, 0 or 75 comes out.
pub fn run(args: Args) -> ExitCode {
    // A panic would end with 101, which makes most mail servers bounce the mail to the player.
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| store(&args))) {
        Ok(Ok(())) => {}
        Ok(Err(why)) => return later(&why),
        Err(_) => return later("internal failure"),
    }
    if args.now {
        // Stored it is; what comes after may fail without the mail server having to know.
        let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let clerk = args.site.working("warn").ok()?;
            let now = args.site.now(&clerk.site).ok()?;
            clerk.work(now).map_err(|e| eprintln!("chancery: {e}")).ok()?;
            clerk.send(now).map_err(|e| eprintln!("chancery: {e}")).ok()
        }));
        drop(worked);
    }
    ExitCode::SUCCESS
}

/// One line that Postfix reads as "temporary", and exit 75.
pub(super) fn later(why: &str) -> ExitCode {
    println!("4.3.0 the judge cannot take mail now: {}", why.replace(['\n', '\r'], " "));
    ExitCode::from(super::common::exit::LATER)
}

fn store(args: &Args) -> Result<(), String> {
    crate::site::set_umask();
    let root = std::path::absolute(&args.site.root).map_err(|e| e.to_string())?;
    let file = args.site.config.clone().unwrap_or_else(|| root.join("chancery.toml"));
    // Little is taken from the configuration, whatever else is wrong in it.
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let said = spool_only(&text).unwrap_or_default();
    let envelope = envelope(args);
    let spool = Spool::new(&root.join(said.spool), &root.join("dead"), Fs::from_env(), said.min_free);
    let now: DateTime<Utc> = args.site.clock.unwrap_or_else(Utc::now);
    spool.store(std::io::stdin().lock(), &envelope, said.max_message_bytes, now).map_err(|e| e.to_string())?;
    // What is beyond the limit is read and forgotten: a mail server must not die of a broken pipe.
    let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
    Ok(())
}

fn envelope(args: &Args) -> Envelope {
    let var = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
    let (mut from, mut to, mut extension) = (args.sender.clone(), args.recipient.clone(), args.extension.clone());
    if args.from_env {
        from = from.or_else(|| std::env::var("SENDER").ok());
        to = to.or_else(|| var("ORIGINAL_RECIPIENT")).or_else(|| var("RECIPIENT"));
        extension = extension.or_else(|| var("EXTENSION")).or_else(|| var("LOCAL_PART_SUFFIX"));
    }
    let extension = extension.map(|e| e.trim_start_matches(['+', '-']).to_string()).filter(|e| !e.is_empty());
    // The recipient with its extension, where the mail server took it off.
    if let (Some(address), Some(extension)) = (&to, extension)
        && let Some((local, host)) = address.split_once('@')
        && !local.contains('+')
    {
        to = Some(format!("{local}+{extension}@{host}"));
    }
    Envelope { from, to }
}
