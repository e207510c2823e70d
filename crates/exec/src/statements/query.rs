//! Bound statements: SELECT to the sink or into variables, SELECT INTO, INSERT ... EXEC, and the way to `modify`.

use std::sync::Arc;

use sql::ast::StatementKind;
use sql::catalog::TableDef;
use sql::plan::{
    ActionKind, ExecutorSlot, Expr, ExprKind, Module, Operator, OperatorKind, OutputColumn, Query, QueryId, QueryKind,
    TableSource, VariableSlot,
};
use types::pause::Pause as _;
use types::{Column, Datum, RowBatch, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::code::{self, ExecuteCode};
use super::ends::Origin;
use super::failure::Unwind;
use super::grant;
use super::measure::Counters;
use super::modify::{self, ModifyPlan};
use super::run::{Flow, Runner};
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, Kept, RowSource};
use crate::expression::{Scalar, TableUse};
use crate::host::{Host, TableAccess};
use crate::operators::{self, batch_of, storage_error};
use crate::session::{Session, stop_of, stopped};
use crate::sink::Command;
use crate::table_reads::WorkTables;
use crate::value::Row;
use crate::xml_documents::Documents;

/// A query whose operators have held so much is compiled anew when it runs again.
const KEPT_BYTES: u64 = 512 << 10;

/// A bound query, compiled, with the buffers of its runs.
pub struct Prepared {
    pub query: Arc<Query>,
    plan: Plan,
    batch: RowBatch,
    /// It reads variables of its module, so it runs only within it.
    pub reads_variables: bool,
    /// It asks for memory before it begins.
    pub asks: bool,
    works: WorkTables,
    tables: Vec<UsedTable>,
    /// IDENTITY_INSERT as it was at binding: an INSERT's columns depend on it.
    identity_insert: Option<(u16, i32)>,
    /// Who was permitted to run it.
    actor: u64,
    /// `Context::execution` of the last run.
    execution: u64,
    /// None: it keeps nothing.
    keeps: Option<Box<Keeps>>,
}

/// What a query keeps until it ends, or its cursor is closed.
#[derive(Default)]
struct Keeps {
    /// `Context::kept`, between two of its runs.
    rows: Vec<Kept>,
    /// Of rows of nodes().
    documents: Option<Box<Documents>>,
    /// Values of outer rows, by their slots.
    outer: Vec<Datum>,
}

impl Keeps {
    /// Documents and values of outer rows are the context's while the query runs.
    fn exchange(&mut self, context: &Context) {
        std::mem::swap(&mut *context.xml.borrow_mut(), &mut self.documents);
        std::mem::swap(&mut *context.outer.borrow_mut(), &mut self.outer);
    }
}

/// A table whose definition must stay while the query runs.
struct UsedTable {
    table: Arc<TableDef>,
    of_table: TableUse,
    /// Its rows are read.
    reads: bool,
}

enum Plan {
    Select(Box<dyn RowSource>),
    /// `each`: the values depend on variables the row before assigned, so rows come one by one.
    Assign {
        source: Box<dyn RowSource>,
        each: bool,
    },
    /// The same of one variable, whose value is computed over each row where it is assigned.
    AssignEach {
        source: Box<dyn RowSource>,
        value: Scalar,
    },
    Modify(Box<ModifyPlan>),
    SelectInto(Box<dyn RowSource>),
    InsertExecute {
        insert: Box<ModifyPlan>,
        execute: Box<ExecuteCode>,
        /// Of the table's columns that the call's values are for.
        own: Vec<SqlType>,
    },
    ForText(Box<dyn RowSource>),
}

impl Prepared {
    pub fn new(query: Arc<Query>, module: &sql::plan::Module) -> SqlResult<Box<Prepared>> {
        Ok(Prepared::compile(query, module, None)?.0)
    }

    /// The same query with its operators watched; also where each of them lies in the plan.
    pub fn watched(&self, module: &sql::plan::Module) -> SqlResult<(Box<Prepared>, Vec<usize>)> {
        let (mut prepared, operators) = Prepared::compile(self.query.clone(), module, Some(Vec::new()))?;
        (prepared.identity_insert, prepared.actor) = (self.identity_insert, self.actor);
        Ok((prepared, operators.unwrap_or_default()))
    }

