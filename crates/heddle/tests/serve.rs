//! The command line of `heddle serve`: ready line, stopping, and a clear refusal of what cannot work.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::{PASSWORD, Server, binary, free_port, root, scratch, sql_at};

/// Exit code and stderr of a `heddle serve` that refuses to start.
fn refused(args: &[&str]) -> String {
    let output = binary().arg("serve").args(args).stdin(Stdio::null()).output().expect("runs");
    assert!(!output.status.success(), "{args:?} must be refused");
    assert!(output.stdout.is_empty(), "a server that does not serve prints no ready line");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn answers_and_stops_cleanly_on_sigterm() {
    let server = Server::start(&[]);
    assert_eq!(server.query("SET NOCOUNT ON; SELECT 40 + 2").trim(), "42");
    let ping = binary().args(["ping", "-S", &server.address()]).output().expect("runs");
    assert!(ping.status.success(), "{}", String::from_utf8_lossy(&ping.stderr));
    let (code, took) = server.stop();
    assert_eq!(code, Some(0));
    assert!(took < Duration::from_secs(5), "stopped only after {took:?}");
}

/// A start may come before the system has ended all processes of a server that was killed: it waits a moment for its directory and its port.
#[test]
fn a_start_waits_for_who_is_just_ending() {
    let data = scratch("waits-for-predecessor");
    let data = data.to_str().expect("UTF-8 path");
    let server = Server::start_on(data, &[]);
    server.query("CREATE TABLE kept (a int PRIMARY KEY); INSERT kept VALUES (1)");
    let message = refused(&["--data", data, "--listen", "127.0.0.1:0", "--sa-password", support::PASSWORD]);
    assert!(message.contains("is in use by another server"), "{message}");
    let listen = server.address().replace(',', ":");
    let begun = std::thread::spawn({
        let (data, listen) = (data.to_owned(), listen.clone());
        move || Server::start_at(&listen, &data, &[])
    });
    std::thread::sleep(Duration::from_millis(500));
    server.kill();
    let server = begun.join().expect("it started");
    assert_eq!(server.query("SET NOCOUNT ON; SELECT COUNT(*) FROM kept").trim(), "1");
}

/// The administrator's connection takes port 1434 or a free one, and not the port beside the server's own, which is another's: each finds its
/// own server, where the error log says.
/// https://learn.microsoft.com/sql/database-engine/configure-windows/remote-admin-connections-server-configuration-option
#[test]
fn servers_stand_on_neighbouring_ports() {
    let is_free = |port: u16| TcpListener::bind(("127.0.0.1", port)).is_ok();
    let port = (0..100).map(|_| free_port()).find(|port| *port < u16::MAX && is_free(port + 1)).expect("two ports");
    let servers = [port, port + 1].map(|port| Server::start_at(&format!("127.0.0.1:{port}"), ":memory:", &[]));
    for server in &servers {
        let own = format!("SET NOCOUNT ON; CREATE DATABASE at_{}", server.port);
        server.query(&own);
        let said = "SET NOCOUNT ON; CREATE TABLE #l (d datetime, p nvarchar(50), t nvarchar(max));
            INSERT #l EXEC xp_readerrorlog 0, 1, N'Dedicated admin connection support was established for listening locally on port';
            SELECT MAX(REPLACE(RIGHT(t, CHARINDEX(' ', REVERSE(t)) - 1), '.', '')) FROM #l";
        let told = server.query(said);
        let admin: u16 = told.trim().parse().unwrap_or_else(|_| panic!("a port: {told:?}"));
        assert!(admin != port && admin != port + 1, "{admin} beside {port}");
        let names = "SET NOCOUNT ON; SELECT name FROM sys.databases WHERE name LIKE 'at[_]%'";
        let answer = sql_at(&format!("127.0.0.1,{admin}"), &["-A", "-h", "-1", "-W", "-Q", names]);
        assert_eq!(String::from_utf8_lossy(&answer.stdout).trim(), format!("at_{}", server.port), "{answer:?}");
    }
}

/// A client that connects while the data are being opened hears at once that nobody is there, and does not wait on a connection: a start may
/// take as long as a recovery. Here it takes as long as a script.
#[test]
fn clients_are_refused_until_the_data_are_open() {
    let directory = scratch("refused-until-open");
    let script = directory.join("slow.sql");
    std::fs::write(&script, "WAITFOR DELAY '00:00:01.5'; CREATE TABLE made (a int)").expect("written");
    let (data, port, admin) = (directory.join("data"), free_port(), free_port());
    let begun = Instant::now();
    let starting = std::thread::spawn(move || {
        let (listen, admin) = (format!("127.0.0.1:{port}"), format!("127.0.0.1:{admin}"));
        let args = ["--init", script.to_str().expect("UTF-8"), "--admin-listen", &admin];
        Server::start_at(&listen, data.to_str().expect("UTF-8"), &args)
    });
    let mut refused = 0;
    let _first = loop {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never listens");
        // The administrator's listener is not there sooner, either.
        let admin = TcpStream::connect(("127.0.0.1", admin)).is_ok();
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(stream) => break stream,
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionRefused),
        }
        assert!(!admin || begun.elapsed() > Duration::from_millis(1_500), "the administrator's port listens first");
        refused += 1;
        std::thread::sleep(Duration::from_millis(5));
    };
    let connected = begun.elapsed();
    assert!(refused > 0 && connected > Duration::from_millis(1_500), "connected after {connected:?}");
    let server = starting.join().expect("it started");
    assert_eq!(server.query("SET NOCOUNT ON; SELECT COUNT(*) FROM sys.tables WHERE name = 'made'").trim(), "1");
}

