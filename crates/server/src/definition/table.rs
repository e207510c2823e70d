//! CREATE TABLE, SELECT INTO's table, table types, TRUNCATE TABLE, and dropping a table.

use std::sync::Arc;

use sql::ast::{
    ColumnDefinition, ColumnKind, ConstraintKind, CreateTable, Expr, Identity, Literal, Setting, TableDefinition,
    Truncate, UnaryOp, find_setting,
};
use sql::catalog::{IndexKind, TableDef};
use sql::plan::OutputColumn;
use storage::{FilterTerm, IndexId, IndexLayout, KeyColumn, StorageError, TableId, TableLayout};
use types::{ColumnType, RowLayout, SqlError, SqlResult, SqlType, TypeKind};

use super::constraint::{self, Named};
use super::data_type::{self, ResolvedType};
use super::index;
use super::memory_optimized::{self, Kept};
use super::schema_binding;
use super::site::{Ddl, Place, cannot_find_object, has, is_system, written};
use super::text;
use crate::catalog::base::{
    ColumnRow, IndexColumnRow, IndexRow, KeyReferenceRow, ObjectRow, PrivilegeRow, PropertyRow, ReferenceRow,
    SequenceRow, TextRow, class, column_status as cs, object_status as os_, schema,
};
use crate::catalog::counter::Rule;
use crate::catalog::error::storage_error;
use crate::catalog::load::{self, BY_PARENT, int, small};
use crate::catalog::row::{Text, Whole};
use crate::catalog::session::Temporary;
use crate::catalog::{Database, TEMPDB, scalar_type};

/// `sys.columns` and storage allow so many.
const COLUMNS_MAX: usize = 1_024;
/// Characters of a local temporary table's name before its number.
const TEMPORARY_NAME: usize = 116;

/// No period of system time, as a system-versioned table has it.
pub fn refuse_period(definition: &TableDefinition) -> SqlResult<()> {
    match definition.period {
        Some(_) => Err(super::unsupported("PERIOD FOR SYSTEM_TIME")),
        None => Ok(()),
    }
}

/// Refuses what would make a table hold, show or hide something else than its rows: to take it and leave it out would be a lie.
/// Compression, locks and places on disk make no such difference.
pub fn refuse_kinds(options: &[Setting]) -> SqlResult<()> {
    for name in ["SYSTEM_VERSIONING", "LEDGER"] {
        if find_setting(options, name).is_some_and(Setting::is_on) {
            return Err(super::unsupported(name));
        }
    }
    Ok(())
}

pub fn create(ddl: &mut Ddl<'_>, create: &CreateTable) -> SqlResult<()> {
    refuse_kinds(&create.options)?;
    if let Some(kind) = &create.as_kind {
        return Err(super::unsupported(&format!("CREATE TABLE ... AS {kind}")));
    }
    let mut place = ddl.place(&create.name)?;
    let local = create.name.is_temporary() && !create.name.name.starts_with("##");
    let level = ddl.site.options().nest_level;
    if local {
        let taken = {
            let (session, _) = ddl.site.state();
            let same = |t: &&Temporary| t.level == level && place.db.equal_names(&t.name, &create.name.name);
            session.temporaries().iter().find(same).map(|t| t.object)
        };
        // After a rollback at a bad moment the session may remember one that is gone.
        let taken = taken.map(|id| ddl.rows(&place.db, |rows| load::object_row(rows, id))).transpose()?.flatten();
        if taken.is_some() {
            return Err(SqlError::with_state(
                2714,
                16,
                6,
                format!("There is already an object named '{}' in the database.", &*create.name.name),
            ));
        }
        place.name = temporary_name(ddl, &create.name.name)?;
    }
    let kept = memory_optimized::of_table(&create.options)?;
    memory_optimized::check_buckets(ddl, &create.name.name, &create.definition, kept.is_some())?;
    if let Some(kept) = kept {
        schema_binding::refuse_in_transaction(ddl, schema_binding::TABLES)?;
        memory_optimized::check(ddl, &place.db, &create.name.name, &create.definition, kept)?;
    }
    let status = match kept {
        None => 0,
        Some(Kept::SchemaOnly) => os_::MEMORY_OPTIMIZED | os_::SCHEMA_ONLY,
        Some(_) => os_::MEMORY_OPTIMIZED,
    };
    let shown = create.name.name.to_string();
    let id = build(ddl, &place, &shown, &create.definition, "U", status, if local { Some(level) } else { None })?;
    if create.name.name.starts_with("##") {
        ddl.site.state().0.add_global_temporary(id);
    }
    Ok(())
}