    fn compile(
        query: Arc<Query>,
        module: &sql::plan::Module,
        watched: Option<Vec<usize>>,
    ) -> SqlResult<(Box<Prepared>, Option<Vec<usize>>)> {
        let mut compiler = code::compiler();
        (compiler.watched, compiler.in_query) = (watched, !changes_what_it_reads(&query.kind));
        let (plan, batch) = match &query.kind {
            QueryKind::Select(plan) => (Plan::Select(operators::source(plan, &mut compiler)?), batch_of(plan)),
            QueryKind::SelectAssign { plan, slots }
                if let (OperatorKind::Project { input, exprs }, [_]) = (&plan.kind, &slots[..])
                    && reads_own_variables(plan, slots)
                    && compiler.watched.is_none() =>
            {
                let value = compiler.scalar(&exprs[0])?;
                let source = operators::source(input, &mut compiler)?;
                (Plan::AssignEach { source, value }, batch_of(input))
            }
            QueryKind::SelectAssign { plan, slots } => {
                let source = operators::source(plan, &mut compiler)?;
                (Plan::Assign { source, each: reads_own_variables(plan, slots) }, batch_of(plan))
            }
            QueryKind::Modify(modify) => {
                (Plan::Modify(Box::new(ModifyPlan::new(modify, &mut compiler)?)), RowBatch::default())
            }
            QueryKind::SelectInto { plan, .. } => {
                (Plan::SelectInto(operators::source(plan, &mut compiler)?), batch_of(plan))
            }
            QueryKind::InsertExecute { insert, execute } => {
                let made = Box::new(ModifyPlan::new(insert, &mut compiler)?);
                let execute = Box::new(code::execute(execute, module, &mut compiler)?);
                let own = insert.source.columns.iter().map(|output| {
                    let column = made.table().columns.iter().find(|column| column.name == output.name);
                    column.map_or(output.ty, |column| column.ty)
                });
                let own = own.collect();
                (Plan::InsertExecute { insert: made, execute, own }, RowBatch::default())
            }
            QueryKind::ForText { plan, .. } => (Plan::ForText(operators::source(plan, &mut compiler)?), batch_of(plan)),
        };
        let outer = vec![Datum::Null; query.outer_slots.len()];
        let keeps = compiler.keeps || !outer.is_empty();
        let prepared = Box::new(Prepared {
            asks: grant::asks(&query.grant),
            works: compiler.works,
            query,
            plan,
            batch,
            reads_variables: compiler.reads_variables,
            tables: used_tables(&compiler.tables),
            identity_insert: None,
            actor: 0,
            execution: 0,
            keeps: keeps.then(|| Box::new(Keeps { outer, ..Keeps::default() })),
        });
        Ok((prepared, compiler.watched))
    }

    /// Bound to one session's temporary tables.
    pub fn is_private(&self) -> bool {
        self.query.session_private
    }

    /// What it does with the table that it changes.
    fn changes(&self) -> Vec<TableAccess> {
        let modify = match &self.query.kind {
            QueryKind::Modify(modify) => modify,
            QueryKind::InsertExecute { insert, .. } => insert,
            _ => return Vec::new(),
        };
        let mut all = Vec::new();
        for action in &modify.actions {
            let access = match &action.kind {
                ActionKind::Insert(_) => TableAccess::Insert,
                ActionKind::Update { .. } => TableAccess::Update,
                ActionKind::Delete => TableAccess::Delete,
            };
            if !all.contains(&access) {
                all.push(access);
            }
        }
        all
    }

    pub fn close(&mut self) {
        if let Some(keeps) = &mut self.keeps {
            keeps.rows.clear();
            keeps.documents = None;
        }
        match &mut self.plan {
            Plan::Select(source)
            | Plan::Assign { source, .. }
            | Plan::AssignEach { source, .. }
            | Plan::SelectInto(source)
            | Plan::ForText(source) => {
                source.close();
            }
            Plan::Modify(plan) => plan.close(),
            Plan::InsertExecute { insert, .. } => insert.close(),
        }
    }

    /// The context knows this query's correlated values and execution until `leave`.
    #[inline]
    pub fn enter(&mut self, context: &Context) {
        self.execution += 1;
        context.execution.set(self.execution);
        let percent = self.query.grant.percent_max;
        if percent.is_some() || context.workspace.get().is_some() {
            context.workspace().begin_statement(percent);
        }
        if let Some(keeps) = &mut self.keeps {
            keeps.exchange(context);
        }
    }

    #[inline]
    pub fn leave(&mut self, context: &Context) {
        context.execution.set(0);
        if let Some(keeps) = &mut self.keeps {
            keeps.rows.append(&mut context.kept.borrow_mut());
            keeps.exchange(context);
        }
    }

