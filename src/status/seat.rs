//! What happens to the PLAYER line when somebody leaves or takes a seat (status-file.md 5.1).

use super::model::{Game, Holder, Need, Participant, ParticipantKind, Person, PhaseState, PlayerLine};

/// Why a seat cannot be revived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Cannot revive a power never assigned to a player.")]
pub struct NeverAssigned;

impl Person {
    /// Whether both are the same: the same number, or, without numbers, the same name and an address in common.
    pub fn is_same(&self, other: &Person) -> bool {
        let numbered = |p: &Person| !p.id.is_empty() && p.id != "NO-ID";
        if numbered(self) && numbered(other) {
            return self.id == other.id;
        }
        let shared = |a: &String| other.addresses.iter().any(|b| a.eq_ignore_ascii_case(b));
        self.name.eq_ignore_ascii_case(&other.name) && self.addresses.iter().any(shared)
    }
}

impl PlayerLine {
    /// A seat taken by its first player.
    pub fn new(person: Person) -> PlayerLine {
        PlayerLine { current: Holder::Person(person), earlier: Vec::new() }
    }

    /// The person in the seat now.
    pub fn person(&self) -> Option<&Person> {
        match &self.current {
            Holder::Person(person) => Some(person),
            _ => None,
        }
    }

    /// The person in the seat now, or the last one who was.
    pub fn last_person(&self) -> Option<&Person> {
        let earlier = self.earlier.iter().map(|(_, holder)| holder);
        std::iter::once(&self.current).chain(earlier).find_map(|holder| match holder {
            Holder::Person(person) => Some(person),
            _ => None,
        })
    }

    /// The player leaves in that phase (short form). `address` is where he reads mail now; it replaces the
    /// registered one, unless empty. Whoever took over in this same phase never played and leaves no trace.
    #[must_use]
    pub fn resigned(&self, phase: &str, address: &[String]) -> PlayerLine {
        self.vacated(Holder::Resigned, phase, address)
    }

    /// The Master makes the seat a dummy in that phase; a resigned seat just changes the word.
    #[must_use]
    pub fn dummied(&self, phase: &str, address: &[String]) -> PlayerLine {
        self.vacated(Holder::Dummy, phase, address)
    }

    fn vacated(&self, by: Holder, phase: &str, address: &[String]) -> PlayerLine {
        let mut line = self.clone();
        let Holder::Person(person) = &mut line.current else {
            line.current = by;
            return line;
        };
        if !address.is_empty() {
            person.addresses = address.to_vec();
        }
        // `current, phase, next, …`: the phase is when the holder to its left came.
        let came_now = line.earlier.first().is_some_and(|(came, _)| came == phase);
        if came_now {
            let (_, before) = line.earlier.remove(0);
            line.current = before;
            // A seat that was a dummy before him is one again.
            if line.current == Holder::Dummy {
                line.current = by;
                return line;
            }
        }
        let left = std::mem::replace(&mut line.current, by);
        line.earlier.insert(0, (phase.to_owned(), left));
        line
    }

    /// A person takes the vacant or dummy seat in that phase. If he is the one who left last he is back as if he
    /// had never gone.
    #[must_use]
    pub fn taken_over(&self, person: Person, phase: &str) -> PlayerLine {
        let mut line = self.clone();
        if !matches!(line.current, Holder::Person(_)) {
            if line.earlier.is_empty() {
                // A dummy that never had a player: the word is kept as his predecessor, if the seat was one.
                if line.current == Holder::Resigned {
                    return PlayerLine::new(person);
                }
            } else {
                line.current = line.earlier.remove(0).1;
            }
        }
        let front = std::mem::replace(&mut line.current, Holder::Person(person.clone()));
        match front {
            Holder::Person(last) if last.is_same(&person) => line.current = Holder::Person(last),
            front => line.earlier.insert(0, (phase.to_owned(), front)),
        }
        line
    }

    /// The last player gets his seat back.
    pub fn revived(&self, phase: &str) -> Result<PlayerLine, NeverAssigned> {
        let last = self.last_person().ok_or(NeverAssigned)?.clone();
        Ok(self.taken_over(last, phase))
    }
}

impl Participant {
    /// Whether nobody sits there: resigned or a dummy.
    pub fn is_vacant(&self) -> bool {
        matches!(self.player.as_ref().map(|p| &p.current), Some(Holder::Resigned | Holder::Dummy))
    }

    /// Whether the seat is a dummy.
    pub fn is_dummy(&self) -> bool {
        matches!(self.player.as_ref().map(|p| &p.current), Some(Holder::Dummy))
    }

