//! A saved game as a game of this site (saved-game-json.md 5): the status files of all its phases. Seats are empty; what
//! was ordered and what came of it is told again by the referee.

use super::game::Seat;
use super::{press, rules};
use crate::archive::GameName;
use crate::clock;
use crate::diplomacy::adjudicate::case::Table;
use crate::diplomacy::map::Map;
use crate::diplomacy::notation;
use crate::diplomacy::rules::Rule;
use crate::diplomacy::saved_game::{COMPLETED, SavedError, SavedGame, SavedPhase, State, import_order};
use crate::judge::GameState;
use crate::status::{
    Document, Game, GameResult, Holder, Participant, PhaseState, PlayerLine, canonical, sort_participants,
};
use chrono::{DateTime, Utc};

/// How the game is wanted here.
#[derive(Clone, Debug)]
pub struct Wishes {
    /// Its name.
    pub name: GameName,
    /// Its Master.
    pub master: Seat,
    /// Under RULE OLD_JUDGE.
    pub old_judge: bool,
    /// RULE names nobody knows are left out.
    pub ignore_unknown_rules: bool,
    /// Its state; `None`: completed if it is over, else waiting.
    pub state: Option<GameState>,
    /// Whether its map is one on trial.
    pub trial: bool,
}

/// A phase that was played.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The game at its start, with the orders that can be read.
    pub game: Game,
    /// When it was processed.
    pub processed: DateTime<Utc>,
    /// Whether the file says so.
    pub dated: bool,
}

/// The game.
#[derive(Clone, Debug)]
pub struct Taken {
    /// State in the index.
    pub state: GameState,
    /// Every phase that was played.
    pub stages: Vec<Stage>,
    /// How it stands.
    pub now: Game,
    /// The `press` file.
    pub press: String,
    /// Its times.
    pub times: String,
    /// What was left out.
    pub notes: Vec<String>,
}

fn at(place: impl Into<String>, what: impl ToString) -> SavedError {
    SavedError::Content { place: place.into(), what: what.to_string() }
}

/// Takes a game over. `now` stands for every moment that the file does not tell.
pub fn take(saved: &SavedGame, table: &Table, wishes: &Wishes, now: DateTime<Utc>) -> Result<Taken, SavedError> {
    saved.check(table)?;
    let mut notes = Vec::new();
    let mut rules = rules::take(&saved.rules, wishes.ignore_unknown_rules, &mut notes)?;
    if wishes.old_judge && !rules.iter().any(|rule| rule == Rule::OldJudge.name()) {
        rules.push(Rule::OldJudge.name().to_owned());
    }
    let (Some(last), played) = (saved.phases.last(), saved.phases.len().saturating_sub(1)) else {
        return Err(at("phases", "empty"));
    };
    let over = last.name == COMPLETED;
    let state = wishes.state.unwrap_or(if over { GameState::Completed } else { GameState::Waiting });
    if over != (state == GameState::Completed) {
        return Err(at("--state", format!("the last phase is {}: the game cannot be {}", last.name, state.word())));
    }
    let moment = |phase: &SavedPhase| phase.state.timestamp.and_then(DateTime::<Utc>::from_timestamp_micros);
    let dates: Vec<DateTime<Utc>> = saved.phases[..played].iter().filter_map(moment).collect();
    let date = |time: Option<&DateTime<Utc>>| time.map(|time| clock::format::date(time.date_naive()));
    let base = Game {
        name: wishes.name.to_string(),
        map: saved.map.clone(),
        trial: wishes.trial,
        master: Some(PlayerLine::new(wishes.master.person.clone())),
        address: vec![wishes.master.address.clone()],
        rules,
        desc: vec!["Imported from a saved game.".to_owned()],
        start: date(dates.first()),
        ..Game::default()
    };
    let mut stages = Vec::new();
    for (index, phase) in saved.phases[..played].iter().enumerate() {
        let processed = moment(phase).unwrap_or(now);
        let mut game = Game { deadline: Some(processed.naive_utc()), ..standing(&base, table, phase) };
        orders(&mut game, saved, index, table);
        stages.push(Stage { game: kept(game, index)?, processed, dated: moment(phase).is_some() });
    }
    let mut end = standing(&base, table, last);
    if over {
        end.phase = PhaseState::Completed;
        end.result = Some(result(saved, table, last));
        end.finish = date(dates.last());
    }
    if table.map.rotate.is_some() && table.map.powers.iter().any(|power| power.control.len() > 1) {
        notes.push("the map's ROTATE: who runs a dummy is as at the beginning".to_owned());
    }
    let (press, times) = press_of(saved, &table.map, wishes, &mut notes);
    Ok(Taken { state, stages, now: kept(end, played)?, press, times, notes })
}

