//! The game's text as positions of the rules library, and back.

use super::Diplomacy;
use super::bulletin::View;
use crate::diplomacy::adjudicate::{Estates, Position, Setup};
use crate::diplomacy::map::{PowerId, ProvinceId};
use crate::diplomacy::on_file;
use crate::diplomacy::orders::{self, Geography};
use crate::diplomacy::rules::Rule;
use crate::status::{Game, Participant, ParticipantKind};

impl Diplomacy {
    /// The blocks of powers with their ids.
    pub(super) fn powers<'g>(&'g self, game: &'g Game) -> impl Iterator<Item = (PowerId, &'g Participant)> {
        game.participants
            .iter()
            .filter(|p| p.kind == ParticipantKind::Power)
            .filter_map(|p| Some((self.map().power(&p.name)?, p)))
    }

    /// The position of the game, checked.
    pub(super) fn position(&self, game: &Game) -> Result<Position, String> {
        let board = &self.compiled.board;
        let mut setup = Setup::new().hibernating(self.rules.has(Rule::Hibernate));
        let fail = |e: crate::diplomacy::adjudicate::SetupError| e.to_string();
        for (_, p) in self.powers(game) {
            for unit in &p.units {
                setup.read_unit(board, &p.name, unit).map_err(fail)?;
            }
            for (unit, places) in &p.retreats {
                setup.read_dislodged(board, &p.name, unit, places.iter().map(String::as_str)).map_err(fail)?;
            }
            for center in p.owns.iter().filter(|c| !c.starts_with("SC")) {
                setup.read_center(board, &p.name, center).map_err(fail)?;
            }
        }
        Position::new(board, &setup).map_err(fail)
    }

    /// Why the position of the game cannot be, if it cannot.
    pub fn position_fault(&self, game: &Game) -> Option<String> {
        self.position(game).err()
    }

    /// What each power may build with: homes as the game has them, tokens of OWNS.
    pub(super) fn estates(&self, game: &Game) -> Estates {
        let mut estates = Estates::of(self.map());
        for (power, p) in self.powers(game) {
            let Some(estate) = estates.0.get_mut(power.0 as usize) else { continue };
            if let Some(homes) = &p.inhabits {
                estate.homes = homes.iter().filter_map(|h| self.map().province(h)).collect();
            }
            estate.master = p.control.first().and_then(|key| self.map().power(key));
            let tokens = on_file::tokens(p);
            (estate.undetermined, estate.garrison) = (tokens.undetermined, tokens.garrison);
            (estate.raised, estate.claims) = (tokens.partisan, tokens.claims);
        }
        estates
    }

    /// The position as order entry needs it.
    pub(super) fn entry_board(&self, game: &Game) -> orders::Board {
        on_file::entry_board(self.map(), game)
    }

    /// `Army Paris`
    pub(super) fn unit_in_words(&self, text: &str) -> String {
        match self.map().named_unit(text) {
            Some(unit) => orders::report::unit_words(self.map(), unit),
            None => text.to_string(),
        }
    }

    /// Whether pieces or centres of the two powers touch (TOUCH_PRESS).
    pub(super) fn touching(&self, game: &Game, a: &str, b: &str) -> bool {
        let map = self.map();
        let reach = |key: &str| -> Vec<ProvinceId> {
            let Some(p) = self.block(game, key) else { return Vec::new() };
            let units = p.units.iter().filter_map(|u| map.named_unit(u)).map(|u| map.province_of(u.at));
            units.chain(p.owns.iter().filter_map(|c| map.province(c))).collect()
        };
        let (ours, theirs) = (reach(a), reach(b));
        // Who touches somebody he does not see must not learn of it.
        if self.rules.has(Rule::Blind) {
            let view = View::of(self, game);
            let sees = |seer: &str, other: &str| {
                let (Some(seer), Some(p)) = (map.power(seer), self.block(game, other)) else { return false };
                let mut units = p.units.iter().filter_map(|u| map.named_unit(u));
                units.any(|u| view.eyes(seer).see(u.kind, map.province_of(u.at)))
            };
            if !sees(a, b) || !sees(b, a) {
                return false;
            }
        }
        ours.iter().any(|p| theirs.contains(p) || map.contacts[p.0 as usize].iter().any(|n| theirs.contains(n)))
    }

    /// One line a piece: where it may go, or what may be built.
    pub(super) fn options(&self, game: &Game, seat: &str) -> Vec<String> {
        let map = self.map();
        let (Some(power), Some(p)) = (map.power(seat), self.block(game, seat)) else { return Vec::new() };
        match self.phase(game).map(|p| p.letter()) {
            Some('M') => {
                let geography = Geography { map, rules: &self.rules, board: &self.entry_board(game) };
                let line = |text: &String| {
                    let unit = map.named_unit(text)?;
                    let places: Vec<&str> =
                        geography.reach(unit, Some(power)).iter().map(|l| map[*l].code.as_str()).collect();
                    Some(format!("{text} -> {}", places.join(", ")))
                };
                p.units.iter().filter_map(line).collect()
            }
            Some('R') => {
                p.retreats.iter().map(|(unit, to)| format!("{unit} -> {}, or DISBAND {unit}", to.join(", "))).collect()
            }
            Some('A') => {
                let Ok(position) = self.position(game) else { return Vec::new() };
                let due = crate::diplomacy::adjudicate::due(&self.profile(game), &position, &self.estates(game), power);
                let sites: Vec<&str> = due.sites.iter().map(|s| map[*s].code.as_str()).collect();
                match due.count {
                    0 => Vec::new(),
                    n if n > 0 => {
                        vec![format!("{n} to build in {}: BUILD A PAR, BUILD F BRE or WAIVE", sites.join(", "))]
                    }
                    n => vec![format!("{} to remove of {}: REMOVE A PAR", -n, p.units.join(", "))],
                }
            }
            _ => Vec::new(),
        }
    }
}
