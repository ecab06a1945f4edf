//! The one door between a game and its pages (web.md WEB-010, WEB-011; notices.md 3; D8): what a stranger may not know
//! stays behind it. Whatever is not copied here cannot reach a page.

use super::banner::Words;
use super::view::{
    Broadcast, Card, GameView, Holding, Moment, Outcome, PhaseName, PhaseView, Picture, Position, Ready, Scope,
    SeatView, Told, Vacancy, Waiting, slug,
};
use super::{orders, press};
use crate::clock;
use crate::diplomacy::rules::Rule;
use crate::judge::post::and_list;
use crate::judge::settings;
use crate::judge::sight::{self, conceal_units, hides_builds, remove_units};
use crate::judge::table::{self, Table, is_dummy, is_vacant, title_case};
use crate::judge::{GameState, account, time};
use crate::status::{GameResult, ParticipantKind, PhaseKeyword, PhaseState, Vote};
use chrono::{DateTime, Utc};
use serde_json::Value;

/// What pages need besides the table. The table's `now` is the moment of the game's last change, not the wall clock:
/// the same archive gives the same pages (WEB-020).
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'a> {
    /// The `press` file.
    pub press: &'a str,
    /// Number of the last line of `audit.log`.
    pub seq: u64,
    /// Time of its first line.
    pub created: Option<DateTime<Utc>>,
    /// What the keeper says on every page.
    pub words: Words<'a>,
}

/// What lists and the head of the page show.
pub fn card(table: &Table, facts: &Facts) -> Card {
    let game = &table.game;
    let private = game.private.is_some() || table.index.private;
    let blind = table.rule(Rule::Blind) && !table.completed();
    let scope = if table.index.unlisted {
        Scope::Unlisted
    } else if private {
        Scope::Private
    } else if blind {
        Scope::Blind
    } else {
        Scope::Open
    };
    let bare = scope == Scope::Unlisted;
    let running = matches!(game.phase, PhaseState::Running(_)) && table.index.state != GameState::Terminated;
    let mut card = Card {
        game: game.name.clone(),
        variant: table.referee.variant().to_string(),
        map: table.referee.board().to_string(),
        state: table.index.state.word(),
        scope,
        private,
        listed: !bare && !matches!(table.index.state, GameState::Preparation | GameState::Terminated),
        phase: phase_name(table),
        deadline: table.deadline().filter(|_| running).map(|local| {
            let moment = clock::zone::resolve(table.zone(), local);
            let (long, short) = (clock::format::long(&moment), clock::format::short(&moment));
            Moment { iso: moment.to_rfc3339(), long, short }
        }),
        why: String::new(),
        zone: table.zone().name().to_string(),
        master: None,
        description: Vec::new(),
        origin: Vec::new(),
        locked: game.held.is_some() || table.index.held,
        ready: false,
        readiness: Vec::new(),
        unordered: Told::default(),
        waiting: Waiting::default(),
        late: Told::default(),
        openings: Vec::new(),
        places: 0,
        power_choice: table.rule(Rule::PowerChoice),
        press: String::new(),
        press_letters: String::new(),
        gunboat: table.rule(Rule::NoPress),
        rules: Vec::new(),
        timing: String::new(),
        players: 0,
        start: game.start.clone(),
        finish: game.finish.clone(),
        outcome: None,
        seq: facts.seq,
        changed: table.now,
        created: facts.created,
    };
    if bare {
        return card;
    }
    card.master = Some(table.master_name());
    card.description = game.desc.clone();
    card.origin = game.title.clone();
    card.press = settings::press_words(table);
    card.press_letters = settings::press_letters(&|rule| table.rule(rule));
    // EAVESDROP is never shown (rules.md 2.3).
    card.rules = game.rules.iter().filter(|r| *r != Rule::Eavesdrop.name()).cloned().collect();
    card.timing = time::policy(table);
    if card.deadline.is_some() {
        card.why = account::for_page(table);
    }
    card.players = game
        .participants
        .iter()
        .filter(|p| p.kind != ParticipantKind::Other("MONITOR".into()))
        .filter(|p| table::person(p).is_some())
        .count();
    if table.forming() && table.index.state == GameState::Forming {
        card.places = table.open_seats();
    }
    if running {
        let counted = scope == Scope::Open && !hides_builds(table);
        card.openings = game
            .need
            .iter()
            .map(|n| Vacancy {
                title: table.title_of_key(&n.power),
                power: n.power.clone(),
                units: n.units.filter(|_| counted),
                centers: n.centers.filter(|_| scope == Scope::Open),
            })
            .collect();
        readiness(table, &mut card);
    }
    card.outcome =
        game.result.as_ref().filter(|_| table.completed() && scope == Scope::Open).map(|r| outcome(table, r));
    card
}

