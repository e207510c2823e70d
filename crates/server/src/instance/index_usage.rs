//! How often indexes were used, for sys.dm_db_index_usage_stats and sys.dm_db_index_operational_stats: what plans do with them, times how
//! often these have run. So nothing is counted where rows are read. Plans count their executions for themselves; what those that are gone
//! had counted is kept here.

use std::collections::HashMap;

use sql::plan::Module;
use sql::plan::usage::{Change, Use};

/// Seeks, scans, lookups, updates.
pub const KINDS: usize = 4;

/// Of one index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexUsage {
    pub times: [u64; KINDS],
    /// Of the last of each kind, as `os::clock::now`; 0: never.
    pub last_ns: [u64; KINDS],
    /// Inserted, updated where they lie, deleted.
    pub rows: [u64; 3],
    /// Look-ups of one row by its key, or by what an index has of it.
    pub singles: u64,
    /// Seeks that may find more, and scans.
    pub ranges: u64,
}

impl IndexUsage {
    fn count_rows(&mut self, change: Change, rows: u64) {
        let each = match change {
            Change::Insert => [1, 0, 0],
            Change::Update => [0, 1, 0],
            Change::Move => [1, 0, 1],
            Change::Delete => [0, 0, 1],
            Change::Unknown => [0; 3],
        };
        for (sum, each) in self.rows.iter_mut().zip(each) {
            *sum += rows * each;
        }
    }
}

/// Database, table, `sys.indexes.index_id`.
pub type IndexPlace = (u16, i32, u32);

#[derive(Debug, Default)]
pub struct IndexUsages(pub HashMap<IndexPlace, IndexUsage>);

impl IndexUsages {
    /// What the executions of a module's queries have done.
    pub fn add_module(&mut self, module: &Module) {
        let measured = exec::measured(module);
        for (query, measured) in module.queries.iter().zip(measured.into_iter().skip(1)) {
            let (Some(bound), Some(measured)) = (query.bound.get(), measured) else { continue };
            if bound.session_private {
                continue;
            }
            bound.for_each_use(&mut |table, index, kind| {
                let usage = self.0.entry((table.database.0, table.object.0, index)).or_default();
                let (times, rows) = (measured.executions, measured.rows.total);
                match kind {
                    Use::Seek(0) | Use::Scan => usage.ranges += times,
                    Use::Seek(each) => usage.singles += times * each,
                    Use::Lookup => usage.singles += times,
                    Use::Update(change) => usage.count_rows(change, rows),
                }
                let kind = match kind {
                    Use::Seek(_) => 0,
                    Use::Scan => 1,
                    Use::Lookup => 2,
                    Use::Update(_) => 3,
                };
                usage.times[kind] += measured.executions;
                usage.last_ns[kind] = usage.last_ns[kind].max(measured.last_start_ns);
            });
        }
    }

    pub fn add(&mut self, others: &IndexUsages) {
        for (place, other) in &others.0 {
            let usage = self.0.entry(*place).or_default();
            for kind in 0..KINDS {
                usage.times[kind] += other.times[kind];
                usage.last_ns[kind] = usage.last_ns[kind].max(other.last_ns[kind]);
            }
            for (sum, more) in usage.rows.iter_mut().zip(other.rows) {
                *sum += more;
            }
            usage.singles += other.singles;
            usage.ranges += other.ranges;
        }
    }
}
