//! Audits: what is written of whom, also when the server is killed, and what becomes of what cannot be written.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::collections::HashSet;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use support::wire::Wire;
use support::{Server, binary, scratch};

fn text(output: Output) -> String {
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).trim().to_owned()
}

fn said(server: &Server, query: &str) -> String {
    text(server.sql(&["-h", "-1", "-W", "-s", "|", "-Q", &format!("SET NOCOUNT ON; {query}")]))
}

fn run_as(server: &Server, user: &str, password: &str, query: &str) -> String {
    let mut command = binary();
    command.args([
        "sql",
        "-S",
        &server.address(),
        "-U",
        user,
        "-P",
        password,
        "-d",
        "shop",
        "-h",
        "-1",
        "-W",
        "-Q",
        query,
    ]);
    text(command.stdin(Stdio::null()).output().expect("heddle sql runs"))
}

fn ok(server: &Server, query: &str) {
    let answer = said(server, query);
    assert!(!answer.contains("Msg "), "{query}: {answer}");
}

/// Rows of the records of all files, columns as asked, in the order in which they were written.
fn records(server: &Server, trail: &Path, columns: &str, condition: &str) -> Vec<String> {
    let query = format!(
        "SELECT {columns} FROM sys.fn_get_audit_file(N'{}/*', DEFAULT, DEFAULT) WHERE {condition} ORDER BY event_time, file_name, audit_file_offset, sequence_number",
        trail.display()
    );
    said(server, &query).lines().map(str::to_owned).collect()
}

/// A database with a table and a procedure, and two logins, of which one has a user.
fn shop(server: &Server) {
    ok(server, "CREATE DATABASE shop");
    ok(server, "USE shop; CREATE TABLE orders (id int PRIMARY KEY, price int); CREATE TABLE other (id int)");
    ok(server, "USE shop; EXEC('CREATE PROCEDURE buy @id int AS INSERT orders VALUES (@id, 1)')");
    ok(
        server,
        "CREATE LOGIN eve WITH PASSWORD = 'Eve-1:eve', CHECK_POLICY = OFF; USE shop; CREATE USER eve; ALTER ROLE db_owner ADD MEMBER eve",
    );
    ok(
        server,
        "CREATE LOGIN bob WITH PASSWORD = 'Bob-1:bob', CHECK_POLICY = OFF; USE shop; CREATE USER bob; ALTER ROLE db_owner ADD MEMBER bob",
    );
}

fn audit(server: &Server, trail: &Path, options: &str) {
    ok(server, &format!("CREATE SERVER AUDIT watch TO FILE (FILEPATH = '{}'{options}", trail.display()));
    ok(server, "ALTER SERVER AUDIT watch WITH (STATE = ON)");
}

/// More records than a file of 2 MB has room for, each with a long statement.
fn fill() -> String {
    let long = "x".repeat(100_000);
    format!(
        "USE shop; DECLARE @i int = 0; WHILE @i < 100 BEGIN INSERT /* {long} */ orders VALUES (@i, 1); SET @i += 1 END"
    )
}

fn trail_of(name: &str) -> (std::path::PathBuf, std::path::PathBuf) {
    let directory = scratch(name);
    let (data, trail) = (directory.join("data"), directory.join("trail"));
    std::fs::create_dir_all(&trail).expect("made");
    (data, trail)
}

/// Engines outlive a killed launcher for a moment, and hold the directory.
fn until_gone(data: &Path) {
    let lock = std::fs::File::open(data.join("lock")).expect("a server has been there");
    lock.lock().expect("it is given back");
}

