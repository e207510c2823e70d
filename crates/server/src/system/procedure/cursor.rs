//! The cursors of drivers: sp_cursoropen, sp_cursorfetch, sp_cursor and their kin (MS-TDS 2.2.6.6, ids 1 to 9).
//!
//! | procedure | arguments |
//! |---|---|
//! | sp_cursoropen | @cursor OUT, @stmt, @scrollopt OUT, @ccopt OUT, @rowcount OUT, @paramdef, values |
//! | sp_cursorprepare | @handle OUT, @paramdef, @stmt, @options, @scrollopt OUT, @ccopt OUT |
//! | sp_cursorexecute | @handle, @cursor OUT, @scrollopt OUT, @ccopt OUT, @rowcount OUT, values |
//! | sp_cursorprepexec | @handle OUT, @cursor OUT, @paramdef, @stmt, @scrollopt OUT, @ccopt OUT, @rowcount OUT, values |
//! | sp_cursorfetch | @cursor, @fetchtype, @rownum OUT, @nrows OUT |
//! | sp_cursor | @cursor, @optype, @rownum, @table, values named as columns |
//! | sp_cursoroption, sp_cursorclose, sp_cursorunprepare | @cursor or @handle ... |
//!
//! The rows are kept at OPEN. A keyset or dynamic cursor over a table with a unique key reads each row of a fetch again by its key,
//! so that it shows later changes and deletions. One over a table without changes a row that has all the values it showed. The last column of every result is ROWSTAT, as clients expect.

use std::collections::HashMap;
use std::sync::Arc;

use exec::host::{CallArgument, Ended};
use exec::session::Session as State;
use exec::sink::{Command, Done, DoneKind, Outcome, Sink};
use sql::ast::{QueryBody, StatementKind as Tree};
use sql::catalog::ObjectName;
use sql::plan::{ColumnOrigin, Module, OperatorKind, OutputColumn, Query, StatementKind};
use types::{Datum, RowBatch, SqlError, SqlResult, SqlType, sql_error};

use super::recorded::{Kept, Recorded};
use crate::session::api_cursors::{ApiCursor, Target, concurrency, fetch, has_keys, properties, scroll};
use crate::session::arguments::{expects_parameter, text_of};
use crate::session::compile::compile;
use crate::session::first_result::first_result;
use crate::session::host::SessionHost;

const ROWS_DEFAULT: i64 = 20;
mod operation {
    pub const UPDATE: i64 = 0x1;
    pub const DELETE: i64 = 0x2;
    pub const INSERT: i64 = 0x4;
    pub const REFRESH: i64 = 0x8;
    pub const LOCK: i64 = 0x10;
    pub const SET_POSITION: i64 = 0x20;
    pub const ABSOLUTE: i64 = 0x40;
    pub const ALL: i64 = UPDATE | DELETE | INSERT | REFRESH | LOCK | SET_POSITION | ABSOLUTE;
}

/// Values of ROWSTAT.
const FETCHED: i64 = 1;
const MISSING: i64 = 2;

/// Return code of an open that also delivered the last row and closed.
const CLOSED_AT_END: i32 = 16;

/// Runs one of the procedures above; None: it is none of them.
pub fn call(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    name: &str,
    arguments: &mut [CallArgument],
) -> Option<SqlResult<i32>> {
    Some(match name {
        "sp_cursoropen" => open(host, state, sink, arguments),
        "sp_cursorprepare" => prepare(host, state, sink, arguments),
        "sp_cursorexecute" => execute(host, state, sink, arguments),
        "sp_cursorprepexec" => prepare_execute(host, state, sink, arguments),
        "sp_cursorunprepare" => unprepare(host, arguments),
        "sp_cursorfetch" => fetch_rows(host, state, sink, arguments),
        "sp_cursor" => operate(host, state, sink, arguments),
        "sp_cursoroption" => option(host, arguments),
        "sp_cursorclose" => close(host, arguments),
        _ => return None,
    })
}

fn number(arguments: &[CallArgument], at: usize) -> Option<i64> {
    match arguments.get(at)?.value.as_ref()?.1 {
        Datum::I64(value) => Some(value),
        _ => None,
    }
}

fn give(arguments: &mut [CallArgument], at: usize, value: i64) {
    if let Some(argument) = arguments.get_mut(at) {
        argument.value = Some((SqlType::INT, Datum::I64(value)));
    }
}

/// 16909
fn no_such_cursor(procedure: &str, handle: i64) -> SqlError {
    sql_error!(16909, procedure, format_args!("{:x}", handle as i32))
}

/// What a client asked of an open, and where the answers go.
struct Asked {
    scroll: i64,
    concurrency: i64,
    rows: i64,
    /// Positions of @cursor, @scrollopt, @ccopt and @rowcount among the arguments.
    places: [usize; 4],
    /// Where the values of the statement begin.
    values: usize,
}

