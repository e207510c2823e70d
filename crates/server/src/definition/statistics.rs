//! CREATE, UPDATE, DROP STATISTICS and DBCC SHOW_STATISTICS.
//!
//! What a sample of leaves can tell comes from `catalog::statistics`; all rows of a large table come sorted from a query, which spills and
//! can be stopped as any other.

use std::sync::Arc;

use sql::ast::{
    CreateIndex, CreateStatistics, Dbcc, Ident, ObjectName, Setting, SettingValue, UpdateStatistics, find_setting,
};
use sql::catalog::{ColumnDef, TableDef};
use sql::statistics::{HistogramBuilder, Statistics};
use types::convert::NO_STYLE;
use types::key::encode_datum;
use types::{ConvertContext, Datum, SqlResult, SqlType, sql_error};

use super::dbcc::{answer, find, no_such_object, text_argument};
use super::index::{self, IndexSpec, add_rows, filter_text, find_index, remove, set_status};
use super::number::whole_number;
use super::partition::Placement;
use super::site::{Ddl, cannot_drop, has, written};
use super::text::bracket;
use crate::catalog::base::{IndexRow, ObjectRow, index_status as ix};
use crate::catalog::database::Database;
use crate::catalog::error::storage_error;
use crate::catalog::load;
use crate::catalog::statistics::{
    Kept, LEAVES_ASKED, LEAVES_MAX, Spec, StatisticsId, automatic_name, automatic_spec, named_spec, sampled,
};

/// How many rows are looked at.
#[derive(Clone, Copy, PartialEq)]
enum Sample {
    Usual,
    All,
    Percent(f64),
    Rows(f64),
    /// As the last time.
    Again,
}

pub fn create(ddl: &mut Ddl<'_>, create: &CreateStatistics) -> SqlResult<()> {
    let sample = sample_of(&create.options, "CREATE STATISTICS")?;
    let Some((db, row)) = ddl.find(&create.table)? else {
        return Err(sql_error!(1088, written(&create.table)));
    };
    let filter = match &create.filter {
        None => None,
        Some(condition) => {
            let table = ddl.reload(&db, row.id)?;
            Some(filter_text("statistics", &create.name, &written(&create.table), condition, &table)?)
        }
    };
    let kept_as_made = find_setting(&create.options, "NORECOMPUTE").is_some();
    let spec = IndexSpec {
        name: create.name.to_string(),
        clustered: false,
        hash: false,
        status: ix::STATISTICS | if kept_as_made { ix::NO_RECOMPUTE } else { 0 },
        columns: create.columns.iter().map(|c| (c.to_string(), false)).collect(),
        included: Vec::new(),
        filter,
        options: &[],
        on: None,
        table: Placement::DEFAULT,
        constraint_id: 0,
        number: None,
    };
    let id = add_rows(ddl, &db, &row.name, row.id, &spec)?;
    let table = ddl.reload(&db, row.id)?;
    let Some(spec) = named_spec(&table, id as u32) else { return Ok(()) };
    make(ddl, &db, &table, spec, sample)
}

/// CREATE INDEX. One that is made over rows has statistics of all of them in SQL Server; here, of a sample.
pub fn create_index(ddl: &mut Ddl<'_>, create: &CreateIndex) -> SqlResult<()> {
    let (db, table, indid) = index::create(ddl, create)?;
    ddl.touch(&db, table)?;
    let table = ddl.reload(&db, table)?;
    match named_spec(&table, indid as u32) {
        Some(spec) if table.row_count > 0 => make(ddl, &db, &table, spec, Sample::Usual),
        _ => Ok(()),
    }
}

