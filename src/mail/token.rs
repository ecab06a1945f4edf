//! Keyed marks: VERP addresses (operations.md 8.1, 9), unsubscribe tokens, thread roots. One server secret, one
//! HMAC-SHA-256, a separate purpose word for each use.

use crate::hex::hex;
use crate::mail::MailAddress;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;

/// The server's secret. Not shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Takes the bytes of the secret file.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Secret {
        Secret(bytes.into())
    }

    /// The first `digits` hex digits of the HMAC over the purpose and the parts; lengths are part of the input, so
    /// that no two lists of parts give the same bytes.
    pub fn mark(&self, purpose: &str, parts: &[&str], digits: usize) -> String {
        // A key of any length is fine for HMAC.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return String::new() };
        for part in std::iter::once(&purpose).chain(parts) {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        let mut all = hex(&mac.finalize().into_bytes());
        all.truncate(digits);
        all
    }

    /// Compares in constant time, case aside.
    pub fn check(&self, purpose: &str, parts: &[&str], given: &str) -> bool {
        let want = self.mark(purpose, parts, given.len());
        let differing = want.bytes().zip(given.bytes()).fold(0u8, |sum, (a, b)| sum | (a ^ b.to_ascii_lowercase()));
        want.len() == given.len() && differing == 0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Hex digits of the mark in a VERP address.
const VERP_DIGITS: usize = 10;
/// Hex digits of the mark in an unsubscribe token.
const UNSUBSCRIBE_DIGITS: usize = 20;

/// The envelope sender of one queued mail: `judge+b-<id>.<hmac10>@…`.
pub fn verp(judge: &MailAddress, secret: &Secret, id: &str) -> MailAddress {
    judge.plus(&format!("b-{id}.{}", secret.mark("verp", &[&id.to_ascii_lowercase()], VERP_DIGITS)))
}

/// The queue id in the token behind `b-`, if we have written it.
pub fn verp_id(secret: &Secret, token: &str) -> Option<String> {
    let (id, mark) = token.rsplit_once('.')?;
    let id = id.to_ascii_lowercase();
    (mark.len() == VERP_DIGITS && secret.check("verp", &[&id], mark)).then_some(id)
}

/// Token for the unsubscribe links of mail about a game (or none) to an address: `<game>.<mark>`.
pub fn unsubscribe(secret: &Secret, to: &str, game: Option<&str>) -> String {
    let game = game.unwrap_or_default().to_ascii_lowercase();
    let mark = secret.mark("unsubscribe", &[&to.to_lowercase(), &game], UNSUBSCRIBE_DIGITS);
    if game.is_empty() { mark } else { format!("{game}.{mark}") }
}

/// The game an unsubscribe token names; whether the rest of it is good is [`unsubscribe_fits`].
pub fn unsubscribe_game(token: &str) -> Option<&str> {
    token.rsplit_once('.').map(|(game, _)| game)
}

/// Whether the token was made for that address.
pub fn unsubscribe_fits(secret: &Secret, token: &str, to: &str) -> bool {
    let game = unsubscribe_game(token).unwrap_or_default().to_ascii_lowercase();
    let mark = token.rsplit('.').next().unwrap_or_default();
    mark.len() == UNSUBSCRIBE_DIGITS && secret.check("unsubscribe", &[&to.to_lowercase(), &game], mark)
}

/// Hex digits of the mark in a password token.
const PASSWORD_DIGITS: usize = 32;

/// Token of a link by which a seat gets a new password: `<game>.<seat>.<until>.<mark>`. What is stored now is part of the
/// mark: once a password has been set, the link is spent.
pub fn password(secret: &Secret, game: &str, seat: &str, until: i64, stored: &str) -> String {
    let (game, seat, until) = (game.to_lowercase(), seat.to_lowercase(), until.to_string());
    let mark = secret.mark("password", &[&game, &seat, &until, stored], PASSWORD_DIGITS);
    format!("{game}.{seat}.{until}.{mark}")
}

/// Game, seat and last moment (seconds) that a password token names; whether it is good is [`password_fits`].
pub fn password_parts(token: &str) -> Option<(&str, &str, i64)> {
    let mut parts = token.split('.');
    let named = (parts.next()?, parts.next()?, parts.next()?.parse().ok()?);
    (parts.next().is_some() && parts.next().is_none()).then_some(named)
}

/// Whether the token was made for what is stored now.
pub fn password_fits(secret: &Secret, token: &str, stored: &str) -> bool {
    let Some((game, seat, until)) = password_parts(token) else { return false };
    let (game, seat, until) = (game.to_lowercase(), seat.to_lowercase(), until.to_string());
    let mark = token.rsplit('.').next().unwrap_or_default();
    mark.len() == PASSWORD_DIGITS && secret.check("password", &[&game, &seat, &until, stored], mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_hold_and_do_not_transfer() {
        let secret = Secret::new(*b"key");
        let judge = MailAddress::parse("judge@judge.example").expect("address");
        let address = verp(&judge, &secret, "1795224847123456-0007");
        let token = address.local().strip_prefix("judge+b-").expect("prefix").to_owned();
        assert!(address.local().len() <= 64);
        assert_eq!(verp_id(&secret, &token).as_deref(), Some("1795224847123456-0007"));
        assert_eq!(verp_id(&Secret::new(*b"other"), &token), None);
        assert_eq!(verp_id(&secret, &token.replace("0007", "0008")), None);
        assert_eq!(verp_id(&secret, "x."), None);
        let token = unsubscribe(&secret, "K@example.org", Some("balkan9"));
        assert_eq!(unsubscribe_game(&token), Some("balkan9"));
        assert!(unsubscribe_fits(&secret, &token, "k@example.org"));
        assert!(!unsubscribe_fits(&secret, &token, "l@example.org"));
        assert!(!unsubscribe_fits(&secret, ".", "l@example.org"));
        let token = password(&secret, "balkan9", "AUSTRIA", 1_795_224_847, "$argon2id$x");
        assert_eq!(password_parts(&token), Some(("balkan9", "austria", 1_795_224_847)));
        assert!(password_fits(&secret, &token, "$argon2id$x"));
        assert!(!password_fits(&secret, &token, "$argon2id$y"), "spent once the password has changed");
        assert!(!password_fits(&secret, &token.replace("austria", "england"), "$argon2id$x"));
        assert!(!password_fits(&secret, "balkan9.austria.1.", "$argon2id$x"));
    }
}
