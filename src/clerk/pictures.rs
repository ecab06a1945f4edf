//! Pictures of mails: at the commit a letter gets its HTML and a note of what is to be drawn; the picture itself is drawn
//! when the first mail that shows it leaves, and kept for the others.

use super::Clerk;
use crate::archive::Stamp;
use crate::diplomacy::draw;
use crate::mail::compose::late;
use crate::mail::token::Secret;
use crate::mail::transport::{Failure, Outgoing, Transport};
use crate::mail::{Attachment, Letter, Scene};
use crate::pages;
use crate::referee::Look;
use crate::status::{Game, PhaseState};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Width in pixels: every label can be read, and the picture stays near a hundred kilobytes.
const WIDTH: u32 = 1000;
/// Pictures kept: those of the phases whose mails are on their way out now.
const KEPT: usize = 16;

/// What is to be drawn, with all that is needed for it: it must be possible after the game has gone on.
#[derive(Serialize, Deserialize)]
struct Order {
    map: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    trial: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    morph: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phase: Option<String>,
    orders: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    viewer: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    dummies: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rulers: Vec<(String, String)>,
    record: serde_json::Value,
}

/// Pictures drawn lately, by the stamp of their order.
#[derive(Default)]
pub struct Pictures {
    kept: Mutex<VecDeque<(Stamp, Arc<Vec<u8>>)>>,
}

/// The letter that was illustrated last, its page and its picture.
#[derive(Default)]
pub(super) struct Framed<'l>(Option<(&'l Letter, String, Attachment)>);

impl Clerk {
    /// A letter with what belongs to it besides its text. `game` has the board that its scene is played on.
    /// Of several letters those with the same scene and text have the same frame.
    pub(super) fn illustrated<'l>(&self, letter: &'l Letter, game: &Game, framed: &mut Framed<'l>) -> Cow<'l, Letter> {
        let Some(scene) = &letter.scene else { return Cow::Borrowed(letter) };
        if let Some((like, html, picture)) = &framed.0
            && like.scene.as_ref().is_some_and(|its| Arc::ptr_eq(its, scene))
            && (&like.subject, &like.text) == (&letter.subject, &letter.text)
        {
            return Cow::Owned(with_frame(letter, html.clone(), picture.clone()));
        }
        let Some(order) = order(scene, game) else { return Cow::Borrowed(letter) };
        let secret = &self.sender.secret;
        let host = self.sender.host();
        let name = scene.record.get("name").and_then(serde_json::Value::as_str).unwrap_or("map");
        let title = scene.record.get("title").and_then(serde_json::Value::as_str).unwrap_or(name);
        let inline = format!("map.{}@{host}", secret.mark("picture", &[&order], 20));
        let alt = format!("Map of game {}: {title}", game.name);
        let html = pages::mail(&letter.subject, &letter.text, &inline, &alt);
        let picture = Attachment {
            name: format!("{}.{name}.png", game.name),
            mime: "image/png".into(),
            bytes: late::stand_in(secret, &order),
            inline: Some(inline),
        };
        framed.0 = Some((letter, html.clone(), picture.clone()));
        Cow::Owned(with_frame(letter, html, picture))
    }

    /// The picture of an order, drawn or kept. One is drawn at a time: the others who want the same wait for it.
    fn shared_picture(&self, order: &str) -> Arc<Vec<u8>> {
        let stamp = Stamp::of(order.as_bytes());
        let mut kept = self.pictures.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some((_, found)) = kept.iter().find(|(s, _)| *s == stamp) {
            return Arc::clone(found);
        }
        let drawn = self.drawn(order).unwrap_or_else(|reason| {
            tracing::warn!(reason, "a picture of a mail could not be drawn");
            blank()
        });
        let drawn = Arc::new(drawn);
        kept.push_back((stamp, Arc::clone(&drawn)));
        if kept.len() > KEPT {
            kept.pop_front();
        }
        drawn
    }

    fn drawn(&self, order: &str) -> Result<Vec<u8>, String> {
        let order: Order = serde_json::from_str(order).map_err(|e| e.to_string())?;
        let game = Game {
            map: order.map,
            trial: order.trial,
            language: order.language,
            morph: order.morph,
            phase: order.phase.map_or(PhaseState::Forming, PhaseState::Running),
            ..Game::default()
        };
        let referee = self.maps.referee(&game).map_err(|reasons| reasons.join("; "))?;
        let look =
            Look { viewer: order.viewer, dummies: order.dummies, rulers: order.rulers, ..Look::plain(order.orders) };
        let svg = crate::referee::Referee::picture(&referee, &order.record, &look).ok_or("no picture")?;
        draw::png(&svg, WIDTH).map_err(|e| e.to_string())
    }
}

fn with_frame(letter: &Letter, html: String, picture: Attachment) -> Letter {
    let mut letter = letter.clone();
    letter.scene = None;
    letter.html = Some(html);
    letter.attachments.push(picture);
    letter
}

fn order(scene: &Scene, game: &Game) -> Option<String> {
    let order = Order {
        map: game.map.clone(),
        trial: game.trial,
        language: game.language.clone(),
        morph: scene.morph.clone(),
        phase: scene.phase.clone(),
        orders: scene.orders,
        viewer: scene.viewer.clone(),
        dummies: scene.dummies.clone(),
        rulers: scene.rulers.clone(),
        record: scene.record.clone(),
    };
    serde_json::to_string(&order).ok()
}

/// Stands where a picture should be: the text of the mail says everything.
fn blank() -> Vec<u8> {
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"600\" height=\"40\">\
               <text x=\"8\" y=\"26\" font-size=\"16\">The map could not be drawn.</text></svg>";
    draw::png(svg, 600).unwrap_or_default()
}

/// A way out that puts the pictures in.
pub struct Illustrating<'c> {
    /// Whose mail it is.
    pub clerk: &'c Clerk,
    /// The way out itself.
    pub transport: Box<dyn Transport>,
}

impl Illustrating<'_> {
    fn secret(&self) -> &Secret {
        &self.clerk.sender.secret
    }
}

impl Transport for Illustrating<'_> {
    fn send(&self, mail: &Outgoing) -> Result<String, Failure> {
        match late::find(self.secret(), mail.message) {
            None => self.transport.send(mail),
            Some((place, order)) => {
                let message = late::put(mail.message, place, &self.clerk.shared_picture(&order));
                self.transport.send(&Outgoing { message: &message, ..*mail })
            }
        }
    }
}
