//! One round of the clock over all games (operations.md 10): the guard, the lock, each game by itself. A game that the
//! agenda knows to sleep, and that nobody has touched since, is not opened. What the others come to is committed by the
//! dozen, so that they wait for the disk together.

use super::agenda::{Agenda, Glimpse};
use super::checking::{Checked, Checks, Decided};
use super::owed::{Debt, Owed};
use super::{Clerk, ClerkError, stamp};
use crate::archive::{ArchiveError, Entry, GameName, Key, MAIL_WAIT, Stamp, Transaction};
use crate::clock::round::{CheckTim, Permit, Schedule, Suspension, first_of_day, permit};
use crate::judge::GameState;
use crate::judge::round::Round;
use crate::mail::Letter;
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// Games whose changes are put on the disk together at the most; they stay locked meanwhile.
pub(super) const TOGETHER: usize = 64;
/// Files that these changes write at the most, unless one game alone has more: all are open until they are synced, and with
/// the locks there may be 1,024.
pub(super) const FILES: usize = 512;
/// A file that somebody edits just now is read again so often (OPS-043).
const TRIES: u8 = 5;

/// How a round is run.
#[derive(Clone, Debug, Default)]
pub struct TickOptions {
    /// One round regardless of an outage.
    pub no_guard: bool,
    /// Only active games: no reminder about one that is not played.
    pub active: bool,
    /// Only the daily reminders: no game is checked, and no round counted.
    pub reminders: bool,
    /// Only these games.
    pub games: Vec<String>,
}

/// What a round did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ticked {
    /// Games that the round was about.
    pub games: usize,
    /// Those of them whose files were opened; the others sleep.
    pub opened: usize,
    /// Phases processed: game and phase.
    pub processed: Vec<(String, String)>,
    /// Games that could not be checked, and why.
    pub failed: Vec<(String, String)>,
    /// A failure that does not pass by itself is among them.
    pub is_broken: bool,
    /// Why the round did nothing, if so.
    pub idle: Option<Idle>,
    /// Games whose file was edited while their change was on its way.
    again: Vec<(GameName, Round)>,
    /// Games that could not be checked, or whose change could not be stored.
    owed: Owed,
}

/// Why a round did nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Idle {
    /// The lock is taken.
    #[error("another round is running")]
    Busy,
    /// There was one in these twenty minutes.
    #[error("this round was counted already")]
    Counted,
    /// The keeper has to look first.
    #[error("suspended: {0}")]
    Suspended(String),
    /// So many minutes; for so long there is no round.
    #[error("the clock was set back by {0} minutes")]
    SetBack(i64),
}

/// A round that may be run.
struct Begun {
    /// What `check.tim` holds afterwards.
    next: CheckTim,
    /// When the round before was.
    previous: Option<DateTime<Utc>>,
    /// Only these games; none: all.
    only: Vec<String>,
    /// What stays owed whatever this round does.
    later: Owed,
}

/// Games that were decided, and wait for their commit.
#[derive(Default)]
struct Pending {
    games: Vec<Decided>,
    files: usize,
}

impl Clerk {
    /// One round, and the pages of what it has changed.
    pub fn tick(self: &Arc<Self>, now: DateTime<Utc>, options: &TickOptions) -> Result<Ticked, ClerkError> {
        let ticked = self.round(now, options)?;
        self.publish_notice();
        // Also what a round that died, or was counted, has left to be published.
        self.publish_dirty(now);
        Ok(ticked)
    }

