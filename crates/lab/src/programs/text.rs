//! A program's text: procedures and triggers, batches, dynamic text, each line by line.

use std::fmt::Write as _;

use super::program::{
    CursorAction, CursorName, DEFAULT, Failure, Form, Kind, LOCALS, Move, Program, Setting, Statement, TRIGGERS, Table,
    Value, WITH_CURSOR,
};

/// Scopes begin with a line of declarations.
const BATCH_HEAD: &str = "DECLARE @a int = 1, @b int, @c int = 3, @n0 int, @n1 int, @n2 int, @n3 int; \
DECLARE @w TABLE (id int PRIMARY KEY, v int NOT NULL); DECLARE @s TABLE (s varchar(2)); DECLARE @k CURSOR;";
const PROCEDURE_HEAD: &str = "DECLARE @c int = 5, @n0 int, @n1 int, @n2 int, @n3 int; \
DECLARE @w TABLE (id int PRIMARY KEY, v int NOT NULL); DECLARE @s TABLE (s varchar(2));";

impl Program {
    /// Gives each statement its line and its number.
    pub fn number(&mut self) {
        let mut number = 0;
        for body in self.bodies() {
            drop(written("", body));
            numbered(body, &mut number);
        }
    }

    /// Of procedures, triggers and batches.
    pub fn bodies(&mut self) -> impl Iterator<Item = &mut Vec<Statement>> {
        let triggers = self.triggers.iter_mut().flatten().map(|trigger| &mut trigger.body);
        self.procedures.iter_mut().chain(triggers).chain(&mut self.batches)
    }

