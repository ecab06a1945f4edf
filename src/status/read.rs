//! Reading a status file (status-file.md 1–4): blocks, bracketed text, headings; findings are collected, reading
//! never stops. The directives themselves are in `read_game` and `read_participant`.

use super::diagnostic::{Diagnostic, Severity};
use super::document::{Block, BlockKind, Document, MAX_PARTICIPANTS, Refused, is_comment};
use super::line::{Line, column, head, squeeze, upper, words};
use super::model::{Game, Participant, ParticipantKind, PhaseState};
use super::slot::{Given, Role, Slot, Slots, offer_rank};

/// Words that open a bracketed block, and the key the writer uses for them.
const BRACKETS: [(&str, &str, Slot); 4] = [
    ("DESC", "DESC", Slot::Desc),
    ("DESCRIPTION", "DESC", Slot::Desc),
    ("NAME", "NAME", Slot::Title),
    ("MORPH", "MORPH", Slot::Morph),
];

/// The state of reading.
pub(super) struct Reader<'a> {
    pub lines: &'a [Line],
    pub roles: Vec<Role>,
    pub blocks: Vec<Block>,
    pub game: Game,
    pub out: Vec<Diagnostic>,
    unclosed: Option<usize>,
    /// Slots of the game block that have their value.
    pub filled: Slots,
    /// The same for each participant.
    pub filled_by: Vec<Slots>,
}

/// Reads all lines.
pub(super) fn read(lines: Vec<Line>) -> Result<Document, Refused> {
    let roles = vec![Role::Blank; lines.len()];
    let mut reader = Reader {
        lines: &lines,
        roles,
        blocks: Vec::new(),
        game: Game { map: "standard".to_owned(), phase: PhaseState::Running(String::new()), ..Game::default() },
        out: Vec::new(),
        unclosed: None,
        filled: Slots::default(),
        filled_by: Vec::new(),
    };
    reader.file()?;
    reader.finish();
    let Reader { roles, blocks, game, mut out, unclosed, .. } = reader;
    out.sort_by_key(|d| d.line);
    Ok(Document { lines, roles, blocks, game, diagnostics: out, unclosed })
}

impl<'a> Reader<'a> {
    fn file(&mut self) -> Result<(), Refused> {
        let mut at = 0;
        let mut game_seen = false;
        let mut headings = 0;
        while at < self.lines.len() {
            if self.lines[at].is_blank() {
                at += 1;
                continue;
            }
            let end = self.block_end(at);
            let start = at;
            let kind = if (at..end).all(|i| is_comment(&self.lines[i].text)) {
                (at..end).for_each(|i| self.comment(i));
                at = end;
                BlockKind::Verbatim
            } else if !game_seen {
                game_seen = true;
                at = self.game_block(at);
                BlockKind::Game
            } else {
                headings += 1;
                if headings > MAX_PARTICIPANTS {
                    return Err(Refused::Participants(at + 1));
                }
                at = end;
                self.participant_block(start, end)
            };
            self.blocks.push(Block { kind, lines: start..at });
        }
        Ok(())
    }

    fn block_end(&self, at: usize) -> usize {
        (at..self.lines.len()).find(|i| self.lines[*i].is_blank()).unwrap_or(self.lines.len())
    }

    fn comment(&mut self, at: usize) {
        self.roles[at] = Role::Comment;
        self.say(at, 0, Severity::Warning, "COMMENT KEPT".to_owned(), "");
    }

    // ---- the game block ------------------------------------------------------------------------------------------

    /// Reads the game block; gives the line after it.
    fn game_block(&mut self, start: usize) -> usize {
        let mut at = start;
        let mut first = true;
        while at < self.lines.len() && !self.lines[at].is_blank() {
            if is_comment(&self.lines[at].text) {
                self.comment(at);
                at += 1;
                continue;
            }
            let lines: &'a [Line] = self.lines;
            let line = squeeze(&lines[at].text);
            let key = upper(head(&line).0);
            if std::mem::take(&mut first) && key != "GAME" {
                let text = format!("NOT A GAME DECLARATION: {line}");
                self.say(at, 0, Severity::Error, text, "the first line must be GAME and its name");
            }
            let bracket = BRACKETS.iter().find(|(open, ..)| line.eq_ignore_ascii_case(open));
            at = match bracket {
                Some((open, key, slot)) => self.bracketed(at, open, key, *slot),
                None => {
                    self.roles[at] = self.game_line(at, &key, &line).unwrap_or(Role::Unknown);
                    at + 1
                }
            };
        }
        at
    }