/// The game with the position of a phase.
fn standing(base: &Game, table: &Table, phase: &SavedPhase) -> Game {
    let map = &table.map;
    let mut game = base.clone();
    if let Some(phase) = map.flow.parse_short(&phase.name) {
        game.phase = PhaseState::Running(phase.to_string());
    }
    for power in &map.powers {
        let codes = power.homes.iter().map(|home| map[*home].code.clone());
        let list = |of: Option<&Vec<String>>| of.cloned().unwrap_or_default();
        let state = &phase.state;
        let units = list(state.units.get(&power.key));
        game.participants.push(Participant {
            name: power.key.clone(),
            player: Some(PlayerLine { current: Holder::Dummy, earlier: Vec::new() }),
            // The map says who runs its dummies, as where a game begins; a saved game tells no more.
            control: power.control.clone(),
            inhabits: Some(state.homes.get(&power.key).cloned().unwrap_or_else(|| codes.collect())),
            owns: list(state.centers.get(&power.key)),
            units: units.into_iter().filter(|unit| !unit.starts_with('*')).collect(),
            retreats: retreats(state, &power.key),
            ..Participant::default()
        });
    }
    sort_participants(&mut game);
    game
}

/// Dislodged units in the order of the file; some writers give the retreats only.
fn retreats(state: &State, power: &str) -> Vec<(String, Vec<String>)> {
    let open = state.retreats.get(power);
    let starred = state.units.get(power).into_iter().flatten().filter_map(|unit| unit.strip_prefix('*'));
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for unit in starred.chain(open.into_iter().flat_map(|open| &open.0).map(|(unit, _)| unit.as_str())) {
        if !all.iter().any(|(known, _)| known == unit) {
            all.push((unit.to_owned(), open.and_then(|open| open.get(unit)).cloned().unwrap_or_default()));
        }
    }
    all
}

/// Puts the orders on file that are orders of own units, the first of each unit; the others remain in the record alone.
fn orders(game: &mut Game, saved: &SavedGame, index: usize, table: &Table) {
    let letter = game.phase_letter().unwrap_or('M');
    let given = saved.case(index).map(|case| case.orders).unwrap_or_default();
    for p in &mut game.participants {
        let Some(lines) = given.get(&p.name).and_then(Option::as_ref) else { continue };
        let mut units: Vec<String> = Vec::new();
        let mut good: Vec<String> = Vec::new();
        for text in lines.iter().map(|line| import_order(table, letter, line)) {
            let Some(unit) = ordered(table, letter, &text) else { continue };
            let own = match letter {
                'M' => p.units.contains(&unit),
                'R' => p.retreats.iter().any(|(dislodged, _)| *dislodged == unit),
                _ => text.starts_with("BUILD") || p.units.contains(&unit),
            };
            if own && (unit == WAIVED || !units.contains(&unit)) {
                units.push(unit);
                good.push(text);
            }
        }
        if letter == 'M' {
            p.orders = Some(good);
        } else {
            p.adjust = good;
        }
    }
}

/// Stands for the unit of a build that was waived.
const WAIVED: &str = "WAIVED";

