//! Orders as players write them (orders.md): one parser for mail and web, in movement, retreat and adjustment phases.
//!
//! Text goes through one door: clean-up, words, word order ([`phrase`]), then the checks of the phase, to a typed
//! [`Entry`] with its canonical text, or to a [`Fault`] with a stable code and a sentence that names the cure. A whole
//! submission is a sheet ([`read_sheet`]); reports are printed by [`report`], and every line of a report is an order
//! again.

pub mod adjustment;
pub mod clean;
pub mod code;
pub mod entry;
pub mod geography;
pub mod lexicon;
pub mod movement;
pub mod phrase;
pub mod prefix;
pub mod report;
pub mod retreat;
pub mod sheet;
pub mod words;

pub use code::{Code, Fault, Remark, Warning};
pub use entry::{Entry, Parsed};
pub use geography::{Board, Geography, Tokens};
pub use lexicon::Lexicon;
pub use sheet::{LineReport, PowerSheet, SheetContext, SheetReport, Signer, Verdict, read_lines, read_sheet};

use crate::diplomacy::map::{LocationId, Map, PowerId, ProvinceId, UnitKind};
use crate::diplomacy::phase::Phase;
use crate::diplomacy::position::Unit;
use crate::diplomacy::rules::{Rule, Rules};

/// What one order is read against.
#[derive(Clone, Copy, Debug)]
pub struct OrderContext<'a> {
    /// The map.
    pub map: &'a Map,
    /// Its names.
    pub lexicon: &'a Lexicon,
    /// The phase; its letter decides which orders there are.
    pub phase: &'a Phase,
    /// The position.
    pub board: &'a Board,
    /// Rules in force. To read stored orders at adjudication, leave FICTIONAL_OK out: then types and coasts come from
    /// the board, and helped units must exist.
    pub rules: &'a Rules,
    /// Whose order it is.
    pub power: PowerId,
    /// Powers without a player that are known as such.
    pub dummies: &'a [PowerId],
    /// Powers that are out of the game.
    pub eliminated: &'a [PowerId],
}

/// Reads one order: text to typed, checked, canonical. Power prefixes and separators are the business of sheets.
pub fn parse_order(ctx: &OrderContext<'_>, text: &str) -> Result<Parsed, Fault> {
    let cleaned = clean::clean(&clean::without_notes(clean::without_comment(text)));
    advance_order(ctx, &cleaned)?;
    let need_marks = ctx.rules.has(Rule::NeedMoveMarks);
    let letter = ctx.phase.letter();
    let phrase = phrase::read(ctx.map, ctx.lexicon, letter, &cleaned, need_marks)?;
    match letter {
        'R' => retreat::check(ctx, phrase),
        'A' => adjustment::check(ctx, phrase),
        _ => movement::check(ctx, phrase),
    }
}

/// Reads an order for its words only (NO_CHECK, orders.md 9.4): known, unambiguous, and at least unit and verb.
pub fn check_words(ctx: &OrderContext<'_>, text: &str) -> Result<(), Fault> {
    let cleaned = clean::clean(&clean::without_notes(clean::without_comment(text)));
    advance_order(ctx, &cleaned)?;
    let phrase = phrase::read(ctx.map, ctx.lexicon, ctx.phase.letter(), &cleaned, false)?;
    let Some((_, spot)) = &phrase.unit else { return Err(incomplete()) };
    let rest = phrase.rest.iter().filter_map(|item| match item {
        phrase::Item::Place(spot) => Some(spot),
        _ => None,
    });
    for spot in std::iter::once(spot).chain(rest) {
        ctx.settle(spot, |_| true)?;
    }
    if phrase.rest.is_empty() { Err(incomplete()) } else { Ok(()) }
}

fn incomplete() -> Fault {
    Fault::new(Code::Incomplete, "An order is a unit and what it does, like A VIE - GAL or A VIE H.")
}

