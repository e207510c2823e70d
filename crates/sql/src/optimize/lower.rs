//! The last step: relations become operators, column ids become positions.

use std::sync::Arc;

use types::{Datum, SqlType};

use super::access::{self, Access, Way};
use super::computed::computed;
use super::condense::condense;
use super::constant::{equi, nulls_meet};
use super::either;
use super::estimate;
use super::order::{columns_of, cost, order, seekable};
use super::push::push;
use super::rel::*;
use super::search::{BUILD_COST, HASH_COST, PROBE_COST};
use super::share::share;
use super::wanted;
use crate::catalog::Catalog;
use crate::plan::*;
use crate::statistics::Watch;

/// What the root shows: exactly these columns in this order.
#[derive(Debug, Clone)]
pub struct Output {
    pub name: Box<str>,
    pub expr: Expr,
}

/// One statement's lowering: slots are numbered through the whole statement.
#[derive(Default)]
pub struct Lowering<'a> {
    /// Whom to ask for statistics; None: nobody.
    pub catalog: Option<&'a dyn Catalog>,
    /// Of the statistics that plans were made with.
    pub watches: Vec<Arc<dyn Watch>>,
    pub slots: Vec<SqlType>,
    /// A hint names a filtered index that lacks rows of the answer.
    pub impossible_hint: bool,
    /// Tables are joined: what FORCESEEK needs may come of another one, though these joins are made without.
    joined: bool,
    /// Joins look up rows where an index lets them, whatever it costs: in natively compiled modules, whose code has nested loops.
    pub looks_up: bool,
    /// OPTION (LOOP JOIN), (HASH JOIN), (MERGE JOIN): of the joins without a hint of their own, where they can be done so.
    pub join_method: Option<JoinMethod>,
    pub(super) frames: Vec<Frame>,
}

/// An enclosing row whose columns the inner side may read.
#[derive(Debug)]
pub(super) enum Frame {
    /// The outer side of nested loops.
    Row { layout: Vec<ColumnId>, bindings: Vec<(OuterSlot, usize)> },
    /// The edge of a subquery: columns of the query around it, lowered later.
    Edge { bindings: Vec<(OuterSlot, ColumnId)> },
}

/// A join that gives so many rows for one of its left side: these are sorted instead, if that gives the order.
const SORT_BEFORE: f64 = 8.0;

/// MIN and MAX that are looked up one by one; more are read off one scan.
const EXTREMES_MAX: usize = 4;

/// Rows of a table that the rounds of a recursive query put aside, at most: without room for them each row of a round would read the table.
const ROUNDS_ROWS_MAX: f64 = 1e6;

/// An operator and the ids of its columns.
pub(super) struct Lowered {
    pub(super) op: Operator,
    pub(super) layout: Vec<ColumnId>,
    /// The wanted order is given.
    pub(super) ordered: bool,
}

/// What the operator above would like.
#[derive(Clone, Copy)]
pub(super) struct Want<'a> {
    pub(super) needed: &'a ColumnSet,
    /// Rows sorted so; empty: any order.
    pub(super) order: &'a [(ColumnId, bool)],
    /// It stops after about so many rows.
    pub(super) goal: Option<f64>,
}

impl<'a> Want<'a> {
    fn columns(needed: &'a ColumnSet) -> Want<'a> {
        Want { needed, order: &[], goal: None }
    }
}

fn has_join(rel: &Rel) -> bool {
    let mut found = matches!(rel, Rel::Join(_));
    rel.for_each_input(&mut |input| found |= has_join(input));
    found
}

impl<'a> Lowering<'a> {
    pub fn new(catalog: &'a dyn Catalog) -> Lowering<'a> {
        Lowering { catalog: Some(catalog), ..Lowering::default() }
    }
}

impl Lowering<'_> {
    /// Rules on the whole relation, before methods are chosen.
    fn rewrite(&mut self, columns: &mut Columns, rel: Rel, mut needed: ColumnSet) -> Rel {
        let mut rel = match rel {
            Rel::Get(_) => return rel,
            Rel::Filter { input, predicates } if matches!(*input, Rel::Get(_)) => {
                input.filter(either::factored(predicates))
            }
            rel => push(rel, Vec::new()),
        };
        // Natively compiled modules keep their plans whatever happens to their tables.
        if let (Some(catalog), false) = (self.catalog, self.looks_up) {
            wanted::attach(&mut rel, catalog, &mut self.watches);
        }
        if matches!(rel, Rel::Filter { ref input, .. } if matches!(**input, Rel::Get(_))) {
            return rel;
        }
        // Native code has nested loops over tables alone.
        let rel = if self.looks_up { rel } else { condense(computed(rel, columns), columns) };
        read_by_all(&rel, &mut needed);
        order(rel, &needed)
    }

    /// What `rel` costs, of whose columns `needed` are read: for who may put another in its place.
    pub fn cost(&mut self, columns: &mut Columns, rel: Rel, needed: &ColumnSet) -> f64 {
        let rel = self.rewrite(columns, rel, needed.clone());
        let mut needed = needed.clone();
        read_by_all(&rel, &mut needed);
        cost(&rel, &needed)
    }

    /// Plans `rel` to give exactly `outputs`.
    pub fn root(&mut self, columns: &mut Columns, rel: Rel, outputs: Vec<Output>) -> Operator {
        assert!(self.frames.is_empty(), "a root is lowered alone");
        let rel = self.rewrite(columns, rel, read_by(&outputs));
        self.joined = has_join(&rel);
        let mut op = self.outputs(columns, rel, outputs);
        if !self.looks_up {
            share(&mut op);
        }
        op
    }

    /// Plans a subquery: also gives the enclosing columns it reads, each with the slot to put it in.
    pub fn subquery(
        &mut self,
        columns: &mut Columns,
        rel: Rel,
        outputs: Vec<Output>,
    ) -> (Operator, Vec<(OuterSlot, Expr)>) {
        assert!(self.frames.is_empty(), "a subquery is lowered before its query");
        self.frames.push(Frame::Edge { bindings: Vec::new() });
        let rel = self.rewrite(columns, rel, read_by(&outputs));
        self.joined = has_join(&rel);
        let op = self.outputs(columns, rel, outputs);
        let Some(Frame::Edge { bindings }) = self.frames.pop() else { panic!("frames are balanced") };
        (op, bindings.into_iter().map(|(slot, id)| (slot, columns.expr(id))).collect())
    }