/// The unit of a canonical order.
fn ordered(table: &Table, letter: char, text: &str) -> Option<String> {
    let board = &table.board;
    match letter {
        'M' => notation::read_movement(board, text).map(|w| notation::unit(board, w.unit)),
        'R' => notation::read_retreat(board, text).map(|w| notation::unit(board, w.unit)),
        _ => notation::read_adjustment(board, text).map(|order| match order {
            notation::AdjustOrder::Build(unit) | notation::AdjustOrder::Remove(unit) => notation::unit(board, unit),
            notation::AdjustOrder::Waive => WAIVED.to_owned(),
        }),
    }
}

/// A game that its status file gives back as it is; anything else has a word in it that is none.
fn kept(game: Game, index: usize) -> Result<Game, SavedError> {
    let place = || format!("phases[{index}]");
    let document = Document::parse(canonical(&game).as_bytes()).map_err(|refused| at(place(), refused))?;
    if let Some(error) = document.diagnostics().iter().find(|d| d.is_error()) {
        return Err(at(place(), &error.text));
    }
    let stored = document.game();
    let differs = game.participants.iter().zip(&stored.participants).find(|(mine, stored)| mine != stored);
    match differs {
        Some((mine, _)) => Err(at(place(), format!("what {} has cannot be kept", mine.name))),
        None if stored.participants.len() != game.participants.len()
            || stored.master != game.master
            || stored.map != game.map =>
        {
            Err(at(place(), "cannot be kept"))
        }
        None => Ok(game),
    }
}

/// RESULT: as chancery wrote it; else whoever the note names; else the one who has what is needed, or all who have a
/// centre.
fn result(saved: &SavedGame, table: &Table, end: &SavedPhase) -> GameResult {
    let map = &table.map;
    let short = |name: &str| map.flow.parse_short(name).map(|phase| phase.short());
    if let Some((phase, victors)) = saved.chancery.as_ref().and_then(|c| c.result.as_ref()?.split_first()) {
        return GameResult { phase: short(phase).unwrap_or_default(), victors: victors.to_vec() };
    }
    let before = saved.phases.len().checked_sub(2).and_then(|at| saved.phases.get(at));
    let phase = before.and_then(|phase| short(&phase.name)).unwrap_or_else(|| map.begin.short());
    let words: Vec<String> =
        end.state.note.split(|c: char| !c.is_alphanumeric()).map(str::to_uppercase).filter(|w| !w.is_empty()).collect();
    let named: Vec<String> = map.powers.iter().map(|p| p.key.clone()).filter(|key| words.contains(key)).collect();
    let count = |key: &String| end.state.centers.get(key).map_or(0, Vec::len);
    let goal = map.victory.first().map_or(usize::MAX, |goal| usize::from(*goal));
    let mut ranked: Vec<String> = map.powers.iter().map(|p| p.key.clone()).filter(|key| count(key) > 0).collect();
    if ranked.is_empty() {
        ranked = map.powers.iter().map(|p| p.key.clone()).collect();
    }
    ranked.sort_by_key(|key| std::cmp::Reverse(count(key)));
    let victors = match ranked.as_slice() {
        _ if !named.is_empty() => named,
        [first, rest @ ..] if count(first) >= goal && rest.first().is_none_or(|next| count(next) < count(first)) => {
            vec![first.clone()]
        }
        _ => {
            ranked.sort();
            ranked
        }
    };
    GameResult { phase, victors }
}

/// The `press` file and the times of its entries.
fn press_of(saved: &SavedGame, map: &Map, wishes: &Wishes, notes: &mut Vec<String>) -> (String, String) {
    let (mut file, mut times, mut strange) = (String::new(), String::new(), 0);
    for phase in &saved.phases {
        let short = map.flow.parse_short(&phase.name).map_or_else(|| phase.name.clone(), |phase| phase.short());
        for message in &phase.messages {
            match press::filed(map, wishes.name.as_str(), &short, message) {
                Some(entry) => {
                    file += &entry;
                    times += &format!("{}\n", message.time_sent);
                }
                None => strange += 1,
            }
        }
    }
    if strange > 0 {
        notes.push(format!("{strange} messages are from or to nobody of the map; they are left out"));
    }
    (file, times)
}
