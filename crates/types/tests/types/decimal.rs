//! Decimal arithmetic against 512-bit integers.

use i256::I512;
use proptest::prelude::*;
use types::SqlType;
use types::decimal::{self, Kernel, LIMIT, Operation, POW10, ParseError, result_type};

fn big(value: i128) -> I512 {
    I512::from_i128(value)
}

fn power(digits: u32) -> I512 {
    let mut result = big(1);
    for _ in 0..digits {
        result *= big(10);
    }
    result
}

/// Half away from zero.
fn divide_rounded(value: I512, divisor: I512) -> I512 {
    let (quotient, rest) = (value / divisor, value % divisor);
    let zero = big(0);
    let double = if rest < zero { -(rest + rest) } else { rest + rest };
    if double < divisor {
        quotient
    } else if value < zero {
        quotient - big(1)
    } else {
        quotient + big(1)
    }
}

fn narrow(value: I512, precision: u8) -> Option<i128> {
    let limit = big(POW10[precision as usize]);
    if value >= limit || value <= -limit { None } else { Some(value.as_i128()) }
}

/// The operation in 512 bits; None for 8115 and 8134.
fn oracle(operation: Operation, a: i128, s1: u8, b: i128, s2: u8, result: &SqlType) -> Option<i128> {
    let common = s1.max(s2);
    let wide = |value: i128, scale: u8| big(value) * power((common - scale) as u32);
    let exact = match operation {
        Operation::Add => divide_rounded(wide(a, s1) + wide(b, s2), power((common - result.scale) as u32)),
        Operation::Subtract => divide_rounded(wide(a, s1) - wide(b, s2), power((common - result.scale) as u32)),
        Operation::Multiply => divide_rounded(big(a) * big(b), power((s1 + s2 - result.scale) as u32)),
        Operation::Divide | Operation::Modulo if b == 0 => return None,
        Operation::Divide => {
            let shift = result.scale as i32 + s2 as i32 - s1 as i32;
            let (up, down) = (power(shift.max(0) as u32), power((-shift).max(0) as u32));
            big(a) * up / (big(b) * down)
        }
        Operation::Modulo => divide_rounded(wide(a, s1) % wide(b, s2), power((common - result.scale) as u32)),
    };
    narrow(exact, result.precision)
}

