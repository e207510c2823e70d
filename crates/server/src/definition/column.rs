//! A column's row in the catalog, from its definition.

use sql::ast::{ColumnDefinition, ColumnKind, GeneratedAlways};
use sql::bind::Nature;
use sql::mask::MaskFunction;
use types::{SqlResult, SqlType, TypeKind, sql_error};

use super::data_type::{self, ResolvedType};
use super::number::identity_numbers;
use super::rights::references_type;
use super::site::{Ddl, Place, has, source};
use super::text;
use crate::catalog::base::{ColumnRow, column_status as cs};
use crate::catalog::row::{Text, Whole};
use crate::catalog::{Database, scalar_type};

/// The row of a column of CREATE TABLE or ALTER TABLE ADD, without its default.
pub fn column_row(
    ddl: &mut Ddl<'_>,
    db: &Database,
    id: i32,
    colid: i32,
    column: &ColumnDefinition,
    primary: bool,
    shown: &str,
) -> SqlResult<ColumnRow> {
    refuse_column(column)?;
    sql::bind::refuse_repeated(column, shown)?;
    let plain = |ty: ResolvedType, status: i32| ColumnRow {
        id,
        number: 0,
        colid,
        name: column.name.to_string(),
        xtype: ty.xtype,
        utype: ty.utype,
        length: scalar_type::max_length(&ty.ty),
        prec: ty.ty.precision,
        scale: ty.ty.scale,
        collation: scalar_type::collation_name(&ty.ty),
        status,
        dflt: 0,
        seed: Whole(0),
        increment: Whole(0),
        definition: Text(None),
    };
    let mut resolved = match &column.kind {
        ColumnKind::Typed(data_type) => {
            data_type::check_size(&column.name, data_type).map_err(|e| e.at_line(data_type.line))?;
            data_type::resolve(ddl, db, data_type, colid as usize).map_err(|e| e.at_line(data_type.line))?
        }
        ColumnKind::Timestamp => {
            ResolvedType { ty: SqlType::ROWVERSION, xtype: 189, utype: 189, nullable: None, table: None }
        }
        ColumnKind::Computed { expr, persisted, text: span } => {
            sql::bind::refuse_beyond_row(expr)?;
            let source = ddl.span(*span);
            let ty = ResolvedType { ty: SqlType::INT, xtype: 56, utype: 56, nullable: None, table: None };
            if column.masked.is_some() {
                return Err(sql_error!(16003, state 0, &*column.name, "default"));
            }
            if column.null == Some(false) && !*persisted {
                return Err(sql_error!(8183));
            }
            let mut row = plain(ty, cs::COMPUTED | if *persisted { cs::PERSISTED } else { 0 });
            if column.null != Some(false) {
                row.status |= cs::NULLABLE;
            }
            row.definition = Text(Some(text::definition(expr, source)));
            return Ok(row);
        }
    };
    if resolved.table.is_some() {
        return Err(sql_error!(350, &*column.name));
    }
    references_type(ddl, db, resolved.utype)?;
    resolved.ty = collated(db, resolved.ty, column)?;
    if column.column_set {
        let plain_xml = resolved.ty.kind == TypeKind::Xml && resolved.ty.xml_collection().is_none();
        if !plain_xml || column.null == Some(false) || primary {
            return Err(sql_error!(1733, &*column.name, shown));
        }
        return Ok(plain(resolved, cs::COMPUTED | cs::COLUMN_SET | cs::NULLABLE));
    }
    let is_version = resolved.ty.kind == TypeKind::RowVersion;
    let mut status = period_bits(column, &resolved.ty)?;
    let by_default = || !is_version && status == 0 && ddl.site.options().null_by_default;
    let nullable = column.null.or(resolved.nullable).unwrap_or_else(by_default);
    if nullable && !primary && column.identity.is_none() {
        status |= cs::NULLABLE;
    }
    if column.rowguidcol {
        if resolved.ty.kind != TypeKind::UniqueIdentifier {
            return Err(sql_error!(2761));
        }
        status |= cs::ROWGUID;
    }
    if column.sparse {
        let bits = status | if column.identity.is_some() { cs::IDENTITY } else { 0 };
        // Nor is it of a type of a user's.
        if resolved.utype > scalar_type::SYSNAME {
            return Err(sql_error!(1731, &*column.name, shown));
        }
        check_sparse(&column.name, &resolved.ty, bits, shown)?;
        status |= cs::SPARSE;
    }
    let mut row = plain(resolved.clone(), status);
    set_mask(&mut row, column.masked.as_deref(), &resolved.ty)?;
    give_identity(&mut row, column, &resolved.ty, shown)?;
    Ok(row)
}

