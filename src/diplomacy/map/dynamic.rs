//! The board of a game: base file, then its MORPH lines, then FROM blocks of the phases reached, then IN blocks of the
//! current phase (map-file.md 10.2 and 10.4). Always rebuilt from the written lines, so nothing is lost on the way.

use super::diagnostic::LoadError;
use super::draft::{Block, When};
use super::library::BuiltIn;
use super::load::{Loaded, finish};
use super::read::Reader;
use super::source::Source;
use super::{Diagnostic, Map};
use crate::diplomacy::phase::{Flow, Phase};
use std::cmp::Ordering;

impl Map {
    /// The board with these MORPH lines, as it is in that phase (`None`: without dynamic blocks). Files named by a
    /// morph are looked for among the built-in ones.
    pub fn with_morphs(&self, morphs: &[String], phase: Option<&Phase>) -> Result<Loaded, LoadError> {
        self.with_morphs_from(morphs, phase, &BuiltIn)
    }

    /// [`Map::with_morphs`] with a source of its own for what a morph uses.
    pub fn with_morphs_from(
        &self,
        morphs: &[String],
        phase: Option<&Phase>,
        source: &dyn Source,
    ) -> Result<Loaded, LoadError> {
        let mut reader = Reader::new((*self.origin).clone(), source);
        reader.morphing = true;
        reader.lines(morphs.iter().enumerate().map(|(n, line)| (line.as_str(), ("MORPH".to_owned(), n + 1))));
        name_lines(&mut reader.found, morphs);
        // The written board of the game: what later phases are built on.
        let base = reader.draft.clone();
        if let Some(phase) = phase {
            let (flow, _) = Flow::from_written(&base.flow);
            for block in reached(&base.blocks, &flow, phase) {
                reader.lines(block.lines.iter().map(|(line, at)| (line.as_str(), at.clone())));
            }
        }
        let Reader { mut draft, found, .. } = reader;
        draft.blocks.clone_from(&base.blocks);
        let mut loaded = finish(draft, found, source, true)?;
        // Another phase or other morphs start from the file again.
        loaded.map.origin = self.origin.clone();
        Ok(loaded)
    }

    /// The board as its file has it, if morphs or a phase have made this one from it.
    pub fn unchanged(&self) -> Option<Map> {
        if std::sync::Arc::ptr_eq(&self.draft, &self.origin) {
            return None;
        }
        self.with_morphs(&[], None).ok().map(|loaded| loaded.map)
    }

    /// Whether the board changes with the phase, so that units must be compared with it after each.
    pub fn is_dynamic(&self) -> bool {
        !self.draft.blocks.is_empty()
    }
}

/// A morph has no file: its own text tells the Master which line is meant.
fn name_lines(found: &mut [Diagnostic], morphs: &[String]) {
    for diagnostic in found {
        let line = diagnostic.line.checked_sub(1).and_then(|n| morphs.get(n));
        if let (Some(line), "MORPH") = (line, diagnostic.file.as_str()) {
            diagnostic.text = format!("{} [{}]", diagnostic.text, line.trim());
        }
    }
}

/// Blocks that hold in a phase: FROM in the order of their phases, then IN in the order of the file.
fn reached<'a>(blocks: &'a [Block], flow: &Flow, phase: &Phase) -> Vec<&'a Block> {
    let mut from: Vec<(Phase, &Block)> = Vec::new();
    let mut now: Vec<&Block> = Vec::new();
    for block in blocks {
        match &block.when {
            When::From(short) => {
                if let Some(start) = flow.parse_short(short)
                    && flow.compare(&start, phase) != Ordering::Greater
                {
                    from.push((start, block));
                }
            }
            When::In(text) => {
                if *text == phase.short() || phase.to_string().starts_with(text.as_str()) {
                    now.push(block);
                }
            }
        }
    }
    from.sort_by(|(a, _), (b, _)| flow.compare(a, b));
    from.into_iter().map(|(_, block)| block).chain(now).collect()
}
