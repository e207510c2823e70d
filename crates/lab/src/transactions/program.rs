//! Programs: statements of two to four sessions in the order in which they are sent, and their T-SQL.

use std::fmt::Write;

use types::Datum;

pub const SESSIONS_MAX: usize = 4;

/// The tables, by number. All have a key `k`, a value `v`, and `w`, which some have an index of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Clustered,
    Indexed,
    Heap,
}

pub const SHAPES: [Shape; 3] = [Shape::Clustered, Shape::Indexed, Shape::Heap];

/// Page locks are off, so that the grain of a lock on a row is the row.
pub const SETUP: &str = "\
CREATE TABLE t0 (k int NOT NULL, v int NOT NULL, w int NOT NULL,
    CONSTRAINT key0 PRIMARY KEY CLUSTERED (k) WITH (ALLOW_PAGE_LOCKS = OFF));
CREATE TABLE t1 (k int NOT NULL, v int NOT NULL, w int NOT NULL,
    CONSTRAINT key1 PRIMARY KEY CLUSTERED (k) WITH (ALLOW_PAGE_LOCKS = OFF));
CREATE NONCLUSTERED INDEX by_w ON t1 (w) WITH (ALLOW_PAGE_LOCKS = OFF);
CREATE TABLE t2 (k int NOT NULL, v int NOT NULL, w int NOT NULL,
    CONSTRAINT key2 PRIMARY KEY NONCLUSTERED (k) WITH (ALLOW_PAGE_LOCKS = OFF));
CREATE NONCLUSTERED INDEX by_w ON t2 (w) WITH (ALLOW_PAGE_LOCKS = OFF);";

/// Not every server has memory-optimized tables in any database.
pub const SETUP_MEMORY: &str = "\
CREATE TABLE m (k int NOT NULL PRIMARY KEY NONCLUSTERED, v int NOT NULL, w int NOT NULL, INDEX by_w NONCLUSTERED (w))
    WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY);";

pub type Key = i64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    pub v: i64,
    pub w: i64,
}

/// The rows before a program.
pub fn first_rows() -> impl Iterator<Item = (Key, Row)> {
    [1, 3, 5, 6].into_iter().map(|k| (k, Row { v: k * 10, w: k % 4 }))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Uncommitted,
    Committed,
    Repeatable,
    Serializable,
    Snapshot,
}

impl Level {
    pub fn text(self) -> &'static str {
        match self {
            Level::Uncommitted => "READ UNCOMMITTED",
            Level::Committed => "READ COMMITTED",
            Level::Repeatable => "REPEATABLE READ",
            Level::Serializable => "SERIALIZABLE",
            Level::Snapshot => "SNAPSHOT",
        }
    }
}

/// Which rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    Key(Key),
    Keys(Key, Key),
    /// By `w`, by its index where that is asked for.
    Others(i64, i64, bool),
    All,
}

impl Filter {
    pub fn matches(self, k: Key, row: Row) -> bool {
        match self {
            Filter::Key(key) => k == key,
            Filter::Keys(from, to) => (from..=to).contains(&k),
            Filter::Others(from, to, _) => (from..=to).contains(&row.w),
            Filter::All => true,
        }
    }

    fn text(self) -> String {
        match self {
            Filter::Key(key) => format!(" WHERE k = {key}"),
            Filter::Keys(from, to) => format!(" WHERE k BETWEEN {from} AND {to}"),
            Filter::Others(from, to, _) if from == to => format!(" WHERE w = {from}"),
            Filter::Others(from, to, _) => format!(" WHERE w BETWEEN {from} AND {to}"),
            Filter::All => String::new(),
        }
    }
}

/// The level that a hint names for its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelHint {
    NoLock,
    Lock,
    Hold,
    /// Of a memory-optimized table alone, as the next.
    Snapshot,
    Repeatable,
}

/// The lock that a hint names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockHint {
    Update,
    Exclusive,
    Table,
    TableExclusive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hints {
    pub level: Option<LevelHint>,
    pub lock: Option<LockHint>,
    pub skip: bool,
    pub row: bool,
}