    /// For cursors: goes on with the run `enter` began.
    pub fn resume(&mut self, context: &Context) {
        context.execution.set(self.execution);
        if let Some(keeps) = &mut self.keeps {
            keeps.exchange(context);
        }
    }

    pub fn tables(&self) -> impl Iterator<Item = &Arc<TableDef>> {
        self.tables.iter().map(|used| &used.table)
    }

    pub fn select(&mut self) -> Option<(&mut Box<dyn RowSource>, &mut RowBatch)> {
        match &mut self.plan {
            Plan::Select(source) => Some((source, &mut self.batch)),
            _ => None,
        }
    }

    /// What clients see; an updatable cursor's locators come behind.
    pub fn columns(&self) -> &[OutputColumn] {
        visible_columns(&self.query)
    }

    pub fn all_columns(&self) -> &[OutputColumn] {
        match &self.query.kind {
            QueryKind::Select(plan) => &plan.columns,
            _ => &[],
        }
    }
}

pub fn visible_columns(query: &Query) -> &[OutputColumn] {
    match &query.kind {
        QueryKind::Select(plan) => &plan.columns[..plan.columns.len() - query.row_targets.len()],
        _ => &[],
    }
}

/// Each table once. A table of the server's own never changes its shape, and a local temporary table only by its own session.
fn used_tables(all: &[(Arc<TableDef>, TableUse)]) -> Vec<UsedTable> {
    let mut used: Vec<UsedTable> = Vec::new();
    for (table, of_table) in all.iter().filter(|(table, _)| !table.is_own()) {
        let reads = !matches!(of_table, TableUse::Changes | TableUse::Upkeep);
        match used.iter_mut().find(|known| known.table.object == table.object && known.table.database == table.database)
        {
            Some(known) => {
                known.of_table = known.of_table.max(*of_table);
                known.reads |= reads;
            }
            None => used.push(UsedTable { table: table.clone(), of_table: *of_table, reads }),
        }
    }
    used
}

/// What a row assigns may be read for the next one.
fn changes_what_it_reads(kind: &QueryKind) -> bool {
    match kind {
        QueryKind::SelectAssign { plan, slots } => reads_own_variables(plan, slots),
        QueryKind::Modify(modify) => modify
            .actions
            .iter()
            .any(|action| matches!(&action.kind, ActionKind::Update { assign, .. } if !assign.is_empty())),
        _ => false,
    }
}

/// The values of `SELECT @a = ...` read a variable it assigns.
fn reads_own_variables(plan: &Operator, slots: &[VariableSlot]) -> bool {
    match &plan.kind {
        OperatorKind::Project { exprs, .. } => exprs.iter().any(|expr| mentions(expr, slots)),
        OperatorKind::Top(top) => reads_own_variables(&top.input, slots),
        _ => false,
    }
}

fn mentions(expr: &Expr, slots: &[VariableSlot]) -> bool {
    let any = |exprs: &[Expr]| exprs.iter().any(|expr| mentions(expr, slots));
    match &expr.kind {
        ExprKind::Variable(slot) => slots.contains(slot),
        ExprKind::Literal(_)
        | ExprKind::Column(_)
        | ExprKind::Outer(_)
        | ExprKind::Global(_)
        | ExprKind::NextValueFor(_) => false,
        ExprKind::Negate(a) | ExprKind::BitNot(a) | ExprKind::Not(a) | ExprKind::IsNull(a) => mentions(a, slots),
        ExprKind::Arithmetic(_, a, b) => mentions(a, slots) || mentions(b, slots),
        ExprKind::Compare { left, right, .. } => mentions(left, slots) || mentions(right, slots),
        ExprKind::And(terms) | ExprKind::Or(terms) => any(terms),
        ExprKind::Like { value, pattern, .. } => mentions(value, slots) || mentions(pattern, slots),
        ExprKind::InList { value, list } => mentions(value, slots) || any(list),
        ExprKind::Case { branches, otherwise } => {
            branches.iter().any(|(when, then)| mentions(when, slots) || mentions(then, slots))
                || otherwise.as_ref().is_some_and(|otherwise| mentions(otherwise, slots))
        }
        ExprKind::Convert { value, .. } => mentions(value, slots),
        ExprKind::Mask(masked) => mentions(&masked.value, slots),
        ExprKind::Function(_, arguments) | ExprKind::UserFunction(_, arguments) => any(arguments),
        // A subquery may read anything: row by row is always right.
        ExprKind::Subquery(_) => true,
    }
}

