//! Commands about no game that exists: LIST, SEARCH, HELP, the registry, CREATE (mail-commands.md 3.1, 3.7, 3.9, 7).

use super::abuse::Voice;
use super::incoming::Turn;
use super::queueing::{Asked, done, entry};
use super::{Clerk, ClerkError, stamp};
use crate::archive::{ArchiveError, Content, GameName, Key, MAIL_WAIT, Stamp, Transaction};
use crate::judge::code::{Code, Refusal, refuse};
use crate::judge::commands::{Block, Header, Line};
use crate::judge::create::{self, Census};
use crate::judge::reply::{self, Reply};
use crate::judge::session::{Sender, Tools};
use crate::judge::{self, help, lists};
use crate::mail::Letter;
use crate::site::{CreateBy, NotifyMaps};
use crate::status::Game;
use chrono::{DateTime, Utc};

impl Clerk {
    /// Commands about no game: LIST, SEARCH, HELP, the registry. The reply, and what has to be committed besides.
    pub(super) fn house_command(
        &self,
        header: &Header,
        block: &Block,
        asked: &Asked,
        now: DateTime<Utc>,
    ) -> Result<(Reply, Option<Transaction>), ClerkError> {
        let Asked { key, mail, from, voice, .. } = *asked;
        let mut part = Reply { outcome: "answered".into(), ..Reply::default() };
        let mut effect = None;
        let shown = reply::masked(&block.line.text);
        match header {
            Header::List { game: None } | Header::Search { .. } => {
                let search = match header {
                    Header::Search { words } => match lists::Search::read(words) {
                        Ok(search) => Some(search),
                        Err(refusal) => {
                            part.refuse(&block.line, &refusal);
                            part.outcome = "refused".into();
                            return Ok((part, None));
                        }
                    },
                    _ => None,
                };
                let openings = self.openings(search.as_ref(), now)?;
                let searched = search.is_some();
                let mut letter = lists::openings_letter(&self.house, &openings, &from.address, searched);
                letter.in_reply_to = mail.message_id.clone();
                let mut transaction = Transaction::of_judge(format!("LIST for {}", from.address));
                if voice != Voice::Mute {
                    self.enqueue(&mut transaction, &letter, &["list", key.as_str()], now)?;
                }
                effect = Some(transaction);
                part.silent = true;
            }
            Header::Help { topic } => {
                part.note(block.line.number, reply::Mark::Ok, shown);
                let standings = if topic.is_none() { self.standings(&from.address, now)? } else { Vec::new() };
                part.paragraphs.push(if standings.is_empty() {
                    help::topic(&self.house, topic.as_deref())
                } else {
                    help::for_sender(&self.house, &standings)
                });
            }
            Header::Version => {
                part.note(block.line.number, reply::Mark::Ok, format!("chancery {}", env!("CARGO_PKG_VERSION")));
            }
            other => {
                let seed = self.seed(&["registry", key.as_str()]);
                let who = self.people.known(&from.address);
                let playing = who.as_ref().map_or(Ok(false), |who| self.plays(who))?;
                let (answer, letters, file) =
                    self.people.command(other, &block.line, from, &self.house, playing, now, seed);
                if let Some(bytes) = file {
                    let mut transaction = Transaction::of_judge(format!("registry: {}", from.address));
                    transaction.replace("registry/people.json", bytes)?;
                    for (n, letter) in letters.iter().enumerate() {
                        self.enqueue(&mut transaction, letter, &["registry", key.as_str(), &n.to_string()], now)?;
                    }
                    effect = Some(transaction);
                }
                part = answer;
                if let (Header::WhoAmI, Some(who)) = (other, who) {
                    part.paragraphs.push(match self.places(&who, now)?.as_slice() {
                        [] => "You have no place in a game.".to_string(),
                        places => {
                            format!("Your games:\n{}", places.iter().map(|p| format!("  {p}\n")).collect::<String>())
                        }
                    });
                }
            }
        }
        Ok((part, effect))
    }

