//! TYPE_INFO (MS-TDS 2.2.5.6): a type as it is announced, and how its values then lie on the wire.

use types::{CollationId, MAX_LENGTH, SqlType, TypeKind};

use crate::collation::WireCollation;
use crate::error::{ProtocolResult, ValueFault};
use crate::version::TdsVersion;
use crate::wire::{Input, Put};

/// Type tokens.
pub mod token {
    pub const NULL: u8 = 0x1F;
    pub const IMAGE: u8 = 0x22;
    pub const TEXT: u8 = 0x23;
    pub const GUID: u8 = 0x24;
    pub const LEGACY_VARBINARY: u8 = 0x25;
    pub const INTN: u8 = 0x26;
    pub const LEGACY_VARCHAR: u8 = 0x27;
    pub const DATE: u8 = 0x28;
    pub const TIME: u8 = 0x29;
    pub const DATETIME2: u8 = 0x2A;
    pub const DATETIMEOFFSET: u8 = 0x2B;
    pub const LEGACY_BINARY: u8 = 0x2D;
    pub const LEGACY_CHAR: u8 = 0x2F;
    pub const INT1: u8 = 0x30;
    pub const BIT: u8 = 0x32;
    pub const INT2: u8 = 0x34;
    pub const LEGACY_DECIMAL: u8 = 0x37;
    pub const INT4: u8 = 0x38;
    pub const DATETIME4: u8 = 0x3A;
    pub const FLOAT4: u8 = 0x3B;
    pub const MONEY: u8 = 0x3C;
    pub const DATETIME: u8 = 0x3D;
    pub const FLOAT8: u8 = 0x3E;
    pub const LEGACY_NUMERIC: u8 = 0x3F;
    pub const SQL_VARIANT: u8 = 0x62;
    pub const NTEXT: u8 = 0x63;
    pub const BITN: u8 = 0x68;
    pub const DECIMALN: u8 = 0x6A;
    pub const NUMERICN: u8 = 0x6C;
    pub const FLOATN: u8 = 0x6D;
    pub const MONEYN: u8 = 0x6E;
    pub const DATETIMEN: u8 = 0x6F;
    pub const MONEY4: u8 = 0x7A;
    pub const INT8: u8 = 0x7F;
    pub const VARBINARY: u8 = 0xA5;
    pub const VARCHAR: u8 = 0xA7;
    pub const BINARY: u8 = 0xAD;
    pub const CHAR: u8 = 0xAF;
    pub const NVARCHAR: u8 = 0xE7;
    pub const NCHAR: u8 = 0xEF;
    pub const UDT: u8 = 0xF0;
    pub const XML: u8 = 0xF1;
    pub const TABLE: u8 = 0xF3;
}

/// How the length of a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The untyped NULL: no bytes.
    Null,
    /// Always this many bytes, never NULL.
    Fixed(u8),
    /// A length byte; 0 is NULL.
    ByteLength,
    /// Two length bytes; 0xFFFF is NULL.
    ShortLength,
    /// text, ntext, image. As a parameter four length bytes, 0xFFFFFFFF is NULL; in a row a text pointer before them.
    Text,
    /// sql_variant: four length bytes; 0 is NULL.
    Variant,
    /// Eight bytes of total length, then chunks.
    Chunked,
}

/// A type as announced. `sql_type` is what it means, the rest how it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeInfo {
    pub token: u8,
    pub form: Form,
    /// Largest value in bytes as announced; 0xFFFF for chunked types.
    pub size: u32,
    pub sql_type: SqlType,
    pub collation: WireCollation,
    pub named: Option<Box<NamedType>>,
}

/// The names that UDT and typed XML carry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NamedType {
    pub database: String,
    pub schema: String,
    pub name: String,
    /// In column metadata only, of a UDT.
    pub assembly: String,
}

/// Where a TYPE_INFO stands: two types are written differently in column metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Parameter,
    Column,
}

/// A decimal's length as it is announced, whatever its precision: SqlClient writes values of this length into a bulk load whose columns
/// it describes as they were described to it. The values of a result are as long as their precision wants.
const DECIMAL_BYTES_MAX: u32 = 17;

/// Who has not said that it reads json gets text: https://learn.microsoft.com/sql/t-sql/data-types/json-data-type
fn json_text() -> SqlType {
    SqlType::VARCHAR_MAX.with_collation(CollationId::LATIN1_GENERAL_100_BIN2_UTF8)
}

impl TypeInfo {
    /// The untyped NULL.
    pub const NULL: TypeInfo = TypeInfo {
        token: token::NULL,
        form: Form::Null,
        size: 0,
        sql_type: SqlType::INT,
        collation: WireCollation([0; 5]),
        named: None,
    };

