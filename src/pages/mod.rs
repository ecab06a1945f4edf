//! Pages: state in, HTML, SVG, JSON, Atom and plain text out (web.md B2–B4, B11). No page reads a file, a clock or a
//! socket, and none sees a game: [`redact`] makes the public [`view`] of a game, and everything else is made from views.
//! The same views give the same bytes (WEB-020).

pub mod assets;
pub mod banner;
mod feed;
mod game;
mod mail;
mod openings;
mod orders;
mod press;
pub mod redact;
mod reference;
mod rule_words;
pub mod shot;
mod site;
mod status;
pub mod view;

pub use game::{Tree, card, game_files};
pub use mail::mail;
pub use redact::Facts;
pub use site::{Asks, MapView, error_page, link_page, site_files};
pub use view::{Card, GameView};

use crate::judge::table::House;

/// What every page shows of the house.
#[derive(Clone, Debug)]
pub struct Frame {
    /// `CHCY`
    pub id: String,
    /// Name in texts.
    pub nick: String,
    /// First letter of it.
    pub initial: char,
    /// Mail address of the judge.
    pub address: String,
    /// Public URL without trailing slash.
    pub url: String,
    /// Path part of it, put before every link: usually empty.
    pub base: String,
    /// File names under `assets/`.
    pub css: String,
    /// Script.
    pub js: String,
    /// Icon.
    pub icon: String,
    /// HTML of the keeper's [`banner`]; empty: there is none.
    pub banner: String,
}

impl Frame {
    /// The frame of a house.
    pub fn of(house: &House) -> Frame {
        let url = house.url.trim_end_matches('/').to_string();
        let base = url
            .split_once("://")
            .and_then(|(_, rest)| rest.split_once('/'))
            .map_or(String::new(), |(_, path)| format!("/{path}"));
        Frame {
            id: house.id.clone(),
            nick: house.nick.clone(),
            initial: house.nick.chars().next().unwrap_or('c'),
            address: house.address.clone(),
            base,
            url,
            css: assets::name(&assets::CSS),
            js: assets::name(&assets::JS),
            icon: assets::name(&assets::ICON),
            banner: String::new(),
        }
    }

    /// The same with this banner.
    pub fn with_banner(self, banner: &str) -> Frame {
        Frame { banner: banner.to_owned(), ..self }
    }

    /// Host of the public URL, for the names of feeds.
    pub fn host(&self) -> &str {
        let rest = self.url.split_once("://").map_or(self.url.as_str(), |(_, rest)| rest);
        let host = rest.split(['/', ':']).next().unwrap_or(rest);
        if host.is_empty() { "localhost" } else { host }
    }
}

/// Text in XML.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            // What XML cannot hold at all.
            c if (c as u32) < 0x20 && !matches!(c, '\t' | '\n' | '\r') => out.push('\u{fffd}'),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Renders a template; a template that cannot be rendered would be a fault of this program, shown instead of hidden.
pub(crate) fn render(template: &impl askama::Template) -> Vec<u8> {
    template
        .render()
        .unwrap_or_else(|error| format!("<!doctype html><title>error</title><p>{}", xml(&error.to_string())))
        .into_bytes()
}
