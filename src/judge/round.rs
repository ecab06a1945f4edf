//! One check of one game (clock.md 3): what the deadline processor does to it now.

use super::account;
use super::decision::GameState;
use super::leaving;
use super::post::{Recipient, and_list, with_scene};
use super::process::{self, Cause};
use super::session::{Desk, Outcome};
use super::sight;
use super::signon::SignedOn;
use super::table::{Table, Who, is_dummy, is_vacant};
use super::time::NewAbsence;
use crate::clock::{self, daily::Reason, tick::Action};
use crate::diplomacy::rules::Rule;
use crate::status::{Omniscient, Participant, PhaseKeyword};

/// What the round knows besides the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// When the previous round was, if it was recent.
    pub previous: Option<chrono::DateTime<chrono::Utc>>,
    /// First check of the day: reminders to Masters.
    pub daily: bool,
    /// Nothing but the daily reminders: the game is not checked.
    pub only_daily: bool,
}

/// What the clock wants done, on its own: the verdict borrows nothing of the game.
struct Verdict {
    action: Action,
    delay: u8,
    state: GameState,
    dismissed: Vec<String>,
    warn: Option<clock::Span>,
}

/// What the clerk wants to know of a game before it is checked.
#[derive(Clone, Debug, Default)]
pub struct Outlook {
    /// Until when no round, daily reminders included, has anything to do with the game as it is; `None`: the next may.
    pub rest_until: Option<chrono::DateTime<chrono::Utc>>,
    /// The WARN entry for which a reminder is due: one reminder an entry (OPS-082).
    pub warning: Option<clock::Span>,
}

/// Looks at a game before it is checked.
pub fn outlook(table: &Table, round: Round) -> Outlook {
    let held = table.index.held || table.game.held.is_some();
    // Of a game that is not being played its Master hears every day, and who wants a digest of one that is.
    let digest = |p: &Participant| p.notify.as_ref().is_some_and(|words| words.iter().any(|word| word == "DIGEST"));
    let quiet = (held || table.index.state == GameState::Active) && !table.game.participants.iter().any(digest);
    super::time::with_clock(table, round.previous, |game| Outlook {
        rest_until: clock::rest_until(game).filter(|_| quiet),
        warning: clock::tick::tick(game).warn,
    })
}

/// Checks one game.
pub fn check(table: &mut Table, round: Round) -> Outcome {
    let (before, index) = (table.game.clone(), table.index.clone());
    // Whoever checks a game holds its lock: nobody else is adjudicating, whatever an old judge has left in the file.
    let stranded = table.game.keyword == PhaseKeyword::Await && table.errors.is_empty() && !round.only_daily;
    if stranded {
        table.game.keyword = PhaseKeyword::Phase;
    }
    let verdict = super::time::with_clock(table, round.previous, |game| {
        if round.only_daily {
            let (delay, state) = (game.delay, game.state);
            return Verdict { action: Action::Idle, delay, state, dismissed: Vec::new(), warn: None };
        }
        let verdict = clock::tick::tick(game);
        let dismissed = verdict.dismissed.iter().map(|k| k.to_string()).collect();
        Verdict { action: verdict.action, delay: verdict.delay, state: verdict.state, dismissed, warn: verdict.warn }
    });
    let old_phase = table.phase();
    let mut desk = Desk::new(table);
    let audit = match verdict.action {
        Action::Ignore | Action::Idle if stranded => "round: AWAIT read as PHASE".to_owned(),
        Action::Ignore | Action::Idle => String::new(),
        action => format!("round: {}", action.word()),
    };
    desk.table.game.delay = verdict.delay;
    match verdict.action {
        Action::Ignore | Action::Idle | Action::Delay => {}
        Action::Process => process::run(&mut desk, Cause::Clock),
        Action::Preview => {
            desk.table.index.state = verdict.state;
            process::preview(&mut desk);
        }
        Action::Dismiss => dismiss(&mut desk, &verdict.dismissed),
        Action::LateNotice => late_notice(&mut desk),
        // Whoever has just been told of a new deadline is not reminded of it (notices.md 8.5).
        Action::Remind if just_moved(desk.table, verdict.warn) => {}
        Action::Remind => remind(&mut desk),
    }
    if round.daily {
        super::wants::send_digests(&mut desk);
        daily(&mut desk);
    }
    let failed = verdict.action == Action::Process && desk.table.phase() == old_phase;
    let (outcome, audit) = if failed {
        ("failed", "round: the phase could not be processed".to_owned())
    } else {
        (verdict.action.word(), audit)
    };
    desk.reply.outcome = outcome.into();
    desk.close(&before, &index, audit)
}

