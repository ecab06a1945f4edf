//! `chancery clock`: deadlines: next, tick, date, absence (operations.md 2.2, OPS-013); the verbs that work on a site are
//! in [`outage`].

use super::outage;
use super::stream::{self, Object, Reply};
use crate::clock::absence::{list_text, parse_list};
use crate::clock::timing::is_movement;
use crate::clock::{
    self, AbsenceQuery, ClockRules, Controller, DateQuery, GameClock, Owing, Query, Seat, Timing, format, zone,
};
use crate::judge::GameState;
use crate::status::PhaseKeyword;
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
    /// One twenty-minute check of each object (JSON Lines)
    Tick(Check),
    /// The date each SET DEADLINE means (JSON Lines)
    Date(Check),
    /// The absence each SET ABSENCE means (JSON Lines)
    Absence(Check),
    /// Stop all deadline work until `clock resume`
    Suspend(outage::SuspendArgs),
    /// Go on with deadline work
    Resume(outage::ResumeArgs),
    /// Move deadlines of active games
    Extend(outage::ExtendArgs),
    /// Say how a game's next deadline comes about
    Explain(outage::ExplainArgs),
}

/// Where a data verb takes its objects from.
#[derive(clap::Args, Debug)]
struct Check {
    /// Compare the entries of a vectors file with what they expect, instead of reading standard input
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
}

/// The states of a game, for an error.
const STATES: &str = "preparation, forming, active, waiting, completed or terminated";

/// Runs the verb.
pub fn run(args: Args) -> ExitCode {
    match args.verb {
        Verb::Next(from) => data(from, &["deadline", "deadline_fuzz"], |line| next(line).into()),
        Verb::Tick(from) => data(from, &["tick"], |line| tick(line).into()),
        Verb::Date(from) => data(from, &["dates"], |line| date(line).into()),
        Verb::Absence(from) => data(from, &["absences"], |line| absence(line).into()),
        Verb::Suspend(args) => outage::suspend(args),
        Verb::Resume(args) => outage::resume(args),
        Verb::Extend(args) => outage::extend(args),
        Verb::Explain(args) => outage::explain(args),
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
fn next(line: &Object) -> Result<Value, String> {
    let timing = timing(line)?;
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
        "not_after": list_text(&deadline.absences),
    }))
}

/// `clock tick`
fn tick(line: &Object) -> Result<Value, String> {
    let timing = timing(line)?;
    let state = text(line, "state")?;
    let owing = owing(line)?;
    let delay = match get(line, "delay") {
        None => 0,
        Some(delay) => delay
            .as_u64()
            .and_then(|n| u8::try_from(n).ok())
            .filter(|n| *n <= 72)
            .ok_or("delay: not a number from 0 to 72")?,
    };
    let game = GameClock {
        now: moment(line, "now")?,
        previous_round: None,
        state: GameState::named(state).ok_or_else(|| format!("state: unknown: {state:?} (want {STATES})"))?,
        held: words(line, "flags")?.contains(&"held"),
        errors: flag(line, "errors")?,
        keyword: match text(line, "keyword")? {
            "" | "PHASE" => PhaseKeyword::Phase,
            "AWAIT" => PhaseKeyword::Await,
            "WAIT" => PhaseKeyword::Wait,
            "SKIP" => PhaseKeyword::Skip,
            other => return Err(format!("keyword: unknown: {other} (want PHASE, AWAIT, WAIT or SKIP)")),
        },
        movement: is_movement(text(line, "phase_type")?),
        deadline: stamp(line, "deadline")?.map(|stamp| stamp.and_utc()),
        delay,
        rules: rules(line)?,
        timing: &timing,
        need: !words(line, "need")?.is_empty(),
        owing: &owing,
        waiting: !words(line, "wait")?.is_empty(),
    };
    let verdict = clock::tick(&game);
    Ok(json!({
        "action": verdict.action.word(),
        "delay": verdict.delay,
        "state": verdict.state.word(),
        "dismissed": verdict.dismissed,
    }))
}