    fn new(token: u8, form: Form, size: u32, sql_type: SqlType) -> TypeInfo {
        TypeInfo { token, form, size, sql_type, collation: WireCollation::default(), named: None }
    }

    fn collated(self, collation: WireCollation) -> TypeInfo {
        TypeInfo { collation, ..self }
    }

    /// How a server of `version` announces `sql_type`. What the version lacks is sent as what came before it: (max) and
    /// xml as text, ntext, image below 7.2; date, time, datetime2, datetimeoffset as nvarchar below 7.3.
    pub fn for_type(sql_type: SqlType, nullable: bool, version: TdsVersion) -> TypeInfo {
        use TypeKind::*;
        let fixed = |plain: u8, nullable_token: u8| {
            let bytes = sql_type.length as u8;
            if nullable {
                TypeInfo::new(nullable_token, Form::ByteLength, bytes.into(), sql_type)
            } else {
                TypeInfo::new(plain, Form::Fixed(bytes), bytes.into(), sql_type)
            }
        };
        let byte_length = |token: u8| TypeInfo::new(token, Form::ByteLength, sql_type.length.into(), sql_type);
        let old_text = |characters: u32| {
            let mut info = TypeInfo::new(token::NVARCHAR, Form::ShortLength, characters * 2, sql_type);
            info.collation = WireCollation::SQL_LATIN1;
            info
        };
        let collation = WireCollation::of(sql_type.collation);
        let chunks = version.is_7_2();
        match sql_type.kind {
            Bit => fixed(token::BIT, token::BITN),
            TinyInt => fixed(token::INT1, token::INTN),
            SmallInt => fixed(token::INT2, token::INTN),
            Int => fixed(token::INT4, token::INTN),
            BigInt => fixed(token::INT8, token::INTN),
            SmallMoney => fixed(token::MONEY4, token::MONEYN),
            Money => fixed(token::MONEY, token::MONEYN),
            Real => fixed(token::FLOAT4, token::FLOATN),
            Float => fixed(token::FLOAT8, token::FLOATN),
            SmallDateTime => fixed(token::DATETIME4, token::DATETIMEN),
            DateTime => fixed(token::DATETIME, token::DATETIMEN),
            Decimal => TypeInfo::new(token::DECIMALN, Form::ByteLength, DECIMAL_BYTES_MAX, sql_type),
            Numeric => TypeInfo::new(token::NUMERICN, Form::ByteLength, DECIMAL_BYTES_MAX, sql_type),
            UniqueIdentifier => byte_length(token::GUID),
            Date | Time | DateTime2 | DateTimeOffset if !version.has_date_types() => {
                old_text(crate::date_text::characters_max(sql_type).into())
            }
            Date => byte_length(token::DATE),
            Time => byte_length(token::TIME),
            DateTime2 => byte_length(token::DATETIME2),
            DateTimeOffset => byte_length(token::DATETIMEOFFSET),
            Char | VarChar | NChar | NVarChar | Binary | VarBinary if sql_type.is_max() => {
                let (new, old) = match sql_type.kind {
                    Char | VarChar => (token::VARCHAR, token::TEXT),
                    NChar | NVarChar => (token::NVARCHAR, token::NTEXT),
                    _ => (token::VARBINARY, token::IMAGE),
                };
                let mut info = if chunks {
                    TypeInfo::new(new, Form::Chunked, u16::MAX.into(), sql_type)
                } else {
                    TypeInfo::new(old, Form::Text, text_bytes_max(old), sql_type)
                };
                info.collation = collation;
                info
            }
            Char | VarChar | NChar | NVarChar | Binary | VarBinary | RowVersion => {
                let token = match sql_type.kind {
                    Char => token::CHAR,
                    VarChar => token::VARCHAR,
                    NChar => token::NCHAR,
                    NVarChar => token::NVARCHAR,
                    VarBinary => token::VARBINARY,
                    _ => token::BINARY,
                };
                TypeInfo::new(token, Form::ShortLength, sql_type.length.max(1).into(), sql_type).collated(collation)
            }
            Text | NText | Image => {
                let token = match sql_type.kind {
                    Text => token::TEXT,
                    NText => token::NTEXT,
                    _ => token::IMAGE,
                };
                TypeInfo::new(token, Form::Text, text_bytes_max(token), sql_type).collated(collation)
            }
            Xml if chunks => TypeInfo::new(token::XML, Form::Chunked, u16::MAX.into(), sql_type),
            Xml => {
                let mut info = TypeInfo::new(token::NTEXT, Form::Text, text_bytes_max(token::NTEXT), sql_type);
                info.collation = WireCollation::SQL_LATIN1;
                info
            }
            Json => TypeInfo::for_type(json_text(), nullable, version),
            SqlVariant => TypeInfo::new(token::SQL_VARIANT, Form::Variant, 8009, sql_type),
            HierarchyId | Geometry | Geography if chunks => {
                let udt = sql_type.kind.udt().expect("one of them");
                let mut info = TypeInfo::new(token::UDT, Form::Chunked, sql_type.length.into(), sql_type);
                info.named = Some(Box::new(NamedType {
                    database: String::new(),
                    schema: "sys".into(),
                    name: sql_type.name().into(),
                    assembly: udt.assembly_qualified_name.into(),
                }));
                info
            }
            // MS-TDS 2.2.5.5.2: clients of before UDTs get their bytes.
            HierarchyId => TypeInfo::new(token::VARBINARY, Form::ShortLength, sql_type.length.into(), sql_type),
            Geometry | Geography => TypeInfo::new(token::IMAGE, Form::Text, text_bytes_max(token::IMAGE), sql_type),
        }
    }