impl Asked {
    fn read(arguments: &[CallArgument], places: [usize; 4], values: usize) -> Asked {
        Asked {
            scroll: number(arguments, places[1]).unwrap_or(scroll::KEYSET),
            concurrency: number(arguments, places[2]).unwrap_or(concurrency::OPTIMISTIC),
            rows: number(arguments, places[3]).unwrap_or(0),
            places,
            values,
        }
    }
}

fn open(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    let text = arguments.get(1).and_then(text_of).ok_or_else(|| expects_parameter("sp_cursoropen", "@stmt"))?;
    let asked = Asked::read(arguments, [0, 2, 3, 4], 6);
    let parameterized = asked.scroll & scroll::PARAMETERIZED != 0 || arguments.len() > 5;
    let declared = if parameterized { arguments.get(5).and_then(text_of).unwrap_or_default() } else { String::new() };
    let module = compile_cursor(host, state, &text, &declared, not_declared)?;
    open_module(host, state, sink, arguments, &module, &asked)
}

/// What follows the errors of a text that there can be no cursor of.
fn not_declared() -> SqlError {
    sql_error!(16945, state 2)
}

fn not_prepared() -> SqlError {
    sql_error!(8180)
}

/// The text of a cursor: its query may end with FOR UPDATE, and tells where its columns come from. `last`: the error behind its own.
fn compile_cursor(
    host: &mut SessionHost,
    state: &mut State,
    text: &str,
    declared: &str,
    last: fn() -> SqlError,
) -> SqlResult<Arc<Module>> {
    state.opens_cursor = true;
    let module = compile(host, state, text, declared);
    state.opens_cursor = false;
    let bound = module.and_then(|module| match cursor_columns(host, state, &module) {
        Ok(_) => Ok(module),
        Err(error) => Err(vec![error]),
    });
    bound.map_err(|mut errors| {
        errors.push(last());
        SqlError::together(errors)
    })
}

fn prepare(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    let text = arguments.get(2).and_then(text_of).ok_or_else(|| expects_parameter("sp_cursorprepare", "@stmt"))?;
    let declared = arguments.get(1).and_then(text_of).unwrap_or_default();
    let module = compile_cursor(host, state, &text, &declared, not_prepared)?;
    if number(arguments, 3).unwrap_or(0) & 1 != 0
        && let Some(columns) = cursor_columns(host, state, &module)?
    {
        send(sink, &columns, Vec::new())?;
    }
    let handle = host.prepared.keep(module)?;
    give(arguments, 0, handle.into());
    Ok(0)
}

fn execute(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    let handle = number(arguments, 0).ok_or_else(|| expects_parameter("sp_cursorexecute", "@handle"))?;
    let module = host.prepared.find(i32::try_from(handle).unwrap_or(0))?;
    let asked = Asked::read(arguments, [1, 2, 3, 4], 5);
    open_module(host, state, sink, arguments, &module, &asked)
}

fn prepare_execute(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    let text = arguments.get(3).and_then(text_of).ok_or_else(|| expects_parameter("sp_cursorprepexec", "@stmt"))?;
    let declared = arguments.get(2).and_then(text_of).unwrap_or_default();
    let module = compile_cursor(host, state, &text, &declared, not_prepared)?;
    let handle = host.prepared.keep(module.clone())?;
    give(arguments, 0, handle.into());
    let asked = Asked::read(arguments, [1, 4, 5, 6], 7);
    open_module(host, state, sink, arguments, &module, &asked)
}

fn unprepare(host: &mut SessionHost, arguments: &[CallArgument]) -> SqlResult<i32> {
    let handle = number(arguments, 0).ok_or_else(|| expects_parameter("sp_cursorunprepare", "@handle"))?;
    host.prepared.forget(i32::try_from(handle).unwrap_or(0))?;
    Ok(0)
}

/// The columns of a text that is one query; None: no cursor can be opened on it.
fn cursor_columns(host: &mut SessionHost, state: &mut State, module: &Module) -> SqlResult<Option<Vec<OutputColumn>>> {
    if !matches!(&*module.body, [only] if matches!(only.kind, StatementKind::Query(_))) {
        return Ok(None);
    }
    let client = SessionHost::bind_options(state).client;
    let mut columns = first_result(host, state, module, client)?;
    if let Some(columns) = columns.as_mut().filter(|_| is_distinct(module)) {
        // A row of these is of no one row of a table, so the cursor is static.
        columns.iter_mut().for_each(|column| column.origin = None);
    }
    Ok(columns)
}

fn is_distinct(module: &Module) -> bool {
    let is_distinct = |body: &QueryBody| matches!(body, QueryBody::Select(select) if select.distinct);
    module.queries.iter().any(|text| matches!(&text.statement.kind, Tree::Select(query) if is_distinct(&query.body)))
}

