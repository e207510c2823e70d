//! What the binder asks of the catalog: definitions by name, as one session sees them at one moment.
//!
//! Definitions are immutable and shared; a schema change makes new ones and raises `Catalog::version`.

use std::sync::Arc;

use types::key::KeyCodec;
use types::{CollationId, Datum, KeySet, SqlError, SqlType, TypeKind};

use crate::mask::MaskFunction;
use crate::statistics::{Met, TableStatistics, Wanted};

/// `sys.databases.database_id`: 1 master, 2 tempdb, 3 model, 4 msdb, 5 and up the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DatabaseId(pub u16);

/// `sys.objects.object_id`. Unique within its database. Negative ids belong to system objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub i32);

/// A name of one to four parts as written; empty parts (`db..t`) are None.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ObjectName {
    pub server: Option<Box<str>>,
    pub database: Option<Box<str>>,
    pub schema: Option<Box<str>>,
    pub name: Box<str>,
}

#[derive(Debug, Clone)]
pub struct ColumnDef {
    pub name: Box<str>,
    pub ty: SqlType,
    pub nullable: bool,
    /// (seed, increment).
    pub identity: Option<(i64, i64)>,
    /// T-SQL text of the DEFAULT, as `sys.default_constraints.definition` shows it: `((1))`.
    pub default: Option<Box<str>>,
    pub computed: Option<Computed>,
    /// `sys.columns.column_id`: from 1, never reused within a table.
    pub column_id: u32,
    pub rowguid: bool,
    /// MASKED WITH.
    pub mask: Option<Arc<MaskFunction>>,
    /// GENERATED ALWAYS: which end of its table's period it is.
    pub generated: Option<PeriodEnd>,
    /// HIDDEN, or a sparse column of a table with a column set: only who names it sees it.
    pub hidden: bool,
}

/// Of PERIOD FOR SYSTEM_TIME.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeriodEnd {
    RowStart,
    RowEnd,
}

#[derive(Debug, Clone)]
pub struct Computed {
    pub definition: Box<str>,
    pub persisted: bool,
    /// COLUMN_SET FOR ALL_SPARSE_COLUMNS: the definition puts the sparse columns together, and what is assigned to it goes to them.
    pub set: bool,
}

impl ColumnDef {
    /// It is computed and no column set: nothing may be assigned to it.
    pub fn is_read_only(&self) -> bool {
        self.computed.as_ref().is_some_and(|computed| !computed.set)
    }

    /// A column set.
    pub fn is_set(&self) -> bool {
        self.computed.as_ref().is_some_and(|computed| computed.set)
    }

    /// A sparse column of a table with a column set.
    pub fn in_set(&self) -> bool {
        self.hidden && self.generated.is_none()
    }
}

/// A base table, temporary table or table variable. `columns[i]` is column i of the stored row, except computed columns that are
/// not persisted: those are in `columns` too but have no place in the row (`stored` tells).
#[derive(Debug, Clone)]
pub struct TableDef {
    pub database: DatabaseId,
    pub object: ObjectId,
    pub schema: Box<str>,
    pub name: Box<str>,
    pub columns: Vec<ColumnDef>,
    /// For each column its ordinal in the row image; None for a computed column that is not persisted.
    pub stored: Vec<Option<u16>>,
    pub indexes: Vec<IndexDef>,
    pub checks: Vec<CheckDef>,
    /// This table's references to others.
    pub foreign_keys: Vec<ForeignKeyDef>,
    /// Others' references to this table.
    pub referenced_by: Vec<ForeignKeyDef>,
    pub triggers: Vec<TriggerDef>,
    /// Of enabled security policies.
    pub predicates: Vec<PredicateDef>,
    /// Rows as last counted: for join order.
    pub row_count: u64,
    pub memory: Option<MemoryOptimized>,
    pub versioning: Option<Versioning>,
    pub partitioning: Option<TablePartitioning>,
    /// Those without an index of their own.
    pub statistics: Vec<StatisticsDef>,
    /// Indexed views that are made of its rows, each with its `rows`.
    pub views: Vec<Arc<ModuleDef>>,
    /// It is itself what is stored of a view.
    pub of_view: bool,
}

/// ON scheme(column): of a table's rows, or of an index.
#[derive(Debug, Clone)]
pub struct TablePartitioning {
    /// Of `TableDef::columns`.
    pub column: u16,
    /// `sys.partition_schemes.data_space_id`
    pub scheme: i32,
    pub function: Arc<PartitionFunctionDef>,
}

/// CREATE PARTITION FUNCTION.
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionFunctionDef {
    /// `sys.partition_functions.function_id`
    pub id: i32,
    pub name: Box<str>,
    pub ty: SqlType,
    /// RANGE RIGHT: a boundary belongs to the partition above it.
    pub right: bool,
    /// Values of `ty`, ascending.
    pub boundaries: Vec<Datum>,
}