    /// One round.
    pub fn round(self: &Arc<Self>, now: DateTime<Utc>, options: &TickOptions) -> Result<Ticked, ClerkError> {
        let mut ticked = Ticked::default();
        let lock = match self.archive.lock_round() {
            Ok(lock) => lock,
            Err(ArchiveError::Busy(_)) => {
                ticked.idle = Some(Idle::Busy);
                return Ok(ticked);
            }
            Err(error) => return Err(error.into()),
        };
        let everything = options.games.is_empty() && !options.reminders;
        let owed = if everything { self.owed()? } else { Owed::default() };
        let begun = match self.begin(options, &owed, now)? {
            Ok(begun) => begun,
            Err(idle) => {
                ticked.idle = Some(idle);
                return Ok(ticked);
            }
        };
        let Begun { next, previous, only, later } = begun;
        ticked.owed = later;
        let sched = &self.site.config.sched;
        let daily = options.reminders || first_of_day(previous, now, sched.reminders.0);
        let round = Round { previous, daily, only_daily: options.reminders };
        let (world, book, unfinished) = (self.world(), self.book()?, self.archive.unfinished()?);
        // Who asks for a game by name wants it looked at.
        let whole = everything && only.is_empty();
        let before = if whole { self.agenda(&world) } else { Agenda::default() };
        let room = self.archive.games_room()?;
        let (mut sleepers, mut after) = (before.in_order(), Agenda::default());
        let mut checks = Checks::new(self, next.round, now);
        let mut pending = Pending::default();
        for line in book.lines() {
            let name = line.name.as_str();
            // A game that no daily reminder has reached yet is owed one.
            let round = owed.with(name, round);
            let worth = worth_checking(line.state, round.daily && !options.active);
            if !worth && worth_checking(line.state, round.daily) {
                ticked.owed.keep(name, &owed);
            }
            if !worth || !only.is_empty() && !only.contains(&line.name) {
                continue;
            }
            ticked.games += 1;
            let checked = GameName::old(name).map_err(ClerkError::from).and_then(|game| {
                let glimpse = Glimpse::of(&room, &game, line)?;
                let known = sleepers.known(name, glimpse.mark);
                if let Some(entry) = known.filter(|entry| entry.sleeps(now))
                    && !unfinished.contains(&game)
                {
                    after.push(entry.clone());
                    return Ok(Checked::Awake);
                }
                ticked.opened += 1;
                // Whoever takes long does not keep the others waiting for their commit.
                let sound = glimpse.mark.filter(|_| known.is_some());
                let meanwhile = || self.commit_pending(&mut pending, &mut ticked, now);
                let checked = checks.check(&game, round, sound, meanwhile);
                Ok(match checked? {
                    Checked::Asleep(until) => {
                        glimpse.entry(name, until).into_iter().for_each(|entry| after.push(entry));
                        Checked::Awake
                    }
                    checked => checked,
                })
            });
            match checked {
                Ok(Checked::Decided(decided)) => {
                    let files = decided.transaction.files();
                    if pending.games.len() >= TOGETHER || pending.files + files > FILES {
                        self.commit_pending(&mut pending, &mut ticked, now);
                    }
                    pending.files += files;
                    pending.games.push(*decided);
                }
                Ok(Checked::Busy) => ticked.owed.add(name, Debt::of(round, None)),
                Ok(Checked::Awake | Checked::Asleep(_)) => {}
                Err(error) => self.failed(&mut ticked, name, round, &error, now),
            }
        }
        self.commit_pending(&mut pending, &mut ticked, now);
        for (game, round) in std::mem::take(&mut ticked.again) {
            self.check_again(&game, round, &mut checks, &mut ticked, now);
        }
        if everything {
            self.keep_owed(&owed, &ticked.owed)?;
        }
        if whole {
            self.archive.write_note("check.tim", format!("{next}\n").as_bytes())?;
            if after != before {
                self.keep_agenda(&after, &world);
            }
        }
        drop(lock);
        if let Err(error) = self.warn_of_outbox(now) {
            tracing::warn!(%error, "the outbox could not be looked at");
        }
        if let Err(error) = self.let_go_daily(now) {
            tracing::warn!(%error, "what is too old could not be looked at");
        }
        Ok(ticked)
    }

