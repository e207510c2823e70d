//! What reads the error log and begins a new one, for members of securityadmin and sysadmin.

use std::io::ErrorKind;

use exec::session::Session as State;
use exec::sink::Sink;
use types::convert::NO_STYLE;
use types::datetime::{Civil, Moment};
use types::{ConvertContext, Datum, SqlError, SqlResult, SqlType, convert, sql_error};

use super::parameters::Parameters;
use super::result::{ResultSet, number, text};
use crate::catalog::clock;
use crate::instance::error_log::{self, Entry};
use crate::security::actor::SYSADMIN;
use crate::session::host::SessionHost;

/// The fixed server role's number.
const SECURITYADMIN: i32 = 4;
/// The log's own type, which is the only one here; 2 is the agent's.
const TYPE_SERVER: i64 = 1;
/// Rows that go to the client at a time.
const ROWS_AT_ONCE: usize = 500;
/// Longer entries are cut, as the column says.
const TEXT_CHARS_MAX: usize = 4_000;

const COLUMNS: &str = "LogDate datetime; ProcessInfo nvarchar(50); Text nvarchar(4000)";

/// Whether the session acts as a member of the role.
fn is_member(host: &mut SessionHost, state: &mut State, role: i32) -> SqlResult<bool> {
    host.rights(state, |rights, look| {
        let within = rights.login(look)?.is_some_and(|login| login.ids.contains(&role));
        Ok::<_, SqlError>(within || rights.sysadmin(look)?)
    })
}

/// 229: extended procedures are nobody's but whom they are granted to.
pub fn expect_member(host: &mut SessionHost, state: &mut State, role: i32, procedure: &str) -> SqlResult<()> {
    match is_member(host, state, role)? {
        true => Ok(()),
        false => Err(sql_error!(229, state 5, "EXECUTE", procedure, "mssqlsystemresource", "sys")),
    }
}

/// As SQL Server tells of a file that it cannot open.
fn failed(procedure: &str, error: &std::io::Error) -> SqlError {
    let (number, why) = match error.kind() {
        ErrorKind::NotFound => (2, "The system cannot find the file specified.".to_owned()),
        _ => (error.raw_os_error().unwrap_or(0), error.to_string()),
    };
    sql_error!(22004, format!("{procedure}() returned error {number}, '{why}'"))
}

/// xp_readerrorlog file, type, word, word, start, end, 'asc' | 'desc'.
pub fn read(host: &mut SessionHost, state: &mut State, sink: &mut dyn Sink, given: &Parameters<'_>) -> SqlResult<i32> {
    expect_member(host, state, SECURITYADMIN, "xp_readerrorlog")?;
    let file = given.number(0)?.unwrap_or(0);
    if given.number(1)?.unwrap_or(TYPE_SERVER) != TYPE_SERVER {
        return Err(failed("xp_readerrorlog", &ErrorKind::NotFound.into()));
    }
    let file = u32::try_from(file).map_err(|_| failed("xp_readerrorlog", &ErrorKind::NotFound.into()))?;
    let words: Vec<String> =
        [2, 3].into_iter().filter_map(|at| given.text(at)).map(|word| word.to_lowercase()).collect();
    let (start, end) = (moment(given, 4)?, moment(given, 5)?);
    let descending = match given.text(6).map(|order| order.to_ascii_lowercase()).as_deref() {
        None | Some("asc" | "") => false,
        Some("desc") => true,
        Some(_) => return Err(sql_error!(22003)),
    };
    let mut entries = error_log::read(file).map_err(|error| failed("xp_readerrorlog", &error))?;
    entries.retain(|entry| {
        let said = entry.text.to_lowercase();
        words.iter().all(|word| said.contains(word.as_str()))
            && start.is_none_or(|start| entry.ticks >= start)
            && end.is_none_or(|end| entry.ticks <= end)
    });
    if descending {
        entries.reverse();
    }
    send(sink, &entries)
}

fn send(sink: &mut dyn Sink, entries: &[Entry]) -> SqlResult<i32> {
    let mut result = ResultSet::new(COLUMNS).begin(sink)?;
    for entries in entries.chunks(ROWS_AT_ONCE) {
        for entry in entries {
            let said: String = entry.text.chars().take(TEXT_CHARS_MAX).collect();
            result.push(&[Datum::I64(clock::from_ticks(entry.ticks).0), text(&entry.source), text(&said)]);
        }
        result.flush(sink)?;
    }
    result.end(sink)?;
    Ok(0)
}

/// A time of the caller's, in ticks.
fn moment(given: &Parameters<'_>, at: usize) -> SqlResult<Option<i64>> {
    let Some((ty, value)) = given.value(at) else { return Ok(None) };
    let to = SqlType::datetime2(7);
    let value = convert(&value, &ty, &to, NO_STYLE, &ConvertContext::CAST)?;
    Ok((!matches!(value, Datum::Null)).then(|| Moment::of(&to, value.as_ref()).local_ticks()))
}

/// xp_enumerrorlogs type.
pub fn list(host: &mut SessionHost, state: &mut State, sink: &mut dyn Sink, given: &Parameters<'_>) -> SqlResult<i32> {
    expect_member(host, state, SECURITYADMIN, "xp_enumerrorlogs")?;
    let mut result = ResultSet::new("Archive # int; Date nvarchar(24); Log File Size (Byte) int");
    if given.number(0)?.unwrap_or(TYPE_SERVER) == TYPE_SERVER {
        for archive in error_log::archives() {
            let local = archive.changed + i64::from(os::clock::local_offset_minutes()) * 60;
            let date = Civil::from_days(local.div_euclid(86_400) + Civil { year: 1970, month: 1, day: 1 }.days());
            let minutes = local.rem_euclid(86_400) / 60;
            let (hour, minute) = (minutes / 60, minutes % 60);
            let when = format!("{:02}/{:02}/{:04}  {hour:02}:{minute:02}", date.month, date.day, date.year);
            result.push(&[number(archive.number), text(&when), number(archive.bytes.min(i32::MAX as u64) as i64)]);
        }
    }
    result.send(sink)?;
    Ok(0)
}

/// sp_cycle_errorlog.
pub fn cycle(host: &mut SessionHost, state: &mut State) -> SqlResult<i32> {
    if !is_member(host, state, SYSADMIN)? {
        return Err(sql_error!(15003, "sysadmin"));
    }
    error_log::cycle().map_err(|error| failed("sp_cycle_errorlog", &error))?;
    Ok(0)
}
