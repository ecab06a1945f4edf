//! Atom feeds (RFC 4287; web.md B3).

use super::view::{Card, GameView};
use super::{Frame, xml};
use crate::clock::format::rfc3339;
use chrono::{DateTime, Utc};

/// Entries of a feed at most.
const LONGEST: usize = 50;

struct Entry {
    kind: &'static str,
    phase: String,
    number: String,
    title: String,
    updated: DateTime<Utc>,
    text: String,
    page: String,
}

/// `game/<game>/feed.atom`
pub fn game(view: &GameView, frame: &Frame) -> Vec<u8> {
    let card = &view.card;
    let moments: Vec<Option<DateTime<Utc>>> = view
        .phases
        .iter()
        .map(|p| p.processed.as_deref().and_then(|t| DateTime::parse_from_rfc3339(t).ok()).map(|t| t.to_utc()))
        .collect();
    let begun = card.created.or_else(|| moments.iter().flatten().next().copied()).unwrap_or(card.changed);
    let mut entries = Vec::new();
    if card.start.is_some() {
        entries.push(Entry {
            kind: "start",
            phase: view.phases.first().map_or(card.phase.abbr.clone(), |p| p.name.abbr.clone()),
            number: "0".into(),
            title: format!("Diplomacy game {} starting", card.game),
            updated: begun,
            text: format!("Game {} has begun.\n", card.game),
            page: card.url(),
        });
    }
    for (phase, moment) in view.phases.iter().zip(&moments) {
        let updated = moment.unwrap_or(begun);
        entries.push(Entry {
            kind: "results",
            phase: phase.name.abbr.clone(),
            // A phase that is played again after a roll back is another event.
            number: updated.timestamp().to_string(),
            title: format!("Diplomacy results {} {}", card.game, phase.name.abbr),
            updated,
            text: phase.report.clone(),
            page: format!("{}p/{}.html", card.url(), phase.slug),
        });
    }
    for (n, broadcast) in view.broadcasts.iter().enumerate() {
        // The press file has no times: press is dated by the beginning of its phase.
        let at = view.phases.iter().position(|p| p.name.abbr == broadcast.phase).unwrap_or(view.phases.len());
        let updated = at.checked_sub(1).and_then(|before| moments.get(before).copied().flatten()).unwrap_or(begun);
        let from = broadcast.from.as_ref().map(|f| format!(" from {f}")).unwrap_or_default();
        entries.push(Entry {
            kind: "press",
            phase: broadcast.phase.clone(),
            number: (n + 1).to_string(),
            title: format!("Diplomacy press{from}"),
            updated,
            text: format!("{}\n", broadcast.text),
            page: format!("{}press.html#n{}", card.url(), n + 1),
        });
    }
    for opening in &card.openings {
        entries.push(Entry {
            kind: "notice",
            phase: card.phase.abbr.clone(),
            number: opening.power.clone(),
            title: format!("{} needs a player in {}", opening.title, card.game),
            updated: card.changed,
            text: format!("{} is looking for a new player.\n", opening.words()),
            page: format!("{}#openings", card.url()),
        });
    }
    if let Some(outcome) = &card.outcome {
        entries.push(Entry {
            kind: "end",
            phase: outcome.phase.clone(),
            number: "0".into(),
            title: format!("Game {} is over", card.game),
            updated: moments.iter().flatten().last().copied().unwrap_or(card.changed),
            text: format!("{}.\n", outcome.words),
            page: card.url(),
        });
    }
    let id = format!("tag:{},{}:game/{}", frame.host(), card.year(), card.game);
    write(
        frame,
        &id,
        &format!("{}: {}", frame.nick, card.game),
        &card.url(),
        &format!("{}feed.atom", card.url()),
        card.changed,
        &id,
        entries,
    )
}

/// `feed.atom` of the house: where each listed game stands.
pub fn site(cards: &[&Card], frame: &Frame) -> Vec<u8> {
    let entries: Vec<Entry> = cards
        .iter()
        .filter(|c| c.listed)
        .map(|card| Entry {
            kind: "game",
            phase: format!("{}/{}", card.game, card.phase.abbr),
            number: card.seq.to_string(),
            title: format!("{}: {}", card.game, card.phase.name),
            updated: card.changed,
            text: match (&card.outcome, &card.deadline) {
                (Some(outcome), _) => format!("{}.\n", outcome.words),
                (None, Some(deadline)) => format!("The deadline is {}.\n", deadline.long),
                (None, None) => format!("The game is {}.\n", card.state),
            },
            page: card.url(),
        })
        .collect();
    let updated = entries.iter().map(|e| e.updated).max().unwrap_or(DateTime::UNIX_EPOCH);
    let year = cards.iter().map(|c| c.year()).min().unwrap_or(1970);
    let id = format!("tag:{},{year}:games", frame.host());
    write(frame, &id, &format!("{}: all games", frame.nick), "/", "/feed.atom", updated, &id, entries)
}

#[allow(clippy::too_many_arguments)]
fn write(
    frame: &Frame,
    id: &str,
    title: &str,
    page: &str,
    own: &str,
    updated: DateTime<Utc>,
    root: &str,
    mut entries: Vec<Entry>,
) -> Vec<u8> {
    // Newest first; of one moment, the last written first.
    entries.reverse();
    entries.sort_by_key(|e| std::cmp::Reverse(e.updated));
    entries.truncate(LONGEST);
    let url = &frame.url;
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<id>{}</id>\n<title>{}</title>\n<updated>{}</updated>\n<author><name>{}</name></author>\n<link rel=\"self\" href=\"{}\"/>\n<link rel=\"alternate\" type=\"text/html\" href=\"{}\"/>\n",
        xml(id),
        xml(title),
        rfc3339(&updated),
        xml(&frame.nick),
        xml(&format!("{url}{own}")),
        xml(&format!("{url}{page}")),
    );
    for e in entries {
        // Escaped twice: once as HTML, once as the text of an XML element.
        let content = xml(&format!("<pre>{}</pre>", xml(&e.text)));
        out += &format!(
            "<entry>\n<id>{}</id>\n<title>{}</title>\n<updated>{}</updated>\n<link rel=\"alternate\" type=\"text/html\" href=\"{}\"/>\n<content type=\"html\">{content}</content>\n</entry>\n",
            xml(&format!("{root}/{}/{}/{}", e.kind, e.phase, e.number)),
            xml(&e.title),
            rfc3339(&e.updated),
            xml(&format!("{url}{}", e.page)),
        );
    }
    out += "</feed>\n";
    out.into_bytes()
}
