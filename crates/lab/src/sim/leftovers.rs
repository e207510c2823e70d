//! When all clients have gone nothing of theirs is left: no session, no request, no lock, no transaction, no temporary table.

use os::wait::{WaitType, sleep};

use super::client::{Client, number_of};

/// What may not be left, each a query for a count.
const COUNTS: &[(&str, &str)] = &[
    ("sessions", "SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE is_user_process = 1 AND session_id <> @@SPID"),
    ("connections", "SELECT COUNT(*) FROM sys.dm_exec_connections WHERE session_id <> @@SPID"),
    ("requests", "SELECT COUNT(*) FROM sys.dm_exec_requests WHERE session_id > 50 AND session_id <> @@SPID"),
    ("locks", "SELECT COUNT(*) FROM sys.dm_tran_locks WHERE request_session_id > 50 AND request_session_id <> @@SPID"),
    ("transactions", "SELECT COUNT(*) FROM sys.dm_tran_session_transactions WHERE session_id <> @@SPID"),
    ("waiting tasks", "SELECT COUNT(*) FROM sys.dm_os_waiting_tasks WHERE session_id > 50 AND session_id <> @@SPID"),
    ("temporary tables", "SELECT COUNT(*) FROM tempdb.sys.tables"),
];

/// Sessions whose client has vanished may take so long to end.
const TRIES: u32 = 120;
const PAUSE_MS: u64 = 1_000;

/// Fails the run if something stays.
pub fn check(client: &mut Client) {
    let mut left = String::new();
    for _ in 0..TRIES {
        match count(client) {
            None => sleep(WaitType::WAITFOR, PAUSE_MS),
            Some(found) if found.is_empty() => return,
            Some(found) => {
                left = found;
                sleep(WaitType::WAITFOR, PAUSE_MS)
            }
        };
    }
    client.referee.fail("left behind", left);
}

/// What there is, in words; `None`: could not be seen.
fn count(client: &mut Client) -> Option<String> {
    let mut found = Vec::new();
    for (what, query) in COUNTS {
        let answer = client.run(query).ok()?;
        let count = number_of(answer.rows().first()?.first()?);
        if count > 0 {
            found.push(format!("{count} {what}"));
        }
    }
    Some(found.join(", "))
}
