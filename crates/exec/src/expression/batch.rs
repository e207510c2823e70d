//! Expressions over whole batches. The commonest shapes (a column; a column or constant against another; AND of those) have
//! loops of their own, everything else goes row by row.

use sql::plan::{ArithmeticOp, CompareOp};
use types::{Column, ColumnData, RowBatch, SqlResult};

use super::integer::{Comparison, I64Expr, IntegerArithmetic, compare_i64, holds};
use super::{F64Expr, Node, Scalar};
use crate::columns;
use crate::context::Context;
use crate::value::Row;

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
        Node::F64(node) => return fill_f64(node, context, batch, out),
        _ => {}
    }
    for index in 0..batch.rows {
        scalar.value(context, Row { batch, index })?.push_to(out);
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

fn fill_f64(node: &F64Expr, context: &Context, batch: &RowBatch, out: &mut Column) -> SqlResult<()> {
    for index in 0..batch.rows {
        match node.eval(context, Row { batch, index })? {
            Some(value) => match &mut out.data {
                ColumnData::F64(values) => values.push(value),
                _ => unreachable!("the caller looked"),
            },
            None => out.push_null(),
        }
    }
    Ok(())
}

/// Operands without NULLs of a batch: one value for all rows, or one a row.
enum Operand<'a> {
    One(i64),
    Each(&'a [i64]),
}

/// None: not such a simple operand (or it has NULLs).
fn operand<'a>(node: &I64Expr, context: &Context, batch: &'a RowBatch) -> Option<Operand<'a>> {
    match node {
        I64Expr::Column(column) => match &batch.columns[*column] {
            Column { data: ColumnData::I64(values), nulls } if nulls.is_empty() => Some(Operand::Each(values)),
            _ => None,
        },
        I64Expr::Const(_) | I64Expr::Variable(_) | I64Expr::Outer(_) | I64Expr::Session(_) => {
            node.eval(context, Row { batch, index: 0 }).ok().flatten().map(Operand::One)
        }
        _ => None,
    }
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
            values.extend(left[..batch.rows].iter().map(|&left| {
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
                let left = match left {
                    Operand::One(value) => value,
                    Operand::Each(values) => values[row],
                };
                let right = match right {
                    Operand::One(value) => value,
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
        I64Expr::CompareI64(comparison) if narrow_comparison(comparison, context, batch, selection) => return Ok(()),
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

/// False: not a shape with a loop of its own, nothing was done.
fn narrow_comparison(
    comparison: &Comparison<I64Expr>,
    context: &Context,
    batch: &RowBatch,
    selection: &mut Vec<u32>,
) -> bool {
    let (Some(left), Some(right)) =
        (operand(&comparison.left, context, batch), operand(&comparison.right, context, batch))
    else {
        return false;
    };
    match (left, right) {
        (Operand::Each(left), Operand::One(right)) => keep_where(selection, comparison.op, |row| (left[row], right)),
        (Operand::One(left), Operand::Each(right)) => keep_where(selection, comparison.op, |row| (left, right[row])),
        (Operand::Each(left), Operand::Each(right)) => {
            keep_where(selection, comparison.op, |row| (left[row], right[row]))
        }
        (Operand::One(left), Operand::One(right)) => {
            if !compare_i64(comparison.op, left, right) {
                selection.clear();
            }
        }
    }
    true
}

/// Without a branch on the data: each row is written, and kept by moving on.
fn keep_where(selection: &mut Vec<u32>, op: CompareOp, pair: impl Fn(usize) -> (i64, i64)) {
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
