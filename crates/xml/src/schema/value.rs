//! Values of simple types: read from their text, compared for facets, and written in SQL Server's canonical form.

use std::cmp::Ordering;

use super::builtin::{Primitive, Token};
use super::component::WhiteSpace;
use super::moment::{Duration, Moment};
use crate::atomic::{Atomic, FRACTION_DIGITS_MAX, parse_decimal, parse_double, parse_integer, show_number};

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(Box<str>),
    Boolean(bool),
    /// xs:decimal and its kind.
    Exact(Atomic),
    Float(f64),
    Double(f64),
    Duration(Duration),
    Moment(Moment),
    /// In base 64 if so, else in hexadecimal digits.
    Bytes(Box<[u8]>, bool),
    List(Vec<Value>),
}

impl Value {
    /// None: the text, its white space as the type has it, is no value of the type.
    pub fn parse(primitive: Primitive, text: &str) -> Option<Value> {
        Some(match primitive {
            Primitive::Text | Primitive::QName => Value::Text(text.into()),
            Primitive::Token(token) => {
                if !is_token(token, text) {
                    return None;
                }
                Value::Text(text.into())
            }
            Primitive::Boolean => match text {
                "true" | "1" => Value::Boolean(true),
                "false" | "0" => Value::Boolean(false),
                _ => return None,
            },
            Primitive::Decimal => {
                let part = text.split_once('.').map_or("", |(_, part)| part.trim_end_matches('0'));
                if part.len() > FRACTION_DIGITS_MAX {
                    return None;
                }
                Value::Exact(parse_decimal(text)?)
            }
            Primitive::Integer(least, most) => {
                let value = parse_integer(text)?;
                if least.is_some_and(|least| value < least) || most.is_some_and(|most| value > most) {
                    return None;
                }
                Value::Exact(Atomic::Integer(value))
            }
            Primitive::Float => Value::Float(f64::from(double(text)? as f32)),
            Primitive::Double => Value::Double(double(text)?),
            Primitive::Duration => Value::Duration(Duration::parse(text)?),
            Primitive::Hex => Value::Bytes(hex(text)?, false),
            Primitive::Base64 => Value::Bytes(base64(text)?, true),
            moment => Value::Moment(Moment::parse(moment, text)?),
        })
    }

    /// As SQL Server stores it.
    pub fn canonical(&self) -> String {
        match self {
            Value::Text(text) => text.to_string(),
            Value::Boolean(value) => value.to_string(),
            Value::Exact(number) => number.show(),
            Value::Float(number) => show_number(*number, true),
            Value::Double(number) => show_number(*number, false),
            Value::Duration(duration) => duration.to_string(),
            Value::Moment(moment) => moment.to_string(),
            Value::Bytes(bytes, false) => bytes.iter().map(|byte| format!("{byte:02X}")).collect(),
            Value::Bytes(bytes, true) => to_base64(bytes),
            Value::List(items) => items.iter().map(Value::canonical).collect::<Vec<_>>().join(" "),
        }
    }

    /// None: they have no order.
    pub fn compare(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
            (Value::Boolean(a), Value::Boolean(b)) => Some(a.cmp(b)),
            (Value::Exact(a), Value::Exact(b)) => a.compare(b),
            (Value::Float(a) | Value::Double(a), Value::Float(b) | Value::Double(b)) => a.partial_cmp(b),
            (Value::Duration(a), Value::Duration(b)) => Some(a.compare(b)),
            (Value::Moment(a), Value::Moment(b)) => Some(a.compare(b)),
            (Value::Bytes(a, _), Value::Bytes(b, _)) => Some(a.cmp(b)),
            (Value::List(a), Value::List(b)) => {
                let equal = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.compare(b) == Some(Ordering::Equal));
                equal.then_some(Ordering::Equal)
            }
            _ => None,
        }
    }

    /// What length, minLength and maxLength count: characters, bytes, items.
    pub fn length(&self) -> Option<usize> {
        match self {
            Value::Text(text) => Some(text.chars().count()),
            Value::Bytes(bytes, _) => Some(bytes.len()),
            Value::List(items) => Some(items.len()),
            _ => None,
        }
    }

    /// Digits before and behind the point of an exact number.
    pub fn digits(&self) -> Option<(usize, usize)> {
        let Value::Exact(number) = self else { return None };
        let shown = number.show();
        let (whole, part) = shown.split_once('.').unwrap_or((&shown, ""));
        let whole = whole.trim_start_matches('-').trim_start_matches('0');
        Some((whole.len(), part.len()))
    }
}

/// As a type's white space is: replaced by blanks, or runs of it by one and none at the ends.
pub fn normalized(text: &str, how: WhiteSpace) -> String {
    match how {
        WhiteSpace::Preserve => text.to_owned(),
        WhiteSpace::Replace => text.replace(['\t', '\n', '\r'], " "),
        WhiteSpace::Collapse => {
            let mut out = String::with_capacity(text.len());
            for word in words(text) {
                if !out.is_empty() {
                    out.push(' ');
                }
                out.push_str(word);
            }
            out
        }
    }
}

/// What white space separates.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty())
}

/// NaN is none of SQL Server's.
fn double(text: &str) -> Option<f64> {
    let number = parse_double(text)?;
    (number.is_finite() || matches!(text, "INF" | "-INF")).then_some(number)
}

