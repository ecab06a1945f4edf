//! What the judge shows on request: openings, one game, summary, history, map (mail-commands.md 3.9; notices.md N40–N44).

use super::code::{Code, Refusal, refuse};
use super::decision::{GameState, IndexLine};
use super::post::{subject_line, wrap};
use super::settings::{parameters, press_letters};
use super::sight;
use super::signon::SignedOn;
use super::table::{House, Table, Who};
use crate::diplomacy::rules::Rule;
use crate::mail::{Attachment, Letter, Scene};
use crate::status::{Game, Holder, ParticipantKind, PlayerLine};
use std::sync::Arc;

/// Whether LIST, SUMMARY, HISTORY and MAP may be answered without a sign-on, or to this one.
pub fn permitted(table: &Table, on: Option<&SignedOn>) -> Result<(), Refusal> {
    if on.is_some() {
        return Ok(());
    }
    if table.game.private.is_some() {
        // What is private is not told apart from what does not exist.
        return refuse(Code::BadLogin, "Sign on to see that game.");
    }
    if table.rule(Rule::Blind) && !table.completed() {
        return refuse(Code::Blind, "In a blind game you see only what your power sees: sign on first.");
    }
    Ok(())
}

fn letter(to: &str, notice: &str, game: Option<&str>, subject: String, text: String) -> Letter {
    Letter {
        to: to.into(),
        game: game.map(str::to_string),
        notice: notice.into(),
        subject,
        text,
        auto: crate::mail::Auto::Replied,
        ..Letter::default()
    }
}

/// N41.
pub fn game_list(table: &Table, to: &str, on: Option<&SignedOn>) -> Letter {
    let game = &table.game;
    let mut text = table.header();
    text += &format!("\nState: {}\n", table.index.state.word());
    if !table.forming() && !table.completed() {
        let owing = table.referee.owing(game);
        let waiting: Vec<String> = game.participants.iter().filter(|p| p.wait).map(|p| table.title_of(p)).collect();
        let names: Vec<String> = owing.iter().map(|k| table.title_of_key(k)).collect();
        text += &format!("Deadline: {}\n", table.deadline_long());
        text += &told("Orders are missing", &names, table.rule(Rule::ListUnordered));
        text += &told("Waiting for the deadline", &waiting, table.rule(Rule::ListWaiters));
    }
    if table.forming() {
        text += &format!("Open seats: {}\n", table.open_seats());
    }
    text += &parameters(table);
    text += "\nPlayers:\n";
    text += &roster(table);
    if !table.forming() {
        text += "\n";
        text += &sight::position_text(table, on.map(|on| &on.who));
    }
    if let Some(on) = on
        && !table.forming()
        && !table.completed()
        && table.is_power(&on.who)
    {
        text += &super::orders::sets(table, on);
    }
    let mut letter = letter(to, "N41", Some(&game.name), format!("List of game {}", game.name), text);
    letter.scene = sight::scene(table, on.map(|on| &on.who));
    letter
}

fn told(what: &str, names: &[String], by_name: bool) -> String {
    match (names.is_empty(), by_name) {
        (true, _) => format!("{what}: none.\n"),
        (false, true) => wrap(&format!("{what}: {}.", names.join(", ")), 72, 12) + "\n",
        (false, false) => format!("{what}: one or more powers.\n"),
    }
}

/// The roster without addresses; names only when the game is over (notices.md 3).
pub fn roster(table: &Table) -> String {
    seats(table, false)
}

/// The same with who came for whom, and when (notices.md 6).
fn roster_with_history(table: &Table) -> String {
    seats(table, true)
}

