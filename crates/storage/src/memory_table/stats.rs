//! What DMVs show of memory-optimized tables.

use crate::engine::Engine;
use crate::layout::{DatabaseId, IndexId, TableId};
use crate::transaction::Transaction;
use crate::xtp::hash_index;
use crate::xtp::memory::At;
use crate::xtp::object::Object;
use crate::xtp::row::Row;
use crate::xtp::shape::Way;

/// A memory-optimized table that has been used since the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryTableStats {
    pub table: TableId,
    /// `xtp_object_id`: another one after each change of its definition.
    pub object: u32,
    /// Versions of whatever age, and the bytes they take.
    pub versions: i64,
    pub row_bytes: i64,
    pub index_bytes: u64,
    pub indexes: Vec<MemoryIndexStats>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryIndexStats {
    Hash {
        id: IndexId,
        chains: Option<ChainStats>,
    },
    /// Nodes above the leaves, and leaves.
    Ordered {
        id: IndexId,
        inner: u64,
        leaves: u64,
    },
}

/// Of a hash index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChainStats {
    pub buckets: u64,
    pub empty: u64,
    /// Rows in all chains.
    pub rows: u64,
    pub longest: u64,
}

impl Engine {
    /// `chains`: walk through the chains of hash indexes, which takes its time. `tx` keeps the rows in memory meanwhile.
    pub fn memory_tables(&self, tx: &mut Transaction, db: DatabaseId, chains: bool) -> Vec<MemoryTableStats> {
        tx.memory_time();
        let objects = self.xtp.objects.all().map(|(_, object)| object);
        let there = objects.filter(|object| object.database() == db && !object.is_dropped());
        there.map(|object| self.memory_table(object, chains)).collect()
    }

    fn memory_table(&self, object: &Object, chains: bool) -> MemoryTableStats {
        let memory = &self.xtp.memory;
        let (versions, row_bytes) = object.counted();
        let mut index_bytes = 0;
        let indexes = (0..object.index_count()).map(|position| {
            let id = IndexId(object.index_id(memory, position));
            match object.way(memory, position) {
                Way::Hash(hash) => {
                    index_bytes += 8 * hash.bucket_count();
                    let chains = chains.then(|| self.chains(&hash, position));
                    MemoryIndexStats::Hash { id, chains }
                }
                Way::Ordered(tree) => {
                    let _pinned = self.xtp.retired.pin();
                    let (inner, leaves, bytes) = tree.measure(memory);
                    index_bytes += bytes;
                    MemoryIndexStats::Ordered { id, inner, leaves }
                }
            }
        });
        let indexes = indexes.collect();
        MemoryTableStats { table: object.table(), object: object.number(), versions, row_bytes, index_bytes, indexes }
    }

    fn chains(&self, hash: &hash_index::HashIndex, position: usize) -> ChainStats {
        let memory = &self.xtp.memory;
        let mut stats = ChainStats { buckets: hash.bucket_count(), ..ChainStats::default() };
        for bucket in 0..hash.bucket_count() {
            let mut at = hash.first(memory, bucket);
            let mut length = 0;
            while at != At::NONE {
                length += 1;
                at = hash_index::next(Row::new(memory, at), position);
            }
            stats.rows += length;
            stats.empty += u64::from(length == 0);
            stats.longest = stats.longest.max(length);
            if bucket % 4096 == 0 {
                os::wait::maybe_yield();
            }
        }
        stats
    }
}