/// 1731: `status` and type of a column that is to be sparse.
pub fn check_sparse(name: &str, ty: &SqlType, status: i32, shown: &str) -> SqlResult<()> {
    use TypeKind::{Image, NText, RowVersion, Text};
    let stored_apart = matches!(ty.kind, Text | NText | Image | RowVersion) || ty.is_spatial();
    match stored_apart || !has(status, cs::NULLABLE) || status & (cs::ROWGUID | cs::IDENTITY) != 0 {
        true => Err(sql_error!(1731, name, shown)),
        false => Ok(()),
    }
}

/// 447: only text has a collation.
fn collated(db: &Database, ty: SqlType, column: &ColumnDefinition) -> SqlResult<SqlType> {
    let is_text = ty.is_string() || matches!(ty.kind, TypeKind::Text | TypeKind::NText);
    if column.collation.is_some() && !is_text {
        return Err(sql_error!(447, sql::bind::typing::type_name(&ty)));
    }
    data_type::collate(db, ty, column.collation.as_deref())
}

/// The seed and increment of IDENTITY, in a column that may have them.
fn give_identity(row: &mut ColumnRow, column: &ColumnDefinition, ty: &SqlType, shown: &str) -> SqlResult<()> {
    let Some(identity) = &column.identity else { return Ok(()) };
    let exact = ty.is_integer() || ty.is_decimal() && ty.scale == 0;
    if !exact || column.null == Some(true) {
        return Err(if exact {
            sql_error!(8147, &*column.name, shown)
        } else {
            sql_error!(2749, state 2, &*column.name)
        });
    }
    let (seed, increment) = identity_numbers(identity, &column.name)?;
    if !holds_whole(ty, seed) {
        return Err(sql_error!(2752, &*column.name));
    }
    if !holds_whole(ty, increment.abs()) {
        return Err(sql_error!(2753, &*column.name));
    }
    row.status |= cs::IDENTITY | if identity.not_for_replication { cs::NOT_FOR_REPLICATION } else { 0 };
    row.seed = Whole(seed);
    row.increment = Whole(increment);
    Ok(())
}

/// Of a type that an identity column may have.
fn holds_whole(ty: &SqlType, number: i128) -> bool {
    match ty.kind {
        TypeKind::TinyInt => u8::try_from(number).is_ok(),
        TypeKind::SmallInt => i16::try_from(number).is_ok(),
        TypeKind::Int => i32::try_from(number).is_ok(),
        TypeKind::BigInt => i64::try_from(number).is_ok(),
        _ => number.unsigned_abs() < 10_u128.pow(u32::from(ty.precision)),
    }
}

/// 1759: a computed column is made of stored ones. `computed`: those of its table.
pub fn refuse_nested(db: &Database, column: &ColumnDefinition, computed: &[&str], shown: &str) -> SqlResult<()> {
    let ColumnKind::Computed { expr, .. } = &column.kind else { return Ok(()) };
    let mut named = sql::bind::columns_named(expr).into_iter();
    match named.find(|name| computed.iter().any(|own| db.equal_names(own, name))) {
        Some(inner) => Err(sql_error!(1759, &*inner, shown)),
        None => Ok(()),
    }
}

/// The names of the columns that a definition computes.
pub fn computed_names(columns: &[ColumnDefinition]) -> Vec<&str> {
    let computed = columns.iter().filter(|column| matches!(column.kind, ColumnKind::Computed { .. }));
    computed.map(|column| &*column.name.text).collect()
}

