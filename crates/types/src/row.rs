//! The row image: one row as bytes, as pages, the version store, sorts and hash tables hold it.
//!
//! ```text
//!  0         2              2+F             2+F+N             2+F+N+V*w
//!  +---------+--------------+---------------+-----------------+---------------------------+
//!  | header  | fixed part   | null bitmap   | ends of the     | variable part             |
//!  | u16     | F bytes      | N = (c+7)/8   | V variable ones | back to back              |
//!  +---------+--------------+---------------+-----------------+---------------------------+
//!  header: bits 0-13 c, the columns this image has; bit 15 wide: an end has w = 4 bytes instead of 2
//!  fixed part: columns of fixed width in column order (`fixed.rs`); a NULL's bytes are zero
//!  null bitmap: bit i % 8 of byte i / 8 is set when column i is NULL
//!  end: offset in the variable part after the value; its top bit: the value is a 24-byte overflow reference
//! ```
//!
//! An image may have fewer columns than its layout: columns are added at the end of a table without touching its rows,
//! and read as NULL, or as the value that the layout has for them. All numbers are little-endian. The image has no padding and
//! no spare bytes, so equal rows of one layout have equal images.

use std::fmt;

use crate::batch::{Column, ColumnData};
use crate::datum::Datum;
use crate::fixed::{FixedCodec, fixed_codec, signed};
use crate::sql_type::{Physical, SqlType};

/// Most columns of one row: 14 bits of the header (T-SQL allows 1,024, and 30,000 sparse ones are not offered).
pub const COLUMNS_MAX: usize = 4096;
/// Bytes of a reference to a value that storage keeps out of the row. Storage alone knows what is in it.
pub const OVERFLOW_REF_BYTES: usize = 24;
pub type OverflowRef = [u8; OVERFLOW_REF_BYTES];

const HEADER_BYTES: usize = 2;
const COLUMNS_MASK: u16 = 0x3fff;
const WIDE: u16 = 0x8000;
const NARROW_OVERFLOW: u16 = 0x8000;
const WIDE_OVERFLOW: u32 = 0x8000_0000;

/// What a layout needs to know of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnType {
    pub ty: SqlType,
    pub nullable: bool,
}

impl ColumnType {
    pub const fn nullable(ty: SqlType) -> ColumnType {
        ColumnType { ty, nullable: true }
    }

    pub const fn not_null(ty: SqlType) -> ColumnType {
        ColumnType { ty, nullable: false }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// `offset` is into the fixed part.
    Fixed { offset: u32, codec: FixedCodec },
    /// The n-th column of variable width.
    Variable { index: u16 },
}

/// Where the columns of a row image are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowLayout {
    columns: Box<[ColumnType]>,
    places: Box<[Place]>,
    /// `[c]`: bytes of the fixed part, and count of variable columns, of an image with c columns.
    prefixes: Box<[(u32, u16)]>,
    /// By column, the bytes of its value in images of before it was added; beyond the end, or None: NULL.
    missing: Box<[Option<Box<[u8]>>]>,
}

/// Tells images with all columns of a layout, and bytes enough for those of fixed width, from those of before a column was added
/// and from damaged ones.
#[derive(Debug, Clone, Copy)]
pub struct Completeness {
    columns: u16,
    bytes: u32,
}

impl Completeness {
    #[inline(always)]
    pub fn is_met_by(self, image: &[u8]) -> bool {
        let columns = image.first_chunk().map_or(0, |header| u16::from_le_bytes(*header) & COLUMNS_MASK);
        columns == self.columns && image.len() >= self.bytes as usize
    }
}

/// A row image that does not agree with its layout: damaged, or read with the wrong layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorruptRow(&'static str);

impl fmt::Display for CorruptRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "corrupt row image: {}", self.0)
    }
}

impl std::error::Error for CorruptRow {}

