//! Schemas, types, sequences, synonyms; DROP of every kind; sp_rename and ALTER SCHEMA TRANSFER.

use std::sync::Arc;

use sql::ast::{
    AlterSchema, CreateSchema, CreateSynonym, CreateType, CreateTypeKind, Drop, DropKind, ObjectName, TypeName,
};
use types::{SqlError, SqlResult, TypeKind, sql_error};

use super::data_type::{self, find_type};
use super::memory_optimized;
use super::partition::Placement;
use super::schema_binding;
use super::site::{Ddl, Place, cannot_drop, cannot_find, has, is_system, written};
use super::table;
use super::temporal;
use super::versioned;
use super::view_index;
use super::workload;
use super::{database, login, security, security_policy, text};
use crate::catalog::base::{
    ClassRow, ColumnRow, IndexRow, MEMORY_OPTIMIZED_TYPE, ObjectRow, OwnerRow, PrivilegeRow, PropertyRow, ReferenceRow,
    TypeRow, class, column_status as cs, object_status as os_, schema,
};
use crate::catalog::load::{self, int, name as name_datum, small};
use crate::catalog::row::{Code, Text};
use crate::catalog::{Database, clock, scalar_type};

pub fn create_schema(ddl: &mut Ddl<'_>, create: &CreateSchema) -> SqlResult<()> {
    let db = ddl.current()?;
    let owner_name = create.authorization.as_ref().map(|a| a.to_string());
    let name = create.name.as_ref().map(|n| n.to_string()).or_else(|| owner_name.clone()).unwrap_or_default();
    let owner = match &owner_name {
        None => 1,
        Some(owner) => match ddl.rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(owner)]))? {
            Some(row) => row.id,
            None => return Err(cannot_find("find", "user", owner)),
        },
    };
    let now = clock::now();
    let taken = ddl.rows(&db, |rows| {
        if load::schema_named(rows, &name)?.is_some() {
            return Ok(true);
        }
        let used: Vec<ClassRow> = rows.find(0, &[small(class::SCHEMA_ENTRY)])?;
        let id = used.iter().map(|row| row.id).filter(|id| *id < 16384).max().unwrap_or(schema::SYS) + 1;
        let id = if id >= 16384 { used.iter().map(|row| row.id).max().unwrap_or(id) + 1 } else { id };
        let row = ClassRow {
            class: class::SCHEMA_ENTRY,
            id,
            name: name.clone(),
            owner,
            created: now,
            modified: now,
            status: 0,
            value: Text(None),
        };
        Ok(rows.try_insert(&row)?.is_err())
    })?;
    if taken {
        return Err(sql_error!(2759).after(vec![sql_error!(2714, name)]));
    }
    ddl.changed(db.id, 0);
    // What stands inside belongs to the new schema unless it says otherwise.
    let kept = ddl.site.state().0.default_schema.clone();
    ddl.site.state().0.default_schema = name.into();
    let mut made = Ok(());
    for element in &create.elements {
        made = made.and_then(|()| super::dispatch(ddl, element));
    }
    ddl.site.state().0.default_schema = kept;
    made
}

