//! One value in its physical class. Its meaning comes from the `SqlType` that travels beside it.

/// A scalar value, or NULL. See `Physical` for what the bits of each class mean.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Datum {
    #[default]
    Null,
    I64(i64),
    F64(f64),
    I128(i128),
    Bytes(Box<[u8]>),
}

impl Datum {
    pub fn bytes(bytes: &[u8]) -> Datum {
        Datum::Bytes(bytes.into())
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
