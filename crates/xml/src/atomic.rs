//! Atomic values: their types, how they compare, convert and show.
//!
//! Exact numbers are numeric(38, 10), as SQL Server's XQuery has them: integers have all their digits, decimals ten behind the point.

use std::cmp::Ordering;

/// What a type's values are. Subtypes of xs:integer and xs:string differ by their names only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    Untyped,
    Text,
    Boolean,
    Integer,
    Decimal,
    Float,
    Double,
    Moment,
    Other,
}

/// An atomic type by its name, as messages have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtomicType {
    pub name: &'static str,
    pub base: Base,
}

const fn atomic(name: &'static str, base: Base) -> AtomicType {
    AtomicType { name, base }
}

impl AtomicType {
    pub const UNTYPED: AtomicType = atomic("xdt:untypedAtomic", Base::Untyped);
    pub const STRING: AtomicType = atomic("xs:string", Base::Text);
    pub const BOOLEAN: AtomicType = atomic("xs:boolean", Base::Boolean);
    pub const INTEGER: AtomicType = atomic("xs:integer", Base::Integer);
    pub const DECIMAL: AtomicType = atomic("xs:decimal", Base::Decimal);
    pub const FLOAT: AtomicType = atomic("xs:float", Base::Float);
    pub const DOUBLE: AtomicType = atomic("xs:double", Base::Double);

    /// A type of the xs namespace.
    pub fn find(local: &str) -> Option<AtomicType> {
        TYPES.iter().find(|ty| &ty.name[3..] == local).copied()
    }

    pub fn is_numeric(self) -> bool {
        matches!(self.base, Base::Integer | Base::Decimal | Base::Float | Base::Double)
    }
}

const TYPES: &[AtomicType] = &[
    AtomicType::STRING,
    AtomicType::BOOLEAN,
    AtomicType::INTEGER,
    AtomicType::DECIMAL,
    AtomicType::FLOAT,
    AtomicType::DOUBLE,
    atomic("xs:long", Base::Integer),
    atomic("xs:int", Base::Integer),
    atomic("xs:short", Base::Integer),
    atomic("xs:byte", Base::Integer),
    atomic("xs:unsignedLong", Base::Integer),
    atomic("xs:unsignedInt", Base::Integer),
    atomic("xs:unsignedShort", Base::Integer),
    atomic("xs:unsignedByte", Base::Integer),
    atomic("xs:nonNegativeInteger", Base::Integer),
    atomic("xs:positiveInteger", Base::Integer),
    atomic("xs:nonPositiveInteger", Base::Integer),
    atomic("xs:negativeInteger", Base::Integer),
    atomic("xs:normalizedString", Base::Text),
    atomic("xs:token", Base::Text),
    atomic("xs:language", Base::Text),
    atomic("xs:Name", Base::Text),
    atomic("xs:NCName", Base::Text),
    atomic("xs:ID", Base::Text),
    atomic("xs:IDREF", Base::Text),
    atomic("xs:ENTITY", Base::Text),
    atomic("xs:anyURI", Base::Text),
    atomic("xs:dateTime", Base::Moment),
    atomic("xs:date", Base::Moment),
    atomic("xs:time", Base::Moment),
    atomic("xs:gYearMonth", Base::Moment),
    atomic("xs:gYear", Base::Moment),
    atomic("xs:gMonthDay", Base::Moment),
    atomic("xs:gDay", Base::Moment),
    atomic("xs:gMonth", Base::Moment),
    atomic("xs:duration", Base::Moment),
    atomic("xs:base64Binary", Base::Other),
    atomic("xs:hexBinary", Base::Other),
];

/// Digits behind the point of an exact number.
const SCALE: u32 = 10;
pub const FRACTION_DIGITS_MAX: usize = SCALE as usize;
pub const ONE: i128 = 10_i128.pow(SCALE);
/// Exact numbers are below it: 28 digits before the point.
const DECIMAL_MAX: u128 = 10_u128.pow(38);

#[derive(Debug, Clone, PartialEq)]
pub enum Atomic {
    Untyped(Box<str>),
    Text(Box<str>),
    Boolean(bool),
    Integer(i128),
    /// In units of 10^-10.
    Decimal(i128),
    Float(f64),
    Double(f64),
    /// A value of another type in its own spelling.
    Typed(AtomicType, Box<str>),
}

impl Atomic {
    pub fn text(text: impl Into<Box<str>>) -> Atomic {
        Atomic::Text(text.into())
    }