impl PartitionFunctionDef {
    pub fn partitions(&self) -> usize {
        self.boundaries.len() + 1
    }

    /// Both divide every value alike: what lies by one lies by the other.
    pub fn is_equivalent(&self, other: &PartitionFunctionDef) -> bool {
        self.ty == other.ty && self.right == other.right && self.boundaries == other.boundaries
    }

    /// The keys of the boundaries in the ascending codec of its type.
    pub fn keys(&self) -> Vec<Box<[u8]>> {
        let codec = KeyCodec::new(&self.ty, false);
        let key = |value: &Datum| {
            let mut key = Vec::new();
            codec.encode(value, &mut key);
            key.into()
        };
        self.boundaries.iter().map(key).collect()
    }
}

/// CREATE STATISTICS.
#[derive(Debug, Clone)]
pub struct StatisticsDef {
    /// `sys.stats.stats_id`, and in one row of numbers with `IndexDef::id`.
    pub id: u32,
    pub name: Box<str>,
    /// Of `TableDef::columns`.
    pub columns: Vec<u16>,
    pub filter: Vec<FilterTerm>,
    /// NORECOMPUTE
    pub kept_as_made: bool,
}

/// SYSTEM_VERSIONING = ON, from either side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Versioning {
    /// The rows of now; those that were are in `history`, for as long as `retention` says.
    Current { history: ObjectId, retention: Option<Retention> },
    /// Rows that were.
    History { current: ObjectId },
}

/// HISTORY_RETENTION_PERIOD.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    pub count: i32,
    pub unit: RetentionUnit,
}

/// With the numbers of `sys.tables.history_retention_period_unit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetentionUnit {
    Day = 3,
    Week = 4,
    Month = 5,
    Year = 6,
}

impl RetentionUnit {
    pub const ALL: [RetentionUnit; 4] =
        [RetentionUnit::Day, RetentionUnit::Week, RetentionUnit::Month, RetentionUnit::Year];

    /// How many of them a year has, at most.
    pub const fn a_year(self) -> i32 {
        match self {
            RetentionUnit::Day => 366,
            RetentionUnit::Week => 53,
            RetentionUnit::Month => 12,
            RetentionUnit::Year => 1,
        }
    }

    /// As DATEADD and the catalog name it.
    pub const fn name(self) -> &'static str {
        match self {
            RetentionUnit::Day => "DAY",
            RetentionUnit::Week => "WEEK",
            RetentionUnit::Month => "MONTH",
            RetentionUnit::Year => "YEAR",
        }
    }
}

/// WITH (MEMORY_OPTIMIZED = ON, ...).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryOptimized {
    /// DURABILITY = SCHEMA_AND_DATA, not SCHEMA_ONLY.
    pub durable: bool,
}

/// Objects below are tables of the server's own.
pub const USER_OBJECT_MIN: i32 = 1_000;

impl TableDef {
    /// The columns of PERIOD FOR SYSTEM_TIME, start and end.
    pub fn period(&self) -> Option<(u16, u16)> {
        let of = |end| self.columns.iter().position(|column| column.generated == Some(end)).map(|at| at as u16);
        Some((of(PeriodEnd::RowStart)?, of(PeriodEnd::RowEnd)?))
    }

    /// Whether there can be statistics of a column: it is stored, its values have an order, and each lies in its row.
    pub fn is_countable(&self, column: u16) -> bool {
        use TypeKind::{Image, NText, SqlVariant, Text, Xml};
        let ty = &self.columns[usize::from(column)].ty;
        self.stored[usize::from(column)].is_some()
            && !ty.is_max()
            && !matches!(ty.kind, Xml | Text | NText | Image | SqlVariant)
    }

    pub fn is_history(&self) -> bool {
        matches!(self.versioning, Some(Versioning::History { .. }))
    }

    /// Nobody else changes its definition: a table of the server's own, or a local temporary table.
    pub fn is_own(&self) -> bool {
        self.object.0 < USER_OBJECT_MIN && self.object.0 > 0
            || self.name.starts_with('#') && !self.name.starts_with("##")
    }
}

#[derive(Debug, Clone)]
pub struct IndexDef {
    /// `sys.indexes.index_id`: 1 clustered, 2 and up nonclustered. A heap has no entry 1.
    pub id: u32,
    pub name: Box<str>,
    pub unique: bool,
    pub kind: IndexKind,
    pub primary_key: bool,
    pub unique_constraint: bool,
    /// (column of `TableDef::columns`, descending).
    pub key: Vec<(u16, bool)>,
    pub included: Vec<u16>,
    /// Of a filtered index: the rows that satisfy all of these are in it.
    pub filter: Vec<FilterTerm>,
    pub disabled: bool,
    /// STATISTICS_NORECOMPUTE
    pub statistics_kept: bool,
    /// IGNORE_DUP_KEY: an INSERT leaves out the rows whose key is there.
    pub ignores_duplicates: bool,
    /// Of a hash index: its buckets, as asked for.
    pub bucket_count: Option<u64>,
}