/// What a query's statement is to the client.
pub fn command_of(statement: &StatementKind) -> Command {
    match statement {
        StatementKind::Insert(_) => Command::Insert,
        StatementKind::Update(_) => Command::Update,
        StatementKind::Delete(_) => Command::Delete,
        StatementKind::Merge(_) => Command::Merge,
        _ => Command::Select,
    }
}

/// What IDENTITY_INSERT or a permission decides is an error of the statement alone.
fn is_of_statement(error: &SqlError) -> bool {
    matches!(error.number, 229 | 230 | 297 | 544 | 545)
}

impl<'a> Runner<'a> {
    /// Makes the query ready at its place in `queries`. Errors are those of binding.
    pub fn prepare(&mut self, id: QueryId) -> SqlResult<()> {
        let at = id.0 as usize;
        let runtime = self.context.runtime.get_mut();
        let version = runtime.host.catalog_version(runtime.session);
        let identity_insert = runtime.session.options.identity_insert;
        let current =
            |prepared: &Prepared| prepared.query.is_current(version) && prepared.identity_insert == identity_insert;
        if let Some(prepared) = self.queries[at].as_mut().filter(|prepared| current(prepared)) {
            if prepared.actor != runtime.session.actor {
                runtime.host.check_needs(runtime.session, &prepared.query)?;
                prepared.actor = runtime.session.actor;
            }
            return Ok(());
        }
        let bound = runtime.host.bind_query(runtime.session, &self.module, id);
        let query = match (bound, &self.frame.info) {
            (Err(error), Some(info)) => return Err(error.in_procedure(&info.name)),
            (bound, _) => bound?,
        };
        for notice in runtime.host.take_notices() {
            let notice = match &self.frame.info {
                Some(info) => notice.in_procedure(&info.name),
                None => notice,
            };
            runtime.sink.message(&notice).map_err(stopped)?;
        }
        runtime.host.check_needs(runtime.session, &query)?;
        let actor = runtime.session.actor;
        let mut prepared = Prepared::new(query, &self.module)?;
        prepared.identity_insert = identity_insert;
        prepared.actor = actor;
        self.queries[at] = Some(prepared);
        Ok(())
    }

    /// A query that cannot run as it is. `command`: what its statement is to the client.
    pub fn fail_bound(&mut self, error: SqlError, line: u32, command: Command) -> Result<Flow, Unwind> {
        match is_of_statement(&error) {
            true => self.fail(error, line, command),
            false => self.fail_scope(error, line),
        }
    }

    /// Takes the query out of its place for the length of a run; recursion binds its own.
    pub fn take_query(&mut self, id: QueryId) -> SqlResult<Box<Prepared>> {
        self.prepare(id)?;
        Ok(self.queries[id.0 as usize].take().expect("prepared"))
    }

    pub fn put_query(&mut self, id: QueryId, mut prepared: Box<Prepared>) {
        prepared.close();
        self.queries[id.0 as usize] = Some(prepared);
    }

    /// Locks the definitions of the query's tables for the statement. Who waited for one may find another than the query was bound to:
    /// it is bound again then, and again, until it runs on what it was bound to.
    pub fn hold_tables(&mut self, id: QueryId, prepared: &mut Box<Prepared>) -> SqlResult<()> {
        loop {
            if prepared.tables.is_empty() {
                return Ok(());
            }
            let runtime = self.context.runtime.get_mut();
            let transaction = runtime.session.transaction.current.as_mut().expect("a statement runs in a transaction");
            let isolation = transaction.isolation();
            if isolation == storage::Isolation::Snapshot {
                expect_snapshots(runtime.session, runtime.host, &prepared.tables)?;
            }
            let state = &mut runtime.session.transaction;
            if state.level > 0 && state.began_as_snapshot.is_none() && prepared.tables.iter().any(is_shared) {
                state.began_as_snapshot = Some(isolation == storage::Isolation::Snapshot);
            }
            let transaction = runtime.session.transaction.current.as_mut().expect("as above");
            for UsedTable { table, of_table, .. } in &prepared.tables {
                let (db, id) = (storage::DatabaseId(table.database.0), storage::TableId(table.object.0));
                match of_table {
                    TableUse::Changes => transaction.hold_table_to_change(db, id),
                    TableUse::Committed | TableUse::Upkeep => transaction.hold_table(db, id, true),
                    TableUse::Dirty => transaction.hold_table(db, id, false),
                    TableUse::Level => {
                        let shares = match isolation {
                            storage::Isolation::ReadCommitted | storage::Isolation::ReadCommittedLocking
                                if Some(table.database) != runtime.session.transaction.home =>
                            {
                                !runtime.host.snapshot_reads(table.database)
                            }
                            storage::Isolation::ReadUncommitted
                            | storage::Isolation::ReadCommitted
                            | storage::Isolation::Snapshot => false,
                            storage::Isolation::ReadCommittedLocking
                            | storage::Isolation::RepeatableRead
                            | storage::Isolation::Serializable => true,
                        };
                        transaction.hold_table(db, id, shares)
                    }
                }
                .map_err(|error| storage_error(error, Some(table)))?;
            }
            if runtime.host.catalog_version(runtime.session) == prepared.query.catalog_version {
                return Ok(());
            }
            let transaction = runtime.session.transaction.current.as_mut().expect("as above");
            // It reads what it would if it began now: the lock may have been another's for long.
            transaction.begin_statement();
            self.prepare(id)?;
            *prepared = self.queries[id.0 as usize].take().expect("prepared");
        }
    }

