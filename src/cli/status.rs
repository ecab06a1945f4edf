//! `chancery status`: status files: check, fmt, json (operations.md OPS-015).

use crate::diplomacy::geography::{Examined, examine};
use crate::diplomacy::map::library::Library;
use crate::diplomacy::rules::{Rule, Variant};
use crate::status::json::json;
use crate::status::{Diagnostic, Document};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Status files: check, fmt, json.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand, Debug)]
enum Verb {
    /// One diagnostic a line; fails if one is an error
    Check {
        /// The status file
        file: PathBuf,
        #[command(flatten)]
        game: GameArgs,
    },
    /// The canonical rewrite, to stdout
    Fmt {
        /// The status file
        file: PathBuf,
    },
    /// The game as one JSON object
    Json {
        /// The status file
        file: PathBuf,
        #[command(flatten)]
        game: GameArgs,
        /// Show passwords
        #[arg(long)]
        with_secrets: bool,
    },
}

#[derive(clap::Args, Debug)]
struct GameArgs {
    /// The rule-variant: standard, payola or xtalball (default: what the lines of the file suggest)
    #[arg(long, value_parser = variant)]
    variant: Option<Variant>,
    /// A site whose maps come before the built-in ones
    #[arg(long, env = "CHANCERY_ROOT")]
    root: Option<PathBuf>,
}

fn variant(text: &str) -> Result<Variant, String> {
    Variant::named(text).ok_or_else(|| "want standard, payola or xtalball".to_owned())
}

impl GameArgs {
    fn examine(&self, document: &Document) -> Examined {
        examine(document, self.variant, &Library::of_site(self.root.as_deref()))
    }
}

/// Runs the verb.
pub fn run(args: Args) -> ExitCode {
    let (Verb::Check { file, .. } | Verb::Fmt { file } | Verb::Json { file, .. }) = &args.verb;
    let document = match open(file) {
        Ok(document) => document,
        Err(reason) => {
            eprintln!("{}: {reason}", file.display());
            return ExitCode::FAILURE;
        }
    };
    match &args.verb {
        Verb::Check { file, game } => report(file, &game.examine(&document).checked.diagnostics),
        Verb::Fmt { .. } => print(&document.canonical()),
        Verb::Json { game, with_secrets, .. } => {
            let found = game.examine(&document);
            let rules = found.rules.rules.iter().map(Rule::name);
            let value = json(&document, &found.checked.game, rules, &found.checked.diagnostics, *with_secrets);
            print(&format!("{value:#}\n"))
        }
    }
}

fn open(file: &Path) -> Result<Document, String> {
    let bytes = std::fs::read(file).map_err(|e| e.to_string())?;
    Document::parse(&bytes).map_err(|e| e.to_string())
}

fn report(file: &Path, found: &[Diagnostic]) -> ExitCode {
    let mut text = String::new();
    for finding in found {
        text.push_str(&format!("{}:{finding}\n", file.display()));
    }
    let errors = found.iter().filter(|d| d.is_error()).count();
    text.push_str(&format!("{errors} errors, {} warnings\n", found.len() - errors));
    let written = print(&text);
    if errors > 0 { ExitCode::FAILURE } else { written }
}

/// Writes to stdout; a reader that went away is no reason to panic.
fn print(text: &str) -> ExitCode {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
