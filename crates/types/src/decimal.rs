//! decimal(38): an unscaled `i128` below 10^38 in size; the scale is its type's. T-SQL's rules for the precision and scale
//! of results, rounding and overflow.
//!
//! Products and scaled dividends have up to 256 bits (`U256`). Addition, multiplication and rescaling round half away
//! from zero; division cuts off, as SQL Server does (2.0 / 3 is 0.666666).

use crate::error::{SqlError, SqlResult};
use crate::sql_error;
use crate::sql_type::SqlType;

pub const PRECISION_MAX: u8 = 38;
/// Every value is below this in size.
pub const LIMIT: i128 = POW10[38];

/// Powers of ten, 0 to 38.
pub const POW10: [i128; 39] = {
    let mut powers = [1; 39];
    let mut index = 1;
    while index < 39 {
        powers[index] = powers[index - 1] * 10;
        index += 1;
    }
    powers
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// Precision and scale of what the operation gives (the rules of decimal and numeric; both operands are decimals).
pub fn result_type(operation: Operation, left: &SqlType, right: &SqlType) -> SqlType {
    let (p1, s1) = (left.precision as i32, left.scale as i32);
    let (p2, s2) = (right.precision as i32, right.scale as i32);
    let integral = (p1 - s1).max(p2 - s2);
    match operation {
        Operation::Add | Operation::Subtract => {
            let scale = s1.max(s2);
            // The sum's carry is what gives way first, then the fraction.
            if scale + integral + 1 > 38 {
                numeric(38, scale.min(38 - integral))
            } else {
                numeric(scale + integral + 1, scale)
            }
        }
        Operation::Multiply => shrink(p1 + p2 + 1, s1 + s2),
        Operation::Divide => {
            let scale = (s1 + p2 + 1).max(6);
            shrink(p1 - s1 + s2 + scale, scale)
        }
        Operation::Modulo => {
            let scale = s1.max(s2);
            shrink((p1 - s1).min(p2 - s2) + scale, scale)
        }
    }
}

/// A type that holds the values of both: for CASE, COALESCE, UNION.
pub fn common_type(left: &SqlType, right: &SqlType) -> SqlType {
    let integral = (left.precision - left.scale).max(right.precision - right.scale) as i32;
    let scale = left.scale.max(right.scale) as i32;
    if integral + scale > 38 { numeric(38, scale.min(38 - integral)) } else { numeric(integral + scale, scale) }
}

/// A product's or quotient's type within 38 digits: the fraction shrinks, but not below 6 digits for the integral part.
fn shrink(precision: i32, scale: i32) -> SqlType {
    if precision <= 38 {
        return numeric(precision, scale);
    }
    let integral = precision - scale;
    numeric(38, (38 - integral).max(scale.min(6)))
}

fn numeric(precision: i32, scale: i32) -> SqlType {
    SqlType::decimal(precision.max(1) as u8, scale as u8)
}

/// 8115 of an operation whose result does not fit.
#[cold]
pub fn overflow() -> SqlError {
    sql_error!(8115, state 2, "expression", "numeric")
}

/// 8134.
#[cold]
pub fn divide_by_zero() -> SqlError {
    sql_error!(8134)
}

/// Words of four bytes that a magnitude takes, one at least.
pub fn words(magnitude: u128) -> usize {
    (magnitude.checked_ilog2().unwrap_or(0) / 32 + 1) as usize
}

#[inline]
pub fn fits(value: i128, precision: u8) -> bool {
    value.unsigned_abs() < POW10[precision as usize].unsigned_abs()
}

/// One operation between columns: scales are settled, values follow.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    operation: Operation,
    left_scale: u8,
    right_scale: u8,
    scale: u8,
    limit: i128,
}

impl Kernel {
    /// `result` is what `result_type` says, or a type that the binder has made of it.
    pub fn new(operation: Operation, left_scale: u8, right_scale: u8, result: &SqlType) -> Kernel {
        Kernel { operation, left_scale, right_scale, scale: result.scale, limit: POW10[result.precision as usize] }
    }

    #[inline]
    pub fn apply(&self, left: i128, right: i128) -> SqlResult<i128> {
        let result = match self.operation {
            Operation::Add => self.add(left, right),
            Operation::Subtract => self.add(left, -right),
            Operation::Multiply => self.multiply(left, right),
            Operation::Divide | Operation::Modulo if right == 0 => return Err(divide_by_zero()),
            Operation::Divide => self.divide(left, right),
            Operation::Modulo => self.modulo(left, right),
        };
        match result {
            Some(value) if value.unsigned_abs() < self.limit.unsigned_abs() => Ok(value),
            _ => Err(overflow()),
        }
    }

