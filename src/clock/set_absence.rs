//! SET ABSENCE: the text of a player or of the Master becomes an item of TIMING NOT (clock.md 6).

use super::absence::{Absence, Stamp};
use super::date::{Parts, whole_minute, without_word};
use super::rules::ClockRules;
use super::slot::Grain;
use super::zone::{local, resolve};
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;

/// The longest absence a player may set.
const LONGEST_DAYS: i64 = 14;

/// Why an absence is not set; the texts are those of the old judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AbsenceRefusal {
    /// NO_ABSENCES.
    #[error("Only the Master is allowed to SET ABSENCE in this game")]
    MasterOnly,
    /// Not a date.
    #[error("Bad ABSENCE specified")]
    Bad,
    /// Ends before it begins, in the past, or too long for a player.
    #[error("Invalid ABSENCE duration")]
    Duration,
    /// Ends as it begins.
    #[error("One minute ABSENCE too short")]
    TooShort,
    /// Listed already.
    #[error("Duplicate ABSENCE")]
    Duplicate,
}

/// What SET ABSENCE depends on.
#[derive(Clone, Copy, Debug)]
pub struct AbsenceQuery<'a> {
    /// The current moment.
    pub now: DateTime<Utc>,
    /// Zone of the game.
    pub zone: Tz,
    /// The Master, or the keeper.
    pub master: bool,
    /// Effective rules.
    pub rules: ClockRules,
    /// Items of NOT.
    pub existing: &'a [Absence],
    /// The text after SET ABSENCE.
    pub text: &'a str,
}

impl AbsenceQuery<'_> {
    /// Whether that moment is not over: of an hour that happens twice the later counts (clock.md 5).
    fn is_ahead(&self, wall: NaiveDateTime) -> bool {
        resolve(self.zone, wall) >= whole_minute(self.now)
    }

    /// A date from now on.
    fn stamp(&self, text: &str) -> Option<Stamp> {
        stamp(text, local(self.zone, self.now).date(), |wall| self.is_ahead(wall))
    }
}

/// The absence that the text means; it is to be appended to NOT.
pub fn absence(query: &AbsenceQuery) -> Result<Absence, AbsenceRefusal> {
    if query.rules.no_absences && !query.master {
        return Err(AbsenceRefusal::MasterOnly);
    }
    let absence = read(query).ok_or(AbsenceRefusal::Bad)?;
    let start = match absence {
        Absence::Only(stamp) | Absence::Between(stamp, _) => stamp.start(),
        Absence::Until(_) => local(query.zone, whole_minute(query.now)).min(absence.last().start()),
    };
    // A date without time counts to its midnight; a time is the moment itself.
    let last = absence.last();
    let end = if last.precision().is_calendar() { last.end(Grain::Exact) } else { last.start() };
    let too_long = !query.master && end - start > TimeDelta::days(LONGEST_DAYS);
    if end < start || !query.is_ahead(end) || too_long {
        return Err(AbsenceRefusal::Duration);
    }
    if matches!(absence, Absence::Between(..)) && end == start {
        return Err(AbsenceRefusal::TooShort);
    }
    if query.existing.contains(&absence) {
        return Err(AbsenceRefusal::Duplicate);
    }
    Ok(absence)
}

/// `[ON|FROM|FOR] date`, `[FROM] date TO|UNTIL date`, `TO|UNTIL date`; the second date is searched from the first.
fn read(query: &AbsenceQuery) -> Option<Absence> {
    let words: Vec<&str> = query.text.split_whitespace().collect();
    let until = |word: &&str| word.eq_ignore_ascii_case("TO") || word.eq_ignore_ascii_case("UNTIL");
    let Some(place) = words.iter().position(until) else {
        let text = words.join(" ");
        return query.stamp(without_word(&text, &["ON", "FROM", "FOR"])).map(Absence::Only);
    };
    let (from, to) = words.split_at(place);
    let to = to.get(1..)?.join(" ");
    if from.is_empty() {
        return query.stamp(&to).map(Absence::Until);
    }
    let from = query.stamp(without_word(&from.join(" "), &["ON", "FROM", "FOR"]))?;
    let start = from.start();
    Some(Absence::Between(from, stamp(&to, start.date(), |wall| wall >= start)?))
}