/// What the unit for systemd says works, from its command line to its stop, and systemd takes it.
#[test]
fn the_unit_starts_reloads_and_stops_a_server() {
    let unit = root().join("packaging/heddle.service");
    let text = std::fs::read_to_string(&unit).expect("the unit");
    let value = |name: &str| {
        let found = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        found.unwrap_or_else(|| panic!("{name} is said")).to_owned()
    };
    let directory = scratch("unit");
    let (data, password) = (directory.join("data"), directory.join("sa-password"));
    std::fs::write(&password, PASSWORD).expect("written");
    let start = value("ExecStart");
    let mut words = start.split_whitespace();
    assert_eq!(words.next(), Some("/usr/local/bin/heddle"));
    let mut command = binary();
    command.args(words.map(|word| match word {
        "/var/lib/heddle" => data.to_str().expect("UTF-8"),
        "/etc/heddle/sa-password" => password.to_str().expect("UTF-8"),
        "0.0.0.0:1433" => "127.0.0.1:0",
        word => word,
    }));
    command.args(["--admin-listen", "off"]).stderr(Stdio::inherit());
    let server = Server::start_command(command, "127.0.0.1");
    let reload = value("ExecReload").replace("$MAINPID", &server.pid().to_string());
    let mut words = reload.split_whitespace();
    let reloaded = Command::new(words.next().expect("a program")).args(words).status().expect("it runs");
    assert!(reloaded.success(), "{reload}");
    assert_eq!(server.query("SET NOCOUNT ON; SELECT 40 + 2").trim(), "42");
    let stops_within: u64 = value("TimeoutStopSec").parse().expect("seconds");
    let (code, took) = server.stop();
    assert!(code == Some(0) && took < Duration::from_secs(stops_within), "{code:?} after {took:?}");
    // A start that cannot serve fails, so that it is tried again.
    assert_eq!(value("Restart"), "on-failure");
    refused(&["--data", "/proc/none", "--listen", "127.0.0.1:0"]);
    let mut verify = Command::new("systemd-analyze");
    verify.arg("verify").arg("--man=no").arg(&unit);
    match verify.output() {
        Err(error) => println!("passed over: systemd-analyze: {error}"),
        Ok(told) => {
            let told = String::from_utf8_lossy(&told.stderr).into_owned();
            // The program is not installed here, and systemd's own units are not this test's.
            let about = |line: &&str| line.contains("heddle.service") && !line.contains("is not executable");
            assert_eq!(told.lines().find(about), None, "{told}");
        }
    }
}

/// A connection that says nothing, one that rests after its login and one whose request runs do not hold the server up.
#[test]
fn stops_with_idle_and_busy_connections_open() {
    for (workers, rwlock) in [("fiber", "biased"), ("thread", "classic")] {
        let data = scratch(&format!("stops-{workers}"));
        let data = data.to_str().expect("UTF-8 path");
        let server = Server::start_on(data, &["--workers", workers, "--rwlock", rwlock]);
        server.query("CREATE TABLE kept (a int PRIMARY KEY); INSERT kept VALUES (1)");
        let silent = std::net::TcpStream::connect(("127.0.0.1", server.port)).expect("connected");
        let client = |input: Stdio, query: &[&str]| {
            let mut command = binary();
            command.args(["sql", "-S", &server.address(), "-U", "sa", "-P", support::PASSWORD]).args(query);
            command.stdin(input).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("heddle sql runs")
        };
        let mut busy = client(Stdio::null(), &["-Q", "WHILE 1 = 1 UPDATE kept SET a = a + 1"]);
        let mut waiting = client(Stdio::null(), &["-Q", "WAITFOR DELAY '00:10:00'"]);
        let mut idle = client(Stdio::piped(), &[]);
        let sessions = "SET NOCOUNT ON; SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE is_user_process = 1";
        let started = std::time::Instant::now();
        while server.query(sessions).trim() != "4" {
            assert!(started.elapsed() < Duration::from_secs(20), "the clients never came: {}", server.query(sessions));
            std::thread::sleep(Duration::from_millis(20));
        }
        let (code, took) = server.stop();
        assert_eq!(code, Some(0));
        assert!(took < Duration::from_secs(3), "stopped only after {took:?}");
        drop((idle.stdin.take(), silent));
        for child in [&mut busy, &mut waiting, &mut idle] {
            child.wait().expect("it ends with its connection");
        }
        let server = Server::start_on(data, &[]);
        assert_eq!(server.query("SET NOCOUNT ON; SELECT COUNT(*) FROM kept").trim(), "1");
    }
}

