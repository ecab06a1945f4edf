//! The reader: which directive a line is (map-file.md 2.1), includes (3), and the directives that are about the map
//! as a whole. Places are in [`super::names`] and [`super::terrain`], powers in [`super::powers`].

use super::diagnostic::{Diagnostic, Severity};
use super::draft::{Block, Draft, When};
use super::source::{self, Source};
use crate::diplomacy::phase::{Flow, Phase, Step};
use crate::spelling::nearest;

/// First words that open a directive, and words that end one: a power that is nearly one of them is suspect.
pub(super) const DIRECTIVES: &[&str] = &[
    "AMEND",
    "BEGIN",
    "CENTERS",
    "CENTRES",
    "COAST",
    "CONTROL",
    "DIRECTIVES",
    "DROP",
    "DUMMIES",
    "DUMMY",
    "FLAG",
    "FLAGS",
    "FLOW",
    "FROM",
    "HOME",
    "HOMES",
    "INHABITS",
    "LAND",
    "LANGUAGE",
    "LEAGUE",
    "MAP",
    "MILITIA",
    "NEUTRAL",
    "NEWHOMES",
    "NOTIFY",
    "OWNS",
    "PORT",
    "RESERVES",
    "ROTATE",
    "RULE",
    "RULES",
    "SHUT",
    "TEAM",
    "TEAMS",
    "TEXTONLY",
    "UNITS",
    "UNOWNED",
    "UNPLAYED",
    "USE",
    "USES",
    "VICTORY",
    "WATER",
];

/// Variants that may have directives of their own: the old tree's words and ours.
const VARIANTS: &[&str] =
    &["ALL", "BLIND", "CRYSTAL", "DPPD", "EXCHANGE", "PAYOLA", "SOLITAIRE", "STANDARD", "XTALBALL"];

/// Status-file lines a map may carry (map-file.md 10.1): rules and numbers, never people or times.
const CARRIED: &[&str] =
    &["BEGIN", "CAP", "FLOW", "MORPH", "NEWHOMES", "ROTATE", "RULE", "RULES", "TAX", "TAXES", "VICTORY"];

/// Largest number of files in one load (map-file.md 12).
const MAX_FILES: usize = 32;
/// Largest number of words of FLOW.
const MAX_FLOW: usize = 64;

/// A line being executed.
pub(super) struct Line<'a> {
    /// The text, line end gone.
    pub text: &'a str,
    /// Its words.
    pub words: Vec<&'a str>,
}

impl<'a> Line<'a> {
    pub fn new(text: &'a str) -> Line<'a> {
        Line { text, words: text.split_whitespace().collect() }
    }

    /// The nth word, empty beyond the end.
    pub fn word(&self, n: usize) -> &'a str {
        self.words.get(n).copied().unwrap_or_default()
    }

    /// The words from the nth on.
    pub fn rest(&self, n: usize) -> &[&'a str] {
        self.words.get(n..).unwrap_or_default()
    }
}

/// What belongs to one file only (map-file.md 2).
#[derive(Default)]
pub(super) struct Local {
    /// Key of the current power.
    pub power: Option<String>,
    stanza: Option<String>,
    block: Option<usize>,
    flags: Vec<String>,
}

/// Executes lines.
pub(super) struct Reader<'a> {
    /// What they have made so far.
    pub draft: Draft,
    /// Remarks so far.
    pub found: Vec<Diagnostic>,
    /// The lines are those of a game, not of a map file.
    pub morphing: bool,
    source: &'a dyn Source,
    here: (String, usize),
    column: Option<String>,
    text: String,
}

