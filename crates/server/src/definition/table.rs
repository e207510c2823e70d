//! CREATE TABLE, SELECT INTO's table, table types, TRUNCATE TABLE, and dropping a table.

use std::sync::Arc;

use sql::ast::{CreateTable, DataSpace, Setting, SettingValue, TableDefinition, Truncate, find_setting};
use sql::catalog::TableDef;
use sql::plan::OutputColumn;
use storage::{StorageError, TableId};
use types::{SqlResult, SqlType, TypeKind, sql_error};

use super::column::{column_row, computed_names, refuse_nested, type_computed};
use super::constraint;
use super::index;
use super::layout::create_storage;
use super::memory_optimized::{self, Kept};
use super::number::{identity_of, identity_rule};
use super::partition::{self, Placement};
use super::schema_binding;
use super::site::{
    Ddl, Place, TEMPORARY_NAME, cannot_find_object, constraint_failed, has, is_system, place_of, temporary_name,
    written,
};
use super::temporal::{self, Asked};
use super::versioned;
use super::view_index;
use crate::catalog::base::{
    ColumnRow, IndexColumnRow, IndexRow, KeyReferenceRow, ObjectRow, PrivilegeRow, PropertyRow, ReferenceRow,
    SequenceRow, TextRow, class, column_status as cs, object_status as os_, schema,
};
use crate::catalog::error::storage_error;
use crate::catalog::load::{self, BY_PARENT, int, small};
use crate::catalog::partition::{self as kept, Otherwise};
use crate::catalog::row::{Text, Whole};
use crate::catalog::session::Temporary;
use crate::catalog::{Database, TEMPDB, scalar_type};

/// `sys.columns` and storage allow so many.
const COLUMNS_MAX: usize = 1_024;
/// Options of CREATE TABLE and ALTER TABLE SET.
const OPTIONS: &[&str] = &[
    "DATA_COMPRESSION",
    "DATA_DELETION",
    "DURABILITY",
    "FILESTREAM_ON",
    "FILETABLE_COLLATE_FILENAME",
    "FILETABLE_DIRECTORY",
    "FILETABLE_FULLPATH_UNIQUE_CONSTRAINT_NAME",
    "FILETABLE_PRIMARY_KEY_CONSTRAINT_NAME",
    "FILETABLE_STREAMID_UNIQUE_CONSTRAINT_NAME",
    "LEDGER",
    "LOCK_ESCALATION",
    "MEMORY_OPTIMIZED",
    "REMOTE_DATA_ARCHIVE",
    "SYSTEM_VERSIONING",
    "XML_COMPRESSION",
];
/// Refuses what would make a table hold, show or hide something else than its rows: to take it and leave it out would be a lie.
/// Compression, locks and places on disk make no such difference.
pub fn refuse_kinds(options: &[Setting]) -> SqlResult<()> {
    for option in options {
        let name = &*option.name;
        if !OPTIONS.contains(&name) {
            return Err(sql_error!(155, name, "CREATE TABLE"));
        }
        let is_kind = matches!(name, "LEDGER" | "DATA_DELETION" | "REMOTE_DATA_ARCHIVE");
        if is_kind && option.is_on() || name.starts_with("FILETABLE") || name == "FILESTREAM_ON" {
            return Err(super::unsupported(name));
        }
        super::index_option::check_compression(option)?;
        if let ("LOCK_ESCALATION", SettingValue::Word(word)) = (name, &option.value)
            && !["AUTO", "TABLE", "DISABLE"].iter().any(|known| known.eq_ignore_ascii_case(word))
        {
            return Err(sql_error!(102, &**word));
        }
    }
    Ok(())
}

