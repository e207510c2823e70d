//! Which expressions of an ORDER BY are constants to SQL Server: those that it computes while it compiles.

use types::Datum;

use super::typing::is_null_literal;
use super::variables::{Found, visit_expr};
use crate::ast;
use crate::optimize::constant;
use crate::plan::{Expr, ExprKind};

/// Functions that are computed at once where their arguments are constants. It is a list of its own: UPPER is deterministic and not in
/// it, DATENAME is in it and not deterministic.
const AT_ONCE: &[&str] = &[
    "ABS",
    "ACOS",
    "ASIN",
    "ATAN",
    "ATN2",
    "BIT_COUNT",
    "CEILING",
    "CHARINDEX",
    "COALESCE",
    "CONCAT",
    "COS",
    "COT",
    "DATEADD",
    "DATEDIFF",
    "DATEDIFF_BIG",
    "DATEFROMPARTS",
    "DATENAME",
    "DATEPART",
    "DATETIME2FROMPARTS",
    "DATETIMEFROMPARTS",
    "DATETIMEOFFSETFROMPARTS",
    "DAY",
    "DEGREES",
    "EXP",
    "FLOOR",
    "GET_BIT",
    "GREATEST",
    "IIF",
    "JSON_PATH_EXISTS",
    "JSON_QUERY",
    "JSON_VALUE",
    "LEAST",
    "LEFT_SHIFT",
    "LEN",
    "LOG",
    "LOG10",
    "MONTH",
    "NULLIF",
    "PI",
    "POWER",
    "RADIANS",
    "RIGHT_SHIFT",
    "ROUND",
    "SET_BIT",
    "SIGN",
    "SIN",
    "SMALLDATETIMEFROMPARTS",
    "SQRT",
    "SQUARE",
    "TAN",
    "TIMEFROMPARTS",
    "YEAR",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constant {
    /// An int that could be the place of a column.
    Place,
    Other,
}

/// `bound`: what has become of `written`. None: no constant, or one whose computing fails.
pub fn constant_of(written: &ast::Expr, bound: &Expr) -> Option<Constant> {
    let (mut constant, mut calls) = (true, false);
    visit_expr(written, &mut |found| match found {
        Found::Function(name) => {
            calls = true;
            constant &= AT_ONCE.iter().any(|known| name.name.text.eq_ignore_ascii_case(known));
        }
        Found::Call(_) | Found::Method(_) => {}
        _ => constant = false,
    });
    if !constant || matches!(written, ast::Expr::Method(_) | ast::Expr::StaticMethod(_) | ast::Expr::Word(_)) {
        return None;
    }
    let is_int = bound.ty == types::SqlType::INT && !is_null_literal(bound);
    match constant::value_of(bound) {
        Some(Datum::I64(number)) if is_int && number >= 1 => Some(Constant::Place),
        Some(_) => Some(Constant::Other),
        // What is computed by functions and conditions is not computed here: an int of theirs is as a rule above zero.
        None if calls || bound.ty.is_string() || bound.any(&mut |part| matches!(part.kind, ExprKind::Case { .. })) => {
            Some(if is_int { Constant::Place } else { Constant::Other })
        }
        None => None,
    }
}