impl Hints {
    fn text(self, filter: Filter, shape: Shape, is_memory: bool) -> String {
        let level = self.level.map(|hint| match hint {
            LevelHint::NoLock => "NOLOCK",
            LevelHint::Lock => "READCOMMITTEDLOCK",
            LevelHint::Hold if is_memory => "SERIALIZABLE",
            LevelHint::Hold => "HOLDLOCK",
            LevelHint::Snapshot => "SNAPSHOT",
            LevelHint::Repeatable => "REPEATABLEREAD",
        });
        let lock = self.lock.map(|hint| match hint {
            LockHint::Update => "UPDLOCK",
            LockHint::Exclusive => "XLOCK",
            LockHint::Table => "TABLOCK",
            LockHint::TableExclusive => "TABLOCKX",
        });
        let index = matches!(filter, Filter::Others(_, _, true)) && shape != Shape::Clustered;
        let skip = self.skip.then_some("READPAST");
        let row = self.row.then_some("ROWLOCK");
        let words = [level, lock, skip, row, index.then_some("INDEX(by_w)")];
        let words: Vec<&str> = words.into_iter().flatten().collect();
        if words.is_empty() { String::new() } else { format!(" WITH ({})", words.join(", ")) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    Rows,
    Count,
    Sum,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// v = v + n.
    Add(i64),
    /// v = n.
    Value(i64),
    /// w = n: the row moves in the index.
    Other(i64),
    Delete,
}

impl Change {
    pub fn of(self, row: Row) -> Option<Row> {
        match self {
            Change::Add(n) => Some(Row { v: row.v + n, ..row }),
            Change::Value(v) => Some(Row { v, ..row }),
            Change::Other(w) => Some(Row { w, ..row }),
            Change::Delete => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Data {
    Select(Wanted, Filter),
    Insert(Key, Row),
    Change(Change, Filter),
    /// MERGE: adds to the row's v, or inserts it.
    Merge(Key, Row),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    pub table: usize,
    pub data: Data,
    pub hints: Hints,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Level(Level),
    /// LOCK_TIMEOUT in milliseconds; -1: no end.
    Timeout(i32),
    Priority(i32),
    Begin,
    Commit,
    Rollback,
    Save,
    /// To the savepoint.
    Restore,
    Data(Statement),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub session: usize,
    pub action: Action,
}

#[derive(Debug, Clone, Default)]
pub struct Program {
    /// In a database with READ_COMMITTED_SNAPSHOT.
    pub versions: bool,
    /// Its only table is memory-optimized.
    pub memory: bool,
    pub steps: Vec<Step>,
}

impl Program {
    pub fn script(&self) -> String {
        let option = if self.versions { "ON" } else { "OFF" };
        let mut text = if self.memory {
            "-- a memory-optimized table\n".into()
        } else {
            format!("-- READ_COMMITTED_SNAPSHOT {option}\n")
        };
        for step in &self.steps {
            let _ = writeln!(text, "/* {} */ {}", step.session, step.action.text(self.memory));
        }
        text
    }
}

impl Action {
    pub fn text(&self, is_memory: bool) -> String {
        match self {
            Action::Level(level) => format!("SET TRANSACTION ISOLATION LEVEL {}", level.text()),
            Action::Timeout(ms) => format!("SET LOCK_TIMEOUT {ms}"),
            Action::Priority(priority) => format!("SET DEADLOCK_PRIORITY {priority}"),
            Action::Begin => "BEGIN TRAN".into(),
            Action::Commit => "COMMIT".into(),
            Action::Rollback => "ROLLBACK".into(),
            Action::Save => "SAVE TRAN s".into(),
            Action::Restore => "ROLLBACK TRAN s".into(),
            Action::Data(statement) => statement.text(is_memory),
        }
    }
}

const BOTH: &str = "OUTPUT COALESCE(deleted.k, inserted.k), deleted.v, deleted.w, inserted.v, inserted.w";

impl Statement {
    fn text(&self, is_memory: bool) -> String {
        let shape = if is_memory { Shape::Indexed } else { SHAPES[self.table] };
        let table = if is_memory { "m".into() } else { format!("t{}", self.table) };
        match self.data {
            Data::Select(wanted, filter) => {
                let list = match wanted {
                    Wanted::Rows => "k, v, w",
                    Wanted::Count => "COUNT(*)",
                    Wanted::Sum => "SUM(v)",
                };
                format!("SELECT {list} FROM {table}{}{}", self.hints.text(filter, shape, is_memory), filter.text())
            }
            Data::Insert(k, row) => {
                let hints = self.hints.text(Filter::All, shape, is_memory);
                format!("INSERT {table}{hints} (k, v, w) VALUES ({k}, {}, {})", row.v, row.w)
            }
            Data::Change(change, filter) => {
                let hints = self.hints.text(filter, shape, is_memory);
                // Which index is for FROM alone to say.
                let (hints, from) = match hints.contains("INDEX(") {
                    true => (String::new(), format!(" FROM {table}{hints}")),
                    false => (hints, String::new()),
                };
                let set = match change {
                    Change::Delete => {
                        let output = "OUTPUT deleted.k, deleted.v, deleted.w, NULL, NULL";
                        return format!("DELETE {table}{hints} {output}{from}{}", filter.text());
                    }
                    Change::Add(n) => format!("v = v + {n}"),
                    Change::Value(v) => format!("v = {v}"),
                    Change::Other(w) => format!("w = {w}"),
                };
                let output = "OUTPUT deleted.k, deleted.v, deleted.w, inserted.v, inserted.w";
                format!("UPDATE {table}{hints} SET {set} {output}{from}{}", filter.text())
            }
            Data::Merge(k, row) => {
                let hints = self.hints.text(Filter::All, shape, is_memory);
                format!(
                    "MERGE {table}{hints} AS t USING (VALUES ({k}, {}, {})) AS s (k, v, w) ON t.k = s.k \
                     WHEN MATCHED THEN UPDATE SET v = t.v + s.v \
                     WHEN NOT MATCHED THEN INSERT (k, v, w) VALUES (s.k, s.v, s.w) {BOTH};",
                    row.v, row.w
                )
            }
        }
    }
}

/// What a statement answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub rows: Vec<Vec<Option<i64>>>,
    pub error: Option<i32>,
}

pub fn number(value: &Datum) -> Option<i64> {
    match value {
        Datum::Null => None,
        Datum::I64(number) => Some(*number),
        other => panic!("the tables have numbers only, not {other:?}"),
    }
}
