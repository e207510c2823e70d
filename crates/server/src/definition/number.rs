//! Whole numbers as statements write them, and those that an identity column or a sequence can count.

use sql::ast::{Expr, Identity, Literal, UnaryOp};
use sql::catalog::TableDef;
use types::{SqlResult, SqlType, TypeKind, sql_error};

use crate::catalog::counter::{Rule, usually_ahead};

/// A whole number as a constant: `5`, `-5`, `5000000000`.
pub fn whole_number(expr: &Expr) -> Option<i128> {
    match expr {
        Expr::Literal(Literal::Int(value)) => Some(i128::from(*value)),
        Expr::Literal(Literal::Decimal(value)) if value.scale == 0 => Some(value.unscaled),
        Expr::Unary(UnaryOp::Minus, inner) => whole_number(inner)?.checked_neg(),
        Expr::Unary(UnaryOp::Plus, inner) => whole_number(inner),
        _ => None,
    }
}

/// Smallest and largest whole number of a type.
pub fn bounds(ty: &SqlType) -> (i128, i128) {
    match ty.kind {
        TypeKind::TinyInt => (0, 255),
        TypeKind::SmallInt => (i128::from(i16::MIN), i128::from(i16::MAX)),
        TypeKind::Int => (i128::from(i32::MIN), i128::from(i32::MAX)),
        TypeKind::BigInt => (i128::from(i64::MIN), i128::from(i64::MAX)),
        _ => {
            let limit = 10_i128.pow(u32::from(ty.precision.min(38))) - 1;
            (-limit, limit)
        }
    }
}

/// The identity column and its (seed, increment).
pub fn identity_of(table: &TableDef) -> Option<(usize, (i64, i64))> {
    table.columns.iter().enumerate().find_map(|(i, column)| Some((i, column.identity?)))
}

pub fn identity_rule(ty: &SqlType, seed: i64, increment: i64) -> Rule {
    let (minimum, maximum) = bounds(ty);
    let ahead = usually_ahead(minimum, maximum);
    let (start, increment) = (i128::from(seed), i128::from(increment));
    Rule { start, increment, minimum, maximum, cycle: false, in_rows: true, ahead }
}

pub fn identity_numbers(identity: &Identity, column: &str) -> SqlResult<(i128, i128)> {
    let number = |expr: &Option<Expr>| expr.as_ref().map_or(Some(1), whole_number);
    let seed = number(&identity.seed).ok_or_else(|| sql_error!(2752, state 2, column))?;
    let increment = number(&identity.increment).ok_or_else(|| sql_error!(2753, state 3, column))?;
    match increment {
        0 => Err(sql_error!(2753, state 2, column)),
        _ => Ok((seed, increment)),
    }
}
