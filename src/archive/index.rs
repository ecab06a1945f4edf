//! The index of games, `games/status` (status-file.md 10.3), as lines: whose line it is can be told here, what it
//! says is for others. A change of one line leaves the others as they are, and can be repeated.

/// The name at the beginning of a line, in lower case; `None` for an empty line.
pub fn name_of(line: &str) -> Option<String> {
    line.split_whitespace().next().map(str::to_lowercase)
}

/// The text with the line of a game replaced, added in order of names, or (`None`) taken out.
pub fn with_line(text: &str, game: &str, line: Option<&str>) -> String {
    let mut lines: Vec<(String, &str)> =
        text.lines().filter_map(|old| Some((name_of(old)?, old))).filter(|(name, _)| name != game).collect();
    if let Some(line) = line {
        lines.push((game.to_owned(), line));
    }
    lines.sort_by(|(a, _), (b, _)| a.cmp(b));
    lines.iter().fold(String::with_capacity(text.len() + 80), |mut text, (_, line)| {
        text.push_str(line);
        text.push('\n');
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_takes_its_place() {
        let old = "   hexham standard active\n\n   beacon standard waiting\n";
        let added = with_line(old, "demo", Some("   demo standard forming private"));
        assert_eq!(added, "   beacon standard waiting\n   demo standard forming private\n   hexham standard active\n");
        assert_eq!(with_line(&added, "demo", Some("   demo standard forming private")), added);
        assert_eq!(with_line(&added, "demo", None), "   beacon standard waiting\n   hexham standard active\n");
    }
}