/// The column's value is one of a set. No computed column; of (max) and the old large types only whether it is NULL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterTerm {
    /// Of `TableDef::columns`.
    pub column: u16,
    pub keys: KeySet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexKind {
    Clustered,
    Nonclustered,
}

#[derive(Debug, Clone)]
pub struct CheckDef {
    pub name: Box<str>,
    pub object: ObjectId,
    /// T-SQL text: `([a]>(0))`.
    pub definition: Box<str>,
    /// Set when the constraint belongs to one column (its name is in error 547).
    pub column: Option<u16>,
    pub disabled: bool,
    /// A rule that is bound to the column: error 513 instead of 547.
    pub rule: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferentialAction {
    NoAction,
    Cascade,
    SetNull,
    SetDefault,
}

#[derive(Debug, Clone)]
pub struct ForeignKeyDef {
    pub name: Box<str>,
    pub object: ObjectId,
    /// The referencing table and its columns.
    pub table: ObjectId,
    pub columns: Vec<u16>,
    /// The referenced table (same database) and its columns.
    pub referenced_table: ObjectId,
    pub referenced_columns: Vec<u16>,
    pub on_delete: ReferentialAction,
    pub on_update: ReferentialAction,
    pub disabled: bool,
}

#[derive(Debug, Clone)]
pub struct TriggerDef {
    pub name: Box<str>,
    pub object: ObjectId,
    pub instead_of: bool,
    pub on_insert: bool,
    pub on_update: bool,
    pub on_delete: bool,
    pub disabled: bool,
    /// Its place among those that INSERT, UPDATE and DELETE fire: below 0 the first, above it the last.
    pub places: [i8; 3],
}

/// A predicate of a security policy: the rows for which a call of an inline function gives a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PredicateDef {
    pub of: Guarded,
    /// `[schema].[function]([column], (1))`
    pub call: Box<str>,
    /// WITH (SCHEMABINDING = ON): what the function reads is the policy's, and needs no permission.
    pub schema_bound: bool,
}

/// What a predicate decides about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guarded {
    /// FILTER
    Reads,
    AfterInsert,
    AfterUpdate,
    BeforeUpdate,
    BeforeDelete,
}

/// Rows that the server computes: DMVs and the like. `sys.dm_os_schedulers`.
#[derive(Debug, Clone)]
pub struct VirtualTableDef {
    pub database: DatabaseId,
    pub object: ObjectId,
    pub schema: Box<str>,
    pub name: Box<str>,
    pub columns: Vec<ColumnDef>,
    /// What `Host::virtual_rows` is asked for.
    pub id: u32,
    /// Arguments of a table-valued system function (`sys.dm_exec_sql_text(handle)`); empty for views.
    pub parameters: Vec<SqlType>,
}

/// A module whose text is kept: view, procedure, function, trigger.
#[derive(Debug, Clone)]
pub struct ModuleDef {
    pub database: DatabaseId,
    pub object: ObjectId,
    pub schema: Box<str>,
    pub name: Box<str>,
    pub kind: ModuleKind,
    /// The CREATE statement as the user wrote it.
    pub text: Arc<str>,
    pub quoted_identifier: bool,
    pub ansi_nulls: bool,
    /// Parent table of a trigger.
    pub parent: Option<ObjectId>,
    /// WITH NATIVE_COMPILATION.
    pub native: bool,
    /// WITH EXECUTE AS: whom its body acts as.
    pub execute_as: Option<RunsAs>,
    /// RETURNS NULL ON NULL INPUT: a scalar function that is given a NULL is not run.
    pub null_on_null: bool,
    /// Names of a view's columns since it was made or refreshed: what its text gives beyond them is not seen. Empty: none is known.
    pub column_names: Box<[Box<str>]>,
    /// Of a view: of enabled security policies.
    pub predicates: Vec<PredicateDef>,
    /// Of an indexed view: its rows, a table with the view's id.
    pub rows: Option<Arc<TableDef>>,
}

