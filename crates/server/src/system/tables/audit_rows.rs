//! Rows about audits: what there is, what runs, what can be audited, and the records in files.

use std::path::{Path, PathBuf};

use exec::session::Session as State;
use types::{Datum, SqlResult, sql_error};

use crate::audit::actions::{ACTIONS, GROUPS, Level, ON_OBJECTS};
use crate::audit::record::{Record, Records};
use crate::audit::setup::{Audit, Securable, Specification};
use crate::audit::trail::SUFFIX;
use crate::security::check;
use crate::session::host::SessionHost;
use crate::system::answer::{Answer, Arguments};
use crate::system::cell::{Cell, NamedRow, number, text};

/// Characters of a statement that a row has; a longer one goes on in further rows.
const STATEMENT_CHARS: usize = 4_000;
/// Rows that one call gives.
const RECORDS_MAX: usize = 1_000_000;

/// None: not a table of this family.
pub fn rows(
    host: &mut SessionHost,
    state: &mut State,
    database: u16,
    name: &str,
    arguments: &Arguments<'_>,
) -> SqlResult<Option<Vec<NamedRow>>> {
    let server = host.server.clone();
    let setup = || server.audits.setup();
    let of_server = |found: &&Specification| found.database.is_none();
    let of_database = |found: &&Specification| found.database == Some(database);
    if is_hidden(host, state, name)? {
        return Ok(Some(Vec::new()));
    }
    Ok(Some(match name {
        "server_audits" => setup().audits.iter().map(audit).collect(),
        "server_file_audits" => setup().audits.iter().map(file_audit).collect(),
        "server_audit_specifications" => setup()
            .specifications
            .iter()
            .filter(of_server)
            .map(|found| specification(found, "server_specification_id"))
            .collect(),
        "database_audit_specifications" => setup()
            .specifications
            .iter()
            .filter(of_database)
            .map(|found| specification(found, "database_specification_id"))
            .collect(),
        "server_audit_specification_details" => setup()
            .specifications
            .iter()
            .filter(of_server)
            .flat_map(|found| details(found, "server_specification_id"))
            .collect(),
        "database_audit_specification_details" => setup()
            .specifications
            .iter()
            .filter(of_database)
            .flat_map(|found| details(found, "database_specification_id"))
            .collect(),
        "dm_server_audit_status" => status(host),
        "dm_audit_actions" => actions(),
        "fn_get_audit_file" => records(host, state, arguments)?,
        _ => return Ok(None),
    }))
}

/// The "Permissions" sections of the views: audits are shown to who may change them, and to who may see what concerns security.
fn is_hidden(host: &mut SessionHost, state: &mut State, name: &str) -> SqlResult<bool> {
    let of_database = name.starts_with("database_audit_");
    let shows_audits = of_database || name.starts_with("server_audit") || name == "server_file_audits";
    if !shows_audits {
        return Ok(false);
    }
    host.rights_here(state, |rights, look, db| {
        let (on, permissions) = match of_database {
            true => (check::Securable::DATABASE, ["ALTER ANY DATABASE AUDIT", "VIEW SECURITY DEFINITION"]),
            false => (check::Securable::SERVER, ["ALTER ANY SERVER AUDIT", "VIEW ANY SECURITY DEFINITION"]),
        };
        for permission in permissions {
            if rights.holds(look, Some(db), &on, permission)? {
                return Ok(false);
            }
        }
        Ok(true)
    })
}

fn guid(written: &str) -> Cell {
    let value = types::text::parse_uuid(written.as_bytes());
    value.map_or(Cell::Answer(Answer::Null), |value| Cell::Datum(types::Datum::I128(value)))
}

/// Their dates are local already.
fn local(ticks: i64) -> Cell {
    Cell::Datum(Datum::I64(crate::catalog::clock::from_ticks(ticks).0))
}

fn audit(found: &Audit) -> NamedRow {
    let (on_failure, description) = found.on_failure.shown();
    vec![
        ("audit_id", number(found.id)),
        ("name", text(&found.name)),
        ("audit_guid", guid(&found.guid)),
        ("create_date", local(found.created)),
        ("modify_date", local(found.modified)),
        ("principal_id", number(found.principal)),
        ("type", text("FL")),
        ("type_desc", text("FILE")),
        ("on_failure", number(on_failure)),
        ("on_failure_desc", text(description)),
        ("is_state_enabled", found.enabled.into()),
        ("queue_delay", number(found.queue_delay)),
    ]
}

