//! sys.dm_exec_*: sessions, connections and what they run.

use std::sync::atomic::Ordering;

use exec::running::{Called, Seen, Settings};
use exec::session::Session as State;
use sql::plan::Client;
use storage::{GrantEntry, TransactionEntry};
use types::Datum;

use super::os_rows::request_status;
use super::plan_rows::{self, handle_cell, offsets};
use super::transaction_rows::wait_resource;
use crate::instance::handle::{self, PlanKey};
use crate::instance::sessions::{Input, Picture, SessionEntry};
use crate::security::actor::Actor;
use crate::session::host::SessionHost;
use crate::system::answer::Answer;
use crate::system::cell::{Cell, NamedRow, address, number, text};
use crate::system::principal::login_of;

const NS_PER_MS: u64 = 1_000_000;

/// None: not a table of this family.
pub fn rows(host: &SessionHost, state: &State, name: &str) -> Option<Vec<NamedRow>> {
    let sessions = || host.server.sessions.all();
    Some(match name {
        "dm_exec_sessions" => {
            let grants = host.server.catalog.storage.grants().entries();
            sessions().iter().map(|entry| session(host, entry, own(host, state, entry), &grants)).collect()
        }
        "dm_exec_connections" => sessions().iter().map(|entry| connection(entry)).collect(),
        "dm_exec_requests" => requests(host, state),
        "dm_exec_valid_use_hints" => sql::bind::use_hints().map(|name| vec![("name", text(&name))]).collect(),
        "dm_exec_session_wait_stats" => sessions().iter().flat_map(|entry| session_waits(entry)).collect(),
        _ => return None,
    })
}

/// The state of the asking session itself: of the others only what their entries say is known.
fn own<'a>(host: &SessionHost, state: &'a State, entry: &SessionEntry) -> Option<&'a State> {
    (entry.spid == host.entry.spid).then_some(state)
}

/// What a session has set: the asking session's as it is now, another's as of its last request, and of the level, the isolation level, the
/// lock timeout and the deadlock priority as its running statement began.
fn set(entry: &SessionEntry, state: Option<&State>) -> (Picture, Settings) {
    match state {
        Some(state) => (Picture::of(state), state.settings()),
        None => (entry.picture.lock().clone(), entry.signal.running.settings()),
    }
}

fn settings((picture, settings): &(Picture, Settings)) -> NamedRow {
    let options = &picture.options;
    vec![
        ("context_info", Cell::Datum(Datum::bytes(&picture.context_info))),
        ("text_size", number(if options.text_size < 0 { i32::MAX } else { options.text_size })),
        ("language", text(options.language.get().name)),
        ("date_format", text(options.date_format.name())),
        ("date_first", number(options.date_first)),
        ("quoted_identifier", options.quoted_identifier.into()),
        ("arithabort", options.arith_abort.into()),
        ("ansi_null_dflt_on", options.ansi_null_dflt_on.into()),
        ("ansi_defaults", options.ansi_defaults.into()),
        ("ansi_warnings", options.ansi_warnings.into()),
        ("ansi_padding", options.ansi_padding.into()),
        ("ansi_nulls", options.ansi_nulls.into()),
        ("concat_null_yields_null", options.concat_null_yields_null.into()),
        ("deadlock_priority", number(settings.deadlock_priority)),
        ("transaction_isolation_level", number(settings.isolation)),
        ("lock_timeout", number(settings.lock_timeout_ms)),
        ("open_transaction_count", number(settings.level)),
    ]
}

fn uuid(value: u128) -> Cell {
    Cell::Datum(Datum::I128(value as i128))
}

/// Name and SID of the login that a session runs as.
fn login(host: &SessionHost, entry: &SessionEntry) -> (String, Box<[u8]>) {
    let own = || (entry.identity.login_name.clone(), entry.identity.security_id.clone());
    match entry.acts_as.load(Ordering::Relaxed) {
        0 => own(),
        number => match login_of(&host.server.catalog, Actor::from_number(number)) {
            Ok(Some(login)) => (login.name, login.sid.0.unwrap_or_default()),
            _ => own(),
        },
    }
}

