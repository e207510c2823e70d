//! sys.dm_tran_*: locks and transactions, from storage.

use std::sync::atomic::Ordering;

use exec::session::Session as State;
use storage::{Resource, Storage};
use types::Datum;

use crate::catalog::{MASTER, TEMPDB};
use crate::instance::sessions::SessionEntry;
use crate::session::host::SessionHost;
use crate::system::answer::Answer;
use crate::system::cell::{Cell, NamedRow, number, text};

/// None: not a table of this family.
pub fn rows(host: &SessionHost, state: &State, name: &str) -> Option<Vec<NamedRow>> {
    let storage = &host.server.catalog.storage;
    Some(match name {
        "dm_tran_locks" => storage.locks_told().iter().map(|entry| lock(storage, entry)).collect(),
        "dm_tran_active_transactions" => {
            storage.transactions().iter().map(|entry| active(host, state, entry)).collect()
        }
        "dm_tran_database_transactions" => in_databases(host),
        "dm_tran_active_snapshot_database_transactions" => {
            storage.transactions().iter().filter_map(with_snapshot).collect()
        }
        "dm_tran_current_transaction" => vec![current(host, state)],
        "dm_tran_session_transactions" => of_sessions(host, state),
        _ => return None,
    })
}

/// What of a row's hash is shown: six bytes.
const SHOWN_HASH: u64 = 0xFFFF_FFFF_FFFF;

/// `sys.partitions.hobt_id` of the rows of a table or a partition.
fn hobt(storage: &Storage, database: storage::DatabaseId, table: storage::TableId) -> i64 {
    72_057_594_037_927_936 + i64::from(table.0) * 256 + i64::from(!storage.is_heap(database, table))
}

/// Kind, database, description and entity of what is locked.
/// https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-tran-locks-transact-sql
fn resource(storage: &Storage, resource: &Resource) -> (&'static str, u16, String, i64) {
    match resource {
        Resource::Table(database, table) => ("OBJECT", database.0, String::new(), i64::from(table.0)),
        Resource::Row(database, table, hash) => {
            ("KEY", database.0, format!("({:012x})", hash & SHOWN_HASH), hobt(storage, *database, *table))
        }
        Resource::Application(database, hash) => ("APPLICATION", database.0, format!("({hash:x})"), 0),
    }
}

/// `sys.dm_exec_requests.wait_resource` of a session that waits for a lock.
/// https://learn.microsoft.com/troubleshoot/sql/database-engine/performance/understand-resolve-blocking
pub fn wait_resource(storage: &Storage, session: u32) -> Option<String> {
    let (awaited, _) = storage.awaited_by(session)?;
    Some(match resource(storage, &awaited) {
        ("OBJECT", database, _, object) => format!("OBJECT: {database}:{object}:0"),
        ("KEY", database, description, hobt) => format!("KEY: {database}:{hobt} {description}"),
        (kind, database, description, _) => format!("{kind}: {database}:0:{description}"),
    })
}

/// `sys.dm_os_waiting_tasks.resource_description` of a session that waits for a lock.
/// https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-os-waiting-tasks-transact-sql
pub fn resource_description(storage: &Storage, session: u32) -> Option<String> {
    let (awaited, mode) = storage.awaited_by(session)?;
    let (kind, database, description, entity) = resource(storage, &awaited);
    let mode = mode.name();
    Some(match kind {
        "OBJECT" => format!(
            "objectlock lockPartition=0 objid={entity} subresource=FULL dbid={database} id=lock{entity:x} mode={mode} \
             associatedObjectId={entity}"
        ),
        "KEY" => {
            let hash = description.trim_matches(['(', ')']);
            format!("keylock hobtid={entity} dbid={database} id=lock{hash} mode={mode} associatedObjectId={entity}")
        }
        _ => format!("applicationlock hash={description} databasePrincipalId=0 dbid={database} id=lock0 mode={mode}"),
    })
}

