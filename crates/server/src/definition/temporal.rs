//! System-versioned tables: the period of CREATE and ALTER TABLE, SYSTEM_VERSIONING, and the history table that it makes or takes.
//!
//! https://learn.microsoft.com/sql/relational-databases/tables/temporal/creating-a-system-versioned-temporal-table
//! https://learn.microsoft.com/sql/relational-databases/tables/temporal/system-consistency-checks
//! https://learn.microsoft.com/sql/relational-databases/tables/temporal/considerations-limitations

use std::sync::Arc;

use sql::ast::{
    AlterTableAction, ConstraintKind, GeneratedAlways, Ident, ObjectName, Setting, SettingValue, TableDefinition,
};
use sql::catalog::{IndexKind, ObjectId, Retention, RetentionUnit, TableDef, Versioning};
use types::{SqlError, SqlResult, TypeKind, sql_error};

use super::constraint;
use super::index::{self, IndexSpec};
use super::layout::create_storage;
use super::number::whole_number;
use super::partition::Placement;
use super::rebuild::store_computed;
use super::rights::new_object;
use super::site::{Ddl, Place, has, place_of, source, written};
use super::text::bracket;
use super::versioned::full_name;
use crate::catalog::base::{ColumnRow, ObjectRow, ReferenceRow, class, column_status as cs, object_status as os_};
use crate::catalog::load::{self, int, small};
use crate::catalog::row::{Text, Whole};
use crate::catalog::{Database, TEMPDB, scalar_type};

/// What is that old is before the first date there is, as years go by.
const RETENTION_YEARS_MAX: i32 = 1_000;

/// SYSTEM_VERSIONING as a statement asks for it.
pub enum Asked {
    Off,
    On {
        history: Option<ObjectName>,
        /// DATA_CONSISTENCY_CHECK
        check: bool,
        /// The outer None: nothing was said of it; the inner: INFINITE.
        retention: Option<Option<Retention>>,
    },
}

/// None: the options say nothing of it.
pub fn asked(options: &[Setting]) -> SqlResult<Option<Asked>> {
    let mut found = options.iter().filter(|option| &*option.name == "SYSTEM_VERSIONING");
    let Some(option) = found.next() else { return Ok(None) };
    if found.next().is_some() {
        return Err(sql_error!(13512));
    }
    let (mut history, mut check, mut retention) = (None, true, None);
    match &option.value {
        SettingValue::On => {}
        SettingValue::Off => return Ok(Some(Asked::Off)),
        SettingValue::List(Some(on), settings) if on.is("ON") => {
            for setting in settings {
                match (&*setting.name, &setting.value) {
                    ("HISTORY_TABLE", SettingValue::Name(name)) if name.database.is_none() && name.schema.is_some() => {
                        history = Some(name.clone());
                    }
                    ("HISTORY_TABLE", SettingValue::Name(name)) => return Err(sql_error!(13539, written(name))),
                    ("HISTORY_TABLE", SettingValue::Word(name)) => return Err(sql_error!(13539, &**name)),
                    ("DATA_CONSISTENCY_CHECK", SettingValue::On) => check = true,
                    ("DATA_CONSISTENCY_CHECK", SettingValue::Off) => check = false,
                    ("HISTORY_RETENTION_PERIOD", value) => retention = Some(asked_retention(value)?),
                    (name, _) => return Err(sql_error!(102, name).at_line(setting.line)),
                }
            }
        }
        _ => return Err(sql_error!(102, "SYSTEM_VERSIONING").at_line(option.line)),
    }
    Ok(Some(Asked::On { history, check, retention }))
}

