//! What the loader has to say about a map file: how bad, where, what, and what would be right.
//!
//! The sentences in capitals are those of the map language (map-file.md 11); the hint is ours.

use std::fmt;

/// How bad it is (map-file.md 11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Shown to the Master and the author; games go on.
    Warning,
    /// No game may be made or processed with this map.
    Error,
}

/// One remark about a map file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The file as the [`super::Source`] labels it, or `MORPH`.
    pub file: String,
    /// Line, from 1; 0 when the remark is about the map as a whole.
    pub line: usize,
    /// Column of the offending word, from 1; 0 when unknown.
    pub column: usize,
    /// What is wrong.
    pub text: String,
    /// What would be right, if the loader has an idea.
    pub hint: Option<String>,
    /// The remark in the vocabulary of the facts (`power-is-place NORWAY`), if it has a word there.
    pub advisory: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{}:{}: {word}: {}", self.file, self.line, self.text)?;
        match (&self.hint, self.column) {
            (Some(hint), 0) => write!(f, " ({hint})"),
            (Some(hint), column) => write!(f, " (column {column}; {hint})"),
            (None, _) => Ok(()),
        }
    }
}

/// A map that cannot be played: everything the loader found, at least one of it an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("map {name} cannot be used: {}", first(.diagnostics))]
pub struct LoadError {
    /// The map's name.
    pub name: String,
    /// All remarks, in the order found.
    pub diagnostics: Vec<Diagnostic>,
}

fn first(all: &[Diagnostic]) -> String {
    let worst = all.iter().find(|d| d.severity == Severity::Error).or_else(|| all.first());
    worst.map_or_else(|| "no reason given".to_owned(), ToString::to_string)
}