impl RowLayout {
    /// Panics on more than `COLUMNS_MAX` columns: the binder refuses such a table with 1702.
    pub fn new(columns: &[ColumnType]) -> RowLayout {
        assert!(columns.len() <= COLUMNS_MAX, "a layout of {} columns", columns.len());
        let mut places = Vec::with_capacity(columns.len());
        let mut prefixes = vec![(0, 0)];
        let (mut fixed, mut variable) = (0_u32, 0_u16);
        for column in columns {
            match fixed_codec(&column.ty) {
                Some(codec) => {
                    places.push(Place::Fixed { offset: fixed, codec });
                    fixed += codec.size() as u32;
                }
                None => {
                    places.push(Place::Variable { index: variable });
                    variable += 1;
                }
            }
            prefixes.push((fixed, variable));
        }
        RowLayout { columns: columns.into(), places: places.into(), prefixes: prefixes.into(), missing: Box::default() }
    }

    /// What a column reads as in images that have not got it: its value's bytes, as in an image that has.
    pub fn set_missing(&mut self, column: usize, bytes: &[u8]) {
        assert!(column < self.len(), "column {column} of {}", self.len());
        if let Place::Fixed { codec, .. } = self.places[column] {
            assert_eq!(bytes.len(), codec.size(), "the bytes of a value of column {column}");
        }
        let mut missing = std::mem::take(&mut self.missing).into_vec();
        missing.resize(missing.len().max(column + 1), None);
        missing[column] = Some(bytes.into());
        self.missing = missing.into();
    }

    /// Columns with such a value.
    pub fn missing(&self) -> impl Iterator<Item = (usize, &[u8])> {
        self.missing.iter().enumerate().filter_map(|(column, bytes)| Some((column, bytes.as_deref()?)))
    }

    #[cold]
    fn missing_value(&self, column: usize) -> Option<&[u8]> {
        assert!(column < self.len(), "column {column} of {}", self.len());
        self.missing.get(column)?.as_deref()
    }

    pub fn columns(&self) -> &[ColumnType] {
        &self.columns
    }

    pub fn len(&self) -> usize {
        self.columns.len()
    }

    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    pub fn column_type(&self, column: usize) -> SqlType {
        self.columns[column].ty
    }