fn seats(table: &Table, history: bool) -> String {
    let mut text = String::new();
    for p in &table.game.participants {
        let kind = match &p.kind {
            ParticipantKind::Other(kind) => format!(" ({})", kind.to_lowercase()),
            _ => String::new(),
        };
        let now = p.player.as_ref().map_or_else(|| "-".into(), |line| called(table, &line.current));
        let (first, later) = match p.player.as_ref().filter(|_| history) {
            Some(line) if !line.earlier.is_empty() => held(table, line),
            _ => (now, Vec::new()),
        };
        text += &format!("  {:<16} {first}{kind}\n", table.title_of(p));
        for (phase, holder) in later {
            text += &format!("{:19}from {phase}: {holder}\n", "");
        }
    }
    text
}

/// Who held a seat at first, and from when on whoever came later.
fn held(table: &Table, line: &PlayerLine) -> (String, Vec<(String, String)>) {
    let mut holders = std::iter::once(&line.current).chain(line.earlier.iter().map(|(_, holder)| holder));
    let later =
        line.earlier.iter().zip(holders.by_ref()).map(|((phase, _), holder)| (phase.clone(), called(table, holder)));
    let mut later: Vec<(String, String)> = later.collect();
    later.reverse();
    let first = line.earlier.last().map_or(&line.current, |(_, holder)| holder);
    (called(table, first), later)
}

/// What may be said of whoever holds a seat.
fn called(table: &Table, holder: &Holder) -> String {
    let over = table.completed();
    match holder {
        Holder::Resigned => "vacant".into(),
        Holder::Dummy if !table.rule(Rule::HideDummies) || over => "dummy".into(),
        Holder::Person(person) if over && !table.rule(Rule::NoReveal) => person.name.replace('_', " "),
        _ => "-".into(),
    }
}

/// N42.
pub fn history(table: &Table, to: &str, on: Option<&SignedOn>, from: Option<&str>, until: Option<&str>) -> Letter {
    let results = sight::results(table, on.map(|on| &on.who));
    let text = match from {
        None => results,
        Some(from) => between(&results, from, until.unwrap_or(from)),
    };
    let text = if text.trim().is_empty() { "Nothing has been reported of this game yet.\n".into() } else { text };
    letter(to, "N42", Some(&table.game.name), format!("History of game {}", table.game.name), text)
}

/// The entries of a results file from one phase to another, both included.
fn between(results: &str, from: &str, until: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    let mut last = false;
    let mut head = String::new();
    for line in results.lines() {
        if line.starts_with("From ") {
            if last {
                break;
            }
            head = format!("{line}\n");
            continue;
        }
        if let Some(subject) = line.strip_prefix("Subject: ")
            && !head.is_empty()
        {
            let key = subject.split_whitespace().last().unwrap_or("");
            inside = inside || key == from;
            last = inside && key == until;
            if inside {
                out += &head;
            }
            head.clear();
        }
        if inside {
            out += line;
            out.push('\n');
        }
    }
    out
}

/// The summary (notices.md 6) from these records of finished phases, for the reader of a blind game.
pub fn summary_text(table: &Table, records: &[serde_json::Value], on: Option<&SignedOn>) -> String {
    let body = table
        .referee
        .summary(&table.game, &sight::counts(table, records, on.map(|on| &on.who)))
        .unwrap_or_else(|| "No centres have been counted in this game yet.\n".into());
    format!("{}\n{}\nPlayers:\n{}\n{body}", table.header(), parameters(table), roster_with_history(table))
}

/// N43.
pub fn summary(table: &Table, to: &str, on: Option<&SignedOn>) -> Letter {
    let text = summary_text(table, &table.records.phases(), on);
    letter(to, "N43", Some(&table.game.name), format!("Summary of game {}", table.game.name), text)
}

