//! Rows' values as one memcmp-able byte string, for grouping, joining and sorting; and the hash for maps of them.

use std::collections::BTreeMap;
use std::hash::{BuildHasherDefault, Hasher};

use types::key::KeyCodec;
use types::pause::{SHORT, STRIDE};
use types::{Column, ColumnData, Datum, RowBatch, SqlResult, SqlType, TypeKind};

use crate::columns;
use crate::context::Context;
use crate::expression::{Scalar, fill};

/// Not for keys an attacker chooses to collide beyond what a chain of rows costs anyway; the same in every run.
#[derive(Default, Clone, Copy)]
pub struct FastHasher(u64);

impl FastHasher {
    /// One of several hashes of the same keys, unlike that of maps.
    pub fn of_level(level: u32) -> FastHasher {
        FastHasher(0x5851_f42d_4c95_7f2d_u64.wrapping_mul(2 * level as u64 + 3))
    }
}

pub type FastHash = BuildHasherDefault<FastHasher>;

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        // Folded multiply: both halves of the product carry bits of both factors.
        let product = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.0 = product as u64 ^ (product >> 64) as u64;
        self.0 = self.0.rotate_left(23).wrapping_add(0x2545_f491_4f6c_dd1d);
    }

    fn write_i64(&mut self, word: i64) {
        self.write_u64(word as u64);
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(byte as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Types that compare without conversion get one encoding: integers of any width, decimals of any precision, fixed and variable
/// binaries.
fn common_type(ty: SqlType) -> SqlType {
    if ty.is_integer() || ty.kind == TypeKind::Bit {
        SqlType::BIGINT
    } else if ty.is_decimal() {
        SqlType::decimal(types::decimal::PRECISION_MAX, ty.scale)
    } else if ty.is_binary() {
        SqlType::VARBINARY_MAX
    } else {
        ty
    }
}

/// Key expressions of an operator, with how each is encoded.
pub struct RowKeys {
    pub scalars: Vec<Scalar>,
    codecs: Vec<KeyCodec>,
    values: Vec<Column>,
    /// Parts of keys whose values are long, by column and row of the loaded batch: they are made where others can have a turn.
    long: BTreeMap<(usize, usize), Vec<u8>>,
}

impl RowKeys {
    /// `descending`: for each key; shorter means ascending.
    pub fn new(scalars: Vec<Scalar>, descending: &[bool]) -> RowKeys {
        let codecs = scalars
            .iter()
            .enumerate()
            .map(|(i, scalar)| KeyCodec::new(&common_type(scalar.ty), descending.get(i).copied().unwrap_or(false)))
            .collect();
        let values = scalars.iter().map(|scalar| Column::new(scalar.ty.physical())).collect();
        RowKeys { scalars, codecs, values, long: BTreeMap::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.scalars.is_empty()
    }

    /// Computes the key values of every row of `batch`.
    pub fn load(&mut self, context: &Context, batch: &RowBatch) -> SqlResult<()> {
        for (scalar, values) in self.scalars.iter().zip(&mut self.values) {
            values.clear();
            fill(scalar, context, batch, values)?;
        }
        self.long.clear();
        for (at, column) in self.values.iter().enumerate() {
            long_parts(&self.codecs[at], column, context, |row, part| {
                self.long.insert((at, row), part);
            })?;
        }
        Ok(())
    }

    /// Key columns of the loaded batch.
    pub fn values(&self) -> &[Column] {
        &self.values
    }

    pub fn has_null(&self, row: usize) -> bool {
        self.values.iter().any(|column| column.is_null(row))
    }

    /// Appends the key of `row` of the loaded batch.
    pub fn encode(&self, row: usize, out: &mut Vec<u8>) {
        for (at, (codec, column)) in self.codecs.iter().zip(&self.values).enumerate() {
            match self.long.get(&(at, row)) {
                Some(part) => out.extend_from_slice(part),
                None => encode_from(codec, column, row, out),
            }
        }
    }

    /// Replaces `out` by the key of `row`.
    pub fn encode_to(&self, row: usize, out: &mut Vec<u8>) {
        out.clear();
        self.encode(row, out);
    }
}

/// For each row besides its bytes and its key's: where the key ends, its prefix with the row's number, its place.
const ROW_BYTES: usize = 28;

/// Keys of many rows, back to back, each with the row it belongs to.
#[derive(Default)]
pub struct KeyList {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl KeyList {
    pub fn append(&mut self, keys: &RowKeys, rows: usize) {
        // As the rows before.
        let each = self.bytes.len() / self.ends.len().max(1) + 1;
        columns::grow(&mut self.bytes, rows * each);
        columns::grow(&mut self.ends, rows);
        for row in 0..rows {
            keys.encode(row, &mut self.bytes);
            self.ends.push(self.bytes.len());
        }
    }

    pub fn push(&mut self, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        self.ends.push(self.bytes.len());
    }

    pub fn key(&self, row: usize) -> &[u8] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.bytes[start..self.ends[row]]
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// With what ordering them takes.
    pub fn bytes(&self) -> usize {
        self.bytes.len() + self.ends.len() * ROW_BYTES
    }
}

/// Parts of keys of a column's long values, made where others can have a turn: each may be below a stride, but all of them are not.
pub fn long_parts(
    codec: &KeyCodec,
    column: &Column,
    context: &Context,
    mut each: impl FnMut(usize, Vec<u8>),
) -> SqlResult<()> {
    let ColumnData::Bytes { bytes, .. } = &column.data else { return Ok(()) };
    if bytes.len() < STRIDE {
        return Ok(());
    }
    let pacer = &mut context.pacer();
    for row in (0..column.len()).filter(|row| column.bytes(*row).len() >= SHORT) {
        let mut part = Vec::new();
        codec.encode_bytes_paced(column.bytes(row), &mut part, pacer)?;
        each(row, part);
    }
    Ok(())
}

/// Appends one column's part of a key.
pub fn encode_from(codec: &KeyCodec, column: &Column, row: usize, out: &mut Vec<u8>) {
    if column.is_null(row) {
        return codec.encode(&Datum::Null, out);
    }
    match &column.data {
        ColumnData::I64(values) => codec.encode_i64(values[row], out),
        ColumnData::Bytes { .. } => codec.encode_bytes(column.bytes(row), out),
        ColumnData::F64(values) => codec.encode(&Datum::F64(values[row]), out),
        ColumnData::I128(values) => codec.encode(&Datum::I128(values[row]), out),
    }
}
