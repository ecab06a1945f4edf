//! The clock: deadlines, absences, the twenty-minute check, rounds and outages (clock.md, operations.md 10).
//!
//! Everything here is a pure function: the moment is passed in, nothing is read or written. Moments are compared on
//! the UTC axis, days and times of day on the wall clock of the game's zone.

pub mod absence;
pub mod days;
pub mod deadline;
pub mod explain;
pub mod format;
pub mod rules;
pub mod slot;
pub mod span;
pub mod timing;
pub mod zone;

pub use absence::Absence;
pub use days::Days;
pub use deadline::{Deadline, NoPossibleDeadline, Query, explain_deadline, next_deadline};
pub use explain::{Step, sentences};
pub use rules::ClockRules;
pub use slot::Grain;
pub use span::Span;
pub use timing::{Timing, TimingError};