/// Conditional and advance orders of nJudge are refused, so that nobody believes they worked (orders.md 9.5).
fn advance_order(ctx: &OrderContext<'_>, cleaned: &str) -> Result<(), Fault> {
    let word = cleaned.split_whitespace().next().unwrap_or_default();
    if matches!(word, "PHASE" | "IF" | "ELSE" | "ENDIF") && !ctx.lexicon.is_one_place(word) {
        let text = format!(
            "{word}: conditional orders and orders for later phases do not exist here. Nothing of this submission was \
             stored; send the orders of this phase only."
        );
        return Err(Fault::new(Code::NotSupported, text));
    }
    Ok(())
}

impl OrderContext<'_> {
    /// The geography of this board.
    pub fn geography(&self) -> Geography<'_> {
        Geography { map: self.map, rules: self.rules, board: self.board }
    }

    fn old(&self) -> bool {
        self.rules.has(Rule::OldJudge)
    }

    fn fictional(&self) -> bool {
        self.rules.has(Rule::FictionalOk)
    }

    fn code(&self, at: LocationId) -> &str {
        &self.map[at].code
    }

    fn name(&self, province: ProvinceId) -> &str {
        &self.map[province].title
    }

    fn province(&self, at: LocationId) -> ProvinceId {
        self.map.province_of(at)
    }

    fn unit_text(&self, unit: Unit) -> String {
        entry::unit_text(self.map, unit)
    }

    /// Codes joined by commas.
    fn codes(&self, list: &[LocationId]) -> String {
        list.iter().map(|at| self.code(*at)).collect::<Vec<_>>().join(", ")
    }

    /// The one place a name means; of several, the only one that fits (map-file.md 4.3).
    fn settle(&self, spot: &phrase::Spot, fits: impl Fn(LocationId) -> bool) -> Result<LocationId, Fault> {
        match spot.candidates.as_slice() {
            [one] => return Ok(*one),
            list => {
                let fitting: Vec<LocationId> = list.iter().copied().filter(|at| fits(*at)).collect();
                if let [one] = fitting[..] {
                    return Ok(one);
                }
            }
        }
        let text = format!("{} may mean {}. Write the three letters.", spot.text, self.codes(&spot.candidates));
        Err(Fault::new(Code::Ambiguous, text))
    }

    /// A place for an army: without its coast. OLD_JUDGE refuses the coast (D18).
    fn without_coast(&self, at: LocationId, remarks: &mut Vec<Remark>) -> Result<LocationId, Fault> {
        let Some(coast) = &self.map[at].coast else { return Ok(at) };
        let bare = self.map[self.province(at)].location;
        if self.old() {
            let text = format!("An army has no use for the coast {coast}: write {}.", self.code(bare));
            return Err(Fault::new(Code::Coast, text));
        }
        let text = format!("{} was taken as {}: armies have no coast.", self.code(at), self.code(bare));
        remarks.push(Remark::new(Warning::CoastDropped, text));
        Ok(bare)
    }

    /// Completes or corrects the coast a fleet was written with; `None` under OLD_JUDGE if it is wrong.
    fn real_coast(&self, written: LocationId, unit: Unit, remarks: &mut Vec<Remark>) -> Option<()> {
        if self.map[written].coast.is_some() && written != unit.at {
            if self.old() {
                return None;
            }
            let text = format!("The fleet is in {}, not {}.", self.code(unit.at), self.code(written));
            remarks.push(Remark::new(Warning::CoastCorrected, text));
        }
        Some(())
    }

    /// Whether a unit of that kind may stand there, a missing coast of a fleet forgiven.
    fn may_be(&self, kind: UnitKind, at: LocationId) -> bool {
        self.map.may_stand(kind, at)
            || (kind == UnitKind::Fleet
                && self.map[at].coast.is_none()
                && !self.geography().berths(kind, self.province(at)).is_empty())
    }
}

/// `an army`, `a fleet`.
fn a_unit(kind: UnitKind) -> &'static str {
    match kind {
        UnitKind::Army => "an army",
        UnitKind::Fleet => "a fleet",
    }
}

/// `army`, `fleet`.
pub(crate) fn unit_word(kind: UnitKind) -> &'static str {
    match kind {
        UnitKind::Army => "army",
        UnitKind::Fleet => "fleet",
    }
}
