//! Small objects of an archive: numbers and texts one behind the other, and a checksum of them all.

use crate::backup::set::Words;

/// What is written.
#[derive(Default)]
pub struct Sealing(Vec<u8>);

impl Sealing {
    pub fn new(magic: &[u8; 8]) -> Sealing {
        Sealing(magic.to_vec())
    }

    pub fn u32(mut self, number: u32) -> Sealing {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    pub fn u64(mut self, number: u64) -> Sealing {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    pub fn u128(mut self, number: u128) -> Sealing {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    pub fn bytes(self, bytes: &[u8]) -> Sealing {
        let mut sealing = self.u32(bytes.len() as u32);
        sealing.0.extend_from_slice(bytes);
        sealing
    }

    /// With the checksum.
    pub fn seal(mut self) -> Vec<u8> {
        let crc = crc32fast::hash(&self.0);
        self.0.extend_from_slice(&crc.to_le_bytes());
        self.0
    }
}

/// What was sealed, to be read as it was written. None: it is cut, of another kind, or not what was written.
pub fn opened<'a>(magic: &[u8; 8], bytes: &'a [u8]) -> Option<Reading<'a>> {
    let (body, crc) = bytes.split_last_chunk::<4>()?;
    let rest = body.strip_prefix(&magic[..])?;
    (crc32fast::hash(body) == u32::from_le_bytes(*crc)).then_some(Reading(Words(rest)))
}

pub struct Reading<'a>(Words<'a>);

impl<'a> Reading<'a> {
    pub fn u32(&mut self) -> Option<u32> {
        self.0.u32()
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.0.u64()
    }

    pub fn u128(&mut self) -> Option<u128> {
        self.0.bytes(16)?.first_chunk().map(|bytes| u128::from_le_bytes(*bytes))
    }

    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()? as usize;
        self.0.bytes(length)
    }

    pub fn text(&mut self) -> Option<String> {
        self.bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// All has been read.
    pub fn is_over(&self) -> bool {
        self.0.0.is_empty()
    }
}