/// SHUTDOWN waits for what runs, and ends as on SIGTERM; WITH NOWAIT the next start recovers. Who may not, or in a transaction, is told so.
#[test]
fn stops_when_it_is_told_to() {
    for (kernel, no_wait) in [("threaded", false), ("threaded", true), ("process", false), ("process", true)] {
        let data = scratch(&format!("told-to-stop-{kernel}-{no_wait}"));
        let data = data.to_str().expect("UTF-8 path");
        let server = Server::start_on(data, &["--kernel", kernel]);
        server.query("CREATE TABLE kept (a int PRIMARY KEY); INSERT kept VALUES (1)");
        server.query("CREATE LOGIN low WITH PASSWORD = 'Some-1-password'");
        let told =
            server.query("EXECUTE AS LOGIN = 'low'; SHUTDOWN; SHUTDOWN WITH NOWAIT; REVERT; PRINT 'still there'");
        assert!(told.contains("User does not have permission") && told.contains("still there"), "{told}");
        let told = server.query("BEGIN TRANSACTION; SHUTDOWN; ROLLBACK; EXEC ('SHUTDOWN WITH NOWAIT')");
        assert_eq!(told.matches("cannot be executed within a transaction").count(), 2, "{told}");
        let mut command = binary();
        command.args(["sql", "-S", &server.address(), "-U", "sa", "-P", support::PASSWORD]);
        command.args(["-Q", "WAITFOR DELAY '00:00:02'; INSERT kept VALUES (2)"]);
        let mut other = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("heddle sql runs");
        let runs = "SET NOCOUNT ON; SELECT COUNT(*) FROM sys.dm_exec_requests WHERE command = 'WAITFOR'";
        let started = std::time::Instant::now();
        while server.query(runs).trim() != "1" {
            assert!(started.elapsed() < Duration::from_secs(20), "the other never came");
            std::thread::sleep(Duration::from_millis(20));
        }
        let said = server.sql(&["-Q", if no_wait { "SHUTDOWN WITH NOWAIT" } else { "SHUTDOWN" }]);
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let how = if no_wait { "NOWAIT request" } else { "request" };
        assert!(said.contains(&format!("Server shut down by {how} from login sa.")), "{kernel}: {said}");
        assert_eq!(server.ended(), Some(0), "{kernel}");
        other.wait().expect("it ends with its connection");
        let again = Server::start_on(data, &[]);
        let rows = if no_wait { "1" } else { "2" };
        assert_eq!(again.query("SET NOCOUNT ON; SELECT COUNT(*) FROM kept").trim(), rows, "{kernel}, {no_wait}");
    }
}

#[test]
fn ping_fails_where_nothing_listens() {
    let ping = binary().args(["ping", "-S", "127.0.0.1,1"]).output().expect("runs");
    assert!(!ping.status.success());
}

#[test]
fn data_outlives_a_stop_and_a_kill() {
    let data = scratch("outlives");
    let data = data.to_str().expect("UTF-8 path");
    let server = Server::start_on(data, &[]);
    server.query("CREATE TABLE kept (a int PRIMARY KEY); INSERT kept VALUES (1)");
    assert_eq!(server.stop().0, Some(0));
    let server = Server::start_on(data, &[]);
    server.query("INSERT kept VALUES (2)");
    server.kill();
    let server = Server::start_on(data, &[]);
    assert_eq!(server.query("SET NOCOUNT ON; SELECT COUNT(*) FROM kept").trim(), "2");
}

#[test]
fn a_data_directory_serves_one_server() {
    let data = scratch("one-server");
    let server = Server::start_on(data.to_str().expect("UTF-8 path"), &[]);
    let message = refused(&["--data", data.to_str().expect("UTF-8 path"), "--listen", "127.0.0.1:0"]);
    assert!(message.contains("in use"), "{message}");
    drop(server);
}

#[test]
fn a_port_in_use_is_named() {
    let server = Server::start(&[]);
    let listen = format!("127.0.0.1:{}", server.port);
    let message = refused(&["--data", ":memory:", "--listen", &listen]);
    assert!(message.contains(&listen) && message.contains("in use"), "{message}");
}

