//! Rows between operators: typed columns side by side, 1 to about 1,024 rows at a time.

use crate::datum::{Datum, DatumRef};
use crate::long;
use crate::sql_type::Physical;

/// Values of one column. `data` has a slot for every row; a NULL's slot holds anything.
#[derive(Debug, Clone)]
pub struct Column {
    pub data: ColumnData,
    /// One bit a row, set for NULL; empty when no row is NULL.
    pub nulls: Vec<u64>,
}

#[derive(Debug, Clone)]
pub enum ColumnData {
    I64(Vec<i64>),
    F64(Vec<f64>),
    I128(Vec<i128>),
    /// `ends[i]` is where row i's bytes end in `bytes`; it starts where row i-1 ends.
    Bytes {
        ends: Vec<u32>,
        bytes: Vec<u8>,
    },
}

impl Column {
    pub fn new(class: Physical) -> Column {
        let data = match class {
            Physical::I64 => ColumnData::I64(Vec::new()),
            Physical::F64 => ColumnData::F64(Vec::new()),
            Physical::I128 => ColumnData::I128(Vec::new()),
            Physical::Bytes => ColumnData::Bytes { ends: Vec::new(), bytes: Vec::new() },
        };
        Column { data, nulls: Vec::new() }
    }

    pub fn len(&self) -> usize {
        match &self.data {
            ColumnData::I64(values) => values.len(),
            ColumnData::F64(values) => values.len(),
            ColumnData::I128(values) => values.len(),
            ColumnData::Bytes { ends, .. } => ends.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keeps the allocations.
    pub fn clear(&mut self) {
        self.nulls.clear();
        match &mut self.data {
            ColumnData::I64(values) => values.clear(),
            ColumnData::F64(values) => values.clear(),
            ColumnData::I128(values) => values.clear(),
            ColumnData::Bytes { ends, bytes } => {
                ends.clear();
                bytes.clear();
            }
        }
    }

    #[inline]
    pub fn is_null(&self, row: usize) -> bool {
        self.nulls.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    fn mark_null(&mut self, row: usize) {
        if self.nulls.len() <= row / 64 {
            self.nulls.resize(row / 64 + 1, 0);
        }
        self.nulls[row / 64] |= 1 << (row % 64);
    }

    pub fn push_null(&mut self) {
        let row = self.len();
        match &mut self.data {
            ColumnData::I64(values) => values.push(0),
            ColumnData::F64(values) => values.push(0.0),
            ColumnData::I128(values) => values.push(0),
            ColumnData::Bytes { ends, bytes } => ends.push(bytes.len() as u32),
        }
        self.mark_null(row);
    }

    /// Panics if the datum's class is not the column's.
    pub fn push(&mut self, datum: &Datum) {
        match (&mut self.data, datum) {
            (_, Datum::Null) => self.push_null(),
            (ColumnData::I64(values), Datum::I64(value)) => values.push(*value),
            (ColumnData::F64(values), Datum::F64(value)) => values.push(*value),
            (ColumnData::I128(values), Datum::I128(value)) => values.push(*value),
            (ColumnData::Bytes { .. }, Datum::Bytes(value)) => self.push_bytes(value),
            (data, datum) => panic!("{datum:?} pushed to a column of another class: {data:?}"),
        }
    }

    /// Panics if the column is not of class Bytes.
    #[inline]
    pub fn push_bytes(&mut self, value: &[u8]) {
        match &mut self.data {
            ColumnData::Bytes { ends, bytes } => {
                long::append(bytes, value);
                ends.push(bytes.len() as u32);
            }
            other => panic!("bytes pushed to a column of another class: {other:?}"),
        }
    }

    /// As `push`, of a value that nobody else needs.
    pub fn push_owned(&mut self, datum: Datum) {
        match datum {
            Datum::Bytes(value) => self.push_vec(value.into_vec()),
            value => self.push(&value),
        }
    }

    /// As `push_bytes`, of a value that nobody else needs: a long one that is the first is not copied.
    pub fn push_vec(&mut self, value: Vec<u8>) {
        match &mut self.data {
            ColumnData::Bytes { ends, bytes } if bytes.is_empty() && value.len() >= long::LONG => {
                *bytes = value;
                ends.push(bytes.len() as u32);
            }
            _ => self.push_bytes(&value),
        }
    }

    /// The first value. A long one is not copied where it is the only one, and gone from the column.
    pub fn take_first(&mut self) -> Datum {
        let is_null = self.is_null(0);
        match &mut self.data {
            ColumnData::Bytes { ends, bytes } if ends.len() == 1 && bytes.len() >= long::LONG && !is_null => {
                ends[0] = 0;
                Datum::Bytes(std::mem::take(bytes).into_boxed_slice())
            }
            _ => self.datum(0),
        }
    }

    pub fn datum(&self, row: usize) -> Datum {
        self.at(row).to_datum()
    }

    /// The value where it lies.
    pub fn at(&self, row: usize) -> DatumRef<'_> {
        if self.is_null(row) {
            return DatumRef::Null;
        }
        match &self.data {
            ColumnData::I64(values) => DatumRef::I64(values[row]),
            ColumnData::F64(values) => DatumRef::F64(values[row]),
            ColumnData::I128(values) => DatumRef::I128(values[row]),
            ColumnData::Bytes { .. } => DatumRef::Bytes(self.bytes(row)),
        }
    }

    /// Panics if the column is not of class Bytes.
    #[inline]
    pub fn bytes(&self, row: usize) -> &[u8] {
        match &self.data {
            ColumnData::Bytes { ends, bytes } => {
                let start = if row == 0 { 0 } else { ends[row - 1] as usize };
                &bytes[start..ends[row] as usize]
            }
            other => panic!("bytes read from a column of another class: {other:?}"),
        }
    }
}

/// Some rows. `rows` counts them even when no column is needed (count(*) over a join reads none).
#[derive(Debug, Clone, Default)]
pub struct RowBatch {
    pub rows: usize,
    pub columns: Vec<Column>,
}

impl RowBatch {
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn new(classes: impl IntoIterator<Item = Physical>) -> RowBatch {
        crate::plant!();
        RowBatch { rows: 0, columns: classes.into_iter().map(Column::new).collect() }
    }

    pub fn clear(&mut self) {
        self.rows = 0;
        self.columns.iter_mut().for_each(Column::clear);
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn push_row(&mut self, row: &[Datum]) {
        crate::plant!();
        assert_eq!(row.len(), self.columns.len(), "a row has one datum a column");
        for (column, datum) in self.columns.iter_mut().zip(row) {
            column.push(datum);
        }
        self.rows += 1;
    }
}