fn asked_retention(value: &SettingValue) -> SqlResult<Option<Retention>> {
    let (value, unit) = match value {
        SettingValue::Word(word) if word.is("INFINITE") => return Ok(None),
        SettingValue::Quantity(value, unit) => (value, &**unit),
        _ => return Err(sql_error!(102, "HISTORY_RETENTION_PERIOD")),
    };
    let named = |known: &&RetentionUnit| unit.strip_suffix('S').unwrap_or(unit) == known.name();
    let Some(unit) = RetentionUnit::ALL.iter().find(named) else { return Err(sql_error!(13744, unit)) };
    let count = whole_number(value).unwrap_or(0);
    match i32::try_from(count) {
        Ok(count) if count > 0 && count / unit.a_year() >= RETENTION_YEARS_MAX => {
            Err(sql_error!(13749, count, unit.name()))
        }
        Ok(count) if count > 0 => Ok(Some(Retention { count, unit: *unit })),
        _ => Err(sql_error!(13743, count)),
    }
}

/// The period of a definition, by its own text. `added_to`: whether the table that the columns are added to has one; None: a new table.
pub fn check_definition(definition: &TableDefinition, added_to: Option<bool>) -> SqlResult<()> {
    let (mut start, mut end) = (None, None);
    for column in &definition.columns {
        match column.generated {
            None if column.hidden => return Err(sql_error!(102, "HIDDEN").at_line(column.line)),
            None => {}
            Some(GeneratedAlways::RowStart) if start.is_some() => return Err(sql_error!(13502)),
            Some(GeneratedAlways::RowEnd) if end.is_some() => return Err(sql_error!(13503)),
            Some(GeneratedAlways::RowStart) => start = Some(&column.name),
            Some(GeneratedAlways::RowEnd) => end = Some(&column.name),
            Some(_) => return Err(super::unsupported("GENERATED ALWAYS AS TRANSACTION_ID or SEQUENCE_NUMBER")),
        }
    }
    let generates = start.is_some() || end.is_some();
    match &definition.period {
        None if generates && added_to != Some(true) => Err(sql_error!(13509)),
        None if generates => Err(if start.is_some() { sql_error!(13502) } else { sql_error!(13503) }),
        None => Ok(()),
        Some((from, to)) if generates || added_to.is_none() => {
            let (Some(start), Some(end)) = (start, end) else {
                return Err(if start.is_none() { sql_error!(13504) } else { sql_error!(13505) });
            };
            match (from.is(start), to.is(end)) {
                (false, _) => Err(sql_error!(13506)),
                (_, false) => Err(sql_error!(13507)),
                _ => Ok(()),
            }
        }
        Some((from, to)) if from.is(to) => Err(sql_error!(13755, "SYSTEM_TIME")),
        Some(_) => Ok(()),
    }
}

/// 13513: of the columns of a table's period.
pub fn check_precision(columns: &[ColumnRow]) -> SqlResult<()> {
    let scale = |bit: i32| columns.iter().find(|column| has(column.status, bit)).map(|column| column.scale);
    match (scale(cs::ROW_START), scale(cs::ROW_END)) {
        (Some(start), Some(end)) if start != end => Err(sql_error!(13513)),
        _ => Ok(()),
    }
}

/// The other table of a system-versioned pair, locked for change.
pub struct History {
    pub row: ObjectRow,
    pub table: TableDef,
    pub place: Place,
}

/// None: the table is not system-versioned.
pub fn history_of(ddl: &mut Ddl<'_>, db: &Arc<Database>, table: &TableDef) -> SqlResult<Option<History>> {
    let Some(Versioning::Current { history, .. }) = table.versioning else { return Ok(None) };
    ddl.lock(db, history.0)?;
    let row = ddl.rows(db, |rows| load::object_row(rows, history.0))?.expect("a current table has its history");
    let table = ddl.reload(db, history.0)?;
    let place = place_of(ddl, db, &row)?;
    Ok(Some(History { row, table, place }))
}

/// The rows of a table whose history stays must stay, too.
fn without_rows() -> SqlError {
    super::unsupported("SYSTEM_VERSIONING of a memory-optimized table with DURABILITY = SCHEMA_ONLY")
}

