//! Text to cases. Lines are read one by one; a `#` begins a comment anywhere; keywords in any case.

use super::{Deed, JdipCase, JdipFile, Misread, Told};
use crate::diplomacy::adjudicate::board::Board;
use crate::diplomacy::adjudicate::case::Table;
use crate::diplomacy::adjudicate::setup::Piece;
use crate::diplomacy::map::{LocationId, Map, PowerId, ProvinceId, UnitKind};
use crate::diplomacy::orders::clean::clean;
use crate::diplomacy::orders::phrase::{self, Item, Phrase};
use crate::diplomacy::orders::words::Verb;
use crate::diplomacy::phase::Phase;
use crate::diplomacy::position::Unit;

/// Blocks of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Prestate,
    PrestateDislodged,
    PrestateResults,
    PrestateOwners,
    Orders,
    Poststate,
    PoststateDislodged,
}

const SECTIONS: [(&str, Section); 7] = [
    ("PRESTATE", Section::Prestate),
    ("PRESTATE_DISLODGED", Section::PrestateDislodged),
    ("PRESTATE_RESULTS", Section::PrestateResults),
    ("PRESTATE_SUPPLYCENTER_OWNERS", Section::PrestateOwners),
    ("ORDERS", Section::Orders),
    ("POSTSTATE", Section::Poststate),
    ("POSTSTATE_DISLODGED", Section::PoststateDislodged),
];
const KEYWORDS: &str = "CASE, END, PRESTATE, PRESTATE_SETPHASE, PRESTATE_DISLODGED, PRESTATE_RESULTS, \
    PRESTATE_SUPPLYCENTER_OWNERS, ORDERS, POSTSTATE, POSTSTATE_SAME or POSTSTATE_DISLODGED";

/// A piece of a line and where it begins.
#[derive(Clone, Copy)]
struct Piecewise<'a> {
    line: usize,
    whole: &'a str,
    text: &'a str,
}

impl<'a> Piecewise<'a> {
    /// A later part of the same line, without blanks around it.
    fn part(self, text: &'a str) -> Piecewise<'a> {
        Piecewise { text: text.trim(), ..self }
    }
    fn wrong(self, what: &'static str, want: impl Into<String>) -> Misread {
        let before = (self.text.as_ptr() as usize).saturating_sub(self.whole.as_ptr() as usize);
        let column = self.whole.get(..before).map_or(0, |head| head.chars().count()) + 1;
        Misread { line: self.line, column, what, text: self.text.into(), want: want.into() }
    }
}

/// Reads a file.
pub fn read(text: &str) -> Result<JdipFile, Misread> {
    let mut variant = None;
    let mut lines = Vec::new();
    for (at, whole) in text.lines().enumerate() {
        let bare = whole.split('#').next().unwrap_or_default();
        let line = Piecewise { line: at + 1, whole, text: bare.trim() };
        let (keyword, rest) = split(line);
        match keyword.to_uppercase().as_str() {
            "" => {}
            "VARIANT_ALL" if variant.is_some() => return Err(line.wrong("a second variant", "one VARIANT_ALL")),
            "VARIANT_ALL" => variant = Some(rest),
            _ => lines.push(line),
        }
    }
    let map = match variant {
        None => Map::builtin("standard"),
        // jDip writes the kind of start in brackets: "Standard [No Units]".
        Some(name) => Map::builtin(&name.text.split('[').next().unwrap_or_default().trim().to_lowercase()),
    };
    let Some(map) = map else {
        let nowhere = Piecewise { line: 1, whole: "", text: "" };
        return Err(variant.unwrap_or(nowhere).wrong("unknown variant", "the name of a map, such as Standard"));
    };
    let mut reader = Reader { table: Table::new(map), remarks: Vec::new(), open: None };
    let mut cases = Vec::new();
    for line in &lines {
        if let Some(case) = reader.line(*line)? {
            cases.push(case);
        }
    }
    match reader.open {
        Some(open) => Err(open.begun.wrong("this case has no end", "a line END")),
        None => Ok(JdipFile { table: reader.table, cases, remarks: reader.remarks }),
    }
}

/// The first word of a line and the rest.
fn split(line: Piecewise<'_>) -> (&str, Piecewise<'_>) {
    let end = line.text.find(char::is_whitespace).unwrap_or(line.text.len());
    let (word, rest) = line.text.split_at(end);
    (word, line.part(rest))
}

/// A case being read.
struct Open<'a> {
    begun: Piecewise<'a>,
    case: JdipCase,
    section: Option<Section>,
    seen: Vec<Section>,
    same: bool,
    phase: bool,
}

