//! Natively compiled modules: machine code for what `native` knows, the interpreter for the rest.

use std::sync::Arc;

use native::{Field, Find, Form, Insert, Leave, Part, Program, Then};
use sql::catalog::TableDef;
use sql::plan::{
    ActionKind, Expr, ExprKind, LockHint, Modify, ModifyAction, Operator, OperatorKind, Query, QueryId, QueryKind,
    Scan, StatementKind, TableSource, in_order,
};
use storage::{IndexId, Isolation, Table};
use types::fixed::FixedCodec;
use types::row::{RowLayout, encode};
use types::{Datum, Physical, SqlResult};

use super::code::{self, Code, Condition};
use super::failure::Unwind;
use super::modify::Target;
use super::run::{Flow, Runner};

/// A module's machine code, and what it asks the interpreter for.
pub struct NativeCode {
    /// The catalog that it was made from.
    version: u64,
    program: Arc<Program>,
    steps: Vec<Step>,
}

enum Step {
    Statement(Code),
    /// Of the statement on this line.
    Condition(Condition, u32),
}

/// Longer modules are interpreted: the time that their code takes to make grows faster than they do, and nobody else runs on the
/// scheduler meanwhile. These take 0.1 s at most.
const TEXT_BYTES_MAX: usize = 16 << 10;

/// A module's program, shared by all its instances, and the catalog that it was made from.
pub type Shared = (u64, Arc<Program>);

impl<'a> Runner<'a> {
    /// The statements of a natively compiled module.
    pub fn native(&mut self, code: &[Code]) -> Result<Flow, Unwind> {
        if !self.context.runtime.get_mut().host.runs_native() {
            return self.list(code);
        }
        match self.take_native() {
            Err(error) => self.fail_scope(error, 0),
            Ok(None) => self.list(code),
            Ok(Some(native)) => {
                let numbers = self.context.variables.numbers();
                let mut run = Run {
                    targets: vec![None; native.program.inserts().len()],
                    sources: vec![None; native.program.finds().len()],
                    native: &native,
                    runner: self,
                    end: Ok(Flow::Next),
                };
                native.program.run(&numbers, &mut run);
                let end = run.end;
                self.native = Some(native);
                end
            }
        }
    }

    /// None: there is none to be had.
    fn take_native(&mut self) -> SqlResult<Option<NativeCode>> {
        let runtime = self.context.runtime.get_mut();
        let version = runtime.host.catalog_version(runtime.session);
        match self.native.take().filter(|native| native.version == version) {
            Some(native) => Ok(Some(native)),
            None => self.compile(version),
        }
    }

    fn compile(&mut self, version: u64) -> SqlResult<Option<NativeCode>> {
        let module = self.module.clone();
        if module.text.len() > TEXT_BYTES_MAX {
            return Ok(None);
        }
        let shared = super::shared_program(&module).filter(|(of, _)| *of == version);
        let program = match shared {
            Some((_, program)) => program,
            None => {
                let made = Program::new(&module.body, &module.variables, &mut |query| self.form(query));
                let Some(program) = made.map(Arc::new) else { return Ok(None) };
                super::share_program(&module, (version, program.clone()));
                program
            }
        };
        let statements = in_order(&module.body);
        let steps = program.steps().iter().map(|step| {
            let statement = statements[step.statement as usize];
            Ok(match (step.part, &statement.kind) {
                (Part::Whole, _) => Step::Statement(code::statement(statement, &module)?),
                (Part::Condition, StatementKind::If { condition, .. } | StatementKind::While { condition, .. }) => {
                    Step::Condition(code::condition(condition, &mut code::compiler())?, statement.line)
                }
                (Part::Condition, other) => panic!("a condition of {other:?}"),
            })
        });
        Ok(Some(NativeCode { version, steps: steps.collect::<SqlResult<Vec<_>>>()?, program }))
    }

