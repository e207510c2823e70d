//! Statements of a batch, procedure, function or trigger.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use types::SqlType;
use types::datetime::{DateFormat, LanguageId};

use super::expr::{Expr, VariableSlot};
use super::grant::GrantEstimate;
use super::named::{HasName, Named};
use super::operator::{Operator, OutputColumn, TableSource};
use crate::ast;
use crate::catalog::{DatabaseId, ObjectId, ObjectName, TableDef};
use crate::statistics::Watch;

/// Index of a table variable in its module's `table_variables`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VariableSlotTable(pub u32);

/// Index of a cursor variable in its module's `cursor_variables`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CursorSlot(pub u32);

/// Index into `Module::queries`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct QueryId(pub u32);

/// A bound batch or module body.
#[derive(Debug)]
pub struct Module {
    /// Parameters first, then the DECLAREs in order. A variable lives as long as the batch or call.
    pub variables: Named<Variable>,
    pub parameter_count: usize,
    pub table_variables: Named<TableVariable>,
    pub cursor_variables: Named<Box<str>>,
    /// Of the first of these, which are parameters, their place among all parameters.
    pub cursor_parameters: Vec<usize>,
    pub body: Vec<Statement>,
    /// Statements that need the catalog: bound when they first run.
    pub queries: Vec<QueryText>,
    /// Messages of binding that every execution repeats (a CONSTRAINT without a body).
    pub messages: Vec<types::SqlError>,
    /// SET PARSEONLY, the last of the text: it counts as soon as the text is read.
    pub parse_only: Option<bool>,
    /// What it was parsed from: spans of its statements are into it.
    pub text: std::sync::Arc<str>,
    pub executor: ExecutorSlot,
    /// The catalog version that the statements of a batch were checked at, all of them before the first ran. The server alone sets
    /// and reads it.
    pub checked: AtomicU64,
    pub kind: BodyKind,
    /// Of a trigger: its parent, the shape of `inserted` and `deleted`.
    pub trigger_table: Option<Arc<TableDef>>,
    /// Of a trigger: itself.
    pub trigger: Option<ObjectId>,
    /// Of the catalog: what it is there. None: a batch.
    pub object: Option<ObjectRef>,
    /// Of a natively compiled module: the block that its whole body is.
    pub atomic: Option<AtomicBlock>,
    /// Of a module in another schema than dbo: where names without a schema are looked for first.
    pub schema: Option<Box<str>>,
}

/// BEGIN ATOMIC WITH (...): all of the block or nothing of it, under settings that are the same for every session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtomicBlock {
    pub isolation: AtomicIsolation,
    pub language: LanguageId,
    /// 1 Monday to 7 Sunday.
    pub date_first: u8,
    pub date_format: DateFormat,
    pub delayed_durability: bool,
    /// Of BEGIN.
    pub line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtomicIsolation {
    Snapshot,
    RepeatableRead,
    Serializable,
}

/// Of `Module::checked`.
pub const NEVER_CHECKED: u64 = u64::MAX;

/// What a module is the body of. RETURN with a value is for procedures (an int) and scalar functions (their type).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BodyKind {
    #[default]
    Batch,
    Procedure,
    ScalarFunction(SqlType),
    /// Its result is table variable 0.
    TableFunction,
    Trigger,
}

/// Where a layer above keeps what it made of a module or query, for the next run. Starts as `Default::default()` and is nobody
/// else's: `exec`'s in a module, the sink's in a query.
#[derive(Default)]
pub struct ExecutorSlot(pub OnceLock<Arc<dyn Any + Send + Sync>>);

impl fmt::Debug for ExecutorSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "ExecutorSlot(filled)" } else { "ExecutorSlot(empty)" })
    }
}

#[derive(Debug, Clone)]
pub struct Variable {
    /// With its @.
    pub name: Box<str>,
    pub ty: SqlType,
    /// OUTPUT parameter.
    pub output: bool,
    /// A parameter's default, a constant. None: the caller must give a value (201).
    pub default: Option<Expr>,
    /// Declared NOT NULL, in a natively compiled module: 11554.
    pub not_null: bool,
}

#[derive(Debug, Clone)]
pub struct TableVariable {
    pub name: Box<str>,
    pub table: Arc<TableDef>,
    /// A READONLY parameter of a table type: its position among the parameters.
    pub parameter: Option<usize>,
}

