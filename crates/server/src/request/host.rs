//! What execution asks of the server for one session: `exec::Host`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use exec::host::{
    CallArgument, Callee, Defined, Host, Impersonation, ModuleInfo, NamedValue, Naming, TableAccess, TableArgument,
    Wanted,
};
use exec::session::Session as State;
use exec::sink::{Command, Discard, Done, DoneKind, Environment, Outcome, Sink, Stop};
use exec::workspace::{GrantPolicy, Pool};
use sql::ast::{InsertBulk, StatementKind};
use sql::catalog::{
    Catalog as _, DatabaseId, ModuleDef, ModuleKind, Object, ObjectId, ObjectName, SequenceDef, TableDef,
    VirtualTableDef,
};
use sql::function::FunctionId;
use sql::plan::{Global, MaskedColumn, Module, ObjectRef, OutputColumn, Query, QueryId};
use storage::{Storage, Table, TableId};
use types::{Datum, RowBatch, SqlError, SqlResult, SqlType, sql_error};

use crate::catalog::workload::setting;
use crate::catalog::{Database, marks, no_such_database, registry, suspects};
use crate::definition::{self, HostSite};
use crate::instance::error_log::{self, CONSOLE, Source};
use crate::request::text_procedures;
use crate::security::check::Securable;
use crate::session::bulk_target::{BulkTarget, check_options};
use crate::session::compile::compile;
use crate::session::host::{SessionHost, object_name};
use crate::settings::config::option;
use crate::system;

impl SessionHost {
    /// A system procedure, native or not, in what is the current database now.
    fn call_system(
        &mut self,
        state: &mut State,
        sink: &mut dyn Sink,
        name: &str,
        arguments: &mut [CallArgument],
    ) -> SqlResult<i32> {
        // What msdb and master alone have is dbo's there.
        let of_database = registry::find_in(self.catalog_session.database, Some("dbo"), name).is_some();
        let schema = if of_database { "dbo" } else { "sys" };
        let full_name = ObjectName { server: None, database: None, schema: Some(schema.into()), name: name.into() };
        match self.procedure(state, &full_name, None)? {
            Callee::System(native) => self.system_procedure(state, sink, &native, arguments),
            Callee::Module(module, info) => {
                text_procedures::run_module(self, state, sink, &module, Some(&info), arguments)
            }
        }
    }

    /// INSERT BULK: the rows come with the next message.
    fn expect_bulk(&mut self, state: &mut State, sink: &mut dyn Sink, bulk: &InsertBulk) -> SqlResult<()> {
        check_options(bulk)?;
        let name = object_name(&bulk.table);
        let table = match self.resolve(state, &name)? {
            Some(Object::Table(table)) => Some(table),
            Some(Object::Module(_)) => None,
            _ => return Err(sql_error!(208, definition::site::written(&bulk.table))),
        };
        let written = definition::text::object_name(&bulk.table);
        let mut target = BulkTarget::new(bulk, written, table.as_deref());
        if let Some(target) = &mut target {
            target.set_collations(bulk, self.database_collation())?;
        }
        self.bulk_target = target;
        if let (Some(target), Some(table)) = (&self.bulk_target, &table)
            && target.needs_alter(table)
            && !self.may_alter(state, table)?
        {
            self.bulk_target = None;
            return Err(sql_error!(1088, name.name));
        }
        if self.bulk_target.is_none() {
            // SQL Server says no more than that it failed: clients know this answer and explain it themselves.
            let done =
                Done { kind: DoneKind::Statement, command: Command::Other, row_count: None, outcome: Outcome::Failed };
            sink.done(done).map_err(exec::session::stopped)?;
        }
        Ok(())
    }

    /// It becomes the current one, and the client is told.
    fn enter_database(&mut self, sink: &mut dyn Sink, database: &Database) -> Result<(), Stop> {
        let old = self.database_collation();
        self.catalog_session.database = database.id;
        sink.environment(&Environment::Database(database.row().name.as_str().into()))?;
        match database.collation {
            new if new != old => sink.environment(&Environment::Collation { new, old }),
            _ => Ok(()),
        }
    }
}

