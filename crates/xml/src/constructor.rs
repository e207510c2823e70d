//! What constructor functions and casts make of atomic values, and how values of the types of XML Schema compare.
//!
//! https://learn.microsoft.com/sql/xquery/constructor-functions-xquery

use std::cmp::Ordering;

use crate::atomic::{Atomic, AtomicType, Base, ONE, double_to_decimal, parse_boolean, parse_decimal, parse_integer};
use crate::schema::builtin;
use crate::schema::component::Variety;
use crate::schema::value::{Value, normalized};

impl Atomic {
    /// None: the value is not one of that type.
    pub fn cast(&self, to: AtomicType) -> Option<Atomic> {
        let text = || self.show();
        Some(match to.base {
            Base::Untyped => Atomic::Untyped(text().into()),
            Base::Boolean => Atomic::Boolean(match self {
                Atomic::Boolean(value) => *value,
                value if value.is_numeric() => value.number()? != 0.0,
                _ => parse_boolean(&text())?,
            }),
            Base::Integer => {
                let value = match self {
                    Atomic::Integer(value) => *value,
                    Atomic::Decimal(value) => value / ONE,
                    Atomic::Boolean(value) => i128::from(*value),
                    Atomic::Float(value) | Atomic::Double(value) => {
                        if !value.is_finite() || value.abs() >= 1e28 {
                            return None;
                        }
                        value.trunc() as i128
                    }
                    _ => parse_integer(&text())?,
                };
                let (least, most) = integer_range(to.name);
                if value < least || value > most {
                    return None;
                }
                Atomic::Integer(value)
            }
            Base::Decimal => match self {
                Atomic::Decimal(_) => self.clone(),
                Atomic::Integer(value) => Atomic::decimal(*value, 0)?,
                Atomic::Float(value) | Atomic::Double(value) => double_to_decimal(*value)?,
                Atomic::Boolean(value) => Atomic::decimal(i128::from(*value), 0)?,
                _ => parse_decimal(&text())?,
            },
            Base::Float => Atomic::Float(f64::from(self.number()? as f32)),
            Base::Double => Atomic::Double(self.number()?),
            Base::Text => Atomic::Text(value_of(to, &text())?.canonical().into()),
            Base::Moment | Base::Other => Atomic::Typed(to, value_of(to, &text())?.canonical().into()),
        })
    }

    /// By the rules of their type, a value without one as the other's. None: they do not compare.
    pub fn order(&self, other: &Atomic) -> Option<Ordering> {
        match (self, other) {
            (Atomic::Typed(ty, a), Atomic::Typed(of, b)) if ty == of => value_of(*ty, a)?.compare(&value_of(*of, b)?),
            (Atomic::Untyped(_), Atomic::Typed(ty, _)) => self.cast(*ty)?.order(other),
            (Atomic::Typed(ty, _), Atomic::Untyped(_)) => self.order(&other.cast(*ty)?),
            _ => self.compare(other),
        }
    }
}

/// What a text says as a type of XML Schema. None: it is no value of it.
fn value_of(ty: AtomicType, text: &str) -> Option<Value> {
    let local = ty.name.strip_prefix("xs:")?;
    let simple = builtin::simple(builtin::find(local)?)?;
    let Variety::Atomic(primitive) = simple.variety else { return None };
    Value::parse(primitive, &normalized(text, simple.white_space))
}

fn integer_range(name: &str) -> (i128, i128) {
    match name {
        "xs:long" => (i64::MIN.into(), i64::MAX.into()),
        "xs:int" => (i32::MIN.into(), i32::MAX.into()),
        "xs:short" => (i16::MIN.into(), i16::MAX.into()),
        "xs:byte" => (i8::MIN.into(), i8::MAX.into()),
        "xs:unsignedLong" => (0, u64::MAX.into()),
        "xs:unsignedInt" => (0, u32::MAX.into()),
        "xs:unsignedShort" => (0, u16::MAX.into()),
        "xs:unsignedByte" => (0, u8::MAX.into()),
        "xs:nonNegativeInteger" => (0, i128::MAX),
        "xs:positiveInteger" => (1, i128::MAX),
        "xs:nonPositiveInteger" => (i128::MIN, 0),
        "xs:negativeInteger" => (i128::MIN, -1),
        _ => (i128::MIN, i128::MAX),
    }
}
