//! Passwords on this machine: Argon2id in PHC form (D7). The salt follows from the event's seed, so that a decision that is
//! made again after a crash has the same bytes.

use crate::judge::table::Secrets;
use crate::mail::token::{self, Secret};
use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use argon2::{Algorithm, Argon2, Params, Version};
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::sync::{Mutex, atomic::AtomicU64, atomic::Ordering};

/// Memory in KiB and passes: about ten milliseconds on a small machine (OWASP's profile for 7 MiB).
const MEMORY_KIB: u32 = 7168;
const PASSES: u32 = 5;

/// Pairs of hash and password that were found right, as fingerprints under a key of this process: a player who signs on
/// for the tenth time need not be hashed again.
#[derive(Default)]
pub struct Known(Mutex<HashSet<[u8; 32]>>);

/// Verifies and hashes for one event.
pub struct PhcSecrets<'a> {
    known: &'a Known,
    key: [u8; 32],
    seed: u64,
    count: AtomicU64,
}

impl<'a> PhcSecrets<'a> {
    /// For one event; `key` is the site's secret.
    pub fn new(known: &'a Known, key: [u8; 32], seed: u64) -> PhcSecrets<'a> {
        PhcSecrets { known, key, seed, count: AtomicU64::new(0) }
    }

    fn fingerprint(&self, stored: &str, given: &str) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.key);
        hash.update(stored.as_bytes());
        hash.update([0]);
        hash.update(given.as_bytes());
        hash.finalize().into()
    }
}

/// Passwords are compared without case, as the old judge did.
fn fold(password: &str) -> String {
    password.to_lowercase()
}

fn hasher() -> Argon2<'static> {
    let params = Params::new(MEMORY_KIB, PASSES, 1, None).unwrap_or_default();
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// Equal in a time that does not depend on where they differ.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |difference, (x, y)| difference | (x ^ y)) == 0
}

impl Secrets for PhcSecrets<'_> {
    fn verify(&self, stored: &str, given: &str) -> bool {
        let given = fold(given);
        if !stored.starts_with("$argon2") {
            return same(fold(stored).as_bytes(), given.as_bytes());
        }
        let fingerprint = self.fingerprint(stored, &given);
        if self.known.0.lock().is_ok_and(|known| known.contains(&fingerprint)) {
            return true;
        }
        let Ok(hash) = PasswordHash::new(stored) else { return false };
        let right = hasher().verify_password(given.as_bytes(), &hash).is_ok();
        if right && let Ok(mut known) = self.known.0.lock() {
            if known.len() > 10_000 {
                known.clear();
            }
            known.insert(fingerprint);
        }
        right
    }

    fn link(&self, game: &str, seat: &str, until: DateTime<Utc>, stored: &str) -> String {
        token::password(&Secret::new(self.key), game, seat, until.timestamp(), stored)
    }

    fn hash(&self, given: &str) -> String {
        let given = fold(given);
        let n = self.count.fetch_add(1, Ordering::Relaxed);
        let mut salt = Sha256::new();
        salt.update(self.key);
        salt.update(self.seed.to_le_bytes());
        salt.update(n.to_le_bytes());
        let salt: [u8; 32] = salt.finalize().into();
        let stored = match hasher().hash_password_with_salt(given.as_bytes(), &salt[..16]) {
            Ok(hash) => hash.to_string(),
            // Refuses only lengths that were checked at the door; an unusable hash locks the seat instead of opening it.
            Err(_) => "$argon2id$".into(),
        };
        if let Ok(mut known) = self.known.0.lock() {
            known.insert(self.fingerprint(&stored, &given));
        }
        stored
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_verify_without_case_and_repeat_with_the_seed() {
        let known = Known::default();
        let secrets = PhcSecrets::new(&known, [7; 32], 1);
        let stored = secrets.hash("Le-Secret");
        assert!(stored.starts_with("$argon2id$"), "{stored}");
        let fresh = Known::default();
        let again = PhcSecrets::new(&fresh, [7; 32], 1);
        assert!(again.verify(&stored, "le-secret"));
        assert!(!again.verify(&stored, "le-secrett"));
        assert_eq!(again.hash("Le-Secret"), stored);
        assert!(again.verify("walzer", "WALZER"));
    }
}
