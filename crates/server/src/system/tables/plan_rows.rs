//! sys.dm_exec_query_stats, *_stats, cached_plans, sql_text, query_plan: what the statement cache holds, and what it cost.

use std::sync::atomic::Ordering;

use exec::cursor_book::{CursorNote, CursorTold};
use exec::session::Session as State;
use exec::{Figures, Measured};
use sql::plan::show_xml::{ShowPlan, TREE};
use sql::plan::{BodyKind, ColumnOrigin, OutputColumn, QueryId, QueryText};
use types::{Datum, SqlType, TypeKind};

use crate::catalog::scalar_type;
use crate::instance::handle::{self, Handle};
use crate::instance::plan_cache::CachedPlan;
use crate::instance::sessions::Input;
use crate::security::written;
use crate::session::host::SessionHost;
use crate::system::answer::{Answer, Arguments};
use crate::system::cell::{Cell, NamedRow, number, text};

const NS_PER_US: u64 = 1_000;

/// None: not a table of this family.
pub fn rows(host: &SessionHost, name: &str, arguments: &Arguments<'_>) -> Option<Vec<NamedRow>> {
    let plans = || host.server.plans.plans();
    Some(match name {
        "dm_exec_query_stats" => plans().iter().flat_map(query_stats).collect(),
        "dm_exec_procedure_stats" => module_stats(&plans(), |kind| kind == BodyKind::Procedure),
        "dm_exec_trigger_stats" => module_stats(&plans(), |kind| kind == BodyKind::Trigger),
        "dm_exec_function_stats" => module_stats(&plans(), |kind| matches!(kind, BodyKind::ScalarFunction(_))),
        "dm_exec_cached_plans" => plans().iter().map(cached_plan).collect(),
        "dm_os_loaded_modules" => plans().iter().filter_map(machine_code).collect(),
        "dm_exec_cursors" => cursors(host, arguments),
        "dm_exec_sql_text" | "fn_get_sql" => text_of_handle(host, arguments).into_iter().collect(),
        "dm_exec_query_plan" | "dm_exec_text_query_plan" => query_plan(host, arguments).into_iter().collect(),
        "dm_exec_plan_attributes" => plan_attributes(host, arguments).unwrap_or_default(),
        _ => return None,
    })
}

/// Of a session, or of all (0).
fn cursors(host: &SessionHost, arguments: &Arguments<'_>) -> Vec<NamedRow> {
    let Some(wanted) = arguments.number(0) else { return Vec::new() };
    let sessions =
        host.server.sessions.all().into_iter().filter(|entry| wanted == 0 || i64::from(entry.spid) == wanted);
    let row = |spid: u32, note: &CursorNote| -> NamedRow {
        let handle = note.text.as_deref().map(|text| handle_cell(handle::sql_handle(text)));
        vec![
            ("session_id", number(spid)),
            ("cursor_id", number(note.cursor_id)),
            ("name", text(&note.name)),
            ("properties", text(&note.properties)),
            ("sql_handle", handle.unwrap_or(Cell::Datum(Datum::Null))),
            // The whole batch or module.
            ("statement_start_offset", number(0)),
            ("statement_end_offset", number(-1)),
            ("plan_generation_num", number(1)),
            ("creation_time", Cell::Time(note.created)),
            ("is_open", note.is_open.load(Ordering::Relaxed).into()),
            ("is_async_population", false.into()),
            ("is_close_on_commit", false.into()),
            ("fetch_status", number(note.fetch_status.load(Ordering::Relaxed))),
        ]
    };
    sessions
        .flat_map(|entry| entry.cursors.all().iter().map(|note| row(entry.spid, note)).collect::<Vec<_>>())
        .collect()
}

/// Of the session that asks: sp_cursor_list and its kin.
pub fn cursor_rows(host: &SessionHost, state: &State, name: &str) -> Option<Vec<NamedRow>> {
    Some(match name {
        "syscursorrefs" => cursor_references(state),
        "syscursorcolumns" => state.told_cursors().iter().flat_map(|told| cursor_columns(host, told)).collect(),
        "syscursortables" => state.told_cursors().iter().flat_map(|told| cursor_tables(host, told)).collect(),
        _ => return None,
    })
}

/// Bits of column_characteristics_flags.
const FIXED_LENGTH: i64 = 2;
const NULLABLE: i64 = 4;
const ROW_VERSION: i64 = 8;
const UPDATABLE: i64 = 16;

