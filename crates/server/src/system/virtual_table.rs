//! Rows of the computed system tables. Each table's function gives its rows as named values; what it leaves out is NULL, or 0 and
//! empty where SQL Server never shows NULL.

use std::collections::HashMap;
use std::sync::Arc;

use exec::session::Session as State;
use sql::catalog::{Object, VirtualTableDef};
use types::{Datum, Physical, SqlResult, SqlType};

use super::answer::{Answer, Arguments};
use super::cell::NamedRow;
use super::tables::{
    buffer_rows, catalog_rows, exec_rows, mda_rows, memory_rows, os_rows, plan_rows, transaction_rows, xtp_rows,
};
use crate::catalog::{MASTER, registry};
use crate::instance::machine;
use crate::instance::question::{self, Question};
use crate::instance::server::Server;
use crate::security::check::Securable;
use crate::session::host::SessionHost;

/// Where the rows of a table are, when engines are processes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    /// Each engine has all of them.
    Here,
    /// Each engine has its own.
    Apart,
    /// Engines may have plans of the same text: what they cost is one row.
    OfPlans,
    /// Each engine has used indexes for itself. So many columns name one.
    OfIndexes(usize),
    /// Engines may have the same one: the first that is found answers.
    Anywhere,
    /// Each engine counts for itself: the texts name what, numbers are added up, but a maximum is the greatest of them.
    Counted,
}

fn place_of(table: &str) -> Rows {
    match table {
        "dm_exec_sessions"
        | "dm_exec_connections"
        | "dm_exec_requests"
        | "dm_exec_session_wait_stats"
        | "dm_exec_cursors"
        | "dm_exec_query_memory_grants"
        | "dm_exec_input_buffer"
        | "dm_tran_session_transactions" => Rows::Apart,
        "dm_exec_query_stats"
        | "dm_exec_procedure_stats"
        | "dm_exec_trigger_stats"
        | "dm_exec_function_stats"
        | "dm_exec_cached_plans" => Rows::OfPlans,
        "dm_db_index_usage_stats" => Rows::OfIndexes(3),
        "dm_db_index_operational_stats" => Rows::OfIndexes(5),
        "dm_exec_sql_text" | "dm_exec_query_plan" | "dm_exec_text_query_plan" | "dm_exec_plan_attributes" => {
            Rows::Anywhere
        }
        "dm_os_spinlock_stats" | "dm_os_latch_stats" | "monSpinlockActivity" => Rows::Counted,
        _ => Rows::Here,
    }
}

/// Rows of a computed table, of all engines.
pub fn virtual_rows(
    host: &mut SessionHost,
    state: &mut State,
    table: &VirtualTableDef,
    columns: &[u16],
    arguments: &[Datum],
    row: &mut dyn FnMut(&[Datum]) -> SqlResult<()>,
) -> SqlResult<()> {
    let (_, entry) = registry::of_virtual_id(table.id);
    let place = match host.server.engines.others().next() {
        None => Rows::Here,
        Some(_) => place_of(entry.name),
    };
    if SESSIONS.contains(&entry.name) && !sees_all(host, state)? {
        return own_session(host, state, table, columns, arguments)?.iter().try_for_each(|values| row(values));
    }
    if entry.name == "dm_os_buffer_descriptors" {
        return buffer_rows::for_each(host, state, &mut |mut named| row(&values(&mut named, table, columns)));
    }
    if place == Rows::Here {
        return own_rows(host, state, table, columns, arguments)?.iter().try_for_each(|values| row(values));
    }
    let all: Vec<u16> = (0..table.columns.len() as u16).collect();
    let mut rows = own_rows(host, state, table, &all, arguments)?;
    if place != Rows::Anywhere || rows.is_empty() {
        let question = Question::Rows { table: table.id, arguments: arguments.to_vec() };
        for answer in host.server.engines.ask_others(&question.to_bytes()) {
            let theirs = question::rows_from_bytes(&answer, table.columns.len()).expect("engines run one program");
            match place {
                Rows::Counted => add_up(&mut rows, theirs, table),
                Rows::OfPlans => merge_plans(&mut rows, theirs, table),
                Rows::OfIndexes(named) => add_uses(&mut rows, theirs, table, named),
                Rows::Anywhere if !rows.is_empty() => {}
                _ => rows.extend(theirs),
            }
        }
    }
    rows.iter().try_for_each(|values| {
        let asked: Vec<Datum> = columns.iter().map(|column| values[usize::from(*column)].clone()).collect();
        row(&asked)
    })
}

