//! Rows' values as one memcmp-able byte string, for grouping, joining and sorting; and the hash for maps of them.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::{BuildHasherDefault, Hasher};

use types::key::KeyCodec;
use types::pause::{SHORT, STRIDE};
use types::{Column, ColumnData, Datum, MAX_LENGTH, Physical, RowBatch, SqlResult, SqlType, TypeKind};

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
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
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

/// The hash of a key that is not kept.
pub fn hash_of(key: &[u8]) -> u64 {
    let mut hasher = FastHasher::default();
    hasher.write(key);
    hasher.finish()
}

/// Key expressions of an operator, with how each is encoded.
pub struct RowKeys {
    pub scalars: Vec<Scalar>,
    codecs: Vec<KeyCodec>,
    values: Vec<Column>,
    /// Parts of keys whose values are long, by column and row of the loaded batch: they are made where others can have a turn.
    long: BTreeMap<(usize, usize), Vec<u8>>,
    /// Of each key: NULL is equal to NULL. Empty: of none.
    nulls_meet: Vec<bool>,
    /// Of columns of the rows alone: long values give lists of keys their beginning, which decides most comparisons.
    cuts: bool,
    /// For `compare`.
    parts: RefCell<(Vec<u8>, Vec<u8>)>,
}

/// A value of so many bytes gives a key that may be cut so much of it.
const CUT_FROM: usize = 128;
const CUT_TO: usize = 64;
const _: () = assert!(CUT_TO < CUT_FROM && CUT_TO > 8);

/// Values that may have more bytes are not kept twice: once in their row and once in their key.
const HASHED_FROM: u16 = 64;

impl RowKeys {
    /// `descending`: for each key; shorter means ascending.
    pub fn new(scalars: Vec<Scalar>, descending: &[bool]) -> RowKeys {
        let codecs = scalars
            .iter()
            .enumerate()
            .map(|(i, scalar)| KeyCodec::new(&common_type(scalar.ty), descending.get(i).copied().unwrap_or(false)))
            .collect();
        let values = scalars.iter().map(|scalar| Column::new(scalar.ty.physical())).collect();
        RowKeys {
            scalars,
            codecs,
            values,
            long: BTreeMap::new(),
            nulls_meet: Vec::new(),
            cuts: false,
            parts: RefCell::default(),
        }
    }

    /// The same keys, of which some meet where both are NULL.
    pub fn meeting(self, nulls_meet: &[bool]) -> RowKeys {
        let any = nulls_meet.contains(&true);
        RowKeys { nulls_meet: if any { nulls_meet.to_vec() } else { Vec::new() }, ..self }
    }

    /// Some are equal where both are NULL.
    pub fn has_meeting(&self) -> bool {
        !self.nulls_meet.is_empty()
    }

    /// From now on lists have keys that may be cut. All keys are columns.
    pub fn cut(&mut self) {
        assert!(self.are_columns(), "whole keys are made of the rows again");
        self.cuts = true;
    }

    pub fn is_empty(&self) -> bool {
        self.scalars.is_empty()
    }

    /// Keys may be long, but none so long that comparing two rows takes long: an index of rows has rather the hashes of their keys, and values
    /// tell rows of one hash apart.
    pub fn are_rather_hashed(&self) -> bool {
        let lengths =
            || self.scalars.iter().filter(|key| key.ty.physical() == Physical::Bytes).map(|key| key.ty.length);
        lengths().any(|length| length > HASHED_FROM) && lengths().all(|length| length < MAX_LENGTH)
    }

