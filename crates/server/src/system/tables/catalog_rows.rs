//! Rows behind the catalog views that are not base tables: system objects, the values of counters, sizes of tables.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use exec::session::Session as State;
use sql::catalog::{DatabaseId, ModuleKind};
use sql::plan::OutputColumn;
use storage::{Hold, IndexId, TreeSize};
use types::{Datum, SqlResult, SqlType, variant};

use super::index_sizes::{IndexSize, index_sizes};
use super::{
    archive_rows, audit_rows, backup_rows, governor_rows, partition_rows, physical_rows, plan_rows, reference_rows,
    server_rows, statistics_rows, text_rows, xml_rows,
};
use crate::catalog::base::{
    BASE_TABLES, ClassRow, ColumnRow, LOG_FILE, ObjectRow, OwnerRow, PropertyRow, SequenceRow, class, column_status,
    object_status, schema,
};
use crate::catalog::boot::SHIPPED;
use crate::catalog::event_type::{self, EventType};
use crate::catalog::load::{self, int, small};
use crate::catalog::predicate;
use crate::catalog::registry::{self, Source};
use crate::catalog::row::Field;
use crate::catalog::store::Rows;
use crate::catalog::{Database, MASTER, scalar_type};
use crate::session::host::SessionHost;
use crate::system::agent_schedule;
use crate::system::answer::Arguments;
use crate::system::cell::{Cell, NamedRow, number, text};

fn event_type_row(event: EventType) -> NamedRow {
    let mut row = vec![("type", number(event.number)), ("type_name", text(event.name))];
    if event.parent != 0 {
        row.push(("parent_type", number(event.parent)));
    }
    row
}

/// None: not a table of this family.
pub fn rows(
    host: &mut SessionHost,
    state: &mut State,
    database: DatabaseId,
    name: &str,
    arguments: &Arguments<'_>,
) -> SqlResult<Option<Vec<NamedRow>>> {
    let Some(db) = host.server.catalog.database(database) else { return Ok(Some(Vec::new())) };
    if let Some(rows) = xml_rows::rows(host, state, &db, name)? {
        return Ok(Some(rows));
    }
    if let Some(rows) = partition_rows::rows(host, state, &db, name)? {
        return Ok(Some(rows));
    }
    Ok(Some(match name {
        "syssystemobjects" => registry::entries()
            .iter()
            .filter(|entry| !entry.internal && entry.is_in(database))
            .map(system_object)
            .collect(),
        "trigger_event_types" => event_type::all().map(event_type_row).collect(),
        "syssystemcolumns" => system_columns(host, state, &db),
        "syssystemparameters" => system_parameters(),
        "systhisdatabase" => vec![vec![("database_id", number(database.0)), ("name", text(&db.name()))]],
        "systablerows" => table_rows(host, state, &db)?,
        "sysstatisticsrows" => statistics_rows::kept(host, &db),
        "sysstatisticssteps" => statistics_rows::steps(&db, arguments),
        "sysagentnextrun" => agent_schedule::next_run(arguments),
        "dm_db_index_physical_stats" => physical_rows::physical_stats(host, state, arguments)?,
        "dm_db_index_operational_stats" => physical_rows::operational_stats(host, state, arguments)?,
        "dm_db_index_usage_stats" => physical_rows::index_usage(host, state)?,
        "sysfilepages" => file_pages(host),
        "dm_db_file_space_usage" => server_rows::file_space(host)?,
        "sysbackupbase" => backup_rows::bases(host),
        "database_recovery_status" => backup_rows::recovery_status(host),
        "dm_db_log_stats" => backup_rows::log_stats(host, arguments),
        "dm_db_log_space_usage" => vec![backup_rows::log_space(host, &db)?],
        "sysheld" => held(host),
        "sysxtpobjects" => xtp_objects(host, state, &db)?,
        "syspolicypredicates" => policy_predicates(host, state, &db)?,
        "syssystemtablerows" => system_table_rows(host, &db),
        "sysmodulereferences" => module_references(host, state, &db)?,
        "sysexpressioncolumns" => reference_rows::columns_of_expressions(host, state, &db)?,
        "sysmodulecolumns" => reference_rows::columns_of(host, state, &db, arguments)?,
        "sysidentityvalues" => identity_values(host, state, &db)?,
        "syssequencevalues" => sequence_values(host, state, &db)?,
        "fn_listextendedproperty" => extended_properties(host, state, &db, arguments)?,
        _ => match server_rows::rows(host, name, arguments)
            .or_else(|| plan_rows::rows(host, name, arguments))
            .or_else(|| archive_rows::rows(host, name))
        {
            Some(rows) => rows,
            None => match governor_rows::rows(host, name)? {
                Some(rows) => rows,
                None => match audit_rows::rows(host, state, database.0, name, arguments)? {
                    Some(rows) => rows,
                    None => return text_rows::rows(host, state, name, arguments),
                },
            },
        },
    }))
}