    /// Reads a bracketed block whose opening word stands at a line; gives the line after it.
    fn bracketed(&mut self, at: usize, open: &str, key: &str, slot: Slot) -> usize {
        let close = format!("END {open}");
        let closing = (at + 1..self.lines.len()).find(|i| squeeze(&self.lines[*i].text).eq_ignore_ascii_case(&close));
        let end = closing.unwrap_or_else(|| {
            self.unclosed = Some(at);
            self.say(at, 0, Severity::Error, format!("UNTERMINATED {open} BLOCK"), &format!("a line {close}"));
            self.block_end(at)
        });
        self.roles[at] = Role::giving(slot, [key.to_owned()]);
        for i in at + 1..end {
            let lines: &'a [Line] = self.lines;
            let content = squeeze(&lines[i].text);
            if content.is_empty() {
                self.roles[i] = Role::of(slot);
                continue;
            }
            self.roles[i] = self.giving(i, slot, &content);
            self.text_of(slot).push(content.into_owned());
        }
        match closing {
            Some(end) => {
                self.roles[end] = Role::giving(slot, [format!("END {key}")]);
                end + 1
            }
            None => end,
        }
    }

    /// The role of a line of a slot that adds up. Nearly always the line is as the writer writes it.
    pub fn giving(&self, at: usize, slot: Slot, gives: &str) -> Role {
        let same = self.lines[at].text == gives;
        Role::One { slot, gives: if same { Given::Itself } else { Given::Text(gives.to_owned()) } }
    }

    /// The same of a key and its text.
    pub fn giving_text(&self, at: usize, slot: Slot, key: &str, text: &str) -> Role {
        let rest = self.lines[at].text.strip_prefix(key).and_then(|rest| rest.strip_prefix(' '));
        let gives = if rest == Some(text) { Given::Itself } else { Given::Text(format!("{key} {text}")) };
        Role::One { slot, gives }
    }

    /// The accumulating text of DESC, NAME or MORPH.
    pub fn text_of(&mut self, slot: Slot) -> &mut Vec<String> {
        match slot {
            Slot::Morph => &mut self.game.morph,
            Slot::Title => &mut self.game.title,
            _ => &mut self.game.desc,
        }
    }

    // ---- participants --------------------------------------------------------------------------------------------

    fn participant_block(&mut self, start: usize, end: usize) -> BlockKind {
        let head = (start..end).find(|i| !is_comment(&self.lines[*i].text)).unwrap_or(start);
        (start..head).for_each(|i| self.comment(i));
        let lines: &'a [Line] = self.lines;
        let line = squeeze(&lines[head].text);
        // A name that would not be read as one where it stands alone is none.
        let readable = |name: &str| !name.is_empty() && !name.starts_with('#') && name != "POWER";
        let Some((kind, name)) = self.heading(&line).filter(|(_, name)| readable(name)) else {
            let hint = "a power, or OBSERVER, MONITOR or an ALLOWed type and a name; no empty line inside a block";
            self.say(head, 0, Severity::Error, format!("NOT A POWER DECLARATION: {line}"), hint);
            for i in head..end {
                self.roles[i] = if is_comment(&self.lines[i].text) { Role::Comment } else { Role::Unknown };
            }
            return BlockKind::Verbatim;
        };
        self.roles[head] = Role::of(Slot::Heading);
        let same = |p: &Participant| p.kind == kind && p.name == name;
        let who = self.game.participants.iter().position(same).unwrap_or_else(|| {
            self.game.participants.push(Participant { kind, name, ..Participant::default() });
            self.filled_by.push(Slots::default());
            self.game.participants.len() - 1
        });
        let mut open = None;
        for (at, line) in lines.iter().enumerate().take(end).skip(head + 1) {
            if is_comment(&line.text) {
                self.comment(at);
                continue;
            }
            let line = squeeze(&line.text);
            self.roles[at] = self.participant_line(at, who, &line, &mut open).unwrap_or(Role::Unknown);
        }
        BlockKind::Participant(who)
    }