fn phase_name(table: &Table) -> PhaseName {
    let abbr = table.phase();
    let name = match &table.game.phase {
        PhaseState::Forming => "Forming".into(),
        PhaseState::Completed => "Completed".into(),
        PhaseState::Running(text) => title_case(text),
    };
    let kind = match &table.game.phase {
        PhaseState::Running(_) => table.referee.phase_kind(&table.game).chars().take(1).collect(),
        _ => String::new(),
    };
    PhaseName { abbr, name, kind }
}

/// The readiness line and the three lists behind it (web.md A2.3).
fn readiness(table: &Table, card: &mut Card) {
    let titles = |keys: &[String]| keys.iter().map(|k| table.title_of_key(k)).collect::<Vec<_>>();
    let mut say = |code, text: String, powers: Vec<String>| card.readiness.push(Ready { code, text, powers });
    let owing = time::late(table);
    let waiting: Vec<String> = table.game.participants.iter().filter(|p| p.wait).map(|p| p.name.clone()).collect();
    let past = table.past_deadline();
    let plural = |n: usize, one: &str, many: &str| if n == 1 { one.to_string() } else { many.to_string() };
    let named = |rule| table.rule(rule);
    card.unordered = Told {
        count: (owing.is_empty() || named(Rule::ListUnordered)).then_some(owing.len()),
        powers: named(Rule::ListUnordered).then(|| owing.clone()),
    };
    card.waiting = Waiting { any: !waiting.is_empty(), powers: named(Rule::ListWaiters).then(|| waiting.clone()) };
    let late = if past { owing.clone() } else { Vec::new() };
    card.late = Told {
        count: (late.is_empty() || !named(Rule::HideLatePowers)).then_some(late.len()),
        powers: (late.is_empty() || !named(Rule::HideLatePowers)).then(|| late.clone()),
    };
    if !card.openings.is_empty() {
        let names: Vec<String> = card.openings.iter().map(Vacancy::words).collect();
        let powers = card.openings.iter().map(|o| o.title.clone()).collect();
        let text = format!("The game waits for a new player of {}.", and_list(&names));
        say("vacant", text, powers);
        return;
    }
    if table.game.keyword == PhaseKeyword::Wait {
        say("master", "The Master has to process this phase.".into(), Vec::new());
        return;
    }
    if !late.is_empty() {
        if table.rule(Rule::HideLatePowers) {
            say("late-some", "Somebody is late with orders.".into(), Vec::new());
        } else {
            let names = titles(&late);
            let text = format!("{} {} late with orders.", and_list(&names), plural(late.len(), "is", "are"));
            say("late-named", text, names);
        }
    }
    if !past && !waiting.is_empty() {
        if table.rule(Rule::ListWaiters) {
            let names = titles(&waiting);
            let text = format!("{} asked to wait for the deadline.", and_list(&names));
            say("wait-named", text, names);
        } else {
            say("wait-some", "Somebody asked to wait for the deadline.".into(), Vec::new());
        }
    }
    if !past && !owing.is_empty() {
        if table.rule(Rule::ListUnordered) {
            let names = titles(&owing);
            let text = format!("Orders are missing from {}.", and_list(&names));
            say("owe-named", text, names);
        } else {
            say("owe-some", "Orders are still missing.".into(), Vec::new());
        }
    }
    if owing.is_empty() && !card.locked {
        say("all-in", "All orders are in.".into(), Vec::new());
        card.ready = waiting.is_empty();
    }
}