    /// Whether there is a round now, and of what; otherwise why not.
    fn begin(&self, options: &TickOptions, owed: &Owed, now: DateTime<Utc>) -> Result<Result<Begun, Idle>, ClerkError> {
        let last: Option<CheckTim> = self.note("check.tim")?;
        let suspended: Option<Suspension> = self.note("suspended")?;
        let sched = &self.site.config.sched;
        let schedule = Schedule { round: sched.round.to_chrono(), guard: sched.guard.to_chrono() };
        let previous = last.map(|last| last.time);
        let begun = |next| Begun { next, previous, only: options.games.clone(), later: Owed::default() };
        Ok(match permit(&schedule, last.as_ref(), suspended.as_ref(), now, options.no_guard) {
            Permit::Run(next) => Ok(begun(next)),
            Permit::Counted if options.reminders => Ok(begun(CheckTim { round: schedule.number(now), time: now })),
            Permit::Counted => match (last, owed.clone().split()) {
                (Some(last), (only, later)) if !only.is_empty() => Ok(Begun { next: last, previous, only, later }),
                _ => Err(Idle::Counted),
            },
            Permit::Suspended => Err(Idle::Suspended("chancery clock resume".into())),
            Permit::SetBack(by) => Err(Idle::SetBack(by.num_minutes())),
            Permit::Outage(suspension) => {
                self.tell_outage(&suspension, now)?;
                Err(Idle::Suspended(suspension.reason))
            }
        })
    }

    /// Commits what was decided. Whoever's file somebody has edited meanwhile is checked once more.
    fn commit_pending(&self, pending: &mut Pending, ticked: &mut Ticked, now: DateTime<Utc>) {
        let Pending { games, .. } = std::mem::take(pending);
        if games.is_empty() {
            return;
        }
        let mut batch = Vec::with_capacity(games.len());
        let mut told = Vec::with_capacity(games.len());
        for Decided { game, lock, transaction, processed, round } in games {
            self.mark(&game);
            batch.push((lock, transaction));
            told.push((game, processed, round));
        }
        for ((game, processed, round), committed) in told.into_iter().zip(self.archive.commit_all(batch)) {
            match committed {
                Ok(_) => ticked.processed.extend(processed.map(|phase| (game.to_string(), phase))),
                Err(ArchiveError::Changed(_)) => ticked.again.push((game, round)),
                Err(error) => self.failed(ticked, game.as_str(), round, &error.into(), now),
            }
        }
    }

    /// Checks a game whose file was edited while its change was on the way to the disk.
    fn check_again(&self, game: &GameName, round: Round, checks: &mut Checks, ticked: &mut Ticked, now: DateTime<Utc>) {
        for _ in 1..TRIES {
            match checks.check(game, round, None, || ()) {
                Ok(Checked::Decided(decided)) => {
                    let mut pending = Pending { games: vec![*decided], files: 0 };
                    self.commit_pending(&mut pending, ticked, now);
                    if ticked.again.pop().is_none() {
                        return;
                    }
                }
                Ok(Checked::Awake | Checked::Asleep(_)) => return,
                Ok(Checked::Busy) => break,
                Err(error) => return self.failed(ticked, game.as_str(), round, &error, now),
            }
        }
        ticked.owed.add(game.as_str(), Debt::of(round, None));
    }

    /// A game that could not be checked: the others go on, and the keepers are told (OPS-083).
    fn failed(&self, ticked: &mut Ticked, name: &str, round: Round, error: &ClerkError, now: DateTime<Utc>) {
        tracing::error!(game = name, %error, "round");
        ticked.owed.add(name, Debt::of(round, Some(error)));
        ticked.is_broken |= !error.is_temporary();
        let why = error.to_string();
        // Of a full or failing disk the log and the exit code tell: a mail would have to be stored, too.
        if !error.is_temporary()
            && !error.is_in_storing()
            && let Err(error) = self.tell_failure(name, &why, now)
        {
            tracing::error!(game = name, %error, "the keeper could not be told");
        }
        ticked.failed.push((name.to_owned(), why));
    }

    /// N62 about a game that could not be checked: to the keepers, once for each error.
    fn tell_failure(&self, game: &str, why: &str, now: DateTime<Utc>) -> Result<(), ClerkError> {
        let mark = format!("{game}:{}", Stamp::of(why.as_bytes()));
        let key = Key::of("failure", &mark);
        let lock = self.archive.lock_judge(MAIL_WAIT)?;
        if self.is_done(&key, None, now)? {
            return Ok(());
        }
        let mut transaction = Transaction::of_judge(format!("{} game {game} failed in a round", stamp(now)));
        transaction.ledger(&Entry { key, time: now, game: None, outcome: "sent".into() });
        for (n, keeper) in self.house.keepers.iter().enumerate() {
            let letter = Letter {
                to: keeper.clone(),
                game: Some(game.to_owned()),
                notice: "N62".into(),
                subject: format!("Diplomacy adjudication error! ({game})"),
                text: format!(
                    "Game {game} could not be checked at {}:\n\n{why}\n\nIt stays as it is and is tried again in every round; this error is not mailed again.\n",
                    stamp(now)
                ),
                ..Letter::default()
            };
            self.enqueue(&mut transaction, &letter, &["failed", &mark, &n.to_string()], now)?;
        }
        self.archive.commit(&lock, transaction)?;
        Ok(())
    }

