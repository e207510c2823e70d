//! T-SQL's scalar types as a small `Copy` description, and the four physical classes that carry all of their values.

/// `length` of `varchar(max)`, `nvarchar(max)`, `varbinary(max)`, `xml`, `json`, `text`, `ntext`, `image`.
pub const MAX_LENGTH: u16 = u16::MAX;

/// Bits of the precision of typed xml.
const DOCUMENT_XML: u8 = 1;
const FOREIGN_XML: u8 = 2;

/// Index into the collation table (`types::collation`). 0 is SQL_Latin1_General_CP1_CI_AS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct CollationId(pub u16);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TypeKind {
    Bit,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Decimal,
    Numeric,
    SmallMoney,
    Money,
    Real,
    Float,
    Date,
    Time,
    SmallDateTime,
    DateTime,
    DateTime2,
    DateTimeOffset,
    Char,
    VarChar,
    Text,
    NChar,
    NVarChar,
    NText,
    Binary,
    VarBinary,
    Image,
    UniqueIdentifier,
    /// `timestamp` / `rowversion`: 8 bytes.
    RowVersion,
    Xml,
    SqlVariant,
    HierarchyId,
    Geometry,
    Geography,
    Json,
}

impl TypeKind {
    /// By discriminant, which storage keeps: append only.
    pub const ALL: [TypeKind; 34] = {
        use TypeKind::*;
        [
            Bit,
            TinyInt,
            SmallInt,
            Int,
            BigInt,
            Decimal,
            Numeric,
            SmallMoney,
            Money,
            Real,
            Float,
            Date,
            Time,
            SmallDateTime,
            DateTime,
            DateTime2,
            DateTimeOffset,
            Char,
            VarChar,
            Text,
            NChar,
            NVarChar,
            NText,
            Binary,
            VarBinary,
            Image,
            UniqueIdentifier,
            RowVersion,
            Xml,
            SqlVariant,
            HierarchyId,
            Geometry,
            Geography,
            Json,
        ]
    };
}

const _: () = {
    let mut index = 0;
    while index < TypeKind::ALL.len() {
        assert!(TypeKind::ALL[index] as usize == index, "TypeKind::ALL is in the order of the enum");
        index += 1;
    }
};

/// How a value lives in memory, in a `Column` and in a row image. The meaning of the bits:
///
/// | kind | class | encoding |
/// |---|---|---|
/// | bit, tinyint .. bigint | I64 | the number |
/// | smallmoney, money | I64 | 1/10,000 |
/// | real, float | F64 | real is rounded to f32 first |
/// | decimal, numeric | I128 | the unscaled number; the scale is the type's |
/// | date | I64 | days since 0001-01-01 |
/// | time | I64 | 100 ns since midnight, whatever the scale |
/// | smalldatetime | I64 | minutes since 1900-01-01 |
/// | datetime | I64 | 1/300 s since 1900-01-01 (negative before) |
/// | datetime2 | I64 | 100 ns since 0001-01-01 |
/// | datetimeoffset | I128 | (UTC 100 ns since 0001-01-01) << 16 OR offset in minutes as u16; compared by `>> 16` |
/// | uniqueidentifier | I128 | the 16 wire bytes, little-endian |
/// | char, varchar, text | Bytes | in the collation's code page; char is blank-padded |
/// | nchar, nvarchar, ntext, xml | Bytes | UTF-16LE; nchar is blank-padded |
/// | binary, varbinary, image, rowversion | Bytes | as they are |
/// | json | Bytes | UTF-8: `types::json` |
/// | sql_variant | Bytes | `types::variant` |
/// | hierarchyid, geometry, geography | Bytes | as the types serialize themselves: MS-SSCLRT |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Physical {
    I64,
    F64,
    I128,
    Bytes,
}

/// A scalar type with its parameters. `precision` and `scale` are set for every kind that has them (also money: 19,4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SqlType {
    pub kind: TypeKind,
    /// Bytes (so nchar(10) has 20); `MAX_LENGTH` for (max) and the old large types. Fixed kinds: their storage size.
    pub length: u16,
    pub precision: u8,
    /// Decimal digits after the point, or fractional second digits.
    pub scale: u8,
    /// Of character kinds; of typed xml the number of its schema collection (`xml_of`); otherwise the default.
    pub collation: CollationId,
}

