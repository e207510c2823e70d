//! sp_configure across restarts: what is kept, what runs, and who wins.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use support::{PASSWORD, Server, binary, scratch};

/// "value value_in_use" of an option.
fn option(server: &Server, name: &str) -> String {
    let query = format!(
        "SET NOCOUNT ON; SELECT CONVERT(int, value), CONVERT(int, value_in_use) FROM sys.configurations WHERE name = N'{name}'"
    );
    server.query(&query).trim().to_string()
}

fn configure(server: &Server, options: &[(&str, &str)]) {
    server.query("EXEC sp_configure 'show advanced options', 1; RECONFIGURE");
    for (name, value) in options {
        let output = server.sql(&["-Q", &format!("EXEC sp_configure '{name}', {value}; RECONFIGURE")]);
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

fn fibers(server: &Server) -> String {
    server.query("SET NOCOUNT ON; SELECT COUNT(*) FROM sys.dm_os_workers WHERE is_fiber = 0").trim().to_string()
}

#[test]
fn what_was_configured_is_what_the_next_start_runs_with() {
    let data = scratch("configured");
    let path = data.to_str().expect("UTF-8 path");
    let server = Server::start_on(path, &[]);
    assert_eq!(option(&server, "lightweight pooling"), "1 1", "fibers unless somebody says otherwise");
    let given = [("lightweight pooling", "0"), ("max worker threads", "200"), ("cost threshold", "7")];
    configure(&server, &[&given[..], &[("max server memory", "256")]].concat());
    assert_eq!(option(&server, "lightweight pooling"), "0 1", "at the next start");
    assert_eq!(option(&server, "cost threshold for parallelism"), "7 7");
    assert_eq!(fibers(&server), "0");
    server.kill();

    let server = Server::start_on(path, &[]);
    assert_eq!(option(&server, "lightweight pooling"), "0 0");
    assert_ne!(fibers(&server), "0");
    assert_eq!(option(&server, "max worker threads"), "200 200");
    assert_eq!(server.query("SET NOCOUNT ON; SELECT max_workers_count FROM sys.dm_os_sys_info").trim(), "200");
    assert_eq!(option(&server, "cost threshold for parallelism"), "7 7");
    assert_eq!(option(&server, "max server memory (MB)"), "256 256");
    assert_eq!(server.stop().0, Some(0));

    let server = Server::start_on(path, &["--workers", "fiber", "--memory", "300MB"]);
    assert_eq!(option(&server, "lightweight pooling"), "0 1", "the command line wins, for this once");
    assert_eq!(option(&server, "max server memory (MB)"), "256 300");
    assert_eq!(server.stop().0, Some(0));

    // A crash between master and its copy: the start after it says so and the next one is right.
    std::fs::remove_file(data.join("startup.toml")).expect("it was written");
    let server = Server::start_on(path, &[]);
    assert_eq!(option(&server, "lightweight pooling"), "0 1");
    drop(server);
    let server = Server::start_on(path, &[]);
    assert_eq!(option(&server, "lightweight pooling"), "0 0");
}

/// Pools and the databases in them: rows that are there are loaded whatever the limit, and count for their pool.
#[test]
fn resource_pools_govern_from_the_start_on() {
    const FULL: &str =
        "INSERT held.dbo.held VALUES (-1, CONVERT(varbinary(max), REPLICATE(CONVERT(varchar(max), 'x'), 1000000)))";
    let data = scratch("resource_pools");
    let path = data.to_str().expect("UTF-8 path");
    let server = Server::start_on(path, &["--memory", "400MB"]);
    server.query("CREATE DATABASE held");
    server.query(
        "CREATE TABLE held.dbo.held (id int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 64), value varbinary(max)) WITH (MEMORY_OPTIMIZED = ON)",
    );
    server.query(
        "CREATE RESOURCE POOL small WITH (MAX_MEMORY_PERCENT = 20); ALTER RESOURCE GOVERNOR RECONFIGURE; EXEC sys.sp_xtp_bind_db_resource_pool N'held', N'small'",
    );
    let fill = "SET NOCOUNT ON; DECLARE @id int = 0; WHILE @id < 20 BEGIN
        INSERT held.dbo.held VALUES (@id, CONVERT(varbinary(max), REPLICATE(CONVERT(varchar(max), 'x'), 1000000))); SET @id += 1 END";
    server.query(fill);
    // Less than there is; and a pool that is asked for and not yet in effect.
    server.query(
        "ALTER RESOURCE POOL small WITH (MAX_MEMORY_PERCENT = 1); ALTER RESOURCE GOVERNOR RECONFIGURE; CREATE RESOURCE POOL later",
    );
    server.kill();

    let server = Server::start_on(path, &["--memory", "400MB"]);
    let is_so = |question: &str| server.query(&format!("SET NOCOUNT ON; {question}")).trim().to_string();
    assert_eq!(is_so("SELECT COUNT(*) FROM held.dbo.held"), "20", "all rows are loaded");
    let pool = "FROM sys.dm_resource_governor_resource_pools WHERE name = 'small'";
    assert_eq!(
        is_so(&format!("SELECT COUNT(*) {pool} AND used_memory_kb > 19000 AND used_memory_kb > max_memory_kb")),
        "1"
    );
    assert_eq!(is_so("SELECT resource_pool_id FROM sys.databases WHERE name = 'held'"), "256");
    assert_eq!(is_so("SELECT pool_id FROM sys.dm_resource_governor_resource_pools WHERE name = 'later'"), "257");
    let refused = server.sql(&["-Q", FULL]);
    assert!(String::from_utf8_lossy(&[refused.stdout, refused.stderr].concat()).contains("Msg 41805"));
    server.query("ALTER RESOURCE GOVERNOR DISABLE");
    server.query(FULL);
    let rows = "SET NOCOUNT ON; SELECT COUNT(*) FROM held.dbo.held";
    assert_eq!(server.query(rows).trim(), "21", "a governor that is disabled limits nothing");
    server.kill();

    let server = Server::start_on(path, &["--memory", "400MB"]);
    assert_eq!(
        server.query("SET NOCOUNT ON; SELECT COUNT(*) FROM sys.dm_resource_governor_resource_pools").trim(),
        "2"
    );
    server.query("INSERT held.dbo.held VALUES (-2, 0x00)");
    assert_eq!(server.query(rows).trim(), "22", "and stays so");
    assert_eq!(server.stop().0, Some(0));
}

/// Each database for itself, from RECONFIGURE on and after a start.
#[test]
fn a_quota_limits_the_memory_of_each_database() {
    let data = scratch("quota");
    let path = data.to_str().expect("UTF-8 path");
    let insert = |database: &str, id: i32| {
        format!(
            "INSERT {database}.dbo.held VALUES ({id}, CONVERT(varbinary(max), REPLICATE(CONVERT(varchar(max), 'x'), 700000)))"
        )
    };
    let server = Server::start_on(path, &[]);
    for database in ["one", "two"] {
        server.query(&format!("CREATE DATABASE {database}"));
        server.query(&format!(
            "CREATE TABLE {database}.dbo.held (id int NOT NULL PRIMARY KEY NONCLUSTERED, value varbinary(max)) WITH (MEMORY_OPTIMIZED = ON)"
        ));
    }
    server.query("EXEC sp_configure 'show advanced options', 1; RECONFIGURE; EXEC sp_configure 'in-memory OLTP quota (MB)', 1; RECONFIGURE");
    server.query(&insert("one", 1));
    let is_refused = |server: &Server, database: &str| {
        let refused = server.sql(&["-Q", &insert(database, 2)]);
        let said = String::from_utf8_lossy(&[refused.stdout, refused.stderr].concat()).into_owned();
        assert!(said.contains("Msg 41823, Level 16, State 171"), "{said}");
    };
    is_refused(&server, "one");
    server.query(&insert("two", 1));
    server.kill();
    let server = Server::start_on(path, &[]);
    is_refused(&server, "two");
    server.query("EXEC sp_configure 'in-memory OLTP quota (MB)', 0; RECONFIGURE");
    server.query(&insert("two", 2));
    assert_eq!(server.query("SET NOCOUNT ON; SELECT COUNT(*) FROM two.dbo.held").trim(), "2");
    assert_eq!(server.stop().0, Some(0));
}

#[test]
fn session_numbers_are_as_wide_as_the_connections_need() {
    let types = "SET NOCOUNT ON; SELECT CONVERT(varchar(10), SQL_VARIANT_PROPERTY(@@SPID, 'BaseType')), CONVERT(varchar(10), \
        SQL_VARIANT_PROPERTY(session_id, 'BaseType')), @@MAX_CONNECTIONS FROM sys.dm_exec_sessions WHERE session_id = @@SPID";
    let server = Server::start(&[]);
    assert_eq!(server.query(types).split_whitespace().collect::<Vec<_>>(), ["smallint", "smallint", "32767"]);
    let server = Server::start(&["--max-connections", "100000"]);
    assert_eq!(server.query(types).split_whitespace().collect::<Vec<_>>(), ["int", "int", "100000"]);
}

#[test]
fn a_configured_kernel_serves_after_a_restart_and_can_be_overruled() {
    let data = scratch("kernel-mode");
    let path = data.to_str().expect("UTF-8 path");
    let server = Server::start_on(path, &[]);
    configure(&server, &[("kernel mode", "0, 'process'"), ("max online engines", "3")]);
    assert_eq!(option(&server, "kernel mode"), "1 0");
    assert_eq!(server.stop().0, Some(0));
    let server = Server::start_on(path, &[]);
    assert_eq!(option(&server, "kernel mode"), "1 1");
    let engines = "SELECT COUNT(*) FROM sys.dm_os_schedulers WHERE status = 'VISIBLE ONLINE'";
    assert_eq!(server.query(&format!("SET NOCOUNT ON; {engines}")).trim(), "3");
    assert_eq!(server.stop().0, Some(0));
    let server = Server::start_on(path, &["--kernel", "threaded"]);
    assert_eq!(option(&server, "kernel mode"), "1 0");
}

#[test]
fn sessions_begin_as_configured() {
    let server = Server::start(&[]);
    configure(&server, &[("default language", "1"), ("user options", "512")]);
    server.query("CREATE LOGIN fritz WITH PASSWORD = 'Str0ng!Thread'");
    assert_eq!(server.query("SELECT @@OPTIONS & 512, DATENAME(weekday, '20240101')").trim(), "512 Monday");
    let german = "SELECT default_language_name FROM sys.server_principals WHERE name = N'fritz'";
    assert_eq!(server.query(german).trim(), "Deutsch", "made after the default changed");
    let data = scratch("connections");
    let path = data.to_str().expect("UTF-8 path");
    let server = Server::start_on(path, &[]);
    configure(&server, &[("user connections", "1")]);
    assert_eq!(server.stop().0, Some(0));
    let server = Server::start_on(path, &[]);
    let mut first = binary();
    first.args(["sql", "-S", &server.address(), "-U", "sa", "-P", PASSWORD, "-h", "-1"]).stdin(Stdio::piped());
    let mut first = first.stdout(Stdio::piped()).spawn().expect("heddle sql runs");
    let mut input = first.stdin.take().expect("piped");
    writeln!(input, "SELECT 'here'\nGO").expect("the client reads");
    let mut line = String::new();
    BufReader::new(first.stdout.as_mut().expect("piped")).read_line(&mut line).expect("UTF-8");
    assert!(line.contains("here"));
    let refused = server.sql(&["-Q", "SELECT 1"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("maximum number of '1' user connections"));
    drop(input);
    assert!(first.wait().expect("ends").success());
}
