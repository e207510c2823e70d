//! DBCC, CHECKPOINT, RECONFIGURE, KILL, ALTER SERVER CONFIGURATION.

use sql::ast::{AlterServerConfiguration, Dbcc, Expr, Kill, Literal, find_setting};
use types::{Datum, SqlError, SqlResult, SqlType, sql_error};

use super::check;
use super::check_constraints;
use super::dbcc::{answer, database_argument, no_such_object, number_argument, text_argument};
use super::number::{identity_of, identity_rule, whole_number};
use super::open_transaction;
use super::site::{Ddl, cannot_find_object};
use super::space;
use super::trace;
use super::usage;
use crate::catalog::base::database_option;
use crate::catalog::error::storage_error;
use crate::catalog::{Database, suspects};
use crate::instance::machine::Followed;
use crate::instance::plan_cache::Forget;
use crate::instance::question::Counted;
use crate::instance::sessions::SPID_MIN;
use crate::settings::config::{masks_of, no_such_cpu, option};

/// CPUs that the two affinity masks can name.
const CPUS_MASKED: usize = 64;

pub fn checkpoint(ddl: &mut Ddl<'_>) -> SqlResult<()> {
    ddl.long_storage(|storage, _, pause| storage.checkpoint_heard(pause)).map_err(storage_error)
}

pub fn reconfigure(ddl: &mut Ddl<'_>, with_override: bool) -> SqlResult<()> {
    if ddl.site.in_user_transaction() {
        return Err(sql_error!(574, "CONFIG"));
    }
    let configuration = &ddl.catalog.configuration;
    let before = Followed::of(configuration);
    configuration.reconfigure(with_override)?;
    ddl.catalog.raise_databases_version();
    before.follow(&ddl.site.server())
}

pub fn alter_configuration(ddl: &mut Ddl<'_>, change: &AlterServerConfiguration) -> SqlResult<()> {
    if &*change.name != "PROCESS AFFINITY" {
        return Err(sql_error!(40510, format_args!("ALTER SERVER CONFIGURATION SET {}", change.name)));
    }
    if ddl.site.in_user_transaction() {
        return Err(sql_error!(574, "ALTER SERVER CONFIGURATION"));
    }
    let (mask, mask64) = masks_of(&affinity(change)?);
    let catalog = &ddl.catalog;
    let before = Followed::of(&catalog.configuration);
    // One setting with two faces: what sp_configure shows is what runs.
    for (index, value) in [(option::AFFINITY_MASK, mask), (option::AFFINITY64_MASK, mask64)] {
        catalog.configure(index, value)?;
        catalog.configuration.set_running(index, value);
    }
    ddl.site.server().startup.write(&catalog.configuration);
    before.follow(&ddl.site.server())
}

/// The CPUs of `CPU = 0 TO 3, 5` or `NUMANODE = 0`; none for `CPU = AUTO`.
fn affinity(change: &AlterServerConfiguration) -> SqlResult<Vec<usize>> {
    let nodes = os::sched::numa_nodes();
    let by_node = change.settings.iter().any(|setting| setting.name.eq_ignore_ascii_case("NUMANODE"));
    let usable = os::limits::usable_cpus();
    let mut cpus = Vec::new();
    for (first, last) in &change.ranges {
        let first = whole_number(first).ok_or_else(no_such_cpu)?;
        let last = last.as_ref().map_or(Some(first), whole_number).ok_or_else(no_such_cpu)?;
        if first > last || !(0..CPUS_MASKED as i128).contains(&first) || last >= CPUS_MASKED as i128 {
            return Err(no_such_cpu());
        }
        for number in first as usize..=last as usize {
            match by_node {
                true => cpus.extend(nodes.get(number).ok_or_else(no_such_cpu)?.iter().map(|cpu| *cpu as usize)),
                false => cpus.push(number),
            }
        }
    }
    if cpus.iter().any(|cpu| *cpu >= CPUS_MASKED || !usable.contains(&(*cpu as u32))) {
        return Err(no_such_cpu());
    }
    Ok(cpus)
}

