//! From anything a caller says about a board to a [`Position`], at one door. A position is consistent by
//! construction: units stand where they can, one to a province, and centres have one owner.

use super::board::{Board, NOBODY, NONE};
use super::rows::At;
use crate::diplomacy::map::{LocationId, PowerId, ProvinceId};
use crate::diplomacy::notation;
use crate::diplomacy::position::Unit;
use std::sync::Arc;

/// Why a position is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// A power the map does not have.
    #[error("unknown power: {0}")]
    UnknownPower(String),
    /// A place, or a kind of unit, that does not exist, or a unit that cannot stand there.
    #[error("INVALID UNIT: {power}: {unit}")]
    InvalidUnit {
        /// Owner.
        power: String,
        /// The unit as given.
        unit: String,
    },
    /// A second unit in a province.
    #[error("TWO UNITS AT LOCATION: {power}: {unit}")]
    TwoUnits {
        /// Owner of the second.
        power: String,
        /// The second.
        unit: String,
    },
    /// A centre that is none, or has two owners.
    #[error("INVALID CENTER: {power}: {center}")]
    InvalidCenter {
        /// Owner.
        power: String,
        /// The province as given.
        center: String,
    },
    /// A retreat to a place that does not exist.
    #[error("INVALID RETREAT: {power}: {unit}: {place}")]
    InvalidRetreat {
        /// Owner.
        power: String,
        /// The dislodged unit.
        unit: String,
        /// The place as given.
        place: String,
    },
}

/// A unit and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Piece {
    /// Owner.
    pub power: PowerId,
    /// The unit.
    pub unit: Unit,
}

/// A unit that lost its place and may retreat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dislodged {
    /// Owner and unit, where it stood.
    pub piece: Piece,
    /// Where its dislodger came from, if known.
    pub attacker: Option<ProvinceId>,
    /// Whether its dislodger came by convoy.
    pub by_convoy: bool,
    pub(super) first: u32,
    pub(super) count: u16,
}

/// What a caller says about the board: nothing of it is checked yet.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    units: Vec<Piece>,
    dislodged: Vec<(Piece, Vec<LocationId>)>,
    centers: Vec<(PowerId, ProvinceId)>,
    hibernating: bool,
}

impl Setup {
    /// An empty board.
    pub fn new() -> Setup {
        Setup::default()
    }
    /// HIBERNATE: units may stand in places that are closed to them; they can only hold.
    pub fn hibernating(mut self, on: bool) -> Setup {
        self.hibernating = on;
        self
    }
    /// Adds a unit.
    pub fn unit(&mut self, power: PowerId, unit: Unit) -> &mut Setup {
        self.units.push(Piece { power, unit });
        self
    }
    /// Adds a dislodged unit with its open retreats.
    pub fn dislodged(&mut self, power: PowerId, unit: Unit, retreats: Vec<LocationId>) -> &mut Setup {
        self.dislodged.push((Piece { power, unit }, retreats));
        self
    }
    /// Gives a centre to a power.
    pub fn center(&mut self, power: PowerId, center: ProvinceId) -> &mut Setup {
        self.centers.push((power, center));
        self
    }
    /// Adds a unit by its text: `FRANCE`, `F SPA/NC`.
    pub fn read_unit(&mut self, board: &Board, power: &str, text: &str) -> Result<&mut Setup, SetupError> {
        let owner = named(board, power)?;
        let unit = notation::read_unit(board, text).ok_or_else(|| invalid(power, text))?;
        Ok(self.unit(owner, unit))
    }
    /// Adds a dislodged unit and its retreats by their texts.
    pub fn read_dislodged<'a>(
        &mut self,
        board: &Board,
        power: &str,
        text: &str,
        retreats: impl IntoIterator<Item = &'a str>,
    ) -> Result<&mut Setup, SetupError> {
        let owner = named(board, power)?;
        let unit = notation::read_unit(board, text).ok_or_else(|| invalid(power, text))?;
        let mut open = Vec::new();
        for place in retreats {
            open.push(board.place(place).ok_or_else(|| SetupError::InvalidRetreat {
                power: power.into(),
                unit: text.into(),
                place: place.into(),
            })?);
        }
        Ok(self.dislodged(owner, unit, open))
    }
    /// Gives a centre to a power by their texts.
    pub fn read_center(&mut self, board: &Board, power: &str, text: &str) -> Result<&mut Setup, SetupError> {
        let owner = named(board, power)?;
        let wrong = || SetupError::InvalidCenter { power: power.into(), center: text.into() };
        let place = board.place(text).ok_or_else(wrong)?;
        Ok(self.center(owner, board.province(place)))
    }
}

fn named(board: &Board, power: &str) -> Result<PowerId, SetupError> {
    board.power(power).ok_or_else(|| SetupError::UnknownPower(power.into()))
}

fn invalid(power: &str, unit: &str) -> SetupError {
    SetupError::InvalidUnit { power: power.into(), unit: unit.into() }
}

/// A consistent position on a board.
#[derive(Clone, Debug)]
pub struct Position {
    board: Arc<Board>,
    pub(super) pieces: Vec<Piece>,
    pub(super) occupant: Vec<u16>,
    pub(super) owners: Vec<u8>,
    pub(super) dislodged: Vec<Dislodged>,
    pub(super) retreats: Vec<LocationId>,
}

impl Position {
    /// The board with nothing on it.
    pub fn empty(board: &Arc<Board>) -> Position {
        Position {
            pieces: Vec::new(),
            occupant: vec![NONE; board.provinces()],
            owners: vec![NOBODY; board.provinces()],
            dislodged: Vec::new(),
            retreats: Vec::new(),
            board: Arc::clone(board),
        }
    }