struct Reader<'a> {
    table: Table,
    remarks: Vec<Misread>,
    open: Option<Open<'a>>,
}

impl<'a> Reader<'a> {
    /// Takes one line that says something; a case, if it was its last.
    fn line(&mut self, line: Piecewise<'a>) -> Result<Option<JdipCase>, Misread> {
        let (word, rest) = split(line);
        let keyword = word.to_uppercase();
        if keyword == "CASE" {
            if self.open.is_some() {
                return Err(line.wrong("a case inside a case", "END before the next CASE"));
            }
            if rest.text.is_empty() {
                return Err(line.wrong("a case without a name", "CASE and its name"));
            }
            self.open = Some(begin(line, rest.text));
            return Ok(None);
        }
        let Some(open) = &mut self.open else { return Err(line.wrong("outside of a case", "CASE and its name")) };
        match keyword.as_str() {
            "END" => return Ok(Some(finish(line, self.open.take())?)),
            "PRESTATE_SETPHASE" if open.phase => return Err(line.wrong("a second phase", "one PRESTATE_SETPHASE")),
            "PRESTATE_SETPHASE" => {
                open.case.phase = phase(rest.text)
                    .ok_or_else(|| rest.wrong("not a phase", "such as Spring 1901, Movement, or S1901M"))?;
                (open.phase, open.section) = (true, None);
            }
            "POSTSTATE_SAME" => (open.same, open.section) = (true, None),
            _ => match SECTIONS.iter().find(|(name, _)| *name == keyword) {
                Some(_) if !rest.text.is_empty() => {
                    return Err(rest.wrong("something behind a keyword", "the keyword alone in its line"));
                }
                Some((_, section)) if open.seen.contains(section) => {
                    return Err(line.wrong("a second block of its kind", "one block of each kind in a case"));
                }
                Some((_, section)) => {
                    open.section = Some(*section);
                    open.seen.push(*section);
                    if *section == Section::PrestateOwners {
                        open.case.owners = Some(Vec::new());
                    }
                    if *section == Section::Poststate {
                        open.case.after = Some(Vec::new());
                    }
                }
                None => {
                    let section = open.section.ok_or_else(|| line.wrong("not a keyword", KEYWORDS))?;
                    self.entry(section, line)?;
                }
            },
        }
        Ok(None)
    }

    /// A line of a block.
    fn entry(&mut self, section: Section, line: Piecewise<'a>) -> Result<(), Misread> {
        match section {
            Section::Prestate => {
                let piece = self.unit(line)?;
                self.alone(line, piece, |case| &case.units)?;
                self.case(|case| case.units.push(piece));
            }
            Section::PrestateDislodged => {
                let piece = self.unit(line)?;
                self.alone(line, piece, |case| &case.dislodged)?;
                self.case(|case| case.dislodged.push(piece));
            }
            Section::Poststate => {
                let piece = self.unit(line)?;
                self.alone(line, piece, |case| case.after.as_deref().unwrap_or_default())?;
                self.case(|case| case.after.get_or_insert_default().push(piece));
            }
            Section::PoststateDislodged => {
                let piece = self.unit(line)?;
                self.case(|case| case.after_dislodged.push(piece));
            }
            Section::PrestateOwners => {
                let (power, center) = self.center(line)?;
                self.case(|case| case.owners.get_or_insert_default().push((power, center)));
            }
            Section::Orders => {
                let (power, order) = self.owner(line)?;
                let text = order.text.to_owned();
                self.case(|case| case.orders.push((power, text)));
            }
            Section::PrestateResults => {
                let told = self.result(line)?;
                self.case(|case| case.results.push(told));
            }
        }
        Ok(())
    }