#[test]
fn bad_options_are_named() {
    assert!(refused(&["--data", ":memory:", "--memory", "lots"]).contains("--memory: 'lots'"));
    assert!(refused(&["--data", ":memory:", "--workers", "goblin"]).contains("goblin"));
    assert!(refused(&["--data", ":memory:", "--rwlock", "fair"]).contains("classic, atomic, biased"));
    assert!(refused(&["--data", ":memory:", "--kernel", "process", "--engines", "129"]).contains("1..=128"));
    assert!(refused(&["--data", ":memory:", "--cpus", "9999"]).contains("--cpus"));
}

#[test]
fn rows_that_do_not_fit_into_memory_name_what_they_need() {
    let data = scratch("too-little-memory");
    let data = data.to_str().expect("UTF-8 path");
    let server = Server::start_on(data, &["--memory", "256MB"]);
    server.query("CREATE DATABASE m");
    server
        .query("USE m; CREATE TABLE t (id int PRIMARY KEY NONCLUSTERED, v varchar(4000)) WITH (MEMORY_OPTIMIZED = ON)");
    server.query("INSERT m..t SELECT value, REPLICATE('x', 3000) FROM GENERATE_SERIES(1, 25000)");
    assert_eq!(server.stop().0, Some(0));
    let message = refused(&["--data", data, "--listen", "127.0.0.1:0", "--memory", "64MB"]);
    assert!(message.contains("memory-optimized") && message.contains("start with --memory "), "{message}");
    // And nothing was lost by it.
    let server = Server::start_on(data, &["--memory", "256MB"]);
    assert_eq!(server.query("SET NOCOUNT ON; SELECT COUNT(*) FROM m..t WHERE LEN(v) = 3000").trim(), "25000");
}

/// A limit of addresses that no server fits into is named, and nothing was done to the data.
#[test]
fn too_few_addresses_are_named() {
    let data = scratch("few-addresses");
    let data = data.to_str().expect("UTF-8 path");
    let server = Server::start_on(data, &["--memory", "256MB"]);
    server.query("CREATE TABLE kept (a int); INSERT kept VALUES (1)");
    assert_eq!(server.stop().0, Some(0));
    let command = binary();
    let mut shell = Command::new("sh");
    shell.arg("-c").arg("ulimit -v 2097152; exec \"$0\" \"$@\"").arg(command.get_program());
    shell.args(["serve", "--data", data, "--listen", "127.0.0.1:0", "--memory", "256MB"]).stdin(Stdio::null());
    let output = shell.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("ulimit -v"), "{output:?}");
    let server = Server::start_on(data, &["--memory", "256MB"]);
    assert_eq!(server.query("SET NOCOUNT ON; SELECT COUNT(*) FROM kept").trim(), "1");
}

/// Those that say nothing go, and who logs in is let in.
#[test]
fn a_server_without_file_descriptors_goes_on() {
    let data = scratch("few-files").join("data");
    let mut command = binary();
    command.args([
        "serve",
        "--data",
        data.to_str().expect("UTF-8"),
        "--listen",
        "127.0.0.1:0",
        "--admin-listen",
        "off",
    ]);
    command.args(["--sa-password", PASSWORD]);
    let mut shell = std::process::Command::new("sh");
    shell.arg("-c").arg("ulimit -n 64; exec \"$0\" \"$@\"").arg(command.get_program());
    shell.args(command.get_args()).stdout(Stdio::piped());
    let server = Server::start_command(shell, "127.0.0.1");
    server.query("CREATE TABLE t (a int)");
    let silent: Vec<_> =
        (0..90).filter_map(|_| std::net::TcpStream::connect(("127.0.0.1", server.port)).ok()).collect();
    assert!(silent.len() > 64, "{} connections", silent.len());
    for n in 1..=3 {
        let counted = server.query("SET NOCOUNT ON; INSERT t VALUES (1); CHECKPOINT; SELECT COUNT(*) FROM t");
        assert_eq!(counted.trim(), n.to_string());
    }
}

#[test]
fn init_scripts_run_once_on_a_new_data_directory() {
    let data = scratch("init");
    let script = data.join("seed.sql");
    std::fs::write(&script, "CREATE TABLE seeded (a int);\nGO\nINSERT seeded VALUES (7)\nGO\n").expect("written");
    let directory = data.join("data");
    let args = ["--init", script.to_str().expect("UTF-8 path")];
    for _ in 0..2 {
        let server = Server::start_on(directory.to_str().expect("UTF-8 path"), &args);
        assert_eq!(server.query("SET NOCOUNT ON; SELECT COUNT(*) FROM seeded").trim(), "1");
        assert_eq!(server.stop().0, Some(0));
    }
}
