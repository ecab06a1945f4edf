//! CREATE: a new game from a mail (mail-commands.md 3.7). Everything is read first; on any error nothing is made.

use super::code::{Code, Refusal, refuse};
use super::commands::Line;
use super::decision::{GameState, IndexLine};
use super::session::Tools;
use super::signon::new_password;
use super::table::House;
use crate::status::{Game, Holder, PlayerLine};

/// How many games there are, for the limits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Census {
    /// Forming or in preparation.
    pub forming: usize,
    /// The same, of this Master.
    pub of_master: usize,
    /// Whether the name is taken.
    pub taken: bool,
}

/// What a status room makes of lines: the game, and faults with the line numbers of the mail.
pub type ReadLines = (Game, Vec<(usize, String)>);

/// A game to be made.
#[derive(Clone, Debug)]
pub struct Creation {
    /// Its status.
    pub game: Game,
    /// Its index line.
    pub index: IndexLine,
    /// Faults of the lines: number and sentence.
    pub faults: Vec<(usize, String)>,
}

/// Splits the lines of a CREATE into the text of a status file and the words FORM, SET UNLISTED. The text begins with
/// three lines of ours (GAME, PHASE, MAP default), so line n of it is line n - 3 of the list.
pub fn split(lines: &[Line]) -> (Vec<Line>, bool, bool) {
    let (mut form, mut unlisted) = (false, false);
    let mut kept = Vec::new();
    let mut open: Option<String> = None;
    for line in lines {
        let upper: Vec<String> = line.text.split_whitespace().map(str::to_uppercase).collect();
        let words: Vec<&str> = upper.iter().map(String::as_str).collect();
        match (&open, words.as_slice()) {
            (Some(key), ["END", word]) if word == key => {
                open = None;
                kept.push(line.clone());
            }
            (Some(_), _) => kept.push(line.clone()),
            (None, []) => {}
            (None, ["FORM" | "ACTIVATE"]) => form = true,
            (None, ["SET", "UNLISTED"]) => unlisted = true,
            // Set by the judge (3.7).
            (None, ["GAME" | "PHASE" | "MASTER", ..]) => {}
            (None, [word]) if ["DESC", "DESCRIPTION", "NAME", "MORPH"].contains(word) => {
                open = Some(word.to_string());
                kept.push(line.clone());
            }
            (None, _) => kept.push(line.clone()),
        }
    }
    (kept, form, unlisted)
}

/// Checks who may create what; the lines are read by the caller's `read` (the status room), which yields the game and the
/// faults with the line numbers of the mail.
#[allow(clippy::too_many_arguments)]
pub fn create(
    house: &House,
    tools: &Tools,
    census: Census,
    name: &str,
    password: &str,
    variant: &str,
    lines: &[Line],
    read: &dyn Fn(&str, &[Line]) -> ReadLines,
) -> Result<Creation, Refusal> {
    let Some(master) = tools.registry.person(&tools.sender.address, tools.sender.name.as_deref()) else {
        return refuse(
            Code::NotRegistered,
            "The judge does not know your address. Send REGISTER, Name: First Last, END first.",
        );
    };
    if census.taken {
        return refuse(Code::Syntax, format!("There is a game called {name} already; choose another name."));
    }
    if !["standard", "payola", "xtalball"].contains(&variant) {
        return refuse(Code::Syntax, format!("There is no variant {variant}: write standard, payola or xtalball."));
    }
    new_password(password)?;
    if house.create_limit > 0 && census.forming >= house.create_limit {
        return refuse(
            Code::Full,
            format!("{} games are forming here; no more are opened until some have begun.", census.forming),
        );
    }
    if house.create_limit_per_master > 0 && census.of_master >= house.create_limit_per_master {
        return refuse(
            Code::Full,
            format!("{} games of yours are forming; begin or purge one first.", census.of_master),
        );
    }
    let (kept, form, unlisted) = split(lines);
    let (mut game, mut faults) = read(variant, &kept);
    if game.participants.iter().any(|p| matches!(p.kind, crate::status::ParticipantKind::Waiting)) {
        faults.push((0, "Players join by mail; they cannot be written into CREATE.".into()));
    }
    game.name = name.to_string();
    game.master = Some(PlayerLine { current: Holder::Person(master), earlier: Vec::new() });
    if game.address.is_empty() {
        game.address = vec![tools.sender.address.clone()];
    }
    game.password = Some(tools.secrets.hash(password));
    if game.zone.is_none() && house.zone != chrono_tz::Tz::UTC && house.zone != chrono_tz::Tz::GMT {
        game.zone = Some(house.zone.name().to_string());
    }
    if game.desc.is_empty() {
        game.desc = vec![format!("A game of {} on the map {}.", house.nick, game.map)];
    }
    let index = IndexLine {
        name: name.to_string(),
        variant: variant.to_string(),
        state: if form { GameState::Forming } else { GameState::Preparation },
        private: game.private.is_some(),
        unlisted,
        ..IndexLine::default()
    };
    Ok(Creation { game, index, faults })
}
