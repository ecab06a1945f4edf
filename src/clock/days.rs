//! DAYS of TIMING: on which weekdays a deadline may fall (clock.md 2). An upper-case letter allows every phase, a
//! lower-case one every phase but movement, `-` none.

use chrono::Weekday;
use std::fmt;
use std::str::FromStr;

/// The letters, Sunday first.
const LETTERS: [char; 7] = ['S', 'M', 'T', 'W', 'T', 'F', 'S'];

/// What may fall on a weekday.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Day {
    #[default]
    Nothing,
    Minor,
    All,
}

/// The seven days, Sunday first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Days([Day; 7]);

/// The text is no DAYS value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not seven days: {0} (want seven characters, each `-` or the letter of SMTWTFS, at least one letter)")]
pub struct BadDays(pub String);

impl Default for Days {
    /// `-MTWTF-`
    fn default() -> Days {
        Days([Day::Nothing, Day::All, Day::All, Day::All, Day::All, Day::All, Day::Nothing])
    }
}

impl Days {
    /// Whether the deadline of a phase may fall on this weekday.
    pub fn allow(&self, weekday: Weekday, movement: bool) -> bool {
        match self.0.get(weekday.num_days_from_sunday() as usize) {
            Some(Day::All) => true,
            Some(Day::Minor) => !movement,
            _ => false,
        }
    }
}

impl FromStr for Days {
    type Err = BadDays;

    fn from_str(text: &str) -> Result<Days, BadDays> {
        let bad = || BadDays(text.to_owned());
        if text.len() != LETTERS.len() {
            return Err(bad());
        }
        let mut days = [Day::Nothing; 7];
        for ((day, c), letter) in days.iter_mut().zip(text.chars()).zip(LETTERS) {
            *day = match c {
                '-' => Day::Nothing,
                c if c == letter => Day::All,
                c if c == letter.to_ascii_lowercase() => Day::Minor,
                _ => return Err(bad()),
            };
        }
        if days.iter().all(|day| *day == Day::Nothing) {
            return Err(bad());
        }
        // Without any upper-case letter: as if typed in upper case.
        if !days.contains(&Day::All) {
            for day in days.iter_mut().filter(|day| **day == Day::Minor) {
                *day = Day::All;
            }
        }
        Ok(Days(days))
    }
}

impl fmt::Display for Days {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (day, letter) in self.0.iter().zip(LETTERS) {
            let c = match day {
                Day::Nothing => '-',
                Day::Minor => letter.to_ascii_lowercase(),
                Day::All => letter,
            };
            write!(f, "{c}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_and_written() {
        assert_eq!(Days::default().to_string(), "-MTWTF-");
        assert_eq!("smtwtfs".parse::<Days>().unwrap().to_string(), "SMTWTFS");
        let days: Days = "-MTWTfs".parse().unwrap();
        assert_eq!(days.to_string(), "-MTWTfs");
        assert!(days.allow(Weekday::Fri, false) && !days.allow(Weekday::Fri, true) && !days.allow(Weekday::Sun, false));
        for bad in ["-------", "MTWTFSS", "", "-MTWTF", "-MTWTF--", "SMTWTFX", "éMTWTF"] {
            assert!(bad.parse::<Days>().is_err(), "{bad}");
        }
    }
}