fn hex(text: &str) -> Option<Box<[u8]>> {
    let digits = text.as_bytes();
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pairs = digits.chunks(2).map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?));
    pairs.collect()
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(text: &str) -> Option<Box<[u8]>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').collect();
    if !digits.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3);
    for (at, group) in digits.chunks(4).enumerate() {
        let padding = group.iter().rev().take_while(|byte| **byte == b'=').count();
        if padding > 2 || padding > 0 && (at + 1) * 4 != digits.len() {
            return None;
        }
        let mut bits = 0_u32;
        for byte in &group[..4 - padding] {
            bits = bits << 6 | BASE64.iter().position(|known| known == byte)? as u32;
        }
        bits <<= 6 * padding;
        bytes.extend(&bits.to_be_bytes()[1..4 - padding]);
    }
    Some(bytes.into())
}

fn to_base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut bits = 0_u32;
        for at in 0..3 {
            bits = bits << 8 | u32::from(group.get(at).copied().unwrap_or(0));
        }
        for at in 0..4 {
            let digit = BASE64[(bits >> (18 - 6 * at) & 63) as usize];
            out.push(if at > group.len() { '=' } else { char::from(digit) });
        }
    }
    out
}

pub fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | ':')
}

pub fn is_name_character(c: char) -> bool {
    is_name_start(c) || c.is_numeric() || matches!(c, '-' | '.' | '\u{b7}' | '\u{300}'..='\u{36f}')
}

pub fn is_ncname(text: &str) -> bool {
    text.starts_with(is_name_start) && text.chars().all(|c| is_name_character(c) && c != ':')
}

fn is_token(token: Token, text: &str) -> bool {
    match token {
        Token::Name => text.starts_with(is_name_start) && text.chars().all(is_name_character),
        Token::NcName | Token::Id | Token::IdRef => is_ncname(text),
        Token::Nmtoken => !text.is_empty() && text.chars().all(is_name_character),
        Token::Language => text.split('-').enumerate().all(|(at, part)| {
            let fits = |byte: u8| byte.is_ascii_alphabetic() || at > 0 && byte.is_ascii_digit();
            (1..=8).contains(&part.len()) && part.bytes().all(fits)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{Primitive, Value, WhiteSpace, normalized};

    fn canonical(primitive: Primitive, text: &str) -> Option<String> {
        Value::parse(primitive, text).map(|value| value.canonical())
    }

    #[test]
    fn canonical_forms() {
        use Primitive::*;
        let cases = [
            (Decimal, "1.00", "1"),
            (Decimal, ".5", "0.5"),
            (Decimal, "+5.", "5"),
            (Decimal, "-0.0", "0"),
            (Integer(None, None), "+007", "7"),
            (Double, "1.0E2", "100"),
            (Double, "1000000", "1.0E6"),
            (Double, "1e-6", "0.000001"),
            (Double, "0.0000005", "5.0E-7"),
            (Double, "0", "0.0E0"),
            (Double, "-0", "-0.0E0"),
            (Double, "INF", "INF"),
            (Double, "1234567890123456789", "1.23456789012346E18"),
            (Float, "1234567890123456789", "1.234568E18"),
            (Boolean, "1", "true"),
            (Hex, "ABcd", "ABCD"),
            (Base64, "YW Jj", "YWJj"),
            (Base64, "YQ==", "YQ=="),
            (DateTime, "2020-01-02T03:04:05.000+02:00", "2020-01-02T03:04:05+02:00"),
            (DateTime, "2020-01-02T03:04:05-00:00", "2020-01-02T03:04:05Z"),
            (DateTime, "2020-01-02T24:00:00", "2020-01-03T00:00:00"),
            (Date, "2020-01-02-00:00", "2020-01-02Z"),
            (Time, "03:04:05.1200", "03:04:05.12"),
            (Time, "24:00:00", "00:00:00"),
            (Duration, "P1Y2M3DT4H5M6.000S", "P1Y2M3DT4H5M6S"),
            (Duration, "P0Y", "PT0S"),
        ];
        for (primitive, text, wanted) in cases {
            assert_eq!(canonical(primitive, text).as_deref(), Some(wanted), "{primitive:?} {text}");
        }
    }

    #[test]
    fn what_is_no_value() {
        use Primitive::*;
        let cases = [
            (Boolean, "yes"),
            (Integer(None, None), "1.5"),
            (Integer(Some(0), Some(255)), "256"),
            (Decimal, "1e3"),
            (Double, "NaN"),
            (Date, "2021-02-29"),
            (DateTime, "2020-01-02"),
            (Hex, "ABC"),
            (Base64, "YQ="),
            (Duration, "P"),
            (Duration, "P1DT"),
        ];
        for (primitive, text) in cases {
            assert_eq!(canonical(primitive, text), None, "{primitive:?} {text}");
        }
    }

    #[test]
    fn white_space() {
        assert_eq!(normalized(" a\t b ", WhiteSpace::Preserve), " a\t b ");
        assert_eq!(normalized(" a\t b ", WhiteSpace::Replace), " a  b ");
        assert_eq!(normalized(" a\t b ", WhiteSpace::Collapse), "a b");
    }
}