/// N44: the map now, or of a phase that was played with its orders, as its reader may see it: an SVG attached, a PNG to be
/// looked at.
pub fn map_letter(table: &Table, to: &str, on: Option<&SignedOn>, words: &[String]) -> Result<Letter, Refusal> {
    let mut asked = None;
    for word in words {
        match word.as_str() {
            "SVG" | "PNG" | "GIF" => {}
            game if game.eq_ignore_ascii_case(&table.game.name) => {}
            "PS" | "PDF" => return refuse(Code::NoMap, format!("No {word}: maps are sent as SVG and PNG.")),
            phase if asked.is_none() => asked = Some(phase),
            _ => return refuse(Code::Syntax, "Say MAP and the game, perhaps with a phase like S1901M."),
        }
    }
    let none = || Refusal { code: Code::NoMap, sentence: "There is no picture of this game.".into() };
    let scene = match asked {
        Some(phase) if phase != table.phase() => Some(scene_of(table, on, phase)?),
        _ => sight::scene(table, on.map(|on| &on.who)),
    };
    let scene = scene.filter(|_| !table.forming()).ok_or_else(none)?;
    let svg = table.referee.picture(&scene.record, &table.look(scene.orders)).ok_or_else(none)?;
    let phase = scene.record["name"].as_str().unwrap_or("map").to_string();
    let mut letter = letter(
        to,
        "N44",
        Some(&table.game.name),
        subject_line("Diplomacy SVG map", &table.game.name),
        format!("The map of game {}, {phase}, is attached.\nThe game's page: {}\n", table.game.name, table.game_url()),
    );
    letter.attachments.push(Attachment {
        name: format!("{}.{phase}.svg", table.game.name),
        mime: "image/svg+xml".into(),
        bytes: svg.into_bytes(),
        inline: None,
    });
    letter.scene = Some(scene);
    Ok(letter)
}

/// A phase that was played.
fn scene_of(table: &Table, on: Option<&SignedOn>, phase: &str) -> Result<Arc<Scene>, Refusal> {
    let all = on.is_some_and(|on| sight::sees_all(table, &on.who));
    if sight::is_blind(table) && !all {
        return refuse(Code::Blind, "In a blind game there are no maps of phases that are over.");
    }
    let records = table.records.phases();
    match records.iter().rev().find(|r| r["name"].as_str() == Some(phase)) {
        Some(record) => Ok(Arc::new(sight::played(table, record))),
        None => refuse(Code::NoMap, format!("{phase} is no phase that this game has played.")),
    }
}

/// One game in the openings list.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Its index line.
    pub index: IndexLine,
    /// Its status.
    pub game: Game,
    /// Short phase.
    pub phase: String,
    /// Open seats of a forming game.
    pub open: usize,
    /// Public name of the Master.
    pub master: String,
}

/// N27: a vacancy, for the openings list robot; nothing for games that stand in no list, and where there is no robot.
pub fn advert(table: &Table) -> Option<Letter> {
    let robot = table.house.openings.clone()?;
    if !is_opening(&table.index, &table.game) || table.game.tester.is_some() || table.forming() {
        return None;
    }
    let opening = Opening {
        index: table.index.clone(),
        game: table.game.clone(),
        phase: table.phase(),
        open: 0,
        master: table.master_name(),
    };
    let text = openings(table.house, &[opening], false);
    let to = [super::post::Recipient { address: robot, seat: None }];
    let mut letter = table.letters(&to, "N27", "", &text).pop()?;
    letter.subject = format!("DPjudge openings list ({})", table.house.id);
    letter.thread = None;
    Some(letter)
}

/// Whether a game stands in the openings list: waiting for players, public, not unlisted.
pub fn is_opening(index: &IndexLine, game: &Game) -> bool {
    !index.unlisted
        && !index.private
        && game.private.is_none()
        && (index.state == GameState::Forming || (index.state == GameState::Waiting && !game.need.is_empty()))
}

/// SEARCH: words of one kind are alternatives, kinds are combined (mail-commands.md 3.9).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    states: Vec<GameState>,
    /// Games whose status file has errors.
    faulty: bool,
    private: Option<bool>,
    variants: Vec<String>,
}

