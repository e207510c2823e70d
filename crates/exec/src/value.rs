//! One value on its way between expressions: borrowed where it can be.

use std::borrow::Cow;

use types::{Column, ColumnData, Datum, DatumRef, RowBatch};

#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    Null,
    I64(i64),
    F64(f64),
    I128(i128),
    Bytes(Cow<'a, [u8]>),
}

impl<'a> Value<'a> {
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// Panics on another class. NULL is None.
    #[inline]
    pub fn i64(&self) -> Option<i64> {
        match self {
            Value::I64(value) => Some(*value),
            Value::Null => None,
            other => panic!("expected an I64 value, found {other:?}"),
        }
    }

    #[inline]
    pub fn f64(&self) -> Option<f64> {
        match self {
            Value::F64(value) => Some(*value),
            Value::Null => None,
            other => panic!("expected an F64 value, found {other:?}"),
        }
    }

    #[inline]
    pub fn i128(&self) -> Option<i128> {
        match self {
            Value::I128(value) => Some(*value),
            Value::Null => None,
            other => panic!("expected an I128 value, found {other:?}"),
        }
    }

    #[inline]
    pub fn bytes(self) -> Option<Cow<'a, [u8]>> {
        match self {
            Value::Bytes(value) => Some(value),
            Value::Null => None,
            other => panic!("expected a Bytes value, found {other:?}"),
        }
    }

    pub fn owned(bytes: Vec<u8>) -> Value<'static> {
        Value::Bytes(Cow::Owned(bytes))
    }

    pub fn from_datum(datum: &Datum) -> Value<'_> {
        match datum {
            Datum::Null => Value::Null,
            Datum::I64(value) => Value::I64(*value),
            Datum::F64(value) => Value::F64(*value),
            Datum::I128(value) => Value::I128(*value),
            Datum::Bytes(bytes) => Value::Bytes(Cow::Borrowed(bytes)),
        }
    }

    pub fn from_owned(datum: Datum) -> Value<'static> {
        match datum {
            Datum::Null => Value::Null,
            Datum::I64(value) => Value::I64(value),
            Datum::F64(value) => Value::F64(value),
            Datum::I128(value) => Value::I128(value),
            Datum::Bytes(bytes) => Value::Bytes(Cow::Owned(bytes.into_vec())),
        }
    }

    pub fn as_datum(&self) -> DatumRef<'_> {
        match self {
            Value::Null => DatumRef::Null,
            Value::I64(value) => DatumRef::I64(*value),
            Value::F64(value) => DatumRef::F64(*value),
            Value::I128(value) => DatumRef::I128(*value),
            Value::Bytes(bytes) => DatumRef::Bytes(bytes),
        }
    }

    pub fn into_datum(self) -> Datum {
        match self {
            Value::Null => Datum::Null,
            Value::I64(value) => Datum::I64(value),
            Value::F64(value) => Datum::F64(value),
            Value::I128(value) => Datum::I128(value),
            Value::Bytes(bytes) => Datum::Bytes(bytes.into_owned().into_boxed_slice()),
        }
    }

    pub fn from_column(column: &'a Column, row: usize) -> Value<'a> {
        if column.is_null(row) {
            return Value::Null;
        }
        match &column.data {
            ColumnData::I64(values) => Value::I64(values[row]),
            ColumnData::F64(values) => Value::F64(values[row]),
            ColumnData::I128(values) => Value::I128(values[row]),
            ColumnData::Bytes { .. } => Value::Bytes(Cow::Borrowed(column.bytes(row))),
        }
    }

    /// Panics if the classes differ.
    pub fn push_to(self, column: &mut Column) {
        match (&mut column.data, self) {
            (_, Value::Null) => column.push_null(),
            (ColumnData::I64(values), Value::I64(value)) => values.push(value),
            (ColumnData::F64(values), Value::F64(value)) => values.push(value),
            (ColumnData::I128(values), Value::I128(value)) => values.push(value),
            (ColumnData::Bytes { .. }, Value::Bytes(Cow::Borrowed(value))) => column.push_bytes(value),
            (ColumnData::Bytes { .. }, Value::Bytes(Cow::Owned(value))) => column.push_vec(value),
            (data, value) => panic!("{value:?} pushed to a column of another class: {data:?}"),
        }
    }
}

impl From<Option<i64>> for Value<'_> {
    fn from(value: Option<i64>) -> Self {
        value.map_or(Value::Null, Value::I64)
    }
}

/// The row an expression reads.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    pub batch: &'a RowBatch,
    pub index: usize,
}

impl<'a> Row<'a> {
    #[inline]
    pub fn i64(self, column: usize) -> Option<i64> {
        let column = &self.batch.columns[column];
        match &column.data {
            ColumnData::I64(values) if !column.is_null(self.index) => Some(values[self.index]),
            ColumnData::I64(_) => None,
            other => panic!("expected an I64 column, found {other:?}"),
        }
    }

    #[inline]
    pub fn f64(self, column: usize) -> Option<f64> {
        let column = &self.batch.columns[column];
        match &column.data {
            ColumnData::F64(values) if !column.is_null(self.index) => Some(values[self.index]),
            ColumnData::F64(_) => None,
            other => panic!("expected an F64 column, found {other:?}"),
        }
    }

    #[inline]
    pub fn i128(self, column: usize) -> Option<i128> {
        let column = &self.batch.columns[column];
        match &column.data {
            ColumnData::I128(values) if !column.is_null(self.index) => Some(values[self.index]),
            ColumnData::I128(_) => None,
            other => panic!("expected an I128 column, found {other:?}"),
        }
    }

    #[inline]
    pub fn bytes(self, column: usize) -> Option<&'a [u8]> {
        let column = &self.batch.columns[column];
        (!column.is_null(self.index)).then(|| column.bytes(self.index))
    }

    pub fn value(self, column: usize) -> Value<'a> {
        Value::from_column(&self.batch.columns[column], self.index)
    }
}

/// A batch of one row without columns: what scalar statements evaluate over.
pub fn no_row() -> &'static RowBatch {
    static EMPTY: RowBatch = RowBatch { rows: 1, columns: Vec::new() };
    &EMPTY
}
