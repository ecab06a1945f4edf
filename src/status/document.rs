//! A status file as it stands: every line with its role, the typed view, the findings. What is not changed is
//! written back byte for byte; an edit touches only the lines of the values it changes.

use super::diagnostic::Diagnostic;
use super::line::{Ending, Line, join, split, trimmed};
use super::model::{Game, Participant, ParticipantKind};
use super::read::read;
use super::slot::{Role, Slot};
use super::write::{Lines, game_lines, heading, participant_lines};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

/// Largest file that is read: 1 MiB.
pub const MAX_BYTES: usize = 1 << 20;
/// Longest line that is read: 8 KiB.
pub const MAX_LINE: usize = 8 << 10;
/// Most participant blocks a game may have (D29).
pub const MAX_PARTICIPANTS: usize = 500;

/// A file that is not read at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Over [`MAX_BYTES`].
    #[error("file has {0} bytes, want at most {MAX_BYTES}")]
    File(usize),
    /// Over [`MAX_LINE`].
    #[error("line {0} has {1} bytes, want at most {MAX_LINE}")]
    Line(usize, usize),
    /// Over [`MAX_PARTICIPANTS`].
    #[error("line {0} opens one participant block too many, want at most {MAX_PARTICIPANTS}")]
    Participants(usize),
}

/// What a block of lines is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// The game block.
    Game,
    /// A block of that participant.
    Participant(usize),
    /// A block whose heading is not understood, or one of comments only: kept as it is.
    Verbatim,
}

/// A block: consecutive lines between empty ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub kind: BlockKind,
    pub lines: Range<usize>,
}

/// A status file: lines, typed view and findings, always in step.
#[derive(Clone, Debug)]
pub struct Document {
    pub(crate) lines: Vec<Line>,
    pub(crate) roles: Vec<Role>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) game: Game,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The line that opens a bracketed block without end: nothing can be put behind it in its block.
    pub(crate) unclosed: Option<usize>,
}

impl Document {
    /// Reads a file. Faults inside it are [`diagnostics`](Self::diagnostics); only sizes are refused.
    pub fn parse(bytes: &[u8]) -> Result<Document, Refused> {
        refuse_sizes(bytes.len(), &[])?;
        let lines = split(bytes);
        refuse_sizes(bytes.len(), &lines)?;
        read(lines)
    }

    /// The text, in UTF-8: what is to be stored. Equal to what was read if that was UTF-8.
    pub fn text(&self) -> String {
        text(&self.lines)
    }

    /// The bytes as they were read, in the encoding of each line.
    pub fn bytes(&self) -> Vec<u8> {
        join(&self.lines)
    }

    /// The typed view.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Findings of the grammar, in file order. What needs a map is found by the checks of `check`.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Whether the grammar has an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// The line (from 1) of the game block that says this, alone or as (part of) its value; else the MAP line, else
    /// the first.
    pub fn line_giving(&self, text: &str) -> usize {
        let blocks = self.blocks.iter().filter(|b| b.kind == BlockKind::Game);
        let lines: Vec<usize> = blocks.flat_map(|b| b.lines.clone()).collect();
        let says = |at: &usize| {
            let given = self.gives(*at);
            given.iter().any(|g| g == text || g.strip_prefix("MORPH ").is_some_and(|g| g == text))
        };
        let of_slot = |at: &usize| self.roles[*at].slots().contains(&Slot::Map);
        let found = lines.iter().find(|at| says(at)).or_else(|| lines.iter().find(|at| of_slot(at)));
        found.or(lines.first()).copied().unwrap_or(0) + 1
    }