    pub(super) fn outputs(&mut self, columns: &Columns, rel: Rel, outputs: Vec<Output>) -> Operator {
        let needed = read_by(&outputs);
        let lowered = self.lower(columns, rel, Want::columns(&needed));
        let result: Vec<OutputColumn> = outputs
            .iter()
            .map(|output| {
                let column = match output.expr.unmasked().kind {
                    ExprKind::Column(column) => Some(ColumnId(column as u32)),
                    _ => None,
                };
                OutputColumn {
                    name: output.name.clone(),
                    ty: output.expr.ty,
                    nullable: columns.told_nullable(&output.expr),
                    origin: column.and_then(|id| columns.origin(id)),
                    computed: column.is_none_or(|id| columns.is_computed(id)),
                    of_view: column.is_some_and(|id| columns.in_view(id).is_some()),
                    sorted: None,
                    row_status: false,
                }
            })
            .collect();
        let direct = outputs.len() == lowered.layout.len()
            && outputs.iter().zip(&lowered.layout).all(|(output, id)| match output.expr.kind {
                ExprKind::Column(column) => column == id.index(),
                _ => false,
            });
        let mut op = lowered.op;
        if direct {
            op.columns = result;
            return op;
        }
        let exprs = outputs.into_iter().map(|output| self.bound(columns, output.expr, &lowered.layout)).collect();
        // A Project below computes nothing that is needed twice: one is enough.
        let rows = op.rows;
        Operator { kind: OperatorKind::Project { input: Box::new(op), exprs }, columns: result, rows }
    }

    /// `expr` over rows of `layout`.
    pub(super) fn bound(&mut self, columns: &Columns, mut expr: Expr, layout: &[ColumnId]) -> Expr {
        self.bind_in_place(columns, &mut expr, layout);
        expr
    }

    pub(super) fn bind_in_place(&mut self, columns: &Columns, expr: &mut Expr, layout: &[ColumnId]) {
        expr.rewrite(&mut |e| {
            let ExprKind::Column(column) = e.kind else { return false };
            e.kind = self.resolve(columns, ColumnId(column as u32), layout);
            true
        });
    }

    fn resolve(&mut self, columns: &Columns, id: ColumnId, layout: &[ColumnId]) -> ExprKind {
        if let Some(position) = layout.iter().position(|&own| own == id) {
            return ExprKind::Column(position);
        }
        for frame in self.frames.iter_mut().rev() {
            let next = OuterSlot(self.slots.len() as u32);
            match frame {
                Frame::Row { layout, bindings } => {
                    let Some(position) = layout.iter().position(|&own| own == id) else { continue };
                    if let Some((slot, _)) = bindings.iter().find(|(_, bound)| *bound == position) {
                        return ExprKind::Outer(*slot);
                    }
                    bindings.push((next, position));
                }
                Frame::Edge { bindings } => {
                    if let Some((slot, _)) = bindings.iter().find(|(_, bound)| *bound == id) {
                        return ExprKind::Outer(*slot);
                    }
                    bindings.push((next, id));
                }
            }
            self.slots.push(columns.info(id).ty);
            return ExprKind::Outer(next);
        }
        panic!("column {id:?} is neither in the row {layout:?} nor in an enclosing one");
    }

    pub(super) fn bound_keys(&mut self, columns: &Columns, keys: Vec<SortKey>, layout: &[ColumnId]) -> Vec<SortKey> {
        keys.into_iter()
            .map(|key| SortKey { expr: self.bound(columns, key.expr, layout), descending: key.descending })
            .collect()
    }

    pub(super) fn lower(&mut self, columns: &Columns, rel: Rel, want: Want) -> Lowered {
        match rel {
            Rel::Get(get) => self.lower_get(columns, *get, Vec::new(), want),
            Rel::Filter { input, predicates } if predicates.iter().any(is_unknown) => {
                self.lower_never(columns, *input, want)
            }
            Rel::Filter { input, predicates } => match *input {
                Rel::Get(get) => self.lower_get(columns, *get, predicates, want),
                Rel::Window(window) => {
                    let input = self.first_rows(window, &predicates);
                    self.lower_filter(columns, input, predicates, want)
                }
                input => self.lower_filter(columns, input, predicates, want),
            },
            Rel::Leaf(leaf) => self.lower_leaf(columns, *leaf, want.needed),
            Rel::Values { ids, rows } => {
                let rows_guess = rows.len() as f64;
                let rows = rows
                    .into_iter()
                    .map(|row| row.into_iter().map(|e| self.bound(columns, e, &[])).collect())
                    .collect();
                Lowered::new(OperatorKind::Values(rows), columns, ids, rows_guess)
            }
            Rel::Map { input, defs } => self.lower_map(columns, *input, defs, want),
            Rel::Join(join) => self.lower_join(columns, *join, want),
            Rel::Aggregate(group) => self.lower_group(columns, *group, want),
            Rel::Window(window) => self.lower_window(columns, *window, want),
            Rel::Sort { input, keys } => {
                let ordered = is_ordered(&keys, want.order);
                Lowered { ordered, ..self.lower_sorted(columns, *input, keys, want.needed, want.goal, None) }
            }
            Rel::Top(top) => self.lower_top(columns, *top, want),
            Rel::Concat { ids, branches } => {
                let inputs: Vec<Operator> =
                    branches.into_iter().map(|branch| self.lower_branch(columns, branch)).collect();
                let rows = inputs.iter().map(|op| op.rows).sum();
                Lowered::new(OperatorKind::Concat(inputs), columns, ids, rows)
            }
            Rel::SetOperation { ids, left, right, intersect } => {
                let left = Box::new(self.lower_branch(columns, *left));
                let right = Box::new(self.lower_branch(columns, *right));
                let rows = left.rows;
                Lowered::new(OperatorKind::SetOperation { left, right, intersect }, columns, ids, rows)
            }
            Rel::Recursive { ids, anchor, recursive, work_table, rounds_max } => {
                let anchor = Box::new(self.lower_branch(columns, *anchor));
                let recursive = Box::new(self.lower_branch(columns, *recursive));
                let rows = anchor.rows * 10.0;
                let kind = OperatorKind::Recursive { anchor, recursive, work_table, rounds_max };
                Lowered::new(kind, columns, ids, rows)
            }
            Rel::Text(text) => {
                let input = Box::new(self.outputs(columns, text.input, text.outputs));
                let kind = OperatorKind::ForText { input, format: text.format };
                Lowered::new(kind, columns, vec![text.id], 1.0)
            }
            Rel::Spool(input) => {
                let input = self.lower(columns, *input, Want::columns(want.needed));
                input.spooled()
            }
        }
    }

