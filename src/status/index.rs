//! The index of games, `games/status`: one line a game (status-file.md 10.3).

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
            // Flags of later versions are not ours to judge; the archive keeps lines it does not change.
            _ => {}
        }
    }
    Some(index)
}

/// Writes a line, the name right-aligned in 32 columns.
pub fn line(index: &IndexLine) -> String {
    let flags = [
        (index.private, "private"),
        (index.unlisted, "unlisted"),
        (index.suspect, "suspect"),
        (index.corrupt, "corrupt"),
        (index.held, "held"),
    ];
    let mut text = format!("{:>32} {} {}", index.name, index.variant, index.state.word());
    for (_, word) in flags.iter().filter(|(on, _)| *on) {
        text.push(' ');
        text.push_str(word);
    }
    text
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
        assert_eq!(parse("x standard dreaming"), None);
        assert_eq!(parse("  "), None);
    }
}
