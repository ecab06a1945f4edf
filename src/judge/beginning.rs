//! The beginning of a game (status-file.md 10.5): seats are dealt, units set up, everybody is told.

use super::code::{Code, Refusal, refuse};
use super::decision::{FileEdit, GameState};
use super::post::{Circle, and_list, with_scene, wrap};
use super::process;
use super::session::Desk;
use super::sight;
use super::signon::SignedOn;
use super::table::{Table, Who};
use crate::diplomacy::rules::Rule;
use crate::status::ParticipantKind;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// PREFER under the rule PREFERENCES.
pub fn check_preference(table: &Table, on: &SignedOn, letters: &str) -> Result<(), Refusal> {
    let waiting = matches!(on.who, Who::Seat(n) if table.game.participants[n].kind == ParticipantKind::Waiting);
    if !table.rule(Rule::Preferences) || !waiting {
        return refuse(
            Code::Syntax,
            "Wishes for powers are asked for only in games with the rule PREFERENCES, before they begin.",
        );
    }
    match letters.chars().find(|c| !table.referee.seats().iter().any(|s| s.letter == Some(*c))) {
        Some(c) => refuse(Code::NoPower, format!("No power of this map has the letter {c}.")),
        None => Ok(()),
    }
}

/// The game begins (status-file.md 10.5): seats are dealt, units set up, everybody is told.
pub fn begin(desk: &mut Desk) -> Result<(), String> {
    let mut begun = desk.table.clone();
    set_up(&mut begun)?;
    *desk.table = begun;
    tell_beginning(desk);
    Ok(())
}

/// Whether the game could begin now; why not.
pub fn check(table: &Table) -> Result<(), String> {
    set_up(&mut table.clone())
}

/// On an error the table is of no more use.
fn set_up(table: &mut Table) -> Result<(), String> {
    if let Some(error) = table.errors.first() {
        return Err(format!("the status file has an error: {error}"));
    }
    if table
        .game
        .participants
        .iter()
        .filter(|p| matches!(p.kind, ParticipantKind::Waiting | ParticipantKind::Power))
        .count()
        == 0
        && !table.rule(Rule::Solitaire)
    {
        return Err("nobody has joined".into());
    }
    deal(table);
    table.referee.begin(&mut table.game)?;
    table.index.state = GameState::Active;
    table.game.start = Some(crate::clock::format::date(table.local_now().date()));
    process::next_deadline(table, true)
}

/// Waiting players get their seats: wishes first, where the rule asks for them, then by lot (10.5, step 5).
fn deal(table: &mut Table) {
    let taken: Vec<String> =
        table.game.participants.iter().filter(|p| p.kind == ParticipantKind::Power).map(|p| p.name.clone()).collect();
    let mut free: Vec<(String, Option<char>)> = table
        .referee
        .seats()
        .iter()
        .filter(|s| !s.dummy && !taken.contains(&s.key))
        .map(|s| (s.key.clone(), s.letter))
        .collect();
    let mut rng = ChaCha8Rng::seed_from_u64(table.seed);
    let mut waiting: Vec<usize> = (0..table.game.participants.len())
        .filter(|n| table.game.participants[*n].kind == ParticipantKind::Waiting)
        .collect();
    shuffle(&mut free, &mut rng);
    // Who chooses first is drawn too, so that joining early gives no power by right.
    shuffle(&mut waiting, &mut rng);
    for n in waiting {
        let wishes = if table.rules.has(Rule::Preferences) {
            table.game.participants[n].prefer.clone().unwrap_or_default()
        } else {
            String::new()
        };
        let at = wishes.chars().find_map(|c| free.iter().position(|(_, l)| *l == Some(c))).unwrap_or(0);
        if free.is_empty() {
            break;
        }
        let (key, _) = free.remove(at);
        let p = &mut table.game.participants[n];
        p.kind = ParticipantKind::Power;
        p.name = key;
        p.prefer = None;
    }
    if !free.is_empty() {
        let mut left: Vec<String> = free.into_iter().map(|(key, _)| key).collect();
        left.sort();
        table.game.morph.push(format!("UNPLAYED {}", left.join(" ")));
    }
}

fn shuffle<T>(list: &mut [T], rng: &mut ChaCha8Rng) {
    for n in (1..list.len()).rev() {
        let m = (rng.next_u64() % (n as u64 + 1)) as usize;
        list.swap(n, m);
    }
}

/// N05 to each player, N06 to all, and the start entry of the results file.
fn tell_beginning(desk: &mut Desk) {
    let table = &desk.table;
    let game = table.game.name.clone();
    let scene = sight::scene_now(table);
    let mut letters = Vec::new();
    for n in table.players() {
        let title = table.title(&Who::Seat(n));
        let text = format!(
            "You are {title} in game {game}.\n\nThe first deadline is {}.\nBegin your mails with SIGNON {}@{game} and your \
             password.\nThe game's page: {}\n",
            table.deadline_long(),
            table.game.participants[n].name,
            table.game_url()
        );
        let assignment = table.letters(&table.recipients(&[n]), "N05", "Diplomacy power assignment", &text);
        letters.extend(with_scene(assignment, scene.clone()));
    }
    let players: Vec<String> = table.players().iter().map(|n| table.title(&Who::Seat(*n))).collect();
    let text = format!(
        "{}\n{}\n\n{}\n\nThe first phase is {}.\nThe deadline for orders will be {}.\n",
        table.header(),
        wrap(&format!("Game {game} begins with {}.", and_list(&players)), 72, 0),
        table.referee.position_report(&table.game).trim_end(),
        table.referee.phase_title(&table.game),
        table.deadline_long()
    );
    let subject = format!("Diplomacy game {game} starting");
    letters.extend(with_scene(table.letters(&table.circle(Circle::Everyone), "N06", &subject, &text), scene));
    desk.decision.letters.extend(letters);
    process::file_report(desk, &subject, &text);
    let record = desk.table.referee.record_now(&desk.table.game);
    desk.decision.files.push(FileEdit::Replace("start.json".into(), format!("{record}\n")));
}