pub fn kill(ddl: &mut Ddl<'_>, kill: &Kill) -> SqlResult<()> {
    let Kill::Session { id, status_only } = kill else { return Err(super::unsupported("KILL STATS JOB")) };
    let invalid = |shown: i128| sql_error!(6101, shown);
    // Not a number: a unit of work, of which there is none.
    let unit = if let Expr::Literal(Literal::String { text, .. }) = id { text } else { "" };
    let id = whole_number(id).ok_or_else(|| sql_error!(6110, unit))?;
    let spid = u32::try_from(id).ok().filter(|spid| *spid > 0).ok_or_else(|| invalid(id))?;
    if ddl.site.in_user_transaction() && !status_only {
        return Err(sql_error!(6115));
    }
    let server = ddl.site.server();
    if spid == ddl.site.session().spid {
        return Err(sql_error!(6104));
    }
    if spid < SPID_MIN {
        return Err(sql_error!(6107));
    }
    if server.sessions.engine_of(spid).is_none() {
        return Err(not_active(spid));
    }
    if *status_only {
        return rollback_status(ddl, spid);
    }
    // It may have gone meanwhile.
    if server.kill(spid) { Ok(()) } else { Err(not_active(spid)) }
}

/// 6109; 6120: it has not been killed, or there is nothing left to roll back.
/// https://learn.microsoft.com/sql/t-sql/language-elements/kill-transact-sql
fn rollback_status(ddl: &mut Ddl<'_>, spid: u32) -> SqlResult<()> {
    let query = format!(
        "SELECT CONVERT(int, percent_complete), CONVERT(int, (estimated_completion_time + 999) / 1000) \
         FROM sys.dm_exec_requests WHERE session_id = {spid} AND command = N'KILLED/ROLLBACK'"
    );
    let mut found = None;
    ddl.site.query(&query, &mut |_, batch| {
        if batch.rows > 0 {
            found = Some((batch.columns[0].datum(0).as_i64(), batch.columns[1].datum(0).as_i64()));
        }
        Ok(())
    })?;
    let is_undone = |entry: &storage::TransactionEntry| entry.session == spid && entry.undone.is_some();
    match found {
        Some((percent, seconds)) if ddl.catalog.storage.transactions().iter().any(is_undone) => {
            ddl.message(sql_error!(6109, spid, percent, seconds));
            Ok(())
        }
        _ => Err(sql_error!(6120, spid)),
    }
}

fn not_active(spid: u32) -> SqlError {
    sql_error!(6106, spid)
}

