//! `chancery import-dpjudge` and `chancery export-dpjudge`: coming from an old site, and going back (OPS-111).

use super::common::{SiteArgs, exit};
use super::run::with_clerk;
use crate::clerk::{ClerkError, Import, ImportOptions};
use crate::import::tree::OldSite;
use crate::import::{Finding, Weight};
use std::cell::Cell;
use std::path::PathBuf;
use std::process::ExitCode;

/// Take an old site over.
#[derive(clap::Args, Debug)]
pub struct ImportArgs {
    /// The old site (the directory with games/ in it), or its directory games.
    dir: PathBuf,
    /// Only say what would be done.
    #[arg(long)]
    dry_run: bool,
    /// Only this game; may be repeated.
    #[arg(long, value_name = "GAME")]
    only: Vec<String>,
    #[command(flatten)]
    site: SiteArgs,
}

/// Give the games to an old judge.
#[derive(clap::Args, Debug)]
pub struct ExportArgs {
    /// A directory that is new or empty.
    dir: PathBuf,
    #[command(flatten)]
    site: SiteArgs,
}

/// `chancery import-dpjudge`: exit 1 if something was refused, after everything else is done.
pub fn run_import(args: ImportArgs) -> ExitCode {
    let refused = Cell::new(false);
    let code = with_clerk(&args.site, |clerk, now| {
        let old = OldSite::open(&args.dir).map_err(|e| ClerkError::Site(e.to_string()))?;
        let options = ImportOptions { dry_run: args.dry_run, only: args.only.clone() };
        let done = clerk.import_dpjudge(&old, &options, now)?;
        let verb = if args.dry_run { "would be taken over" } else { "taken over" };
        for (game, outcome) in &done.games {
            match outcome {
                Import::Taken { state, files } => println!("{game}: {verb}, {state}, {files} files"),
                Import::Before(here) if here == game => println!("{game}: taken over before"),
                Import::Before(here) => println!("{game}: taken over before; it is called {here} now"),
                Import::Refused => println!("{game}: refused"),
            }
        }
        for map in &done.maps {
            println!("{map}: {verb}");
        }
        if !done.people.is_empty() {
            println!("registry: {} people", done.people.len());
        }
        say(&done.findings);
        let count = |which: fn(&Import) -> bool| done.games.iter().filter(|(_, outcome)| which(outcome)).count();
        println!(
            "{} games {verb}, {} before, {} refused",
            count(|i| matches!(i, Import::Taken { .. })),
            count(|i| matches!(i, Import::Before(_))),
            count(|i| matches!(i, Import::Refused)),
        );
        refused.set(done.findings.iter().any(|finding| finding.weight() == Weight::Refused));
        Ok(())
    });
    if code == ExitCode::SUCCESS && refused.get() { ExitCode::from(exit::FAILED) } else { code }
}

/// `chancery export-dpjudge`
pub fn run_export(args: ExportArgs) -> ExitCode {
    with_clerk(&args.site, |clerk, _| {
        let done = clerk.export_dpjudge(&args.dir)?;
        for (game, files) in &done.games {
            println!("{game}: {files} files");
        }
        for map in &done.maps {
            println!("{map}: written");
        }
        say(&done.findings);
        println!("{} games written to {}", done.games.len(), args.dir.display());
        Ok(())
    })
}

/// What is to be said, the worst last, where it is still on the screen.
fn say(findings: &[Finding]) {
    for weight in [Weight::Note, Weight::Lost, Weight::Broken, Weight::Refused] {
        for finding in findings.iter().filter(|finding| finding.weight() == weight) {
            println!("{finding}");
        }
    }
}
