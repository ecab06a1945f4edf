//! `chancery adjudicate` as other programs use it (operations.md OPS-010).

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

fn adjudicate(more: &[&str], input: &[u8]) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_chancery"))
        .arg("adjudicate")
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let out = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(out.status.success());
    String::from_utf8(out.stdout).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn one(case: Value) -> Value {
    let answers = adjudicate(&[], format!("{case}\n").as_bytes());
    assert_eq!(answers.len(), 1);
    answers.into_iter().next().unwrap()
}

#[test]
fn every_case_in_order() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/cases");
    let mut input = String::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|e| e == "jsonl") {
            input.push_str(&std::fs::read_to_string(path).unwrap());
        }
    }
    let answers = adjudicate(&[], input.as_bytes());
    assert_eq!(answers.len(), 1293);
    for (line, answer) in input.lines().zip(&answers) {
        let case: Value = serde_json::from_str(line).unwrap();
        assert_eq!(case["id"], answer["id"]);
        let depends: Vec<&str> = case["depends"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        if depends.contains(&"4.A.3-no-fallback") || depends.contains(&"4.D.8") {
            continue;
        }
        for key in ["next_phase", "units", "dislodged", "centers", "builds", "destroyed"] {
            assert_eq!(case["expected"][key], answer[key], "{} {key}", case["id"]);
        }
        assert_eq!(answer.get("illegal"), None, "{}", case["id"]);
    }
}

