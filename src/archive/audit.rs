//! `audit.log`: one line a commit, `<seq> <stamp before>..<stamp after> <who did what>` (OPS-040, WEB-070). The stamps
//! are those of the status file, `-` where there is none; the number of the last line is the number of the last commit.

use super::error::{ArchiveError, At};
use super::journal::Operation;
use super::name::{Owner, SitePath};
use super::{Archive, Stamp, fs};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// How much of the end of the file is read to find the last line.
const TAIL: u64 = 64 * 1024;

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditLine {
    /// Number of the commit.
    pub seq: u64,
    /// Stamp of the status file before.
    pub before: Option<String>,
    /// And after.
    pub after: Option<String>,
    /// Who did what.
    pub text: String,
}

impl AuditLine {
    /// Read a line. A line that another hand has written may have no stamps.
    pub fn parse(line: &str) -> Option<AuditLine> {
        let (seq, rest) = line.split_once(' ').unwrap_or((line, ""));
        let seq = seq.parse().ok()?;
        let (stamps, text) = rest.split_once(' ').unwrap_or((rest, ""));
        let stamp = |text: &str| (text != "-").then(|| text.to_owned());
        Some(match stamps.split_once("..") {
            Some((before, after)) => {
                AuditLine { seq, before: stamp(before), after: stamp(after), text: text.to_owned() }
            }
            None => AuditLine { seq, before: None, after: None, text: rest.to_owned() },
        })
    }

    /// What was done: the text behind the time that it opens with, if it does.
    pub fn deed(&self) -> &str {
        match self.text.split_once(' ') {
            Some((time, deed)) if chrono::DateTime::parse_from_rfc3339(time).is_ok() => deed,
            _ => &self.text,
        }
    }

    pub(super) fn write(seq: u64, before: Option<Stamp>, after: Option<Stamp>, text: &str) -> String {
        let word = |stamp: Option<Stamp>| stamp.map_or_else(|| "-".to_owned(), |stamp| stamp.to_string());
        format!("{seq} {}..{} {}\n", word(before), word(after), super::transaction::one_line(text))
    }
}

impl Archive {
    /// Where the log of that owner is.
    pub(super) fn audit_path(owner: &Owner) -> String {
        match owner {
            Owner::Judge => "registry/audit.log".to_owned(),
            Owner::Game(game) => format!("games/{game}/audit.log"),
        }
    }

    /// The lines of an owner's log.
    pub fn audit(&self, owner: &Owner) -> Result<Vec<AuditLine>, ArchiveError> {
        let path = self.resolve(&SitePath::new(&Archive::audit_path(owner))?)?;
        let bytes = fs::read(&path).at("read", &path)?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).lines().filter_map(AuditLine::parse).collect())
    }

    /// The last lines of an owner's log, as many as 64 KiB hold.
    pub fn recent_audit(&self, owner: &Owner) -> Result<Vec<AuditLine>, ArchiveError> {
        let path = self.resolve(&SitePath::new(&Archive::audit_path(owner))?)?;
        Ok(String::from_utf8_lossy(&tail(&path)?.0).lines().filter_map(AuditLine::parse).collect())
    }

    pub(super) fn last_audit(&self, owner: &Owner) -> Result<Option<AuditLine>, ArchiveError> {
        Ok(self.log_end(owner)?.last)
    }

    /// How an owner's log ends.
    pub(super) fn log_end(&self, owner: &Owner) -> Result<LogEnd, ArchiveError> {
        let path = self.resolve(&SitePath::new(&Archive::audit_path(owner))?)?;
        let (tail, length) = tail(&path)?;
        // Lines of other hands between ours are passed over.
        let last = String::from_utf8_lossy(&tail).lines().rev().find_map(AuditLine::parse);
        Ok(LogEnd { last, length, open: tail.last().is_some_and(|&byte| byte != b'\n') })
    }
}

/// The end of a log.
pub(super) struct LogEnd {
    /// Our last line.
    pub last: Option<AuditLine>,
    length: u64,
    /// Another hand has left the last line open.
    open: bool,
}

impl LogEnd {
    /// What writes a line behind it.
    pub fn append(&self, owner: &Owner, line: &str) -> Result<Operation, ArchiveError> {
        let text = if self.open { format!("\n{line}") } else { line.to_owned() };
        Ok(Operation::Append(SitePath::new(&Archive::audit_path(owner))?, self.length, text.into_bytes()))
    }
}

/// The last bytes of a file, and its length.
fn tail(path: &Path) -> Result<(Vec<u8>, u64), ArchiveError> {
    let Some(mut file) = fs::open(path).at("read", path)? else { return Ok((Vec::new(), 0)) };
    let from = file.metadata().at("read", path)?.len().saturating_sub(TAIL);
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(from)).and_then(|_| file.read_to_end(&mut bytes)).at("read", path)?;
    let length = from + u64::try_from(bytes.len()).unwrap_or(0);
    Ok((bytes, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_any_hand_are_read() {
        let line = AuditLine::write(7, None, Some(Stamp::of(b"x")), "2026-11-21 shell\nset RULE");
        assert_eq!(line, "7 -..2d711642b726 2026-11-21 shell set RULE\n");
        let read = AuditLine::parse(line.trim_end()).unwrap();
        assert_eq!((read.seq, read.after.as_deref()), (7, Some("2d711642b726")));
        assert_eq!(read.text, "2026-11-21 shell set RULE");
        assert_eq!(AuditLine::parse("12 by hand").map(|line| line.text), Some("by hand".to_owned()));
        assert_eq!(AuditLine::parse("by hand"), None);
    }
}