/// Its rows are put in order after they are read: no index has that order.
fn sorts(query: &Query) -> bool {
    let mut next = query.kind.plan();
    while let Some(operator) = next {
        next = match &operator.kind {
            OperatorKind::Sort { .. } => return true,
            OperatorKind::Project { input, .. } | OperatorKind::Filter { input, .. } => Some(input),
            _ => None,
        };
    }
    false
}

fn open_module(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    arguments: &mut [CallArgument],
    module: &Arc<Module>,
    asked: &Asked,
) -> SqlResult<i32> {
    let first = asked.values.min(arguments.len());
    let [cursor_place, ..] = asked.places;
    let direct = asked.concurrency & concurrency::ALLOW_DIRECT != 0;
    let Some(columns) = cursor_columns(host, state, module)? else {
        if matches!(&*module.body, [only] if matches!(only.kind, StatementKind::Execute(_))) {
            let mut recorded = Recorded::new(sink);
            let status = run(host, state, &mut recorded, module, &mut arguments[first..])?;
            let well = status == 0 && !recorded.has_failed();
            let results = recorded.end()?;
            if well && results.is_one() {
                let (columns, rows) = results.rows();
                return open_rows(host, state, sink, arguments, asked, (columns, rows, None));
            }
            // After an error, of which the client has been told, it gets what came before.
            if well && !direct {
                return Err(sql_error!(16937));
            }
            answer_directly(sink, arguments, asked)?;
            results.send(sink)?;
            return Ok(status);
        }
        if !direct {
            return Err(sql_error!(16937));
        }
        answer_directly(sink, arguments, asked)?;
        return run(host, state, sink, module, &mut arguments[first..]);
    };
    let mut kept = Kept::new(sink);
    let status = run(host, state, &mut kept, module, &mut arguments[first..])?;
    if let Some(error) = kept.failed {
        return Err(error);
    }
    let Some(rows) = kept.rows else {
        // The client has been told why.
        give(arguments, cursor_place, 0);
        return Ok(status);
    };
    let query = match &module.body[0].kind {
        StatementKind::Query(id) => host.bound_query(state, module, *id)?,
        _ => unreachable!("it has the columns of a query"),
    };
    open_rows(host, state, sink, arguments, asked, (columns, rows, Some(query)))
}

/// The client gets the results themselves, by 16954 it learns that there is no cursor, and the values that tell of one are 0: mssql-jdbc
/// reads those first, whatever it learned, and takes the statement's own OUTPUT values for them where they are missing.
fn answer_directly(sink: &mut dyn Sink, arguments: &mut [CallArgument], asked: &Asked) -> SqlResult<()> {
    let [cursor_place, _, _, rows_place] = asked.places;
    give(arguments, cursor_place, 0);
    give(arguments, rows_place, 0);
    sink.message(&sql_error!(16954).at_line(1)).map_err(exec::session::stopped)
}

/// Columns and rows of a cursor, and the query that they are of, if it was not a procedure's.
type Rows = (Vec<OutputColumn>, RowBatch, Option<Arc<Query>>);

fn open_rows(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    arguments: &mut [CallArgument],
    asked: &Asked,
    (columns, rows, query): Rows,
) -> SqlResult<i32> {
    let [cursor_place, scroll_place, concurrency_place, rows_place] = asked.places;
    let targets = if query.is_some() { targets(host, &columns) } else { Vec::new() };
    let kind = match asked.scroll & scroll::KINDS {
        0 => scroll::KEYSET,
        several => several & several.wrapping_neg(),
    };
    let has_key = has_keys(&targets);
    // "Using Implicit Cursor Conversions": https://learn.microsoft.com/previous-versions/sql/sql-server-2005/ms190641(v=sql.90)
    let sorted = query.as_ref().is_some_and(|query| sorts(query));
    let kind = match kind {
        scroll::FORWARD_ONLY if columns.iter().all(|column| column.origin.is_none()) => scroll::STATIC,
        scroll::FORWARD_ONLY | scroll::DYNAMIC if sorted && has_key => scroll::KEYSET,
        // One over a table without a unique key stays, other than in T-SQL: SQL Server's knows where its rows lie.
        scroll::KEYSET | scroll::DYNAMIC if targets.is_empty() => scroll::STATIC,
        kind => kind,
    };
    let concurrency = match asked.concurrency & concurrency::KINDS {
        0 => concurrency::OPTIMISTIC,
        several => several & several.wrapping_neg(),
    };
    let read_only = targets.is_empty() || matches!(kind, scroll::STATIC | scroll::FAST_FORWARD);
    let concurrency = if read_only { concurrency::READ_ONLY } else { concurrency };
    let note = host.entry.cursors.add("", properties(kind, concurrency), None);
    note.set_open(true);
    let mut cursor = ApiCursor {
        columns,
        rows,
        changed: HashMap::new(),
        kind,
        concurrency,
        targets,
        start: 0,
        length: 0,
        note,
        positioned: None,
        query,
        permitted: now_permitted(host, state),
    };
    let mut rows_known = if matches!(kind, scroll::STATIC | scroll::KEYSET) { cursor.count() } else { -1 };
    let mut buffer = Vec::new();
    if asked.scroll & scroll::AUTO_FETCH != 0 {
        let rows = if asked.rows > 0 { asked.rows } else { ROWS_DEFAULT };
        cursor.position(fetch::NEXT, 0, rows);
        buffer = fetched(&cursor);
        rows_known = cursor.length;
    }
    send(sink, &cursor.columns, buffer)?;
    let at_end = cursor.start + cursor.length > cursor.count();
    give(arguments, scroll_place, kind);
    give(arguments, concurrency_place, concurrency);
    give(arguments, rows_place, rows_known);
    if asked.scroll & scroll::AUTO_CLOSE != 0 && asked.scroll & scroll::AUTO_FETCH != 0 && at_end {
        give(arguments, cursor_place, 0);
        return Ok(CLOSED_AT_END);
    }
    let handle = host.cursors.keep(cursor)?;
    give(arguments, cursor_place, handle.into());
    Ok(0)
}

