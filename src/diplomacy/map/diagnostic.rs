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

/// The known word nearest to `word`, at most two edits away and nearer than replacing the word altogether.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_uppercase();
    let limit = if word.chars().count() <= 3 { 1 } else { 2 };
    known
        .into_iter()
        .map(|k| (distance(&word, &k.to_uppercase()), k))
        .filter(|(d, _)| *d <= limit)
        .min_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)))
        .map(|(_, k)| k)
}

/// Edits (insert, delete, replace, swap of neighbours) from one word to the other.
pub fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 3 {
        return usize::MAX;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], k: usize| row.get(k).copied().unwrap_or(usize::MAX - 1);
            let mut best = (at(&last, j) + usize::from(x != y)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                best = best.min(at(&before, j - 1) + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_offered() {
        assert_eq!(nearest("ENGALND", ["ENGLAND", "FRANCE"]), Some("ENGLAND"));
        assert_eq!(nearest("SPAA", ["SPA"]), Some("SPA"));
        assert_eq!(nearest("XYZ", ["SPA"]), None);
        assert_eq!(distance("", "ab"), 2);
    }
}
