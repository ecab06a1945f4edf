//! One message from the spool to a durable commit with its replies queued (operations.md 6 and 7; mail-commands.md 1.2).
//!
//! What it promises: a message is executed once, whatever dies when; each game is a commit of its own; the one reply goes
//! with the last commit; a message that kills the worker is buried after three tries and never stops the others.

use super::abuse::{self, Admission, outcome};
use super::links::Followed;
use super::moving::Moving;
use super::queueing::{done, entry};
use super::{Clerk, ClerkError, failures, secrets::PhcSecrets};
use crate::archive::spool::{MessageName, Room, TRIES};
use crate::archive::{ArchiveError, GameName, Key, MAIL_WAIT, Transaction};
use crate::judge;
use crate::judge::code::{Code, Refusal};
use crate::judge::commands::{self, Block, Header, Line};
use crate::judge::reply::{self, Reply};
use crate::judge::session::{Outcome, Sender, Tools};
use crate::mail::intake::{self, Disposition, Extension, Intake};
use chrono::{DateTime, Utc};
use std::collections::HashSet;
use std::time::Duration;

/// What one working-off of the spool did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Worked {
    /// Messages executed or answered.
    pub executed: usize,
    /// Dropped: automatic mail, loops, duplicates.
    pub dropped: usize,
    /// Kept for later: their game is locked or cannot be read.
    pub held: usize,
    /// Buried.
    pub dead: usize,
}

/// Wrong sign-ons after which the rest of a mail is not read.
const GUESSES_A_MAIL: usize = 3;

/// Whose mail waits for the next time, so that nothing overtakes it (OPS-033).
#[derive(Default)]
struct Waiting {
    senders: HashSet<String>,
    games: HashSet<String>,
}

impl Waiting {
    /// Whether a message has to wait behind an earlier one; then it, too, is waited for.
    fn is_behind(&mut self, sender: &str, games: &[&str]) -> bool {
        let behind = self.senders.contains(sender) || games.iter().any(|game| self.games.contains(*game));
        if behind {
            self.add(sender, games);
        }
        behind
    }

    fn add(&mut self, sender: &str, games: &[&str]) {
        self.senders.insert(sender.to_string());
        self.games.extend(games.iter().map(|game| game.to_string()));
    }
}