/// Between the database and the name of a system procedure that runs in another database than the session's.
const IN_DATABASE: char = '\0';

fn in_database(id: DatabaseId, name: &str) -> Box<str> {
    format!("{}{IN_DATABASE}{name}", id.0).into()
}

/// 2812, with the name as it was written: `master..p`.
fn no_such_procedure(name: &ObjectName) -> SqlError {
    let schema = name.schema.as_deref().or(name.database.as_ref().map(|_| ""));
    let parts = [name.database.as_deref(), schema, Some(&*name.name)];
    sql_error!(2812, parts.into_iter().flatten().collect::<Vec<_>>().join("."))
}

/// 2809: what EXEC names is something else. 2812 of what only the server knows.
fn no_procedure(name: &ObjectName, found: &Object) -> SqlError {
    let kind = match found {
        Object::Table(_) => "table",
        Object::Sequence(_) => "sequence",
        Object::Virtual(_) | Object::Synonym(_) => return no_such_procedure(name),
        Object::Module(definition) => match definition.kind {
            ModuleKind::View => "view",
            ModuleKind::Procedure => "procedure",
            ModuleKind::ScalarFunction => "scalar valued function",
            ModuleKind::InlineFunction | ModuleKind::TableFunction => "table valued function",
            ModuleKind::Trigger => "trigger",
        },
    };
    sql_error!(2809, "procedure", name.name, name.name, kind)
}

impl Host for SessionHost {
    fn catalog_version(&mut self, _state: &State) -> u64 {
        self.catalog_session.version(&self.server.catalog)
    }

    fn bind_query(&mut self, state: &mut State, module: &Arc<Module>, query: QueryId) -> SqlResult<Arc<Query>> {
        self.bound_query(state, module, query)
    }

    fn take_notices(&mut self) -> Vec<SqlError> {
        std::mem::take(&mut self.notices)
    }

    fn check_needs(&mut self, state: &mut State, query: &Query) -> SqlResult<()> {
        self.check_query(state, query)
    }

    fn check_shown(&mut self, state: &mut State, query: &Query) -> SqlResult<()> {
        self.check_plan_shown(state, query)
    }

    fn is_unmasked(&mut self, state: &mut State, columns: &[MaskedColumn]) -> SqlResult<bool> {
        self.is_unmasked_here(state, columns)
    }

    fn check_table_type(&mut self, state: &mut State, table: &TableDef, named_by: Option<ObjectRef>) -> SqlResult<()> {
        self.check_type(state, table, named_by)
    }

    fn execute_as(&mut self, state: &mut State, module: &ModuleInfo) -> SqlResult<()> {
        self.enter_module(state, module)
    }

    fn impersonate(&mut self, state: &mut State, asked: &Impersonation<'_>) -> SqlResult<Option<Vec<u8>>> {
        self.begin_impersonation(state, asked)
    }

    fn revert(&mut self, state: &mut State, cookie: Option<&[u8]>) -> SqlResult<()> {
        self.end_impersonation(state, cookie)
    }

    fn revert_to(&mut self, state: &mut State, contexts: u32) {
        self.leave_contexts(state, contexts);
    }

    fn nested_triggers(&self) -> bool {
        self.server.catalog.configuration.running(option::NESTED_TRIGGERS) != 0
    }

    fn results_from_triggers(&self) -> bool {
        self.server.catalog.configuration.running(option::DISALLOW_TRIGGER_RESULTS) == 0
    }

    fn recursive_triggers(&self, database: DatabaseId) -> bool {
        self.server.catalog.database(database).is_some_and(|database| database.recursive_triggers())
    }

    fn runs_native(&self) -> bool {
        // Machine code tells nobody which tables it reads.
        self.server.catalog.configuration.running(option::NATIVE_CODE) != 0 && !self.server.audits.any()
    }

    fn measures_native(&self, module: &ModuleInfo) -> Wanted {
        self.server.native_statistics.wanted(module)
    }

    fn storage(&self) -> &Storage {
        &self.server.catalog.storage
    }

