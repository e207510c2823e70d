//! CREATE, ALTER and DROP of server audits and of audit specifications. They are no part of a transaction: what is audited must not
//! come back with a rollback. So they are refused within one (574).
//!
//! What cannot be done is refused by name: other targets than files, WHERE, groups and actions that nothing here raises.

use sql::ast::{
    AuditFilter, AuditSpecification, AuditTarget, AuditVerb, AuditedActions, Expr, Literal, ObjectName, ServerAudit,
    Setting, SettingValue, find_setting,
};
use types::{SqlError, SqlResult, sql_error};

use super::number::whole_number;
use super::permission::principal;
use super::site::{Ddl, cannot_find};
use super::unsupported;
use crate::audit::actions::{self, Level};
use crate::audit::setup::{Audit, ENTRIES_MAX, On, OnFailure, Securable, Setup, Specification, Wanted};
use crate::audit::trail::FILE_BYTES_MIN;
use crate::catalog::{MASTER, load};
use crate::instance::question::Question;
use crate::settings::options::{DataLocation, Kernel};

const QUEUE_DELAY_DEFAULT: i64 = 1_000;
const SERVER_AUDIT: &str = "server audit";

/// What is refused before anything is looked up.
fn begin(ddl: &mut Ddl<'_>, verb: AuditVerb, what: &str, in_master: bool) -> SqlResult<()> {
    let word = match verb {
        AuditVerb::Create => "CREATE",
        AuditVerb::Alter => "ALTER",
        AuditVerb::Drop => "DROP",
    };
    if ddl.site.in_user_transaction() {
        return Err(sql_error!(574, format_args!("{word} {}", what.to_uppercase())));
    }
    if in_master && ddl.current()?.id != MASTER {
        return Err(sql_error!(33074, word.to_lowercase(), what));
    }
    let settings = &ddl.site.server().settings;
    if settings.kernel == Kernel::Process && settings.data == DataLocation::Memory {
        // Engines learn of audits from a file.
        return Err(unsupported(&format!("{} of several engines that keep nothing", what.to_uppercase())));
    }
    Ok(())
}

fn change<R>(ddl: &mut Ddl<'_>, edit: impl FnOnce(&mut Setup) -> SqlResult<R>) -> SqlResult<R> {
    let server = ddl.site.server();
    let changed = server.audits.change(edit)?;
    server.engines.ask_others(&Question::FollowAudits.to_bytes());
    Ok(changed)
}

/// Local time, in ticks.
fn now() -> i64 {
    os::clock::utc_ticks() as i64 + i64::from(os::clock::local_offset_minutes()) * 600_000_000
}

fn taken(kind: &str, name: &str) -> SqlError {
    sql_error!(15530, kind, name)
}

pub fn server_audit(ddl: &mut Ddl<'_>, statement: &ServerAudit) -> SqlResult<()> {
    begin(ddl, statement.verb, SERVER_AUDIT, true)?;
    if statement.filter == AuditFilter::Given {
        return Err(unsupported("WHERE of a SERVER AUDIT"));
    }
    let name = &*statement.name.text;
    match statement.verb {
        AuditVerb::Create => create(ddl, name, statement),
        AuditVerb::Alter => alter(ddl, name, statement),
        AuditVerb::Drop => change(ddl, |setup| {
            let audit = setup.audit(name).ok_or_else(|| cannot_find("drop", SERVER_AUDIT, name))?;
            if audit.enabled {
                return Err(sql_error!(33071, "server audit", "server audit"));
            }
            // Its specifications stay, and audit nothing until another has its GUID, as in SQL Server.
            let guid = audit.guid.clone();
            setup.audits.retain(|audit| audit.guid != guid);
            Ok(())
        }),
    }
}