pub fn update(ddl: &mut Ddl<'_>, update: &UpdateStatistics) -> SqlResult<()> {
    let sample = sample_of(&update.options, "UPDATE STATISTICS")?;
    let shown = written(&update.table);
    let Some((db, row)) = ddl.find(&update.table)? else {
        return Err(sql_error!(2706, state 6, shown));
    };
    let table = ddl.reload(&db, row.id)?;
    let mut specs: Vec<Spec> = Vec::new();
    for name in &update.names {
        let found = spec_named(ddl, &db, &table, name)?;
        specs.push(found.ok_or_else(|| sql_error!(2767, &**name))?.0);
    }
    if update.names.is_empty() {
        let asked = |option| find_setting(&update.options, option).is_some();
        let (columns, indexes) = (!asked("INDEX"), !asked("COLUMNS"));
        if indexes {
            let enabled = table.indexes.iter().filter(|index| !index.disabled);
            specs.extend(enabled.filter_map(|index| named_spec(&table, index.id)));
        }
        if columns {
            specs.extend(table.statistics.iter().filter_map(|own| named_spec(&table, own.id)));
            specs.extend(automatic(&db, &table));
        }
    }
    let kept_as_made = find_setting(&update.options, "NORECOMPUTE").is_some();
    for mut spec in specs {
        // What is said without NORECOMPUTE lets them be renewed again.
        if let (StatisticsId::Named(id), true) = (spec.id, spec.kept_as_made != kept_as_made) {
            let all = ddl.rows(&db, |rows| rows.find::<IndexRow>(0, &[load::int(row.id), load::int(id as i32)]))?;
            if let Some(index) = all.into_iter().next() {
                let status = index.status & !ix::NO_RECOMPUTE | if kept_as_made { ix::NO_RECOMPUTE } else { 0 };
                set_status(ddl, &db, row.id, index.indid, status)?;
            }
        }
        spec.kept_as_made = kept_as_made;
        make(ddl, &db, &table, spec, sample)?;
    }
    Ok(())
}

/// `table.statistics`
pub fn drop(ddl: &mut Ddl<'_>, names: &[ObjectName]) -> SqlResult<()> {
    for name in names {
        let table = ObjectName {
            server: None,
            database: name.server.clone(),
            schema: name.database.clone(),
            name: name.schema.clone().unwrap_or_else(|| Ident::new("")),
            line: name.line,
        };
        let Some((db, row)) = ddl.find(&table)? else {
            return Err(cannot_drop("statistics", &written(name), 6));
        };
        match find_index(ddl, &db, row.id, &name.name)? {
            Some(index) if has(index.status, ix::STATISTICS) => {
                remove(ddl, &db, &row, &index)?;
                db.statistics.forget(row.id, StatisticsId::Named(index.indid as u32));
            }
            Some(_) => return Err(sql_error!(3739, "DROP", written(name))),
            None => {
                let def = ddl.reload(&db, row.id)?;
                let own = automatic(&db, &def).into_iter().find(|spec| is_named(&db, &def, spec, &name.name));
                let known = own.is_some_and(|spec| db.statistics.forget(row.id, spec.id));
                if !known {
                    return Err(cannot_drop("statistics", &written(name), 6));
                }
            }
        }
    }
    Ok(())
}

/// Of the automatic statistics that are there, what they are of.
fn automatic(db: &Database, table: &TableDef) -> Vec<Spec> {
    let kept = db.statistics.of_table(table.object.0);
    let columns = (0..table.columns.len() as u16).map(|column| automatic_spec(table, column));
    columns.filter(|spec| kept.iter().any(|kept| kept.is_of(table, spec))).collect()
}

fn is_named(db: &Database, table: &TableDef, spec: &Spec, name: &str) -> bool {
    let StatisticsId::Automatic(column) = spec.id else { return false };
    db.equal_names(&automatic_name(column, table.object.0), name)
}

/// Statistics or an index by name, with the text of its filter; automatic ones by their column's name as well.
fn spec_named(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    table: &TableDef,
    name: &str,
) -> SqlResult<Option<(Spec, Option<String>)>> {
    if let Some(index) = find_index(ddl, db, table.object.0, name)? {
        return Ok(named_spec(table, index.indid as u32).map(|spec| (spec, index.filter.0)));
    }
    let of_column =
        |spec: &Spec| spec.columns.iter().all(|&at| db.equal_names(&table.columns[usize::from(at)].name, name));
    let mut all = automatic(db, table).into_iter();
    Ok(all.find(|spec| is_named(db, table, spec, name) || of_column(spec)).map(|spec| (spec, None)))
}

