//! Words that look like one another, for "did you mean": one distance for places, powers, rules, keys and commands.

/// Longest word that is compared, in characters: what a stranger sends has no bound.
const LONGEST: usize = 80;

/// Changes that make one word of the other: a letter more, less, another one, or two neighbours exchanged.
pub fn distance(a: &str, b: &str) -> usize {
    let letters = |word: &str| word.chars().take(LONGEST).collect::<Vec<char>>();
    let (a, b) = (letters(a), letters(b));
    // Three rows of the table: the one before the last, the last, and the one in work.
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, to) in b.iter().enumerate() {
            let at = |row: &[usize], k: usize| row.get(k).copied().unwrap_or(usize::MAX - 1);
            let mut best = (at(&last, j) + usize::from(from != to)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            if i > 0 && j > 0 && a.get(i - 1) == Some(to) && b.get(j - 1) == Some(from) {
                best = best.min(at(&before, j - 1) + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

/// How many changes still leave a word recognisable. Two make any three letters into any others.
pub fn tolerance(word: &str) -> usize {
    if word.chars().count() <= 3 { 1 } else { 2 }
}

/// The known word nearest to `word` within [`tolerance`], whatever the case of either.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_uppercase();
    let near = known.into_iter().map(|k| (distance(&word, &k.to_uppercase()), k));
    near.filter(|(changes, _)| *changes <= tolerance(&word)).min().map(|(_, k)| k)
}

/// Up to three known words near another one, the nearest first; itself is none of them. Both in one case.
pub fn near<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let within = 1..=tolerance(word);
    let known = known.into_iter().map(|k| (distance(word, k), k));
    let mut near: Vec<(usize, &str)> = known.filter(|(changes, _)| within.contains(changes)).collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(3).map(|(_, k)| k).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_counted() {
        for (a, b, changes) in [
            ("VINENA", "VIENNA", 1),
            ("GALLICIA", "GALICIA", 1),
            ("ROME", "ROME", 0),
            ("", "ab", 2),
            ("ab", "", 2),
            ("SINGON", "SIGNON", 1),
            ("MUNICH", "ZURICH", 2),
        ] {
            assert_eq!(distance(a, b), changes, "{a} {b}");
        }
    }

    #[test]
    fn near_words_are_offered() {
        assert_eq!(nearest("engalnd", ["ENGLAND", "FRANCE"]), Some("ENGLAND"));
        assert_eq!(nearest("SPAA", ["SPA"]), Some("SPA"));
        assert_eq!(nearest("XYZ", ["SPA"]), None);
    }
}