fn create(ddl: &mut Ddl<'_>, name: &str, statement: &ServerAudit) -> SqlResult<()> {
    let principal = ddl.rights(|rights, look| Ok(rights.login(look)?.map_or(1, |login| login.id)))?;
    let mut audit = Audit {
        id: 0,
        name: name.to_owned(),
        guid: new_guid(),
        directory: String::new(),
        bytes_max: 0,
        rollover_files_max: None,
        files_max: None,
        reserve: false,
        queue_delay: QUEUE_DELAY_DEFAULT,
        on_failure: OnFailure::Continue,
        enabled: false,
        created: now(),
        modified: now(),
        principal,
    };
    let target = statement.target.as_ref().expect("the parser asks for it");
    set_target(ddl, &mut audit, target)?;
    if let Some(guid) = find_setting(&statement.options, "AUDIT_GUID") {
        audit.guid = text(guid).and_then(|text| guid_of(&text)).ok_or_else(|| wrong(guid))?;
    }
    set_options(&mut audit, &statement.options, false)?;
    change(ddl, |setup| {
        if setup.audit(&audit.name).is_some() || setup.audit_of(&audit.guid).is_some() {
            return Err(taken(SERVER_AUDIT, &audit.name));
        }
        if setup.audits.len() >= ENTRIES_MAX {
            return Err(sql_error!(33222, audit.name, "be created"));
        }
        audit.id = setup.next_id();
        setup.audits.push(audit);
        Ok(())
    })
}

fn alter(ddl: &mut Ddl<'_>, name: &str, statement: &ServerAudit) -> SqlResult<()> {
    let setup = ddl.site.server().audits.setup();
    let before = setup.audit(name).ok_or_else(|| cannot_find("alter", SERVER_AUDIT, name))?.clone();
    let mut audit = before.clone();
    if let Some(target) = &statement.target {
        set_target(ddl, &mut audit, target)?;
    }
    set_options(&mut audit, &statement.options, true)?;
    if let Some(new) = &statement.new_name {
        audit.name = new.text.to_string();
    }
    // What an audit that runs can be told is to stop.
    let only_state = Audit { enabled: audit.enabled, ..before.clone() } == audit;
    if before.enabled && !only_state {
        return Err(sql_error!(33071, "server audit", "server audit"));
    }
    audit.modified = now();
    change(ddl, |setup| {
        if setup.audits.iter().any(|other| other.guid != audit.guid && other.name.eq_ignore_ascii_case(&audit.name)) {
            return Err(taken(SERVER_AUDIT, &audit.name));
        }
        let found = setup.audits.iter_mut().find(|found| found.guid == audit.guid);
        *found.ok_or_else(|| cannot_find("alter", SERVER_AUDIT, name))? = audit;
        Ok(())
    })
}

fn set_target(ddl: &mut Ddl<'_>, audit: &mut Audit, target: &AuditTarget) -> SqlResult<()> {
    if &*target.kind != "FILE" {
        return Err(unsupported(&format!("TO {} of a SERVER AUDIT", target.kind)));
    }
    for setting in &target.settings {
        match &*setting.name {
            "FILEPATH" => audit.directory = directory(ddl, &text(setting).ok_or_else(|| wrong(setting))?)?,
            "MAXSIZE" => audit.bytes_max = if is_unlimited(setting) { 0 } else { bytes(setting)? },
            "MAX_ROLLOVER_FILES" => {
                audit.rollover_files_max = if is_unlimited(setting) { None } else { Some(count(setting)?) };
            }
            "MAX_FILES" => audit.files_max = Some(count(setting)?).filter(|count| *count > 0),
            "RESERVE_DISK_SPACE" => audit.reserve = on_or_off(setting)?,
            _ => return Err(wrong(setting)),
        }
    }
    if find_setting(&target.settings, "MAX_ROLLOVER_FILES").is_some()
        && find_setting(&target.settings, "MAX_FILES").is_some()
    {
        return Err(sql_error!(33238));
    }
    // One or the other, whichever was said last.
    if find_setting(&target.settings, "MAX_FILES").is_some() {
        audit.rollover_files_max = None;
    } else if find_setting(&target.settings, "MAX_ROLLOVER_FILES").is_some() {
        audit.files_max = None;
    }
    if audit.reserve && audit.bytes_max == 0 {
        return Err(sql_error!(33077));
    }
    if audit.directory.is_empty() {
        return Err(sql_error!(33072));
    }
    Ok(())
}

