//! What lists show of every game, kept between publications: in memory, and for the next process in `cron/cards`, so that
//! a `tick` from cron that has changed one game reads that one for the index page.
//!
//! What it promises: like the agenda it is a memory, never an authority. A card counts only while the traces of the status
//! file and of the log, and the line of the index, are those it was made from, and for the same program, settings and maps.

use super::agenda::{Mark, head_line};
use super::{Clerk, ClerkError};
use crate::archive::{GameName, Owner, Trace};
use crate::judge::IndexLine;
use crate::pages::Card;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};
use std::time::SystemTime;

/// A card, and what it was made from; `None`: it may have been made from something that is no longer there.
#[derive(Clone, Debug)]
struct Kept {
    mark: Option<Mark>,
    /// `None`: a game in preparation, which no list shows.
    card: Option<Card>,
}

/// The cards of a site.
#[derive(Default)]
pub(super) struct Cards(Mutex<Option<BTreeMap<String, Kept>>>);

/// A line of the memory: the parts of a card that JSON for the public leaves out stand beside it.
#[derive(Serialize, Deserialize)]
struct Line {
    game: String,
    mark: String,
    card: Option<Card>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    titles: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    words: Option<String>,
}

impl Line {
    /// Of a card that can be known again.
    fn of(game: &str, kept: &Kept) -> Option<Line> {
        let mut mark = String::new();
        kept.mark?.write(&mut mark);
        let card = kept.card.clone();
        let titles = card.iter().flat_map(|c| &c.openings).map(|o| o.title.clone()).collect();
        let words = card.as_ref().and_then(|c| c.outcome.as_ref()).map(|o| o.words.clone());
        Some(Line { game: game.to_owned(), mark, card, titles, words })
    }

    fn kept(self) -> Option<(String, Kept)> {
        let mut card = self.card;
        if let Some(card) = &mut card {
            for (opening, title) in card.openings.iter_mut().zip(self.titles) {
                opening.title = title;
            }
            if let (Some(outcome), Some(words)) = (&mut card.outcome, self.words) {
                outcome.words = words;
            }
        }
        Some((self.game, Kept { mark: Some(Mark::parse(&self.mark)?), card }))
    }
}

/// Reads a memory made in that world; anything else is an empty one.
fn parse(text: &str, world: &str) -> BTreeMap<String, Kept> {
    let read = || {
        let (head, body) = text.split_once('\n')?;
        let lines = || body.lines().map(|line| serde_json::from_str::<Line>(line).ok()?.kept());
        if head == head_line("cards", world, body) { lines().collect::<Option<_>>() } else { None }
    };
    read().unwrap_or_default()
}

fn text(cards: &BTreeMap<String, Kept>, world: &str) -> String {
    let lines = cards.iter().filter_map(|(game, kept)| Line::of(game, kept));
    let body: String = lines.filter_map(|line| serde_json::to_string(&line).ok().map(|line| line + "\n")).collect();
    format!("{}\n{body}", head_line("cards", world, &body))
}

impl Clerk {
    /// The cards of all games that lists show. Read are those that have changed since they were made.
    pub(super) fn cards(&self, now: DateTime<Utc>) -> Result<Vec<Card>, ClerkError> {
        let world = self.world();
        let mut all = self.known_cards();
        let (known, fresh) = match all.take() {
            Some(known) => (known, false),
            // The first publication of this process.
            None => {
                let text = std::fs::read_to_string(self.cards_path()).unwrap_or_default();
                (parse(&text, world.word()), true)
            }
        };
        let mut known = known;
        let (mut cards, mut changed) = (BTreeMap::new(), 0);
        for line in self.book()?.lines() {
            let Ok(game) = GameName::old(&line.name) else { continue };
            let mark = self.card_mark(&game, line);
            let kept = match known.remove(&line.name) {
                Some(kept) if kept.mark.is_some() && kept.mark == mark => kept,
                old => {
                    changed += 1;
                    // A game that cannot be read is shown as it was when it could be, if this process saw that.
                    match self.card(&game, now) {
                        Ok(card) => Kept { mark, card },
                        Err(error) => {
                            tracing::warn!(game = line.name, %error, "publishing");
                            Kept { mark: None, card: old.and_then(|old| old.card) }
                        }
                    }
                }
            };
            cards.insert(line.name.clone(), kept);
        }
        // Left are games that are gone.
        if changed > 0 || fresh || !known.is_empty() {
            self.keep_cards(&cards, &world);
        }
        let shown = cards.values().filter_map(|kept| kept.card.clone()).collect();
        *all = Some(cards);
        Ok(shown)
    }

    fn known_cards(&self) -> MutexGuard<'_, Option<BTreeMap<String, Kept>>> {
        self.shelf.cards.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The card of a game as it is now; `None`: it has none.
    fn card(&self, game: &GameName, now: DateTime<Utc>) -> Result<Option<Card>, ClerkError> {
        if self.at_hand.has(game.as_str()) {
            return Err(ClerkError::Site("it is being looked at".into()));
        }
        Ok(self.faced(game, now)?.and_then(|(loaded, facts)| {
            let table = loaded.table(&self.house, 0, facts.changed);
            crate::pages::card(&table, &facts.facts(""))
        }))
    }

