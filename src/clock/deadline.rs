//! The next deadline (clock.md 4): a pure function of now, zone, TIMING, phase, rules and the deadline before.
//!
//! What it promises: the deadline lies in the future, on a slot (unless the game is exact to the minute, or a clock
//! change of half an hour leaves none), on a day that DAYS allows, in no absence, never before the current one, and
//! never sooner than the delay but for the slot (less than 20 minutes) and FUDGE. Where a clock change and the rules
//! pull apart, the spirit of clock.md 5 decides: a deadline may come later, never sooner.
//!
//! Each step can be told to a [`Notes`]; who does not ask pays nothing.

use super::absence::Absence;
use super::explain::Step;
use super::format::minute;
use super::rules::ClockRules;
use super::slot::Grain;
use super::span::Span;
use super::timing::{Source, Timing, is_movement};
use super::zone::{local, resolve};
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, TimeDelta, Utc};
use chrono_tz::Tz;

/// Days and absences tried before giving up (clock.md 6).
const MOST_STEPS: u32 = 4000;

/// The default FUDGE allows at least this much (clock.md 4.4); exact games one minute.
const LEAST_FUDGE_MINUTES: i64 = 20;

/// What the next deadline depends on.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The current moment.
    pub now: DateTime<Utc>,
    /// Zone of the game.
    pub zone: Tz,
    /// TIMING of the game.
    pub timing: &'a Timing,
    /// Kind of the new phase, its third word: `MOVEMENT`.
    pub phase: &'a str,
    /// Effective rules.
    pub rules: ClockRules,
    /// Whether it is the first deadline of the game.
    pub first: bool,
    /// The current DEADLINE, wall clock.
    pub previous: Option<NaiveDateTime>,
}

/// The deadline computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Deadline {
    /// The DEADLINE line, wall clock in the zone of the game; `None`: the game has no deadlines.
    pub local: Option<NaiveDateTime>,
    /// The same moment.
    pub utc: Option<DateTime<Utc>>,
    /// The absences left in TIMING: expired ones are gone.
    pub absences: Vec<Absence>,
    /// How it came about; empty unless asked for with [`explain_deadline`].
    pub steps: Vec<Step>,
}

/// DAYS and NOT leave no day for a deadline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("NO POSSIBLE DEADLINE")]
pub struct NoPossibleDeadline;

/// Listens to the steps of a computation.
pub trait Notes {
    /// Takes a note.
    fn note(&mut self, step: impl FnOnce() -> Step);
}

/// Does not listen.
pub struct Unheard;

impl Notes for Unheard {
    fn note(&mut self, _: impl FnOnce() -> Step) {}
}

impl Notes for Vec<Step> {
    fn note(&mut self, step: impl FnOnce() -> Step) {
        self.push(step());
    }
}

/// The next deadline.
pub fn next_deadline(query: &Query) -> Result<Deadline, NoPossibleDeadline> {
    compute(query, &mut Unheard)
}

/// The next deadline with every step of its computation.
pub fn explain_deadline(query: &Query) -> Result<Deadline, NoPossibleDeadline> {
    let mut steps = Vec::new();
    let deadline = compute(query, &mut steps)?;
    Ok(Deadline { steps, ..deadline })
}

/// The next deadline, each step told to `notes` as it is taken.
pub fn compute(query: &Query, notes: &mut impl Notes) -> Result<Deadline, NoPossibleDeadline> {
    if query.rules.no_deadline {
        notes.note(|| Step::NoDeadline);
        return Ok(Deadline { local: None, utc: None, absences: query.timing.absences.clone(), steps: Vec::new() });
    }
    let (work, delay) = Work::begin(query, notes);
    let when = work.earliest(delay, notes)?;
    let when = work.aim(when, delay, notes);
    let moment = work.place(when, notes)?;
    let moment = match query.previous.map(|previous| resolve(query.zone, previous)) {
        Some(previous) if previous > moment => {
            notes.note(|| Step::NotEarlier { computed: moment, previous });
            previous
        }
        _ => moment,
    };
    notes.note(|| Step::Result { moment });
    Ok(Deadline {
        local: Some(moment.naive_local()),
        utc: Some(moment.to_utc()),
        absences: work.absences_left(),
        steps: Vec::new(),
    })
}

