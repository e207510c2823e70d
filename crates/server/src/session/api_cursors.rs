//! The cursors that a session's driver has opened: their rows, and where each stands. The procedures that move them are
//! `crate::system::procedure::cursor`.

use std::collections::HashMap;
use std::sync::Arc;

use exec::cursor_book::CursorNote;
use sql::bind::names::same_name;
use sql::catalog::TableDef;
use sql::plan::{ColumnOrigin, OutputColumn, Query};
use types::{Datum, RowBatch, SqlResult, sql_error};

/// Cursors one session may have open.
const CURSORS_MAX: usize = 4_096;
/// SQL Server's handles look like this; some clients tell them from prepared ones by size.
const FIRST_HANDLE: i32 = 180_150_003;

/// @scrollopt
pub mod scroll {
    pub const KEYSET: i64 = 0x1;
    pub const DYNAMIC: i64 = 0x2;
    pub const FORWARD_ONLY: i64 = 0x4;
    pub const STATIC: i64 = 0x8;
    pub const FAST_FORWARD: i64 = 0x10;
    pub const KINDS: i64 = 0x1f;
    pub const PARAMETERIZED: i64 = 0x1000;
    pub const AUTO_FETCH: i64 = 0x2000;
    pub const AUTO_CLOSE: i64 = 0x4000;
}

/// @ccopt
pub mod concurrency {
    pub const READ_ONLY: i64 = 0x1;
    pub const OPTIMISTIC: i64 = 0x4;
    pub const OPTIMISTIC_VALUES: i64 = 0x8;
    pub const KINDS: i64 = 0xf;
    pub const ALLOW_DIRECT: i64 = 0x2000;
}

/// @fetchtype
pub mod fetch {
    pub const FIRST: i64 = 0x1;
    pub const NEXT: i64 = 0x2;
    pub const PREVIOUS: i64 = 0x4;
    pub const LAST: i64 = 0x8;
    pub const ABSOLUTE: i64 = 0x10;
    pub const RELATIVE: i64 = 0x20;
    pub const REFRESH: i64 = 0x80;
    pub const INFO: i64 = 0x100;
    pub const PREVIOUS_UNADJUSTED: i64 = 0x200;
    pub const KINDS: i64 = 0x3ff;
    pub const UNUSED: i64 = 0x40;
    /// With one of the kinds.
    pub const SKIP_CONCURRENCY: i64 = 0x400;
}

/// A session's cursors and prepared cursor statements.
#[derive(Default)]
pub struct ApiCursors {
    pub open: HashMap<i32, ApiCursor>,
    opened: i32,
}

impl ApiCursors {
    pub fn clear(&mut self) {
        self.open.clear();
    }

    /// The cursor that its driver has given this name.
    pub fn named(&self, name: &str) -> Option<&ApiCursor> {
        self.open.values().find(|cursor| !name.is_empty() && same_name(&cursor.note.name, name))
    }

    pub fn keep(&mut self, cursor: ApiCursor) -> SqlResult<i32> {
        if self.open.len() >= CURSORS_MAX {
            return Err(sql_error!(701, state 1, "default"));
        }
        let handle = FIRST_HANDLE + self.opened * 2;
        self.opened = (self.opened + 1) % (1 << 29);
        self.open.insert(handle, cursor);
        Ok(handle)
    }
}

pub struct ApiCursor {
    pub columns: Vec<OutputColumn>,
    pub rows: RowBatch,
    /// Rows read again or changed since: None is a row that is gone.
    pub changed: HashMap<usize, Option<Vec<Datum>>>,
    pub kind: i64,
    pub concurrency: i64,
    /// The tables whose rows can be found in again; none: it is read only.
    pub targets: Vec<Target>,
    /// Of the fetch buffer: its first row from 1, 0 before the first row, the count + 1 behind the last.
    pub start: i64,
    pub length: i64,
    pub note: Arc<CursorNote>,
    /// The row that was made the current one; None: the first of the fetch buffer.
    pub positioned: Option<usize>,
    /// What its rows are of, to ask whether they are still permitted; None: a procedure, which gave them once.
    pub query: Option<Arc<Query>>,
    /// The catalog's version and who acted when they were.
    pub permitted: (u64, u64),
}

/// A table that a cursor's rows can be found in again.
pub struct Target {
    pub table: Arc<TableDef>,
    /// Which of the query's tables it is.
    pub place: u32,
    /// As T-SQL writes it.
    pub name: String,
    /// Result columns of the unique key; of a table without one all columns of the table.
    pub key: Vec<usize>,
    /// There is a unique key. Without one a row is found by its values, and of equal rows any.
    pub is_unique: bool,
}

