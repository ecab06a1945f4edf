//! The twenty-minute check of one game (clock.md 3): what the clock does with it now. Who owes orders is told by the
//! referee; whether that makes him late is decided here (clock.md 9).

use super::rules::ClockRules;
use super::slot::SLOT_MINUTES;
use super::span::{Span, elapsed_words};
use super::timing::Timing;
use crate::judge::GameState;
use crate::status::PhaseKeyword;
use chrono::{DateTime, TimeDelta, Utc};

/// Checks skipped after a late notice: the next one comes 8 hours and 20 minutes later.
pub const LATE_DELAY: u8 = 24;
/// Checks skipped after a preview: a day.
pub const PREVIEW_DELAY: u8 = 72;

/// An earlier round counts for reminders if it was less than this ago; else the 20 minutes before now do.
const LONGEST_INTERVAL_MINUTES: i64 = 60;
/// Late notices go to everybody up to this long after the deadline (clock.md 10).
const EVERYBODY_MINUTES: i64 = 160;

/// Who plays a power that owes orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat<'a> {
    /// A player.
    Player,
    /// A dummy without controller.
    Dummy,
    /// A dummy under the control of this power, which is played thus.
    Vassal(&'a str, Controller),
    /// Nobody: resigned.
    Resigned,
}

/// Who plays the power at the top of a chain of control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controller {
    /// A player.
    Player,
    /// A dummy without controller.
    Dummy,
    /// Nobody: resigned.
    Resigned,
    /// The Master himself, who has no seat to lose.
    Master,
}

/// A power that owes orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owing<'a> {
    /// Power key.
    pub power: &'a str,
    /// Who plays it.
    pub seat: Seat<'a>,
}

/// Everything the clock asks about a game.
#[derive(Clone, Copy, Debug)]
pub struct GameClock<'a> {
    /// The current moment.
    pub now: DateTime<Utc>,
    /// The round before this one, if known.
    pub previous_round: Option<DateTime<Utc>>,
    /// State in the index.
    pub state: GameState,
    /// Index flag held, or a HELD line.
    pub held: bool,
    /// The status file has errors.
    pub errors: bool,
    /// Opens the phase line.
    pub keyword: PhaseKeyword,
    /// Whether the phase is a movement phase.
    pub movement: bool,
    /// DEADLINE as a moment.
    pub deadline: Option<DateTime<Utc>>,
    /// DELAY, 0 if absent.
    pub delay: u8,
    /// Effective rules.
    pub rules: ClockRules,
    /// TIMING.
    pub timing: &'a Timing,
    /// Whether there is a NEED line.
    pub need: bool,
    /// Powers that owe orders.
    pub owing: &'a [Owing<'a>],
    /// Whether any power has set its WAIT flag.
    pub waiting: bool,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Not a game for the clock.
    Ignore,
    /// Only DELAY was counted down.
    Delay,
    /// Results to the Master only.
    Preview,
    /// Late players lose their seats.
    Dismiss,
    /// Process the phase.
    Process,
    /// Tell that players are late.
    LateNotice,
    /// Remind those who owe orders (the Master in a WAIT phase).
    Remind,
    /// Nothing.
    Idle,
}

impl Action {
    /// The word in vectors and logs.
    pub fn word(self) -> &'static str {
        match self {
            Action::Ignore => "ignore",
            Action::Delay => "delay",
            Action::Preview => "preview",
            Action::Dismiss => "dismiss",
            Action::Process => "process",
            Action::LateNotice => "late_notice",
            Action::Remind => "remind",
            Action::Idle => "idle",
        }
    }
}

/// The outcome of a check: what to do, and DELAY and state afterwards (before any effect of processing).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict<'a> {
    /// What to do.
    pub action: Action,
    /// DELAY afterwards.
    pub delay: u8,
    /// State afterwards.
    pub state: GameState,
    /// Powers that are late, in the order given.
    pub late: Vec<&'a str>,
    /// Powers to be dismissed: the late ones, for a vassal its controller; each once.
    pub dismissed: Vec<&'a str>,
    /// With [`Action::Remind`]: the WARN entry that is due.
    pub warn: Option<Span>,
}

/// Where now stands with regard to the deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The deadline has been reached.
    pub past: bool,
    /// The grace period is over too, and it runs (no NEED line).
    pub over: bool,
}

