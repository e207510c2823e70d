//! Joins: which plans are nested loops as `native::Join` describes them, and the rows of their levels while the code runs.

use std::sync::Arc;

use native::{Fold, Form, Join, Leave, Level, Way};
use sql::catalog::TableDef;
use sql::plan::{
    Expr, ExprKind, JoinKind, Operator, OperatorKind, OuterSlot, Query, QueryId, QueryKind, Scan, TableSource,
    VariableSlot,
};
use storage::{IndexId, LookUp, MemoryTable, Table};
use types::row::RowLayout;
use types::{Datum, Physical, SqlType};

use super::super::code;
use super::super::measure::{Counters, Mark};
use super::form::{Head, fields_of, has_whole_key, head};
use super::run::{READS_ONLY, Run};
use crate::context::{Context, RowSource as _};
use crate::operators::{self, BaseScan};

/// A table in nested loops. Columns are numbered through all levels.
struct Planned<'p> {
    scan: &'p Scan,
    table: &'p Arc<TableDef>,
    /// Its first column.
    first: usize,
    /// What the scan reads of the levels around it.
    bindings: &'p [(OuterSlot, usize)],
    /// LEFT JOIN.
    optional: bool,
    on: Vec<Expr>,
    filter: Vec<Expr>,
}

impl Planned<'_> {
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
        self.scan.range.iter().flat_map(|range| {
            let between = range.lower.iter().chain(&range.upper).map(|(value, _)| value);
            range.equal.iter().chain(&range.any_of).chain(between)
        })
    }
}

/// The levels of nested loops over memory-optimized tables, the outermost first.
fn levels_of(plan: &Operator) -> Option<Vec<Planned<'_>>> {
    let mut levels = Vec::new();
    add_levels(plan, &mut levels)?;
    Some(levels)
}

fn add_levels<'p>(plan: &'p Operator, levels: &mut Vec<Planned<'p>>) -> Option<()> {
    match &plan.kind {
        OperatorKind::Scan(scan) => add_level(scan, &[], false, levels),
        OperatorKind::Filter { input, predicate } => {
            add_levels(input, levels)?;
            levels.last_mut()?.filter.push(predicate.clone());
            Some(())
        }
        OperatorKind::NestedLoops(join) if matches!(join.kind, JoinKind::Inner | JoinKind::LeftOuter) => {
            add_levels(&join.outer, levels)?;
            let OperatorKind::Scan(scan) = &join.inner.kind else { return None };
            add_level(scan, &join.bindings, join.kind == JoinKind::LeftOuter, levels)?;
            levels.last_mut()?.on.extend(join.predicate.clone());
            Some(())
        }
        _ => None,
    }
}

fn add_level<'p>(
    scan: &'p Scan,
    bindings: &'p [(OuterSlot, usize)],
    optional: bool,
    levels: &mut Vec<Planned<'p>>,
) -> Option<()> {
    let TableSource::Base(table) = &scan.table else { return None };
    if table.memory.is_none() || scan.lookup {
        return None;
    }
    let first = levels.iter().map(|level| level.scan.columns.len()).sum();
    let mut level = Planned { scan, table, first, bindings, optional, on: Vec::new(), filter: Vec::new() };
    level.on.extend(scan.residual.as_ref().map(|residual| level.over_all(residual)));
    levels.push(level);
    Some(())
}

/// SELECT @v = ... over nested loops. `open`: a table's layout.
pub fn join_form(
    query: QueryId,
    plan: &Operator,
    slots: &[VariableSlot],
    open: &mut dyn FnMut(&TableDef) -> Option<Arc<Table>>,
) -> Option<Form> {
    let Head { input, rows_max, aggregates, exprs } = head(plan)?;
    let planned = levels_of(input)?;
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
    let assigned = slots.iter().copied().zip(exprs).collect();
    let fold = match aggregates {
        None => Fold::Assign(assigned),
        Some(aggregates) => Fold::Aggregate(aggregates.to_vec(), assigned),
    };
    let join = Join { query, levels, rows_max, fold };
    join.is_native().then_some(Form::Join(join))
}