/// It must be there (33072). One that is relative begins at the data directory.
fn directory(ddl: &mut Ddl<'_>, given: &str) -> SqlResult<String> {
    let base = match &ddl.site.server().settings.data {
        DataLocation::Directory(directory) => directory.clone(),
        DataLocation::Memory => Default::default(),
    };
    let path = base.join(given);
    let is_there = os::fs::list(&path).is_ok();
    match (given.is_empty() || given.contains('\0'), is_there) {
        (false, true) => Ok(path.display().to_string()),
        _ => Err(sql_error!(33072)),
    }
}

fn set_options(audit: &mut Audit, options: &[Setting], is_alter: bool) -> SqlResult<()> {
    for setting in options {
        match &*setting.name {
            "QUEUE_DELAY" => {
                let delay = i64::from(count(setting)?);
                if delay != 0 && delay < 1_000 {
                    return Err(sql_error!(33227));
                }
                audit.queue_delay = delay;
            }
            "ON_FAILURE" => {
                audit.on_failure = match word(setting).as_deref() {
                    Some("CONTINUE") => OnFailure::Continue,
                    Some("SHUTDOWN") => OnFailure::Shutdown,
                    Some("FAIL_OPERATION") => OnFailure::FailOperation,
                    _ => return Err(wrong(setting)),
                };
            }
            "AUDIT_GUID" if !is_alter => {}
            "STATE" if is_alter => audit.enabled = on_or_off(setting)?,
            "OPERATOR_AUDIT" if !on_or_off(setting)? => {}
            "OPERATOR_AUDIT" => return Err(unsupported("OPERATOR_AUDIT")),
            _ => return Err(wrong(setting)),
        }
    }
    Ok(())
}

pub fn specification(ddl: &mut Ddl<'_>, statement: &AuditSpecification) -> SqlResult<()> {
    let kind = if statement.of_database { "database audit specification" } else { "server audit specification" };
    begin(ddl, statement.verb, kind, !statement.of_database)?;
    let name = &*statement.name.text;
    let database = if statement.of_database { Some(ddl.current()?.id.0) } else { None };
    let mut add = Vec::new();
    let mut drop = Vec::new();
    for change in &statement.changes {
        wanted(ddl, statement.of_database, &change.what, if change.add { &mut add } else { &mut drop })?;
    }
    let verb = statement.verb;
    let (state, audit) = (statement.state, statement.audit.as_ref().map(|audit| audit.text.to_string()));
    change(ddl, |setup| {
        let guid = match &audit {
            Some(audit) => {
                Some(setup.audit(audit).ok_or_else(|| cannot_find("find", SERVER_AUDIT, audit))?.guid.clone())
            }
            None => None,
        };
        let found = setup
            .specifications
            .iter()
            .position(|found| found.database == database && found.name.eq_ignore_ascii_case(name));
        let at = match (verb, found) {
            (AuditVerb::Create, Some(_)) => return Err(taken(kind, name)),
            (AuditVerb::Create, None) => {
                if setup.specifications.len() >= ENTRIES_MAX {
                    return Err(sql_error!(33222, name, "be created"));
                }
                let (id, now) = (setup.next_id(), now());
                setup.specifications.push(Specification {
                    id,
                    name: name.to_owned(),
                    database,
                    guid: guid.clone().unwrap_or_default(),
                    enabled: false,
                    created: now,
                    modified: now,
                    wanted: Vec::new(),
                });
                setup.specifications.len() - 1
            }
            (AuditVerb::Alter, Some(at)) => at,
            (AuditVerb::Drop, Some(at)) => {
                if setup.specifications[at].enabled {
                    return Err(sql_error!(33229));
                }
                setup.specifications.remove(at);
                return Ok(());
            }
            (AuditVerb::Alter, None) => return Err(cannot_find("alter", kind, name)),
            (AuditVerb::Drop, None) => return Err(cannot_find("drop", kind, name)),
        };
        edit(setup, at, guid, add, drop, state)
    })
}

