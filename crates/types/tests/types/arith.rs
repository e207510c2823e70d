//! Arithmetic kernels and their errors.

use types::arith::{apply_f64, apply_i64, bit_not_i64, negate_i64, negate_type};
use types::precedence::ArithmeticOp::{self, *};
use types::{SqlType, TypeKind};

#[test]
fn integers_and_money() {
    let cases: &[(TypeKind, i64, ArithmeticOp, i64, Result<i64, i32>)] = &[
        (TypeKind::Int, i32::MAX as i64, Add, 1, Err(8115)),
        (TypeKind::Int, i32::MIN as i64, Subtract, 1, Err(8115)),
        (TypeKind::Int, 65_536, Multiply, 65_536, Err(8115)),
        (TypeKind::Int, i32::MIN as i64, Divide, -1, Err(8115)),
        (TypeKind::Int, 7, Divide, -2, Ok(-3)),
        (TypeKind::Int, -7, Modulo, 2, Ok(-1)),
        (TypeKind::Int, 7, Divide, 0, Err(8134)),
        (TypeKind::Int, 7, Modulo, 0, Err(8134)),
        (TypeKind::BigInt, i64::MAX, Add, 1, Err(8115)),
        (TypeKind::BigInt, i64::MIN, Modulo, -1, Err(8115)),
        (TypeKind::BigInt, i64::MIN, Divide, -1, Err(8115)),
        (TypeKind::TinyInt, 200, Add, 56, Err(8115)),
        (TypeKind::TinyInt, 1, Subtract, 2, Err(8115)),
        (TypeKind::SmallInt, 300, Multiply, 300, Err(8115)),
        (TypeKind::Money, 15_000, Multiply, 15_000, Ok(22_500)),
        (TypeKind::Money, 1, Multiply, 5_000, Ok(1)),
        (TypeKind::Money, 1_000_000, Divide, 3_390_000, Ok(2_949)),
        (TypeKind::Money, i64::MAX, Multiply, 20_000, Err(8115)),
        (TypeKind::SmallMoney, i32::MAX as i64, Add, 1, Err(8115)),
        (TypeKind::DateTime, 0, Subtract, 60_000 * 25_920_000, Err(8115)),
        (TypeKind::DateTime, 25_920_000, Add, 150, Ok(25_920_150)),
        (TypeKind::Int, 6, BitXor, 3, Ok(5)),
    ];
    for (kind, a, op, b, expected) in cases {
        assert_eq!(apply_i64(*op, *kind, *a, *b).map_err(|error| error.number), *expected, "{kind:?} {a} {op:?} {b}");
    }
    let error = apply_i64(Add, TypeKind::Int, i32::MAX as i64, 1).unwrap_err();
    assert_eq!(error.text, "Arithmetic overflow error converting expression to data type int.");
    assert_eq!(negate_i64(TypeKind::BigInt, i64::MIN).unwrap_err().number, 8115);
    assert_eq!(
        (bit_not_i64(TypeKind::TinyInt, 1), bit_not_i64(TypeKind::Bit, 1), bit_not_i64(TypeKind::Int, 1)),
        (254, 0, -2)
    );
    assert_eq!(negate_type(&SqlType::BIT).unwrap_err().number, 8117);
    assert_eq!(negate_type(&SqlType::TINYINT), Ok(SqlType::SMALLINT));
}

#[test]
fn floats() {
    assert_eq!(apply_f64(Divide, TypeKind::Float, 1.0, 0.0).unwrap_err().number, 8134);
    assert_eq!(apply_f64(Multiply, TypeKind::Float, 1e200, 1e200).unwrap_err().number, 8115);
    assert_eq!(apply_f64(Multiply, TypeKind::Real, 1e20, 1e20).unwrap_err().number, 8115);
    assert_eq!(apply_f64(Add, TypeKind::Real, 0.1_f32 as f64, 0.2_f32 as f64), Ok((0.1_f32 + 0.2_f32) as f64));
}