    /// `unscaled` in units of 10^-`scale`. None: it does not fit.
    pub fn decimal(unscaled: i128, scale: u32) -> Option<Atomic> {
        let scaled = match scale.checked_sub(SCALE) {
            Some(more) => round_divide(unscaled, 10_i128.checked_pow(more)?),
            None => unscaled.checked_mul(10_i128.pow(SCALE - scale))?,
        };
        (scaled.unsigned_abs() < DECIMAL_MAX).then_some(Atomic::Decimal(scaled))
    }

    pub fn base(&self) -> Base {
        match self {
            Atomic::Untyped(_) => Base::Untyped,
            Atomic::Text(_) => Base::Text,
            Atomic::Boolean(_) => Base::Boolean,
            Atomic::Integer(_) => Base::Integer,
            Atomic::Decimal(_) => Base::Decimal,
            Atomic::Float(_) => Base::Float,
            Atomic::Double(_) => Base::Double,
            Atomic::Typed(ty, _) => ty.base,
        }
    }

    pub fn is_numeric(&self) -> bool {
        matches!(self.base(), Base::Integer | Base::Decimal | Base::Float | Base::Double)
    }

    /// As fn:string shows it.
    pub fn show(&self) -> String {
        match self {
            Atomic::Untyped(text) | Atomic::Text(text) | Atomic::Typed(_, text) => text.to_string(),
            Atomic::Boolean(value) => value.to_string(),
            Atomic::Integer(value) => value.to_string(),
            Atomic::Decimal(value) => show_decimal(*value),
            Atomic::Float(value) => show_number(*value, true),
            Atomic::Double(value) => show_number(*value, false),
        }
    }

    /// As `show`, where the value is not wanted any more.
    pub fn into_shown(self) -> String {
        match self {
            Atomic::Untyped(text) | Atomic::Text(text) | Atomic::Typed(_, text) => text.into(),
            value => value.show(),
        }
    }

    /// As a number, if it is one or says one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Atomic::Untyped(text) | Atomic::Text(text) => parse_double(text),
            Atomic::Boolean(value) => Some(f64::from(u8::from(*value))),
            Atomic::Integer(value) => Some(*value as f64),
            Atomic::Decimal(value) => Some(decimal_to_double(*value)),
            Atomic::Float(value) | Atomic::Double(value) => Some(*value),
            Atomic::Typed(..) => None,
        }
    }

    /// Integers and decimals in units of 10^-10.
    fn exact(&self) -> Option<i128> {
        match self {
            Atomic::Integer(value) => value.checked_mul(ONE),
            Atomic::Decimal(value) => Some(*value),
            _ => None,
        }
    }

    /// As numbers, truths or texts. None: they do not compare, a value that is no number with a number.
    pub fn compare(&self, other: &Atomic) -> Option<Ordering> {
        use Atomic::*;
        if let (Some(a), Some(b)) = (self.exact(), other.exact()) {
            return Some(a.cmp(&b));
        }
        if self.is_numeric() || other.is_numeric() {
            return self.number()?.partial_cmp(&other.number()?);
        }
        match (self, other) {
            (Boolean(a), Boolean(b)) => Some(a.cmp(b)),
            (Boolean(a), Untyped(b)) => Some(a.cmp(&parse_boolean(b)?)),
            (Untyped(a), Boolean(b)) => Some(parse_boolean(a)?.cmp(b)),
            (Untyped(a) | Text(a) | Typed(_, a), Untyped(b) | Text(b) | Typed(_, b)) => Some(a.cmp(b)),
            _ => None,
        }
    }
}

