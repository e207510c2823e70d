//! What a scan asks of a row before it copies the rest of it: those terms of its predicate that come first and need nothing but columns of
//! fixed width and variables. They neither wait nor fail: what they cannot tell is left to the whole predicate, which the rows meet afterwards.

use types::{Physical, RowBatch};

use super::integer::{I64Expr, compare_i64};
use super::wide::{F64Expr, I128Expr};
use crate::context::Context;
use crate::kernel::ordering_holds;
use crate::value::Row;

/// Rows after which it is known whether it is worth while.
const TRIED_ROWS: u64 = 512;

/// It is, if it leaves out at least one row of so many.
const ONE_OF: u64 = 8;

pub struct FirstLook {
    /// So many terms of the predicate are looked at.
    terms: usize,
    /// The columns that they read.
    pub columns: Vec<u16>,
    pub rows: RowBatch,
    pub selection: Vec<u32>,
    pub looked: u64,
    pub kept: u64,
}

impl FirstLook {
    /// Of a predicate over columns of these classes. None: there is nothing to look at, or nothing that need not be copied then.
    pub fn new(predicate: &I64Expr, classes: impl Iterator<Item = Physical> + Clone) -> Option<FirstLook> {
        let mut columns = Vec::new();
        let terms = terms_of(predicate).iter().take_while(|term| is_plain(term, &mut columns)).count();
        if terms == 0 || !classes.clone().any(|class| class == Physical::Bytes) {
            return None;
        }
        // A term that was not plain has left its first columns.
        columns.clear();
        terms_of(predicate)[..terms].iter().for_each(|term| assert!(is_plain(term, &mut columns)));
        columns.sort_unstable();
        columns.dedup();
        let rows = RowBatch::new(classes);
        Some(FirstLook { terms, columns, rows, selection: Vec::new(), looked: 0, kept: 0 })
    }

    /// Whether it leaves out enough.
    pub fn pays(&self) -> bool {
        self.looked < TRIED_ROWS || (self.looked - self.kept) * ONE_OF >= self.looked
    }

