//! Implicit conversions made explicit, with what can be folded at once folded: literals take the type of what they meet.

use types::datetime::LanguageId;
use types::{ConvertContext, Datum, SqlResult, SqlType, TypeKind, operands};

use types::precedence::{check_conversion, result_type};

use super::collating::{collation_rank, common_collation, made_collation, refuse_open};
use super::typing::{beside_decimal, is_null_literal};
use crate::optimize::Columns;
use crate::plan::{CompareOp, Expr, ExprKind};

/// `expr` as `to`, as assignments and arguments do it.
pub fn implicit(expr: Expr, to: &SqlType) -> SqlResult<Expr> {
    if is_null_literal(&expr) {
        return Ok(Expr::null(*to));
    }
    check_conversion(&expr.ty, to, false)?;
    Ok(converted(expr, to, false))
}

/// A conversion known to be permitted.
pub fn converted(expr: Expr, to: &SqlType, explicit: bool) -> Expr {
    if expr.ty == *to {
        return expr;
    }
    if let Some(folded) = fold(&expr, to) {
        return folded;
    }
    // varchar(3) is a varchar(5) already: only the label changes. A column keeps its own, and an operation overflows or cuts by
    // its own type.
    if matches!(expr.kind, ExprKind::Literal(_) | ExprKind::Variable(_) | ExprKind::Outer(_)) && widens(&expr.ty, to) {
        return Expr { ty: *to, ..expr };
    }
    let nullable = expr.nullable;
    Expr::new(*to, nullable, ExprKind::Convert { value: Box::new(expr), style: None, attempt: false, explicit })
}

/// Every value of `from` is, bit for bit, a value of `to`.
pub fn widens(from: &SqlType, to: &SqlType) -> bool {
    use TypeKind::*;
    if from.collation != to.collation {
        return false;
    }
    match (from.kind, to.kind) {
        (VarChar, VarChar) | (NVarChar, NVarChar) | (VarBinary, VarBinary) => to.length >= from.length,
        (Char, VarChar) | (NChar, NVarChar) | (Binary, VarBinary) => to.length >= from.length,
        (Decimal | Numeric, Decimal | Numeric) => from.scale == to.scale && to.precision >= from.precision,
        (TinyInt | Bit, SmallInt | Int | BigInt) | (SmallInt, Int | BigInt) | (Int, BigInt) => true,
        (Bit, TinyInt) => true,
        (DateTime2, DateTime2) | (Time, Time) | (DateTimeOffset, DateTimeOffset) => to.scale >= from.scale,
        (SmallMoney, Money) | (Real, Float) => true,
        _ => false,
    }
}

/// A literal of another type, when that loses nothing.
fn fold(expr: &Expr, to: &SqlType) -> Option<Expr> {
    use TypeKind::*;
    let ExprKind::Literal(value) = &expr.kind else { return None };
    let folded = match (value, to.kind) {
        (Datum::I64(n), Bit) if expr.ty.is_integer() => Datum::I64((*n != 0) as i64),
        (Datum::I64(n), TinyInt | SmallInt | Int | BigInt) if integral(&expr.ty) && fits(*n, to.kind) => Datum::I64(*n),
        (Datum::I64(n), Float) if integral(&expr.ty) => Datum::F64(*n as f64),
        (Datum::I64(n), Money) if expr.ty.is_integer() => Datum::I64(n.checked_mul(10_000)?),
        (Datum::I64(n), Decimal | Numeric) if integral(&expr.ty) => scaled(*n as i128, 0, to)?,
        (Datum::I128(n), Decimal | Numeric) if expr.ty.is_decimal() => scaled(*n, expr.ty.scale, to)?,
        (Datum::I128(n), Float) if expr.ty.is_decimal() => {
            // Through text: dividing would round twice.
            let digits = format!("{n}e-{}", expr.ty.scale);
            Datum::F64(digits.parse().ok()?)
        }
        (Datum::Bytes(bytes), VarChar)
            if expr.ty.is_ansi_string() && same_page(&expr.ty, to, bytes) && short(bytes, to) =>
        {
            Datum::Bytes(bytes.clone())
        }
        (Datum::Bytes(bytes), NVarChar) if expr.ty.is_unicode_string() && short(bytes, to) => {
            Datum::Bytes(bytes.clone())
        }
        (Datum::Bytes(bytes), VarBinary) if expr.ty.is_binary() && short(bytes, to) => Datum::Bytes(bytes.clone()),
        (Datum::Bytes(bytes), NVarChar)
            if expr.ty.is_ansi_string()
                && bytes.is_ascii()
                && (to.is_max() || bytes.len() * 2 <= to.length as usize) =>
        {
            Datum::Bytes(bytes.iter().flat_map(|&b| [b, 0]).collect())
        }
        (Datum::Bytes(bytes), Char)
            if expr.ty.is_ansi_string() && same_page(&expr.ty, to, bytes) && short(bytes, to) =>
        {
            let mut padded = bytes.to_vec();
            padded.resize(to.length as usize, b' ');
            Datum::Bytes(padded.into())
        }
        (Datum::Bytes(bytes), NChar) if expr.ty.is_unicode_string() && short(bytes, to) => {
            let mut padded = bytes.to_vec();
            while padded.len() < to.length as usize {
                padded.extend([b' ', 0]);
            }
            Datum::Bytes(padded.into())
        }
        (Datum::Bytes(_), kind) if expr.ty.is_string() && (to.is_temporal() || is_numeric(kind)) => {
            read_text(value, &expr.ty, to)?
        }
        _ => return None,
    };
    Some(Expr { ty: *to, nullable: false, kind: ExprKind::Literal(folded) })
}

