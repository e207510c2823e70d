//! The operators of a query: each makes rows from its inputs' rows.

use std::sync::Arc;

use types::SqlType;

use super::expr::{CompareOp, Expr, OuterSlot};
use super::statement::{ForFormat, Modify, VariableSlotTable};
use crate::catalog::{ModuleDef, TableDef, VirtualTableDef};

#[derive(Debug, Clone)]
pub struct Operator {
    pub kind: OperatorKind,
    /// What a row of this operator holds.
    pub columns: Vec<OutputColumn>,
    /// The planner's guess.
    pub rows: f64,
}

#[derive(Debug, Clone)]
pub struct OutputColumn {
    /// Empty when the select list gives none.
    pub name: Box<str>,
    pub ty: SqlType,
    pub nullable: bool,
    /// Base column it comes from, for the flags of COLMETADATA and browse mode.
    pub origin: Option<ColumnOrigin>,
    /// An expression of the outermost select list, neither an aggregate nor a column of whatever is below; or such an expression of a view.
    pub computed: bool,
    /// A view's that is of no table, or computed there: if it is no expression of the view, clients are told of it as of a table's.
    pub of_view: bool,
    pub sorted: Option<SortedBy>,
    /// It is of no query: a driver's cursor says in it whether the row is still there.
    pub row_status: bool,
}

/// Where a column of a result stands in its ORDER BY.
#[derive(Debug, Clone, Copy)]
pub struct SortedBy {
    /// From 0, in a list of `of`: the others may be of no column.
    pub at: u16,
    pub of: u16,
    pub descending: bool,
}

impl Operator {
    /// What SELECT without FROM gives.
    pub fn only_row(&self) -> Option<&[Expr]> {
        match &self.kind {
            OperatorKind::Project { input, exprs } => input.only_row().map(|_| exprs.as_slice()),
            OperatorKind::Values(rows) => rows.first().filter(|_| rows.len() == 1).map(Vec::as_slice),
            _ => None,
        }
    }
}

impl OutputColumn {
    /// A key's column that the select list has not.
    pub fn is_hidden(&self) -> bool {
        self.origin.as_ref().and_then(|origin| origin.told.as_ref()).is_some_and(|told| told.hidden)
    }

    /// Of a result that no query makes.
    pub fn plain(name: &str, ty: SqlType, nullable: bool) -> OutputColumn {
        OutputColumn {
            name: name.into(),
            ty,
            nullable,
            origin: None,
            computed: false,
            of_view: false,
            sorted: None,
            row_status: false,
        }
    }
}

#[derive(Debug, Clone)]
pub struct ColumnOrigin {
    pub table: Arc<TableDef>,
    /// Which of the tables that the query names: it may name one several times.
    pub place: u32,
    pub column: u16,
    /// The client asked where columns come from (FOR BROWSE, SET NO_BROWSETABLE ON, a driver's cursor).
    pub told: Option<ToldOrigin>,
}

/// What a client that asked is told of a base column.
#[derive(Debug, Clone)]
pub struct ToldOrigin {
    /// Parts of the table's name, as they find it from the current database.
    pub table: Arc<[Box<str>]>,
    /// Part of the key that rows are found again by.
    pub key: bool,
    /// Not in the select list: added for the key's sake.
    pub hidden: bool,
}