impl SqlType {
    const fn fixed(kind: TypeKind, length: u16, precision: u8, scale: u8) -> SqlType {
        SqlType { kind, length, precision, scale, collation: CollationId(0) }
    }

    pub const BIT: SqlType = SqlType::fixed(TypeKind::Bit, 1, 1, 0);
    pub const TINYINT: SqlType = SqlType::fixed(TypeKind::TinyInt, 1, 3, 0);
    pub const SMALLINT: SqlType = SqlType::fixed(TypeKind::SmallInt, 2, 5, 0);
    pub const INT: SqlType = SqlType::fixed(TypeKind::Int, 4, 10, 0);
    pub const BIGINT: SqlType = SqlType::fixed(TypeKind::BigInt, 8, 19, 0);
    pub const SMALLMONEY: SqlType = SqlType::fixed(TypeKind::SmallMoney, 4, 10, 4);
    pub const MONEY: SqlType = SqlType::fixed(TypeKind::Money, 8, 19, 4);
    pub const REAL: SqlType = SqlType::fixed(TypeKind::Real, 4, 24, 0);
    pub const FLOAT: SqlType = SqlType::fixed(TypeKind::Float, 8, 53, 0);
    pub const DATE: SqlType = SqlType::fixed(TypeKind::Date, 3, 10, 0);
    pub const SMALLDATETIME: SqlType = SqlType::fixed(TypeKind::SmallDateTime, 4, 16, 0);
    pub const DATETIME: SqlType = SqlType::fixed(TypeKind::DateTime, 8, 23, 3);
    pub const UNIQUEIDENTIFIER: SqlType = SqlType::fixed(TypeKind::UniqueIdentifier, 16, 0, 0);
    pub const ROWVERSION: SqlType = SqlType::fixed(TypeKind::RowVersion, 8, 0, 0);
    pub const XML: SqlType = SqlType::fixed(TypeKind::Xml, MAX_LENGTH, 0, 0);
    /// A node of an xml value, as nodes() gives it: never stored and never sent. Of typed xml it has the value's collection.
    pub const XML_NODE: SqlType = SqlType::fixed(TypeKind::Xml, MAX_LENGTH, 0, 1);
    pub const TEXT: SqlType = SqlType::fixed(TypeKind::Text, MAX_LENGTH, 0, 0);
    pub const NTEXT: SqlType = SqlType::fixed(TypeKind::NText, MAX_LENGTH, 0, 0);
    pub const IMAGE: SqlType = SqlType::fixed(TypeKind::Image, MAX_LENGTH, 0, 0);
    pub const SQL_VARIANT: SqlType = SqlType::fixed(TypeKind::SqlVariant, 8016, 0, 0);
    pub const HIERARCHYID: SqlType = SqlType::fixed(TypeKind::HierarchyId, 892, 0, 0);
    pub const GEOMETRY: SqlType = SqlType::fixed(TypeKind::Geometry, MAX_LENGTH, 0, 0);
    pub const GEOGRAPHY: SqlType = SqlType::fixed(TypeKind::Geography, MAX_LENGTH, 0, 0);
    pub const JSON: SqlType = SqlType::fixed(TypeKind::Json, MAX_LENGTH, 0, 0);
    /// `sysname`: nvarchar(128) NOT NULL.
    pub const SYSNAME: SqlType = SqlType::nvarchar(128);
    pub const NVARCHAR_MAX: SqlType = SqlType::fixed(TypeKind::NVarChar, MAX_LENGTH, 0, 0);
    pub const VARCHAR_MAX: SqlType = SqlType::fixed(TypeKind::VarChar, MAX_LENGTH, 0, 0);
    pub const VARBINARY_MAX: SqlType = SqlType::fixed(TypeKind::VarBinary, MAX_LENGTH, 0, 0);

    pub const fn decimal(precision: u8, scale: u8) -> SqlType {
        let length = match precision {
            0..=9 => 5,
            10..=19 => 9,
            20..=28 => 13,
            _ => 17,
        };
        SqlType::fixed(TypeKind::Decimal, length, precision, scale)
    }

