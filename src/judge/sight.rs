//! What of a position may be shown to whom (rules.md 2.8 HIDE_BUILDS; notices.md 3 BLIND). Pictures in mails, lists and
//! pages all pass through here before they are drawn or written.

use super::post::{Circle, with_scene};
use super::table::{Table, Who};
use crate::diplomacy::rules::Rule;
use crate::mail::{Letter, Link, Scene};
use crate::status::{Game, Omniscient, ParticipantKind, PhaseState};
use serde_json::Value;
use std::sync::Arc;

/// Whether a power sees only its own view now.
pub fn is_blind(table: &Table) -> bool {
    table.rule(Rule::Blind) && !table.completed()
}

/// Whether some unit is still hidden: by HIDE_BUILDS, or because its home is a hidden one (orders.md 1).
pub fn hides_builds(table: &Table) -> bool {
    !table.completed() && (table.rule(Rule::HideBuilds) || table.game.participants.iter().any(|p| !p.hides.is_empty()))
}

/// Takes units out of a record of the position now that their builder still hides.
pub fn conceal_units(table: &Table, record: &mut Value) {
    if hides_builds(table) {
        for p in &table.game.participants {
            remove_units(record.get_mut("state"), &p.name, &p.hides);
        }
    }
}

/// Takes units of a power out of a state object (saved-game-json.md 1.2).
pub fn remove_units(state: Option<&mut Value>, power: &str, units: &[String]) {
    let list = state.and_then(|s| s.get_mut("units")).and_then(|u| u.get_mut(power)).and_then(Value::as_array_mut);
    if let Some(list) = list {
        list.retain(|u| !u.as_str().is_some_and(|u| units.iter().any(|h| h == u)));
    }
}

/// The game without the units that are still hidden, for lists of units that go to everybody.
pub fn shown_game(table: &Table) -> Game {
    let mut game = table.game.clone();
    if hides_builds(table) {
        for p in &mut game.participants {
            let hides = std::mem::take(&mut p.hides);
            p.units.retain(|u| !hides.contains(u));
        }
    }
    game
}

/// The name under which somebody reads what is not for everybody (variants.md 4.3): his power's, MASTER for those who see
/// all; none for who only watches.
pub fn reads_as<'t>(table: &'t Table, who: &Who) -> Option<&'t str> {
    match who {
        Who::Master | Who::Keeper => Some("MASTER"),
        Who::Seat(n) => {
            let p = table.game.participants.get(*n)?;
            match p.kind {
                _ if p.omniscient != Omniscient::No => Some("MASTER"),
                ParticipantKind::Power => Some(&p.name),
                _ => None,
            }
        }
    }
}

/// The lines of a report, or of a whole file of them, that a reader of that name may read; without their SHOW lines.
pub fn shown_to(text: &str, name: Option<&str>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut shown = true;
    for line in text.split_inclusive('\n') {
        match line.trim_end_matches('\n').strip_prefix("SHOW") {
            Some("") => shown = true,
            Some(names) if names.starts_with(' ') => {
                shown = name.is_some_and(|name| names.split_whitespace().any(|n| n == name));
            }
            _ => {
                // An entry of the results file begins anew.
                shown |= line.starts_with("From ");
                if shown {
                    out += line;
                }
            }
        }
    }
    out
}

/// The results file as that reader may see it (HISTORY, notices.md N42): all of it once the game is over.
pub fn results(table: &Table, who: Option<&Who>) -> String {
    let name = if is_blind(table) { who.and_then(|who| reads_as(table, who)) } else { Some("MASTER") };
    shown_to(&table.records.results(), name)
}

/// Whether all there is is somebody's to see.
pub fn sees_all(table: &Table, who: &Who) -> bool {
    reads_as(table, who) == Some("MASTER")
}

/// Units and ownership in words, as this reader may know them; empty where that is nothing.
pub fn position_text(table: &Table, who: Option<&Who>) -> String {
    if who.is_some_and(|who| sees_all(table, who)) {
        return table.referee.position_report(&table.game);
    }
    if !is_blind(table) {
        return table.referee.position_report(&shown_game(table));
    }
    let name = who.and_then(|who| reads_as(table, who));
    name.map_or_else(String::new, |name| table.referee.position_report_seen(&table.game, name))
}

/// How centres were owned, one record a year (notices.md 6): at the start, under the year before, and after each year that
/// was counted. The year that is being played is none of them, but the last year of a game that is over is.
pub fn years(table: &Table, records: &[Value]) -> Vec<Value> {
    let year = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>().parse::<i32>().ok();
    let of = |record: &Value| record["name"].as_str().and_then(year);
    let now = table.phase();
    let counted = |record: &Value| of(record) < year(&now) || now.ends_with('A') || table.completed();
    let first = records.first().cloned().or_else(|| (!table.forming()).then(|| table.referee.record_now(&table.game)));
    let start = first.and_then(|first| {
        let before = of(&first)? - 1;
        Some(serde_json::json!({ "name": format!("{before}"), "after": first.get("state")? }))
    });
    let mut years: Vec<Value> = start.into_iter().collect();
    for record in records.iter().filter(|record| counted(record)) {
        match years.last_mut().filter(|last| of(last) == of(record)) {
            Some(last) => *last = record.clone(),
            None => years.push(record.clone()),
        }
    }
    years
}

