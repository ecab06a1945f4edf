//! Mail in: bytes to a clean message. Mail out: a [`Letter`] to RFC 5322, a durable queue, transports with one face.
//! Knows no games.

pub mod letter;

pub use letter::*;
