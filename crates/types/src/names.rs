//! Types by name: spellings of the language, `sys.types`, how a type is written and what its messages call it.

use crate::sql_error;
use std::fmt;

use crate::error::{SqlError, SqlResult};
use crate::sql_type::{MAX_LENGTH, SqlType, TypeKind};

/// A row of `sys.types`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SystemType {
    pub name: &'static str,
    pub system_type_id: u8,
    pub user_type_id: i32,
    /// Bytes; -1 for (max).
    pub max_length: i16,
    pub precision: u8,
    pub scale: u8,
    /// Whether `collation_name` is the database's rather than NULL.
    pub collated: bool,
    pub is_nullable: bool,
    /// None: not of the table's own (`sysname`).
    pub kind: Option<TypeKind>,
}

const fn row(
    name: &'static str,
    system_type_id: u8,
    user_type_id: i32,
    max_length: i16,
    precision: u8,
    scale: u8,
    kind: TypeKind,
) -> SystemType {
    use TypeKind::*;
    SystemType {
        name,
        system_type_id,
        user_type_id,
        max_length,
        precision,
        scale,
        collated: matches!(kind, Text | NText | Char | VarChar | NChar | NVarChar),
        is_nullable: user_type_id != 256 && !matches!(kind, RowVersion),
        kind: Some(kind),
    }
}

const fn clr(name: &'static str, user_type_id: i32, max_length: i16, kind: TypeKind) -> SystemType {
    row(name, 240, user_type_id, max_length, 0, 0, kind)
}

/// `sys.types` of a new database, in its order.
pub static SYSTEM_TYPES: [SystemType; 35] = [
    row("image", 34, 34, 16, 0, 0, TypeKind::Image),
    row("text", 35, 35, 16, 0, 0, TypeKind::Text),
    row("uniqueidentifier", 36, 36, 16, 0, 0, TypeKind::UniqueIdentifier),
    row("date", 40, 40, 3, 10, 0, TypeKind::Date),
    row("time", 41, 41, 5, 16, 7, TypeKind::Time),
    row("datetime2", 42, 42, 8, 27, 7, TypeKind::DateTime2),
    row("datetimeoffset", 43, 43, 10, 34, 7, TypeKind::DateTimeOffset),
    row("tinyint", 48, 48, 1, 3, 0, TypeKind::TinyInt),
    row("smallint", 52, 52, 2, 5, 0, TypeKind::SmallInt),
    row("int", 56, 56, 4, 10, 0, TypeKind::Int),
    row("smalldatetime", 58, 58, 4, 16, 0, TypeKind::SmallDateTime),
    row("real", 59, 59, 4, 24, 0, TypeKind::Real),
    row("money", 60, 60, 8, 19, 4, TypeKind::Money),
    row("datetime", 61, 61, 8, 23, 3, TypeKind::DateTime),
    row("float", 62, 62, 8, 53, 0, TypeKind::Float),
    row("sql_variant", 98, 98, 8016, 0, 0, TypeKind::SqlVariant),
    row("ntext", 99, 99, 16, 0, 0, TypeKind::NText),
    row("bit", 104, 104, 1, 1, 0, TypeKind::Bit),
    row("decimal", 106, 106, 17, 38, 38, TypeKind::Decimal),
    row("numeric", 108, 108, 17, 38, 38, TypeKind::Numeric),
    row("smallmoney", 122, 122, 4, 10, 4, TypeKind::SmallMoney),
    row("bigint", 127, 127, 8, 19, 0, TypeKind::BigInt),
    clr("hierarchyid", 128, 892, TypeKind::HierarchyId),
    clr("geometry", 129, -1, TypeKind::Geometry),
    clr("geography", 130, -1, TypeKind::Geography),
    row("varbinary", 165, 165, 8000, 0, 0, TypeKind::VarBinary),
    row("varchar", 167, 167, 8000, 0, 0, TypeKind::VarChar),
    row("binary", 173, 173, 8000, 0, 0, TypeKind::Binary),
    row("char", 175, 175, 8000, 0, 0, TypeKind::Char),
    row("timestamp", 189, 189, 8, 0, 0, TypeKind::RowVersion),
    row("nvarchar", 231, 231, 8000, 0, 0, TypeKind::NVarChar),
    row("nchar", 239, 239, 8000, 0, 0, TypeKind::NChar),
    row("xml", 241, 241, -1, 0, 0, TypeKind::Xml),
    row("json", 244, 244, -1, 0, 0, TypeKind::Json),
    row("sysname", 231, 256, 256, 0, 0, TypeKind::NVarChar),
];

