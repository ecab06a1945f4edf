//! Between a game and the clock: what the clock room needs to know of a game, and its answers in the game's words.

use super::table::Table;
use crate::clock::{self, AbsenceRefusal, Action, ClockRules, DeadlineRefusal, Query, Timing};
use crate::diplomacy::rules::Rules;
use crate::status::Game;
use chrono::{DateTime, NaiveDateTime, SubsecRound, Utc};
use chrono_tz::Tz;

/// The clock's rules among those in force.
pub fn clock_rules(rules: &Rules) -> ClockRules {
    ClockRules::from_names(rules.iter().map(|r| r.name()))
}

/// TIMING of a game; what is wrong in it keeps its default (the status check reports it).
pub fn timing(game: &Game) -> Timing {
    Timing::read(&game.timing).0
}

/// Long form of a wall-clock stamp: `Saturday 28 November 2026 20:00 GMT`.
pub fn long(local: NaiveDateTime, zone: Tz) -> String {
    clock::format::long(&clock::zone::resolve(zone, local))
}

/// Short form: `Sat 28 Nov 2026 20:00 GMT`.
pub fn short(local: NaiveDateTime, zone: Tz) -> String {
    clock::format::short(&clock::zone::resolve(zone, local))
}

/// The moment of a wall-clock stamp.
pub fn to_utc(local: NaiveDateTime, zone: Tz) -> DateTime<Utc> {
    clock::zone::resolve(zone, local).to_utc()
}

/// Sets the deadline of the phase that has just begun, and drops absences that are over (clock.md 4).
pub fn set_next_deadline(table: &mut Table, first: bool) -> Result<(), String> {
    let timing = timing(&table.game);
    let kind = table.referee.phase_kind(&table.game);
    let query = Query {
        // To the second, as it is filed: a replay comes to the same deadline.
        now: table.now.trunc_subsecs(0),
        zone: table.zone(),
        timing: &timing,
        phase: &kind,
        rules: clock_rules(&table.rules),
        first,
        previous: table.game.deadline,
    };
    let deadline = clock::explain_deadline(&query).map_err(|e| e.to_string())?;
    table.game.deadline = deadline.local;
    super::account::computed(table, &deadline.steps);
    clock::timing::set_absences(&mut table.game.timing, &deadline.absences);
    Ok(())
}

/// Where a deadline set now would fall, and why, in sentences (`clock explain`).
pub fn explain_next(table: &Table) -> Vec<String> {
    let timing = timing(&table.game);
    let kind = table.referee.phase_kind(&table.game);
    let query = Query {
        now: table.now,
        zone: table.zone(),
        timing: &timing,
        phase: &kind,
        rules: clock_rules(&table.rules),
        first: false,
        previous: table.game.deadline,
    };
    match clock::explain_deadline(&query) {
        Ok(deadline) => deadline.steps.iter().map(|step| step.to_string()).collect(),
        Err(error) => vec![error.to_string()],
    }
}

/// The deadlines of a game in words, for welcomes and lists: `3 days for movement, 1 day otherwise, at 20:00`.
pub fn policy(table: &Table) -> String {
    // SOLITAIRE brings the rule with it.
    if clock_rules(&table.rules).no_deadline {
        return "none".into();
    }
    let game = &table.game;
    let timing = timing(game);
    let (movement, _) = timing.delay("MOVEMENT");
    let (minor, _) = timing.delay("RETREATS");
    let mut text = if movement == minor {
        format!("{} a phase", movement.words())
    } else {
        format!("{} for movement, {} otherwise", movement.words(), minor.words())
    };
    if !timing.at.is_empty() {
        let times: Vec<String> = timing.at.iter().map(|t| t.format("%H:%M").to_string()).collect();
        text += &format!(", at {}", times.join(" or "));
    }
    if let Some(zone) = &game.zone {
        text += &format!(" ({zone})");
    }
    text
}

/// A span of TIMING in words: `2 days`.
pub fn span_words(text: &str) -> String {
    text.parse::<clock::Span>().map(|s| s.words()).unwrap_or_else(|_| text.to_string())
}

/// Replaces the value of a TIMING key, or adds it at the end.
pub fn put_timing(pairs: &mut Vec<(String, String)>, key: &str, value: &str) {
    match pairs.iter_mut().find(|(k, _)| k == key) {
        Some((_, old)) => *old = value.to_string(),
        None => pairs.push((key.to_string(), value.to_string())),
    }
}