    pub(super) fn create(
        &self,
        turn: &Turn,
        tools: &Tools,
        (name, password, variant, lines): (&str, &str, &str, &[Line]),
        parts: &mut Vec<Reply>,
    ) -> Result<(), ClerkError> {
        let Turn { asked, mark, block, last, now } = *turn;
        let Asked { key, from, .. } = asked;
        let mut part = Reply { game: Some(name.to_string()), outcome: "refused".into(), ..Reply::default() };
        let game = GameName::new(name)?;
        let census = self.census(name, &from.address, now)?;
        let read = |variant: &str, lines: &[Line]| self.read_lines(name, variant, lines);
        let creation = self
            .may_create(&from.address)
            .and_then(|()| create::create(&self.house, tools, census, name, password, variant, lines, &read));
        let locked = match creation {
            Err(refusal) => {
                part.refuse(&block.line, &refusal);
                None
            }
            Ok(creation) if !creation.faults.is_empty() => {
                for (number, sentence) in &creation.faults {
                    part.detail(*number, reply::Mark::Error, "(a line of the game)", "R_BAD_FILE", sentence);
                }
                part.paragraphs.push("No game was made.".into());
                None
            }
            Ok(creation) => match self.archive.lock_new(&game, MAIL_WAIT) {
                Ok(locks) => Some((creation, locks)),
                Err(ArchiveError::GameExists(_)) => {
                    let refusal = Refusal {
                        code: Code::Syntax,
                        sentence: format!("There is a game called {name} already; choose another name."),
                    };
                    part.refuse(&block.line, &refusal);
                    None
                }
                Err(error) => return Err(error.into()),
            },
        };
        let Some((creation, (lock, index_lock))) = locked else {
            parts.push(part);
            if last {
                self.answer(&asked, std::mem::take(parts), now)?;
            }
            return Ok(());
        };
        part.outcome = "executed".into();
        part.note(block.line.number, reply::Mark::Ok, reply::masked(&block.line.text));
        let (mut transaction, state) = self.founding(&game, &creation, key, from, &mut part, now)?;
        let page = format!("{}/game/{name}/", self.house.url.trim_end_matches('/'));
        let next = match state {
            judge::GameState::Preparation => "To let players join send SIGNON M{name} password and FORM.\n",
            judge::GameState::Forming => "Players can join now.\n",
            _ => "It has begun.\n",
        };
        let next = next.replace("{name}", name);
        part.paragraphs.push(format!("Game {name} has been made; it is {}.\nIts page: {page}\n{next}", state.word()));
        for observer in &self.told_of_new(&creation.game) {
            let letter = Letter {
                to: observer.clone(),
                game: Some(name.into()),
                notice: "N01".into(),
                subject: format!("Game creation ({name})"),
                text: format!(
                    "{} has opened game {name} on the map {}; it is {}.\nIts page: {page}\n",
                    from.address,
                    creation.game.map,
                    state.word()
                ),
                ..Letter::default()
            };
            self.enqueue(&mut transaction, &letter, &["create", key.as_str(), observer], now)?;
        }
        transaction.ledger(&entry(key, mark, "executed", now));
        parts.push(part);
        if last {
            let asked = self.heard(asked, Some(&creation.game))?;
            self.enqueue_reply(&mut transaction, &asked, parts, now)?;
            transaction.ledger(&done(&asked, parts, now));
        }
        self.mark(&game);
        self.archive.commit_indexed(&lock, &index_lock, transaction)?;
        drop((lock, index_lock));
        Ok(())
    }

    /// Who is told that there is a new game, beside its Master (notices.md N01): the host's observers, and the keepers
    /// where `judge.notify_maps` says so. What somebody plays alone or tries out is nobody's business.
    fn told_of_new(&self, game: &Game) -> Vec<String> {
        if game.tester.is_some() || game.rules.iter().any(|rule| rule == "SOLITAIRE") {
            return Vec::new();
        }
        let keepers = self.house.keepers.iter().filter(|_| self.watches_map(game));
        let mut all: Vec<String> = self.house.observers.iter().chain(keepers).cloned().collect();
        for address in self.notified(game) {
            if !all.iter().any(|known| known.eq_ignore_ascii_case(&address)) {
                all.push(address);
            }
        }
        all
    }

