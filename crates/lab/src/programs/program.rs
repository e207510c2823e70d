//! A random program: procedures, triggers and batches as data. A statement knows its line, since messages name it.

/// What the pool of objects has; `Temp` is `#w`, which a program makes and loses, `Variable` a table variable of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    /// `t0 (id PRIMARY KEY, v NOT NULL CHECK (v < 100))`
    Parent,
    /// `t1 (id PRIMARY KEY, v REFERENCES t0)`
    Child,
    /// `t2 (id IDENTITY PRIMARY KEY, v NOT NULL UNIQUE)`
    Numbered,
    /// `t3 (id, v)`, where everything is allowed.
    Journal,
    Temp,
    Variable,
    /// `w0`, a view of `t0`.
    View,
    /// A trigger's.
    Inserted,
    Deleted,
}

/// Of the pool, in the order of their names.
pub const POOL: [Table; 4] = [Table::Parent, Table::Child, Table::Numbered, Table::Journal];

/// Before each program. See `Setting::FIRST`.
pub const SETTINGS: &str = "SET ANSI_WARNINGS, ARITHABORT ON; SET IMPLICIT_TRANSACTIONS, CURSOR_CLOSE_ON_COMMIT, NOCOUNT OFF; \
SET ROWCOUNT 0; SET LOCK_TIMEOUT -1; SET DATEFIRST 7; SET TEXTSIZE 4096; SET DEADLOCK_PRIORITY NORMAL;";

pub const SETUP: &str =
    "CREATE TABLE t0 (id int NOT NULL CONSTRAINT pk_t0 PRIMARY KEY, v int NOT NULL CONSTRAINT ck_t0 CHECK (v < 100));
CREATE TABLE t1 (id int NOT NULL CONSTRAINT pk_t1 PRIMARY KEY, v int NULL CONSTRAINT fk_t1 REFERENCES t0 (id));
CREATE TABLE t2 (id int IDENTITY CONSTRAINT pk_t2 PRIMARY KEY, v int NOT NULL CONSTRAINT uq_t2 UNIQUE);
CREATE TABLE t3 (id int NULL, v int NULL);
EXEC ('CREATE VIEW w0 AS SELECT id, v FROM t0');";

/// After each program; the connection's session is reset as well.
pub const RESET: &str = "DROP TRIGGER IF EXISTS tr0, tu0, td0, tr2, tv0, tv1, tv2;
TRUNCATE TABLE t1; TRUNCATE TABLE t2; TRUNCATE TABLE t3; DELETE t0;";

impl Table {
    pub fn name(self) -> &'static str {
        match self {
            Table::Parent => "t0",
            Table::Child => "t1",
            Table::Numbered => "t2",
            Table::Journal => "t3",
            Table::Temp => "#w",
            Table::Variable => "@w",
            Table::View => "w0",
            Table::Inserted => "inserted",
            Table::Deleted => "deleted",
        }
    }
}

/// A number or NULL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    Int(i32),
    Null,
    /// `@a`, `@b`, `@c` of the scope.
    Local(usize),
    TranCount,
    XactState,
    Error,
    RowCount,
    ErrorNumber,
    ErrorSeverity,
    ErrorState,
    ErrorLine,
    ScopeIdentity,
    LastIdentity,
    NestLevel,
    XactAbort,
    Rows(Table),
    FetchStatus,
    CursorRows,
    CursorStatus(CursorName),
    Setting(Setting),
    /// Characters of the longest text in `@s`.
    TextLength,
}

pub const LOCALS: [&str; 3] = ["@a", "@b", "@c"];

#[derive(Debug, Clone)]
pub struct Statement {
    /// In its batch, module or dynamic text; from 1.
    pub line: u32,
    /// Of its program.
    pub number: u32,
    pub kind: Kind,
}

impl Statement {
    pub fn new(kind: Kind) -> Statement {
        Statement { line: 0, number: 0, kind }
    }
}

#[derive(Debug, Clone)]
pub enum Kind {
    Select(Vec<Value>),
    Show(Table),
    Assign(usize, Value),
    Print(u32),
    /// Rows of `(id, v)`; of `Numbered` the id is not given.
    Insert(Table, Vec<(Value, Value)>),
    /// Into the journal, from another table.
    Copy(Table),
    /// `SET v = ... WHERE id = ...`
    Update(Table, Value, Value),
    Delete(Table, Value),
    CreateTemp,
    DropTemp,
    Begin,
    Commit,
    Rollback,
    Save(usize),
    RollbackTo(usize),
    XactAbort(bool),
    /// Severity, state.
    Raise(u8, u8),
    Throw(i32, u8),
    Rethrow,
    Fail(Failure),
    Try(Vec<Statement>, Vec<Statement>),
    If(Value, Vec<Statement>, Vec<Statement>),
    /// `EXEC ('...')`
    Text(Vec<Statement>),
    /// `EXEC sp_executesql N'...'`
    Executed(Vec<Statement>),
    Call(Call),
    InsertExec(Box<Statement>),
    /// An INSERT, UPDATE or DELETE with OUTPUT INTO the journal.
    Output(Box<Statement>),
    Cursor(CursorAction),
    Set(Setting, i32),
    /// So many turns, counted by `@n0`, `@n1` and so on: by how deep it lies in others.
    While(usize, u32, Vec<Statement>),
    Break,
    Continue,
    /// To a label that follows.
    Goto(u32),
    Label(u32),
    /// Into `@s`, whose column has two characters.
    LongText,
    Return(Option<i32>),
}

