//! A random program: procedures, triggers and batches as data, and their text. A statement knows its line, since messages name it.

use std::fmt::Write as _;

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
    /// A trigger's.
    Inserted,
}

/// Of the pool, in the order of their names.
pub const POOL: [Table; 4] = [Table::Parent, Table::Child, Table::Numbered, Table::Journal];

pub const SETUP: &str =
    "CREATE TABLE t0 (id int NOT NULL CONSTRAINT pk_t0 PRIMARY KEY, v int NOT NULL CONSTRAINT ck_t0 CHECK (v < 100));
CREATE TABLE t1 (id int NOT NULL CONSTRAINT pk_t1 PRIMARY KEY, v int NULL CONSTRAINT fk_t1 REFERENCES t0 (id));
CREATE TABLE t2 (id int IDENTITY CONSTRAINT pk_t2 PRIMARY KEY, v int NOT NULL CONSTRAINT uq_t2 UNIQUE);
CREATE TABLE t3 (id int NULL, v int NULL);";

/// After each program; the connection's session is reset as well.
pub const RESET: &str = "DROP TRIGGER IF EXISTS tr0, tr2;
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
            Table::Inserted => "inserted",
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
}

pub const LOCALS: [&str; 3] = ["@a", "@b", "@c"];

impl Value {
    fn text(self) -> String {
        match self {
            Value::Int(number) => number.to_string(),
            Value::Null => "NULL".into(),
            Value::Local(local) => LOCALS[local].into(),
            Value::TranCount => "@@TRANCOUNT".into(),
            Value::XactState => "XACT_STATE()".into(),
            Value::Error => "@@ERROR".into(),
            Value::RowCount => "@@ROWCOUNT".into(),
            Value::ErrorNumber => "ERROR_NUMBER()".into(),
            Value::ErrorSeverity => "ERROR_SEVERITY()".into(),
            Value::ErrorState => "ERROR_STATE()".into(),
            Value::ErrorLine => "ERROR_LINE()".into(),
            Value::ScopeIdentity => "CONVERT(int, SCOPE_IDENTITY())".into(),
            Value::LastIdentity => "CONVERT(int, @@IDENTITY)".into(),
            Value::NestLevel => "@@NESTLEVEL".into(),
            Value::XactAbort => "SIGN(@@OPTIONS & 16384)".into(),
            Value::Rows(table) => format!("(SELECT COUNT(*) FROM {})", table.name()),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Statement {
    /// In its batch, module or dynamic text; from 1.
    pub line: u32,
    pub kind: Kind,
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
    Call(Call),
    InsertExec(Box<Statement>),
    Return(Option<i32>),
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

#[derive(Debug, Clone, Default)]
pub struct Trigger {
    /// Instead of the INSERT, not after it.
    pub instead: bool,
    pub body: Vec<Statement>,
}

pub const PROCEDURES: usize = 2;
/// Of a procedure's `@a`.
pub const DEFAULT: i32 = 7;
/// Tables that may have a trigger for INSERT, and its name.
pub const TRIGGERS: [(Table, &str); 2] = [(Table::Parent, "tr0"), (Table::Numbered, "tr2")];

#[derive(Debug, Clone, Default)]
pub struct Program {
    /// A procedure calls only those before it.
    pub procedures: [Vec<Statement>; PROCEDURES],
    pub triggers: [Option<Trigger>; 2],
    pub batches: Vec<Vec<Statement>>,
}

/// Scopes begin with a line of declarations.
const BATCH_HEAD: &str =
    "DECLARE @a int = 1, @b int, @c int = 3; DECLARE @w TABLE (id int PRIMARY KEY, v int NOT NULL);";
const PROCEDURE_HEAD: &str = "DECLARE @c int = 5; DECLARE @w TABLE (id int PRIMARY KEY, v int NOT NULL);";

impl Program {
    /// Gives each statement its line.
    pub fn number(&mut self) {
        self.procedures.iter_mut().for_each(|body| drop(written("", body)));
        self.triggers.iter_mut().flatten().for_each(|trigger| drop(written("", &mut trigger.body)));
        self.batches.iter_mut().for_each(|body| drop(written("", body)));
    }

    /// Definitions, each a batch, which come first.
    pub fn definitions(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        for (at, body) in self.procedures.iter_mut().enumerate() {
            let head =
                format!("CREATE OR ALTER PROCEDURE p{at} @a int = {DEFAULT}, @b int = NULL OUTPUT AS {PROCEDURE_HEAD}");
            texts.push(written(&head, body));
        }
        for ((table, name), trigger) in TRIGGERS.iter().zip(&mut self.triggers) {
            if let Some(trigger) = trigger {
                let when = if trigger.instead { "INSTEAD OF" } else { "AFTER" };
                let head = format!("CREATE TRIGGER {name} ON {} {when} INSERT AS {BATCH_HEAD}", table.name());
                texts.push(written(&head, &mut trigger.body));
            }
        }
        texts
    }

    pub fn batch_texts(&mut self) -> Vec<String> {
        self.batches.iter_mut().map(|body| written(BATCH_HEAD, body)).collect()
    }

    /// As a script.
    pub fn script(&mut self) -> String {
        let mut texts = self.definitions();
        texts.extend(self.batch_texts());
        texts.join("GO\n")
    }
}

fn written(head: &str, body: &mut [Statement]) -> String {
    let mut writer = Writer { text: format!("{head}\n"), line: 2 };
    writer.statements(body);
    writer.text
}

struct Writer {
    text: String,
    line: u32,
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.line += text.matches('\n').count() as u32 + 1;
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn statements(&mut self, body: &mut [Statement]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &mut Statement) {
        statement.line = self.line;
        match &mut statement.kind {
            Kind::Try(tried, caught) => {
                self.line("BEGIN TRY");
                self.statements(tried);
                self.line("END TRY");
                self.line("BEGIN CATCH");
                self.statements(caught);
                self.line("END CATCH;");
            }
            Kind::If(value, then, otherwise) => {
                self.line(&format!("IF {} > 0 BEGIN", value.text()));
                self.statements(then);
                self.line("END ELSE BEGIN");
                self.statements(otherwise);
                self.line("END;");
            }
            kind => {
                let text = simple(kind, self.line);
                self.line(&text);
            }
        }
    }
}

fn simple(kind: &mut Kind, line: u32) -> String {
    match kind {
        Kind::Select(values) => {
            let columns: Vec<String> =
                (0..).zip(values).map(|(at, value)| format!("{} AS c{at}", value.text())).collect();
            format!("SELECT {};", columns.join(", "))
        }
        Kind::Show(table) => format!("SELECT id, v FROM {} ORDER BY id, v;", table.name()),
        Kind::Assign(local, value) => format!("SET {} = {};", LOCALS[*local], value.text()),
        Kind::Print(number) => format!("PRINT 'note {number}';"),
        Kind::Insert(table, rows) => {
            let numbered = *table == Table::Numbered;
            let mut text = format!("INSERT {} ({}) VALUES ", table.name(), if numbered { "v" } else { "id, v" });
            for (at, (id, v)) in rows.iter().enumerate() {
                let comma = if at > 0 { ", " } else { "" };
                if numbered {
                    write!(text, "{comma}({})", v.text()).expect("text");
                } else {
                    write!(text, "{comma}({}, {})", id.text(), v.text()).expect("text");
                }
            }
            text + ";"
        }
        Kind::Copy(table) => format!("INSERT t3 (id, v) SELECT id, v FROM {};", table.name()),
        Kind::Update(table, id, v) => format!("UPDATE {} SET v = {} WHERE id = {};", table.name(), v.text(), id.text()),
        Kind::Delete(table, id) => format!("DELETE {} WHERE id = {};", table.name(), id.text()),
        Kind::CreateTemp => "CREATE TABLE #w (id int NOT NULL PRIMARY KEY, v int NOT NULL);".into(),
        Kind::DropTemp => "DROP TABLE #w;".into(),
        Kind::Begin => "BEGIN TRANSACTION;".into(),
        Kind::Commit => "COMMIT TRANSACTION;".into(),
        Kind::Rollback => "ROLLBACK TRANSACTION;".into(),
        Kind::Save(name) => format!("SAVE TRANSACTION s{name};"),
        Kind::RollbackTo(name) => format!("ROLLBACK TRANSACTION s{name};"),
        Kind::XactAbort(on) => format!("SET XACT_ABORT {};", if *on { "ON" } else { "OFF" }),
        Kind::Raise(severity, state) => format!("RAISERROR('raised', {severity}, {state});"),
        Kind::Throw(number, state) => format!("THROW {number}, 'thrown', {state};"),
        Kind::Rethrow => "THROW;".into(),
        Kind::Fail(failure) => match failure {
            Failure::DivideByZero => "SELECT 1 / 0 AS c0;",
            Failure::Conversion => "SELECT CONVERT(int, 'x') AS c0;",
            Failure::Overflow => "SET @c = 2147483647 + ABS(1);",
            Failure::NoTable => "SELECT id FROM nowhere;",
            Failure::NoProcedure => "EXEC nowhere;",
            Failure::Syntax => "EXEC ('SELECT FROM');",
        }
        .into(),
        Kind::Text(body) => {
            let text = written(BATCH_HEAD, body);
            format!("EXEC ('{}');", text.trim_end().replace('\'', "''"))
        }
        Kind::Call(call) => {
            let status = call.status.map_or(String::new(), |local| format!("{} = ", LOCALS[local]));
            let mut arguments = Vec::new();
            if let Some(argument) = call.argument {
                arguments.push(format!("@a = {}", argument.text()));
            }
            if let Some(output) = call.output {
                arguments.push(format!("@b = {} OUTPUT", LOCALS[output]));
            }
            format!("EXEC {status}p{} {};", call.procedure, arguments.join(", "))
        }
        Kind::InsertExec(source) => {
            source.line = line;
            format!("INSERT t3 (id, v) {}", simple(&mut source.kind, line))
        }
        Kind::Return(None) => "RETURN;".into(),
        Kind::Return(Some(status)) => format!("RETURN {status};"),
        Kind::Try(..) | Kind::If(..) => unreachable!("written line by line"),
    }
}