/// Shows the clock this game as it is now.
pub fn with_clock<R>(
    table: &Table,
    previous_round: Option<DateTime<Utc>>,
    ask: impl FnOnce(&clock::tick::GameClock) -> R,
) -> R {
    use clock::tick::{GameClock, Owing};
    let timing = timing(&table.game);
    let keys = table.referee.owing(&table.game);
    let owing: Vec<Owing> = keys.iter().map(|key| Owing { power: key, seat: seat(table, key) }).collect();
    ask(&GameClock {
        now: table.now,
        previous_round,
        state: table.index.state,
        held: table.index.held || table.game.held.is_some(),
        errors: !table.errors.is_empty(),
        keyword: table.game.keyword,
        movement: clock::timing::is_movement(&table.referee.phase_kind(&table.game)),
        deadline: table.game.deadline.map(|d| to_utc(d, table.zone())),
        delay: table.game.delay,
        rules: clock_rules(&table.rules),
        timing: &timing,
        need: !table.game.need.is_empty(),
        owing: &owing,
        waiting: table.game.participants.iter().any(|p| p.wait),
    })
}

/// Who plays a power, as the clock asks (clock.md 9).
fn seat<'a>(table: &'a Table, key: &str) -> clock::tick::Seat<'a> {
    use clock::tick::{Controller, Seat};
    let Some((_, p)) = table.participant(key) else { return Seat::Dummy };
    if super::table::is_vacant(p) {
        return Seat::Resigned;
    }
    let Some(controller) = p.control.first() else {
        return if super::table::is_dummy(p) { Seat::Dummy } else { Seat::Player };
    };
    let played = match table.participant(controller) {
        None if controller == "MASTER" => Controller::Master,
        Some((_, c)) if super::table::is_vacant(c) => Controller::Resigned,
        Some((_, c)) if super::table::is_dummy(c) && c.control.is_empty() => Controller::Dummy,
        _ => Controller::Player,
    };
    Seat::Vassal(controller, played)
}

/// Powers that owe orders and are not exempt now.
pub fn late(table: &Table) -> Vec<String> {
    with_clock(table, None, |game| {
        let standing = game.standing();
        let late = game.owing.iter().filter(|o| clock::tick::is_late(o.seat, game.rules, standing));
        late.map(|o| o.power.to_string()).collect()
    })
}

/// SET DEADLINE: the new stamp, or why not, in a sentence.
pub fn set_deadline(table: &Table, text: &str, master: bool) -> Result<NaiveDateTime, String> {
    let timing = timing(&table.game);
    let rules = clock_rules(&table.rules);
    let asker = clock::date::Asker { master, running: !table.forming() && !table.completed(), rules };
    let query = clock::date::DateQuery {
        now: table.now,
        zone: table.zone(),
        at: &timing.at,
        current: table.game.deadline,
        real_time: rules.real_time,
        text,
    };
    clock::date::set_deadline(asker, &query).map_err(|refusal| {
        let advice = match &refusal {
            DeadlineRefusal::NoDeadline => "It plays without (RULE NO_DEADLINE).".to_owned(),
            DeadlineRefusal::MasterOnly | DeadlineRefusal::Inactive => String::new(),
            DeadlineRefusal::Bad => {
                "Write for instance SET DEADLINE 4 JAN 20:00, or +1D; a weekday has to be that of the date.".to_owned()
            }
            DeadlineRefusal::Past(_) => {
                format!("Now it is {}.", clock::format::long(&table.now.with_timezone(&table.zone())))
            }
            DeadlineRefusal::Shortened => format!("It is {} now; a later one will do.", table.deadline_long()),
        };
        format!("{refusal}. {advice}").trim_end().to_owned()
    })
}

/// A new absence: the value of NOT with it, and the period in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAbsence {
    /// NOT.
    pub not: String,
    /// `from 24 December 2026 until 2 January 2027`
    pub words: String,
    /// Whether the deadline that stands now falls into it.
    pub covers_deadline: bool,
}

/// SET ABSENCE.
pub fn set_absence(table: &Table, text: &str, master: bool) -> Result<NewAbsence, String> {
    let present = timing(&table.game).absences;
    let query = clock::set_absence::AbsenceQuery {
        now: table.now,
        zone: table.zone(),
        master,
        rules: clock_rules(&table.rules),
        existing: &present,
        text,
    };
    let absence = clock::set_absence::absence(&query).map_err(|refusal| {
        let advice = match refusal {
            AbsenceRefusal::MasterOnly => "",
            AbsenceRefusal::Bad => " Write for instance SET ABSENCE 24 DEC TO 2 JAN; a weekday has to be that of the date.",
            AbsenceRefusal::Duration if master => " It has to end in the future, and after its beginning.",
            AbsenceRefusal::Duration => {
                " It has to end in the future, after its beginning, and last 14 days at the most; a longer one only the Master can set."
            }
            AbsenceRefusal::TooShort => " Give a later end, or the day alone.",
            AbsenceRefusal::Duplicate => " That time is kept free of deadlines already.",
        };
        format!("{refusal}.{advice}")
    })?;
    let mut all = present;
    all.push(absence);
    let not = clock::absence::list_text(&all).unwrap_or_default();
    let grain = super::extend::grain(table);
    let start = super::time::timing(&table.game).start();
    let covers_deadline = table.deadline().is_some_and(|deadline| absence.blocks(deadline, grain, start));
    Ok(NewAbsence { not, words: absence.words(), covers_deadline })
}

