//! A results report while it is put together: pieces, and who may read them. In an open game all of it is one text; in a
//! blind game (variants.md 4) every line stands once under a `SHOW` line that names its readers, and a bare `SHOW` ends
//! that. What nobody is named for, everybody may read.

use super::Diplomacy;
use super::report::column;
use crate::diplomacy::map::{Map, PowerId, ProvinceId};
use crate::diplomacy::orders::report::unit_words;
use crate::diplomacy::position::Unit;
use crate::diplomacy::rules::Rule;
use crate::diplomacy::sight::{Eyes, Foreign, Posts, Watch};
use crate::status::Game;

/// What a unit did, for whoever saw only a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It was there before and is here afterwards, perhaps in the same place.
    Acts(Unit, Unit),
    /// It was not there before.
    Comes(Unit),
    /// It is gone.
    Goes(Unit),
    /// It had nothing to do in this phase; it may come into sight, or go out of it.
    Stands(Unit),
}

/// A line about a unit.
#[derive(Clone, Debug)]
pub struct Event {
    /// Whose unit.
    pub power: PowerId,
    /// What it did.
    pub turn: Turn,
    /// The line for who saw all of it.
    pub full: String,
    /// In the power column of retreats and adjustments, not after the name.
    pub block: bool,
    /// It was dislodged.
    pub dislodged: bool,
    /// It dislodged another where it came to: then its arrival is seen.
    pub dislodges: bool,
}

#[derive(Clone, Debug)]
enum Piece {
    All(String),
    Own(PowerId, String),
    To(PowerId, String),
    Master(String),
    Head(String),
    Gap,
    Unit(Event),
    Dislodged { power: PowerId, unit: Unit, options: String },
}

/// The pieces, in the order of the report.
#[derive(Clone, Debug, Default)]
pub struct Bulletin(Vec<Piece>);

impl Bulletin {
    /// For everybody.
    pub fn all(&mut self, text: impl Into<String>) {
        self.0.push(Piece::All(text.into()));
    }
    /// Concerns that power alone; everybody's in an open game.
    pub fn own(&mut self, power: PowerId, text: impl Into<String>) {
        self.0.push(Piece::Own(power, text.into()));
    }
    /// As that power sees it; blind games only.
    pub fn to(&mut self, power: PowerId, text: impl Into<String>) {
        self.0.push(Piece::To(power, text.into()));
    }
    /// As the Master sees it; blind games only.
    pub fn master(&mut self, text: impl Into<String>) {
        self.0.push(Piece::Master(text.into()));
    }
    /// A heading, for whoever reads anything before the next gap.
    pub fn head(&mut self, text: impl Into<String>) {
        self.0.push(Piece::Head(text.into()));
    }
    /// A blank line, for whoever has read anything since the last one.
    pub fn gap(&mut self) {
        self.0.push(Piece::Gap);
    }
    /// A line about a unit.
    pub fn event(&mut self, event: Event) {
        self.0.push(Piece::Unit(event));
    }
    /// Units that have nothing to do in this phase: in a blind game somebody may catch or lose sight of them.
    pub fn standing(&mut self, power: PowerId, units: impl IntoIterator<Item = Unit>) {
        let stands = |unit| Event {
            power,
            turn: Turn::Stands(unit),
            full: String::new(),
            block: true,
            dislodged: false,
            dislodges: false,
        };
        self.0.extend(units.into_iter().map(|unit| Piece::Unit(stands(unit))));
    }
    /// A dislodged unit; its options are its owner's to know.
    pub fn dislodged(&mut self, power: PowerId, unit: Unit, options: String) {
        self.0.push(Piece::Dislodged { power, unit, options });
    }

    /// The report: one text, or with the views of a blind game one with its SHOW lines.
    pub fn finish(self, referee: &Diplomacy, views: Option<&[View; 2]>) -> String {
        match views {
            Some([before, after]) => self.blind(referee.map(), &Watch::of(&referee.rules), before, after),
            None => self.open(),
        }
    }