/// learn.microsoft.com, "SQL Server Audit Action Groups and Actions".
fn who_did_what(kernel: &str) {
    let (data, trail) = trail_of(&format!("audit-{kernel}"));
    let server = Server::start_on(data.to_str().expect("UTF-8"), &["--kernel", kernel]);
    shop(&server);
    audit(&server, &trail, ", MAXSIZE = 10 MB) WITH (ON_FAILURE = FAIL_OPERATION)");
    ok(
        &server,
        "CREATE SERVER AUDIT SPECIFICATION logins FOR SERVER AUDIT watch ADD (FAILED_LOGIN_GROUP), ADD (SUCCESSFUL_LOGIN_GROUP), \
        ADD (SERVER_PRINCIPAL_CHANGE_GROUP), ADD (SERVER_ROLE_MEMBER_CHANGE_GROUP), ADD (DATABASE_CHANGE_GROUP) WITH (STATE = ON)",
    );
    ok(
        &server,
        "USE shop; CREATE DATABASE AUDIT SPECIFICATION access FOR SERVER AUDIT watch \
        ADD (SELECT, INSERT ON dbo.orders BY eve), ADD (EXECUTE ON OBJECT::dbo.buy BY public), ADD (SCHEMA_OBJECT_CHANGE_GROUP), \
        ADD (DATABASE_PERMISSION_CHANGE_GROUP), ADD (SCHEMA_OBJECT_PERMISSION_CHANGE_GROUP) WITH (STATE = ON)",
    );

    run_as(&server, "eve", "Eve-1:eve", "SELECT * FROM orders; SELECT * FROM other; DELETE orders; EXEC buy 7");
    run_as(&server, "bob", "Bob-1:bob", "SELECT * FROM orders; EXEC buy 8");
    run_as(&server, "eve", "wrong", "SELECT 1");
    ok(
        &server,
        "CREATE LOGIN zoe WITH PASSWORD = 'Zoe-1:zoe', CHECK_POLICY = OFF; ALTER SERVER ROLE dbcreator ADD MEMBER zoe",
    );
    ok(&server, "USE shop; CREATE TABLE third (a int); GRANT SELECT ON third TO bob; DROP TABLE third");
    ok(&server, "CREATE DATABASE spare; DROP DATABASE spare");

    let seen = |condition: &str| {
        records(
            &server,
            &trail,
            "RTRIM(action_id) + ' ' + ISNULL(object_name, '') + ' ' + ISNULL(server_principal_name, '')",
            condition,
        )
    };
    let access = ["SL", "IN", "DL", "EX"].map(|action| format!("'{action}'")).join(", ");
    // Eve's DELETE reads the rows that it deletes.
    let expected = ["SL orders eve", "SL orders eve", "EX buy eve", "IN orders eve", "EX buy bob"];
    assert_eq!(seen(&format!("action_id IN ({access}) AND succeeded = 1")), expected);
    assert_eq!(seen("action_id = 'LGIF'"), ["LGIF  eve"]);
    let logins = seen("action_id = 'LGIS'");
    assert!(logins.contains(&"LGIS  bob".to_owned()) && logins.contains(&"LGIS  sa".to_owned()), "{logins:?}");
    assert_eq!(
        seen("action_id IN ('CR', 'DR', 'G', 'APRL')"),
        ["CR zoe sa", "APRL dbcreator sa", "CR third sa", "G third sa", "DR third sa", "CR spare sa", "DR spare sa"]
    );
    let statements = records(&server, &trail, "statement", "action_id = 'CR' AND object_name = 'zoe'");
    assert_eq!(statements, ["CREATE LOGIN zoe WITH PASSWORD = '******', CHECK_POLICY = OFF"]);
    // What is not permitted is told, too.
    run_as(&server, "zoe", "Zoe-1:zoe", "SELECT 1");
    ok(&server, "USE shop; CREATE USER zoe");
    run_as(&server, "zoe", "Zoe-1:zoe", "EXEC buy 9");
    assert_eq!(
        records(&server, &trail, "server_principal_name + ' ' + object_name", "action_id = 'EX' AND succeeded = 0"),
        ["zoe buy"]
    );
    let details = records(
        &server,
        &trail,
        "CONCAT(schema_name, '|', database_name, '|', database_principal_name, '|', client_ip, '|', succeeded, '|', statement)",
        "action_id = 'SL' AND server_principal_name = 'eve'",
    );
    assert_eq!(details[0], "dbo|shop|eve|127.0.0.1|1|SELECT * FROM orders");

    // What was answered is there, whatever comes.
    server.kill();
    until_gone(&data);
    let server = Server::start_on(data.to_str().expect("UTF-8"), &["--kernel", kernel]);
    let before = records(&server, &trail, "action_id", &format!("action_id IN ({access}) AND succeeded = 1"));
    assert_eq!(before.len(), expected.len());
    run_as(&server, "eve", "Eve-1:eve", "SELECT * FROM orders");
    let after = records(&server, &trail, "action_id", &format!("action_id IN ({access}) AND succeeded = 1"));
    assert_eq!(after.len(), expected.len() + 1, "it goes on after a start");
    views(&server);
    assert_eq!(server.stop().0, Some(0));
}

