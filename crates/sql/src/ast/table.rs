//! CREATE TABLE, ALTER TABLE, and the table definitions of types, variables and functions.

use super::{DataType, Expr, Ident, ObjectName, Setting, Span};

#[derive(Debug, Clone, PartialEq)]
pub struct CreateTable {
    pub name: ObjectName,
    pub definition: TableDefinition,
    pub on: Option<DataSpace>,
    pub textimage_on: Option<DataSpace>,
    pub filestream_on: Option<DataSpace>,
    /// MEMORY_OPTIMIZED, DURABILITY, SYSTEM_VERSIONING, DATA_COMPRESSION ...
    pub options: Vec<Setting>,
    /// `AS FILETABLE`, `AS NODE`, `AS EDGE`, in capitals.
    pub as_kind: Option<Box<str>>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableDefinition {
    pub columns: Vec<ColumnDefinition>,
    /// Those written behind a comma of their own; a column's are with the column.
    pub constraints: Vec<Constraint>,
    pub indexes: Vec<InlineIndex>,
    /// `PERIOD FOR SYSTEM_TIME (start, end)`
    pub period: Option<(Ident, Ident)>,
    /// `WITH (MEMORY_OPTIMIZED = ON)` of a table type.
    pub options: Vec<Setting>,
}

impl TableDefinition {
    /// Names of the primary key's columns: they are not null.
    pub fn primary_key(&self) -> Vec<&str> {
        let own = self.columns.iter().flat_map(|column| column.constraints.iter().map(move |one| (Some(column), one)));
        let of_table = self.constraints.iter().map(|one| (None, one));
        let mut names: Vec<&str> = Vec::new();
        for (column, constraint) in own.chain(of_table) {
            let ConstraintKind::PrimaryKey(key) = &constraint.kind else { continue };
            names.extend(key.columns.iter().map(|column| &*column.name.text));
            names.extend(column.filter(|_| key.columns.is_empty()).map(|column| &*column.name.text));
        }
        names
    }
}

/// A filegroup, or a partition scheme with its columns, of which one alone is right. `DEFAULT` and "default" are the same.
#[derive(Debug, Clone, PartialEq)]
pub struct DataSpace {
    pub name: Ident,
    pub columns: Vec<Ident>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ColumnDefinition {
    pub name: Ident,
    pub kind: ColumnKind,
    pub collation: Option<Ident>,
    /// NULL true, NOT NULL false
    pub null: Option<bool>,
    /// NULL or NOT NULL is said more than once.
    pub null_again: bool,
    pub identity: Option<Identity>,
    pub rowguidcol: bool,
    pub sparse: bool,
    pub column_set: bool,
    pub filestream: bool,
    pub hidden: bool,
    /// `MASKED WITH (FUNCTION = 'f')`
    pub masked: Option<Box<str>>,
    pub generated: Option<GeneratedAlways>,
    /// `ENCRYPTED WITH (...)`
    pub encrypted: Vec<Setting>,
    pub constraints: Vec<Constraint>,
    /// `INDEX name` behind a column
    pub indexes: Vec<InlineIndex>,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ColumnKind {
    Typed(DataType),
    /// `timestamp` alone: the name is the type.
    Timestamp,
    /// `AS expression [PERSISTED]`; NOT NULL is in `null`. The span is the expression's text.
    Computed {
        expr: Expr,
        persisted: bool,
        text: Span,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    pub seed: Option<Expr>,
    pub increment: Option<Expr>,
    pub not_for_replication: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GeneratedAlways {
    RowStart,
    RowEnd,
    TransactionIdStart,
    TransactionIdEnd,
    SequenceNumberStart,
    SequenceNumberEnd,
}

/// A column's or a table's constraint; a column's has no column list.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    pub name: Option<Ident>,
    pub kind: ConstraintKind,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ConstraintKind {
    /// `CONSTRAINT name` and nothing behind: dropped with an informational message. SQL Server refuses it, scripts in
    /// print have it.
    Missing,
    PrimaryKey(Key),
    Unique(Key),
    ForeignKey(ForeignKey),
    Check(Check),
    Default(DefaultValue),
    /// `CONSTRAINT name NULL | NOT NULL` (its value is also the column's `null`).
    Null,
    /// Edge constraint: `CONNECTION (a TO b, ...)`
    Connection(Vec<(ObjectName, ObjectName)>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// CLUSTERED true, NONCLUSTERED false
    pub clustered: Option<bool>,
    pub hash: bool,
    pub columns: Vec<IndexColumn>,
    pub options: Vec<Setting>,
    pub on: Option<DataSpace>,
    pub not_enforced: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct IndexColumn {
    pub name: Ident,
    pub descending: bool,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ForeignKey {
    pub columns: Vec<Ident>,
    pub table: ObjectName,
    /// Empty: its primary key.
    pub referenced: Vec<Ident>,
    pub on_delete: Option<ReferentialAction>,
    pub on_update: Option<ReferentialAction>,
    pub not_for_replication: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferentialAction {
    NoAction,
    Cascade,
    SetNull,
    SetDefault,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    pub condition: Expr,
    pub text: Span,
    pub not_for_replication: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DefaultValue {
    pub value: Expr,
    pub text: Span,
    /// `FOR column`, in ALTER TABLE ADD
    pub column: Option<Ident>,
    pub with_values: bool,
}

/// `INDEX name [UNIQUE] [CLUSTERED | NONCLUSTERED] [HASH | COLUMNSTORE] (columns) ...` inside a table.
#[derive(Debug, Clone, PartialEq)]
pub struct InlineIndex {
    pub name: Ident,
    pub unique: bool,
    pub clustered: Option<bool>,
    pub hash: bool,
    pub columnstore: bool,
    pub columns: Vec<IndexColumn>,
    pub include: Vec<Ident>,
    pub filter: Option<Expr>,
    pub options: Vec<Setting>,
    pub on: Option<DataSpace>,
    pub filestream_on: Option<DataSpace>,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AlterTable {
    pub name: ObjectName,
    pub action: AlterTableAction,
}

#[derive(Debug, Clone, PartialEq)]
pub enum AlterTableAction {
    /// `[WITH CHECK | NOCHECK] ADD ...`: columns, constraints, indexes in any order, with the period's columns.
    Add {
        check: Option<bool>,
        definition: TableDefinition,
    },
    Drop(Vec<AlterTableDrop>),
    AlterColumn(Box<AlterColumn>),
    /// `[WITH CHECK | NOCHECK] CHECK | NOCHECK CONSTRAINT ALL | names`
    SwitchConstraint {
        with_check: Option<bool>,
        enable: bool,
        constraints: Option<Vec<Ident>>,
    },
    /// `ENABLE | DISABLE TRIGGER ALL | names`
    SwitchTrigger {
        enable: bool,
        triggers: Option<Vec<Ident>>,
    },
    /// `ENABLE | DISABLE CHANGE_TRACKING [WITH (...)]`
    ChangeTracking {
        enable: bool,
        options: Vec<Setting>,
    },
    Rebuild {
        partition: Option<PartitionChoice>,
        options: Vec<Setting>,
    },
    SwitchPartition {
        from: Option<Expr>,
        to: ObjectName,
        to_partition: Option<Expr>,
        options: Vec<Setting>,
    },
    Set(Vec<Setting>),
    /// `ALTER INDEX name REBUILD WITH (BUCKET_COUNT = n)`
    AlterIndex {
        index: Ident,
        options: Vec<Setting>,
    },
    /// ENABLE | DISABLE FILETABLE_NAMESPACE
    FileTableNamespace {
        enable: bool,
    },
    SplitMerge {
        merge: bool,
        range: Option<Expr>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub enum PartitionChoice {
    All,
    One(Expr),
}

#[derive(Debug, Clone, PartialEq)]
pub struct AlterTableDrop {
    pub kind: AlterTableDropKind,
    pub if_exists: bool,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum AlterTableDropKind {
    Column(Ident),
    /// With or without the word CONSTRAINT; options are `WITH (ONLINE = ON, MOVE TO ...)`.
    Constraint {
        name: Ident,
        options: Vec<Setting>,
    },
    Index(Ident),
    Period,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AlterColumn {
    pub name: Ident,
    pub change: ColumnChange,
    pub options: Vec<Setting>,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ColumnChange {
    Type {
        data_type: DataType,
        collation: Option<Ident>,
        null: Option<bool>,
        sparse: bool,
        masked: Option<Box<str>>,
        hidden: bool,
        /// GENERATED ALWAYS, which a column is made with or not at all.
        generated: bool,
    },
    /// `ADD | DROP` with ROWGUIDCOL, PERSISTED, NOT FOR REPLICATION, SPARSE, HIDDEN, MASKED (in capitals).
    Property { add: bool, property: Box<str>, masked: Option<Box<str>> },
}
