//! ROTATE: who runs a controlled power changes with the phases (status-file.md 2.1, variants.md 5). One rotation moves the
//! first name of a CONTROL list to its end.

use crate::referee::Referee;
use crate::status::{Game, Participant};

/// What the words of a ROTATE line ask for.
struct Rotation<'w>(Vec<(&'w str, &'w str)>);

impl<'w> Rotation<'w> {
    /// No words are CONTROL; a word without a kind of phase is meant for all kinds.
    fn of(words: &'w str) -> Rotation<'w> {
        let words: Vec<&str> = words.split_whitespace().collect();
        Rotation(match words.as_slice() {
            [] => vec![("CONTROL", "")],
            words => words.chunks(2).map(|pair| (pair[0], pair.get(1).copied().unwrap_or(""))).collect(),
        })
    }

    /// Whether one of these words stands for that kind of phase; the first letter tells.
    fn says(&self, words: &[&str], kind: &str) -> bool {
        let meant = |given: &str| given.is_empty() || given.chars().next() == kind.chars().next();
        self.0.iter().any(|(word, given)| words.contains(word) && meant(given))
    }
}

/// The words in force: the game's, else those its map brings.
fn words(game: &Game, referee: &dyn Referee) -> Option<String> {
    game.rotate.clone().or_else(|| referee.rotation().map(str::to_owned))
}

fn rotate(seat: &mut Participant) {
    if seat.control.len() > 1 {
        seat.control.rotate_left(1);
    }
}

/// A phase of that kind was resolved (clock.md 8, row 7).
pub fn after(game: &mut Game, referee: &dyn Referee, played: &str) {
    if words(game, referee).is_some_and(|words| Rotation::of(&words).says(&["AFTER"], played)) {
        game.participants.iter_mut().for_each(rotate);
    }
}

/// The next phase has begun (row 9).
pub fn before(game: &mut Game, referee: &dyn Referee) {
    let Some(words) = words(game, referee) else { return };
    let (rotation, coming) = (Rotation::of(&words), referee.phase_kind(game));
    let all = rotation.says(&["BEFORE"], &coming);
    let owing = if rotation.says(&["FOR", "CONTROL"], &coming) { referee.owing(game) } else { Vec::new() };
    let turns = |seat: &&mut Participant| all || owing.contains(&seat.name);
    game.participants.iter_mut().filter(turns).for_each(rotate);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_rotate_line() {
        let says = |line: &str, words: &[&str], kind: &str| Rotation::of(line).says(words, kind);
        assert!(says("", &["CONTROL"], "MOVEMENT") && !says("", &["AFTER"], "MOVEMENT"));
        assert!(says("CONTROL", &["FOR", "CONTROL"], "RETREATS"));
        assert!(says("AFTER", &["AFTER"], "RETREATS") && !says("AFTER", &["BEFORE"], "RETREATS"));
        assert!(says("AFTER M", &["AFTER"], "MOVEMENT") && !says("AFTER M", &["AFTER"], "RETREATS"));
        let pairs = "BEFORE MOVE FOR RETREAT";
        assert!(says(pairs, &["BEFORE"], "MOVEMENT") && !says(pairs, &["BEFORE"], "RETREATS"));
        assert!(says(pairs, &["FOR", "CONTROL"], "RETREATS") && !says(pairs, &["FOR", "CONTROL"], "MOVEMENT"));
    }
}
