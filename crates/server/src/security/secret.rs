//! Secrets of others that the server has to show to them: kept encrypted by a key that lies beside the data, not in it, so that a backup
//! of master has none of them in clear.
//!
//! ```text
//! secret   nonce 12 bytes, the bytes by AES-256-GCM with its tag; what they are of is authenticated with them
//! ```

use os::disk::{Disk, DiskError, File, Open};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

/// The key's file in the data directory, and it while it is made.
const KEY: &str = "service-master-key";
const KEY_NEXT: &str = "service-master-key.new";
pub const KEY_BYTES: usize = 32;

/// Of AES-256.
pub type Key = [u8; KEY_BYTES];

/// Why a secret cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretError {
    Disk(DiskError),
    /// The key is another one, or the secret was damaged.
    Undecipherable,
}

impl From<DiskError> for SecretError {
    fn from(error: DiskError) -> SecretError {
        SecretError::Disk(error)
    }
}

fn read(disk: &Disk) -> Result<Key, SecretError> {
    let mut key = [0; KEY_BYTES];
    let file: File = disk.open(KEY, Open::Read)?;
    if file.len()? != KEY_BYTES as u64 {
        return Err(SecretError::Undecipherable);
    }
    file.read_at(&mut key, 0)?;
    Ok(key)
}

/// The key, which is made when it is first asked for.
fn key(disk: &Disk, makes: bool) -> Result<Key, SecretError> {
    if makes && !disk.exists(KEY) {
        let mut key = [0; KEY_BYTES];
        os::random::fill(&mut key);
        let file = disk.open(KEY_NEXT, Open::ExistingOrNew)?;
        file.set_len(0)?;
        file.write_at(&key, 0)?;
        file.sync_data()?;
        match disk.rename_new(KEY_NEXT, KEY) {
            // Somebody was faster.
            Ok(()) | Err(DiskError::AlreadyExists) => disk.sync_names()?,
            Err(error) => return Err(error.into()),
        }
    }
    read(disk)
}

/// Encrypts bytes; with them goes, authenticated, what they are of.
pub fn seal(key: &Key, of: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut nonce = [0; NONCE_LEN];
    os::random::fill(&mut nonce);
    let mut sealed = bytes.to_vec();
    let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, key).expect("a key of its length"));
    key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(of), &mut sealed)
        .expect("shorter than what one nonce is good for");
    [&nonce[..], &sealed].concat()
}

/// None: the key is another one, it is of something else, or it was damaged.
pub fn open(key: &Key, of: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, sealed) = sealed.split_at_checked(NONCE_LEN)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
    let mut bytes = sealed.to_vec();
    let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, key).ok()?);
    key.open_in_place(nonce, Aad::from(of), &mut bytes).ok().map(|opened| opened.to_vec())
}

/// By the server's key. `of`: the number of what it is the secret of.
pub fn encrypt(disk: &Disk, of: i32, bytes: &[u8]) -> Result<Vec<u8>, SecretError> {
    Ok(seal(&key(disk, true)?, &of.to_le_bytes(), bytes))
}

pub fn decrypt(disk: &Disk, of: i32, secret: &[u8]) -> Result<Vec<u8>, SecretError> {
    open(&key(disk, false)?, &of.to_le_bytes(), secret).ok_or(SecretError::Undecipherable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_comes_back_with_its_own_key_alone() {
        let (disk, other) = (Disk::memory(), Disk::memory());
        let secret = encrypt(&disk, 7, b"id:secret").expect("encrypted");
        assert!(!secret.windows(6).any(|part| part == b"secret"), "{secret:?}");
        assert_ne!(secret, encrypt(&disk, 7, b"id:secret").expect("encrypted"));
        assert_eq!(decrypt(&disk, 7, &secret).as_deref(), Ok(&b"id:secret"[..]));
        assert_eq!(decrypt(&disk, 8, &secret), Err(SecretError::Undecipherable));
        assert_eq!(decrypt(&other, 7, &secret), Err(SecretError::Disk(DiskError::NotFound)));
        encrypt(&other, 1, b"another").expect("it makes its key");
        assert_eq!(decrypt(&other, 7, &secret), Err(SecretError::Undecipherable));
        for length in 0..secret.len() {
            assert_eq!(decrypt(&disk, 7, &secret[..length]), Err(SecretError::Undecipherable));
        }
    }
}
