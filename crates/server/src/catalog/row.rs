//! A catalog row as a Rust struct: `base_tables!` gives it its columns, its storage layout and both directions.

use types::collation::code_page::{push_utf16, utf16_to_string};
use types::{CollationId, Datum, SqlType};

/// A Rust type that one catalog column holds.
pub trait Field: Sized {
    const TYPE: SqlType;
    const NULLABLE: bool;
    fn to_datum(&self) -> Datum;
    fn from_datum(datum: &Datum) -> Self;
}

macro_rules! integer_field {
    ($rust:ty, $ty:expr) => {
        impl Field for $rust {
            const TYPE: SqlType = $ty;
            const NULLABLE: bool = false;
            fn to_datum(&self) -> Datum {
                Datum::I64(i64::from(*self))
            }
            fn from_datum(datum: &Datum) -> Self {
                <$rust>::try_from(datum.as_i64()).expect("a catalog number is in its column's range")
            }
        }
    };
}

integer_field!(u8, SqlType::TINYINT);
integer_field!(i16, SqlType::SMALLINT);
integer_field!(i32, SqlType::INT);
integer_field!(i64, SqlType::BIGINT);

impl Field for Option<i32> {
    const TYPE: SqlType = SqlType::INT;
    const NULLABLE: bool = true;
    fn to_datum(&self) -> Datum {
        self.map_or(Datum::Null, |value| Datum::I64(i64::from(value)))
    }
    fn from_datum(datum: &Datum) -> Self {
        (!datum.is_null()).then(|| i32::from_datum(datum))
    }
}

/// `datetime`: 1/300 s since 1900-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Date(pub i64);

impl Field for Date {
    const TYPE: SqlType = SqlType::DATETIME;
    const NULLABLE: bool = false;
    fn to_datum(&self) -> Datum {
        Datum::I64(self.0)
    }
    fn from_datum(datum: &Datum) -> Self {
        Date(datum.as_i64())
    }
}

/// `datetime`, null.
impl Field for Option<Date> {
    const TYPE: SqlType = SqlType::DATETIME;
    const NULLABLE: bool = true;
    fn to_datum(&self) -> Datum {
        self.map_or(Datum::Null, |date| Datum::I64(date.0))
    }
    fn from_datum(datum: &Datum) -> Self {
        (!datum.is_null()).then(|| Date::from_datum(datum))
    }
}

/// `decimal(38, 0)`: bounds and steps of identities and sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Whole(pub i128);

impl Field for Whole {
    const TYPE: SqlType = SqlType::decimal(38, 0);
    const NULLABLE: bool = false;
    fn to_datum(&self) -> Datum {
        Datum::I128(self.0)
    }
    fn from_datum(datum: &Datum) -> Self {
        match datum {
            Datum::I128(value) => Whole(*value),
            other => panic!("expected a decimal in a catalog row, found {other:?}"),
        }
    }
}

pub fn text_datum(text: &str) -> Datum {
    let mut bytes = Vec::with_capacity(text.len() * 2);
    push_utf16(text, &mut bytes);
    Datum::Bytes(bytes.into())
}

/// `sysname`, not null.
impl Field for String {
    const TYPE: SqlType = SqlType::SYSNAME;
    const NULLABLE: bool = false;
    fn to_datum(&self) -> Datum {
        text_datum(self)
    }
    fn from_datum(datum: &Datum) -> Self {
        utf16_to_string(datum.as_bytes())
    }
}

/// `sysname`, null.
impl Field for Option<String> {
    const TYPE: SqlType = SqlType::SYSNAME;
    const NULLABLE: bool = true;
    fn to_datum(&self) -> Datum {
        self.as_deref().map_or(Datum::Null, text_datum)
    }
    fn from_datum(datum: &Datum) -> Self {
        (!datum.is_null()).then(|| utf16_to_string(datum.as_bytes()))
    }
}

/// `nvarchar(max)`, null: a module's or constraint's text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text(pub Option<String>);

impl Field for Text {
    const TYPE: SqlType = SqlType::NVARCHAR_MAX;
    const NULLABLE: bool = true;
    fn to_datum(&self) -> Datum {
        self.0.to_datum()
    }
    fn from_datum(datum: &Datum) -> Self {
        Text(Option::<String>::from_datum(datum))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(Some(text.to_string()))
    }
}

/// `varbinary(8000)`, null: security ids, password hashes, values kept as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Binary(pub Option<Box<[u8]>>);