fn operand() -> impl Strategy<Value = (SqlType, i128)> {
    (1_u8..=38, 0_u8..=38, any::<i128>(), 0_u32..38).prop_map(|(precision, scale, value, shrink)| {
        let ty = SqlType::decimal(precision, scale.min(precision));
        (ty, value % POW10[precision as usize] / POW10[shrink.min(precision as u32) as usize])
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn arithmetic_agrees_with_512_bits((t1, a) in operand(), (t2, b) in operand(), which in 0_usize..5) {
        use Operation::*;
        let operation = [Add, Subtract, Multiply, Divide, Modulo][which];
        let result = result_type(operation, &t1, &t2);
        prop_assert!(result.precision <= 38 && result.scale <= result.precision, "{:?}", result);
        let value = Kernel::new(operation, t1.scale, t2.scale, &result).apply(a, b);
        let expected = oracle(operation, a, t1.scale, b, t2.scale, &result);
        prop_assert_eq!(value.clone().ok(), expected, "{:?} {:?} {:?}", operation, t1, t2);
        if expected.is_none() {
            prop_assert_eq!(value.unwrap_err().number, if b == 0 && which > 2 { 8134 } else { 8115 });
        }
    }

    #[test]
    fn text_round_trips((ty, value) in operand()) {
        let mut text = String::new();
        decimal::push_text(value, ty.scale, &mut text);
        let (again, _, scale) = decimal::parse(text.as_bytes()).unwrap();
        prop_assert_eq!((again, scale), (value, ty.scale));
        prop_assert_eq!(decimal::to_f64(value, ty.scale), text.parse::<f64>().unwrap());
    }

    #[test]
    fn doubles_are_taken_exactly(value in -1e20_f64..1e20, scale in 0_u8..10) {
        let exact = format!("{value:.*}", scale as usize);
        // `format!` rounds half to even, the kernel half away from zero: they differ only on exact halves.
        let (expected, _, _) = decimal::parse(exact.as_bytes()).unwrap();
        let result = decimal::from_f64(value, scale).unwrap();
        prop_assert!((result - expected).abs() <= 1);
        if (value * 2.0).fract() != 0.0 && scale == 0 {
            prop_assert_eq!(result, expected);
        }
    }
}

#[test]
fn result_types() {
    use Operation::*;
    // operation, operands, result: as SQL Server reports them.
    let cases: &[(Operation, (u8, u8), (u8, u8), (u8, u8))] = &[
        (Add, (5, 2), (7, 4), (8, 4)),
        (Add, (38, 10), (38, 10), (38, 10)),
        (Add, (38, 20), (38, 0), (38, 0)),
        (Subtract, (10, 0), (5, 5), (16, 5)),
        (Multiply, (5, 2), (5, 2), (11, 4)),
        (Multiply, (38, 10), (38, 10), (38, 6)),
        (Multiply, (38, 20), (20, 18), (38, 17)),
        (Multiply, (38, 4), (38, 0), (38, 4)),
        (Divide, (2, 1), (1, 0), (7, 6)),
        (Divide, (10, 2), (10, 2), (23, 13)),
        (Divide, (38, 10), (38, 10), (38, 6)),
        (Divide, (38, 0), (10, 0), (38, 6)),
        (Modulo, (10, 2), (5, 3), (5, 3)),
    ];
    for (operation, left, right, expected) in cases {
        let result = result_type(*operation, &SqlType::decimal(left.0, left.1), &SqlType::decimal(right.0, right.1));
        assert_eq!((result.precision, result.scale), *expected, "{operation:?} {left:?} {right:?}");
    }
}

#[test]
fn all_digits_are_rounded_away() {
    for (value, expected) in [(POW10[37] * 5 - 1, 0), (POW10[37] * 5, 1), (LIMIT - 1, 1), (1 - LIMIT, -1)] {
        assert_eq!(decimal::rescale_down(value, 38), Some(expected), "{value}");
    }
}

#[test]
fn quotients_are_cut_and_products_rounded() {
    let kernel = |operation, left: (u8, u8), right: (u8, u8)| {
        let (left, right) = (SqlType::decimal(left.0, left.1), SqlType::decimal(right.0, right.1));
        Kernel::new(operation, left.scale, right.scale, &result_type(operation, &left, &right))
    };
    assert_eq!(kernel(Operation::Divide, (2, 1), (1, 0)).apply(20, 3), Ok(6_666_666 / 10));
    assert_eq!(kernel(Operation::Divide, (2, 1), (1, 0)).apply(-20, 3), Ok(-666_666));
    // 0.5 * 10^-20 at scale 6
    assert_eq!(kernel(Operation::Multiply, (38, 20), (38, 20)).apply(POW10[20], 5 * POW10[13]), Ok(1));
    assert_eq!(kernel(Operation::Multiply, (38, 0), (2, 0)).apply(LIMIT - 1, 10).unwrap_err().number, 8115);
    assert_eq!(kernel(Operation::Modulo, (5, 2), (5, 2)).apply(-755, 200), Ok(-155));
}

#[test]
fn texts_that_are_numbers_and_not() {
    let cases: &[(&str, Result<(i128, u8, u8), ParseError>)] = &[
        ("0", Ok((0, 1, 0))),
        (" -12.50 ", Ok((-1250, 4, 2))),
        ("+.05", Ok((5, 2, 2))),
        ("007.5", Ok((75, 2, 1))),
        ("5.", Ok((5, 1, 0))),
        ("99999999999999999999999999999999999999", Ok((LIMIT - 1, 38, 0))),
        ("100000000000000000000000000000000000000", Err(ParseError::Overflow)),
        ("0.123456789012345678901234567890123456785", Ok((12345678901234567890123456789012345679, 38, 38))),
        ("1.99999999999999999999999999999999999999", Ok((2 * POW10[37], 38, 37))),
        ("", Err(ParseError::Syntax)),
        (".", Err(ParseError::Syntax)),
        ("1e5", Err(ParseError::Syntax)),
        ("1 2", Err(ParseError::Syntax)),
        ("--1", Err(ParseError::Syntax)),
        ("1.2.3", Err(ParseError::Syntax)),
    ];
    for (text, expected) in cases {
        assert_eq!(decimal::parse(text.as_bytes()), *expected, "{text:?}");
    }
}

#[test]
fn rounding_functions() {
    // value, scale, digits, truncate, result
    let cases = [
        (12345, 2, 1, false, Some(12350)),
        (12344, 2, 1, false, Some(12340)),
        (-12345, 2, 1, false, Some(-12350)),
        (12345, 2, 1, true, Some(12340)),
        (12345, 2, -2, false, Some(10000)),
        (15000, 2, -2, false, Some(20000)),
        (12345, 2, 5, false, Some(12345)),
        (12345, 2, -9, false, Some(0)),
        (12345, 2, i32::MIN, false, Some(0)),
        (LIMIT - 1, 0, -37, false, None),
    ];
    for (value, scale, digits, truncate, expected) in cases {
        assert_eq!(decimal::round(value, scale, digits, truncate), expected, "{value} {scale} {digits}");
    }
    assert_eq!((decimal::floor(-150, 2), decimal::ceiling(-150, 2)), (-2, -1));
    assert_eq!((decimal::floor(150, 2), decimal::ceiling(150, 2)), (1, 2));
}
