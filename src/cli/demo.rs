//! `chancery demo`: makes a site, plays the sample game through the front door, then stays up as the daemon.

use super::common::{exit, fail, start_log};
use crate::clerk::Clerk;
use crate::demo::{Demo, GAME};
use crate::site::{Beginnings, LogFormat, Site, init};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Play the sample game by mail, then run the daemon.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Do not stay up: play, say a summary, and end.
    #[arg(long)]
    once: bool,
    /// The site to make or to use.
    #[arg(long, env = "CHANCERY_ROOT", default_value = "site")]
    root: PathBuf,
}

/// The demo's judge.
const ADDRESS: &str = "judge@chancery.example";

/// Runs the verb.
pub fn run(args: Args) -> ExitCode {
    start_log("error", LogFormat::Text);
    crate::site::set_umask();
    let site = match site(&args.root) {
        Ok(site) => site,
        Err(why) => return fail(exit::FAILED, why),
    };
    let clerk = match Clerk::open(site).map(Arc::new) {
        Ok(clerk) => clerk,
        Err(error) => return fail(exit::FAILED, error),
    };
    let begun = Instant::now();
    println!("Playing game {GAME} by mail in {} ...", args.root.display());
    let mut say = |line: &str| println!("{line}");
    let summary = match Demo::new(&clerk, &mut say).and_then(Demo::play) {
        Ok(summary) => summary,
        Err(error) => return fail(exit::FAILED, error),
    };
    if let Err(error) = clerk.publish_all(None, chrono::Utc::now()) {
        eprintln!("chancery: the pages could not be published: {error}");
    }
    println!(
        "{} phases, {} mails in, {} mails out, {:.1} s; won by {}.",
        summary.phases,
        summary.mails_in,
        summary.mails_out,
        begun.elapsed().as_secs_f64(),
        summary.victors.join(", ")
    );
    for difference in &summary.differences {
        eprintln!("chancery: not as the record has it: {difference}");
    }
    if !summary.differences.is_empty() {
        return ExitCode::from(exit::FAILED);
    }
    println!("Every position equals the record of the game.");
    if args.once {
        return ExitCode::SUCCESS;
    }
    stay(clerk, &args.root)
}

/// Makes the site unless there is one.
fn site(root: &Path) -> Result<Site, String> {
    if !root.join("chancery.toml").exists() {
        let beginnings = Beginnings {
            id: "DEMO".into(),
            address: ADDRESS.into(),
            keeper: "keeper@chancery.example".into(),
            // Nobody has to register for a first look; mail comes in on loopback.
            settings: vec![
                ("registry.mode", "\"none\""),
                ("mail.in.lmtp", "\"127.0.0.1:2424\""),
                ("mail.in.smtp", "\"127.0.0.1:2526\""),
                ("web.listen", "\"127.0.0.1:8470\""),
            ],
        };
        init(root, &beginnings).map_err(|e| e.to_string())?;
    }
    let (site, warnings) = Site::open(root, None, false).map_err(|e| e.to_string())?;
    for warning in warnings {
        eprintln!("chancery: warning: {warning}");
    }
    Ok(site)
}

/// After the game: the daemon, and how to write a first own mail.
fn stay(clerk: Arc<Clerk>, root: &Path) -> ExitCode {
    // The demo's clock has run months in seconds; from here on the machine's clock counts.
    if let Err(error) = clerk.archive.remove_note("check.tim") {
        return fail(exit::FAILED, error);
    }
    let root = root.display().to_string();
    let program = std::env::current_exe().map(|p| p.display().to_string()).unwrap_or_else(|_| "chancery".into());
    let ready = move |doors: &crate::daemon::Doors| {
        let nothing = "-".to_string();
        let at = |door: &Option<String>| door.clone().unwrap_or_else(|| nothing.clone());
        println!();
        println!("The judge is up.  Ctrl-C ends it.");
        println!("  pages      {}  (the game: {}game/{GAME}/)", at(&doors.web), at(&doors.web));
        println!("  mail in    SMTP {}, LMTP {}", at(&doors.smtp), at(&doors.lmtp));
        println!("  mail out   {root}/mail-out/  (one file a mail; nothing leaves this machine)");
        println!("  the files  {root}/games/{GAME}/status");
        println!();
        println!("Your first own mail – paste this into another terminal:");
        println!();
        println!(
            "  printf 'From: You <you@player.example>\\nTo: {ADDRESS}\\nMessage-ID: <hello.%s@player.example>\\n\\nCREATE mine secret-mine\\nFORM\\nSIGNOFF\\n' $$ | {program} deliver --root {root}"
        );
        println!(
            "  printf 'From: A Friend <friend@player.example>\\nTo: {ADDRESS}\\n\\nJOIN mine friends-word\\nSIGNOFF\\n' | {program} deliver --root {root}"
        );
        println!(
            "  printf 'From: You <you@player.example>\\nTo: {ADDRESS}\\n\\nLIST mine\\nHISTORY {GAME} S1901M\\nHELP\\n' | {program} deliver --root {root}"
        );
        println!();
        println!(
            "The answers are in {root}/mail-out/ a second later:  ls -t {root}/mail-out/*.eml | head -3 | xargs cat"
        );
    };
    match crate::daemon::serve(clerk, ready) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(exit::FAILED, error),
    }
}