/// What a local temporary object is called in tempdb: each session may have one of the name.
pub fn temporary_name(ddl: &Ddl<'_>, name: &str) -> SqlResult<String> {
    if name.chars().count() > TEMPORARY_NAME {
        return Err(SqlError::new(
            193,
            15,
            format!(
                "The object or column name starting with '{name}' is too long. The maximum length is 116 characters."
            ),
        ));
    }
    Ok(format!("{name:_<width$}{:012X}", ddl.catalog.next_temporary(), width = TEMPORARY_NAME))
}

/// A table of `definition` with all that hangs on it. `shown`: its name in messages and names made from it.
/// `temporary`: the level a local temporary table belongs to.
pub fn build(
    ddl: &mut Ddl<'_>,
    place: &Place,
    shown: &str,
    definition: &TableDefinition,
    kind: &str,
    status: i32,
    temporary: Option<u32>,
) -> SqlResult<i32> {
    if definition.columns.len() > COLUMNS_MAX {
        return Err(SqlError::new(
            1702,
            16,
            format!(
                "CREATE TABLE failed because column '{}' in table '{shown}' exceeds the maximum of 1024 columns.",
                &*definition.columns[COLUMNS_MAX].name
            ),
        ));
    }
    refuse_period(definition)?;
    let db = place.db.clone();
    let id = ddl.add_object(place, kind, 0, status, definition.columns.len() as i32)?;
    if let Some(level) = temporary {
        ddl.site.state().0.add_temporary(shown, id, level);
    }
    let keys = constraint::key_columns(definition);
    let mut rows: Vec<ColumnRow> = Vec::new();
    for (i, column) in definition.columns.iter().enumerate() {
        if rows.iter().any(|row| db.equal_names(&row.name, &column.name)) {
            return Err(SqlError::with_state(
                2705,
                16,
                3,
                format!(
                    "Column names in each table must be unique. Column name '{}' in table '{shown}' is specified more than once.",
                    &*column.name
                ),
            ));
        }
        let primary = keys.iter().any(|name| db.equal_names(name, &column.name));
        if primary && column.null == Some(true) {
            return Err(constraint_failed(
                ddl,
                SqlError::new(
                    8111,
                    16,
                    format!("Cannot define PRIMARY KEY constraint on nullable column in table '{shown}'."),
                ),
            ));
        }
        let row = column_row(ddl, &db, id, i as i32 + 1, column, primary, shown)?;
        if has(row.status, cs::IDENTITY) && rows.iter().any(|row| has(row.status, cs::IDENTITY)) {
            return Err(SqlError::new(
                2744,
                16,
                format!(
                    "Multiple identity columns specified for table '{shown}'. Only one identity column per table is allowed."
                ),
            ));
        }
        rows.push(row);
    }
    // Computed columns take their type from a query over the table, so the others come first.
    for row in rows.iter().filter(|row| !has(row.status, cs::COMPUTED)) {
        ddl.rows(&db, |store| store.insert(row))?;
    }
    let computed: Vec<ColumnRow> = rows.into_iter().filter(|row| has(row.status, cs::COMPUTED)).collect();
    ddl.changed(db.id, id);
    for mut row in computed {
        type_computed(ddl, place, shown, &mut row)?;
        ddl.rows(&db, |store| store.insert(&row))?;
        ddl.changed(db.id, id);
    }
    constraint::plan_keys(ddl, place, shown, id, definition)?;
    let table = ddl.reload(&db, id)?;
    create_storage(ddl, &db, &table)?;
    constraint::add_rest(ddl, place, shown, id, definition, true)?;
    if table.memory.is_some() {
        // Takes the memory of its indexes: a table that finds none is not made.
        let (db, id) = (db.storage_id(), TableId(id));
        ddl.storage(|storage, _| storage.open_table(db, id)).map_err(storage_error)?;
    }
    ddl.changed(db.id, id);
    Ok(id)
}

/// The storage of a table as its definition says.
pub fn create_storage(ddl: &mut Ddl<'_>, db: &Database, table: &TableDef) -> SqlResult<()> {
    let layout = layout(table);
    let (db, id) = (db.storage_id(), TableId(table.object.0));
    ddl.storage(|storage, tx| storage.create_table(tx, db, id, &layout)).map_err(storage_error)
}

