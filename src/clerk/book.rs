//! The index of games as it was read last: kept while its file is the same, so that opening a game does not read the lines
//! of a hundred thousand others.

use super::{Clerk, ClerkError};
use crate::archive::Trace;
use crate::judge::IndexLine;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// The lines of the index, in order of names.
#[derive(Debug, Default)]
pub struct Book {
    lines: Vec<IndexLine>,
}

impl Book {
    fn read(text: &str) -> Book {
        let mut lines: Vec<IndexLine> = text.lines().filter_map(crate::status::index::parse).collect();
        // Of two lines for one game the first counts.
        lines.sort_by(|a, b| a.name.cmp(&b.name));
        lines.dedup_by(|later, first| later.name == first.name);
        Book { lines }
    }

    /// All lines.
    pub fn lines(&self) -> &[IndexLine] {
        &self.lines
    }

    /// The line of a game.
    pub fn of(&self, game: &str) -> Option<&IndexLine> {
        let place = self.lines.binary_search_by(|line| line.name.as_str().cmp(game)).ok()?;
        self.lines.get(place)
    }
}

/// The book that was read last, and the file it was read from.
#[derive(Default)]
pub(super) struct Kept(Mutex<Option<(Trace, Arc<Book>)>>);

impl Clerk {
    /// The index.
    pub fn book(&self) -> Result<Arc<Book>, ClerkError> {
        let seen = SystemTime::now();
        let trace = self.archive.index_trace()?;
        if let (Some(trace), Ok(kept)) = (trace, self.book.0.lock())
            && let Some((there, book)) = kept.as_ref()
            && *there == trace
        {
            return Ok(Arc::clone(book));
        }
        let book = Arc::new(Book::read(&self.archive.index()?));
        // A file so young that the next change might not show is read again.
        if let (Some(trace), Ok(mut kept)) = (trace, self.book.0.lock()) {
            *kept = trace.is_settled(seen).then(|| (trace, Arc::clone(&book)));
        }
        Ok(book)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::GameState;

    #[test]
    fn a_game_is_found_by_name_and_its_first_line_counts() {
        let book = Book::read("  elm standard active\n\nash standard waiting held\nelm standard forming\nnonsense\n");
        let names: Vec<&str> = book.lines().iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["ash", "elm"]);
        assert_eq!(book.of("elm").map(|line| line.state), Some(GameState::Active));
        assert!(book.of("ash").is_some_and(|line| line.held));
        assert!(book.of("oak").is_none());
    }
}