/// The specifications of databases go with them: others may have their numbers.
pub fn forget(ddl: &Ddl<'_>, databases: &[u16]) {
    let server = ddl.site.server();
    let is_gone = |specification: &Specification| specification.database.is_some_and(|id| databases.contains(&id));
    if !server.audits.setup().specifications.iter().any(is_gone) {
        return;
    }
    let forgotten = server.audits.change(|setup| {
        setup.specifications.retain(|specification| !is_gone(specification));
        Ok(())
    });
    match forgotten {
        Ok(()) => drop(server.engines.ask_others(&Question::FollowAudits.to_bytes())),
        Err(error) => tracing::error!("specifications of a database that was dropped are kept: {}", error.text),
    }
}

fn edit(
    setup: &mut Setup,
    at: usize,
    guid: Option<String>,
    add: Vec<Wanted>,
    drop: Vec<Wanted>,
    state: Option<bool>,
) -> SqlResult<()> {
    let own = setup.specifications[at].clone();
    let guid = guid.unwrap_or_else(|| own.guid.clone());
    // One of each kind for an audit, as in SQL Server.
    let other = setup
        .specifications
        .iter()
        .enumerate()
        .any(|(other, found)| other != at && found.guid == guid && found.database == own.database);
    if other {
        let audit = setup.audit_of(&guid).map_or_else(String::new, |audit| audit.name.clone());
        return Err(sql_error!(33230, audit));
    }
    let changes = guid != own.guid || !add.is_empty() || !drop.is_empty();
    if own.enabled && changes {
        return Err(sql_error!(33229));
    }
    let specification = &mut setup.specifications[at];
    specification.guid = guid;
    specification.wanted.retain(|wanted| !drop.contains(wanted));
    for wanted in add {
        if !specification.wanted.contains(&wanted) {
            specification.wanted.push(wanted);
        }
    }
    specification.enabled = state.unwrap_or(specification.enabled);
    specification.modified = now();
    Ok(())
}

/// What a parenthesis names: each action on each principal for itself.
fn wanted(ddl: &mut Ddl<'_>, of_database: bool, what: &AuditedActions, to: &mut Vec<Wanted>) -> SqlResult<()> {
    match what {
        AuditedActions::Group(name) => {
            let group = actions::group(name).ok_or_else(|| unsupported(&format!("{name} of an audit")))?;
            if of_database && group.level == Level::Server {
                return Err(unsupported(&format!("{name} in a DATABASE AUDIT SPECIFICATION")));
            }
            to.push(Wanted { action: group.name.into(), on: None });
        }
        AuditedActions::On { actions: names, class, securable, principals } => {
            let db = ddl.current()?;
            let (on, is_procedure) = securable_of(ddl, class.as_deref(), securable)?;
            for name in names {
                let action = actions::on_objects(name).ok_or_else(|| unsupported(&format!("{name} of an audit")))?;
                if is_procedure.is_some_and(|is_procedure| is_procedure != (action == actions::EXECUTE)) {
                    return Err(sql_error!(4606, action.name));
                }
                for name in principals {
                    let principal = principal(ddl, &db, &name.text)?;
                    to.push(Wanted { action: action.name.into(), on: Some(On { securable: on, principal }) });
                }
            }
        }
    }
    Ok(())
}