    /// Of text, ntext and image: no value is longer.
    pub fn cut_text(&mut self, bytes: u32) {
        if self.form == Form::Text {
            let whole = if self.token == token::NTEXT { bytes & !1 } else { bytes };
            self.size = self.size.min(whole);
        }
    }

    /// True if the value is written as text although its type is a date.
    pub(crate) fn is_date_as_text(&self) -> bool {
        self.token == token::NVARCHAR && self.sql_type.is_temporal()
    }

    fn has_collation(&self) -> bool {
        use token::*;
        matches!(self.token, VARCHAR | CHAR | NVARCHAR | NCHAR | TEXT | NTEXT)
    }

    pub fn encode(&self, out: &mut impl Put, place: Place) {
        out.put_u8(self.token);
        match self.token {
            token::INTN
            | token::BITN
            | token::FLOATN
            | token::MONEYN
            | token::DATETIMEN
            | token::GUID
            | token::LEGACY_CHAR
            | token::LEGACY_VARCHAR
            | token::LEGACY_BINARY
            | token::LEGACY_VARBINARY => out.put_u8(self.size as u8),
            token::TIME | token::DATETIME2 | token::DATETIMEOFFSET => out.put_u8(self.sql_type.scale),
            token::DECIMALN | token::NUMERICN => {
                out.put(&[self.size as u8, self.sql_type.precision, self.sql_type.scale]);
            }
            token::VARCHAR | token::CHAR | token::NVARCHAR | token::NCHAR | token::VARBINARY | token::BINARY => {
                out.put_u16(self.size as u16);
            }
            token::TEXT | token::NTEXT | token::IMAGE | token::SQL_VARIANT => out.put_u32(self.size),
            token::XML => self.encode_xml(out),
            token::UDT => self.encode_udt(out, place),
            _ => {}
        }
        if self.has_collation() {
            out.put(&self.collation.0);
        }
    }

    fn encode_xml(&self, out: &mut impl Put) {
        match &self.named {
            None => out.put_u8(0),
            Some(names) => {
                out.put_u8(1);
                out.put_b_varchar(&names.database);
                out.put_b_varchar(&names.schema);
                out.put_us_varchar(&names.name);
            }
        }
    }

    fn encode_udt(&self, out: &mut impl Put, place: Place) {
        let none = NamedType::default();
        let names = self.named.as_deref().unwrap_or(&none);
        if place == Place::Column {
            out.put_u16(self.size as u16);
        }
        out.put_b_varchar(&names.database);
        out.put_b_varchar(&names.schema);
        out.put_b_varchar(&names.name);
        if place == Place::Column {
            out.put_us_varchar(&names.assembly);
        }
    }

    /// Not for TABLE (0xF3): a table-valued parameter is more than a type.
    pub fn decode(input: &mut Input<'_>, place: Place) -> ProtocolResult<TypeInfo> {
        let token = input.u8()?;
        TypeInfo::decode_after_token(token, input, place)
    }

