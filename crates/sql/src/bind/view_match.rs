//! Queries that do not name an indexed view and ask for what it holds: its rows are read in place of its tables' where that costs less.
//!
//! A view serves where all that it asks of rows is asked by the query too, and where all else that the query reads of its tables can be
//! computed of its columns (Goldstein, Larson, "Optimizing Queries Using Materialized Views", SIGMOD 2001; without their index of the views,
//! and without views of more tables than the query has). Two forms are looked for: inner joins in which all tables of a view without groups
//! take part, others beside them; and a grouping of exactly the tables of a view, by the view's groups or some of them. Counts and sums of
//! several of its groups are added up.
//!
//! What is put in place defines the same column ids as what was there, so nobody above learns of it.

use std::sync::Arc;

use types::{SqlType, TypeKind};

use super::binder::Binder;
use super::convert::converted;
use super::modules::parse_view;
use super::view_rows::is_readable;
use crate::catalog::{ModuleDef, TableDef};
use crate::function::FunctionId;
use crate::optimize::access::follows;
use crate::optimize::constant::equal_columns;
use crate::optimize::{ColumnId, ColumnSet, Columns, Get, Group, Join, Output, Rel, substitute};
use crate::plan::{Aggregate, AggregateFunction, ArithmeticOp, Expr, ExprKind, JoinKind, LockHint, TableSource};

/// Ways to say which table of a query is which of a view's, where a query names one several times.
const WAYS_MAX: usize = 16;

/// Inner joins taken apart. What is computed of their rows stands in each expression in place of its column.
#[derive(Clone, Default)]
struct Block {
    inputs: Vec<Rel>,
    predicates: Vec<Expr>,
    defs: Vec<(ColumnId, Expr)>,
}

/// The query of an indexed view.
struct ViewText {
    rows: Arc<TableDef>,
    tables: Vec<Get>,
    predicates: Vec<Expr>,
    /// What each of its columns is made of.
    shown: Vec<Shown>,
    grouped: bool,
}

enum Shown {
    Value(Expr),
    Count,
    Sum(Expr),
    /// Of no use here.
    Other,
}

/// A view in place of tables of a block.
struct Fit {
    get: Get,
    /// What each of the view's columns is, in columns of the query's tables.
    shown: Vec<Shown>,
    /// Columns of the tables that it takes the place of.
    replaced: ColumnSet,
    /// It has a row for each group.
    grouped: bool,
    /// Columns of the query that are equal in all its rows.
    equal: Vec<Vec<ColumnId>>,
    /// What the view does not make certain of its rows.
    predicates: Vec<Expr>,
}