/// https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-describe-cursor-columns-transact-sql
fn cursor_columns(host: &SessionHost, told: &CursorTold) -> Vec<NamedRow> {
    let null = || Cell::Datum(Datum::Null);
    let updates = told.concurrency != 1;
    let row = |(at, column): (usize, &OutputColumn)| -> NamedRow {
        let ty = &column.ty;
        let is_version = ty.kind == TypeKind::RowVersion;
        let flags = [
            (FIXED_LENGTH, !is_of_variable_length(ty)),
            (NULLABLE, column.nullable),
            (ROW_VERSION, is_version),
            (UPDATABLE, updates && column.origin.is_some() && !is_version),
        ];
        let flags: i64 = flags.iter().filter(|(_, is)| *is).map(|(flag, _)| flag).sum();
        let base = |of: fn(&ColumnOrigin) -> i64| number(column.origin.as_ref().map_or(-1, of));
        let database = column.origin.as_ref().and_then(|origin| host.server.catalog.database(origin.table.database));
        vec![
            ("cursor_handle", number(told.note.cursor_id)),
            ("column_name", if column.name.is_empty() { null() } else { text(&column.name) }),
            ("ordinal_position", number(at as u64)),
            ("column_characteristics_flags", number(flags)),
            ("column_size", number(scalar_type::max_length(ty))),
            ("data_type_sql", number(scalar_type::system_type(ty.kind).xtype)),
            ("column_precision", number(ty.precision)),
            ("column_scale", number(ty.scale)),
            ("order_position", number(column.sorted.map_or(0, |sorted| sorted.at + 1))),
            ("order_direction", column.sorted.map_or(null(), |sorted| text(if sorted.descending { "D" } else { "A" }))),
            ("hidden_column", number(0)),
            ("columnid", base(|origin| origin.table.columns[usize::from(origin.column)].column_id.into())),
            ("objectid", base(|origin| origin.table.object.0.into())),
            ("dbid", base(|origin| origin.table.database.0.into())),
            ("dbname", database.map_or(null(), |database| text(&database.name()))),
        ]
    };
    told.columns.iter().enumerate().map(row).collect()
}

fn is_of_variable_length(ty: &SqlType) -> bool {
    use TypeKind::{Image, NText, NVarChar, SqlVariant, Text, VarBinary, VarChar, Xml};
    ty.is_max() || matches!(ty.kind, Image | NText | NVarChar | SqlVariant | Text | VarBinary | VarChar | Xml)
}

/// https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-describe-cursor-tables-transact-sql
fn cursor_tables(host: &SessionHost, told: &CursorTold) -> Vec<NamedRow> {
    let mut tables: Vec<(i64, i64, String, String)> = Vec::new();
    if let Some(query) = &told.query {
        query.for_each_use(&mut |table, _, _| {
            let table =
                (table.database.0.into(), table.object.0.into(), table.schema.to_string(), table.name.to_string());
            if !tables.contains(&table) {
                tables.push(table);
            }
        });
    }
    // Of a cursor with scroll locks; the others lock nothing between their fetches.
    let lock = if told.concurrency == 2 { 3 } else { 0 };
    let row = |(database, object, schema, name): (i64, i64, String, String)| -> NamedRow {
        let found = host.server.catalog.database(sql::catalog::DatabaseId(database as u16));
        vec![
            ("cursor_handle", number(told.note.cursor_id)),
            ("table_owner", text(&schema)),
            ("table_name", text(&name)),
            ("optimizer_hints", number(0)),
            ("lock_type", number(lock)),
            ("server_name", text(&host.server.catalog.server_name)),
            ("objectid", number(object)),
            ("dbid", number(database)),
            ("dbname", found.map_or(Cell::Datum(Datum::Null), |database| text(&database.name()))),
        ]
    };
    tables.into_iter().map(row).collect()
}

fn cursor_references(state: &State) -> Vec<NamedRow> {
    let row = |told: CursorTold| -> NamedRow {
        vec![
            ("reference_name", text(&told.reference)),
            ("cursor_name", text(&told.note.name)),
            ("cursor_scope", number(if told.is_local { 1 } else { 2 })),
            ("status", number(told.status)),
            ("model", number(told.model)),
            ("concurrency", number(told.concurrency)),
            ("scrollable", number(i64::from(told.scrolls))),
            ("open_status", number(i64::from(told.note.is_open.load(Ordering::Relaxed)))),
            ("cursor_rows", number(told.rows)),
            ("fetch_status", number(told.note.fetch_status.load(Ordering::Relaxed))),
            ("column_count", number(told.columns.len() as u64)),
            ("row_count", number(told.affected)),
            ("last_operation", number(told.last)),
            ("cursor_handle", number(told.note.cursor_id)),
        ]
    };
    state.told_cursors().into_iter().map(row).collect()
}