    /// The participant a heading names (status-file.md 4). Whether a power is on the map is checked elsewhere.
    fn heading(&self, line: &str) -> Option<(ParticipantKind, String)> {
        let line = upper(line);
        let words: Vec<&str> = line.split(' ').collect();
        let joined = |words: &[&str]| words.concat().replace('+', "");
        match words.as_slice() {
            ["POWER"] | [] => None,
            ["POWER", name @ ..] => {
                let name = joined(name);
                let number = name.strip_prefix("POWER#");
                let waiting = number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
                Some((if waiting { ParticipantKind::Waiting } else { ParticipantKind::Power }, name))
            }
            [name] => Some((ParticipantKind::Power, joined(&[name]))),
            [kind, name @ ..]
                if ["OBSERVER", "MONITOR"].contains(kind) || self.game.allow.iter().any(|a| a == kind) =>
            {
                Some((ParticipantKind::Other((*kind).to_owned()), joined(name)))
            }
            _ => None,
        }
        .filter(|(_, name)| !name.is_empty())
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /// What is missing or does not agree, and what the writer sorts.
    fn finish(&mut self) {
        let line = self.blocks.iter().find(|b| b.kind == BlockKind::Game).map_or(0, |b| b.lines.start);
        if self.game.phase == PhaseState::Running(String::new()) && self.game.result.is_some() {
            self.game.phase = PhaseState::Completed;
        }
        // A phase line without a phase has been complained of where it stands.
        let said = self.out.iter().any(|d| d.text == "NO PHASE SPECIFIED");
        match (&self.game.phase, &self.game.result) {
            (PhaseState::Completed, None) => {
                self.say(line, 0, Severity::Error, "COMPLETED WITHOUT RESULT".to_owned(), "a RESULT line");
            }
            (PhaseState::Running(phase), Some(_)) if !phase.is_empty() => {
                let text = "RESULT WHILE PHASE NOT COMPLETED YET".to_owned();
                self.say(line, 0, Severity::Error, text, "PHASE COMPLETED, or no RESULT line");
            }
            (PhaseState::Running(phase), None) if phase.is_empty() && !said && !self.filled.contains(Slot::Phase) => {
                let hint = "PHASE FORMING, PHASE COMPLETED or a phase such as SPRING 1901 MOVEMENT";
                self.say(line, 0, Severity::Error, "NO PHASE SPECIFIED".to_owned(), hint);
            }
            _ => {}
        }
        if self.game.master.is_none() && !self.filled.contains(Slot::Master) {
            self.say(line, 0, Severity::Error, "NO MASTER SPECIFIED".to_owned(), "MASTER #id|address|First_Last");
        }
        for who in &mut self.game.participants {
            who.variant_lines.sort_by_key(|line| offer_rank(line));
        }
    }

    /// Notes a finding at the n-th word (from 0) of a line.
    pub fn say(&mut self, at: usize, word: usize, severity: Severity, text: String, hint: &str) {
        let line = self.lines.get(at).map_or("", |l| l.text.as_str());
        let column = words(line).nth(word).map_or(1, |(byte, _)| column(line, byte));
        self.out.push(Diagnostic { line: at + 1, column, severity, text, hint: hint.to_owned() });
    }

    /// Notes an error.
    pub fn error(&mut self, at: usize, word: usize, text: impl Into<String>, hint: &str) {
        self.say(at, word, Severity::Error, text.into(), hint);
    }

    /// Notes a warning.
    pub fn warning(&mut self, at: usize, word: usize, text: impl Into<String>, hint: &str) {
        self.say(at, word, Severity::Warning, text.into(), hint);
    }
}