    /// A query that cannot be bound now is the interpreter's, which says why.
    fn form(&mut self, id: QueryId) -> Option<Form> {
        let prepared = self.take_query(id).ok()?;
        let query = prepared.query.clone();
        self.put_query(id, prepared);
        let mut open = |table: &TableDef| {
            let runtime = self.context.runtime.get_mut();
            runtime.host.open_table(runtime.session, table).ok()
        };
        match &query.kind {
            QueryKind::Modify(modify) => {
                let table = native_target(modify)?;
                let storage = open(table)?;
                let layout = &storage.layout().row;
                match modify.verb {
                    "INSERT" => insert_form(id, modify, layout).map(Form::Insert),
                    _ => change_form(id, modify, table, layout).map(Form::Find),
                }
            }
            QueryKind::SelectAssign { plan, slots } => {
                let (scan, exprs) = projected(plan)?;
                let table = look_up(scan)?;
                let storage = open(table)?;
                let known = exprs.iter().all(|expr| expr.ty.physical() == Physical::I64);
                let then = Then::Assign(slots.iter().copied().zip(exprs).collect());
                find_form(id, scan, table, &storage.layout().row, then).filter(|_| known).map(Form::Find)
            }
            _ => None,
        }
    }
}

/// A memory-optimized table to which nothing happens when its rows change but that.
fn native_target(modify: &Modify) -> Option<&Arc<TableDef>> {
    let TableSource::Base(table) = &modify.target else { return None };
    let plain = table.memory.is_some()
        && table.triggers.is_empty()
        && table.foreign_keys.is_empty()
        && table.referenced_by.is_empty()
        && modify.checks.is_empty()
        && modify.output.is_none()
        && modify.top.is_none()
        && modify.current_of.is_none();
    plain.then_some(table)
}

fn insert_form(query: QueryId, modify: &Modify, layout: &RowLayout) -> Option<Insert> {
    let [ModifyAction { condition: None, kind: ActionKind::Insert(row) }] = &modify.actions[..] else { return None };
    let OperatorKind::Values(rows) = &modify.source.kind else { return None };
    let [source] = &rows[..] else { return None };
    let types = Target::new(&modify.target).types;
    let mut values = Vec::new();
    let mut datums = Vec::new();
    for (column, value) in row.iter().enumerate() {
        let value = over(value.as_ref()?, source)?;
        let constant = code::compiler().scalar(&value).ok()?.as_constant();
        match constant {
            // Cut to what the column holds, or refused: the interpreter's.
            Some(Datum::Bytes(bytes)) if !types[column].is_max() && bytes.len() > types[column].length.into() => {
                return None;
            }
            Some(datum) => datums.push(datum),
            None => {
                let (at, codec) = layout.fixed_at(column).filter(|_| native::is_native(&value))?;
                values.push(native::Value { at: at as u32, bytes: whole_bytes(codec)?, expr: value });
                datums.push(Datum::I64(0));
            }
        }
    }
    let nulls = layout.columns().iter().zip(&datums).any(|(column, datum)| datum.is_null() && !column.nullable);
    if nulls || datums.len() != layout.len() {
        return None;
    }
    let mut image = Vec::new();
    encode(layout, &datums, &mut image);
    Some(Insert { query, image, values })
}

/// A scan, and what a plan makes of its rows.
fn projected(plan: &Operator) -> Option<(&Scan, Vec<Expr>)> {
    match &plan.kind {
        OperatorKind::Project { input, exprs } => match &input.kind {
            OperatorKind::Scan(scan) => Some((scan, exprs.clone())),
            _ => None,
        },
        OperatorKind::Scan(scan) => {
            let columns = plan.columns.iter().enumerate();
            let exprs = columns.map(|(position, column)| Expr::column(position, column.ty, column.nullable));
            Some((scan, exprs.collect()))
        }
        _ => None,
    }
}

/// The memory-optimized table of a scan that looks up one row by a whole unique key of integers.
fn look_up(scan: &Scan) -> Option<&Arc<TableDef>> {
    let (TableSource::Base(table), Some(range)) = (&scan.table, &scan.range) else { return None };
    let index = table.indexes.iter().find(|index| index.id == scan.index)?;
    let integers = index.key.iter().all(|(column, _)| table.columns[usize::from(*column)].ty.is_integer());
    let whole = range.equal.len() == index.key.len() && range.lower.is_none() && range.upper.is_none();
    let plain = table.memory.is_some()
        && index.unique
        && index.filter.is_empty()
        && range.any_of.is_empty()
        && scan.residual.is_none()
        // Rows in memory have no locks: who changes a row first has it.
        && LockHint { update: false, ..scan.lock } == LockHint::default();
    (integers && whole && plain).then_some(table)
}