    /// What a card made now is made from; `None`: a later change might not show.
    fn card_mark(&self, game: &GameName, line: &IndexLine) -> Option<Mark> {
        let now = SystemTime::now();
        let status = self.archive.trace(game).ok()??;
        let audit = Trace::of(&self.site.layout.game(game.as_str()).join("audit.log")).ok()??;
        let settled = status.is_settled(now) && audit.is_settled(now);
        settled.then(|| Mark::of(&[status, audit], line))
    }

    fn keep_cards(&self, cards: &BTreeMap<String, Kept>, world: &super::agenda::World) {
        if world.is_settled() {
            let draft = self.site.layout.cron.join(".cards");
            let written = std::fs::write(&draft, text(cards, world.word()));
            if let Err(error) = written.and_then(|()| std::fs::rename(&draft, self.cards_path())) {
                tracing::warn!(%error, "what lists show cannot be kept: the next process reads every game");
            }
        }
    }

    fn cards_path(&self) -> PathBuf {
        self.site.layout.cron.join("cards")
    }
}

/// What the log of a game tells its pages.
pub(super) struct Faced {
    pub seq: u64,
    pub changed: DateTime<Utc>,
    pub created: Option<DateTime<Utc>>,
}

impl Faced {
    /// With the press that goes with it.
    pub fn facts<'p>(&self, press: &'p str) -> crate::pages::Facts<'p> {
        crate::pages::Facts { press, seq: self.seq, created: self.created, ..crate::pages::Facts::default() }
    }
}

impl Clerk {
    /// A game with what its log says; `None`: it is gone, or cannot be read.
    pub(super) fn faced(
        &self,
        game: &GameName,
        now: DateTime<Utc>,
    ) -> Result<Option<(super::Loaded, Faced)>, ClerkError> {
        if self.existing(game.as_str())?.is_none() {
            return Ok(None);
        }
        let Some(loaded) = self.load(game, now)? else { return Ok(None) };
        let audit = self.archive.audit(&Owner::Game(game.clone()))?;
        let moment = |line: Option<&crate::archive::AuditLine>| {
            let word = line?.text.split_whitespace().next()?;
            DateTime::parse_from_rfc3339(word).ok().map(|t| t.to_utc())
        };
        // Pages go by the time of the game's last change, so that the same archive gives the same pages.
        let faced = Faced {
            seq: audit.last().map_or(0, |l| l.seq),
            changed: moment(audit.last()).unwrap_or_default(),
            created: moment(audit.first()),
        };
        Ok(Some((loaded, faced)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::view::{Outcome, PhaseName, Scope, Told, Vacancy, Waiting};

    fn card() -> Card {
        let vacancy = Vacancy { power: "TURKEY".into(), title: "Turkey".into(), units: Some(4), centers: None };
        let outcome = Outcome {
            phase: "F1908M".into(),
            winners: vec!["FRANCE".into()],
            kind: "solo",
            words: "Solo victory by France in F1908M".into(),
        };
        Card {
            game: "ash".into(),
            variant: "standard".into(),
            map: "standard".into(),
            state: "completed",
            scope: Scope::Open,
            private: false,
            listed: true,
            phase: PhaseName::default(),
            deadline: None,
            why: String::new(),
            zone: "GMT".into(),
            master: Some("Ann".into()),
            description: vec!["a \"game\"\nof two lines".into()],
            origin: Vec::new(),
            locked: false,
            ready: false,
            readiness: Vec::new(),
            unordered: Told::default(),
            waiting: Waiting::default(),
            late: Told::default(),
            openings: vec![vacancy],
            places: 0,
            power_choice: false,
            press: "White.".into(),
            press_letters: "W-P-".into(),
            gunboat: false,
            rules: Vec::new(),
            timing: String::new(),
            players: 7,
            start: None,
            finish: Some("1 September 2026".into()),
            outcome: Some(outcome),
            seq: 7,
            changed: DateTime::UNIX_EPOCH,
            created: None,
        }
    }

    #[test]
    fn cards_are_read_as_they_were_written_or_not_at_all() {
        let mark = Mark::parse("0123456789abcdef01234567");
        assert!(mark.is_some());
        let cards = BTreeMap::from([
            ("ash".to_owned(), Kept { mark, card: Some(card()) }),
            ("birch".to_owned(), Kept { mark, card: None }),
            ("cedar".to_owned(), Kept { mark: None, card: Some(card()) }),
        ]);
        let text = text(&cards, "w");
        let read = parse(&text, "w");
        assert_eq!(
            read.keys().collect::<Vec<_>>(),
            ["ash", "birch"],
            "of a file that may change unseen nothing is kept"
        );
        let words = |kept: &Kept| format!("{:?}", kept.card);
        assert_eq!(words(&read["ash"]), words(&cards["ash"]));
        assert!(parse(&text, "another world").is_empty());
        assert!(parse(&text.replace("Turkey", "Torquay"), "w").is_empty(), "changed by another hand");
        for cut in (0..text.len()).filter(|n| text.is_char_boundary(*n)) {
            assert!(parse(&text[..cut], "w").is_empty(), "cut at {cut}");
        }
    }
}
