//! Columns compared with constants: what key the constant has among the column's.

use types::convert::NO_STYLE;
use types::key::encode_datum;
use types::{ConvertContext, Datum, SqlType, TypeKind};

use super::rel::{ColumnId, Get};
use crate::plan::{Expr, ExprKind};

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

/// A literal under conversions whose outcome does not depend on the session; `likely`: or mostly does not.
fn constant(value: &Expr, likely: bool) -> Option<(Datum, SqlType)> {
    match &value.kind {
        ExprKind::Literal(datum) => Some((datum.clone(), value.ty)),
        ExprKind::Convert { value: inner, style: None, attempt: false, explicit } => {
            let (datum, from) = constant(inner, likely)?;
            let context = if *explicit { ConvertContext::CAST } else { ConvertContext::ASSIGN };
            if from.is_string() && value.ty.is_temporal() && !likely {
                return None;
            }
            Some((types::convert(&datum, &from, &value.ty, NO_STYLE, &context).ok()?, value.ty))
        }
        _ => None,
    }
}
