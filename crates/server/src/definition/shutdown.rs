//! SHUTDOWN: the server ends, as on SIGTERM.
//! https://learn.microsoft.com/sql/t-sql/language-elements/shutdown-transact-sql

use std::sync::atomic::Ordering;

use os::wait::WaitType;
use storage::error::heard;
use types::pause::Pause as _;
use types::{SqlResult, sql_error};

use super::site::Ddl;
use crate::catalog::error::storage_error;
use crate::instance::error_log::{self, Source};

/// Between two looks at what still runs.
const LOOK_MS: u64 = 50;

/// What it says to who may not, or not here, has the severity of information: the statement does nothing, and the batch goes on.
pub fn run(ddl: &mut Ddl<'_>, no_wait: bool) -> SqlResult<()> {
    if !ddl.server_permission("SHUTDOWN")? {
        ddl.message(sql_error!(6004));
        return Ok(());
    }
    if ddl.site.in_user_transaction() || ddl.site.options().nest_level > 0 {
        ddl.message(sql_error!(6007));
        return Ok(());
    }
    let server = ddl.site.server();
    if no_wait {
        server.stops_at_once.store(1, Ordering::Relaxed);
    } else {
        let running = others_running(ddl)?;
        if running > 0 {
            ddl.message(sql_error!(6001, running));
        }
        while others_running(ddl)? > 0 {
            ddl.site.heard(&mut |ear| heard(ear.pause())).map_err(storage_error)?;
            os::wait::sleep(WaitType::WAITFOR, LOOK_MS);
        }
    }
    let said = sql_error!(6006, if no_wait { "NOWAIT request" } else { "request" }, ddl.site.login());
    error_log::tell(Source::Session(ddl.site.session().spid), &said.text);
    // At once: its connection may go before the answer ends.
    ddl.site.heard(&mut |ear| heard(ear.message(&said))).map_err(storage_error)?;
    os::signal::request_stop_of_all();
    Ok(())
}

/// Requests of other sessions, of all engines.
fn others_running(ddl: &mut Ddl<'_>) -> SqlResult<i64> {
    let query = "SELECT COUNT_BIG(*) FROM sys.dm_exec_requests r JOIN sys.dm_exec_sessions s ON s.session_id = r.session_id \
                 WHERE s.is_user_process = 1 AND r.session_id <> @@SPID";
    let mut running = 0;
    ddl.site.query(query, &mut |_, batch| {
        if batch.rows > 0 {
            running = batch.columns[0].datum(0).as_i64();
        }
        Ok(())
    })?;
    Ok(running)
}
