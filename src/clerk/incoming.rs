//! One message from the spool to what is committed for it, its replies included (operations.md 6 and 7;
//! mail-commands.md 1.2).
//!
//! What it promises: a message is executed once, whatever dies when; each game is a commit of its own; the one reply goes
//! with the last commit.

use super::abuse::{self, Admission, Voice, outcome};
use super::links::Followed;
use super::moving::Moving;
use super::queueing::{Asked, done, entry};
use super::spooling::{Aboard, Burst, Waiting};
use super::vouching::Vouched;
use super::{Clerk, ClerkError, Loaded, secrets::PhcSecrets};
use crate::archive::spool::{MessageName, Room};
use crate::archive::{ArchiveError, GameName, Key, MAIL_WAIT, Transaction};
use crate::judge;
use crate::judge::code::{Code, Refusal};
use crate::judge::commands::{self, Block, Header, Line};
use crate::judge::edited;
use crate::judge::reply::{self, Reply};
use crate::judge::session::{Outcome, Sender, Tools};
use crate::judge::unknown;
use crate::mail::Auto;
use crate::mail::intake::{self, Disposition, Extension};
use chrono::{DateTime, Utc};
use std::time::Duration;

/// Wrong sign-ons after which the rest of a mail is not read.
const GUESSES_A_MAIL: usize = 3;

/// What became of a message.
pub(super) enum Fate {
    Executed,
    /// Decided, to be committed with others.
    Decided(Box<Aboard>),
    /// What is aboard has to be committed before this one is looked at.
    Behind,
    Dropped(&'static str),
    Held,
    /// Kept until the file of that game is mended (OPS-050).
    Waits(String),
    Quarantined(String),
}

/// A block of a message on its turn, and what it is answered by.
#[derive(Clone, Copy)]
pub(super) struct Turn<'m> {
    pub asked: Asked<'m>,
    /// The block's number, for the ledger.
    pub mark: &'m str,
    pub block: &'m Block,
    /// The last block of the message: the reply goes with its commit.
    pub last: bool,
    pub now: DateTime<Utc>,
}