fn system_object(entry: &registry::Entry) -> NamedRow {
    let definition = match &entry.source {
        Source::Text { text: definition, .. } => text(definition),
        _ => Cell::Datum(Datum::Null),
    };
    vec![
        ("name", text(entry.name)),
        ("object_id", number(entry.id)),
        ("schema_id", number(entry.schema_id())),
        ("parent_object_id", number(0)),
        ("type", text(entry.type_code())),
        ("type_desc", text(entry.type_description())),
        ("create_date", Cell::Datum(Datum::I64(SHIPPED.0))),
        ("definition", definition),
    ]
}

fn column(object: i32, ordinal: usize, name: &str, ty: &SqlType, nullable: bool, db: &Database) -> NamedRow {
    let system = scalar_type::system_type(ty.kind);
    let sysname = *ty == SqlType::SYSNAME || ty.with_collation(SqlType::SYSNAME.collation) == SqlType::SYSNAME;
    let collation = if ty.is_string() { text(&db.collation.name()) } else { Cell::Datum(Datum::Null) };
    vec![
        ("object_id", number(object)),
        ("name", text(name)),
        ("column_id", number(ordinal + 1)),
        ("system_type_id", number(system.xtype)),
        ("user_type_id", number(if sysname { scalar_type::SYSNAME } else { system.utype })),
        ("max_length", number(scalar_type::max_length(ty))),
        ("precision", number(ty.precision)),
        ("scale", number(ty.scale)),
        ("collation_name", collation),
        ("is_nullable", nullable.into()),
    ]
}

/// Columns of the system's views, functions and computed tables. Those of a view are known once it has been bound: all are, at the first
/// question.
fn system_columns(host: &mut SessionHost, state: &mut State, db: &Database) -> Vec<NamedRow> {
    static OF_VIEWS: OnceLock<Vec<(i32, Vec<OutputColumn>)>> = OnceLock::new();
    let of_views = match OF_VIEWS.get() {
        Some(known) => known,
        None => {
            let bound = describe_views(host, state);
            OF_VIEWS.get_or_init(|| bound)
        }
    };
    let mut rows = Vec::new();
    for entry in registry::entries().iter().filter(|entry| !entry.internal && entry.is_in(db.id)) {
        if let Source::Rows { columns, .. } = &entry.source {
            rows.extend(columns.iter().enumerate().map(|(i, c)| column(entry.id, i, &c.name, &c.ty, c.nullable, db)));
        }
    }
    let here = |id: i32| registry::by_id(id).is_some_and(|entry| entry.is_in(db.id));
    for (id, columns) in of_views.iter().filter(|(id, _)| here(*id)) {
        rows.extend(columns.iter().enumerate().map(|(i, c)| column(*id, i, &c.name, &c.ty, c.nullable, db)));
    }
    rows
}

fn describe_views(host: &mut SessionHost, state: &mut State) -> Vec<(i32, Vec<OutputColumn>)> {
    let views = registry::entries().iter().filter(|entry| {
        !entry.internal && matches!(entry.type_code(), "V" | "IF") && matches!(entry.source, Source::Text { .. })
    });
    let mut found = Vec::new();
    for view in views {
        let query = format!("SELECT * FROM {}{}", view.full_name(), nothing_for(view));
        let columns = text_rows::describe(host, state, &query).ok().flatten();
        found.push((view.id, columns.unwrap_or_default()));
    }
    found
}

/// What a function is given where only its columns are wanted; of a view, nothing.
fn nothing_for(entry: &registry::Entry) -> String {
    match &entry.source {
        Source::Text { text: definition, kind: ModuleKind::InlineFunction } => reference_rows::no_arguments(definition),
        _ => String::new(),
    }
}

