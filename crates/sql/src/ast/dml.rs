//! INSERT, UPDATE, DELETE, MERGE, TRUNCATE and the bulk forms.

use super::{AssignOp, ColumnName, CursorName, DataType, Execute, ExecuteString, Expr, Ident, ObjectName, OrderItem};
use super::{Query, QueryHint, SelectItem, Setting, TableHint, TableRef, Top, Variable, With};

/// What a statement changes.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A table, a view, or an alias of the FROM clause.
    Table {
        name: ObjectName,
        hints: Vec<TableHint>,
    },
    Variable(Variable),
    /// OPENQUERY, OPENROWSET, a table-valued function.
    Function(Box<TableRef>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Insert {
    pub with: Option<Box<With>>,
    pub top: Option<Box<Top>>,
    pub target: Target,
    /// Empty: all of them, in their order.
    pub columns: Vec<ColumnName>,
    pub output: Option<Box<Output>>,
    pub source: InsertSource,
    pub options: Vec<QueryHint>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum InsertSource {
    /// A value may be `Expr::Default`.
    Values(Vec<Vec<Expr>>),
    Query(Box<Query>),
    Execute(Box<Execute>),
    ExecuteString(Box<ExecuteString>),
    DefaultValues,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// `OUTPUT items INTO target (columns)`
    pub into: Option<OutputInto>,
    /// `OUTPUT items` to the client; both lists may be there.
    pub items: Vec<SelectItem>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct OutputInto {
    pub items: Vec<SelectItem>,
    pub target: Target,
    pub columns: Vec<Ident>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    pub with: Option<Box<With>>,
    pub top: Option<Box<Top>>,
    pub target: Target,
    pub set: Vec<SetClause>,
    pub output: Option<Box<Output>>,
    pub from: Vec<TableRef>,
    pub filter: Option<Filter>,
    pub options: Vec<QueryHint>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SetClause {
    /// `column = value`, `column += value`; value may be `Expr::Default`.
    Column { column: ColumnName, op: AssignOp, value: Expr },
    /// `@v = value`, `@v += value`
    Variable { variable: Variable, op: AssignOp, value: Expr },
    /// `@v = column = value`, `@v = column += value`
    VariableColumn { variable: Variable, column: ColumnName, op: AssignOp, value: Expr },
    /// `column.WRITE(value, offset, length)` and other mutators: `column.method(args)`
    Method { column: ColumnName, method: Ident, args: Vec<Expr> },
}

#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    Where(Expr),
    CurrentOf(CursorName),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Delete {
    pub with: Option<Box<With>>,
    pub top: Option<Box<Top>>,
    pub target: Target,
    pub output: Option<Box<Output>>,
    pub from: Vec<TableRef>,
    pub filter: Option<Filter>,
    pub options: Vec<QueryHint>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Merge {
    pub with: Option<Box<With>>,
    pub top: Option<Box<Top>>,
    pub target: Target,
    pub alias: Option<Ident>,
    pub source: TableRef,
    pub on: Expr,
    pub clauses: Vec<MergeClause>,
    pub output: Option<Box<Output>>,
    pub options: Vec<QueryHint>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct MergeClause {
    pub when: MergeWhen,
    /// `AND condition`
    pub condition: Option<Expr>,
    pub action: MergeAction,
    pub line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeWhen {
    Matched,
    /// `NOT MATCHED [BY TARGET]`
    NotMatchedByTarget,
    NotMatchedBySource,
}

#[derive(Debug, Clone, PartialEq)]
pub enum MergeAction {
    Update(Vec<SetClause>),
    Delete,
    Insert { columns: Vec<ColumnName>, values: Vec<Expr> },
    InsertDefaultValues,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Truncate {
    pub table: ObjectName,
    /// `WITH (PARTITIONS (2, 4 TO 6))`
    pub partitions: Vec<(Expr, Option<Expr>)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct BulkInsert {
    pub table: ObjectName,
    pub file: Expr,
    pub options: Vec<Setting>,
    pub order: Vec<OrderItem>,
}

/// `INSERT BULK t (column type, ...)`: what a client sends before a TDS bulk load.
#[derive(Debug, Clone, PartialEq)]
pub struct InsertBulk {
    pub table: ObjectName,
    pub columns: Vec<InsertBulkColumn>,
    pub options: Vec<Setting>,
    pub order: Vec<OrderItem>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct InsertBulkColumn {
    pub name: Ident,
    /// None: the type of the table's column (`timestamp` without a type).
    pub data_type: Option<DataType>,
    pub collation: Option<Ident>,
    pub null: Option<bool>,
}