    pub const fn time(scale: u8) -> SqlType {
        SqlType::fixed(TypeKind::Time, time_bytes(scale), if scale == 0 { 8 } else { 9 + scale }, scale)
    }

    pub const fn datetime2(scale: u8) -> SqlType {
        SqlType::fixed(TypeKind::DateTime2, time_bytes(scale) + 3, if scale == 0 { 19 } else { 20 + scale }, scale)
    }

    pub const fn datetimeoffset(scale: u8) -> SqlType {
        SqlType::fixed(TypeKind::DateTimeOffset, time_bytes(scale) + 5, if scale == 0 { 26 } else { 27 + scale }, scale)
    }

    /// `bytes`: 1 to 8,000.
    pub const fn char(bytes: u16) -> SqlType {
        SqlType::fixed(TypeKind::Char, bytes, 0, 0)
    }

    /// `bytes`: 1 to 8,000, or `MAX_LENGTH`.
    pub const fn varchar(bytes: u16) -> SqlType {
        SqlType::fixed(TypeKind::VarChar, bytes, 0, 0)
    }

    /// `units`: 1 to 4,000 UTF-16 code units.
    pub const fn nchar(units: u16) -> SqlType {
        SqlType::fixed(TypeKind::NChar, units * 2, 0, 0)
    }

    /// `units`: 1 to 4,000 UTF-16 code units. For (max) use `NVARCHAR_MAX`.
    pub const fn nvarchar(units: u16) -> SqlType {
        SqlType::fixed(TypeKind::NVarChar, units * 2, 0, 0)
    }

    pub const fn binary(bytes: u16) -> SqlType {
        SqlType::fixed(TypeKind::Binary, bytes, 0, 0)
    }

    /// `bytes`: 1 to 8,000, or `MAX_LENGTH`.
    pub const fn varbinary(bytes: u16) -> SqlType {
        SqlType::fixed(TypeKind::VarBinary, bytes, 0, 0)
    }

    /// Typed xml. `collection`: the number of its schema collection within its database, not 0; `document`: one element and no text
    /// beside it. Both are part of the type, so that values of another type are converted, which validates them.
    pub const fn xml_of(collection: u16, document: bool) -> SqlType {
        SqlType { precision: document as u8, collation: CollationId(collection), ..SqlType::XML }
    }

    /// Of typed xml: the number of its schema collection in the current database.
    pub const fn xml_collection(&self) -> Option<u16> {
        match self.kind {
            TypeKind::Xml if self.collation.0 != 0 && self.precision & FOREIGN_XML == 0 => Some(self.collation.0),
            _ => None,
        }
    }

    /// Typed xml of a table of another database: it is read as any xml, and nothing can be made a value of it.
    pub const fn foreign_xml(self) -> SqlType {
        if self.xml_collection().is_some() { SqlType { precision: self.precision | FOREIGN_XML, ..self } } else { self }
    }

    /// Typed xml as xml of any kind; other types as they are.
    pub const fn without_schema(self) -> SqlType {
        match self.kind {
            TypeKind::Xml => SqlType { precision: 0, collation: CollationId(0), ..self },
            _ => self,
        }
    }

    pub const fn is_xml_document(&self) -> bool {
        matches!(self.kind, TypeKind::Xml) && self.precision & DOCUMENT_XML != 0
    }

    /// A node, as nodes() gives it.
    pub const fn is_xml_node(&self) -> bool {
        matches!(self.kind, TypeKind::Xml) && self.scale == 1
    }

    /// Whether every value of type `from` is one of this type: it is no typed xml, or both are of the same collection.
    pub fn admits_xml(&self, from: &SqlType) -> bool {
        if self.kind != TypeKind::Xml || self.collation.0 == 0 {
            return true;
        }
        let alike = from.precision & FOREIGN_XML == self.precision & FOREIGN_XML;
        let same = from.kind == TypeKind::Xml && from.collation == self.collation && alike;
        same && (from.is_xml_document() || !self.is_xml_document())
    }

    pub const fn with_collation(mut self, collation: CollationId) -> SqlType {
        self.collation = collation;
        self
    }

