//! Columns compared with each other and with constants; what key a constant has among the column's.

use types::arith::{apply_f64, apply_i64, negate_i64};
use types::convert::NO_STYLE;
use types::datetime::part::{Part, dateadd};
use types::decimal::{Kernel, Operation};
use types::key::encode_datum;
use types::precedence;
use types::text::text_of;
use types::{ConvertContext, Datum, SqlType, TypeKind};

use super::rel::{ColumnId, ColumnSet, Get};
use crate::function::FunctionId;
use crate::plan::{ArithmeticOp, CompareOp, Expr, ExprKind};

/// The column under any conversions: NULL in, NULL out.
pub fn stripped(expr: &Expr) -> Option<ColumnId> {
    match &expr.kind {
        ExprKind::Column(column) => Some(ColumnId(*column as u32)),
        ExprKind::Convert { value, .. } => stripped(value),
        _ => None,
    }
}

/// The column itself, or in conversions that nobody wrote.
pub fn plain(expr: &Expr) -> Option<ColumnId> {
    match &expr.kind {
        ExprKind::Column(column) => Some(ColumnId(*column as u32)),
        ExprKind::Convert { value, explicit: false, .. } => plain(value),
        _ => None,
    }
}

/// The key of a constant that is compared with the column's own values: as they are, or in a conversion that keeps their order.
pub fn constant_key(get: &Get, column: u16, own: &Expr, value: &Expr) -> Option<Vec<u8>> {
    let ty = get.table.columns[usize::from(column)].ty;
    let same_text = |a: &SqlType, b: &SqlType| a.collation == b.collation && a.is_ansi_string() == b.is_ansi_string();
    let same_order = |a: &SqlType, b: &SqlType| match (a.is_string(), b.is_string()) {
        (true, true) => same_text(a, b),
        (false, false) => a.is_binary() && b.is_binary(),
        _ => false,
    };
    let plain = match own.kind {
        ExprKind::Column(_) => true,
        ExprKind::Convert { explicit: false, .. } => same_order(&own.ty, &ty) && own.ty.length >= ty.length,
        _ => false,
    };
    let (constant, from) = constant(value, false)?;
    let same_form = match ty {
        _ if ty.is_integer() => from.is_integer() && from.length <= ty.length,
        _ if ty.is_decimal() => from.is_decimal() && from.scale == ty.scale && from.precision <= ty.precision,
        _ => from == ty || same_order(&from, &ty),
    };
    if !plain || !same_form || constant.is_null() {
        return None;
    }
    let constant = match (constant, ty.kind) {
        (Datum::Bytes(bytes), TypeKind::Binary) if bytes.len() < usize::from(ty.length) => {
            let mut padded = bytes.into_vec();
            padded.resize(usize::from(ty.length), 0);
            Datum::Bytes(padded.into())
        }
        (Datum::Bytes(bytes), TypeKind::Binary) if bytes.len() > usize::from(ty.length) => return None,
        (constant, _) => constant,
    };
    let mut key = Vec::new();
    encode_datum(&ty, false, &constant, &mut key);
    Some(key)
}

/// The same for an estimate: in the column's type whatever that loses, and dates as they are mostly written.
pub fn likely_key(ty: &SqlType, value: &Expr) -> Option<Vec<u8>> {
    let (constant, from) = constant(value, true)?;
    let constant = types::convert(&constant, &from, ty, NO_STYLE, &ConvertContext::ASSIGN).ok()?;
    if constant.is_null() {
        return None;
    }
    let mut key = Vec::new();
    encode_datum(ty, false, &constant, &mut key);
    Some(key)
}

/// The value can be computed now, and so does not fail later.
fn is_known(value: &Expr) -> bool {
    constant(value, true).is_some()
}

/// What is computed of literals alone, as far as that is done here.
pub fn value_of(value: &Expr) -> Option<Datum> {
    constant(value, true).map(|(datum, _)| datum)
}

/// A literal under conversions whose outcome does not depend on the session; `likely`: or mostly does not, and what is computed of such.
fn constant(value: &Expr, likely: bool) -> Option<(Datum, SqlType)> {
    let ty = value.ty;
    match &value.kind {
        ExprKind::Literal(datum) => Some((datum.clone(), ty)),
        ExprKind::Convert { value: inner, style: None, attempt: false, explicit } => {
            let (datum, from) = constant(inner, likely)?;
            let context = if *explicit { ConvertContext::CAST } else { ConvertContext::ASSIGN };
            if from.is_string() && ty.is_temporal() && !likely {
                return None;
            }
            Some((types::convert(&datum, &from, &ty, NO_STYLE, &context).ok()?, ty))
        }
        ExprKind::Negate(inner) if likely => {
            let negative = match constant(inner, likely)?.0 {
                Datum::I64(number) if ty.is_integer() => Datum::I64(negate_i64(ty.kind, number).ok()?),
                Datum::I128(number) if ty.is_decimal() => Datum::I128(-number),
                Datum::F64(number) => Datum::F64(-number),
                _ => return None,
            };
            Some((negative, ty))
        }
        ExprKind::Arithmetic(op, left, right) if likely => {
            Some((computed(*op, constant(left, likely)?, constant(right, likely)?, &ty)?, ty))
        }
        ExprKind::Function(FunctionId::Dateadd, arguments) if likely => {
            let [part, number, date] = arguments.as_slice() else { return None };
            let (Datum::Bytes(name), text) = constant(part, likely)? else { return None };
            let part = Part::from_name(&text_of(&name, &text))?;
            let Datum::I64(number) = constant(number, likely)?.0 else { return None };
            let (date, from) = constant(date, likely)?;
            if date.is_null() {
                return None;
            }
            Some((dateadd(part, number, &from, &date).ok()?, ty))
        }
        _ => None,
    }
}