/// Tables with a row for each session, or more: who may not see the state of the server sees its own.
const SESSIONS: [&str; 3] = ["dm_exec_sessions", "dm_exec_requests", "dm_exec_session_wait_stats"];

fn sees_all(host: &mut SessionHost, state: &mut State) -> SqlResult<bool> {
    host.rights(state, |rights, look| rights.holds(look, None, &Securable::SERVER, "VIEW SERVER PERFORMANCE STATE"))
}

fn own_session(
    host: &mut SessionHost,
    state: &mut State,
    table: &VirtualTableDef,
    columns: &[u16],
    arguments: &[Datum],
) -> SqlResult<Vec<Vec<Datum>>> {
    let all: Vec<u16> = (0..table.columns.len() as u16).collect();
    let at = table.columns.iter().position(|column| &*column.name == "session_id").expect("all of them have it");
    let own = i64::from(host.entry.spid);
    let rows = own_rows(host, state, table, &all, arguments)?;
    let rows = rows.into_iter().filter(|values| values[at].as_i64() == own);
    Ok(rows.map(|values| columns.iter().map(|column| values[usize::from(*column)].clone()).collect()).collect())
}

/// Columns of a computed table of master, of all engines, as a query of it would read them, but without one.
pub fn read(server: &Arc<Server>, table: &str, columns: &[&str]) -> SqlResult<Vec<Vec<Answer>>> {
    let (mut state, mut host) = SessionHost::internal(server);
    let master = server.catalog.expect_database(MASTER);
    let entry = registry::find_first(Some("sys"), table).expect("a table of this server");
    let Some(Object::Virtual(table)) = registry::object(&master, entry) else { unreachable!("its rows are computed") };
    let position =
        |name: &&str| table.columns.iter().position(|column| &*column.name == *name).expect("a column of it");
    let positions: Vec<u16> = columns.iter().map(|name| position(name) as u16).collect();
    let types: Vec<SqlType> = positions.iter().map(|column| table.columns[usize::from(*column)].ty).collect();
    let mut rows = Vec::new();
    virtual_rows(&mut host, &mut state, &table, &positions, &[], &mut |row| {
        rows.push(row.iter().zip(&types).map(|(datum, ty)| Answer::of(datum, ty)).collect());
        Ok(())
    })?;
    Ok(rows)
}

fn add_up(rows: &mut Vec<Vec<Datum>>, others: Vec<Vec<Datum>>, table: &VirtualTableDef) {
    let is_text = |column: &usize| table.columns[*column].ty.is_string();
    for other in others {
        let same = |row: &&mut Vec<Datum>| (0..other.len()).filter(is_text).all(|at| row[at] == other[at]);
        let Some(row) = rows.iter_mut().find(same) else {
            rows.push(other);
            continue;
        };
        for (at, value) in other.into_iter().enumerate() {
            let is_maximum = table.columns[at].name.starts_with("max_");
            row[at] = match (&row[at], value) {
                (Datum::I64(a), Datum::I64(b)) if is_maximum => Datum::I64(*a.max(&b)),
                (Datum::I64(a), Datum::I64(b)) => Datum::I64(a.saturating_add(b)),
                (first, _) => first.clone(),
            };
        }
        let named = |name: &str| table.columns.iter().position(|column| &*column.name == name);
        if let (Some(ratio), Some(spins), Some(collisions)) =
            (named("spins_per_collision"), named("spins"), named("collisions"))
        {
            row[ratio] = Datum::F64(row[spins].as_i64() as f64 / row[collisions].as_i64().max(1) as f64);
        }
        if let (Some(percent), Some(waits), Some(grabs)) = (named("Contention"), named("Waits"), named("Grabs")) {
            row[percent] = Datum::F64(mda_rows::contention(row[waits].as_i64() as u64, row[grabs].as_i64() as u64));
        }
    }
}

