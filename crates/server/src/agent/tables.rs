//! The tables of jobs in msdb: made by the first start of a data directory, or of a version that has them.

use std::sync::Arc;

use crate::agent::ask::ask;
use crate::catalog::MSDB;
use crate::catalog::base::{ObjectRow, object_status, schema};
use crate::catalog::load;
use crate::instance::server::Server;
use types::SqlResult;

const TABLES: &str = include_str!("tables.sql");
/// The last of them.
const LAST: &str = "sysagentrequests";
/// `ObjectRow`'s keys: by number.
const BY_ID: usize = 0;

/// Where msdb cannot be written there are no jobs.
pub fn make(server: &Arc<Server>) {
    if let Err(error) = make_missing(server) {
        tracing::warn!("the tables of SQL Server Agent cannot be made: {}", error.text);
    }
}

fn make_missing(server: &Arc<Server>) -> SqlResult<()> {
    let msdb = server.catalog.expect_database(MSDB);
    let there = server.catalog.read(&msdb, |rows| load::object_row_named(rows, schema::DBO, LAST))?;
    if there.is_some() {
        return Ok(());
    }
    ask(server, &format!("SET XACT_ABORT ON; BEGIN TRANSACTION;\n{TABLES}\nCOMMIT"))?;
    // They are the system's, as whoever looks for what users have made in msdb wants to know.
    server.catalog.change(&msdb, |rows| {
        let own = rows.all::<ObjectRow>()?.into_iter().filter(|row| row.nsid == schema::DBO);
        for row in own {
            rows.update::<ObjectRow>(BY_ID, &[load::int(row.id)], |row| row.status |= object_status::SHIPPED)?;
        }
        Ok(())
    })
}
