//! What a status file has on its board, as the reader of orders wants it, and whether the orders on file could still be
//! entered there (status-file.md 6).

use super::map::{LocationId, Map, ProvinceId};
use super::orders::{Board, Fault, Lexicon, OrderContext, Tokens, parse_order};
use super::phase::Phase;
use super::rules::Rules;
use crate::status::{Game, Participant, ParticipantKind};

/// The position as order entry needs it. What the map does not know is left out.
pub fn entry_board(map: &Map, game: &Game) -> Board {
    let mut board = Board::default();
    let places = |list: &[String]| list.iter().filter_map(|c| map.province(c)).collect::<Vec<ProvinceId>>();
    let powers = game.participants.iter().filter(|p| p.kind == ParticipantKind::Power);
    for (power, p) in powers.filter_map(|p| Some((map.power(&p.name)?, p))) {
        board.units.insert(power, p.units.iter().filter_map(|u| map.named_unit(u)).collect());
        let targets = |to: &[String]| to.iter().filter_map(|t| map.location(t)).collect::<Vec<LocationId>>();
        let retreats = p.retreats.iter().filter_map(|(u, to)| Some((map.named_unit(u)?, targets(to))));
        board.dislodged.insert(power, retreats.collect());
        board.centers.insert(power, places(&p.owns));
        let homes = match &p.inhabits {
            Some(homes) => places(homes),
            None => map[power].homes.clone(),
        };
        board.homes.insert(power, homes);
        board.tokens.insert(power, tokens(p));
    }
    board
}

/// The build tokens of a power.
pub fn tokens(p: &Participant) -> Tokens {
    let count = |list: &[String], token: &str| list.iter().filter(|c| *c == token).count() as u16;
    Tokens {
        undetermined: count(&p.owns, "SC!"),
        garrison: count(&p.owns, "SC?"),
        partisan: count(&p.owns, "SC*"),
        claims: count(p.inhabits.as_deref().unwrap_or_default(), "&SC"),
    }
}

/// Reads orders on file once more.
pub struct OnFile<'a> {
    map: &'a Map,
    lexicon: &'a Lexicon,
    rules: &'a Rules,
    phase: Phase,
    board: Board,
}

impl<'a> OnFile<'a> {
    /// The orders of a game in a phase.
    pub fn new(map: &'a Map, lexicon: &'a Lexicon, rules: &'a Rules, phase: Phase, game: &Game) -> OnFile<'a> {
        OnFile { map, lexicon, rules, phase, board: entry_board(map, game) }
    }

    /// Why the order could not be entered now. Who has become a dummy since is not asked: the order was good when it
    /// came.
    pub fn fault(&self, power: &str, order: &str) -> Option<Fault> {
        let context = OrderContext {
            map: self.map,
            lexicon: self.lexicon,
            phase: &self.phase,
            board: &self.board,
            rules: self.rules,
            power: self.map.power(power)?,
            dummies: &[],
            eliminated: &[],
        };
        // The mark of a void support that is kept as a signal is no part of the order.
        parse_order(&context, order.trim_end_matches(" ?")).err()
    }
}