    fn case(&mut self, change: impl FnOnce(&mut JdipCase)) {
        if let Some(open) = &mut self.open {
            change(&mut open.case);
        }
    }

    /// A province holds one unit.
    fn alone(&self, line: Piecewise<'a>, piece: Piece, list: impl Fn(&JdipCase) -> &[Piece]) -> Result<(), Misread> {
        let board = &self.table.board;
        let there = board.province(piece.unit.at);
        let taken = self.open.iter().flat_map(|open| list(&open.case)).any(|p| board.province(p.unit.at) == there);
        if taken { Err(line.wrong("a second unit in a province", "one unit in a province")) } else { Ok(()) }
    }

    /// `England: F nth`, the colon forgiven: whose line it is, and the rest.
    fn owner(&mut self, line: Piecewise<'a>) -> Result<(PowerId, Piecewise<'a>), Misread> {
        let (head, rest) = match line.text.split_once(':') {
            Some((head, rest)) => (line.part(head), line.part(rest)),
            None => {
                let (head, rest) = split(line);
                (line.part(head), rest)
            }
        };
        let board = &self.table.board;
        if let Some(power) = self.table.lexicon().power(&clean(head.text)) {
            return Ok((power, rest));
        }
        // A misspelt power that can only be one; the published file has such.
        let start = |name: &str| name.to_uppercase().chars().take(3).collect::<String>();
        let close: Vec<PowerId> = (0..board.powers() as u8)
            .map(PowerId)
            .filter(|p| head.text.chars().count() > 3 && start(board.power_title(*p)) == start(head.text))
            .collect();
        let [power] = close[..] else {
            let all: Vec<&str> = (0..board.powers() as u8).map(|p| board.power_title(PowerId(p))).collect();
            return Err(head.wrong("unknown power", all.join(", ")));
        };
        let remark = head.wrong("misspelt power", board.power_title(power));
        self.remarks.push(remark);
        Ok((power, rest))
    }

    fn phrase(&self, text: &str, letter: char) -> Option<Phrase> {
        phrase::read(&self.table.map, self.table.lexicon(), letter, &clean(text), false).ok()
    }

    fn unit(&mut self, line: Piecewise<'a>) -> Result<Piece, Misread> {
        let (power, rest) = self.owner(line)?;
        let wrong = || rest.wrong("not a unit", "such as F nth, A mun or F spa/nc");
        let phrase = self.phrase(rest.text, 'M').filter(|p| p.rest.is_empty() && !p.via).ok_or_else(wrong)?;
        let Some((Some(kind), spot)) = phrase.unit else { return Err(wrong()) };
        match spot.candidates[..] {
            [at] => {
                let unit = self.berth(kind, at).ok_or_else(wrong)?;
                Ok(Piece { power, unit })
            }
            _ => Err(wrong()),
        }
    }

    /// A unit that can stand there; an army without its coast.
    fn berth(&self, kind: UnitKind, at: LocationId) -> Option<Unit> {
        let board: &Board = &self.table.board;
        let at = if kind == UnitKind::Army { board.bare(board.province(at)) } else { at };
        let unit = Unit { kind, at };
        board.may_stand(unit).then_some(unit)
    }

    fn center(&mut self, line: Piecewise<'a>) -> Result<(PowerId, ProvinceId), Misread> {
        let (power, rest) = self.owner(line)?;
        let wrong = || rest.wrong("not a supply centre", "such as A kie; the type is not read");
        let phrase = self.phrase(rest.text, 'M').filter(|p| p.rest.is_empty()).ok_or_else(wrong)?;
        let board = &self.table.board;
        let center = phrase.unit.and_then(|(_, spot)| match spot.candidates[..] {
            [at] => Some(board.province(at)).filter(|p| board.is_center(*p)),
            _ => None,
        });
        let center = center.ok_or_else(wrong)?;
        let owned = self.open.iter().filter_map(|o| o.case.owners.as_ref()).flatten().any(|(_, c)| *c == center);
        if owned { Err(line.wrong("a centre with two owners", "one line for a centre")) } else { Ok((power, center)) }
    }

