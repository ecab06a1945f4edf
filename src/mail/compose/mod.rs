//! A [`Letter`] to RFC 5322: the header table of operations.md 8.1, a text part of short lines, an HTML twin with
//! inlined pictures, attachments. Equal input, equal bytes; nothing in a letter can add a header line.

pub mod late;
pub mod thread;

use crate::mail::intake::is_message_id;
use crate::mail::token::{self, Secret};
use crate::mail::{Attachment, Auto, Letter, Link, MailAddress};
use chrono::{DateTime, FixedOffset};
use lettre::message::header::{self, ContentTransferEncoding, ContentType, HeaderName, HeaderValue, Headers};
use lettre::message::{Body, Mailbox, Mailboxes, MultiPart, SinglePart};

/// What every mail of this judge has in common.
#[derive(Clone, Debug)]
pub struct Sender {
    /// `judge.id`
    pub id: String,
    /// `judge.address`
    pub address: MailAddress,
    /// `judge.url`
    pub url: String,
    /// `mail.out.verp`
    pub verp: bool,
    /// Key of VERP addresses, unsubscribe tokens and thread roots.
    pub secret: Secret,
}

impl Sender {
    /// Right side of Message-IDs and List-Ids.
    pub fn host(&self) -> &str {
        self.address.domain()
    }
}

/// What makes this mail unlike any other; drawn and recorded by the caller, fixed when queued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Queue id (`crate::mail::queue::make_id`).
    pub id: String,
    /// Moment of queueing in the judge's zone.
    pub now: DateTime<FixedOffset>,
    /// At least 16 random letters and digits, for the Message-ID.
    pub token: String,
}

/// A finished mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    /// Queue id.
    pub id: String,
    /// Envelope sender; empty is the null sender.
    pub from: String,
    /// Envelope recipient.
    pub to: String,
    /// With angle brackets.
    pub message_id: String,
    /// The message, CRLF.
    pub bytes: Vec<u8>,
}

/// Why a letter cannot become a mail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComposeError {
    /// The recipient is no address.
    #[error("recipient {0:?}: {1}")]
    Recipient(String, crate::mail::AddressError),
    /// The mail library takes no such address.
    #[error("address {0:?} cannot be written into a mail")]
    Address(String),
    /// The caller's stamp has no usable token.
    #[error("a stamp needs a token of at least 8 letters and digits")]
    Stamp,
}

/// Longest subject; what is beyond is cut.
const LONGEST_SUBJECT: usize = 250;
/// References repeated: the root and the last of the chain.
const MOST_REFERENCES: usize = 20;
/// Longest line that goes as it is (operations.md 8.1).
const LINE: usize = 78;

/// What was encoded for the letters of one event: mostly they say the same to all.
#[derive(Default)]
pub struct Encoded {
    /// Text parts: their kind and text.
    parts: Vec<(&'static str, String, Body)>,
    last: Option<Content>,
}

/// All of a mail but its own fields.
struct Content {
    text: String,
    html: Option<String>,
    attachments: Vec<Attachment>,
    /// The MIME fields, an empty line, the parts.
    bytes: Vec<u8>,
}

impl Encoded {
    /// So many different text parts are kept.
    const MOST: usize = 8;

    fn part(&mut self, text: &str, kind: &'static str) -> SinglePart {
        let known = self.parts.iter().find(|(k, t, _)| *k == kind && t == text).map(|(_, _, body)| body.clone());
        let body = known.unwrap_or_else(|| {
            let body = encode(text);
            if self.parts.len() < Encoded::MOST {
                self.parts.push((kind, text.to_owned(), body.clone()));
            }
            body
        });
        SinglePart::builder().header(content_type(kind)).body(body)
    }

