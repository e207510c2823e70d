//! One value in its physical class. Its meaning comes from the `SqlType` that travels beside it.

use crate::error::SqlResult;
use crate::long;
use crate::pause::Pacer;

/// A scalar value, or NULL. See `Physical` for what the bits of each class mean.
#[derive(Debug, PartialEq, Default)]
pub enum Datum {
    #[default]
    Null,
    I64(i64),
    F64(f64),
    I128(i128),
    Bytes(Box<[u8]>),
}

/// A scalar value whose bytes are elsewhere: in a column, a row image, a datum.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum DatumRef<'a> {
    #[default]
    Null,
    I64(i64),
    F64(f64),
    I128(i128),
    Bytes(&'a [u8]),
}

impl DatumRef<'_> {
    pub fn is_null(&self) -> bool {
        matches!(self, DatumRef::Null)
    }

    /// Panics on another class.
    pub fn as_i64(self) -> i64 {
        match self {
            DatumRef::I64(value) => value,
            other => panic!("expected an I64 datum, found {other:?}"),
        }
    }

    pub fn to_datum(self) -> Datum {
        match self {
            DatumRef::Null => Datum::Null,
            DatumRef::I64(value) => Datum::I64(value),
            DatumRef::F64(value) => Datum::F64(value),
            DatumRef::I128(value) => Datum::I128(value),
            DatumRef::Bytes(bytes) => Datum::bytes(bytes),
        }
    }

    /// As `to_datum`, of a value that may be long.
    pub fn to_datum_paced(self, pacer: &mut Pacer<'_>) -> SqlResult<Datum> {
        match self {
            DatumRef::Bytes(bytes) => {
                let mut copy = Vec::new();
                pacer.copy(bytes, &mut copy)?;
                Ok(Datum::Bytes(copy.into_boxed_slice()))
            }
            value => Ok(value.to_datum()),
        }
    }
}

impl Clone for Datum {
    fn clone(&self) -> Datum {
        self.as_ref().to_datum()
    }
}

impl Datum {
    pub fn as_ref(&self) -> DatumRef<'_> {
        match self {
            Datum::Null => DatumRef::Null,
            Datum::I64(value) => DatumRef::I64(*value),
            Datum::F64(value) => DatumRef::F64(*value),
            Datum::I128(value) => DatumRef::I128(*value),
            Datum::Bytes(bytes) => DatumRef::Bytes(bytes),
        }
    }

    pub fn bytes(bytes: &[u8]) -> Datum {
        Datum::Bytes(long::copy(bytes))
    }

    /// UTF-16LE, as nvarchar holds it.
    pub fn nvarchar(text: &str) -> Datum {
        Datum::Bytes(text.encode_utf16().flat_map(u16::to_le_bytes).collect())
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Datum::Null)
    }

    /// Panics on another class: the binder has made the type certain.
    pub fn as_i64(&self) -> i64 {
        match self {
            Datum::I64(value) => *value,
            other => panic!("expected an I64 datum, found {other:?}"),
        }
    }

    /// Panics on another class.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Datum::Bytes(bytes) => bytes,
            other => panic!("expected a Bytes datum, found {other:?}"),
        }
    }
}