    /// What the writer would write for a line alone, where lines add up.
    pub(crate) fn gives(&self, at: usize) -> Cow<'_, [String]> {
        self.roles[at].gives(&self.lines[at].text)
    }

    /// The first line (from 1) of the game block: GAME.
    pub fn game_line(&self) -> usize {
        self.blocks.iter().find(|b| b.kind == BlockKind::Game).map_or(1, |b| b.lines.start + 1)
    }

    /// Lines that were not understood, of the game block or of a participant, trimmed.
    pub fn unknown_lines(&self, participant: Option<usize>) -> Vec<&str> {
        let kind = participant.map_or(BlockKind::Game, BlockKind::Participant);
        let lines = self.blocks.iter().filter(|b| b.kind == kind).flat_map(|b| b.lines.clone());
        lines.filter(|at| self.roles[*at] == Role::Unknown).map(|at| trimmed(&self.lines[at].text)).collect()
    }

    /// Lines (from 1) without a value of any block, comments left out: kept, and not understood.
    pub fn lines_not_understood(&self) -> impl Iterator<Item = (usize, &str)> {
        let all = self.lines.iter().zip(&self.roles).enumerate();
        all.filter(|(_, (_, role))| **role == Role::Unknown).map(|(at, (line, _))| (at + 1, trimmed(&line.text)))
    }

    /// Takes the comments out, for a reader who does not know them; gives them.
    pub fn strip_comments(&mut self) -> Result<Vec<String>, Refused> {
        let is_comment = |at: &usize| self.roles[*at] == Role::Comment;
        let all = || 0..self.lines.len();
        let comments: Vec<String> =
            all().filter(is_comment).map(|at| trimmed(&self.lines[at].text).to_owned()).collect();
        if !comments.is_empty() {
            let rest: Vec<Line> = all().filter(|at| !is_comment(at)).map(|at| self.lines[at].clone()).collect();
            *self = Document::parse(&join(&rest))?;
        }
        Ok(comments)
    }

    // ---- editing -------------------------------------------------------------------------------------------------

    /// Makes the file say what `game` says. Only lines of values that differ from [`game`](Self::game) are
    /// rewritten; new ones go to their canonical place; comments, unknown lines and the order of the rest stay.
    pub fn update(&mut self, game: &Game) -> Result<(), Refused> {
        if *game == self.game {
            return Ok(());
        }
        let lines = Edit::new(self, game).run();
        *self = Document::parse(&join(&lines))?;
        Ok(())
    }

    /// The text that [`update`](Self::update) would leave, for somebody who only stores it: nothing is read again.
    pub fn updated(&self, game: &Game) -> Result<String, Refused> {
        if *game == self.game {
            return Ok(self.text());
        }
        if self.blocks.len() + game.participants.len() > MAX_PARTICIPANTS {
            // Perhaps too many; the reader counts them.
            let mut document = self.clone();
            return document.update(game).map(|()| document.text());
        }
        let lines = Edit::new(self, game).run();
        let bytes = join(&lines);
        refuse_sizes(bytes.len(), &lines)?;
        // Lines that were Latin-1 are stored as UTF-8.
        Ok(String::from_utf8(bytes).unwrap_or_else(|_| text(&lines)))
    }

    /// The canonical rewrite (`status fmt`): every value in its place, comments after the heading, unknown lines at
    /// the end of their block (before the order lists, which would swallow them). Nothing is lost.
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        let mut written = BTreeSet::new();
        let mut game_written = false;
        for block in &self.blocks {
            let fresh = match block.kind {
                BlockKind::Game => !std::mem::replace(&mut game_written, true),
                BlockKind::Participant(who) => written.insert(who),
                BlockKind::Verbatim => true,
            };
            if !fresh {
                continue;
            }
            if !out.is_empty() {
                out.push('\n');
            }
            match block.kind {
                BlockKind::Game => self.write_block(&mut out, block.kind, &game_lines(&self.game)),
                BlockKind::Participant(who) => {
                    if let Some(participant) = self.game.participants.get(who) {
                        self.write_block(&mut out, block.kind, &participant_lines(&self.game, participant));
                    }
                }
                BlockKind::Verbatim => {
                    for line in &self.lines[block.lines.clone()] {
                        out.push_str(trimmed(&line.text));
                        out.push('\n');
                    }
                }
            }
        }
        out
    }

    fn write_block(&self, out: &mut String, kind: BlockKind, lines: &Lines) {
        let of_role = |role: &'static Role| {
            let all = self.blocks.iter().filter(move |b| b.kind == kind).flat_map(|b| b.lines.clone());
            all.filter(move |at| self.roles[*at] == *role).map(|at| trimmed(&self.lines[at].text))
        };
        let (head, rest): (Vec<_>, Vec<_>) =
            lines.0.iter().partition(|(slot, _)| matches!(slot, Slot::Heading | Slot::Name));
        let (lists, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(slot, _)| *slot == Slot::Lists);
        let flat = |group: Vec<&'_ (Slot, Vec<String>)>| group.into_iter().flat_map(|(_, l)| l.clone()).collect();
        let mut all: Vec<String> = flat(head);
        all.extend(of_role(&Role::Comment).map(str::to_owned));
        all.extend::<Vec<String>>(flat(rest));
        all.extend(of_role(&Role::Unknown).map(str::to_owned));
        all.extend::<Vec<String>>(flat(lists));
        for line in all {
            out.push_str(&line);
            out.push('\n');
        }
    }
}

