//! The tree the parser builds. Owned (boxes and vectors), so a cached batch outlives its text; every statement knows
//! its line and its byte range in the batch.
//!
//! What must hold: no node nests deeper than the parser's limit, so a visitor may recurse. What people write in long
//! rows (AND, OR, +, JOIN, UNION, ELSE IF) is a vector, not a left-deep tree.

pub mod audit;
pub mod control;
pub mod database;
pub mod ddl;
pub mod dml;
pub mod expr;
pub mod module;
pub mod name;
pub mod query;
pub mod security;
pub mod server;
pub mod table;

pub use audit::*;
pub use control::*;
pub use database::*;
pub use ddl::*;
pub use dml::*;
pub use expr::*;
pub use module::*;
pub use name::*;
pub use query::*;
pub use security::*;
pub use server::*;
pub use table::*;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Batch {
    pub statements: Vec<Statement>,
}

/// `text[start..end]` in bytes, without a trailing semicolon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// The piece of `text` this covers; `text` must be the text that was parsed.
    pub fn of<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start as usize..self.end as usize]
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    pub kind: StatementKind,
    /// Of the first word, from 1 within the batch.
    pub line: u32,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum StatementKind {
    // Rows.
    /// Also `SELECT @a = x` and `SELECT ... INTO`.
    Select(Box<Query>),
    Insert(Box<Insert>),
    Update(Box<Update>),
    Delete(Box<Delete>),
    Merge(Box<Merge>),
    Truncate(Box<Truncate>),
    BulkInsert(Box<BulkInsert>),
    InsertBulk(Box<InsertBulk>),

    // Control of flow.
    /// `BEGIN ... END`.
    Block(Vec<Statement>),
    If(Box<If>),
    While(Box<While>),
    Break,
    Continue,
    Goto(Ident),
    Label(Ident),
    Return(Option<Box<Expr>>),
    TryCatch(Box<TryCatch>),
    Throw(Option<Box<Throw>>),
    Raiserror(Box<Raiserror>),
    Print(Box<Expr>),
    WaitFor(Box<WaitFor>),
    Execute(Box<Execute>),
    ExecuteString(Box<ExecuteString>),
    ExecuteAs(Box<ExecuteAs>),
    /// With the cookie, if one is given.
    Revert(Option<Box<Expr>>),

    // Variables and settings.
    Declare(Vec<Declaration>),
    SetVariable(Box<SetVariable>),
    SetOption(Box<SetOption>),

    // Cursors.
    DeclareCursor(Box<DeclareCursor>),
    OpenCursor(CursorName),
    FetchCursor(Box<FetchCursor>),
    CloseCursor(CursorName),
    DeallocateCursor(CursorName),

    // Transactions.
    BeginTransaction(Box<BeginTransaction>),
    CommitTransaction(Box<CommitTransaction>),
    RollbackTransaction(Box<RollbackTransaction>),
    SaveTransaction(TransactionName),

    // Tables and what belongs to them.
    CreateTable(Box<CreateTable>),
    AlterTable(Box<AlterTable>),
    CreateIndex(Box<CreateIndex>),
    AlterIndex(Box<AlterIndex>),
    DropIndex(Box<DropIndex>),
    CreateStatistics(Box<CreateStatistics>),
    UpdateStatistics(Box<UpdateStatistics>),
    DropStatistics(Vec<ObjectName>),
    /// ENABLE TRIGGER, DISABLE TRIGGER.
    SwitchTrigger(Box<SwitchTrigger>),

    // Modules.
    CreateView(Box<CreateView>),
    CreateProcedure(Box<CreateProcedure>),
    CreateFunction(Box<CreateFunction>),
    CreateTrigger(Box<CreateTrigger>),

    // Other objects of a database.
    /// Every DROP whose form is a kind and a list of names.
    Drop(Box<Drop>),
    CreateSchema(Box<CreateSchema>),
    AlterSchema(Box<AlterSchema>),
    CreateType(Box<CreateType>),
    XmlSchemaCollection(Box<XmlSchemaCollection>),
    CreateSequence(Box<CreateSequence>),
    CreateSynonym(Box<CreateSynonym>),
    /// CREATE DEFAULT, CREATE RULE.
    CreateDefaultOrRule(Box<CreateDefaultOrRule>),
    CreatePartitionFunction(Box<CreatePartitionFunction>),
    CreatePartitionScheme(Box<CreatePartitionScheme>),
    AlterPartitionFunction(Box<AlterPartitionFunction>),
    AlterPartitionScheme(Box<AlterPartitionScheme>),

    // Databases.
    CreateDatabase(Box<CreateDatabase>),
    AlterDatabase(Box<AlterDatabase>),
    Use(Ident),
    Backup(Box<Backup>),
    Restore(Box<Restore>),

    // Principals and permissions.
    CreateLogin(Box<CreateLogin>),
    AlterLogin(Box<AlterLogin>),
    CreateUser(Box<CreateUser>),
    AlterUser(Box<AlterUser>),
    CreateRole(Box<CreateRole>),
    AlterRole(Box<AlterRole>),
    AlterApplicationRole(Box<AlterApplicationRole>),
    AlterAuthorization(Box<AlterAuthorization>),
    Permission(Box<Permission>),
    SecurityPolicy(Box<SecurityPolicy>),

    // The server.
    Dbcc(Box<Dbcc>),
    Kill(Box<Kill>),
    Checkpoint(Option<Box<Expr>>),
    Shutdown {
        no_wait: bool,
    },
    Reconfigure {
        with_override: bool,
    },
    AlterServerConfiguration(Box<AlterServerConfiguration>),
    ThreadPool(Box<ThreadPool>),
    ResourceGovernor(Box<ResourceGovernor>),
    Credential(Box<Credential>),
    MasterKey(Box<MasterKey>),
    CreateCertificate(Box<CreateCertificate>),
    BackupCertificate(Box<BackupCertificate>),
    ServerAudit(Box<ServerAudit>),
    AuditSpecification(Box<AuditSpecification>),
    /// A statement of the language that is read to its end but has no tree of its own.
    Other(Box<OtherStatement>),
}

