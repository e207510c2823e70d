//! Rows about the server as a whole: options, languages, collations, messages, permissions, its log and files.

use std::sync::Arc;

use storage::{DatabaseId, FileWork, Hold, LogHolder, LogSpace, Storage};
use types::datetime::LanguageId;
use types::{Datum, SqlResult, SqlType, variant};

use crate::catalog::base::{ClassRow, FileRow, class, database_option, filegroup_status};
use crate::catalog::load::{int, small};
use crate::catalog::path::with_slashes;
use crate::catalog::{Database, MASTER};
use crate::definition::database_setting::{INLINING, SCOPED_CONFIGURATIONS, query_store as options};
use crate::instance::sessions::{ENDPOINT_ADMIN, ENDPOINT_LOCAL, ENDPOINT_TCP};
use crate::security::hierarchy::{Class, PERMISSIONS};
use crate::session::host::SessionHost;
use crate::settings::config::OPTIONS;
use crate::system::answer::Arguments;
use crate::system::cell::{Cell, NamedRow, address, number, text};

const EXTENT_PAGES: u64 = 8;
const PRIMARY_FILE: i32 = 1;
const PRIMARY_GROUP: i32 = 1;

/// None: not a table of this family.
pub fn rows(host: &SessionHost, name: &str, arguments: &Arguments<'_>) -> Option<Vec<NamedRow>> {
    Some(match name {
        "sysconfigurationrows" => configuration(host),
        "syslanguagerows" => LanguageId::all().map(language).collect(),
        "syssystemmessages" => types::messages::all().map(message).collect(),
        "fn_helpcollations" => collations(),
        "fn_builtin_permissions" => builtin_permissions(arguments.text(0).as_deref()),
        "time_zone_info" => time_zones(),
        "endpoints" => endpoints(),
        "database_scoped_configurations" => {
            SCOPED_CONFIGURATIONS.iter().map(|entry| scoped_configuration(host, entry)).collect()
        }
        "database_query_store_options" => vec![query_store()],
        "spatial_reference_systems" => spatial::globe::system::systems().iter().map(reference_system).collect(),
        "dm_db_log_info" => log_info(host, arguments),
        "syslogspace" => log_reuse(host),
        "dm_os_file_exists" => file_exists(arguments),
        "dm_io_virtual_file_stats" | "fn_virtualfilestats" => file_stats(host, arguments),
        "dm_os_volume_stats" => volume(host, arguments).into_iter().collect(),
        "dm_server_services" => vec![service(host)],
        "dm_tran_version_store_space_usage" => version_store(host),
        "database_mirroring" => {
            host.server.catalog.databases().iter().map(|db| vec![("database_id", number(db.id.0))]).collect()
        }
        _ => return None,
    })
}

fn reference_system(system: &spatial::globe::system::System) -> NamedRow {
    let authority = system.authority();
    vec![
        ("spatial_reference_id", number(system.srid)),
        ("authority_name", authority.map_or(Cell::Datum(Datum::Null), text)),
        ("authorized_spatial_reference_id", authority.map_or(Cell::Datum(Datum::Null), |_| number(system.srid))),
        ("well_known_text", text(&system.text)),
        ("unit_of_measure", text(system.unit)),
        ("unit_conversion_factor", Cell::Datum(Datum::F64(system.unit_factor))),
    ]
}

fn time_zones() -> Vec<NamedRow> {
    let now = (os::clock::utc_ticks() / 10_000_000) as i64 - 62_135_596_800;
    let row = |zone: &types::datetime::zone::Zone| {
        let (offset, summer) = zone.offset_at(now);
        let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.unsigned_abs());
        let shown = format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60);
        vec![("name", text(zone.name)), ("current_utc_offset", text(&shown)), ("is_currently_dst", summer.into())]
    };
    types::datetime::zone::Zone::all().iter().map(row).collect()
}

fn configuration(host: &SessionHost) -> Vec<NamedRow> {
    let values = host.server.catalog.configuration.all();
    let rows = OPTIONS.iter().zip(values).map(|(option, (configured, running))| -> NamedRow {
        vec![
            ("configuration_id", number(option.id)),
            ("name", text(option.name)),
            ("value", number(configured)),
            ("minimum", number(option.minimum)),
            ("maximum", number(option.maximum)),
            ("value_in_use", number(running)),
            ("description", text(option.description)),
            ("is_dynamic", option.dynamic.into()),
            ("is_advanced", option.advanced.into()),
        ]
    });
    rows.collect()
}