fn views(server: &Server) {
    let rows = |query: &str| said(server, query).lines().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(
        rows("SELECT name, type_desc, on_failure_desc, is_state_enabled FROM sys.server_audits"),
        ["watch|FILE|FAIL_OPERATION|1"]
    );
    assert_eq!(rows("SELECT max_file_size, max_rollover_files FROM sys.server_file_audits"), ["10|2147483647"]);
    assert_eq!(rows("SELECT name, is_state_enabled FROM sys.server_audit_specifications"), ["logins|1"]);
    assert_eq!(rows("SELECT COUNT(*) FROM sys.server_audit_specification_details"), ["5"]);
    assert_eq!(rows("SELECT name FROM shop.sys.database_audit_specifications"), ["access"]);
    assert_eq!(rows("SELECT COUNT(*) FROM master.sys.database_audit_specifications"), ["0"]);
    assert_eq!(
        rows(
            "SELECT audit_action_name, class_desc, is_group FROM shop.sys.database_audit_specification_details WHERE audited_principal_id > 0 ORDER BY 1"
        ),
        ["INSERT|OBJECT_OR_COLUMN|0", "SELECT|OBJECT_OR_COLUMN|0"]
    );
    assert_eq!(rows("SELECT name, status_desc FROM sys.dm_server_audit_status"), ["watch|STARTED"]);
    assert_eq!(
        rows("SELECT containing_group_name FROM sys.dm_audit_actions WHERE name = 'LOGOUT_GROUP'"),
        ["LOGOUT_GROUP"]
    );
}

#[test]
fn one_process_tells_who_did_what() {
    who_did_what("threaded");
}

#[test]
fn several_tell_who_did_what() {
    who_did_what("process");
}

/// Killed in the middle of work, again and again: of each statement that was answered there is a record, and of each row. KILLS=30: so
/// many instead of two.
#[test]
fn no_answered_statement_is_missing_after_kills() {
    const SESSIONS: i32 = 4;
    let kills: i32 = std::env::var("KILLS").map_or(2, |kills| kills.parse().expect("a number"));
    let (data, trail) = trail_of("audit-killed");
    let server = Server::start_on(data.to_str().expect("UTF-8"), &[]);
    shop(&server);
    audit(&server, &trail, ") WITH (ON_FAILURE = FAIL_OPERATION)");
    ok(
        &server,
        "USE shop; CREATE DATABASE AUDIT SPECIFICATION access FOR SERVER AUDIT watch ADD (INSERT ON orders BY public) WITH (STATE = ON)",
    );
    assert_eq!(server.stop().0, Some(0));
    let mut answered = Vec::new();
    for kill in 0..kills {
        let kernel = if kill % 2 == 0 { "threaded" } else { "process" };
        let server = Server::start_on(data.to_str().expect("UTF-8"), &["--kernel", kernel]);
        let port = server.port;
        let before = answered.len();
        let sessions: Vec<_> = (kill * SESSIONS..(kill + 1) * SESSIONS)
            .map(|session| std::thread::spawn(move || insert_until_killed(port, session * 1_000_000)))
            .collect();
        std::thread::sleep(Duration::from_millis(400 + 130 * (kill as u64 % 10)));
        server.kill();
        answered.extend(sessions.into_iter().flat_map(|session| session.join().expect("it ends")));
        assert!(answered.len() > before, "nothing was answered before kill {kill}");
        until_gone(&data);
    }
    let server = Server::start_on(data.to_str().expect("UTF-8"), &[]);
    let statements = records(&server, &trail, "statement", "action_id = 'IN'");
    let number = |text: &String| text.strip_prefix("INSERT orders VALUES (")?.split(',').next()?.parse::<i32>().ok();
    let told: HashSet<i32> = statements.iter().filter_map(number).collect();
    let missing: Vec<&i32> = answered.iter().filter(|number| !told.contains(number)).collect();
    assert!(missing.is_empty(), "{} of {}: {missing:?}", missing.len(), answered.len());
    let rows = said(&server, "SELECT id FROM shop.dbo.orders");
    let rows: HashSet<i32> = rows.lines().filter_map(|line| line.trim().parse().ok()).collect();
    assert!(answered.iter().all(|number| rows.contains(number)) && rows.iter().all(|row| told.contains(row)));
    println!("{kills} kills: {} answered, {} rows, {} records", answered.len(), rows.len(), told.len());
    assert_eq!(server.stop().0, Some(0));
}