fn file_audit(found: &Audit) -> NamedRow {
    let mut row = audit(found);
    row.extend([
        ("max_file_size", number(found.bytes_max >> 20)),
        ("max_rollover_files", number(found.rollover_files_max.map_or(i64::from(i32::MAX), i64::from))),
        ("max_files", number(found.files_max.unwrap_or(0))),
        ("reserve_disk_space", found.reserve.into()),
        ("log_file_path", text(&found.directory)),
        ("log_file_name", text(&format!("{}_{}{SUFFIX}", found.name, found.guid))),
    ]);
    row
}

fn specification(found: &Specification, id: &'static str) -> NamedRow {
    vec![
        (id, number(found.id)),
        ("name", text(&found.name)),
        ("create_date", local(found.created)),
        ("modify_date", local(found.modified)),
        ("audit_guid", guid(&found.guid)),
        ("is_state_enabled", found.enabled.into()),
    ]
}

fn details(found: &Specification, id: &'static str) -> Vec<NamedRow> {
    let row = |wanted: &crate::audit::setup::Wanted| {
        let on = wanted.on.as_ref().map_or(Securable::Database, |on| on.securable);
        let (class, class_name, major) = match &wanted.on {
            Some(_) => on.shown(),
            None if found.database.is_some() => (0, "DATABASE", 0),
            None => (100, "SERVER", 0),
        };
        let group = GROUPS.iter().find(|group| group.name == wanted.action).map(|group| group.code);
        let action = ACTIONS.iter().find(|action| action.name == wanted.action).map(|action| action.code);
        vec![
            (id, number(found.id)),
            ("audit_action_id", text(group.or(action).unwrap_or(""))),
            ("audit_action_name", text(&wanted.action)),
            ("class", number(class)),
            ("class_desc", text(class_name)),
            ("major_id", number(major)),
            ("minor_id", number(0)),
            ("audited_principal_id", number(wanted.on.as_ref().map_or(0, |on| on.principal))),
            ("audited_result", text("SUCCESS AND FAILURE")),
            ("is_group", wanted.on.is_none().into()),
        ]
    };
    found.wanted.iter().map(row).collect()
}

/// Of this engine; each writes a file of its own.
fn status(host: &SessionHost) -> Vec<NamedRow> {
    let row = |(audit, current): &(Audit, Option<(String, u64)>)| {
        let (state, description) = if current.is_some() { (1, "STARTED") } else { (2, "RUNTIME_FAIL") };
        let path = current.as_ref().map(|(name, _)| Path::new(&audit.directory).join(name).display().to_string());
        let size = current.as_ref().map(|(_, bytes)| *bytes as i64);
        vec![
            ("audit_id", number(audit.id)),
            ("name", text(&audit.name)),
            ("status", number(state)),
            ("status_desc", text(description)),
            ("status_time", Cell::Time(audit.modified)),
            ("audit_file_path", path.map_or(Cell::Answer(Answer::Null), |path| text(&path))),
            ("audit_file_size", size.map_or(Cell::Answer(Answer::Null), number)),
        ]
    };
    host.server.audits.running().iter().map(row).collect()
}

fn actions() -> Vec<NamedRow> {
    let mut rows: Vec<NamedRow> = Vec::new();
    for group in GROUPS {
        let classes: &[&str] = match group.level {
            Level::Server => &["SERVER"],
            Level::Both => &["SERVER", "DATABASE"],
        };
        for class in classes {
            rows.push(vec![
                ("action_id", text(group.code)),
                ("name", text(group.name)),
                ("class_desc", text(class)),
                ("parent_class_desc", text(if *class == "DATABASE" { "SERVER" } else { "" })),
                ("configuration_level", text(class)),
                ("containing_group_name", text(group.name)),
                ("action_in_log", false.into()),
            ]);
        }
    }
    for action in ACTIONS {
        let on_object = ON_OBJECTS.contains(action);
        rows.push(vec![
            ("action_id", text(action.code)),
            ("name", text(action.name)),
            ("class_desc", text(if on_object { "OBJECT" } else { "SERVER" })),
            (
                "covering_action_name",
                if on_object { text("SCHEMA_OBJECT_ACCESS_GROUP") } else { Cell::Answer(Answer::Null) },
            ),
            ("parent_class_desc", text(if on_object { "SCHEMA" } else { "" })),
            ("configuration_level", if on_object { text("DATABASE") } else { Cell::Answer(Answer::Null) }),
            ("action_in_log", true.into()),
        ]);
    }
    rows
}