pub fn parse_boolean(text: &str) -> Option<bool> {
    match text.trim() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// As xs:double is written.
pub fn parse_double(text: &str) -> Option<f64> {
    let text = text.trim();
    match text {
        "INF" => return Some(f64::INFINITY),
        "-INF" => return Some(f64::NEG_INFINITY),
        _ => {}
    }
    let plain = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if plain { text.parse().ok() } else { None }
}

/// As xs:integer is written.
pub fn parse_integer(text: &str) -> Option<i128> {
    let text = text.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// Digits behind the tenth are rounded.
pub fn parse_decimal(text: &str) -> Option<Atomic> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() && part.is_empty() || !all_digits(whole) || !all_digits(part) {
        return None;
    }
    let part = &part[..part.len().min(SCALE as usize + 1)];
    let whole = whole.trim_start_matches('0');
    if whole.len() > 28 {
        return None;
    }
    let number: i128 = if whole.is_empty() && part.is_empty() { 0 } else { format!("{whole}{part}").parse().ok()? };
    Atomic::decimal(if negative { -number } else { number }, part.len() as u32)
}

/// Half away from zero.
fn round_divide(value: i128, by: i128) -> i128 {
    let (whole, rest) = (value / by, value % by);
    if rest.abs() * 2 >= by { whole + value.signum() } else { whole }
}

fn decimal_to_double(value: i128) -> f64 {
    show_decimal(value).parse().expect("digits are a number")
}

pub fn double_to_decimal(value: f64) -> Option<Atomic> {
    if !value.is_finite() || value.abs() >= 1e28 {
        return None;
    }
    parse_decimal(&format!("{value:.11}"))
}

fn show_decimal(value: i128) -> String {
    let (whole, part) = (value.unsigned_abs() / ONE as u128, value.unsigned_abs() % ONE as u128);
    let sign = if value < 0 { "-" } else { "" };
    if part == 0 {
        return format!("{sign}{whole}");
    }
    let part = format!("{part:010}");
    format!("{sign}{whole}.{}", part.trim_end_matches('0'))
}

/// An xs:float if `single`, else an xs:double.
pub fn show_number(value: f64, single: bool) -> String {
    show_float(value, if single { 7 } else { 15 })
}

/// Plain from 10^-6 to below 10^6, else with an exponent; so many significant digits at most.
fn show_float(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "INF" } else { "-INF" }.into();
    }
    if value == 0.0 {
        return if value.is_sign_negative() { "-0.0E0" } else { "0.0E0" }.into();
    }
    let written = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = written.split_once('e').expect("it has an exponent");
    let exponent: i32 = exponent.parse().expect("it is a number");
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let figures: String = mantissa.chars().filter(|c| *c != '.').collect();
    let figures = figures.trim_end_matches('0');
    if (-6..6).contains(&exponent) {
        let plain = if exponent < 0 {
            format!("0.{}{figures}", "0".repeat((-exponent - 1) as usize))
        } else {
            let point = exponent as usize + 1;
            match figures.len() > point {
                true => format!("{}.{}", &figures[..point], &figures[point..]),
                false => format!("{figures}{}", "0".repeat(point - figures.len())),
            }
        };
        return format!("{sign}{plain}");
    }
    let part = if figures.len() > 1 { &figures[1..] } else { "0" };
    format!("{sign}{}.{part}E{exponent}", &figures[..1])
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// The type of a result: the wider one of both, untyped values being xs:double, and xs:decimal of a quotient of integers.
pub fn arithmetic_base(op: Arithmetic, a: Base, b: Base) -> Base {
    let rank = |base| match base {
        Base::Integer => 0,
        Base::Decimal => 1,
        Base::Float => 2,
        _ => 3,
    };
    match rank(a).max(rank(b)) {
        0 if op == Arithmetic::Divide => Base::Decimal,
        0 => Base::Integer,
        1 => Base::Decimal,
        2 => Base::Float,
        _ => Base::Double,
    }
}

/// None: an operand is no number, the result does not fit, or an exact divisor is 0.
pub fn arithmetic(op: Arithmetic, a: &Atomic, b: &Atomic) -> Option<Atomic> {
    let base = arithmetic_base(op, a.base(), b.base());
    if let (Base::Integer, Atomic::Integer(a), Atomic::Integer(b)) = (base, a, b) {
        let value = match op {
            Arithmetic::Add => a.checked_add(*b)?,
            Arithmetic::Subtract => a.checked_sub(*b)?,
            Arithmetic::Multiply => a.checked_mul(*b)?,
            Arithmetic::Modulo => a.checked_rem(*b)?,
            Arithmetic::Divide => unreachable!("a quotient is a decimal"),
        };
        return (value.unsigned_abs() < DECIMAL_MAX).then_some(Atomic::Integer(value));
    }
    if base == Base::Decimal {
        let (a, b) = (a.exact()?, b.exact()?);
        let value = match op {
            Arithmetic::Add => a.checked_add(b)?,
            Arithmetic::Subtract => a.checked_sub(b)?,
            Arithmetic::Multiply => return multiply(a, b),
            Arithmetic::Modulo => a.checked_rem(b)?,
            Arithmetic::Divide => return divide(a, b),
        };
        return (value.unsigned_abs() < DECIMAL_MAX).then_some(Atomic::Decimal(value));
    }
    let (a, b) = (a.number()?, b.number()?);
    let value = match op {
        Arithmetic::Add => a + b,
        Arithmetic::Subtract => a - b,
        Arithmetic::Multiply => a * b,
        Arithmetic::Divide => a / b,
        Arithmetic::Modulo => a % b,
    };
    if !value.is_finite() {
        return None;
    }
    Some(if base == Base::Float { Atomic::Float(f64::from(value as f32)) } else { Atomic::Double(value) })
}