    /// Exactly the branch's columns.
    fn lower_branch(&mut self, columns: &Columns, branch: Branch) -> Operator {
        let outputs = branch.columns.iter().map(|&id| Output { name: "".into(), expr: columns.expr(id) }).collect();
        self.outputs(columns, branch.rel, outputs)
    }

    /// No row of `input`: one of its predicates is decided. TOP 0 reads none.
    fn lower_never(&mut self, columns: &Columns, input: Rel, want: Want) -> Lowered {
        let input = self.lower(columns, input, Want { order: &[], goal: Some(0.0), ..want });
        let shape = input.op.columns.clone();
        let top = Top { input: input.op, count: Some(Expr::bigint(0)), percent: false, ties: Vec::new(), offset: None };
        let op = Operator { kind: OperatorKind::Top(Box::new(top)), columns: shape, rows: 0.0 };
        Lowered { op, layout: input.layout, ordered: false }
    }

    fn lower_filter(&mut self, columns: &Columns, input: Rel, predicates: Vec<Expr>, want: Want) -> Lowered {
        let mut needed = want.needed.clone();
        predicates.iter().for_each(|p| needed.insert_expr(p));
        let goal = want.goal.map(|goal| goal * 3.0);
        let part = estimate::part(&input, predicates.iter());
        let input = self.lower(columns, input, Want { needed: &needed, goal, ..want });
        self.filtered(columns, input, predicates, part)
    }

    /// `part`: of the rows, those that pass.
    pub(super) fn filtered(
        &mut self,
        columns: &Columns,
        input: Lowered,
        mut predicates: Vec<Expr>,
        part: f64,
    ) -> Lowered {
        predicates.sort_by_key(asked_late);
        let predicates = predicates.into_iter().map(|p| self.bound(columns, p, &input.layout)).collect();
        let Some(predicate) = Expr::all(predicates) else { return input };
        let rows = (input.op.rows * part).max(1.0);
        let shape = input.op.columns.clone();
        let kind = OperatorKind::Filter { input: Box::new(input.op), predicate };
        Lowered { op: Operator { kind, columns: shape, rows }, ..input }
    }

    fn lower_leaf(&mut self, columns: &Columns, mut leaf: Leaf, needed: &ColumnSet) -> Lowered {
        let mut arguments_of = |arguments: Vec<Expr>| -> Vec<Expr> {
            arguments.into_iter().map(|e| self.bound(columns, e, &[])).collect()
        };
        let kind = match leaf.kind {
            LeafKind::Virtual { table, arguments } => {
                let read: Vec<u16> =
                    (0..table.columns.len() as u16).filter(|&c| needed.contains(leaf.ids[c as usize])).collect();
                leaf.ids.retain(|id| needed.contains(*id));
                OperatorKind::Virtual { columns: read, arguments: arguments_of(arguments), table }
            }
            LeafKind::TableFunction { function, arguments } => {
                OperatorKind::TableFunction { function, arguments: arguments_of(arguments) }
            }
            LeafKind::UserTableFunction { module, arguments } => {
                OperatorKind::UserTableFunction { module, arguments: arguments_of(arguments) }
            }
            LeafKind::WorkTable(work_table) => OperatorKind::WorkTable(work_table),
            LeafKind::Modify(modify) => OperatorKind::Modify(Box::new(modify)),
        };
        Lowered::new(kind, columns, leaf.ids, 100.0)
    }

    pub(super) fn lower_get(&mut self, columns: &Columns, get: Get, mut predicates: Vec<Expr>, want: Want) -> Lowered {
        // What is read has a locator: what asks for one is about a join that came to be an inner one.
        if let Some(locator) = get.locator {
            predicates.retain(|predicate| {
                let mut read = ColumnSet::default();
                read.insert_expr(predicate);
                !read.contains(locator)
            });
        }
        // What cannot be tested while scanning (a subquery over this row is fine, a volatile one is not) stays above.
        // A computed column that is not stored comes from the Map above, under the same id.
        let is_stored = |c: u16| get.table.stored[usize::from(c)].is_some();
        let mut needed: Vec<u16> = (0..get.table.columns.len() as u16)
            .filter(|&c| is_stored(c) && want.needed.contains(get.id_of(c)))
            .collect();
        let given = needed.clone();
        let mut tested = ColumnSet::default();
        predicates.iter().for_each(|p| tested.insert_expr(p));
        for column in 0..get.table.columns.len() as u16 {
            if tested.contains(get.id_of(column)) && !needed.contains(&column) {
                needed.push(column);
            }
        }
        let wanted: Option<Vec<(u16, bool)>> =
            want.order.iter().map(|(id, descending)| Some((get.column_of(*id)?, *descending))).collect();
        let access = access::choose(&get, &predicates, &needed, wanted.as_deref().unwrap_or(&[]), want.goal);
        self.impossible_hint |= access::misses_rows(&get, &access);
        let way = self.way(&get, &predicates, &access, &needed, want);
        self.impossible_hint |= get.force_seek && !self.joined && !access.is_seek() && matches!(way, Way::OneScan);
        match way {
            Way::OneScan => self.scan(columns, get, predicates, given, access, want),
            Way::Arms(or) => self.by_arms(columns, get, predicates, or, want),
            Way::OuterRows => self.by_outer_rows(columns, get, predicates, want),
        }
    }

