//! The files of the whole house: lists, openings, feeds, reference pages, maps (web.md B2).

use super::reference::{self, Section};
use super::view::Card;
use super::{Frame, assets, feed, openings, render, status};
use crate::diplomacy::map::{Map, Meaning, Terrain};
use crate::judge::table::{House, title_case};
use askama::Template;
use std::collections::{BTreeMap, BTreeSet};

struct Group<'a> {
    id: &'static str,
    title: &'static str,
    games: Vec<&'a Card>,
    more: Option<Vec<(String, String)>>,
}

#[derive(Template)]
#[template(path = "index.html")]
struct IndexPage<'a> {
    frame: &'a Frame,
    heading: String,
    lead: String,
    counts: Vec<(usize, &'static str)>,
    groups: Vec<Group<'a>>,
    join: bool,
}

#[derive(Template)]
#[template(path = "openings.html")]
struct OpeningsPage<'a> {
    frame: &'a Frame,
    games: Vec<&'a Card>,
}

#[derive(Template)]
#[template(path = "plain.html")]
struct PlainPage<'a> {
    frame: &'a Frame,
    title: &'a str,
    lead: &'a str,
    sections: Vec<Section>,
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    frame: &'a Frame,
    title: &'a str,
    text: &'a str,
}

#[derive(Template)]
#[template(path = "link.html")]
struct LinkPage<'a> {
    frame: &'a Frame,
    title: &'a str,
    lines: Vec<&'a str>,
    button: bool,
    password: bool,
    seat: bool,
}

#[derive(Template)]
#[template(path = "map.html")]
struct MapPage<'a> {
    frame: &'a Frame,
    map: &'a MapView,
}

/// A power on a map page.
#[derive(Clone, Debug)]
pub struct MapPower {
    /// Name.
    pub title: String,
    /// Home centres.
    pub homes: String,
    /// Units at the start.
    pub units: String,
}

/// A place on a map page.
#[derive(Clone, Debug)]
pub struct Place {
    /// Code.
    pub code: String,
    /// Name.
    pub title: String,
    /// `land`, `coast`, … and whether it is a centre.
    pub kind: String,
    /// Other ways to write it.
    pub aliases: String,
}

/// What the page of a map shows.
#[derive(Clone, Debug)]
pub struct MapView {
    /// Name.
    pub name: String,
    /// Powers.
    pub powers: Vec<MapPower>,
    /// Places.
    pub places: Vec<Place>,
    /// Supply centres.
    pub center_count: usize,
    /// Centres that win.
    pub victory: String,
    /// First phase.
    pub begin: String,
    /// The starting position as SVG.
    pub picture: Option<String>,
}

impl MapView {
    /// Of a map, with a picture of its starting position if there is one.
    pub fn of(map: &Map, picture: Option<String>) -> MapView {
        let codes = |list: &[crate::diplomacy::map::ProvinceId]| {
            list.iter().map(|p| map[*p].code.as_str()).collect::<Vec<_>>().join(" ")
        };
        let powers = map
            .powers
            .iter()
            .map(|p| MapPower {
                title: p.title.clone(),
                homes: codes(&p.homes),
                units: p
                    .units
                    .iter()
                    .map(|u| crate::diplomacy::orders::entry::unit_text(map, *u))
                    .collect::<Vec<_>>()
                    .join(", "),
            })
            .collect();
        let mut words: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
        for (word, meaning) in &map.vocabulary {
            if let Meaning::Place(location) = meaning {
                words.entry(map.province_of(*location).0.into()).or_default().insert(word);
            }
        }
        let places = map
            .provinces
            .iter()
            .enumerate()
            .map(|(n, p)| {
                let kind = match p.terrain {
                    Terrain::Land => "land",
                    Terrain::Coast => "coast",
                    Terrain::Water => "water",
                    Terrain::Port => "port",
                    Terrain::Shut => "closed",
                };
                let own = [p.code.to_uppercase(), p.title.to_uppercase()];
                let other = words.get(&n).into_iter().flatten().filter(|w| !own.iter().any(|o| o.as_str() == **w));
                Place {
                    code: p.code.clone(),
                    title: p.title.clone(),
                    kind: format!("{kind}{}", if p.center { ", supply center" } else { "" }),
                    aliases: other.map(|w| w.to_lowercase()).collect::<Vec<_>>().join(", "),
                }
            })
            .collect();
        MapView {
            name: map.name.clone(),
            powers,
            places,
            center_count: map.provinces.iter().filter(|p| p.center).count(),
            victory: map.victory.iter().map(u16::to_string).collect::<Vec<_>>().join(", "),
            begin: title_case(&map.begin.to_string()),
            picture,
        }
    }
}

/// 404 and 503.
pub fn error_page(house: &House, status: u16) -> Vec<u8> {
    let (title, text) = match status {
        404 => ("Not here", "There is no such page, or it is not for everybody."),
        503 => ("Busy", "The judge is at work on this. Try again in a moment."),
        _ => ("That did not work", "The judge could not answer this request."),
    };
    render(&ErrorPage { frame: &Frame::of(house), title, text })
}

/// What the page behind a link of a mail asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// A click.
    Nothing,
    /// A new password.
    Password,
    /// The seat whose password is forgotten.
    Seat,
}

/// The page behind a link of a mail: what it is for with a button, or what was done.
pub fn link_page(house: &House, title: &str, text: &str, asks: Option<Asks>) -> Vec<u8> {
    let (button, password) = (asks.is_some(), asks == Some(Asks::Password));
    let seat = asks == Some(Asks::Seat);
    render(&LinkPage { frame: &Frame::of(house), title, lines: text.lines().collect(), button, password, seat })
}