/// The numbers whose INSERT was answered.
fn insert_until_killed(port: u16, first: i32) -> Vec<i32> {
    let Some(mut wire) = Wire::open(port, "shop") else { return Vec::new() };
    let inserted = |number: &i32| {
        let answer = wire.query(&format!("INSERT orders VALUES ({number}, 1)"));
        !answer.closed && answer.errors.is_empty()
    };
    (first..).take_while(inserted).collect()
}

/// learn.microsoft.com, "CREATE SERVER AUDIT": FAIL_OPERATION, MAX_FILES.
#[test]
fn what_cannot_be_audited_fails() {
    let (data, trail) = trail_of("audit-fails");
    let server = Server::start_on(data.to_str().expect("UTF-8"), &[]);
    shop(&server);
    audit(&server, &trail, ", MAXSIZE = 2 MB, MAX_FILES = 1) WITH (ON_FAILURE = FAIL_OPERATION)");
    ok(
        &server,
        "USE shop; CREATE DATABASE AUDIT SPECIFICATION access FOR SERVER AUDIT watch ADD (INSERT ON orders BY public) WITH (STATE = ON)",
    );
    let answer = said(&server, &fill());
    assert!(answer.contains("Msg 33239, Level 16"), "{answer}");
    let count = || said(&server, "SELECT COUNT(*) FROM shop.dbo.orders").parse::<usize>().expect("a number");
    let inserted = count();
    assert_eq!(
        records(&server, &trail, "1", "action_id = 'IN' AND sequence_number = 1").len(),
        inserted,
        "no row without its record"
    );
    assert!(said(&server, "INSERT shop.dbo.orders VALUES (-1, 1)").contains("Msg 33239"));
    assert_eq!(count(), inserted);
    assert_eq!(said(&server, "SELECT COUNT(*) FROM shop.dbo.other"), "0", "what is not audited goes on");
    // Mended: what is enabled is disabled, changed, and enabled again.
    assert!(said(&server, "ALTER SERVER AUDIT watch TO FILE (FILEPATH = '/tmp')").contains("Msg 33071"));
    ok(
        &server,
        &format!(
            "ALTER SERVER AUDIT watch WITH (STATE = OFF); \
        ALTER SERVER AUDIT watch TO FILE (FILEPATH = '{}', MAX_ROLLOVER_FILES = 2); ALTER SERVER AUDIT watch WITH (STATE = ON)",
            trail.display()
        ),
    );
    ok(&server, "INSERT shop.dbo.orders VALUES (-1, 1)");
    assert_eq!(server.stop().0, Some(0));
}

#[test]
fn a_server_that_must_not_run_unaudited_ends() {
    let (data, trail) = trail_of("audit-shutdown");
    let server = Server::start_on(data.to_str().expect("UTF-8"), &[]);
    shop(&server);
    audit(&server, &trail, ", MAXSIZE = 2 MB, MAX_FILES = 1) WITH (QUEUE_DELAY = 0, ON_FAILURE = SHUTDOWN)");
    ok(
        &server,
        "USE shop; CREATE DATABASE AUDIT SPECIFICATION access FOR SERVER AUDIT watch ADD (INSERT ON DATABASE::shop BY public) WITH (STATE = ON)",
    );
    said(&server, &fill());
    assert_eq!(server.stop().0, Some(0), "it stops in order");
    let log = std::fs::read_to_string(data.join("log/errorlog")).expect("a log");
    assert!(log.contains("SQL Server Audit 'watch' is configured to shut down on failure"), "{log}");
}