impl Clerk {
    /// Reads a message and does what it says. Nothing is committed while others are aboard.
    pub(super) fn message(
        &self,
        name: &MessageName,
        waiting: &mut Waiting,
        burst: &Burst,
        alone: bool,
        now: DateTime<Utc>,
    ) -> Result<Fate, ClerkError> {
        let others = !burst.is_empty();
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
                    if others {
                        return Ok(Fate::Behind);
                    }
                    self.count_bounce(&bytes, &mail, now)?;
                }
                return Ok(Fate::Dropped(reason.word()));
            }
            _ => {}
        }
        let Some(address) = mail.sender.clone() else {
            return Ok(Fate::Quarantined("no usable sender address".into()));
        };
        if burst.is_of(&address) {
            return Ok(Fate::Behind);
        }
        let words: Vec<&str> = mail.lines.iter().map(|l| l.text.as_str()).collect();
        let key = Key::of_mail(mail.message_id.as_deref(), &address, &words.join("\n"));
        if self.is_done(&key, None, now)? {
            return Ok(Fate::Dropped("duplicate"));
        }
        let from = Sender { address, name: mail.name.clone(), message_id: mail.message_id.clone() };
        let lines: Vec<Line> = mail.lines.iter().map(|l| Line { number: l.number, text: l.text.clone() }).collect();
        let is_game = |word: &str| GameName::old(word).is_ok_and(|game| self.archive.has_game(&game));
        let (blocks, strays) = commands::read_all(&lines, &is_game);
        // What stands around the blocks is answered where it is nearly a command, in front of what they are answered.
        let mut skipped: Vec<Line> =
            mail.skipped.iter().map(|l| Line { number: l.number, text: l.text.clone() }).collect();
        skipped.extend(strays);
        let ahead = unknown::skipped(&skipped, self.people.mode()).filter(|_| !blocks.is_empty());
        let games: Vec<&str> = blocks.iter().filter_map(|b| b.header.as_ref().ok()?.game()).collect();
        // Also what needs no game waits behind earlier mail of the same sender.
        if waiting.is_behind(&from.address, &games) {
            return Ok(Fate::Held);
        }
        let voice = match self.admission(&from.address, &games, now)? {
            Admission::Yes(voice) => voice,
            _ if others => return Ok(Fate::Behind),
            Admission::No => return Ok(Fate::Dropped("rate")),
            Admission::Tell => {
                let mut reply = unread(
                    Code::Rate.name(),
                    "You have sent more mails than this judge answers in so short a time. This one was not read, nor are \
                     further ones for a while; this is the only word about it.",
                );
                reply.outcome = outcome::RATE.into();
                self.answer(
                    &Asked { key: &key, mail: &mail, from: &from, voice: Voice::Full, unvouched: false },
                    vec![reply],
                    now,
                )?;
                return Ok(Fate::Dropped("rate"));
            }
        };
        let vouched = self.vouched(&mail, &blocks);
        let asked = Asked { key: &key, mail: &mail, from: &from, voice, unvouched: vouched == Vouched::Warn };
        let answered_at_once = mail.extension.as_ref().is_some_and(|e| matches!(e, Extension::Unsubscribe(_)))
            || matches!(mail.disposition, Disposition::ReplyOnly(_));
        if others && (answered_at_once || self.people.has_bounced(&from.address)) {
            return Ok(Fate::Behind);
        }
        let acts = matches!(mail.extension, Some(Extension::Unsubscribe(_)))
            || blocks.iter().any(|block| block.header.as_ref().is_ok_and(abuse::may_act));
        if voice == Voice::Mute && !acts {
            // All there is to it would be the answer.
            return Ok(Fate::Dropped("rate"));
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
            self.answer(&asked, vec![part], now)?;
            return Ok(Fate::Executed);
        }
        if let Disposition::ReplyOnly(refusal) = &mail.disposition {
            let reply = unread(refusal.code(), refusal.sentence());
            self.answer(&asked, vec![reply], now)?;
            return Ok(Fate::Executed);
        }
        if blocks.is_empty() {
            if others {
                return Ok(Fate::Behind);
            }
            if lines.first().is_some_and(|l| l.text.trim().eq_ignore_ascii_case("SIGNOFF")) {
                return Ok(Fate::Dropped("signoff"));
            }
            if !self.is_known(&from.address)? {
                return Ok(Fate::Dropped("no-command-unknown-sender"));
            }
            self.answer(&asked, vec![unknown::no_command(&skipped, self.people.mode())], now)?;
            return Ok(Fate::Executed);
        }
        if games.iter().any(|game| burst.has(game)) {
            return Ok(Fate::Behind);
        }
        if vouched == Vouched::No {
            if others {
                return Ok(Fate::Behind);
            }
            self.refuse_unvouched(&asked, &blocks, now)?;
            return Ok(Fate::Executed);
        }
        if self.must_wait(&blocks, &from.address, now)? {
            waiting.slow(&from.address);
            return Ok(Fate::Held);
        }
        if !alone
            && ahead.is_none()
            && let [block] = blocks.as_slice()
            && let turn = (Turn { asked, mark: "0", block, last: true, now })
            && let Some(aboard) = self.come_aboard(&turn, name)?
        {
            return Ok(Fate::Decided(Box::new(aboard)));
        }
        if others {
            return Ok(Fate::Behind);
        }
        let fate = self.blocks(asked, &blocks, ahead, now)?;
        match &fate {
            Fate::Held => waiting.add(&from.address, &games),
            // That may take days.
            Fate::Waits(game) => waiting.stop(game),
            _ => {}
        }
        Ok(fate)
    }

    /// Executes the blocks of a message one after the other; the reply goes with the last commit.
    fn blocks(
        &self,
        asked: Asked,
        blocks: &[Block],
        ahead: Option<Reply>,
        now: DateTime<Utc>,
    ) -> Result<Fate, ClerkError> {
        let Asked { key, mail, from, .. } = asked;
        let mut parts: Vec<Reply> = ahead.into_iter().collect();
        for (n, block) in blocks.iter().enumerate() {
            let last = n + 1 == blocks.len();
            let mark = format!("{n}");
            // A mail is one guess or two, not two hundred (D5).
            let guesses = parts.iter().filter(|p| p.refused_as(Code::BadLogin)).count();
            let guessed_out = guesses >= GUESSES_A_MAIL;
            if guessed_out && let Some(part) = parts.last_mut() {
                part.paragraphs.push("The rest of the mail was not read: too many sign-ons in it were wrong.".into());
                self.answer(&asked, std::mem::take(&mut parts), now)?;
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
            if let Some(game) = self.faulty_game(block, now)? {
                self.tell_waiting(key, mail, from, &game, now)?;
                return Ok(Fate::Waits(game));
            }
            match self.block(&Turn { asked, mark: &mark, block, last, now }, &mut parts) {
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
        let mut loaded = self.load(&game, now)?;
        if !loaded.as_ref().is_some_and(|loaded| self.may_be_changed(loaded, now)) {
            // Perhaps nobody has seen it yet. Another valid edit is the base of what this mail changes, and needs no look.
            match self.look(&game, now) {
                Err(ClerkError::Archive(ArchiveError::Busy(_) | ArchiveError::Changed(_))) | Ok(_) => {}
                Err(error) => return Err(error),
            }
            loaded = self.load(&game, now)?;
        }
        let sound = loaded.is_some_and(|loaded| !self.is_stopped(&loaded));
        Ok((!sound).then(|| game.to_string()))
    }

    /// Whether a mail may change the game as its file is: without a fault, and with the clock that all were told of.
    fn may_be_changed(&self, loaded: &Loaded, now: DateTime<Utc>) -> bool {
        !self.is_stopped(loaded) && !edited::is_news(&loaded.table(&self.house, 0, now))
    }

    /// A message of one block about a game that can be changed now: decided, the game stays locked until the commit.
    /// `None`: not one that others can be committed with.
    fn come_aboard(&self, turn: &Turn, name: &MessageName) -> Result<Option<Aboard>, ClerkError> {
        let Ok(header) = &turn.block.header else { return Ok(None) };
        if matches!(header, Header::Create { .. } | Header::Purge { .. } | Header::Rename { .. }) {
            return Ok(None);
        }
        let Some(game) = header.game().map(|name| self.existing(name)).transpose()?.flatten() else { return Ok(None) };
        // Nobody waits for a lock who holds others. Whatever stands in the way is met again by the message alone.
        let Ok(lock) = self.archive.lock(&game, Duration::ZERO) else { return Ok(None) };
        let Some(loaded) = self.load(&game, turn.now)?.filter(|l| self.may_be_changed(l, turn.now)) else {
            return Ok(None);
        };
        let (transaction, _) = self.decide(turn, &game, &loaded, &[])?;
        let (name, sender) = (name.clone(), turn.asked.from.address.clone());
        Ok(Some(Aboard { name, sender, game, lock, transaction, now: turn.now }))
    }

    /// What a block changes in its game, and the reply so far.
    fn decide(
        &self,
        turn: &Turn,
        game: &GameName,
        loaded: &Loaded,
        parts: &[Reply],
    ) -> Result<(Transaction, Vec<Reply>), ClerkError> {
        let Turn { asked, mark, block, last, now } = *turn;
        let Asked { key, from, .. } = asked;
        let seed = self.seed(&["mail", key.as_str(), mark]);
        let secrets = PhcSecrets::new(&self.known, self.secret, seed);
        let tools = Tools { sender: from, secrets: &secrets, registry: &self.people };
        let mut table = loaded.table(&self.house, seed, now);
        let Outcome { mut decision, reply } = judge::by_mail(&mut table, block, &tools);
        let asked = self.heard(asked, decision.game.as_ref())?;
        if asked.voice == Voice::Mute {
            // LIST and its kin answer by letters of their own.
            decision.letters.retain(|l| l.auto != Auto::Replied || !l.to.eq_ignore_ascii_case(&from.address));
        }
        let mut transaction = self.transaction(game, loaded, decision, seed, now)?;
        transaction.expect("status", loaded.stamp())?;
        transaction.ledger(&entry(key, mark, &reply.outcome, now));
        if let Some((seat, _)) = block.header.as_ref().ok().and_then(abuse::claimed) {
            let failed = reply.refused_as(Code::BadLogin);
            let before = loaded.table(&self.house, seed, now);
            self.note_sign_on(&mut transaction, &before, seat, &from.address, failed, now)?;
        }
        let mut all = parts.to_vec();
        all.push(reply);
        if last {
            self.enqueue_reply(&mut transaction, &asked, &all, now)?;
            transaction.ledger(&done(&asked, &all, now));
        }
        Ok((transaction, all))
    }

    /// One block; `false`: its game cannot be read now, the message waits.
    fn block(&self, turn: &Turn, parts: &mut Vec<Reply>) -> Result<bool, ClerkError> {
        let Turn { asked, mark, block, last, now } = *turn;
        let Asked { key, from, .. } = asked;
        let seed = self.seed(&["mail", key.as_str(), mark]);
        let secrets = PhcSecrets::new(&self.known, self.secret, seed);
        let tools = Tools { sender: from, secrets: &secrets, registry: &self.people };
        let game = block.header.as_ref().ok().and_then(|h| h.game()).map(str::to_string);
        match (&block.header, game) {
            (Ok(Header::Create { game, password, variant, lines }), _) => {
                self.create(turn, &tools, (game, password, variant, lines), parts)?;
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
                        let (transaction, all) = self.decide(turn, &game, &loaded, parts)?;
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
                let refusal = self.no_such_game(&name, &block.header)?;
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
                if let Header::Confirm { code } = header {
                    self.empty_places(code, &from.address, now)?;
                }
                // Effect, letters and reply are one commit, and nobody else changes the registry in between.
                let lock = self.archive.lock_judge(MAIL_WAIT)?;
                let (part, effect) = self.house_command(header, block, &asked, now)?;
                let registered = matches!(header, Header::Confirm { .. }) && !part.has_errors();
                let asked = Asked { voice: if registered { Voice::Full } else { asked.voice }, ..asked };
                parts.push(part);
                let mut transaction = match effect {
                    Some(transaction) => transaction,
                    None if last => Transaction::of_judge(format!("answer to {}", from.address)),
                    None => return Ok(true),
                };
                transaction.ledger(&entry(key, mark, "executed", now));
                if last {
                    self.enqueue_reply(&mut transaction, &asked, parts, now)?;
                    transaction.ledger(&done(&asked, parts, now));
                }
                self.archive.commit(&lock, transaction)?;
                self.people.reload();
                return Ok(true);
            }
        }
        if last {
            self.answer(&asked, std::mem::take(parts), now)?;
        }
        Ok(true)
    }

    /// Why there is no game of the name in a header. With the power left out the first letter of the game stands for it;
    /// of games that are not in the lists nothing is said.
    fn no_such_game(&self, name: &str, header: &Result<Header, Refusal>) -> Result<Refusal, ClerkError> {
        if let Ok(Header::SignOn { seat, game, .. }) = header {
            let whole = format!("{seat}{game}").to_lowercase();
            if self.book()?.lines().iter().any(|line| line.name == whole && !line.private && !line.unlisted) {
                let sentence = format!(
                    "{whole} is the game; put the letter of your power in front of it: SIGNON F{whole} password."
                );
                return Ok(Refusal { code: Code::NoPower, sentence });
            }
        }
        let sentence = format!("There is no game {name} at this judge. LIST shows those with room.");
        Ok(Refusal { code: Code::NoGame, sentence })
    }
}

pub(super) fn unread(code: &str, sentence: &str) -> Reply {
    let mut part = Reply { outcome: "unread".into(), ..Reply::default() };
    part.detail(0, reply::Mark::Error, "your mail", code, sentence);
    part
}
