//! `chancery inspect [GAME] [EXPR]`: a look at games, and questions to them one by one (operations.md 2.1).

use super::common::SiteArgs;
use super::run::with_clerk;
use crate::clerk::{Clerk, ClerkError};
use chrono::{DateTime, Utc};
use serde_json::Value;
use std::io::{BufRead, Write};
use std::process::ExitCode;

/// Look at games.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The game; none: all of them, a line each; -: questions from standard input, a line each: GAME [EXPR].
    game: Option<String>,
    /// What to show of it: owing, late, why_not, powers.FRANCE.on_file, game.deadline, participants.FRANCE.units, …
    expr: Option<String>,
    /// Everything as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    site: SiteArgs,
}

/// `chancery inspect`
pub fn run(args: Args) -> ExitCode {
    with_clerk(&args.site, |clerk, now| match (args.game.as_deref(), args.expr.as_deref()) {
        (None, _) => all(clerk, args.json, now),
        (Some("-"), _) => shell(clerk, now),
        (Some(game), expr) => print(&answer(clerk, game, expr, args.json, now)?),
    })
}

/// One line a game.
fn all(clerk: &Clerk, json: bool, now: DateTime<Utc>) -> Result<(), ClerkError> {
    for game in clerk.game_names()? {
        let text = match clerk.inspect(game.as_str(), now) {
            Ok(value) if json => format!("{value}\n"),
            Ok(value) => {
                let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
                let why = words(&value["why_not"]);
                let stand = if why.is_empty() { "ready".to_owned() } else { why.join("; ") };
                format!("{:<32} {:<11} {:<9} {stand}\n", text("name"), text("state"), text("phase"))
            }
            Err(error) => format!("{game}: {error}\n"),
        };
        print(&text)?;
    }
    Ok(())
}

/// Questions one after the other, until there is no more.
fn shell(clerk: &Clerk, now: DateTime<Utc>) -> Result<(), ClerkError> {
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| ClerkError::Site(format!("standard input: {error}")))?;
        let mut words = line.split_whitespace();
        let Some(game) = words.next() else { continue };
        match answer(clerk, game, words.next(), false, now) {
            Ok(text) => print(&text)?,
            Err(error) => print(&format!("{error}\n"))?,
        }
    }
    Ok(())
}

fn answer(clerk: &Clerk, game: &str, expr: Option<&str>, json: bool, now: DateTime<Utc>) -> Result<String, ClerkError> {
    let value = clerk.inspect(game, now)?;
    let shown = match expr {
        Some(expr) => find(&value, expr).map_err(ClerkError::Site)?,
        None if json => &value,
        None => return Ok(overview(&value)),
    };
    Ok(if json { format!("{shown:#}\n") } else { plain(shown) })
}

/// The value that a dotted path names; participants go by their names.
fn find<'a>(value: &'a Value, path: &str) -> Result<&'a Value, String> {
    path.split('.').filter(|part| !part.is_empty()).try_fold(value, |value, part| {
        let found = match value {
            Value::Object(map) => map.iter().find(|(key, _)| key.eq_ignore_ascii_case(part)).map(|(_, value)| value),
            Value::Array(list) => part.parse::<usize>().ok().and_then(|n| list.get(n)).or_else(|| {
                list.iter().find(|v| v["name"].as_str().is_some_and(|name| name.eq_ignore_ascii_case(part)))
            }),
            _ => None,
        };
        found.ok_or_else(|| format!("there is no '{part}' here (there is: {})", keys(value)))
    })
}

fn keys(value: &Value) -> String {
    let names: Vec<String> = match value {
        Value::Object(map) => map.keys().cloned().collect(),
        Value::Array(list) => {
            let name = |(n, v): (usize, &Value)| v["name"].as_str().map_or_else(|| n.to_string(), str::to_owned);
            list.iter().enumerate().map(name).collect()
        }
        _ => Vec::new(),
    };
    if names.is_empty() { "nothing".into() } else { names.join(" ") }
}

/// A text as it is, a list line by line, anything else as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text}\n"),
        Value::Array(list) if list.iter().all(Value::is_string) => {
            list.iter().filter_map(Value::as_str).map(|line| format!("{line}\n")).collect()
        }
        other => format!("{other:#}\n"),
    }
}

fn words(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

fn overview(value: &Value) -> String {
    let text = |key: &str| value[key].as_str().unwrap_or("-").to_owned();
    let flags = words(&value["flags"]).iter().fold(String::new(), |text, flag| text + " " + flag);
    let mut out = format!("{} {}{flags}, {}, {}\n", text("name"), text("state"), text("variant"), text("phase"));
    out += &format!("deadline     {}\n", text("deadline"));
    for (key, label) in [("owing", "owing"), ("late", "late")] {
        let list = words(&value[key]);
        out += &format!("{label:<12} {}\n", if list.is_empty() { "nobody".into() } else { list.join(", ") });
    }
    let why = words(&value["why_not"]);
    out += &format!("ready        {}\n", if why.is_empty() { "yes".into() } else { format!("no: {}", why.join("; ")) });
    out += &format!("a round now  {}\n", text("a_round_now"));
    out += &format!("last commit  {}\n", text("last_commit"));
    if value["edited_by_hand"] == true {
        out += "status       edited by hand, not taken over yet\n";
    }
    out += "\n";
    for (power, seat) in value["powers"].as_object().into_iter().flatten() {
        let number = |key: &str| seat[key].as_u64().unwrap_or(0);
        let orders = seat["orders"].as_str().unwrap_or_default();
        out += &format!("{power:<12} {:>2} units {:>2} centres  orders {orders}\n", number("units"), number("centers"));
    }
    for finding in value["diagnostics"].as_array().into_iter().flatten() {
        let text = |key: &str| finding[key].as_str().unwrap_or_default();
        out += &format!("status:{}: {}: {}\n", finding["line"], text("severity"), text("text"));
    }
    out
}

/// Writes to stdout; a reader that went away is no reason to panic.
fn print(text: &str) -> Result<(), ClerkError> {
    let written = std::io::stdout().lock().write_all(text.as_bytes());
    written.map_err(|error| ClerkError::Site(format!("standard output: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_path_names_a_value() {
        let value = json!({"participants": [{"name": "FRANCE", "units": ["A PAR"]}], "late": []});
        assert_eq!(find(&value, "participants.france.units.0"), Ok(&json!("A PAR")));
        assert_eq!(find(&value, ""), Ok(&value));
        let told = find(&value, "participants.SPAIN").unwrap_err();
        assert_eq!(told, "there is no 'SPAIN' here (there is: FRANCE)");
        assert_eq!(plain(&value["participants"][0]["units"]), "A PAR\n");
    }
}