fn is_numeric(kind: TypeKind) -> bool {
    use TypeKind::*;
    matches!(kind, TinyInt | SmallInt | Int | BigInt | Decimal | Numeric | Float | Money)
}

/// The value of a text constant, unless it depends on the session's date format or language. What is wrong with it is said when it
/// is used.
fn read_text(value: &Datum, from: &SqlType, to: &SqlType) -> Option<Datum> {
    use types::datetime::DateFormat::*;
    let mut found = None;
    let both = [LanguageId::US_ENGLISH, LanguageId::CZECH];
    let formats = [Mdy, Dmy, Ymd, Ydm, Myd, Dym];
    for (language, date_format) in both.into_iter().flat_map(|language| formats.map(|format| (language, format))) {
        let context = ConvertContext { date_format, language, ..ConvertContext::ASSIGN };
        let read = types::convert(value, from, to, types::convert::NO_STYLE, &context).ok()?;
        if found.get_or_insert_with(|| read.clone()) != &read {
            return None;
        }
        if !to.is_temporal() {
            break;
        }
    }
    found
}

fn integral(ty: &SqlType) -> bool {
    ty.is_integer() || ty.kind == TypeKind::Bit
}

fn fits(n: i64, kind: TypeKind) -> bool {
    match kind {
        TypeKind::TinyInt => u8::try_from(n).is_ok(),
        TypeKind::SmallInt => i16::try_from(n).is_ok(),
        TypeKind::Int => i32::try_from(n).is_ok(),
        _ => true,
    }
}

/// None: digits would be lost, or it does not fit.
fn scaled(unscaled: i128, scale: u8, to: &SqlType) -> Option<Datum> {
    let value = if to.scale >= scale {
        unscaled.checked_mul(10_i128.checked_pow((to.scale - scale) as u32)?)?
    } else {
        let divisor = 10_i128.checked_pow((scale - to.scale) as u32)?;
        if unscaled % divisor != 0 {
            return None;
        }
        unscaled / divisor
    };
    (value.unsigned_abs() < 10_u128.checked_pow(to.precision as u32)?).then_some(Datum::I128(value))
}

fn same_page(from: &SqlType, to: &SqlType, bytes: &[u8]) -> bool {
    from.collation == to.collation || bytes.is_ascii()
}

fn short(bytes: &[u8], to: &SqlType) -> bool {
    to.is_max() || bytes.len() <= to.length as usize
}

pub fn compare_name(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Equal => "equal to",
        CompareOp::NotEqual => "not equal to",
        CompareOp::Less => "less than",
        CompareOp::LessOrEqual => "less than or equal to",
        CompareOp::Greater => "greater than",
        CompareOp::GreaterOrEqual => "greater than or equal to",
    }
}

/// A comparison with the constant NULL is UNKNOWN whatever the other side is, which is not computed.
pub fn compare(op: CompareOp, left: Expr, right: Expr, null_equal: bool, columns: &Columns) -> SqlResult<Expr> {
    let decided = !null_equal && (is_null_literal(&left) || is_null_literal(&right));
    let (left, right) = comparable(left, right, compare_name(op), columns)?;
    if decided {
        return Ok(Expr::null(SqlType::BIT));
    }
    let nullable = !null_equal && (left.nullable || right.nullable);
    Ok(Expr::new(
        SqlType::BIT,
        nullable,
        ExprKind::Compare { op, left: Box::new(left), right: Box::new(right), null_equal },
    ))
}