/// Checks the options, too. 155: no such one.
fn sample_of(options: &[Setting], statement: &str) -> SqlResult<Sample> {
    let mut sample = Sample::Usual;
    for option in options {
        let is_on = option.is_on() && !matches!(option.value, SettingValue::Alone);
        match &*option.name {
            "FULLSCAN" => sample = Sample::All,
            "RESAMPLE" if matches!(option.value, SettingValue::List(..)) => {
                return Err(super::unsupported("RESAMPLE ON PARTITIONS"));
            }
            "RESAMPLE" => sample = Sample::Again,
            "SAMPLE" => {
                sample = match &option.value {
                    SettingValue::Quantity(count, unit) if &**unit == "PERCENT" => {
                        let percent = whole_number(count).unwrap_or(-1);
                        if !(0..=100).contains(&percent) {
                            return Err(sql_error!(1031));
                        }
                        Sample::Percent(percent as f64)
                    }
                    SettingValue::Quantity(count, unit) if &**unit == "ROWS" => {
                        Sample::Rows(whole_number(count).unwrap_or(0) as f64)
                    }
                    _ => return Err(sql_error!(155, "SAMPLE", statement)),
                }
            }
            "INCREMENTAL" | "PERSIST_SAMPLE_PERCENT" | "AUTO_DROP" if is_on => {
                return Err(super::unsupported(&format!("{} = ON", option.name)));
            }
            "STATS_STREAM" | "ROWCOUNT" | "PAGECOUNT" => return Err(super::unsupported(&option.name)),
            "NORECOMPUTE"
            | "INCREMENTAL"
            | "PERSIST_SAMPLE_PERCENT"
            | "AUTO_DROP"
            | "MAXDOP"
            | "ALL"
            | "COLUMNS"
            | "INDEX" => {}
            other => return Err(sql_error!(155, other, statement)),
        }
    }
    Ok(sample)
}

fn make(ddl: &mut Ddl<'_>, db: &Database, table: &TableDef, spec: Spec, sample: Sample) -> SqlResult<()> {
    if table.memory.is_some() {
        return Ok(());
    }
    let (storage_db, id) = (db.storage_id(), storage::TableId(table.object.0));
    let before = db.statistics.find(table, &spec);
    let size = ddl
        .storage(|storage, tx| {
            tx.hold_table(storage_db, id, false)?;
            let opened = storage.open_table(storage_db, id)?;
            let size = match &*opened {
                storage::Table::Disk(disk) => disk.tree_size(storage::IndexId::HEAP)?,
                storage::Table::Partitioned(table) => table.tree_size(storage::IndexId::HEAP)?,
                storage::Table::Memory(_) => return Ok(None),
            };
            let changes = opened.changes().map_or(0, |count| count.get());
            Ok(Some((size.leaves, opened.row_count_estimate() as f64, changes)))
        })
        .map_err(storage_error)?;
    let Some((leaves, rows, changes)) = size else { return Ok(()) };
    let part = |part: f64| (leaves as f64 * part).ceil().max(1.0) as u64;
    let wanted = match sample {
        Sample::Usual => leaves.min(LEAVES_ASKED),
        Sample::All => leaves,
        Sample::Percent(percent) => part(percent / 100.0),
        Sample::Rows(count) => part((count / rows.max(1.0)).min(1.0)),
        Sample::Again => match &before {
            Some(kept) => part((kept.statistics.rows_sampled / kept.statistics.rows.max(1.0)).min(1.0)),
            None => leaves.min(LEAVES_ASKED),
        },
    };
    let kept = if wanted <= LEAVES_MAX {
        let mut made = None;
        ddl.long_storage(|storage, _, pause| {
            let mut paused = Ok(());
            let mut goes_on = || {
                paused = pause.pause();
                paused.is_ok()
            };
            made = sampled(storage, table, std::slice::from_ref(&spec), wanted, true, &mut goes_on);
            paused.map_err(|_| storage::StorageError::Cancelled)
        })
        .map_err(storage_error)?;
        made.and_then(|all| all.into_iter().next())
    } else {
        let statistics = of_all_rows(ddl, db, table, &spec)?;
        (statistics.rows > 0.0).then(|| Kept::new(table, &spec, statistics, changes))
    };
    match kept {
        Some(kept) => db.statistics.put(&ddl.catalog.storage, table.object.0, Arc::new(kept)),
        // Of no rows there is nothing to tell.
        None => {
            db.statistics.forget(table.object.0, spec.id);
        }
    }
    Ok(())
}

