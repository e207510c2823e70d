//! Procedures about the server and the session: configuration, session context, messages, the xp_ ones that tools call.

use std::sync::atomic::Ordering;

use exec::session::Session as State;
use exec::sink::Sink;
use types::datetime::LanguageId;
use types::{Datum, SqlResult, SqlType, sql_error};

use super::parameters::Parameters;
use super::result::{ResultSet, as_variant, number, optional_text, text};
use crate::catalog::error::storage_error;
use crate::instance::error_log::{self, CONSOLE, Source};
use crate::session::host::{ContextEntry, SessionHost};
use crate::settings::config;
use crate::settings::startup::OPTIONS_AT_START;

/// Bytes of keys and values in a session's context.
const CONTEXT_BYTES_MAX: usize = 1 << 20;

/// What configuration sp_configure's T-SQL side calls: @name, @value. Answers by its return code the index of the option.
pub fn set_configuration(host: &mut SessionHost, sink: &mut dyn Sink, given: &Parameters<'_>) -> SqlResult<i32> {
    let name = given.text(0).unwrap_or_default();
    let index = config::find(&name)?;
    let value = given.number(1)?.ok_or_else(|| given.missing(1))?;
    if index == config::option::DEFAULT_LANGUAGE && LanguageId::all().all(|id| i64::from(id.number()) != value) {
        return Err(sql_error!(15127));
    }
    let old = host.server.catalog.configure(index, value)?;
    if OPTIONS_AT_START.contains(&index) {
        host.server.startup.write(&host.server.catalog.configuration);
    }
    sink.message(&sql_error!(15457, config::OPTIONS[index].name, old, value).at_line(1))
        .map_err(exec::session::stopped)?;
    Ok(0)
}

pub fn flush_log(host: &mut SessionHost) -> SqlResult<i32> {
    host.server.catalog.storage.flush_log().map_err(storage_error)?;
    Ok(0)
}

/// What would reach outside of the server: a component that is off, or, switched on, not there.
pub fn switched_off(host: &SessionHost, procedure: &str, component: &str) -> SqlResult<i32> {
    let on = host.server.catalog.configuration.running(config::find(component)?) != 0;
    Err(match on {
        true => sql_error!(40510, component),
        false => sql_error!(15281, "procedure", procedure, component, component, component, component),
    })
}

/// xp_sqlagent_notify: jobs, schedules or what is asked of them has changed.
pub fn notify_agent(host: &SessionHost) -> SqlResult<i32> {
    host.server.agent_changes.fetch_add(1, Ordering::AcqRel);
    Ok(0)
}

/// sp_set_session_context @key, @value, @read_only.
pub fn set_context(host: &mut SessionHost, given: &Parameters<'_>) -> SqlResult<i32> {
    let key =
        given.text(0).filter(|key| !key.is_empty()).ok_or_else(|| sql_error!(15600, "sys.sp_set_session_context"))?;
    let value = given.value(1).map_or(Datum::Null, |(ty, value)| as_variant(&ty, value));
    let read_only = given.flag(2)?.unwrap_or(false);
    let entries = &mut host.context;
    let at = entries.iter().position(|entry| entry.key.eq_ignore_ascii_case(&key));
    if at.is_some_and(|at| entries[at].read_only) {
        return Err(sql_error!(15664, key));
    }
    let bytes = |entry: &ContextEntry| {
        2 * entry.key.len() + if entry.value.is_null() { 0 } else { entry.value.as_bytes().len() }
    };
    let fresh = ContextEntry { key, value, read_only };
    let others =
        entries.iter().enumerate().filter(|(i, _)| Some(*i) != at).map(|(_, entry)| bytes(entry)).sum::<usize>();
    if others + bytes(&fresh) > CONTEXT_BYTES_MAX {
        return Err(sql_error!(15665, fresh.key));
    }
    match at {
        Some(at) => entries[at] = fresh,
        None => entries.push(fresh),
    }
    Ok(0)
}

