//! What encrypts a set: AES in Galois/counter mode, under a key that no other set has.
//!
//! A block's nonce is its number, so none comes twice. Authenticated with each block are its own head and a digest of the head of the set:
//! blocks can be neither changed nor exchanged, left out or put into another set, and the set's head cannot be changed either. Head and tail
//! stay readable, so that a file says what it holds to who has not got the key; the tail, too, is authenticated to who has.

use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, MAX_TAG_LEN, NONCE_LEN, Nonce, Tag, UnboundKey};
use ring::digest::{SHA256, SHA256_OUTPUT_LEN, digest};

pub const TAG_BYTES: usize = MAX_TAG_LEN;
/// Of a block's head: what says which block it is. Behind it is its checksum.
pub const BOUND_BYTES: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    Aes128,
    Aes256,
}

impl Algorithm {
    pub fn key_bytes(self) -> usize {
        match self {
            Algorithm::Aes128 => 16,
            Algorithm::Aes256 => 32,
        }
    }
}

/// The key of one set.
pub struct SetKey(LessSafeKey);

impl SetKey {
    /// `bytes`: as many as the algorithm's keys have.
    pub fn new(algorithm: Algorithm, bytes: &[u8]) -> SetKey {
        let ring = match algorithm {
            Algorithm::Aes128 => &AES_128_GCM,
            Algorithm::Aes256 => &AES_256_GCM,
        };
        SetKey(LessSafeKey::new(UnboundKey::new(ring, bytes).expect("a key of the algorithm's length")))
    }
}

/// The key, and the set whose blocks it is for.
pub struct Cipher<'a> {
    key: &'a SetKey,
    set: [u8; SHA256_OUTPUT_LEN],
}

impl<'a> Cipher<'a> {
    /// `head`: of the set, as it is encoded.
    pub fn new(key: &'a SetKey, head: &[u8]) -> Cipher<'a> {
        let set = digest(&SHA256, head).as_ref().try_into().expect("a digest of its length");
        Cipher { key, set }
    }

    fn nonce(number: u32) -> Nonce {
        let mut nonce = [0; NONCE_LEN];
        nonce[..4].copy_from_slice(&number.to_le_bytes());
        Nonce::assume_unique_for_key(nonce)
    }

    fn bound(&self, head: &[u8], clear: &[u8]) -> Aad<Vec<u8>> {
        Aad::from([&head[..BOUND_BYTES], &self.set, clear].concat())
    }

    /// Encrypts what follows the head of block `number`. The tag belongs behind it.
    pub fn seal(&self, number: u32, head: &[u8], body: &mut [u8]) -> [u8; TAG_BYTES] {
        let sealed = self.key.0.seal_in_place_separate_tag(Cipher::nonce(number), self.bound(head, &[]), body);
        tag_of(sealed)
    }

    /// False: it is another key's, or not what was written.
    pub fn open(&self, number: u32, head: &[u8], body: &mut [u8], tag: &[u8]) -> bool {
        let Ok(tag) = Tag::try_from(tag) else { return false };
        let bound = self.bound(head, &[]);
        self.key.0.open_in_place_separate_tag(Cipher::nonce(number), bound, tag, body, 0..).is_ok()
    }

    /// As `seal`, of a block that stays readable.
    pub fn sign(&self, number: u32, head: &[u8], body: &[u8]) -> [u8; TAG_BYTES] {
        tag_of(self.key.0.seal_in_place_separate_tag(Cipher::nonce(number), self.bound(head, body), &mut []))
    }

    pub fn is_signed(&self, number: u32, head: &[u8], body: &[u8], tag: &[u8]) -> bool {
        let Ok(tag) = Tag::try_from(tag) else { return false };
        let bound = self.bound(head, body);
        self.key.0.open_in_place_separate_tag(Cipher::nonce(number), bound, tag, &mut [], 0..).is_ok()
    }
}

fn tag_of(sealed: Result<Tag, ring::error::Unspecified>) -> [u8; TAG_BYTES] {
    // Blocks are shorter by far than what one nonce is good for.
    sealed.expect("a block can be encrypted").as_ref().try_into().expect("a tag of its length")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_opens_in_its_place_with_its_key_alone() {
        for algorithm in [Algorithm::Aes128, Algorithm::Aes256] {
            let bytes: Vec<u8> = (0..algorithm.key_bytes() as u8).collect();
            let (key, other) = (SetKey::new(algorithm, &bytes), SetKey::new(algorithm, &vec![9; bytes.len()]));
            let cipher = Cipher::new(&key, b"the head of the set");
            let head = [7; BOUND_BYTES];
            let plain = b"rows that nobody reads".to_vec();
            let mut sealed = plain.clone();
            let tag = cipher.seal(3, &head, &mut sealed);
            assert_ne!(sealed, plain);
            let opens = |cipher: &Cipher<'_>, number: u32, head: &[u8], sealed: &[u8], tag: &[u8]| {
                let mut body = sealed.to_vec();
                cipher.open(number, head, &mut body, tag) && body == plain
            };
            assert!(opens(&cipher, 3, &head, &sealed, &tag));
            assert!(!opens(&cipher, 4, &head, &sealed, &tag), "another block");
            assert!(!opens(&cipher, 3, &[8; BOUND_BYTES], &sealed, &tag), "another head");
            assert!(!opens(&Cipher::new(&other, b"the head of the set"), 3, &head, &sealed, &tag), "another key");
            assert!(!opens(&Cipher::new(&key, b"the head of a set"), 3, &head, &sealed, &tag), "another set");
            assert!(!opens(&cipher, 3, &head, &sealed, &tag[1..]), "a tag that was cut");
            for at in 0..sealed.len() {
                let mut changed = sealed.clone();
                changed[at] ^= 1;
                assert!(!opens(&cipher, 3, &head, &changed, &tag), "byte {at}");
            }
            let tag = cipher.sign(5, &head, &plain);
            assert!(cipher.is_signed(5, &head, &plain, &tag));
            assert!(!cipher.is_signed(5, &head, &sealed, &tag) && !cipher.is_signed(6, &head, &plain, &tag));
        }
    }
}
