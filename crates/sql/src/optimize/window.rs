//! Window functions: the order that they need, the order that they give, and of how many rows a row number is asked for.

use types::Datum;

use super::constant::column_of;
use super::lower::{Lowered, Lowering, Want, column_order};
use super::rel::*;
use crate::plan::*;

impl Lowering<'_> {
    pub(super) fn lower_window(&mut self, columns: &Columns, mut window: Window, want: Want) -> Lowered {
        window.functions.retain(|(id, _)| want.needed.contains(*id));
        if window.functions.is_empty() {
            return self.lower(columns, window.input, want);
        }
        let mut needed = want.needed.clone();
        window.partition.iter().for_each(|e| needed.insert_expr(e));
        window.order.iter().for_each(|key| needed.insert_expr(&key.expr));
        window.functions.iter().flat_map(|(_, f)| &f.arguments).for_each(|e| needed.insert_expr(e));
        let mut keys: Vec<SortKey> = Vec::new();
        let partitions = window.partition.iter().map(|e| SortKey { expr: e.clone(), descending: false });
        for key in partitions.chain(window.order.iter().cloned()) {
            let known = keys.iter().any(|old| old.expr.same(&key.expr));
            if !known && !key.expr.is_same_for_all() {
                keys.push(key);
            }
        }
        let gives = gives(&window, &keys, want.order);
        // Who stops early wants the first rows soon, if the functions can give them.
        let goal = if is_numbered(&window) { want.goal } else { None };
        let input = if keys.is_empty() {
            self.lower(columns, window.input, Want { needed: &needed, order: &[], goal })
        } else {
            self.lower_sorted(columns, window.input, keys, &needed, goal, None)
        };
        let mut layout = input.layout.clone();
        layout.extend(window.functions.iter().map(|(id, _)| *id));
        let mut shape = input.op.columns.clone();
        let nullable = |id: &ColumnId| columns.info(*id).nullable;
        shape.extend(window.functions.iter().map(|(id, f)| OutputColumn::plain("", f.ty, nullable(id))));
        let partition = window.partition.into_iter().map(|e| self.bound(columns, e, &input.layout)).collect();
        let order = self.bound_keys(columns, window.order, &input.layout);
        let functions = window
            .functions
            .into_iter()
            .map(|(_, mut f)| {
                f.arguments.iter_mut().for_each(|e| self.bind_in_place(columns, e, &input.layout));
                f
            })
            .collect();
        let rows = input.op.rows;
        let kind = OperatorKind::Window { input: Box::new(input.op), partition, order, functions };
        Lowered { op: Operator { kind, columns: shape, rows }, layout, ordered: gives }
    }

    /// Of row numbers that go through all rows, and are asked to be no higher than something, the rows up to it.
    pub(super) fn first_rows(&self, window: Box<Window>, predicates: &[Expr]) -> Rel {
        let is_whole = !self.looks_up && window.partition.iter().all(Expr::is_same_for_all);
        let numbers = window.functions.iter().filter(|(_, function)| function.function == WindowKind::RowNumber);
        let found = numbers.filter(|_| is_whole).find_map(|(id, function)| {
            let count = predicates.iter().find_map(|predicate| highest(predicate, *id))?;
            Some((Expr::column(id.0 as usize, function.ty, false), count))
        });
        let Some((number, count)) = found else { return Rel::Window(window) };
        Rel::Top(Box::new(TopRows {
            input: Rel::Window(window),
            keys: vec![SortKey { expr: number, descending: false }],
            count: Some(count),
            percent: false,
            with_ties: false,
            offset: None,
        }))
    }
}

/// All its functions are ROW_NUMBER.
fn is_numbered(window: &Window) -> bool {
    window.functions.iter().all(|(_, function)| function.function == WindowKind::RowNumber)
}

/// The rows, which are sorted by `keys`, come in the order `wanted`: that of the keys, or of the row numbers within the partitions.
fn gives(window: &Window, keys: &[SortKey], wanted: &[(ColumnId, bool)]) -> bool {
    if wanted.is_empty() {
        return false;
    }
    if column_order(keys).is_some_and(|own| own.starts_with(wanted)) {
        return true;
    }
    let is_partition = |key: &SortKey| window.partition.iter().any(|e| e.same(&key.expr));
    let Some(mut own) = column_order(&keys[..keys.iter().take_while(|key| is_partition(key)).count()]) else {
        return false;
    };
    let numbers = |id: ColumnId| {
        let mut functions = window.functions.iter();
        functions.any(|(own, function)| *own == id && function.function == WindowKind::RowNumber)
    };
    // Behind a partition's columns and the row number nothing can change the order.
    let Some(at) = wanted.iter().position(|(id, descending)| numbers(*id) && !descending) else { return false };
    own.push(wanted[at]);
    own == wanted[..=at]
}

/// What the predicate lets the column be at most, or 0: an integer of constants and variables.
fn highest(predicate: &Expr, id: ColumnId) -> Option<Expr> {
    let ExprKind::Compare { op, left, right, null_equal: false } = &predicate.kind else { return None };
    let (of_left, of_right) = (column_of(left) == Some(id), column_of(right) == Some(id));
    let limit = match op {
        CompareOp::Less | CompareOp::LessOrEqual | CompareOp::Equal if of_left => right,
        CompareOp::Greater | CompareOp::GreaterOrEqual | CompareOp::Equal if of_right => left,
        _ => return None,
    };
    let is_plain = |e: &Expr| {
        matches!(e.kind, ExprKind::Literal(_) | ExprKind::Variable(_) | ExprKind::Arithmetic(..)) && e.ty.is_integer()
    };
    if limit.any(&mut |e| !is_plain(e)) {
        return None;
    }
    if let ExprKind::Literal(Datum::I64(count)) = limit.kind {
        return Some(Expr::bigint(count.max(0)));
    }
    let zero = || Box::new(Expr::literal(limit.ty, Datum::I64(0)));
    let is_some = ExprKind::Compare { op: CompareOp::Greater, left: limit.clone(), right: zero(), null_equal: false };
    let branches = vec![(Expr::predicate(is_some), (**limit).clone())];
    Some(Expr::new(limit.ty, false, ExprKind::Case { branches, otherwise: Some(zero()) }))
}
