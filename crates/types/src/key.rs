//! Normalized keys: bytes whose memcmp order is the order of the values. B-trees, sorts and merges compare these only.
//!
//! ```text
//!  key:      part part ...                 a part's end can be seen from the part itself, so a prefix of columns is a
//!                                          prefix of bytes, and 00 or FF after a prefix is below or above all of it
//!  part:     01                            NULL
//!            02 value                      descending: every byte of the part inverted
//!  integers, money, times: big-endian in their natural size, sign bit turned
//!  real, float: big-endian, sign bit turned, negative numbers inverted; -0 as 0
//!  decimal: big-endian, sign bit turned, in 4, 9, 12 or 16 bytes by precision (at the column's scale)
//!  datetimeoffset: the UTC time in 8 bytes
//!  uniqueidentifier: bytes 10-15, 8-9, 6-7, 4-5, 0-3 of the wire's
//!  binary(n), rowversion: as they are; varbinary: zeros at the end cut off, 00 as 00 FF, end 00 00
//!  text: `collation::Comparer::key`
//!  sql_variant: `variant::key`
//! ```

use crate::collation::{self, Comparer};
use crate::datum::Datum;
use crate::error::SqlResult;
use crate::fixed::uuid_order;
use crate::pause::{Pacer, STRIDE};
use crate::row::{ColumnType, Field, RowLayout, RowView};
use crate::sql_type::{SqlType, TypeKind};
use crate::variant;

pub(crate) const NULL: u8 = 1;
pub(crate) const PRESENT: u8 = 2;

/// The longest part of a key that a whole number makes.
pub const INTEGER_BYTES: usize = 9;

/// A column of an index or sort order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyColumn {
    /// Of the row.
    pub ordinal: u16,
    pub descending: bool,
}

impl KeyColumn {
    pub const fn ascending(ordinal: u16) -> KeyColumn {
        KeyColumn { ordinal, descending: false }
    }

    pub const fn descending(ordinal: u16) -> KeyColumn {
        KeyColumn { ordinal, descending: true }
    }
}

/// How the rows of one layout are turned into keys.
#[derive(Debug, Clone)]
pub struct KeyLayout {
    columns: Box<[KeyColumn]>,
    codecs: Box<[KeyCodec]>,
}

/// How one value becomes a part of a key. Resolved once: text needs its collation.
#[derive(Debug, Clone, Copy)]
pub struct KeyCodec {
    form: Form,
    descending: bool,
}

#[derive(Debug, Clone, Copy)]
enum Form {
    /// Big-endian in so many bytes; `bias` turns the sign bit.
    Integer {
        bytes: u8,
        bias: u64,
    },
    F32,
    F64,
    Decimal {
        bytes: u8,
    },
    Offset,
    Uuid,
    Raw,
    Binary,
    Text(Comparer),
    Variant,
}

impl KeyLayout {
    /// Panics if an ordinal is not one of the layout's.
    pub fn new(layout: &RowLayout, columns: &[KeyColumn]) -> KeyLayout {
        let codecs = columns
            .iter()
            .map(|column| KeyCodec::new(&layout.column_type(column.ordinal as usize), column.descending))
            .collect();
        KeyLayout { columns: columns.into(), codecs }
    }

    pub fn columns(&self) -> &[KeyColumn] {
        &self.columns
    }

    #[inline]
    pub fn codecs(&self) -> &[KeyCodec] {
        &self.codecs
    }

    /// For storage to keep: u8 count, then u16 ordinal and u8 descending each.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![u8::try_from(self.columns.len()).expect("an index has at most 32 key columns")];
        for column in &self.columns {
            out.extend_from_slice(&column.ordinal.to_le_bytes());
            out.push(column.descending as u8);
        }
        out
    }

    /// Reads what `to_bytes` wrote; also how many bytes that was. None: damaged.
    pub fn from_bytes(layout: &RowLayout, bytes: &[u8]) -> Option<(KeyLayout, usize)> {
        let size = 1 + 3 * *bytes.first()? as usize;
        let columns: Vec<KeyColumn> = bytes
            .get(1..size)?
            .chunks_exact(3)
            .map(|part| KeyColumn { ordinal: u16::from_le_bytes([part[0], part[1]]), descending: part[2] != 0 })
            .collect();
        let valid = columns.iter().all(|column| (column.ordinal as usize) < layout.len());
        valid.then(|| (KeyLayout::new(layout, &columns), size))
    }
}

/// Appends the key of a row. Panics if a key value is out of the row: storage lets no key column overflow.
pub fn encode_key(key: &KeyLayout, row: &RowView<'_>, out: &mut Vec<u8>) {
    for (column, codec) in key.columns.iter().zip(&key.codecs) {
        codec.encode_field(row, column.ordinal as usize, out);
    }
}

/// Appends the key of a row of datums, which has every column of the layout.
pub fn encode_row_key(key: &KeyLayout, row: &[Datum], out: &mut Vec<u8>) {
    for (column, codec) in key.columns.iter().zip(&key.codecs) {
        codec.encode(&row[column.ordinal as usize], out);
    }
}

