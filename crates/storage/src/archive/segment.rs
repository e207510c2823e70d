//! A segment of the archived log: whole blocks from one LSN to another, deflated.
//!
//! ```text
//! log/<first LSN>-<end LSN>-<term>    16, 16 and 8 hexadecimal digits
//!  0 magic "HARCLOG1"   8 instance u128   24 term u64   32 first LSN u64   40 end LSN u64
//! 48 covered u64 (ticks, UTC: what was committed by then lies before the end)   56 bytes of the body, inflated, u32
//! 60 the body, deflated: length u32 and bytes; inflated it is blocks: LSN u64, length u32, bytes
//! .. crc32 u32 of all before
//! ```
//! The term is that of the server that wrote it (`owner`).

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use super::store::LOG;
use super::words::{Sealing, opened};
use crate::backup::set::Words;
use crate::error::{StorageError, StorageResult};
use crate::log::BLOCK_BYTES;

const MAGIC: &[u8; 8] = b"HARCLOG1";
pub const DIRECTORY: &str = LOG;

/// What a segment's name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SegmentName {
    pub first: u64,
    pub end: u64,
    pub term: u64,
}

impl SegmentName {
    /// With the directory.
    pub fn path(&self) -> String {
        format!("{DIRECTORY}/{self}")
    }

    /// None: it is the name of something else.
    pub fn parse(name: &str) -> Option<SegmentName> {
        let mut parts = name.split('-').map(|part| u64::from_str_radix(part, 16).ok());
        let name = SegmentName { first: parts.next()??, end: parts.next()??, term: parts.next()?? };
        let is_whole =
            name.first < name.end && [name.first, name.end].iter().all(|lsn| lsn.is_multiple_of(BLOCK_BYTES));
        (is_whole && parts.next().is_none()).then_some(name)
    }
}

impl std::fmt::Display for SegmentName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}-{:016x}-{:08x}", self.first, self.end, self.term)
    }
}

/// A segment that has been read.
pub struct Segment {
    pub name: SegmentName,
    pub covered: u64,
    /// Blocks: LSN, length, bytes.
    pub body: Vec<u8>,
}

impl Segment {
    /// Only the blocks before this LSN are left.
    pub fn cut(&mut self, end: u64) {
        let mut words = Words(&self.body);
        while let (Some(lsn), Some(length)) = (words.u64(), words.u32()) {
            if lsn >= end {
                // In front of the LSN and the length.
                let left = self.body.len() - words.0.len() - 12;
                self.body.truncate(left);
                return;
            }
            if words.bytes(length as usize).is_none() {
                return;
            }
        }
    }

    pub fn encode(name: &SegmentName, instance: u128, covered: u64, body: &[u8]) -> StorageResult<Vec<u8>> {
        let mut deflate = DeflateEncoder::new(Vec::new(), Compression::fast());
        // Into memory: it cannot fail.
        let deflated =
            deflate.write_all(body).and_then(|()| deflate.finish()).map_err(|_| StorageError::OutOfMemory)?;
        let sealing = Sealing::new(MAGIC).u128(instance).u64(name.term).u64(name.first).u64(name.end).u64(covered);
        Ok(sealing.u32(body.len() as u32).bytes(&deflated).seal())
    }

    /// Err: why it cannot be used.
    pub fn decode(name: SegmentName, instance: u128, bytes: &[u8]) -> Result<Segment, String> {
        let mut reading = opened(MAGIC, bytes).ok_or("it is cut short, or its checksum is another")?;
        let mut read = || {
            let of = reading.u128()?;
            let said = SegmentName { term: reading.u64()?, first: reading.u64()?, end: reading.u64()? };
            Some((of, said, reading.u64()?, reading.u32()?, reading.bytes()?))
        };
        let (of, said, covered, length, deflated) = read().ok_or("it is cut short")?;
        if of != instance {
            return Err("it is of another instance".into());
        }
        if said != name {
            return Err(format!("it is {said} by what it says of itself"));
        }
        let mut body = Vec::new();
        let inflated = DeflateDecoder::new(deflated).take(u64::from(length) + 1).read_to_end(&mut body);
        if inflated.is_err() || body.len() != length as usize {
            return Err("it cannot be inflated".into());
        }
        Ok(Segment { name, covered, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_survives_encoding_and_refuses_damage() {
        let name = SegmentName { first: 8_192, end: 16_384, term: 3 };
        assert_eq!(SegmentName::parse(&name.to_string()), Some(name));
        assert_eq!(SegmentName::parse("0000000000002000-0000000000004000"), None);
        assert_eq!(SegmentName::parse("0000000000004000-0000000000002000-00000001"), None);
        let bytes = Segment::encode(&name, 7, 99, &[5; 3_000]).expect("encoded");
        assert!(bytes.len() < 200, "it is deflated: {}", bytes.len());
        let read = Segment::decode(name, 7, &bytes).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!((read.name, read.covered, read.body), (name, 99, vec![5; 3_000]));
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1;
            assert!(Segment::decode(name, 7, &flipped).is_err(), "byte {at}");
            assert!(Segment::decode(name, 7, &bytes[..at]).is_err(), "{at} bytes");
        }
        assert!(Segment::decode(SegmentName { term: 4, ..name }, 7, &bytes).is_err());
        assert!(Segment::decode(name, 8, &bytes).is_err());
    }
}