    /// The storage's view of it.
    pub fn fill(
        &mut self,
        predicate: &I64Expr,
        context: &Context,
        fill: impl FnOnce(&mut storage::FirstLook<'_>) -> Result<usize, storage::StorageError>,
    ) -> Result<usize, storage::StorageError> {
        let FirstLook { terms, columns, rows, selection, looked, kept } = self;
        let terms = &terms_of(predicate)[..*terms];
        let mut select = |rows: &RowBatch, selection: &mut Vec<u32>| {
            let may_hold = |at: &u32| {
                let row = Row { batch: rows, index: *at as usize };
                terms.iter().all(|term| !matches!(plain(term, context, row), Some(None | Some(0))))
            };
            selection.extend((0..rows.rows as u32).filter(may_hold));
            *looked += rows.rows as u64;
            *kept += selection.len() as u64;
        };
        fill(&mut storage::FirstLook { columns, rows, selection, select: &mut select })
    }
}

fn terms_of(predicate: &I64Expr) -> &[I64Expr] {
    match predicate {
        I64Expr::And(terms) => terms,
        term => std::slice::from_ref(term),
    }
}

/// Whether `plain` can tell its value, mostly. Adds the columns that it reads.
fn is_plain(node: &I64Expr, columns: &mut Vec<u16>) -> bool {
    match node {
        I64Expr::Const(_) | I64Expr::Variable(_) | I64Expr::Outer(_) => true,
        I64Expr::Column(at) => {
            columns.push(*at as u16);
            true
        }
        I64Expr::Arithmetic(node) => is_plain(&node.left, columns) && is_plain(&node.right, columns),
        I64Expr::CompareI64(node) => is_plain(&node.left, columns) && is_plain(&node.right, columns),
        I64Expr::CompareF64(node) => is_leaf_f64(&node.left, columns) && is_leaf_f64(&node.right, columns),
        I64Expr::CompareI128(node) => is_leaf_i128(&node.0.left, columns) && is_leaf_i128(&node.0.right, columns),
        I64Expr::And(terms) | I64Expr::Or(terms) => terms.iter().all(|term| is_plain(term, columns)),
        I64Expr::Not(operand) => is_plain(operand, columns),
        I64Expr::IsNull(operand) if operand.ty.physical() != Physical::Bytes => {
            operand.as_column().map(|at| columns.push(at as u16)).is_some()
        }
        I64Expr::InConstants { value, .. } => is_plain(value, columns),
        _ => false,
    }
}

fn is_leaf_f64(node: &F64Expr, columns: &mut Vec<u16>) -> bool {
    if let F64Expr::Column(at) = node {
        columns.push(*at as u16);
    }
    matches!(node, F64Expr::Const(_) | F64Expr::Variable(_) | F64Expr::Outer(_) | F64Expr::Column(_))
}

fn is_leaf_i128(node: &I128Expr, columns: &mut Vec<u16>) -> bool {
    if let I128Expr::Column(at) = node {
        columns.push(*at as u16);
    }
    matches!(node, I128Expr::Const(_) | I128Expr::Variable(_) | I128Expr::Outer(_) | I128Expr::Column(_))
}

/// The value of a node that is plain, NULL is the inner None. None: that is for `eval` to say, it may be an error.
fn plain(node: &I64Expr, context: &Context, row: Row<'_>) -> Option<Option<i64>> {
    match node {
        I64Expr::Const(_) | I64Expr::Variable(_) | I64Expr::Outer(_) | I64Expr::Column(_) => {
            node.eval(context, row).ok()
        }
        I64Expr::Arithmetic(node) => match (plain(&node.left, context, row)?, plain(&node.right, context, row)?) {
            (Some(left), Some(right)) => node.apply(left, right).ok().map(Some),
            _ => Some(None),
        },
        I64Expr::CompareI64(node) => {
            let operands = (plain(&node.left, context, row)?, plain(&node.right, context, row)?);
            compared(operands, node.null_equal, |left, right| compare_i64(node.op, left, right))
        }
        I64Expr::CompareF64(node) => {
            let operands = (node.left.eval(context, row).ok()?, node.right.eval(context, row).ok()?);
            let order = |left: f64, right: f64| left.partial_cmp(&right).unwrap_or(std::cmp::Ordering::Equal);
            compared(operands, node.null_equal, |left, right| ordering_holds(node.op, order(left, right)))
        }
        I64Expr::CompareI128(node) => {
            let (node, comparer) = &**node;
            let operands = (node.left.eval(context, row).ok()?, node.right.eval(context, row).ok()?);
            let holds = |left, right| ordering_holds(node.op, comparer.compare_i128(left, right));
            compared(operands, node.null_equal, holds)
        }
        I64Expr::And(terms) => joined(terms, 0, context, row),
        I64Expr::Or(terms) => joined(terms, 1, context, row),
        I64Expr::Not(operand) => Some(plain(operand, context, row)?.map(|value| i64::from(value == 0))),
        I64Expr::IsNull(operand) => {
            operand.as_column().map(|at| Some(i64::from(row.batch.columns[at].is_null(row.index))))
        }
        I64Expr::InConstants { value, sorted, with_null } => Some(match plain(value, context, row)? {
            Some(value) if sorted.binary_search(&value).is_ok() => Some(1),
            Some(_) if !with_null => Some(0),
            _ => None,
        }),
        _ => None,
    }
}

/// None where NULLs compare equal to each other: such comparisons are rare.
fn compared<T>(
    operands: (Option<T>, Option<T>),
    null_equal: bool,
    holds: impl FnOnce(T, T) -> bool,
) -> Option<Option<i64>> {
    match operands {
        (Some(left), Some(right)) => Some(Some(i64::from(holds(left, right)))),
        _ if null_equal => None,
        _ => Some(None),
    }
}

/// AND, which `decides` by 0, and OR, by 1.
fn joined(terms: &[I64Expr], decides: i64, context: &Context, row: Row<'_>) -> Option<Option<i64>> {
    let mut value = Some(1 - decides);
    for term in terms {
        match plain(term, context, row)? {
            Some(term) if i64::from(term != 0) == decides => return Some(Some(decides)),
            Some(_) => {}
            None => value = None,
        }
    }
    Some(value)
}
