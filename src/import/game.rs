//! One game on its way in: every file of its directory, its line of the index, the people in it (OPS-111, 2 and 3).

use super::index::{OldLine, PLACE, disagreement, line_for};
use super::status::{self, Converted, Rekey, has_begun};
use super::text::to_utf8;
use super::tree::Files;
use super::{Finding, Left, What, access};
use crate::archive::{GameName, NameError, SitePath};
use crate::diplomacy::rules::Variant;
use crate::hex::hex;
use crate::judge::IndexLine;
use crate::status::{Diagnostic, Document, Game, Holder, Person, PlayerLine};
use sha2::{Digest, Sha256};

/// Texts of the old judge beside the status files; what follows a dot (`results.0`) changes nothing.
const TEXTS: [&str; 9] = ["results", "press", "access", "summary", "mail", "EOG", "chart", "ledgers", "lists"];

/// Whether the file is a status file: the current one, or a copy.
pub(super) fn is_status(file: &str) -> bool {
    file == "status" || file.starts_with("status.")
}

/// Whether the old judge wrote the file as Latin-1 text.
pub(super) fn is_text(file: &str) -> bool {
    let (stem, rest) = file.split_once('.').unwrap_or((file, ""));
    TEXTS.contains(&stem) && rest.bytes().all(|b| b.is_ascii_alphanumeric()) && rest != "jsonl"
}

/// A game of the old site.
#[derive(Clone, Copy, Debug)]
pub struct OldGame<'a> {
    /// Name of its directory.
    pub name: &'a str,
    /// Its files.
    pub files: &'a Files,
    /// What the index says.
    pub line: Option<&'a OldLine>,
}

/// The same game for this site.
#[derive(Clone, Debug)]
pub struct TakenGame {
    /// Its line in the index.
    pub line: IndexLine,
    /// Its files, by name in its directory.
    pub files: Vec<(String, Vec<u8>)>,
    /// What there is to say.
    pub findings: Vec<Finding>,
}

/// Diagnostics of a status file of that variant, board and rules included.
pub type Examiner<'a> = &'a dyn Fn(&Document, Option<Variant>) -> Vec<Diagnostic>;

impl OldGame<'_> {
    /// The name, if a game may be called so here.
    pub fn game_name(&self) -> Result<GameName, NameError> {
        GameName::old(self.name)
    }

    /// What all its bytes come down to: the same game is taken over once.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        let line = self.line.map(|old| crate::status::index::line(&old.line)).unwrap_or_default();
        for (name, bytes) in self.files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())) {
            for part in [name.as_bytes(), bytes] {
                hash.update(part.len().to_le_bytes());
                hash.update(part);
            }
        }
        hash.update(line);
        hex(hash.finalize().iter().take(16))
    }

    fn status(&self) -> Option<Document> {
        self.files.get("status").and_then(|bytes| Document::parse(bytes).ok())
    }

    /// Everybody who plays or has played in it, or mastered it, as the current status file says.
    pub fn people(&self) -> Vec<Person> {
        self.status().map(|document| people(document.game())).unwrap_or_default()
    }

    /// What becomes of it. `hash` hashes the password of a seat.
    pub fn take(&self, examine: Examiner, hash: Rekey) -> TakenGame {
        let document = self.status();
        let game = document.as_ref().map(Document::game);
        let begun = game.is_some_and(has_begun);
        let mut in_index = Vec::new();
        let line = line_for(self.name, self.line, game, &mut in_index);
        if let Some(phase) = game.and_then(|game| disagreement(game, line.state)) {
            in_index.push(What::Disagree { phase, state: line.state });
        }
        let variant = Variant::named(&line.variant);
        if variant.is_none() {
            in_index.push(What::Variant(line.variant.clone()));
        }
        let mut taken = TakenGame { line, files: Vec::new(), findings: Vec::new() };
        taken.findings.extend(in_index.into_iter().map(|what| Finding::new(format!("{PLACE} ({})", self.name), what)));
        for (file, bytes) in self.files {
            let place = format!("games/{}/{file}", self.name);
            let mut say = |what| taken.findings.push(Finding::new(place.clone(), what));
            if file == "audit.log" {
                say(What::Left(Left::AuditLog));
                continue;
            }
            if let Err(error) = SitePath::new(&format!("games/{}/{file}", self.name)) {
                say(What::Left(Left::Name(error)));
                continue;
            }
            let bytes = if is_status(file) {
                let Converted { bytes, findings, document } = status::take(&place, bytes, begun, hash);
                let errors = document.as_ref().map(|document| self.errors(file, document, variant, examine));
                taken.findings.extend(findings);
                let mut say = |what| taken.findings.push(Finding::new(place.clone(), what));
                if let Some(errors) = errors.filter(|errors| !errors.is_empty()) {
                    say(What::Errors(errors));
                }
                match document.as_ref().map(|document| document.game().name.clone()) {
                    Some(name) if file == "status" && name != self.name => say(What::Mismatch(name)),
                    _ => {}
                }
                bytes
            } else if is_text(file) {
                let (bytes, said) = to_utf8(bytes);
                said.into_iter().for_each(&mut say);
                if file == "access" {
                    let (bytes, said) = access::blanked(&bytes);
                    said.into_iter().for_each(&mut say);
                    bytes
                } else {
                    bytes
                }
            } else {
                bytes.clone()
            };
            taken.files.push((file.clone(), bytes));
        }
        taken
    }

    /// Errors of a status file as it will stand here. Copies are read without their board.
    fn errors(&self, file: &str, document: &Document, variant: Option<Variant>, examine: Examiner) -> Vec<String> {
        let all = if file == "status" { examine(document, variant) } else { document.diagnostics().to_vec() };
        all.iter().filter(|d| d.is_error()).map(Diagnostic::to_string).collect()
    }
}

fn people(game: &Game) -> Vec<Person> {
    let lines = game.master.iter().chain(game.participants.iter().filter_map(|p| p.player.as_ref()));
    let holders = |line: &PlayerLine| {
        std::iter::once(line.current.clone()).chain(line.earlier.iter().map(|(_, holder)| holder.clone())).collect()
    };
    let all = lines.flat_map(|line| -> Vec<Holder> { holders(line) });
    all.filter_map(|holder| if let Holder::Person(person) = holder { Some(person) } else { None }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_files_are_texts() {
        for (file, status, text) in [
            ("status", true, false),
            ("status.S1901M.0", true, false),
            ("status.backup", true, false),
            ("statusquo", false, false),
            ("results", false, true),
            ("results.0", false, true),
            ("results.jsonl", false, false),
            ("press", false, true),
            ("pressure", false, false),
            ("notes/press", false, false),
            ("map.gif", false, false),
        ] {
            assert_eq!((is_status(file), is_text(file)), (status, text), "{file}");
        }
    }
}