/// The powers that owe orders, each with what it is. A vector does not name the controller of a vassal, so the vassal
/// stands for him.
fn owing(line: &Object) -> Result<Vec<Owing<'_>>, String> {
    let Some(powers) = get(line, "owing") else { return Ok(Vec::new()) };
    let powers = powers.as_object().ok_or("owing: not an object (want POWER: player, dummy, vassal or resigned)")?;
    powers.iter().map(|(power, kind)| owed_by(power, kind)).collect()
}

fn owed_by<'a>(power: &'a str, kind: &Value) -> Result<Owing<'a>, String> {
    let seat = match kind.as_str() {
        Some("player") => Seat::Player,
        Some("dummy") => Seat::Dummy,
        Some("resigned") => Seat::Resigned,
        Some("vassal") => Seat::Vassal(power, Controller::Player),
        _ => return Err(format!("owing: {power}: want player, dummy, vassal or resigned")),
    };
    Ok(Owing { power, seat })
}

/// `clock date`
fn date(line: &Object) -> Result<Value, String> {
    let timing = match text(line, "at")? {
        "" => Timing::default(),
        at => Timing::from_pairs(&[("AT", at)]).map_err(|error| format!("at: {error} (want {})", error.wanted()))?,
    };
    let zone = zone_of(line)?;
    let query = DateQuery {
        now: now_local(line, zone)?,
        zone,
        at: &timing.at,
        current: None,
        real_time: flag(line, "real_time")?,
        text: text(line, "text")?,
    };
    Ok(json!({ "result": clock::parse_date(&query).ok().map(format::stamp) }))
}

/// `clock absence`
fn absence(line: &Object) -> Result<Value, String> {
    let mut existing = match text(line, "existing_not")? {
        "" => Vec::new(),
        not => parse_list(not).map_err(|error| format!("existing_not: {error}"))?,
    };
    let zone = zone_of(line)?;
    let query = AbsenceQuery {
        now: now_local(line, zone)?,
        zone,
        master: match text(line, "by")? {
            "master" => true,
            "" | "player" => false,
            other => return Err(format!("by: want player or master: {other}")),
        },
        rules: rules(line)?,
        existing: &existing,
        text: text(line, "text")?,
    };
    match clock::absence(&query) {
        Ok(absence) => {
            existing.push(absence);
            Ok(json!({ "ok": true, "not": list_text(&existing) }))
        }
        Err(refusal) => Ok(json!({ "ok": false, "error": refusal.to_string() })),
    }
}

fn timing(line: &Object) -> Result<Timing, String> {
    text(line, "timing")?.parse().map_err(told)
}

/// What is wrong with a TIMING, and what would be right.
fn told(error: clock::TimingError) -> String {
    format!("timing: {error} (want {})", error.wanted())
}

fn now_local(line: &Object, zone: Tz) -> Result<DateTime<Utc>, String> {
    let local = stamp(line, "now_local")?.ok_or_else(|| "now_local: missing (want yyyymmddhhmm)".to_owned())?;
    Ok(zone::resolve(zone, local).to_utc())
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
    let bad = |_| match text {
        "" => format!("{key}: missing (want an RFC 3339 time, such as 2024-07-10T12:40:00Z)"),
        text => format!("{key}: not an RFC 3339 time: {text} (want such as 2024-07-10T12:40:00Z)"),
    };
    let moment = DateTime::parse_from_rfc3339(text).map_err(bad)?;
    Ok(moment.to_utc())
}

/// A stamp in local time.
fn stamp(line: &Object, key: &str) -> Result<Option<NaiveDateTime>, String> {
    match text(line, key)? {
        "" => Ok(None),
        text => format::parse_stamp(text)
            .map(Some)
            .ok_or_else(|| format!("{key}: not a stamp: {text} (want yyyymmddhhmm of a day that exists)")),
    }
}

fn zone_of(line: &Object) -> Result<Tz, String> {
    match text(line, "zone")? {
        "" => Ok(Tz::GMT),
        name => zone::named(name).map_err(|error| {
            format!("zone: {error} (want a name of the time-zone database, such as Europe/Paris, or GMT)")
        }),
    }
}
