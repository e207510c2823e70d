//! sys.dm_tran_*: locks and transactions, from storage.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use exec::session::Session as State;
use storage::{LockMode, Resource, Storage};
use types::Datum;

use crate::catalog::{MASTER, TEMPDB};
use crate::session::host::SessionHost;
use crate::system::answer::Answer;
use crate::system::cell::{Cell, NamedRow, number, text};

/// None: not a table of this family.
pub fn rows(host: &SessionHost, state: &State, name: &str) -> Option<Vec<NamedRow>> {
    let storage = &host.server.catalog.storage;
    Some(match name {
        "dm_tran_locks" => storage.locks_told().iter().map(|entry| lock(storage, entry)).collect(),
        "dm_tran_active_transactions" => storage.transactions().iter().map(active).collect(),
        "dm_tran_database_transactions" => in_databases(storage),
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

fn active(entry: &storage::TransactionEntry) -> NamedRow {
    vec![
        ("transaction_id", number(entry.id)),
        ("name", text(if entry.session == 0 { "system" } else { "user_transaction" })),
        ("transaction_begin_time", begun(entry)),
        ("transaction_type", number(1)),
        ("transaction_state", number(2)),
    ]
}

/// Of each database in which a transaction has locked something. What it has written of the log is told with each that it changes.
/// https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-tran-database-transactions-transact-sql
fn in_databases(storage: &Storage) -> Vec<NamedRow> {
    const READ_WRITE: i32 = 1;
    const READ_ONLY: i32 = 2;
    const NO_RECORDS: i32 = 3;
    const HAS_RECORDS: i32 = 4;
    let mut found = BTreeMap::<(u64, u16), bool>::new();
    for lock in storage.locks().iter().filter(|lock| lock.granted) {
        if let Resource::Table(database, _) | Resource::Row(database, ..) = lock.resource {
            let changes =
                matches!(lock.mode, LockMode::IntentExclusive | LockMode::SharedIntentExclusive | LockMode::Exclusive);
            *found.entry((lock.transaction, database.0)).or_default() |= changes;
        }
    }
    let all = storage.transactions();
    let row = |((id, database), changes): ((u64, u16), bool)| -> Option<NamedRow> {
        let entry = all.iter().find(|entry| entry.id == id)?;
        let wrote = changes && entry.log_bytes > 0;
        let mut row = vec![
            ("transaction_id", number(id)),
            ("database_id", number(database)),
            ("database_transaction_type", number(if changes { READ_WRITE } else { READ_ONLY })),
            ("database_transaction_state", number(if wrote { HAS_RECORDS } else { NO_RECORDS })),
            ("database_transaction_log_bytes_used", number(if wrote { entry.log_bytes } else { 0 })),
        ];
        if wrote {
            row.push(("database_transaction_begin_time", begun(entry)));
        }
        Some(row)
    };
    found.into_iter().filter_map(row).collect()
}

fn begun(entry: &storage::TransactionEntry) -> Cell {
    let ago_ms = os::clock::now_ms().saturating_sub(entry.begun_ms);
    Cell::Time(os::clock::utc_ticks() as i64 - ago_ms as i64 * 10_000)
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

/// Transactions that a client opened; a statement that is one by itself is not shown. What the others' sessions have open is known as of
/// their last request.
fn of_sessions(host: &SessionHost, state: &State) -> Vec<NamedRow> {
    let sessions = host.server.sessions.all();
    let level = |spid: u32| match sessions.iter().find(|entry| entry.spid == spid) {
        Some(entry) if entry.spid == state.spid => state.transaction.level,
        Some(entry) => entry.transaction_level.load(Ordering::Relaxed),
        None => 0,
    };
    let transactions = host.server.catalog.storage.transactions();
    transactions.iter().filter(|entry| level(entry.session) > 0).map(of_session).collect()
}

fn of_session(entry: &storage::TransactionEntry) -> NamedRow {
    vec![
        ("session_id", number(entry.session)),
        ("transaction_id", number(entry.id)),
        ("is_user_transaction", true.into()),
        ("is_local", true.into()),
        ("open_transaction_count", number(1)),
    ]
}