    /// What the letter says, encoded.
    fn content(&mut self, letter: &Letter, secret: &Secret) -> &[u8] {
        let is_same = |last: &Content| {
            (&last.text, &last.html, &last.attachments) == (&letter.text, &letter.html, &letter.attachments)
        };
        let content = match self.last.take().filter(is_same) {
            Some(last) => last,
            None => Content {
                bytes: body(self, letter, secret),
                text: letter.text.clone(),
                html: letter.html.clone(),
                attachments: letter.attachments.clone(),
            },
        };
        &self.last.insert(content).bytes
    }
}

/// Composes one letter.
pub fn compose(letter: &Letter, sender: &Sender, stamp: &Stamp) -> Result<Composed, ComposeError> {
    compose_with(&mut Encoded::default(), letter, sender, stamp)
}

/// Composes one of several letters; their bytes are the same as if each were the only one.
pub fn compose_with(
    encoded: &mut Encoded,
    letter: &Letter,
    sender: &Sender,
    stamp: &Stamp,
) -> Result<Composed, ComposeError> {
    if stamp.token.len() < 8 || !stamp.token.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Err(ComposeError::Stamp);
    }
    let to = MailAddress::parse(&letter.to).map_err(|e| ComposeError::Recipient(letter.to.clone(), e))?;
    let game = letter.game.as_deref().map(atom).filter(|g| !g.is_empty());
    let message_id = message_id(letter, game.as_deref(), sender, stamp);
    let name = match &game {
        Some(game) => format!("{game} on {}", one_line(&sender.id, 60)),
        None => one_line(&sender.id, 60),
    };
    let reply_to = game.as_deref().map_or_else(|| sender.address.clone(), |g| sender.address.plus(g));
    let mailbox = |name, address| Ok(Mailboxes::from(Mailbox::new(name, library_address(address)?)));
    let mut headers = Headers::new();
    // The library writes dates in GMT only; players want to see the judge's zone.
    headers.insert_raw(field("Date", stamp.now.to_rfc2822()));
    headers.set(header::From::from(mailbox(Some(name), &sender.address)?));
    headers.set(header::ReplyTo::from(mailbox(None, &reply_to)?));
    headers.set(header::To::from(mailbox(None, &to)?));
    headers.set(header::Subject::from(subject(&letter.subject)));
    headers.insert_raw(field("Message-ID", message_id.clone()));
    for (name, value) in fields(letter, game.as_deref(), &to, sender) {
        headers.insert_raw(field(name, value));
    }
    headers.set(header::MIME_VERSION_1_0);
    let mut bytes = headers.to_string().into_bytes();
    bytes.extend_from_slice(encoded.content(letter, &sender.secret));
    let from = match letter.auto {
        Auto::Replied => String::new(),
        _ if sender.verp => token::verp(&sender.address, &sender.secret, &stamp.id).to_string(),
        _ => sender.address.to_string(),
    };
    Ok(Composed { id: stamp.id.clone(), from, to: to.to_string(), message_id, bytes })
}

