//! Arithmetic on values of one type: the kernels of exec's typed evaluator. Decimals: `decimal::Kernel`.
//!
//! Errors: 8115 when the type does not hold the result, 8134 for a zero divisor.

use crate::convert::integer_range;
use crate::datetime::Moment;
use crate::decimal::divide_by_zero;
use crate::error::{SqlError, SqlResult};
use crate::precedence::ArithmeticOp;
use crate::sql_error;
use crate::sql_type::{SqlType, TypeKind};

/// 8115
#[cold]
pub fn overflow(kind: TypeKind) -> SqlError {
    let name = match kind {
        TypeKind::Decimal => "numeric",
        _ => kind.name(),
    };
    sql_error!(8115, state 2, "expression", name)
}

/// The result if the type holds it.
#[inline]
fn checked(kind: TypeKind, result: Option<i64>) -> SqlResult<i64> {
    let (low, high) = integer_range(kind);
    match result {
        Some(result) if low <= result && result <= high => in_calendar(kind, result),
        _ => Err(overflow(kind)),
    }
}

#[inline]
fn in_calendar(kind: TypeKind, result: i64) -> SqlResult<i64> {
    match kind {
        TypeKind::DateTime | TypeKind::SmallDateTime => {
            let ty = if kind == TypeKind::DateTime { SqlType::DATETIME } else { SqlType::SMALLDATETIME };
            let held = Moment::from_i64(kind, result).to(&ty).is_some();
            if held { Ok(result) } else { Err(overflow(kind)) }
        }
        _ => Ok(result),
    }
}

/// Integers, money, datetime and smalldatetime (as time since 1900-01-01).
#[inline]
pub fn add_i64(kind: TypeKind, a: i64, b: i64) -> SqlResult<i64> {
    checked(kind, a.checked_add(b))
}

#[inline]
pub fn sub_i64(kind: TypeKind, a: i64, b: i64) -> SqlResult<i64> {
    checked(kind, a.checked_sub(b))
}

/// Integers and money; a product of money is rounded half away from zero.
#[inline]
pub fn mul_i64(kind: TypeKind, a: i64, b: i64) -> SqlResult<i64> {
    if matches!(kind, TypeKind::Money | TypeKind::SmallMoney) {
        let product = a as i128 * b as i128;
        let rounded = (product + 5_000 * product.signum()) / 10_000;
        return checked(kind, i64::try_from(rounded).ok());
    }
    checked(kind, a.checked_mul(b))
}

/// Integers and money; both cut toward zero.
#[inline]
pub fn div_i64(kind: TypeKind, a: i64, b: i64) -> SqlResult<i64> {
    if b == 0 {
        return Err(divide_by_zero());
    }
    if matches!(kind, TypeKind::Money | TypeKind::SmallMoney) {
        return checked(kind, i64::try_from(a as i128 * 10_000 / b as i128).ok());
    }
    checked(kind, a.checked_div(b))
}

/// The sign is the dividend's.
#[inline]
pub fn rem_i64(kind: TypeKind, a: i64, b: i64) -> SqlResult<i64> {
    if b == 0 {
        return Err(divide_by_zero());
    }
    // The least number has no quotient by -1, and so no remainder.
    if b == -1 {
        return checked(kind, a.checked_neg()).map(|_| 0);
    }
    checked(kind, Some(a % b))
}

#[inline]
pub fn negate_i64(kind: TypeKind, a: i64) -> SqlResult<i64> {
    checked(kind, a.checked_neg())
}

/// `~`: within the type's bits; of a bit, the other one.
#[inline]
pub fn bit_not_i64(kind: TypeKind, a: i64) -> i64 {
    match kind {
        TypeKind::Bit => (a == 0) as i64,
        TypeKind::TinyInt => !a & 0xff,
        _ => !a,
    }
}

/// Every operator over class I64.
#[inline]
pub fn apply_i64(op: ArithmeticOp, kind: TypeKind, a: i64, b: i64) -> SqlResult<i64> {
    match op {
        ArithmeticOp::Add => add_i64(kind, a, b),
        ArithmeticOp::Subtract => sub_i64(kind, a, b),
        ArithmeticOp::Multiply => mul_i64(kind, a, b),
        ArithmeticOp::Divide => div_i64(kind, a, b),
        ArithmeticOp::Modulo => rem_i64(kind, a, b),
        ArithmeticOp::BitAnd => Ok(a & b),
        ArithmeticOp::BitOr => Ok(a | b),
        ArithmeticOp::BitXor => Ok(a ^ b),
    }
}

/// A real's result is rounded to single precision; infinity is 8115.
#[inline]
pub fn check_f64(kind: TypeKind, result: f64) -> SqlResult<f64> {
    let result = if kind == TypeKind::Real { (result as f32) as f64 } else { result };
    if result.is_finite() { Ok(result) } else { Err(overflow(kind)) }
}

#[inline]
pub fn add_f64(kind: TypeKind, a: f64, b: f64) -> SqlResult<f64> {
    check_f64(kind, a + b)
}

#[inline]
pub fn sub_f64(kind: TypeKind, a: f64, b: f64) -> SqlResult<f64> {
    check_f64(kind, a - b)
}

#[inline]
pub fn mul_f64(kind: TypeKind, a: f64, b: f64) -> SqlResult<f64> {
    check_f64(kind, a * b)
}

#[inline]
pub fn div_f64(kind: TypeKind, a: f64, b: f64) -> SqlResult<f64> {
    if b == 0.0 { Err(divide_by_zero()) } else { check_f64(kind, a / b) }
}

/// Add, subtract, multiply, divide. Panics on the operators that floats do not have: the binder refuses them.
#[inline]
pub fn apply_f64(op: ArithmeticOp, kind: TypeKind, a: f64, b: f64) -> SqlResult<f64> {
    match op {
        ArithmeticOp::Add => add_f64(kind, a, b),
        ArithmeticOp::Subtract => sub_f64(kind, a, b),
        ArithmeticOp::Multiply => mul_f64(kind, a, b),
        ArithmeticOp::Divide => div_f64(kind, a, b),
        other => panic!("floats have no operator {}", other.name()),
    }
}

/// The type of unary minus: tinyint has no negative numbers. Errors: 8117.
pub fn negate_type(ty: &SqlType) -> SqlResult<SqlType> {
    use TypeKind::*;
    match ty.kind {
        TinyInt => Ok(SqlType::SMALLINT),
        SmallInt | Int | BigInt | SmallMoney | Money | Decimal | Numeric | Real | Float => Ok(*ty),
        _ => Err(sql_error!(8117, ty.operand_name(), "minus")),
    }
}
