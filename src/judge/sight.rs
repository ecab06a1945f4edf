//! What of a position may be shown to whom (rules.md 2.8 HIDE_BUILDS; notices.md 3 BLIND). Pictures in mails, lists and
//! pages all pass through here before they are drawn or written.

use super::signon::SignedOn;
use super::table::{Table, Who};
use crate::diplomacy::rules::Rule;
use crate::mail::Scene;
use crate::status::{Game, PhaseState};
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

/// The position now as this reader may see it (`None`: a stranger); nothing, if that is nothing.
pub fn position(table: &Table, on: Option<&SignedOn>) -> Option<Value> {
    let mut record = table.referee.record_now(&table.game);
    let own: Vec<&str> = match on.map(|on| &on.who) {
        Some(Who::Master | Who::Keeper) => return Some(record),
        Some(Who::Seat(n)) => {
            let name = table.game.participants.get(*n).map(|p| p.name.as_str())?;
            let controlled = table.game.participants.iter().filter(|p| p.control.first().is_some_and(|c| c == name));
            std::iter::once(name).chain(controlled.map(|p| p.name.as_str())).collect()
        }
        None => Vec::new(),
    };
    if is_blind(table) {
        if own.is_empty() {
            return None;
        }
        // Whatever the rule variant shows besides, his own he sees in all of them.
        for key in ["units", "centers", "retreats", "homes"] {
            if let Some(Value::Object(all)) = record.get_mut("state").and_then(|s| s.get_mut(key)) {
                all.retain(|power, _| own.contains(&power.as_str()));
            }
        }
    } else if hides_builds(table) {
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
pub fn scene(table: &Table, on: Option<&SignedOn>) -> Option<Arc<Scene>> {
    if table.forming() || !table.referee.is_drawn() {
        return None;
    }
    let record = position(table, on)?;
    let phase = running_phase(&table.game);
    Some(Arc::new(Scene { record, orders: false, phase, morph: table.game.morph.clone() }))
}

/// The same for a mail to all.
pub fn scene_now(table: &Table) -> Option<Arc<Scene>> {
    scene(table, None)
}

/// The picture of a phase that has just been played, with its orders and what became of them, for its results; `table`
/// is the game as it was before.
pub fn scene_played(table: &Table, record: &Value) -> Option<Arc<Scene>> {
    if is_blind(table) || !table.referee.is_drawn() {
        return None;
    }
    let mut scene = played(table, record);
    // What was hidden before comes out with the results of the next movement.
    if table.referee.phase_kind(&table.game) != "MOVEMENT" {
        conceal_units(table, &mut scene.record);
    }
    Some(Arc::new(scene))
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
    Scene { record: shown, orders: true, phase: running_phase(&table.game), morph: table.game.morph.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
