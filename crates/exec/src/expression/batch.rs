//! Expressions over whole batches. The commonest shapes (a column; a column or constant against another; AND of those) have
//! loops of their own, everything else goes row by row.

use std::borrow::Cow;

use sql::plan::{ArithmeticOp, CompareOp};
use types::long;
use types::pause::Pause;
use types::{Column, ColumnData, RowBatch, SqlResult};

use super::integer::{I64Expr, IntegerArithmetic, holds};
use super::{F64Expr, I128Expr, Node, Scalar};
use crate::columns;
use crate::context::Context;
use crate::value::{Row, Value};

/// Appends the value of `scalar` for each row of `batch` to `out`.
pub fn fill(scalar: &Scalar, context: &Context, batch: &RowBatch, out: &mut Column) -> SqlResult<()> {
    if let Some(column) = scalar.as_column() {
        return columns::append_range_paced(context, out, &batch.columns[column], 0, batch.rows);
    }
    if let Some(constant) = scalar.as_constant() {
        (0..batch.rows).for_each(|_| out.push(&constant));
        return Ok(());
    }
    match &scalar.node {
        Node::I64(I64Expr::Arithmetic(node)) if out.is_empty() => {
            if let Some(done) = fill_arithmetic(node, context, batch, out) {
                return done;
            }
        }
        Node::F64(node) => {
            let ColumnData::F64(values) = &mut out.data else { unreachable!("of the scalar's class") };
            return fill_values(batch, values, &mut out.nulls, |row| node.eval(context, row));
        }
        Node::I128(node) => {
            let ColumnData::I128(values) = &mut out.data else { unreachable!("of the scalar's class") };
            if let Some(Operand::Each(made)) = decimals(node, context, batch) {
                values.extend_from_slice(&made);
                return Ok(());
            }
            return fill_values(batch, values, &mut out.nulls, |row| node.eval(context, row));
        }
        _ => {}
    }
    for index in 0..batch.rows {
        let value = scalar.value(context, Row { batch, index })?;
        let is_long = matches!(&value, Value::Bytes(bytes) if bytes.len() >= long::LONG);
        value.push_to(out);
        if is_long {
            context.pause()?;
        }
    }
    Ok(())
}

/// `out` becomes the rows of `scalars` over `batch`.
pub fn fill_all(scalars: &[Scalar], context: &Context, batch: &RowBatch, out: &mut RowBatch) -> SqlResult<()> {
    out.clear();
    for (scalar, column) in scalars.iter().zip(&mut out.columns) {
        fill(scalar, context, batch, column)?;
    }
    out.rows = batch.rows;
    Ok(())
}

/// Appends what `eval` gives for each row.
fn fill_values<T: Default>(
    batch: &RowBatch,
    values: &mut Vec<T>,
    nulls: &mut Vec<u64>,
    eval: impl Fn(Row<'_>) -> SqlResult<Option<T>>,
) -> SqlResult<()> {
    values.reserve(batch.rows);
    for index in 0..batch.rows {
        match eval(Row { batch, index })? {
            Some(value) => values.push(value),
            None => {
                columns::mark_null(nulls, values.len());
                values.push(T::default());
            }
        }
    }
    Ok(())
}

/// Operands without NULLs of a batch: one value for all rows, or one a row.
enum Operand<'a, T: Clone> {
    One(T),
    Each(Cow<'a, [T]>),
}

impl<'a, T: Clone> Operand<'a, T> {
    /// None: the column has NULLs, or is of another class.
    fn of_column(
        batch: &'a RowBatch,
        column: usize,
        values: impl Fn(&'a ColumnData) -> Option<&'a Vec<T>>,
    ) -> Option<Operand<'a, T>> {
        let Column { data, nulls } = &batch.columns[column];
        let values = values(data).filter(|_| nulls.is_empty())?;
        Some(Operand::Each(Cow::Borrowed(&values[..batch.rows])))
    }

    /// None: NULL, or an error, which each row is to meet by itself.
    fn of_value(value: SqlResult<Option<T>>) -> Option<Operand<'a, T>> {
        value.ok().flatten().map(Operand::One)
    }
}