impl<'a> Reader<'a> {
    pub fn new(draft: Draft, source: &'a dyn Source) -> Reader<'a> {
        Reader {
            draft,
            found: Vec::new(),
            morphing: false,
            source,
            here: (String::new(), 0),
            column: None,
            text: String::new(),
        }
    }

    /// File and line of the line being executed.
    pub fn here(&self) -> (String, usize) {
        self.here.clone()
    }

    /// The word the next remark is about: gives its column.
    pub fn about(&mut self, word: &str) -> &mut Self {
        self.column = Some(word.to_owned());
        self
    }

    pub fn error(&mut self, text: impl Into<String>) {
        self.say(Severity::Error, text.into(), None, None);
    }

    pub fn error_hint(&mut self, text: impl Into<String>, hint: impl Into<String>) {
        self.say(Severity::Error, text.into(), Some(hint.into()), None);
    }

    pub fn warn(&mut self, text: impl Into<String>) {
        self.say(Severity::Warning, text.into(), None, None);
    }

    pub fn warn_hint(&mut self, text: impl Into<String>, hint: impl Into<String>) {
        self.say(Severity::Warning, text.into(), Some(hint.into()), None);
    }

    /// A warning that has a word in the facts.
    pub fn advise(&mut self, advisory: impl Into<String>, text: impl Into<String>, hint: impl Into<String>) {
        self.say(Severity::Warning, text.into(), Some(hint.into()), Some(advisory.into()));
    }

    fn say(&mut self, severity: Severity, text: String, hint: Option<String>, advisory: Option<String>) {
        let word = self.column.take();
        let at = word.and_then(|w| self.text.find(&w).map(|byte| (w, byte)));
        let column = at.map_or(0, |(_, byte)| self.text.get(..byte).map_or(0, |s| s.chars().count() + 1));
        let (file, line) = self.here.clone();
        self.found.push(Diagnostic { severity, file, line, column, text, hint, advisory });
    }

    /// Reads a file into the draft; `false` when there is none.
    pub fn include(&mut self, file: &str) {
        if !source::is_file_name(file) {
            self.about(file).error_hint(
                format!("BAD MAP FILE NAME: {file}"),
                "a plain file name of at most 64 characters, no folder",
            );
            return;
        }
        let file = source::with_extension(file);
        if self.here.0.is_empty() {
            // The map itself: nobody included it.
            self.here.0 = self.source.label(&file);
        }
        if self.draft.files.contains(&file) {
            self.about(file.trim_end_matches(".map")).warn(format!("FILE MULTIPLY USED: {file}"));
            return;
        }
        if self.draft.files.len() >= MAX_FILES {
            self.error(format!("TOO MANY MAP FILES: {file} WOULD BE NUMBER {}", MAX_FILES + 1));
            return;
        }
        let Some(bytes) = self.source.read(&file) else {
            self.about(file.trim_end_matches(".map")).error_hint(
                format!("MAP FILE NOT FOUND: {file}"),
                "included files are looked for beside the map, then among the built-in maps",
            );
            return;
        };
        let label = self.source.label(&file);
        self.draft.files.push(file.clone());
        let outer = (std::mem::replace(&mut self.here, (label, 0)), std::mem::take(&mut self.text));
        if bytes.len() > source::MAX_BYTES {
            self.error(format!("MAP FILE LARGER THAN {} BYTES", source::MAX_BYTES));
        } else {
            let text = source::decode(bytes);
            let mut local = Local::default();
            for (n, line) in text.split('\n').enumerate() {
                self.here.1 = n + 1;
                self.line(line.trim_end_matches('\r'), &mut local);
            }
        }
        (self.here, self.text) = outer;
    }

    /// Executes lines that are in no file: MORPH, or a dynamic block whose origin is known.
    pub fn lines<'l>(&mut self, lines: impl IntoIterator<Item = (&'l str, (String, usize))>) {
        let mut local = Local::default();
        for (line, here) in lines {
            self.here = here;
            self.line(line, &mut local);
        }
    }

    fn line(&mut self, text: &str, local: &mut Local) {
        let line = Line::new(text);
        let (Some(first), Some(last)) = (line.words.first(), line.words.last()) else { return };
        if first.starts_with('#') {
            return;
        }
        text.clone_into(&mut self.text);
        let keyword = first.to_uppercase();
        if matches!(last.to_uppercase().as_str(), "DIRECTIVE" | "DIRECTIVES") {
            return self.stanza(&line, local);
        }
        if let Some(variant) = &local.stanza {
            let variant = variant.clone();
            return self.directive(&variant, &line);
        }
        if matches!(keyword.as_str(), "FROM" | "IN") {
            return self.open_block(&keyword, &line, local);
        }
        if let Some(block) = local.block {
            return self.keep_for_later(block, &line);
        }
        match keyword.as_str() {
            "TEXTONLY" => self.draft.text_only = true,
            "VICTORY" => self.victory(&line),
            "USE" | "USES" => {
                for file in line.rest(1) {
                    self.include(file);
                }
            }
            "MAP" => self.root(&line),
            "FLAGS" => {
                local.flags = line.rest(1).iter().map(|s| (*s).to_owned()).collect();
                self.draft.flags = Some(local.flags.clone());
            }
            "FLOW" => self.flow(&line),
            "NOTIFY" => self.draft.notify.extend(line.rest(1).iter().map(|s| (*s).to_owned())),
            "BEGIN" => self.begin(&line),
            "RULE" | "RULES" => self.rules(&line),
            "ROTATE" => self.draft.rotate = Some(line.rest(1).join(" ")),
            "NEWHOMES" => self.new_homes(&line),
            "LANGUAGE" if line.words.len() == 2 => self.draft.language = Some(line.word(1).to_lowercase()),
            _ if text.contains('=') => self.place_name(&line),
            "DROP" => self.drop_places(&line),
            "AMEND" | "WATER" | "LAND" | "COAST" | "PORT" | "SHUT" if line.words.len() > 1 => {
                self.terrain(&keyword, &line)
            }
            _ => self.power_directive(&keyword, &line, local),
        }
    }

    fn victory(&mut self, line: &Line<'_>) {
        let numbers: Option<Vec<u16>> = line.rest(1).iter().map(|w| w.parse().ok()).collect();
        match numbers.filter(|n| !n.is_empty() && !n.contains(&0)) {
            Some(numbers) => self.draft.victory = Some(numbers),
            None => {
                self.error_hint("BAD VICTORY LINE IN MAP FILE", "VICTORY and one or more centre counts: VICTORY 18")
            }
        }
    }

    fn root(&mut self, line: &Line<'_>) {
        let [file] = line.rest(1) else {
            return self.error_hint("BAD ROOT MAP LINE", "MAP takes exactly one file");
        };
        if self.draft.root.is_some() {
            self.error_hint("TWO ROOT MAPS", "only one MAP line; write USE for further files");
        } else {
            self.draft.root = Some(file.split('.').next().unwrap_or(file).to_owned());
        }
        self.include(file);
    }

    fn flow(&mut self, line: &Line<'_>) {
        if line.words.len() == 1 {
            return self.draft.flow.clear();
        }
        for item in line.rest(1) {
            match Flow::read_item(item) {
                Ok(steps) => self.draft.flow.extend(steps),
                Err(text) => self.about(item).error_hint(text, "for example SPRING:MOVEMENT,RETREATS or NEWYEAR:5"),
            }
        }
        if self.draft.flow.len() > MAX_FLOW {
            self.draft.flow.truncate(MAX_FLOW);
            self.error(format!("MORE THAN {MAX_FLOW} STEPS IN FLOW"));
        }
        let signs = |up: bool| self.draft.flow.iter().any(|s| matches!(s, Step::NewYear(n) if (*n > 0) == up));
        if signs(true) && signs(false) {
            self.error("THE NEWYEAR FLOW DIRECTIVE CANNOT BE BOTH POSITIVE AND NEGATIVE");
            self.draft.flow.retain(|s| !matches!(s, Step::NewYear(n) if *n < 0));
        }
    }

    fn begin(&mut self, line: &Line<'_>) {
        match Phase::parse_long(&line.rest(1).join(" ")).filter(|_| line.words.len() == 4) {
            Some(phase) => self.draft.begin = Some((phase, self.here())),
            None => self.error_hint("BAD PHASE IN MAP FILE", "season, year and phase: BEGIN SPRING 1901 MOVEMENT"),
        }
    }

    fn rules(&mut self, line: &Line<'_>) {
        if self.morphing {
            // D26.
            return self.warn_hint("RULE IN A MORPH HAS NO EFFECT", "write it as a RULE line of the game");
        }
        self.draft.rules.extend(line.rest(1).iter().map(|r| r.to_uppercase()));
    }

    fn new_homes(&mut self, line: &Line<'_>) {
        let years: Option<Vec<i32>> = line.rest(1).iter().map(|w| w.parse().ok()).collect();
        match years {
            Some(years) => self.draft.new_homes.extend(years),
            None => self.error_hint("BAD NEWHOMES LINE IN MAP FILE", "NEWHOMES takes years: NEWHOMES 1899"),
        }
    }

    /// `[variant] DIRECTIVES` opens, `END DIRECTIVES` closes (map-file.md 10.1).
    fn stanza(&mut self, line: &Line<'_>, local: &mut Local) {
        local.stanza = match line.words.as_slice() {
            [_] => Some("ALL".to_owned()),
            [variant, _] => {
                let variant = variant.to_uppercase();
                if variant == "END" {
                    None
                } else {
                    if !VARIANTS.contains(&variant.as_str()) {
                        let near = nearest(&variant, VARIANTS.iter().copied());
                        let hint = near.map_or_else(|| VARIANTS.join(", "), |v| format!("did you mean {v}?"));
                        self.about(line.word(0))
                            .error_hint(format!("BAD VARIANT IN DIRECTIVE LINE IN MAP: {variant}"), hint);
                    }
                    Some(variant)
                }
            }
            _ => {
                self.error_hint("BAD VARIANT DIRECTIVE LINE IN MAP", "at most one word before DIRECTIVES");
                None
            }
        };
    }

    fn directive(&mut self, variant: &str, line: &Line<'_>) {
        let keyword = line.word(0).to_uppercase();
        if CARRIED.contains(&keyword.as_str()) {
            self.draft.directives.entry(variant.to_owned()).or_default().push(line.words.join(" "));
        } else {
            self.about(line.word(0)).warn_hint(
                format!("DIRECTIVE NOT ALLOWED IN A MAP: {keyword}"),
                "a map may bring rules and numbers, not players or times",
            );
        }
    }

    /// `IN p[: line]`, `FROM p[: line]` (map-file.md 10.2).
    fn open_block(&mut self, keyword: &str, line: &Line<'_>, local: &mut Local) {
        local.block = None;
        let (head, tail) = line.text.split_once(':').unwrap_or((line.text, ""));
        let when: Vec<String> = head.split_whitespace().skip(1).map(str::to_uppercase).collect();
        let when = when.join(" ");
        let when = if keyword == "IN" {
            if when.is_empty() {
                return self.error_hint("BAD IN DIRECTIVE", "a phase, or how it begins: IN SPRING 1904");
            }
            When::In(when)
        } else {
            if when == "START" {
                return;
            }
            let mut letters = when.chars();
            let (first, last) = (letters.next(), letters.next_back());
            let year = letters.as_str();
            let short = first.is_some_and(char::is_alphabetic)
                && last == Some('M')
                && !year.is_empty()
                && year.chars().all(|c| c.is_ascii_digit());
            if !short {
                let hint = "a movement phase in short form, or START: FROM S1904M";
                return self.error_hint(format!("BAD FROM DIRECTIVE: {when}"), hint);
            }
            When::From(when)
        };
        self.draft.blocks.push(Block { when, lines: Vec::new() });
        let block = self.draft.blocks.len() - 1;
        if tail.trim().is_empty() {
            local.block = Some(block);
        } else {
            let tail = Line::new(tail);
            self.keep_for_later(block, &tail);
        }
    }

    fn keep_for_later(&mut self, block: usize, line: &Line<'_>) {
        let here = self.here();
        if let Some(block) = self.draft.blocks.get_mut(block) {
            block.lines.push((line.words.join(" "), here));
        }
    }
}
