//! DBCC TRACEON, TRACEOFF and TRACESTATUS. A flag is the session's, or with -1 the server's.
//! https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-traceon-transact-sql

use sql::ast::Dbcc;
use types::{Datum, SqlResult, SqlType, sql_error};

use super::dbcc::{answer, number_argument};
use super::site::Ddl;
use crate::instance::server::TraceFlags;

/// As an argument: for all sessions.
const ALL_SESSIONS: i32 = -1;

/// 2560: there is no flag of this number.
fn flags(dbcc: &Dbcc) -> SqlResult<(Vec<i32>, bool)> {
    let (mut flags, mut of_all) = (Vec::new(), false);
    for position in 0..dbcc.args.len() {
        match number_argument(dbcc, position).and_then(|flag| i32::try_from(flag).ok()) {
            Some(ALL_SESSIONS) => of_all = true,
            Some(flag) if TraceFlags::is_one(flag) => flags.push(flag),
            _ => return Err(sql_error!(2560, state 9, position + 1)),
        }
    }
    Ok((flags, of_all))
}

pub fn switch(ddl: &mut Ddl<'_>, dbcc: &Dbcc, on: bool) -> SqlResult<()> {
    let (flags, of_all) = flags(dbcc)?;
    let server = ddl.site.server();
    for flag in flags {
        let own = ddl.site.trace_flags();
        match (of_all, on) {
            (true, on) => server.trace_flags.set(flag, on),
            (false, true) => drop(own.insert(flag)),
            (false, false) => drop(own.remove(&flag)),
        }
    }
    Ok(())
}

/// Those that are named, else all that are on for the session or for all.
pub fn status(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<()> {
    let (asked, _) = flags(dbcc)?;
    let server = ddl.site.server();
    let own = ddl.site.trace_flags().clone();
    let shown = match asked.is_empty() {
        true => {
            let mut on = own.clone();
            on.extend(server.trace_flags.all_on());
            on.into_iter().collect()
        }
        false => asked,
    };
    let row = |flag: &i32| {
        let (global, session) = (server.trace_flags.is_on(*flag), own.contains(flag));
        let cells = [i64::from(*flag), (global || session).into(), global.into(), session.into()];
        cells.map(Datum::I64).to_vec()
    };
    let rows: Vec<Vec<Datum>> = shown.iter().map(row).collect();
    let small = SqlType::SMALLINT;
    answer(ddl, &[("TraceFlag", small), ("Status", small), ("Global", small), ("Session", small)], &rows)
}
