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
fn lines_are_joined_where_the_mail_program_has_broken_them_and_nowhere_else() {
    let fixed = "text/plain; charset=utf-8";
    let flowed = "text/plain; charset=utf-8; format=flowed";
    let (order, front, back) = ("A mar s A par - bur", "A mar s A par -", "bur");
    let cut = [front, back];
    // What the mail program broke: soft breaks of format=flowed and of quoted-printable, and the source of HTML.
    let cases: Vec<(&str, &str, &str, Vec<&str>)> = vec![
        (flowed, "8bit", "A mar s A par - \r\nbur", vec![order]),
        (flowed, "quoted-printable", "A mar s A par -=20\r\nbur", vec![order]),
        ("text/plain; format=flowed; delsp=yes", "8bit", "A mar s A par -  \r\nbur", vec![order]),
        (fixed, "quoted-printable", "A mar s A par - b=\r\nur", vec![order]),
        ("text/html; charset=utf-8", "8bit", "<div>A mar s A par -\r\nbur</div>", vec![order]),
        // Its writer ended the line.
        (fixed, "8bit", "A mar s A par - \r\nbur", cut.to_vec()),
        (fixed, "8bit", "A mar s A par -\r\n    bur", cut.to_vec()),
        (fixed, "8bit", "A mar s A par -\r\n\tbur", cut.to_vec()),
        (fixed, "8bit", "A mar s A par -\r\n\r\nbur", cut.to_vec()),
        ("text/plain; format=fixed", "8bit", "A mar s A par - \r\nbur", cut.to_vec()),
        ("text/plain; format=flow", "8bit", "A mar s A par - \r\nbur", cut.to_vec()),
        (fixed, "quoted-printable", "A mar s A par -=20\r\nbur", cut.to_vec()),
        (fixed, "base64", "QSBtYXIgcyBBIHBhciAtIA0KYnVyDQo=", cut.to_vec()),
        (flowed, "8bit", "A mar s A par -\r\nbur", cut.to_vec()),
        (flowed, "8bit", "A mar s A par -\r\n bur", cut.to_vec()),
        (flowed, "8bit", "A mar s A par -\u{a0}\r\nbur", cut.to_vec()),
        (flowed, "8bit", "A mar s A par - \u{200b}\r\nbur", cut.to_vec()),
        (flowed, "8bit", "A mar s A par -\t\r\nbur", cut.to_vec()),
        (flowed, "8bit", "A mar s A par - \r\n> bur", vec![front]),
        (flowed, "8bit", "A mar s A par - \r\n-- \r\nbur", vec![front]),
        ("text/html; charset=utf-8", "8bit", "A mar s A par -<br>bur", cut.to_vec()),
        ("text/html; charset=utf-8", "8bit", "<p>A mar s A par -</p><p>bur</p>", cut.to_vec()),
        // There is no sign that a line goes on.
        (fixed, "8bit", "A mar s A par - \\\r\nbur", vec!["A mar s A par - \\", back]),
        (fixed, "8bit", "A mar s A par - =\r\nbur", vec!["A mar s A par - =", back]),
        (fixed, "8bit", "A mar s A par - _\r\nbur", vec!["A mar s A par - _", back]),
        (fixed, "8bit", "A mar s A par - ...\r\nbur", vec!["A mar s A par - ...", back]),
        (fixed, "8bit", "A mar s A par,\r\n- bur", vec!["A mar s A par,", "- bur"]),
    ];
    for (kind, coding, body, wanted) in cases {
        let sign_on = "SIGNON Fbalkan9 le-secret";
        // The sign-on is a line of its own, in the coding of the rest.
        let (head, text) = match (coding, kind.starts_with("text/html")) {
            ("base64", _) => ("U0lHTk9OIEZiYWxrYW45IGxlLXNlY3JldA0K".to_owned(), body.to_owned()),
            (_, true) => (format!("<div>{sign_on}</div>"), format!("{body}\r\n")),
            _ => (format!("{sign_on}\r\n"), format!("{body}\r\n")),
        };
        let message = format!(
            "From: france@example.org\r\nTo: judge@judge.example\r\nMIME-Version: 1.0\r\nContent-Type: {kind}\r\n\
             Content-Transfer-Encoding: {coding}\r\n\r\n{head}{text}"
        );
        let got = read(message.as_bytes());
        let mut lines = vec![sign_on];
        lines.extend(wanted);
        assert_eq!(got["lines"], serde_json::json!(lines), "{kind}, {coding}: {body:?}");
    }
}

#[test]
fn rubbish_is_answered_with_an_object_and_exit_0() {
    for message in [&b""[..], b"\0\0\0", b"\n", b"From", b": :\n:\n", b"Content-Type: multipart/mixed\n\nx"] {
        let got = read(message);
        assert!(got["intake"].is_string(), "{got}");
    }
}