impl Binder<'_> {
    /// Reads of indexed views what costs less to read there. `outputs` are over `rel`.
    pub fn with_views(&mut self, rel: Rel, outputs: &[Output]) -> Rel {
        let fits = self.matches_views && !self.expands_views && !self.browses && !self.force_order;
        if !fits || self.delta.is_some() || !self.options.ansi_nulls || !self.options.quoted_identifier {
            return rel;
        }
        let mut views = Vec::new();
        self.views_of(&rel, &mut views);
        if views.is_empty() {
            return rel;
        }
        let mut needed = ColumnSet::default();
        outputs.iter().for_each(|output| needed.insert_expr(&output.expr));
        self.matched(rel, &needed, &views, false)
    }

    /// Those of the tables in `rel`.
    fn views_of(&mut self, rel: &Rel, out: &mut Vec<ViewText>) {
        if let Rel::Get(get) = rel {
            for module in &get.table.views {
                if !out.iter().any(|view| view.rows.object == module.object) {
                    out.extend(self.view_text(module));
                }
            }
        }
        rel.for_each_input(&mut |input| self.views_of(input, out));
    }

    fn view_text(&mut self, module: &Arc<ModuleDef>) -> Option<ViewText> {
        let rows = module.rows.clone().filter(|rows| is_readable(rows) && module.predicates.is_empty())?;
        let view = parse_view(module).ok()?;
        let bound = self.uncounted(|binder| binder.query_of_view(module, &view)).ok()?;
        let (mut rel, mut above) = (bound.rel, Vec::new());
        let group = loop {
            match rel {
                Rel::Aggregate(group) => {
                    rel = group.input.clone();
                    break Some(group);
                }
                Rel::Map { input, defs } if is_grouped(&input) => {
                    above.push(defs);
                    rel = *input;
                }
                _ => break None,
            }
        };
        let mut block = Block::default();
        block.take(rel);
        let tables = block.inputs.iter().map(|input| plain_table(input).cloned()).collect::<Option<Vec<_>>>()?;
        let shown = bound.outputs.into_iter().zip(&rows.columns).map(|(output, column)| {
            let mut value = output.expr;
            above.iter().for_each(|defs| substitute(&mut value, defs));
            match value.ty == column.ty {
                true => shown(value, group.as_deref(), &block),
                false => Shown::Other,
            }
        });
        let shown = shown.collect();
        Some(ViewText { tables, predicates: block.predicates, shown, grouped: group.is_some(), rows })
    }

    /// `inside`: of inner joins that have been looked at as a whole.
    fn matched(&mut self, mut rel: Rel, needed: &ColumnSet, views: &[ViewText], inside: bool) -> Rel {
        let is_block = is_of_block(&rel);
        let found = match &rel {
            Rel::Aggregate(group) => self.grouping_of_views(group, views),
            rel if is_block && !inside => self.block_of_views(rel, needed, views),
            _ => Vec::new(),
        };
        if let Some(better) = self.cheapest(&rel, needed, found) {
            return better;
        }
        let mut needed = needed.clone();
        rel.for_each_expr(&mut |expr| needed.insert_expr(expr));
        match &rel {
            Rel::Join(join) if join.lateral => needed.insert_all(&join.right.free()),
            Rel::Concat { branches, .. } => {
                branches.iter().flat_map(|branch| &branch.columns).for_each(|id| needed.insert(*id));
            }
            Rel::SetOperation { left, right, .. } => {
                left.columns.iter().chain(&right.columns).for_each(|id| needed.insert(*id));
            }
            Rel::Recursive { anchor, recursive, .. } => {
                anchor.columns.iter().chain(&recursive.columns).for_each(|id| needed.insert(*id));
            }
            _ => {}
        }
        rel.for_each_input_mut(&mut |input| {
            let own = std::mem::replace(input, Rel::one_row());
            *input = self.matched(own, &needed, views, is_block);
        });
        rel
    }

    /// Of relations that give the same as `rel`. None: `rel`.
    fn cheapest(&mut self, rel: &Rel, needed: &ColumnSet, others: Vec<Rel>) -> Option<Rel> {
        if others.is_empty() {
            return None;
        }
        let mut cost = |rel: &Rel| self.lowering.cost(&mut self.columns, rel.clone(), needed);
        let own = cost(rel);
        let priced = others.into_iter().map(|other| (cost(&other), other));
        let (cost, best) = priced.min_by(|a, b| a.0.total_cmp(&b.0))?;
        (cost < own).then_some(best)
    }

    fn block_of_views(&mut self, rel: &Rel, needed: &ColumnSet, views: &[ViewText]) -> Vec<Rel> {
        let mut block = Block::default();
        block.take(rel.clone());
        let mut found = Vec::new();
        for view in views.iter().filter(|view| !view.grouped) {
            for places in ways(view, &block) {
                let fit = self.fit(view, &block, &places);
                found.extend(fit.and_then(|fit| block_over(&block, needed, fit, &places)));
            }
        }
        found
    }

    fn grouping_of_views(&mut self, group: &Group, views: &[ViewText]) -> Vec<Rel> {
        let mut block = Block::default();
        block.take(group.input.clone());
        let mut found = Vec::new();
        for view in views.iter().filter(|view| view.grouped && view.tables.len() == block.inputs.len()) {
            for places in ways(view, &block) {
                let fit = self.fit(view, &block, &places);
                found.extend(fit.and_then(|fit| self.grouping_over(group, &block, &fit)));
            }
        }
        found
    }

    /// The view in place of the inputs `places` of the block. None: it asks of its rows what the query does not.
    fn fit(&mut self, view: &ViewText, block: &Block, places: &[usize]) -> Option<Fit> {
        let tables: Vec<&Get> = places.iter().filter_map(|&at| plain_table(&block.inputs[at])).collect();
        let moved = |value: &Expr| moved(value, &view.tables, &tables);
        let asked: Vec<Expr> = view.predicates.iter().map(moved).collect();
        let says = |one: &Expr, other: &Expr| one.same(other) || turned(other).is_some_and(|turned| one.same(&turned));
        let equal = classes(&block.predicates, &self.columns);
        let is_certain = |term: &Expr| {
            is_equal_in(&equal, term)
                || block.predicates.iter().any(|own| says(own, term))
                || tables.iter().any(|table| follows(table, term, &block.predicates))
        };
        if !asked.iter().all(is_certain) {
            return None;
        }
        let made = classes(&asked, &self.columns);
        let is_left = |own: &&Expr| !is_equal_in(&made, own) && !asked.iter().any(|term| says(own, term));
        let predicates = block.predicates.iter().filter(is_left).cloned().collect();
        let mut replaced = ColumnSet::default();
        tables.iter().for_each(|table| replaced.insert_all(&table.defined()));
        let shown = view.shown.iter().map(|shown| match shown {
            Shown::Value(value) => Shown::Value(moved(value)),
            Shown::Sum(value) => Shown::Sum(moved(value)),
            Shown::Count => Shown::Count,
            Shown::Other => Shown::Other,
        });
        let shown = shown.collect();
        let rows = &view.rows;
        let get = Get {
            source: TableSource::Base(rows.clone()),
            table: rows.clone(),
            first: self.columns.add_table(rows),
            locator: None,
            lock: LockHint::default(),
            forced_index: None,
            force_seek: false,
            alias: rows.name.clone(),
            rows: self.catalog.row_count(rows),
            statistics: Default::default(),
        };
        Some(Fit { get, shown, grouped: view.grouped, replaced, equal, predicates })
    }

    /// The grouping over the view's groups.
    fn grouping_over(&mut self, group: &Group, block: &Block, fit: &Fit) -> Option<Rel> {
        let written = |value: &Expr| {
            let mut value = value.clone();
            substitute(&mut value, &block.defs);
            value
        };
        let keys = group.group.iter().map(|(id, key)| Some((*id, fit.over(written(key))?)));
        let keys: Vec<(ColumnId, Expr)> = keys.collect::<Option<_>>()?;
        let predicates = fit.predicates.iter().map(|own| fit.over(own.clone())).collect::<Option<Vec<_>>>()?;
        let input = Rel::Get(Box::new(fit.get.clone())).filter(predicates);
        let is_key = |at: usize| keys.iter().any(|(_, key)| key.same(&fit.get.expr_of(at as u16)));
        let mut groups = (0..fit.shown.len()).filter(|&at| matches!(fit.shown[at], Shown::Value(_)));
        let mut sums = Sums {
            fit,
            count: fit.column(|shown| matches!(shown, Shown::Count))?,
            whole: !keys.is_empty() && group.sets.is_none() && groups.all(is_key),
            of_nothing: keys.is_empty() || group.sets.is_some(),
            aggregates: Vec::new(),
        };
        let mut defs = Vec::new();
        for (id, own) in &group.aggregates {
            let argument = own.argument.as_ref().map(written);
            match argument {
                Some(argument) if !sums.whole && is_of_values(own) => {
                    let own = Aggregate { argument: Some(fit.over(argument)?), ..own.clone() };
                    sums.aggregates.push((*id, own));
                }
                argument => defs.push((*id, sums.value(own, argument, &mut self.columns)?)),
            }
        }
        if sums.whole {
            defs.extend(keys);
            return Some(input.map(defs));
        }
        let group = Group { input, group: keys, aggregates: sums.aggregates, sets: group.sets.clone() };
        Some(Rel::Aggregate(Box::new(group)).map(defs))
    }
}