    pub fn classes(&self) -> impl Iterator<Item = Physical> + '_ {
        self.columns.iter().map(|column| column.ty.physical())
    }

    /// True when the column's bytes are in the variable part, so that its value may be an overflow reference.
    pub fn is_variable(&self, column: usize) -> bool {
        matches!(self.places[column], Place::Variable { .. })
    }

    /// Where a full image has the column's bytes, if they are of fixed width.
    pub fn fixed_at(&self, column: usize) -> Option<(usize, FixedCodec)> {
        match self.places[column] {
            Place::Fixed { offset, codec } => Some((HEADER_BYTES + offset as usize, codec)),
            Place::Variable { .. } => None,
        }
    }

    /// The byte and the bit of a full image that say whether the column is NULL.
    pub fn null_at(&self, column: usize) -> (usize, u8) {
        (HEADER_BYTES + self.fixed_bytes(self.len()) + column / 8, (column % 8) as u8)
    }

    #[inline]
    fn fixed_bytes(&self, columns: usize) -> usize {
        self.prefixes[columns].0 as usize
    }

    #[inline]
    fn variable_columns(&self, columns: usize) -> usize {
        self.prefixes[columns].1 as usize
    }

    /// Bytes before the variable part of a full narrow image: also the least a row can take.
    pub fn min_bytes(&self) -> usize {
        let columns = self.len();
        HEADER_BYTES + self.fixed_bytes(columns) + columns.div_ceil(8) + 2 * self.variable_columns(columns)
    }

    /// What `append_fixed` needs of its images.
    pub fn completeness(&self) -> Completeness {
        Completeness { columns: self.len() as u16, bytes: self.min_bytes() as u32 }
    }

    /// Appends a column of fixed width of the images that begin at `starts` in `buffer` to `target`. May panic if one is not
    /// complete (`completeness`).
    pub fn append_fixed(&self, buffer: &[u8], starts: &[u16], column: usize, target: &mut Column) {
        let Place::Fixed { offset, codec } = self.places[column] else {
            panic!("column {column} is of variable width")
        };
        let at = HEADER_BYTES + offset as usize;
        let bitmap_at = HEADER_BYTES + self.fixed_bytes(self.len()) + column / 8;
        let is_null = |start: u16| buffer[start as usize + bitmap_at] >> (column % 8) & 1 == 1;
        let bytes = |start: u16| &buffer[start as usize + at..start as usize + at + codec.size()];
        if self.columns[column].nullable && starts.iter().any(|start| is_null(*start)) {
            for start in starts {
                match is_null(*start) {
                    true => target.push_null(),
                    false => push_fixed(codec, bytes(*start), target),
                }
            }
            return;
        }
        // The commonest columns: no look at their kind for each value.
        match (&mut target.data, codec) {
            (ColumnData::I64(values), FixedCodec::I32) => values.extend(
                starts.iter().map(|start| i64::from(i32::from_le_bytes(bytes(*start).try_into().expect("4 bytes")))),
            ),
            (ColumnData::I64(values), FixedCodec::U24) => values.extend(starts.iter().map(|start| {
                let date = bytes(*start);
                i64::from(u32::from_le_bytes([date[0], date[1], date[2], 0]))
            })),
            (ColumnData::I64(values), _) => values.extend(starts.iter().map(|start| codec.read_i64(bytes(*start)))),
            (ColumnData::I128(values), FixedCodec::Decimal { bytes: 5 }) => values.extend(starts.iter().map(|start| {
                let (sign, magnitude) = bytes(*start).split_first().expect("a sign and 4 bytes");
                signed(*sign, u32::from_le_bytes(magnitude.try_into().expect("4 bytes")).into())
            })),
            (ColumnData::I128(values), FixedCodec::Decimal { bytes: 9 }) => values.extend(starts.iter().map(|start| {
                let (sign, magnitude) = bytes(*start).split_first().expect("a sign and 8 bytes");
                signed(*sign, u64::from_le_bytes(magnitude.try_into().expect("8 bytes")).into())
            })),
            _ => starts.iter().for_each(|start| push_fixed(codec, bytes(*start), target)),
        }
    }

    /// Bytes of the image of `row` when every value is in the row.
    pub fn encoded_bytes(&self, row: &[Datum]) -> usize {
        let values: usize = self
            .places
            .iter()
            .zip(row)
            .map(|(place, datum)| match (place, datum) {
                (Place::Variable { .. }, Datum::Bytes(bytes)) => bytes.len(),
                _ => 0,
            })
            .sum();
        let wide = if values > NARROW_MAX { 2 * self.variable_columns(self.len()) } else { 0 };
        self.min_bytes() + wide + values
    }

    /// For storage to keep, without what images lack: u16 count, then for each column the type's 8 bytes and 1 byte nullable.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(2 + 9 * self.len());
        out.extend_from_slice(&(self.len() as u16).to_le_bytes());
        for column in &self.columns {
            out.extend_from_slice(&column.ty.to_bytes());
            out.push(column.nullable as u8);
        }
        out
    }

    /// Reads what `to_bytes` wrote, from the start of `bytes`; also how many bytes that was.
    pub fn from_bytes(bytes: &[u8]) -> Result<(RowLayout, usize), CorruptRow> {
        let bad = CorruptRow("row layout");
        let count = u16::from_le_bytes(*bytes.first_chunk().ok_or(bad)?) as usize;
        let size = 2 + 9 * count;
        let body = bytes.get(2..size).ok_or(bad)?;
        if count > COLUMNS_MAX {
            return Err(bad);
        }
        let mut columns = Vec::with_capacity(count);
        for entry in body.chunks_exact(9) {
            let ty = SqlType::from_bytes(entry.first_chunk().expect("8 of 9 bytes")).ok_or(bad)?;
            columns.push(ColumnType { ty, nullable: entry[8] != 0 });
        }
        Ok((RowLayout::new(&columns), size))
    }
}