/// LOCK_ESCALATION, as the catalog shows it.
pub fn keep_escalation(ddl: &mut Ddl<'_>, db: &Database, table: i32, options: &[Setting]) -> SqlResult<()> {
    let Some(SettingValue::Word(word)) = find_setting(options, "LOCK_ESCALATION").map(|option| &option.value) else {
        return Ok(());
    };
    let bit = match &*word.to_ascii_uppercase() {
        "DISABLE" => os_::ESCALATION_DISABLED,
        "AUTO" => os_::ESCALATION_AUTO,
        _ => 0,
    };
    let others = !(os_::ESCALATION_DISABLED | os_::ESCALATION_AUTO);
    ddl.rows(db, |rows| rows.update::<ObjectRow>(0, &[int(table)], |row| row.status = row.status & others | bit))?;
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
            return Err(sql_error!(2714, &*create.name.name));
        }
        place.name = temporary_name(ddl, &create.name.name)?;
    }
    let kept = memory_optimized::of_table(&create.options)?;
    memory_optimized::check_buckets(&create.name.name, &create.definition, kept.is_some())?;
    if let Some(kept) = kept {
        schema_binding::refuse_in_transaction(ddl, schema_binding::TABLES)?;
        memory_optimized::check(ddl, &place.db, &create.name.name, &create.definition, kept)?;
    }
    temporal::check_definition(&create.definition, None)?;
    let versioned = temporal::asked(&create.options)?;
    if let Some(Asked::On { .. }) = versioned {
        temporal::check_new(&place, &create.definition, kept == Some(Kept::SchemaOnly), &create.name.name)?;
    }
    let status = match kept {
        None => 0,
        Some(Kept::SchemaOnly) => os_::MEMORY_OPTIMIZED | os_::SCHEMA_ONLY,
        Some(_) => os_::MEMORY_OPTIMIZED,
    };
    super::database::refuse_filestream(create.filestream_on.as_ref())?;
    let on = partition::placement(ddl, &place.db, create.on.as_ref())?.unwrap_or(Placement::DEFAULT);
    if on.divided.is_some() && create.textimage_on.is_some() {
        return Err(sql_error!(1707));
    }
    if on.divided.is_some() && kept.is_some() {
        return Err(partition::not_in_memory());
    }
    super::database::check_text_space(ddl, &place.db, create.textimage_on.as_ref())?;
    let shown = create.name.name.to_string();
    let kind = ("U", status);
    let id = build(ddl, &place, &shown, &create.definition, kind, if local { Some(level) } else { None }, &on)?;
    if create.name.name.starts_with("##") {
        ddl.site.state().0.add_global_temporary(id);
    }
    if let Some(Asked::On { history, check, retention }) = versioned {
        temporal::turn_on(ddl, &place, id, history, check, retention.flatten())?;
    }
    Ok(())
}

/// Of `sys.types.system_type_id`.
const ROWVERSION: u8 = 189;
/// Bytes of a row that lie on its page.
const ROW_BYTES_MAX: usize = 8060;

/// 1701: columns of fixed length alone take more than a row may have. Memory-optimized tables keep what is too long apart.
fn check_row(table: &TableDef, shown: &str) -> SqlResult<()> {
    let stored = table.columns.iter().zip(&table.stored).filter(|(_, place)| place.is_some());
    let fixed: usize = stored.map(|(column, _)| fixed_bytes(&column.ty)).sum();
    let overhead = 6 + table.columns.len().div_ceil(8);
    match table.memory.is_none() && fixed + overhead > ROW_BYTES_MAX {
        true => Err(sql_error!(1701, shown, fixed + overhead, overhead)),
        false => Ok(()),
    }
}

/// What a value takes whatever it is; 0 of a type of varying length.
fn fixed_bytes(ty: &SqlType) -> usize {
    match ty.kind {
        TypeKind::Char | TypeKind::NChar | TypeKind::Binary => usize::from(ty.length),
        TypeKind::SqlVariant | TypeKind::Xml | TypeKind::HierarchyId => 0,
        TypeKind::Text | TypeKind::NText | TypeKind::Image => 0,
        _ if ty.is_string() || ty.is_binary() || ty.is_max() => 0,
        _ => usize::try_from(scalar_type::max_length(ty)).unwrap_or(0),
    }
}

