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
pub mod vouched;

pub use address::{AddressError, MailAddress};
pub use letter::*;

/// Whether that host of a mail server is this machine: only there mail may travel in clear.
pub fn is_this_machine(host: &str) -> bool {
    host == "localhost"
        || host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
