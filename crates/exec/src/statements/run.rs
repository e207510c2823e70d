//! The interpreter: statements in order, conditions and loops, TRY and CATCH.

use std::sync::Arc;

use sql::ast::{DropKind, Expr, StatementKind, Variable};
use sql::catalog::{DatabaseId, USER_OBJECT_MIN};
use sql::plan::{Module, QueryId, SetOption};
use types::{Datum, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::code::{Code, CodeKind, Condition};
use super::ends::Origin;
use super::failure::Unwind;
use super::measure::{Counters, Mark};
use super::native::NativeCode;
use super::query::Prepared;
use super::{Frame, transaction};
use crate::context::{Context, Runtime, out_of_memory};
use crate::definition_name;
use crate::expression::{BytesExpr, I64Expr, Node, Scalar, concat, holds};
use crate::host::{Defined, NamedValue};
use crate::kernel;
use crate::session::{Options, stop_of};
use crate::sink::{Command, Discard, Done, DoneKind, Outcome, Sink, Stop};
use crate::value::{Row, Value, no_row};
use crate::workspace::Granted;

/// Where a statement leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    Next,
    Break,
    Continue,
    Goto(u32),
    Return(i32),
    /// NOEXEC or PARSEONLY is on now: what follows is passed over.
    Skip,
}

impl Flow {
    /// The return status of a module that ended so. `unsaid`: if no RETURN has said one.
    pub fn status(self, unsaid: i32) -> i32 {
        match self {
            Flow::Return(status) => status,
            _ => unsaid,
        }
    }
}

/// What a TRY block's end goes back to.
pub struct Try {
    /// Errors that outer CATCH blocks are handling.
    handling: usize,
    nest_level: u32,
}

pub struct Runner<'a> {
    pub context: Context<'a>,
    pub queries: Vec<Option<Box<Prepared>>>,
    pub module: Arc<Module>,
    pub frame: Frame,
    pub return_value: Datum,
    /// Of the last error of a statement of this module; 0: there was none.
    pub failed_severity: u8,
    /// Of a natively compiled module, once it has run.
    pub native: Option<Box<NativeCode>>,
    /// Of a module or dynamic text: the caller's SET options, which are in force again when it returns.
    entry_options: Option<Options>,
    /// What the module's queries cost, from 1 on.
    pub counters: Option<Arc<[Counters]>>,
    /// Whether anybody wants to know.
    pub measures: bool,
    /// The caller waits for the cursors of its parameters.
    pub gives_cursors: bool,
    /// INSERT ... EXEC is running: another one within it is error 8164.
    pub declared_tables: Vec<bool>,
    /// `Session::contexts` when it began.
    pub contexts: u32,
    /// Nobody is told that its quick statements have ended.
    pub quiet: bool,
    /// Statements begun that are not quick.
    works: u32,
    /// The status of what an EXEC called, which goes behind its error.
    pub untold_status: Option<i32>,
}

/// What can take long in a loop's body has a yield point of its own. The rest takes nanoseconds: only so many turns of it are worth
/// one.
const QUICK_TURNS: u32 = 32;

/// A quick statement is an assignment, a condition, what leaves a block or a loop, and FETCH INTO where nothing is counted. SQL Server
/// sends a DONE for each. A loop of nothing else tells of so many turns: its client would read millions of them, and the loop would do
/// little but write.
const TOLD_TURNS: u32 = 1_000;

/// What a loop knows of its last turns. It asks now and then: a turn is to cost nothing.
struct Turns {
    /// Whether it was quiet around the loop.
    quiet: bool,
    /// Turns in which nothing but quick statements ran, one after another.
    idle: u32,
    /// `Runner::works` when the last one began.
    works: u32,
}

impl Turns {
    fn begin(runner: &Runner<'_>) -> Turns {
        Turns { quiet: runner.quiet, idle: 0, works: runner.works }
    }

    /// So many turns more.
    fn passed(&mut self, turns: u32, runner: &mut Runner<'_>) {
        self.idle = if runner.works == self.works { self.idle.saturating_add(turns) } else { 0 };
        self.works = runner.works;
        runner.quiet = self.quiet || self.idle > TOLD_TURNS;
    }
}

/// What total_spills counts.
const PAGE_BYTES: u64 = 8_192;

const NO_ROW: fn() -> Row<'static> = || Row { batch: no_row(), index: 0 };

