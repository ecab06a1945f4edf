//! `import`: everything is read, checked and told again first; then one commit makes the game with all its files.

use crate::archive::{Content, GameName, MAIL_WAIT, Transaction};
use crate::clerk::{Clerk, ClerkError, Loaded, stamp};
use crate::diplomacy::adjudicate::Workspace;
use crate::diplomacy::adjudicate::case::Table;
use crate::diplomacy::saved_game::SavedGame;
use crate::import::saved::{Seat, TIMES, Taken, Wishes, game_name, take};
use crate::judge::table::Registry;
use crate::judge::{FileEdit, GameState, IndexLine, account, retelling, time};
use crate::referee::diplomacy::Told;
use crate::status::{Game, Person, PhaseState, canonical};
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// How a saved game is wanted here.
#[derive(Clone, Debug, Default)]
pub struct ImportWishes {
    /// Its name; else its id, folded.
    pub name: Option<String>,
    /// Its Master; else the judgekeeper.
    pub master: Option<Seat>,
    /// Its state.
    pub state: Option<GameState>,
    /// Under RULE OLD_JUDGE.
    pub old_judge: bool,
    /// RULE names nobody knows are left out.
    pub ignore_unknown_rules: bool,
    /// Every phase is adjudicated anew and compared.
    pub verify: bool,
}

/// A game that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedImport {
    /// Its name.
    pub name: String,
    /// Number of phases, the last one included.
    pub phases: usize,
    /// Name of the last one.
    pub last: String,
    /// What was left out.
    pub notes: Vec<String>,
    /// Where adjudicating anew differs first.
    pub difference: Option<String>,
}

/// The files of a game that is to be made.
struct Files {
    list: Vec<(String, Vec<u8>)>,
    results: String,
    records: String,
}

fn site(text: impl ToString) -> ClerkError {
    ClerkError::Site(text.to_string())
}

impl Clerk {
    /// Makes a game of a saved one: all of it or nothing.
    pub fn import_saved(
        &self,
        text: &str,
        wishes: &ImportWishes,
        now: DateTime<Utc>,
    ) -> Result<SavedImport, ClerkError> {
        let saved = SavedGame::read(text).map_err(site)?;
        let name = game_name(wishes.name.as_deref(), &saved.id).map_err(|e| site(format!("id: {e}")))?;
        if self.book()?.of(name.as_str()).is_some() || !self.archive.files(&name).unwrap_or_default().is_empty() {
            return Err(site(format!("there is a game {name} here; choose another name (--as)")));
        }
        let (table, trial) = self.table_of(&saved.map)?;
        let wanted = Wishes {
            name: name.clone(),
            master: self.seat(wishes.master.clone()),
            old_judge: wishes.old_judge,
            ignore_unknown_rules: wishes.ignore_unknown_rules,
            state: wishes.state,
            trial,
        };
        let taken = take(&saved, &table, &wanted, now).map_err(site)?;
        let (current, account) = self.settled(&name, &taken, now)?;
        let mut files = self.told(&name, &saved, &taken, &current)?;
        files.list.push(("status".to_owned(), current.bytes()));
        let replaced =
            |edit: FileEdit| if let FileEdit::Replace(file, text) = edit { Some((file, text)) } else { None };
        let texts = [
            Some(("results".to_owned(), files.results)),
            Some(("results.jsonl".to_owned(), files.records)),
            Some(("press".to_owned(), taken.press.clone())),
            Some((TIMES.to_owned(), taken.times.clone())),
            account.and_then(replaced),
        ];
        let texts = texts.into_iter().flatten().filter(|(_, text)| !text.is_empty());
        files.list.extend(texts.map(|(file, text)| (file, text.into_bytes())));

        let difference = wishes.verify.then(|| {
            let rules: Vec<String> = rules_of(self, &current, now);
            match saved.verify(&table, &rules, &mut Workspace::new()) {
                Ok(difference) => difference,
                Err(error) => Some(format!("cannot be adjudicated: {error}")),
            }
        });
        let count = saved.phases.len();
        let audit = format!("{} imported from a saved game of {count} phases", stamp(now));
        let mut transaction = Transaction::of_game(&name, audit);
        for (file, bytes) in files.list {
            transaction.replace(&file, bytes)?;
        }
        let line = IndexLine {
            name: name.to_string(),
            variant: "standard".into(),
            state: taken.state,
            ..IndexLine::default()
        };
        transaction.index(&name, crate::status::index::line(&line));
        let (lock, index) = self.archive.lock_new(&name, MAIL_WAIT)?;
        self.mark(&name);
        self.archive.commit_indexed(&lock, &index, transaction)?;
        drop((lock, index));
        self.publish_dirty(now);
        Ok(SavedImport {
            name: name.to_string(),
            phases: count,
            last: saved.phases.last().map(|phase| phase.name.clone()).unwrap_or_default(),
            notes: taken.notes,
            difference: difference.flatten(),
        })
    }