pub fn row_layout(table: &TableDef) -> RowLayout {
    let stored = table.columns.iter().zip(&table.stored).filter(|(_, place)| place.is_some());
    RowLayout::new(
        &stored.map(|(column, _)| ColumnType { ty: column.ty, nullable: column.nullable }).collect::<Vec<_>>(),
    )
}

/// Disabled indexes have no storage.
pub fn layout(table: &TableDef) -> TableLayout {
    let indexes =
        table.indexes.iter().filter(|index| !index.disabled).filter_map(|index| index_layout(table, index)).collect();
    let memory = table.memory.map(|memory| storage::MemoryOptimized { durable: memory.durable });
    TableLayout { row: row_layout(table), indexes, memory }
}

pub fn index_layout(table: &TableDef, index: &sql::catalog::IndexDef) -> Option<IndexLayout> {
    let mut key = Vec::new();
    for &(column, descending) in &index.key {
        key.push(KeyColumn { ordinal: table.stored[usize::from(column)]?, descending });
    }
    Some(IndexLayout {
        id: IndexId(index.id),
        unique: index.unique,
        clustered: index.kind == IndexKind::Clustered,
        key,
        included: index.included.iter().filter_map(|&column| table.stored[usize::from(column)]).collect(),
        filter: index
            .filter
            .iter()
            .map(|term| FilterTerm {
                column: table.stored[usize::from(term.column)].expect("no filter is over a computed column"),
                keys: term.keys.clone(),
            })
            .collect(),
        bucket_count: index.bucket_count,
    })
}

/// Sends `first` and answers 1750, as SQL Server reports a failed constraint.
pub fn constraint_failed(ddl: &mut Ddl<'_>, first: SqlError) -> SqlError {
    let state = if first.number == 1776 || first.number == 1767 || first.number == 1785 { 1 } else { 0 };
    ddl.message(first);
    SqlError::with_state(1750, 16, state, "Could not create constraint or index. See previous errors.")
}

/// As `refuse_kinds`. SPARSE is only a way to store a column.
fn refuse_column(column: &ColumnDefinition) -> SqlResult<()> {
    let refused = [
        (column.generated.is_some(), "GENERATED ALWAYS"),
        (column.masked.is_some(), "MASKED WITH"),
        (!column.encrypted.is_empty(), "ENCRYPTED WITH"),
        (column.filestream, "FILESTREAM"),
        (column.column_set, "COLUMN_SET"),
    ];
    match refused.iter().find(|(asked, _)| *asked) {
        Some((_, what)) => Err(super::unsupported(what)),
        None => Ok(()),
    }
}

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
            data_type::resolve(ddl, db, data_type, colid as usize).map_err(|e| e.at_line(data_type.line))?
        }
        ColumnKind::Timestamp => {
            ResolvedType { ty: SqlType::ROWVERSION, xtype: 189, utype: 189, nullable: None, table: None }
        }
        ColumnKind::Computed { expr, persisted, text: span } => {
            let source = ddl.span(*span);
            let ty = ResolvedType { ty: SqlType::INT, xtype: 56, utype: 56, nullable: None, table: None };
            let mut row = plain(ty, cs::COMPUTED | if *persisted { cs::PERSISTED } else { 0 });
            if column.null != Some(false) && !primary {
                row.status |= cs::NULLABLE;
            }
            row.definition = Text(Some(text::definition(expr, source)));
            return Ok(row);
        }
    };
    if resolved.table.is_some() {
        return Err(SqlError::new(
            350,
            16,
            format!(
                "The column \"{}\" does not have a valid data type. A column cannot be of a user-defined table type.",
                &*column.name
            ),
        ));
    }
    resolved.ty = data_type::collate(db, resolved.ty, column.collation.as_deref())?;
    let is_version = resolved.ty.kind == TypeKind::RowVersion;
    let dflt_null = ddl.site.options().ansi_null_dflt_on;
    let nullable = column.null.or(resolved.nullable).unwrap_or(!is_version && dflt_null);
    let mut status = 0;
    if nullable && !primary && column.identity.is_none() {
        status |= cs::NULLABLE;
    }
    if column.rowguidcol {
        status |= cs::ROWGUID;
    }
    if column.sparse {
        status |= cs::SPARSE;
    }
    let mut row = plain(resolved.clone(), status);
    if let Some(identity) = &column.identity {
        let exact = resolved.ty.is_integer() || resolved.ty.is_decimal() && resolved.ty.scale == 0;
        if !exact || column.null == Some(true) {
            return Err(SqlError::new(
                if exact { 8147 } else { 2749 },
                16,
                if exact {
                    format!(
                        "Could not create IDENTITY attribute on nullable column '{}', table '{shown}'.",
                        &*column.name
                    )
                } else {
                    format!(
                        "Identity column '{}' must be of data type int, bigint, smallint, tinyint, or decimal or numeric with a scale of 0, unencrypted, and constrained to be nonnullable.",
                        &*column.name
                    )
                },
            ));
        }
        let (seed, increment) = identity_numbers(identity, &column.name)?;
        row.status |= cs::IDENTITY | if identity.not_for_replication { cs::NOT_FOR_REPLICATION } else { 0 };
        row.seed = Whole(seed);
        row.increment = Whole(increment);
    }
    Ok(row)
}

