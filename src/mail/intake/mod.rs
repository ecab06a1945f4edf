//! Bytes of one message in, a clean [`Intake`] out: who wrote, whether to act, and the command lines
//! (mail-commands.md 1, operations.md 5.6 and 9). Knows no games and no registry; no input makes it panic.

mod charset;
mod entities;
mod field;
mod html;
mod lines;
mod mime;
mod screen;
mod text;

use crate::hex::hex;
use crate::mail::address;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) use field::is_message_id;
pub use lines::{Line, header_word};

/// Field the spool writes instead of the body of an over-size message (OPS-020); its value is the size.
pub const TRUNCATED_FIELD: &str = "X-Chancery-Oversize";
/// Field the spool puts in front with the envelope sender (OPS-021).
pub const ENVELOPE_FROM_FIELD: &str = "X-Chancery-Envelope-From";
/// Field the spool puts in front with the envelope recipient (OPS-021).
pub const ENVELOPE_TO_FIELD: &str = "X-Chancery-Envelope-To";

/// Who "we" are: what the loop test compares with (mail-commands.md 1.2 step 3).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Ourselves {
    /// The judge's addresses: main one, aliases, openings, noreply.
    pub addresses: Vec<String>,
    /// The judge's id.
    pub id: Option<String>,
}

impl Ourselves {
    /// Whether the address is ours, sub-addresses (`judge+x@`) included.
    pub fn own(&self, address: &str) -> bool {
        let bare = address::without_extension(address);
        self.addresses.iter().any(|a| a.eq_ignore_ascii_case(address) || a.eq_ignore_ascii_case(&bare))
    }
}

/// Bounds of one message (operations.md 5.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Whole message, bytes.
    pub message: usize,
    /// Header, bytes.
    pub header: usize,
    /// Header fields.
    pub fields: usize,
    /// MIME parts.
    pub parts: usize,
    /// Nesting of MIME parts.
    pub depth: usize,
    /// Lines handed on.
    pub lines: usize,
    /// Lines that begin with a command word.
    pub commands: usize,
    /// Decoded text, bytes of UTF-8.
    pub text: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            message: 1 << 20,
            header: 256 << 10,
            fields: 1000,
            parts: 100,
            depth: 10,
            lines: 5000,
            commands: 200,
            text: 1 << 20,
        }
    }
}

/// Why a message is dropped without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A program answered, not a person.
    AutoSubmitted,
    /// A delivery report, or mail from a mailer.
    Bounce,
    /// Mailing-list or bulk traffic.
    List,
    /// Our own mail, or mail that goes round.
    Loop,
    /// No address to work with.
    NoSender,
}

impl Reason {
    /// The word of the logs and of `chancery mail read`.
    pub fn word(self) -> &'static str {
        match self {
            Reason::AutoSubmitted => "auto-submitted",
            Reason::Bounce => "bounce",
            Reason::List => "list",
            Reason::Loop => "loop",
            Reason::NoSender => "no-sender",
        }
    }
}

/// Why a message gets one answer but is not acted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// Larger than the limit.
    TooLarge,
    /// More header, parts, text or commands than the limits allow.
    TooComplex,
    /// Not decodable, or encrypted.
    Unreadable,
}

impl Refusal {
    /// Code of mail-commands.md 5.3.
    pub fn code(self) -> &'static str {
        match self {
            Refusal::TooLarge => "R_TOO_LARGE",
            Refusal::TooComplex => "R_TOO_COMPLEX",
            Refusal::Unreadable => "R_UNREADABLE",
        }
    }

    /// What the sender is told.
    pub fn sentence(self) -> &'static str {
        match self {
            Refusal::TooLarge => {
                "The mail is larger than this judge reads. Send the command lines alone, without attachments."
            }
            Refusal::TooComplex => {
                "The mail has more parts, lines or commands than this judge reads. Send it in several mails."
            }
            Refusal::Unreadable => "The mail cannot be decoded. Send it as plain text, not encrypted.",
        }
    }
}

/// What is to be done with the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// Read the lines and act.
    Process,
    /// Neither act nor answer.
    Drop(Reason),
    /// One answer, nothing executed.
    ReplyOnly(Refusal),
}

