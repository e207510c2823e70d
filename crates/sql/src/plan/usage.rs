//! What an execution of a plan does with the indexes of its tables, for who counts how often they are used.
//! Recursion is as deep as the plan; the binder bounds that.

use super::expr::{Expr, ExprKind};
use super::operator::{Operator, OperatorKind, Scan, SeekRange, TableSource};
use super::statement::{ActionKind, Modify, Query, QueryKind};
use crate::catalog::{IndexDef, IndexKind, TableDef};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// So many rows at most, each by the whole of a unique key. 0: a range.
    Seek(u64),
    Scan,
    /// Of base rows, by what an index has of them.
    Lookup,
    Update(Change),
}

/// What each row that a statement changes is to an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Insert,
    /// Where it lies.
    Update,
    /// Its key is set: an entry goes, another comes.
    Move,
    Delete,
    /// The number of rows that the statement tells does not say: there are several kinds, they are not all in the index, or it tells others.
    Unknown,
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
            QueryKind::Modify(change) => modify(change, true, told),
            QueryKind::InsertExecute { insert, .. } => modify(insert, true, told),
        }
    }
}

fn base_of(table: &TableDef) -> u32 {
    table.indexes.iter().find(|index| index.kind == IndexKind::Clustered).map_or(0, |index| index.id)
}

fn scan(scan: &Scan, told: &mut Told<'_>) {
    if let TableSource::Base(table) = &scan.table {
        told(
            table,
            scan.index,
            scan.range.as_ref().map_or(Use::Scan, |range| Use::Seek(single_rows(table, scan.index, range))),
        );
        if scan.lookup {
            told(table, base_of(table), Use::Lookup);
        }
    }
    let ranges = scan.range.iter().chain(scan.partitions.as_deref());
    ranges.flat_map(|range| range.values().chain(&range.any_of)).for_each(|value| expr(value, told));
    exprs(&scan.residual, told);
}

/// How many rows a seek finds at most, if each is named by the whole of a unique key, else 0.
fn single_rows(table: &TableDef, index: u32, range: &SeekRange) -> u64 {
    let named = range.equal.len() + usize::from(!range.any_of.is_empty());
    let is_whole = |index: &IndexDef| index.unique && named >= index.key.len();
    let index = table.indexes.iter().find(|own| own.id == index);
    if index.is_some_and(is_whole) { range.any_of.len().max(1) as u64 } else { 0 }
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
        Modify(change) => modify(change, false, told),
    }
}

/// `counts`: the statement's number of rows is that of the rows changed here.
fn modify(change: &Modify, counts: bool, told: &mut Told<'_>) {
    operator(&change.source, told);
    let TableSource::Base(table) = &change.target else { return };
    let all = |index: Option<&IndexDef>| match change.actions.as_slice() {
        [only] => change_of(&only.kind, table, index).map(|kind| if counts { kind } else { Change::Unknown }),
        several => {
            several.iter().any(|action| change_of(&action.kind, table, index).is_some()).then_some(Change::Unknown)
        }
    };
    if base_of(table) == 0
        && let Some(kind) = all(None)
    {
        told(table, 0, Use::Update(kind));
    }
    for index in table.indexes.iter().filter(|index| !index.disabled) {
        if let Some(kind) = all(Some(index)) {
            told(table, index.id, Use::Update(kind));
        }
    }
}

/// None: it leaves the index alone. A clustered index has all columns; an UPDATE leaves an index alone that has none of the columns that it
/// sets. `index`: None of a heap.
fn change_of(action: &ActionKind, table: &TableDef, index: Option<&IndexDef>) -> Option<Change> {
    let is_filtered = index.is_some_and(|index| !index.filter.is_empty());
    let ActionKind::Update { set, computed, .. } = action else {
        let kind = if matches!(action, ActionKind::Delete) { Change::Delete } else { Change::Insert };
        return Some(if is_filtered { Change::Unknown } else { kind });
    };
    let is_set = |column: u16| {
        let stored = table.stored[usize::from(column)];
        set.iter().chain(computed).any(|(ordinal, _)| Some(*ordinal) == stored)
    };
    let Some(index) = index else { return Some(Change::Update) };
    let in_key = index.key.iter().any(|(column, _)| is_set(*column));
    let beside = index.included.iter().copied().chain(index.filter.iter().map(|term| term.column)).any(is_set);
    match (in_key || beside || index.kind == IndexKind::Clustered, is_filtered) {
        (false, _) => None,
        (true, true) => Some(Change::Unknown),
        (true, false) => Some(if in_key { Change::Move } else { Change::Update }),
    }
}
