//! The old index of games, `games/status`, any spacing, any case (status-file.md 10.3, OPS-111, 2).

use super::text::to_utf8;
use super::{Finding, What};
use crate::judge::{GameState, IndexLine};
use crate::status::index::derived_state;
use crate::status::{Game, PhaseState, index};
use std::collections::BTreeMap;

/// The index as the conversion knows it in its findings.
pub const PLACE: &str = "games/status";

/// What the old index says of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldLine {
    /// Its words, with any state if `state` has one of its own.
    pub line: IndexLine,
    /// A state that is none of ours: `error` was only reported, `held` is a flag.
    pub state: Option<String>,
}

impl OldLine {
    /// Reads a line; `None`: it is none.
    pub fn parse(text: &str) -> Option<OldLine> {
        if let Some(line) = index::parse(text) {
            return Some(OldLine { line, state: None });
        }
        let lower = text.to_lowercase();
        let mut words: Vec<&str> = lower.split_whitespace().collect();
        let state = *words.get(2).filter(|state| ["error", "held"].contains(state))?;
        words[2] = GameState::Preparation.word();
        let mut line = index::parse(&words.join(" "))?;
        line.held |= state == "held";
        Some(OldLine { line, state: Some(state.to_owned()) })
    }
}

/// The old index: lines by game, and what there is to say. Of two lines for a game the first counts, as it did.
pub fn read(bytes: &[u8]) -> (BTreeMap<String, OldLine>, Vec<Finding>) {
    let (text, mut what) = to_utf8(bytes);
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut lines: BTreeMap<String, OldLine> = BTreeMap::new();
    let mut spelling = 0;
    let mut last = String::new();
    for written in text.lines().filter(|line| !line.trim().is_empty()) {
        let Some(old) = OldLine::parse(written) else {
            what.push(What::NoLine(written.trim().to_owned()));
            continue;
        };
        if lines.contains_key(&old.line.name) {
            what.push(What::Twice(written.trim().to_owned()));
            continue;
        }
        let sorted = last < old.line.name;
        last.clone_from(&old.line.name);
        if old.state.is_none() && (!sorted || index::line(&old.line) != written) {
            spelling += 1;
        }
        lines.insert(old.line.name.clone(), old);
    }
    if spelling > 0 {
        what.push(What::Spelling(spelling));
    }
    (lines, what.into_iter().map(|what| Finding::new(PLACE, what)).collect())
}

/// Whether phase and state cannot be at once; then the word of the phase.
pub fn disagreement(game: &Game, state: GameState) -> Option<&'static str> {
    let word = match &game.phase {
        PhaseState::Forming => "FORMING",
        PhaseState::Completed => "COMPLETED",
        PhaseState::Running(_) => "of a running game",
    };
    (!state.agrees(game)).then_some(word)
}

/// The line for a game: what the old index says, or what follows from its status file.
pub fn line_for(game: &str, old: Option<&OldLine>, status: Option<&Game>, found: &mut Vec<What>) -> IndexLine {
    let derived = status.map(derived_state).unwrap_or_default();
    match old {
        Some(OldLine { line, state: None }) => line.clone(),
        Some(OldLine { line, state: Some(word) }) => {
            found.push(What::Derived { word: Some(word.clone()), state: derived });
            IndexLine { state: derived, ..line.clone() }
        }
        None => {
            found.push(What::Derived { word: None, state: derived });
            let variant = status.map(crate::diplomacy::geography::likely_variant).unwrap_or_default();
            IndexLine {
                name: game.to_owned(),
                variant: variant.word().to_owned(),
                state: derived,
                private: status.is_some_and(|game| game.private.is_some()),
                ..IndexLine::default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_of_any_form() {
        let text = b"   Hexham\tstandard ACTIVE private golden\n\nalone\n lantern standard held\nbeacon standard error unlisted\nhexham payola waiting\n";
        let (lines, findings) = read(text);
        assert_eq!(lines.keys().collect::<Vec<_>>(), ["beacon", "hexham", "lantern"]);
        assert_eq!(index::line(&lines["hexham"].line).trim(), "hexham standard active private golden");
        assert!(lines["lantern"].line.held && lines["lantern"].state.as_deref() == Some("held"));
        assert_eq!(lines["beacon"].state.as_deref(), Some("error"));
        let said: Vec<String> = findings.iter().map(Finding::to_string).collect();
        assert_eq!(
            said,
            [
                "lost: games/status: 'alone': want game, variant, state, flags",
                "lost: games/status: 'hexham payola waiting': a second line for one game; the first counts",
                "note: games/status: 1 line written anew with the same words: name in 32 columns, lower case, sorted",
            ]
        );
    }

    proptest! {
        #[test]
        fn a_line_says_the_same_after_the_way_there_and_back(
            name in "[a-z0-9][a-z0-9_-]{0,31}", variant in "[a-z]{1,9}", state in 0usize..6,
            flags in proptest::collection::vec("private|unlisted|suspect|corrupt|held|[a-z]{9}", 0..5), gap in "[ \t]{1,3}")
        {
            let state = GameState::ALL[state].1;
            let written = [name.as_str(), &variant, state].into_iter().chain(flags.iter().map(String::as_str));
            let written = written.collect::<Vec<_>>().join(&gap);
            let old = OldLine::parse(&written.to_uppercase()).unwrap();
            prop_assert_eq!(&old.state, &None);
            let again = OldLine::parse(&index::line(&old.line)).unwrap();
            prop_assert_eq!(&again, &old);
            for flag in &flags {
                prop_assert!(index::line(&old.line).split(' ').any(|word| word == flag));
            }
        }
    }
}
