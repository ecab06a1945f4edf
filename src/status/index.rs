//! The index of games, `games/status`: one line a game (status-file.md 10.3).

use super::{Game, PhaseState};
use crate::judge::{GameState, IndexLine};

/// Reads a line: `game variant state [flag …]`, any spacing, any case; `None`: it is empty, or no such line.
pub fn parse(line: &str) -> Option<IndexLine> {
    let line = line.to_lowercase();
    let mut words = line.split_whitespace();
    let mut index = IndexLine {
        name: words.next()?.to_string(),
        variant: words.next()?.to_string(),
        state: GameState::named(words.next()?)?,
        ..IndexLine::default()
    };
    for flag in words {
        match flag {
            "private" => index.private = true,
            "unlisted" => index.unlisted = true,
            "suspect" => index.suspect = true,
            "corrupt" => index.corrupt = true,
            "held" => index.held = true,
            // Not ours to judge.
            _ => index.other.push(flag.to_owned()),
        }
    }
    Some(index)
}

/// The flags of a line: ours in their order, then those kept for another.
pub fn flags(index: &IndexLine) -> impl Iterator<Item = &str> {
    let ours = [
        (index.private, "private"),
        (index.unlisted, "unlisted"),
        (index.suspect, "suspect"),
        (index.corrupt, "corrupt"),
        (index.held, "held"),
    ];
    ours.into_iter().filter_map(|(on, word)| on.then_some(word)).chain(index.other.iter().map(String::as_str))
}

/// Writes a line, the name right-aligned in 32 columns.
pub fn line(index: &IndexLine) -> String {
    let mut text = format!("{:>32} {} {}", index.name, index.variant, index.state.word());
    for word in flags(index) {
        text.push(' ');
        text.push_str(word);
    }
    text
}

/// The state of a game that the index does not have: it follows from the status file.
pub fn derived_state(game: &Game) -> GameState {
    match &game.phase {
        PhaseState::Forming => GameState::Preparation,
        PhaseState::Completed => GameState::Completed,
        PhaseState::Running(_) if game.need.is_empty() => GameState::Active,
        PhaseState::Running(_) => GameState::Waiting,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_round_trip() {
        let text = "                         lantern standard forming private";
        let index = parse(text).expect("a line");
        assert!(index.private);
        assert_eq!(line(&index), text);
        let odd = "                              x2 standard active held golden";
        assert_eq!(parse(" X2\tStandard ACTIVE golden held").map(|index| line(&index)).as_deref(), Some(odd));
        assert_eq!(parse("x standard dreaming"), None);
        assert_eq!(parse("  "), None);
    }
}
