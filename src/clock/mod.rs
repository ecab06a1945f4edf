//! The clock: deadlines, absences, the twenty-minute check, rounds and outages (clock.md, operations.md 10).
//!
//! Everything here is a pure function: the moment is passed in, nothing is read or written. Moments are compared on
//! the UTC axis, days and times of day on the wall clock of the game's zone.

pub mod absence;
pub mod daily;
pub mod date;
pub mod days;
pub mod deadline;
pub mod explain;
pub mod format;
pub mod rest;
pub mod round;
pub mod rules;
pub mod set_absence;
pub mod slot;
pub mod span;
pub mod tick;
pub mod timing;
pub mod zone;

pub use absence::Absence;
pub use daily::{Daily, daily};
pub use date::{Asker, DateQuery, DeadlineRefusal, parse_date, set_deadline};
pub use days::Days;
pub use deadline::{Deadline, NoPossibleDeadline, Query, explain_deadline, next_deadline};
pub use explain::{Step, sentences};
pub use rest::rest_until;
pub use round::{CheckTim, Extension, Permit, Schedule, Suspension, first_of_day, permit};
pub use rules::ClockRules;
pub use set_absence::{AbsenceQuery, AbsenceRefusal, absence};
pub use slot::Grain;
pub use span::Span;
pub use tick::{
    Action, AfterEntry, Controller, GameClock, LateAudience, Owing, Penalty, Seat, Standing, Verdict, after_entry,
    is_late, late_audience, penalty, penalty_words, tick,
};
pub use timing::{Timing, TimingError};