pub fn identity_numbers(identity: &Identity, column: &str) -> SqlResult<(i128, i128)> {
    let number = |expr: &Option<Expr>| expr.as_ref().map_or(Some(1), whole_number);
    match (number(&identity.seed), number(&identity.increment)) {
        (Some(seed), Some(increment)) if increment != 0 => Ok((seed, increment)),
        _ => Err(SqlError::new(2747, 16, format!("Identity column '{column}' contains invalid INCREMENT."))),
    }
}

/// A whole number as a constant: `5`, `-5`, `5000000000`.
pub fn whole_number(expr: &Expr) -> Option<i128> {
    match expr {
        Expr::Literal(Literal::Int(value)) => Some(i128::from(*value)),
        Expr::Literal(Literal::Decimal(value)) if value.scale == 0 => Some(value.unscaled),
        Expr::Unary(UnaryOp::Minus, inner) => whole_number(inner)?.checked_neg(),
        Expr::Unary(UnaryOp::Plus, inner) => whole_number(inner),
        _ => None,
    }
}

/// Asks the binder for a computed column's type, over the table as it is.
pub fn type_computed(ddl: &mut Ddl<'_>, place: &Place, shown: &str, row: &mut ColumnRow) -> SqlResult<()> {
    let definition = row.definition.0.clone().unwrap_or_default();
    let columns = ddl.site.describe(&format!("SELECT {definition} FROM {}", source(place, shown)))?;
    let found = columns.first().ok_or_else(|| SqlError::new(1759, 16, "Computed column has no type."))?;
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
    Ok(())
}

/// A table in the text of a query run by the server itself.
pub fn source(place: &Place, shown: &str) -> String {
    if shown.starts_with('#') {
        return text::bracket(shown);
    }
    format!("{}.{}.{}", text::bracket(&place.db.name()), text::bracket(&place.schema_name), text::bracket(&place.name))
}

pub fn place_of(ddl: &mut Ddl<'_>, db: &Arc<Database>, row: &ObjectRow) -> SqlResult<Place> {
    let schema_name = ddl.rows(db, |rows| load::schema_name(rows, row.nsid))?;
    Ok(Place { db: db.clone(), schema: row.nsid, schema_name, name: row.name.clone() })
}