/// None: not such a simple operand.
fn operand<'a>(node: &I64Expr, context: &Context, batch: &'a RowBatch) -> Option<Operand<'a, i64>> {
    use I64Expr::*;
    match node {
        Column(at) => Operand::of_column(batch, *at, |data| match data {
            ColumnData::I64(values) => Some(values),
            _ => None,
        }),
        Const(_) | Variable(_) | Outer(_) | Session(_) => {
            Operand::of_value(node.eval(context, Row { batch, index: 0 }))
        }
        General(general) if general.is_same() => Operand::of_value(node.eval(context, Row { batch, index: 0 })),
        _ => None,
    }
}

fn operand_f64<'a>(node: &F64Expr, context: &Context, batch: &'a RowBatch) -> Option<Operand<'a, f64>> {
    use F64Expr::*;
    match node {
        Column(at) => Operand::of_column(batch, *at, |data| match data {
            ColumnData::F64(values) => Some(values),
            _ => None,
        }),
        Const(_) | Variable(_) | Outer(_) => Operand::of_value(node.eval(context, Row { batch, index: 0 })),
        General(general) if general.is_same() => Operand::of_value(node.eval(context, Row { batch, index: 0 })),
        _ => None,
    }
}

fn operand_i128<'a>(node: &I128Expr, context: &Context, batch: &'a RowBatch) -> Option<Operand<'a, i128>> {
    use I128Expr::*;
    match node {
        Column(at) => Operand::of_column(batch, *at, |data| match data {
            ColumnData::I128(values) => Some(values),
            _ => None,
        }),
        Const(_) | Variable(_) | Outer(_) => Operand::of_value(node.eval(context, Row { batch, index: 0 })),
        General(general) if general.is_same() => Operand::of_value(node.eval(context, Row { batch, index: 0 })),
        _ => None,
    }
}

/// Arithmetic over whole columns. None: something in it has no loop, is NULL, or fails: row by row that is met by the row it belongs to.
fn decimals<'a>(node: &I128Expr, context: &Context, batch: &'a RowBatch) -> Option<Operand<'a, i128>> {
    let I128Expr::Decimal(node) = node else { return operand_i128(node, context, batch) };
    if node.may_round && context.round_aborts() {
        return None;
    }
    let (left, right) = (decimals(&node.left, context, batch)?, decimals(&node.right, context, batch)?);
    let kernel = &node.kernel;
    let mut made = Vec::with_capacity(batch.rows);
    match (left, right) {
        (Operand::Each(left), Operand::Each(right)) => {
            for (left, right) in left.iter().zip(&*right) {
                made.push(kernel.apply(*left, *right).ok()?);
            }
        }
        (Operand::Each(left), Operand::One(right)) => {
            for left in &*left {
                made.push(kernel.apply(*left, right).ok()?);
            }
        }
        (Operand::One(left), Operand::Each(right)) => {
            for right in &*right {
                made.push(kernel.apply(left, *right).ok()?);
            }
        }
        (Operand::One(left), Operand::One(right)) => return kernel.apply(left, right).ok().map(Operand::One),
    }
    Some(Operand::Each(Cow::Owned(made)))
}

/// None: not a shape with a loop of its own.
fn fill_arithmetic(
    node: &IntegerArithmetic,
    context: &Context,
    batch: &RowBatch,
    out: &mut Column,
) -> Option<SqlResult<()>> {
    let (left, right) = (operand(&node.left, context, batch)?, operand(&node.right, context, batch)?);
    let ColumnData::I64(values) = &mut out.data else { return None };
    // Operands within +-2^62 cannot overflow i64 in a sum; the range check then sees what leaves the narrower type.
    let limit = 1_i64 << 62;
    let small = |value: i64| (-limit..limit).contains(&value);
    match (node.op, left, right) {
        (ArithmeticOp::Add | ArithmeticOp::Subtract, Operand::Each(left), Operand::One(right)) if small(right) => {
            let right = if node.op == ArithmeticOp::Add { right } else { -right };
            let mut outside = false;
            values.extend(left.iter().map(|&left| {
                let value = left.wrapping_add(right);
                outside |= !small(left) || !node.range.holds(value);
                value
            }));
            if outside {
                values.clear();
                return None;
            }
            Some(Ok(()))
        }
        (_, left, right) => {
            for row in 0..batch.rows {
                let left = match &left {
                    Operand::One(value) => *value,
                    Operand::Each(values) => values[row],
                };
                let right = match &right {
                    Operand::One(value) => *value,
                    Operand::Each(values) => values[row],
                };
                match node.apply(left, right) {
                    Ok(value) => values.push(value),
                    // Row by row it is an error, or NULL.
                    Err(_) => {
                        values.clear();
                        return None;
                    }
                }
            }
            Some(Ok(()))
        }
    }
}

