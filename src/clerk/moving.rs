//! PURGE and RENAME (mail-commands.md 3.8): the first mail is answered with a token, the second, with the token, does it.
//! The token is a mark of the judge over what is to be done and the day: nothing has to be remembered between the two.

use super::{Clerk, ClerkError, Loaded};
use crate::archive::{ArchiveError, Entry, GameName, MAIL_WAIT, Transaction};
use crate::judge::code::{Code, Refusal, refuse};
use crate::judge::commands::Line;
use crate::judge::post::{Circle, Recipient};
use crate::judge::reply::{self, Mark, Reply};
use crate::judge::signon::{Rank, SignedOn, sign_on};
use crate::judge::table::{Secrets, Table, is_dummy};
use crate::judge::{GameState, IndexLine};
use chrono::{DateTime, Duration, Utc};

/// What is to be done with the game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving<'a> {
    /// Its name.
    pub game: &'a str,
    /// The new name; `None`: PURGE.
    pub new: Option<&'a str>,
    /// Master's or keeper's password.
    pub password: &'a str,
    /// The token of the first answer.
    pub token: Option<&'a str>,
}

/// Hex digits of a token.
const DIGITS: usize = 10;

impl Clerk {
    fn moving_token(&self, moving: &Moving, day: DateTime<Utc>) -> String {
        let day = day.format("%Y%m%d").to_string();
        self.sender.secret.mark("moving", &[moving.game, moving.new.unwrap_or("-"), &day], DIGITS)
    }

    /// Answers the first mail, obeys the second. `entry` is the ledger line of this block.
    pub(super) fn move_game(
        &self,
        moving: &Moving,
        line: &Line,
        secrets: &dyn Secrets,
        entry: &Entry,
        now: DateTime<Utc>,
    ) -> Result<Reply, ClerkError> {
        let mut part = Reply { game: Some(moving.game.to_string()), outcome: "executed".into(), ..Reply::default() };
        let game = match self.existing(moving.game)? {
            Some(game) => game,
            None => {
                let sentence = format!("There is no game {} at this judge.", moving.game);
                return Ok(refused(part, line, &Refusal { code: Code::NoGame, sentence }));
            }
        };
        let new = match moving.new.map(GameName::new).transpose() {
            Ok(new) => new,
            Err(error) => {
                return Ok(refused(part, line, &Refusal { code: Code::Syntax, sentence: error.to_string() }));
            }
        };
        let taken = || Refusal { code: Code::Syntax, sentence: "There is a game of that name already.".into() };
        let locks = match &new {
            Some(new) => self.archive.lock_rename(&game, new, MAIL_WAIT),
            None => {
                self.archive.lock(&game, MAIL_WAIT).and_then(|lock| Ok((lock, self.archive.lock_index(MAIL_WAIT)?)))
            }
        };
        let (lock, index_lock) = match locks {
            Err(ArchiveError::GameExists(_)) => return Ok(refused(part, line, &taken())),
            other => other?,
        };
        let Some(loaded) = self.load(&game, now)? else {
            let sentence = "The status file of the game cannot be read; write to the judgekeeper.".into();
            return Ok(refused(part, line, &Refusal { code: Code::BadState, sentence }));
        };
        let table = loaded.table(&self.house, 0, now);
        if let Err(refusal) = sign_on(&table, "M", moving.password, secrets).and_then(|on| allowed(&table, &on, moving))
        {
            return Ok(refused(part, line, &refusal));
        }
        let good = |token: &str| {
            let days = [now, now - Duration::days(1)];
            days.iter().any(|day| self.moving_token(moving, *day).eq_ignore_ascii_case(token))
        };
        match moving.token {
            Some(token) if good(token) => {}
            Some(_) => {
                let sentence = "The last word is not the token of our first answer, or older than a day.".into();
                return Ok(refused(part, line, &Refusal { code: Code::Syntax, sentence }));
            }
            None => {
                let words = match moving.new {
                    Some(new) => format!("RENAME {} {new} password", moving.game),
                    None => format!("PURGE {} password", moving.game),
                };
                part.note(line.number, Mark::Ok, format!("{}: not done yet", reply::masked(&line.text)));
                part.paragraphs.push(format!(
                    "To make sure that you mean it, send the same line again with this word\nat its end, today or \
                     tomorrow:\n\n    {words} {}",
                    self.moving_token(moving, now)
                ));
                return Ok(part);
            }
        }
        let mut transaction = Transaction::of_game(&game, if new.is_some() { "renamed" } else { "purged" });
        transaction.expect("status", loaded.stamp())?;
        transaction.unindex(&game);
        let (notice, subject, text) = match &new {
            Some(new) => {
                self.renamed(&mut transaction, &loaded, new)?;
                let url = format!("{}/game/{new}", self.house.url);
                ("N30", "Game name change", format!("Game {game} is called {new} from now on.\nIts page: {url}\n"))
            }
            None => {
                transaction.trash_game(now);
                ("N31", "Game purged", format!("Game {game} has been taken down by its Master.\n"))
            }
        };
        let mut to: Vec<Recipient> = table.circle(Circle::Everyone);
        let known = |address: &String| to.iter().any(|r| r.address.eq_ignore_ascii_case(address));
        let notified: Vec<String> = self.notified(loaded.game()).into_iter().filter(|a| !known(a)).collect();
        to.extend(notified.into_iter().map(|address| Recipient { address, seat: None }));
        for (n, letter) in table.letters(&to, notice, subject, &text).iter().enumerate() {
            self.enqueue(&mut transaction, letter, &[notice, entry.key.as_str(), &n.to_string()], now)?;
        }
        transaction.ledger(entry);
        // Pages of the old name go, those of the new one come.
        self.mark(&game);
        self.archive.commit_indexed(&lock, &index_lock, transaction)?;
        part.note(line.number, Mark::Ok, format!("{}: done", reply::masked(&line.text)));
        drop((lock, index_lock));
        if let Some(new) = new {
            self.mark(&new);
        }
        Ok(part)
    }

    fn renamed(&self, transaction: &mut Transaction, loaded: &Loaded, new: &GameName) -> Result<(), ClerkError> {
        let mut game = loaded.game().clone();
        game.name = new.to_string();
        transaction.replace("status", loaded.rewritten(&game)?)?;
        let line = IndexLine { name: new.to_string(), ..loaded.index().clone() };
        transaction.index(new, crate::status::index::line(&line));
        transaction.move_game(new);
        Ok(())
    }
}

fn refused(mut part: Reply, line: &Line, refusal: &Refusal) -> Reply {
    part.refuse(line, refusal);
    part.paragraphs.push("Nothing was changed.".into());
    part.outcome = "refused".into();
    part
}

/// Who may do it when (status-file.md 10.4).
fn allowed(table: &Table, on: &SignedOn, moving: &Moving) -> Result<(), Refusal> {
    let empty = || table.game.participants.iter().all(is_dummy);
    let fits = match table.index.state {
        _ if moving.new.is_some() || on.rank == Rank::Keeper => true,
        GameState::Preparation => true,
        GameState::Forming => empty(),
        _ => false,
    };
    if fits {
        Ok(())
    } else {
        refuse(Code::BadState, "A game that people play in is taken down by the judgekeeper only; write to him.")
    }
}
