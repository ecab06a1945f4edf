//! Terrain lines: `KIND loc [ABUTS abut…]` (map-file.md 5).

use super::Terrain;
use super::draft::{Abut, Place, Spelling};
use super::read::{Line, Reader};
use super::words;
use crate::spelling::nearest;

/// Most provinces (D13).
pub(super) const MAX_PROVINCES: usize = 512;

impl Reader<'_> {
    /// A line that begins with AMEND, WATER, LAND, COAST, PORT or SHUT and has a second word.
    pub(super) fn terrain(&mut self, keyword: &str, line: &Line<'_>) {
        let written = line.word(1);
        let code = written.to_uppercase();
        if !words::is_code(&code) {
            self.about(written).error_hint(
                format!("INVALID LOCATION ABBREVIATION: {code}"),
                "three characters, the first and last a letter or digit; a coast adds / and two: SPA/NC",
            );
            return;
        }
        let terrain = match keyword {
            "WATER" => Some(Terrain::Water),
            "LAND" => Some(Terrain::Land),
            "COAST" => Some(Terrain::Coast),
            "PORT" => Some(Terrain::Port),
            "SHUT" => Some(Terrain::Shut),
            _ => None,
        };
        let has_list = line.words.len() > 2;
        if has_list && !line.word(2).eq_ignore_ascii_case("ABUTS") {
            self.about(line.word(2)).error_hint(
                format!("NO \"ABUTS\" FOR {code}"),
                format!("{keyword} {written} ABUTS and the neighbours"),
            );
            return;
        }
        let known = self.draft.places.get(&code).map(|p| (p.terrain, p.lower));
        let Some(kind) = terrain.or(known.map(|(t, _)| t)) else {
            let near = nearest(&code, self.draft.places.keys().map(String::as_str)).map(str::to_owned);
            let text = format!("NO DATA TO \"AMEND\" FOR {code}");
            match near {
                Some(near) => self.about(written).error_hint(text, format!("did you mean {near}?")),
                None => {
                    self.about(written).error_hint(text, "declare the place first: WATER, LAND, COAST, PORT or SHUT")
                }
            }
            return;
        };
        let lower = Spelling::of(written) == Spelling::Army && !code.contains('/');
        if known.is_some_and(|(_, was)| was && !lower) {
            self.unite_coasts(&code);
        }
        self.draft.declarations += 1;
        let declared = self.draft.declarations;
        let at = self.here();
        let mut abuts = self.draft.places.remove(&code).map(|p| p.abuts).unwrap_or_default();
        if terrain.is_some() && has_list {
            abuts.clear();
        }
        for word in line.rest(3) {
            self.abut(&code, word, &mut abuts);
        }
        self.draft.places.insert(code, Place { lower, terrain: kind, abuts, declared, at });
    }

    fn abut(&mut self, code: &str, word: &str, abuts: &mut Vec<Abut>) {
        if let Some(gone) = word.strip_prefix('-') {
            let gone = gone.to_uppercase();
            return abuts.retain(|a| !a.code.starts_with(&gone));
        }
        match parse_abut(word) {
            Ok(abut) => {
                if let Some(old) = abuts.iter_mut().find(|a| a.code == abut.code) {
                    self.about(word)
                        .warn_hint(format!("SITES ABUT TWICE: {code}-{}", abut.code), "the later entry counts");
                    *old = abut;
                } else {
                    abuts.push(abut);
                }
            }
            Err(Some(c)) => self.about(word).error_hint(
                format!("UNKNOWN SPECIAL ABUT RESTRICTION: {c}"),
                format!("in {code}: ~ is a strait, * a passage, X: a power's letter, (ABC) centres to own"),
            ),
            Err(None) => {
                self.about(word).error_hint(format!("BAD SPECIAL ABUT FOR {code}"), format!("{word} names no place"))
            }
        }
    }

    /// A split province is declared whole: its coasts go, and who listed one of them lists the province now.
    fn unite_coasts(&mut self, code: &str) {
        let prefix = format!("{code}/");
        self.draft.forget_names(|c| c.starts_with(&prefix));
        self.draft.places.retain(|c, _| !c.starts_with(&prefix));
        let to_province = |c: &str| Some(if c.starts_with(&prefix) { code.to_owned() } else { c.to_owned() });
        for place in self.draft.places.values_mut() {
            let listed = place.abuts.iter().any(|a| a.code.starts_with(&prefix));
            if !listed {
                continue;
            }
            let mut list: Vec<Abut> = Vec::with_capacity(place.abuts.len());
            for mut abut in place.abuts.drain(..) {
                let was_coast = abut.code.starts_with(&prefix);
                if was_coast {
                    code.clone_into(&mut abut.code);
                }
                match list.iter_mut().find(|a| a.code == abut.code) {
                    // A fleet reached one of the coasts, so fleet and army reach the province.
                    Some(old) if was_coast => old.spelling = abut.spelling,
                    Some(_) => {}
                    None => list.push(abut),
                }
            }
            place.abuts = list;
        }
        self.draft.rewrite(to_province);
    }
}

/// Reads one entry; the error is the character that does not belong, or nothing when no place is named.
pub(super) fn parse_abut(word: &str) -> Result<Abut, Option<char>> {
    let (only, rest) = match word.split_once(':') {
        Some((letters, rest)) => (Some(letters.to_uppercase()), rest),
        None => (None, word),
    };
    let (rest, needs) = match rest.split_once('(') {
        Some((rest, list)) => {
            let list = list.strip_suffix(')').unwrap_or(list);
            (rest, list.split(',').filter(|c| !c.is_empty()).map(str::to_uppercase).collect())
        }
        None => (rest, Vec::new()),
    };
    // Marks may stand inside the letters' part too: `~EI:naf`.
    let marked = |c: char| rest.contains(c) || only.as_ref().is_some_and(|o| o.contains(c));
    let (star, tilde) = (marked('*'), marked('~'));
    let only = only.map(|o| o.replace(['*', '~'], ""));
    let place: String = rest.chars().filter(|c| !matches!(c, '*' | '~')).collect();
    if let Some(bad) = place.chars().find(|c| !c.is_alphanumeric() && !matches!(c, '/' | '_' | '\'' | '-')) {
        return Err(Some(bad));
    }
    if place.is_empty() {
        return Err(None);
    }
    Ok(Abut { code: place.to_uppercase(), spelling: Spelling::of(&place), star, tilde, only, needs })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_with_marks() {
        let read = |w| parse_abut(w).unwrap();
        let plain = |code: &str, spelling| Abut {
            code: code.into(),
            spelling,
            star: false,
            tilde: false,
            only: None,
            needs: vec![],
        };
        assert_eq!(read("SPA/SC"), plain("SPA/SC", Spelling::Both));
        assert_eq!(read("naf~"), Abut { tilde: true, ..plain("NAF", Spelling::Army) });
        assert_eq!(read("*MAO"), Abut { star: true, ..plain("MAO", Spelling::Both) });
        assert_eq!(read("EI:Naf"), Abut { only: Some("EI".into()), ..plain("NAF", Spelling::Ferry) });
        assert_eq!(read(":SKA"), Abut { only: Some(String::new()), ..plain("SKA", Spelling::Both) });
        let both =
            Abut { only: Some("N".into()), needs: vec!["BAY".into(), "CON".into()], ..plain("HIL", Spelling::Both) };
        assert_eq!(read("N:HIL(BAY,CON)"), both);
        assert_eq!(parse_abut("~"), Err(None));
        assert_eq!(parse_abut("A$B"), Err(Some('$')));
    }
}