/// Sorted and counted by queries.
fn of_all_rows(ddl: &mut Ddl<'_>, db: &Database, table: &TableDef, spec: &Spec) -> SqlResult<Statistics> {
    let names: Vec<String> = spec.columns.iter().map(|&at| bracket(&table.columns[usize::from(at)].name)).collect();
    let filter = match spec.id {
        StatisticsId::Named(id) if !spec.filter.is_empty() => {
            let key = [load::int(table.object.0), load::int(id as i32)];
            ddl.rows(db, |rows| rows.first::<IndexRow>(0, &key))?.and_then(|index| index.filter.0)
        }
        _ => None,
    };
    let source = format!("{}.{}.{} WITH (NOLOCK)", bracket(&db.name()), bracket(&table.schema), bracket(&table.name));
    let rows_of = match &filter {
        Some(filter) => format!("{source} WHERE {filter}"),
        None => source.clone(),
    };
    let lengths: Vec<String> =
        names.iter().map(|name| format!("SUM(CONVERT(float, ISNULL(DATALENGTH({name}), 0)))")).collect();
    let sums = numbers(ddl, &format!("SELECT CONVERT(float, COUNT_BIG(*)), {} FROM {rows_of}", lengths.join(", ")))?;
    let rows = sums[0];
    let unfiltered_rows = match filter {
        Some(_) => numbers(ddl, &format!("SELECT CONVERT(float, COUNT_BIG(*)) FROM {source}"))?[0],
        None => rows,
    };
    let ty = table.columns[usize::from(spec.columns[0])].ty;
    let (mut histogram, mut values, mut nulls) = (HistogramBuilder::new(rows), 0.0, 0.0);
    let first = &names[0];
    let text = format!("SELECT {first}, COUNT_BIG(*) FROM {rows_of} GROUP BY {first} ORDER BY {first}");
    let mut key = Vec::new();
    ddl.site.query(&text, &mut |_, batch| {
        for row in 0..batch.rows {
            let value = batch.columns[0].datum(row);
            let Datum::I64(count) = batch.columns[1].datum(row) else { continue };
            if value.is_null() {
                nulls = 1.0;
                histogram.add_nulls(count as f64);
                continue;
            }
            values += 1.0;
            key.clear();
            encode_datum(&ty, false, &value, &mut key);
            histogram.add(&key, value, count as f64);
        }
        Ok(())
    })?;
    let mut distinct = vec![values + nulls];
    for columns in 2..=names.len() {
        let list = names[..columns].join(", ");
        let text = format!("SELECT CONVERT(float, COUNT_BIG(*)) FROM (SELECT DISTINCT {list} FROM {rows_of}) d");
        distinct.push(numbers(ddl, &text)?[0]);
    }
    let mut bytes = 0.0;
    Ok(Statistics {
        columns: spec.columns.clone(),
        rows,
        rows_sampled: rows,
        unfiltered_rows,
        histogram: histogram.finish(1.0, values),
        distinct,
        bytes: sums[1..]
            .iter()
            .map(|sum| {
                bytes += sum / rows.max(1.0);
                bytes
            })
            .collect(),
        filtered: !spec.filter.is_empty(),
    })
}