fn session(host: &SessionHost, entry: &SessionEntry, state: Option<&State>, grants: &[GrantEntry]) -> NamedRow {
    let identity = &entry.identity;
    let (login_name, security_id) = login(host, entry);
    let mut row: NamedRow = vec![
        ("session_id", number(entry.spid)),
        ("login_time", Cell::Time(identity.login_time)),
        ("host_name", text(&identity.host_name)),
        ("program_name", text(&identity.program_name)),
        ("host_process_id", number(identity.client_pid)),
        ("client_version", number(identity.client_version)),
        ("client_interface_name", text(&identity.client_interface)),
        ("security_id", Cell::Datum(Datum::bytes(&security_id))),
        ("login_name", text(&login_name)),
        ("nt_domain", text("")),
        ("nt_user_name", text("")),
        ("status", text(if entry.request_started_ns.load(Ordering::Relaxed) == 0 { "sleeping" } else { "running" })),
        ("cpu_time", number(entry.cpu_ns.load(Ordering::Relaxed) / NS_PER_MS)),
        ("memory_usage", number(used_pages(grants, entry.spid))),
        ("total_scheduled_time", number(entry.elapsed_ns.load(Ordering::Relaxed) / NS_PER_MS)),
        ("total_elapsed_time", number(entry.elapsed_ns.load(Ordering::Relaxed) / NS_PER_MS)),
        ("endpoint_id", number(identity.endpoint_id())),
        ("last_request_start_time", Cell::Time(entry.last_request_start.load(Ordering::Relaxed))),
        ("last_request_end_time", Cell::Time(entry.last_request_end.load(Ordering::Relaxed))),
        ("reads", number(entry.reads.load(Ordering::Relaxed))),
        ("writes", number(entry.writes.load(Ordering::Relaxed))),
        ("logical_reads", number(entry.logical_reads.load(Ordering::Relaxed))),
        ("is_user_process", true.into()),
        ("row_count", number(entry.row_count.load(Ordering::Relaxed))),
        ("prev_error", number(state.map_or(0, |state| state.error))),
        ("original_security_id", Cell::Datum(Datum::bytes(&identity.security_id))),
        ("original_login_name", text(&identity.login_name)),
        ("group_id", number(entry.group.load(Ordering::Relaxed))),
        ("database_id", number(entry.database.load(Ordering::Relaxed))),
        ("authenticating_database_id", number(1)),
    ];
    row.extend(settings(&set(entry, state)));
    row
}

fn connection(entry: &SessionEntry) -> NamedRow {
    let identity = &entry.identity;
    vec![
        ("session_id", number(entry.spid)),
        ("most_recent_session_id", number(entry.spid)),
        ("connect_time", Cell::Time(identity.login_time)),
        ("net_transport", text(identity.net_transport())),
        ("protocol_type", text("TSQL")),
        ("protocol_version", number(identity.tds_version)),
        ("endpoint_id", number(identity.endpoint_id())),
        ("encrypt_option", text(if identity.encrypted { "TRUE" } else { "FALSE" })),
        ("auth_scheme", text("SQL")),
        ("node_affinity", number(0)),
        ("num_reads", number(entry.packets_received.load(Ordering::Relaxed))),
        ("num_writes", number(entry.packets_sent.load(Ordering::Relaxed))),
        ("last_read", Cell::Time(entry.last_request_start.load(Ordering::Relaxed))),
        ("last_write", Cell::Time(entry.last_request_end.load(Ordering::Relaxed))),
        ("net_packet_size", number(identity.packet_bytes)),
        ("client_net_address", known(identity.client_net_address(), |address| text(&address))),
        ("client_tcp_port", known(identity.client_tcp_port(), number)),
        ("local_net_address", known(identity.local_net_address(), |address| text(&address))),
        ("local_tcp_port", known(identity.local_tcp_port(), number)),
        ("connection_id", uuid(identity.connection_id)),
        ("most_recent_sql_handle", sql_handle(entry)),
    ]
}

/// NULL for what is not known, or not so.
fn known<T>(value: Option<T>, cell: impl FnOnce(T) -> Cell) -> Cell {
    value.map_or(Cell::Datum(Datum::Null), cell)
}

