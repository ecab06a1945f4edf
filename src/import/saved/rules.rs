//! RULE names of saved games (saved-game-json.md 4).

use crate::diplomacy::rules::Rule;
use crate::diplomacy::saved_game::SavedError;

/// What the Python package knows and no judge does.
const FOREIGN: [&str; 5] =
    ["DIFFERENT_ADJUDICATION", "DONT_SKIP_PHASES", "IGNORE_ERRORS", "MULTIPLE_POWERS_PER_PLAYER", "NO_OBSERVATIONS"];

/// The rules a game gets, each once, in the order of the file; what was left out is noted.
pub fn take(names: &[String], ignore_unknown: bool, notes: &mut Vec<String>) -> Result<Vec<String>, SavedError> {
    let mut rules: Vec<String> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        if Rule::named(name).is_some() {
            if !rules.contains(name) {
                rules.push(name.clone());
            }
        } else if FOREIGN.contains(&name.as_str()) {
            notes.push(format!("rule {name} is of the Python package only; it is left out"));
        } else if ignore_unknown {
            notes.push(format!("unknown rule {} is left out", name.escape_debug()));
        } else {
            let what = format!("unknown rule: {} (--ignore-unknown-rules leaves it out)", name.escape_debug());
            return Err(SavedError::Content { place: format!("rules[{at}]"), what });
        }
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_rules_are_noted_and_unknown_ones_refused() {
        let names: Vec<String> = ["NO_PRESS", "IGNORE_ERRORS", "NO_PRESS", "FREEZE"].map(String::from).to_vec();
        let mut notes = Vec::new();
        let error = take(&names, false, &mut notes).unwrap_err().to_string();
        assert_eq!(error, "rules[3]: unknown rule: FREEZE (--ignore-unknown-rules leaves it out)");
        assert_eq!(take(&names, true, &mut Vec::new()).unwrap(), ["NO_PRESS"]);
        assert_eq!(notes, ["rule IGNORE_ERRORS is of the Python package only; it is left out"]);
    }
}