/// What becomes of a query's aggregates over a view's groups.
struct Sums<'a> {
    fit: &'a Fit,
    /// The view's column with the rows of its group.
    count: Expr,
    /// Each row of the view is a group of the query.
    whole: bool,
    /// There is a group even if there are no rows.
    of_nothing: bool,
    aggregates: Vec<(ColumnId, Aggregate)>,
}

impl Sums<'_> {
    fn value(&mut self, own: &Aggregate, argument: Option<Expr>, columns: &mut Columns) -> Option<Expr> {
        use AggregateFunction::{Avg, Count, CountBig, Sum};
        let sum_of =
            |argument: &Expr| self.fit.column(|shown| matches!(shown, Shown::Sum(value) if value.same(argument)));
        let is_counted = argument.as_ref().is_none_or(|argument| !argument.nullable);
        let count = converted(self.count.clone(), &SqlType::BIGINT, false);
        match (own.function, argument) {
            _ if own.distinct => None,
            (Count | CountBig, _) if is_counted => {
                let mut count = self.added(count, columns);
                if self.of_nothing {
                    let zero = Expr::bigint(0);
                    count = Expr::new(count.ty, false, ExprKind::Function(FunctionId::Isnull, vec![count, zero]));
                }
                Some(converted(count, &own.ty, false))
            }
            (Sum, Some(argument)) => {
                let sum = sum_of(&argument).filter(|sum| sum.ty == own.ty)?;
                Some(self.added(sum, columns))
            }
            (Avg, Some(argument)) if own.ty.is_integer() => {
                let sum = converted(sum_of(&argument)?, &SqlType::BIGINT, false);
                let (sum, count) = (self.added(sum, columns), self.added(count, columns));
                let average = ExprKind::Arithmetic(ArithmeticOp::Divide, Box::new(sum), Box::new(count));
                Some(converted(Expr::new(SqlType::BIGINT, true, average), &own.ty, false))
            }
            _ => None,
        }
    }

    /// A value of each group of the view, added up over those of a group of the query.
    fn added(&mut self, value: Expr, columns: &mut Columns) -> Expr {
        if self.whole {
            return value;
        }
        let (ty, id) = (value.ty, columns.add(value.ty, true));
        let (function, argument) = (AggregateFunction::Sum, Some(value));
        let (extra, order) = (Vec::new(), Vec::new());
        self.aggregates.push((id, Aggregate { function, argument, extra, order, distinct: false, quiet: true, ty }));
        columns.expr(id)
    }
}