/// Parameters of the procedures that are T-SQL, from their text.
fn system_parameters() -> Vec<NamedRow> {
    let mut rows = Vec::new();
    for entry in registry::entries().iter().filter(|entry| !entry.internal) {
        let Source::Text { text: definition, .. } = &entry.source else { continue };
        let Ok(batch) = sql::parse::parse_batch(definition, &Default::default()) else { continue };
        let Some(sql::ast::StatementKind::CreateProcedure(create)) = batch.statements.first().map(|first| &first.kind)
        else {
            continue;
        };
        for (i, parameter) in create.parameters.iter().enumerate() {
            let Some(ty) = plain_type(&parameter.data_type) else { continue };
            let system = scalar_type::system_type(ty.kind);
            rows.push(vec![
                ("object_id", number(entry.id)),
                ("name", text(&parameter.name.name)),
                ("parameter_id", number(i + 1)),
                ("system_type_id", number(system.xtype)),
                ("user_type_id", number(system.utype)),
                ("max_length", number(scalar_type::max_length(&ty))),
                ("precision", number(ty.precision)),
                ("scale", number(ty.scale)),
                ("is_output", parameter.output.into()),
            ]);
        }
    }
    rows
}

/// System procedures declare built-in types only.
fn plain_type(data_type: &sql::ast::DataType) -> Option<SqlType> {
    use sql::ast::{TypeLength, TypeName};
    let kind = match &data_type.name {
        TypeName::Sysname => return Some(SqlType::SYSNAME),
        TypeName::Builtin(kind) => *kind,
        _ => return None,
    };
    let system = scalar_type::system_type(kind);
    let plain = scalar_type::sql_type(system.xtype, system.utype, system.length, system.prec, system.scale, None)?;
    let bytes_of = |length: u32| if plain.is_unicode_string() { length * 2 } else { length };
    Some(match data_type.length {
        TypeLength::One(length) if plain.physical() == types::Physical::Bytes => {
            SqlType { length: u16::try_from(bytes_of(length)).ok()?, ..plain }
        }
        TypeLength::Max => SqlType { length: types::MAX_LENGTH, ..plain },
        TypeLength::Two(precision, scale) => {
            SqlType { precision: u8::try_from(precision).ok()?, scale: u8::try_from(scale).ok()?, ..plain }
        }
        _ => plain,
    })
}

/// What tells a partition of one index from all others: shares of one table have its number, and their own above that.
fn rowset_id(size: &IndexSize) -> i64 {
    let share = if size.is_share { size.partition as i64 } else { 0 };
    (share << 32) | i64::from(size.rowset)
}

fn table_rows(host: &SessionHost, state: &mut State, db: &Database) -> SqlResult<Vec<NamedRow>> {
    let row = |size: IndexSize| -> NamedRow {
        vec![
            ("object_id", number(size.object)),
            ("index_id", number(size.index)),
            ("partition_number", number(size.partition as u64)),
            ("rowset_id", number(rowset_id(&size))),
            ("data_space_id", number(size.space)),
            ("rows", number(size.rows)),
            ("pages", number(size.tree.pages)),
            ("leaf_pages", number(size.tree.leaves)),
            ("long_value_pages", number(size.long_value_pages)),
        ]
    };
    Ok(index_sizes(host, state, db, None)?.into_iter().map(row).collect())
}

/// The system's own tables, which take space as others do.
fn system_table_rows(host: &SessionHost, db: &Database) -> Vec<NamedRow> {
    let storage = &host.server.catalog.storage;
    let own = BASE_TABLES.iter().filter(|table| !table.master_only || db.id == MASTER);
    let sized = own.filter_map(|of| match &*storage.open_table(db.storage_id(), storage::TableId(of.id)).ok()? {
        storage::Table::Disk(table) => {
            Some((of.id, table.row_count_estimate(), table.tree_size(IndexId::CLUSTERED).ok()?))
        }
        storage::Table::Memory(_) | storage::Table::Partitioned(_) => None,
    });
    let row = |(id, rows, size): (i32, u64, TreeSize)| -> NamedRow {
        vec![("object_id", number(id)), ("rows", number(rows)), ("pages", number(size.pages))]
    };
    sized.map(row).collect()
}

