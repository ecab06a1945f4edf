//! `chancery clock`: the vectors, and the contract of the stream verbs (operations.md 2.2, OPS-013).

use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Output, Stdio};

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/clock/vectors.json");

/// Runs `chancery clock` with this input.
fn clock(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_chancery"))
        .arg("clock")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    output
}

fn lines(output: &Output) -> Vec<Value> {
    assert!(output.status.success());
    String::from_utf8(output.stdout.clone()).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn all_vectors_pass() {
    for (verb, count) in [("next", 157), ("tick", 32), ("date", 19), ("absence", 12)] {
        let output = clock(&[verb, "--check", VECTORS], b"");
        assert_eq!(stdout(&output), format!("{count} passed, 0 failed\n"), "clock {verb}");
        assert!(output.status.success());
    }
}

#[test]
fn stream_answers_every_vector_in_order() {
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(VECTORS).unwrap()).unwrap();
    for (verb, list) in [("next", "deadline"), ("next", "deadline_fuzz"), ("tick", "tick"), ("absence", "absences")] {
        let entries = vectors[list].as_array().unwrap();
        let input: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
        let answers = lines(&clock(&[verb], input.as_bytes()));
        assert_eq!(answers.len(), entries.len());
        for (entry, answer) in entries.iter().zip(&answers) {
            let mut expected = entry["expect"].clone();
            expected["id"] = entry["id"].clone();
            assert_eq!(*answer, expected, "clock {verb}");
        }
    }
}

#[test]
fn bad_lines_are_answered_and_the_run_goes_on() {
    let input = br#"nonsense

{"id": 7, "now": "2024-07-10T12:40:00Z", "timing": "NEXT 1X", "phase": "SPRING 1901 MOVEMENT"}
{"id": "z", "now": "2024-07-10T12:40:00Z", "zone": "Mars/Phobos", "phase": "SPRING 1901 MOVEMENT"}
{"id": "n", "now": "yesterday", "phase": "SPRING 1901 MOVEMENT"}
{"id": "t", "now": "2024-07-10T12:40:00Z", "timing": 5, "phase": "SPRING 1901 MOVEMENT"}
{"id": "p", "now": "2024-07-10T12:40:00Z", "timing": ""}
{"now": "2024-07-10T12:40:00Z", "unknown": true, "phase": "SPRING 1901 MOVEMENT"}"#;
    let answers = lines(&clock(&["next"], input));
    assert!(answers[0]["error"].as_str().unwrap().starts_with("bad JSON: "));
    assert_eq!(
        answers[1],
        json!({"id": 7, "error": "timing: BAD NEXT IN TIMING: 1X (want a number from 1 with M, H, D or W, a century at the most)"})
    );
    assert_eq!(
        answers[2],
        json!({"id": "z", "error": "zone: BAD TIME ZONE: Mars/Phobos (want a name of the time-zone database, such as Europe/Paris, or GMT)"})
    );
    assert_eq!(
        answers[3],
        json!({"id": "n", "error": "now: not an RFC 3339 time: yesterday (want such as 2024-07-10T12:40:00Z)"})
    );
    assert_eq!(answers[4], json!({"id": "t", "error": "timing: not a string"}));
    assert!(answers[5]["error"].as_str().unwrap().starts_with("phase: "));
    assert_eq!(
        answers[6],
        json!({"id": null, "deadline": "202407151240", "utc": "2024-07-15T12:40:00Z", "not_after": null})
    );
    assert_eq!(answers.len(), 7);
}

#[test]
fn a_failing_check_is_shown_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vectors.json");
    let entry = json!({"id": "wrong", "now_local": "202407101500", "text": "FRI", "expect": "202407130000"});
    std::fs::write(&path, json!({ "dates": [entry] }).to_string()).unwrap();
    let output = clock(&["date", "--check", path.to_str().unwrap()], b"");
    assert_eq!(
        stdout(&output),
        "wrong FAIL want {\"result\":\"202407130000\"} got {\"result\":\"202407120000\"}\n0 passed, 1 failed\n"
    );
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(clock(&["tick", "--check", path.to_str().unwrap()], b"").status.code(), Some(1), "list missing");
    assert_eq!(clock(&["date", "--check", "/no/such/file"], b"").status.code(), Some(1));
    assert_eq!(clock(&["never"], b"").status.code(), Some(2));
}

/// Whatever is wrong with a line: the key, what it holds, and what would be right.
#[test]
fn an_error_names_the_key_and_what_would_be_right() {
    for (verb, line, key) in [
        ("next", r#"{"phase": "S 1 M"}"#, "now"),
        ("next", r#"{"now": "2024-07-10T12:40:00Z", "phase": "S 1 M", "previous": "20240230"}"#, "previous"),
        ("next", r#"{"now": "2024-07-10T12:40:00Z", "phase": "S 1 M", "timing": "NEXT"}"#, "timing"),
        ("next", r#"{"now": "2024-07-10T12:40:00Z", "phase": "S 1 M", "timing": "NEXT 1D NEXT 2D"}"#, "timing"),
        ("next", r#"{"now": "2024-07-10T12:40:00Z", "phase": "S 1 M", "timing": "NOT 20260101-20250101"}"#, "timing"),
        ("next", r#"{"now": "2024-07-10T12:40:00Z"}"#, "phase"),
        ("tick", r#"{"now": "2024-07-10T12:40:00Z", "state": "asleep"}"#, "state"),
        ("tick", r#"{"now": "2024-07-10T12:40:00Z", "state": "active", "keyword": "NOW"}"#, "keyword"),
        ("tick", r#"{"now": "2024-07-10T12:40:00Z", "state": "active", "owing": ["FRANCE"]}"#, "owing"),
        ("tick", r#"{"now": "2024-07-10T12:40:00Z", "state": "active", "owing": {"FRANCE": "ill"}}"#, "owing"),
        ("date", r#"{"text": "FRI"}"#, "now_local"),
        ("date", r#"{"now_local": "202407101500", "at": "25:00", "text": "FRI"}"#, "at"),
        ("absence", r#"{"now_local": "202407101500", "existing_not": "2024", "text": "FRI"}"#, "existing_not"),
        ("absence", r#"{"now_local": "202407101500", "by": "me", "text": "FRI"}"#, "by"),
    ] {
        let answers = lines(&clock(&[verb], line.as_bytes()));
        let error = answers[0]["error"].as_str().unwrap_or_default();
        assert!(error.starts_with(&format!("{key}: ")) && error.contains("want "), "{verb} {line}: {error}");
    }
}
