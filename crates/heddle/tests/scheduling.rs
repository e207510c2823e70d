//! Schedulers, workers and pools as they are changed by T-SQL while the server runs, with both kinds of workers.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use support::Server;

/// What a batch prints, or its error's number.
fn answer(server: &Server, batch: &str) -> String {
    let output = server.sql(&["-h", "-1", "-W", "-Q", &format!("SET NOCOUNT ON; {batch}")]);
    let shown = String::from_utf8_lossy(&output.stdout).trim().to_string();
    let number = shown.strip_prefix("Msg ").and_then(|rest| rest.split(',').next());
    number.map_or(shown.clone(), |number| format!("Msg {number}"))
}

const SCHEDULERS: &str = "SELECT STRING_AGG(status, ',') WITHIN GROUP (ORDER BY scheduler_id) FROM sys.dm_os_schedulers WHERE scheduler_id < 1048576";

#[test]
fn the_affinity_changes_while_the_server_runs() {
    for workers in ["fiber", "thread"] {
        let server = Server::start(&["--workers", workers, "--cpus", "0-1"]);
        let online = |batch: &str| answer(&server, &format!("{batch}; {SCHEDULERS}"));
        assert_eq!(online("PRINT ''"), "VISIBLE ONLINE,VISIBLE ONLINE");
        let set = "ALTER SERVER CONFIGURATION SET PROCESS AFFINITY";
        assert_eq!(online(&format!("{set} CPU = 1")), "VISIBLE OFFLINE,VISIBLE ONLINE");
        let shown = "SELECT CONVERT(int, value), CONVERT(int, value_in_use) FROM sys.configurations WHERE name = 'affinity mask'";
        assert_eq!(answer(&server, shown), "2 2");
        let info = "SELECT affinity_type_desc, scheduler_count, scheduler_total_count - scheduler_count FROM sys.dm_os_sys_info";
        assert!(answer(&server, info).starts_with("MANUAL 1 "));
        // Whose connection rested with the scheduler that left is served by the other.
        assert_eq!(answer(&server, "SELECT scheduler_id FROM sys.dm_exec_requests WHERE session_id = @@SPID"), "1");
        assert_eq!(online(&format!("{set} NUMANODE = 0")), "VISIBLE ONLINE,VISIBLE ONLINE");
        assert_eq!(answer(&server, &format!("{set} CPU = 0 TO 63")), "Msg 5832");
        assert_eq!(
            online(
                "EXEC sp_configure 'show advanced options', 1; RECONFIGURE; EXEC sp_configure 'affinity mask', 1; RECONFIGURE"
            ),
            "VISIBLE ONLINE,VISIBLE OFFLINE"
        );
        assert_eq!(online(&format!("{set} CPU = AUTO")), "VISIBLE ONLINE,VISIBLE ONLINE");
        assert!(answer(&server, info).starts_with("AUTO 2 "));
        assert_eq!(
            answer(
                &server,
                "EXEC sp_configure 'max worker threads', 256; RECONFIGURE; SELECT max_workers_count FROM sys.dm_os_sys_info"
            ),
            "256"
        );
        assert_eq!(
            answer(&server, "SELECT MAX(ideal_workers_limit) FROM sys.dm_os_schedulers WHERE scheduler_id < 1048576"),
            "128"
        );
    }
}