/// Whom a module WITH EXECUTE AS acts as, by id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunsAs {
    /// Of the module's database.
    User(i32),
    /// Of a trigger of the server.
    Login(i32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleKind {
    View,
    Procedure,
    ScalarFunction,
    InlineFunction,
    TableFunction,
    Trigger,
}

#[derive(Debug, Clone)]
pub struct SequenceDef {
    pub database: DatabaseId,
    pub object: ObjectId,
    pub schema: Box<str>,
    pub name: Box<str>,
    pub ty: SqlType,
}

#[derive(Debug, Clone)]
pub struct SynonymDef {
    pub database: DatabaseId,
    pub object: ObjectId,
    pub target: ObjectName,
}

#[derive(Debug, Clone)]
pub enum Object {
    Table(Arc<TableDef>),
    Virtual(Arc<VirtualTableDef>),
    Module(Arc<ModuleDef>),
    Synonym(Arc<SynonymDef>),
    Sequence(Arc<SequenceDef>),
}

/// An alias type or a table type, from CREATE TYPE.
#[derive(Debug, Clone)]
pub enum UserType {
    Alias { ty: SqlType, nullable: bool },
    Table(Arc<TableDef>),
}

/// Whether a value of a column passes.
pub type ColumnTest<'t> = (u16, Box<dyn FnMut(&Datum) -> bool + 't>);

/// The catalog as one session sees it, its own uncommitted schema changes and temporary objects included.
/// Names are compared by the database's collation; the implementor does that.
pub trait Catalog {
    /// Raised by every schema change that is visible to this session. A bound statement of another version is bound again.
    fn version(&self) -> u64;

    /// The session's current database.
    fn database(&self) -> DatabaseId;

    /// None: no such object. Err: 4060-family (no such database), 7202 (linked server), or the read failed.
    fn resolve(&self, name: &ObjectName) -> Result<Option<Object>, SqlError>;

    fn table_by_id(&self, database: DatabaseId, object: ObjectId) -> Result<Option<Arc<TableDef>>, SqlError>;

    /// A view as the target of its INSTEAD OF triggers: its columns, all of which may be NULL there, and its triggers. None: no such view.
    fn view_target(&self, _database: DatabaseId, _object: ObjectId) -> Result<Option<Arc<TableDef>>, SqlError> {
        Ok(None)
    }

    fn user_type(&self, name: &ObjectName) -> Result<Option<UserType>, SqlError>;

    /// An XML schema collection of the current database, by its name: its number. None: there is none.
    fn xml_collection(&self, _name: &ObjectName) -> Result<Option<u16>, SqlError> {
        Ok(None)
    }

    /// What the collection of the current database with that number says. 6327: there is none.
    fn xml_schema(&self, collection: u16) -> Result<Arc<xml::schema::Schema>, SqlError> {
        Err(types::sql_error!(6327, collection))
    }

    /// A partition function of the current database, or of another one. None: there is none of the name.
    fn partition_function(
        &self,
        _database: Option<&str>,
        _name: &str,
    ) -> Result<Option<Arc<PartitionFunctionDef>>, SqlError> {
        Ok(None)
    }

    /// What OPENROWSET(BULK ...) names as FORMATFILE. 4834, 4860, 4861
    fn format_file(&self, path: &str) -> Result<Vec<u8>, SqlError> {
        Err(types::sql_error!(4860, path))
    }

    /// None: there is no such database.
    fn database_name(&self, _database: DatabaseId) -> Option<Box<str>> {
        None
    }

    /// Whether calls of scalar functions are inlined, at this level of compatibility, or else at the current database's.
    fn inlines_functions(&self, _level: Option<u32>) -> bool {
        false
    }

    /// Bytes of stack that binding may still use: what it asks before it goes deeper.
    fn stack_left(&self) -> usize {
        usize::MAX
    }

    /// Rows of the table now, as far as this is better known than when `table` was read.
    fn row_count(&self, table: &TableDef) -> u64 {
        table.row_count
    }

    /// What is known of the values of a table's columns; made first where that is due. A plan without a choice does not ask.
    fn statistics(&self, _table: &Arc<TableDef>, _wanted: &[Wanted]) -> TableStatistics {
        TableStatistics::default()
    }

    /// The values of the column `given`, as parts of a key, in rows that pass all tests: a table of so few rows is read for it. None: somebody
    /// changes its definition.
    fn keys_where(&self, _table: &Arc<TableDef>, _tests: &mut [ColumnTest<'_>], _given: u16) -> Option<Vec<Box<[u8]>>> {
        None
    }

    /// Of rows of some leaves, how many have one of the `keys` in the column `joined`, and how many of these pass all tests. `keys` are in order.
    fn met(
        &self,
        _table: &Arc<TableDef>,
        _tests: &mut [ColumnTest<'_>],
        _joined: u16,
        _keys: &[Box<[u8]>],
    ) -> Option<Met> {
        None
    }

    /// Of `@@SPID`.
    fn session_number_type(&self) -> SqlType {
        SqlType::SMALLINT
    }

    /// Collation of the current database: what a string literal or variable has.
    fn collation(&self) -> CollationId;
}