fn language(id: LanguageId) -> NamedRow {
    let language = id.get();
    vec![
        ("langid", number(id.number())),
        ("dateformat", text(language.date_format.name())),
        ("datefirst", number(language.date_first)),
        ("upgrade", number(0)),
        ("name", text(language.name)),
        ("alias", text(language.alias)),
        ("months", text(language.months())),
        ("shortmonths", text(language.short_months())),
        ("days", text(language.days())),
        ("lcid", number(language.lcid)),
        ("msglangid", number(language.message_lcid)),
    ]
}

fn collations() -> Vec<NamedRow> {
    let all = types::collation::all();
    all.map(|id| vec![("name", text(&id.name())), ("description", text(&types::collation::description(id)))]).collect()
}

fn message(message: &types::messages::Template) -> NamedRow {
    vec![
        ("message_id", number(message.number)),
        ("language_id", number(1033)),
        ("severity", number(message.listed)),
        ("is_event_logged", message.logged.into()),
        ("text", text(message.text)),
    ]
}

fn builtin_permissions(wanted: Option<&str>) -> Vec<NamedRow> {
    let wanted = wanted.filter(|wanted| !wanted.is_empty() && !wanted.eq_ignore_ascii_case("DEFAULT"));
    let fits = |class: Class| wanted.is_none_or(|wanted| class.name().eq_ignore_ascii_case(wanted));
    let rows = PERMISSIONS.iter().filter(|permission| fits(permission.class)).map(|permission| -> NamedRow {
        vec![
            ("class_desc", text(permission.class.name())),
            ("permission_name", text(permission.name)),
            ("type", text(permission.code)),
            ("covering_permission_name", text(permission.covering)),
            ("parent_class_desc", text(permission.class.parent().map_or("", Class::name))),
            ("parent_covering_permission_name", text(permission.parent)),
        ]
    });
    rows.collect()
}

fn endpoints() -> Vec<NamedRow> {
    let endpoint = |id: i32, name: &str, protocol: i32, protocol_desc: &str| -> NamedRow {
        vec![
            ("name", text(name)),
            ("endpoint_id", number(id)),
            ("principal_id", number(1)),
            ("protocol", number(protocol)),
            ("protocol_desc", text(protocol_desc)),
            ("type", number(2)),
            ("type_desc", text("TSQL")),
            ("state", number(0)),
            ("state_desc", text("STARTED")),
            ("is_admin_endpoint", (id == ENDPOINT_ADMIN).into()),
        ]
    };
    vec![
        endpoint(ENDPOINT_ADMIN, "Dedicated Admin Connection", 2, "TCP"),
        endpoint(ENDPOINT_LOCAL, "TSQL Local Machine", 4, "SHARED_MEMORY"),
        endpoint(ENDPOINT_TCP, "TSQL Default TCP", 2, "TCP"),
    ]
}