/// Six digits behind the point, rounded.
fn multiply(a: i128, b: i128) -> Option<Atomic> {
    // Without the zeros at the end the product of most numbers fits.
    let reduced = |mut value: i128| {
        let mut scale = SCALE;
        while scale > 0 && value % 10 == 0 {
            (value, scale) = (value / 10, scale - 1);
        }
        (value, scale)
    };
    let ((a, a_scale), (b, b_scale)) = (reduced(a), reduced(b));
    let (product, scale) = (a.checked_mul(b)?, a_scale + b_scale);
    match scale.checked_sub(6) {
        Some(more) => Atomic::decimal(round_divide(product, 10_i128.pow(more)), 6),
        None => Atomic::decimal(product, scale),
    }
}

/// Six digits behind the point, cut off.
fn divide(a: i128, b: i128) -> Option<Atomic> {
    if b == 0 {
        return None;
    }
    let quotient = match a.checked_mul(1_000_000) {
        Some(scaled) => scaled / b,
        None => (a / b).checked_mul(1_000_000)?,
    };
    Atomic::decimal(quotient, 6)
}

/// `round`, `floor` and `ceiling` keep the type of what they are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// Halves go up.
    Nearest,
    Down,
    Up,
}

/// None: it is no number.
pub fn round(how: Rounding, value: &Atomic) -> Option<Atomic> {
    let float = |value: f64| match how {
        Rounding::Nearest => (value + 0.5).floor(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
    };
    Some(match value {
        Atomic::Integer(_) => value.clone(),
        Atomic::Decimal(exact) => Atomic::Decimal(match how {
            Rounding::Nearest => (exact + ONE / 2).div_euclid(ONE) * ONE,
            Rounding::Down => exact.div_euclid(ONE) * ONE,
            Rounding::Up => -(-exact).div_euclid(ONE) * ONE,
        }),
        Atomic::Float(value) => Atomic::Float(float(*value)),
        value => Atomic::Double(float(value.number()?)),
    })
}

/// The mean; of integers a decimal cut to ten digits. None: no number.
pub fn mean(sum: &Atomic, count: usize) -> Option<Atomic> {
    match sum.exact() {
        Some(exact) => Some(Atomic::Decimal(exact / count as i128)),
        None => arithmetic(Arithmetic::Divide, sum, &Atomic::Integer(count as i128)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_show_as_fn_string_does() {
        for (value, shown) in [
            (1234568.0, "1.234568E6"),
            (0.5, "0.5"),
            (100.0, "100"),
            (999999.0, "999999"),
            (1e20, "1.0E20"),
            (5e-7, "5.0E-7"),
            (0.000001, "0.000001"),
            (-2.5, "-2.5"),
            (0.0, "0.0E0"),
        ] {
            assert_eq!(Atomic::Double(value).show(), shown);
        }
        assert_eq!(parse_decimal("1.50").map(|value| value.show()).as_deref(), Some("1.5"));
        assert_eq!(parse_decimal("-.5").map(|value| value.show()).as_deref(), Some("-0.5"));
    }

    #[test]
    fn exact_arithmetic_has_six_digits_behind_the_point() {
        let number = |text: &str| parse_decimal(text).expect("a number");
        let shown = |value: Option<Atomic>| value.map(|value| value.show());
        let two_thirds = arithmetic(Arithmetic::Divide, &Atomic::Integer(2), &Atomic::Integer(3));
        assert_eq!(shown(two_thirds).as_deref(), Some("0.666666"));
        let product = arithmetic(Arithmetic::Multiply, &number("1.23456789"), &number("1.1"));
        assert_eq!(shown(product).as_deref(), Some("1.358025"));
        assert_eq!(arithmetic(Arithmetic::Divide, &Atomic::Integer(1), &Atomic::Integer(0)), None);
        assert_eq!(shown(round(Rounding::Nearest, &number("-2.5"))).as_deref(), Some("-2"));
        assert_eq!(shown(round(Rounding::Up, &number("2.1"))).as_deref(), Some("3"));
    }
}