/// Other spellings; words apart by one blank.
const SYNONYMS: [(&str, &str); 14] = [
    ("integer", "int"),
    ("dec", "decimal"),
    ("double precision", "float"),
    ("character", "char"),
    ("character varying", "varchar"),
    ("char varying", "varchar"),
    ("national character", "nchar"),
    ("national char", "nchar"),
    ("national character varying", "nvarchar"),
    ("national char varying", "nvarchar"),
    ("nchar varying", "nvarchar"),
    ("national text", "ntext"),
    ("binary varying", "varbinary"),
    ("rowversion", "timestamp"),
];

/// What stands in parentheses behind a type's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameters {
    None,
    One(u32),
    Two(u32, u32),
    Max,
}

impl TypeKind {
    /// The name in `sys.types`: `timestamp` for rowversion.
    pub fn name(self) -> &'static str {
        self.system_type().name
    }

    pub fn system_type(self) -> &'static SystemType {
        let row = SYSTEM_TYPES.iter().find(|row| row.kind == Some(self));
        row.expect("every kind has a row in sys.types")
    }

    /// The kind of that name or spelling, whatever its case. `sysname` is nvarchar here.
    pub fn from_name(name: &str) -> Option<TypeKind> {
        let spelled = SYNONYMS.iter().find(|(synonym, _)| synonym.eq_ignore_ascii_case(name));
        let name = spelled.map_or(name, |(_, name)| name);
        SYSTEM_TYPES.iter().find(|row| row.name.eq_ignore_ascii_case(name))?.kind
    }
}

/// What TDS and the catalog say of a type of Microsoft.SqlServer.Types ([MS-SSCLRT], and MS-TDS 2.2.5.5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Udt {
    /// The class in the assembly.
    pub class: &'static str,
    pub assembly_qualified_name: &'static str,
}

impl TypeKind {
    /// None: no UDT.
    pub const fn udt(self) -> Option<Udt> {
        macro_rules! of {
            ($class:literal) => {
                Udt {
                    class: $class,
                    assembly_qualified_name: concat!(
                        $class,
                        ", Microsoft.SqlServer.Types, Version=11.0.0.0, Culture=neutral, PublicKeyToken=89845dcd8080cc91"
                    ),
                }
            };
        }
        match self {
            TypeKind::HierarchyId => Some(of!("Microsoft.SqlServer.Types.SqlHierarchyId")),
            TypeKind::Geometry => Some(of!("Microsoft.SqlServer.Types.SqlGeometry")),
            TypeKind::Geography => Some(of!("Microsoft.SqlServer.Types.SqlGeography")),
            _ => None,
        }
    }
}

impl SqlType {
    /// The name in `sys.types`.
    pub fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// None: no UDT.
    pub const fn of_udt(kind: TypeKind) -> Option<SqlType> {
        match kind {
            TypeKind::HierarchyId => Some(SqlType::HIERARCHYID),
            TypeKind::Geometry => Some(SqlType::GEOMETRY),
            TypeKind::Geography => Some(SqlType::GEOGRAPHY),
            _ => None,
        }
    }