/// Appends the image of `row` to `out`. Every value stays in the row, however long.
/// Panics on a datum of another class than its column's, and on NULL in a NOT NULL column (515 comes first).
pub fn encode(layout: &RowLayout, row: &[Datum], out: &mut Vec<u8>) {
    assert_eq!(row.len(), layout.len(), "a row has one datum a column");
    let mut builder = RowBuilder::new(layout, out);
    for datum in row {
        builder.push(datum);
    }
    builder.finish();
}

/// Largest end of a variable value in a narrow image.
const NARROW_MAX: usize = NARROW_OVERFLOW as usize - 1;

/// Writes one image at the end of `out`, value after value in column order.
#[derive(Debug)]
pub struct RowBuilder<'a> {
    layout: &'a RowLayout,
    out: &'a mut Vec<u8>,
    start: usize,
    /// The next column.
    column: usize,
    /// Where the ends and the variable part begin in `out`.
    ends_at: usize,
    variable_at: usize,
    wide: bool,
}

impl<'a> RowBuilder<'a> {
    pub fn new(layout: &'a RowLayout, out: &'a mut Vec<u8>) -> RowBuilder<'a> {
        let columns = layout.len();
        let start = out.len();
        let ends_at = start + HEADER_BYTES + layout.fixed_bytes(columns) + columns.div_ceil(8);
        let variable_at = ends_at + 2 * layout.variable_columns(columns);
        out.resize(variable_at, 0);
        out[start..start + 2].copy_from_slice(&(columns as u16).to_le_bytes());
        RowBuilder { layout, out, start, column: 0, ends_at, variable_at, wide: false }
    }

    fn fixed_place(&mut self) -> (FixedCodec, &mut [u8]) {
        let Place::Fixed { offset, codec } = self.layout.places[self.column] else {
            panic!("column {} is of variable width: {:?}", self.column, self.layout.columns[self.column].ty)
        };
        self.column += 1;
        let at = self.start + HEADER_BYTES + offset as usize;
        (codec, &mut self.out[at..at + codec.size()])
    }

    #[inline]
    pub fn push_i64(&mut self, value: i64) {
        let (codec, out) = self.fixed_place();
        codec.put_i64(value, out);
    }

    #[inline]
    pub fn push_f64(&mut self, value: f64) {
        let (codec, out) = self.fixed_place();
        codec.put_f64(value, out);
    }

    #[inline]
    pub fn push_i128(&mut self, value: i128) {
        let (codec, out) = self.fixed_place();
        codec.put_i128(value, out);
    }

    #[inline]
    pub fn push_bytes(&mut self, value: &[u8]) {
        match self.layout.places[self.column] {
            Place::Fixed { .. } => {
                let (codec, out) = self.fixed_place();
                codec.put_bytes(value, out);
            }
            Place::Variable { index } => {
                self.out.extend_from_slice(value);
                self.put_end(index, false);
                self.column += 1;
            }
        }
    }

    /// A value as another row stores it, in a column of the same type.
    #[inline]
    pub fn push_stored(&mut self, value: &[u8]) {
        match self.layout.places[self.column] {
            Place::Fixed { .. } => self.fixed_place().1.copy_from_slice(value),
            Place::Variable { .. } => self.push_bytes(value),
        }
    }

    /// The value is elsewhere, at what `reference` means to storage. Panics if the column is of fixed width.
    pub fn push_overflow(&mut self, reference: &OverflowRef) {
        let Place::Variable { index } = self.layout.places[self.column] else {
            panic!("column {} of fixed width cannot overflow", self.column)
        };
        self.out.extend_from_slice(reference);
        self.put_end(index, true);
        self.column += 1;
    }

    #[inline]
    pub fn push_null(&mut self) {
        let column = self.column;
        assert!(self.layout.columns[column].nullable, "NULL in the NOT NULL column {column}");
        let bitmap_at = self.ends_at - self.layout.len().div_ceil(8);
        self.out[bitmap_at + column / 8] |= 1 << (column % 8);
        if let Place::Variable { index } = self.layout.places[column] {
            self.put_end(index, false);
        }
        self.column += 1;
    }

    #[inline]
    pub fn push(&mut self, datum: &Datum) {
        match datum {
            Datum::Null => self.push_null(),
            Datum::I64(value) => self.push_i64(*value),
            Datum::F64(value) => self.push_f64(*value),
            Datum::I128(value) => self.push_i128(*value),
            Datum::Bytes(value) => self.push_bytes(value),
        }
    }

    /// The value of `row` in a batch's column.
    #[inline]
    pub fn push_from(&mut self, column: &Column, row: usize) {
        if column.is_null(row) {
            return self.push_null();
        }
        match &column.data {
            ColumnData::I64(values) => self.push_i64(values[row]),
            ColumnData::F64(values) => self.push_f64(values[row]),
            ColumnData::I128(values) => self.push_i128(values[row]),
            ColumnData::Bytes { .. } => self.push_bytes(column.bytes(row)),
        }
    }

    fn put_end(&mut self, index: u16, overflow: bool) {
        let end = self.out.len() - self.variable_at;
        if !self.wide && end > NARROW_MAX {
            self.widen(index);
        }
        let end = self.out.len() - self.variable_at;
        if self.wide {
            assert!(end < WIDE_OVERFLOW as usize, "a row of more than 2 GB");
            let at = self.ends_at + 4 * index as usize;
            let word = end as u32 | if overflow { WIDE_OVERFLOW } else { 0 };
            self.out[at..at + 4].copy_from_slice(&word.to_le_bytes());
        } else {
            let at = self.ends_at + 2 * index as usize;
            let word = end as u16 | if overflow { NARROW_OVERFLOW } else { 0 };
            self.out[at..at + 2].copy_from_slice(&word.to_le_bytes());
        }
    }

    /// Ends of 4 bytes from here on; `written` of them exist.
    fn widen(&mut self, written: u16) {
        let count = self.layout.variable_columns(self.layout.len());
        let mut ends = vec![0; 4 * count];
        for index in 0..written as usize {
            let at = self.ends_at + 2 * index;
            let word = u16::from_le_bytes([self.out[at], self.out[at + 1]]);
            let flag = if word & NARROW_OVERFLOW != 0 { WIDE_OVERFLOW } else { 0 };
            ends[4 * index..4 * index + 4].copy_from_slice(&((word & !NARROW_OVERFLOW) as u32 | flag).to_le_bytes());
        }
        self.out.splice(self.ends_at..self.variable_at, ends);
        self.variable_at = self.ends_at + 4 * count;
        self.wide = true;
        self.out[self.start + 1] |= (WIDE >> 8) as u8;
    }

    /// Every column has been pushed; the image is complete. Its bytes.
    pub fn finish(self) -> usize {
        assert_eq!(self.column, self.layout.len(), "every column of the row is written");
        self.out.len() - self.start
    }
}

