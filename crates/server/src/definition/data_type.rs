//! A data type as written, for a column or parameter: its values' type and its user type.

use std::sync::Arc;

use sql::ast::{DataType, ObjectName, TypeLength, TypeName};
use types::names::too_long;
use types::{CollationId, MAX_LENGTH, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::site::{Ddl, written};
use crate::catalog::Database;
use crate::catalog::base::TypeRow;
use crate::catalog::load::{self, int, name as name_datum};
use crate::catalog::{scalar_type, xml_collection};

#[derive(Debug, Clone)]
pub struct ResolvedType {
    pub ty: SqlType,
    pub xtype: u8,
    pub utype: i32,
    /// What the alias type says of NULL.
    pub nullable: Option<bool>,
    /// The table of a table type.
    pub table: Option<i32>,
}

/// `ordinal`: of the column or parameter, for messages.
pub fn resolve(ddl: &mut Ddl<'_>, db: &Database, data_type: &DataType, ordinal: usize) -> SqlResult<ResolvedType> {
    resolve_in(ddl, db, None, data_type, ordinal)
}

/// `schema`: of the module that names the type, where it is looked for first.
pub fn resolve_in(
    ddl: &mut Ddl<'_>,
    db: &Database,
    schema: Option<&str>,
    data_type: &DataType,
    ordinal: usize,
) -> SqlResult<ResolvedType> {
    let unknown = |name: &str| sql_error!(2715, state 6, ordinal, name);
    let plain = |ty: SqlType| {
        let system = scalar_type::system_type(ty.kind);
        ResolvedType { ty, xtype: system.xtype, utype: system.utype, nullable: None, table: None }
    };
    let found = match &data_type.name {
        TypeName::Builtin(kind) => plain(builtin(*kind, data_type.length, ordinal)?),
        TypeName::Sysname => {
            ResolvedType { nullable: Some(false), utype: scalar_type::SYSNAME, ..plain(SqlType::SYSNAME) }
        }
        TypeName::XmlOf { document, collection } => {
            let found = super::xml_schema::find(ddl, db, schema, collection)?;
            let row = found.ok_or_else(|| sql_error!(6314, written(collection)))?;
            super::rights::references_collection(ddl, db, &row)?;
            let number = xml_collection::number_of(&row).ok_or_else(|| sql_error!(6314, written(collection)))?;
            plain(SqlType::xml_of(number, *document == Some(true)))
        }
        TypeName::User(name) => match alias(ddl, db, schema, name)? {
            // Its width is its own.
            Some(found) if found.table.is_none() && data_type.length != TypeLength::Default => {
                return Err(sql_error!(2716, state 3, ordinal, written(name)));
            }
            Some(found) => found,
            None => return Err(unknown(&written(name))),
        },
        TypeName::Cursor => return Err(unknown("cursor")),
        TypeName::Vector => return Err(unknown("vector")),
    };
    Ok(found)
}

/// With the column's collation, or the database's.
pub fn collate(db: &Database, ty: SqlType, collation: Option<&str>) -> SqlResult<SqlType> {
    let id = match collation {
        // The catalog's is the database's, as in every database that is not contained.
        Some(name) if ["database_default", "catalog_default"].iter().any(|word| name.eq_ignore_ascii_case(word)) => {
            db.collation
        }
        Some(name) => types::collation::lookup(name).ok_or_else(|| invalid_collation(name))?,
        None => db.collation,
    };
    Ok(match ty {
        ty if ty.is_string() => ty.with_collation(id),
        ty if ty.xml_collection().is_some() => ty,
        ty => SqlType { collation: CollationId(0), ..ty },
    })
}

pub fn invalid_collation(name: &str) -> SqlError {
    sql_error!(448, name)
}

fn alias(
    ddl: &mut Ddl<'_>,
    db: &Database,
    module_schema: Option<&str>,
    name: &ObjectName,
) -> SqlResult<Option<ResolvedType>> {
    let schemas: Vec<String> = match &name.schema {
        Some(schema) => vec![schema.to_string()],
        None => {
            let own = ddl.site.state().0.default_schema.to_string();
            let module = module_schema.map(str::to_string);
            ["sys".to_string()].into_iter().chain(module).chain([own, "dbo".to_string()]).collect()
        }
    };
    let row = ddl.rows(db, |rows| {
        for schema in &schemas {
            let Some(schema) = load::schema_named(rows, schema)? else { continue };
            if let Some(row) = rows.first::<TypeRow>(1, &[int(schema.id), name_datum(&name.name)])? {
                return Ok(Some(row));
            }
        }
        Ok(None)
    })?;
    let Some(row) = row else { return Ok(None) };
    if row.status & 2 != 0 {
        // The type's own value is never used: it is a table.
        return Ok(Some(ResolvedType {
            ty: SqlType::INT,
            xtype: row.xtype,
            utype: row.id,
            nullable: None,
            table: Some(row.tableid),
        }));
    }
    let ty = scalar_type::sql_type(row.xtype, row.id, row.length, row.prec, row.scale, row.collation.as_deref());
    Ok(ty.map(|ty| ResolvedType {
        ty,
        xtype: row.xtype,
        utype: row.id,
        nullable: Some(row.status & 1 != 0),
        table: None,
    }))
}

/// 131, 2717: as they name the column that would be too long.
pub fn check_size(column: &str, data_type: &DataType) -> SqlResult<()> {
    use TypeKind::*;
    let (TypeName::Builtin(kind), TypeLength::One(length)) = (&data_type.name, data_type.length) else { return Ok(()) };
    let most = match kind {
        Char | VarChar | Binary | VarBinary => 8000,
        NChar | NVarChar => 4000,
        _ => return Ok(()),
    };
    if length > most { Err(too_long("column", column, length, most)) } else { Ok(()) }
}

fn builtin(kind: TypeKind, length: TypeLength, ordinal: usize) -> SqlResult<SqlType> {
    use TypeKind::*;
    let no_width = || no_width(kind, ordinal);
    let one = |default: u32| match length {
        TypeLength::Default => Ok(default),
        TypeLength::One(n) => Ok(n),
        _ => Err(no_width()),
    };
    let sized = |max: u32| -> SqlResult<Option<u16>> {
        match length {
            TypeLength::Max if matches!(kind, VarChar | NVarChar | VarBinary) => Ok(None),
            _ => {
                let n = one(1)?;
                if n == 0 {
                    return Err(sql_error!(1001, 1, 0));
                }
                if n > max { Err(too_long("type", kind.name(), n, max)) } else { Ok(Some(n as u16)) }
            }
        }
    };
    let scaled = |make: fn(u8) -> SqlType| -> SqlResult<SqlType> {
        let scale = one(7)?;
        if scale > 7 {
            return Err(sql_error!(1002, 1, scale));
        }
        Ok(make(scale as u8))
    };
    Ok(match kind {
        Decimal | Numeric => decimal(kind, length, ordinal)?,
        Float => match one(53)? {
            1..=24 => SqlType::REAL,
            25..=53 => SqlType::FLOAT,
            0 => return Err(sql_error!(1001, 1, 0)),
            n => return Err(sql_error!(2750, ordinal, n, 53)),
        },
        Time => scaled(SqlType::time)?,
        DateTime2 => scaled(SqlType::datetime2)?,
        DateTimeOffset => scaled(SqlType::datetimeoffset)?,
        Char => SqlType::char(sized(8000)?.unwrap_or(MAX_LENGTH)),
        VarChar => SqlType::varchar(sized(8000)?.unwrap_or(MAX_LENGTH)),
        Binary => SqlType::binary(sized(8000)?.unwrap_or(MAX_LENGTH)),
        VarBinary => SqlType::varbinary(sized(8000)?.unwrap_or(MAX_LENGTH)),
        NChar => sized(4000)?.map_or(SqlType::NVARCHAR_MAX, SqlType::nchar),
        NVarChar => sized(4000)?.map_or(SqlType::NVARCHAR_MAX, SqlType::nvarchar),
        _ if length != TypeLength::Default => return Err(no_width()),
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
        HierarchyId => SqlType::HIERARCHYID,
        Geometry => SqlType::GEOMETRY,
        Geography => SqlType::GEOGRAPHY,
        Json => SqlType::JSON,
    })
}

fn no_width(kind: TypeKind, ordinal: usize) -> SqlError {
    let name = scalar_type::system_type(kind).name;
    sql_error!(2716, ordinal, name)
}

fn decimal(kind: TypeKind, length: TypeLength, ordinal: usize) -> SqlResult<SqlType> {
    let (precision, scale) = match length {
        TypeLength::Default => (18, 0),
        TypeLength::One(p) => (p, 0),
        TypeLength::Two(p, s) => (p, s),
        TypeLength::Max => return Err(no_width(kind, ordinal)),
    };
    if precision == 0 {
        return Err(sql_error!(1001, 1, 0));
    }
    if precision > 38 {
        return Err(sql_error!(2750, ordinal, precision, 38));
    }
    if scale > precision {
        return Err(sql_error!(2751, ordinal, scale, precision));
    }
    Ok(SqlType { kind, ..SqlType::decimal(precision as u8, scale as u8) })
}

pub fn find_type(ddl: &mut Ddl<'_>, name: &ObjectName) -> SqlResult<Option<(Arc<Database>, TypeRow)>> {
    let db = ddl.database_of(name)?;
    let schemas: Vec<String> = match &name.schema {
        Some(schema) => vec![schema.to_string()],
        None => vec![ddl.site.state().0.default_schema.to_string(), "dbo".to_string()],
    };
    let row = ddl.rows(&db, |rows| {
        for schema in &schemas {
            let Some(schema) = load::schema_named(rows, schema)? else { continue };
            if let Some(row) = rows.first::<TypeRow>(1, &[int(schema.id), name_datum(&name.name)])? {
                return Ok(Some(row));
            }
        }
        Ok(None)
    })?;
    Ok(row.filter(|row| row.id > 256).map(|row| (db, row)))
}