    /// The scan that `access` describes, giving the columns `given` (and those the residual needs).
    fn scan(
        &mut self,
        columns: &Columns,
        get: Get,
        predicates: Vec<Expr>,
        given: Vec<u16>,
        access: Access,
        want: Want,
    ) -> Lowered {
        let partitions = access::partitions(&get, &predicates);
        let mut residual: Vec<Expr> =
            predicates.into_iter().enumerate().filter(|(i, _)| !access.consumed.contains(i)).map(|(_, p)| p).collect();
        residual.sort_by_key(asked_late);
        let mut read = given;
        let mut tested = ColumnSet::default();
        residual.iter().for_each(|p| tested.insert_expr(p));
        for column in 0..get.table.columns.len() as u16 {
            if tested.contains(get.id_of(column)) && !read.contains(&column) {
                read.push(column);
            }
        }
        // A nonclustered index is a lookup only for what is read in the end.
        let layout: Vec<ColumnId> = read.iter().map(|&c| get.id_of(c)).collect();
        let mut bound_range = |access: Access| SeekRange {
            equal: access.equal.into_iter().map(|e| self.bound(columns, e, &[])).collect(),
            lower: access.lower.map(|(e, bound)| (self.bound(columns, e, &[]), bound)),
            upper: access.upper.map(|(e, bound)| (self.bound(columns, e, &[]), bound)),
            any_of: access.any_of.into_iter().map(|e| self.bound(columns, e, &[])).collect(),
        };
        let (index, lookup, backward, ordered, rows) =
            (access.index, access.lookup, access.backward, access.ordered, access.rows);
        let range = if access.is_seek() { Some(bound_range(access)) } else { None };
        let partitions = partitions.map(|partitions| Box::new(bound_range(partitions)));
        let residual = Expr::all(residual.into_iter().map(|p| self.bound(columns, p, &layout)).collect());
        let mut layout = layout;
        let locator = get.locator.filter(|id| want.needed.contains(*id));
        layout.extend(locator);
        let scan = Scan {
            table: get.source,
            index,
            columns: read,
            locator: locator.is_some(),
            range,
            partitions,
            backward,
            residual,
            lookup,
            lock: get.lock,
        };
        let mut lowered = Lowered::new(OperatorKind::Scan(Box::new(scan)), columns, layout, rows);
        lowered.ordered = ordered;
        lowered
    }

    fn lower_map(&mut self, columns: &Columns, input: Rel, defs: Vec<(ColumnId, Expr)>, want: Want) -> Lowered {
        let defs: Vec<(ColumnId, Expr)> = defs.into_iter().filter(|(id, _)| want.needed.contains(*id)).collect();
        if defs.is_empty() {
            return self.lower(columns, input, want);
        }
        // Map over Map: cheap definitions below are computed here.
        if let Rel::Map { input: below, defs: inner } = input {
            let (merged, kept): (Vec<_>, Vec<_>) = inner.into_iter().partition(|(_, e)| {
                matches!(e.kind, ExprKind::Column(_) | ExprKind::Literal(_) | ExprKind::Variable(_))
            });
            if merged.is_empty() {
                return self.lower_map_flat(columns, Rel::Map { input: below, defs: kept }, defs, want);
            }
            let mut defs = defs;
            defs.iter_mut().for_each(|(_, e)| substitute(e, &merged));
            let wanted: Vec<_> = merged.into_iter().filter(|(id, _)| want.needed.contains(*id)).collect();
            defs.extend(wanted);
            return self.lower_map(columns, below.map(kept), defs, want);
        }
        self.lower_map_flat(columns, input, defs, want)
    }

    fn lower_map_flat(&mut self, columns: &Columns, input: Rel, defs: Vec<(ColumnId, Expr)>, want: Want) -> Lowered {
        // What is made here is not asked for below: a computed column has a place among its table's columns.
        let mut needed = want.needed.clone();
        defs.iter().for_each(|(id, _)| needed.remove(*id));
        defs.iter().for_each(|(_, e)| needed.insert_expr(e));
        // The order is asked of the columns that definitions only rename.
        let order: Option<Vec<(ColumnId, bool)>> = want
            .order
            .iter()
            .map(|&(id, descending)| match defs.iter().find(|(def, _)| *def == id) {
                None => Some((id, descending)),
                Some((_, Expr { kind: ExprKind::Column(column), .. })) => Some((ColumnId(*column as u32), descending)),
                Some(_) => None,
            })
            .collect();
        let below = Want { needed: &needed, order: order.as_deref().unwrap_or(&[]), goal: want.goal };
        let input = self.lower(columns, input, below);
        let kept: Vec<ColumnId> = input.layout.iter().copied().filter(|id| want.needed.contains(*id)).collect();
        let mut exprs: Vec<Expr> = Vec::with_capacity(kept.len() + defs.len());
        let mut shape = Vec::with_capacity(kept.len() + defs.len());
        for id in &kept {
            let position = input.layout.iter().position(|own| own == id).expect("kept columns are in the layout");
            shape.push(input.op.columns[position].clone());
            exprs.push(Expr::column(position, shape[shape.len() - 1].ty, shape[shape.len() - 1].nullable));
        }
        let mut layout = kept;
        for (id, def) in defs {
            shape.push(OutputColumn::plain("", def.ty, def.nullable));
            exprs.push(self.bound(columns, def, &input.layout));
            layout.push(id);
        }
        let rows = input.op.rows;
        let kind = OperatorKind::Project { input: Box::new(input.op), exprs };
        Lowered { op: Operator { kind, columns: shape, rows }, layout, ordered: input.ordered && order.is_some() }
    }

