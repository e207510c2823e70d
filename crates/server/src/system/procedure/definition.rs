//! Procedures that change definitions: sp_rename, extended properties, sp_recompile and the refreshing ones.

use exec::session::{Session as State, stopped};
use exec::sink::{Environment, Sink};
use sql::catalog::ObjectName;
use storage::Isolation;
use types::{Datum, SqlError, SqlResult, SqlType, TypeKind, sql_error, variant};

use super::parameters::Parameters;
use crate::audit::actions;
use crate::catalog::base::{
    ClassRow, ColumnRow, IndexRow, ObjectRow, OwnerRow, PropertyRow, TypeRow, class, object_status, schema,
};
use crate::catalog::error::storage_error;
use crate::catalog::load::{self, int, name as name_datum, small};
use crate::catalog::row::Variant;
use crate::catalog::{Database, xml_collection};
use crate::definition::bound::{self, Bound};
use crate::definition::event_call::Level;
use crate::definition::site::is_module;
use crate::definition::{Ddl, HostSite, attach, event, event_call, object};
use crate::session::audit::Occurrence;
use crate::session::host::SessionHost;

/// Runs `work` in the session's transaction or one of its own; what it did is undone if it fails.
pub fn define<T>(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    work: impl FnOnce(&mut Ddl<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    if state.transaction.doomed {
        return Err(sql_error!(3930));
    }
    let own = state.transaction.current.is_none();
    if own {
        let mut transaction = host.server.catalog.storage.begin(Isolation::ReadCommitted);
        transaction.set_session(state.spid);
        transaction.set_lock_timeout_ms(i64::from(state.options.lock_timeout_ms));
        state.transaction.current = Some(Box::new(transaction));
    }
    let savepoint = state.transaction.current.as_deref_mut().map(storage::Transaction::savepoint);
    let generation = state.transaction.descriptor;
    let result = {
        let mut site = HostSite { host, state, sink, values: &[] };
        work(&mut Ddl::new(&mut site, ""))
    };
    if own {
        let Some(transaction) = state.transaction.current.take() else {
            // A query that it asked has ended it, as a deadlock does.
            host.catalog_session.transaction_ended(&host.server.catalog, false);
            return result;
        };
        let mut published = false;
        let publish = || {
            published = true;
            host.catalog_session.transaction_ended(&host.server.catalog, true);
        };
        let ended = match result.is_ok() {
            true => transaction.commit_then(storage::Durability::Full, publish),
            false => transaction.rollback(),
        };
        if !published {
            host.catalog_session.transaction_ended(&host.server.catalog, false);
        }
        ended.map_err(storage_error)?;
    } else if let (Err(_), Some(savepoint), Some(transaction)) = (&result, savepoint, &mut state.transaction.current)
        // A trigger may have put another in its place.
        && state.transaction.descriptor == generation
    {
        transaction.rollback_to(savepoint).map_err(storage_error)?;
        host.catalog_session.rolled_back_to_savepoint(&host.server.catalog, transaction);
    }
    result
}

/// The triggers of what a procedure has done.
pub fn fire(ddl: &mut Ddl<'_>, watch: Option<event::Watch>) -> SqlResult<()> {
    let Some(watch) = watch else { return Ok(()) };
    let text = ddl.site.running_text();
    watch.fire_procedure(ddl, &text)
}

/// sp_detach_db. 15247: who runs it is no owner of the database.
pub fn detach(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    given: &Parameters<'_>,
) -> SqlResult<i32> {
    let name = given.text(0).ok_or_else(|| sql_error!(15010, ""))?;
    for flag in [1, 2].into_iter().filter_map(|at| given.text(at)) {
        if !flag.eq_ignore_ascii_case("true") && !flag.eq_ignore_ascii_case("false") {
            return Err(sql_error!(15021, "skipchecks"));
        }
    }
    let group = actions::DATABASE_CHANGE;
    host.audit(&Occurrence { object: &name, ..Occurrence::new(group, actions::ALTER, "DB") })?;
    define(host, state, sink, |ddl| {
        if let Some(db) = ddl.catalog.database_named(&name)
            && !ddl.is_sysadmin()?
            && (db.is_restoring() || !ddl.database_permission(&db, "CONTROL")?)
        {
            return Err(sql_error!(15247));
        }
        attach::detach(ddl, &name)
    })?;
    Ok(0)
}

/// sp_rename @objname, @newname, @objtype. As in SQL Server, a transaction that is its own is told of, whatever comes of it.
pub fn rename(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    given: &Parameters<'_>,
) -> SqlResult<i32> {
    let written = given.text(2).map(|kind| kind.trim().to_string());
    let kind = written.as_ref().map(|kind| kind.to_ascii_uppercase());
    if let (Some(written), Some(kind)) = (&written, &kind)
        && !matches!(kind.as_str(), "COLUMN" | "DATABASE" | "INDEX" | "OBJECT" | "STATISTICS" | "USERDATATYPE")
    {
        return Err(sql_error!(15249, written).at_line(90));
    }
    let new = given.text(1).ok_or_else(|| sql_error!(15223, state 11, "NewName").at_line(96))?;
    let old = given.text(0).ok_or_else(|| sql_error!(15223, "OldName").at_line(101))?;
    if new.is_empty() {
        let both = vec![sql_error!(15004).at_line(17), sql_error!(15224, state 15, new).at_line(109)];
        return Err(SqlError::together(both));
    }
    let is_database = kind.as_deref() == Some("DATABASE");
    let group = if is_database { actions::DATABASE_CHANGE } else { actions::SCHEMA_OBJECT_CHANGE };
    let renamed = Occurrence::new(group, actions::ALTER, "OB");
    host.audit(&Occurrence { object: &old, information: &new, ..renamed })?;
    let tells = !is_database && tell_begin(state, sink)?;
    let parameters = given.all_shown();
    let result = define(host, state, sink, |ddl| {
        let note = |ddl: &mut Ddl<'_>| event_call::renamed(ddl, (&old, &new), kind.as_deref(), &parameters);
        let watch = event::begin_procedure(ddl, note)?;
        object::rename(ddl, &old, &new, written.as_deref())?;
        fire(ddl, watch)
    });
    if result.is_ok() && !is_database {
        sink.message(&sql_error!(15477).at_line(801).in_procedure("sp_rename")).map_err(stopped)?;
    }
    if tells {
        tell_commit(state, sink)?;
    }
    result.map(|()| 0)
}

/// SQL Server has these procedures in T-SQL, with a BEGIN and a COMMIT TRANSACTION of which clients hear where the session has none open.
fn tell_begin(state: &mut State, sink: &mut dyn Sink) -> SqlResult<bool> {
    if state.transaction.level > 0 || state.options.implicit_transactions {
        return Ok(false);
    }
    state.transaction.descriptor += 1;
    sink.environment(&Environment::BeginTransaction(state.transaction.descriptor)).map_err(stopped)?;
    Ok(true)
}

fn tell_commit(state: &State, sink: &mut dyn Sink) -> SqlResult<()> {
    sink.environment(&Environment::CommitTransaction(state.transaction.descriptor)).map_err(stopped)
}

/// 15165
fn no_such_object(name: &str) -> SqlError {
    sql_error!(15165, name)
}

pub fn find(ddl: &mut Ddl<'_>, name: &str) -> SqlResult<Option<(std::sync::Arc<Database>, ObjectRow)>> {
    match ObjectName::from_text(name) {
        Some(name) => ddl.find(&name.into()),
        None => Ok(None),
    }
}

/// sp_recompile @objname: plans that use the object are made again at their next run.
pub fn recompile(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    given: &Parameters<'_>,
) -> SqlResult<i32> {
    let name = given.text(0).unwrap_or_default();
    let found = define(host, state, sink, |ddl| match find(ddl, &name)? {
        Some((db, row)) if ddl.object_permission(&db, &row, "ALTER")? => {
            ddl.changed(db.id, row.id);
            Ok(true)
        }
        _ => Ok(false),
    })?;
    if !found {
        return Err(no_such_object(&name));
    }
    sink.message(&sql_error!(15070, name)).map_err(stopped)?;
    Ok(0)
}

/// sp_MS_marksystemobject, which is not documented: scripts that install a procedure in master end with it.
pub fn mark_shipped(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    given: &Parameters<'_>,
) -> SqlResult<i32> {
    let name = given.text(0).unwrap_or_default();
    let found = define(host, state, sink, |ddl| match find(ddl, &name)? {
        Some((db, row)) if is_module(&row) && ddl.object_permission(&db, &row, "ALTER")? => {
            ddl.rows(&db, |rows| {
                rows.update::<ObjectRow>(0, &[int(row.id)], |row| row.status |= object_status::SHIPPED)
            })?;
            ddl.changed(db.id, row.id);
            Ok(true)
        }
        _ => Ok(false),
    })?;
    if found { Ok(0) } else { Err(no_such_object(&name)) }
}

/// sp_refreshview and sp_refreshsqlmodule: the columns of a view as its text gives them now.
pub fn refresh(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    given: &Parameters<'_>,
) -> SqlResult<i32> {
    let name = given.text(0).unwrap_or_else(|| "(null)".to_string());
    let found = define(host, state, sink, |ddl| {
        let Some((db, row)) = find(ddl, &name)? else { return Ok(None) };
        if !is_module(&row) || !ddl.object_permission(&db, &row, "ALTER")? {
            return Ok(None);
        }
        if row.kind.as_str() == "V" {
            let schema = ddl.rows(&db, |rows| load::schema_name(rows, row.nsid))?;
            let quoted = format!(
                "[{}].[{}].[{}]",
                db.name().replace(']', "]]"),
                schema.replace(']', "]]"),
                row.name.replace(']', "]]")
            );
            // Columns and names are those of its text again.
            let named: Vec<ColumnRow> = ddl.rows(&db, |rows| rows.find(0, &[int(row.id)]))?;
            ddl.rows(&db, |rows| rows.delete::<ColumnRow>(0, &[int(row.id)]))?;
            ddl.changed(db.id, row.id);
            let columns = ddl.site.describe(&format!("SELECT * FROM {quoted}"))?;
            ddl.rows(&db, |rows| {
                for (at, column) in columns.iter().enumerate() {
                    let mut fresh =
                        crate::catalog::boot::column_row(row.id, at as i32 + 1, &column.name, &column.ty, db.collation);
                    fresh.status = i32::from(column.nullable);
                    if let Some(old) = named.get(at).filter(|old| old.xtype == fresh.xtype && old.name == fresh.name) {
                        fresh.utype = old.utype;
                    }
                    rows.insert(&fresh)?;
                }
                Ok(())
            })?;
        }
        ddl.touch(&db, row.id)?;
        Ok(Some(()))
    })?;
    found.ok_or_else(|| no_such_object(&name))?;
    if tell_begin(state, sink)? {
        tell_commit(state, sink)?;
    }
    Ok(0)
}

/// What an extended property hangs on.
struct Target {
    class: u8,
    id: i32,
    subid: i32,
    shown: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Add,
    Update,
    Drop,
}

/// sp_addextendedproperty, sp_updateextendedproperty (@name, @value, three levels of type and name) and sp_dropextendedproperty
/// (without @value).
pub fn property(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    change: Change,
    given: &Parameters<'_>,
) -> SqlResult<i32> {
    let procedure = given.procedure().trim_start_matches("sys.");
    let changed = change_property(host, state, sink, change, given, procedure);
    changed.map_err(|error| match error.number {
        15135 | 15217 | 15233 | 15600 if error.line == 0 => {
            // Where SQL Server's own texts call what changes it.
            let line = match change {
                Change::Add => 37,
                Change::Update => 36,
                Change::Drop => 28,
            };
            error.at_line(line).in_procedure(procedure)
        }
        _ => error,
    })
}

fn change_property(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    change: Change,
    given: &Parameters<'_>,
    procedure: &str,
) -> SqlResult<i32> {
    let invalid = || sql_error!(15600, procedure).at_line(22).in_procedure(procedure);
    let name = given.text(0).filter(|name| !name.is_empty()).ok_or_else(invalid)?;
    let levels_at = if change == Change::Drop { 1 } else { 2 };
    let value = match change {
        Change::Drop => Variant(None),
        _ => {
            let value = given.value(1);
            if let Some((_, Datum::Bytes(bytes))) = &value
                && bytes.len() > PROPERTY_BYTES_MAX
            {
                return Err(sql_error!(15097));
            }
            variant_of(value).ok_or_else(invalid)?
        }
    };
    // Blanks behind a name do not count, as in any comparison.
    let named = |at: usize| given.text(at).map(|text| text.trim_end_matches(' ').to_string());
    let level =
        |at: usize| (named(levels_at + 2 * at).map(|kind| kind.to_ascii_uppercase()), named(levels_at + 2 * at + 1));
    let levels = [level(0), level(1), level(2)];
    let parameters = given.all_shown();
    define(host, state, sink, |ddl| {
        let (event, shown) = match change {
            Change::Add => ("CREATE_EXTENDED_PROPERTY", Some(&*parameters[1])),
            Change::Update => ("ALTER_EXTENDED_PROPERTY", Some(&*parameters[1])),
            Change::Drop => ("DROP_EXTENDED_PROPERTY", None),
        };
        let note = |ddl: &mut Ddl<'_>| event_call::property(ddl, event, &levels, (&name, shown), &parameters);
        let watch = event::begin_procedure(ddl, note)?;
        let db = ddl.current()?;
        let target = target(ddl, &db, &levels, &|state| sql_error!(15600, severity 16, state state, procedure))?;
        let object = match target.class {
            class::OBJECT => ddl.rows(&db, |rows| load::object_row(rows, target.id))?,
            _ => None,
        };
        let held = match object {
            Some(row) => ddl.object_permission(&db, &row, "ALTER")?,
            None => ddl.database_permission(&db, "ALTER")?,
        };
        if !held {
            return Err(sql_error!(15135, state 8, target.shown));
        }
        let row = PropertyRow {
            class: target.class,
            id: target.id,
            subid: target.subid,
            name: name.clone(),
            value: value.clone(),
        };
        let key = [small(target.class), int(target.id), int(target.subid), name_datum(&name)];
        let missing = || sql_error!(15217, state if change == Change::Update { 2 } else { 1 }, name, target.shown);
        let done = ddl.rows(&db, |rows| match change {
            Change::Add => Ok(usize::from(rows.try_insert(&row)?.is_ok())),
            Change::Update => rows.update::<PropertyRow>(0, &key, |old| old.value = row.value.clone()),
            Change::Drop => rows.delete::<PropertyRow>(0, &key),
        })?;
        match (done, change) {
            (0, Change::Add) => Err(sql_error!(15233, name, target.shown)),
            (0, _) => Err(missing()),
            _ => fire(ddl, watch),
        }
    })?;
    Ok(0)
}

/// Bytes of an extended property's value.
const PROPERTY_BYTES_MAX: usize = 7500;

/// None: a value no sql_variant holds.
fn variant_of(value: Option<(SqlType, Datum)>) -> Option<Variant> {
    Some(match value {
        None | Some((_, Datum::Null)) => Variant(None),
        Some((ty, Datum::Bytes(bytes))) if ty.kind == TypeKind::SqlVariant => Variant(Some(bytes)),
        Some((ty, _)) if ty.is_max() => return None,
        Some((ty, value)) => match variant::encode(&ty, &value) {
            Datum::Bytes(bytes) => Variant(Some(bytes)),
            _ => Variant(None),
        },
    })
}

/// What the states of 15600 say of the levels.
const NO_FIRST_LEVEL: u8 = 1;
const NO_NAME: u8 = 2;
const UNKNOWN_FIRST_LEVEL: u8 = 3;
const UNKNOWN_LEVEL: u8 = 11;

fn target(
    ddl: &mut Ddl<'_>,
    db: &Database,
    levels: &[Level; 3],
    invalid: &dyn Fn(u8) -> SqlError,
) -> SqlResult<Target> {
    let shown = levels.iter().filter_map(|(_, name)| name.clone()).collect::<Vec<_>>().join(".");
    let absent_as = |state: u8| sql_error!(15135, state state, shown);
    let absent = || absent_as(8);
    let [(kind0, name0), (kind1, name1), (kind2, name2)] = levels;
    let Some(kind0) = kind0 else {
        if kind1.is_some() || kind2.is_some() {
            return Err(invalid(NO_FIRST_LEVEL));
        }
        return Ok(Target { class: 0, id: 0, subid: 0, shown: "object specified".to_string() });
    };
    let name0 = name0.as_deref().ok_or_else(|| invalid(NO_NAME))?;
    if kind1.is_none() {
        let id = match kind0.as_str() {
            "SCHEMA" => {
                let schema = ddl.rows(db, |rows| load::schema_named(rows, name0))?.ok_or_else(|| absent_as(4))?;
                Some((3, schema.id))
            }
            "USER" => ddl.rows(db, |rows| rows.first::<OwnerRow>(1, &[name_datum(name0)]))?.map(|row| (4, row.id)),
            "TYPE" => ddl
                .rows(db, |rows| rows.all::<TypeRow>())?
                .into_iter()
                .find(|row| db.equal_names(&row.name, name0))
                .map(|row| (6, row.id)),
            "FILEGROUP" => ddl
                .rows(db, |rows| rows.first::<ClassRow>(1, &[small(class::FILEGROUP), name_datum(name0)]))?
                .map(|row| (20, row.id)),
            "PARTITION FUNCTION" => ddl
                .rows(db, |rows| rows.first::<ClassRow>(1, &[small(class::PARTITION_FUNCTION), name_datum(name0)]))?
                .map(|row| (21, row.id)),
            "PARTITION SCHEME" => ddl
                .rows(db, |rows| rows.first::<ClassRow>(1, &[small(class::PARTITION_SCHEME), name_datum(name0)]))?
                .map(|row| (20, row.id)),
            // One of the database: those of tables stand below their table.
            "TRIGGER" => ddl
                .rows(db, |rows| load::object_row_named(rows, schema::OF_DATABASE, name0))?
                .filter(|row| row.kind.as_str() == "TR")
                .map(|row| (class::OBJECT, row.id)),
            _ => return Err(invalid(UNKNOWN_FIRST_LEVEL)),
        };
        let (class, id) = id.ok_or_else(absent)?;
        return Ok(Target { class, id, subid: 0, shown });
    }
    // USER names a schema where SQL Server 2000's scripts say so.
    if !matches!(kind0.as_str(), "SCHEMA" | "USER") {
        return Err(invalid(UNKNOWN_FIRST_LEVEL));
    }
    let schema = ddl.rows(db, |rows| load::schema_named(rows, name0))?.ok_or_else(|| absent_as(4))?;
    let (kind1, name1) = (kind1.as_deref().unwrap_or_default(), name1.as_deref().ok_or_else(|| invalid(NO_NAME))?);
    if kind1 == "TYPE" {
        let row =
            ddl.rows(db, |rows| rows.first::<TypeRow>(1, &[int(schema.id), name_datum(name1)]))?.ok_or_else(absent)?;
        return Ok(Target { class: 6, id: row.id, subid: 0, shown });
    }
    if kind1 == "XML SCHEMA COLLECTION" {
        let row = ddl.rows(db, |rows| xml_collection::named(rows, &schema.name, name1))?.ok_or_else(absent)?;
        return Ok(Target { class: class::XML_COLLECTION, id: row.id, subid: 0, shown });
    }
    let kinds: &[&str] = match kind1 {
        "TABLE" => &["U"],
        "VIEW" => &["V"],
        "PROCEDURE" => &["P", "X"],
        "FUNCTION" => &["FN", "IF", "TF"],
        "SYNONYM" => &["SN"],
        "SEQUENCE" => &["SO"],
        "DEFAULT" => &["D"],
        "RULE" => &["R"],
        "QUEUE" => &["SQ"],
        _ => return Err(invalid(UNKNOWN_LEVEL)),
    };
    let row = ddl.rows(db, |rows| load::object_row_named(rows, schema.id, name1))?.ok_or_else(absent)?;
    if !kinds.contains(&row.kind.as_str()) {
        return Err(absent_as(9));
    }
    let Some(kind2) = kind2.as_deref() else { return Ok(Target { class: 1, id: row.id, subid: 0, shown }) };
    let name2 = name2.as_deref().ok_or_else(|| invalid(NO_NAME))?;
    let within = part(ddl, db, &row, (kind2, name2))?;
    let (class, id, subid) = within.ok_or_else(|| match kind2 {
        "COLUMN" | "PARAMETER" => absent_as(15),
        "INDEX" | "CONSTRAINT" | "TRIGGER" => absent(),
        _ => invalid(UNKNOWN_LEVEL),
    })?;
    Ok(Target { class, id, subid, shown })
}

/// Class, id and number of what is in an object. None: there is none, or nothing of that kind.
fn part(
    ddl: &mut Ddl<'_>,
    db: &Database,
    object: &ObjectRow,
    (kind, name): (&str, &str),
) -> SqlResult<Option<(u8, i32, i32)>> {
    let same = |own: &str| db.equal_names(own, name);
    Ok(match kind {
        "COLUMN" | "PARAMETER" => {
            let number = i16::from(kind == "PARAMETER");
            let columns: Vec<ColumnRow> = ddl.rows(db, |rows| rows.find(0, &[int(object.id)]))?;
            let column = columns.into_iter().find(|column| column.number == number && same(&column.name));
            column.map(|column| (if number == 0 { 1 } else { 2 }, object.id, column.colid))
        }
        "INDEX" => {
            let indexes: Vec<IndexRow> = ddl.rows(db, |rows| rows.find(0, &[int(object.id)]))?;
            let index = indexes.into_iter().find(|index| index.name.as_deref().is_some_and(same));
            index.map(|index| (7, object.id, index.indid))
        }
        "CONSTRAINT" | "TRIGGER" => {
            let children: Vec<ObjectRow> = ddl.rows(db, |rows| rows.find(load::BY_PARENT, &[int(object.id)]))?;
            let child = children
                .into_iter()
                .find(|child| (child.kind.as_str() == "TR") == (kind == "TRIGGER") && same(&child.name));
            child.map(|child| (1, child.id, 0))
        }
        _ => None,
    })
}

/// sp_bindefault, sp_bindrule, sp_unbindefault, sp_unbindrule: the last parameter may be 'futureonly'.
pub fn bind(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    given: &Parameters<'_>,
    kind: Bound,
    binds: bool,
) -> SqlResult<i32> {
    let first = given.text(0).unwrap_or_default();
    let second = given.text(1);
    let option = if binds { given.text(2) } else { second.clone() };
    let future_only = match &option {
        None => false,
        Some(word) if word.trim().eq_ignore_ascii_case("futureonly") => true,
        Some(_) if binds && kind == Bound::Default => return Err(sql_error!(15100)),
        Some(_) if binds => return Err(sql_error!(15106)),
        Some(_) => return Err(sql_error!(15021, "@futureonly")),
    };
    let parameters = given.all_shown();
    let said = define(host, state, sink, |ddl| {
        let note = |ddl: &mut Ddl<'_>| event_call::bound(ddl, kind, binds, &first, &parameters);
        let watch = event::begin_procedure(ddl, note)?;
        let said = match binds {
            true => bound::bind(ddl, kind, &first, &second.clone().unwrap_or_default(), future_only),
            false => bound::unbind(ddl, kind, &first, future_only),
        }?;
        fire(ddl, watch)?;
        Ok(said)
    })?;
    for message in said {
        sink.message(&message).map_err(stopped)?;
    }
    Ok(0)
}