    /// The report of an open game.
    fn open(self) -> String {
        let mut text = String::new();
        for piece in self.0 {
            match piece {
                Piece::All(part) | Piece::Own(_, part) | Piece::Head(part) => text += &part,
                Piece::Gap => text.push('\n'),
                Piece::Unit(event) if !matches!(event.turn, Turn::Stands(_)) => text += &format!("{}\n", event.full),
                Piece::Dislodged { options, .. } => text += &format!("{options}\n"),
                Piece::To(..) | Piece::Master(_) | Piece::Unit(_) => {}
            }
        }
        text
    }

    /// The report of a blind game.
    fn blind(self, map: &Map, watch: &Watch, before: &View, after: &View) -> String {
        let hall = Hall { map, watch, before, after };
        let mut page = Page { map, text: String::new(), shown: None };
        for group in self.0.split_inclusive(|piece| matches!(piece, Piece::Gap)) {
            let lines: Vec<Vec<(Readers, String)>> = group.iter().map(|piece| hall.lines(piece)).collect();
            let mut read = Readers::nobody(map);
            let mut public = false;
            for (piece, lines) in group.iter().zip(&lines) {
                public |= matches!(piece, Piece::All(_));
                lines.iter().for_each(|(readers, _)| read.join(readers));
            }
            for (piece, lines) in group.iter().zip(lines) {
                match piece {
                    Piece::All(text) => page.say(None, text),
                    Piece::Head(text) => page.say(Some(&read), text),
                    Piece::Gap => page.say((!public).then_some(&read), "\n"),
                    _ => lines.iter().for_each(|(readers, text)| page.say(Some(readers), text)),
                }
            }
        }
        page.say(None, "");
        page.text
    }
}

/// What every power sees at one moment, and who plays whom.
#[derive(Clone, Debug)]
pub struct View {
    eyes: Vec<Eyes>,
    /// By power, the power that plays it, if another does.
    rulers: Vec<Option<PowerId>>,
}

impl View {
    /// Of a game as it stands.
    pub fn of(referee: &Diplomacy, game: &Game) -> View {
        let map = referee.map();
        let watch = Watch::of(&referee.rules);
        let ruler = |power: PowerId| {
            let block = referee.block(game, &map[power].key)?;
            map.power(block.control.first()?)
        };
        let rulers: Vec<Option<PowerId>> = map.power_ids().map(ruler).collect();
        let units = |power: PowerId| {
            let block = referee.block(game, &map[power].key);
            let texts = block.into_iter().flat_map(|p| p.units.iter().chain(p.retreats.iter().map(|(unit, _)| unit)));
            texts.filter_map(|text| map.named_unit(text))
        };
        let eyes = map.power_ids().map(|power| {
            let vassals = map.power_ids().filter(|v| rulers[usize::from(v.0)] == Some(power));
            let all: Vec<Unit> = std::iter::once(power).chain(vassals).flat_map(units).collect();
            Eyes::new(map, &watch, &all, &posts(referee, game, &watch, power))
        });
        View { eyes: eyes.collect(), rulers }
    }

    /// Before and after a phase; `None`: in this game everybody sees everything.
    pub fn around(referee: &Diplomacy, before: &Game, after: &Game) -> Option<[View; 2]> {
        referee.rules.has(Rule::Blind).then(|| [View::of(referee, before), View::of(referee, after)])
    }

    /// The eyes of a power.
    pub fn eyes(&self, power: PowerId) -> &Eyes {
        &self.eyes[usize::from(power.0)]
    }

    /// Whether all that concerns one power is the other's to know: it is that power, or plays it.
    pub fn owns(&self, power: PowerId, reader: PowerId) -> bool {
        power == reader || self.rulers[usize::from(power.0)] == Some(reader)
    }
}