/// A program that waits for each answer before it asks again gets it.
#[test]
fn a_dialogue() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_chancery"))
        .arg("adjudicate")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for id in 0..5 {
        let case = json!({"id": id, "phase": "S1901M", "units": {"FRANCE": ["A PAR"]}});
        writeln!(stdin, "{case}").unwrap();
        stdin.flush().unwrap();
        let answer: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
        assert_eq!(answer["id"], id);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn bad_lines_do_not_stop_it() {
    let good =
        json!({"id": 7, "phase": "S1901M", "units": {"FRANCE": ["A PAR"]}, "orders": {"FRANCE": ["A PAR - BUR"]}});
    let unknown = json!({"id": "m", "map": "atlantis", "phase": "S1901M"});
    let phase = json!({"id": "p", "phase": "X1901M"});
    let power = json!({"id": "q", "phase": "S1901M", "units": {"GAUL": ["A PAR"]}});
    let unit = json!({"id": "u", "phase": "S1901M", "units": {"FRANCE": ["A BRS"]}});
    let two = json!({"id": "t", "phase": "S1901M", "units": {"FRANCE": ["A PAR"], "GERMANY": ["A PAR"]}});
    let file = json!({"id": "f", "map": "/etc/passwd", "phase": "S1901M"});
    let text = format!("{{nonsense\n\n{good}\n[1]\n{unknown}\n{phase}\n{power}\n{unit}\n{two}\n{file}\n{good}");
    let mut input = text.into_bytes();
    input.extend_from_slice(b"\n\xff\xfe\n");
    let answers = adjudicate(&[], &input);
    let error = |at: usize| answers[at]["error"].as_str().unwrap_or_default().to_owned();
    assert_eq!(answers.len(), 11);
    assert!(error(0).starts_with("bad JSON: ") && answers[0]["id"].is_null());
    assert_eq!(answers[1]["units"]["FRANCE"], json!(["A BUR"]));
    assert_eq!(answers[1]["id"], 7);
    assert!(error(2).starts_with("bad JSON: "));
    assert_eq!(error(3), "unknown map: atlantis");
    assert_eq!((answers[3]["id"].as_str(), answers[3].get("units")), (Some("m"), None));
    assert_eq!(error(4), "bad phase: X1901M");
    assert_eq!(error(5), "unknown power: GAUL");
    assert_eq!(error(6), "INVALID UNIT: FRANCE: A BRS");
    assert_eq!(error(7), "TWO UNITS AT LOCATION: GERMANY: A PAR");
    assert_eq!(error(8), "unknown map: /etc/passwd");
    assert_eq!(answers[9], answers[1]);
    assert!(error(10).starts_with("bad JSON: "));
}

#[test]
fn orders_that_fail_are_ignored_and_listed() {
    let answer = one(json!({
        "id": 1, "phase": "S1901M",
        "units": {"FRANCE": ["A PAR", "A MAR"], "GERMANY": ["A MUN"]},
        "orders": {"FRANCE": ["A PAR - LON", "A MAR - SPA/NC", "A MUN - BUR", "gibberish", "A MAR H"]},
    }));
    assert_eq!(answer["units"]["FRANCE"], json!(["A PAR", "A SPA"]));
    assert_eq!(answer["illegal"], json!({"FRANCE": ["A PAR - LON", "A MUN - BUR", "gibberish", "A MAR H"]}));
    assert_eq!(answer["results"], json!({"A PAR": [], "A MAR": [], "A MUN": []}));
    assert_eq!(answer["next_phase"], "F1901M");
}

/// orders.md: any wording a player might use.
#[test]
fn orders_in_a_players_words() {
    let answer = one(json!({
        "id": 1, "phase": "S1901M",
        "units": {"AUSTRIA": ["A VIE", "A BUD", "F TRI"], "RUSSIA": ["F STP/SC"]},
        "orders": {"AUSTRIA": ["Austria: Army Vienna -> Galicia.", "bud to ser; trieste holds"], "RUSSIA": ["f stp bot"]},
    }));
    assert_eq!(answer.get("illegal"), None);
    assert_eq!(answer["units"]["AUSTRIA"], json!(["A GAL", "A SER", "F TRI"]));
    assert_eq!(answer["units"]["RUSSIA"], json!(["F BOT"]));
    let answer = one(json!({
        "id": 2, "phase": "S1901R", "units": {"RUSSIA": ["A MUN"]}, "dislodged": {"GERMANY": {"A MUN": ["RUH", "KIE"]}},
        "orders": {"GERMANY": ["munich retreats to the ruhr"]},
    }));
    assert_eq!((answer.get("illegal"), &answer["units"]["GERMANY"]), (None, &json!(["A RUH"])));
    let answer = one(json!({
        "id": 3, "phase": "W1901A", "units": {}, "centers": {"FRANCE": ["PAR", "BRE"]},
        "orders": {"FRANCE": ["build an army in paris", "one more would be nice", "waive"]},
    }));
    assert_eq!(answer["illegal"], json!({"FRANCE": ["one more would be nice"]}));
    assert_eq!(answer["units"]["FRANCE"], json!(["A PAR"]));
}

#[test]
fn too_many_builds_and_a_missing_removal() {
    let answer = one(json!({
        "id": 1, "phase": "W1901A",
        "units": {"FRANCE": ["A SPA"], "GERMANY": ["A MUN", "F NTH"]},
        "centers": {"FRANCE": ["BRE", "PAR"], "GERMANY": ["MUN"]},
        "orders": {"FRANCE": ["F BRE B", "BUILD A PAR"]},
    }));
    assert_eq!(answer["units"]["FRANCE"], json!(["A SPA", "F BRE"]));
    assert_eq!(answer["units"]["GERMANY"], json!(["A MUN"]));
    assert_eq!(answer["illegal"], json!({"FRANCE": ["BUILD A PAR"]}));
    assert_eq!(answer["next_phase"], "S1902M");
}

#[test]
fn the_map_and_rules_of_the_command_line() {
    let case = json!({"id": 1, "phase": "S1901M", "units": {"ENGLAND": ["A LON", "F NTH"]},
        "orders": {"ENGLAND": ["A LON - NWY", "F NTH C A LON - NWY"]}});
    let answer = adjudicate(&["--map", "standard", "--rules", "OLD_JUDGE"], format!("{case}\n").as_bytes());
    assert_eq!(answer[0]["illegal"], json!({"ENGLAND": ["A LON - NWY"]}));
    assert_eq!(adjudicate(&[], format!("{case}\n").as_bytes())[0]["units"]["ENGLAND"], json!(["A NWY", "F NTH"]));
}
