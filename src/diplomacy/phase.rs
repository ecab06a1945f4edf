//! Phases and the order in which they come (FLOW, map-file.md 9).

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
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", self.season, self.year, self.kind)
    }
}

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

/// The phase sequence of a map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// Steps, cyclic; begins with NEWYEAR (implicit or written).
    pub steps: Vec<Step>,
}
