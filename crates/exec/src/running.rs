//! What a session runs, as other sessions see it: the statement, of which text, and how far it has come. Its own worker writes, without a
//! lock but where a module is called; who reads may see a moment between two statements.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use os::sync::Mutex;
use os::wait::WaitType;
use sql::ast::{DropKind, QueryBody, Span, StatementKind as Ast};
use sql::plan::{Module, StatementKind};

use crate::definition_name;

/// `sys.dm_exec_requests.command`, by number.
const COMMANDS: &[&str] = &[
    "SELECT",
    "DELETE",
    "TRUNCATE TABLE",
    "DROP TABLE",
    "DROP INDEX",
    "DROP DATABASE",
    "DROP OBJECT",
    "CHECKPOINT",
    "INSERT",
    "UPDATE",
    "MERGE",
    "SELECT INTO",
    "BULK INSERT",
    "EXECUTE",
    "WAITFOR",
    "CONDITIONAL",
    "ASSIGN",
    "SET OPTION ON",
    "PRINT",
    "RAISERROR",
    "OPEN CURSOR",
    "FETCH CURSOR",
    "BEGIN TRANSACTION",
    "COMMIT TRANSACTION",
    "ROLLBACK TRANSACTION",
    "SAVE TRANSACTION",
    "CREATE TABLE",
    "ALTER TABLE",
    "CREATE INDEX",
    "ALTER INDEX",
    "CREATE STATISTICS",
    "UPDATE STATISTICS",
    "DROP STATISTICS",
    "CREATE VIEW",
    "CREATE PROCEDURE",
    "CREATE FUNCTION",
    "CREATE TRIGGER",
    "CREATE DATABASE",
    "ALTER DATABASE",
    "BACKUP DATABASE",
    "RESTORE DATABASE",
    "DBCC",
    "DBCC TABLE CHECK",
    "KILL",
    "GRANT",
    "OTHER",
];

/// Those that give space back, DELETE to CHECKPOINT: the log keeps a part for them.
const FREEING: RangeInclusive<u32> = 1..=7;

/// Of a bulk load, which is no statement of a text.
pub const BULK_INSERT: &str = "BULK INSERT";

/// A statement that runs: its command, and where it stands in its text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Doing {
    command: u32,
    span: Span,
}

impl Doing {
    pub fn new(kind: &StatementKind, module: &Module, span: Span) -> Doing {
        let command = match kind {
            StatementKind::Query(id) | StatementKind::Definition(id) | StatementKind::ReturnQuery(id) => {
                of_tree(&module.queries[id.0 as usize].statement.kind)
            }
            StatementKind::Execute(_) => "EXECUTE",
            StatementKind::WaitForDelay(_) | StatementKind::WaitForTime(_) => "WAITFOR",
            StatementKind::If { .. } | StatementKind::While { .. } => "CONDITIONAL",
            StatementKind::Assign { .. } => "ASSIGN",
            StatementKind::SetOption(_) => "SET OPTION ON",
            StatementKind::Print(_) => "PRINT",
            StatementKind::Raiserror { .. } | StatementKind::Throw(_) => "RAISERROR",
            StatementKind::OpenCursor(_) => "OPEN CURSOR",
            StatementKind::Fetch { .. } => "FETCH CURSOR",
            StatementKind::BeginTransaction { .. } => "BEGIN TRANSACTION",
            StatementKind::Commit { .. } => "COMMIT TRANSACTION",
            StatementKind::Rollback { .. } => "ROLLBACK TRANSACTION",
            StatementKind::Save(_) => "SAVE TRANSACTION",
            _ => "SELECT",
        };
        Doing { command: number(command), span }
    }
}

fn number(command: &str) -> u32 {
    COMMANDS.iter().position(|known| *known == command).expect("every command has its number") as u32
}

/// The first SELECT of a set operation has the INTO.
fn makes_table(body: &QueryBody) -> bool {
    match body {
        QueryBody::Select(select) => select.into.is_some(),
        QueryBody::SetOperation(operation) => makes_table(&operation.first),
        QueryBody::Nested(_) => false,
    }
}

