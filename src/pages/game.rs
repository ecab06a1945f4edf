//! The files of one game (web.md B2).

use super::view::{Broadcast, Card, Fate, GameView, PhaseView, Picture, Position, Scope, SeatView};
use super::{Facts, Frame, feed, redact, render, status};
use crate::clock::format::rfc3339;
use crate::judge::table::Table;
use askama::Template;

/// The files that are wanted under `game/<game>/`.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// To be written, in the order of WEB-021: leaves first, the game page last.
    pub files: Vec<(String, Vec<u8>)>,
    /// Already there and still good. Whatever is in neither list is no longer wanted (WEB-022).
    pub kept: Vec<String>,
    /// For the lists of the house.
    pub card: Option<Card>,
}

#[derive(Template)]
#[template(path = "game.html")]
struct GamePage<'a> {
    frame: &'a Frame,
    card: &'a Card,
    seats: &'a [SeatView],
    position: &'a Option<Position>,
    picture: bool,
    last: Option<&'a PhaseView>,
    years: Vec<(String, Vec<&'a PhaseView>)>,
    summary: bool,
    results: bool,
    broadcasts: Vec<&'a Broadcast>,
    broadcast_count: usize,
    revealed: bool,
    bare: bool,
    changed: (String, String),
}

#[derive(Template)]
#[template(path = "phase.html")]
struct PhasePage<'a> {
    frame: &'a Frame,
    card: &'a Card,
    seats: &'a [SeatView],
    phase: &'a PhaseView,
    first: Option<&'a PhaseView>,
    prev: Option<&'a PhaseView>,
    next: Option<&'a PhaseView>,
}

#[derive(Template)]
#[template(path = "press.html")]
struct PressPage<'a> {
    frame: &'a Frame,
    card: &'a Card,
    broadcasts: Vec<&'a Broadcast>,
}

#[derive(Template)]
#[template(path = "summary.html")]
struct SummaryPage<'a> {
    frame: &'a Frame,
    card: &'a Card,
    seats: &'a [SeatView],
    text: &'a str,
    revealed: bool,
    statements: Vec<&'a Broadcast>,
}

impl PhaseView {
    /// `Spring Movement` out of `Spring 1901 Movement`, for lists by year.
    pub fn short(&self) -> String {
        let words: Vec<&str> = self.name.name.split(' ').filter(|w| !w.bytes().all(|b| b.is_ascii_digit())).collect();
        match words.as_slice() {
            [season, "Movement"] => season.to_string(),
            [season, kind] => format!("{season} {}", kind.to_lowercase()),
            _ => self.name.abbr.clone(),
        }
    }
    /// When it was processed, for people.
    pub fn processed_words(&self) -> String {
        let moment = self.processed.as_deref().and_then(|t| chrono::DateTime::parse_from_rfc3339(t).ok());
        moment.map(|t| t.to_utc().format("%A %-d %B %Y %H:%M UTC").to_string()).unwrap_or_default()
    }
    fn year(&self) -> String {
        self.name.abbr.chars().filter(char::is_ascii_digit).collect()
    }
}

/// All files of a game, paths under the web directory. `have` says whether such a path is there already; pages and
/// pictures of phases that cannot change any more are then neither drawn nor written. After a roll back the caller says
/// `false` to everything. A game in preparation has no page.
pub fn game_files(table: &Table, facts: &Facts, have: &dyn Fn(&str) -> bool) -> Tree {
    if table.index.state.word() == "preparation" {
        return Tree::default();
    }
    let root = format!("game/{}/", table.game.name);
    let view = redact::game(table, facts, &|path| have(&format!("{root}{path}")));
    let frame = Frame::of(table.house).with_banner(facts.banner);
    let mut tree = Tree::default();
    for (path, bytes) in files(&view, &frame, &mut tree.kept) {
        tree.files.push((format!("{root}{path}"), bytes));
    }
    for kept in &mut tree.kept {
        *kept = format!("{root}{kept}");
    }
    tree.card = Some(view.card);
    tree
}

/// What lists show of a game; a game in preparation stands in none.
pub fn card(table: &Table, facts: &Facts) -> Option<Card> {
    (table.index.state.word() != "preparation").then(|| redact::card(table, facts))
}

fn picture(picture: &Picture, path: String, files: &mut Vec<(String, Vec<u8>)>, kept: &mut Vec<String>) {
    match picture {
        Picture::None => {}
        Picture::Filed => kept.push(path),
        Picture::Drawn(svg) => files.push((path, svg.clone().into_bytes())),
    }
}

/// The files made from a view.
pub fn files(view: &GameView, frame: &Frame, kept: &mut Vec<String>) -> Vec<(String, Vec<u8>)> {
    let card = &view.card;
    let mut files = Vec::new();
    let phases = &view.phases;
    for (n, phase) in phases.iter().enumerate() {
        picture(&phase.picture, format!("m/{}.svg", phase.slug), &mut files, kept);
        picture(&phase.moves, format!("m/{}-orders.svg", phase.slug), &mut files, kept);
        let path = format!("p/{}.html", phase.slug);
        if phase.filed {
            kept.push(path);
            continue;
        }
        let page = PhasePage {
            frame,
            card,
            seats: &view.seats,
            phase,
            first: phases.first().filter(|_| n > 1),
            prev: n.checked_sub(1).and_then(|p| phases.get(p)),
            next: phases.get(n + 1),
        };
        files.push((path, render(&page)));
    }
    // The position after the last phase goes by the name of the phase that follows.
    picture(&view.now, format!("m/{}.svg", super::view::slug(&card.phase.abbr)), &mut files, kept);
    picture(&view.now, "m/now.svg".into(), &mut files, kept);
    if let Some(results) = &view.results {
        files.push(("results.txt".into(), results.clone().into_bytes()));
    }
    if card.scope == Scope::Open {
        let broadcasts = view.broadcasts.iter().rev().collect();
        files.push(("press.html".into(), render(&PressPage { frame, card, broadcasts })));
    }
    if let Some(text) = &view.summary {
        let statements = view.broadcasts.iter().filter(|b| b.phase == "COMPLETED").collect();
        let page = SummaryPage { frame, card, seats: &view.seats, text, revealed: view.revealed, statements };
        files.push(("summary.html".into(), render(&page)));
    }
    files.push(("status.json".into(), status::game(view, frame)));
    files.push(("feed.atom".into(), feed::game(view, frame)));
    let mut years: Vec<(String, Vec<&PhaseView>)> = Vec::new();
    for phase in phases {
        match years.last_mut() {
            Some((year, list)) if *year == phase.year() => list.push(phase),
            _ => years.push((phase.year(), vec![phase])),
        }
    }
    let page = GamePage {
        frame,
        card,
        seats: &view.seats,
        position: &view.position,
        picture: view.now.exists(),
        last: phases.last(),
        years,
        summary: view.summary.is_some(),
        results: view.results.is_some(),
        broadcasts: view.broadcasts.iter().rev().take(3).collect(),
        broadcast_count: view.broadcasts.len(),
        revealed: view.revealed,
        bare: card.scope == Scope::Unlisted,
        changed: (rfc3339(&card.changed), card.changed.format("%-d %B %Y %H:%M UTC").to_string()),
    };
    files.push(("index.html".into(), render(&page)));
    files
}
