//! COLUMNPROPERTY, TYPEPROPERTY and INDEXKEY_PROPERTY: a column or parameter, a type, a column of a key.
//! https://learn.microsoft.com/sql/t-sql/functions/columnproperty-transact-sql

use sql::bind::Nature;
use sql::catalog::TableDef;
use types::{SqlType, TypeKind};

use super::answer::Answer;
use crate::catalog::base::{ColumnRow, TypeRow, column_status as cs};
use crate::catalog::scalar_type;

/// What has a column.
#[derive(Clone, Copy)]
pub enum Owner<'t> {
    Table(&'t TableDef),
    View,
    /// A function, or a procedure, whose parameter it is.
    Module,
}

/// `name` in lower case. `of`: what has the column; `nature`: that of its definition, if it is computed and `name` is asked of that. NULL for
/// what a column of this kind does not have.
pub fn of_column(row: &ColumnRow, name: &str, of: Owner<'_>, nature: Option<Nature>) -> Answer {
    let is_parameter = row.number == 1;
    let has = |bit: i32| Answer::from(row.status & bit != 0);
    match name {
        "allowsnull" if is_parameter => Answer::Number(1),
        "allowsnull" => has(cs::NULLABLE),
        "columnid" | "ordinal" => Answer::Number(row.colid.into()),
        "isoutparam" => (is_parameter && row.status & cs::OUTPUT != 0).into(),
        "iscursortype" => has(cs::CURSOR),
        "precision" | "scale" | "charmaxlen" => {
            match scalar_type::sql_type(row.xtype, row.utype, row.length, row.prec, row.scale, None) {
                Some(ty) => of_type(&ty, name),
                None => Answer::Null,
            }
        }
        _ if is_parameter => Answer::Null,
        "iscomputed" => has(cs::COMPUTED),
        "isidentity" => has(cs::IDENTITY),
        "isidnotforrepl" => (row.status & cs::IDENTITY != 0 && row.status & cs::NOT_FOR_REPLICATION != 0).into(),
        "isrowguidcol" => has(cs::ROWGUID),
        "issparse" => has(cs::SPARSE),
        "ismasked" => has(cs::MASKED),
        "ishidden" => has(cs::HIDDEN),
        "generatedalwaystype" => match row.status & (cs::ROW_START | cs::ROW_END) {
            0 => Answer::Number(0),
            cs::ROW_START => Answer::Number(1),
            _ => Answer::Number(2),
        },
        // Nobody knows what a view reads, and no index is made of its columns by themselves.
        "isindexable" if matches!(of, Owner::View) => Answer::Number(0),
        "userdataaccess" | "systemdataaccess" if matches!(of, Owner::View) => Answer::Number(1),
        "isindexable" | "isxmlindexable" if !matches!(of, Owner::Table(_)) => Answer::Null,
        // Of a computed column alone.
        "isdeterministic" | "isprecise" | "issystemverified" | "systemdataaccess" | "userdataaccess"
            if row.status & cs::COMPUTED == 0 =>
        {
            Answer::Null
        }
        "ispersisted" => has(cs::PERSISTED),
        "isdeterministic" => nature.is_some_and(|nature| nature.deterministic).into(),
        "isprecise" => nature.is_some_and(|nature| nature.precise).into(),
        "issystemverified" => nature.is_some_and(|nature| nature != Nature::UNKNOWN).into(),
        "userdataaccess" => nature.is_some_and(|nature| nature.reads).into(),
        "systemdataaccess" => nature.is_some_and(|nature| nature == Nature::UNKNOWN).into(),
        "isindexable" => {
            // What an index keeps and computes again has to be the same then; what is stored is not computed again.
            let keeps = |nature: Nature| nature.deterministic && (nature.precise || row.status & cs::PERSISTED != 0);
            (row.length != -1 && !matches!(row.xtype, 34 | 35 | 99 | 241) && nature.is_none_or(keeps)).into()
        }
        "isindexed" => matches!(of, Owner::Table(table) if is_in_key(table, row.colid)).into(),
        "isansipadded" | "usesansitrim" => is_padded(row.xtype),
        "isxmlindexable" => (row.xtype == 241).into(),
        "isfulltextindexed" | "fulltexttypecolumn" | "iscolumnset" | "statisticalsemantics" => Answer::Number(0),
        _ => Answer::Null,
    }
}

/// ANSI_PADDING is a matter of char, varchar, binary and varbinary.
fn is_padded(xtype: u8) -> Answer {
    match xtype {
        165 | 167 | 173 | 175 => Answer::Number(1),
        _ => Answer::Null,
    }
}

/// Whether the property is one of what a computed column's definition says.
pub fn asks_nature(name: &str) -> bool {
    matches!(
        name,
        "isdeterministic" | "isprecise" | "isindexable" | "issystemverified" | "systemdataaccess" | "userdataaccess"
    )
}

fn is_in_key(table: &TableDef, column: i32) -> bool {
    let is_it = |position: &u16| i64::from(table.columns[usize::from(*position)].column_id) == i64::from(column);
    table.indexes.iter().any(|index| index.key.iter().any(|(position, _)| is_it(position)))
}

/// Of what is no number the precision is its length in characters or bytes, -1 for (max) and xml; it has no scale.
fn of_type(ty: &SqlType, name: &str) -> Answer {
    let length = match ty.kind {
        TypeKind::Text | TypeKind::Image => Some(i64::from(i32::MAX)),
        TypeKind::NText => Some(i64::from(i32::MAX / 2)),
        TypeKind::Xml | TypeKind::Json => Some(-1),
        TypeKind::UniqueIdentifier => Some(16),
        TypeKind::RowVersion => Some(8),
        TypeKind::Binary | TypeKind::VarBinary if ty.is_max() => Some(-1),
        TypeKind::Binary | TypeKind::VarBinary => Some(ty.length.into()),
        _ if !ty.is_string() => None,
        _ if ty.is_max() => Some(-1),
        _ if ty.is_unicode_string() => Some(i64::from(ty.length / 2)),
        _ => Some(ty.length.into()),
    };
    match (name, length) {
        ("precision", Some(length)) => Answer::Number(length),
        ("charmaxlen", _) if ty.kind == TypeKind::SqlVariant => Answer::Number(0),
        ("charmaxlen", Some(length)) if !matches!(ty.kind, TypeKind::UniqueIdentifier | TypeKind::RowVersion) => {
            Answer::Number(length)
        }
        ("precision", None) => Answer::Number(ty.precision.into()),
        ("scale", None) if !matches!(ty.kind, TypeKind::Real | TypeKind::Float) => Answer::Number(ty.scale.into()),
        _ => Answer::Null,
    }
}

/// `name` in lower case: https://learn.microsoft.com/sql/t-sql/functions/typeproperty-transact-sql
pub fn of_type_row(row: &TypeRow, name: &str) -> Answer {
    let ty = scalar_type::sql_type(row.xtype, row.id, row.length, row.prec, row.scale, None);
    match name {
        "allowsnull" => (row.status & 1 != 0).into(),
        "ownerid" => Answer::Number(1),
        "precision" => ty.map_or(Answer::Null, |ty| of_type(&ty, "precision")),
        "scale" => ty.map_or(Answer::Null, |ty| of_type(&ty, "scale")),
        "usesansitrim" => is_padded(row.xtype),
        _ => Answer::Null,
    }
}
