//! Between the datums of a call and Rust values: what the functions of this folder take and give.

use types::{Datum, Physical, SqlType, TypeKind, variant};

/// What a function answers; `datum` gives it the type that the binder promised.
pub enum Answer {
    Null,
    Number(i64),
    Text(String),
    Bytes(Vec<u8>),
    /// A sql_variant as it is.
    Variant(Box<[u8]>),
}

impl From<Option<i64>> for Answer {
    fn from(value: Option<i64>) -> Answer {
        value.map_or(Answer::Null, Answer::Number)
    }
}

impl From<Option<String>> for Answer {
    fn from(value: Option<String>) -> Answer {
        value.map_or(Answer::Null, Answer::Text)
    }
}

impl From<bool> for Answer {
    fn from(value: bool) -> Answer {
        Answer::Number(i64::from(value))
    }
}

impl From<i64> for Answer {
    fn from(value: i64) -> Answer {
        Answer::Number(value)
    }
}

impl From<&str> for Answer {
    fn from(value: &str) -> Answer {
        Answer::Text(value.into())
    }
}

impl Answer {
    /// A sql_variant of that type.
    pub fn typed(ty: &SqlType, value: i64) -> Answer {
        match variant::encode(ty, &Datum::I64(value)) {
            Datum::Bytes(bytes) => Answer::Variant(bytes),
            _ => Answer::Null,
        }
    }

    /// Of a datum that is a number or a text; of another, its bytes.
    pub fn of(datum: &Datum, ty: &SqlType) -> Answer {
        match datum {
            Datum::I64(value) => Answer::Number(*value),
            Datum::Bytes(bytes) if ty.is_string() => Answer::Text(crate::session::arguments::string_of(ty, bytes)),
            Datum::Bytes(bytes) => Answer::Bytes(bytes.to_vec()),
            _ => Answer::Null,
        }
    }

    /// 0 for what is no number.
    pub fn number(&self) -> i64 {
        if let Answer::Number(value) = self { *value } else { 0 }
    }

    pub fn datum(self, ty: &SqlType) -> Datum {
        if ty.kind == TypeKind::SqlVariant {
            return match self {
                Answer::Null => Datum::Null,
                Answer::Number(value) => variant::encode(&SqlType::INT, &Datum::I64(value)),
                Answer::Text(text) => variant::encode(&SqlType::nvarchar(128), &Datum::nvarchar(&text)),
                Answer::Bytes(bytes) => variant::encode(&SqlType::varbinary(8000), &Datum::bytes(&bytes)),
                Answer::Variant(bytes) => Datum::Bytes(bytes),
            };
        }
        match (self, ty.physical()) {
            (Answer::Number(value), Physical::I64) => Datum::I64(value),
            (Answer::Number(value), Physical::I128) => Datum::I128(value.into()),
            (Answer::Text(text), Physical::Bytes) if ty.is_ansi_string() => {
                let mut bytes = Vec::new();
                types::collation::code_page::encode_str(ty.collation.code_page(), &text, &mut bytes);
                Datum::Bytes(bytes.into())
            }
            (Answer::Text(text), Physical::Bytes) => Datum::nvarchar(&text),
            (Answer::Bytes(bytes), Physical::Bytes) => Datum::Bytes(bytes.into()),
            _ => Datum::Null,
        }
    }
}

/// As a label: a text without the blanks that pad it; empty for what is neither number nor text.
impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Answer::Number(value) => value.fmt(f),
            Answer::Text(text) => f.write_str(text.trim_end()),
            _ => Ok(()),
        }
    }
}

/// The arguments of a call by position.
pub struct Arguments<'a>(pub &'a [(SqlType, Datum)]);

impl Arguments<'_> {
    pub fn is_given(&self, position: usize) -> bool {
        position < self.0.len()
    }

    /// None: NULL, or not given.
    pub fn text(&self, position: usize) -> Option<String> {
        match self.0.get(position)? {
            (ty, Datum::Bytes(bytes)) => Some(crate::session::arguments::string_of(ty, bytes)),
            _ => None,
        }
    }

    pub fn number(&self, position: usize) -> Option<i64> {
        match self.0.get(position)? {
            (_, Datum::I64(value)) => Some(*value),
            (_, Datum::I128(value)) => i64::try_from(*value).ok(),
            _ => None,
        }
    }

    /// An `int` argument; out of range is no one's id.
    pub fn id(&self, position: usize) -> Option<i32> {
        i32::try_from(self.number(position)?).ok()
    }
}