impl HasName for Variable {
    fn name(&self) -> &str {
        &self.name
    }
}

impl HasName for TableVariable {
    fn name(&self) -> &str {
        &self.name
    }
}

/// What the client that gets the rows wants to know of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Client {
    #[default]
    Plain,
    /// SET NO_BROWSETABLE ON: where the columns come from, and the keys of their tables.
    Browses,
    /// The text is a driver's cursor's: the same, and it may end with FOR UPDATE or FOR READ ONLY.
    Cursor,
}

/// A statement still to be bound, and its line.
#[derive(Debug)]
pub struct QueryText {
    pub statement: Arc<ast::Statement>,
    pub line: u32,
    /// SET ANSI_NULLS as it stands before the statement: of the batch, or of the module when it was made.
    pub ansi_nulls: bool,
    /// As SET NO_BROWSETABLE stands before the statement.
    pub client: Client,
    /// What it was bound to first, by a session that saw only what all sessions see. The server alone sets and reads it.
    pub bound: OnceLock<Arc<Query>>,
}

impl QueryText {
    pub fn new(statement: Arc<ast::Statement>, line: u32, ansi_nulls: bool, client: Client) -> QueryText {
        QueryText { statement, line, ansi_nulls, client, bound: OnceLock::new() }
    }
}

#[derive(Debug)]
pub struct Statement {
    pub line: u32,
    /// Of IF: up to where it ends with all that it may run.
    pub span: ast::Span,
    pub kind: StatementKind,
}

#[derive(Debug)]
pub enum StatementKind {
    /// SELECT, INSERT, UPDATE, DELETE, MERGE: bound on first run by `bind_query`.
    Query(QueryId),
    /// A definition or an administrative statement, run by the server from its tree.
    Definition(QueryId),
    /// DECLARE @v = e and SET @v = e where `e` needs no table (the others are queries).
    Assign {
        slot: VariableSlot,
        value: Expr,
    },
    /// DECLARE @t TABLE: empties the table variable once, at its first execution.
    DeclareTable(VariableSlotTable),
    /// IF and WHILE conditions with subqueries are queries of one row and one bit column.
    If {
        condition: Condition,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    While {
        condition: Condition,
        body: Vec<Statement>,
    },
    Break,
    Continue,
    Block(Vec<Statement>),
    /// A jump target of GOTO within the same statement list or an enclosing one.
    Label(u32),
    Goto(u32),
    Return(Option<Expr>),
    /// RETURN (SELECT ...) and the like in functions: a query of one row.
    ReturnQuery(QueryId),
    TryCatch {
        body: Vec<Statement>,
        handler: Vec<Statement>,
    },
    /// None: rethrow in a CATCH block.
    Throw(Option<[Expr; 3]>),
    Raiserror {
        message: Expr,
        severity: Expr,
        state: Expr,
        arguments: Vec<Expr>,
        log: bool,
        no_wait: bool,
        set_error: bool,
    },
    Print(Expr),
    Execute(Box<Execute>),
    BeginTransaction {
        name: Option<TransactionName>,
        /// WITH MARK, and its description.
        mark: Option<Option<TransactionName>>,
    },
    Commit {
        delayed_durability: Option<bool>,
    },
    Rollback {
        name: Option<TransactionName>,
    },
    Save(TransactionName),
    SetOption(SetOption),
    Use(Box<str>),
    WaitForDelay(Expr),
    WaitForTime(Expr),
    ExecuteAs(Box<ExecuteAs>),
    /// The cookie of WITH COOKIE.
    Revert(Option<Expr>),
    DeclareCursor(Box<DeclareCursor>),
    OpenCursor(CursorRef),
    Fetch {
        cursor: CursorRef,
        direction: FetchDirection,
        into: Vec<VariableSlot>,
    },
    CloseCursor(CursorRef),
    DeallocateCursor(CursorRef),
    /// SET @c = @other, or SET @c = name.
    AssignCursor {
        slot: CursorSlot,
        from: CursorRef,
    },
}

impl Statement {
    /// The lists of statements in it.
    fn lists(&self) -> [&[Statement]; 2] {
        match &self.kind {
            StatementKind::If { then, otherwise, .. } => [then, otherwise],
            StatementKind::TryCatch { body, handler } => [body, handler],
            StatementKind::While { body, .. } | StatementKind::Block(body) => [body, &[]],
            _ => [&[], &[]],
        }
    }