#[derive(Debug, Clone)]
pub enum OperatorKind {
    Scan(Box<Scan>),
    /// Rows of a DMV; `arguments` for table-valued system functions.
    Virtual {
        table: Arc<VirtualTableDef>,
        columns: Vec<u16>,
        arguments: Vec<Expr>,
    },
    /// Rows of a table-valued built-in: STRING_SPLIT, OPENJSON, GENERATE_SERIES.
    TableFunction {
        function: TableFunction,
        arguments: Vec<Expr>,
    },
    /// Rows of a multi-statement table-valued function.
    UserTableFunction {
        module: Arc<ModuleDef>,
        arguments: Vec<Expr>,
    },
    /// A row for each list. One row with no columns: SELECT without FROM.
    Values(Vec<Vec<Expr>>),
    Filter {
        input: Box<Operator>,
        predicate: Expr,
    },
    Project {
        input: Box<Operator>,
        exprs: Vec<Expr>,
    },
    NestedLoops(Box<NestedLoops>),
    HashJoin(Box<HashJoin>),
    /// Groups by `group` (expressions over the input), then computes `aggregates`. A row holds the groups, then the aggregates.
    /// Without `group` there is exactly one row. DISTINCT is an aggregate without aggregates.
    Aggregate {
        input: Box<Operator>,
        group: Vec<Expr>,
        aggregates: Vec<Aggregate>,
        strategy: GroupStrategy,
    },
    /// Repeats the grouping for each set (indexes into `group`); columns outside the set are NULL. Ends with a grouping-id column:
    /// bigint, a bit for each group, set when the group is not in the set; the first group has the highest bit.
    GroupingSets {
        input: Box<Operator>,
        group: Vec<Expr>,
        sets: Vec<Vec<usize>>,
        aggregates: Vec<Aggregate>,
    },
    /// `limit`: only the first so many rows are wanted (top-N sort).
    Sort {
        input: Box<Operator>,
        keys: Vec<SortKey>,
        limit: Option<Expr>,
    },
    Top(Box<Top>),
    /// UNION ALL. All inputs have the columns' types.
    Concat(Vec<Operator>),
    /// EXCEPT and INTERSECT: distinct rows of `left` that are not, or are, in `right`.
    SetOperation {
        left: Box<Operator>,
        right: Box<Operator>,
        intersect: bool,
    },
    /// Appends a column for each function. Input arrives sorted by partition, then order.
    Window {
        input: Box<Operator>,
        partition: Vec<Expr>,
        order: Vec<SortKey>,
        functions: Vec<WindowFunction>,
    },
    /// Recursive CTE: rows of `anchor`, then of `recursive` over the last round's rows until there are none.
    Recursive {
        anchor: Box<Operator>,
        recursive: Box<Operator>,
        work_table: u32,
        rounds_max: u32,
    },
    /// The last round's rows, within `recursive`.
    WorkTable(u32),
    /// Reads its input to the end before it gives a row (Halloween protection), or keeps it for rescans.
    Spool(Box<Operator>),
    /// Rows of an input that depends on nothing outside, of which each opening gives those with the keys that the outer row asks for.
    IndexSpool(Box<IndexSpool>),
    /// Rows that several places of a query ask for.
    Shared(Box<Shared>),
    /// The query around such: it lets go of their rows when it ends. `count`: how many there are.
    Sharing {
        input: Box<Operator>,
        count: u32,
    },
    /// A data modification with OUTPUT as a row source.
    Modify(Box<Modify>),
    /// FOR XML or FOR JSON in a subquery: one row with one nvarchar(max) column, NULL when the input has no rows.
    ForText {
        input: Box<Operator>,
        format: ForFormat,
    },
}

/// Who is first reads the input to its end and puts its rows aside; `number` says which rows these are.
#[derive(Debug, Clone)]
pub struct Shared {
    pub input: Operator,
    pub number: u32,
}

#[derive(Debug, Clone)]
pub struct IndexSpool {
    pub input: Operator,
    /// A value of the input's row, and what it must be equal to, a value of the outer row.
    pub keys: Vec<(Expr, Expr)>,
    /// Rows of one key are kept in an order.
    pub range: Option<SpoolRange>,
    /// The same as one test of the input's row.
    pub predicate: Expr,
}

/// An order in which an index spool keeps the rows of a key, and what an outer row asks of its first value. A NULL is within no bounds.
#[derive(Debug, Clone)]
pub struct SpoolRange {
    pub order: Vec<SortKey>,
    /// Of the first value in `order`, whichever way that goes.
    pub lower: Option<(Expr, Bound)>,
    pub upper: Option<(Expr, Bound)>,
    /// Who reads the spool relies on the order.
    pub ordered: bool,
}

#[derive(Debug, Clone)]
pub struct Scan {
    pub table: TableSource,
    /// `IndexDef::id`; 0 reads a heap.
    pub index: u32,
    /// Which of `TableDef::columns` a row holds, in this order (never a computed column that is not stored).
    pub columns: Vec<u16>,
    /// A last column of class Bytes holds the row's locator, for UPDATE and DELETE.
    pub locator: bool,
    /// Bounds on a prefix of the index key. None: the whole index.
    pub range: Option<SeekRange>,
    /// Bounds on the partitioning column of a partitioned table: only partitions that may have rows within are read. None: all.
    pub partitions: Option<Box<SeekRange>>,
    pub backward: bool,
    /// Over the row's columns; tested before the row is given out.
    pub residual: Option<Expr>,
    /// The base row is fetched by locator: `index` is nonclustered and does not cover `columns`.
    pub lookup: bool,
    pub lock: LockHint,
}

#[derive(Debug, Clone)]
pub enum TableSource {
    Base(Arc<TableDef>),
    Variable(VariableSlotTable, Arc<TableDef>),
    /// `inserted` and `deleted` in a trigger.
    Inserted(Arc<TableDef>),
    Deleted(Arc<TableDef>),
    /// Only as a target: a view whose INSTEAD OF triggers take what is done to it. The table has the view's columns and triggers.
    View(Arc<TableDef>),
}