    /// Definitions, each a batch, which come first.
    pub fn definitions(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        for (at, body) in self.procedures.iter_mut().enumerate() {
            let (first, own) =
                if at == WITH_CURSOR { ("@k CURSOR VARYING OUTPUT, ", "") } else { ("", " DECLARE @k CURSOR;") };
            let head = format!(
                "CREATE OR ALTER PROCEDURE p{at} {first}@a int = {DEFAULT}, @b int = NULL OUTPUT AS {PROCEDURE_HEAD}{own}"
            );
            texts.push(written(&head, body));
        }
        for ((table, event, name), trigger) in TRIGGERS.iter().zip(&mut self.triggers) {
            if let Some(trigger) = trigger {
                let when = if trigger.instead { "INSTEAD OF" } else { "AFTER" };
                let head = format!("CREATE TRIGGER {name} ON {} {when} {event:?} AS {BATCH_HEAD}", table.name());
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

fn numbered(body: &mut [Statement], number: &mut u32) {
    for statement in body {
        *number += 1;
        statement.number = *number;
        statement.bodies().for_each(|body| numbered(body, number));
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
            Kind::While(counter, times, body) => {
                self.line(&format!("SET @n{counter} = 0; WHILE @n{counter} < {times} BEGIN SET @n{counter} += 1;"));
                self.statements(body);
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
        Kind::Executed(body) => {
            let text = written(BATCH_HEAD, body);
            format!("EXEC sp_executesql N'{}';", text.trim_end().replace('\'', "''"))
        }
        Kind::Call(call) => {
            let status = call.status.map_or(String::new(), |local| format!("{} = ", LOCALS[local]));
            let mut arguments = Vec::new();
            if call.procedure == WITH_CURSOR {
                arguments.push("@k = @k OUTPUT".into());
            }
            if let Some(argument) = call.argument {
                arguments.push(format!("@a = {}", argument.text()));
            }
            if let Some(output) = call.output {
                arguments.push(format!("@b = {} OUTPUT", LOCALS[output]));
            }
            format!("EXEC {status}p{} {};", call.procedure, arguments.join(", "))
        }
        Kind::Output(change) => {
            let text = simple(&mut change.kind, line);
            let (rows, before) = match change.kind {
                Kind::Delete(..) => ("deleted", " WHERE "),
                Kind::Update(..) => ("inserted", " WHERE "),
                _ => ("inserted", " VALUES "),
            };
            text.replacen(before, &format!(" OUTPUT {rows}.id, {rows}.v INTO t3 (id, v){before}"), 1)
        }
        Kind::InsertExec(source) => {
            source.line = line;
            format!("INSERT t3 (id, v) {}", simple(&mut source.kind, line))
        }
        Kind::Cursor(action) => action.text(),
        Kind::Set(setting, value) => setting.set(*value),
        Kind::Break => "BREAK;".into(),
        Kind::Continue => "CONTINUE;".into(),
        Kind::Goto(label) => format!("GOTO l{label};"),
        Kind::Label(label) => format!("l{label}: PRINT 'note {label}';"),
        Kind::LongText => "INSERT @s (s) VALUES ('long');".into(),
        Kind::Return(None) => "RETURN;".into(),
        Kind::Return(Some(status)) => format!("RETURN {status};"),
        Kind::Try(..) | Kind::If(..) | Kind::While(..) => unreachable!("written line by line"),
    }
}

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
            Value::Setting(setting) => setting.read(),
            Value::TextLength => "(SELECT MAX(LEN(s)) FROM @s)".into(),
            Value::FetchStatus => "@@FETCH_STATUS".into(),
            Value::CursorRows => "@@CURSOR_ROWS".into(),
            Value::CursorStatus(CursorName::Plain(name)) => format!("CURSOR_STATUS('local', 'c{name}')"),
            Value::CursorStatus(CursorName::Global(name)) => format!("CURSOR_STATUS('global', 'c{name}')"),
            Value::CursorStatus(CursorName::Variable) => "CURSOR_STATUS('variable', '@k')".into(),
        }
    }
}

impl Statement {
    /// The lists of statements that it holds.
    pub fn bodies(&mut self) -> impl Iterator<Item = &mut Vec<Statement>> {
        let (first, second) = match &mut self.kind {
            Kind::Try(first, second) | Kind::If(_, first, second) => (Some(first), Some(second)),
            Kind::Text(body) | Kind::Executed(body) | Kind::While(_, _, body) => (Some(body), None),
            Kind::InsertExec(source) => match &mut source.kind {
                Kind::Text(body) => (Some(body), None),
                _ => (None, None),
            },
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }
}

impl Setting {
    fn set(self, value: i32) -> String {
        let switch = |name: &str| format!("SET {name} {};", if value == 0 { "OFF" } else { "ON" });
        match self {
            Setting::ImplicitTransactions => switch("IMPLICIT_TRANSACTIONS"),
            Setting::CursorCloseOnCommit => switch("CURSOR_CLOSE_ON_COMMIT"),
            Setting::AnsiWarnings => switch("ANSI_WARNINGS"),
            Setting::ArithAbort => switch("ARITHABORT"),
            Setting::NoCount => switch("NOCOUNT"),
            Setting::RowCount => format!("SET ROWCOUNT {value};"),
            Setting::LockTimeout => format!("SET LOCK_TIMEOUT {value};"),
            Setting::DateFirst => format!("SET DATEFIRST {value};"),
            Setting::TextSize => format!("SET TEXTSIZE {value};"),
            Setting::DeadlockPriority => format!("SET DEADLOCK_PRIORITY {value};"),
        }
    }

    fn read(self) -> String {
        let bit = |bit: u32| format!("SIGN(@@OPTIONS & {bit})");
        match self {
            Setting::ImplicitTransactions => bit(2),
            Setting::CursorCloseOnCommit => bit(4),
            Setting::AnsiWarnings => bit(8),
            Setting::ArithAbort => bit(64),
            Setting::NoCount => bit(512),
            Setting::RowCount => unreachable!("nothing tells of it"),
            Setting::LockTimeout => "@@LOCK_TIMEOUT".into(),
            Setting::DateFirst => "CONVERT(int, @@DATEFIRST)".into(),
            Setting::TextSize => "@@TEXTSIZE".into(),
            Setting::DeadlockPriority => {
                "(SELECT deadlock_priority FROM sys.dm_exec_sessions WHERE session_id = @@SPID)".into()
            }
        }
    }
}

impl CursorName {
    fn text(self) -> String {
        match self {
            CursorName::Plain(name) => format!("c{name}"),
            CursorName::Global(name) => format!("GLOBAL c{name}"),
            CursorName::Variable => "@k".into(),
        }
    }
}

impl Form {
    fn text(self) -> &'static str {
        match self {
            Form::Plain => "",
            Form::Static => " STATIC",
            Form::StaticForward => " FORWARD_ONLY STATIC",
            Form::Keyset => " KEYSET",
            Form::Dynamic => " DYNAMIC",
            Form::FastForward => " FAST_FORWARD",
        }
    }
}

fn cursor_query(table: Table) -> String {
    // Of rows without a key no order is certain but that of all their columns.
    let keyed = !matches!(table, Table::Journal | Table::Inserted | Table::Deleted);
    let order = if keyed { "id" } else { "id, v" };
    format!("SELECT id, v FROM {} ORDER BY {order}", table.name())
}

impl CursorAction {
    fn text(self) -> String {
        match self {
            CursorAction::Declare { name, local, form, table } => {
                let scope = if local {
                    " LOCAL"
                } else if name == 0 {
                    " GLOBAL"
                } else {
                    ""
                };
                format!("DECLARE c{name} CURSOR{scope}{} FOR {};", form.text(), cursor_query(table))
            }
            CursorAction::SetNew(form, table) => format!("SET @k = CURSOR{} FOR {};", form.text(), cursor_query(table)),
            CursorAction::SetName(name) => format!("SET @k = {};", name.text()),
            CursorAction::Open(name) => format!("OPEN {};", name.text()),
            CursorAction::Fetch { from, to, into } => {
                let to = match to {
                    Move::Next => "NEXT".into(),
                    Move::Prior => "PRIOR".into(),
                    Move::First => "FIRST".into(),
                    Move::Last => "LAST".into(),
                    Move::Absolute(at) => format!("ABSOLUTE {at}"),
                    Move::Relative(by) => format!("RELATIVE {by}"),
                };
                // What a row that is not there leaves in them is written nowhere.
                let into = if into { " INTO @b, @c; IF @@FETCH_STATUS = -2 SELECT @b = NULL, @c = NULL;" } else { ";" };
                format!("FETCH {to} FROM {}{into}", from.text())
            }
            CursorAction::Close(name) => format!("CLOSE {};", name.text()),
            CursorAction::Deallocate(name) => format!("DEALLOCATE {};", name.text()),
        }
    }
}
