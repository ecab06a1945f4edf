//! `chancery datc`: run a file of DATC cases (operations.md OPS-011).

use crate::diplomacy::adjudicate::case::Table;
use crate::diplomacy::adjudicate::datc::{self, File};
use crate::diplomacy::adjudicate::{Profile, Workspace};
use crate::diplomacy::map::Map;
use crate::diplomacy::rules::{Rule, Rules};
use std::io::{BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Run a file of DATC cases.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The file: `datc.json`
    file: PathBuf,
    /// Under RULE OLD_JUDGE, against what the old judge did
    #[arg(long)]
    old_judge: bool,
    /// Only this case
    #[arg(long, value_name = "ID")]
    case: Option<String>,
}

/// Runs the verb.
pub fn run(args: Args) -> ExitCode {
    let file: File = match read(&args) {
        Ok(file) => file,
        Err(error) => {
            eprintln!("datc: {}: {error}", args.file.display());
            return ExitCode::from(1);
        }
    };
    let Some(map) = Map::builtin("standard") else {
        eprintln!("datc: the standard map is not built in");
        return ExitCode::from(1);
    };
    let table = Table::new(map);
    let rules: Rules = args.old_judge.then_some(Rule::OldJudge).into_iter().collect();
    let profile = Profile::new(rules);
    let mut memory = Workspace::new();
    let mut out = std::io::stdout().lock();
    let (mut passed, mut failed) = (0, 0);
    for case in file.cases.iter().filter(|c| args.case.as_ref().is_none_or(|id| *id == c.id)) {
        let outcome = if args.old_judge {
            datc::check_old(&table, case, &profile, &mut memory)
        } else {
            datc::check(&table, case, &profile, &mut memory)
        };
        let line = match outcome {
            Ok(()) => {
                passed += 1;
                format!("{} ok", case.id)
            }
            Err(difference) => {
                failed += 1;
                format!("{} FAIL {difference}", case.id)
            }
        };
        if writeln!(out, "{line}").is_err() {
            return ExitCode::from(1);
        }
    }
    if let Some(id) = args.case.filter(|_| passed + failed == 0) {
        eprintln!("datc: no case {id} in the file");
        return ExitCode::from(1);
    }
    let written = writeln!(out, "{passed} passed, {failed} failed");
    if failed > 0 || written.is_err() { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

fn read(args: &Args) -> Result<File, Box<dyn std::error::Error>> {
    Ok(serde_json::from_reader(BufReader::new(std::fs::File::open(&args.file)?))?)
}