    pub(crate) fn decode_after_token(token: u8, input: &mut Input<'_>, place: Place) -> ProtocolResult<TypeInfo> {
        use token::*;
        if let Some(sql_type) = fixed_type(token) {
            return Ok(TypeInfo::new(token, Form::Fixed(sql_type.length as u8), sql_type.length.into(), sql_type));
        }
        let mut info = match token {
            NULL => TypeInfo::NULL,
            INTN | BITN | FLOATN | MONEYN | DATETIMEN | GUID => {
                let size = input.u8()?;
                let sql_type = nullable_type(token, size).ok_or(ValueFault::Length(token))?;
                TypeInfo::new(token, Form::ByteLength, size.into(), sql_type)
            }
            DECIMALN | NUMERICN | LEGACY_DECIMAL | LEGACY_NUMERIC => decode_decimal(token, input, place)?,
            DATE => TypeInfo::new(token, Form::ByteLength, 3, SqlType::DATE),
            TIME | DATETIME2 | DATETIMEOFFSET => {
                let scale = input.u8()?;
                if scale > 7 {
                    return Err(ValueFault::PrecisionOrScale(token).into());
                }
                let sql_type = match token {
                    TIME => SqlType::time(scale),
                    DATETIME2 => SqlType::datetime2(scale),
                    _ => SqlType::datetimeoffset(scale),
                };
                TypeInfo::new(token, Form::ByteLength, sql_type.length.into(), sql_type)
            }
            LEGACY_CHAR | LEGACY_VARCHAR | LEGACY_BINARY | LEGACY_VARBINARY => {
                let size = input.u8()?;
                let length = u16::from(size).max(1);
                let sql_type = match token {
                    LEGACY_CHAR => SqlType::char(length),
                    LEGACY_VARCHAR => SqlType::varchar(length),
                    LEGACY_BINARY => SqlType::binary(length),
                    _ => SqlType::varbinary(length),
                };
                TypeInfo::new(token, Form::ByteLength, size.into(), sql_type)
            }
            VARCHAR | CHAR | NVARCHAR | NCHAR | VARBINARY | BINARY => decode_sized(token, input.u16()?, place)?,
            TEXT | NTEXT | IMAGE => {
                let sql_type = match token {
                    TEXT => SqlType::TEXT,
                    NTEXT => SqlType::NTEXT,
                    _ => SqlType::IMAGE,
                };
                TypeInfo::new(token, Form::Text, input.u32()?, sql_type)
            }
            SQL_VARIANT => TypeInfo::new(token, Form::Variant, input.u32()?, SqlType::SQL_VARIANT),
            XML => decode_xml(input)?,
            UDT => decode_udt(input, place)?,
            other => return Err(ValueFault::UnknownType(other).into()),
        };
        if info.has_collation() {
            info.collation = WireCollation(input.array()?);
            info.sql_type.collation = match info.collation {
                WireCollation([0, 0, 0, 0, 0]) => input.collation,
                given => given.id(),
            };
        }
        Ok(info)
    }
}

fn text_bytes_max(token: u8) -> u32 {
    if token == token::NTEXT { i32::MAX as u32 - 1 } else { i32::MAX as u32 }
}

fn fixed_type(token: u8) -> Option<SqlType> {
    use token::*;
    Some(match token {
        BIT => SqlType::BIT,
        INT1 => SqlType::TINYINT,
        INT2 => SqlType::SMALLINT,
        INT4 => SqlType::INT,
        INT8 => SqlType::BIGINT,
        FLOAT4 => SqlType::REAL,
        FLOAT8 => SqlType::FLOAT,
        MONEY4 => SqlType::SMALLMONEY,
        MONEY => SqlType::MONEY,
        DATETIME4 => SqlType::SMALLDATETIME,
        DATETIME => SqlType::DATETIME,
        _ => return None,
    })
}

fn nullable_type(token: u8, size: u8) -> Option<SqlType> {
    use token::*;
    Some(match (token, size) {
        (INTN, 1) => SqlType::TINYINT,
        (INTN, 2) => SqlType::SMALLINT,
        (INTN, 4) => SqlType::INT,
        (INTN, 8) => SqlType::BIGINT,
        (BITN, 1) => SqlType::BIT,
        (FLOATN, 4) => SqlType::REAL,
        (FLOATN, 8) => SqlType::FLOAT,
        (MONEYN, 4) => SqlType::SMALLMONEY,
        (MONEYN, 8) => SqlType::MONEY,
        (DATETIMEN, 4) => SqlType::SMALLDATETIME,
        (DATETIMEN, 8) => SqlType::DATETIME,
        // mssql-jdbc announces a NULL as one of no bytes.
        (GUID, 0 | 16) => SqlType::UNIQUEIDENTIFIER,
        _ => return None,
    })
}

