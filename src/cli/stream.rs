//! JSON Lines in, JSON Lines out: the loop that the data verbs share (operations.md 2.2).
//!
//! One object a line, blank lines skipped; exactly one line of output per object, in order, with its `id` (`null` if
//! there was none), flushed at once. A bad line is answered `{"id", "error"}` and the run goes on. Keys keep the
//! order in which the verb put them. A reader that goes away ends the run quietly.

use serde_json::{Map, Value, json};
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::ExitCode;

/// A JSON object.
pub type Object = Map<String, Value>;

/// What a verb answers to one object.
pub enum Reply {
    /// A line with these keys; the `id` is put in front.
    Line(Object),
    /// A line `{"id", "error"}`, with further keys if there are any.
    Error(String, Object),
    /// No line (for objects that only define something).
    Silent,
}

impl Reply {
    /// An error without further keys.
    pub fn error(text: impl Into<String>) -> Reply {
        Reply::Error(text.into(), Object::new())
    }

    /// A line made of a [`json!`] object.
    pub fn line(value: Value) -> Reply {
        match value {
            Value::Object(keys) => Reply::Line(keys),
            other => Reply::Line(Object::from_iter([("result".to_owned(), other)])),
        }
    }

    /// As a line of output.
    fn into_object(self, id: Value) -> Option<Object> {
        let mut object = Object::new();
        object.insert("id".to_owned(), id);
        match self {
            Reply::Line(keys) => object.extend(keys),
            Reply::Error(text, keys) => {
                object.insert("error".to_owned(), text.into());
                object.extend(keys);
            }
            Reply::Silent => return None,
        }
        Some(object)
    }
}

impl<E: std::fmt::Display> From<Result<Value, E>> for Reply {
    fn from(result: Result<Value, E>) -> Reply {
        result.map_or_else(|error| Reply::error(error.to_string()), Reply::line)
    }
}

/// Answers each line of `input`.
pub fn run(
    mut input: impl BufRead,
    mut output: impl Write,
    mut answer: impl FnMut(&Object) -> Reply,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        let (id, reply) = match serde_json::from_slice::<Value>(text) {
            Ok(Value::Object(object)) => (object.get("id").cloned().unwrap_or_default(), answer(&object)),
            Ok(_) => (Value::Null, Reply::error("bad JSON: not an object")),
            Err(error) => (Value::Null, Reply::error(format!("bad JSON: {error}"))),
        };
        if let Some(object) = reply.into_object(id) {
            serde_json::to_writer(&mut output, &object)?;
            output.write_all(b"\n")?;
            output.flush()?;
        }
    }
}

/// Answers each line of standard input on standard output: 0, or 1 if the input cannot be read.
pub fn run_stdio(answer: impl FnMut(&Object) -> Reply) -> ExitCode {
    match run(io::stdin().lock(), io::stdout().lock(), answer) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("chancery: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Tells how a run of `--check` went: one line for each failure, then the count; 1 if anything failed.
pub struct Checker<W> {
    output: W,
    passed: usize,
    failed: usize,
}

impl<W: Write> Checker<W> {
    /// Nothing checked yet.
    pub fn new(output: W) -> Checker<W> {
        Checker { output, passed: 0, failed: 0 }
    }

    /// Counts one entry; a difference is printed `ID FAIL want … got …`.
    pub fn compare(&mut self, id: &str, want: &Value, got: &Value) -> io::Result<()> {
        if want == got {
            self.passed += 1;
            return Ok(());
        }
        self.failed += 1;
        writeln!(self.output, "{id} FAIL want {want} got {got}")
    }

    /// The last line, and the exit code.
    pub fn finish(mut self) -> io::Result<ExitCode> {
        writeln!(self.output, "{} passed, {} failed", self.passed, self.failed)?;
        self.output.flush()?;
        Ok(if self.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// Reads a whole file of vectors.
pub fn read_json(path: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: bad JSON: {error}", path.display()))
}

/// Runs the entries of the named lists of a vectors file: `answer` against what `want` finds in the entry.
pub fn check_lists(
    path: &Path,
    lists: &[&str],
    mut answer: impl FnMut(&Object) -> Reply,
    want: impl Fn(&Object) -> Value,
) -> ExitCode {
    let mut run = || -> Result<ExitCode, String> {
        let vectors = read_json(path)?;
        let mut checker = Checker::new(io::stdout().lock());
        for list in lists {
            let entries = vectors.get(list).and_then(Value::as_array);
            let entries = entries.ok_or_else(|| format!("{}: no list `{list}`", path.display()))?;
            for entry in entries {
                let entry = entry.as_object().ok_or_else(|| format!("{}: `{list}`: not an object", path.display()))?;
                let id = entry.get("id").cloned().unwrap_or_default();
                let got = answer(entry).into_object(Value::Null).map_or(json!(null), |mut got| {
                    got.remove("id");
                    Value::Object(got)
                });
                let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
                checker.compare(&id, &want(entry), &got).map_err(|error| error.to_string())?;
            }
        }
        checker.finish().map_err(|error| error.to_string())
    };
    run().unwrap_or_else(|error| {
        eprintln!("chancery: {error}");
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_for_each_object() {
        let input =
            b"{\"id\":1}\n\n  \r\nnonsense\n[1]\n\xff\n{\"n\":2}\n{\"id\":\"s\",\"silent\":true}\n{\"id\":\"last\"}";
        let mut output = Vec::new();
        run(&input[..], &mut output, |object| match (object.get("n"), object.get("silent")) {
            (Some(n), _) => Reply::line(json!({ "twice": n })),
            (_, Some(_)) => Reply::Silent,
            _ => Reply::Error("no n".to_owned(), Object::from_iter([("code".to_owned(), json!("E_N"))])),
        })
        .unwrap();
        let lines: Vec<Value> =
            String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[0], json!({"id": 1, "error": "no n", "code": "E_N"}));
        assert!(lines[1]["error"].as_str().unwrap().starts_with("bad JSON: "));
        assert_eq!(lines[2], json!({"id": null, "error": "bad JSON: not an object"}));
        assert!(lines[3]["error"].as_str().unwrap().starts_with("bad JSON: "));
        assert_eq!(lines[4], json!({"id": null, "twice": 2}));
        assert_eq!(lines[5]["id"], "last");
        assert_eq!(lines.len(), 6);
    }
}
