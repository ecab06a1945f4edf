//! Ways out of the house: one face, three of them (OPS-061).

mod file;
mod sendmail;
mod smtp;

pub use file::FileTransport;
pub use sendmail::SendmailTransport;
pub use smtp::{SmtpSettings, SmtpSettingsError, SmtpTransport, TlsMode};

/// One mail to be handed over.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'a> {
    /// Queue id.
    pub id: &'a str,
    /// Envelope sender; empty is the null sender.
    pub from: &'a str,
    /// Envelope recipients.
    pub to: &'a [String],
    /// Game, for the file transport's side file.
    pub game: Option<&'a str>,
    /// Notice number or `reply`.
    pub kind: &'a str,
    /// The message, CRLF.
    pub message: &'a [u8],
}

/// Why it was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Try again: 4xx, no connection, TLS trouble, time-out.
    #[error("{0}")]
    Later(String),
    /// Never for this recipient or this message.
    #[error("{0}")]
    Recipient(String),
    /// The relay will not have *us*: nothing more should be sent until somebody has looked.
    #[error("{0}")]
    Us(String),
}

/// A way out.
pub trait Transport: Sync {
    /// Hands one mail over; `Ok` is the other side's last word.
    fn send(&self, mail: &Outgoing) -> Result<String, Failure>;
}