fn lock(storage: &Storage, entry: &storage::LockEntry) -> NamedRow {
    let (kind, database, description, entity) = resource(storage, &entry.resource);
    let mut row = vec![
        ("resource_type", text(kind)),
        ("resource_database_id", number(database)),
        ("resource_description", text(&description)),
        ("resource_associated_entity_id", number(entity)),
        ("request_mode", text(entry.mode_name())),
        ("request_status", text(if entry.granted { "GRANT" } else { "WAIT" })),
        ("request_session_id", number(entry.session)),
        ("request_owner_type", text("TRANSACTION")),
        ("request_owner_id", number(entry.transaction)),
    ];
    row.extend(of_any_lock());
    row
}

fn of_any_lock() -> NamedRow {
    vec![
        ("resource_subtype", text("")),
        ("resource_lock_partition", number(0)),
        ("request_type", text("LOCK")),
        ("request_reference_count", number(1)),
        ("request_lifetime", number(0)),
        ("request_exec_context_id", number(0)),
        ("request_request_id", number(0)),
        ("request_owner_guid", Cell::Datum(Datum::I128(0))),
    ]
}

/// A session shares the database that it is in, which nobody can drop or restore meanwhile; those that nobody can ever are not locked.
/// `sessions`: of all engines their numbers, their databases, and whether they are users'.
pub fn of_databases(sessions: Vec<Vec<Answer>>) -> Vec<NamedRow> {
    let shared = |session: Vec<Answer>| {
        let [session, database, is_user] = [&session[0], &session[1], &session[2]].map(Answer::number);
        if is_user == 0 || [MASTER, TEMPDB].iter().any(|free| i64::from(free.0) == database) {
            return None;
        }
        let mut row = vec![
            ("resource_type", text("DATABASE")),
            ("resource_database_id", number(database)),
            ("resource_description", text("")),
            ("resource_associated_entity_id", number(0)),
            ("request_mode", text("S")),
            ("request_status", text("GRANT")),
            ("request_session_id", number(session)),
            ("request_owner_type", text("SHARED_TRANSACTION_WORKSPACE")),
            ("request_owner_id", number(0)),
        ];
        row.extend(of_any_lock());
        Some(row)
    };
    sessions.into_iter().filter_map(shared).collect()
}

/// What a client opened has the name that it gave; a statement that is a transaction by itself has the statement's.
fn active(host: &SessionHost, state: &State, entry: &storage::TransactionEntry) -> NamedRow {
    let name = match host.server.sessions.all().iter().find(|session| session.spid == entry.session) {
        Some(session) if level(session, state) == 0 => Some(session.signal.running.seen().command.into()),
        Some(session) => session.signal.running.transaction_name(),
        None if entry.session == 0 => Some("system".into()),
        None => None,
    };
    vec![
        ("transaction_id", number(entry.id)),
        ("name", text(name.as_deref().unwrap_or("user_transaction"))),
        ("transaction_begin_time", begun(entry)),
        ("transaction_type", number(1)),
        ("transaction_state", number(2)),
    ]
}

fn begun(entry: &storage::TransactionEntry) -> Cell {
    let ago_ms = os::clock::now_ms().saturating_sub(entry.begun_ms);
    Cell::Time(os::clock::utc_ticks() as i64 - ago_ms as i64 * 10_000)
}

/// Types and states of https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-tran-database-transactions-transact-sql
const READ_WRITE: u32 = 1;
const NO_LOG_RECORDS: u32 = 3;
const LOG_RECORDS: u32 = 4;