    fn lower_group(&mut self, columns: &Columns, mut group: Group, want: Want) -> Lowered {
        group.aggregates.retain(|(id, _)| want.needed.contains(*id));
        if let Some(lowered) = self.lower_extremes(columns, &group) {
            return lowered;
        }
        let mut needed = ColumnSet::default();
        group.group.iter().for_each(|(_, e)| needed.insert_expr(e));
        for (_, aggregate) in &group.aggregates {
            aggregate.argument.iter().chain(&aggregate.extra).for_each(|e| needed.insert_expr(e));
            aggregate.order.iter().for_each(|key| needed.insert_expr(&key.expr));
        }
        // Groups arrive together when the input is sorted by them; the order that is wanted above goes first.
        let keys: Option<Vec<ColumnId>> = group
            .group
            .iter()
            .map(|(_, e)| match e.kind {
                ExprKind::Column(column) => Some(ColumnId(column as u32)),
                _ => None,
            })
            .collect();
        let mut order: Vec<(ColumnId, bool)> = Vec::new();
        let mut above = !want.order.is_empty();
        if let (Some(keys), true) = (&keys, group.sets.is_none() && !group.group.is_empty()) {
            for (id, descending) in want.order {
                match group.group.iter().position(|(own, _)| own == id) {
                    Some(i) => order.push((keys[i], *descending)),
                    None => above = false,
                }
            }
            for key in keys {
                if !order.iter().any(|(id, _)| id == key) {
                    order.push((*key, false));
                }
            }
        }
        let groups = estimate::groups(&group.input, estimate::rows(&group.input), group.group.iter().map(|(_, e)| e));
        let input = match extreme_order(&group) {
            Some((id, descending)) => self.lower_extreme(columns, group.input, id, descending, &needed),
            None => self.lower(columns, group.input, Want { needed: &needed, order: &order, goal: None }),
        };
        let stream = !order.is_empty() && input.ordered;
        let rows_in = input.op.rows;
        let mut ids: Vec<ColumnId> = group.group.iter().map(|(id, _)| *id).collect();
        ids.extend(group.aggregates.iter().map(|(id, _)| *id));
        let keys: Vec<Expr> = group.group.into_iter().map(|(_, e)| self.bound(columns, e, &input.layout)).collect();
        let aggregates: Vec<Aggregate> = group
            .aggregates
            .into_iter()
            .map(|(_, mut aggregate)| {
                aggregate.argument.iter_mut().for_each(|e| self.bind_in_place(columns, e, &input.layout));
                aggregate.extra.iter_mut().for_each(|e| self.bind_in_place(columns, e, &input.layout));
                aggregate.order.iter_mut().for_each(|key| self.bind_in_place(columns, &mut key.expr, &input.layout));
                aggregate
            })
            .collect();
        let rows = if keys.is_empty() { 1.0 } else { groups.min(rows_in).max(1.0) };
        let input = Box::new(input.op);
        let kind = match group.sets {
            Some((sets, id)) => {
                ids.push(id);
                OperatorKind::GroupingSets { input, group: keys, sets, aggregates }
            }
            None => {
                let strategy = if stream { GroupStrategy::Stream } else { GroupStrategy::Hash };
                OperatorKind::Aggregate { input, group: keys, aggregates, strategy }
            }
        };
        let mut lowered = Lowered::new(kind, columns, ids, rows);
        lowered.ordered = stream && above;
        lowered
    }

    /// The input of a lone MIN or MAX: one row, when an index has the rows in the column's order, or they are put aside in it.
    fn lower_extreme(
        &mut self,
        columns: &Columns,
        input: Rel,
        id: ColumnId,
        descending: bool,
        needed: &ColumnSet,
    ) -> Lowered {
        let order = [(id, descending)];
        let by_index = first_by(columns, &input, id, descending, needed);
        let first = by_index.or_else(|| self.keeps_order_of(&input, id).then(|| with_value(columns, &input, id)));
        let Some(first) = first else {
            return self.lower(columns, input, Want::columns(needed));
        };
        let first = self.lower(columns, first, Want { needed, order: &order, goal: Some(1.0) });
        // What the predicates read as well may have made another index the better one.
        if !first.ordered {
            return self.lower(columns, input, Want::columns(needed));
        }
        let input = first;
        let shape = input.op.columns.clone();
        let count = Some(Expr::bigint(1));
        let top = Top { input: input.op, count, percent: false, ties: Vec::new(), offset: None };
        let kind = OperatorKind::Top(Box::new(top));
        Lowered { op: Operator { kind, columns: shape, rows: 1.0 }, layout: input.layout, ordered: false }
    }

    /// Several MIN and MAX of all rows, each of which an index has first: a seek for each, as SQL Server does it.
    fn lower_extremes(&mut self, columns: &Columns, group: &Group) -> Option<Lowered> {
        let (get, predicates) = seekable(&group.input)?;
        let is_plain = group.group.is_empty() && group.sets.is_none() && get.locator.is_none();
        if !is_plain || !(2..=EXTREMES_MAX).contains(&group.aggregates.len()) || self.looks_up {
            return None;
        }
        if predicates.iter().any(|p| p.is_volatile() || p.has_subquery()) {
            return None;
        }
        for (_, aggregate) in &group.aggregates {
            let (id, descending) = extreme_of(aggregate)?;
            let needed: ColumnSet = [id].into_iter().collect();
            first_by(columns, &group.input, id, descending, &needed)?;
        }
        let mut all = group.aggregates.iter().map(|aggregate| {
            let needed: ColumnSet = [aggregate.0].into_iter().collect();
            let alone = Group {
                input: group.input.clone(),
                group: Vec::new(),
                aggregates: vec![aggregate.clone()],
                sets: None,
            };
            self.lower_group(columns, alone, Want::columns(&needed))
        });
        let first = all.next()?;
        Some(all.fold(first, |outer, inner| {
            let (layout, shape, _) = joined_shape(JoinKind::Inner, &outer, &inner);
            let (kind, bindings, predicate) = (JoinKind::Inner, Vec::new(), None);
            let loops = NestedLoops { outer: outer.op, inner: inner.op, kind, bindings, predicate };
            let op = Operator { kind: OperatorKind::NestedLoops(Box::new(loops)), columns: shape, rows: 1.0 };
            Lowered { op, layout, ordered: false }
        }))
    }

