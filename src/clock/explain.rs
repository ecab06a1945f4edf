//! The steps of a deadline's computation in words: for `clock explain`, the game page, and the reply to
//! SET DEADLINE, which all show the same sentences.

use super::absence::Absence;
use super::days::Days;
use super::format::{date, long};
use super::span::{Span, elapsed_words};
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, TimeDelta, Weekday};
use chrono_tz::Tz;
use std::fmt;

/// One step (clock.md 4.2 to 4.6).
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// NO_DEADLINE.
    NoDeadline,
    /// Which delay applies.
    Delay {
        /// Kind of the phase.
        phase: String,
        /// The delay, not doubled.
        span: Span,
        /// Key of TIMING it comes from; `None`: built in.
        key: Option<String>,
        /// First deadline of a press game.
        doubled: bool,
    },
    /// The delay added.
    Earliest {
        /// Counted from.
        now: DateTime<Tz>,
        /// The earliest moment.
        when: DateTime<Tz>,
    },
    /// The delay counted in playing days (JUMP_OFF_DAYS).
    PlayingDays {
        /// Counted from.
        now: DateTime<Tz>,
        /// So many.
        days: i64,
        /// The earliest moment.
        when: DateTime<Tz>,
    },
    /// The delay is too short for AT.
    AtIgnored {
        /// Between two AT times.
        gap: TimeDelta,
    },
    /// The next AT time.
    AtNext {
        /// That time.
        at: DateTime<Tz>,
    },
    /// The AT time before is near enough.
    AtWithin {
        /// How near it had to be.
        fudge: TimeDelta,
        /// That time.
        at: DateTime<Tz>,
    },
    /// The AT time before is too far back.
    AtMissed {
        /// That time.
        low: DateTime<Tz>,
        /// How near it had to be.
        fudge: TimeDelta,
        /// The next AT time.
        at: DateTime<Tz>,
    },
    /// Cut to a slot.
    Slot {
        /// The slot.
        to: DateTime<Tz>,
    },
    /// Days without deadlines passed over.
    Days {
        /// Weekday refused first.
        from: NaiveDate,
        /// Day found.
        to: NaiveDate,
        /// The days allowed.
        days: Days,
        /// Whether a movement phase asked.
        movement: bool,
    },
    /// An absence passed over.
    Absent {
        /// The absence.
        absence: Absence,
        /// Wall clock found.
        to: NaiveDateTime,
    },
    /// A local time that does not exist.
    Gap {
        /// The wall clock wanted.
        wall: NaiveDateTime,
        /// The first moment after it that exists.
        to: DateTime<Tz>,
    },
    /// The current deadline is later.
    NotEarlier {
        /// What was computed.
        computed: DateTime<Tz>,
        /// The current deadline.
        previous: DateTime<Tz>,
    },
    /// The deadline.
    Result {
        /// The moment.
        moment: DateTime<Tz>,
    },
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::NoDeadline => write!(f, "This game has no deadlines (RULE NO_DEADLINE)."),
            Step::Delay { phase, span, key, doubled } => {
                let origin = match key {
                    Some(key) => format!("{key} {span}"),
                    None => "the usual delay".to_owned(),
                };
                let doubled = if *doubled { ", doubled for the first deadline" } else { "" };
                let (article, phase) = phase_words(phase);
                write!(f, "{article} {phase} phase lasts {} ({origin}){doubled}.", span.words())
            }
            Step::Earliest { now, when } => write!(f, "From {} that leads to {}.", long(now), long(when)),
            Step::PlayingDays { now, days, when } => {
                let plural = if *days == 1 { "" } else { "s" };
                write!(f, "From {}, {days} playing day{plural} on (JUMP_OFF_DAYS) is {}.", long(now), long(when))
            }
            Step::AtIgnored { gap } => {
                write!(f, "AT does not apply: its times are {} apart, more than twice the delay.", elapsed_words(*gap))
            }
            Step::AtNext { at } => write!(f, "The next AT time is {}.", long(at)),
            Step::AtWithin { fudge, at } => {
                write!(f, "That is at most {} (FUDGE) past an AT time, so {} will do.", elapsed_words(*fudge), long(at))
            }
            Step::AtMissed { low, fudge, at } => write!(
                f,
                "That is more than {} (FUDGE) past the AT time {}, so it is the next: {}.",
                elapsed_words(*fudge),
                long(low),
                long(at)
            ),
            Step::Slot { to } => write!(f, "Deadlines fall on :00, :20 or :40: {}.", long(to)),
            Step::Days { from, to, days, movement } => {
                let phases = if *movement { " of a movement phase" } else { "" };
                write!(
                    f,
                    "No deadline{phases} falls on a {} (DAYS {days}): on to {} {}.",
                    weekday(from.weekday()),
                    weekday(to.weekday()),
                    date(*to)
                )
            }
            Step::Absent { absence, to } => {
                write!(f, "Somebody is absent ({}): on to {}.", absence.words(), to.format("%A %-d %B %Y %H:%M"))
            }
            Step::Gap { wall, to } => write!(
                f,
                "The clocks go forward and {} does not exist: {} instead.",
                wall.format("%-d %B %Y %H:%M"),
                long(to)
            ),
            Step::NotEarlier { computed, previous } => {
                write!(
                    f,
                    "{} would be before the deadline already set, {}, which stays.",
                    long(computed),
                    long(previous)
                )
            }
            Step::Result { moment } => write!(f, "The deadline is {}.", long(moment)),
        }
    }
}

/// `A` and `movement`, `An` and `adjustment`.
fn phase_words(kind: &str) -> (&'static str, String) {
    let kind = kind.to_lowercase();
    let one = kind.strip_suffix('s').unwrap_or(&kind).to_owned();
    (if one.starts_with(['a', 'e', 'i', 'o', 'u']) { "An" } else { "A" }, one)
}

fn weekday(day: Weekday) -> &'static str {
    match day {
        Weekday::Mon => "Monday",
        Weekday::Tue => "Tuesday",
        Weekday::Wed => "Wednesday",
        Weekday::Thu => "Thursday",
        Weekday::Fri => "Friday",
        Weekday::Sat => "Saturday",
        Weekday::Sun => "Sunday",
    }
}

/// All steps as one paragraph.
pub fn sentences(steps: &[Step]) -> String {
    steps.iter().map(Step::to_string).collect::<Vec<_>>().join(" ")
}