    /// What error messages call it: decimal is `numeric` there.
    pub fn message_name(&self) -> &'static str {
        if self.is_decimal() { "numeric" } else { self.name() }
    }

    /// The same in messages about operands, which tell varchar(max) from varchar.
    pub fn operand_name(&self) -> &'static str {
        if self.is_decimal() { "numeric" } else { self.shown() }
    }

    /// The name in messages about types, which tell varchar(max) from varchar.
    pub fn shown(&self) -> &'static str {
        match self.kind {
            TypeKind::VarChar if self.is_max() => "varchar(max)",
            TypeKind::NVarChar if self.is_max() => "nvarchar(max)",
            TypeKind::VarBinary if self.is_max() => "varbinary(max)",
            kind => kind.name(),
        }
    }

    /// `decimal(10,2)`, `NVARCHAR(max)`, `time` ...; None if that is no type or its parameters are out of bounds.
    pub fn parse_name(text: &str) -> Option<SqlType> {
        let (name, parameters) = match text.trim().split_once('(') {
            None => (text, Parameters::None),
            Some((name, rest)) => {
                let list = rest.trim_end().strip_suffix(')')?;
                let number = |text: &str| text.trim().parse().ok();
                let parameters = match list.split_once(',') {
                    Some((first, second)) => Parameters::Two(number(first)?, number(second)?),
                    None if list.trim().eq_ignore_ascii_case("max") => Parameters::Max,
                    None => Parameters::One(number(list)?),
                };
                (name, parameters)
            }
        };
        let name = name.trim();
        if name.eq_ignore_ascii_case("sysname") && parameters == Parameters::None {
            return Some(SqlType::SYSNAME);
        }
        SqlType::build(TypeKind::from_name(name)?, parameters, 1).ok()
    }

    /// The type with its parameters checked. `default_length`: of char and binary types without one, in characters: 1 in
    /// a declaration, 30 in CAST and CONVERT. Errors: 291, 1001, 1002, 131, 192, 2750.
    pub fn build(kind: TypeKind, parameters: Parameters, default_length: u16) -> SqlResult<SqlType> {
        use TypeKind::*;
        let name = kind.name();
        let plain = |ty: SqlType| match parameters {
            Parameters::None => Ok(ty),
            _ => Err(invalid_attributes(name)),
        };
        match kind {
            Bit => plain(SqlType::BIT),
            TinyInt => plain(SqlType::TINYINT),
            SmallInt => plain(SqlType::SMALLINT),
            Int => plain(SqlType::INT),
            BigInt => plain(SqlType::BIGINT),
            SmallMoney => plain(SqlType::SMALLMONEY),
            Money => plain(SqlType::MONEY),
            Real => plain(SqlType::REAL),
            Date => plain(SqlType::DATE),
            SmallDateTime => plain(SqlType::SMALLDATETIME),
            DateTime => plain(SqlType::DATETIME),
            UniqueIdentifier => plain(SqlType::UNIQUEIDENTIFIER),
            RowVersion => plain(SqlType::ROWVERSION),
            Xml => plain(SqlType::XML),
            SqlVariant => plain(SqlType::SQL_VARIANT),
            HierarchyId => plain(SqlType::HIERARCHYID),
            Geometry => plain(SqlType::GEOMETRY),
            Geography => plain(SqlType::GEOGRAPHY),
            Json => plain(SqlType::JSON),
            Text => plain(SqlType::TEXT),
            NText => plain(SqlType::NTEXT),
            Image => plain(SqlType::IMAGE),
            Float => match parameters {
                Parameters::None => Ok(SqlType::FLOAT),
                Parameters::One(1..=24) => Ok(SqlType::REAL),
                Parameters::One(25..=53) => Ok(SqlType::FLOAT),
                Parameters::One(bits) => Err(bad_precision(bits)),
                _ => Err(invalid_attributes(name)),
            },
            Time | DateTime2 | DateTimeOffset => {
                let scale = match parameters {
                    Parameters::None => 7,
                    Parameters::One(scale @ 0..=7) => scale as u8,
                    Parameters::One(scale) => return Err(bad_scale(scale)),
                    _ => return Err(invalid_attributes(name)),
                };
                Ok(match kind {
                    Time => SqlType::time(scale),
                    DateTime2 => SqlType::datetime2(scale),
                    _ => SqlType::datetimeoffset(scale),
                })
            }
            Decimal | Numeric => {
                let (precision, scale) = match parameters {
                    Parameters::None => (18, 0),
                    Parameters::One(precision) => (precision, 0),
                    Parameters::Two(precision, scale) => (precision, scale),
                    Parameters::Max => return Err(invalid_attributes(name)),
                };
                match (precision, scale) {
                    (0, _) => Err(bad_precision(0)),
                    (39.., _) => Err(sql_error!(2750, 1, precision, 38)),
                    _ if scale > precision => Err(sql_error!(192)),
                    _ => Ok(SqlType { kind, ..SqlType::decimal(precision as u8, scale as u8) }),
                }
            }
            Char | NChar | Binary | VarChar | NVarChar | VarBinary => {
                let wide = matches!(kind, NChar | NVarChar);
                let limit = if wide { 4000 } else { 8000 };
                let characters = match parameters {
                    Parameters::None => default_length,
                    Parameters::One(0) => return Err(bad_precision(0)),
                    Parameters::One(length) if length > limit => return Err(too_long("type", name, length, limit)),
                    Parameters::One(length) => length as u16,
                    Parameters::Max if matches!(kind, VarChar | NVarChar | VarBinary) => MAX_LENGTH,
                    _ => return Err(invalid_attributes(name)),
                };
                let base = SqlType { kind, length: characters, ..SqlType::TEXT };
                let bytes = if wide && characters != MAX_LENGTH { 2 * characters } else { characters };
                Ok(SqlType { length: bytes, ..base })
            }
        }
    }

    /// Characters that a character type holds, bytes of a binary one; None for (max).
    pub fn capacity(&self) -> Option<usize> {
        if self.is_max() {
            return None;
        }
        let length = self.length as usize;
        Some(if self.is_unicode_string() { length / 2 } else { length })
    }

    /// `max_length`, `precision` and `scale` as `sys.columns` has them.
    pub fn catalog_size(&self) -> (i16, u8, u8) {
        use TypeKind::*;
        let max_length = match self.kind {
            Text | NText | Image => 16,
            _ if self.is_max() => -1,
            Decimal | Numeric => SqlType::decimal(self.precision, 0).length as i16,
            _ => self.length as i16,
        };
        (max_length, self.precision, self.scale)
    }
}

