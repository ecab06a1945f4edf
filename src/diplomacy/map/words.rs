//! Names as the map language compares them (map-file.md 4.2): one spelling for all the ways people write a place.
//!
//! [`normalise`] serves place names, aliases and power names; the order reader applies the same to what players write.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Words that mean something in an order, and what stands for them in a normalised name. An empty replacement
/// means that the word is noise (orders.md 3.2).
const KEYWORDS: &[(&str, &str)] = &[
    ("AN", ""),
    ("AND", ""),
    ("ARMY", "A"),
    ("AT", ""),
    ("ATTACK", ""),
    ("ATTACKING", ""),
    ("ATTACKS", ""),
    ("BOUNCE", "|"),
    ("BUILD", "B"),
    ("BUILDING", "B"),
    ("BUILDS", "B"),
    ("BY", "~"),
    ("CONVOY", "C"),
    ("CONVOYING", "C"),
    ("CONVOYS", "C"),
    ("CUT", "|"),
    ("DESTROYED", "*"),
    ("DISBAND", "D"),
    ("DISBANDING", "D"),
    ("DISBANDS", "D"),
    ("DISLODGED", "~"),
    ("EC", "/EC"),
    ("FLEET", "F"),
    ("FROM", "\\"),
    ("HOLD", "H"),
    ("HOLDING", "H"),
    ("HOLDS", "H"),
    ("IN", ""),
    ("IS", ""),
    ("KEEP", "K"),
    ("KEEPING", "K"),
    ("KEEPS", "K"),
    ("MOVE", ""),
    ("MOVES", ""),
    ("MOVING", ""),
    ("NC", "/NC"),
    ("OF", "\\"),
    ("ON", ""),
    ("OR", "|"),
    ("OVER", "~"),
    ("PROXIES", "P"),
    ("PROXY", "P"),
    ("PROXYING", "P"),
    ("REMOVE", "D"),
    ("REMOVES", "D"),
    ("REMOVING", "D"),
    ("RETREAT", "R"),
    ("RETREATING", "R"),
    ("RETREATS", "R"),
    ("SC", "/SC"),
    ("SUPPORT", "S"),
    ("SUPPORTING", "S"),
    ("SUPPORTS", "S"),
    ("THE", ""),
    ("THROUGH", "~"),
    ("TO", ""),
    ("VIA", "~"),
    ("VOID", "?"),
    ("WAIVE", "V"),
    ("WAIVED", "V"),
    ("WAIVES", "V"),
    ("WAIVING", "V"),
    ("WC", "/WC"),
    ("WILL", ""),
    ("WING", "W"),
    ("WITH", "?"),
];

/// What stands for a keyword of orders, if the (upper-case) word is one.
pub fn keyword(word: &str) -> Option<&'static str> {
    let at = KEYWORDS.binary_search_by(|(k, _)| (*k).cmp(word)).ok()?;
    KEYWORDS.get(at).map(|(_, to)| *to)
}

/// Accents dropped: `Köln` is `Koln`. Letters that are no accented form of another stay (`þ`).
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    text.nfkd().filter(|c| !is_combining_mark(*c)).collect()
}

/// The words of a name after normalisation, accents dropped, coasts in the one form `/NC` whatever way they were
/// written: `Spain (north coast)`, `spa(nc)` and `north coast of Spain` end in or begin with `/NC`.
pub fn normalise(text: &str) -> Vec<String> {
    join_coasts(replaced(&fold(text)))
}

/// [`normalise`] with the words joined by a blank: the key of the vocabulary.
pub fn normalised(text: &str) -> String {
    normalise(text).join(" ")
}

/// Upper case, punctuation resolved, keywords replaced; accents kept, coasts as they come.
fn replaced(text: &str) -> Vec<String> {
    split(text)
        .into_iter()
        .filter_map(|w| keyword(&w).map_or(Some(w), |k| Some(k.to_owned())))
        .filter(|w| !w.is_empty())
        .collect()
}

/// Upper-case words, punctuation resolved, no word replaced.
fn split(text: &str) -> Vec<String> {
    let mut out = String::with_capacity(text.len() + 8);
    let mut after_slash = false;
    for c in text.to_uppercase().chars() {
        match c {
            '.' | ':' => {}
            '-' | '+' | ',' => out.push(' '),
            '/' => {
                while out.ends_with(' ') {
                    out.pop();
                }
                out.push_str(" /");
                after_slash = true;
                continue;
            }
            '|' | '*' | '?' | '!' | '~' | '(' | ')' | '[' | ']' | '=' | '_' | '^' => {
                out.push(' ');
                out.push(c);
                out.push(' ');
            }
            c if c.is_whitespace() && after_slash => continue,
            c if c.is_whitespace() => out.push(' '),
            c => out.push(c),
        }
        after_slash = false;
    }
    out.split(' ').filter(|w| !w.is_empty()).map(str::to_owned).collect()
}

/// `( /NC )`, `( NORTH COAST )`, `NORTH COAST` and `/NORTH COAST` all become `/NC`.
fn join_coasts(words: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(words.len());
    let mut at = 0;
    let word = |i: usize| words.get(i).map_or("", String::as_str);
    while at < words.len() {
        let open = matches!(word(at), "(" | "[");
        let start = at + usize::from(open);
        let (coast, used) = match word(start) {
            "/NC" | "/SC" | "/EC" | "/WC" => (word(start), 1),
            side => match (side.trim_start_matches('/'), word(start + 1)) {
                ("NORTH", "COAST") => ("/NC", 2),
                ("SOUTH", "COAST") => ("/SC", 2),
                ("EAST", "COAST") => ("/EC", 2),
                ("WEST", "COAST") => ("/WC", 2),
                _ => ("", 0),
            },
        };
        let end = start + used;
        if used > 0 && (!open || matches!(word(end), ")" | "]")) {
            out.push(coast.to_owned());
            at = end + usize::from(open);
        } else {
            out.push(word(at).to_owned());
            at += 1;
        }
    }
    out
}