/// What of a new table cannot be system-versioned: asked before it is made. `forgets`: a start finds it empty.
pub fn check_new(place: &Place, definition: &TableDefinition, forgets: bool, shown: &str) -> SqlResult<()> {
    if forgets {
        return Err(without_rows());
    }
    if place.db.id == TEMPDB {
        return Err(sql_error!(13568, format_args!("{}.{}.{shown}", place.db.name(), place.schema_name)));
    }
    if definition.period.is_none() {
        return Err(sql_error!(13510));
    }
    if !constraint::keys_of(definition).iter().any(|key| key.primary) {
        return Err(sql_error!(13553, format_args!("{}.{}.{shown}", place.db.name(), place.schema_name)));
    }
    Ok(())
}

/// ALTER TABLE SET (SYSTEM_VERSIONING = ...)
pub fn set(ddl: &mut Ddl<'_>, place: &Place, id: i32, asked: Asked) -> SqlResult<()> {
    let db = &place.db.clone();
    let table = ddl.reload(db, id)?;
    let name = full_name(db, &table);
    let (history, check, retention) = match asked {
        Asked::Off => return turn_off(ddl, db, &table),
        Asked::On { history, check, retention } => (history, check, retention),
    };
    let Some(Versioning::Current { history: own, .. }) = table.versioning else {
        return turn_on(ddl, place, id, history, check, retention.flatten());
    };
    if let Some(named) = &history {
        let named = ObjectName { database: Some(Ident { text: db.name().into(), quoted: true }), ..named.clone() };
        match ddl.find(&named)? {
            None => return Err(sql_error!(13757, name)),
            Some((_, row)) if row.id != own.0 => {
                let place = place_of(ddl, db, &row)?;
                let other = format!("{}.{}.{}", db.name(), place.schema_name, row.name);
                return Err(sql_error!(13595, other, name));
            }
            Some(_) => {}
        }
    } else if retention.is_none() {
        return Err(sql_error!(13596, name));
    }
    let Some(retention) = retention else { return Ok(()) };
    let history = history_of(ddl, db, &table)?.expect("it is system-versioned");
    check_retention(db, &table, &history.table, retention)?;
    let (count, unit) = retention_numbers(retention);
    ddl.rows(db, |rows| {
        rows.update::<ReferenceRow>(0, &[int(id), small(class::TEMPORAL_HISTORY)], |row| {
            row.indepsubid = count;
            row.status = unit;
        })
    })?;
    ddl.changed(db.id, id);
    Ok(())
}

fn turn_off(ddl: &mut Ddl<'_>, db: &Arc<Database>, table: &TableDef) -> SqlResult<()> {
    let Some(history) = history_of(ddl, db, table)? else {
        return Err(sql_error!(13591, full_name(db, table)));
    };
    let (id, history) = (table.object.0, history.row.id);
    ddl.rows(db, |rows| {
        rows.delete::<ReferenceRow>(0, &[int(id), small(class::TEMPORAL_HISTORY)])?;
        rows.update::<ObjectRow>(0, &[int(id)], |row| row.status &= !os_::VERSIONED)?;
        rows.update::<ObjectRow>(0, &[int(history)], |row| row.status &= !os_::HISTORY)
    })?;
    ddl.changed(db.id, id);
    ddl.changed(db.id, history);
    Ok(())
}

