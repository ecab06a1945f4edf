//! `chancery clock`: deadlines: next, tick, date, absence (operations.md 2.2, OPS-013).

use super::stream::{self, Object, Reply};
use crate::clock::{self, ClockRules, Query, Timing, format, zone};
use chrono::{DateTime, NaiveDateTime, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;

/// Deadlines: next, tick, date, absence, explain, suspend, resume.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand, Debug)]
enum Verb {
    /// The next deadline of each object (JSON Lines)
    Next(Check),
}

/// Where a data verb takes its objects from.
#[derive(clap::Args, Debug)]
struct Check {
    /// Compare the entries of a vectors file with what they expect, instead of reading standard input
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
}

/// Runs the verb.
pub fn run(args: Args) -> ExitCode {
    match args.verb {
        Verb::Next(from) => data(from, &["deadline", "deadline_fuzz"], next),
    }
}

fn data(from: Check, lists: &[&str], answer: fn(&Object) -> Reply) -> ExitCode {
    match from.check {
        None => stream::run_stdio(answer),
        Some(path) => stream::check_lists(&path, lists, answer, expected),
    }
}

/// What a vector expects, in the keys of the output; a bare value is the result.
fn expected(entry: &Object) -> Value {
    match entry.get("expect") {
        Some(Value::Object(keys)) => Value::Object(keys.clone()),
        other => json!({ "result": other }),
    }
}

/// `clock next`
fn next(line: &Object) -> Reply {
    next_deadline(line).into()
}

fn next_deadline(line: &Object) -> Result<Value, String> {
    let timing: Timing = text(line, "timing")?.parse().map_err(|error: clock::TimingError| error.to_string())?;
    let phase = text(line, "phase")?;
    let query = Query {
        now: moment(line, "now")?,
        zone: zone_of(line)?,
        timing: &timing,
        phase: phase.split_whitespace().last().ok_or("phase: empty (want SEASON YEAR TYPE)")?,
        rules: rules(line)?,
        first: flag(line, "first")?,
        previous: stamp(line, "previous")?,
    };
    let deadline = clock::next_deadline(&query).map_err(|error| error.to_string())?;
    Ok(json!({
        "deadline": deadline.local.map(format::stamp),
        "utc": deadline.utc.as_ref().map(format::rfc3339),
        "not_after": clock::absence::list_text(&deadline.absences),
    }))
}

/// A key that may be missing or null.
fn get<'a>(line: &'a Object, key: &str) -> Option<&'a Value> {
    line.get(key).filter(|value| !value.is_null())
}

/// A string; empty if missing.
fn text<'a>(line: &'a Object, key: &str) -> Result<&'a str, String> {
    get(line, key).map_or(Ok(""), |value| value.as_str().ok_or_else(|| format!("{key}: not a string")))
}

/// true or false; false if missing.
fn flag(line: &Object, key: &str) -> Result<bool, String> {
    get(line, key).map_or(Ok(false), |value| value.as_bool().ok_or_else(|| format!("{key}: not true or false")))
}

/// A list of strings; empty if missing.
fn words<'a>(line: &'a Object, key: &str) -> Result<Vec<&'a str>, String> {
    let bad = || format!("{key}: not a list of strings");
    let Some(value) = get(line, key) else { return Ok(Vec::new()) };
    value.as_array().ok_or_else(bad)?.iter().map(|word| word.as_str().ok_or_else(bad)).collect()
}

fn rules(line: &Object) -> Result<ClockRules, String> {
    Ok(ClockRules::from_names(words(line, "rules")?))
}

fn moment(line: &Object, key: &str) -> Result<DateTime<Utc>, String> {
    let text = text(line, key)?;
    let moment = DateTime::parse_from_rfc3339(text).map_err(|_| format!("{key}: not an RFC 3339 time: {text}"))?;
    Ok(moment.to_utc())
}

/// A stamp in local time.
fn stamp(line: &Object, key: &str) -> Result<Option<NaiveDateTime>, String> {
    match text(line, key)? {
        "" => Ok(None),
        text => format::parse_stamp(text).map(Some).ok_or_else(|| format!("{key}: not a yyyymmddhhmm stamp: {text}")),
    }
}

fn zone_of(line: &Object) -> Result<Tz, String> {
    match text(line, "zone")? {
        "" => Ok(Tz::GMT),
        name => zone::named(name).map_err(|error| error.to_string()),
    }
}
