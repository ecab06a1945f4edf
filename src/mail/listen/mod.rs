//! Ways into the house: LMTP and a minimal SMTP on loopback (OPS-026), a Maildir (OPS-025), a folder on an IMAP server.
//! None of them says that a message is taken before the [`Store`] has returned `Ok`.

pub mod imap;
pub mod maildir;
mod server;
mod session;

pub use server::{BindError, Bound, Where, serve};

use std::fmt;
use std::io;
use std::sync::Arc;

/// One message for one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incoming<'a> {
    /// Envelope sender; `Some("")` is the null sender, `None` unknown.
    pub from: Option<&'a str>,
    /// Envelope recipient, if known.
    pub to: Option<&'a str>,
    /// The message as delivered.
    pub bytes: &'a [u8],
}

/// Makes a message durable. Must not return `Ok` earlier than it is.
pub type Store = Arc<dyn Fn(&Incoming) -> io::Result<()> + Send + Sync>;

/// Which protocol a listener speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// RFC 2033: one reply for each recipient.
    Lmtp,
    /// RFC 5321, for own addresses only.
    Smtp,
}

/// What the listeners need to know of the house.
#[derive(Clone)]
pub struct Door {
    /// Protocol.
    pub protocol: Protocol,
    /// Our name in the greeting.
    pub host: String,
    /// `mail.in.max_message_bytes`
    pub max_bytes: usize,
    /// Whether an address (lower case) is ours, sub-addresses included.
    pub ours: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    /// Whether there is room on the disk (`limits.min_free`).
    pub room: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Where messages go.
    pub store: Store,
}

impl fmt::Debug for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Door({:?} {} {})", self.protocol, self.host, self.max_bytes)
    }
}
