//! What SQL Server asks of the definition of a memory-optimized table or table type, and of hash indexes, which only those have.

use sql::ast::{
    ColumnDefinition, ColumnKind, ConstraintKind, Ident, InlineIndex, Key, Setting, SettingValue, TableDefinition,
    find_setting,
};
use types::{SqlError, SqlResult, TypeKind, sql_error};

use super::data_type;
use super::index::new_buckets;
use super::number::identity_numbers;
use super::schema_binding::TABLES;
use super::site::{Ddl, constraint_failed};
use crate::catalog::Database;

/// How long the rows live: beyond a start, until then, or as a table variable's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    Durable,
    SchemaOnly,
    Variable,
}

fn option_is(options: &[Setting], name: &str, value: &str) -> bool {
    find_setting(options, name).is_some_and(|setting| match &setting.value {
        SettingValue::Word(word) => word.is(value),
        SettingValue::Name(name) => name.name.is(value),
        _ => false,
    })
}

fn is_asked(options: &[Setting]) -> bool {
    find_setting(options, "MEMORY_OPTIMIZED").is_some_and(Setting::is_on)
}

/// Of the options of a table; None: its rows are on pages.
pub fn of_table(options: &[Setting]) -> SqlResult<Option<Kept>> {
    let schema_only = option_is(options, "DURABILITY", "SCHEMA_ONLY");
    if is_asked(options) {
        return Ok(Some(if schema_only { Kept::SchemaOnly } else { Kept::Durable }));
    }
    if find_setting(options, "DURABILITY").is_some() {
        return Err(if schema_only { sql_error!(10779) } else { sql_error!(10785, "option", "durability", TABLES) });
    }
    Ok(None)
}

/// Of the options of a table type.
pub fn of_type(options: &[Setting]) -> SqlResult<Option<Kept>> {
    if find_setting(options, "DURABILITY").is_some() {
        return Err(sql_error!(10788, state 20, "durability"));
    }
    Ok(is_asked(options).then_some(Kept::Variable))
}

fn keys(definition: &TableDefinition) -> impl Iterator<Item = (Option<&Ident>, bool, &Key)> {
    let own = definition.columns.iter().flat_map(|column| &column.constraints);
    own.chain(&definition.constraints).filter_map(|constraint| match &constraint.kind {
        ConstraintKind::PrimaryKey(key) => Some((constraint.name.as_ref(), true, key)),
        ConstraintKind::Unique(key) => Some((constraint.name.as_ref(), false, key)),
        _ => None,
    })
}

fn indexes(definition: &TableDefinition) -> impl Iterator<Item = &InlineIndex> {
    definition.columns.iter().flat_map(|column| &column.indexes).chain(&definition.indexes)
}

/// Hash indexes have a number of buckets, and only memory-optimized tables have them.
pub fn check_buckets(table: &str, definition: &TableDefinition, memory: bool) -> SqlResult<()> {
    let keys = keys(definition).map(|(name, _, key)| (name.map_or("", |name| &**name), key.hash, &key.options));
    let indexes = indexes(definition).map(|index| (&*index.name, index.hash, &index.options));
    for (index, hash, options) in keys.chain(indexes) {
        match (find_setting(options, "BUCKET_COUNT"), hash) {
            (None, false) => {}
            (None, true) => return Err(sql_error!(10789, "bucket_count", index, table)),
            (Some(_), true) => drop(new_buckets(options)?),
            (Some(option), false) => return Err(sql_error!(10790, option.name)),
        }
        if hash && !memory {
            let error = sql_error!(10791);
            return Err(constraint_failed(error));
        }
    }
    Ok(())
}

pub fn check(ddl: &mut Ddl<'_>, db: &Database, name: &str, definition: &TableDefinition, kept: Kept) -> SqlResult<()> {
    if name.starts_with('#') {
        return Err(sql_error!(12322, TABLES));
    }
    check_columns(ddl, db, &definition.columns)?;
    let clustered_key = |(_, primary, key): (_, bool, &Key)| key.clustered.unwrap_or(primary && !key.hash);
    if keys(definition).any(clustered_key) || indexes(definition).any(|index| index.clustered == Some(true)) {
        return Err(sql_error!(12317, state 76, TABLES));
    }
    check_indexes(indexes(definition))?;
    if kept == Kept::Durable && !keys(definition).any(|(_, primary, _)| primary) {
        return Err(constraint_failed(sql_error!(41321, state 7, name)));
    }
    if keys(definition).next().is_none() && indexes(definition).next().is_none() {
        return Err(constraint_failed(sql_error!(41327, state 7, name)));
    }
    Ok(())
}

/// What ALTER TABLE adds.
pub fn check_added(
    ddl: &mut Ddl<'_>,
    db: &Database,
    table: &str,
    added: &TableDefinition,
    memory: bool,
) -> SqlResult<()> {
    check_buckets(table, added, memory)?;
    if memory {
        check_columns(ddl, db, &added.columns)?;
        check_indexes(indexes(added))?;
    }
    Ok(())
}

fn check_indexes<'a>(mut indexes: impl Iterator<Item = &'a InlineIndex>) -> SqlResult<()> {
    indexes.try_for_each(|index| {
        if index.filter.is_some() {
            return Err(sql_error!(10794, "feature", "WHERE", "indexes on memory optimized tables"));
        }
        if !index.include.is_empty() {
            return Err(constraint_failed(sql_error!(10664)));
        }
        Ok(())
    })
}

fn check_columns(ddl: &mut Ddl<'_>, db: &Database, columns: &[ColumnDefinition]) -> SqlResult<()> {
    for (position, column) in columns.iter().enumerate() {
        let refused = match &column.kind {
            ColumnKind::Typed(data_type) => refused_type(data_type::resolve(ddl, db, data_type, position + 1)?.ty),
            ColumnKind::Timestamp => Some("timestamp".to_string()),
            ColumnKind::Computed { .. } => None,
        };
        if let Some(name) = refused {
            return Err(refused_with("type", &name, 80));
        }
        if column.sparse {
            return Err(refused_with("feature", "SPARSE", 4));
        }
        if column.rowguidcol {
            return Err(refused_with("feature", "ROWGUIDCOL", 5));
        }
        let Some(identity) = &column.identity else { continue };
        if identity_numbers(identity, &column.name)? != (1, 1) {
            return Err(sql_error!(12339, state 17, TABLES));
        }
    }
    Ok(())
}

fn refused_with(kind: &str, name: &str, state: u8) -> SqlError {
    sql_error!(10794, state state, kind, name, TABLES)
}

fn refused_type(ty: types::SqlType) -> Option<String> {
    use TypeKind::*;
    match ty.kind {
        Xml | SqlVariant | Text | NText | Image | RowVersion | HierarchyId | Geometry | Geography | Json => {
            Some(ty.kind.name().to_string())
        }
        DateTimeOffset => Some(format!("datetimeoffset({})", ty.scale)),
        _ => None,
    }
}
