//! Constants: their text to their value.

use super::{P, Parser, T};
use crate::ast::{DecimalLiteral, Expr, Literal};
use crate::lex::unquote;
use ::types::sql_error;

const PRECISION_MAX: u32 = 38;

impl Parser<'_> {
    /// The current token is a constant.
    pub(super) fn literal(&mut self) -> P<Literal> {
        let text = self.token_text(self.token);
        let literal = match self.kind() {
            T::Integer => match text.parse::<i32>() {
                Ok(number) => Literal::Int(number),
                Err(_) => self.decimal(text)?,
            },
            T::Decimal => self.decimal(text)?,
            T::Float => self.float(text)?,
            T::Money => self.money(text)?,
            T::Binary => Literal::Binary(bytes(text)),
            T::String | T::DoubleQuoted => Literal::String { text: unquote(text), national: false },
            T::NationalString => Literal::String { text: unquote(text), national: true },
            _ => return Err(self.unexpected()),
        };
        self.bump();
        Ok(literal)
    }

    fn decimal(&self, text: &str) -> P<Literal> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let whole = whole.trim_start_matches('0');
        let digits = whole.len() + fraction.len();
        if digits > PRECISION_MAX as usize {
            return Err(sql_error!(1007, "number", text).at_line(self.token.line));
        }
        let unscaled =
            whole.bytes().chain(fraction.bytes()).fold(0i128, |sum, digit| sum * 10 + i128::from(digit - b'0'));
        let (precision, scale) = (digits.max(1) as u8, fraction.len() as u8);
        Ok(Literal::Decimal(Box::new(DecimalLiteral { unscaled, precision, scale })))
    }

    fn float(&self, text: &str) -> P<Literal> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        // Rust wants digits on a side of the point and behind the e, T-SQL does not.
        let exponent = if exponent.bytes().any(|byte| byte.is_ascii_digit()) { exponent } else { "0" };
        let value: f64 = format!("0{mantissa}e{exponent}").parse().unwrap_or(f64::INFINITY);
        if value.is_finite() {
            return Ok(Literal::Float(value));
        }
        Err(sql_error!(168, text, 8).at_line(self.token.line))
    }

    /// 1/10,000, rounded half away from zero.
    fn money(&self, text: &str) -> P<Literal> {
        let number = text.trim_start_matches(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '-' | '+'));
        let (negative, number) = match number.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, number.strip_prefix('+').unwrap_or(number)),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let mut value: i64 = 0;
        let places = fraction.bytes().chain(std::iter::repeat(b'0')).take(4);
        for digit in whole.bytes().chain(places) {
            let next = value.checked_mul(10).and_then(|value| value.checked_add(i64::from(digit - b'0')));
            value = next.ok_or_else(|| sql_error!(8115, "numeric", "money").at_line(self.token.line))?;
        }
        if fraction.as_bytes().get(4).is_some_and(|&digit| digit >= b'5') {
            value = value.saturating_add(1);
        }
        Ok(Literal::Money(if negative { -value } else { value }))
    }

    /// A string constant as text.
    pub(super) fn string(&mut self) -> P<Box<str>> {
        if !self.at_string() {
            return Err(self.unexpected());
        }
        let text = unquote(self.token_text(self.token));
        self.bump();
        Ok(text)
    }

    pub(super) fn string_expr(&mut self) -> P<Expr> {
        if self.at_string() { Ok(Expr::Literal(self.literal()?)) } else { Err(self.unexpected()) }
    }

    /// A string constant or a variable.
    pub(super) fn string_or_variable(&mut self) -> P<Expr> {
        if self.at(T::Variable) { Ok(Expr::Variable(self.variable()?)) } else { self.string_expr() }
    }

    pub(super) fn is_number(kind: T) -> bool {
        matches!(kind, T::Integer | T::Decimal | T::Float | T::Money)
    }

    /// A constant with its sign, a variable, or NULL: what stands where no expression may.
    pub(super) fn constant(&mut self) -> P<Expr> {
        use crate::ast::UnaryOp;
        use crate::keyword::Keyword as K;
        match self.kind() {
            T::Minus | T::Plus => {
                let op = if self.at(T::Minus) { UnaryOp::Minus } else { UnaryOp::Plus };
                self.bump();
                if !Self::is_number(self.token.kind) {
                    return Err(self.unexpected());
                }
                Ok(Expr::Unary(op, Box::new(Expr::Literal(self.literal()?))))
            }
            T::Variable => Ok(Expr::Variable(self.variable()?)),
            T::Global => Ok(self.global()),
            T::Word if self.at_word(K::NULL) => {
                self.bump();
                Ok(Expr::Literal(Literal::Null))
            }
            T::DoubleQuoted if self.quoted_identifier => Err(self.unexpected()),
            _ => Ok(Expr::Literal(self.literal()?)),
        }
    }
}

/// `0x123` is 01 23. A continued line's backslash and end of line are skipped.
fn bytes(text: &str) -> Box<[u8]> {
    let digits: Vec<u8> =
        text.bytes().skip(2).filter_map(|byte| (byte as char).to_digit(16)).map(|digit| digit as u8).collect();
    let (odd, pairs) = digits.split_at(digits.len() % 2);
    let pairs = pairs.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]);
    odd.iter().copied().chain(pairs).collect()
}
