//! Rounds of the scheduler: their numbers, the stamp of the last one, and the guard after an outage
//! (operations.md 10, OPS-080 to OPS-085; clock.md 12). All of it arithmetic: the callers read and write the files.

use super::slot::Grain;
use super::zone::resolve;
use chrono::{DateTime, NaiveDateTime, NaiveTime, SecondsFormat, TimeDelta, Utc};
use chrono_tz::Tz;
use std::fmt;
use std::str::FromStr;

/// The clock may be set back by this much before deadline work stops.
const SET_BACK_MINUTES: i64 = 5;

/// How rounds are spaced and watched (configuration `sched.round`, `sched.guard`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Between rounds; at least a minute.
    pub round: TimeDelta,
    /// Longest time without a round before the judge suspects an outage.
    pub guard: TimeDelta,
}

impl Default for Schedule {
    /// Every 20 minutes; 60 minutes.
    fn default() -> Schedule {
        Schedule { round: TimeDelta::minutes(20), guard: TimeDelta::minutes(60) }
    }
}

impl Schedule {
    /// The number of the round this moment belongs to: rounds are aligned to the clock (minutes 0, 20, 40).
    pub fn number(&self, now: DateTime<Utc>) -> i64 {
        now.timestamp().div_euclid(self.round.num_seconds().max(60))
    }

    /// When the next round begins.
    pub fn next(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let seconds = self.round.num_seconds().max(60);
        DateTime::from_timestamp((self.number(now) + 1).saturating_mul(seconds), 0).unwrap_or(now)
    }
}

/// `cron/check.tim`: the last round that was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckTim {
    /// Its number.
    pub round: i64,
    /// When it was finished.
    pub time: DateTime<Utc>,
}

/// A line of the `cron` directory that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCron {
    /// `cron/check.tim`
    #[error("check.tim: {0} (want round=<number> time=<RFC 3339>)")]
    CheckTim(String),
    /// `cron/suspended`
    #[error("suspended: {0} (want since=<RFC 3339> at=<RFC 3339> reason=<text>)")]
    Suspended(String),
}

fn time_after(word: Option<&str>, key: &str) -> Option<DateTime<Utc>> {
    let text = word?.strip_prefix(key)?;
    DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc())
}

fn seconds(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

impl FromStr for CheckTim {
    type Err = BadCron;

    fn from_str(text: &str) -> Result<CheckTim, BadCron> {
        let read = || {
            let mut words = text.split_whitespace();
            let round = words.next()?.strip_prefix("round=")?.parse().ok()?;
            Some(CheckTim { round, time: time_after(words.next(), "time=")? })
        };
        read().ok_or_else(|| BadCron::CheckTim(text.trim().to_owned()))
    }
}

impl fmt::Display for CheckTim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "round={} time={}", self.round, seconds(self.time))
    }
}

impl CheckTim {
    /// What it is when the keeper resumes: the guard counts from about now, a round that was counted before is not
    /// counted again, and the next one reminds of what fell into the time of a round before it, as after any longer
    /// pause (clock.md 3, step 12).
    pub fn resumed(&self, schedule: &Schedule, now: DateTime<Utc>) -> CheckTim {
        let number = schedule.number(now);
        let round = if self.round >= number { number } else { number - 1 };
        // The next round comes within the guard all the same.
        let spare = (schedule.guard - schedule.round).clamp(TimeDelta::zero(), schedule.round);
        CheckTim { round, time: now - spare }
    }
}

/// `cron/suspended`: no deadline work until the keeper resumes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspension {
    /// The last round before; the outage is counted from here.
    pub since: DateTime<Utc>,
    /// When it was noticed, or ordered.
    pub at: DateTime<Utc>,
    /// Why, one line.
    pub reason: String,
}

impl FromStr for Suspension {
    type Err = BadCron;

    fn from_str(text: &str) -> Result<Suspension, BadCron> {
        let read = || {
            let line = text.trim();
            let (head, reason) = line.split_once("reason=").unwrap_or((line, ""));
            let mut words = head.split_whitespace();
            let since = time_after(words.next(), "since=")?;
            Some(Suspension { since, at: time_after(words.next(), "at=")?, reason: reason.to_owned() })
        };
        read().ok_or_else(|| BadCron::Suspended(text.trim().to_owned()))
    }
}

impl fmt::Display for Suspension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = self.reason.split_whitespace().collect::<Vec<_>>().join(" ");
        write!(f, "since={} at={} reason={reason}", seconds(self.since), seconds(self.at))
    }
}

/// Whether a round may do deadline work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permit {
    /// Yes; afterwards `check.tim` is this.
    Run(CheckTim),
    /// This round was counted already.
    Counted,
    /// An outage shows for the first time: write `suspended`, mail the keeper.
    Outage(Suspension),
    /// Suspended since before.
    Suspended,
    /// The clock was set back by this much: wait until it has passed the last round, or the keeper resumes.
    SetBack(TimeDelta),
}

