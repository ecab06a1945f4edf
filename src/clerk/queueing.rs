//! From decisions and replies to transactions: files, letters composed and queued, and the lines of the ledger that say
//! that a message is done (operations.md 7, 8; mail-commands.md 5).

use super::abuse::{Voice, outcome};
use super::incoming::unread;
use super::pictures::Framed;
use super::{Clerk, ClerkError, copies, secrets::PhcSecrets, stamp};
use crate::archive::spool::{MessageName, Room};
use crate::archive::{Entry, GameName, Key, MAIL_WAIT, Transaction};
use crate::judge::code::Code;
use crate::judge::reply::{self, Reply};
use crate::judge::session::Sender;
use crate::judge::table::Secrets as _;
use crate::judge::{Decision, FileEdit};
use crate::mail::compose;
use crate::mail::intake::{self, Disposition, Intake};
use crate::mail::{Attachment, Auto, Letter, queue};
use crate::site::Config;
use chrono::{DateTime, SubsecRound as _, Utc};

/// How mails are signed: the judge's name and address, and the key of its marks.
pub(crate) fn sender(config: &Config, secret: &[u8; 32]) -> Result<compose::Sender, ClerkError> {
    let address =
        crate::mail::MailAddress::parse(&config.judge.address).map_err(|e| ClerkError::Site(e.to_string()))?;
    Ok(compose::Sender {
        id: config.judge.id.clone(),
        address,
        url: config.judge.url.clone(),
        verp: config.mail.out.verp,
        secret: crate::mail::token::Secret::new(secret.to_vec()),
    })
}

/// A message that is read.
#[derive(Clone, Copy)]
pub(super) struct Asked<'m> {
    /// The key of the message.
    pub key: &'m Key,
    pub mail: &'m Intake,
    pub from: &'m Sender,
    /// Whether the sender himself is answered.
    pub voice: Voice,
    /// Whether the answer has to say that nobody vouches for the sender.
    pub unvouched: bool,
}

/// Tells the salts of passwords found in clear from those of passwords set by the message.
const CLEAR: u64 = 0x636c_6561_7200_0000;

impl Clerk {
    /// A decision as a transaction of its game.
    pub(super) fn transaction(
        &self,
        game: &GameName,
        loaded: &super::Loaded,
        decision: Decision,
        seed: u64,
        now: DateTime<Utc>,
    ) -> Result<Transaction, ClerkError> {
        let mut transaction = Transaction::of_game(game, format!("{} {}", stamp(now), decision.audit));
        for file in &decision.files {
            match file {
                FileEdit::Append(name, text) => transaction.append(name, text.clone())?,
                FileEdit::Replace(name, text) => transaction.replace(name, text.clone())?,
                FileEdit::KeepStatus(name) => transaction.replace(name, loaded.bytes())?,
                FileEdit::KeepGame(name, kept) => {
                    let mut kept = kept.as_ref().clone();
                    self.hash_clear(&mut kept, seed);
                    transaction.replace(name, loaded.rewritten(&kept)?)?
                }
                FileEdit::Rename(a, b) => transaction.rename(a, b)?,
                FileEdit::Remove(name) => transaction.remove(name)?,
            };
        }
        if let Some(next) = &decision.game {
            let mut next = next.clone();
            self.hash_clear(&mut next, seed);
            let text = loaded.rewritten(&next)?;
            self.memory.committed(game, &text);
            transaction.replace("status", text)?;
        }
        if let Some(line) = &decision.index {
            transaction.index(game, crate::status::index::line(line));
        }
        if self.site.config.judge.copy_mail {
            let copies = copies::of(&decision.letters, now);
            if !copies.is_empty() {
                transaction.append("mail", copies)?;
            }
        }
        let (mut encoded, mut framed) = (compose::Encoded::default(), Framed::default());
        for (n, letter) in decision.letters.iter().enumerate() {
            let letter = self.illustrated(letter, loaded.game(), &mut framed);
            let event = ["decision", game.as_str(), &seed.to_string(), &n.to_string()];
            self.enqueue_with(&mut encoded, &mut transaction, &letter, &event, now)?;
        }
        Ok(transaction)
    }