    /// Itself and the statements in it.
    pub fn count(&self) -> u32 {
        1 + self.lists().iter().flat_map(|list| list.iter()).map(Statement::count).sum::<u32>()
    }
}

/// Statements and those within them, each before what it holds.
pub fn in_order(statements: &[Statement]) -> Vec<&Statement> {
    let mut all = Vec::new();
    for statement in statements {
        all.push(statement);
        statement.lists().into_iter().for_each(|list| all.extend(in_order(list)));
    }
    all
}

#[derive(Debug)]
pub enum Condition {
    Scalar(Expr),
    Query(QueryId),
}

#[derive(Debug)]
pub enum TransactionName {
    Literal(Box<str>),
    Variable(VariableSlot),
}

/// EXEC.
#[derive(Debug)]
pub struct Execute {
    pub target: ExecuteTarget,
    pub arguments: Vec<Argument>,
    pub return_value: Option<VariableSlot>,
    /// Bound with the catalog at each call; the rows go to INSERT ... EXEC when that is the caller.
    pub recompile: bool,
    /// EXEC ('text') AS USER, AS LOGIN: as whom the text runs.
    pub context: Option<(PrincipalKind, Expr)>,
    /// WITH RESULT SETS: the result sets that the call gives, as whom they go to wants them. None: as they are.
    pub result_sets: Option<Box<[ResultSet]>>,
}

/// The columns of one result set of WITH RESULT SETS.
pub type ResultSet = Box<[ResultColumn]>;

/// A column of WITH RESULT SETS.
#[derive(Debug, Clone)]
pub struct ResultColumn {
    pub name: Box<str>,
    pub ty: SqlType,
    /// False: NOT NULL, and a NULL is an error.
    pub nullable: bool,
}

#[derive(Debug)]
pub enum ExecuteTarget {
    Procedure(ObjectName),
    /// EXEC @name: the variable as nvarchar.
    Named(Expr),
    /// EXEC ('text' + @more).
    Text(Expr),
}

#[derive(Debug)]
pub struct Argument {
    /// With its @; None: by position.
    pub name: Option<Box<str>>,
    pub value: ArgumentValue,
}

#[derive(Debug)]
pub enum ArgumentValue {
    Default,
    Expr(Expr),
    /// A variable given with OUTPUT.
    Output(VariableSlot),
    Table(VariableSlotTable),
    Cursor(CursorSlot),
}

#[derive(Debug)]
pub struct DeclareCursor {
    /// None: SET @c = CURSOR ... into `slot`.
    pub name: Option<Box<str>>,
    pub slot: Option<CursorSlot>,
    pub query: QueryId,
    pub options: CursorOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CursorOptions {
    /// None: the database's default (global).
    pub local: Option<bool>,
    pub scroll: bool,
    /// Said so, of whatever kind.
    pub forward_only: bool,
    pub kind: CursorKind,
    pub read_only: bool,
    pub scroll_locks: bool,
    pub optimistic: bool,
    pub type_warning: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CursorKind {
    /// Static, keyset or dynamic as the options imply.
    #[default]
    Unspecified,
    Static,
    Keyset,
    Dynamic,
    FastForward,
}

#[derive(Debug, Clone)]
pub enum CursorRef {
    /// `global`: written with GLOBAL.
    Name {
        name: Box<str>,
        global: bool,
    },
    Variable(CursorSlot),
}

#[derive(Debug)]
pub enum FetchDirection {
    Next,
    Prior,
    First,
    Last,
    Absolute(Expr),
    Relative(Expr),
}

/// SET of a session option.
#[derive(Debug, Clone)]
pub enum SetOption {
    /// ANSI_NULLS, NOCOUNT, XACT_ABORT, STATISTICS TIME and the like, by upper-case name.
    Switch {
        names: Vec<Box<str>>,
        on: bool,
    },
    IsolationLevel(IsolationLevel),
    IdentityInsert {
        table: ObjectName,
        on: bool,
    },
    /// ROWCOUNT, TEXTSIZE, LOCK_TIMEOUT, DATEFIRST, DEADLOCK_PRIORITY, LANGUAGE, DATEFORMAT, CONTEXT_INFO, by upper-case name.
    Value {
        name: Box<str>,
        value: Expr,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IsolationLevel {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Snapshot,
    Serializable,
}

/// An object of the catalog.
pub type ObjectRef = (DatabaseId, ObjectId);

/// What is done with an object, as the permission for it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    Select,
    Insert,
    Update,
    Delete,
    Execute,
}

/// A permission that a statement needs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Need {
    pub action: Action,
    pub object: ObjectRef,
    /// `sys.columns.column_id` of those that are used, ascending. Empty: the object as a whole, or any column of it.
    pub columns: Box<[u32]>,
    /// The view, function or procedure whose text names it: who owns both lets everybody pass who came so far. None: a batch.
    pub named_by: Option<ObjectRef>,
}

/// EXECUTE AS as a statement.
#[derive(Debug)]
pub struct ExecuteAs {
    /// None: CALLER.
    pub principal: Option<(PrincipalKind, Expr)>,
    pub no_revert: bool,
    /// WITH COOKIE INTO.
    pub cookie: Option<VariableSlot>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrincipalKind {
    User,
    Login,
}

/// A bound data statement.
#[derive(Debug)]
pub struct Query {
    pub kind: QueryKind,
    /// Correlated values of the whole statement: `OuterSlot` indexes these.
    pub outer_slots: Vec<SqlType>,
    /// `Catalog::version` at binding.
    pub catalog_version: u64,
    /// Of the tables whose statistics decided: seldom any, and none of a look-up by key.
    pub watches: Box<[Arc<dyn Watch>]>,
    /// An updatable cursor's tables: the last columns of its rows are their locators, which clients do not see.
    pub row_targets: Vec<TableSource>,
    /// For each of these: what a security policy asks of a row that is read again, over its stored columns.
    pub row_guards: Vec<Option<Expr>>,
    /// It names a temporary table, so only the session that bound it may keep it.
    pub session_private: bool,
    /// What its texts name of the catalog. Who binds it drops what is granted to everybody who can run it.
    pub needs: Box<[Need]>,
    /// Messages of its binding, for whoever it is bound for.
    pub notices: Vec<types::SqlError>,
    /// What of memory it is expected to need.
    pub grant: GrantEstimate,
    /// Of whoever receives its rows: how it describes their columns.
    pub description: ExecutorSlot,
}

impl Query {
    /// It is what binding at this version of the catalog would give.
    pub fn is_current(&self, catalog_version: u64) -> bool {
        self.catalog_version == catalog_version && !self.watches.iter().any(|watch| watch.has_moved())
    }

    /// Of the rows that go to the client; None: it has none.
    pub fn result_columns(&self) -> Option<Cow<'_, [OutputColumn]>> {
        match &self.kind {
            QueryKind::Select(plan) => Some(Cow::Borrowed(&plan.columns)),
            QueryKind::ForText { format, .. } => Some(Cow::Owned(vec![format.column()])),
            QueryKind::Modify(modify) => {
                let output = modify.output.as_ref().filter(|output| output.to_client);
                output.map(|output| Cow::Borrowed(&*output.columns))
            }
            QueryKind::SelectAssign { .. } | QueryKind::SelectInto { .. } | QueryKind::InsertExecute { .. } => None,
        }
    }
}

#[derive(Debug)]
pub enum QueryKind {
    /// Rows go to the client, or where the caller sends them (INSERT ... EXEC, a cursor).
    Select(Operator),
    /// SELECT @a = e, ...: a row holds the values; each row assigns in turn.
    SelectAssign {
        plan: Operator,
        slots: Vec<VariableSlot>,
    },
    Modify(Box<Modify>),
    /// SELECT ... INTO: the server makes the table from `columns`, then the rows are inserted.
    SelectInto {
        plan: Operator,
        target: ObjectName,
        filegroup: Option<Box<str>>,
    },
    /// INSERT t EXEC ...: the call's rows (converted to these) feed the insert.
    InsertExecute {
        insert: Box<Modify>,
        execute: Execute,
    },
    /// FOR XML / FOR JSON: one column of text made from the rows.
    ForText {
        plan: Operator,
        format: ForFormat,
    },
}

impl QueryKind {
    /// Of the statement, as plans name it.
    pub fn verb(&self) -> &'static str {
        match self {
            QueryKind::Select(_) | QueryKind::SelectAssign { .. } | QueryKind::ForText { .. } => "SELECT",
            QueryKind::SelectInto { .. } => "SELECT INTO",
            QueryKind::Modify(modify) => modify.verb,
            QueryKind::InsertExecute { .. } => "INSERT EXEC",
        }
    }
}

impl QueryKind {
    /// What makes the rows. None: a procedure that it calls.
    pub fn plan(&self) -> Option<&Operator> {
        match self {
            QueryKind::Select(plan) | QueryKind::SelectAssign { plan, .. } | QueryKind::SelectInto { plan, .. } => {
                Some(plan)
            }
            QueryKind::ForText { plan, .. } => Some(plan),
            QueryKind::Modify(modify) => Some(&modify.source),
            QueryKind::InsertExecute { .. } => None,
        }
    }
}

#[derive(Debug, Clone)]
pub enum ForFormat {
    /// `raw`: columns whose text is JSON already.
    Json {
        auto: bool,
        root: Option<Box<str>>,
        include_nulls: bool,
        without_wrapper: bool,
        raw: Vec<bool>,
        /// Of AUTO: the table that each column is of.
        owners: Vec<Option<XmlOwner>>,
    },
    Xml {
        mode: XmlMode,
        element: Option<Box<str>>,
        root: Option<Box<str>>,
        elements: bool,
        /// ELEMENTS XSINIL: an element for a NULL.
        nil: bool,
        ty: bool,
        /// BINARY BASE64
        base64: bool,
        /// Prefixes of WITH XMLNAMESPACES; the empty one is the default.
        namespaces: Vec<(Box<str>, Box<str>)>,
        /// Of AUTO: the table that each column is of.
        owners: Vec<Option<XmlOwner>>,
        schema: Option<InlineSchema>,
    },
}

/// What describes the rows of FOR XML, before them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InlineSchema {
    /// XMLSCHEMA, of this namespace or one that is made.
    Xsd(Option<Box<str>>),
    /// XMLDATA
    Xdr,
}

impl ForFormat {
    /// The one column of what the client gets.
    pub fn column(&self) -> OutputColumn {
        let name = match self {
            ForFormat::Xml { .. } => "XML_F52E2B61-18A1-11d1-B105-00805F49916B",
            ForFormat::Json { .. } => "JSON_F52E2B61-18A1-11d1-B105-00805F49916B",
        };
        OutputColumn::plain(name, SqlType::NTEXT, true)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XmlMode {
    Raw,
    Auto,
    Path,
    Explicit,
}

/// A table of FROM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XmlOwner {
    pub number: usize,
    /// As its elements are called: its alias, or its name as it is written.
    pub name: Box<str>,
    /// How a value of bytes is found again, where the rows have the table's primary key.
    pub reference: Option<XmlReference>,
}

/// `dbobject/TABLE[@KEY='value']/@COLUMN`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XmlReference {
    pub table: Box<str>,
    pub column: Box<str>,
    /// Columns of the primary key, and which of the result they are.
    pub key: Vec<(Box<str>, usize)>,
}

/// INSERT, UPDATE, DELETE or MERGE on one table.
#[derive(Debug, Clone)]
pub struct Modify {
    pub target: TableSource,
    /// INSERT: rows to insert. UPDATE, DELETE: columns of the target row (all stored columns, in order), its locator, then whatever
    /// the SET expressions need. MERGE: the same with a NULL locator for rows that match nothing.
    pub source: Operator,
    pub actions: Vec<ModifyAction>,
    /// Name of the statement for messages: INSERT, UPDATE, DELETE, MERGE.
    pub verb: &'static str,
    /// What OUTPUT is computed over: `inserted` (all stored columns), `deleted` (the same), then the source's columns, then in MERGE
    /// `$action` as nvarchar(10). The side that an action does not have is NULL. None: no OUTPUT.
    pub output: Option<Output>,
    /// Conditions on the new row (all stored columns): CHECK constraints and WITH CHECK OPTION of views.
    pub checks: Vec<Check>,
    /// What the tables below ask of their rows that a foreign key changes, where they ask for anything.
    pub cascades: Vec<Cascade>,
    /// What becomes of indexed views, of all tables that it may change.
    pub views: Vec<ViewChange>,
    /// NOT NULL columns of the row, by ordinal, with their names for error 515, are in the target's `TableDef`.
    pub identity_insert: bool,
    /// DELETE or UPDATE ... WHERE CURRENT OF.
    pub current_of: Option<super::statement::CursorRef>,
    /// Only so many rows (TOP).
    pub top: Option<Expr>,
}

/// What is done with a source row; the first action whose `condition` holds.
#[derive(Debug, Clone)]
pub struct ModifyAction {
    /// MERGE's WHEN; None: always.
    pub condition: Option<Expr>,
    pub kind: ActionKind,
    /// Of the target's security policies.
    pub barriers: Vec<Barrier>,
}

/// A block predicate: 33504 for a row of which it is not TRUE.
#[derive(Debug, Clone)]
pub struct Barrier {
    /// It is about the row as it was, else as it is after the change.
    pub before: bool,
    /// Over all stored columns.
    pub predicate: Expr,
}

/// What a table asks of its rows that a foreign key changes: that of an UPDATE or DELETE of its own.
#[derive(Debug, Clone)]
pub struct Cascade {
    pub key: ObjectId,
    /// The key's ON UPDATE, else its ON DELETE.
    pub updated: bool,
    pub barriers: Vec<Barrier>,
    /// Stored computed columns by ordinal, over the new row.
    pub computed: Vec<(u16, Expr)>,
    /// Conditions on the new row.
    pub checks: Vec<Check>,
}

/// What a change of a table's rows makes of the rows of an indexed view.
#[derive(Debug, Clone)]
pub struct ViewChange {
    /// The table that is changed.
    pub table: ObjectRef,
    /// The columns of it that the view reads, where an UPDATE may leave them alone.
    pub reads: Box<[u16]>,
    /// The view's rows.
    pub view: Arc<TableDef>,
    /// The view's query over the table's `deleted` rows, and over its `inserted` ones.
    pub removed: Operator,
    pub added: Operator,
    pub grouping: Option<ViewGrouping>,
}

/// Of a view with GROUP BY: what its columns are, by ordinal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewGrouping {
    pub groups: Box<[u16]>,
    /// SUM and COUNT_BIG.
    pub sums: Box<[u16]>,
    /// COUNT_BIG(*): of a group without rows it is 0.
    pub count: u16,
}