/// Databases that nobody may use, by the numbers that sys.databases and sys.database_files have for their states.
/// https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-databases-transact-sql
fn held(host: &SessionHost) -> Vec<NamedRow> {
    let row = |held: storage::HeldFile| -> NamedRow {
        let state = match held.hold {
            Hold::Changing => 2,
            Hold::RecoveryPending => 3,
            Hold::Suspect => 4,
            Hold::Emergency => 5,
            Hold::Offline => 6,
        };
        vec![
            ("database_id", number(held.database)),
            ("state", number(state)),
            ("state_desc", text(&held.hold.to_string())),
        ]
    };
    let catalog = &host.server.catalog;
    let databases = catalog.databases();
    let is_restoring = |id: u16| databases.iter().any(|db| db.id.0 == id && db.is_restoring());
    let restoring = databases.iter().filter(|db| db.is_restoring()).map(|db| -> NamedRow {
        vec![("database_id", number(db.id.0)), ("state", number(1)), ("state_desc", text("RESTORING"))]
    });
    let held = catalog.storage.held().into_iter().filter(|held| !is_restoring(held.database));
    held.map(row).chain(restoring).collect()
}

/// Pages of the files of data, by database, and of the log, which is all databases'.
fn file_pages(host: &SessionHost) -> Vec<NamedRow> {
    let storage = &host.server.catalog.storage;
    let log_pages = storage.log_space().total.div_ceil(8_192);
    let row = |db: &Database, file: i32, pages: u64| -> NamedRow {
        vec![("database_id", number(db.id.0)), ("file_id", number(file)), ("pages", number(pages))]
    };
    let of = |db: &Arc<Database>| {
        let data = storage.file_pages(db.storage_id()).ok();
        data.map(|pages| row(db, 1, pages)).into_iter().chain([row(db, LOG_FILE, log_pages)])
    };
    host.server.catalog.databases().iter().flat_map(of).collect()
}

/// The objects of memory-optimized tables: of the rows, column 0, and, for each column whose values may be out of them, of those.
fn xtp_objects(host: &SessionHost, state: &mut State, db: &Database) -> SqlResult<Vec<NamedRow>> {
    let objects: Vec<ObjectRow> = host.catalog_rows(state, db, |rows| rows.all())?;
    let mut columns: Vec<ColumnRow> = host.catalog_rows(state, db, |rows| rows.all())?;
    columns.sort_by_key(|column| column.colid);
    let mut found = Vec::new();
    for id in objects.iter().filter(|row| row.kind.as_str() == "U").map(|row| row.id) {
        let opened = host.server.catalog.storage.open_table(db.storage_id(), storage::TableId(id));
        let Some(storage::Table::Memory(table)) = opened.as_deref().ok() else { continue };
        let mut add = |object: u32, column: i32| {
            let row = [("object_id", number(id)), ("xtp_object_id", number(object)), ("column_id", number(column))];
            found.push(row.into());
        };
        add(table.object(), 0);
        let Some((values, ordinals)) = table.values() else { continue };
        let stored = |column: &&ColumnRow| {
            let kept = column_status::PERSISTED | column_status::STORED;
            column.status & column_status::COMPUTED == 0 || column.status & kept != 0
        };
        let own: Vec<&ColumnRow> =
            columns.iter().filter(|column| column.id == id && column.number == 0).filter(stored).collect();
        let ids = ordinals.iter().filter_map(|ordinal| own.get(usize::from(*ordinal)));
        ids.for_each(|column| add(values, column.colid));
    }
    Ok(found)
}

fn variant_of(ty: &SqlType, value: i128) -> Cell {
    let datum = match ty.physical() {
        types::Physical::I128 => Datum::I128(value),
        _ => Datum::I64(i64::try_from(value).unwrap_or(i64::MAX)),
    };
    Cell::Datum(variant::encode(ty, &datum))
}