    /// Tells who audits what the query is about to do, now that its tables are what it was bound to.
    pub fn audit(&mut self, module: &Arc<Module>, id: QueryId, prepared: &Prepared) -> SqlResult<()> {
        let runtime = self.context.runtime.get_mut();
        if !runtime.host.audits() {
            return Ok(());
        }
        let span = module.queries[id.0 as usize].statement.span;
        let text = module.text.get(span.start as usize..span.end as usize).unwrap_or("");
        for UsedTable { table, of_table, reads } in &prepared.tables {
            // What is stored of a view changes with its tables.
            let is_changed = *of_table == TableUse::Changes && !table.of_view;
            let changed = if is_changed { prepared.changes() } else { Vec::new() };
            let read = reads.then_some(TableAccess::Select);
            for access in read.into_iter().chain(changed) {
                runtime.host.audit_table(runtime.session, text, table, access)?;
            }
        }
        Ok(())
    }

    pub fn query(&mut self, id: QueryId, line: u32) -> Result<Flow, Unwind> {
        let mut prepared = match self.take_query(id) {
            Ok(prepared) => prepared,
            Err(error) => return self.fail_bound(error, line, Command::Other),
        };
        let mut usual = None;
        if self.session().options.tells_runs() {
            match self.watch(&prepared) {
                Ok(None) => {}
                Ok(Some((watched, operators))) => {
                    usual = Some((std::mem::replace(&mut prepared, watched), operators));
                }
                Err(error) => {
                    self.put_query(id, prepared);
                    return self.fail_bound(error, line, Command::Other);
                }
            }
        }
        let started = self.start_statistics();
        let mark = self.counters_of(id).map(Counters::begin);
        let assigns = matches!(&prepared.plan, Plan::Assign { .. } | Plan::AssignEach { .. });
        // Natively compiled: only results have an end, or a loop would fill the connection with them.
        let tells = self.session().atomic.is_none() || prepared.query.result_columns().is_some();
        let (writes, modifies) = match &prepared.plan {
            Plan::Select(_) | Plan::ForText(_) | Plan::Assign { .. } | Plan::AssignEach { .. } => (false, false),
            Plan::SelectInto(_) => (true, false),
            Plan::InsertExecute { .. } => (true, true),
            Plan::Modify(_) => {
                (!self.session().transaction.doomed || !changes_variables_alone(&prepared.query.kind), true)
            }
        };
        let mut aborted = None;
        let result = self.in_statement(writes, |runner| {
            if prepared.asks {
                grant::ask(&runner.context, &prepared.query.grant)?;
            }
            runner.hold_tables(id, &mut prepared)?;
            if runner.context.runtime.get_mut().host.audits() {
                runner.audit(&runner.module.clone(), id, &prepared)?;
            }
            prepared.enter(&runner.context);
            let result = runner.run_prepared(&mut prepared, &mut aborted);
            prepared.leave(&runner.context);
            result
        });
        let mut run = None;
        if let Some((usual, operators)) = usual {
            prepared.close();
            run = Some((prepared.query.clone(), operators));
            prepared = usual;
        }
        let works = prepared.works;
        prepared.close();
        // What it was granted is others', but for what open cursors hold.
        let granted = self.context.workspace.get().map(|workspace| workspace.end());
        // Buffers that have held much are not kept for the next run, which takes longer than to compile its operators.
        if granted.is_none_or(|granted| granted.used < KEPT_BYTES) {
            self.put_query(id, prepared);
        }
        let profile = run.is_some().then(|| self.context.workspace().take_profile()).flatten();
        if let Some(unwind) = aborted {
            self.abandon_statistics(started);
            return Err(unwind);
        }
        match result {
            Ok((command, rows)) => {
                let session = self.session();
                session.row_count = rows;
                session.error = 0;
                self.end_query(id, mark, rows);
                if let Some(granted) = granted {
                    self.count_grant(id, granted);
                }
                self.tell_null_eliminated(line)?;
                self.tell_notices(line)?;
                // An assignment is counted too: clients pass over a SELECT's count without columns.
                if tells {
                    self.done(command, Some(rows))?;
                }
                if let (Some((query, operators)), Some(profile)) = (run, profile) {
                    self.tell_run(id, &query, rows, &operators, profile, granted.unwrap_or_default())?;
                }
                self.finish_statistics(started, works)?;
                Ok(Flow::Next)
            }
            Err(error) => {
                self.abandon_statistics(started);
                self.context.null_eliminated.set(false);
                self.context.notices.set(Default::default());
                // Of what an atomic block is left by, the results alone have an end.
                if self.session().atomic.is_some() && stop_of(&error).is_none() && !assigns && tells {
                    self.done(Command::Select, Some(0))?;
                }
                let origin = if modifies { Origin::Change } else { Origin::Statement };
                self.fail_as(error, line, origin, command_of(&self.module.queries[id.0 as usize].statement.kind))
            }
        }
    }