    fn workspace_pool(&self) -> Arc<Pool> {
        self.server.workspace.clone()
    }

    fn grant_policy(&self) -> GrantPolicy {
        let running = |option| self.server.catalog.configuration.running(option);
        let group = self.entry.group.load(Ordering::Relaxed);
        let of_group = |setting| self.server.catalog.workload_groups().setting(group, setting);
        let wait_s = match of_group(setting::GRANT_TIMEOUT) {
            0 => u64::try_from(running(option::QUERY_WAIT)).ok(),
            seconds => Some(seconds as u64),
        };
        GrantPolicy {
            min_kb: running(option::MIN_MEMORY_PER_QUERY) as u64,
            wait_s,
            cost_max: running(option::QUERY_COST_LIMIT) as u32,
            query_percent: of_group(setting::GRANT_PERCENT) as u32,
            group,
        }
    }

    fn workload_group(&self, number: i32) -> String {
        let groups = self.server.catalog.workload_groups().all();
        groups.into_iter().find(|group| group.id == number).map_or_else(|| "default".into(), |group| group.name)
    }

    fn driver_row(&mut self, cursor: &str, table: &TableDef) -> SqlResult<Option<Vec<(usize, Datum)>>> {
        self.cursors.named(cursor).map(|cursor| cursor.current_key(table)).transpose()
    }

    fn snapshot_reads(&self, database: DatabaseId) -> bool {
        if database == self.catalog_session.database {
            return self.ask_database(|database| database.is_some_and(Database::snapshot_reads));
        }
        self.server.catalog.database(database).is_some_and(|database| database.snapshot_reads())
    }

    fn allows_snapshot(&self, database: DatabaseId) -> bool {
        self.server.catalog.database(database).is_some_and(|database| database.allows_snapshot())
    }

    fn elevates_to_snapshot(&self) -> bool {
        self.ask_database(|database| database.is_some_and(Database::elevates_to_snapshot))
    }

    fn delayed_durability(&self, asked: Option<bool>) -> bool {
        self.ask_database(|database| database.is_some_and(|database| database.delayed_durability(asked)))
    }

    fn audits(&self) -> bool {
        self.server.audits.any()
    }

    fn audit_table(&mut self, _state: &mut State, text: &str, table: &TableDef, access: TableAccess) -> SqlResult<()> {
        self.audit_access(text, table, access)
    }

    fn audit_call(&mut self, _state: &mut State, procedure: &ModuleInfo) -> SqlResult<()> {
        self.audit_procedure(procedure)
    }

    fn open_table(&mut self, _state: &mut State, table: &TableDef) -> SqlResult<Arc<Table>> {
        self.server
            .catalog
            .storage
            .open_table(storage::DatabaseId(table.database.0), TableId(table.object.0))
            .map_err(crate::catalog::error::storage_error)
    }

    fn check_writable(&mut self, database: DatabaseId) -> SqlResult<()> {
        self.server.catalog.database(database).map_or(Ok(()), |database| database.check_writable())
    }

    fn table_by_id(&mut self, state: &mut State, database: DatabaseId, object: ObjectId) -> SqlResult<Arc<TableDef>> {
        let found = self.with_catalog(state, |catalog| catalog.table_by_id(database, object))?;
        found.ok_or_else(|| sql_error!(208, object.0))
    }

    fn xml_schema(&mut self, state: &mut State, collection: u16) -> SqlResult<Arc<xml::schema::Schema>> {
        self.with_catalog(state, |catalog| catalog.xml_schema(collection))
    }

    fn database_name(&mut self, _state: &State, database: DatabaseId) -> String {
        self.server.catalog.database(database).map_or_else(String::new, |db| db.row().name.clone())
    }

    fn rows_of_type(
        &mut self,
        state: &mut State,
        table: &TableDef,
        name: &str,
        given: TableArgument,
    ) -> SqlResult<RowBatch> {
        self.within(table.database, |host| super::table_value::insert(host, state, table, name, given))
    }