/// A date without slots and without default time: to the day, or to the minute when a time is given.
fn stamp(text: &str, today: NaiveDate, ahead: impl Fn(NaiveDateTime) -> bool) -> Option<Stamp> {
    let parts = Parts::read(text)?;
    if parts.time.is_some() {
        return parts.first_from(today, NaiveTime::MIN, ahead).map(Stamp::minute);
    }
    let ahead = |midnight: NaiveDateTime| midnight.date() >= today;
    parts.first_from(today, NaiveTime::MIN, ahead).map(|at| Stamp::day(at.date()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn said(text: &str) -> Result<String, String> {
        at(text, "2024-07-10T15:00:00Z", Tz::GMT)
    }

    fn at(text: &str, now: &str, zone: Tz) -> Result<String, String> {
        let now = now.parse().unwrap();
        let query = AbsenceQuery { now, zone, master: false, rules: ClockRules::default(), existing: &[], text };
        absence(&query).map(|item| item.to_string()).map_err(|refusal| refusal.to_string())
    }

    /// 01:50 in New York on 3 November 2024, once as summer time and once as winter time.
    #[test]
    fn the_hour_that_happens_twice() {
        let said = |text: &str, now: &str| at(text, now, Tz::America__New_York);
        let (first, second) = ("2024-11-03T05:50:30Z", "2024-11-03T06:50:30Z");
        assert_eq!(said("01:20", first).as_deref(), Ok("202411030120"), "comes once more");
        assert_eq!(said("TO 01:20", first).as_deref(), Ok("-202411030120"));
        assert_eq!(said("3 NOV 2024 01:20", first).as_deref(), Ok("202411030120"));
        assert_eq!(said("01:20", second).as_deref(), Ok("202411040120"));
        assert_eq!(said("3 NOV 2024 01:20", second), Err("Invalid ABSENCE duration".to_owned()));
        assert_eq!(said("01:50", second).as_deref(), Ok("202411030150"), "seconds never matter");
        assert_eq!(said("FROM 01:10 TO 01:40", first).as_deref(), Ok("202411030110-202411030140"));
    }

    #[test]
    fn what_the_vectors_leave_open() {
        let good = |text: &str| said(text).unwrap();
        assert_eq!(good("on 10 jul"), "20240710", "today");
        assert_eq!(good("FROM FRI TO SUN"), "20240712-20240714");
        assert_eq!(good("12 JUL 16:00"), "202407121600");
        assert_eq!(good("FOR 12 JUL 16:00 UNTIL 18:00"), "202407121600-202407121800");
        assert_eq!(good("12 JUL TO 12 JUL"), "20240712-20240712");
        for bad in ["", "TO", "12 JUL TO", "ON", "FROM TO 12 JUL", "12 JUL TO 13 JUL TO 14 JUL", "SOON"] {
            assert_eq!(said(bad), Err("Bad ABSENCE specified".to_owned()), "{bad}");
        }
        assert_eq!(said("14 JUL TO 12 JUL 2024"), Err("Invalid ABSENCE duration".to_owned()));
        assert_eq!(said("TO 25 JUL"), Err("Invalid ABSENCE duration".to_owned()), "more than 14 days from now");
    }

    proptest! {
        #[test]
        fn item_reads_back(text in "(FROM |TO |)[0-9]{1,2} (JUL|AUG|)( 1[0-9]:00|)( TO| UNTIL|) [0-9]{0,2}") {
            if let Ok(item) = said(&text) {
                prop_assert_eq!(item.parse::<Absence>().unwrap().to_string(), item);
            }
        }
    }
}