    /// Whether the player resigned.
    pub fn is_resigned(&self) -> bool {
        matches!(self.player.as_ref().map(|p| &p.current), Some(Holder::Resigned))
    }

    /// Centres owned; the tokens `SC!`, `SC?`, `SC*` are none.
    pub fn centers(&self) -> impl Iterator<Item = &str> {
        self.owns.iter().map(String::as_str).filter(|c| !c.starts_with("SC") || !c.ends_with(['!', '?', '*']))
    }

    /// The seat loses its player: no password, no address; the new PLAYER line stays.
    fn leave(&mut self, line: PlayerLine) {
        self.player = Some(line);
        self.password = None;
        self.address.clear();
    }
}

impl Game {
    /// The participant of that name: a power key, `POWER#n` or a free name (upper case).
    pub fn participant(&self, name: &str) -> Option<&Participant> {
        self.participants.iter().find(|p| p.name == name)
    }

    /// The same, to change it.
    pub fn participant_mut(&mut self, name: &str) -> Option<&mut Participant> {
        self.participants.iter_mut().find(|p| p.name == name)
    }

    /// The running phase in short form (`S1901M`), `FORMING` or `COMPLETED`.
    pub fn short_phase(&self) -> String {
        match &self.phase {
            PhaseState::Forming => "FORMING".to_owned(),
            PhaseState::Completed => "COMPLETED".to_owned(),
            PhaseState::Running(phase) => super::lexis::short_of(phase).unwrap_or_else(|| phase.clone()),
        }
    }

    /// The letter of the kind of phase (`M`, `R`, `A` or a variant's), while one is running.
    pub fn phase_letter(&self) -> Option<char> {
        match &self.phase {
            PhaseState::Running(phase) => self.short_phase().chars().last().filter(|_| !phase.is_empty()),
            _ => None,
        }
    }

    /// A player leaves his seat in the running phase: PLAYER RESIGNED, no address, no password, a NEED word with
    /// the numbers of the moment (unless `hidden`: BLIND). A type other than a power is removed outright.
    /// Says whether a seat is vacant now.
    pub fn resign(&mut self, name: &str, hidden: bool) -> bool {
        let phase = self.short_phase();
        let Some(at) = self.participants.iter().position(|p| p.name == name) else { return false };
        let seat = &mut self.participants[at];
        if seat.kind != ParticipantKind::Power || self.phase == PhaseState::Forming {
            self.participants.remove(at);
            return false;
        }
        let Some(line) = seat.player.as_ref().map(|line| line.resigned(&phase, &seat.address)) else { return false };
        seat.leave(line);
        let count = |n: usize| if hidden { None } else { u16::try_from(n).ok() };
        let need = Need {
            power: seat.name.clone(),
            units: count(seat.units.len() + seat.retreats.len()),
            centers: count(seat.centers().count()),
        };
        self.need.retain(|n| n.power != name);
        self.need.push(need);
        true
    }

    /// A person takes a vacant or dummy seat. Says whether every seat is taken now (the game may go on).
    pub fn take_over(&mut self, name: &str, person: Person, password: Option<String>) -> bool {
        let phase = self.short_phase();
        if let Some(seat) = self.participant_mut(name) {
            let line = seat.player.take();
            let line =
                line.map_or_else(|| PlayerLine::new(person.clone()), |line| line.taken_over(person.clone(), &phase));
            seat.address = line.person().map(|p| p.addresses.clone()).unwrap_or_default();
            seat.player = Some(line);
            seat.password = password;
            seat.control.clear();
        }
        self.need.retain(|n| n.power != name);
        self.need.is_empty()
    }

    /// The Master makes a seat a dummy. Says whether no seat is wanting now.
    pub fn dummy(&mut self, name: &str) -> bool {
        let phase = self.short_phase();
        if let Some(seat) = self.participant_mut(name) {
            let none = PlayerLine { current: Holder::Dummy, earlier: Vec::new() };
            let line = seat.player.as_ref().map_or(none, |line| line.dummied(&phase, &seat.address));
            seat.leave(line);
        }
        self.need.retain(|n| n.power != name);
        self.need.is_empty()
    }

    /// The Master gives a seat back to its last player. Says whether no seat is wanting now.
    pub fn revive(&mut self, name: &str, password: Option<String>) -> Result<bool, NeverAssigned> {
        let last = self.participant(name).and_then(|p| p.player.as_ref()).and_then(PlayerLine::last_person);
        let last = last.ok_or(NeverAssigned)?.clone();
        Ok(self.take_over(name, last, password))
    }
}
