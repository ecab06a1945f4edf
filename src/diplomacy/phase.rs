//! Phases and the order in which they come (FLOW, map-file.md 9).
//!
//! A [`Flow`] never invents a phase: what it hands out is always one of its steps, in a year it reached by walking.

use std::cmp::Ordering;

/// One phase: `SPRING 1901 MOVEMENT`, short `S1901M`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Phase {
    /// Upper case, may hold blanks or dots: `SPRING`, `A.D.`.
    pub season: String,
    /// Year as the map counts it.
    pub year: i32,
    /// Upper case: `MOVEMENT`, `RETREATS`, `ADJUSTMENTS`, or a variant's word.
    pub kind: String,
}

impl Phase {
    /// `S1901M`.
    pub fn short(&self) -> String {
        let first = |s: &str| s.chars().next().unwrap_or('?');
        format!("{}{}{}", first(&self.season), self.year, first(&self.kind))
    }
    /// First letter of the kind: `M`, `R`, `A`, or a variant's.
    pub fn letter(&self) -> char {
        self.kind.chars().next().unwrap_or('?')
    }

    /// Reads the long form, `SPRING 1901 MOVEMENT`, in any case; whether a map has such a phase is not asked.
    pub fn parse_long(text: &str) -> Option<Phase> {
        let upper = text.to_uppercase();
        let words: Vec<&str> = upper.split_whitespace().collect();
        let (kind, rest) = words.split_last()?;
        let (year, season) = rest.split_last()?;
        if season.is_empty() {
            return None;
        }
        let year = year.parse().ok().filter(|y: &i32| y.abs() <= MAX_YEAR)?;
        Some(Phase { season: season.join(" "), year, kind: (*kind).to_owned() })
    }

    /// Reads the long or the short form of a phase of that map.
    pub fn parse(text: &str, map: &super::map::Map) -> Option<Phase> {
        map.flow.parse(text)
    }
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", self.season, self.year, self.kind)
    }
}

/// Years beyond this are refused: arithmetic stays far from overflow.
const MAX_YEAR: i32 = 1_000_000;

/// How often the walk may pass the end of the flow in search of a phase: an IFYEARDIV that no year satisfies ends it.
const MAX_ROUNDS: usize = 1_000;

/// One step of the flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `NEWYEAR[:n]`: the year grows by n.
    NewYear(i32),
    /// `IFYEARDIV:n[=r]`: the steps up to the next NEWYEAR only when year mod n = r.
    IfYearDiv(i32, i32),
    /// A phase: season, kind.
    Phase(String, String),
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Step::NewYear(1) => write!(f, "NEWYEAR"),
            Step::NewYear(n) => write!(f, "NEWYEAR {n}"),
            Step::IfYearDiv(d, 0) => write!(f, "IFYEARDIV {d}"),
            Step::IfYearDiv(d, m) => write!(f, "IFYEARDIV {d}={m}"),
            Step::Phase(season, kind) => write!(f, "{season} {kind}"),
        }
    }
}

/// The phase sequence of a map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// Steps, cyclic; begins with NEWYEAR (implicit or written).
    pub steps: Vec<Step>,
}

impl Flow {
    /// The sequence of a map that writes none.
    pub fn standard() -> Flow {
        let phase = |s: &str, k: &str| Step::Phase(s.to_owned(), k.to_owned());
        Flow {
            steps: vec![
                Step::NewYear(1),
                phase("SPRING", "MOVEMENT"),
                phase("SPRING", "RETREATS"),
                phase("FALL", "MOVEMENT"),
                phase("FALL", "RETREATS"),
                phase("WINTER", "ADJUSTMENTS"),
            ],
        }
    }