/// The centres that are a power's eyes.
fn posts(referee: &Diplomacy, game: &Game, watch: &Watch, power: PowerId) -> Vec<ProvinceId> {
    let map = referee.map();
    let Some(block) = referee.block(game, &map[power].key) else { return Vec::new() };
    let provinces = |codes: &[String]| codes.iter().filter_map(|c| map.province(c)).collect::<Vec<_>>();
    match watch.posts {
        Posts::None => Vec::new(),
        Posts::Owned => provinces(&block.owns),
        Posts::Homes => {
            let mut homes = match &block.inhabits {
                Some(homes) => provinces(homes),
                None => map[power].homes.clone(),
            };
            if homes.is_empty() && !map.new_homes.is_empty() {
                homes = provinces(&block.owns);
            }
            if !referee.rules.has(Rule::Mobilize) && !referee.rules.has(Rule::BlankBoard) {
                homes.extend(map[power].units.iter().map(|unit| map.province_of(unit.at)));
            }
            homes
        }
    }
}

/// Who may read a line: powers by id, and the Master.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Readers {
    powers: Vec<bool>,
    master: bool,
}

impl Readers {
    fn nobody(map: &Map) -> Readers {
        Readers { powers: vec![false; map.powers.len()], master: false }
    }
    fn join(&mut self, others: &Readers) {
        self.powers.iter_mut().zip(&others.powers).for_each(|(mine, other)| *mine |= other);
        self.master |= others.master;
    }
    fn is_empty(&self) -> bool {
        !self.master && !self.powers.contains(&true)
    }
    fn names(&self, map: &Map) -> String {
        let powers = map.power_ids().filter(|p| self.powers[usize::from(p.0)]).map(|p| map[p].key.as_str());
        powers.chain(self.master.then_some("MASTER")).collect::<Vec<_>>().join(" ")
    }
}

/// The text with its SHOW lines.
struct Page<'m> {
    map: &'m Map,
    text: String,
    shown: Option<Readers>,
}

impl Page<'_> {
    fn say(&mut self, readers: Option<&Readers>, text: &str) {
        if readers.is_some_and(Readers::is_empty) {
            return;
        }
        if self.shown.as_ref() != readers {
            let names = readers.map(|r| format!(" {}", r.names(self.map))).unwrap_or_default();
            self.text += &format!("SHOW{names}\n");
            self.shown = readers.cloned();
        }
        self.text += text;
    }
}

/// Everybody's eyes, before and after.
struct Hall<'a> {
    map: &'a Map,
    watch: &'a Watch,
    before: &'a View,
    after: &'a View,
}