impl Search {
    /// Reads the words.
    pub fn read(words: &[String]) -> Result<Search, Refusal> {
        let mut search = Search::default();
        for word in words {
            match word.as_str() {
                "error" => search.faulty = true,
                "public" => search.private = Some(false),
                "private" => search.private = Some(true),
                // All that is found is listed.
                "listed" => {}
                "unlisted" => {
                    return refuse(Code::Syntax, "Games that stand in no list are shown to the judgekeeper only.");
                }
                "standard" | "payola" | "xtalball" => search.variants.push(word.clone()),
                other => match GameState::named(other) {
                    Some(state) => search.states.push(state),
                    None => {
                        return refuse(
                            Code::Syntax,
                            "SEARCH knows the words preparation, forming, active, waiting, completed, terminated, error, \
                             public, private and the names of the variants.",
                        );
                    }
                },
            }
        }
        Ok(search)
    }

    /// Whether a game is meant.
    pub fn finds(&self, index: &IndexLine, game: &Game, faulty: bool) -> bool {
        let private = index.private || game.private.is_some();
        let states = self.states.is_empty() && !self.faulty
            || self.states.contains(&index.state) && !faulty
            || self.faulty && faulty;
        !index.unlisted
            && states
            && self.private.is_none_or(|wanted| wanted == private)
            && (self.variants.is_empty() || self.variants.contains(&index.variant))
    }
}

/// The text of the openings list (notices.md 7): vacancies first, then forming games.
pub fn openings(house: &House, games: &[Opening], searched: bool) -> String {
    let mut text = format!(":: Judge: {}\n:: URL: {}\n", house.id, house.url);
    let mut games: Vec<&Opening> = games.iter().collect();
    games.sort_by_key(|o| (o.index.state == GameState::Forming, o.index.name.clone()));
    if games.is_empty() {
        let none = if searched { "No such games!" } else { "No game has room for a player at present." };
        return format!("{text}\n{none}\n");
    }
    for opening in games {
        let game = &opening.game;
        let press = press_letters(&|rule| game.rules.iter().any(|name| name == rule.name()));
        let variant = if opening.index.variant == "standard" {
            String::new()
        } else {
            format!(" {}", super::table::title_case(&opening.index.variant))
        };
        text += &format!(
            "\n{:<9} {:<9}{}{}{variant}, Moderated ({}), Press:{press}.\n{:20}URL: {}/game/{}\n",
            opening.index.name,
            opening.phase,
            if opening.index.private { "PRIVATE, " } else { "" },
            super::table::title_case(&game.map),
            opening.master,
            "",
            house.url,
            opening.index.name
        );
        if opening.index.state == GameState::Forming {
            let players = if opening.open == 1 { "player" } else { "players" };
            text += &format!(
                "{:20}To join, e-mail \"JOIN {} password\"\n{:21}Forming: {} more {players} needed.\n",
                "", game.name, "", opening.open
            );
        } else if !game.need.is_empty() {
            let size = |n: &crate::status::Need| match (n.units, n.centers) {
                (Some(u), Some(c)) => format!("{} ({u}/{c})", super::table::title_case(&n.power)),
                _ => format!("{} (?/?)", super::table::title_case(&n.power)),
            };
            let names: Vec<String> = game.need.iter().map(size).collect();
            text += &format!(
                "{:20}To play, e-mail \"TAKEOVER power@{} password\"\n{:21}Openings: {}\n",
                "",
                game.name,
                "",
                names.join(", ")
            );
        }
    }
    text
}

/// N40.
pub fn openings_letter(house: &House, games: &[Opening], to: &str, searched: bool) -> Letter {
    let what = if searched { "games" } else { "openings" };
    letter(to, "N40", None, format!("DPjudge {what} list ({})", house.id), openings(house, games, searched))
}

/// For whom a list is: the sender's own seat.
pub fn seat_of<'t>(table: &'t Table, who: &Who) -> Option<&'t crate::status::Participant> {
    match who {
        Who::Seat(n) => table.game.participants.get(*n),
        _ => None,
    }
}