fn decode_decimal(token: u8, input: &mut Input<'_>, place: Place) -> ProtocolResult<TypeInfo> {
    let [size, precision, scale] = input.array()?;
    // mssql-jdbc announces a column of a table-valued parameter that has NULLs only as one of no digits.
    let precision = if precision == 0 { 1 } else { precision };
    if !(1..=38).contains(&precision) || scale > precision {
        return Err(ValueFault::PrecisionOrScale(token).into());
    }
    // Of a column nobody needs it: each value says its own length, and the bulk copy of mssql-python announces nonsense.
    if place == Place::Parameter && !(2..=DECIMAL_BYTES_MAX).contains(&u32::from(size)) {
        return Err(ValueFault::Length(token).into());
    }
    let mut sql_type = SqlType::decimal(precision, scale);
    if matches!(token, token::NUMERICN | token::LEGACY_NUMERIC) {
        sql_type.kind = TypeKind::Numeric;
    }
    Ok(TypeInfo::new(token, Form::ByteLength, size.into(), sql_type))
}

fn decode_sized(token: u8, size: u16, place: Place) -> ProtocolResult<TypeInfo> {
    use token::*;
    let is_max = size == MAX_LENGTH;
    let is_unicode = matches!(token, NVARCHAR | NCHAR);
    if !is_max && (size > 8000 || is_unicode && !size.is_multiple_of(2))
        || is_max && matches!(token, CHAR | NCHAR | BINARY)
        || size == 0 && place == Place::Parameter
    {
        return Err(ValueFault::Length(token).into());
    }
    // A column may be announced as of no bytes, though T-SQL has no such type.
    let length = if is_max { size } else { size.max(1 + u16::from(is_unicode)) };
    let sql_type = match token {
        VARCHAR => SqlType::varchar(length),
        CHAR => SqlType::char(length),
        NVARCHAR if is_max => SqlType::NVARCHAR_MAX,
        NVARCHAR => SqlType::nvarchar(length / 2),
        NCHAR => SqlType::nchar(length / 2),
        VARBINARY => SqlType::varbinary(length),
        _ => SqlType::binary(length),
    };
    let form = if is_max { Form::Chunked } else { Form::ShortLength };
    Ok(TypeInfo::new(token, form, size.into(), sql_type))
}

fn decode_xml(input: &mut Input<'_>) -> ProtocolResult<TypeInfo> {
    let mut info = TypeInfo::new(token::XML, Form::Chunked, u16::MAX.into(), SqlType::XML);
    if input.u8()? != 0 {
        info.named = Some(Box::new(NamedType {
            database: input.b_varchar()?,
            schema: input.b_varchar()?,
            name: input.us_varchar()?,
            assembly: String::new(),
        }));
    }
    Ok(info)
}

fn decode_udt(input: &mut Input<'_>, place: Place) -> ProtocolResult<TypeInfo> {
    let mut info = TypeInfo::new(token::UDT, Form::Chunked, u16::MAX.into(), SqlType::VARBINARY_MAX);
    if place == Place::Column {
        info.size = input.u16()?.into();
    }
    let mut names = NamedType {
        database: input.b_varchar()?,
        schema: input.b_varchar()?,
        name: input.b_varchar()?,
        assembly: String::new(),
    };
    if place == Place::Column {
        names.assembly = input.us_varchar()?;
    }
    // Of the server's own three; any other has bytes only.
    let own = types::TypeKind::from_name(&names.name).map(SqlType::of_udt);
    info.sql_type = own.flatten().unwrap_or(info.sql_type);
    info.named = Some(Box::new(names));
    Ok(info)
}

/// A type's name as T-SQL writes it without its length; what error messages quote.
pub fn type_name(kind: TypeKind) -> &'static str {
    use TypeKind::*;
    match kind {
        Bit => "bit",
        TinyInt => "tinyint",
        SmallInt => "smallint",
        Int => "int",
        BigInt => "bigint",
        Decimal => "decimal",
        Numeric => "numeric",
        SmallMoney => "smallmoney",
        Money => "money",
        Real => "real",
        Float => "float",
        Date => "date",
        Time => "time",
        SmallDateTime => "smalldatetime",
        DateTime => "datetime",
        DateTime2 => "datetime2",
        DateTimeOffset => "datetimeoffset",
        Char => "char",
        VarChar => "varchar",
        Text => "text",
        NChar => "nchar",
        NVarChar => "nvarchar",
        NText => "ntext",
        Binary => "binary",
        VarBinary => "varbinary",
        Image => "image",
        UniqueIdentifier => "uniqueidentifier",
        RowVersion => "timestamp",
        Xml => "xml",
        SqlVariant => "sql_variant",
        HierarchyId => "hierarchyid",
        Geometry => "geometry",
        Geography => "geography",
        Json => "json",
    }
}
