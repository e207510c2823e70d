//! Password hashes as `sys.sql_logins.password_hash` holds them, and the memory of verified logins.
//!
//! Stored: version 0x0300, 16 bytes of salt, the iteration count, 32 bytes of PBKDF2-HMAC-SHA-512 over the UTF-16LE password, with the
//! 100,000 rounds of SQL Server 2025. Not Argon2id: its memory for each hash at work is what a flood of logins would take the server's of.
//! Accepted too, for logins brought from SQL Server with `HASHED`: version 0x0200, 4 bytes of salt, SHA-512 of password and salt; and
//! fewer rounds, from before. Who logs in with such a hash gets a new one.
//!
//! A wrong password costs the same whatever is stored, also where nothing is: time tells nobody which logins there are. One
//! verification costs a tenth of a second on purpose; a pool that opens a thousand connections must not pay it a thousand times, so a
//! keyed digest of each verified (hash, password) pair is kept in memory.

use std::collections::HashSet;

use pbkdf2::hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha512};

const VERSION_SHA512: [u8; 2] = [0x02, 0x00];
const VERSION_PBKDF2: [u8; 2] = [0x03, 0x00];
const SALT_BYTES: usize = 16;
const DIGEST_BYTES: usize = 32;
const ITERATIONS: u32 = 100_000;
/// A hash with more would hold a thread for minutes.
const ITERATIONS_MAX: u32 = 1_000_000;
/// In a simulation, whose passwords are no secrets: hashing would be half of its work.
const ITERATIONS_SIMULATED: u32 = 10;

/// Verified pairs kept; more than this many and the memory starts again empty.
const REMEMBERED_MAX: usize = 10_000;

/// Logins whose passwords are verified at once, each by a worker that waits for it. More wait without one.
const BEGUN_MAX: usize = 16;

fn utf16(password: &str) -> Vec<u8> {
    password.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn derive(password: &[u8], salt: &[u8], iterations: u32) -> [u8; DIGEST_BYTES] {
    let mut digest = [0; DIGEST_BYTES];
    pbkdf2::pbkdf2_hmac::<Sha512>(password, salt, iterations, &mut digest);
    digest
}

fn iterations() -> u32 {
    if os::sim::active() { ITERATIONS_SIMULATED } else { ITERATIONS }
}

/// The hash to store. `salt` comes from `os::random`.
pub fn hash(password: &str, salt: [u8; SALT_BYTES]) -> Vec<u8> {
    let iterations = iterations();
    let mut stored = VERSION_PBKDF2.to_vec();
    stored.extend(salt);
    stored.extend(iterations.to_le_bytes());
    stored.extend(derive(&utf16(password), &salt, iterations));
    stored
}

/// What a stored hash says of how it was made.
enum Form<'a> {
    Pbkdf2 { salt: &'a [u8], iterations: u32, digest: &'a [u8] },
    Sha512 { salt: &'a [u8], digest: &'a [u8] },
}

fn form(stored: &[u8]) -> Option<Form<'_>> {
    match stored {
        [a, b, rest @ ..] if [*a, *b] == VERSION_PBKDF2 && rest.len() == SALT_BYTES + 4 + DIGEST_BYTES => {
            let (salt, rest) = rest.split_at(SALT_BYTES);
            let (iterations, digest) = rest.split_at(4);
            let iterations = u32::from_le_bytes(iterations.try_into().expect("four bytes"));
            (1..=ITERATIONS_MAX).contains(&iterations).then_some(Form::Pbkdf2 { salt, iterations, digest })
        }
        [a, b, rest @ ..] if [*a, *b] == VERSION_SHA512 && rest.len() == 4 + 64 => {
            let (salt, digest) = rest.split_at(4);
            Some(Form::Sha512 { salt, digest })
        }
        _ => None,
    }
}

/// Whether it is the hash of some password, as far as its form says.
pub fn is_hash(stored: &[u8]) -> bool {
    form(stored).is_some()
}

/// Whether a new hash of the same password would be of another form, or cost a guesser more.
pub fn is_outdated(stored: &[u8]) -> bool {
    !matches!(form(stored), Some(Form::Pbkdf2 { iterations, .. }) if iterations >= self::iterations())
}

/// Compares in constant time. What is no hash matches nothing, and takes as long.
pub fn verify(stored: &[u8], password: &str) -> bool {
    check(stored, password).0
}

