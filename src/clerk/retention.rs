//! What is kept no longer than OPS-104 and the configuration want: once a day, by whatever runs the rounds, purged games,
//! files of the ledger, done messages and sent mail go, and old lines of the access logs (`privacy.access_days`).

use super::{Clerk, ClerkError};
use crate::archive::{ArchiveError, GameName, Transaction};
use chrono::{DateTime, Duration, NaiveDateTime, Utc};
use std::time::Duration as Wait;

/// Once in that time the logs of all games are looked at.
const EVERY: Duration = Duration::days(1);
/// How long sent mail is kept (OPS-104).
const SENT_DAYS: i64 = 7;

impl Clerk {
    /// Lets go of what is too old, once a day. A game that is busy has its turn the next day.
    pub(super) fn let_go_daily(&self, now: DateTime<Utc>) -> Result<(), ClerkError> {
        let last: Option<DateTime<Utc>> = self.note("access-cut")?;
        if last.is_some_and(|last| last <= now && now - last < EVERY) {
            return Ok(());
        }
        self.let_go(now);
        let days = self.site.config.privacy.access_days;
        let Some(limit) = now.checked_sub_signed(Duration::days(days.into())) else { return Ok(()) };
        // A new site has nothing yet that is too old.
        let games = if last.is_some() { self.game_names()? } else { Vec::new() };
        for game in games {
            match self.cut_access_log(&game, days, limit, now) {
                Err(ClerkError::Archive(ArchiveError::Busy(_))) | Ok(()) => {}
                Err(error) => tracing::warn!(game = %game, %error, "the access log could not be cut"),
            }
        }
        Ok(self.archive.write_note("access-cut", format!("{}\n", super::stamp(now)).as_bytes())?)
    }

    /// Lets go of all that is too old but access logs; every failure is logged, and tried again next time.
    pub(super) fn let_go(&self, now: DateTime<Utc>) {
        told("archive", self.archive.expire(now).map(|_| ()).map_err(|e| e.to_string()));
        let keep = self.site.config.mail.incoming.keep_done.to_chrono();
        told("spool", self.archive.spool().expire(now, keep).map(|_| ()).map_err(|e| e.to_string()));
        let sent = self.queue().and_then(|q| q.prune(now, Duration::days(SENT_DAYS)));
        told("outbox", sent.map(|_| ()).map_err(|e| e.to_string()));
    }

    fn cut_access_log(
        &self,
        game: &GameName,
        days: u32,
        limit: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<(), ClerkError> {
        let log = || self.archive.read(game, "access");
        if log()?.is_none_or(|content| too_old(&content.bytes, limit) == 0) {
            return Ok(());
        }
        let lock = self.archive.lock(game, Wait::ZERO)?;
        let Some(content) = log()? else { return Ok(()) };
        let rest = content.bytes.get(too_old(&content.bytes, limit)..).unwrap_or_default();
        let audit = format!("{} sign-ons older than {days} days cut from the access log", super::stamp(now));
        let mut transaction = Transaction::of_game(game, audit);
        transaction.replace("access", rest)?;
        self.archive.commit(&lock, transaction)?;
        Ok(())
    }
}

/// Logs what housekeeping could not do.
pub(super) fn told(what: &str, result: Result<(), String>) {
    if let Err(error) = result {
        tracing::warn!(what, error, "housekeeping");
    }
}

/// How many bytes at the beginning of a log are older than that: all up to the last line whose time says so. Lines that
/// tell no time go with those behind them.
fn too_old(log: &[u8], limit: DateTime<Utc>) -> usize {
    let (mut old, mut end) = (0, 0);
    for line in log.split_inclusive(|&byte| byte == b'\n') {
        end += line.len();
        match time(&String::from_utf8_lossy(line)) {
            Some(time) if time < limit => old = end,
            Some(_) => break,
            None => {}
        }
    }
    old
}

/// When a line was written: ours begin with an RFC 3339 time, those of the old judge with `Mon Jul  8 20:31:05 2024`.
fn time(line: &str) -> Option<DateTime<Utc>> {
    let words: Vec<&str> = line.split_whitespace().take(5).collect();
    if let Ok(time) = DateTime::parse_from_rfc3339(words.first()?) {
        return Some(time.to_utc());
    }
    NaiveDateTime::parse_from_str(&words.join(" "), "%a %b %e %H:%M:%S %Y").ok().map(|time| time.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_lines_have_a_time() {
        let log = "Mon Jul  8 20:31:05 2024 gate.example FRANCE ***\nby hand\n2026-01-01T00:00:00Z a@b.example FRANCE ok\n\
                   2026-11-01T00:00:00Z a@b.example FRANCE ok\nby hand\n";
        let kept = |limit: &str| {
            let limit = DateTime::parse_from_rfc3339(limit).expect("a time").to_utc();
            log.get(too_old(log.as_bytes(), limit)..).expect("whole lines")
        };
        assert_eq!(kept("2024-07-08T20:31:05Z"), log);
        assert!(kept("2024-07-08T20:31:06Z").starts_with("by hand\n2026-01"));
        assert!(kept("2026-01-01T00:00:01Z").starts_with("2026-11-01"));
        assert_eq!(kept("2027-01-01T00:00:00Z"), "by hand\n");
        assert_eq!(too_old(b"no time at all\n\n\xff\xfe", Utc::now()), 0);
    }
}
