//! Thrift's compact protocol, as far as Parquet's metadata use it: what is written, field by field, and what is read, as a tree.
//!
//! https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

use std::collections::BTreeMap;

const BOOLEAN_TRUE: u8 = 1;
const BOOLEAN_FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;

/// Structs within structs, of what is read.
const DEPTH_MAX: u32 = 32;

pub fn put_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

/// A struct that is being written: fields in ascending order, then `end`.
pub struct Struct<'a> {
    out: &'a mut Vec<u8>,
    last: i16,
}

impl<'a> Struct<'a> {
    pub fn new(out: &'a mut Vec<u8>) -> Struct<'a> {
        Struct { out, last: 0 }
    }

    fn head(&mut self, field: i16, kind: u8) {
        let step = field - self.last;
        assert!(step > 0, "fields come in ascending order");
        if step <= 15 {
            self.out.push((step as u8) << 4 | kind);
        } else {
            self.out.push(kind);
            put_varint(zigzag(field.into()), self.out);
        }
        self.last = field;
    }

    pub fn boolean(&mut self, field: i16, value: bool) {
        self.head(field, if value { BOOLEAN_TRUE } else { BOOLEAN_FALSE });
    }

    pub fn byte(&mut self, field: i16, value: u8) {
        self.head(field, BYTE);
        self.out.push(value);
    }

    pub fn i32(&mut self, field: i16, value: i32) {
        self.head(field, I32);
        put_varint(zigzag(value.into()), self.out);
    }

    pub fn i64(&mut self, field: i16, value: i64) {
        self.head(field, I64);
        put_varint(zigzag(value), self.out);
    }

    pub fn text(&mut self, field: i16, value: &str) {
        self.head(field, BINARY);
        put_bytes(value, self.out);
    }

    pub fn structure(&mut self, field: i16, fill: impl FnOnce(&mut Struct<'_>)) {
        self.head(field, STRUCT);
        write(self.out, fill);
    }

    pub fn i32s(&mut self, field: i16, values: &[i32]) {
        self.list(field, I32, values.len());
        values.iter().for_each(|value| put_varint(zigzag((*value).into()), self.out));
    }

    pub fn texts(&mut self, field: i16, values: &[&str]) {
        self.list(field, BINARY, values.len());
        values.iter().for_each(|value| put_bytes(value, self.out));
    }

    pub fn structures<T>(&mut self, field: i16, values: &[T], mut fill: impl FnMut(&mut Struct<'_>, &T)) {
        self.list(field, STRUCT, values.len());
        values.iter().for_each(|value| write(self.out, |inner| fill(inner, value)));
    }

    fn list(&mut self, field: i16, kind: u8, count: usize) {
        self.head(field, LIST);
        if count < 15 {
            self.out.push((count as u8) << 4 | kind);
        } else {
            self.out.push(0xf0 | kind);
            put_varint(count as u64, self.out);
        }
    }
}

/// A whole struct.
pub fn write(out: &mut Vec<u8>, fill: impl FnOnce(&mut Struct<'_>)) {
    fill(&mut Struct::new(out));
    out.push(0);
}

fn put_bytes(value: &str, out: &mut Vec<u8>) {
    put_varint(value.len() as u64, out);
    out.extend_from_slice(value.as_bytes());
}

/// What was read.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Boolean(bool),
    Number(i64),
    Double,
    Bytes(Vec<u8>),
    List(Vec<Value>),
    Struct(Fields),
    /// Nothing of Parquet's that anybody asks for is one.
    Map,
}

/// Of a struct, by number.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fields(BTreeMap<i16, Value>);

impl Fields {
    pub fn number(&self, field: i16) -> Option<i64> {
        match self.0.get(&field) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    pub fn boolean(&self, field: i16) -> Option<bool> {
        match self.0.get(&field) {
            Some(Value::Boolean(value)) => Some(*value),
            _ => None,
        }
    }

    pub fn text(&self, field: i16) -> Option<String> {
        match self.0.get(&field) {
            Some(Value::Bytes(bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        }
    }

    pub fn structure(&self, field: i16) -> Option<&Fields> {
        match self.0.get(&field) {
            Some(Value::Struct(fields)) => Some(fields),
            _ => None,
        }
    }

    pub fn structures(&self, field: i16) -> impl Iterator<Item = &Fields> {
        let list = match self.0.get(&field) {
            Some(Value::List(list)) => list.as_slice(),
            _ => &[],
        };
        list.iter().filter_map(|value| if let Value::Struct(fields) = value { Some(fields) } else { None })
    }

    /// Of a union: which one it is.
    pub fn variant(&self) -> Option<(i16, &Fields)> {
        self.0.iter().next().and_then(|(number, value)| match value {
            Value::Struct(fields) => Some((*number, fields)),
            _ => None,
        })
    }
}

/// Reads a struct; how many bytes it had. None: it is none, or not whole.
pub fn read(bytes: &[u8]) -> Option<(Fields, usize)> {
    let mut input = Input { bytes, at: 0 };
    let fields = input.structure(0)?;
    Some((fields, input.at))
}

struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Input<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn take(&mut self, count: usize) -> Option<&[u8]> {
        let end = self.at.checked_add(count)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn structure(&mut self, depth: u32) -> Option<Fields> {
        if depth > DEPTH_MAX {
            return None;
        }
        let mut fields = BTreeMap::new();
        let mut last = 0_i16;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(Fields(fields));
            }
            last = match head >> 4 {
                0 => i16::try_from(self.signed()?).ok()?,
                step => last.checked_add(step.into())?,
            };
            let value = match head & 15 {
                BOOLEAN_TRUE => Value::Boolean(true),
                BOOLEAN_FALSE => Value::Boolean(false),
                kind => self.value(kind, depth)?,
            };
            fields.insert(last, value);
        }
    }

    fn value(&mut self, kind: u8, depth: u32) -> Option<Value> {
        Some(match kind {
            // Of a list; a field's stands in its head.
            BOOLEAN_TRUE | BOOLEAN_FALSE => Value::Boolean(self.byte()? == BOOLEAN_TRUE),
            BYTE => Value::Number((self.byte()? as i8).into()),
            I16 | I32 | I64 => Value::Number(self.signed()?),
            DOUBLE => self.take(8).map(|_| Value::Double)?,
            BINARY => {
                let count = usize::try_from(self.varint()?).ok()?;
                Value::Bytes(self.take(count)?.to_vec())
            }
            LIST | SET => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                // Each element takes a byte at least.
                if count > (self.bytes.len() - self.at) as u64 || depth > DEPTH_MAX {
                    return None;
                }
                let values = (0..count).map(|_| self.value(head & 15, depth + 1)).collect::<Option<Vec<_>>>()?;
                Value::List(values)
            }
            MAP => {
                let count = self.varint()?;
                if count > (self.bytes.len() - self.at) as u64 || depth > DEPTH_MAX {
                    return None;
                }
                let kinds = if count > 0 { self.byte()? } else { 0 };
                for _ in 0..count {
                    self.value(kinds >> 4, depth + 1)?;
                    self.value(kinds & 15, depth + 1)?;
                }
                Value::Map
            }
            STRUCT => Value::Struct(self.structure(depth + 1)?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let mut bytes = Vec::new();
        write(&mut bytes, |s| {
            s.i32(1, -5);
            s.text(2, "caf\u{e9}");
            s.structure(3, |inner| {
                inner.boolean(1, true);
                inner.byte(20, 32);
            });
            s.structures(30, &[1_i64, -1, i64::MAX], |inner, number| inner.i64(1, *number));
            s.texts(31, &["x"; 20]);
            s.i32s(32, &[0, 3]);
        });
        let (fields, used) = read(&bytes).expect("a struct");
        assert_eq!(used, bytes.len());
        assert_eq!(fields.number(1), Some(-5));
        assert_eq!(fields.text(2).as_deref(), Some("caf\u{e9}"));
        let inner = fields.structure(3).expect("it is there");
        assert_eq!((inner.boolean(1), inner.number(20)), (Some(true), Some(32)));
        let numbers: Vec<_> = fields.structures(30).map(|inner| inner.number(1)).collect();
        assert_eq!(numbers, [Some(1), Some(-1), Some(i64::MAX)]);
        for cut in 0..bytes.len() {
            assert_eq!(read(&bytes[..cut]), None, "{cut}");
        }
    }

    #[test]
    fn nesting_and_counts_have_a_bound() {
        assert_eq!(read(&[0x1c; 100_000]), None);
        assert_eq!(read(&[0x19, 0xf8, 0xff, 0xff, 0xff, 0xff, 0x0f]), None);
    }
}
