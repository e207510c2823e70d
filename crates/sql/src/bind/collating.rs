//! Which collation texts have that are compared or put together.
//!
//! https://learn.microsoft.com/sql/t-sql/statements/collation-precedence-transact-sql

use types::{CollationId, SqlError, SqlResult, sql_error};

use super::text;
use crate::function::FunctionId;
use crate::optimize::{ColumnId, Columns};
use crate::plan::{Expr, ExprKind};

/// Which collation wins: explicit over a column's over a constant's. A column that a derived table computes of no column has the
/// rank of what it is.
pub fn collation_rank(expr: &Expr, columns: &Columns) -> u8 {
    match &expr.kind {
        ExprKind::Column(column) if columns.is_yielding(ColumnId(*column as u32)) => 1,
        ExprKind::Subquery(subquery) if subquery.yields => 1,
        ExprKind::Column(_) | ExprKind::Outer(_) | ExprKind::Subquery(_) => 2,
        ExprKind::Convert { value, explicit, .. } => {
            if *explicit && value.ty.is_string() && expr.ty.with_collation(value.ty.collation) == value.ty {
                3
            } else if value.ty.is_string() {
                collation_rank(value, columns)
            } else {
                1
            }
        }
        _ => {
            let mut rank = 1;
            expr.for_each_child(&mut |child| {
                if child.ty.is_string() {
                    rank = rank.max(collation_rank(child, columns));
                }
            });
            rank
        }
    }
}

/// The collation two strings are compared or joined in. `operation`: as 468 names it ("equal to", "concat").
pub fn common_collation(a: &Expr, b: &Expr, operation: &str, columns: &Columns) -> SqlResult<CollationId> {
    if !a.ty.is_string() || !b.ty.is_string() {
        return Ok(if a.ty.is_string() { a.ty.collation } else { b.ty.collation });
    }
    refuse_open(a, b, operation, columns)?;
    let (rank_a, rank_b) = (collation_rank(a, columns), collation_rank(b, columns));
    if a.ty.collation == b.ty.collation {
        return Ok(a.ty.collation);
    }
    match rank_a.cmp(&rank_b) {
        std::cmp::Ordering::Greater => Ok(a.ty.collation),
        std::cmp::Ordering::Less => Ok(b.ty.collation),
        std::cmp::Ordering::Equal if rank_a == 1 => Ok(a.ty.collation),
        std::cmp::Ordering::Equal => Err(
            sql_error!(468, state 9, text::collation_name(b.ty.collation), text::collation_name(a.ty.collation), operation),
        ),
    }
}

/// 4191: one of two strings has no collation, and neither has an explicit one.
pub fn refuse_open(a: &Expr, b: &Expr, operation: &str, columns: &Columns) -> SqlResult<()> {
    let open = [a, b].iter().any(|side| conflict(side, columns).is_some());
    match open && [a, b].iter().all(|side| collation_rank(side, columns) < 3) {
        true => Err(sql_error!(4191, operation)),
        false => Ok(()),
    }
}

/// The collation of what is made of two strings. That of two columns which differ stays open until it is asked for, and text of a code page
/// cannot leave it so: 457.
pub fn made_collation(a: &Expr, b: &Expr, operation: &str, columns: &Columns) -> SqlResult<CollationId> {
    common_collation(a, b, operation, columns).or_else(|error| {
        let open = collation_rank(a, columns) < 3 && collation_rank(b, columns) < 3;
        if !open {
            return Err(error);
        }
        if a.ty.is_unicode_string() || b.ty.is_unicode_string() {
            return Ok(a.ty.collation);
        }
        let names = [b, a].map(|side| text::collation_name(side.ty.collation));
        Err(sql_error!(457, a.ty.name(), b.ty.name(), names[0], names[1], operation))
    })
}

/// Why a text has no collation: columns of two of them have been put together, and nothing says which is meant.
#[derive(Debug, Clone, Copy)]
pub struct Conflict {
    later: CollationId,
    earlier: CollationId,
    operator: &'static str,
}

impl Conflict {
    /// 451: a column of a result has a collation. `clause`: the statement or clause that it is of, `column` from 1.
    pub fn told(&self, clause: &str, column: usize) -> SqlError {
        let [later, earlier] = [self.later, self.earlier].map(text::collation_name);
        sql_error!(451, later, earlier, self.operator, clause, column)
    }
}

/// None: the expression has a collation.
pub fn conflict(expr: &Expr, columns: &Columns) -> Option<Conflict> {
    if !expr.ty.is_unicode_string() {
        return None;
    }
    let operator = match &expr.kind {
        ExprKind::Convert { value, .. } if collation_rank(expr, columns) < 3 => return conflict(value, columns),
        ExprKind::Arithmetic(..) => "add",
        ExprKind::Case { .. } | ExprKind::Function(FunctionId::Coalesce | FunctionId::Choose, _) => "CASE",
        ExprKind::Function(FunctionId::Concat, _) => "concat",
        ExprKind::Function(FunctionId::ConcatWs, _) => "concat_ws",
        _ => return None,
    };
    let mut parts = Vec::new();
    expr.for_each_child(&mut |child| parts.push(child));
    conflict_of(parts.into_iter(), operator, columns)
}

/// What comes of putting these together.
pub fn conflict_of<'e>(
    parts: impl Iterator<Item = &'e Expr>,
    operator: &'static str,
    columns: &Columns,
) -> Option<Conflict> {
    let mut known: Option<CollationId> = None;
    let mut found = None;
    for part in parts.filter(|part| part.ty.is_string()) {
        match collation_rank(part, columns) {
            3 => return None,
            2 => {
                let own = own_collation(part, columns);
                let earlier = *known.get_or_insert(own);
                let met =
                    conflict(part, columns).or((own != earlier).then_some(Conflict { later: own, earlier, operator }));
                found = found.or(met);
            }
            _ => {}
        }
    }
    found
}

/// The collation that a column gives, whatever the text was converted to since.
fn own_collation(expr: &Expr, columns: &Columns) -> CollationId {
    if matches!(expr.kind, ExprKind::Column(_) | ExprKind::Outer(_) | ExprKind::Subquery(_)) {
        return expr.ty.collation;
    }
    let mut own = None;
    expr.for_each_child(&mut |child| {
        if own.is_none() && child.ty.is_string() && collation_rank(child, columns) == 2 {
            own = Some(own_collation(child, columns));
        }
    });
    own.unwrap_or(expr.ty.collation)
}