/// It says the same of a group's values however often each of them comes.
fn is_of_values(own: &Aggregate) -> bool {
    use AggregateFunction::{Avg, Count, CountBig, Max, Min, Sum};
    let is_alone = own.extra.is_empty() && own.order.is_empty();
    is_alone
        && (matches!(own.function, Min | Max) || own.distinct && matches!(own.function, Count | CountBig | Sum | Avg))
}

impl Fit {
    /// The view's first column for which that holds.
    fn column(&self, is: impl Fn(&Shown) -> bool) -> Option<Expr> {
        self.shown.iter().position(is).map(|at| self.get.expr_of(at as u16))
    }

    /// The value computed of the view's columns, and of tables beside it. None: it reads what the view does not have.
    fn over(&self, mut value: Expr) -> Option<Expr> {
        self.rewrites(&mut value, true).then_some(value)
    }

    /// `any`: of values that are equal and not the same, as texts may be, any will do. A group has one of them.
    fn rewrites(&self, value: &mut Expr, any: bool) -> bool {
        let found = self.value(value).filter(|_| any || !self.grouped || is_told_apart(&value.ty));
        if let Some(column) = found.or_else(|| self.equal(value)) {
            *value = Expr { nullable: value.nullable, ..column };
            return true;
        }
        if let ExprKind::Column(id) = value.kind {
            return !self.replaced.contains(ColumnId(id as u32));
        }
        let any = matches!(value.kind, ExprKind::Compare { .. } | ExprKind::InList { .. } | ExprKind::IsNull(_));
        let mut all = true;
        value.for_each_child_mut(&mut |part| all &= self.rewrites(part, any));
        all
    }

