//! `chancery orders`: order text in, canonical orders or codes out (operations.md OPS-012).

mod vectors;

use crate::diplomacy::map::library;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use vectors::Reader;

/// Order text in, canonical orders or codes out.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Read orders (JSON Lines on stdin) and say what the judge makes of them
    Parse(ParseArgs),
}

/// `chancery orders parse`
#[derive(clap::Args, Debug)]
struct ParseArgs {
    /// The map of boards that name none: a file or a name
    #[arg(long, default_value = "standard")]
    map: String,
    /// Add RULE OLD_JUDGE
    #[arg(long)]
    old_judge: bool,
    /// Run a file of vectors instead of stdin
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// A site, whose maps are looked in first
    #[arg(long, env = "CHANCERY_ROOT")]
    root: Option<PathBuf>,
}

/// Runs the verb.
pub fn run(args: Args) -> ExitCode {
    let What::Parse(args) = args.what;
    if let Err(error) = library::open(&args.map, args.root.as_deref()) {
        eprintln!("unknown map: {}", args.map);
        for diagnostic in error.diagnostics {
            eprintln!("{diagnostic}");
        }
        return ExitCode::from(1);
    }
    let mut reader = Reader::new(&args.map, args.root.clone(), args.old_judge);
    match &args.check {
        Some(file) => check(&mut reader, file),
        None => stream(&mut reader),
    }
}

/// JSON Lines, one answer a line, in order.
fn stream(reader: &mut Reader) -> ExitCode {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().split(b'\n') {
        let Ok(line) = line else {
            eprintln!("stdin cannot be read");
            return ExitCode::from(1);
        };
        let line = String::from_utf8_lossy(&line);
        if line.trim().is_empty() {
            continue;
        }
        let Some(answer) = reader.answer(&line) else { continue };
        if writeln!(out, "{answer}").and_then(|()| out.flush()).is_err() {
            return ExitCode::from(1);
        }
    }
    ExitCode::SUCCESS
}

/// A vectors file against its expectations: failures, then the count.
fn check(reader: &mut Reader, file: &std::path::Path) -> ExitCode {
    let results = std::fs::read_to_string(file).map_err(|e| e.to_string()).and_then(|text| reader.check(&text));
    let results = match results {
        Ok(results) => results,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            return ExitCode::from(1);
        }
    };
    let failures: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    for failure in &failures {
        println!("{failure}");
    }
    println!("{} passed, {} failed", results.len() - failures.len(), failures.len());
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