/// Whether a round may do deadline work now. `no_guard`: one round regardless of outage, suspension or a clock set
/// back, yet never twice in one round.
pub fn permit(
    schedule: &Schedule,
    last: Option<&CheckTim>,
    suspended: Option<&Suspension>,
    now: DateTime<Utc>,
    no_guard: bool,
) -> Permit {
    let run = Permit::Run(CheckTim { round: schedule.number(now), time: now });
    let Some(last) = last else {
        return if suspended.is_some() && !no_guard { Permit::Suspended } else { run };
    };
    let set_back = last.time - now;
    if no_guard {
        return if schedule.number(now) == last.round { Permit::Counted } else { run };
    }
    if suspended.is_some() {
        Permit::Suspended
    } else if set_back > TimeDelta::minutes(SET_BACK_MINUTES) {
        Permit::SetBack(set_back)
    } else if -set_back > schedule.guard {
        let reason = format!("no round since {}", seconds(last.time));
        Permit::Outage(Suspension { since: last.time, at: now, reason })
    } else if schedule.number(now) <= last.round {
        Permit::Counted
    } else {
        run
    }
}

/// Whether this is the first round after that time of the (UTC) day, when daily reminders go out (`sched.reminders`).
pub fn first_of_day(previous: Option<DateTime<Utc>>, now: DateTime<Utc>, at: NaiveTime) -> bool {
    let day = |time: DateTime<Utc>| (time - at.signed_duration_since(NaiveTime::MIN)).date_naive();
    previous.is_none_or(|previous| day(previous) < day(now))
}

/// Deadlines moved because the judge was away (`clock extend`, `clock resume --extend`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Deadlines from here on,
    pub from: DateTime<Utc>,
    /// to here, both included,
    pub to: DateTime<Utc>,
    /// come so much later.
    pub by: TimeDelta,
}

impl Extension {
    /// After an outage from the last round to now: deadlines that fell into it, or come sooner after it than it
    /// lasted, come later by its length (clock.md 12).
    pub fn after_outage(last: DateTime<Utc>, now: DateTime<Utc>) -> Extension {
        let outage = (now - last).max(TimeDelta::zero());
        Extension { from: last, to: now + outage, by: outage }
    }