    fn column_default(&mut self, state: &mut State, table: &TableDef, column: u16) -> SqlResult<Datum> {
        let column = &table.columns[usize::from(column)];
        let Some(default) = &column.default else { return Ok(Datum::Null) };
        let text = format!("SELECT @value = {default}");
        let declared = format!("@value {} OUTPUT", column.ty);
        let module = compile(self, state, &text, &declared).map_err(SqlError::together)?;
        let argument = CallArgument { name: None, value: Some((column.ty, Datum::Null)), table: None, output: true };
        let (_, result) = self.trusted(state, |host, state| {
            exec::call_module(&module, None, vec![argument], state, host, &mut exec::sink::Discard)
        });
        Ok(result.outputs.into_iter().next().map_or(Datum::Null, |(_, _, value)| value))
    }

    fn table_by_name(&mut self, state: &mut State, name: &ObjectName) -> SqlResult<Arc<TableDef>> {
        let missing = || {
            let parts = [&name.database, &name.schema].into_iter().flatten().chain([&name.name]);
            sql_error!(1088, state 11, parts.map(|part| &**part).collect::<Vec<_>>().join("."))
        };
        let Some(Object::Table(table)) = self.resolve(state, name)? else { return Err(missing()) };
        // Only its identity values are given so: who may alter it may do that.
        match self.may_alter(state, &table)? {
            true => Ok(table),
            false => Err(missing()),
        }
    }

    fn identity_next(&mut self, _state: &mut State, table: &TableDef, count: u64) -> SqlResult<i64> {
        self.server.catalog.identity_next(table, count)
    }

    fn identity_used(&mut self, _state: &mut State, table: &TableDef, value: i64) -> SqlResult<()> {
        self.server.catalog.identity_used(table, value)
    }

    fn rowversion_next(&mut self, _state: &mut State, database: DatabaseId) -> SqlResult<u64> {
        self.server.catalog.rowversion_next(database)
    }

    fn sequence_next(&mut self, _state: &mut State, sequence: &SequenceDef) -> SqlResult<Datum> {
        self.server.catalog.sequence_next(sequence)
    }

    fn naming(&mut self, state: &State) -> Naming {
        let version = self.catalog_version(state);
        Naming { database: self.catalog_session.database, version, actor: state.actor }
    }

    fn called_again(&mut self) {
        self.server.plans.procedures.count_found();
    }

    fn procedure(&mut self, state: &mut State, name: &ObjectName, named_by: Option<ObjectRef>) -> SqlResult<Callee> {
        let asked = name.database.as_deref().and_then(|database| self.server.catalog.database_named(database));
        let elsewhere = asked.filter(|database| database.id != self.catalog_session.database);
        if let Some(native) = system::native_procedure(name) {
            return Ok(Callee::System(match elsewhere {
                Some(database) => {
                    self.check_enters(state, &database)?;
                    in_database(database.id, native)
                }
                None => native.into(),
            }));
        }
        let (found, through) = self.resolve_through(state, name)?;
        match found {
            Some(Object::Module(definition))
                if matches!(definition.kind, ModuleKind::Procedure | ModuleKind::ScalarFunction) =>
            {
                match elsewhere {
                    // A system procedure works on the database it is called in.
                    Some(database) if definition.object.0 < 0 => {
                        Ok(Callee::System(in_database(database.id, &name.name)))
                    }
                    _ => {
                        let object = (definition.database, definition.object);
                        if let Some(synonym) = through {
                            self.check_call(state, synonym, named_by)?;
                        }
                        self.check_call(state, object, through.or(named_by))?;
                        self.callee(state, &definition)
                    }
                }
            }
            Some(other) => Err(no_procedure(name, &other)),
            None => Err(no_such_procedure(name)),
        }
    }

    fn module(&mut self, state: &mut State, definition: &Arc<ModuleDef>) -> SqlResult<(Arc<Module>, DatabaseId)> {
        self.bind_module(state, definition)
    }

    fn trigger(&mut self, state: &mut State, database: DatabaseId, trigger: ObjectId) -> SqlResult<Callee> {
        let found = self.with_catalog(state, |catalog| catalog.module_by_id(database, trigger))?;
        let definition = found.ok_or_else(|| sql_error!(208, trigger.0))?;
        self.callee(state, &definition)
    }