/// From now on the table's former rows go to a history table, a new one or one that is there.
pub fn turn_on(
    ddl: &mut Ddl<'_>,
    place: &Place,
    id: i32,
    named: Option<ObjectName>,
    check: bool,
    retention: Option<Retention>,
) -> SqlResult<()> {
    let db = &place.db.clone();
    let mut table = ddl.reload(db, id)?;
    let name = full_name(db, &table);
    if table.memory.is_some_and(|memory| !memory.durable) {
        return Err(without_rows());
    }
    if db.id == TEMPDB {
        return Err(sql_error!(13568, name));
    }
    let Some((start, end)) = table.period() else { return Err(sql_error!(13510)) };
    if !table.indexes.iter().any(|index| index.primary_key) {
        return Err(sql_error!(13553, name));
    }
    if table.triggers.iter().any(|trigger| trigger.instead_of) {
        return Err(sql_error!(13774, name));
    }
    // A row's former values are kept, not computed again.
    let computed: Vec<i32> = table
        .columns
        .iter()
        .zip(&table.stored)
        .filter(|(_, stored)| stored.is_none())
        .map(|(column, _)| column.column_id as i32)
        .collect();
    if !computed.is_empty() {
        store_computed(ddl, db, place, &place.name, id, &computed, cs::STORED)?;
        table = ddl.reload(db, id)?;
    }
    let found = match &named {
        None => None,
        Some(named) => {
            let named = ObjectName { database: Some(Ident { text: db.name().into(), quoted: true }), ..named.clone() };
            ddl.find(&named)?
        }
    };
    let history = match found {
        Some((_, row)) if row.kind.as_str() != "U" || row.id == id => {
            return Err(sql_error!(13511, row.name));
        }
        Some((_, row)) => {
            if !ddl.object_permission(db, &row, "CONTROL")? {
                return Err(sql_error!(13538));
            }
            ddl.lock(db, row.id)?;
            let history = ddl.reload(db, row.id)?;
            check_history(ddl, db, &table, &history)?;
            check_retention(db, &table, &history, retention)?;
            if check {
                let own = source(place, &place.name);
                let place = place_of(ddl, db, &row)?;
                check_rows(ddl, (&name, &own, &table), (&full_name(db, &history), &source(&place, &row.name)))?;
            }
            row.id
        }
        None => {
            let place = history_place(ddl, place, id, named)?;
            make_history(ddl, &place, &table, (start, end))?
        }
    };
    let (count, unit) = retention_numbers(retention);
    let row = ReferenceRow {
        class: class::TEMPORAL_HISTORY,
        depid: id,
        depsubid: 0,
        indepid: history,
        indepsubid: count,
        status: unit,
    };
    ddl.rows(db, |rows| {
        rows.insert(&row)?;
        rows.update::<ObjectRow>(0, &[int(id)], |row| row.status |= os_::VERSIONED)?;
        rows.update::<ObjectRow>(0, &[int(history)], |row| row.status |= os_::HISTORY)
    })?;
    ddl.changed(db.id, id);
    ddl.changed(db.id, history);
    Ok(())
}

/// As the catalog keeps it; -1: for ever.
fn retention_numbers(retention: Option<Retention>) -> (i32, i32) {
    retention.map_or((-1, -1), |retention| (retention.count, retention.unit as i32))
}

/// Where a new history table goes. Without a name: beside its table, with a number behind if that is taken.
fn history_place(ddl: &mut Ddl<'_>, current: &Place, id: i32, named: Option<ObjectName>) -> SqlResult<Place> {
    if let Some(named) = named {
        let database = Some(Ident { text: current.db.name().into(), quoted: true });
        let name = ObjectName { database, ..named };
        if !ddl.is_sysadmin()? {
            new_object(ddl, &name, "CREATE TABLE")?;
        }
        return ddl.place(&name);
    }
    let mut name = format!("MSSQL_TemporalHistoryFor_{id}");
    let is_taken = |ddl: &mut Ddl<'_>, name: &str| {
        ddl.rows(&current.db, |rows| load::object_row_named(rows, current.schema, name))
    };
    if is_taken(ddl, &name)?.is_some() {
        let number = ddl.new_id(&current.db)?;
        name = format!("{name}_{number:08X}");
    }
    Ok(Place { name, ..current.clone() })
}

