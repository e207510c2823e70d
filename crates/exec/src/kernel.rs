//! The errors of arithmetic and conversion, and the settings a session gives to the kernels of `types`.

use std::borrow::Cow;
use std::cmp::Ordering;

use sql::plan::ArithmeticOp;
use types::{SqlError, SqlResult, SqlType, TypeKind};

use crate::context::Context;
use crate::value::Value;

#[path = "kernel_types.rs"]
mod kernel_types;
pub use kernel_types::*;

/// Longest (max) value: 2 GB - 1.
pub const VALUE_BYTES_MAX: usize = i32::MAX as usize;

/// As error messages name a type.
pub fn type_name(kind: TypeKind) -> &'static str {
    use TypeKind::*;
    match kind {
        Bit => "bit",
        TinyInt => "tinyint",
        SmallInt => "smallint",
        Int => "int",
        BigInt => "bigint",
        Decimal => "decimal",
        Numeric => "numeric",
        SmallMoney => "smallmoney",
        Money => "money",
        Real => "real",
        Float => "float",
        Date => "date",
        Time => "time",
        SmallDateTime => "smalldatetime",
        DateTime => "datetime",
        DateTime2 => "datetime2",
        DateTimeOffset => "datetimeoffset",
        Char => "char",
        VarChar => "varchar",
        Text => "text",
        NChar => "nchar",
        NVarChar => "nvarchar",
        NText => "ntext",
        Binary => "binary",
        VarBinary => "varbinary",
        Image => "image",
        UniqueIdentifier => "uniqueidentifier",
        RowVersion => "timestamp",
        Xml => "xml",
        SqlVariant => "sql_variant",
    }
}

#[cold]
pub fn arithmetic_overflow(kind: TypeKind) -> SqlError {
    let name = type_name(kind);
    SqlError::with_state(8115, 16, 2, format!("Arithmetic overflow error converting expression to data type {name}."))
}

/// A value that does not fit a narrower integer type: 220 names the value, int and bigint say 8115.
#[cold]
pub fn integer_too_large(kind: TypeKind, value: i64) -> SqlError {
    match kind {
        TypeKind::TinyInt | TypeKind::SmallInt => {
            let state = if kind == TypeKind::TinyInt { 2 } else { 1 };
            let name = type_name(kind);
            SqlError::with_state(
                220,
                16,
                state,
                format!("Arithmetic overflow error for data type {name}, value = {value}."),
            )
        }
        _ => arithmetic_overflow(kind),
    }
}

#[cold]
pub fn divide_by_zero() -> SqlError {
    SqlError::new(8134, 16, "Divide by zero error encountered.")
}

/// What TRY_CAST and TRY_CONVERT turn into NULL.
pub fn is_conversion_error(error: &SqlError) -> bool {
    matches!(
        error.number,
        220 | 232 | 241 | 242 | 244 | 245 | 248 | 295 | 296 | 517 | 8114 | 8115 | 8152 | 8169 | 9420
            ..=9455 | 235 | 293 | 6522
    )
}

pub fn money_arithmetic(op: ArithmeticOp, ty: &SqlType, left: i64, right: i64) -> SqlResult<i64> {
    let (left, right) = (left as i128, right as i128);
    let value = match op {
        ArithmeticOp::Add => left + right,
        ArithmeticOp::Subtract => left - right,
        ArithmeticOp::Multiply => {
            let product = left * right;
            (product + 5000 * product.signum()) / 10_000
        }
        ArithmeticOp::Divide | ArithmeticOp::Modulo if right == 0 => return Err(divide_by_zero()),
        ArithmeticOp::Divide => left * 10_000 / right,
        ArithmeticOp::Modulo => left % right,
        ArithmeticOp::BitAnd | ArithmeticOp::BitOr | ArithmeticOp::BitXor => panic!("no bit operations on money"),
    };
    let fits =
        if ty.kind == TypeKind::SmallMoney { i32::try_from(value).is_ok() } else { i64::try_from(value).is_ok() };
    if fits { Ok(value as i64) } else { Err(arithmetic_overflow(ty.kind)) }
}

pub fn float_arithmetic(op: ArithmeticOp, left: f64, right: f64, real: bool) -> SqlResult<f64> {
    let value = match op {
        ArithmeticOp::Add => left + right,
        ArithmeticOp::Subtract => left - right,
        ArithmeticOp::Multiply => left * right,
        ArithmeticOp::Divide | ArithmeticOp::Modulo if right == 0.0 => return Err(divide_by_zero()),
        ArithmeticOp::Divide => left / right,
        ArithmeticOp::Modulo => left % right,
        ArithmeticOp::BitAnd | ArithmeticOp::BitOr | ArithmeticOp::BitXor => panic!("no bit operations on float"),
    };
    let value = if real { value as f32 as f64 } else { value };
    if value.is_finite() {
        Ok(value)
    } else {
        Err(arithmetic_overflow(if real { TypeKind::Real } else { TypeKind::Float }))
    }
}