fn of_tree(kind: &Ast) -> &'static str {
    match kind {
        Ast::Select(query) if makes_table(&query.body) => "SELECT INTO",
        Ast::Select(_) | Ast::SetVariable(_) => "SELECT",
        Ast::Insert(_) => "INSERT",
        Ast::Update(_) => "UPDATE",
        Ast::Delete(_) => "DELETE",
        Ast::Merge(_) => "MERGE",
        Ast::BulkInsert(_) | Ast::InsertBulk(_) => BULK_INSERT,
        Ast::If(_) | Ast::While(_) => "CONDITIONAL",
        Ast::Truncate(_) => "TRUNCATE TABLE",
        Ast::CreateStatistics(_) => "CREATE STATISTICS",
        Ast::UpdateStatistics(_) => "UPDATE STATISTICS",
        Ast::AlterDatabase(_) => "ALTER DATABASE",
        Ast::Drop(drop) => match drop.kind {
            DropKind::Table => "DROP TABLE",
            DropKind::Database => "DROP DATABASE",
            _ => "DROP OBJECT",
        },
        Ast::Backup(_) => "BACKUP DATABASE",
        Ast::Restore(_) => "RESTORE DATABASE",
        Ast::Dbcc(dbcc) if dbcc.command.starts_with("CHECK") => "DBCC TABLE CHECK",
        Ast::Checkpoint(_) => "CHECKPOINT",
        Ast::Kill(_) => "KILL",
        Ast::Permission(_) => "GRANT",
        // Definitions under their names, as far as these have a number above.
        _ => Some(definition_name::of(kind)).filter(|name| COMMANDS.contains(name)).unwrap_or("OTHER"),
    }
}

/// The text of a module that was called: what the spans of its statements are into.
#[derive(Debug, Clone)]
pub struct Called {
    pub text: Arc<str>,
    /// Of a procedure or trigger: its database. None: a text that EXEC was given.
    pub database: Option<u16>,
}

/// What runs, as it is seen from elsewhere.
#[derive(Debug, Clone)]
pub struct Seen {
    pub command: &'static str,
    /// Where the statement begins and ends in its text, in bytes.
    pub start: u32,
    pub end: u32,
    /// None: it is the batch's.
    pub called: Option<Called>,
    /// Hundredths of a percent; 0: nobody says.
    pub progress: u32,
}

/// What others see of a session's settings as its statement begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// @@TRANCOUNT.
    pub level: u16,
    /// As `sys.dm_exec_sessions` numbers it.
    pub isolation: u8,
    pub deadlock_priority: i8,
    pub lock_timeout_ms: i32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { level: 0, isolation: 2, deadlock_priority: 0, lock_timeout_ms: -1 }
    }
}

impl Settings {
    #[inline]
    fn word(self) -> u64 {
        u64::from(self.level) << 48
            | u64::from(self.isolation) << 40
            | u64::from(self.deadlock_priority as u8) << 32
            | u64::from(self.lock_timeout_ms as u32)
    }

    fn from_word(word: u64) -> Settings {
        Settings {
            level: (word >> 48) as u16,
            isolation: (word >> 40) as u8,
            deadlock_priority: (word >> 32) as i8,
            lock_timeout_ms: word as i32,
        }
    }
}

pub struct Running {
    command: AtomicU32,
    /// End and start, so that both change at once.
    span: AtomicU64,
    called: Mutex<Option<Called>>,
    /// What runs now is the server's own, for the statement: it stays the one that is seen.
    held: AtomicU32,
    progress: AtomicU32,
    /// `Settings`, so that all change at once.
    settings: AtomicU64,
    /// What BEGIN TRANSACTION called the session's transaction.
    transaction: Mutex<Option<Box<str>>>,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.seen().fmt(to)
    }
}