    /// SET FMTONLY ON: the columns that a query returns, in place of running it.
    pub fn format_only(&mut self, id: QueryId, line: u32) -> Result<Flow, Unwind> {
        let prepared = match self.take_query(id) {
            Ok(prepared) => prepared,
            Err(error) => return self.fail_bound(error, line, Command::Other),
        };
        let columns = match (&prepared.query.kind, &prepared.plan) {
            (QueryKind::Select(plan), _) => plan.columns.clone(),
            (QueryKind::ForText { format, .. }, _) => vec![format.column()],
            _ => Vec::new(),
        };
        self.put_query(id, prepared);
        if !columns.is_empty() {
            self.context.runtime.get_mut().sink.columns(&columns).map_err(Unwind::Stop)?;
            self.done(Command::Select, Some(0))?;
        }
        Ok(Flow::Next)
    }

    fn run_prepared(&mut self, prepared: &mut Prepared, aborted: &mut Option<Unwind>) -> SqlResult<(Command, u64)> {
        let Prepared { plan, query, batch, .. } = prepared;
        match (plan, &query.kind) {
            (Plan::Select(source), QueryKind::Select(plan)) => {
                Ok((Command::Select, self.select(&mut **source, &plan.columns, &query.description, batch)?))
            }
            (Plan::Assign { source, each }, QueryKind::SelectAssign { slots, .. }) => {
                Ok((Command::Select, self.select_assign(&mut **source, slots, *each, batch)?))
            }
            (Plan::AssignEach { source, value }, QueryKind::SelectAssign { slots, .. }) => {
                Ok((Command::Select, self.assign_each(&mut **source, slots[0], value, batch)?))
            }
            (Plan::Modify(plan), QueryKind::Modify(modify)) => {
                let rows = match plan.current_of().cloned() {
                    None => modify::run(plan, &mut self.context, None)?,
                    Some(cursor) => {
                        let row = self.current_row(&cursor, plan.source_of_rows())?;
                        match modify::run(plan, &mut self.context, Some(&row))? {
                            0 => return Err(sql_error!(16947)),
                            rows => rows,
                        }
                    }
                };
                for action in &modify.actions {
                    if let ActionKind::Update { assign, .. } = &action.kind {
                        assign.iter().try_for_each(|set| self.check_assigned(set.slot.0))?;
                    }
                }
                Ok((plan.command(), rows))
            }
            (Plan::SelectInto(source), QueryKind::SelectInto { plan, target, filegroup }) => {
                let place = filegroup.as_deref();
                let table = {
                    let runtime = self.context.runtime.get_mut();
                    match runtime.session.options.forgives_arithmetic() {
                        true => {
                            let columns = columns::nullable(&plan.columns);
                            runtime.host.create_table_for(runtime.session, target, &columns, place)?
                        }
                        false => runtime.host.create_table_for(runtime.session, target, &plan.columns, place)?,
                    }
                };
                let rows = modify::insert_all(&table, &mut **source, &mut self.context, batch)?;
                let runtime = self.context.runtime.get_mut();
                runtime.host.table_made(runtime.session, runtime.sink, target)?;
                Ok((Command::SelectInto, rows))
            }
            (Plan::InsertExecute { insert, execute, own }, QueryKind::InsertExecute { .. }) => {
                let rows = self.insert_execute(insert, own, execute, aborted)?;
                Ok((Command::Insert, rows))
            }
            (Plan::ForText(source), QueryKind::ForText { plan, format }) => {
                Ok((Command::Select, self.for_text(&mut **source, plan, format, batch)?))
            }
            _ => unreachable!("compiled from this query"),
        }
    }