/// What became of a message.
enum Fate {
    Executed,
    Dropped(&'static str),
    Held,
    /// Kept until the file of that game is mended (OPS-050).
    Waits(String),
    Quarantined(String),
}

impl Clerk {
    /// Works the spool off, in order of arrival.
    pub fn work(&self, now: DateTime<Utc>) -> Result<Worked, ClerkError> {
        failures::watch();
        let mut worked = Worked::default();
        let spool = self.archive.spool();
        // One worker at a time keeps the order of arrival (OPS-033); a second process finds the lock busy and goes.
        let lock = match self.archive.lock_spool() {
            Ok(lock) => lock,
            Err(ArchiveError::Busy(_)) => return Ok(worked),
            Err(error) => return Err(error.into()),
        };
        for name in spool.list(Room::Hold)? {
            if self.is_patient(&name)? {
                continue;
            }
            spool.shift(&name, Room::Hold, Room::New)?;
        }
        let mut waiting = Waiting::default();
        for (n, name) in spool.list(Room::New)?.into_iter().enumerate() {
            // Mails of this message go out behind those of the one before.
            let now = now + chrono::Duration::microseconds(i64::try_from(n).unwrap_or(0));
            if name.tries >= TRIES {
                let why = "the judge died three times over this message";
                self.report_failure(&name, why, now)?;
                spool.bury(&name, Room::New, why)?;
                worked.dead += 1;
                continue;
            }
            let Some(name) = spool.begin(&name)? else { continue };
            let fate =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.message(&name, &mut waiting, now)));
            match fate {
                Ok(Ok(Fate::Executed)) => {
                    spool.shift(&name, Room::New, Room::Done)?;
                    worked.executed += 1;
                }
                Ok(Ok(Fate::Dropped(reason))) => {
                    tracing::info!(message = %name.file_name(), reason, "dropped");
                    spool.shift(&name, Room::New, Room::Done)?;
                    worked.dropped += 1;
                }
                Ok(Ok(Fate::Held)) => {
                    let name = spool.untry(&name)?;
                    spool.shift(&name, Room::New, Room::Hold)?;
                    worked.held += 1;
                }
                Ok(Ok(Fate::Waits(game))) => {
                    let name = spool.untry(&name)?;
                    let name = spool.shift(&name, Room::New, Room::Hold)?;
                    self.wait_for(&name, &game)?;
                    worked.held += 1;
                }
                Ok(Ok(Fate::Quarantined(why))) => {
                    spool.bury(&name, Room::New, &why)?;
                    worked.dead += 1;
                }
                Ok(Err(error)) => {
                    // Nothing was decided about the message: it stays where it is.
                    spool.untry(&name)?;
                    return Err(error);
                }
                Err(panic) => {
                    let why = failures::told(panic.as_ref());
                    tracing::error!(message = %name.file_name(), why = why.lines().next(), "the judge failed over a message");
                    self.report_failure(&name, &why, now)?;
                    spool.bury(&name, Room::New, why.lines().next().unwrap_or_default())?;
                    worked.dead += 1;
                }
            }
        }
        drop(lock);
        self.publish_dirty(now);
        Ok(worked)
    }

    /// Whether anything waits in the spool.
    pub fn has_mail(&self) -> Result<bool, ClerkError> {
        Ok(!self.archive.spool().list(Room::New)?.is_empty())
    }

    fn message(&self, name: &MessageName, waiting: &mut Waiting, now: DateTime<Utc>) -> Result<Fate, ClerkError> {
        let Some(bytes) = self.archive.spool().read(Room::New, name)? else { return Ok(Fate::Dropped("gone")) };
        let mail = match intake::read(&bytes, &self.we, &self.limits) {
            Ok(mail) => mail,
            Err(panic) => return Ok(Fate::Quarantined(panic.to_string())),
        };
        match &mail.disposition {
            Disposition::Drop(intake::Reason::NoSender) => {
                return Ok(Fate::Quarantined("no usable sender address".into()));
            }
            Disposition::Drop(reason) => {
                if *reason == intake::Reason::Bounce {
                    self.count_bounce(&bytes, &mail, now)?;
                }
                return Ok(Fate::Dropped(reason.word()));
            }
            _ => {}
        }
        let Some(address) = mail.sender.clone() else {
            return Ok(Fate::Quarantined("no usable sender address".into()));
        };
        let words: Vec<&str> = mail.lines.iter().map(|l| l.text.as_str()).collect();
        let key = Key::of_mail(mail.message_id.as_deref(), &address, &words.join("\n"));
        if self.is_done(&key, None, now)? {
            return Ok(Fate::Dropped("duplicate"));
        }
        let from = Sender { address, name: mail.name.clone(), message_id: mail.message_id.clone() };
        let lines: Vec<Line> = mail.lines.iter().map(|l| Line { number: l.number, text: l.text.clone() }).collect();
        let games = self.game_names()?;
        let blocks = commands::read(&lines, &|word| games.iter().any(|g| g.as_str() == word));
        let games: Vec<&str> = blocks.iter().filter_map(|b| b.header.as_ref().ok()?.game()).collect();
        // Also what needs no game waits behind earlier mail of the same sender.
        if waiting.is_behind(&from.address, &games) {
            return Ok(Fate::Held);
        }
        match self.admission(&from.address, now)? {
            Admission::Yes => {}
            Admission::No => return Ok(Fate::Dropped("rate")),
            Admission::Tell => {
                let mut reply = unread(
                    Code::Rate.name(),
                    "You have sent more mails than this judge answers in so short a time. This one was not read, nor are \
                     further ones for a while; this is the only word about it.",
                );
                reply.outcome = outcome::RATE.into();
                self.answer(&key, &mail, &from, vec![reply], now)?;
                return Ok(Fate::Dropped("rate"));
            }
        }
        self.heard_from(&from.address)?;
        if let Some(Extension::Unsubscribe(token)) = &mail.extension {
            let said = match self.unsubscribe(token, true, now) {
                Ok(Followed::Done(said)) => said,
                // What is no link of ours gets no answer.
                Ok(_) => return Ok(Fate::Dropped("unsubscribe")),
                Err(error) if error.is_temporary() => return Ok(Fate::Held),
                Err(error) => return Err(error),
            };
            let mut part = Reply { outcome: "executed".into(), ..Reply::default() };
            part.paragraphs.push(said);
            self.answer(&key, &mail, &from, vec![part], now)?;
            return Ok(Fate::Executed);
        }
        if let Disposition::ReplyOnly(refusal) = &mail.disposition {
            let reply = unread(refusal.code(), refusal.sentence());
            self.answer(&key, &mail, &from, vec![reply], now)?;
            return Ok(Fate::Executed);
        }
        if blocks.is_empty() {
            if lines.first().is_some_and(|l| l.text.trim().eq_ignore_ascii_case("SIGNOFF")) {
                return Ok(Fate::Dropped("signoff"));
            }
            if !self.is_known(&from.address)? {
                return Ok(Fate::Dropped("no-command-unknown-sender"));
            }
            let sentence = "The mail holds no command. It has to begin with a line like SIGNON Fgame password, or HELP. The subject is never read.";
            self.answer(&key, &mail, &from, vec![unread(Code::NoCommand.name(), sentence)], now)?;
            return Ok(Fate::Executed);
        }
        if self.must_wait(&blocks, &from.address, now)? {
            // Only his own mail waits behind it: wrong passwords must not stop a game for the others (D5).
            waiting.add(&from.address, &[]);
            return Ok(Fate::Held);
        }
        let fate = self.blocks(&key, &mail, &from, &blocks, now)?;
        match &fate {
            Fate::Held => waiting.add(&from.address, &games),
            // His other games need not wait for a file that may take days to be mended.
            Fate::Waits(game) => {
                waiting.games.insert(game.clone());
            }
            _ => {}
        }
        Ok(fate)
    }

    /// Executes the blocks of a message one after the other; the reply goes with the last commit.
    fn blocks(
        &self,
        key: &Key,
        mail: &Intake,
        from: &Sender,
        blocks: &[Block],
        now: DateTime<Utc>,
    ) -> Result<Fate, ClerkError> {
        let mut parts: Vec<Reply> = Vec::new();
        for (n, block) in blocks.iter().enumerate() {
            let last = n + 1 == blocks.len();
            let mark = format!("{n}");
            // A mail is one guess or two, not two hundred (D5).
            let guesses = parts.iter().filter(|p| p.refused_as(Code::BadLogin)).count();
            let guessed_out = guesses >= GUESSES_A_MAIL;
            if guessed_out && let Some(part) = parts.last_mut() {
                part.paragraphs.push("The rest of the mail was not read: too many sign-ons in it were wrong.".into());
                self.answer(key, mail, from, std::mem::take(&mut parts), now)?;
                return Ok(Fate::Executed);
            }
            if !last && self.is_done(key, Some(&mark), now)? {
                let mut part = Reply::default();
                part.note(
                    block.line.number,
                    reply::Mark::Ok,
                    format!("{} (done before an interruption)", reply::masked(&block.line.text)),
                );
                parts.push(part);
                continue;
            }
            let finish = if last { Some(()) } else { None };
            if let Some(game) = self.faulty_game(block, now)? {
                self.tell_waiting(key, mail, from, &game, now)?;
                return Ok(Fate::Waits(game));
            }
            match self.block(key, &mark, mail, from, block, &mut parts, finish, now) {
                Ok(true) => {}
                Ok(false) => return Ok(Fate::Held),
                // Blocked: recorded, and finished as soon as there is room; then the ledger knows the message.
                Err(ClerkError::Archive(ArchiveError::Busy(_) | ArchiveError::Blocked { .. })) => {
                    return Ok(Fate::Held);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Fate::Executed)
    }

    /// The game of a block, if its file has errors.
    fn faulty_game(&self, block: &Block, now: DateTime<Utc>) -> Result<Option<String>, ClerkError> {
        let name = match &block.header {
            Ok(Header::Create { .. }) | Err(_) => return Ok(None),
            Ok(header) => header.game(),
        };
        let Some(game) = name.map(|n| self.existing(n)).transpose()?.flatten() else { return Ok(None) };
        let sound = self.load(&game, now)?.is_some_and(|loaded| !self.is_stopped(&loaded));
        if !sound {
            // Perhaps nobody has seen it yet. A valid edit is the base of what this mail changes, and needs no look.
            match self.look(&game, now) {
                Err(ClerkError::Archive(ArchiveError::Busy(_) | ArchiveError::Changed(_))) | Ok(_) => {}
                Err(error) => return Err(error),
            }
        }
        Ok((!sound).then(|| game.to_string()))
    }

    /// One block; `false`: its game cannot be read now, the message waits.
    #[allow(clippy::too_many_arguments)]
    fn block(
        &self,
        key: &Key,
        mark: &str,
        mail: &Intake,
        from: &Sender,
        block: &Block,
        parts: &mut Vec<Reply>,
        finish: Option<()>,
        now: DateTime<Utc>,
    ) -> Result<bool, ClerkError> {
        let seed = self.seed(&["mail", key.as_str(), mark]);
        let secrets = PhcSecrets::new(&self.known, self.secret, seed);
        let tools = Tools { sender: from, secrets: &secrets, registry: &self.people };
        let game = block.header.as_ref().ok().and_then(|h| h.game()).map(str::to_string);
        match (&block.header, game) {
            (Ok(Header::Create { game, password, variant, lines }), _) => {
                self.create(
                    key,
                    mark,
                    mail,
                    from,
                    block,
                    &tools,
                    (game, password, variant, lines),
                    parts,
                    finish,
                    now,
                )?;
                return Ok(true);
            }
            (Ok(header @ (Header::Purge { .. } | Header::Rename { .. })), _) => {
                let moving = match header {
                    Header::Rename { game, new, password, token } => {
                        Moving { game, new: Some(new), password, token: token.as_deref() }
                    }
                    Header::Purge { game, password, token } => {
                        Moving { game, new: None, password, token: token.as_deref() }
                    }
                    _ => return Ok(true),
                };
                let entry = entry(key, mark, "executed", now);
                // Done before an interruption: the game is no longer there to be asked.
                let part = if self.is_done(key, Some(mark), now)? {
                    let mut part = Reply { outcome: "executed".into(), ..Reply::default() };
                    let shown = reply::masked(&block.line.text);
                    part.note(block.line.number, reply::Mark::Ok, format!("{shown}: done"));
                    part
                } else {
                    self.move_game(&moving, &block.line, &secrets, &entry, now)?
                };
                if part.refused_as(Code::BadLogin) {
                    // The game is untouched; the failure counts like one of a sign-on (D5).
                    let game = GameName::old(moving.game)?;
                    let lock = self.archive.lock(&game, MAIL_WAIT)?;
                    if let Some(loaded) = self.load(&game, now)? {
                        let mut transaction = Transaction::of_game(&game, "a wrong password");
                        let table = loaded.table(&self.house, seed, now);
                        self.note_sign_on(&mut transaction, &table, "M", &from.address, true, now)?;
                        self.archive.commit(&lock, transaction)?;
                    }
                }
                parts.push(part);
            }
            (Ok(_), Some(name)) => {
                if let Some(game) = self.existing(&name)? {
                    let lock = self.archive.lock(&game, MAIL_WAIT.min(Duration::from_secs(10)))?;
                    for _ in 0..5 {
                        let Some(loaded) = self.load(&game, now)?.filter(|l| !self.is_stopped(l)) else {
                            return Ok(false);
                        };
                        let mut table = loaded.table(&self.house, seed, now);
                        let outcome = judge::by_mail(&mut table, block, &tools);
                        let status = loaded.stamp();
                        let Outcome { decision, reply } = outcome;
                        let mut transaction = self.transaction(&game, &loaded, decision, seed, now)?;
                        transaction.expect("status", status)?;
                        transaction.ledger(&entry(key, mark, &reply.outcome, now));
                        if let Some((seat, _)) = block.header.as_ref().ok().and_then(abuse::claimed) {
                            let failed = reply.refused_as(Code::BadLogin);
                            let before = loaded.table(&self.house, seed, now);
                            self.note_sign_on(&mut transaction, &before, seat, &from.address, failed, now)?;
                        }
                        let mut all = parts.clone();
                        all.push(reply);
                        if finish.is_some() {
                            self.enqueue_reply(&mut transaction, key, mail, from, &all, now)?;
                            transaction.ledger(&done(key, &all, now));
                        }
                        self.mark(&game);
                        match self.archive.commit(&lock, transaction) {
                            Ok(_) => {
                                *parts = all;
                                drop(lock);
                                return Ok(true);
                            }
                            // A hand edit came in between: decide again on what stands there now (OPS-043).
                            Err(ArchiveError::Changed(_)) => continue,
                            Err(error) => return Err(error.into()),
                        }
                    }
                    return Ok(false);
                }
                let mut part = Reply::default();
                let refusal = Refusal {
                    code: Code::NoGame,
                    sentence: format!("There is no game {name} at this judge. LIST shows those with room."),
                };
                part.refuse(&block.line, &refusal);
                part.outcome = "refused".into();
                parts.push(part);
            }
            (Err(refusal), _) => {
                let mut part = Reply::default();
                part.refuse(&block.line, refusal);
                part.outcome = "refused".into();
                parts.push(part);
            }
            (Ok(header), None) => {
                // Effect, letters and reply are one commit, and nobody else changes the registry in between.
                let lock = self.archive.lock_judge(MAIL_WAIT)?;
                let (part, effect) = self.house_command(header, block, from, mail, key, now)?;
                parts.push(part);
                let mut transaction = match effect {
                    Some(transaction) => transaction,
                    None if finish.is_some() => Transaction::of_judge(format!("answer to {}", from.address)),
                    None => return Ok(true),
                };
                transaction.ledger(&entry(key, mark, "executed", now));
                if finish.is_some() {
                    self.enqueue_reply(&mut transaction, key, mail, from, parts, now)?;
                    transaction.ledger(&done(key, parts, now));
                }
                self.archive.commit(&lock, transaction)?;
                self.people.reload();
                return Ok(true);
            }
        }
        if finish.is_some() {
            self.answer(key, mail, from, std::mem::take(parts), now)?;
        }
        Ok(true)
    }
}

pub(super) fn unread(code: &str, sentence: &str) -> Reply {
    let mut part = Reply { outcome: "unread".into(), ..Reply::default() };
    part.detail(0, reply::Mark::Error, "your mail", code, sentence);
    part
}