pub fn handle_cell(handle: Handle) -> Cell {
    Cell::Answer(Answer::Bytes(handle.to_vec()))
}

/// The names of a number's four columns: total, last, min, max.
type FigureNames = [&'static str; 4];

const WORKER: FigureNames = ["total_worker_time", "last_worker_time", "min_worker_time", "max_worker_time"];
const ELAPSED: FigureNames = ["total_elapsed_time", "last_elapsed_time", "min_elapsed_time", "max_elapsed_time"];
const PHYSICAL: FigureNames =
    ["total_physical_reads", "last_physical_reads", "min_physical_reads", "max_physical_reads"];
const WRITES: FigureNames = ["total_logical_writes", "last_logical_writes", "min_logical_writes", "max_logical_writes"];
const READS: FigureNames = ["total_logical_reads", "last_logical_reads", "min_logical_reads", "max_logical_reads"];
const ROWS: FigureNames = ["total_rows", "last_rows", "min_rows", "max_rows"];
const GRANTED: FigureNames = ["total_grant_kb", "last_grant_kb", "min_grant_kb", "max_grant_kb"];
const USED: FigureNames = ["total_used_grant_kb", "last_used_grant_kb", "min_used_grant_kb", "max_used_grant_kb"];
const IDEAL: FigureNames = ["total_ideal_grant_kb", "last_ideal_grant_kb", "min_ideal_grant_kb", "max_ideal_grant_kb"];
const SPILLS: FigureNames = ["total_spills", "last_spills", "min_spills", "max_spills"];
const DOP: FigureNames = ["total_dop", "last_dop", "min_dop", "max_dop"];

/// Of what plans here do not do.
const NEVER: [FigureNames; 6] = [
    ["total_clr_time", "last_clr_time", "min_clr_time", "max_clr_time"],
    ["total_reserved_threads", "last_reserved_threads", "min_reserved_threads", "max_reserved_threads"],
    ["total_used_threads", "last_used_threads", "min_used_threads", "max_used_threads"],
    [
        "total_columnstore_segment_reads",
        "last_columnstore_segment_reads",
        "min_columnstore_segment_reads",
        "max_columnstore_segment_reads",
    ],
    [
        "total_columnstore_segment_skips",
        "last_columnstore_segment_skips",
        "min_columnstore_segment_skips",
        "max_columnstore_segment_skips",
    ],
    ["total_page_server_reads", "last_page_server_reads", "min_page_server_reads", "max_page_server_reads"],
];

fn figures(row: &mut NamedRow, names: FigureNames, figures: &Figures, unit: u64) {
    let values = [figures.total, figures.last, figures.min, figures.max];
    row.extend(names.into_iter().zip(values).map(|(name, value)| (name, number(value / unit))));
}

/// What query and module statistics have in common.
fn costs(row: &mut NamedRow, measured: &Measured) {
    let ago = os::clock::now().saturating_sub(measured.last_start_ns) / 100;
    row.push(("last_execution_time", Cell::Time(os::clock::utc_ticks() as i64 - ago as i64)));
    row.push(("execution_count", number(measured.executions)));
    figures(row, WORKER, &measured.worker, NS_PER_US);
    figures(row, ELAPSED, &measured.elapsed, NS_PER_US);
    figures(row, PHYSICAL, &measured.physical_reads, 1);
    figures(row, WRITES, &measured.logical_writes, 1);
    figures(row, READS, &measured.logical_reads, 1);
}

fn query_stats(plan: &CachedPlan) -> Vec<NamedRow> {
    let measured = exec::measured(&plan.module);
    let queries = plan.module.queries.iter().zip(measured.into_iter().skip(1));
    let rows = queries.filter_map(|(query, measured)| Some(statement_stats(plan, query, &measured?)));
    rows.collect()
}

fn statement_stats(plan: &CachedPlan, query: &QueryText, measured: &Measured) -> NamedRow {
    let span = query.statement.span;
    let (start, end) = offsets(&plan.module.text, span.start as usize, span.end as usize);
    let statement = text_of(plan, query);
    let mut row: NamedRow = vec![
        ("sql_handle", handle_cell(plan.sql_handle)),
        ("statement_start_offset", number(start)),
        ("statement_end_offset", number(end)),
        ("plan_generation_num", number(1)),
        ("plan_handle", handle_cell(plan.plan_handle)),
        ("creation_time", Cell::Time(plan.created)),
        ("query_hash", Cell::Answer(Answer::Bytes(handle::query_hash(statement).to_vec()))),
        ("query_plan_hash", Cell::Answer(Answer::Bytes(plan_hash(plan, query, statement).to_vec()))),
    ];
    costs(&mut row, measured);
    figures(&mut row, ROWS, &measured.rows, 1);
    if let Some([granted, used, ideal]) = &measured.memory {
        figures(&mut row, GRANTED, granted, 1_024);
        figures(&mut row, USED, used, 1_024);
        figures(&mut row, IDEAL, ideal, 1_024);
    }
    figures(&mut row, SPILLS, &measured.spills, 1);
    let ones = Figures { total: measured.executions, last: 1, min: 1, max: 1 };
    figures(&mut row, DOP, &ones, 1);
    row.extend(NEVER.iter().flatten().map(|name| (*name, number(0))));
    row
}

/// `query_hash` and `query_plan_hash` of the query that begins there, in the text of the plan. None: none does.
pub fn hashes(plan: &CachedPlan, start: u32) -> Option<[[u8; 8]; 2]> {
    let query = plan.module.queries.iter().find(|query| query.statement.span.start == start)?;
    let statement = text_of(plan, query);
    Some([handle::query_hash(statement), plan_hash(plan, query, statement)])
}

/// A plan over what is a session's own is that session's: there the statement's words stand for it.
fn plan_hash(plan: &CachedPlan, query: &QueryText, statement: &str) -> [u8; 8] {
    let Some(bound) = query.bound.get() else { return handle::query_hash(statement) };
    let lines = sql::plan::show::show(&bound.kind, &plan.module);
    // What draws the tree would be a comment of a statement.
    let words: Vec<&str> = lines.iter().map(|line| line.trim_start_matches(TREE)).collect();
    handle::query_hash(&words.join("\n"))
}

fn text_of<'a>(plan: &'a CachedPlan, query: &QueryText) -> &'a str {
    let span = query.statement.span;
    plan.module.text.get(span.start as usize..span.end as usize).unwrap_or_default()
}