/// The one row of a query, all floats; NULL is 0.
fn numbers(ddl: &mut Ddl<'_>, text: &str) -> SqlResult<Vec<f64>> {
    let mut found = Vec::new();
    ddl.site.query(text, &mut |_, batch| {
        if batch.rows > 0 {
            found = batch
                .columns
                .iter()
                .map(|column| match column.datum(0) {
                    Datum::F64(value) => value,
                    _ => 0.0,
                })
                .collect();
        }
        Ok(())
    })?;
    Ok(found)
}

/// SHOW_STATISTICS (table, statistics) WITH STAT_HEADER, DENSITY_VECTOR, HISTOGRAM; all three if none is named. Of statistics that were
/// never filled SQL Server shows the name alone.
/// <https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-show-statistics-transact-sql>
pub fn show(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<()> {
    let table = text_argument(dbcc, 0).ok_or_else(|| sql_error!(2526, state 3))?;
    let (db, row): (Arc<Database>, ObjectRow) = find(ddl, &table)?.ok_or_else(|| no_such_object(&table))?;
    let name = text_argument(dbcc, 1).ok_or_else(|| sql_error!(2526, state 3))?;
    let def = ddl.reload(&db, row.id)?;
    let Some((spec, filter)) = spec_named(ddl, &db, &def, &name)? else { return Err(sql_error!(2767, name)) };
    let in_filter = |column: &ColumnDef| filter.as_ref().is_some_and(|filter| filter.contains(&bracket(&column.name)));
    let told = |(at, column): &(usize, &ColumnDef)| spec.columns.contains(&(*at as u16)) || in_filter(column);
    let columns: Vec<&ColumnDef> = def.columns.iter().enumerate().filter(told).map(|(_, column)| column).collect();
    if !ddl.sees_values(&db, &def, &columns)? {
        let user = ddl.rights(|rights, look| Ok(rights.user(look, &db)?.map(|user| user.name.clone())))?;
        return Err(sql_error!(2557, state 5, user.unwrap_or_default(), "SHOW_STATISTICS", row.name));
    }
    let mut kept = db.statistics.find(&def, &spec);
    if kept.is_none() {
        // A start forgets them.
        make(ddl, &db, &def, spec.clone(), Sample::Usual)?;
        kept = db.statistics.find(&def, &spec);
    }
    let asked = |option| find_setting(&dbcc.options, option).is_some();
    let parts = ["STAT_HEADER", "DENSITY_VECTOR", "HISTOGRAM"];
    let all = !parts.iter().any(|part| asked(part)) && !asked("STATS_STREAM");
    let shown_name = match (spec.id, find_index(ddl, &db, row.id, &name)?) {
        (StatisticsId::Automatic(column), _) => automatic_name(column, row.id),
        (_, index) => index.and_then(|index| index.name).unwrap_or(name),
    };
    if all || asked("STAT_HEADER") {
        header(ddl, &shown_name, filter.as_deref(), kept.as_deref())?;
    }
    let own = kept.as_ref().map(|kept| &*kept.statistics);
    if all || asked("DENSITY_VECTOR") {
        densities(ddl, &def, own)?;
    }
    if all || asked("HISTOGRAM") {
        histogram(ddl, def.columns[usize::from(spec.columns[0])].ty, own)?;
    }
    if asked("STATS_STREAM") {
        let columns =
            [("Stats_Stream", SqlType::varbinary(8000)), ("Rows", SqlType::BIGINT), ("Data Pages", SqlType::BIGINT)];
        answer(ddl, &columns, &[vec![Datum::Null, Datum::Null, Datum::Null]])?;
    }
    if !asked("NO_INFOMSGS") {
        ddl.message(sql_error!(2528));
    }
    Ok(())
}

fn header(ddl: &mut Ddl<'_>, name: &str, filter: Option<&str>, kept: Option<&Kept>) -> SqlResult<()> {
    let text = SqlType::nvarchar(128);
    let columns = [
        ("Name", text),
        ("Updated", SqlType::nvarchar(20)),
        ("Rows", SqlType::BIGINT),
        ("Rows Sampled", SqlType::BIGINT),
        ("Steps", SqlType::SMALLINT),
        ("Density", SqlType::REAL),
        ("Average key length", SqlType::REAL),
        ("String Index", SqlType::nvarchar(3)),
        ("Filter Expression", SqlType::nvarchar(4000)),
        ("Unfiltered Rows", SqlType::BIGINT),
        ("Persisted Sample Percent", SqlType::FLOAT),
    ];
    let mut cells = vec![Datum::Null; columns.len()];
    cells[0] = Datum::nvarchar(name);
    cells[8] = filter.map_or(Datum::Null, Datum::nvarchar);
    if let Some(kept) = kept {
        let own = &kept.statistics;
        let between: f64 = own.histogram.steps.iter().map(|step| step.range_distinct).sum();
        cells[1] = shown_time(kept);
        cells[2] = Datum::I64(own.rows.round() as i64);
        cells[3] = Datum::I64(own.rows_sampled as i64);
        cells[4] = Datum::I64(own.step_count() as i64);
        cells[5] = Datum::F64(if between > 0.0 { f64::from((1.0 / between) as f32) } else { 0.0 });
        cells[6] = Datum::F64(f64::from(own.bytes.last().copied().unwrap_or(0.0) as f32));
        cells[7] = Datum::nvarchar("NO");
        cells[9] = Datum::I64(own.unfiltered_rows.round() as i64);
        cells[10] = Datum::F64(0.0);
    }
    answer(ddl, &columns, &[cells])
}

/// `Nov 27 2026 11:05AM`
fn shown_time(kept: &Kept) -> Datum {
    let (from, to) = (SqlType::DATETIME, SqlType::nvarchar(20));
    types::convert(&Datum::I64(kept.made.0), &from, &to, NO_STYLE, &ConvertContext::CAST).unwrap_or(Datum::Null)
}

fn densities(ddl: &mut Ddl<'_>, table: &TableDef, own: Option<&Statistics>) -> SqlResult<()> {
    let real = |value: f64| Datum::F64(f64::from(value as f32));
    let mut rows = Vec::new();
    if let Some(own) = own {
        let mut names = String::new();
        for (at, column) in own.columns.iter().enumerate() {
            names += if at > 0 { ", " } else { "" };
            names += &table.columns[usize::from(*column)].name;
            rows.push(vec![real(1.0 / own.distinct[at].max(1.0)), real(own.bytes[at]), Datum::nvarchar(&names)]);
        }
    }
    let columns =
        [("All density", SqlType::REAL), ("Average Length", SqlType::REAL), ("Columns", SqlType::nvarchar(4000))];
    answer(ddl, &columns, &rows)
}

fn histogram(ddl: &mut Ddl<'_>, ty: SqlType, own: Option<&Statistics>) -> SqlResult<()> {
    let real = |value: f64| Datum::F64(f64::from(value as f32));
    let rows: Vec<Vec<Datum>> = own.map_or_else(Vec::new, |own| {
        let steps = own.shown_steps();
        steps
            .map(|step| {
                let distinct = step.range_distinct.round();
                vec![
                    step.value.clone(),
                    real(step.range_rows),
                    real(step.equal_rows),
                    Datum::I64(distinct as i64),
                    real(step.average_range_rows()),
                ]
            })
            .collect()
    });
    let columns = [
        ("RANGE_HI_KEY", ty),
        ("RANGE_ROWS", SqlType::REAL),
        ("EQ_ROWS", SqlType::REAL),
        ("DISTINCT_RANGE_ROWS", SqlType::BIGINT),
        ("AVG_RANGE_ROWS", SqlType::REAL),
    ];
    answer(ddl, &columns, &rows)
}
