//! What execution asks of the server: catalog, tables, procedures, DDL, everything about other sessions.
//!
//! Every call may suspend the worker. Errors come back as the user's and are raised at the calling statement's line.

use std::sync::Arc;

use sql::catalog::{DatabaseId, ModuleDef, ObjectId, ObjectName, RunsAs, SequenceDef, TableDef, VirtualTableDef};
use sql::function::FunctionId;
use sql::plan::{Global, MaskedColumn, Module, ObjectRef, OutputColumn, PrincipalKind, Query, QueryId};
use storage::{Storage, Table};
use types::{Datum, SqlError, SqlResult, SqlType, sql_error};

use crate::session::{Mark, Session};
use crate::sink::{Sink, Stop};
use crate::workspace::{GrantPolicy, Pool};

/// A variable by its name, with its value as text; None: NULL.
pub type NamedValue = (Box<str>, Option<String>);

/// What a definition has done.
pub enum Defined {
    Whole,
    /// Rows affected, of a statement that has some.
    Rows(u64),
    /// What it could do of a list stays, and the error is of the rest.
    Part(SqlError),
}

pub trait Host {
    /// `sql::catalog::Catalog::version` for this session now: a query bound at another version is bound again.
    fn catalog_version(&mut self, session: &Session) -> u64;

    /// Binds a statement of `module` now; the server caches the answer by module, query and catalog version.
    fn bind_query(&mut self, session: &mut Session, module: &Arc<Module>, query: QueryId) -> SqlResult<Arc<Query>>;

    /// Messages of the bindings since this was called before.
    fn take_notices(&mut self) -> Vec<SqlError> {
        Vec::new()
    }

    /// 229, 230: what the query needs is not permitted to `session.actor`.
    fn check_needs(&mut self, _session: &mut Session, _query: &Query) -> SqlResult<()> {
        Ok(())
    }

    /// The same, and 262: its plan is not to be shown.
    fn check_shown(&mut self, session: &mut Session, query: &Query) -> SqlResult<()> {
        self.check_needs(session, query)
    }

    /// Whether `session.actor` sees what these columns hold, and not their masks.
    fn is_unmasked(&mut self, _session: &mut Session, _columns: &[MaskedColumn]) -> SqlResult<bool> {
        Ok(true)
    }

    /// 229: a variable or parameter of this table type, which `named_by` declares, is not permitted to `session.actor`.
    fn check_table_type(
        &mut self,
        _session: &mut Session,
        _table: &TableDef,
        _named_by: Option<ObjectRef>,
    ) -> SqlResult<()> {
        Ok(())
    }

    /// A module WITH EXECUTE AS begins: its body acts as another.
    fn execute_as(&mut self, _session: &mut Session, _module: &ModuleInfo) -> SqlResult<()> {
        Ok(())
    }

    /// EXECUTE AS as a statement; gives the cookie, if one is asked for.
    fn impersonate(&mut self, _session: &mut Session, asked: &Impersonation<'_>) -> SqlResult<Option<Vec<u8>>> {
        Err(sql_error!(15517, asked.name))
    }

    /// REVERT: of the last EXECUTE AS, if there is one.
    fn revert(&mut self, _session: &mut Session, _cookie: Option<&[u8]>) -> SqlResult<()> {
        Ok(())
    }

    /// What was begun by EXECUTE AS since `session.contexts` was `contexts` is over: a module or a text has ended.
    fn revert_to(&mut self, _session: &mut Session, _contexts: u32) {}

    /// A schema collection of the current database, by its number. 6327: there is none.
    fn xml_schema(&mut self, _session: &mut Session, collection: u16) -> SqlResult<Arc<xml::schema::Schema>> {
        Err(sql_error!(6327, collection))
    }

    fn storage(&self) -> &Storage;

    /// What the operators of all queries may hold in memory.
    fn workspace_pool(&self) -> Arc<Pool>;

    /// How much a query that asks for memory is given at least, and how long it waits.
    fn grant_policy(&self) -> GrantPolicy;

    /// What the workload group of this number is called.
    fn workload_group(&self, number: i32) -> String;

    /// sp_configure 'nested triggers': whether what an AFTER trigger changes fires AFTER triggers.
    fn nested_triggers(&self) -> bool {
        true
    }

    /// sp_configure 'disallow results from triggers': whether the client gets what a trigger selects.
    fn results_from_triggers(&self) -> bool {
        true
    }

