//! Logon triggers: learn.microsoft.com/sql/relational-databases/triggers/logon-triggers, and
//! learn.microsoft.com/sql/relational-databases/errors-events/mssqlserver-17892-database-engine-error.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::process::Stdio;

use support::{PASSWORD, Server, binary, free_port};

/// What a login prints, errors too.
fn run_at(place: &str, user: &str, password: &str, query: &str) -> String {
    let mut command = binary();
    command.args(["sql", "-S", place, "-U", user, "-P", password, "-h", "-1", "-W", "-Q", query]);
    let output = command.stdin(Stdio::null()).output().expect("heddle sql runs");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).trim().to_owned()
}

const PROBE: &str = "Pr0be!xx12345";

fn as_probe(server: &Server, query: &str) -> String {
    run_at(&server.address(), "probe", PROBE, &format!("SET NOCOUNT ON; {query}"))
}

/// A server with the login `probe`, a table `logons`, and a trigger whose body is for that login alone.
fn with_trigger(body: &str, args: &[&str]) -> Server {
    let server = Server::start(args);
    server.query(&format!(
        "CREATE LOGIN probe WITH PASSWORD = '{PROBE}'; CREATE DATABASE logs; CREATE TABLE logs.dbo.logons (n int IDENTITY, s nvarchar(max))"
    ));
    replace(&server, body);
    server
}

fn replace(server: &Server, body: &str) {
    let made = server.sql(&[
        "-Q",
        &format!("CREATE OR ALTER TRIGGER gate ON ALL SERVER WITH EXECUTE AS 'sa' FOR LOGON AS IF ORIGINAL_LOGIN() = 'probe' BEGIN {body} END"),
    ]);
    let told = String::from_utf8_lossy(&[made.stdout, made.stderr].concat()).into_owned();
    assert!(!told.contains("Msg"), "{told}");
}

fn logged(server: &Server) -> String {
    let query = "SET NOCOUNT ON; SELECT ISNULL(STRING_AGG(s, ';') WITHIN GROUP (ORDER BY n), '') FROM logs.dbo.logons; TRUNCATE TABLE logs.dbo.logons";
    server.query(query).trim().to_owned()
}

fn insert(value: &str) -> String {
    format!("INSERT logs.dbo.logons (s) SELECT CONVERT(nvarchar(max), {value});")
}

#[test]
fn a_logon_trigger_runs_in_the_login_and_is_told_of_it() {
    // A client shows 256 characters of a value.
    let shown = "CONCAT(LEFT(CONVERT(nvarchar(max), EVENTDATA()), 70), CONVERT(nvarchar(max), EVENTDATA().query('(//LoginName, //LoginType)')), \
                 RIGHT(CONVERT(nvarchar(max), EVENTDATA()), 80))";
    let server = with_trigger(&insert(shown), &[]);
    assert_eq!(as_probe(&server, "SELECT SUSER_SNAME()"), "probe");
    let data = logged(&server);
    assert!(data.starts_with("<EVENT_INSTANCE><EventType>LOGON</EventType><PostTime>20"), "{data}");
    assert!(data.contains("<LoginName>probe</LoginName><LoginType>SQL Login</LoginType>"), "{data}");
    assert!(data.ends_with("<ClientHost>127.0.0.1</ClientHost><IsPooled>0</IsPooled></EVENT_INSTANCE>"), "{data}");
    // Nobody else's login is logged.
    assert_eq!(logged(&server), "");

    replace(
        &server,
        &insert(
            "CONCAT(ORIGINAL_LOGIN(), ' as ', SUSER_SNAME(), ' in ', DB_NAME(), ' at ', TRIGGER_NESTLEVEL(), ' ', @@TRANCOUNT)",
        ),
    );
    assert_eq!(as_probe(&server, "SELECT @@TRANCOUNT"), "0");
    // The INSERT counts itself.
    assert_eq!(logged(&server), "probe as sa in master at 1 2");

    // Neither what it prints nor its SET options go on with the session.
    replace(
        &server,
        "PRINT 'unseen'; RAISERROR('unseen', 16, 1); SET LANGUAGE Deutsch; EXEC sp_set_session_context 'k', 'v';",
    );
    assert_eq!(
        as_probe(&server, "SELECT CONCAT(@@LANGUAGE, CAST(SESSION_CONTEXT(N'k') AS nvarchar(9)))"),
        "us_englishv"
    );
}

#[test]
fn a_logon_trigger_refuses_a_login() {
    let server = with_trigger("ROLLBACK;", &[]);
    let refused = "Logon failed for login 'probe' due to trigger execution.";
    let is_refused = |body: &str| {
        replace(&server, body);
        let told = as_probe(&server, "SELECT 1");
        assert!(told.contains(refused), "{body}: {told}");
    };
    is_refused(&format!("{} ROLLBACK; {}", insert("'before'"), insert("'after'")));
    assert_eq!(logged(&server), "after");
    is_refused(&format!("{} THROW 50001, 'no', 1;", insert("'written'")));
    assert_eq!(logged(&server), "");
    is_refused("SELECT 1 AS a;");
    is_refused("EXEC ('SELECT 1 AS a');");
    is_refused("BEGIN TRY DECLARE @z int = CONVERT(int, 'x'); END TRY BEGIN CATCH END CATCH");
    // "The Database Engine returns an error if a logon trigger completes execution with a transaction count of 0": more than 1 is committed.
    replace(&server, &format!("BEGIN TRAN; {}", insert("'kept'")));
    assert_eq!(as_probe(&server, "SELECT @@TRANCOUNT"), "0");
    assert_eq!(logged(&server), "kept");
    replace(&server, "ROLLBACK;");
    // What is disabled refuses nobody.
    server.query("DISABLE TRIGGER gate ON ALL SERVER");
    assert_eq!(as_probe(&server, "SELECT 1"), "1");
    server.query("ENABLE TRIGGER ALL ON ALL SERVER; DROP TRIGGER gate ON ALL SERVER");
    assert_eq!(as_probe(&server, "SELECT 1"), "1");
}

/// "Use a dedicated administrator connection": who has locked everybody out comes in there.
#[test]
fn the_administrators_connection_passes_by_logon_triggers() {
    let port = free_port().to_string();
    let server = Server::start(&["--admin-listen", &format!("127.0.0.1:{port}")]);
    server.query("CREATE TRIGGER everybody ON ALL SERVER FOR LOGON AS ROLLBACK");
    let told = run_at(&server.address(), "sa", PASSWORD, "SELECT 1");
    assert!(told.contains("due to trigger execution."), "{told}");
    let told = run_at(&format!("admin:127.0.0.1,{port}"), "sa", PASSWORD, "DROP TRIGGER everybody ON ALL SERVER");
    assert!(!told.contains("Msg"), "{told}");
    assert_eq!(server.query("SELECT 1").lines().next().map(str::trim), Some("1"));
}