    pub fn are_columns(&self) -> bool {
        self.scalars.iter().all(|key| key.as_column().is_some())
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

    /// A key is NULL and so equal to none.
    pub fn has_null(&self, row: usize) -> bool {
        let meets = |at: usize| self.nulls_meet.get(at) == Some(&true);
        self.values.iter().enumerate().any(|(at, column)| column.is_null(row) && !meets(at))
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

    /// As `encode`, but the key may end in the beginning of a long value. True: it is whole.
    fn encode_start(&self, row: usize, out: &mut Vec<u8>) -> bool {
        for (at, (codec, column)) in self.codecs.iter().zip(&self.values).enumerate() {
            let is_long = matches!(column.data, ColumnData::Bytes { .. })
                && !column.is_null(row)
                && column.bytes(row).len() > CUT_FROM;
            if !is_long {
                encode_from(codec, column, row, out);
            } else if let Some(part) = self.long.get(&(at, row)) {
                out.extend_from_slice(&part[..part.len().min(CUT_TO)]);
                if part.len() > CUT_TO {
                    return false;
                }
            } else if !codec.encode_bytes_start(column.bytes(row), CUT_TO, out) {
                return false;
            }
        }
        true
    }

    /// Replaces `out` by what the key of `row` begins with in each of its parts: so many bytes of each at most. Equal keys have equal ones.
    pub fn encode_heads(&self, row: usize, out: &mut Vec<u8>) {
        out.clear();
        for (at, (codec, column)) in self.codecs.iter().zip(&self.values).enumerate() {
            let start = out.len();
            match self.long.get(&(at, row)) {
                Some(part) => out.extend_from_slice(&part[..part.len().min(CUT_TO)]),
                None if !column.is_null(row) && matches!(column.data, ColumnData::Bytes { .. }) => {
                    codec.encode_bytes_start(column.bytes(row), CUT_TO, out);
                    out.truncate(start + CUT_TO);
                }
                None => encode_from(codec, column, row, out),
            }
        }
    }

    /// The order of two rows, given as rows of their batches, by their whole keys.
    pub fn compare(&self, (left, a): (&RowBatch, usize), (right, b): (&RowBatch, usize)) -> Ordering {
        let (x, y) = &mut *self.parts.borrow_mut();
        for (codec, at) in self.codecs.iter().zip(self.columns()) {
            x.clear();
            y.clear();
            encode_from(codec, &left.columns[at], a, x);
            encode_from(codec, &right.columns[at], b, y);
            match x.cmp(&y) {
                Ordering::Equal => {}
                decided => return decided,
            }
        }
        Ordering::Equal
    }

    /// Whether row `at` of `values`, which has a column for each key, has the key of `row` of the loaded batch.
    pub fn is_key_of(&self, row: usize, values: &RowBatch, at: usize) -> bool {
        values.columns.iter().enumerate().all(|(part, column)| self.part_meets(part, (column, at), self, row))
    }

    /// Whether row `at` of `batch`, all of whose keys are columns, has the key of `row` of what `other` has loaded.
    pub fn meets(&self, batch: &RowBatch, at: usize, other: &RowKeys, row: usize) -> bool {
        self.columns().enumerate().all(|(part, column)| self.part_meets(part, (&batch.columns[column], at), other, row))
    }

    fn part_meets(&self, part: usize, (column, at): (&Column, usize), other: &RowKeys, row: usize) -> bool {
        let loaded = &other.values[part];
        let is_text = matches!(column.data, ColumnData::Bytes { .. }) && !column.is_null(at) && !loaded.is_null(row);
        let form = |keys: &RowKeys| (keys.scalars[part].ty.kind, keys.scalars[part].ty.collation);
        if is_text && form(self) == form(other) && column.bytes(at) == loaded.bytes(row) {
            return true;
        }
        let (x, y) = &mut *self.parts.borrow_mut();
        x.clear();
        y.clear();
        encode_from(&self.codecs[part], column, at, x);
        encode_from(&other.codecs[part], loaded, row, y);
        x == y
    }

    /// Bytes that `compare` looks at of a row.
    pub fn weight(&self, batch: &RowBatch, row: usize) -> usize {
        self.columns().map(|at| columns::value_bytes(&batch.columns[at], row)).sum()
    }

    fn columns(&self) -> impl Iterator<Item = usize> {
        self.scalars.iter().map(|key| key.as_column().expect("a column"))
    }

    /// Replaces `out` by the key of `row`.
    pub fn encode_to(&self, row: usize, out: &mut Vec<u8>) {
        out.clear();
        self.encode(row, out);
    }
}

/// For each row besides its bytes and its key's: where the key ends, its prefix with the row's number, its place.
const ROW_BYTES: usize = 28;

/// A key of a list: its bytes, and whether they are all of it.
#[derive(Clone, Copy)]
pub struct ListedKey<'a> {
    pub bytes: &'a [u8],
    pub is_whole: bool,
}

impl<'a> ListedKey<'a> {
    pub fn whole(bytes: &'a [u8]) -> ListedKey<'a> {
        ListedKey { bytes, is_whole: true }
    }

    /// `by_rows`: the order of the whole keys, where these do not tell. No whole key begins with another one.
    #[inline]
    pub fn cmp(self, other: ListedKey<'_>, by_rows: impl FnOnce() -> Ordering) -> Ordering {
        if self.is_whole && other.is_whole {
            return self.bytes.cmp(other.bytes);
        }
        let common = self.bytes.len().min(other.bytes.len());
        self.bytes[..common].cmp(&other.bytes[..common]).then_with(by_rows)
    }
}

/// Keys of many rows, back to back, each with the row it belongs to.
#[derive(Default)]
pub struct KeyList {
    bytes: Vec<u8>,
    /// With `CUT`: it is not all of the key that ends there.
    ends: Vec<usize>,
}

const CUT: usize = 1 << (usize::BITS - 1);

impl KeyList {
    pub fn append(&mut self, keys: &RowKeys, rows: usize) {
        // As the rows before.
        let each = self.bytes.len() / self.ends.len().max(1) + 1;
        columns::grow(&mut self.bytes, rows * each);
        columns::grow(&mut self.ends, rows);
        for row in 0..rows {
            let is_whole = self.encode(keys, row);
            self.end(is_whole);
        }
    }

    /// As `append`, of those rows alone, `picked`, that may come before `bar`, the key of an earlier one.
    pub fn append_before(&mut self, keys: &RowKeys, rows: usize, bar: ListedKey<'_>, picked: &mut Vec<u32>) {
        for row in 0..rows {
            let start = self.bytes.len();
            let is_whole = self.encode(keys, row);
            let key = ListedKey { bytes: &self.bytes[start..], is_whole };
            if key.cmp(bar, || Ordering::Less).is_lt() {
                self.end(is_whole);
                picked.push(row as u32);
            } else {
                self.bytes.truncate(start);
            }
        }
    }

    /// True: it is whole.
    fn encode(&mut self, keys: &RowKeys, row: usize) -> bool {
        if keys.cuts {
            return keys.encode_start(row, &mut self.bytes);
        }
        keys.encode(row, &mut self.bytes);
        true
    }

    pub fn push(&mut self, key: ListedKey<'_>) {
        self.bytes.extend_from_slice(key.bytes);
        self.end(key.is_whole);
    }

    fn end(&mut self, is_whole: bool) {
        self.ends.push(self.bytes.len() | if is_whole { 0 } else { CUT });
    }

    pub fn key(&self, row: usize) -> ListedKey<'_> {
        let start = if row == 0 { 0 } else { self.ends[row - 1] & !CUT };
        let end = self.ends[row];
        ListedKey { bytes: &self.bytes[start..end & !CUT], is_whole: end & CUT == 0 }
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