/// Records of phases for the table of centres: in a blind game a power counts only its own.
pub fn counts(table: &Table, records: &[Value], who: Option<&Who>) -> Vec<Value> {
    let mut records = years(table, records);
    let name = who.and_then(|who| reads_as(table, who));
    if is_blind(table) && name != Some("MASTER") {
        let own = |key: &str| {
            Some(key) == name
                || table
                    .game
                    .participants
                    .iter()
                    .any(|p| p.name == key && name.is_some() && p.control.first().map(String::as_str) == name)
        };
        for record in &mut records {
            if let Some(Value::Object(centers)) = record.get_mut("after").and_then(|a| a.get_mut("centers")) {
                centers.retain(|power, _| own(power));
            }
        }
    }
    records
}

/// The position now as this reader may see it (`None`: a stranger); nothing, if that is nothing.
pub fn position(table: &Table, who: Option<&Who>) -> Option<Value> {
    if who.is_some_and(|who| sees_all(table, who)) {
        return Some(table.referee.record_now(&table.game));
    }
    if is_blind(table) {
        return Some(table.referee.record_seen(&table.game, who.and_then(|who| reads_as(table, who))?));
    }
    let mut record = table.referee.record_now(&table.game);
    let own: Vec<&str> = match who {
        Some(Who::Seat(n)) => {
            let name = table.game.participants.get(*n).map(|p| p.name.as_str())?;
            let controlled = table.game.participants.iter().filter(|p| p.control.first().is_some_and(|c| c == name));
            std::iter::once(name).chain(controlled.map(|p| p.name.as_str())).collect()
        }
        _ => Vec::new(),
    };
    if hides_builds(table) {
        for p in table.game.participants.iter().filter(|p| !own.contains(&p.name.as_str())) {
            remove_units(record.get_mut("state"), &p.name, &p.hides);
        }
    }
    Some(record)
}

/// Units a power built under HIDE_BUILDS in that phase.
pub fn hidden_builds(record: &Value, power: &str) -> Vec<String> {
    let list = |key: &str| record.get(key).and_then(|g| g.get(power)).and_then(Value::as_array);
    let given = list("given").or_else(|| list("orders")).into_iter().flatten().filter_map(Value::as_str);
    given.filter_map(|o| o.strip_suffix(" HIDDEN").map(|o| o.strip_prefix("BUILD ").unwrap_or(o).to_string())).collect()
}

/// Takes the hidden builds of a power out of the phase: its orders, their results, the board afterwards.
pub fn conceal_builds(record: &mut Value, power: &str, hidden: &[String]) {
    if hidden.is_empty() {
        return;
    }
    let names = |order: &Value| order.as_str().is_some_and(|o| hidden.iter().any(|unit| o.contains(unit.as_str())));
    for key in ["given", "orders"] {
        let list = record.get_mut(key).and_then(|g| g.get_mut(power)).and_then(Value::as_array_mut);
        for order in list.into_iter().flatten() {
            if names(order) {
                *order = "BUILD HIDDEN".into();
            }
        }
    }
    if let Some(results) = record.get_mut("results").and_then(Value::as_object_mut) {
        results.retain(|unit, _| !hidden.contains(unit));
    }
    remove_units(record.get_mut("after"), power, hidden);
}

fn running_phase(game: &Game) -> Option<String> {
    match &game.phase {
        PhaseState::Running(phase) => Some(phase.clone()),
        _ => None,
    }
}

/// The picture of the position now as this reader may see it; none before the start, of a board that is not drawn, and
/// for strangers to a blind game.
pub fn scene(table: &Table, who: Option<&Who>) -> Option<Arc<Scene>> {
    if table.forming() || !table.referee.is_drawn() {
        return None;
    }
    let viewer = who.filter(|who| is_blind(table) && !sees_all(table, who));
    Some(Arc::new(framed(table, position(table, who)?, false, viewer)))
}

/// The same for a mail to all.
pub fn scene_now(table: &Table) -> Option<Arc<Scene>> {
    scene(table, None)
}

/// The picture of a phase that has just been played, with its orders and what became of them, for its results; `table`
/// is the game as it was before.
pub fn scene_played(table: &Table, record: &Value) -> Option<Arc<Scene>> {
    if !table.referee.is_drawn() {
        return None;
    }
    let mut scene = played(table, record);
    // What was hidden before comes out with the results of the next movement.
    if table.referee.phase_kind(&table.game) != "MOVEMENT" {
        conceal_units(table, &mut scene.record);
    }
    Some(Arc::new(scene))
}