impl Target {
    pub fn has(&self, origin: &ColumnOrigin) -> bool {
        self.place == origin.place
    }
}

pub fn is_same(a: &TableDef, b: &TableDef) -> bool {
    (a.object, a.database) == (b.object, b.database)
}

/// Every row of the cursor is one of each of its tables.
pub fn has_keys(targets: &[Target]) -> bool {
    !targets.is_empty() && targets.iter().all(|target| target.is_unique)
}

/// As sys.dm_exec_cursors words them.
pub fn properties(kind: i64, concurrency: i64) -> String {
    let kind = match kind {
        scroll::STATIC => "Static",
        scroll::KEYSET => "Keyset",
        scroll::FAST_FORWARD => "Fast_Forward",
        _ => "Dynamic",
    };
    let concurrency = if concurrency == concurrency::READ_ONLY { "Read Only" } else { "Optimistic" };
    format!("API | {kind} | {concurrency} | Global (0)")
}

impl ApiCursor {
    pub fn count(&self) -> i64 {
        self.rows.rows as i64
    }

    pub fn row(&self, at: usize) -> Option<Vec<Datum>> {
        match self.changed.get(&at) {
            Some(changed) => changed.clone(),
            None => Some(self.rows.columns.iter().map(|column| column.datum(at)).collect()),
        }
    }

    pub fn shows_changes(&self) -> bool {
        matches!(self.kind, scroll::KEYSET | scroll::DYNAMIC) && has_keys(&self.targets)
    }

    pub fn only_forward(&self) -> bool {
        matches!(self.kind, scroll::FORWARD_ONLY | scroll::FAST_FORWARD)
    }

    /// Moves the fetch buffer.
    pub fn position(&mut self, kind: i64, number: i64, rows: i64) {
        self.positioned = None;
        if kind == fetch::REFRESH {
            // The same rows, whatever numbers come with it: mssql-jdbc sends none.
            return;
        }
        let count = self.count();
        let mut limit = count;
        let start = match kind {
            // Of no rows: in front of the first, behind the last.
            fetch::FIRST if rows == 0 => 0,
            fetch::LAST if rows == 0 => count + 1,
            fetch::FIRST => 1,
            fetch::NEXT if self.start == 0 => 1,
            fetch::NEXT => self.start.saturating_add(self.length.max(1)),
            fetch::PREVIOUS | fetch::PREVIOUS_UNADJUSTED if self.start <= 1 => 0,
            fetch::PREVIOUS => self.start.saturating_sub(rows).max(1),
            fetch::PREVIOUS_UNADJUSTED => {
                limit = self.start - 1;
                self.start.saturating_sub(rows).max(1)
            }
            fetch::LAST => (count - rows).saturating_add(1).max(1),
            fetch::ABSOLUTE if number < 0 => (count + 1).saturating_add(number),
            fetch::ABSOLUTE => number,
            fetch::RELATIVE => self.start.saturating_add(number),
            _ => self.start,
        };
        self.start = start.clamp(0, count + 1);
        self.length = if self.start == 0 { 0 } else { (limit - self.start + 1).clamp(0, rows) };
        self.note.fetched(if self.length > 0 { 0 } else { -1 });
    }

    /// The values of the key of the row it is on, of all columns where there is no key, each with its column of the table: 16929 (read
    /// only), 16933 (of another table), 16931 (on no row).
    pub fn current_key(&self, table: &TableDef) -> SqlResult<Vec<(usize, Datum)>> {
        if self.concurrency == concurrency::READ_ONLY || self.targets.is_empty() {
            return Err(sql_error!(16929));
        }
        let target =
            self.targets.iter().find(|target| is_same(&target.table, table)).ok_or_else(|| sql_error!(16933))?;
        let at = self.positioned.or_else(|| self.buffer().next());
        let row = at.and_then(|at| self.row(at)).ok_or_else(|| sql_error!(16931))?;
        let column = |place: &usize| {
            let origin = self.columns[*place].origin.as_ref().expect("a key column has a table");
            (usize::from(origin.column), row[*place].clone())
        };
        Ok(target.key.iter().map(column).collect())
    }

    /// The rows of the fetch buffer.
    pub fn buffer(&self) -> std::ops::Range<usize> {
        let first = (self.start - 1).max(0) as usize;
        first..first + self.length as usize
    }
}