impl<'a> Runner<'a> {
    pub fn new(
        mut context: Context<'a>,
        queries: Vec<Option<Box<Prepared>>>,
        module: Arc<Module>,
        frame: Frame,
        counters: Option<Arc<[Counters]>>,
    ) -> Runner<'a> {
        let session = &mut *context.runtime.get_mut().session;
        let entry_options = frame.nested.then(|| session.options.clone());
        let gives_cursors = session.cursors.take_wanted();
        let contexts = session.contexts;
        Runner {
            contexts,
            // Of the server's own procedures clients see results and messages.
            quiet: frame.function.is_some() || frame.info.as_ref().is_some_and(|info| info.object.0 < USER_OBJECT_MIN),
            works: 0,
            untold_status: None,
            declared_tables: vec![false; module.table_variables.len()],
            context,
            queries,
            module,
            frame,
            return_value: Datum::Null,
            failed_severity: 0,
            native: None,
            entry_options,
            counters,
            measures: true,
            gives_cursors,
        }
    }

    pub fn counters(&self) -> &[Counters] {
        self.counters.as_ref().expect("given for the run")
    }

    /// None: it is not measured.
    #[inline]
    pub fn counters_of(&self, query: QueryId) -> Option<&Counters> {
        if self.measures { self.counters().get(query.0 as usize + 1) } else { None }
    }

    /// An execution that began at `mark` has completed. None: it is not measured, as hardly any is: a row's share of machine code that
    /// looks up a row shows a call made for it.
    #[inline(always)]
    pub fn end_query(&self, query: QueryId, mark: Option<Mark>, rows: u64) {
        if let Some(mark) = mark
            && let Some(counters) = self.counters_of(query)
        {
            let spilled = self.context.workspace.get().map_or(0, |workspace| workspace.spilled().bytes);
            counters.end(&mark, rows, spilled.div_ceil(PAGE_BYTES));
        }
    }

    /// It was granted memory.
    pub fn count_grant(&self, query: QueryId, granted: Granted) {
        if granted.granted > 0
            && let Some(counters) = self.counters_of(query)
        {
            counters.count_grant(granted);
        }
    }

    pub fn session(&mut self) -> &mut crate::session::Session {
        self.context.runtime.get_mut().session
    }

    /// The whole module.
    pub fn module(&mut self, code: &[Code]) -> Result<Flow, Unwind> {
        if self.is_shown() {
            return self.show_plan_xml();
        }
        if let Some(on) = self.module.parse_only {
            self.session().options.parse_only = on;
            if on {
                return Ok(Flow::Skip);
            }
        }
        let atomic = self.module.atomic;
        let flow = match atomic {
            Some(block) => self.atomic(&block, code)?,
            None if self.session().options.executes_nothing() => self.skip_from(code, 0)?,
            None => self.list(code)?,
        };
        match flow {
            Flow::Goto(_) => panic!("the binder has found every label"),
            flow => Ok(flow),
        }
    }

    /// SET options are the caller's again; local cursors are gone.
    pub fn leave(&mut self) {
        if let Some(options) = self.entry_options.take() {
            self.session().restore_options(options);
        }
        self.forget_cursors();
        for query in self.queries.iter_mut().flatten() {
            query.close();
        }
    }

    /// The caller's database is current again. Only the USE of a batch outlasts it, and that of a text that the client runs by
    /// sp_executesql or prepared: no other module called these.
    pub fn return_to(&mut self, caller: DatabaseId) -> Result<(), Stop> {
        let Runtime { host, sink, .. } = self.context.runtime.get_mut();
        let by_client = self.frame.from_client && self.frame.info.is_none();
        if by_client || host.database() == caller {
            return Ok(());
        }
        match self.frame.info {
            // Nobody was told that it was another's.
            Some(_) => host.set_database(caller),
            None => host.return_to_database(*sink, caller)?,
        }
        Ok(())
    }

    pub fn list(&mut self, code: &[Code]) -> Result<Flow, Unwind> {
        self.list_from(code, 0)
    }

    fn list_from(&mut self, code: &[Code], mut at: usize) -> Result<Flow, Unwind> {
        while let Some(statement) = code.get(at) {
            match self.statement(statement)? {
                Flow::Next => at += 1,
                Flow::Goto(label) => return self.jump(code, label),
                Flow::Skip => return self.skip_from(code, at + 1),
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    /// Goes on from a label, which may be in the list, or within its blocks. GOTO can be a loop.
    fn jump(&mut self, code: &[Code], label: u32) -> Result<Flow, Unwind> {
        let quiet = self.quiet;
        let end = self.jumps(code, label);
        self.quiet = quiet;
        end
    }

    fn jumps(&mut self, code: &[Code], mut label: u32) -> Result<Flow, Unwind> {
        let mut told = Turns::begin(self);
        loop {
            let Some(mut at) = place_of(code, label) else { return Ok(Flow::Goto(label)) };
            self.yield_point()?;
            told.passed(1, self);
            let mut flow = self.enter(&code[at], label)?;
            label = loop {
                match flow {
                    Flow::Next => at += 1,
                    Flow::Goto(next) => break next,
                    Flow::Skip => return self.skip_from(code, at + 1),
                    flow => return Ok(flow),
                }
                let Some(statement) = code.get(at) else { return Ok(Flow::Next) };
                flow = self.statement(statement)?;
            };
        }
    }

    /// Goes on from a label that is the statement, or within its blocks.
    fn enter(&mut self, code: &Code, label: u32) -> Result<Flow, Unwind> {
        match &code.kind {
            CodeKind::Block(body) => self.jump(body, label),
            CodeKind::If { then, otherwise, .. } => {
                let list = if place_of(then, label).is_some() { then } else { otherwise };
                self.jump(list, label)
            }
            CodeKind::While { condition, body } => match self.jump(body, label)? {
                Flow::Next | Flow::Continue => self.while_loop(condition, body, code.line),
                Flow::Break => Ok(Flow::Next),
                flow => Ok(flow),
            },
            _ => Ok(Flow::Next),
        }
    }

    /// Nothing but switches is executed, until one of them has the rest executed again.
    fn skip_from(&mut self, code: &[Code], from: usize) -> Result<Flow, Unwind> {
        for (at, statement) in code.iter().enumerate().skip(from) {
            if matches!(statement.kind, CodeKind::SetSwitch { .. }) {
                self.statement(statement)?;
                if !self.session().options.executes_nothing() {
                    return self.list_from(code, at + 1);
                }
            }
        }
        Ok(Flow::Skip)
    }

    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn yield_point(&mut self) -> Result<(), Unwind> {
        os::plant!();
        os::wait::maybe_yield();
        if os::wait::is_interrupted() {
            self.context.runtime.get_mut().sink.interrupted().map_err(Unwind::Stop)?;
        }
        match self.session().signal.pending() {
            None => Ok(()),
            Some(stop) => Err(Unwind::Stop(stop)),
        }
    }

    #[inline]
    fn statement(&mut self, code: &Code) -> Result<Flow, Unwind> {
        match &code.kind {
            CodeKind::Assign { .. } | CodeKind::Fetch(_) if self.session().options.fmt_only => Ok(Flow::Next),
            CodeKind::Assign { slot, value } if self.quick_assign(*slot, value) => {
                self.quick_ended(Command::Select, Some(1))?;
                Ok(Flow::Next)
            }
            CodeKind::Assign { slot, value } => {
                self.begins(code);
                self.yield_point()?;
                match self.assign(*slot, value) {
                    Ok(()) => {
                        self.tell_notices(code.line)?;
                        self.quick_ended(Command::Select, Some(1))?;
                        Ok(Flow::Next)
                    }
                    Err(error) => self.fail(error, code.line, Command::Select),
                }
            }
            CodeKind::If { then, otherwise, .. } if self.session().options.fmt_only => {
                // What either way would return.
                match self.list(then)? {
                    Flow::Next => self.list(otherwise),
                    flow => Ok(flow),
                }
            }
            CodeKind::If { condition, then, otherwise } => {
                self.begins(code);
                match self.condition(condition, code.line)? {
                    Ok(true) => self.list(then),
                    Ok(false) => self.list(otherwise),
                    Err(error) => self.fail(error, code.line, Command::Condition),
                }
            }
            CodeKind::While { body, .. } if self.session().options.fmt_only => self.list(body),
            CodeKind::While { condition, body } => {
                self.begins(code);
                self.while_loop(condition, body, code.line)
            }
            CodeKind::Block(body) => self.list(body),
            CodeKind::Fetch(fetch) => {
                self.begins(code);
                match self.fetch(fetch) {
                    // A row that went to the client had its DONE there.
                    Ok(()) if fetch.into.is_empty() => Ok(Flow::Next),
                    Ok(()) => {
                        self.works = self.works.wrapping_add(u32::from(!self.session().options.no_count));
                        self.quick_ended(Command::Fetch, None)?;
                        Ok(Flow::Next)
                    }
                    Err(error) => self.fail(error, code.line, Command::Fetch),
                }
            }
            CodeKind::Break => {
                self.session().row_count = 0;
                self.quick_ended(Command::Leave, None)?;
                Ok(Flow::Break)
            }
            CodeKind::Continue => {
                self.quick_ended(Command::Leave, None)?;
                Ok(Flow::Continue)
            }
            CodeKind::Label(_) => Ok(Flow::Next),
            CodeKind::Goto(label) => Ok(Flow::Goto(*label)),
            CodeKind::TryCatch { body, handler } => self.try_catch(body, handler),
            _ => self.other_statement(code),
        }
    }

    fn while_loop(&mut self, condition: &Condition, body: &[Code], line: u32) -> Result<Flow, Unwind> {
        let quiet = self.quiet;
        let end = self.turns(condition, body, line);
        self.quiet = quiet;
        end
    }

    fn turns(&mut self, condition: &Condition, body: &[Code], line: u32) -> Result<Flow, Unwind> {
        let body = match body {
            [Code { kind: CodeKind::Block(body), .. }] => body,
            body => body,
        };
        let mut told = Turns::begin(self);
        let mut turns = 0_u32;
        loop {
            match self.condition(condition, line)? {
                Ok(true) => {}
                Ok(false) => return Ok(Flow::Next),
                Err(error) => return self.fail(error, line, Command::Condition),
            }
            let mut at = 0;
            while let Some(Code { kind: CodeKind::Assign { slot, value }, .. }) = body.get(at)
                && self.quick_assign(*slot, value)
            {
                self.quick_ended(Command::Select, Some(1))?;
                at += 1;
            }
            if at < body.len() {
                match self.list_from(body, at)? {
                    Flow::Next | Flow::Continue => {}
                    Flow::Break => return Ok(Flow::Next),
                    flow => return Ok(flow),
                }
            }
            turns = turns.wrapping_add(1);
            if turns.is_multiple_of(QUICK_TURNS) {
                told.passed(QUICK_TURNS, self);
                self.yield_point()?;
            }
        }
    }

    #[inline(always)]
    fn condition(&mut self, condition: &Condition, line: u32) -> Result<SqlResult<bool>, Unwind> {
        match condition {
            Condition::Scalar(predicate) if let Some(value) = predicate.quick(&self.context) => {
                self.quick_ended(Command::Condition, None)?;
                self.condition_counted();
                Ok(Ok(value != 0))
            }
            condition => self.long_condition(condition, line),
        }
    }

    /// A condition is a statement of its own that touches no row: what it chooses finds @@ROWCOUNT and @@ERROR at 0.
    #[inline(always)]
    fn condition_counted(&mut self) {
        let session = self.session();
        session.row_count = 0;
        session.error = 0;
    }

    /// Whether a condition holds. One that fails does not, unless its failure ends more.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn holds(&mut self, condition: &Condition, line: u32) -> Result<bool, Unwind> {
        os::plant!();
        match self.condition(condition, line)? {
            Ok(holds) => Ok(holds),
            Err(error) => self.fail(error, line, Command::Condition).map(|_| false),
        }
    }

    fn long_condition(&mut self, condition: &Condition, line: u32) -> Result<SqlResult<bool>, Unwind> {
        self.yield_point()?;
        let result = self.general_condition(condition)?;
        if result.is_ok() {
            self.tell_null_eliminated(line)?;
            self.tell_notices(line)?;
            self.quick_ended(Command::Condition, None)?;
            self.condition_counted();
        }
        Ok(result)
    }

    fn general_condition(&mut self, condition: &Condition) -> Result<SqlResult<bool>, Unwind> {
        Ok(match condition {
            Condition::Scalar(predicate) => {
                self.context.statement_time.set(0);
                predicate.eval(&self.context, NO_ROW()).map(holds)
            }
            Condition::Query(id) => {
                self.scalar_query(*id)?.map(|value| matches!(value, Datum::I64(value) if value != 0))
            }
        })
    }

    /// False: nothing is done, `assign` is to do it.
    #[inline(always)]
    fn quick_assign(&mut self, slot: u32, value: &Scalar) -> bool {
        let Node::I64(node) = &value.node else { return false };
        let Some(value) = node.quick(&self.context) else { return false };
        self.context.variables.set_i64(slot, Some(value));
        let session = self.session();
        session.row_count = 1;
        session.error = 0;
        true
    }

    fn assign(&mut self, slot: u32, value: &Scalar) -> SqlResult<()> {
        self.context.statement_time.set(0);
        self.assign_from(slot, value, NO_ROW())?;
        let session = self.session();
        session.row_count = 1;
        session.error = 0;
        Ok(())
    }

    /// The value over a row goes into a variable.
    pub fn assign_from(&mut self, slot: u32, value: &Scalar, row: Row<'_>) -> SqlResult<()> {
        if let Node::I64(node) = &value.node {
            let value = I64Expr::eval(node, &self.context, row)?;
            self.context.variables.set_i64(slot, value);
        } else if let Node::Bytes(BytesExpr::Concat(parts, ty)) = &value.node
            && ty.is_max()
            && matches!(parts[0], BytesExpr::Variable(own) if own == slot)
            && let Some(before) = self.context.variables.bytes(slot).map(<[u8]>::len)
        {
            // `@s += ...`: what is there stays where it is.
            match concat(&self.context, row, &parts[1..], ty)? {
                None => self.context.set_variable(slot, Value::Null)?,
                Some(more) if before + more.len() > kernel::VALUE_BYTES_MAX => return Err(out_of_memory()),
                Some(more) => {
                    let more = more.into_owned();
                    self.context.append_to_variable(slot, &more)?;
                }
            }
        } else {
            let value = match value.value(&self.context, row)? {
                Value::Bytes(bytes) => Value::Bytes(self.context.own(bytes)?.into()),
                Value::I64(value) => Value::I64(value),
                Value::F64(value) => Value::F64(value),
                Value::I128(value) => Value::I128(value),
                Value::Null => Value::Null,
            };
            self.context.set_variable(slot, value)?;
        }
        self.check_assigned(slot)
    }

    /// A variable that was declared NOT NULL has a value.
    pub fn check_assigned(&self, slot: u32) -> SqlResult<()> {
        let variable = &self.module.variables[slot as usize];
        if variable.not_null && matches!(self.context.variables.value(slot), Value::Null) {
            return Err(super::execute::null_assigned(&variable.name));
        }
        Ok(())
    }

    fn try_catch(&mut self, body: &[Code], handler: &[Code]) -> Result<Flow, Unwind> {
        self.quick_ended(Command::Try, None)?;
        let begun = self.begin_try();
        let result = self.list(body);
        self.end_try();
        let result = match result {
            Err(Unwind::Error(error)) => {
                self.begin_catch(&begun, error);
                let told = self.quick_ended(Command::Catch, None);
                let result = told.and_then(|()| self.list(handler));
                self.end_catch(&begun, result.is_err());
                result
            }
            result => result,
        };
        // END CATCH counts no rows, whether the handler ran or not.
        if matches!(result, Ok(Flow::Next)) {
            self.session().row_count = 0;
            self.quick_ended(Command::EndCatch, None)?;
        }
        result
    }

    pub fn begin_try(&mut self) -> Try {
        let session = self.session();
        session.try_level += 1;
        Try { handling: session.handling.len(), nest_level: session.nest_level }
    }

    pub fn end_try(&mut self) {
        self.session().try_level -= 1;
    }

    /// `error` has ended the TRY block.
    pub fn begin_catch(&mut self, begun: &Try, error: SqlError) {
        let session = self.session();
        session.nest_level = begun.nest_level;
        session.handling.truncate(begun.handling);
        session.error = error.number;
        session.handling.push(error);
    }

    pub fn end_catch(&mut self, begun: &Try, failed: bool) {
        let session = self.session();
        session.handling.truncate(begun.handling);
        if !failed {
            session.error = 0;
        }
    }

    /// Others see what runs. A function's statements pass for the statement that calls it.
    #[inline]
    fn begins(&mut self, code: &Code) {
        if self.frame.function.is_none() {
            let session = self.session();
            session.signal.running.begin(code.doing);
            session.signal.running.note(session.settings());
        }
    }

    fn other_statement(&mut self, code: &Code) -> Result<Flow, Unwind> {
        self.works = self.works.wrapping_add(1);
        self.begins(code);
        self.yield_point()?;
        self.context.statement_time.set(0);
        let line = code.line;
        if self.session().options.fmt_only && !code.kind.runs_under_fmt_only() {
            return Ok(Flow::Next);
        }
        let (result, command) = match &code.kind {
            CodeKind::Query(id) if self.session().options.shows_plans() => return self.show_plan(*id, line),
            CodeKind::Definition(_) | CodeKind::Execute(_) if self.session().options.shows_plans() => {
                return Ok(Flow::Next);
            }
            CodeKind::Query(id) if self.session().options.fmt_only => return self.format_only(*id, line),
            CodeKind::Query(id) => return self.query(*id, line),
            CodeKind::Definition(id) => return self.definition(*id, line),
            CodeKind::Execute(execute) => return self.execute(execute, line),
            CodeKind::Return(value) => return self.return_value(value.as_ref(), line),
            CodeKind::ReturnQuery(id) => return self.return_query(*id, line),
            CodeKind::Throw(arguments) => return self.throw(arguments.as_deref(), line),
            CodeKind::Raiserror(raise) => return self.raiserror(raise, line),
            CodeKind::Print(value) => (self.print(value, line), Command::Print),
            CodeKind::DeclareTable(slot) => {
                // Declared again in a loop it keeps its rows, as SQL Server does.
                if !std::mem::replace(&mut self.declared_tables[slot.0 as usize], true) {
                    self.context.tables[slot.0 as usize].borrow_mut().clear();
                    let table = &self.module.table_variables[slot.0 as usize].table;
                    // A type's, not the statement's own definition.
                    if table.object.0 > 0 {
                        let runtime = self.context.runtime.get_mut();
                        if let Err(error) = runtime.host.check_table_type(runtime.session, table, self.module.object) {
                            return self.fail(error, line, Command::Other);
                        }
                    }
                }
                return Ok(Flow::Next);
            }
            CodeKind::BeginTransaction(name, mark) => {
                (self.begin_transaction(name.as_ref(), mark.as_deref()), Command::BeginTransaction)
            }
            CodeKind::Commit(delayed) => (self.commit(*delayed), Command::Commit),
            CodeKind::Rollback(name) => (self.rollback(name.as_ref()), Command::Rollback),
            CodeKind::Save(name) => (self.save(name), Command::Save),
            CodeKind::SetSwitch { names, on } => (self.set_switch(names, *on), set_command(&code.kind)),
            CodeKind::SetValue { name, value } => (self.set_value(name, value), set_command(&code.kind)),
            CodeKind::SetOther(option) => (self.set_other(option), set_command(&code.kind)),
            CodeKind::Use(name) => {
                let nested = self.frame.nested;
                let runtime = self.context.runtime.get_mut();
                // Of a text that a batch executes it ends with that text: no client hears of it.
                let mut unheard = Discard;
                let sink: &mut dyn Sink = if nested { &mut unheard } else { &mut *runtime.sink };
                (runtime.host.use_database(runtime.session, sink, name), Command::Use)
            }
            CodeKind::WaitForDelay(value) => (self.wait_for(value, false), Command::WaitFor),
            CodeKind::WaitForTime(value) => (self.wait_for(value, true), Command::WaitFor),
            CodeKind::ExecuteAs(context) => (self.execute_as(context), Command::Other),
            CodeKind::Revert(cookie) => (self.revert(cookie.as_ref()), Command::Other),
            CodeKind::DeclareCursor(cursor) => {
                // The query is bound here and not at OPEN: where it cannot be, there is no cursor, and nothing that would loop over it.
                if let Err(error) = self.prepare(cursor.query) {
                    return self.fail_bound(error, line, Command::DeclareCursor);
                }
                (self.declare_cursor(cursor), Command::DeclareCursor)
            }
            CodeKind::OpenCursor(cursor) => match self.open_cursor(cursor) {
                Ok(Some(unbound)) => return self.fail_bound(unbound, line, Command::OpenCursor),
                result => (result.map(|_| ()), Command::OpenCursor),
            },
            CodeKind::CloseCursor(cursor) => (self.close_cursor(cursor), Command::CloseCursor),
            CodeKind::DeallocateCursor(cursor) => (self.deallocate_cursor(cursor), Command::DeallocateCursor),
            CodeKind::AssignCursor { slot, from } => (self.assign_cursor(*slot, from), Command::DeclareCursor),
            _ => unreachable!("handled by `statement`"),
        };
        if let Err(error) = result {
            return self.fail(error, line, command);
        }
        let session = self.session();
        session.error = 0;
        // "@@ROWCOUNT": statements such as these reset it. Other kinds leave what the one before has said.
        if !matches!(code.kind, CodeKind::DeclareCursor(_) | CodeKind::OpenCursor(_) | CodeKind::AssignCursor { .. }) {
            session.row_count = 0;
        }
        if !has_no_done(&code.kind) {
            self.done(command, None)?;
        }
        let switched = matches!(code.kind, CodeKind::SetSwitch { .. });
        Ok(if switched && self.session().options.executes_nothing() { Flow::Skip } else { Flow::Next })
    }

    fn return_query(&mut self, id: QueryId, line: u32) -> Result<Flow, Unwind> {
        match self.scalar_query(id)? {
            Ok(value) => {
                if self.frame.function.is_none() {
                    self.tell_null_eliminated(line)?;
                }
                self.return_datum(value, line)
            }
            Err(error) => self.fail(error, line, Command::Select),
        }
    }

    fn return_value(&mut self, value: Option<&Scalar>, line: u32) -> Result<Flow, Unwind> {
        let Some(value) = value else {
            self.quick_ended(Command::Return, None)?;
            return Ok(Flow::Return(self.unsaid_status()));
        };
        match value.scalar_datum(&self.context) {
            Ok(datum) => self.return_datum(datum, line),
            Err(error) => self.fail(error, line, Command::Select),
        }
    }

    /// What a procedure returns without a value in RETURN: after an error, also one that it has caught, SQL Server gives 10 less its
    /// severity.
    pub fn unsaid_status(&self) -> i32 {
        // Neither a client's text has such a status nor a natively compiled module.
        let is_called = self.frame.info.is_some() || self.frame.nested && !self.frame.from_client;
        let counts = is_called && self.module.atomic.is_none();
        match self.failed_severity {
            severity if severity > 10 && counts => 10 - i32::from(severity),
            _ => 0,
        }
    }

    fn return_datum(&mut self, datum: Datum, line: u32) -> Result<Flow, Unwind> {
        if self.frame.function.is_some() {
            self.return_value = datum;
            return Ok(Flow::Return(0));
        }
        let status = match datum {
            Datum::I64(status) => status as i32,
            _ => {
                let name = self.frame.info.as_ref().map_or("", |info| &info.name);
                self.message(&sql_error!(282, super::execute::short(name)).at_line(line))?;
                0
            }
        };
        self.quick_ended(Command::Select, Some(1))?;
        Ok(Flow::Return(status))
    }

    fn definition(&mut self, id: QueryId, line: u32) -> Result<Flow, Unwind> {
        let module = self.module.clone();
        let result = self.in_statement(true, |runner| {
            let values = runner.named_values(&module.queries[id.0 as usize].statement.kind)?;
            let runtime = runner.context.runtime.get_mut();
            runtime.host.define(runtime.session, runtime.sink, &module, id, &values)
        });
        match result {
            Ok(Defined::Rows(rows)) => {
                (self.session().error, self.session().row_count) = (0, rows);
                self.done(Command::Insert, Some(rows))?;
                Ok(Flow::Next)
            }
            Ok(Defined::Whole) => {
                (self.session().error, self.session().row_count) = (0, 0);
                let kind = &module.queries[id.0 as usize].statement.kind;
                if !ends_untold(kind) {
                    self.done(Command::Definition(definition_name::of(kind)), None)?;
                }
                Ok(Flow::Next)
            }
            Ok(Defined::Part(error)) | Err(error) => {
                // A definition knows its line, and not whose statement it is.
                let error = match &self.frame.info {
                    Some(info) if error.procedure.is_empty() => error.in_procedure(&info.name),
                    _ => error,
                };
                let kind = &module.queries[id.0 as usize].statement.kind;
                let command = match definition_name::of(kind) {
                    "" => Command::Other,
                    name => Command::Definition(name),
                };
                self.fail_as(error, line, origin_of(kind), command)
            }
        }
    }

    /// Of the variables in a definition that may have some.
    fn named_values(&mut self, statement: &StatementKind) -> SqlResult<Vec<NamedValue>> {
        let mut names = Vec::new();
        let mut each = |variable: &Variable| names.push(variable.name.clone());
        match statement {
            StatementKind::Backup(backup) => backup.variables(&mut each),
            StatementKind::Restore(restore) => restore.variables(&mut each),
            StatementKind::Dbcc(dbcc) => dbcc.variables().for_each(&mut each),
            StatementKind::XmlSchemaCollection(collection) => match &collection.text {
                Expr::Variable(variable) => each(variable),
                _ => return Ok(Vec::new()),
            },
            other => {
                for value in other.partition_values() {
                    if let Expr::Variable(variable) = value {
                        each(variable);
                    }
                }
                if names.is_empty() {
                    return Ok(Vec::new());
                }
            }
        }
        let is_of_schemas = matches!(statement, StatementKind::XmlSchemaCollection(_));
        let is_of_backups = matches!(statement, StatementKind::Backup(_) | StatementKind::Restore(_));
        let is_of_partitions = !is_of_schemas && !is_of_backups && !matches!(statement, StatementKind::Dbcc(_));
        let module = self.module.clone();
        let mut values = Vec::new();
        for name in names {
            let known = |variable: &sql::plan::Variable| sql::bind::names::same_name(&variable.name, &name);
            // A table variable has no value.
            let Some(slot) = module.variables.iter().position(known) else { continue };
            let (mut value, mut ty) =
                (self.context.variables.value(slot as u32).into_datum(), &module.variables[slot].ty);
            // As a text has them by itself, a datetime's seconds would be lost.
            let is_exact = is_of_partitions || is_of_backups && ty.kind == TypeKind::DateTime;
            if is_exact && let Some(exact) = exact(ty)? {
                value = crate::kernel::convert_datum(self.session(), &value, ty, exact)?;
                ty = exact;
            }
            // What has its encoding in it is read by that.
            if is_of_schemas && ty.kind != TypeKind::Xml {
                if !ty.is_string() && !ty.is_binary() {
                    return Err(sql_error!(6352));
                }
                value = crate::kernel::convert_datum(self.session(), &value, ty, &SqlType::XML)?;
                ty = &SqlType::XML;
            } else if is_of_schemas && ty.xml_collection().is_some() {
                return Err(sql_error!(6352));
            }
            let text = crate::kernel::convert_datum(self.session(), &value, ty, &SqlType::NVARCHAR_MAX)?;
            let text = (!text.is_null()).then(|| crate::kernel::text(&SqlType::NVARCHAR_MAX, text.as_bytes()));
            values.push((name, text));
        }
        Ok(values)
    }

    /// A quick statement has ended well; see `TOLD_TURNS`.
    #[inline(always)]
    pub fn quick_ended(&mut self, command: Command, row_count: Option<u64>) -> Result<(), Unwind> {
        if self.quiet || self.frame.nested && self.session().options.no_count {
            return Ok(());
        }
        self.done(command, row_count)
    }

    /// The statement has ended well.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn done(&mut self, command: Command, row_count: Option<u64>) -> Result<(), Unwind> {
        os::plant!();
        let kind = if self.frame.nested { DoneKind::InProcedure } else { DoneKind::Statement };
        self.send_done(Done { kind, command, row_count, outcome: Outcome::Well })
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn send_done(&mut self, done: Done) -> Result<(), Unwind> {
        os::plant!();
        if self.frame.function.is_some() {
            return Ok(());
        }
        let runtime = self.context.runtime.get_mut();
        let sent =
            if runtime.session.options.no_count { runtime.sink.done_uncounted(done) } else { runtime.sink.done(done) };
        sent.map_err(Unwind::Stop)
    }

    pub fn message(&mut self, message: &SqlError) -> Result<(), Unwind> {
        self.context.runtime.get_mut().sink.message(message).map_err(Unwind::Stop)
    }

    fn wait_for(&mut self, value: &Scalar, until: bool) -> SqlResult<()> {
        let text = value.scalar_value(&self.context)?;
        let ms = super::raise::wait_milliseconds(text, &value.ty, until)?;
        // A transaction is not kept busy by the wait itself: an attention interrupts it.
        let deadline = os::clock::after_ms(ms);
        let _whole = os::wait::Whole::begin(os::wait::WaitType::WAITFOR);
        while os::clock::now() < deadline {
            self.session().check_signal()?;
            let left = (deadline.saturating_sub(os::clock::now())).div_ceil(1_000_000);
            if os::wait::sleep(os::wait::WaitType::WAITFOR, left.min(1000)) == os::wait::WakeReason::Interrupted {
                self.context.yield_point()?;
            }
        }
        Ok(())
    }

    /// Runs `body` as one statement: in the session's transaction or one of its own, undone if it fails.
    pub fn in_statement<T>(
        &mut self,
        writes: bool,
        body: impl FnOnce(&mut Runner<'a>) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let scope = transaction::begin_statement(self.context.runtime.get_mut(), writes)?;
        let result = body(self);
        for table in &self.context.tables {
            let mut table = table.borrow_mut();
            if result.is_ok() { table.keep_changes() } else { table.undo_changes() }
        }
        let runtime = self.context.runtime.get_mut();
        match result {
            Ok(value) => {
                transaction::end_statement(runtime, scope)?;
                Ok(value)
            }
            Err(error) => {
                // A rollback within the statement (a trigger's) has left nothing to undo.
                transaction::undo_statement(runtime, scope, stop_of(&error).is_some())?;
                Err(error)
            }
        }
    }
}

/// What a SET is to the client.
fn set_command(kind: &CodeKind) -> Command {
    match kind {
        CodeKind::SetSwitch { names, .. } if names.iter().any(|name| name.starts_with("STATISTICS")) => {
            Command::SetStatistics
        }
        CodeKind::SetSwitch { on, .. } => Command::Set(*on),
        CodeKind::SetValue { name, .. } if &**name == "ROWCOUNT" => Command::SetRowCount,
        CodeKind::SetValue { name, .. } if &**name == "TEXTSIZE" => Command::SetTextSize,
        CodeKind::SetOther(SetOption::IdentityInsert { on, .. }) => Command::SetIdentityInsert(*on),
        _ => Command::SetValue,
    }
}

/// SQL Server sends no DONE for what has taken effect when the text was read.
fn has_no_done(kind: &CodeKind) -> bool {
    matches!(kind, CodeKind::SetSwitch { names, .. } if matches!(&names[..], [name] if &**name == "QUOTED_IDENTIFIER"))
}

/// Nor for these two.
fn ends_untold(definition: &StatementKind) -> bool {
    match definition {
        StatementKind::CreateSchema(_) => true,
        StatementKind::Drop(drop) => drop.kind == DropKind::Schema,
        _ => false,
    }
}

/// A type whose values read as text what they are, where those of `ty` do not. 40510: there is none.
fn exact(ty: &SqlType) -> SqlResult<Option<&'static SqlType>> {
    static MOMENT: SqlType = SqlType::datetime2(3);
    use TypeKind::{
        Binary, DateTime, Float, Money, Real, RowVersion, SmallDateTime, SmallMoney, SqlVariant, VarBinary,
    };
    match ty.kind {
        DateTime | SmallDateTime => Ok(Some(&MOMENT)),
        Float | Real | Money | SmallMoney | Binary | VarBinary | RowVersion | SqlVariant => {
            Err(sql::bind::errors::unsupported(&format!("A partition's boundary in a variable of type {ty}")))
        }
        _ => Ok(None),
    }
}

fn origin_of(definition: &StatementKind) -> Origin {
    match definition {
        StatementKind::AlterTable(_)
        | StatementKind::Truncate(_)
        | StatementKind::CreateIndex(_)
        | StatementKind::AlterIndex(_)
        | StatementKind::CreateStatistics(_)
        | StatementKind::UpdateStatistics(_) => Origin::Structure,
        StatementKind::Drop(drop) if drop.kind == DropKind::Table => Origin::Structure,
        StatementKind::CreateSynonym(_) => Origin::Statement,
        _ => Origin::Definition,
    }
}

/// Which statement of a list is the label, or has it in its blocks. TRY and CATCH cannot be jumped into.
fn place_of(code: &[Code], label: u32) -> Option<usize> {
    let is_it = |code: &Code| matches!(code.kind, CodeKind::Label(own) if own == label);
    let holds = |code: &Code| match &code.kind {
        CodeKind::Block(body) | CodeKind::While { body, .. } => place_of(body, label).is_some(),
        CodeKind::If { then, otherwise, .. } => place_of(then, label).is_some() || place_of(otherwise, label).is_some(),
        _ => false,
    };
    code.iter().position(is_it).or_else(|| code.iter().position(holds))
}