/// Adds how often another engine has used indexes, which the first `named` columns name; of two times the later one holds.
fn add_uses(rows: &mut Vec<Vec<Datum>>, others: Vec<Vec<Datum>>, table: &VirtualTableDef, named: usize) {
    for other in others {
        let Some(row) = rows.iter_mut().find(|row| row[..named] == other[..named]) else {
            rows.push(other);
            continue;
        };
        for ((own, theirs), column) in row.iter_mut().zip(other).zip(&table.columns).skip(named) {
            *own = match (&*own, &theirs) {
                (Datum::I64(a), Datum::I64(b)) if column.name.starts_with("last_") => Datum::I64(*a.max(b)),
                (Datum::I64(a), Datum::I64(b)) => Datum::I64(a.saturating_add(*b)),
                (Datum::Null, later) => later.clone(),
                (known, _) => known.clone(),
            };
        }
    }
}

/// Takes statistics of plans of other engines into those of the same plan here.
fn merge_plans(rows: &mut Vec<Vec<Datum>>, others: Vec<Vec<Datum>>, table: &VirtualTableDef) {
    const NAMES: [&str; 4] = ["sql_handle", "plan_handle", "statement_start_offset", "statement_end_offset"];
    let position = |name: &str| table.columns.iter().position(|column| &*column.name == name);
    let keys: Vec<usize> = NAMES.iter().filter_map(|name| position(name)).collect();
    let key = |row: &[Datum]| question::rows_to_bytes(&[keys.iter().map(|at| row[*at].clone()).collect()]);
    let last_time = position("last_execution_time");
    let mut known: HashMap<Vec<u8>, usize> = rows.iter().enumerate().map(|(at, row)| (key(row), at)).collect();
    for other in others {
        let Some(row) = known.get(&key(&other)).map(|at| &mut rows[*at]) else {
            known.insert(key(&other), rows.len());
            rows.push(other);
            continue;
        };
        let is_later = last_time.is_some_and(|at| other[at].as_i64() > row[at].as_i64());
        for ((own, theirs), column) in row.iter_mut().zip(other).zip(&table.columns) {
            let (Datum::I64(a), Datum::I64(b)) = (&*own, &theirs) else { continue };
            *own = Datum::I64(match column.name.split('_').next() {
                Some("total" | "execution" | "usecounts" | "refcounts" | "size") => a.saturating_add(*b),
                Some("min" | "creation" | "cached") => *a.min(b),
                Some("max") => *a.max(b),
                Some("last") if is_later => *b,
                _ => *a,
            });
        }
    }
}

/// Rows of a computed table that this engine has.
fn own_rows(
    host: &mut SessionHost,
    state: &mut State,
    table: &VirtualTableDef,
    columns: &[u16],
    arguments: &[Datum],
) -> SqlResult<Vec<Vec<Datum>>> {
    let (database, entry) = registry::of_virtual_id(table.id);
    let typed: Vec<(SqlType, Datum)> = table.parameters.iter().copied().zip(arguments.iter().cloned()).collect();
    let arguments = Arguments(&typed);
    let name = entry.name;
    let rows = rights_rows(host, state, name, &arguments)?
        .or_else(|| plan_rows::cursor_rows(host, state, name))
        .or_else(|| os_rows::rows(host, name))
        .or_else(|| exec_rows::rows(host, state, name))
        .or_else(|| memory_rows::rows(host, name))
        .or_else(|| transaction_rows::rows(host, state, name))
        .or_else(|| xtp_rows::rows(host, database, name))
        .or_else(|| mda_rows::rows(host, name));
    let mut rows = match rows {
        Some(rows) => rows,
        None => catalog_rows::rows(host, state, database, name, &arguments)?.unwrap_or_default(),
    };
    if name == "dm_tran_locks" {
        let sessions = read(&host.server, "dm_exec_sessions", &["session_id", "database_id", "is_user_process"])?;
        rows.extend(transaction_rows::of_databases(sessions));
    }
    Ok(rows.into_iter().map(|mut named| values(&mut named, table, columns)).collect())
}