    /// The result may have fewer digits behind its point than the exact one. Quotients, few of
    /// which have an end, and what remains of a division are not asked.
    pub fn may_round(&self) -> bool {
        match self.operation {
            Operation::Add | Operation::Subtract => self.left_scale.max(self.right_scale) > self.scale,
            Operation::Multiply => self.left_scale + self.right_scale > self.scale,
            Operation::Divide | Operation::Modulo => false,
        }
    }

    /// 8115 of NUMERIC_ROUNDABORT.
    pub fn rounded(&self) -> SqlError {
        sql_error!(8115, state 7, "numeric", "numeric")
    }

    /// Whether it rounds with these operands.
    pub fn rounds(&self, left: i128, right: i128) -> bool {
        let common = self.left_scale.max(self.right_scale);
        let left_wide = Signed::product(left, POW10[(common - self.left_scale) as usize]);
        let right_wide = Signed::product(right, POW10[(common - self.right_scale) as usize]);
        let (exact, scale) = match self.operation {
            Operation::Add => (left_wide.add(right_wide), common),
            Operation::Subtract => (left_wide.add(Signed { negative: !right_wide.negative, ..right_wide }), common),
            Operation::Multiply => (Signed::product(left, right), self.left_scale + self.right_scale),
            Operation::Divide | Operation::Modulo => return false,
        };
        scale > self.scale && !exact.ends_in_zeros(scale - self.scale)
    }

    #[inline]
    fn add(&self, left: i128, right: i128) -> Option<i128> {
        let common = self.left_scale.max(self.right_scale);
        let left_wide = scaled_up(left, common - self.left_scale);
        let right_wide = scaled_up(right, common - self.right_scale);
        if let (Some(left), Some(right)) = (left_wide, right_wide)
            && let Some(sum) = left.checked_add(right)
        {
            return rescale(sum, common, self.scale);
        }
        let left = Signed::product(left, POW10[(common - self.left_scale) as usize]);
        let right = Signed::product(right, POW10[(common - self.right_scale) as usize]);
        left.add(right).divide_rounded(common.checked_sub(self.scale)?)
    }

    #[inline]
    fn multiply(&self, left: i128, right: i128) -> Option<i128> {
        let scale = self.left_scale + self.right_scale;
        if scale >= self.scale
            && let Some(product) = product(left, right)
        {
            return rescale_down(product, scale - self.scale);
        }
        let product = Signed::product(left, right);
        if scale >= self.scale {
            product.divide_rounded(scale - self.scale)
        } else {
            rescale(product.divide_rounded(0)?, scale, self.scale)
        }
    }

    #[inline]
    fn divide(&self, left: i128, right: i128) -> Option<i128> {
        let shift = self.scale as i32 + self.right_scale as i32 - self.left_scale as i32;
        if shift < 0 {
            // The result keeps fewer digits than the dividend has: cut them together with the remainder.
            let divisor = Signed::product(right, POW10[(-shift) as usize]);
            return Some(divisor.narrow().map_or(0, |divisor| left / divisor));
        }
        let shift = shift as usize;
        if shift <= 38
            && let Some(scaled) = left.checked_mul(POW10[shift])
        {
            return Some(scaled / right);
        }
        let negative = (left < 0) != (right < 0);
        let divisor = right.unsigned_abs();
        let first = shift.min(38);
        let (quotient, rest) = U256::product(left.unsigned_abs(), POW10[first] as u128).divide(divisor);
        let mut quotient = quotient.narrow()?;
        if shift > first {
            let more = POW10[shift - first] as u128;
            let (fraction, _) = U256::product(rest, more).divide(divisor);
            quotient = quotient.checked_mul(more)?.checked_add(fraction.narrow()?)?;
        }
        let quotient = i128::try_from(quotient).ok()?;
        Some(if negative { -quotient } else { quotient })
    }

    fn modulo(&self, left: i128, right: i128) -> Option<i128> {
        let common = self.left_scale.max(self.right_scale);
        let right = match right.checked_mul(POW10[(common - self.right_scale) as usize]) {
            Some(right) => right,
            // The divisor is larger than any dividend.
            None => return rescale(left, self.left_scale, self.scale),
        };
        let (_, rest) = U256::product(left.unsigned_abs(), POW10[(common - self.left_scale) as usize] as u128)
            .divide(right.unsigned_abs());
        let rest = i128::try_from(rest).ok()?;
        rescale(if left < 0 { -rest } else { rest }, common, self.scale)
    }
}