/// One value as the image holds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Field<'a> {
    Null,
    /// Fixed bytes (`fixed.rs`) or the value's own.
    Bytes(&'a [u8]),
    Overflow(&'a OverflowRef),
}

/// Reads an image. Small and `Copy`: make one a row.
#[derive(Debug, Clone, Copy)]
pub struct RowView<'a> {
    layout: &'a RowLayout,
    image: &'a [u8],
    columns: u16,
    wide: bool,
    bitmap_at: u32,
    variable_at: u32,
}

impl<'a> RowView<'a> {
    /// `image` is exactly one image. Checks everything that reading it relies on.
    #[inline]
    pub fn new(layout: &'a RowLayout, image: &'a [u8]) -> Result<RowView<'a>, CorruptRow> {
        let view = RowView::fixed(layout, image)?;
        let mut before = 0;
        for index in 0..layout.variable_columns(view.columns as usize) {
            let (end, overflow) = view.end(index);
            if end < before || overflow && end - before != OVERFLOW_REF_BYTES {
                return Err(CorruptRow("ends out of order"));
            }
            before = end;
        }
        if before != image.len() - view.variable_at as usize {
            return Err(CorruptRow("length"));
        }
        Ok(view)
    }

    /// As `new` for reading columns of fixed width only: does not look at the others.
    #[inline]
    pub fn fixed(layout: &'a RowLayout, image: &'a [u8]) -> Result<RowView<'a>, CorruptRow> {
        let header = image.first_chunk().ok_or(CorruptRow("no header"))?;
        let header = u16::from_le_bytes(*header);
        let columns = header & COLUMNS_MASK;
        let wide = header & WIDE != 0;
        if columns as usize > layout.len() {
            return Err(CorruptRow("more columns than the layout"));
        }
        let bitmap_at = HEADER_BYTES + layout.fixed_bytes(columns as usize);
        let ends_at = bitmap_at + (columns as usize).div_ceil(8);
        let count = layout.variable_columns(columns as usize);
        let variable_at = ends_at + count * if wide { 4 } else { 2 };
        if image.len() < variable_at {
            return Err(CorruptRow("shorter than its fixed part"));
        }
        Ok(RowView { layout, image, columns, wide, bitmap_at: bitmap_at as u32, variable_at: variable_at as u32 })
    }

    pub fn layout(&self) -> &'a RowLayout {
        self.layout
    }

    pub fn image(&self) -> &'a [u8] {
        self.image
    }

    /// End of a variable value, and whether it is a reference.
    #[inline]
    fn end(&self, index: usize) -> (usize, bool) {
        let ends_at = self.bitmap_at as usize + (self.columns as usize).div_ceil(8);
        if self.wide {
            let at = ends_at + 4 * index;
            let word = u32::from_le_bytes(self.image[at..at + 4].try_into().expect("4 bytes"));
            ((word & !WIDE_OVERFLOW) as usize, word & WIDE_OVERFLOW != 0)
        } else {
            let at = ends_at + 2 * index;
            let word = u16::from_le_bytes([self.image[at], self.image[at + 1]]);
            ((word & !NARROW_OVERFLOW) as usize, word & NARROW_OVERFLOW != 0)
        }
    }

    #[inline]
    pub fn is_null(&self, column: usize) -> bool {
        if column >= self.columns as usize {
            return self.layout.missing_value(column).is_none();
        }
        self.image[self.bitmap_at as usize + column / 8] >> (column % 8) & 1 == 1
    }

    #[inline]
    pub fn field(&self, column: usize) -> Field<'a> {
        if column >= self.columns as usize {
            return self.layout.missing_value(column).map_or(Field::Null, Field::Bytes);
        }
        if self.is_null(column) {
            return Field::Null;
        }
        match self.layout.places[column] {
            Place::Fixed { offset, codec } => {
                let at = HEADER_BYTES + offset as usize;
                Field::Bytes(&self.image[at..at + codec.size()])
            }
            Place::Variable { index } => {
                let (bytes, overflow) = self.variable(index as usize);
                if overflow {
                    Field::Overflow(bytes.try_into().expect("`new` checked the length of references"))
                } else {
                    Field::Bytes(bytes)
                }
            }
        }
    }

    #[inline]
    fn variable(&self, index: usize) -> (&'a [u8], bool) {
        let start = if index == 0 { 0 } else { self.end(index - 1).0 };
        let (end, overflow) = self.end(index);
        let base = self.variable_at as usize;
        (&self.image[base + start..base + end], overflow)
    }

    /// The reference that storage put in place of the value, if it did.
    #[inline]
    pub fn overflow(&self, column: usize) -> Option<&'a OverflowRef> {
        match self.field(column) {
            Field::Overflow(reference) => Some(reference),
            _ => None,
        }
    }

    /// Any reference in the row at all: storage asks before it frees or moves a row.
    pub fn has_overflow(&self) -> bool {
        (0..self.layout.variable_columns(self.columns as usize)).any(|index| self.end(index).1)
    }

    fn codec(&self, column: usize) -> FixedCodec {
        match self.layout.places[column] {
            Place::Fixed { codec, .. } => codec,
            Place::Variable { .. } => panic!("column {column} is of variable width"),
        }
    }

    fn present(&self, column: usize) -> &'a [u8] {
        match self.field(column) {
            Field::Bytes(bytes) => bytes,
            other => panic!("column {column} is not in the row: {other:?}"),
        }
    }

    /// Panics on NULL and on a column of another class, as the next three do.
    #[inline]
    pub fn i64(&self, column: usize) -> i64 {
        self.codec(column).read_i64(self.present(column))
    }

    #[inline]
    pub fn f64(&self, column: usize) -> f64 {
        self.codec(column).read_f64(self.present(column))
    }

    #[inline]
    pub fn i128(&self, column: usize) -> i128 {
        self.codec(column).read_i128(self.present(column))
    }

    /// The value's bytes (of a fixed column: as `fixed.rs` draws them). Panics on NULL and on an overflow reference.
    #[inline]
    pub fn bytes(&self, column: usize) -> &'a [u8] {
        self.present(column)
    }

    /// Panics on an overflow reference: storage resolves those first (`overflow`).
    pub fn datum(&self, column: usize) -> Datum {
        match (self.field(column), self.layout.places[column]) {
            (Field::Null, _) => Datum::Null,
            (Field::Bytes(bytes), Place::Fixed { codec, .. }) => codec.read(bytes),
            (Field::Bytes(bytes), Place::Variable { .. }) => Datum::bytes(bytes),
            (Field::Overflow(_), _) => panic!("column {column} is out of the row"),
        }
    }

    /// Appends the value to `target` without making a datum. Some: nothing was appended, the value is out of the row
    /// and the caller has to read and push it.
    #[inline]
    pub fn append_to(&self, column: usize, target: &mut Column) -> Option<&'a OverflowRef> {
        if column >= self.columns as usize {
            match (self.layout.missing_value(column), self.layout.places[column]) {
                (None, _) => target.push_null(),
                (Some(bytes), Place::Variable { .. }) => target.push_bytes(bytes),
                (Some(bytes), Place::Fixed { codec, .. }) => push_fixed(codec, bytes, target),
            }
            return None;
        }
        if self.is_null(column) {
            target.push_null();
            return None;
        }
        match self.layout.places[column] {
            Place::Variable { index } => {
                let (bytes, overflow) = self.variable(index as usize);
                if overflow {
                    return Some(bytes.try_into().expect("`new` checked the length of references"));
                }
                target.push_bytes(bytes);
            }
            Place::Fixed { offset, codec } => {
                let at = HEADER_BYTES + offset as usize;
                if let (FixedCodec::I32, ColumnData::I64(values)) = (codec, &mut target.data) {
                    // The commonest column: one look at its kind, where others take three.
                    let bytes = self.image[at..at + 4].try_into().expect("4 bytes");
                    values.push(i32::from_le_bytes(bytes).into());
                    return None;
                }
                push_fixed(codec, &self.image[at..at + codec.size()], target);
            }
        }
        None
    }
}

#[inline]
fn push_fixed(codec: FixedCodec, bytes: &[u8], target: &mut Column) {
    match &mut target.data {
        ColumnData::I64(values) => values.push(codec.read_i64(bytes)),
        ColumnData::F64(values) => values.push(codec.read_f64(bytes)),
        ColumnData::I128(values) => values.push(codec.read_i128(bytes)),
        ColumnData::Bytes { ends, bytes: all } => {
            all.extend_from_slice(bytes);
            ends.push(all.len() as u32);
        }
    }
}

/// Appends one column of an image to `target`; see `RowView::append_to`.
#[inline]
pub fn append_to<'a>(
    layout: &'a RowLayout,
    image: &'a [u8],
    column: usize,
    target: &mut Column,
) -> Result<Option<&'a OverflowRef>, CorruptRow> {
    Ok(RowView::new(layout, image)?.append_to(column, target))
}