/// Appends a part for each of the first `values.len()` key columns: what a seek looks for.
pub fn encode_prefix(key: &KeyLayout, values: &[Datum], out: &mut Vec<u8>) {
    assert!(values.len() <= key.codecs.len(), "a seek on more columns than the key has");
    for (value, codec) in values.iter().zip(&key.codecs) {
        codec.encode(value, out);
    }
}

/// Appends one value. In a loop, keep the `KeyCodec`.
pub fn encode_datum(ty: &SqlType, descending: bool, value: &Datum, out: &mut Vec<u8>) {
    KeyCodec::new(ty, descending).encode(value, out);
}

impl KeyCodec {
    pub fn new(ty: &SqlType, descending: bool) -> KeyCodec {
        use TypeKind::*;
        let unsigned = |bytes| Form::Integer { bytes, bias: 0 };
        let signed = |bytes: u8| Form::Integer { bytes, bias: 1 << (8 * bytes - 1) };
        let form = match ty.kind {
            Bit | TinyInt => unsigned(1),
            SmallInt => signed(2),
            Int | SmallMoney => signed(4),
            BigInt | Money | DateTime | DateTime2 => signed(8),
            Date => unsigned(3),
            Time => unsigned(5),
            SmallDateTime => unsigned(4),
            Real => Form::F32,
            Float => Form::F64,
            Decimal | Numeric => Form::Decimal {
                bytes: match ty.precision {
                    0..=9 => 4,
                    10..=19 => 9,
                    20..=28 => 12,
                    _ => 16,
                },
            },
            DateTimeOffset => Form::Offset,
            UniqueIdentifier => Form::Uuid,
            Binary | RowVersion => Form::Raw,
            VarBinary | Image | HierarchyId | Geometry | Geography | Json => Form::Binary,
            Char | VarChar | Text | NChar | NVarChar | NText | Xml => Form::Text(collation::comparer(ty)),
            SqlVariant => Form::Variant,
        };
        KeyCodec { form, descending }
    }

    pub fn encode(&self, value: &Datum, out: &mut Vec<u8>) {
        let start = out.len();
        match value {
            Datum::Null => out.push(NULL),
            Datum::I64(value) => self.put_i64(*value, out),
            Datum::F64(value) => self.put_f64(*value, out),
            Datum::I128(value) => self.put_i128(*value, out),
            Datum::Bytes(value) => self.put_bytes(value, out),
        }
        self.invert(start, out);
    }

    /// Appends the value of a column of `row`. Panics if it is out of the row.
    #[inline]
    pub fn encode_field(&self, row: &RowView<'_>, column: usize, out: &mut Vec<u8>) {
        let start = out.len();
        if row.is_null(column) {
            out.push(NULL);
        } else {
            match self.form {
                Form::Integer { .. } => self.put_i64(row.i64(column), out),
                Form::F32 | Form::F64 => self.put_f64(row.f64(column), out),
                Form::Decimal { .. } | Form::Offset | Form::Uuid => self.put_i128(row.i128(column), out),
                Form::Raw | Form::Binary | Form::Text(_) | Form::Variant => match row.field(column) {
                    Field::Bytes(bytes) => self.put_bytes(bytes, out),
                    other => panic!("key column {column} is out of the row: {other:?}"),
                },
            }
        }
        self.invert(start, out);
    }

    #[inline]
    fn invert(&self, start: usize, out: &mut [u8]) {
        if self.descending {
            out[start..].iter_mut().for_each(|byte| *byte = !*byte);
        }
    }

    #[inline]
    pub fn encode_i64(&self, value: i64, out: &mut Vec<u8>) {
        let start = out.len();
        self.put_i64(value, out);
        self.invert(start, out);
    }

    #[inline]
    pub fn encode_bytes(&self, value: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        self.put_bytes(value, out);
        self.invert(start, out);
    }

    /// Appends the beginning of what `encode_bytes` appends: about `limit` bytes. True: that is all of it.
    pub fn encode_bytes_start(&self, value: &[u8], limit: usize, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        let is_whole = if let Form::Text(comparer) = self.form {
            out.push(PRESENT);
            comparer.key_start(value, limit, out)
        } else {
            self.put_bytes(value, out);
            let is_whole = out.len() - start <= limit;
            out.truncate(start + limit);
            is_whole
        };
        self.invert(start, out);
        is_whole
    }

    /// `encode_bytes` of a value that may be long.
    pub fn encode_bytes_paced(&self, value: &[u8], out: &mut Vec<u8>, pacer: &mut Pacer<'_>) -> SqlResult<()> {
        let start = out.len();
        match self.form {
            Form::Text(comparer) => {
                out.push(PRESENT);
                comparer.key_paced(value, out, pacer)?;
            }
            Form::Binary => {
                out.push(PRESENT);
                variant::push_binary_paced(value, out, pacer)?;
            }
            // Theirs are short.
            _ => {
                self.encode_bytes(value, out);
                return Ok(());
            }
        }
        if self.descending {
            for chunk in out[start..].chunks_mut(STRIDE) {
                self.invert(0, chunk);
                pacer.spend(chunk.len())?;
            }
        }
        Ok(())
    }