/// The fields beyond those every mail has, in the order written.
fn fields(letter: &Letter, game: Option<&str>, to: &MailAddress, sender: &Sender) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    let root = game.zip(letter.thread.as_ref()).map(|(game, thread)| thread::root(sender, game, thread));
    let chain = root.iter().chain(&letter.references).map(String::as_str);
    let mut references: Vec<&str> = chain.filter(|r| bracketed(r)).collect();
    let linked = letter.link.as_ref().zip(game).and_then(|(link, game)| {
        let (phase, seed) = link.before.as_ref()?;
        Some(linked_id(letter, link, game, phase, seed, sender))
    });
    if let Some(parent) = letter.in_reply_to.as_deref().or(linked.as_deref()).filter(|r| bracketed(r)) {
        out.push(("In-Reply-To", parent.to_owned()));
        if !references.contains(&parent) {
            references.push(parent);
        }
    }
    if references.len() > MOST_REFERENCES {
        let surplus = references.len() - MOST_REFERENCES;
        references.drain(1..=surplus);
    }
    if !references.is_empty() {
        out.push(("References", references.join(" ")));
    }
    if let (true, Some(game)) = (letter.bulk || letter.auto == Auto::Generated, game) {
        out.push(("List-Id", format!("<{game}.{}>", sender.host())));
    }
    if letter.optional {
        let token = token::unsubscribe(&sender.secret, to.as_str(), game);
        let mailto = sender.address.plus(&format!("u-{token}"));
        let link = format!("<{}/unsubscribe/{token}>", clean_url(&sender.url));
        // A local part has at most 64 octets.
        let links = if mailto.local().len() <= 64 { format!("<mailto:{mailto}>, {link}") } else { link };
        out.push(("List-Unsubscribe", links));
        // RFC 8058 knows one click over https only.
        if sender.url.starts_with("https://") {
            out.push(("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()));
        }
    }
    match letter.auto {
        Auto::Generated => out.push(("Auto-Submitted", "auto-generated".to_owned())),
        Auto::Replied => out.push(("Auto-Submitted", "auto-replied".to_owned())),
        Auto::Human => {}
    }
    if letter.bulk && letter.auto == Auto::Generated {
        out.push(("Precedence", "bulk".to_owned()));
    }
    out.push(("X-Auto-Response-Suppress", "All".to_owned()));
    out.push(("X-Chancery-Loop", one_line(&sender.id, 60)));
    if let Some(game) = game {
        out.push(("X-Chancery-Game", game.to_owned()));
    }
    let notice = atom(&letter.notice);
    if !notice.is_empty() {
        out.push(("X-Chancery-Notice", notice));
    }
    out
}

/// The Message-ID of a link of the chain: the random part is a keyed hash, so that whoever writes the next one knows it.
fn linked_id(letter: &Letter, link: &Link, game: &str, phase: &str, seed: &str, sender: &Sender) -> String {
    let notice = atom(&letter.notice);
    let to = letter.to.to_lowercase();
    let mark = sender.secret.mark("link", &[game, phase, &notice, seed, &to, &link.reader], 24);
    format!("<{game}.{}.{notice}.{mark}@{}>", atom(phase), sender.host())
}

/// `<game.phase.notice.random@host>`; press only `<random@host>` (OPS-065).
fn message_id(letter: &Letter, game: Option<&str>, sender: &Sender, stamp: &Stamp) -> String {
    if let (Some(link), Some(game), Some(phase)) = (&letter.link, game, &letter.phase) {
        return linked_id(letter, link, game, phase, &link.seed, sender);
    }
    let mut parts: Vec<String> = Vec::new();
    if !letter.anonymous_id {
        parts.extend(game.map(str::to_owned));
        parts.extend(letter.phase.as_deref().map(atom));
        parts.push(atom(&letter.notice));
        parts.retain(|p| !p.is_empty());
    }
    parts.push(stamp.token.clone());
    format!("<{}@{}>", parts.join("."), sender.host())
}

enum Built {
    Single(SinglePart),
    Multi(MultiPart),
}

/// What a letter says, as the fields and the body of a MIME entity.
fn body(encoded: &mut Encoded, letter: &Letter, secret: &Secret) -> Vec<u8> {
    match parts(encoded, letter, secret) {
        Built::Single(part) => part.formatted(),
        Built::Multi(part) => part.formatted(),
    }
}

/// text; or alternative(text, html or related(html, pictures)); all of it in a mixed with the attachments.
fn parts(encoded: &mut Encoded, letter: &Letter, secret: &Secret) -> Built {
    // Keyed, so that no text can hold its own boundary.
    let mark = std::cell::LazyCell::new(|| {
        secret.mark("boundary", &[&letter.text, letter.html.as_deref().unwrap_or_default()], 24)
    });
    let mut boundaries = 0;
    let mut boundary = || {
        boundaries += 1;
        format!("chancery-{}-{boundaries}", *mark)
    };
    let plain = encoded.part(&letter.text, "text/plain; charset=utf-8; format=fixed");
    let inlined = |a: &&Attachment| letter.html.is_some() && a.inline.as_deref().is_some_and(is_message_id);
    let pictures: Vec<&Attachment> = letter.attachments.iter().filter(inlined).collect();
    let attached: Vec<&Attachment> = letter.attachments.iter().filter(|a| !inlined(a)).collect();
    let content = match &letter.html {
        None => Built::Single(plain),
        Some(html) => {
            let html = encoded.part(html, "text/html; charset=utf-8");
            let both = MultiPart::alternative().boundary(boundary()).singlepart(plain);
            if pictures.is_empty() {
                Built::Multi(both.singlepart(html))
            } else {
                let mut related = MultiPart::related().boundary(boundary()).singlepart(html);
                for picture in pictures {
                    related = related.singlepart(binary_part(picture, true));
                }
                Built::Multi(both.multipart(related))
            }
        }
    };
    if attached.is_empty() {
        return content;
    }
    let mixed = MultiPart::mixed().boundary(boundary());
    let mut mixed = match content {
        Built::Single(part) => mixed.singlepart(part),
        Built::Multi(part) => mixed.multipart(part),
    };
    for attachment in attached {
        mixed = mixed.singlepart(binary_part(attachment, false));
    }
    Built::Multi(mixed)
}

/// 7bit if every line is short plain ASCII, else quoted-printable.
fn encode(text: &str) -> Body {
    let mut text = if text.bytes().all(|b| is_plain(b) || b == b'\n' || b == b'\t') {
        text.to_owned()
    } else {
        text.replace("\r\n", "\n").chars().filter(|&c| c == '\n' || c == '\t' || !c.is_control()).collect()
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let plain = text.is_ascii() && text.lines().all(|l| l.len() <= LINE && !l.starts_with("From "));
    // The library has its own, stricter idea of a short line; what it will not send as it is goes quoted-printable, as a
    // String again: given bytes it would take them for binary and code every end of line.
    let as_it_is =
        if plain { Body::new_with_encoding(text.clone(), ContentTransferEncoding::SevenBit).ok() } else { None };
    as_it_is
        .or_else(|| Body::new_with_encoding(text.clone(), ContentTransferEncoding::QuotedPrintable).ok())
        .unwrap_or_else(|| Body::new(text))
}

fn binary_part(attachment: &Attachment, inline: bool) -> SinglePart {
    let name: String = attachment.name.chars().filter(|c| c.is_ascii_alphanumeric() || "._-#+".contains(*c)).collect();
    let name = if name.is_empty() { "attachment".to_owned() } else { name };
    let head = match (&attachment.inline, inline) {
        (Some(id), true) => lettre::message::Attachment::new_inline_with_name(id.clone(), name),
        _ => lettre::message::Attachment::new(name),
    };
    head.body(attachment.bytes.clone(), content_type(&attachment.mime))
}

fn content_type(text: &str) -> ContentType {
    let safe = text.bytes().all(|b| (b' '..127).contains(&b));
    safe.then(|| ContentType::parse(text).ok())
        .flatten()
        .or_else(|| ContentType::parse("application/octet-stream").ok())
        .unwrap_or(ContentType::TEXT_PLAIN)
}

fn library_address(address: &MailAddress) -> Result<lettre::Address, ComposeError> {
    lettre::Address::new(address.local(), address.domain()).map_err(|_| ComposeError::Address(address.to_string()))
}

/// Names are ours; values are made one line and encoded by the library.
fn field(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), one_line(&value, 4000))
}

fn subject(text: &str) -> String {
    let line = one_line(text, LONGEST_SUBJECT);
    if line.is_empty() { "(no subject)".to_owned() } else { line }
}

/// Control characters and line ends to blanks, cut.
fn one_line(text: &str, most: usize) -> String {
    // Nearly every text is one already.
    if text.len() <= most && text.bytes().all(is_plain) {
        return text.trim_matches(' ').to_owned();
    }
    let text: String =
        text.chars().map(|c| if c.is_control() || "\u{2028}\u{2029}".contains(c) { ' ' } else { c }).collect();
    text.trim().chars().take(most).collect()
}

/// A letter, digit, mark or blank of ASCII.
fn is_plain(byte: u8) -> bool {
    (b' '..=b'~').contains(&byte)
}

/// Letters, digits and a few marks: what may stand in a Message-ID or List-Id.
fn atom(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).take(80).collect()
}

fn bracketed(id: &str) -> bool {
    id.strip_prefix('<').and_then(|i| i.strip_suffix('>')).is_some_and(is_message_id)
}

fn clean_url(url: &str) -> String {
    url.trim_end_matches('/').chars().filter(|c| c.is_ascii_graphic() && !"<>\"".contains(*c)).collect()
}