fn outcome(table: &Table, result: &GameResult) -> Outcome {
    let names: Vec<String> = result.victors.iter().map(|k| table.title_of_key(k)).collect();
    let conceded = table.game.participants.iter().any(|p| p.vote == Some(Vote::Loss));
    let kind = match result.victors.len() {
        1 if conceded => "concession",
        1 => "solo",
        _ => "draw",
    };
    let how = match kind {
        "concession" => format!("Concession to {}", and_list(&names)),
        "solo" => format!("Solo victory by {}", and_list(&names)),
        _ => format!("{}-way draw between {}", names.len(), and_list(&names)),
    };
    Outcome {
        phase: result.phase.clone(),
        winners: result.victors.clone(),
        kind,
        words: format!("{how} in {}", result.phase),
    }
}

/// Everything the pages of one game show. `have` says whether a file lies in the tree already: pictures and pages of
/// phases long past are then left as they are.
pub fn game(table: &Table, facts: &Facts, have: &dyn Fn(&str) -> bool) -> GameView {
    let card = card(table, facts);
    let open = card.scope == Scope::Open;
    let revealed = open && table.completed() && !table.rule(Rule::NoReveal);
    let mut view = GameView {
        number: 0,
        seats: if card.scope == Scope::Unlisted { Vec::new() } else { seats(table, open, revealed) },
        position: None,
        now: Picture::None,
        phases: Vec::new(),
        broadcasts: Vec::new(),
        results: None,
        summary: None,
        revealed,
        card,
    };
    if !open {
        return view;
    }
    let records = table.records.phases();
    view.number = records.len() + usize::from(!table.forming() && !table.completed());
    if !table.forming() {
        let mut record = table.referee.record_now(&table.game);
        conceal_units(table, &mut record);
        view.position = Some(position(record.get("state"), &view.seats));
        view.now = table.referee.picture(&record, &table.look(false)).map_or(Picture::None, Picture::Drawn);
    }
    let count = records.len();
    for (n, record) in records.iter().enumerate() {
        // The last page but one gains a link to its successor; older ones are final once it has been published.
        let next = records.get(n + 1).and_then(|next| next["name"].as_str()).map(slug);
        let final_page = n + 2 < count && next.is_some_and(|next| have(&format!("p/{next}.html")));
        view.phases.push(phase(table, record, &view.seats, &|path| final_page && have(path)));
    }
    let entries = press::broadcasts(facts.press);
    let named = |key: &str| if key == "MASTER" { "the Master".into() } else { table.title_of_key(key) };
    view.broadcasts = entries
        .into_iter()
        .map(|b| Broadcast { phase: b.phase, from: b.from.map(|key| named(&key)), text: b.text })
        .collect();
    // A stranger's view while the game is blind; all of it when that is over.
    let results = sight::results(table, None);
    if !results.trim().is_empty() {
        view.results = Some(results);
    }
    if table.completed() {
        view.summary = table.referee.summary(&table.game, &sight::years(table, &records));
    }
    view
}