/// GENERATED ALWAYS AS ROW START or END, and HIDDEN.
fn period_bits(column: &ColumnDefinition, ty: &SqlType) -> SqlResult<i32> {
    let Some(generated) = column.generated else { return Ok(0) };
    if ty.kind != TypeKind::DateTime2 {
        return Err(sql_error!(13501, &*column.name));
    }
    if column.null == Some(true) {
        return Err(sql_error!(13587, &*column.name));
    }
    let end = if generated == GeneratedAlways::RowStart { cs::ROW_START } else { cs::ROW_END };
    Ok(end | if column.hidden { cs::HIDDEN } else { 0 })
}

/// Gives the column a mask, by the text of its function, or none.
pub fn set_mask(row: &mut ColumnRow, masked: Option<&str>, ty: &SqlType) -> SqlResult<()> {
    let function = masked.map(|text| MaskFunction::parse(text, &row.name, ty)).transpose()?;
    row.status = if function.is_some() { row.status | cs::MASKED } else { row.status & !cs::MASKED };
    row.definition = Text(function.map(|function| function.to_string()));
    Ok(())
}

/// Of a table's column sets: 1732: a second one. 1734: `there` were sparse columns before it.
pub fn refuse_set(row: &ColumnRow, others: &[ColumnRow], there: bool, shown: &str) -> SqlResult<()> {
    if !has(row.status, cs::COLUMN_SET) {
        return Ok(());
    }
    if others.iter().any(|other| has(other.status, cs::COLUMN_SET)) {
        return Err(sql_error!(1732, row.name, shown));
    }
    if there && others.iter().any(|other| has(other.status, cs::SPARSE)) {
        return Err(sql_error!(1734, row.name, shown));
    }
    Ok(())
}

/// As `refuse_kinds`. SPARSE is only a way to store a column.
fn refuse_column(column: &ColumnDefinition) -> SqlResult<()> {
    let refused = [(!column.encrypted.is_empty(), "ENCRYPTED WITH"), (column.filestream, "FILESTREAM")];
    match refused.iter().find(|(asked, _)| *asked) {
        Some((_, what)) => Err(super::unsupported(what)),
        None => Ok(()),
    }
}

/// Methods of xml are queries: only within a function may they stand in what a table's rows are asked.
pub fn calls_xml_method(ddl: &mut Ddl<'_>, place: &Place, table: i32, definition: &str) -> SqlResult<bool> {
    let is_named = ["value", "query", "exist"].iter().any(|name| definition.contains(name));
    Ok(is_named && ddl.site.nature(place.db.id, table, definition)?.xml_method)
}

/// Asks the binder for a computed column's type, over the table as it is. `statement`: CREATE TABLE or ALTER TABLE.
pub fn type_computed(
    ddl: &mut Ddl<'_>,
    place: &Place,
    shown: &str,
    row: &mut ColumnRow,
    statement: &str,
) -> SqlResult<()> {
    if has(row.status, cs::COLUMN_SET) {
        return Ok(());
    }
    let definition = row.definition.0.clone().unwrap_or_default();
    let columns = ddl.site.describe(&format!("SELECT {definition} FROM {}", source(place, shown)))?;
    let found = columns.first().ok_or_else(|| sql_error!(2724, row.name))?;
    if calls_xml_method(ddl, place, row.id, &definition)? {
        return Err(sql_error!(435, row.name, shown, statement));
    }
    let system = scalar_type::system_type(found.ty.kind);
    row.xtype = system.xtype;
    row.utype = system.utype;
    row.length = scalar_type::max_length(&found.ty);
    row.prec = found.ty.precision;
    row.scale = found.ty.scale;
    row.collation = scalar_type::collation_name(&found.ty);
    if !found.nullable {
        row.status &= !cs::NULLABLE;
    }
    if has(row.status, cs::PERSISTED) {
        let nature = ddl.site.nature(place.db.id, row.id, &definition)?;
        if nature.deterministic {
            return Ok(());
        }
        // Of what is not schema-bound it is not known what it reads, only that it may be anything.
        return Err(match nature == Nature::UNKNOWN {
            false if nature.reads => sql_error!(4934, row.name, shown),
            _ => sql_error!(4936, row.name, shown),
        });
    }
    Ok(())
}