impl GameClock<'_> {
    /// The deadline that counts: none with NO_DEADLINE.
    pub fn deadline(&self) -> Option<DateTime<Utc>> {
        self.deadline.filter(|_| !self.rules.no_deadline)
    }

    /// The grace period: GRACE, or none at all with CIVIL_DISORDER; `None`: players may be late for ever.
    pub fn grace(&self) -> Option<TimeDelta> {
        let civil_disorder = self.rules.civil_disorder.then(TimeDelta::zero);
        self.timing.grace.map(Span::elapsed).or(civil_disorder)
    }

    /// The moment at which grace ends.
    pub fn end_of_grace(&self) -> Option<DateTime<Utc>> {
        self.deadline()?.checked_add_signed(self.grace()?)
    }

    /// Whether the deadline and the grace period have passed.
    pub fn standing(&self) -> Standing {
        let past = self.deadline().is_some_and(|deadline| self.now >= deadline);
        let over = past && !self.need && self.end_of_grace().is_some_and(|end| self.now >= end);
        Standing { past, over }
    }

    /// Whether a complete set of orders is held until the deadline.
    pub fn is_held_back(&self) -> bool {
        let minor = self.rules.no_minor_wait && !self.movement;
        self.keyword == PhaseKeyword::Wait
            || (self.waiting && !self.rules.real_time)
            || (self.rules.always_wait && !minor)
    }

    /// Whether the phase may be processed by the clock: active, no errors, nobody late, and not held back or past
    /// the deadline (DELAY apart).
    pub fn is_ready(&self) -> bool {
        let standing = self.standing();
        self.is_live()
            && !self.owing.iter().any(|owing| is_late(owing.seat, self.rules, standing))
            && (standing.past || !self.is_held_back())
    }

    /// Whether the Master's PROCESS may process it (clock.md 3.2): missing orders that civil disorder would default
    /// do not count.
    pub fn may_be_processed(&self) -> bool {
        let standing = if self.rules.civil_disorder { Standing { past: true, over: true } } else { self.standing() };
        self.is_live() && !self.owing.iter().any(|owing| is_late(owing.seat, self.rules, standing))
    }

    /// Active, in order, not locked.
    fn is_live(&self) -> bool {
        !self.held && self.state == GameState::Active && !self.errors && self.keyword != PhaseKeyword::Await
    }

    /// The WARN entry due in the interval since the round before: the one nearest the deadline if there are several.
    fn warn_due(&self) -> Option<Span> {
        let deadline = self.deadline()?;
        let interval = TimeDelta::minutes(LONGEST_INTERVAL_MINUTES);
        let recent = self.previous_round.filter(|previous| *previous < self.now && self.now - *previous < interval);
        let due = |span: &&Span| {
            let Some(moment) = deadline.checked_sub_signed(span.elapsed()) else { return false };
            let fresh = match recent {
                Some(previous) => previous < moment,
                None => self.now < moment + TimeDelta::minutes(SLOT_MINUTES),
            };
            fresh && moment <= self.now && self.now < deadline && !span.is_zero()
        };
        self.timing.warn.iter().filter(due).min_by_key(|span| span.minutes()).copied()
    }
}

/// Whether a power that owes orders is late: whether the phase waits for it (clock.md 9, table of exemptions).
pub fn is_late(seat: Seat, rules: ClockRules, standing: Standing) -> bool {
    let player_exempt = rules.civil_disorder && standing.over;
    let dummy_exempt = rules.cd_dummies || rules.civil_disorder && standing.past;
    let exempt = match seat {
        Seat::Player => player_exempt,
        Seat::Dummy => dummy_exempt,
        Seat::Resigned => false,
        Seat::Vassal(_, controller) => {
            let controller_exempt = match controller {
                Controller::Player | Controller::Master => player_exempt,
                Controller::Dummy => dummy_exempt,
                Controller::Resigned => false,
            };
            controller_exempt || (rules.cd_dummies || rules.civil_disorder) && standing.over
        }
    };
    !exempt
}

/// One check of one game (clock.md 3, steps 1 to 13).
pub fn tick<'a>(game: &GameClock<'a>) -> Verdict<'a> {
    let mut verdict = Verdict {
        action: Action::Ignore,
        delay: game.delay,
        state: game.state,
        late: Vec::new(),
        dismissed: Vec::new(),
        warn: None,
    };
    if !game.is_live() {
        return verdict;
    }
    let standing = game.standing();
    let is_late = |owing: &&Owing<'a>| is_late(owing.seat, game.rules, standing);
    verdict.late = game.owing.iter().filter(is_late).map(|owing| owing.power).collect();
    let complete = verdict.late.is_empty();
    if standing.over && !game.rules.civil_preview {
        verdict.delay = 0;
    }
    verdict.action = if verdict.delay > 0 {
        verdict.delay -= 1;
        Action::Delay
    } else if standing.over && !complete {
        verdict.state = GameState::Waiting;
        if game.rules.civil_preview {
            verdict.delay = PREVIEW_DELAY;
            Action::Preview
        } else {
            verdict.dismissed = to_dismiss(game, standing);
            Action::Dismiss
        }
    } else if complete && (standing.past || !game.is_held_back()) {
        if game.rules.preview {
            verdict.delay = PREVIEW_DELAY;
            Action::Preview
        } else {
            Action::Process
        }
    } else if standing.past {
        verdict.delay = LATE_DELAY;
        Action::LateNotice
    } else {
        let somebody = !complete || game.keyword == PhaseKeyword::Wait;
        verdict.warn = game.warn_due().filter(|_| somebody);
        if verdict.warn.is_some() { Action::Remind } else { Action::Idle }
    };
    verdict
}