/// Both sides in the type they are compared in. Integers of any width, strings of one kind of characters, and times of any
/// scale are comparable as they are: nothing is converted, so an index on a column stays usable.
pub fn comparable(left: Expr, right: Expr, operator: &str, columns: &Columns) -> SqlResult<(Expr, Expr)> {
    use TypeKind::*;
    if is_null_literal(&left) {
        let ty = right.ty;
        return Ok((Expr::null(ty), right));
    }
    if is_null_literal(&right) {
        let ty = left.ty;
        return Ok((left, Expr::null(ty)));
    }
    let (a, b) = (left.ty, right.ty);
    operands::check_comparison(operator, &narrowest(&left), &narrowest(&right))?;
    if a.is_string() && b.is_string() {
        refuse_open(&left, &right, operator, columns)?;
    }
    if a == b {
        return Ok((left, right));
    }
    // A literal takes the type of what it is compared with when that is exact.
    if let (ExprKind::Literal(_), false) = (&right.kind, matches!(left.kind, ExprKind::Literal(_))) {
        if let Some(folded) = fold_for_comparison(&right, &a) {
            return Ok((left, folded));
        }
    } else if let (ExprKind::Literal(_), false) = (&left.kind, matches!(right.kind, ExprKind::Literal(_))) {
        if let Some(folded) = fold_for_comparison(&left, &b) {
            return Ok((folded, right));
        }
    }
    if a.is_string() && b.is_string() {
        let collation = common_collation(&left, &right, operator, columns)?;
        let wide = a.is_unicode_string() || b.is_unicode_string();
        let side = |e: Expr| {
            let mut ty = e.ty;
            if wide && !ty.is_unicode_string() {
                ty = typing_wide(&ty);
            }
            ty.collation = collation;
            if e.ty == ty { e } else { converted(e, &ty, false) }
        };
        return Ok((side(left), side(right)));
    }
    if a.is_binary() && b.is_binary() || integral(&a) && integral(&b) {
        return Ok((left, right));
    }
    if a.kind == b.kind && matches!(a.kind, Time | DateTime2 | DateTimeOffset) {
        return Ok((left, right));
    }
    if a.is_decimal() && b.is_decimal() && a.scale == b.scale {
        return Ok((left, right));
    }
    let common = result_type(&a, &b)?;
    Ok((implicit(left, &common)?, implicit(right, &common)?))
}

/// nchar or nvarchar of as many characters: of more than 4,000, nvarchar(max).
pub fn typing_wide(ty: &SqlType) -> SqlType {
    let short = ty.length <= 4000;
    let length = if short { ty.length * 2 } else { types::MAX_LENGTH };
    let kind = if ty.kind == TypeKind::Char && short { TypeKind::NChar } else { TypeKind::NVarChar };
    SqlType { kind, length, ..*ty }
}

/// What a constant counts as where it is compared: the narrowest type that has the number.
fn narrowest(expr: &Expr) -> SqlType {
    match expr.kind {
        ExprKind::Literal(Datum::I64(value)) if expr.ty.kind == TypeKind::Int => match value {
            0..=255 => SqlType::TINYINT,
            -32768..=32767 => SqlType::SMALLINT,
            _ => expr.ty,
        },
        _ => expr.ty,
    }
}

fn fold_for_comparison(literal: &Expr, to: &SqlType) -> Option<Expr> {
    use TypeKind::*;
    let permitted = match to.kind {
        TinyInt | SmallInt | Int | BigInt => integral(&literal.ty),
        Decimal | Numeric => integral(&literal.ty) || literal.ty.is_decimal(),
        Float => integral(&literal.ty) || literal.ty.is_decimal(),
        Money => literal.ty.is_integer(),
        Char | VarChar => literal.ty.is_ansi_string(),
        NChar | NVarChar => literal.ty.is_string(),
        VarBinary => literal.ty.is_binary(),
        _ => false,
    };
    permitted.then(|| fold(literal, to)).flatten()
}

/// The common type of all of `exprs`, each converted to it. `operation`: for 468.
pub fn unify(exprs: Vec<Expr>, operation: &str, columns: &Columns) -> SqlResult<(Vec<Expr>, SqlType)> {
    let ty = common_type(&exprs, operation, columns)?;
    let exprs = exprs.into_iter().map(|e| implicit(e, &ty)).collect::<SqlResult<Vec<_>>>()?;
    Ok((exprs, ty))
}

/// NULL literals have no say, unless there is nothing else: then int. One with a type is what a parameter has been replaced by.
pub fn common_type(exprs: &[Expr], operation: &str, columns: &Columns) -> SqlResult<SqlType> {
    let mut common: Option<(SqlType, &Expr)> = None;
    let of_rows = matches!(operation, "UNION" | "INTERSECT" | "EXCEPT" | "VALUES" | "GENERATE_SERIES");
    let has_decimal = !of_rows && exprs.iter().any(|e| e.ty.is_decimal());
    for expr in exprs.iter().filter(|e| !is_null_literal(e) || e.ty != SqlType::INT) {
        let own = if has_decimal { beside_decimal(expr) } else { expr.ty };
        common = Some(match common {
            None => (own, expr),
            Some((ty, first)) => {
                let mut joined = result_type(&ty, &own)?;
                if ty.is_string() && expr.ty.is_string() {
                    joined.collation = match operation {
                        "UNION" | "INTERSECT" | "EXCEPT" => common_collation(first, expr, operation, columns)?,
                        _ => made_collation(first, expr, operation, columns)?,
                    };
                }
                (joined, if collation_rank(expr, columns) > collation_rank(first, columns) { expr } else { first })
            }
        });
    }
    Ok(common.map_or(SqlType::INT, |(ty, _)| ty))
}