    /// Another column, which has the same value wherever it is equal.
    fn equal(&self, value: &Expr) -> Option<Expr> {
        let ExprKind::Column(id) = value.kind else { return None };
        let is_it = |class: &&Vec<ColumnId>| class.contains(&ColumnId(id as u32)) && is_told_apart(&value.ty);
        let class = self.equal.iter().find(is_it)?;
        class.iter().find_map(|other| self.value(&Expr::column(other.index(), value.ty, value.nullable)))
    }

    fn value(&self, value: &Expr) -> Option<Expr> {
        self.column(|shown| matches!(shown, Shown::Value(own) if own.same(value)))
    }
}

impl Block {
    fn take(&mut self, rel: Rel) {
        if !is_of_block(&rel) {
            return self.inputs.push(rel);
        }
        match rel {
            Rel::Filter { input, predicates } => {
                self.take(*input);
                self.ask(predicates);
            }
            Rel::Map { input, defs } => {
                self.take(*input);
                for (id, mut value) in defs {
                    substitute(&mut value, &self.defs);
                    self.defs.push((id, value));
                }
            }
            Rel::Join(join) => {
                let Join { left, right, on, .. } = *join;
                self.take(left);
                self.take(right);
                self.ask(on);
            }
            input => self.inputs.push(input),
        }
    }

    fn ask(&mut self, predicates: Vec<Expr>) {
        for mut predicate in predicates {
            substitute(&mut predicate, &self.defs);
            predicate.split_and(&mut self.predicates);
        }
    }
}

/// Inner joins of which nothing is said how, what filters and computes over them, and a table.
fn is_of_block(rel: &Rel) -> bool {
    match rel {
        Rel::Get(_) => true,
        Rel::Filter { predicates, .. } => !predicates.iter().any(Expr::is_volatile),
        Rel::Map { defs, .. } => !defs.iter().any(|(_, value)| value.is_volatile() || value.has_subquery()),
        Rel::Join(join) => {
            join.kind == JoinKind::Inner
                && !join.lateral
                && !join.guard
                && !join.keep_order
                && join.hint.is_none()
                && !join.on.iter().any(Expr::is_volatile)
        }
        _ => false,
    }
}

/// A table as its name alone says.
fn plain_table(rel: &Rel) -> Option<&Get> {
    match rel {
        Rel::Get(get) => {
            let is_plain = get.locator.is_none()
                && get.lock == LockHint::default()
                && get.forced_index.is_none()
                && !get.force_seek
                && matches!(get.source, TableSource::Base(_))
                && get.table.predicates.is_empty();
            is_plain.then_some(get)
        }
        _ => None,
    }
}

fn is_grouped(rel: &Rel) -> bool {
    match rel {
        Rel::Aggregate(_) => true,
        Rel::Map { input, .. } => is_grouped(input),
        _ => false,
    }
}

/// What a column of a view is, of which the query gives `value`.
fn shown(mut value: Expr, group: Option<&Group>, block: &Block) -> Shown {
    let Some(group) = group else {
        substitute(&mut value, &block.defs);
        return if ColumnSet::of(&value).is_empty() { Shown::Other } else { Shown::Value(value) };
    };
    let ExprKind::Column(id) = value.kind else { return Shown::Other };
    if let Some((_, key)) = group.group.iter().find(|(own, _)| own.index() == id) {
        let mut key = key.clone();
        substitute(&mut key, &block.defs);
        return Shown::Value(key);
    }
    let Some((_, own)) = group.aggregates.iter().find(|(own, _)| own.index() == id) else { return Shown::Other };
    match (own.function, &own.argument) {
        (AggregateFunction::CountBig, None) => Shown::Count,
        (AggregateFunction::Sum, Some(argument)) if !own.distinct => {
            let mut argument = argument.clone();
            substitute(&mut argument, &block.defs);
            Shown::Sum(argument)
        }
        _ => Shown::Other,
    }
}