fn refuse_sizes(bytes: usize, lines: &[Line]) -> Result<(), Refused> {
    if bytes > MAX_BYTES {
        return Err(Refused::File(bytes));
    }
    match lines.iter().enumerate().find(|(_, line)| line.text.len() > MAX_LINE) {
        Some((at, line)) => Err(Refused::Line(at + 1, line.text.len())),
        None => Ok(()),
    }
}

fn text(lines: &[Line]) -> String {
    let mut text = String::with_capacity(lines.iter().map(|l| l.text.len() + 2).sum());
    for line in lines {
        text.push_str(&line.text);
        text.push_str(match line.ending {
            Ending::Lf => "\n",
            Ending::CrLf => "\r\n",
            Ending::Nothing => "",
        });
    }
    text
}

/// One edit: the old document and the game it shall say.
struct Edit<'a> {
    document: &'a Document,
    game: &'a Game,
    ending: Ending,
}

/// A stretch of lines of the new file.
struct Segment {
    /// Index in the new game's participants; `None`: another block.
    participant: Option<usize>,
    lines: Vec<Line>,
}

impl<'a> Edit<'a> {
    fn new(document: &'a Document, game: &'a Game) -> Edit<'a> {
        let ending = document.lines.first().map_or(Ending::Lf, |l| l.ending);
        Edit { document, game, ending: if ending == Ending::CrLf { Ending::CrLf } else { Ending::Lf } }
    }

    fn run(&self) -> Vec<Line> {
        let old = self.document;
        let partner = self.partners();
        let mut segments = Vec::new();
        let mut start = 0;
        let mut seen = BTreeSet::new();
        let mut game_seen = false;
        for block in &old.blocks {
            let gap = old.lines[start..block.lines.start].to_vec();
            start = block.lines.end;
            let (participant, body) = match block.kind {
                BlockKind::Verbatim => (None, old.lines[block.lines.clone()].to_vec()),
                BlockKind::Game => {
                    let primary = !std::mem::replace(&mut game_seen, true);
                    (None, self.body(block, &game_lines(&old.game), &game_lines(self.game), primary))
                }
                BlockKind::Participant(who) => {
                    let Some(new) = partner.get(who).copied().flatten() else { continue };
                    let primary = seen.insert(who);
                    let (was, is) = (&old.game.participants[who], &self.game.participants[new]);
                    let body = if was == is && heading(&old.game, was) == heading(self.game, is) {
                        old.lines[block.lines.clone()].to_vec()
                    } else {
                        let (before, after) = (participant_lines(&old.game, was), participant_lines(self.game, is));
                        self.body(block, &before, &after, primary)
                    };
                    (primary.then_some(new), body)
                }
            };
            segments.push(Segment { participant, lines: gap.into_iter().chain(body).collect() });
        }
        let mut segments = self.in_order(segments, game_seen);
        if let Some(last) = segments.last_mut() {
            last.lines.extend_from_slice(&old.lines[start..]);
        }
        self.sealed(segments.into_iter().flat_map(|s| s.lines).collect())
    }

    /// For each old participant its place in the new game: the same kind and name, else the same PLAYER line.
    fn partners(&self) -> Vec<Option<usize>> {
        let old = &self.document.game.participants;
        let new = &self.game.participants;
        let mut taken = BTreeSet::new();
        let mut find = |same: &dyn Fn(&Participant) -> bool| {
            let at = new.iter().enumerate().position(|(i, p)| !taken.contains(&i) && same(p))?;
            taken.insert(at);
            Some(at)
        };
        let mut partner: Vec<Option<usize>> =
            old.iter().map(|o| find(&|p: &Participant| p.kind == o.kind && p.name == o.name)).collect();
        for (o, slot) in old.iter().zip(partner.iter_mut()) {
            if slot.is_none() && o.kind == ParticipantKind::Waiting && o.player.is_some() {
                *slot = find(&|p: &Participant| p.player == o.player);
            }
        }
        partner
    }

    /// The lines of a block after the change.
    fn body(&self, block: &Block, before: &Lines, after: &Lines, primary: bool) -> Vec<Line> {
        let document = self.document;
        let slots: BTreeSet<Slot> = before.0.iter().chain(&after.0).map(|(slot, _)| *slot).collect();
        let mut changed: BTreeSet<Slot> = slots.iter().copied().filter(|s| before.of(*s) != after.of(*s)).collect();
        // A line that fills several slots drags them all.
        let roles =
            || document.blocks.iter().filter(|b| b.kind == block.kind).flat_map(|b| &document.roles[b.lines.clone()]);
        loop {
            let more: Vec<Slot> = roles()
                .map(Role::slots)
                .filter(|slots| slots.len() > 1 && slots.iter().any(|s| changed.contains(s)))
                .flatten()
                .copied()
                .filter(|s| !changed.contains(s))
                .collect();
            if more.is_empty() {
                break;
            }
            changed.extend(more);
        }
        // (line, the slot it counts for)
        let mut lines: Vec<(Line, Option<Slot>)> = block
            .lines
            .clone()
            .map(|at| (document.lines[at].clone(), document.roles[at].slots().first().copied()))
            .collect();
        let mut gone: BTreeSet<usize> = BTreeSet::new();
        let mut inserts: Vec<(usize, Slot, Vec<String>)> = Vec::new();
        for slot in changed {
            let all: Vec<usize> = document
                .blocks
                .iter()
                .filter(|b| b.kind == block.kind)
                .flat_map(|b| b.lines.clone())
                .filter(|at| document.roles[*at].slots().contains(&slot))
                .collect();
            let here = |at: &usize| block.lines.contains(at);
            let local = |at: usize| at - block.lines.start;
            match self.middle(&all, before.of(slot), after.of(slot)) {
                // Some lines stay; the rest is replaced where it stood. Only when all are in this block.
                Some((keep_front, keep_back, text)) if all.iter().all(here) => {
                    let replaced = &all[keep_front..all.len() - keep_back];
                    gone.extend(replaced.iter().map(|at| local(*at)));
                    // Where the replaced lines stood; or behind the last kept before, or in front of the first.
                    let behind = keep_front.checked_sub(1).and_then(|n| all.get(n)).map(|at| local(*at) + 1);
                    let place = replaced.first().map(|at| local(*at)).or(behind);
                    if let Some(place) = place.or_else(|| all.first().map(|at| local(*at))) {
                        inserts.push((place, slot, text));
                    }
                }
                _ => {
                    let mine: Vec<usize> = all.iter().filter(|at| here(at)).map(|at| local(*at)).collect();
                    gone.extend(mine.iter().copied());
                    if primary {
                        let place = mine.first().copied().unwrap_or_else(|| place_for(&lines, slot));
                        inserts.push((place, slot, after.of(slot).to_vec()));
                    }
                }
            }
        }
        if let Some(unclosed) = document.unclosed.filter(|at| block.lines.contains(at)) {
            inserts.iter_mut().for_each(|(place, ..)| *place = (*place).min(unclosed - block.lines.start));
        }
        // Equal places in canonical order.
        inserts.sort_by_key(|(place, slot, _)| (*place, *slot));
        let mut out = Vec::with_capacity(lines.len());
        let mut inserts = inserts.into_iter().peekable();
        for at in 0..=lines.len() {
            while let Some((_, _, text)) = inserts.next_if(|(place, _, _)| *place == at) {
                out.extend(text.into_iter().map(|t| Line::new(t, self.ending)));
            }
            if at < lines.len() && !gone.contains(&at) {
                out.push(std::mem::replace(&mut lines[at].0, Line::new(String::new(), Ending::Nothing)));
            }
        }
        out
    }

    /// Where lines of a slot add up and stand canonically, the lines at both ends that can stay, and the text for
    /// the middle.
    fn middle(&self, lines: &[usize], before: &[String], after: &[String]) -> Option<(usize, usize, Vec<String>)> {
        let given: Vec<Cow<[String]>> = lines.iter().map(|at| self.document.gives(*at)).collect();
        if before.is_empty() || after.is_empty() || given.concat() != before {
            return None;
        }
        let mut text = after;
        let mut front = 0;
        while let Some(rest) = given.get(front).filter(|g| !g.is_empty()).and_then(|g| text.strip_prefix(g.as_ref())) {
            text = rest;
            front += 1;
        }
        let mut back = 0;
        while front + back < given.len() {
            let Some(rest) =
                given.get(given.len() - 1 - back).filter(|g| !g.is_empty()).and_then(|g| text.strip_suffix(g.as_ref()))
            else {
                break;
            };
            text = rest;
            back += 1;
        }
        (front + back > 0).then(|| (front, back, text.to_vec()))
    }

    /// Puts segments into the order of the new game's participants and adds the new ones.
    fn in_order(&self, segments: Vec<Segment>, game_seen: bool) -> Vec<Segment> {
        let mut kept: Vec<usize> = segments.iter().filter_map(|s| s.participant).collect();
        kept.sort_unstable();
        let mut by_index: Vec<Option<Segment>> = Vec::new();
        let mut frame: Vec<Option<Segment>> = Vec::new();
        by_index.resize_with(self.game.participants.len(), || None);
        for segment in segments {
            match segment.participant {
                Some(who) => {
                    by_index[who] = Some(segment);
                    frame.push(None);
                }
                None => frame.push(Some(segment)),
            }
        }
        let mut kept = kept.into_iter();
        let mut out: Vec<Segment> = Vec::new();
        if !game_seen {
            let lines = game_lines(self.game).0.into_iter().flat_map(|(_, lines)| lines);
            let lines = lines.map(|t| Line::new(t, self.ending)).collect();
            out.push(Segment { participant: None, lines });
        }
        for slot in frame {
            match slot {
                Some(segment) => out.push(segment),
                None => out.extend(kept.next().and_then(|who| by_index[who].take())),
            }
        }
        for who in 0..self.game.participants.len() {
            if out.iter().any(|s| s.participant == Some(who)) {
                continue;
            }
            let lines = participant_lines(self.game, &self.game.participants[who]).0;
            let text = std::iter::once(String::new()).chain(lines.into_iter().flat_map(|(_, lines)| lines));
            let segment = Segment { participant: Some(who), lines: text.map(|t| Line::new(t, self.ending)).collect() };
            let before = who.checked_sub(1).and_then(|p| out.iter().position(|s| s.participant == Some(p)));
            let next = out.iter().position(|s| s.participant.is_some());
            let at = before.map_or_else(|| next.unwrap_or(out.len()), |p| p + 1);
            out.insert(at, segment);
        }
        out
    }

    /// Line ends: every line but the last has one, and blocks stay apart.
    fn sealed(&self, mut lines: Vec<Line>) -> Vec<Line> {
        let last = lines.len().saturating_sub(1);
        for (at, line) in lines.iter_mut().enumerate() {
            if at < last && line.ending == Ending::Nothing {
                line.ending = self.ending;
            }
        }
        lines
    }
}

/// The canonical place of a new line in a block: after the last line that belongs before it. Order lists go to the
/// very end, since they run to the end of the block.
fn place_for(lines: &[(Line, Option<Slot>)], slot: Slot) -> usize {
    if slot == Slot::Lists {
        return lines.len();
    }
    lines.iter().rposition(|(_, s)| s.is_some_and(|s| s <= slot)).map_or(0, |at| at + 1)
}

/// Comment text of a line, if it is one.
pub(crate) fn is_comment(text: &str) -> bool {
    super::line::trimmed(text).starts_with('#')
}