/// Whether the deadline was moved less than the time ago that lies between reminder and deadline.
fn just_moved(table: &Table, lead: Option<clock::Span>) -> bool {
    let (Some(lead), Some(moved)) = (lead, account::moved_at(table)) else { return false };
    table.now - moved < lead.elapsed()
}

/// Step 9: the late are resigned (clock.md 11).
fn dismiss(desk: &mut Desk, keys: &[String]) {
    if keys.is_empty() {
        // Nobody has a seat to lose: a vacant one, or a dummy of the Master's, is late.
        desk.table.game.delay = 0;
        super::master::put_into(desk, GameState::Waiting);
        return;
    }
    let names: Vec<String> = keys.iter().map(|k| desk.table.title_of_key(k)).collect();
    let label = if names.len() == 1 { "Dismissed Power:" } else { "Dismissed Powers:" };
    let text = process::late_table(desk.table, label, &names);
    let letters = desk.table.letters(
        &desk.table.circle(super::post::Circle::Everyone),
        "N14",
        "Diplomacy player dismissal",
        &text,
    );
    desk.decision.letters.extend(letters);
    for key in keys {
        if let Some(n) = desk.table.seat_index(key) {
            leaving::resign(desk, n, leaving::By::Clock);
        }
    }
    desk.table.index.state = GameState::Waiting;
    desk.table.game.delay = 0;
}

/// Step 11 (clock.md 10): within 2 h 40 min of the deadline everybody, later only the late ones and the Master.
fn late_notice(desk: &mut Desk) {
    let table = &desk.table;
    let late = process::late(table);
    let names: Vec<String> = late.iter().map(|k| table.title_of_key(k)).collect();
    let Some(deadline) = table.deadline().map(|d| table.deadline_utc(d)) else { return };
    let audience = clock::tick::late_audience(table.now, deadline);
    let hidden = table.rule(Rule::HideLatePowers);
    let penalty = penalty(table);
    let late_seats: Vec<usize> = late.iter().filter_map(|k| answering(table, k)).collect();
    let late_boxes = table.recipients(&late_seats);
    let label_of = |names: &[String]| if names.len() == 1 { "Late Power:" } else { "Late Powers:" };
    let label = label_of(&names);
    let mut letters = Vec::new();
    for to in &late_boxes {
        let own: Vec<String> = match to.seat {
            // His own powers: a controller's late vassals among them.
            Some(n) if hidden => {
                late.iter().filter(|k| answering(table, k) == Some(n)).map(|k| table.title_of_key(k)).collect()
            }
            _ => names.clone(),
        };
        let text = process::late_table(table, label_of(&own), &own) + &penalty;
        letters.extend(table.letters(std::slice::from_ref(to), "N13", "Diplomacy deadline missed", &text));
    }
    let mut others: Vec<Recipient> = Vec::new();
    if audience.everybody {
        others.extend(table.recipients(&table.players()));
        for (n, p) in table.game.participants.iter().enumerate() {
            if p.omniscient != Omniscient::No {
                others.extend(table.recipients(&[n]));
            }
        }
    }
    others.retain(|r| !late_boxes.iter().any(|l| l.address == r.address));
    let text = if hidden {
        process::late_table(table, label, &[]) + "One or more powers are late.\n" + &penalty
    } else {
        process::late_table(table, label, &names) + &penalty
    };
    letters.extend(table.letters(&others, "N13", "Diplomacy late notice", &text));
    let text = process::late_table(table, label, &names) + &penalty;
    let masters: Vec<Recipient> =
        table.master_recipients().into_iter().filter(|m| !letters.iter().any(|l| l.to == m.address)).collect();
    if audience.master {
        letters.extend(table.letters(&masters, "N13", "Diplomacy late notice", &text));
    }
    desk.decision.letters.extend(letters);
}

fn penalty(table: &Table) -> String {
    let timing = super::time::timing(&table.game);
    match clock::tick::penalty(super::time::clock_rules(&table.rules), &timing) {
        Some(penalty) => format!("\n{}\n", clock::tick::penalty_words(penalty)),
        None => String::new(),
    }
}

/// Who answers for a late power: itself, or its controller.
fn answering(table: &Table, key: &str) -> Option<usize> {
    let n = table.seat_index(key)?;
    let p = &table.game.participants[n];
    match p.control.first() {
        Some(controller) if is_dummy(p) || p.address.is_empty() => table.seat_index(controller).or(Some(n)),
        _ => Some(n),
    }
}

