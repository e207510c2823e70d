//! SET STATISTICS IO: the pages that a statement looks at, table by table. There is one only while somebody asks.

use std::sync::Arc;

use os::stats::work_here;
use sql::catalog::TableDef;
use sql::plan::{GroupStrategy, OperatorKind};

/// Tables that are told of at most; what is read of others is theirs.
const TABLES_MAX: usize = 1_024;

/// What was read of one table.
#[derive(Debug)]
pub struct TableRead {
    pub table: Arc<TableDef>,
    /// Scans and seeks that were begun.
    pub scans: u64,
    /// Pages looked at.
    pub logical: u64,
    /// Of them, pages that came from disk.
    pub physical: u64,
}

/// What a query puts rows in besides tables, as https://learn.microsoft.com/sql/relational-databases/query-processing-architecture-guide
/// ("Worktables") and .../performance-monitor/sql-server-access-methods-object tell them apart: a worktable for sorts and spools, a
/// workfile for hash tables, which may need worktables, too.
#[derive(Debug, Clone, Copy, Default)]
pub struct WorkTables {
    pub table: bool,
    pub file: bool,
}

impl WorkTables {
    pub fn note(&mut self, operator: &OperatorKind) {
        let hashes = match operator {
            OperatorKind::HashJoin(_) | OperatorKind::SetOperation { .. } => true,
            OperatorKind::Aggregate { group, strategy, .. } => !group.is_empty() && *strategy == GroupStrategy::Hash,
            OperatorKind::GroupingSets { .. } => true,
            _ => false,
        };
        self.file |= hashes;
        // The first rows of an order are kept in memory.
        self.table |= hashes
            || matches!(
                operator,
                OperatorKind::Sort { limit: None, .. }
                    | OperatorKind::Window { .. }
                    | OperatorKind::Recursive { .. }
                    | OperatorKind::Spool(_)
                    | OperatorKind::IndexSpool(_)
                    | OperatorKind::Shared(_)
            );
    }
}

/// A page is of the table that was last gone to.
#[derive(Debug)]
pub struct TableReads {
    tables: Vec<TableRead>,
    current: Option<usize>,
    /// Of the worker, when that table was gone to.
    logical: u64,
    physical: u64,
}

impl TableReads {
    pub fn begin() -> TableReads {
        let work = work_here();
        TableReads { tables: Vec::new(), current: None, logical: work.page_reads, physical: work.page_faults }
    }

    /// What is read from here on is of `table`, of which so many `scans` begin.
    #[cold]
    pub fn enter(&mut self, table: &Arc<TableDef>, scans: u64) {
        self.charge();
        let known = self.tables.iter().position(|read| {
            read.table.object == table.object && read.table.database == table.database && read.table.name == table.name
        });
        let at = known.unwrap_or_else(|| {
            if self.tables.len() < TABLES_MAX {
                self.tables.push(TableRead { table: table.clone(), scans: 0, logical: 0, physical: 0 });
            }
            self.tables.len() - 1
        });
        self.tables[at].scans += scans;
        self.current = Some(at);
    }

    /// Something else has run, which is not of this statement.
    pub fn skip(&mut self) {
        let work = work_here();
        (self.logical, self.physical) = (work.page_reads, work.page_faults);
    }

    pub fn end(mut self) -> Vec<TableRead> {
        self.charge();
        self.tables
    }

    /// What was read until now is of the table that was last gone to.
    pub fn charge(&mut self) {
        let (logical, physical) = (self.logical, self.physical);
        self.skip();
        if let Some(current) = self.current {
            let read = &mut self.tables[current];
            read.logical += self.logical.saturating_sub(logical);
            read.physical += self.physical.saturating_sub(physical);
        }
    }
}
