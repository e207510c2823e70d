//! Schedulers, workers and pools as they are changed by T-SQL while the server runs, with both kinds of workers.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use lab::client::Connection;
use support::Server;

/// The last line that a batch prints, or its error's number.
fn answer(server: &Server, batch: &str) -> String {
    let output = server.sql(&["-h", "-1", "-W", "-Q", &format!("SET NOCOUNT ON; {batch}")]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    match shown.lines().find_map(|line| line.strip_prefix("Msg ")?.split(',').next()) {
        Some(number) => format!("Msg {number}"),
        None => shown.lines().last().unwrap_or_default().trim().to_string(),
    }
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

/// A server with an administrator's port of its own, and that port.
fn with_admin(args: &[&str]) -> (Server, String) {
    // A free port: taken and given back.
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
    let listen = format!("127.0.0.1:{port}");
    let server = Server::start(&[&["--admin-listen", &listen], args].concat());
    (server, format!("admin:127.0.0.1,{port}"))
}

fn admin_answer(address: &str, batch: &str) -> String {
    let output = support::sql_at(address, &["-h", "-1", "-W", "-Q", &format!("SET NOCOUNT ON; {batch}")]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    shown.trim().to_string()
}

#[test]
fn the_administrator_is_served_when_all_workers_are_used_up() {
    for workers in ["fiber", "thread"] {
        let (server, admin) = with_admin(&["--workers", workers]);
        server.query("CREATE TABLE t (a int); INSERT t VALUES (0)");
        server.query("EXEC sp_configure 'show advanced options', 1; RECONFIGURE");
        server.query("EXEC sp_configure 'max worker threads', 128; RECONFIGURE");
        let target = support::target(server.port, "master");
        let soon = || Some(os::clock::after_ms(30_000));
        let mut sessions: Vec<Connection> =
            (0..150).map(|_| Connection::open(&target, soon()).expect("a session")).collect();
        // One holds a row, all others want it.
        assert!(sessions[0].query("BEGIN TRAN; UPDATE t SET a = 1", soon()).is_ok());
        let holder = sessions.remove(0);
        let wait =
            |mut session: Connection| std::thread::spawn(move || session.query("UPDATE t SET a = 2", soon()).is_ok());
        let waiting: Vec<_> = sessions.into_iter().map(wait).collect();
        let queue = "SELECT SUM(work_queue_count) FROM sys.dm_os_schedulers";
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while admin_answer(&admin, queue) != "21" {
            assert!(std::time::Instant::now() < deadline, "{} wait", admin_answer(&admin, queue));
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let threadpool = "SELECT COUNT(*) FROM sys.dm_os_waiting_tasks WHERE wait_type = 'THREADPOOL'";
        assert_eq!(admin_answer(&admin, threadpool), "21");
        assert_eq!(admin_answer(&admin, "SELECT COUNT(*) FROM sys.dm_os_tasks WHERE task_state = 'PENDING'"), "21");
        let here = "SELECT s.scheduler_id, s.status, c.endpoint_id FROM sys.dm_exec_requests r JOIN sys.dm_os_schedulers s ON s.scheduler_id = r.scheduler_id JOIN sys.dm_exec_connections c ON c.session_id = r.session_id WHERE r.session_id = @@SPID";
        assert_eq!(admin_answer(&admin, here), "1048576 VISIBLE ONLINE (DAC) 1");
        assert_eq!(
            admin_answer(
                &admin,
                "DECLARE @kill varchar(20) = 'KILL ' + CONVERT(varchar(10), (SELECT MIN(request_session_id) FROM sys.dm_tran_locks WHERE request_mode = 'IX' AND request_status = 'GRANT')); EXEC (@kill)"
            ),
            ""
        );
        assert!(waiting.into_iter().all(|session| session.join().expect("no panic")), "all go on after the KILL");
        drop(holder);
        assert_eq!(admin_answer(&admin, queue), "0");
    }
}

#[test]
fn one_administrator_at_a_time_and_no_other_user() {
    let (server, admin) = with_admin(&[]);
    let mut first = support::binary();
    first.args([
        "sql",
        "-S",
        &admin,
        "-U",
        "sa",
        "-P",
        support::PASSWORD,
        "-Q",
        "PRINT 'in'; WAITFOR DELAY '00:00:20'",
    ]);
    let mut first = first.stdout(std::process::Stdio::piped()).spawn().expect("heddle sql runs");
    let taken = "SELECT COUNT(*) FROM sys.dm_exec_connections WHERE endpoint_id = 1";
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while answer(&server, taken) != "1" {
        assert!(std::time::Instant::now() < deadline);
    }
    assert!(
        admin_answer(&admin, "SELECT 1").contains("number of '1' dedicated"),
        "{}",
        admin_answer(&admin, "SELECT 1")
    );
    first.kill().expect("it was running");
    first.wait().expect("it ends");
    while answer(&server, taken) != "0" {
        assert!(std::time::Instant::now() < deadline);
    }
    assert_eq!(admin_answer(&admin, "SELECT 1"), "1");
    server.query("CREATE LOGIN fritz WITH PASSWORD = 'Str0ng!Fritz'");
    let fritz = support::binary()
        .args([
            "sql",
            "-A",
            "-S",
            admin.trim_start_matches("admin:"),
            "-U",
            "fritz",
            "-P",
            "Str0ng!Fritz",
            "-Q",
            "SELECT 1",
        ])
        .output()
        .expect("runs");
    assert!(String::from_utf8_lossy(&fritz.stderr).contains("Login failed for user 'fritz'"));
    assert!(!fritz.status.success());
}
