//! The text of a journal file (OPS-041): a head line `chancery-txn 1 <owner> <seq> <length> <sha256>`, then the
//! operations, each one line that says how many bytes follow. Every operation can be repeated.

use super::name::{GameName, NameError, Owner, SitePath, mail_id};
use crate::hex::hex;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use thiserror::Error;

/// First words of every journal file; the number is the version of the format.
const MAGIC: &str = "chancery-txn";
/// Version of the format.
pub const VERSION: &str = "1";

/// One recorded operation. No two of a record touch the same file, so their order does not matter to the outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The file holds exactly this.
    Replace(SitePath, Vec<u8>),
    /// From this offset on the file holds exactly this.
    Append(SitePath, u64, Vec<u8>),
    /// Done when the first is missing and the second there.
    Rename(SitePath, SitePath),
    /// Missing.
    Remove(SitePath),
    /// In the outbox, or there already in any of its rooms.
    Enqueue(String, Vec<u8>),
    /// In the ledger file of that month once.
    Ledger(String, String),
    /// The line of that game in the index; `None`: no line.
    Index(GameName, Option<String>),
    /// The game's directory goes there; always the last operation.
    Move(SitePath),
}

/// A transaction as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Whose.
    pub owner: Owner,
    /// Its number, counted per owner.
    pub seq: u64,
    /// What to do.
    pub operations: Vec<Operation>,
}

/// Why a journal file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JournalError {
    /// Written by something newer, or no journal file.
    #[error("not a journal file of this version (want '{MAGIC} {VERSION} …')")]
    Version,
    /// Shorter or longer than it says, or not what was summed: it was never committed.
    #[error("incomplete: length or sum does not match the head line")]
    Incomplete,
    /// The sum is right and the content is not.
    #[error("byte {0}: not an operation of this version")]
    Operation(usize),
    /// A name that is refused.
    #[error(transparent)]
    Name(#[from] NameError),
}

impl Record {
    /// Name of the file.
    pub fn file_name(&self) -> String {
        format!("{}.{}.txn", self.owner, self.seq)
    }

    /// Owner and number out of a file name.
    pub fn parse_file_name(name: &str) -> Option<(Owner, u64)> {
        let (owner, seq) = name.strip_suffix(".txn")?.split_once('.')?;
        Some((Owner::named(owner).ok()?, seq.parse().ok()?))
    }

    /// Names of the mails that it queues.
    pub fn into_mails(self) -> impl Iterator<Item = String> {
        self.operations.into_iter().filter_map(|operation| match operation {
            Operation::Enqueue(id, _) => Some(id),
            _ => None,
        })
    }

    /// The file.
    pub fn encode(&self) -> Vec<u8> {
        let mut body = Vec::new();
        for operation in &self.operations {
            let mut head = String::new();
            let mut bytes: &[u8] = &[];
            // Writing to a String cannot fail.
            let _ = match operation {
                Operation::Replace(path, content) => {
                    bytes = content;
                    write!(head, "replace {path} {}", content.len())
                }
                Operation::Append(path, offset, content) => {
                    bytes = content;
                    write!(head, "append {path} {offset} {}", content.len())
                }
                Operation::Rename(from, to) => write!(head, "rename {from} {to} 0"),
                Operation::Remove(path) => write!(head, "remove {path} 0"),
                Operation::Enqueue(id, content) => {
                    bytes = content;
                    write!(head, "enqueue {id} {}", content.len())
                }
                Operation::Ledger(month, line) => {
                    bytes = line.as_bytes();
                    write!(head, "ledger {month} {}", line.len())
                }
                Operation::Index(game, Some(line)) => {
                    bytes = line.as_bytes();
                    write!(head, "index {game} {}", line.len())
                }
                Operation::Index(game, None) => write!(head, "unindex {game} 0"),
                Operation::Move(to) => write!(head, "move {to} 0"),
            };
            body.extend_from_slice(head.as_bytes());
            body.push(b'\n');
            body.extend_from_slice(bytes);
            body.push(b'\n');
        }
        let sum = hex(&Sha256::digest(&body));
        let head = format!("{MAGIC} {VERSION} {} {} {} {sum}\n", self.owner, self.seq, body.len());
        let mut file = head.into_bytes();
        file.append(&mut body);
        file
    }

    /// Read a file back. Never panics, whatever the bytes.
    pub fn decode(file: &[u8]) -> Result<Record, JournalError> {
        let (head, body) = split_line(file).ok_or(JournalError::Incomplete)?;
        let head = std::str::from_utf8(head).map_err(|_| JournalError::Version)?;
        let words: Vec<&str> = head.split(' ').collect();
        let [MAGIC, VERSION, owner, seq, length, sum] = words.as_slice() else { return Err(JournalError::Version) };
        let (owner, seq) = (Owner::named(owner)?, seq.parse().map_err(|_| JournalError::Version)?);
        if length.parse() != Ok(body.len()) || hex(&Sha256::digest(body)) != *sum {
            return Err(JournalError::Incomplete);
        }
        let mut operations = Vec::new();
        let mut rest = body;
        while !rest.is_empty() {
            let at = body.len() - rest.len();
            let (operation, behind) = operation(rest).map_err(|error| error.unwrap_or(JournalError::Operation(at)))?;
            operations.push(operation);
            rest = behind;
        }
        Ok(Record { owner, seq, operations })
    }
}