    /// RECURSIVE_TRIGGERS of the database: whether what an AFTER trigger changes fires that trigger itself.
    fn recursive_triggers(&self, _database: DatabaseId) -> bool {
        false
    }

    /// Whether natively compiled modules run as machine code, or are interpreted.
    fn runs_native(&self) -> bool {
        true
    }

    /// What of a natively compiled module is measured.
    fn measures_native(&self, _module: &ModuleInfo) -> Wanted {
        Wanted::ALL
    }

    /// READ_COMMITTED_SNAPSHOT of a database.
    fn snapshot_reads(&self, database: DatabaseId) -> bool;

    /// ALLOW_SNAPSHOT_ISOLATION of a database.
    fn allows_snapshot(&self, database: DatabaseId) -> bool;

    /// MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT of the current database.
    fn elevates_to_snapshot(&self) -> bool;

    /// Delayed durability of the current database: `asked` is COMMIT WITH (DELAYED_DURABILITY = ...).
    fn delayed_durability(&self, asked: Option<bool>) -> bool {
        asked.unwrap_or(false)
    }

    /// The row that a cursor of this name is on which the client's driver has opened: values of a unique key of `table`, each with its
    /// column. None: there is no such cursor.
    fn driver_row(&mut self, _cursor: &str, _table: &TableDef) -> SqlResult<Option<Vec<(usize, Datum)>>> {
        Ok(None)
    }

    /// Whether `audit_table` and `audit_call` are to be told: asked first, of every statement.
    fn audits(&self) -> bool {
        false
    }

    /// The statement `text` is about to do this with a user's table. Err: it must not.
    fn audit_table(
        &mut self,
        _session: &mut Session,
        _text: &str,
        _table: &TableDef,
        _access: TableAccess,
    ) -> SqlResult<()> {
        Ok(())
    }

    /// A procedure is about to be called. Err: it must not be.
    fn audit_call(&mut self, _session: &mut Session, _procedure: &ModuleInfo) -> SqlResult<()> {
        Ok(())
    }

    /// The storage of a base or temporary table.
    fn open_table(&mut self, session: &mut Session, table: &TableDef) -> SqlResult<Arc<Table>>;

    /// 3906: its rows may not be changed. Who makes it so changes `catalog_version`.
    fn check_writable(&mut self, _database: DatabaseId) -> SqlResult<()> {
        Ok(())
    }

    fn table_by_id(
        &mut self,
        session: &mut Session,
        database: DatabaseId,
        object: ObjectId,
    ) -> SqlResult<Arc<TableDef>>;

    /// Its name, for messages.
    fn database_name(&mut self, session: &Session, database: DatabaseId) -> String;

    /// A client's rows for a table-valued parameter of the type `table`, as an INSERT into a variable of that type leaves them.
    /// `name`: the parameter's.
    fn rows_of_type(
        &mut self,
        session: &mut Session,
        table: &TableDef,
        name: &str,
        given: TableArgument,
    ) -> SqlResult<types::RowBatch>;

    /// The value of a column's DEFAULT now (ON DELETE SET DEFAULT); NULL without one.
    fn column_default(&mut self, session: &mut Session, table: &TableDef, column: u16) -> SqlResult<Datum>;

    /// The table of SET IDENTITY_INSERT. 208 or 1088 when there is no such table, or it may not be altered.
    fn table_by_name(&mut self, session: &mut Session, name: &ObjectName) -> SqlResult<Arc<TableDef>>;

    /// The next `count` identity values of a table: the first one. They are never given back.
    fn identity_next(&mut self, session: &mut Session, table: &TableDef, count: u64) -> SqlResult<i64>;

    /// SET IDENTITY_INSERT gave a value: later ones are beyond it.
    fn identity_used(&mut self, session: &mut Session, table: &TableDef, value: i64) -> SqlResult<()>;

    /// The next value of a rowversion column in this database (@@DBTS).
    fn rowversion_next(&mut self, session: &mut Session, database: DatabaseId) -> SqlResult<u64>;

    fn sequence_next(&mut self, session: &mut Session, sequence: &SequenceDef) -> SqlResult<Datum>;

    /// What names mean to the session now.
    fn naming(&mut self, session: &Session) -> Naming;

    /// What EXEC of a name calls. 2812 when there is none, 229 when it is not permitted. `named_by`: the module of the catalog that calls.
    fn procedure(&mut self, session: &mut Session, name: &ObjectName, named_by: Option<ObjectRef>)
    -> SqlResult<Callee>;

