//! A mail the judge wants sent, before it is RFC 5322: data that can be printed, compared and replayed.

use chrono::{DateTime, Utc};
use std::sync::Arc;

/// RFC 3834.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Auto {
    /// `auto-generated`: results, notices, reminders.
    #[default]
    Generated,
    /// `auto-replied`: answers to commands; empty envelope sender.
    Replied,
    /// Press written by people: no field.
    Human,
}

/// Something carried with the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// `balkan9.S1901M.png`
    pub name: String,
    /// `image/png`
    pub mime: String,
    /// Content.
    pub bytes: Vec<u8>,
    /// Content-ID for inlining in the HTML part, without angle brackets.
    pub inline: Option<String>,
}

/// What a mail is part of; mail programs show the mails of one thread together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Thread {
    /// All that the judge tells about a game.
    Game,
    /// Letters between these, as this reader is told them.
    Press(Vec<String>),
}

/// A picture that belongs to a mail, as what is on it and not yet as how it looks: the shell takes out what its readers
/// may not see, and draws it once for all of them, when the mail leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// A position, perhaps with orders and results, in the referee's words.
    pub record: serde_json::Value,
    /// Whether the orders are drawn.
    pub orders: bool,
    /// The long phase it shows, for boards that change with time: `SPRING 1901 MOVEMENT`.
    pub phase: Option<String>,
    /// What had changed the board by then: the MORPH lines of the game.
    pub morph: Vec<String>,
    /// Whose view it is, in words; empty: everybody's.
    pub viewer: String,
    /// Seats nobody plays.
    pub dummies: Vec<String>,
    /// Seats that another plays, with the one that does.
    pub rulers: Vec<(String, String)>,
}

/// The place of a results mail in the chain of its game's: its Message-ID follows from it, and so does that of the one
/// before, to the same reader.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Link {
    /// Under what name its reader reads; who reads under two names gets two mails.
    pub reader: String,
    /// What tells this playing of the phase from another one.
    pub seed: String,
    /// The phase played before, and the same of it.
    pub before: Option<(String, String)>,
}

/// One mail to one address.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Letter {
    /// The one recipient.
    pub to: String,
    /// Game it is about.
    pub game: Option<String>,
    /// Short phase, part of the Message-ID.
    pub phase: Option<String>,
    /// Notice number of notices.md 2: `N17`; replies `reply`.
    pub notice: String,
    /// Single line; encoded by the composer.
    pub subject: String,
    /// Plain text, LF line ends.
    pub text: String,
    /// HTML alternative.
    pub html: Option<String>,
    /// Attachments and inlined pictures.
    pub attachments: Vec<Attachment>,
    /// The picture of its HTML alternative; all letters of one event share it.
    pub scene: Option<Arc<Scene>>,
    /// How it came about.
    pub auto: Auto,
    /// To several people: Precedence bulk, List-Id.
    pub bulk: bool,
    /// Message-ID of the mail it answers, with angle brackets.
    pub in_reply_to: Option<String>,
    /// Results: the mail it follows upon.
    pub link: Option<Link>,
    /// The thread it belongs to; its root stands first among the references.
    pub thread: Option<Thread>,
    /// Chain of the mails it answers, Message-IDs with angle brackets, oldest first.
    pub references: Vec<String>,
    /// Whether the recipient may switch such mail off (observers, reminders): List-Unsubscribe.
    pub optional: bool,
    /// When it becomes senseless, and is not sent any more (OPS-063).
    pub expires: Option<DateTime<Utc>>,
    /// Press: the Message-ID must not tell game, phase or number (OPS-065).
    pub anonymous_id: bool,
}
