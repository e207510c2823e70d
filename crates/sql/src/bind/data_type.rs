//! Data types as written to `SqlType`, with their bounds.

use types::{MAX_LENGTH, SqlResult, SqlType, TypeKind};

use super::binder::Binder;
use super::errors;
use super::names::{display, object_name};
use super::typing::kind_name;
use crate::ast::{DataType, TypeLength, TypeName};
use crate::catalog::{Catalog, UserType};

impl Binder<'_> {
    /// `default_length`: of char, varchar and the like without one: 1 in declarations, 30 in CAST and CONVERT.
    pub fn data_type(&self, ty: &DataType, default_length: u16) -> SqlResult<SqlType> {
        scalar_type(self.catalog, ty, default_length).map_err(|e| e.at_line(ty.line))
    }
}

/// A scalar type of the language or an alias type. Error 2715 for what is none.
pub fn scalar_type(catalog: &dyn Catalog, ty: &DataType, default_length: u16) -> SqlResult<SqlType> {
    let collation = catalog.collation();
    let found = match &ty.name {
        TypeName::Builtin(kind) => builtin(*kind, ty.length, default_length)?,
        TypeName::Sysname => SqlType::SYSNAME,
        TypeName::XmlOf { .. } => SqlType::XML,
        TypeName::User(name) => match catalog.user_type(&object_name(name))? {
            Some(UserType::Alias { ty, .. }) => return Ok(ty),
            _ => return Err(errors::unknown_type("#1", &display(name))),
        },
        TypeName::Cursor => {
            return Err(errors::plain(243, 16, 1, "Type cursor is not a defined system type."));
        }
        TypeName::HierarchyId => return Err(errors::unknown_type("#1", "hierarchyid")),
        TypeName::Geometry => return Err(errors::unknown_type("#1", "geometry")),
        TypeName::Geography => return Err(errors::unknown_type("#1", "geography")),
        TypeName::Json => return Err(errors::unknown_type("#1", "json")),
        TypeName::Vector => return Err(errors::unknown_type("#1", "vector")),
    };
    Ok(if found.is_string() { found.with_collation(collation) } else { found })
}

fn builtin(kind: TypeKind, length: TypeLength, default_length: u16) -> SqlResult<SqlType> {
    use TypeKind::*;
    let name = kind_name(kind);
    let one = match length {
        TypeLength::One(n) => Some(n),
        _ => None,
    };
    let no_width = || {
        errors::plain(2716, 16, 1, format!("Column, parameter, or variable #1: Cannot specify a column width on data type {name}."))
    };
    Ok(match kind {
        Decimal | Numeric => {
            let (precision, scale) = match length {
                TypeLength::Default => (18, 0),
                TypeLength::One(p) => (p, 0),
                TypeLength::Two(p, s) => (p, s),
                TypeLength::Max => return Err(no_width()),
            };
            if precision > 38 {
                return Err(errors::plain(
                    2750,
                    16,
                    1,
                    format!(
                        "Column or parameter #1: Specified column precision {precision} is greater than the maximum precision of 38."
                    ),
                ));
            }
            if precision == 0 {
                return Err(errors::plain(1001, 15, 1, "Line 1: Length or precision specification 0 is invalid."));
            }
            if scale > precision {
                return Err(errors::plain(
                    2751,
                    16,
                    1,
                    format!(
                        "Column or parameter #1: Specified column scale {scale} is greater than the specified precision of {precision}."
                    ),
                ));
            }
            SqlType { kind, ..SqlType::decimal(precision as u8, scale as u8) }
        }
        Float => match one {
            Some(0) => return Err(errors::plain(1001, 15, 1, "Line 1: Length or precision specification 0 is invalid.")),
            Some(n) if n > 53 => return Err(too_long(n, name, 53)),
            Some(n) if n <= 24 => SqlType::REAL,
            _ => SqlType::FLOAT,
        },
        Time | DateTime2 | DateTimeOffset => {
            let scale = one.unwrap_or(7);
            if scale > 7 {
                return Err(errors::plain(1002, 15, 1, format!("Line 1: Specified scale {scale} is invalid.")));
            }
            match kind {
                Time => SqlType::time(scale as u8),
                DateTime2 => SqlType::datetime2(scale as u8),
                _ => SqlType::datetimeoffset(scale as u8),
            }
        }
        Char | VarChar | NChar | NVarChar | Binary | VarBinary => {
            let wide = matches!(kind, NChar | NVarChar);
            let most = if wide { 4000 } else { 8000 };
            let count = match length {
                TypeLength::Default => default_length as u32,
                TypeLength::One(n) => n,
                TypeLength::Two(..) => return Err(no_width()),
                TypeLength::Max if matches!(kind, VarChar | NVarChar | VarBinary) => {
                    return Ok(SqlType { length: MAX_LENGTH, kind, ..SqlType::VARCHAR_MAX });
                }
                TypeLength::Max => return Err(no_width()),
            };
            if count == 0 {
                return Err(errors::plain(1001, 15, 1, "Line 1: Length or precision specification 0 is invalid."));
            }
            if count > most {
                return Err(too_long(count, name, most));
            }
            let bytes = if wide { count * 2 } else { count } as u16;
            SqlType { length: bytes, kind, ..SqlType::varchar(1) }
        }
        _ if one.is_some() || matches!(length, TypeLength::Two(..)) => return Err(no_width()),
        Bit => SqlType::BIT,
        TinyInt => SqlType::TINYINT,
        SmallInt => SqlType::SMALLINT,
        Int => SqlType::INT,
        BigInt => SqlType::BIGINT,
        SmallMoney => SqlType::SMALLMONEY,
        Money => SqlType::MONEY,
        Real => SqlType::REAL,
        Date => SqlType::DATE,
        SmallDateTime => SqlType::SMALLDATETIME,
        DateTime => SqlType::DATETIME,
        Text => SqlType::TEXT,
        NText => SqlType::NTEXT,
        Image => SqlType::IMAGE,
        UniqueIdentifier => SqlType::UNIQUEIDENTIFIER,
        RowVersion => SqlType::ROWVERSION,
        Xml => SqlType::XML,
        SqlVariant => SqlType::SQL_VARIANT,
    })
}

fn too_long(size: u32, name: &str, most: u32) -> types::SqlError {
    errors::plain(
        131,
        15,
        2,
        format!("The size ({size}) given to the type '{name}' exceeds the maximum allowed for any data type ({most})."),
    )
}
