//! Delivery reports (RFC 3464) and the VERP addresses they come back to (mail-commands.md 8.1, operations.md 9).
//! Never answered; only read.

use crate::mail::MailAddress;
use crate::mail::intake::Intake;
use crate::mail::token::{self, Secret};
use mailparse::ParsedMail;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a report says about one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Final (else original) recipient, lower case.
    pub address: String,
    /// Enhanced status: `5.1.1`.
    pub status: String,
    /// `failed`, `delayed`, …
    pub action: String,
    /// Diagnostic-Code, one line.
    pub diagnostic: String,
}

impl Failure {
    /// Counts towards a bouncing address: class 5 and not merely delayed.
    pub fn permanent(&self) -> bool {
        self.status.starts_with("5.") && matches!(self.action.as_str(), "" | "failed")
    }
}

/// A returned mail.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Bounce {
    /// The queue id of our mail, if it came to a bounce address that we have written.
    pub queue_id: Option<String>,
    /// Original-Envelope-Id.
    pub envelope_id: Option<String>,
    /// Message-ID of our mail, from the part returned.
    pub original_message_id: Option<String>,
    /// Recipients.
    pub failures: Vec<Failure>,
    /// Status named in the text of a report without machine-readable part: for the recipient of `queue_id`.
    pub stated: Option<String>,
}

/// Groups of a report that are read.
const MOST_RECIPIENTS: usize = 100;

/// Reads a message that the intake has dropped as a bounce. Nothing in it: an empty [`Bounce`].
pub fn read(bytes: &[u8], intake: &Intake, secret: &Secret) -> Bounce {
    let queue_id = intake.bounce_token().and_then(|t| token::verp_id(secret, t));
    // A report that breaks the parser says nothing.
    let mut bounce = catch_unwind(AssertUnwindSafe(|| report(bytes))).unwrap_or_default();
    bounce.queue_id = queue_id;
    bounce
}

fn report(bytes: &[u8]) -> Bounce {
    let mut bounce = Bounce::default();
    let Ok(mail) = mailparse::parse_mail(bytes) else { return bounce };
    let mut text = String::new();
    for part in mail.parts().take(MOST_RECIPIENTS) {
        match part.ctype.mimetype.as_str() {
            "message/delivery-status" | "message/global-delivery-status" => delivery_status(part, &mut bounce),
            "message/rfc822" | "text/rfc822-headers" | "message/global-headers" | "message/global" => {
                let body = body(part);
                let field = body.lines().find_map(|l| value_of(l, "message-id"));
                bounce.original_message_id = field.or(bounce.original_message_id);
            }
            "text/plain" if text.is_empty() => text = body(part).chars().take(20_000).collect(),
            _ => {}
        }
    }
    if bounce.failures.is_empty() {
        bounce.stated = status_in(&text);
    }
    bounce
}

fn body(part: &ParsedMail) -> String {
    part.get_body_raw().map(|b| String::from_utf8_lossy(&b).replace("\r\n", "\n")).unwrap_or_default()
}

/// Groups of fields between empty lines: the first about the message, each other about a recipient.
fn delivery_status(part: &ParsedMail, bounce: &mut Bounce) {
    let text = body(part).replace("\n ", " ").replace("\n\t", " ");
    for group in text.split("\n\n").take(MOST_RECIPIENTS) {
        let field = |name: &str| group.lines().find_map(|line| value_of(line, name));
        bounce.envelope_id = bounce.envelope_id.take().or_else(|| field("original-envelope-id"));
        let recipient = field("final-recipient").or_else(|| field("original-recipient"));
        let Some(address) = recipient.and_then(|r| MailAddress::parse(typed(&r)).ok()) else { continue };
        let status = field("status").unwrap_or_default();
        bounce.failures.push(Failure {
            address: address.to_string(),
            status: status.split_whitespace().next().unwrap_or_default().to_owned(),
            action: field("action").unwrap_or_default().to_lowercase(),
            diagnostic: field("diagnostic-code").map(|d| typed(&d).chars().take(500).collect()).unwrap_or_default(),
        });
    }
}

/// The value behind `type;`.
fn typed(value: &str) -> &str {
    value.split_once(';').map_or(value, |(_, rest)| rest).trim().trim_matches(['<', '>'])
}

fn value_of(line: &str, name: &str) -> Option<String> {
    let (key, value) = line.split_once(':')?;
    key.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_owned()).filter(|v| !v.is_empty())
}

/// The first enhanced status (`5.1.1`, `4.4.7`) among the words of a text.
fn status_in(text: &str) -> Option<String> {
    let number = |s: &str| (1..=3).contains(&s.len()) && s.bytes().all(|b| b.is_ascii_digit());
    text.split(|c: char| !(c.is_ascii_digit() || c == '.')).map(|w| w.trim_matches('.')).find_map(|word| {
        let parts: Vec<&str> = word.split('.').collect();
        match parts.as_slice() {
            ["4" | "5", subject, detail] if number(subject) && number(detail) => Some(word.to_owned()),
            _ => None,
        }
    })
}
