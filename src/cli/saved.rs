//! `chancery export` and `chancery import`: games as JSON, in the format of the Python package `diplomacy`
//! (saved-game-json.md).

use super::common::{SiteArgs, exit};
use super::run::with_clerk;
use crate::clerk::{Clerk, ClerkError, ExportOptions, ImportWishes};
use crate::diplomacy::saved_game::nth_object;
use crate::import::saved::{Seat, master};
use crate::judge::GameState;
use chrono::{DateTime, Utc};
use std::cell::Cell;
use std::io::{BufReader, Read, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Write a game as JSON.
#[derive(clap::Args, Debug)]
pub struct ExportArgs {
    /// The game.
    game: String,
    /// As if it stood in this phase, such as S1905M.
    #[arg(long, value_name = "PHASE")]
    until: Option<String>,
    /// With the press between players.
    #[arg(long)]
    press: bool,
    /// On many lines, for reading.
    #[arg(long)]
    pretty: bool,
    #[command(flatten)]
    site: SiteArgs,
}

/// Make a game of a JSON file.
#[derive(clap::Args, Debug)]
pub struct ImportArgs {
    /// The file; -: standard input.
    file: PathBuf,
    /// What the game shall be called; else as its id says.
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
    /// Which of the games in the file.
    #[arg(long, value_name = "N", default_value = "1")]
    line: NonZeroUsize,
    /// Its Master; else the judgekeeper.
    #[arg(long, value_name = "ADDRESS|Name", value_parser = master)]
    master: Option<Seat>,
    /// Its state: completed, waiting or preparation.
    #[arg(long, value_name = "STATE", value_parser = state)]
    state: Option<GameState>,
    /// Go on by the rules of the old judge.
    #[arg(long)]
    old_judge: bool,
    /// Adjudicate every phase anew and tell the first difference.
    #[arg(long)]
    verify: bool,
    /// Leave out rules that nobody knows.
    #[arg(long)]
    ignore_unknown_rules: bool,
    #[command(flatten)]
    site: SiteArgs,
}

fn state(word: &str) -> Result<GameState, String> {
    let known = [GameState::Completed, GameState::Waiting, GameState::Preparation];
    known.into_iter().find(|state| state.word() == word).ok_or_else(|| "want completed, waiting or preparation".into())
}

/// `chancery export`
pub fn run_export(args: ExportArgs) -> ExitCode {
    told("export", &args.site, |clerk, _| {
        let options = ExportOptions { until: args.until.clone(), press: args.press };
        let (saved, notes) = clerk.export_saved(&args.game, &options)?;
        let text = if args.pretty { saved.write_pretty() } else { saved.write() };
        let mut out = std::io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
        written.map_err(|e| ClerkError::Site(format!("standard output: {e}")))?;
        notes.iter().for_each(|note| eprintln!("export: note: {note}"));
        Ok(())
    })
}

/// `chancery import`
pub fn run_import(args: ImportArgs) -> ExitCode {
    told("import", &args.site, |clerk, now| {
        let fail = |e: std::io::Error| ClerkError::Site(format!("{}: {e}", args.file.display()));
        let input: Box<dyn Read> = if args.file.as_os_str() == "-" {
            Box::new(std::io::stdin().lock())
        } else {
            Box::new(std::fs::File::open(&args.file).map_err(fail)?)
        };
        let text = nth_object(BufReader::new(input), args.line.get()).map_err(|e| ClerkError::Site(e.to_string()))?;
        let wishes = ImportWishes {
            name: args.name.clone(),
            master: args.master.clone(),
            state: args.state,
            old_judge: args.old_judge,
            ignore_unknown_rules: args.ignore_unknown_rules,
            verify: args.verify,
        };
        let done = clerk.import_saved(&text, &wishes, now)?;
        done.notes.iter().for_each(|note| eprintln!("import: note: {note}"));
        if let Some(difference) = done.difference {
            eprintln!("import: warning: {difference}");
        }
        println!("{}: {} phases, last {}", done.name, done.phases, done.last);
        Ok(())
    })
}

/// Does it; what is wrong with game or file is said in the name of the verb.
fn told(verb: &str, site: &SiteArgs, act: impl FnOnce(&Clerk, DateTime<Utc>) -> Result<(), ClerkError>) -> ExitCode {
    let failed = Cell::new(false);
    let code = with_clerk(site, |clerk, now| match act(clerk, now) {
        Err(error) if !error.is_temporary() => {
            eprintln!("{verb}: {error}");
            failed.set(true);
            Ok(())
        }
        done => done,
    });
    if failed.get() { ExitCode::from(exit::FAILED) } else { code }
}
