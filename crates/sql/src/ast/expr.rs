//! Expressions and predicates. One enum for both: the parser tells them apart by where they may stand.

use super::{DataType, Ident, ObjectName, OrderItem, Query, Span, Variable};

#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    Literal(Literal),
    Variable(Variable),
    /// `@@ROWCOUNT`: with both signs, as written. A declared variable may have such a name and then comes first.
    Global(Variable),
    /// Also `$IDENTITY`, `$ROWGUID`, `$ACTION`, `$PARTITION`-less pseudo-columns: name starts with `$` and is not quoted.
    Column(Box<ColumnName>),
    Unary(UnaryOp, Box<Expr>),
    /// A row of operators of the same precedence, from left to right: `a + b - c`, `a * b / c`.
    Arithmetic(Box<Arithmetic>),
    Compare(Box<Compare>),
    /// Two or more.
    And(Vec<Expr>),
    /// Two or more.
    Or(Vec<Expr>),
    Not(Box<Expr>),
    IsNull {
        operand: Box<Expr>,
        not: bool,
    },
    /// `a IS NOT DISTINCT FROM b` has `not`.
    IsDistinctFrom(Box<IsDistinctFrom>),
    Like(Box<Like>),
    Between(Box<Between>),
    InList(Box<InList>),
    InQuery(Box<InQuery>),
    Exists(Box<Query>),
    /// `a = ANY (SELECT ...)`
    Quantified(Box<Quantified>),
    Case(Box<Case>),
    Cast(Box<Cast>),
    Convert(Box<Convert>),
    Parse(Box<Parse>),
    /// Functions of every kind, also IIF, CHOOSE, COALESCE, NULLIF, aggregates and window functions.
    Call(Box<Call>),
    /// CURRENT_TIMESTAMP, CURRENT_USER and the others without parentheses.
    Niladic(Niladic),
    /// `@x.value('...', 'int')`, `f(x).g(y)`. A method of a column is a `Call` with a qualified name: only the binder
    /// can tell `schema.function(...)` from `column.method(...)`.
    Method(Box<Method>),
    /// `geography::Point(...)`, `hierarchyid::GetRoot()`, `type::Property`.
    StaticMethod(Box<StaticMethod>),
    Subquery(Box<Query>),
    Collate(Box<Expr>, Ident),
    AtTimeZone(Box<Expr>, Box<Expr>),
    NextValueFor(Box<NextValueFor>),
    /// `{d '...'}`, `{t '...'}`, `{ts '...'}`, `{guid '...'}`
    OdbcLiteral(OdbcKind, Box<str>),
    /// The keyword, where a value may be left to the column, the parameter or the function.
    Default,
    /// CONTAINS, FREETEXT.
    FullText(Box<FullText>),
    /// UPDATE(column), in a trigger.
    UpdateColumn(Ident),
    /// `MATCH(a-(b)->c)`: read to its end only.
    GraphMatch(Span),
    /// `CURSOR_STATUS`-free: a bare word where EXEC takes it for a string (`EXEC p abc`).
    Word(Ident),
}

/// Constants, already of the type SQL Server gives them.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    Null,
    /// Whole numbers to 2,147,483,647. Larger ones are decimal(p, 0), never bigint.
    Int(i32),
    Decimal(Box<DecimalLiteral>),
    /// With an exponent: `1e3`.
    Float(f64),
    /// `$1.5` (any of the currency signs), in 1/10,000.
    Money(i64),
    /// `national` is `N'...'`.
    String {
        text: Box<str>,
        national: bool,
    },
    /// `0x...`
    Binary(Box<[u8]>),
}

/// `precision` as SQL Server counts it: leading zeros are not digits, at least `scale` and at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecimalLiteral {
    pub unscaled: i128,
    pub precision: u8,
    pub scale: u8,
}

