//! `chancery adjudicate`: positions and orders in, results out (JSON Lines, operations.md OPS-010). All cores work;
//! answers come in the order of the questions, however many there are, in constant memory.

use crate::diplomacy::adjudicate::Workspace;
use crate::diplomacy::adjudicate::case::{self, Answer, Case, Table};
use crate::diplomacy::map::library;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, RwLock};

/// Longest line read; what is longer is a bad line.
const LONGEST: u64 = 16 << 20;
/// Bytes of questions handed to a worker at once, if that many are waiting.
const BATCH: usize = 64 << 10;

/// Positions and orders in, results out (JSON Lines).
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Map for every case: the name of a map, or a map file
    #[arg(long, value_name = "NAME|FILE")]
    map: Option<String>,
    /// RULE names to add to those of each case
    #[arg(long, value_name = "R,R", value_delimiter = ',')]
    rules: Vec<String>,
    /// A site, whose maps are looked in first
    #[arg(long, env = "CHANCERY_ROOT")]
    root: Option<PathBuf>,
}

/// Runs the verb.
pub fn run(args: Args) -> ExitCode {
    let Err(error) = case::rules_named(args.rules.iter().map(String::as_str)) else {
        return match stream(&args, BufReader::with_capacity(4 * BATCH, std::io::stdin().lock()), std::io::stdout()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("adjudicate: {error}");
                ExitCode::from(1)
            }
        };
    };
    eprintln!("adjudicate: {error}");
    ExitCode::from(2)
}

/// Lines to be answered by one worker, and whether they are readable.
type Batch = Vec<Result<Vec<u8>, String>>;

fn stream(args: &Args, mut input: BufReader<impl Read>, output: impl Write + Send) -> std::io::Result<()> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let desk = Desk { args, tables: RwLock::new(HashMap::new()) };
    std::thread::scope(|scope| {
        let mut questions: Vec<SyncSender<Batch>> = Vec::new();
        let mut answers: Vec<Receiver<Vec<u8>>> = Vec::new();
        for _ in 0..workers {
            let (ask, asked) = sync_channel::<Batch>(2);
            let (answer, answered) = sync_channel::<Vec<u8>>(2);
            questions.push(ask);
            answers.push(answered);
            let desk = &desk;
            scope.spawn(move || desk.work(asked, answer));
        }
        let writer = scope.spawn(move || write(output, &answers));
        let mut turn = 0;
        let read = loop {
            match read_batch(&mut input) {
                Ok(batch) if batch.is_empty() => break Ok(()),
                Ok(batch) => {
                    // A closed channel means that nobody reads the answers any more.
                    if questions[turn % workers].send(batch).is_err() {
                        break Ok(());
                    }
                    turn += 1;
                }
                Err(error) => break Err(error),
            }
        };
        drop(questions);
        let written = writer.join().unwrap_or_else(|_| Err(std::io::Error::other("the writer failed")));
        read.and(written)
    })
}

/// Passes the answers on, worker after worker, as the questions were dealt.
fn write(mut output: impl Write, answers: &[Receiver<Vec<u8>>]) -> std::io::Result<()> {
    for worker in answers.iter().cycle() {
        let Ok(text) = worker.recv() else { return Ok(()) };
        output.write_all(&text)?;
        output.flush()?;
    }
    Ok(())
}

/// Whole lines, at least one unless the input has ended; blank ones are skipped.
fn read_batch(input: &mut BufReader<impl Read>) -> std::io::Result<Batch> {
    let mut batch = Batch::new();
    let mut size = 0;
    loop {
        let mut line = Vec::new();
        let count = input.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
        if count == 0 {
            return Ok(batch);
        }
        let whole = line.ends_with(b"\n") || (count as u64) < LONGEST;
        if !whole {
            skip_line(input)?;
            batch.push(Err(format!("bad JSON: line longer than {LONGEST} bytes")));
        } else if !line.trim_ascii().is_empty() {
            size += count;
            batch.push(Ok(line));
        }
        // Go on only with what is there already: somebody may be waiting for the answer.
        let waiting = input.buffer().contains(&b'\n');
        if !batch.is_empty() && (size >= BATCH || !waiting) {
            return Ok(batch);
        }
    }
}

fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|b| *b == b'\n');
        let used = end.map_or(buffer.len(), |at| at + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(());
        }
    }
}

/// What the workers share: the options and the maps met so far.
struct Desk<'a> {
    args: &'a Args,
    tables: RwLock<HashMap<String, Option<Arc<Table>>>>,
}

#[derive(Serialize)]
struct Reply<'a> {
    id: Value,
    #[serde(flatten)]
    answer: Option<Answer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl Desk<'_> {
    fn work(&self, questions: Receiver<Batch>, answers: SyncSender<Vec<u8>>) {
        let mut memory = Workspace::new();
        for batch in questions {
            let mut text = Vec::new();
            for line in batch {
                let (id, outcome) = match line {
                    Ok(line) => self.answer(&line, &mut memory),
                    Err(error) => (Value::Null, Err(error)),
                };
                let error = outcome.as_ref().err().cloned();
                let reply = Reply { id, answer: outcome.ok(), error: error.as_deref() };
                if serde_json::to_writer(&mut text, &reply).is_ok() {
                    text.push(b'\n');
                }
            }
            if answers.send(text).is_err() {
                return;
            }
        }
    }

    fn answer(&self, line: &[u8], memory: &mut Workspace) -> (Value, Result<Answer, String>) {
        let value: Value = match serde_json::from_slice(line) {
            Ok(value @ Value::Object(_)) => value,
            Ok(_) => return (Value::Null, Err("bad JSON: not an object".into())),
            Err(error) => return (Value::Null, Err(format!("bad JSON: {error}"))),
        };
        let id = value.get("id").cloned().unwrap_or(Value::Null);
        let case: Result<Case, String> = serde_json::from_value(value).map_err(|e| format!("bad JSON: {e}"));
        let answer = case.and_then(|mut case| {
            let name = self.args.map.clone().or_else(|| case.map.clone()).unwrap_or_else(|| "standard".into());
            let table = self.table(&name).ok_or_else(|| format!("unknown map: {name}"))?;
            case.rules.extend(self.args.rules.iter().cloned());
            case::play(&table, &case, memory).map_err(|e| e.to_string())
        });
        (id, answer)
    }

    /// The map of that name, loaded once. Only `--map` may name a file: a case comes from anybody.
    fn table(&self, name: &str) -> Option<Arc<Table>> {
        let known = self.tables.read().map_or(None, |tables| tables.get(name).cloned());
        if let Some(table) = known {
            return table;
        }
        let is_file = name.contains('/') || name.ends_with(".map");
        let allowed = !is_file || self.args.map.as_deref() == Some(name);
        let loaded = allowed.then(|| library::open(name, self.args.root.as_deref()).ok()).flatten();
        let table = loaded.map(|loaded| Arc::new(Table::new(loaded.map)));
        if let Ok(mut tables) = self.tables.write() {
            // Names nobody has a map for are not worth remembering beyond a few.
            if table.is_some() || tables.len() < 256 {
                tables.insert(name.to_owned(), table.clone());
            }
        }
        table
    }
}
