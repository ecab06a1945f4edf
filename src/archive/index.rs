//! The index of games, `games/status` (status-file.md 10.3), as lines: whose line it is can be told here, what it
//! says is for others. A change of one line leaves the others as they are, and can be repeated.

use std::collections::BTreeMap;

/// The name at the beginning of a line, in lower case; `None` for an empty line.
pub fn name_of(line: &str) -> Option<String> {
    line.split_whitespace().next().map(str::to_lowercase)
}

/// The text with the line of a game replaced, added in order of names, or (`None`) taken out.
pub fn with_line(text: &str, game: &str, line: Option<&str>) -> String {
    with_lines(text, &BTreeMap::from([(game, line)]))
}

/// The same for several games, in one pass.
pub fn with_lines(text: &str, changes: &BTreeMap<&str, Option<&str>>) -> String {
    let kept = text.lines().filter_map(|old| Some((name_of(old)?, old)));
    let mut lines: Vec<(String, &str)> = kept.filter(|(name, _)| !changes.contains_key(name.as_str())).collect();
    lines.extend(changes.iter().filter_map(|(game, line)| Some(((*game).to_owned(), (*line)?))));
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
        let changes = BTreeMap::from([("demo", None), ("ash", Some("ash standard active")), ("elm", None)]);
        let one_by_one = changes.iter().fold(added.clone(), |text, (game, line)| with_line(&text, game, *line));
        assert_eq!(with_lines(&added, &changes), one_by_one);
        assert!(one_by_one.starts_with("ash standard active\n   beacon") && !one_by_one.contains("demo"));
    }
}
