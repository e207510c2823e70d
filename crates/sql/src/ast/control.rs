//! Control of flow, variables, settings, cursors, transactions, EXECUTE.

use super::{AssignOp, DataType, Expr, Ident, ObjectName, Query, Statement, TableDefinition, Variable};

/// `IF a x ELSE IF b y ELSE z` is one node with two branches: such chains get long.
#[derive(Debug, Clone, PartialEq)]
pub struct If {
    /// One or more.
    pub branches: Vec<IfBranch>,
    pub otherwise: Option<Statement>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct IfBranch {
    pub condition: Expr,
    pub then: Statement,
    /// Of its IF.
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct While {
    pub condition: Expr,
    pub body: Statement,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TryCatch {
    pub body: Vec<Statement>,
    pub handler: Vec<Statement>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Throw {
    pub number: Expr,
    pub message: Expr,
    pub state: Expr,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Raiserror {
    /// A message id, a string or a variable.
    pub message: Expr,
    /// In the old form `RAISERROR 50001 'text'` severity and state are 16 and 1 and `old_text` is there.
    pub severity: Expr,
    pub state: Expr,
    pub args: Vec<Expr>,
    pub old_text: Option<Expr>,
    pub log: bool,
    pub no_wait: bool,
    pub set_error: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum WaitFor {
    Delay(Expr),
    Time(Expr),
    /// `WAITFOR (RECEIVE ...), TIMEOUT n`: Service Broker.
    Broker {
        timeout: Option<Expr>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Execute {
    /// `EXEC @rc = ...`
    pub result: Option<Variable>,
    pub procedure: Procedure,
    pub args: Vec<Argument>,
    pub recompile: bool,
    pub result_sets: Option<ResultSets>,
    /// `{call p(...)}`
    pub odbc: bool,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Procedure {
    /// With the number of `p;2`.
    Name(ObjectName, Option<i32>),
    /// `EXEC @name`
    Variable(Variable),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// `@p = value`
    pub name: Option<Variable>,
    /// A constant, a variable, `Expr::Default`, or `Expr::Word` (a bare word is a string).
    pub value: Expr,
    pub output: bool,
}

/// `EXEC ('text' + @x [, args]) [AS USER = 'u'] [AT server]`
#[derive(Debug, Clone, PartialEq)]
pub struct ExecuteString {
    /// The operands of `+`: strings and variables.
    pub text: Vec<Expr>,
    pub args: Vec<Argument>,
    pub context: Option<ExecuteAs>,
    pub at: Option<Ident>,
    pub at_data_source: Option<Ident>,
    pub recompile: bool,
    pub result_sets: Option<ResultSets>,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ResultSets {
    Undefined,
    None,
    Sets(Vec<ResultSet>),
}

#[derive(Debug, Clone, PartialEq)]
pub enum ResultSet {
    Columns(Vec<ResultColumn>),
    /// `AS OBJECT t`, `AS TYPE t`
    Object(ObjectName),
    Type(ObjectName),
    ForXml,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ResultColumn {
    pub name: Ident,
    pub data_type: DataType,
    pub collation: Option<Ident>,
    pub null: Option<bool>,
}

/// `EXECUTE AS ...` as a statement and as a clause.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecuteAs {
    pub principal: ExecuteAsPrincipal,
    pub no_revert: bool,
    /// `WITH COOKIE INTO @v`
    pub cookie: Option<Variable>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ExecuteAsPrincipal {
    Caller,
    Owner,
    SelfUser,
    User(Expr),
    Login(Expr),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Declaration {
    /// `@x int = 1`; NOT NULL (`null` false) only in natively compiled modules.
    Scalar { variable: Variable, data_type: DataType, null: Option<bool>, value: Option<Expr> },
    /// `@t TABLE (...)`
    Table { variable: Variable, definition: Box<TableDefinition> },
    /// `@c CURSOR`
    Cursor { variable: Variable },
}

#[derive(Debug, Clone, PartialEq)]
pub struct SetVariable {
    pub variable: Variable,
    pub kind: SetVariableKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SetVariableKind {
    Value(AssignOp, Expr),
    /// `SET @c = CURSOR ... FOR SELECT ...`
    Cursor(Box<CursorDefinition>),
    /// `SET @x.modify('...')`, `SET @p.X = 1`
    Method {
        name: Ident,
        args: Vec<Expr>,
    },
    Property {
        name: Ident,
        op: AssignOp,
        value: Expr,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub enum SetOption {
    /// `SET a, b ON`: options in capitals ("NOCOUNT", "ANSI_NULLS", "SHOWPLAN_ALL" ...).
    Switch {
        options: Vec<Box<str>>,
        on: bool,
    },
    /// `SET STATISTICS IO, TIME ON`: "IO", "TIME", "XML", "PROFILE".
    Statistics {
        options: Vec<Box<str>>,
        on: bool,
    },
    /// `SET IDENTITY_INSERT t ON`
    IdentityInsert {
        table: ObjectName,
        on: bool,
    },
    Isolation(Isolation),
    /// `SET ROWCOUNT 10`, `SET LANGUAGE x`, `SET DATEFORMAT dmy`, `SET LOCK_TIMEOUT 10`, `SET TEXTSIZE n`,
    /// `SET DATEFIRST 7`, `SET DEADLOCK_PRIORITY LOW`, `SET QUERY_GOVERNOR_COST_LIMIT n`, `SET CONTEXT_INFO 0x..`,
    /// `SET FIPS_FLAGGER OFF`: name in capitals, a bare word is `Expr::Word`.
    Value {
        name: Box<str>,
        value: Expr,
    },
    /// `SET OFFSETS SELECT, FROM ON`
    Offsets {
        words: Vec<Box<str>>,
        on: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Snapshot,
    Serializable,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DeclareCursor {
    pub name: Ident,
    pub definition: CursorDefinition,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct CursorDefinition {
    /// LOCAL false, GLOBAL true
    pub global: Option<bool>,
    /// FORWARD_ONLY false, SCROLL true
    pub scroll: Option<bool>,
    pub kind: Option<CursorKind>,
    pub concurrency: Option<CursorConcurrency>,
    pub type_warning: bool,
    /// ISO form: `DECLARE c INSENSITIVE SCROLL CURSOR`
    pub insensitive: bool,
    /// The ISO form was used (options before the word CURSOR).
    pub iso: bool,
    /// FOR READ ONLY and FOR UPDATE [OF] are its `for_clause`. None only in a default value.
    pub query: Option<Box<Query>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CursorKind {
    Static,
    Keyset,
    Dynamic,
    FastForward,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CursorConcurrency {
    ReadOnly,
    ScrollLocks,
    Optimistic,
}

#[derive(Debug, Clone, PartialEq)]
pub enum CursorName {
    Name { name: Ident, global: bool },
    Variable(Variable),
}

#[derive(Debug, Clone, PartialEq)]
pub struct FetchCursor {
    pub direction: FetchDirection,
    pub cursor: CursorName,
    pub into: Vec<Variable>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FetchDirection {
    Next,
    Prior,
    First,
    Last,
    Absolute(Expr),
    Relative(Expr),
}

#[derive(Debug, Clone, PartialEq)]
pub enum TransactionName {
    Name(Ident),
    Variable(Variable),
}

#[derive(Debug, Clone, PartialEq)]
pub struct BeginTransaction {
    pub name: Option<TransactionName>,
    pub distributed: bool,
    /// `WITH MARK ['description']`
    pub mark: Option<Option<Expr>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CommitTransaction {
    pub name: Option<TransactionName>,
    /// COMMIT [WORK] without TRANSACTION
    pub work: bool,
    /// `WITH (DELAYED_DURABILITY = ON | OFF)`
    pub delayed_durability: Option<bool>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RollbackTransaction {
    pub name: Option<TransactionName>,
    pub work: bool,
}