/// UPDATE and DELETE of a row by its key.
fn change_form(query: QueryId, modify: &Modify, table: &TableDef, layout: &RowLayout) -> Option<Find> {
    let [ModifyAction { condition: None, kind }] = &modify.actions[..] else { return None };
    let OperatorKind::Scan(scan) = &modify.source.kind else { return None };
    look_up(scan)?;
    let then = match kind {
        ActionKind::Delete => Then::Delete,
        ActionKind::Update { set, computed, assign } if computed.is_empty() && assign.is_empty() => {
            let field = |(stored, expr): &(u16, Expr)| {
                let same = layout.column_type(usize::from(*stored)) == expr.ty;
                Some((field_of(layout, usize::from(*stored)).filter(|_| same)?, expr.clone()))
            };
            Then::Update(set.iter().map(field).collect::<Option<Vec<_>>>()?)
        }
        _ => return None,
    };
    find_form(query, scan, table, layout, then)
}

fn find_form(query: QueryId, scan: &Scan, table: &TableDef, layout: &RowLayout, then: Then) -> Option<Find> {
    let field = |column: &u16| field_of(layout, usize::from(table.stored[usize::from(*column)]?));
    let find = Find {
        query,
        key: scan.range.as_ref()?.equal.clone(),
        columns: layout.len() as u16,
        fields: scan.columns.iter().map(field).collect(),
        then,
    };
    find.is_native().then_some(find)
}

/// Where an image has a column that is a whole number as machines have them.
fn field_of(layout: &RowLayout, stored: usize) -> Option<Field> {
    let (at, codec) = layout.fixed_at(stored)?;
    let (null_at, null_bit) = layout.null_at(stored);
    Some(Field { at: at as u32, bytes: whole_bytes(codec)?, null_at: null_at as u32, null_bit })
}

/// Of a codec that is a whole number as machines have them.
fn whole_bytes(codec: FixedCodec) -> Option<u8> {
    let whole = matches!(codec, FixedCodec::U8 | FixedCodec::I16 | FixedCodec::I32 | FixedCodec::I64);
    whole.then_some(codec.size() as u8)
}

/// `expr` over a row of these expressions.
fn over(expr: &Expr, row: &[Expr]) -> Option<Expr> {
    let kind = match &expr.kind {
        ExprKind::Column(column) => return row.get(*column).cloned(),
        ExprKind::Literal(_) | ExprKind::Variable(_) => return Some(expr.clone()),
        ExprKind::Negate(operand) => ExprKind::Negate(Box::new(over(operand, row)?)),
        ExprKind::Arithmetic(op, left, right) => {
            ExprKind::Arithmetic(*op, Box::new(over(left, row)?), Box::new(over(right, row)?))
        }
        ExprKind::Convert { value, style: None, attempt, explicit } => ExprKind::Convert {
            value: Box::new(over(value, row)?),
            style: None,
            attempt: *attempt,
            explicit: *explicit,
        },
        _ => return None,
    };
    Some(Expr::new(expr.ty, expr.nullable, kind))
}

/// What a look-up reads.
#[derive(Clone)]
struct Source {
    table: Arc<Table>,
    index: IndexId,
    /// The row that was found last.
    locator: [u8; 16],
}

/// The level at which nothing that was read is looked at again.
const READS_ONLY: Isolation = Isolation::ReadCommitted;

/// A run of the machine code.
struct Run<'r, 'a> {
    runner: &'r mut Runner<'a>,
    native: &'r NativeCode,
    /// Of the INSERTs and of the look-ups, once they have been opened.
    targets: Vec<Option<Arc<Table>>>,
    sources: Vec<Option<Source>>,
    /// How the run left the code.
    end: Result<Flow, Unwind>,
}

impl Run<'_, '_> {
    fn leave(&mut self, end: Result<Flow, Unwind>) -> Leave {
        self.end = end;
        Leave
    }

    fn query(&self, id: QueryId) -> Option<Arc<Query>> {
        Some(self.runner.queries[id.0 as usize].as_ref()?.query.clone())
    }

