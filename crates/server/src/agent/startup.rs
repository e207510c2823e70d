//! What sp_procoption has marked runs when the server has started.
//! https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-procoption-transact-sql

use std::sync::Arc;

use os::sched::{Place, TaskKind};

use super::ask::{ask, text};
use crate::instance::server::Server;
use crate::settings::config::option;

const MARKED: &str = "
SELECT QUOTENAME(p.name) FROM master.sys.procedures p
WHERE p.is_auto_executed = 1 AND p.schema_id = 1
ORDER BY p.object_id";

/// Each runs in a session of its own, as the server: nobody waits for them.
pub fn begin(server: &Arc<Server>) {
    if server.catalog.configuration.running(option::SCAN_FOR_STARTUP_PROCS) == 0 {
        return;
    }
    let marked = match ask(server, MARKED) {
        Ok(results) => results.into_iter().flatten().map(|row| text(&row[0])).collect(),
        Err(error) => {
            tracing::error!("procedures that run at the start cannot be found: {}", error.text);
            Vec::new()
        }
    };
    for name in marked {
        let server = server.clone();
        os::sched::spawn(TaskKind::Request, Place::LeastLoaded, move || {
            tracing::info!("Launched startup procedure '{name}'.");
            match os::panics::catch(|| ask(&server, &format!("EXEC master.dbo.{name}"))) {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => tracing::error!("startup procedure {name}: {}", error.text),
                Err(panic) => tracing::error!(place = panic.place, "startup procedure {name}: {}", panic.message),
            }
        });
    }
}