    /// The new DEADLINE, raised to the grain of the game; `None` if this deadline is not concerned.
    pub fn apply(&self, deadline: NaiveDateTime, zone: Tz, grain: Grain) -> Option<NaiveDateTime> {
        let moment = resolve(zone, deadline);
        if !(self.from..=self.to).contains(&moment.to_utc()) || self.by <= TimeDelta::zero() {
            return None;
        }
        let later = moment.checked_add_signed(self.by)?;
        let raised = resolve(zone, grain.ceil(later.naive_local()));
        // In the hour that is repeated in autumn the digits mean its second run, so they are never too early.
        Some(raised.naive_local())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::format::parse_stamp;
    use proptest::prelude::*;

    fn at(text: &str) -> DateTime<Utc> {
        DateTime::parse_from_rfc3339(text).unwrap().to_utc()
    }

    #[test]
    fn rounds_are_aligned() {
        let schedule = Schedule::default();
        let number = schedule.number(at("2026-11-28T08:20:00Z"));
        assert_eq!(schedule.number(at("2026-11-28T08:39:59Z")), number);
        assert_eq!(schedule.number(at("2026-11-28T08:40:00Z")), number + 1);
        assert_eq!(schedule.next(at("2026-11-28T08:39:59Z")), at("2026-11-28T08:40:00Z"));
        assert_eq!(schedule.next(at("2026-11-28T08:40:00Z")), at("2026-11-28T09:00:00Z"));
    }

    #[test]
    fn files_of_the_cron_directory() {
        let text = "round=1497000 time=2026-11-28T08:20:03Z";
        assert_eq!(text.parse::<CheckTim>().unwrap().to_string(), text);
        for bad in ["", "round=x time=2026-11-28T08:20:03Z", "round=1", "round=1 time=yesterday"] {
            assert!(bad.parse::<CheckTim>().is_err(), "{bad}");
        }
        let text = "since=2026-11-28T08:20:03Z at=2026-11-28T10:00:00Z reason=the machine was moved";
        assert_eq!(text.parse::<Suspension>().unwrap().to_string(), text);
        assert!("since=now".parse::<Suspension>().is_err());
    }

    #[test]
    fn guard() {
        let schedule = Schedule::default();
        let time = at("2026-11-28T08:40:05Z");
        let last = CheckTim { round: schedule.number(time), time };
        let ask = |now: &str| permit(&schedule, Some(&last), None, at(now), false);
        assert_eq!(ask("2026-11-28T08:59:59Z"), Permit::Counted);
        assert!(matches!(ask("2026-11-28T09:00:00Z"), Permit::Run(_)));
        assert!(matches!(ask("2026-11-28T09:40:00Z"), Permit::Run(_)), "60 minutes are not more than the guard");
        assert!(matches!(ask("2026-11-28T09:41:00Z"), Permit::Outage(Suspension { since, .. }) if since == time));
        assert_eq!(ask("2026-11-28T08:36:00Z"), Permit::Counted, "set back a little");
        assert!(matches!(ask("2026-11-28T08:00:00Z"), Permit::SetBack(_)));
        let now = at("2026-11-28T12:00:00Z");
        let suspension = Suspension { since: time, at: now, reason: String::new() };
        assert_eq!(permit(&schedule, Some(&last), Some(&suspension), now, false), Permit::Suspended);
        assert!(matches!(permit(&schedule, Some(&last), Some(&suspension), now, true), Permit::Run(_)));
        assert!(matches!(permit(&schedule, None, None, now, false), Permit::Run(_)), "the first round of a site");
        let first = |previous: &str, now: &str, hour| {
            first_of_day(Some(at(previous)), at(now), NaiveTime::MIN + TimeDelta::hours(hour))
        };
        assert!(first("2026-11-27T23:40:00Z", "2026-11-28T00:00:00Z", 0));
        assert!(!first("2026-11-28T00:00:00Z", "2026-11-28T23:40:00Z", 0));
        assert!(!first("2026-11-27T23:40:00Z", "2026-11-28T05:40:00Z", 6), "yesterday's day lasts until six");
        assert!(first("2026-11-28T05:40:00Z", "2026-11-28T06:00:00Z", 6));
    }

    #[test]
    fn resuming() {
        let schedule = Schedule::default();
        let time = at("2026-11-28T08:40:05Z");
        let last = CheckTim { round: schedule.number(time), time };
        // After an outage the round of now is still to come, and reminds of the twenty minutes before it.
        let now = at("2026-11-28T12:13:00Z");
        let resumed = last.resumed(&schedule, now);
        assert!(matches!(permit(&schedule, Some(&resumed), None, now, false), Permit::Run(_)));
        assert!(resumed.time <= at("2026-11-28T12:00:00Z"));
        // In the round that was counted already the next is the next.
        let now = at("2026-11-28T08:50:00Z");
        let resumed = last.resumed(&schedule, now);
        assert_eq!(permit(&schedule, Some(&resumed), None, now, false), Permit::Counted);
        // Whatever the configuration: the next round is no outage.
        for (round, guard) in [(20, 60), (20, 20), (1, 60), (60, 60), (120, 30), (60, 90)] {
            let schedule = Schedule { round: TimeDelta::minutes(round), guard: TimeDelta::minutes(guard) };
            let resumed = last.resumed(&schedule, now);
            let soon = schedule.next(now).min(now + schedule.guard);
            assert!(
                !matches!(permit(&schedule, Some(&resumed), None, soon, false), Permit::Outage(_)),
                "{round} {guard}"
            );
        }
    }

    #[test]
    fn extension() {
        let extension = Extension::after_outage(at("2026-11-28T08:40:00Z"), at("2026-11-28T10:45:00Z"));
        let apply = |stamp: &str, grain| {
            extension.apply(parse_stamp(stamp).unwrap(), Tz::GMT, grain).map(crate::clock::format::stamp)
        };
        assert_eq!(apply("202611280820", Grain::Slot), None, "before the outage");
        assert_eq!(apply("202611280900", Grain::Slot).as_deref(), Some("202611281120"));
        assert_eq!(apply("202611280900", Grain::Exact).as_deref(), Some("202611281105"));
        assert_eq!(apply("202611281240", Grain::Slot).as_deref(), Some("202611281500"), "soon after it");
        assert_eq!(apply("202611281300", Grain::Slot), None, "long after it");
    }

    proptest! {
        /// A deadline moved for an outage has at least that much more time in every zone, and less than a slot and the
        /// change of a clock beyond it; one outside stays.
        #[test]
        fn an_extension_gives_the_time_back(
            zone in 0..chrono_tz::TZ_VARIANTS.len(), minute in 15_778_080i64..47_862_720, aim in -200i64..400, away in 1i64..3000,
            exact: bool,
        ) {
            let zone = chrono_tz::TZ_VARIANTS[zone];
            let now = DateTime::from_timestamp(minute * 60, 0).unwrap();
            let extension = Extension::after_outage(now - TimeDelta::minutes(away), now);
            let deadline = super::super::zone::local(zone, now + TimeDelta::minutes(aim - away));
            let before = resolve(zone, deadline).to_utc();
            let grain = if exact { Grain::Exact } else { Grain::Slot };
            match extension.apply(deadline, zone, grain) {
                None => prop_assert!(before < extension.from || before > extension.to),
                Some(later) => {
                    let moment = resolve(zone, later);
                    prop_assert_eq!(moment.naive_local(), later);
                    let gained = moment.to_utc() - before;
                    prop_assert!(gained >= extension.by, "{} instead of {}", gained, extension.by);
                    prop_assert!(gained < extension.by + TimeDelta::hours(25) + grain.length());
                }
            }
        }
    }
}