    /// `SUCCESS: Germany: A ber-kie`
    fn result(&mut self, line: Piecewise<'a>) -> Result<Told, Misread> {
        let wrong = || line.wrong("not a result", "SUCCESS: or FAILURE:, the power and its order");
        let (word, rest) = line.text.split_once(':').ok_or_else(wrong)?;
        let success = match word.trim().to_uppercase().as_str() {
            "SUCCESS" => true,
            "FAILURE" => false,
            _ => return Err(wrong()),
        };
        let (power, rest) = self.owner(line.part(rest))?;
        let wrong = || rest.wrong("not an order", "such as A ber-kie, A ber H or F nth C A lon-nwy");
        let phrase = self.phrase(rest.text, 'M').ok_or_else(wrong)?;
        let Some((Some(kind), spot)) = &phrase.unit else { return Err(wrong()) };
        let at = *spot.candidates.first().ok_or_else(wrong)?;
        let deed = self.deed(&phrase).ok_or_else(wrong)?;
        Ok(Told { piece: Piece { power, unit: Unit { kind: *kind, at } }, deed, success })
    }

    fn deed(&self, phrase: &Phrase) -> Option<Deed> {
        let place = |item: &Item| match item {
            Item::Place(spot) => spot.candidates.first().map(|at| self.table.board.province(*at)),
            _ => None,
        };
        let places: Vec<ProvinceId> = phrase.rest.iter().filter_map(place).collect();
        match (phrase.rest.first(), &places[..]) {
            (Some(Item::Place(_)), [.., to]) => Some(Deed::Move { to: *to, via: phrase.via || places.len() > 1 }),
            (Some(Item::Verb(Verb::Convoy)), [from, .., to]) => Some(Deed::Convoy { from: *from, to: *to }),
            (Some(Item::Verb(Verb::Hold | Verb::Support)), _) => Some(Deed::Other),
            _ => None,
        }
    }
}

fn begin<'a>(begun: Piecewise<'a>, name: &str) -> Open<'a> {
    let phase = Phase { season: "SPRING".into(), year: 1901, kind: "MOVEMENT".into() };
    let case = JdipCase {
        name: name.split_whitespace().collect::<Vec<_>>().join(" "),
        phase,
        units: Vec::new(),
        dislodged: Vec::new(),
        results: Vec::new(),
        owners: None,
        orders: Vec::new(),
        after: None,
        after_dislodged: Vec::new(),
    };
    Open { begun, case, section: None, seen: Vec::new(), same: false, phase: false }
}

fn finish(line: Piecewise<'_>, open: Option<Open<'_>>) -> Result<JdipCase, Misread> {
    let Some(open) = open else { return Err(line.wrong("outside of a case", "CASE and its name")) };
    match (open.same, open.case.after.is_some()) {
        (false, false) => Err(line.wrong("nothing to compare with", "POSTSTATE or POSTSTATE_SAME before END")),
        (true, true) => Err(line.wrong("POSTSTATE and POSTSTATE_SAME", "one of them")),
        _ => Ok(open.case),
    }
}

/// `Spring 1901, Movement`, `F1901M`; the kinds by any word that begins like theirs.
fn phase(text: &str) -> Option<Phase> {
    let upper = text.to_uppercase().replace(['(', ')', ','], " ");
    let words: Vec<&str> = upper.split_whitespace().collect();
    let (season, year, kind) = match words[..] {
        [season, year, kind] => (season, year, kind),
        [short] if short.is_ascii() && short.len() > 2 => {
            (&short[..1], &short[1..short.len() - 1], &short[short.len() - 1..])
        }
        _ => return None,
    };
    let season = ["SPRING", "SUMMER", "FALL", "AUTUMN", "WINTER"].into_iter().find(|s| s.starts_with(season))?;
    let kinds =
        [("MOVEMENT", "MOVEMENT"), ("RETREATS", "RETREATS"), ("ADJUSTMENTS", "ADJUSTMENTS"), ("BUILDS", "ADJUSTMENTS")];
    let (_, kind) = kinds.into_iter().find(|(word, _)| word.starts_with(kind))?;
    Some(Phase { season: season.into(), year: year.parse().ok()?, kind: kind.into() })
}