    /// The steps one word of a FLOW line stands for, or the complaint of the language about it.
    pub fn read_item(item: &str) -> Result<Vec<Step>, String> {
        let item = item.to_uppercase();
        let mut parts = item.split(':');
        let (head, value) = (parts.next().unwrap_or_default(), parts.next());
        if parts.next().is_some() {
            return Err(format!("MORE THAN ONE COLON (:) IN FLOW {item}"));
        }
        match (head, value) {
            ("NEWYEAR", None) => Ok(vec![Step::NewYear(1)]),
            ("NEWYEAR", Some(n)) => match n.parse::<i32>() {
                Ok(0) => Err("THE NEWYEAR FLOW DIRECTIVE CAN NOT BE 0".to_owned()),
                Ok(n) if n.abs() <= MAX_YEAR => Ok(vec![Step::NewYear(n)]),
                _ => Err("THE NEWYEAR FLOW DIRECTIVE CAN ONLY HAVE A NUMBER AS PARAMETER".to_owned()),
            },
            ("IFYEARDIV", value) => {
                let value = value.unwrap_or_default();
                let (d, m) = value.split_once('=').unwrap_or((value, "0"));
                match (d.parse::<i32>(), m.parse::<i32>()) {
                    (Ok(d), Ok(m)) if d > 0 && (0..d).contains(&m) => Ok(vec![Step::IfYearDiv(d, m)]),
                    (Ok(d), Ok(_)) if d <= 0 => Err("THE IFYEARDIV FLOW DIRECTIVE NEEDS A DIVISOR ABOVE 0".to_owned()),
                    (Ok(d), Ok(_)) => {
                        Err(format!("THE IFYEARDIV FLOW DIRECTIVE NEEDS A REMAINDER FROM 0 TO {}", d - 1))
                    }
                    _ => Err("THE IFYEARDIV FLOW DIRECTIVE CAN ONLY HAVE NUMBERS AS PARAMETERS".to_owned()),
                }
            }
            (_, None) => Err(format!("FLOW {item} REQUIRES COLON (:)")),
            (season, Some(kinds)) => {
                let kinds: Vec<&str> = kinds.split(',').filter(|k| !k.is_empty()).collect();
                if season.is_empty() || kinds.is_empty() {
                    return Err(format!("FLOW {item} NAMES NO PHASE"));
                }
                Ok(kinds.into_iter().map(|k| Step::Phase(season.to_owned(), k.to_owned())).collect())
            }
        }
    }

    /// Puts the implicit NEWYEAR in front of the written steps and checks them as a whole; the default sequence when
    /// nothing is written. The flow is usable whatever the complaints.
    pub fn from_written(written: &[Step]) -> (Flow, Vec<String>) {
        if written.is_empty() {
            return (Flow::standard(), Vec::new());
        }
        let mut complaints = Vec::new();
        let mut steps: Vec<Step> = Vec::new();
        let first_year = written.iter().position(|s| matches!(s, Step::NewYear(_)));
        let first_if = written.iter().position(|s| matches!(s, Step::IfYearDiv(..)));
        if first_year.is_none_or(|y| first_if.is_some_and(|i| i < y)) {
            steps.push(Step::NewYear(1));
        }
        let signs = |up: bool| written.iter().any(|s| matches!(s, Step::NewYear(n) if (*n > 0) == up));
        if signs(true) && signs(false) {
            complaints.push("THE NEWYEAR FLOW DIRECTIVE CANNOT BE BOTH POSITIVE AND NEGATIVE".to_owned());
        }
        let mut kinds: Vec<&str> = vec!["MOVEMENT", "RETREATS", "ADJUSTMENTS"];
        for step in written {
            if let Step::Phase(season, kind) = step {
                if steps.contains(step) {
                    complaints.push(format!("PHASE IN FLOW TWICE: {season} {kind}"));
                    continue;
                }
                match kinds.iter().find(|k| k.chars().next() == kind.chars().next()) {
                    Some(known) if known != kind => {
                        let letter = kind.chars().next().unwrap_or('?');
                        complaints.push(format!("BAD PHASE TYPE IN FLOW ('{letter}' IS ALREADY '{known}')"));
                    }
                    Some(_) => {}
                    None => kinds.push(kind),
                }
            }
            steps.push(step.clone());
        }
        if !steps.iter().any(|s| matches!(s, Step::Phase(..))) {
            complaints.push("FLOW HAS NO PHASE".to_owned());
        }
        (Flow { steps }, complaints)
    }

    /// The sequence with INCOME before each ADJUSTMENTS, unless it has INCOME already: what Payola plays
    /// (map-file.md 9).
    pub fn with_income(&self) -> Flow {
        if self.steps.iter().any(|s| matches!(s, Step::Phase(_, k) if k == "INCOME")) {
            return self.clone();
        }
        let mut steps = Vec::new();
        for step in &self.steps {
            if let Step::Phase(season, kind) = step
                && kind == "ADJUSTMENTS"
            {
                steps.push(Step::Phase(season.clone(), "INCOME".to_owned()));
            }
            steps.push(step.clone());
        }
        Flow { steps }
    }

    /// `1` when years count up, `-1` when they count down (B.C.).
    pub fn year_sign(&self) -> i32 {
        let step = self.steps.iter().find_map(|s| if let Step::NewYear(n) = s { Some(*n) } else { None });
        step.unwrap_or(1).signum()
    }

    /// Whether the season and kind are a step of the flow.
    pub fn contains(&self, phase: &Phase) -> bool {
        self.index(phase).is_some()
    }

    fn index(&self, phase: &Phase) -> Option<usize> {
        self.steps.iter().position(|s| matches!(s, Step::Phase(a, k) if *a == phase.season && *k == phase.kind))
    }

