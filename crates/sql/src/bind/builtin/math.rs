//! Mathematical and bit functions: most compute in float; those that keep an exact type say which.

use types::{SqlResult, SqlType, TypeKind};

use super::{BuiltinCall, is_bytes, is_measure, is_whole};
use crate::function::FunctionId;

/// Functions over float, and those of exact numbers.
pub fn math(call: &mut BuiltinCall) -> SqlResult<Option<SqlType>> {
    use FunctionId::*;
    Ok(Some(match call.function {
        Acos | Asin | Atan | Cos | Cot | Exp | Log10 | Sin | Sqrt | Square | Tan => {
            call.null_from_arguments();
            call.number(0, SqlType::FLOAT)?;
            SqlType::FLOAT
        }
        Atn2 | Log => {
            call.null_from_arguments();
            call.number(0, SqlType::FLOAT)?;
            if call.args.len() > 1 {
                call.number(1, SqlType::FLOAT)?;
            }
            SqlType::FLOAT
        }
        Pi => {
            call.nullable = false;
            SqlType::FLOAT
        }
        Rand => {
            call.take(0, SqlType::INT)?;
            SqlType::FLOAT
        }
        Abs | Ceiling | Floor | Sign | Degrees | Radians => own_type(call)?,
        Power => power(call)?,
        Round => round(call)?,
        _ => return Ok(None),
    }))
}

/// A number in, a number of its type out, as far as the type can hold the result.
fn own_type(call: &mut BuiltinCall) -> SqlResult<SqlType> {
    use FunctionId::*;
    call.null_from_arguments();
    let ty = call.args[0].ty;
    let result = match ty.kind {
        TypeKind::TinyInt | TypeKind::SmallInt if call.function != Abs => SqlType::INT,
        TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int | TypeKind::BigInt => ty,
        TypeKind::Decimal | TypeKind::Numeric => match call.function {
            Ceiling | Floor => SqlType { kind: ty.kind, ..SqlType::decimal(ty.precision, 0) },
            Degrees | Radians => SqlType { kind: ty.kind, ..SqlType::decimal(38, 18) },
            _ => ty,
        },
        TypeKind::Money | TypeKind::SmallMoney => SqlType::MONEY,
        _ => SqlType::FLOAT,
    };
    // The argument keeps its scale; only its class must be the result's.
    let argument = if ty.is_decimal() { ty } else { result };
    call.number(0, argument)?;
    Ok(result)
}

/// POWER has the type of what is raised.
fn power(call: &mut BuiltinCall) -> SqlResult<SqlType> {
    call.null_from_arguments();
    let ty = call.args[0].ty;
    let result = match ty.kind {
        TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int => SqlType::INT,
        TypeKind::BigInt => SqlType::BIGINT,
        TypeKind::Decimal | TypeKind::Numeric => SqlType { kind: ty.kind, ..SqlType::decimal(38, ty.scale) },
        TypeKind::Money | TypeKind::SmallMoney => SqlType::MONEY,
        _ => SqlType::FLOAT,
    };
    let argument = if ty.is_decimal() { ty } else { result };
    call.number(0, argument)?;
    call.number(1, SqlType::FLOAT)?;
    Ok(result)
}

/// ROUND has the type of what is rounded.
fn round(call: &mut BuiltinCall) -> SqlResult<SqlType> {
    call.null_from_arguments();
    let ty = call.args[0].ty;
    let result = match ty.kind {
        TypeKind::TinyInt | TypeKind::SmallInt => SqlType::INT,
        TypeKind::Int | TypeKind::BigInt | TypeKind::Decimal | TypeKind::Numeric => ty,
        TypeKind::Money | TypeKind::SmallMoney => SqlType::MONEY,
        _ => SqlType::FLOAT,
    };
    call.number(0, result)?;
    for i in [1, 2] {
        call.only(i, |kind| is_measure(kind) || matches!(kind, TypeKind::Money | TypeKind::SmallMoney))?;
        call.take(i, SqlType::INT)?;
    }
    Ok(result)
}

/// Functions over the bits of an integer or binary value.
pub fn bits(call: &mut BuiltinCall) -> SqlResult<Option<SqlType>> {
    use FunctionId::*;
    if matches!(call.function, BitCount | GetBit | SetBit | LeftShift | RightShift) {
        call.only(0, |kind| is_whole(kind) || is_bytes(kind) || kind == TypeKind::Bit)?;
        call.only(1, is_whole)?;
    }
    Ok(Some(match call.function {
        BitCount => {
            call.null_from_arguments();
            SqlType::BIGINT
        }
        GetBit => {
            call.null_from_arguments();
            call.take(1, SqlType::INT)?;
            SqlType::BIT
        }
        SetBit | LeftShift | RightShift => {
            call.take(1, SqlType::INT)?;
            call.take(2, SqlType::INT)?;
            call.args[0].ty
        }
        _ => return Ok(None),
    }))
}