/// Bytes of UTF-16 before the first and before the last character of a statement; -1: it is the last of its text.
/// Where a statement begins and ends in its batch, as the DMVs count; an end of -1: it is the last one.
pub fn offsets(batch: &str, start: usize, end: usize) -> (usize, i64) {
    let bytes = |text: &str| 2 * text.encode_utf16().count();
    let before = bytes(batch.get(..start).unwrap_or_default());
    let rest = batch.get(end..).unwrap_or_default();
    if rest.trim_matches(|c: char| c == ';' || c.is_whitespace()).is_empty() {
        return (before, -1);
    }
    let statement = bytes(batch.get(start..end).unwrap_or_default());
    (before, (before + statement) as i64 - 2)
}

fn module_stats(plans: &[CachedPlan], wanted: fn(BodyKind) -> bool) -> Vec<NamedRow> {
    let rows = plans.iter().filter(|plan| wanted(plan.module.kind)).filter_map(|plan| -> Option<NamedRow> {
        let measured = exec::measured(&plan.module).into_iter().next()??;
        let (kind, described) = match plan.module.kind {
            BodyKind::Trigger => ("TR", "SQL_TRIGGER"),
            BodyKind::ScalarFunction(_) => ("FN", "SQL_SCALAR_FUNCTION"),
            _ => ("P ", "SQL_STORED_PROCEDURE"),
        };
        let mut row: NamedRow = vec![
            ("database_id", number(plan.database)),
            ("object_id", number(plan.object)),
            ("type", text(kind)),
            ("type_desc", text(described)),
            ("sql_handle", handle_cell(plan.sql_handle)),
            ("plan_handle", handle_cell(plan.plan_handle)),
            ("cached_time", Cell::Time(plan.created)),
        ];
        costs(&mut row, &measured);
        Some(row)
    });
    rows.collect()
}