fn invalid_attributes(name: &str) -> SqlError {
    sql_error!(291, name)
}

fn bad_precision(number: u32) -> SqlError {
    sql_error!(1001, 1, number)
}

fn bad_scale(scale: u32) -> SqlError {
    sql_error!(1002, 1, scale)
}

/// 131; 2717 for what another type would hold. `what`: a type, a column or a parameter of the name.
pub fn too_long(what: &str, name: &str, length: u32, limit: u32) -> SqlError {
    let state = if what == "type" { 3 } else { 2 };
    match length > 8000 {
        true => sql_error!(131, state state, length, what, name, 8000),
        false => sql_error!(2717, state state, length, what, name, limit),
    }
}

/// As T-SQL writes the type: `decimal(10,2)`, `nvarchar(20)`, `varchar(max)`, `datetime2(7)`, `int`.
impl fmt::Display for SqlType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use TypeKind::*;
        f.write_str(self.name())?;
        match self.kind {
            Decimal | Numeric => write!(f, "({},{})", self.precision, self.scale),
            Time | DateTime2 | DateTimeOffset => write!(f, "({})", self.scale),
            Char | VarChar | NChar | NVarChar | Binary | VarBinary => match self.capacity() {
                None => f.write_str("(max)"),
                Some(capacity) => write!(f, "({capacity})"),
            },
            _ => Ok(()),
        }
    }
}