/// What was met on the way (OPS-016).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Flag {
    Html,
    Flowed,
    QuotedPrintable,
    Base64,
    BadCharset,
    BrokenMime,
    Attachments,
    Truncated,
    GreetingSkipped,
    Signature,
    Quotes,
    Pager,
}

impl Flag {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Flag::Html => "html",
            Flag::Flowed => "flowed",
            Flag::QuotedPrintable => "quoted-printable",
            Flag::Base64 => "base64",
            Flag::BadCharset => "bad-charset",
            Flag::BrokenMime => "broken-mime",
            Flag::Attachments => "attachments",
            Flag::Truncated => "truncated",
            Flag::GreetingSkipped => "greeting-skipped",
            Flag::Signature => "signature",
            Flag::Quotes => "quotes",
            Flag::Pager => "pager",
        }
    }
}

/// A set of flags, in the order of OPS-016.
pub type Flags = BTreeSet<Flag>;

/// The envelope, as far as somebody wrote it down (OPS-022).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Envelope {
    /// Envelope sender; `Some("")` is the null sender.
    pub from: Option<String>,
    /// Envelope recipient.
    pub to: Option<String>,
}

/// What the part behind the `+` of the recipient says (OPS-023, OPS-024).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extension {
    /// `judge+<game>@`, `judge+<seat>.<game>@`
    Game {
        /// Seat, if named.
        seat: Option<String>,
        /// Game.
        game: String,
    },
    /// `judge+b-<token>@`: a bounce.
    Bounce(String),
    /// `judge+r-<token>@`: a reply token.
    Reply(String),
    /// `judge+u-<token>@`: unsubscribe.
    Unsubscribe(String),
}

impl Extension {
    /// Reads the text behind the `+`; unknown forms are `None` and ignored.
    pub fn parse(text: &str) -> Option<Extension> {
        let word = |s: &str| {
            !s.is_empty()
                && s.len() <= 64
                && s.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'#'))
        };
        let token = |s: &str| !s.is_empty() && s.len() <= 128 && s.split('.').all(word);
        if let Some(rest) = text.strip_prefix("b-").filter(|r| token(r)) {
            return Some(Extension::Bounce(rest.to_owned()));
        }
        if let Some(rest) = text.strip_prefix("r-").filter(|r| token(r)) {
            return Some(Extension::Reply(rest.to_owned()));
        }
        if let Some(rest) = text.strip_prefix("u-").filter(|r| token(r)) {
            return Some(Extension::Unsubscribe(rest.to_owned()));
        }
        let lower = text.to_ascii_lowercase();
        match lower.rsplit_once('.') {
            Some((seat, game)) if word(seat) && word(game) => {
                Some(Extension::Game { seat: Some(seat.to_owned()), game: game.to_owned() })
            }
            None if word(&lower) => Some(Extension::Game { seat: None, game: lower }),
            _ => None,
        }
    }
}

/// One message, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intake {
    /// What is to be done with it.
    pub disposition: Disposition,
    /// The address the judge works with and answers to: `Reply-To`, else `From`; lower case.
    pub sender: Option<String>,
    /// The address in `From` (or `Sender`, with several authors); lower case.
    pub author: Option<String>,
    /// The name that goes with `From`.
    pub name: Option<String>,
    /// Envelope.
    pub envelope: Envelope,
    /// What the recipient address says behind its `+`.
    pub extension: Option<Extension>,
    /// Message-ID with angle brackets.
    pub message_id: Option<String>,
    /// References (or In-Reply-To) with angle brackets, oldest first, at most 30.
    pub references: Vec<String>,
    /// Subject, decoded, one line. Never read for commands (mail-commands.md 1.5).
    pub subject: String,
    /// `Authentication-Results` fields, unfolded.
    pub authentication: Vec<String>,
    /// Command lines from the first header command to SIGNOFF or the end.
    pub lines: Vec<Line>,
    /// Lines in front of the first header command, or in its place, for an answer that quotes them.
    pub skipped: Vec<Line>,
    /// What was met.
    pub flags: Flags,
    /// First 32 hex digits of SHA-256 of the text (OPS-030).
    pub text_hash: String,
}

impl Intake {
    /// The key of the ledger (OPS-030).
    pub fn key(&self) -> String {
        let id = self.message_id.as_deref().unwrap_or("none").to_lowercase();
        format!("{id}:{}:{}", self.sender.as_deref().unwrap_or("none"), self.text_hash)
    }