    pub const fn physical(&self) -> Physical {
        use TypeKind::*;
        match self.kind {
            Bit | TinyInt | SmallInt | Int | BigInt | SmallMoney | Money => Physical::I64,
            Date | Time | SmallDateTime | DateTime | DateTime2 => Physical::I64,
            Real | Float => Physical::F64,
            Decimal | Numeric | DateTimeOffset | UniqueIdentifier => Physical::I128,
            Char | VarChar | Text | NChar | NVarChar | NText | Binary | VarBinary | Image | RowVersion | Xml
            | SqlVariant | HierarchyId | Geometry | Geography | Json => Physical::Bytes,
        }
    }

    /// For storage to keep: kind, precision, scale, 0, length u16, collation u16, little-endian.
    pub const fn to_bytes(&self) -> [u8; 8] {
        let length = self.length.to_le_bytes();
        let collation = self.collation.0.to_le_bytes();
        [self.kind as u8, self.precision, self.scale, 0, length[0], length[1], collation[0], collation[1]]
    }

    /// None: not what `to_bytes` writes.
    pub fn from_bytes(bytes: &[u8; 8]) -> Option<SqlType> {
        let kind = *TypeKind::ALL.get(bytes[0] as usize)?;
        let ty = SqlType {
            kind,
            precision: bytes[1],
            scale: bytes[2],
            length: u16::from_le_bytes([bytes[4], bytes[5]]),
            collation: CollationId(u16::from_le_bytes([bytes[6], bytes[7]])),
        };
        let scaled = ty.is_decimal() && (ty.precision > 38 || ty.precision == 0 || ty.scale > ty.precision);
        let fractional = matches!(kind, TypeKind::Time | TypeKind::DateTime2 | TypeKind::DateTimeOffset);
        if bytes[3] != 0 || scaled || fractional && ty.scale > 7 {
            return None;
        }
        Some(ty)
    }

    /// (max) and the old large types: stored out of row when long, sent as PLP.
    pub const fn is_max(&self) -> bool {
        self.length == MAX_LENGTH
    }

    /// `=` takes it, and its values are short enough that a row may be found again by them.
    pub const fn is_comparable(&self) -> bool {
        !self.is_max() && !matches!(self.kind, TypeKind::Image | TypeKind::NText | TypeKind::Text | TypeKind::Xml)
    }

    /// char, varchar, text: bytes in a code page.
    pub const fn is_ansi_string(&self) -> bool {
        matches!(self.kind, TypeKind::Char | TypeKind::VarChar | TypeKind::Text)
    }

    /// nchar, nvarchar, ntext: UTF-16LE.
    pub const fn is_unicode_string(&self) -> bool {
        matches!(self.kind, TypeKind::NChar | TypeKind::NVarChar | TypeKind::NText)
    }

    pub const fn is_string(&self) -> bool {
        self.is_ansi_string() || self.is_unicode_string()
    }

    pub const fn is_binary(&self) -> bool {
        matches!(self.kind, TypeKind::Binary | TypeKind::VarBinary | TypeKind::Image | TypeKind::RowVersion)
    }

    /// The types of the assembly Microsoft.SqlServer.Types: they have methods, and go over the wire as UDTs.
    pub const fn is_udt(&self) -> bool {
        matches!(self.kind, TypeKind::HierarchyId | TypeKind::Geometry | TypeKind::Geography)
    }

    /// geometry, geography.
    pub const fn is_spatial(&self) -> bool {
        matches!(self.kind, TypeKind::Geometry | TypeKind::Geography)
    }

    pub const fn is_json(&self) -> bool {
        matches!(self.kind, TypeKind::Json)
    }

    pub const fn is_integer(&self) -> bool {
        matches!(self.kind, TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int | TypeKind::BigInt)
    }

    pub const fn is_decimal(&self) -> bool {
        matches!(self.kind, TypeKind::Decimal | TypeKind::Numeric)
    }

    pub const fn is_temporal(&self) -> bool {
        use TypeKind::*;
        matches!(self.kind, Date | Time | SmallDateTime | DateTime | DateTime2 | DateTimeOffset)
    }
}

/// Bytes of a time of day with `scale` fractional digits on the wire and in `sys.columns.max_length`.
pub const fn time_bytes(scale: u8) -> u16 {
    match scale {
        0..=2 => 3,
        3..=4 => 4,
        _ => 5,
    }
}