/// A table with the columns of the current one, and a clustered index on the ends of the periods.
fn make_history(ddl: &mut Ddl<'_>, place: &Place, current: &TableDef, (start, end): (u16, u16)) -> SqlResult<i32> {
    const KEPT: i32 = cs::NULLABLE | cs::SPARSE | cs::SYSNAME | cs::MASKED;
    let db = &place.db;
    let columns = ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(current.object.0), small(0)]))?;
    let id = ddl.add_object(place, "U", 0, 0, columns.len() as i32)?;
    for (column, colid) in columns.iter().zip(1..) {
        let masked = has(column.status, cs::MASKED);
        let row = ColumnRow {
            id,
            colid,
            status: column.status & KEPT,
            dflt: 0,
            seed: Whole(0),
            increment: Whole(0),
            definition: if masked { column.definition.clone() } else { Text(None) },
            ..column.clone()
        };
        ddl.rows(db, |rows| rows.insert(&row))?;
    }
    ddl.changed(db.id, id);
    let name_of = |at: u16| (current.columns[usize::from(at)].name.to_string(), false);
    let spec = IndexSpec {
        name: format!("ix_{}", place.name),
        clustered: true,
        hash: false,
        status: 0,
        columns: vec![name_of(end), name_of(start)],
        included: Vec::new(),
        filter: None,
        options: &[],
        on: None,
        table: Placement::DEFAULT,
        constraint_id: 0,
        number: None,
    };
    index::add_rows(ddl, db, &place.name, id, &spec)?;
    let table = ddl.reload(db, id)?;
    create_storage(ddl, db, &table)?;
    ddl.changed(db.id, id);
    Ok(id)
}

/// Whether a table that is there can be the history of `current`: it has nothing that decides about rows, and the same columns.
fn check_history(ddl: &mut Ddl<'_>, db: &Database, current: &TableDef, history: &TableDef) -> SqlResult<()> {
    let (name, own) = (full_name(db, history), full_name(db, current));
    if history.period().is_some() {
        return Err(sql_error!(13574, name));
    }
    if history.versioning.is_some() {
        return Err(sql_error!(13514, name));
    }
    if history.memory.is_some() {
        return Err(super::unsupported("HISTORY_TABLE that is memory-optimized"));
    }
    let any = |test: &dyn Fn(&sql::catalog::ColumnDef) -> bool| history.columns.iter().any(test);
    let refused: [(bool, fn(&str) -> SqlError); 7] = [
        (history.indexes.iter().any(|index| index.unique), |name| sql_error!(13515, name)),
        (!history.foreign_keys.is_empty() || !history.referenced_by.is_empty(), |name| sql_error!(13516, name)),
        (!history.checks.is_empty(), |name| sql_error!(13517, name)),
        (any(&|column| column.identity.is_some()), |name| sql_error!(13518, name)),
        (any(&|column| column.computed.is_some()), |name| sql_error!(13519, name)),
        (!history.triggers.is_empty(), |name| sql_error!(13522, name)),
        (any(&|column| column.rowguid), |name| sql_error!(13580, name)),
    ];
    if let Some((_, error)) = refused.iter().find(|(found, _)| *found) {
        return Err(error(&name));
    }
    let (count, other) = (current.columns.len(), history.columns.len());
    if count != other {
        return Err(sql_error!(13523, own, count, name, other));
    }
    let rows = |ddl: &mut Ddl<'_>, id: ObjectId| ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(id.0), small(0)]));
    let sparse: Vec<bool> = rows(ddl, current.object)?
        .iter()
        .zip(&rows(ddl, history.object)?)
        .map(|(ours, theirs)| has(ours.status, cs::SPARSE) != has(theirs.status, cs::SPARSE))
        .collect();
    for (at, (ours, theirs)) in current.columns.iter().zip(&history.columns).enumerate() {
        if !db.equal_names(&ours.name, &theirs.name) {
            return Err(sql_error!(13524, theirs.name, at + 1, name, ours.name, own));
        }
        let plain = |ty: &types::SqlType| types::SqlType { collation: Default::default(), ..*ty };
        if plain(&ours.ty) != plain(&theirs.ty) {
            let (here, there) = (scalar_type::display(&ours.ty), scalar_type::display(&theirs.ty));
            return Err(sql_error!(13525, ours.name, there, name, here, own));
        }
        if ours.ty.is_string() && ours.ty.collation != theirs.ty.collation {
            return Err(sql_error!(13526, ours.name, own, name));
        }
        if ours.generated.is_some() && theirs.nullable {
            return Err(sql_error!(13530, theirs.name, name, own));
        }
        if ours.nullable != theirs.nullable {
            return Err(sql_error!(13531, ours.name, own, name));
        }
        if sparse[at] {
            return Err(sql_error!(13533, ours.name, own, name));
        }
    }
    Ok(())
}