#[derive(Debug, Clone)]
pub enum ActionKind {
    Insert(NewRow),
    /// New values by stored ordinal, over the source row; then persisted computed columns over the new row.
    /// `assign`: SET @v = ... in an UPDATE. What reads a variable has the value that the row before left there.
    Update {
        set: Vec<(u16, Expr)>,
        computed: Vec<(u16, Expr)>,
        assign: Vec<SetVariable>,
    },
    Delete,
}

/// What a row that is inserted is made of.
#[derive(Debug, Clone)]
pub struct NewRow {
    /// An expression over the source row for each stored column, defaults filled in. None: it is made on insert (identity, rowversion, a
    /// period's column), or computed.
    pub values: Vec<Option<Expr>>,
    /// Stored computed columns by ordinal, over the new row.
    pub computed: Vec<(u16, Expr)>,
}

/// SET @v = value of an UPDATE; a row's values are made in the order of its SET clauses.
#[derive(Debug, Clone)]
pub struct SetVariable {
    pub slot: VariableSlot,
    /// Over the source row, or over a row of the one new value of `column`.
    pub value: Expr,
    /// `@v = column = value`: the column, by stored ordinal.
    pub column: Option<u16>,
    /// So many columns are set before it.
    pub after: usize,
}

impl SetVariable {
    /// What it reads of the source row.
    pub fn of_source(&self) -> Option<&Expr> {
        self.column.is_none().then_some(&self.value)
    }
}

#[derive(Debug, Clone)]
pub struct Output {
    pub exprs: Vec<Expr>,
    pub columns: Vec<super::operator::OutputColumn>,
    /// OUTPUT ... INTO: an insert whose source is the output rows.
    pub into: Option<Box<OutputInto>>,
    /// The rows go to the client (both an INTO and a plain OUTPUT may be given).
    pub to_client: bool,
}

#[derive(Debug, Clone)]
pub struct OutputInto {
    pub target: TableSource,
    /// Over the output row.
    pub row: NewRow,
    pub barriers: Vec<Barrier>,
}

#[derive(Debug, Clone)]
pub struct Check {
    pub name: Box<str>,
    pub predicate: Expr,
    /// For error 547: column-level constraints name their column.
    pub column: Option<u16>,
    /// WITH CHECK OPTION of a view: error 550 instead of 547.
    pub view: bool,
    /// A rule of the column: error 513 instead of 547.
    pub rule: bool,
}