/// The value at another scale, rounded half away from zero. None: it has more than 38 digits then.
#[inline]
pub fn rescale(value: i128, from: u8, to: u8) -> Option<i128> {
    if to >= from {
        if to == from {
            return Some(value);
        }
        let scaled = value.checked_mul(POW10[(to - from) as usize])?;
        return (scaled.unsigned_abs() < LIMIT.unsigned_abs()).then_some(scaled);
    }
    rescale_down(value, from - to)
}

/// Whether `rescale` would round.
pub fn loses_digits(value: i128, from: u8, to: u8) -> bool {
    from > to && value % POW10[usize::from(from - to)] != 0
}

/// Most values fit 64 bits: one multiplication, and nothing to check.
#[inline]
fn product(left: i128, right: i128) -> Option<i128> {
    match (i64::try_from(left), i64::try_from(right)) {
        (Ok(left), Ok(right)) => Some(i128::from(left) * i128::from(right)),
        _ => left.checked_mul(right),
    }
}

/// None: too large for 128 bits.
#[inline]
fn scaled_up(value: i128, digits: u8) -> Option<i128> {
    if digits == 0 { Some(value) } else { product(value, POW10[usize::from(digits)]) }
}

/// Divides by 10^digits, rounding half away from zero.
#[inline]
pub fn rescale_down(value: i128, digits: u8) -> Option<i128> {
    if digits == 0 {
        return Some(value);
    }
    if digits > 38 {
        return Some(0);
    }
    let divisor = POW10[digits as usize];
    let (quotient, rest) = (value / divisor, value % divisor);
    // The double of less than 10^38 fits 128 bits without a sign, and not those with one.
    if rest.unsigned_abs() * 2 >= divisor.unsigned_abs() { Some(quotient + value.signum()) } else { Some(quotient) }
}

/// Converts a decimal between types: another scale and precision. None: 8115.
#[inline]
pub fn convert(value: i128, from: &SqlType, to: &SqlType) -> Option<i128> {
    rescale(value, from.scale, to.scale).filter(|&value| fits(value, to.precision))
}

/// ROUND(value, digits) at the value's own scale; `truncate` cuts instead. `digits` may be negative.
pub fn round(value: i128, scale: u8, digits: i32, truncate: bool) -> Option<i128> {
    if digits >= scale as i32 {
        return Some(value);
    }
    let cut = scale as i64 - digits as i64;
    if cut > 38 {
        return Some(0);
    }
    let power = POW10[cut as usize];
    let kept = if truncate { value / power } else { rescale_down(value, cut as u8)? };
    kept.checked_mul(power).filter(|value| value.unsigned_abs() < LIMIT.unsigned_abs())
}

/// Largest integer not above the value, at scale 0.
pub fn floor(value: i128, scale: u8) -> i128 {
    value.div_euclid(POW10[scale as usize])
}

pub fn ceiling(value: i128, scale: u8) -> i128 {
    -(-value).div_euclid(POW10[scale as usize])
}

/// Exactly what the binary number is, rounded at `scale`. None: it does not fit 38 digits (or is no number).
pub fn from_f64(value: f64, scale: u8) -> Option<i128> {
    if !value.is_finite() {
        return None;
    }
    let bits = value.to_bits();
    let biased = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    let product = U256::product(mantissa as u128, POW10[scale as usize] as u128);
    let magnitude = if exponent >= 0 {
        product.shift_left(exponent as u32)?
    } else {
        product.shift_right_rounded(exponent.unsigned_abs())
    };
    let magnitude = i128::try_from(magnitude.narrow()?).ok()?;
    let signed = if value < 0.0 { -magnitude } else { magnitude };
    (magnitude < LIMIT).then_some(signed)
}

/// The nearest double.
pub fn to_f64(value: i128, scale: u8) -> f64 {
    // Both exact below 2^53 and 10^22: the one division rounds correctly.
    if value.unsigned_abs() < 1 << 53 && scale <= 22 {
        return value as f64 / POW10[scale as usize] as f64;
    }
    let mut text = String::with_capacity(42);
    push_text(value, scale, &mut text);
    text.parse().expect("digits with a point are a number")
}

/// Appends `-123.45`: all digits of the scale, `0` before a point.
pub fn push_text(value: i128, scale: u8, out: &mut String) {
    let mut digits = [0; 40];
    let mut at = digits.len();
    let mut rest = value.unsigned_abs();
    // Two halves of 64 bits divide much faster than one of 128.
    while rest > u64::MAX as u128 {
        let low = (rest % 1_000_000_000_000_000_000) as u64;
        rest /= 1_000_000_000_000_000_000;
        push_digits(low, 18, &mut digits, &mut at);
    }
    push_digits(rest as u64, 1, &mut digits, &mut at);
    while digits.len() - at <= scale as usize {
        at -= 1;
        digits[at] = b'0';
    }
    if value < 0 {
        out.push('-');
    }
    let split = digits.len() - scale as usize;
    let ascii = |bytes: &[u8], out: &mut String| bytes.iter().for_each(|&digit| out.push(digit as char));
    ascii(&digits[at..split], out);
    if scale > 0 {
        out.push('.');
        ascii(&digits[split..], out);
    }
}