/// Step 12: one mail to each mailbox that owes orders, naming all its powers.
fn remind(desk: &mut Desk) {
    let table = &desk.table;
    let mut letters = Vec::new();
    let mut boxes: Vec<(Recipient, Vec<String>)> = Vec::new();
    for key in process::late(table) {
        let Some(n) = table.seat_index(&key) else { continue };
        let to = match answering(table, &key) {
            Some(n)
                if !is_vacant(&table.game.participants[n])
                    && !table.addresses(&table.game.participants[n]).is_empty() =>
            {
                table.recipients(&[n])
            }
            _ => table.master_recipients(),
        };
        for recipient in to {
            match boxes.iter_mut().find(|(r, _)| r.address == recipient.address) {
                Some((_, names)) => names.push(table.title(&Who::Seat(n))),
                None => boxes.push((recipient, vec![table.title(&Who::Seat(n))])),
            }
        }
    }
    let scene = sight::scene_now(table);
    // A WAIT phase is the Master's own.
    let waits = table.game.keyword == PhaseKeyword::Wait;
    for to in table.master_recipients().into_iter().filter(|_| waits) {
        if !boxes.iter().any(|(there, _)| there.address == to.address) {
            boxes.push((to, Vec::new()));
        }
    }
    for (to, names) in boxes {
        let due = match names.as_slice() {
            [] => "The phase waits for its Master.".to_owned(),
            names => format!("Orders are due from {}.", and_list(names)),
        };
        let text = format!(
            "{}\nThe deadline of game {}, {}, is {}.\n{due}\n",
            table.header(),
            table.game.name,
            table.phase(),
            table.deadline_long()
        );
        let reminder = table.letters(std::slice::from_ref(&to), "N10", "Diplomacy deadline reminder", &text);
        letters.extend(with_scene(reminder, scene.clone()));
    }
    desk.decision.letters.extend(letters);
}

/// N11: an absence does not move the deadline that stands; who has no orders in for it is told so.
pub fn warn_of_absence(desk: &mut Desk, on: &SignedOn, new: &NewAbsence) {
    let table = &desk.table;
    let Who::Seat(n) = on.who else { return };
    let Some(p) = table.game.participants.get(n) else { return };
    let owes = |key: &String| *key == p.name || answering(table, key) == Some(n);
    if !new.covers_deadline || !table.referee.owing(&table.game).iter().any(owes) {
        return;
    }
    let text = format!(
        "{}\nThe deadline of game {}, {}, is {}.\nThat falls into your absence ({}), and orders are due from you.\nThe \
         deadline stays: send your orders before you leave.\n",
        table.header(),
        table.game.name,
        table.phase(),
        table.deadline_long(),
        new.words
    );
    let own = table.recipients(&[n]);
    let letters = with_scene(table.letters(&own, "N11", "Diplomacy deadline reminder", &text), sight::scene_now(table));
    desk.decision.letters.extend(letters);
}

/// Once a day (clock.md 12): faults, overdue games, games that look for players.
fn daily(desk: &mut Desk) {
    let table = &desk.table;
    let held = table.index.held || table.game.held.is_some();
    let deadline = table.deadline().map(|d| table.deadline_utc(d));
    let Some(due) = clock::daily::daily(table.index.state, held, !table.errors.is_empty(), deadline, table.now) else {
        return;
    };
    let game = &table.game.name;
    let days = deadline.map_or(0, |d| (table.now - d).num_days());
    let (notice, subject, text) = match due.reason {
        Reason::Errors => (
            "N38",
            "Diplomacy ERRORS",
            format!(
                "The status file of game {game} has errors; nothing is processed until they are mended.\n\n{}\n\n{}\n",
                table.errors.join("\n"),
                table.game_url()
            ),
        ),
        Reason::Overdue => ("N39", "Diplomacy game alert", format!("Game {game} is {days} days past its deadline.\n")),
        Reason::Idle(state) => {
            let needs = if table.forming() {
                format!("Open seats: {}.", table.open_seats())
            } else {
                let names: Vec<String> = table.game.need.iter().map(|n| table.title_of_key(&n.power)).collect();
                if names.is_empty() {
                    "Nobody is missing.".into()
                } else {
                    format!("Players are sought for {}.", and_list(&names))
                }
            };
            let text = format!("Game {game} is {}. {needs}\n{}\n", state.word(), table.game_url());
            ("N37", "Diplomacy game reminder", text)
        }
    };
    let mut to = if due.master { table.master_recipients() } else { Vec::new() };
    if due.keeper {
        to.extend(table.house.keepers.iter().map(|a| Recipient { address: a.clone(), seat: None }));
    }
    let mut letters = table.letters(&to, notice, subject, &text);
    if notice == "N37" {
        letters.extend(super::lists::advert(table));
    }
    desk.decision.letters.extend(letters);
}