/// Takes the values of the columns asked for out of a row.
fn values(named: &mut NamedRow, table: &VirtualTableDef, columns: &[u16]) -> Vec<Datum> {
    let value = |column: &u16| {
        let definition = &table.columns[usize::from(*column)];
        let found = named.iter().position(|(name, _)| definition.name.eq_ignore_ascii_case(name));
        match found {
            Some(position) => named.swap_remove(position).1.datum(&definition.ty),
            None if definition.nullable => Datum::Null,
            None => empty(&definition.ty),
        }
    };
    columns.iter().map(value).collect()
}

/// What depends on who asks.
fn rights_rows(
    host: &mut SessionHost,
    state: &mut State,
    name: &str,
    arguments: &Arguments<'_>,
) -> SqlResult<Option<Vec<NamedRow>>> {
    if name != "fn_my_permissions" {
        return Ok(None);
    }
    let (entity, class) = (arguments.text(0), arguments.text(1));
    super::permissions::my_permissions(host, state, entity.as_deref(), class.as_deref()).map(Some)
}

/// Answers what another engine asks.
pub fn answer(server: &Arc<Server>, question: &[u8]) -> Vec<u8> {
    match Question::from_bytes(question) {
        Some(Question::Rows { table, arguments }) => answer_rows(server, table, &arguments),
        Some(Question::Kill { spid }) => {
            let session = server.sessions.find(spid);
            if let Some(session) = &session {
                session.kill();
            }
            vec![u8::from(session.is_some())]
        }
        Some(Question::Users { database }) => {
            server.sessions.users_of(database).iter().flat_map(|spid| spid.to_le_bytes()).collect()
        }
        Some(Question::ForgetPlans(forget)) => {
            server.plans.forget(forget);
            Vec::new()
        }
        Some(Question::Clear(counted)) => {
            counted.clear();
            Vec::new()
        }
        Some(Question::FollowConfiguration) => {
            machine::follow_here(server);
            Vec::new()
        }
        Some(Question::FollowAffinity) => {
            // The engine that asks has taken it: the CPUs are there.
            let _ = machine::follow_affinity(server);
            Vec::new()
        }
        Some(Question::FollowAudits) => {
            server.audits.follow();
            Vec::new()
        }
        None => Vec::new(),
    }
}

fn answer_rows(server: &Arc<Server>, table: u32, arguments: &[Datum]) -> Vec<u8> {
    let (database, entry) = registry::of_virtual_id(table);
    let Some(database) = server.catalog.database(database) else { return Vec::new() };
    let Some(Object::Virtual(table)) = registry::object(&database, entry) else { return Vec::new() };
    let (mut state, mut host) = SessionHost::internal(server);
    let all: Vec<u16> = (0..table.columns.len() as u16).collect();
    let rows = own_rows(&mut host, &mut state, &table, &all, arguments);
    question::rows_to_bytes(&rows.unwrap_or_default())
}

fn empty(ty: &SqlType) -> Datum {
    match ty.physical() {
        Physical::I64 => Datum::I64(0),
        Physical::F64 => Datum::F64(0.0),
        Physical::I128 => Datum::I128(0),
        Physical::Bytes => Datum::bytes(&[]),
    }
}
