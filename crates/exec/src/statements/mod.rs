//! Running modules: the instances made of them, calls, and the statements' control flow.
//!
//! Errors: inside a TRY (of this module or of a caller) an error unwinds to the CATCH. Otherwise it goes to the client at once and
//! the next statement runs, unless it is one that ends the batch.

mod measure;
mod triggered;
mod modify;
mod code;
mod callee;
mod cursor_table;
mod set_option;
mod transaction;
mod atomic;
mod ends;
mod failure;
mod result_sets;
mod collected;
mod execute;
mod native;
mod grant;
mod query;
mod cursor_rows;
mod cursor;
mod raise;
mod run;
mod impersonate;
mod show_plan;
mod statistics;

use std::cell::{Cell, RefCell};
use std::sync::{Arc, OnceLock};

use os::sync::{SpinClass, SpinLock};
use sql::plan::{ExecutorSlot, Expr, ExprKind, Module, Variable};
use types::pause::STRIDE;
use types::{Datum, RowBatch, SqlError, SqlResult, SqlType, sql_error};

use crate::context::{Context, Interpreter, LazyWorkspace, ModuleCursors, Runtime, TriggerRows, Variables};
use crate::cursor_name::CursorName;
use crate::host::{CallArgument, CallResult, Ended, Host, ModuleInfo, Wanted};
use crate::memory_table::MemoryTable;
use crate::running::Called;
use crate::session::Session;
use crate::sink::{Sink, Stop};
use code::Code;
use native::NativeCode;
use query::Prepared;

pub(crate) use callee::datum;
pub(crate) use cursor_table::CursorTable;
use failure::Unwind;
pub use grant::ask_to_sort;
use measure::Counters;
pub use measure::{Figures, Measured};
pub use query::command_of;
pub(crate) use transaction::reads_table;
use transaction::replace;
pub use triggered::{EventTrigger, fire_event};

/// EXECUTE, triggers and functions within one another; one more is error 217.
pub const NESTING_MAX: u32 = 32;

/// What exec made of a module: its compiled statements and queries, and room for one run of it.
struct Instance {
    code: Vec<Code>,
    cursor_names: Vec<CursorName>,
    variables: Variables,
    tables: Vec<RefCell<MemoryTable>>,
    /// By `QueryId`; made when the query first runs.
    queries: Vec<Option<Box<Prepared>>>,
    /// Of a natively compiled module; made when it first runs.
    native: Option<Box<NativeCode>>,
    /// Of the shelf it came from, the module's own first. None: it runs, and its runner has them.
    counters: Option<Arc<[Counters]>>,
}

/// Instances of a module that are not running. A call takes one and gives it back. Schedulers have shelves of their own: an
/// instance stays in the cache of the CPU that used it last.
struct Pool {
    shelves: [Shelf; SHELVES],
    /// Of a natively compiled module.
    program: SpinLock<Option<native::Shared>>,
}

// An instance stays where it was made: it is handed on ten times a call.
#[allow(clippy::vec_box)]
struct Shelf {
    idle: SpinLock<Vec<Box<Instance>>>,
    /// What the instances that were made for it cost.
    counters: OnceLock<Arc<[Counters]>>,
}

static POOL_LOCK: SpinClass = SpinClass::new("EXEC_INSTANCES");

const SHELVES: usize = 8;

/// Idle instances kept on a shelf.
const SHELF_MAX: usize = 4;

fn pool(slot: &ExecutorSlot) -> &Pool {
    let shelf = |_| Shelf { idle: SpinLock::new(&POOL_LOCK, Vec::new()), counters: OnceLock::new() };
    let empty = || Pool { shelves: std::array::from_fn(shelf), program: SpinLock::new(&POOL_LOCK, None) };
    let any = slot.0.get_or_init(|| Arc::new(empty()));
    any.downcast_ref::<Pool>().expect("the slot is exec's alone")
}

fn shelf(slot: &ExecutorSlot) -> &Shelf {
    &pool(slot).shelves[os::sched::here().unwrap_or(0) as usize % SHELVES]
}

fn shared_program(module: &Module) -> Option<native::Shared> {
    pool(&module.executor).program.lock().clone()
}

fn share_program(module: &Module, program: native::Shared) {
    // The one before is freed outside of the lock.
    let before = pool(&module.executor).program.lock().replace(program);
    drop(before);
}

