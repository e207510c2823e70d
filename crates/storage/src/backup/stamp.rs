//! Pages of a recovered backup, made pages of this instance. In them nothing is under way: every row is committed or a ghost that
//! nobody needs.

use std::collections::BTreeMap;

use crate::concurrency::versions::{ROW_HEADER_BYTES, RowHeader};
use crate::error::{StorageError, StorageResult};
use crate::layout::{DatabaseId, PageRef};
use crate::pages::page::{self, HEADER_BYTES, PageBytes, PageKind, put_u16, put_u32, put_u64, u32_at};
use crate::recovery::control::FORMAT;
use crate::shapes::shape::{DIRECTORY_ROOT, memory_objects_mut};

/// What a page is to say of where it is.
pub struct Stamp {
    pub file: u32,
    pub database: DatabaseId,
    /// Log records that change the page come later.
    pub lsn: u64,
    /// Who brings the rows: before its commit nobody sees them.
    pub transaction: u64,
    /// Numbers of memory-optimized objects there, and here.
    pub objects: BTreeMap<u32, u32>,
}

impl Stamp {
    /// `bytes`: page `number` of the file `from`, as it was read.
    pub fn apply(&self, bytes: &mut PageBytes, from: u32, number: u32) -> StorageResult<()> {
        if bytes.iter().all(|byte| *byte == 0) {
            return Ok(());
        }
        let corrupt = || StorageError::corrupt(PageRef { file: from, page: number });
        if !page::is_intact(bytes, from, number) || page::check(bytes).is_err() {
            return Err(corrupt());
        }
        put_u64(bytes, 8, self.lsn);
        put_u32(bytes, 20, self.file);
        match page::kind(bytes).ok_or_else(corrupt)? {
            PageKind::FileHeader => {
                put_u32(bytes, HEADER_BYTES, FORMAT);
                put_u16(bytes, HEADER_BYTES + 4, self.database.0);
            }
            PageKind::Leaf => self.rows(bytes),
            // No backup has one.
            PageKind::Awaiting => return Err(corrupt()),
            PageKind::Free | PageKind::Bitmap | PageKind::Inner | PageKind::Overflow | PageKind::Unlogged => {}
        }
        page::seal(bytes);
        Ok(())
    }

    fn rows(&self, leaf: &mut PageBytes) {
        let is_directory = page::root(leaf) == DIRECTORY_ROOT;
        let header = RowHeader { transaction: self.transaction, ghost: false, fresh: true, link: 0 }.encode();
        for slot in (0..page::slot_count(leaf)).rev() {
            if RowHeader::decode(page::payload(leaf, slot)).ghost {
                page::remove(leaf, slot);
                continue;
            }
            let first_part = is_directory && page::key(leaf, slot).ends_with(&[0, 0]);
            let payload = page::payload_mut(leaf, slot);
            payload[..ROW_HEADER_BYTES].copy_from_slice(&header);
            if first_part {
                for number in memory_objects_mut(&mut payload[ROW_HEADER_BYTES..]) {
                    if let Some(here) = self.objects.get(&u32_at(number, 0)) {
                        number.copy_from_slice(&here.to_le_bytes());
                    }
                }
            }
        }
    }
}