/// A row for each database in which a transaction has locked something; without locks that of its session. The log is all databases', and so
/// are its bytes and LSNs.
fn in_databases(host: &SessionHost) -> Vec<NamedRow> {
    let storage = &host.server.catalog.storage;
    let (locks, writers, sessions) = (storage.locks(), storage.writers(), host.server.sessions.all());
    let mut rows = Vec::new();
    for entry in storage.transactions().iter().filter(|entry| entry.session != 0) {
        let of_it = locks.iter().filter(|lock| lock.transaction == entry.id);
        let mut databases: Vec<u32> = of_it.map(|lock| u32::from(lock.resource.database().0)).collect();
        if databases.is_empty() {
            let session = sessions.iter().find(|session| session.spid == entry.session);
            databases.extend(session.map(|session| session.database.load(Ordering::Relaxed)));
        }
        databases.sort_unstable();
        databases.dedup();
        let writer = writers.iter().find(|writer| writer.transaction == entry.id);
        for database in databases {
            let mut row = vec![
                ("transaction_id", number(entry.id)),
                ("database_id", number(database)),
                ("database_transaction_type", number(READ_WRITE)),
                ("database_transaction_state", number(if entry.has_changed { LOG_RECORDS } else { NO_LOG_RECORDS })),
                ("database_transaction_log_bytes_used", number(entry.log_bytes)),
            ];
            if let Some(writer) = writer {
                let lsn = |lsn: u64| Cell::Datum(Datum::I128(i128::from(lsn)));
                row.extend([
                    ("database_transaction_begin_time", begun(entry)),
                    ("database_transaction_begin_lsn", lsn(writer.first_lsn)),
                    ("database_transaction_last_lsn", lsn(writer.last_lsn)),
                ]);
            }
            rows.push(row);
        }
    }
    rows
}

/// None: it reads what is committed when it reads.
fn with_snapshot(entry: &storage::TransactionEntry) -> Option<NamedRow> {
    let snapshot = entry.snapshot?;
    Some(vec![
        ("transaction_id", number(entry.id)),
        ("transaction_sequence_num", number(snapshot)),
        ("session_id", number(entry.session)),
        ("is_snapshot", true.into()),
        ("first_snapshot_sequence_num", number(snapshot)),
        ("elapsed_time_seconds", number(os::clock::now_ms().saturating_sub(entry.begun_ms) / 1_000)),
    ])
}

/// Of the statement that asks; sequence numbers are those of versions.
fn current(host: &SessionHost, state: &State) -> NamedRow {
    let all = host.server.catalog.storage.transactions();
    // One that has neither changed nor locked anything has no number yet: NULL.
    let Some(own) = all.iter().find(|entry| entry.session == state.spid) else {
        return vec![("transaction_is_snapshot", false.into())];
    };
    let mut row = vec![("transaction_id", number(own.id)), ("transaction_is_snapshot", own.snapshot.is_some().into())];
    if let Some(snapshot) = own.snapshot {
        row.extend([("transaction_sequence_num", number(snapshot)), ("first_snapshot_sequence_num", number(snapshot))]);
    }
    row
}

/// @@TRANCOUNT of a session; another's as its running statement began.
fn level(session: &SessionEntry, state: &State) -> u32 {
    match session.spid == state.spid {
        true => state.transaction.level,
        false => session.signal.running.settings().level.into(),
    }
}

/// Transactions that a client opened; a statement that is one by itself is not shown.
fn of_sessions(host: &SessionHost, state: &State) -> Vec<NamedRow> {
    let sessions = host.server.sessions.all();
    let row = |entry: &storage::TransactionEntry| {
        let session = sessions.iter().find(|session| session.spid == entry.session)?;
        let level = Some(level(session, state)).filter(|level| *level > 0)?;
        Some(vec![
            ("session_id", number(entry.session)),
            ("transaction_id", number(entry.id)),
            ("transaction_descriptor", descriptor(host, state, entry.session)),
            ("enlist_count", number(session.request_started_ns.load(Ordering::Relaxed).min(1))),
            ("is_user_transaction", true.into()),
            ("is_local", true.into()),
            ("is_enlisted", false.into()),
            ("is_bound", false.into()),
            ("open_transaction_count", number(level)),
        ])
    };
    host.server.catalog.storage.transactions().iter().filter_map(row).collect()
}

/// Of the asking session's transaction, as its driver was told of it: of others it is not known.
fn descriptor(host: &SessionHost, state: &State, spid: u32) -> Cell {
    let own = (spid == host.entry.spid).then(|| Datum::bytes(&state.transaction.descriptor.to_le_bytes()));
    Cell::Datum(own.unwrap_or(Datum::Null))
}
