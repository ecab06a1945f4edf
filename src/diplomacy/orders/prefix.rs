//! Power prefixes and CLEAR (orders.md 2.3, 2.4).

use super::clean::clean;
use super::lexicon::Lexicon;
use super::words::{Keyword, Token, keyword};
use crate::diplomacy::map::PowerId;

/// Splits the power off a line: `[ENGLAND] F LON - NTH`, `E) …`, `ENGLAND: …`, `ENGLAND F LON - NTH`, `(ENGLAND)`.
pub fn split<'t>(lexicon: &Lexicon, line: &'t str) -> Option<(PowerId, &'t str)> {
    let line = line.trim();
    let any = |head: &str| {
        let head = clean(head);
        lexicon.power(&head).or_else(|| lexicon.initial(&head))
    };
    // In brackets.
    if let Some(inner) = line.strip_prefix(['[', '(', '（']) {
        let (head, rest) = inner.split_once([']', ')', '）'])?;
        return any(head).map(|power| (power, rest.trim_start_matches([':', ' ', '\t'])));
    }
    // With a mark behind it.
    if let Some((head, rest)) = line.split_once([':', ')', ']', '：']) {
        if let Some(power) = any(head) {
            return Some((power, rest));
        }
    }
    // The bare full name, one word.
    let end = line.find(char::is_whitespace).unwrap_or(line.len());
    let (head, rest) = line.split_at_checked(end)?;
    let name = clean(head.trim_end_matches(['.', ',', '-']));
    let power = lexicon.power(&name)?;
    let rest = rest.trim_start();
    if lexicon.is_place_too(&name) {
        // `DENMARK A KIE - BER` names the power, `Denmark - Kiel` the place.
        let unit = matches!(lexicon.tokens(&clean(rest)).first(),
            Some(Token::Word(word)) if matches!(keyword(word), Some(Keyword::Type(_))));
        if !unit && !is_clear(rest) {
            return None;
        }
    }
    Some((power, rest))
}

/// Whether a text is `CLEAR` or `NMR`, with or without brackets, `ALL` or `ORDERS`.
pub fn is_clear(text: &str) -> bool {
    let text = clean(text);
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '.' | '!'))
        .filter(|word| !word.is_empty())
        .collect();
    matches!(words.as_slice(), ["CLEAR" | "NMR"] | ["CLEAR" | "NMR", "ALL" | "ORDERS"])
}

#[cfg(test)]
mod tests {
    use super::is_clear;

    #[test]
    fn clears() {
        for text in ["clear", "(NMR)", "[clear all]", "NMR.", "Clear orders"] {
            assert!(is_clear(text), "{text}");
        }
        assert!(!is_clear("CLEAR A VIE"));
    }
}
