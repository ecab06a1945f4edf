//! Mail in: bytes to a clean message. Mail out: a [`Letter`] to RFC 5322, a durable queue, transports with one face.
//! Knows no games.

pub mod address;
pub mod bounce;
pub mod compose;
pub mod intake;
pub mod letter;
pub mod listen;
pub mod queue;
pub mod token;
pub mod transport;

pub use address::{AddressError, MailAddress};
pub use letter::*;
