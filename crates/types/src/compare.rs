//! Order of values of one type, NULL first.

use std::cmp::Ordering;
use std::hash::Hasher;

use crate::collation::{self, Comparer};
use crate::datum::Datum;
use crate::error::SqlResult;
use crate::fixed::uuid_order;
use crate::pause::Pacer;
use crate::sql_type::{SqlType, TypeKind};
use crate::variant;

/// Compares, tests equality and hashes values of one type. Small and `Copy`: make one per expression, since text needs
/// its collation looked up.
#[derive(Debug, Clone, Copy)]
pub struct ValueComparer {
    form: Form,
}

#[derive(Debug, Clone, Copy)]
enum Form {
    Number,
    Offset,
    Uuid,
    Text(Comparer),
    Binary,
    Variant,
}

impl ValueComparer {
    pub fn new(ty: &SqlType) -> ValueComparer {
        use TypeKind::*;
        let form = match ty.kind {
            DateTimeOffset => Form::Offset,
            UniqueIdentifier => Form::Uuid,
            Char | VarChar | Text | NChar | NVarChar | NText | Xml => Form::Text(collation::comparer(ty)),
            Binary | VarBinary | Image | RowVersion | HierarchyId | Geometry | Geography | Json => Form::Binary,
            SqlVariant => Form::Variant,
            _ => Form::Number,
        };
        ValueComparer { form }
    }

    /// Values are compared as the numbers that they are in memory.
    pub fn is_of_numbers(&self) -> bool {
        matches!(self.form, Form::Number)
    }

    /// NULL before every value and equal to NULL. Panics on values of two classes.
    #[inline]
    pub fn compare(&self, a: &Datum, b: &Datum) -> Ordering {
        match (a, b) {
            (Datum::I64(a), Datum::I64(b)) => a.cmp(b),
            (Datum::F64(a), Datum::F64(b)) => compare_f64(*a, *b),
            (Datum::I128(a), Datum::I128(b)) => self.compare_i128(*a, *b),
            (Datum::Bytes(a), Datum::Bytes(b)) => self.compare_bytes(a, b),
            (Datum::Null, Datum::Null) => Ordering::Equal,
            (Datum::Null, _) => Ordering::Less,
            (_, Datum::Null) => Ordering::Greater,
            (a, b) => panic!("{a:?} and {b:?} are of two classes"),
        }
    }

    #[inline]
    pub fn compare_i128(&self, a: i128, b: i128) -> Ordering {
        match self.form {
            Form::Offset => (a >> 16).cmp(&(b >> 16)),
            Form::Uuid => uuid_order(a).cmp(&uuid_order(b)),
            _ => a.cmp(&b),
        }
    }

    #[inline]
    pub fn compare_bytes(&self, a: &[u8], b: &[u8]) -> Ordering {
        match self.form {
            Form::Text(comparer) => comparer.compare(a, b),
            Form::Variant => variant::compare(a, b),
            _ => compare_binary(a, b),
        }
    }

    /// `compare_bytes` of values that may be long.
    pub fn compare_bytes_paced(&self, a: &[u8], b: &[u8], pacer: &mut Pacer<'_>) -> SqlResult<Ordering> {
        match self.form {
            Form::Text(comparer) => comparer.compare_paced(a, b, pacer),
            _ => Ok(self.compare_bytes(a, b)),
        }
    }

    /// Equal values hash equal.
    pub fn hash(&self, value: &Datum, hasher: &mut impl Hasher) {
        match value {
            Datum::Null => hasher.write_u8(0),
            Datum::I64(value) => hasher.write_i64(*value),
            Datum::F64(value) => hasher.write_u64(if *value == 0.0 { 0 } else { value.to_bits() }),
            Datum::I128(value) => self.hash_i128(*value, hasher),
            Datum::Bytes(value) => self.hash_bytes(value, hasher),
        }
    }

    #[inline]
    pub fn hash_i128(&self, value: i128, hasher: &mut impl Hasher) {
        match self.form {
            Form::Offset => hasher.write_i64((value >> 16) as i64),
            _ => hasher.write_i128(value),
        }
    }

    pub fn hash_bytes(&self, value: &[u8], hasher: &mut impl Hasher) {
        match self.form {
            Form::Text(comparer) => comparer.hash(value, hasher),
            Form::Variant => {
                let mut key = Vec::new();
                variant::key(value, &mut key);
                hasher.write(&key);
            }
            _ => {
                let end = value.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                hasher.write(&value[..end]);
            }
        }
    }

    /// For LIKE, CHARINDEX and REPLACE; None: not text.
    pub fn text(&self) -> Option<Comparer> {
        match self.form {
            Form::Text(comparer) => Some(comparer),
            _ => None,
        }
    }
}

/// Zero equals minus zero; there is no NaN, but if there were, it would be last.
#[inline]
pub fn compare_f64(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Binary values compare as if the shorter were filled with zeros.
#[inline]
pub fn compare_binary(a: &[u8], b: &[u8]) -> Ordering {
    let common = a.len().min(b.len());
    let longer = |rest: &[u8]| rest.iter().any(|&byte| byte != 0);
    a[..common].cmp(&b[..common]).then_with(|| longer(&a[common..]).cmp(&longer(&b[common..])))
}

/// One comparison of two values of one type. In a loop, keep the `ValueComparer`.
pub fn compare(a: &Datum, b: &Datum, ty: &SqlType) -> Ordering {
    ValueComparer::new(ty).compare(a, b)
}