#[test]
fn what_is_not_done_is_refused_by_name() {
    let (data, trail) = trail_of("audit-refused");
    let server = Server::start_on(data.to_str().expect("UTF-8"), &[]);
    shop(&server);
    let path = trail.display();
    let cases = [
        (format!("CREATE SERVER AUDIT a TO FILE (FILEPATH = '{path}/none')"), "Msg 33072"),
        ("CREATE SERVER AUDIT a TO APPLICATION_LOG".into(), "APPLICATION_LOG"),
        (format!("CREATE SERVER AUDIT a TO FILE (FILEPATH = '{path}') WHERE object_name = 'x'"), "WHERE"),
        (format!("CREATE SERVER AUDIT a TO FILE (FILEPATH = '{path}', MAXSIZE = 1 MB)"), "Msg 33076"),
        (format!("CREATE SERVER AUDIT a TO FILE (FILEPATH = '{path}', RESERVE_DISK_SPACE = ON)"), "Msg 33077"),
        (
            format!("CREATE SERVER AUDIT a TO FILE (FILEPATH = '{path}', MAX_FILES = 1, MAX_ROLLOVER_FILES = 1)"),
            "Msg 33238",
        ),
        (format!("CREATE SERVER AUDIT a TO FILE (FILEPATH = '{path}') WITH (QUEUE_DELAY = 5)"), "Msg 33227"),
        (format!("USE shop; CREATE SERVER AUDIT a TO FILE (FILEPATH = '{path}')"), "Msg 33074"),
        (format!("BEGIN TRAN; CREATE SERVER AUDIT a TO FILE (FILEPATH = '{path}')"), "Msg 574"),
        ("DROP SERVER AUDIT a".into(), "Msg 15151"),
        ("CREATE SERVER AUDIT SPECIFICATION s FOR SERVER AUDIT a ADD (LOGOUT_GROUP)".into(), "Msg 15151"),
    ];
    for (statement, refusal) in cases {
        let answer = said(&server, &statement);
        assert!(answer.contains(refusal), "{statement}: {answer}");
    }
    audit(&server, &trail, ")");
    assert!(said(&server, &format!("CREATE SERVER AUDIT WATCH TO FILE (FILEPATH = '{path}')")).contains("Msg 15530"));
    let group = "CREATE SERVER AUDIT SPECIFICATION s FOR SERVER AUDIT watch ADD (BROKER_LOGIN_GROUP)";
    assert!(said(&server, group).contains("BROKER_LOGIN_GROUP"));
    let server_only = "USE shop; CREATE DATABASE AUDIT SPECIFICATION s FOR SERVER AUDIT watch ADD (LOGOUT_GROUP)";
    assert!(said(&server, server_only).contains("LOGOUT_GROUP"));
    ok(&server, "CREATE SERVER AUDIT SPECIFICATION s FOR SERVER AUDIT watch ADD (LOGOUT_GROUP) WITH (STATE = ON)");
    assert!(
        said(&server, "CREATE SERVER AUDIT SPECIFICATION t FOR SERVER AUDIT watch ADD (LOGOUT_GROUP)")
            .contains("Msg 33230")
    );
    assert!(said(&server, "ALTER SERVER AUDIT SPECIFICATION s ADD (FAILED_LOGIN_GROUP)").contains("Msg 33229"));
    assert!(said(&server, "DROP SERVER AUDIT SPECIFICATION s").contains("Msg 33229"));
    assert!(said(&server, "DROP SERVER AUDIT watch").contains("Msg 33071"));
    assert!(
        run_as(&server, "eve", "Eve-1:eve", "USE master; ALTER SERVER AUDIT watch WITH (STATE = OFF)")
            .contains("Msg 15247")
    );
    assert!(
        run_as(&server, "eve", "Eve-1:eve", &format!("SELECT * FROM sys.fn_get_audit_file('{path}/*', NULL, NULL)"))
            .contains("Msg 15247")
    );
    ok(
        &server,
        "ALTER SERVER AUDIT SPECIFICATION s WITH (STATE = OFF); DROP SERVER AUDIT SPECIFICATION s; \
        ALTER SERVER AUDIT watch WITH (STATE = OFF); DROP SERVER AUDIT watch",
    );
    assert_eq!(said(&server, "SELECT COUNT(*) FROM sys.server_audits"), "0");
    assert!(said(&server, "SELECT * FROM sys.fn_get_audit_file('/nowhere/*', NULL, NULL)").contains("Msg 33224"));
    assert_eq!(server.stop().0, Some(0));
}