/// Seats in the order of the rules: names for everybody, the rest as the scope allows.
fn seats(table: &Table, open: bool, revealed: bool) -> Vec<SeatView> {
    let hide_dummies = table.rule(Rule::HideDummies) && !table.completed();
    let ranks = colours(table);
    let mut out = Vec::new();
    for (seat, colour) in table.referee.seats().iter().zip(ranks) {
        let participant = table.participant(&seat.key).map(|(_, p)| p);
        let mut shown = SeatView {
            name: seat.key.clone(),
            title: seat.title.clone(),
            abbrev: seat.letter,
            colour,
            seat: None,
            controller: None,
            centers: None,
            units: None,
            person: None,
        };
        if open && !table.forming() {
            let (units, centers) = table.referee.strength(&table.game, &seat.key);
            let hidden = participant.filter(|_| hides_builds(table)).map_or(0, |p| p.hides.len());
            shown.centers = Some(centers.into());
            shown.units = Some(usize::from(units).saturating_sub(hidden));
            shown.seat = Some(match participant {
                None => "dummy",
                Some(p) if is_vacant(p) => "vacant",
                Some(_) if table.referee.eliminated(&table.game, &seat.key) => "eliminated",
                Some(_) if hide_dummies => "played",
                Some(p) if !p.control.is_empty() => "controlled",
                Some(p) if is_dummy(p) => "dummy",
                Some(_) => "played",
            });
            if !hide_dummies {
                shown.controller = participant.and_then(|p| p.control.first()).map(|k| table.title_of_key(k));
            }
        }
        if revealed {
            shown.person = participant.and_then(table::person).map(|p| p.name.replace('_', " "));
        }
        out.push(shown);
    }
    out
}

/// The classical seven have their own colours; the others take what is left (map-drawing.md 5.3).
fn colours(table: &Table) -> Vec<usize> {
    const CLASSICAL: [&str; 7] = ["AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY"];
    let known = |key: &str| CLASSICAL.iter().position(|c| *c == key);
    let seats = table.referee.seats();
    let taken: Vec<usize> = seats.iter().filter_map(|s| known(&s.key)).collect();
    let mut free = (0..).filter(|rank| !taken.contains(rank));
    seats.iter().map(|s| known(&s.key).or_else(|| free.next()).unwrap_or(0)).collect()
}

fn phase(table: &Table, record: &Value, seats: &[SeatView], have: &dyn Fn(&str) -> bool) -> PhaseView {
    let text = |key: &str| record.get(key).and_then(Value::as_str).unwrap_or("").to_string();
    let abbr = text("name");
    let slug = slug(&abbr);
    let filed = have(&format!("p/{slug}.html"));
    let mut after = record.get("after").cloned().unwrap_or(Value::Null);
    // What was built hidden stays so on this page, whatever is known later.
    let mut shown = record.clone();
    for seat in seats {
        let hidden = sight::hidden_builds(record, &seat.name);
        remove_units(Some(&mut after), &seat.name, &hidden);
        sight::conceal_builds(&mut shown, &seat.name, &hidden);
    }
    let draw = |name: String, with_orders: bool| {
        if filed && have(&name) {
            return Picture::Filed;
        }
        table.referee.picture(&shown, &table.look(with_orders)).map_or(Picture::None, Picture::Drawn)
    };
    PhaseView {
        title: text("title"),
        orders: orders::of_phase(&shown, seats),
        before: position(shown.get("state"), seats),
        after: position(Some(&after), seats),
        report: sight::shown_to(&text("report"), (!sight::is_blind(table)).then_some("MASTER")),
        processed: record.get("processed").and_then(Value::as_str).map(str::to_string),
        picture: draw(format!("m/{slug}.svg"), false),
        moves: draw(format!("m/{slug}-orders.svg"), true),
        filed,
        name: PhaseName {
            name: orders::phase_words(&text("title"), &abbr),
            kind: abbr.chars().last().map(String::from).unwrap_or_default(),
            abbr,
        },
        slug,
    }
}

/// Units and centres of a state object (saved-game-json.md 1.2).
fn position(state: Option<&Value>, seats: &[SeatView]) -> Position {
    let list = |key: &str, power: &str| orders::strings(state.and_then(|s| s.get(key)).and_then(|m| m.get(power)));
    let holding = |(seat, view): (usize, &SeatView)| Holding {
        seat,
        units: list("units", &view.name).into_iter().filter(|u| !u.starts_with('*')).collect(),
        centers: {
            let mut centers = list("centers", &view.name);
            centers.sort();
            centers
        },
        retreats: state
            .and_then(|s| s.get("retreats"))
            .and_then(|r| r.get(&view.name))
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(unit, to)| (unit.clone(), orders::strings(Some(to))))
            .collect(),
    };
    Position(seats.iter().enumerate().map(holding).collect())
}