/// The late powers, a late vassal's controller in its place; each once, vacant seats left out.
fn to_dismiss<'a>(game: &GameClock<'a>, standing: Standing) -> Vec<&'a str> {
    let mut dismissed = Vec::new();
    for owing in game.owing.iter().filter(|owing| is_late(owing.seat, game.rules, standing)) {
        let power = match owing.seat {
            Seat::Resigned | Seat::Vassal(_, Controller::Resigned | Controller::Master) => continue,
            Seat::Vassal(controller, _) => controller,
            Seat::Player | Seat::Dummy => owing.power,
        };
        if !dismissed.contains(&power) {
            dismissed.push(power);
        }
    }
    dismissed
}

/// What an accepted submission does to the clock (clock.md 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterEntry {
    /// Process now.
    Process,
    /// Results to the Master only, now (PREVIEW).
    Preview,
    /// DELAY becomes this.
    Delay(u8),
    /// DELAY stays.
    Keep,
}

/// What an accepted submission does to the clock; the game is given as it is with the new orders.
pub fn after_entry(game: &GameClock) -> AfterEntry {
    if !game.is_ready() {
        AfterEntry::Keep
    } else if game.rules.no_deadline || game.rules.real_time {
        if game.rules.preview { AfterEntry::Preview } else { AfterEntry::Process }
    } else {
        AfterEntry::Delay(u8::from(!game.standing().past))
    }
}

/// Who gets a late notice beside the late powers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateAudience {
    /// All powers that are neither dummy nor resigned, the Master, omniscients.
    pub everybody: bool,
    /// The Master.
    pub master: bool,
}

/// Who gets a late notice now: everybody soon after the deadline, later only the late powers and, once a day, the
/// Master (clock.md 10). The days are counted from the deadline: of the notices of one day, which lie at least
/// [`LATE_DELAY`] checks apart, the Master gets the one that can only be the first.
pub fn late_audience(now: DateTime<Utc>, deadline: DateTime<Utc>) -> LateAudience {
    let everybody = now - deadline <= TimeDelta::minutes(EVERYBODY_MINUTES);
    let between = (i64::from(LATE_DELAY) + 1) * SLOT_MINUTES;
    let into_day = (now - deadline).num_minutes() % TimeDelta::days(1).num_minutes();
    LateAudience { everybody, master: everybody || into_day < between }
}

/// What happens to the late when grace ends, as the late notice announces it (clock.md 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Penalty {
    /// Their seats become vacant.
    Dismissal,
    /// Their missing orders are defaulted.
    CivilDisorder,
    /// Players are dismissed, the dummies they control fall into civil disorder.
    Both,
    /// The Master decides, with a preview before him.
    Preview,
}

/// The penalty, and how long after the deadline; `None` without GRACE.
pub fn penalty(rules: ClockRules, timing: &Timing) -> Option<(Penalty, Span)> {
    let penalty = match (rules.civil_preview, rules.civil_disorder, rules.cd_dummies) {
        (true, ..) => Penalty::Preview,
        (_, true, _) => Penalty::CivilDisorder,
        (_, _, true) => Penalty::Both,
        _ => Penalty::Dismissal,
    };
    timing.grace.map(|grace| (penalty, grace))
}

/// The penalty as a sentence of the late notice.
pub fn penalty_words((penalty, grace): (Penalty, Span)) -> String {
    let when = match grace.is_zero() {
        true => "at the deadline".to_owned(),
        false => format!("{} after the deadline", elapsed_words(grace.elapsed())),
    };
    match penalty {
        Penalty::Dismissal => format!("Players who are still late {when} are dismissed."),
        Penalty::CivilDisorder => format!("Powers that are still late {when} fall into civil disorder."),
        Penalty::Both => format!(
            "Players who are still late {when} are dismissed, and the dummies they control fall into civil disorder."
        ),
        Penalty::Preview => format!("If somebody is still late {when}, the game stops and the Master decides."),
    }
}

#[cfg(test)]
#[path = "tick_tests.rs"]
pub(super) mod tests;
