//! Password hashes as `sys.sql_logins.password_hash` holds them, and the memory of verified logins.
//!
//! Stored: version 0x0300, 16 bytes of salt, the iteration count, 32 bytes of PBKDF2-HMAC-SHA-512 over the UTF-16LE password.
//! Accepted too, for logins brought from SQL Server with `HASHED`: version 0x0200, 4 bytes of salt, SHA-512 of password and salt.
//! One verification costs milliseconds on purpose; a pool that opens a thousand connections must not pay it a thousand times, so a
//! keyed digest of each verified (hash, password) pair is kept in memory.

use std::collections::HashSet;

use pbkdf2::hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha512};

const VERSION_SHA512: [u8; 2] = [0x02, 0x00];
const VERSION_PBKDF2: [u8; 2] = [0x03, 0x00];
const SALT_BYTES: usize = 16;
const DIGEST_BYTES: usize = 32;
const ITERATIONS: u32 = 10_000;
/// In a simulation, whose passwords are no secrets: hashing would be half of its work.
const ITERATIONS_SIMULATED: u32 = 10;

/// Verified pairs kept; more than this many and the memory starts again empty.
const REMEMBERED_MAX: usize = 10_000;

fn utf16(password: &str) -> Vec<u8> {
    password.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn derive(password: &[u8], salt: &[u8], iterations: u32) -> [u8; DIGEST_BYTES] {
    let mut digest = [0; DIGEST_BYTES];
    pbkdf2::pbkdf2_hmac::<Sha512>(password, salt, iterations, &mut digest);
    digest
}

/// The hash to store. `salt` comes from `os::random`.
pub fn hash(password: &str, salt: [u8; SALT_BYTES]) -> Vec<u8> {
    let iterations = if os::sim::active() { ITERATIONS_SIMULATED } else { ITERATIONS };
    let mut stored = VERSION_PBKDF2.to_vec();
    stored.extend(salt);
    stored.extend(iterations.to_le_bytes());
    stored.extend(derive(&utf16(password), &salt, iterations));
    stored
}

/// Compares in constant time. An unknown form of hash matches nothing.
pub fn verify(stored: &[u8], password: &str) -> bool {
    let password = utf16(password);
    match stored {
        [a, b, rest @ ..] if [*a, *b] == VERSION_PBKDF2 && rest.len() == SALT_BYTES + 4 + DIGEST_BYTES => {
            let (salt, rest) = rest.split_at(SALT_BYTES);
            let (iterations, digest) = rest.split_at(4);
            let iterations = u32::from_le_bytes(iterations.try_into().expect("four bytes"));
            same(&derive(&password, salt, iterations.clamp(1, 10_000_000)), digest)
        }
        [a, b, rest @ ..] if [*a, *b] == VERSION_SHA512 && rest.len() == 4 + 64 => {
            let (salt, digest) = rest.split_at(4);
            same(&Sha512::new().chain_update(&password).chain_update(salt).finalize(), digest)
        }
        _ => false,
    }
}

fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |difference, (x, y)| difference | (x ^ y)) == 0
}

/// Pairs of hash and password that have been verified since the server started, as keyed digests.
pub struct VerifiedLogins {
    key: [u8; 32],
    seen: HashSet<[u8; 32]>,
}

impl VerifiedLogins {
    /// `key`: random, and never leaves the process.
    pub fn new(key: [u8; 32]) -> VerifiedLogins {
        VerifiedLogins { key, seen: HashSet::new() }
    }

    fn digest(&self, stored: &[u8], password: &str) -> [u8; 32] {
        let mut mac = Hmac::<Sha512>::new_from_slice(&self.key).expect("any key length serves");
        mac.update(stored);
        mac.update(&utf16(password));
        mac.finalize().into_bytes()[..32].try_into().expect("SHA-512 has 64 bytes")
    }

    pub fn knows(&self, stored: &[u8], password: &str) -> bool {
        self.seen.contains(&self.digest(stored, password))
    }

    pub fn remember(&mut self, stored: &[u8], password: &str) {
        if self.seen.len() >= REMEMBERED_MAX {
            self.seen.clear();
        }
        self.seen.insert(self.digest(stored, password));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_password_matches() {
        let stored = hash("Pässword1", [7; SALT_BYTES]);
        assert!(verify(&stored, "Pässword1"));
        assert!(!verify(&stored, "pässword1"));
        assert!(!verify(&stored[..20], "Pässword1"));
        assert!(!verify(&[], ""));
    }

    #[test]
    fn hashes_of_sql_server_2012_are_accepted() {
        let mut stored = VERSION_SHA512.to_vec();
        stored.extend([1, 2, 3, 4]);
        stored.extend(Sha512::new().chain_update(utf16("secret")).chain_update([1, 2, 3, 4]).finalize());
        assert!(verify(&stored, "secret"));
        assert!(!verify(&stored, "Secret"));
    }

    #[test]
    fn a_verified_login_is_remembered_with_its_hash() {
        let stored = hash("a", [1; SALT_BYTES]);
        let changed = hash("a", [2; SALT_BYTES]);
        let mut logins = VerifiedLogins::new([9; 32]);
        assert!(!logins.knows(&stored, "a"));
        logins.remember(&stored, "a");
        assert!(logins.knows(&stored, "a"));
        assert!(!logins.knows(&stored, "b"));
        assert!(!logins.knows(&changed, "a"), "a changed password must be verified again");
    }
}