/// The machine code of a natively compiled module, in bytes. None: there is none in this engine.
pub fn machine_code_bytes(module: &Module) -> Option<usize> {
    let pool = module.executor.0.get()?.downcast_ref::<Pool>().expect("the slot is exec's alone");
    pool.program.lock().as_ref().map(|(_, program)| program.code_bytes())
}

/// What a module's executions cost since it was bound: its own first, if it was called, then each of its queries by `QueryId`.
/// None: never completed. Empty: it never ran.
pub fn measured(module: &Module) -> Vec<Option<Measured>> {
    let Some(any) = module.executor.0.get() else { return Vec::new() };
    let pool = any.downcast_ref::<Pool>().expect("the slot is exec's alone");
    measure::read(pool.shelves.iter().filter_map(|shelf| shelf.counters.get().map(|counters| &counters[..])))
}

/// Of a compiled query, buffers included, by the bytes of the plan it was compiled from. See `sql::plan::size`.
const COMPILED_PER_PLAN: usize = 2;

/// Memory kept for running a module, in bytes, besides the module: counters, machine code, and the instances that wait for a run, of which a
/// module that never ran is taken to have one.
pub fn held_bytes(module: &Module) -> usize {
    let counters = size_of::<Counters>() * (1 + module.queries.len());
    let pool = module.executor.0.get().map(|any| any.downcast_ref::<Pool>().expect("the slot is exec's alone"));
    let shelves = pool.map_or(&[][..], |pool| &pool.shelves[..]);
    let counted = shelves.iter().filter(|shelf| shelf.counters.get().is_some()).count();
    let instances: usize = shelves.iter().map(|shelf| shelf.idle.lock().len()).sum();
    let plans = module.queries.iter().filter_map(|query| query.bound.get());
    let queries: usize = plans.map(|plan| size_of::<Prepared>() + COMPILED_PER_PLAN * plan.held_bytes()).sum();
    let instance = size_of::<Instance>() + queries + size_of::<Datum>() * module.variables.len();
    let program = pool.and_then(|pool| pool.program.lock().as_ref().map(|(_, program)| program.held_bytes()));
    size_of::<Pool>() + counted.max(1) * counters + instances.max(1) * instance + program.unwrap_or(0)
}

/// Memory is short: instances that wait for a run forget what they compiled of queries, with its buffers, some of which have had a
/// thousand wide rows. The next run compiles anew.
pub fn let_go(module: &Module) {
    let Some(any) = module.executor.0.get() else { return };
    let pool = any.downcast_ref::<Pool>().expect("the slot is exec's alone");
    for shelf in &pool.shelves {
        // Outside of the lock: a call that comes meanwhile makes an instance of its own.
        let mut idle = std::mem::take(&mut *shelf.idle.lock());
        // Machine code relies on the queries that it was made with.
        for instance in idle.iter_mut().filter(|instance| instance.native.is_none()) {
            instance.queries.iter_mut().for_each(|query| *query = None);
        }
        let mut kept = shelf.idle.lock();
        let room = SHELF_MAX.saturating_sub(kept.len()).min(idle.len());
        kept.extend(idle.drain(..room));
        drop(kept);
    }
}

/// Completed calls of a module since it was bound.
pub fn executions(module: &Module) -> u64 {
    let Some(any) = module.executor.0.get() else { return 0 };
    let pool = any.downcast_ref::<Pool>().expect("the slot is exec's alone");
    let counted = pool.shelves.iter().filter_map(|shelf| shelf.counters.get()?.first());
    counted.map(Counters::executions).sum()
}

impl Instance {
    fn new(module: &Arc<Module>) -> SqlResult<Instance> {
        let (code, cursor_names) = code::compile(module)?;
        Ok(Instance {
            code,
            cursor_names: cursor_names.into_iter().map(CursorName::new).collect(),
            variables: Variables::new(module.variables.iter().map(|variable| &variable.ty)),
            tables: module.table_variables.iter().map(|table| RefCell::new(memory_table(&table.table))).collect(),
            queries: (0..module.queries.len()).map(|_| None).collect(),
            native: None,
            counters: Some(shelf(&module.executor).counters.get_or_init(|| measure::counters_for(module)).clone()),
        })
    }

    fn take(module: &Arc<Module>) -> SqlResult<Box<Instance>> {
        let idle = shelf(&module.executor).idle.lock().pop();
        match idle {
            Some(instance) => Ok(instance),
            None => Instance::new(module).map(Box::new),
        }
    }