fn push_digits(mut value: u64, least: usize, digits: &mut [u8; 40], at: &mut usize) {
    let end = *at;
    while value > 0 || end - *at < least {
        *at -= 1;
        digits[*at] = b'0' + (value % 10) as u8;
        value /= 10;
    }
}

/// What a text of digits is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParseError {
    /// Not a decimal number.
    Syntax,
    /// More than 38 digits before the point.
    Overflow,
}

/// A number without exponent, blanks around it allowed: unscaled value, precision, scale. Fraction digits beyond 38 in
/// all are rounded away.
pub fn parse(text: &[u8]) -> Result<(i128, u8, u8), ParseError> {
    let text = text.trim_ascii();
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let mut value: i128 = 0;
    let (mut precision, mut scale) = (0_u8, 0_u8);
    let (mut point, mut any, mut round_up, mut full) = (false, false, false, false);
    for &c in digits {
        match c {
            b'0'..=b'9' => {
                any = true;
                let digit = (c - b'0') as i128;
                if full || precision == PRECISION_MAX {
                    if !point {
                        return Err(ParseError::Overflow);
                    }
                    if !full {
                        round_up = digit >= 5;
                        full = true;
                    }
                    continue;
                }
                value = value * 10 + digit;
                // Zeros in front are no digits of the precision.
                precision += (value != 0 || point) as u8;
                scale += point as u8;
            }
            b'.' if !point => point = true,
            _ => return Err(ParseError::Syntax),
        }
    }
    if !any {
        return Err(ParseError::Syntax);
    }
    if round_up {
        value += 1;
        if value >= LIMIT {
            return Err(ParseError::Overflow);
        }
    }
    Ok((if negative { -value } else { value }, precision.max(1), scale))
}

/// 256 bits without sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct U256 {
    high: u128,
    low: u128,
}

const LOW64: u128 = u64::MAX as u128;

impl U256 {
    fn product(a: u128, b: u128) -> U256 {
        let (a1, a0, b1, b0) = (a >> 64, a & LOW64, b >> 64, b & LOW64);
        let low = a0 * b0;
        let middle = a1 * b0 + (low >> 64);
        let cross = a0 * b1 + (middle & LOW64);
        U256 { high: a1 * b1 + (middle >> 64) + (cross >> 64), low: cross << 64 | low & LOW64 }
    }

    fn narrow(self) -> Option<u128> {
        (self.high == 0).then_some(self.low)
    }

    fn shift_left(self, bits: u32) -> Option<U256> {
        match bits {
            0 => Some(self),
            1..128 => {
                let high = self.high << bits | self.low >> (128 - bits);
                (self.high.leading_zeros() >= bits).then_some(U256 { high, low: self.low << bits })
            }
            128..256 if self.high == 0 && self.low.leading_zeros() >= bits - 128 => {
                Some(U256 { high: self.low << (bits - 128), low: 0 })
            }
            _ if self.high == 0 && self.low == 0 => Some(self),
            _ => None,
        }
    }

    /// Halves are rounded up.
    fn shift_right_rounded(self, bits: u32) -> U256 {
        if bits == 0 {
            return self;
        }
        let before = self.shift_right(bits - 1);
        let round = before.low & 1;
        let after = before.shift_right(1);
        // A value shifted right is far from the top: the carry fits.
        let (low, carry) = after.low.overflowing_add(round);
        U256 { high: after.high + carry as u128, low }
    }

    fn shift_right(self, bits: u32) -> U256 {
        match bits {
            0 => self,
            1..128 => U256 { high: self.high >> bits, low: self.low >> bits | self.high << (128 - bits) },
            128..256 => U256 { high: 0, low: self.high >> (bits - 128) },
            _ => U256 { high: 0, low: 0 },
        }
    }

