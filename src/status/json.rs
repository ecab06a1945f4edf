//! A game as JSON (operations.md OPS-015): keys are the directive names in lower case, absent when the directive is.

use super::document::Document;
use super::lexis::stamp_text;
use super::model::{Game, Omniscient, Participant, ParticipantKind, PhaseKeyword, PhaseState};
use super::{Diagnostic, Severity};
use serde_json::{Map, Value, json};

/// Adds a value unless it says nothing.
fn put(out: &mut Map<String, Value>, key: &str, value: Value) {
    let empty = match &value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    };
    if !empty {
        out.insert(key.to_owned(), value);
    }
}

fn texts<T: ToString>(list: &[T]) -> Value {
    list.iter().map(|t| Value::String(t.to_string())).collect()
}

/// A line without what only the Master may read.
fn masked(line: &str, secrets: bool) -> String {
    for key in ["BAD PASSWORD: ", "PASSWORD "] {
        let hit = line.get(..key.len()).is_some_and(|start| start.eq_ignore_ascii_case(key));
        if hit && !secrets {
            return format!("{key}***");
        }
    }
    line.to_owned()
}

/// The object `{"game", "participants", "diagnostics"}`.
pub fn json<'a>(
    document: &Document,
    game: &Game,
    rules_effective: impl IntoIterator<Item = &'a str>,
    diagnostics: &[Diagnostic],
    secrets: bool,
) -> Value {
    let password = |p: &Option<String>| match p {
        Some(word) if secrets => json!(word),
        Some(_) => json!("***"),
        None => Value::Null,
    };
    let unknown = |who: Option<usize>| -> Value {
        document.unknown_lines(who).into_iter().map(|line| Value::String(masked(line, secrets))).collect()
    };
    let mut out = game_block(game);
    put(&mut out, "password", password(&game.password));
    out.insert("rules_effective".to_owned(), rules_effective.into_iter().collect());
    put(&mut out, "unknown", unknown(None));
    let participants: Vec<Value> = game
        .participants
        .iter()
        .enumerate()
        .map(|(at, who)| {
            let mut out = participant(who);
            put(&mut out, "password", password(&who.password));
            put(&mut out, "unknown", unknown(Some(at)));
            Value::Object(out)
        })
        .collect();
    let diagnostics: Vec<Value> = diagnostics
        .iter()
        .map(|d| {
            let severity = if d.severity == Severity::Error { "error" } else { "warning" };
            json!({"line": d.line, "severity": severity, "text": masked(&d.text, secrets)})
        })
        .collect();
    json!({"game": out, "participants": participants, "diagnostics": diagnostics})
}

fn game_block(game: &Game) -> Map<String, Value> {
    let mut out = Map::new();
    let put = &mut |key: &str, value: Value| put(&mut out, key, value);
    put("game", json!(game.name));
    let (phase, keyword) = match (&game.phase, game.keyword) {
        (PhaseState::Running(phase), _) if phase.is_empty() => (Value::Null, Value::Null),
        (phase, keyword) => {
            let phase = match phase {
                PhaseState::Forming => "FORMING",
                PhaseState::Completed => "COMPLETED",
                PhaseState::Running(phase) => phase,
            };
            let keyword = match keyword {
                PhaseKeyword::Phase => "PHASE",
                PhaseKeyword::Await => "AWAIT",
                PhaseKeyword::Wait => "WAIT",
                PhaseKeyword::Skip => "SKIP",
            };
            (json!(phase), json!(keyword))
        }
    };
    put("phase", phase);
    put("keyword", keyword);
    put("skip_slot", json!(game.skip_slot));
    put("judge", json!(game.judge));
    put("map", json!(game.map));
    put("trial", if game.trial { json!(game.map) } else { Value::Null });
    put("language", json!(game.language));
    put("morph", json!(game.morph));
    put("master", game.master.as_ref().map_or(Value::Null, |m| json!(m.to_string())));
    put("address", json!(game.address));
    put("tester", game.tester.as_ref().map_or(Value::Null, |t| json!(t.as_deref().unwrap_or_default())));
    put("groups", json!(game.groups));
    put("start", json!(game.start));
    put("finish", json!(game.finish));
    if let Some(result) = &game.result {
        put("result", std::iter::once(&result.phase).chain(&result.victors).cloned().collect());
    }
    put("need", texts(&game.need));
    put("desc", json!(game.desc));
    put("name", json!(game.title));
    put("private", json!(game.private));
    put("rotate", json!(game.rotate));
    put("rules", json!(game.rules));
    put("rules_off", json!(game.rules_off));
    put("allow", json!(game.allow));
    put("proposal", game.proposal.as_ref().map_or(Value::Null, |p| json!(format!("{} {}", p.result, p.proposer))));
    put("deadline", json!(game.deadline.as_ref().map(stamp_text)));
    put("zone", json!(game.zone));
    put("delay", if game.delay > 0 { json!(game.delay) } else { Value::Null });
    put("held", json!(game.held.as_ref().map(stamp_text)));
    put("timing", game.timing.iter().map(|(k, v)| json!([k, v])).collect());
    put("teams", json!(game.teams));
    for key in ["TAX", "CAP", "LOCKS"] {
        let values = game.variant_lines.iter().filter(|(k, _)| k == key).map(|(_, v)| json!(v));
        put(&key.to_lowercase(), values.collect());
    }
    put("signon", json!(game.signon));
    out
}

fn participant(who: &Participant) -> Map<String, Value> {
    let mut out = Map::new();
    let put = &mut |key: &str, value: Value| put(&mut out, key, value);
    let flag = |on: bool| if on { json!(true) } else { Value::Null };
    let kind = match &who.kind {
        ParticipantKind::Power | ParticipantKind::Waiting => "POWER",
        ParticipantKind::Other(kind) => kind,
    };
    put("type", json!(kind));
    put("name", json!(who.name));
    put("player", who.player.as_ref().map_or(Value::Null, |p| json!(p.to_string())));
    put("address", json!(who.address));
    put("control", json!(who.control));
    put("zone", json!(who.zone));
    put("notify", json!(who.notify));
    put("strict", flag(who.strict));
    put("prefer", json!(who.prefer));
    let omniscient = match who.omniscient {
        Omniscient::No => json!(0),
        Omniscient::Sees => json!(1),
        Omniscient::Hears => json!(2),
    };
    put("omniscient", omniscient);
    put("wait", flag(who.wait));
    put("cd", flag(who.cd));
    put("vote", who.vote.map_or(Value::Null, |v| json!(v.to_string())));
    put("msg", json!(who.msg));
    put("homes", json!(who.inhabits));
    put("owns", json!(who.owns));
    put("sees", json!(who.sees));
    put("hides", json!(who.hides));
    put("funds", json!(who.funds));
    put("retreats", Value::Object(who.retreats.iter().map(|(u, places)| (u.clone(), json!(places))).collect()));
    put("units", json!(who.units));
    put("adjust", json!(who.adjust));
    put("offers", json!(who.variant_lines));
    if let Some(orders) = &who.orders {
        // A list that is there and empty is something else than none.
        out.insert("orders".to_owned(), json!(orders));
    }
    if !who.lists.is_empty() {
        let lists = who.lists.iter().map(|(name, list)| (name.clone(), json!(list))).collect();
        out.insert("lists".to_owned(), Value::Object(lists));
    }
    out
}