pub fn sql_handle(entry: &SessionEntry) -> Cell {
    entry
        .input
        .lock()
        .as_ref()
        .and_then(Input::batch)
        .map_or(Cell::Datum(Datum::Null), |batch| handle_cell(handle::sql_handle(batch)))
}

/// The text that a request's running statement is of, and where it stands in that.
fn statement(entry: &SessionEntry, seen: &Seen) -> (Cell, (usize, i64)) {
    let places = |text: &str| match seen.end {
        0 => (0, -1),
        end => offsets(text, seen.start as usize, end as usize),
    };
    match &seen.called {
        Some(Called { text, database: Some(database) }) => {
            (handle_cell(handle::module_handle(text, *database)), places(text))
        }
        Some(Called { text, database: None }) => (handle_cell(handle::sql_handle(text)), places(text)),
        None => {
            let batch = entry.input.lock().as_ref().and_then(Input::batch).cloned();
            (sql_handle(entry), batch.map_or((0, -1), |batch| places(&batch)))
        }
    }
}

/// `query_hash` and `query_plan_hash` of the query that runs. None: what runs is no query, or its plan is in no cache.
fn hashes(host: &SessionHost, entry: &SessionEntry, seen: &Seen) -> Option<[[u8; 8]; 2]> {
    let handle = match &seen.called {
        Some(Called { text, database: Some(database) }) => handle::module_handle(text, *database),
        Some(Called { text, database: None }) => handle::sql_handle(text),
        None => handle::sql_handle(entry.input.lock().as_ref().and_then(Input::batch)?.as_ref()),
    };
    plan_rows::hashes(&host.server.plans.plan(&handle)?, seen.start)
}

/// What is left after `elapsed` milliseconds for `done` hundredths of a percent. 0: nobody knows.
pub fn time_left_ms(elapsed: u64, done: u32) -> u64 {
    match u64::from(done) {
        0 => 0,
        done => elapsed * (10_000 - done.min(10_000)) / done,
    }
}

/// Of a batch under the SET options that sessions begin with: those of another session are not known.
pub fn plan_handle(entry: &SessionEntry) -> Cell {
    let database = entry.database.load(Ordering::Relaxed) as u16;
    let handle_of = |text: &str| {
        let key = PlanKey {
            text,
            parameters: "",
            database,
            quoted_identifier: true,
            ansi_nulls: true,
            client: Client::Plain,
            session: 0,
        };
        handle::handles(&key).1
    };
    entry
        .input
        .lock()
        .as_ref()
        .and_then(Input::batch)
        .map_or(Cell::Datum(Datum::Null), |batch| handle_cell(handle_of(batch)))
}

fn session_waits(entry: &SessionEntry) -> Vec<NamedRow> {
    let waits = entry.waits_told();
    let row = |row: &os::stats::WaitRow| -> NamedRow {
        vec![
            ("session_id", number(entry.spid)),
            ("wait_type", text(row.wait_type.name())),
            ("waiting_tasks_count", number(row.waiting_tasks)),
            ("wait_time_ms", number(row.wait_ns / NS_PER_MS)),
            ("max_wait_time_ms", number(row.max_wait_ns / NS_PER_MS)),
            ("signal_wait_time_ms", number(row.signal_ns / NS_PER_MS)),
        ]
    };
    waits.iter().map(row).collect()
}