    /// Whether the configuration wants games on such a map to be told of.
    fn watches_map(&self, game: &Game) -> bool {
        match self.site.config.judge.notify_maps {
            NotifyMaps::All => true,
            NotifyMaps::Trial => game.trial,
            NotifyMaps::None => false,
        }
    }

    /// The addresses of the map's NOTIFY lines. Maps that have come from elsewhere name people who never asked for our
    /// mail, so nothing is sent unless the configuration allows it (map-file.md 3).
    pub(super) fn notified(&self, game: &Game) -> Vec<String> {
        let notify = || self.maps.of(game).map(|compiled| compiled.map.notify.clone()).unwrap_or_default();
        if self.watches_map(game) { notify() } else { Vec::new() }
    }

    /// The first commit of a game. FORM with no seat to fill (SOLITAIRE, a board of dummies) begins it at once
    /// (mail-commands.md 3.7).
    fn founding(
        &self,
        game: &GameName,
        creation: &create::Creation,
        key: &Key,
        from: &Sender,
        part: &mut Reply,
        now: DateTime<Utc>,
    ) -> Result<(Transaction, judge::GameState), ClerkError> {
        let text = crate::status::canonical(&creation.game).into_bytes();
        let audit = format!("{} created the game", from.address);
        let content = Content { stamp: Stamp::of(&text), bytes: text.clone() };
        if creation.index.state == judge::GameState::Forming
            && let Some(loaded) = self.read_as(game, content)?
        {
            let seed = self.seed(&["create", key.as_str()]);
            let mut table = loaded.table(&self.house, seed, now);
            table.index = creation.index.clone();
            if table.open_seats() == 0 {
                let mut desk = judge::session::Desk::new(&mut table);
                match judge::beginning::begin(&mut desk) {
                    Ok(()) => {
                        let decision = desk.close(&creation.game, &creation.index, audit).decision;
                        return Ok((self.transaction(game, &loaded, decision, seed, now)?, judge::GameState::Active));
                    }
                    Err(reason) => part.paragraphs.push(format!("The game could not begin: {reason}.")),
                }
            }
        }
        let mut transaction = Transaction::of_game(game, format!("{} {audit}", stamp(now)));
        transaction.replace("status", text)?;
        transaction.index(game, crate::status::index::line(&creation.index));
        Ok((transaction, creation.index.state))
    }

    /// Whether somebody may create games at all (`games.create_by`).
    fn may_create(&self, address: &str) -> Result<(), Refusal> {
        match self.site.config.games.create_by {
            // Where there is a register, nobody is found who is not in it.
            CreateBy::Anyone => Ok(()),
            CreateBy::Registered if self.people.is_registered(address) => Ok(()),
            CreateBy::Registered => {
                refuse(Code::NotRegistered, "Only people in this judge's register create games here.")
            }
            CreateBy::Keeper if self.house.is_keeper(address) => Ok(()),
            CreateBy::Keeper => refuse(Code::BadState, "Only the judgekeeper creates games here; ask him for one."),
        }
    }

    fn census(&self, name: &str, master: &str, now: DateTime<Utc>) -> Result<Census, ClerkError> {
        let mut census = Census { taken: self.existing(name)?.is_some(), ..Census::default() };
        for line in self.book()?.lines() {
            if matches!(line.state, judge::GameState::Preparation | judge::GameState::Forming) {
                census.forming += 1;
                let game = GameName::old(&line.name)?;
                if let Some(loaded) = self.load(&game, now)?
                    && loaded.game().address.iter().any(|a| a.eq_ignore_ascii_case(master))
                {
                    census.of_master += 1;
                }
            }
        }
        Ok(census)
    }
}