fn now_permitted(host: &SessionHost, state: &State) -> (u64, u64) {
    (host.catalog_session.version(&host.server.catalog), state.actor)
}

/// 229: the rows were permitted when the cursor was opened, and are no more.
fn check_permitted(host: &mut SessionHost, state: &mut State, cursor: &mut ApiCursor) -> SqlResult<()> {
    let now = now_permitted(host, state);
    if cursor.permitted != now {
        if let Some(query) = &cursor.query {
            host.check_query(state, query)?;
        }
        cursor.permitted = now;
    }
    Ok(())
}

fn run(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    module: &Arc<Module>,
    values: &mut [CallArgument],
) -> SqlResult<i32> {
    let (ended, result) = exec::call_module(module, None, values.to_vec(), state, host, sink);
    for (value, (_, ty, given)) in values.iter_mut().filter(|value| value.output).zip(result.outputs) {
        value.value = Some((ty, given));
    }
    match ended {
        Ended::Completed => Ok(result.status),
        Ended::Aborted => Ok(1),
        Ended::Stopped(stop) => Err(exec::session::stopped(stop)),
        Ended::Failed(error) => Err(error),
    }
}

/// The tables that the columns come from, if they hold a unique key of each, or all columns of one that has none.
fn targets(host: &SessionHost, columns: &[OutputColumn]) -> Vec<Target> {
    let mut firsts: Vec<&ColumnOrigin> = Vec::new();
    for origin in columns.iter().filter_map(|column| column.origin.as_ref()) {
        if firsts.iter().all(|first| first.place != origin.place) {
            firsts.push(origin);
        }
    }
    let targets: Option<Vec<Target>> = firsts.iter().map(|first| target(host, columns, first)).collect();
    targets.unwrap_or_default()
}

fn target(host: &SessionHost, columns: &[OutputColumn], first: &ColumnOrigin) -> Option<Target> {
    let table = &first.table;
    let place = |wanted: u16| {
        let is = |column: &OutputColumn| {
            column.origin.as_ref().is_some_and(|origin| origin.column == wanted && origin.place == first.place)
        };
        columns.iter().position(is)
    };
    let mut unique: Vec<_> =
        table.indexes.iter().filter(|index| index.unique && index.filter.is_empty() && !index.disabled).collect();
    unique.sort_by_key(|index| !index.primary_key);
    let key =
        unique.iter().find_map(|index| index.key.iter().map(|(column, _)| place(*column)).collect::<Option<Vec<_>>>());
    let is_unique = key.is_some();
    let all = || table.columns.iter().zip(0..).map(|(column, at)| place(at).filter(|_| column.ty.is_comparable()));
    let key = key.or_else(|| all().collect())?;
    let name = if table.name.starts_with('#') {
        quoted(&table.name)
    } else {
        let database = host.server.catalog.database(table.database)?.name();
        format!("{}.{}.{}", quoted(&database), quoted(&table.schema), quoted(&table.name))
    };
    Some(Target { table: table.clone(), place: first.place, name, key, is_unique })
}

