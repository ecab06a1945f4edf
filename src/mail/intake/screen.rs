//! Who wrote, and whether it may be acted on at all (mail-commands.md 1.2 steps 2 to 5, OPS-070).

use super::field::Header;
use super::{Envelope, Extension, Intake, Ourselves, Reason};

/// More `Received` lines than this: the message goes round.
const MOST_HOPS: usize = 50;

/// The envelope: what the spool wrote in front, else what the MTA left (OPS-022).
pub(super) fn envelope(header: &Header) -> Envelope {
    let bare = |v: String| v.trim().trim_matches(['<', '>']).trim().to_lowercase();
    let from = header.first("x-chancery-envelope-from").or_else(|| header.first("return-path")).map(bare);
    let to = ["x-chancery-envelope-to", "delivered-to", "x-original-to", "envelope-to"]
        .iter()
        .find_map(|name| header.text(name))
        .map(bare);
    Envelope { from, to }
}

/// The author; with several, the one `Sender` names.
pub(super) fn author(header: &Header) -> Option<String> {
    let from = header.mailboxes("from");
    match from.len() {
        1 => from.into_iter().next(),
        0 => None,
        _ => header.mailboxes("sender").into_iter().next(),
    }
}

/// First mailbox of `Reply-To`.
pub(super) fn reply_address(header: &Header) -> Option<String> {
    header.mailboxes("reply-to").into_iter().next()
}

/// References, else In-Reply-To.
pub(super) fn references(header: &Header) -> Vec<String> {
    let references = header.message_ids("references", 30);
    if references.is_empty() { header.message_ids("in-reply-to", 2) } else { references }
}

/// The extension of the address the message came to; the envelope decides, then the visible recipients.
pub(super) fn extension(header: &Header, envelope: &Envelope, we: &Ourselves) -> Option<Extension> {
    let mut candidates: Vec<String> = envelope.to.iter().cloned().collect();
    for name in ["to", "cc"] {
        candidates.extend(header.mailboxes(name).into_iter().take(20));
    }
    candidates.iter().filter(|a| we.own(a)).find_map(|address| {
        let local = address.rsplit_once('@').map(|(local, _)| local)?;
        Extension::parse(local.split_once('+')?.1)
    })
}

/// The reason to drop the message, if there is one.
///
/// Delivery reports come first, so that they are counted even when a mailer sends them with our own loop mark;
/// then loops; then programs; then lists.
pub(super) fn reason(header: &Header, intake: &Intake, we: &Ourselves) -> Option<Reason> {
    if header.word("content-type").is_some_and(|t| t == "multipart/report") {
        return Some(Reason::Bounce);
    }
    let own = intake.sender.iter().chain(&intake.author).any(|a| we.own(a));
    let x_loop = header.all("x-loop").iter().any(|v| {
        v.split(|c: char| c.is_whitespace() || ",<>".contains(c)).any(|w| w.contains('@') && we.own(&w.to_lowercase()))
    });
    // Any judge's mark: judges do not write to each other (OPS-072).
    let marked = header.count("x-chancery-loop") > 0 || header.word("x-njudge").is_some_and(|w| w == "yes");
    if own || x_loop || marked || header.count("received") > MOST_HOPS {
        return Some(Reason::Loop);
    }
    let suppressed = header
        .first("x-auto-response-suppress")
        .is_some_and(|v| v.split(',').any(|w| matches!(w.trim().to_ascii_lowercase().as_str(), "all" | "autoreply")));
    let precedence = header.word("precedence").unwrap_or_default();
    let automatic = header.word("auto-submitted").is_some_and(|w| w != "no")
        || header.count("x-autoreply") > 0
        || header.count("x-autorespond") > 0
        || suppressed
        || precedence == "auto_reply";
    if automatic {
        return Some(Reason::AutoSubmitted);
    }
    let machine = intake.sender.iter().chain(&intake.author).any(|a| {
        let local = a.split(['@', '+']).next().unwrap_or_default();
        matches!(local, "mailer-daemon" | "postmaster" | "no-reply" | "noreply") || local.starts_with("bounce")
    });
    let null_sender = intake.envelope.from.as_deref() == Some("");
    let ours = matches!(intake.extension, Some(Extension::Bounce(_)));
    if machine || null_sender || ours || header.count("x-failed-recipients") > 0 {
        return Some(Reason::Bounce);
    }
    let list = ["list-id", "list-post", "mailing-list"].iter().any(|name| header.count(name) > 0);
    if list || matches!(precedence.as_str(), "bulk" | "junk" | "list") {
        return Some(Reason::List);
    }
    intake.sender.is_none().then_some(Reason::NoSender)
}

impl Intake {
    /// Whether the message was addressed to one of our bounce addresses; the token still wants checking.
    pub fn bounce_token(&self) -> Option<&str> {
        match &self.extension {
            Some(Extension::Bounce(token)) => Some(token),
            _ => None,
        }
    }
}