    /// `input` in the order of `keys`: by itself, or through a Sort (which keeps only `limit` rows).
    pub(super) fn lower_sorted(
        &mut self,
        columns: &Columns,
        input: Rel,
        keys: Vec<SortKey>,
        needed: &ColumnSet,
        goal: Option<f64>,
        limit: Option<&Expr>,
    ) -> Lowered {
        let keys: Vec<SortKey> = keys.into_iter().filter(|key| !key.expr.is_same_for_all()).collect();
        let mut all = needed.clone();
        keys.iter().for_each(|key| all.insert_expr(&key.expr));
        let wanted = column_order(&keys);
        let order = wanted.as_deref().unwrap_or(&[]);
        let goal = if order.is_empty() && !keys.is_empty() { None } else { goal };
        let input = self.lower(columns, input, Want { needed: &all, order, goal });
        if keys.is_empty() || input.ordered && !order.is_empty() {
            return Lowered { ordered: true, ..input };
        }
        let keys = self.bound_keys(columns, keys, &input.layout);
        let limit = limit.map(|e| self.bound(columns, e.clone(), &[]));
        let rows = input.op.rows;
        let shape = input.op.columns.clone();
        let kind = OperatorKind::Sort { input: Box::new(input.op), keys, limit };
        Lowered { op: Operator { kind, columns: shape, rows }, layout: input.layout, ordered: true }
    }

    pub(super) fn lower_top(&mut self, columns: &Columns, top: TopRows, want: Want) -> Lowered {
        let mut needed = want.needed.clone();
        top.keys.iter().for_each(|key| needed.insert_expr(&key.expr));
        let literal = |e: &Option<Expr>| match e {
            Some(Expr { kind: ExprKind::Literal(Datum::I64(n)), .. }) => Some((*n).max(0) as f64),
            _ => None,
        };
        let goal = match (&top.count, top.percent) {
            (Some(_), false) => Some(literal(&top.count).unwrap_or(100.0) + literal(&top.offset).unwrap_or(0.0)),
            _ => None,
        };
        // A top-N sort keeps count + offset rows; with ties or a percentage it must keep all.
        let limit = match (&top.count, &top.offset) {
            (Some(count), None) if !top.percent && !top.with_ties => Some(count.clone()),
            (Some(count), Some(offset)) if !top.percent && !top.with_ties => Some(Expr::new(
                count.ty,
                true,
                ExprKind::Arithmetic(ArithmeticOp::Add, Box::new(count.clone()), Box::new(offset.clone())),
            )),
            _ => None,
        };
        let ties: Vec<SortKey> = if top.with_ties { top.keys.clone() } else { Vec::new() };
        let ordered = is_ordered(&top.keys, want.order);
        let input = if top.keys.is_empty() {
            // Which rows are the first must not depend on the order that is wanted of them later.
            self.lower(columns, top.input, Want { needed: &needed, order: &[], goal })
        } else {
            self.lower_sorted(columns, top.input, top.keys, &needed, goal, limit.as_ref())
        };
        let ties = self.bound_keys(columns, ties, &input.layout);
        let count = top.count.map(|e| self.bound(columns, e, &[]));
        let offset = top.offset.map(|e| self.bound(columns, e, &[]));
        let rows = goal.unwrap_or(f64::INFINITY).min(input.op.rows);
        let shape = input.op.columns.clone();
        let kind = OperatorKind::Top(Box::new(Top { input: input.op, count, percent: top.percent, ties, offset }));
        Lowered { op: Operator { kind, columns: shape, rows }, layout: input.layout, ordered }
    }

    fn lower_join(&mut self, columns: &Columns, mut join: Join, want: Want) -> Lowered {
        let mut needed = want.needed.clone();
        join.on.iter().for_each(|p| needed.insert_expr(p));
        let mut outer_needed = needed.clone();
        if join.lateral {
            outer_needed.insert_all(&join.right.free());
        }
        let left = join.left.defined();
        let right = join.right.defined();
        let (keys, rest): (Vec<Expr>, Vec<Expr>) =
            join.on.iter().cloned().partition(|p| equi(p, &left, &right).is_some());
        let hashable = !join.lateral && (!keys.is_empty() || join.kind == JoinKind::FullOuter);
        let (left_rows, right_rows) = (estimate::rows(&join.left), estimate::rows(&join.right));
        let rows = join.rows.unwrap_or_else(|| {
            estimate::joined(join.kind, (&join.left, left_rows), (&join.right, right_rows), &join.on)
        });
        let method = join.hint.or(self.join_method);
        let seek_side = join.kind != JoinKind::FullOuter && method != Some(JoinMethod::Hash);
        if seek_side
            && (join.lateral || !hashable || self.seek_pays(&join, (left_rows, right_rows), &needed, want.goal))
        {
            return self.nested(columns, join, &outer_needed, &needed, want, rows);
        }
        if !hashable {
            return self.nested(columns, join, &outer_needed, &needed, want, rows);
        }
        if self.goes_by_rounds(&mut join) {
            return self.nested(columns, join, &outer_needed, &needed, want, rows);
        }
        let Join { kind, left: left_rel, right: right_rel, .. } = join;
        let build_left = kind == JoinKind::Inner && left_rows < right_rows;
        let left_side = self.lower(columns, left_rel, Want::columns(&needed));
        let right_side = self.lower(columns, right_rel, Want::columns(&needed));
        let nulls_meet = keys.iter().map(nulls_meet).collect();
        let keys = keys
            .into_iter()
            .map(|p| {
                let (l, r) = equi(&p, &left, &right).expect("only equijoin predicates are keys");
                (self.bound(columns, l, &left_side.layout), self.bound(columns, r, &right_side.layout))
            })
            .collect();
        let (layout, shape, all) = joined_shape(kind, &left_side, &right_side);
        let residual = Expr::all(rest.into_iter().map(|p| self.bound(columns, p, &all)).collect());
        let hash = HashJoin { left: left_side.op, right: right_side.op, build_left, kind, keys, nulls_meet, residual };
        let op = Operator { kind: OperatorKind::HashJoin(Box::new(hash)), columns: shape, rows };
        Lowered { op, layout, ordered: false }
    }

