//! A mail the judge wants sent, before it is RFC 5322: data that can be printed, compared and replayed.

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
    /// How it came about.
    pub auto: Auto,
    /// To several people: Precedence bulk, List-Id.
    pub bulk: bool,
    /// Message-ID of the mail it answers, with angle brackets.
    pub in_reply_to: Option<String>,
    /// Root and chain of the thread, Message-IDs with angle brackets, oldest first.
    pub references: Vec<String>,
    /// Whether the recipient may switch such mail off (observers, reminders): List-Unsubscribe.
    pub optional: bool,
    /// Press: the Message-ID must not tell game, phase or number (OPS-065).
    pub anonymous_id: bool,
}