    fn system_procedure(
        &mut self,
        state: &mut State,
        sink: &mut dyn Sink,
        name: &str,
        arguments: &mut [CallArgument],
    ) -> SqlResult<i32> {
        if let Some((database, plain)) = name.split_once(IN_DATABASE) {
            let id = database.parse().expect("written by `in_database`");
            return self.within(DatabaseId(id), |host| host.call_system(state, sink, plain, arguments));
        }
        if let Some(result) = text_procedures::call(self, state, sink, name, arguments) {
            return result;
        }
        if name == "sp_reset_connection" {
            let (database, old) = (self.catalog_session.database, self.database_collation());
            if let Some(descriptor) = self.reset(state, false) {
                sink.environment(&Environment::RollbackTransaction(descriptor)).map_err(exec::session::stopped)?;
            }
            if self.catalog_session.database != database {
                sink.environment(&Environment::Database(SessionHost::database_name(self).into()))
                    .map_err(exec::session::stopped)?;
            }
            let new = self.database_collation();
            if new != old {
                sink.environment(&Environment::Collation { new, old }).map_err(exec::session::stopped)?;
            }
            if let Err(error) = self.fire_logon(state, true) {
                sink.message(&error).map_err(exec::session::stopped)?;
                return Err(exec::session::stopped(Stop::Disconnected));
            }
            return Ok(0);
        }
        system::run_native(self, state, sink, name, arguments)
    }

    fn refused_status(&self, procedure: &str, error: &SqlError) -> Option<i32> {
        text_procedures::status_within(procedure, error)
    }

    fn compile(&mut self, state: &mut State, text: &str) -> SqlResult<Arc<Module>> {
        compile(self, state, text, "").map_err(SqlError::together)
    }

    fn define(
        &mut self,
        state: &mut State,
        sink: &mut dyn Sink,
        module: &Arc<Module>,
        query: QueryId,
        values: &[NamedValue],
    ) -> SqlResult<Defined> {
        let statement = module.queries[query.0 as usize].statement.clone();
        if let StatementKind::InsertBulk(bulk) = &statement.kind {
            return self
                .expect_bulk(state, sink, bulk)
                .map(|()| Defined::Whole)
                .map_err(|error| error.at_line(statement.line));
        }
        if let StatementKind::BulkInsert(bulk) = &statement.kind {
            let rows = self.bulk_insert(state, sink, bulk, statement.line);
            return rows.map(Defined::Rows).map_err(|error| error.at_line(statement.line));
        }
        definition::run(&mut HostSite { host: self, state, sink, values }, &statement, &module.text)
    }

    fn open_data_file(&mut self, state: &mut State, path: &str) -> SqlResult<os::disk::File> {
        self.data_file(state, path)
    }

    fn make_data_file(&mut self, state: &mut State, path: &str) -> SqlResult<os::disk::File> {
        self.new_data_file(state, path)
    }

    fn create_table_for(
        &mut self,
        state: &mut State,
        target: &ObjectName,
        columns: &[OutputColumn],
        filegroup: Option<&str>,
    ) -> SqlResult<Arc<TableDef>> {
        let mut site = HostSite { host: self, state, sink: &mut Discard, values: &[] };
        definition::create_for(&mut site, target, columns, filegroup)
    }

    fn table_made(&mut self, state: &mut State, sink: &mut dyn Sink, target: &ObjectName) -> SqlResult<()> {
        definition::event::table_made(&mut HostSite { host: self, state, sink, values: &[] }, target)
    }

    fn virtual_rows(
        &mut self,
        state: &mut State,
        table: &VirtualTableDef,
        columns: &[u16],
        arguments: &[Datum],
        row: &mut dyn FnMut(&[Datum]) -> SqlResult<()>,
    ) -> SqlResult<()> {
        system::virtual_rows(self, state, table, columns, arguments, row)
    }