/// Whether it fits, and how many rounds were spent on that.
fn check(stored: &[u8], password: &str) -> (bool, u32) {
    let password = utf16(password);
    let (fits, spent) = match form(stored) {
        Some(Form::Pbkdf2 { salt, iterations, digest }) => {
            (same(&derive(&password, salt, iterations), digest), iterations)
        }
        Some(Form::Sha512 { salt, digest }) => {
            (same(&Sha512::new().chain_update(&password).chain_update(salt).finalize(), digest), 0)
        }
        None => (false, 0),
    };
    let missing = iterations().saturating_sub(spent);
    if missing > 0 {
        std::hint::black_box(derive(&password, &[0; SALT_BYTES], missing));
    }
    (fits, spent + missing)
}

fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |difference, (x, y)| difference | (x ^ y)) == 0
}

/// What is known of a pair of hash and password before it is verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// It fits.
    Fits,
    /// To be verified by who asked; it ends that with `end`.
    Begun([u8; 32]),
    /// Somebody verifies it, or too many verify at once: ask again.
    Later,
}

/// Pairs of hash and password that have been verified since the server started, as keyed digests.
pub struct VerifiedLogins {
    key: [u8; 32],
    seen: HashSet<[u8; 32]>,
    /// Being verified: a pool that opens a thousand connections at once has its password verified once.
    begun: Vec<[u8; 32]>,
}

impl VerifiedLogins {
    /// `key`: random, and never leaves the process.
    pub fn new(key: [u8; 32]) -> VerifiedLogins {
        VerifiedLogins { key, seen: HashSet::new(), begun: Vec::new() }
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

    pub fn begin(&mut self, stored: &[u8], password: &str) -> Known {
        let digest = self.digest(stored, password);
        if self.seen.contains(&digest) {
            return Known::Fits;
        }
        if self.begun.len() >= BEGUN_MAX || self.begun.contains(&digest) {
            return Known::Later;
        }
        self.begun.push(digest);
        Known::Begun(digest)
    }

    pub fn end(&mut self, begun: [u8; 32], fits: bool) {
        self.begun.retain(|digest| *digest != begun);
        if fits {
            self.keep(begun);
        }
    }

    pub fn remember(&mut self, stored: &[u8], password: &str) {
        self.keep(self.digest(stored, password));
    }

    fn keep(&mut self, digest: [u8; 32]) {
        if self.seen.len() >= REMEMBERED_MAX {
            self.seen.clear();
        }
        self.seen.insert(digest);
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
        assert!(is_hash(&stored) && is_outdated(&stored));
    }

    /// As it was stored before, with this many rounds.
    fn stored_with(iterations: u32, password: &str) -> Vec<u8> {
        let mut stored = VERSION_PBKDF2.to_vec();
        stored.extend([3; SALT_BYTES]);
        stored.extend(iterations.to_le_bytes());
        stored.extend(derive(&utf16(password), &[3; SALT_BYTES], iterations));
        stored
    }

    #[test]
    fn hashes_of_fewer_rounds_are_accepted_and_outdated() {
        let stored = stored_with(10_000, "secret");
        assert!(verify(&stored, "secret") && is_outdated(&stored));
        assert!(!is_outdated(&hash("secret", [7; SALT_BYTES])));
        assert!(!is_hash(&stored_with(ITERATIONS, "x")[1..]) && is_outdated(&[]));
    }

    #[test]
    fn what_is_stored_or_not_makes_no_difference_in_time() {
        let mut short = VERSION_SHA512.to_vec();
        short.extend([0; 68]);
        for stored in [hash("secret", [7; SALT_BYTES]), stored_with(10_000, "secret"), short, Vec::new()] {
            assert_eq!(check(&stored, "guess"), (false, ITERATIONS), "{stored:?}");
        }
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

    #[test]
    fn a_pair_is_verified_once_at_a_time_and_few_pairs_at_once() {
        let mut logins = VerifiedLogins::new([9; 32]);
        let Known::Begun(first) = logins.begin(b"hash", "right") else { panic!("nobody verifies it") };
        assert_eq!(logins.begin(b"hash", "right"), Known::Later);
        logins.end(first, true);
        assert_eq!(logins.begin(b"hash", "right"), Known::Fits);
        let begun: Vec<Known> = (0..BEGUN_MAX).map(|n| logins.begin(b"hash", &n.to_string())).collect();
        assert!(begun.iter().all(|known| matches!(known, Known::Begun(_))));
        assert_eq!(logins.begin(b"hash", "one more"), Known::Later);
        let Known::Begun(wrong) = begun[0] else { unreachable!("seen above") };
        logins.end(wrong, false);
        assert!(matches!(logins.begin(b"hash", "0"), Known::Begun(_)), "it did not fit and is tried again");
    }
}