/// Absences that are taken back: the value of NOT without them (`None`: nothing is left), and the periods in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revoked {
    /// NOT.
    pub not: Option<String>,
    /// `from 24 December 2026 until 2 January 2027`, each.
    pub words: Vec<String>,
}

/// SET NOABSENCE: the absence that these words would set, or that a day of theirs falls into; without words the only one.
pub fn revoke_absence(table: &Table, text: &str) -> Result<Revoked, String> {
    let all = timing(&table.game).absences;
    let listed = || super::post::and_list(&all.iter().map(|a| a.words()).collect::<Vec<_>>());
    let meant = |absence: &clock::absence::Absence| -> Result<bool, String> {
        if text.trim().is_empty() {
            return Ok(all.len() == 1);
        }
        let query = clock::set_absence::AbsenceQuery {
            now: table.now,
            zone: table.zone(),
            master: true,
            rules: clock_rules(&table.rules),
            existing: &[],
            text,
        };
        let said = clock::set_absence::absence(&query).map_err(|e| e.to_string())?;
        Ok(*absence == said || absence.covers(said.last().start()))
    };
    let mut kept = Vec::new();
    let mut words = Vec::new();
    for absence in &all {
        if meant(absence)? {
            words.push(absence.words());
        } else {
            kept.push(*absence);
        }
    }
    match (all.is_empty(), words.is_empty()) {
        (true, _) => Err("This game has no absences.".into()),
        (false, true) => Err(format!("Say which: SET NOABSENCE and a day of it. The game has absences {}.", listed())),
        (false, false) => Ok(Revoked { not: clock::absence::list_text(&kept), words }),
    }
}

/// What the clock would do with the game in a round held now, in a word (clock.md 3).
pub fn verdict_word(table: &Table, previous_round: Option<DateTime<Utc>>) -> &'static str {
    with_clock(table, previous_round, |game| clock::tick::tick(game).action.word())
}

/// The same as what completes the sentence "a round now would …".
pub fn verdict_words(table: &Table, previous_round: Option<DateTime<Utc>>) -> String {
    let because = |words: &str| match unready(table) {
        reasons if reasons.is_empty() => words.to_owned(),
        reasons => format!("{words}: {}", reasons.join("; ")),
    };
    with_clock(table, previous_round, |game| {
        let verdict = clock::tick::tick(game);
        let titles =
            |keys: &[&str]| super::post::and_list(&keys.iter().map(|key| table.title_of_key(key)).collect::<Vec<_>>());
        match verdict.action {
            Action::Ignore => because("leave the game alone"),
            Action::Idle => because("do nothing"),
            Action::Delay if verdict.delay == 0 => "pass over the game, and the next one not".to_owned(),
            Action::Delay => format!("pass over the game, as {} more will (DELAY)", verdict.delay),
            Action::Process => "process the phase".to_owned(),
            Action::Preview if verdict.state == game.state => "send the Master a preview of the results".to_owned(),
            Action::Preview => format!("stop the game, for {}, and send the Master a preview", titles(&verdict.late)),
            Action::Dismiss if verdict.dismissed.is_empty() => format!("stop the game, for {}", titles(&verdict.late)),
            Action::Dismiss => format!("take their seats from {}", titles(&verdict.dismissed)),
            Action::LateNotice if verdict.late.is_empty() => "send late notices".to_owned(),
            Action::LateNotice => format!("send late notices about {}", titles(&verdict.late)),
            Action::Remind if verdict.late.is_empty() => "remind the Master, whose phase it is (WAIT)".to_owned(),
            Action::Remind => format!("remind {}", titles(&verdict.late)),
        }
    })
}

/// Why the phase is not ready to be processed, in words; empty: it is (clock.md 3.1).
pub fn unready(table: &Table) -> Vec<String> {
    with_clock(table, None, |game| {
        if game.is_ready() {
            return Vec::new();
        }
        let mut reasons = Vec::new();
        let mut add = |holds: bool, reason: String| {
            if holds {
                reasons.push(reason);
            }
        };
        add(game.errors, "the status file has errors".into());
        add(game.state != super::GameState::Active, format!("the game is {}", game.state.word()));
        add(game.held, "it is held".into());
        add(game.keyword == crate::status::PhaseKeyword::Await, "it is locked (AWAIT)".into());
        let standing = game.standing();
        let late = game.owing.iter().filter(|o| clock::tick::is_late(o.seat, game.rules, standing));
        let owing: Vec<&str> = late.map(|o| o.power).collect();
        add(!owing.is_empty(), format!("orders are owed by {}", owing.join(", ")));
        add(game.keyword == crate::status::PhaseKeyword::Wait, "its Master processes this phase (WAIT)".into());
        let waits = game.is_held_back() && !standing.past && game.keyword != crate::status::PhaseKeyword::Wait;
        add(waits, "it waits for the deadline".into());
        reasons
    })
}
