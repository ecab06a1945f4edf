//! Orders of finished phases, with what became of them in words (saved-game-json.md 1.1 and 2).

use super::view::{Fate, OrderView, PowerOrders, SeatView};
use serde_json::Value;

/// A list of strings.
pub fn strings(value: Option<&Value>) -> Vec<String> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(|v| v.as_str().map(str::to_string)).collect()
}

/// `Movement for Spring of 1901` → `Spring 1901 Movement`; what does not read so keeps its abbreviation.
pub fn phase_words(title: &str, abbr: &str) -> String {
    match title.split_once(" for ") {
        Some((kind, season)) => format!("{} {kind}", season.replacen(" of ", " ", 1)),
        None if title.is_empty() => abbr.to_string(),
        None => title.to_string(),
    }
}

fn given(record: &Value, power: &str) -> Vec<String> {
    let list = |key: &str| record.get(key).and_then(|g| g.get(power));
    match list("given") {
        Some(given) => strings(Some(given)),
        None => strings(list("orders")),
    }
}

/// The unit an order is for, as results name it.
fn unit(order: &str) -> String {
    let rest =
        ["RETREAT ", "DISBAND ", "BUILD ", "REMOVE "].iter().find_map(|w| order.strip_prefix(w)).unwrap_or(order);
    rest.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

/// What the order was, for the word of its success.
fn success(order: &str, kind: &str) -> &'static str {
    let words: Vec<&str> = order.split(' ').collect();
    match words.as_slice() {
        ["RETREAT", ..] | [_, _, "R", ..] => "retreated",
        ["DISBAND", ..] => "disbanded",
        [_, _, "D"] if kind == "R" => "disbanded",
        ["REMOVE", ..] | [_, _, "D"] => "removed",
        ["BUILD", "HIDDEN"] => "hidden",
        ["BUILD", "WAIVED"] | ["WAIVE"] => "waived",
        ["BUILD", ..] | [_, _, "B"] => "built",
        [_, _, "-", ..] => "moved",
        [_, _, "S", ..] => "supported",
        [_, _, "C", ..] => "convoyed",
        [_, _, "H"] => "held",
        [_, _, "P", ..] => "handed over",
        _ => "done",
    }
}

fn outcome(order: &str, codes: &[String], kind: &str) -> (Fate, String) {
    if codes.is_empty() {
        return (Fate::Done, success(order, kind).into());
    }
    let word = |code: &String| {
        match code.as_str() {
            "bounce" => "bounced",
            "no convoy" => "had no convoy",
            "disrupted" => "convoy disrupted",
            "disband" => "destroyed",
            other => other,
        }
        .to_string()
    };
    let lost = codes.iter().any(|c| c == "dislodged" || c == "disband");
    let words = codes.iter().map(word).collect::<Vec<_>>().join(", ");
    (if lost { Fate::Lost } else { Fate::Failed }, words)
}

/// The orders of every seat that had any, or should have.
pub fn of_phase(record: &Value, seats: &[SeatView]) -> Vec<PowerOrders> {
    let kind =
        record.get("name").and_then(Value::as_str).and_then(|n| n.chars().last()).map(String::from).unwrap_or_default();
    let results = record.get("results");
    let mut out = Vec::new();
    for (seat, view) in seats.iter().enumerate() {
        let orders: Vec<OrderView> = given(record, &view.name)
            .into_iter()
            .map(|text| {
                let codes = strings(results.and_then(|r| r.get(unit(&text))));
                let (fate, words) = outcome(&text, &codes, &kind);
                OrderView { text, fate, words }
            })
            .collect();
        let sent = record.get("orders").and_then(|o| o.get(&view.name)).is_some_and(|o| !o.is_null());
        if !orders.is_empty() {
            out.push(PowerOrders { seat, sent, orders });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_in_words() {
        let none: &[String] = &[];
        assert_eq!(outcome("A VIE - GAL", none, "M"), (Fate::Done, "moved".into()));
        assert_eq!(outcome("A VIE - GAL", &["bounce".into()], "M"), (Fate::Failed, "bounced".into()));
        assert_eq!(outcome("A VIE H", &["dislodged".into()], "M"), (Fate::Lost, "dislodged".into()));
        assert_eq!(outcome("DISBAND A VIE", none, "R"), (Fate::Done, "disbanded".into()));
        assert_eq!(outcome("A ARM D", none, "A"), (Fate::Done, "removed".into()));
        assert_eq!(unit("RETREAT A MUN - RUH"), "A MUN");
        assert_eq!(phase_words("Movement for Spring of 1901", "S1901M"), "Spring 1901 Movement");
    }
}