/// The key of a power: upper case, blanks, `+`, hyphens and dots gone: `HOLYROMANEMPIRE`, `BC`, `_PAPACY`.
pub fn power_key(name: &str) -> String {
    split(name).concat()
}

/// The key as the old judge wrote it, order words replaced: `GULF\BOTHNIA`.
pub fn old_power_key(name: &str) -> String {
    replaced(name).concat()
}

/// Whether a place's abbreviation can be read back: three characters, first and last alphanumeric.
pub fn is_code(code: &str) -> bool {
    let (place, coast) = code.split_once('/').map_or((code, None), |(p, c)| (p, Some(c)));
    let letters: Vec<char> = place.chars().collect();
    let ends =
        letters.first().is_some_and(|c| c.is_alphanumeric()) && letters.last().is_some_and(|c| c.is_alphanumeric());
    let plain = letters.iter().all(|c| !c.is_whitespace() && !"()[]~*:,=".contains(*c));
    letters.len() == 3
        && ends
        && plain
        && coast.is_none_or(|c| c.chars().count() == 2 && c.chars().all(char::is_alphanumeric))
}

/// Whether a code would be misread for a word of the order language (`AND`, `THE`, `VIA`).
pub fn is_order_word(code: &str) -> bool {
    keyword(code).is_some()
}

/// A stored (upper-case) place name as printed: `SPAIN (SOUTH COAST)` is `Spain (south coast)`, `GULF OF LYON` is
/// `Gulf of Lyon` (map-file.md 4).
pub fn title(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut inside = 0usize;
    for (n, word) in name.split_whitespace().enumerate() {
        if n > 0 {
            out.push(' ');
        }
        if n > 0 && word == "OF" {
            out.push_str("of");
            continue;
        }
        let mut capital = true;
        let mut run = 0usize;
        for c in word.chars() {
            match c {
                '(' => inside += 1,
                ')' => inside = inside.saturating_sub(1),
                _ => {}
            }
            if !c.is_alphanumeric() {
                // D'Irlande, but King's.
                capital = !matches!(c, '\'' | '’') || run == 1;
                run = 0;
                out.push(c);
                continue;
            }
            run += 1;
            if capital && inside == 0 {
                out.push(c);
            } else {
                out.extend(c.to_lowercase());
            }
            capital = false;
        }
    }
    out
}

/// A power's name as printed: leading underscores gone, `NEW+YORK` is `NewYork`, `C+S+A` is `CSA`.
pub fn power_title(name: &str) -> String {
    let mut out = String::new();
    let mut capital = true;
    for c in name.trim_start_matches('_').chars() {
        if c == '+' {
            capital = true;
        } else if !c.is_alphanumeric() {
            capital = true;
            out.push(c);
        } else if capital {
            out.extend(c.to_uppercase());
            capital = false;
        } else {
            out.extend(c.to_lowercase());
        }
    }
    out
}

/// An own-word as printed: `ST+PETERSBURGER` is `St Petersburger`.
pub fn own_title(own: &str) -> String {
    title(&own.trim_start_matches('_').replace('+', " ").to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.windows(2).all(|w| w[0].0 < w[1].0));
    }

    #[test]
    fn one_spelling_for_all() {
        assert_eq!(normalised("Gulf of Lyon"), "GULF \\ LYON");
        assert_eq!(normalised("The Isle"), "ISLE");
        assert_eq!(normalised("st.+petersburg"), "ST PETERSBURG");
        for coast in [
            "Spain (north coast)",
            "spain/nc",
            "spain(nc)",
            "Spain [NC]",
            "spain+(north+coast)",
            "spain / nc",
            "SPAIN NC",
        ] {
            assert_eq!(normalised(coast), "SPAIN /NC", "{coast}");
        }
        assert_eq!(normalised("north coast of Spain"), "/NC \\ SPAIN");
        assert_eq!(normalised("Köln"), "KOLN");
    }

    #[test]
    fn keys_of_powers() {
        assert_eq!(power_key("HOLY+ROMAN+EMPIRE"), "HOLYROMANEMPIRE");
        assert_eq!(power_key("B.C."), "BC");
        assert_eq!(power_key("_PAPACY"), "_PAPACY");
        assert_eq!(power_key("Gulf+Of+Bothnia"), "GULFOFBOTHNIA");
        assert_eq!(old_power_key("Gulf+Of+Bothnia"), "GULF\\BOTHNIA");
        assert_eq!(power_title("SOUTH+KINGDOM"), "SouthKingdom");
        assert_eq!(power_title("_POLAND-LITHUANIA"), "Poland-Lithuania");
    }

    #[test]
    fn titles() {
        assert_eq!(title("SPAIN (SOUTH COAST)"), "Spain (south coast)");
        assert_eq!(title("GULF OF LYON"), "Gulf of Lyon");
        assert_eq!(title("MID-ATLANTIC OCEAN"), "Mid-Atlantic Ocean");
        assert_eq!(title("KING'S LYNN"), "King's Lynn");
        assert_eq!(title("BAIE D'HELIGOLAND"), "Baie D'Heligoland");
    }
}
