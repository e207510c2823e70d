//! The log of one database: a block without what other databases have written into it. The records stay where they are, since an LSN
//! is a place, and say whose transaction they are of, so that recovery knows who had ended.

use crate::error::{StorageError, StorageResult};
use crate::log::record::{HEAD_BYTES, Kind};
use crate::log::{BLOCK_HEAD, seal_block};
use crate::pages::page::{put_u32, u32_at};

/// `block`: its head and its records.
pub fn blank_others(lsn: u64, block: &mut [u8], file: u32) -> StorageResult<()> {
    assert!(file != 0, "0 is no file");
    each_record(lsn, block, |_, record| match Kind::from_byte(record[4]) {
        // What a transaction drops may be in many databases.
        Some(Kind::Commit) => {
            for drop in record[HEAD_BYTES..].chunks_exact_mut(8) {
                if u32_at(drop, 0) != file {
                    drop.fill(0);
                }
            }
        }
        Some(Kind::End) => {}
        _ if u32_at(record, 24) == file => {}
        _ => {
            record[4] = Kind::Note as u8;
            put_u32(record, 24, 0);
            put_u32(record, 28, 0);
            record[HEAD_BYTES..].fill(0);
        }
    })?;
    seal_block(block);
    Ok(())
}

/// The records of a block, each with its LSN, to be changed in their places: `seal_block` is the caller's then.
pub fn each_record(lsn: u64, block: &mut [u8], mut work: impl FnMut(u64, &mut [u8])) -> StorageResult<()> {
    let mut at = BLOCK_HEAD as usize;
    while at < block.len() {
        let rest = &mut block[at..];
        let length = rest.get(..4).map_or(0, |bytes| u32_at(bytes, 0) as usize);
        let record = rest.get_mut(..length).filter(|record| record.len() >= HEAD_BYTES);
        let record = record.ok_or_else(|| StorageError::Damaged(format!("log record at {}", lsn + at as u64)))?;
        work(lsn + at as u64, record);
        at += length;
    }
    Ok(())
}
