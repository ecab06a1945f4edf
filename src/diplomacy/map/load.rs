//! The door: text in, a validated [`Map`] or a [`LoadError`] out.

use super::diagnostic::{Diagnostic, LoadError, Severity};
use super::draft::Draft;
use super::read::Reader;
use super::source::Source;
use super::{Map, build};

/// A map and what there is to say about it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The board.
    pub map: Map,
    /// Warnings only: an error would have made it a [`LoadError`].
    pub diagnostics: Vec<Diagnostic>,
}

/// Loads `name` (a file name; `.map` is added when it has no dot) and all it uses.
pub fn load(name: &str, source: &dyn Source) -> Result<Loaded, LoadError> {
    let base = name.split('.').next().unwrap_or(name);
    let draft = Draft { name: base.to_owned(), ..Draft::default() };
    let mut reader = Reader::new(draft, source);
    reader.include(name);
    let Reader { draft, found, .. } = reader;
    finish(draft, found, source, false)
}

/// Builds the board of a draft; any error spoils it.
pub(super) fn finish(
    draft: Draft,
    mut found: Vec<Diagnostic>,
    source: &dyn Source,
    lenient: bool,
) -> Result<Loaded, LoadError> {
    if draft.files.is_empty() {
        return Err(LoadError { name: draft.name, diagnostics: found });
    }
    let (map, mut checked) = build::build(&draft, lenient);
    for diagnostic in checked.iter_mut().filter(|d| d.line == 0 && draft.files.contains(&d.file)) {
        diagnostic.file = source.label(&diagnostic.file);
    }
    found.append(&mut checked);
    if found.iter().any(|d| d.severity == Severity::Error) {
        return Err(LoadError { name: map.name, diagnostics: found });
    }
    Ok(Loaded { map, diagnostics: found })
}
