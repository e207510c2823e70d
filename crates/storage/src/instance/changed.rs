//! Rows that running transactions have changed, told as locks. While a transaction runs its rows themselves say who has changed them, and
//! the table of locks has none of that; so who asks is told from the log, back from each transaction's newest record.
//! https://learn.microsoft.com/sql/relational-databases/sql-server-transaction-locking-and-row-versioning-guide

use std::collections::{HashMap, HashSet};

use crate::concurrency::locks::{LockEntry, LockMode, Resource, WriterEntry};
use crate::engine::Engine;
use crate::instance::storage::Storage;
use crate::layout::{DatabaseId, TableId};
use crate::log::backward::Backward;
use crate::log::record::{FLAG_COMPENSATION, Record, row_of};
use crate::tables::disk_table::DiskTable;
use crate::tables::table::Table;

/// Rows of a transaction that are told of: so many are locked before SQL Server takes the table.
const ROWS_TOLD_MAX: usize = 5_000;
/// Records of a transaction that are looked at.
const RECORDS_MAX: usize = 50_000;
/// Records between two looks at the clock.
const PAUSE_EVERY: usize = 64;

/// The trees that have the rows of tables, by file and root.
type Trees = HashMap<(u32, u32), (DatabaseId, TableId)>;

impl Storage {
    /// Lock table entries with the rows that are changed, for `sys.dm_tran_locks`.
    pub fn locks_told(&self) -> Vec<LockEntry> {
        let engine = self.engine();
        let mut all = engine.locks.entries();
        let granted = all.iter().enumerate().filter(|(_, entry)| entry.granted);
        let known: HashMap<(Resource, u64), usize> =
            granted.map(|(at, entry)| ((entry.resource, entry.transaction), at)).collect();
        for writer in engine.locks.writers() {
            let trees = self.changed_trees(&all, &writer);
            for resource in changed_rows(engine, &writer, &trees) {
                match known.get(&(resource, writer.transaction)) {
                    Some(at) => all[*at].mode = LockMode::Exclusive,
                    None => all.push(LockEntry {
                        resource,
                        mode: LockMode::Exclusive,
                        is_range: false,
                        granted: true,
                        session: writer.session,
                        transaction: writer.transaction,
                    }),
                }
            }
        }
        all
    }

    /// Of the tables that a transaction may change rows of, as its locks say.
    fn changed_trees(&self, all: &[LockEntry], writer: &WriterEntry) -> Trees {
        use LockMode::{Exclusive, IntentExclusive, SharedIntentExclusive};
        let mut trees = Trees::new();
        for entry in all.iter().filter(|entry| entry.granted && entry.transaction == writer.transaction) {
            if let Resource::Table(db, table) = entry.resource
                && matches!(entry.mode, IntentExclusive | SharedIntentExclusive | Exclusive)
                && let Ok(table) = self.open_table(db, table)
            {
                let parts: &[DiskTable] = match &*table {
                    Table::Disk(table) => std::slice::from_ref(table),
                    Table::Partitioned(table) => &table.parts,
                    Table::Memory(_) => &[],
                };
                let place = |part: &DiskTable| {
                    let shape = &part.shape;
                    ((shape.base.file.number, shape.base.root), (shape.db, shape.id))
                };
                trees.extend(parts.iter().map(place));
            }
        }
        trees
    }
}

/// A transaction that ends meanwhile may have no more records: what was found until then is told.
fn changed_rows(engine: &Engine, writer: &WriterEntry, trees: &Trees) -> Vec<Resource> {
    let (mut rows, mut known) = (Vec::new(), HashSet::new());
    if trees.is_empty() {
        return rows;
    }
    let mut log = Backward::new(&engine.log, writer.first_lsn);
    let mut next = writer.last_lsn;
    for count in 1..=RECORDS_MAX {
        if next < writer.first_lsn.max(1) || rows.len() == ROWS_TOLD_MAX {
            break;
        }
        if count.is_multiple_of(PAUSE_EVERY) {
            os::wait::maybe_yield();
        }
        let Ok(bytes) = log.record(next) else { break };
        let record = Record::decode(next, bytes).filter(|record| record.head.transaction == writer.transaction);
        let Some(record) = record else { break };
        if record.head.flags & FLAG_COMPENSATION == 0
            && let Some((root, key)) = row_of(&record)
            && let Some((db, table)) = trees.get(&(record.head.file, root))
        {
            let row = Resource::row(*db, *table, key);
            if known.insert(row) {
                rows.push(row);
            }
        }
        next = record.head.previous;
    }
    rows
}