    fn select(
        &mut self,
        source: &mut dyn RowSource,
        columns: &[OutputColumn],
        description: &ExecutorSlot,
        batch: &mut RowBatch,
    ) -> SqlResult<u64> {
        // First: whatever fails from here on, the client has begun to read a result.
        let runtime = self.context.runtime.get_mut();
        runtime.may_answer()?;
        let options = &runtime.session.options;
        let has_old_text = || columns.iter().any(|column| is_old_text(column.ty.kind));
        let sent = match options.forgives_arithmetic() {
            true => runtime.sink.columns(&columns::nullable(columns)),
            false if (1..i32::MAX).contains(&options.text_size) && has_old_text() => {
                runtime.sink.cut_columns(columns, options.text_size as u32)
            }
            false => runtime.sink.query_columns(columns, description),
        };
        sent.map_err(stopped)?;
        source.open(&self.context)?;
        let limit = match self.session().options.row_count {
            0 => u64::MAX,
            limit => limit,
        };
        let mut rows = 0;
        // Small first: a point query should not pay for a large batch.
        let mut wanted = 64;
        while rows < limit {
            source.next(&self.context, wanted.min((limit - rows).min(BATCH_ROWS as u64) as usize), batch)?;
            if batch.rows == 0 {
                break;
            }
            rows += batch.rows as u64;
            let text_size = self.session().options.text_size;
            if (1..i32::MAX).contains(&text_size) {
                cut_long_texts(batch, columns, text_size as usize);
            }
            let runtime = self.context.runtime.get_mut();
            let transaction = runtime.session.transaction.current.as_deref_mut();
            runtime.sink.batch_within(batch, transaction).map_err(stopped)?;
            self.context.yield_point()?;
            wanted = (wanted * 4).min(BATCH_ROWS);
        }
        Ok(rows)
    }

    fn select_assign(
        &mut self,
        source: &mut dyn RowSource,
        slots: &[VariableSlot],
        each: bool,
        batch: &mut RowBatch,
    ) -> SqlResult<u64> {
        source.open(&self.context)?;
        let mut rows = 0;
        loop {
            source.next(&self.context, if each { 1 } else { BATCH_ROWS }, batch)?;
            if batch.rows == 0 {
                return Ok(rows);
            }
            rows += batch.rows as u64;
            for (slot, column) in slots.iter().zip(&batch.columns) {
                self.context.set_variable_from_column(slot.0, column, batch.rows - 1)?;
                self.check_assigned(slot.0)?;
            }
            self.context.yield_point()?;
        }
    }

    fn assign_each(
        &mut self,
        source: &mut dyn RowSource,
        slot: VariableSlot,
        value: &Scalar,
        batch: &mut RowBatch,
    ) -> SqlResult<u64> {
        source.open(&self.context)?;
        let mut rows = 0;
        loop {
            source.next(&self.context, BATCH_ROWS, batch)?;
            if batch.rows == 0 {
                return Ok(rows);
            }
            rows += batch.rows as u64;
            for index in 0..batch.rows {
                self.assign_from(slot.0, value, Row { batch, index })?;
            }
            self.context.yield_point()?;
        }
    }

    /// The one value of a query of one row; NULL when it has none.
    pub fn scalar_query(&mut self, id: QueryId) -> Result<SqlResult<Datum>, Unwind> {
        let mut prepared = match self.take_query(id) {
            Ok(prepared) => prepared,
            Err(error) if is_of_statement(&error) => return Ok(Err(error)),
            Err(error) => return Err(self.unbound(error, self.module.queries[id.0 as usize].line)),
        };
        let mark = self.counters_of(id).map(Counters::begin);
        let result = self.in_statement(false, |runner| {
            if prepared.asks {
                grant::judge(&runner.context, &prepared.query.grant)?;
            }
            prepared.enter(&runner.context);
            let context = &runner.context;
            let result = prepared.select().map_or(Ok(Datum::Null), |(source, batch)| {
                source.open(context)?;
                source.next(context, 1, batch)?;
                Ok(if batch.rows == 0 { Datum::Null } else { batch.columns[0].datum(0) })
            });
            prepared.leave(&runner.context);
            result
        });
        self.put_query(id, prepared);
        if result.is_ok() {
            self.end_query(id, mark, 1);
        }
        Ok(result)
    }
}