/// Which inputs of the block may be the view's tables.
fn ways(view: &ViewText, block: &Block) -> Vec<Vec<usize>> {
    let mut ways = vec![Vec::new()];
    for table in &view.tables {
        let is_it = |rel: &Rel| {
            plain_table(rel)
                .is_some_and(|get| (get.table.database, get.table.object) == (table.table.database, table.table.object))
        };
        let places: Vec<usize> = (0..block.inputs.len()).filter(|&at| is_it(&block.inputs[at])).collect();
        ways = ways
            .iter()
            .flat_map(|way| places.iter().map(|&at| way.iter().copied().chain([at]).collect()))
            .take(WAYS_MAX)
            .collect();
    }
    ways
}

/// The value in columns of the query's tables instead of the view's.
fn moved(value: &Expr, from: &[Get], to: &[&Get]) -> Expr {
    let mut value = value.clone();
    value.rewrite(&mut |part| {
        let ExprKind::Column(id) = &mut part.kind else { return false };
        let found = from.iter().zip(to).find_map(|(from, to)| Some(to.id_of(from.column_of(ColumnId(*id as u32))?)));
        *id = found.map_or(*id, ColumnId::index);
        true
    });
    value
}

/// The comparison with its sides changed over.
fn turned(term: &Expr) -> Option<Expr> {
    let ExprKind::Compare { op, left, right, null_equal } = &term.kind else { return None };
    let kind =
        ExprKind::Compare { op: op.swapped(), left: right.clone(), right: left.clone(), null_equal: *null_equal };
    Some(Expr { kind, ..term.clone() })
}

/// Columns of one type that equalities make equal.
fn classes(predicates: &[Expr], columns: &Columns) -> Vec<Vec<ColumnId>> {
    let mut classes: Vec<Vec<ColumnId>> = Vec::new();
    for (a, b) in predicates.iter().filter_map(equal_columns) {
        if columns.info(a).ty != columns.info(b).ty {
            continue;
        }
        let (joined, others): (Vec<_>, Vec<_>) =
            classes.into_iter().partition(|class| class.contains(&a) || class.contains(&b));
        classes = others;
        classes.push(joined.into_iter().flatten().chain([a, b]).collect());
    }
    classes
}

fn is_equal_in(classes: &[Vec<ColumnId>], term: &Expr) -> bool {
    equal_columns(term).is_some_and(|(a, b)| classes.iter().any(|class| class.contains(&a) && class.contains(&b)))
}

/// Values that are equal are the same.
fn is_told_apart(ty: &SqlType) -> bool {
    use TypeKind::{Date, DateTime, DateTime2, Money, SmallDateTime, SmallMoney, Time, UniqueIdentifier};
    ty.is_integer()
        || ty.is_decimal()
        || matches!(ty.kind, Money | SmallMoney | Date | DateTime | DateTime2 | SmallDateTime | Time | UniqueIdentifier)
}

/// The block with the view in place of its inputs `places`.
fn block_over(block: &Block, needed: &ColumnSet, fit: Fit, places: &[usize]) -> Option<Rel> {
    let predicates = fit.predicates.iter().map(|own| fit.over(own.clone())).collect::<Option<Vec<_>>>()?;
    let mut defs = Vec::new();
    for (id, value) in &block.defs {
        if needed.contains(*id) {
            defs.push((*id, fit.over(value.clone())?));
        }
    }
    let mut rest = fit.replaced.clone();
    rest.retain(|id| needed.contains(id) && !block.defs.iter().any(|(own, _)| *own == id));
    for table in places.iter().filter_map(|&at| plain_table(&block.inputs[at])) {
        for (column, def) in (0..).zip(&table.table.columns) {
            let id = table.id_of(column);
            if rest.contains(id) {
                defs.push((id, fit.over(Expr::column(id.index(), def.ty, def.nullable))?));
            }
        }
    }
    let beside = (0..block.inputs.len()).filter(|at| !places.contains(at)).map(|at| block.inputs[at].clone());
    let joined =
        beside.fold(Rel::Get(Box::new(fit.get)), |left, right| Rel::join(JoinKind::Inner, left, right, Vec::new()));
    Some(joined.filter(predicates).map(defs))
}