    /// The phase after this one, whatever its kind. `None` when the phase is not in the flow.
    pub fn next(&self, phase: &Phase) -> Option<Phase> {
        self.next_where(phase, |_| true)
    }

    /// The next phase whose kind begins with that letter.
    pub fn next_of(&self, phase: &Phase, letter: char) -> Option<Phase> {
        self.next_where(phase, |p| p.letter() == letter)
    }

    /// The first later phase that the caller wants.
    pub fn next_where(&self, phase: &Phase, wanted: impl Fn(&Phase) -> bool) -> Option<Phase> {
        let mut at = self.index(phase)? + 1;
        let mut year = phase.year;
        for _ in 0..self.steps.len().saturating_mul(MAX_ROUNDS) {
            match self.steps.get(at) {
                None => {
                    at = 0;
                    continue;
                }
                Some(Step::NewYear(n)) => year = year.checked_add(*n).filter(|y| y.abs() <= MAX_YEAR)?,
                Some(Step::IfYearDiv(d, m)) => {
                    if year.checked_rem_euclid(*d) != Some(*m) {
                        at = 0;
                        continue;
                    }
                }
                Some(Step::Phase(season, kind)) => {
                    let found = Phase { season: season.clone(), year, kind: kind.clone() };
                    if wanted(&found) {
                        return Some(found);
                    }
                }
            }
            at += 1;
        }
        None
    }

    /// The phase before this one, whatever its kind.
    pub fn previous(&self, phase: &Phase) -> Option<Phase> {
        self.previous_where(phase, |_| true)
    }

    /// The last earlier phase whose kind begins with that letter.
    pub fn previous_of(&self, phase: &Phase, letter: char) -> Option<Phase> {
        self.previous_where(phase, |p| p.letter() == letter)
    }