/// One operation and what is behind it; `Err(None)`: not understood.
fn operation(bytes: &[u8]) -> Result<(Operation, &[u8]), Option<JournalError>> {
    let (head, rest) = split_line(bytes).ok_or(None)?;
    let head = std::str::from_utf8(head).map_err(|_| None)?;
    let (head, length) = head.rsplit_once(' ').ok_or(None)?;
    let length: usize = length.parse().map_err(|_| None)?;
    let content = rest.get(..length).ok_or(None)?;
    let behind = rest.get(length..).and_then(|rest| rest.strip_prefix(b"\n")).ok_or(None)?;
    let path = |text: &str| SitePath::new(text).map_err(|error| Some(error.into()));
    let text = || std::str::from_utf8(content).map(str::to_owned).map_err(|_| None);
    let words: Vec<&str> = head.split(' ').collect();
    let operation = match words.as_slice() {
        ["replace", to] => Operation::Replace(path(to)?, content.to_owned()),
        ["append", to, offset] => Operation::Append(path(to)?, offset.parse().map_err(|_| None)?, content.to_owned()),
        ["rename", from, to] => Operation::Rename(path(from)?, path(to)?),
        ["remove", what] => Operation::Remove(path(what)?),
        ["enqueue", id] => {
            Operation::Enqueue(mail_id(id).map_err(|error| Some(error.into()))?.to_owned(), content.to_owned())
        }
        ["ledger", month] if super::ledger::is_month(month) => Operation::Ledger((*month).to_owned(), text()?),
        ["index", game] => Operation::Index(game_name(game)?, Some(text()?)),
        ["unindex", game] => Operation::Index(game_name(game)?, None),
        ["move", to] => Operation::Move(path(to)?),
        _ => return Err(None),
    };
    Ok((operation, behind))
}

fn game_name(word: &str) -> Result<GameName, Option<JournalError>> {
    GameName::old(word).map_err(|error| Some(error.into()))
}

/// A line without its end, and the rest.
fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    Some((bytes.get(..end)?, bytes.get(end + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn path() -> impl Strategy<Value = SitePath> {
        "games/[a-z0-9]{1,8}/[a-zA-Z][a-zA-Z0-9.]{0,9}".prop_map(|text| SitePath::new(&text).unwrap())
    }

    fn any_operation() -> impl Strategy<Value = Operation> {
        let bytes = || proptest::collection::vec(any::<u8>(), 0..60);
        let game = "[a-z0-9]{1,8}".prop_map(|name| GameName::old(&name).unwrap());
        prop_oneof![
            (path(), bytes()).prop_map(|(p, b)| Operation::Replace(p, b)),
            (path(), any::<u64>(), bytes()).prop_map(|(p, o, b)| Operation::Append(p, o, b)),
            (path(), path()).prop_map(|(a, b)| Operation::Rename(a, b)),
            path().prop_map(Operation::Remove),
            ("[a-z0-9]{1,8}", bytes()).prop_map(|(id, b)| Operation::Enqueue(id, b)),
            "[ -~]{0,40}".prop_map(|line| Operation::Ledger("2026-11".into(), line)),
            (game, proptest::option::of("[ -~]{0,40}")).prop_map(|(game, line)| Operation::Index(game, line)),
            path().prop_map(Operation::Move),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(seq in any::<u64>(), operations in proptest::collection::vec(any_operation(), 0..6)) {
            let record = Record { owner: Owner::named("demo").unwrap(), seq, operations };
            prop_assert_eq!(Record::decode(&record.encode()), Ok(record));
        }

        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = Record::decode(&bytes);
        }

        #[test]
        fn any_body_with_a_right_sum_is_survived(
            body in "((replace|append|rename|move|index|ledger|enqueue) [a-z/]{0,9} ?[0-9]{0,3}\n[a-z]{0,9}\n?){0,4}",
        ) {
            let sum = hex(&Sha256::digest(body.as_bytes()));
            let _ = Record::decode(format!("chancery-txn 1 demo 1 {} {sum}\n{body}", body.len()).as_bytes());
        }

        #[test]
        fn a_cut_file_was_never_committed(cut in 0usize..100) {
            let record = Record {
                owner: Owner::Judge,
                seq: 7,
                operations: vec![Operation::Replace(SitePath::new("registry/people").unwrap(), vec![b'x'; 80])],
            };
            let whole = record.encode();
            let short = &whole[..whole.len().saturating_sub(cut + 1)];
            prop_assert!(Record::decode(short).is_err());
        }
    }
}