/// `column`, `table.column`, `schema.table.column` up to five parts.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnName {
    pub table: Option<Box<ObjectName>>,
    pub name: Ident,
    pub line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    Plus,
    Minus,
    BitNot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    Multiply,
    Divide,
    Modulo,
    Add,
    Subtract,
    BitAnd,
    BitOr,
    BitXor,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `||`
    Concat,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Arithmetic {
    pub first: Expr,
    /// One or more.
    pub rest: Vec<(BinaryOp, Expr)>,
    pub line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareOp {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Compare {
    pub op: CompareOp,
    pub left: Expr,
    pub right: Expr,
    /// `*=` and `=*` of SQL Server 2000 are refused by the parser; `!<` is `GreaterOrEqual`.
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct IsDistinctFrom {
    pub left: Expr,
    pub right: Expr,
    pub not: bool,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Like {
    pub operand: Expr,
    pub pattern: Expr,
    pub escape: Option<Expr>,
    pub not: bool,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Between {
    pub operand: Expr,
    pub low: Expr,
    pub high: Expr,
    pub not: bool,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct InList {
    pub operand: Expr,
    pub list: Vec<Expr>,
    pub not: bool,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct InQuery {
    pub operand: Expr,
    pub query: Query,
    pub not: bool,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Quantified {
    pub op: CompareOp,
    pub left: Expr,
    /// ALL, else ANY (SOME is ANY).
    pub all: bool,
    pub query: Query,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// `CASE operand WHEN value`, else `CASE WHEN predicate`.
    pub operand: Option<Expr>,
    pub whens: Vec<(Expr, Expr)>,
    pub otherwise: Option<Expr>,
    pub line: u32,
}

/// `CAST(operand AS type)`, `TRY_CAST`.
#[derive(Debug, Clone, PartialEq)]
pub struct Cast {
    pub operand: Expr,
    pub to: DataType,
    pub is_try: bool,
    pub line: u32,
}

/// `CONVERT(type, operand [, style])`, `TRY_CONVERT`.
#[derive(Debug, Clone, PartialEq)]
pub struct Convert {
    pub to: DataType,
    pub operand: Expr,
    pub style: Option<Expr>,
    pub is_try: bool,
    pub line: u32,
}

/// `PARSE(operand AS type [USING culture])`, `TRY_PARSE`.
#[derive(Debug, Clone, PartialEq)]
pub struct Parse {
    pub operand: Expr,
    pub to: DataType,
    pub culture: Option<Expr>,
    pub is_try: bool,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// LEFT, RIGHT, COALESCE and the like arrive here as ordinary unqualified names.
    pub name: ObjectName,
    pub args: Vec<Expr>,
    /// `COUNT(*)`, `COUNT_BIG(*)`, `CHECKSUM(*)`, `CHECKSUM_AGG`-like forms with a star; `args` is empty.
    pub star: bool,
    /// `COUNT(DISTINCT x)`
    pub distinct: bool,
    /// `{fn name(...)}`
    pub odbc: bool,
    /// Everything behind or inside the parentheses that is rare.
    pub extra: Option<Box<CallExtra>>,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct CallExtra {
    pub over: Option<Over>,
    /// `WITHIN GROUP (ORDER BY ...)`
    pub within_group: Vec<OrderItem>,
    /// `WITHIN GROUP (GRAPH PATH)`
    pub graph_path: bool,
    /// `IGNORE NULLS` (true), `RESPECT NULLS` (false)
    pub ignore_nulls: Option<bool>,
    /// `TRIM(LEADING 'x' FROM y)`: the arguments are then [characters, y], or [y] without characters.
    pub trim: Option<TrimSide>,
    /// `JSON_OBJECT('a': 1, 'b': 2)`: `args` alternate key and value.
    pub json_pairs: bool,
    /// `NULL ON NULL` (false), `ABSENT ON NULL` (true)
    pub absent_on_null: Option<bool>,
    /// `RETURNING json`, and the type of `IDENTITY(int, 1, 1)`
    pub returning: Option<DataType>,
    /// `JSON_ARRAYAGG(x ORDER BY y)`
    pub order_by: Vec<OrderItem>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrimSide {
    Both,
    Leading,
    Trailing,
    /// `TRIM('x' FROM y)`
    Unsaid,
}

/// `OVER (...)`, `OVER window`, and the definitions of the WINDOW clause.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Over {
    /// `OVER w` or `OVER (w ORDER BY ...)`
    pub window: Option<Ident>,
    pub partition_by: Vec<Expr>,
    pub order_by: Vec<OrderItem>,
    pub frame: Option<Frame>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    pub unit: FrameUnit,
    pub start: FrameBound,
    /// None: CURRENT ROW.
    pub end: Option<FrameBound>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameUnit {
    Rows,
    Range,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FrameBound {
    UnboundedPreceding,
    Preceding(Box<Expr>),
    CurrentRow,
    Following(Box<Expr>),
    UnboundedFollowing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Niladic {
    CurrentTimestamp,
    CurrentDate,
    CurrentTime,
    CurrentUser,
    SessionUser,
    SystemUser,
    User,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Method {
    pub target: Expr,
    pub name: Ident,
    /// None: a property (`@point.STX`).
    pub args: Option<Vec<Expr>>,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct StaticMethod {
    pub type_name: ObjectName,
    pub name: Ident,
    pub args: Option<Vec<Expr>>,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct NextValueFor {
    pub sequence: ObjectName,
    pub over_order_by: Vec<OrderItem>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OdbcKind {
    Date,
    Time,
    Timestamp,
    Guid,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FullText {
    /// FREETEXT, else CONTAINS.
    pub free: bool,
    /// Empty: `*`.
    pub columns: Vec<ColumnName>,
    /// `PROPERTY(column, 'name')`
    pub property: Option<Box<str>>,
    pub condition: Expr,
    pub language: Option<Expr>,
    pub line: u32,
}
