//! SELECT: queries, what stands in FROM, and the clauses behind.

use super::{ColumnName, DataType, Expr};
use super::{Ident, ObjectName, Over, Setting, Statement, Variable};

/// A query expression with everything that may surround it. Which parts a place permits (ORDER BY in a view, INTO in
/// a subquery) is checked by the binder, that has the messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    pub with: Option<Box<With>>,
    pub body: QueryBody,
    pub order_by: Vec<OrderItem>,
    /// `OFFSET n ROWS`
    pub offset: Option<Expr>,
    /// `FETCH NEXT n ROWS ONLY`
    pub fetch: Option<Expr>,
    pub for_clause: Option<Box<ForClause>>,
    pub options: Vec<QueryHint>,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct With {
    pub ctes: Vec<Cte>,
    /// `WITH XMLNAMESPACES ('uri' AS prefix, DEFAULT 'uri')`
    pub xml_namespaces: Vec<XmlNamespace>,
    /// `WITH CHANGE_TRACKING_CONTEXT (...)`
    pub change_tracking_context: Option<Expr>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct XmlNamespace {
    pub uri: Box<str>,
    /// None: DEFAULT.
    pub prefix: Option<Ident>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Cte {
    pub name: Ident,
    pub columns: Vec<Ident>,
    pub query: Query,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum QueryBody {
    Select(Box<Select>),
    /// `(query)` as an operand of a set operation; ORDER BY inside is possible only with TOP or OFFSET.
    Nested(Box<Query>),
    SetOperation(Box<SetOperation>),
}

/// A row of set operators from left to right. INTERSECT binds tighter: then an operand is itself a `SetOperation`.
#[derive(Debug, Clone, PartialEq)]
pub struct SetOperation {
    pub first: QueryBody,
    /// One or more.
    pub rest: Vec<(SetOperator, QueryBody)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetOperator {
    Union,
    UnionAll,
    Except,
    Intersect,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Select {
    pub distinct: bool,
    pub top: Option<Box<Top>>,
    pub items: Vec<SelectItem>,
    pub into: Option<Box<IntoTable>>,
    /// The comma list.
    pub from: Vec<TableRef>,
    pub filter: Option<Expr>,
    pub group_by: Option<Box<GroupBy>>,
    pub having: Option<Expr>,
    /// `WINDOW w AS (...)`
    pub windows: Vec<(Ident, Over)>,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Top {
    pub count: Expr,
    pub percent: bool,
    pub with_ties: bool,
    /// TOP 10 without parentheses (not permitted outside SELECT).
    pub bare: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct IntoTable {
    pub table: ObjectName,
    /// `ON filegroup`
    pub filegroup: Option<Ident>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SelectItem {
    /// `*` or `t.*`
    Star { table: Option<Box<ObjectName>>, line: u32 },
    /// `x AS a`, `x a`, `a = x`, `'a' = x` are all the same; `line` is the expression's.
    Expr { expr: Expr, alias: Option<Ident>, line: u32 },
    /// `@a = x`, `@a += x`
    Assign { variable: Variable, op: AssignOp, value: Expr },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssignOp {
    Set,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    BitAnd,
    BitOr,
    BitXor,
    /// `||=`
    Concat,
}

#[derive(Debug, Clone, PartialEq)]
pub struct GroupBy {
    /// GROUP BY ALL
    pub all: bool,
    pub items: Vec<GroupItem>,
    /// The old `WITH ROLLUP`, `WITH CUBE` behind the list.
    pub with: Option<OldGrouping>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OldGrouping {
    Rollup,
    Cube,
}

#[derive(Debug, Clone, PartialEq)]
pub enum GroupItem {
    Expr(Expr),
    /// `(a, b)` as one element; empty is `()`, the grand total.
    Set(Vec<Expr>),
    Rollup(Vec<GroupItem>),
    Cube(Vec<GroupItem>),
    GroupingSets(Vec<GroupItem>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct OrderItem {
    pub expr: Expr,
    pub descending: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TableRef {
    Table(Box<TableName>),
    /// `@t AS a`
    Variable(Box<TableVariable>),
    Function(Box<TableFunction>),
    /// `(SELECT ...) AS a (columns)`
    Derived(Box<DerivedTable>),
    /// `(VALUES (...), (...)) AS a (columns)`
    Values(Box<ValuesTable>),
    /// `(UPDATE ... OUTPUT ...) AS a`: only as the source of INSERT.
    Dml(Box<DmlTable>),
    /// Tables joined from left to right; parentheses make a chain inside a chain.
    Join(Box<JoinChain>),
    Pivot(Box<Pivot>),
    Unpivot(Box<Unpivot>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct TableName {
    pub name: ObjectName,
    pub alias: Option<Ident>,
    pub hints: Vec<TableHint>,
    pub sample: Option<Box<TableSample>>,
    /// `FOR SYSTEM_TIME ...`
    pub system_time: Option<Box<SystemTime>>,
    /// `OPENDATASOURCE('provider', 'string').` before the name.
    pub data_source: Option<Box<(Expr, Expr)>>,
}

/// `TABLESAMPLE [SYSTEM] (n PERCENT | ROWS) [REPEATABLE (seed)]`
#[derive(Debug, Clone, PartialEq)]
pub struct TableSample {
    pub count: Expr,
    /// ROWS, else PERCENT (which is also what no word means).
    pub rows: bool,
    pub seed: Option<Expr>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SystemTime {
    All,
    AsOf(Expr),
    FromTo(Expr, Expr),
    BetweenAnd(Expr, Expr),
    ContainedIn(Expr, Expr),
}

#[derive(Debug, Clone, PartialEq)]
pub struct TableVariable {
    pub variable: Variable,
    pub alias: Option<Ident>,
    pub hints: Vec<TableHint>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TableHint {
    /// A hint of one word, in capitals: NOLOCK, UPDLOCK, HOLDLOCK, FORCESEEK ...
    Word(Box<str>),
    /// `INDEX (a, 1)`, `INDEX = a`
    Index(Vec<IndexReference>),
    /// `FORCESEEK (index (columns))`
    ForceSeek { index: IndexReference, columns: Vec<Ident> },
    /// `SPATIAL_WINDOW_MAX_CELLS = n`
    SpatialWindowMaxCells(Expr),
}

#[derive(Debug, Clone, PartialEq)]
pub enum IndexReference {
    Name(Ident),
    Id(i32),
}

#[derive(Debug, Clone, PartialEq)]
pub struct TableFunction {
    pub kind: TableFunctionKind,
    pub alias: Option<Ident>,
    pub columns: Vec<Ident>,
    pub hints: Vec<TableHint>,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TableFunctionKind {
    /// User functions and those of the server (STRING_SPLIT, sys.dm_...), also `t.column.nodes('...')`, and the rare
    /// ones whose arguments are ordinary (OPENQUERY, CONTAINSTABLE with names as columns).
    Call { name: ObjectName, args: Vec<Expr> },
    /// `@x.nodes('...')`
    Method { target: Expr, name: Ident, args: Vec<Expr> },
    /// `OPENJSON(text [, path]) [WITH (...)]`
    OpenJson { text: Expr, path: Option<Expr>, schema: Option<Vec<OpenColumn>> },
    /// `OPENXML(handle, pattern [, flags]) [WITH (...) | WITH table]`
    OpenXml { handle: Expr, pattern: Expr, flags: Option<Expr>, schema: OpenXmlSchema },
    /// `OPENROWSET(BULK 'file', ...) [WITH (...)]`
    OpenRowsetBulk {
        files: Vec<Expr>,
        options: Vec<Setting>,
        order: Vec<OrderItem>,
        unique: bool,
        schema: Vec<OpenColumn>,
    },
    /// `OPENROWSET('provider', 'string' | 'a';'b';'c', 'query' | name)`
    OpenRowset { args: Vec<Expr>, object: Option<Box<ObjectName>> },
    /// `CHANGETABLE(CHANGES t, version [, FORCESEEK])`, `CHANGETABLE(VERSION t, (keys), (values))`
    ChangeTable { table: ObjectName, changes_since: Option<Expr>, key_columns: Vec<Ident>, key_values: Vec<Expr> },
    /// `CONTAINSTABLE(t, columns, condition [, LANGUAGE l] [, top])`, `FREETEXTTABLE`
    FullText {
        free: bool,
        table: ObjectName,
        columns: Vec<Ident>,
        condition: Expr,
        language: Option<Expr>,
        top: Option<Expr>,
    },
}

/// A column of the WITH clause of OPENJSON, OPENXML and OPENROWSET.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenColumn {
    pub name: Ident,
    pub data_type: DataType,
    pub collation: Option<Ident>,
    pub path: Option<Expr>,
    pub as_json: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum OpenXmlSchema {
    /// The edge table.
    None,
    Columns(Vec<OpenColumn>),
    Table(Box<ObjectName>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct DerivedTable {
    pub query: Query,
    pub alias: Ident,
    pub columns: Vec<Ident>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ValuesTable {
    pub rows: Vec<Vec<Expr>>,
    pub alias: Ident,
    pub columns: Vec<Ident>,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DmlTable {
    /// Insert, Update, Delete or Merge, with an OUTPUT clause.
    pub statement: Statement,
    pub alias: Ident,
    pub columns: Vec<Ident>,
}

/// `first [kind] JOIN right ON condition ...`
#[derive(Debug, Clone, PartialEq)]
pub struct JoinChain {
    pub first: TableRef,
    /// One or more.
    pub joins: Vec<Join>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Join {
    pub kind: JoinKind,
    pub hint: Option<JoinHint>,
    pub right: TableRef,
    /// None for CROSS JOIN and APPLY only.
    pub on: Option<Expr>,
    pub line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
    Cross,
    CrossApply,
    OuterApply,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinHint {
    Loop,
    Hash,
    Merge,
    Remote,
}

/// `source PIVOT (aggregate(value) FOR column IN (values)) AS alias`
#[derive(Debug, Clone, PartialEq)]
pub struct Pivot {
    pub source: TableRef,
    pub aggregate: ObjectName,
    pub argument: ColumnName,
    pub column: Ident,
    pub values: Vec<Ident>,
    pub alias: Ident,
    pub line: u32,
}

/// `source UNPIVOT (value FOR column IN (columns)) AS alias`
#[derive(Debug, Clone, PartialEq)]
pub struct Unpivot {
    pub source: TableRef,
    pub value: Ident,
    pub column: Ident,
    pub columns: Vec<Ident>,
    pub alias: Ident,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ForClause {
    Browse,
    Xml(ForXml),
    Json(ForJson),
    /// Cursors only: `FOR READ ONLY`, `FOR UPDATE [OF columns]`.
    ReadOnly,
    Update(Vec<Ident>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct ForXml {
    pub mode: XmlMode,
    /// RAW('row'), PATH('row')
    pub element: Option<Box<str>>,
    pub root: Option<Option<Box<str>>>,
    /// `ELEMENTS`: Some; `XSINIL` inside.
    pub elements: Option<XmlElements>,
    pub typed: bool,
    pub binary_base64: bool,
    /// `XMLSCHEMA ['uri']`
    pub schema: Option<Option<Box<str>>>,
    pub xml_data: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XmlMode {
    Raw,
    Auto,
    Explicit,
    Path,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XmlElements {
    Plain,
    XsiNil,
    Absent,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ForJson {
    /// PATH, else AUTO.
    pub path: bool,
    /// `ROOT` or `ROOT('name')`
    pub root: Option<Option<Box<str>>>,
    pub include_null_values: bool,
    pub without_array_wrapper: bool,
}

/// One entry of OPTION (...).
#[derive(Debug, Clone, PartialEq)]
pub enum QueryHint {
    /// Words in capitals: "RECOMPILE", "HASH JOIN", "FORCE ORDER", "KEEPFIXED PLAN", "OPTIMIZE FOR UNKNOWN" ...
    Words(Box<str>),
    /// "MAXDOP" 1, "FAST" 10, "MAXRECURSION" 0, "QUERYTRACEON" 8649, "MAX_GRANT_PERCENT" 10, "LABEL" 'x' ...
    Value(Box<str>, Expr),
    /// `OPTIMIZE FOR (@a = 1, @b UNKNOWN)`
    OptimizeFor(Vec<(Variable, Option<Expr>)>),
    /// `USE HINT ('a', 'b')`
    UseHint(Vec<Box<str>>),
    /// `USE PLAN N'<xml>'`
    UsePlan(Box<str>),
    /// `TABLE HINT (t, hints)`
    TableHint(Box<ObjectName>, Vec<TableHint>),
}