fn identity_values(host: &SessionHost, state: &mut State, db: &Database) -> SqlResult<Vec<NamedRow>> {
    let (columns, objects): (Vec<ColumnRow>, Vec<ObjectRow>) =
        host.catalog_rows(state, db, |rows| Ok((rows.all()?, rows.all()?)))?;
    // Those that only show another table's have no values of their own.
    let shown: BTreeSet<i32> =
        objects.iter().filter(|row| matches!(row.kind.as_str(), "V" | "IF")).map(|row| row.id).collect();
    let own = |row: &&ColumnRow| row.number == 0 && !shown.contains(&row.id);
    let mut found = Vec::new();
    for row in columns.iter().filter(own).filter(|row| row.status & column_status::IDENTITY != 0) {
        let ty = scalar_type::sql_type(row.xtype, row.utype, row.length, row.prec, row.scale, None)
            .unwrap_or(SqlType::BIGINT);
        let last = db.counters.last(&host.server.catalog.storage, db, row.id)?;
        found.push(vec![
            ("object_id", number(row.id)),
            ("seed_value", variant_of(&ty, row.seed.0)),
            ("increment_value", variant_of(&ty, row.increment.0)),
            ("last_value", last.map_or(Cell::Datum(Datum::Null), |last| variant_of(&ty, last))),
        ]);
    }
    Ok(found)
}