impl Default for Running {
    fn default() -> Running {
        Running {
            command: AtomicU32::new(0),
            span: AtomicU64::new(0),
            called: Mutex::new(WaitType::SOS_MUTEX, None),
            held: AtomicU32::new(0),
            progress: AtomicU32::new(0),
            settings: AtomicU64::new(Settings::default().word()),
            transaction: Mutex::new(WaitType::SOS_MUTEX, None),
        }
    }
}

impl Running {
    #[inline]
    pub fn begin(&self, doing: Doing) {
        if !self.is_held() {
            self.command.store(doing.command, Ordering::Relaxed);
            self.span.store(u64::from(doing.span.end) << 32 | u64::from(doing.span.start), Ordering::Relaxed);
        }
    }

    #[inline]
    pub fn note(&self, settings: Settings) {
        self.settings.store(settings.word(), Ordering::Relaxed);
    }

    pub fn settings(&self) -> Settings {
        Settings::from_word(self.settings.load(Ordering::Relaxed))
    }

    pub fn name_transaction(&self, name: Option<&str>) {
        *self.transaction.lock() = name.map(Into::into);
    }

    pub fn transaction_name(&self) -> Option<Box<str>> {
        self.transaction.lock().clone()
    }

    /// A request begins, and nothing of it runs yet. `command`: where it is no text.
    pub fn begin_request(&self, command: Option<&str>) {
        self.command.store(command.map_or(0, number), Ordering::Relaxed);
        self.span.store(0, Ordering::Relaxed);
        self.progress.store(0, Ordering::Relaxed);
    }

    /// A module is called; what is seen until then comes back with `leave`.
    pub fn enter(&self, called: Called) -> (Doing, Option<Called>) {
        let span = self.span.load(Ordering::Relaxed);
        let span = Span { start: span as u32, end: (span >> 32) as u32 };
        let doing = Doing { command: self.command.load(Ordering::Relaxed), span };
        (doing, self.called.lock().replace(called))
    }

    pub fn leave(&self, (doing, called): (Doing, Option<Called>)) {
        *self.called.lock() = called;
        self.begin(doing);
    }

    /// What runs gives space back, or is to.
    #[inline]
    pub fn frees_space(&self) -> bool {
        FREEING.contains(&self.command.load(Ordering::Relaxed))
    }

    pub fn hold(&self) {
        self.held.fetch_add(1, Ordering::Relaxed);
    }

    pub fn is_held(&self) -> bool {
        self.held.load(Ordering::Relaxed) > 0
    }

    pub fn release(&self) {
        let held = self.held.fetch_sub(1, Ordering::Relaxed);
        debug_assert!(held > 0, "held before");
    }

    /// `done` of `all` is behind it.
    pub fn tell(&self, done: u64, all: u64) {
        let part = (u128::from(done) * 10_000 / u128::from(all.max(1))).min(10_000);
        self.progress.store(part as u32, Ordering::Relaxed);
    }

    pub fn seen(&self) -> Seen {
        let span = self.span.load(Ordering::Relaxed);
        Seen {
            command: COMMANDS.get(self.command.load(Ordering::Relaxed) as usize).copied().unwrap_or("SELECT"),
            start: span as u32,
            end: (span >> 32) as u32,
            called: self.called.lock().clone(),
            progress: self.progress.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_come_back_from_their_word() {
        for (level, isolation, deadlock_priority, lock_timeout_ms) in
            [(0, 2, 0, -1), (1, 4, -10, 0), (u16::MAX, 5, 10, i32::MAX)]
        {
            let settings = Settings { level, isolation, deadlock_priority, lock_timeout_ms };
            assert_eq!(Settings::from_word(settings.word()), settings);
        }
    }

    #[test]
    fn the_commands_that_free_space_stand_together() {
        let freeing: Vec<&str> = FREEING.map(|number| COMMANDS[number as usize]).collect();
        let named =
            ["DELETE", "TRUNCATE TABLE", "DROP TABLE", "DROP INDEX", "DROP DATABASE", "DROP OBJECT", "CHECKPOINT"];
        assert_eq!(freeing, named);
        assert_eq!(COMMANDS[0], "SELECT", "what a request is before anything of it runs");
    }
}
