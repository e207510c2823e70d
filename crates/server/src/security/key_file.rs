//! A key under a password: what a file of a private key is, and how the key of a database is kept beside the server's own way to it.
//!
//! ```text
//! magic "HKEY" u32, format u32, rounds u32, salt 16 bytes, then a secret (`super::secret`) under PBKDF2-HMAC-SHA-512 of the password in
//! UTF-8, with what stands before it
//! ```

use pbkdf2::pbkdf2_hmac;
use sha2::Sha512;

use super::secret::{self, KEY_BYTES, Key};

const MAGIC: &[u8; 4] = b"HKEY";
const FORMAT: u32 = 1;
const SALT_BYTES: usize = 16;
const HEAD: usize = 12 + SALT_BYTES;
/// As of passwords of logins.
const ROUNDS: u32 = 100_000;
/// More would hold a thread for minutes.
const ROUNDS_MAX: u32 = 10_000_000;
const ROUNDS_SIMULATED: u32 = 10;

/// Why there is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFileError {
    /// It is nothing of this kind.
    NoKey,
    /// The password is another one, or it was damaged.
    WrongPassword,
}

fn derive(password: &str, salt: &[u8], rounds: u32) -> Key {
    let mut key = [0; KEY_BYTES];
    pbkdf2_hmac::<Sha512>(password.as_bytes(), salt, rounds, &mut key);
    key
}

/// Takes a tenth of a second.
pub fn seal(password: &str, bytes: &[u8]) -> Vec<u8> {
    let rounds = if os::sim::active() { ROUNDS_SIMULATED } else { ROUNDS };
    let mut salt = [0; SALT_BYTES];
    os::random::fill(&mut salt);
    let mut file = [&MAGIC[..], &FORMAT.to_le_bytes(), &rounds.to_le_bytes(), &salt].concat();
    let secret = secret::seal(&derive(password, &salt, rounds), &file, bytes);
    file.extend(secret);
    file
}

/// As long as `seal`, or as its file says.
pub fn open(password: &str, file: &[u8]) -> Result<Vec<u8>, KeyFileError> {
    let (head, secret) = file.split_at_checked(HEAD).ok_or(KeyFileError::NoKey)?;
    let number = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes"));
    let rounds = number(8);
    if head[..4] != *MAGIC || number(4) != FORMAT || !(1..=ROUNDS_MAX).contains(&rounds) {
        return Err(KeyFileError::NoKey);
    }
    let key = derive(password, &head[12..], rounds);
    secret::open(&key, head, secret).ok_or(KeyFileError::WrongPassword)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_comes_back_with_its_password_alone() {
        let file = seal("a Password, long", b"the key");
        assert!(!file.windows(7).any(|part| part == b"the key"));
        assert_eq!(open("a Password, long", &file).as_deref(), Ok(&b"the key"[..]));
        assert_eq!(open("a password, long", &file), Err(KeyFileError::WrongPassword));
        // The rounds are not changed here: they say how long it takes.
        for at in (0..8).chain(12..file.len()) {
            let mut changed = file.clone();
            changed[at] ^= 1;
            if at % 8 == 0 || at < 12 {
                assert!(open("a Password, long", &changed).is_err(), "byte {at}");
            }
        }
        for length in [0, 3, HEAD, file.len() - 1] {
            assert!(open("a Password, long", &file[..length]).is_err(), "cut at {length}");
        }
    }
}