/// Drops the rows of `batch` for which `predicate` does not hold. `selection` is scratch.
pub fn filter_batch(
    predicate: &I64Expr,
    context: &Context,
    batch: &mut RowBatch,
    selection: &mut Vec<u32>,
) -> SqlResult<()> {
    filter(predicate, context, batch, selection)?;
    columns::retain(batch, selection);
    Ok(())
}

/// `selection` becomes the rows of `batch` for which `predicate` holds.
pub fn filter(predicate: &I64Expr, context: &Context, batch: &RowBatch, selection: &mut Vec<u32>) -> SqlResult<()> {
    selection.clear();
    selection.extend(0..batch.rows as u32);
    narrow(predicate, context, batch, selection)
}

fn narrow(predicate: &I64Expr, context: &Context, batch: &RowBatch, selection: &mut Vec<u32>) -> SqlResult<()> {
    match predicate {
        I64Expr::And(terms) => {
            for term in terms {
                narrow(term, context, batch, selection)?;
            }
            return Ok(());
        }
        I64Expr::CompareI64(node) => {
            let operands = (operand(&node.left, context, batch), operand(&node.right, context, batch));
            if let (Some(left), Some(right)) = operands {
                narrow_comparison(node.op, left, right, selection);
                return Ok(());
            }
        }
        I64Expr::CompareF64(node) => {
            let operands = (operand_f64(&node.left, context, batch), operand_f64(&node.right, context, batch));
            if let (Some(left), Some(right)) = operands {
                narrow_comparison(node.op, left, right, selection);
                return Ok(());
            }
        }
        I64Expr::CompareI128(node) if node.1.is_of_numbers() => {
            let node = &node.0;
            // What is computed is computed for all rows.
            let of = if selection.len() * 2 > batch.rows { decimals } else { operand_i128 };
            let operands = (of(&node.left, context, batch), of(&node.right, context, batch));
            if let (Some(left), Some(right)) = operands {
                narrow_comparison(node.op, left, right, selection);
                return Ok(());
            }
        }
        _ => {}
    }
    let mut kept = 0;
    for at in 0..selection.len() {
        let row = selection[at];
        selection[kept] = row;
        kept += holds(predicate.eval(context, Row { batch, index: row as usize })?) as usize;
    }
    selection.truncate(kept);
    Ok(())
}

/// Keeps the rows for which the comparison holds.
fn narrow_comparison<T: Copy + PartialOrd>(
    op: CompareOp,
    left: Operand<'_, T>,
    right: Operand<'_, T>,
    selection: &mut Vec<u32>,
) {
    match (left, right) {
        (Operand::Each(left), Operand::One(right)) => {
            let left = &*left;
            keep_where(selection, op, |row| (left[row], right));
        }
        (Operand::One(left), Operand::Each(right)) => {
            let right = &*right;
            keep_where(selection, op, |row| (left, right[row]));
        }
        (Operand::Each(left), Operand::Each(right)) => {
            let (left, right) = (&*left, &*right);
            keep_where(selection, op, |row| (left[row], right[row]));
        }
        (Operand::One(left), Operand::One(right)) => keep_where(selection, op, |_| (left, right)),
    }
}

/// Without a branch on the data: each row is written, and kept by moving on.
fn keep_where<T: PartialOrd>(selection: &mut Vec<u32>, op: CompareOp, pair: impl Fn(usize) -> (T, T)) {
    fn keep(selection: &mut Vec<u32>, test: impl Fn(usize) -> bool) {
        let mut kept = 0;
        for at in 0..selection.len() {
            let row = selection[at];
            selection[kept] = row;
            kept += test(row as usize) as usize;
        }
        selection.truncate(kept);
    }
    match op {
        CompareOp::Equal => keep(selection, |row| pair(row).0 == pair(row).1),
        CompareOp::NotEqual => keep(selection, |row| pair(row).0 != pair(row).1),
        CompareOp::Less => keep(selection, |row| pair(row).0 < pair(row).1),
        CompareOp::LessOrEqual => keep(selection, |row| pair(row).0 <= pair(row).1),
        CompareOp::Greater => keep(selection, |row| pair(row).0 > pair(row).1),
        CompareOp::GreaterOrEqual => keep(selection, |row| pair(row).0 >= pair(row).1),
    }
}
