//! The files of a database that was detached from its instance.
//!
//! ```text
//! head (4,096 bytes)  magic "HDLDETCH", format u32, version u32 of the pages, kind u8 (1 data, 2 log), 3 zero, id 16 bytes, crc32 u32 of all before
//! data                behind its head a backup set: all that the database has, rows in memory too
//! log                 its head alone: in the set is no transaction that is not over
//! ```
//! The id is of the database as it was then: both files have it, and no other database.

use super::blocks::damaged;
use super::media::Media;
use crate::error::{StorageError, StorageResult};
use crate::pages::page::{put_u32, u32_at};
use crate::recovery::control::FORMAT as VERSION;

/// Where the set of a data file begins.
pub const DETACHED_HEAD_BYTES: u64 = 4096;
const MAGIC: &[u8; 8] = b"HDLDETCH";
const FORMAT: u32 = 1;
const SUMMED: usize = 36;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DetachedHead {
    pub is_log: bool,
    pub id: [u8; 16],
}

impl DetachedHead {
    pub fn write(&self, to: &dyn Media) -> StorageResult<()> {
        let mut bytes = vec![0; DETACHED_HEAD_BYTES as usize];
        bytes[..8].copy_from_slice(MAGIC);
        put_u32(&mut bytes, 8, FORMAT);
        put_u32(&mut bytes, 12, VERSION);
        bytes[16] = if self.is_log { 2 } else { 1 };
        bytes[20..36].copy_from_slice(&self.id);
        let crc = crc32fast::hash(&bytes[..SUMMED]);
        put_u32(&mut bytes, SUMMED, crc);
        to.write_at(&bytes, 0)
    }

    /// None: it is no such file. `NewerFormat`, `Damaged`: it is one, and cannot be read.
    pub fn read(from: &dyn Media) -> StorageResult<Option<DetachedHead>> {
        let mut bytes = [0; SUMMED + 4];
        from.read_at(&mut bytes, 0)?;
        if &bytes[..8] != MAGIC {
            return Ok(None);
        }
        if crc32fast::hash(&bytes[..SUMMED]) != u32_at(&bytes, SUMMED) || !matches!(bytes[16], 1 | 2) {
            return Err(damaged("its head"));
        }
        let (format, version) = (u32_at(&bytes, 8), u32_at(&bytes, 12));
        if format > FORMAT || version > VERSION {
            return Err(StorageError::NewerFormat { found: version.max(VERSION + 1), known: VERSION });
        }
        Ok(Some(DetachedHead { is_log: bytes[16] == 2, id: bytes[20..36].try_into().expect("16 bytes") }))
    }
}

#[cfg(test)]
mod tests {
    use os::disk::{Disk, Open};

    use super::*;

    #[test]
    fn a_head_comes_back_and_no_other_bytes_are_taken_for_it() {
        let file = Disk::memory().open("head", Open::ExistingOrNew).expect("opened");
        assert_eq!(DetachedHead::read(&file), Ok(None));
        let head = DetachedHead { is_log: true, id: [7; 16] };
        head.write(&file).expect("written");
        assert_eq!(DetachedHead::read(&file), Ok(Some(head)));
        for at in 0..SUMMED as u64 + 4 {
            let mut byte = [0];
            file.read_at(&mut byte, at).expect("a byte");
            file.write_at(&[byte[0] ^ 0x41], at).expect("written");
            assert_ne!(DetachedHead::read(&file), Ok(Some(head)), "byte {at}");
            file.write_at(&byte, at).expect("written");
        }
    }
}