impl TableSource {
    /// The same table, which no trigger makes.
    pub fn is_same(&self, other: &TableSource) -> bool {
        match (self, other) {
            (TableSource::Base(a), TableSource::Base(b)) => a.object == b.object && a.database == b.database,
            (TableSource::Variable(a, _), TableSource::Variable(b, _)) => a == b,
            _ => false,
        }
    }
}

/// `equal[i]` fixes key column i; then the bounds are on key column `equal.len()`. Values do not depend on the scan's own row.
/// A value that is NULL matches no row. Values are of the key column's kind and scale; an integer may be of a narrower kind,
/// a string or binary longer or shorter than the column (char and nchar values have the column's length).
#[derive(Debug, Clone)]
pub struct SeekRange {
    pub equal: Vec<Expr>,
    pub lower: Option<(Expr, Bound)>,
    pub upper: Option<(Expr, Bound)>,
    /// `col IN (..)`: a seek for each value of the key column after `equal`, in key order without duplicates.
    pub any_of: Vec<Expr>,
}

impl SeekRange {
    /// Of `equal`, then the lower bound's and the upper one's.
    pub fn values(&self) -> impl Iterator<Item = &Expr> {
        self.equal.iter().chain(self.lower.iter().chain(&self.upper).map(|(value, _)| value))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    Inclusive,
    Exclusive,
    /// Of a lower bound without an upper one: the value is a pattern of LIKE, and keys begin with what stands in it before the first
    /// wildcard. A key within need not match.
    Pattern,
}

/// Table hints, as far as they change what the scan does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LockHint {
    pub no_lock: bool,
    pub update: bool,
    pub exclusive: bool,
    /// UPDLOCK: locks of rows stay to the end of the transaction.
    pub keep: bool,
    pub hold: bool,
    pub read_past: bool,
    pub no_wait: bool,
    pub table: bool,
    /// SNAPSHOT, of a memory-optimized table.
    pub snapshot: bool,
    /// `hold` comes from REPEATABLEREAD: a memory-optimized table makes a difference.
    pub repeatable: bool,
    /// READCOMMITTED: as under that level, whatever the transaction's is.
    pub committed: bool,
    /// READCOMMITTEDLOCK: the same, and what is committed now even where READ_COMMITTED_SNAPSHOT is on.
    pub committed_now: bool,
    /// For an indexed view: what its own statement has done is seen.
    pub own: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinKind {
    Inner,
    LeftOuter,
    FullOuter,
    /// Rows of the left that have a match; a row holds the left's columns only.
    Semi,
    Anti,
}

/// For each row of `outer`: `bindings` are put aside, `inner` runs. Rows are the outer's columns, then the inner's.
#[derive(Debug, Clone)]
pub struct NestedLoops {
    pub outer: Operator,
    pub inner: Operator,
    pub kind: JoinKind,
    pub bindings: Vec<(OuterSlot, usize)>,
    /// Over the joined row (outer's columns, then inner's).
    pub predicate: Option<Expr>,
}

/// `build` is read into a hash table first. Rows are the left's columns, then the right's. Semi, Anti and outer joins build the
/// right. `keys` is empty only for FullOuter without an equality: every pair is tested.
#[derive(Debug, Clone)]
pub struct HashJoin {
    pub left: Operator,
    pub right: Operator,
    pub build_left: bool,
    pub kind: JoinKind,
    /// Pairs of one type: over the left's row, over the right's row.
    pub keys: Vec<(Expr, Expr)>,
    /// Of each pair: NULL is equal to NULL, as IS NOT DISTINCT FROM has it.
    pub nulls_meet: Vec<bool>,
    pub residual: Option<Expr>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupStrategy {
    Hash,
    /// Input arrives sorted by the groups.
    Stream,
}

#[derive(Debug, Clone)]
pub struct Aggregate {
    pub function: AggregateFunction,
    /// None: COUNT(*). STRING_AGG: value, then separator in `extra`. Percentiles: what WITHIN GROUP orders by.
    pub argument: Option<Expr>,
    pub extra: Vec<Expr>,
    /// WITHIN GROUP (ORDER BY ...).
    pub order: Vec<SortKey>,
    pub distinct: bool,
    /// Nobody wants to hear of the NULLs that it passes over: those of PIVOT are other columns' rows.
    pub quiet: bool,
    pub ty: SqlType,
}

impl Aggregate {
    /// The same of the same rows.
    pub fn is_same(&self, other: &Aggregate) -> bool {
        let argument = match (&self.argument, &other.argument) {
            (None, None) => true,
            (Some(a), Some(b)) => a.same(b) && !a.is_volatile(),
            _ => false,
        };
        self.function == other.function
            && self.distinct == other.distinct
            && argument
            && self.extra.len() == other.extra.len()
            && self.extra.iter().zip(&other.extra).all(|(a, b)| a.same(b))
            && self.order.is_empty()
            && other.order.is_empty()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AggregateFunction {
    Count,
    CountBig,
    Sum,
    Avg,
    Min,
    Max,
    StDev,
    StDevP,
    Var,
    VarP,
    StringAgg,
    ChecksumAgg,
    Product,
    ApproxCountDistinct,
    /// Of the value of WITHIN GROUP; which part of the group is in `extra`.
    ApproxPercentileCont,
    ApproxPercentileDisc,
    /// UnionAggregate and its kin, by `spatial::method::Signature::number`.
    Shapes(i32),
}

#[derive(Debug, Clone)]
pub struct SortKey {
    pub expr: Expr,
    pub descending: bool,
}

#[derive(Debug, Clone)]
pub struct Top {
    pub input: Operator,
    /// Of type bigint, or float for PERCENT. None: OFFSET without FETCH.
    pub count: Option<Expr>,
    pub percent: bool,
    /// WITH TIES compares these over the row.
    pub ties: Vec<SortKey>,
    pub offset: Option<Expr>,
}

#[derive(Debug, Clone)]
pub struct WindowFunction {
    pub function: WindowKind,
    pub arguments: Vec<Expr>,
    pub frame: Frame,
    pub ty: SqlType,
    /// FIRST_VALUE, LAST_VALUE, LAG, LEAD: rows whose value is NULL are passed over.
    pub ignore_nulls: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowKind {
    RowNumber,
    Rank,
    DenseRank,
    Ntile,
    PercentRank,
    CumeDist,
    Lag,
    Lead,
    FirstValue,
    LastValue,
    PercentileCont,
    PercentileDisc,
    Aggregate(AggregateFunction),
}

impl WindowKind {
    /// It tells places of rows in their order: errors about it have states of their own.
    pub fn ranks(self) -> bool {
        use WindowKind::{CumeDist, DenseRank, Ntile, PercentRank, Rank, RowNumber};
        matches!(self, RowNumber | Rank | DenseRank | Ntile | PercentRank | CumeDist)
    }
}

#[derive(Debug, Clone)]
pub struct Frame {
    /// ROWS, else RANGE.
    pub rows: bool,
    pub start: FrameBound,
    pub end: FrameBound,
}

#[derive(Debug, Clone)]
pub enum FrameBound {
    UnboundedPreceding,
    Preceding(u64),
    CurrentRow,
    Following(u64),
    UnboundedFollowing,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TableFunction {
    StringSplit,
    /// OPENROWSET(BULK ...)
    Bulk(std::sync::Arc<super::bulk::BulkFile>),
    /// Text, pattern, flags.
    RegexpMatches,
    RegexpSplit,
    GenerateSeries,
    /// Without WITH: key, value, type.
    OpenJson,
    /// (path, as_json) a column.
    OpenJsonWith(Vec<(Box<str>, bool)>),
    /// Value, text, prefixes, and what the text asks of SQL: see `bind::xml`.
    XmlNodes,
    /// Without columns: the edge table.
    OpenXml(Vec<OpenXmlColumn>),
}

/// A column of OPENXML's WITH clause; the function gives its text.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenXmlColumn {
    pub name: Box<str>,
    pub pattern: Option<Box<str>>,
    pub is_xml: bool,
}

/// For planners' and printers' convenience.
impl CompareOp {
    /// The operator with its operands exchanged.
    pub fn swapped(self) -> CompareOp {
        match self {
            CompareOp::Less => CompareOp::Greater,
            CompareOp::LessOrEqual => CompareOp::GreaterOrEqual,
            CompareOp::Greater => CompareOp::Less,
            CompareOp::GreaterOrEqual => CompareOp::LessOrEqual,
            same => same,
        }
    }

    /// Whether it holds of two values in this order.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            CompareOp::Equal => order.is_eq(),
            CompareOp::NotEqual => order.is_ne(),
            CompareOp::Less => order.is_lt(),
            CompareOp::LessOrEqual => order.is_le(),
            CompareOp::Greater => order.is_gt(),
            CompareOp::GreaterOrEqual => order.is_ge(),
        }
    }
}
