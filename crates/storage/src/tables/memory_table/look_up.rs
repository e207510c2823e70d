//! Looking up a row by a whole unique key of numbers, again and again in a transaction: what machine code asks for.

use super::{MemoryTable, locator_of};
use crate::error::StorageResult;
use crate::layout::IndexId;
use crate::transaction::Transaction;

/// An index that rows can be looked up in as long as the transaction goes on that asked for it, which holds the table's definition.
#[derive(Debug, Clone, Copy)]
pub struct LookUp(usize);

impl MemoryTable {
    /// None: the index is not a unique one of numbers that are never NULL.
    pub fn look_up(&self, tx: &mut Transaction, index: IndexId) -> StorageResult<Option<LookUp>> {
        tx.check_running()?;
        self.check_age(tx)?;
        let position = self.index_at(index)?;
        let index = &self.shape.indexes[position];
        Ok((index.layout.unique && index.is_of_numbers()).then_some(LookUp(position)))
    }

    /// The row with this key as the transaction sees it at SNAPSHOT, the changes of its last statement too: its image, which
    /// values may be out of, and its locator.
    #[inline]
    pub fn find(
        &self,
        tx: &mut Transaction,
        LookUp(position): LookUp,
        key: &[i64],
    ) -> StorageResult<Option<(&[u8], [u8; 16])>> {
        let (eyes, xtp) = (self.eyes(tx, u32::MAX), &self.engine.xtp);
        debug_assert!(self.shape.indexes[position].layout.unique, "one row a key");
        let index = &self.shape.indexes[position];
        let mut dependencies = Vec::new();
        let mut found = None;
        let counts = tx.work.tally.index(xtp, self.shape.object, position);
        counts.scans += 1;
        let (mut chain, home) = index.chain_with_numbers(xtp, key);
        while let Some(row) = chain.next(&xtp.memory, position) {
            let named = home.is_none_or(|home| row.home(position) == home && index.has_numbers(row.image(), key));
            if named && counts.meet(row, eyes.see(row, &mut dependencies)) {
                found = Some(row);
                break;
            }
        }
        tx.await_commits(&dependencies)?;
        Ok(found.map(|row| (row.image(), locator_of(row.at(), eyes.time))))
    }
}