    /// The last earlier phase that the caller wants: the mirror image of [`Flow::next_where`].
    pub fn previous_where(&self, phase: &Phase, wanted: impl Fn(&Phase) -> bool) -> Option<Phase> {
        let mut at = self.index(phase)?;
        let mut year = phase.year;
        for _ in 0..self.steps.len().saturating_mul(MAX_ROUNDS) {
            if at == 0 {
                at = self.end_of_year(year);
            }
            at = at.checked_sub(1)?;
            match self.steps.get(at)? {
                Step::NewYear(n) => year = year.checked_sub(*n).filter(|y| y.abs() <= MAX_YEAR)?,
                Step::IfYearDiv(..) => {}
                Step::Phase(season, kind) => {
                    let found = Phase { season: season.clone(), year, kind: kind.clone() };
                    if wanted(&found) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// Where a round that ends in that year stops: at the first IFYEARDIV the year fails, else at the end.
    fn end_of_year(&self, year: i32) -> usize {
        let fails = |s: &Step| matches!(s, Step::IfYearDiv(d, m) if year.checked_rem_euclid(*d) != Some(*m));
        self.steps.iter().position(fails).unwrap_or(self.steps.len())
    }

    /// Reads `S1901M` or `SPRING 1901 MOVEMENT`; the phase must be in the flow.
    pub fn parse(&self, text: &str) -> Option<Phase> {
        Phase::parse_long(text).filter(|p| self.contains(p)).or_else(|| self.parse_short(text))
    }

    /// Reads the short form: the first step with those two letters.
    pub fn parse_short(&self, text: &str) -> Option<Phase> {
        let text = text.trim().to_uppercase();
        let mut letters = text.chars();
        let (season, kind) = (letters.next()?, letters.next_back()?);
        let year = letters.as_str();
        if !year.trim_start_matches('-').chars().all(|c| c.is_ascii_digit()) {
            return None;
        }
        let year = year.parse().ok().filter(|y: &i32| y.abs() <= MAX_YEAR)?;
        let initial = |word: &str, c: char| word.starts_with(c);
        self.steps.iter().find_map(|s| match s {
            Step::Phase(a, k) if initial(a, season) && initial(k, kind) => {
                Some(Phase { season: a.clone(), year, kind: k.clone() })
            }
            _ => None,
        })
    }

    /// Which of two phases comes first. Phases outside the flow come after those of their year in it.
    pub fn compare(&self, a: &Phase, b: &Phase) -> Ordering {
        let years = if self.year_sign() < 0 { b.year.cmp(&a.year) } else { a.year.cmp(&b.year) };
        years.then_with(|| self.place_in_year(a).cmp(&self.place_in_year(b)))
    }

    /// Place in the steps as counted from the (first) change of year.
    fn place_in_year(&self, phase: &Phase) -> usize {
        let start = self.steps.iter().position(|s| matches!(s, Step::NewYear(_))).unwrap_or(0);
        let length = self.steps.len();
        self.index(phase).map_or(length, |at| (at + length - start) % length.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(items: &str) -> Flow {
        let mut steps = Vec::new();
        for item in items.split_whitespace() {
            steps.extend(Flow::read_item(item).unwrap());
        }
        let (flow, complaints) = Flow::from_written(&steps);
        assert_eq!(complaints, Vec::<String>::new());
        flow
    }

    fn walk(flow: &Flow, from: &str, n: usize) -> String {
        let mut phase = flow.parse(from).unwrap();
        let mut out = vec![phase.short()];
        for _ in 1..n {
            let next = flow.next(&phase).unwrap();
            assert_eq!(flow.previous(&next).as_ref(), Some(&phase));
            assert_eq!(flow.compare(&phase, &next), Ordering::Less);
            phase = next;
            out.push(phase.short());
        }
        out.join(" ")
    }

    /// The table of map-file.md 9.
    #[test]
    fn eight_phases_of_four_maps() {
        let standard = Flow::standard();
        assert_eq!(walk(&standard, "S1901M", 8), "S1901M S1901R F1901M F1901R W1901A S1902M S1902R F1902M");
        let hundred = flow("NEWYEAR:5 A.D.:MOVEMENT,RETREATS IFYEARDIV:10 A.D.:ADJUSTMENTS");
        assert_eq!(walk(&hundred, "A1425M", 8), "A1425M A1425R A1430M A1430R A1430A A1435M A1435R A1440M");
        let classical = flow("NEWYEAR:-1 B.C.:MOVEMENT,RETREATS IFYEARDIV:2 B.C.:ADJUSTMENTS");
        assert_eq!(walk(&classical, "B273M", 8), "B273M B273R B272M B272R B272A B271M B271R B270M");
        let ambition = flow("SPRING:INCOME,MOVEMENT,RETREATS FALL:INCOME,MOVEMENT,RETREATS WINTER:ADJUSTMENTS");
        assert_eq!(walk(&ambition, "S1763M", 8), "S1763M S1763R F1763I F1763M F1763R W1763A S1764I S1764M");
        let before = |f: &Flow, p: &str| f.previous(&f.parse(p).unwrap()).unwrap().short();
        assert_eq!(before(&standard, "S1901M"), "W1900A");
        assert_eq!(before(&hundred, "A1425M"), "A1420A");
        assert_eq!(before(&classical, "B273M"), "B274A");
        assert_eq!(before(&ambition, "S1763M"), "S1763I");
        let adjustment = standard.previous_of(&standard.parse("F1901M").unwrap(), 'A').unwrap();
        assert_eq!(adjustment.to_string(), "WINTER 1900 ADJUSTMENTS");
        assert!(standard.with_income().parse("W1901I").is_some());
    }

    #[test]
    fn complaints_about_items() {
        for (item, text) in [
            ("SPRING", "FLOW SPRING REQUIRES COLON (:)"),
            ("A:B:C", "MORE THAN ONE COLON (:) IN FLOW A:B:C"),
            ("NEWYEAR:x", "THE NEWYEAR FLOW DIRECTIVE CAN ONLY HAVE A NUMBER AS PARAMETER"),
            ("NEWYEAR:0", "THE NEWYEAR FLOW DIRECTIVE CAN NOT BE 0"),
            ("IFYEARDIV:0", "THE IFYEARDIV FLOW DIRECTIVE NEEDS A DIVISOR ABOVE 0"),
        ] {
            assert_eq!(Flow::read_item(item), Err(text.to_owned()));
        }
        let (_, complaints) = Flow::from_written(&[
            Step::Phase("S".into(), "MOVEMENT".into()),
            Step::Phase("S".into(), "MARCH".into()),
            Step::Phase("S".into(), "MOVEMENT".into()),
        ]);
        assert_eq!(
            complaints,
            ["BAD PHASE TYPE IN FLOW ('M' IS ALREADY 'MOVEMENT')", "PHASE IN FLOW TWICE: S MOVEMENT"]
        );
    }

    /// A year change in the middle of the steps turns the order of its neighbours round.
    #[test]
    fn year_change_in_the_middle() {
        let flow = flow("FALL:MOVEMENT,RETREATS NEWYEAR SPRING:MOVEMENT WINTER:ADJUSTMENTS");
        assert_eq!(walk(&flow, "S1901M", 5), "S1901M W1901A F1901M F1901R S1902M");
    }

    /// A flow no year satisfies ends the walk instead of spinning.
    #[test]
    fn impossible_condition() {
        let flow = Flow { steps: vec![Step::IfYearDiv(2, 1), Step::Phase("S".into(), "MOVEMENT".into())] };
        assert_eq!(flow.next(&Phase { season: "S".into(), year: 2, kind: "MOVEMENT".into() }), None);
    }
}