/// What is not built: `verb` is its first words in capitals ("ADD SIGNATURE"), for the message; the text is the
/// statement's span.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherStatement {
    pub verb: Box<str>,
    /// The event session that ALTER or DROP EVENT SESSION names.
    pub session: Option<Box<str>>,
}

/// One entry of the `NAME = value` lists that WITH (...), SET, BACKUP and the like take.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// In capitals; several words are joined by a blank: "DATA_COMPRESSION", "TRANSACTION ISOLATION LEVEL".
    pub name: Box<str>,
    pub value: SettingValue,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SettingValue {
    /// The name alone: RECOMPILE.
    Alone,
    On,
    Off,
    /// An identifier or keyword, in the case it was written in.
    Word(Ident),
    Name(ObjectName),
    Value(Expr),
    /// `10 PERCENT`, `64 MB`, `5 MINUTES`, `-1 DAY`; the unit in capitals ("%" is "PERCENT").
    Quantity(Expr, Box<str>),
    /// `ON (a = 1, b = 2)`, `(a, b)`: the word before the parenthesis if there is one.
    List(Option<Ident>, Vec<Setting>),
}

impl Setting {
    /// True for `NAME`, `NAME = ON` and `NAME ON`.
    pub fn is_on(&self) -> bool {
        matches!(self.value, SettingValue::Alone | SettingValue::On | SettingValue::List(..))
    }

    pub fn is_off(&self) -> bool {
        matches!(self.value, SettingValue::Off)
    }
}

/// The last setting called `name` (given in capitals).
pub fn find_setting<'a>(settings: &'a [Setting], name: &str) -> Option<&'a Setting> {
    settings.iter().rev().find(|setting| &*setting.name == name)
}