fn policy_predicates(host: &SessionHost, state: &mut State, db: &Database) -> SqlResult<Vec<NamedRow>> {
    let (mut found, is_policy) = (Vec::new(), |row: &&ObjectRow| row.kind.as_str() == "SP");
    host.catalog_rows(state, db, |rows| {
        for policy in rows.all::<ObjectRow>()?.iter().filter(is_policy) {
            for predicate in predicate::of_policy(rows, policy.id)? {
                let operation = predicate.of.operation();
                found.push(vec![
                    ("object_id", number(policy.id)),
                    ("security_predicate_id", number(predicate.id)),
                    ("target_object_id", number(predicate.target)),
                    ("predicate_definition", text(&format!("({})", predicate.call))),
                    ("predicate_type", number(i32::from(predicate.of.is_block()))),
                    ("operation", operation.map_or(Cell::Datum(Datum::Null), number)),
                ]);
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// What the modules name that are not schema-bound, as they are written. Those whose text nobody may see tell nothing.
fn module_references(host: &SessionHost, state: &mut State, db: &Database) -> SqlResult<Vec<NamedRow>> {
    const KINDS: [&str; 6] = ["P", "V", "FN", "IF", "TF", "TR"];
    let is_free = |row: &ObjectRow| {
        KINDS.contains(&row.kind.as_str()) && row.status & (object_status::SCHEMA_BOUND | object_status::SHIPPED) == 0
    };
    let modules: Vec<(ObjectRow, String)> = host.catalog_rows(state, db, |rows| {
        let modules = rows.all::<ObjectRow>()?.into_iter().filter(is_free);
        let with_text = modules.map(|row| Ok(load::text_of(rows, row.id)?.map(|text| (row, text))));
        with_text.filter_map(Result::transpose).collect()
    })?;
    let mut found = Vec::new();
    for (row, definition) in modules {
        let quoted = row.status & object_status::QUOTED_IDENTIFIER != 0;
        for entity in sql::bind::module_references(&definition, quoted) {
            // What belongs to the server is not noted.
            if entity.name.database.is_none() && is_of_server(&entity.name) {
                continue;
            }
            let part =
                |part: &Option<sql::ast::Ident>| part.as_ref().map_or(Cell::Datum(Datum::Null), |part| text(part));
            found.push(vec![
                ("referencing_id", number(row.id)),
                ("minor_id", number(0)),
                ("schema_id", number(row.nsid)),
                ("is_bound", false.into()),
                ("is_type", entity.is_type.into()),
                ("is_executed", entity.executed.into()),
                ("is_called", entity.called.into()),
                ("server_name", part(&entity.name.server)),
                ("database_name", part(&entity.name.database)),
                ("schema_name", part(&entity.name.schema)),
                ("entity_name", text(&entity.name.name)),
            ]);
        }
        os::wait::maybe_yield();
    }
    call_references(host, state, db, &mut found)?;
    Ok(found)
}

/// The functions and sequences that a CHECK, a default or a computed column calls: they are bound to what they name, and of a computed column its
/// table says so.
fn call_references(host: &SessionHost, state: &mut State, db: &Database, found: &mut Vec<NamedRow>) -> SqlResult<()> {
    let callers = host.catalog_rows(state, db, |rows| -> SqlResult<Vec<(ObjectRow, i32, String)>> {
        let mut callers = Vec::new();
        for column in rows.all::<ColumnRow>()? {
            if column.status & column_status::COMPUTED != 0
                && let Some(definition) = column.definition.0
                && let Some(table) = load::object_row(rows, column.id)?
            {
                callers.push((table, column.colid, definition.to_string()));
            }
        }
        for row in rows.all::<ObjectRow>()?.into_iter().filter(|row| matches!(row.kind.as_str().trim(), "C" | "D")) {
            if let Some(definition) = load::text_of(rows, row.id)? {
                callers.push((row, 0, definition));
            }
        }
        Ok(callers)
    })?;
    for (row, minor, definition) in callers {
        let called = sql::bind::called_by(&definition, row.kind.as_str().trim() == "C");
        for (at, name) in called.iter().enumerate() {
            let Some(schema) = &name.schema else { continue };
            let is_same = |other: &sql::catalog::ObjectName| {
                db.equal_names(&other.name, &name.name)
                    && other.schema.as_ref().is_some_and(|other| db.equal_names(other, schema))
            };
            if called[..at].iter().any(is_same) {
                continue;
            }
            found.push(vec![
                ("referencing_id", number(row.id)),
                ("minor_id", number(minor)),
                ("schema_id", number(row.nsid)),
                ("is_bound", true.into()),
                ("is_type", false.into()),
                ("is_executed", false.into()),
                ("is_called", false.into()),
                ("schema_name", text(schema)),
                ("entity_name", text(&name.name)),
            ]);
        }
        os::wait::maybe_yield();
    }
    Ok(())
}

/// A view, function or procedure of the server, also by a name without a schema (`sp_who`).
fn is_of_server(name: &sql::ast::ObjectName) -> bool {
    let schema = name.schema.as_deref();
    let of_server =
        schema.is_some_and(|schema| ["sys", "INFORMATION_SCHEMA"].iter().any(|own| own.eq_ignore_ascii_case(schema)));
    let is_procedure =
        ["sp_", "xp_"].iter().any(|prefix| name.name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(prefix)));
    of_server || is_procedure && registry::find(schema, &name.name).is_some()
}

fn sequence_values(host: &SessionHost, state: &mut State, db: &Database) -> SqlResult<Vec<NamedRow>> {
    let sequences: Vec<SequenceRow> = host.catalog_rows(state, db, |rows| rows.all())?;
    let mut found = Vec::new();
    for row in &sequences {
        let length = scalar_type::by_user_type(i32::from(row.xtype)).map_or(8, |system| system.length);
        let ty = scalar_type::sql_type(row.xtype, 0, length, row.prec, row.scale, None).unwrap_or(SqlType::BIGINT);
        let rule = row.rule();
        let last = db.counters.last(&host.server.catalog.storage, db, row.id)?;
        let next = last.map_or(rule.start, |last| last.saturating_add(rule.increment));
        let exhausted = !rule.cycle && !(rule.minimum..=rule.maximum).contains(&next);
        found.push(vec![
            ("object_id", number(row.id)),
            ("start_value", variant_of(&ty, rule.start)),
            ("increment", variant_of(&ty, rule.increment)),
            ("minimum_value", variant_of(&ty, rule.minimum)),
            ("maximum_value", variant_of(&ty, rule.maximum)),
            ("current_value", variant_of(&ty, last.unwrap_or(rule.start))),
            ("last_used_value", last.map_or(Cell::Datum(Datum::Null), |last| variant_of(&ty, last))),
            ("exhausted", exhausted.into()),
        ]);
    }
    Ok(found)
}

/// What of a kind lies in a database and in no schema: the kind, its class, number and name.
fn of_database(rows: &mut Rows<'_>, kind: &str) -> SqlResult<Vec<(&'static str, u8, i32, String)>> {
    let named = |kind: &'static str, class: u8, found: Vec<ClassRow>| {
        found.into_iter().map(|row| (kind, class, row.id, row.name)).collect()
    };
    let mut of_class = |class: u8| rows.find::<ClassRow>(0, &[small(class)]);
    Ok(match kind {
        "FILEGROUP" => named("FILEGROUP", 20, of_class(class::FILEGROUP)?),
        "PARTITION FUNCTION" => named("PARTITION FUNCTION", 21, of_class(class::PARTITION_FUNCTION)?),
        "PARTITION SCHEME" => named("PARTITION SCHEME", 20, of_class(class::PARTITION_SCHEME)?),
        "USER" => rows.all::<OwnerRow>()?.into_iter().map(|row| ("USER", 4, row.id, row.name)).collect(),
        "TRIGGER" => rows
            .find::<ObjectRow>(load::BY_NAME, &[int(schema::OF_DATABASE)])?
            .into_iter()
            .filter(|row| row.kind.as_str() == "TR")
            .map(|row| ("TRIGGER", class::OBJECT, row.id, row.name))
            .collect(),
        _ => Vec::new(),
    })
}

/// fn_listextendedproperty(name, level0 type, level0 name, level1 type, level1 name, level2 type, level2 name): NULL for a name is
/// any, NULL for the first type is the database itself.
fn extended_properties(
    host: &SessionHost,
    state: &mut State,
    db: &Arc<Database>,
    arguments: &Arguments<'_>,
) -> SqlResult<Vec<NamedRow>> {
    let of = |position: usize| arguments.text(position);
    let fits = |wanted: &Option<String>, name: &str| wanted.as_ref().is_none_or(|wanted| db.equal_names(wanted, name));
    let wanted = of(0);
    let mut found = Vec::new();
    let mut add = |rows: &mut Rows<'_>,
                   kind: Option<&'static str>,
                   name: Option<&str>,
                   class: u8,
                   id: i32,
                   minor: i32|
     -> SqlResult<()> {
        for property in rows.find::<PropertyRow>(0, &[small(class), int(id), int(minor)])? {
            if fits(&wanted, &property.name) {
                found.push(vec![
                    ("objtype", kind.map_or(Cell::Datum(Datum::Null), text)),
                    ("objname", name.map_or(Cell::Datum(Datum::Null), text)),
                    ("name", text(&property.name)),
                    ("value", Cell::Datum(property.value.to_datum())),
                ]);
            }
        }
        Ok(())
    };
    let upper = |position: usize| of(position).map(|text| text.to_ascii_uppercase());
    let (level0, level1, level2) = (upper(1), upper(3), upper(5));
    host.catalog_rows(state, db, |rows| {
        let Some(level0) = level0 else { return add(rows, None, None, class::DATABASE, 0, 0) };
        if level0 != "SCHEMA" {
            for (kind, class, id, name) in of_database(rows, &level0)? {
                if fits(&of(2), &name) {
                    add(rows, Some(kind), Some(&name), class, id, 0)?;
                }
            }
            return Ok(());
        }
        let schemas = rows.find::<ClassRow>(0, &[small(class::SCHEMA_ENTRY)])?;
        for schema in schemas.iter().filter(|schema| fits(&of(2), &schema.name)) {
            let Some(level1) = &level1 else {
                add(rows, Some("SCHEMA"), Some(&schema.name), class::SCHEMA, schema.id, 0)?;
                continue;
            };
            let (kinds, shown): (&[&str], &'static str) = match level1.as_str() {
                "TABLE" => (&["U"], "TABLE"),
                "VIEW" => (&["V"], "VIEW"),
                "PROCEDURE" => (&["P"], "PROCEDURE"),
                "FUNCTION" => (&["FN", "IF", "TF"], "FUNCTION"),
                "SYNONYM" => (&["SN"], "SYNONYM"),
                "SEQUENCE" => (&["SO"], "SEQUENCE"),
                _ => return Ok(()),
            };
            for object in rows.find::<ObjectRow>(load::BY_NAME, &[int(schema.id)])? {
                if !kinds.contains(&object.kind.as_str()) || !fits(&of(4), &object.name) {
                    continue;
                }
                match level2.as_deref() {
                    None => add(rows, Some(shown), Some(&object.name), class::OBJECT, object.id, 0)?,
                    Some("COLUMN") => {
                        for column in rows.find::<ColumnRow>(0, &[int(object.id), Datum::I64(0)])? {
                            if fits(&of(6), &column.name) {
                                add(rows, Some("COLUMN"), Some(&column.name), class::OBJECT, object.id, column.colid)?;
                            }
                        }
                    }
                    Some(kind @ ("CONSTRAINT" | "TRIGGER")) => {
                        let kind = if kind == "TRIGGER" { "TRIGGER" } else { "CONSTRAINT" };
                        for child in rows.find::<ObjectRow>(load::BY_PARENT, &[int(object.id)])? {
                            if (child.kind.as_str() == "TR") == (kind == "TRIGGER") && fits(&of(6), &child.name) {
                                add(rows, Some(kind), Some(&child.name), class::OBJECT, child.id, 0)?;
                            }
                        }
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(())
    })?;
    Ok(found)
}