fn scoped_configuration(host: &SessionHost, entry: &(i32, &'static str, i64)) -> NamedRow {
    let db = host.server.catalog.expect_database(host.catalog_session.database);
    let changed = entry.1 == INLINING && db.option(database_option::NO_FUNCTION_INLINING);
    let value = if changed { 1 - entry.2 } else { entry.2 };
    vec![
        ("configuration_id", number(entry.0)),
        ("name", text(entry.1)),
        // A switch is a bit: clients cast it.
        ("value", {
            let ty = if entry.1 == "MAXDOP" { SqlType::INT } else { SqlType::BIT };
            Cell::Datum(variant::encode(&ty, &Datum::I64(value)))
        }),
        ("is_value_default", (!changed).into()),
    ]
}

/// It is off; what would hold if it were on are the documented defaults:
/// https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-set-options
fn query_store() -> NamedRow {
    let off = || text("OFF");
    vec![
        ("desired_state", number(0)),
        ("desired_state_desc", off()),
        ("actual_state", number(0)),
        ("actual_state_desc", off()),
        ("readonly_reason", number(0)),
        ("current_storage_size_mb", number(0)),
        ("flush_interval_seconds", number(options::FLUSH_SECONDS)),
        ("interval_length_minutes", number(options::INTERVAL_MINUTES)),
        ("max_storage_size_mb", number(options::STORAGE_MB)),
        ("stale_query_threshold_days", number(options::STALE_DAYS)),
        ("max_plans_per_query", number(options::PLANS)),
        ("capture_policy_execution_count", number(30)),
        ("capture_policy_total_compile_cpu_time_ms", number(1_000)),
        ("capture_policy_total_execution_cpu_time_ms", number(100)),
        ("capture_policy_stale_threshold_hours", number(24)),
        ("query_capture_mode", number(2)),
        ("query_capture_mode_desc", text(options::MODE)),
        ("size_based_cleanup_mode", number(1)),
        ("size_based_cleanup_mode_desc", text(options::MODE)),
        ("wait_stats_capture_mode", number(0)),
        ("wait_stats_capture_mode_desc", off()),
    ]
}

/// One log serves all databases: each shows all of it. Bytes.
pub fn log_bytes(host: &SessionHost, db: &Database) -> LogSpace {
    let catalog = &host.server.catalog;
    catalog.log_space_of(db).unwrap_or_else(|_| catalog.storage.log_space())
}

/// Why the log cannot be reused, as the database sees it.
pub fn log_holder(storage: &Storage, db: &Database) -> LogHolder {
    match storage.log_holder_of(db.storage_id()) {
        // Its log waits for the next step of its restore: no log backup can be taken of it.
        LogHolder::LogBackup if db.awaits_restore() => LogHolder::Backup,
        // Nor of one that is offline, before it is online again.
        LogHolder::LogBackup if storage.hold_of(db.storage_id()) == Some(Hold::Offline) => LogHolder::HeldDatabase,
        holder => holder,
    }
}

/// Of all databases.
fn log_reuse(host: &SessionHost) -> Vec<NamedRow> {
    let catalog = &host.server.catalog;
    let row = |db: &Arc<Database>| {
        let holder = log_holder(&catalog.storage, db);
        vec![
            ("database_id", number(db.id.0)),
            ("reuse_wait", number(holder.number())),
            ("reuse_wait_desc", text(holder.name())),
        ]
    };
    catalog.databases().iter().map(row).collect()
}

/// As `nvarchar(24)`: two halves of a place in the log, and a slot.
pub fn lsn_text(lsn: u64) -> Cell {
    text(&format!("{:08x}:{:08x}:0001", lsn >> 32, lsn & u64::from(u32::MAX)))
}

/// The segments of the log: all databases'.
fn log_info(host: &SessionHost, arguments: &Arguments<'_>) -> Vec<NamedRow> {
    let storage = &host.server.catalog.storage;
    let id = arguments.number(0).unwrap_or(i64::from(host.catalog_session.database.0));
    if !host.server.catalog.databases().iter().any(|db| i64::from(db.id.0) == id) {
        return Vec::new();
    }
    let bytes = storage.log_segment_bytes();
    let row = |(at, segment): (usize, storage::Segment)| -> NamedRow {
        let sequence = segment.first_lsn.map_or(0, |lsn| lsn / bytes);
        let megabytes = if segment.is_cut { 0.0 } else { bytes as f64 / f64::from(1 << 20) };
        let mut row = vec![
            ("database_id", number(id)),
            ("file_id", number(2)),
            ("vlf_begin_offset", number(at as u64 * bytes)),
            ("vlf_size_mb", Cell::Datum(Datum::F64(megabytes))),
            ("vlf_sequence_number", number(sequence)),
            ("vlf_active", segment.first_lsn.is_some().into()),
            ("vlf_status", number(if segment.first_lsn.is_some() { 2 } else { 0 })),
            ("vlf_parity", number(if sequence % 2 == 0 { 64 } else { 128 })),
        ];
        if let Some(lsn) = segment.first_lsn {
            row.push(("vlf_first_lsn", lsn_text(lsn)));
        }
        row
    };
    storage.log_segments().into_iter().enumerate().map(row).collect()
}

/// Of the current database, a row for each file of data. Nothing for one that cannot be read. All rows lie in the first file.
/// https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-db-file-space-usage-transact-sql
pub fn file_space(host: &SessionHost) -> SqlResult<Vec<NamedRow>> {
    let catalog = &host.server.catalog;
    let storage = &catalog.storage;
    let id = DatabaseId(host.catalog_session.database.0);
    let Ok(space) = storage.space(id) else { return Ok(Vec::new()) };
    let row = |file: i32, group: i32, pages: u64, used: u64| -> NamedRow {
        vec![
            ("database_id", number(id.0)),
            ("file_id", number(file)),
            ("filegroup_id", number(group)),
            ("total_page_count", number(pages)),
            ("allocated_extent_page_count", number(used)),
            ("unallocated_extent_page_count", number(pages - used)),
        ]
    };
    // "Page counts are always at the extent level."
    let used = space.used.next_multiple_of(EXTENT_PAGES).min(space.pages);
    let mut first = row(PRIMARY_FILE, PRIMARY_GROUP, space.pages, used);
    // Old versions and work files have files of their own, and count as tempdb's.
    if id == DatabaseId::TEMPDB {
        let versions = storage.metrics().version_store_bytes;
        first.push(("version_store_reserved_page_count", number(versions.div_ceil(8_192))));
        first.push(("internal_object_reserved_page_count", number(storage.spill().used_bytes().div_ceil(8_192))));
    }
    let number_of = int(i32::from(id.0));
    let mut files = catalog.read(&catalog.expect_database(MASTER), |rows| rows.find::<FileRow>(0, &[number_of]))?;
    let groups = catalog.read(&catalog.expect_database(host.catalog_session.database), |rows| {
        rows.find::<ClassRow>(0, &[small(class::FILEGROUP)])
    })?;
    let has_pages =
        |group: i32| groups.iter().any(|row| row.id == group && row.status & filegroup_status::IN_MEMORY == 0);
    files.retain(|file| file.fileid != PRIMARY_FILE && has_pages(file.filegroup));
    files.sort_by_key(|file| file.fileid);
    let others = files.iter().map(|file| row(file.fileid, file.filegroup, u64::try_from(file.size).unwrap_or(0), 0));
    Ok(std::iter::once(first).chain(others).collect())
}

/// https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-os-file-exists-transact-sql
fn file_exists(arguments: &Arguments<'_>) -> Vec<NamedRow> {
    let Some(path) = arguments.text(0) else { return Vec::new() };
    let path = with_slashes(&path);
    let path = std::path::Path::new(&*path);
    let is_directory = os::fs::list(path).is_ok();
    let has_parent = path.parent().is_some_and(|parent| os::fs::list(parent).is_ok());
    let is_file = !is_directory && os::fs::exists(path);
    vec![vec![
        ("file_exists", is_file.into()),
        ("file_is_a_directory", is_directory.into()),
        ("parent_directory_exists", has_parent.into()),
    ]]
}

/// The server counts reads and writes of all its files together: they are shown with the master database's data file.
/// The volume of a file of a database, which is the data directory's.
fn volume(host: &SessionHost, arguments: &Arguments<'_>) -> Option<NamedRow> {
    let (database, file) = (arguments.number(0)?, arguments.number(1)?);
    let databases = host.server.catalog.databases();
    let db = databases.iter().find(|db| i64::from(db.id.0) == database)?;
    if !(1..=2).contains(&file) {
        return None;
    }
    let volume = host.server.catalog.storage.disk().volume().ok()??;
    Some(vec![
        ("database_id", number(db.id.0)),
        ("file_id", number(file)),
        ("volume_mount_point", text(&volume.mount_point.to_string_lossy())),
        ("total_bytes", number(volume.total_bytes)),
        ("available_bytes", number(volume.free_bytes)),
        ("supports_compression", number(0)),
        ("supports_alternate_streams", number(0)),
        ("supports_sparse_files", number(1)),
        ("is_read_only", number(volume.is_read_only)),
        ("is_compressed", number(0)),
    ])
}

const PAGE_BYTES: u64 = 8_192;
const NS_PER_MS: u64 = 1_000_000;

fn file_stats(host: &SessionHost, arguments: &Arguments<'_>) -> Vec<NamedRow> {
    let storage = &host.server.catalog.storage;
    let metrics = storage.metrics();
    let fits = |position: usize, value: u64| {
        arguments.number(position).is_none_or(|wanted| wanted == value as i64 || wanted == -1)
    };
    let mut rows = Vec::new();
    for db in host.server.catalog.databases() {
        for file in [1u64, 2] {
            if !fits(0, u64::from(db.id.0)) || !fits(1, file) {
                continue;
            }
            // The log is all databases': in the rows of one, so that sums are right.
            let (reads, writes, written) = match (db.id.0, file) {
                (_, 1) => {
                    let (reads, writes) = storage.file_work(db.storage_id()).unwrap_or_default();
                    (reads, writes, writes.pages * PAGE_BYTES)
                }
                (1, _) => {
                    let flushes =
                        FileWork { times: metrics.log_flushes, took_ns: metrics.log_flush_ns, ..FileWork::default() };
                    (FileWork::default(), flushes, metrics.log_bytes_flushed)
                }
                _ => Default::default(),
            };
            let bytes = match file {
                1 => storage.file_pages(db.storage_id()).unwrap_or(0) * PAGE_BYTES,
                _ => storage.log_space().total,
            };
            let (read_ms, write_ms) = (reads.took_ns / NS_PER_MS, writes.took_ns / NS_PER_MS);
            rows.push(vec![
                ("database_name", text(&db.name())),
                ("database_id", number(db.id.0)),
                ("DbId", number(db.id.0)),
                ("file_id", number(file)),
                ("FileId", number(file)),
                ("sample_ms", number(os::clock::now_ms())),
                ("TimeStamp", number(os::clock::now_ms())),
                ("num_of_reads", number(reads.times)),
                ("NumberReads", number(reads.times)),
                ("num_of_bytes_read", number(reads.pages * PAGE_BYTES)),
                ("BytesRead", number(reads.pages * PAGE_BYTES)),
                ("io_stall_read_ms", number(read_ms)),
                ("IoStallReadMS", number(read_ms)),
                ("num_of_writes", number(writes.times)),
                ("NumberWrites", number(writes.times)),
                ("num_of_bytes_written", number(written)),
                ("BytesWritten", number(written)),
                ("io_stall_write_ms", number(write_ms)),
                ("IoStallWriteMS", number(write_ms)),
                ("io_stall", number(read_ms + write_ms)),
                ("IoStallMS", number(read_ms + write_ms)),
                ("io_stall_queued_read_ms", number(0)),
                ("io_stall_queued_write_ms", number(0)),
                ("size_on_disk_bytes", number(bytes)),
                ("BytesOnDisk", number(bytes)),
                ("file_handle", address(file)),
                ("FileHandle", address(file)),
            ]);
        }
    }
    rows
}

fn service(host: &SessionHost) -> NamedRow {
    let offset = os::clock::local_offset_minutes() as i16;
    let started = types::datetime::moment::offset_value(host.server.catalog.started_ticks, offset);
    vec![
        ("servicename", text(&format!("SQL Server ({})", host.server.settings.instance))),
        ("startup_type", number(2)),
        ("startup_type_desc", text("Automatic")),
        ("status", number(4)),
        ("status_desc", text("Running")),
        ("process_id", number(os::env::process_id())),
        ("last_startup_time", Cell::Datum(started)),
        ("service_account", text(&os::env::host_name())),
        ("is_clustered", text("N")),
    ]
}

fn version_store(host: &SessionHost) -> Vec<NamedRow> {
    let bytes = host.server.catalog.storage.metrics().version_store_bytes;
    let snapshots =
        host.server.catalog.databases().into_iter().filter(|db| db.option(database_option::READ_COMMITTED_SNAPSHOT));
    let rows = snapshots.enumerate().map(|(i, db)| -> NamedRow {
        // Versions are kept for the whole instance.
        let bytes = if i == 0 { bytes } else { 0 };
        vec![
            ("database_id", number(db.id.0)),
            ("reserved_page_count", number(bytes.div_ceil(8_192))),
            ("reserved_space_kb", number(bytes / 1_024)),
        ]
    });
    rows.collect()
}
