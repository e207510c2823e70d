//! What SQL Server asks of the definition of a memory-optimized table or table type, and of hash indexes, which only those have.

use sql::ast::{
    ColumnDefinition, ColumnKind, ConstraintKind, Ident, InlineIndex, Key, Setting, SettingValue, TableDefinition,
    find_setting,
};
use types::{SqlError, SqlResult, TypeKind};

use super::data_type;
use super::index::new_buckets;
use super::number::identity_numbers;
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
        let value = if schema_only { "schema_only" } else { "schema_and_data" };
        let text = format!("The durability option '{value}' is supported only with memory optimized tables.");
        return Err(SqlError::new(10779, 15, text));
    }
    Ok(None)
}

/// Of the options of a table type.
pub fn of_type(options: &[Setting]) -> SqlResult<Option<Kept>> {
    if find_setting(options, "DURABILITY").is_some() {
        let text = "The option 'durability' is not supported with table types.";
        return Err(SqlError::with_state(10788, 15, 20, text));
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
pub fn check_buckets(ddl: &mut Ddl<'_>, table: &str, definition: &TableDefinition, memory: bool) -> SqlResult<()> {
    let keys = keys(definition).map(|(name, _, key)| (name.map_or("", |name| &**name), key.hash, &key.options));
    let indexes = indexes(definition).map(|index| (&*index.name, index.hash, &index.options));
    for (index, hash, options) in keys.chain(indexes) {
        match (find_setting(options, "BUCKET_COUNT"), hash) {
            (None, false) => {}
            (None, true) => {
                let text = format!(
                    "The option 'bucket_count' must be specified for index '{index}' on table '{table}'. It is required for hash indexes."
                );
                return Err(SqlError::new(10789, 15, text));
            }
            (Some(_), true) => drop(new_buckets(options)?),
            (Some(option), false) => {
                let text = format!("The option '{}' can be specified only for hash indexes.", option.name);
                return Err(SqlError::new(10790, 15, text));
            }
        }
        if hash && !memory {
            let error = SqlError::new(10791, 16, "Hash indexes are permitted only in memory optimized tables.");
            return Err(constraint_failed(ddl, error));
        }
    }
    Ok(())
}

pub fn check(ddl: &mut Ddl<'_>, db: &Database, name: &str, definition: &TableDefinition, kept: Kept) -> SqlResult<()> {
    if name.starts_with('#') {
        let text = "The use of temporary tables is not supported with memory optimized tables.";
        return Err(SqlError::new(12322, 16, text));
    }
    check_columns(ddl, db, &definition.columns)?;
    let clustered_key = |(_, primary, key): (_, bool, &Key)| key.clustered.unwrap_or(primary && !key.hash);
    if keys(definition).any(clustered_key) || indexes(definition).any(|index| index.clustered == Some(true)) {
        return Err(SqlError::with_state(
            12317,
            16,
            76,
            "Clustered indexes, which are the default for primary keys, are not supported with memory optimized tables. Specify a NONCLUSTERED index instead.",
        ));
    }
    check_indexes(ddl, indexes(definition))?;
    if kept == Kept::Durable && !keys(definition).any(|(_, primary, _)| primary) {
        let text =
            format!("The memory optimized table '{name}' with DURABILITY=SCHEMA_AND_DATA must have a primary key.");
        return Err(constraint_failed(ddl, SqlError::with_state(41321, 16, 7, text)));
    }
    if keys(definition).next().is_none() && indexes(definition).next().is_none() {
        let text = format!("The memory optimized table '{name}' must have at least one index or a primary key.");
        return Err(constraint_failed(ddl, SqlError::with_state(41327, 16, 7, text)));
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
    check_buckets(ddl, table, added, memory)?;
    if memory {
        check_columns(ddl, db, &added.columns)?;
        check_indexes(ddl, indexes(added))?;
    }
    Ok(())
}

fn check_indexes<'a>(ddl: &mut Ddl<'_>, mut indexes: impl Iterator<Item = &'a InlineIndex>) -> SqlResult<()> {
    indexes.try_for_each(|index| {
        if index.filter.is_some() {
            let text = "The feature 'WHERE' is not supported with indexes on memory optimized tables.";
            return Err(SqlError::new(10794, 16, text));
        }
        if !index.include.is_empty() {
            let text = "Cannot specify included columns for indexes on memory optimized tables.";
            return Err(constraint_failed(ddl, SqlError::new(10664, 16, text)));
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
            return Err(refused_with(&format!("The type '{name}'"), 80));
        }
        if column.sparse {
            return Err(refused_with("The feature 'SPARSE'", 4));
        }
        if column.rowguidcol {
            return Err(refused_with("The feature 'ROWGUIDCOL'", 5));
        }
        let Some(identity) = &column.identity else { continue };
        if identity_numbers(identity, &column.name)? != (1, 1) {
            let text =
                "The use of seed and increment values other than 1 is not supported with memory optimized tables.";
            return Err(SqlError::with_state(12339, 16, 17, text));
        }
    }
    Ok(())
}

fn refused_with(subject: &str, state: u8) -> SqlError {
    SqlError::with_state(10794, 16, state, format!("{subject} is not supported with memory optimized tables."))
}

fn refused_type(ty: types::SqlType) -> Option<String> {
    use TypeKind::*;
    match ty.kind {
        Xml | SqlVariant | Text | NText | Image | RowVersion => Some(ty.kind.name().to_string()),
        DateTimeOffset => Some(format!("datetimeoffset({})", ty.scale)),
        _ => None,
    }
}