    /// A join within the rounds of a recursive query would make its hash table in each of them: its other side is put aside for all of them
    /// by what the round's rows ask of it.
    /// True: that is its right side now.
    fn goes_by_rounds(&self, join: &mut Join) -> bool {
        let is_free = join.kind == JoinKind::Inner && join.hint.or(self.join_method).is_none();
        let (left, right) = (has_work_table(&join.left), has_work_table(&join.right));
        let other = if right { &join.left } else { &join.right };
        let is_small = seekable(other).is_some_and(|(get, _)| get.rows as f64 <= ROUNDS_ROWS_MAX);
        let goes = is_free && left != right && is_small;
        if goes && right {
            std::mem::swap(&mut join.left, &mut join.right);
        }
        goes
    }

    /// The table that `rel` begins with, under filters, and under tests that ask each of its rows by a key of their own: no hash table of many rows
    /// is made whenever some rows are sought.
    fn driving<'r>(&self, rel: &'r Rel) -> Option<(&'r Get, Vec<Expr>)> {
        let Rel::Join(join) = rel else { return seekable(rel) };
        let is_test = matches!(join.kind, JoinKind::Semi | JoinKind::Anti) && !join.guard;
        let (get, own) = seekable(&join.right).filter(|_| is_test)?;
        if self.asks_by_key(get, &own) { self.driving(&join.left) } else { None }
    }

    /// Is seeking the right side once a row of the left cheaper than hashing?
    fn seek_pays(&self, join: &Join, rows: (f64, f64), needed: &ColumnSet, goal: Option<f64>) -> bool {
        if join.hint.or(self.join_method) == Some(JoinMethod::Loop) {
            return true;
        }
        let Some((get, own)) = self.driving(&join.right) else { return false };
        if at_most_one(&join.left) {
            // The right is read once either way: without a hash table.
            return true;
        }
        let columns = columns_of(get, &own, needed);
        let whole = access::choose(get, &own, &columns, &[], None).cost;
        let mut predicates = own;
        predicates.extend(join.on.iter().cloned());
        let access = access::choose(get, &predicates, &columns, &[], None);
        if !access.is_lookup()
            || !join.on.iter().enumerate().any(|(i, _)| {
                let position = predicates.len() - join.on.len() + i;
                access.consumed.contains(&position) || access.equal.iter().any(|e| uses_left(e, get))
            })
        {
            return false;
        }
        let outer = goal.map_or(rows.0, |goal| rows.0.min(goal * 4.0));
        // Inner joins build on the smaller side, others on the right.
        let (built, probed) =
            if join.kind == JoinKind::Inner { (rows.0.min(rows.1), rows.0.max(rows.1)) } else { (rows.1, rows.0) };
        let hash = whole + HASH_COST + built * BUILD_COST + probed * PROBE_COST;
        let times = estimate::KnownRows::times(&join.left, &join.right, &join.on);
        self.looks_up || outer * access.cost_times(times) < hash
    }

    fn nested(
        &mut self,
        columns: &Columns,
        join: Join,
        outer_needed: &ColumnSet,
        needed: &ColumnSet,
        want: Want,
        rows: f64,
    ) -> Lowered {
        let left_ids = join.left.defined();
        let goal = want.goal.filter(|_| join.kind != JoinKind::FullOuter);
        let outer = self.lower(columns, join.left, Want { needed: outer_needed, order: want.order, goal });
        let grows = goal.is_some() && rows > SORT_BEFORE * outer.op.rows;
        let outer = if grows { outer.sorted(want.order) } else { outer };
        // Predicates go into the right side when that gives it a seek; they then read the outer row through slots.
        let (free, fixed): (Vec<Expr>, Vec<Expr>) =
            join.on.into_iter().partition(|p| !p.is_volatile() && !p.has_subquery());
        let pushed = self.driving(&join.right).is_some() && free.iter().any(|p| ColumnSet::of(p).meets(&left_ids));
        let correlated = join.lateral || pushed;
        let (right, on) = match pushed {
            true => (push(join.right, free), fixed),
            false => (join.right, free.into_iter().chain(fixed).collect()),
        };
        let cached = !correlated && right.free().is_empty() && !matches!(right, Rel::Values { .. });
        self.frames.push(Frame::Row { layout: outer.layout.clone(), bindings: Vec::new() });
        let goal = matches!(join.kind, JoinKind::Semi | JoinKind::Anti).then_some(1.0);
        let mut inner = self.lower(columns, right, Want { needed, order: &[], goal });
        let Some(Frame::Row { bindings, .. }) = self.frames.pop() else { panic!("frames are balanced") };
        if cached && bindings.is_empty() && outer.op.rows > 1.0 {
            inner = inner.spooled();
        }
        let (layout, shape, all) = joined_shape(join.kind, &outer, &inner);
        let predicate = Expr::all(on.into_iter().map(|p| self.bound(columns, p, &all)).collect());
        let loops = NestedLoops { outer: outer.op, inner: inner.op, kind: join.kind, bindings, predicate };
        let op = Operator { kind: OperatorKind::NestedLoops(Box::new(loops)), columns: shape, rows };
        Lowered { op, layout, ordered: outer.ordered }
    }
}

impl Lowered {
    pub(super) fn new(kind: OperatorKind, columns: &Columns, layout: Vec<ColumnId>, rows: f64) -> Lowered {
        let shape = layout
            .iter()
            .map(|&id| {
                let info = columns.info(id);
                OutputColumn::plain("", info.ty, info.nullable)
            })
            .collect();
        Lowered { op: Operator { kind, columns: shape, rows }, layout, ordered: false }
    }

    /// In the wanted order, if it has all columns of it: who stops early has fewer rows to sort before a join than behind it.
    fn sorted(self, order: &[(ColumnId, bool)]) -> Lowered {
        let key = |(id, descending): &(ColumnId, bool)| {
            let at = self.layout.iter().position(|own| own == id)?;
            let column = &self.op.columns[at];
            Some(SortKey { expr: Expr::column(at, column.ty, column.nullable), descending: *descending })
        };
        let Some(keys) = order.iter().map(key).collect::<Option<Vec<_>>>().filter(|keys| !keys.is_empty()) else {
            return self;
        };
        if self.ordered {
            return self;
        }
        let (shape, rows) = (self.op.columns.clone(), self.op.rows);
        let kind = OperatorKind::Sort { input: Box::new(self.op), keys, limit: None };
        Lowered { op: Operator { kind, columns: shape, rows }, layout: self.layout, ordered: true }
    }