/// Some(true): a procedure; Some(false): a table.
fn securable_of(ddl: &mut Ddl<'_>, class: Option<&str>, name: &ObjectName) -> SqlResult<(Securable, Option<bool>)> {
    let db = ddl.current()?;
    match class {
        None | Some("OBJECT") => {
            let found = ddl.find(name)?.filter(|(of, _)| of.id == db.id);
            let (_, row) = found.ok_or_else(|| cannot_find("find", "object", &name.name))?;
            match row.kind.as_str() {
                "U" => Ok((Securable::Object(row.id), Some(false))),
                "P" => Ok((Securable::Object(row.id), Some(true))),
                // A view's rows are read from its tables, and a function runs within the statement: they are not seen by themselves.
                _ => Err(unsupported("an audit of anything but tables and procedures")),
            }
        }
        Some("SCHEMA") => {
            let row = ddl.rows(&db, |rows| load::schema_named(rows, &name.name))?;
            Ok((Securable::Schema(row.ok_or_else(|| cannot_find("find", "schema", &name.name))?.id), None))
        }
        Some("DATABASE") if db.equal_names(&db.name(), &name.name) => Ok((Securable::Database, None)),
        Some("DATABASE") => Err(cannot_find("find", "database", &name.name)),
        Some(class) => Err(unsupported(&format!("{class}:: in an AUDIT SPECIFICATION"))),
    }
}

/// 102: a name or a value that is none.
fn wrong(setting: &Setting) -> SqlError {
    sql_error!(102, setting.name)
}

fn text(setting: &Setting) -> Option<String> {
    match &setting.value {
        SettingValue::Value(Expr::Literal(Literal::String { text, .. })) => Some(text.to_string()),
        _ => None,
    }
}

fn word(setting: &Setting) -> Option<String> {
    match &setting.value {
        SettingValue::Word(word) => Some(word.text.to_ascii_uppercase()),
        _ => None,
    }
}

fn is_unlimited(setting: &Setting) -> bool {
    word(setting).as_deref() == Some("UNLIMITED")
}

fn on_or_off(setting: &Setting) -> SqlResult<bool> {
    match setting.value {
        SettingValue::On => Ok(true),
        SettingValue::Off => Ok(false),
        _ => Err(wrong(setting)),
    }
}

fn count(setting: &Setting) -> SqlResult<u32> {
    let number = match &setting.value {
        SettingValue::Value(expr) => whole_number(expr),
        _ => None,
    };
    number
        .and_then(|number| i32::try_from(number).ok())
        .and_then(|n| u32::try_from(n).ok())
        .ok_or_else(|| wrong(setting))
}

/// `10 MB`
fn bytes(setting: &Setting) -> SqlResult<u64> {
    let (number, shift) = match &setting.value {
        SettingValue::Quantity(expr, unit) => {
            let shift = match &**unit {
                "MB" => 20,
                "GB" => 30,
                "TB" => 40,
                _ => return Err(wrong(setting)),
            };
            (whole_number(expr), shift)
        }
        // Megabytes without a word.
        SettingValue::Value(expr) => (whole_number(expr), 20),
        _ => return Err(wrong(setting)),
    };
    let number = number.and_then(|number| u64::try_from(number).ok()).ok_or_else(|| wrong(setting))?;
    if number == 0 {
        return Ok(0);
    }
    let bytes = number.checked_mul(1 << shift).filter(|bytes| *bytes < 1 << 62).ok_or_else(|| wrong(setting))?;
    if bytes < FILE_BYTES_MIN { Err(sql_error!(33076)) } else { Ok(bytes) }
}

fn new_guid() -> String {
    let mut bytes = [0; 16];
    os::random::fill(&mut bytes);
    bytes[6] = bytes[6] & 0x0F | 0x40;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    let part = |from: usize, to: usize| &digits[from..to];
    format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

/// A GUID as it is kept. None: it is none.
fn guid_of(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let is_hex = parts.iter().all(|part| part.chars().all(|c| c.is_ascii_hexdigit()));
    (lengths == [8, 4, 4, 4, 12] && is_hex).then(|| text.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guids() {
        assert_eq!(guid_of(&new_guid()).as_deref().map(str::len), Some(36));
        assert_eq!(
            guid_of("01020304-0506-0708-090a-0b0c0d0e0f10").as_deref(),
            Some("01020304-0506-0708-090A-0B0C0D0E0F10")
        );
        for none in [
            "",
            "01020304-0506-0708-090a-0b0c0d0e0f1",
            "01020304-0506-0708-090a0b0c0d0e0f10",
            "g1020304-0506-0708-090a-0b0c0d0e0f10",
        ] {
            assert_eq!(guid_of(none), None);
        }
    }
}
