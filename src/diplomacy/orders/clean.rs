//! Character clean-up and the cutting of a submission into pieces, one order each (orders.md 2 and 2.1). Text typed
//! on a telephone, pasted from a report or written in 1990 comes out as plain upper-case words and marks.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Cleans one line: compatibility forms, dashes, arrows, blanks, quotes and accents become what the old keyboards
/// had; letters become upper case. Idempotent.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Marks first: NFKC would turn some of them (´, ‑) into a blank with an accent, or into another mark.
    let marks: String = text.chars().map(simplify).collect::<Vec<_>>().concat();
    for c in marks.nfkd().filter(|c| !is_combining_mark(*c)).nfkc() {
        for plain in simplify(c).chars() {
            match plain {
                'ø' | 'Ø' => out.push('O'),
                'ł' | 'Ł' => out.push('L'),
                'đ' | 'Đ' | 'ð' | 'Ð' => out.push('D'),
                'æ' | 'Æ' => out.push_str("AE"),
                'œ' | 'Œ' => out.push_str("OE"),
                _ => out.extend(plain.to_uppercase()),
            }
        }
    }
    // Upper case may decompose (ΐ): once more, so that a cleaned text stays as it is.
    if out.is_ascii() { out } else { out.nfkd().filter(|c| !is_combining_mark(*c)).nfkc().collect() }
}

/// What one character stands for.
fn simplify(c: char) -> String {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' | '\u{FF0D}' => "-".into(),
        '\u{2190}'..='\u{21FF}' | '\u{2794}'..='\u{27BE}' | '\u{27F0}'..='\u{27FF}' => " - ".into(),
        '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{FEFF}'
        | '\u{AD}'
        | '\u{61C}' => String::new(),
        '\'' | '"' | '`' | '´' | '\u{2018}'..='\u{201F}' | '«' | '»' | '‹' | '›' | '′' | '″' | '\u{2BC}' => {
            String::new()
        }
        c if c.is_whitespace() => " ".into(),
        c if c.is_control() => String::new(),
        c => c.to_string(),
    }
}

/// A line without its comment: everything from `%`, or a whole line that begins with `//`.
pub fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with("//") {
        return "";
    }
    line.split(['%', '％']).next().unwrap_or_default()
}

/// A line without the notes of a results report, `(*bounce*)` (orders.md 2.2).
pub fn without_notes(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, note)) = rest.split_once("(*") {
        let Some((_, after)) = note.split_once("*)") else { break };
        out.push_str(before);
        out.push(' ');
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Cuts a line into orders at semicolons, and at those commas behind which a new order begins; `is_place` tells
/// whether a piece is nothing but one place (orders.md 2, rule 4; D20).
pub fn pieces(line: &str, is_place: impl Fn(&str) -> bool) -> Vec<String> {
    let mut out = Vec::new();
    for part in line.split([';', '；']) {
        let mut whole = String::new();
        for (n, piece) in part.split([',', '，', '、']).enumerate() {
            if n > 0 && !continues(piece, &is_place) {
                out.push(std::mem::take(&mut whole));
            } else if n > 0 {
                whole.push(' ');
            }
            whole.push_str(piece);
        }
        out.push(whole);
    }
    out.retain(|piece| !piece.trim().is_empty());
    out
}

/// Whether what follows a comma still belongs to the order before it.
fn continues(piece: &str, is_place: &impl Fn(&str) -> bool) -> bool {
    let text = clean(piece);
    let text = text.trim();
    let word = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    text.starts_with(['-', '=', '>', '~'])
        || !text.contains(char::is_alphanumeric)
        || matches!(word, "WITH" | "FROM" | "OF" | "VIA" | "BY" | "THROUGH" | "OVER" | "TO" | "AND")
        || is_place(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn telephones_are_understood() {
        assert_eq!(clean("A\u{a0}vie\u{2009}– gal"), "A VIE - GAL");
        assert_eq!(clean("A vie → “Köln”"), "A VIE  -  KOLN");
        assert_eq!(clean("\u{200b}ＶＩＥ\u{ff0d}ＧＡＬ"), "VIE-GAL");
        assert_eq!(clean("don’t"), "DONT");
    }

    #[test]
    fn comments_and_notes_vanish() {
        assert_eq!(without_comment("A VIE H % north"), "A VIE H ");
        assert_eq!(without_comment("  // nothing"), "");
        assert_eq!(without_notes("A VIE - GAL.  (*cut, dislodged*) x"), "A VIE - GAL.    x");
        assert_eq!(without_notes("A VIE (*"), "A VIE (*");
    }

    #[test]
    fn commas_separate_only_orders() {
        let place = |p: &str| p.trim() == "NWY";
        assert_eq!(pieces("A LON - NTH, NWY", place), ["A LON - NTH  NWY"]);
        assert_eq!(pieces("vie-gal, bud-ser; tri-alb;;", place), ["vie-gal", " bud-ser", " tri-alb"]);
        assert_eq!(pieces("S A VIE, with A BUD, A TRI H", place), ["S A VIE  with A BUD", " A TRI H"]);
    }
}
