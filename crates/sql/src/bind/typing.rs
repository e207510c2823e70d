//! What `types::precedence` does not know of operands: NULL and integer constants, and names for messages.

use types::{Datum, MAX_LENGTH, SqlResult, SqlType, TypeKind, sql_error};

use crate::optimize::{ColumnId, Columns};
use crate::plan::{Expr, ExprKind};

pub fn type_name(ty: &SqlType) -> &'static str {
    ty.name()
}

/// With its parameters, as `sys.dm_exec_describe_first_result_set` shows it: `decimal(10,2)`, `nvarchar(max)`.
pub fn full_name(ty: &SqlType) -> String {
    use TypeKind::*;
    let name = ty.name();
    match ty.kind {
        Decimal | Numeric => format!("{name}({},{})", ty.precision, ty.scale),
        Time | DateTime2 | DateTimeOffset => format!("{name}({})", ty.scale),
        Char | VarChar | Binary | VarBinary | NChar | NVarChar if ty.length == MAX_LENGTH => format!("{name}(max)"),
        NChar | NVarChar => format!("{name}({})", ty.length / 2),
        Char | VarChar | Binary | VarBinary => format!("{name}({})", ty.length),
        _ => name.to_string(),
    }
}

pub const fn numeric(precision: u8, scale: u8) -> SqlType {
    SqlType { kind: TypeKind::Numeric, ..SqlType::decimal(precision, scale) }
}

pub fn is_null_literal(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Literal(Datum::Null))
}

/// A column of nothing but NULL as it is written: it has no type of its own.
pub fn is_untyped(expr: &Expr, columns: &Columns) -> bool {
    matches!(expr.kind, ExprKind::Column(column) if columns.is_untyped(ColumnId(column as u32)))
}

/// The type an operand counts as beside a decimal: an integer constant has only the digits it is written with.
pub fn beside_decimal(expr: &Expr) -> SqlType {
    match &expr.kind {
        ExprKind::Literal(Datum::I64(value)) if expr.ty.kind == TypeKind::Int => {
            numeric((value.unsigned_abs().max(1).ilog10() + 1) as u8, 0)
        }
        ExprKind::Negate(inner) => beside_decimal(inner),
        _ => expr.ty,
    }
}

/// 249, 305, 306 and 13636 for what has no order. `clause`: as 249 names it.
pub fn sortable(ty: &SqlType, clause: &str) -> SqlResult<()> {
    match ty.kind {
        TypeKind::Text | TypeKind::NText | TypeKind::Image => Err(sql_error!(306, state 2)),
        TypeKind::Xml => Err(sql_error!(305)),
        TypeKind::Json => Err(sql_error!(13636, state 2)),
        TypeKind::Geometry | TypeKind::Geography => Err(sql_error!(249, ty.name(), clause)),
        _ => Ok(()),
    }
}