/// The delay of the phase, doubled or not (clock.md 4.2).
#[derive(Clone, Copy)]
struct Delay {
    span: Span,
    factor: i32,
}

impl Delay {
    fn elapsed(self) -> TimeDelta {
        self.span.elapsed() * self.factor
    }
}

/// An AT time of one day.
#[derive(Clone, Copy)]
struct Mark {
    /// When it is: raised to the slot, moved out of a gap.
    moment: DateTime<Utc>,
    /// The time itself.
    wall: NaiveDateTime,
}

/// A computation under way. `n` of clock.md 4.5 (the wall clock shifted by START) is called `shifted` here.
struct Work<'a> {
    query: &'a Query<'a>,
    now: DateTime<Utc>,
    grain: Grain,
    movement: bool,
    start: TimeDelta,
}

impl<'a> Work<'a> {
    /// Steps 1 to 3: delay, grain, doubling.
    fn begin(query: &'a Query<'a>, notes: &mut impl Notes) -> (Work<'a>, Delay) {
        let Query { timing, rules, phase, .. } = *query;
        let (span, source) = timing.delay(phase);
        let exact = rules.real_time || span.minutes() < Grain::Slot.length().num_minutes();
        let movement = is_movement(phase);
        let doubled = query.first && !rules.no_press && (movement || !rules.ftf_press);
        notes.note(|| Step::Delay {
            phase: phase.to_owned(),
            span,
            key: match source {
                Source::Key(word) => Some(word.to_owned()),
                Source::Next => Some("NEXT".to_owned()),
                Source::Default => None,
            },
            doubled,
        });
        let work = Work {
            query,
            now: minute(query.now.naive_utc()).and_utc(),
            grain: if exact { Grain::Exact } else { Grain::Slot },
            movement,
            start: timing.start(),
        };
        (work, Delay { span, factor: if doubled { 2 } else { 1 } })
    }

    /// Step 3: the earliest moment.
    fn earliest(&self, delay: Delay, notes: &mut impl Notes) -> Result<DateTime<Utc>, NoPossibleDeadline> {
        let zone = self.query.zone;
        let counted = (self.query.rules.jump_off_days || self.query.timing.skip) && delay.span.unit().is_calendar();
        let when = if counted {
            let days = delay.elapsed().num_days();
            let when = self.after_playing_days(days)?;
            notes.note(|| Step::PlayingDays { now: self.now.with_timezone(&zone), days, when });
            when.to_utc()
        } else {
            let when = self.now.checked_add_signed(delay.elapsed()).ok_or(NoPossibleDeadline)?;
            notes.note(|| Step::Earliest { now: self.now.with_timezone(&zone), when: when.with_timezone(&zone) });
            when
        };
        Ok(when)
    }

    /// JUMP_OFF_DAYS (clock.md 4.7): the same time of day, so many playing days later.
    fn after_playing_days(&self, days: i64) -> Result<DateTime<Tz>, NoPossibleDeadline> {
        let mut shifted = self.shift(local(self.query.zone, self.now));
        let mut counted = if self.is_playing_day(shifted.date()) { 0 } else { -1 };
        for _ in 0..MOST_STEPS {
            if counted >= days {
                return Ok(resolve(self.query.zone, self.unshift(shifted)));
            }
            shifted = next_day(shifted)?;
            if self.is_playing_day(shifted.date()) {
                counted += 1;
            }
        }
        Err(NoPossibleDeadline)
    }