fn requests(host: &SessionHost, state: &State) -> Vec<NamedRow> {
    let machine = os::stats::machine_here().unwrap_or(0);
    let tasks = os::stats::tasks(machine);
    let waiting = os::stats::waiting_tasks(machine);
    let transactions = host.server.catalog.storage.transactions();
    let grants = host.server.catalog.storage.grants().entries();
    let now = os::clock::now();
    let mut rows = Vec::new();
    for entry in host.server.sessions.all() {
        let started = entry.request_started_ns.load(Ordering::Relaxed);
        if started == 0 {
            continue;
        }
        let task = tasks.iter().find(|task| task.session_id == entry.spid);
        let wait = task.and_then(|task| waiting.iter().find(|wait| wait.task == task.id));
        let awaited = wait.and_then(|_| wait_resource(&host.server.catalog.storage, entry.spid));
        let of_session = |transaction: &&TransactionEntry| transaction.session == entry.spid;
        let blocked_by = transactions.iter().filter(of_session).map(|transaction| transaction.blocked_by).max();
        let mine = own(host, state, &entry);
        let (cpu_ns, reads, writes, logical_reads) = entry.work_of_request().unwrap_or_default();
        let seen = entry.signal.running.seen();
        let undone = transactions.iter().filter(of_session).find_map(|transaction| {
            Some((transaction.undone?, os::clock::now_ms().saturating_sub(transaction.undo_begun_ms)))
        });
        let elapsed = now.saturating_sub(started) / NS_PER_MS;
        let (done, since) = undone.unwrap_or((seen.progress, elapsed));
        let command = if entry.killed.load(Ordering::Relaxed) { "KILLED/ROLLBACK" } else { seen.command };
        let (handle, (start, end)) = statement(&entry, &seen);
        let mut row: NamedRow = vec![
            ("cpu_time", number(cpu_ns / NS_PER_MS)),
            ("reads", number(reads)),
            ("writes", number(writes)),
            ("logical_reads", number(logical_reads)),
            ("session_id", number(entry.spid)),
            ("request_id", number(0)),
            ("start_time", Cell::Time(entry.last_request_start.load(Ordering::Relaxed))),
            ("status", text(task.map_or("running", |task| request_status(task.state)))),
            ("command", text(command)),
            ("sql_handle", handle),
            ("plan_handle", plan_handle(&entry)),
            ("statement_start_offset", number(start)),
            ("statement_end_offset", number(end)),
            ("database_id", number(entry.database.load(Ordering::Relaxed))),
            ("user_id", number(1)),
            ("connection_id", uuid(entry.identity.connection_id)),
            ("blocking_session_id", number(blocked_by.unwrap_or(0))),
            ("wait_type", wait.map_or(Cell::Datum(Datum::Null), |wait| text(wait.wait_type.name()))),
            ("wait_time", number(wait.map_or(0, |wait| wait.wait_duration_ns / NS_PER_MS))),
            ("last_wait_type", text(wait.map_or("MISCELLANEOUS", |wait| wait.wait_type.name()))),
            ("wait_resource", text(&awaited.unwrap_or_default())),
            ("open_resultset_count", number(1)),
            ("transaction_id", number(transactions.iter().find(of_session).map_or(0, |transaction| transaction.id))),
            ("total_elapsed_time", number(elapsed)),
            ("scheduler_id", number(task.map_or(0, |task| task.scheduler_id))),
            ("task_address", task.map_or(Cell::Datum(Datum::Null), |task| address(task.id.0))),
            ("row_count", number(entry.row_count.load(Ordering::Relaxed))),
            ("prev_error", number(mine.map_or(0, |state| state.error))),
            ("nest_level", number(mine.map_or(0, |state| state.nest_level))),
            ("group_id", number(entry.group.load(Ordering::Relaxed))),
            ("dop", number(1)),
            ("percent_complete", Cell::Datum(Datum::F64(f64::from(done) / 100.0))),
            ("estimated_completion_time", number(time_left_ms(since, done))),
            ("granted_query_memory", number(granted_pages(&grants, entry.spid))),
        ];
        if let Some(hashes) = hashes(host, &entry, &seen) {
            let told = ["query_hash", "query_plan_hash"].into_iter().zip(hashes);
            row.extend(told.map(|(name, hash)| (name, Cell::Answer(Answer::Bytes(hash.to_vec())))));
        }
        row.extend(settings(&set(&entry, mine)));
        rows.push(row);
    }
    rows
}

/// What a session's queries are granted now, in pages of 8 KB, for `sys.dm_exec_requests.granted_query_memory`.
fn granted_pages(grants: &[GrantEntry], session: u32) -> u64 {
    let own = grants.iter().filter(|grant| grant.session == session && grant.granted_at != 0);
    own.map(|grant| grant.granted.div_ceil(8_192)).sum()
}

/// What a session holds, in pages of 8 KB: at least one. For `sys.dm_exec_sessions.memory_usage`.
fn used_pages(grants: &[GrantEntry], session: u32) -> u64 {
    let own = grants.iter().filter(|grant| grant.session == session);
    own.map(|grant| grant.used.div_ceil(8_192)).sum::<u64>().max(1)
}