    /// The board of that name, of a released map or of one on trial.
    fn table_of(&self, map: &str) -> Result<(Table, bool), ClerkError> {
        for trial in [false, true] {
            let game = Game { map: map.to_owned(), trial, ..Game::default() };
            if let Ok(compiled) = self.maps.of(&game) {
                return Ok((Table::new(compiled.map.clone()), trial));
            }
        }
        Err(site(format!("map: unknown map: {}", map.escape_debug())))
    }

    /// The Master: as asked for, by his number if the judge knows him; or the judgekeeper.
    fn seat(&self, wanted: Option<Seat>) -> Seat {
        let keeper = || {
            let address = self.house().keepers.first().unwrap_or(&self.house().address).clone();
            let person = Person { id: String::new(), addresses: vec![address.clone()], name: "Judgekeeper".into() };
            Seat { person, address }
        };
        let seat = wanted.unwrap_or_else(keeper);
        let known = self.people.person(&seat.address, Some(&seat.person.name.replace('_', " ")));
        Seat { person: known.unwrap_or(seat.person), ..seat }
    }

    /// A status file as a game that can be worked with.
    fn loaded(&self, name: &GameName, game: &Game) -> Result<Loaded, ClerkError> {
        let content = Content::new(canonical(game).into_bytes());
        self.read_as(name, content)?.ok_or_else(|| site(format!("{}: cannot be kept", game.short_phase())))
    }

    /// The game as it stands, with a deadline where it needs one, and the account of it.
    fn settled(
        &self,
        name: &GameName,
        taken: &Taken,
        now: DateTime<Utc>,
    ) -> Result<(Loaded, Option<FileEdit>), ClerkError> {
        let place = format!("phases[{}]", taken.stages.len());
        let mut game = taken.now.clone();
        let mut account = None;
        if matches!(game.phase, PhaseState::Running(_)) {
            let first = self.loaded(name, &game)?;
            let mut table = first.table(self.house(), 0, now);
            time::set_next_deadline(&mut table, true).map_err(|e| site(format!("{place}: {e}")))?;
            game.deadline = table.game.deadline;
            account = account::edit(&table);
        }
        let current = self.loaded(name, &game)?;
        match current.errors().first().cloned().or_else(|| current.position_fault()) {
            Some(fault) => Err(site(format!("{place}: {fault}"))),
            None => Ok((current, account)),
        }
    }

    /// Every phase that was played: its kept copy, its record and its report.
    fn told(&self, name: &GameName, saved: &SavedGame, taken: &Taken, current: &Loaded) -> Result<Files, ClerkError> {
        let mut files = Files { list: Vec::new(), results: String::new(), records: String::new() };
        let Some(first) = taken.stages.first() else { return Ok(files) };
        let mut before = Arc::new(self.loaded(name, &first.game)?);
        let result = current.game().result.as_ref();
        for (at, (stage, filed)) in taken.stages.iter().zip(&saved.phases).enumerate() {
            let this = before.short_phase();
            let follows = taken.stages.get(at + 1);
            // A game that was ended by agreement had gone on to the phase in which that was done.
            let drawn = result.filter(|result| follows.is_none() && result.phase != this);
            let after = match (follows, drawn) {
                (Some(next), _) => Arc::new(self.loaded(name, &next.game)?),
                (None, Some(result)) => {
                    let mut game = current.game().clone();
                    let phase = before.referee().compiled().map.flow.parse_short(&result.phase);
                    game.phase = phase.map_or(PhaseState::Completed, |phase| PhaseState::Running(phase.to_string()));
                    Arc::new(self.loaded(name, &game)?)
                }
                (None, None) => Arc::new(self.loaded(name, current.game())?),
            };
            let won = result.filter(|_| follows.is_none() && drawn.is_none());
            let leads_to = Some(after.short_phase()).filter(|_| won.is_none());
            let told = Told {
                before: before.game(),
                filed,
                after: after.game(),
                leads_to: leads_to.as_deref(),
                victors: won.map(|result| result.victors.as_slice()).unwrap_or_default(),
            };
            let retold = before.referee().retell(&told).map_err(|e| site(format!("phases[{at}]: {e}")))?;
            let told = retelling::Told { record: retold.record, report: retold.report, dated: stage.dated };
            let table = before.table(self.house(), 0, stage.processed);
            let next = after.table(self.house(), 0, stage.processed);
            let phase = retelling::file(&table, &next, told, won.is_some());
            drop((table, next));
            files.records += &phase.record;
            files.results += &phase.entry;
            files.list.push((format!("status.{this}"), before.bytes()));
            before = after;
        }
        Ok(files)
    }
}

/// The rules in force, by name.
fn rules_of(clerk: &Clerk, current: &Loaded, now: DateTime<Utc>) -> Vec<String> {
    current.table(clerk.house(), 0, now).rules.iter().map(|rule| rule.name().to_owned()).collect()
}