    /// Its definition stays as it is until the transaction ends. None: it is not the one that the code was made for, or cannot be had.
    fn open(&mut self, table: &TableDef, changes: bool) -> Option<Arc<Table>> {
        let runtime = self.runner.context.runtime.get_mut();
        let transaction = runtime.session.transaction.current.as_mut()?;
        let (db, object) = (storage::DatabaseId(table.database.0), storage::TableId(table.object.0));
        if changes {
            transaction.hold_table_to_change(db, object).ok()?;
            runtime.host.check_writable(table.database).ok()?;
        } else {
            transaction.hold_table(db, object).ok()?;
        }
        if runtime.host.catalog_version(runtime.session) != self.native.version {
            return None;
        }
        runtime.host.open_table(runtime.session, table).ok()
    }

    fn open_target(&mut self, insert: u32) -> Option<Arc<Table>> {
        let query = self.query(self.native.program.inserts()[insert as usize])?;
        match &query.kind {
            QueryKind::Modify(modify) => self.open(native_target(modify)?, true),
            _ => None,
        }
    }

    fn open_source(&mut self, find: u32) -> Option<Source> {
        let query = self.query(self.native.program.finds()[find as usize])?;
        let (plan, changes) = match &query.kind {
            QueryKind::SelectAssign { plan, .. } => (plan, false),
            QueryKind::Modify(modify) => (&modify.source, true),
            _ => return None,
        };
        let (scan, _) = projected(plan)?;
        let table = self.open(look_up(scan)?, changes)?;
        Some(Source { table, index: IndexId(scan.index), locator: [0; 16] })
    }
}

impl native::Runtime for Run<'_, '_> {
    fn step(&mut self, step: u32) -> Result<(), Leave> {
        let Step::Statement(code) = &self.native.steps[step as usize] else { panic!("a statement's step") };
        match self.runner.list(std::slice::from_ref(code)) {
            Ok(Flow::Next) => Ok(()),
            end => Err(self.leave(end)),
        }
    }

    fn holds(&mut self, step: u32) -> Result<bool, Leave> {
        let Step::Condition(condition, line) = &self.native.steps[step as usize] else { panic!("a condition's step") };
        match self.runner.holds(condition, *line) {
            Ok(holds) => Ok(holds),
            Err(unwind) => Err(self.leave(Err(unwind))),
        }
    }

    fn insert(&mut self, insert: u32, image: &[u8]) -> bool {
        let at = insert as usize;
        if self.targets[at].is_none() {
            self.targets[at] = self.open_target(insert);
        }
        let Run { runner, targets, .. } = self;
        let (Some(table), state) = (&targets[at], &mut runner.session().transaction) else { return false };
        let Some(transaction) = state.current.as_mut().filter(|_| !state.doomed) else { return false };
        transaction.begin_statement();
        table.insert(transaction, image).is_ok()
    }

    fn find(&mut self, find: u32, key: &[i64]) -> Option<Option<&[u8]>> {
        let at = find as usize;
        if self.sources[at].is_none() {
            self.sources[at] = self.open_source(find);
        }
        let Run { runner, sources, .. } = self;
        let Source { table, index, locator } = sources[at].as_mut()?;
        let Table::Memory(table) = &**table else { return None };
        let state = &mut runner.session().transaction;
        let transaction = state.current.as_mut().filter(|transaction| transaction.isolation() == READS_ONLY)?;
        transaction.begin_statement();
        let found = table.find(transaction, *index, key).ok()?;
        Some(found.map(|(image, place)| {
            *locator = place;
            image
        }))
    }

    fn change(&mut self, find: u32, image: Option<&[u8]>) -> bool {
        let Run { runner, sources, .. } = self;
        let (Some(source), state) = (&sources[find as usize], &mut runner.session().transaction) else { return false };
        let Some(transaction) = state.current.as_mut().filter(|_| !state.doomed) else { return false };
        match image {
            Some(image) => source.table.update(transaction, &source.locator, image).is_ok(),
            None => source.table.delete(transaction, &source.locator).is_ok(),
        }
    }

    fn turn(&mut self) -> Result<(), Leave> {
        let turned = self.runner.yield_point();
        turned.map_err(|unwind| self.leave(Err(unwind)))
    }

    fn set_row_count(&mut self, rows: u64) {
        let session = self.runner.session();
        session.row_count = rows;
        session.error = 0;
    }
}
