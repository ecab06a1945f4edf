//! `chancery mail read` over every test message (OPS-016, tests/data/mail/README.md).

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mail")
}

fn read(message: &[u8]) -> Value {
    let mut child = Command::new(env!("CARGO_BIN_EXE_chancery"))
        .args(["mail", "read", "--judge-address", "judge@judge.example", "--judge-id", "CHCY"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("start chancery");
    // The reader stops at its limit: a broken pipe is fine.
    let _ = child.stdin.take().expect("stdin").write_all(message);
    let output = child.wait_with_output().expect("run chancery");
    assert!(output.status.success(), "exit {:?}", output.status);
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[test]
fn every_vector_is_read_as_expected() {
    let mut names: Vec<PathBuf> = std::fs::read_dir(data())
        .expect("vectors")
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "eml"))
        .collect();
    names.sort();
    assert_eq!(names.len(), 45);
    let mut wrong = Vec::new();
    for path in names {
        let mut message = std::fs::read(&path).expect("message");
        let expect: Value =
            serde_json::from_slice(&std::fs::read(path.with_extension("json")).expect("expectation")).expect("JSON");
        if let Some(append) = expect.get("append") {
            let times = append["times"].as_u64().expect("times");
            for _ in 0..times {
                message.extend_from_slice(append["line"].as_str().expect("line").as_bytes());
            }
        }
        let got = read(&message);
        // Without state two reasons cannot be known (OPS-016).
        let reason = expect.get("reason").cloned().unwrap_or(Value::Null);
        let stateful = reason == "duplicate" || reason == "no-command-unknown-sender";
        let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let mut check = |key: &str, want: &Value| {
            let have = got.get(key).cloned().unwrap_or(Value::Null);
            if have != *want {
                wrong.push(format!("{name} {key}: want {want}, got {have}"));
            }
        };
        check("intake", &if stateful { "process".into() } else { expect["intake"].clone() });
        check("reason", &if stateful { Value::Null } else { reason.clone() });
        check("sender", &expect["sender"]);
        if reason != "duplicate" {
            check("lines", &expect["lines"]);
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn rubbish_is_answered_with_an_object_and_exit_0() {
    for message in [&b""[..], b"\0\0\0", b"\n", b"From", b": :\n:\n", b"Content-Type: multipart/mixed\n\nx"] {
        let got = read(message);
        assert!(got["intake"].is_string(), "{got}");
    }
}