/// Both are of the class in which the operation is done. None: it fails, or is none of numbers.
fn computed(op: ArithmeticOp, left: (Datum, SqlType), right: (Datum, SqlType), ty: &SqlType) -> Option<Datum> {
    let (number, decimal) = match op {
        ArithmeticOp::Add => (precedence::ArithmeticOp::Add, Operation::Add),
        ArithmeticOp::Subtract => (precedence::ArithmeticOp::Subtract, Operation::Subtract),
        ArithmeticOp::Multiply => (precedence::ArithmeticOp::Multiply, Operation::Multiply),
        ArithmeticOp::Divide => (precedence::ArithmeticOp::Divide, Operation::Divide),
        _ => return None,
    };
    match (left.0, right.0) {
        (Datum::I64(a), Datum::I64(b)) if ty.is_integer() => Some(Datum::I64(apply_i64(number, ty.kind, a, b).ok()?)),
        (Datum::F64(a), Datum::F64(b)) => Some(Datum::F64(apply_f64(number, ty.kind, a, b).ok()?)),
        (Datum::I128(a), Datum::I128(b)) if ty.is_decimal() => {
            let kernel = Kernel::new(decimal, left.1.scale, right.1.scale, ty);
            Some(Datum::I128(kernel.apply(a, b).ok()?))
        }
        _ => None,
    }
}

/// The sides of `a = b`, both of which are columns.
pub fn equal_sides(predicate: &Expr) -> Option<(&Expr, &Expr)> {
    equal_columns(predicate)?;
    match &predicate.kind {
        ExprKind::Compare { left, right, .. } => Some((left, right)),
        _ => None,
    }
}

/// The column itself.
pub fn column_of(value: &Expr) -> Option<ColumnId> {
    match value.kind {
        ExprKind::Column(column) => Some(ColumnId(column as u32)),
        _ => None,
    }
}

/// The two columns of `a = b`.
pub fn equal_columns(predicate: &Expr) -> Option<(ColumnId, ColumnId)> {
    match &predicate.kind {
        ExprKind::Compare { op: CompareOp::Equal, left, right, null_equal: false } => match (&left.kind, &right.kind) {
            (ExprKind::Column(a), ExprKind::Column(b)) => Some((ColumnId(*a as u32), ColumnId(*b as u32))),
            _ => None,
        },
        _ => None,
    }
}

/// The column of `column op constant`, or of a list of these.
pub fn constant_of(predicate: &Expr) -> Option<ColumnId> {
    let fixed = |e: &Expr| matches!(e.kind, ExprKind::Literal(_) | ExprKind::Variable(_)) || is_known(e);
    match &predicate.kind {
        ExprKind::Compare { op, left, right, null_equal: false } if *op != CompareOp::NotEqual => {
            match (column_of(left), column_of(right)) {
                (Some(column), None) if fixed(right) => Some(column),
                (None, Some(column)) if fixed(left) => Some(column),
                _ => None,
            }
        }
        ExprKind::InList { value, list } if list.iter().all(fixed) => column_of(value),
        _ => None,
    }
}

/// NULL is equal to NULL there.
pub fn nulls_meet(predicate: &Expr) -> bool {
    matches!(predicate.kind, ExprKind::Compare { null_equal: true, .. })
}

/// `left expression = right expression`, in this order; also where NULL is equal to NULL.
pub fn equi(predicate: &Expr, left: &ColumnSet, right: &ColumnSet) -> Option<(Expr, Expr)> {
    let ExprKind::Compare { op: CompareOp::Equal, left: a, right: b, .. } = &predicate.kind else { return None };
    if predicate.is_volatile() || predicate.has_subquery() {
        return None;
    }
    if equal_columns(predicate).is_none() && (a.is_constant() || b.is_constant()) {
        return None;
    }
    let (in_a, in_b) = (ColumnSet::of(a), ColumnSet::of(b));
    if in_a.meets(left) && !in_a.meets(right) && in_b.meets(right) && !in_b.meets(left) {
        Some(((**a).clone(), (**b).clone()))
    } else if in_b.meets(left) && !in_b.meets(right) && in_a.meets(right) && !in_a.meets(left) {
        Some(((**b).clone(), (**a).clone()))
    } else {
        None
    }
}