/// Results (N17), to each what he may know of them: in a blind game his lines, and the board as he sees it now; the
/// picture of the phase only who sees all. The table is the game as it is afterwards.
pub fn tell_results(table: &Table, blind: bool, subject: &str, text: &str, scene: Option<Arc<Scene>>) -> Vec<Letter> {
    if !blind {
        let mut letters = with_scene(table.letters(&table.circle(Circle::Everyone), "N17", subject, text), scene);
        letters.iter_mut().for_each(|letter| letter.link = Some(Link::default()));
        return letters;
    }
    // Whoever tests a game gets one mail of each, with all in it.
    let readers = if table.game.tester.is_some() { table.master_recipients() } else { table.everyone_apart() };
    let mut letters = Vec::new();
    for reader in readers {
        let who = reader.seat.map_or(Who::Master, Who::Seat);
        let own = closed_up(&shown_to(text, reads_as(table, &who)));
        let picture = if sees_all(table, &who) { scene.clone() } else { scene_of(table, &who) };
        let name = reads_as(table, &who).unwrap_or_default().to_string();
        for mut letter in with_scene(table.letters(&[reader], "N17", subject, &own), picture) {
            letter.link = Some(Link { reader: name.clone(), ..Link::default() });
            letters.push(letter);
        }
    }
    let bulk = letters.len() > 1;
    letters.iter_mut().for_each(|letter| letter.bulk = bulk);
    letters
}

/// One blank line before what follows, whatever was left out last.
fn closed_up(text: &str) -> String {
    match ["\nThe next phase of ", "\nThe game is over."].iter().find_map(|words| text.rfind(words)) {
        Some(at) => format!("{}\n{}", text[..at].trim_end(), &text[at..]),
        None => text.to_owned(),
    }
}

/// The board of a blind game as one power sees it now, whether the game goes on or not.
fn scene_of(table: &Table, who: &Who) -> Option<Arc<Scene>> {
    let name = reads_as(table, who).filter(|_| table.referee.is_drawn())?;
    let record = table.referee.record_seen(&table.game, name);
    Some(Arc::new(framed(table, record, false, Some(who))))
}

/// A record as a picture of this game; `viewer`: as that one sees it.
fn framed(table: &Table, record: Value, orders: bool, viewer: Option<&Who>) -> Scene {
    let look = table.look(orders);
    Scene {
        record,
        orders,
        phase: running_phase(&table.game),
        morph: table.game.morph.clone(),
        viewer: viewer.map(|who| format!("as {} sees it", table.title(who))).unwrap_or_default(),
        dummies: look.dummies,
        rulers: look.rulers,
    }
}

/// A phase with its orders, without what was built hidden in it.
pub fn played(table: &Table, record: &Value) -> Scene {
    let mut shown = record.clone();
    for seat in table.referee.seats() {
        let hidden = hidden_builds(record, &seat.key);
        conceal_builds(&mut shown, &seat.key, &hidden);
    }
    if let Some(shown) = shown.as_object_mut() {
        // What no picture needs is not carried about.
        shown.retain(|key, _| matches!(key.as_str(), "name" | "title" | "state" | "results" | "given"));
    }
    framed(table, shown, true, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn everybody_reads_his_own_lines() {
        let text =
            "head\nSHOW FRANCE MASTER\nb\nSHOW MASTER GERMANY\nc\nSHOW\nfoot\nSHOWDOWN\nSHOW ITALY\nd\nFrom x\ne\n";
        assert_eq!(shown_to(text, Some("FRANCE")), "head\nb\nfoot\nSHOWDOWN\nFrom x\ne\n");
        assert_eq!(shown_to(text, Some("MASTER")), "head\nb\nc\nfoot\nSHOWDOWN\nFrom x\ne\n");
        assert_eq!(shown_to(text, None), "head\nfoot\nSHOWDOWN\nFrom x\ne\n");
    }

    #[test]
    fn hidden_builds_leave_no_trace() {
        let mut record = json!({
            "name": "W1901A",
            "given": {"FRANCE": ["BUILD F BRE HIDDEN", "BUILD A PAR"]},
            "orders": {"FRANCE": ["F BRE B", "A PAR B"]},
            "results": {"F BRE": [], "A PAR": []},
            "after": {"units": {"FRANCE": ["F BRE", "A PAR"]}},
        });
        let hidden = hidden_builds(&record, "FRANCE");
        assert_eq!(hidden, ["F BRE"]);
        conceal_builds(&mut record, "FRANCE", &hidden);
        assert!(!record.to_string().contains("F BRE"), "{record}");
        assert!(record.to_string().contains("A PAR"));
    }
}