    /// A procedure is called that the statement knows from its last run: `naming` has not changed since.
    fn called_again(&mut self) {}

    /// The body of a scalar or table-valued function, compiled, and the database that it works in.
    fn module(&mut self, session: &mut Session, definition: &Arc<ModuleDef>) -> SqlResult<(Arc<Module>, DatabaseId)>;

    fn trigger(&mut self, session: &mut Session, database: DatabaseId, trigger: ObjectId) -> SqlResult<Callee>;

    /// A system procedure (sp_executesql among them, which compiles its text and calls `call_module`). Writes OUTPUT arguments in place.
    fn system_procedure(
        &mut self,
        session: &mut Session,
        sink: &mut dyn Sink,
        name: &str,
        arguments: &mut [CallArgument],
    ) -> SqlResult<i32>;

    /// The status with which a system procedure tells its caller of such an error. None: the error is the statement's that calls.
    fn refused_status(&self, procedure: &str, error: &SqlError) -> Option<i32>;

    /// Compiles text for EXEC ('...').
    fn compile(&mut self, session: &mut Session, text: &str) -> SqlResult<Arc<Module>>;

    /// Runs a `StatementKind::Definition` from its tree, within the session's transaction. `values`: of the variables that it names.
    fn define(
        &mut self,
        session: &mut Session,
        sink: &mut dyn Sink,
        module: &Arc<Module>,
        query: QueryId,
        values: &[NamedValue],
    ) -> SqlResult<Defined>;

    /// A file that OPENROWSET(BULK ...) names. 4834, 4860, 4861
    fn open_data_file(&mut self, session: &mut Session, path: &str) -> SqlResult<os::disk::File>;

    /// An error file, which must not be there yet. 4834, 4861
    fn make_data_file(&mut self, session: &mut Session, path: &str) -> SqlResult<os::disk::File>;

    /// SELECT INTO: creates the table, on the filegroup if one is named, and answers its definition.
    fn create_table_for(
        &mut self,
        session: &mut Session,
        target: &ObjectName,
        columns: &[OutputColumn],
        filegroup: Option<&str>,
    ) -> SqlResult<Arc<TableDef>>;

    /// SELECT INTO has made the table and has its rows in it: the triggers of that event fire.
    fn table_made(&mut self, _session: &mut Session, _sink: &mut dyn Sink, _target: &ObjectName) -> SqlResult<()> {
        Ok(())
    }

    /// Rows of a DMV: each call of `row` gives the values of `columns`.
    fn virtual_rows(
        &mut self,
        session: &mut Session,
        table: &VirtualTableDef,
        columns: &[u16],
        arguments: &[Datum],
        row: &mut dyn FnMut(&[Datum]) -> SqlResult<()>,
    ) -> SqlResult<()>;

    /// Functions of the groups "Session and errors" and "Metadata" that exec does not answer itself. Values have the types of
    /// `arguments`; the result has `ty`.
    fn session_function(
        &mut self,
        session: &mut Session,
        function: FunctionId,
        arguments: &[(SqlType, Datum)],
        ty: &SqlType,
    ) -> SqlResult<Datum>;

    /// Globals that exec does not answer itself (@@VERSION, @@SERVERNAME, @@CONNECTIONS ...), of the type the binder gave.
    fn global(&mut self, session: &mut Session, global: Global) -> SqlResult<Datum>;

    /// The current database.
    fn database(&self) -> DatabaseId;

    /// Another one becomes current, and nobody is told.
    fn set_database(&mut self, database: DatabaseId);

    /// A text that ran within another has left this one: the client is told that the other's is current again.
    fn return_to_database(&mut self, sink: &mut dyn Sink, database: DatabaseId) -> Result<(), Stop>;

    /// USE. The server also raises the environment change and message 5701.
    fn use_database(&mut self, session: &mut Session, sink: &mut dyn Sink, name: &str) -> SqlResult<()>;

    /// SET options exec keeps no state for (CONTEXT_INFO beyond `Session`, SHOWPLAN and the like).
    fn set_option(&mut self, session: &mut Session, name: &str, value: &Datum) -> SqlResult<()>;

    /// Severity and us_english text of a message that sp_addmessage added, and its text in the session's language if it has another for it;
    /// the system's are `types::messages`.
    fn message_text(
        &mut self,
        _session: &mut Session,
        _number: i32,
    ) -> SqlResult<Option<(u8, String, Option<String>)>> {
        Ok(None)
    }