pub fn alter_schema(ddl: &mut Ddl<'_>, alter: &AlterSchema) -> SqlResult<()> {
    let db = ddl.current()?;
    let target = ddl.rows(&db, |rows| load::schema_named(rows, &alter.schema))?;
    let target = target.ok_or_else(|| cannot_find("alter", "schema", &alter.schema))?;
    // INFORMATION_SCHEMA and sys are the server's.
    if matches!(target.id, 3 | 4) {
        return Err(sql_error!(2710, target.name));
    }
    if alter.class.as_deref() == Some("TYPE") {
        let row = find_type(ddl, &alter.name)?.ok_or_else(|| cannot_find("find", "type", &written(&alter.name)))?.1;
        let other = ddl.rows(&db, |rows| rows.first::<TypeRow>(1, &[int(target.id), name_datum(&row.name)]))?;
        if other.is_some_and(|other| other.id != row.id) {
            return Err(sql_error!(15530, "type", row.name));
        }
        ddl.rows(&db, |rows| rows.update::<TypeRow>(0, &[int(row.id)], |row| row.schid = target.id))?;
        ddl.changed(db.id, 0);
        return Ok(());
    }
    if alter.class.as_deref() == Some("XML SCHEMA COLLECTION") {
        return super::xml_schema::transfer(ddl, &db, &alter.name, target.id);
    }
    if alter.name.name.starts_with('#') {
        return Err(sql_error!(33144));
    }
    let found = ddl.find(&alter.name)?.filter(|(_, row)| row.pid == 0);
    // What is of a table goes with it.
    let Some((db, row)) = found else { return Err(cannot_find("find", "object", &alter.name.name)) };
    ddl.lock(&db, row.id)?;
    if schema_binding::user_of(ddl, &db, row.id)?.is_some() {
        return Err(sql_error!(15348));
    }
    // Its constraints and triggers move with it; internal tables are in sys.
    let mut children = ddl.rows(&db, |rows| rows.find::<ObjectRow>(load::BY_PARENT, &[int(row.id)]))?;
    children.retain(|child| child.kind.as_str() != super::internal_table::KIND);
    for moved in [&row].into_iter().chain(&children) {
        if ddl.rows(&db, |rows| load::object_row_named(rows, target.id, &moved.name))?.is_some() {
            return Err(sql_error!(15530, "object", moved.name));
        }
    }
    for id in children.iter().map(|child| child.id).chain([row.id]) {
        ddl.rows(&db, |rows| {
            // "ALTER SCHEMA": all permissions on it are dropped when it is moved.
            rows.delete::<PrivilegeRow>(0, &[small(class::OBJECT), int(id)])?;
            rows.update::<ObjectRow>(0, &[int(id)], |row| row.nsid = target.id)
        })?;
        ddl.changed(db.id, id);
    }
    if view_index::is_view(&row) {
        view_index::changed(ddl, &db, row.id)?;
    }
    Ok(())
}

pub fn create_type(ddl: &mut Ddl<'_>, create: &CreateType) -> SqlResult<()> {
    let place = ddl.place(&create.name)?;
    let db = place.db.clone();
    let taken = ddl.rows(&db, |rows| rows.first::<TypeRow>(1, &[int(place.schema), name_datum(&place.name)]))?;
    if taken.is_some() || scalar_type::by_name(&place.name).is_some() {
        return Err(sql_error!(219, written(&create.name)));
    }
    let types = ddl.rows(&db, |rows| rows.all::<TypeRow>())?;
    let id = types.iter().map(|row| row.id).max().unwrap_or(0).max(256) + 1;
    let now = clock::now();
    let mut row = TypeRow {
        id,
        schid: place.schema,
        name: place.name.clone(),
        xtype: scalar_type::TABLE_TYPE,
        length: -1,
        prec: 0,
        scale: 0,
        collation: None,
        status: 2,
        tableid: 0,
        created: now,
        modified: now,
        dflt: 0,
        chk: 0,
    };
    match &create.kind {
        CreateTypeKind::Alias { base, null } => {
            if matches!(&base.name, TypeName::XmlOf { .. } | TypeName::Builtin(TypeKind::Xml)) {
                return Err(sql_error!(15226));
            }
            if matches!(&base.name, TypeName::Sysname) {
                return Err(sql_error!(222, "sysname"));
            }
            let resolved = data_type::resolve(ddl, &db, base, 1).map_err(|error| match &base.name {
                TypeName::User(name) if error.number == 2715 => sql_error!(222, written(name)),
                _ => error,
            })?;
            if resolved.ty.is_udt() || resolved.ty.kind == TypeKind::RowVersion {
                return Err(sql_error!(222, resolved.ty.name()));
            }
            // Nor may it be an alias itself.
            if resolved.utype > scalar_type::SYSNAME
                && let TypeName::User(name) = &base.name
            {
                return Err(sql_error!(222, written(name)));
            }
            let ty = data_type::collate(&db, resolved.ty, None)?;
            row.xtype = resolved.xtype;
            row.length = scalar_type::max_length(&ty);
            row.prec = ty.precision;
            row.scale = ty.scale;
            row.collation = scalar_type::collation_name(&ty);
            row.status = i32::from(*null != Some(false));
        }
        CreateTypeKind::Table(definition) => {
            let object = ddl.new_id(&db)?;
            let own = Place {
                name: format!("TT_{}_{object:08X}", place.name),
                schema: schema::SYS,
                schema_name: "sys".into(),
                ..place.clone()
            };
            let kept = memory_optimized::of_type(&definition.options)?;
            memory_optimized::check_buckets(&place.name, definition, kept.is_some())?;
            if let Some(kept) = kept {
                schema_binding::refuse_in_transaction(ddl, schema_binding::TABLES)?;
                memory_optimized::check(ddl, &db, &place.name, definition, kept)?;
                row.status |= MEMORY_OPTIMIZED_TYPE;
            }
            let shown = own.name.clone();
            row.tableid = table::build(ddl, &own, &shown, definition, ("TT", 0), None, &Placement::DEFAULT)?;
            let name = format!("TT_{}_{:08X}", place.name, row.tableid);
            ddl.rows(&db, |rows| rows.update::<ObjectRow>(0, &[int(row.tableid)], |row| row.name.clone_from(&name)))?;
        }
        CreateTypeKind::External => return Err(super::unsupported("CREATE TYPE ... EXTERNAL NAME")),
    }
    ddl.rows(&db, |rows| rows.insert(&row))?;
    ddl.changed(db.id, 0);
    Ok(())
}