/// 13765: whoever removes what has outlived its retention finds it by the end of its period.
fn check_retention(
    db: &Database,
    current: &TableDef,
    history: &TableDef,
    retention: Option<Retention>,
) -> SqlResult<()> {
    if retention.is_none() {
        return Ok(());
    }
    let end = current.period().map(|(_, end)| end);
    let clustered = history.indexes.iter().find(|index| index.kind == IndexKind::Clustered);
    let state = match clustered {
        Some(index) if index.key.first().map(|(column, _)| *column) == end => return Ok(()),
        Some(_) => 2,
        None => 1,
    };
    Err(sql_error!(13765, state state, full_name(db, current), full_name(db, history)))
}

/// DATA_CONSISTENCY_CHECK: periods of one key end before they begin nowhere, do not reach into the future, and do not overlap.
/// Tables as messages name them, and as a query does.
fn check_rows(
    ddl: &mut Ddl<'_>,
    (name, own, current): (&str, &str, &TableDef),
    (history_name, history): (&str, &str),
) -> SqlResult<()> {
    let (start, end) = current.period().expect("asked before");
    let column = |at: u16| bracket(&current.columns[usize::from(at)].name);
    let (start, end) = (column(start), column(end));
    let any = |ddl: &mut Ddl<'_>, from: &str, test: &str| {
        ddl.any_row(&format!("SELECT TOP 1 1 AS a FROM {from} WHERE {test}"))
    };
    if any(ddl, own, &format!("{end} < {start}"))? {
        return Err(sql_error!(13540, name));
    }
    if any(ddl, history, &format!("{end} < {start}"))? {
        return Err(sql_error!(13541, history_name));
    }
    if any(ddl, history, &format!("{end} > SYSUTCDATETIME()"))? {
        return Err(sql_error!(13543, history_name));
    }
    let key = current.indexes.iter().find(|index| index.primary_key).expect("asked before");
    let key: Vec<String> = key.key.iter().map(|(at, _)| column(*at)).collect();
    let key = key.join(", ");
    let of = |table: &str| format!("SELECT {key}, {start} AS [ ], {end} AS [  ] FROM {table} WHERE {start} < {end}");
    let all = format!("{} UNION ALL {}", of(history), of(own));
    let next = format!("LEAD([ ]) OVER (PARTITION BY {key} ORDER BY [ ], [  ])");
    let pairs = format!("(SELECT [  ] AS e, {next} AS n FROM ({all}) AS versions) AS pairs");
    if any(ddl, &pairs, "n < e")? {
        return Err(sql_error!(13573, history_name));
    }
    Ok(())
}