    /// Quotient and remainder. Knuth's algorithm D with limbs of 64 bits.
    fn divide(self, divisor: u128) -> (U256, u128) {
        assert!(divisor != 0, "the caller has raised 8134");
        if self.high == 0 {
            return (U256 { high: 0, low: self.low / divisor }, self.low % divisor);
        }
        let limbs = [self.low as u64, (self.low >> 64) as u64, self.high as u64, (self.high >> 64) as u64];
        if divisor <= LOW64 {
            let mut quotient = [0_u64; 4];
            let mut rest = 0_u128;
            for index in (0..4).rev() {
                let part = rest << 64 | limbs[index] as u128;
                quotient[index] = (part / divisor) as u64;
                rest = part % divisor;
            }
            return (U256::from_limbs(quotient), rest);
        }
        let shift = divisor.leading_zeros();
        let divisor = divisor << shift;
        let (d1, d0) = (divisor >> 64, divisor & LOW64);
        // The dividend shifted alike has a fifth limb.
        let mut part = [0_u64; 5];
        for index in 0..4 {
            part[index] |= limbs[index] << shift;
            if shift > 0 {
                part[index + 1] = limbs[index] >> (64 - shift);
            }
        }
        let mut quotient = [0_u64; 4];
        for index in (0..3).rev() {
            let top = (part[index + 2] as u128) << 64 | part[index + 1] as u128;
            let (mut guess, mut rest) = (top / d1, top % d1);
            while guess > LOW64 || guess * d0 > (rest << 64 | part[index] as u128) {
                guess -= 1;
                rest += d1;
                if rest > LOW64 {
                    break;
                }
            }
            // part[index..index + 3] -= guess * divisor: never below zero after the correction above, which is exact
            // for a divisor of two limbs.
            let product = U256::product(guess, divisor);
            let current =
                U256 { high: part[index + 2] as u128, low: (part[index + 1] as u128) << 64 | part[index] as u128 };
            let (low, borrow) = current.low.overflowing_sub(product.low);
            let high = current.high.wrapping_sub(product.high).wrapping_sub(borrow as u128);
            assert!(high == 0, "the remainder has two limbs");
            part[index] = low as u64;
            part[index + 1] = (low >> 64) as u64;
            part[index + 2] = 0;
            quotient[index] = guess as u64;
        }
        let rest = (part[1] as u128) << 64 | part[0] as u128;
        (U256::from_limbs(quotient), rest >> shift)
    }

    fn from_limbs(limbs: [u64; 4]) -> U256 {
        U256 { high: (limbs[3] as u128) << 64 | limbs[2] as u128, low: (limbs[1] as u128) << 64 | limbs[0] as u128 }
    }
}

/// 256 bits with a sign.
#[derive(Debug, Clone, Copy)]
struct Signed {
    negative: bool,
    magnitude: U256,
}

impl Signed {
    fn product(a: i128, b: i128) -> Signed {
        Signed { negative: (a < 0) != (b < 0), magnitude: U256::product(a.unsigned_abs(), b.unsigned_abs()) }
    }

    fn add(self, other: Signed) -> Signed {
        let (a, b) = (self.magnitude, other.magnitude);
        if self.negative == other.negative {
            // Both are below 10^76, so the sum is below 2^256.
            let (low, carry) = a.low.overflowing_add(b.low);
            return Signed { negative: self.negative, magnitude: U256 { high: a.high + b.high + carry as u128, low } };
        }
        let (larger, smaller, negative) =
            if (a.high, a.low) >= (b.high, b.low) { (a, b, self.negative) } else { (b, a, other.negative) };
        let (low, borrow) = larger.low.overflowing_sub(smaller.low);
        Signed { negative, magnitude: U256 { high: larger.high - smaller.high - borrow as u128, low } }
    }

    fn narrow(self) -> Option<i128> {
        let magnitude = i128::try_from(self.magnitude.narrow()?).ok()?;
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// It is a multiple of 10^digits.
    fn ends_in_zeros(self, digits: u8) -> bool {
        let first = digits.min(38);
        let (rest, cut) = self.magnitude.divide(POW10[first as usize] as u128);
        cut == 0 && rest.divide(POW10[(digits - first) as usize] as u128).1 == 0
    }

    /// Divides by 10^digits, half away from zero. None: the quotient has more than 38 digits.
    fn divide_rounded(self, digits: u8) -> Option<i128> {
        let mut magnitude = self.magnitude;
        let mut digits = digits as usize;
        // More than 38 digits go in two steps; the first only cuts, which cannot turn a half into less than a half.
        if digits > 38 {
            (magnitude, digits) = (magnitude.divide(POW10[digits - 38] as u128).0, 38);
        }
        let divisor = POW10[digits] as u128;
        let (quotient, rest) = magnitude.divide(divisor);
        let round = digits > 0 && rest >= divisor - rest;
        let value = i128::try_from(quotient.narrow()?).ok()?.checked_add(round as i128)?;
        Some(if self.negative { -value } else { value })
    }
}