/// xp_logevent error_number, 'message', 'severity'.
pub fn log_event(state: &State, given: &Parameters<'_>) -> SqlResult<i32> {
    let (Some(id), Some(words)) = (given.number(0)?, given.text(1)) else {
        return Err(sql_error!(22003));
    };
    if id < 50_000 {
        return Err(sql_error!(22003));
    }
    let words: String = words.chars().take(2048).collect();
    match given.text(2).unwrap_or_default().to_ascii_lowercase().as_str() {
        "error" => tracing::error!(target: CONSOLE, spid = state.spid, number = id, "{words}"),
        "warning" => tracing::warn!(target: CONSOLE, spid = state.spid, number = id, "{words}"),
        _ => tracing::info!(target: CONSOLE, spid = state.spid, number = id, "{words}"),
    }
    // An informational message whatever the severity is called, as SQL Server logs it.
    error_log::raise_as(Source::Session(state.spid), id as i32, 10, 1, &words);
    Ok(0)
}

/// xp_msver [optname].
pub fn version(host: &SessionHost, sink: &mut dyn Sink, given: &Parameters<'_>) -> SqlResult<i32> {
    let processors = os::limits::usable_cpus().len() as i64;
    let memory_mb = host.server.catalog.storage.broker().target() >> 20;
    let rows: [(i64, &str, Option<i64>, Option<String>); 20] = [
        (1, "ProductName", None, Some("Microsoft SQL Server".into())),
        (2, "ProductVersion", Some(1_048_576), Some("16.0.4003.1".into())),
        (3, "Language", Some(1033), Some("English (United States)".into())),
        (4, "Platform", None, Some("NT x64".into())),
        (5, "Comments", None, Some("SQL".into())),
        (6, "CompanyName", None, Some("Heddle".into())),
        (7, "FileDescription", None, Some("Heddle database server".into())),
        (8, "FileVersion", None, Some("2022.0160.4003.01".into())),
        (9, "InternalName", None, Some("HEDDLE".into())),
        (10, "LegalCopyright", None, None),
        (11, "LegalTrademarks", None, None),
        (12, "OriginalFilename", None, Some("heddle".into())),
        (13, "PrivateBuild", None, None),
        (14, "SpecialBuild", Some(262_340_609), None),
        (15, "WindowsVersion", Some(0), Some("0".into())),
        (16, "ProcessorCount", Some(processors), Some(processors.to_string())),
        (17, "ProcessorActiveMask", None, None),
        (18, "ProcessorType", Some(8664), None),
        (19, "PhysicalMemory", Some(memory_mb as i64), Some(format!("{memory_mb}"))),
        (20, "Product ID", None, None),
    ];
    let mut result =
        ResultSet::new("Index smallint; Name nvarchar(128); Internal_Value int; Character_Value nvarchar(128)");
    let wanted = given.text(0);
    for (index, name, internal, characters) in rows {
        if wanted.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(name)) {
            let internal = internal.map_or(Datum::Null, Datum::I64);
            result.push(&[number(index), text(name), internal, optional_text(characters.as_deref())]);
        }
    }
    result.send(sink)?;
    Ok(0)
}

/// xp_instance_regread, xp_regread root, key, name, @value OUTPUT: this server has no registry, so nothing is there. A value of several
/// texts has a row for each, of three columns, as scripts that count the machine's instances take them in.
pub fn registry_read(sink: &mut dyn Sink, given: &mut Parameters<'_>) -> SqlResult<i32> {
    if given.is_given(3) {
        given.set(3, SqlType::nvarchar(4000), Datum::Null);
        return Ok(0);
    }
    let several = given.text(2).is_some_and(|name| name.eq_ignore_ascii_case("InstalledInstances"));
    let columns = if several { "; Item nvarchar(4000)" } else { "" };
    ResultSet::new(&format!("Value nvarchar(260); Data nvarchar(4000){columns}")).send(sink)?;
    Ok(0)
}