    fn is_playing_day(&self, day: NaiveDate) -> bool {
        let midnight = NaiveDateTime::from(day);
        let blocked = |absence: &Absence| {
            let (from, to) = absence.block(self.grain, self.start);
            absence.is_calendar() && from <= midnight && midnight < to
        };
        self.allows(day) && !self.query.timing.absences.iter().any(blocked)
    }

    /// Step 4: the AT times around the earliest moment.
    fn aim(&self, when: DateTime<Utc>, delay: Delay, notes: &mut impl Notes) -> DateTime<Utc> {
        let Some((low, high)) = self.marks_around(when) else { return when };
        let gap = high.moment - low.moment;
        let zoned = |mark: Mark| mark.moment.with_timezone(&self.query.zone);
        if delay.elapsed() * 2 < gap {
            notes.note(|| Step::AtIgnored { gap });
            return when;
        }
        let mark = if low.moment <= self.now {
            notes.note(|| Step::AtNext { at: zoned(high) });
            high
        } else {
            let fudge = self.fudge(gap, delay.span);
            let late = when > low.moment + fudge;
            notes.note(|| match late {
                true => Step::AtMissed { low: zoned(low), fudge, at: zoned(high) },
                false => Step::AtWithin { fudge, at: zoned(low) },
            });
            if late { high } else { low }
        };
        let raised = self.grain.ceil(mark.wall);
        if raised != mark.wall {
            notes.note(|| Step::Slot { to: zoned(mark) });
        }
        if zoned(mark).naive_local() != raised {
            notes.note(|| Step::Gap { wall: raised, to: zoned(mark) });
        }
        mark.moment
    }

    /// The latest AT mark before, and the earliest at or after, this moment. A mark of one day may come to lie on
    /// the next (raised to the slot, or moved out of a gap), so the days around are looked at too.
    fn marks_around(&self, when: DateTime<Utc>) -> Option<(Mark, Mark)> {
        let at = &self.query.timing.at;
        if at.is_empty() {
            return None;
        }
        let day = local(self.query.zone, when).date();
        let (mut low, mut high) = (None::<Mark>, None::<Mark>);
        for offset in -2..=2 {
            let Some(day) = day.checked_add_signed(TimeDelta::days(offset)) else { continue };
            for time in at {
                let wall = day.and_time(*time);
                let mark = Mark { moment: resolve(self.query.zone, self.grain.ceil(wall)).to_utc(), wall };
                if mark.moment < when {
                    low = Some(low.map_or(mark, |low| if low.moment < mark.moment { mark } else { low }));
                } else if high.is_none_or(|high| mark.moment < high.moment) {
                    high = Some(mark);
                }
            }
        }
        low.zip(high)
    }

    /// How far past a mark the earliest moment may lie and still be taken back to it (clock.md 4.4).
    fn fudge(&self, gap: TimeDelta, span: Span) -> TimeDelta {
        let base = match self.query.timing.fudge {
            Some(fudge) => fudge.elapsed().min(gap / 2),
            None if span.unit().is_calendar() => gap / 3,
            None => TimeDelta::zero(),
        };
        base.max(match self.grain {
            Grain::Exact => TimeDelta::minutes(1),
            Grain::Slot => TimeDelta::minutes(LEAST_FUDGE_MINUTES),
        })
    }