/// SELECT INTO: a heap of the query's columns; an identity column that is one column of one table goes along.
pub fn create_for(
    site: &mut dyn super::Site,
    target: &sql::catalog::ObjectName,
    columns: &[OutputColumn],
) -> SqlResult<Arc<TableDef>> {
    let mut ddl = Ddl::new(site, "");
    let ident = |text: &str| sql::ast::Ident { text: text.into(), quoted: true };
    let name = sql::ast::ObjectName {
        server: target.server.as_deref().map(ident),
        database: target.database.as_deref().map(ident),
        schema: target.schema.as_deref().map(ident),
        name: ident(&target.name),
        line: 0,
    };
    for (i, column) in columns.iter().enumerate() {
        if column.name.is_empty() {
            return Err(SqlError::new(
                1038,
                15,
                "An object or column name is missing or empty. For SELECT INTO statements, verify each column has a name. For other statements, look for empty alias names. Aliases defined as \"\" or [] are not allowed. Change the alias to a valid name.",
            ));
        }
        if columns[..i].iter().any(|other| other.name.eq_ignore_ascii_case(&column.name)) {
            return Err(SqlError::with_state(
                2705,
                16,
                3,
                format!(
                    "Column names in each table must be unique. Column name '{}' in table '{}' is specified more than once.",
                    column.name, target.name
                ),
            ));
        }
    }
    let empty = CreateTable {
        name: name.clone(),
        definition: TableDefinition::default(),
        on: None,
        textimage_on: None,
        filestream_on: None,
        options: Vec::new(),
        as_kind: None,
    };
    let mut place = ddl.place(&name)?;
    let local = name.is_temporary() && !name.name.starts_with("##");
    if local {
        place.name =
            format!("{:_<width$}{:012X}", &*empty.name.name, ddl.catalog.next_temporary(), width = TEMPORARY_NAME);
    }
    let db = place.db.clone();
    let id = ddl.add_object(&place, "U", 0, 0, columns.len() as i32)?;
    if local {
        let level = ddl.site.options().nest_level;
        ddl.site.state().0.add_temporary(&name.name, id, level);
    } else if name.is_temporary() {
        ddl.site.state().0.add_global_temporary(id);
    }
    let mut identity_given = false;
    for (i, column) in columns.iter().enumerate() {
        let system = scalar_type::system_type(column.ty.kind);
        let origin =
            column.origin.as_ref().and_then(|origin| origin.table.columns[usize::from(origin.column)].identity);
        let identity = origin.filter(|_| !identity_given);
        identity_given |= identity.is_some();
        let row = ColumnRow {
            id,
            number: 0,
            colid: i as i32 + 1,
            name: column.name.to_string(),
            xtype: system.xtype,
            utype: system.utype,
            length: scalar_type::max_length(&column.ty),
            prec: column.ty.precision,
            scale: column.ty.scale,
            collation: scalar_type::collation_name(&column.ty),
            status: if column.nullable && identity.is_none() { cs::NULLABLE } else { 0 }
                | if identity.is_some() { cs::IDENTITY } else { 0 },
            dflt: 0,
            seed: Whole(identity.map_or(0, |(seed, _)| i128::from(seed))),
            increment: Whole(identity.map_or(0, |(_, increment)| i128::from(increment))),
            definition: Text(None),
        };
        ddl.rows(&db, |rows| rows.insert(&row))?;
    }
    index::add_heap(&mut ddl, &db, id)?;
    let mut table = ddl.reload(&db, id)?;
    create_storage(&mut ddl, &db, &table)?;
    ddl.changed(db.id, id);
    table.name = name.name.text.clone();
    Ok(Arc::new(table))
}

pub fn truncate(ddl: &mut Ddl<'_>, truncate: &Truncate) -> SqlResult<()> {
    let Some((db, row, table)) = ddl.table_for_change(&truncate.table)? else {
        return Err(SqlError::with_state(
            4701,
            16,
            1,
            format!(
                "Cannot find the object \"{}\" because it does not exist or you do not have permissions.",
                written(&truncate.table)
            ),
        ));
    };
    if table.memory.is_some() {
        let text = "The statement 'TRUNCATE TABLE' is not supported with memory optimized tables.";
        return Err(SqlError::with_state(10794, 16, 96, text));
    }
    if table.referenced_by.iter().any(|key| key.table != table.object && !key.disabled) {
        return Err(SqlError::new(
            4712,
            16,
            format!(
                "Cannot truncate table '{}' because it is being referenced by a FOREIGN KEY constraint.",
                written(&truncate.table)
            ),
        ));
    }
    let (database, id) = (db.storage_id(), TableId(row.id));
    ddl.storage(|storage, tx| storage.truncate_table(tx, database, id)).map_err(storage_error)?;
    if let Some((column, (seed, increment))) = identity_of(&table) {
        let rule = identity_rule(&table.columns[column].ty, seed, increment);
        db.counters.reset(&ddl.catalog.storage, &db, row.id, &rule, None)?;
    }
    Ok(())
}

/// The identity column and its (seed, increment).
pub fn identity_of(table: &TableDef) -> Option<(usize, (i64, i64))> {
    table.columns.iter().enumerate().find_map(|(i, column)| Some((i, column.identity?)))
}

pub fn identity_rule(ty: &SqlType, seed: i64, increment: i64) -> Rule {
    let (minimum, maximum) = bounds(ty);
    Rule { start: i128::from(seed), increment: i128::from(increment), minimum, maximum, cycle: false, in_rows: true }
}

/// Smallest and largest whole number of a type.
pub fn bounds(ty: &SqlType) -> (i128, i128) {
    match ty.kind {
        TypeKind::TinyInt => (0, 255),
        TypeKind::SmallInt => (i128::from(i16::MIN), i128::from(i16::MAX)),
        TypeKind::Int => (i128::from(i32::MIN), i128::from(i32::MAX)),
        TypeKind::BigInt => (i128::from(i64::MIN), i128::from(i64::MAX)),
        _ => {
            let limit = 10_i128.pow(u32::from(ty.precision.min(38))) - 1;
            (-limit, limit)
        }
    }
}

