//! Removes from history tables what has outlived its HISTORY_RETENTION_PERIOD, now and then.
//! https://learn.microsoft.com/sql/relational-databases/tables/temporal/manage-retention-of-historical-data-in-system-versioned-temporal-tables

use std::sync::Arc;

use exec::sink::{Sink, Stop};
use os::sched::{Place, TaskKind};
use types::SqlError;

use crate::instance::server::Server;
use crate::session::host::SessionHost;

/// Between two looks, ns. Nobody sees such rows in the meantime: queries leave them out.
const LOOK_NS: u64 = 3_600_000_000_000;

/// Of each database that can be written and has not turned it off.
const CLEAN_UP: &str = "
DECLARE @database sysname, @text nvarchar(max);
DECLARE databases CURSOR LOCAL STATIC FOR SELECT name FROM sys.databases
  WHERE is_temporal_history_retention_enabled = 1 AND state = 0 AND is_read_only = 0 AND database_id > 4;
OPEN databases;
FETCH NEXT FROM databases INTO @database;
WHILE @@FETCH_STATUS = 0
BEGIN
  SET @text = N'USE ' + QUOTENAME(@database) + N';
    DECLARE @schema sysname, @table sysname;
    DECLARE aged CURSOR LOCAL STATIC FOR SELECT SCHEMA_NAME(schema_id), name FROM sys.tables WHERE history_retention_period > 0;
    OPEN aged;
    FETCH NEXT FROM aged INTO @schema, @table;
    WHILE @@FETCH_STATUS = 0
    BEGIN
      EXEC sys.sp_cleanup_temporal_history @schema, @table;
      FETCH NEXT FROM aged INTO @schema, @table;
    END';
  BEGIN TRY EXEC (@text) END TRY BEGIN CATCH PRINT ERROR_MESSAGE() END CATCH;
  FETCH NEXT FROM databases INTO @database;
END";

/// What the clean-up says goes to the log.
struct LogSink;

impl Sink for LogSink {
    fn message(&mut self, message: &SqlError) -> Result<(), Stop> {
        if message.severity > 10 || message.number == 0 {
            tracing::warn!("history retention: {}", message.text);
        }
        Ok(())
    }
}

/// Asked now and then. `looked_ns`: when it last began; 0: at the start, when there is no hurry.
pub fn look(server: &Arc<Server>, looked_ns: &mut u64) {
    let now = os::clock::now();
    if *looked_ns == 0 {
        *looked_ns = now;
    }
    if now - *looked_ns < LOOK_NS {
        return;
    }
    *looked_ns = now;
    let server = server.clone();
    os::sched::spawn(TaskKind::System, Place::Here, move || clean_up(&server));
}

fn clean_up(server: &Arc<Server>) {
    let (mut state, mut host) = SessionHost::internal(server);
    match crate::session::compile::compile(&mut host, &mut state, CLEAN_UP, "") {
        Ok(module) => {
            exec::run_batch(&module, &mut state, &mut host, &mut LogSink);
        }
        Err(errors) => tracing::warn!("history retention: {errors:?}"),
    }
    host.log_out(&mut state);
}