/// PERIOD FOR SYSTEM_TIME of ALTER TABLE ADD, once its columns are there.
pub fn add_period(ddl: &mut Ddl<'_>, place: &Place, shown: &str, id: i32, period: &(Ident, Ident)) -> SqlResult<()> {
    let db = &place.db;
    let mut columns = ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(id), small(0)]))?;
    for (name, bit) in [(&period.0, cs::ROW_START), (&period.1, cs::ROW_END)] {
        let Some(column) = columns.iter_mut().find(|column| db.equal_names(&column.name, name)) else {
            return Err(sql_error!(13750, &**name));
        };
        let ty = scalar_type::sql_type(column.xtype, column.utype, column.length, column.prec, column.scale, None);
        if ty.is_none_or(|ty| ty.kind != TypeKind::DateTime2) || has(column.status, cs::COMPUTED) {
            return Err(sql_error!(13501, column.name));
        }
        if has(column.status, cs::NULLABLE) {
            return Err(sql_error!(13587, column.name));
        }
        column.status |= bit;
    }
    check_precision(&columns)?;
    let (from, name) = (source(place, shown), format!("{}.{}.{shown}", db.name(), place.schema_name));
    let any = |ddl: &mut Ddl<'_>, test: &str| ddl.any_row(&format!("SELECT TOP 1 1 AS a FROM {from} WHERE {test}"));
    if any(ddl, &format!("{} > SYSUTCDATETIME()", bracket(&period.0)))? {
        return Err(sql_error!(13542, name));
    }
    let scale = columns.iter().find(|column| has(column.status, cs::ROW_END)).map_or(7, |column| column.scale);
    let digits = if scale == 0 { String::new() } else { format!(".{}", "9".repeat(usize::from(scale))) };
    let forever = format!("CONVERT(datetime2({scale}), '9999-12-31T23:59:59{digits}')");
    if any(ddl, &format!("{} <> {forever}", bracket(&period.1)))? {
        return Err(sql_error!(13575, name));
    }
    ddl.rows(db, |rows| {
        for column in columns.iter().filter(|column| column.status & (cs::ROW_START | cs::ROW_END) != 0) {
            let status = column.status;
            rows.update::<ColumnRow>(0, &[int(id), small(0), int(column.colid)], |row| row.status = status)?;
        }
        Ok(())
    })?;
    ddl.changed(db.id, id);
    Ok(())
}

/// ALTER TABLE DROP PERIOD FOR SYSTEM_TIME: its columns are columns like others.
pub fn drop_period(ddl: &mut Ddl<'_>, db: &Database, table: &TableDef) -> SqlResult<()> {
    if table.versioning.is_some() {
        return Err(sql_error!(13592, full_name(db, table)));
    }
    if table.period().is_none() {
        return Err(sql_error!(13593, full_name(db, table)));
    }
    ddl.rows(db, |rows| {
        rows.update::<ColumnRow>(0, &[int(table.object.0), small(0)], |row| {
            row.status &= !(cs::ROW_START | cs::ROW_END | cs::HIDDEN);
        })
    })?;
    ddl.changed(db.id, table.object.0);
    Ok(())
}

/// What ALTER TABLE may not do to one of a system-versioned pair, or to a period.
pub fn check_change(db: &Database, table: &TableDef, action: &AlterTableAction) -> SqlResult<()> {
    let AlterTableAction::Add { definition, .. } = action else { return Ok(()) };
    check_definition(definition, Some(table.period().is_some()))?;
    let name = || full_name(db, table);
    if definition.period.is_some() {
        if table.is_history() {
            return Err(sql_error!(13598, name()));
        }
        if table.period().is_some() {
            return Err(sql_error!(13597, name()));
        }
    }
    match table.versioning {
        None => Ok(()),
        Some(Versioning::Current { .. }) => definition.columns.iter().try_for_each(|column| {
            if column.identity.is_some() {
                return Err(sql_error!(13704, name()));
            }
            if column.rowguidcol {
                return Err(sql_error!(13723, name()));
            }
            match column.kind {
                sql::ast::ColumnKind::Computed { .. } => Err(sql_error!(13724)),
                _ => Ok(()),
            }
        }),
        Some(Versioning::History { .. }) => {
            if !definition.columns.is_empty() {
                return Err(sql_error!(13550, name()));
            }
            definition.constraints.iter().try_for_each(|constraint| match &constraint.kind {
                ConstraintKind::PrimaryKey(_) => Err(sql_error!(13558, name())),
                ConstraintKind::Unique(_) => Err(sql_error!(13583, name())),
                ConstraintKind::Check(_) => Err(sql_error!(13564, name())),
                ConstraintKind::ForeignKey(_) => {
                    Err(sql_error!(13565, constraint.name.as_ref().map_or("", |name| &*name.text)))
                }
                _ => Ok(()),
            })
        }
    }
}
