//! What DMVs show of memory-optimized tables.

use std::sync::atomic::{AtomicU64, Ordering};

use os::disk::Open;

use crate::engine::Engine;
use crate::error::StorageResult;
use crate::layout::{DatabaseId, IndexId, TableId};
use crate::memory_optimized::checkpoint::{Manifest, data_name, delta_name, manifest_name};
use crate::transaction::Transaction;
use crate::xtp::collect::Collected;
use crate::xtp::counts::{IndexCounts, TableCounts, TransactionCounts};
use crate::xtp::hash_index;
use crate::xtp::memory::At;
use crate::xtp::object::{Object, Role};
use crate::xtp::row::Row;
use crate::xtp::way::Way;

/// A memory-optimized table that has been used since the start, or the values that are out of its rows: another object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryTableStats {
    pub table: TableId,
    /// `xtp_object_id`: another one after each change of its definition.
    pub object: u32,
    pub role: Role,
    /// Versions of whatever age, and the bytes they take.
    pub versions: i64,
    pub row_bytes: i64,
    pub index_bytes: u64,
    pub counts: TableCounts,
    pub indexes: Vec<MemoryIndexStats>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryIndexKind {
    Hash {
        chains: Option<ChainStats>,
    },
    /// Nodes above the leaves, and leaves.
    Ordered {
        inner: u64,
        leaves: u64,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryIndexStats {
    pub id: IndexId,
    pub bytes: u64,
    pub counts: IndexCounts,
    pub kind: MemoryIndexKind,
}

/// What all of them have counted since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryTotals {
    pub transactions: TransactionCounts,
    pub tables: TableCounts,
    pub indexes: IndexCounts,
    pub collected: Collected,
    pub checkpoints_closed: u64,
    pub merge_looks: u64,
    pub merges: u64,
    pub merges_installed: u64,
    pub files_merged: u64,
}

/// The heap that rows and indexes lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryHeap {
    /// Chunks taken of the instance's memory.
    pub reserved_bytes: u64,
    /// Blocks given out of them.
    pub allocated_bytes: u64,
    /// Of that, rows and indexes of all tables.
    pub table_bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckpointFileKind {
    Data,
    Delta,
    /// Names the others.
    Root,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointFile {
    pub kind: CheckpointFileKind,
    pub name: String,
    /// Both files of a pair have the same one.
    pub number: u64,
    pub bytes: u64,
    /// Of these, what a start reads.
    pub used_bytes: u64,
    /// Rows in a data file that are of the database, numbers in a delta file.
    pub entries: u64,
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastCheckpoint {
    /// The first of an instance is 1.
    pub sequence: u64,
    /// Since it began.
    pub ago_ms: u64,
    /// LSNs: the log's end when it began, where a start begins to apply and to read the log, and the log's end now.
    pub log_at_begin: u64,
    pub redo_lsn: u64,
    pub scan_lsn: u64,
    pub log_end: u64,
    /// The number of the file that names the others, 0: there are none.
    pub manifest: u64,
    pub files: Vec<CheckpointFile>,
}

impl Engine {
    /// `chains`: walk through the chains of hash indexes, which takes its time. `tx` keeps the rows in memory meanwhile.
    pub fn memory_tables(&self, tx: &mut Transaction, db: DatabaseId, chains: bool) -> Vec<MemoryTableStats> {
        tx.snapshot();
        let objects = self.xtp.objects.all().map(|(_, object)| object);
        let there = objects.filter(|object| object.database() == db && !object.is_dropped());
        there.map(|object| self.memory_table(object, chains)).collect()
    }

    fn memory_table(&self, object: &Object, chains: bool) -> MemoryTableStats {
        let memory = &self.xtp.memory;
        let (versions, row_bytes) = object.counted();
        let indexes = (0..object.index_count()).map(|position| {
            let (bytes, kind) = match object.way(memory, position) {
                Way::Hash(hash) => {
                    let chains = chains.then(|| self.chains(&hash, position));
                    (8 * hash.bucket_count(), MemoryIndexKind::Hash { chains })
                }
                Way::Ordered(tree) => {
                    let _pinned = self.xtp.retired.pin();
                    let (inner, leaves, bytes) = tree.measure(memory);
                    (bytes, MemoryIndexKind::Ordered { inner, leaves })
                }
            };
            let id = IndexId(object.index_id(memory, position));
            MemoryIndexStats { id, bytes, counts: object.index_counts(memory, position), kind }
        });
        let indexes: Vec<MemoryIndexStats> = indexes.collect();
        MemoryTableStats {
            table: object.table(),
            object: object.number(),
            role: object.role(),
            versions,
            row_bytes,
            index_bytes: indexes.iter().map(|index| index.bytes).sum(),
            counts: object.counts(),
            indexes,
        }
    }

    /// `tx` keeps the indexes in memory meanwhile.
    pub fn memory_heap(&self, tx: &mut Transaction) -> MemoryHeap {
        tx.snapshot();
        let there = self.xtp.objects.all().filter(|(_, object)| !object.is_dropped());
        let there = there.map(|(_, object)| self.memory_table(object, false));
        let table_bytes = there.map(|table| table.row_bytes.max(0) as u64 + table.index_bytes).sum();
        let heap = self.xtp.memory.stats();
        MemoryHeap { reserved_bytes: heap.reserved_bytes, allocated_bytes: heap.allocated_bytes, table_bytes }
    }

    pub fn memory_totals(&self) -> MemoryTotals {
        let xtp = &self.xtp;
        let (tables, indexes) = xtp.objects.all_counts(&xtp.memory);
        let checkpoints = &xtp.numbers.checkpoints;
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        MemoryTotals {
            transactions: xtp.ended.read(),
            tables,
            indexes,
            collected: xtp.garbage.collected(),
            checkpoints_closed: of(&checkpoints.closed),
            merge_looks: of(&checkpoints.looks),
            merges: of(&checkpoints.merges),
            merges_installed: of(&checkpoints.merges_installed),
            files_merged: of(&checkpoints.files_merged),
        }
    }

    /// The checkpoint files with rows of a database, in the order of the pairs, then the one that names them. `manifest`: of the last
    /// checkpoint; there is none meanwhile.
    pub fn checkpoint_files(&self, db: DatabaseId, manifest: u64) -> StorageResult<Vec<CheckpointFile>> {
        let mut files = Vec::new();
        let mut add = |kind, name: String, number, used_bytes: Option<u64>, entries| -> StorageResult<()> {
            // A pair of which nothing was deleted has no delta file yet.
            let bytes = match self.disk.exists(&name) {
                true => self.disk.open(&name, Open::Existing)?.len()?,
                false => 0,
            };
            files.push(CheckpointFile { kind, name, number, bytes, used_bytes: used_bytes.unwrap_or(bytes), entries });
            Ok(())
        };
        let objects = self.xtp.objects.all().map(|(_, object)| object);
        let of_database: Vec<u32> =
            objects.filter(|object| object.database() == db && !object.is_dropped()).map(Object::number).collect();
        let mut pairs = Manifest::read(&self.disk, manifest)?.pairs;
        pairs.retain(|pair| of_database.iter().any(|object| pair.objects.contains_key(object)));
        for pair in &pairs {
            let rows = of_database.iter().filter_map(|object| pair.objects.get(object)).sum();
            let number = u64::from(pair.file);
            add(CheckpointFileKind::Data, data_name(pair.file), number, Some(pair.data_bytes), rows)?;
            add(CheckpointFileKind::Delta, delta_name(pair.file), number, Some(pair.delta_bytes), pair.deleted)?;
        }
        if !pairs.is_empty() {
            add(CheckpointFileKind::Root, manifest_name(manifest), manifest, None, 0)?;
        }
        Ok(files)
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
        debug_assert!(stats.longest <= stats.rows && stats.empty <= stats.buckets);
        stats
    }
}
