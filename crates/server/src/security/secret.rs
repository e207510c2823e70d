//! Secrets of others that the server has to show to them: kept encrypted by a key that lies beside the data, not in it, so that a backup
//! of master has none of them in clear.
//!
//! ```text
//! secret   nonce 12 bytes, the text by AES-256-GCM with its tag; the number of what it is of is authenticated with it
//! ```

use os::disk::{Disk, DiskError, File, Open};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

/// The key's file in the data directory, and it while it is made.
const KEY: &str = "service-master-key";
const KEY_NEXT: &str = "service-master-key.new";
const KEY_BYTES: usize = 32;

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

fn read(disk: &Disk) -> Result<[u8; KEY_BYTES], SecretError> {
    let mut key = [0; KEY_BYTES];
    let file: File = disk.open(KEY, Open::Read)?;
    if file.len()? != KEY_BYTES as u64 {
        return Err(SecretError::Undecipherable);
    }
    file.read_at(&mut key, 0)?;
    Ok(key)
}

/// The key, which is made when it is first asked for.
fn key(disk: &Disk, makes: bool) -> Result<LessSafeKey, SecretError> {
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
    let key = read(disk)?;
    Ok(LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &key).map_err(|_| SecretError::Undecipherable)?))
}

/// `of`: the number of what it is the secret of.
pub fn encrypt(disk: &Disk, of: i32, text: &str) -> Result<Vec<u8>, SecretError> {
    let mut nonce = [0; NONCE_LEN];
    os::random::fill(&mut nonce);
    let mut sealed = text.as_bytes().to_vec();
    let sealing = key(disk, true)?.seal_in_place_append_tag(
        Nonce::assume_unique_for_key(nonce),
        Aad::from(of.to_le_bytes()),
        &mut sealed,
    );
    sealing.map_err(|_| SecretError::Undecipherable)?;
    Ok([&nonce[..], &sealed].concat())
}

pub fn decrypt(disk: &Disk, of: i32, secret: &[u8]) -> Result<String, SecretError> {
    let damaged = SecretError::Undecipherable;
    let (nonce, sealed) = secret.split_at_checked(NONCE_LEN).ok_or(damaged)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| damaged)?;
    let mut text = sealed.to_vec();
    let opened = key(disk, false)?.open_in_place(nonce, Aad::from(of.to_le_bytes()), &mut text);
    let opened = opened.map_err(|_| damaged)?;
    String::from_utf8(opened.to_vec()).map_err(|_| damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_comes_back_with_its_own_key_alone() {
        let (disk, other) = (Disk::memory(), Disk::memory());
        let secret = encrypt(&disk, 7, "id:secret").expect("encrypted");
        assert!(!secret.windows(6).any(|part| part == b"secret"), "{secret:?}");
        assert_ne!(secret, encrypt(&disk, 7, "id:secret").expect("encrypted"));
        assert_eq!(decrypt(&disk, 7, &secret).as_deref(), Ok("id:secret"));
        assert_eq!(decrypt(&disk, 8, &secret), Err(SecretError::Undecipherable));
        assert_eq!(decrypt(&other, 7, &secret), Err(SecretError::Disk(DiskError::NotFound)));
        encrypt(&other, 1, "another").expect("it makes its key");
        assert_eq!(decrypt(&other, 7, &secret), Err(SecretError::Undecipherable));
        for length in 0..secret.len() {
            assert_eq!(decrypt(&disk, 7, &secret[..length]), Err(SecretError::Undecipherable));
        }
    }
}
