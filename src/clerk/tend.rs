//! What a judge does between mails: removes what has been kept long enough, finishes what could not be finished, and says
//! how it is (operations.md 11, 12).

use super::retention::told;
use super::{Clerk, ClerkError};
use crate::archive::spool::Room;
use crate::archive::{MAIL_WAIT, Transaction};
use crate::mail::Letter;
use crate::mail::queue::Folder;
use chrono::{DateTime, Duration, Utc};
use std::path::Path;

/// How the judge is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Condition {
    /// What is wrong; empty: nothing.
    pub troubles: Vec<String>,
    /// What deserves a look.
    pub warnings: Vec<String>,
    /// Numbers for `/metrics`, by name.
    pub numbers: Vec<(&'static str, f64)>,
}

impl Condition {
    /// Whether nothing is wrong.
    pub fn is_well(&self) -> bool {
        self.troubles.is_empty()
    }

    /// The answer of `/healthz` and of `chancery health`.
    pub fn report(&self) -> serde_json::Value {
        serde_json::json!({
            "status": if self.is_well() { "ok" } else { "trouble" },
            "reasons": self.troubles,
            "warnings": self.warnings,
        })
    }
}

/// Minutes since the oldest file of a directory was written.
fn age(directory: &Path, now: DateTime<Utc>) -> i64 {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let written = files.filter_map(|file| file.metadata().ok().filter(|m| m.is_file())?.modified().ok());
    written.min().map_or(0, |at| (now - DateTime::<Utc>::from(at)).num_minutes())
}

impl Clerk {
    /// Housekeeping; every failure is logged and tried again next time.
    pub fn tend(&self, now: DateTime<Utc>) {
        told("commits", self.archive.recover_all().map(|_| ()).map_err(|e| e.to_string()));
        self.let_go(now);
        // A map that was mended mends its games.
        self.memory.lose_patience();
        self.publish_dirty(now);
    }

    /// N64: mail that does not leave is told to the keepers, once a day.
    pub(super) fn warn_of_outbox(&self, now: DateTime<Utc>) -> Result<(), ClerkError> {
        let out = &self.site.config.mail.out;
        let queue = self.queue().map_err(|e| ClerkError::Site(format!("outbox: {e}")))?;
        let waiting = queue.waiting().map_err(|e| ClerkError::Site(format!("outbox: {e}")))?;
        let age = waiting.oldest.map_or(Duration::zero(), |oldest| now - oldest);
        if age <= out.warn_after.to_chrono() && waiting.count <= out.warn_count {
            return Ok(());
        }
        let told: Option<DateTime<Utc>> = self.note("outbox-told")?;
        if told.is_some_and(|told| now - told < Duration::days(1)) {
            return Ok(());
        }
        let stamp = super::stamp(now);
        let mut transaction = Transaction::of_judge("outbox stuck");
        transaction.replace("cron/outbox-told", format!("{stamp}\n"))?;
        let stopped = queue.stopped().map_or(String::new(), |reason| format!("Sending is stopped: {reason}\n"));
        for (n, keeper) in self.house.keepers.iter().enumerate() {
            let letter = Letter {
                to: keeper.clone(),
                notice: "N64".into(),
                subject: "chancery outbox".into(),
                text: format!(
                    "{} in the outbox of this judge; the oldest for {}.\n{stopped}See  chancery queue list.\n",
                    if waiting.count == 1 { "One mail waits".into() } else { format!("{} mails wait", waiting.count) },
                    match age.num_minutes() {
                        1 => "1 minute".into(),
                        minutes => format!("{minutes} minutes"),
                    }
                ),
                ..Letter::default()
            };
            self.enqueue(&mut transaction, &letter, &["outbox", &stamp, &n.to_string()], now)?;
        }
        let lock = self.archive.lock_judge(MAIL_WAIT)?;
        self.archive.commit(&lock, transaction)?;
        Ok(())
    }

    /// How the judge is (OPS-091).
    pub fn condition(&self, now: DateTime<Utc>) -> Condition {
        let mut condition = Condition::default();
        if let Err(error) = self.examine(now, &mut condition) {
            condition.troubles.push(error.to_string());
        }
        condition
    }

    fn examine(&self, now: DateTime<Utc>, condition: &mut Condition) -> Result<(), ClerkError> {
        let sched = &self.site.config.sched;
        if let Some(last) = self.archive.last_round()? {
            let age = now - last.time;
            if age > sched.round.to_chrono() * 2 {
                condition.troubles.push(format!("the last round was {} minutes ago", age.num_minutes()));
            }
            condition.numbers.push(("chancery_round_timestamp_seconds", last.time.timestamp() as f64));
        }
        if self.archive.read_note("suspended")?.is_some() {
            condition.troubles.push("the clock is suspended: chancery clock resume".into());
        }
        let spool = self.archive.spool();
        let waiting = spool.list(Room::New)?;
        let oldest = waiting.first().and_then(|m| m.arrived()).map_or(0, |at| (now - at).num_minutes());
        if oldest > 10 {
            condition.troubles.push(format!("mail has waited in the spool for {oldest} minutes"));
        }
        condition.numbers.push(("chancery_spool_messages", waiting.len() as f64));
        let dead = spool.dead()?.len();
        if dead > 0 {
            condition.warnings.push(format!("{dead} messages could not be handled and lie in dead/"));
        }
        let fail = |e: std::io::Error| ClerkError::Site(format!("outbox: {e}"));
        let queue = self.queue().map_err(fail)?;
        if let Some(reason) = queue.stopped() {
            condition.troubles.push(format!("sending is stopped: {reason}"));
        }
        let outgoing = queue.waiting().map_err(fail)?;
        let oldest = outgoing.oldest.map_or(0, |at| (now - at).num_seconds());
        if oldest > 2 * 3600 {
            condition.troubles.push(format!("the oldest outgoing mail has waited for {} minutes", oldest / 60));
        }
        condition.numbers.push(("chancery_queue_messages", outgoing.count as f64));
        condition.numbers.push(("chancery_queue_oldest_seconds", oldest as f64));
        let undelivered = queue.count(Folder::Dead).map_err(fail)?;
        if undelivered > 0 {
            condition.warnings.push(format!("{undelivered} mails could not be delivered and lie in outbox/dead/"));
        }
        let unfinished = age(&self.site.layout.journal, now);
        if unfinished > 5 {
            condition.troubles.push(format!("a change has waited for {unfinished} minutes to be finished"));
        }
        let behind = age(&self.markers(), now);
        if behind > sched.round.to_chrono().num_minutes().max(10) {
            condition.troubles.push(format!("pages are {behind} minutes behind their games"));
        }
        if self.archive.check_room(0).is_err() {
            condition.troubles.push("the disk is nearly full".into());
        }
        condition.warnings.extend(self.site.idle.iter().cloned());
        condition.numbers.push(("chancery_games", self.book()?.lines().len() as f64));
        Ok(())
    }
}