    /// 2778: RAISERROR ... WITH LOG is for few.
    fn check_log(&mut self, _session: &mut Session) -> SqlResult<()> {
        Ok(())
    }

    /// RAISERROR ... WITH LOG and errors of severity 20 and more.
    fn log(&mut self, session: &Session, message: &types::SqlError);

    /// A transaction began (true) or ended: catalog changes of a rolled back one are undone by the server.
    fn transaction_ended(&mut self, session: &mut Session, committed: bool);

    /// A transaction that was begun WITH MARK is about to be committed.
    fn put_mark(
        &mut self,
        _session: &mut Session,
        _transaction: &mut storage::Transaction,
        _mark: &Mark,
    ) -> SqlResult<()> {
        Ok(())
    }

    /// A module of the catalog that ran at `level` of nesting has returned: its temporary tables go.
    fn module_returned(&mut self, _session: &mut Session, _level: u32) {}

    /// ROLLBACK TRANSACTION savepoint, or the end of a statement that failed.
    fn rolled_back_to_savepoint(&mut self, _session: &mut Session) {}

    /// ROLLBACK TRANSACTION savepoint: what was done since has set counters.
    fn restore_counters(&mut self, _session: &mut Session) {}
}

/// What a statement does with a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableAccess {
    Select,
    Insert,
    Update,
    Delete,
}

/// What an EXECUTE AS asks for.
pub struct Impersonation<'a> {
    pub kind: PrincipalKind,
    pub name: &'a str,
    pub no_revert: bool,
    pub cookie: bool,
}

/// Where these are equal, a name that says nothing of a database stands for the same object as before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Naming {
    /// The current one.
    pub database: DatabaseId,
    /// `Host::catalog_version`.
    pub version: u64,
    /// `Session::actor`, who may call it.
    pub actor: u64,
}

/// What a procedure name stands for.
pub enum Callee {
    Module(Arc<Module>, Arc<ModuleInfo>),
    System(Box<str>),
}

/// Who is running: for messages and @@PROCID.
#[derive(Debug, Clone)]
pub struct ModuleInfo {
    /// That it works in.
    pub database: DatabaseId,
    pub object: ObjectId,
    /// `schema.name`, as error messages show it. Empty: they show the caller's.
    pub name: Box<str>,
    /// SET QUOTED_IDENTIFIER and ANSI_NULLS at CREATE.
    pub quoted_identifier: bool,
    pub ansi_nulls: bool,
    /// WITH EXECUTE AS: whom its body acts as.
    pub execute_as: Option<RunsAs>,
}

/// What of a module's runs is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// The module as a whole.
    pub calls: bool,
    pub queries: bool,
}

impl Wanted {
    pub const ALL: Wanted = Wanted { calls: true, queries: true };
}

/// An argument of a call from outside (RPC) or of a system procedure.
#[derive(Debug, Clone)]
pub struct CallArgument {
    /// With its @. None: by position.
    pub name: Option<Box<str>>,
    /// None: DEFAULT.
    pub value: Option<(SqlType, Datum)>,
    /// Rows of a table-valued parameter.
    pub table: Option<TableArgument>,
    pub output: bool,
}

/// Rows for a table-valued parameter, with the types they came in: the caller's, not yet the parameter's.
#[derive(Debug, Clone)]
pub struct TableArgument {
    pub types: Vec<SqlType>,
    pub rows: types::RowBatch,
    /// Columns without values: each row gets what an INSERT that leaves them out gives. Empty: none.
    pub defaults: Vec<bool>,
    /// Not a variable's, whose type was asked for when it was declared.
    pub from_client: bool,
}

/// What a call returned.
#[derive(Debug, Clone, Default)]
pub struct CallResult {
    pub status: i32,
    /// What a function returns, which is no status.
    pub value: Option<(SqlType, Datum)>,
    /// For each argument given with `output`, in their order: the parameter's name, type and last value.
    pub outputs: Vec<(Box<str>, SqlType, Datum)>,
    /// 266, which the client is told behind the status: a procedure that it called has not left the transactions as it found them.
    pub unbalanced: Option<SqlError>,
}

/// How a run ended. Errors have gone to the sink already, but for `Failed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    Completed,
    /// An error ended the batch; statements after it did not run.
    Aborted,
    Stopped(crate::sink::Stop),
    /// Of a call within a TRY of its caller: the error on its way to the CATCH, not sent. A system procedure returns it as its own.
    Failed(types::SqlError),
}