fn cached_plan(plan: &CachedPlan) -> NamedRow {
    let kind = match (plan.module.kind, &*plan.parameters) {
        (BodyKind::Trigger, _) => "Trigger",
        (_, handle::MODULE) => "Proc",
        (_, "") => "Adhoc",
        _ => "Prepared",
    };
    vec![
        ("bucketid", number(plan.plan_handle[4])),
        ("refcounts", number(std::sync::Arc::strong_count(&plan.module))),
        ("usecounts", number(plan.uses)),
        ("size_in_bytes", number(plan.bytes)),
        ("cacheobjtype", text("Compiled Plan")),
        ("objtype", text(kind)),
        ("plan_handle", handle_cell(plan.plan_handle)),
        ("pool_id", number(2)),
    ]
}

/// The machine code of a natively compiled module stands where SQL Server has a DLL: named by its type, database and number.
fn machine_code(plan: &CachedPlan) -> Option<NamedRow> {
    exec::machine_code_bytes(&plan.module)?;
    let kind = match plan.module.kind {
        BodyKind::Procedure => "p",
        BodyKind::Trigger => "tr",
        _ => "fn",
    };
    let name = format!("xtp_{kind}_{}_{}.dll", plan.database, plan.object);
    Some(vec![("description", text("XTP Native DLL")), ("name", text(&name))])
}

fn handle_argument(arguments: &Arguments<'_>) -> Option<Handle> {
    match arguments.0.first()? {
        (_, Datum::Bytes(bytes)) => (**bytes).try_into().ok(),
        _ => None,
    }
}

/// The plan that either of its handles names.
fn find(host: &SessionHost, wanted: &Handle) -> Option<CachedPlan> {
    host.server.plans.plan(wanted)
}

/// Database, object and number of a module; NULL for an ad hoc text.
fn owner(plan: &CachedPlan) -> NamedRow {
    if &*plan.parameters != handle::MODULE {
        return vec![("encrypted", false.into())];
    }
    vec![
        ("dbid", number(plan.database)),
        ("objectid", number(plan.object)),
        ("number", number(1)),
        ("encrypted", false.into()),
    ]
}

fn text_of_handle(host: &SessionHost, arguments: &Arguments<'_>) -> Option<NamedRow> {
    let wanted = handle_argument(arguments)?;
    if let Some(plan) = find(host, &wanted) {
        let mut row = owner(&plan);
        row.push(("text", text(&plan.text)));
        return Some(row);
    }
    // What a session sent last may be too long for the cache, or have left it.
    let sent = host
        .server
        .sessions
        .all()
        .into_iter()
        .filter_map(|entry| entry.input.lock().as_ref().and_then(Input::batch).cloned());
    let batch = sent.into_iter().find(|batch| handle::sql_handle(batch) == wanted)?;
    Some(vec![("encrypted", false.into()), ("text", text(written::shown(&batch)))])
}

/// Of a text the object is a number that its handle has.
fn plan_attributes(host: &SessionHost, arguments: &Arguments<'_>) -> Option<Vec<NamedRow>> {
    let plan = find(host, &handle_argument(arguments)?)?;
    let object = match &*plan.parameters {
        handle::MODULE => plan.object,
        _ => i32::from_be_bytes(plan.sql_handle[4..8].try_into().expect("four bytes")),
    };
    let row = |attribute, value: Cell, is_key: bool| -> NamedRow {
        vec![("attribute", text(attribute)), ("value", value), ("is_cache_key", is_key.into())]
    };
    Some(vec![
        row("objectid", number(object), true),
        row("dbid", number(plan.database), true),
        row("dbid_execute", number(0), true),
        row("sql_handle", handle_cell(plan.sql_handle), false),
    ])
}

/// Showplan XML of what is bound so far: a statement, its operators nested as they run.
fn query_plan(host: &SessionHost, arguments: &Arguments<'_>) -> Option<NamedRow> {
    let plan = find(host, &handle_argument(arguments)?)?;
    let mut shown = ShowPlan::default();
    for (index, query) in plan.module.queries.iter().enumerate() {
        if let Some(bound) = query.bound.get() {
            shown.query(&plan.module, QueryId(index as u32), &bound.kind);
        }
    }
    let mut row = owner(&plan);
    row.push(("query_plan", text(&shown.finish())));
    Some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_of_utf_16_and_lead_to_the_statement() {
        let batch = "select 'é😀'; select 2; ";
        let second = batch.find("select 2").expect("there");
        assert_eq!(offsets(batch, second, second + 8), (28, -1));
        let first = &batch[..second - 2];
        let (start, end) = offsets(batch, 0, first.len());
        let units: Vec<u16> = batch.encode_utf16().collect();
        let shown = &units[start / 2..start / 2 + (end as usize - start) / 2 + 1];
        assert_eq!(String::from_utf16_lossy(shown), first);
    }
}
