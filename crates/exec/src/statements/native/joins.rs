//! Joins: which plans are nested loops as `native::Join` describes them, and the rows of their levels while the code runs.

use std::sync::Arc;

use native::{Batch, Cells, Fold, Join, Kind, Leave, Level, Output, Passed, Totals, Value, Way};
use sql::catalog::TableDef;
use sql::plan::{
    Expr, ExprKind, JoinKind, Operator, OperatorKind, OuterSlot, Query, QueryId, QueryKind, Scan, TableSource,
    VariableSlot,
};
use storage::{IndexId, LookUp, MemoryTable, Table};
use types::row::{RowLayout, append_to};
use types::{ColumnData, Datum, RowBatch, SqlType};

use super::super::callee::datum;
use super::super::code;
use super::super::measure::{Counters, Mark};
use super::form::{Head, fields_of, has_whole_key, head, one_row, subqueries, with_subqueries};
use super::run::{READS_ONLY, Run};
use crate::columns::BATCH_ROWS;
use crate::context::{Context, RowSource as _};
use crate::operators::{self, BaseScan};
use crate::session::{Options, stopped};
use crate::sink::Command;

/// A table in nested loops. Columns are numbered through all levels.
struct Planned<'p> {
    scan: &'p Scan,
    table: &'p Arc<TableDef>,
    /// Its first column.
    first: usize,
    /// What the scan reads of the levels around it.
    bindings: &'p [(OuterSlot, usize)],
    kind: JoinKind,
    on: Vec<Expr>,
    filter: Vec<Expr>,
}

impl Planned<'_> {
    /// Columns that the joined row has of it.
    fn width(&self) -> usize {
        match self.kind {
            JoinKind::Semi | JoinKind::Anti => 0,
            _ => self.scan.columns.len(),
        }
    }

    /// An expression of the scan over the columns of all levels.
    fn over_all(&self, expr: &Expr) -> Expr {
        let mut expr = expr.clone();
        expr.rewrite(&mut |node| {
            match &mut node.kind {
                ExprKind::Column(column) => *column += self.first,
                ExprKind::Outer(slot) => {
                    if let Some((_, column)) = self.bindings.iter().find(|(bound, _)| bound == slot) {
                        node.kind = ExprKind::Column(*column);
                    }
                }
                _ => return false,
            }
            true
        });
        expr
    }

    /// The values of its range.
    fn bounds(&self) -> impl Iterator<Item = &Expr> {
        self.scan.range.iter().flat_map(|range| range.values().chain(&range.any_of))
    }
}

/// Nested loops over memory-optimized tables, the outermost first. None: one row, if a predicate lets it be.
#[derive(Default)]
struct Loops<'p> {
    filter: Vec<Expr>,
    levels: Vec<Planned<'p>>,
}