    /// A note of the scheduler; one that cannot be read counts as missing, and is told.
    pub(super) fn note<T: std::str::FromStr<Err: std::fmt::Display>>(
        &self,
        name: &str,
    ) -> Result<Option<T>, ClerkError> {
        let Some(bytes) = self.archive.read_note(name)? else { return Ok(None) };
        match String::from_utf8_lossy(&bytes).trim().parse() {
            Ok(note) => Ok(Some(note)),
            Err(error) => {
                tracing::warn!(%error, "a note of the scheduler cannot be read");
                Ok(None)
            }
        }
    }

    /// Active games whose deadline fell into an outage, a line each.
    fn missed(&self, since: DateTime<Utc>, now: DateTime<Utc>) -> Result<Vec<String>, ClerkError> {
        let (book, agenda) = (self.book()?, self.agenda(&self.world()));
        let (room, mut sleepers) = (self.archive.games_room()?, agenda.in_order());
        let mut missed = Vec::new();
        for line in book.lines().iter().filter(|line| line.state == GameState::Active) {
            let Ok(game) = GameName::old(&line.name) else { continue };
            // Who sleeps on has no deadline before now.
            let mark = Glimpse::of(&room, &game, line).ok().and_then(|glimpse| glimpse.mark);
            if sleepers.known(&line.name, mark).is_some_and(|entry| entry.sleeps(now)) {
                continue;
            }
            // A game that cannot be read now is told about by the round that cannot check it.
            let Ok(Some(loaded)) = self.load(&game, now) else { continue };
            let table = loaded.table(&self.house, 0, now);
            let fell = |deadline| (since..=now).contains(&table.deadline_utc(deadline));
            if table.deadline().is_some_and(fell) {
                missed.push(format!("  {game}: {}\n", table.deadline_long()));
            }
        }
        Ok(missed)
    }

    /// N63: one mail to the keepers for an outage, in one commit with the suspension.
    fn tell_outage(&self, suspension: &Suspension, now: DateTime<Utc>) -> Result<(), ClerkError> {
        let missed = self.missed(suspension.since, now)?;
        let hit = match missed.as_slice() {
            [] => "No deadline fell into it.".to_owned(),
            games => format!("Deadlines that fell into it:\n\n{}", games.concat()),
        };
        let away = now - suspension.since;
        let mut transaction = Transaction::of_judge("outage noticed");
        transaction.replace("cron/suspended", format!("{suspension}\n"))?;
        for (n, keeper) in self.house.keepers.iter().enumerate() {
            let letter = Letter {
                to: keeper.clone(),
                notice: "N63".into(),
                subject: format!("{} server outage", self.house.id),
                text: format!(
                    "The judge was away for {} hours and {} minutes: {}.\nDeadlines are not processed until you say  chancery clock resume  (as it is)\nor  chancery clock resume --extend  (deadlines that fell into the outage are moved).\nMail is taken and orders are stored meanwhile.\n\n{hit}\n",
                    away.num_hours(),
                    away.num_minutes() % 60,
                    suspension.reason
                ),
                ..Letter::default()
            };
            self.enqueue(&mut transaction, &letter, &["outage", &stamp(suspension.since), &n.to_string()], now)?;
        }
        let lock = self.archive.lock_judge(MAIL_WAIT)?;
        self.archive.commit(&lock, transaction)?;
        Ok(())
    }
}

/// Finished games are not read; forming ones only for the daily reminder.
fn worth_checking(state: GameState, daily: bool) -> bool {
    match state {
        GameState::Active => true,
        GameState::Completed | GameState::Terminated => false,
        _ => daily,
    }
}