impl Field for Binary {
    const TYPE: SqlType = SqlType::varbinary(8000);
    const NULLABLE: bool = true;
    fn to_datum(&self) -> Datum {
        self.0.as_deref().map_or(Datum::Null, Datum::bytes)
    }
    fn from_datum(datum: &Datum) -> Self {
        Binary((!datum.is_null()).then(|| datum.as_bytes().into()))
    }
}

/// `sql_variant`, null: in the form of `types::variant`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Variant(pub Option<Box<[u8]>>);

impl Field for Variant {
    const TYPE: SqlType = SqlType::SQL_VARIANT;
    const NULLABLE: bool = true;
    fn to_datum(&self) -> Datum {
        self.0.as_deref().map_or(Datum::Null, Datum::bytes)
    }
    fn from_datum(datum: &Datum) -> Self {
        Variant((!datum.is_null()).then(|| datum.as_bytes().into()))
    }
}

/// `char(2)` or `char(4)`, blank-padded in the row, trimmed here: an object's type, a permission's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code<const N: usize>([u8; N]);

impl<const N: usize> Code<N> {
    /// `text`: ASCII, at most N characters.
    pub const fn new(text: &str) -> Code<N> {
        let bytes = text.as_bytes();
        assert!(bytes.len() <= N);
        let mut padded = [b' '; N];
        let mut i = 0;
        while i < bytes.len() {
            padded[i] = bytes[i];
            i += 1;
        }
        Code(padded)
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("codes are ASCII").trim_end()
    }
}

impl<const N: usize> Field for Code<N> {
    const TYPE: SqlType = SqlType::char(N as u16).with_collation(CollationId(0));
    const NULLABLE: bool = false;
    fn to_datum(&self) -> Datum {
        Datum::bytes(&self.0)
    }
    fn from_datum(datum: &Datum) -> Self {
        Code(datum.as_bytes().try_into().expect("a code fills its column"))
    }
}

#[derive(Debug, Clone, Copy)]
pub struct BaseColumn {
    pub name: &'static str,
    pub ty: SqlType,
    pub nullable: bool,
}

/// A base table: fixed id, columns, and keys as ordinals. `keys[0]` is clustered and unique.
#[derive(Debug)]
pub struct BaseTable {
    pub id: i32,
    pub name: &'static str,
    pub columns: fn() -> Vec<BaseColumn>,
    pub keys: &'static [BaseKey],
    pub master_only: bool,
}

#[derive(Debug)]
pub struct BaseKey {
    pub unique: bool,
    pub columns: &'static [u16],
}

/// A struct that is a row of a base table.
pub trait BaseRow: Sized {
    const TABLE: &'static BaseTable;
    fn to_row(&self) -> Vec<Datum>;
    fn from_row(row: &[Datum]) -> Self;
}

macro_rules! base_tables {
    ($( $(#[$doc:meta])* $row:ident = $id:literal $name:literal $scope:ident {
            $( $(#[$field_doc:meta])* $field:ident : $ty:ty ),* $(,)?
        } $( $unique:ident [$($key:literal),*] )* ; )*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone)]
            pub struct $row { $( $(#[$field_doc])* pub $field: $ty, )* }

            impl BaseRow for $row {
                const TABLE: &'static BaseTable = &BaseTable {
                    id: $id,
                    name: $name,
                    columns: || vec![$(BaseColumn {
                        name: stringify!($field),
                        ty: <$ty as Field>::TYPE,
                        nullable: <$ty as Field>::NULLABLE,
                    }),*],
                    keys: &[$(BaseKey { unique: base_tables!(@unique $unique), columns: &[$($key),*] }),*],
                    master_only: base_tables!(@master $scope),
                };
                fn to_row(&self) -> Vec<Datum> {
                    vec![$(Field::to_datum(&self.$field)),*]
                }
                fn from_row(row: &[Datum]) -> Self {
                    let mut values = row.iter();
                    let row = $row { $( $field: Field::from_datum(values.next().expect("a catalog row has all its columns")), )* };
                    assert!(values.next().is_none(), "a catalog row has no more columns than its table");
                    row
                }
            }
        )*

        /// Every base table, by ascending id.
        pub const BASE_TABLES: &[&BaseTable] = &[$(<$row as BaseRow>::TABLE),*];
    };
    (@unique unique) => { true };
    (@unique index) => { false };
    (@master every) => { false };
    (@master master) => { true };
}
pub(crate) use base_tables;
