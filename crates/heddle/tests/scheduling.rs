//! Schedulers, workers and pools as they are changed by T-SQL while the server runs, with both kinds of workers.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use lab::client::Connection;
use support::Server;

/// The last line that a batch prints (counts of rows aside), or its error's number.
fn answer(server: &Server, batch: &str) -> String {
    let output = server.sql(&["-h", "-1", "-W", "-Q", &format!("SET NOCOUNT ON; {batch}")]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    match shown.lines().find_map(|line| line.strip_prefix("Msg ")?.split(',').next()) {
        Some(number) => format!("Msg {number}"),
        None => shown
            .lines()
            .rfind(|line| !line.trim().is_empty() && !line.ends_with("rows affected)"))
            .unwrap_or_default()
            .trim()
            .to_string(),
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
        // One holds a row, all others want it. Its number is not the lowest, if an earlier session has gone late.
        assert!(sessions[0].query("BEGIN TRAN; UPDATE t SET a = @@SPID", soon()).is_ok());
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
                "DECLARE @kill varchar(20) = 'KILL ' + CONVERT(varchar(10), (SELECT a FROM t WITH (NOLOCK))); EXEC (@kill)"
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
    server.query("CREATE LOGIN fritz WITH PASSWORD = 'Str0ng!Thread'");
    let fritz = support::binary()
        .args([
            "sql",
            "-A",
            "-S",
            admin.trim_start_matches("admin:"),
            "-U",
            "fritz",
            "-P",
            "Str0ng!Thread",
            "-Q",
            "SELECT 1",
        ])
        .output()
        .expect("runs");
    assert!(String::from_utf8_lossy(&fritz.stderr).contains("Login failed for user 'fritz'"));
    assert!(!fritz.status.success());
}

#[test]
fn a_login_is_served_by_the_pool_of_its_class() {
    let data = support::scratch("pools");
    let path = data.to_str().expect("UTF-8 path");
    for workers in ["fiber", "thread"] {
        let server = Server::start_on(path, &["--workers", workers]);
        let of_pool =
            |scheduler: &str| scheduler.parse::<u32>().expect("a number") >= os::limits::usable_cpus().len() as u32;
        let here = "SELECT scheduler_id FROM sys.dm_exec_requests WHERE session_id = @@SPID";
        // The login itself is served by the default pool, what comes after it by its own.
        let script = format!("PRINT 'in'\nGO\nSET NOCOUNT ON; {here}\nGO\n");
        let file = data.join("here.sql");
        std::fs::write(&file, script).expect("a file");
        let as_fritz = || {
            let args = ["sql", "-S", &server.address(), "-U", "fritz", "-P", "Str0ng!Thread", "-h", "-1", "-W", "-i"];
            let output = support::binary().args(args).arg(&file).output().expect("heddle sql runs");
            String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().trim().to_string()
        };
        if workers == "fiber" {
            server.query("CREATE LOGIN fritz WITH PASSWORD = 'Str0ng!Thread'");
            assert_eq!(
                answer(
                    &server,
                    "CREATE THREAD POOL sales WITH THREAD COUNT = 2, POOL DESCRIPTION = 'for the sales force'"
                ),
                ""
            );
            assert_eq!(answer(&server, "CREATE THREAD POOL sales WITH THREAD COUNT = 2"), "Msg 10918");
            assert_eq!(answer(&server, "CREATE THREAD POOL syb_own WITH THREAD COUNT = 2"), "Msg 15150");
            assert_eq!(answer(&server, "EXEC sp_helpthread 'sales'"), "sales Multiplexed 2 100 for the sales force");
            assert!(!of_pool(&as_fritz()));
            answer(&server, "EXEC sp_addexeclass 'seller', 'MEDIUM', 0, 'sales'");
            assert_eq!(answer(&server, "EXEC sp_bindexeclass 'fritz', 'LG', NULL, 'seller'"), "");
            assert_eq!(answer(&server, "EXEC sp_bindexeclass 'nobody', 'LG', NULL, 'seller'"), "Msg 15007");
            assert!(of_pool(&as_fritz()), "{}", as_fritz());
            assert_eq!(answer(&server, "DROP THREAD POOL sales"), "Msg 3729");
            assert_eq!(
                answer(&server, "ALTER THREAD POOL sales WITH POOL NAME = shop, THREAD COUNT = 1, IDLE TIMEOUT = 0"),
                ""
            );
            assert_eq!(answer(&server, "EXEC sp_helpthread 'shop'"), "shop Multiplexed 1 0 for the sales force");
            assert_eq!(
                answer(
                    &server,
                    "ALTER THREAD POOL syb_blocking_pool WITH THREAD COUNT = 5; EXEC sp_helpthread 'syb_blocking_pool'"
                ),
                "syb_blocking_pool RTC 5 NULL A pool dedicated to executing blocking calls"
            );
        } else {
            // The next start has the same pools.
            assert_eq!(answer(&server, "EXEC sp_helpthread 'shop'"), "shop Multiplexed 1 0 for the sales force");
        }
        assert!(of_pool(&as_fritz()));
        assert!(!of_pool(&answer(&server, here)), "others are the default pool's");
        if workers == "thread" {
            assert_eq!(
                answer(
                    &server,
                    "EXEC sp_unbindexeclass 'fritz', 'LG', NULL; EXEC sp_dropexeclass 'seller'; DROP THREAD POOL shop"
                ),
                ""
            );
            assert!(!of_pool(&as_fritz()));
        }
        assert_eq!(server.stop().0, Some(0));
    }
}

#[test]
fn engines_share_the_workers_and_the_first_has_the_administrator() {
    let (server, admin) = with_admin(&["--kernel", "process", "--cpus", "0-1"]);
    let limits = "SELECT SUM(ideal_workers_limit) FROM sys.dm_os_schedulers WHERE scheduler_id < 1048576";
    assert_eq!(answer(&server, limits), "512");
    server.query("EXEC sp_configure 'show advanced options', 1; RECONFIGURE");
    server.query("EXEC sp_configure 'max worker threads', 200; RECONFIGURE");
    assert_eq!(answer(&server, limits), "200");
    assert_eq!(answer(&server, "SELECT max_workers_count FROM sys.dm_os_sys_info"), "200");
    let dac = "SELECT COUNT(*) FROM sys.dm_os_schedulers WHERE status = 'VISIBLE ONLINE (DAC)'";
    assert_eq!(admin_answer(&admin, dac), "1");
    assert_eq!(answer(&server, "CREATE THREAD POOL sales WITH THREAD COUNT = 2"), "Msg 1844");
}