    /// The door: checks a setup.
    pub fn new(board: &Arc<Board>, setup: &Setup) -> Result<Position, SetupError> {
        let mut position = Position::empty(board);
        for piece in &setup.units {
            position.check(*piece, setup.hibernating)?;
            if !position.place(*piece) {
                let (power, unit) = (board.power_key(piece.power).into(), notation::unit(board, piece.unit));
                return Err(SetupError::TwoUnits { power, unit });
            }
        }
        for (piece, open) in &setup.dislodged {
            position.check(*piece, setup.hibernating)?;
            let first = position.retreats.len() as u32;
            for place in open {
                if !board.may_stand(Unit { kind: piece.unit.kind, at: *place }) {
                    return Err(SetupError::InvalidRetreat {
                        power: board.power_key(piece.power).into(),
                        unit: notation::unit(board, piece.unit),
                        place: board.code(*place).into(),
                    });
                }
                position.retreats.push(*place);
            }
            let same = |d: &Dislodged| board.province(d.piece.unit.at) == board.province(piece.unit.at);
            if position.dislodged.iter().any(same) {
                let (power, unit) = (board.power_key(piece.power).into(), notation::unit(board, piece.unit));
                return Err(SetupError::TwoUnits { power, unit });
            }
            position.dislodged.push(Dislodged {
                piece: *piece,
                attacker: None,
                by_convoy: false,
                first,
                count: open.len() as u16,
            });
        }
        for (power, center) in &setup.centers {
            let free = board.is_center(*center) && position.owners[center.index()] == NOBODY;
            if !free || power.0 as usize >= board.powers() {
                return Err(SetupError::InvalidCenter {
                    power: board.power_key(*power).into(),
                    center: if center.index() < board.provinces() {
                        board.province_code(*center).into()
                    } else {
                        String::new()
                    },
                });
            }
            position.owners[center.index()] = power.0;
        }
        Ok(position)
    }

    fn check(&self, piece: Piece, hibernating: bool) -> Result<(), SetupError> {
        if piece.power.0 as usize >= self.board.powers() {
            return Err(SetupError::UnknownPower(piece.power.0.to_string()));
        }
        let exists = piece.unit.at.index() < self.board.locations();
        if !exists || !(hibernating || self.board.may_stand(piece.unit)) {
            let (power, unit) = (self.board.power_key(piece.power).into(), notation::unit(&self.board, piece.unit));
            return Err(SetupError::InvalidUnit { power, unit });
        }
        Ok(())
    }

    /// Puts a unit on the board; false if its province is taken.
    pub(super) fn place(&mut self, piece: Piece) -> bool {
        let seat = &mut self.occupant[self.board.province(piece.unit.at).index()];
        let free = *seat == NONE;
        if free {
            *seat = self.pieces.len() as u16;
            self.pieces.push(piece);
        }
        free
    }

    /// Takes a unit off the board.
    pub(super) fn lift(&mut self, at: ProvinceId) {
        let index = self.occupant[at.index()];
        if index == NONE {
            return;
        }
        self.occupant[at.index()] = NONE;
        self.pieces.remove(index as usize);
        for (at, piece) in self.pieces.iter().enumerate().skip(index as usize) {
            self.occupant[self.board.province(piece.unit.at).index()] = at as u16;
        }
    }

    /// Its board.
    pub fn board(&self) -> &Arc<Board> {
        &self.board
    }
    /// Units, dislodged ones not included.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }
    /// Which of [`Position::pieces`] stands in a province.
    pub fn at(&self, province: ProvinceId) -> Option<usize> {
        self.occupant.get(province.index()).filter(|i| **i != NONE).map(|i| *i as usize)
    }
    /// Dislodged units.
    pub fn dislodged(&self) -> &[Dislodged] {
        &self.dislodged
    }
    /// Retreats open to a dislodged unit of this position, in code order.
    pub fn retreats(&self, unit: &Dislodged) -> &[LocationId] {
        let first = unit.first as usize;
        self.retreats.get(first..first + unit.count as usize).unwrap_or(&[])
    }
    /// Owner of a centre.
    pub fn owner(&self, center: ProvinceId) -> Option<PowerId> {
        self.owners.get(center.index()).filter(|o| **o != NOBODY).map(|o| PowerId(*o))
    }
    /// Changes the owner of a centre; anything that is no centre stays unowned.
    pub fn set_owner(&mut self, center: ProvinceId, owner: Option<PowerId>) {
        if self.board.is_center(center) && owner.is_none_or(|p| (p.0 as usize) < self.board.powers()) {
            self.owners[center.index()] = owner.map_or(NOBODY, |p| p.0);
        }
    }
    /// Centres a power owns, in code order.
    pub fn centers(&self, power: PowerId) -> impl Iterator<Item = ProvinceId> + '_ {
        self.board.centers().iter().copied().filter(move |c| self.owners[c.index()] == power.0)
    }
    /// Units of a power.
    pub fn units(&self, power: PowerId) -> impl Iterator<Item = Unit> + '_ {
        self.pieces.iter().filter(move |p| p.power == power).map(|p| p.unit)
    }

    /// Makes this position a copy of the centres of another, with no units; nothing is allocated if it was
    /// of the same board before.
    pub(super) fn restart(&mut self, other: &Position) {
        if !Arc::ptr_eq(&self.board, &other.board) {
            self.board = Arc::clone(&other.board);
        }
        self.pieces.clear();
        self.dislodged.clear();
        self.retreats.clear();
        self.owners.clone_from(&other.owners);
        self.occupant.clear();
        self.occupant.resize(other.occupant.len(), NONE);
    }
}