impl<'p> Loops<'p> {
    fn of(plan: &'p Operator) -> Option<Loops<'p>> {
        let mut loops = Loops::default();
        loops.add(plan)?;
        Some(loops)
    }

    fn add(&mut self, plan: &'p Operator) -> Option<()> {
        match &plan.kind {
            OperatorKind::Scan(scan) => self.add_level(scan, &[], JoinKind::Inner),
            OperatorKind::Values(rows) => (rows.len() == 1 && rows[0].is_empty()).then_some(()),
            OperatorKind::Filter { input, predicate } => {
                self.add(input)?;
                let filter = self.levels.last_mut().map_or(&mut self.filter, |level| &mut level.filter);
                filter.push(predicate.clone());
                Some(())
            }
            OperatorKind::NestedLoops(join) if join.kind != JoinKind::FullOuter => {
                self.add(&join.outer)?;
                let OperatorKind::Scan(scan) = &join.inner.kind else { return None };
                self.add_level(scan, &join.bindings, join.kind)?;
                self.levels.last_mut()?.on.extend(join.predicate.clone());
                Some(())
            }
            _ => None,
        }
    }

    fn add_level(&mut self, scan: &'p Scan, bindings: &'p [(OuterSlot, usize)], kind: JoinKind) -> Option<()> {
        let TableSource::Base(table) = &scan.table else { return None };
        if table.memory.is_none() || scan.lookup {
            return None;
        }
        let first = self.levels.iter().map(Planned::width).sum();
        let mut level = Planned { scan, table, first, bindings, kind, on: Vec::new(), filter: Vec::new() };
        level.on.extend(scan.residual.as_ref().map(|residual| level.over_all(residual)));
        self.levels.push(level);
        Some(())
    }
}

/// Where the rows of a query go.
#[derive(Clone, Copy)]
pub enum Use<'s> {
    Assign(&'s [VariableSlot]),
    Send,
    /// A subquery of this number: its one value, or whether it has rows.
    Value(usize),
    Exists(usize),
}

/// What opens a table.
pub type Open<'o> = &'o mut dyn FnMut(&TableDef) -> Option<Arc<Table>>;

/// SELECT over nested loops, or over one table.
pub fn join_form(query: QueryId, plan: &Operator, used: Use<'_>, open: Open<'_>) -> Option<Join> {
    let Head { input, rows_max, aggregates, exprs } = head(plan)?;
    let (slots, subquery) = match used {
        Use::Assign(slots) => (slots, None),
        Use::Send => (&[][..], None),
        Use::Value(number) | Use::Exists(number) => (&[][..], Some(number)),
    };
    let rows_max = if let Use::Exists(_) = used { Some(1) } else { rows_max };
    let Loops { filter, levels: planned } = Loops::of(input)?;
    // Ranges are computed as the interpreter does: for a row, where that may do it for many rows at once.
    let inner_bounds = || planned.iter().skip(1).flat_map(Planned::bounds);
    let is_simple =
        |expr: &Expr| matches!(expr.kind, ExprKind::Outer(_) | ExprKind::Variable(_) | ExprKind::Literal(_));
    let may_change =
        |expr: &Expr| expr.any(&mut |expr| matches!(&expr.kind, ExprKind::Variable(slot) if slots.contains(slot)));
    let asks = |expr: &Expr| expr.any(&mut |expr| matches!(expr.kind, ExprKind::Subquery(_)));
    if planned.iter().flat_map(Planned::bounds).any(asks)
        || inner_bounds().any(may_change)
        || rows_max.is_some() && !inner_bounds().all(is_simple)
    {
        return None;
    }
    let mut levels = Vec::new();
    for level in &planned {
        let table = open(level.table)?;
        levels.push(level_form(level, &table.layout().row)?);
    }
    let fold = match (aggregates, used) {
        (None, Use::Assign(slots)) => Fold::Assign(slots.iter().copied().zip(exprs).collect()),
        (None, Use::Send) => Fold::Send(exprs.into_iter().map(|expr| output(expr, &planned, &levels)).collect()),
        (None, Use::Value(_)) => Fold::Only(exprs.into_iter().next()?),
        (None, Use::Exists(_)) => Fold::Exists,
        (Some(aggregates), used) => Fold::Aggregate(aggregates.to_vec(), totals(used, exprs)?),
    };
    let join = Join { query, subquery, subqueries: Vec::new(), filter: Expr::all(filter), levels, rows_max, fold };
    join.is_native().then_some(join)
}

/// A SELECT to the client.
pub fn result_form(query: QueryId, plan: &Operator, open: Open<'_>) -> Option<Join> {
    let Some(values) = one_row(plan) else { return join_form(query, plan, Use::Send, open) };
    let (subqueries, values) = with_subqueries(query, values, open)?;
    let fold = Fold::Send(values.into_iter().map(Output::Number).collect());
    let join = Join { query, subquery: None, subqueries, filter: None, levels: Vec::new(), rows_max: None, fold };
    join.is_native().then_some(join)
}

/// What becomes of the row of aggregates. None: of one that is there whatever the table has, nobody asks.
fn totals(used: Use<'_>, exprs: Vec<Expr>) -> Option<Totals> {
    match used {
        Use::Assign(slots) => Some(Totals::Assign(slots.iter().copied().zip(exprs).collect())),
        Use::Send => Some(Totals::Send(exprs)),
        Use::Value(_) => exprs.into_iter().next().map(Totals::Value),
        Use::Exists(_) => None,
    }
}

/// Columns that are no numbers go as they are.
fn output(expr: Expr, planned: &[Planned<'_>], levels: &[Level]) -> Output {
    match stored(&expr, planned) {
        Some((level, column)) if levels[level].fields[column].is_none() => Output::Stored { level },
        _ => Output::Number(expr),
    }
}

/// The level that has a column, and which of its scan's columns it is. None: it is another expression.
fn stored(expr: &Expr, planned: &[Planned<'_>]) -> Option<(usize, usize)> {
    let ExprKind::Column(column) = expr.kind else { return None };
    let level = planned.iter().rposition(|level| level.first <= column && level.width() > 0)?;
    Some((level, column - planned[level].first))
}

fn level_form(level: &Planned<'_>, layout: &RowLayout) -> Option<Level> {
    let mut fields = fields_of(level.scan, level.table, layout)?;
    if level.kind == JoinKind::LeftOuter {
        fields.iter_mut().flatten().for_each(|field| field.nullable = true);
    }
    let way = match key_of(level) {
        Some(key) => Way::Find(key),
        None => Way::Scan(level.bindings.iter().map(|(_, column)| *column).collect()),
    };
    Some(Level {
        columns: layout.len() as u16,
        fields,
        way,
        on: Expr::all(level.on.clone()),
        kind: match level.kind {
            JoinKind::LeftOuter => Kind::Left(blank(layout)),
            JoinKind::Semi => Kind::Semi,
            JoinKind::Anti => Kind::Anti,
            JoinKind::Inner | JoinKind::FullOuter => Kind::Inner,
        },
        filter: Expr::all(level.filter.clone()),
    })
}

/// What the one row is looked up by, if there is one at most.
fn key_of(level: &Planned<'_>) -> Option<Vec<Expr>> {
    has_whole_key(level.scan)?;
    Some(level.scan.range.as_ref()?.equal.iter().map(|part| level.over_all(part)).collect())
}

/// The image of a row of NULLs, whether the columns may be NULL or not.
fn blank(layout: &RowLayout) -> Vec<u8> {
    let mut image = vec![0; layout.min_bytes()];
    image[..2].copy_from_slice(&(layout.len() as u16).to_le_bytes());
    for column in 0..layout.len() {
        let (at, bit) = layout.null_at(column);
        image[at] |= 1 << bit;
    }
    image
}

/// A join, ready to run once it is open.
pub struct Opened {
    levels: Vec<Source>,
    /// Of this run; none: it is not open.
    tables: Vec<Arc<Table>>,
    /// The query's correlated values, and their types.
    outer: Vec<Datum>,
    outer_types: Vec<SqlType>,
    /// When it was begun last, and how many scans within its loops that was ago.
    begun: Option<Mark>,
    restarts: u32,
    result: Option<Gathered>,
}

struct Source {
    table: Arc<TableDef>,
    rows: Rows,
}

/// A result until it is sent.
struct Gathered {
    rows: RowBatch,
    /// For each column its level, and where it is in the images of that, if it is one of a table.
    stored: Vec<Option<(usize, usize)>>,
    /// Of the images that values were taken from.
    bytes: usize,
}

/// A longer result is the interpreter's, which sends the first rows before it has the last.
const RESULT_BYTES_MAX: usize = 4 << 20;

impl Gathered {
    fn new(plan: &Operator, head: &Head<'_>, planned: &[Planned<'_>]) -> Gathered {
        let place = |expr: &Expr| {
            let (level, column) = stored(expr, planned).filter(|_| head.aggregates.is_none())?;
            let Planned { table, scan, .. } = &planned[level];
            Some((level, usize::from(table.stored[usize::from(scan.columns[column])]?)))
        };
        Gathered { rows: operators::batch_of(plan), stored: head.exprs.iter().map(place).collect(), bytes: 0 }
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.bytes = 0;
    }

    /// False: it is too long, or a value cannot be had.
    fn add(&mut self, row: Cells<'_>, tables: &[Arc<Table>]) -> bool {
        if self.rows.rows == BATCH_ROWS || self.bytes > RESULT_BYTES_MAX {
            return false;
        }
        for ((value, to), stored) in row.values().zip(&mut self.rows.columns).zip(&self.stored) {
            match (value, &mut to.data) {
                (Value::Null, _) => to.push_null(),
                (Value::Number(value), ColumnData::I64(values)) => values.push(value),
                (Value::Number(value), ColumnData::I128(values)) => values.push(value.into()),
                (Value::Number(bits), ColumnData::F64(values)) => values.push(f64::from_bits(bits as u64)),
                (Value::Number(_), _) => panic!("a number in a column of another class"),
                (Value::Image(image), _) => {
                    self.bytes += image.len();
                    let (level, column) = stored.expect("a column of a table");
                    match append_to(&tables[level].layout().row, image, column, to) {
                        Ok(None) => {}
                        Ok(Some(reference)) => {
                            let Table::Memory(table) = &*tables[level] else { return false };
                            if table.push_value(reference, to).is_err() {
                                return false;
                            }
                            self.bytes += to.bytes(self.rows.rows).len();
                        }
                        Err(_) => return false,
                    }
                }
            }
        }
        self.rows.rows += 1;
        true
    }
}

/// Where the rows of a level come from.
enum Rows {
    /// The index, and the table as the run has it.
    Find(IndexId, Option<(MemoryTable, LookUp)>),
    /// Each outer value of its range.
    Scan(Box<BaseScan>, Vec<OuterSlot>),
}

/// So many scans within the loops are worth a yield point: most give few rows.
const RESTARTS_QUICK: u32 = 64;

impl Opened {
    /// Some: of this subquery.
    fn new(query: &Query, subquery: Option<usize>) -> Option<Opened> {
        let plan = plan_of(query)?;
        let Some(number) = subquery else { return Opened::of(query, plan, matches!(query.kind, QueryKind::Select(_))) };
        let values = one_row(plan)?;
        Opened::of(query, &subqueries(&values).get(number)?.plan, false)
    }

    fn of(query: &Query, plan: &Operator, sent: bool) -> Option<Opened> {
        let head = head(plan)?;
        let planned = Loops::of(head.input)?.levels;
        let mut levels = Vec::new();
        for level in &planned {
            let rows = match key_of(level) {
                Some(_) => Rows::Find(IndexId(level.scan.index), None),
                None => {
                    let scan = operators::base(level.scan, level.table, &mut code::compiler()).ok()?;
                    Rows::Scan(Box::new(scan), level.bindings.iter().map(|(slot, _)| *slot).collect())
                }
            };
            levels.push(Source { table: level.table.clone(), rows });
        }
        let outer = vec![Datum::Null; query.outer_slots.len()];
        let outer_types = query.outer_slots.clone();
        let result = sent.then(|| Gathered::new(plan, &head, &planned));
        Some(Opened { levels, tables: Vec::new(), outer, outer_types, begun: None, restarts: 0, result })
    }

    /// None: the tables are not those that the code was made for, or cannot be had.
    fn open(mut self, run: &mut Run<'_, '_>) -> Option<Opened> {
        for Source { table, rows } in &mut self.levels {
            let opened = run.open(table, false)?;
            if let Rows::Find(index, found_by) = rows {
                let Table::Memory(table) = &*opened else { return None };
                let transaction = run.runner.session().transaction.current.as_mut()?;
                if transaction.isolation() != READS_ONLY {
                    return None;
                }
                *found_by = Some((table.clone(), table.look_up(transaction, *index).ok()??));
            }
            self.tables.push(opened);
        }
        Some(self)
    }

    /// The run ends; the next one may have it.
    pub fn close(&mut self) {
        for source in &mut self.levels {
            match &mut source.rows {
                Rows::Scan(scan, _) => scan.close(),
                Rows::Find(_, found_by) => *found_by = None,
            }
        }
        self.tables.clear();
    }

    /// A scan begins for these values of what its range depends on. False: their range is an error.
    fn restart(&mut self, context: &Context, level: u32, values: &[Passed]) -> bool {
        let Rows::Scan(scan, slots) = &mut self.levels[level as usize].rows else { panic!("a level with a scan") };
        for (slot, value) in slots.iter().zip(values) {
            let slot = slot.0 as usize;
            self.outer[slot] = datum(value.get(), &self.outer_types[slot]);
        }
        std::mem::swap(&mut *context.outer.borrow_mut(), &mut self.outer);
        let begun = scan.open(context);
        std::mem::swap(&mut *context.outer.borrow_mut(), &mut self.outer);
        begun.is_ok()
    }
}

/// Results go out whole, and nothing else with them.
fn is_plain(options: &Options) -> bool {
    let limited = options.row_count > 0 || (1..i32::MAX).contains(&options.text_size);
    !limited && !options.fmt_only && !options.statistics_io && !options.statistics_time
}

fn plan_of(query: &Query) -> Option<&Operator> {
    match &query.kind {
        QueryKind::SelectAssign { plan, .. } | QueryKind::Select(plan) => Some(plan),
        QueryKind::Modify(modify) => Some(&modify.source),
        _ => None,
    }
}

/// What the code asks of a join.
impl Run<'_, '_> {
    pub fn begin(&mut self, number: usize) -> bool {
        let (query, subquery) = self.native.program.joins()[number];
        if self.joins[number].is_none() {
            let kept = self.kept.joins.remove(&number);
            let made = || Opened::new(&*self.query(query)?, subquery);
            self.joins[number] = kept.or_else(made).and_then(|join| join.open(self));
        }
        // What a subquery costs is its statement's.
        let counters = if subquery.is_none() { self.runner.counters_of(query) } else { None };
        let mark = counters.map(Counters::begin);
        let Some(opened) = &mut self.joins[number] else { return false };
        opened.begun = mark;
        if let Some(result) = &mut opened.result {
            result.clear();
            if !is_plain(&self.runner.session().options) {
                return false;
            }
        }
        let state = &mut self.runner.session().transaction;
        let Some(transaction) = state.current.as_mut().filter(|_| !state.doomed) else { return false };
        transaction.begin_statement();
        true
    }

    pub fn find_in(&mut self, number: usize, level: u32, key: &[i64]) -> Option<Option<&[u8]>> {
        let Run { runner, joins, .. } = self;
        let Rows::Find(_, Some((table, look_up))) = &joins[number].as_ref()?.levels[level as usize].rows else {
            panic!("a level with a key that is open")
        };
        let transaction = runner.session().transaction.current.as_mut()?;
        Some(table.find(transaction, *look_up, key).ok()?.map(|(image, _)| image))
    }

    pub fn scan_in(
        &mut self,
        number: usize,
        level: u32,
        outer: Option<&[Passed]>,
        rows_max: usize,
        batch: &mut Batch,
    ) -> Result<bool, Leave> {
        let opened = self.joins[number].as_mut().expect("begun");
        opened.restarts += 1;
        if outer.is_none() || opened.restarts >= RESTARTS_QUICK {
            opened.restarts = 0;
            native::Runtime::turn(self)?;
        }
        let Run { runner, joins, .. } = self;
        let opened = joins[number].as_mut().expect("begun");
        if outer.is_some_and(|values| !opened.restart(&runner.context, level, values)) {
            return Ok(false);
        }
        let Rows::Scan(scan, _) = &mut opened.levels[level as usize].rows else { panic!("a level with a scan") };
        Ok(scan.images(&runner.context, rows_max, &mut |image, _| batch.push(image)).is_ok())
    }

    pub fn gather(&mut self, number: usize, row: Cells<'_>) -> bool {
        let opened = self.joins[number].as_mut().expect("begun");
        opened.result.as_mut().expect("a query with a result").add(row, &opened.tables)
    }

    /// The result goes out as the interpreter would have sent it.
    pub fn send_result(&mut self, number: usize) -> Result<(), Leave> {
        let (id, _) = self.native.program.joins()[number];
        let query = self.query(id).expect("it was opened");
        let plan = plan_of(&query).expect("as above");
        let Run { runner, joins, .. } = self;
        let opened = joins[number].as_mut().expect("begun");
        let (rows, begun) = (&opened.result.as_ref().expect("a query with a result").rows, opened.begun.take());
        let sink = &mut *runner.context.runtime.get_mut().sink;
        let sent = sink.query_columns(&plan.columns, &query.description).and_then(|()| match rows.rows {
            0 => Ok(()),
            _ => sink.batch(rows),
        });
        let count = rows.rows as u64;
        if let Err(stop) = sent {
            let line = runner.module.queries[id.0 as usize].statement.line;
            let end = runner.fail(stopped(stop), line, Command::Select);
            return Err(self.leave(end));
        }
        runner.end_query(id, begun, count);
        match runner.done(Command::Select, Some(count)) {
            Ok(()) => Ok(()),
            Err(unwind) => Err(self.leave(Err(unwind))),
        }
    }

    pub fn end(&mut self, number: usize, rows: u64) {
        let begun = self.joins[number].as_mut().and_then(|opened| opened.begun.take());
        self.runner.end_query(self.native.program.joins()[number].0, begun, rows);
    }
}