    /// It is of whole numbers, `encode_i64` and `integer_part` know them.
    pub fn is_integer(&self) -> bool {
        matches!(self.form, Form::Integer { .. })
    }

    /// What `encode_i64` appends: so many of these bytes.
    #[inline]
    pub fn integer_part(&self, value: i64) -> ([u8; INTEGER_BYTES], usize) {
        let (part, length) = self.ascending_part(value);
        // All bits at once: one by one they would be taken apart and put together again.
        let mut word = [0; 16];
        word[..INTEGER_BYTES].copy_from_slice(&part);
        let inverted = u128::from_le_bytes(word) ^ if self.descending { u128::MAX } else { 0 };
        (inverted.to_le_bytes()[..INTEGER_BYTES].try_into().expect("so many"), length)
    }

    /// The same as one number: the key's first byte, and the others as the highest of a word.
    #[inline]
    pub fn integer_word(&self, value: i64) -> (u8, u64, usize) {
        let (shifted, bytes) = self.shifted(value);
        let (first, word) = (PRESENT, shifted << (64 - 8 * bytes));
        match self.descending {
            false => (first, word, bytes),
            true => (!first, !word, bytes),
        }
    }

    /// What `encode` appends for NULL.
    pub fn null_part(&self) -> ([u8; INTEGER_BYTES], usize) {
        let mut part = [0; INTEGER_BYTES];
        part[0] = NULL;
        self.invert(0, &mut part);
        (part, 1)
    }

    #[inline(always)]
    fn ascending_part(&self, value: i64) -> ([u8; INTEGER_BYTES], usize) {
        let (shifted, bytes) = self.shifted(value);
        let mut part = [0; INTEGER_BYTES];
        part[0] = PRESENT;
        part[1..].copy_from_slice(&(shifted << (64 - 8 * bytes)).to_be_bytes());
        (part, 1 + bytes)
    }

    /// A number without a sign, in the same order, and how many bytes it has.
    #[inline(always)]
    fn shifted(&self, value: i64) -> (u64, usize) {
        let Form::Integer { bytes, bias } = self.form else { panic!("{:?} does not hold an I64", self.form) };
        let shifted = (value as u64).wrapping_add(bias);
        assert!(bytes == 8 || shifted >> (8 * bytes) == 0, "{value} in a key part of {bytes} bytes");
        (shifted, bytes.into())
    }

    #[inline(always)]
    fn put_i64(&self, value: i64, out: &mut Vec<u8>) {
        // Of known length the copy is no call.
        match self.ascending_part(value) {
            (part, 5) => out.extend_from_slice(&part[..5]),
            (part, 9) => out.extend_from_slice(&part),
            (part, length) => out.extend_from_slice(&part[..length]),
        }
    }

    fn put_f64(&self, value: f64, out: &mut Vec<u8>) {
        out.push(PRESENT);
        // -0 equals 0 and must not sort before it.
        let value = if value == 0.0 { 0.0 } else { value };
        match self.form {
            Form::F32 => {
                let bits = (value as f32).to_bits();
                let turned = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
                out.extend_from_slice(&turned.to_be_bytes());
            }
            Form::F64 => {
                let bits = value.to_bits();
                let turned = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
                out.extend_from_slice(&turned.to_be_bytes());
            }
            other => panic!("{other:?} does not hold an F64"),
        }
    }

    fn put_i128(&self, value: i128, out: &mut Vec<u8>) {
        out.push(PRESENT);
        match self.form {
            Form::Decimal { bytes } => {
                let bits = 8 * bytes as u32;
                let shifted = (value as u128).wrapping_add(1 << (bits - 1));
                assert!(bits == 128 || shifted >> bits == 0, "a decimal within its precision");
                out.extend_from_slice(&shifted.to_be_bytes()[16 - bytes as usize..]);
            }
            Form::Offset => out.extend_from_slice(&((value >> 16) as u64 ^ 1 << 63).to_be_bytes()),
            Form::Uuid => out.extend_from_slice(&uuid_order(value)),
            other => panic!("{other:?} does not hold an I128"),
        }
    }

    #[inline]
    fn put_bytes(&self, value: &[u8], out: &mut Vec<u8>) {
        out.push(PRESENT);
        match self.form {
            Form::Text(comparer) => comparer.key(value, out),
            Form::Raw => out.extend_from_slice(value),
            Form::Binary => variant::push_binary(value, out),
            Form::Variant => variant::key(value, out),
            other => panic!("{other:?} does not hold bytes"),
        }
    }
}

/// The columns of a layout that has only the key's, in key order: what an index page's separator rows hold.
pub fn key_columns(layout: &RowLayout, key: &KeyLayout) -> Vec<ColumnType> {
    key.columns.iter().map(|column| layout.columns()[column.ordinal as usize]).collect()
}