    fn session_function(
        &mut self,
        state: &mut State,
        function: FunctionId,
        arguments: &[(SqlType, Datum)],
        ty: &SqlType,
    ) -> SqlResult<Datum> {
        system::session_function(self, state, function, arguments, ty)
    }

    fn global(&mut self, _state: &mut State, global: Global) -> SqlResult<Datum> {
        system::global(self, global)
    }

    fn database(&self) -> DatabaseId {
        self.catalog_session.database
    }

    fn set_database(&mut self, database: DatabaseId) {
        self.catalog_session.database = database;
    }

    fn return_to_database(&mut self, sink: &mut dyn Sink, database: DatabaseId) -> Result<(), Stop> {
        match self.server.catalog.database(database) {
            Some(database) => self.enter_database(sink, &database),
            // Dropped meanwhile: the session is left where it is.
            None => Ok(()),
        }
    }

    fn use_database(&mut self, state: &mut State, sink: &mut dyn Sink, name: &str) -> SqlResult<()> {
        if self.rights.is_application_role() {
            return Err(sql_error!(505));
        }
        let database = self.server.catalog.database_named(name).ok_or_else(|| no_such_database(name))?;
        self.server.catalog.check_open(&database)?;
        self.check_enters(state, &database)?;
        super::admission::admit(&self.server, &self.entry, &database)?;
        self.enter_database(sink, &database).map_err(exec::session::stopped)?;
        self.use_own_schema(state)?;
        // State 1 for USE, 2 at login.
        sink.message(&sql_error!(5701, database.row().name).at_line(1)).map_err(exec::session::stopped)
    }

    /// 15247: a limit is lifted by members of sysadmin alone.
    /// https://learn.microsoft.com/sql/t-sql/statements/set-query-governor-cost-limit-transact-sql, "Permissions"
    fn set_option(&mut self, state: &mut State, name: &str, _value: &Datum) -> SqlResult<()> {
        let permitted =
            name != "QUERY_GOVERNOR_COST_LIMIT" || self.rights(state, |rights, look| rights.sysadmin(look))?;
        if permitted { Ok(()) } else { Err(sql_error!(15247)) }
    }

    /// https://learn.microsoft.com/sql/t-sql/language-elements/raiserror-transact-sql: sysadmin, and who has ALTER TRACE.
    fn check_log(&mut self, state: &mut State) -> SqlResult<()> {
        let held = self.rights(state, |rights, look| rights.holds(look, None, &Securable::SERVER, "ALTER TRACE"))?;
        if held { Ok(()) } else { Err(sql_error!(2778, state 2, "WITH LOG", "RAISERROR")) }
    }

    fn message_text(&mut self, state: &mut State, number: i32) -> SqlResult<Option<(u8, String, Option<String>)>> {
        system::messages::find(self, state.options.language, number)
    }

    fn log(&mut self, state: &State, message: &SqlError) {
        tracing::error!(target: CONSOLE, spid = state.spid, "{message}");
        error_log::raise(Source::Session(state.spid), message);
        if matches!(message.number, 823 | 824) {
            suspects::record(&self.server.catalog);
        }
    }

    fn transaction_ended(&mut self, _state: &mut State, committed: bool) {
        self.catalog_session.transaction_ended(&self.server.catalog, committed);
        self.application_locks.transaction_ended();
    }

    fn put_mark(
        &mut self,
        _state: &mut State,
        transaction: &mut storage::Transaction,
        mark: &exec::session::Mark,
    ) -> SqlResult<()> {
        marks::put(&self.server.catalog, transaction, &self.entry.identity.login_name, mark)
    }

    fn module_returned(&mut self, state: &mut State, level: u32) {
        self.drop_temporaries(state, level);
    }

    fn rolled_back_to_savepoint(&mut self, state: &mut State) {
        if let Some(transaction) = state.transaction.current.as_mut() {
            self.catalog_session.rolled_back_to_savepoint(&self.server.catalog, transaction);
        }
    }

    fn restore_counters(&mut self, state: &mut State) {
        self.catalog_session.restore_counters(&self.server.catalog, state.transaction.savepoint_count());
    }
}