/// The groups of a list of games; completed games of past years are on pages of their own (WEB-025).
fn groups<'a>(cards: &[&'a Card], variant: Option<&str>) -> Vec<Group<'a>> {
    let in_state = |state: &str, private: bool| -> Vec<&'a Card> {
        cards.iter().copied().filter(|c| c.state == state && c.private == private).collect()
    };
    let mut groups = vec![
        Group { id: "forming", title: "Forming", games: in_state("forming", false), more: None },
        Group { id: "active", title: "Being played", games: in_state("active", false), more: None },
        Group { id: "waiting", title: "Waiting for a player", games: in_state("waiting", false), more: None },
    ];
    let private: Vec<&Card> = cards.iter().copied().filter(|c| c.private).collect();
    if !private.is_empty() {
        groups.push(Group { id: "private", title: "Private", games: private, more: None });
    }
    let completed = in_state("completed", false);
    if variant.is_none() || completed.is_empty() {
        let mut recent = completed;
        recent.sort_by_key(|c| (std::cmp::Reverse(c.changed), c.game.clone()));
        recent.truncate(12);
        groups.push(Group { id: "completed", title: "Completed", games: recent, more: None });
    } else if let Some(variant) = variant {
        let years: BTreeSet<i32> = completed.iter().filter_map(|c| c.ended()).collect();
        let links =
            years.iter().rev().map(|y| (format!("/games/{variant}/completed-{y}.html"), y.to_string())).collect();
        let undated = completed.into_iter().filter(|c| c.ended().is_none()).collect();
        groups.push(Group { id: "completed", title: "Completed", games: undated, more: Some(links) });
    }
    groups
}

fn counts(cards: &[&Card]) -> Vec<(usize, &'static str)> {
    let count = |state: &str| cards.iter().filter(|c| c.state == state).count();
    vec![
        (count("forming"), "forming"),
        (count("active"), "being played"),
        (count("waiting"), "waiting"),
        (count("completed"), "completed"),
    ]
}

/// All files of the house but those of single games, with the HTML of its banner. Order of games does not matter.
pub fn site_files(games: &[Card], maps: &[MapView], house: &House, banner: &str) -> Vec<(String, Vec<u8>)> {
    let frame = &Frame::of(house).with_banner(banner);
    let mut all: Vec<&Card> = games.iter().filter(|c| c.listed).collect();
    all.sort_by(|a, b| a.game.cmp(&b.game));
    let mut files = assets::files();
    for map in maps {
        if let Some(svg) = &map.picture {
            files.push((format!("maps/{}.svg", map.name), svg.clone().into_bytes()));
        }
        files.push((format!("maps/{}.html", map.name), render(&MapPage { frame, map })));
    }
    let mut plain = |path: &str, title: &str, lead: &str, sections: Vec<Section>| {
        files.push((path.to_string(), render(&PlainPage { frame, title, lead, sections })));
    };
    plain("rules.html", "Rules", reference::RULES_LEAD, reference::rules());
    plain("commands.html", "Commands", reference::COMMANDS_LEAD, reference::commands());
    plain("orders.html", "Orders", reference::ORDERS_LEAD, reference::orders());
    plain("about.html", "About", reference::ABOUT_LEAD, reference::about(frame, maps));
    let variants: BTreeSet<&str> = all.iter().map(|c| c.variant.as_str()).chain(["standard"]).collect();
    for variant in variants {
        let of: Vec<&Card> = all.iter().copied().filter(|c| c.variant == variant).collect();
        let years: BTreeSet<i32> =
            of.iter().filter(|c| c.state == "completed" && !c.private).filter_map(|c| c.ended()).collect();
        for year in years {
            let games = of
                .iter()
                .copied()
                .filter(|c| c.state == "completed" && !c.private && c.ended() == Some(year))
                .collect();
            let page = IndexPage {
                frame,
                heading: format!("{} games completed in {year}", title_case(variant)),
                lead: String::new(),
                counts: Vec::new(),
                groups: vec![Group { id: "completed", title: "Completed", games, more: None }],
                join: false,
            };
            files.push((format!("games/{variant}/completed-{year}.html"), render(&page)));
        }
        let page = IndexPage {
            frame,
            heading: format!("{} games", title_case(variant)),
            lead: reference::variant_lead(variant).into(),
            counts: counts(&of),
            groups: groups(&of, Some(variant)),
            join: false,
        };
        files.push((format!("games/{variant}.html"), render(&page)));
    }
    files.push(("openings.html".into(), render(&OpeningsPage { frame, games: openings::listed(&all) })));
    files.push(("openings.txt".into(), openings::text(&all, frame)));
    files.push(("openings.json".into(), openings::document(&all, frame)));
    files.push(("feed.atom".into(), feed::site(&all, frame)));
    files.push(("index.json".into(), status::index(&all, frame)));
    files.push((
        "robots.txt".into(),
        b"User-agent: *\nDisallow: /p/\nDisallow: /m/\nDisallow: /k/\nDisallow: /login\n".to_vec(),
    ));
    files.push(("404.html".into(), error_page(house, 404)));
    files.push(("503.html".into(), error_page(house, 503)));
    let page = IndexPage {
        frame,
        heading: house.nick.clone(),
        lead: "A judge for games by mail: it takes orders, keeps deadlines, resolves phases and tells everybody."
            .into(),
        counts: counts(&all),
        groups: groups(&all, None),
        join: true,
    };
    files.push(("index.html".into(), render(&page)));
    files
}