/// For MERGE and friends: what an action does, as messages name it.
impl Runner<'_> {
    /// The text goes out in pieces of about 2,033 characters, as clients of SQL Server expect it.
    fn for_text(
        &mut self,
        source: &mut dyn RowSource,
        plan: &Operator,
        format: &sql::plan::ForFormat,
        batch: &mut RowBatch,
    ) -> SqlResult<u64> {
        const PIECE: usize = 2033;
        const PIECES: usize = 32;
        let mut writer = crate::operators::for_text::Writer::new(&self.context, format, &plan.columns)?;
        source.open(&self.context)?;
        operators::drain(source, &self.context, batch, |batch| writer.append(&self.context, batch))?;
        let column = format.column();
        let runtime = self.context.runtime.get_mut();
        runtime.may_answer()?;
        runtime.sink.columns(std::slice::from_ref(&column)).map_err(stopped)?;
        let Some(text) = writer.finish() else { return Ok(0) };
        let mut units = text.encode_utf16().peekable();
        let mut pieces = RowBatch::new([types::Physical::Bytes]);
        let mut count = 0;
        while units.peek().is_some() {
            pieces.clear();
            while units.peek().is_some() && pieces.rows < PIECES {
                let bytes: Vec<u8> = units.by_ref().take(PIECE).flat_map(u16::to_le_bytes).collect();
                pieces.columns[0].push_bytes(&bytes);
                pieces.rows += 1;
            }
            count += pieces.rows as u64;
            self.context.runtime.get_mut().sink.batch(&pieces).map_err(stopped)?;
            self.context.pause()?;
        }
        Ok(count)
    }
}

fn is_old_text(kind: TypeKind) -> bool {
    matches!(kind, TypeKind::Text | TypeKind::NText | TypeKind::Image)
}

/// SET TEXTSIZE: as many bytes of a long value go to the client, never half a UTF-16 unit.
fn cut_long_texts(batch: &mut RowBatch, columns: &[OutputColumn], bytes_max: usize) {
    for (values, column) in batch.columns.iter_mut().zip(columns) {
        let is_long = match column.ty.kind {
            TypeKind::VarChar | TypeKind::NVarChar | TypeKind::VarBinary => column.ty.is_max(),
            kind => is_old_text(kind),
        };
        if !is_long || (0..batch.rows).all(|row| values.is_null(row) || values.bytes(row).len() <= bytes_max) {
            continue;
        }
        let unit = if column.ty.is_unicode_string() { 2 } else { 1 };
        let mut cut = Column::new(types::Physical::Bytes);
        for row in 0..batch.rows {
            match values.is_null(row) {
                true => cut.push_null(),
                false => {
                    let bytes = values.bytes(row);
                    cut.push_bytes(&bytes[..bytes.len().min(bytes_max / unit * unit)]);
                }
            }
        }
        *values = cut;
    }
}

/// What is the session's own and rows in memory are no matter of SNAPSHOT transactions.
fn is_shared(used: &UsedTable) -> bool {
    !used.table.is_own() && used.table.memory.is_none()
}

/// 3952: a database does not allow SNAPSHOT transactions. 3951: the transaction began as another.
#[cold]
fn expect_snapshots(session: &Session, host: &mut dyn Host, tables: &[UsedTable]) -> SqlResult<()> {
    for UsedTable { table, .. } in tables.iter().filter(|used| is_shared(used)) {
        if !host.allows_snapshot(table.database) {
            return Err(sql_error!(3952, host.database_name(session, table.database)));
        }
        if session.transaction.began_as_snapshot == Some(false) {
            return Err(sql_error!(3951, host.database_name(session, table.database)));
        }
    }
    Ok(())
}

/// Table variables are in no transaction, so one that is doomed does not stop them.
fn changes_variables_alone(kind: &QueryKind) -> bool {
    let QueryKind::Modify(modify) = kind else { return false };
    let into = modify.output.as_ref().and_then(|output| output.into.as_deref());
    let mut targets = into.map(|into| &into.target).into_iter().chain([&modify.target]);
    targets.all(|target| matches!(target, TableSource::Variable(..)))
}