pub fn create_synonym(ddl: &mut Ddl<'_>, create: &CreateSynonym) -> SqlResult<()> {
    let place = ddl.place(&create.name)?;
    let id = ddl.add_object(&place, "SN", 0, 0, 0)?;
    ddl.add_text(&place.db, id, &text::object_name(&create.target))
}

/// (word in messages, `sys.objects.type`s, state of 3701).
/// What is said of an object that cannot be dropped, whether it is not there or not to be dropped by who asks.
pub fn cannot_drop_kind(kind: DropKind, shown: &str) -> SqlError {
    let (word, _, state) = kinds(kind).unwrap_or(("object", &[], 5));
    cannot_drop(word, shown, state)
}

/// As messages call it.
pub fn word_of(kind: DropKind) -> &'static str {
    kinds(kind).map_or("object", |(word, ..)| word)
}

fn kinds(kind: DropKind) -> Option<(&'static str, &'static [&'static str], u8)> {
    Some(match kind {
        DropKind::Table => ("table", &["U"], 5),
        DropKind::View => ("view", &["V"], 5),
        DropKind::Procedure => ("procedure", &["P"], 5),
        DropKind::Function => ("function", &["FN", "IF", "TF"], 5),
        DropKind::Trigger => ("trigger", &["TR"], 5),
        DropKind::Sequence => ("sequence object", &["SO"], 5),
        DropKind::Synonym => ("synonym", &["SN"], 5),
        DropKind::Default => ("default", &["D"], 5),
        DropKind::Rule => ("rule", &["R"], 5),
        DropKind::SecurityPolicy => ("security policy", &["SP"], 5),
        _ => return None,
    })
}

pub fn drop(ddl: &mut Ddl<'_>, drop: &Drop) -> SqlResult<()> {
    for name in &drop.names {
        match drop.kind {
            DropKind::Type => drop_type(ddl, name, drop.if_exists),
            DropKind::Schema => drop_schema(ddl, name, drop.if_exists),
            DropKind::Database => database::drop(ddl, &name.name, drop.if_exists),
            DropKind::Login => login::drop_login(ddl, &name.name, false, drop.if_exists),
            DropKind::Certificate => super::certificate::drop(ddl, &name.name),
            DropKind::Credential => super::credential::drop(ddl, &name.name, drop.if_exists),
            DropKind::ServerRole => login::drop_login(ddl, &name.name, true, drop.if_exists),
            DropKind::User => security::drop_principal(ddl, &name.name, &["S", "U", "G", "C", "K"], drop.if_exists),
            DropKind::Role => security::drop_principal(ddl, &name.name, &["R"], drop.if_exists),
            DropKind::ApplicationRole => security::drop_principal(ddl, &name.name, &["A"], drop.if_exists),
            DropKind::PartitionFunction => super::partition::drop_function(ddl, &name.name),
            DropKind::PartitionScheme => super::partition::drop_scheme(ddl, &name.name),
            DropKind::XmlSchemaCollection => super::xml_schema::drop(ddl, name, drop.if_exists),
            DropKind::Aggregate | DropKind::Assembly if drop.if_exists => Ok(()),
            kind => match kinds(kind) {
                Some(found) => drop_object(ddl, name, found, drop.if_exists),
                None => Err(cannot_drop("object", &written(name), 5)),
            },
        }?;
    }
    Ok(())
}

fn drop_object(
    ddl: &mut Ddl<'_>,
    name: &ObjectName,
    (word, kinds, state): (&str, &[&str], u8),
    if_exists: bool,
) -> SqlResult<()> {
    let shown = written(name);
    let found = match ddl.find(name) {
        Ok(found) => found,
        // A database that is not there is an object that is not there.
        Err(error) if error.number == 911 && if_exists => None,
        Err(error) => return Err(error),
    };
    let Some((db, row)) = found else {
        return if if_exists { Ok(()) } else { Err(cannot_drop(word, &shown, state)) };
    };
    if !kinds.contains(&row.kind.as_str()) {
        if row.kind.as_str() == "U" || row.kind.as_str() == "V" || !if_exists {
            let actual = match row.kind.as_str() {
                "U" => "TABLE",
                "V" => "VIEW",
                "P" => "PROCEDURE",
                "FN" | "IF" | "TF" => "FUNCTION",
                "TR" => "TRIGGER",
                "SO" => "SEQUENCE",
                "SN" => "SYNONYM",
                "SP" => "SECURITY POLICY",
                "D" => "DEFAULT",
                "R" => "RULE",
                _ => return Err(cannot_drop(word, &shown, state)),
            };
            let asked = word.split(' ').next().unwrap_or(word).to_uppercase();
            return Err(sql_error!(3705, asked, shown, shown, actual.to_lowercase(), format_args!("DROP {actual}")));
        }
        return Err(cannot_drop(word, &shown, state));
    }
    if is_system(&row) {
        return Err(sql_error!(3708, "drop", word, shown, "object"));
    }
    if row.kind.as_str() == "D" && row.pid != 0 {
        return Err(sql_error!(3717));
    }
    super::bound::check_unbound(ddl, &db, &row, &shown)?;
    if row.kind.as_str() == "FN" {
        workload::refuse_classifier(ddl, &db, row.id, "drop", &shown)?;
    }
    if has(row.status, os_::MEMORY_OPTIMIZED) {
        schema_binding::refuse_in_transaction(ddl, schema_binding::TABLES)?;
    }
    if has(row.status, os_::NATIVE) {
        schema_binding::refuse_in_transaction(ddl, schema_binding::MODULES)?;
    }
    if row.kind.as_str() == "TR" && row.pid != 0 {
        ddl.lock(&db, row.pid)?;
    }
    ddl.lock(&db, row.id)?;
    if row.kind.as_str() == "U" {
        versioned::check_drop(ddl, &db, &row)?;
        let references =
            ddl.rows(&db, |rows| rows.find::<ReferenceRow>(1, &[int(row.id), small(class::FOREIGN_KEY)]))?;
        for reference in references {
            let key = ddl.rows(&db, |rows| load::object_row(rows, reference.depid))?;
            if key.is_some_and(|key| key.pid != row.id) {
                return Err(sql_error!(3726, shown));
            }
        }
    }
    let action =
        if row.kind.as_str() == "SO" { "DROP SEQUENCE".to_owned() } else { format!("DROP {}", word.to_uppercase()) };
    schema_binding::check_unused(ddl, &db, row.id, &action, &shown)?;
    if row.pid != 0 {
        ddl.changed(db.id, row.pid);
    }
    if row.kind.as_str() == "SP" {
        security_policy::release(ddl, &db, row.id)?;
    }
    if row.kind.as_str() == "SO" {
        db.counters.forget(row.id);
    }
    ddl.site.server().plans.forget_module(db.id.0, row.id);
    table::erase(ddl, &db, &row)
}

fn drop_type(ddl: &mut Ddl<'_>, name: &ObjectName, if_exists: bool) -> SqlResult<()> {
    let shown = written(name);
    let Some((db, row)) = find_type(ddl, name)? else {
        return if if_exists { Ok(()) } else { Err(sql_error!(218, shown)) };
    };
    let users = ddl.rows(&db, |rows| rows.all::<ColumnRow>())?;
    if let Some(user) = users.iter().find(|column| column.utype == row.id) {
        let object = ddl.rows(&db, |rows| load::object_row(rows, user.id))?.map(|o| o.name).unwrap_or_default();
        return Err(referenced_type(&shown, &object));
    }
    if let Some(user) = schema_binding::user_of(ddl, &db, row.tableid)? {
        return Err(referenced_type(&shown, &user));
    }
    if has(row.status, MEMORY_OPTIMIZED_TYPE) {
        schema_binding::refuse_in_transaction(ddl, schema_binding::TABLES)?;
    }
    if row.tableid != 0 {
        if let Some(object) = ddl.rows(&db, |rows| load::object_row(rows, row.tableid))? {
            table::erase(ddl, &db, &object)?;
            let (database, id) = (db.storage_id(), storage::TableId(row.tableid));
            ddl.storage(|storage, tx| storage.drop_table(tx, database, id))
                .map_err(crate::catalog::error::storage_error)?;
        }
    }
    ddl.rows(&db, |rows| {
        rows.delete::<PropertyRow>(0, &[small(class::TYPE), int(row.id)])?;
        rows.delete::<PrivilegeRow>(0, &[small(class::TYPE), int(row.id)])?;
        rows.delete::<TypeRow>(0, &[int(row.id)])
    })?;
    ddl.changed(db.id, 0);
    Ok(())
}

/// 3732
fn referenced_type(shown: &str, user: &str) -> SqlError {
    sql_error!(3732, shown, user)
}

fn drop_schema(ddl: &mut Ddl<'_>, name: &ObjectName, if_exists: bool) -> SqlResult<()> {
    let db = ddl.current()?;
    let shown = &*name.name;
    let Some(row) = ddl.rows(&db, |rows| load::schema_named(rows, shown))? else {
        return if if_exists { Ok(()) } else { Err(cannot_find("drop", "schema", shown)) };
    };
    if row.id <= schema::SYS || row.id >= 16384 {
        return Err(sql_error!(15150, "drop", "schema", shown));
    }
    let mut objects = ddl.rows(&db, |rows| rows.find::<ObjectRow>(load::BY_NAME, &[int(row.id)]))?;
    let collections = int(crate::catalog::xml_collection::space_of(row.id));
    objects.extend(ddl.rows(&db, |rows| rows.find::<ObjectRow>(load::BY_NAME, &[collections]))?);
    let types = ddl.rows(&db, |rows| rows.find::<TypeRow>(1, &[int(row.id)]))?;
    let named = objects.iter().find(|object| object.pid == 0).or(objects.first());
    if let Some(object) = named.map(|o| &o.name).or(types.first().map(|t| &t.name)) {
        return Err(schema_binding::referenced("drop schema", shown, object));
    }
    ddl.rows(&db, |rows| {
        // The next schema may have this one's number.
        rows.delete::<PrivilegeRow>(0, &[small(class::SCHEMA), int(row.id)])?;
        rows.delete::<ClassRow>(0, &[small(class::SCHEMA_ENTRY), int(row.id)])
    })?;
    ddl.changed(db.id, 0);
    Ok(())
}

/// sp_rename. `written`: OBJECT, COLUMN, INDEX, DATABASE, USERDATATYPE, STATISTICS, as errors name it; None: what the name finds.
/// Lines are those of SQL Server's own text.
pub fn rename(ddl: &mut Ddl<'_>, old: &str, new: &str, written: Option<&str>) -> SqlResult<()> {
    let Some(parsed) = sql::catalog::ObjectName::from_text(old) else { return Err(sql_error!(15253, old)) };
    let kind = match written {
        Some(written) => written,
        None => unsaid_kind(ddl, &parsed)?,
    };
    match kind.to_ascii_uppercase().as_str() {
        "DATABASE" => {
            if let Some(db) = ddl.catalog.database_named(old)
                && !ddl.database_permission(&db, "ALTER")?
            {
                return Err(sql_error!(15247));
            }
            database::rename(ddl, old, new)
        }
        "USERDATATYPE" => {
            let Some((db, row)) = find_type(ddl, &parsed.into())? else { return Err(no_such(kind, 0)) };
            if !ddl.type_permission(&db, &row, "CONTROL")? {
                return Err(no_such(kind, 0));
            }
            let types = ddl.rows(&db, |rows| rows.all::<TypeRow>())?;
            if types.iter().any(|o| o.id != row.id && o.schid == row.schid && db.equal_names(&o.name, new)) {
                return Err(taken(new, kind));
            }
            ddl.rows(&db, |rows| rows.update::<TypeRow>(0, &[int(row.id)], |row| row.name = new.to_string()))?;
            ddl.changed(db.id, 0);
            Ok(())
        }
        "COLUMN" => {
            let (db, row) = renamed_part_of(ddl, &parsed, || no_such(kind, 269))?;
            rename_column(ddl, &db, &row, (old, &parsed.name), new, kind)
        }
        "INDEX" | "STATISTICS" => {
            let (db, row) = renamed_part_of(ddl, &parsed, || no_such(kind, 450))?;
            rename_index(ddl, &db, &row, (kind, &parsed.name), new)
        }
        _ => {
            let missing = |ddl: &mut Ddl<'_>| match written {
                Some(written) => no_such(written, 620),
                None => match ddl.current() {
                    Ok(current) => sql_error!(15225, old, current.name(), "(null)").at_line(637),
                    Err(error) => error,
                },
            };
            let Some((db, row)) = ddl.find(&parsed.into())? else { return Err(missing(ddl)) };
            if !ddl.object_permission(&db, &row, "ALTER")? {
                return Err(missing(ddl));
            }
            rename_object(ddl, &db, &row, (old, kind), new)
        }
    }
}

