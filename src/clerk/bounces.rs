//! Mail that came back (mail-commands.md 8.1, operations.md 9): permanent failures are counted by address; the third within
//! 14 days is told to the Masters of that player's games, once. A message from the address clears the count.

use super::{Clerk, ClerkError};
use crate::archive::{Entry, Key, MAIL_WAIT, Transaction};
use crate::judge::table::{Table, Who};
use crate::mail::Letter;
use crate::mail::bounce;
use crate::mail::intake::Intake;
use chrono::{DateTime, Utc};

impl Clerk {
    /// Counts what a delivery report says; it is never answered.
    pub(super) fn count_bounce(&self, bytes: &[u8], mail: &Intake, now: DateTime<Utc>) -> Result<(), ClerkError> {
        let report = bounce::read(bytes, mail, &self.sender.secret);
        let mut addresses: Vec<String> =
            report.failures.iter().filter(|f| f.permanent()).map(|f| f.address.clone()).collect();
        // A report that names nobody, to a bounce address of ours: the recipient of that mail.
        if let (Some(id), Some(status)) = (&report.queue_id, &report.stated)
            && status.starts_with("5.")
            && let Some(to) = self.recipient_of(id)
        {
            addresses.push(to);
        }
        addresses.sort();
        addresses.dedup();
        addresses.truncate(20);
        // Addresses that play nowhere here are not worth remembering, and nobody can fill the file with them.
        let mut known = Vec::new();
        for address in addresses {
            if self.is_known(&address)? {
                known.push(address);
            }
        }
        if known.is_empty() {
            return Ok(());
        }
        let key = Key::of_mail(mail.message_id.as_deref(), "bounce", &mail.text_hash);
        if self.is_done(&key, None, now)? {
            return Ok(());
        }
        let lock = self.archive.lock_judge(MAIL_WAIT)?;
        let (news, file) = self
            .people
            .changed(|registry| known.iter().filter(|a| registry.bounced(a, now)).cloned().collect::<Vec<String>>());
        let mut transaction = Transaction::of_judge(format!("mail came back from {}", known.join(", ")));
        if let Some(bytes) = file {
            transaction.replace("registry/people.json", bytes)?;
        }
        for address in news {
            self.tell_masters(&mut transaction, &address, now)?;
        }
        transaction.ledger(&Entry { key, time: now, game: None, outcome: "bounce".into() });
        self.archive.commit(&lock, transaction)?;
        self.people.reload();
        Ok(())
    }

    /// A message came from the address.
    pub(super) fn heard_from(&self, address: &str) -> Result<(), ClerkError> {
        if !self.people.has_bounced(address) {
            return Ok(());
        }
        let lock = self.archive.lock_judge(MAIL_WAIT)?;
        let (_, file) = self.people.changed(|registry| registry.heard_from(address));
        if let Some(bytes) = file {
            let mut transaction = Transaction::of_judge(format!("{address} is heard from again"));
            transaction.replace("registry/people.json", bytes)?;
            self.archive.commit(&lock, transaction)?;
            self.people.reload();
        }
        Ok(())
    }

    /// To whom a queued mail went, if the queue still has it.
    fn recipient_of(&self, id: &str) -> Option<String> {
        let queue = self.queue().ok()?;
        let entry = queue.load(queue.find(id)?, id).ok()?;
        entry.head.to.first().cloned()
    }

    /// N60: the seat, not the text of the report.
    fn tell_masters(&self, transaction: &mut Transaction, address: &str, now: DateTime<Utc>) -> Result<(), ClerkError> {
        let mut number = 0;
        for name in self.game_names()? {
            let Some(loaded) = self.load(&name, now)? else { continue };
            let table = loaded.table(&self.house, 0, now);
            if table.completed() {
                continue;
            }
            for seat in seats_of(&table, address) {
                let text = format!(
                    "Three mails to {seat} in game {name} could not be delivered within two weeks.\nThe seat stays as it \
                     is; its player may not know what happens in the game.\nMail from that player, or orders on the web, \
                     clear this mark.\n"
                );
                for to in table.master_addresses() {
                    number += 1;
                    let letter = Letter {
                        to,
                        game: Some(name.to_string()),
                        notice: "N60".into(),
                        subject: format!("Diplomacy undeliverable mail ({name})"),
                        text: text.clone(),
                        ..Letter::default()
                    };
                    let moment = super::stamp(now);
                    self.enqueue(transaction, &letter, &["bouncing", address, &moment, &number.to_string()], now)?;
                }
            }
        }
        Ok(())
    }
}

fn seats_of(table: &Table, address: &str) -> Vec<String> {
    let has = |p: &crate::status::Participant| p.address.iter().any(|a| a.eq_ignore_ascii_case(address));
    let seats = table.game.participants.iter().enumerate().filter(|(_, p)| has(p));
    seats.map(|(n, _)| table.title(&Who::Seat(n))).collect()
}