    /// A parameter without a value, whose default needs no conversion.
    fn set_default(&mut self, module: &Module, slot: usize) {
        let variable = &module.variables[slot];
        if variable.default.is_some() {
            let value = constant_default(variable).expect("the caller has the values of other defaults");
            self.variables.set_datum(slot as u32, value);
        }
    }

    /// Runs the statements with the variables that were set. `take`: what is wanted of a run that has come to its end.
    fn run<T>(
        mut self: Box<Instance>,
        module: &Arc<Module>,
        runtime: Runtime<'_>,
        frame: Frame,
        take: impl FnOnce(&mut run::Runner<'_>, run::Flow) -> T,
    ) -> Result<T, Unwind> {
        let caller = runtime.host.database();
        let contexts = runtime.session.contexts;
        if let Some(info) = &frame.info {
            runtime.host.set_database(info.database);
            if info.execute_as.is_some() {
                runtime.host.execute_as(runtime.session, info).map_err(Unwind::Scope)?;
            }
        }
        let wanted = match &frame.info {
            Some(info) if module.atomic.is_some() => runtime.host.measures_native(info),
            _ => Wanted::ALL,
        };
        let context = Context {
            variables: std::mem::take(&mut self.variables),
            runtime: RefCell::new(runtime),
            tables: std::mem::take(&mut self.tables),
            trigger: frame.trigger.clone(),
            outer: RefCell::new(Vec::new()),
            outer_sets: Cell::new(0),
            xml: RefCell::default(),
            work_tables: RefCell::new(Vec::new()),
            execution: Cell::new(0),
            kept: RefCell::default(),
            notices: Cell::default(),
            statement_time: Cell::new(0),
            null_eliminated: Cell::new(false),
            module: frame.info.clone(),
            cursors: RefCell::new(ModuleCursors {
                variables: module.cursor_variables.iter().map(|name| (name.clone(), None)).collect(),
                names: std::mem::take(&mut self.cursor_names),
            }),
            interpreter: &INTERPRETER,
            paced: Cell::new(STRIDE),
            given: RefCell::default(),
            drawn: RefCell::default(),
            workspace: LazyWorkspace::new(),
        };
        let signal = (frame.nested && frame.function.is_none()).then(|| context.session(|s| s.signal.clone()));
        let signal = signal.filter(|signal| !signal.running.is_held());
        let outer = signal.as_ref().map(|signal| {
            let database = frame.info.as_ref().map(|info| info.database.0);
            signal.running.enter(Called { text: module.text.clone(), database })
        });
        let counters = self.counters.take().expect("an instance that does not run");
        let called = (context.module.is_some() && wanted.calls).then(|| counters[0].begin());
        let code = std::mem::take(&mut self.code);
        let queries = std::mem::take(&mut self.queries);
        let mut runner = run::Runner::new(context, queries, module.clone(), frame, Some(counters));
        runner.native = self.native.take();
        runner.measures = wanted.queries;
        let result = runner.module(&code);
        if result.is_ok() {
            runner.give_back_cursors();
        }
        runner.leave();
        runner.revert_to(contexts);
        let result = match runner.return_to(caller) {
            Ok(()) => result,
            Err(stop) => result.and(Err(Unwind::Stop(stop))),
        };
        match (&called, &result) {
            (Some(mark), Ok(_)) => runner.counters()[0].end(mark, 0, 0),
            (None, Ok(_)) => runner.counters()[0].pass(),
            (_, Err(_)) => {}
        }
        if let (Some(signal), Some(outer)) = (&signal, outer) {
            signal.running.leave(outer);
        }
        let finished = result.map(|flow| take(&mut runner, flow));
        self.counters = runner.counters.take();
        self.native = runner.native.take();
        self.code = code;
        self.queries = std::mem::take(&mut runner.queries);
        self.cursor_names = std::mem::take(&mut runner.context.cursors.get_mut().names);
        self.variables = std::mem::take(&mut runner.context.variables);
        self.tables = std::mem::take(&mut runner.context.tables);
        self.give_back(module);
        finished
    }

    fn give_back(mut self: Box<Instance>, module: &Arc<Module>) {
        self.variables.clear();
        self.tables.iter().for_each(|table| table.borrow_mut().clear());
        for query in &mut self.queries {
            if query.as_ref().is_some_and(|query| query.is_private()) {
                *query = None;
            }
        }
        let mut idle = shelf(&module.executor).idle.lock();
        if idle.len() < SHELF_MAX {
            idle.push(self);
        }
    }
}

fn memory_table(table: &sql::catalog::TableDef) -> MemoryTable {
    let stored = table.columns.iter().zip(&table.stored).filter(|(_, stored)| stored.is_some());
    let classes = stored.map(|(column, _)| column.ty.physical()).collect();
    MemoryTable::new(classes, table.indexes.iter().filter(|index| index.unique).count())
}

/// How a module runs: as the batch itself, or within something.
pub(crate) struct Frame {
    pub info: Option<Arc<ModuleInfo>>,
    /// Statements end with `DoneKind::InProcedure`.
    pub nested: bool,
    /// No other module called it.
    pub from_client: bool,
    pub trigger: Option<TriggerRows>,
    /// A function: no messages and no results go out, its RETURN gives a value.
    pub function: Option<SqlType>,
}

/// What is left of a run of a module's statements.
struct Finished {
    status: i32,
    value: Datum,
    variables: Vec<Datum>,
    /// Its first table variable: a table-valued function's rows.
    table: Option<MemoryTable>,
}

const INTERPRETER: Interpreter =
    Interpreter { scalar_function: execute::scalar_function, table_function: execute::table_function };

#[cold]
fn nesting_exceeded() -> SqlError {
    sql_error!(217, 32)
}

/// Runs `body` one nesting level deeper, as module `object`; what belongs to a level is put back whatever happens.
fn nested<T>(
    runtime: Runtime<'_>,
    object: i32,
    body: impl FnOnce(Runtime<'_>) -> Result<T, Unwind>,
) -> Result<T, Unwind> {
    let session = &mut *runtime.session;
    if session.nest_level >= NESTING_MAX {
        return Err(Unwind::Scope(nesting_exceeded()));
    }
    session.nest_level += 1;
    let (procedure, identity, contexts) = (session.procedure_id, session.scope_identity.take(), session.contexts);
    session.procedure_id = object;
    let result = body(Runtime { session: &mut *runtime.session, host: &mut *runtime.host, sink: &mut *runtime.sink });
    let session = &mut *runtime.session;
    session.procedure_id = procedure;
    session.scope_identity = identity;
    if session.contexts != contexts && !std::mem::take(&mut session.keeps_context) {
        runtime.host.revert_to(session, contexts);
    }
    runtime.host.module_returned(session, session.nest_level);
    session.nest_level -= 1;
    result
}

/// Values for the parameters: `Some` sets, None takes the default, which is ready (`constant_default`). And rows for table-valued parameters by position.
type ParameterValues = Vec<Option<Datum>>;

/// Takes an instance, sets the parameters, runs. `keep_table`: the caller wants its first table variable.
fn run_instance(
    module: &Arc<Module>,
    parameters: ParameterValues,
    table_parameters: Vec<(usize, RowBatch)>,
    runtime: Runtime<'_>,
    frame: Frame,
    keep_table: bool,
) -> Result<Finished, Unwind> {
    let mut instance = Instance::take(module).map_err(Unwind::Scope)?;
    for (slot, value) in parameters.iter().enumerate() {
        match value {
            Some(value) => instance.variables.set_datum(slot as u32, value),
            None => instance.set_default(module, slot),
        }
    }
    for (slot, rows) in table_parameters {
        instance.tables[slot].get_mut().fill(&module.table_variables[slot].table, &rows).map_err(Unwind::Scope)?;
    }
    instance.run(module, runtime, frame, |runner, flow| Finished {
        status: flow.status(runner.unsaid_status()),
        value: std::mem::take(&mut runner.return_value),
        variables: (0..module.parameter_count as u32).map(|slot| runner.context.variables.datum(slot)).collect(),
        table: keep_table.then(|| runner.context.tables.first_mut().map(|table| table.get_mut().take())).flatten(),
    })
}

/// A parameter's default that is a literal of its type. None: it has another one, or it has to be computed (`default_value`).
fn constant_default(variable: &Variable) -> Option<&Datum> {
    match variable.default.as_ref()? {
        Expr { kind: ExprKind::Literal(value), ty, .. } if *ty == variable.ty => Some(value),
        _ => None,
    }
}

/// The value of any other default, of its own type.
fn default_value(default: &Expr, runtime: &mut Runtime<'_>) -> SqlResult<Datum> {
    let scalar = code::compiler().scalar(default)?;
    let context = Context {
        variables: Variables::default(),
        runtime: RefCell::new(runtime.again()),
        tables: Vec::new(),
        trigger: None,
        outer: RefCell::new(Vec::new()),
        outer_sets: Cell::new(0),
        xml: RefCell::default(),
        work_tables: RefCell::new(Vec::new()),
        execution: Cell::new(0),
        kept: RefCell::default(),
        statement_time: Cell::new(0),
        null_eliminated: Cell::new(false),
        notices: Cell::default(),
        module: None,
        cursors: RefCell::default(),
        interpreter: &INTERPRETER,
        paced: Cell::new(STRIDE),
        given: RefCell::default(),
        drawn: RefCell::default(),
        workspace: LazyWorkspace::new(),
    };
    scalar.scalar_datum(&context)
}

/// Runs a batch. Errors and results go to `sink`; the caller sends the end of the request.
pub fn run_batch(module: &Arc<Module>, session: &mut Session, host: &mut dyn Host, sink: &mut dyn Sink) -> Ended {
    session.nest_level = 0;
    session.statement_depth = 0;
    session.cursors.begin_batch();
    session.insert_execute = None;
    session.aborted = false;
    session.thrown = false;
    session.trigger_unbound = false;
    session.try_level = 0;
    session.handling.clear();
    for message in module.messages.iter().chain(&host.take_notices()) {
        if let Err(stop) = sink.message(message) {
            return Ended::Stopped(stop);
        }
    }
    let runtime = Runtime { session: &mut *session, host: &mut *host, sink: &mut *sink };
    let frame = Frame { info: None, nested: false, from_client: true, trigger: None, function: None };
    let result = run_instance(module, Vec::new(), Vec::new(), runtime, frame, false);
    end_of_request(result.map(|_| ()), session, host, sink)
}

/// Calls a module from outside of any batch (RPC, sp_executesql). Its statements end with `DoneKind::InProcedure`; errors go to `sink`.
pub fn call_module(
    module: &Arc<Module>,
    info: Option<&Arc<ModuleInfo>>,
    arguments: Vec<CallArgument>,
    session: &mut Session,
    host: &mut dyn Host,
    sink: &mut dyn Sink,
) -> (Ended, CallResult) {
    if session.nest_level == 0 {
        session.try_level = 0;
        session.handling.clear();
        session.cursors.begin_batch();
    }
    // Not within a statement that needs the module's answer, either (a default's value).
    let outermost = session.nest_level == 0 && session.statement_depth == 0;
    let level = session.transaction.level;
    let runtime = Runtime { session: &mut *session, host: &mut *host, sink: &mut *sink };
    match execute::call(module, info, arguments, runtime, outermost) {
        Ok(mut result) if outermost => {
            let mut told = Ok(());
            if let Some(error) = transaction::level_error(session, level) {
                session.error = error.number;
                match info {
                    Some(info) => result.unbalanced = Some(error.in_procedure(&info.name)),
                    None => told = sink.message(&error),
                }
            }
            (end_of_request(told.map_err(Unwind::Stop), session, host, sink), result)
        }
        Ok(result) => (Ended::Completed, result),
        Err(unwind) if outermost => {
            // It could not begin or go on: that has a status. What a statement of it has ended has none.
            let status = if let Unwind::Scope(error) = &unwind { error.number } else { 0 };
            (end_of_request(Err(unwind), session, host, sink), CallResult { status, ..CallResult::default() })
        }
        Err(Unwind::Stop(stop)) => (Ended::Stopped(stop), CallResult::default()),
        // Within a TRY of the caller: the system procedure that called hands it on.
        Err(Unwind::Error(error)) => {
            session.thrown = true;
            (failed(error, session), CallResult::default())
        }
        Err(Unwind::Scope(error)) => (failed(error, session), CallResult::default()),
        Err(Unwind::Aborted) => {
            session.aborted = true;
            (Ended::Aborted, CallResult::default())
        }
    }
}

fn failed(error: SqlError, session: &mut Session) -> Ended {
    session.error = error.number;
    Ended::Failed(error)
}

/// Runs a query of the server's own within the statement that is running: in its transaction, its results to `sink`, its error to
/// the caller. @@ROWCOUNT, @@ERROR and what else a statement leaves behind stay as they are.
pub fn run_within(
    module: &Arc<Module>,
    session: &mut Session,
    host: &mut dyn Host,
    sink: &mut dyn Sink,
) -> Result<(), Within> {
    let kept = (session.row_count, session.error, session.identity, session.scope_identity);
    session.try_level += 1;
    session.signal.running.hold();
    let runtime = Runtime { session: &mut *session, host, sink };
    let frame = Frame { info: None, nested: true, from_client: false, trigger: None, function: None };
    let result = run_instance(module, Vec::new(), Vec::new(), runtime, frame, false);
    session.signal.running.release();
    session.try_level -= 1;
    (session.row_count, session.error, session.identity, session.scope_identity) = kept;
    match result {
        Ok(_) => Ok(()),
        Err(Unwind::Error(error) | Unwind::Scope(error)) => Err(Within::Error(error)),
        Err(Unwind::Stop(stop)) => Err(Within::Stopped(stop)),
        Err(Unwind::Aborted) => Err(Within::Stopped(Stop::Attention)),
    }
}

/// Why `run_within` did not complete.
#[derive(Debug)]
pub enum Within {
    Error(SqlError),
    Stopped(Stop),
}

/// What happens between the last statement and the end of the request.
fn end_of_request(
    result: Result<(), Unwind>,
    session: &mut Session,
    host: &mut dyn Host,
    sink: &mut dyn Sink,
) -> Ended {
    let mut ended = match result {
        Ok(()) => Ended::Completed,
        Err(Unwind::Aborted) => Ended::Aborted,
        Err(Unwind::Stop(stop)) => Ended::Stopped(stop),
        Err(Unwind::Error(error) | Unwind::Scope(error)) => {
            session.error = error.number;
            match sink.message(&error) {
                Ok(()) => Ended::Aborted,
                Err(stop) => Ended::Stopped(stop),
            }
        }
    };
    if session.transaction.level == 0 {
        // An autocommit statement that was stopped in the middle.
        transaction::abandon(session, host);
    } else if session.transaction.doomed {
        let told = transaction::abandon_and_tell(session, host, sink);
        let error = sql_error!(3998);
        if let Err(stop) = told.and_then(|()| sink.message(&error.at_line(1))) {
            ended = Ended::Stopped(stop);
        }
    } else if matches!(ended, Ended::Stopped(Stop::Disconnected)) {
        transaction::abandon(session, host);
    } else if matches!(ended, Ended::Stopped(_)) && session.options.xact_abort {
        if let Err(stop) = transaction::abandon_and_tell(session, host, sink) {
            ended = Ended::Stopped(stop);
        }
    }
    ended
}

/// BEGIN TRANSACTION from outside of any batch: a driver's transaction manager request, a bulk load.
pub fn begin_transaction(
    session: &mut Session,
    host: &mut dyn Host,
    sink: &mut dyn Sink,
    name: Option<&str>,
) -> SqlResult<()> {
    transaction::begin(&mut Runtime { session, host, sink }, name.map(Into::into))
}

/// COMMIT TRANSACTION from outside of any batch.
pub fn commit_transaction(session: &mut Session, host: &mut dyn Host, sink: &mut dyn Sink) -> SqlResult<()> {
    transaction::commit(&mut Runtime { session, host, sink }, None)
}

/// Within a statement of many parts: those that are done stay, whatever comes, unless the session has a transaction of its own.
pub fn renew_transaction(session: &mut Session, host: &mut dyn Host, sink: &mut dyn Sink) -> SqlResult<()> {
    transaction::renew(&mut Runtime { session, host, sink })
}

/// ROLLBACK TRANSACTION from outside of any batch; `name` may be a savepoint's.
pub fn rollback_transaction(
    session: &mut Session,
    host: &mut dyn Host,
    sink: &mut dyn Sink,
    name: Option<&str>,
) -> SqlResult<()> {
    transaction::rollback(&mut Runtime { session, host, sink }, name)
}

/// SAVE TRANSACTION from outside of any batch.
pub fn save_transaction(session: &mut Session, host: &mut dyn Host, sink: &mut dyn Sink, name: &str) -> SqlResult<()> {
    transaction::save(&mut Runtime { session, host, sink }, name.into())
}

/// Whatever is open rolls back, and the client hears of it.
pub fn abandon_and_tell(session: &mut Session, host: &mut dyn Host, sink: &mut dyn Sink) -> Result<(), Stop> {
    transaction::abandon_and_tell(session, host, sink)
}

/// The session ends or is reset: whatever is open rolls back, without a word.
pub fn abandon_transaction(session: &mut Session, host: &mut dyn Host) {
    transaction::abandon(session, host);
}