/// An option of SET, besides XACT_ABORT; ON is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setting {
    ImplicitTransactions,
    CursorCloseOnCommit,
    AnsiWarnings,
    ArithAbort,
    NoCount,
    RowCount,
    LockTimeout,
    DateFirst,
    TextSize,
    DeadlockPriority,
}

impl Setting {
    pub const ALL: [Setting; 10] = [
        Setting::ImplicitTransactions,
        Setting::CursorCloseOnCommit,
        Setting::AnsiWarnings,
        Setting::ArithAbort,
        Setting::NoCount,
        Setting::RowCount,
        Setting::LockTimeout,
        Setting::DateFirst,
        Setting::TextSize,
        Setting::DeadlockPriority,
    ];

    /// Those that an expression can ask for.
    pub const READABLE: [Setting; 9] = [
        Setting::ImplicitTransactions,
        Setting::CursorCloseOnCommit,
        Setting::AnsiWarnings,
        Setting::ArithAbort,
        Setting::NoCount,
        Setting::LockTimeout,
        Setting::DateFirst,
        Setting::TextSize,
        Setting::DeadlockPriority,
    ];

    /// As the connection has it before a program.
    pub const FIRST: [i32; 10] = [0, 0, 1, 1, 0, 0, -1, 7, 4096, 0];
}

/// What a statement calls a cursor: `c0`, `GLOBAL c0`, `@k`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CursorName {
    Plain(usize),
    Global(usize),
    Variable,
}

/// Cursors that may have a name at the same time, in a scope or the session.
pub const CURSORS: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Nothing is said: FORWARD_ONLY and DYNAMIC.
    Plain,
    Static,
    StaticForward,
    Keyset,
    Dynamic,
    FastForward,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    Next,
    Prior,
    First,
    Last,
    Absolute(i32),
    Relative(i32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CursorAction {
    /// `local`: said to be LOCAL, else GLOBAL or nothing.
    Declare {
        name: usize,
        local: bool,
        form: Form,
        table: Table,
    },
    /// `SET @k = CURSOR ... FOR`
    SetNew(Form, Table),
    /// `SET @k = c0`
    SetName(CursorName),
    Open(CursorName),
    /// `into`: `@b`, `@c`.
    Fetch {
        from: CursorName,
        to: Move,
        into: bool,
    },
    Close(CursorName),
    Deallocate(CursorName),
}

/// A real error of its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    DivideByZero,
    Conversion,
    Overflow,
    NoTable,
    NoProcedure,
    Syntax,
}

#[derive(Debug, Clone)]
pub struct Call {
    pub procedure: usize,
    /// `@a`: absent, its default.
    pub argument: Option<Value>,
    /// `@b` OUTPUT.
    pub output: Option<usize>,
    /// Where the return code goes.
    pub status: Option<usize>,
}

/// This procedure has a parameter `@k CURSOR VARYING OUTPUT`, which takes the caller's `@k`.
pub const WITH_CURSOR: usize = 2;

#[derive(Debug, Clone, Default)]
pub struct Trigger {
    /// Instead of the change, not after it.
    pub instead: bool,
    pub body: Vec<Statement>,
}

pub const PROCEDURES: usize = 3;
/// Of a procedure's `@a`.
pub const DEFAULT: i32 = 7;
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Insert,
    Update,
    Delete,
}

pub const TRIGGER_COUNT: usize = 7;
/// What may have a trigger, of what, and its name. What one of them changes comes after it, so that none calls another back.
pub const TRIGGERS: [(Table, Event, &str); TRIGGER_COUNT] = [
    (Table::View, Event::Insert, "tv0"),
    (Table::View, Event::Update, "tv1"),
    (Table::View, Event::Delete, "tv2"),
    (Table::Parent, Event::Insert, "tr0"),
    (Table::Parent, Event::Update, "tu0"),
    (Table::Parent, Event::Delete, "td0"),
    (Table::Numbered, Event::Insert, "tr2"),
];

#[derive(Debug, Clone, Default)]
pub struct Program {
    /// A procedure calls only those before it.
    pub procedures: [Vec<Statement>; PROCEDURES],
    pub triggers: [Option<Trigger>; TRIGGER_COUNT],
    pub batches: Vec<Vec<Statement>>,
}