fn quoted(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

/// The rows of the fetch buffer with their ROWSTAT.
fn fetched(cursor: &ApiCursor) -> Vec<Vec<Datum>> {
    cursor
        .buffer()
        .map(|at| match cursor.row(at) {
            Some(mut row) => {
                row.push(Datum::I64(FETCHED));
                row
            }
            None => {
                let mut row = vec![Datum::Null; cursor.columns.len()];
                row.push(Datum::I64(MISSING));
                row
            }
        })
        .collect()
}

fn send(sink: &mut dyn Sink, columns: &[OutputColumn], rows: Vec<Vec<Datum>>) -> SqlResult<()> {
    let stopped = exec::session::stopped;
    // Keys that the select list has not are for finding rows again. They are the last columns, but for ROWSTAT.
    let shown = columns.iter().filter(|column| !column.is_hidden()).count();
    let mut all = columns[..shown].to_vec();
    // A row that is gone has no values.
    all.iter_mut().for_each(|column| column.nullable = true);
    all.push(OutputColumn { row_status: true, ..OutputColumn::plain("ROWSTAT", SqlType::INT, false) });
    sink.columns(&all).map_err(stopped)?;
    let count = rows.len() as u64;
    if count > 0 {
        let mut batch = RowBatch::new(all.iter().map(|column| column.ty.physical()));
        for mut row in rows {
            row.drain(shown..columns.len());
            batch.push_row(&row);
        }
        sink.batch(&batch).map_err(stopped)?;
    }
    let done =
        Done { kind: DoneKind::InProcedure, command: Command::Select, row_count: Some(count), outcome: Outcome::Well };
    sink.done(done).map_err(stopped)
}

/// Takes the cursor out for the length of `work`, which needs the session too.
fn with_cursor<T>(
    host: &mut SessionHost,
    procedure: &str,
    arguments: &[CallArgument],
    work: impl FnOnce(&mut SessionHost, &mut ApiCursor) -> SqlResult<T>,
) -> SqlResult<T> {
    let given = number(arguments, 0).ok_or_else(|| expects_parameter(procedure, "@cursor"))?;
    let handle = i32::try_from(given).map_err(|_| no_such_cursor(procedure, given))?;
    let mut cursor = host.cursors.open.remove(&handle).ok_or_else(|| no_such_cursor(procedure, given))?;
    let result = work(host, &mut cursor);
    host.cursors.open.insert(handle, cursor);
    result
}

fn fetch_rows(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    let asked = number(arguments, 1).unwrap_or(fetch::NEXT);
    let kind = asked & fetch::KINDS;
    if kind.count_ones() != 1 || kind & fetch::UNUSED != 0 || asked & !(fetch::KINDS | fetch::SKIP_CONCURRENCY) != 0 {
        return Err(sql_error!(16902, "sp_cursorfetch", "fetchtype"));
    }
    let place = number(arguments, 2).unwrap_or(0);
    let rows = number(arguments, 3).unwrap_or(ROWS_DEFAULT).clamp(0, i64::from(i32::MAX));
    let info = with_cursor(host, "sp_cursorfetch", arguments, |host, cursor| {
        if kind & fetch::INFO != 0 {
            let at = if cursor.start > cursor.count() { -1 } else { cursor.start };
            return Ok(Some((at, cursor.count())));
        }
        if cursor.only_forward()
            && !matches!(kind, fetch::NEXT | fetch::REFRESH | fetch::FIRST)
            && !(kind == fetch::RELATIVE && place >= 0)
        {
            let name = match kind {
                fetch::PREVIOUS | fetch::PREVIOUS_UNADJUSTED => "PREVIOUS",
                fetch::LAST => "LAST",
                fetch::ABSOLUTE => "ABSOLUTE",
                _ => "RELATIVE",
            };
            return Err(sql_error!(16911, "sp_cursorfetch", name));
        }
        check_permitted(host, state, cursor)?;
        cursor.position(kind, place, rows);
        if cursor.shows_changes() {
            for at in cursor.buffer() {
                read_again(host, state, cursor, at)?;
            }
        }
        send(sink, &cursor.columns, fetched(cursor))?;
        Ok(None)
    })?;
    if let Some((at, count)) = info {
        give(arguments, 2, at);
        give(arguments, 3, count);
    }
    Ok(0)
}

/// Values and text of a statement that finds a row by its key.
struct Statement {
    text: String,
    declared: Vec<String>,
    values: Vec<CallArgument>,
}

impl Statement {
    fn new(text: String) -> Statement {
        Statement { text, declared: Vec::new(), values: Vec::new() }
    }

    /// A parameter of this value: its name.
    fn value(&mut self, ty: &SqlType, value: Datum) -> String {
        let name = format!("@p{}", self.values.len());
        self.declared.push(format!("{name} {}", declared_type(ty)));
        self.values.push(CallArgument { name: None, value: Some((*ty, value)), table: None, output: false });
        name
    }

    fn condition(&mut self, cursor: &ApiCursor, target: &Target, row: &[Datum], with_values: bool) {
        let mut word = " WHERE ";
        for (at, column) in cursor.columns.iter().enumerate() {
            let is_key = target.key.contains(&at);
            let compared = with_values && column.ty.is_comparable();
            let origin = column.origin.as_ref().filter(|origin| (is_key || compared) && target.has(origin));
            let Some(origin) = origin else { continue };
            let name = quoted(&target.table.columns[usize::from(origin.column)].name);
            let test = if row[at].is_null() {
                format!("{name} IS NULL")
            } else {
                // Strings that are alike in their collation are not the same.
                match !target.is_unique && column.ty.is_string() {
                    true => {
                        let value = self.value(&SqlType::varbinary(8000), row[at].clone());
                        format!("CONVERT(varbinary(8000), {name}) = {value}")
                    }
                    false => {
                        let value = self.value(&column.ty, row[at].clone());
                        format!("{name} = {value}")
                    }
                }
            };
            self.text.push_str(word);
            self.text.push_str(&test);
            word = " AND ";
        }
    }

    /// The rows of a query that the client hears nothing of.
    fn look(self, host: &mut SessionHost, state: &mut State) -> SqlResult<Option<RowBatch>> {
        let counts = (state.row_count, state.error);
        let mut silent = exec::sink::Discard;
        let mut kept = Kept::new(&mut silent);
        self.run(host, state, &mut kept)?;
        (state.row_count, state.error) = counts;
        Ok(kept.rows)
    }

    fn run(mut self, host: &mut SessionHost, state: &mut State, sink: &mut dyn Sink) -> SqlResult<i32> {
        let module = compile(host, state, &self.text, &self.declared.join(", ")).map_err(SqlError::together)?;
        run(host, state, sink, &module, &mut self.values)
    }
}

/// A rowversion cannot be given to a variable of its own type.
fn declared_type(ty: &SqlType) -> String {
    match ty.kind {
        types::TypeKind::RowVersion => "binary(8)".to_string(),
        _ => ty.to_string(),
    }
}

/// Result columns of a table's columns.
fn own_columns(cursor: &ApiCursor, target: &Target) -> Vec<usize> {
    let is_own = |i: &usize| cursor.columns[*i].origin.as_ref().is_some_and(|origin| target.has(origin));
    (0..cursor.columns.len()).filter(is_own).collect()
}

/// A query of those of a table.
fn reading(cursor: &ApiCursor, target: &Target, own: &[usize]) -> Statement {
    let name = |i: &usize| {
        let origin = cursor.columns[*i].origin.as_ref().expect("a table's column has an origin");
        quoted(&target.table.columns[usize::from(origin.column)].name)
    };
    let names: Vec<String> = own.iter().map(name).collect();
    Statement::new(format!("SELECT {} FROM {}", names.join(", "), target.name))
}

/// The row as its tables have it now.
fn read_again(host: &mut SessionHost, state: &mut State, cursor: &mut ApiCursor, at: usize) -> SqlResult<()> {
    let Some(mut row) = cursor.row(at) else { return Ok(()) };
    for target in &cursor.targets {
        // Of an outer join: there was no row of this table.
        if cursor.targets.len() > 1 && target.key.iter().all(|key| row[*key].is_null()) {
            continue;
        }
        let own = own_columns(cursor, target);
        let mut statement = reading(cursor, target, &own);
        statement.condition(cursor, target, &row, false);
        let Some(rows) = statement.look(host, state)? else { return Ok(()) };
        if rows.rows == 0 {
            cursor.changed.insert(at, None);
            return Ok(());
        }
        own.iter().enumerate().for_each(|(from, to)| row[*to] = rows.columns[from].datum(0));
    }
    cursor.changed.insert(at, Some(row));
    Ok(())
}

/// sp_cursor: changes the rows of the fetch buffer.
fn operate(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    let kind = number(arguments, 1).unwrap_or(0);
    let row = number(arguments, 2).unwrap_or(0);
    let values: Vec<CallArgument> = arguments.get(4..).unwrap_or_default().to_vec();
    let table = arguments.get(3).and_then(text_of).unwrap_or_default();
    with_cursor(host, "sp_cursor", arguments, |host, cursor| {
        if kind == 0 || kind & !operation::ALL != 0 {
            return Err(sql_error!(16902, "sp_cursor", "optype"));
        }
        let changes = kind & (operation::UPDATE | operation::DELETE | operation::INSERT) != 0;
        if changes && (cursor.concurrency == concurrency::READ_ONLY || cursor.targets.is_empty()) {
            return Err(sql_error!(16929));
        }
        let target = if changes { target_of(cursor, &table, &values)? } else { 0 };
        if kind & operation::INSERT != 0 {
            return insert(host, state, sink, (cursor, target), &values);
        }
        let rows: Vec<usize> = if kind & operation::ABSOLUTE != 0 {
            usize::try_from(row - 1).ok().filter(|at| *at < cursor.rows.rows).into_iter().collect()
        } else if row == 0 {
            cursor.buffer().collect()
        } else {
            cursor.buffer().nth(usize::try_from(row - 1).unwrap_or(usize::MAX)).into_iter().collect()
        };
        if rows.is_empty() && (changes || kind & (operation::REFRESH | operation::SET_POSITION) != 0) {
            return Err(sql_error!(16930));
        }
        if kind & operation::SET_POSITION != 0 {
            cursor.positioned = rows.first().copied();
        }
        for at in rows.iter().copied().filter(|_| changes) {
            let delete = kind & operation::DELETE != 0;
            change(host, state, sink, (&mut *cursor, target), (at, delete), &values)?;
        }
        if kind & operation::REFRESH != 0 {
            if !cursor.targets.is_empty() {
                rows.iter().try_for_each(|at| read_again(host, state, cursor, *at))?;
            }
            send(sink, &cursor.columns, fetched(cursor))?;
        }
        Ok(0)
    })
}

/// Which of the cursor's tables a client means: by its name, or, where it gives none, the first that has the columns it names. 16933.
fn target_of(cursor: &ApiCursor, table: &str, values: &[CallArgument]) -> SqlResult<usize> {
    let is_meant = |target: &Target| match table.trim() {
        "" => values.iter().filter_map(|value| value.name.as_deref()).all(|name| {
            let plain = name.strip_prefix('@').unwrap_or(name);
            target.table.columns.iter().any(|column| column.name.eq_ignore_ascii_case(plain))
        }),
        table => ObjectName::from_text(table).is_some_and(|name| name.name.eq_ignore_ascii_case(&target.table.name)),
    };
    match cursor.targets.iter().position(is_meant) {
        Some(at) => Ok(at),
        // A column that there is not is told by itself.
        None if table.trim().is_empty() => Ok(0),
        None => Err(sql_error!(16933)),
    }
}

/// (column of the table as T-SQL writes it, type, value) of each value of a call.
fn assignments(
    cursor: &ApiCursor,
    target: &Target,
    values: &[CallArgument],
) -> SqlResult<Vec<(String, SqlType, Datum)>> {
    let mut found = Vec::new();
    for (position, argument) in values.iter().enumerate() {
        let Some((ty, value)) = argument.value.clone() else { continue };
        let column = match &argument.name {
            Some(name) => {
                let plain = name.strip_prefix('@').unwrap_or(name);
                target.table.columns.iter().find(|column| column.name.eq_ignore_ascii_case(plain))
            }
            None => cursor
                .columns
                .get(position)
                .and_then(|column| column.origin.as_ref())
                .filter(|origin| target.has(origin))
                .map(|origin| &target.table.columns[usize::from(origin.column)]),
        };
        let missing = || sql_error!(16932);
        found.push((quoted(&column.ok_or_else(missing)?.name), ty, value));
    }
    Ok(found)
}

fn insert(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    (cursor, target): (&mut ApiCursor, usize),
    values: &[CallArgument],
) -> SqlResult<i32> {
    let target = &cursor.targets[target];
    let mut statement = Statement::new(String::new());
    let mut names = Vec::new();
    let mut parameters = Vec::new();
    let given = assignments(cursor, target, values)?;
    for (name, ty, value) in &given {
        names.push(&**name);
        parameters.push(statement.value(ty, value.clone()));
    }
    statement.text = if names.is_empty() {
        format!("INSERT INTO {} DEFAULT VALUES", target.name)
    } else {
        format!("INSERT INTO {} ({}) VALUES ({})", target.name, names.join(", "), parameters.join(", "))
    };
    let status = statement.run(host, state, sink)?;
    if status == 0 && cursor.shows_changes() && cursor.targets.len() == 1 {
        append(host, state, cursor, &given)?;
    }
    Ok(status)
}

/// Inserts made through a cursor are seen at its end (https://learn.microsoft.com/sql/relational-databases/cursors), where the key of the row is
/// known: by what was given, or from the identity column.
fn append(
    host: &mut SessionHost,
    state: &mut State,
    cursor: &mut ApiCursor,
    given: &[(String, SqlType, Datum)],
) -> SqlResult<()> {
    let [target] = &cursor.targets[..] else { return Ok(()) };
    let own = own_columns(cursor, target);
    let mut statement = reading(cursor, target, &own);
    let mut word = " WHERE ";
    for place in &target.key {
        let origin = cursor.columns[*place].origin.as_ref().expect("a key column has a table");
        let column = &target.table.columns[usize::from(origin.column)];
        let name = quoted(&column.name);
        let value = match given.iter().find(|(known, ..)| *known == name) {
            Some((_, ty, value)) => statement.value(ty, value.clone()),
            None if column.identity.is_some() => "@@IDENTITY".to_string(),
            None => return Ok(()),
        };
        statement.text.push_str(&format!("{word}{name} = {value}"));
        word = " AND ";
    }
    let Some(rows) = statement.look(host, state)?.filter(|rows| rows.rows == 1) else { return Ok(()) };
    let mut row = vec![Datum::Null; cursor.columns.len()];
    own.iter().enumerate().for_each(|(from, to)| row[*to] = rows.columns[from].datum(0));
    cursor.rows.push_row(&row);
    Ok(())
}

fn change(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    (cursor, target): (&mut ApiCursor, usize),
    (at, delete): (usize, bool),
    values: &[CallArgument],
) -> SqlResult<()> {
    let gone = || sql_error!(16947);
    let old = cursor.row(at).ok_or_else(gone)?;
    let target = &cursor.targets[target];
    let given = assignments(cursor, target, values)?;
    let top = if target.is_unique { "" } else { " TOP (1)" };
    let mut statement = Statement::new(String::new());
    if delete {
        statement.text = format!("DELETE{top} FROM {}", target.name);
    } else {
        let mut set = Vec::new();
        for (name, ty, value) in &given {
            let parameter = statement.value(ty, value.clone());
            set.push(format!("{name} = {parameter}"));
        }
        if set.is_empty() {
            return Ok(());
        }
        statement.text = format!("UPDATE{top} {} SET {}", target.name, set.join(", "));
    }
    let optimistic = matches!(cursor.concurrency, concurrency::OPTIMISTIC | concurrency::OPTIMISTIC_VALUES);
    statement.condition(cursor, target, &old, optimistic);
    // A statement that fails changes nothing either; its error has been sent.
    state.row_count = 0;
    let status = statement.run(host, state, sink)?;
    if status == 0 && state.row_count == 0 {
        sink.message(&sql_error!(16934)).map_err(exec::session::stopped)?;
        return Err(gone());
    }
    if delete && status == 0 {
        cursor.changed.insert(at, None);
        return Ok(());
    }
    // A key that was changed leads to the row no more: what was given stands for it.
    let mut fresh = old;
    for (name, _, value) in given {
        for place in &target.key {
            let origin = cursor.columns[*place].origin.as_ref().expect("a key column has a table");
            if quoted(&target.table.columns[usize::from(origin.column)].name) == name {
                fresh[*place] = value.clone();
            }
        }
    }
    if status == 0 {
        cursor.changed.insert(at, Some(fresh));
        read_again(host, state, cursor, at)?;
    }
    Ok(())
}

/// @code of sp_cursoroption.
mod cursor_option {
    pub const TEXT_POINTERS: i64 = 1;
    pub const NAME: i64 = 2;
    pub const TEXT_DATA: i64 = 3;
    pub const SCROLL: i64 = 4;
    pub const CONCURRENCY: i64 = 5;
    pub const ROW_COUNT: i64 = 6;
}

/// sp_cursoroption @cursor, @code, @value OUTPUT: what the cursor is, or how it is called. Long values always come with the row: who asks
/// for pointers to them gets them all the same.
fn option(host: &mut SessionHost, arguments: &mut [CallArgument]) -> SqlResult<i32> {
    let code = number(arguments, 1).unwrap_or(0);
    let name = arguments.get(2).and_then(text_of).filter(|_| code == cursor_option::NAME);
    if let Some(name) = &name
        && host.cursors.named(name).is_some()
    {
        return Err(sql_error!(16915, name));
    }
    let value = with_cursor(host, "sp_cursoroption", arguments, |host, cursor| {
        Ok(match code {
            cursor_option::NAME => {
                let name = name.ok_or_else(|| expects_parameter("sp_cursoroption", "@value"))?;
                cursor.note = host.entry.cursors.add(&name, properties(cursor.kind, cursor.concurrency), None);
                cursor.note.set_open(true);
                None
            }
            cursor_option::TEXT_POINTERS | cursor_option::TEXT_DATA => None,
            cursor_option::SCROLL => Some(cursor.kind),
            cursor_option::CONCURRENCY => Some(cursor.concurrency),
            cursor_option::ROW_COUNT => Some(cursor.count()),
            _ => return Err(sql_error!(16902, "sp_cursoroption", "code")),
        })
    })?;
    if let Some(value) = value {
        give(arguments, 2, value);
    }
    Ok(0)
}

fn close(host: &mut SessionHost, arguments: &[CallArgument]) -> SqlResult<i32> {
    let given = number(arguments, 0).ok_or_else(|| expects_parameter("sp_cursorclose", "@cursor"))?;
    let handle = i32::try_from(given).ok();
    match handle.and_then(|handle| host.cursors.open.remove(&handle)) {
        Some(_) => Ok(0),
        None => Err(no_such_cursor("sp_cursorclose", given)),
    }
}