    fn spooled(self) -> Lowered {
        let (shape, rows) = (self.op.columns.clone(), self.op.rows);
        Lowered { op: Operator { kind: OperatorKind::Spool(Box::new(self.op)), columns: shape, rows }, ..self }
    }
}

/// Where a predicate stands among those of one row: what can fail behind what may say that it is not to be asked, subqueries last.
fn asked_late(predicate: &Expr) -> (bool, bool) {
    (predicate.has_subquery(), !either::cannot_fail(predicate))
}

/// What the outputs read.
fn read_by(outputs: &[Output]) -> ColumnSet {
    let mut needed = ColumnSet::default();
    outputs.iter().for_each(|output| needed.insert_expr(&output.expr));
    needed
}

/// Adds what the expressions of `rel` read.
fn read_by_all(rel: &Rel, needed: &mut ColumnSet) {
    rel.for_each_expr(&mut |e| needed.insert_expr(e));
    match rel {
        Rel::Concat { branches, .. } => {
            branches.iter().flat_map(|branch| &branch.columns).for_each(|id| needed.insert(*id))
        }
        Rel::SetOperation { left, right, .. } => {
            left.columns.iter().chain(&right.columns).for_each(|id| needed.insert(*id))
        }
        Rel::Recursive { anchor, recursive, .. } => {
            anchor.columns.iter().chain(&recursive.columns).for_each(|id| needed.insert(*id))
        }
        _ => {}
    }
    rel.for_each_input(&mut |input| read_by_all(input, needed));
}

fn has_work_table(rel: &Rel) -> bool {
    let mut found = matches!(rel, Rel::Leaf(leaf) if matches!(leaf.kind, LeafKind::WorkTable(_)));
    rel.for_each_input(&mut |input| found |= has_work_table(input));
    found
}

/// The layout that goes on, its columns, and the joined row that predicates see.
fn joined_shape(kind: JoinKind, left: &Lowered, right: &Lowered) -> (Vec<ColumnId>, Vec<OutputColumn>, Vec<ColumnId>) {
    let mut all = left.layout.clone();
    all.extend(&right.layout);
    let mut shape = left.op.columns.clone();
    if matches!(kind, JoinKind::Semi | JoinKind::Anti) {
        return (left.layout.clone(), shape, all);
    }
    shape.extend(right.op.columns.iter().cloned());
    let split = left.layout.len();
    if kind != JoinKind::Inner {
        shape[split..].iter_mut().for_each(|column| column.nullable = true);
    }
    if kind == JoinKind::FullOuter {
        shape[..split].iter_mut().for_each(|column| column.nullable = true);
    }
    (all.clone(), shape, all)
}

/// A unique key of the one table is fixed by values from outside it.
fn at_most_one(rel: &Rel) -> bool {
    seekable(rel).is_some_and(|(get, predicates)| access::choose(get, &predicates, &[], &[], None).one_row)
}

fn uses_left(value: &Expr, get: &Get) -> bool {
    let mut outside = false;
    value.for_each_column(&mut |column| outside |= get.column_of(ColumnId(column as u32)).is_none());
    outside
}

/// The rows of `input` that have a value in the column.
fn with_value(columns: &Columns, input: &Rel, id: ColumnId) -> Rel {
    let column = columns.expr(id);
    if !column.nullable {
        return input.clone();
    }
    let null = Expr::predicate(ExprKind::IsNull(Box::new(column)));
    input.clone().filter(vec![Expr::predicate(ExprKind::Not(Box::new(null)))])
}

/// The rows of `input` that have a value in the column, if a way to read them gives the wanted one first.
fn first_by(columns: &Columns, input: &Rel, id: ColumnId, descending: bool, needed: &ColumnSet) -> Option<Rel> {
    let first = with_value(columns, input, id);
    let (get, predicates) = seekable(&first)?;
    let read: Vec<u16> = (0..get.table.columns.len() as u16).filter(|&c| needed.contains(get.id_of(c))).collect();
    let column = get.column_of(id)?;
    access::choose(get, &predicates, &read, &[(column, descending)], Some(1.0)).ordered.then_some(first)
}

/// The order in which the first row has the answer of a group that is one MIN or MAX of a column.
fn extreme_order(group: &Group) -> Option<(ColumnId, bool)> {
    let (true, None, [(_, aggregate)]) = (group.group.is_empty(), &group.sets, group.aggregates.as_slice()) else {
        return None;
    };
    extreme_of(aggregate)
}

fn extreme_of(aggregate: &Aggregate) -> Option<(ColumnId, bool)> {
    let descending = match aggregate.function {
        AggregateFunction::Min => false,
        AggregateFunction::Max => true,
        _ => return None,
    };
    match aggregate.argument.as_ref()?.kind {
        ExprKind::Column(column) => Some((ColumnId(column as u32), descending)),
        _ => None,
    }
}

/// Rows sorted by `keys` come in the wanted order.
fn is_ordered(keys: &[SortKey], wanted: &[(ColumnId, bool)]) -> bool {
    !wanted.is_empty() && column_order(keys).is_some_and(|order| order.starts_with(wanted))
}

/// Sort keys as columns; None when one is computed.
pub(super) fn column_order(keys: &[SortKey]) -> Option<Vec<(ColumnId, bool)>> {
    keys.iter()
        .map(|key| match key.expr.kind {
            ExprKind::Column(column) => Some((ColumnId(column as u32), key.descending)),
            _ => None,
        })
        .collect()
}

/// The constant that a comparison with NULL is.
fn is_unknown(predicate: &Expr) -> bool {
    matches!(predicate.kind, ExprKind::Literal(Datum::Null))
}
