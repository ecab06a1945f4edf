//! Places to be had: the exact mails that get them, and the list in the layout that list robots read (web.md B3;
//! notices.md 7).

use super::Frame;
use super::status::bytes;
use super::view::{Card, Vacancy};
use crate::judge::table::title_case;
use serde_json::{Value, json};

impl Card {
    fn word(&self) -> &'static str {
        if self.private { " privacyWord" } else { "" }
    }
    /// The mail that joins a forming game.
    pub fn join_body(&self) -> String {
        format!("JOIN {} yourPassword{}\nSIGNOFF\n", self.game, self.word())
    }
    /// The same, naming a power.
    pub fn join_power_body(&self) -> String {
        format!("JOIN power@{} yourPassword{}\nSIGNOFF\n", self.game, self.word())
    }
    /// The mail that takes a vacant seat over.
    pub fn takeover_body(&self, vacancy: &Vacancy) -> String {
        format!("TAKEOVER {}@{} yourPassword{}\nSIGNOFF\n", vacancy.power.to_lowercase(), self.game, self.word())
    }
}

/// Listed public games with room, vacancies first, each in order of name.
pub fn listed<'c>(cards: &[&'c Card]) -> Vec<&'c Card> {
    let mut open: Vec<&Card> = cards.iter().copied().filter(|c| c.listed && !c.private && c.is_open()).collect();
    open.sort_by_key(|c| (c.places > 0, c.game.clone()));
    open
}

/// `openings.txt`
pub fn text(cards: &[&Card], frame: &Frame) -> Vec<u8> {
    let mut text = format!(":: Judge: {}\n:: URL: {}\n", frame.id, frame.url);
    let open = listed(cards);
    if open.is_empty() {
        text += "\nNo Openings!\n";
    }
    for card in open {
        let mut variant = title_case(&card.map);
        if card.variant != "standard" {
            variant += &format!(" {}", title_case(&card.variant));
        }
        if card.gunboat {
            variant += ", Gunboat";
        }
        let master = card.master.as_deref().unwrap_or("-");
        text += &format!(
            "\n{:<9} {:<9}{variant}, Moderated ({master}), Press:{}.\n",
            card.game, card.phase.abbr, card.press_letters
        );
        text += &format!("{:20}URL: {}{}\n", "", frame.url, card.url());
        if card.places > 0 {
            let players = if card.places == 1 { "player" } else { "players" };
            text += &format!("{:20}To join, e-mail \"JOIN {} password\"\n", "", card.game);
            text += &format!("{:21}Forming: {} more {players} needed.\n", "", card.places);
        } else if let Some(first) = card.openings.first() {
            let names: Vec<String> = card.openings.iter().map(Vacancy::words).collect();
            text += &format!(
                "{:20}To join, e-mail \"TAKEOVER {}@{} password\"\n",
                "",
                first.power.to_lowercase(),
                card.game
            );
            text += &format!("{:21}Openings: {}\n", "", names.join(", "));
        }
    }
    text.into_bytes()
}

/// `openings.json`
pub fn document(cards: &[&Card], frame: &Frame) -> Vec<u8> {
    let one = |card: &&Card| {
        json!({
            "game": card.game, "variant": card.variant, "map": card.map, "phase": card.phase.abbr, "state": card.state,
            "places": card.places, "powers": card.openings, "press": card.press, "rules": card.rules,
            "master": card.master, "page": format!("{}{}", frame.base, card.url()),
            "mail": {
                "to": frame.address,
                "bodies": if card.places > 0 { vec![card.join_body()] } else { card.openings.iter().map(|o| card.takeover_body(o)).collect() },
            },
        })
    };
    let games: Vec<Value> = listed(cards).iter().map(one).collect();
    bytes(&json!({"schema": "chancery.openings/1", "judge": frame.id, "games": games}))
}