/// 15248
fn no_such(kind: &str, line: u32) -> SqlError {
    sql_error!(15248, kind).at_line(line)
}

/// The table or view that has the column or index of this name, if it may be altered.
fn renamed_part_of(
    ddl: &mut Ddl<'_>,
    name: &sql::catalog::ObjectName,
    missing: impl Fn() -> SqlError,
) -> SqlResult<(Arc<Database>, ObjectRow)> {
    let Some((db, row)) = ddl.find(&owner_of(name).into())? else { return Err(missing()) };
    if !ddl.object_permission(&db, &row, "ALTER")? {
        return Err(missing());
    }
    ddl.lock(&db, row.id)?;
    Ok((db, row))
}

/// The table of `table.column` or `table.index`: the last part is the item.
fn owner_of(name: &sql::catalog::ObjectName) -> sql::catalog::ObjectName {
    sql::catalog::ObjectName {
        server: None,
        database: name.server.clone(),
        schema: name.database.clone(),
        name: name.schema.clone().unwrap_or_default(),
    }
}

/// What a name is that sp_rename is told no kind of. An object is looked for first.
fn unsaid_kind(ddl: &mut Ddl<'_>, name: &sql::catalog::ObjectName) -> SqlResult<&'static str> {
    // Of three parts the first may be a schema.
    let known = name.database.as_deref().is_none_or(|database| ddl.catalog.database_named(database).is_some());
    if name.server.is_none() && known && ddl.find(&name.clone().into())?.is_some() {
        return Ok("object");
    }
    let table = owner_of(name);
    let known = table.database.as_deref().is_none_or(|database| ddl.catalog.database_named(database).is_some());
    if known
        && !table.name.is_empty()
        && let Some((db, row)) = ddl.find(&table.into())?
    {
        let columns = ddl.rows(&db, |rows| rows.find::<ColumnRow>(0, &[int(row.id), small(0)]))?;
        if columns.iter().any(|column| db.equal_names(&column.name, &name.name)) {
            return Ok("column");
        }
        let indexes = ddl.rows(&db, |rows| rows.find::<IndexRow>(0, &[int(row.id)]))?;
        if indexes.iter().any(|i| i.name.as_deref().is_some_and(|own| db.equal_names(own, &name.name))) {
            return Ok("index");
        }
    }
    let of_type = name.server.is_none() && name.database.is_none();
    Ok(if of_type && find_type(ddl, &name.clone().into())?.is_some() { "userdatatype" } else { "object" })
}

/// 15335
fn taken(new: &str, kind: &str) -> SqlError {
    sql_error!(15335, new, kind).at_line(738)
}

/// An index or statistics of a table, and the constraint that the index is.
fn rename_index(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    table: &ObjectRow,
    (kind, old): (&str, &str),
    new: &str,
) -> SqlResult<()> {
    let named = |row: &IndexRow, name: &str| row.name.as_deref().is_some_and(|own| db.equal_names(own, name));
    let indexes = ddl.rows(db, |rows| rows.find::<IndexRow>(0, &[int(table.id)]))?;
    let index = indexes.iter().find(|row| named(row, old)).ok_or_else(|| no_such(kind, 450))?;
    if indexes.iter().any(|other| other.indid != index.indid && named(other, new)) {
        return Err(taken(new, kind));
    }
    if index.constraint_id != 0 {
        let other = ddl.rows(db, |rows| load::object_row_named(rows, table.nsid, new))?;
        if other.is_some_and(|other| other.id != index.constraint_id) {
            return Err(taken(new, kind));
        }
    }
    ddl.rows(db, |rows| {
        rows.update::<IndexRow>(0, &[int(table.id), int(index.indid)], |row| row.name = Some(new.to_string()))?;
        rows.update::<ObjectRow>(0, &[int(index.constraint_id)], |row| row.name = new.to_string())
    })?;
    ddl.changed(db.id, table.id);
    if view_index::is_view(table) {
        view_index::changed(ddl, db, table.id)?;
    }
    Ok(())
}

/// `written`: as sp_rename was given it, with the kind.
fn rename_object(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    row: &ObjectRow,
    (written, kind): (&str, &str),
    new: &str,
) -> SqlResult<()> {
    ddl.lock(db, row.id)?;
    let other = ddl.rows(db, |rows| load::object_row_named(rows, row.nsid, new))?;
    if other.is_some_and(|other| other.id != row.id) {
        return Err(taken(new, kind));
    }
    if row.kind == Code::new("PK") || row.kind == Code::new("UQ") {
        let indexes = ddl.rows(db, |rows| rows.find::<IndexRow>(0, &[int(row.pid)]))?;
        let others = indexes.iter().filter(|index| index.constraint_id != row.id);
        if others.filter_map(|index| index.name.as_deref()).any(|name| db.equal_names(name, new)) {
            return Err(taken(new, kind));
        }
    }
    if new.starts_with('#') || row.name.starts_with('#') {
        return Err(sql_error!(15600, "sys.sp_rename"));
    }
    if schema_binding::user_of(ddl, db, row.id)?.is_some() {
        return Err(enforced(written).at_line(794));
    }
    ddl.rows(db, |rows| {
        rows.update::<ObjectRow>(0, &[int(row.id)], |row| {
            row.name = new.to_string();
            row.status &= !os_::SYSTEM_NAMED;
        })?;
        if row.kind == Code::new("PK") || row.kind == Code::new("UQ") {
            for index in rows.find::<IndexRow>(0, &[int(row.pid)])? {
                if index.constraint_id == row.id {
                    rows.update::<IndexRow>(0, &[int(row.pid), int(index.indid)], |index| {
                        index.name = Some(new.to_string())
                    })?;
                }
            }
        }
        Ok(())
    })?;
    ddl.touch(db, row.id)?;
    if row.pid != 0 {
        ddl.changed(db.id, row.pid);
    }
    if view_index::is_view(row) {
        view_index::changed(ddl, db, row.id)?;
    }
    Ok(())
}

/// 15336
fn enforced(name: &str) -> SqlError {
    sql_error!(15336, name)
}

/// Defaults, checks, computed columns and filters that name the column follow it.
/// `written`: as sp_rename was given it.
fn rename_column(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    row: &ObjectRow,
    (written, old): (&str, &str),
    new: &str,
    kind: &str,
) -> SqlResult<()> {
    if has(row.status, os_::VERSIONED) {
        // The columns of its history have the names of its own.
        let table = ddl.reload(db, row.id)?;
        if let Some(history) = temporal::history_of(ddl, db, &table)? {
            let plain = history.row.status & !os_::HISTORY;
            rename_column(ddl, db, &ObjectRow { status: plain, ..history.row }, (written, old), new, kind)?;
        }
    }
    if has(row.status, os_::HISTORY) {
        return Err(sql_error!(13759, row.name));
    }
    let columns = ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(row.id), small(0)]))?;
    let Some(column) = columns.iter().find(|c| db.equal_names(&c.name, old)) else {
        return Err(no_such(kind, 269));
    };
    if columns.iter().any(|c| db.equal_names(&c.name, new) && c.colid != column.colid) {
        return Err(taken(new, kind));
    }
    let (from, to) = (text::bracket(&column.name), text::bracket(new));
    let colid = column.colid;
    if !schema_binding::users_of_column(ddl, db, row.id, colid)?.is_empty() {
        return Err(enforced(written).at_line(774));
    }
    if row.kind == Code::new("V") {
        // Its text stays as it is written.
        ddl.rows(db, |rows| {
            rows.update::<ColumnRow>(0, &[int(row.id), small(0)], |column| {
                if column.colid == colid {
                    column.name = new.to_string();
                }
            })
        })?;
        return ddl.touch(db, row.id);
    }
    let children = ddl.rows(db, |rows| rows.find::<ObjectRow>(load::BY_PARENT, &[int(row.id)]))?;
    ddl.rows(db, |rows| {
        rows.update::<ColumnRow>(0, &[int(row.id), small(0)], |column| {
            if column.colid == colid {
                column.name = new.to_string();
            }
            let computed = column.status & cs::COMPUTED != 0;
            if let Some(text) = column.definition.0.as_mut().filter(|_| computed) {
                *text = text.replace(&from, &to);
            }
        })?;
        for child in children.iter().filter(|child| child.kind.as_str() == "C") {
            rows.update::<crate::catalog::base::TextRow>(0, &[int(child.id)], |row| {
                if let Some(text) = &mut row.value.0 {
                    *text = text.replace(&from, &to);
                }
            })?;
        }
        rows.update::<IndexRow>(0, &[int(row.id)], |index| {
            if let Some(text) = &mut index.filter.0 {
                *text = text.replace(&from, &to);
            }
        })
    })?;
    ddl.touch(db, row.id)
}