/// Removes every row that describes an object, its children too, and its storage if it is a table.
pub fn erase(ddl: &mut Ddl<'_>, db: &Arc<Database>, row: &ObjectRow) -> SqlResult<()> {
    let id = row.id;
    let children = ddl.rows(db, |rows| rows.find::<ObjectRow>(BY_PARENT, &[int(id)]))?;
    for child in children {
        erase(ddl, db, &child)?;
    }
    ddl.rows(db, |rows| {
        rows.delete::<ColumnRow>(0, &[int(id)])?;
        rows.delete::<IndexRow>(0, &[int(id)])?;
        rows.delete::<IndexColumnRow>(0, &[int(id)])?;
        rows.delete::<TextRow>(0, &[int(id)])?;
        rows.delete::<ReferenceRow>(0, &[int(id), small(class::FOREIGN_KEY)])?;
        rows.delete::<ReferenceRow>(0, &[int(id), small(class::OBJECT)])?;
        rows.delete::<KeyReferenceRow>(0, &[int(id), small(class::FOREIGN_KEY)])?;
        rows.delete::<PropertyRow>(0, &[small(class::OBJECT), int(id)])?;
        rows.delete::<PrivilegeRow>(0, &[small(class::OBJECT), int(id)])?;
        if row.kind.as_str() == "SO" {
            rows.delete::<SequenceRow>(0, &[int(id)])?;
        }
        rows.delete::<ObjectRow>(0, &[int(id)])
    })?;
    ddl.changed_with(db.id, id, row.pid);
    if row.kind.as_str() == "U" {
        let database = db.storage_id();
        match ddl.storage(|storage, tx| storage.drop_table(tx, database, TableId(id))) {
            Ok(()) | Err(StorageError::UnknownTable) => {}
            Err(error) => return Err(storage_error(error)),
        }
    }
    if db.id == TEMPDB {
        ddl.site.state().0.forget_temporary(id);
    }
    Ok(())
}

/// Drops the temporary tables of a level that returned, or all at the session's end (0).
pub fn drop_temporaries(site: &mut dyn super::Site, level: u32) -> SqlResult<()> {
    let mut ddl = Ddl::new(site, "");
    let tempdb = ddl.catalog.expect_database(TEMPDB);
    let expired = ddl.site.state().0.expired_temporaries(level);
    for id in expired {
        if let Some(row) = ddl.rows(&tempdb, |rows| load::object_row(rows, id))? {
            erase(&mut ddl, &tempdb, &row)?;
        }
        ddl.site.state().0.forget_temporary(id);
    }
    Ok(())
}

/// For ALTER TABLE: the table, or 4902, or 4909 when it is something else.
pub fn expect_table(
    ddl: &mut Ddl<'_>,
    name: &sql::ast::ObjectName,
) -> SqlResult<(Arc<Database>, ObjectRow, TableDef, Place)> {
    if let Some((_, row)) = ddl.find(name)? {
        if row.kind.as_str() != "U" {
            return Err(SqlError::new(
                4909,
                16,
                format!("Cannot alter '{}' because it is not a table.", written(name)),
            ));
        }
        if is_system(&row) || row.nsid == schema::SYS {
            return Err(cannot_find_object(&written(name)));
        }
    }
    let Some((db, row, table)) = ddl.table_for_change(name)? else { return Err(cannot_find_object(&written(name))) };
    if table.memory.is_some() {
        schema_binding::refuse_in_transaction(ddl, schema_binding::TABLES)?;
    }
    let place = place_of(ddl, &db, &row)?;
    Ok((db, row, table, place))
}

/// A constraint without a body: dropped with a message, as scripts in print have it.
pub fn note_missing(ddl: &mut Ddl<'_>, definition: &TableDefinition) {
    let columns = definition.columns.iter().flat_map(|column| &column.constraints);
    let missing: Vec<Named> = columns
        .chain(&definition.constraints)
        .filter(|constraint| matches!(constraint.kind, ConstraintKind::Missing))
        .map(|constraint| constraint.name.as_ref().map(|name| name.to_string()))
        .collect();
    for name in missing {
        let name = name.unwrap_or_default();
        ddl.message(SqlError::with_state(
            0,
            0,
            1,
            format!("Constraint '{name}' has no definition and was not created."),
        ));
    }
}