impl Hall<'_> {
    /// The versions of a piece and who reads which.
    fn lines(&self, piece: &Piece) -> Vec<(Readers, String)> {
        match piece {
            Piece::Own(power, text) => {
                let mut readers = self.owners(*power);
                readers.master = true;
                vec![(readers, text.clone())]
            }
            Piece::To(power, text) => {
                let mut readers = Readers::nobody(self.map);
                readers.powers[usize::from(power.0)] = true;
                vec![(readers, text.clone())]
            }
            Piece::Master(text) => {
                let mut readers = Readers::nobody(self.map);
                readers.master = true;
                vec![(readers, text.clone())]
            }
            Piece::Unit(event) => {
                let master = (!matches!(event.turn, Turn::Stands(_))).then(|| event.full.clone());
                self.versions(event.power, master, |reader| self.glimpse(event, reader))
            }
            Piece::Dislodged { power, unit, options } => {
                let at = self.map.province_of(unit.at);
                let sights = |view: &View, reader| view.eyes(reader).see(unit.kind, at);
                let kind = crate::diplomacy::orders::unit_word(unit.kind);
                let brief = format!("The {} {kind} in {}.", self.map[*power].own, self.map[unit.at].title);
                self.versions(*power, Some(options.clone()), |reader| {
                    let seen = self.watch.foreign_units && (sights(self.before, reader) || sights(self.after, reader));
                    seen.then(|| brief.clone())
                })
            }
            Piece::All(_) | Piece::Head(_) | Piece::Gap => Vec::new(),
        }
    }

    fn owners(&self, power: PowerId) -> Readers {
        let mut readers = Readers::nobody(self.map);
        for reader in self.map.power_ids() {
            readers.powers[usize::from(reader.0)] = self.before.owns(power, reader);
        }
        readers
    }

    /// A line as its owner and the Master read it, and as each of the others does; equal ones together.
    fn versions(
        &self,
        power: PowerId,
        full: Option<String>,
        foreign: impl Fn(PowerId) -> Option<String>,
    ) -> Vec<(Readers, String)> {
        let mut lines: Vec<(Readers, String)> = Vec::new();
        if let Some(full) = full {
            let mut readers = self.owners(power);
            readers.master = true;
            lines.push((readers, format!("{full}\n")));
        }
        for reader in self.map.power_ids().filter(|r| !self.before.owns(power, *r)) {
            let Some(text) = foreign(reader).map(|text| text + "\n") else { continue };
            let at = lines.iter().position(|(_, known)| *known == text).unwrap_or_else(|| {
                lines.push((Readers::nobody(self.map), text));
                lines.len() - 1
            });
            lines[at].0.powers[usize::from(reader.0)] = true;
        }
        lines
    }

    /// What a foreign power sees of it (the table of variants.md 4.2).
    fn glimpse(&self, event: &Event, reader: PowerId) -> Option<String> {
        if !self.watch.foreign_units {
            return None;
        }
        let see = |view: &View, unit: Unit| view.eyes(reader).see(unit.kind, self.map.province_of(unit.at));
        let say = |unit: Unit, word: &str| {
            let title = &self.map[event.power].title;
            let head = if event.block { column(title) } else { format!("{title}: ") };
            let notes = if event.dislodged { "  (*dislodged*)" } else { "" };
            Some(format!("{head}{} {word}.{notes}", unit_words(self.map, unit)))
        };
        match event.turn {
            Turn::Acts(from, to) => {
                let arrived = see(self.after, to);
                match (see(self.before, from), arrived) {
                    (true, true) => Some(event.full.clone()),
                    (false, true) if event.dislodges || see(self.before, to) => say(to, "ARRIVES"),
                    (false, true) => say(to, "FOUND"),
                    (true, false) if see(self.after, from) => say(from, "DEPARTS"),
                    (true, false) => say(from, "LOST"),
                    (false, false) => None,
                }
            }
            Turn::Comes(unit) => see(self.after, unit).then(|| event.full.clone()),
            Turn::Goes(unit) => see(self.before, unit).then(|| event.full.clone()),
            Turn::Stands(unit) => match (see(self.before, unit), see(self.after, unit)) {
                (false, true) => say(unit, "FOUND"),
                (true, false) => say(unit, "LOST"),
                _ => None,
            },
        }
    }
}

/// Whether a power knows the owner of a centre: its own, one it sees, one it has seen since the last count.
pub fn knows_center(referee: &Diplomacy, game: &Game, now: &View, reader: PowerId, center: ProvinceId) -> bool {
    let map = referee.map();
    let code = &map[center].code;
    let mut blocks = referee.powers(game);
    let held = blocks.any(|(power, p)| now.owns(power, reader) && p.owns.contains(code));
    held || match Watch::of(&referee.rules).foreign_centers {
        Foreign::Always => true,
        Foreign::Never => false,
        Foreign::Seen => {
            let remembered = referee.block(game, &map[reader].key).is_some_and(|p| p.sees.contains(code));
            remembered || now.eyes(reader).see_center(center)
        }
    }
}

/// Writes down which foreign centres each power has seen (SEES); a count begins a new page.
pub fn remember(referee: &Diplomacy, game: &mut Game, views: &[&View], counted: bool) {
    let map = referee.map();
    let seen_by = |power: PowerId, own: &[String]| {
        let seen = |p: &ProvinceId| map[*p].center && views.iter().any(|v| v.eyes(power).see_center(*p));
        let codes = map.province_ids().filter(seen).map(|p| map[p].code.clone());
        codes.filter(|code| !own.contains(code)).collect::<Vec<_>>()
    };
    let remembers = Watch::of(&referee.rules).foreign_centers == Foreign::Seen && !counted;
    for p in &mut game.participants {
        let Some(power) = map.power(&p.name).filter(|_| p.kind == crate::status::ParticipantKind::Power) else {
            continue;
        };
        if !remembers {
            p.sees.clear();
            continue;
        }
        p.sees.extend(seen_by(power, &p.owns));
        p.sees.sort();
        p.sees.dedup();
    }
}