pub fn dbcc(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<()> {
    if REFUSED.contains(&&*dbcc.command) {
        return Err(super::unsupported(&format!("DBCC {}", dbcc.command)));
    }
    let quiet = find_setting(&dbcc.options, "NO_INFOMSGS").is_some();
    let known =
        |name: &str| OPTIONS.iter().any(|known| name.eq_ignore_ascii_case(known)) || name.starts_with("REPAIR_");
    if dbcc.options.iter().any(|option| !known(&option.name)) {
        return Err(sql_error!(2532));
    }
    let is_table = TABLES.contains(&&*dbcc.command);
    for option in ["TABLERESULTS", "ESTIMATEONLY"] {
        if find_setting(&dbcc.options, option).is_some() && !is_table {
            return Err(super::unsupported(&format!("DBCC {} WITH {option}", dbcc.command)));
        }
    }
    match &*dbcc.command {
        "CHECKTABLE" | "CHECKDB" | "CHECKALLOC" | "CHECKCATALOG" | "CHECKFILEGROUP" => {
            let checked = match &*dbcc.command {
                "CHECKTABLE" => check::table(ddl, dbcc, quiet),
                _ => check::database(ddl, dbcc, quiet),
            };
            suspects::record(&ddl.catalog);
            checked?;
        }
        "CHECKIDENT" => check_identity(ddl, dbcc, quiet)?,
        "FREEPROCCACHE" | "FREESYSTEMCACHE" | "FLUSHPROCINDB" | "PURGESQLCACHE" => {
            if let Some(forget) = plans_meant(ddl, dbcc)? {
                ddl.site.server().forget_plans(forget);
            }
        }
        // Of distributed queries, which there are none of.
        "FREESESSIONCACHE" => {}
        "DROPCLEANBUFFERS" => checkpoint(ddl)?,
        "TRACEON" => trace::switch(ddl, dbcc, true)?,
        "TRACEOFF" => trace::switch(ddl, dbcc, false)?,
        "TRACESTATUS" => trace::status(ddl, dbcc)?,
        "INPUTBUFFER" => input_buffer(ddl, dbcc)?,
        "USEROPTIONS" => user_options(ddl)?,
        "SQLPERF" => performance(ddl, dbcc)?,
        "OPENTRAN" => open_transaction::tell(ddl, dbcc)?,
        "PROCCACHE" => plans_kept(ddl)?,
        "DBINFO" => database_info(ddl, dbcc)?,
        "UPDATEUSAGE" => usage::update(ddl, dbcc)?,
        "INDEXDEFRAG" => defragment(ddl)?,
        // "This functionality has no effect any more."
        "PINTABLE" | "UNPINTABLE" => {}
        "SHRINKDATABASE" => space::shrink_database(ddl, dbcc)?,
        "SHRINKFILE" => space::shrink_file(ddl, dbcc)?,
        "LOGINFO" => {
            database_argument(ddl, dbcc)?;
            space::log_info(ddl)?;
        }
        "CHECKCONSTRAINTS" => check_constraints::run(ddl, dbcc)?,
        _ => return Err(sql_error!(2526, state 3)),
    }
    if !quiet {
        ddl.message(sql_error!(2528));
    }
    Ok(())
}

/// Commands that SQL Server has, and this server has not.
const REFUSED: [&str; 15] = [
    "CLEANTABLE",
    "DBTABLE",
    "FLUSHAUTHCACHE",
    "HELP",
    "IND",
    "LOG",
    "MEMORYSTATUS",
    "OUTPUTBUFFER",
    "PAGE",
    "PSS",
    "RESOURCE",
    "SHOWCONTIG",
    "SQLMGRSTATS",
    "STACKDUMP",
    "WRITEPAGE",
];

/// Words that follow WITH.
const OPTIONS: [&str; 18] = [
    "ALL_CONSTRAINTS",
    "ALL_ERRORMSGS",
    "CLEAR",
    "COUNT_ROWS",
    "DATA_PURITY",
    "DENSITY_VECTOR",
    "ESTIMATEONLY",
    "EXTENDED_LOGICAL_CHECKS",
    "HISTOGRAM",
    "MARK_IN_USE_FOR_REMOVAL",
    "MAXDOP",
    "NO_INFOMSGS",
    "PHYSICAL_ONLY",
    "STATS_STREAM",
    "STAT_HEADER",
    "TABLERESULTS",
    "TABLOCK",
    "WAIT_AT_LOW_PRIORITY",
];

/// Commands that answer tables anyway.
const TABLES: [&str; 14] = [
    "OPENTRAN",
    "PROCCACHE",
    "CHECKDB",
    "CHECKALLOC",
    "CHECKCATALOG",
    "CHECKFILEGROUP",
    "CHECKTABLE",
    "DBINFO",
    "LOGINFO",
    "SHOW_STATISTICS",
    "TRACESTATUS",
    "USEROPTIONS",
    "INPUTBUFFER",
    "SQLPERF",
];

/// DBINFO, WITH TABLERESULTS: what the database's first page says, of which this server has these. Without the option the text goes to
/// the error log's console in SQL Server, and nowhere here.
fn database_info(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<()> {
    let db = database_argument(ddl, dbcc)?;
    if find_setting(&dbcc.options, "TABLERESULTS").is_none() {
        return Ok(());
    }
    let query = format!(
        "SELECT f.name, CONVERT(varchar(255), f.value) FROM sys.databases d CROSS APPLY (VALUES \
         ('dbi_dbid', CONVERT(varchar(255), d.database_id)), ('dbi_version', CONVERT(varchar(255), DATABASEPROPERTYEX(d.name, 'Version'))), \
         ('dbi_createVersion', CONVERT(varchar(255), DATABASEPROPERTYEX(d.name, 'Version'))), \
         ('dbi_cmptlevel', CONVERT(varchar(255), d.compatibility_level)), ('dbi_crdate', CONVERT(varchar(255), d.create_date, 121)), \
         ('dbi_dbname', CONVERT(varchar(255), d.name)), ('dbi_collation', CONVERT(varchar(255), d.collation_name)), \
         ('dbi_dbccLastKnownGood', ISNULL(CONVERT(varchar(255), CONVERT(datetime, DATABASEPROPERTYEX(d.name, 'LastGoodCheckDbTime')), 121), \
         '1900-01-01 00:00:00.000'))) f(name, value) WHERE d.database_id = {}",
        db.id.0
    );
    let mut rows: Vec<Vec<Datum>> = Vec::new();
    ddl.site.query(&query, &mut |_, batch| {
        for row in 0..batch.rows {
            let words = |text: &str| Datum::bytes(text.as_bytes());
            let mut cells = vec![words("DBINFO STRUCTURE:"), words("DBINFO")];
            cells.extend(batch.columns.iter().map(|column| column.datum(row)));
            rows.push(cells);
        }
        Ok(())
    })?;
    let text = SqlType::varchar(255);
    answer(ddl, &[("ParentObject", text), ("Object", text), ("Field", text), ("VALUE", text)], &rows)
}

/// The plans that a DBCC statement drops; PURGESQLCACHE is ASE's. None: it means another cache.
fn plans_meant(ddl: &Ddl<'_>, dbcc: &Dbcc) -> SqlResult<Option<Forget>> {
    let refused = || sql_error!(2560, state 9, 1);
    let number = |position| number_argument(dbcc, position).and_then(|id| u16::try_from(id).ok());
    Ok(match (&*dbcc.command, dbcc.args.first()) {
        ("PURGESQLCACHE", _) => Some(Forget::Statements),
        ("FLUSHPROCINDB", _) => Some(Forget::Database(number(0).ok_or_else(refused)?)),
        ("FREEPROCCACHE", Some(Expr::Literal(Literal::Binary(handle)))) => {
            Some(Forget::Handle((**handle).try_into().map_err(|_| refused())?))
        }
        // The name of a pool: there is one.
        ("FREEPROCCACHE", _) => Some(Forget::All),
        _ => match &*text_argument(dbcc, 0).ok_or_else(refused)?.to_ascii_lowercase() {
            "all" => Some(Forget::All),
            "sql plans" => Some(Forget::Statements),
            "object plans" => Some(Forget::Procedures),
            name if OTHER_CACHES.contains(&name) => None,
            // Of a database: its metadata, or what was found out about rights.
            name if ddl.catalog.database_named(name.strip_prefix("objperm - ").unwrap_or(name)).is_some() => None,
            _ => return Err(refused()),
        },
    })
}

/// Caches of `sys.dm_os_memory_cache_counters` without plans, in small letters.
const OTHER_CACHES: [&str; 6] = [
    "bound trees",
    "extended stored procedures",
    "systemrowsetstore",
    "temporary tables & table variables",
    "tokenandpermuserstore",
    "userstore_tokenperm",
];

/// CHECKIDENT ('table' [, NORESEED | RESEED [, value]])
fn check_identity(ddl: &mut Ddl<'_>, dbcc: &Dbcc, quiet: bool) -> SqlResult<()> {
    let name = text_argument(dbcc, 0).ok_or_else(|| cannot_find_object(""))?;
    let parsed = sql::catalog::ObjectName::from_text(&name).ok_or_else(|| no_such_object(&name))?;
    let Some((db, row, table)) = ddl.table_for_change(&parsed.into())? else { return Err(no_such_object(&name)) };
    let Some((column, (seed, increment))) = identity_of(&table) else {
        return Err(sql_error!(7997, name));
    };
    let column = &table.columns[column];
    let rule = identity_rule(&column.ty, seed, increment);
    let storage = ddl.catalog.clone();
    let last = db.counters.last(&storage.storage, &db, row.id)?;
    let reseed = text_argument(dbcc, 1).is_none_or(|word| word.eq_ignore_ascii_case("RESEED"));
    let largest = largest(ddl, &db, &table, &column.name, increment)?;
    let shown = |value: Option<i128>| value.map_or("NULL".to_string(), |value| value.to_string());
    let column_value = match (reseed, number_argument(dbcc, 2)) {
        (true, Some(value)) => {
            if !(rule.minimum..=rule.maximum).contains(&value) {
                return Err(sql_error!(2560, state 9, 3));
            }
            // A table that never had a row gives the value itself first; another goes on behind it.
            let base = if last.is_none() { value - rule.increment } else { value };
            ddl.reset_counter((&db, row.id), &rule, Some(base))?;
            None
        }
        (true, None) => {
            let behind = match (last, largest) {
                (Some(last), Some(largest)) => {
                    if rule.increment > 0 {
                        largest > last
                    } else {
                        largest < last
                    }
                }
                (None, Some(_)) => true,
                _ => false,
            };
            if behind {
                ddl.reset_counter((&db, row.id), &rule, largest)?;
            }
            Some(if behind { largest } else { largest.or(last) })
        }
        (false, _) => Some(largest),
    };
    if !quiet {
        let column_value = column_value.map(|value| format!(", current column value '{}'", shown(value)));
        ddl.message(sql_error!(7998, shown(last), column_value.unwrap_or_default()));
    }
    Ok(())
}

/// A session besides the one that asks.
pub struct OtherSession {
    pub database: i64,
    pub login: String,
}

/// Of all engines.
pub fn other_sessions(ddl: &mut Ddl<'_>) -> SqlResult<Vec<OtherSession>> {
    let mut found = Vec::new();
    let query = "SELECT database_id, login_name FROM sys.dm_exec_sessions WHERE session_id <> @@SPID";
    ddl.site.query(query, &mut |_, batch| {
        found.extend((0..batch.rows).map(|row| OtherSession {
            database: batch.columns[0].datum(row).as_i64(),
            login: types::collation::code_page::utf16_to_string(batch.columns[1].datum(row).as_bytes()),
        }));
        Ok(())
    })?;
    Ok(found)
}

/// The furthest value in the column, in the direction the identity goes.
fn largest(
    ddl: &mut Ddl<'_>,
    db: &Database,
    table: &sql::catalog::TableDef,
    column: &str,
    increment: i64,
) -> SqlResult<Option<i128>> {
    use super::text::bracket;
    let function = if increment > 0 { "MAX" } else { "MIN" };
    let place = format!("{}.{}.{}", bracket(&db.name()), bracket(&table.schema), bracket(&table.name));
    let query = format!("SELECT CONVERT(decimal(38, 0), {function}({})) FROM {place}", bracket(column));
    let mut found = None;
    ddl.site.query(&query, &mut |_, batch| {
        if batch.rows > 0 {
            if let Datum::I128(value) = batch.columns[0].datum(0) {
                found = Some(value);
            }
        }
        Ok(())
    })?;
    Ok(found)
}

fn input_buffer(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<()> {
    let own = matches!(dbcc.args.first(), Some(Expr::Global(global)) if global.name.eq_ignore_ascii_case("@@SPID"));
    let spid = if own { ddl.site.session().spid.into() } else { number_argument(dbcc, 0).unwrap_or(0) };
    let is_there = u32::try_from(spid).is_ok_and(|spid| ddl.site.server().sessions.engine_of(spid).is_some());
    if !is_there {
        return Err(sql_error!(7955, state 2, spid));
    }
    let mut row = vec![Datum::nvarchar("No Event"), Datum::I64(0), Datum::Null];
    let query =
        format!("SELECT event_type, parameters, LEFT(event_info, 4000) FROM sys.dm_exec_input_buffer({spid}, NULL)");
    ddl.site.query(&query, &mut |_, batch| {
        if batch.rows > 0 {
            row = batch.columns.iter().map(|column| column.datum(0)).collect();
        }
        Ok(())
    })?;
    answer(
        ddl,
        &[
            ("EventType", SqlType::nvarchar(30)),
            ("Parameters", SqlType::SMALLINT),
            ("EventInfo", SqlType::nvarchar(4000)),
        ],
        &[row],
    )
}

/// Options that are on, as sp_reset_connection leaves them or SET has made them.
fn user_options(ddl: &mut Ddl<'_>) -> SqlResult<()> {
    use sql::plan::IsolationLevel::*;
    let snapshot = ddl.current()?.snapshot_reads();
    let options = &ddl.site.session().options;
    let isolation = match options.isolation {
        ReadUncommitted => "read uncommitted",
        ReadCommitted if snapshot => "read committed snapshot",
        ReadCommitted => "read committed",
        RepeatableRead => "repeatable read",
        Serializable => "serializable",
        Snapshot => "snapshot",
    };
    let text_size = if options.text_size < 0 { i32::MAX } else { options.text_size };
    let mut rows: Vec<(&str, String)> = vec![
        ("textsize", text_size.to_string()),
        ("language", options.language.get().name.to_string()),
        ("dateformat", options.date_format.name().to_string()),
        ("datefirst", options.date_first.to_string()),
        ("lock_timeout", options.lock_timeout_ms.to_string()),
    ];
    let flags = [
        ("nocount", options.no_count),
        ("implicit_transactions", options.implicit_transactions),
        ("cursor_close_on_commit", options.cursor_close_on_commit),
        ("xact_abort", options.xact_abort),
        ("numeric_roundabort", options.numeric_round_abort),
        ("quoted_identifier", options.quoted_identifier),
        ("arithabort", options.arith_abort),
        ("ansi_null_dflt_on", options.ansi_null_dflt_on),
        ("ansi_warnings", options.ansi_warnings),
        ("ansi_padding", options.ansi_padding),
        ("ansi_nulls", options.ansi_nulls),
        ("concat_null_yields_null", options.concat_null_yields_null),
    ];
    rows.extend(flags.iter().filter(|(_, on)| *on).map(|(name, _)| (*name, "SET".to_string())));
    rows.push(("isolation level", isolation.to_string()));
    let rows: Vec<Vec<Datum>> =
        rows.iter().map(|(name, value)| vec![Datum::nvarchar(name), Datum::nvarchar(value)]).collect();
    answer(ddl, &[("Set Option", SqlType::nvarchar(128)), ("Value", SqlType::nvarchar(128))], &rows)
}

/// PROCCACHE: what the plan cache has, in plans and in pages of 8 KB.
/// https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-proccache-transact-sql
fn plans_kept(ddl: &mut Ddl<'_>) -> SqlResult<()> {
    let query = "SELECT COUNT(*), ISNULL(SUM(CONVERT(bigint, size_in_bytes)), 0) / 8192 FROM sys.dm_exec_cached_plans";
    let mut row = Vec::new();
    ddl.site.query(query, &mut |_, batch| {
        let (plans, pages) = (batch.columns[0].datum(0), batch.columns[1].datum(0));
        row = vec![plans.clone(), plans, Datum::I64(0), pages.clone(), pages, Datum::I64(0)];
        Ok(())
    })?;
    let names = [
        "num proc buffs",
        "num proc buffs used",
        "num proc buffs active",
        "proc cache size",
        "proc cache used",
        "proc cache active",
    ];
    answer(ddl, &names.map(|name| (name, SqlType::INT)), &[row])
}

/// INDEXDEFRAG: pages that hold little are merged as rows go, so none is moved.
fn defragment(ddl: &mut Ddl<'_>) -> SqlResult<()> {
    let columns = ["Pages Scanned", "Pages Moved", "Pages Removed"].map(|name| (name, SqlType::BIGINT));
    answer(ddl, &columns, &[vec![Datum::I64(0), Datum::I64(0), Datum::I64(0)]])
}

/// SQLPERF (LOGSPACE), SQLPERF ('sys.dm_os_wait_stats', CLEAR)
fn performance(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<()> {
    let subject = text_argument(dbcc, 0).unwrap_or_default().to_ascii_lowercase();
    match subject.as_str() {
        "logspace" => {
            let row = |db: &Database| -> SqlResult<Vec<Datum>> {
                let storage::LogSpace { used, total, .. } = ddl.catalog.log_space_of(db)?;
                Ok(vec![
                    Datum::nvarchar(&db.name()),
                    Datum::F64(total as f64 / f64::from(1 << 20)),
                    Datum::F64(used as f64 * 100.0 / total as f64),
                    Datum::I64(0),
                ])
            };
            let databases = ddl.catalog.databases();
            let with_log = databases.iter().filter(|db| !db.option(database_option::SNAPSHOT));
            let rows: Vec<Vec<Datum>> = with_log.map(|db| row(db)).collect::<SqlResult<_>>()?;
            let columns = [
                ("Database Name", SqlType::nvarchar(128)),
                ("Log Size (MB)", SqlType::REAL),
                ("Log Space Used (%)", SqlType::REAL),
                ("Status", SqlType::INT),
            ];
            answer(ddl, &columns, &rows)
        }
        "sys.dm_os_wait_stats" | "waitstats" => {
            os::stats::clear_waits(os::stats::machine_here().unwrap_or(0));
            Ok(())
        }
        "sys.dm_os_latch_stats" => {
            ddl.site.server().clear(Counted::Latches);
            Ok(())
        }
        "sys.dm_os_spinlock_stats" | "spinlockstats" => {
            ddl.site.server().clear(Counted::Spinlocks);
            Ok(())
        }
        _ => Err(sql_error!(2526, state 3)),
    }
}