    /// Steps 5 to 8: slot, days, absences, and back to a moment.
    fn place(&self, when: DateTime<Utc>, notes: &mut impl Notes) -> Result<DateTime<Tz>, NoPossibleDeadline> {
        let zone = self.query.zone;
        let wall = local(zone, when);
        let mut cut = self.grain.floor(wall);
        // Where an odd half hour is repeated in autumn, cutting down may leap back over it, even into the past: a delay
        // loses less than a slot all the same (clock.md 5).
        while resolve(zone, cut).to_utc() + self.grain.length() <= when {
            cut = cut.checked_add_signed(self.grain.length()).ok_or(NoPossibleDeadline)?;
        }
        if cut != wall {
            notes.note(|| Step::Slot { to: resolve(zone, cut) });
        }
        let mut shifted = self.shift(cut);
        let mut left = MOST_STEPS;
        loop {
            shifted = self.free(shifted, &mut left, notes)?;
            let wall = self.unshift(shifted);
            let moment = resolve(zone, wall);
            let landed = moment.naive_local();
            if landed == wall {
                return Ok(moment);
            }
            notes.note(|| Step::Gap { wall, to: moment });
            // A gap may end where no deadline may fall: on with the same time of day.
            let landed = self.shift(landed);
            if self.allows(landed.date()) && self.absence_at(landed).is_none() {
                return Ok(moment);
            }
            spend(&mut left)?;
            shifted = next_day(shifted)?;
        }
    }

    /// Step 7: forward until neither DAYS nor an absence forbids it.
    fn free(
        &self,
        mut shifted: NaiveDateTime,
        left: &mut u32,
        notes: &mut impl Notes,
    ) -> Result<NaiveDateTime, NoPossibleDeadline> {
        loop {
            let from = shifted;
            while !self.allows(shifted.date()) {
                spend(left)?;
                shifted = next_day(shifted)?;
            }
            if shifted != from {
                notes.note(|| Step::Days {
                    from: from.date(),
                    to: shifted.date(),
                    days: self.query.timing.days,
                    movement: self.movement,
                });
            }
            let Some((absence, end)) = self.absence_at(shifted) else { return Ok(shifted) };
            spend(left)?;
            shifted = match self.grain {
                Grain::Exact => end,
                Grain::Slot => at_time_of(shifted, end)?,
            };
            notes.note(|| Step::Absent { absence, to: self.unshift(shifted) });
        }
    }

    /// An absence that covers this wall clock, and its end.
    fn absence_at(&self, shifted: NaiveDateTime) -> Option<(Absence, NaiveDateTime)> {
        self.query.timing.absences.iter().find_map(|absence| {
            let (from, to) = absence.block(self.grain, self.start);
            (from <= shifted && shifted < to).then_some((*absence, to))
        })
    }

    /// Absences that are not over yet (clock.md 6).
    fn absences_left(&self) -> Vec<Absence> {
        // Moments are compared: of an hour that happens twice the end is the later one.
        let end = |absence: &Absence| self.unshift(absence.block(self.grain, self.start).1);
        let over = |absence: &&Absence| resolve(self.query.zone, end(absence)) <= self.now;
        self.query.timing.absences.iter().filter(|absence| !over(absence)).copied().collect()
    }

    fn allows(&self, day: NaiveDate) -> bool {
        self.query.timing.days.allow(day.weekday(), self.movement)
    }

    fn shift(&self, wall: NaiveDateTime) -> NaiveDateTime {
        wall.checked_sub_signed(self.start).unwrap_or(wall)
    }

    fn unshift(&self, shifted: NaiveDateTime) -> NaiveDateTime {
        shifted.checked_add_signed(self.start).unwrap_or(shifted)
    }
}

fn spend(left: &mut u32) -> Result<(), NoPossibleDeadline> {
    *left = left.checked_sub(1).ok_or(NoPossibleDeadline)?;
    Ok(())
}

fn next_day(wall: NaiveDateTime) -> Result<NaiveDateTime, NoPossibleDeadline> {
    wall.checked_add_signed(TimeDelta::days(1)).ok_or(NoPossibleDeadline)
}

/// The first moment at or after `end` with the time of day of `wall`.
fn at_time_of(wall: NaiveDateTime, end: NaiveDateTime) -> Result<NaiveDateTime, NoPossibleDeadline> {
    let same_day = end.date().and_time(wall.time());
    if same_day < end { next_day(same_day) } else { Ok(same_day) }
}

#[cfg(test)]
#[path = "deadline_tests.rs"]
mod tests;