fn level_form(level: &Planned<'_>, layout: &RowLayout) -> Option<Level> {
    let mut fields = fields_of(level.scan, level.table, layout)?;
    if level.optional {
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
        blank: level.optional.then(|| blank(layout)),
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

/// A join whose tables are open.
pub struct Opened {
    levels: Vec<Rows>,
    /// The query's correlated values, and their types.
    outer: Vec<Datum>,
    outer_types: Vec<SqlType>,
    /// When its last run began, and how many scans within its loops that was ago.
    begun: Option<Mark>,
    restarts: u32,
}

/// Where the rows of a level come from.
enum Rows {
    Find(MemoryTable, LookUp),
    /// Each outer value of its range.
    Scan(Box<BaseScan>, Vec<OuterSlot>),
}

/// So many scans within the loops are worth a yield point: most give few rows.
const RESTARTS_QUICK: u32 = 64;

impl Opened {
    /// None: the tables are not those that the code was made for, or cannot be had.
    fn new(run: &mut Run<'_, '_>, number: usize) -> Option<Opened> {
        let query = run.query(run.native.program.joins()[number])?;
        let plan = plan_of(&query)?;
        let mut levels = Vec::new();
        for (at, level) in levels_of(head(plan)?.input)?.iter().enumerate() {
            let opened = run.open(level.table, false)?;
            levels.push(match key_of(level) {
                Some(_) => {
                    let Table::Memory(table) = &*opened else { return None };
                    let transaction = run.runner.session().transaction.current.as_mut()?;
                    if transaction.isolation() != READS_ONLY {
                        return None;
                    }
                    Rows::Find(table.clone(), table.look_up(transaction, IndexId(level.scan.index)).ok()??)
                }
                None => {
                    let kept = run.kept.joined.remove(&(number, at));
                    let made = || operators::base(level.scan, level.table, &mut code::compiler()).ok();
                    let slots = level.bindings.iter().map(|(slot, _)| *slot).collect();
                    Rows::Scan(Box::new(kept.or_else(made)?), slots)
                }
            });
        }
        let outer = vec![Datum::Null; query.outer_slots.len()];
        Some(Opened { levels, outer, outer_types: query.outer_slots.clone(), begun: None, restarts: 0 })
    }

    /// What is left for the next run: scans, and the levels that they are of.
    pub fn close(self) -> impl Iterator<Item = (usize, BaseScan)> {
        self.levels.into_iter().enumerate().filter_map(|(at, rows)| match rows {
            Rows::Scan(mut scan, _) => {
                scan.close();
                Some((at, *scan))
            }
            Rows::Find(..) => None,
        })
    }

    /// A scan begins for these values of what its range depends on. False: their range is an error.
    fn restart(&mut self, context: &Context, level: u32, values: &[Option<i64>]) -> bool {
        let Rows::Scan(scan, slots) = &mut self.levels[level as usize] else { panic!("a level with a scan") };
        for (slot, value) in slots.iter().zip(values) {
            let slot = slot.0 as usize;
            self.outer[slot] = match (value, self.outer_types[slot].physical()) {
                (None, _) => Datum::Null,
                (Some(value), Physical::I128) => Datum::I128((*value).into()),
                (Some(value), _) => Datum::I64(*value),
            };
        }
        std::mem::swap(&mut *context.outer.borrow_mut(), &mut self.outer);
        let begun = scan.open(context);
        std::mem::swap(&mut *context.outer.borrow_mut(), &mut self.outer);
        begun.is_ok()
    }
}

fn plan_of(query: &Query) -> Option<&Operator> {
    match &query.kind {
        QueryKind::SelectAssign { plan, .. } => Some(plan),
        _ => None,
    }
}

/// What the code asks of a join.
impl Run<'_, '_> {
    pub fn begin(&mut self, number: usize) -> bool {
        if self.joins[number].is_none() {
            self.joins[number] = Opened::new(self, number);
        }
        let mark = self.runner.counters_of(self.native.program.joins()[number]).map(Counters::begin);
        let Some(opened) = &mut self.joins[number] else { return false };
        opened.begun = mark;
        let state = &mut self.runner.session().transaction;
        let Some(transaction) = state.current.as_mut().filter(|_| !state.doomed) else { return false };
        transaction.begin_statement();
        true
    }

    pub fn find_in(&mut self, number: usize, level: u32, key: &[i64]) -> Option<Option<&[u8]>> {
        let Run { runner, joins, .. } = self;
        let Rows::Find(table, look_up) = &joins[number].as_ref()?.levels[level as usize] else {
            panic!("a level with a key")
        };
        let transaction = runner.session().transaction.current.as_mut()?;
        Some(table.find(transaction, *look_up, key).ok()?.map(|(image, _)| image))
    }

    pub fn scan_in(
        &mut self,
        number: usize,
        level: u32,
        outer: Option<&[Option<i64>]>,
        rows_max: usize,
        give: &mut dyn FnMut(&[u8]),
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
        let Rows::Scan(scan, _) = &mut opened.levels[level as usize] else { panic!("a level with a scan") };
        Ok(scan.images(&runner.context, rows_max, give).is_ok())
    }

    pub fn end(&mut self, number: usize, rows: u64) {
        let begun = self.joins[number].as_mut().and_then(|opened| opened.begun.take());
        self.runner.end_query(self.native.program.joins()[number], begun, rows);
    }
}
