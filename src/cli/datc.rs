//! `chancery datc`: run a file of DATC cases (operations.md OPS-011), in the project's own format or in jDip's.

use crate::diplomacy::adjudicate::case::Table;
use crate::diplomacy::adjudicate::datc::{self, DatcCase, Difference, File};
use crate::diplomacy::adjudicate::{Profile, UnknownChoice, Workspace, jdip};
use crate::diplomacy::map::Map;
use crate::diplomacy::rules::{Rule, Rules};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Run a file of DATC cases.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The file: `datc.json`, or a text of `CASE` … `END` blocks in the format of jDip
    file: PathBuf,
    /// Under RULE OLD_JUDGE, against what the old judge did
    #[arg(long)]
    old_judge: bool,
    /// Only this case
    #[arg(long, value_name = "ID")]
    case: Option<String>,
    /// With another option of DATC chapter 4, `4.A.2=all-hold`, against the outcomes the file has for it
    #[arg(long, value_name = "ISSUE=OPTION", value_parser = choice, conflicts_with = "old_judge")]
    choice: Option<Chosen>,
}

/// An option by its name, and the default profile with it.
#[derive(Clone, Debug)]
struct Chosen {
    issue: String,
    option: String,
    profile: Profile,
}

fn choice(text: &str) -> Result<Chosen, UnknownChoice> {
    let (issue, option) = text.split_once('=').ok_or_else(|| UnknownChoice(text.into()))?;
    let profile = Profile::default().choosing(issue, option)?;
    Ok(Chosen { issue: issue.into(), option: option.into(), profile })
}

/// What came of the cases that were run: a line for each.
type Outcomes = Vec<(String, Result<(), Difference>)>;

/// Runs the verb.
pub fn run(args: Args) -> ExitCode {
    let outcomes = match outcomes(&args) {
        Ok(outcomes) => outcomes,
        Err(error) => {
            eprintln!("datc: {}: {error}", args.file.display());
            return ExitCode::from(1);
        }
    };
    if outcomes.is_empty() {
        let which = match (&args.case, &args.choice) {
            (Some(id), _) => format!("no case {id} in the file"),
            (None, Some(chosen)) => format!("no outcome for {}={} in the file", chosen.issue, chosen.option),
            (None, None) => "no case in the file".into(),
        };
        eprintln!("datc: {which}");
        return ExitCode::from(1);
    }
    let mut out = std::io::stdout().lock();
    let mut failed = 0;
    for (name, outcome) in &outcomes {
        let written = match outcome {
            Ok(()) => writeln!(out, "{name} ok"),
            Err(difference) => {
                failed += 1;
                writeln!(out, "{name} FAIL {difference}")
            }
        };
        if written.is_err() {
            return ExitCode::from(1);
        }
    }
    let written = writeln!(out, "{} passed, {failed} failed", outcomes.len() - failed);
    if failed > 0 || written.is_err() { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

fn outcomes(args: &Args) -> Result<Outcomes, Box<dyn std::error::Error>> {
    let text = String::from_utf8_lossy(&std::fs::read(&args.file)?).into_owned();
    let rules: Rules = args.old_judge.then_some(Rule::OldJudge).into_iter().collect();
    let profile = args.choice.as_ref().map_or_else(|| Profile::new(rules), |chosen| chosen.profile);
    // The project's own format is one JSON object.
    if text.trim_start().starts_with('{') { own(args, &text, &profile) } else { jdips(args, &text, &profile) }
}

fn own(args: &Args, text: &str, profile: &Profile) -> Result<Outcomes, Box<dyn std::error::Error>> {
    let file: File = serde_json::from_str(text)?;
    let table = Table::new(Map::builtin("standard").ok_or("the standard map is not built in")?);
    let mut memory = Workspace::new();
    let mut run = |case: &DatcCase| match &args.choice {
        None if args.old_judge => Some(datc::check_old(&table, case, profile, &mut memory)),
        None => Some(datc::check(&table, case, profile, &mut memory)),
        Some(chosen) => {
            let choice = case.choices().find(|c| c.issue == chosen.issue && c.option == chosen.option)?;
            Some(datc::check_choice(&table, case, choice, profile, &mut memory))
        }
    };
    let asked = |case: &&DatcCase| args.case.as_ref().is_none_or(|id| *id == case.id);
    Ok(file.cases.iter().filter(asked).filter_map(|case| Some((case.id.clone(), run(case)?))).collect())
}

fn jdips(args: &Args, text: &str, profile: &Profile) -> Result<Outcomes, Box<dyn std::error::Error>> {
    let file = jdip::read(text)?;
    for remark in &file.remarks {
        eprintln!("datc: {}: {remark}", args.file.display());
    }
    let mut memory = Workspace::new();
    let asked = |case: &&jdip::JdipCase| args.case.as_ref().is_none_or(|id| *id == case.id() || *id == case.name);
    let run = |case: &jdip::JdipCase| (case.name.clone(), jdip::check(&file.table, case, profile, &mut memory));
    Ok(file.cases.iter().filter(asked).map(run).collect())
}
