//! What is wrong in a status file, where, and what would be right (status-file.md 7, 8).

use std::fmt;

/// Whether processing may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file is understood; its author may wish to know.
    Warning,
    /// The game is not processed until this is mended.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// One finding. `text` is the old judge's error string where it had one (status-file.md 8): programs match it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Line of the file, from 1; the heading or the GAME line when the finding is about something absent.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Severity.
    pub severity: Severity,
    /// The error string: `BAD DELAY COUNT: 73`.
    pub text: String,
    /// What would be right: `a whole number from 1 to 72`. May be empty.
    pub hint: String,
}

impl Diagnostic {
    /// An error.
    pub fn error(line: usize, column: usize, text: impl Into<String>, hint: impl Into<String>) -> Diagnostic {
        Diagnostic { line, column, severity: Severity::Error, text: text.into(), hint: hint.into() }
    }

    /// A warning.
    pub fn warning(line: usize, column: usize, text: impl Into<String>, hint: impl Into<String>) -> Diagnostic {
        Diagnostic { line, column, severity: Severity::Warning, text: text.into(), hint: hint.into() }
    }

    /// Whether it blocks processing.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    /// `12: error: BAD DEADLINE: 20041331 (column 10; want yyyymmddhhmm)`, without the column where it is the first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.line, self.severity, self.text)?;
        match (self.column, self.hint.as_str()) {
            (..=1, "") => Ok(()),
            (..=1, hint) => write!(f, " ({hint})"),
            (column, "") => write!(f, " (column {column})"),
            (column, hint) => write!(f, " (column {column}; {hint})"),
        }
    }
}