/// sys.fn_get_audit_file: records of the files that a pattern names, from a place in one of them on.
fn records(host: &mut SessionHost, state: &mut State, arguments: &Arguments<'_>) -> SqlResult<Vec<NamedRow>> {
    if !host.rights(state, |rights, look| rights.holds(look, None, &check::Securable::SERVER, "CONTROL SERVER"))? {
        return Err(sql_error!(15247));
    }
    let nothing = || sql_error!(33224);
    let pattern = arguments.text(0).ok_or_else(nothing)?;
    let files = matching(&pattern).ok_or_else(nothing)?;
    let first = arguments.text(1).filter(|name| !name.is_empty());
    let from = match &first {
        None => 0,
        Some(name) => files.iter().position(|file| file == Path::new(name)).ok_or_else(|| sql_error!(33225))?,
    };
    let offset = arguments.number(2).unwrap_or(0);
    let mut rows = Vec::new();
    for (at, file) in files[from..].iter().enumerate() {
        let bytes = os::fs::read(file).map_err(|_| nothing())?;
        let Some(mut records) = Records::of(&bytes) else { continue };
        let skipped = if at == 0 && first.is_some() { offset } else { -1 };
        for (place, record) in records.by_ref().filter(|(place, _)| *place as i64 > skipped) {
            push(&mut rows, file, place, &record);
            if rows.len() >= RECORDS_MAX {
                return Ok(rows);
            }
        }
        // Torn by a crash, or changed: what follows is not what was written.
        if let Some(broken) = records.broken {
            tracing::warn!("{}", sql_error!(33226, file.display(), broken).text);
        }
    }
    Ok(rows)
}

/// `/directory/*`, `/directory/name*.sqlaudit` or a file, in the order in which they were begun. None: there is none.
fn matching(pattern: &str) -> Option<Vec<PathBuf>> {
    let path = Path::new(pattern);
    let (directory, name) = (path.parent()?, path.file_name()?.to_str()?);
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let (before, after) = name.split_once('*').map_or((name, None), |(before, after)| (before, Some(after)));
    let fits = |file: &str| match after {
        None => file == before,
        Some(after) => file.len() >= before.len() + after.len() && file.starts_with(before) && file.ends_with(after),
    };
    let mut found: Vec<String> = os::fs::list(directory)
        .ok()?
        .into_iter()
        .filter(|(file, is_directory)| !is_directory && file.ends_with(SUFFIX) && fits(file))
        .map(|(file, _)| file)
        .collect();
    found.sort_by_key(|file| file.rsplit('_').next().map(str::to_owned));
    (!found.is_empty()).then(|| found.into_iter().map(|file| directory.join(file)).collect())
}

fn push(rows: &mut Vec<NamedRow>, file: &Path, place: usize, record: &Record) {
    let characters: Vec<char> = record.statement.chars().collect();
    let parts = characters.chunks(STATEMENT_CHARS).map(|part| part.iter().collect::<String>());
    let parts: Vec<String> = if characters.is_empty() { vec![String::new()] } else { parts.collect() };
    for (sequence, part) in parts.into_iter().enumerate() {
        let optional = |value: &str| if value.is_empty() { Cell::Answer(Answer::Null) } else { text(value) };
        rows.push(vec![
            ("event_time", Cell::Time(record.ticks)),
            ("sequence_number", number(sequence as i64 + 1)),
            ("action_id", text(&record.action)),
            ("succeeded", record.succeeded.into()),
            ("is_column_permission", false.into()),
            ("session_id", number(record.session)),
            ("server_principal_id", number(record.server_principal)),
            ("database_principal_id", number(record.database_principal)),
            ("object_id", number(record.object)),
            ("class_type", text(&record.class)),
            ("session_server_principal_name", optional(&record.session_principal_name)),
            ("server_principal_name", optional(&record.server_principal_name)),
            ("database_principal_name", optional(&record.database_principal_name)),
            ("target_database_principal_name", optional(&record.target_principal_name)),
            ("server_instance_name", optional(&record.server)),
            ("database_name", optional(&record.database)),
            ("schema_name", optional(&record.schema)),
            ("object_name", optional(&record.object_name)),
            ("statement", text(&part)),
            ("additional_information", text(&record.information)),
            ("file_name", text(&file.display().to_string())),
            ("audit_file_offset", number(place as i64)),
            ("audit_schema_version", number(1)),
            ("transaction_id", number(record.transaction)),
            ("client_ip", optional(&record.client)),
            ("application_name", optional(&record.application)),
            ("duration_milliseconds", number(record.duration_ms)),
            ("affected_rows", number(record.affected_rows)),
            ("connection_id", Cell::Datum(types::Datum::I128(u128::from_be_bytes(record.connection) as i128))),
            ("host_name", optional(&record.host)),
        ]);
    }
}