    /// References of an answer: those of the message, then the message itself.
    pub fn thread(&self) -> Vec<String> {
        let mut all = self.references.clone();
        all.extend(self.message_id.iter().cloned());
        all
    }
}

/// The parser itself failed; the message belongs into `dead/` with this text (operations.md 5.6).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the mail parser failed: {0}")]
pub struct ParserPanic(pub String);

/// Reads one message. `Err` only if the parser failed inside; everything else, however broken, is an [`Intake`].
pub fn read(bytes: &[u8], we: &Ourselves, limits: &Limits) -> Result<Intake, ParserPanic> {
    catch_unwind(AssertUnwindSafe(|| read_unguarded(bytes, we, limits))).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
        ParserPanic(text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default())
    })
}

fn read_unguarded(bytes: &[u8], we: &Ourselves, limits: &Limits) -> Intake {
    let mut flags = Flags::new();
    let header = field::Header::split(bytes, limits);
    if header.broken {
        flags.insert(Flag::BrokenMime);
    }
    let envelope = screen::envelope(&header);
    let author = screen::author(&header);
    let mut intake = Intake {
        disposition: Disposition::Process,
        sender: screen::reply_address(&header).or_else(|| author.clone()),
        author,
        name: header.text("from").and_then(|from| display_name(&from)),
        extension: screen::extension(&header, &envelope, we),
        envelope,
        message_id: header.message_ids("message-id", 1).into_iter().next(),
        references: screen::references(&header),
        subject: header.text("subject").map(|s| one_line(&s)).unwrap_or_default(),
        authentication: header.all("authentication-results").iter().take(20).map(|s| one_line_of(s, 4000)).collect(),
        lines: Vec::new(),
        skipped: Vec::new(),
        flags,
        text_hash: String::new(),
    };
    let body = bytes.get(header.end..).unwrap_or_default();
    if let Some(reason) = screen::reason(&header, &intake, we) {
        if reason == Reason::Bounce {
            intake.sender = None;
        }
        intake.text_hash = hash(body);
        intake.disposition = Disposition::Drop(reason);
        return intake;
    }
    match commands(bytes, &header, body, limits, &mut intake) {
        Ok(lines) => intake.lines = lines,
        Err(refusal) => {
            intake.text_hash = hash(body);
            intake.disposition = Disposition::ReplyOnly(refusal);
        }
    }
    intake
}

/// Steps 1, 8 and 9 of mail-commands.md 1.2, and the lines.
fn commands(
    bytes: &[u8],
    header: &field::Header,
    body: &[u8],
    limits: &Limits,
    intake: &mut Intake,
) -> Result<Vec<Line>, Refusal> {
    if bytes.len() > limits.message || header.first("x-chancery-oversize").is_some() {
        intake.flags.insert(Flag::Truncated);
        return Err(Refusal::TooLarge);
    }
    if header.excess {
        return Err(Refusal::TooComplex);
    }
    let text = mime::text(header, body, limits, &mut intake.flags)?;
    if text.text.len() > limits.text {
        return Err(Refusal::TooComplex);
    }
    let physical = text::physical(&text);
    let mut digest = Sha256::new();
    for line in &physical {
        digest.update(line.text.trim_end().as_bytes());
        digest.update(b"\n");
    }
    intake.text_hash = hex(digest.finalize().iter().take(16));
    lines::command_lines(physical, limits, &mut intake.flags, &mut intake.skipped)
}

/// The words before the address: `Ana Ruiz <ana@play.example>`.
fn display_name(from: &str) -> Option<String> {
    let name = one_line(from.split('<').next().unwrap_or("")).replace('"', "");
    let name = name.trim();
    (!name.is_empty() && !name.contains('@') && from.contains('<')).then(|| name.chars().take(80).collect())
}

fn hash(bytes: &[u8]) -> String {
    hex(Sha256::digest(bytes).iter().take(16))
}

/// Control characters out, runs of blanks to one, at most 500 characters.
fn one_line(text: &str) -> String {
    one_line_of(text, 500)
}

fn one_line_of(text: &str, most: usize) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_control() || c.is_whitespace()).filter(|w| !w.is_empty()).collect();
    words.join(" ").chars().take(most).collect()
}
