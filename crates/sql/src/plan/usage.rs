//! What an execution of a plan does with the indexes of its tables, for who counts how often they are used.
//! Recursion is as deep as the plan; the binder bounds that.

use super::expr::{Expr, ExprKind};
use super::operator::{Operator, OperatorKind, Scan, TableSource};
use super::statement::{ActionKind, Modify, Query, QueryKind};
use crate::catalog::{IndexDef, IndexKind, TableDef};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Seek,
    Scan,
    /// Of base rows, by what an index has of them.
    Lookup,
    Update,
}

/// Told of a base table, `sys.indexes.index_id` of one of its indexes, or 0 for a heap, and what is done with it.
type Told<'a> = dyn FnMut(&TableDef, u32, Use) + 'a;

impl Query {
    pub fn for_each_use(&self, told: &mut Told<'_>) {
        match &self.kind {
            QueryKind::Select(plan)
            | QueryKind::SelectAssign { plan, .. }
            | QueryKind::SelectInto { plan, .. }
            | QueryKind::ForText { plan, .. } => operator(plan, told),
            QueryKind::Modify(change) => modify(change, told),
            QueryKind::InsertExecute { insert, .. } => modify(insert, told),
        }
    }
}

fn base_of(table: &TableDef) -> u32 {
    table.indexes.iter().find(|index| index.kind == IndexKind::Clustered).map_or(0, |index| index.id)
}

fn scan(scan: &Scan, told: &mut Told<'_>) {
    if let TableSource::Base(table) = &scan.table {
        told(table, scan.index, if scan.range.is_some() { Use::Seek } else { Use::Scan });
        if scan.lookup {
            told(table, base_of(table), Use::Lookup);
        }
    }
    let ranges = scan.range.iter().chain(scan.partitions.as_deref());
    ranges.flat_map(|range| range.values().chain(&range.any_of)).for_each(|value| expr(value, told));
    exprs(&scan.residual, told);
}

fn expr(at: &Expr, told: &mut Told<'_>) {
    if let ExprKind::Subquery(subquery) = &at.kind {
        operator(&subquery.plan, told);
    }
    at.for_each_child(&mut |child| expr(child, told));
}

fn exprs<'a>(all: impl IntoIterator<Item = &'a Expr>, told: &mut Told<'_>) {
    all.into_iter().for_each(|one| expr(one, told));
}

fn operator(at: &Operator, told: &mut Told<'_>) {
    use OperatorKind::*;
    match &at.kind {
        Scan(own) => scan(own, told),
        Virtual { arguments, .. } | TableFunction { arguments, .. } | UserTableFunction { arguments, .. } => {
            exprs(arguments, told);
        }
        Values(rows) => exprs(rows.iter().flatten(), told),
        Filter { input, predicate } => {
            operator(input, told);
            expr(predicate, told);
        }
        Project { input, exprs: all } => {
            operator(input, told);
            exprs(all, told);
        }
        NestedLoops(join) => {
            operator(&join.outer, told);
            operator(&join.inner, told);
            exprs(&join.predicate, told);
        }
        HashJoin(join) => {
            operator(&join.left, told);
            operator(&join.right, told);
            exprs(join.keys.iter().flat_map(|(left, right)| [left, right]).chain(&join.residual), told);
        }
        Aggregate { input, group, aggregates, .. } | GroupingSets { input, group, aggregates, .. } => {
            operator(input, told);
            exprs(group.iter().chain(aggregates.iter().filter_map(|own| own.argument.as_ref())), told);
        }
        Sort { input, keys, limit } => {
            operator(input, told);
            exprs(keys.iter().map(|key| &key.expr).chain(limit), told);
        }
        Top(top) => {
            operator(&top.input, told);
            exprs(top.count.iter().chain(&top.offset), told);
        }
        Concat(inputs) => inputs.iter().for_each(|input| operator(input, told)),
        SetOperation { left, right, .. } => {
            operator(left, told);
            operator(right, told);
        }
        Window { input, partition, functions, .. } => {
            operator(input, told);
            exprs(partition.iter().chain(functions.iter().flat_map(|function| &function.arguments)), told);
        }
        Recursive { anchor, recursive, .. } => {
            operator(anchor, told);
            operator(recursive, told);
        }
        WorkTable(_) => {}
        Spool(input) | ForText { input, .. } | Sharing { input, .. } => operator(input, told),
        Shared(shared) => operator(&shared.input, told),
        IndexSpool(spool) => operator(&spool.input, told),
        Modify(change) => modify(change, told),
    }
}

fn modify(change: &Modify, told: &mut Told<'_>) {
    operator(&change.source, told);
    let TableSource::Base(table) = &change.target else { return };
    let touches = |index: &IndexDef| change.actions.iter().any(|action| changes(&action.kind, table, index));
    if base_of(table) == 0 {
        told(table, 0, Use::Update);
    }
    for index in table.indexes.iter().filter(|index| !index.disabled && touches(index)) {
        told(table, index.id, Use::Update);
    }
}

/// A clustered index has all columns; an UPDATE leaves an index alone that has none of the columns that it sets.
fn changes(action: &ActionKind, table: &TableDef, index: &IndexDef) -> bool {
    let ActionKind::Update { set, computed, .. } = action else { return true };
    let mut columns = index.key.iter().map(|(column, _)| *column).chain(index.included.iter().copied());
    let mut filter = index.filter.iter().map(|term| term.column);
    let is_set = |column: u16| {
        let stored = table.stored[usize::from(column)];
        set.iter().chain(computed).any(|(ordinal, _)| Some(*ordinal) == stored)
    };
    index.kind == IndexKind::Clustered || columns.any(is_set) || filter.any(is_set)
}
