//! The last round of the scheduler, `cron/check.tim`: `round=<n> time=<RFC 3339>` (OPS-080).

use super::{Archive, ArchiveError};
use chrono::{DateTime, SecondsFormat, Utc};

/// When the scheduler last worked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastRound {
    /// Number of the last counted round.
    pub round: i64,
    /// When it was finished.
    pub time: DateTime<Utc>,
}

impl LastRound {
    /// The line.
    pub fn write(&self) -> String {
        format!("round={} time={}\n", self.round, self.time.to_rfc3339_opts(SecondsFormat::Secs, true))
    }

    /// Read the line; `None` if it is not one.
    pub fn parse(text: &str) -> Option<LastRound> {
        let mut words = text.split_whitespace();
        let round = words.next()?.strip_prefix("round=")?.parse().ok()?;
        let time = words.next()?.strip_prefix("time=")?;
        Some(LastRound { round, time: DateTime::parse_from_rfc3339(time).ok()?.with_timezone(&Utc) })
    }
}

impl Archive {
    /// The last round; `None` if there was none, or if the note cannot be read as one.
    pub fn last_round(&self) -> Result<Option<LastRound>, ArchiveError> {
        let note = self.read_note("check.tim")?;
        Ok(note.and_then(|bytes| LastRound::parse(&String::from_utf8_lossy(&bytes))))
    }

    /// Note a finished round. The caller holds the lock of the round.
    pub fn set_last_round(&self, _lock: &super::RoundLock, last: LastRound) -> Result<(), ArchiveError> {
        self.write_note("check.tim", last.write().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_note_is_read_as_written() {
        let line = "round=74721 time=2026-11-21T08:20:03Z\n";
        assert_eq!(LastRound::parse(line).map(|last| last.write()).as_deref(), Some(line));
        assert_eq!(LastRound::parse("round=x time=y"), None);
        assert_eq!(LastRound::parse(""), None);
    }
}