    /// A password that an editor wrote in clear is hashed at the next save (D7, D27).
    fn hash_clear(&self, game: &mut crate::status::Game, seed: u64) {
        let secrets = PhcSecrets::new(&self.known, self.secret, seed ^ CLEAR);
        let own = std::iter::once(&mut game.password);
        for password in own.chain(game.participants.iter_mut().map(|p| &mut p.password)) {
            if let Some(clear) = password.as_deref().filter(|p| !p.starts_with("$argon2")) {
                *password = Some(secrets.hash(clear));
            }
        }
    }

    /// Composes a letter and queues it with the transaction. The event names it: made again it has the same Message-ID.
    pub(super) fn enqueue(
        &self,
        transaction: &mut Transaction,
        letter: &Letter,
        event: &[&str],
        now: DateTime<Utc>,
    ) -> Result<(), ClerkError> {
        self.enqueue_with(&mut compose::Encoded::default(), transaction, letter, event, now)
    }

    /// The same for one of several letters.
    fn enqueue_with(
        &self,
        encoded: &mut compose::Encoded,
        transaction: &mut Transaction,
        letter: &Letter,
        event: &[&str],
        now: DateTime<Utc>,
    ) -> Result<(), ClerkError> {
        let token = format!("{:016x}{:016x}", self.seed(event), self.seed(&[event, &["token"]].concat()));
        // The number in the event keeps the letters of one commit in order.
        let number = event.last().and_then(|n| n.parse::<u16>().ok()).unwrap_or(0);
        let id = queue::make_id(now, number, &token);
        let moment = now.with_timezone(&self.house.zone).fixed_offset();
        let stamp = compose::Stamp { id: id.clone(), now: moment, token };
        match compose::compose_with(encoded, letter, &self.sender, &stamp) {
            Ok(mail) => {
                let mut queued = queue::Queued::new(mail, letter, now, letter.expires);
                // The microseconds keep the order of a batch; due it is at once.
                queued.head.not_before = now.trunc_subsecs(0);
                transaction.enqueue(&id, queued.encode())?;
            }
            // An address that no transport could take; nothing else stops for it.
            Err(error) => tracing::warn!(to = %letter.to, %error, "a mail could not be composed"),
        }
        Ok(())
    }

    pub(super) fn enqueue_reply(
        &self,
        transaction: &mut Transaction,
        asked: &Asked,
        parts: &[Reply],
        now: DateTime<Utc>,
    ) -> Result<(), ClerkError> {
        let Asked { key, mail, from, voice, unvouched } = *asked;
        if parts.iter().all(|p| p.silent) {
            return Ok(());
        }
        let mut parts: Vec<Reply> = parts.iter().filter(|p| !p.silent).cloned().collect();
        if voice == Voice::Last
            && let Some(part) = parts.last_mut()
        {
            part.paragraphs.push(format!(
                "The judge does not know the address {}, and does not answer it again for a while. What comes from there \
                 with a right password is done all the same; the address on file is told.",
                from.address
            ));
        }
        if unvouched && let Some(part) = parts.last_mut() {
            part.paragraphs.push(
                "No server that this judge trusts says that this mail really came from its sender (DMARC). It counts all \
                 the same; if it was not yours, somebody knows your password."
                    .into(),
            );
        }
        let (subject, text) = reply::compose(&parts, &mail.subject, &self.house);
        let mut to = if voice == Voice::Mute { Vec::new() } else { vec![from.address.clone()] };
        for copy in parts.iter().flat_map(|p| &p.copies) {
            if !to.iter().any(|a| a.eq_ignore_ascii_case(copy)) {
                to.push(copy.clone());
            }
        }
        let game = parts.iter().find_map(|p| p.game.clone());
        for (n, to) in to.into_iter().enumerate() {
            let own = to.eq_ignore_ascii_case(&from.address);
            let letter = Letter {
                to,
                game: game.clone(),
                notice: if parts.iter().any(|p| p.confirms_orders) { "N12".into() } else { "reply".into() },
                subject: subject.clone(),
                text: text.clone(),
                auto: Auto::Replied,
                in_reply_to: mail.message_id.clone().filter(|_| own),
                references: if own { mail.thread() } else { Vec::new() },
                ..Letter::default()
            };
            self.enqueue(transaction, &letter, &["reply", key.as_str(), &(9000 + n).to_string()], now)?;
        }
        Ok(())
    }

