//! `chancery map`: map files: check, facts, draw.

use crate::diplomacy::map::{Diagnostic, Loaded, Severity, library};
use std::path::PathBuf;
use std::process::ExitCode;

/// Map files: check, facts, draw.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Say what is wrong with a map file, and what would be right
    Check(CheckArgs),
    /// Print what the loader found, as one JSON object
    Facts(FactsArgs),
    /// Draw a map as SVG or PNG
    Draw(super::map_draw::Args),
}

/// `chancery map check`
#[derive(clap::Args, Debug)]
struct CheckArgs {
    /// A map file, or the name of a map
    file: String,
    /// A site, whose maps are looked in first
    #[arg(long, env = "CHANCERY_ROOT")]
    root: Option<PathBuf>,
}

/// `chancery map facts`
#[derive(clap::Args, Debug)]
struct FactsArgs {
    /// A map file, or the name of a map
    map: String,
    /// A site, whose maps are looked in first
    #[arg(long, env = "CHANCERY_ROOT")]
    root: Option<PathBuf>,
}

/// Runs the verb.
pub fn run(args: Args) -> ExitCode {
    match args.what {
        What::Check(args) => check(&args),
        What::Facts(args) => facts(&args),
        What::Draw(args) => super::map_draw::run(&args),
    }
}

fn check(args: &CheckArgs) -> ExitCode {
    let found = match library::open(&args.file, args.root.as_deref()) {
        Ok(Loaded { map, mut diagnostics }) => {
            diagnostics.extend(map.review());
            diagnostics
        }
        Err(e) => e.diagnostics,
    };
    for diagnostic in &found {
        println!("{diagnostic}");
    }
    let count = |severity: Severity| found.iter().filter(|d: &&Diagnostic| d.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    println!("{errors} errors, {warnings} warnings");
    if errors > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

fn facts(args: &FactsArgs) -> ExitCode {
    match library::open(&args.map, args.root.as_deref()) {
        Ok(Loaded { map, diagnostics }) => {
            println!("{:#}", map.facts(&diagnostics));
            ExitCode::SUCCESS
        }
        Err(e) => {
            for diagnostic in &e.diagnostics {
                eprintln!("{diagnostic}");
            }
            ExitCode::from(1)
        }
    }
}