/// A table of `definition` with all that hangs on it. `shown`: its name in messages and names made from it.
/// `temporary`: the level a local temporary table belongs to. `on`: where its rows lie, unless its clustered index says that.
pub fn build(
    ddl: &mut Ddl<'_>,
    place: &Place,
    shown: &str,
    definition: &TableDefinition,
    (kind, status): (&str, i32),
    temporary: Option<u32>,
    on: &Placement,
) -> SqlResult<i32> {
    if definition.columns.len() > COLUMNS_MAX {
        return Err(sql_error!(1702, &*definition.columns[COLUMNS_MAX].name, shown, 1024));
    }
    if kind != "U" && (definition.period.is_some() || definition.columns.iter().any(|c| c.generated.is_some())) {
        return Err(sql_error!(13572));
    }
    let db = place.db.clone();
    let id = ddl.add_object(place, kind, 0, status, definition.columns.len() as i32)?;
    if let Some(level) = temporary {
        ddl.site.state().0.add_temporary(shown, id, level);
    }
    let keys = definition.primary_key();
    let mut rows: Vec<ColumnRow> = Vec::new();
    let computed = computed_names(&definition.columns);
    for (i, column) in definition.columns.iter().enumerate() {
        refuse_nested(&db, column, &computed, shown)?;
        if rows.iter().any(|row| db.equal_names(&row.name, &column.name)) {
            return Err(sql_error!(2705, state 3, &*column.name, shown));
        }
        let primary = keys.iter().any(|name| db.equal_names(name, &column.name));
        if primary && column.null == Some(true) {
            return Err(constraint_failed(sql_error!(8111, shown)));
        }
        let mut row = column_row(ddl, &db, id, i as i32 + 1, column, primary, shown)?;
        super::bound::inherit(ddl, &db, &mut row)?;
        super::column::refuse_set(&row, &rows, false, shown)?;
        if row.xtype == ROWVERSION && rows.iter().any(|row| row.xtype == ROWVERSION) {
            return Err(sql_error!(2738, state 2, shown, row.name));
        }
        if has(row.status, cs::ROWGUID) && rows.iter().any(|row| has(row.status, cs::ROWGUID)) {
            return Err(sql_error!(8196));
        }
        if has(row.status, cs::IDENTITY) && rows.iter().any(|row| has(row.status, cs::IDENTITY)) {
            return Err(sql_error!(2744, shown));
        }
        rows.push(row);
    }
    temporal::check_precision(&rows)?;
    // Computed columns take their type from a query over the table, so the others come first.
    for row in rows.iter().filter(|row| !has(row.status, cs::COMPUTED)) {
        ddl.rows(&db, |store| store.insert(row))?;
    }
    let computed: Vec<ColumnRow> = rows.into_iter().filter(|row| has(row.status, cs::COMPUTED)).collect();
    ddl.changed(db.id, id);
    for mut row in computed {
        type_computed(ddl, place, shown, &mut row, "CREATE TABLE")?;
        if has(row.status, cs::NULLABLE) && keys.iter().any(|name| db.equal_names(name, &row.name)) {
            return Err(constraint_failed(sql_error!(1711, row.name, shown)));
        }
        ddl.rows(&db, |store| store.insert(&row))?;
        ddl.changed(db.id, id);
    }
    constraint::plan_keys(ddl, place, shown, id, definition, on, has(status, os_::MEMORY_OPTIMIZED))?;
    index::store_new_keys(ddl, &db, id, shown)?;
    let table = ddl.reload(&db, id)?;
    check_row(&table, shown)?;
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

/// SELECT INTO: a heap of the query's columns; whose origin is an identity column, that is one here too.
pub fn create_for(
    site: &mut dyn super::Site,
    target: &sql::catalog::ObjectName,
    columns: &[OutputColumn],
    filegroup: Option<&str>,
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
    if !ddl.is_sysadmin()? {
        super::rights::new_object(&mut ddl, &name, "CREATE TABLE")?;
    }
    for (i, column) in columns.iter().enumerate() {
        if column.name.is_empty() {
            return Err(sql_error!(1038));
        }
        if columns[..i].iter().any(|other| other.name.eq_ignore_ascii_case(&column.name)) {
            return Err(sql_error!(2705, state 3, column.name, target.name));
        }
    }
    super::audited::tell_of_table(&mut ddl, &name)?;
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
    for (i, column) in columns.iter().enumerate() {
        let system = scalar_type::system_type(column.ty.kind);
        let identity =
            column.origin.as_ref().and_then(|origin| origin.table.columns[usize::from(origin.column)].identity);
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
    let on = filegroup.map(|name| DataSpace { name: ident(name), columns: Vec::new() });
    let heap = partition::placement(&mut ddl, &db, on.as_ref())?.unwrap_or(Placement::DEFAULT);
    index::add_heap(&mut ddl, &db, id, &heap)?;
    let mut table = ddl.reload(&db, id)?;
    create_storage(&mut ddl, &db, &table)?;
    ddl.changed(db.id, id);
    table.name = name.name.text.clone();
    Ok(Arc::new(table))
}

pub fn truncate(ddl: &mut Ddl<'_>, truncate: &Truncate) -> SqlResult<()> {
    let Some((db, row, table)) = ddl.table_for_change(&truncate.table)? else {
        return Err(match ddl.find(&truncate.table)? {
            Some(_) => sql_error!(4708, written(&truncate.table)),
            None => sql_error!(4701, written(&truncate.table)),
        });
    };
    let partitions = match &table.partitioning {
        _ if truncate.partitions.is_empty() => None,
        None => return Err(sql_error!(7729, state 3, "truncate", "table", "table", written(&truncate.table))),
        Some(own) => {
            let (shown, count) = (written(&truncate.table), own.function.partitions());
            let indexes = ddl.rows(&db, |rows| rows.find::<IndexRow>(0, &[int(row.id)]))?;
            match ddl.rows(&db, |rows| kept::unaligned(rows, &table, &indexes))? {
                None => {}
                Some((index, Otherwise::Undivided)) => {
                    return Err(sql_error!(3756, index, row.name, own.function.name));
                }
                Some((index, Otherwise::ByColumn)) => return Err(sql_error!(4716, row.name, index)),
                Some((_, Otherwise::ByFunction(_))) => {
                    return Err(super::unsupported(
                        "TRUNCATE TABLE ... WITH (PARTITIONS) of a table with an index by another partition function",
                    ));
                }
            }
            Some(partition::listed(ddl, &truncate.partitions, &shown, count)?)
        }
    };
    if table.memory.is_some() {
        return Err(sql_error!(10794, state 96, "statement", "TRUNCATE TABLE", "memory optimized tables"));
    }
    // Disabled ones, too.
    if table.referenced_by.iter().any(|key| key.table != table.object) {
        return Err(sql_error!(4712, written(&truncate.table)));
    }
    if let Some(view) = table.views.first() {
        return Err(sql_error!(3729, state 2, "TRUNCATE TABLE", written(&truncate.table), view.name));
    }
    if table.versioning.is_some() {
        return Err(sql_error!(13545, versioned::full_name(&db, &table)));
    }
    let (database, id) = (db.storage_id(), TableId(row.id));
    if let Some(partitions) = partitions {
        // Identity values go on.
        return ddl
            .storage(|storage, tx| storage.truncate_partitions(tx, database, id, &partitions))
            .map_err(storage_error);
    }
    ddl.storage(|storage, tx| storage.truncate_table(tx, database, id)).map_err(storage_error)?;
    if let Some((column, (seed, increment))) = identity_of(&table) {
        let rule = identity_rule(&table.columns[column].ty, seed, increment);
        ddl.reset_counter((&db, row.id), &rule, None)?;
    }
    Ok(())
}

/// Removes every row that describes an object, its children too, and its storage if it is a table.
pub fn erase(ddl: &mut Ddl<'_>, db: &Arc<Database>, row: &ObjectRow) -> SqlResult<()> {
    let id = row.id;
    if view_index::is_view(row) {
        view_index::drop_all(ddl, db, id)?;
    }
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
        rows.delete::<ReferenceRow>(0, &[int(id), small(class::EXECUTE_AS)])?;
        rows.delete::<ReferenceRow>(0, &[int(id), small(class::RULE)])?;
        rows.delete::<ReferenceRow>(0, &[int(id), small(class::SECURITY_PREDICATE)])?;
        rows.delete::<ReferenceRow>(1, &[int(id), small(class::SECURITY_PREDICATE)])?;
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
        db.statistics.forget_table(id);
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
            return Err(sql_error!(4909, written(name)));
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