    /// A reply that changes no game.
    pub(super) fn answer(&self, asked: &Asked, parts: Vec<Reply>, now: DateTime<Utc>) -> Result<(), ClerkError> {
        let mut transaction = Transaction::of_judge(format!("answer to {}", asked.from.address));
        self.enqueue_reply(&mut transaction, asked, &parts, now)?;
        transaction.ledger(&done(asked, &parts, now));
        let lock = self.archive.lock_judge(MAIL_WAIT)?;
        self.archive.commit(&lock, transaction)?;
        Ok(())
    }

    /// N61.
    pub(super) fn report_failure(&self, name: &MessageName, why: &str, now: DateTime<Utc>) -> Result<(), ClerkError> {
        // A crash between this and the burial brings the message here again.
        let plain = name.file_name().split(['~', '.']).take(3).collect::<Vec<_>>().join(".");
        let key = Key::of("failure", &plain);
        if self.is_done(&key, None, now)? {
            return Ok(());
        }
        let mut transaction = Transaction::of_judge("internal error");
        transaction.ledger(&closing(&key, outcome::DONE, now));
        let bytes = self.archive.spool().read(Room::New, name)?.unwrap_or_default();
        let mut began = String::from("It cannot be read.");
        // OPS-035: the sender is told, if the mail can be read that far.
        let read = intake::read(&bytes, &self.we, &self.limits);
        if let Ok(mail) = &read {
            // With its game, without its password.
            let first = mail.lines.iter().map(|l| l.text.trim()).find(|text| !text.is_empty());
            began = format!("It begins: {}", reply::masked(first.unwrap_or("(nothing)")));
        }
        if let Ok(mail) = read
            && !matches!(mail.disposition, Disposition::Drop(_))
            && let Some(address) = mail.sender.clone()
            && self.is_known(&address)?
        {
            let from = Sender { address, name: None, message_id: mail.message_id.clone() };
            let words: Vec<&str> = mail.lines.iter().map(|l| l.text.as_str()).collect();
            let key = Key::of_mail(mail.message_id.as_deref(), &from.address, &words.join("\n"));
            let sentence = "The judge failed over this mail. It was kept, and the judgekeeper has been told.";
            let parts = [unread(Code::Internal.name(), sentence)];
            let asked = Asked { key: &key, mail: &mail, from: &from, voice: Voice::Full, unvouched: false };
            self.enqueue_reply(&mut transaction, &asked, &parts, now)?;
        }
        for keeper in &self.house.keepers {
            let letter = Letter {
                to: keeper.clone(),
                notice: "N61".into(),
                subject: "chancery internal error".into(),
                text: format!(
                    "At {} the message {} made the judge fail:\n\n{}\n\n{began}\nIt is attached, and lies in dead/.\n",
                    stamp(now),
                    name.file_name(),
                    why.trim_end()
                ),
                attachments: vec![Attachment {
                    name: "message.txt".into(),
                    mime: "application/octet-stream".into(),
                    bytes: bytes.clone(),
                    inline: None,
                }],
                ..Letter::default()
            };
            self.enqueue(&mut transaction, &letter, &["failure", &plain, keeper], now)?;
        }
        let lock = self.archive.lock_judge(MAIL_WAIT)?;
        self.archive.commit(&lock, transaction)?;
        Ok(())
    }
}

pub fn entry(key: &Key, mark: &str, outcome: &str, now: DateTime<Utc>) -> Entry {
    let outcome = if outcome.is_empty() { "executed" } else { outcome };
    Entry { key: key.clone(), time: now, game: Some(mark.to_string()), outcome: outcome.to_string() }
}

/// The line that closes a message; its word says whether anything was refused, for the rates.
pub(super) fn done(asked: &Asked, parts: &[Reply], now: DateTime<Utc>) -> Entry {
    let word = if parts.iter().any(|p| p.outcome == outcome::RATE) {
        outcome::RATE
    } else if asked.voice == Voice::Mute {
        outcome::MUTE
    } else if parts.iter().any(Reply::has_errors) {
        outcome::ERRORS
    } else {
        outcome::DONE
    };
    closing(asked.key, word, now)
}

/// The line that closes whatever is done once.
pub(super) fn closing(key: &Key, word: &str, now: DateTime<Utc>) -> Entry {
    Entry { key: key.clone(), time: now, game: None, outcome: word.into() }
}
